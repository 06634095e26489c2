"""Reading ahead: the compiled part of the library gives the tags and the comparisons that the patterns give."""

import re
import sys
from itertools import accumulate
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each_case

from compat.rules import policy_without
from xml5tree.accelerator import compiled as is_compiled
from xml5tree.dialects.xml5.intent import outlook
from xml5tree.dialects.xml5.intent.ahead import Ahead
from xml5tree.dialects.xml5.intent.constants import INSIDE_REACH, MOST_INSIDE, MOST_OPEN
from xml5tree.dialects.xml5.intent.endplaces import EndTags
from xml5tree.dialects.xml5.intent.learned import TEXT_CHILD, Learned
from xml5tree.dialects.xml5.intent.policy import Intent
from xml5tree.dialects.xml5.intent.simulation import Begun, Simulation
from xml5tree.dialects.xml5.intent.window import (
    EMPTY_TAG,
    END_TAG,
    KINDS,
    START_TAG,
    TEXT_RUN,
    TOKEN,
    Window,
    read_token,
)

if is_compiled is None:
    pytest.skip("the scanner is not compiled, or switched off", allow_module_level=True)

from xml5tree.dialects.xml5.intent import compiled
from xml5tree.dialects.xml5.intent.compiled import CompiledAhead

NAMES = ["a", "b", "item", "itm", "Item", "br", "é", "ª", "x:y"]
PIECES = [
    *[f"<{name}>" for name in NAMES],
    *[f"</{name}>" for name in NAMES],
    *["<b/>", "<br/>", "<a k='v'>", "<a k=\"v\" l='w'/>", '<a k="x>y">', "<a k=v>", "<a\n>", "<a / k>", "</a\t>"],
    *["</>", "</ a>", "</a", "</", "<", "<<", "< a>", "<3", "<a", "<a ", "<a k", "<a k=", "<a k='", '<é k="', "</3>"],
    *["'", '"', "='", "\"='", ">", "/>", "/", "=", " k=", " ", "\n", "\t", "x", "é", "text ", "?", "!", "-", "]", "😀"],
    *["<!--", "-->", "--", "<!-->", "<!--->", "<!-- <b> -->", "<!---", "<![CDATA[", "]]>", "<![CDATA[<a>]]>", "<![CDA"],
    *["<3>", "<3/>", "</3 >", "<30-a_.b\n/>", "<3 k>", "<3 / >", "</3/>", "<3-", "</3", "<3 ", "<3/"],
    *["<?", "?>", "<?p x?>", "<?>", "<!DOCTYPE a>", "<!", "<a k='" + "v" * 199 + "<' l='", "<a k='" + "<" * 201 + "'>"],
    *["<a k='<' l='" + "v" * 300 + "' m='<' ", "x" * 300, "<×", "</×>", "</ × ", "×", "<a k='<' n='<' "],
]
TEXTS = st.lists(st.sampled_from(PIECES) | st.sampled_from(PIECES[: 2 * len(NAMES)]), max_size=40).map("".join)
PLACES = st.tuples(st.floats(0, 1), st.floats(0, 1))


