"""Tables: every value of every record is in its column, or it is said that it is not."""

import datetime
import json
import re
import warnings
from decimal import Decimal
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

import xml5tree
from xml5tree import documents, read_frame, read_table, record_batches, records
from xml5tree.accelerator import compiled

pa = pytest.importorskip("pyarrow")

from xml5tree.arrow.batches import Batches  # noqa: E402
from xml5tree.arrow.conversion import convert, inferred  # noqa: E402
from xml5tree.arrow.notation import Notation  # noqa: E402
from xml5tree.arrow.parquet import ParquetFile  # noqa: E402
from xml5tree.arrow.schemas import given_schema  # noqa: E402

FEED = """<rss xmlns:media="urn:m"><channel><title>All & sundry</title>
<item id=1><title>One & all</title><link href="/1"/><media:content url="u"/></item>
<item id="2"><title>Two</title><author>A</author><author>B</author></item>&lost;
<item id="3"><title>Thr\x0cee</title></item>
</channel></rss>"""


def document(*items):
    return "<r>" + "".join(f"<item>{item}</item>" for item in items) + "</r>"


def told_by(call):
    """What a call gives, and what it warns of."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = call()
    assert {warning.category for warning in told} <= {xml5tree.RowsWarning}
    return found, [str(warning.message) for warning in told]


# Columns that are found out

NAMES = st.sampled_from(["a", "b", "c", "d"])
TEXTS = st.sampled_from(["1", "2.5", "x", "2024-02-03", "true", "007", "", "é"])
CONTENTS = st.recursive(
    TEXTS,
    lambda inner: st.lists(
        st.builds(
            lambda name, key, value: f"<{name}{key}>{value}</{name}>",
            NAMES,
            st.sampled_from(["", " k='1'", " k='x' l='2'"]),
            inner,
        ),
        max_size=3,
    ).map("".join),
    max_leaves=8,
)


def leaves(value, path=()):
    """Yield the texts in nested values, each with the names on its way."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, (*path, name))
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner, path)
    elif value is not None:
        yield (path if path[-1] == "#text" and len(path) > 1 else (*path, "#text")), value


def all_leaves(rows):
    return [sorted(leaves(dict(row))) for row in rows]


def expected_leaves(text):
    """Those of records; a record that is nothing but its text has that as a column."""
    return [
        sorted((path if path != ("#text", "#text") else ("#text", "#text"), value) for path, value in leaves(dict(row)))
        for row in records([text])
    ]


@given(st.lists(CONTENTS, min_size=1, max_size=12), st.integers(1, 4), st.integers(1, 6))
def test_no_value_is_lost_wherever_it_comes_first(contents, batch_size, sample):
    """Tables are widened; batches are of one schema, so that they end with an error that says what to do."""
    text = document(*contents)
    expected = expected_leaves(text)
    assert all_leaves(read_table([text], schema=None).to_pylist()) == expected
    try:
        batches = list(record_batches([text], batch_size=batch_size, sample=sample))
    except ValueError as error:
        assert "has" in str(error)
        assert "schema=" in str(error)
        assert "sample=" in str(error)
    else:
        assert len({batch.schema for batch in batches}) == 1
        assert all_leaves(row for batch in batches for row in batch.to_pylist()) == expected


@given(st.lists(CONTENTS, min_size=1, max_size=12))
def test_types_that_are_found_out_have_room_for_all_values(contents):
    """No text becomes null, whatever types the others have; strings stay as they are."""
    text = document(*contents)
    typed = [[path for path, _ in row] for row in all_leaves(read_table([text]).to_pylist())]
    assert typed == [[path for path, _ in row] for row in expected_leaves(text)]


@given(st.lists(CONTENTS, min_size=1, max_size=12), st.integers(1, 4))
def test_parquet_has_all_columns(tmp_path_factory, contents, size):
    parquet = pytest.importorskip("pyarrow.parquet")
    text = document(*contents)
    path = tmp_path_factory.mktemp("p") / "a.parquet"
    with path.open("wb") as out:
        file = ParquetFile(out, Batches(None, None, marked=False))
        for run in file.batches.runs_of(records([text]), size):
            file.write([run])
        file.close()
    expected = expected_leaves(text)
    if any(expected):  # a Parquet file without columns has no rows
        assert all_leaves(parquet.read_table(path).to_pylist()) == expected


def test_columns_after_the_sample():
    text = document(*["<n>1</n>"] * 30, "<n>2</n><price>9</price>", "<n>3</n><n>4</n>", "<m><o>1</o></m>")
    table = read_table([text])
    assert table.schema.names == ["n", "price", "m"]
    assert [str(kind) for kind in table.schema.types[:2]] == ["list<item: int64>", "int64"]
    assert table["n"].to_pylist()[-3:] == [[2], [3, 4], None]
    batches = record_batches([text], sample=10, batch_size=10)
    assert next(batches).num_rows == 10
    with pytest.raises(
        ValueError, match=r"record 31 \(line 1\) has the column 'price', and the schema, found in the first 10 records"
    ):
        list(batches)
    with pytest.raises(ValueError, match=r"record 32 .* several values in the column 'n'"):
        list(record_batches([document(*["<n/>"] * 31, "<n/><n/>")], sample=31, batch_size=31))
    assert sum(batch.num_rows for batch in record_batches([text], sample=50)) == 33


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["1", "-2", "+3", "0"], pa.int64()),
        (["1", "2.5", ".5", "1e3"], pa.float64()),
        (["true", "false"], pa.bool_()),
        (["2024-02-29", "1999-01-01"], pa.date32()),
        (["2024-02-29T01:02:03", "2024-02-29 01:02"], pa.timestamp("us")),
        (["2024-02-29T01:02:03Z", "2024-02-29T01:02:03+02:00"], pa.timestamp("us", "UTC")),
        (["007", "1"], pa.string()),
        (["1" * 19], pa.string()),
        (["1" * 16 + ".5"], pa.string()),
        (["1", "x"], pa.string()),
        (["2023-02-29"], pa.string()),
        ([None, " "], pa.string()),
        ([None, " 1 "], pa.int64()),
        (["1", "true"], pa.string()),
        (["nan"], pa.string()),
        (["0001-01-01", "9999-12-31"], pa.date32()),
        (["2024-02-29", "0000-01-01"], pa.string()),
        (["0001-01-01T00:00:00", "0000-12-31T23:59:59"], pa.string()),
        (["0001-01-01T00:00:00Z", "9999-12-31T23:59:59-00:00"], pa.timestamp("us", "UTC")),
        (["0001-01-01T00:00:00+14:00"], pa.string()),
        (["1.7976931348623157e308", "-1e308", "1e-400"], pa.float64()),
        (["1.5", "7e400"], pa.string()),
        (["-7E400"], pa.string()),
        (["9999-12-31T23:59:59-14:00"], pa.string()),
    ],
)
def test_types_of_text(texts, kind):
    found = inferred([pa.array(texts[:1], pa.string()), pa.array(texts[1:], pa.string())], pa.string())
    assert found == kind
    problems = []
    convert(pa.array(texts, pa.string()), found, "a", problems)
    assert problems == []


