"""The ways to parse that compat/speed.py compares."""

import sys
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from io import BytesIO
from typing import Any, Final, NamedTuple

from versions import expat, libxml2, version_of

__all__ = ["EXPAT", "LIBXML2", "PEERS", "Peer", "Reader", "versions"]

_CHUNK: Final = 1 << 16


class Reader(NamedTuple):
    """A parser, imported: what it makes of a document, and the names of the elements in that."""

    parse: Callable[[Any], Any]
    names: Callable[[Any], Iterable[str]]


def _names_of_tree(root: Any) -> list[str]:
    return [element.tag for element in root.iter() if isinstance(element.tag, str)]


def _names_of_markup(markup: str) -> list[str]:
    import xml.etree.ElementTree as ET

    return _names_of_tree(ET.fromstring(markup))


def _element_tree() -> Reader:
    import xml.etree.ElementTree as ET

    return Reader(ET.fromstring, _names_of_tree)


def _lxml(*, recover: bool = False) -> Reader:
    from lxml import etree

    return Reader(lambda data: etree.fromstring(data, etree.XMLParser(huge_tree=True, recover=recover)), _names_of_tree)


def _markupever() -> Reader:
    import markupever
    from markupever.dom import Element

    def names(tree: Any) -> list[str]:
        return [node.name.local for node in tree.root().descendants() if isinstance(node, Element)]

    return Reader(lambda data: markupever.parse(data, "xml"), names)


def _beautiful_soup() -> Reader:
    from bs4 import BeautifulSoup

    return Reader(
        lambda data: BeautifulSoup(data, "xml"), lambda soup: [element.name for element in soup.find_all(True)]
    )


def _html5lib() -> Reader:
    import html5lib

    return Reader(lambda data: html5lib.parse(data, namespaceHTMLElements=False), _names_of_tree)


def _feedparser() -> Reader:
    import feedparser

    return Reader(lambda data: feedparser.parse(BytesIO(data)), lambda result: ["item"] * len(result.entries))


def _fromstring(backend: str, **options: Any) -> Reader:
    import xml5tree

    xml5tree.fromstring("<a/>", backend=backend, **options)
    return Reader(lambda data: xml5tree.fromstring(data, backend=backend, **options), _names_of_tree)


def _incremental(backend: str) -> Reader:
    import xml5tree

    def parse(data: bytes) -> Any:
        parser = xml5tree.XMLParser(backend=backend, recovery="draft")
        for start in range(0, len(data), _CHUNK):
            parser.feed(data[start : start + _CHUNK])
        return parser.close()

    xml5tree.fromstring("<a/>", backend=backend)
    return Reader(parse, _names_of_tree)


def _repair(*, by_states: bool = False, dialect: str = "xml5") -> Reader:
    from lanes import lane

    import xml5tree

    def repair(text: str) -> str:
        with lane("states") if by_states else nullcontext():
            return xml5tree.repair(text, dialect=dialect, recovery="draft")

    return Reader(repair, _names_of_markup)


def _without_declaration(document: Any) -> Any:
    """A document without its XML declaration, which MicroXML does not have."""
    end = "?>" if isinstance(document, str) else b"?>"
    return document[document.index(end) + len(end) :] if end in document[:100] else document


def _microxml(backend: str) -> Reader:
    import xml5tree

    xml5tree.fromstring("<a/>", backend=backend, dialect="microxml")
    return Reader(
        lambda data: xml5tree.fromstring(_without_declaration(data), backend=backend, dialect="microxml"),
        _names_of_tree,
    )


def _repair_microxml() -> Reader:
    import xml5tree

    return Reader(lambda text: xml5tree.repair(text, dialect="microxml"), _names_of_markup)


class Peer(NamedTuple):
    """A way to parse.

    Attributes:
        package: the distribution that has to be installed.
        native: the peer whose time for the well-formed document is the measure.
        load: imports it.
        slow: whether it gets only one round.
        feeds_only: whether it takes nothing but feeds, and gives their items.
        takes_text: whether it is given text; the others are given bytes.
    """

    name: str
    package: str | None
    native: str
    load: Callable[[], Reader]
    slow: bool = False
    feeds_only: bool = False
    takes_text: bool = False


EXPAT: Final = "ElementTree"
LIBXML2: Final = "lxml"
PEERS: Final = {
    peer.name: peer
    for peer in (
        Peer(EXPAT, None, EXPAT, _element_tree),
        Peer(LIBXML2, "lxml", LIBXML2, _lxml),
        Peer("lxml-recover", "lxml", LIBXML2, lambda: _lxml(recover=True)),
        Peer("markupever", "markupever", LIBXML2, _markupever),
        Peer("BeautifulSoup", "beautifulsoup4", LIBXML2, _beautiful_soup, slow=True),
        Peer("html5lib", "html5lib", EXPAT, _html5lib, slow=True),
        Peer("feedparser", "feedparser", LIBXML2, _feedparser, slow=True, feeds_only=True),
        Peer("xml5tree-etree", "xml5tree", EXPAT, lambda: _fromstring("etree", recovery="draft")),
        Peer("xml5tree-lxml", "xml5tree", LIBXML2, lambda: _fromstring("lxml", recovery="draft")),
        Peer("xml5tree-etree-intent", "xml5tree", EXPAT, lambda: _fromstring("etree", recovery="intent")),
        Peer("xml5tree-lxml-intent", "xml5tree", LIBXML2, lambda: _fromstring("lxml", recovery="intent")),
        Peer("xml5tree-etree-feed", "xml5tree", EXPAT, lambda: _incremental("etree")),
        Peer("xml5tree-lxml-feed", "xml5tree", LIBXML2, lambda: _incremental("lxml")),
        Peer("xml5tree-repair", "xml5tree", LIBXML2, _repair, takes_text=True),
        Peer("microxml-etree", "xml5tree", EXPAT, lambda: _microxml("etree")),
        Peer("microxml-lxml", "xml5tree", LIBXML2, lambda: _microxml("lxml")),
        Peer("microxml-repair", "xml5tree", LIBXML2, _repair_microxml, takes_text=True),
        Peer("xml5tree-repair-states", "xml5tree", LIBXML2, lambda: _repair(by_states=True), True, takes_text=True),
        Peer("leafxml-etree", "xml5tree", EXPAT, lambda: _fromstring("etree", dialect="leafxml")),
        Peer("leafxml-lxml", "xml5tree", LIBXML2, lambda: _fromstring("lxml", dialect="leafxml")),
        Peer("leafxml-repair", "xml5tree", LIBXML2, lambda: _repair(dialect="leafxml"), takes_text=True),
    )
}


def versions(peers: Iterable[Peer]) -> str:
    """The versions of what these peers are made of."""
    found = [f"Python {sys.version.split()[0]}", expat()]
    for package in dict.fromkeys(peer.package for peer in peers if peer.package):
        found.append(f"{package} {version_of(package)}")
        if package == "lxml":
            found.append(f"libxml2 {libxml2()}")
    return ", ".join(found)
