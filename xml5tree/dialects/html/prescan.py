"""Finds the encoding that a `meta` element declares (H-117)."""

import re
from typing import Final

from xml5tree.input.labels import find_encoding, reads_ascii

__all__ = ["PRESCANNED", "declared_encoding"]

#: Bytes that are scanned.
PRESCANNED: Final = 1024

_SPACE: Final = "\t\n\f\r "
_META: Final = re.compile(f"<meta(?=[{_SPACE}/])", re.IGNORECASE | re.ASCII)
_TAG: Final = re.compile(f"</?[A-Za-z][^{_SPACE}>]*")
_BEFORE_ATTRIBUTE: Final = re.compile(f"[{_SPACE}/]*")
#: An attribute's name, which may begin with "=", and the "=" before a value.
_ATTRIBUTE: Final = re.compile(f"(=?[^{_SPACE}/>=]*)[{_SPACE}]*(=?)")
_SPACES: Final = re.compile(f"[{_SPACE}]*")
_VALUE: Final = re.compile(f"\"([^\"]*)\"|'([^']*)'|(?![\"'])([^{_SPACE}>]*)")
#: The encoding in the value of the attribute `content`; no group matches if its quotes are unclosed.
_CHARSET: Final = re.compile(
    f"charset[{_SPACE}]*=[{_SPACE}]*(?:\"([^\"]*)\"|'([^']*)'|(?![\"'])([^{_SPACE};]+)|)", re.IGNORECASE | re.ASCII
)
#: Labels that name another encoding in HTML than in Python.
_MEANT: Final = {
    "ascii": "cp1252",
    "big5": "big5hkscs",
    "euc_kr": "cp949",
    "gb2312": "gbk",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "shift_jis": "cp932",
    "tis-620": "cp874",
    "utf-16": "utf-8",
    "utf-16-be": "utf-8",
    "utf-16-le": "utf-8",
}


def declared_encoding(head: str) -> str | None:
    """Return Python's name of the encoding that a page's first bytes, in Latin-1, declare; None if it is unknown."""
    position = 0
    while (position := head.find("<", position)) >= 0:
        if head.startswith("<!--", position):
            end = head.find("-->", position + 2)
            if end < 0:
                return None
            position = end + 3
        elif meta := _META.match(head, position):
            attributes, position = _attributes(head, meta.end())
            if encoding := _of_meta(attributes):
                return encoding
        elif tag := _TAG.match(head, position):
            _, position = _attributes(head, tag.end())
        elif head[position + 1 : position + 2] in {"!", "/", "?"}:
            end = head.find(">", position)
            if end < 0:
                return None
            position = end
        else:
            position += 1
    return None


def _attributes(head: str, position: int) -> tuple[dict[str, str], int]:
    """Return a tag's attributes after its name, and the index after them; an unclosed tag has none."""
    found: dict[str, str] = {}
    while True:
        position = _BEFORE_ATTRIBUTE.match(head, position).end()  # type: ignore[union-attr]
        if position >= len(head):
            return {}, position
        if head[position] == ">":
            return found, position
        attribute = _ATTRIBUTE.match(head, position)
        assert attribute is not None  # it matches the empty string
        name, has_value = attribute.groups()
        position = attribute.end()
        data = ""
        if has_value:
            position = _SPACES.match(head, position).end()  # type: ignore[union-attr]
            value = _VALUE.match(head, position)
            if value is None:  # the closing quote is missing
                return {}, len(head)
            data = value[value.lastindex or 0]
            position = value.end()
        found.setdefault(name.lower(), data)


def _of_meta(attributes: dict[str, str]) -> str | None:
    label = attributes.get("charset")
    if label is not None:
        return _known(label)
    if attributes.get("http-equiv", "").lower() != "content-type":
        return None
    found = _CHARSET.search(attributes.get("content", ""))
    return _known(found[found.lastindex]) if found and found.lastindex else None


def _known(label: str) -> str | None:
    """Return Python's name of a label's encoding; None if it is unknown, or not a superset of ASCII."""
    label = label.strip(_SPACE)
    if label.lower() == "x-user-defined":
        return "cp1252"
    name = find_encoding(label, strictly=True)
    if name is None:
        return None
    name = _MEANT.get(name, name)
    return name if reads_ascii(name) else None
