"""Tables without `fields`: flat records in runs have the columns, types and values that their elements have."""

import warnings
from itertools import product
from random import Random
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.brokenrecords import broken_records
from support.cases import one_in
from support.splits import chunks

import xml5tree
from xml5tree.accelerator import compiled
from xml5tree.output.flatrecords import FlatRecords, Shape

pytest.importorskip("pyarrow")

FINDERS = [None] if compiled is None else [compiled, None]
SCHEMAS = [
    None,
    "infer",
    "a string, `@id` string, b int, c string, d string, none string",
    "a array<string>, `@id` int, b array<struct<`#text`: int, `@k`: string>>, _line int, _number int, _effect string",
    "b struct<`@k`: string>, c array<struct<`@k`: string, `@l`: string>>, a struct<`#text`: string>, lang string",
    "b struct<`@k`: int, x: string>, c array<int>, d struct<e: string>, `@id` array<string>, `#text` int, g_a string",
]


def read(document, is_fast, finder, size, call, **options):
    """What a call gives: schema, rows, warnings, errors of the document, and how many records were found in runs."""
    taken, errors = [], []

    def counted(self, source, start, run=FlatRecords.run):
        found = run(self, source, start)
        taken.append(0 if found is None else found.size)
        return found

    with (
        mock.patch("xml5tree.recordreader._WITH_ELEMENTS", 0 if is_fast else 1 << 60),
        mock.patch("xml5tree.output.places._WORTH_A_ROW", 8),
        mock.patch("xml5tree.output.flatrecords.compiled", finder),
        mock.patch("xml5tree.tables._BATCH_SIZE", 30),
        mock.patch.object(FlatRecords, "run", counted),
        warnings.catch_warnings(record=True) as told,
    ):
        warnings.simplefilter("always")
        found = []
        try:
            result = getattr(xml5tree, call)(chunks(document, size), on_error=errors.append, **options)
            if call == "record_batches":
                found.append(result.schema)
                found += ([str(batch.schema), batch.to_pylist()] for batch in result)
            else:
                result.validate(full=True)
                found += [str(result.schema), result.to_pylist()]
        except (ValueError, xml5tree.ParseError) as error:
            found.append(repr(error))
    return [found, [str(one.message) for one in told], [str(entry) for entry in errors]], sum(taken)


def check(document, size=100, call="read_table", **options):
    """Compare what is found in runs with what is found in elements; return that, and how many records were in runs."""
    options = {"recovery": "draft", "tag": "{*}item"} | options  # which does not wait for what comes later
    expected, none = read(document, False, None, size, call, **options)
    assert none == 0
    counts = set()
    for finder in FINDERS:
        found, taken = read(document, True, finder, size, call, **options)
        assert found == expected
        counts.add(taken)
    assert len(counts) == 1
    return expected[0], counts.pop()


ROOTS = [
    "<r>",
    "<r xmlns='urn:a'>",
    "<r xmlns='http://www.w3.org/2005/Atom' xmlns:g='urn:g'>",
    "<r xmlns:g='http://base.google.com/ns/1.0'>",
]


def document(*contents, times=1, root="<r>"):
    items = [f"<item{content}</item>" for content in contents]
    return root + "\n".join(items * times) + "</r>"


CONTENTS = {
    "text": "><a>x</a><b>1</b>",
    "attributes of records": " id=\"1\" n=''><a> x </a>",
    "attributes": '><a>x</a><b k="">1</b><c k="k" l="l"/>',
    "attributes with and without": "><b k='2'> </b><a/>",
    "several": "><a>x</a><a>y</a><a/><b>1</b>",
    "several with attributes": '><c k="1">x</c><c l="2"/><c/><c> &#160; </c>',
    "blank": "><a> &#32;\n&#xa0;&#x2003; </a><b>&#9;</b>",
    "empty": ">",
    "sections": "><a> <![CDATA[ <b> &amp;]]> &amp;</a><b><![CDATA[]]></b><c k='1'><![CDATA[ ]]></c>",
    "a language": ' xml:lang="de"><a xml:lang="en">x</a><xml:b/>',
    "a prefix": "><g:a>x</g:a><g:b>1</g:b>",
    "a declared prefix": ' xmlns:g="urn:u"><g:a g:k="1">x</g:a>',
    "several prefixes": "><g:a xmlns:g='urn:a'>1</g:a><h:a xmlns:h='urn:a' h:k=''>2</h:a>",
    "prefixes of the record's namespace": "><a>x</a><atom:a xmlns:atom='http://www.w3.org/2005/Atom' atom:k='1'/>",
    "an element in an element": "><d><e>x</e></d><a>x</a>",
    "an element in a known one": "><b k='1'>2<i>x</i></b>",
    "its text": ">text<a>x</a>",
    "letters": "><ä ö='ü'>ß</ä>",
    "names of columns": "><_line>x</_line><_errors/><_rescued>y</_rescued>",
    "errors": "><a>x & y</a><b k=k>1</b>",
}


