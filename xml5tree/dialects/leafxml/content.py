"""The text between two tags (L-020, L-021, L-042)."""

from collections.abc import Callable

from xml5tree.dialects.leafxml.characters import normalize_line_breaks
from xml5tree.dialects.leafxml.normalization import nfc

__all__ = ["ContentAssembly"]


class ContentAssembly:
    """Joins text and CDATA between two tags; line breaks and normal form cross their edges."""

    __slots__ = ("_emit", "_pieces")

    def __init__(self, emit: Callable[[str], None]) -> None:
        """Set the function that takes each assembly that is not empty."""
        self._emit = emit
        self._pieces: list[str] = []

    @property
    def is_empty(self) -> bool:
        return not self._pieces

    def add(self, data: str) -> None:
        self._pieces.append(data)

    def end(self, last: str = "") -> None:
        """Add `last`, and end the assembly: a tag or the end of the document follows."""
        data = last
        if self._pieces:
            data = "".join([*self._pieces, last])
            self._pieces.clear()
        if data:
            is_plain = data.isascii() and "\r" not in data
            self._emit(data if is_plain else nfc(normalize_line_breaks(data)))
