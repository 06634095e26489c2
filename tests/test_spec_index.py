"""The states of the tokenizer are those of the draft: its numbers and titles, all of them, in its order."""

import pathlib
import re
from types import FunctionType

import pytest
from support.xml5lib import REPOSITORY

from xml5tree.dialects.doctype import ROWS, DoctypeStates
from xml5tree.dialects.xml5 import states
from xml5tree.dialects.xml5.doctype import doctype_state

DRAFT = REPOSITORY.parent / "shared" / "spec" / "xml5.txt"
HEADINGS = [
    tuple(line.split(" ", 1))
    for line in (pathlib.Path(__file__).parent / "data" / "headings.txt").read_text("utf-8").splitlines()
]
FUNCTIONS = [
    function
    for owner in (states, DoctypeStates, type(doctype_state.__self__))
    for name, function in vars(owner).items()
    if isinstance(function, FunctionType) and not name.startswith("_")
    if owner is not states or function.__module__ == states.__name__
]
CITED = re.compile(r"§([\d.]+\d)(?:, §[\d.]+\d)? (.+?)(?:\.|; .+\.?| \(D-.+)")


def first_line(function):
    return function.__doc__.splitlines()[0]


def test_docstrings_and_rows_cite_the_headings():
    cited = [CITED.fullmatch(first_line(function)) for function in FUNCTIONS if function.__doc__.startswith("§")]
    of_functions = [match and match.groups() for match in cited]
    of_rows = [re.match(r"§([\d.]+), §[\d.]+ (.+)", section).groups() for section in ROWS]
    headings = [(number, title) for number, title in HEADINGS if number.startswith("1.3.")]
    for found in (of_functions, of_rows):
        assert found == [heading for heading in headings if heading in found]
    assert sorted(of_functions + of_rows) == sorted(headings)


def test_names_are_the_titles():
    for function in FUNCTIONS:
        match = CITED.fullmatch(first_line(function))
        if match:
            assert function.__name__ == re.sub("[^a-z0-9]+", "_", match[2].lower())


def test_states_that_the_draft_lacks_cite_a_decision():
    for function in FUNCTIONS:
        if not function.__doc__.startswith("§"):
            assert re.search(r"which the draft lacks.*\(D-\d{3}\)", first_line(function)), function.__name__


@pytest.mark.skipif(not DRAFT.is_file(), reason="the draft is not found: put its text in ../shared/spec/xml5.txt")
def test_headings_are_those_of_the_draft():
    found = re.findall(r"^(\d+(?:\.\d+)*)\. (.+)$", DRAFT.read_text("utf-8"), re.MULTILINE)
    assert found == HEADINGS
