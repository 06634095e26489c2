"""Filters by element names with wildcards, as in lxml."""

import re
from collections.abc import Iterable
from typing import Any


def tags_pattern(tag: str | Iterable[str]) -> re.Pattern[str]:
    """Return a pattern for the names that tags choose, with lxml's wildcards; raise `ValueError` for no name."""
    return re.compile("|".join(map(_tag_pattern, [tag] if isinstance(tag, str) else tag)), re.DOTALL)


def names_of(names: Any, option: str) -> list[str]:
    """Return the names in the value of an option: one string or several. Raise `TypeError` for other values."""
    found = [names] if isinstance(names, str) or not isinstance(names, Iterable) else list(names)
    if not all(isinstance(name, str) for name in found):
        raise TypeError(f"{option} must be a string or several, not {names!r}")
    return found


def _tag_pattern(tag: str) -> str:
    namespace, brace, name = tag.rpartition("}")
    if not name or bool(brace) != tag.startswith("{"):
        raise ValueError(f"invalid tag name {tag!r}")
    if ":" in name:
        local = name.rpartition(":")[2]
        raise ValueError(f"invalid tag name {tag!r}: tags have namespaces, not prefixes; '{{*}}{local}' is in any")
    if tag == "*" or namespace == "{*":
        before = "(?:{.*})?"
    elif namespace in ("", "{"):
        before = ""
    else:
        before = re.escape(namespace + brace)
    return before + ("[^{}]*" if name == "*" else re.escape(name))


class LocalNames(dict[str, bool]):
    """Cache: whether an expanded name has a certain local name."""

    def __init__(self, local_name: str) -> None:
        """Set the local name; "" for all names."""
        super().__init__()
        self._name = local_name

    def __missing__(self, tag: str) -> bool:
        if len(self) > 1000:  # bounds the memory, as there may be any number of names
            self.clear()
        found = self[tag] = not self._name or tag.rpartition("}")[2] == self._name
        return found
