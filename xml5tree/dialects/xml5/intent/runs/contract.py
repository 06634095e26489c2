"""The interface of a reader that learns from runs."""

from typing import Final, NamedTuple, Protocol

__all__ = ["MOST_KNOWN", "MOST_OUTER", "AskedTag", "Learnt", "RunReader"]

#: How many of the innermost open elements a reader knows: one more than a run may end (`_MOST_ENDED` in
#: fastpath/apply.py). After a doubted tag within a run, these include elements that the run has opened, so the rest of
#: the run may end all of them. So a reader stops before the end tag of the outermost one. The same number is in
#: accelerator/stack.h.
MOST_KNOWN: Final = 7
#: How many elements are looked through for those of one name, so that time is linear however deep a document is. The
#: same number is in accelerator/learning.h.
MOST_OUTER: Final = 64


AskedTag = tuple[str, bool]
"""The name of a tag about which the policy has to be asked, and whether it is an empty tag."""


class Learnt(NamedTuple):
    """The net effect of a part of a run.

    Columns are None where something else than white space is before on the line.

    Attributes:
        end: where the part ends: at the end of the run, or before what cannot be passed.
        asked: the tag there, if the policy has to be asked about it.
        ended: the number of ended elements that were open before.
        opened: the names of the elements that it opens and does not end.
        columns: the columns of their tags.
        innermost: the index of the last of these tags; -1: there is none.
        last: the name of the last child of the current element, `TEXT_CHILD` if it has only text, None if nothing.
        child: the column of that child; `NO_SIBLING` if it does not begin in the part.
        column: the column of the part's end.
        has_start_tag: whether there are start tags or empty tags.
    """

    end: int
    asked: AskedTag | None
    ended: int
    opened: list[str]
    columns: list[int | None]
    innermost: int
    last: str | None
    child: int | None
    column: int | None
    has_start_tag: bool


class RunReader(Protocol):
    """Learns from the runs of one document."""

    def read(self, data: bytes, start: int, end: int, *, is_right: bool) -> Learnt:
        """Learn from a part of a run, up to something about which the policy has to be asked.

        Args:
            data: the bytes around the run.
            start: the beginning of the part; the policy knows which elements are open there, and the column.
            end: the end of the run.
            is_right: whether the draft's reading is known to have no error from there to the end of the document.
        """
