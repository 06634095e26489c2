"""What a document says, as a set of facts, and how much of it is left."""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

__all__ = ["FactSets", "Facts", "Node", "f1", "facts"]

Facts = Counter[Hashable]
Path = tuple[Hashable, ...]

#: What XML cannot hold, and what stands for it: that a parser keeps, drops or marks these makes no difference.
_UNSEEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffd]")


@dataclass
class Node:
    """An element, whichever parser it comes from.

    Attributes:
        name: as a document writes it, with its prefix.
        attributes: by name, written likewise; without the declarations of namespaces.
        children: elements and text, in their order.
    """

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: "list[Node | str]" = field(default_factory=list)


class FactSets(NamedTuple):
    """What a document says, told in two ways.

    Attributes:
        plain: with paths that are the names from the root on. Two elements of one path with the same attributes are
            two equal facts; which of them comes first is not part of it.
        numbered: with paths that also say the how manyth of its name an element is among its siblings.
    """

    plain: Facts
    numbered: Facts


def facts(nodes: "Iterable[Node | str]") -> FactSets:
    """What a document says: each element at its path with its attributes, and what text is directly in it.

    White space counts as one space, and not at all at the ends.

    Args:
        nodes: the outermost elements.
    """
    sets = FactSets(Counter(), Counter())
    for path, numbered_path, fact in _facts(nodes):
        sets.plain[path, fact] += 1
        sets.numbered[numbered_path, fact] += 1
    return sets


def _facts(nodes: "Iterable[Node | str]") -> Iterator[tuple[Path, Path, Hashable]]:
    """Each fact with its path without numbers and with them."""
    waiting: list[tuple[Path, Path, Iterable[Node | str]]] = [((), (), nodes)]
    while waiting:
        parent, numbered_parent, siblings = waiting.pop()
        numbers: dict[str, int] = {}
        for node in siblings:
            if isinstance(node, Node):
                name = node.name
                numbers[name] = number = numbers.get(name, 0) + 1
                path, numbered_path = (*parent, name), (*numbered_parent, (name, number))
                yield path, numbered_path, frozenset((key, _normal(value)) for key, value in node.attributes.items())
                text = _normal("".join(child for child in node.children if isinstance(child, str)))
                if text:
                    yield path, numbered_path, text
                waiting.append((path, numbered_path, node.children))


def _normal(text: str) -> str:
    return " ".join(_UNSEEN.sub("", text).split())


def f1(meant: Facts, found: Facts) -> float:
    """The harmonic mean of precision (found facts that were meant) and recall (meant facts that were found)."""
    total = meant.total() + found.total()
    return 2 * (meant & found).total() / total if total else 1.0
