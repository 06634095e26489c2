"""Whether what the draft reads has an error: where there is none, nothing is assumed, and nothing is learned."""

from collections.abc import Iterable
from typing import Final

from xml5tree.intent.hypotheses import Frame, Frames, Hypothesis
from xml5tree.intent.lattice import EMPTY, END, SPACE, START, TEXT, Edge, Lattice
from xml5tree.intent.model import CHARACTERS, first
from xml5tree.intent.restarts import Restarts

WINDOW: Final = 65_536  # octets before an error that are learned at least, if there are so many
MOST: Final = 4096  # names that are counted
ENOUGH: Final = 8  # elements that directly follow one of their name make records of that name in that parent
QUIET: Final = 256  # elements that are open at most where quiet follows an error
DEEP: Final = 6  # levels in which an element of the same name counts as around


class Soundness:
    """Nests the draft's readings by their names, ahead of the search, up to the next error.

    A record in a record is suspicious if none was before: the end tag of the outer one may be missing, which shows at
    the end of the document only. So is, after an error, the first child of its name in a usual element, if such
    children are usual in one around that. Suspicion ends where the outer one does, or where more has been searched.
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
        self._follows_error = False
        self._has_error = False
        self._previous: list[bytes] = [b""]  # the last child of the document and of each open element
        self._children: dict[tuple[bytes, bytes], list[int]] = {}  # how many a parent has, and follow one of their name
        self._nested: set[bytes] = set()  # names of elements that are in others of their name
        self._suspects: list[tuple[int, int, bytes]] = []  # places, depths of the outer ones, names of first children

    def begin(self, reading: Hypothesis, mark: int) -> bool:
        """Look for errors from where a reading waits, before the mark, if it is within a few elements, not outside."""
        frame, names, previous = reading.frame, self._names, self._previous
        elements: list[Frame] = []
        while frame.parent is not None and len(elements) <= QUIET:
            elements.append(frame)
            frame = frame.parent
        if not 0 < len(elements) <= QUIET:
            return False
        self.place, self.mark, self._next_mark = reading.place, mark, mark
        names[:] = [element.name for element in reversed(elements)]
        previous[:] = [frame.previous, *(element.previous for element in reversed(elements))]
        self._begins = [0] * len(names)
        for _, depth, name in self._suspects:
            if name and depth < len(names):
                self._accept(names[depth], name)
        self._has_root = self._follows_error = True
        self._has_error = False
        self._suspects.clear()
        return True

    def has_error(self, place: int) -> bool:
        """Return whether an error has been seen, or an element before a place is under suspicion."""
        return self._has_error or (bool(self._suspects) and self._suspects[0][0] < place)

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
            elif kind != SPACE and not names:
                self._has_error = (kind == TEXT or self._has_root) and not lattice.roots
                if kind != TEXT and not self._has_root:
                    self._restarts.note(edge)
                    self._has_root = True
            if kind == START:
                self._start(name, edge.begin)
            elif kind == EMPTY:
                self._child(name, edge.begin)
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

    def _start(self, name: bytes, place: int) -> None:
        names, never = self._names, self._lattice.knowledge.around(name)
        is_around = never or name in names[-DEEP:]
        for depth in range(len(names) - 1, max(-1, len(names) - 1 - DEEP), -1) if is_around else ():
            if self._lattice.knowledge.known(names[depth]) in never:
                self._suspects.append((place, depth, b""))
                break
            if names[depth] == name and name not in self._nested:
                if self._counts(names[depth - 1] if depth else b"", name)[1] >= ENOUGH:
                    self._suspects.append((place, depth, b""))
                break
        self._child(name, place)
        names.append(name)
        self._begins.append(place)
        self._previous.append(b"")

    def _child(self, name: bytes, place: int) -> None:
        """Count a child of the current element, or suspect it."""
        names, depth, suspects = self._names, len(self._names) - 1, self._suspects
        counts = self._counts(names[-1] if names else b"", name)
        if not counts[0] and len(self._children) < MOST:
            around = names[max(depth - DEEP, 0) : depth] if self._follows_error and depth > 0 else []
            is_usual = around and self._counts(around[-1], names[-1])[0] >= ENOUGH
            if is_usual and any(self._counts(other, name)[0] >= ENOUGH for other in around):
                if not suspects or suspects[-1][1] != depth:
                    suspects.append((place, depth, name))
                self._previous[-1] = name
                return
            self._children[names[-1] if names else b"", name] = counts
        counts[0] += 1
        counts[1] += self._previous[-1] == name
        self._previous[-1] = name

    def _counts(self, parent: bytes, name: bytes) -> list[int]:
        return self._children.get((parent, name)) or [0, 0]

    def _accept(self, parent: bytes, name: bytes) -> None:
        """Take a child for one that a parent may have."""
        if len(self._children) < MOST:
            self._children.setdefault((parent, name), [1, 0])

    def _end(self) -> None:
        name = self._names.pop()
        self._begins.pop()
        self._previous.pop()
        depth, suspects = len(self._names), self._suspects
        while suspects and suspects[-1][1] >= depth:
            child = suspects.pop()[2]
            if child:
                self._accept(name, child)
            else:
                self._nested.add(name)


def is_sound(lattice: Lattice, edge: Edge) -> bool:
    """Return whether the source of a reading, as it stands, may be well-formed."""
    if edge.kind > SPACE and not edge.cost:
        return True
    source = lattice.text(edge.begin, edge.end)
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
