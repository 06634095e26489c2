"""Tables of flat records, whose values are found without elements: what the elements have."""

import re
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.brokenrecords import broken_records, records
from support.splits import chunks

import xml5tree
from xml5tree.output.flatrecords import FlatRecords, flat_records

pytest.importorskip("pyarrow")
pytestmark = pytest.mark.filterwarnings("ignore::xml5tree.RowsWarning")

#: Ways to ask for the same things as flat records have, and for what they have not.
FIELDS = {
    "title": "title",
    "own": "title/text()",
    "all": ["title"],
    "texts": ["link/text()"],
    "id": "@id",
    "ids": ["@id"],
    "kind": "link/@kind",
    "kinds": ["link/@kind"],
    "empty": "empty",
    "b": "b",
    "q": "q",
    "none": "nothing",
    "same": "title",
}
TAGS = ["item", "row", "p", "sect", "i", "deep"]


def table(document, on, size=None, **options):
    """The rows of a document, with values found without elements or not, the errors, and how many were found so."""
    taken = []

    def counted(self, source, start, values=FlatRecords.values):
        found = values(self, source, start)
        taken.append(found is not None)
        return found

    options = {"tag": "item", "fields": FIELDS, "schema": None} | options
    replaced = {"_WITH_ELEMENTS": 0} if on else {"_WITH_ELEMENTS": 1 << 60}
    with (
        mock.patch.multiple("xml5tree.records", **replaced),
        mock.patch("xml5tree.output.places._WORTH_A_ROW", 8),
        mock.patch.object(FlatRecords, "values", counted),
    ):
        parts = [document] if size is None else chunks(document, size)
        batches = xml5tree.record_batches(parts, **options)
        rows = [row for batch in batches for row in batch.to_pylist()]
    return rows, [str(entry) for entry in batches.error_log], sum(taken)


def check(document, size=None, **options):
    rows, log, none = table(document, False, size, **options)
    found, other_log, taken = table(document, True, size, **options)
    assert (found, other_log, none) == (rows, log, 0)
    return rows, taken


def in_item(*contents, around="<r>{}</r>"):
    return around.format("\n".join(f"<item{content}</item>" for content in contents))


FLAT = [
    " id='1'><title>a</title>",
    "><title>a</title><link>b</link>",
    ' id="1"><title>a &amp; b &#65;&#x42;&lt;&quot;&apos;&gt;</title>',
    ' id="a&lt;&quot;b"><link kind="k&amp;l">x</link><link kind="m">y</link><link/>',
    "><title>\n é ü\t</title>\n  <empty/>\n<b></b> <title>z</title>",
    "><title/><title>z</title>",
    "><title></title><title>z</title>",
    "><link/><link kind='a'/><link kind=\"\">b</link>",
    "><title >a</title >",
    ' \n id="1"\n>\n<q \n/>',
    "><x:title xmlns:x='u'>a</x:title>",
    '><m:title>a</m:title><title m:id="4">b</title>',
    "><title id=\"x\n\ty\">a</title><link kind='\t'/>",
    '><link kind="\t">a</link>',
    ' id="\n"><title>a</title>',
    "><title>a<!-- c -->b</title>",
    "><title><![CDATA[a]]>b</title>",
    "><title>a<i>b</i></title>",
    ">text<title>a</title>",
    "><title>a</title>text",
    "><?go?><title>a</title>",
    "",
]
FLAT[-1] = ">"


@pytest.mark.parametrize("recovery", ["intent", "draft"])
@pytest.mark.parametrize("backend", ["etree", "lxml"])
@pytest.mark.parametrize("content", FLAT)
def test_shapes(content, backend, recovery):
    first = ' id="0"><title>first</title>'
    document = in_item(first, *[content, first] * 4, around="<r xmlns:m='urn:m'>{}</r>")
    rows, _ = check("<r xmlns:m='urn:m'>" + " " * 300 + document[19:], 40, backend=backend, recovery=recovery)
    assert len(rows) == 9


def many(content="><title>{}</title>", count=200, around="<r>{}</r>"):
    return around.format("\n".join(f"<item{content}</item>".replace("{}", str(n)) for n in range(count)))


def test_they_are_found_without_elements():
    """The first records tell which names there are, and the rest of them is flat."""
    rows, taken = check(many(), 1000)
    assert [row["title"] for row in rows] == [str(number) for number in range(200)]
    assert taken > 150


@pytest.mark.parametrize(
    "around",
    [
        "<r xmlns='urn:a'>{}</r>",
        "<r xmlns = 'urn:a'>{}</r>",
        "<r><s xmlns='urn:a'/>{}</r>",
        "<!DOCTYPE r [<!ATTLIST r xmlns CDATA 'urn:a'>]><r>{}</r>",
        "<!DOCTYPE r [<!ATTLIST item id CDATA 'default'>]><r>{}</r>",
        "<!DOCTYPE r [<!ATTLIST title xmlns CDATA 'urn:a'>]><r>{}</r>",
        "<!DOCTYPE r [<!ATTLIST item id NMTOKEN #IMPLIED>]><r>{}</r>",
        "<r>]]{}></r>",
        "{}",
        "<item>{}</item>",
        "<r><s><t>{}",
    ],
)
@pytest.mark.parametrize("recovery", ["intent", "draft"])
def test_what_is_around_them(around, recovery):
    for content in ("><title>{}</title>", ' id=" {}  a "><title>{}</title>'):
        for size in (None, 500, 64):
            for tag in ("item", "{urn:a}item", "{*}item", "*"):
                check(many(content, 60, around), size, tag=tag, recovery=recovery)


