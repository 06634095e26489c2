"""Calls that are JSON, or nearly."""

import ast
import re
from collections import Counter
from json import JSONDecodeError, JSONDecoder
from typing import Any, Final, NamedTuple

from xml5tree.errors.codes import KEPT, LOST, MOVED, Effect
from xml5tree.tools.schemas import load_json, repair

_NAMES: Final = ("name", "function", "tool", "tool_name")
_ARGUMENTS: Final = ("arguments", "parameters", "args", "input")
_WORDS: Final = {"true": True, "false": False, "null": None}
_FENCE: Final = re.compile(r"\s*```\w*[ \t]*\n(.*?)\n?[ \t]*```\s*\Z", re.DOTALL)
_SPACE: Final = re.compile(r"[\s,]*")

_Note = tuple[str, Effect]


class JSONValue(NamedTuple):
    """A value of JSON, and what was assumed to read it: a sentence and its effect each."""

    value: Any
    start: int
    end: int
    notes: tuple[_Note, ...] = ()


class JSONCall(NamedTuple):
    """A call in JSON; `arguments` is None if they are no object. `start` and `end` are indices in the text."""

    name: str
    arguments: dict[str, Any] | None
    start: int
    end: int
    notes: tuple[_Note, ...]


def read_calls(text: str, *, repairs: bool = False) -> list[JSONCall] | None:
    """Return the calls in a text; None if it has anything else, but perhaps end tags or braces after the last call."""
    values = _values(text, repairs=repairs)
    if values is None:
        return _of_python(text)
    calls = [_call(value) for value in values]
    found = [call for call in calls if call is not None]
    return found if found and len(found) == len(calls) else None


def read_object(text: str, *, repairs: bool = False) -> JSONValue | None:
    """Return the object that a text is."""
    values = _values(text, repairs=repairs)
    return values[0] if values and len(values) == 1 and isinstance(values[0].value, dict) else None


def _call(found: JSONValue) -> JSONCall | None:
    value, notes = found.value, list(found.notes)
    if isinstance(value, dict) and isinstance(value.get("function"), dict):
        notes.append(("the call is in an object 'function'", KEPT))
        value = value["function"]
    name = next((key for key in _NAMES if isinstance(value.get(key), str)), None) if isinstance(value, dict) else None
    if name is None:
        return None
    if name != "name":
        notes.append((f"{name!r} was taken for 'name'", KEPT))
    key = next((key for key in _ARGUMENTS if key in value), None)
    arguments = value[key] if key else {}
    if isinstance(arguments, str):  # JSON in a string
        try:
            arguments = load_json(arguments, strict=False, object_pairs_hook=lambda pairs: _object(pairs, notes))
        except (ValueError, RecursionError):
            arguments = None
    whole = arguments if isinstance(arguments, dict) else None
    return JSONCall(value[name], whole, found.start, found.end, tuple(dict.fromkeys(notes)))


def _values(text: str, *, repairs: bool) -> list[JSONValue] | None:
    """Return the values of JSON that stand one after the other in a text; None if there are other things."""
    first: list[_Note] = []
    notes: list[_Note] = []  # of the current value
    start, end = 0, len(text)
    if fenced := _FENCE.match(text):
        first.append(("the fence around the JSON was dropped", KEPT))
        start, end = fenced.span(1)
    decoder = JSONDecoder(
        strict=False,
        object_pairs_hook=lambda pairs: _object(pairs, notes),
        parse_float=load_json,
        parse_constant=load_json,
    )
    values: list[JSONValue] = []
    place = _after_space(text, start)
    is_in_list = False
    while place < end:
        if is_list := text[place] == "[" and not values:
            place = _after_space(text, place + 1)
        notes[:] = first
        try:
            value, stop = decoder.raw_decode(text, place)
        except (JSONDecodeError, RecursionError, ValueError):
            break
        values.append(JSONValue(value, place, stop, tuple(dict.fromkeys(notes))))
        place = _after_space(text, stop)
        if (is_in_list := is_in_list or is_list) and text[place : place + 1] == "]":
            is_in_list = False
            place = _after_space(text, place + 1)
    rest = text[place:end]
    if not rest.strip() and not is_in_list:
        return values
    if values and (junk := re.fullmatch(r"(?:[\s}\])]|</[^<>]{1,64}>)+", rest)):
        note: _Note = (f"{junk[0].strip()[:24]!r} after the JSON was dropped", MOVED)
        return [*values[:-1], values[-1]._replace(notes=(*values[-1].notes, note))]
    if repairs and (value := repair(text[start:end])) is not None:
        return [JSONValue(value, start, end, (*first, ("the JSON was repaired", MOVED)))]
    return None


def _after_space(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _object(pairs: list[tuple[str, Any]], notes: list[_Note]) -> dict[str, Any]:
    counts = Counter(name for name, _ in pairs)
    notes += [(f"an earlier value of {name!r} in the JSON was replaced", LOST) for name in counts if counts[name] > 1]
    return dict(pairs)


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
