"""The runners in `compat/`: suites and software that are not ours."""

import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parent.parent
RUNNERS = ["cpython_etree", "lxml_tests", "xmlconf"]


def run(*arguments):
    return subprocess.run([sys.executable, *arguments], cwd=REPOSITORY, capture_output=True, text=True)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", RUNNERS)
def test_runner(name):
    result = run("-m", "compat", "--quick", name)
    if result.returncode == 77:
        pytest.skip(result.stdout)
    assert result.returncode == 0, result.stdout + result.stderr
    assert f"{name} passed" in result.stdout


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
