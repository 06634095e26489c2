"""Ranges: every record of a file exactly once, and the same, however the file is cut."""

import bz2
import gzip
import lzma
import pickle
import warnings
from itertools import product
from random import Random
from unittest import mock
from xml.etree import ElementTree as ET

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from support.cases import each_case, one_in
from support.faultyfeeds import FAULTY_FEEDS
from support.scaling import assert_scales_linearly

import xml5tree
from xml5tree.accelerator import compiled
from xml5tree.errors import ParseError
from xml5tree.ranges import Range, RangeRecord, extents, groups, read, reading, split
from xml5tree.ranges.extents import Sizes
from xml5tree.ranges.reading import read_written
from xml5tree.recordreader import RecordReader

pytestmark = pytest.mark.filterwarnings("ignore:.*may read otherwise:xml5tree.errors.RowsWarning")

#: What documents consist of, most of it broken.
FRAGMENTS = [
    "<item>",
    "<item a='1'>",
    "<item/>",
    "<item b='>'/>",
    "</item>",
    "</item >",
    "</item",
    "<item",
    "<items>",
    "</items>",
    "<m:item>",
    "</m:item>",
    "<item xmlns='v'>",
    "<item xmlns:m='v' c='",
    "<a>",
    "</a>",
    "<a t='",
    '<a t="',
    "'",
    '">',
    "/>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?x ",
    "?>",
    "<!x ",
    "</>",
    "</r>",
    "&amp;",
    "&",
    "&x;",
    "\0",
    "\r\n",
    "\n",
    "é",
    "𝄞",
    "text ",
    "<item>1</item>",
    "<item><a>2</item>",
    "<item><a>2</b></item>",
    "<item><item>3</item>4</item>",
    "<!--<item>5</item>-->",
    "<![CDATA[<item>6</item>]]>",
    "<item>" + "7 " * 40 + "</item>",
]
#: Records that are found many at once.
GOOD_RECORDS = [
    "<item><a>1</a></item>",
    "<item a='1'>é &amp; 𝄞<itemId/></item>",
    "<item><![CDATA[<b>]]><!-- x --></item>",
    '<item k=">">b="c<i>d</i></item>',
    "<item>&</item>",
]
DOCUMENTS = st.tuples(
    st.sampled_from(["<r>", "\n", "<r xmlns='u' xmlns:m='w'><c>", "<!DOCTYPE r [<!ENTITY x 'entity'>]><r>"]),
    st.lists(st.sampled_from(FRAGMENTS), max_size=60),
    st.sampled_from(["</r>", ""]),
).map(lambda parts: (parts[0] + "".join(parts[1]) + parts[2]).encode())
FIELDS = {"a": "a", "b": ["a/b"], "k": "@a", "own": "text()", "all": "."}
#: Small enough that documents of some hundred bytes have many windows.
SMALL = Sizes(window=48, reach=64, longest=96, deepest=2)


def rows_of(path, tag, cuts, recovery="draft", **options):
    ends = [*cuts, None]
    parts = [Range(str(path), start, end) for start, end in zip([0, *cuts], ends, strict=True)]
    found = [record for part in parts for record in read(part, tag, recovery=recovery, **options)]
    return [(record.byte_offset, dict(record), record.errors, record.effect, record.data) for record in found]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    DOCUMENTS,
    st.sets(st.integers(1, 400), max_size=6),
    st.sampled_from(["item", "{w}item", "{*}item"]),
    st.sampled_from([Sizes(), SMALL]),
)
@pytest.mark.parametrize("recovery", ["draft", "intent"])
def test_every_record_exactly_once(tmp_path, monkeypatch, recovery, document, cuts, tag, sizes):
    monkeypatch.setattr(reading, "SIZES", sizes)
    path = tmp_path / "broken.xml"
    path.write_bytes(document)
    whole = rows_of(path, tag, [], recovery)
    assert rows_of(path, tag, sorted(cuts), recovery) == whole
    offsets = [row[0] for row in whole]
    assert offsets == sorted(set(offsets))
    assert all(document.startswith(row[4], row[0]) for row in whole)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(st.sampled_from(GOOD_RECORDS), min_size=1, max_size=2),
    st.lists(st.sampled_from(FRAGMENTS) | st.none(), max_size=40),
    st.sampled_from(["", "\n", "\r\n  "]),
    st.sampled_from(["item", "{w}item", "{*}item"]),
)
@pytest.mark.parametrize("recovery", ["draft", "intent"])
def test_records_found_together_are_those_found_one_by_one(
    tmp_path, monkeypatch, recovery, kinds, fragments, space, tag
):
    path = tmp_path / "many.xml"
    path.write_text("<r xmlns:m='w'>" + space.join(one or "".join(kinds) for one in fragments) + "</r>", newline="")
    together = rows_of(path, tag, [], recovery)
    monkeypatch.setattr(extents, "compiled", None)
    assert rows_of(path, tag, [], recovery) == together


