"""Character references (§12.2.4.69), for both revisions."""

import re
from collections.abc import Mapping
from typing import Final

from xml5tree.dialects.html.machine import State, Tokenizer
from xml5tree.machine.input import EOF
from xml5tree.xml.references import error_of_number, read_number

#: The characters after ``&`` that may belong to a reference.
_REFERENCE: Final = re.compile("#(?:[xX][0-9A-Fa-f]*|[0-9]*);?|[0-9A-Za-z]*;?")

#: A character that ends a name or a number.
_END: Final = re.compile("[^0-9A-Za-z]")

#: The characters at 0x80 to 0x9F; those of windows-1252, which does not use five of them.
_WINDOWS_1252: Final = {
    number: character
    for number in range(0x80, 0xA0)
    if (character := bytes([number]).decode("cp1252", "replace")) != "\ufffd"
}
#: In the revision of 2008, all other numbers in windows-1252, and a carriage return.
_OF_DRAFT: Final = {**dict.fromkeys(range(128, 160), "�"), 0x0D: "\n"}

#: The longest name in the table, with its semicolon.
_LONGEST_NAME: Final = 32

_CONTROLS: Final = frozenset([*range(0x01, 0x09), 0x0B, *range(0x0D, 0x20), *range(0x7F, 0xA0)])


def consume_reference(t: Tokenizer, *, in_attribute: bool) -> str | None:
    """§12.2.4.69 Tokenizing character references.

    Returns the text of the reference after the consumed ampersand, ``"&"`` where "nothing is returned", or None to wait
    for more input. The additional allowed character never changes a token or an error, and is left out (H-018).
    """
    source = _peek_reference(t)
    if source is None:
        return None
    if source.startswith("#"):
        return _read_numeric(t, source)
    names = t.references
    name = _find_name(source, names)
    if not name:
        _report_no_reference(t, source)
        return "&"
    following = t.peek(len(name) + 1)[len(name) :]
    is_complete = name.endswith(";")
    is_assigned = following == "=" and not t.is_draft
    is_text = not is_complete and in_attribute and following.isascii() and (following.isalnum() or is_assigned)
    if not is_complete and (not is_text or is_assigned or t.is_draft):
        done = "was kept as text" if is_text else "was resolved all the same"
        t.error_ahead("missing-semicolon-after-character-reference", f"&{name}", done, skip=len(name))
    if is_text:
        return "&"
    t.skip(len(name))
    return names[name]


def _report_no_reference(t: Tokenizer, source: str) -> None:
    """Report an ampersand that starts no reference; 2008, unless a character comes that never does (H-102)."""
    if len(source) > 1 and source.endswith(";"):
        place = 0 if t.is_draft else len(source) - 1
        t.error_ahead("unknown-named-character-reference", f"&{source}", skip=place)
    elif t.is_draft and (following := t.peek(1)) not in t.space and following not in {"<", "&", EOF}:
        t.error_ahead("unescaped-ampersand")


def emit_reference(t: Tokenizer, state: State) -> State | None:
    """Take the branches of the states for references in text; `state` follows."""
    start = t.place(1)
    reference = consume_reference(t, in_attribute=False)
    if reference is None:
        return None
    t.emit_text(reference, start)
    return state


def _peek_reference(t: Tokenizer) -> str | None:
    """Return the input after ``&`` that may belong to a reference; None: wait for more input."""
    match = t.match(_REFERENCE)
    assert match is not None  # it matches the empty string
    source = match[0]
    if t.reaches_end(match) and not source.endswith(";"):
        t.wait(_END)
        return None
    return source


def _find_name(source: str, names: Mapping[str, str]) -> str:
    """Return the longest name at the beginning of `source`, or ""."""
    for length in range(min(len(source), _LONGEST_NAME), 1, -1):
        if source[:length] in names:
            return source[:length]
    return ""


def _read_numeric(t: Tokenizer, source: str) -> str:
    """Consume the numeric reference `source`; return its text, or ``"&"`` if it has no digits."""
    hexadecimal = source[1:2] in {"x", "X"}
    digits = source[2 if hexadecimal else 1 :].removesuffix(";")
    if not digits:
        without = len(source.removesuffix(";"))
        t.error_ahead("absence-of-digits-in-numeric-character-reference", f"&{source}", skip=without)
        return "&"
    t.skip(len(source))
    if not source.endswith(";"):
        t.error_ahead("missing-semicolon-after-character-reference", f"&{source}", "was resolved all the same")
    text, code = character_of(read_number(digits, 16 if hexadecimal else 10), is_draft=t.is_draft)
    if code is not None:
        t.error_ahead(code, f"&{source}")
    return text


def character_of(number: int, *, is_draft: bool = False) -> tuple[str, str | None]:
    """Return the character of a number, and its error code or None (H-054)."""
    if code := error_of_number(number):
        return "\ufffd", code
    if number in _WINDOWS_1252:
        return _WINDOWS_1252[number], "control-character-reference"
    if is_draft:
        character = _OF_DRAFT.get(number)
        return (chr(number), None) if character is None else (character, "control-character-reference")
    if number in _CONTROLS:
        return chr(number), "control-character-reference"
    if 0xFDD0 <= number <= 0xFDEF or number & 0xFFFE == 0xFFFE:
        return chr(number), "noncharacter-character-reference"
    return chr(number), None
