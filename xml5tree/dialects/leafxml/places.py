"""Places of characters in the document (L-004)."""

from xml5tree.errors.reporter import Reporter

__all__ = ["Places"]


class Places:
    """Offsets and lines of indices in the lexer's text; offsets count CR LF as one character."""

    # The text keeps the document's line breaks, as some cross the edges of tokens.

    __slots__ = ("_base", "_has_pairs", "_line", "_line_index", "_lines", "_pair_index", "_pairs", "_reporter", "_text")

    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter
        self._text = ""
        self._base = 0  # offset of the text's first character
        self._has_pairs = False
        self._pair_index = 0  # the last index whose offset was computed, and the CR LF before it
        self._pairs = 0
        self._lines = ""  # the text with LF at the end of each line
        self._line_index = 0  # the last index whose line was computed
        self._line = 1  # the line of that index

    def load(self, text: str, index: int) -> None:
        """Go on to the text that begins at `index` of the last one, never within CR LF."""
        self._base = self.offset(index)
        self.line(index)
        self._text = self._lines = lines = text
        self._has_pairs = False
        if "\r" in text:
            self._has_pairs = "\r\n" in text
            self._lines = text.replace("\r\n", " \n").replace("\r", "\n")
            lines = text.replace("\r\n", "\n").replace("\r", "\n")
        self._pair_index = self._pairs = self._line_index = 0
        self._reporter.advance(self._base, lines)

    def offset(self, index: int) -> int:
        if not self._has_pairs:
            return self._base + index
        if index < self._pair_index:
            self._pair_index = self._pairs = 0
        self._pairs += self._text.count("\r\n", self._pair_index, index)
        self._pair_index = index
        return self._base + index - self._pairs

    def line(self, index: int) -> int:
        """Return the line of an index; indices do not decrease."""
        self._line += self._lines.count("\n", self._line_index, index)
        self._line_index = index
        return self._line
