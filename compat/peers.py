"""Show what parsers make of faults that are common in the wild.

usage: python -m compat.peers

Each document has one fault, and things in it that nobody would want to lose: texts, attribute values, elements. The
table says for each parser whether they are there. The run fails where one of them is missing from our tree.
"""

import sys
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from lxml import etree

import xml5tree
from compat.drivers import has_intent
from compat.invariants import ACCEPTED_BY_LIBXML2
from compat.versions import version_of


class Tree(NamedTuple):
    """What is in a tree."""

    elements: set[str]  # their local names
    texts: list[str]
    values: set[str]  # of attributes
    printed: bytes  # the markup that it is written as


class Fault(NamedTuple):
    """A document with a fault, and what must not be lost of it."""

    name: str
    document: bytes
    elements: str = ""
    texts: tuple[str, ...] = ()
    values: tuple[str, ...] = ()


FAULTS = (
    Fault("none", b"<A><link>u</link><b c='1'/>x</A>", "A link b", ("u", "x"), ("1",)),
    Fault("unescaped & in text", b"<a>Tom & Jerry, R&D</a>", texts=("Tom & Jerry, R&D",)),
    Fault("unescaped & in a URL", b"<a u='/?x=1&copy=2&y=3'>/?a=1&b=2</a>", "a", ("/?a=1&b=2",), ("/?x=1&copy=2&y=3",)),
    Fault("unescaped < in text", b"<a>5 < 6<b>x</b></a>", "a b", ("5 < 6", "x")),
    Fault("entity of HTML", b"<a>caf&eacute;&nbsp;x</a>", texts=("café\xa0x",)),
    Fault("unknown entity", b"<a>x &unknown; y</a>", texts=("x &unknown; y",)),
    Fault("end tag missing", b"<a><b>1<c>2</c></a>", "a b c", ("1", "2")),
    Fault("end tag too many", b"<a>1</b><c>2</c></a>", "a c", ("1", "2")),
    Fault("end tags swapped", b"<a><b>1<i>2</b></i><c>3</c></a>", "a b i c", ("1", "2", "3")),
    Fault("attribute without quotes", b"<a b=1 c='2'>x</a>", "a", ("x",), ("1", "2")),
    Fault("attribute without value", b"<a b c='2'>x</a>", "a", ("x",), ("2",)),
    Fault("attribute twice", b"<a b='1' b='2'>x</a>", "a", ("x",), ("1",)),
    Fault("no space between attributes", b"<a b='1'c='2'>x</a>", "a", ("x",), ("1", "2")),
    Fault("< in an attribute value", b"<a b='1<2'>x</a>", "a", ("x",), ("1<2",)),
    Fault("undeclared prefix", b"<a><m:b m:c='1'>x</m:b></a>", "a b", ("x",), ("1",)),
    Fault("control character", b"<a>x\x0by<b>z</b></a>", "a b", ("x", "z")),
    Fault("byte of another encoding", b"<a>caf\xe9<b>\xc3\xa9</b></a>", "a b", ("café", "é")),
    Fault("emoji as two references", b"<a>&#55357;&#56841;x<b>y</b></a>", "a b", ("x", "y")),
    Fault("-- in a comment", b"<a><!-- x -- y -->1<b>2</b></a>", "a b", ("1", "2")),
    Fault("]]> in text", b"<a>x ]]> y<b>z</b></a>", "a b", ("x ]]> y", "z")),
    Fault("CDATA not closed", b"<a><b>1</b><![CDATA[2</a>", "a b", ("1", "2")),
    Fault("declaration after a blank line", b"\n<?xml version='1.0'?><a>x</a>", "a", ("x",)),
    Fault("text before the root", b"Warning: x\n<a>y</a>", "a", ("y",)),
    Fault("cut short in a tag", b"<a><b c='1'>x</b><b c='2", "a b", ("x",), ("1",)),
    Fault("declared utf-16, is utf-8", b"<?xml version='1.0' encoding='utf-16'?><a>x</a>", "a", ("x",)),
)


def with_elementtree(data: bytes) -> Tree | None:
    return of_root(ET.fromstring(data), ET.tostring)


def with_lxml(data: bytes) -> Tree | None:
    return of_root(etree.fromstring(data), etree.tostring)


def with_lxml_recovering(data: bytes) -> Tree | None:
    return of_root(etree.fromstring(data, etree.XMLParser(recover=True)), etree.tostring)


def with_xml5tree(data: bytes, **options: Any) -> Tree | None:
    try:
        return of_root(xml5tree.fromstring(data, backend="lxml", **options), etree.tostring)
    except xml5tree.ParseError as error:
        if error.code != "no-root-element":
            raise
        return None


def with_html5lib(data: bytes) -> Tree | None:
    import html5lib

    return of_root(html5lib.parse(data, namespaceHTMLElements=False), ET.tostring)


