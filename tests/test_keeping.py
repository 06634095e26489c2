"""What a repair keeps besides the content: encoding, byte order mark and line breaks (invariants I4, I5, I10)."""

import tracemalloc
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from support import nearxml
from support.splits import chunkings

import xml5tree
from compat.lanes import LANES, lane

WAYS = [{"recovery": "draft"}, {"recovery": "intent"}, {"dialect": "microxml"}]
IDS = ["draft", "intent", "microxml"]
ENCODINGS = ["utf-8", "utf-8-sig", "iso-8859-1", "windows-1252", "utf-16", "utf-16-le", "shift_jis"]


@st.composite
def broken_documents(draw):
    """Documents of bytes or text: of all encodings and line breaks, with bytes that are no characters."""
    text = draw(nearxml.documents() | nearxml.near_markup())
    breaks = draw(st.sampled_from(["\n", "\r\n", "\r", "mixed"]))
    if breaks == "mixed":
        before, *lines = text.replace(" ", "\n").split("\n")
        text = before + "".join([draw(st.sampled_from(["\n", "\r\n", "\r"])) + line for line in lines])
    else:
        text = text.replace("\n", breaks)
    encoding = draw(st.sampled_from([None, *ENCODINGS]))
    if encoding is None:
        return text
    label = draw(st.sampled_from([encoding, "utf-8", "iso-8859-2", None]))
    if label is not None and not text.lstrip().startswith("<?xml"):
        text = f"<?xml version='1.0' encoding='{label}'?>{text}"
    document = text.encode(encoding, draw(st.sampled_from(["replace", "xmlcharrefreplace"])))
    if draw(st.booleans()):
        place = draw(st.integers(0, len(document)))
        document = document[:place] + draw(st.sampled_from([b"\x81", b"\xe9", b"\x01", b"\xff"])) + document[place:]
    return document


@pytest.mark.parametrize("way", WAYS, ids=IDS)
@given(data=st.data())
def test_only_what_is_broken_changes(way, data):
    document = data.draw(broken_documents())
    edits = []
    with lane(data.draw(st.sampled_from(sorted(LANES)))):
        try:
            markup = xml5tree.repair(document, **way)
        except xml5tree.ParseError:
            return
        fed = xml5tree.Repairer(**way)
        parts = [fed.feed(piece) for piece in data.draw(chunkings(document))]
        assert markup[:0].join([*parts, fed.close()]) == markup  # I4
    # I5; lxml takes some instructions in a `str` for XML declarations
    ET.fromstring(markup)
    etree.fromstring(markup.encode() if isinstance(markup, str) else markup, etree.XMLParser(huge_tree=True))
    if way.get("recovery") != "intent":
        assert xml5tree.repair(markup, **way) == markup
    # I10
    assert xml5tree.repair(document, edits=edits, **way) == markup == xml5tree.apply(document, edits)
    assert xml5tree.apply(markup, xml5tree.invert(edits)) == document


STRAY = [b"\xe9t\xe9", b"\xe0\xe8\xea\xe7", b"\xe9\x94", b"\xe3\x81", b"\x81"]
VALID = ["頻", "ɻ", "é", "日"]


@given(data=st.data())
def test_bytes_that_are_utf_8_by_chance(data):
    words = st.sampled_from([*STRAY * 3, *[word.encode() for word in VALID], b"x", b"\r\n", b"</b>", b"<b>"])
    document = b"<a>" + b"".join(data.draw(st.lists(words, max_size=40))) + b"</a>"
    markup = xml5tree.repair(document)
    repairer = xml5tree.Repairer(recovery="intent")
    assert b"".join([*map(repairer.feed, data.draw(chunkings(document))), repairer.close()]) == markup
    edits = xml5tree.edits(document)
    assert xml5tree.apply(document, edits) == markup
    for record in xml5tree.records([document], "b", spans=True):
        assert record.byte_offset == record.span[0]
        assert document[record.byte_offset :].startswith(b"<b>")


@pytest.mark.parametrize("space", [" ", "\n", " \n "])
def test_space_that_is_left_out_takes_no_line_break(space):
    """White space before everything else may leave no lines; what follows keeps its own line breaks (I4)."""
    document = f'<!DOCTYPE 1[\n]>{space}x<m a=""\r>'
    whole = xml5tree.repair(document)
    assert '<m a=""\r>' in whole
    for size in (1, 2, 7, 13):
        repairer = xml5tree.Repairer()
        parts = [repairer.feed(document[start : start + size]) for start in range(0, len(document), size)]
        assert "".join(parts) + repairer.close() == whole


@pytest.mark.parametrize("name", sorted(LANES))
@pytest.mark.parametrize("last", ["\n", "\r", "\r\n", "\n\r\n", "\n\n"])
@pytest.mark.parametrize("dropped", ["</c>", "</c></d>", "</c\n>"])
def test_line_breaks_around_what_is_dropped_stay_two(name, dropped, last):
    document = f"<a>\r{dropped}{last}<b>x\r{dropped}{last}\n</b></a>"
    with lane(name):
        markup = xml5tree.repair(document, recovery="draft")
        assert markup == xml5tree.repair(document, edits=[], recovery="draft")
        tree = xml5tree.fromstring(document, recovery="draft")
    assert ET.tostring(ET.fromstring(markup)) == ET.tostring(tree)


@pytest.mark.parametrize("recovery", ["draft", "intent"])
@pytest.mark.parametrize("breaks", [["\r\n"], ["\r\n", "\n"], ["\r", "\r\n"], ["\n", "\r"]])
def test_line_breaks_far_from_an_error_are_those_of_the_document(breaks, recovery):
    rows = [f"<row>{breaks[number % len(breaks)]}<n>joe</n></row>\n" for number in range(300)]
    before, after = f"<r>{''.join(rows)}", f"{''.join(rows[::-1])}</r>"
    assert xml5tree.repair(f"{before}<n>a & b</n>{after}", recovery=recovery) == f"{before}<n>a &amp; b</n>{after}"


@pytest.mark.parametrize("size", [1, 2, 7])
def test_mixed_line_breaks_after_surrogate_pairs_that_come_in_parts(size):
    document = "<r>\r\n\r\ud83d\ude00<b\nx=1>\ud83d\ude00</c\r\n>\r\n\n</b>\r</r>"
    repairer = xml5tree.Repairer()
    parts = [repairer.feed(document[start : start + size]) for start in range(0, len(document), size)]
    assert "".join([*parts, repairer.close()]) == xml5tree.repair(document, recovery="draft")


@pytest.mark.parametrize("size", [1, 5, 10])
@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_line_breaks_before_the_part_in_which_they_are_mixed(way, size):
    document = "<r>\r\n<a>\r\nx</a>\r\n<b>y</b>\n<b>y</b>\n</r>"
    repairer = xml5tree.Repairer(**way)
    parts = [repairer.feed(document[start : start + size]) for start in range(0, len(document), size)]
    assert "".join([*parts, repairer.close()]) == document


def test_mixed_line_breaks_take_constant_memory():
    """Even where no further one follows."""
    part = b"<a>some words here</a>" * 10_000
    repairer = xml5tree.Repairer(recovery="draft")
    repairer.feed(b"<r>\r\n<a>x</a>\n<a>y & z</a>")
    tracemalloc.start()
    try:
        for _ in range(30):
            repairer.feed(part)
        assert tracemalloc.get_traced_memory()[0] < 3_500_000  # of 6.6 million
    finally:
        tracemalloc.stop()
