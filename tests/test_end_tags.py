"""What an end tag does to the open elements is one rule (D-109, D-110), in whatever part of the library it is read.

Tree construction has it, with and without the fast path. What reads ahead has it as well, in Python and in C: in
`Simulation`, which counts errors, and in `DraftReading`, which stops at the first.
"""

from itertools import product

import pytest

import xml5tree
from compat.lanes import LANES, lane
from xml5tree.accelerator import compiled
from xml5tree.dialects.xml5.intent.ahead import Ahead
from xml5tree.dialects.xml5.intent.constants import MOST_OPEN
from xml5tree.dialects.xml5.intent.learned import Learned
from xml5tree.dialects.xml5.intent.outlook import DraftReading
from xml5tree.dialects.xml5.intent.simulation import Begun, Simulation
from xml5tree.dialects.xml5.intent.window import END_TAG, START_TAG

TAGS = {"<a>": (START_TAG, "a"), "<b>": (START_TAG, "b"), "</a>": (END_TAG, "a"), "</b>": (END_TAG, "b")}
SHORT = {"</>": (END_TAG, "")}
MARK = "<m/>"
STRAY = {"</x>": (END_TAG, "x")}
#: Numbers of open elements beyond which something stops looking: 64, `MOST_LOOKED_AT` in scanner.h, and `MOST_OPEN`.
LIMITS = (64, MOST_OPEN)
WRONG = {"mismatched-end-tag", "unmatched-end-tag"}


def simulated(tags):
    """The indices of wrong end tags, how many errors they are, and what is open then; None: the root has ended."""
    simulation = Simulation(Begun(["r"]), learned())
    wrong = []
    for index, (kind, name) in enumerate(tags):
        if kind == START_TAG:
            simulation.begin(name)
            continue
        before = simulation.errors, len(simulation.forced)
        simulation.end(name)
        if (simulation.errors, len(simulation.forced)) != before:
            wrong.append(index)
        if not simulation.stack:
            return None
    return wrong, simulation.errors, simulation.stack


def learned():
    """A document that has shown all names, so that no end tag is taken for a slip of the pen."""
    found = Learned()
    for name in ("r", "a", "b", "m"):
        found.learn_name(name)
    return found


def sequences(length):
    for texts in product(TAGS | SHORT, repeat=length):
        expected = simulated([(TAGS | SHORT)[text] for text in texts])
        if expected is not None:
            yield texts, *expected


@pytest.mark.usefixtures("eager_fast_path")
@pytest.mark.parametrize("options", [{}, {"roots": "all"}])
@pytest.mark.parametrize("length", range(1, 5))
def test_trees_and_simulations_agree(length, options):
    for texts, wrong, _, stack in sequences(length):
        check_tree(texts, wrong, stack, **options)


@pytest.mark.usefixtures("eager_fast_path")
@pytest.mark.parametrize("options", [{}, {"roots": "all"}])
@pytest.mark.parametrize("end", ["</a>", "</x>", "</>"])
def test_deep_trees_and_simulations_agree(end, options):
    for texts, wrong, _, stack in deep_sequences(end):
        check_tree(texts, wrong, stack, **options)


def check_tree(texts, wrong, stack, **options):
    """In all lanes, these end tags are wrong, and the mark is in these elements."""
    starts = [3 + len("".join(texts[:index])) for index in wrong]
    for name in LANES:
        log = []
        with lane(name):
            root = xml5tree.fromstring(f"<r>{''.join(texts)}{MARK}", recovery="draft", on_error=log.append, **options)
        assert [entry.offset for entry in log if entry.code in WRONG] == starts
        around = names_around(root, "m")
        assert (around[1:] if options.get("roots") == "all" else around) == stack


def deep_sequences(end):
    """An end tag after so many start tags of other names that a limit is just not reached, and just is."""
    for limit in LIMITS:
        for depth in range(limit - 2, limit + 3):
            texts = ["<a>", *["<b>"] * depth, end]
            yield texts, *simulated([(TAGS | SHORT | STRAY)[text] for text in texts])


def names_around(root, name):
    """The names of the elements around the last element, which has a name."""
    names = []
    while root.tag != name:
        names.append(root.tag)
        root = root[-1]
    return names


@pytest.mark.parametrize("length", range(1, 5))
def test_the_first_error_is_the_same(length):
    for texts, wrong, _, _ in sequences(length):
        reading = DraftReading(["r"], ())
        tags = [(TAGS | SHORT)[text] for text in texts]
        first = next((index for index, tag in enumerate(tags) if not reading.read([tag])), None)
        assert first == (wrong[0] if wrong else None)


@pytest.mark.parametrize("length", range(1, 5))
def test_reading_ahead_agrees(length):
    for texts, wrong, errors, _ in sequences(length):
        check_ahead(texts, wrong, errors)


@pytest.mark.parametrize("end", ["</a>", "</x>", "</>"])
def test_reading_deep_ahead_agrees(end):
    for texts, wrong, errors, _ in deep_sequences(end):
        check_ahead(texts, wrong, errors)


def check_ahead(texts, wrong, errors):
    """In Python and in C, what reads ahead finds so many errors, or fewer as the end tags that follow tell more."""
    kinds = [Ahead]
    if compiled is not None:
        from xml5tree.dialects.xml5.intent.compiled import CompiledAhead

        kinds.append(CompiledAhead)
    text = "".join(texts) + MARK
    found = set()
    for kind in kinds:
        ahead = kind(learned())
        window = ahead.window(text, 0, len(text), False, 0)
        assert ahead.has_fault(window, ["r"], ()) == bool(wrong)
        found.update(ahead.compare([Begun(["r"])], window))
    [(least, _)] = found
    assert bool(wrong) <= least <= errors
