"""The two kinds of walk through error-free runs, in Python and in C, come to the same."""

from random import Random

import pytest

from xml5tree.accelerator import compiled
from xml5tree.dialects.xml5.intent.columns import NO_COLUMN, NO_SIBLING
from xml5tree.dialects.xml5.intent.constants import RULES
from xml5tree.dialects.xml5.intent.learned import TEXT_CHILD, Learned
from xml5tree.dialects.xml5.intent.learning import Learner
from xml5tree.dialects.xml5.intent.policy import Intent
from xml5tree.dialects.xml5.intent.walking import pure
from xml5tree.dialects.xml5.intent.walking.compiled import CompiledWalk
from xml5tree.dialects.xml5.intent.walking.contract import MOST_AROUND, NOWHERE, Around, Part
from xml5tree.dialects.xml5.intent.walking.places import Level
from xml5tree.dialects.xml5.intent.walking.pure import PureWalk
from xml5tree.dialects.xml5.intent.walking.tokens import (
    BLANK,
    CDATA,
    COMMENT,
    EMPTY_TAG,
    END_TAG,
    INSTRUCTION,
    LEAF,
    TAIL,
    TEXT,
    find_markup,
)
from xml5tree.dialects.xml5.lexis import HTML_VOID
from xml5tree.fastpath.contract import Limits

pytestmark = pytest.mark.skipif(compiled is None, reason="the scanner is not compiled, or switched off")

NAMES = ("a", "b", "été", "p:c", "longer-name", "a1")
SPACES = ("", "", " ", "\n\t ")
TEXTS = (
    "",
    "",
    " ",
    "\n  ",
    "\n ",
    "\n",
    "text",
    " text ",
    "&amp;",
    "a & b",
    "é]",
    " > ",
    "5 < 6",
    " <\n",
    "<> ",
    "<:a",
)
ATTRIBUTES = ("", "", " k='v'", ' k="a>b" l=\'"\'', "\n k = '/' ", ' k="\'"', " k=v l", ' k="v"l="w"')
SECTIONS = ("<!-- x -->", "<!---->", "<!-- <a> - -->", "<![CDATA[x]]>", "<![CDATA[ \n]]>", "<![CDATA[]]]]>", "<?p?>")
OTHERS = ("<?p x > ?>", "<![CDATA[ <a> ]]>", "<![CDATA[<![CDATA[ x ]]>", "<?p <?p ?>", "<?p <?>", "<!-- <? <? -->")


def run_of(random, open_names):
    """A run, which may end elements that are open."""
    open_names = list(open_names)
    pieces = [random.choice(TEXTS)]
    for _ in range(random.randrange(1, 40)):
        kind = random.randrange(8)
        name = random.choice(NAMES[: random.randrange(1, len(NAMES) + 1)])
        attributes = random.choice(ATTRIBUTES)
        if kind < 2:
            open_names.append(name)
            pieces.append(f"<{name}{attributes}>")
        elif kind < 4 and open_names:
            pieces.append(f"</{open_names.pop()}{random.choice(SPACES)}>")
        elif kind == 4:
            pieces.append(f"{random.choice(('', '<', 'x<<'))}<{name}{attributes}/>")
        elif kind == 5:
            pieces.append(f"<{name}{attributes}>{random.choice(TEXTS)}</{name}{random.choice(SPACES)}>")
        elif kind == 6:
            pieces.append(random.choice(SECTIONS if random.randrange(9) else OTHERS))
        pieces.append(random.choice(TEXTS))
    return "".join(pieces)


