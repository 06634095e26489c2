"""Names in the markup of records, as the paths to values have them."""

import re
from collections.abc import Callable, Iterable
from typing import Final, Protocol

from xml5tree.xml.prefixes import XML_NAMESPACE, well_known

__all__ = ["AsWritten", "ExpandedNames", "Names", "Naming"]

#: Returns the name that paths have, given an expanded name, the namespace of the record, and whether it is an
#: attribute's.
Naming = Callable[[str, str, bool], str]

#: A declaration, or what looks like one in text; the value is in quotes.
_DECLARATION: Final = re.compile(rb"\sxmlns(?::([^\s=<>\"'/]+))?\s*=\s*(\"[^\"<]*\"|'[^'<]*')")
#: What can hide a tag, and start tags with all that is in them.
_TAG: Final = re.compile(
    rb"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>"
    rb"|(<[^\s<>/\"'!?]+(?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*+>)",
    re.DOTALL,
)
#: Characters that an attribute's value may have otherwise than it is written.
_CHANGED: Final = re.compile(rb"[&\s]")


class Names(Protocol):
    """Says what is in a record by the names in it."""

    def see(self, markup: bytes) -> bool:
        """Take note of declarations in the markup; return whether it is still clear what names mean."""

    def begin(self, name: bytes) -> bool:
        """Return whether an element of a name is a record; the names asked for from now on are in it."""

    def element(self, name: bytes) -> bytes | None:
        """Return the name of an element as paths have it; None if that is not known."""

    def attribute(self, name: bytes) -> bytes | None:
        """Return the name of an attribute as paths have it, "" for a declaration; None if that is not known."""


class AsWritten:
    """Names that are the same in markup and paths."""

    def __init__(self, record: bytes) -> None:
        self._record = record

    def see(self, markup: bytes) -> bool:
        return True

    def begin(self, name: bytes) -> bool:
        return name == self._record

    def element(self, name: bytes) -> bytes | None:
        return name

    attribute = element


class ExpandedNames:
    """Names in namespaces, as long as each prefix stands for one of them only in all of the document so far.

    So nothing has to be known of where a declaration holds, except for that of the default namespace: it is the root
    element's, or there is none. Names that depend on the namespace of the record are those in one namespace only.
    """

    def __init__(self, is_record: Callable[[str], bool], naming: Naming | None = None) -> None:
        """Set what says whether elements of an expanded name are records, and names that are not the expanded ones."""
        self._is_record = is_record
        self._naming = naming
        self._uris: dict[bytes, bytes] = {b"xml": XML_NAMESPACE.encode()}  # by prefix; that of the default is empty
        self._namespace: str | None = None  # that of the first record

    def see(self, markup: bytes) -> bool:
        has_root = b"" in self._uris
        if has_root and (b"xmlns" not in markup or self._knows(_DECLARATION.findall(markup))):
            return True
        tags = (tag[1] for tag in _TAG.finditer(markup) if tag[1])
        return all(self._see_tag(tag) for tag in tags if b"" not in self._uris or b"xmlns" in tag)

    def _knows(self, declarations: Iterable[tuple[bytes, bytes]]) -> bool:
        return all(self._uris.get(prefix) == value[1:-1] for prefix, value in {*declarations})

    def _see_tag(self, tag: bytes) -> bool:
        found = {prefix: value[1:-1] for prefix, value in _DECLARATION.findall(tag)}
        self._uris.setdefault(b"", found.get(b"", b""))
        for prefix, uri in found.items():
            if self._uris.setdefault(prefix, uri) != uri or _CHANGED.search(uri):
                return False
            if self._naming is None and well_known(uri.decode()) != uri.decode():  # which paths may mean
                return False
        return True

    def begin(self, name: bytes) -> bool:
        expanded = self._expanded(name)
        if expanded is None or not self._is_record(expanded):
            return False
        namespace = expanded[1:].rpartition("}")[0]
        if self._namespace is None:
            self._namespace = namespace
        return self._naming is None or namespace == self._namespace

    def element(self, name: bytes) -> bytes | None:
        return self._named(self._expanded(name), is_attribute=False)

    def attribute(self, name: bytes) -> bytes | None:
        if name == b"xmlns" or name.startswith(b"xmlns:"):
            return b""
        return self._named(self._expanded(name) if b":" in name else name.decode(), is_attribute=True)

    def _expanded(self, name: bytes) -> str | None:
        prefix, _, local = name.rpartition(b":")
        uri = self._uris.get(prefix)
        if uri is None:
            return None
        return (b"{%b}%b" % (uri, local) if uri else local).decode()

    def _named(self, expanded: str | None, *, is_attribute: bool) -> bytes | None:
        if expanded is None or self._naming is None or self._namespace is None:
            return None if expanded is None else expanded.encode()
        return self._naming(expanded, self._namespace, is_attribute).encode()
