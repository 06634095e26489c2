"""The two readers of error-free runs, in Python and in C, come to the same."""

import gc
import re
import weakref
from random import Random
from types import SimpleNamespace

import pytest
from support.cases import each_case
from support.windows import window_of

import xml5tree
from compat.lanes import LANES, lane
from compat.rules import policy_without
from xml5tree.accelerator import compiled
from xml5tree.dialects.xml5.intent.columns import NO_SIBLING
from xml5tree.dialects.xml5.intent.constants import INSIDE_REACH, MOST_INSIDE, MOST_LEARNED, RULES, WINDOW
from xml5tree.dialects.xml5.intent.learned import TEXT_CHILD, Learned
from xml5tree.dialects.xml5.intent.learning import Learner
from xml5tree.dialects.xml5.intent.policy import Intent
from xml5tree.dialects.xml5.intent.runs import pure
from xml5tree.dialects.xml5.intent.runs.contract import MOST_KNOWN, Learnt
from xml5tree.dialects.xml5.intent.runs.pure import PureReader
from xml5tree.dialects.xml5.intent.runs.tokens import TOKEN
from xml5tree.dialects.xml5.intent.situation import PlacedTag
from xml5tree.dialects.xml5.lexis import HTML_VOID
from xml5tree.fastpath.contract import Limits

pytestmark = pytest.mark.skipif(compiled is None, reason="the scanner is not compiled, or switched off")

READERS = {"pure": PureReader}
if compiled is not None:
    from xml5tree.dialects.xml5.intent.runs.compiled import CompiledReader

    READERS["compiled"] = CompiledReader
each_reader = pytest.mark.parametrize("kind", READERS)

NAMES = ("a", "b", "été", "p:c", "longer-name", "a1", "br")
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
ATTRIBUTES = ("", "", " k='v'", ' k="ab" l=\'"\'', "\n k = '/' ", ' k="\'"', " k=v l", ' k="v"l="w"')
SECTIONS = ("<!-- x -->", "<!---->", "<!-- <a> - -->", "<![CDATA[x]]>", "<![CDATA[ \n]]>", "<![CDATA[]]]]>", "<?p?>")
OTHERS = ("<?p x > ?>", "<![CDATA[ <a> ]]>", "<![CDATA[<![CDATA[ x ]]>", "<?p <?p ?>", "<?p <?>", "<!-- <? <? -->")
#: The end of a run that goes on so far that the policy would not look beyond it.
FAR = b"<!--" + b" " * (5 * WINDOW) + b"-->"


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
        elif kind < 4 and len(open_names) > 1:
            pieces.append(f"</{open_names.pop()}{random.choice(SPACES)}>")
        elif kind == 4:
            pieces.append(f"{random.choice(('', '<', 'x<<'))}<{name}{attributes}/>")
        elif kind == 5:
            pieces.append(f"<{name}{attributes}>{random.choice(TEXTS)}</{name}{random.choice(SPACES)}>")
        elif kind == 6:
            pieces.append(random.choice(SECTIONS if random.randrange(9) else OTHERS))
        pieces.append(random.choice(TEXTS))
    return "".join(pieces)


