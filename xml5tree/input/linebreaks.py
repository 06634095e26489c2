"""Remembers line breaks, for markup that keeps them."""

import re
from typing import Final

#: A byte that is not in UTF-8, for a carriage return and the newline that follows it.
_PAIR: Final = b"\xff"
_NOT_BREAKS: Final = bytes(code for code in range(0xFF) if code not in b"\r\n")
_BREAK: Final = re.compile("\r\n?|\n")
#: Characters that are kept at least, though nobody has asked for their line breaks.
_LEAST: Final = 1 << 20
_BREAKS: Final = {ord("\r"): "\r", ord("\n"): "\n", ord(_PAIR): "\r\n"}


def line_breaks(text: str) -> list[str]:
    kinds = text.encode(errors="replace").replace(b"\r\n", _PAIR).translate(None, _NOT_BREAKS)
    return list(map(_BREAKS.__getitem__, kinds))


def with_breaks(markup: str, breaks: list[str]) -> str:
    """Return markup with the last of `breaks` for its newlines; earlier newlines stay."""
    lines = markup.split("\n")
    count = len(lines) - 1
    written = ["\n"] * (count - len(breaks)) + breaks[max(len(breaks) - count, 0) :]
    if "\r" in written:
        for number in range(1, count):
            if not lines[number] and written[number - 1 : number + 1] == ["\r", "\n"]:
                written[number] = "\n\n"  # else the two would be one
    parts = [""] * (2 * count + 1)
    parts[::2], parts[1::2] = lines, written
    return "".join(parts)


def common(source: str, markup: str) -> tuple[int, int]:
    """Return how many characters two texts have in common at the beginning, and at the end."""
    if not markup.startswith(source) and markup.endswith(source):
        return 0, len(source)
    head = _common_head(source, markup)
    return head, _common_head(source[head:][::-1], markup[head:][::-1])


def _common_head(one: str, other: str) -> int:
    """Return how many characters two texts have in common at the beginning; slices are compared at memory's speed."""
    least, most = 0, min(len(one), len(other))
    while least < most:
        middle = (least + most + 1) // 2
        if one[least:middle] == other[least:middle]:
            least = middle
        else:
            most = middle - 1
    return least


class LineBreaks:
    """The line breaks of one document: the first is of `kind` ("": none so far), as are all if not `is_mixed`."""

    def __init__(self) -> None:
        self.kind = ""
        self.is_mixed = False
        self._held = ""  # a carriage return that ended what came last
        # Once they are mixed: the document from the first line break on that may still be asked for.
        self._parts: list[str] = []
        self._length = 0  # of all of them
        self._index = 0  # the place in it up to which line breaks were asked for
        self._offset = 0  # the offset of that place

    def take(self, text: str, offset: int, kinds: str | tuple[str, ...] | None, *, final: bool) -> None:
        """Take the next text; `offset` counts line breaks before it as one, but no carriage return at its very end.

        `kinds` are those of all line breaks so far.
        """
        text = self._held + text
        self._held = ""
        if not final and text[-1:] == "\r":
            text, self._held = text[:-1], "\r"
        if not self.is_mixed:
            if not isinstance(kinds, tuple):
                self.kind = kinds or ""
                return
            if not self.kind:
                self.kind = next(_BREAK.finditer(text))[0]
            self.is_mixed = True
            self._offset = offset
        if self._length > 2 * _LEAST:
            self._source_up_to(self._offset + self._length - _LEAST)
        if self._index:
            self._parts = ["".join(self._parts)[self._index :]]
            self._index = 0
            self._length = len(self._parts[0])
        self._parts.append(text)
        self._length += len(text)

    def written(self, markup: str, begin: int, end: int) -> str:
        """Return markup for the document up to `end`, with the last of its line breaks; offsets never go back.

        `begin` is where the markup begins if the document is not changed.
        """
        before, source = self._source_up_to(begin), self._source_up_to(end)
        text = source.replace("\r\n", "\n").replace("\r", "\n")
        if text == markup:
            return source
        head = tail = 0
        if text.count("\n") == markup.count("\n"):
            head, tail = common(text, markup)
            # So that no two breaks become one, none is at an end of what is changed.
            head = len(markup[:head].rstrip("\n"))
            tail = len(markup[len(markup) - tail :].lstrip("\n"))
        first, _ = _pass_over(source, 0, head)
        last, _ = _pass_over(source, first, len(text) - head - tail)
        changed = markup[head : len(markup) - tail]
        breaks = line_breaks(before + source[first:last])
        missing = [self.kind] * (changed.count("\n") - len(breaks))
        return source[:first] + with_breaks(changed, missing + breaks) + source[last:]

    def _source_up_to(self, offset: int) -> str:
        """Return the document up to an offset, from where it was asked for before."""
        self._parts = ["".join(self._parts)]
        source, begin = self._parts[0], self._index
        self._index, missing = _pass_over(source, begin, offset - self._offset)
        self._offset = max(offset - missing, self._offset)
        return source[begin : self._index]


def _pass_over(source: str, index: int, count: int) -> tuple[int, int]:
    """Return the index that is `count` characters behind another one, and how many the text lacks.

    A line break counts as one character.
    """
    while count > 0 and index < len(source):
        end = min(index + count, len(source))
        end += source[end - 1 : end + 1] == "\r\n"
        count -= end - index - source.count("\r\n", index, end)
        index = end
    return index, max(count, 0)