class Walker:
    """Walks with transitions that say what a token is, of which it forgets some."""

    def __init__(self, walk, names, *, forgets=True):
        self.walk = walk
        self.forgets = forgets
        self.here = Level(None, "", False)
        for name in names:
            self.here = self.here.inside(name)
        self.missed = []

    def past_tags(self, data, start, end, passed):
        """Walk through a run, and begin anew after start tags for which a function says so, as `Learner.learn` does."""
        outcomes = []
        place = self.here.after(None)
        first = find_markup(data, start, end)
        first, last, place, name, kind = self.walk.begin(Part(data, start, 0, first, end), place, 0, None)
        while first < last:
            self.missed.append((first, last, name, kind))
            if name and not kind & END_TAG and passed(first):
                outcomes.append(self.walk.outcome())
                after = data.index(b">", first) + 1
                place = self.after(place, name, kind & EMPTY_TAG)
                markup = find_markup(data, after, end)
                first, last, place, name, kind = self.walk.begin(Part(data, after, None, markup, end), place, 0, None)
            else:
                following = self.after(place, name, kind)
                is_known = not self.forgets or len(self.missed) % 5 > 0
                first, last, place, name, kind = self.walk.go_on(following, is_known=is_known, is_watched=False)
        return first, self.missed, place.level.path(), place.last, outcomes, self.walk.outcome()

    def through(self, data, start, end, stop_at, watched=0, column=None, around=None):
        """Walk through a run, or to the token of a number that is not known or watched; what comes of it."""
        place = self.here.after(None)
        first = find_markup(data, start, end)
        start, end, place, name, kind = self.walk.begin(Part(data, start, column, first, end), place, watched, around)
        while start < end and len(self.missed) < stop_at:
            self.missed.append((start, end, name, kind))
            following = self.after(place, name, kind)
            start, end, place, name, kind = self.walk.go_on(
                following,
                is_known=not self.forgets or len(self.missed) % 5 > 0,
                is_watched=name == place.level.name and not kind & END_TAG,
            )
        return start, self.missed, place.level.path(), place.last, self.walk.outcome()

    def after(self, place, name, kind):
        if kind & END_TAG:
            place = place.outside()
        elif name:
            place = place.level.after(name) if kind & EMPTY_TAG else place.level.inside(name).after(None)
        elif kind & CDATA and not kind & BLANK:
            place = place.after_text()
        if kind & TEXT:
            place = place.after_text()
        if kind & LEAF:
            place = place.outside()
            if kind & TAIL:
                place = place.after_text()
        return place


