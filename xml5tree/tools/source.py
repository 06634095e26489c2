"""The text that is read, and the errors in it."""

import re
from typing import Final, Literal

from xml5tree.errors.codes import Effect
from xml5tree.errors.entry import ErrorEntry
from xml5tree.errors.reporter import Reporter
from xml5tree.tools.calls import Event

__all__ = ["VISIBLE", "Source"]

VISIBLE: Final = re.compile(r"\S")
_NEVER: Final = 1 << 62


class Source:
    """The text as it comes. A state reads what is certain, and returns whether it went on; if not, it needs more text.

    What text helps a state may be said with `_wait`, so that what comes in small pieces is not put together for each.
    """

    def __init__(self) -> None:
        self._errors: list[ErrorEntry] = []
        self._reporter = Reporter(0, self._errors.append)
        self._events: list[Event] = []
        self._kind: Literal["text", "thinking"] = "text"  # of text outside of calls
        self._text = ""  # the text that is not read yet, and some before it
        self._base = 0  # the offset at which it begins
        self._at = 0  # the index of its next character
        self._pieces: list[str] = []  # the text after it
        self._held = 0  # its length
        self._final = False
        self._wake: tuple[re.Pattern[str], int] | None = None

    def feed(self, text: str) -> list[Event]:
        self._pieces.append(text)
        self._held += len(text)
        if self._wake is not None:
            pattern, enough = self._wake
            if self._base + len(self._text) + self._held < enough and not pattern.search(text):
                return []
        return self._run()

    def close(self) -> list[Event]:
        self._final = True
        return self._run()

    def _run(self) -> list[Event]:
        self._load()
        while self._step():
            pass
        events, self._events = self._events, []
        return events

    def _step(self) -> bool:
        raise NotImplementedError

    def _load(self) -> None:
        """Put the text together that has come, without what was read."""
        self._text = "".join((self._text[self._at :], *self._pieces))
        self._base += self._at
        self._reporter.advance(self._base, self._text)
        self._at = self._held = 0
        self._pieces.clear()
        self._wake = None

    def _wait(self, pattern: re.Pattern[str] = VISIBLE, enough: int = _NEVER) -> bool:
        """Return False; if more text can come, what helps is a match of a pattern, or text up to an offset."""
        if not self._final:
            self._wake = pattern, enough
        return False

    def _report(self, code: str, offset: int, *detail: object, effect: Effect | None = None) -> None:
        """Report an error of the current call, perhaps late: then its line is that where the current text begins."""
        line, column = self._reporter.locator.locate(max(offset, self._base))
        self._reporter.record_at(line, max(column - max(self._base - offset, 0), 0), code, offset, detail, effect)
