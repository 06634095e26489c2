"""Writes a finished tree as markup that XML can hold (H-111, H-114)."""

from collections.abc import Iterator
from typing import Final

from xml5tree.dialects.html.declarations import is_declaration, name_if_other
from xml5tree.dialects.html.lines import LineIndex
from xml5tree.dialects.html.nodes import Comment, Doctype, Document, Node
from xml5tree.dtd.declarations import PUBLIC_ID_CHARACTERS
from xml5tree.output.markup import Markup
from xml5tree.tree.infoset import coerce_characters, coerce_comment, coerce_name
from xml5tree.xml.names import NameRules
from xml5tree.xml.prefixes import XML_NAMESPACE

__all__ = ["XHTML_NAMESPACE", "TreeWriter"]

XHTML_NAMESPACE: Final = "http://www.w3.org/1999/xhtml"


class _Element:
    """An element being written: its written name, and its remaining children."""

    __slots__ = ("children", "declared", "name", "namespace")

    def __init__(self, node: Node, name: str, namespace: str, declared: frozenset[str]) -> None:
        self.name = name
        self.namespace = namespace  # of unprefixed names
        self.declared = declared  # prefixes
        self.children: Iterator[Node | str] = iter(node.children)


class TreeWriter:
    """Calls an emitter for a tree; the current node's token ended on `line`."""

    def __init__(
        self, emitter: Markup, rules: NameRules, lines: LineIndex, *, max_depth: int, namespaces: bool
    ) -> None:
        """Connect the writer; the reader of the markup reads names by `rules`, and `lines` has the document's lines.

        Elements deeper than `max_depth` go to the deepest allowed parent (D-124). With `namespaces`, HTML's elements
        are in their namespace.
        """
        self.line = 1
        self.attached_higher = 0  # elements attached to a higher parent, because of the depth limit
        self._emitter = emitter
        self._rules = rules
        self._lines = lines
        self._max_depth = max_depth
        self._namespaces = namespaces
        self._names: dict[str, str] = {}  # written names, by the names of the tree

    def write(self, document: Document, container: str | None) -> None:
        """Write a document, or the content of `container` as an element of that name."""
        for child in document.children:
            if not isinstance(child, Node):
                continue
            if child.kind == "element":
                if container is not None:
                    child.name = container
                self._write_element(child)
            elif container is None:
                self._write_leaf(child)

    def _write_leaf(self, node: Node) -> None:
        self.line = self._lines.line(node.place)
        if isinstance(node, Comment):
            self._emitter.comment(coerce_comment(coerce_characters(node.data)), None)
        elif isinstance(node, Doctype) and self._rules.is_ncname(node.name):
            public_id, system_id = node.ids
            if public_id is not None and not PUBLIC_ID_CHARACTERS.fullmatch(public_id):
                public_id = None
            if system_id is not None:
                system_id = coerce_characters(system_id).replace('"', "%22")
            self._emitter.doctype(node.name, public_id, system_id, None)

    def _write_element(self, root: Node) -> None:
        """Write an element and its content; without recursion, as elements nest deep."""
        element = self._start(root, None)
        stack = [element] if root.children else []
        written = list(stack)  # elements of the stack that were not closed by the depth limit
        while stack:
            current = stack[-1]
            child = next(current.children, None)
            if child is None:
                stack.pop()
                if written and written[-1] is current:
                    written.pop()
                    self._end(current)
            elif isinstance(child, str):
                self._emitter.text(coerce_characters(child))
            elif child.kind == "element":
                if len(written) >= self._max_depth:
                    self._end(written.pop())
                    self.attached_higher += 1
                element = self._start(child, written[-1])
                if child.children:
                    stack.append(element)
                    written.append(element)
            else:
                self._write_leaf(child)

    def _start(self, node: Node, parent: _Element | None) -> _Element:
        self.line = self._lines.line(node.place)
        namespace = node.namespace or ""
        if namespace == XHTML_NAMESPACE and not self._namespaces:
            namespace = ""
        attributes: dict[str, str] = {}
        if namespace != (parent.namespace if parent else ""):
            attributes["xmlns"] = namespace
        declared = parent.declared if parent else frozenset()
        for name, value in node.attributes.items():
            if is_declaration(name):
                written = name_if_other(name, value, node.namespace)
                if written is not None:
                    attributes[written] = coerce_characters(value)
                continue
            if isinstance(name, str):
                attributes.setdefault(self._name(name), coerce_characters(value))
                continue
            prefix, local, uri = name
            if uri != XML_NAMESPACE and prefix and prefix not in declared:
                attributes[f"xmlns:{prefix}"] = uri
                declared = declared | {prefix}
            attributes[f"{prefix}:{local}"] = coerce_characters(value)
        element = _Element(node, self._name(node.name), namespace, declared)
        self._emitter.start_tag(element.name, attributes.items(), not node.children, None)
        return element

    def _end(self, element: _Element) -> None:
        self._emitter.end_tag(element.name, None)

    def _name(self, name: str) -> str:
        if name not in self._names:
            self._names[name] = coerce_name(name, self._rules)
        return self._names[name]
