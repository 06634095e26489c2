"""The drop-ins and the modules that they stand in for agree: trees and events of well-formed documents, exceptions."""

import gzip
import io
import runpy
import xml.etree.ElementTree
from pathlib import Path

import lxml.etree
import pytest
from support.cases import each_case
from support.splits import chunks
from support.trees import assert_same_document, assert_same_lines, assert_same_tree
from support.wellformed import SMALL, every_document

import xml5tree.ElementTree
import xml5tree.lxml.etree

DOCS = Path(__file__).parent.parent / "docs"

PAIRS = {
    "ElementTree": (xml5tree.ElementTree, xml.etree.ElementTree),
    "lxml": (xml5tree.lxml.etree, lxml.etree),
}
each_pair = pytest.mark.parametrize(("dropin", "original"), PAIRS.values(), ids=PAIRS)

EVENTS = ("start", "end", "start-ns", "end-ns", "comment", "pi")
CHUNK = 9_973


def octets(document):
    return document.encode() if isinstance(document, str) else document


def assert_same(actual, expected):
    """Everything in two trees of one library is the same."""
    if hasattr(expected, "getroottree"):
        assert_same_document(actual, expected, prefixes=True, lines=True)
    else:
        assert_same_tree(actual, expected)


# Trees


@each_pair
@every_document
def test_trees(document, dropin, original, tmp_path):
    data = document()
    expected = original.fromstring(data)
    assert_same(dropin.fromstring(data), expected)
    assert_same(dropin.fromstring(data, dropin.XMLParser()), expected)
    assert_same(dropin.XML(bytearray(data) if isinstance(data, bytes) else data), expected)
    assert_same(dropin.fromstringlist(list(chunks(data, CHUNK))), expected)
    assert_same(dropin.fromstringlist(chunks(data, CHUNK), dropin.XMLParser()), expected)
    assert_same(dropin.parse(io.BytesIO(data) if isinstance(data, bytes) else io.StringIO(data)).getroot(), expected)
    path = tmp_path / "document.xml"
    path.write_bytes(octets(data))
    assert_same(dropin.parse(path).getroot(), expected)
    assert_same(dropin.parse(str(path), dropin.XMLParser()).getroot(), expected)
    with gzip.open(io.BytesIO(gzip.compress(path.read_bytes()))) as file:
        assert_same(dropin.parse(file).getroot(), expected)
    root, ids = dropin.XMLID(data)
    assert ids.keys() == original.XMLID(data)[1].keys()
    assert_same(root, expected)


# Events


def described(event, node):
    """An event as text: all that is certain when it is reported."""
    if event in ("start-ns", "end-ns"):
        return f"{event} {node}"
    if event in ("comment", "pi"):
        return f"{event} {node.text!r} {getattr(node, 'target', None)}"
    text = f" {node.text!r} {[child.tail for child in node]}" if event == "end" else ""
    line = getattr(node, "sourceline", None) if event == "end" else None
    return f"{event} {node.tag} {dict(node.attrib)}{text} {line}"


def events_of(parser, data, size):
    """The events of a document that a parser is fed in parts."""
    events = []
    for part in chunks(data, size):
        parser.feed(part)
        events += [described(*event) for event in parser.read_events()]
    parser.close()
    return events + [described(*event) for event in parser.read_events()]


@each_pair
@every_document
def test_events(document, dropin, original):
    data = document()
    iterator = original.iterparse(io.BytesIO(octets(data)), events=EVENTS)
    expected = [described(*event) for event in iterator]
    assert expected
    ours = dropin.iterparse(io.BytesIO(octets(data)), events=EVENTS)
    assert_same_lines([described(*event) for event in ours], expected)
    assert_same(ours.root, iterator.root)
    pulled = events_of(original.XMLPullParser(EVENTS), data, CHUNK)
    for size in (CHUNK, len(data), *([1] if len(data) < CHUNK else [])):
        assert_same_lines(events_of(dropin.XMLPullParser(EVENTS), data, size), pulled)


@each_pair
@each_case("events", [None, *((event,) for event in EVENTS), ("comment", "start", "end-ns"), ()])
@each_case("document", [SMALL["namespaces"], SMALL["outside the root"], SMALL["inside the root"]])
def test_kinds_of_events(document, dropin, original, events):
    arguments = {} if events is None else {"events": events}
    expected = [described(*event) for event in original.iterparse(io.BytesIO(document), **arguments)]
    assert [described(*event) for event in dropin.iterparse(io.BytesIO(document), **arguments)] == expected
    expected = events_of(original.XMLPullParser(**arguments), document, 7)
    assert events_of(dropin.XMLPullParser(**arguments), document, 7) == expected


# Exceptions


class Unreadable:
    """A file that cannot be read."""

    def read(self, size=-1):
        raise ZeroDivisionError


class Odd:
    """A file that reads what is no document, and does so for ever."""

    def read(self, size=-1):
        return 5


def closed():
    file = io.BytesIO(b"<a/>")
    file.close()
    return file


def pull(module, data, **options):
    parser = module.XMLPullParser(**options)
    parser.feed(data)
    list(parser.read_events())
    parser.close()
    list(parser.read_events())