@pytest.mark.parametrize(("schema", "late"), one_in(5, product(SCHEMAS, CONTENTS)))
def test_columns_that_come_late(late, schema):
    """Whatever a record has that those before it have not, the columns are those of the elements."""
    common = '><a>x</a><b k="1">2</b><c>3</c>'
    made = [common] * 12 + [CONTENTS[late]] + [common] * 9 + [CONTENTS[late]] * 12 + [common] * 5
    for on_bad, root in (("keep", ROOTS[0]), ("mark", ROOTS[0]), ("keep", ROOTS[2])):
        found, taken = check(document(*made, root=root), schema=schema, on_bad=on_bad, errors="rescue")
        if late == "names of columns" and schema in {None, "infer"}:
            (refusal,) = found
            assert refusal.startswith("SameName(")
            assert "record 13" in refusal
            continue
        _, rows = found
        assert len(rows) == 39
        assert taken > 5 or schema == SCHEMAS[-1]


@pytest.mark.parametrize("kind", CONTENTS)
def test_flat_records_are_found_without_elements(kind):
    reasons = {"an element in an element", "an element in a known one", "its text"}
    no_room = {"several", "several with attributes", "a language"}  # which `_rescued` tells, or names with prefixes
    no_room |= {kind for kind in CONTENTS if "prefix" in kind}
    for schema, others in ((None, reasons), (SCHEMAS[2], reasons | no_room)):
        for root in ROOTS:
            _, taken = check(document(CONTENTS[kind], times=60, root=root), 300, schema=schema, errors="rescue")
            is_clear = not ("urn:g" in root and ":g=" in CONTENTS[kind]) and not (
                "google" in root and ":g=" in CONTENTS[kind]
            )
            if compiled is not None:  # the states make no runs
                assert (taken > 10) == (kind not in others and is_clear), (schema, root)


@pytest.mark.parametrize("recovery", ["draft", "intent"])
def test_most_records_of_a_long_document_are_found_without_elements(recovery):
    flat = [CONTENTS[kind] for kind in ("text", "attributes of records", "several with attributes")]
    made = document(*flat * 9, CONTENTS["errors"], CONTENTS["an element in an element"], times=100)
    (_, rows), taken = check(made, 1 << 14, recovery=recovery, on_bad="mark")
    assert (len(rows), taken > 1000) == (2900, True)


def test_elements_in_any_order_and_number():
    """Records are found without elements whose parts, and repetitions of these, have been in others."""
    random = Random("parts")
    parts = ["<a>x</a>", "<b k='1'>2</b>", "<b>3</b>", "<c/>", "<g:a xmlns:g='urn:g'>y</g:a>"]
    contents = [">" + "".join(random.choices(parts, k=random.randrange(4))) for _ in range(400)]
    for schema in (None, SCHEMAS[2], SCHEMAS[3]):
        (_, rows), taken = check(document(*contents), 3000, schema=schema, errors="rescue")
        assert len(rows) == 400
        assert taken > 100 or schema


def test_a_record_that_is_left_out_has_no_columns():
    good, bad = "><a>x</a>", "><a>x &nbsp;</a><late/>"
    made = document(*[good] * 20, *[bad] * 20, *[good] * 20)
    (schema, rows), taken = check(made, on_bad="skip", bad_from="kept")
    assert (len(rows), taken > 5, "late" in schema) == (40, True, False)


NAME = st.sampled_from(["a", "b", "c", "d", "xml:b", "g:a", "dc:a", "_line"])
WORDS = st.lists(
    st.sampled_from(["1", "x", "é", " ", "&#32;", "&#xa0;", "&amp;", "\n", "&lt;", "<![CDATA[ <a>]]>", "<![CDATA[]]>"]),
    max_size=3,
).map("".join)
ATTRIBUTES = st.lists(
    st.sampled_from(['k="1"', "k='&amp;'", "l=''", 'xml:lang="e"', "g:k='2'"]), max_size=2, unique=True
)
CHILD = (
    st.builds(
        lambda name, attributes, text: f"<{' '.join([name, *attributes])}>{text}</{name}>", NAME, ATTRIBUTES, WORDS
    )
    | st.sampled_from(
        [
            "<g:a xmlns:g='urn:g'/>",
            '<atom:a xmlns:atom="http://www.w3.org/2005/Atom">x</atom:a>',
            "<a xmlns='urn:a'>x</a>",
        ]
    )
    | st.sampled_from(
        ["<a/>", "<c k='1'/>", "<d><e>1</e></d>", "<b><b/>x</b>", "t", "<!--c-->", "<a>", "&", "<b k=1>2</b>"]
    )
)
ITEM = st.builds(
    "<item{}>{}</item>{}".format,
    st.sampled_from(["", ' id="1"', " id=' x'", " id=1", ' xml:lang="e"', ' id="" k="&#32;"']),
    st.lists(CHILD, max_size=4).map("".join),
    st.sampled_from(["", "\n", " ", "x", "<item>", "</r>"]) | st.just("\n"),
)
FEED = st.builds(
    lambda root, groups, after: root + "".join("".join(items) * times for items, times in groups) + after,
    st.sampled_from(ROOTS),
    st.lists(st.tuples(st.lists(ITEM, min_size=1, max_size=3), st.integers(1, 5)), max_size=5),
    st.sampled_from(["</r>", "", "<item><a>"]),
)
OPTIONS = st.fixed_dictionaries(
    {
        "schema": st.sampled_from(SCHEMAS),
        "on_bad": st.sampled_from(["keep", "skip", "mark", "raise"]),
        "bad_from": st.sampled_from(["kept", "moved"]),
        "errors": st.sampled_from([None, "rescue", "null", "raise"]),
        "recovery": st.sampled_from(["draft", "draft", "intent"]),
        "backend": st.sampled_from(["etree", "lxml"]),
    }
)


