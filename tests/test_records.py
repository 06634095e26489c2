"""Records of streams: what is in them, where they stand, whose errors are whose."""

import asyncio
import copy
import gc
import importlib.util
import io
import itertools
import json
import os
import pickle
import re
import subprocess
import sys
import tracemalloc
import warnings
import xml.etree.ElementTree as ET
from contextlib import nullcontext
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from support import nearxml
from support.cases import each_case, in_whole_run, one_in
from support.nearleafxml import near_leafxml
from support.nearmicroxml import near_microxml
from support.scaling import assert_scales_linearly
from support.splits import chunkings, chunks, cut

import xml5tree
from compat.lanes import LANES, lane
from xml5tree import aiterparse
from xml5tree.accelerator import compiled
from xml5tree.dialects.xml5 import core
from xml5tree.nesting import json_text
from xml5tree.record import Record, RecordRun
from xml5tree.records import arecords, records

#: Of a document that is made at random, or has no records on purpose, no warning says so.
MAY_HAVE_NO_RECORDS = pytest.mark.filterwarnings("ignore::xml5tree.RowsWarning")

BACKENDS = ["etree", "lxml"]
both_backends = pytest.mark.parametrize("backend", BACKENDS)
each_recovery = pytest.mark.parametrize("recovery", ["draft", "intent"])

FEED = """<rss xmlns:media="urn:m"><channel><title>All & sundry</title>
<item id=1><title>One & all</title><link href="/1"/><media:content url="u"/></item>
<item id="2"><title>Two</title><author>A</author><author>B</author></item>&lost;
<item id="3"><title>Thr\x0cee</title></item>
</channel></rss>"""


def known(record):
    """All that is known of a record, so that it can be compared."""
    places = (record.number, record.line, record.offset, record.byte_offset)
    return dict(record), *places, record.errors, record.effect


def known_of(pieces, **options):
    """The records of a document in pieces, and the code of the exception in the end, if there is one."""
    found = []
    reader = records(iter(pieces), **options)
    try:
        found.extend(map(known, reader))
    except xml5tree.ParseError as error:
        found.append(error.code)
    return found, list(map(str, reader.error_log)), reader.error_log.total


# What they are


@both_backends
def test_element_and_mapping(backend):
    fields = {"title": "title/text()", "link": "link/@href", "id": "@id", "media": "media:content/@url", "no": "x/@y"}
    found = list(
        records([FEED], backend=backend, fields={**fields, "authors": ["author"]}, namespaces={"media": "urn:m"})
    )
    assert [record.element.get("id") for record in found] == ["1", "2", "3"]
    assert dict(found[0]) == {"title": "One & all", "link": "/1", "id": "1", "media": "u", "no": None, "authors": []}
    assert found[1]["authors"] == ["A", "B"]
    assert list(found[1]) == [*fields, "authors"]
    assert len(found[1]) == 6
    assert type(found[0].element) is {"etree": ET.Element, "lxml": etree._Element}[backend]


@both_backends
def test_nested_dictionaries(backend):
    document = (
        "<r xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns='urn:a'><item xml:lang='en'> <dc:date> 1 </dc:date>"
        "<a/><a x='1'/><a>t<b>u</b>v</a><x xmlns='urn:b'/><z:z/>\n text</item><item>only text</item><item/></r>"
    )
    found = list(map(dict, records([document], "{urn:a}item", backend=backend)))
    assert found == [
        {
            "@xml:lang": "en",
            "dc:date": "1",
            "a": [None, {"@x": "1"}, {"b": "u", "#text": "tv"}],
            "{urn:b}x": None,
            "z:z": None,
            "#text": "text",
        },
        {"#text": "only text"},
        {},
    ]


def test_convention_of_xmltodict():
    xmltodict = pytest.importorskip("xmltodict")
    document = "<item a='1'>x<b>1</b><b c='2'> y </b><d><e/>\n</d>\n</item>"
    assert dict(next(records([f"<r>{document}</r>"]))) == xmltodict.parse(document)["item"]


def test_nested_dictionaries_of_deep_elements():
    document = "<r><item>" + "<a>" * 1500 + "x" + "</a>" * 1500 + "</item></r>"
    value = dict(next(records([document])))
    for _ in range(1500):
        value = value["a"]
    assert value == "x"


def test_paths_of_xpath():
    fields = {"count": "count(author)", "last": "author[last()]", "both": "title | author", "any": "{*}title"}
    found = list(records([FEED], backend="lxml", fields=fields))
    assert dict(found[1]) == {"count": 2.0, "last": "B", "both": "Two", "any": "Two"}


VALUES = """<item id="1" m:a="2" xmlns:m="m"><a/><a>t<!--c-->u<b>v</b>w</a><a h="3">z</a><b>x<!--c-->y</b>
<m:c m:k="9">q</m:c><d/>text</item>"""
PATHS = (
    "a b d m:c e a/text() d/text() m:c/text() a/@h m:c/@m:k b/@h @id @m:a @no a/b a/b/text() text() . * .//b a[@h] a[2]"
)


@both_backends
@each_case("path", PATHS.split())
def test_the_value_of_a_path_is_the_first_that_it_finds(backend, path):
    fields = {"first": path, "all": [path]}
    (record,) = records([VALUES], fields=fields, backend=backend, namespaces={"m": "m"})
    assert record["first"] == (record["all"][0] if record["all"] else None)


def test_values_of_xpath_and_of_short_paths():
    root = etree.fromstring(VALUES)
    for path in PATHS.split():
        (record,) = records([VALUES], fields={"value": path}, backend="lxml", namespaces={"m": "m"})
        found = [
            item if isinstance(item, str) else "".join(item.itertext())
            for item in root.xpath(path, namespaces={"m": "m"})
        ]
        assert record["value"] == (found[0] if found else None), path


def test_paths_that_are_kept_know_their_backend_and_prefixes():
    """What finds the values of a path is kept for the next call, but not what depends on the call."""
    source = b"<r><item xmlns:dc='u' xmlns:p='v'><dc:a>1</dc:a><p:a>2</p:a><b>3</b></item></r>"
    for backend in ("etree", "lxml", "etree"):
        for _ in range(2):
            (record,) = xml5tree.records([source], fields={"b": "b"}, backend=backend)
            assert record["b"] == "3"
        for uri, value in (("u", "1"), ("v", "2")):
            (record,) = xml5tree.records([source], fields={"a": "dc:a"}, namespaces={"dc": uri}, backend=backend)
            assert record["a"] == value
    (record,) = xml5tree.records([source], fields={"all": ["b"]})
    assert record["all"] == ["3"]


def test_prefixes_in_paths():
    text = "<item xmlns='u' xmlns:m='m'><m:a m:b='1'><m:c>2</m:c></m:a><m:a><m:c>3</m:c></m:a></item>"
    paths = ["m:a/m:c", "m:a[m:c='3']/m:c", ".//m:a[@m:b='1']/@m:b", "{m}a/@{m}b", "m:a[@m:b]/text()", ".//{*}c"]
    (record,) = records([text], "{u}item", fields={path: path for path in paths}, namespaces={"m": "m"})
    assert list(record.values()) == ["2", "3", "1", "1", None, "2"]


