"""Where documents begin: at the root's start tag, and at start tags that follow a further XML declaration."""

from typing import Final

from xml5tree.intent.lattice import EMPTY, SPACE, START, Edge, Lattice

_MOST: Final = 4096  # places that are kept
_AFTER_ATTRIBUTE: Final = (b">", b" ", b"\t", b"\n", b"\r")


class Restarts:
    """Notes the usual readings, in their order."""

    def __init__(self, lattice: Lattice) -> None:
        self.root = Edge(START, b"", 0, 0)  # the root's start tag
        self._lattice = lattice
        self._root_tag = b""
        self._declared = -1  # where the last XML declaration ends, with the white space and comments after it
        self._places: set[int] = set()  # of start tags that follow an XML declaration

    def __contains__(self, place: int) -> bool:
        return place in self._places

    def note(self, edge: Edge) -> None:
        """Note the next reading."""
        if edge.kind == SPACE:
            if edge.begin == self._declared or self.is_declaration(edge):
                self._declared = edge.end
        elif edge.kind in (START, EMPTY):
            if not self._root_tag:
                self._root_tag, self.root = self._lattice.text(edge.begin, edge.end), edge
            elif edge.begin == self._declared and edge.begin != self.root.begin:
                self._places.add(edge.begin)

    def is_declaration(self, edge: Edge) -> bool:
        """Return whether a section is an XML declaration."""
        source = self._lattice.text(edge.begin, min(edge.begin + 6, edge.end))
        return source[:5] == b"<?xml" and source[5:].isspace()

    def is_root_tag(self, edge: Edge) -> bool:
        """Return whether a start tag that hardly occurs twice is that of the root."""
        if edge.begin == self.root.begin or not (edge.has_attributes or edge.begin in self._places):
            return False
        length = edge.end - edge.begin - 1  # without the ">"
        is_like_it = self._lattice.text(edge.begin, edge.end - 1) == self._root_tag[:length]
        return is_like_it and self._root_tag[length : length + 1] in _AFTER_ATTRIBUTE

    def forget(self, before: int) -> None:
        """Forget the places before one, if there are many."""
        if len(self._places) > _MOST:
            self._places = {place for place in self._places if place >= before}
