"""The rule for end tags: how many of the open elements one ends (D-109, D-110)."""

from collections.abc import Sequence

__all__ = ["ended_by"]


def ended_by(name: str, open_names: Sequence[str]) -> int:
    """Return how many elements an end tag ends: those up to the innermost one of its name, that one included.

    The end tag without a name, `</>`, ends the current element. One that matches no open element ends none. C has the
    rule in `ended_by` of readings.h, for numbers of names, and in `ended_by_name` of scanner.h.

    Args:
        name: the name in the end tag; empty in `</>`.
        open_names: the names of the open elements, the root first; at least one.
    """
    if not name or name == open_names[-1]:
        return 1
    if name not in open_names:
        return 0
    depth = len(open_names) - 1
    while open_names[depth - 1] != name:
        depth -= 1
    return len(open_names) - depth + 1
