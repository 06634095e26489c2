"""Calls that are JSON, or nearly."""

import ast
import re
from collections import Counter
from json import JSONDecodeError, JSONDecoder
from typing import Any, Final, NamedTuple

from xml5tree.errors.codes import KEPT, LOST, MOVED, Effect
from xml5tree.tools.schemas import load_json, repair

__all__ = ["JSONCall", "JSONValue", "read_calls", "read_object"]

_NAMES: Final = ("name", "function", "tool", "tool_name")
_ARGUMENTS: Final = ("arguments", "parameters", "args", "input")
_WORDS: Final = {"true": True, "false": False, "null": None}
_FENCE: Final = re.compile(r"\s*```\w*[ \t]*\n(.*?)\n?[ \t]*```\s*\Z", re.DOTALL)
_SPACE: Final = re.compile(r"[\s,]*")


class JSONValue(NamedTuple):
    """A value of JSON, and what was assumed to read it: a sentence and its effect each."""

    value: Any
    start: int
    end: int
    notes: tuple[tuple[str, Effect], ...] = ()


class JSONCall(NamedTuple):
    """A call in JSON; `arguments` is None if they are no object. `start` and `end` are indices in the text."""

    name: str
    arguments: dict[str, Any] | None
    start: int
    end: int
    notes: tuple[tuple[str, Effect], ...]


def read_calls(text: str, *, repairs: bool = False) -> list[JSONCall] | None:
    """Return the calls in a text; None if it has anything else, but perhaps end tags or braces after the last call."""
    twice: list[str] = []
    values = _values(text, twice, repairs=repairs)
    if values is None:
        return _of_python(text)
    calls = []
    for found in values:
        value, notes = found.value, list(found.notes)
        function = value.get("function") if isinstance(value, dict) else None
        if isinstance(function, dict):
            notes.append(("the call is in an object 'function'", KEPT))
            value = function
        call = _call(value, notes, found, twice)
        if call is None:
            return None
        calls.append(call)
    if calls and twice:
        lost: list[tuple[str, Effect]] = [(_twice(name), LOST) for name in dict.fromkeys(twice)]
        calls[-1] = calls[-1]._replace(notes=(*calls[-1].notes, *lost))
    return calls or None


def read_object(text: str, *, repairs: bool = False) -> JSONValue | None:
    """Return the object that a text is."""
    twice: list[str] = []
    values = _values(text, twice, repairs=repairs)
    if not values or len(values) > 1 or not isinstance(values[0].value, dict):
        return None
    return values[0]._replace(notes=(*values[0].notes, *[(_twice(name), LOST) for name in dict.fromkeys(twice)]))


def _twice(name: str) -> str:
    return f"an earlier value of {name!r} in the JSON was replaced"


def _call(value: Any, notes: list[tuple[str, Effect]], found: JSONValue, twice: list[str]) -> JSONCall | None:
    if not isinstance(value, dict):
        return None
    name = next((key for key in _NAMES if isinstance(value.get(key), str)), None)
    if name is None:
        return None
    if name != "name":
        notes.append((f"{name!r} was taken for 'name'", KEPT))
    key = next((key for key in _ARGUMENTS if key in value), None)
    arguments = value[key] if key else {}
    if isinstance(arguments, str):  # JSON in a string
        arguments = _loaded(arguments, twice)
    return JSONCall(
        value[name], arguments if isinstance(arguments, dict) else None, found.start, found.end, tuple(notes)
    )


def _values(text: str, twice: list[str], *, repairs: bool) -> list[JSONValue] | None:
    """Return the values of JSON that stand one after the other in a text; None if there are other things."""
    notes: list[tuple[str, Effect]] = []
    start, end = 0, len(text)
    if fenced := _FENCE.match(text):
        notes.append(("the fence around the JSON was dropped", KEPT))
        start, end = fenced.span(1)
    decoder = JSONDecoder(
        strict=False,
        object_pairs_hook=lambda pairs: _object(pairs, twice),
        parse_float=load_json,
        parse_constant=load_json,
    )
    values: list[JSONValue] = []
    place = _after_space(text, start)
    is_in_list = False
    while place < end:
        if is_list := text[place] == "[" and not values:
            place = _after_space(text, place + 1)
        try:
            value, stop = decoder.raw_decode(text, place)
        except (JSONDecodeError, RecursionError, ValueError):
            break
        values.append(JSONValue(value, place, stop, tuple(notes)))
        place = _after_space(text, stop)
        if (is_in_list := is_in_list or is_list) and text[place : place + 1] == "]":
            is_in_list = False
            place = _after_space(text, place + 1)
    rest = text[place:end]
    if not rest.strip() and not is_in_list:
        return values
    if values and (junk := re.fullmatch(r"(?:[\s}\])]|</[^<>]{1,64}>)+", rest)):
        note: tuple[str, Effect] = (f"{junk[0].strip()[:24]!r} after the JSON was dropped", MOVED)
        return [*values[:-1], values[-1]._replace(notes=(*values[-1].notes, note))]
    if repairs and (value := repair(text[start:end])) is not None:
        return [JSONValue(value, start, end, (*notes, ("the JSON was repaired", MOVED)))]
    return None


def _after_space(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _object(pairs: list[tuple[str, Any]], twice: list[str]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        twice.extend([name for name, count in Counter(name for name, _ in pairs).items() if count > 1])
    return members


def _loaded(text: str, twice: list[str]) -> object:
    try:
        return load_json(text, strict=False, object_pairs_hook=lambda pairs: _object(pairs, twice))
    except (ValueError, RecursionError):
        return None


class _Words(ast.NodeTransformer):
    """Replaces the literals of JSON that Python does not have."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(_WORDS[node.id]) if node.id in _WORDS else node


def _of_python(text: str) -> list[JSONCall] | None:
    """Return the calls that a text is in Python, one a line, with literals as their arguments."""
    source = text.strip()
    if not re.match(r"[A-Za-z_][\w.]*\(", source) or len(source) > 1 << 16:
        return None
    calls: list[JSONCall] = []
    start = text.index(source)
    ends = [start + found.start() for found in re.finditer(r"\r\n?|\n|\Z", source)]
    try:
        for line in ast.parse(source).body:
            call = line.value if isinstance(line, ast.Expr) else None
            if not isinstance(call, ast.Call) or call.args:
                return None
            arguments = {word.arg or "": ast.literal_eval(_Words().visit(word.value)) for word in call.keywords}
            begin = ends[call.lineno - 2] if call.lineno > 1 else start
            if "" in arguments or (calls and begin < calls[-1].end):  # unpacked, or a second call in a line
                return None
            end = ends[(call.end_lineno or call.lineno) - 1]
            calls.append(
                JSONCall(ast.unparse(call.func), arguments, begin, end, (("the call is one of Python", KEPT),))
            )
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return calls
