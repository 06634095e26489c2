"""Markup for declared entities that are text."""

import re
from collections.abc import Callable
from typing import Final

from xml5tree.dtd.budget import REFERENCE_COST
from xml5tree.dtd.entities import SPACES, Entities, Entity
from xml5tree.output.markup import written_reference, written_value
from xml5tree.xml.chars import FORBIDDEN
from xml5tree.xml.references import PREDEFINED, REFERENCE, read_reference

__all__ = ["meanings_of"]

#: Characters that all expansions have together at most, and how many entities are in another one, one within the other.
_MOST_EXPANDED: Final = 1 << 16
_MOST_NESTED: Final = 8
#: Characters that may be an error in text, or begin markup.
_FOR_STATES: Final = re.compile(f"[]<]|{FORBIDDEN.pattern}")
_BRACKET: Final = "]"

#: The replacements of an entity in text and in attribute values, and the cost of a reference; None: the states decide.
_Meaning = tuple[str, str, int] | None


def meanings_of(entities: Entities) -> dict[str, tuple[bytes, bytes, int]]:
    """Return the markup of references to declared entities, in text and in attribute values, and the costs, by name.

    Left out are entities that have markup, errors, or nothing visible in their last line.
    """
    if not entities.expands or entities.kept is not None:
        return {}
    left = _MOST_EXPANDED
    found: dict[str, tuple[bytes, bytes, int]] = {}
    known: dict[str, _Meaning] = {}
    for entity in entities.declared.values():
        meaning = _meaning_of(entity, entities.declared, known, _MOST_NESTED)
        if meaning is None or entity.name in PREDEFINED:
            continue
        text, value, cost = meaning
        left -= len(text)
        if left < 0:
            break
        if text[text.rfind("\n") + 1 :].strip(" \t"):
            found[entity.name] = written_reference(text).encode(), written_value(value).encode(), cost
    return found


def _meaning_of(entity: Entity, declared: dict[str, Entity], known: dict[str, _Meaning], levels: int) -> _Meaning:
    """Return the meaning of an entity, in which at most `levels` entities may be nested."""
    if entity.name not in known:
        known[entity.name] = None  # stays None if the entity refers to itself
        known[entity.name] = _expand(
            entity,
            lambda name: (
                _meaning_of(declared[name], declared, known, levels - 1) if levels and name in declared else None
            ),
        )
    return known[entity.name]


def _expand(entity: Entity, find: Callable[[str], _Meaning]) -> _Meaning:
    """Return the meaning of an entity; `find` returns that of an entity in its text."""
    source, cost = entity.text, entity.cost
    if source is None or len(source) > _MOST_EXPANDED or _FOR_STATES.search(source):
        return None
    texts: list[str] = []
    values: list[str] = []
    length = place = 0
    while (ampersand := source.find("&", place)) >= 0:
        plain = source[place:ampersand]
        match = REFERENCE.match(source, ampersand + 1)
        assert match is not None  # it matches the empty string
        place = match.end()
        reference = read_reference("&" + match[0], lambda *_: None, lambda _: False)
        if not reference.is_correct:
            return None
        characters = reference.text if reference.name is None else PREDEFINED.get(reference.name)
        if characters is None:
            meaning = find(reference.name or "")
            if meaning is None:
                return None
            text, value, its_cost = meaning
            cost += its_cost + REFERENCE_COST
        else:
            text = value = characters
        texts += plain, text
        values += plain.translate(SPACES), value
        length += len(text)
        if length > _MOST_EXPANDED or _BRACKET in text:
            return None
    texts.append(source[place:])
    values.append(source[place:].translate(SPACES))
    return "".join(texts), "".join(values), cost
