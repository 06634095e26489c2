"""The rule for end tags (D-109, D-110)."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from xml5tree.errors.codes import KEPT, LOST, MOVED, Effect, worst
from xml5tree.xml.names import IN_NAME, NMTOKEN, NOT_IN_NAME

#: Markup in a name, or what cannot be in a name between two parts of one. (At its ends, it is a slip of the keyboard.)
_OTHER: Final = re.compile(f"[=<&\"']|(?<={IN_NAME}){NOT_IN_NAME}++{IN_NAME}")

_TAG: Final = re.compile(f"<(/?{NMTOKEN})")


def ended_by(name: str, open_names: Sequence[str]) -> int:
    """Return how many of the open elements, from the root on, an end tag ends: up to the innermost of its name.

    ``</>``, with an empty `name`, ends one element; an end tag that matches none ends none.
    """
    # C has the rule in `ended_by_name` of endtags.h.
    if not name or name == open_names[-1]:
        return 1
    # From the innermost on, so that time grows with the elements that are ended, not with those that are open.
    for number, open_name in enumerate(reversed(open_names), 1):
        if name == open_name:
            return number
    return 0


class Swallowed:
    """What happened to start tags in comments and instructions before the root element that have no end tags there."""

    def __init__(self, leaves_out: Callable[[str], bool]) -> None:
        """Begin; `leaves_out` returns whether the tree leaves out a kind of node."""
        self._leaves_out = leaves_out
        self._effects: dict[str, Effect] = {}

    def note(self, data: str, node: str) -> None:
        if "<" not in data:
            return
        effect: Effect = LOST if self._leaves_out(node) else MOVED
        tags = Counter(_TAG.findall(data))
        for name, count in tags.items():
            if name[0] != "/" and count > tags[f"/{name}"]:
                self._effects[name] = worst(effect, self._effects.get(name, KEPT))

    def effect(self, name: str) -> Effect:
        """Return what happened to the start tag of an end tag that stands outside the root element."""
        return self._effects.get(name, KEPT)


def has_swallowed(name: str) -> bool:
    """Return whether the name of an end tag has an attribute, a tag or text in it, which no tree has then."""
    return _OTHER.search(name) is not None
