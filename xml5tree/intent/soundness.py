"""Whether what the draft reads has an error: where there is none, nothing is assumed, and nothing is learned."""

from collections.abc import Iterable
from typing import Final

from xml5tree.intent.hypotheses import Frame, Frames, Hypothesis
from xml5tree.intent.lattice import EMPTY, END, SPACE, START, TEXT, Edge, Lattice
from xml5tree.intent.model import CHARACTERS, first
from xml5tree.intent.restarts import Restarts

WINDOW: Final = 65_536  # octets before an error that are learned at least, if there are so many
MOST: Final = 4096  # pairs of names that are counted
ENOUGH: Final = 8  # elements of a name that make it usual in a parent
QUIET: Final = 256  # elements that are open at most where quiet follows an error
DEEP: Final = 6  # levels that count as around


class Soundness:
    """Nests the draft's readings by their names, ahead of the search, up to the next error.

    A usual element is suspicious from the first child of a name on, if such children are usual in an element around:
    its end tag may be missing, which shows at the end of the document only. So is one that is directly in another of
    its name, from a usual child of that name on. Suspicion ends where the element does, or where more has been
    searched.
    """

    def __init__(self, lattice: Lattice, restarts: Restarts) -> None:
        self.mark = 0  # what is between here and an error teaches: one or two windows of text
        self.place = 0  # all before has no error
        self._next_mark = 0
        self._lattice = lattice
        self._restarts = restarts
        self._names: list[bytes] = []
        self._begins: list[int] = []  # where the elements begin
        self._has_root = False
        self._has_error = False
        #: How many of a name parents of a name have; with b"", whether elements of the name may be in each other.
        self._children: dict[tuple[bytes, bytes], int] = {}
        self._suspect: tuple[int, int, bytes] | None = None  # the place of a child, its depth, its name

    def begin(self, reading: Hypothesis, mark: int) -> bool:
        """Look for errors from where a reading waits, before the mark, if it is within a few elements, not outside."""
        frame, names = reading.frame, self._names
        elements: list[Frame] = []
        while frame.parent is not None and len(elements) <= QUIET:
            elements.append(frame)
            frame = frame.parent
        if not 0 < len(elements) <= QUIET:
            return False
        self.place, self.mark, self._next_mark = reading.place, mark, mark
        names[:] = [element.name for element in reversed(elements)]
        self._begins = [0] * len(names)
        if self._suspect is not None and self._suspect[0] < reading.place and self._suspect[1] <= len(names):
            self._accept(names[self._suspect[1] - 1], self._suspect[2])
        self._suspect = None
        self._has_root = True
        self._has_error = False
        return True

    def has_error(self, place: int) -> bool:
        """Return whether an error has been seen, or a child before a place is suspicious."""
        return self._has_error or (self._suspect is not None and self._suspect[0] < place)

    def advance(self, front: int) -> None:
        """Look for errors up to a place."""
        lattice, names = self._lattice, self._names
        while self.place < front and not self._has_error:
            edge = draft_reading(lattice.read(self.place))
            if edge is None or not is_sound(lattice, edge):
                self._has_error = True
                return
            kind, name = edge.kind, edge.name
            if kind == END:
                if not names or names[-1] != name:
                    self._has_error = True
                    return
                self._end()
            elif kind == SPACE:
                self._has_error = bool(names) and self._restarts.is_declaration(edge)
                if self._has_error:
                    return
            elif not names:
                self._has_error = (kind == TEXT or self._has_root) and not lattice.roots
                if kind != TEXT and not self._has_root:
                    self._restarts.note(edge)
                    self._has_root = True
            if kind in (START, EMPTY):
                self._child(name, edge.begin)
            if kind == START:
                names.append(name)
                self._begins.append(edge.begin)
            self.place = edge.end
            if edge.end - self._next_mark >= WINDOW:
                self.mark, self._next_mark = self._next_mark, edge.end
        if lattice.final and self.place >= lattice.fed and (names or not self._has_root):
            self._has_error = True

    def open_at_mark(self) -> list[bytes]:
        """Return the names of the elements that are open at the mark."""
        lattice, place, depth = self._lattice, self.mark, 0
        ended: list[bytes] = []
        while place < self.place:
            edge = draft_reading(lattice.read(place))
            assert edge is not None
            place = edge.end
            depth += (edge.kind == START) - (edge.kind == END)
            if depth < 0:
                ended.append(edge.name)
                depth = 0
        names = [name for name, begin in zip(self._names, self._begins, strict=True) if begin < self.mark]
        return names + ended[::-1]

    def follow(self, frames: Frames, frame: Frame, place: int, to: int) -> tuple[int, Frame]:
        """Read as the draft does, up to a place; return the place after that, and what is open there."""
        while place < to:
            edge = draft_reading(self._lattice.edges(place))
            assert edge is not None
            place = edge.end
            if edge.kind == TEXT:
                if frame.parent is not None:
                    frame = frames.after(frame, CHARACTERS)
            elif edge.kind == END:
                assert frame.parent is not None
                frame = frame.parent
            elif edge.kind == EMPTY:
                frame = frames.after(frame, edge.name, edge.column)
            elif edge.kind == START:
                frame = frames.push(frame, edge.name, edge.column, first(edge))
        return place, frame

    def _child(self, name: bytes, place: int) -> None:
        """Count a child of the current element; but no new kind of child within what is suspicious."""
        names, children = self._names, self._children
        pair = (names[-1] if names else b"", name)
        is_known = pair in children
        if not is_known and (self._suspect is not None or len(children) >= MOST):
            return
        if self._suspect is None and (self._is_nested(name) if is_known else self._is_suspicious(name)):
            self._suspect = (place, len(names), name)
            return
        children[pair] = children.get(pair, 0) + 1

    def _is_suspicious(self, name: bytes) -> bool:
        """Return whether the first child of its name makes the current element suspicious."""
        names, knowledge = self._names, self._lattice.knowledge
        if len(names) < 2 or not (knowledge.is_void(names[-1]) or self._is_usual(names[-1], names[-2])):
            return False
        never = knowledge.around(name)
        around = names[-1 - DEEP : -1]
        return any(self._is_usual(name, other) or knowledge.known(other) in never for other in around)

    def _is_nested(self, name: bytes) -> bool:
        """Return whether a usual child would be directly in two elements of its name."""
        is_third = self._names[-2:] == [name, name]
        return is_third and (name, b"") not in self._children and self._is_usual(name, name)

    def _is_usual(self, name: bytes, parent: bytes) -> bool:
        return self._children.get((parent, name), 0) >= ENOUGH

    def _accept(self, parent: bytes, name: bytes) -> None:
        """Suspect nothing more; the child is one that such a parent may have."""
        if self._is_usual(name, parent):
            self._children[name, b""] = 1
        self._children[parent, name] = self._children.get((parent, name), 0) + 1
        self._suspect = None

    def _end(self) -> None:
        name = self._names.pop()
        self._begins.pop()
        if self._suspect is not None and self._suspect[1] > len(self._names):
            self._accept(name, self._suspect[2])


def is_sound(lattice: Lattice, edge: Edge) -> bool:
    """Return whether the source of a reading, as it stands, may be well-formed."""
    if edge.kind > SPACE and not edge.cost:
        return True
    source = lattice.text(edge.begin, edge.end)
    if source[:2] not in (b"<!", b"<?"):
        is_in_section = edge.kind == TEXT and edge.begin in lattice.inside
        return not edge.cost and (is_in_section or b"]]>" not in source)
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
