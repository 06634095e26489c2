"""Markup for declared entities that are text."""

import re
from typing import Final

from xml5tree.dtd.entities import SPACES, Entities
from xml5tree.output.markup import written_reference, written_value
from xml5tree.xml.chars import FORBIDDEN
from xml5tree.xml.references import PREDEFINED, REFERENCE, read_reference

#: Characters that all expansions have together at most.
_MOST_EXPANDED: Final = 1 << 16
#: Characters that may be an error in text, or begin markup.
_FOR_STATES: Final = re.compile(f"[]<]|{FORBIDDEN.pattern}")


def meanings_of(entities: Entities) -> dict[str, tuple[bytes, bytes, int]]:
    """Return the markup of references to declared entities, in text and in attribute values, and the costs, by name.

    Left out are entities that have markup, other entities, errors, or nothing visible in their last line.
    """
    if not entities.expands or entities.kept is not None:
        return {}
    left = _MOST_EXPANDED
    found: dict[str, tuple[bytes, bytes, int]] = {}
    for entity in entities.declared.values():
        if entity.text is None or entity.name in PREDEFINED or (expanded := _expand(entity.text)) is None:
            continue
        text, value = expanded
        left -= len(text)
        if left < 0:
            break
        if text[text.rfind("\n") + 1 :].strip(" \t"):
            found[entity.name] = written_reference(text).encode(), written_value(value).encode(), entity.cost
    return found


def _expand(source: str) -> tuple[str, str] | None:
    """Return what an entity's text stands for in text and in attribute values; None: the states decide."""
    if len(source) > _MOST_EXPANDED or _FOR_STATES.search(source):
        return None
    text = value = ""
    place = 0
    while (ampersand := source.find("&", place)) >= 0:
        match = REFERENCE.match(source, ampersand + 1)
        assert match is not None  # it matches the empty string
        reference = read_reference("&" + match[0], lambda *_: None, lambda _: False)
        characters = reference.text if reference.name is None else PREDEFINED.get(reference.name)
        if not reference.is_correct or characters is None or "]" in characters:
            return None
        plain, place = source[place:ampersand], match.end()
        text += plain + characters
        value += plain.translate(SPACES) + characters
    return text + source[place:], value + source[place:].translate(SPACES)
