"""What the caller and the document's own DTD say of its elements: `xml5tree.xml.structure.Content`, in UTF-8."""

import re
from collections.abc import Collection, Mapping
from typing import Final

from xml5tree.intent.names import VOID
from xml5tree.xml.structure import Content, declared_content
from xml5tree.xml.vocabulary import ANY_PREFIX

_MOST: Final = 4096  # names that are remembered, and declarations of a DOCTYPE
#: A DOCTYPE with an internal subset, up to its end or the end of what is seen.
_DOCTYPE: Final = re.compile(
    rb"(?s)(?>[^<]++|<!--.*?-->|<\?.*?\?>)*+<!DOCTYPE[^\[<>]*+\["
    rb"((?><!--.*?-->|<\?.*?\?>|\"[^\"]*+\"|'[^']*+'|[^\]\"'<]++|<)*+)"
)
_Row = tuple[bytes, bool, tuple[bytes, ...] | None, tuple[bytes, ...]]


class Knowledge:
    """What is known of the elements of one document."""

    def __init__(self, content: Mapping[str, Content]) -> None:
        self._content = content
        self._take(content)

    def __bool__(self) -> bool:
        return bool(self._children or self._around)

    def read_doctype(self, beginning: bytes) -> None:
        """Take the declarations of an internal subset, too; what the caller says counts more."""
        if found := _DOCTYPE.match(beginning):
            declared = {
                name: Content(children) for name, children in declared_content(found[1].decode(errors="replace"))
            }
            given, nothing = self._content, Content()
            names = {*declared, *given}
            self._take({name: declared.get(name, nothing).also(given.get(name, nothing)) for name in names})

    def _take(self, content: Mapping[str, Content]) -> None:
        names = {name for own, (children, never) in content.items() for name in (own, *(children or ()), *never)}
        self._locals = {name.removeprefix(ANY_PREFIX).encode() for name in names if name.startswith(ANY_PREFIX)}
        self._known: dict[bytes, bytes] = {}
        self._children: dict[bytes, frozenset[bytes]] = {}
        self._around: dict[bytes, set[bytes]] = {}  # the names of elements in which one never is
        for name, (children, never) in content.items():
            own = self._given(name)
            if children is not None:
                self._children[own] = self._children.get(own, frozenset()).union(map(self._given, children))
            for inner in map(self._given, never):
                self._around.setdefault(inner, set()).add(own)

    def _given(self, name: str) -> bytes:
        return self.known(name.removeprefix(ANY_PREFIX).encode("utf-8", "surrogatepass"))

    def known(self, name: bytes) -> bytes:
        """Return the name under which something is known of the elements of a name."""
        found = self._known.get(name)
        if found is None:
            local = name.rpartition(b":")[2]
            found = local if local in self._locals else name
            if len(self._known) < _MOST:
                self._known[name] = found
        return found

    def children(self, name: bytes) -> frozenset[bytes] | None:
        """Return the known names of all that elements may have in them, None if that is not known."""
        return self._children.get(self.known(name)) if self._children else None

    def around(self, name: bytes) -> Collection[bytes]:
        """Return the known names of elements in which an element never is."""
        return self._around.get(self.known(name), ()) if self._around else ()

    def is_void(self, name: bytes) -> bool:
        """Return whether elements have nothing in them, in HTML or as it is known."""
        return name.lower() in VOID or self.children(name) == frozenset()

    def rows(self) -> list[_Row]:
        """Return each known name, whether it may have any prefix, what may be in it, and what is never around it."""
        names = {*self._children, *self._around, *self._locals}
        children = {name: None if name not in self._children else (*self._children[name],) for name in names}
        return [(name, name in self._locals, children[name], (*self._around.get(name, ()),)) for name in names]
