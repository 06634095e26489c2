"""Builds a finished tree as ElementTree elements, as expat would."""

from typing import Any

from xml5tree.dialects.html.nodes import Document, Node
from xml5tree.dialects.html.writer import XHTML_NAMESPACE, TreeWalker
from xml5tree.xml.names import NameRules

__all__ = ["ElementBuilder"]


class ElementBuilder(TreeWalker[str]):
    """Makes elements as a reader makes them of what `TreeWriter` writes; comments and the DOCTYPE are left out."""

    def __init__(self, library: Any, rules: NameRules, *, max_depth: int, namespaces: bool) -> None:
        """Set what makes the elements: `library` is ElementTree's module; the rest is as for `TreeWalker`."""
        super().__init__(rules, max_depth=max_depth, namespaces=namespaces)
        self._target = target = library.TreeBuilder()
        self._text, self._end = target.data, target.end

    def build(self, document: Document, container: str | None) -> Any:
        """Return the root of a document, or an element of the name `container` with the content of a fragment."""
        self.write(document, container)
        return self._target.close()

    def _start(self, node: Node, parent: str | None) -> str:
        tag = self._name(node.name)
        if (namespace := node.namespace) and (namespace != XHTML_NAMESPACE or self._namespaces):
            tag = f"{{{namespace}}}{tag}"
        attributes: dict[str, str] = {}
        if node.attributes:
            for name, value in self._attributes(node):
                attributes.setdefault(name if isinstance(name, str) else f"{{{name[2]}}}{name[1]}", value)
        self._target.start(tag, attributes)
        if not node.children:
            self._end(tag)
        return tag
