"""Tokens as objects, with errors, for `xml5tree.tokenize`."""

from collections.abc import Callable
from typing import ClassVar, Generic, TypeVar

from xml5tree.errors.entry import ErrorEntry
from xml5tree.errors.reporter import NEVER, Reporter

_Token = TypeVar("_Token")


class TokenRecorder(Generic[_Token]):
    """Collects tokens; adjacent characters become one `text_token`."""

    text_token: ClassVar[type]

    def __init__(self) -> None:
        self._items: list[_Token | ErrorEntry] = []
        self._text: list[str] = []

    def watch(self, reporter: Reporter, place: Callable[[int], int]) -> None:
        """Set what has queued errors, and returns the place of a character before the next one."""
        self._reporter = reporter
        self._place = place

    def take(self) -> list[_Token | ErrorEntry]:
        """Return the tokens completed since the last call, and the errors among them."""
        items, self._items = self._items, []
        return items

    def note_error(self, entry: ErrorEntry) -> None:
        """Record an error, before its token."""
        self._items.append(entry)

    def _add(self, token: _Token) -> None:
        if self._reporter.next_queued < NEVER:
            self._reporter.call_out(self._place(1))
        if self._text:
            self._end_text()
        self._items.append(token)

    def _end_text(self) -> None:
        self._items.append(self.text_token("".join(self._text)))
        self._text.clear()

    def characters(self, data: str, offset: int) -> None:
        self._text.append(data)

    def end_of_file(self, offset: int) -> None:
        self._reporter.call_out(offset)
        if self._text:
            self._end_text()