@pytest.mark.parametrize("recovery", ["draft", "intent"])
@pytest.mark.parametrize("record", ["<item><a>{0}</a><b>x</b>\n", "<item><a>{0}<b>x</b></item>\n"])
def test_few_of_many_records_with_the_same_fault_are_read_alone(tmp_path, monkeypatch, recovery, record):
    """Each makes a parser: 300 of them would take longer than all else."""
    path = tmp_path / "feed.xml"
    path.write_text("<r>" + "".join(record.format(number) for number in range(300)) + "</r>")
    calls = []
    parse = groups.GroupReader._parse

    def counted(self, *args, **kwargs):
        calls.append(args)
        return parse(self, *args, **kwargs)

    monkeypatch.setattr(groups.GroupReader, "_parse", counted)
    found = list(read(Range(str(path)), recovery=recovery))
    assert [record.errors != () for record in found] == [True] * 300
    assert len(calls) < 15


def test_what_an_inner_record_was_influenced_by_is_none_of_the_outer_ones(tmp_path):
    """By intent, errors in an inner record say that the outer one may depend on earlier records, too."""
    path = tmp_path / "feed.xml"
    head = "<r xmlns='u' xmlns:m='w'>"
    broken = "<item>a b<item><itme></m:item>1\n  </item><c></item>\n  "
    path.write_text(head + broken * 2 + "</r>", newline="")
    whole = rows_of(path, "{*}item", [], "intent")
    assert rows_of(path, "{*}item", [len(head + broken)], "intent") == whole


#: Faults of every kind, and what is well-formed but means something for what comes after it.
FAULTS = [
    *FRAGMENTS,
    "</c>",
    "<g>",
    "</g>",
    "<g xmlns:m='v'>",
    "<g xmlns='x'>",
    "<c>",
    "<item a='<item>'>",
    '<a t="see <item> 7"/>',
    '<a t="</item>">',
    "<a t='<!--'/>",
    "<itme>",
    "</itme>",
    "</ITEM>",
    "item>",
    "/item>",
    "&lt;item&gt;",
    "&co;",
    "&e;",
    "<m:item/>",
    "<item><m:b>9</m:b></item>",
    "<item xmlns='x'><item/></item>",
    "<item><b xmlns:m='z'><m:c/><item><m:d/></item></b></item>",
    "<?xml version='1.0'?>",
    "<!DOCTYPE c>",
    "=",
    "<item a=1 b='2'c=3>10</item>",
    "<item>1</item></item>",
    "<item",
    "</item",
]
HEADS = [
    "<r>",
    "",
    "<item>",
    "<r xmlns='u' xmlns:m='w'><c>",
    "<r xmlns:m='w'><c>",
    "<r><c xmlns:m='w' t='",
    "<!DOCTYPE r [<!ENTITY x 'entity'>]><r>",
    "<!DOCTYPE c [<!ENTITY co 'ACME'><!ENTITY e '<item/>'>]><c>",
    "<?xml version='1.0'?><!-- <item/> --><!DOCTYPE c [<!ENTITY co '<item>'><!-- ] ' --> ]>\n<c>",
    "<!DOCTYPE r [<r>",
    "<r><!-- ",
]
GOOD_PIECES = [
    *["<item><a>1</a></item>", "<item/>", "<item b='>'/>", "\n", "text", "<g><item>2</item></g>", "<a x='1'>t</a>"],
    *["<!-- <item/> -->", "<item><!-- </item> --></item>", "<item><![CDATA[<item>]]></item>", "<item><item/>3</item>"],
    *["<item>é &amp; 𝄞</item>", "<item a=1>x & y</item>", " a > b &amp; &#65; "],
]
ANY_DOCUMENTS = st.tuples(
    st.sampled_from(HEADS),
    st.lists(st.sampled_from(GOOD_PIECES) | st.sampled_from(FAULTS), max_size=10),
    st.lists(st.sampled_from(GOOD_PIECES), max_size=6),
    st.sampled_from(["</c></r>", "</r>", "", "</c>", "</r>\n<item/>"]),
).map(lambda parts: (parts[0] + "".join(parts[1]) + "".join(parts[2]) + parts[3]).encode())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    ANY_DOCUMENTS,
    st.sets(st.integers(1, 400), max_size=4),
    st.sampled_from(["item", "{w}item", "{*}item"]),
    st.sampled_from([Sizes(), SMALL]),
)
@pytest.mark.parametrize("recovery", ["draft", "intent"])
def test_rows_are_those_of_records_or_it_is_told(tmp_path, monkeypatch, recovery, document, cuts, tag, sizes):
    """Of documents with any faults, however they are cut: their values, and with the draft's rules their effects.

    By intent, what is wrong between records may be an error of one of them.
    """
    monkeypatch.setattr(reading, "SIZES", sizes)
    path = tmp_path / "any.xml"
    path.write_bytes(document)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found = rows_of(path, tag, sorted(cuts), recovery)
        except ParseError:
            found = None  # no start tag at all
        has_told = any("may read otherwise" in str(warning.message) for warning in told)
        try:
            whole = list(xml5tree.records(path, tag, recovery=recovery))
        except ParseError:
            return
    expected = sorted((record.byte_offset, repr(dict(record)), record.effect) for record in whole)
    if not has_told:
        rows = sorted((row[0], repr(row[1]), row[3]) for row in found)
        count = 3 if recovery == "draft" else 2
        assert [row[:count] for row in rows] == [row[:count] for row in expected]


