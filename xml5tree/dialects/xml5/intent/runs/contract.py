"""The interface of a reader."""

from typing import Final, NamedTuple, Protocol

__all__ = ["MOST_KNOWN", "MOST_OUTER", "AskedTag", "Learnt", "RunReader"]

#: The innermost open elements that a reader knows: one more than a run may end (`_MOST_ENDED` in fastpath/apply.py). It
#: stops before the end tag of the outermost of them, since it does not know the element around that. The same number is
#: in accelerator/stack.h.
MOST_KNOWN: Final = 7
#: The most elements that are searched for one of a name, so that time is linear however deep a document is. The same
#: number is in accelerator/learning.h.
MOST_OUTER: Final = 64


AskedTag = tuple[str, bool]
"""The name of a tag about which the policy has to be asked, and whether it is an empty tag."""


class Learnt(NamedTuple):
    """The net effect of a part of a run.

    Columns are None where something else than white space is before on the line.
    """

    end: int  # where the part ends: at the end of the run, or before what cannot be passed
    asked: AskedTag | None  # the tag there, if the policy has to be asked about it
    ended: int  # the number of ended elements that were open before
    opened: list[str]  # the names of the elements that it opens and does not end
    columns: list[int | None]  # the columns of their tags
    innermost: int  # the index of the last of these tags; -1: there is none
    last: str | None  # the name of the current element's last child; `TEXT_CHILD`: only text; None: nothing
    child: int | None  # the column of the last child; `NO_SIBLING` if it does not begin in the part
    column: int | None  # the column of the part's end
    has_start_tag: bool  # there are start tags or empty tags


class RunReader(Protocol):
    """Learns from the runs of one document."""

    def read(self, data: bytes, start: int, end: int, *, is_right: bool) -> Learnt:
        """Learn from a part of a run, up to something about which the policy has to be asked.

        Args:
            data: the bytes around the run.
            start: the beginning of the part; the policy knows the open elements and the column there.
            end: the end of the run.
            is_right: the draft's reading is known to have no error from there to the end of the root element.
        """
