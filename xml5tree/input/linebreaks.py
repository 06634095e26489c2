"""Remembers line breaks, for markup that keeps them."""

import re
from bisect import bisect_left
from typing import Final

_BREAK: Final = re.compile("\r\n?|\n")


def line_breaks(text: str) -> list[str]:
    return _BREAK.findall(text)


def with_breaks(markup: str, breaks: list[str]) -> str:
    """Return markup with the last of `breaks` for its newlines; earlier newlines stay."""
    *before, last = markup.split("\n")
    kept = breaks[max(len(breaks) - len(before), 0) :]
    written = ["\n"] * (len(before) - len(kept)) + kept
    parts: list[str] = []
    for text, found in zip(before, written, strict=True):
        if not text and found == "\n" and parts[-1:] == ["\r"]:
            parts.append("\n")  # else the two would be one
        parts += text, found
    return "".join([*parts, last])


class LineBreaks:
    """The line breaks of one document: the first is of `kind` ("": none so far), as are all if not `is_mixed`."""

    def __init__(self) -> None:
        self.kind = ""
        self.is_mixed = False
        self._held = ""  # a carriage return that ended what came last
        # Once they are mixed: the offsets and kinds of the breaks that may still be asked for.
        self._offsets: list[int] = []
        self._kinds: list[str] = []
        self._used = 0  # how many of them nobody asks for any more

    def take(self, text: str, offset: int, *, final: bool) -> None:
        """Take the next text; `offset` counts line breaks before it as one, but no carriage return at its very end."""
        text = self._held + text
        self._held = ""
        if not final and text[-1:] == "\r":
            text, self._held = text[:-1], "\r"
        if not self.is_mixed:
            kinds = _kinds_in(text) | ({self.kind} if self.kind else set())
            if len(kinds) < 2:
                self.kind = "".join(kinds)
                return
            self.kind = self.kind or next(_BREAK.finditer(text))[0]
            self.is_mixed = True
        del self._offsets[: self._used], self._kinds[: self._used]
        self._used = 0
        for found in _BREAK.finditer(text):
            self._offsets.append(offset + found.start())
            self._kinds.append(found[0])
            offset -= len(found[0]) - 1

    def written(self, markup: str, end: int) -> str:
        """Return markup for the document up to offset `end`, with the document's line breaks."""
        if not self.is_mixed:
            return markup.replace("\n", self.kind) if self.kind else markup
        count = markup.count("\n")
        last = bisect_left(self._offsets, end)
        first = last - count
        self._used = max(self._used, first)
        return with_breaks(markup, [self.kind] * -first + self._kinds[max(first, 0) : last])


def _kinds_in(text: str) -> set[str]:
    if "\r" not in text:
        return {"\n"} if "\n" in text else set()
    pairs, returns, newlines = text.count("\r\n"), text.count("\r"), text.count("\n")
    counts = {"\r\n": pairs, "\r": returns - pairs, "\n": newlines - pairs}
    return {kind for kind, count in counts.items() if count}
