"""The script that cuts releases: what it finds wrong before it builds anything, and what it writes."""

import datetime
import importlib.util
import io
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SPEC = importlib.util.spec_from_file_location("release", ROOT / "packaging/release.py")
release = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(release)

TODAY = datetime.date.today()
FILES = [*release.VERSIONS, release.CHANGELOG]
needs_git = pytest.mark.skipif(not shutil.which("git"), reason="git is needed")


def commit(root):
    name = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    release.git(root, "add", ".")
    release.git(root, *name, "commit", "-q", "--allow-empty", "-m", "release: 1.2.3")


@pytest.fixture
def repository(tmp_path):
    """The files that have the version, ready for release 1.2.3."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    text = (tmp_path / release.CHANGELOG).read_text("utf-8")
    (tmp_path / release.CHANGELOG).write_text(re.sub("(?m)^## .+$", "## Unreleased", text, count=1), "utf-8")
    release.set_version(tmp_path, "1.2.3")
    commit(tmp_path)
    return tmp_path


def edit(root, name, old, new):
    path = root / name
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")


@needs_git
def test_nothing_is_wrong(repository):
    assert release.problems(repository) == []


@needs_git
@pytest.mark.parametrize("name", release.VERSIONS)
@pytest.mark.parametrize("other", ["1.2.4", None])
def test_versions_that_differ(repository, name, other):
    line = next(line for line in (repository / name).read_text("utf-8").splitlines() if "1.2.3" in line)
    edit(repository, name, line, line.replace("1.2.3", other) if other else "")
    commit(repository)
    found = release.problems(repository)
    assert found[0].startswith("the versions differ: ")
    assert f"{other or ''} in {name}" in found[0]


@needs_git
@pytest.mark.parametrize("heading", ["Unreleased", "1.2.3", f"1.2.30 - {TODAY}", f"1x2.3 - {TODAY}"])
def test_changelog_of_another_version(repository, heading):
    edit(repository, release.CHANGELOG, f"## 1.2.3 - {TODAY}", f"## {heading}")
    commit(repository)
    assert release.problems(repository) == [
        f"docs/changelog.md begins with {heading!r}, not with '1.2.3 - {TODAY}'",
    ]


@needs_git
def test_uncommitted_files_and_a_tag_of_the_version(repository):
    (repository / "new.py").write_text("")
    edit(repository, "pyproject.toml", "[build-system]", "[build-system]\n")
    release.git(repository, "tag", "v1.2.3")
    assert release.problems(repository) == ["uncommitted: pyproject.toml, new.py", "the tag v1.2.3 is there already"]


@needs_git
def test_nothing_is_built_for_an_upload_that_is_not_ready(repository, monkeypatch):
    """And nothing is pushed."""
    (repository / "new.py").write_text("")
    monkeypatch.setattr(release, "ROOT", repository)
    monkeypatch.setattr(release, "build_and_try", lambda *args, **named: pytest.fail("built"))
    monkeypatch.setattr("sys.argv", ["release.py", "--upload"])
    with pytest.raises(SystemExit, match=r"^NOT READY:\nuncommitted: new.py$"):
        release.main()


@needs_git
@pytest.mark.parametrize("options", [[], ["--quick"], ["--upload"], ["--set", "1.2.4"]])
def test_only_an_upload_pushes(repository, monkeypatch, options):
    real, changes, built = release.git, [], []

    def git(root, *arguments):
        if arguments[:2] in {("status", "--porcelain"), ("tag", "--list")}:
            return real(root, *arguments)
        return changes.append(arguments)

    monkeypatch.setattr(release, "ROOT", repository)
    monkeypatch.setattr(release, "git", git)
    monkeypatch.setattr(release, "build_and_try", lambda dist, quick: built.append(quick) or [])
    monkeypatch.setattr("sys.argv", ["release.py", *options])
    release.main()
    assert built == ([] if "--set" in options else ["--quick" in options])
    pushed = [("tag", "-s", "v1.2.3", "-m", "v1.2.3"), ("push", "--atomic", "origin", "HEAD:main", "v1.2.3")]
    assert changes == (pushed if "--upload" in options else [])


def test_links_of_the_long_description(tmp_path):
    text = "[a](https://example.org/) [b](#b) ![c](docs/c.svg) [d](docs/d.md)"
    archive = tmp_path / "xml5tree-1.2.3.tar.gz"
    with tarfile.open(archive, "w:gz") as files:
        for name in ("xml5tree-1.2.3/tests/PKG-INFO", "xml5tree-1.2.3/PKG-INFO"):
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            files.addfile(entry, io.BytesIO(text.encode()))
    assert release.relative_links(archive) == ["docs/c.svg", "docs/d.md"]
