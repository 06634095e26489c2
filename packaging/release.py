"""Cut a release, or find out what would hold it up; see packaging/release.md.

usage: python packaging/release.py [--quick] [--upload | --set VERSION]

Without options, a dry run: the versions agree, nothing is uncommitted, and what is built here works in empty
environments of each Python that is found. --quick: with a tenth of the tests. --upload: then push the tag that has the
release published. --set: only write a version into the files that have it.
"""

import argparse
import datetime
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
#: Where the version stands.
VERSIONS = {
    "pyproject.toml": r'^version = "(.+)"$',
    "xml5tree/__init__.py": r'^__version__ = "(.+)"$',
    "packaging/conda/recipe.yaml": r'^  version: "(.+)"$',
}
CHANGELOG = "docs/changelog.md"


def set_version(root: Path, version: str) -> None:
    """Write a version into all files that have it, and name the unreleased changes after it."""
    places = {**VERSIONS, CHANGELOG: "^## (Unreleased)$"}
    for name, pattern in places.items():
        text = (root / name).read_text("utf-8")
        value = f"{version} - {datetime.date.today()}" if name == CHANGELOG else version
        if match := re.search(pattern, text, re.MULTILINE):
            (root / name).write_text(text[: match.start(1)] + value + text[match.end(1) :], "utf-8")


def problems(root: Path) -> list[str]:
    """Return what is wrong with the files of a release."""
    texts = {name: (root / name).read_text("utf-8") for name in VERSIONS}
    versions = {name: re.findall(VERSIONS[name], text, re.MULTILINE) for name, text in texts.items()}
    found = []
    version = "".join(versions["pyproject.toml"])
    if any(value != [version] for value in versions.values()):
        found.append(
            "the versions differ: " + ", ".join(f"{', '.join(have)} in {name}" for name, have in versions.items())
        )
    heading = re.search("^## (.+)$", (root / CHANGELOG).read_text("utf-8"), re.MULTILINE)
    if heading is None or not re.fullmatch(rf"{re.escape(version)} - \d{{4}}-\d\d-\d\d", heading[1]):
        begin = "has no version" if heading is None else f"begins with {heading[1]!r}"
        found.append(f"{CHANGELOG} {begin}, not with '{version} - {datetime.date.today()}'")
    if changed := git(root, "status", "--porcelain"):
        found.append("uncommitted: " + ", ".join(line[3:] for line in changed.splitlines()))
    if git(root, "tag", "--list", f"v{version}"):
        found.append(f"the tag v{version} is there already")
    return found


def relative_links(archive: Path) -> list[str]:
    """Return the links of a source distribution's long description that lead nowhere on the index's page."""
    with tarfile.open(archive) as files:
        member = next(name for name in files.getnames() if name.count("/") == 1 and name.endswith("/PKG-INFO"))
        text = files.extractfile(member).read().decode()  # type: ignore[union-attr]
    return re.findall(r"\]\((?!https?://|#)([^)]*)\)", text)


def git(root: Path, *arguments: str) -> str:
    """Return the output of a command of git."""
    return subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True).stdout.rstrip()


def build_and_try(dist: Path, *, quick: bool) -> list[str]:
    """Build the distributions into a folder and try them; return what is wrong with them."""
    with tempfile.TemporaryDirectory() as folder:
        python = Path(folder) / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "build", "twine"], check=True)
        steps = {
            "they cannot be built, or do not run where they are installed": [ROOT / ".ci/install", python, dist],
            "tests fail where they are installed": [
                ROOT / ".ci/pythons", "--dist", dist, *([] if quick else ["--all"]),
            ],
            "their metadata are not in order": [python, "-m", "twine", "check", "--strict", "DIST"],
        }  # fmt: skip
        found = []
        for problem, command in steps.items():
            files = sorted(dist.glob("xml5tree-*"))
            words = [word for part in command for word in (files if part == "DIST" else [part])]
            print("==", *map(str, words), flush=True)
            if subprocess.run(words, cwd=ROOT).returncode:
                found.append(f"the distributions: {problem}")
                break
        else:
            [archive] = dist.glob("*.tar.gz")
            if links := relative_links(archive):
                found.append(f"the long description links to {', '.join(links)}")
    return found


def main() -> None:
    """See above."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--upload", action="store_true")
    what.add_argument("--set", metavar="VERSION")
    options = parser.parse_args()
    if options.set:
        set_version(ROOT, options.set)
        return
    found = problems(ROOT)
    if not (found and options.upload):
        dist = ROOT / "dist"
        dist.mkdir(exist_ok=True)
        for old in dist.glob("xml5tree-*"):
            old.unlink()
        found += build_and_try(dist, quick=options.quick)
    if found:
        sys.exit("\n".join(["NOT READY:", *found]))
    [version] = re.findall(VERSIONS["pyproject.toml"], (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    if not options.upload:
        print(f"Version {version} is ready, in dist/. Nothing was uploaded; --upload does that.")
        return
    git(ROOT, "tag", "-s", f"v{version}", "-m", f"v{version}")
    git(ROOT, "push", "--atomic", "origin", "HEAD:main", f"v{version}")
    print(f"v{version} was pushed. Approve the environment 'release' of the workflow 'wheels' once its jobs are green.")


if __name__ == "__main__":
    main()
