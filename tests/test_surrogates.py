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


# Bytes

HIGH, LOW = (chr(half).encode("utf-8", "surrogatepass") for half in (0xD83D, 0xDE09))
BYTES = [
    (HIGH + LOW, "😉"),
    ("\ud800\udc00\udbff\udfff".encode("utf-8", "surrogatepass"), "\U00010000\U0010ffff"),
    (HIGH + LOW + HIGH + LOW, "😉😉"),
    (HIGH, LOST),
    (LOW, LOST),
    (HIGH + b"x" + LOW, f"{LOST}x{LOST}"),
    (LOW + HIGH, LOST * 2),
    (HIGH + HIGH + LOW, f"{LOST}😉"),
    (HIGH + LOW + LOW, f"😉{LOST}"),
    (HIGH + "힣".encode(), f"{LOST}힣"),
    ("힣".encode() + HIGH + LOW, "힣😉"),
    (HIGH + LOW + "é😉".encode(), "😉é😉"),
    (b"x\r\n" + HIGH + LOW + b"\r\n" + HIGH, f"x\n😉\n{LOST}"),
    (b"\xe9" + HIGH, "éí\xa0½"),  # in a document in windows-1252
]


def read(document, size, **options):
    parser = xml5tree.XMLParser(**options)
    for piece in chunks(document, size):
        parser.feed(piece)
    return parser.close().text, list(parser.error_log)


@each_backend
@pytest.mark.parametrize("recovery", ["intent", "draft"])
@each_case(("data", "text"), BYTES)
def test_bytes(data, text, recovery, backend):
    options = {"recovery": recovery, "backend": backend}
    for mark in (b"", b"\xef\xbb\xbf"):
        document = mark + b"<a>" + data + b"</a>"
        if mark and "é" in text[:1]:
            continue
        whole = read(document, len(document), **options)
        assert whole[0] == text
        assert {entry.code for entry in whole[1]} == {"invalid-byte-sequence"}
        lost = [entry.offset - 3 for entry in whole[1] if entry.effect == "lost"]
        assert lost == [place for place, character in enumerate(text) if character == LOST]
        assert ET.fromstring(xml5tree.repair(document, recovery=recovery)).text == text
        for size in range(1, 8):
            assert read(document, size, **options) == whole, size


@each_case(("data", "text"), BYTES)
def test_edits_of_bytes(data, text):
    document = b"<a>" + data + b"</a>"
    edits = xml5tree.edits(document)
    assert ET.fromstring(xml5tree.apply(document, edits)).text == text
    for edit in edits:
        assert document[edit.begin : edit.end] == edit.original


def test_places_after_such_bytes():
    document = b"<r>" + (b"<i>" + HIGH + LOW + b"</i>") * 3 + b"<i>" + HIGH + b"</i></r>"
    for size in (1, 5, len(document)):
        found = [record.span for record in xml5tree.records(chunks(document, size), "i", spans=True)]
        assert [document[begin:end] for begin, end in found] == [b"<i>" + HIGH + LOW + b"</i>"] * 3 + [
            b"<i>" + HIGH + b"</i>"
        ]


@pytest.mark.parametrize("dialect", ["microxml", "html"])
def test_other_dialects_read_such_bytes(dialect):
    parser = xml5tree.XMLParser(dialect=dialect, backend="lxml")
    parser.feed(b"<p>" + HIGH + LOW + HIGH + b"</p>")
    assert "".join(parser.close().itertext()) == f"😉{LOST}"
    entries = [entry for entry in parser.error_log if entry.code == "invalid-byte-sequence"]
    assert [(entry.offset, entry.effect) for entry in entries] == [(3, "kept"), (4, "lost")]


@given(
    st.lists(st.sampled_from([HIGH, LOW, b"\xed", b"\xed\xa0", b"x", b"\xe9", "é".encode(), b"\r\n", b"\xbd"])),
    st.data(),
)
def test_bytes_in_any_order(parts, data):
    document = b"<a>" + b"".join(parts) + b"</a>"
    pieces = data.draw(chunkings(document))
    parser = xml5tree.XMLParser()
    for piece in pieces:
        parser.feed(piece)
    assert (parser.close().text, list(parser.error_log)) == read(document, len(document))
    assert xml5tree.apply(document, xml5tree.edits(document)) == xml5tree.repair(document)
