"""Values that are elements in elements."""

import re
from typing import Any, Final

__all__ = ["read_nested", "without_cdata"]

_CDATA: Final = re.compile(r"\s*<!\[CDATA\[(.*)\]\]>\s*", re.DOTALL)
#: The element whose like make a list.
_ITEM: Final = "item"
_DEEPEST: Final = 64


def read_nested(text: str, delimiters: tuple[str, str, str]) -> Any:
    """Return the lists and objects that the elements in a text make; the text itself if it has anything else."""
    opens, closes, ends = map(re.escape, delimiters)
    tag = re.compile(rf"(?:(?P<end>{closes})|{opens})(?P<name>[^\s<>]+){ends}")
    stack: list[list[tuple[str, Any]]] = [[]]
    names: list[str] = []
    place = 0
    for found in tag.finditer(text):
        between = text[place : found.start()]
        place = found.end()
        is_leaf = found["end"] and not stack[-1] and names
        if between.strip() and not is_leaf:
            return text
        if not found["end"]:
            names.append(found["name"])
            stack.append([])
            if len(names) > _DEEPEST:
                return text
            continue
        if not names or names.pop() != found["name"]:
            return text
        members = stack.pop()
        value = _of_members(members) if members else between
        if value is None:
            return text
        stack[-1].append((found["name"], value))
    whole = _of_members(stack[0]) if stack[0] and not names and not text[place:].strip() else None
    return text if whole is None else whole


def _of_members(members: list[tuple[str, Any]]) -> list[Any] | dict[str, Any] | None:
    """Return a list or an object; None if a name is there twice."""
    if all(name == _ITEM for name, _ in members):
        return [value for _, value in members]
    found = dict(members)
    return found if len(found) == len(members) else None


def without_cdata(text: str) -> str:
    """Return the content of a text that is one CDATA section."""
    found = _CDATA.fullmatch(text) if "<![CDATA[" in text else None
    return found[1] if found else text
