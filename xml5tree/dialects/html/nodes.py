"""Nodes of a tree under construction, with the interface that html5lib's phases use."""

from typing import Literal, Self

__all__ = ["Document", "Node"]

#: An attribute's name; in foreign content perhaps its prefix, local name and namespace name.
AttributeName = str | tuple[str | None, str, str]

Kind = Literal["document", "element", "comment", "doctype"]


class Node:
    """A document, element, comment or DOCTYPE, as its `kind` says.

    `name` is that of an element or DOCTYPE, `nameTuple` an element's namespace and name, `ids` a DOCTYPE's public and
    system identifier. The token ends on `line`; `children` are nodes and texts.
    """

    __slots__ = ("attributes", "children", "data", "ids", "kind", "line", "name", "nameTuple", "namespace", "parent")

    def __init__(self, kind: Kind, line: int) -> None:
        self.kind = kind
        self.line = line
        self.name = ""
        self.namespace: str | None = None
        self.nameTuple: tuple[str | None, str] = (None, "")
        self.attributes: dict[AttributeName, str] = {}
        self.data = ""
        self.ids: tuple[str | None, str | None] = (None, None)
        self.parent: Node | None = None
        self.children: list[Node | str] = []

    @classmethod
    def element(cls, name: str, namespace: str, line: int) -> Self:
        node = cls("element", line)
        node.name = name
        node.namespace = namespace
        node.nameTuple = namespace, name
        return node

    @classmethod
    def comment(cls, data: str, line: int) -> Self:
        node = cls("comment", line)
        node.data = data
        return node

    @classmethod
    def doctype(cls, name: str, public_id: str | None, system_id: str | None, line: int) -> Self:
        node = cls("doctype", line)
        node.name = name
        node.ids = public_id, system_id
        return node

    def appendChild(self, node: "Node") -> None:
        self.children.append(node)
        node.parent = self

    def insertText(self, data: str, insertBefore: "Node | None" = None) -> None:
        if insertBefore is None:
            self.children.append(data)
        else:
            self.children.insert(self._place(insertBefore), data)

    def insertBefore(self, node: "Node", refNode: "Node") -> None:
        self.children.insert(self._place(refNode), node)
        node.parent = self

    def removeChild(self, node: "Node") -> None:
        del self.children[self._place(node)]
        node.parent = None

    def _place(self, node: "Node") -> int:
        """Return the index of a child; it is mostly one of the last."""
        for place in range(len(self.children) - 1, -1, -1):
            if self.children[place] is node:
                return place
        raise ValueError("no child of this node")

    def reparentChildren(self, newParent: "Node") -> None:
        for child in self.children:
            if isinstance(child, Node):
                child.parent = newParent
        newParent.children += self.children
        self.children = []

    def cloneNode(self) -> "Node":
        """Return a copy of an element without its children."""
        clone = Node.element(self.name, self.namespace or "", self.line)
        clone.attributes = dict(self.attributes)
        return clone

    def hasContent(self) -> bool:
        return bool(self.children)


class Document(Node):
    """The document."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("document", 1)
