"""What comes of files in every state, in every command and format; and where what is said about them stands."""

import contextlib
import gzip
import io
import json
import os
import re
import runpy
import subprocess
from itertools import product

import pytest
from support.cases import each_case, one_in
from support.commands import run_command, start_command
from support.xml5lib import REPOSITORY

import xml5tree
from xml5tree.cli.application import run

OUTCOMES = runpy.run_path(str(REPOSITORY / "docs" / "list_outcomes.py"))
COMMANDS = OUTCOMES["COMMANDS"]
FILES = OUTCOMES["FILES"]

each_command = pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
needs_links = pytest.mark.skipif(os.name == "nt", reason="a file that cannot be opened is a link to itself")


@needs_links
def test_page_has_the_table():
    _, on_page, _ = OUTCOMES["parts"](OUTCOMES["PAGE"].read_text("utf-8"))
    assert on_page == OUTCOMES["table"](), "run python docs/list_outcomes.py"


@needs_links
@each_command
@each_case("state", ["missing", "unreadable", "cut gzip"])
def test_files_that_are_not_read_are_named(command, state):
    status, _, said = OUTCOMES["outcome"](command, FILES[state])
    assert status == 3
    assert said.splitlines()[-1].startswith("xml5tree: file.xml: ")
    assert "Traceback" not in said


@needs_links
@each_command
@each_case("state", FILES)
def test_what_is_said_is_on_lines_of_its_own(command, state):
    _, _, said = OUTCOMES["outcome"](command, FILES[state])
    assert all(line.startswith("xml5tree: ") for line in said.splitlines())


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, content in FILES.items():
        if isinstance(content, bytes):
            (tmp_path / f"{name.replace(' ', '-')}.xml").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_json_lists_every_file(folder):
    names = ["clean.xml", "missing.xml", "cut-gzip.xml", "kept.xml"]
    result = run_command("check", "--format", "json", *names)
    files = json.loads(result.out)["files"]
    assert result.status == 3
    assert [(file["file"], file["status"]) for file in files] == list(zip(names, [0, 3, 3, 1], strict=True))
    assert [file["problem"] is None for file in files] == [True, False, False, True]
    assert files[1]["problem"] == "No such file or directory"
    assert "damaged or cut off" in files[2]["problem"]
    assert [(file["has_tree"], file["effect"]) for file in files[1:3]] == [(False, None), (True, "lost")]
    assert {error["filename"] for file in files for error in file["errors"]} == {"cut-gzip.xml", "kept.xml"}


def test_fail_on_does_not_hide_damage(folder):
    result = run_command("check", "--format", "json", "--fail-on", "lost", "cut-gzip.xml")
    assert (result.status, json.loads(result.out)["files"][0]["status"]) == (3, 3)


