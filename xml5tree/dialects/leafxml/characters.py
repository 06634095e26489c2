"""Characters, white space and line breaks (L-010 to L-026)."""

import re
from typing import Final

__all__ = ["PADDING", "find_forbidden", "is_character", "normalize_line_breaks"]

#: The characters of padding: tab, space, and those of line breaks (L-040).
PADDING: Final = "\t\n\r \x85\u2028"

#: Deleting these by `bytes.translate` leaves the forbidden ASCII characters.
_ALLOWED_IN_ASCII: Final = bytes(code for code in range(0x100) if code in b"\t\n\r" or 0x20 <= code != 0x7F)
_FORBIDDEN_UP_TO_FFFF: Final = re.compile(
    "[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)
_LAST_OF_PLANES: Final = re.compile(
    f"[{''.join(chr(plane << 16 | last) for plane in range(1, 17) for last in (0xFFFE, 0xFFFF))}]"
)


def find_forbidden(text: str) -> int:
    """Return the index of the first character that LeafXML forbids (L-010), or -1."""
    # To delete the allowed characters of ASCII is ten times as fast as to search for others.
    if text.isascii() and not text.encode().translate(None, _ALLOWED_IN_ASCII):
        return -1
    found = [match.start() for pattern in (_FORBIDDEN_UP_TO_FFFF, _LAST_OF_PLANES) if (match := pattern.search(text))]
    return min(found, default=-1)


def is_character(code: int) -> bool:
    return code <= 0x10FFFF and find_forbidden(chr(code)) < 0


def normalize_line_breaks(text: str) -> str:
    """Return a text with LF for each line break, the longest sequences first (L-020)."""
    if "\r" in text:
        # No step makes a sequence that a later one would merge with another line break.
        text = text.replace("\r\n", "\n").replace("\r\x85", "\n").replace("\r", "\n")
    if text.isascii():
        return text
    return text.replace("\x85", "\n").replace("\u2028", "\n")
