"""The parsers that are compared, each as it is used where documents are broken."""

from collections.abc import Callable, Iterator
from functools import partial
from io import BytesIO
from typing import Any, Final, NamedTuple

from drivers import driver, has_intent
from recovery_facts import Node
from versions import libxml2, version_of

__all__ = [
    "DRAFT",
    "FEED_PARSERS",
    "INTENT",
    "PARSERS",
    "Parser",
    "installed",
    "missing",
    "tree",
    "versions",
]

DRAFT: Final = "xml5tree draft"
INTENT: Final = "xml5tree"  # the default


class Parser(NamedTuple):
    """A parser.

    Attributes:
        package: the distribution that has to be installed.
        parse: bytes to elements: the outermost ones.
        meant: what it should find is what this makes of the document as it was meant.
        folds_case: whether all names are in lower case.
        policy: the `recovery` that it is run with, if it is ours; "" for those of others.
    """

    name: str
    package: str
    parse: Callable[[bytes], list[Node]]
    meant: Callable[[bytes], list[Node]]
    folds_case: bool = False
    policy: str = ""


def _xml5tree(data: bytes, **options: Any) -> list[Node]:
    import xml5tree

    try:
        return [_from_lxml(xml5tree.fromstring(data, backend="lxml", **options))]
    except xml5tree.ParseError:
        return []


def _lxml(data: bytes) -> list[Node]:
    from lxml import etree

    root = etree.fromstring(data, etree.XMLParser(recover=True, huge_tree=True))
    return [] if root is None else [_from_lxml(root)]


def tree(data: bytes) -> list[Node]:
    """What lxml makes of a well-formed document.

    Raises:
        lxml.etree.XMLSyntaxError: if it is not well-formed.
    """
    from lxml import etree

    return [_from_lxml(etree.fromstring(data, etree.XMLParser(huge_tree=True)))]


def _from_lxml(root: Any) -> Node:
    return _convert(root, _open_lxml, _element_tree_contents)


def _open_lxml(element: Any) -> Node:
    node = Node(_written(element.tag, element.prefix))
    for name, value in element.attrib.items():
        uri = name[1:].partition("}")[0] if name.startswith("{") else None
        prefixes = [prefix for prefix, bound in element.nsmap.items() if prefix and bound == uri]
        node.attributes[_written(name, "xml" if uri == _XML else min(prefixes, default=None))] = value
    return node


def _element_tree_contents(element: Any) -> Iterator[Any]:
    yield element.text or ""
    for child in element:
        if isinstance(child.tag, str):
            yield child
        yield child.tail or ""


def _written(name: str, prefix: str | None) -> str:
    local = name.rpartition("}")[2]
    return f"{prefix}:{local}" if prefix else local


def _beautiful_soup(data: bytes) -> list[Node]:
    from bs4 import BeautifulSoup
    from bs4.element import CData, NavigableString, Tag

    def open_tag(tag: Any) -> Node:
        attributes = {str(name): value for name, value in tag.attrs.items() if str(name).partition(":")[0] != "xmlns"}
        return Node(_written(tag.name, tag.prefix), attributes)

    def contents(tag: Any) -> Iterator[Any]:
        return (child for child in tag.contents if isinstance(child, Tag) or type(child) in (NavigableString, CData))

    return [_convert(tag, open_tag, contents) for tag in BeautifulSoup(data, "xml").contents if isinstance(tag, Tag)]


def _markupever(data: bytes) -> list[Node]:
    import markupever
    from markupever.dom import Element, Text

    def open_element(element: Any) -> Node:
        attributes = {_written(name.local, name.prefix): value for name, value in element.attrs.items()}
        return Node(_written(element.name.local, element.name.prefix), _without_declarations(attributes))

    def contents(element: Any) -> Iterator[Any]:
        for child in element.children():
            if isinstance(child, Element):
                yield child
            elif isinstance(child, Text):
                yield child.content

    roots = [node for node in markupever.parse(data, "xml").root().children() if isinstance(node, Element)]
    return [_convert(root, open_element, contents) for root in roots]


def _html5lib(data: bytes) -> list[Node]:
    import html5lib

    def open_element(element: Any) -> Node:
        attributes = {
            _written(name, "xlink" if name.startswith(f"{{{_XLINK}}}") else None).lower(): value
            for name, value in element.attrib.items()
        }
        return Node(_written(element.tag, None).lower(), _without_declarations(attributes))

    # Bytes are windows-1252 to HTML where nothing is said; an XML declaration says nothing to it.
    root = html5lib.parse(data, namespaceHTMLElements=False, likely_encoding="utf-8")
    return _in_head_and_body(_convert(root, open_element, _element_tree_contents))


def _in_head_and_body(html: Node) -> list[Node]:
    """What is in a page: html5lib adds `html`, `head` and `body` where they are not; everything is in one of them."""
    parts = [part for part in html.children if isinstance(part, Node) and part.name in ("head", "body")]
    return [child for part in parts for child in part.children if isinstance(child, Node)]


def _meant_as_html(data: bytes) -> list[Node]:
    root = _folded(tree(data)[0])
    return _in_head_and_body(root) if root.name == "html" else [root]