@pytest.mark.parametrize("seed", range(400))
def test_both_come_to_the_same(seed):
    """So do they with what they know of runs before, in the middle of other data, and where they are stopped."""
    random = Random(seed)
    names = ["r", *random.choices(NAMES, k=6)]
    walkers = [Walker(PureWalk(), names), Walker(CompiledWalk(), names)]
    for _ in range(4):
        run = run_of(random, names[1:]).encode()
        data = b"<x y='" + run + b"' <a>"
        stop_at = len(walkers[0].missed) + random.choice((2, 1000))
        columns = tuple(random.choices(range(-1, 4), k=MOST_AROUND))
        around = random.choice((None, Around(random.randint(-2, 3), columns)))
        column = random.choice((None, 0, 3, 300))
        watched = random.choice((0, len(data) // 2))
        results = [walker.through(data, 6, 6 + len(run), stop_at, watched, column, around) for walker in walkers]
        assert results[0] == results[1]


@pytest.mark.parametrize("seed", range(200))
def test_both_come_to_the_same_after_tags_that_are_passed(seed):
    """Then they begin again in the same run, within the token at which they have stopped, or after it."""
    random = Random(seed)
    names = ["r", *random.choices(NAMES[:2], k=6)]
    walkers = [Walker(PureWalk(), names), Walker(CompiledWalk(), names)]
    for _ in range(3):
        run = run_of(random, names[1:]).replace('="a>b"', '="ab"').encode()
        data = b"<x>" + run + b"<a>"
        passed = {index for index in range(len(data)) if random.randrange(3)}
        results = [walker.past_tags(data, 3, 3 + len(run), passed.__contains__) for walker in walkers]
        assert results[0] == results[1]


@pytest.mark.parametrize(
    ("run", "after"),  # which tokens there are after the first tag
    [
        ("<b>x<c/>", ["<c/>"]),
        ("<b></b><c/>", ["</b>", "<c/>"]),
        ("<b></b></b><c/>", ["</b></b>", "<c/>"]),
        ("<b></b></b>", ["</b></b>"]),
        ("<b></b></b> </b><c/>x<d/>", ["</b></b> ", "</b>", "<c/>x", "<d/>"]),
        ("<b></b></b></b></b><c/>", ["</b></b>", "</b></b>", "<c/>"]),
        ("<b></b><?p <? ?>", ["</b>"]),
        ("<b> 5 < 6</b> < <c/>", ["</b> < ", "<c/>"]),
        ("<b/><c/>", ["<c/>"]),
        ("<b>x", []),
    ],
)
def test_tokens_after_a_tag_that_is_passed(run, after):
    for walk in (PureWalk(), CompiledWalk()):
        walker = Walker(walk, ["b", "b", "b", "b", "b"])
        walker.past_tags(run.encode(), 0, len(run), lambda index: index == 0)
        assert [run[first:last] for first, last, *_ in walker.missed[1:]] == after


def test_tokens_are_not_found_again_after_each_tag_that_is_passed(monkeypatch):
    """That took quadratic time where many tags of a run are doubted."""
    found = []

    class Pattern:
        def findall(self, text):
            tokens = pattern.findall(text)
            found.append(len(tokens))
            return tokens

        def finditer(self, *arguments):
            return pattern.finditer(*arguments)

    pattern = pure.TOKEN
    monkeypatch.setattr(pure, "TOKEN", Pattern())
    for run in (b"<b></b>" * 100, b"<b><b></b></b>" * 100, b"<b>x" * 100, b"<b></b><c/>" * 50):
        found.clear()
        Walker(PureWalk(), ["r"]).past_tags(run, 0, len(run), lambda index: True)
        assert len(found) == 1


def test_text_that_has_less_than_signs():
    """It is no markup, and does not end a leaf or a text."""
    data = b" < <<>x<<a k=v l> < <: </a>5 <"
    assert find_markup(data, 0, len(data)) == data.index(b"<a")
    for walk in (PureWalk(), CompiledWalk()):
        walker = Walker(walk, ["r"])
        start, missed, path, last, _ = walker.through(data, 0, len(data), 1000)
        assert missed == [(data.index(b"<a"), len(data), "a", TEXT | LEAF | TAIL)]
        assert (start, path, last) == (len(data), ["r"], "a")


def test_outcome():
    for walk in (PureWalk(), CompiledWalk()):
        level = Level(None, "", False).inside("r").inside("s")
        walker = Walker(walk, ["r", "s"])
        walker.here = level
        data = b"<a><b/></a></s><c k='1'><d>x</d> <e> "
        start, _, path, last, outcome = walker.through(data, 0, len(data), 1000)
        assert (start, path, last) == (len(data), ["r", "c", "e"], None)
        assert outcome == (1, [None, None], data.index(b"<e"), NO_SIBLING, None, True, -1)
        assert walker.through(data, 0, data.index(b"</s>"), 1000, column=2)[4] == (0, [], -1, 2, None, True, 0)
        assert walker.through(b"<!-- x -->y", 0, 11, 1000, column=2)[4] == (0, [], -1, NO_SIBLING, None, False, -1)
        assert walker.through(b" \t ", 0, 3, 1000, column=2)[4] == (0, [], -1, NO_SIBLING, 5, False, -1)


def test_strange_leaves():
    """What leads on after one leads on after all of its kind at a place, but not after names that were told."""
    walk = CompiledWalk()
    walk.tell({"r", "b", "bb"})
    place = Level(None, "", False).inside("o").inside("r").after(None)
    data = b"<a>x</a><c k='<'>y</c><bbb>z</bbb><b>x</b><d></d><e/><f>x</f>t<aa>x</aa>"
    stops = []
    start, end, here, name, kind = walk.begin(Part(data, 0, 0, 0, len(data)), place, 0, None)
    while name is not None:
        stops.append(name)
        is_strange = kind & LEAF > 0 and name not in {"r", "b", "bb"}
        start, end, here, name, kind = walk.go_on(place, is_known=True, is_watched=False, is_strange=is_strange)
    assert (start, end, here) == (len(data), len(data), place)
    assert stops == ["a", "b", "d", "e", "f"]  # the others have text, end where they begin, or have text after them
    assert walk.outcome()[-1] == data.index(b"<aa>")


def one_place_walk():
    """A walk that learns nothing, and knows one place, number 0."""
    walk = compiled.make_walk(None, (0, 0, 0, 0, 0, 0))
    assert compiled.number_place(walk, 0, None) == 0
    return walk


def test_names_are_told_in_order():
    automaton = one_place_walk()
    for names, error in [((b"b", b"a"), ValueError), ((b"a", b"a"), ValueError), ((b"a", "b"), TypeError)]:
        with pytest.raises(error):
            compiled.tell_names(automaton, names)
    compiled.tell_names(automaton, ())
    compiled.tell_names(automaton, (b"a", b"aa", b"b"))


@pytest.mark.parametrize(
    ("before", "column", "found"),  # what is before a tag, the column of its beginning, and that of the tag
    [
        ("", None, None),
        ("", 0, 0),
        ("", 7, 7),
        (" \t", 7, 9),
        (" \t", None, None),
        ("\n", None, 0),
        ("\n\t \n \t", None, 2),
        ("x\n  ", 0, 2),
        ("é", 0, None),
        ("é ", 0, None),
        ("\né", 0, None),
        ("é\n ", None, 1),
        ("\n<x/> ", 0, None),
        ("<x/>\n ", None, 1),
        ("<x k='\n '/>", None, None),
        (" " * 1000, 1000, 2000),
        ("\n" + "\t" * 1000, None, 1000),
        ("é\n" + " " * 255, None, 255),
        ("é" + " " * 600, 0, None),
    ],
)
def test_columns(before, column, found):
    """Those of elements that are opened, of the last child, and of the end, wherever the run begins in the data."""
    for walk in (PureWalk(), CompiledWalk()):
        walker = Walker(walk, ["r"])
        for following, outcome in [
            ("<a k='v'>\n\t<b>", ([found, 1], NO_SIBLING, None)),
            ("<a>\n <b/>\n</a>\n  ", ([], found, 2)),
            ("<a/>", ([], found, None)),
        ]:
            for data in (b"", b"\n  ", b"\n <y>"):
                run = (before + following).encode()
                outcomes = walker.through(data + run + b"<z>", len(data), len(data + run), 1000, column=column)[4]
                assert (outcomes[1], *outcomes[3:5]) == outcome
        run = before.encode()
        if b"<" not in run:
            assert walker.through(run, 0, len(run), 1000, column=column)[4] == (0, [], -1, NO_SIBLING, found, False, -1)


@pytest.mark.parametrize(
    ("token", "name", "kind"),
    [
        ("<été k='/'>", "été", 0),
        ("<a>x", "a", TEXT),
        ("<a>\n </a >", "a", LEAF),
        ("<a> x</a>\n", "a", TEXT | LEAF),
        ("<a></a>x", "a", LEAF | TAIL),
        ("<a/>", "a", EMPTY_TAG),
        ("<a k='v' /> x ", "a", EMPTY_TAG | TEXT),
        ("<a/>x</a>", "a", EMPTY_TAG | TEXT | LEAF),
        ("</a\n>", "a", END_TAG),
        ("</a></a> x", "a", END_TAG | LEAF | TAIL),
        ("<!-- <a> -->\n", "", COMMENT),
        ("<!---->x", "", COMMENT | TEXT),
        ("<![CDATA[x]]>", "", CDATA),
        ("<![CDATA[\n]]> x", "", CDATA | BLANK | TEXT),
        ("<![CDATA[]]>", "", CDATA | BLANK),
        ("<?p <a> ?>", "", INSTRUCTION),
        ("<?p?>&amp;", "", INSTRUCTION | TEXT),
    ],
)
def test_what_is_told_of_tokens(token, name, kind):
    data = token.encode()
    for walk in (PureWalk(), CompiledWalk()):
        for following in (b"", b"<b>"):
            place = Level(None, "", False).inside("r").inside("a").after(None)
            run = data + following
            assert walk.begin(Part(run, 0, 0, 0, len(run)), place, 0, None) == (0, len(data), place, name, kind)


def test_as_many_transitions_as_there_are():
    """None is forgotten while there are thousands, with names of any length."""
    data = "".join(f"<n{number}/>" for number in range(5000)).encode() + b"<" + b"x" * 100_000 + b"/>"
    for walk in (PureWalk(), CompiledWalk()):
        walker = Walker(walk, ["r"])
        walker.after = lambda place, name, kind: place
        walker.through(data, 0, len(data), 10_000)
        assert len(walker.missed) == 5001
        again = len(walker.missed)
        walker.through(data, 0, len(data), 10_000)
        assert len(walker.missed) - again in range(1000, 1002)  # those that were not to be known


@pytest.mark.parametrize(
    ("run", "stops"),  # of a walk that knows all tokens
    [
        (b"<n>\n <n/></n>", []),  # nothing is known of the line of the element
        (b"<m/>\n <n>\n  <n/>\n  <n/></n>", []),
        (b"<m/>\n <n>\n <n/></n>", [b"<n/></n>"]),
        (b"<m/>\n <n>\n<n/></n>", [b"<n/></n>"]),
        (b"<m/>\n <n>\n  <n/>\n   <n></n></n>", [b"<n></n>"]),
        (b"<m/>\n <n>\n <m/></n>", []),
        (b"<m/>\n <m><n>\n <n/></n></m>", []),
        (b"<m/>\n <n>\n <n>\n <n>\n <n/></n></n></n>", [b"<n>\n ", b"<n>\n ", b"<n/></n>"]),
        (b"<m/>\n" + 255 * b" " + b"<n>\n<n/></n>", [b"<n/></n>"]),
        (b"<m/>\n" + 256 * b" " + b"<n>\n<n/></n>", []),
        (b"<m/>\n<n>\n" + 256 * b" " + b"<n/></n>", []),
        (b"<m/>\n <n>x<n/>\n <n/></n>", []),
        (b"<m/>\n <n>x\n<!-- -->\n <n/></n>", [b"<n/></n>"]),
    ],
)
@pytest.mark.parametrize("watched", [True, False])
def test_watched_tags(run, stops, watched):
    """A walk stops at a tag in an element of its own name whose column may contradict that."""
    for walk in (PureWalk(), CompiledWalk()):
        walker = Walker(walk, ["r"], forgets=False)
        walker.through(run, 0, len(run), 1000)
        known = len(walker.missed)
        walker.through(run, 0, len(run), 1000, watched=0 if watched else len(run))
        found = [run[start:end] for start, end, *_ in walker.missed[known:]]
        assert found == (stops if watched else [])


@pytest.mark.parametrize(
    ("run", "start", "child", "columns", "stops"),
    [
        (b"<n/>", 1, NO_SIBLING, (1,), True),
        (b"<n/>", 2, NO_SIBLING, (1,), False),
        (b"<n/>", None, NO_SIBLING, (1,), False),
        (b"<n/>", 1, NO_SIBLING, (NO_COLUMN,), False),
        (b"<n/>", 1, 2, (0,), True),
        (b"<n/>", 1, 1, (0,), False),
        (b"<n/>", 1, NO_COLUMN, (1,), False),
        (b"<n>\n <n/></n>", 1, NO_SIBLING, (0,), True),
        (b"<n>\n <n/></n>", 0, NO_SIBLING, (NO_COLUMN,), False),
        (b"</n>\n <n/>", 2, NO_SIBLING, (1, 0), False),
        (b"</n>\n <n/>", 2, NO_SIBLING, (2, 0), True),
        (b"</n></n>\n <n>\n <n/></n>", 2, NO_SIBLING, (2, 1, 0), True),
        (b"</n></n>\n  <n>\n   <n/></n>", 2, NO_SIBLING, (2, 2, 1), False),
    ],
)
def test_watched_tags_and_what_is_around(run, start, child, columns, stops):
    """What is open before a walk has columns, too."""
    around = Around(child, columns + (NO_COLUMN,) * (MOST_AROUND - len(columns)))
    for walk in (PureWalk(), CompiledWalk()):
        walker = Walker(walk, ["n", "n", "n"], forgets=False)
        walker.through(run, 0, len(run), 1000)
        known = len(walker.missed)
        walker.through(run, 0, len(run), 1000, column=start, around=around)
        assert (len(walker.missed) > known) == stops


def test_wrong_arguments():
    automaton = one_place_walk()
    stop = (0, 3, 0, "a", 0, 0)
    part = (automaton, b"<a>", 0, 3, 0, 0)
    wrong = [(0, None), (1, "<a>"), (2, -1), (2, 4), (3, 4), (4, -1), (4, 4), (4, None), (5, -1), (5, 1), (5, 1 << 32)]
    begun = (*part, 0, None, None, False)
    assert compiled.begin_walk(*begun) == stop
    bad_around = [1, [1, (1,) * 7], (), (1, (1, 2)), (1, 2, 3, 4, 5, 6, 7, 8), (1 << 40, (1,) * 7)]
    bad_begin = [(6, -1), (6, 1), (6, None), (7, "1"), (7, 1 << 70), *[(8, around) for around in bad_around]]
    gone_on = (*part, 0, 1)
    assert compiled.walk_on(*gone_on) == (3, 3, 0, None, 0, 0)
    bad_following = [(6, -1), (6, 1), (6, 1 << 32), (6, None), (7, None)]
    for walk, good, bad_arguments in [
        (compiled.begin_walk, begun, wrong + bad_begin),
        (compiled.walk_on, gone_on, wrong + bad_following),
    ]:
        for number, bad in bad_arguments:
            arguments = [*good]
            arguments[number] = bad
            with pytest.raises((TypeError, ValueError, OverflowError)):
                walk(*arguments)
        with pytest.raises(TypeError):
            walk()
    with pytest.raises(ValueError, match="no token"):
        compiled.walk_on(automaton, b"x<a>", 0, 4, 0, 0, 0, 1)


def test_wrong_arguments_after_a_walk():
    """What a walk has come to is only known in the data that it was in."""
    automaton = one_place_walk()
    compiled.begin_walk(automaton, b"<a><b>", 0, 6, 0, 0, 0, None, None, False)
    compiled.walk_on(automaton, b"<a><b>", 0, 6, 0, 0, 0, 1)
    compiled.walk_on(automaton, b"<a><b>", 3, 6, 0, 0, 0, 1)
    assert compiled.walked(automaton, b"<a><b>", 6) == (0, [None, None], 3, NO_SIBLING, None, True, -1)
    assert not compiled.is_misplaced(automaton, b"<a><b>", 6)
    for function in (compiled.walked, compiled.is_misplaced):
        for arguments in [
            (b"<a><b>", 7),
            (b"<a><b>", 2),
            (b"<a><b>", -1),
            (b"<a", 3),
            ("<a><b>", 3),
            (b"<a><b>", None),
        ]:
            with pytest.raises((TypeError, ValueError)):
                function(automaton, *arguments)
        with pytest.raises((TypeError, ValueError)):
            function(None, b"<a><b>", 6)
        with pytest.raises(TypeError):
            function(automaton)
    assert not compiled.is_surely_inside(automaton, b"<a><b>", 6, 6, 9, 99, NOWHERE)
    for arguments in [
        (b"<a><b>", 7, 6, 9, 99, NOWHERE),
        (b"<a><b>", 2, 6, 9, 99, NOWHERE),
        (b"<a><b>", 6, 5, 9, 99, NOWHERE),
        (b"<a><b>", 6, 7, 9, 99, NOWHERE),
        (b"<a", 3, 6, 9, 99, NOWHERE),
        ("<a><b>", 6, 6, 9, 99, NOWHERE),
        (b"<a><b>", 6, 6, 9, 99, (0, (0,))),
        (b"<a><b>", 6, 6, 9, 99, [*NOWHERE]),
        (b"<a><b>", 6, 6, None, 99, NOWHERE),
    ]:
        with pytest.raises((TypeError, ValueError)):
            compiled.is_surely_inside(automaton, *arguments)
    with pytest.raises((TypeError, ValueError)):
        compiled.is_surely_inside(None, b"<a><b>", 6, 6, 9, 99, NOWHERE)


SURELY = [
    # the run, what is before the tag that is asked about, and whether it surely is inside for each kind of walk
    ("<a>x<b/></a>", "<a>x", True, True),
    ("<a>x<b></b></a>", "<a>x", True, True),
    ("<a>x<b>y<c/>z</b></a>", "<a>x", True, True),
    ("<a>x<b></b><c></c><d>", "<a>x", False, False),  # the element does not end in the run
    ("<a>x<b><c></c></b>", "<a>x", False, False),
    ("<a>x<b><a></a></b>", "<a>x", False, False),
    ("<a>x<b/><!-- </a> --><![CDATA[</a>]]><?p </a>?>y", "<a>x", False, False),
    ("<a>x<b/>y</a><c></c>", "<a>x", True, True),
    ("<a>x<b/></a>y</a>", "<a>x", True, True),
    ("<a>x<b/>" + "<c></c>" * 9 + "<d/></a>", "<a>x", True, True),  # the end tag is the twentieth
    ("<a>x<b/>" + "<c></c>" * 10 + "</a>", "<a>x", False, False),
    ("<a>x<b></b>" + "<c></c>" * 9 + "</a>", "<a>x", True, True),
    ("<a>x<b></b>" + "<c></c>" * 9 + "<d/></a>", "<a>x", False, False),
    ("<a>x<b/>" + "<c></c>" * 9 + "</b>y</b>", "<a>x", True, True),  # two end tags that are one token
    # columns, which only the compiled walk looks at
    ("<a>\n <b/></a>", "<a>\n ", True, False),  # farther in than the parent, which stands at the start
    ("<a>\n<b/></a>", "<a>\n", False, False),
    ("<a>\n <c/>\n <b/></a>", "<a>\n <c/>\n ", True, False),
    ("<a>\n <c/>\n  <b/></a>", "<a>\n <c/>\n  ", False, False),  # it stands elsewhere than the child before it
    ("x<a>\n <b/></a>", "x<a>\n ", False, False),  # where the parent stands is not looked for
    ("<a> <b/></a>", "<a> ", False, False),
    (f"<a>\n{' ' * 255}<b/></a>", f"<a>\n{' ' * 255}", True, False),
    (f"<a>\n{' ' * 256}<b/></a>", f"<a>\n{' ' * 256}", False, False),
]


@pytest.mark.parametrize(("run", "before", "in_c", "in_python"), SURELY)
def test_tags_that_surely_are_inside(run, before, in_c, in_python):
    for walk, is_inside in ((CompiledWalk(), in_c), (PureWalk(), in_python)):
        data = f"..{run}..".encode()
        place = Level(None, "", False).inside("o").inside("a").after(None)
        begun, end = 2, len(data) - 2
        first = find_markup(data, begun, end)
        start, _, place, name, kind = walk.begin(Part(data, begun, 0, first, end), place, 0, None)
        while start < 2 + len(before.encode()):
            inside = place.level.inside(name) if name and not kind & (EMPTY_TAG | END_TAG) else place.level
            start, _, place, name, kind = walk.go_on(inside.after(None), is_known=False, is_watched=False)
        assert start == 2 + len(before.encode())
        assert walk.is_surely_inside(20, 1000, NOWHERE) == is_inside


def test_tags_that_surely_are_where_the_elements_before_a_run_are():
    """The columns around a run are told when they are asked for."""
    walk = CompiledWalk()
    data = b"\n  <b/></a>"
    place = Level(None, "", False).inside("o").inside("a").after(None)
    start, *_ = walk.begin(Part(data, 0, None, 3, len(data)), place, 0, None)
    assert start == 3
    for child, parent, is_inside in [(2, 0, True), (3, 0, False), (NO_SIBLING, 1, True), (NO_SIBLING, 2, False)]:
        around = Around(child, (parent,) + (NO_COLUMN,) * (MOST_AROUND - 1))
        assert walk.is_surely_inside(20, 1000, around) == is_inside
    assert not walk.is_surely_inside(20, 1000, NOWHERE)
    assert not walk.is_surely_inside(0, 1000, around)


@pytest.mark.parametrize("walk", [CompiledWalk, PureWalk])
@pytest.mark.parametrize(
    "content",
    ["<c>x</c>" * 9, "<!--" + " </a> " * 9 + "-->", "<?p" + " </a> " * 9 + "?>", "y" * 60, "<c/>y" * 9],
)
def test_elements_that_end_in_time(walk, content):
    """How far the end of an element is looked for."""
    data = f"<a>x<b/>{content}</a> <c/>".encode()
    end = data.rindex(b"<c/>")
    for reach in range(end + 9):
        walks = walk()
        place = Level(None, "", False).inside("o").after(None)
        start, _, place, name, _ = walks.begin(Part(data, 0, 0, 0, len(data)), place, 0, None)
        following = place.level.inside(name).after(None)
        start, *_ = walks.go_on(following, is_known=False, is_watched=False)
        assert start == 4
        assert walks.is_surely_inside(99, reach, NOWHERE) == (reach >= end - 4)


def tables_of(learned, open_names):
    return (*learned.tables, open_names, [], HTML_VOID, TEXT_CHILD)


def test_wrong_tables():
    tables = tables_of(Learned(), {})
    numbers = (31, 9, 9, 9, 9, 9)
    compiled.make_walk(tables, numbers)
    for bad in [tables[:-1], [*tables], (), 1, *[(*tables[:i], 1, *tables[i + 1 :]) for i in range(len(tables))]]:
        with pytest.raises((TypeError, ValueError)):
            compiled.make_walk(bad, numbers)
    for bad in [None, (1,), (31, 9, 9, -1, 9, 9), (31, 9, 9, 9, 9, -1), (31, 9, 9, 1 << 62, 9, 9)]:
        with pytest.raises((TypeError, ValueError)):
            compiled.make_walk(tables, bad)


def test_wrong_places():
    walk = one_place_walk()
    level = compiled.number_level(walk, 0, "a", True)
    assert compiled.number_level(walk, 0, "a", True) == level != compiled.number_level(walk, 0, "a", False)
    assert compiled.show_level(walk, level) == (0, "a", True)
    assert compiled.show_place(walk, compiled.number_place(walk, level, "b")) == (level, "b")
    for function, arguments in [
        (compiled.number_level, (99, "a", False)),
        (compiled.number_level, (-1, "a", False)),
        (compiled.number_level, (0, b"a", False)),
        (compiled.number_place, (99, "a")),
        (compiled.number_place, (0, b"a")),
        (compiled.show_level, (0,)),
        (compiled.show_level, (99,)),
        (compiled.show_place, (-1,)),
        (compiled.show_place, (99,)),
    ]:
        with pytest.raises((TypeError, ValueError)):
            function(walk, *arguments)
        with pytest.raises((TypeError, ValueError)):
            function(None, *arguments)


DOCUMENTS = (
    "<c><i><t>x</t><l/></i><i><t/>y<l></l></i><j>z</j><i><t>x</t></i></c>",
    "<c>\n <i>\n  <t>x</t>\n  <br>\n </br></i>\n <u><t>x</t>y</u><i><br/></i>\n</c>",
    "<c><![CDATA[ x ]]><i><![CDATA[ ]]></i><i>t</i>t<i/><a><i/><t/></a><a><t/></a></c>",
    "<c><t>x</t><t><i/></t><t/><n><n/></n><m><t>x</t><l/></m><m><l/><t>x</t></m></c>",
)


@pytest.mark.parametrize("rules", [(), ("filled", "void", "implied", "text", "soft"), ("implied",), ("void", "text")])
@pytest.mark.parametrize("document", DOCUMENTS)
@pytest.mark.parametrize("far", [0, 140_000])
def test_learning_in_c_is_learning_in_python(document, rules, far):
    """So much is learned from each beginning of a document, near the end of its run or far from it."""
    for cut in range(len(document)):
        if not document[cut:].startswith("<") or document.startswith(("</c", "<![", "</"), cut):
            continue
        known = []
        for is_compiled in (False, True):
            policy = Intent(RULES - {*rules})
            policy.opened("r", {})
            learner = Learner(policy, is_compiled=is_compiled)
            data = (document[:cut] + " " * far).encode()
            outcome = learner.learn(data, 0, len(data), Limits(99, 0, 0, True, references={}))
            shown = {name: getattr(policy.learned, name) for name in Learned.__slots__}
            known.append((outcome, shown, policy.position(7)))
        assert known[0] == known[1]


@pytest.mark.parametrize(
    ("run", "is_flat"),
    [
        ("<a/>", True),
        (" \n<!-- x --><a>t<b k='>'/><c>x</c><b>y<d><c/></d></b></a> <?p?>\n", True),
        ("<a><b/></a><c/>", False),  # two elements
        ("<a><b><c><b/></c></b></a>", False),  # one in another of its name
        ("<a><a>x</a></a>", False),
        ("<a><b></a></b>", False),
        ("<a><b>", False),
        ("</a>", False),
        ("x", False),
        ("<a><![CDATA[<![CDATA[]]></a>", False),  # of which the end may be doubted
        ("<a>" + "<b>x</b>" * 10_000 + "</a>", True),  # however many tags it has
        ("".join(f"<n{i}>" for i in range(65)) + "".join(f"</n{i}>" for i in reversed(range(65))), False),
    ],
)
def test_runs_of_which_nothing_is_doubted(run, is_flat):
    assert compiled.is_flat(run.encode(), 0, len(run)) == is_flat


def test_parts_of_which_nothing_is_doubted():
    assert compiled.is_flat(b"<x><a/></y>", 3, 7)
    for bad in [(b"<a/>", -1, 4), (b"<a/>", 3, 2), (b"<a/>", 0, 5), (1, 0, 4)]:
        with pytest.raises((TypeError, ValueError)):
            compiled.is_flat(*bad)
