"""Offsets in the document to lines and columns, computed as errors are reported and lines are asked for.

An error comes with an offset, which is chosen where it is reported (`xml5tree.machine.machine`);
`Reporter` asks for the line and column when it makes the entry.
"""

from collections.abc import Iterable

__all__ = ["Locator"]


class Locator:
    """Translates offsets into lines and columns while the document passes by.

    An offset counts characters of the decoded document from 0, each line break as one character and without a
    leading byte order mark. Only the text that the tokenizer still holds is kept; where positions in earlier text may
    be asked for later, `advance` is told so, and computes them before the text goes. Newlines are counted from the
    place asked for last, so that questions in document order cost one pass over the text.
    """

    __slots__ = ("_base", "_base_line_start", "_kept", "_line", "_line_start", "_offset", "_text")

    def __init__(self) -> None:
        self._text = ""
        self._base = 0  # offset of the text's first character,
        self._base_line_start = 0  # and of the start of its line
        self._offset = 0  # the place asked for last,
        self._line = 1  # its line,
        self._line_start = 0  # and the offset of that line's start
        self._kept: dict[int, tuple[int, int]] = {}  # positions in earlier text

    def advance(self, base: int, text: str, keep: Iterable[int] = ()) -> None:
        """Replace the text by the one that begins at offset `base`.

        The positions of the offsets `keep` are kept, and those of the two characters before `base`, at which errors may
        still be reported.
        """
        earlier = {*keep, max(base - 1, 0), max(base - 2, 0)}
        self._kept = {offset: self.locate(offset) for offset in earlier if offset < base}
        _, column = self.locate(base)
        self._base_line_start = base - column
        self._base = base
        self._text = text

    def locate(self, offset: int) -> tuple[int, int]:
        """Line (from 1) and column (characters from 0) of an offset that is in the text or kept."""
        if offset == self._offset:
            return self._line, offset - self._line_start
        if offset < self._base:
            return self._kept[offset]
        text, start, last = self._text, offset - self._base, self._offset - self._base
        if start >= last:
            newlines = text.count("\n", last, start)
            self._line += newlines
        else:
            newlines = text.count("\n", start, last)
            self._line -= newlines
        if newlines:
            newline = text.rfind("\n", 0, start)
            self._line_start = self._base + newline + 1 if newline >= 0 else self._base_line_start
        self._offset = offset
        return self._line, offset - self._line_start
