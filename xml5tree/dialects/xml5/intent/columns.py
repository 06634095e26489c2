"""Columns of tags, as evidence for nesting (R-035).

A column is the number of characters of white space before a tag on its line.
"""

from typing import Final

from xml5tree.dialects.xml5.intent.constants import MOST_INDENT

__all__ = ["NO_COLUMN", "NO_SIBLING", "column_at", "column_number", "contradict"]

#: Instead of a column: the tag is not the first on its line; or there is no last child. As in accelerator/stack.h.
NO_COLUMN: Final = -1
NO_SIBLING: Final = -2

_BLANKS: Final = b"\t "


def column_number(column: int | None) -> int:
    """Return a column, or `NO_COLUMN` if it is None or beyond `MOST_INDENT`, where runs look for no newline."""
    return NO_COLUMN if column is None or column > MOST_INDENT else column


def contradict(column: int, parent: int, child: int) -> bool:
    """Return whether columns contradict that a tag is in an element; all are columns or `NO_COLUMN`.

    `parent` is that of the element's own tag, `child` that of its last child, or `NO_SIBLING`. They contradict if the
    tag's column is not the last child's or, for a first child, not greater than the parent's.
    """
    if column < 0:
        return False
    if child != NO_SIBLING:
        return child >= 0 and child != column
    return column <= parent


def column_at(data: bytes, start: int, index: int, before: int | None) -> int | None:
    """Return the column of an index in a run; None where something other than white space is before it on its line.

    The run begins at `start` of the data, at the column `before`.
    """
    column = 0
    while index > start:  # in pieces, as lines may be long
        piece = data[max(start, index - MOST_INDENT) : index]
        rest = piece.rstrip(_BLANKS)
        column += len(piece) - len(rest)
        if rest:
            return column if rest.endswith(b"\n") else None
        index -= len(piece)
    return None if before is None else before + column