#: Without tags of records in comments: a range that begins in one of these may say so.
QUIET_PIECES = ["<item><a>1</a></item>", "<item/>", "<item b='>'/>", "\n", "text", "<a x='1'>t</a>", "<!-- c -->"]
QUIET_PIECES += ["<item><![CDATA[<b>]]></item>", "<item>é &amp; 𝄞</item>", "<?p x?>", "<item><m>2</m><!-- c --></item>"]
QUIET_PIECES += ["Tom &amp; Jerry > &#169;&#xA9;", "<a x='1>2' y='&lt;'>a > b&gt;</a>", ">", "&quot;&apos;"]
GROUPS = st.lists(st.lists(st.sampled_from(QUIET_PIECES), max_size=4).map("".join), min_size=1, max_size=5)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(GROUPS, st.integers(1, 300), st.sampled_from(["<r><g>", "<r xmlns:m='w'><g a='1'>"]))
@pytest.mark.parametrize("recovery", ["draft", "intent"])
def test_nothing_is_told_of_well_formed_documents(tmp_path, recovery, groups, cut, start):
    """Where nothing is wrong, and no namespace is declared between records, wherever the document is cut."""
    path = tmp_path / "good.xml"
    path.write_text(f"<?xml version='1.0'?>\n<!DOCTYPE r>\n{start}<item/>{'</g><g>'.join(groups)}</g>\n</r>\n", "utf-8")
    for first, last in ((0, cut), (cut, None)):
        found = read(Range(str(path), first, last), recovery=recovery)
        for _ in found:
            pass
        assert found.doubt == "", (first, last, path.read_text("utf-8"))


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("<t>Tom & Jerry</t>", "what is between records is not well-formed (byte 10)"),
        ("<t>&nbsp;</t>", "what is between records is not well-formed (byte 6)"),
        ("&#x41", "what is between records is not well-formed (byte 3)"),
        ("<t>x --></t>", "a comment or the like seems to end between records that began long before (byte 10)"),
        ("]]>", "a comment or the like seems to end between records that began long before (byte 5)"),
    ],
)
def test_text_between_records_that_is_not_well_formed(tmp_path, text, doubt):
    path = tmp_path / "feed.xml"
    for document in (f"<r>{text}<item/></r>", f"<r>{text}<item/>&amp;"):
        path.write_text(document)
        found = read(Range(str(path)))
        with pytest.warns(xml5tree.RowsWarning):
            assert len(list(found)) == 1
        assert found.doubt == doubt


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.sampled_from(FAULTS), max_size=20), st.booleans(), st.sampled_from(["draft", "intent"]))
def test_no_range_has_what_the_document_does_not_have(tmp_path, pieces, ends, recovery):
    path = tmp_path / "any.xml"
    text = "<wrapper77><inner77>" + "".join(pieces) + ("<item/>" if ends else "")
    path.write_text(text, newline="")
    for row in rows_of(path, "{*}item", [], recovery):
        assert "77" not in repr(row[1]), text


TEXTS = st.sampled_from(
    ["", "1", "é 𝄞", "a&amp;b", "<![CDATA[<item>]]>", "<!--<item/>-->", "<?x <item>?>", "]]&gt;", "\n"]
)
ELEMENTS = st.recursive(
    TEXTS,
    lambda inner: st.builds(
        "<{0}{1}>{2}</{0}>".format,
        st.sampled_from(["item", "a", "m:item", "items"]),
        st.sampled_from(["", " b='/>'", ' c="1"', " m:d='é'"]),
        st.lists(inner, max_size=4).map("".join),
    ),
    max_leaves=12,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(ELEMENTS, max_size=5).map("".join), st.sets(st.integers(1, 200), max_size=4))
