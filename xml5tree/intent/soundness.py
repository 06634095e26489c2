"""Whether what the draft reads has an error: where there is none, nothing is assumed."""

from collections.abc import Iterable
from typing import Final

from xml5tree.intent.lattice import EMPTY, END, SPACE, START, TEXT, Edge, Lattice

MOST: Final = 4096  # names that are counted
ENOUGH: Final = 8  # elements that directly follow one of their name make records of that name in that parent
DEEP: Final = 6  # levels in which an element of the same name counts as around


class Soundness:
    """Nests the draft's readings by their names, ahead of the search, up to the first error.

    A record in a record is suspicious if none was before: the end tag of the outer one may be missing, which shows at
    the end of the document only. Suspicion ends where the outer one does.
    """

    def __init__(self, lattice: Lattice, *, roots: bool) -> None:
        self._lattice = lattice
        self._roots = roots
        self._names: list[bytes] = []
        self._has_root = False
        self._place = 0
        self._has_error = False
        self._previous: list[bytes] = [b""]  # the last child of the document and of each open element
        self._follow: dict[tuple[bytes, bytes], int] = {}  # how often elements of a parent follow one of their name
        self._nested: set[bytes] = set()  # names of elements that are in others of their name
        self._suspects: list[tuple[int, int]] = []  # places of such elements, and the depths of the outer ones

    def has_error(self, place: int) -> bool:
        """Return whether an error has been seen, or an element before a place is under suspicion."""
        return self._has_error or (bool(self._suspects) and self._suspects[0][0] < place)

    def advance(self, front: int) -> None:
        """Look for errors up to a place."""
        lattice, names = self._lattice, self._names
        while self._place < front and not self._has_error:
            edge = draft_reading(lattice.edges(self._place))
            if edge is None or not self.is_sound(edge):
                self._has_error = True
                return
            self._place = edge.end
            kind, name = edge.kind, edge.name
            if kind == END:
                if not names or names[-1] != name:
                    self._has_error = True
                    return
                self._end()
            elif kind != SPACE and not names:
                self._has_error = (kind == TEXT or self._has_root) and not self._roots
                self._has_root = self._has_root or kind != TEXT
            if kind == START:
                self._start(name, edge.begin)
            elif kind == EMPTY:
                self._child(name)
        if lattice.final and self._place >= lattice.fed and (names or not self._has_root):
            self._has_error = True

    def _start(self, name: bytes, place: int) -> None:
        names, never = self._names, self._lattice.knowledge.around(name)
        is_around = never or name in names[-DEEP:]
        for depth in range(len(names) - 1, max(-1, len(names) - 1 - DEEP), -1) if is_around else ():
            if self._lattice.knowledge.known(names[depth]) in never:
                self._suspects.append((place, depth))
                break
            if names[depth] == name and name not in self._nested:
                if self._follow.get((names[depth - 1] if depth else b"", name), 0) >= ENOUGH:
                    self._suspects.append((place, depth))
                break
        self._child(name)
        names.append(name)
        self._previous.append(b"")

    def _child(self, name: bytes) -> None:
        if self._previous[-1] == name:
            key = (self._names[-1] if self._names else b"", name)
            if key in self._follow or len(self._follow) < MOST:
                self._follow[key] = self._follow.get(key, 0) + 1
        self._previous[-1] = name

    def _end(self) -> None:
        name = self._names.pop()
        self._previous.pop()
        depth, suspects = len(self._names), self._suspects
        while suspects and suspects[-1][1] >= depth:
            suspects.pop()
            self._nested.add(name)

    def is_sound(self, edge: Edge) -> bool:
        """Return whether the source of a reading, as it stands, may be well-formed."""
        if edge.kind > SPACE and not edge.cost:
            return True
        source = self._lattice.text(edge.begin, edge.end)
        if source[:2] not in (b"<!", b"<?"):
            return not edge.cost and b"]]>" not in source
        if not edge.cost:
            return True
        is_closed = source.endswith((b"-->", b"]]>", b"?>"))
        if source[:4] == b"<!--":
            return is_closed and b"--" not in source[4:-3]
        return is_closed and source.startswith((b"<?", b"<![CDATA["))


def draft_reading(edges: Iterable[Edge]) -> Edge | None:
    """Return the draft's reading among those at a place."""
    for edge in edges:
        if not edge.operation and edge.instead is None:
            return edge
    return None
