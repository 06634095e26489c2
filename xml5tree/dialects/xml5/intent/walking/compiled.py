"""The walk in C, as `accelerator/walk.h` has it."""

from collections.abc import Set
from typing import Any

from xml5tree.accelerator import compiled
from xml5tree.dialects.xml5.intent.walking.contract import Around, Outcome, Part, Stop
from xml5tree.dialects.xml5.intent.walking.places import Place

__all__ = ["CompiledWalk"]


class CompiledWalk:
    """See `Walk`; the transitions are in C, where places are numbers."""

    def __init__(self) -> None:
        assert compiled is not None  # else there is no such walk
        self._compiled: Any = compiled
        self._automaton = compiled.make_automaton()
        self._places: list[Place] = []
        self._data = b""
        self._limit = 0
        self._start = 0
        self._watched = 0
        self._place = 0

    def tell(self, names: Set[str]) -> None:
        """See `Walk`."""
        self._compiled.tell_names(self._automaton, tuple(sorted([name.encode() for name in names])))

    def begin(self, part: Part, place: Place, watched: int, around: Around | None) -> Stop:
        """See `Walk`."""
        data, start, column, first, end = part
        self._data, self._limit, self._watched = data, end, watched
        number = self._place_number(place)
        return self._stop_at(
            self._compiled.begin_walk(self._automaton, data, first, end, watched, number, start, column, around)
        )

    def go_on(self, following: Place, *, is_known: bool, is_watched: bool, is_strange: bool = False) -> Stop:
        """See `Walk`."""
        kind = 0 if not is_known else 3 if is_strange else 1 + is_watched
        into = self._place_number(following)
        return self._stop_at(
            self._compiled.walk_on(
                self._automaton, self._data, self._start, self._limit, self._watched, self._place, into, kind
            )
        )

    def _stop_at(self, stop: tuple[int, int, int, str | None, int]) -> Stop:
        self._start, end, self._place, name, kind = stop
        return self._start, end, self._places[self._place], name, kind

    def is_misplaced(self) -> bool:
        """See `Walk`."""
        found: bool = self._compiled.is_misplaced(self._automaton, self._data, self._start)
        return found

    def is_surely_inside(self, most: int, reach: int, around: Around) -> bool:
        """See `Walk`."""
        found: bool = self._compiled.is_surely_inside(
            self._automaton, self._data, self._start, self._limit, most, reach, around
        )
        return found

    def outcome(self) -> Outcome:
        """See `Walk`."""
        outcome: Outcome = self._compiled.walked(self._automaton, self._data, self._start)
        return outcome

    def _place_number(self, place: Place) -> int:
        if place.number < 0:
            place.number = len(self._places)
            self._places.append(place)
        return place.number
