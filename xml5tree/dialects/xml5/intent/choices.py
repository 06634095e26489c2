"""Readings, their assumptions, and the choice between them (R-006).

The last choice for each kind of token is repeated while the budget is used up (R-008).
"""

from collections.abc import Sequence
from operator import attrgetter
from typing import Final, NamedTuple

from xml5tree.dialects.xml5.intent.constants import (
    DOUBTFUL,
    LEAST_MARGIN,
    MARGIN,
    MOST_LEARNED,
    MOST_REPEATED,
    NEW_PAIR,
    REPEAT_AFTER,
)
from xml5tree.dialects.xml5.intent.simulation import Begun
from xml5tree.dialects.xml5.intent.situation import PlacedTag
from xml5tree.errors.codes import MOVED, Effect

__all__ = [
    "AS_DRAFT",
    "AS_EMPTY_TAG",
    "AS_END_BETWEEN",
    "AS_END_TAG",
    "AS_NEAR_END_TAG",
    "AS_OTHER_NAME",
    "AS_START_TAG",
    "AS_STRAY",
    "AS_STRAY_INSIDE",
    "AS_STRAY_IN_ROOT",
    "AS_TWICE",
    "DRAFT",
    "END_BEFORE",
    "OF_EMPTY_TAG",
    "OF_END_TAG",
    "OF_OWN_END_TAG",
    "OF_START_TAG",
    "OF_TEXT",
    "START_BEFORE",
    "START_OF_ROOT",
    "Choice",
    "Habits",
    "Reading",
    "TokenKind",
    "choose",
]


class Choice(NamedTuple):
    """The reading that is chosen for a token."""

    code: str = ""  # the error code of the assumption; "" for the draft's reading
    sentence: str = ""  # the assumption in words, without its evidence
    levels: int = 0  # the number of elements that are closed
    opened: str = ""  # the name of an element that is opened
    is_doubtful: bool = False  # another reading is nearly as good, so that no pair is learned
    is_dropped: bool = False  # the token itself is not emitted, but its `levels` elements are closed
    effect: Effect | None = None  # the effect on content; None: the usual one of the code
    tag: PlacedTag | None = None  # the start tag or empty tag that the token is taken for; None: as it is written
    errors: int = 0  # the known errors of the draft's reading that this one avoids

    @property
    def message(self) -> str:
        return self.sentence + (f" (one error instead of {self.errors:,})" if self.errors > 1 else "")


#: The draft's reading.
DRAFT: Final = Choice()
_DOUBTFUL_DRAFT: Final = Choice(is_doubtful=True)


class TokenKind(NamedTuple):
    """A kind of token."""

    written: str  # the markup of such a token, with {} for its name
    # The token itself is an error, or ends the root element. So readings are compared even without an error ahead, and
    # the cost of the draft's reading counts among the errors that the choice avoids.
    is_faulty: bool = False
    margin: float = MARGIN  # how much cheaper than the draft's reading another one must be
    pair: float = NEW_PAIR  # the cost of a new pair of parent and child


OF_START_TAG: Final = TokenKind("<{}>")
OF_EMPTY_TAG: Final = TokenKind("<{}/>")
#: An end tag of another name than the current element's, or one that would end the root element (R-021, R-022, R-033).
OF_END_TAG: Final = TokenKind("</{}>", is_faulty=True, margin=LEAST_MARGIN)
#: The current element's own end tag (R-033).
OF_OWN_END_TAG: Final = TokenKind("</{}>")
OF_TEXT: Final = TokenKind("the text")


class _Assumption(NamedTuple):
    """A kind of assumption about a token."""

    code: str  # the error code; "" for the draft's reading
    # The assumption in words. Fields: {token} as written, the name that was {meant}, the name of the {opened} element,
    # the end tags of the {closed} elements, and the end tag of the {outermost} of them.
    sentence: str
    is_dropped: bool = False  # see `Choice`, as for `effect`
    effect: Effect | None = None
    is_late: bool = False  # it may be made although the draft's reading has no error in the window


