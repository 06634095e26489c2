"""Whether the draft's reading of the text ahead has an error, found out once for many tokens (R-006, R-008).

Where several tokens are doubted one after the other, their windows overlap. So one cursor reads ahead, up to the first
error or the end of the window, and another one follows up to the doubted token. If the second then has the same open
elements as the document, the result of the first holds for this token, too. The cursors and the document may differ, as
the states may take for a tag what is passed over here. The result still holds if the tags between the two cursors do
not depend on the elements that differ.

For example, `<a>`, `</a>`, `</b>` and `<c>` are between the cursors, and `b` is open before. Relative to that depth,
they reach down to the levels 0, 0, -1 and -1. So they depend on `b`, but on no element around it.
"""

import sys
from collections import deque
from collections.abc import Sequence
from typing import Final

from xml5tree.dialects.xml5.intent.constants import MOST_OPEN
from xml5tree.dialects.xml5.intent.window import END_TAG, START_TAG, TOKEN, Tag, Window, is_sure, read_token
from xml5tree.tree.endtags import ended_by

__all__ = ["DraftReading", "Outlook"]

#: The reach of tags that depend on all open elements.
_DEEPEST: Final = -sys.maxsize


class DraftReading:
    """A cursor: tags read as the draft reads them, up to the first error.

    `stack` and `forced` are as for `Begun`; `level` tells how many more elements are open than at the beginning,
    `reach` the level down to which the last tags have reached; `started` counts start tags.
    """

    __slots__ = ("forced", "level", "reach", "stack", "started")

    def __init__(self, stack: Sequence[str], forced: Sequence[str]) -> None:
        self.stack = list(stack)
        self.forced = list(forced)
        self.level = self.reach = self.started = 0

    def read(self, tags: Sequence[Tag]) -> bool:
        """Read tags; return whether they have no error."""
        self.reach = self.level
        for kind, name in tags:
            if not self.stack:
                self.reach = _DEEPEST
                return True
            if kind == START_TAG:
                self.forced.clear()
                self.stack.append(name)
                self.level += 1
                self.started += 1
            elif kind == END_TAG:
                ended = ended_by(name, self.stack)
                if ended == 1:
                    self.stack.pop()
                    self.level -= 1
                    self.reach = min(self.reach, self.level)
                else:
                    self.reach = _DEEPEST
                    if ended or name not in self.forced:
                        return False
                    self.forced.remove(name)
        return True

    def is_at(self, stack: Sequence[str], forced: Sequence[str]) -> bool:
        """Return whether `stack` has the innermost open elements, as far as known, and `forced` is equal."""
        is_all = len(stack) < MOST_OPEN
        return (
            self.stack[-len(stack) :] == list(stack)
            and (not is_all or len(stack) == len(self.stack))
            and self.forced == list(forced)
        )


class Outlook:
    """How far the draft's reading of a document is known to have no error."""

    def __init__(self) -> None:
        self._ahead = self._behind = DraftReading((), ())
        self._between: deque[tuple[int, Sequence[Tag]]] = deque()  # the tokens between them, and where they begin
        self._passed = 0  # how many tokens the one that comes after has read, up to these
        # A monotonic queue for the minimum reach of the tokens between the two readings: the first item has it. An item
        # is the number of a token and its reach; no later token reaches as far down.
        self._reaches: deque[tuple[int, int]] = deque()
        self._reached = -1  # the offset up to which the one ahead has come; -1: there is none
        self._has_fault = False  # whether the last token before that has an error

    def has_fault(self, window: Window, stack: Sequence[str], forced: Sequence[str]) -> bool:
        """Return whether the draft's reading of a window runs into an error.

        `stack` has the names of the open elements before it; `forced` is as for `Begun`.
        """
        if not (self._follow(window) and (self._behind.is_at(stack, forced) or self._replace(stack, forced))):
            self._ahead, self._behind = DraftReading(stack, forced), DraftReading(stack, forced)
            self._between.clear()
            self._reaches.clear()
            self._passed = 0
            self._reached, self._has_fault = window.offset, False
        return self._has_fault or self._read(window)

    def _follow(self, window: Window) -> bool:
        """Move the second cursor to the first token of a window.

        Return whether the first cursor has a token at that place, too, or continues there; False also at an error.
        """
        text, between = window.text, self._between
        base = window.offset - window.start
        first = text.find("<", window.start, window.stop)
        while between and between[0][0] < base + first:
            self._passed += 1
            if self._reaches[0][0] < self._passed:
                self._reaches.popleft()
            if not self._behind.read(between.popleft()[1]):
                return False
        if between:
            return between[0][0] == base + first
        return base <= self._reached and text.find("<", self._reached - base, window.stop) == first

    def _replace(self, stack: Sequence[str], forced: Sequence[str]) -> bool:
        """Rebase both cursors onto `stack` and `forced`; return False if the tags between them depend on the change."""
        ahead, behind = self._ahead, self._behind
        reach = min(behind.level, self._reaches[0][1]) if self._reaches else behind.level
        depth = behind.level - reach  # how many of the innermost elements these tags depend on
        if depth >= len(stack) or (depth and behind.stack[-depth:] != list(stack[-depth:])):
            return False
        ahead.stack[: len(behind.stack) - depth] = stack[: len(stack) - depth]
        if ahead.started == behind.started:
            ahead.forced = list(forced)
        behind.stack, behind.forced = list(stack), list(forced)
        return True

    def _read(self, window: Window) -> bool:
        """Read on to the end of a window; return whether there is an error."""
        text = window.text
        base = window.offset - window.start
        last = text.rfind("<", window.start, window.stop)
        reading = self._ahead
        for match in TOKEN.finditer(text, self._reached - base, window.stop):
            if reading is self._ahead and not is_sure(match, window.stop, last):
                reading = DraftReading(reading.stack, reading.forced)
            tags = read_token(match)
            is_right = reading.read(tags)
            if reading is self._ahead:
                self._note_reach(reading.reach)
                self._between.append((base + match.start(), tags))
                self._reached = base + match.end()
                self._has_fault = not is_right
            if not is_right:
                return True
            if not reading.stack:  # the root element has ended
                break
        return False

    def _note_reach(self, reach: int) -> None:
        while self._reaches and self._reaches[-1][1] >= reach:
            self._reaches.pop()
        self._reaches.append((self._passed + len(self._between), reach))