# Whole columns

KINDS = [pa.int8(), pa.int64(), pa.uint16(), pa.float32(), pa.float64(), pa.bool_(), pa.date32(), pa.timestamp("us")]
KINDS += [pa.timestamp("us", "UTC"), pa.decimal128(6, 2), pa.large_string(), pa.binary(), pa.time64("us")]
INFINITY = float("inf")
VALUES = st.sampled_from(
    [
        *["1", "-1", "+1", " 12 ", "300", "1.5", "x", "", "true", "TRUE", "INF", "1_0", "2024-02-29", "2024-02-30"],
        *["2024-02-29T01:02:03", "2024-02-29T01:02:03Z", "12:30:00", "99999999999999999999", "é", None],
        *["0000-01-01", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59.1234567-14:00"],
        *["1e39", "-7e400", "-inf"],
    ]
)


@given(st.lists(VALUES, max_size=60), st.sampled_from(KINDS))
def test_a_column_is_converted_as_its_values_would_be(texts, kind):
    """A value that does not convert costs no other; what is null without a problem was empty."""
    array = pa.array(texts, pa.string())
    problems = []
    found = convert(array, kind, "a", problems)
    assert found.type == kind
    for index, text in enumerate(texts):
        alone = []
        assert convert(array.slice(index, 1), kind, "a", alone)[0] == found[index]
        assert [(problem.row, problem.text) for problem in problems if problem.row == index] == [
            (index, problem.text) for problem in alone
        ]
        if found[index].as_py() is None:
            assert alone or not (text or "").strip()
    nested = pa.array([texts, None, []], pa.list_(pa.string()))
    inner = []
    assert convert(nested, pa.list_(kind), "a", inner).to_pylist() == [found.to_pylist(), None, []]
    assert {problem.row for problem in inner} == ({0} if problems else set())


@pytest.mark.parametrize(
    ("texts", "kind", "values"),
    [
        (["0000-12-31", "0001-01-01", "9999-12-31"], pa.date32(), [None, "0001-01-01", "9999-12-31"]),
        (["0000-12-31", "0001-01-01"], pa.date64(), [None, "0001-01-01"]),
        (["0000-12-31T23:59:59", "0001-01-01T00:00:00"], pa.timestamp("s"), [None, "0001-01-01 00:00:00"]),
        (["0001-01-01T00:00:00.1234567+14:00", "1-1-1"], pa.timestamp("us", "UTC"), [None, None]),
        (["9999-12-31T23:59:59Z"], pa.timestamp("us", "UTC"), ["9999-12-31 23:59:59+00:00"]),
        (["9999-12-31T23:59:59Z"], pa.timestamp("us", "+05:00"), [None]),
        (["0001-01-01T00:00:00Z"], pa.timestamp("us", "-05:00"), [None]),
    ],
)
@pytest.mark.parametrize("others", [0, 20])
def test_years_that_python_lacks(texts, kind, values, others):
    """Whether a value fits does not depend on how many others there are."""
    array = pa.array(texts + [None] * others, pa.string())
    problems = []
    found = convert(array, kind, "a", problems)
    assert [value and str(value) for value in found.to_pylist()] == values + [None] * others
    assert [(one.row, one.sentence) for one in problems] == [
        (row, f"{text!r} is no {kind}") for row, text in enumerate(texts) if values[row] is None
    ]


@pytest.mark.parametrize(
    ("texts", "kind", "values"),
    [
        (["7e400", "-7e400", "1e308", "1e-400"], pa.float64(), [None, None, 1e308, 0.0]),
        (["1e39", "-1e39", "1" * 400, "1.5"], pa.float32(), [None, None, None, 1.5]),
        (["INF", "-inf", " Infinity ", "+INF"], pa.float64(), [INFINITY, -INFINITY, INFINITY, INFINITY]),
        (["\u0661e400", "\u0661"], pa.float64(), [None, 1.0]),
    ],
)
@pytest.mark.parametrize("others", [0, 20])
def test_numbers_that_would_be_infinite(texts, kind, values, others):
    array = pa.array(texts + [None] * others, pa.string())
    problems = []
    assert convert(array, kind, "a", problems).to_pylist() == values + [None] * others
    assert [(one.row, one.text) for one in problems] == [
        (row, text) for row, text in enumerate(texts) if values[row] is None
    ]


def test_more_digits_of_a_second_than_a_column_has():
    """They are dropped, as Spark does; where types are inferred, they keep the column text."""
    text = document("<t>2024-01-31T10:00:00.1234567</t>")
    (row,) = read_table([text], schema="t timestamp", bad_values="raise").to_pylist()
    assert row["t"].isoformat() == "2024-01-31T10:00:00.123456+00:00"
    assert read_table([text])["t"].to_pylist() == ["2024-01-31T10:00:00.1234567"]


# How values are written

each_way = pytest.mark.parametrize("reader", [compiled, None], ids=["compiled", "elements"])
WRITTEN = document(
    "<n>1.234,5</n><d>31.12.2024</d><t>31.12.2024 10:05</t><p>N/A</p>",
    "<n>-7</n><d>2024-05-06</d><t>2024-05-06T01:02</t><p> - </p>",
    "<n>1.000.000</n><d>1/2/23</d><t>31.12.2024 10:05</t><p>x</p><p>N/A</p>",
)
NOTATION = {
    "decimal": ",",
    "thousands": ".",
    "dates": ["%d.%m.%Y", "%d/%m/%y", "%d.%m.%Y %H:%M"],
    "null_values": ["N/A", "-"],
}
READ = {
    "n": [1234.5, -7.0, 1_000_000.0],
    "d": [datetime.date(2024, 12, 31), datetime.date(2024, 5, 6), datetime.date(2023, 2, 1)],
    "t": [datetime.datetime(2024, 12, 31, 10, 5), datetime.datetime(2024, 5, 6, 1, 2)],
    "p": [[None], [None], ["x", None]],
}
READ["t"].append(READ["t"][0])


@each_way
@pytest.mark.parametrize("schema", ["infer", "n double, d date, t timestamp_ntz, p array<string>"])
@pytest.mark.parametrize("fields", [None, {"n": "n", "d": "d", "t": "t", "p": ["p"]}])
def test_how_values_are_written(reader, fields, schema):
    with mock.patch("xml5tree.recordreader.compiled", reader):
        assert read_table([WRITTEN], schema=schema, fields=fields, **NOTATION).to_pydict() == READ


@each_way
def test_values_that_are_written_in_another_way(reader):
    """They do not fit, and nothing is made of them; where types are inferred, the column stays text."""
    text = document("<n>1,5</n><d>31.12.2024</d>", "<n>1.5</n><d>31.02.2024</d>", "<n>1.23,5</n><d>1.1.2024 </d>")
    given = {"decimal": ",", "thousands": ".", "dates": "%d.%m.%Y"}
    with mock.patch("xml5tree.recordreader.compiled", reader):
        found = read_table([text], schema="n double, d date", bad_values="rescue", **given).to_pydict()
        inferred = read_table([text], **given).to_pydict()
    first, last = datetime.date(2024, 12, 31), datetime.date(2024, 1, 1)
    rescued = [None, '{"n": "1.5", "d": "31.02.2024"}', '{"n": "1.23,5"}']
    assert found == {"n": [1.5, None, None], "d": [first, None, last], "_rescued": rescued}
    assert inferred == {"n": ["1,5", "1.5", "1.23,5"], "d": ["31.12.2024", "31.02.2024", "1.1.2024"]}


@each_way
def test_values_of_lists_stay_with_their_records(reader):
    """Also after an element that gives no list, as it is empty."""
    text = document("<a>1</a>", "<a></a>", "", "<a>x</a>", "<a>2</a><a>y</a>", "<b><a/></b><b><a>z</a></b>")
    schema = "a array<int>, b array<struct<a array<int>>>"
    with mock.patch("xml5tree.recordreader.compiled", reader):
        found = read_table([text], schema=schema, bad_values="rescue")
    rescued = [None, None, None, '{"a": "x"}', '{"a": "y"}', '{"b.a": "z"}']
    assert found["_rescued"].to_pylist() == rescued
    assert found["a"].to_pylist() == [[1], None, None, [None], [2, None], None]


@pytest.mark.parametrize(
    ("text", "given", "kind", "value"),
    [
        ("1'234.5", {"thousands": "'"}, pa.float64(), 1234.5),
        ("1 234", {"thousands": " "}, pa.int32(), 1234),
        ("1234567", {"thousands": ","}, pa.int32(), 1234567),
        ("12,34", {"thousands": ","}, pa.int32(), None),
        ("1,2345", {"thousands": ","}, pa.int32(), None),
        ("1,234,56", {"thousands": ","}, pa.int32(), None),
        ("1,234.567,890", {"thousands": ","}, pa.float64(), None),
        ("-1.234,50", {"decimal": ",", "thousands": "."}, pa.decimal128(9, 2), Decimal("-1234.50")),
        ("1,5e3", {"decimal": ","}, pa.float64(), 1500.0),
        ("1?5", {"decimal": ","}, pa.float64(), None),
        ("20240203", {"dates": "%Y%m%d"}, pa.date32(), datetime.date(2024, 2, 3)),
        ("0001", {"dates": "%Y"}, pa.timestamp("ns"), None),
        ("3 Feb 2024 +0100", {"dates": "%d %b %Y %z"}, pa.timestamp("s"), None),
        ("03.02.2024 10 +0100", {"dates": "%d.%m.%Y %H %z"}, pa.timestamp("s", "UTC"), "2024-02-03 09:00:00+00:00"),
        ("03.02.2024", {"dates": "%d.%m.%Y"}, pa.timestamp("s", "UTC"), "2024-02-03 00:00:00+00:00"),
        ("2024-02-03", {"dates": "%Y-%d-%m"}, pa.date32(), datetime.date(2024, 3, 2)),
        (" none ", {"null_values": "none"}, pa.int32(), None),
        (" kept ", {"null_values": "none"}, pa.string(), " kept "),
    ],
)
def test_a_value_in_a_notation(text, given, kind, value):
    notation = Notation.make(**given)
    array = pa.array([text, None], pa.string())
    found = convert(array, kind, "a", problems := [], notation)
    assert found.type == kind
    assert found[1].as_py() is None
    assert str(found[0]) == str(pa.scalar(value)) if isinstance(value, str) else found[0].as_py() == value
    assert bool(problems) == (value is None and "null_values" not in given)
    if value is not None and not pa.types.is_decimal(kind):
        assert pa.types.is_string(kind) == pa.types.is_string(inferred([array], pa.string(), notation))


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"decimal": 1}, TypeError, "decimal must be a string, not int"),
        ({"decimal": ""}, ValueError, "decimal must be another mark than that of thousands, not ''"),
        ({"decimal": "--"}, ValueError, "decimal must be a mark, such as a comma, not '--'"),
        ({"thousands": "1"}, ValueError, "thousands must be a mark, such as a comma, not '1'"),
        (
            {"decimal": ",", "thousands": ","},
            ValueError,
            "decimal must be another mark than that of thousands, not ','",
        ),
        ({"dates": "%Q"}, ValueError, "dates has the format '%Q', which cannot be read"),
        ({"dates": [1]}, TypeError, "dates must be a string, or a list of strings, not [1]"),
        ({"null_values": 0.5}, TypeError, "null_values must be a string, or a list of strings, not 0.5"),
        ({"decimal": ",", "schema": None}, ValueError, "decimal, thousands and dates are for types: give a schema"),
    ],
)
def test_notations_that_make_no_sense(given, error, words):
    with pytest.raises(error, match=re.escape(words)):
        read_table([WRITTEN], **given)


