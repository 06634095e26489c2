"""Tables of ranges: those of the whole file, however it is cut."""

import re
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import xml5tree
from xml5tree.ranges import Range, read, reading, split
from xml5tree.ranges.extents import Sizes

pyarrow = pytest.importorskip("pyarrow")
pytestmark = pytest.mark.filterwarnings("ignore::xml5tree.RowsWarning")

ROOT = Path(__file__).parents[1]
#: Small enough that documents of some hundred bytes have many windows.
SMALL = Sizes(window=64, reach=64, longest=96, deepest=2)
GOOD = [
    "<item id='{0}'><n>{0}</n></item>",
    "<item><n>{0}</n><t>é &amp; 𝄞</t></item>\r\n",
    "<item><t>a</t><t>b</t><n>{0}</n></item>",
    "<item id='{0}'/>",
    "<item><t><![CDATA[<b>]]></t><!-- c --><n> {0} </n></item>",
    "<item><n>many</n><t k='1'>x</t></item>",
    "<item><n>{0}</n><item><n>7</n></item></item>",
]
FAULTS = [
    "<item><n>{0}</n>",
    "<item><t>a & b</t><n>{0}</n></item>",
    "<item id={0}><n>{0}</n></item>",
    "<item><t>x<n>{0}</n></item>",
    "<item><t k='1>x</t><n>{0}</n></item>",
    "<item><t>\x01</t></item>",
    "<item><n>{0}</N></item>",
    "<item><n>{0}</item>",
    "</item>",
    "<itme><n>{0}</n></itme>",
    "<!-- <item><n>{0}</n></item> -->",
    "<!-- ",
    "text",
    "</r>",
]
WELL_FORMED = [GOOD[0], "<item id='\n{0}\t'><t>é &amp; &#65; 𝄞</t><n> {0}</n></item>\n", GOOD[3], GOOD[5], GOOD[6]]
DOCUMENTS = st.tuples(
    st.sampled_from(["<r>", "<r xmlns:m='u'><c>", "<!DOCTYPE r [<!ENTITY x 'entity'>]><r>"]),
    st.lists(st.sampled_from(GOOD) | st.sampled_from(FAULTS), max_size=14)
    | st.lists(st.sampled_from(WELL_FORMED), max_size=14),
    st.sampled_from(["</r>", "</c></r>", ""]),
).map(lambda parts: parts[0] + "".join(part.format(n) for n, part in enumerate(parts[1])) + parts[2])
SCHEMA = "id string, n int, t string, _byte_offset long, _errors array<string>, _effect string, _confidence double"


def parts_of(path, cuts):
    starts = sorted({0, *cuts})
    return [Range(str(path), start, end) for start, end in zip(starts, [*starts[1:], None], strict=True)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    DOCUMENTS,
    st.sets(st.integers(1, 400), max_size=5),
    st.sampled_from([Sizes(), SMALL]),
    st.sampled_from(["null", "rescue", "skip"]),
)
@pytest.mark.parametrize("recovery", ["draft", "intent"])
def test_tables_are_those_of_the_whole_file(tmp_path, monkeypatch, recovery, text, cuts, sizes, bad_values):
    monkeypatch.setattr(reading, "SIZES", sizes)
    path = tmp_path / "feed.xml"
    path.write_text(text, "utf-8", newline="")
    options = {"schema": SCHEMA, "bad_values": bad_values, "recovery": recovery}
    whole = xml5tree.read_table(Range(str(path)), **options)
    assert xml5tree.read_table(parts_of(path, cuts), **options).equals(whole)

    # The same from elements: the reader of columns and that of elements agree on each record.
    monkeypatch.setattr("xml5tree.recordreader.compiled", None)
    assert xml5tree.read_table(parts_of(path, cuts), **options).equals(whole)

    # And the same as without ranges, if nothing has been said against it.
    found = read(Range(str(path)), recovery=recovery)
    records = [(record.byte_offset, record.errors) for record in found]
    if not found.doubt and records:
        table = xml5tree.read_table(path, **options)
        columns = ["id", "n", "t", "_byte_offset", *(["_effect"] if recovery == "draft" else [])]
        order = [("_byte_offset", "ascending")]
        assert table.sort_by(order).select(columns).equals(whole.sort_by(order).select(columns))


def test_tables_have_what_records_of_ranges_have(tmp_path):
    path = tmp_path / "feed.xml"
    path.write_text("<r>" + "".join(f"<item id={n}><n>{n}</n><t>x</t></item>\n" for n in range(40)) + "</r>")
    parts = parts_of(path, [100, 500])
    found = [record for part in parts for record in read(part, on_bad="mark")]
    table = xml5tree.read_table(parts, on_bad="mark")
    assert table.column_names == ["_file", "@id", "n", "t", "_byte_offset", "_effect", "_confidence", "_errors"]
    assert [{name: str(value) for name, value in row.items()} for row in table.to_pylist()] == [
        {name: str(record[name]) for name in table.column_names} for record in found
    ]
    assert xml5tree.read_table(parts[1], fields={"m": "n"}).to_pydict() == {
        "m": [int(record["n"]) for record in read(parts[1])]
    }
    batches = list(xml5tree.record_batches(parts, "item", fields={"n": "n"}, batch_size=7))
    assert max(batch.num_rows for batch in batches) == 7
    assert [value for batch in batches for value in batch["n"].to_pylist()] == [record["n"] for record in found]
    path.write_text("<r><item><n>many</n></item></r>")
    with pytest.raises(ValueError, match="'many' is no int32"):
        xml5tree.read_table(Range(str(path)), schema="n int", bad_values="raise")
    with pytest.raises(TypeError, match="the records of a range have one name"):
        xml5tree.read_table(parts, ["item", "entry"])
    with pytest.raises(ValueError, match="are not for ranges; give storage_options to split"):
        xml5tree.read_table(parts, on_progress=print)


