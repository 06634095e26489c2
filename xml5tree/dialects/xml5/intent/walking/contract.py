"""The interface of a walk through a run without doubted errors."""

from collections.abc import Set
from typing import Final, NamedTuple, Protocol

from xml5tree.dialects.xml5.intent.columns import NO_COLUMN
from xml5tree.dialects.xml5.intent.walking.places import Place

__all__ = ["MOST_AROUND", "NOWHERE", "Around", "Outcome", "Part", "Stop", "Walk"]

#: How many of the open elements are known around a walk: one more than a run may end. There is the same number in
#: accelerator/walk.h.
MOST_AROUND: Final = 7

#: Where a walk stops, before a token that has no transition, or that is watched and misplaced: the indices of the
#: token's beginning and end; the place before the token; the name of the tag, "" if the token is no tag; and the
#: token's kind, as in `kind_of`. If the walk has come to its end, the two indices are equal, and the name is None.
Stop = tuple[int, int, Place, str | None, int]
#: The outcome of a walk: the number of ended elements that were open before it; the columns of the elements that it has
#: opened and not ended; the index of the last of them, -1 if there is none; the column of the last child of the current
#: element, `NO_SIBLING` if that does not begin in the run; the column of the place where the walk stopped; whether
#: there were start tags or empty tags; and the index of that last child, -1 if not in the run. Columns are None where
#: something else is before on the line.
Outcome = tuple[int, list[int | None], int, int | None, int | None, bool, int]


class Around(NamedTuple):
    """The columns of the tags around a walk, up to `MOST_INDENT`.

    Attributes:
        child: the column of the last child of the current element.
        open_elements: the columns of the `MOST_AROUND` innermost open elements, innermost first; `NO_COLUMN` for
            missing ones.
    """

    child: int
    open_elements: tuple[int, ...]


#: Where nothing is known of columns.
NOWHERE: Final = Around(NO_COLUMN, (NO_COLUMN,) * MOST_AROUND)


class Part(NamedTuple):
    """A part of a run, up to the run's end.

    Attributes:
        data: the bytes around the run.
        start: the beginning of the part.
        column: the column of the beginning; None where something else is before on its line.
        first: the beginning of its first token, after text, or its end.
        end: its end.
        is_right: whether the draft's reading is known to have no error from there on, up to the end of the document.
    """

    data: bytes
    start: int
    column: int | None
    first: int
    end: int
    is_right: bool = False


class Walk(Protocol):
    """Walks through parts of the runs of one document in order; `missed` counts tokens without transitions."""

    missed: int

    def tell(self, names: Set[str]) -> None:
        """Set the names of leaves that are not strange; before, no leaf is strange.

        A transition of a strange leaf is one for all of them. A walk may as well stop at each.
        """

    def begin(self, part: Part, place: Place, watched: int, around: Around | None) -> Stop:
        """Walk through a part of a run, up to a section about which the policy has to be asked.

        Args:
            part: the part.
            place: the place before its first token.
            watched: an index. The walk also stops at a watched tag whose token ends after that, if columns contradict
                that the tag is in the current element (R-035).
            around: the columns around the part; None: unknown.
        """

    def go_on(self, following: Place, *, is_known: bool, is_watched: bool, is_strange: bool = False) -> Stop:
        """Walk on after the token at which the walk has stopped.

        Args:
            following: the place after the token.
            is_known: whether this becomes a transition.
            is_watched: whether the token is a tag that is watched from now on.
            is_strange: whether the token is a strange leaf, and the transition one for all of them.
        """

    def is_misplaced(self) -> bool:
        """Return whether columns say that the tag at which it stopped is not in the current element."""

    def is_surely_inside(self, most: int, reach: int, around: Around) -> bool:
        """Return whether the tag at which the walk has stopped surely is in the current element, as the draft reads it.

        It is if the element ends in the run, at most `most` tags and `reach` bytes later, and no column contradicts
        that.
        """

    def outcome(self) -> Outcome:
        """Return the outcome of the walk, up to where it stopped."""
