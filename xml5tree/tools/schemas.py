"""Descriptions of tools and their arguments."""

import json
import math
from collections.abc import Collection, Mapping
from typing import Any, Final, NoReturn

__all__ = ["Tools", "convert", "convert_json", "load_json", "read_tools"]

#: Tools as callers describe them: by name, the names of the arguments or a JSON schema of an object that has them; or
#: a list of definitions as the servers of models take them.
Tools = Mapping[str, Collection[str] | Mapping[str, Any]] | list[dict[str, Any]] | tuple[Mapping[str, Any], ...]

#: JSON's types in Python; text needs no conversion.
_TYPES: Final[Mapping[str, type | tuple[type, ...]]] = {
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}
#: Deepest nesting of choices in a schema.
_DEEPEST: Final = 8
#: Literals of Python that models write instead of JSON's.
_PYTHON: Final = {"True": True, "False": False, "None": None}


def read_tools(tools: Tools | None) -> dict[str, dict[str, Any]]:
    """Return the schemas of each tool's arguments; raise `TypeError` if the tools are described in another way."""
    if tools is None:
        return {}
    if isinstance(tools, Mapping):
        return {_checked_name(name): _arguments(name, described) for name, described in tools.items()}
    if not isinstance(tools, list | tuple):
        raise TypeError(f"tools must be a mapping or a list of definitions, not {type(tools).__name__}")
    found = {}
    for definition in tools:
        if not isinstance(definition, Mapping):
            raise TypeError(f"the definition of a tool must be a mapping, not {type(definition).__name__}")
        function = definition.get("function", definition)
        name = _checked_name(function.get("name") if isinstance(function, Mapping) else None)
        found[name] = _arguments(name, function.get("parameters", function.get("input_schema", {})))
    return found


def _checked_name(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"the name of a tool must be a string, not {type(name).__name__}")
    return name


def _arguments(name: str, described: object) -> dict[str, Any]:
    if isinstance(described, Mapping):
        properties = described.get("properties", {})
        if isinstance(properties, Mapping):
            return dict(properties)
    elif isinstance(described, Collection) and not isinstance(described, str):
        return {key: {} for key in map(_checked_name, described)}
    raise TypeError(f"tool {name!r} must have the names of its arguments, or a JSON schema of an object")


def convert(text: str, schema: object, *, is_json: bool = False) -> tuple[Any, bool]:
    """Return an argument converted by its schema, and True; or the text itself, and whether the schema allows that.

    `is_json`: the argument says that it is JSON, which counts where the schema names no type.
    """
    names = _type_names(schema)
    is_open = _is_open(schema)
    is_any = is_json and is_open
    if is_open and not is_json:
        names.add("string")
    if not is_any and not names - {"string"}:
        return text, True
    try:
        value = _PYTHON[text.strip()] if text.strip() in _PYTHON else load_json(text)
    except (ValueError, RecursionError):
        return text, "string" in names
    if is_any or _is_of(value, names - {"string"}):
        return value, True
    if names == {"integer"} and isinstance(value, float) and value.is_integer():
        return int(value), True
    return text, "string" in names


def convert_json(value: Any, schema: object) -> tuple[Any, bool]:
    """Return an argument that is a value of JSON, and whether the schema allows it; text may be converted by it."""
    names = _type_names(schema)
    if not names or _is_of(value, names) or _is_open(schema):
        return value, True
    if isinstance(value, str):
        return convert(value, schema)
    if names == {"integer"} and isinstance(value, float) and value.is_integer():
        return int(value), True
    return value, False


def load_json(text: str, **options: Any) -> Any:
    """Return the value of JSON text; unlike `json.loads`, raise `ValueError` for what JSON or a float cannot have."""
    return json.loads(text, parse_constant=_no_number, parse_float=_finite, **options)


def _finite(number: str) -> float:
    value = float(number)
    return value if math.isfinite(value) else _no_number(number)


def _no_number(source: str) -> NoReturn:
    raise ValueError(f"{source} is not a number of JSON, or is too large")


def _is_of(value: object, names: set[str]) -> bool:
    """Return whether a value has one of the types."""
    if isinstance(value, bool):  # which is an integer in Python
        return "boolean" in names
    return any(isinstance(value, _TYPES.get(name, str)) for name in names)


def _type_names(schema: object, depth: int = 0) -> set[str]:
    """Return the types that a schema names; none if it names none."""
    found: set[str] = set()
    if isinstance(schema, Mapping) and depth < _DEEPEST:
        types = schema.get("type", ())
        found.update(
            kind for kind in ([types] if isinstance(types, str) else types) if kind in _TYPES or kind == "string"
        )
        for choices in (schema.get("anyOf", ()), schema.get("oneOf", ())):
            for choice in choices:
                found |= _type_names(choice, depth + 1)
    return found


def _is_open(schema: object, depth: int = 0) -> bool:
    """Return whether a schema, or one of its choices, names no type, such as a reference: it may allow any value."""
    if not isinstance(schema, Mapping) or depth >= _DEEPEST:
        return True
    if "type" in schema:
        return False
    choices = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    return not choices or any(_is_open(choice, depth + 1) for choice in choices)
