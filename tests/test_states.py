"""Our own tokenizer cases: every state of the draft, whole and cut in two everywhere, tokens and error codes.

`xml5tree.tokenize` uses no other reader than the states; trees are asked of both in test_decisions.py.

The files are in the format of xml5lib-tests, with two more keys: "state", the section of the draft or the decision
that the case is about, and "errors", the codes of all kinds in document order.
"""

import json
import pathlib
import re

import pytest
from support.cases import each_case, one_in
from support.splits import splits
from support.tokens import in_suite_form, tokenize_in_pieces
from support.xml5lib import split_errors

import xml5tree

FILES = sorted((pathlib.Path(__file__).parent / "data").glob("*.test"))
CASES = [(path.stem, case) for path in FILES for case in json.loads(path.read_text("ascii"))["tests"]]


@each_case("case", [pytest.param(case, id=f"{file}-{case['state']}-{case['description']}") for file, case in CASES])
def test_state(case):
    errors = []
    actual = list(xml5tree.tokenize(case["input"], on_error=errors.append))
    errors.sort(key=lambda error: error.offset)
    tokens, parse_errors = split_errors(case["output"])
    assert [in_suite_form(token) for token in actual] == tokens
    assert [error.code for error in errors] == case["errors"]
    assert sum(error.kind == "parse-error" for error in errors) == parse_errors
    for pieces in [*one_in(2, splits(case["input"])), list(case["input"])]:
        assert tokenize_in_pieces(pieces) == (actual, errors), pieces


def test_every_state_of_the_draft_has_cases():
    states = {case["state"] for _, case in CASES}
    assert {f"1.3.{number}" for number in range(1, 52)} <= states


#: Codes by what stands in the input at the place of the error.
PLACES = {
    "&": [
        "absence-of-digits-in-numeric-character-reference",
        "character-reference-outside-unicode-range",
        "control-character-reference",
        "missing-semicolon-after-character-reference",
        "noncharacter-character-reference",
        "null-character-reference",
        "surrogate-character-reference",
        "undeclared-entity-reference",
        "unescaped-ampersand",
        "unknown-named-character-reference",
        "uppercase-x-in-character-reference",
    ],
    "<": ["invalid-first-character-of-tag-name", "less-than-sign-in-attribute-value", "unclosed-doctype"],
    "<!": ["abrupt-closing-of-empty-comment", "bogus-declaration-in-doctype", "incorrectly-opened-comment"],
    "</>": ["missing-end-tag-name"],
    "/": ["end-tag-with-trailing-solidus", "unexpected-solidus-in-tag"],
    "?": ["missing-whitespace-after-pi-target"],
    ":": ["colon-before-attr"],
    "]]>": ["cdata-end-in-text"],
    ">": ["abrupt-doctype-public-identifier", "abrupt-doctype-system-identifier", "incorrectly-closed-comment"],
    "\0": ["unexpected-null-character"],
}
PLACE_OF = {code: characters for characters, codes in PLACES.items() for code in codes}


def test_errors_are_where_they_belong():
    seen = set()
    for _, case in CASES:
        text = case["input"]
        # What comes out of an entity or an attribute's default is elsewhere, and newlines are normalised.
        if not re.search("<!ENTITY|<!ATTLIST|\r", text):
            errors = []
            list(xml5tree.tokenize(text, on_error=errors.append))
            for error in errors:
                seen.add(error.code)
                assert text.startswith(PLACE_OF.get(error.code, ""), error.offset), (text, error)
                if error.code.startswith("eof-"):
                    assert error.offset == len(text), (text, error)
    assert PLACE_OF.keys() <= seen