@pytest.mark.parametrize("prefix", ["m", "a.b-c", "_1", "l·l", "e\u0301", "é", "𝄞"])
@pytest.mark.parametrize("path", ["{0}:a", "./{0}:a", "*/{0}:b/text()", "{0}:a/@{0}:k", "*[{0}:b]/@{0}:k", "*/{0}:b"])
def test_characters_of_prefixes_in_paths(prefix, path):
    record = "<item xmlns:p='u'><p:a p:k='1'><p:b>1</p:b></p:a></item>"
    (found,) = records([record], fields={"x": path.format(prefix)}, namespaces={prefix: "u"})
    assert found["x"] == "1"


@both_backends
@pytest.mark.parametrize("path", ["a[", "//a//[", "zzz:a/@b", "a/@zzz:b", "nothing()"])
def test_bad_paths(backend, path):
    with pytest.raises(ValueError, match=r"path|XPath|prefix"):
        records([FEED], backend=backend, fields={"a": path})


@pytest.mark.parametrize(
    ("path", "words"), [("t[", ""), ("a]", ""), ("", ""), ("//a", ": cannot use absolute path on element")]
)
def test_bad_paths_of_element_tree(path, words):
    """The message has what is wrong with a path, but not how ElementTree failed."""
    with pytest.raises(ValueError, match="path") as caught:
        records([FEED], fields={"a": path})
    assert str(caught.value) == f"{path!r} is no path of ElementTree's{words}"


def test_extension_functions_that_want_a_real_element():
    functions = etree.FunctionNamespace(None)
    functions["first-text"] = lambda context, nodes: nodes[0].text
    try:
        rows = records(["<r><item><n>1</n></item></r>"], backend="lxml", fields={"n": "first-text(n)"})
        assert [dict(row) for row in rows] == [{"n": "1"}]
    finally:
        del functions["first-text"]


@pytest.mark.parametrize("path", [1, None, [], ["a", "b"], [1]])
def test_bad_types_of_paths(path):
    with pytest.raises(TypeError, match="path of a field"):
        records([FEED], fields={"a": path})


@both_backends
@pytest.mark.parametrize(
    ("tag", "count"), [("item", 1), ("{*}item", 3), ("{u}item", 1), ("{v}*", 1), ("*", 4), ("none", 0)]
)
def test_names(backend, tag, count):
    document = "<r><item/><p:item xmlns:p='u'/><item xmlns='v'/></r>"
    with nullcontext() if count else pytest.warns(xml5tree.RowsWarning, match="no element 'none' was found"):
        assert len(list(records([document], tag, backend=backend))) == count


@both_backends
def test_all_sources(backend, tmp_path):
    path = tmp_path / "feed.xml"
    path.write_text(FEED)
    expected = known_of([FEED.encode()], backend=backend, filename="feed")[0]
    with path.open("rb") as file:
        for source in (path, str(path), file, io.BytesIO(FEED.encode()), list(chunks(FEED.encode(), 7))):
            assert list(map(known, records(source, backend=backend, filename="feed"))) == expected
    assert [found[:4] for found in known_of([FEED])[0]] == [(*found[:4],) for found in known_of(list(FEED))[0]]
    with pytest.raises(TypeError):
        list(records([b"<r>", "<item/>"]))
    with pytest.raises(OSError, match="none"):
        records(tmp_path / "none.xml")


def test_wrong_values():
    for options in ({"on_bad": "x"}, {"bad_from": "worse"}, {"backend": "x"}, {"tag": "{a"}, {"recovery": "strict"}):
        with pytest.raises(ValueError, match=r"on_bad|bad|backend|tag|recover"):
            records([FEED], **options)
    with pytest.raises(TypeError, match="unknown option"):
        records([FEED], field={})


def test_a_dialect_that_does_not_tell_places_is_refused():
    with pytest.raises(ValueError, match=r"'html' does not tell where elements stand.*; fromstring and parse "):
        records([FEED], dialect="html")
    with pytest.raises(ValueError, match="does not tell where elements stand"):
        arecords(_no_parts(), dialect="html")


async def _no_parts():
    yield b""


def test_refused_documents():
    with pytest.raises(xml5tree.ParseError) as caught:
        list(records(["no tag"]))
    assert caught.value.code == "no-root-element"
    with pytest.raises(xml5tree.ParseError) as caught:
        list(records(["<!DOCTYPE r><r><item/></r>"], forbid_dtd=True))
    assert caught.value.code == "doctype-forbidden"


def test_closes_its_file(tmp_path):
    path = tmp_path / "feed.xml"
    path.write_text(FEED)
    with records(path) as found:
        next(found)
    assert list(found) == []


# A record within a record


@both_backends
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_record_in_record(backend, size):
    document = "<r><item>a<b/><item>1</item>b<c>c<item>2<item>3</item>4</item> </c><item>5</item>d</item><item/></r>"
    found = list(records(list(chunks(document, size)), backend=backend))
    assert [dict(record) for record in found] == [
        {"#text": "1"},
        {"#text": "3"},
        {"#text": "24"},
        {"#text": "5"},
        {"b": None, "c": "c", "#text": "abd"},
        {},
    ]
    assert [record.number for record in found] == [1, 2, 3, 4, 5, 6]


@both_backends
def test_elements_of_other_namespaces_are_left_in_a_record(backend):
    document = "<r><item>1<p:item xmlns:p='u'>2<item>3</item></p:item></item></r>"
    assert [dict(record) for record in records([document], backend=backend)] == [
        {"#text": "3"},
        {"#text": "1", "{u}item": "2"},
    ]


@both_backends
def test_missing_end_tag_costs_one_record(backend):
    """The one that is not closed has the rest of the document in it; all of that is found."""
    parts = ["<r>", *(f"<item><n>{n}</n></item>\n" for n in range(10)), "<item><n>10</n>\n"]
    parts += [*(f"<item><n>{n}</n></item>\n" for n in range(11, 2000)), "</r>"]
    found = list(records(parts, backend=backend))
    assert sorted(int(record["n"]) for record in found) == list(range(2000))
    bad = [record for record in found if record.errors]
    assert [record["n"] for record in bad] == ["10"]
    assert dict(bad[0]) == {"n": "10"}


# Where they stand


def test_places():
    document = "\ufeff<?xml version='1.0'?>\r\n<r>\r\n\r\n <item\n a='1'/>é😀<item/>\r<item>x</item></r>".encode()
    for size in (1, 2, 5, 1000):
        found = list(records(list(chunks(document, size))))
        assert [record.line for record in found] == [4, 5, 6]
        for record in found:
            assert document[record.byte_offset :].startswith(b"<item")
        text = document.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
        assert [text[record.offset :].startswith("<item") for record in found] == [True] * 3


ENCODINGS = [
    *[
        "utf-8",
        "utf-8-sig",
        "utf-16",
        "utf-16-le",
        "utf-32",
        "latin-1",
        "cp1252",
        "shift_jis",
        "iso-2022-jp",
        "gb18030",
    ],
    *["euc-jp", "big5"],
]