def test_records_of_a_well_formed_document_are_those_of_records(tmp_path, content, cuts):
    path = tmp_path / "good.xml"
    path.write_text(f"<r xmlns:m='u'><c xmlns:n='v'>{content}</c></r>", "utf-8")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*no element 'item' was found")
        expected = sorted((record.byte_offset, dict(record)) for record in xml5tree.records(path))
    assert [row[:2] for row in rows_of(path, "item", sorted(cuts))] == expected


def records_of(path, *cuts, tag="item", read=read, **options):
    starts = [0, *cuts]
    parts = [Range(str(path), start, end) for start, end in zip(starts, [*cuts, None], strict=True)]
    return [record for part in parts for record in read(part, tag, **options)]


def test_a_record_without_an_end_tag_ends_where_the_next_begins(tmp_path):
    path = tmp_path / "feed.xml"
    path.write_text("<r><c><item><a>1</a><item><a>2</item></c><item><a>3</a></r>")
    first, second, third = records_of(path)
    assert [dict(record) for record in (first, second, third)] == [{"a": "1"}, {"a": "2"}, {"a": "3"}]
    codes = [[entry.code for entry in record.errors] for record in (first, second, third)]
    assert codes == [["assumed-end-before"], ["mismatched-end-tag"], ["mismatched-end-tag"]]
    assert (first.data, first.effect) == (b"<item><a>1</a>", "moved")


def test_a_record_with_attributes_and_without_an_end_tag_is_not_empty(tmp_path):
    path = tmp_path / "feed.xml"
    items = "<item k='1'><a>x</a></item>\n<item k='2'><a>y & z</a><b>2</b>\n<item k='3'><a>z</a></item>"
    path.write_text(f"<r>\n{items}</r>")
    second = records_of(path)[1]
    assert dict(second) == {"@k": "2", "a": "y & z", "b": "2"}
    assert [entry.code for entry in second.errors] == ["unescaped-ampersand", "assumed-end-before"]


def test_a_line_in_the_message_of_an_error_counts_from_the_record(tmp_path):
    path = tmp_path / "feed.xml"
    path.write_text("<r>" + "<item/>" * 5 + "<item>\n<a>1</b></item>" + "<item><a>2</b></item></r>")
    for cuts in ((), (30,), (40,), (60,)):
        *_, first, second = records_of(path, *cuts, recovery="draft")
        assert first.errors[1].message.endswith(
            "; everything since the end tag ignored in line 2 is inside: 4 characters"
        )
        assert second.errors[1].message.endswith(
            "; everything since the end tag ignored in line 1 is inside: 4 characters"
        )


def test_a_quote_that_is_not_closed_swallows_no_other_record(tmp_path):
    path = tmp_path / "feed.xml"
    path.write_text("<r><item><a t='1>x</a></item><item><a t='2'>y</a></item></r>")
    first, second = records_of(path)
    assert first.effect is not None
    assert dict(second) == {"a": {"@t": "2", "#text": "y"}}
    assert second.errors == ()
    assert len(list(xml5tree.records(path, recovery="draft"))) == 1  # as the draft has it


def test_places_of_a_record(tmp_path):
    path = tmp_path / "feed.xml"
    path.write_text("<r>\n<item>é</item>\r\n<item\n>1 & 2</item></r>", newline="")
    first, second = records_of(path, 10)
    assert (first.number, first.line, first.offset, first.end, first.byte_offset) == (1, 1, 0, 14, 4)
    assert (second.number, second.line, second.offset, second.end, second.byte_offset) == (1, 1, 0, 19, 21)
    (error,) = second.errors
    assert (error.code, error.line, error.column, error.offset) == ("unescaped-ampersand", 2, 3, 9)
    assert (first.path, second.path) == (str(path), str(path))
    again = pickle.loads(pickle.dumps(second))
    assert isinstance(again, RangeRecord)
    assert (dict(again), again.errors, again.byte_offset, again.path, again.data) == (
        {"#text": "1 & 2"},
        second.errors,
        21,
        str(path),
        second.data,
    )


@pytest.mark.parametrize(("tag", "found"), [("item", ["1", "4"]), ("m:item", ["2"]), ("{*}item", ["1", "2", "3", "4"])])
def test_a_name_that_is_as_it_is_written(tmp_path, tag, found):
    path = tmp_path / "feed.xml"
    path.write_text(
        "<r xmlns='u' xmlns:m='v'><item>1</item><m:item>2</m:item><n:item>3</n:item><item xmlns='w'>4</item>"
        "<items>5</items><ITEM>6</ITEM></r>"
    )
    assert [record["#text"] for record in records_of(path, 40, tag=tag, read=read_written)] == found


