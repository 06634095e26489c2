"""The command ``xml5tree records``."""

import csv
import io
import json
from itertools import product
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import one_in
from support.commands import run_command

import xml5tree
from xml5tree.accelerator import compiled
from xml5tree.cli.rendering import in_json, json_lines
from xml5tree.record import RecordRun

FEED = "<rss><item id=1><t>One & all</t></item><item id='2'><t>T\x0co</t></item></rss>"
LINES = [{"@id": "1", "t": "One & all"}, {"@id": "2", "t": "T o"}]


@pytest.fixture
def feed(tmp_path):
    path = tmp_path / "feed.xml"
    path.write_text(FEED)
    return path


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def test_json_lines(feed):
    result = run_command("records", feed)
    assert (result.status, lines(result.out)) == (0, LINES)
    assert (
        result.err
        == f"xml5tree: {feed}: 3 errors repaired in 2 records; content is lost; 'xml5tree check' lists them\n"
    )


def test_standard_input_and_fields():
    result = run_command("records", "-", "--field", "id=@id", "--field", "none=x", stdin=FEED.encode())
    assert lines(result.out) == [{"id": "1", "none": None}, {"id": "2", "none": None}]


def test_several_names(tmp_path):
    path = tmp_path / "r.xml"
    path.write_text("<r><item><n>1</n></item><entry><n>2</n></entry><x/></r>")
    result = run_command("records", path, "--tag", "item", "--tag", "{*}entry", "--field", "n=n")
    assert (result.status, lines(result.out)) == (0, [{"n": "1"}, {"n": "2"}])


def test_several_files_into_one(feed, tmp_path):
    other = tmp_path / "other.xml"
    other.write_text("<r><item/></r>")
    output = tmp_path / "rows.jsonl"
    assert run_command("records", tmp_path / "*.xml", "-o", output).status == 0
    assert lines(output.read_text()) == [*LINES, {}]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "\r=", "\n=", "\uff1d"])
def test_formulas(start, tmp_path):
    path = tmp_path / "r.xml"
    path.write_bytes(f"<r><item><n>{start.replace(chr(13), '&#13;')}cmd|' /C calc'!A1</n></item></r>".encode())
    command = ["records", "--field", "n=n", "--to", "csv"]
    (_, as_it_is), (_, escaped) = (
        list(csv.reader(io.StringIO(run_command(*command, *option, path).out, newline="")))
        for option in ([], ["--escape-formulas"])
    )
    assert as_it_is == [f"{start}cmd|' /C calc'!A1"]
    assert escaped == [f"'{start}cmd|' /C calc'!A1"]


@pytest.mark.parametrize("value", ["-5", "+1,000.5", "-1e-9", "x=1", "'=1", " a"])
def test_values_that_are_no_formulas(value, tmp_path):
    path = tmp_path / "r.xml"
    path.write_text(f"<r><item><n>{value}</n></item></r>")
    out = run_command("records", "--field", "n=n", "--to", "csv", "--escape-formulas", path).out
    assert list(csv.reader(io.StringIO(out))) == [["n"], [value]]


def test_formulas_are_of_csv(tmp_path):
    assert run_command("records", "--escape-formulas", tmp_path).status == 3


def test_csv(feed):
    arguments = ["records", feed, "--to", "csv", "--field", "id=@id", "--field", "title=t"]
    assert run_command(*arguments).out == "id,title\n1,One & all\n2,T o\n"
    marked = run_command(*arguments, "--on-bad", "mark").out.splitlines()
    assert marked[0] == "id,title,_line,_effect,_confidence,_errors"
    assert marked[1].startswith('1,One & all,1,kept,,"1:15: unquoted-attribute-value: ')