def test_times_in_an_unknown_zone():
    found = convert(pa.array(["2024-02-29T12:00:00Z"]), pa.timestamp("us", "Nowhere/At_All"), "a", problems := [])
    assert (found.null_count, problems) == (0, [])


def test_types_of_a_schema():
    types = [("n", pa.int32()), ("x", pa.float64()), ("b", pa.bool_()), ("d", pa.date32()), ("_number", pa.int64())]
    schema = pa.schema([*types, ("_line", pa.int64()), ("s", pa.struct([("@a", pa.int8()), ("#text", pa.string())]))])
    text = (
        "<r><item><n> 1 </n><x>1.5</x><b>true</b><d>2024-02-03</d><s a='1'>t</s></item>\n"
        "<item><n>x</n><x/><b>no</b><d>3</d><s>u</s></item>\n<item><n>99999999999</n><s a='999'/></item></r>"
    )
    table, told = told_by(lambda: read_table([text], schema=schema))
    rows = table.to_pylist()
    dates = [row.pop("d") for row in rows]
    assert [str(date) for date in dates] == ["2024-02-03", "None", "None"]
    assert rows == [
        {"n": 1, "x": 1.5, "b": True, "_number": 1, "_line": 1, "s": {"@a": 1, "#text": "t"}},
        {"n": None, "x": None, "b": None, "_number": 2, "_line": 2, "s": {"@a": None, "#text": "u"}},
        {"n": None, "x": None, "b": None, "_number": 3, "_line": 3, "s": {"@a": None, "#text": None}},
    ]
    kept = "bad_values='rescue' would keep such values"
    assert told == [
        f"2 values did not fit into the column 'n': 'x' is no int32 (record 2); {kept}",
        f"1 value did not fit into the column 'b': 'no' is no bool (record 2); {kept}",
        f"1 value did not fit into the column 'd': '3' is no date32[day] (record 2); {kept}",
        f"1 value did not fit into the column 's.@a': '999' is no int8 (record 3); {kept}",
    ]


