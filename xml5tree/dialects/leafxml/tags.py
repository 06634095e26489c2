"""Tag tokens (L-050 to L-059)."""

import re
from typing import Final, NamedTuple

from xml5tree.dialects.leafxml.characters import PADDING, nfc
from xml5tree.dialects.leafxml.escapes import unescape
from xml5tree.dialects.leafxml.faults import Fault
from xml5tree.xml.names import NAME
from xml5tree.xml.patterns import compiled

_SPACES: Final = re.compile(f"[{PADDING}]*+")
#: Turns line breaks into spaces, as the white space of values is compressed (L-026, L-033).
_SPACE_FOR_LINE_BREAKS: Final = str.maketrans("\x85\u2028", "  ")
_COMPRESSIBLE: Final = re.compile("[\t\n\r ]+")


class Tag(NamedTuple):
    """A tag token, with names and values as in the tree; `places` are the attributes' indices in the source."""

    name: str
    attributes: dict[str, str]
    places: dict[str, int]
    is_end: bool
    is_empty: bool


def read_tag(source: str) -> Tag:
    """Read a tag token; raise `Fault` for the first fault from left to right."""
    is_end = source[1] == "/"
    attributes: dict[str, str] = {}
    places: dict[str, int] = {}
    name, position = _read_name(source, 2 if is_end else 1, "invalid-tag-name")
    expected = "unexpected-character-in-tag"
    while True:
        start, position = position, _skip_space(source, position)
        character = source[position]
        if character == ">":
            return Tag(name, attributes, places, is_end, False)
        if character == "/":
            if source[position + 1] != ">":
                raise Fault("unexpected-solidus-in-tag", position)
            if is_end:
                raise Fault("end-tag-with-trailing-solidus", position, name)
            return Tag(name, attributes, places, is_end, True)
        if position == start:
            raise Fault(expected, position, character)
        if is_end:
            raise Fault("end-tag-with-attributes", position, name)
        attribute, end = _read_name(source, position, "invalid-attribute-name")
        equals = _skip_space(source, end)
        if source[equals] != "=" and (equals > end or source[equals] in "/>"):
            raise Fault("attribute-without-value", position, attribute)
        if attribute in places:
            raise Fault("duplicate-attribute", position, attribute)
        places[attribute] = position
        if source[equals] != "=":
            raise Fault("unexpected-character-in-tag", end, source[end])
        attributes[attribute], position = _read_value(source, _skip_space(source, equals + 1), attribute)
        expected = "missing-whitespace-between-attributes"


def _skip_space(source: str, position: int) -> int:
    found = _SPACES.match(source, position)
    assert found is not None  # the pattern matches everywhere
    return found.end()


def _read_name(source: str, position: int, otherwise: str) -> tuple[str, int]:
    """Return the name at a position, in NFC, and its end (L-051, L-052)."""
    found = compiled(NAME).match(source, position)
    if found is None:
        raise Fault(otherwise, position)
    name = nfc(found[0])
    if name is not found[0] and not compiled(NAME).fullmatch(name):
        raise Fault("invalid-name-after-normalization", position, found[0], name)
    return name, found.end()


def _read_value(source: str, position: int, attribute: str) -> tuple[str, int]:
    """Return the attribute value at a position, decoded, and its end (L-033, L-057, L-058)."""
    quote = source[position]
    if quote not in "\"'":
        is_missing = quote == ">" or source.startswith("/>", position)
        raise Fault("missing-attribute-value" if is_missing else "unquoted-attribute-value", position, attribute)
    start = position + 1
    end = source.index(quote, start)
    value = source[start:end]
    less_than = value.find("<")
    try:
        unescaped = unescape(value.translate(_SPACE_FOR_LINE_BREAKS))
    except Fault as fault:
        if not 0 <= less_than < fault.index:
            raise fault.moved(start) from None
    if less_than >= 0:
        raise Fault("less-than-sign-in-attribute-value", start + less_than, attribute)
    return nfc(_COMPRESSIBLE.sub(" ", unescaped).strip(" ")), end + 1
