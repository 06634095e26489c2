"""The tokenizer cases of xml5lib-tests, whole and cut in two everywhere; deviations exactly as listed (see docs/spec.md)."""

import pytest
from support.splits import splits
from support.xml5lib import NO_SUITE, find_suite, read_deviations, read_tokenizer_cases, split_errors

import xml5tree
from xml5tree import tokens
from xml5tree.errors import Reporter
from xml5tree.inputstream import InputStream
from xml5tree.options import Settings
from xml5tree.tokenizer import make_tokenizer
from xml5tree.tokenizer.recorder import Recorder

SUITE = find_suite()
DEVIATIONS = read_deviations()


def in_suite_form(token):
    """A token as the suite writes it."""
    match token:
        case tokens.StartTag(name, attributes):
            return ["StartTag", name, attributes]
        case tokens.EmptyTag(name, attributes):
            return ["EmptyTag", name, attributes]
        case tokens.EndTag(name):
            return ["EndTag", name]
        case tokens.ShortEndTag():
            return ["ShortTag", ""]
        case tokens.Characters(data):
            return ["Character", data]
        case tokens.Comment(data):
            return ["Comment", data]
        case tokens.ProcessingInstruction(target, data):
            return ["PI", target, data]
        case tokens.Doctype(name, public_id, system_id):
            return ["DOCTYPE", name, public_id, system_id]


def without_correctness(token):
    """The suite's DOCTYPE tokens carry HTML's force-quirks flag, of which XML5 knows nothing."""
    return token[:4] if token[0] == "DOCTYPE" else token


def tokenize_in_pieces(pieces):
    """Tokens and parse errors of a text that is fed in pieces."""
    recorder = Recorder()
    reporter = Reporter(None, None)
    stream = InputStream(prolog=False)
    tokenizer = make_tokenizer(recorder, reporter, Settings())
    for piece in [*pieces, ""]:
        tokenizer.feed(stream.feed(piece, piece == ""))
        stream.report(reporter)
        tokenizer.run()
    tokenizer.close()
    tokenizer.run()
    reporter.close()
    return recorder.take(), list(reporter.log)


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
