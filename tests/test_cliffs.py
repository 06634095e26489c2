"""The measurement of cliffs: its documents, and the tables made of what it measures."""

import re
import sys
from pathlib import Path

import cliffs
import pytest
from cliff_documents import DEPTHS, FAULTS, SHAPES, SIZES, deep, shape, small, with_faults
from lxml import etree
from support.cases import each_case, one_in

import xml5tree

PAGE = Path(__file__).parent.parent / "docs" / "internals" / "performance.md"


def is_well_formed(data):
    try:
        etree.fromstring(data, etree.XMLParser(huge_tree=True))
    except etree.XMLSyntaxError:
        return False
    return True


def elements(data):
    return sum(1 for _ in xml5tree.fromstring(data, recovery="draft").iter())


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name):
    """A shape is well-formed but for its one fault, which loses nothing, and is as large as it is wanted."""
    twins = shape(name, 20_000)
    assert is_well_formed(twins.well_formed)
    assert 19_000 < len(twins.well_formed) < 125_000
    for broken in twins.broken.values():
        assert not is_well_formed(broken)
        assert elements(broken) == elements(twins.well_formed)


@each_case("fault", FAULTS, ids=[fault.name for fault in FAULTS])
def test_a_fault_in_each_record(fault):
    """By intent, the last records are read as the first ones, though the budget does not last so long."""
    records = 200
    parser = xml5tree.XMLParser(recovery="intent")
    parser.feed(with_faults(fault, records, records))
    assert len(parser.close()) == records
    codes = {line: [] for line in range(1, records + 2)}
    for entry in parser.error_log:
        codes[entry.line].append(entry.code)
    of_root = codes.pop(1)  # prefixes are declared there, once
    assert of_root == ["undeclared-namespace-prefix"] * fault.name.startswith("undeclared prefix")
    assert set(map(tuple, codes.values())) == {tuple(codes[2])}


@pytest.mark.parametrize("name", SIZES)
def test_sizes(name):
    twins = small(name)
    assert is_well_formed(twins.well_formed)
    assert len(twins.well_formed) == pytest.approx(float(name.partition(" ")[0]) * 1000, rel=0.05)
    assert len(twins.broken) == 9
    assert not any(map(is_well_formed, twins.broken.values()))


@each_case("fault", FAULTS, ids=lambda fault: fault.name)
def test_faults(fault):
    """Each record with the fault has the errors of it, none with errors of a fault before."""
    assert is_well_formed(with_faults(fault, 0, 4))
    counts = []
    for number in (1, 2, 4):
        errors = []
        xml5tree.fromstring(with_faults(fault, number, 4), recovery="draft", on_error=errors.append)
        counts.append(len(errors))
    one, two, four = counts
    assert one > 0
    assert four - two == 2 * (two - one) > 0


def test_depths():
    for depth in DEPTHS[:3]:
        root = xml5tree.fromstring(deep(depth, 5), recovery="draft")
        assert len([element for element in root.iter() if element.tag == "level"]) == depth
        assert len([element for element in root.iter() if element.tag == "note"]) == 5


@pytest.mark.parametrize(
    ("table", "rows", "names"),
    one_in(
        2,
        [
            ("sizes", "2.6 KB", ["2.6 KB", "floor"]),
            ("shapes", "tiny", ["tiny elements", "geometric mean", "worst", "floor of each, of the mean"]),
            ("faults", "`@click`", ["`@click`", "median", "floor of the median", "worst", "floor of the worst"]),
            ("depth", "", ["1", "2", "floor"]),
        ],
    ),
)
def test_table(table, rows, names, tmp_path, monkeypatch):
    monkeypatch.setattr(cliffs, "_AT_ONCE", 1)
    monkeypatch.setattr(cliffs, "DEPTHS", (1, 2))
    with cliffs.Measuring(tmp_path, rounds=1, kilobytes=4, rows=rows) as measuring:
        made = cliffs.TABLES[table](measuring)
    lines = [line.strip("| ").split(" | ") for line in made.splitlines() if line.startswith("| ")]
    assert [line[0] for line in lines[1:]] == names
    place = lines[0].index("draft")
    assert lines[0][place + 1] == "intent"
    assert float(lines[1][place].strip("*")) >= 0


def test_what_is_above_its_floor_is_bold():
    assert cliffs._cell(3.04, 3) == "**3.0**"
    assert cliffs._cell(2.99, 3) == "3.0"
    assert cliffs._cell(9, None, 0) == "9"


def test_page_is_written(tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- depth: made by compat/cliffs.py --write -->\nold\n<!-- end -->\nafter\n")
    monkeypatch.setattr(cliffs, "_PAGE", page)
    monkeypatch.setitem(cliffs.TABLES, "depth", lambda measuring: "| open |\n| 2 |\n")
    monkeypatch.setattr(sys, "argv", ["cliffs.py", "--only", "depth", "--write"])
    cliffs.main()
    text = page.read_text()
    assert re.fullmatch(r"before\n<!-- depth.*-->\n\n\| open.*\| 2 \|.*\n<!-- end -->\nafter\n", text, re.DOTALL)
    assert "old" not in text


def test_tables_of_the_page_have_all_rows():
    page = PAGE.read_text("utf-8")
    for names in (SHAPES, SIZES, [fault.name for fault in FAULTS]):
        for name in names:
            assert f"\n| {name} |" in page, name