BAD = document("<n>1</n><t>a</t>", "<n>x</n><t>b</t><t>c</t>", "<n>3</n><t><u>d</u></t>")


def test_values_without_room_are_rescued():
    table = read_table([BAD], schema="n int, t string", bad_values="rescue")
    assert table.to_pylist() == [
        {"n": 1, "t": "a", "_rescued": None},
        {"n": None, "t": "b", "_rescued": json.dumps({"t": '["b", "c"]', "n": "x"})},
        {"n": 3, "t": '{"u": "d"}', "_rescued": None},
    ]
    (batch,) = record_batches([BAD], schema={"_rescued": "string", "n": int}, bad_values="rescue")
    assert batch.schema.names == ["_rescued", "n"]


def test_values_without_room_raise():
    with pytest.raises(ValueError, match=r"record 2, column 't': 2 values, of which the first was taken; bad_values="):
        read_table([BAD], schema="n int, t string", bad_values="raise")
    with pytest.raises(ValueError, match=r"record 2, column 'n': 'x' is no int32"):
        list(record_batches([BAD], schema="n int", bad_values="raise"))
    with pytest.raises(ValueError, match=r"record 2, column 'n': 'x' is no int64"):  # found in the first one
        list(record_batches([BAD], schema="infer", fields={"n": "n"}, sample=1, batch_size=1))


def test_values_without_room_are_entries():
    table, told = told_by(lambda: read_table([BAD], schema="n int, _errors array<string>", bad_values="null"))
    assert table.to_pylist() == [
        {"n": 1, "_errors": []},
        {"n": None, "_errors": ["column 'n': 'x' is no int32"]},
        {"n": 3, "_errors": []},
    ]
    assert len(told) == 1


def test_numbers_of_xpath():
    fields = {"count": "count(t)", "is": "boolean(n)", "half": "0.5"}
    for schema in (None, "infer", "count int, is boolean, half double"):
        table = read_table([BAD], fields=fields, backend="lxml", schema=schema)
        assert [str(value) for value in table["count"].to_pylist()] == ["1", "2", "1"]
        assert [str(value).lower() for value in table["is"].to_pylist()] == ["true"] * 3
    assert table.schema.types == [pa.int32(), pa.bool_(), pa.float64()]


DEEP_CALLS = {
    "read_table": lambda text: read_table([text]),
    "batches": lambda text: pa.table(record_batches([text])),
    "inferred": lambda text: pa.table(record_batches([text], schema="infer", on_bad="mark")),
    "given": lambda text: read_table([text], schema="a array<struct<a array<string>>>"),
}


BESIDE = ["", "<a/>", "<b i='1'/>t"]


