"""Names: which are near each other, and which HTML has."""

import re
from collections.abc import Iterable
from typing import Final

from xml5tree.xml import nearness
from xml5tree.xml.vocabulary import Vocabulary

#: Elements of HTML without an end tag, those in text, and others that are written in prose.
VOID: Final = frozenset(b"area base br col embed hr img input link meta param source track wbr".split())
NEVER_FILLED: Final = frozenset(b"br hr wbr".split())  # names that also other vocabularies have for empty elements
INLINE: Final = frozenset(
    b"a abbr b big cite code del em font i ins kbd mark q s samp small span strike strong sub sup tt u var".split()
)
PHRASE: Final = INLINE | frozenset(b"dd div dl dt li ol p pre table td th tr ul".split())
#: What programs print in angle brackets.
PRINTED: Final = frozenset(b"anonymous clinit init lambda module nil none null undefined unknown".split())
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
#: Letters that only one of two near names has, unless it is cut short, or has a prefix: two for each slip.
_MOST_LETTERS: Final = 4


class Known:
    """The names that the caller lists: see `Vocabulary`."""

    def __init__(self, names: Iterable[bytes]) -> None:
        lowered = [name.removeprefix(b"{*}").lower() for name in names]
        self._names = [(name, _letters(name)) for name in lowered]
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
            lowered = name.lower()
            letters = _letters(lowered)
            found = any(
                is_near(lowered, other)
                for other, others in self._names
                if (letters ^ others).bit_count() <= _MOST_LETTERS or lowered[0] == other[0] or b":" in lowered + other
            )
            if len(self._near) < _MOST:
                self._near[name] = found
        return found


def _letters(name: bytes) -> int:
    return sum({1 << octet for octet in name})


def stem(name: bytes) -> bytes:
    """Return a name without the number at its end."""
    return name.rstrip(b"0123456789")


def is_near(name: bytes, other: bytes) -> bool:
    """Return whether one name may be a slip of the other."""
    return nearness.is_near(name.lower().decode("latin-1"), other.lower().decode("latin-1"))


def is_xmlns(word: str) -> bool:
    """Return whether a word may be a slip of `xmlns`, or is it."""
    return 4 <= len(word) <= 6 and nearness.is_near(word.lower(), "xmlns")


def is_odd_case(name: bytes, other: bytes, around: bytes) -> bool:
    """Return whether two names differ in case only, and just the other begins like a name around it."""
    if name.lower() != other.lower() or not around:
        return False
    first, second, third = (local.rpartition(b":")[2][:1] for local in (name, other, around))
    return first.isupper() != second.isupper() and second.isupper() == third.isupper()
