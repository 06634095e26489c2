"""Tables of flat records, whose values are found without elements: what the elements have."""

import re
from itertools import cycle, product
from random import Random
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recovery_faults import inject
from recovery_kinds import ALL_FAULTS
from support import nearxml
from support.brokenrecords import broken_records, records
from support.cases import one_in
from support.commands import run_command
from support.splits import chunks

import xml5tree
from compat.lanes import LANES, lane
from xml5tree.accelerator import compiled
from xml5tree.output.flatrecords import FlatRecords, RecordRun, flat_paths
from xml5tree.output.recordnames import AsWritten
from xml5tree.xml.prefixes import WELL_KNOWN_PREFIXES

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
    "creator": "dc:creator",
    "creators": ["dc:creator"],
    "thumb": "media:thumbnail/@url",
    "alt": "link/@dc:alt",
    "any": "{*}title",
    "atom": "{http://www.w3.org/2005/Atom}title",
    "atoms": ["{http://www.w3.org/2005/Atom}link/text()"],
}
TAGS = ["item", "row", "p", "sect", "i", "deep"]


def table(document, on, size=None, finder=compiled, **options):
    """The rows of a document, with values found without elements or not, the errors, and how many were found so."""
    taken = []

    def counted(self, source, start, run=FlatRecords.run):
        found = run(self, source, start)
        taken.append(0 if found is None else found.size)
        return found

    options = {"tag": "item", "fields": FIELDS, "schema": None} | options
    replaced = {"_WITH_ELEMENTS": 0} if on else {"_WITH_ELEMENTS": 1 << 60}
    with (
        mock.patch.multiple("xml5tree.recordreader", **replaced),
        mock.patch("xml5tree.output.places._WORTH_A_ROW", 8),
        mock.patch("xml5tree.output.flatrecords.compiled", finder),
        mock.patch.object(FlatRecords, "run", counted),
    ):
        parts = [document] if size is None else chunks(document, size)
        batches = xml5tree.record_batches(parts, **options)
        rows = [row for batch in batches for row in batch.to_pylist()]
    return rows, [str(entry) for entry in batches.error_log], sum(taken)


def check(document, size=None, **options):
    rows, log, none = table(document, False, size, **options)
    found, other_log, taken = table(document, True, size, **options)
    assert (found, other_log, none) == (rows, log, 0)
    assert table(document, True, size, None, **options) == (rows, log, taken)
    return rows, taken


def in_item(*contents, around="<r>{}</r>"):
    return around.format("\n".join(f"<item{content}</item>" for content in contents))


FLAT = [
    " id='1'><title>a</title>",
    " id='a\"&lt;b' k=\"it's\"><link kind='&apos;'>x</link>",
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
    "><title>a &amp; <![CDATA[<i>b</i> &amp; ]] ]>\n]]>&lt;c<![CDATA[]]><![CDATA[d\r\ne\t]]]></title>",
    "><title><![CDATA[]]></title><title>x</title><link><![CDATA[]]><![CDATA[]]></link><link><![CDATA[ ]]></link>",
    "><title><![CDATA[a</title></item>]]></title><b><![CDATA[<![CDATA[ ]]></b>",
    "><title>a]]></title><link><![CDATA[a]]>]]></link><b>&<![CDATA[&]]>&#65;</b>",
    "><![CDATA[ ]]><title>a</title>",
    "><title>a<i>b</i></title>",
    ">text<title>a</title>",
    "><title>a</title>text",
    "><?go?><title>a</title>",
    "",
]
FLAT[-1] = ">"


@pytest.mark.parametrize(("backend", "recovery"), [("etree", "intent"), ("lxml", "intent"), ("lxml", "draft")])
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
    for content in ("><title>{}</title>", " id='{}' kind=\"it's {}\"><title>{}</title>"):
        rows, taken = check(many(content), 1000)
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
def test_what_is_around_them(around):
    sizes, recoveries = cycle((None, 500, 64)), cycle(("intent", "draft"))
    for content in ("><title>{}</title>", ' id=" {}  a "><title>{}</title>'):
        for tag in ("item", "{urn:a}item", "{*}item", "*"):
            for size, recovery in ((next(sizes), next(recoveries)) for _ in range(2 if tag == "item" else 1)):
                check(many(content, 30, around), size, tag=tag, recovery=recovery)


