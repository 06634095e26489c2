"""Characters, white space, line breaks, and Unicode normalization form C (L-010 to L-026, L-093)."""

import re
from typing import Final
from unicodedata import category, combining, is_normalized, normalize

from xml5tree.xml.chars import NotAllowed

#: The characters of padding: tab, space, and those of line breaks (L-040).
PADDING: Final = "\t\n\r \x85\u2028"

_NOT_ALLOWED: Final = NotAllowed(r"\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f")
#: A run of characters from U+0300 on, as are all that do not begin a combining sequence.
_LONG_RUN: Final = re.compile("[\u0300-\U0010ffff]{32,}+")
#: A run of marks in a string of combining classes, one byte each.
_LONG_RUN_OF_MARKS: Final = re.compile(rb"[^\0]{32,}+")
#: Characters of class 0 that decompose into marks of other classes.
_COMPOSITE_MARKS: Final = "\u0f73\u0f75\u0f81"
_AFTER_MARKUP: Final = re.compile("(?<=[;>\\[])[^\0-\x7f]")


def find_forbidden(text: str) -> int:
    """Return the index of the first character that LeafXML forbids (L-010), or -1."""
    found = _NOT_ALLOWED.pattern.search(text) if _NOT_ALLOWED.may_be_in(text) else None
    return found.start() if found else -1


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


def nfc(text: str) -> str:
    """Return a text in NFC."""
    if text.isascii() or is_normalized("NFC", text):
        return text
    # `normalize` sorts marks by insertion: 40 000 in one run take 2 seconds, or 0.02 where they are sorted before.
    return normalize("NFC", _LONG_RUN.sub(lambda run: _with_sorted_marks(run[0]), text))


def _with_sorted_marks(text: str) -> str:
    """Return a text with its long runs of marks decomposed and in canonical order."""
    classes = bytes([255 if mark in _COMPOSITE_MARKS else combining(mark) for mark in text])
    pieces = []
    end = 0
    for run in _LONG_RUN_OF_MARKS.finditer(classes):
        marks = "".join([normalize("NFD", mark) for mark in text[run.start() : run.end()]])
        pieces += [text[end : run.start()], *sorted(marks, key=combining)]
        end = run.end()
    return "".join([*pieces, text[end:]])


def has_safe_characters(text: str) -> bool:
    """Return whether all line breaks are those of XML 1.0, and the text is surely in normal form."""
    if "\r" in text and text.count("\r") != text.count("\r\n"):
        return False
    if text.isascii():
        return True
    if "\x85" in text or "\u2028" in text or not is_normalized("NFC", text):
        return False
    return not any(map(may_combine, set(_AFTER_MARKUP.findall(text))))


def may_combine(character: str) -> bool:
    """Return whether a character may combine with the one before it, or move before it."""
    # True for a superset: marks, some letters of Hangul, and letters beyond the Basic Multilingual Plane.
    if combining(character) or "\u1160" <= character <= "\u11ff":
        return True
    return category(character)[0] == "M" or (character > "\uffff" and category(character)[0] == "L")
