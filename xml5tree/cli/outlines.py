"""Outlines of two trees of one document, and where they differ; for reports and the playground."""

import json
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any, Final

#: Lines of an outline that are shown; texts in an outline are shortened.
SHOWN_LINES: Final = 1500
_SHOWN_TEXT: Final = 120
#: Lines of outlines that are compared in their order.
_COMPARED: Final = 400


def outline(root: Any) -> Iterator[list[Any]]:
    """Yield the lines of a tree: depth, kind, text, and False, which `mark_differences` changes where trees differ.

    Comments and instructions are not in trees of ElementTree.
    """
    count = 0
    waiting: list[tuple[int, str, Any]] = [(0, "element", root)]
    while waiting:
        depth, kind, item = waiting.pop()
        count += 1
        if count > SHOWN_LINES:
            yield [0, "cut", "the rest of the tree is not shown", False]
            return
        if kind == "text":
            yield [depth, kind, shortened(item), False]
            continue
        attributes = (f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in item.items())
        yield [depth, kind, f"{item.tag} {shortened(' '.join(attributes))}".rstrip(), False]
        inside: list[tuple[int, str, Any]] = []
        if item.text and item.text.strip():
            inside.append((depth + 1, "text", item.text))
        for child in item:
            inside.append((depth + 1, "element", child))
            if child.tail and child.tail.strip():
                inside.append((depth + 1, "text", child.tail))
        waiting += reversed(inside)


def shortened(text: str) -> str:
    """Return a text in one line, its begin if it is long."""
    text = " ".join(text.split()) if text.strip() else text
    return text if len(text) <= _SHOWN_TEXT else f"{text[:_SHOWN_TEXT]}…"


def mark_differences(first: list[list[Any]], second: list[list[Any]]) -> None:
    """Mark the lines of two outlines that the other one does not have at this place and depth."""
    one, other = ([tuple(line[:3]) for line in lines] for lines in (first, second))
    if max(len(one), len(other)) > _COMPARED:
        for lines, others in ((first, {*other}), (second, {*one})):
            for line in lines:
                line[3] = tuple(line[:3]) not in others
        return
    for kind, start, end, other_start, other_end in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        for line in [*first[start:end], *second[other_start:other_end]]:
            line[3] = kind != "equal"