DC = 'xmlns:dc="http://purl.org/dc/elements/1.1/"'
MEDIA = "xmlns:media='http://search.yahoo.com/mrss/'"
ATOM = 'xmlns="http://www.w3.org/2005/Atom"'
CREATOR = "><title>{}</title><dc:creator>c{}</dc:creator><media:thumbnail url='u{}'/>"
LINKED = "><title>{}</title><link dc:alt='x' alt='y'>t</link><q/>"
#: Records in namespaces, what is around them, and whether they are found without elements.
NAMESPACES = {
    "prefixes at the root": (CREATOR, f"<r {DC} {MEDIA}>{{}}</r>", True),
    # Such tags are written anew, which the patterns that find records do not follow.
    "prefixes that are not declared": (CREATOR, "<r>{}</r>", False),
    "prefixes at the parent": (CREATOR, f"<r><c {DC} {MEDIA}>{{}}</c></r>", True),
    "prefixes at the record": (f" {DC} {MEDIA}{CREATOR}", "<r>{}</r>", True),
    "prefixes in the record": (f"><dc:creator {DC}>{{}}</dc:creator>", "<r>{}</r>", True),
    "other prefixes": (
        "><d:creator>{}</d:creator><d:title/>",
        f"<r {DC} {DC.replace(':dc', ':d')}>{{}}</r>",
        True,
    ),
    "one prefix for two namespaces": (
        "><dc:creator>{}</dc:creator>",
        f"<r><c {DC}/><d xmlns:dc='urn:d'>{{}}</d></r>",
        False,
    ),
    "a namespace that comes late": (CREATOR, f"<r {DC} {MEDIA}>{{}}<i xmlns:dc='urn:d'><dc:creator/></i></r>", True),
    "a prefix with unusual values": (CREATOR, "<r xmlns:dc='urn:a&amp;b' xmlns:media=' urn:m'>{}</r>", False),
    "attributes": (LINKED, f"<r {DC}>{{}}</r>", True),
    "a default namespace at the root": (LINKED, f"<r {ATOM} {DC}>{{}}</r>", True),
    "the same one again": (LINKED, f"<r {ATOM} {DC}><c {ATOM}>{{}}</c></r>", True),
    "the same one at the record": (f" {ATOM}{LINKED}", f"<r {ATOM} {DC}>{{}}</r>", True),
    "one at the record": (f" {ATOM}{LINKED}", f"<r {DC}>{{}}</r>", False),
    "one at the parent": (LINKED, f"<r {DC}><c {ATOM}>{{}}</c></r>", False),
    "one at a sibling": (LINKED, f"<r {DC}><c {ATOM}/>{{}}</r>", False),
    "another one in the record": ("><title>{}</title><link xmlns='urn:b'>t</link>", f"<r {ATOM}>{{}}</r>", False),
    "none in the record": ("><title xmlns=''>{}</title><link>t</link>", f"<r {ATOM}>{{}}</r>", False),
    "none at the root": ("><title>{}</title>", "<r xmlns=''>{}</r>", True),
    "a declaration in text": ("><title> xmlns='urn:b'</title><b/>", f"<r {ATOM}>{{}}</r>", True),
    "a declaration in a section": (
        "><title>{}</title>",
        "<r><d><![CDATA[<svg xmlns='urn:s'>]]></d><!--<a xmlns='urn:s'>--><?p <a xmlns='urn:s'>?>{}</r>",
        True,
    ),
    "a default in the DOCTYPE": (
        LINKED,
        f"<!DOCTYPE r [<!ATTLIST r {ATOM.replace('=', ' CDATA ')}>]><r>{{}}</r>",
        False,
    ),
    "several roots": (LINKED, f"<r {ATOM}>{{}}</r><r><item><title>x</title></item></r>", False),
}


