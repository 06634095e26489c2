"""The walk in C, as `accelerator/walking.h` has it, which learns by itself where the policy need not be asked."""

from collections.abc import Set
from typing import Any, Final

from xml5tree.accelerator import compiled
from xml5tree.dialects.xml5.intent.constants import INSIDE_REACH, MANY_RECORDS, MOST_INSIDE, MOST_LEARNED, WINDOW
from xml5tree.dialects.xml5.intent.walking.contract import Around, Outcome, Part, Stop
from xml5tree.dialects.xml5.intent.walking.places import Level, Place

__all__ = ["RULES", "CompiledWalk"]

#: The rules that learning asks about, and their bits in accelerator/learning.h.
RULES: Final = {"filled": 1, "void": 2, "implied": 4, "text": 8, "soft": 16}


class CompiledWalk:
    """See `Walk`. Transitions, places and levels are in C; Python's objects are made where the walk stops."""

    def __init__(self, tables: tuple[object, ...] | None = None, rules: int = 0) -> None:
        """Begin without transitions.

        Without `tables`, the facts that the walk learns from and adds to in the order of accelerator/learning.h, it
        does not learn. `rules` is the sum of the bits in `RULES` of the rules that are switched on.
        """
        assert compiled is not None  # else there is no such walk
        self._compiled: Any = compiled
        self._walk = compiled.make_walk(tables, (rules, MOST_LEARNED, MANY_RECORDS, WINDOW, MOST_INSIDE, INSIDE_REACH))
        self._levels: dict[int, Level] = {}
        self._places: dict[int, Place] = {}
        self._data = b""
        self._limit = 0
        self._start = 0
        self._watched = 0
        self._place = 0
        self.missed = 0

    def tell(self, names: Set[str]) -> None:
        """See `Walk`."""
        self._compiled.tell_names(self._walk, tuple(sorted([name.encode() for name in names])))

    def begin(self, part: Part, place: Place, watched: int, around: Around | None) -> Stop:
        """See `Walk`."""
        data, start, column, first, end, is_right = part
        self._data, self._limit, self._watched = data, end, watched
        number = self._place_number(place)
        return self._stop_at(
            self._compiled.begin_walk(self._walk, data, first, end, watched, number, start, column, around, is_right)
        )

    def go_on(self, following: Place, *, is_known: bool, is_watched: bool, is_strange: bool = False) -> Stop:
        """See `Walk`."""
        kind = 0 if not is_known else 3 if is_strange else 1 + is_watched
        into = self._place_number(following)
        return self._stop_at(
            self._compiled.walk_on(
                self._walk, self._data, self._start, self._limit, self._watched, self._place, into, kind
            )
        )

    def _stop_at(self, stop: tuple[int, int, int, str | None, int, int]) -> Stop:
        self._start, end, number, name, kind, self.missed = stop
        self._place = number
        place = self._places.get(number)
        return self._start, end, self._place_of(number) if place is None else place, name, kind

    def is_misplaced(self) -> bool:
        """See `Walk`."""
        found: bool = self._compiled.is_misplaced(self._walk, self._data, self._start)
        return found

    def is_surely_inside(self, most: int, reach: int, around: Around) -> bool:
        """See `Walk`."""
        found: bool = self._compiled.is_surely_inside(
            self._walk, self._data, self._start, self._limit, most, reach, around
        )
        return found

    def outcome(self) -> Outcome:
        """See `Walk`."""
        outcome: Outcome = self._compiled.walked(self._walk, self._data, self._start)
        return outcome

    def _place_number(self, place: Place) -> int:
        if place.number < 0:
            level = place.level
            unnumbered = []
            while level.number < 0 and level.above is not None:
                unnumbered.append(level)
                level = level.above
            if level.above is None:  # it stands for all that is around
                level.number = 0
                self._levels[0] = level
            number = level.number
            for level in reversed(unnumbered):
                number = self._compiled.number_level(self._walk, number, level.name, level.has_text)
                level.number = number
                self._levels[number] = level
            place.number = self._compiled.number_place(self._walk, place.level.number, place.last)
            self._places[place.number] = place
        return place.number

    def _place_of(self, number: int) -> Place:
        level_number, last = self._compiled.show_place(self._walk, number)
        shown = []
        while level_number not in self._levels:
            above, name, has_text = self._compiled.show_level(self._walk, level_number)
            shown.append((level_number, name, has_text))
            level_number = above
        level = self._levels[level_number]
        for level_number, name, has_text in reversed(shown):
            level = level.inside(name, has_text)
            level.number = level_number
            self._levels[level_number] = level
        place = self._places[number] = level.after(last)
        place.number = number
        return place
