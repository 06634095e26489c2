"""xsdata (24.5 or later): a handler for its `XmlParser`."""

from itertools import chain, pairwise
from typing import Any, ClassVar
from xml.etree import ElementTree

from xsdata.formats.dataclass.parsers.handlers import XmlEventHandler

from xml5tree.options import Options
from xml5tree.streaming import iterparse

__all__ = ["XML5Handler"]


class XML5Handler(XmlEventHandler):
    """A handler that reads broken XML: ``XmlParser(handler=XML5Handler)``.

    ``error_log`` of the xsdata parser has the errors of the document. A subclass sets options of
    `xml5tree.options.Settings`. Trees, and documents with XInclude, are left to xsdata.
    """

    #: The options.
    options: ClassVar[Options] = {}

    def parse(self, source: Any, ns_map: dict[str | None, str]) -> Any:
        """Return xsdata's object for a path, a file or a tree; `ns_map` takes the prefixes.

        Raises `ParseError` if the document has no start tag, or an option refuses it.
        """
        is_tree = ElementTree.iselement(source) or isinstance(source, ElementTree.ElementTree)
        if is_tree or self.parser.config.process_xinclude:
            return super().parse(source, ns_map)
        with iterparse(source, ("start", "end", "start-ns"), **self.options) as events:
            try:
                # Each event comes when the next one has, so that the tail of an element is there at its end.
                return self.process_context((event for event, _ in pairwise(chain(events, (None,)))), ns_map)
            finally:
                self.parser.error_log = events.error_log
