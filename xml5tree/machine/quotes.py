"""Searches outside of quotes."""

import re


class OutsideQuotes:
    """Searches for characters outside of quotes, in text that comes in chunks."""

    def __init__(self, characters: str) -> None:
        self.quote = ""  # the one that is open
        self._mark = re.compile(f"[{re.escape(characters)}\"']")

    def find(self, text: str, start: int, end: int) -> int:
        """Return the index of the first of the characters between two indices, or -1; then quotes stay open."""
        position = start
        while True:
            if self.quote:
                closing = text.find(self.quote, position, end)
                if closing < 0:
                    return -1
                self.quote = ""
                position = closing + 1
            found = self._mark.search(text, position, end)
            if found is None:
                return -1
            if found[0] not in "\"'":
                return found.start()
            self.quote = found[0]
            position = found.end()

    def see(self, piece: str) -> bool:
        """Return whether one of the characters is in the next piece of the text."""
        return self.find(piece, 0, len(piece)) >= 0
