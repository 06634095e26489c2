"""Nested dictionaries and lists for JSON and pickle, at any depth."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

#: A row as pickle takes it; see `packed`.
Packed = list[tuple[int, str | int, Any]]

#: The encoders that `json.dumps` would make anew for each value, by `ensure_ascii`.
_ENCODERS: Final = {is_ascii: json.JSONEncoder(ensure_ascii=is_ascii) for is_ascii in (False, True)}
#: Puts each value of a list on a line of its own; there are no line ends in values, as JSON escapes them.
_LINES: Final = json.JSONEncoder(ensure_ascii=False, separators=("\n", ": "))


def json_text(value: Any, *, ensure_ascii: bool = False) -> str:
    """Return nested dictionaries and lists in JSON; `ensure_ascii` is that of `json.dumps`."""
    try:
        return _ENCODERS[ensure_ascii].encode(value)
    except RecursionError:
        return "".join(_json_pieces(value, ensure_ascii))


def json_texts(values: Iterable[Any]) -> list[str]:
    """Return each of some values in JSON, as `json_text` does, but in much less time if there are many plain ones."""
    values = [*values]
    texts = _LINES.encode(values)[1:-1].split("\n")
    # A value with several values in it is on several lines.
    return texts if len(texts) == len(values) else [*map(json_text, values)]


def _json_pieces(value: Any, ensure_ascii: bool) -> Iterator[str]:
    leaf = _ENCODERS[ensure_ascii].encode
    todo: list[tuple[bool, Any]] = [(False, value)]  # values, and text that stands between them
    while todo:
        is_text, item = todo.pop()
        if is_text:
            yield item
        elif isinstance(item, dict):
            yield "{"
            todo.append((True, "}"))
            for at, (key, inner) in reversed(list(enumerate(item.items()))):
                todo += ((False, inner), (True, f"{', ' if at else ''}{leaf(key)}: "))
        elif isinstance(item, list):
            yield "["
            todo.append((True, "]"))
            for at, inner in reversed(list(enumerate(item))):
                todo += ((False, inner), (True, ", " if at else ""))
        else:
            yield leaf(item)


def packed(row: dict[str, Any]) -> Packed:
    """Return the parts of a row in a list, as pickle takes rows of any depth."""
    # A part has the number of its container, its key or index there, and its value: text, or an empty container, whose
    # parts come later.
    parts: Packed = []
    containers: list[Any] = [row]
    for number, container in enumerate(containers):  # which grows meanwhile
        for key, value in container.items() if isinstance(container, dict) else enumerate(container):
            if isinstance(value, dict | list):
                containers.append(value)
                value = type(value)()
            parts.append((number, key, value))
    return parts


def unpacked(parts: Packed) -> dict[str, Any]:
    """Return the row that `packed` was given."""
    row: dict[str, Any] = {}
    containers: list[Any] = [row]
    for number, key, value in parts:
        if isinstance(value, dict | list):
            value = type(value)()
            containers.append(value)
        container = containers[number]
        if isinstance(container, dict):
            container[key] = value
        else:
            container.append(value)
    return row
