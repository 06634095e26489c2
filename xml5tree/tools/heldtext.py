"""The text that may still be reported as it stands."""

import re
from io import SEEK_END, StringIO
from typing import Final

__all__ = ["HeldText"]

_VISIBLE: Final = re.compile(r"\S")
#: Characters that are looked through at a time.
_BLOCK: Final = 1 << 12
#: Characters that are dropped at a time, if they are half of the buffer: what remains is copied then.
_LEAST_DROPPED: Final = 1 << 16


class HeldText:
    """Text that is added at its end and dropped from its beginning; `start` and all places are offsets in the whole.

    Each character is copied and looked at a bounded number of times, however the text comes.
    """

    __slots__ = ("_base", "_blank", "_buffer", "_end", "_line", "start")

    def __init__(self) -> None:
        self.start = 0
        self._end = 0
        self._buffer = StringIO()
        self._base = 0  # where the buffer begins
        self._blank = 0  # up to there, nothing is visible
        self._line = 0  # up to there, no line break follows what is visible

    def add(self, text: str) -> None:
        self._buffer.seek(0, SEEK_END)
        self._buffer.write(text)
        self._end += len(text)

    def between(self, start: int, end: int) -> str:
        """Return the text between two places, without what has been dropped."""
        start = max(start, self._base)
        self._buffer.seek(start - self._base)
        return self._buffer.read(max(end - start, 0))

    def drop(self, end: int) -> None:
        """Drop the text before `end`."""
        self.start = max(self.start, end)
        dropped = self.start - self._base
        if self.start >= self._end:
            self._restart("")
        elif dropped >= _LEAST_DROPPED and 2 * dropped >= self._end - self._base:
            self._restart(self.between(self.start, self._end))

    def _restart(self, text: str) -> None:
        self._buffer = StringIO()
        self._buffer.write(text)
        self._base = self.start

    def first_visible(self, end: int) -> int:
        """Return where the first character before `end` stands that is no white space; `end` if there is none."""
        self._blank = max(self._blank, self.start)
        while self._blank < end:
            block = self.between(self._blank, min(self._blank + _BLOCK, end))
            if found := _VISIBLE.search(block):
                self._blank += found.start()
                return self._blank
            self._blank += len(block)
            if not block:
                break
        return end

    def end_of_line(self, end: int) -> int | None:
        """Return where the first line break before `end` stands after what is visible; None if there is none."""
        start = max(self.first_visible(end), self._line)
        index = self.between(start, end).find("\n")
        self._line = start + index if index >= 0 else max(end, self._line)
        return self._line if index >= 0 else None
