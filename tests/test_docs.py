"""The examples of the documentation do what they say."""

import ast
import doctest
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", [pytest.param(page, id=str(page.relative_to(ROOT))) for page in PAGES])
def test_examples(page, tmp_path, monkeypatch):
    """The blocks of a page run one after the other, with the same variables, beside a copy of the example files.

    A block without ``>>>`` need only be Python. A block that imports what is not installed is left out.
    """
    shutil.copytree(ROOT / "docs/examples", tmp_path / "docs/examples")
    monkeypatch.chdir(tmp_path)
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
            continue
        report = []
        doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=report.append, clear_globs=False)
        assert not report, "".join(report)
        variables = test.globs
    if missing:
        lines = ", ".join(f"line {line} ({' and '.join(names)})" for line, names in missing.items())
        pytest.skip(f"examples were NOT RUN because what they import is not installed (extra 'compat'): {lines}")


def imported_by(test):
    """The packages that a block imports."""
    for example in test.examples:
        for node in ast.walk(ast.parse(example.source)):
            if isinstance(node, ast.Import):
                yield from (alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield node.module.partition(".")[0]


WITH_COMMANDS = [page for page in PAGES if CONSOLE.search(page.read_text("utf-8"))]


@pytest.mark.parametrize("page", [pytest.param(page, id=str(page.relative_to(ROOT))) for page in WITH_COMMANDS])
def test_commands(page, tmp_path):
    """What a page shows of a terminal is what the commands print, beside a copy of the example files."""
    if shutil.which("bash") is None:
        pytest.skip("commands of the documentation were NOT RUN: no bash")
    programs = tmp_path / "programs"
    programs.mkdir()
    command = programs / "xml5tree"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m xml5tree "$@"\n')
    command.chmod(0o755)
    place = tmp_path / "place"
    shutil.copytree(ROOT / "docs/examples", place / "docs/examples")
    environment = {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "LC_ALL": "C.UTF-8",
    }
    for block in CONSOLE.finditer(page.read_text("utf-8")):
        first, *examples = re.split(r"^\$ ", block[1], flags=re.MULTILINE)
        assert not first
        for example in examples:
            line, _, expected = example.partition("\n")
            done = subprocess.run(
                ["bash", "-c", line],
                cwd=place,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=60,
            )
            assert done.stdout == expected, line
