"""Builds a finished tree as ElementTree elements, as expat would."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from xml5tree.dialects.html.declarations import is_declaration, name_if_other
from xml5tree.dialects.html.nodes import AttributeName, Document, Node
from xml5tree.dialects.html.writer import XHTML_NAMESPACE
from xml5tree.tree.infoset import coerce_characters, coerce_name
from xml5tree.xml.names import NameRules

__all__ = ["ElementBuilder"]

#: The longest name that is known to other documents, and how many are known.
_LONGEST_KNOWN: Final = 100
_MOST_KNOWN: Final = 1000


class ElementBuilder:
    """Makes elements as `TreeWriter` writes them; comments and the DOCTYPE are left out."""

    def __init__(self, library: Any, rules: NameRules, *, max_depth: int, namespaces: bool) -> None:
        """Set what makes the elements: `library` is ElementTree's module; the rest is as for `TreeWriter`."""
        self._library = library
        self._rules = rules
        self._max_depth = max_depth
        self._namespaces = namespaces
        self.attached_higher = 0  # elements attached to a higher parent, because of the depth limit
        self._tags, self._names = _known(rules, namespaces)

    def build(self, document: Document, container: str | None) -> Any:
        """Return the root of a document, or an element of the name `container` with the content of a fragment."""
        node = next(child for child in document.children if isinstance(child, Node) and child.kind == "element")
        node.parent = None  # so that no reference cycles are left, here and below
        name_tuple = node.nameTuple if container is None else (node.namespace, container)
        tag = self._tags.get(name_tuple) or self._tag(name_tuple)
        root = self._library.Element(tag, self._attributes(node) if node.attributes else {})
        if node.children:
            self._fill(node, root)
        return root

    def _fill(self, node: Node, root: Any) -> None:
        """Build the content of an element; without recursion, as elements nest deep."""
        make_child, tags, names, max_depth = self._library.SubElement, self._tags, self._names, self._max_depth
        stack: list[tuple[Iterator[Node | str], Any]] = []  # the remaining children of open nodes, and their elements
        written = [root]  # elements of the stack that were not closed by the depth limit, and the current one
        lasts: list[Any] = [None]  # the last child of each of them
        children = iter(node.children)
        current = parent = root
        last: Any = None
        text = ""
        while True:
            for child in children:
                if child.__class__ is not Node:
                    if isinstance(child, str):
                        text += child if child.isprintable() else coerce_characters(child)
                    else:
                        child.parent = None
                    continue
                child.parent = None
                if text:
                    _append(parent, last, text)
                    text = ""
                if len(written) >= max_depth:
                    written.pop()
                    lasts.pop()
                    parent = written[-1]
                    self.attached_higher += 1
                attributes: Any = child.attributes
                for name, value in attributes.items():
                    if name not in names or not value.isprintable():
                        attributes = self._attributes(child)
                        break
                last = make_child(parent, tags.get(child.nameTuple) or self._tag(child.nameTuple), attributes)
                content = child.children
                if len(content) == 1 and isinstance(content[0], str):  # as of most elements
                    last.text = content[0] if content[0].isprintable() else coerce_characters(content[0])
                elif content:
                    lasts[-1] = last
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

    def _tag(self, name_tuple: tuple[str | None, str]) -> str:
        namespace, name = name_tuple
        written = coerce_name(name, self._rules)
        is_bare = not namespace or (namespace == XHTML_NAMESPACE and not self._namespaces)
        tag = written if is_bare else f"{{{namespace}}}{written}"
        if len(name) <= _LONGEST_KNOWN:
            _make_room(self._tags)
            self._tags[name_tuple] = tag
        return tag

    def _attributes(self, node: Node) -> dict[str, str]:
        found: dict[str, str] = {}
        for name, value in node.attributes.items():
            if is_declaration(name):
                other = name_if_other(name, value, node.namespace)
                if other is not None:
                    found[other] = coerce_characters(value)
            elif not isinstance(name, str):
                _, local, uri = name
                found[f"{{{uri}}}{local}"] = coerce_characters(value)
            else:
                written = coerce_name(name, self._rules)
                found.setdefault(written, coerce_characters(value))
                if written == name and len(name) <= _LONGEST_KNOWN:
                    _make_room(self._names)
                    self._names[name] = name
        return found


@lru_cache(maxsize=8)
def _known(rules: NameRules, namespaces: bool) -> tuple[dict[tuple[str | None, str], str], dict[AttributeName, str]]:
    """Return tags by the names of elements, and the names of attributes that can stay as they are.

    They are filled and used by all documents with these rules.
    """
    return {}, {}


def _make_room(known: dict[Any, str]) -> None:
    if len(known) >= _MOST_KNOWN:
        known.clear()


def _append(parent: Any, last: Any, text: str) -> None:
    """Append text to an element whose last child is `last`, or None."""
    if last is None:
        parent.text = text if parent.text is None else parent.text + text
    else:
        last.tail = text if last.tail is None else last.tail + text
