"""Paths of ElementTree, with an end as XPath has it: the text of an element, or an attribute."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from typing import Any, Final

__all__ = ["compile_element_path"]

_END: Final = re.compile(r"(?:(?P<path>.*)/)?(?:(?P<text>text\(\))|@(?P<attribute>[^/\[\]'\"@]+))", re.DOTALL)


def compile_element_path(path: str, prefixes: Mapping[str, str]) -> Callable[[Any], list[Any]]:
    """A function that finds elements or strings from an element on.

    Args:
        path: a path of ElementTree's, such as ``"a/b"`` or ``".//{*}b[@c]"``, perhaps with ``/text()`` or
            ``/@attribute`` at its end.
        prefixes: URIs of the prefixes in it.

    Raises:
        ValueError: it is no such path.
    """
    namespaces = dict(prefixes)
    found = _END.fullmatch(path)
    steps = path if found is None else found["path"] or "."
    try:
        ET.Element("a").findall(steps, namespaces)
    except (SyntaxError, KeyError, TypeError, StopIteration) as error:
        raise ValueError(f"{path!r} is no path of ElementTree's: {error}") from error

    if found is None:
        return lambda element: element.findall(steps, namespaces)
    if found["text"]:
        return lambda element: [node.text for node in element.findall(steps, namespaces) if node.text]
    attribute = _expanded(found["attribute"], namespaces)
    return lambda element: [
        node.get(attribute) for node in element.findall(steps, namespaces) if node.get(attribute) is not None
    ]


def _expanded(name: str, prefixes: Mapping[str, str]) -> str:
    """The expanded name of an attribute.

    Raises:
        ValueError: its prefix is unknown.
    """
    prefix, colon, local = name.partition(":")
    if name.startswith("{") or not colon:
        return name
    if prefix not in prefixes:
        raise ValueError(f"the prefix {prefix!r} is not known; the option `namespaces` can have it")
    return f"{{{prefixes[prefix]}}}{local}"
