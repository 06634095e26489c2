"""The columns of tags, and what they say of elements in others of the same name (R-035).

A column is how many characters of white space are before a tag on its line.
"""

from typing import Final

from xml5tree.dialects.xml5.intent.constants import MOST_INDENT

__all__ = ["NO_COLUMN", "NO_SIBLING", "column_at", "column_number", "contradict"]

#: Instead of a column: the tag is not the first on its line; or there is no such tag. As in accelerator/walk.h.
NO_COLUMN: Final = -1
NO_SIBLING: Final = -2

_BLANKS: Final = b"\t "


def column_number(column: int | None) -> int:
    """Return a column as a number; a great one is none, as it is not looked for so far from the tag."""
    return NO_COLUMN if column is None or column > MOST_INDENT else column


def contradict(column: int, parent: int, child: int) -> bool:
    """Return whether columns say that a tag is not in the element that it would be in.

    It stands elsewhere than the child before it; or, as the first child, not farther in than its parent.

    Args:
        column: that of the tag.
        parent: that of the element's tag.
        child: that of the tag of the element's last child.
    """
    if column < 0:
        return False
    if child != NO_SIBLING:
        return child >= 0 and child != column
    return column <= parent


def column_at(data: bytes, start: int, index: int, before: int | None) -> int | None:
    """Return the column of an index; None where something else than white space is before it.

    Args:
        data: what a run is in.
        start: where that begins.
        index: the index.
        before: the column of the beginning.
    """
    column = 0
    while index > start:  # by pieces, as lines may be long
        piece = data[max(start, index - MOST_INDENT) : index]
        rest = piece.rstrip(_BLANKS)
        column += len(piece) - len(rest)
        if rest:
            return column if rest.endswith(b"\n") else None
        index -= len(piece)
    return None if before is None else before + column