class Reading:
    """A reader, and the policy of a document in which elements are open; `columns` are those of their tags."""

    def __init__(self, kind, names, columns=(), *, rules=RULES):
        self.policy = policy_without(RULES - rules)()
        for number, name in enumerate(names):
            self.policy.opened(name, {}, (columns[number] if columns else None, False))
        self.policy.column = None
        self.reader = READERS[kind](self.policy)

    def read(self, data, start=0, end=None, *, is_right=False):
        """Read a part, and tell the policy of it, as `Learner` does."""
        learnt = self.reader.read(data, start, len(data) if end is None else end, is_right=is_right)
        self.policy.note_run(learnt)
        return learnt

    def read_all(self, data, start=0, end=None):
        """Read a run, passing the tags about which the policy has to be asked; all parts of it."""
        parts = [self.read(data, start, end)]
        while True:
            tag = re.compile(rb"<[^>]*>").match(data, parts[-1].end, len(data) if end is None else end)
            if parts[-1].asked is not None:
                name, is_empty = parts[-1].asked
                self.policy.pass_tag(PlacedTag(name, {}, is_empty, self.policy.column), is_doubtful=False)
            elif (
                tag
                and tag[0].startswith(b"</")
                and self.policy.doubts_end_tag("")
                and len(self.policy.innermost_elements(2)) > 1
            ):
                self.policy.ended()
                self.policy.closed()
                self.policy.column = None
            else:
                return parts
            parts.append(self.read(data, tag.end(), end))

    def know(self, names):
        """Have the document shown elements of the names in each other, all with text, so that none is doubted."""
        learned = self.policy.learned
        for parent in names:
            learned.learn_content(parent)
            learned.learn_pair(parent, TEXT_CHILD)
            learned.learn_empty(parent)
            for child in names:
                for before in (None, *names):
                    learned.learn_child(parent, before, child)
        return self

    @property
    def shown(self):
        """What the document has shown, and what is open."""
        learned = {name: getattr(self.policy.learned, name) for name in Learned.__slots__}
        fields = ("name", "indent", "has_text", "last", "last_indent")
        elements = [[getattr(element, name) for name in fields] for element in self.policy.innermost_elements(99)]
        return learned, elements, self.policy.column


@each_case("seed", range(300))
def test_both_come_to_the_same(seed):
    """So do they with what they know of runs before, and in the middle of other data."""
    random = Random(seed)
    names = ["r", *random.choices(NAMES, k=8)]
    columns = random.choices((None, 0, 1, 2, 3, 300), k=9)
    rules = random.choice((RULES, RULES, RULES - {"soft", "text"}, RULES - {"void", "implied", "recursion", "filled"}))
    readings = [Reading(kind, names, columns, rules=rules) for kind in READERS]
    for _ in range(6):
        names = [element.name for element in readings[0].policy.innermost_elements(99)]
        run = run_of(random, names[1:][-5:]).encode()
        far = random.choice((b"", b"", FAR))
        data = b"<x y='" + run + far + b"' <a>"
        results = [reading.read_all(data, 6, 6 + len(run) + len(far)) for reading in readings]
        assert results[0] == results[1]
        assert readings[0].shown == readings[1].shown
        indented = {random.choice(NAMES)} if random.randrange(3) == 0 else set()
        for reading in readings:
            reading.policy.learned.indented |= indented


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
        for make_reader in READERS.values():
            policy = policy_without(RULES - {*rules})()
            policy.opened("r", {})
            learner = Learner(policy, make_reader(policy))
            data = (document[:cut] + " " * far).encode()
            outcome = learner.learn(data, 0, len(data), Limits(99, 0, 0, True, references={}))
            shown = {name: getattr(policy.learned, name) for name in Learned.__slots__}
            known.append((outcome, shown))
        assert known[0] == known[1]


@each_reader
@pytest.mark.parametrize(
    ("run", "effect"),
    [
        (b"<a/>", (0, [], [], -1, "a", None, None, True)),
        (b"\n <a/>\n  ", (0, [], [], -1, "a", 1, 2, True)),
        (b"<!-- x -->y", (0, [], [], -1, TEXT_CHILD, NO_SIBLING, None, False)),
        (b"\n \t ", (0, [], [], -1, None, NO_SIBLING, 3, False)),
        (b"<![CDATA[ ]]>", (0, [], [], -1, None, NO_SIBLING, None, False)),
        (b"<![CDATA[x]]>", (0, [], [], -1, TEXT_CHILD, NO_SIBLING, None, False)),
        (b"</s><!---->", (1, [], [], -1, "s", NO_SIBLING, None, False)),
        (b"<a><b/></a></s><c k='1'><d>x</d> <e> ", (1, ["c", "e"], [None, None], 33, None, NO_SIBLING, None, True)),
        (b" < <<>x<<a k=v l> < <: </a>5 <", (0, [], [], -1, "a", None, None, True)),  # other "<" are text
    ],
)
def test_effect(kind, run, effect):
    assert Reading(kind, ["r", "s"]).know("rsabcde").read(run) == Learnt(len(run), None, *effect)


