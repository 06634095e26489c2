"""Folders on the command line: which files are read, which are skipped, and where repairs are written."""

import gzip

import pytest
from support.commands import run_command


@pytest.fixture
def folder(tmp_path):
    below = tmp_path / "in"
    for name in ("a.xml", "x/a.xml", "x/y/content.OPF", "notes.txt", "more.txt", "README", "z.opf.gz"):
        path = below / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = f"<r>{name} & more</r>".encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return below


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_the_tree_of_folders_is_kept(folder, tmp_path):
    out = tmp_path / "out"
    before = {name: (folder / name).read_bytes() for name in files(folder)}
    result = run_command("repair", folder, "-o", out)
    assert result.status == 0
    assert files(out) == ["a.xml", "x/a.xml"]
    assert (out / "x" / "a.xml").read_text() == "<r>x/a.xml &amp; more</r>"
    assert {name: (folder / name).read_bytes() for name in files(folder)} == before
    assert "skipped 5 files by name: *.opf (2), *.txt (2), no suffix (1);" in result.err


def test_included_names(folder, tmp_path):
    out = tmp_path / "out"
    result = run_command("repair", folder, "-o", out, "--include", "*.opf", "--include", "read*")
    assert result.status == 0
    assert files(out) == ["README", "a.xml", "x/a.xml", "x/y/content.OPF", "z.opf.gz"]
    assert gzip.decompress((out / "z.opf.gz").read_bytes()) == b"<r>z.opf.gz &amp; more</r>"
    assert "skipped 2 files by name: *.txt (2);" in result.err


@pytest.mark.parametrize("option", [[], ["--include", "*"]])
def test_output_into_the_folder_that_is_read(option, tmp_path):
    """The file that is being written is not read, and not named."""
    (tmp_path / "a.xml").write_text("<r><item><n>1</n></item></r>")
    result = run_command("records", tmp_path, "-o", tmp_path / "out.jsonl", *option)
    assert (result.status, result.err) == (0, "")
    assert (tmp_path / "out.jsonl").read_text() == '{"n": "1"}\n'


@pytest.mark.parametrize("command", ["check", "tree", "xpath"])
def test_commands_say_what_they_skip(folder, command):
    expression = ["//r"] if command == "xpath" else []
    out = run_command(command, *expression, folder, "--include", "*.opf")
    assert "content.OPF" in out.out
    assert out.err.count("skipped 3 files by name") == 1


def test_nothing_is_said_where_nothing_is_skipped(folder):
    assert "skipped" not in run_command("check", folder, "--include", "*").err
    assert "skipped" not in run_command("check", folder / "a.xml").err


def test_one_without_a_tree_is_not_written(folder, tmp_path):
    (folder / "x" / "a.xml").write_text("no markup")
    result = run_command("repair", folder, "-o", tmp_path / "out")
    assert result.status == 2
    assert files(tmp_path / "out") == ["a.xml"]


def test_patterns_and_files_go_to_a_folder(folder, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    assert run_command("repair", f"{folder}/**/*.xml", "-o", out).status == 0
    assert files(out) == ["a.xml", "x/a.xml"]
    assert run_command("repair", folder / "notes.txt", folder / "more.txt", "-o", f"{tmp_path}/other/").status == 0
    assert files(tmp_path / "other") == ["more.txt", "notes.txt"]


def test_what_is_read_is_not_written(folder, tmp_path):
    assert run_command("repair", folder, "-o", folder).status == 3
    assert (
        run_command("repair", folder / "x", "-o", folder).status == 0
    )  # x/a.xml is written to a.xml, which is not read
    assert run_command("repair", folder, "-o", folder / "new").status == 0
    again = run_command("repair", folder, "-o", folder / "new")
    assert again.status == 3
    assert "is read" in again.err
    assert not (folder / "new" / "new").exists()


def test_two_files_do_not_become_one(folder, tmp_path):
    result = run_command("repair", folder, folder / "x", "-o", tmp_path / "out")
    assert result.status == 3
    assert "Two files would be written" in result.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_manifests_and_lists(folder, tmp_path, jobs):
    out = tmp_path / "out"
    assert run_command("repair", "--manifest", "--jobs", jobs, folder, "-o", out).status == 0
    assert files(out) == ["a.xml", "a.xml.edits", "x/a.xml", "x/a.xml.edits"]
    undone = run_command("apply", "--undo", out / "x" / "a.xml", out / "x" / "a.xml.edits")
    assert undone.out == (folder / "x" / "a.xml").read_text()


def test_bad_use(folder, tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    assert run_command("repair", "-", "-o", f"{tmp_path}/out/", stdin=b"<a/>").status == 3
    assert run_command("repair", folder / "a.xml", folder / "x" / "a.xml", "-o", tmp_path / "new.xml").status == 3
    result = run_command("repair", folder, "-o", file)
    assert result.status == 3
    assert "cannot make" in result.err