@settings(max_examples=2 * settings.default.max_examples)
@given(st.sampled_from(ENCODINGS), st.data())
def test_byte_offsets(encoding, data):
    texts = data.draw(
        st.lists(st.sampled_from(["", "\r\n", "\n", "\r", "ab", "é", "日本", "😀", "\r\r\n"]), max_size=8)
    )
    document = "<r>" + "".join(f"{text}<item/>" for text in texts) + "</r>"
    raw = document.encode(encoding, "xmlcharrefreplace")
    parts = data.draw(chunkings(raw))
    found = list(records(parts, encoding="utf-8" if encoding == "utf-8-sig" else encoding))
    assert len(found) == len(texts)
    tag = "<item/>".encode("utf-16-le" if encoding == "utf-16" else "utf-32-le" if encoding == "utf-32" else encoding)
    tag = tag.removeprefix(b"\xef\xbb\xbf")
    assert [record.byte_offset for record in found] == [match.start() for match in re.finditer(re.escape(tag), raw)]


@given(
    st.lists(st.sampled_from([b"<item/>", b"\xff", b"\xe2\x82", b"\xe2\x82\xac", b"\r\n", b"\xf0\x9f", b"x"])),
    st.data(),
)
def test_byte_offsets_after_invalid_bytes(pieces, data):
    raw = b"<r>" + b"".join(pieces) + b"</r>"
    found = list(records(data.draw(chunkings(raw))))
    assert [record.byte_offset for record in found] == [match.start() for match in re.finditer(b"<item/>", raw)]


@pytest.mark.filterwarnings("ignore:the document is cut off:xml5tree.RowsWarning")
@pytest.mark.parametrize("size", [1, 2, 3, 4, 100])
@pytest.mark.parametrize("dialect", ["xml5", "microxml"])
def test_byte_offset_after_a_byte_order_mark(dialect, size):
    """What begins the document is asked for before the encoding is known, too."""
    raw = b"\xff\xfe" + "<a>x &".encode("utf-16-le")
    assert [record.byte_offset for record in records(chunks(raw, size), "*", dialect=dialect)] == [2]


@pytest.mark.parametrize("spans", [False, True])
def test_byte_offsets_where_the_encoding_is_known_late(spans):
    """LeafXML reads on where the beginning may yet be a misspelt declaration."""
    with pytest.raises(xml5tree.ParseError, match="inside a comment"):
        list(records([b" <!--c><?p?><a/>"], "a", dialect="leafxml", spans=spans))


SHIFT_JIS = '<?xml version="1.0" encoding="shift_jis"?>'


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize("spans", [False, True])
@pytest.mark.parametrize(
    "before",
    [
        *[b"\xff\xfe<r>", b"\xff\xfe<r>" + b"x" * 80, b"\xfe\xff<r>", b"\xef\xbb\xbf<r>"],
        f"Warning: 0\n{SHIFT_JIS}<r>日本".encode("shift_jis"),
        f"\n{SHIFT_JIS}<r>日本".encode("shift_jis"),
        f"{SHIFT_JIS[:-2]}<r>日本".encode("shift_jis"),
    ],
)
def test_byte_offsets_where_the_beginning_misleads(before, spans, size):
    """A byte order mark is false, or the declaration is not at the beginning or has no end."""
    raw = before + b"<item>1</item></r>"
    (record,) = records(chunks(raw, size), spans=spans)
    assert record.byte_offset == len(before)
    assert not spans or record.span == (len(before), len(raw) - len("</r>"))


@each_case("encoding", ["utf-8", "utf-16-le", "utf-32-be", "latin-1", "shift_jis", "gb18030"])
@each_case("before", ["", "\n", "\r\n", "\r"])
@each_case("text", ["a", "é", "日本"])
def test_byte_offset_of_an_assumed_start_tag(encoding, before, text):
    """The record begins with the text that its start tag was assumed before, whatever the bytes of that are."""
    start = f"<r><item>é</item>{before}<item>2</item>{before}".encode(encoding, "xmlcharrefreplace")
    raw = start + f"{text}</item><item>3</item></r>".encode(encoding, "xmlcharrefreplace")
    found = list(records([raw], encoding=encoding, spans=True))
    assert [entry.code for entry in found[2].errors] == ["assumed-start-tag"]
    assert found[2].byte_offset == len(start)
    assert [record.byte_offset for record in found] == [record.span[0] for record in found]


# Whose errors are whose


@both_backends
def test_errors_of_records(backend):
    found = list(records([FEED.encode()], backend=backend))
    assert [[entry.code for entry in record.errors] for record in found] == [
        ["unquoted-attribute-value", "unescaped-ampersand"],
        [],
        ["control-character-in-input-stream", "coerced-character"],
    ]
    assert [record.effect for record in found] == ["kept", None, "lost"]


@pytest.mark.usefixtures("reader")
def test_records_with_values_without_quotes():
    """A slash in one does not hide where the tag ends."""
    item = "<item k=/a//b/><v k=http://c/d l=/ >x</v></item>\n"
    found = list(records([f"<r>{item * 40}</r>"]))
    assert [(record.line, len(record.errors)) for record in found] == [(line, 3) for line in range(1, 41)]


@pytest.mark.filterwarnings("ignore:the document is cut off:xml5tree.RowsWarning")
@pytest.mark.parametrize(
    ("end", "codes"),
    [
        ("<b", ["eof-in-tag", "eof-in-element"]),
        ("", ["eof-in-element"]),
        ("</item", ["eof-in-tag"]),
        ("<item>3</item></item", ["eof-in-tag"]),
        ("</item></r", None),
    ],
)
def test_errors_of_a_truncated_record(end, codes):
    *_, last = records([f"<r><item>1</item>&<item>2{end}"], recovery="draft")
    assert [entry.code for entry in last.errors] == (codes or [])
    assert last.complete == (codes is None)


def test_on_bad():
    assert [record["@id"] for record in records([FEED], on_bad="skip")] == ["1", "2"]
    assert [record["@id"] for record in records([FEED], on_bad="skip", bad_from="kept")] == ["2"]
    reader = records([FEED], on_bad="skip", bad_from="kept")
    assert [record.number for record in reader] == [2]
    assert reader.skipped == 2
    reader = records([FEED], on_bad="raise")
    assert [next(reader).number, next(reader).number] == [1, 2]
    with pytest.raises(xml5tree.ParseError, match=r"record 3: .*: line 4, column 23") as caught:
        next(reader)
    assert caught.value.code in {"control-character-in-input-stream", "coerced-character"}
    assert caught.value.position == (4, 23)
    assert len(caught.value.errors) == 2
    assert list(reader) == []
    marked = list(records([FEED], fields={"id": "@id"}, on_bad="mark"))
    assert list(marked[0]) == ["id", "_line", "_effect", "_confidence", "_errors"]
    assert [(row["_line"], row["_effect"], len(row["_errors"])) for row in marked] == [
        (2, "kept", 2),
        (3, None, 0),
        (4, "lost", 2),
    ]
    assert marked[0]["_errors"][0].startswith("2:9: unquoted-attribute-value: ")


