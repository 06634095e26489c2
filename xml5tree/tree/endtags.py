"""The rule for end tags: how many of the open elements one ends (D-109, D-110)."""

from collections.abc import Sequence

__all__ = ["ended_by"]


def ended_by(name: str, open_names: Sequence[str]) -> int:
    """Return how many elements an end tag ends: those up to the innermost one of its name, that one included.

    The end tag without a name, `</>`, ends the current element. One that matches no open element ends none. C has the
    rule in `ended_by` of readings.h, for interned names (integers), and in `ended_by_name` of scanner.h.

    Args:
        name: the name in the end tag; empty in `</>`.
        open_names: the names of the open elements, the root first; at least one.
    """
    if not name or name == open_names[-1]:
        return 1
    # From the innermost on, so that time grows with the elements that are ended, not with those that are open.
    for number, open_name in enumerate(reversed(open_names), 1):
        if name == open_name:
            return number
    return 0
