"""Calls each function of the compiled part once, since it may have been compiled for another Python."""

from types import ModuleType
from typing import Any


class _Names:
    """Elements of all names are records."""

    def child(self, state: int, namespace: int, name: str) -> tuple[int, int, int, int, tuple[int, ...]]:
        return 2, 2, 0, 0, ()

    def attribute(self, state: int, namespace: int, name: str) -> tuple[int, ...]:
        return (2,)


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
    costs = tuple(1 for _ in scan.list_costs())
    codes = tuple(code and (code, code, code) for code in scan.run_codes())
    found = {b"&x": b"y", b"&e": (b"1", b"2", 0)}
    content = scan.Content(codes, ["r"], {"r": 1}, found, 9, False, None, True, True, False, False)
    content.read(b"<a b=c>&x;&e; & </b>", {"p": "u"}, {}, None, 0, 20, 9, 0, 0, 0, 0, 1, 0)
    search = scan.open_search(costs, False, False, (), 1)
    columns, others = scan.open_columns(1, (), (), True, True), scan.open_columns(1, (), (), True, True)
    return [
        ("sources", ..., ()),
        ("has_error", False, (b"<a/>", 0, 4, 9, False)),
        ("has_error", True, (b"<a>&b &c;</a>", 0, 13, 9, False)),
        ("seems_broken", True, (b"<a>",)),
        ("is_plain", True, (b"a", False)),
        ("feed_columns", (b"\1", False, 14), (columns, _Names(), b"<a b='c'>d</a>")),
        ("read_columns", ..., (others, _Names(), b"<a b='c'>d</a>", 0, 9, False, 1, True, True)),
        ("take_columns", ..., (columns, ((0, 1),), 1)),
        ("list_records", ([0], [b"<a>x</a>"]), (b"<a>x</a>", 0, 8, b"a", False, 0)),
        ("list_costs", ..., ()),
        ("open_search", ..., (costs, False, False, (), 1)),
        ("tell_search", None, (search, ((b"a", True, (b"#",), (b"a",)),))),
        ("step_search", ..., (search, list, b"<a/>", 0, 4, True)),
        ("count_search", 1, (search, 0, b"a")),
    ]
