"""Characters and names (M-011, M-012, M-021, M-072)."""

import re
from typing import Final

from xml5tree.accelerator import compiled
from xml5tree.xml.names import FIFTH_EDITION

__all__ = [
    "CLEAN_VALUE",
    "NAME",
    "NAME_CHARACTERS",
    "NAME_START",
    "NOT_ALLOWED",
    "SPACE",
    "S",
    "is_name",
    "not_allowed_in",
    "reference_problem",
]

#: White space of the input and of tags; MicroXML itself lacks U+000C.
SPACE: Final = "\t\n\f "
#: White space and the characters of names, as sets for patterns. The draft's names are wider than MicroXML's.
S: Final = r"[\t\n\f ]"
NAME_START: Final = r"A-Za-z_:$\x80-\U0010ffff"
NAME_CHARACTERS: Final = rf"{NAME_START}0-9.\-"
#: The pattern of the longest name.
NAME: Final = f"[{NAME_START}][{NAME_CHARACTERS}]*+"

#: The pattern of a quoted value without line breaks, tabs and references other than the five predefined.
CLEAN_VALUE: Final = (
    r"""(?:"[^<>&"\t\n]*+(?:&(?:amp|lt|gt|quot|apos);[^<>&"\t\n]*+)*+\""""
    r"""|'[^<>&'\t\n]*+(?:&(?:amp|lt|gt|quot|apos);[^<>&'\t\n]*+)*+')"""
)

_NONCHARACTERS: Final = r"\ufdd0-\ufdef" + "".join(rf"\U{plane:04x}fffe\U{plane:04x}ffff" for plane in range(0x11))
#: A character that MicroXML does not allow.
NOT_ALLOWED: Final = re.compile(rf"[\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff{_NONCHARACTERS}]")
_ASCII_NOT_ALLOWED: Final = re.compile(r"[\0-\x08\x0b-\x1f\x7f]")
_C1_CONTROL: Final = re.compile(rb"\xc2[\x80-\x9f]")
_ALLOWED_BYTES: Final = bytes(code for code in range(0x100) if code in b"\t\n\r" or (code >= 0x20 and code != 0x7F))
_NONCHARACTER: Final = re.compile(f"[{_NONCHARACTERS}]")


def not_allowed_in(utf8: bytes) -> re.Pattern[str] | None:
    """Return a pattern for the characters of a text that MicroXML does not allow; None if it surely has none."""
    # `NOT_ALLOWED` would always do, but takes ten times as long as a search for ASCII characters.
    if not utf8.isascii() and (
        any(sequence in utf8 for sequence in (b"\xbf\xbe", b"\xbf\xbf", b"\xef\xb7")) or _C1_CONTROL.search(utf8)
    ):
        return NOT_ALLOWED
    return _ASCII_NOT_ALLOWED if _may_have_controls(utf8) else None


def _may_have_controls(utf8: bytes) -> bool:
    if compiled is None:
        return bool(utf8.translate(None, _ALLOWED_BYTES))
    return b"\x7f" in utf8 or bool(compiled.forbidden_characters(utf8))


def is_name(name: str) -> bool:
    """Return whether a name is one of MicroXML: an NCName of XML's fifth edition without noncharacters."""
    return FIFTH_EDITION.is_ncname(name) and (name.isascii() or not _NONCHARACTER.search(name))


def reference_problem(number: int) -> str | None:
    """Return the error code for a numeric reference to a forbidden character, else None."""
    if number > 0x10FFFF:
        return "character-reference-outside-unicode-range"
    if not NOT_ALLOWED.match(chr(number)):
        return None
    if not number:
        return "null-character-reference"
    if 0xD800 <= number <= 0xDFFF:
        return "surrogate-character-reference"
    return "control-character-reference" if number < 0xA0 else "noncharacter-character-reference"