@pytest.mark.skipif(compiled is None, reason="values are found in elements")
def test_marks_are_columns_of_values_without_elements():
    with mock.patch.object(Record, "mark", side_effect=AssertionError):
        marked = list(records([FEED], fields={"id": "@id"}, on_bad="mark"))
    assert [(record["id"], record["_effect"]) for record in marked] == [("1", "kept"), ("2", None), ("3", "lost")]


@both_backends
@each_recovery
@pytest.mark.parametrize("fields", [None, {"t": "title"}])
def test_the_log_is_one_from_beginning_to_end(tmp_path, backend, recovery, fields):
    path = tmp_path / "feed.xml"
    path.write_text(FEED)
    options = {"backend": backend, "recovery": recovery, "fields": fields}
    for source in (path, [FEED], io.BytesIO(FEED.encode())):
        reader = records(source, **options)
        log = reader.error_log
        assert list(reader)
        assert log is reader.error_log
        assert len(log) > 3

    async def parts():
        yield FEED

    async def read():
        reader = arecords(parts(), **options)
        log = reader.error_log
        assert [record async for record in reader]
        return len(log)

    assert asyncio.run(read()) > 3


@pytest.mark.parametrize("fields", [None, {"t": "t"}])
@pytest.mark.parametrize(("on_bad", "cut"), [("skip", 1), ("raise", 0)])
def test_records_are_cut_out_of_runs_only_if_they_are_bad(fields, on_bad, cut):
    items = ["<item><t>x & y</t></item>\n"] * 100
    items[60 : 60 + cut] = ["<item><t>\0</t></item>\n"] * cut
    with mock.patch.object(RecordRun, "part", autospec=True, side_effect=RecordRun.part) as part:
        found = list(records([f"<r>{''.join(items)}</r>"], fields=fields, on_bad=on_bad))
    assert [record.number for record in found] == [n for n in range(1, 101) if not (cut and n == 61)]
    assert all(record.errors for record in found)
    assert part.call_count < 10


@pytest.mark.parametrize("fields", [None, {"a": "a"}])
def test_marks_have_the_least_confidence_of_a_record(fields):
    rows = "<i><a>1</a><b>2</b></i>" * 9
    document = f"<r>{rows}<i><a>1<b>2</b></i><i><a>x & y</a><b>2</b></i>{rows}</r>"
    marked = [row["_confidence"] for row in records([document], "i", fields=fields, on_bad="mark")]
    assert [number for number, confidence in enumerate(marked) if confidence is not None] == [9]
    assert 0.5 < marked[9] < 1
    read = list(records([document], "i", fields=fields))
    assert [record.confidence for record in read] == marked
    assert marked[9] == min(entry.confidence for entry in read[9].errors if entry.confidence is not None)


def test_marks_of_the_name_of_a_value():
    with pytest.raises(ValueError, match="the column '_line' is added to all records, and has a path, too"):
        records([FEED], fields={"_line": "@id"}, on_bad="mark")
    assert next(records([FEED], fields={"_line": "@id"}))["_line"] == "1"
    record = next(records(["<r><item><_line>x</_line></item></r>"], on_bad="mark"))
    with pytest.raises(
        ValueError, match="record 1 has a value for the column '_line', which is added to all records"
    ) as raised:
        record.items()
    error = pickle.loads(pickle.dumps(raised.value))  # as pools of processes send it
    assert (type(error), str(error)) == (type(raised.value), str(raised.value))
    for fields in (None, {"_line": "_line"}):
        record = next(records(["<r><item><_line>x</_line></item></r>"], fields=fields))
        assert record["_line"] == "x"
        record.mark()
        with pytest.raises(ValueError, match="record 1 has a value for the column '_line'"):
            record.items()


@pytest.mark.filterwarnings("ignore:the document is cut off:xml5tree.RowsWarning")
@pytest.mark.parametrize("dialect", ["microxml", "leafxml"])
@both_backends
def test_other_dialects(dialect, backend):
    """Their records have places and values as those of XML5."""
    document = b"<r>\r\n<item a='\xc3\xa9'>1</item>\r\n\r\n  <item><n>2</n><item/></item></r>"
    for pieces in ([document], chunks(document, 1)):
        found = list(records(iter(pieces), dialect=dialect, backend=backend))
        assert [(row.line, row.offset, row.end, row.byte_offset, dict(row)) for row in found] == [
            (row.line, row.offset, row.end, row.byte_offset, dict(row)) for row in records([document])
        ]
    broken = records([document + b"<item>", b"3 & 4<item>5</item>"], dialect=dialect)
    if dialect == "leafxml":
        assert [next(broken).number for _ in range(3)] == [1, 2, 3]
        with pytest.raises(xml5tree.ParseError, match="a second root element"):
            next(broken)
    else:
        assert [row.effect for row in broken] == [None, None, None, None, "moved"]


def test_elements_after_the_root_are_told_of(tmp_path):
    path = tmp_path / "feed.xml"
    path.write_text("<r><item>1</item></r><item>2</item>")
    for source, name in ((path, r".*feed\.xml: "), ([path.read_text()], "")):
        with pytest.warns(
            xml5tree.RowsWarning, match=f"^{name}elements after the end of the root element were dropped"
        ):
            assert len(list(records(source))) == 1
    assert len(list(records(path, roots="all"))) == 2


def test_on_error_and_the_log_are_as_ever():
    seen = []
    reader = records([FEED], on_error=seen.append, max_errors=2)
    list(reader)
    assert len(seen) == reader.error_log.total > len(reader.error_log) == 2


def record_documents():
    """Documents with many elements that are called item, well-formed or not."""
    pieces = [
        "<item>",
        "</item>",
        "<item/>",
        "<item a='/>'>",
        "<item a=1 a=2>",
        "<p:item xmlns:p='u'>",
        "</p:item>",
        "</>",
    ]
    others = ["x", " ", "&", "<", "<b>", "</b>", "<!-- <item> -->", "<![CDATA[<item/>]]>", "<?p <item>?>", "\r\n", "é"]
    odd = ["&e;", "&amp;", "\x01", "a>item ", "<items/>", "<item:x/>", "x:item ", "<!--", "\x0c", "<x:item/>"]
    return st.lists(st.sampled_from([*pieces, *others, *odd]), max_size=30).map("".join)


SUBSET = "<!DOCTYPE r [<!ENTITY e '<item>x&</item>'><!ATTLIST item d CDATA 'é'>]>"


@MAY_HAVE_NO_RECORDS
@given(prolog=st.sampled_from(["<r>", SUBSET + "<r>"]), body=record_documents(), data=st.data())
@both_backends
def test_chunks_and_lanes(backend, prolog, body, data):
    """However the document is fed, with the core or without, the records are the same (I4, I6)."""
    document = (prolog + body).encode()
    options = {"tag": data.draw(st.sampled_from(["item", "{*}item", "*", "r"])), "backend": backend}
    with lane("states"):
        expected = known_of([document], **options)
    assert known_of([document], **options) == expected
    assert known_of(data.draw(chunkings(document)), **options) == expected