@pytest.mark.parametrize(("backend", "kind"), one_in(2, product(["etree", "lxml"], NAMESPACES)))
def test_records_in_namespaces(kind, backend):
    content, around, is_found = NAMESPACES[kind]
    options = {"roots": "all"} if kind == "several roots" else {}
    counts = []
    for tag in ("{*}item", "item", "{http://www.w3.org/2005/Atom}item"):
        for recovery in ("draft", "intent"):
            _, taken = check(many(content, 60, around), 500, tag=tag, recovery=recovery, backend=backend, **options)
            counts.append(taken)
    if compiled is not None:  # the states make no runs
        assert (max(counts) > 30) == is_found


def test_records_with_prefixes():
    """The names of some records have prefixes, and those of others have not."""
    items = [f"<{p}item><{p}title>{n}</{p}title></{p}item>" for n in range(90) for p in ("", "a:", "b:")]
    for around in (
        "<r xmlns:a='http://www.w3.org/2005/Atom' xmlns:b='urn:b'>{}</r>",
        f"<r {ATOM} xmlns:a='http://www.w3.org/2005/Atom' xmlns:b='urn:b'>{{}}</r>",
    ):
        for tag in ("{*}item", "item", "{http://www.w3.org/2005/Atom}item", "{urn:b}item"):
            check(around.format("".join(items)), 900, tag=tag)
        alike = items[1::3]
        rows, taken = check(around.format("".join(alike)), 900, tag="{http://www.w3.org/2005/Atom}item")
        assert [row["atom"] for row in rows] == [str(number) for number in range(90)]
        assert taken > 50 or compiled is None


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


@pytest.mark.parametrize("batch_size", [1, 7, 4096])
def test_runs_of_several_shapes_are_cut_into_batches(batch_size):
    """Records of all shapes keep their values, numbers and places wherever a batch ends."""
    contents = [
        "><title>{}</title>",
        ' id="é{}"><link kind="k">a</link><link/>',
        "><b/><title/>",
        "><title>&lt;{}</title>",
    ]
    items = [f"<item{contents[number * number % 7 % 4].format(number)}</item>" for number in range(120)]
    schema = "title string, own array<string>, texts array<string>, kinds array<string>, id string, "
    schema += "_number int, _line int, _byte_offset long, _effect string, _errors array<string>"
    for between in ("\n", "\r\n", "<!--<item></item>-->\n", "<![CDATA[<item>]]>", "<?go?>"):
        rows, taken = check(f"<r>{between.join(items)}</r>".encode(), 900, schema=schema, batch_size=batch_size)
        assert [row["_number"] for row in rows] == list(range(1, 121))
        assert taken > 50 or compiled is None


def test_records_that_are_not_flat_are_not_looked_at_for_long():
    rows, taken = check(many("><title>{}<i>x</i></title>", 1000), 3000)
    assert (len(rows), taken) == (1000, 0)
    rows, taken = check(many("><b/>" + "<title>{}</title>" * 201, 60), 18000)
    assert (len(rows), taken) == (60, 0)


@pytest.mark.parametrize("on_bad", ["keep", "skip", "mark"])
def test_bad_records(on_bad):
    schema = (
        "title string, _line int, _number int, _byte_offset long, _effect string, _errors array<string>, _file string"
    )
    good, bad = '<item id="é"><title>é{}</title></item>\n', "<item><title>a & b{}\f</title></item>"
    text = "<r>" + "".join((bad if number % 7 == 5 else good).format(number) for number in range(200)) + "</r>"
    rows, taken = check(text.encode(), 700, on_bad=on_bad, schema=schema)
    assert taken > 0
    assert len(rows) == (172 if on_bad == "skip" else 200)
    assert [row["_line"] for row in rows[:3]] == [1, 2, 3]
    assert [row["_number"] for row in rows if row["_effect"]] == (
        [] if on_bad == "skip" else [number + 1 for number in range(200) if number % 7 == 5]
    )


