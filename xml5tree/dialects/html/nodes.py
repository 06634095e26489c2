"""Nodes with the interface of html5lib's phases, and attributes that XML takes for declarations (H-118)."""

from typing import Any, Final, Literal

from xml5tree.xml.prefixes import XMLNS_NAMESPACE

#: An attribute's name; in foreign content perhaps its prefix, local name and namespace name.
AttributeName = str | tuple[str | None, str, str]

Kind = Literal["document", "element", "comment", "doctype"]

_XLINK: Final = "http://www.w3.org/1999/xlink"


class Node:
    """An element, or a document, comment or DOCTYPE, as its `kind` says.

    `nameTuple` is an element's namespace and name. The token ends at the offset `place`; `children` are nodes and
    texts. The other kinds have the attributes of an element as far as phases may ask for them.
    """

    __slots__ = ("attributes", "children", "name", "nameTuple", "namespace", "parent", "place")

    kind: Kind = "element"

    def __init__(self, name_tuple: tuple[str | None, str], attributes: Any, place: int, parent: "Node | None") -> None:
        """Make an element, which is not among the children of `parent` so far."""
        self.nameTuple = name_tuple
        self.namespace, self.name = name_tuple
        self.attributes: dict[AttributeName, str] = attributes
        self.place = place
        self.parent = parent
        self.children: list[Node | str] = []

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
        return Node(self.nameTuple, dict(self.attributes), self.place, None)

    def hasContent(self) -> bool:
        return bool(self.children)


class OtherNode(Node):
    """A document; a comment, whose `data` is its text; or a DOCTYPE, whose `data` are its identifiers."""

    __slots__ = ("data", "kind")

    def __init__(self, kind: Kind = "document", place: int = 0, data: Any = None, name: str = "") -> None:
        super().__init__((None, name), {}, place, None)
        self.kind = kind
        self.data = data


def is_declaration(name: AttributeName) -> bool:
    return name == "xmlns" or (not isinstance(name, str) and name[2] == XMLNS_NAMESPACE)


def declared_name(name: AttributeName) -> str:
    """Return the name of a declaration as the document has it."""
    return "xmlns" if isinstance(name, str) or name[1] == "xmlns" else f"xmlns:{name[1]}"


def name_if_other(name: AttributeName, value: str, namespace: str | None) -> str | None:
    """Return the name by which a declaration is written as an attribute; None if it says what the tree says anyway.

    `namespace` is that of the element.
    """
    if declared_name(name) == "xmlns":
        return None if value == namespace else "U000078mlns"
    return None if value == _XLINK else "xmlnsU00003Axlink"  # the only prefix with a namespace in foreign content
