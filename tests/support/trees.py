"""Print trees of either library as lines of text, and compare them.

Everything here walks in a loop, never by recursion, so that the depth of a tree does not matter.
"""

from collections.abc import Iterator, Sequence
from difflib import unified_diff
from typing import Any, Literal
from xml.etree import ElementTree

import lxml.etree

from xml5tree.tree.infoset import coerce_name
from xml5tree.xml.names import EXPAT
from xml5tree.xml.uris import percent_encode

_COMMENTS = (ElementTree.Comment, lxml.etree.Comment)
_INSTRUCTIONS = (ElementTree.ProcessingInstruction, lxml.etree.ProcessingInstruction)


def dump(node: Any, *, prefixes: bool = False, lines: bool = False) -> list[str]:
    """Dump everything that an element or tree of either library holds, one line per part.

    Nothing is smoothed over: None and empty text differ, and the order of attributes matters. The node's own tail
    belongs to the dump; what stands around the root does not (see ``dump_document``).
    For lxml, ``prefixes`` adds each element's prefix and namespace declarations, and ``lines`` the source lines.
    """
    result = []
    for event, current in _walk(_root(node)):
        if event == "start":
            result.append(_head(current))
            if prefixes and isinstance(current.tag, str):
                result.append(f"prefix {current.prefix!r} {_declarations(current)!r}")
            if lines:
                result.append(f"line {current.sourceline}")
            if isinstance(current.tag, str) and current.text is not None:
                result.append(f"text {current.text!r}")
        else:
            if isinstance(current.tag, str):
                result.append("end")
            if current.tail is not None:
                result.append(f"tail {current.tail!r}")
    return result


def dump_document(root: Any, *, prefixes: bool = False, lines: bool = False) -> list[str]:
    """Dump all of an lxml document: its DOCTYPE, the nodes before the root, the root, and the nodes after it.

    ``root`` is the root element or its tree. Of the internal subset nothing is shown.
    """
    root = _root(root)
    doctype = root.getroottree().docinfo.doctype
    result = [f"doctype {doctype!r}"] if doctype else []
    before = reversed(list(root.itersiblings(preceding=True)))
    for node in (*before, root, *root.itersiblings()):
        result += dump(node, prefixes=prefixes, lines=lines)
    return result


def dump_content(node: Any) -> list[str]:
    """Dump what both libraries hold of a tree: elements, attributes and text.

    ElementTree's parser drops comments and processing instructions and joins the text around them; so does this, for
    the trees of either library. No text and empty text are the same here.
    """
    result: list[str] = []
    text: list[str] = []

    def flush() -> None:
        joined = "".join(text)
        text.clear()
        if joined:
            result.append(f"text {joined!r}")

    for event, current in _walk(_root(node)):
        element = isinstance(current.tag, str)
        if element:
            flush()
            result.append(_head(current) if event == "start" else "end")
        if event == "end":
            text.append(current.tail or "")
        elif element:
            text.append(current.text or "")
    flush()
    return result


def comparable_content(node: Any) -> list[str]:
    """Dump what both libraries hold, in names that both parsers read.

    One takes namespace names that are no URIs, the other more letters (E6 and E7 of D-001). The tree is changed.
    """
    for element in _root(node).iter():
        if isinstance(element.tag, str):
            element.tag = _comparable_name(element.tag)
            attributes = {_comparable_name(name): value for name, value in element.attrib.items()}
            element.attrib.clear()
            element.attrib.update(attributes)
    return dump_content(node)


def _comparable_name(name: str) -> str:
    uri, brace, local = name.rpartition("}")
    return (f"{{{percent_encode(uri[1:])}}}" if brace else "") + coerce_name(local, EXPAT)


def assert_same_tree(actual: Any, expected: Any, *, prefixes: bool = False, lines: bool = False) -> None:
    """Fail at the first difference between two trees of the same library (see ``dump``)."""
    assert_same_lines(dump(actual, prefixes=prefixes, lines=lines), dump(expected, prefixes=prefixes, lines=lines))


def assert_same_document(actual: Any, expected: Any, *, prefixes: bool = False, lines: bool = False) -> None:
    """Fail at the first difference between two lxml documents (see ``dump_document``)."""
    assert_same_lines(
        dump_document(actual, prefixes=prefixes, lines=lines), dump_document(expected, prefixes=prefixes, lines=lines)
    )


def assert_same_content(actual: Any, expected: Any) -> None:
    """Fail at the first difference between two trees, up to what ElementTree cannot hold (see ``dump_content``)."""
    assert_same_lines(dump_content(actual), dump_content(expected))


def assert_same_lines(actual: Sequence[str], expected: Sequence[str]) -> None:
    """Fail with the first difference between two dumps, and a few lines around it."""
    if actual == expected:
        return
    shorter = min(len(actual), len(expected))
    first = next((index for index in range(shorter) if actual[index] != expected[index]), shorter)
    nearby = slice(max(0, first - 3), first + 4)
    difference = unified_diff(expected[nearby], actual[nearby], "expected", "actual", lineterm="", n=7)
    raise AssertionError("\n".join([f"trees differ at line {first + 1} of their dumps", *difference]))


def _root(node: Any) -> Any:
    return node.getroot() if hasattr(node, "getroot") else node


def _walk(node: Any) -> Iterator[tuple[Literal["start", "end"], Any]]:
    """``node`` and everything in it, in document order, once before its children and once after them."""
    yield "start", node
    path: list[tuple[Any, Iterator[Any]]] = [(node, iter(node))]
    while path:
        current, rest = path[-1]
        child = next(rest, None)
        if child is not None:
            yield "start", child
            path.append((child, iter(child)))
        else:
            path.pop()
            yield "end", current


def _head(node: Any) -> str:
    if isinstance(node.tag, str):
        return f"start {node.tag!r} {dict(node.attrib)!r}"
    if node.tag in _COMMENTS:
        return f"comment {node.text!r}"
    if node.tag in _INSTRUCTIONS:
        # ElementTree keeps target and data in one string, lxml keeps them apart.
        parts = [node.target, node.text] if hasattr(node, "target") else [node.text]
        return f"pi {' '.join(part for part in parts if part)!r}"
    return f"entity {node.text!r}"


def _declarations(node: Any) -> dict[str | None, str]:
    """Return the namespace declarations that ``node`` adds to its parent's."""
    parent = node.getparent()
    inherited = {} if parent is None else parent.nsmap
    return {prefix: uri for prefix, uri in node.nsmap.items() if inherited.get(prefix) != uri}
