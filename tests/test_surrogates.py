"""Halves of surrogate pairs: two references, or two sequences of bytes, that stand for one character."""

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each_case
from support.outcomes import assert_same_on_all_ways
from support.splits import chunkings, chunks, splits

import xml5tree

each_backend = pytest.mark.parametrize("backend", ["etree", "lxml"])
LOST = "\ufffd"

REFERENCES = [
    ("&#55357;&#56841;", "😉"),
    ("&#xD83D;&#xDE09;", "😉"),
    ("&#xd83d;&#xde09;", "😉"),
    ("&#55357;&#xDE09;", "😉"),
    ("&#XD83D;&#56841;", "😉"),
    ("&#0055357;&#x00DE09;", "😉"),
    ("&#55357&#56841", "😉"),
    ("&#55296;&#56320;", "\U00010000"),
    ("&#56319;&#57343;", "\U0010ffff"),
    ("&#55357;&#56841;&#55356;&#57255;", "😉🎧"),
    ("&#55357;", LOST),
    ("&#56841;", LOST),
    ("&#56841;&#55357;", LOST * 2),
    ("&#55357; &#56841;", f"{LOST} {LOST}"),
    ("&#55357;&#55357;&#56841;", f"{LOST}😉"),
    ("&#55357;&#56841;&#56841;", f"😉{LOST}"),
    ("&#55357;&#65;", f"{LOST}A"),
    ("&#55357;&amp;", f"{LOST}&"),
    ("&#55295;&#56841;", f"\ud7ff{LOST}"),
    ("&#56320;&#56841;", LOST * 2),
    ("&#55357;&#57344;", f"{LOST}\ue000"),
    ("&#55357;&#568410;", f"{LOST}\U0008ac5a"),
    ("&#553570;&#56841;", f"\U00087262{LOST}"),
]


@each_backend
@each_case(("source", "text"), REFERENCES)
def test_references(source, text, backend):
    document = f"<a k='{source}'>{source}</a>"
    root = xml5tree.fromstring(document, backend=backend)
    assert (root.text, root.get("k")) == (text, text)
    markup = xml5tree.repair(document)
    assert ET.fromstring(markup).text == text
    assert xml5tree.repair(markup) == markup
    log = xml5tree.XMLParser(backend=backend)
    log.feed(document)
    log.close()
    assert log.error_log.effect == ("lost" if LOST in text else "kept")


@each_backend
def test_the_draft_knows_no_pairs_of_references(backend):
    """D-031; so does `tokenize`."""
    document = "<a k='&#55357;&#56841;'>&#55357;&#56841;</a>"
    root = xml5tree.fromstring(document, backend=backend, recovery="draft")
    assert (root.text, root.get("k")) == (LOST * 2, LOST * 2)
    assert LOST * 2 in [getattr(token, "data", "") for token in xml5tree.tokenize(document)]


@each_backend
@pytest.mark.parametrize(
    ("subset", "content", "text"),
    [
        ("<!ENTITY e '&#55357;&#56841;'>", "&e;", "😉"),
        ("<!ENTITY e '&#38;#55357;&#38;#56841;'>", "&e;", "😉"),
        ("<!ENTITY e '&#55357;'>", "&e;&#56841;", LOST * 2),
        ("<!ENTITY e '&#38;#55357;'><!ENTITY f '&#38;#56841;'>", "&e;&f;", LOST * 2),
    ],
)
def test_references_in_entities(subset, content, text, backend):
    root = xml5tree.fromstring(f"<!DOCTYPE a [{subset}]><a k='{content}'>{content}</a>", backend=backend)
    assert (root.text, root.get("k")) == (text, text)


def test_references_in_defaults():
    root = xml5tree.fromstring("<!DOCTYPE a [<!ATTLIST a k CDATA '&#55357;&#56841;'>]><a>", backend="etree")
    assert root.get("k") == "😉"


def test_the_entry_of_a_pair_of_references():
    parser = xml5tree.XMLParser()
    xml5tree.fromstring("<a>x &#xD83D;&#xDE09; y</a>", parser=parser)
    (entry,) = parser.error_log
    assert (entry.code, entry.effect, entry.offset) == ("assumed-reference", "kept", 5)
    assert entry.message == "the surrogate pair '&#xD83D;&#xDE09;' was taken for a reference to '😉'"
    edits = xml5tree.edits("<a>x &#xD83D;&#xDE09; y</a>")
    assert [(edit.original, edit.replacement) for edit in edits] == [("&#xD83D;&#xDE09;", "😉")]


def test_attributes_that_differ_in_a_pair_are_not_equal():
    """Of equal duplicates, nothing is lost."""
    repairer = xml5tree.Repairer(recovery="intent")
    repairer.feed("<a k='&#55357;&#56841;' k='&#55357;&#56842;'/>")
    repairer.close()
    assert repairer.error_log.effect == "lost"


@pytest.mark.parametrize("recovery", ["intent", "draft"])
@each_case("source", [source for source, _ in REFERENCES])
def test_references_on_all_ways(source, recovery):
    content = f"<i k='{source}'>{source}</i>" * 3
    document = f"<a>{'<b/>' * 40}{content}{'<b>x</b>' * 40}</a>"
    for size in (1, 3):
        assert_same_on_all_ways(document, list(chunks(document, size)), {"recovery": recovery})
    for pieces in splits(f"<a>{source}</a>"):
        assert_same_on_all_ways("".join(pieces), pieces, {"recovery": recovery})


@given(st.data())
def test_references_in_any_order(data):
    forms = st.sampled_from(
        [source for source, _ in REFERENCES] + ["x", "&", "&#", "&#x", "&#5", ";", "<b/>", "&#5535"]
    )
    document = f"<a>{''.join(data.draw(st.lists(forms, max_size=6)))}</a>"
    assert_same_on_all_ways(document, data.draw(chunkings(document)), {"recovery": "intent"})