@each_reader
@pytest.mark.parametrize(
    ("run", "end"),  # where the part ends
    [
        (b"</r>", b"</r>"),
        (b"x</r>", b"</r>"),
        (b"<a/></r>", b"</r>"),
        (b"<a></a></r>", b"</r>"),
        (b"<r/>x</r>", b"<r/>"),  # an element in one of its own name, which the states read
        (b"<a><![CDATA[ <![CDATA[ ]]>", b"<![CDATA[ <"),  # of which the end may be doubted
        (b"<a>x<?p <? ?>y", b"<?p"),
        (b"<a>x<!-- <? <? -->y", b""),
    ],
)
def test_ends_of_parts(kind, run, end):
    reading = Reading(kind, ["r"])
    expected = run.index(end) if end else len(run)
    assert reading.read_all(run)[-1].end == expected


@each_reader
def test_the_outermost_known_element_is_not_ended(kind):
    names = ["r", *"abcdefg"]
    run = b"</g></f></e></d></c></b></a>"
    assert len(names) == MOST_KNOWN + 1
    assert Reading(kind, names).read(run)[:3] == (run.index(b"</a>"), None, 6)
    # An empty tag and the end tag of the element around it are one token.
    names[-1] = "a"
    reading = Reading(kind, ["r", "a"])
    reading.policy.learned.learn_child("a", None, "a")
    reading.policy.learned.learn_child("a", "a", "a")
    assert reading.read(b"<a/><a/></a>")[:3] == (12, None, 1)
    reading = Reading(kind, ["a"])
    reading.policy.learned.learn_child("a", None, "a")
    reading.policy.learned.learn_child("a", "a", "a")
    assert reading.read(b"<a/><a/></a>")[:3] == (4, None, 0)