@MAY_HAVE_NO_RECORDS
@given(
    body=st.lists(record_documents(), max_size=4).map("".join), encoding=st.sampled_from(["utf-8", "latin-1", "utf-16"])
)
def test_notes_on_many_records_say_what_single_notes_do(body, encoding):
    document = f"<r>{body}</r>".encode(encoding, "xmlcharrefreplace")
    for options in ({}, {"on_bad": "mark"}, {"on_bad": "skip"}, {"on_bad": "raise", "bad_from": "kept"}):
        found = known_of([document], encoding=encoding, **options)
        assert known_of(chunks(document, 8), encoding=encoding, **options) == found
        with lane("states"):
            assert known_of([document], encoding=encoding, **options) == found


@pytest.mark.parametrize("on_bad", ["keep", "mark", "skip", "raise"])
@pytest.mark.parametrize("name", LANES)
def test_ampersands_among_many_records(on_bad, name):
    """The core reads on past them; each is an error of its own record, or of none."""
    text = (
        "<r>\n" + "".join(f"<item>{number} {'& é' if number % 3 else ''}</item>&\n" for number in range(300)) + "</r>"
    )
    with lane(name):
        reader = records([text], on_bad=on_bad, bad_from="kept")
        found = []
        if on_bad == "raise":
            with pytest.raises(xml5tree.ParseError, match="record 2"):
                found.extend(reader)
        else:
            found.extend(reader)
    kept = {"skip": range(1, 301, 3), "raise": [1]}.get(on_bad, range(1, 301))
    assert [(record.number, record.line) for record in found] == [(number, number + 1) for number in kept]
    for record in found:
        is_bad = record.number % 3 != 1
        assert [error.code for error in record.errors] == ["unescaped-ampersand"] * is_bad
        assert all(text[error.offset] == "&" and error.line == record.line for error in record.errors)
        assert ("_errors" in record) == (on_bad == "mark")
    assert reader.skipped == (200 if on_bad == "skip" else 0)


#: Errors that runs may go on past, and others that are like them.
IN_RUNS = [
    "<item a=it's>1</item>",
    "<item a=x/>2</item>",
    "<item a=x />",
    "<item a/>",
    "<item a='1'b=2 a=3/>",
    "< item>",
    "<:item/>",
    "<m:item m:a='1'/>",
    "<item><b></item>",
    "<item></>",
    "</item x>",
    "<item<b/>",
]


@both_backends
@each_case("tag", ["item", "*"])
@each_case(
    "fault", one_in(2, [*IN_RUNS, "<5 items>", "</5>", "<item a=\"'\"b='>'/>", "<item a=>6</item>", "<x a=it's/>"])
)
def test_errors_in_the_tags_of_a_long_stretch(backend, tag, fault):
    """Each record has the place and the errors that the states give it."""
    text = "<r>" + "<item>0 é</item>\n" * 40 + fault + "\n<item>& <b/></item>" * 40 + "</r>"
    with lane("states"):
        expected = known_of([text.encode()], tag=tag, backend=backend)
    for name in LANES.keys() - {"states"}:
        with lane(name):
            assert known_of([text.encode()], tag=tag, backend=backend) == expected


@pytest.mark.skipif(compiled is None, reason="needs the compiled reader")
@each_case("fault", ["&", "<m:x/>", "<b k=v/>", "<b k/>", "</x>", "<b>", "<b/ >"])
def test_that_one_run_has_many_broken_records(fault):
    text = "<r>" + f"<item>{fault}</item>\n" * 300 + "</r>"
    with mock.patch.object(core.Core, "take", autospec=True, side_effect=core.Core.take) as take:
        found = list(records([text], recovery="draft"))
    assert len(found) == 300
    assert take.call_count < 30


LONG = "".join(
    f"<item><n>{number}</n>\n<x/>{'é' * (number % 3)}</item>{'<p/>' * (number % 5)}\r\n" for number in range(200)
)


@pytest.mark.parametrize(("backend", "recovery"), [("etree", "intent"), ("lxml", "draft")])
@each_case("fault", one_in(2, ["", "&", "\x0c", "</x>", "<item>", "<item/>", "<item></item></item>", "<m:item/>"]))
@each_case("place", [0, LONG.index("<n>77"), LONG.index("<item><n>120"), LONG.index("</item><p/>")])
def test_places_and_errors_in_a_long_stretch(backend, recovery, fault, place):
    text = f"<r xmlns:m='m'>\n{LONG[:place]}{fault}{LONG[place:]}</r>"
    found = list(records([text.encode()], backend=backend, recovery=recovery))
    flat = text.replace("\r\n", "\n")
    assert [record.number for record in found] == [*range(1, len(found) + 1)]
    for record in found:
        tag = "<item"
        if recovery == "intent" and any(error.code == "assumed-start-tag" for error in record.errors):
            tag = "<n>" if flat.startswith("<n>", record.offset) else "</item>"  # taken for, or after, the start tag
        assert flat.startswith(tag, record.offset)
        assert record.line == 1 + flat.count("\n", 0, record.offset)
        assert text.encode().startswith(tag.encode(), record.byte_offset)
        assert all(record.offset <= error.offset < record.end for error in record.errors)
    data = text.encode()
    again = records([data[i : i + 40] for i in range(0, len(data), 40)], backend=backend, recovery=recovery)
    assert [*map(known, again)] == [*map(known, found)]


@MAY_HAVE_NO_RECORDS
@given(document=nearxml.documents() | nearxml.near_markup() | nearxml.byte_documents(), data=st.data())
def test_any_document(document, data):
    """Every element is a record, in the order of their ends, and backends agree about places."""
    found, log, _ = known_of([document], tag="*")
    assert known_of(data.draw(chunkings(document)), tag="*") == (found, log, len(log))
    try:
        ends = [element.tag for _, element in xml5tree.iterparse([document])]
    except xml5tree.ParseError:
        return
    assert len(ends) == len(found)
    other, _, _ = known_of([document], tag="*", backend="lxml")
    assert [row[1:5] for row in other] == [row[1:5] for row in found]


@MAY_HAVE_NO_RECORDS
@given(st.data())
def test_any_document_of_other_dialects(data):
    """The same of MicroXML, where the element around the document is no record, and of LeafXML."""
    dialect = data.draw(st.sampled_from(["microxml", "leafxml"]))
    document = data.draw(near_microxml() if dialect == "microxml" else near_leafxml())
    options = {"tag": "*", "dialect": dialect}
    found, log, total = known_of([document], **options)
    assert known_of(data.draw(chunkings(document)), **options) == (found, log, total)
    assert [row[1:5] for row in known_of([document], backend="lxml", **options)[0]] == [row[1:5] for row in found]
    try:
        ends = [element.tag for _, element in xml5tree.iterparse([document], dialect=dialect)]
    except xml5tree.ParseError:
        return
    assert len([tag for tag in ends if tag != "U000023doc"]) == len(found)


