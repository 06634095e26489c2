"""Where end tags follow, looked up by name: no text is searched twice, so that this takes nothing from the budget."""

import re
from bisect import bisect_left
from typing import Final

from xml5tree.dialects.xml5.intent.window import Window
from xml5tree.dialects.xml5.lexis import NAME

__all__ = ["EndTags"]

_END_TAG: Final = re.compile(rf"</({NAME})(?=[\t\n />]|<)")
#: After so many more end tags, those before the window are dropped.
_BATCH: Final = 4096


class EndTags:
    """The end tags in the windows of one document, which follow one another."""

    def __init__(self) -> None:
        self._places: dict[str, list[int]] = {}  # by name: the offsets of its end tags, from the first window on
        self._added = 0  # how many have been added since those before a window were dropped
        self._reached = 0  # the offset up to which the document has been read

    def has(self, name: str, window: Window) -> bool:
        self._read(window)
        return self._is_in(name, window)

    def names(self, window: Window) -> set[str]:
        """Return the names of all end tags in a window."""
        self._read(window)
        return {name for name in self._places if self._is_in(name, window)}

    def _is_in(self, name: str, window: Window) -> bool:
        places = self._places.get(name, ())
        first = bisect_left(places, window.offset)
        last = window.offset + window.stop - window.start - len(f"</{name}>")
        return first < len(places) and places[first] <= last

    def _read(self, window: Window) -> None:
        """Read what follows the last window."""
        base = window.offset - window.start
        start = max(self._reached - base, window.start)
        if start >= window.stop:
            return
        for found in _END_TAG.finditer(window.text, start, window.stop):
            self._places.setdefault(found[1], []).append(base + found.start())
            self._added += 1
            start = found.end()
        # A tag that the window ends in is read again when the next window has the rest of it.
        self._reached = base + max(start, window.text.rfind("<", start, window.stop))
        if self._added > _BATCH:
            self._added = 0
            kept = {name: places[bisect_left(places, window.offset) :] for name, places in self._places.items()}
            self._places = {name: places for name, places in kept.items() if places}
