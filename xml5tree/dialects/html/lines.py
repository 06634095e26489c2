"""The lines of a whole document, by offset."""

from array import array
from bisect import bisect_left
from itertools import accumulate

__all__ = ["LineIndex"]


class LineIndex:
    """Collects where lines end; offsets count characters, each newline as one."""

    def __init__(self) -> None:
        self._newlines = array("Q")  # their offsets
        self._length = 0

    def add(self, text: str) -> None:
        """Take the next characters of the document."""
        *lines, _ = text.split("\n")
        ends = accumulate(lines, lambda end, line: end + len(line) + 1, initial=self._length - 1)
        next(ends)
        self._newlines.extend(ends)
        self._length += len(text)

    def line(self, offset: int) -> int:
        """Return the line, from 1, of a character."""
        return bisect_left(self._newlines, offset) + 1