def of_root(root: Any, print_: Callable[..., bytes]) -> Tree | None:
    """What is in a tree of ElementTree or lxml."""
    if root is None:
        return None
    elements = [element for element in root.iter() if isinstance(element.tag, str)]
    texts = [text for node in root.iter() for text in (node.text if node in elements else "", node.tail) if text]
    names = {name_in(element.tag) for element in elements}
    values = {value for element in elements for value in element.attrib.values()}
    return Tree(names, texts, values, print_(root, encoding="utf-8"))


def name_in(tag: str) -> str:
    return tag.rpartition("}")[2].rpartition(":")[2]


def with_beautiful_soup(data: bytes) -> Tree | None:
    import bs4

    soup = bs4.BeautifulSoup(data, "xml")
    elements = soup.find_all(True)
    values = {str(value) for element in elements for value in element.attrs.values()}
    texts = [str(text) for text in soup.find_all(string=True)]
    return Tree({name_in(element.name) for element in elements}, texts, values, soup.encode()) if elements else None


def with_markupever(data: bytes) -> Tree | None:
    import markupever
    from markupever import dom

    tree = markupever.parse(data, "xml")
    nodes = list(tree.root().descendants())
    elements = [node for node in nodes if isinstance(node, dom.Element)]
    values = {value for element in elements for value in element.attrs.values()}
    texts = [node.content for node in nodes if isinstance(node, dom.Text)]
    return Tree({name.name.local for name in elements}, texts, values, tree.serialize().encode()) if elements else None


class Peer(NamedTuple):
    """A parser; `read` gives None, or raises an exception, for what it does not take."""

    name: str
    package: str | None
    recovers: bool  # reads XML that is not well-formed, as XML
    read: Callable[[bytes], Tree | None]


DRAFT: dict[str, Any] = {"recovery": "draft"}
INTENT: dict[str, Any] = {"recovery": "intent"}

PEERS = (
    Peer("ElementTree", None, False, with_elementtree),
    Peer("lxml", "lxml", False, with_lxml),
    Peer("lxml, recover", "lxml", True, with_lxml_recovering),
    Peer("BeautifulSoup, xml", "beautifulsoup4", True, with_beautiful_soup),
    Peer("html5lib", "html5lib", False, with_html5lib),
    Peer("markupever", "markupever", True, with_markupever),
    Peer("xml5tree", None, True, partial(with_xml5tree, **DRAFT)),
    Peer("xml5tree, intent", None, True, partial(with_xml5tree, **INTENT)),
)


#: Packages that guess encodings, which BeautifulSoup uses where they are installed.
DETECTORS = ("cchardet", "chardet", "charset-normalizer")


def installed() -> Iterator[tuple[Peer, str]]:
    """The parsers that are here, with their versions; says which are not."""
    for peer in PEERS:
        if peer.name == "xml5tree, intent" and not has_intent():
            print(f'{peer.name} is not run: this xml5tree does not take recovery="intent"')
            continue
        version = version_of(peer.package) if peer.package else ""
        if version is None:
            print(f"{peer.name} is not installed")
            continue
        with_detector = next((f" with {name}" for name in DETECTORS if version_of(name)), "")
        suffix = with_detector if peer.package == "beautifulsoup4" else ""
        yield peer, f"{peer.name} {version}{suffix}".rstrip()


def can_be_read(markup: bytes) -> bool:
    """Whether libxml2 accepts markup."""
    try:
        etree.fromstring(markup, ACCEPTED_BY_LIBXML2)
    except etree.LxmlError:
        return False
    return True


def outcome(peer: Peer, fault: Fault) -> str:
    """What a parser makes of a document."""
    try:
        tree = peer.read(fault.document)
    except Exception:
        return "refuses"
    if tree is None:
        return "no tree"
    text = "".join(tree.texts)
    wanted = fault.elements.split()
    lost = [
        *[f"<{name}>" for name in wanted if name not in tree.elements],
        *[part for part in fault.texts if part not in text],
        *[value for value in fault.values if value not in tree.values],
    ]
    if lost:
        return f"loses `{'`, `'.join(lost)}`"
    return "all" if can_be_read(tree.printed) else "all, prints broken XML"


def main() -> int:
    peers = dict(installed())
    print(f"| fault | document | {' | '.join(peers.values())} |\n|---|---|{'---|' * len(peers)}")
    kept: dict[str, int] = dict.fromkeys(peers.values(), 0)
    right = True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # BeautifulSoup's, of what may be HTML
        for fault in FAULTS:
            outcomes = {version: outcome(peer, fault) for peer, version in peers.items()}
            document = repr(fault.document)[2:-1].replace("|", "&#124;")
            print(f"| {fault.name} | `{document}` | {' | '.join(outcomes.values())} |")
            for version, result in outcomes.items():
                kept[version] += result == "all"
            right = right and all(result == "all" for name, result in outcomes.items() if name.startswith("xml5tree"))
    print(f"| **keeps all** | of {len(FAULTS)} | {' | '.join(map(str, kept.values()))} |")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