AS_DRAFT: Final = _Assumption("", "")
AS_EMPTY_TAG: Final = _Assumption("assumed-empty", "{token} was taken for an empty tag")
AS_START_TAG: Final = _Assumption("assumed-start-tag", "{token} was taken for a start tag")
AS_OTHER_NAME: Final = _Assumption("assumed-name", "{token} was taken for <{meant}>")
AS_TWICE: Final = _Assumption(
    "assumed-twice", "{token} was taken for a repetition of the tag before it", is_dropped=True, is_late=True
)
AS_STRAY: Final = _Assumption("assumed-stray-end-tag", "{token} was ignored", is_dropped=True)
AS_STRAY_IN_ROOT: Final = AS_STRAY._replace(sentence="{token} was ignored, since the root element goes on")
#: The current element's own end tag, where the element goes on (R-033).
AS_STRAY_INSIDE: Final = AS_STRAY._replace(sentence="{token} was ignored, since its element goes on")
#: A slip in the end tag of the current element (R-022), so that all content is where it was meant to be.
AS_NEAR_END_TAG: Final = _Assumption("assumed-end-tag", "{token} was taken for {outermost}", is_dropped=True)
AS_END_TAG: Final = AS_NEAR_END_TAG._replace(effect=MOVED)
END_BEFORE: Final = _Assumption("assumed-end-before", "{closed} was assumed before {token}", is_late=True)
#: A start tag is meant for the end tag of the current element, as another start tag of its name follows.
AS_END_BETWEEN: Final = AS_END_TAG._replace(is_late=True)
#: A start tag is missing (R-024).
START_BEFORE: Final = _Assumption("assumed-start-tag", "a start tag <{opened}> was assumed before {token}")
START_OF_ROOT: Final = START_BEFORE._replace(sentence="a start tag <{opened}> was assumed as the root element")


class Reading:
    """A hypothesis about a token."""

    __slots__ = ("assumed", "assumption", "begun", "cost", "errors", "levels", "opened", "tag")

    def __init__(
        self,
        assumption: _Assumption,
        assumed: float,
        begun: Begun,
        levels: int = 0,
        opened: str = "",
        tag: PlacedTag | None = None,
    ) -> None:
        self.assumption = assumption
        self.assumed = self.cost = assumed  # the cost of the assumption; `cost` gets that of the errors, too
        self.begun = begun  # the open elements after the token, and the new pairs of parent and child
        self.levels = levels  # the number of elements that are closed
        self.opened = opened  # the name of an element that is opened
        self.tag = tag  # the start tag or empty tag that the token is taken for; None: as it is written
        self.errors = 0  # the number of errors that follow, once readings have been compared


_COST: Final = attrgetter("cost")


def choose(readings: list[Reading], kind: TokenKind, name: str, names: Sequence[str]) -> Choice:
    """Choose among compared readings of the token `name` (R-006).

    The first of the `readings` is the draft's; `names` are those of the open elements.
    """
    draft = readings[0]
    best = min(readings, key=_COST)
    if best is not draft and not best.cost < draft.cost - kind.margin:
        best = draft
    runner_up = min([reading.cost for reading in readings if reading is not best], default=float("inf"))
    is_doubtful = runner_up - best.cost < DOUBTFUL
    if best is draft:
        return _DOUBTFUL_DRAFT if is_doubtful else DRAFT
    assumption = best.assumption
    # The cost that a faulty token has in the draft's reading stands for its own errors: see `TokenKind.is_faulty`.
    errors = draft.errors - best.errors + (round(draft.assumed) if kind.is_faulty else 0)
    return Choice(
        assumption.code,
        _sentence(best, kind.written.format(name), names),
        best.levels,
        best.opened,
        is_doubtful,
        assumption.is_dropped,
        assumption.effect,
        best.tag,
        errors,
    )


def _sentence(reading: Reading, token: str, names: Sequence[str]) -> str:
    closed = [f"</{closed}>" for closed in reversed(names[len(names) - reading.levels :])]
    return reading.assumption.sentence.format(
        token=token,
        meant=reading.tag.name if reading.tag else "",
        opened=reading.opened,
        closed="".join(closed),
        outermost=closed[-1] if closed else "",
    )


class Habits:
    """The last choices for tokens, by their kind and name and by the name of the element they are in.

    If each record has the same fault, comparisons use up the budget. Without habits, later records would then be read
    otherwise than the first ones.
    """

    def __init__(self) -> None:
        self._repeated = 0  # how often a choice was asked for
        # The choice, if it is not the draft's, and the names of the elements that it closes.
        self._chosen: dict[tuple[TokenKind, str, str], tuple[Choice, Sequence[str]]] = {}

    def is_left(self, offset: int) -> bool:
        """Return whether choices may still be repeated at an offset of the document (R-008)."""
        return self._repeated < offset // REPEAT_AFTER + MOST_REPEATED

    def note(self, kind: TokenKind, name: str, names: Sequence[str], choice: Choice) -> None:
        """Note what has been chosen for a token where elements of some `names` are open."""
        key = (kind, name, names[-1])
        if not choice.code:
            self._chosen.pop(key, None)
        elif key in self._chosen or len(self._chosen) < MOST_LEARNED:
            closed = names[len(names) - choice.levels :]
            self._chosen[key] = choice._replace(errors=0), closed

    def choose(self, kind: TokenKind, name: str, names: Sequence[str], tag: PlacedTag | None = None) -> Choice:
        """Return the last choice for such a token, without its evidence; the draft's if there is none.

        It is repeated only if the elements that it would close have the names of those that it closed. The root
        element, the first of `names`, is never closed.
        """
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