@pytest.mark.parametrize("fields", [None, {"n": "n"}])
@pytest.mark.parametrize("content", ["<n>{}</n>", "<n>{}&amp;</n>", "<n>{}&</n>", "<n>{}"])
def test_batches_of_ranges_have_at_most_their_size(tmp_path, content, fields):
    path = tmp_path / "feed.xml"
    path.write_text("<r>" + "".join(f"<item>{content.format(n)}</item>\n" for n in range(40)) + "</r>")
    batches = list(xml5tree.record_batches([Range(str(path)), *parts_of(path, [300])], fields=fields, batch_size=7))
    assert max(batch.num_rows for batch in batches) == 7
    values = [record["n"] for record in xml5tree.records(path)] * 2
    assert [value for batch in batches for value in batch["n"].to_pylist()] == values


@pytest.mark.parametrize("on_bad", ["keep", "skip", "raise"])
def test_bad_records_of_ranges(tmp_path, on_bad):
    path = tmp_path / "feed.xml"
    path.write_text("<r>" + "".join(f"<item><n>{n}{'' if n % 5 else chr(1)}</n></item>" for n in range(1, 30)) + "</r>")
    batches = xml5tree.record_batches(parts_of(path, [200]), schema="n string", on_bad=on_bad, batch_size=2)
    found = []
    try:
        for batch in batches:
            found += batch["n"].to_pylist()
    except xml5tree.ParseError as error:
        assert on_bad == "raise"
        assert "record 5" in str(error)
        assert found == ["1", "2", "3", "4"]
    else:
        assert len(found) == (29 if on_bad == "keep" else 24)
        assert batches.skipped == (0 if on_bad == "keep" else 5)


def test_warnings_come_once_for_all_ranges_of_a_file(tmp_path):
    texts = [f"<item><n>{n}</n>\n" if n % 3 else f"<item><n>many {n}</n><b></item>\n" for n in range(40)]
    for name in ("a.xml", "b.xml"):
        (tmp_path / name).write_text("<r>" + "".join(texts) + "<item><n>1")
    parts = split([tmp_path / "a.xml", tmp_path / "b.xml"], size=100)
    assert len(parts) > 8
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        xml5tree.read_table(parts, schema="n int, none string")
    words = [str(warning.message) for warning in told]
    kinds = (
        "may read otherwise",
        "is cut off",
        "did not fit into the column 'n'",
        "no record had a value in the column",
    )
    assert [sum(kind in text for text in words) for kind in kinds] == [2, 2, 1, 1]
    assert len(words) == 6


PROGRAM = re.search(r"^```python\n# resume\.py\n(.*?)^```$", (ROOT / "docs/engines.md").read_text(), re.M | re.S)[1]


def test_a_program_that_is_killed_goes_on_where_it_was(tmp_path):
    """The program of the page, killed between ranges, and within one, until it comes to its end."""
    feeds = tmp_path / "feeds"
    feeds.mkdir()
    records = "".join(f"<item><title>Story {n} & more</title><link>{n}</link></item>\n" for n in range(3000))
    (feeds / "a.xml").write_text(f"<r>{records}</r>")
    (feeds / "b.xml").write_text("<r><item><title>last</title></item></r>")
    program = tmp_path / "resume.py"
    program.write_text(PROGRAM.replace("8 << 20", "10_000"))
    rows = tmp_path / "rows"
    expected = [{"title": f"Story {n} & more", "link": str(n)} for n in range(3000)] + [{"title": "last", "link": None}]
    parts = split(sorted(map(str, feeds.glob("*.xml"))), size=10_000)
    for _ in range(3):
        before = len(list(rows.glob("*.parquet")))
        child = subprocess.Popen(
            [sys.executable, str(program)], cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, stderr=subprocess.DEVNULL
        )
        while child.poll() is None and len(list(rows.glob("*.parquet"))) <= before:
            time.sleep(0.001)
        child.send_signal(signal.SIGKILL)
        child.wait()
    assert 0 < len(list(rows.glob("*.parquet"))) < len(parts)
    done = subprocess.run([sys.executable, str(program)], cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, check=False)
    assert done.returncode == 0
    assert len(list(rows.iterdir())) == len(parts)
    import pyarrow.parquet

    found = [row for name in sorted(rows.iterdir()) for row in pyarrow.parquet.read_table(name).to_pylist()]
    assert [{name: row[name] for name in ("title", "link")} for row in found] == expected


def test_places_beyond_two_gigabytes(tmp_path):
    """In a sparse file, whose hole is read by no range here."""
    path = tmp_path / "large.xml"
    far = 5 << 30
    record = b"<item><n>%d</n></item>\n"
    with path.open("wb") as file:
        file.write(b"<r>" + record % 0)
        file.seek(far)
        file.write(b"".join(record % number for number in range(1, 4)) + b"</r>")
    starts = [part.start for part in split(path, size=1 << 30, encoding="utf-8")]
    assert starts == [number << 30 for number in range(5)]
    cut = far + len(record % 1)
    parts = [Range(str(path), far, cut), Range(str(path), cut)]
    table = xml5tree.read_table(parts, schema="n int, _byte_offset long", encoding="utf-8", force=True)
    offsets = [far + place * len(record % 1) for place in range(3)]
    assert table.to_pydict() == {"n": [1, 2, 3], "_byte_offset": offsets}
