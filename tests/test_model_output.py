"""The output of language models: the cases of compat/model_output.py, and the tables of the evidence."""

import importlib.util
import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from support.cases import each_case
from support.splits import chunks

import xml5tree
from xml5tree import tools

ROOT = Path(__file__).parent.parent
BACKENDS = ["etree", "lxml"]


def load(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / f"compat/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


model_output = load("model_output")
model_calls = load("model_calls")
each_answer = pytest.mark.parametrize("case", model_output.CASES, ids=[case.title for case in model_output.CASES])


@each_answer
@pytest.mark.parametrize("backend", BACKENDS)
def test_all_is_found(case, backend):
    options = {"elements": case.elements, "roots": "all", "backend": backend}
    for size in (1, 4, 10_000):
        parser = xml5tree.XMLParser(**options)
        for piece in chunks(case.output, size):
            parser.feed(piece)
        found = model_output._of_tree(parser.close(), case.elements)
        assert Counter(case.wanted) - found == Counter()
        assert parser.error_log.effect != "lost"


@each_answer
@pytest.mark.parametrize("backend", BACKENDS)
def test_text_is_shown_as_it_comes(case, backend):
    """Token by token: what is shown of an element is its text, and never a part of a tag that was asked for."""
    parser = xml5tree.XMLPullParser(("text",), elements=case.elements, roots="all", backend=backend)
    shown = Counter()
    texts = []
    for piece in chunks(case.output, 3):
        parser.feed(piece)
        for _, (element, text) in parser.read_events():
            texts.append((element, text))
    root = parser.close()
    texts += [item for _, item in parser.read_events()]
    for element in root.iter():
        whole = "".join(text for other, text in texts if other is element)
        shown[element.tag, "", whole.strip()] += 1
        assert not any(f"<{name}>" in whole or f"</{name}>" in whole for name in case.elements)
    wanted = Counter(fact for fact in case.wanted if not fact[1])
    assert wanted - shown == Counter()


@each_answer
def test_each_cut_gives_the_same(case):
    """One cut anywhere, also in the middle of each tag."""
    results = set()
    for place in range(len(case.output) + 1):
        repairer = xml5tree.Repairer(elements=case.elements, roots="all")
        markup = [repairer.feed(part) for part in (case.output[:place], case.output[place:]) if part]
        results.add("".join([*markup, repairer.close()]) + repr(list(repairer.error_log)))
    assert len(results) == 1


@each_answer
def test_nothing_is_lost_wherever_the_output_ends(case):
    """What was shown stays, and of what was held back only tags are no text: `test_elements` has the cases."""
    of_whole = "".join(xml5tree.fromstring(case.output, elements=case.elements, roots="all").itertext())
    for end in range(len(case.output)):
        cut = case.output[:end]
        parser = xml5tree.XMLPullParser(("text",), elements=case.elements, roots="all")
        parser.feed(cut)
        shown = "".join(text for _, (_, text) in parser.read_events())
        assert of_whole.startswith(shown)
        held_back = "".join(parser.close().itertext()).removeprefix(shown)
        # What is in no tag, whether that is known or not, and in no reference.
        certain = re.sub(r'</?[A-Za-z](?:[^<>"]|"[^"]*(?:"|\Z))*>?|</?\Z|&\w*;?', "", cut)
        rest = iter(shown + held_back)
        assert all(character in rest for character in certain)


def test_the_other_parsers_do_what_the_page_says():
    case = next(case for case in model_output.CASES if case.title.startswith("several answers"))
    assert model_output.found(model_output._regular_expression, case) == 3
    assert model_output.found(model_output._element_tree, case) is None


CALLS = [pytest.param(case, id=f"{case.format}, {case.title}") for case in model_calls.CASES]


@each_case("case", CALLS)
def test_all_calls_are_found(case):
    """But for a whole call in a value, of which no end tag tells more than the other."""
    exact, wrong = model_calls.judge(model_calls.WAYS["xml5tree"], case)
    if not case.title.startswith("a whole call in a value") or case.format == "hermes":
        assert (exact, wrong) == (len(case.wanted), 0)


def test_the_other_ways_do_what_the_page_says():
    first = next(case for case in model_calls.CASES if case.format == "claude")
    assert model_calls.judge(model_calls.WAYS["regular expressions"], first) == (2, 0)
    cut = next(case for case in model_calls.CASES if case.title == "cut off in a value")
    assert model_calls.judge(model_calls.WAYS["regular expressions"], cut) == (0, 1)


def test_table_of_calls():
    if importlib.util.find_spec("langchain_core") is None:
        pytest.skip("the table of calls of the evidence was NOT CHECKED because of a missing package: langchain-core")
    assert model_calls.table_of_page() == model_calls.table()


def test_table():
    if importlib.util.find_spec("bs4") is None:
        pytest.skip("the table of the evidence was NOT CHECKED because of a missing package: bs4")
    assert model_output.table_of_page() == model_output.table()


@pytest.mark.parametrize(("raw", "effect"), [({"code"}, "moved"), (set(), "kept")])
def test_an_end_tag_after_a_raw_element_may_have_been_meant_for_it(raw, effect):
    for text in ("<code>print('</code>')</code>", "a <code>'</code>'</code> b"):
        parser = xml5tree.XMLParser(elements={"code"}, raw=raw, roots="all")
        xml5tree.fromstring(text, parser=parser)
        [entry] = parser.error_log
        assert (entry.code, entry.effect) == ("unmatched-end-tag", effect)


def _explained_later():
    """Tags that only later ones explain."""
    for text in ("<answer>a</code> b", "<answer><![CDATA[a</answer> b"):
        options = {"elements": {"answer", "code"}, "roots": "all"}
        context = xml5tree.iterparse([text], events=("end",), **options)
        assert list(context)
        parser = xml5tree.XMLPullParser(**options)
        parser.feed(text)
        whole = ET.tostring(xml5tree.fromstring(text, **options))
        drafts = ET.tostring(xml5tree.fromstring(text, recovery="draft", **options))
        assert ET.tostring(context.root) == whole != drafts
        assert ET.tostring(parser.close()) == drafts


def _end_tag_after_its_call():
    text = '<invoke name="f"><parameter name="x">see </parameter></invoke> in docs</parameter></invoke>'
    reader = tools.CallReader("claude")
    calls = [event.call for character in text[:-1] for event in reader.feed(character) if event.kind == "end"]
    assert [call.fault for call in calls] == [""]
    reader.feed(">")
    assert calls[0].fault == tools.read(text, "claude").calls[0].fault != ""


def _typed_arguments():
    schema = {"f": {"properties": {"n": {"type": "integer"}}}}
    events = tools.CallReader("claude", schema).feed('<invoke name="f"><parameter name="n">5</parameter></invoke>')
    found = [(event.kind, event.text, event.call.arguments) for event in events]
    assert found[2:4] == [("argument", "5", {}), ("argument-end", "", {"n": 5})]


def _calls_in_json():
    reader = tools.CallReader("hermes")
    text = '<tool_call>{"name": "f", "arguments": {}}\n{"name": "g", "arguments": {}}</tool_call>'
    before = reader.feed(text[:-1])
    assert [event.kind for event in before] == ["call", *["argument"] * (len(before) - 1)]
    assert {event.argument for event in before} == {""}
    assert [event.call.name for event in reader.feed(text[-1]) if event.kind == "end"] == ["f", "g"]


def _reasoning_without_its_start_tag():
    reader = tools.CallReader("claude", thinking="think")
    assert reader.feed("a b") == []
    assert [event.kind for event in reader.feed("</think>c")] == ["thinking", "text"]
    reader = tools.CallReader("claude", thinking="think")
    assert [event.kind for event in reader.feed("<think>") + reader.feed("a b")] == ["thinking"]


def _arguments_of_a_call_with_a_fault():
    text = '<invoke name="f"><parameter name="x">1'
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": "length"}
    parts = [
        call["function"]["arguments"]
        for chunk in tools.deltas([{"choices": [choice]}], "claude")
        for call in chunk["choices"][0]["delta"].get("tool_calls", ())
    ]
    assert "".join(parts) == '{"x": "1"]'
    assert tools.read(text, "claude").calls[0].arguments == {"x": "1"}


#: The differences of the page's table, in its order.
DIFFERENCES = [
    _explained_later,
    _end_tag_after_its_call,
    _typed_arguments,
    _calls_in_json,
    _reasoning_without_its_start_tag,
    _arguments_of_a_call_with_a_fault,
]


@pytest.mark.parametrize("check", DIFFERENCES)
def test_what_differs_in_a_stream(check):
    check()


def test_each_difference_is_tested():
    page = (ROOT / "docs/model-output.md").read_text("utf-8")
    table = page.partition("### What differs in a stream")[2].partition("\n###")[0]
    rows = [line.split("|")[1].strip() for line in table.splitlines() if line.startswith("| ")][1:]
    for row, check in zip(rows, DIFFERENCES, strict=True):
        assert any(word in check.__name__ for word in row.lower().replace("`", "").split() if len(word) > 3), row


@pytest.mark.parametrize("backend", BACKENDS)
def test_raw_elements_keep_all_but_line_breaks_and_what_xml_does_not_allow(backend):
    options = {"elements": {"code"}, "raw": {"code"}, "backend": backend}
    text = "<code>a\r\nb\rc\x01\0\x7f\x85&lt;<!-- &#13; -->\u00e9</x></code>"
    assert xml5tree.fromstring(text, **options).text == "a\nb\nc\ufffd\ufffd\x7f\x85&lt;<!-- &#13; -->\u00e9</x>"
    assert xml5tree.fromstring(text, control_characters="drop", **options).text.startswith("a\nb\nc\x7f")
