"""Finds the encoding that a `meta` element declares (H-117)."""

import re
from typing import Final

from xml5tree.input.labels import find_encoding, reads_ascii

#: Bytes that are scanned.
PRESCANNED: Final = 1024

_SPACE: Final = "\t\n\f\r "
#: An attribute: its name, which may begin with "=", and its value in double or single quotes, or without. It matches
#: nothing where a quote is not closed.
_ATTRIBUTE: Final = (
    f"(?![{_SPACE}/>])({{group}}=?+[^{_SPACE}/>=]*+)[{_SPACE}]*+(?:(?!=)|=[{_SPACE}]*+"
    f"(?:\"({{group}}[^\"]*+)\"|'({{group}}[^']*+)'|(?![\"'])({{group}}[^{_SPACE}>]*+)))"
)
_ATTRIBUTES: Final = f"(?>[{_SPACE}/]*+{_ATTRIBUTE.format(group='?:')})*+[{_SPACE}/]*+>"
_GROUPS: Final = re.compile(_ATTRIBUTE.format(group=""))
#: A comment, a tag, of which group 1 has the attributes if it is a `meta`, or the like. What is not closed goes to the
#: end.
_CONSTRUCT: Final = re.compile(
    rf"<(?>!(?=--)(?:.*?-->|.*)|meta(?=[{_SPACE}/])(?>({_ATTRIBUTES})|.*)|/?[A-Z][^{_SPACE}>]*+(?>{_ATTRIBUTES}|.*)"
    r"|[!/?](?>[^>]*+>|.*))",
    re.IGNORECASE | re.ASCII | re.DOTALL,
)
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
    for construct in _CONSTRUCT.finditer(head):
        if construct[1] is not None and (encoding := _of_meta(construct[1])):
            return encoding
    return None


def _of_meta(source: str) -> str | None:
    attributes: dict[str, str] = {}
    for name, *values in _GROUPS.findall(source):
        attributes.setdefault(name.lower(), "".join(values))
    if "charset" in attributes:
        return _known(attributes["charset"])
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
