"""The state of the search: open elements, readings of the text up to a place, and what waits there."""

from collections.abc import Iterable
from typing import Final

from xml5tree.intent.costs import COSTS
from xml5tree.intent.lattice import Edge

BEAM: Final = 8  # hypotheses that wait at a place
EARLY: Final = (
    -3
)  # the column of the document's children where an operation ended the root, or made or dropped its start
_NEVER: Final = 1 << 60


class Frame:
    """An open element, and all around it; equal ones are the same object."""

    __slots__ = ("child_column", "column", "name", "number", "parent", "previous")

    def __init__(
        self, number: int, name: bytes, parent: "Frame | None", previous: bytes, column: int, child_column: int
    ) -> None:
        self.number = number
        self.name = name
        self.parent = parent  # None: it is the document
        self.previous = previous  # the symbol of the last child
        self.column = column
        self.child_column = child_column  # of the last child that is first on its line


class Frames:
    """The open elements of all hypotheses, and what is around each."""

    def __init__(self) -> None:
        self._frames: dict[tuple[bytes, int, bytes, int, int], Frame] = {}
        self._numbers = 0
        self._most = 1 << 16

    def of(self, name: bytes, parent: Frame | None, previous: bytes, column: int, child_column: int) -> Frame:
        key = name, parent.number if parent else 0, previous, column, child_column
        frame = self._frames.get(key)
        if frame is None:
            self._numbers += 1
            frame = self._frames[key] = Frame(self._numbers, name, parent, previous, column, child_column)
        return frame

    def after(self, frame: Frame, symbol: bytes, column: int = -1) -> Frame:
        """Return the element after a further child."""
        child_column = column if column >= 0 and frame.child_column != EARLY else frame.child_column
        return self.of(frame.name, frame.parent, symbol, frame.column, child_column)

    def push(self, frame: Frame, name: bytes, column: int, symbol: bytes) -> Frame:
        """Return a new element in another."""
        return self.of(name, self.after(frame, name, column), symbol, column, -1)

    def collect(self, living: Iterable[Frame]) -> None:
        """Forget all but these frames and those around them, if there are many."""
        if len(self._frames) <= self._most:
            return
        kept: dict[tuple[bytes, int, bytes, int, int], Frame] = {}
        for inner in living:
            frame: Frame | None = inner
            while frame is not None:
                parent = frame.parent
                key = frame.name, parent.number if parent else 0, frame.previous, frame.column, frame.child_column
                if key in kept:
                    break
                kept[key] = frame
                frame = parent
        self._frames = kept
        self._most = 2 * len(kept) + (1 << 16)


class Hypothesis:
    """A reading of the text up to a place, as a step from another one."""

    __slots__ = (
        *("anchors", "before", "closed", "cost", "edge", "frame", "gap", "margin", "name", "number", "opened"),
        *("operation", "owed", "place", "rival"),
    )

    def __init__(self, cost: int, frame: Frame, place: int) -> None:
        self.cost = cost
        self.frame = frame
        self.place = place  # where it waits
        self.number = 0  # of equally dear ones the first counts
        self.owed: tuple[bytes, ...] = ()  # names of elements that were ended before their end tags
        self.before: Hypothesis | None = None
        self.edge: Edge | None = None  # what was read from there
        self.operation = ""  # how
        self.closed = 0  # elements whose end was assumed before
        self.opened = b""  # the name of an element that was assumed before, after these
        self.name = b""  # the name that is meant
        self.anchors: tuple[Hypothesis, ...] = ()  # those before it that waited at the last steps
        self.rival: Hypothesis | None = None  # the cheapest of those with the same stack that it is cheaper than
        self.gap = 0  # by how much
        self.margin = 0  # how much dearer readings without this step are

    @property
    def is_choice(self) -> bool:
        """Return whether the step is more than the token as it stands."""
        edge = self.edge
        return edge is not None and bool(self.operation or self.closed or self.opened or edge.operation)

    @property
    def is_element(self) -> bool:
        """Return whether the step reads a clean element, not only its start tag."""
        return self.edge is not None and self.edge.end != self.place


def rank(hypothesis: Hypothesis) -> tuple[int, int]:
    return hypothesis.cost, hypothesis.number


def weigh(hypothesis: Hypothesis, rival: Hypothesis, gap: int, place: int, most: int = _NEVER) -> None:
    """Let no step of a reading after `place` have a larger margin than `gap`, if a rival reading lacks the step.

    At most `most` steps are compared. What is decided at `place`, both have.
    """
    while hypothesis is not rival and hypothesis.place > place and most:
        most -= 1
        before, other = hypothesis.before, rival.before
        assert before is not None
        if rival.place < hypothesis.place:
            hypothesis.margin = min(gap, hypothesis.margin)
            hypothesis = before
            continue
        assert other is not None
        if rival.place == hypothesis.place:
            if gap < hypothesis.margin and _do_differ(hypothesis, rival):
                hypothesis.margin = gap
            hypothesis = before
        rival = other


def _do_differ(one: Hypothesis, other: Hypothesis) -> bool:
    if one.edge is not other.edge or one.operation != other.operation or one.closed != other.closed:
        return True
    return one.opened != other.opened or one.name != other.name


class Waiting:
    """The hypotheses at a place."""

    __slots__ = ("bound", "hypotheses")

    def __init__(self) -> None:
        self.hypotheses: dict[tuple[int, tuple[bytes, ...]], Hypothesis] = {}
        self.bound = _NEVER  # what costs more has no chance

    def limit(self) -> None:
        """Set the bound by what waits."""
        self.bound = min([other.cost for other in self.hypotheses.values()], default=_NEVER) + COSTS["width"]
        if len(self.hypotheses) >= BEAM:
            self.bound = min(self.bound, max(other.cost for other in self.hypotheses.values()) - 1)

    def ranked(self) -> list[Hypothesis]:
        """Return the hypotheses that have a chance, the best first."""
        ranked = sorted(self.hypotheses.values(), key=rank)
        return [hypothesis for hypothesis in ranked if hypothesis.cost <= ranked[0].cost + COSTS["width"]]

    def put(self, hypothesis: Hypothesis) -> None:
        """Let a hypothesis wait, in place of a dearer one with the same stack or of the dearest of all."""
        key = (hypothesis.frame.number, hypothesis.owed)
        if key not in self.hypotheses and len(self.hypotheses) >= BEAM:
            dearest = max(self.hypotheses.values(), key=rank)
            del self.hypotheses[dearest.frame.number, dearest.owed]
        self.hypotheses[key] = hypothesis
        self.limit()
