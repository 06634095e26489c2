"""A program for type checkers: what functions give is known, and the drop-ins export what they should."""

from typing import assert_type
from xml.etree.ElementTree import Element as StandardElement
from xml.etree.ElementTree import ElementTree as StandardTree

from lxml.etree import _Element as LxmlElement  # pyright: ignore[reportPrivateUsage]
from lxml.etree import _ElementTree as LxmlTree  # pyright: ignore[reportPrivateUsage]

import xml5tree
import xml5tree.ElementTree as ET
from xml5tree.lxml import etree, objectify


class Counter:
    """A target."""

    def start(self, tag: str, attributes: dict[str, str]) -> None: ...

    def close(self) -> int:
        return 0


def functions(path: str) -> None:
    assert_type(xml5tree.fromstring("<a>"), StandardElement)
    assert_type(xml5tree.fromstring("<a>", backend="lxml"), LxmlElement)
    assert_type(xml5tree.fromstringlist(["<a>"]), StandardElement)
    assert_type(xml5tree.fromstringlist(["<a>"], backend="lxml"), LxmlElement)
    assert_type(xml5tree.parse(path).getroot(), StandardElement)
    assert_type(xml5tree.parse(path, backend="lxml").getroot(), LxmlElement)
    assert_type(xml5tree.repair("<a>", max_depth=9), str)
    assert_type(xml5tree.repair(b"<a>"), bytes)
    assert_type([entry.line for entry in xml5tree.XMLParser().error_log], list[int])


def html(path: str) -> None:
    """HTML has options of its own, which calls do not take that read only XML."""
    assert_type(xml5tree.fromstring("<p>", dialect="html", fragment=True, scripting=True), StandardElement)
    list(xml5tree.tokenize("<p>", dialect="html", content_models=False))
    list(xml5tree.tokenize("<p>", content_models=False))  # type: ignore[call-overload]
    xml5tree.repair("<p>", scripting=True)  # type: ignore[call-overload]
    xml5tree.open(path, fragment=True)  # type: ignore[call-arg]


def parsers(path: str) -> None:
    parser = xml5tree.XMLParser()
    assert_type(parser.close(), StandardElement)
    assert_type(xml5tree.fromstring("<a>", parser=parser), StandardElement)
    assert_type(xml5tree.fromstringlist(["<a>"], parser=parser), StandardElement)
    assert_type(xml5tree.parse(path, parser=parser), StandardTree[StandardElement])
    of_lxml = xml5tree.XMLParser(backend="lxml")
    assert_type(xml5tree.fromstring("<a>", parser=of_lxml), LxmlElement)
    assert_type(xml5tree.parse(path, parser=of_lxml), LxmlTree)
    assert_type(xml5tree.fromstring("<a>", parser=xml5tree.XMLParser(target=Counter())), int)


def unannotated(parser: xml5tree.XMLParser, events: xml5tree.iterparse) -> None:
    """Parameters need no type arguments."""
    parser.feed("<a>")
    events.close()


def events(path: str) -> None:
    for _, element in xml5tree.iterparse(path):
        assert_type(element, StandardElement)
    for _, of_lxml in xml5tree.iterparse(path, ("start", "end"), backend="lxml"):
        assert_type(of_lxml, LxmlElement)
    for _, found in xml5tree.iterparse(path, ("end", "start-ns")):
        assert_type(found, StandardElement | tuple[StandardElement | str, str] | xml5tree.ErrorEntry | None)
    assert_type(xml5tree.iterparse(path).root, StandardElement | None)
    for _, pulled in xml5tree.XMLPullParser().read_events():
        assert_type(pulled, StandardElement)


def elementtree_drop_in(path: str) -> None:
    root = ET.Element("a")
    ET.SubElement(root, "b")
    assert_type(ET.tostring(root), bytes)
    assert_type(ET.QName("u", "a").text, str)
    assert_type(ET.fromstring("<a>"), StandardElement)
    assert_type(ET.XML("<a>", entities="xml"), StandardElement)
    assert_type(ET.fromstringlist(["<a>"]), StandardElement)
    assert_type(ET.parse(path).getroot(), StandardElement)
    assert_type(ET.parse(path, ET.XMLParser()).getroot(), StandardElement)
    assert_type(ET.fromstring("<a>", ET.XMLParser()), StandardElement)
    assert_type(ET.fromstring("<a>", ET.XMLParser(target=Counter())), int)
    for _, element in ET.iterparse(path):
        assert_type(element, StandardElement)
    try:
        ET.fromstring("")
    except ET.ParseError as error:
        assert_type(error.code, int)


def lxml_drop_in(path: str) -> None:
    root = etree.Element("a")
    etree.SubElement(root, "b")
    etree.tostring(root)
    etree.QName("u", "a")
    etree.XPath("//a")
    assert_type(etree.fromstring("<a>"), LxmlElement)
    assert_type(etree.fromstring("<a>", etree.XMLParser(huge_tree=True)), LxmlElement)
    assert_type(etree.XML("<a>"), LxmlElement)
    assert_type(etree.fromstringlist(["<a>"]), LxmlElement)
    assert_type(etree.parse(path), LxmlTree)
    assert_type(etree.parse(path, etree.XMLParser()).getroot(), LxmlElement)
    assert_type(etree.XMLParser().close(), LxmlElement)
    for _, element in etree.iterparse(path):
        assert_type(element, LxmlElement)
    try:
        etree.fromstring("")
    except etree.XMLSyntaxError as error:
        assert_type(error.lineno, int | None)
    assert_type(objectify.fromstring("<a>"), objectify.ObjectifiedElement)