@pytest.mark.parametrize(
    ("call", "depth", "beside"),
    [
        (call, depth, beside)
        for number, call in enumerate(DEEP_CALLS)
        for place, depth in enumerate([29, 30, 31, 32, 33, 1900])
        for beside in (BESIDE if depth in (31, 32) else [BESIDE[(number + place) % 3]])
    ],
)
def test_values_deeper_than_types(call, depth, beside):
    """Streams of Arrow have types of 64 levels at most; what is deeper than the type is text, in JSON."""
    call = DEEP_CALLS[call]
    text = document(f"{beside}<a>" * depth + "x" + "</a>" * depth)
    value = call(text).to_pylist()[0]
    levels = 0
    while not isinstance(value, str):
        value = value[-1] if isinstance(value, list) else value["a"]
        levels += not isinstance(value, list)
    assert value.count('"a": ') + levels == depth
    assert value == "x" or '"x"' in value


def test_frames_of_values_deeper_than_types():
    pytest.importorskip("pandas")
    frame = xml5tree.read_frame([document("<a>" * 900 + "x" + "</a>" * 900)])
    assert "x" in str(frame["a"][0])


# Names


G = "<r xmlns:g='http://base.google.com/ns/1.0'>"


def test_columns_that_match_nothing_are_told():
    table, told = told_by(lambda: read_table([FEED], schema="title string, price double, tilte string"))
    assert table["title"].null_count == 0
    assert told == [
        "no record had a value in the columns 'price', 'tilte'; the records have '@id', 'author', "
        "'link', '{urn:m}content'"
    ]
    _, told = told_by(lambda: read_table([f"{G}<item><g:id>1</g:id><b/></item></r>"], schema="g_id int, a int"))
    assert told == ["no record had a value in the column 'a'; the records have 'b'"]
    _, told = told_by(lambda: list(record_batches([FEED], fields={"title": "title", "price": "prize"})))
    assert told == [
        "no record had a value in the column 'price'; the records have '@id', 'author', 'link', '{urn:m}content'"
    ]
    _, told = told_by(lambda: list(record_batches([FEED], fields={"title": "title", "all": ["x"]})))
    assert "'all'" in told[0]


@pytest.mark.parametrize(
    ("items", "column", "values", "told"),
    [
        ("<g:id>1</g:id>", "g_id", ["1"], ""),
        ("<g:id>1</g:id>", "id", ["1"], ""),
        ("<g:id>1</g:id><id>2</id>", "id", ["2"], ""),
        ("<g:id>1</g:id><id>2</id>", "g_id", ["1"], ""),
        ("<g:id>1</g:id><h:id xmlns:h='h'>2</h:id>", "id", [None], "neither 'g:id' or '{h}id', as there are several"),
        ("<g:id>1</g:id></item><item><id>2</id>", "id", ["1", "2"], "values of 'g:id', and 'id' where a record has it"),
        ("<id>1</id></item><item><g:id>2</g:id>", "id", ["1", None], ""),
        ("<x g:k='1'/>", "x", ["x"], ""),
    ],
)
def test_prefixes_of_columns(items, column, values, told):
    text = f"{G}<item>{items}</item></r>"
    table, messages = told_by(lambda: read_table([text], schema={column: str}))
    if column == "x":
        assert table[column].to_pylist() == [None]
    else:
        assert table[column].to_pylist() == values
        assert told in "".join(messages)
        assert bool(told) == bool(messages)


@pytest.mark.parametrize("size", [1, 2, 30, 4096])
@pytest.mark.parametrize("before", [0, 25])
def test_batches_do_not_decide_which_names_columns_take(size, before):
    """The names of a batch were all known before its first record was read."""
    items = [
        *["<n>0</n>"] * before,
        "<g:id>1</g:id>",
        "<id>2</id><g:id>3</g:id>",
        "<g:id>4</g:id>",
        *["<id>5</id>"] * 25,
    ]
    text = f"{G}{''.join(f'<item>{item}</item>' for item in items)}</r>"
    batches, told = told_by(lambda: list(record_batches([text], schema={"id": int, "n": int}, batch_size=size)))
    ids = [identifier for batch in batches for identifier in batch["id"].to_pylist()]
    assert ids == [None] * before + [1, 2, 4] + [5] * 25
    assert told[-1] == "the column 'id' has the values of 'g:id', and 'id' where a record has it"


# Schemas


@pytest.mark.parametrize(
    ("text", "names", "types"),
    [
        ("title string, n int", ["title", "n"], [pa.string(), pa.int32()]),
        ("a: BIGINT NOT NULL COMMENT 'x, y', `b c` double", ["a", "b c"], [pa.int64(), pa.float64()]),
        ("d decimal(10,2), e decimal, f decimal(5)", list("def"), [pa.decimal128(10, 2), pa.decimal128(10, 0)]),
        ("t array<struct<a:int,b:array<string>>>", ["t"], []),
        ("a timestamp, b timestamp_ntz, c date, d varchar(10), e boolean", list("abcde"), []),
        ("@id long, g:id:string", ["@id"], []),
    ],
)
def test_schemas_as_text(text, names, types):
    if text.startswith("@id"):
        with pytest.raises(ValueError, match="cannot be read at 'id'"):
            given_schema(text)
        found = given_schema("`@id` long, `g:id` string")
        assert found.names == ["@id", "g:id"]
        return
    found = given_schema(text)
    assert found.names == names
    assert found.types[: len(types)] == types


@pytest.mark.parametrize(
    "text",
    [
        *["", "a", "a int,", "a int b int", "a foo", "a int(3)", "a array<int", "a decimal(99,1)", "a 'x'"],
        *["a map<string,int>", "array<" * 100, "a " + "array<" * 100 + "int" + ">" * 100, "a int /", "a int, a int"],
    ],
)
def test_texts_that_are_no_schemas(text):
    with pytest.raises(ValueError, match="schema"):
        given_schema(text)