@MAY_HAVE_NO_RECORDS
@given(body=record_documents(), data=st.data())
def test_every_error_is_of_the_innermost_record_around_it(body, data):
    """Errors are in records by their offsets; none is in two, but for one that closes both."""
    reader = records([f"<r>{body}"], "{*}item", max_errors=None)
    found = list(reader)
    assert {entry for record in found for entry in record.errors} <= set(reader.error_log)
    assert all(entry.offset >= record.offset for record in found for entry in record.errors)
    for record in found:
        inner = [other for other in found if other.offset > record.offset]
        for entry, other in itertools.product(record.errors, inner):
            assert entry.offset < other.offset or entry not in other.errors or record.end == other.end


@MAY_HAVE_NO_RECORDS
@pytest.mark.parametrize("recovery", ["draft", "intent"])
@given(body=record_documents(), end=st.sampled_from(["", "</r>", "</x>", "</item></r>", "</r></item>"]))
@both_backends
def test_what_lacks_its_own_end_tag_is_moved(backend, recovery, body, end):
    """However a record is closed: by the end tag of an element around it, a start tag, or the end of the document."""
    text = f"<r>{body}{end}".replace("\r\n", "\n")
    reader = records([text], "{*}item", backend=backend, recovery=recovery)
    for record in reader:
        closing = text[record.offset : record.end].rpartition("<")
        is_own = re.fullmatch(r"/(?:(?:\w+:)?item[^>]*)?>|[^>]*/>|(?:\w+:)?item.*/>", closing[2], re.DOTALL)
        assert is_own or record.effect in {"moved", "lost"}, (text, record.offset, record.end)


@pytest.mark.filterwarnings("ignore:the document is cut off:xml5tree.RowsWarning")
@pytest.mark.parametrize("recovery", ["draft", "intent"])
@pytest.mark.parametrize("end", ["</c>", "", "</other>", "</c", "</x></c>", "<", "<!--"])
@both_backends
def test_every_record_without_its_end_tag_has_the_error_that_closes_it(backend, recovery, end):
    text = "<c>" + "".join(f"<item id='{number}'><n>x</n>" for number in range(40)) + end
    found = list(records([text], backend=backend, recovery=recovery))
    assert sorted(int(record["@id"]) for record in found) == list(range(40))
    is_dropped = end == "<" and recovery == "intent"
    assert {record.effect for record in found} == ({"moved", "lost"} if is_dropped else {"moved"})
    marked = records([text], backend=backend, recovery=recovery, on_bad="skip")
    assert (list(marked), marked.skipped) == ([], 40)


@pytest.mark.parametrize("dialect", ["xml5", "microxml"])
def test_a_record_at_the_greatest_depth_is_moved(dialect):
    """Where elements nest too deep it is closed before its end tag."""
    content = "<item><b>x</b><c>y</c></item>"
    first, second, third = records([f"<r>{content}{content}<item/></r>"], max_depth=2, dialect=dialect)
    assert (dict(first), first.effect, second.effect, third.effect) == ({}, "moved", "moved", None)
    for record in (first, second):
        assert [entry.code for entry in record.errors] == ["max-depth-exceeded"]
    with pytest.raises(xml5tree.ParseError, match="record 1: elements nested deeper than 2 were"):
        list(records(["<r><item><b>x</b></item></r>"], max_depth=2, on_bad="raise", dialect=dialect))


@pytest.mark.parametrize("dialect", ["xml5", "microxml"])
@pytest.mark.parametrize(
    ("content", "max_depth"), [("<a><b>1</b></a>", 3), ("<a>1</a>", 2), ("<a><b><c>1</c></b></a>x<a/>", 3)]
)
def test_each_record_with_elements_that_are_too_deep_is_moved(dialect, content, max_depth):
    """The log had one error for all of them, which was that of the first."""
    document = f"<r>{f'<item>{content}</item>' * 4}<item/></r>"
    options = {"max_depth": max_depth, "dialect": dialect}
    reader = records([document], **options)
    found = [(record.effect, [entry.code for entry in record.errors]) for record in reader]
    assert found == [("moved", ["max-depth-exceeded"])] * 4 + [(None, [])]
    assert [entry.code for entry in reader.error_log] == ["max-depth-exceeded"] * 4
    events = xml5tree.iterparse([document], tag="item", on_bad="mark", **options)
    assert [len(events.errors_of(element)) for _, element in events] == [1, 1, 1, 1, 0]


# Memory


def stream(count, form):
    yield b"<r>"
    for start in range(0, count, 100):
        yield b"".join(form % number for number in range(start, start + 100))
    yield b"</r>"


SHAPES = {
    "records": b"<item><n>%d & more</n></item>\n",
    "siblings": b"<other><n>%d</n></other><item/>text <!-- c -->",
    "groups": b"<group><item>%d</item></group>",
    "no records": b"<other>%d & more</other>",
    "errors outside": b"& &x %d <item/>",
}


@both_backends
def test_text_after_records_in_records_does_not_depend_on_chunks(backend):
    """White space stays where there is none before it: it would take memory for each of any number of records."""
    document = "<r><item><b> <item/> <item></item>\n<item/>x<i/><item/> <item/>y</b></item></r>"

    def texts(parts):
        *_, last = records(parts, backend=backend)
        return ["".join(last.element.itertext()), last.element[0].text, last.element[0][0].tail]

    # Before, within and after each tag: all places within one are as good as each other.
    tags = re.finditer("<[^>]*>", document)
    places = {place for tag in tags for place in (tag.start(), tag.start() + 2, tag.end())} - {0, len(document)}
    for first, second in one_in(3, itertools.combinations(sorted(places), 2)):
        assert texts(cut(document, [first, second])) == [" x y", " x", " y"]


@both_backends
def test_elements_that_are_no_records_take_linear_time(backend):
    """Where elements of a row were of another namespace, all those after each were looked at again."""

    def count(document):
        return sum(1 for _ in records([document], "{u}item", backend=backend, fields={}))

    def document(number):
        return '<r xmlns:x="u"><x:item/>' + "<item/>" * number + "<x:item/></r>"

    assert count(document(100)) == 2
    assert_scales_linearly(count, document, 500, factor=16, slack=3)


@MAY_HAVE_NO_RECORDS
@pytest.mark.parametrize(
    ("shape", "backend", "recovery"),
    one_in(3, [(shape, *reader) for shape in SHAPES for reader in (("etree", "draft"), ("lxml", "intent"))]),
)
def test_constant_memory(backend, recovery, shape):
    def peak(count):
        gc.collect()
        tracemalloc.start()
        try:
            for _ in records(stream(count, SHAPES[shape]), backend=backend, max_errors=10, recovery=recovery):
                pass
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    for _ in records(stream(100, SHAPES[shape]), backend=backend, recovery=recovery):  # fills caches
        pass
    small, large = map(peak, (3000, 6000))  # both are longer than what intent looks ahead and keeps
    assert large < 1.25 * small + 20_000


