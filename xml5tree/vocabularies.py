"""Element names of samples, DTDs or schemas, for the option `elements`."""

import re
from collections.abc import Iterator
from typing import Any, Final

from xml5tree.xml.vocabulary import ANY_PREFIX, is_name

__all__ = ["is_dtd", "names_in_dtd", "names_in_tree"]

_SCHEMA: Final = "{http://www.w3.org/2001/XMLSchema}"

#: The start of a file of declarations: before the first there may be an XML declaration, comments and instructions.
_DTD: Final = re.compile(
    r"(?s)\ufeff?\s*+(?:<\?.*?\?>\s*+|<!--.*?-->\s*+)*+(?:<!(?:ELEMENT|ATTLIST|ENTITY|NOTATION|\[)|%[^\s;]+;)"
)
_COMMENT: Final = re.compile(r"(?s)<!--.*?(?:-->|\Z)")  # linear where one is not closed
_ELEMENT: Final = re.compile(r"<!ELEMENT\s+([^\s>(\"']+)")
_PARAMETER_ENTITY: Final = re.compile(r"<!ENTITY\s+%\s+([^\s>]+)\s+(?:\"([^\"]*)\"|'([^']*)')")
_REFERENCE: Final = re.compile("%([^%;]+);")
#: How deep parameter entities in a name refer to others.
_DEPTH: Final = 16
#: A name is no longer than this, however its entities expand.
_LONGEST: Final = 1000


def names_in_tree(root: Any) -> frozenset[str]:
    """Return the names of the elements in a tree, or those that an XML Schema declares.

    Names are as they stand in tags; ``{*}name`` where only the namespace is known, and for a target namespace.
    """
    if root.tag == f"{_SCHEMA}schema":
        return frozenset(filter(is_name, _names_in_schema(root)))
    return frozenset(filter(is_name, (_name_of(element) for element in root.iter() if isinstance(element.tag, str))))


def _name_of(element: Any) -> str:
    tag: str = element.tag
    namespace, _, local = tag.rpartition("}")
    if not namespace:
        return local
    if not hasattr(element, "prefix"):
        return ANY_PREFIX + local
    return f"{element.prefix}:{local}" if element.prefix else local


def _names_in_schema(schema: Any) -> Iterator[str]:
    """Yield the names that a schema declares, and those that it refers to."""
    before = ANY_PREFIX if schema.get("targetNamespace") else ""
    for declaration in schema.iter(f"{_SCHEMA}element"):
        name, reference = declaration.get("name"), declaration.get("ref")
        if name:
            yield before + name.strip()
        elif reference:
            prefix, _, local = reference.strip().rpartition(":")
            yield (ANY_PREFIX if prefix else before) + local


def is_dtd(text: str) -> bool:
    """Return whether a file has declarations of a DTD, and no document."""
    return _DTD.match(text) is not None


def names_in_dtd(text: str) -> frozenset[str]:
    """Return the names of the elements that a DTD declares; only its own parameter entities are expanded."""
    text = _COMMENT.sub("", text)
    entities: dict[str, str] = {}
    for name, double, single in _PARAMETER_ENTITY.findall(text):
        entities.setdefault(name, double or single)
    names = (_expanded(name, entities) for name in _ELEMENT.findall(text))
    return frozenset(name for name in names if is_name(name) and not re.search(r"[\s%()]", name))


def _expanded(name: str, entities: dict[str, str]) -> str:
    """Return a name with its parameter entities expanded; "" if it would be too long for one."""
    for _ in range(_DEPTH):
        if "%" not in name or len(name) > _LONGEST:
            break
        name = _REFERENCE.sub(lambda found: entities.get(found[1], ""), name)
    return name if len(name) <= _LONGEST else ""
