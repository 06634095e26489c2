"""References to declared entities, for the pure scan."""

import re
from collections.abc import Mapping
from typing import Final

from xml5tree.fastpath.contract import Expansion
from xml5tree.fastpath.defaults import NO_TAG, compile_pattern
from xml5tree.xml.references import PREDEFINED_REFERENCE

__all__ = ["DeclaredReferences"]

#: Entities that are declared to expat for each run, and bytes of their names.
_MOST_NAMES: Final = 50
_MOST_BYTES: Final = 1000
#: Names that expat reads whatever it makes of namespaces.
_NAME: Final = re.compile(rb"[A-Za-z_][A-Za-z0-9_.\-]*+")

#: A tag with a reference to one of the names in a value, if another part of the tag would be written anew, too. All
#: repetitions are possessive: they never backtrack.
_TO_REWRITE: Final = rb"""
    <(?![!?/])
    (?! [^\t\n />"'<&]++ (?:[ ][^\t\n =/>"'<&]++="(?:[^"<&\t\n]++|%(predefined)b|&(?:%(names)b);)*+")*+ /?> )
    [^<>"']*+
    (?:
        (?:"(?:[^"<&]++|&(?!(?:%(names)b);))*+" | '(?:[^'<&]++|&(?!(?:%(names)b);))*+')
        [^<>"']*+
    )*+
    ["']
"""


class DeclaredReferences:
    """The references in the current text to entities with equal replacements in text and in values."""

    def __init__(self, data: bytes, start: int, entities: Mapping[bytes, Expansion] | None) -> None:
        self._data = data
        self._place = start - 1  # of the next tag that has to be written anew
        self._cost = 0  # of what is added to a run
        self._entities: dict[bytes, Expansion] = {}
        left = _MOST_BYTES
        for name, entity in (entities or {}).items():
            if entity.text == entity.value and _NAME.fullmatch(name):
                left -= len(name)
                if left < 0 or len(self._entities) == _MOST_NAMES:
                    break
                self._entities[name] = entity
        declarations = b"".join([b'<!ENTITY %b "">' % name for name in self._entities])
        # declares them to expat, as text that is not looked into
        self.declaration = b"<!DOCTYPE x [%b]>" % declarations if declarations else b""
        self._names = b"|".join(map(re.escape, self._entities))

    def next_to_rewrite(self, start: int) -> int:
        """See `DeclaredTags.next_to_rewrite`."""
        if not self._entities:
            return len(self._data)
        if self._place < start:
            names = {b"names": self._names, b"predefined": PREDEFINED_REFERENCE.encode()}
            found = compile_pattern(_TO_REWRITE % names, re.VERBOSE).search(self._data, start)
            self._place = found.start() if found else len(self._data)
        return self._place

    def expand(self, run: bytes, limit: int) -> tuple[bytes, int] | None:
        """Return a run with its entities replaced, and their cost; None if it is more than the limit."""
        if not self._entities or b"&" not in run:
            return run, 0
        self._cost = 0
        markup = compile_pattern(b"%b|&(%b);" % (NO_TAG, self._names)).sub(self._expand, run)
        return (markup, self._cost) if self._cost <= limit else None

    def _expand(self, found: re.Match[bytes]) -> bytes:
        if not found[1]:
            return found[0]
        entity = self._entities[found[1]]
        self._cost += entity.cost
        return entity.text
