"""xsdata (24.5 or later): a handler for its `XmlParser`."""

from collections.abc import Iterable, Iterator
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
                return self.process_context(_one_behind(events), ns_map)
            finally:
                self.parser.error_log = events.error_log


def _one_behind(events: Iterable[Any]) -> Iterator[Any]:
    """Yield each event when the next one has come, so that the tail of an element is there at its end."""
    nothing = object()
    last: Any = nothing
    for event in events:
        if last is not nothing:
            yield last
        last = event
    if last is not nothing:
        yield last