@pytest.mark.skipif("compiled" not in LANES, reason="the states make no runs")
@pytest.mark.parametrize("recovery", ["intent", "draft"])
@pytest.mark.parametrize("fault", ["a & b", "a &nbsp; b", "a &amp b"])
def test_records_with_errors_are_in_runs(fault, recovery):
    """Their values are found in what is written for them."""
    items = [f"<item><title>{fault if number % 5 == 4 else 'é'} {number}</title></item>" for number in range(200)]
    schema = "title string, _line int, _number int, _byte_offset long, _effect string, _errors array<string>"
    rows, taken = check("<r>" + "\n".join(items) + "</r>", 900, recovery=recovery, schema=schema)
    assert len(rows) == 200
    assert [row["_number"] for row in rows if row["_errors"]] == list(range(5, 201, 5))
    assert taken > (150 if ";" in fault or " & " in fault else 100)


def test_parts_in_any_order_and_number():
    """Records are found whose elements have been in others."""
    random = Random("parts")
    parts = [
        "<title>{}</title>",
        "<title/>",
        "<link kind='k'>{}</link>",
        '<link kind="k"/>',
        "<b>{}</b>",
        "<q/>",
        "<dc:creator>c</dc:creator>",
    ]
    items = [
        "<item{}>{}</item>".format(
            random.choice(["", f' id="{number}"', f" id='{number}'"]),
            "".join(random.choices(parts, k=random.randrange(6))).replace("{}", str(number)),
        )
        for number in range(400)
    ]
    _, taken = check(f"<r {DC}>{''.join(items)}</r>", 4000)
    assert taken > 300


def test_more_parts_than_are_kept():
    contents = [f'><title a{number % 300}="">{number}</title>' for number in range(600)]
    rows, taken = check(in_item(*contents), 8000)
    assert [row["title"] for row in rows] == [str(number) for number in range(600)]
    assert taken > 50


@settings(deadline=None)
@given(records(100) | broken_records(100), st.sampled_from(TAGS), st.sampled_from([None, 7, 100, 1000]), st.booleans())
def test_rows_are_those_of_elements(document, tag, size, is_draft):
    check(document, size, tag=tag, recovery="draft" if is_draft else "intent")


WORDS = st.sampled_from(
    [
        "<![CDATA[<b> &lt;]]>",
        "<![CDATA[]]>",
        "<![CDATA[",
        "]]>",
        "\r\n",
        "a",
        "é",
        "&amp;",
        "&#9;",
        "\n",
        "\t",
        " ",
        "&lt;b&gt;",
        "]]",
        "&",
    ]
)
TEXT = st.lists(WORDS, max_size=3).map("".join)
CHILD = (
    st.builds(
        "<{0}{1}>{2}</{3}>".format,
        st.shared(st.sampled_from(["title", "link", "b", "q"]), key="name"),
        st.sampled_from(["", ' kind="k"', " kind='k'", " kind=k", ' kind="&amp;\t"', ' xmlns="u"', ' xmlns:a="u"']),
        TEXT,
        st.shared(st.sampled_from(["title", "link", "b", "q"]), key="name") | st.just("title"),
    )
    | st.sampled_from(
        ["<dc:creator>a</dc:creator>", "<x:title/>", '<dc:creator xmlns:dc="urn:d"/>', "<link dc:alt='a'/>"]
    )
    | st.sampled_from(
        ["<title/>", "<link kind='a'/>", "<q />", "<!--c-->", "<![CDATA[x]]>", "<b>", "</b>", "t", "</item>"]
    )
)
ITEM = st.builds(
    "<item{0}>{1}</item>{2}".format,
    st.sampled_from(["", ' id="1"', " id='1'", ' id="&gt; é"', ' id="\n"', " id=1", ' id="1" id="2"']),
    st.lists(CHILD, max_size=4).map("".join),
    st.sampled_from(["", "\n", "x", "]]", ">", "&amp;", "<item>", "</r>", "<item/>"]),
)


ROOT = st.sampled_from(["<r>", f"<r {DC}>", f"<r {ATOM} xmlns:x='http://www.w3.org/2005/Atom'>", "<r xmlns:x='urn:x'>"])


@settings(deadline=None)
@given(
    ROOT,
    st.lists(ITEM, max_size=8),
    st.integers(1, 3),
    st.sampled_from([None, 1, 30, 300]),
    st.booleans(),
    st.booleans(),
)
def test_rows_of_any_items(root, items, times, size, is_draft, is_lxml):
    document = root + "".join(items * times) + "</r>"
    recovery, backend = "draft" if is_draft else "intent", "lxml" if is_lxml else "etree"
    check(document, size, recovery=recovery, backend=backend, tag="{*}item")


