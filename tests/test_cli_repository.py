"""Folders that are repositories of git: what of them is read, and what is written beside."""

import os
import shutil
import subprocess

import pytest
from support.commands import run_command

WHOLE = "<a/>"
BROKEN = "<a>R&D</a>\n"
REPAIRED = "<a>R&amp;D</a>\n"

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(*arguments):
    names = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    subprocess.run(["git", *arguments], check=True, capture_output=True, env=os.environ | names)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name in ("a.xml", "sub/b.xml", ".hidden/c.xml", "build/d.xml", "node_modules/x/e.xml", "old.xml", "f.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(WHOLE, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def repository(folder):
    git("init", "-q")
    (folder / ".gitignore").write_text("build\nnode_modules/\n", "utf-8")
    return folder


def read(*arguments):
    """Return the names of the files that are read."""
    out = run_command("check", "--format", "concise", *arguments).out.partition("\n\n")[0]
    return [line.partition(": ")[0] for line in out.splitlines()]


def test_hidden_folders_are_left_out(folder):
    assert read(".") == ["a.xml", "build/d.xml", "node_modules/x/e.xml", "old.xml", "sub/b.xml"]
    assert read("--no-ignore", ".") == [".hidden/c.xml", *read(".")]
    assert read(".hidden") == [".hidden/c.xml"]  # it was asked for
    assert read(".hidden/c.xml") == [".hidden/c.xml"]


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (["build"], ["a.xml", "node_modules/x/e.xml", "old.xml", "sub/b.xml"]),
        (["build/", "node_modules"], ["a.xml", "old.xml", "sub/b.xml"]),
        (["*d*", "o*.xml"], ["a.xml", "sub/b.xml"]),
        (["sub/b.xml", "node_modules/x"], ["a.xml", "build/d.xml", "old.xml"]),
        (["*.xml"], []),
    ],
)
def test_excluded_names(folder, patterns, expected):
    options = [part for pattern in patterns for part in ("--exclude", pattern)]
    assert read(*options, ".") == (expected or ["."])
    if expected:
        assert read(*options, str(folder)) == [str(folder / name) for name in expected]


def test_a_file_with_the_name_of_standard_input(folder):
    (folder / "-").write_text(WHOLE, "utf-8")
    assert read("--include", "-", "--exclude", "*.xml", ".") == ["./-"]


def test_include_and_exclude(folder):
    assert read("--include", "*.txt", "--exclude", "?.xml", ".") == ["f.txt", "old.xml"]


@needs_git
def test_what_git_ignores_is_left_out(repository):
    assert read(".") == ["a.xml", "old.xml", "sub/b.xml"]
    assert read("sub") == ["sub/b.xml"]
    assert read("build") == ["build/d.xml"]  # it was asked for
    assert len(read("--no-ignore", ".")) == 6
    git("add", "-f", "build/d.xml", "old.xml")
    (repository / "old.xml").unlink()
    assert read(".") == ["a.xml", "build/d.xml", "sub/b.xml"]
    assert ".git" not in run_command("check", "--no-ignore", ".", "--include", "HEAD").err


@needs_git
def test_repositories_in_repositories(repository):
    git("init", "-q", "sub")
    (repository / "sub/.gitignore").write_text("g.xml\n", "utf-8")
    (repository / "sub/g.xml").write_text(WHOLE, "utf-8")
    assert read(".") == ["a.xml", "old.xml", "sub/b.xml"]


@needs_git
def test_no_program_of_a_repository_is_run(repository):
    program = repository / "program"
    program.write_text("#!/bin/sh\ntouch was-run\n", "utf-8")
    program.chmod(0o755)
    git("config", "core.fsmonitor", str(program))
    assert read(".")
    run_command("repair", "--in-place", ".")
    assert not (repository / "was-run").exists()


def test_without_git(repository, monkeypatch):
    """Nothing is known of what is ignored, but hidden folders are."""
    monkeypatch.setenv("PATH", str(repository))
    assert read(".") == ["a.xml", "build/d.xml", "node_modules/x/e.xml", "old.xml", "sub/b.xml"]


test_without_git = needs_git(test_without_git)


@needs_git
@pytest.mark.parametrize("form", ["sha1", "sha256"])
def test_backup(folder, form):
    """None is written of a file that is committed as it is."""
    git("init", "-q", f"--object-format={form}")
    for name in ("a.xml", "old.xml", "sub/b.xml"):
        (folder / name).write_text(BROKEN, "utf-8")
    git("add", "a.xml", "old.xml")
    git("commit", "-q", "-m", "all")
    (folder / "old.xml").write_text(BROKEN + " ", "utf-8")
    status, _, err = run_command("repair", "--in-place", "a.xml", "old.xml", "sub/b.xml")
    assert status == 0
    assert err.splitlines()[0] == "xml5tree: a.xml: 1 error repaired"
    assert (folder / "a.xml").read_text("utf-8") == REPAIRED
    beside = {path.name for path in folder.rglob("*.[or]*") if path.suffix in {".orig", ".repairs"}}
    assert beside == {"old.xml.orig", "old.xml.repairs", "b.xml.orig", "b.xml.repairs"}


@needs_git
def test_backup_as_asked(repository):
    for name in ("a.xml", "old.xml"):
        (repository / name).write_text(BROKEN, "utf-8")
    git("add", ".")
    git("commit", "-q", "-m", "all")
    assert run_command("repair", "--in-place", "--backup", "a.xml").status == 0
    (repository / "sub/b.xml").write_text(BROKEN, "utf-8")
    assert run_command("repair", "--in-place", "--no-backup", "sub/b.xml").status == 0
    assert sorted(path.name for path in repository.rglob("*.orig")) == ["a.xml.orig"]
    status, _, err = run_command("repair", "--no-backup", "a.xml")
    assert (status, "need --in-place" in err) == (3, True)


@needs_git
@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
def test_a_patch_of_several_files(repository, jobs):
    for name in ("a.xml", "sub/b.xml"):
        (repository / name).write_text(BROKEN, "utf-8")
    status, out, _ = run_command("repair", "--edits", "patch", jobs, ".")
    assert status == 0
    (repository / "all.patch").write_text(out, "utf-8")
    git("apply", "all.patch")
    assert [(repository / name).read_text("utf-8") for name in ("a.xml", "sub/b.xml")] == [REPAIRED] * 2
    assert run_command("repair", "--edits", "json", ".").status == 3
