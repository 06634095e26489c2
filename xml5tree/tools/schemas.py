"""Descriptions of tools and their arguments, and values of arguments."""

import ast
import json
import math
import re
import warnings
from collections.abc import Collection, Mapping
from typing import Any, Final, NamedTuple, NoReturn

#: Tools as callers describe them: by name, the names of the arguments or a JSON schema of an object that has them; or
#: a list of definitions as the servers of models and of tools (MCP) take or give them, also as objects of a client.
Tools = Mapping[str, Collection[str] | Mapping[str, Any]] | list[Any] | tuple[Any, ...]

#: JSON's types in Python.
_TYPES: Final[Mapping[str, type | tuple[type, ...]]] = {
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
    "string": str,
}
#: Deepest nesting of choices and references in a schema.
_DEEPEST: Final = 8
#: Literals of Python that models write instead of JSON's.
_PYTHON: Final = {"True": True, "False": False, "None": None}
_CDATA: Final = re.compile(r"\s*<!\[CDATA\[(.*)\]\]>\s*", re.DOTALL)
#: The element whose like make a list.
_ITEM: Final = "item"
_DEEPEST_ELEMENT: Final = 64
#: Keys of a definition that have the schema of the arguments.
_SCHEMAS: Final = ("parameters", "input_schema", "inputSchema")


class Tool(NamedTuple):
    """A tool.

    Attributes:
        arguments: the schemas of its arguments.
        required: the names of those that a call must have; with no schema, all.
        root: the schema that has them, in which references are looked up.
    """

    arguments: Mapping[str, Any]
    required: frozenset[str]
    root: object

    def has_all(self, arguments: Collection[str]) -> bool:
        """Return whether a call with these arguments has those that are required, and no unknown one."""
        return self.required <= set(arguments) <= self.arguments.keys()


class Converted(NamedTuple):
    """A value, whether its schema allows it, and what it was read as, if that is not JSON."""

    value: Any
    is_right: bool = True
    read_as: str = ""


def read_tools(tools: Tools | None) -> dict[str, Tool]:
    """Return the tools by name; raise `TypeError` if they are described in another way."""
    if tools is None:
        return {}
    if isinstance(tools, Mapping):
        return {_checked_name(name): _tool(name, described) for name, described in tools.items()}
    if not isinstance(tools, list | tuple):
        raise TypeError(f"tools must be a mapping or a list of definitions, not {type(tools).__name__}")
    found = {}
    for definition in tools:
        if hasattr(definition, "model_dump"):
            definition = definition.model_dump(by_alias=True)
        if not isinstance(definition, Mapping):
            raise TypeError(f"the definition of a tool must be a mapping, not {type(definition).__name__}")
        function = definition.get("function", definition)
        name = _checked_name(function.get("name") if isinstance(function, Mapping) else None)
        found[name] = _tool(name, next((function[key] for key in _SCHEMAS if function.get(key) is not None), {}))
    return found


def _checked_name(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"the name of a tool must be a string, not {type(name).__name__}")
    return name


def _tool(name: str, described: object) -> Tool:
    if isinstance(described, Mapping):
        properties = described.get("properties", {})
        if isinstance(properties, Mapping):
            required = described.get("required") or ()
            return Tool(dict(properties), frozenset(map(str, required)), described)
    elif isinstance(described, Collection) and not isinstance(described, str):
        names = list(map(_checked_name, described))
        return Tool({key: {} for key in names}, frozenset(names), None)
    raise TypeError(f"tool {name!r} must have the names of its arguments, or a JSON schema of an object")


def convert(
    text: str, schema: object, root: object = None, *, is_json: bool = False, repairs: bool = False
) -> Converted:
    """Return an argument converted by its schema; or the text itself, and whether the schema allows that.

    `root` is the schema in which references are looked up. `is_json`: the argument says that it is JSON, which counts
    where the schema names no type. `repairs`: a library repairs what is nearly JSON.
    """
    names, is_open = _types(schema, root)
    is_any = is_json and is_open
    if is_open and not is_json:
        names |= {"string"}
    if not is_any and not names - {"string"}:
        return Converted(text)
    read_as = ""
    try:
        value = _PYTHON[text.strip()] if text.strip() in _PYTHON else load_json(text)
    except (ValueError, RecursionError):
        if "string" in names or not (is_any or names & {"array", "object"}):
            return Converted(text, "string" in names)
        value, read_as = _literal(text), "Python"
        if value is None and repairs:
            value, read_as = repair(text), "JSON that was repaired"
        if value is None:
            return Converted(text, False)
    if is_any or _is_of(value, names - {"string"}):
        return Converted(value, True, read_as)
    if names == {"integer"} and isinstance(value, float) and value.is_integer():
        return Converted(int(value))
    return Converted(text, "string" in names)


def convert_json(value: Any, schema: object, root: object = None) -> Converted:
    """Return an argument that is a value of JSON, and whether the schema allows it; text may be converted by it."""
    names, is_open = _types(schema, root)
    if not names or is_open or _is_of(value, names):
        return Converted(value)
    if isinstance(value, str):
        return convert(value, schema, root)
    if names == {"integer"} and isinstance(value, float) and value.is_integer():
        return Converted(int(value))
    return Converted(value, False)


