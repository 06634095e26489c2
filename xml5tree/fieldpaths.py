"""Paths of fields, as the compiled reader of markup follows them."""

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from xml5tree.backends.elementpath import parsed_path, well_known_of
from xml5tree.xml.prefixes import well_known

#: What is at the end of a path. The numbers are those of the kinds of columns in accelerator/columns.h.
FULL_TEXT, OWN_TEXT, _, ATTRIBUTE = range(4)
#: A step of a path that leads to child elements.
_STEP: Final = re.compile(r"\*|(?:\{[^{}]+\})?[^/\[\]()@!=\s*{}:'\".][^/\[\]()@!=\s*{}:'\"]*")
_STEPS: Final = re.compile(rf"(?:{_STEP.pattern})(?:/(?:{_STEP.pattern}))*")


class Path(NamedTuple):
    """A path as the reader follows it: the names of its steps, and what is at its end."""

    steps: tuple[str, ...]
    kind: int
    is_all: bool
    attribute: str
    has_variants: bool  # its prefixes may stand for variants of their namespaces

    def matches(self, step: str, names: Sequence[str]) -> bool:
        """Return whether a step leads to an element of a name, or perhaps of the well-known one."""
        if self.has_variants and step in names:
            return True
        return step in {names[0], "*"} or (step[:3] == "{*}" and step[3:] == names[0].rpartition("}")[2])


def compiled_path(path: str | Sequence[str], prefixes: Mapping[str, str], *, has_nodes: bool) -> Path | None:
    """Return a path as the reader follows it; None if it needs elements."""
    is_all = not isinstance(path, str)
    path = path if isinstance(path, str) else path[0]
    try:
        steps, end = parsed_path(path, prefixes)
    except ValueError:  # an expression of XPath
        return None
    if steps != "." and not _STEPS.fullmatch(steps := steps.removeprefix("./")):
        return None
    if has_nodes and (end == "" or "*" in steps):
        return None
    kind = FULL_TEXT if end is None else ATTRIBUTE if end else OWN_TEXT
    used = well_known_of(path, prefixes)
    return Path(() if steps == "." else tuple(_STEP.findall(steps)), kind, is_all, end or "", bool(used))


def names_of(name: str) -> tuple[str, ...]:
    """Return a name, and that in the well-known namespace if it is in a variant of that."""
    uri, brace, local = name[1:].rpartition("}")
    return (name, f"{{{well_known(uri)}}}{local}") if brace else (name,)


def compiled_paths(
    fields: Mapping[str, str | Sequence[str]], prefixes: Mapping[str, str], *, has_nodes: bool
) -> list[Path] | None:
    """Return the paths of `fields` as the reader follows them; None if one of them needs elements.

    With `has_nodes`, paths to text lead to text nodes, as those of XPath do.
    """
    found = [compiled_path(path, prefixes, has_nodes=has_nodes) for path in fields.values()]
    paths = [path for path in found if path is not None]
    return paths if len(paths) == len(found) else None