def test_other_schemas():
    assert given_schema(None) is None
    assert given_schema("infer") is None
    assert given_schema({"a": int, "b": "array<date>", "c": pa.int8()}).types == [
        pa.int64(),
        pa.list_(pa.date32()),
        pa.int8(),
    ]
    for bad in (5, {"a": 5}, {"a": list}):
        with pytest.raises(TypeError, match="expected, not"):
            given_schema(bad)
    with pytest.raises(TypeError, match="which is the type of the column 'a'"):
        read_table([FEED], schema=pa.schema([("a", pa.map_(pa.string(), pa.string()))]))
    for fact in ("_errors string", "_effect int", "_line byte"):
        with pytest.raises(TypeError, match=f"^the column '{fact.split()[0]}' has the type"):
            read_table([FEED], schema=f"a string, {fact}")
    for options in ({"bad_values": "ignore"}, {"batch_size": 0}, {"sample": 0}):
        with pytest.raises(ValueError, match=next(iter(options))):
            record_batches([FEED], **options)


# Batches and who takes them


def test_record_batches():
    fields = {"id": "@id", "title": "title", "authors": ["author"]}
    batches = list(record_batches([FEED], fields=fields, batch_size=2, on_bad="mark"))
    assert [batch.num_rows for batch in batches] == [2, 1]
    table = pa.Table.from_batches(batches)
    assert table.column_names == ["id", "title", "authors", "_line", "_effect", "_confidence", "_errors"]
    assert table.column("authors").to_pylist() == [[], ["A", "B"], []]
    assert table.column("_effect").to_pylist() == ["kept", None, "lost"]


def test_record_batches_of_nested_dictionaries():
    text = "<r><item><a>1</a></item><item><a x='1'>2</a><a>3</a><b/></item></r>"
    table = pa.Table.from_batches(record_batches([text]))
    assert table.to_pylist() == [
        {"a": [{"@x": None, "#text": "1"}], "b": None},
        {"a": [{"@x": "1", "#text": "2"}, {"@x": None, "#text": "3"}], "b": None},
    ]
    assert list(record_batches(["<r/>"])) == []
    assert read_table(["<r/>"]).num_columns == 0
    assert read_table(["<r/>"], fields={"a": "a"}).schema == pa.schema([("a", pa.string())])


def test_marks_of_nested_dictionaries():
    table = read_table([FEED], on_bad="mark")
    assert table.schema.names[-4:] == ["_line", "_effect", "_confidence", "_errors"]
    assert table["_effect"].to_pylist() == ["kept", None, "lost"]
    found = record_batches([FEED], on_bad="skip")
    assert sum(batch.num_rows for batch in found) == 2
    assert (found.skipped, found.error_log.effect) == (1, "lost")


def test_a_schema_that_reads_as_the_batches_have_it():
    batches = record_batches([FEED], schema="infer", batch_size=1)
    schema = batches.schema
    assert {batch.schema for batch in batches} == {schema}


TEXT = document(*(f"<n>{number}</n><t>é{number}</t><l>a</l><l>b</l>" for number in range(100)))


def stream():
    return record_batches([TEXT], schema="infer", batch_size=7, sample=10)


def test_pyarrow_takes_batches():
    assert pa.table(stream()).equals(read_table([TEXT]))
    assert pa.RecordBatchReader.from_stream(stream()).read_all()["n"].to_pylist() == list(range(100))
    schema = pa.schema([("n", pa.int32()), ("t", pa.large_string()), ("l", pa.list_(pa.string()))])
    assert pa.table(stream(), schema=schema).schema == schema


def test_polars_takes_batches():
    polars = pytest.importorskip("polars", reason="polars is not installed")
    frame = polars.DataFrame(stream())
    assert (frame.shape, frame["n"].sum(), frame["l"][0].to_list()) == ((100, 3), 4950, ["a", "b"])


def test_duckdb_takes_batches():
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    batches = stream()  # noqa: F841 (the query names it)
    assert duckdb.sql("SELECT sum(n), count(t) FROM batches").fetchall() == [(4950, 100)]
    assert len(duckdb.from_arrow(stream()).fetchall()) == 100


def test_pandas_takes_batches():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    if hasattr(pandas.DataFrame, "from_arrow"):
        assert pandas.DataFrame.from_arrow(stream())["n"].sum() == 4950
    frame = read_frame([document("<n>1</n><b>true</b><t>x</t>", "<t/>", "<n>9007199254740993</n>")])
    assert [str(kind) for kind in frame.dtypes[:2]] == ["Int64", "boolean"]
    assert frame["n"].tolist()[::2] == [1, 9007199254740993]
    assert frame["n"].isna().tolist() == [False, True, False]
    inner = read_frame([document("<g a='1'>9007199254740993</g>", "<g/>")])["g"].tolist()
    assert inner[0] == {"@a": 1, "#text": 9007199254740993}
    assert isinstance(inner[0]["@a"], int)


def test_batches_are_closed(tmp_path):
    path = tmp_path / "feed.xml"
    path.write_text(TEXT)
    with record_batches(path, batch_size=5) as batches:
        next(batches)
    assert list(batches) == []


@pytest.mark.parametrize(
    "call", [read_table, read_frame, lambda *args, **options: list(record_batches(*args, **options))]
)
def test_an_exception_closes_the_file(tmp_path, call):
    path = tmp_path / "feed.xml"
    path.write_text(document(*["<n>x</n>"] * 30_000))
    files = []
    original = documents.OwnFile

    def noted(path):
        files.append(original(path))
        return files[-1]

    with mock.patch.object(documents, "OwnFile", noted), pytest.raises(ValueError, match="'x' is no int32") as failure:
        call(path, schema="n int", bad_values="raise")
    assert failure.tb is not None  # which has the frames, and what is in them
    assert {file.closed for file in files} == {True}


def test_decimals_and_times():
    table = read_table([document("<d>1.50</d><t>2024-02-29T12:00:00</t>")], schema="d decimal(6,2), t timestamp")
    (row,) = table.to_pylist()
    assert row["d"] == Decimal("1.50")
    assert row["t"].isoformat() == "2024-02-29T12:00:00+00:00"


