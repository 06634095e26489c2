"""The commands that list edits, apply them and undo them."""

import gzip
import json
import os
import shutil
import subprocess

import pytest
from support.commands import run_command

import xml5tree

BROKEN = b"<a>\r\n  Tom & J\xe9rry<br x=1 y=2/>\r\n<c>x\r\n</a>"


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "broken.xml"
    path.write_bytes(BROKEN)
    return path


@pytest.fixture
def repaired():
    return xml5tree.apply(BROKEN, xml5tree.edits(BROKEN))


def test_list(path, repaired):
    status, out, err = run_command("repair", "--edits", "json", path)
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert found["xml5tree"] == xml5tree.__version__
    assert found["before"]["bytes"] == len(BROKEN)
    assert found["after"]["bytes"] == len(repaired)
    assert (found["effect"], found["truncated"]) == ("moved", False)
    edits = [(edit["begin"], edit["end"], edit["reason"]) for edit in found["edits"]]
    assert edits == [(edit.begin, edit.end, edit.reason) for edit in xml5tree.edits(BROKEN)]
    assert found["edits"][0]["errors"][0]["code"] == "unescaped-ampersand"
    assert found["edits"][1]["original_base64"] == "6Q=="  # which is not UTF-8
    assert path.read_bytes() == BROKEN


def test_apply_and_undo(path, repaired):
    assert run_command("repair", "--edits", "json", path, "-o", "list.json").status == 0
    assert run_command("apply", path, "list.json", "-o", "repaired.xml") == (0, "", "")
    assert (path.parent / "repaired.xml").read_bytes() == repaired
    assert run_command("apply", "--undo", "repaired.xml", "list.json", "-o", "again.xml") == (0, "", "")
    assert (path.parent / "again.xml").read_bytes() == BROKEN


@pytest.mark.parametrize("arguments", [["-o", "out.xml"], ["--in-place", "--force"]])
def test_manifest(path, repaired, arguments):
    assert run_command("repair", "--manifest", *arguments, path).status == 0
    name = "out.xml" if "-o" in arguments else path.name
    assert (path.parent / name).read_bytes() == repaired
    assert run_command("apply", "--undo", name, f"{name}.edits", "-o", "again.xml") == (0, "", "")
    assert (path.parent / "again.xml").read_bytes() == BROKEN


@pytest.mark.parametrize("encoding", ["shift_jis", "gb18030", "utf-32"])
@pytest.mark.parametrize("value", ["1", '"1"'])
def test_manifest_of_a_file_that_becomes_utf8(path, encoding, value):
    document = f'<?xml version="1.0" encoding="{encoding}"?>\n<a x={value}>{"日本 " * 30_000}</a>'.encode(encoding)
    path.write_bytes(document)
    assert run_command("repair", "--manifest", path, "-o", "out.xml").status == 0
    assert (path.parent / "out.xml").read_bytes() == xml5tree.apply(document, xml5tree.edits(document))
    assert run_command("apply", "--undo", "out.xml", "out.xml.edits", "-o", "again.xml") == (0, "", "")
    assert (path.parent / "again.xml").read_bytes() == document


def test_a_well_formed_file_has_no_manifest(path):
    path.write_bytes(b"<a/>")
    assert run_command("repair", "--manifest", "--in-place", path).status == 0
    assert os.listdir() == ["broken.xml"]


@pytest.mark.parametrize("name", ["broken.xml", "two broken  words.xml"])
@pytest.mark.parametrize("command", [["patch", "--binary", "-s", "-p1", "-i", "diff"], ["git", "apply", "diff"]])
def test_patch(path, repaired, command, name):
    if shutil.which(command[0]) is None:
        pytest.skip(f"the patch was NOT APPLIED: there is no program {command[0]!r}")
    path = path.rename(path.with_name(name))
    diff = run_command("repair", "--edits", "patch", path.name, "-o", "diff").status
    assert diff == 0
    subprocess.run(command, check=True)
    assert path.read_bytes() == repaired


def test_a_packed_file(path):
    packed = path.with_suffix(".xml.gz")
    packed.write_bytes(gzip.compress(BROKEN))
    assert run_command("repair", "--edits", "json", packed, "-o", "list.json").status == 0
    assert run_command("apply", path, "list.json", "-o", "out.xml").status == 0


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"edits": [1]}', '{"edits": [], "before": {}}', "<a/>"])
def test_no_list_of_edits(path, text):
    (path.parent / "list.json").write_text(text)
    status, out, err = run_command("apply", path, "list.json")
    assert (status, out) == (3, "")
    assert "no list of edits" in err


def test_edits_of_another_document(path):
    assert run_command("repair", "--edits", "json", path, "-o", "list.json").status == 0
    path.write_bytes(BROKEN + b"\n")
    status, out, err = run_command("apply", path, "list.json")
    assert (status, out) == (3, "")
    assert "another document" in err


def test_nothing_is_listed_of_a_document_without_a_tree(path):
    path.write_bytes(b"no markup")
    status, out, _ = run_command("repair", "--edits", "json", path)
    assert (status, out) == (2, "")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--edits", "json", "--in-place"],
        ["--edits", "json", "--diff"],
        ["--edits", "patch", "--encoding", "latin-1"],
        ["--manifest"],
        ["--manifest", "--diff"],
        ["--manifest", "-o", "-"],
        ["--manifest", "--in-place", "--encoding", "latin-1"],
        ["--edits", "json", "--dialect", "leafxml"],
    ],
)
def test_bad_use(path, arguments):
    assert run_command("repair", *arguments, path).status == 3


@pytest.mark.parametrize(
    "change",
    [
        lambda edits: edits[0].update(original="x"),
        lambda edits: edits[0].update(begin=10**9, end=10**9 + 1),
        lambda edits: edits[0].update(begin="first"),
        lambda edits: edits[0].update(begin=edits[-1]["begin"], end=edits[-1]["end"]),
        lambda edits: edits.reverse(),
    ],
)
@pytest.mark.parametrize("undo", [[], ["--undo"]])
def test_a_list_that_has_been_changed(path, change, undo):
    assert run_command("repair", "--manifest", path, "-o", "out.xml").status == 0
    listed = path.parent / "out.xml.edits"
    found = json.loads(listed.read_text("utf-8"))
    change(found["edits"])
    listed.write_text(json.dumps(found), "utf-8")
    status, out, err = run_command("apply", *undo, "out.xml" if undo else path, listed)
    assert (status, out) == (3, "")
    assert "nothing was written" in err
