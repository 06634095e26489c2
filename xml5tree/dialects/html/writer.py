"""Writes a finished tree as markup that XML can hold, or as elements (H-111, H-114)."""

import re
from abc import ABC, abstractmethod
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Final, Generic, NamedTuple, TypeVar

from xml5tree.dialects.html.nodes import AttributeName, Node, OtherNode, is_declaration, name_if_other
from xml5tree.dtd.declarations import PUBLIC_ID_CHARACTERS
from xml5tree.output.markup import Markup
from xml5tree.tree.infoset import coerce_characters, coerce_comment, coerce_name
from xml5tree.xml.names import NameRules
from xml5tree.xml.prefixes import XML_NAMESPACE

_XHTML: Final = "http://www.w3.org/1999/xhtml"


_Element = TypeVar("_Element")

#: The longest name that is known to other documents.
_LONGEST_KNOWN: Final = 100
_known_name: Final = lru_cache(1000)(coerce_name)


class _TreeWalker(ABC, Generic[_Element]):
    """Walks through a finished tree, and leaves what it makes of elements and text to its subclasses."""

    _end: Callable[[_Element], object]
    _text: Callable[[str], object]

    def __init__(self, rules: NameRules, *, max_depth: int, namespaces: bool) -> None:
        """Set how names are read by the reader of what is made.

        Elements deeper than `max_depth` go to the deepest allowed parent (D-124). With `namespaces`, HTML's elements
        are in their namespace.
        """
        self.attached_higher = 0  # elements attached to a higher parent, because of the depth limit
        self._rules = rules
        self._max_depth = max_depth
        self._namespaces = namespaces

    def write(self, document: Node, container: str | None) -> None:
        """Write a document, or the content of `container` as an element of that name."""
        for child in document.children:
            if not isinstance(child, Node):
                continue
            if child.kind == "element":
                if container is not None:
                    child.name = container
                self._write_element(child)
            elif container is None:
                self._leaf(child)

    def _write_element(self, root: Node) -> None:
        """Write an element and its content; without recursion, as elements nest deep."""
        element = self._start(root, None)
        stack = [(element, iter(root.children))] if root.children else []  # with the remaining children
        written = list(stack)  # elements of the stack that were not closed by the depth limit
        while stack:
            current = stack[-1]
            for child in current[1]:
                if isinstance(child, str):
                    self._text(child if child.isprintable() else coerce_characters(child))
                    continue
                child.parent = None  # so that no reference cycles are left
                if child.kind != "element":
                    self._leaf(child)
                    continue
                if len(written) >= self._max_depth:
                    self._end(written.pop()[0])
                    self.attached_higher += 1
                element = self._start(child, written[-1][0])
                if child.children:
                    stack.append((element, iter(child.children)))
                    written.append(stack[-1])
                    break
            else:
                stack.pop()
                if written and written[-1] is current:
                    written.pop()
                    self._end(current[0])

    @abstractmethod
    def _start(self, node: Node, parent: _Element | None) -> _Element:
        """Begin an element; one without content also ends."""

    def _leaf(self, node: Node) -> None:
        """Leave out a comment or a DOCTYPE."""

    def _attributes(self, node: Node) -> Iterator[tuple[AttributeName, str]]:
        """Yield the attributes with names that XML can hold; those with a prefix have its namespace name, too."""
        for name, value in node.attributes.items():
            written: AttributeName | None = name
            if is_declaration(name):
                written = name_if_other(name, value, node.namespace)
            elif isinstance(name, str):
                written = self._name(name)
            if written is not None:
                yield written, coerce_characters(value)

    def _name(self, name: str) -> str:
        return (_known_name if len(name) <= _LONGEST_KNOWN else coerce_name)(name, self._rules)


class _Open(NamedTuple):
    """An element being written: its written name, the namespace of unprefixed names in it, and declared prefixes."""

    name: str
    namespace: str
    declared: frozenset[str]


class TreeWriter(_TreeWalker[_Open]):
    """Calls an emitter for a tree; the current node's token ended on `line`."""

    def __init__(self, emitter: Markup, rules: NameRules, *, max_depth: int, namespaces: bool) -> None:
        """Connect the writer; the rest is as for `_TreeWalker`."""
        super().__init__(rules, max_depth=max_depth, namespaces=namespaces)
        self.line = 1
        self._newlines = array("Q")  # their offsets, which count characters
        self._length = 0  # of the document so far
        self._emitter = emitter
        self._text = emitter.text

    def take_lines(self, text: str) -> None:
        """Note where lines end in the next characters of the document."""
        self._newlines.extend(self._length + found.start() for found in re.finditer("\n", text))
        self._length += len(text)

    def _leaf(self, node: Node) -> None:
        self.line = bisect_left(self._newlines, node.place) + 1
        assert isinstance(node, OtherNode)
        if node.kind == "comment":
            self._emitter.comment(coerce_comment(coerce_characters(node.data)), None)
        elif self._rules.is_ncname(node.name):
            public_id, system_id = node.data
            if public_id is not None and not PUBLIC_ID_CHARACTERS.fullmatch(public_id):
                public_id = None
            if system_id is not None:
                system_id = coerce_characters(system_id).replace('"', "%22")
            self._emitter.doctype(node.name, public_id, system_id, None)

    def _start(self, node: Node, parent: _Open | None) -> _Open:
        self.line = bisect_left(self._newlines, node.place) + 1
        namespace = node.namespace or ""
        if namespace == _XHTML and not self._namespaces:
            namespace = ""
        attributes: dict[str, str] = {}
        if namespace != (parent.namespace if parent else ""):
            attributes["xmlns"] = namespace
        declared = parent.declared if parent else frozenset()
        for name, value in self._attributes(node):
            if isinstance(name, str):
                attributes.setdefault(name, value)
                continue
            prefix, local, uri = name
            if uri != XML_NAMESPACE and prefix and prefix not in declared:
                attributes[f"xmlns:{prefix}"] = uri
                declared = declared | {prefix}
            attributes[f"{prefix}:{local}"] = value
        element = _Open(self._name(node.name), namespace, declared)
        self._emitter.start_tag(element.name, attributes.items(), not node.children, None)
        return element

    def _end(self, element: _Open) -> None:
        self._emitter.end_tag(element.name, None)


class ElementBuilder(_TreeWalker[str]):
    """Makes elements as a reader makes them of what `TreeWriter` writes; comments and the DOCTYPE are left out."""

    def __init__(self, library: Any, rules: NameRules, *, max_depth: int, namespaces: bool) -> None:
        """Set what makes the elements: `library` is ElementTree's module; the rest is as there."""
        super().__init__(rules, max_depth=max_depth, namespaces=namespaces)
        self._target = target = library.TreeBuilder()
        self._text, self._end = target.data, target.end

    def build(self, document: Node, container: str | None) -> Any:
        """Return the root of a document, or an element of the name `container` with the content of a fragment."""
        self.write(document, container)
        return self._target.close()

    def _start(self, node: Node, parent: str | None) -> str:
        tag = self._name(node.name)
        if (namespace := node.namespace) and (namespace != _XHTML or self._namespaces):
            tag = f"{{{namespace}}}{tag}"
        attributes: dict[str, str] = {}
        if node.attributes:
            for name, value in self._attributes(node):
                attributes.setdefault(name if isinstance(name, str) else f"{{{name[2]}}}{name[1]}", value)
        self._target.start(tag, attributes)
        if not node.children:
            self._end(tag)
        return tag