def test_parquet(feed, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    output = tmp_path / "rows.parquet"
    assert run_command("records", feed, feed, "--to", "parquet", "-o", output).status == 0
    assert parquet.read_table(output).to_pylist() == LINES * 2
    assert run_command("records", feed, "--tag", "x", "--field", "a=b", "--to", "parquet", "-o", output).status == 1
    assert parquet.read_table(output).column_names == ["a"]


def test_columns_of_errors_count_from_1_in_all_formats(feed, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    output = tmp_path / "rows.parquet"

    def errors(*options):
        out = run_command("records", feed, *options).out
        return parquet.read_table(output).column("_errors").to_pylist() if "parquet" in options else out

    expected = [row["_errors"] for row in lines(errors("--on-bad", "mark"))]
    assert [error.partition(" ")[0] for error in expected[0]] == ["1:15:", "1:24:"]
    schema = ["--schema", "_errors array<string>"]
    assert [row["_errors"] for row in lines(errors(*schema))] == expected
    cells = [["\n".join(row)] for row in expected]
    assert list(csv.reader(io.StringIO(errors(*schema, "--to", "csv"))))[1:] == cells
    for options in (["--on-bad", "mark"], ["--on-bad", "mark", "--field", "title=t"], schema):
        assert errors("--to", "parquet", "-o", output, *options) == expected
        assert errors("--to", "parquet", "-o", output, "--jobs", "2", *options) == expected
    in_python = xml5tree.read_table(feed, on_bad="mark").column("_errors").to_pylist()
    assert in_python == [record["_errors"] for record in xml5tree.records(feed, on_bad="mark")]
    assert in_python[0][0].startswith("1:14: ")


def test_bad_records(feed):
    skipped = run_command("records", feed, "--on-bad", "skip")
    assert lines(skipped.out) == LINES[:1]
    assert "1 bad record skipped" in skipped.err
    raised = run_command("records", feed, "--on-bad", "raise", "--bad-from", "lost")
    assert (raised.status, lines(raised.out)) == (2, LINES[:1])
    assert "record 2: " in raised.err


def test_no_records(tmp_path):
    path = tmp_path / "feed.xml"
    path.write_text("<feed xmlns='urn:f'><item/></feed>")
    result = run_command("records", path)
    assert (result.status, result.out) == (1, "")
    assert result.err == (
        f"xml5tree: {path}: no records found; there is '{{urn:f}}item'; --tag '{{*}}item' "
        "finds elements of this name in any namespace\n"
    )
    path.write_text("no tag")
    assert run_command("records", path).status == 2
    assert run_command("records", tmp_path / "none.xml").status == 3


@pytest.mark.parametrize("tag", ["item", "{*}item"])
@pytest.mark.parametrize(
    "before", ["", "<?xml version='1.0'?>\n<!-- <a> --><?p <a>?><!DOCTYPE item [<!ENTITY a '<x>'>]>"]
)
@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_roots_that_are_records(tmp_path, tag, before, form):
    """Several roots are records if they have the name of records; else what comes after the first is dropped."""
    pytest.importorskip("pyarrow")
    path, out = tmp_path / "a.xml", tmp_path / "out"
    path.write_text(f"{before}<item a='1'>x</item>\n<item a='2'>y &</item>")
    options = ["--tag", tag, "--field", "a=@a", "--to", form, "-o", out]
    done = run_command("records", path, *options)
    assert (done.status, done.err) == (
        0,
        f"xml5tree: {path}: 1 error repaired in 1 record; 'xml5tree check' lists them\n",
    )
    if form == "jsonl":
        assert [row["a"] for row in lines(out.read_text())] == ["1", "2"]
        assert [row["a"] for row in lines(run_command("records", "-", *options[:4], stdin=path.read_bytes()).out)] == [
            "1",
            "2",
        ]
        path.write_text("<r><item a='1'/></r><item a='2'/>")
        done = run_command("records", path, *options[:4])
        assert [row["a"] for row in lines(done.out)] == ["1"]
        assert "--roots all keeps them" in done.err


def _noting(taken):
    """`Batches.texts`, which also notes the records that it is given."""
    from xml5tree.arrow.batches import Batches

    texts = Batches.texts

    def noted(self, records, file):
        taken.extend(records)
        return texts(self, records, file)

    return noted


@pytest.mark.parametrize(
    ("on_bad", "columns"),
    one_in(
        2,
        product(
            ["keep", "mark", "skip"],
            [
                [],
                ["--field", "t=t", "--field", "k=n/@k"],
                ["--schema", "t string, n int, _line int, _errors array<string>"],
            ],
        ),
    ),
)
def test_flat_records_in_runs(tmp_path, columns, on_bad):
    """Records that are made columns without elements have the values of those that another process reads."""
    parquet = pytest.importorskip("pyarrow.parquet")
    from xml5tree.arrow.batches import Batches

    path, output = tmp_path / "long.xml", tmp_path / "rows.parquet"
    items = [
        '<item id="{}"><t> A & {} </t><n k="1">{}</n></item>\n',
        "<item><t>\x0c</t><t>{}</t></item>",
        "<item><n>{}<b/></n></item>",
    ]
    path.write_text(
        "<r>"
        + "".join((items[0] * 40 + items[1] + items[0] * 9 + items[2] * (n > 40)).format(*[n] * 152) for n in range(60))
    )
    found = []
    for form in ("parquet", "jsonl") if "--schema" in columns else ("parquet",):
        for jobs in ("1", "2"):
            options = ["--to", form, "-o", output, "--on-bad", on_bad, "--jobs", jobs, *columns]
            taken = []
            with mock.patch.object(Batches, "texts", _noting(taken)):
                told = run_command("records", path, path, *options).err
            assert any((one.parser or one.found) is not None for one in taken) == (compiled is not None)
            rows = parquet.read_table(output).to_pylist() if form == "parquet" else lines(output.read_text())
            found.append((rows, told))
        assert found[-1] == found[-2]
    assert len(found[0][0]) > 5000


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_lines_without_elements(tmp_path, form, jobs):
    """Records without elements have the same lines, whichever process reads them."""
    item = '<item id="{0}"><t>A &amp; {0}\u2028</t><n>=1&#10;,"</n></item>\n'
    path = tmp_path / "long.xml"
    path.write_text("<r>" + "".join(item.format(n) for n in range(5000)) + "</r>", "utf-8")
    command = ["records", path, path, "--jobs", jobs, "--to", form, "--field", "i=@id", "--field", "%=t", "--field"]
    found, by_elements = run_command(*command, "n=n"), run_command(*command, "n=n[1]")  # this path needs elements
    assert found == by_elements
    assert found.out.count("A & 4999") == 2


@pytest.mark.skipif(compiled is None, reason="the compiled reader finds values")
def test_most_lines_are_written_without_elements():
    sizes = []
    data = b"<r>" + b"<item><t>a</t></item>\n" * 50_000 + b"</r>"
    with mock.patch.object(RecordRun, "columns", lambda run, names, **_: sizes.append(run.found.size) or {}):
        run_command("records", "-", "--field", "t=t", "--on-bad", "mark", stdin=data)
    assert sum(sizes) > 45_000


@given(
    st.dictionaries(
        st.text(), st.lists(st.none() | st.text() | st.integers() | st.lists(st.text()), min_size=3, max_size=3)
    )
)
def test_json_of_columns_is_that_of_rows(columns):
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    assert json_lines(columns) == "".join(in_json(row, ensure_ascii=False) + "\n" for row in rows)


@pytest.mark.parametrize(
    "arguments", [["--to", "csv"], ["--to", "parquet"], ["--field", "a"], ["--field", "a=b["], ["--tag", "{a"]]
)
def test_wrong_usage(feed, arguments):
    result = run_command("records", feed, *arguments)
    assert (result.status, result.out) == (3, "")
    assert "Error: " in result.err


def test_output_is_whole_or_not_there(feed, tmp_path):
    output = tmp_path / "rows.jsonl"
    output.write_text("before")
    assert run_command("records", feed, "--field", "a=b[", "-o", output).status == 3
    assert output.read_text() == "before"


@pytest.mark.parametrize("dialect", ["microxml", "leafxml"])
def test_dialects(dialect, feed):
    result = run_command("records", "--dialect", dialect, feed)
    if dialect == "leafxml":
        assert result.status == 2
        assert "value of attribute 'id' without quotes" in result.err
    else:
        assert (result.status, lines(result.out)) == (0, LINES)
    assert run_command("records", "--dialect", "html", feed).status == 3


@pytest.mark.parametrize("recovery", ["intent", "draft", "strict"])
def test_recovery(recovery, feed, tmp_path):
    path = tmp_path / "open.xml"
    path.write_text("<r><item>1<item>2</item></r>")
    result = run_command("records", "--recovery", recovery, "--field", "n=text()", path)
    if recovery == "strict":
        assert (result.status, result.out) == (2, "")
        assert "mismatched tag" in result.err
    else:
        assert [row["n"] for row in lines(result.out)] == (["1", "2"] if recovery == "intent" else ["2", "1"])


@pytest.mark.parametrize("jobs", [1, 2])
def test_values_deeper_than_python_recurses(tmp_path, jobs):
    path = tmp_path / "deep.xml"
    path.write_text("<r><item>" + "<a>" * 1900 + "x" + "</a>" * 1900 + "</item></r>")
    result = run_command("records", path, path, "--jobs", str(jobs))
    assert result.status == 0
    assert result.out == ('{"a": ' * 1900 + '"x"' + "}" * 1900 + "\n") * 2
    parquet = pytest.importorskip("pyarrow.parquet")
    output = tmp_path / "rows.parquet"
    assert run_command("records", path, path, "--jobs", str(jobs), "--to", "parquet", "-o", output).status == 0
    assert "x" in str(parquet.read_table(output).to_pylist()[1])


TYPED = (
    "<r><item><n>1</n><d>2024-05-06</d></item><item><n>x</n><p>9.50</p></item><item><n> 3 </n><b>true</b></item></r>"
)
SCHEMA = "n int, d date, p decimal(6,2), b boolean, f double, t array<string>, s struct<`#text` string>, _line int"


@pytest.fixture
def typed(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "typed.xml"
    path.write_text(TYPED)
    return path


@pytest.mark.parametrize("jobs", [1, 2])
def test_json_lines_of_a_schema(typed, jobs):
    result = run_command("records", typed, typed, "--schema", SCHEMA, "--bad-values", "rescue", "--jobs", str(jobs))
    nothing = dict.fromkeys(["d", "p", "b", "f", "t", "s", "_rescued"])
    assert (
        lines(result.out)
        == [
            {**nothing, "n": 1, "_line": 1, "d": "2024-05-06"},
            {**nothing, "n": None, "_line": 1, "p": "9.50", "_rescued": '{"n": "x"}'},
            {**nothing, "n": 3, "_line": 1, "b": True},
        ]
        * 2
    )
    assert list(lines(result.out)[0])[-2:] == ["_line", "_rescued"]
    assert result.status == 0


def test_values_of_types_in_json(typed):
    typed.write_text(
        "<r><item><f>NaN</f><t>a</t><t>b</t><s i='1'>u</s><w>2024-05-06T07:08:09Z</w>"
        "<b>é</b></item><item><f>1e3</f></item></r>"
    )
    schema = "f double, t array<string>, s struct<`#text` string, `@i` int>, w timestamp, b binary"
    first, second = lines(run_command("records", typed, "--schema", schema).out)
    assert first == {
        "f": "nan",
        "t": ["a", "b"],
        "s": {"#text": "u", "@i": 1},
        "w": "2024-05-06T07:08:09+00:00",
        "b": "w6k=",
    }
    assert second["f"] == 1000


def test_years_that_python_lacks(typed):
    typed.write_text("<r><item><v>0000-01-01</v><x>0001-01-01T00:00:00+14:00</x></item></r>")
    result = run_command("records", typed, "--schema", "v date, x timestamp")
    assert (result.status, lines(result.out)) == (0, [{"v": None, "x": None}])
    result = run_command("records", typed, "--schema", "x timestamp", "--to", "csv", "--bad-values", "rescue")
    cells = [["x", "_rescued"], ["", '{"x": "0001-01-01T00:00:00+14:00"}']]
    assert (result.status, list(csv.reader(io.StringIO(result.out)))) == (0, cells)


def test_csv_of_a_schema(typed):
    typed.write_text("<r><item><n>-1</n><t>=a</t><t>b</t><s i='1'>u</s><b>false</b></item><item/></r>")
    schema = "n int, t array<string>, s struct<`@i` int>, b boolean"
    result = run_command("records", typed, "--schema", schema, "--to", "csv", "--escape-formulas")
    assert list(csv.reader(io.StringIO(result.out, newline=""))) == [
        ["n", "t", "s", "b"],
        ["-1", "'=a\nb", '{"@i": 1}', "false"],
        ["", "", "", ""],
    ]


@pytest.mark.parametrize("jobs", [1, 2])
def test_parquet_of_a_schema_in_a_file(typed, tmp_path, jobs):
    parquet = pytest.importorskip("pyarrow.parquet")
    schema, output = tmp_path / "schema.ddl", tmp_path / "rows.parquet"
    schema.write_text(f"{SCHEMA},\nnone string\n")
    command = ["records", typed, typed, "--schema", f"@{schema}", "--to", "parquet", "-o", output, "--jobs", str(jobs)]
    result = run_command(*command)
    assert result.status == 0
    table = parquet.read_table(output)
    assert [str(kind) for kind in table.schema.types[:4]] == ["int32", "date32[day]", "decimal128(6, 2)", "bool"]
    assert table["n"].to_pylist() == [1, None, 3] * 2
    assert "xml5tree: 2 values did not fit into the column 'n': " in result.err
    assert "; --bad-values rescue would keep such values" in result.err
    assert "no record had a value in the columns 'f', 't', 's', 'none'" in result.err


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_remarks_on_columns_name_files(tmp_path, form, jobs):
    pytest.importorskip("pyarrow")
    for name, value in (("a", "1"), ("b", "x"), ("c", "y")):
        (tmp_path / f"{name}.xml").write_text(f"<r><item><n>0</n></item><item><n>{value}</n></item></r>")
    given = ["--schema", "n int", "--to", form, "-o", tmp_path / "rows", "--jobs", str(jobs)]
    told = f"did not fit into the column 'n': 'x' is no int32 ({tmp_path / 'b.xml'}: record 2); --bad-values rescue"
    result = run_command("records", tmp_path / "a.xml", tmp_path / "b.xml", *given)
    assert result.err.startswith(f"xml5tree: 1 value {told}")
    result = run_command("records", *(tmp_path / f"{name}.xml" for name in "abc"), *given)
    assert result.err.startswith(f"xml5tree: 2 values of 2 files {told}")


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_value_without_room_ends_the_command(typed, tmp_path, jobs):
    output = tmp_path / "rows.jsonl"
    output.write_text("before")
    command = ["records", typed, typed, "--schema", "n int", "--bad-values", "raise", "-o", output, "--jobs", str(jobs)]
    result = run_command(*command)
    assert result.status == 2
    assert f"xml5tree: {typed}: record 2, column 'n': 'x' is no int32; --bad-values rescue keeps" in result.err
    assert output.read_text() == "before"


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_how_values_are_written(tmp_path, form):
    pytest.importorskip("pyarrow")
    path = tmp_path / "a.xml"
    path.write_text("<r><item><n>1.234,5</n><d>31.12.2024</d></item><item><n>-</n><d>1/2/23</d></item></r>")
    notation = [
        "--decimal",
        ",",
        "--thousands",
        ".",
        "--null-values",
        "-",
        "--dates",
        "%d.%m.%Y",
        "--dates",
        "%m/%d/%y",
    ]
    done = run_command("records", path, "--schema", "n double, d date", *notation, "--to", form)
    rows = {"jsonl": ['{"n": 1234.5, "d": "2024-12-31"}', '{"n": null, "d": "2023-01-02"}']}
    assert done.out.splitlines() == rows.get(form, ["n,d", "1234.5,2024-12-31", ",2023-01-02"])
    assert (done.status, done.err) == (0, "")


def test_each_field_has_a_name_of_its_own(feed):
    result = run_command("records", feed, "--field", "a=t", "--field", "b=t", "--field", "a=n")
    assert (result.status, result.out) == (3, "")
    assert "there are several columns of the name 'a'" in result.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--schema", "n"], "cannot be read at its end"),
        (["--schema", "infer"], "--schema gives the columns and their types"),
        (["--schema", "n int, n int"], "several columns of the name 'n'"),
        (["--schema", "@missing.ddl"], "'missing.ddl' cannot be read"),
        (["--bad-values", "null"], "--bad-values is for --schema"),
        (["--null-values", "-"], "--null-values is for --schema"),
        (
            ["--schema", "n double", "--decimal", ",", "--thousands", ","],
            "decimal must be another mark than that of thousands",
        ),
        (["--schema", "n double", "--decimal", ""], "decimal must be another mark than that of thousands"),
        (["--to", "csv"], "--to csv needs --schema, or at least one --field"),
    ],
)
def test_schemas_that_cannot_be_used(typed, options, message):
    result = run_command("records", typed, *options)
    assert result.status == 3
    assert message in result.err.replace("\n", " ")


def test_a_schema_whose_first_column_is_an_attribute(tmp_path, monkeypatch):
    """What begins with an at sign is a file, but for text with white space that is the name of none."""
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.xml").write_text("<r><item id='1'>x</item></r>")
    assert lines(run_command("records", "a.xml", "--schema", "@id long").out) == [{"@id": 1}]
    (tmp_path / "id long").write_text("`#text` string")
    assert lines(run_command("records", "a.xml", "--schema", "@id long").out) == [{"#text": "x"}]


def test_several_documents_in_a_file(tmp_path):
    path = tmp_path / "log.xml"
    path.write_text("<r><item>1</item></r>\n<r><item>2</item></r>\n")
    done = run_command("records", path)
    assert done.out.splitlines() == ['{"#text": "1"}']
    assert "log.xml: the document has elements after its root element, which were dropped; --roots all" in done.err
    done = run_command("records", "--roots", "all", path)
    assert done.out.splitlines() == ['{"#text": "1"}', '{"#text": "2"}']
    assert "dropped" not in done.err


def test_a_document_that_is_cut_off(tmp_path):
    path = tmp_path / "cut.xml"
    path.write_text("<r><item><n>1</n></item><item><n>2</n>")
    done = run_command("records", path)
    assert "content is moved; the document is cut off; its last records may be incomplete or missing" in done.err
    assert done.out.splitlines() == ['{"n": "1"}', '{"n": "2"}']
    with pytest.warns(xml5tree.RowsWarning, match="cut off"):
        assert len(list(xml5tree.records(path))) == 2


def test_marks_of_the_name_of_a_value(tmp_path):
    (tmp_path / "a.xml").write_text("<r><item><_line>1</_line></item></r>")
    (tmp_path / "b.xml").write_text("<r><item><n>2</n></item></r>")
    given = ["records", "--on-bad", "mark", tmp_path / "a.xml", tmp_path / "b.xml"]
    for options in ([], ["--jobs", "2"]):
        done = run_command(*given, *options)
        assert (done.status, lines(done.out)) == (
            2,
            [{"n": "2", "_line": 1, "_effect": None, "_confidence": None, "_errors": []}],
        )
        assert "a.xml: record 1 has a value for the column '_line', which is added to all records" in done.err
    done = run_command(*given, "--field", "_line=n", "--to", "csv")
    assert (done.status, done.out) == (3, "")
    assert "the column '_line' is added to all records, and has a path, too" in done.err


def test_marks_of_the_name_of_a_value_in_parquet(tmp_path):
    pytest.importorskip("pyarrow")
    (tmp_path / "a.xml").write_text("<r><item><_line>1</_line></item></r>")
    output = tmp_path / "out.parquet"
    done = run_command("records", "--on-bad", "mark", tmp_path / "a.xml", "--to", "parquet", "-o", output)
    assert done.status == 2
    assert "a.xml: record 1 (line 1) has a value for the column '_line', which is added to all records" in done.err
    assert not output.exists()
