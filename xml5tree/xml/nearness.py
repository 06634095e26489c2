"""Names that are nearly equal."""

from functools import lru_cache

_LONGEST = 64
#: Names from this length on may differ by two slips, shorter ones by one.
_LONG = 7
#: In shorter names, a slip makes another name of the vocabulary. Only a doubled last character counts as one.
_SHORT = 3


def is_near(one: str, other: str) -> bool:
    """Return whether a name may be the other in another case, with another prefix, cut short, or with slips."""
    return len(one) <= _LONGEST and len(other) <= _LONGEST and _are_near(one, other)


@lru_cache(1 << 13)  # more pairs than are compared in one window: each window has most of the last one again
def _are_near(one: str, other: str) -> bool:
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
    return len(long) - len(short) <= most and _are_within(short, long, most)


def _are_within(one: str, other: str, most: int) -> bool:
    """Return whether at most `most` letters are left out, inserted, replaced, or exchanged with the next one.

    What both begin with needs no slip. So there are four ways on from the first difference, each with a slip less, and
    time does not grow with the product of the lengths.
    """
    start = 0
    while one[start : start + 1] == other[start : start + 1] != "":
        start += 1
    one, other = one[start:], other[start:]
    if not most or abs(len(one) - len(other)) > most:
        return one == other
    return (
        _are_within(one[1:], other[1:], most - 1)
        or _are_within(one[1:], other, most - 1)
        or _are_within(one, other[1:], most - 1)
        or (one[:2] == other[1::-1] and _are_within(one[2:], other[2:], most - 1))
    )
