"""Our own tokenizer cases of HTML: every state of both revisions, whole and cut in two everywhere.

The files are in the format of html5lib-tests, with three more keys: "state", the section that the case is about,
"options" of `tokenize`, and "errors", codes and offsets.
"""

import json
import pathlib
import re
import sys
from types import FunctionType

import pytest
from support.cases import each_case
from support.html import in_suite_form, tokenize_in_pieces
from support.splits import splits
from support.xml5lib import REPOSITORY

import xml5tree
from xml5tree.dialects.doctype import ROWS, DoctypeStates
from xml5tree.dialects.html import draft2008, references, states, text_states
from xml5tree.dialects.html.codes import CODES

DATA = pathlib.Path(__file__).parent / "data" / "html"
REVISIONS = {"12.2.4": "states.test", "2008": "draft2008.test"}
CASES = [
    (revision, case)
    for revision, file in REVISIONS.items()
    for case in json.loads((DATA / file).read_text("ascii"))["tests"]
]
#: The states' sections; the file also has the other sections that are cited.
HEADINGS = re.findall(r"^(12\.2\.4\.\d+) (.+)$", (DATA / "headings.txt").read_text("ascii"), re.MULTILINE)
TEXT = REPOSITORY.parent / "shared" / "spec" / "html-tokenization.txt"
#: The states for markup and the DOCTYPE that the draft does not have in common with 12.2.4.
OWN = {
    *("after_attribute_value_quoted_state", "after_doctype_public_keyword_state", "after_doctype_system_keyword_state"),
    *("between_doctype_public_and_system_identifiers_state", "cdata_section_state", "comment_end_bang_state"),
    *("character_reference_in_attribute_value_state", "character_reference_in_data_state", "end_tag_open_state"),
    *("self_closing_start_tag_state", "data_state", "tag_open_state"),
}


@each_case(
    ("revision", "case"),
    [pytest.param(revision, case, id=f"{revision}-{case['state']}-{case['description']}") for revision, case in CASES],
)
def test_state(revision, case):
    options = case.get("options", {})
    expected = case["output"], case["errors"]
    for pieces in [list(case["input"]), *splits(case["input"])]:
        found, log = tokenize_in_pieces(pieces, revision=revision, **options)
        assert (found, [[entry.code, entry.offset] for entry in log]) == expected, pieces
    errors = []
    tokens = xml5tree.tokenize(case["input"], dialect="html", revision=revision, on_error=errors.append, **options)
    assert [in_suite_form(token) for token in tokens] == without_errors(case["output"])
    assert [[entry.code, entry.offset] for entry in errors] == case["errors"]


def without_errors(output):
    """The tokens alone; the characters before and after an error are one token."""
    result = []
    for token in output:
        if token == "ParseError":
            continue
        if token[0] == "Character" and result and result[-1][0] == "Character":
            result[-1] = ["Character", result[-1][1] + token[1]]
        else:
            result.append(token)
    return result


def functions(*owners):
    """The functions of modules and classes that are states, in the order in which they stand there."""
    return [
        function
        for owner in owners
        for name, function in vars(owner).items()
        if isinstance(function, FunctionType) and name.endswith("_state")
        if owner in (DoctypeStates, sys.modules[function.__module__])
    ]


#: The sections and titles of states that are rows of a table, in the order in which they stand there.
ROWS_OF_TEXT = [(number, f"{title} state") for number, title in (row.split(" ", 1) for row in text_states._ROWS)]
ROWS_OF_DOCTYPE = [re.match(r"§[\d.]+, §([\d.]+) (.+)", row).groups() for row in ROWS]


def snake_case(title):
    return re.sub("[^a-z0-9]+", "_", title.lower()).strip("_")


CITED = re.compile(r"(?:§1\.3\.\d+, )?§(12\.2\.4\.\d+) (.+?)(?:\.|; .+\.?| \(H-.+)")


