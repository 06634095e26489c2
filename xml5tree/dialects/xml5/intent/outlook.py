"""Whether the draft's reading of what follows has an error, found out once for many tokens (R-006, R-008).

Where several tokens are doubted one after the other, their windows overlap. So one reading goes ahead, up to the first
error or the end of the window, and another one comes after it, up to the token that is doubted. As long as that one has
the elements open that are open, what the first one has found holds for this token, too.
"""

from collections import deque
from collections.abc import Sequence

from xml5tree.dialects.xml5.intent.constants import MOST_OPEN
from xml5tree.dialects.xml5.intent.window import END_TAG, START_TAG, TOKEN, Tag, Window, is_sure, read_token

__all__ = ["Outlook"]


class _Reading:
    """A reading of tags as the draft reads them, up to the first error.

    Attributes:
        stack: the names of the elements that are open.
        forced: as for `Begun`.
    """

    __slots__ = ("forced", "stack")

    def __init__(self, stack: Sequence[str], forced: Sequence[str]) -> None:
        self.stack = list(stack)
        self.forced = list(forced)

    def read(self, tags: Sequence[Tag]) -> bool:
        """Read tags; whether they have no error."""
        for kind, name in tags:
            if not self.stack:
                return True
            if kind == START_TAG:
                self.forced.clear()
                self.stack.append(name)
            elif kind == END_TAG:
                if not name or name == self.stack[-1]:
                    self.stack.pop()
                elif name in self.stack or name not in self.forced:
                    return False
                else:
                    self.forced.remove(name)
        return True

    def is_at(self, stack: Sequence[str], forced: Sequence[str]) -> bool:
        """Whether these are the innermost elements that are open, as far as the policy knows them, and forced ones."""
        is_all = len(stack) < MOST_OPEN
        return (
            self.stack[-len(stack) :] == list(stack)
            and (not is_all or len(stack) == len(self.stack))
            and self.forced == list(forced)
        )


class Outlook:
    """How far the draft's reading of a document is known to have no error."""

    def __init__(self) -> None:
        """Begin with nothing known."""
        self._ahead = self._behind = _Reading((), ())
        self._between: deque[tuple[int, Sequence[Tag]]] = deque()  # the tokens between them, and where they begin
        self._reached = -1  # the offset up to which the one ahead has come; -1: there is none
        self._has_fault = False  # whether the last token before that has an error

    def has_fault(self, window: Window, stack: Sequence[str], forced: Sequence[str]) -> bool:
        """Whether the draft's reading of a window runs into an error.

        Args:
            window: the window.
            stack: the names of the open elements before it.
            forced: as for `Begun`.
        """
        if not (self._follow(window) and self._behind.is_at(stack, forced)):
            self._ahead, self._behind = _Reading(stack, forced), _Reading(stack, forced)
            self._between.clear()
            self._reached, self._has_fault = window.offset, False
        return self._has_fault or self._read(window)

    def _follow(self, window: Window) -> bool:
        """Come after the reading that goes ahead, up to the first token of a window; whether that is one for both."""
        text, between = window.text, self._between
        base = window.offset - window.start
        first = text.find("<", window.start, window.stop)
        while between and between[0][0] < base + first:
            if not self._behind.read(between.popleft()[1]):
                return False
        if between:
            return between[0][0] == base + first
        return base <= self._reached and text.find("<", self._reached - base, window.stop) == first

    def _read(self, window: Window) -> bool:
        """Read on to the end of a window; whether there is an error."""
        text = window.text
        base = window.offset - window.start
        last = text.rfind("<", window.start, window.stop)
        reading = self._ahead
        for match in TOKEN.finditer(text, self._reached - base, window.stop):
            if reading is self._ahead and not is_sure(match, window.stop, last):
                reading = _Reading(reading.stack, reading.forced)
            tags = read_token(match)
            is_right = reading.read(tags)
            if reading is self._ahead:
                self._between.append((base + match.start(), tags))
                self._reached = base + match.end()
                self._has_fault = not is_right
            if not is_right:
                return True
        return False
