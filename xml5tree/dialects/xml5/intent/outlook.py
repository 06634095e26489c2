"""Caches whether the draft's reading ahead has an error (R-006, R-008).

The windows of doubted tokens overlap. So one cursor reads ahead, up to the first error or the end of the window, and a
second one follows up to the doubted token. If the second cursor then has the document's open elements, the result of
the first cursor holds for this token, too. Otherwise both begin anew, for example after the tokenizer has read a tag in
markup that this module passes over.

Only the look-ahead in Python does this. In C, each window is read anew, which takes microseconds.
"""

from collections import deque
from collections.abc import Sequence

from xml5tree.dialects.xml5.intent.constants import MOST_OPEN
from xml5tree.dialects.xml5.intent.window import EMPTY_TAG, END_TAG, START_TAG, TOKEN, Tag, Window, is_sure, read_token
from xml5tree.tree.endtags import ended_by

__all__ = ["DraftReading", "Outlook"]


class DraftReading:
    """A cursor: tags read as the draft reads them, up to the first error.

    `stack` and `forced` are as for `Begun`.
    """

    __slots__ = ("forced", "stack")

    def __init__(self, stack: Sequence[str], forced: Sequence[str]) -> None:
        self.stack = list(stack)
        self.forced = list(forced)

    def read(self, tags: Sequence[Tag]) -> bool:
        """Read tags; return whether they have no error."""
        for kind, name in tags:
            if not self.stack:
                return True
            if kind in {START_TAG, EMPTY_TAG}:
                self.forced.clear()
            if kind == START_TAG:
                self.stack.append(name)
            elif kind == END_TAG:
                ended = ended_by(name, self.stack)
                if ended == 1:
                    self.stack.pop()
                elif ended or name not in self.forced:
                    return False
                else:
                    self.forced.remove(name)  # see `Begun`
        return True

    def is_at(self, stack: Sequence[str], forced: Sequence[str]) -> bool:
        """Return whether the open elements, of which `stack` may lack outer ones, and `forced` are equal.

        False if `stack` may lack outer ones and `forced` has names: a cursor that knows an outer element takes an end
        tag of its name for an error, also if the name is in `forced`.
        """
        if len(stack) < MOST_OPEN:
            return self.stack == list(stack) and self.forced == list(forced)
        return self.stack[-len(stack) :] == list(stack) and not (self.forced or forced)


class Outlook:
    """How far the draft's reading of a document is known to have no error."""

    def __init__(self) -> None:
        self._ahead = self._behind = DraftReading((), ())
        # the tokens between the cursors: where each begins, and its tags
        self._between: deque[tuple[int, Sequence[Tag]]] = deque()
        # Of the end tags between the cursors: where each begins, and how many elements it leaves open. Only those are
        # kept that leave fewer open than all after them, so the first one leaves the fewest.
        self._ends: deque[tuple[int, int]] = deque()
        self._reached = -1  # the offset of the cursor ahead; -1: there is none
        self._has_fault = False  # whether the last token before `_reached` has an error

    def has_fault(self, window: Window, stack: Sequence[str], forced: Sequence[str]) -> bool:
        """Return whether the draft's reading of a window runs into an error, given the open elements before it."""
        if not (self._follow(window) and self._behind.is_at(stack, forced)):
            self._ahead, self._behind = DraftReading(stack, forced), DraftReading(stack, forced)
            self._between.clear()
            self._ends.clear()
            self._reached, self._has_fault = window.offset, False
        # The cursors may know elements around those of `stack`. The reading ends where only these are open.
        outer = len(self._behind.stack) - len(stack)
        if self._ends and self._ends[0][1] <= outer:
            return False
        return self._has_fault or self._read(window, outer)

    def _follow(self, window: Window) -> bool:
        """Move the second cursor to the first token of a window.

        Return False if that runs into an error, or if the first cursor neither has read a token at that place nor will
        go on there.
        """
        text, between, ends = window.text, self._between, self._ends
        base = window.offset - window.start
        first = text.find("<", window.start, window.stop)
        while between and between[0][0] < base + first:
            if not self._behind.read(between.popleft()[1]):
                return False
        while ends and ends[0][0] < base + first:
            ends.popleft()
        if between:
            return between[0][0] == base + first
        return base <= self._reached and text.find("<", self._reached - base, window.stop) == first

    def _read(self, window: Window, outer: int) -> bool:
        """Read on to the end of a window, or until only `outer` elements are open; return whether there is an error.

        Unlike the tags of the window, which begin anew after each token, each token of the document is read once.
        """
        text = window.text
        base = window.offset - window.start
        last = text.rfind("<", window.start, window.stop)
        reading = self._ahead
        for match in TOKEN.finditer(text, self._reached - base, window.stop):
            if reading is self._ahead and not is_sure(match, window.stop, last):
                # From here on, tokens may change as more text comes: a copy reads them.
                reading = DraftReading(reading.stack, reading.forced)
            tags = read_token(match)
            before = len(reading.stack)
            is_right = reading.read(tags)
            left = len(reading.stack)
            if reading is self._ahead:
                self._between.append((base + match.start(), tags))
                self._reached = base + match.end()
                self._has_fault = not is_right
                if left < before:
                    self._note_end(base + match.start(), left)
            if not is_right:
                return True
            if left <= outer:
                break
        return False

    def _note_end(self, offset: int, left: int) -> None:
        """Note an end tag that leaves a number of elements open."""
        while self._ends and self._ends[-1][1] >= left:
            self._ends.pop()
        self._ends.append((offset, left))
