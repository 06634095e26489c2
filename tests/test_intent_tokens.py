"""`tokenize` with `recovery="intent"`: tokens of which the draft's tree construction makes the tree that was meant."""

import json

import pytest
from hypothesis import given
from support import nearxml
from support.brokenrecords import broken_records
from support.commands import run_command
from support.splits import chunks
from support.tokens import tokenize_in_pieces
from support.trees import assert_same_content

import xml5tree
from xml5tree.dialects.xml5.tree import TreeBuilder
from xml5tree.errors.reporter import Reporter
from xml5tree.options import Settings
from xml5tree.output.markup import Markup
from xml5tree.tokens import (
    Characters,
    Comment,
    EmptyTag,
    EndTag,
    ProcessingInstruction,
    ShortEndTag,
    StartTag,
)
from xml5tree.xml.limits import COMMON_LIMITS


def tokens_of(document):
    """Tokens, and the codes of the errors among them."""
    codes = []
    return list(xml5tree.tokenize(document, recovery="intent", on_error=lambda entry: codes.append(entry.code))), codes


def test_markup_is_read_as_it_was_meant():
    assert tokens_of('<r>2<3<a x="1"text</a>&amp</r>') == (
        [
            StartTag("r", {}),
            Characters("2<3"),
            StartTag("a", {"x": "1"}),
            Characters("text"),
            EndTag("a"),
            Characters("&"),
            EndTag("r"),
        ],
        ["assumed-text", "assumed-end-of-tag", "assumed-reference"],
    )


def test_an_end_tag_that_is_assumed_is_a_token():
    document = "<r><i><t>a<l>b</l></i><i><t>b</t><l>c</l></i></r>"
    tokens, codes = tokens_of(document)
    assert codes == ["assumed-end-before"]
    expected = list(xml5tree.tokenize(document.replace("a<l>", "a</t><l>")))
    assert tokens == expected


def test_a_short_end_tag_that_is_ignored_is_no_token():
    document = "<r><i>a</></><i>b</><i>c</></>"
    tokens, codes = tokens_of(document)
    assert codes == ["missing-end-tag-name", "assumed-stray-end-tag", *["missing-end-tag-name"] * 3]
    assert tokens == list(xml5tree.tokenize(document.replace("</></>", "</>", 1)))


def test_an_end_tag_of_another_name_is_that_of_the_element():
    tokens, codes = tokens_of("<r><item>a</itm><item>b</item></r>")
    assert (tokens, codes) == (list(xml5tree.tokenize("<r><item>a</item><item>b</item></r>")), ["assumed-end-tag"])


def test_a_start_tag_that_is_assumed_is_a_token():
    records = "<i><t>a</t><u></u></i>" * 5
    tokens, codes = tokens_of(f"<r>{records}<t>b</t><u></u></i></r>")
    assert codes == ["assumed-start-tag"]
    assert tokens == list(xml5tree.tokenize(f"<r>{records}<i><t>b</t><u></u></i></r>"))


def test_what_is_dropped_is_no_token():
    document = '<b>Warning</b>: x in y<br/><r><a x="1"><a x="1">b</a></x><c/></r>'
    tokens, codes = tokens_of(document)
    assert tokens == list(xml5tree.tokenize('<r><a x="1">b</a></x><c/></r>'))
    assert codes == ["assumed-junk", "assumed-twice"]


def test_errors_of_tree_construction_are_not_told():
    """As without the option: where the draft's reading is chosen, the wrong tag is a token, and no error of it."""
    document = "<r><a>b</r>"
    assert tokens_of(document) == (list(xml5tree.tokenize(document)), [])


def test_wrong_values():
    with pytest.raises(ValueError, match='must be "intent"'):
        xml5tree.tokenize("<p>", recovery="guess")


def test_the_command_takes_it():
    document = b"<r><item>a</itm></r>"
    run = run_command("tokens", "--recovery", "intent", "--format", "json", "-", stdin=document)
    tokens = [json.loads(line) for line in run.out.splitlines()]
    assert [item["name"] for item in tokens if item["token"] == "EndTag"] == ["item", "r"]
    assert [item["code"] for item in tokens if "code" in item] == ["assumed-end-tag"]


def tree_of(tokens):
    """The tree that the draft's tree construction makes of tokens; None if they have no root element."""
    markup = Markup(lambda: 0, keeps_lines=False)
    builder = TreeBuilder(markup, Reporter(None, None), COMMON_LIMITS, Settings())
    for token in tokens:
        phase = builder.phase
        match token:
            case StartTag(name, attributes):
                phase.start_tag(name, attributes, 0, None)
            case EmptyTag(name, attributes):
                phase.empty_tag(name, attributes, 0, None)
            case EndTag(name):
                phase.end_tag(name, 0, None)
            case ShortEndTag():
                phase.short_end_tag(0)
            case Characters(data):
                phase.characters(data, 0)
            case Comment(data):
                phase.comment(data, 0, None)
            case ProcessingInstruction(target, data):
                phase.processing_instruction(target, data, 0, None)
    builder.phase.end_of_file(0)
    return xml5tree.fromstring(markup.take()) if builder.has_root else None


@given(broken_records() | nearxml.near_markup())
def test_the_draft_makes_the_same_tree_of_them(document):
    if "<!D" in document.upper():  # the tokens of a DOCTYPE have no declarations
        return
    found = tree_of(xml5tree.tokenize(document, recovery="intent"))
    try:
        meant = xml5tree.XMLParser(recovery="intent").parse_parts([document])
    except xml5tree.ParseError:
        meant = None
    assert (found is None) == (meant is None)
    if found is not None:
        assert_same_content(found, meant)


@given(broken_records() | nearxml.near_markup())
def test_pieces_make_no_difference(document):
    whole = tokenize_in_pieces([document], recovery="intent")
    for size in (1, 7):
        assert tokenize_in_pieces(chunks(document, size), recovery="intent") == whole
