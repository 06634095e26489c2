"""Where records and the elements of events stand in the source, so that it can be cut out."""

import pickle
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import nearxml
from support.splits import chunkings, chunks

import xml5tree
from compat.lanes import LANES, lane

WAYS = [{"recovery": "draft"}, {"recovery": "intent"}, {"dialect": "microxml"}]
IDS = ["draft", "intent", "microxml"]
BACKENDS = ["etree", "lxml"]
ENCODINGS = [None, "utf-8", "utf-8-sig", "iso-8859-1", "utf-16", "shift_jis"]


@st.composite
def in_any_units(draw, texts):
    """Documents of bytes or text, with line breaks of several kinds, and their encodings."""
    text = draw(texts).replace("\n", draw(st.sampled_from(["\n", "\r\n", "\r"])))
    encoding = draw(st.sampled_from(ENCODINGS))
    if encoding is None:
        return text, None
    if text.startswith("<?xml"):
        text = text.partition("?>")[2]
    text = f"<?xml version='1.0' encoding='{encoding.removesuffix('-sig')}'?>{text}"
    return text.encode(encoding, "xmlcharrefreplace"), encoding


def spans_of_records(pieces, **options):
    found = []
    with suppress(xml5tree.ParseError):
        for record in xml5tree.records(pieces, "*", spans=True, **options):
            found.append((record.element.tag, record.span))
    return found


def spans_of_events(pieces, **options):
    found = []
    with suppress(xml5tree.ParseError):
        parser = xml5tree.iterparse(pieces, spans=True, **options)
        for _, element in parser:
            found.append((element.tag, parser.span_of(element)))
    if options.get("dialect") == "microxml" and found and found[-1][0] == "U000023doc":
        del found[-1]  # the element around the document, which is no record
    return found


@pytest.mark.parametrize("size", range(1, 12))
@pytest.mark.parametrize("before", [b"\n\n", b"<!DOCTYPE rss>", b"\xff\xfe"])
def test_spans_where_the_beginning_is_looked_through(before, size):
    """What the declaration or the root is looked for in waits for more than the first part."""
    text = "<rss><item>1</item></rss>"
    document = before + text.encode("utf-16-le" if before == b"\xff\xfe" else "utf-8")
    pieces = list(chunks(document, size))
    whole = spans_of_records([document])
    assert whole[-1] == ("rss", (len(before), len(document)))
    assert spans_of_records(pieces) == whole
    assert spans_of_events(pieces) == spans_of_events([document])


@pytest.mark.filterwarnings("ignore::xml5tree.RowsWarning")  # elements after the root
@pytest.mark.parametrize("way", WAYS, ids=IDS)
@given(data=st.data())
def test_spans_are_the_same_however_the_document_comes(way, data):
    document, _ = data.draw(in_any_units(nearxml.documents() | nearxml.near_markup()))
    options = {"backend": data.draw(st.sampled_from(BACKENDS)), **way}
    expected = spans_of_records([document], **options)
    assert all(0 <= begin <= end <= len(document) for _, (begin, end) in expected)
    pieces = data.draw(chunkings(document))
    with lane(data.draw(st.sampled_from(sorted(LANES)))):
        assert spans_of_records(pieces, **options) == expected
        assert spans_of_events(pieces, **options) == expected


@pytest.mark.parametrize("recovery", ["draft", "intent"])
@given(document=nearxml.well_formed_documents(), as_bytes=st.booleans())
def test_the_source_of_an_element_is_that_element(recovery, document, as_bytes):
    source = document.encode() if as_bytes else document
    parser = xml5tree.iterparse([source], spans=True, recovery=recovery)
    ended = [(element, parser.span_of(element)) for _, element in parser]
    if "<!DOCTYPE" in document:  # of which entities bring elements
        return
    for element, (begin, end) in ended:
        again = xml5tree.fromstring(source[begin:end], recovery="draft")
        assert (source[begin : begin + 1], source[end - 1 : end]) in {("<", ">"), (b"<", b">")}
        assert [local_and_text(one) for one in again.iter()] == [local_and_text(one) for one in element.iter()]


def local_and_text(element):
    return element.tag.rpartition("}")[2], element.text


@pytest.mark.filterwarnings("ignore:the document is cut off:xml5tree.RowsWarning")
@pytest.mark.parametrize(
    ("document", "sources"),
    [
        ("<r>\r\n<item>a</item>\r\n<item>b</item></r>", ["<item>a</item>", "<item>b</item>"]),
        ("\ufeff<r><item/></r>".encode("utf-16-le"), ["<item/>".encode("utf-16-le")]),
        ("<r><item>é</item></r>".encode(), ["<item>é</item>".encode()]),
        (b"<r><item>\xe9</item><item></r>", [b"<item>\xe9</item>", b"<item>"]),
        ("<r><item>a<item>b</r>", ["<item>b", "<item>a<item>b"]),
        ("<r><item>a</r>", ["<item>a"]),
        ("<r><item>a", ["<item>a"]),
        ("<r><item>a</item", ["<item>a</item"]),
    ],
)
@pytest.mark.parametrize("fields", [None, {"text": "."}])
def test_spans_of_records(document, sources, fields):
    found = list(xml5tree.records([document], spans=True, fields=fields, recovery="draft"))
    assert [document[slice(*record.span)] for record in found] == sources
    assert [pickle.loads(pickle.dumps(record)).span for record in found] == [record.span for record in found]


@pytest.mark.parametrize("size", [7, 1 << 20])
def test_spans_of_many_records(size):
    count = 300 if size == 7 else 5000
    document = ("<r>" + "<item a='é'>x</item>\r\n<other/><item>y</item>" * count + "</r>").encode()
    pieces = [document[start : start + size] for start in range(0, len(document), size)]
    found = [record.span for record in xml5tree.records(pieces, spans=True, recovery="draft")]
    assert {document[slice(*span)] for span in found} == {"<item a='é'>x</item>".encode(), b"<item>y</item>"}
    assert len({*found}) == 2 * count


def test_nobody_pays_who_does_not_ask():
    (record,) = xml5tree.records(["<r><item/></r>"])
    assert record.span is None
    parser = xml5tree.iterparse(["<r/>"])
    for _, element in parser:
        with pytest.raises(ValueError, match="spans=True"):
            parser.span_of(element)


def test_spans_are_of_the_element_that_ended_last():
    parser = xml5tree.iterparse(["<r><a/></r>"], ["start", "end"], spans=True)
    for event, element in parser:
        if event == "start":
            with pytest.raises(ValueError, match="read last"):
                parser.span_of(element)


@pytest.mark.parametrize("options", [{"recovery": "strict"}, {"events": ["start"]}, {"events": ["end", "text"]}])
def test_what_has_no_spans(options):
    with pytest.raises(ValueError, match="spans"):
        xml5tree.iterparse(["<r/>"], spans=True, **options)