@each_reader
@each_case(
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
def test_columns(kind, before, column, found):
    """Those of elements that are opened, of the last child, and of the end, wherever the run begins in the data."""
    for following, (columns, child, end) in [
        ("<a k='v'>\n\t<b>", ([found, 1], NO_SIBLING, None)),
        ("<a>\n <b/>\n</a>\n  ", ([], found, 2)),
        ("<a/>", ([], found, None)),
    ]:
        for data in (b"", b"\n  ", b"\n <y>"):
            run = (before + following).encode()
            reading = Reading(kind, ["r"]).know("rabx")
            reading.policy.learned.learn_end("a")
            reading.policy.column = column
            learnt = reading.read(data + run + b"<z>", len(data), len(data + run))
            assert (learnt.columns, learnt.child, learnt.column) == (columns, child, end)


@each_reader
def test_strange_leaves(kind):
    """Once nothing more is learned, the policy is not asked about leaves with new names."""
    reading = Reading(kind, ["r"])
    learned = reading.policy.learned
    for number in range(MOST_LEARNED):
        name = f"n{number}"
        learned.learn_name(name)
        learned.learn_content(name)
        learned.learn_child("r", None if not number else f"n{number - 1}", name)
        learned.learn_end(name)
    assert learned.is_full
    before = reading.shown[0]["pairs"].copy(), len(learned.completed)
    data = b"<a>x</a><c k='<'>y</c>\n <n1>z</n1>t<d></d> <bb>x</bb>y<e>"
    assert reading.read(data) == Learnt(len(data), None, 0, ["e"], [None], len(data) - 3, None, NO_SIBLING, None, True)
    assert (learned.pairs, len(learned.completed)) == before


@each_reader
@pytest.mark.parametrize(
    ("run", "columns", "end"),  # where the part ends, "" where that is at the end of the run
    [
        ("<n/>", (1,), "<n/>"),
        ("<n/>", (None,), ""),
        (" <n/>", (0,), ""),
        ("\n  <n/>\n  <n/>\n <n/>", (1,), "<n/>"),
        ("\n  <n/>\n  <n></n>\n   <n/>", (1,), "<n/>"),
        ("\n  <n>\n   <n/></n>", (1,), ""),
        ("\n  <n>\n  <n/></n>", (1,), "<n/></n>"),
        ("</n>\n <n/>", (1, 2), "<n/>"),
        ("</n>\n  <n/>", (1, 2), ""),
    ],
)
def test_watched_tags(kind, run, columns, end):
    """A tag in an element of its own name is left to the states if its column contradicts that (R-035)."""
    for far in (b"", FAR):
        names = ["r", "n", "n"][: len(columns) + 1]
        reading = Reading(kind, names, (None, *columns))
        learned = reading.policy.learned
        reading.know("rn")
        learned.indented.add("n")
        reading.policy.column = 1 if run.startswith("<n") else None
        data = run.encode() + far
        expected = len(data) if far or not end else run.rindex(end)
        assert reading.read(data).end == expected


#: What is asked about a tag in `a` that is new there, and whether it surely is in `a`.
SURELY = [
    ("x<b/></a>", True),
    ("x<b></b></a>", True),
    ("x<b>y<c/>z</b></a>", True),
    ("x<b></b><c></c><d>", False),  # the element does not end in the run
    ("x<b><c></c></b>", False),
    ("x<b><a></a></b>", False),
    ("x<b/><!-- </a> --><![CDATA[</a>]]><?p </a>?>y", False),
    ("x<b/>y</a><c></c>", True),
    ("x<b/>" + "<c></c>" * (MOST_INSIDE // 2 - 1) + "<c/></a>", True),
    ("x<b/>" + "<c></c>" * (MOST_INSIDE // 2 - 1) + "<c/><c/></a>", False),
    ("x<b/><!--" + "-" * 9000 + "x--></a>", False),  # too far away
    ("\n  <b/></a>", True),  # farther in than the parent
    ("\n<b/></a>", False),
    ("\n  <c/>\n  <b/></a>", True),
    ("\n  <c/>\n <b/></a>", False),  # it stands elsewhere than the child before it
    (f"\n{' ' * 256}<b/></a>", False),
]


@each_reader
@pytest.mark.parametrize(("run", "is_inside"), SURELY)
def test_tags_that_surely_are_inside(kind, run, is_inside):
    reading = Reading(kind, ["r", "a"], (0, 1))
    for child in ("c", "d"):
        for before in (None, "b", "c"):
            reading.policy.learned.learn_child("a", before, child)
    reading.policy.learned.learn_pair("a", TEXT_CHILD)
    for name in "cd":
        reading.policy.learned.learn_content(name)
    asked = reading.read(run.encode() + b"<z/>").asked
    assert (asked is None or asked[0] != "b") == is_inside


def test_tokens_are_not_looked_for_again_after_each_tag_that_is_passed(monkeypatch):
    """That took quadratic time where many tags of a run are doubted."""
    sizes = []

    class Pattern:
        def finditer(self, text, *arguments):
            sizes.append(len(text))
            return TOKEN.finditer(text, *arguments)

    monkeypatch.setattr(pure, "TOKEN", Pattern())
    monkeypatch.setattr(pure, "end_of_plain_sections", lambda text: sizes.append("all") or len(text))
    for run in (b"<b></b>" * 100, b"<b>x" * 100, b"<b></b><c/>" * 50):
        sizes.clear()
        Reading("pure", ["r"]).read_all(run)
        assert sizes.count("all") == 1


@each_reader
def test_the_reach_of_what_is_looked_for(kind):
    """A "<" at the last byte that is looked at is text, if what follows says so."""
    ends = set()
    for more in range(-4, 1):
        reading = Reading(kind, ["r", "a"], (0, 1))
        reading.policy.learned.learn_pair("a", TEXT_CHILD)
        reading.policy.learned.learn_content("a")
        reading.policy.learned.learn_child("a", None, "c")
        run = b"<b/><!--" + b"-" * (INSIDE_REACH - 15 + more) + b"--></a>< y<z/>"
        ends.add((more, reading.read(b"x" + run).asked is None))
    assert ends == {(-4, True), (-3, True), (-2, False), (-1, False), (0, False)}


def tables_of(policy):
    return *policy.learned.tables, *policy.open_tables, HTML_VOID


def test_a_learner_is_not_used_while_it_works():
    policy = Intent()
    policy.opened("r", {})

    class Asking(Learned):
        def all_names(self):
            return compiled.learn_part(learner, policy, tables_of(policy), b"<q/>", 0, 4, None, True)

    policy.learned = Asking()
    learner = compiled.make_learner((3, 0, 9, 9, 9, 9), 7)
    with pytest.raises(RuntimeError, match="in use"):
        compiled.learn_part(learner, policy, tables_of(policy), b"<a>x</a><b>", 0, 11, None, True)
    assert compiled.learn_part(learner, policy, tables_of(policy), b"", 0, 0, None, True)[0] == 0


def test_many_names():
    """None is forgotten in a part, however many there are; and from one part to the next, all may be."""
    readings = [Reading(kind, ["r"]) for kind in READERS]
    for part in range(3):
        data = "".join(f"<n{part}-{number}/>" for number in range(20_000)).encode() + b"<" + b"x" * 100_000 + b"/>"
        results = [reading.read_all(data + FAR) for reading in readings]
        assert results[0] == results[1]
        assert readings[0].shown == readings[1].shown


def test_wrong_arguments():
    policy, numbers = Intent(), (3, 9, 9, 9, 9, 9)
    policy.opened("r", {})
    learner = compiled.make_learner(numbers, 7)
    for bad in [
        (None, 7),
        ((1,), 7),
        ((3, 9, 9, -1, 9, 9), 7),
        ((3, 9, 9, 9, 9, -1), 7),
        ((3, 9, 9, 1 << 62, 9, 9), 7),
        (),
    ]:
        with pytest.raises((TypeError, ValueError)):
            compiled.make_learner(*bad)
    tables = tables_of(policy)
    good = (learner, policy, tables, b"<a/>", 0, 0, None, False)
    assert compiled.learn_part(*good)[0] == 0
    for number in range(len(tables)):
        with pytest.raises(TypeError):
            compiled.learn_part(learner, policy, (*tables[:number], (), *tables[number + 1 :]), *good[3:])
    for bad in [
        (None, *good[1:]),
        (*good[:3], "<a/>", *good[4:]),
        (*good[:4], -1, *good[5:]),
        (*good[:4], 3, 2, *good[6:]),
        (*good[:5], 5, *good[6:]),
        (*good[:6], "x", False),
        good[:7],
        (learner, SimpleNamespace(), *good[2:5], 4, None, False),
    ]:
        with pytest.raises((TypeError, ValueError, AttributeError)):
            compiled.learn_part(*bad)
    nothing = tables_of(Intent())
    with pytest.raises(ValueError, match="no element is open"):
        compiled.learn_part(learner, policy, nothing, b"<a/>", 0, 4, None, False)


def test_a_policy_is_not_held_by_its_reader():
    """What has been learned of a document goes with it, even where an exception of a callback ends the work."""

    class Stop(Exception): ...

    def stop(entry):
        policies.extend(weakref.ref(found) for found in gc.get_objects() if isinstance(found, Intent))
        raise Stop

    policies = []
    document = "<r>" + "<item><t>x</t></item>\n" * 20 + "<item>a & b<t></item>" + "<item><t>x</t></item>" * 5
    with pytest.raises(Stop):
        xml5tree.fromstring(document, on_error=stop)
    gc.collect()
    assert policies
    assert not [policy for policy in policies if policy() is not None]


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


@pytest.mark.parametrize("unit", ["<b></b>", "<b></b>\n", "<b></b><c></c>", "<a><b></b></a>"])
@pytest.mark.parametrize("name", sorted(LANES.keys() - {"states"}))
def test_empty_leaves_near_the_end_of_a_run_are_passed(unit, name, monkeypatch):
    """R-026: the policy was asked about each of them, a hundred times the time of others."""
    asked = []
    choose = Intent.choose_for_start_tag
    monkeypatch.setattr(Intent, "choose_for_start_tag", lambda *given: asked.append(given[1]) or choose(*given))
    with window_of(1000), lane(name):
        markup = xml5tree.repair(f"<r>& {unit * 5000}</r>")
    assert markup == f"<r>&amp; {unit * 5000}</r>"
    assert len(asked) < 20
