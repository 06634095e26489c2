"""Character references (§12.2.4.69); parts shared by both revisions."""

import re
from collections.abc import Callable, Mapping
from html.entities import html5
from typing import Final

from xml5tree.dialects.html.machine import State, Tokenizer
from xml5tree.xml.references import read_number

__all__ = [
    "WINDOWS_1252",
    "character_of",
    "consume_reference",
    "emit_reference",
    "find_name",
    "peek_reference",
    "read_numeric",
]

#: The characters after ``&`` that may belong to a reference.
_REFERENCE: Final = re.compile("#(?:[xX][0-9A-Fa-f]*|[0-9]*);?|[0-9A-Za-z]*;?")

#: A character that ends a name or a number.
_NAME_END: Final = re.compile("[^0-9A-Za-z]")
_DECIMAL_END: Final = re.compile("[^0-9]")
_HEXADECIMAL_END: Final = re.compile("[^0-9A-Fa-f]")

#: The characters at 0x80 to 0x9F; those of windows-1252, which does not use five of them.
WINDOWS_1252: Final = {
    number: character
    for number in range(0x80, 0xA0)
    if (character := bytes([number]).decode("cp1252", "replace")) != "\ufffd"
}

#: The longest name in the table, with its semicolon.
_LONGEST_NAME: Final = 32

_CONTROLS: Final = frozenset([*range(0x01, 0x09), 0x0B, *range(0x0D, 0x20), *range(0x7F, 0xA0)])


def consume_reference(t: Tokenizer, *, in_attribute: bool) -> str | None:
    """§12.2.4.69 Tokenizing character references.

    Returns the text of the reference after the consumed ampersand, ``"&"`` where "nothing is returned", or None to wait
    for more input. The additional allowed character never changes a token or an error, and is left out (H-018).
    """
    source = peek_reference(t)
    if source is None:
        return None
    if source.startswith("#"):
        return read_numeric(t, source, character_of)
    name = find_name(source, html5)
    following = t.peek(len(name) + 1)[len(name) :]
    if not name:
        if len(source) > 1 and source.endswith(";"):
            t.error_ahead("unknown-named-character-reference", f"&{source}", skip=len(source) - 1)
        return "&"
    is_complete = name.endswith(";")
    if not is_complete and in_attribute and following.isascii() and (following == "=" or following.isalnum()):
        if following == "=":
            t.error_ahead("missing-semicolon-after-character-reference", f"&{name}", "was kept as text", skip=len(name))
        return "&"
    t.skip(len(name))
    if not is_complete:
        t.error_ahead("missing-semicolon-after-character-reference", f"&{name}", "was resolved all the same")
    return html5[name]


def emit_reference(t: Tokenizer, state: State, consume: Callable[..., str | None] = consume_reference) -> State | None:
    """Take the branches of the states for references in text; `state` follows."""
    start = t.place(1)
    reference = consume(t, in_attribute=False)
    if reference is None:
        return None
    t.emit_text(reference, start)
    return state


def peek_reference(t: Tokenizer) -> str | None:
    """Return the input after ``&`` that may belong to a reference; None: wait for more input."""
    match = t.match(_REFERENCE)
    assert match is not None  # it matches the empty string
    source = match[0]
    if t.reaches_end(match) and not source.endswith(";"):
        if not source.startswith("#"):
            t.wait(_NAME_END)
        elif source == "#":
            t.wait()
        else:
            t.wait(_HEXADECIMAL_END if source[1] in "xX" else _DECIMAL_END)
        return None
    return source


def find_name(source: str, names: Mapping[str, str]) -> str:
    """Return the longest name at the beginning of `source`, or ""."""
    for length in range(min(len(source), _LONGEST_NAME), 1, -1):
        if source[:length] in names:
            return source[:length]
    return ""


def read_numeric(t: Tokenizer, source: str, character: Callable[[int], tuple[str, str | None]]) -> str:
    """Consume the numeric reference `source`; return its text, or ``"&"`` if it has no digits.

    `character` returns the character of a number, and its error code or None.
    """
    hexadecimal = source[1:2] in {"x", "X"}
    digits = source[2 if hexadecimal else 1 :].removesuffix(";")
    if not digits:
        without = len(source.removesuffix(";"))
        t.error_ahead("absence-of-digits-in-numeric-character-reference", f"&{source}", skip=without)
        return "&"
    t.skip(len(source))
    if not source.endswith(";"):
        t.error_ahead("missing-semicolon-after-character-reference", f"&{source}", "was resolved all the same")
    text, code = character(read_number(digits, 16 if hexadecimal else 10))
    if code is not None:
        t.error_ahead(code, f"&{source}")
    return text


def character_of(number: int) -> tuple[str, str | None]:
    """Return the character of a number, and its error code or None (H-054)."""
    if number == 0:
        return "\ufffd", "null-character-reference"
    if number in WINDOWS_1252:
        return WINDOWS_1252[number], "control-character-reference"
    if 0xD800 <= number <= 0xDFFF:
        return "\ufffd", "surrogate-character-reference"
    if number > 0x10FFFF:
        return "\ufffd", "character-reference-outside-unicode-range"
    if number in _CONTROLS:
        return chr(number), "control-character-reference"
    if 0xFDD0 <= number <= 0xFDEF or number & 0xFFFE == 0xFFFE:
        return chr(number), "noncharacter-character-reference"
    return chr(number), None