@pytest.mark.parametrize("tag", ["item", "{u}item", "{v}item", "{w}item", "{*}item"])
def test_a_name_means_what_it_means_for_records(tmp_path, tag):
    path = tmp_path / "feed.xml"
    path.write_text(
        "<r xmlns:m='v'><item>1</item><m:item>2<item>3</item></m:item><n:item>4</n:item><item xmlns='w'>5</item>"
        "<items>6</items><ITEM>7</ITEM><item xmlns='u'>8<m:item/></item><item>9<m:item>10</m:item></item></r>"
    )
    expected = sorted((record.byte_offset, dict(record)) for record in xml5tree.records(path, tag))
    assert expected
    for cut in one_in(2, range(1, path.stat().st_size, 13)):
        assert [(record.byte_offset, dict(record)) for record in records_of(path, cut, tag=tag)] == expected


def test_an_element_of_another_namespace_stays_in_the_record(tmp_path):
    path = tmp_path / "feed.xml"
    path.write_text("<r xmlns:m='v'><item><m:item>1</m:item></item></r>")
    assert [dict(record) for record in records_of(path)] == [{"{v}item": "1"}]


def test_declarations_before_the_first_record_are_obeyed(tmp_path):
    path = tmp_path / "feed.xml"
    path.write_text(
        "<!DOCTYPE r [<!ENTITY e 'entity'>]><r xmlns:m='u'><m:c xmlns='v'><item>&e;<m:a/></item></m:c><item>&e;</item>"
    )
    first, second = records_of(path, 80, tag="{v}item")
    assert [first.element.tag, first.element.text, first.element[0].tag] == ["{v}item", "entity", "{u}a"]
    assert [second.element.tag, second.element.text] == ["{v}item", "entity"]


@pytest.mark.parametrize("between", ["<!--{}-->", "<c><![CDATA[{}]]></c>", "<c>{}</c>", "<c a='{}'/>"])
def test_declarations_far_before_the_first_record_are_obeyed(tmp_path, between):
    path = tmp_path / "feed.xml"
    head = "<r xmlns='u' xmlns:m='w'>" + between.format("x" * (2 << 20))
    path.write_text(f"{head}{'<item><m:b>1</m:b></item>' * 9}</r>")
    expected = [dict(record) for record in xml5tree.records(path, "{u}item")]
    with pytest.warns(xml5tree.RowsWarning, match="the first record is far from the beginning"):
        found = records_of(path, len(head) + 60, tag="{u}item")
    assert [dict(record) for record in found] == expected
    assert len(found) == 9
    assert {record.element[0].tag for record in found} == {"{w}b"}


def test_comments_and_cdata_sections_hide_records(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "SIZES", Sizes(window=64))
    path = tmp_path / "feed.xml"
    hidden = "<item>no</item>" * 3
    path.write_text(f"<r><!--{hidden}--><item>1</item><a><![CDATA[{hidden}]]></a><?p {hidden}?><item>2</item></r>")
    for cut in one_in(3, range(1, path.stat().st_size)):
        assert [record["#text"] for record in records_of(path, cut)] == ["1", "2"]


def test_a_comment_longer_than_a_window_hides_only_as_far_as_is_looked(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "SIZES", Sizes(window=64))
    path = tmp_path / "feed.xml"
    path.write_text(f"<r><!--{'<item/>' * 100}--></r>")
    found = records_of(path, 300)
    assert 0 < len(found) <= 100


def test_a_comment_that_never_ends_hides_nothing(tmp_path):
    path = tmp_path / "feed.xml"
    path.write_text("<r><item>1<!-- </item><item>2</item></r>")
    assert [dict(record) for record in records_of(path, 20)] == [{"#text": "1"}, {"#text": "2"}]


def test_records_have_a_greatest_length(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "SIZES", Sizes(window=64, longest=20))
    path = tmp_path / "feed.xml"
    path.write_text(f"<r><item>{'x' * 500}</item><item>2</item></r>")
    first, second = records_of(path, 100)
    assert (len(first.data), first.effect, dict(second)) == (20, "moved", {"#text": "2"})


def test_records_that_nest_deeply_cost_no_more_than_their_depth_allows(tmp_path):
    path = tmp_path / "deep.xml"
    path.write_text("<r>" + "<item>" * 1000 + "</item>" * 1000)
    found = records_of(path)
    assert len(found) == 1000
    assert sum(len(record.data) for record in found) < 20 * path.stat().st_size


