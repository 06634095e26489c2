"""The output of language models: the cases of compat/model_output.py, and the tables of the evidence."""

import importlib.util
import re
from collections import Counter
from pathlib import Path

import pytest
from support.cases import each_case
from support.splits import chunks

import xml5tree

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
