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
    assert status == 2
    assert f"{path}: as microxml: 4 errors; content is moved\n" in out
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
    assert run_command("repair", "--in-place", *MICROXML, path).status == 2
    assert run_command("repair", "--in-place", "--force", *MICROXML, path).status == 0
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
    assert "the document is not a single element" in page.read_text("utf-8")


LEAFXML = ("--dialect", "leafxml")
REFUSAL = "value of attribute 'b' without quotes"


@pytest.fixture
def refused(tmp_path):
    """A document that LeafXML refuses after some markup."""
    path = tmp_path / "refused.xml"
    path.write_text("<r>\n<c/><a b=1/><!-- n --></r>")
    return path


def test_check_shows_the_one_error_of_leafxml_once(refused):
    status, out, _ = run_command("check", *LEAFXML, refused)
    assert status == 2
    assert f"{refused}:2:10: unquoted-attribute-value: {REFUSAL}\n    2 | <c/><a b=1/>" in out
    assert f"{refused}: as leafxml: 1 error; there is no tree\n" in out
    (file,) = json.loads(run_command("check", "--format", "json", *LEAFXML, refused).out)["files"]
    assert (file["counts"], file["has_tree"]) == ({"unquoted-attribute-value": 1}, False)
    assert [error["message"] for error in file["errors"]] == [REFUSAL]


def test_what_refuses_a_document_is_an_error_in_all_formats(refused):
    (run,) = json.loads(run_command("check", "--format", "sarif", *LEAFXML, refused).out)["runs"]
    (rule,), (result,) = run["tool"]["driver"]["rules"], run["results"]
    assert rule["fullDescription"]["text"].endswith("The document is refused, so there is no tree.")
    assert (rule["defaultConfiguration"]["level"], result["level"]) == ("error", "error")
    assert run_command("check", "--format", "github", *LEAFXML, refused).out.startswith("::error ")
    assert run_command("check", "--format", "github", refused).out.startswith("::warning ")


def test_commands_say_why_leafxml_refuses_a_document(refused, tmp_path):
    complaint = f"xml5tree: {refused}: {REFUSAL}: line 2, column 10"
    target = tmp_path / "repaired.xml"
    assert run_command("tree", *LEAFXML, refused) == (2, "r\n  c\n", f"{complaint}\n")
    assert run_command("xpath", "/r", *LEAFXML, refused) == (2, "", f"{complaint}\n")
    assert run_command("repair", "-o", target, *LEAFXML, refused) == (2, "", f"{complaint}; nothing was written\n")
    assert not target.exists()
    assert run_command("tokens", *LEAFXML, refused).out.splitlines()[-1] == (
        f"NotWellFormed 2:10: unquoted-attribute-value: {REFUSAL}"
    )


def test_repair_says_that_leafxml_refuses_a_document_of_which_a_part_is_written(tmp_path):
    path = tmp_path / "cut.xml"
    path.write_text("<r><c/><d")
    status, out, err = run_command("repair", *LEAFXML, path)
    assert (status, out) == (2, "<r><c/>")
    assert err.endswith("line 1, column 8; only what comes before was written\n")


def test_report_says_that_leafxml_refuses_a_document(refused, tmp_path):
    page = tmp_path / "report.html"
    assert run_command("report", "-o", page, *LEAFXML, refused).status == 2
    text = page.read_text("utf-8")
    assert "The document is refused, so there is no tree." in text
    assert "becomes no tree" in text


def test_leafxml_is_read_without_comments(tmp_path):
    path = tmp_path / "good.xml"
    path.write_text("<a b=' 1 '><!--n--><c/></a>")
    assert run_command("check", *LEAFXML, path).out == f"{path}: as leafxml: well-formed\n"
    assert run_command("tree", *LEAFXML, path).out == 'a b="1"\n  c\n'
    assert run_command("repair", *LEAFXML, path).out == '<a b="1"><c/></a>'
    assert run_command("xpath", "count(//node())", *LEAFXML, path).out == "2\n"


def test_unknown_dialect(path):
    assert run_command("check", "--dialect", "sgml", path).status == 3


def test_explanations_name_the_dialects():
    out = run_command("check", "--explain", "text-outside-root").out
    assert out.startswith("text-outside-root (xml5, microxml: ")
    assert "In the dialect microxml: It is kept" in " ".join(out.split())
    out = run_command("check", "--explain", "unquoted-attribute-value").out
    assert out.count("In the dialect leafxml: The document is refused, so there is no tree.") == 1
    assert "dialect leafxml" not in run_command("check", "--explain", "no-root-element").out


def test_table_of_the_documentation():
    """The numbers and effects of errors in docs/internals/microxml.md."""
    rows = re.findall(r"^\| \[(\S+)\]\(../examples.md\) \| ([^|]+) \| ([^|]+) \|", PAGE, re.MULTILINE)
    assert len(rows) == 10
    for name, *cells in rows:
        for dialect, cell in zip(("xml5", "microxml"), cells, strict=True):
            path = REPOSITORY / "docs" / "examples" / name
            (file,) = json.loads(run_command("check", "--format", "json", "--dialect", dialect, path).out)["files"]
            assert cell == f"{file['total']}, {file['effect']}", (name, dialect)


PAGE = (REPOSITORY / "docs" / "internals" / "microxml.md").read_text("utf-8")