# Many files


@pytest.fixture
def feeds(tmp_path):
    (tmp_path / "a.xml").write_text(document("<n>1</n>", "<n>2</n>"))
    (tmp_path / "b.xml").write_text(document("<n>3 & 4</n><m>5</m>"))
    (tmp_path / "c[1].xml").write_text(document("<n>6</n>"))
    return tmp_path


def test_many_files(feeds):
    rows = [("a.xml", "1", None), ("a.xml", "2", None), ("b.xml", "3 & 4", 5)]
    names = [feeds / "a.xml", feeds / "b.xml"]
    for source in (
        str(feeds / "[ab].xml"),
        feeds / "[ab].xml",
        names,
        tuple(names),
        list(map(str, names)),
        feeds.glob("[ab].xml") if sorted(feeds.glob("[ab].xml")) == list(feeds.glob("[ab].xml")) else iter(names),
        iter(names),
    ):
        table = read_table(source, file_column="file")
        assert table.schema.names == ["file", "n", "m"]
        assert [(Path(row["file"]).name, row["n"], row["m"]) for row in table.to_pylist()] == rows
    assert read_table(feeds / "c[1].xml")["n"].to_pylist() == [6]
    with pytest.raises(FileNotFoundError, match="no file matches"):
        read_table(str(feeds / "x*.xml"))
    with pytest.raises(FileNotFoundError):
        read_table(feeds / "x.xml")
    batches = record_batches(str(feeds / "*.xml"), fields={"n": "n"}, schema={"n": str, "f": str}, file_column="f")
    assert [batch["f"][0].as_py()[-5:] for batch in batches] == ["a.xml", "b.xml", "].xml"]


@pytest.mark.parametrize(
    "options",
    [
        {"fields": {"f": "n"}},
        {"fields": {"f": "n"}, "schema": "f string"},
        {"schema": "f string, n string"},
        {"file_column": "_line", "schema": "n string, _line int"},
        {"file_column": "_effect", "on_bad": "mark"},
        {"file_column": "_rescued", "bad_values": "rescue"},
    ],
)
def test_a_column_of_the_file_with_another_meaning(options):
    with pytest.raises(ValueError, match=r"file_column has the name '\w+', which another column has, too"):
        record_batches([document("<n>1</n>")], **{"file_column": "f", **options})


@pytest.mark.parametrize("before", [0, 30])
def test_records_with_a_column_of_the_name_of_that_of_the_file(before):
    """The path of the file would replace a value."""
    records = ["<n>1</n>"] * before + ["<f>2</f>"]
    with pytest.raises(
        ValueError, match=rf"record {len(records)} \(line 1\) has a value for the column 'f', which is added to all"
    ):
        read_table([document(*records)], file_column="f")


@pytest.mark.parametrize("options", [{"on_bad": "mark"}, {"schema": "_line int"}])
def test_a_field_of_the_name_of_a_column_about_records(options):
    with pytest.raises(ValueError, match="the column '_line' is added to all records, and has a path, too"):
        read_table([document("<n>1</n>")], fields={"_line": "n"}, **options)
    assert read_table([document("<n>1</n>")], fields={"_line": "n"}).to_pylist() == [{"_line": 1}]


@pytest.mark.parametrize(
    ("name", "options"),
    [("_line", {"on_bad": "mark"}), ("_errors", {"on_bad": "mark"}), ("_rescued", {"bad_values": "rescue"})],
)
def test_elements_of_the_name_of_a_column_about_records(name, options):
    """They are lost where a schema asks for that column, and are values where nothing else has the name."""
    feed = [document("<n>1</n>", f"<n>2</n><{name}>x</{name}>")]
    with pytest.raises(
        ValueError, match=rf"record 2 \(line 1\) has a value for the column '{name}', which is added to"
    ):
        read_table(feed, **options)
    assert read_table(feed)[name].to_pylist() == [None, "x"]
    assert read_table(feed, **options, schema="n int").to_pylist()[1]["n"] == 2


@pytest.mark.parametrize(
    ("parts", "remark"),
    [
        (["<r><item>1</item>"], "the document is cut off; its last records may be incomplete or missing"),
        (
            ["<r><item>1</item></r>", "<r><item>2</item></r>"],
            "elements after the end of the root element were dropped; roots='all' keeps them",
        ),
    ],
)
def test_records_that_no_record_tells_of(tmp_path, parts, remark):
    """A list of texts is one document; what is missing in it is in no row."""
    with pytest.warns(xml5tree.RowsWarning, match=f"^{remark}$"):
        assert read_table(parts).num_rows == 1
    path = tmp_path / "feed.xml"
    path.write_text("".join(parts))
    with pytest.warns(xml5tree.RowsWarning, match=f"feed.xml: {remark}$"):
        assert read_table([path]).num_rows == 1


@pytest.mark.parametrize("empty", [0, 1, 2])
def test_empty_files_among_others(tmp_path, empty):
    """They are told of; alone, they are refused."""
    paths = [tmp_path / f"{number}.xml" for number in range(3)]
    for number, path in enumerate(paths):
        path.write_text("" if number == empty else f"<r><item><n>{number}</n></item></r>")
    with pytest.warns(xml5tree.RowsWarning, match=rf"{empty}.xml: no root element .*; it has no records$"):
        table = read_table(paths)
    assert table["n"].to_pylist() == [number for number in range(3) if number != empty]
    for source in (paths[empty], [paths[empty]]):
        with pytest.raises(xml5tree.ParseError, match="no root element"):
            read_table(source)


@pytest.mark.parametrize("text", ["<r><item>1</item></r>", "\n <r><item>1?</item></r>", "So: <item>1</item>"])
def test_markup_for_a_path(text):
    for read in (read_table, xml5tree.records, xml5tree.parse, xml5tree.known_elements):
        with pytest.raises(FileNotFoundError, match=r"text is taken for a path; markup goes in io.StringIO"):
            read(text)


