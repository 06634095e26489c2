"""Values that are elements in elements."""

import re
from typing import Any, Final

__all__ = ["read_nested", "without_cdata"]

_CDATA: Final = re.compile(r"\s*<!\[CDATA\[(.*)\]\]>\s*", re.DOTALL)
#: The element whose like make a list.
_ITEM: Final = "item"
_DEEPEST: Final = 64


def read_nested(text: str, delimiters: tuple[str, str, str]) -> Any:
    """Return the lists and objects that the elements in a text make; the text itself if it has none, or others."""
    opens, closes, ends = map(re.escape, delimiters)
    tag = re.compile(rf"(?:(?P<end>{closes})|{opens})(?P<name>[^\s<>]+){ends}")
    stack: list[list[tuple[str, Any]]] = [[]]
    names: list[str] = []
    place = 0
    for found in tag.finditer(text):
        if not found["end"]:
            names.append(found["name"])
            stack.append([])
            place = found.end()
            if len(names) > _DEEPEST:
                return text
            continue
        if not names or names.pop() != found["name"]:
            return text
        members = stack.pop()
        value = _of_members(members) if members else text[place : found.start()]
        stack[-1].append((found["name"], value))
    return text if names or not stack[0] else _of_members(stack[0])


def _of_members(members: list[tuple[str, Any]]) -> Any:
    if all(name == _ITEM for name, _ in members):
        return [value for _, value in members]
    return dict(members)


def without_cdata(text: str) -> str:
    """Return the content of a text that is one CDATA section."""
    found = _CDATA.fullmatch(text) if "<![CDATA[" in text else None
    return found[1] if found else text
