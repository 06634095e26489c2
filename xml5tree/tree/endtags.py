"""The rule for end tags (D-109, D-110)."""

import re
from collections.abc import Sequence
from typing import Final

from xml5tree.xml.names import IN_NAME, NOT_IN_NAME

__all__ = ["ended_by", "has_swallowed"]

#: Markup in a name, or what cannot be in a name between two parts of one. (At its ends, it is a slip of the keyboard.)
_OTHER: Final = re.compile(f"[=<&\"']|(?<={IN_NAME}){NOT_IN_NAME}++{IN_NAME}")


def ended_by(name: str, open_names: Sequence[str]) -> int:
    """Return how many of the open elements, from the root on, an end tag ends: up to the innermost of its name.

    ``</>``, with an empty `name`, ends one element; an end tag that matches none ends none.
    """
    # C has the rule in `ended_by` of readings.h, for names as integers, and in `ended_by_name` of scanner.h.
    if not name or name == open_names[-1]:
        return 1
    # From the innermost on, so that time grows with the elements that are ended, not with those that are open.
    for number, open_name in enumerate(reversed(open_names), 1):
        if name == open_name:
            return number
    return 0


def has_swallowed(name: str) -> bool:
    """Return whether the name of an end tag has an attribute, a tag or text in it, which no tree has then."""
    return _OTHER.search(name) is not None