@pytest.fixture(scope="module", autouse=True, params=[4096, 5])
def first_part(request):
    """How much of a window is read at first: most often all of it, and not."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "_FIRST_PART", request.param)
        yield request.param


@st.composite
def windows(draw, text, most=8):
    """Beginnings and ends of windows of a text; later ones do neither begin nor end earlier."""
    pairs = draw(st.lists(PLACES, min_size=1, max_size=most))
    size = len(text)
    starts = sorted(int(one * size) for one, _ in pairs)
    lengths = [int(other * (size + 40)) for _, other in pairs]
    stops = accumulate((min(size, sum(each)) for each in zip(starts, lengths, strict=True)), max)
    return list(zip(starts, stops, strict=True))


@st.composite
def learneds(draw):
    """What a document has shown."""
    learned = Learned()
    names = st.sampled_from(NAMES)
    for parent, child in draw(st.lists(st.tuples(names, names | st.just(TEXT_CHILD)), max_size=20)):
        learned.learn_pair(parent, child)
        learned.learn_content(parent)
    for name in draw(st.lists(names, max_size=4)):
        learned.learn_end(name)
        learned.learn_name(name)
    return learned


STACKS = st.lists(st.sampled_from(NAMES), max_size=6)
PAIRS = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from([*NAMES, TEXT_CHILD])), max_size=2).map(tuple)
READINGS = st.lists(st.builds(Begun, STACKS, STACKS.map(tuple), PAIRS), min_size=1, max_size=11)


@given(st.data())
def test_names_of_end_tags(data):
    """What is kept of earlier windows gives the answers of each window by itself."""
    text = data.draw(TEXTS)
    end_tags = EndTags()
    for start, stop in data.draw(windows(text)):
        window = Window(text, start, stop, stop == len(text), 7 + start)
        found = {name for name in NAMES if end_tags.has(name, window)}
        assert found == {name for name in NAMES if re.compile(rf"</{name}[\t\n /<>]").search(text, start, stop)}
        assert end_tags.of_names(NAMES, window) == EndTags().of_names(NAMES, window)
        assert found <= set(end_tags.of_names(NAMES, window))
    assert end_tags.searched <= len(text) * len(NAMES)


KINDS_SOUGHT = ((START_TAG, EMPTY_TAG), (START_TAG, EMPTY_TAG, END_TAG), KINDS, (TEXT_RUN,))
QUESTIONS = st.one_of(
    st.sampled_from(KINDS_SOUGHT).map(lambda kinds: lambda window: window.first_of(*kinds)),
    st.tuples(st.sampled_from(NAMES), st.integers(0, 8), st.integers(0, 2)).map(
        lambda asked: lambda window: window.end_of_element(*asked)
    ),
    st.just(lambda window: window.last_of_document()),
    st.just(lambda window: next(iter(window), None)),
    st.just(lambda window: window.at_end),
)


@given(st.data())
def test_questions(data):
    text = data.draw(TEXTS)
    aheads = [kind(Learned()) for kind in (Ahead, CompiledAhead)]
    for start, stop in data.draw(windows(text)):
        opened = [ahead.window(text, start, stop, stop == len(text), 7 + start) for ahead in aheads]
        for question in data.draw(st.lists(QUESTIONS, min_size=1, max_size=3)):
            answers = [(question(window), window.cost) for window in opened]
            assert answers[0] == answers[1]


@each_case("number", [10, 799, 800, 801, 5000])
@each_case("tags", ["x<a>y</a>", "</a>z", "<a>"])
@each_case("end", ["<c/>", "</d>", "</a>", "<d></d></d><!-- --> "])
def test_questions_of_many(number, tags, end):
    text = "z</b>" + tags * number + end
    aheads = [kind(Learned()) for kind in (Ahead, CompiledAhead)]
    for ask in (
        lambda window: window.first_of(EMPTY_TAG),
        lambda window: window.end_of_element("a", 2 * number),
        lambda window: window.last_of_document(),
    ):
        opened = [ahead.window(text, 4, len(text), True, 4) for ahead in aheads]
        assert ask(opened[0]) == ask(opened[1])
        assert opened[0].cost == opened[1].cost


@given(st.data())
def test_tags(data):
    text = data.draw(TEXTS)
    aheads = [kind(Learned()) for kind in (Ahead, CompiledAhead)]
    for start, stop in data.draw(windows(text)):
        found = []
        for ahead in aheads:
            window = ahead.window(text, start, stop, stop == len(text), 1000 + start)
            first = next(iter(window), None)
            found.append((first, window.cost, list(window.all()), window.at_end, window.cost))
        assert found[0] == found[1]


def test_tags_for_every_beginning_and_end():
    text = "".join(PIECES)
    text = text[:200] + "é" + text[-300:]
    shared = CompiledAhead(Learned())
    for start in range(0, len(text), 7):
        for stop in range(start, len(text) + 1, 13):
            wanted = Ahead(Learned()).window(text, start, stop, False, start)
            assert shared.window(text, start, stop, False, start).all() == wanted.all()


@pytest.mark.parametrize("kind", [Ahead, CompiledAhead])
@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("<a b<c>", [(START_TAG, "a"), (START_TAG, "c")]),
        ("<a b='1'text</a>", [(START_TAG, "a"), (END_TAG, "a")]),
        ("<a b='1'/<c>", [(EMPTY_TAG, "a"), (START_TAG, "c")]),
        ("<a b='<c>", [(START_TAG, "a"), (START_TAG, "c")]),
        ("<a b='<' c='1'<d>", [(START_TAG, "a"), (START_TAG, "d")]),
        ("<a/<c>", [(EMPTY_TAG, "a"), (START_TAG, "c")]),
        ("<a<c>", [(TEXT_RUN, ""), (START_TAG, "c")]),
        ("<a b", [(TEXT_RUN, "")]),
        ("< a<c>", [(TEXT_RUN, ""), (START_TAG, "c")]),
    ],
)
def test_start_tags_that_lack_their_end(kind, text, tags):
    """They end before the next "<" (R-004)."""
    assert kind(Learned()).window(text, 0, len(text), False, 0).all() == tags


@given(st.data())
def test_comparison(data):
    text, learned = data.draw(TEXTS), data.draw(learneds())
    aheads = [kind(learned) for kind in (Ahead, CompiledAhead)]
    for start, stop in data.draw(windows(text)):
        readings = data.draw(READINGS)
        found = []
        for ahead in aheads:
            window = ahead.window(text, start, stop, stop == len(text), start)
            found.append((ahead.compare(readings, window), window.cost))
        assert found[0] == found[1]
        learned.learn_pair(*data.draw(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES))))


def read_tag(reading, kind, name):
    """Read a tag as the draft does."""
    if reading.stack and kind in {START_TAG, EMPTY_TAG}:
        reading.begin(name if kind == START_TAG else None)
    elif reading.stack and kind == END_TAG:
        reading.end(name)


def runs_into_an_error(window, stack, forced):
    reading = Simulation(Begun(stack, forced), Learned())
    for match in TOKEN.finditer(window.text, window.start, window.stop):
        for kind, name in read_token(match):
            read_tag(reading, kind, name)
    return reading.errors > 0


ASKED = st.dictionaries(st.integers(0, 40), st.none() | st.tuples(STACKS, STACKS.map(tuple)))


@given(TEXTS, STACKS, st.integers(20, 200) | st.integers(250, 1500), ASKED)
def test_faults(text, stack, size, asked):
    """The draft's reading, asked about before some of the tokens, with the elements open that it has, or others."""
    aheads = [kind(Learned()) for kind in (Ahead, CompiledAhead)]
    done = Simulation(Begun(stack), Learned())
    for number, match in enumerate(TOKEN.finditer(text)):
        if number in asked:
            stack, forced = asked[number] or (tuple(done.stack), tuple(done.forced))
            start = match.start()
            stop = min(start + size, len(text))
            windows = [ahead.window(text, start, stop, stop == len(text), start) for ahead in aheads]
            found = [ahead.has_fault(window, stack, forced) for ahead, window in zip(aheads, windows, strict=True)]
            assert found == [runs_into_an_error(windows[0], stack, forced)] * 2
        for kind, name in read_token(match):
            read_tag(done, kind, name)


