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

    __slots__ = ("_base", "_base_line_start", "_index", "_kept", "_line", "_line_start", "_text")

    def __init__(self) -> None:
        self._text = ""
        self._base = 0  # offset of the text's first character,
        self._base_line_start = 0  # and of the start of its line
        self._index = 0  # the place asked for last, in the text,
        self._line = 1  # its line,
        self._line_start: int | None = 0  # and the offset of that line's start, where it has been looked for
        self._kept: dict[int, tuple[int, int]] = {}  # positions in earlier text

    @property
    def end(self) -> int:
        """The offset of the end of the text that is there."""
        return self._base + len(self._text)

    def advance(self, base: int, text: str, keep: Iterable[int] = ()) -> None:
        """Replace the text by the one that begins at offset `base`.

        The positions of the offsets `keep` are kept, and those of the two characters before `base`, at which errors may
        still be reported.
        """
        earlier = {*keep, max(base - 1, 0), max(base - 2, 0)}
        self._kept = {offset: self.locate(offset) for offset in earlier if offset < base}
        _, column = self.locate(base)
        self._base_line_start = self._line_start = base - column
        self._base = base
        self._index = 0
        self._text = text

    def line(self, offset: int) -> int:
        """Return the line (from 1) of an offset that is in the text or kept."""
        index, last = offset - self._base, self._index
        if index < last:
            if index < 0:
                return self._kept[offset][0]
            newlines = -self._text.count("\n", index, last)
        else:
            newlines = self._text.count("\n", last, index)
        self._index = index
        if newlines:
            self._line += newlines
            self._line_start = None
        return self._line

    def pass_over(self, offset: int, characters: int, newlines: int) -> None:
        """Go on to the end of a part of the text, in which somebody else has counted the newlines.

        Args:
            offset: where the part begins.
            characters: how many there are in it.
            newlines: how many of these are newlines.
        """
        if offset - self._base != self._index:
            self.line(offset)
        self._index += characters
        if newlines:
            self._line += newlines
            self._line_start = None

    def locate(self, offset: int) -> tuple[int, int]:
        """Line (from 1) and column (characters from 0) of an offset that is in the text or kept."""
        base = self._base
        index = offset - base
        if index < 0:
            return self._kept[offset]
        line = self._line if index == self._index else self.line(offset)
        start = self._line_start
        if start is None:
            newline = self._text.rfind("\n", 0, index)
            start = self._line_start = base + newline + 1 if newline >= 0 else self._base_line_start
        return line, offset - start
