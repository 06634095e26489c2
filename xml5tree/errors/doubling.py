"""Hints at text that was encoded or escaped twice.

Such text is well-formed, and not repaired.
"""

import re
from typing import Final

from xml5tree.errors.hints import Hint

__all__ = ["Doubling"]

#: The characters of windows-1252 for the bytes 0x80 to 0x9F; the five undefined bytes stand for themselves.
_C1: Final = bytes(range(0x80, 0xA0)).decode("cp1252", "ignore") + "\x81\x8d\x8f\x90\x9d"
_CONTINUATION: Final = f"[{_C1}\x80-\xbf]"
#: UTF-8 of letters, punctuation, a byte order mark, U+FFFD and emoji, read as windows-1252 or ISO 8859-1.
_ENCODED: Final = re.compile(
    f"\xc3{_CONTINUATION}|\xc2[\xa0-\xbf]|\xe2[\u20ac\x80]{_CONTINUATION}|\xef\xbb\xbf|\xef\xbf\xbd"
    f"|\xf0[\u0178\x9f]{_CONTINUATION}{{2}}"
)
_ESCAPED: Final = re.compile("&amp;(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
#: Escaped markup, such as HTML in a feed, in which references are escaped once more.
_MARKUP: Final = re.compile("&lt;[/!]?[A-Za-z]")
#: The length of the longest match of these patterns.
_LONGEST: Final = 40


class Doubling:
    """Looks for doubly encoded or escaped text in a document that comes in chunks."""

    def __init__(self) -> None:
        self._kept = ""  # the end of the text searched so far
        self._encoded = self._escaped = 0  # how many there are
        self._first_encoded = self._first_escaped = ""
        self._has_markup = False

    def take(self, text: str) -> None:
        before, text = len(self._kept), self._kept + text
        self._kept = text[-_LONGEST:]
        if not text.isascii():
            number, first = _count(_ENCODED, text, before)
            self._encoded += number
            self._first_encoded = self._first_encoded or first
        if "&amp;" in text:
            number, first = _count(_ESCAPED, text, before)
            self._escaped += number
            self._first_escaped = self._first_escaped or first
        self._has_markup = self._has_markup or ("&lt;" in text and _MARKUP.search(text) is not None)

    def hints(self, encoding: str) -> tuple[Hint, ...]:
        hints: tuple[Hint, ...] = ()
        if self._encoded:
            codecs = ("latin-1" if character < "\u0100" else "cp1252" for character in self._first_encoded)
            data = b"".join(map(str.encode, self._first_encoded, codecs))
            meant = data.decode("utf-8", "replace")
            if encoding in {"cp1252", "iso8859-1"}:
                finding = f"has UTF-8 that was read as another encoding: {self._first_encoded!r}, perhaps for {meant!r}"
                hints += (Hint(finding + _and_more(self._encoded), "encoding", "utf-8", "reads it as such"),)
            else:
                finding = f"has text that seems to be encoded twice: {self._first_encoded!r}, perhaps for {meant!r}"
                hints += (Hint(finding + _and_more(self._encoded)),)
        if self._escaped and not self._has_markup:
            finding = f"has text that seems to be escaped twice: {self._first_escaped!r}"
            hints += (Hint(finding + _and_more(self._escaped)),)
        return hints


def _count(pattern: re.Pattern[str], text: str, before: int) -> tuple[int, str]:
    """Return the number of matches that end after `before`, and the first match."""
    number, first = 0, ""
    for found in pattern.finditer(text):
        if found.end() > before:
            number += 1
            first = first or found[0]
    return number, first


def _and_more(number: int) -> str:
    return f", and {number - 1:,} more" if number > 1 else ""
