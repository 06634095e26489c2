"""Names that are nearly equal."""

from functools import lru_cache

__all__ = ["is_in_other_case", "is_near", "is_of_case"]

_LONGEST = 64
#: Names from this length on may differ by two slips, shorter ones by one.
_LONG = 7
#: In shorter names, a slip makes another name of the vocabulary. Only a doubled last character counts as one.
_SHORT = 3


@lru_cache(1024)
def is_near(one: str, other: str) -> bool:
    """Return whether a name may be the other in another case, with another prefix, cut short, or with slips."""
    if len(one) > _LONGEST or len(other) > _LONGEST:
        return False
    if one.lower() == other.lower() or one.rpartition(":")[2] == other.rpartition(":")[2]:
        return True
    short, long = sorted((one, other), key=len)
    if len(short) > 1 and 2 * len(short) >= len(long) and long.startswith(short):
        return True
    if len(short) < _SHORT:
        return bool(short) and long == short + short[-1]
    most = 2 if len(short) >= _LONG else 1
    return len(long) - len(short) <= most and _distance(short, long) <= most


def _distance(one: str, other: str) -> int:
    """Return the Damerau-Levenshtein distance: letters left out, inserted, replaced and exchanged."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        current = [row]
        for column, another in enumerate(other, 1):
            cost = min(last[column] + 1, current[-1] + 1, last[column - 1] + (letter != another))
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == another:
                cost = min(cost, before[column - 2] + 1)
            current.append(cost)
        before, last = last, current
    return last[-1]


def is_in_other_case(name: str, other: str) -> bool:
    """Return whether two names differ in nothing but the case of their letters."""
    return name != other and name.lower() == other.lower()


def is_of_case(name: str, parent: str) -> bool:
    """Return whether a name begins with a letter of the case that its parent's name shows (R-037).

    A parent's name of capitals only may be an abbreviation, and shows none. Such a name is not like one that only
    begins with a capital.
    """
    name, parent = name.rpartition(":")[2], parent.rpartition(":")[2]
    if _has_capitals_only(parent):
        return False
    if parent[:1].isupper():
        return name[:1].isupper() and not _has_capitals_only(name)
    return not name[:1].isupper()


def _has_capitals_only(name: str) -> bool:
    return len(name) > 1 and name.isupper()
