"""Filters by the names of elements, with wildcards, as lxml's functions take them."""

import re
from collections.abc import Iterable

__all__ = ["tags_pattern"]


def tags_pattern(tag: str | Iterable[str]) -> re.Pattern[str]:
    """A pattern for the names of the elements that a tag or tags choose, which may have lxml's wildcards."""
    return re.compile("|".join(map(_tag_pattern, [tag] if isinstance(tag, str) else tag)), re.DOTALL)


def _tag_pattern(tag: str) -> str:
    namespace, brace, name = tag.rpartition("}")
    if not name or bool(brace) != tag.startswith("{"):
        raise ValueError(f"invalid tag name {tag!r}")
    if tag == "*" or namespace == "{*":
        before = "(?:{.*})?"
    elif namespace in ("", "{"):
        before = ""
    else:
        before = re.escape(namespace + brace)
    return before + ("[^{}]*" if name == "*" else re.escape(name))
