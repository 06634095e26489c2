"""Character classes; only ASCII letters have two cases (H-025)."""

from typing import Final

__all__ = ["LETTERS", "SPACE", "ascii_lower"]

SPACE: Final = frozenset("\t\n\f ")
LETTERS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

_LOWER: Final = {upper: upper + 0x20 for upper in range(ord("A"), ord("Z") + 1)}


def ascii_lower(text: str) -> str:
    """Return the text with ASCII letters in lower case."""
    return text.lower() if text.isascii() else text.translate(_LOWER)
