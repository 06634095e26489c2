"""Names that are nearly equal."""

from functools import lru_cache

__all__ = ["is_in_other_case", "is_near", "of_parents_case"]

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
    prefix, _, local = one.rpartition(":")
    other_prefix, _, other_local = other.rpartition(":")
    if one.lower() == other.lower() or local == other_local:
        return True
    if prefix == other_prefix:  # a prefix that all names have does not make them long: w:b is no slip of w:p
        one, other = local, other_local
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


def of_parents_case(name: str, other: str, parent: str) -> str:
    """Return the one of two names that alone begins with a letter of the case of their parent's; "" if none (R-037).

    Names of capitals only show nothing where the parent's begins with a capital, too: it may be an abbreviation.
    """
    names = {full: full.rpartition(":")[2] for full in (name, other)}
    parent = parent.rpartition(":")[2]
    is_capital = parent[:1].isupper()
    if is_capital and any(map(_has_capitals_only, [*names.values(), parent])):
        return ""
    fitting = [full for full, local in names.items() if local[:1].isupper() == is_capital]
    return fitting[0] if len(fitting) == 1 else ""


def _has_capitals_only(name: str) -> bool:
    return len(name) > 1 and name.isupper()
