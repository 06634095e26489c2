"""How many errors a reading of the tags that follow would have (R-005)."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from xml5tree.dialects.xml5.intent.constants import AROUND, MOST_AFTER_ROOT, NEW_PAIR
from xml5tree.dialects.xml5.intent.learned import TEXT_CHILD, Learned
from xml5tree.dialects.xml5.intent.names import is_near
from xml5tree.dialects.xml5.intent.window import EMPTY_TAG, END_TAG, START_TAG, TEXT_RUN, Window

__all__ = ["Outcome", "count_errors", "simulate"]


class Outcome(NamedTuple):
    """What a reading comes to.

    Attributes:
        errors: how many errors it runs into.
        pairs: the parents and children that the document has not shown so far.
    """

    errors: int
    pairs: set[tuple[str, str]]

    @property
    def cost(self) -> float:
        """Errors, and a little for each new pair."""
        return self.errors + NEW_PAIR * len(self.pairs)


def count_errors(stack: Sequence[str], window: Window, learned: Learned, forced: Iterable[str] = ()) -> int:
    """How many errors the draft's rules alone would run into, given the names of the open elements."""
    return _Simulation(stack, learned, forced, comparing=False).read(window).errors


def simulate(stack: Sequence[str], window: Window, learned: Learned, forced: Iterable[str] = ()) -> Outcome:
    """What comes of the tags that follow, given the names of the open elements; to be compared with other readings.

    Args:
        stack: the names of the open elements, the root first; empty if the root element has ended.
        window: the tags.
        learned: what the document has shown.
        forced: names of elements that were closed by the end tags of others, whose own end tags are to come.
    """
    return _Simulation(stack, learned, forced, comparing=True).read(window)


class _Simulation:
    """One reading of a window."""

    __slots__ = ("_after_root", "_comparing", "_errors", "_forced", "_learned", "_outside", "_pairs", "_stack")

    def __init__(self, stack: Sequence[str], learned: Learned, forced: Iterable[str], *, comparing: bool) -> None:
        self._stack = list(stack)
        self._learned = learned
        self._forced = list(forced)
        self._comparing = comparing
        self._errors = 0
        self._pairs: set[tuple[str, str]] = set()
        self._after_root = 0  # start tags after the root element
        self._outside = 0  # elements that are open there

    def read(self, window: Window) -> Outcome:
        """Read the tags."""
        stack = self._stack
        for index, (kind, name) in enumerate(window.tags):
            if not stack:
                self._read_outside(kind)
            elif kind == START_TAG:
                self._pair(stack[-1], name)
                if self._comparing and self._learned.may_be_void(name) and index in window.unclosed:
                    self._errors += 1
                else:
                    stack.append(name)
            elif kind == END_TAG:
                if not name or name == stack[-1]:
                    stack.pop()
                else:
                    self._end(name)
            elif kind == EMPTY_TAG:
                self._pair(stack[-1], name)
            else:
                self._pair(stack[-1], TEXT_CHILD)
        if self._comparing:
            self._errors += min(self._after_root, MOST_AFTER_ROOT)
            if window.at_end and stack and stack[-1] != AROUND:
                self._errors += 1  # not for each element, or documents that are cut off would be torn apart
        return Outcome(self._errors, self._pairs)

    def _pair(self, parent: str, child: str) -> None:
        if self._comparing and (parent, child) not in self._learned.pairs:
            self._pairs.add((parent, child))

    def _end(self, name: str) -> None:
        """An end tag that is not the current element's."""
        stack = self._stack
        if name in stack:
            while stack[-1] != name:
                self._errors += 1
                self._forced.append(stack.pop())
            stack.pop()
        elif name in self._forced:
            self._forced.remove(name)  # two tags that cross each other are one fault
        else:
            self._errors += 1
            if name not in self._learned.names and is_near(name, stack[-1]):
                stack.pop()

    def _read_outside(self, kind: int) -> None:
        """A tag after the root element."""
        if not self._comparing or kind == TEXT_RUN:
            return
        if kind == END_TAG:
            if self._outside:
                self._outside -= 1
            else:
                self._errors += 1
        else:
            self._after_root += 1
            if kind == START_TAG:
                self._outside += 1
