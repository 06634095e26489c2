"""Interprets references (§1.3.35; D-027 to D-040)."""

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from xml5tree.xml.names import NAME, NOT_IN_NAME

#: The part of a reference after its ``&``; the empty string where ``&`` starts no reference.
REFERENCE: Final = re.compile(f"(?:(?:#(?:[xX][0-9A-Fa-f]*|[0-9]*)|(?:{NAME}));?)?")

_HIGH: Final = "(?:[xX]0*[dD][89abAB][0-9A-Fa-f]{2}|0*(?:5529[6-9]|55[3-9][0-9]{2}|56[0-2][0-9]{2}|563[01][0-9]))"
_LOW: Final = (
    "(?:[xX]0*[dD][c-fC-F][0-9A-Fa-f]{2}(?![0-9A-Fa-f])"
    "|0*(?:563[2-9][0-9]|56[4-9][0-9]{2}|57[0-2][0-9]{2}|573[0-3][0-9]|5734[0-3])(?![0-9]))"
)
#: The same where two references to the halves of a surrogate pair are one to its character.
REFERENCE_OR_PAIR: Final = re.compile(f"#{_HIGH};?&#{_LOW};?|{REFERENCE.pattern}")
#: What may become such a pair where the input pauses, and a character that is in none.
CUT_PAIR: Final = re.compile(rf"#{_HIGH};?(?:&(?:#[xX]?[0-9A-Fa-f]*)?)?\Z")
NOT_IN_PAIR: Final = re.compile("[^&#xX0-9A-Fa-f]")

#: A character that ends a name. Where the input pauses in a name, this is to be waited for.
NAME_END: Final = re.compile(NOT_IN_NAME)

#: The entities that every document has (XML 1.0 §4.6); declarations never change them (D-038).
PREDEFINED: Final = {"amp": "&", "lt": "<", "gt": ">", "apos": "'", "quot": '"'}


class Reference(NamedTuple):
    """A reference of the document, as its `source` stands there."""

    source: str
    text: str  # the text that it stands for: `source` if it is no reference, "" if it names an entity
    name: str | None = None  # the entity's name if it is a complete named reference
    is_correct: bool = True  # whether it is free of errors, as far as that shows without declarations


def read_reference(
    source: str, error: Callable[..., None], is_entity: Callable[[str], bool], null: str = "\ufffd"
) -> Reference:
    """Interpret ``&`` and the text that `REFERENCE` matched after it; `null` replaces a reference to U+0000."""
    if source == "&":
        error("unescaped-ampersand")
        return Reference(source, source, is_correct=False)
    if source[1] == "#":
        high, ampersand, low = source[1:].partition("&")
        return _read_pair(source, (f"&{high}", f"&{low}"), error) if ampersand else _read_numeric(source, error, null)
    if not source.endswith(";"):
        code, detail = error_without_semicolon(source, is_entity)
        error(code, *detail)
        return Reference(source, source, is_correct=False)
    return Reference(source, "", source[1:-1])


def error_without_semicolon(source: str, is_entity: Callable[[str], bool]) -> tuple[str, tuple[str, ...]]:
    """Return error code and details of ``&`` and a name without a semicolon, which is text."""
    if is_entity(source[1:]):
        return "missing-semicolon-after-character-reference", (source, "was kept as text")
    return "unescaped-ampersand", ()


def read_number(digits: str, base: int) -> int:
    """Return the number of digits in a base; 0x110000 if Python would refuse to convert it (D-031)."""
    significant = digits.lstrip("0")
    return int(significant or "0", base) if len(significant) <= 7 else 0x110000


def error_of_number(number: int) -> str | None:
    """Return the error code of a number that no character of a document has; None if it has one."""
    if not number:
        return "null-character-reference"
    if number > 0x10FFFF:
        return "character-reference-outside-unicode-range"
    return "surrogate-character-reference" if 0xD800 <= number <= 0xDFFF else None


def taken_for_pair(source: str, character: str) -> str:
    return f"the surrogate pair {source!r} was taken for a reference to {character!r}"


def _read_pair(source: str, halves: tuple[str, str], error: Callable[..., None]) -> Reference:
    """Interpret two references to the halves of a surrogate pair."""

    def error_of_half(code: str, *details: object) -> None:
        if code != "surrogate-character-reference":
            error(code, *details)

    units = []
    for half in halves:
        _read_numeric(half, error_of_half, "")
        digits = half[2:].rstrip(";")
        units.append(int(digits[1:], 16) if digits[0] in "xX" else int(digits))
    character = chr(0x10000 + (units[0] - 0xD800 << 10) + units[1] - 0xDC00)
    error("assumed-reference", taken_for_pair(source, character))
    return Reference(source, character, is_correct=False)


def _read_numeric(source: str, error: Callable[..., None], null: str) -> Reference:
    hexadecimal = source[2:3] in {"x", "X"}
    digits = source[3:] if hexadecimal else source[2:]
    closed = digits[-1:] == ";"
    if closed:
        digits = digits[:-1]
    if not digits:
        error("absence-of-digits-in-numeric-character-reference", source)
        return Reference(source, source, is_correct=False)
    if source[2] == "X":
        error("uppercase-x-in-character-reference", source)
    if not closed:
        error("missing-semicolon-after-character-reference", source, "was resolved all the same")
    number = read_number(digits, 16 if hexadecimal else 10)
    code = error_of_number(number)
    text = null if number == 0 else "\ufffd" if code else chr(number)
    if code is None and number < 0x20 and text not in "\t\n\r":
        code = "control-character-reference"
    elif number in {0xFFFE, 0xFFFF}:
        code = "noncharacter-character-reference"
    if code:
        error(code, source)
    return Reference(source, text, is_correct=closed and code is None and source[2] != "X")
