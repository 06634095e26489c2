"""Builds a finished tree as elements of ElementTree, without markup: the tree that expat would build of it."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from xml5tree.dialects.html.nodes import AttributeName, Document, Node
from xml5tree.dialects.html.writer import XHTML_NAMESPACE
from xml5tree.tree.infoset import coerce_characters, coerce_name
from xml5tree.xml.names import NameRules
from xml5tree.xml.prefixes import XMLNS_NAMESPACE

__all__ = ["ElementBuilder"]

#: The longest name whose tag other documents use, too.
_LONGEST_CACHED: Final = 100


class ElementBuilder:
    """Makes elements as `TreeWriter` writes them; comments and the DOCTYPE are left out."""

    def __init__(self, library: Any, rules: NameRules, *, max_depth: int, namespaces: bool) -> None:
        """Set what makes the elements: `library` is ElementTree's module; the rest is as for `TreeWriter`."""
        self._library = library
        self._rules = rules
        self._max_depth = max_depth
        self._namespaces = namespaces
        self._names: dict[str, str] = {}  # written names, by the names of the tree
        self._tags: dict[tuple[str | None, str], str] = {}
        self._plain: set[AttributeName] = set()  # names of attributes that stay as they are

    def build(self, document: Document, container: str | None) -> Any:
        """Return the root of a document, or an element of the name `container` with the content of a fragment."""
        node = next(child for child in document.children if isinstance(child, Node) and child.kind == "element")
        node.parent = None  # so that no reference cycles are left, here and below
        tag = self._tag(node.namespace, node.name if container is None else container)
        root = self._library.Element(tag, self._attributes(node.attributes))
        if node.children:
            self._fill(node, root)
        return root

    def _fill(self, node: Node, root: Any) -> None:
        """Build the content of an element; without recursion, as elements nest deep."""
        make_child, tags, plain, max_depth = self._library.SubElement, self._tags, self._plain, self._max_depth
        stack: list[tuple[Iterator[Node | str], Any]] = []  # the remaining children of open nodes, and their elements
        written = [root]  # elements of the stack that were not closed by the depth limit, and the current one
        lasts: list[Any] = [None]  # the last child of each of them
        children = iter(node.children)
        current = parent = root
        last: Any = None
        text = ""
        while True:
            for child in children:
                if isinstance(child, str):
                    text += child if child.isprintable() else coerce_characters(child)
                    continue
                child.parent = None
                if child.kind != "element":
                    continue
                if text:
                    _append(parent, last, text)
                    text = ""
                if len(written) >= max_depth:
                    written.pop()
                    lasts.pop()
                    parent = written[-1]
                attributes: Any = child.attributes
                for name, value in attributes.items():
                    if name not in plain or not value.isprintable():
                        attributes = self._attributes(attributes)
                        break
                name_tuple = child.nameTuple
                tag = tags[name_tuple] if name_tuple in tags else self._tag(*name_tuple)
                last = lasts[-1] = make_child(parent, tag, attributes)
                content = child.children
                if content:
                    stack.append((children, current))
                    written.append(last)
                    lasts.append(None)
                    current = parent = last
                    last = None
                    children = iter(content)
                    break
            else:
                if text:
                    _append(parent, last, text)
                    text = ""
                if not stack:
                    return
                if written[-1] is current:
                    written.pop()
                    lasts.pop()
                    parent = written[-1]
                    last = lasts[-1]
                children, current = stack.pop()

    def _tag(self, namespace: str | None, name: str) -> str:
        make = _cached_tag if len(name) <= _LONGEST_CACHED else _tag
        tag = self._tags[namespace, name] = make(namespace, name, self._rules, self._namespaces)
        return tag

    def _attributes(self, attributes: dict[AttributeName, str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for name, value in attributes.items():
            if isinstance(name, str):
                if name != "xmlns":  # a declaration cannot be an attribute
                    written = self._name(name)
                    if written == name:
                        self._plain.add(name)
                    found.setdefault(written, coerce_characters(value))
                continue
            _, local, uri = name
            if uri != XMLNS_NAMESPACE:
                found[f"{{{uri}}}{local}"] = coerce_characters(value)
        return found

    def _name(self, name: str) -> str:
        if name not in self._names:
            self._names[name] = coerce_name(name, self._rules)
        return self._names[name]


def _tag(namespace: str | None, name: str, rules: NameRules, namespaces: bool) -> str:
    name = coerce_name(name, rules)
    if not namespace or (namespace == XHTML_NAMESPACE and not namespaces):
        return name
    return f"{{{namespace}}}{name}"


_cached_tag: Final = lru_cache(maxsize=512)(_tag)


def _append(parent: Any, last: Any, text: str) -> None:
    """Append text to an element whose last child is `last`, or None."""
    if last is None:
        parent.text = text if parent.text is None else parent.text + text
    else:
        last.tail = text if last.tail is None else last.tail + text
