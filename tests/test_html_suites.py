"""html5lib-tests at the revisions that belong to the two texts, and the cases that are in no revision of it.

Tokens, number and order of errors must be exactly those of the suite: whole, by character, and cut in two everywhere.
"""

import pytest
from support.html import NO_SUITE, find_suite, read_cases, tokenize_in_pieces, unescape
from support.splits import splits
from support.suites import cases_of
from support.xml5lib import normalise

SUITE = find_suite()
RUNS = [
    (revision, run)
    for revision in ("12.2.4", "2008")
    for path in (sorted((SUITE / revision).glob("*.test")) if SUITE else [])
    for run in read_cases(path)
]

#: Runs for 2008 that expect the name "" where the draft says "missing" (H-072).
EMPTY_NAMES = {"test2.test#0", "test3.test#27", "test3.test#28"}


@pytest.mark.skipif(SUITE is None, reason=NO_SUITE)
def test_suite_is_there():
    assert RUNS


@pytest.mark.parametrize(
    ("revision", "run"), [pytest.param(*entry, id=f"{entry[0]}-{entry[1].name}") for entry in RUNS]
)
def test_run(revision, run):
    if revision == "2008" and run.name in EMPTY_NAMES:
        pytest.skip("expects an empty name where the draft has none (H-072)")
    options = {"initial_state": run.initial_state, "last_start_tag": run.last_start_tag, "content_models": False}
    whole, log = tokenize_in_pieces([run.input], revision=revision, **options)
    if run.ignore_error_order:
        assert sorted(map(str, whole)) == sorted(map(str, run.expected))
    else:
        assert whole == run.expected
    for pieces in [list(run.input), *splits(run.input)]:
        assert tokenize_in_pieces(pieces, revision=revision, **options) == (whole, log), pieces


def test_cases_of_no_revision():
    cases = cases_of("html_cases.json")["cases"]
    assert len(cases) == 89
    for case in cases:
        text = unescape(case["input"])
        for revision, wanted in case["expected"].items():
            options = {
                "revision": revision,
                "last_start_tag": case["last_start_tag"],
                "scripting": case["scripting"],
                "content_models": case["feedback"],
            }
            if case["state"] != "data":
                # The draft calls RAWTEXT so.
                state = "CDATA" if (revision, case["state"]) == ("2008", "RAWTEXT") else case["state"]
                options["initial_state"] = state
            expected = [in_our_form(token) for token in unescape(wanted["tokens"])], wanted["errors"]
            for pieces in [[text], list(text), *splits(text)][:300]:
                tokens, log = tokenize_in_pieces(pieces, **options)
                found = normalise(token for token in tokens if token != "ParseError")
                assert (found, [[entry.code, entry.offset] for entry in log]) == expected, (case["name"], pieces)


def in_our_form(token):
    """A token of these cases as the suite writes it: with what is missing left out, and a DOCTYPE's flag turned."""
    if token[0] == "StartTag":
        return token if token[3] else token[:3]
    return [*token[:4], not token[4]] if token[0] == "DOCTYPE" else token