@settings(deadline=None)
@given(FEED | broken_records(), OPTIONS, st.sampled_from([20, 60, 200]))
def test_tables_of_any_feeds(feed, options, size):
    check(feed, size, **options)


@settings(deadline=None)
@given(FEED, OPTIONS, st.sampled_from([20, 60]), st.integers(1, 9), st.integers(1, 30))
def test_batches_of_any_feeds(feed, options, size, batch_size, sample):
    """Columns that come after the sample are the same errors, at the same records."""
    check(feed, size, "record_batches", batch_size=batch_size, sample=sample, **options)


@pytest.mark.parametrize("schema", [None, "a string, c398 string, c399 string"])
def test_more_columns_than_are_remembered(schema):
    """Values of columns that come after so many others are found in elements; others are still found in runs."""
    plain = "<item><a>1</a></item>"
    last = "<item><a>2</a><c0>y</c0><c399>y</c399></item>"
    document = f"<r>{''.join(f'{plain}<item><c{i}>x</c{i}></item>' for i in range(400))}{plain * 50}{last * 9}</r>"
    (_, rows), taken = check(document, 10_000, schema=schema)
    assert taken > 50
    assert [(row["a"], row["c399"]) for row in rows[-9:]] == [("2", "y")] * 9


EDGES = {
    "date": ["0001-01-01", "0000-01-01"],
    "timestamp": ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00"],
    "double": ["1.5", "7e400"],
    "float": ["1.5", "-7e400"],
}


@pytest.mark.parametrize("kind", EDGES)
@pytest.mark.parametrize("fields", [None, {"a": "a"}])
def test_values_at_the_edges_of_types(kind, fields):
    """Values for which Python has none do not fit; where types are inferred, all values stay text."""
    good, bad = EDGES[kind]
    text = document(*[f"><a>{good}</a>"] * 20, f"><a>{bad}</a>", *[f"><a>{good}</a>"] * 20)
    (_, rows), taken = check(text, 300, schema="infer", fields=fields)
    assert [row["a"] for row in rows] == [good] * 20 + [bad] + [good] * 20
    assert taken > 10
    (_, rows), _ = check(text, 300, schema=f"a {kind}", fields=fields, errors="rescue")
    assert [row["a"] is None for row in rows] == [False] * 20 + [True] + [False] * 20
    assert rows[20]["_rescued"] == f'{{"a": "{bad}"}}'
    (_, rows), _ = check(text, 300, schema=f"a {kind}", fields=fields)
    assert rows[20] == {"a": None}
    (refusal,), _ = check(text, 300, schema=f"a {kind}", fields=fields, errors="raise")
    assert refusal.startswith("NoRoom('record 21, column ")
    assert bad in refusal


@pytest.mark.parametrize("schema", SCHEMAS[:2])
def test_records_in_several_namespaces(schema):
    """Names without prefixes are those in the namespace of their own record."""
    both = "<item><g:a>1</g:a><b>2</b></item><g:item><g:a>3</g:a><b>4</b></g:item>"
    text = f"<r xmlns:g='http://base.google.com/ns/1.0'>{both * 60}</r>"
    (_, rows), taken = check(text, 300, schema=schema)
    values = [[row[name] and int(row[name]) for name in ("g:a", "a", "b")] for row in rows]
    assert values == [[1, None, 2], [None, 3, 4]] * 60
    assert taken > 20 or compiled is None


def test_a_path_is_looked_up_once_in_each_part():
    """Parts are added often, and there may be thousands of paths."""
    items = "".join(f"<item><a>{i}</a><n{i}>x</n{i}></item>" for i in range(60))
    looked = []

    def counted(self, path, uses=Shape.uses):
        looked.append((self, path))
        return uses(self, path)

    with mock.patch.object(Shape, "uses", counted):
        _, taken = check(f"<r>{items}</r>", 200, fields={f"c{i}": f"n{i}" for i in range(60)})
    assert taken > 20 or compiled is None
    assert len(looked) == len({(id(part), path) for part, path in looked}) > 60