#: The columns of `FIELDS`, and what is known of each record.
EVERY_COLUMN = (
    "title string, own string, all array<string>, texts array<string>, id string, ids array<string>, kind string, "
    "kinds array<string>, empty string, b string, q string, none string, same string, creator string, "
    "creators array<string>, thumb string, alt string, any string, atom string, atoms array<string>, "
    "_number long, _line long, _byte_offset long, _effect string, _errors array<string>"
)


def one_by_one(document, size, **options):
    """The rows of a document as `records` gives them, with what is known of each record, and the errors."""
    found = xml5tree.records(
        [document] if size is None else chunks(document, size), fields=FIELDS, spans=True, **options
    )
    rows = []
    for record in found:
        known = {"_number": record.number, "_line": record.line, "_byte_offset": record.byte_offset}
        rows.append({**record, **known, "_effect": record.effect, "_errors": [str(error) for error in record.errors]})
        assert record.span[0] == record.byte_offset
    return rows, [str(entry) for entry in found.error_log]


def check_runs(document, size, way, **options):
    """Compare records in runs with records one by one, all that is known of each included; how many are in runs."""
    finder = compiled if way == "compiled" else None
    with lane(way), mock.patch("xml5tree.output.places.compiled", finder):
        try:
            expected = one_by_one(document, size, **options)
        except xml5tree.ParseError as error:
            with pytest.raises(xml5tree.ParseError, match=re.escape(str(error))):
                table(document, True, size, finder, schema=EVERY_COLUMN, **options)
            return 0
        *found, taken = table(document, True, size, finder, schema=EVERY_COLUMN, **options)
    assert tuple(found) == expected
    return taken


FLAT_ITEM = st.builds(
    "<item{0}>{1}</item>{2}".format,
    st.sampled_from(["", ' id="1"', ' id="é &gt;" n="2"']),
    st.lists(
        st.sampled_from(
            [
                "<title>&amp;<![CDATA[é</title> &amp; ]]>x<![CDATA[]]></title>",
                "<link><![CDATA[]]></link>",
                "<title>a</title>",
                "<title>é\n&lt;</title>",
                "<link kind='k'>b</link>",
                '<link kind="&amp;"/>',
                "<b></b>",
            ]
        ),
        max_size=3,
    ).map("".join),
    st.sampled_from(["", "\n", "\r\n", " "]),
)
FAULT = st.sampled_from(nearxml.FAULTS)
BROKEN = st.tuples(
    st.sampled_from(["<r>", "<r><c>", "", "<r xmlns:m='u'>\r\n"]),
    st.lists(FLAT_ITEM | FAULT | FAULT.map("<item><title>{}</title></item>".format) | ITEM, max_size=12).map("".join),
    st.sampled_from(["</r>", "</c></r>", ""]),
).map("".join)


@pytest.mark.parametrize("recovery", ["draft", "intent"])
@pytest.mark.parametrize("way", LANES)
@settings(deadline=None)
@given(
    BROKEN | broken_records(),
    st.sampled_from([None, 1, 40, 400]),
    st.sampled_from(["etree", "lxml"]),
    st.sampled_from(["keep", "skip"]),
)
def test_runs_of_broken_documents_are_records_one_by_one(way, recovery, document, size, backend, on_bad):
    """With the values, numbers, places and errors that `records` gives, whose spans begin at the places."""
    data = document.encode("utf-8", "surrogatepass")
    check_runs(data, size, way, recovery=recovery, backend=backend, on_bad=on_bad)


