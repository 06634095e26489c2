"""Counts the errors of readings in the tags ahead (R-005)."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from xml5tree.dialects.xml5.intent.constants import (
    AROUND,
    DOUBTFUL,
    MOST_AFTER_ROOT,
    MOST_DOUBTS,
    MOST_EVIDENCE,
    NEW_PAIR,
)
from xml5tree.dialects.xml5.intent.learned import TEXT_CHILD, Learned
from xml5tree.dialects.xml5.intent.window import EMPTY_TAG, END_TAG, START_TAG, TEXT_RUN, Window
from xml5tree.tree.endtags import ended_by

__all__ = ["UNIT", "Begun", "Outcome", "Simulation", "compare", "inside"]

#: `_is_settled` compares costs in parts of an error, `UNIT` to one, so that no rounding decides.
UNIT: Final = 100


class Begun(NamedTuple):
    """The beginning of a reading."""

    stack: Sequence[str]  # the names of the open elements, the root first; empty if the root element has ended
    # Names of elements that the end tag of another one has just closed. Their own end tags cost nothing before the next
    # start tag or empty tag: tags that cross each other are one fault.
    forced: Sequence[str] = ()
    pairs: tuple[tuple[str, str], ...] = ()  # parents and children that follow from the assumption


def inside(stack: Sequence[str], *names: str, is_closed: bool = False, forced: Sequence[str] = ()) -> Begun:
    """Return the beginning of a reading that opens elements of some `names` on a stack, each in the one before.

    If `is_closed`, the last of the `names` is not left open: it is that of an empty tag, or `TEXT_CHILD`.
    """
    opened = names[:-1] if is_closed else names
    return Begun([*stack, *opened], forced, tuple(pairwise([stack[-1] if stack else AROUND, *names])))


def _match_in_order(ends: Sequence[str], stack: Sequence[str]) -> bool:
    """Return whether end tags, at least one, match the elements of a stack, innermost first, as far as both go."""
    return len(ends) > 0 and all(end in {"", name} for end, name in zip(ends, reversed(stack), strict=False))


Outcome = tuple[int, int]
"""The errors of a reading and its new pairs.

