"""Which errors are kept where there are more than a limit."""

from collections.abc import Iterable
from typing import Any, Final

from xml5tree.errors.codes import EFFECTS, Effect

#: How many errors of each code are kept before more of others with the same effect.
_FEW: Final = 10


#: An error's code and effect.
Kind = tuple[str, Effect]


class Room:
    """Places for errors: the worst get one first, then some of each code, then those that come first.

    Those without a place are counted in `left_out`.
    """

    def __init__(self, kept: Iterable[Kind], left_out: dict[Kind, int]) -> None:
        """Begin with errors that have a place, and no place for more."""
        self._counts: dict[Kind, int] = {}
        self._places: dict[Kind, list[int]] = {}  # in the order of their errors
        self._left_out = left_out
        self._closed: set[Kind] = set()  # those that get no more places
        for place, kind in enumerate(kept):
            self._counts[kind] = self._counts.get(kind, 0) + 1
            self._places.setdefault(kind, []).append(place)

    def take(self, kind: Kind) -> int | None:
        """Count one more error; return the place it takes from another one, None if it gets none."""
        place = None if kind in self._closed else self._take(kind)
        if place is None:
            self._left_out[kind] = self._left_out.get(kind, 0) + 1
        return place

    def _take(self, kind: Kind) -> int | None:
        if not self._places:
            self._closed.add(kind)
            return None
        count = self._counts[kind] = self._counts.get(kind, 0) + 1
        rank, least = EFFECTS.index(kind[1]), min(EFFECTS.index(effect) for _, effect in self._places)
        if rank < least or (rank == least and count > _FEW):
            self._closed.add(kind)
            return None
        mildest = {other: places for other, places in self._places.items() if other[1] == EFFECTS[least]}
        largest = max(mildest, key=lambda other: len(mildest[other]))
        if rank == least and len(mildest[largest]) <= max(_FEW, len(mildest.get(kind, ()))):
            return None
        place = mildest[largest].pop()
        self._left_out[largest] = self._left_out.get(largest, 0) + 1
        if not mildest[largest]:
            del self._places[largest]
        self._places.setdefault(kind, []).append(place)
        return place


class Kept(list[Any]):
    """A list of errors or faults that keeps as many as `most`, or all if that is None."""

    def __init__(self, most: int | None) -> None:
        super().__init__()
        self._most = most
        self._room: Room | None = None

    def take(self, item: Any) -> None:
        if self._most is None or len(self) < self._most:
            self.append(item)
        elif self._most:
            if self._room is None:
                self._room = Room(((other.code, other.effect) for other in self), {})
            if (place := self._room.take((item.code, item.effect))) is not None:
                self[place] = item
