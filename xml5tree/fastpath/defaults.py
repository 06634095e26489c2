"""Tags that the declarations of the DOCTYPE change: those that the lane can change too, and those for the states."""

import re
from collections.abc import Set
from functools import lru_cache
from itertools import chain
from typing import Final

from xml5tree.dtd.attributes import DeclaredAttributes, cost_of
from xml5tree.fastpath.tags import TAG_REST
from xml5tree.output.markup import insert_in_tag, written_attributes

__all__ = ["DeclaredTags"]

#: Elements with attribute declarations that a pattern is made for, and characters of their names: it is made again for
#: each text, which may be short.
_MOST_DECLARED: Final = 100
_MOST_CHARACTERS: Final = 4000

# Of text that is known to be well-formed. No repetition is undone, so that a failure costs no second try.
_NO_TAG: Final = (
    rb"<(?:!--[^-]*+(?:-(?!->)[^-]*+)*+-->|!\[CDATA\[[^\]]*+(?:\](?!\]>)[^\]]*+)*+\]\]>|\?[^?]*+(?:\?(?!>)[^?]*+)*+\?>)"
)
_START_TAG_NAME: Final = re.compile(b"<([^ \t\n/<>]++)")
_ATTRIBUTE: Final = re.compile(b"[ \t\n]([^ \t\n=]++)[ \t\n]*+=[ \t\n]*+(?:\"[^\"]*+\"|'[^']*+')")
#: What is in the rest of a tag with two prefixed attributes, of which the states make sure that they differ.
_PERHAPS_TWO_PREFIXES: Final = b"(?=[^:<]*+:[^:<]*+:)"
#: The rest of a tag in whose attribute values no white space is to collapse; when in doubt, not.
_COLLAPSED_REST: Final = (
    b'(?:[ \t\n][^ \t\n=<>"\'/]++=(?:"(?![ \t\n])(?:[^"<&\t\n ]++|[ \t\n](?![" \t\n])|&(?!#))*+"'
    b"|'(?![ \t\n])(?:[^'<&\t\n ]++|[ \t\n](?![' \t\n])|&(?!#))*+'))*+[ \t\n]?/?>"
)


class DeclaredTags:
    """The tags in a text, which is being read, that their declarations may change."""

    def __init__(self, data: bytes, start: int, declared: DeclaredAttributes) -> None:
        self._data = data
        self._declared = declared
        self._place = start - 1  # of the next that has to be written anew
        extended, rewritten = declared.extended, declared.rewritten
        if _are_too_many(extended, rewritten):
            names = {name.decode() for name in _START_TAG_NAME.findall(data, start)}
            extended, rewritten = extended & names, rewritten & names
        self._is_closed = _are_too_many(extended, rewritten)
        #: What is added to a tag whose name and attributes have these names, and what that costs.
        self._defaults: dict[tuple[bytes, ...], tuple[str, int]] = {}
        self._cost = 0  # of what is added to a stretch
        self._extended = b""  # patterns; empty where nothing is to be looked for
        self._rewritten = b""
        if self._is_closed:
            return
        to_rewrite = []
        if rewritten:
            always, perhaps = rewritten - declared.collapsed, rewritten & declared.collapsed
            to_rewrite += [_any_of(always), b"%b(?!%b)" % (_any_of(perhaps), _COLLAPSED_REST)]
        if extended:
            self._extended = b"<(?P<name>%b)%b" % (_any_of(extended), TAG_REST)
            to_rewrite.append(b"%b%b" % (_any_of(extended), _PERHAPS_TWO_PREFIXES))
        if to_rewrite:
            self._rewritten = b"<(?:%b)" % b"|".join(to_rewrite)

    def next_to_rewrite(self, start: int) -> int:
        """Where the next tag from `start` on is that has to be written anew; the end of the text if there is none."""
        if self._is_closed:
            return start
        if self._place < start:
            found = _compile(self._rewritten).search(self._data, start) if self._rewritten else None
            self._place = found.start() if found else len(self._data)
        return self._place

    def with_defaults(self, markup: bytes, has_tags_only: bool) -> bytes | None:
        """A stretch with the attributes that its elements have by default; None where the budget may not hold them.

        Args:
            markup: the stretch.
            has_tags_only: whether there are neither comments, CDATA sections nor processing instructions in it.
        """
        if not self._extended:
            return markup
        pattern = _compile(self._extended if has_tags_only else b"%b|%b" % (self._extended, _NO_TAG))
        self._cost = 0
        markup = pattern.sub(self._add_defaults, markup)
        budget = self._declared.budget
        self._is_closed = not budget.holds(self._cost)  # what else it may hold depends on the place of each tag
        if self._is_closed:
            return None
        budget.spend(self._cost)
        return markup

    def _add_defaults(self, found: re.Match[bytes]) -> bytes:
        tag, name = found.group(0, "name")
        if not name or not self._declared.budget.holds(self._cost):
            return tag
        names = (name, *_ATTRIBUTE.findall(tag))
        if names not in self._defaults:
            element, *present = [name.decode() for name in names]
            self._defaults[names] = self._lacking(element, set(present))
        defaults, cost = self._defaults[names]
        self._cost += cost
        return insert_in_tag(tag.decode(), defaults).encode()

    def _lacking(self, element: str, present: Set[str]) -> tuple[str, int]:
        """What is added to a tag, and its cost; no more than shows that the budget may not hold it."""
        added: list[tuple[str, str]] = []
        cost = 0
        for name, default in self._declared.lacking(element, present):
            cost += cost_of(name, default)
            if not self._declared.budget.holds(self._cost + cost):
                break
            added.append((name, default))
        return written_attributes(added), cost


def _are_too_many(*names: frozenset[str]) -> bool:
    """Whether these are more names, or longer ones, than a pattern is made for."""
    return sum(map(len, names)) > _MOST_DECLARED or sum(map(len, chain(*names))) > _MOST_CHARACTERS


def _any_of(names: frozenset[str]) -> bytes:
    """The pattern of a whole name that is one of these."""
    return f"(?:{'|'.join(map(re.escape, sorted(names))) or '(?!)'})(?=[ \t\n/>])".encode()


@lru_cache(maxsize=16)
def _compile(pattern: bytes) -> re.Pattern[bytes]:
    """As `re.compile`, for patterns that fit many blocks and perhaps many documents."""
    return re.compile(pattern)