The errors are counted up to where all compared readings have become equal, or some tags farther. A pair of parent
and child is new if the document has not shown it so far.
"""


class Simulation:
    """One reading of tags: `stack` and `forced` as in `Begun`, and the new `pairs` of parents and children."""

    __slots__ = ("_after_root", "_learned", "_outside", "errors", "forced", "pairs", "stack")

    def __init__(self, begun: Begun, learned: Learned) -> None:
        self.stack = list(begun.stack)
        self.errors = 0
        self.pairs = {pair for pair in begun.pairs if pair not in learned.pairs}
        self._learned = learned
        self.forced = list(begun.forced)
        self._after_root = 0  # start tags and empty tags after the root element
        self._outside = 0  # elements that are open there

    def is_same(self, other: "Simulation") -> bool:
        """Return whether two readings have become equal: the following tags add the same errors to both."""
        return (
            self.stack == other.stack
            and self.forced == other.forced
            and self._outside == other._outside
            and self._after_root == other._after_root
        )

    def pair(self, child: str) -> None:
        """Note a child or text of the current element."""
        pair = (self.stack[-1], child)
        if pair not in self._learned.pairs:
            self.pairs.add(pair)

    def begin(self, name: str | None) -> None:
        """Read a start tag in an element; `name`: None for an empty tag, or if the comparison keeps it in `_shared`."""
        self.forced.clear()
        if name is not None:
            self.stack.append(name)

    def end(self, name: str, ends: Sequence[str] = ()) -> None:
        """Read an end tag in an element.

        If it would close several elements, the end tags after it, `ends`, may show that it should not (R-005).
        """
        stack = self.stack
        ended = ended_by(name, stack)
        if ended == 1:
            stack.pop()
        elif not ended and name in self.forced:
            self.forced.remove(name)  # see `Begun`
        elif not ended:
            self.errors += 1
            # It never ends the root element: the rest of the document would then count few errors.
            is_slip = self._learned.is_slip
            if len(stack) > 1 and (is_slip(name, stack[-1]) or is_slip(stack[-1], name)):
                stack.pop()
        elif _match_in_order(ends, stack):
            self.errors += 1  # it is stray: without it, the tags after it are right
        elif _match_in_order(ends, stack[:-1]):
            self.errors += 1  # it is meant for the current element
            stack.pop()
        else:
            self.errors += ended - 1
            self.forced += reversed(stack[len(stack) - ended + 1 :])
            del stack[-ended:]

    def read_outside(self, kind: int) -> None:
        """Read a tag after the root element."""
        if kind == END_TAG:
            if self._outside:
                self._outside -= 1
            else:
                self.errors += 1
        elif kind in {START_TAG, EMPTY_TAG}:
            self._after_root += 1
            if kind == START_TAG:
                self._outside += 1

    def finish(self, at_end: bool) -> None:
        self.errors += min(self._after_root, MOST_AFTER_ROOT)
        if at_end and self.stack and self.stack[-1] != AROUND:
            self.errors += 1  # not for each element, or documents that are cut off would be torn apart


class _Joined(NamedTuple):
    """A reading that has become equal to another one."""

    own: Simulation  # the reading, which ends here
    other: Simulation  # the reading that goes on for both
    errors: int  # the errors of `other` so far
    pairs: set[tuple[str, str]]  # the new pairs of `other` so far


def compare(readings: Sequence[Begun], window: Window, learned: Learned) -> list[Outcome]:
    return _Comparison(readings, window, learned).read()


class _Comparison:
    """Several readings of tags, side by side.

    Elements opened after the readings have begun are open in all of them, so they are kept once until an end tag
    reaches below them. Where two readings have become equal, one goes on.

    For example, `r` and `a` are open in reading A, only `r` in B. At `</a>`, A ends `a`, and B has an error. Now `r`
    is open in both, so B joins A, which has no error so far. If A has two errors at last, B has 1 + (2 - 0).
    """

    def __init__(self, readings: Sequence[Begun], window: Window, learned: Learned) -> None:
        self._window = window
        self._learned = learned
        self._all = [Simulation(begun, learned) for begun in readings]
        self._going = list(self._all)
        self._joined: list[_Joined] = []
        self._shared: list[str] = []  # names of the innermost open elements, in all readings left
        self._shared_pairs: set[tuple[str, str]] = set()  # new pairs that all readings have
        self._shared_errors = 0  # errors that all readings have
        self._doubts = 0  # the number of end tags for which the following ones were looked at

    def read(self) -> list[Outcome]:
        """Read the tags until no more of them can decide between the readings."""
        window, learned, shared = self._window, self._learned, self._shared
        known, filled, pairs = learned.pairs, learned.filled, self._shared_pairs
        tags = window.tags
        index = 0
        last = -1  # the index after which no more is read, once only one reading is left
        is_settled = False  # neither more tags nor elements that are open at the end can decide
        while index != last and (index < len(tags) or window.read()):
            kind, name = tags[index]
            index += 1
            if not shared:
                self._read_apart(index - 1, kind, name)
            elif kind == END_TAG:
                if not name or name == shared[-1]:
                    shared.pop()
                    continue
                self._read_apart(index - 1, kind, name)
            else:
                pair = (shared[-1], TEXT_CHILD if kind == TEXT_RUN else name)
                if pair not in known:
                    pairs.add(pair)
                if kind == START_TAG:
                    if name not in filled and learned.may_be_void(name) and window.is_unclosed(index - 1):
                        self._shared_errors += 1
                    else:
                        shared.append(name)
                continue
            if last < 0 and len(self._all) > 1 and len(self._going) == 1:
                is_settled = self._is_settled()
                if is_settled:
                    break
                last = index + MOST_EVIDENCE
        if not is_settled:
            # Once one reading is left, all have the same elements open at the end, which decides nothing.
            at_end = last < 0 and window.at_end
            for simulation in self._going:
                simulation.finish(at_end)
        if index:
            window.note(index - 1)
        return self._outcomes()

    def _read_apart(self, index: int, kind: int, name: str) -> None:
        """Read a tag that may have different effects in the readings."""
        going, shared = self._going, self._shared
        if shared:
            for simulation in going:
                simulation.stack += shared
            shared.clear()
        is_void = kind == START_TAG and self._learned.may_be_void(name) and self._window.is_unclosed(index)
        is_shared = kind == START_TAG and not is_void and all(simulation.stack for simulation in going)
        ends = self._ends_after(index, name) if kind == END_TAG else ()
        for simulation in going:
            if not simulation.stack:
                simulation.read_outside(kind)
            elif kind == END_TAG:
                simulation.end(name, ends)
            else:
                simulation.pair(TEXT_CHILD if kind == TEXT_RUN else name)
                simulation.errors += is_void
                if kind != TEXT_RUN:
                    simulation.begin(name if kind == START_TAG and not (is_void or is_shared) else None)
        if len(going) > 1 and kind in {START_TAG, END_TAG}:
            self._join()
        if is_shared:
            shared.append(name)

    def _ends_after(self, index: int, name: str) -> Sequence[str]:
        if self._doubts == MOST_DOUBTS or all(
            not simulation.stack or ended_by(name, simulation.stack) <= 1 for simulation in self._going
        ):
            return ()
        self._doubts += 1
        return self._window.ends_after(index)

    def _join(self) -> None:
        different: list[Simulation] = []
        for simulation in self._going:
            same = next((other for other in different if simulation.is_same(other)), None)
            if same is None:
                different.append(simulation)
            else:
                self._joined.append(_Joined(simulation, same, same.errors, set(same.pairs)))
        self._going = different

    def _is_settled(self) -> bool:
        """Return whether the two best outcomes are so far apart that no more tags are read for new pairs.

        The costs of the assumptions are not known here.
        """
        new_pair = round(UNIT * NEW_PAIR)
        best, second = sorted(UNIT * errors + new_pair * pairs for errors, pairs in self._outcomes())[:2]
        # A new pair stops making a difference if the following tags, which all readings share, have it as well.
        most_pairs = max(len(simulation.pairs) for simulation in self._all)
        return second - best > round(UNIT * DOUBTFUL) + new_pair * most_pairs

    def _outcomes(self) -> list[Outcome]:
        errors = {id(simulation): simulation.errors for simulation in self._going}
        pairs = {id(simulation): simulation.pairs for simulation in self._going}
        for own, other, errors_then, pairs_then in reversed(self._joined):
            errors[id(own)] = own.errors + errors[id(other)] - errors_then
            pairs[id(own)] = own.pairs | (pairs[id(other)] - pairs_then)
        return [
            (errors[id(simulation)] + self._shared_errors, len(pairs[id(simulation)] | self._shared_pairs))
            for simulation in self._all
        ]