def test_two_documents_in_one_file(tmp_path):
    path = tmp_path / "feed.xml"
    path.write_text("<?xml version='1.0'?><r><item>1</item></r>\n" * 2)
    assert read_table(path, roots="all")["#text"].to_pylist() == [1, 1]
    assert len(list(xml5tree.records(path, roots="all"))) == 2


def test_parts_are_no_paths():
    for parts in (
        [FEED],
        [FEED[:4], FEED[4:]],
        iter([FEED]),
        ["<r>", "a.xml", "<item>1</item></r>"],
        [b"<r>", b"<item/></r>"],
    ):
        assert read_table(parts).num_rows in {1, 3}
    with pytest.raises(ValueError, match="no documents"):
        read_table([])


def test_a_file_that_is_refused_is_named(feeds):
    (feeds / "d.xml").write_text("no tag")
    with pytest.raises(xml5tree.ParseError) as caught:
        read_table(str(feeds / "*.xml"), schema="n string")
    assert caught.value.filename == str(feeds / "d.xml")


def test_errors_of_rows_name_the_file(feeds):
    """Of a value without room, wherever that is found out, and of a column after the sample."""
    (feeds / "d.xml").write_text(document("<n>7</n>", "<n>x</n>", "<n>1</n><n>2</n>"))
    name = re.escape(str(feeds / "d.xml"))
    files = [feeds / "a.xml", feeds / "d.xml"]
    for schema, sentence in (("n array<int>", "record 2, .*'x' is no int32"), ("n string", "record 3, .*2 values")):
        with pytest.raises(ValueError, match=f"^{name}: {sentence}"):
            read_table(files, schema=schema, bad_values="raise")
    with pytest.raises(ValueError, match=rf"^{name}: record 3 \(line 1\) has several values in the column 'n'"):
        list(record_batches(files, sample=2))


def test_without_pyarrow(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "xml5tree.arrow.batches", None)
    with pytest.raises(ImportError, match=r"xml5tree\[arrow\]"):
        read_table([FEED])


def test_records_of_several_names(tmp_path):
    """Each file's, also if the names come from an iterator."""
    for name in ("item", "entry"):
        (tmp_path / f"{name}.xml").write_text(f"<r><{name}><n>{name}</n></{name}><x><n>0</n></x></r>")
    tags = iter(["item", "{*}entry"])
    assert read_table(f"{tmp_path}/*.xml", tags, schema="n string").to_pydict() == {"n": ["entry", "item"]}


@pytest.mark.parametrize("fields", [None, {"n": "n"}])
def test_records_in_which_the_document_ends_are_not_complete(fields):
    text = "<r><item><n>1</n></item><item><n>2\x0c</n></item><item><n>3</n>"
    table, _ = told_by(lambda: read_table([text], schema="n int, _complete boolean", fields=fields))
    assert table["_complete"].to_pylist() == [True, True, False]
    batches = record_batches([text], schema="_complete boolean", fields=fields, batch_size=1)
    found, _ = told_by(lambda: [row["_complete"] for batch in batches for row in batch.to_pylist()])
    assert found == [True, True, False]


def test_files_that_cannot_be_read_are_skipped_with_bad_records(tmp_path):
    (tmp_path / "a.xml").write_text("<r><item><n>1</n></item></r>")
    (tmp_path / "b.xml").write_bytes(b"PK\x03\x04" + bytes(range(256)))
    (tmp_path / "c.xml").write_text("<r><item><n>3</n></item></r>")
    pattern = str(tmp_path / "*.xml")
    table, told = told_by(lambda: read_table(pattern, on_bad="skip"))
    assert table["n"].to_pylist() == [1, 3]
    assert [message.endswith("the rest of the file was skipped") for message in told] == [True]
    assert "b.xml" in told[0]
    for source, on_bad in ((pattern, "keep"), (tmp_path / "b.xml", "skip")):
        with pytest.raises(xml5tree.ParseError, match="ZIP"):
            read_table(source, on_bad=on_bad)


@pytest.mark.parametrize("fields", [None, {"n": "n", "t": "t"}])
def test_records_with_values_that_do_not_fit_can_be_left_out(fields):
    """Whether a value has another type, or there are several for a column, which shows sooner."""
    text = "<r><item><n>1</n></item><item><n>x</n></item><item><t>a</t><t>b</t></item><item><n>4</n><t>c</t></item></r>"
    schema, wanted = "n int, t string, _number int", fields and fields | {"t": ["t"]}
    for size in (1, 4096):
        batches = record_batches([text], schema=schema, bad_values="skip", fields=wanted, batch_size=size)
        rows, told = told_by(lambda batches=batches: [row for batch in batches for row in batch.to_pylist()])
        assert rows == [{"n": 1, "t": None, "_number": 1}, {"n": 4, "t": "c", "_number": 4}]
        assert [message.endswith("; their records were left out") for message in told] == [True, True]


def test_times_of_feeds():
    """Those of RSS are read if the schema says so; their type is not inferred."""
    texts = [
        "Wed, 31 Jan 2024 10:30:00 +0100",
        "31 Jan 2024 09:30 GMT",
        "2024-01-31T09:30:00Z",
        "Wed, 31 Foo 2024 10:30 GMT",
    ]
    text = f"<r>{''.join(f'<item><t>{text}</t></item>' for text in texts)}</r>"
    for kind in ("timestamp", "date"):
        table, _ = told_by(lambda kind=kind: read_table([text], schema=f"t {kind}", bad_values="rescue"))
        times = [str(value)[:16] for value in table["t"].to_pylist()]
        assert (
            times == ["2024-01-31 09:30"] * 3 + ["None"] if kind == "timestamp" else ["2024-01-31"] * 2 + ["None"] * 2
        )
    assert read_table([text])["t"].to_pylist() == texts
