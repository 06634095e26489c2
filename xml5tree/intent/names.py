"""Names: which are near each other, and which HTML has."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from xml5tree.xml.vocabulary import Vocabulary

__all__ = ["ENDS", "INLINE", "NEVER_FILLED", "PHRASE", "VOID", "Known", "is_near", "is_odd_case", "stem"]

#: Elements of HTML without an end tag, those in text, and others that are written in prose.
VOID: Final = frozenset(b"area base br col embed hr img input link meta param source track wbr".split())
NEVER_FILLED: Final = frozenset(b"br hr wbr".split())  # names that also other vocabularies have for empty elements
INLINE: Final = frozenset(
    b"a abbr b big cite code del em font i ins kbd mark q s samp small span strike strong sub sup tt u var".split()
)
PHRASE: Final = INLINE | frozenset(b"dd div dl dt li ol p pre table td th tr ul".split())
_BLOCK: Final = frozenset(b"p div table ul ol dl form blockquote h1 h2 h3 h4 h5 h6 pre hr".split())
#: Elements of HTML, and before which tags they end.
ENDS: Final = {
    b"p": _BLOCK,
    b"li": frozenset({b"li"}),
    b"td": frozenset({b"td", b"th", b"tr"}),
    b"th": frozenset({b"td", b"th", b"tr"}),
    b"tr": frozenset({b"tr"}),
    b"dt": frozenset({b"dt", b"dd"}),
    b"dd": frozenset({b"dt", b"dd"}),
    b"option": frozenset({b"option"}),
    b"thead": frozenset({b"tbody"}),
    b"tbody": frozenset({b"tbody"}),
}
LONGEST: Final = 64  # octets of a name that is compared with others
_MOST: Final = 4096  # names that are remembered


class Known:
    """The names that the caller lists: see `Vocabulary`."""

    def __init__(self, names: Iterable[bytes]) -> None:
        self._names = [name.removeprefix(b"{*}") for name in names]
        self._vocabulary = Vocabulary(name.decode() for name in names)
        self._near: dict[bytes, bool] = {}
        self.tag = re.compile(rb"</?%b(?=[\t\n\r />])" % self._vocabulary.pattern.encode())

    def __contains__(self, name: bytes) -> bool:
        return name.decode(errors="replace") in self._vocabulary

    def has_near(self, name: bytes) -> bool:
        """Return whether a name may be a listed one, misspelt."""
        if len(name) > LONGEST:
            return False
        found = self._near.get(name)
        if found is None:
            found = any(is_near(name, other) for other in self._names)
            if len(self._near) < _MOST:
                self._near[name] = found
        return found


def stem(name: bytes) -> bytes:
    """Return a name without the number at its end."""
    return name.rstrip(b"0123456789")


def is_near(name: bytes, other: bytes) -> bool:
    """Return whether one name may be a slip of the other."""
    return bool(name and other) and max(len(name), len(other)) <= LONGEST and _is_near(name, other)


@lru_cache(4096)
def _is_near(name: bytes, other: bytes) -> bool:
    short, long = name.lower(), other.lower()
    if short == long or name.rpartition(b":")[2] == other.rpartition(b":")[2]:
        return True
    if b":" in name and b":" in other:
        prefix, _, short = short.partition(b":")
        other_prefix, _, long = long.partition(b":")
        if prefix != other_prefix:
            return False
    if len(short) > len(long):
        short, long = long, short
    if len(short) >= 2 and long.startswith(short) and 2 * len(short) >= len(long):
        return True
    if len(short) <= 2:
        return bool(short) and long == short + short[-1:]
    return _distance(short, long) <= (2 if len(short) >= 7 else 1)


def is_odd_case(name: bytes, other: bytes, around: bytes) -> bool:
    """Return whether two names differ in case only, and just the other begins like a name around it."""
    if name.lower() != other.lower() or not around:
        return False
    first, second, third = (local.rpartition(b":")[2][:1] for local in (name, other, around))
    return first.isupper() != second.isupper() and second.isupper() == third.isupper()


def _distance(name: bytes, other: bytes) -> int:
    """Return how many octets are inserted, lost, replaced or swapped with the next."""
    if len(other) - len(name) > 2:
        return 3
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, x in enumerate(name, 1):
        new = [i]
        for j, y in enumerate(other, 1):
            least = min(row[j] + 1, new[-1] + 1, row[j - 1] + (x != y))
            if i > 1 and j > 1 and x == other[j - 2] and name[i - 2] == y:
                least = min(least, before[j - 2] + 1)
            new.append(least)
        before, row = row, new
    return row[-1]
