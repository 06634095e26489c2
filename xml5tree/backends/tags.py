"""Names of elements as lxml's functions take them to choose elements by, with wildcards."""

import re
from collections.abc import Iterable

__all__ = ["tags_pattern"]


def tags_pattern(tag: str | Iterable[str]) -> re.Pattern[str]:
    """A pattern for the names of elements that a tag or tags of lxml's kind stand for."""
    return re.compile("|".join(map(_tag_pattern, [tag] if isinstance(tag, str) else tag)))


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
