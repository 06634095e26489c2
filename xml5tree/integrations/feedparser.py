"""feedparser (6.0.10 or later): `install` makes it read broken feeds.

feedparser takes the first parser of a list that `xml.sax` can make; this module is such a driver. A feed that it
refuses, because there is no tag for example, goes to feedparser's own loose parser, and ``bozo`` is set. Otherwise,
``feed.error_log`` of the result has the errors.
"""

from collections.abc import Mapping
from typing import Any, Final, Unpack
from xml.sax import SAXParseException

import feedparser.api

from xml5tree.options import Options
from xml5tree.sax import SAXParser

__all__ = ["FeedDriver", "create_parser", "install", "uninstall"]

#: The namespace and prefix of the element around all feeds.
_NAMESPACE: Final = "urn:x-xml5tree"
_PREFIX: Final = "xml5tree"
#: The options of `install`.
_options: Options = {}


def install(**options: Unpack[Options]) -> None:
    """Make feedparser read all feeds with xml5tree, in this process and from now on.

    The options are those of `xml5tree.options.Settings`; `logger` and `on_error` report errors. `roots` is ``"all"`` by
    default, so that all feeds of a file are read. A second call changes the options. Raises `TypeError`, `ValueError`
    or `LookupError` for an option.
    """
    global _options
    if options.get("dialect", "xml5") == "xml5":
        options = {"roots": "all", **options}
    SAXParser(**options)
    _options = options
    uninstall()
    feedparser.api.PREFERRED_XML_PARSERS.insert(0, __name__)


def uninstall() -> None:
    """Undo `install`."""
    if __name__ in feedparser.api.PREFERRED_XML_PARSERS:
        feedparser.api.PREFERRED_XML_PARSERS.remove(__name__)


class FeedDriver(SAXParser):
    """The driver. It hides the element around all feeds, and leaves the error log in feedparser's result."""

    _has_element = False

    def parse(self, source: Any) -> None:
        """Read a feed; see `SAXParser.parse`. The error handler raises `SAXParseException` if there is no tag."""
        self._has_element = False
        super().parse(source)
        handler: Any = self.getContentHandler()
        # No item of the dictionary, which others iterate over and write as JSON.
        object.__setattr__(handler.feeddata, "error_log", self.error_log)
        if not self._has_element:
            self.getErrorHandler().fatalError(SAXParseException("no root element", None, self))

    def start_namespace_decl(self, prefix: str | None, uri: str) -> None:
        """Report a prefix."""
        if uri != _NAMESPACE:
            super().start_namespace_decl(prefix, uri)

    def end_namespace_decl(self, prefix: str | None) -> None:
        """Report the end of a prefix."""
        if prefix != _PREFIX:
            super().end_namespace_decl(prefix)

    def start_element_ns(self, name: str, attrs: Mapping[str, str]) -> None:
        """Report a start tag."""
        if not name.startswith(f"{_NAMESPACE} "):
            self._has_element = True
            super().start_element_ns(name, attrs)

    def end_element_ns(self, name: str) -> None:
        """Report an end tag."""
        if not name.startswith(f"{_NAMESPACE} "):
            super().end_element_ns(name)


def create_parser() -> SAXParser:
    """Return a parser with the options of `install`; `xml.sax` calls this."""
    return FeedDriver(**_options)
