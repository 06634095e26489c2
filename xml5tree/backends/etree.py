"""The backend for `xml.etree.ElementTree` (expat)."""

import xml.etree.ElementTree as ET
from typing import Any

from xml5tree.backends.base import Backend, FeedParser
from xml5tree.options import Settings
from xml5tree.readable import BY_EXPAT

__all__ = ["ElementTreeBackend"]


class ElementTreeBackend(Backend):
    """Trees of `xml.etree.ElementTree`."""

    readable = BY_EXPAT
    # ValueError and LookupError: an encoding that expat does not read.
    refusals = (ET.ParseError, ValueError, LookupError)

    def make_parser(self, target: object | None) -> FeedParser:
        """See `Backend`."""
        return ET.XMLParser(target=target)

    def make_strict_parser(self, target: object | None, settings: Settings) -> FeedParser:
        """See `Backend`."""
        return ET.XMLParser(target=target, encoding=settings.encoding)

    def parse_whole(self, data: bytes | str, settings: Settings) -> Any:
        """See `Backend`."""
        parser = ET.XMLParser(encoding=settings.encoding)
        parser.feed(data)
        return parser.close()

    def make_tree(self, root: Any, path: str | None) -> Any:
        """See `Backend`."""
        return ET.ElementTree(root)

    def position(self, refusal: Exception) -> tuple[int, int]:
        """See `Backend`."""
        return refusal.position if isinstance(refusal, ET.ParseError) else (1, 0)