WRONG = {
    "parse: no such file": lambda module: module.parse("no such file"),
    "parse: no such path": lambda module: module.parse(Path("no such file")),
    "parse: a directory": lambda module: module.parse("/"),
    "parse: markup": lambda module: module.parse("<a/>"),
    "parse: nothing": lambda module: module.parse(),
    "parse: None": lambda module: module.parse(None),
    "parse: a list": lambda module: module.parse([]),
    "parse: an object": lambda module: module.parse(object()),
    "parse: unreadable": lambda module: module.parse(Unreadable()),
    "parse: closed": lambda module: module.parse(closed()),
    "parse: empty": lambda module: module.parse(io.BytesIO()),
    "parse: no parser": lambda module: module.parse(io.BytesIO(b"<a/>"), 5),
    "parse: too much": lambda module: module.parse(io.BytesIO(b"<a/>"), None, None, None),
    "fromstring: nothing": lambda module: module.fromstring(),
    "fromstring: a number": lambda module: module.fromstring(5),
    "fromstring: a list": lambda module: module.fromstring([b"<a/>"]),
    "fromstring: a file": lambda module: module.fromstring(io.BytesIO(b"<a/>")),
    "fromstring: empty text": lambda module: module.fromstring(""),
    "fromstring: empty bytes": lambda module: module.fromstring(b""),
    "fromstring: blank": lambda module: module.fromstring(" \n"),
    "fromstring: a comment": lambda module: module.fromstring("<!-- a -->"),
    "fromstring: no markup": lambda module: module.fromstring("no markup"),
    "fromstring: no parser": lambda module: module.fromstring("<a/>", 5),
    "fromstring: an option": lambda module: module.fromstring("<a/>", colour="red"),
    "XML: empty": lambda module: module.XML(b""),
    "XML: a number": lambda module: module.XML(5),
    "XMLID: empty": lambda module: module.XMLID(""),
    "XMLID: a number": lambda module: module.XMLID(5),
    "fromstringlist: nothing": lambda module: module.fromstringlist(),
    "fromstringlist: a number": lambda module: module.fromstringlist(5),
    "fromstringlist: numbers": lambda module: module.fromstringlist([5]),
    "fromstringlist: empty": lambda module: module.fromstringlist([]),
    "fromstringlist: empty parts": lambda module: module.fromstringlist([b"", b""]),
    "iterparse: no such file": lambda module: module.iterparse("no such file"),
    "iterparse: a directory": lambda module: list(module.iterparse("/")),
    "iterparse: nothing": lambda module: module.iterparse(),
    "iterparse: None": lambda module: list(module.iterparse(None)),
    "iterparse: a number that is no file": lambda module: list(module.iterparse(2.5)),
    "iterparse: unreadable": lambda module: list(module.iterparse(Unreadable())),
    "iterparse: odd": lambda module: list(module.iterparse(Odd())),
    "iterparse: closed": lambda module: list(module.iterparse(closed())),
    "iterparse: empty": lambda module: list(module.iterparse(io.BytesIO())),
    "iterparse: no markup": lambda module: list(module.iterparse(io.BytesIO(b"no markup"))),
    "iterparse: no such event": lambda module: module.iterparse(io.BytesIO(b"<a/>"), ["sneeze"]),
    "iterparse: no events": lambda module: module.iterparse(io.BytesIO(b"<a/>"), 5),
    "iterparse: an option": lambda module: module.iterparse(io.BytesIO(b"<a/>"), colour="red"),
    "XMLParser: an option": lambda module: module.XMLParser(colour="red"),
    "XMLParser: an argument": lambda module: module.XMLParser("utf-8"),
    "XMLParser: encoding": lambda module: module.XMLParser(encoding=1),
    "XMLParser: no such encoding": lambda module: module.fromstring(b"<a/>", module.XMLParser(encoding="x-unknown")),
    "XMLParser: fed with nothing": lambda module: module.XMLParser().feed(),
    "XMLParser: fed with a number": lambda module: module.XMLParser().feed(5),
    "XMLParser: fed with None": lambda module: module.XMLParser().feed(None),
    "XMLParser: not fed": lambda module: module.XMLParser().close(),
    "XMLPullParser: no such event": lambda module: module.XMLPullParser(["sneeze"]),
    "XMLPullParser: no events": lambda module: module.XMLPullParser(5),
    "XMLPullParser: an option": lambda module: module.XMLPullParser(colour="red"),
    "XMLPullParser: fed with a number": lambda module: module.XMLPullParser().feed(5),
    "XMLPullParser: empty": lambda module: pull(module, b""),
    "XMLPullParser: no markup": lambda module: pull(module, b"no markup"),
    "XMLPullParser: not fed": lambda module: module.XMLPullParser().close(),
    "ElementTree: no such file": lambda module: module.ElementTree(file="no such file"),
    "ElementTree: parse": lambda module: module.ElementTree().parse("no such file"),
    "ElementTree: parse None": lambda module: module.ElementTree().parse(None),
}


def exception_of(call, module):
    try:
        return None, call(module)
    except Exception as error:
        return error, None


@each_pair
@each_case("call", WRONG.values(), ids=WRONG)
def test_exceptions(call, dropin, original):
    expected, _ = exception_of(call, original)
    error, result = exception_of(call, dropin)
    assert expected is not None
    assert error is not None, result
    assert isinstance(error, type(expected)), (repr(error), repr(expected))


LIST_DIFFERENCES = runpy.run_path(str(DOCS / "list_differences.py"))


@pytest.mark.parametrize("drop_in", LIST_DIFFERENCES["DROP_INS"], ids=lambda drop_in: drop_in.name)
def test_calls_that_differ(drop_in):
    """What is on the page differs."""
    for what, _, of_original, ours in LIST_DIFFERENCES["rows"](drop_in):
        assert of_original != ours, what


def test_the_page_of_differences():
    _, on_page, _ = LIST_DIFFERENCES["parts"]((DOCS / "internals" / "differences.md").read_text("utf-8"))
    assert on_page == LIST_DIFFERENCES["table"](), "run python docs/list_differences.py"