def test_sarif_lists_every_file(folder):
    (run,) = json.loads(run_command("check", "--format", "sarif", "missing.xml", "cut-gzip.xml", "kept.xml").out)[
        "runs"
    ]
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    found = invocation["toolExecutionNotifications"]
    assert [note["message"]["text"].split(":")[0] for note in found] == ["missing.xml", "cut-gzip.xml"]
    place = found[0]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "missing.xml"}}
    (run,) = json.loads(run_command("check", "--format", "sarif", "kept.xml").out)["runs"]
    assert run["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]


def test_github_lists_every_file(folder):
    lines = run_command("check", "--format", "github", "missing.xml", "cut-gzip.xml", "kept.xml").out.splitlines()
    assert lines[0] == "::error file=missing.xml,title=not read::No such file or directory"
    assert lines[1].startswith("::error file=cut-gzip.xml,title=not read to its end::the compressed data ")
    assert lines[-1].startswith("::warning file=kept.xml,line=1,col=15,title=unescaped-ampersand::")


def test_concise_is_one_line_a_file(folder):
    names = ["clean.xml", "missing.xml", "lost.xml", "truncated.xml", "empty.xml", "cut-gzip.xml"]
    *lines, empty, total = run_command("check", "--format", "concise", *names).out.splitlines()
    assert [line.partition(":")[0] for line in lines] == names
    assert lines[:5] == [
        "clean.xml: well-formed",
        "missing.xml: not read: No such file or directory",
        "lost.xml: 1 error; content is lost",
        "truncated.xml: 1 error; content is moved; the document is cut off",
        "empty.xml: 1 error; there is no tree",
    ]
    assert empty == ""
    assert total.startswith("6 files: 1 well-formed, 1 with content moved, 2 with content lost, ")
    assert total.endswith("1 without a tree, 1 not read; 2 cut off")
    assert run_command("check", "--format", "concise", "kept.xml").out == "kept.xml: 1 error; content is kept\n"


def test_statistics(folder):
    (folder / "more.xml").write_text("<r a='' a='1'>& & <b a='' a='1'/></r>")
    names = ["more.xml", "kept.xml", "lost.xml", "clean.xml"]
    result = run_command("check", "--statistics", *names)
    assert result.status == 2
    assert result.out.splitlines() == [
        "       3  duplicate-attribute (content is lost), in 2 files",
        "       3  unescaped-ampersand, in 2 files",
        "",
        "4 files: 1 well-formed, 1 with content kept, 2 with content lost",
    ]
    found = json.loads(run_command("check", "--statistics", "--format", "json", *names).out)
    assert found["statistics"] == [
        {"code": "duplicate-attribute", "count": 3, "effect": "lost", "files": 2},
        {"code": "unescaped-ampersand", "count": 3, "effect": "kept", "files": 2},
    ]
    assert run_command("check", "--statistics", "-q", *names).out == ""
    for form in ("concise", "sarif", "github"):
        assert run_command("check", "--statistics", "--format", form, *names).status == 3


# One fault is one line.


@pytest.mark.parametrize("document", ["<a>x\1y</a>", "<a b='\1'/>", "<r> <?xml version='1.0'?></r>"])
def test_one_fault_is_one_line(tmp_path, document):
    path = tmp_path / "file.xml"
    path.write_text(document)
    log = xml5tree.XMLParser()
    xml5tree.parse(path, parser=log)
    assert len(log.error_log) == 2
    out = run_command("check", path).out
    assert len([line for line in out.splitlines() if re.match(rf"{re.escape(str(path))}:\d", line)]) == 1
    assert all(entry.message in out for entry in log.error_log)
    assert f"{path}: 1 error; " in out
    for command in ("repair", "tree"):
        assert run_command(command, path).err.startswith(f"xml5tree: {path}: 1 error repaired")
    page = run_command("report", "-o", "-", path).out
    assert "<strong>1 error.</strong>" in page
    assert 'id="e0"' in page
    assert 'id="e1"' not in page
    (found,) = json.loads(run_command("check", "--format", "json", path).out)["files"]
    assert found["total"] == len(found["errors"]) == 2
    (annotation,) = run_command("check", "--format", "github", path).out.splitlines()
    assert annotation.startswith("::")
    assert run_command("check", "--max-errors", 1, path).out == out


def test_all_after_the_root_is_one_fault(tmp_path):
    path = tmp_path / "file.xml"
    path.write_text("<a/>\n" + "<b>x</b>\n" * 3000 + "<!-- -- -->")
    out = run_command("check", "--max-errors", 2, path).out
    assert f"{path}:2:1: element-after-root: " in out
    assert "8999 more errors" in out or "8,999 more errors outside the root element, up to line 3001" in out
    assert f"{path}: 2 errors; content is lost\n" in out
    assert "2 errors shown" not in out


# Columns, and lines of what is said.


@pytest.mark.parametrize(
    ("command", "column"),
    [
        (["check", "FILE"], "file.xml:2:3: "),
        (["check", "--format", "github", "FILE"], "line=2,col=3,"),
        (["repair", "FILE"], "line 2, column 3"),
        (["repair", "--diff", "FILE"], "line 2, column 3"),
        (["tree", "FILE"], "line 2, column 3"),
        (["xpath", "/", "FILE"], "line 2, column 3"),
        (["records", "FILE"], "line 2, column 3"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_columns_are_counted_from_1_everywhere(tmp_path, monkeypatch, command, column):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file.xml").write_text(" \nno")
    result = run_command(*[word.replace("FILE", "file.xml") for word in command])
    assert result.status == 2
    assert column in result.out + result.err


def test_columns_of_repairs_and_marks(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file.xml").write_text("<r>\n<item>& </item></r>")
    assert "file.xml:2:7: unescaped-ampersand" in run_command("check", "file.xml").out
    marked = json.loads(run_command("records", "--on-bad", "mark", "file.xml").out)
    assert marked["_errors"][0].startswith("2:7: unescaped-ampersand: ")
    assert run_command("repair", "--in-place", "file.xml").status == 0
    assert "\n2:7: unescaped-ampersand: " in (tmp_path / "file.xml.repairs").read_text()


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_what_is_said_begins_on_a_line_of_its_own(tmp_path, end):
    """Where standard output and standard error go to the same place, and the markup does not end in a line feed."""
    path = tmp_path / "file.xml"
    path.write_bytes(f"<a>&</a>{end}".encode())
    process = start_command("repair", path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    out, _ = process.communicate(timeout=60)
    assert out.decode() == f"<a>&amp;</a>{end or os.linesep}xml5tree: {path}: 1 error repaired{os.linesep}"
    process = start_command("repair", path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.communicate(timeout=60)[0].decode() == f"<a>&amp;</a>{end}"


def test_nothing_is_added_to_a_document_of_which_there_is_nothing_to_say(tmp_path):
    path = tmp_path / "file.xml"
    path.write_text("<a>fine</a>")
    process = start_command("repair", path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert process.communicate(timeout=60)[0] == b"<a>fine</a>"


# A device that is full.


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is always full")
@pytest.mark.parametrize(("command", "size"), one_in(3, product(COMMANDS, [1, 3_000])))
def test_full_device(tmp_path, command, size):
    path = tmp_path / "file.xml"
    path.write_text("<r>" + "<item>Fish & chips</item>\n" * size + "</r>")
    if "--in-place" in command:
        pytest.skip("it writes beside the file")
    arguments = [{"FILE": path, "OUT": "/dev/full"}.get(word, word) for word in command]
    err = io.StringIO()
    with open("/dev/full", "w") as full, contextlib.redirect_stdout(full), contextlib.redirect_stderr(err):
        assert run([str(word) for word in arguments]) == 3
    said = err.getvalue()
    assert "No space left on device" in said.splitlines()[-1]
    assert all(line.startswith("xml5tree: ") for line in said.splitlines())
    assert "cannot be written: cannot write" not in said


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is always full")
def test_full_device_for_records(tmp_path):
    path = tmp_path / "file.xml"
    path.write_text("<r><item>fine</item></r>")
    result = run_command("records", path, "-o", "/dev/full")
    assert (result.status, result.err) == (3, "xml5tree: cannot write /dev/full: No space left on device\n")


def test_gzip_that_is_whole_has_no_problem(tmp_path):
    path = tmp_path / "file.xml.gz"
    path.write_bytes(gzip.compress(b"<a/>"))
    (found,) = json.loads(run_command("check", "--format", "json", path).out)["files"]
    assert (found["status"], found["problem"]) == (0, None)
