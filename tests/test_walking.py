"""The two kinds of walk through error-free runs, in Python and in C, come to the same."""

from random import Random

import pytest

from xml5tree.accelerator import compiled
from xml5tree.dialects.xml5.intent.columns import NO_COLUMN, NO_SIBLING
from xml5tree.dialects.xml5.intent.walking import (
    MOST_AROUND,
    NOWHERE,
    Around,
    CompiledWalk,
    Level,
    PureWalk,
)

pytestmark = pytest.mark.skipif(compiled is None, reason="the scanner is not compiled, or switched off")

NAMES = ("a", "b", "été", "p:c", "longer-name", "a1")
SPACES = ("", "", " ", "\n\t ")
TEXTS = ("", "", " ", "\n  ", "\n ", "\n", "text", " text ", "&amp;", "a & b", "é]", " > ")
ATTRIBUTES = ("", "", " k='v'", ' k="a>b" l=\'"\'', "\n k = '/' ", ' k="\'"')
SECTIONS = ("<!-- x -->", "<!---->", "<!-- <a> - -->", "<![CDATA[x]]>", "<![CDATA[ \n]]>", "<![CDATA[]]]]>", "<?p?>")
OTHERS = ("<?p x > ?>", "<![CDATA[ <a> ]]>", "<![CDATA[<![CDATA[ x ]]>", "<?p <?p ?>", "<?p <?>", "<!-- <? <? -->")


def run_of(random, open_names):
    """An error-free run, which may end elements that are open."""
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
            pieces.append(f"<{name}{attributes}/>")
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

    def through(self, data, start, end, stop_at, watched=0, around=NOWHERE):
        """Walk through a run, or to the token of a number that is not known or watched; what comes of it."""
        place = self.here.after(None)
        first = data.find(b"<", start, end)
        start, end, place, token = self.walk.begin(data, first if first >= 0 else end, end, place, watched, around)
        while start < end and len(self.missed) < stop_at:
            self.missed.append((start, end, token))
            following = self.after(place, token)
            start, end, place, token = self.walk.go_on(
                following,
                is_known=not self.forgets or len(self.missed) % 5 > 0,
                is_watched=not token[0] and token[1].decode() == place.level.name,
            )
        return start, self.missed, place.level.path(), place.last, self.walk.outcome(self.here)

    def after(self, place, token):
        solidus, name, empty, _, cdata, blank, text, end, tail = token
        name = name.decode()
        if solidus:
            place = place.outside()
        elif name:
            place = place.level.after(name) if empty else place.level.inside(name).after(None)
        elif cdata and not blank:
            place = place.after_text()
        if not text:
            place = place.after_text()
        if end:
            place = place.outside()
            if not tail:
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
        around = Around(random.randint(-1, 3), random.randint(-2, 3), columns)
        watched = random.choice((0, len(data) // 2))
        results = [walker.through(data, 6, 6 + len(run), stop_at, watched, around) for walker in walkers]
        assert results[0] == results[1]


def test_outcome():
    for walk in (PureWalk(), CompiledWalk()):
        level = Level(None, "", False).inside("r").inside("s")
        walker = Walker(walk, ["r", "s"])
        walker.here = level
        data = b"<a><b/></a></s><c k='1'><d>x</d> <e> "
        start, _, path, last, outcome = walker.through(data, 0, len(data), 1000)
        assert (start, path, last) == (len(data), ["r", "c", "e"], None)
        assert outcome == (1, [data.index(b"<c"), data.index(b"<e")], -1, True)
        assert walker.through(data, 0, data.index(b"</s>"), 1000)[4] == (0, [], 0, True)
        assert walker.through(b"<!-- x -->y", 0, 11, 1000)[4] == (0, [], -1, False)


def test_as_many_transitions_as_there_are():
    """None is forgotten while there are thousands, with names of any length."""
    data = "".join(f"<n{number}/>" for number in range(5000)).encode() + b"<" + b"x" * 100_000 + b"/>"
    for walk in (PureWalk(), CompiledWalk()):
        walker = Walker(walk, ["r"])
        walker.after = lambda place, token: place
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
        found = [run[start:end] for start, end, _ in walker.missed[known:]]
        assert found == (stops if watched else [])


@pytest.mark.parametrize(
    ("run", "start", "child", "columns", "stops"),
    [
        (b"<n/>", 1, NO_SIBLING, (1,), True),
        (b"<n/>", 2, NO_SIBLING, (1,), False),
        (b"<n/>", NO_COLUMN, NO_SIBLING, (1,), False),
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
    around = Around(start, child, columns + (NO_COLUMN,) * (MOST_AROUND - len(columns)))
    for walk in (PureWalk(), CompiledWalk()):
        walker = Walker(walk, ["n", "n", "n"], forgets=False)
        walker.through(run, 0, len(run), 1000)
        known = len(walker.missed)
        walker.through(run, 0, len(run), 1000, around=around)
        assert (len(walker.missed) > known) == stops


def test_wrong_arguments():
    automaton = compiled.make_automaton()
    good = (automaton, b"<a>", 0, 3, 0, 0, -1, 0)
    assert compiled.walk(*good) == (0, 3, 0, (b"", b"a", b"", b"", b"", b"", b"<", b"", b""))
    wrong = [(0, None), (1, "<a>"), (2, -1), (2, 4), (3, 4), (4, -1), (4, 4), (4, None), (5, -1), (5, 1 << 32)]
    for number, bad in [*wrong, (6, 1 << 32), (6, None), (7, None)]:
        arguments = [*good]
        arguments[number] = bad
        with pytest.raises((TypeError, ValueError)):
            compiled.walk(*arguments)
    with pytest.raises(ValueError, match="no token"):
        compiled.walk(automaton, b"x<a>", 0, 4, 0, 0, 0, 1)
    with pytest.raises(TypeError):
        compiled.walk()
    with pytest.raises(ValueError, match="PyCapsule"):
        compiled.walked(None)