GOOD = "<r>" + "".join(f"<item>é {number}</item>" for number in range(200)) + "</r>"


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress], ids=["gzip", "bz2", "xz"])
def test_compressed_files_are_unpacked_and_not_cut(tmp_path, pack):
    path = tmp_path / "packed.xml"
    path.write_bytes(pack(GOOD.encode()))
    (part,) = split(path, size=10)
    assert [record["#text"] for record in read(part)] == [f"é {number}" for number in range(200)]
    with pytest.raises(ValueError, match="cannot be read from the middle"):
        list(read(Range(str(path), 5)))


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1", "utf-32"])
def test_other_encodings_are_not_cut(tmp_path, encoding):
    path = tmp_path / "other.xml"
    path.write_bytes(f"<?xml version='1.0' encoding='{encoding}'?>{GOOD}".encode(encoding))
    (part,) = split(path, size=10)
    found = list(read(part))
    assert [record["#text"] for record in found] == [f"é {number}" for number in range(200)]
    assert {record.byte_offset for record in found} == {None}
    assert [record.errors for record in found] == [()] * 200


def test_bytes_that_another_encoding_does_not_have_are_reported(tmp_path):
    path = tmp_path / "other.xml"
    path.write_bytes("<?xml version='1.0' encoding='shift_jis'?><r><item>日本".encode("shift_jis") + b"\xff</item></r>")
    (record,) = records_of(path)
    assert (record["#text"], record.effect) == ("日本\ufffd", "lost")


def test_files_are_cut_into_ranges(tmp_path):
    path, small = tmp_path / "large.xml", tmp_path / "small.xml"
    path.write_text(GOOD, "utf-8")
    small.write_text("<r><item>x</item></r>")
    size = path.stat().st_size
    parts = split([path, small], size=1000)
    assert parts[-1] == Range(str(small), 0, None)
    assert [part.start for part in parts[:-1]] == list(range(0, size - 500, 1000))
    assert [part.end for part in parts[:-1]] == [*range(1000, size - 500, 1000), None]
    assert [record["#text"] for part in parts for record in read(part)] == [*(f"é {n}" for n in range(200)), "x"]
    assert split(path) == [Range(str(path), 0, None)]
    assert pickle.loads(pickle.dumps(parts)) == parts


