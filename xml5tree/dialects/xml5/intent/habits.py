"""The last choice for each kind of token, which is repeated while the budget is used up (R-008)."""

from collections.abc import Sequence

from xml5tree.dialects.xml5.intent.choices import DRAFT, Choice, TokenKind
from xml5tree.dialects.xml5.intent.constants import MOST_LEARNED, MOST_REPEATED, REPEAT_AFTER
from xml5tree.dialects.xml5.intent.situation import PlacedTag

__all__ = ["Habits"]


class Habits:
    """The last choices for tokens, by their kind and name and by the name of the element they are in.

    Where a fault is in each record, comparisons would use up the budget, and then all further records would be read
    otherwise than the first ones.
    """

    def __init__(self) -> None:
        self._repeated = 0  # how often a choice was asked for
        # The choice, if it is not the draft's, and the names of the elements that it closes.
        self._chosen: dict[tuple[TokenKind, str, str], tuple[Choice, Sequence[str]]] = {}

    def is_left(self, offset: int) -> bool:
        """Return whether choices may still be repeated at an offset of the document (R-008)."""
        return self._repeated <= offset // REPEAT_AFTER + MOST_REPEATED

    def note(self, kind: TokenKind, name: str, names: Sequence[str], choice: Choice) -> None:
        """Note what has been chosen for a token where elements of some `names` are open."""
        key = (kind, name, names[-1])
        if not choice.code:
            self._chosen.pop(key, None)
        elif key in self._chosen or len(self._chosen) < MOST_LEARNED:
            closed = names[len(names) - choice.levels :]
            self._chosen[key] = choice._replace(errors=0), closed

    def choose(self, kind: TokenKind, name: str, names: Sequence[str], tag: PlacedTag | None = None) -> Choice:
        """Return the last choice for such a token, without its evidence; the root element is not closed so."""
        self._repeated += 1
        found = self._chosen.get((kind, name, names[-1]))
        if found is None:
            return DRAFT
        choice, closed = found
        if names[max(len(names) - choice.levels, 1) :] != closed:
            return DRAFT
        if choice.tag is not None and tag is not None:
            return choice._replace(tag=tag._replace(name=choice.tag.name, empty=choice.tag.empty))
        return choice
