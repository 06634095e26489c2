"""A tokenizer's input: characters in chunks."""

import re
from collections.abc import Callable
from typing import Final

from xml5tree.input.lookahead import Lookahead

#: Consumed at the end of the input, any number of times.
EOF: Final = ""


class Input:
    """The input stream of a state machine: next and current input character, consume, reconsume.

    A state consumes a character or a run of them. It may look ahead, and wait for more: what it has consumed stays
    consumed, what it has looked at is held back.
    """

    # So the result does not depend on how the input is split, and no token is read again from its start.

    __slots__ = ("_base", "_closed", "_end", "_final", "_lookahead", "_position", "_text")

    def __init__(self) -> None:
        self._text = ""
        self._position = 0  # of the next input character in the text
        self._end = 0  # length of the text
        self._base = 0  # offset of the text's first character in the document
        self._closed = False
        self._final = False  # whether the text ends in EOF
        self._lookahead = Lookahead()

    def feed(self, text: str, skip: int = 0, *, final: bool = False) -> None:
        """Add text, the last with `final`; its first `skip` characters are not tokenized."""
        if final:
            self._closed = self._final = True
        if self._lookahead.add(text) or final:
            self._load(skip)

    def run(self) -> None:
        """Process the input, in a subclass."""
        raise NotImplementedError

    def _load(self, skip: int) -> None:
        self._base += self._position
        self._text = self._text[self._position :] + self._lookahead.take()
        self._end = len(self._text)
        self._position = skip

    def _go_on_in(self, text: str, position: int, base: int, *, final: bool) -> None:
        """Continue at an index of another text, which begins at offset `base`; EOF follows it if `final`."""
        self._text = text
        self._end = len(text)
        self._position = position
        self._base = base
        self._final = final

    def consume(self) -> str:
        """Consume the next input character, EOF at the end, and make it the current one."""
        # A state is called only where there is one. Before it consumes a second, it looks whether that is there.
        position = self._position
        self._position = position + 1
        return self._text[position : position + 1]

    def reconsume(self) -> None:
        """Make the current input character (or EOF) the next one again."""
        self._position -= 1

    def run_until(self, stop: re.Pattern[str]) -> str:
        """Consume all characters up to one that `stop` matches, or all that are there."""
        start = self._position
        found = stop.search(self._text, start)
        self._position = found.start() if found else self._end
        return self._text[start : self._position]

    def stopper(self) -> str | None:
        """Consume the character that ended a run: EOF at the end, None if more input must come first."""
        position = self._position
        if position < self._end:
            self._position = position + 1
            return self._text[position]
        if self._final:
            self._position = position + 1
            return EOF
        return None

    def peek(self, count: int) -> str:
        return self._text[self._position : self._position + count]

    def find(self, needle: str) -> int:
        """Return how many characters away `needle` occurs next, or -1."""
        found = self._text.find(needle, self._position)
        return found if found < 0 else found - self._position

    def search(self, pattern: re.Pattern[str], skip: int) -> str:
        """Return the match of a pattern from `skip` characters on, or ""."""
        found = pattern.search(self._text, self._position + skip)
        return found[0] if found else ""

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Match a pattern against the next characters without consuming them."""
        return pattern.match(self._text, self._position)

    @property
    def text_and_position(self) -> tuple[str, int]:
        return self._text, self._position

    def skip(self, count: int) -> None:
        self._position += count

    def reaches_end(self, match: re.Match[str]) -> bool:
        """Return whether a match might be longer with more input."""
        return not self._final and match.end() == len(self._text)

    @property
    def may_grow(self) -> bool:
        return not self._final

    def wait(self, until: re.Pattern[str] | Callable[[str], bool] | None = None, enough: int | None = None) -> None:
        """Hold the input back as `Lookahead.hold` does, or to the end of the document.

        The state then returns None, and is called again.
        """
        self._lookahead.hold(self._text[self._position :], until, enough)
        self._text = self._text[: self._position]
        self._end = self._position

    def place(self, back: int = 0) -> int:
        """Return the document offset of the character `back` characters before the next one."""
        return self._base + self._position - back
