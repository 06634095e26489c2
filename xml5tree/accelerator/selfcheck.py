"""Calls each function of the compiled part once, since it may have been compiled for another Python."""

from types import ModuleType, SimpleNamespace
from typing import Any

__all__ = ["fault_of"]

_LIMITS: tuple[Any, ...] = (
    9,
    9,
    0,
    False,
    {b"x": b"y"},
    {},
    {},
    None,
    {b"e": (b"1", b"2", 0)},
    True,
    True,
    True,
    False,
)
_PART = (((b"<a>", 2), (b"</a>", 1)), ((0, 0),), 3, -1)
_VIEW = (0, 9, False, True, True)
_FACTS = (set[Any](), set[str](), dict[str, int](), frozenset[str](), set[str](), str.__eq__)


def fault_of(scan: ModuleType) -> str:
    """Return what a function of the compiled module has raised or returned wrongly, or ""."""
    try:
        for name, expected, arguments in _calls(scan):
            found = getattr(scan, name)(*arguments)
            if expected is not ... and found != expected:
                return f"{name} returns {found!r}"
    except Exception as error:  # a SystemError, most likely
        return f"{type(error).__name__}: {error}"
    return ""


def _calls(scan: ModuleType) -> list[tuple[str, object, tuple[Any, ...]]]:
    """Return names of functions, what they return for some arguments (...: is not compared), and the arguments."""
    tags, learner = scan.open_tags(1), scan.make_learner((0, 9, 9, 9, 9, 9), 1)
    open_elements = [SimpleNamespace(name="r", indent=None, has_text=False, has_children=False)]
    tables: tuple[Any, ...] = (
        set(),
        set(),
        {},
        set(),
        set(),
        set(),
        set(),
        {},
        {},
        {"r": 1},
        open_elements,
        frozenset(),
    )
    rows = b"<a>x</a>", 0, (_PART,), b"\0"
    column = *scan.find_rows(*rows)[2:], 1, 0, False, 0, 1
    costs = tuple(1 for _ in scan.list_costs())
    search = scan.open_search(costs, False, (), 1)
    return [
        ("sources", ..., ()),
        ("scan", ..., (b"<a b=c>&x;&e; & </b>", 0, 20, ["r"], {"p": "u"}, {}, _LIMITS, None)),
        ("has_error", False, (b"<a/>", 0, 4, 9, False)),
        ("seems_broken", True, (b"<a>",)),
        ("forbidden_characters", "\x01", (b"\x01",)),
        ("learn_part", ..., (learner, None, tables, b"x<a>y</a>", 0, 9, None, True)),
        ("is_flat", True, (b"<a>x</a>", 0, 8)),
        ("find_elements", ([0], [1], [4], [0]), (b"<a/>", b"a", 0, 1, False)),
        ("find_rows", ..., rows),
        ("list_records", ([0], [b"<a>x</a>"]), (b"<a>x</a>", 0, 8, b"a", False, 0)),
        ("list_values", ["x"], (column,)),
        ("join_texts", ..., ([column, ["y"]], False)),
        ("read_tags", (8, 8), (tags, b"<a></b>x", 0, 0, True)),
        ("add_tag", None, (tags, 8, 9, 1, "c")),
        ("list_tags", [(0, "a", 0, 3), (2, "b", 3, 8), (3, "", 3, 8), (1, "c", 8, 9)], (tags, 0, 9)),
        ("first_tag", (2, "b", 8), (tags, _VIEW, 9, 4)),
        ("end_of_element", ("b", 8), (tags, (3, *_VIEW[1:]), 9, "a", 9, 0)),
        ("last_tag", ("", False, True, 9), (tags, _VIEW, 9)),
        ("compare_readings", ..., (tags, _VIEW, ((["r"], (), (("r", "a"),)),), _FACTS, (*[9] * 8, ""))),
        ("find_fault", True, (tags, _VIEW, ["r"], [])),
        ("ends_rightly", False, (tags, _VIEW, 9, 9, "r", [])),
        ("cut_tags", None, (tags,)),
        ("drop_tags", True, (tags, 0)),
        ("list_costs", ..., ()),
        ("open_search", ..., (costs, False, (), 1)),
        ("step_search", ..., (search, list, b"<a/>", 0, 4, True, 0)),
        ("count_search", 1, (search, 0, b"a")),
    ]