def test_a_uri_is_opened_by_pyarrow(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "large.xml"
    path.write_text(GOOD, "utf-8")
    parts = split(path.as_uri(), size=1000)
    assert len(parts) > 1
    assert [record["#text"] for part in parts for record in read(part)] == [f"é {n}" for n in range(200)]


@pytest.mark.parametrize("backend", ["etree", "lxml"])
def test_fields_and_marks(tmp_path, backend):
    path = tmp_path / "feed.xml"
    path.write_text("<r><item><n>1</n></item><item><n>2\x0c</n></item></r>")
    found = records_of(path, 10, fields={"n": "n/text()"}, on_bad="mark", backend=backend)
    assert [dict(record) for record in found] == [
        {"n": "1", "_file": str(path), "_byte_offset": 3, "_effect": None, "_confidence": None, "_errors": []},
        {
            "n": "2 ",
            "_file": str(path),
            "_byte_offset": 24,
            "_effect": "lost",
            "_confidence": None,
            "_errors": [str(e) for e in found[1].errors],
        },
    ]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(DOCUMENTS, st.sets(st.integers(1, 400), max_size=3), st.sampled_from(["keep", "mark", "skip"]))
@example(b"<r><item></><item></r>", set(), "keep")  # its last piece of markup has four bytes at most
@pytest.mark.parametrize("recovery", ["draft", "intent"])
def test_values_of_fields_are_those_of_elements(tmp_path, recovery, document, cuts, on_bad):
    path = tmp_path / "broken.xml"
    path.write_bytes(document)

    def facts():
        found = records_of(path, *sorted(cuts), recovery=recovery, on_bad=on_bad, fields=FIELDS, tag="{*}item")
        names = *reading.RangeRecord._kept, "number", "line", "offset", "end", "byte_offset", "errors"
        return [(dict(one), ET.tostring(one.element), [getattr(one, name) for name in names]) for one in found]

    without_elements = facts()
    with mock.patch.object(RecordReader, "find_values", return_value=None):
        assert without_elements == facts()


@pytest.mark.skipif(compiled is None, reason="the compiled reader finds them")
@pytest.mark.parametrize("content", ["<n>{}</n>", "<n>{} & more</n>"])
def test_values_of_fields_need_no_elements(tmp_path, content):
    path = tmp_path / "feed.xml"
    path.write_text("<r>" + "".join(f"<item>{content.format(n)}</item>\n" for n in range(50)) + "</r>")
    found = records_of(path, fields={"n": "n"})
    assert [record["n"] for record in found] == [content[3:-4].format(n) for n in range(50)]
    assert all(callable(record._element) for record in found)  # they would make it


def test_bad_records_are_skipped_or_raise(tmp_path):
    path = tmp_path / "feed.xml"
    path.write_text("<r><item>1</item><item>2\x0c</item><item>3 & 4</item></r>")
    with read(Range(str(path)), on_bad="skip") as found:
        assert [record["#text"] for record in found] == ["1", "3 & 4"]
        assert found.skipped == 1
    with pytest.raises(ParseError, match="record 2"):
        list(read(Range(str(path)), on_bad="raise"))


def test_bad_use(tmp_path):
    part = Range(str(tmp_path / "missing.xml"))
    for tag in ("", "m:item", "*", "a b", "a:b:c", "<item>", "u}item", "{u}"):
        with pytest.raises(ValueError, match="the tag of records"):
            read(part, tag)
    for tag in (["item", "entry"], ["item"], b"item", None):
        with pytest.raises(TypeError, match="the records of a range have one name, a str, not"):
            read(part, tag)
    with pytest.raises(ValueError, match="in XML5"):
        read(part, dialect="html")
    with pytest.raises(ValueError, match="on_error"):
        read(part, on_error=print)
    with pytest.raises(ValueError, match="on_bad"):
        read(part, on_bad="drop")
    with pytest.raises(ValueError, match="the column '_file' is added to all records, and has a path, too"):
        read(part, fields={"_file": "n"}, on_bad="mark")
    with pytest.raises(TypeError, match="unknown option"):
        read(part, colour="red")
    with pytest.raises(FileNotFoundError):
        list(read(part))
    with pytest.raises(FileNotFoundError):
        split(tmp_path / "missing.xml")
    with pytest.raises(ValueError, match="must be positive"):
        split([], size=0)


def test_records_have_no_tails(tmp_path):
    """Records are read in groups; what separates them there is not of the file."""
    path = tmp_path / "document.xml"
    path.write_bytes(b"<r><a>1</a><a>2</a><a>3</a></r>")
    whole = [record.element.tail for record in read(Range(str(path)), "a")]
    cut = [
        record.element.tail for part in (Range(str(path), 0, 15), Range(str(path), 15)) for record in read(part, "a")
    ]
    assert whole == cut == [None, None, None]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_damaged_compression_is_an_error_of_the_file(tmp_path, pack):
    path = tmp_path / "document.xml.packed"
    path.write_bytes(pack(b"<r>" + b"".join(b"<a>%d</a>" % number for number in range(5000)) + b"</r>")[:-20])
    with pytest.raises(OSError, match="damaged or cut off"):
        list(read(Range(str(path)), "a"))


@pytest.mark.parametrize("part", [{}, {"start": 100}])
def test_files_that_are_no_xml_are_refused(tmp_path, part):
    """As everywhere else, and whatever stands in the range."""
    path = tmp_path / "image.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100) + b"<a>1</a>")
    with pytest.raises(ParseError, match="looks like a PNG image") as caught:
        list(read(Range(str(path), **part), "a"))
    assert (caught.value.code, caught.value.filename) == ("not-xml", str(path))
    assert [hint.option for hint in caught.value.errors.hints] == ["force"]
    assert [record.element.text for record in read(Range(str(path), **part), "a", force=True)] == ["1"]


def test_packed_files_are_judged_by_what_is_in_them(tmp_path):
    path = tmp_path / "packed.gz"
    path.write_bytes(gzip.compress(b"\x89PNG\r\n\x1a\n" + bytes(100)))
    with pytest.raises(ParseError, match="looks like a PNG image"):
        list(read(Range(str(path)), "a"))
    path.write_bytes(gzip.compress(b"<r><a>1</a></r>"))
    assert len(list(read(Range(str(path)), "a"))) == 1


def test_records_that_do_not_end_with_their_extents_are_not_read_again_and_again(tmp_path):
    """All that was left of a group of them was read again for each."""
    path = tmp_path / "a.xml"

    def count(number):
        path.write_text("<r>" + "<item><b x=\"'></item>" * number + "</r>")
        return sum(1 for _ in read(Range(str(path))))

    assert count(40) == 40
    assert_scales_linearly(count, int, 50, factor=8, slack=3)


LIMITED = ["<item>&x;</item>", "<item a='&y;'>&y;</item>", "<item><a><b><m:c/></b></a></item>", "<item/>", "<item>1"]
LIMITS = {
    "max_depth": {"max_depth": 3},
    "entities": {"amplification_threshold": 40, "max_amplification": 1},
    "both": {"max_depth": 4, "amplification_threshold": 0, "max_amplification": 1},
    "in another root": {"max_depth": 2, "roots": "all"},
}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(st.sampled_from(LIMITED + FRAGMENTS), max_size=30), st.sets(st.integers(60, 600), min_size=1, max_size=6)
)
@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("recovery", ["draft", "intent"])
def test_records_beyond_a_limit_are_the_same_wherever_the_file_is_cut(tmp_path, recovery, limit, parts, cuts):
    """Documents report each limit once, but each record that is beyond it has the error."""
    path = tmp_path / "limited.xml"
    path.write_text("<!DOCTYPE r [<!ENTITY x '0123456789'><!ENTITY y '&x;&x;&x;'>]><r xmlns:m='u'>" + "".join(parts))
    whole = rows_of(path, "{*}item", [], recovery, **LIMITS[limit])
    assert rows_of(path, "{*}item", sorted(cuts), recovery, **LIMITS[limit]) == whole


