"""Element names of samples, DTDs or schemas, and what the elements may have in them."""

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Any, Final

from xml5tree.backends import find_backend
from xml5tree.input.stream import InputStream
from xml5tree.options import Settings
from xml5tree.xml.structure import TEXT, ElementNames, declared_content, is_dtd
from xml5tree.xml.vocabulary import ANY_PREFIX, is_name

_SCHEMA: Final = "{http://www.w3.org/2001/XMLSchema}"
_GRAMMAR: Final = "{http://relaxng.org/ns/structure/1.0}"
#: What stands for text in RELAX NG.
_TEXTS: Final = frozenset({"text", "data", "value", "list", "mixed"})

#: The names that a part of a schema allows, None for any, and further parts that it consists of.
_Part = tuple[Collection[str] | None, Iterable[Any]]
#: Returns that of a part, which may be an element's declaration, and not one among its children.
_Parts = Callable[[Any, bool], _Part]


def read_schema(path: str | os.PathLike[str]) -> ElementNames:
    """Return what a DTD, an XML Schema or a RELAX NG grammar declares, without what it includes.

    Raises `OSError`, and `ValueError` for another file.
    """
    status = os.stat(path)
    return _read_schema(os.fspath(path), status.st_mtime_ns, status.st_size)


@lru_cache(16)
def _read_schema(path: str, time: int, size: int) -> ElementNames:
    with open(path, "rb") as file:
        data = file.read()
    lxml = find_backend("lxml")
    try:
        names = names_in(data, lambda data: lxml.parse_whole(data, Settings()))
    except lxml.refusals as error:
        raise ValueError(f"{path} is no DTD, and not well-formed: {error}") from error
    if not names.children:
        raise ValueError(f"{path} does not declare what is in elements, as a DTD, an XML Schema or RELAX NG does")
    return names


def names_in(data: bytes | str, parse: Callable[[bytes | str], Any]) -> ElementNames:
    """Return the names of the elements that a DTD declares, or those in the tree that `parse` makes of other data.

    Only the DTD's own parameter entities are expanded.
    """
    text = InputStream(prolog=False).feed(data, final=True)
    return _collected(declared_content(text)) if is_dtd(text) else names_in_tree(parse(data))


def names_in_tree(root: Any) -> ElementNames:
    """Return the names of the elements in a tree, or those that an XML Schema or a RELAX NG grammar declares.

    Names are as they stand in tags; ``{*}name`` where only the namespace is known, and for a target namespace.
    """
    if root.tag == f"{_SCHEMA}schema":
        return _collected(_Schema(root).declared())
    if root.tag in (f"{_GRAMMAR}grammar", f"{_GRAMMAR}element"):
        return _collected(_Grammar(root).declared())
    return ElementNames(filter(is_name, (_name_of(element) for element in root.iter() if isinstance(element.tag, str))))


def _collected(declared: Iterable[tuple[str, frozenset[str] | None]]) -> ElementNames:
    """Return names; elements that are declared more than once may have what any of them may have."""
    found: dict[str, frozenset[str] | None] = {}
    for name, children in declared:
        before = found.get(name, frozenset())
        found[name] = None if before is None or children is None else before | children
    named = {*found, *chain.from_iterable(children or () for children in found.values())} - {TEXT}
    names = ElementNames(filter(is_name, named))
    names.children = {name: children for name, children in found.items() if children is not None and name in names}
    return names


def _name_of(element: Any) -> str:
    tag: str = element.tag
    namespace, _, local = tag.rpartition("}")
    if not namespace:
        return local
    if not hasattr(element, "prefix"):
        return ANY_PREFIX + local
    return f"{element.prefix}:{local}" if element.prefix else local


def _content(element: Any, parts: _Parts) -> frozenset[str] | None:
    """Return what the parts of a schema that make up an element's content allow together."""
    found: set[str] = set()
    seen: set[Any] = set()
    names, more = parts(element, True)
    left = [*more]
    while names is not None:
        found.update(names)
        while left and left[-1] in seen:
            left.pop()
        if not left:
            return frozenset(found)
        seen.add(left[-1])
        names, more = parts(left.pop(), False)
        left += more
    return None


