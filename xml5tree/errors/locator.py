"""Lines and columns of offsets."""

from collections.abc import Iterable
from typing import Final

#: An offset, with its line (from 1) and column (from 0).
Place = tuple[int, int, int]

#: The most bytes of two characters.
_LONGEST_TWO: Final = 8


class Locator:
    """Translates offsets into lines and columns while the document is read.

    Offsets count characters of the decoded document, each line break as one, without a leading byte order mark.
    """

    # Only the text that the tokenizer holds is kept: `advance` first computes the positions that are needed later.

    __slots__ = ("_base_line", "_base_line_start", "_index", "_kept", "_line", "_line_start", "base", "text")

    def __init__(self) -> None:
        self.text = ""  # the current text, to which more can be added
        self.base = 0  # offset of the text's first character
        self._base_line = 1  # the line of that character
        self._base_line_start = 0  # offset of the start of that line
        # The last position, as an index of the text. Newlines are counted from there, so that positions in document
        # order cost one pass over the text.
        self._index = 0
        self._line = 1  # the line of the last position
        self._line_start: int | None = 0  # the offset of that line's start; None: not computed
        self._kept: dict[int, tuple[int, int]] = {}  # positions in earlier text

    @property
    def end(self) -> int:
        return self.base + len(self.text)

    def advance(self, base: int, text: str, keep: Iterable[int] = ()) -> None:
        """Go on to `text`, at offset `base`; positions in `keep`, and of the two characters before, stay available."""
        if base == self._index == 0:  # as where a document begins
            self.text = text
            return
        line, column = self.locate(base)
        earlier = sorted({*keep, max(base - 1, 0), max(base - 2, 0)}, reverse=True)  # the nearest first
        self._kept = {offset: self.locate(offset) for offset in earlier if offset < base}
        self._line = self._base_line = line
        self._base_line_start = self._line_start = base - column
        self.base = base
        self._index = 0
        self.text = text

    def line(self, offset: int) -> int:
        """Return the line (from 1) of an offset in the text, or of a kept one."""
        index, last = offset - self.base, self._index
        if index < last:
            if index < 0:
                return self._kept[offset][0]
            if index < last - index:  # near the beginning of the text
                newlines = self._base_line + self.text.count("\n", 0, index) - self._line
            else:
                newlines = -self.text.count("\n", index, last)
        else:
            newlines = self.text.count("\n", last, index)
        self._index = index
        if newlines:
            self._line += newlines
            self._line_start = None
        return self._line

    def pass_over(self, offset: int, position: tuple[int, int], characters: int, newlines: int) -> None:
        """Go on to the end of a text at an offset and its position, whose newlines were counted elsewhere."""
        line, column = position
        self._index = offset - self.base + characters
        self._line = line + newlines
        self._line_start = None if newlines else offset - column

    def go_to(self, offset: int, line: int, column: int) -> None:
        """Go on to an offset that has been located elsewhere."""
        self._index = offset - self.base
        self._line = line
        self._line_start = offset - column

    def pass_utf8(self, data: bytes, start: int, end: int, place: Place) -> None:
        """Go on to `place`, where a part of UTF-8 ends that begins at the last position; keep two characters only."""
        line_before = self._line_start
        if end - start <= _LONGEST_TWO:
            self.text += data[start:end].decode()
            self.go_to(*place)
            return
        offset, line, column = place
        self.text = text = data[end - _LONGEST_TWO : end].decode(errors="ignore")[-2:]
        self.base = offset - len(text)
        self.go_to(*place)
        self._base_line = line - text.count("\n")
        self._base_line_start = offset - column
        if self._base_line < line:
            kept = end - len(text.encode())
            newline = data.rfind(b"\n", start, kept)
            assert line_before is not None
            self._base_line_start = line_before if newline < 0 else self.base - len(data[newline + 1 : kept].decode())

    def locate(self, offset: int) -> tuple[int, int]:
        """Return line (from 1) and column (from 0) of an offset in the text, or of a kept one."""
        base = self.base
        index = offset - base
        if index < 0:
            return self._kept[offset]
        line = self._line if index == self._index else self.line(offset)
        start = self._line_start
        if start is None:
            newline = self.text.rfind("\n", 0, index)
            start = self._line_start = base + newline + 1 if newline >= 0 else self._base_line_start
        return line, offset - start

    def column(self, offset: int, line: int) -> int:
        """Return the column of an offset in the text whose line is known."""
        self._index = offset - self.base
        if line != self._line:
            self._line = line
            self._line_start = None
        return self.locate(offset)[1]
