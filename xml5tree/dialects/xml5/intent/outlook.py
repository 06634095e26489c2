"""Whether the draft's reading of what follows has an error, found out once for many tokens (R-006, R-008).

Where several tokens are doubted one after the other, their windows overlap. While all of them are read as the draft
reads them, one reading goes on from where it was.
"""

from collections.abc import Sequence
from typing import Final

from xml5tree.dialects.xml5.intent.learned import Learned
from xml5tree.dialects.xml5.intent.simulation import Begun, Simulation
from xml5tree.dialects.xml5.intent.window import END_TAG, START_TAG, TOKEN, Window, read_token

__all__ = ["Outlook"]

#: How far before the last "<" of a window its tokens may look different in a window that ends later.
_UNSURE: Final = 256


class Outlook:
    """How far the draft's reading of a document is known to have no error."""

    def __init__(self, learned: Learned) -> None:
        """Begin with nothing known."""
        self._reading = Simulation(Begun(()), learned)
        self._learned = learned
        self._reached = -1  # the offset up to which the reading has come; -1: there is none
        self._fault = -1  # the offset after the first token with an error; -1: none so far

    def forget(self) -> None:
        """Something has departed from the draft, or from what the names of tags show."""
        self._reached = -1

    def has_fault(self, window: Window, stack: Sequence[str], forced: Sequence[str]) -> bool:
        """Whether the draft's reading of a window runs into an error.

        Args:
            window: the window.
            stack: the names of the open elements before it.
            forced: as for `Begun`.
        """
        start = window.offset
        end = start + window.stop - window.start
        if self._reached < start or 0 <= self._fault <= start:
            self._reached, self._fault = start, -1
            self._reading = Simulation(Begun(stack, forced), self._learned)
        if self._fault < 0:
            return self._read(window)
        return self._fault <= end

    def _read(self, window: Window) -> bool:
        """Read on to the end of a window; whether there is an error."""
        text = window.text
        base = window.offset - window.start
        sure = text.rfind("<", window.start, window.stop) - _UNSURE
        reading = self._reading
        for match in TOKEN.finditer(text, self._reached - base, window.stop):
            is_sure = match.end() <= sure
            if not is_sure and reading is self._reading:
                reading = reading.copy()
            for kind, name in read_token(match):
                if reading.stack and kind == START_TAG:
                    reading.begin(name)
                elif reading.stack and kind == END_TAG:
                    reading.end(name)
            if reading.errors:
                if is_sure:
                    self._fault = base + match.end()
                return True
            if is_sure:
                self._reached = base + match.end()
        return False