@given(TEXTS, STACKS, st.integers(20, 200), st.sets(st.integers(0, 40)))
def test_faults_where_outer_elements_are_not_known(text, stack, size, asked):
    """What was read ahead decides as little about outer elements as a reading that does not know them."""
    most, done, ahead = 2, Simulation(Begun(stack), Learned()), Ahead(Learned())
    with mock.patch.object(outlook, "MOST_OPEN", most):
        for number, match in enumerate(TOKEN.finditer(text)):
            if number in asked:
                stop = min(match.start() + size, len(text))
                window = ahead.window(text, match.start(), stop, stop == len(text), match.start())
                stack, forced = tuple(done.stack[-most:]), tuple(done.forced)
                assert ahead.has_fault(window, stack, forced) == runs_into_an_error(window, stack, forced)
            for kind, name in read_token(match):
                read_tag(done, kind, name)


def test_tokens_ahead_are_read_once_in_many_elements(monkeypatch):
    """Though only the innermost open elements are known, readings do not begin anew."""
    number = 3 * MOST_OPEN
    text = "<a>" * number + "</a>" * number + "x" * 300 + "</x>"
    read = []
    monkeypatch.setattr(outlook, "read_token", lambda match: read.append(match.start()) or read_token(match))
    ahead = Ahead(Learned())
    for place in range(0, 3 * number, 3):
        window = ahead.window(text, place, len(text), True, place)
        ahead.has_fault(window, ["r", *["a"] * (place // 3)][-MOST_OPEN:], ())
    assert len(read) < 3 * number


@given(st.data())
def test_ends(data):
    text = data.draw(TEXTS)
    aheads = [kind(Learned()) for kind in (Ahead, CompiledAhead)]
    for start, stop in data.draw(windows(text)):
        outer, inner = data.draw(st.sampled_from(NAMES)), data.draw(STACKS)
        found = []
        for ahead in aheads:
            window = ahead.window(text, start, stop, stop == len(text), start)
            found.append((ahead.ends_rightly(window, outer, inner), window.cost))
        assert found[0] == found[1]
        assert found[0][1] == 0


@each_case("kind", [Ahead, CompiledAhead])
@each_case(
    ("text", "ends"),
    [
        ("</b></a></x>", True),
        ("</b><c>text<b></b></c><d/></a>", True),
        ("</></>", True),
        ("</b></x></a>", False),
        ("</b><c></a>", False),
        ("</a>", False),
        ("</b>", False),
        ("</b>" + "<c></c>" * (MOST_INSIDE // 2 - 1) + "</a>", True),
        ("</b>" + "<c></c>" * (MOST_INSIDE // 2) + "</a>", False),
        ("</b>" + "x" * (INSIDE_REACH - 8) + "</a>", True),
        ("</b>" + "x" * (INSIDE_REACH - 7) + "</a>", False),
        ("</b>" + "<!---->" * 900 + "</a>" + " " * (INSIDE_REACH - 6308), True),
        ("</b>" + "<!---->" * 900 + "</a>" + " " * (INSIDE_REACH - 6307), False),
    ],
)
def test_ends_of_elements(kind, text, ends):
    """An element ends without an error before, and soon."""
    ahead = kind(Learned())
    window = ahead.window(text, 0, len(text), True, 0)
    assert ahead.ends_rightly(window, "a", ["b"]) == ends


@pytest.mark.parametrize("kind", [Ahead, CompiledAhead])
def test_faults_in_elements_that_are_many(kind):
    """Of the open elements, the policy knows the innermost; what has been read ahead holds for them as they change."""
    text = "<a>" * 600 + "<b/>" + "</a>" * 500
    ahead = kind(Learned())
    for place in range(0, 1800, 3):
        window = ahead.window(text, place, len(text), True, place)
        assert not ahead.has_fault(window, ["a"] * min(place // 3 + 1, MOST_OPEN), ())


@pytest.mark.parametrize("kind", [Ahead, CompiledAhead])
def test_faults_beyond_the_elements_that_are_known(kind):
    """What was read ahead while fewer elements were open decides nothing about an end tag of one that is not known."""
    text = "<a>" * (MOST_OPEN + 44) + "</a>" * (MOST_OPEN + 24) + "</x>"
    ahead = kind(Learned())
    found = []
    for place, known in [(0, 1), (3 * (MOST_OPEN + 43), MOST_OPEN)]:
        found.append(ahead.has_fault(ahead.window(text, place, len(text), True, place), ["a"] * known, ()))
    assert found == [True, False]


@pytest.mark.parametrize("kind", [Ahead, CompiledAhead])
@pytest.mark.parametrize(("opening", "terminator"), [("<!--", "<!-->"), ("<?p ", "<?>")])
def test_faults_after_a_window_that_ends_in_a_terminator(kind, opening, terminator):
    """A section that seems to have another one in it, as the window is cut off, is one in a window that ends later."""
    text = f"<a/>{opening}</x>{'y' * 300}{terminator}</a>"
    ahead = kind(Learned())
    found = []
    for place, stop in [(0, len(text) - len("></a>")), (4, len(text))]:
        found.append(ahead.has_fault(ahead.window(text, place, stop, stop == len(text), place), ["a"], ()))
    assert found == [True, False]


@pytest.mark.parametrize("kind", [Ahead, CompiledAhead])
def test_faults_where_other_elements_are_open(kind):
    """What has been read ahead holds for other open elements, too, if no tag there reaches down to them."""
    text = "<b></b><c></c></b><b><d></d></b></a>" + "<e/>" * 200
    ahead = kind(Learned())
    found = []
    for place, stack in [(0, "xb"), (7, "yb"), (18, "y"), (18, "ya"), (21, "yab"), (21, "yb"), (21, "b"), (24, "xabd")]:
        window = ahead.window(text, place, len(text), True, place)
        found.append(ahead.has_fault(window, list(stack), ()))
    assert found == [True, True, True, False, False, True, False, False]


@pytest.mark.parametrize("kind", [Ahead, CompiledAhead])
@pytest.mark.parametrize(("text", "errors"), [("</i>", 0), ("x</i>", 0), ("<q/></i>", 1), ("<q></q></i>", 1)])
def test_a_tag_after_crossed_elements(kind, text, errors):
    """As in a document, end tags of elements that others have closed are forgiven up to the next start or empty tag."""
    ahead = kind(Learned())
    window = ahead.window(text, 0, len(text), False, 0)
    assert ahead.has_fault(window, ["r"], ["i"]) == (errors > 0)
    assert [found for found, _ in ahead.compare([Begun(["r"], ["i"])], window)] == [errors]


@pytest.mark.parametrize("kind", [Ahead, CompiledAhead])
def test_slips_of_the_pen_can_be_switched_off(kind):
    """Where the rule for end tags with a slip in their names is off, reading ahead does not have it either (R-022)."""
    errors = []
    for policy in (Intent(), policy_without({"endtag"})()):
        ahead = kind(policy.learned)
        text = "</title-></r>"
        errors += ahead.compare([Begun(["r", "title"])], ahead.window(text, 0, len(text), True, 0))
    assert errors == [(1, 0), (2, 0)]


@pytest.mark.parametrize("unit", ["<a>", "<a/>", "<a>x</a>", "x<br>", "<!-- c --><b></b>", "<a></b>", "</a>x", "<"])
@pytest.mark.parametrize("at_end", [True, False])
def test_windows_with_more_tags_than_are_read(unit, at_end):
    text = unit * 1000
    learned = Learned()
    found = []
    for kind in (Ahead, CompiledAhead):
        ahead = kind(learned)
        window = ahead.window(text, 0, len(text), at_end, 0)
        outcomes = ahead.compare([Begun(["r", "a"]), Begun(["r"]), Begun([])], window)
        cost = window.cost
        found.append((outcomes, cost, window.at_end, window.all(), window.cost))
    assert found[0] == found[1]


def test_many_names():
    """Names are forgotten now and then, so that memory is bounded; what is kept otherwise stays right."""
    learned = Learned()
    learned.learn_pair("r", "n1")
    aheads = [kind(learned) for kind in (Ahead, CompiledAhead)]
    for number in range(40):
        text = "".join(f"<n{number}{i}><n1/></n{number}{i}>" for i in range(600))
        costs = [
            ahead.compare([Begun(["r"]), Begun(["r", "s"])], ahead.window(text, 0, len(text), True, 99999 * number))
            for ahead in aheads
        ]
        assert costs[0] == costs[1]


def test_names_of_open_elements():
    """Their numbers are kept by object; others of the same text come to the same, and so do later ones in its place."""
    text = "".join(f"</n{number}>" for number in reversed(range(200)))
    aheads = [kind(Learned()) for kind in (Ahead, CompiledAhead)]
    windows = [ahead.window(text, 0, len(text), True, 0) for ahead in aheads]
    for _ in range(3):
        open_names = [f"n{number}" for number in range(200)]
        references = [*map(sys.getrefcount, open_names)]
        for stack in (open_names, ["".join(list(name)) for name in open_names], open_names[:150], open_names[9:]):
            costs = [ahead.compare([Begun(stack)], window) for ahead, window in zip(aheads, windows, strict=True)]
            assert costs[0] == costs[1]
    del aheads, windows, stack
    assert [*map(sys.getrefcount, open_names)] == references


def test_wrong_arguments():
    tags = is_compiled.open_tags(1)
    place = is_compiled.read_tags(tags, b"<a>x", 0, 5, True)
    assert (place, is_compiled.list_tags(tags, 0, 1)) == ((4, 9), [(0, "a", 5, 9), (3, "", 5, 9)])
    for index in (-1, 5):
        with pytest.raises(ValueError, match="no place"):
            is_compiled.read_tags(tags, b"<a>x", index, 5, True)
    view, numbers = (0, 9, False, True, True), (*[9] * 8, "")
    facts = (set(), set(), {}, frozenset(), set(), bool)
    for readings in [(), ((["a"], (), ()),) * 32]:
        with pytest.raises(ValueError, match="readings"):
            is_compiled.compare_readings(tags, view, readings, facts, numbers)
    for readings in [(None,), ([["a"], (), ()],), ((["a"], ()),), ((["a"], (), None),), (([1], (), ()),)]:
        with pytest.raises(TypeError):
            is_compiled.compare_readings(tags, view, readings, facts, numbers)
    with pytest.raises(ValueError, match="two names"):
        is_compiled.compare_readings(tags, view, (([], (), (("a",),)),), facts, numbers)
    with pytest.raises(ValueError, match="PyCapsule"):
        is_compiled.drop_tags(None, 0)
    for question, arguments in [
        (is_compiled.first_tag, (9, 1)),
        (is_compiled.end_of_element, (9, "a", 9, 0)),
        (is_compiled.last_tag, (9,)),
        (is_compiled.find_fault, ([], [])),
        (is_compiled.ends_rightly, (9, 9, "a", [])),
    ]:
        question(tags, view, *arguments)
        with pytest.raises(ValueError, match="PyCapsule"):
            question(None, view, *arguments)
        for bad in (None, [*view], view[:-1], (None, *view[1:])):
            with pytest.raises(TypeError):
                question(tags, bad, *arguments)
        with pytest.raises(TypeError):
            question(tags, view, *[None] * len(arguments))


VIEW = (1, 9, False, True, True)
FACTS = (set(), set(), {}, frozenset(), set(), bool)
NUMBERS = (*[9] * 8, "")

#: Calls of functions that use tags: with a number, and with names, that call Python when they are converted.
CALLS = [
    lambda tags, number, names: is_compiled.drop_tags(tags, number),
    lambda tags, number, names: is_compiled.read_tags(tags, b"<a>x", number, 0, True),
    lambda tags, number, names: is_compiled.read_tags(tags, b"<a>x", 0, 9, number),
    lambda tags, number, names: is_compiled.add_tag(tags, number, 9, 1, "a"),
    lambda tags, number, names: is_compiled.list_tags(tags, 0, number),
    lambda tags, number, names: is_compiled.first_tag(tags, (number, *VIEW[1:]), 9, 1),
    lambda tags, number, names: is_compiled.first_tag(tags, (*VIEW[:2], number, True, True), 9, 1),
    lambda tags, number, names: is_compiled.end_of_element(tags, VIEW, 9, "a", 9, number),
    lambda tags, number, names: is_compiled.last_tag(tags, VIEW, number),
    lambda tags, number, names: is_compiled.find_fault(tags, VIEW, names, []),
    lambda tags, number, names: is_compiled.find_fault(tags, VIEW, [], names),
    lambda tags, number, names: is_compiled.ends_rightly(tags, VIEW, 9, 9, "a", names),
    lambda tags, number, names: is_compiled.compare_readings(tags, VIEW, ((names, (), ()),), FACTS, NUMBERS),
    lambda tags, number, names: is_compiled.compare_readings(tags, VIEW, (([], (), (names,)),), FACTS, NUMBERS),
    lambda tags, number, names: is_compiled.compare_readings(
        tags, VIEW, ((["a"], (), ()),), FACTS, (number, *NUMBERS[1:])
    ),
    lambda tags, number, names: is_compiled.compare_readings(
        tags, VIEW, ((["r", "q"], (), ()),), (*FACTS[:5], lambda *_: bool(number)), NUMBERS
    ),
]


class Number:
    """A number, or a truth value."""

    def __init__(self, use):
        self.use = use

    def __index__(self):
        return self.use()

    def __bool__(self):
        return bool(self.use())


class Names:
    """A sequence of names."""

    def __init__(self, use):
        self.use = use

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return self.use()


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("other", ["drop_tags", "cut_tags", "read_tags", "list_tags"])
def test_tags_are_not_used_while_they_are_in_use(call, other):
    """So no function loses what it has pointers to."""
    tags = is_compiled.open_tags(1)
    is_compiled.read_tags(tags, b"<a></a><b/></x></a>.", 0, 0, True)
    before = is_compiled.list_tags(tags, 0, 99)
    more = {"drop_tags": (99,), "cut_tags": (), "read_tags": (b"<c>x", 0, 99, True), "list_tags": (0, 9)}[other]
    calls = []

    def use():
        calls.append(other)
        return getattr(is_compiled, other)(tags, *more)

    with pytest.raises(RuntimeError, match="in use"):
        call(tags, Number(use), Names(use))
    assert calls == [other]
    assert is_compiled.list_tags(tags, 0, 99) == before
    assert is_compiled.cut_tags(tags) is None


def test_the_tags_cannot_be_changed_while_they_are_compared():
    tags = is_compiled.open_tags(1)
    is_compiled.read_tags(tags, b"</x></a>.", 0, 0, True)

    def is_slip(name, other):
        is_compiled.drop_tags(tags, 99)

    facts = (set(), set(), {}, frozenset(), set(), is_slip)
    with pytest.raises(RuntimeError, match="in use"):
        is_compiled.compare_readings(tags, (0, 9, False, True, True), ((["r", "a"], (), ()),), facts, (*[9] * 8, ""))
    assert is_compiled.list_tags(tags, 4, 1)[0] == (2, "a", 4, 9)