def convert_nested(value: Any, schema: object, root: object = None, depth: int = 0) -> Any:
    """Return lists and objects with the texts in them converted by their schema."""
    if not isinstance(schema, Mapping) or depth >= _DEEPEST:
        return value
    if isinstance(reference := schema.get("$ref"), str):
        return convert_nested(value, _referred(reference, root), root, depth + 1)
    if isinstance(value, str):
        return convert(value, schema, root).value
    if isinstance(value, list):
        return [convert_nested(item, schema.get("items"), root, depth + 1) for item in value]
    members = schema.get("properties")
    known = members if isinstance(members, Mapping) else {}
    return {name: convert_nested(item, known.get(name), root, depth + 1) for name, item in value.items()}


def load_json(text: str, **options: Any) -> Any:
    """Return the value of JSON text; unlike `json.loads`, raise `ValueError` for what JSON or a float cannot have."""
    return json.loads(text, parse_constant=_no_number, parse_float=_finite, **options)


def repair(text: str) -> Any:
    """Return the value of text that is nearly JSON; None if it is not, or if the library is missing."""
    try:
        from json_repair import repair_json
    except ModuleNotFoundError:
        raise ModuleNotFoundError("repair_json needs the library json-repair: pip install 'xml5tree[model]'") from None
    try:
        value = repair_json(text, return_objects=True)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) and value else None


def _literal(text: str) -> Any:
    """Return the value of a list or a dictionary of Python, as JSON can have it; None if it is none."""
    if text.lstrip()[:1] not in {"{", "["}:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes that Python does not know
            value = ast.literal_eval(text.strip())
        return value if load_json(json.dumps(value, allow_nan=False)) == value else None
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None


def _finite(number: str) -> float:
    value = float(number)
    return value if math.isfinite(value) else _no_number(number)


def _no_number(source: str) -> NoReturn:
    raise ValueError(f"{source} is not a number of JSON, or is too large")


def _is_of(value: object, names: Collection[str]) -> bool:
    """Return whether a value has one of the types."""
    if isinstance(value, bool):  # which is an integer in Python
        return "boolean" in names
    return any(isinstance(value, _TYPES[name]) for name in names)


def _types(schema: object, root: object, depth: int = 0) -> tuple[frozenset[str], bool]:
    """Return the types that a schema names, and whether it, or one of its choices, names none: it allows any value."""
    if not isinstance(schema, Mapping) or depth >= _DEEPEST:
        return frozenset(), True
    if isinstance(reference := schema.get("$ref"), str):
        return _types(_referred(reference, root), root, depth + 1)
    if kinds := schema.get("type", ()):
        return frozenset(kind for kind in ([kinds] if isinstance(kinds, str) else kinds) if kind in _TYPES), False
    values = [schema["const"]] if "const" in schema else schema.get("enum", ())
    if values:
        return frozenset(name for value in values for name in _TYPES if _is_of(value, {name})), False
    choices = [_types(choice, root, depth + 1) for key in ("anyOf", "oneOf") for choice in schema.get(key, ())]
    parts = [found for part in schema.get("allOf", ()) if not (found := _types(part, root, depth + 1))[1]]
    if choices:
        union = frozenset[str]().union(*[names for names, _ in choices])
        parts += [] if any(is_open for _, is_open in choices) else [(union, False)]
        if not parts:
            return union, True
    if parts:
        return frozenset.intersection(*[names for names, _ in parts]), False
    shape = {"array": "items", "object": "properties"}
    names = frozenset(name for name, key in shape.items() if key in schema)
    return names, not names


def _referred(reference: str, root: object) -> object:
    """Return the schema that a reference to a place in `root` stands for; None if there is none."""
    found = root
    head, *path = reference.split("/")
    for part in path:
        found = found.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(found, Mapping) else None
    return found if head == "#" else None


def is_text(schema: object, root: object = None) -> bool:
    """Return whether a schema allows nothing but text."""
    names, is_open = _types(schema, root)
    return names == {"string"} and not is_open


def read_nested(text: str, delimiters: tuple[str, str, str]) -> Any:
    """Return the lists and objects that the elements in a text make; the text itself if it has anything else."""
    opens, closes, ends = map(re.escape, delimiters)
    tag = re.compile(rf"(?:(?P<end>{closes})|{opens})(?P<name>[^\s<>]+){ends}")
    stack: list[list[tuple[str, Any]]] = [[]]
    names: list[str] = []
    place = 0
    for found in tag.finditer(text):
        between = text[place : found.start()]
        place = found.end()
        is_leaf = found["end"] and not stack[-1] and names
        if between.strip() and not is_leaf:
            return text
        if not found["end"]:
            names.append(found["name"])
            stack.append([])
            if len(names) > _DEEPEST_ELEMENT:
                return text
            continue
        if not names or names.pop() != found["name"]:
            return text
        members = stack.pop()
        value = _of_members(members) if members else between
        if value is None:
            return text
        stack[-1].append((found["name"], value))
    whole = _of_members(stack[0]) if stack[0] and not names and not text[place:].strip() else None
    return text if whole is None else whole


def _of_members(members: list[tuple[str, Any]]) -> list[Any] | dict[str, Any] | None:
    """Return a list or an object; None if a name is there twice."""
    if all(name == _ITEM for name, _ in members):
        return [value for _, value in members]
    found = dict(members)
    return found if len(found) == len(members) else None


def without_cdata(text: str) -> str:
    """Return the content of a text that is one CDATA section."""
    found = _CDATA.fullmatch(text) if "<![CDATA[" in text else None
    return found[1] if found else text