@in_whole_run
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="the system does not tell peak memory")
def test_constant_memory_of_libxml2():
    """What libxml2 has allocated is not traced, so the process is measured."""
    code = """if True:
        import xml5tree
        def stream():
            yield b"<r>"
            for _ in range(5000):
                yield b"<group a='1'><item><n>1 more</n></item>text</group><other><b/></other>" * 20
        count = sum(1 for _ in xml5tree.records(stream(), backend="lxml", max_errors=10, fields={}))
        assert count == 100_000, count
        status = dict(line.split(":", 1) for line in open("/proc/self/status"))
        print(status["VmHWM"].split()[0])
    """
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert int(done.stdout) < 60_000


@both_backends
def test_records_outlive_the_iteration(backend):
    rows = list(records(stream(5000, SHAPES["records"]), backend=backend))
    gc.collect()
    assert [row["n"] for row in rows] == [f"{number} & more" for number in range(5000)]


# Asynchronous


def run(coroutine):
    return asyncio.run(coroutine)


async def parts_of(data, size):
    for part in chunks(data, size):
        await asyncio.sleep(0)
        yield part


@pytest.mark.parametrize("bad", [0, 1, 200, 399])
@pytest.mark.parametrize("name", LANES)
def test_bytes_that_are_not_decoded_among_many_records(bad, name):
    """Each record has its own errors, wherever in a stretch without other errors it is, the first of it included."""
    elements = ["<item>é</item>".encode()] * 400
    elements[bad] = b"<item>\xff</item>"
    document = b"<r>" + b"".join(elements) + b"</r>"
    with lane(name):
        found = list(records([document], tag="item"))
    assert [entry.code for entry in found[bad].errors] == ["invalid-byte-sequence"]
    assert [record.number for record in found if record.errors] == [bad + 1]
    assert all(document.startswith(elements[record.number - 1], record.byte_offset) for record in found)


@both_backends
def test_arecords(backend):
    async def read():
        return [known(record) async for record in arecords(parts_of(FEED.encode(), 5), backend=backend)]

    assert run(read()) == known_of([FEED.encode()], backend=backend)[0]


@pytest.mark.filterwarnings("ignore:the document is cut off:xml5tree.RowsWarning")
def test_arecords_come_as_soon_as_they_are_there():
    async def read():
        seen = []

        async def parts():
            for part in ["<r><item>1</ite", "m", ">", "<item>2"]:
                yield part
                seen.append(part)

        async for record in arecords(parts(), recovery="draft"):
            seen.append(dict(record))
        return seen

    assert run(read()) == ["<r><item>1</ite", "m", {"#text": "1"}, ">", "<item>2", {"#text": "2"}]


def test_arecords_raise_what_the_source_raises():
    async def parts():
        yield b"<r><item>1</item><item>2"
        raise ConnectionResetError("dropped")

    async def read():
        found = arecords(parts(), recovery="draft")
        rows = [dict(await anext(found))]
        with pytest.raises(ConnectionResetError):
            await anext(found)
        return rows

    assert run(read()) == [{"#text": "1"}]


def test_aiterparse():
    async def read():
        events = aiterparse(parts_of(FEED, 3), ("start", "end"), tag="item")
        found = [(event, element.get("id")) async for event, element in events]
        return found, events.root.tag, events.error_log.total

    expected = xml5tree.iterparse([FEED], ("start", "end"), tag="item")
    events = [(event, element.get("id")) for event, element in expected]
    assert run(read()) == (events, "rss", expected.error_log.total)


def test_aiterparse_of_nothing():
    async def read():
        return [event async for event in aiterparse(parts_of("no tag", 3))]

    with pytest.raises(xml5tree.ParseError):
        run(read())


def test_wrong_sources():
    for function in (arecords, aiterparse):
        with pytest.raises(TypeError, match="asynchronous"):
            function([b"<r/>"])


# Tables


def test_pickle_and_copy():
    record = next(records([FEED.encode()], on_bad="mark"))
    pickled = [pickle.dumps(record, protocol) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
    assert record.errors is record.errors
    assert pickle.dumps(record) == pickled[pickle.DEFAULT_PROTOCOL]  # also if entries of its errors have been made
    for other in (*map(pickle.loads, pickled), copy.copy(record)):
        assert known(other) == known(record)
        assert other.element is None


@pytest.mark.parametrize("depth", [98, 99, 100, 101, 1900])
def test_pickle_of_deep_values(depth):
    """Pickle reads by recursion, and elements nest deeper than that goes."""
    inner = "".join(f"<b>{n}</b><a i='{n}'>t<b/>" for n in range(depth)) + "x" + "</a>" * depth
    record = next(records([f"<r><item>{inner}</item></r>"]))
    for other in (pickle.loads(pickle.dumps(record)), copy.copy(record)):
        assert json_text(dict(other)) == json_text(dict(record))


JSON_VALUES = st.recursive(
    st.none() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@given(JSON_VALUES, st.booleans())
def test_json_without_recursion(value, ensure_ascii):
    def fail(*arguments, **options):
        raise RecursionError

    expected = json.dumps(value, ensure_ascii=ensure_ascii)
    with mock.patch("json.dumps", fail):
        assert json_text(value, ensure_ascii=ensure_ascii) == expected


def test_data_frame():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(records([FEED], fields={"id": "@id", "title": "title"}, on_bad="mark"))
    assert list(frame.columns) == ["id", "title", "_line", "_effect", "_confidence", "_errors"]
    assert list(frame["title"]) == ["One & all", "Two", "Thr ee"]


# Names that match nothing


def told_by(found):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _ in found:
            pass
    assert {warning.category for warning in told} <= {xml5tree.RowsWarning}
    return [str(warning.message) for warning in told]


@both_backends
@pytest.mark.parametrize("size", [1, 1000])
@pytest.mark.parametrize(
    ("tag", "names"),
    [
        ("Item", "'item', 'title', 'link', 'rss', 'channel'"),
        ("{u}item", "'item', 'title'"),
        ("content", "'{urn:m}content', 'item', 'title'"),
        ("RSS", "'rss', 'item', 'title', 'author'"),
    ],
)
def test_a_name_that_matches_nothing_is_told(backend, size, tag, names):
    document = FEED.replace("</channel>", "<link/>" * 3 + "</channel>") if tag == "Item" else FEED
    (told,) = told_by(records(list(chunks(document, size)), tag, backend=backend, filename="a.xml"))
    assert told.startswith(f"a.xml: no element {tag!r} was found; there are ")
    assert set(names.split(", ")) - {"'rss'", "'channel'"} <= set(told.partition("there are ")[2].split(", "))
    if "}" not in tag:
        assert names.partition(",")[0] == told.partition("there are ")[2].partition(",")[0]


def test_nothing_is_told_where_there_is_nothing_to_tell():
    assert told_by(records([FEED])) == []
    assert told_by(records(["<r/>"])) == []
    assert told_by(records([FEED], on_bad="skip", bad_from="kept")) == []
    assert told_by(records(["<r>" + "x" * 100_000 + "<item/></r>"])) == []


def test_what_is_told_is_found_without_another_error():
    seen = []
    reader = records(["<r><a>&</a><b", "/></r>"], on_error=seen.append, logger="xml5tree.none")
    assert told_by(reader) == ["no element 'item' was found; there are 'a', 'b'"]
    assert len(seen) == reader.error_log.total == 1


@pytest.mark.parametrize("backend", ["etree", "lxml"])
def test_comments_are_not_named_where_no_record_is_found(backend):
    with pytest.warns(xml5tree.RowsWarning, match="^no element 'item' was found; there is 'b'$"):
        assert list(records(["<r><!--c--><?p?><b/></r>"], "item", backend=backend)) == []


def test_arecords_tell_it_too():
    async def read():
        return [record async for record in arecords(parts_of(FEED, 9), "Item")]

    with pytest.warns(xml5tree.RowsWarning, match="no element 'Item' was found; there are 'item', 'title', 'author'"):
        assert run(read()) == []


@both_backends
@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize(
    ("tag", "code", "effect"),
    [
        ("<item id='1' id='2'>", "duplicate-attribute", "lost"),
        ("<item id=1>", "unquoted-attribute-value", "kept"),
        ("<item id='1&co;'>", "unknown-named-character-reference", "kept"),
    ],
)
def test_errors_of_a_start_tag_are_of_its_record_although_it_closes_another(backend, size, tag, code, effect):
    text = f"<r><item><n>0</n>\n{tag}<n>1</n></item>\n{tag}<n>2</n>\n<item><n>3</n></item></r>"
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    found = list(records(pieces, backend=backend, spans=True))
    closing = "assumed-end-before"
    assert [[error.code for error in record.errors] for record in found] == [[closing], [code], [code, closing], []]
    effects = ["moved", effect, "lost" if effect == "lost" else "moved", None]
    assert [record.effect for record in found] == effects
    assert [text.encode()[slice(*record.span)].count(b"<item") for record in found] == [1, 1, 1, 1]


@both_backends
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<r><o>1<item><n>9</n></item></r>", [[]]),
        ("<r>{}<o>2<item><n>9</n></item>{}</r>", [[]] * 61),
        (
            "<r><item><p>1</p><item><n>1</n></item></item><item><p>z8<item><n>9</n></item></item></r>",
            [[], [], [], ["assumed-end-before"]],
        ),
        (
            "<r xmlns:g='u'><item id='1'><item/></item>\n<item><n>2</n></item>\n<m:item><n>4</n></item>\n"
            "<item><n>5</n></item></r>",
            [[], [], [], ["assumed-name"], []],
        ),
    ],
)
@pytest.mark.parametrize("has_fields", [False, True])
def test_errors_of_what_is_before_or_around_a_record_are_not_its_own(backend, has_fields, text, expected):
    """Although they are at the place of its start tag."""
    document = text.format(*["<o>1</o><item><n>1</n></item>" * 30] * text.count("{}"))
    fields = {"n": "n"} if has_fields else None
    for pieces in ([document], [document.encode()], list(document)):
        found = records(pieces, "item", backend=backend, fields=fields)
        assert [[error.code for error in record.errors] for record in found] == expected


