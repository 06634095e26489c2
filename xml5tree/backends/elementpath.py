"""ElementTree paths with `/text()` or `/@attribute`, compiled."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from operator import methodcaller
from typing import Any, Final

from xml5tree.xml.prefixes import expanded_name, well_known

_END: Final = re.compile(r"(?:(?P<path>.*)/)?(?:(?P<text>text\(\))|@(?P<attribute>[^/\[\]'\"@]+))", re.DOTALL)
_IN_PREFIX: Final = r"[^\s/\[\](){}@!='\"*:|+,<>$]"
_PREFIX: Final = re.compile(rf"(?<!{_IN_PREFIX})({_IN_PREFIX}+):(?!:)")
#: The parts of a path that matter for names: strings, expanded names, names, and "@".
_NAMES: Final = re.compile(
    r"'[^']*'|\"[^\"]*\"|\{[^}]*\}[^/\[\]()@!=\s]+|(?P<name>@?[^'\"/\[\]()@!=\s.*:{][^/\[\]()@!=\s]*)"
)


def compile_element_path(path: str, prefixes: Mapping[str, str]) -> Callable[[Any], list[Any]]:
    """Return a function that finds elements or strings by a path of ElementTree; see `Backend.compile_path`."""
    steps, end = parsed_path(path, prefixes)
    if end is None:
        return lambda element: element.findall(steps)
    if end == "":
        return lambda element: [node.text for node in element.findall(steps) if node.text]
    return lambda element: [node.get(end) for node in element.findall(steps) if node.get(end) is not None]


def compile_element_value(path: str, prefixes: Mapping[str, str]) -> Callable[[Any], str | None]:
    """Return a function that returns the first result of such a path as text, or None."""
    steps, end = parsed_path(path, prefixes)
    if steps == "." and end:
        return methodcaller("get", end)
    return value_at(methodcaller("find", steps), end, first_value(compile_element_path(path, prefixes)))


def value_at(find: Callable[[Any], Any], end: str | None, value: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function that returns a value of the element that `find` finds, as text, or None.

    `end` is as from `parsed_path`. `value` is called if that element lacks the value, as another one may have it.
    """

    def text(element: Any) -> str | None:
        node = find(element)
        return None if node is None else text_of(node)

    def own_text(element: Any) -> Any:
        node = find(element)
        return None if node is None else node.text or value(element)

    def attribute(element: Any) -> Any:
        node = find(element)
        if node is None:
            return None
        found = node.get(end)
        return value(element) if found is None else found

    if end is None:
        return text
    return own_text if end == "" else attribute


def parsed_path(path: str, prefixes: Mapping[str, str]) -> tuple[str, str | None]:
    """Return the steps of a path, with expanded names, and its end: None, "" for text, or the name of an attribute."""
    namespaces = {prefix: prefixes[prefix] for prefix in _PREFIX.findall(path) if prefix in prefixes}
    found = _END.fullmatch(path)
    steps = path if found is None else found["path"] or "."
    try:
        ET.Element("a").findall(steps, namespaces)
    except SyntaxError as error:
        raise ValueError(f"{path!r} is no path of ElementTree's: {error}") from error
    except (KeyError, TypeError, StopIteration) as error:  # ElementTree fails at such a path without a word on it
        raise ValueError(f"{path!r} is no path of ElementTree's") from error
    steps = _NAMES.sub(lambda match: _expanded_step(match, namespaces), steps)
    if found is None:
        return steps, None
    return steps, "" if found["text"] else expanded_name(found["attribute"], namespaces)


def _expanded_step(match: re.Match[str], prefixes: Mapping[str, str]) -> str:
    name = match["name"]
    if name is None:
        return match[0]
    at = "@" if name.startswith("@") else ""
    return at + expanded_name(name.removeprefix("@"), prefixes)


def well_known_of(path: str, prefixes: Mapping[str, str]) -> frozenset[str]:
    """Return the well-known namespace names for which prefixes in a path stand."""
    used = {prefixes[prefix] for prefix in _PREFIX.findall(path) if prefix in prefixes}
    return frozenset(uri for uri in used if well_known(uri) == uri)


def first_value(find: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function that returns the first result of `find` as text, or the one value that `find` computes."""

    def value(element: Any) -> Any:
        found = find(element)
        if not isinstance(found, list):  # a number, string or boolean of XPath
            return found
        return text_of(found[0]) if found else None

    return value


def text_of(item: Any) -> str:
    """Return the text in an element, or a string unchanged."""
    if isinstance(item, str):
        return item
    return "".join(item.itertext()) if len(item) else item.text or ""
