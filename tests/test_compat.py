"""The runners in `compat/`: suites and software that are not ours."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.cases import one_in

REPOSITORY = Path(__file__).parent.parent
#: Those that take seconds; .ci/run runs the others.
RUNNERS = ["corpus", "cpython_etree", "cpython_sax", "html5lib_tests", "lxml_tests", "peers", "xml5ever", "xml5lib"]


def run(*arguments, **environment):
    return subprocess.run(
        [sys.executable, *arguments], cwd=REPOSITORY, env=os.environ | environment, capture_output=True, text=True
    )


@pytest.mark.parametrize("name", one_in(3, RUNNERS))
def test_runner(name):
    result = run("-m", "compat", "--quick", name)
    if result.returncode == 77:
        pytest.skip(result.stdout)
    assert result.returncode == 0, result.stdout + result.stderr
    assert f"{name} passed" in result.stdout


def test_table_of_peers_in_the_documentation():
    """The table is that of the runner, as far as it was made with the same versions."""
    documented = (REPOSITORY / "docs" / "internals" / "compat.md").read_text("utf-8")
    table = run("-m", "compat.peers").stdout
    heading = table.partition("\n")[0]
    if heading not in documented:
        pytest.skip(f"docs/internals/compat.md has the table of other versions than these: {heading}")
    assert table in documented


REPORT = """
from compat import expected
print(expected.report({"a": "detail", "b": "detail"}, {"b": "reason", "c": "gone"}))
print(expected.report({"b": "detail"}, {"b": "reason"}))
"""


def test_lists_of_differences_must_be_right_in_both_directions():
    assert run("-c", REPORT).stdout.splitlines() == [
        "a is not listed:",
        "detail",
        "c is listed, but is none any more: gone",
        "False",
        "True",
    ]


def test_tree_construction(tmp_path):
    """Our own cases in the suite's format."""
    shutil.copy(REPOSITORY / "tests" / "data" / "tree_construction.dat", tmp_path)
    result = run("-m", "compat.xml5lib", XML5LIB_TESTS=str(tmp_path))
    assert result.stdout == "5 cases in 1 files (tree_construction.dat); 0 differ: {}\n"
    assert result.returncode == 0


def test_tree_construction_that_differs(tmp_path):
    (tmp_path / "wrong.dat").write_text("#data\n<a>x\n#document\n| <a>\n")
    result = run("-m", "compat.xml5lib", XML5LIB_TESTS=str(tmp_path))
    assert "wrong.dat#0 tree is not listed" in result.stdout
    assert result.returncode == 1
