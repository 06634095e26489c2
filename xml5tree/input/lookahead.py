"""Holds input back until more comes, in linear time."""

import re
from collections.abc import Callable


class Lookahead:
    """Input held back until something is seen after it."""

    # Joining the held text with each new piece to look again would take quadratic time on small pieces (compare
    # CVE-2023-52425 of expat).

    __slots__ = ("_missing", "_pieces", "_until")

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._until: re.Pattern[str] | Callable[[str], bool] | None = None
        self._missing: int | None = None  # how many characters there have to be more

    @property
    def is_holding(self) -> bool:
        """Whether there is input that was held back, or has been added."""
        return bool(self._pieces)

    def hold(self, text: str, until: re.Pattern[str] | Callable[[str], bool] | None, enough: int | None = None) -> None:
        """Hold text until `until` is seen or `enough` characters are there; neither: until anything comes.

        A pattern is searched in each new piece and the two characters before it; a function is called with each piece.
        """
        self._pieces = [text]
        self._until = until
        self._missing = None if enough is None else enough - len(text)

    def add(self, piece: str) -> bool:
        """Add a piece; return whether it is worth looking again."""
        pieces = self._pieces
        if not pieces:  # nothing is held, so nothing is waited for
            pieces.append(piece)
            return True
        tail = pieces[-1][-2:]
        if len(tail) < 2 <= len(pieces):
            tail = pieces[-2][-1:] + tail
        pieces.append(piece)
        if self._missing is not None:
            self._missing -= len(piece)
            if self._missing <= 0:
                return True
        if self._until is None:
            return self._missing is None
        if isinstance(self._until, re.Pattern):
            return self._until.search(tail + piece) is not None
        return self._until(piece)

    def take(self) -> str:
        text = "".join(self._pieces)
        self._pieces = []
        self._until = None
        self._missing = None
        return text
