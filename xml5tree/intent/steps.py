"""Steps of the decided reading, with what is open where they are made; those that an edit may come of."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from xml5tree.intent.hypotheses import Frame, Hypothesis
from xml5tree.intent.lattice import END, SPACE, START, Edge

_ENDS: Final = frozenset({"end", "wrong_end", "wrong_end_near", "start_as_end", "empty_as_end"})
_BEGINS: Final = frozenset({"end_as_start", "empty_as_start"})


class Step(NamedTuple):
    """A token of the decided reading that is more than a token as it stands."""

    edge: Edge
    operation: str
    closed: tuple[bytes, ...]  # names of the elements whose end is assumed before it, the innermost first
    own: bytes  # the name of the element that it ends by an operation
    opened: bytes  # the name of an element that is assumed before it
    name: bytes  # the name that is meant
    # what follows is not said of what has no meaning for the structure
    is_open: bool  # an element of its name is open; or any, if it has no name
    is_last: bool  # the root is the current element
    start: tuple[int, int] | None  # where the start tag is that it follows directly, but for white space
    margin: int  # how much dearer the best reading without it is


class Walk:
    """The open elements of the decided reading."""

    def __init__(self, frame: Frame) -> None:
        self._names: list[bytes] = []
        self._open: dict[bytes, int] = {}
        self.start: tuple[int, int] | None = None  # where a start tag is that all but white space has followed so far
        around: Frame | None = frame
        while around is not None and around.parent is not None:
            self._names.append(around.name)
            around = around.parent
        self._names.reverse()
        for name in self._names:
            self._open[name] = self._open.get(name, 0) + 1

    def take(self, path: Iterable[Hypothesis]) -> Iterator[Step]:
        """Take the next steps; yield those that are more than tokens as they stand."""
        for step in path:
            edge, operation = step.edge, step.operation
            assert edge is not None
            if edge.kind == SPACE:
                if edge.instead is not None:
                    self.start = None
                    yield Step(edge, "", (), b"", b"", b"", False, False, None, step.margin)
                continue
            start = self.start
            is_open = edge.name in self._open if edge.name else bool(self._names)
            is_last = len(self._names) == 1
            closed, own = self._advance(step, edge)
            if operation or closed or step.opened or edge.operation or edge.instead is not None:
                yield Step(edge, operation, closed, own, step.opened, step.name, is_open, is_last, start, step.margin)

    def _advance(self, step: Hypothesis, edge: Edge) -> tuple[tuple[bytes, ...], bytes]:
        """Open and end elements; return the names of those that are ended, by assumption and by an operation."""
        operation, own = step.operation, b""
        self.start = None
        closed = tuple([self._close() for _ in range(step.closed)])
        if step.opened:
            self._push(step.opened)
        if operation in _ENDS:
            own = self._close()
        elif operation in _BEGINS:
            self._push(edge.name)
        elif operation == "rename_start":
            self._push(step.name)
        elif not operation and edge.kind == END:
            if self._names:
                self._close()
        elif not operation and edge.kind == START and not step.is_element:
            self._push(edge.name)
            if edge.instead is None:
                self.start = edge.begin, edge.end
        return closed, own

    def _push(self, name: bytes) -> None:
        self._names.append(name)
        self._open[name] = self._open.get(name, 0) + 1

    def _close(self) -> bytes:
        name = self._names.pop()
        number = self._open[name] - 1
        if number:
            self._open[name] = number
        else:
            del self._open[name]
        return name