def _children(node: Any) -> list[Any]:
    return [child for child in node if isinstance(child.tag, str)]


class _Schema:
    """An XML Schema, without what it includes."""

    _SKIPPED: Final = frozenset({"annotation", "attribute", "attributeGroup", "anyAttribute"})

    def __init__(self, root: Any) -> None:
        self._root = root
        self._before = ANY_PREFIX if root.get("targetNamespace") else ""
        self._defined = {(_kind(child), child.get("name")): child for child in _children(root)}
        self._members: dict[str, list[str]] = {}  # of substitution groups
        for child in _children(root):
            if head := child.get("substitutionGroup"):
                self._members.setdefault(_local(head), []).append(self._name(child))

    def declared(self) -> Iterator[tuple[str, frozenset[str] | None]]:
        for element in self._root.iter(f"{_SCHEMA}element"):
            if element.get("name"):
                yield self._name(element), _content(element, self._parts)
            elif element.get("ref"):
                yield self._name(element), frozenset()

    def _name(self, element: Any) -> str:
        prefix, _, local = (element.get("ref") or element.get("name") or "").strip().rpartition(":")
        return (ANY_PREFIX if prefix else self._before) + local

    def _parts(self, part: Any, is_element: bool) -> _Part:
        kind, more = _kind(part), [child for child in _children(part) if _kind(child) not in self._SKIPPED]
        if kind == "element" and not is_element:
            return [self._name(part), *self._members.get(_local(part.get("ref") or ""), ())], ()
        if kind in ("simpleType", "simpleContent"):
            return [TEXT], ()
        if kind == "any" or (kind == "element" and not part.get("type") and not more):
            return None, ()
        names = [TEXT] if part.get("mixed") in ("true", "1") else []
        if kind == "group" and part.get("ref"):
            more.append(self._defined.get(("group", _local(part.get("ref")))))
        elif kind in ("element", "extension") and (base := part.get("type") or part.get("base")):
            prefix, _, local = base.strip().rpartition(":")
            if local != "anyType" and f"{{{getattr(part, 'nsmap', {}).get(prefix or None)}}}" == _SCHEMA:
                names.append(TEXT)
            else:
                more.append(self._defined.get(("complexType", local), self._defined.get(("simpleType", local))))
        return (None, ()) if None in more else (names, more)


class _Grammar:
    """A grammar of RELAX NG, without what it includes."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._defined: dict[str, list[Any]] = {}
        for part in root.iter(f"{_GRAMMAR}define"):
            self._defined.setdefault(part.get("name"), []).append(part)
        has_namespace = any(part.get("ns") for part in root.iter())
        self._before = ANY_PREFIX if has_namespace else ""

    def declared(self) -> Iterator[tuple[str, frozenset[str] | None]]:
        for element in self._root.iter(f"{_GRAMMAR}element"):
            content = _content(element, self._parts)
            for name in self._names(element) or ():
                yield name, content

    def _names(self, element: Any) -> list[str] | None:
        """Return the names that an element may have, None for any."""
        if name := element.get("name"):
            names = [name]
        else:
            first = next(iter(_children(element)), element)
            names = [found.text or "" for found in first.iter(f"{_GRAMMAR}name")]
        prefixed = ((ANY_PREFIX if ":" in name else self._before) + _local(name) for name in names)
        return list(prefixed) or None

    def _parts(self, part: Any, is_element: bool) -> _Part:
        kind = part.tag.removeprefix(_GRAMMAR)
        if kind == "element" and not is_element:
            return self._names(part), ()
        if kind in ("ref", "parentRef"):
            found = self._defined.get(part.get("name"))
            return (None if found is None else []), found or ()
        if kind == "externalRef":
            return None, ()
        more = _children(part)[1 if kind == "element" and not part.get("name") else 0 :]  # the first has the names
        return ([TEXT] if kind in _TEXTS else []), [] if kind == "attribute" else more


def _kind(part: Any) -> str:
    kind: str = part.tag
    return kind.removeprefix(_SCHEMA)


def _local(name: str) -> str:
    return name.strip().rpartition(":")[2]
