"""A state machine: states, current token, placed errors."""

import re
from abc import abstractmethod
from collections.abc import Callable
from typing import Any

from xml5tree.errors.codes import Effect, Kind
from xml5tree.errors.reporter import Reporter
from xml5tree.machine.input import Input


class Machine(Input):
    """A state machine; a tokenizer is a subclass with the verbs that its states are written in.

    A state is a function that takes the machine, consumes input and returns the next state. None means that it needs
    more input: it is called again. State and token are kept meanwhile. `feed` takes input, `run` processes it.
    `collected` has the pieces of a part of the token, such as a name; `return_state` follows a state that several
    others lead to.
    """

    __slots__ = ("_item_offset", "_reporter", "_state", "collected", "return_state", "token_offset")

    def __init__(self, reporter: Reporter, state: Callable[[Any], Any]) -> None:
        super().__init__()
        self.collected: list[str] = []
        self.return_state = state
        self._reporter = reporter
        self._state = state
        self.token_offset = 0
        self._item_offset = 0  # of the part of the token that errors are reported at

    def run(self) -> None:
        state = self._state
        while self._position < self._end or self._final:
            following = state(self)
            if following is None:
                break
            state = following
        self._state = state

    def _load(self, skip: int) -> None:
        super()._load(skip)
        self._reporter.advance(self._base, self._text, self.token_offset, self._item_offset)

    # The current token ------------------------------------------------------------------------------------------

    def begin_token(self) -> None:
        """Remember the current character as the start of a token."""
        self.token_offset = self.place(1)

    def begin_item(self) -> None:
        """Remember the current character as the start of a part of the token, such as an attribute."""
        self._item_offset = self.place(1)

    def collect(self, characters: str) -> None:
        self.collected.append(characters)

    def take_collected(self) -> str:
        taken = "".join(self.collected)
        self.collected.clear()
        return taken

    def collect_until(self, stop: re.Pattern[str]) -> str | None:
        """Collect characters up to one that `stop` matches; consume and return it (see `stopper`)."""
        self.collected.append(self.run_until(stop))
        return self.stopper()

    def take_until(self, terminator: str) -> bool:
        """Collect up to a terminator, and consume it; return whether it is there yet.

        If not, collect all that cannot be its beginning.
        """
        found = self._text.find(terminator, self._position)
        if found >= 0:
            self.collected.append(self._text[self._position : found])
            self._position = found + len(terminator)
            return True
        safe = len(self._text) if self._final else max(len(self._text) - len(terminator) + 1, self._position)
        self.collected.append(self._text[self._position : safe])
        self._position = safe
        return False

    def emit_until(self, stop: re.Pattern[str]) -> str | None:
        """Emit characters up to one that `stop` matches; consume and return it (see `stopper`)."""
        if data := self.run_until(stop):
            self.emit_characters(data)
        return self.stopper()

    @abstractmethod
    def emit_characters(self, data: str) -> None:
        """Emit the input characters right before the next one."""

    # Errors -----------------------------------------------------------------------------------------------------

    def report(
        self, code: str, offset: int, *detail: object, kind: Kind | None = None, effect: Effect | None = None
    ) -> None:
        """Report an error at an offset; all methods that report errors call this one."""
        self._reporter.report(code, offset, *detail, kind=kind, effect=effect)

    def error(self, code: str, *detail: object, kind: Kind | None = None, effect: Effect | None = None) -> None:
        self.report(code, self.place(1), *detail, kind=kind, effect=effect)

    def error_at_previous(self, code: str) -> None:
        self.report(code, self.place(2))

    def error_in_token(self, code: str, *detail: object, effect: Effect | None = None) -> None:
        self.report(code, self.token_offset, *detail, effect=effect)

    def error_in_item(self, code: str, *detail: object, effect: Effect | None = None) -> None:
        self.report(code, self._item_offset, *detail, effect=effect)

    def error_at_end(self, code: str, *detail: object, effect: Effect | None = None, truncated: bool = True) -> None:
        """Report that the input ends within something; `truncated`: the document was cut off."""
        self.report(code, self.place(1), *detail, effect=effect)
        self._reporter.judge_end(truncated=truncated)