def in_text(title):
    """A title of a state of the DOCTYPE as the text has it; XML5 has the plural."""
    return title.replace("After DOCTYPE system identifiers", "After DOCTYPE system identifier")


def test_states_are_those_of_the_text_in_its_order():
    cited = {}
    for owner in (states, text_states, DoctypeStates):
        of_functions = []
        for function in functions(owner):
            match = CITED.fullmatch(function.__doc__.splitlines()[0])
            assert match, function.__name__
            assert function.__name__ == snake_case(match[2])
            of_functions.append(match.groups())
        for found in (of_functions, ROWS_OF_TEXT):
            numbers = [int(number.rpartition(".")[2]) for number, _ in found]
            assert numbers == sorted(numbers)
            cited.update(found)
    cited.update(ROWS_OF_DOCTYPE)  # whose order is XML5's
    match = CITED.fullmatch(references.consume_reference.__doc__.splitlines()[0])
    cited[match[1]] = match[2]
    assert {number: in_text(title) for number, title in cited.items()} == dict(HEADINGS)
    assert len(HEADINGS) == 69


@pytest.mark.skipif(not TEXT.is_file(), reason="the text is not found: put it in ../shared/spec/html-tokenization.txt")
def test_headings_are_those_of_the_text():
    assert re.findall(r"^(12\.2\.4\.\d+) (.+)$", TEXT.read_text("utf-8"), re.MULTILINE) == HEADINGS


def test_every_section_of_the_text_has_cases():
    assert {case["state"] for revision, case in CASES if revision == "12.2.4"} == {
        *(number for number, _ in HEADINGS),
        "content models",
    }


def test_every_state_of_the_draft_has_cases_and_its_title():
    titles = []
    for function in functions(draft2008, states, DoctypeStates):
        title = re.match(r"(?:(?:§1\.3\.\d+, )?§[\d.]+ )?(.+? state)[.;]", function.__doc__)[1]
        assert function.__name__ == snake_case(title)
        if function.__module__ == draft2008.__name__ or function.__name__ not in OWN:
            titles.append(in_text(title))
    titles += [title for _, title in sorted(ROWS_OF_DOCTYPE) if snake_case(title) not in OWN and title not in titles]
    titles += ["Entity data state", "Entity in attribute value state"]  # of `states`, by their names in the draft
    assert len(titles) == 33
    assert {case["state"] for revision, case in CASES if revision == "2008"} == {*titles, "Consuming an entity"}


def test_every_code_of_the_tokenizers_is_reported():
    reported = {code for _, case in CASES for code, _ in case["errors"]}
    tree = {code for code in CODES if code.startswith("coerced-")}
    tree |= {"html-tree-construction", "invalid-byte-sequence", "invalid-doctype-name", "invalid-public-identifier"}
    of_files = {"not-xml", "damaged-compression"}
    assert reported == CODES.keys() - tree - of_files - {"max-depth-exceeded"}


#: An attribute in all the ways that it is written, and almost written.
ATTRIBUTES = [
    "", " b", " b=c", ' b="c"', " b='c'", ' b="c&amp;d"', " b=c&amp;d", " b=/c/", " b=c/", " b=c'd", ' b=c"', " b==",
    " b=", ' b=""', " b= c", " b =c", " B=c", " b=\0", " b=`c", ' b=">"', " b=c<d", ' b="c"d', ' b="1" b', " b=1 b=2",
    " b c d=e", " b/", "/b", " b\n\tc=d\f", " b-c:d_e=f", " é=c", " b=é", " b=&#99;",
]  # fmt: skip


@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_whole_tags_are_what_the_states_make_of_them(attribute):
    """Clean tags are read by a pattern where they are there in one piece, and else by the states."""
    for end in (">", "/>", " >", " />", "", "/", ' b="9">', " x>"):
        text = f"<p>t<a{attribute}{end}u</a{attribute}{end}v"
        assert tokenize_in_pieces([text]) == tokenize_in_pieces(list(text)), text