def test_names_of_attributes_that_are_also_names_of_elements():
    """Only those of elements lack the prefix of the record's own namespace, in all records."""
    item = "<g:item g:id='1'><g:id>2</g:id></g:item>"
    document = f"<r xmlns:g='http://base.google.com/ns/1.0'>{item * 3}</r>"
    for one in xml5tree.records([document], tag="{*}item"):
        assert dict(one) == {"@g:id": "1", "id": "2"}


FEEDS = [
    "<rss><channel><item><t>x</t></item><item><t>y & z<item><t>w</t></item></channel></rss>",
    '<feed xmlns="http://www.w3.org/2005/Atom"><entry><t>x</t></entry><entry><t>y &</t></entry><entry><t>w',
]


@pytest.mark.parametrize("backend", ["etree", "lxml"])
@pytest.mark.parametrize(("feed", "tag"), [*zip(FEEDS, ["{*}item", "{*}entry"], strict=True)])
def test_several_names(feed, tag, backend):
    """The records are those of each name alone."""
    options = {"fields": {"t": "{*}t"}, "backend": backend, "spans": True}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", xml5tree.RowsWarning)
        found, expected = (
            [
                (dict(one), one.effect, one.complete, one.errors, one.span)
                for one in records(chunks(feed, 7), tags, **options)
            ]
            for tags in (["{*}item", "{*}entry"], tag)
        )
    assert found == expected
    assert len(found) == 3


def test_several_names_none_of_which_is_there():
    with pytest.warns(xml5tree.RowsWarning, match="^no element 'Item' or 'row' was found; there are 'item', 't', 'x'$"):
        assert list(records(["<r><x/><t/><t/><item/></r>"], ["Item", "row"])) == []


SEVERAL = "<item><n>1</n></item>\n<item><n>2 &</n></item> junk <item><n>3</n>"


@pytest.mark.parametrize("backend", ["etree", "lxml"])
@pytest.mark.parametrize("tag", ["item", "{*}item", ["other", "item"]])
@pytest.mark.parametrize(
    "before", ["", "<?xml version='1.0'?><!-- <r> --><?p <r>?><!DOCTYPE item [<!ENTITY a '<r>'>]>\n"]
)
@pytest.mark.filterwarnings("ignore::xml5tree.RowsWarning")
def test_several_roots_that_are_records(backend, tag, before):
    text = before + SEVERAL
    for parts in ([text], [*text], [text.encode()], [text.encode("utf-16")], [bytes([byte]) for byte in text.encode()]):
        found = list(xml5tree.records(parts, tag, backend=backend, spans=True))
        assert [record["n"] for record in found] == ["1", "2 &", "3"]
        assert found[0].offset == len(before)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (SEVERAL, {"roots": "first"}),
        (f"<?p <item>?><p:r>{SEVERAL[:21]}</p:r><item/>", {}),
    ],
)
@pytest.mark.filterwarnings("ignore:the document is cut off")
def test_other_roots_are_dropped(text, options):
    for parts in ([text], [*text]):
        with pytest.warns(xml5tree.RowsWarning, match="elements after the end of the root element were dropped"):
            assert len(list(xml5tree.records(parts, "item", **options))) == 1


def test_names_in_a_namespace_are_offered():
    text = "<g xmlns='urn:g'><pt/><pt/><ele/></g>"
    message = "no element 'pt' was found; there are '{urn:g}pt', '{urn:g}ele'; '{*}pt' finds those of any namespace"
    with pytest.warns(xml5tree.RowsWarning, match=re.escape(message)):
        assert list(xml5tree.records([text], "pt")) == []
    with pytest.warns(xml5tree.RowsWarning) as caught:
        assert list(xml5tree.records([text], "point")) == []
    assert "finds" not in str(caught[0].message)
    if importlib.util.find_spec("pyarrow"):
        with pytest.warns(xml5tree.RowsWarning, match=re.escape(message)):
            assert xml5tree.read_table([text], "pt").num_rows == 0
