"""The option --dialect of every command."""

import json
import re

import pytest
from support.commands import run_command
from support.xml5lib import REPOSITORY

DOCUMENT = "<a b=1>x<!--n--><c></a> & y"
MICROXML = ("--dialect", "microxml")


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "document.xml"
    path.write_text(DOCUMENT)
    return path


def test_check(path):
    status, out, _ = run_command("check", *MICROXML, path)
    assert status == 1
    assert f"{path}: as microxml: 5 errors; all repaired without loss" in out
    (file,) = json.loads(run_command("check", "--format", "json", *MICROXML, path).out)["files"]
    assert (file["dialect"], file["counts"]["document-wrapped"]) == ("microxml", 1)
    (run,) = json.loads(run_command("check", "--format", "sarif", *MICROXML, path).out)["runs"]
    dialects = {rule["id"]: rule["properties"]["dialects"] for rule in run["tool"]["driver"]["rules"]}
    assert dialects["document-wrapped"] == ["microxml"]
    assert "microxml" in dialects["unescaped-ampersand"]
    assert "xml5" in dialects["unescaped-ampersand"]


def test_check_names_what_is_well_formed(tmp_path):
    path = tmp_path / "good.xml"
    path.write_text("<a>x</a>")
    assert run_command("check", *MICROXML, path).out == f"{path}: as microxml: well-formed\n"


def test_repair(path):
    expected = '<U000023doc><a b="1">x<!--n--><c></c></a> &amp; y</U000023doc>'
    assert run_command("repair", *MICROXML, path).out == expected
    assert f"+{expected}" in run_command("repair", "--diff", *MICROXML, path).out
    assert run_command("repair", "--in-place", *MICROXML, path).status == 0
    assert path.read_text() == expected


def test_tree_has_no_comments(path):
    assert run_command("tree", *MICROXML, path).out == 'U000023doc\n  a b="1" "x"\n    c\n  "& y"\n'


def test_tokens(path):
    out = run_command("tokens", *MICROXML, path).out
    assert [line.split()[0] for line in out.splitlines() if not line.startswith("NotWellFormed")] == [
        *["StartTag", "Characters", "StartTag", "EndTag", "Characters"]
    ]


def test_xpath(path):
    assert run_command("xpath", "name(/*)", *MICROXML, path).out == "U000023doc\n"


def test_report(path, tmp_path):
    page = tmp_path / "report.html"
    assert run_command("report", "-o", page, *MICROXML, path).status == 0
    assert "document-wrapped" in page.read_text("utf-8")


def test_unknown_dialect(path):
    assert run_command("check", "--dialect", "sgml", path).status == 3


def test_explanations_name_the_dialects():
    out = run_command("check", "--explain", "text-outside-root").out
    assert out.startswith("text-outside-root (xml5, microxml: ")
    assert "In the dialect microxml: It is kept" in " ".join(out.split())


def test_table_of_the_documentation():
    """The numbers of errors in docs/microxml.md."""
    rows = re.findall(r"^\| \[(\S+)\]\(examples.md\) \| ([^|]+) \| ([^|]+) \|", PAGE, re.MULTILINE)
    assert len(rows) == 10
    for name, *cells in rows:
        for dialect, cell in zip(("xml5", "microxml"), cells, strict=True):
            path = REPOSITORY / "docs" / "examples" / name
            (file,) = json.loads(run_command("check", "--format", "json", "--dialect", dialect, path).out)["files"]
            assert cell == f"{file['total']}{', lossy' if file['lossy'] else ''}", (name, dialect)


PAGE = (REPOSITORY / "docs" / "microxml.md").read_text("utf-8")
