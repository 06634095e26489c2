"""Every example of the decisions, on both backends and as repaired markup."""

import json
import pathlib
from collections import Counter

import pytest
from lxml import etree

import xml5tree
from support.trees import dump_document

CASES = json.loads((pathlib.Path(__file__).parent / "data" / "decisions.json").read_text("utf-8"))


def document(case):
    return bytes.fromhex(case["bytes"]) if "bytes" in case else case["input"]


def without_doctype(dump):
    return [line for line in dump if not line.startswith("doctype")]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_decision(case):
    parser = xml5tree.XMLParser(backend="lxml", attribute_defaults=True)
    if case["tree"] is None:
        with pytest.raises(xml5tree.ParseError) as raised:
            parser.feed(document(case))
            parser.close()
        assert raised.value.code == "no-root-element"
    else:
        parser.feed(document(case))
        root = parser.close()
        expected = etree.fromstring(case["tree"].encode())
        assert without_doctype(dump_document(root)) == without_doctype(dump_document(expected))
    if case["errors"] is not None:
        assert Counter(entry.code for entry in parser.error_log) == case["errors"]
