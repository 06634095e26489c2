"""The backend for `lxml.etree` (libxml2)."""

from typing import Any

from lxml import etree

from xml5tree.backends.base import Backend, FeedParser
from xml5tree.native import may_have_doctype
from xml5tree.options import Settings
from xml5tree.readable import BY_LIBXML2

__all__ = ["LxmlBackend"]


class LxmlBackend(Backend):
    """Trees of `lxml.etree`."""

    readable = BY_LIBXML2
    # ValueError and LookupError: an encoding that libxml2 does not read, text that is not Unicode.
    refusals = (etree.LxmlError, ValueError, LookupError)

    def make_parser(self, target: Any) -> FeedParser:
        """See `Backend`.

        The entities have been expanded under a limit of our own, so the markup is read without libxml2's. IDs are not
        collected because libxml2 refuses those that are no names or occur twice, well-formed or not.
        """
        parser: FeedParser = etree.XMLParser(target=target, huge_tree=True, collect_ids=False)
        return parser

    def make_strict_parser(self, target: Any, settings: Settings) -> Any:
        """See `Backend`."""
        return self._strict(settings, target=target)

    def parse_whole(self, data: bytes | str, settings: Settings) -> Any:
        """See `Backend`.

        Text goes in as bytes, since lxml refuses text with an encoding declaration. `huge_tree` would switch off
        libxml2's guard against entity amplification as well.
        """
        huge = not may_have_doctype(data)
        if isinstance(data, str):
            return etree.fromstring(data.encode(), self._strict(settings, encoding="utf-8", huge_tree=huge))
        return etree.fromstring(data, self._strict(settings, huge_tree=huge))

    def _strict(self, settings: Settings, **options: Any) -> Any:
        options.setdefault("encoding", settings.encoding)
        return etree.XMLParser(attribute_defaults=bool(settings.attribute_defaults), no_network=True, **options)

    def make_tree(self, root: Any, path: str | None) -> Any:
        """See `Backend`."""
        tree = root.getroottree()
        if path is not None:
            tree.docinfo.URL = path
        return tree

    def position(self, refusal: Exception) -> tuple[int, int]:
        """See `Backend`; lxml counts columns from 1."""
        if isinstance(refusal, etree.XMLSyntaxError):
            line, column = refusal.position
            return max(line, 1), max(column - 1, 0)
        return 1, 0
