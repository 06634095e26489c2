"""Entity escapes (L-022 to L-025)."""

import re
from typing import Final

from xml5tree.dialects.leafxml.characters import PADDING, is_character
from xml5tree.dialects.leafxml.faults import Fault
from xml5tree.xml.references import PREDEFINED, read_number

_ESCAPE: Final = re.compile("&([^;]*+)(;?+)")
_NUMBER: Final = re.compile("#(?:([0-9]++)|x([0-9A-Fa-f]++))")
_ESCAPE_OR_STRAY: Final = re.compile(f"&[^;]*+;|[^&{PADDING}]")


def unescape(text: str) -> str:
    """Return a text token or attribute value with its escapes replaced; raise `Fault` for an invalid one."""
    return _ESCAPE.sub(_character, text)


def _character(escape: re.Match[str]) -> str:
    body, semicolon = escape.groups()
    if not semicolon:
        raise Fault("missing-semicolon-after-character-reference", escape.start())
    character = PREDEFINED.get(body)
    if character is not None:
        return character
    if not body.startswith("#"):
        raise Fault("unknown-named-character-reference", escape.start(), body)
    number = _NUMBER.fullmatch(body)
    if number is None:
        raise Fault("invalid-numeric-character-reference", escape.start(), escape[0])
    decimal, hexadecimal = number.groups()
    code = read_number(decimal or hexadecimal, 10 if decimal else 16)
    if not is_character(code):
        raise Fault("forbidden-character-reference", escape.start(), escape[0])
    return chr(code)


def find_stray(text: str) -> int:
    """Return the index of the first content in a text token that is not padding (L-041), or -1."""
    for thing in _ESCAPE_OR_STRAY.finditer(text):
        if unescape(thing[0]) not in PADDING:
            return thing.start()
    return -1
