"""What is known of the structure of documents: what each element may have in it, and in which it never is."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

#: Stands for text among the names of children; no element has this name.
TEXT: Final = "#"


class Content(NamedTuple):
    """What is known of the elements of a name."""

    children: frozenset[str] | None = None  # the names of all that may be directly in them; None: not known
    never: frozenset[str] = frozenset()  # the names of elements that are never in them, at any depth

    def also(self, other: "Content") -> "Content":
        """Return this with what else is known, which is right where they differ."""
        return Content(self.children if other.children is None else other.children, self.never | other.never)


#: Options with names of elements, and what they say of an element of such a name.
KINDS: Final[Mapping[str, Callable[[str], Content]]] = {
    "empty": lambda name: Content(children=frozenset()),
    "never_nest": lambda name: Content(never=frozenset({name})),
}


class ElementNames(frozenset[str]):
    """Names of elements, and for some of them the names of their children, among them `TEXT`."""

    children: Mapping[str, frozenset[str]] = {}


#: The start of a file of declarations: before the first there may be an XML declaration, comments and instructions.
_DTD: Final = re.compile(
    r"(?s)\ufeff?\s*+(?><\?.*?\?>\s*+|<!--.*?-->\s*+)*+(?:<!(?:ELEMENT|ATTLIST|ENTITY|NOTATION|\[)|%[^\s;]+;)"
)
_COMMENT: Final = re.compile(r"(?s)<!--.*?(?:-->|\Z)")  # linear where one is not closed
_ELEMENT: Final = re.compile(r"<!ELEMENT\s+([^\s>(\"']+)\s*([^<>\"']*)")
_PARAMETER_ENTITY: Final = re.compile(r"<!ENTITY\s+%\s+([^\s>]+)\s+(?:\"([^\"]*)\"|'([^']*)')")
_REFERENCE: Final = re.compile("%([^%;]+);")
_NAME: Final = re.compile(r"#PCDATA|[^\s()|,?*+#&]+")
#: How deep parameter entities in a declaration refer to others.
_DEPTH: Final = 16
#: Names and content are no longer than this, however their entities expand.
_LONGEST: Final = 100_000


def is_dtd(text: str) -> bool:
    """Return whether a file has declarations of a DTD, and no document."""
    return _DTD.match(text) is not None


def declared_content(text: str) -> Iterator[tuple[str, frozenset[str] | None]]:
    """Yield the names of the elements that a DTD declares, each with those of its children, or None for any.

    Only the DTD's own parameter entities are expanded.
    """
    text = _COMMENT.sub("", text)
    entities: dict[str, str] = {}
    for name, double, single in _PARAMETER_ENTITY.findall(text):
        entities.setdefault(name, double or single)
    for name, content in _ELEMENT.findall(text):
        name, content = _expanded(name, entities), _expanded(content, entities).strip()
        if not re.search(r"[\s%()]", name):
            yield name, _children(content)


def _children(content: str) -> frozenset[str] | None:
    if content == "EMPTY":
        return frozenset()
    if content[:1] != "(" or "%" in content:
        return None
    return frozenset(TEXT if name == "#PCDATA" else name for name in _NAME.findall(content))


def _expanded(text: str, entities: Mapping[str, str]) -> str:
    """Return a part of a declaration with its parameter entities expanded; "" if it would be too long."""
    for _ in range(_DEPTH):
        if "%" not in text or len(text) > _LONGEST:
            break
        text = _REFERENCE.sub(lambda found: entities.get(found[1], ""), text)
    return text if len(text) <= _LONGEST else ""