def _folded(node: Node) -> Node:
    attributes = {name.lower(): value for name, value in node.attributes.items()}
    children = [child if isinstance(child, str) else _folded(child) for child in node.children]
    return Node(node.name.lower(), attributes, children)


def _without_declarations(attributes: Any) -> dict[str, str]:
    return {name: value for name, value in attributes.items() if name.partition(":")[0] != "xmlns"}


def _convert(root: Any, open_element: Callable[[Any], Node], contents: Callable[[Any], Iterator[Any]]) -> Node:
    """A tree of nodes.

    Args:
        root: the outermost element.
        open_element: makes a node of an element, without what is in it.
        contents: the elements and strings in an element.
    """
    top = open_element(root)
    waiting = [(top, root)]
    while waiting:
        node, element = waiting.pop()
        for child in contents(element):
            if isinstance(child, str):
                if child:
                    node.children.append(str(child))
            else:
                inner = open_element(child)
                node.children.append(inner)
                waiting.append((inner, child))
    return top


# Feeds --------------------------------------------------------------------------------------------------------------


def _feedparser(data: bytes) -> list[Node]:
    """What feedparser says of a feed and its entries: an element for each key, with the strings in it."""
    import feedparser

    result = feedparser.parse(BytesIO(data), sanitize_html=False, resolve_relative_uris=False)
    return [_from_result("feed", result.feed), *(_from_result("entry", entry) for entry in result.entries)]


def _from_result(name: str, value: Any) -> Node:
    node = Node(name)
    if isinstance(value, dict):
        for key, inner in value.items():
            # Details say once more what is there; the base of relative addresses is not in the document.
            if not key.endswith(("_detail", "_parsed")) and key not in ("base", "language"):
                inner = inner if isinstance(inner, list) else [inner]
                node.children.extend(_from_result(key, each) for each in inner)
    elif value is not None:
        node.children.append(str(value))
    return node


def _feedparser_on_repair(data: bytes, **options: Any) -> list[Node]:
    import xml5tree

    return _feedparser(xml5tree.repair(data, **options))


def _feedparser_on_sax(data: bytes, **options: Any) -> list[Node]:
    import feedparser

    name = driver(**options)
    before = feedparser.api.PREFERRED_XML_PARSERS
    feedparser.api.PREFERRED_XML_PARSERS = [name]
    try:
        return _feedparser(data)
    finally:
        feedparser.api.PREFERRED_XML_PARSERS = before


# All ----------------------------------------------------------------------------------------------------------------

_XML: Final = "http://www.w3.org/XML/1998/namespace"
_XLINK: Final = "http://www.w3.org/1999/xlink"
_DRAFT_OPTIONS: Final[dict[str, Any]] = {"recovery": "draft"}
_INTENT_OPTIONS: Final[dict[str, Any]] = {"recovery": "intent"}

PARSERS: Final = (
    Parser(DRAFT, "xml5tree", partial(_xml5tree, **_DRAFT_OPTIONS), tree, policy="draft"),
    Parser(INTENT, "xml5tree", partial(_xml5tree, **_INTENT_OPTIONS), tree, policy="intent"),
    Parser("lxml", "lxml", _lxml, tree),
    Parser("BeautifulSoup", "beautifulsoup4", _beautiful_soup, tree),
    Parser("markupever", "markupever", _markupever, tree),
    Parser("html5lib", "html5lib", _html5lib, _meant_as_html, folds_case=True),
)


def _on_feedparser(name: str, parse: Callable[[bytes], list[Node]], policy: str = "") -> Parser:
    return Parser(name, "feedparser", parse, _feedparser, policy=policy)


FEED_PARSERS: Final = (
    _on_feedparser("feedparser", _feedparser),
    _on_feedparser("feedparser on repair", partial(_feedparser_on_repair, **_DRAFT_OPTIONS), "draft"),
    _on_feedparser("feedparser on our SAX", partial(_feedparser_on_sax, **_DRAFT_OPTIONS), "draft"),
    _on_feedparser("feedparser on repair, intent", partial(_feedparser_on_repair, **_INTENT_OPTIONS), "intent"),
    _on_feedparser("feedparser on our SAX, intent", partial(_feedparser_on_sax, **_INTENT_OPTIONS), "intent"),
)


def missing(parser: Parser) -> str:
    """Why a parser cannot be run; "" where it can."""
    if parser.policy == "intent" and not has_intent():
        return 'this xml5tree does not take recovery="intent"'
    if parser.package != "xml5tree" and version_of(parser.package) is None:
        return f"{parser.package} is not installed"
    return ""


def installed(parsers: tuple[Parser, ...]) -> list[Parser]:
    """Those that can be run."""
    return [parser for parser in parsers if not missing(parser)]


def versions(parsers: list[Parser]) -> dict[str, str]:
    """The version of each of the distributions but ours, and of libxml2."""
    found = {parser.package: str(version_of(parser.package)) for parser in parsers if parser.package != "xml5tree"}
    return found | {"libxml2": libxml2()}