@pytest.mark.parametrize(
    "between", ["]]{}>", "]{}]>", "&{}amp;", "<{}b>", "</{}r>", "{}<item/>", "<item>{}", "<!--{}-->"]
)
def test_what_is_between_them(between):
    items = [f"<item><title>{number}</title></item>" for number in range(40)]
    text = "<r>" + "".join(items) + "".join(between.format(item) for item in items) + "</r>"
    for size in (100, 300, 2000):
        check(text, size)


def test_documents_without_a_root():
    items = "".join(f"<item><title>{number}</title></item>" for number in range(200))
    for roots in ("first", "all"):
        rows, _ = check(items, 300, roots=roots)
    assert len(rows) == 200


def test_records_that_are_not_flat_are_not_looked_at_for_long():
    rows, taken = check(many("><title>{}<i>x</i></title>", 1000), 3000)
    assert (len(rows), taken) == (1000, 0)
    rows, taken = check(many("><b/>" + "<title>{}</title>" * 101, 60), 9000)
    assert (len(rows), taken) == (60, 0)


@pytest.mark.parametrize("on_bad", ["keep", "skip", "mark"])
def test_bad_records(on_bad):
    schema = (
        "title string, _line int, _number int, _byte_offset long, _effect string, _errors array<string>, _file string"
    )
    good, bad = '<item id="é"><title>é{}</title></item>\n', "<item><title>a & b{}\f</title></item>"
    text = "<r>" + "".join((bad if number % 7 == 5 else good).format(number) for number in range(200)) + "</r>"
    rows, taken = check(text.encode(), 700, on_bad=on_bad, schema=schema)
    assert (taken > 0) is (on_bad != "mark")
    assert len(rows) == (172 if on_bad == "skip" else 200)
    assert [row["_line"] for row in rows[:3]] == [1, 2, 3]
    assert [row["_number"] for row in rows if row["_effect"]] == (
        [] if on_bad == "skip" else [number + 1 for number in range(200) if number % 7 == 5]
    )


def test_more_shapes_than_are_kept():
    contents = [f'><title a{number % 23}="">{number}</title>' for number in range(300)]
    rows, taken = check(in_item(*contents), 4000)
    assert [row["title"] for row in rows] == [str(number) for number in range(300)]
    assert taken > 50


@settings(deadline=None)
@given(records(200) | broken_records(200), st.sampled_from(TAGS), st.sampled_from([None, 7, 100, 1000]), st.booleans())
def test_rows_are_those_of_elements(document, tag, size, is_draft):
    check(document, size, tag=tag, recovery="draft" if is_draft else "intent")


WORDS = st.sampled_from(["a", "é", "&amp;", "&#9;", "\n", "\t", " ", "&lt;b&gt;", "]]", "&"])
TEXT = st.lists(WORDS, max_size=3).map("".join)
CHILD = st.builds(
    "<{0}{1}>{2}</{3}>".format,
    st.shared(st.sampled_from(["title", "link", "b", "q"]), key="name"),
    st.sampled_from(["", ' kind="k"', " kind='k'", " kind=k", ' kind="&amp;\t"', ' xmlns="u"', ' xmlns:a="u"']),
    TEXT,
    st.shared(st.sampled_from(["title", "link", "b", "q"]), key="name") | st.just("title"),
) | st.sampled_from(
    ["<title/>", "<link kind='a'/>", "<q />", "<!--c-->", "<![CDATA[x]]>", "<b>", "</b>", "t", "</item>"]
)
ITEM = st.builds(
    "<item{0}>{1}</item>{2}".format,
    st.sampled_from(["", ' id="1"', " id='1'", ' id="&gt; é"', ' id="\n"', " id=1", ' id="1" id="2"']),
    st.lists(CHILD, max_size=4).map("".join),
    st.sampled_from(["", "\n", "x", "]]", ">", "&amp;", "<item>", "</r>", "<item/>"]),
)


@settings(deadline=None)
@given(st.lists(ITEM, max_size=12), st.integers(1, 4), st.sampled_from([None, 30, 300]), st.booleans(), st.booleans())
def test_rows_of_any_items(items, times, size, is_draft, is_lxml):
    document = "<r>" + "".join(items * times) + "</r>"
    recovery, backend = "draft" if is_draft else "intent", "lxml" if is_lxml else "etree"
    check(document, size, recovery=recovery, backend=backend)


@pytest.mark.parametrize("path", [".", "a/b", "m:a", "{*}a", "a[1]", "*", "//a", "text()", "a/@m:b", "count(a)"])
def test_paths_that_need_elements(path):
    assert flat_records("item", {"a": path}) is None
    assert flat_records("item", {"a": [path]}) is None


def test_records_have_elements_where_somebody_sees_them():
    found = list(xml5tree.records([many()], fields={"title": "title"}))
    assert all(record.element is not None for record in found)
    assert re.fullmatch("[0-9]+", found[-1]["title"])