@pytest.mark.parametrize("form", ["jsonl", "csv"])
@pytest.mark.parametrize("way", LANES)
@settings(deadline=None)
@given(
    BROKEN | broken_records(),
    st.integers(1, 30),
    st.sampled_from(["draft", "intent"]),
    st.sampled_from(["keep", "mark", "skip", "raise"]),
    st.sampled_from(["title", "_line", "100 %s", '\x7f"\n']),
)
def test_the_command_writes_the_rows_of_elements(way, form, document, times, recovery, on_bad, name):
    """Every byte of the output is the same, and so are the remarks and the status."""
    fields = {name: "title", "link": "link/text()", "id": "@id", "kind": "link/@kind", "none": "x"}
    options = ["--to", form, "--recovery", recovery, "--on-bad", on_bad, *["--escape-formulas"] * (form == "csv")]
    options += [text for column, path in fields.items() for text in ("--field", f"{column}={path}")]
    first, found, last = document.rpartition("</item>")
    data = (first + found + first[first.find("<item") :] * times + last).encode("utf-8", "surrogatepass")
    results = []
    for begin in (0, 1 << 60):
        with (
            lane(way),
            mock.patch("xml5tree.recordreader._WITH_ELEMENTS", begin),
            mock.patch("xml5tree.output.places._WORTH_A_ROW", 8),
            mock.patch("xml5tree.output.places.compiled", compiled if way == "compiled" else None),
            mock.patch("xml5tree.output.flatrecords.compiled", compiled if way == "compiled" else None),
        ):
            results.append(run_command("records", "-", *options, stdin=data))
    assert results[0] == results[1]


@pytest.mark.parametrize("recovery", ["draft", "intent"])
@pytest.mark.parametrize("fault", ALL_FAULTS, ids=lambda fault: fault.name)
def test_runs_around_any_fault_are_records_one_by_one(fault, recovery):
    """What stands around a fault of any kind is in runs all the same, by intent at least."""
    good = ' id="{}"><title>A title of {} words &amp; more</title><link kind="l">http://e.example/{}</link>\n<b>1.5</b>'
    first = '<item>\n<m:date>\n1 é 2\n</m:date>\n<q/>\n<link kind="k"/>\n</item>\n'
    text = many(good, 24, f"<?xml version='1.0'?>\n<r xmlns:m='urn:m'>{first * 2}{{}}</r>")
    made = inject(fault, Random(fault.name), text, 2)
    if made is None:
        pytest.skip("a document of flat records has no place for the fault")
    taken = check_runs(made.broken, 200, "compiled" if "compiled" in LANES else "states", recovery=recovery)
    assert taken > 0 or recovery == "draft"


@pytest.mark.skipif(compiled is None, reason="the scanner is not compiled, or switched off")
@settings(deadline=None)
@given(
    st.lists(ITEM | FLAT_ITEM, min_size=1, max_size=8).map("".join),
    st.lists(FLAT_ITEM, min_size=1, max_size=4),
    st.integers(0, 9),
)
def test_the_compiled_finder_is_the_pattern(items, shapes, place):
    """Both find the same records to have the shapes of others, and the same values in any part of them."""
    source = items.encode()
    start = source.find(b"<", place)
    found = []
    for finder in (compiled, None):
        with mock.patch("xml5tree.output.flatrecords.compiled", finder):
            flat = FlatRecords(AsWritten(b"item"), flat_paths(FIELDS, WELL_KNOWN_PREFIXES))
            for shape in shapes:
                flat.run(shape.encode(), 0)
            run = flat.run(source, start)
        if run is not None:
            columns = RecordRun(1, range(run.size), None, run.columns).part(run.size // 3, run.size).columns
            texts = {name: [as_text(value) for value in values] for name, values in columns.items()}
            run = run._replace(columns=texts)
        found.append(run)
    assert found[0] == found[1]


def as_text(value):
    return value.decode() if isinstance(value, bytes) else value


@pytest.mark.parametrize("path", [".", "a/b", "a[1]", "*", "{*}*", "{u}*", "//a", "text()", "a/@{u}b", "count(a)"])
def test_paths_that_need_elements(path):
    assert flat_paths({"a": path}, WELL_KNOWN_PREFIXES) is None
    assert flat_paths({"a": [path]}, WELL_KNOWN_PREFIXES) is None


def test_records_have_elements_where_somebody_sees_them():
    found = list(xml5tree.records([many()], fields={"title": "title"}))
    assert all(record.element is not None for record in found)
    assert re.fullmatch("[0-9]+", found[-1]["title"])
