"""The tokenizer cases of xml5lib-tests, whole and cut in two everywhere; deviations exactly as listed."""

import pytest
from support.splits import splits
from support.tokens import in_suite_form, tokenize_in_pieces
from support.xml5lib import NO_SUITE, find_suite, read_deviations, read_tokenizer_cases, split_errors

import xml5tree

SUITE = find_suite()
DEVIATIONS = read_deviations()


def without_correctness(token):
    """The suite's DOCTYPE tokens carry HTML's force-quirks flag, of which XML5 knows nothing."""
    return token[:4] if token[0] == "DOCTYPE" else token


@pytest.mark.skipif(SUITE is None, reason=NO_SUITE)
@pytest.mark.parametrize("path", sorted(SUITE.glob("*.test")) if SUITE else [], ids=lambda path: path.name)
def test_tokenizer_suite(path):
    wrong = []
    for case in read_tokenizer_cases(path):
        expected, expected_errors = split_errors(case.expected)
        errors = []
        actual = list(xml5tree.tokenize(case.input, on_error=errors.append))
        got, _ = split_errors(map(in_suite_form, actual))
        got_errors = sum(error.kind == "parse-error" for error in errors)
        if got != [without_correctness(token) for token in expected]:
            result = "tokens"
        elif got_errors != expected_errors:
            result = "errors"
        else:
            result = None
        deviation = DEVIATIONS.get(case.name)
        allowed = deviation.kind if deviation else None
        if result != allowed:
            wrong.append(
                f"{case.name} ({case.description}): {case.input!r}\n  expected {case.expected}\n"
                f"  got {got}, {[error.code for error in errors]}\n  differs in {result}, listed: {allowed}"
            )
        for pieces in splits(case.input):
            assert tokenize_in_pieces(pieces) == (actual, sorted(errors, key=lambda error: error.offset)), pieces
    assert not wrong, "\n".join(wrong)


@pytest.mark.skipif(SUITE is None, reason=NO_SUITE)
def test_every_listed_deviation_exists():
    cases = {case.name for path in SUITE.glob("*.test") for case in read_tokenizer_cases(path)}
    listed = {name for name in DEVIATIONS if name.split("#")[0] in {path.name for path in SUITE.glob("*.test")}}
    assert listed <= cases
