"""Values of the elements around records, noted while the document is read."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from xml5tree.backends.elementpath import text_of
from xml5tree.fieldpaths import ATTRIBUTE, OWN_TEXT, Path, compiled_path, names_of
from xml5tree.rows import Fields, is_outside

#: A path that begins at the nearest element of a name around the record, or at the element some levels up.
_OUTSIDE: Final = re.compile(r"ancestor::(?P<named>.+)|(?P<up>\.\.(?:/\.\.)*)/(?P<rest>.+)", re.DOTALL)


class _Value(NamedTuple):
    column: str
    level: int  # of the element around the record, counted from the record; 0 for the nearest of a name
    path: Path  # from that element, its own name included


class _Open:
    """An open element with its names, and the values of columns that were found in it so far."""

    __slots__ = ("element", "names", "values")

    def __init__(self, element: Any, names: tuple[str, ...]) -> None:
        self.element = element
        self.names = names
        self.values: dict[str, str] = {}


class Surroundings:
    """Values of elements that are open around a record, as far as they stand before its end."""

    # What a record gets must not depend on what is parsed at once, and the tree is pruned. So values are noted at the
    # events of their elements, and never looked up in the tree.

    def __init__(self, fields: Fields, prefixes: Mapping[str, str]) -> None:
        """Take the paths that lead to elements around the record; raise `ValueError` for one that is not possible."""
        self._values = [_value(name, path, prefixes) for name, path in fields.items() if is_outside(path)]
        self._columns = tuple(fields)
        self._open: list[_Open] = []
        #: The open elements around a record to which the path of a column may lead, by column.
        self._around: dict[str, list[_Open]] = {value.column: [] for value in self._values}
        self._roles: dict[str, tuple[list[_Value], list[_Value]]] = {}
        self._found: dict[int, dict[str, str | None]] = {}
        #: The open elements of which the text is wanted, by `id`: they must be kept whole.
        self.wanted: set[int] = set()

    def read(self, events: Iterable[tuple[str, Any]], is_named: Mapping[str, bool]) -> list[Any]:
        """Take the events of all elements; return those that have ended and may be records."""
        ended = []
        self._found.clear()
        for event, element in events:
            if event == "start":
                self._start(element)
                continue
            self._end(element)
            if is_named[element.tag]:
                self._found[id(element)] = {value.column: self._value_of(value) for value in self._values}
                ended.append(element)
        return ended

    def add_to(self, make: Callable[[Any], dict[str, Any]], record: Any) -> Callable[[Any], dict[str, Any]]:
        """Return a function that returns the row of a record with these values; `make` makes it without them."""
        return partial(_joined, make, self._found[id(record)], self._columns)

    def _roles_of(self, tag: str) -> tuple[list[_Value], list[_Value]]:
        """Return the values that begin at elements of a name, and those that end there."""
        roles = self._roles.get(tag)
        if roles is None:
            if len(self._roles) > 1000:  # names can be without end
                self._roles.clear()
            names = names_of(tag)
            begin, end = (
                [value for value in self._values if value.path.matches(value.path.steps[place], names)]
                for place in (0, -1)
            )
            roles = self._roles[tag] = begin, end
        return roles

    def _start(self, element: Any) -> None:
        begin, end = self._roles_of(element.tag)
        opened = _Open(element, names_of(element.tag))
        self._open.append(opened)
        for value in begin:
            self._around[value.column].append(opened)
        for value in end:
            if (around := self._led_from(value)) is None:
                continue
            if value.path.kind != ATTRIBUTE:
                self.wanted.add(id(element))
            elif (found := element.get(value.path.attribute)) is not None:
                around.values.setdefault(value.column, found)

    def _end(self, element: Any) -> None:
        begin, end = self._roles_of(element.tag)
        for value in end:
            if value.path.kind != ATTRIBUTE and (around := self._led_from(value)) is not None:
                found = element.text if value.path.kind == OWN_TEXT else text_of(element)
                if found is not None:
                    around.values.setdefault(value.column, found)
        self._open.pop()
        for value in begin:
            self._around[value.column].pop()
        self.wanted.discard(id(element))

    def _led_from(self, value: _Value) -> _Open | None:
        """Return the element from which a path leads to the innermost open one; None if it does not."""
        steps = value.path.steps
        opened = self._open[-len(steps) :]
        if len(opened) < len(steps) or not all(map(value.path.matches, steps, [one.names for one in opened])):
            return None
        return opened[0]

    def _value_of(self, value: _Value) -> str | None:
        """Return a value of a record that has just ended."""
        around = self._open if value.level else self._around[value.column]
        level = value.level or 1
        return around[-level].values.get(value.column) if len(around) >= level else None


def _value(column: str, path: Any, prefixes: Mapping[str, str]) -> _Value:
    outside = _OUTSIDE.fullmatch(path) if isinstance(path, str) else None
    if outside is not None:
        up = outside["up"]
        found = compiled_path(f"*/{outside['rest']}" if up else outside["named"], prefixes, has_nodes=False)
        if found is not None and (len(found.steps) > 1 or (found.steps and found.kind == ATTRIBUTE)):
            return _Value(column, len(up.split("/")) if up else 0, found)
    raise ValueError(
        f"{path!r} cannot be followed: a path to an element around the record has names alone, and finds one text or "
        "attribute in that element, such as 'ancestor::order/@id' or '../date'"
    )


def _joined(
    make: Callable[[Any], dict[str, Any]], found: Mapping[str, str | None], columns: tuple[str, ...], record: Any
) -> dict[str, Any]:
    row = {**make(record), **found}
    return {name: row[name] for name in columns}
