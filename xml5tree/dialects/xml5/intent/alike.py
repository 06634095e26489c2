"""Repeated start tags (R-025), and records like the one before (R-041)."""

import re
from itertools import islice
from typing import Final

from xml5tree.dialects.xml5.intent.attributes import read_attributes
from xml5tree.dialects.xml5.intent.constants import MOST_INSIDE, SOME_CHILDREN
from xml5tree.dialects.xml5.intent.learned import TEXT_CHILD, Learned
from xml5tree.dialects.xml5.intent.situation import PlacedTag
from xml5tree.dialects.xml5.intent.window import END_TAG, START_TAG, TEXT_RUN, Window

__all__ = ["count_flat", "goes_on_to_next", "has_many_children", "is_like", "is_repeated"]

_START_TAG: Final = re.compile(r"""[\t\n ]*+<([^\t\n />]++)((?:[^<>"'/]++|"[^"<]*+"|'[^'<]*+'|/(?!>))*+)>""")


def is_like(name: str, window: Window, learned: Learned) -> bool:
    """Return whether most children of the element `name` are known as children of elements with this name.

    The element's start tag is before the window, or its first tag. The element ends at its end tag, or before the next
    start tag of its name.
    """
    level = known = number = 0  # `level`: how many elements are open in the element
    for index, (kind, child) in enumerate(window):
        if index == 0 and (kind, child) == (START_TAG, name):
            continue
        if level == 0 and (kind == END_TAG or (kind == START_TAG and child == name)):
            break
        if level == 0:
            number += 1
            known += learned.was_child(name, TEXT_CHILD if kind == TEXT_RUN else child)
        level += (kind == START_TAG) - (kind == END_TAG)
    return 2 * known > number


def goes_on_to_next(name: str, child: PlacedTag, window: Window) -> bool:
    """Return whether a start tag of an element's own `name` comes directly in the element, as tags nest (R-023).

    If the element lacks its end tag, it may end there. `child` is the tag before the window; it is in the element.
    `MOST_INSIDE` tags and texts are looked at.
    """
    level = 1 if child.empty else 2  # the number of open elements, from `name` inwards
    for kind, other in islice(window, MOST_INSIDE):
        if kind == START_TAG:
            if level == 1 and other == name:
                return True
            level += 1
        elif kind == END_TAG:
            level -= 1
            if level == 0:  # the element ends before, by this end tag
                return False
    return False


def has_many_children(name: str, child: PlacedTag, window: Window) -> bool:
    """Return whether `SOME_CHILDREN` children follow one another in an element `name`, without text between (R-023).

    `child` is the first of them, before the window. None of the others has the same `name`.
    """
    level = 0 if child.empty else 1  # how many elements are open in the element
    number = 1
    for kind, other in window:
        if level == 0 and (kind in {END_TAG, TEXT_RUN} or other == name):
            return False
        number += level == 0
        if number == SOME_CHILDREN:
            return True
        level += (kind == START_TAG) - (kind == END_TAG)
    return False


def count_flat(name: str, window: Window) -> tuple[int, int]:
    """Return the numbers of start tags and end tags of a name in a window; zeros if such elements contain others."""
    starts = ends = 0
    was_end = False  # whether the last of these tags was an end tag
    for kind, other in window:
        if other == name and kind in {START_TAG, END_TAG}:
            if was_end and kind == END_TAG:  # two elements end, so the first one is in the second
                return 0, 0
            was_end = kind == END_TAG
            starts += not was_end
            ends += was_end
    return starts, ends


def is_repeated(tag: PlacedTag, window: Window, times: int = 1) -> bool:
    """Return whether a start tag comes `times` times in the window directly after itself, with equal attributes."""
    place = window.start
    for _ in range(times):
        found = _START_TAG.match(window.text, place, window.stop)
        # Only XML's own five entities are expanded here. Another reference becomes U+0000, which is in no value, so
        # that the values are unequal.
        if found is None or found[1] != tag.name or read_attributes(found[2], lambda _: "\0") != tag.attributes:
            return False
        place = found.end()
    return True
