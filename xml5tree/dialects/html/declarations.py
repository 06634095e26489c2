"""Attributes that would be namespace declarations in XML (H-118)."""

from typing import Final

from xml5tree.dialects.html.nodes import AttributeName
from xml5tree.xml.prefixes import XMLNS_NAMESPACE

__all__ = ["declared_name", "is_declaration", "name_if_other"]

_XLINK: Final = "http://www.w3.org/1999/xlink"


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