@pytest.mark.parametrize("limit", ["in another root", "entities"])
def test_each_record_beyond_a_limit_has_the_error(tmp_path, limit):
    path = tmp_path / "limited.xml"
    record = "<item><a><b><c>&x;&x;&x;&x;&x;&x;</c></b></a></item>"
    path.write_text(f"<!DOCTYPE r [<!ENTITY x '{'0123456789' * 30}'>]><r>{record * 30}</r>")
    rows = rows_of(path, "item", [], **LIMITS[limit])
    assert [row[2] != () for row in rows] == [True] * 30


def test_a_tag_that_intent_takes_for_text_begins_no_record(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text("<r><n/>1 <a 2 <n q='>'> x</n></r>")
    assert [record.data for record in read(Range(str(path)), "a", recovery="draft")] == [b"<a 2 <n q='>'> x</n></r>"]
    assert list(read(Range(str(path)), "a", recovery="intent")) == []
    with pytest.warns(xml5tree.RowsWarning, match="no element 'a' was found; there is 'n'"):
        assert list(xml5tree.records(str(path), "a", recovery="intent")) == []


def test_intent_learns_nothing_from_other_records(tmp_path):
    """Else a record would read otherwise where the file is cut between it and those that it is like."""
    records = ["<item><t>a</t><u>b</u></item>"] * 9 + ["<item><t>a<u>b</u></item>"]
    path = tmp_path / "a.xml"
    path.write_text("<r>" + "".join(records) + "</r>")
    whole = rows_of(path, "item", [], "intent")
    assert len(whole) == 10
    for cut in (1, 100, 3 + 9 * len(records[0])):
        assert rows_of(path, "item", [cut], "intent") == whole


@each_case(
    "fault, recovery", [*product(one_in(4, FAULTY_FEEDS), ["intent"]), *product(one_in(9, FAULTY_FEEDS), ["draft"])]
)
def test_rows_around_any_fault_are_those_of_records_or_it_is_told(tmp_path, fault, recovery):
    """Of each kind of fault that there is: ranges of any size have the rows of the whole."""
    path = tmp_path / "any.xml"
    path.write_bytes(FAULTY_FEEDS[fault])
    whole = rows_of(path, "item", [], recovery)
    cuts = [part.start for part in split(path, size=path.stat().st_size // Random(fault).randrange(3, 7))][1:]
    assert cuts or fault == "declared to be Latin-1"  # other encodings are not cut
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert rows_of(path, "item", cuts, recovery) == whole
    if not any("may read otherwise" in str(warning.message) for warning in told):
        records = list(xml5tree.records(path, recovery=recovery))
        assert [row[1] for row in whole] == [dict(record) for record in records]
        assert recovery == "intent" or [row[3] for row in whole] == [record.effect for record in records]


def test_the_end_of_a_record_with_a_start_tag_of_another_name_is_told_wherever_files_are_cut(tmp_path):
    records = [f"<item id='{number}'><a>x</a></item>\n" for number in range(9)]
    records[5] = records[5].replace("<item id", "<itemi d")
    path = tmp_path / "swapped.xml"
    path.write_text("<r>\n" + "".join(records) + "</r>")
    for cut in one_in(3, range(1, path.stat().st_size)):
        with pytest.warns(xml5tree.RowsWarning, match="may read otherwise"):
            assert len(rows_of(path, "item", [cut], "intent")) == 8


def test_a_pickled_record_knows_whether_it_is_complete(tmp_path):
    path = tmp_path / "feed.xml"
    path.write_text("<r><item>a</item><item>b")
    whole, cut_off = records_of(path, 40)
    assert [pickle.loads(pickle.dumps(record)).complete for record in (whole, cut_off)] == [True, False]
