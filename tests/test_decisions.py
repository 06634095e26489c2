"""Every example of the decisions on the draft, on both backends.

An example in `data/decisions.json` has the document (``input``, or ``bytes`` in hexadecimal digits), the tree as markup
(null: there is none), and the whole error log in its order: code, line and column of each entry.
"""

import json
import pathlib
import re

import pytest
from lxml import etree
from support.cases import each_case
from support.trees import assert_same_content, dump_document

import xml5tree

pytestmark = pytest.mark.usefixtures("reader")

CASES = json.loads((pathlib.Path(__file__).parent / "data" / "decisions.json").read_text("utf-8"))

#: Examples whose tree holds for the lxml backend only.
LXML_ONLY = {
    "D-001.2": "expat reads no such name, so the ElementTree backend coerces it (E6)",
    "D-122.1": "expat takes any namespace name, so the ElementTree backend keeps it (E7)",
}


def document(case):
    return bytes.fromhex(case["bytes"]) if "bytes" in case else case["input"]


def parse(parser, case):
    """The root element, or None where there is none."""
    parser.feed(document(case))
    try:
        return parser.close()
    except xml5tree.ParseError as error:
        assert error.code == "no-root-element"
        return None


def errors(parser):
    return [[entry.code, entry.line, entry.column] for entry in parser.error_log]


def without_doctype(dump):
    return [line for line in dump if not line.startswith("doctype")]


@each_case("case", CASES, ids=[case["id"] for case in CASES])
def test_on_lxml(case):
    parser = xml5tree.XMLParser(backend="lxml", attribute_defaults=True, recovery="draft")
    root = parse(parser, case)
    if case["tree"] is None:
        assert root is None
    else:
        expected = etree.fromstring(case["tree"].encode())
        assert without_doctype(dump_document(root)) == without_doctype(dump_document(expected))
    assert errors(parser) == case["errors"]


ON_BOTH = [case for case in CASES if case["id"] not in LXML_ONLY]


@each_case("case", ON_BOTH, ids=[case["id"] for case in ON_BOTH])
def test_on_elementtree(case):
    parser = xml5tree.XMLParser(recovery="draft")
    root = parse(parser, case)
    if case["tree"] is None:
        assert root is None
    else:
        assert_same_content(root, etree.fromstring(case["tree"].encode()))
    assert errors(parser) == case["errors"]


def test_every_decision_with_an_example_is_there():
    assert len(CASES) >= 181
    assert len(ON_BOTH) + len(LXML_ONLY) == len(CASES)
    assert len({case["id"].split(".")[0] for case in CASES}) >= 107


def test_every_decision_is_described():
    page = (pathlib.Path(__file__).parent.parent / "docs" / "internals" / "decisions.md").read_text("utf-8")
    assert re.findall(r"^\| (D-\d{3}) \| .+ \|$", page, re.MULTILINE) == [f"D-{number:03}" for number in range(1, 128)]
