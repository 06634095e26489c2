"""The examples of the documentation do what they say."""

import ast
import contextlib
import doctest
import importlib.util
import io
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from unittest import mock

import pytest
from support.commands import run_command
from support.packages import NEEDED

import xml5tree

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
BLOCK = re.compile(r"^```(?:python|pycon)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^()\s]+)\)")
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)

#: What a command has if it needs a shell.
SHELL = frozenset("|&;<>()$`*?[]{}~#!\\")

each_page = pytest.mark.parametrize("page", [pytest.param(page, id=str(page.relative_to(ROOT))) for page in PAGES])


@pytest.fixture(autouse=True)
def beside_examples(tmp_path, monkeypatch):
    """Be in a folder with a copy of the example files."""
    shutil.copytree(ROOT / "docs/examples", tmp_path / "docs/examples")
    monkeypatch.chdir(tmp_path)


@each_page
def test_examples(page):
    """The blocks of a page run one after the other, with the same variables, beside a copy of the example files.

    A block without ``>>>`` need only be Python. A block that needs what is not installed is left out, but for its
    import of xml5tree.
    """
    variables = {"__name__": "__main__"}
    missing = {}
    for block in BLOCK.finditer(page.read_text("utf-8")):
        line = page.read_text("utf-8").count("\n", 0, block.start(1))
        if ">>>" not in block[1]:
            compile("\n" * line + block[1], page, "exec")
            continue
        test = doctest.DocTestParser().get_doctest(block[1], variables, page.name, str(page), line)
        absent = [name for name in imported_by(test) if importlib.util.find_spec(name) is None]
        if absent:
            missing[line] = absent
            if ">>> import xml5tree\n" in block[1]:
                variables["xml5tree"] = xml5tree
            continue
        report = []
        warnings.simplefilter("ignore", xml5tree.RowsWarning)  # which is not in what an example prints
        doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=report.append, clear_globs=False)
        assert not report, "".join(report)
        variables = test.globs
    if missing:
        lines = ", ".join(f"line {line} ({' and '.join(names)})" for line, names in missing.items())
        pytest.skip(f"examples were NOT RUN because what they import is not installed (extra 'compat'): {lines}")


@each_page
def test_no_example_is_overlooked(page):
    assert ">>> " not in BLOCK.sub("", page.read_text("utf-8"))


@each_page
def test_commands(page, tmp_path, monkeypatch):
    """What ``console`` blocks show of a terminal is what the commands print, one after the other."""
    if shutil.which("bash") is None:
        pytest.skip("commands of the documentation were NOT RUN: no bash")
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, command in {"python": "", "xml5tree": "-m xml5tree "}.items():
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {command}"$@"\n')
        program.chmod(0o755)
    place = tmp_path / "place"
    shutil.move(tmp_path / "docs", place / "docs")
    monkeypatch.chdir(place)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "LC_ALL": "C.UTF-8"}
    for block in CONSOLE.finditer(page.read_text("utf-8")):
        commands = COMMAND.findall(block[1])
        assert "".join(f"$ {command}\n{output}" for command, output in commands) == block[1]
        for command, output in commands:
            shown = printed(command)
            if shown is None:
                done = subprocess.run(
                    ["bash", "-c", command],
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    timeout=60,
                )
                shown = done.stdout.decode()
            assert shown == output, command


def printed(command):
    """Return what a command of one program prints, run within this process; None where it takes a shell."""
    if SHELL.intersection(command):
        return None
    program, *arguments = shlex.split(command)
    if program == "xml5tree":
        return run_command(*arguments, together=True).out
    if program != "python":
        return None
    out = io.StringIO()
    with contextlib.redirect_stdout(out), mock.patch.object(sys, "argv", arguments):
        runpy.run_path(arguments[0], run_name="__main__")
    return out.getvalue()


#: What people search for, and the page that has all the words in a heading, so that the site's search has it first.
SOUGHT = {"never nest": "intent.md"}


@pytest.mark.parametrize("words", SOUGHT)
def test_what_people_search_for_is_in_a_heading(words):
    found = set()
    for page in (ROOT / "docs").glob("*.md"):
        headings = re.findall(r"^#+ .*", page.read_text("utf-8").lower(), re.MULTILINE)
        found |= {page.name for heading in headings if set(words.split()) <= set(re.findall(r"\w+", heading))}
    assert found == {SOUGHT[words]}


def test_picture_of_readme():
    draw_example = runpy.run_path(str(ROOT / "docs/draw_example.py"))
    drawn = draw_example["PICTURE"].read_text("utf-8")
    assert drawn == draw_example["picture"](), "run python docs/draw_example.py"


def test_first_command_of_readme():
    """The command writes the repaired half of the picture, and the message that is below it."""
    readme = (ROOT / "README.md").read_text("utf-8")
    command = re.search(r"^```sh\n.* && \S*/xml5tree (.*)\n```$", readme, re.MULTILINE)[1]
    done = run_command(*shlex.split(command))
    _, after = runpy.run_path(str(ROOT / "docs/draw_example.py"))["pieces"]()
    assert done.out == "".join(text for text, _ in after)
    assert f"```text\n{done.err}```" in readme


def test_links_of_readme():
    """Those of the other pages are checked where the site is made."""
    links = [link for link in LINK.findall((ROOT / "README.md").read_text("utf-8")) if not link.startswith("https://")]
    assert len(links) > 10
    assert [link for link in links if not (ROOT / link.partition("#")[0]).exists()] == []


@pytest.mark.parametrize("page", ["architecture.md", "contributing.md"])
def test_modules_that_developers_are_sent_to_exist(page):
    paths = re.findall(r"`([\w./-]+/[\w-]+\.(?:py|h|c))`", (ROOT / "docs/internals" / page).read_text("utf-8"))
    assert paths
    assert [path for path in paths if not any((ROOT / folder / path).exists() for folder in ("", "xml5tree"))] == []


@pytest.mark.parametrize(("start", "folder"), [("README.md", "docs"), ("docs/internals/index.md", "docs/internals")])
def test_every_page_is_linked(start, folder):
    """Users' pages from the README, makers' pages from the index of the internals."""
    links = LINK.findall((ROOT / start).read_text("utf-8"))
    pages = {page for page in (ROOT / folder).glob("*.md") if page.name != "index.md"}
    assert pages <= {(ROOT / start).parent / link.partition("#")[0] for link in links}


#: Packages that functions of xml5tree import.
IMPORTED = {
    **NEEDED,
    "parsel": ("parsel",),  # by the module xml5tree.integrations.parsel
    "langchain": ("langchain_core",),
    "xsdata": ("xsdata",),
}


def imported_by(test):
    """The packages that a block imports, or has imported."""
    for example in test.examples:
        for node in ast.walk(ast.parse(example.source)):
            if isinstance(node, ast.Attribute):
                yield from IMPORTED.get(node.attr, ())
            if isinstance(node, ast.Import):
                yield from (alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield node.module.partition(".")[0]
                yield from IMPORTED.get(node.module.rpartition(".")[2], ())
