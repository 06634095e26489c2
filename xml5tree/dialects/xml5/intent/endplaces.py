"""Finds following end tags with few searches (R-008).

A window has the tags, too, but only its first 800, and none in comments and the like. This class finds those as well.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable
from typing import Final

from xml5tree.dialects.xml5.intent.constants import MOST_LEARNED
from xml5tree.dialects.xml5.intent.window import Window
from xml5tree.dialects.xml5.lexis import NAME

__all__ = ["EndTags"]

_END_TAG: Final = re.compile(rf"</({NAME})(?=[\t\n /<>])")
#: The number of added end tags after which those before the window are dropped.
_BATCH: Final = 4096


class EndTags:
    """The end tags in the windows of one document, which follow one another.

    Attributes:
        searched: how many characters were searched for single names.
    """

    def __init__(self) -> None:
        self.searched = 0
        #: By name: the offset of an end tag, or -1, and the offset up to which the text has been searched.
        self._found: dict[str, tuple[int, int]] = {}
        #: By name: the offsets of the end tags between some earlier window and `_reached`.
        self._places: dict[str, list[int]] = {}
        self._added = 0  # the end tags added since those before a window were last dropped
        self._reached = 0

    def has(self, name: str, window: Window) -> bool:
        base = window.offset - window.start
        found, end = self._found.get(name, (-1, 0))
        if found >= window.offset:
            return found - base < window.stop
        start = max(end - base, window.start)
        match = re.compile(rf"</{re.escape(name)}[\t\n /<>]").search(window.text, start, window.stop)
        reached = match.start() if match else max(start, window.stop - len(name) - len("</"))
        self.searched += reached - start
        if name in self._found or len(self._found) < MOST_LEARNED:
            self._found[name] = (base + reached if match else -1, base + reached)
        return match is not None

    def of_names(self, names: Iterable[str], window: Window) -> list[str]:
        """Return the given names that have an end tag in a window."""
        base = window.offset - window.start
        start = max(self._reached - base, window.start)
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
        return [name for name in names if _is_in(name, self._places.get(name, []), window)]


def _is_in(name: str, places: list[int], window: Window) -> bool:
    first = bisect_left(places, window.offset)
    last = window.offset + window.stop - window.start - len(f"</{name}>")
    return first < len(places) and places[first] <= last
