"""Readings of a token: what each assumes, in words too, and which of them is chosen (R-006)."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Final, NamedTuple

from xml5tree.dialects.xml5.intent.constants import DOUBTFUL, MARGIN, NEW_PAIR
from xml5tree.dialects.xml5.intent.simulation import Begun
from xml5tree.dialects.xml5.intent.situation import PlacedTag
from xml5tree.errors.codes import MOVED, Effect

__all__ = [
    "AS_DRAFT",
    "AS_EMPTY_TAG",
    "AS_END_TAG",
    "AS_NEAR_END_TAG",
    "AS_OTHER_NAME",
    "AS_START_TAG",
    "AS_STRAY",
    "AS_STRAY_IN_ROOT",
    "AS_TWICE",
    "DRAFT",
    "END_BEFORE",
    "OF_EMPTY_TAG",
    "OF_END_TAG",
    "OF_START_TAG",
    "OF_TEXT",
    "START_BEFORE",
    "START_OF_ROOT",
    "Choice",
    "Reading",
    "TokenKind",
    "choose",
]


class Choice(NamedTuple):
    """What has been chosen for a token.

    Attributes:
        code: the error code of the assumption; "" where the reading is the draft's.
        sentence: what is assumed.
        levels: how many elements are closed.
        opened: the name of an element that is opened.
        is_doubtful: whether another reading is nearly as good, so that no pair is to be learned.
        is_dropped: whether the token is ignored.
        effect: what happens to content by it; None: what is usual for the code.
        tag: the start tag or empty tag that it is taken for; None: as it is written.
    """

    code: str = ""
    sentence: str = ""
    levels: int = 0
    opened: str = ""
    is_doubtful: bool = False
    is_dropped: bool = False
    effect: Effect | None = None
    tag: PlacedTag | None = None


#: The draft's reading.
DRAFT: Final = Choice()
_DOUBTFUL_DRAFT: Final = Choice(is_doubtful=True)


class TokenKind(NamedTuple):
    """A kind of token.

    Attributes:
        written: how one is written, with {} for its name.
        is_faulty: whether readings are compared even if the draft's has no error after the token, as the token is one
            itself. The log then counts what the draft's reading costs at the token among the errors that are avoided.
        margin: how much cheaper than the draft's reading another one must be.
        pair: what a new pair of parent and child costs.
    """

    written: str
    is_faulty: bool = False
    margin: float = MARGIN
    pair: float = NEW_PAIR


OF_START_TAG: Final = TokenKind("<{}>")
OF_EMPTY_TAG: Final = TokenKind("<{}/>")
#: An end tag of another name than the current element's, or the root element's (R-021, R-022, R-033).
OF_END_TAG: Final = TokenKind("</{}>", is_faulty=True, margin=1e-9)
OF_TEXT: Final = TokenKind("the text")


class _Assumption(NamedTuple):
    """What is assumed about a token.

    Attributes:
        code: the error code; "" where the reading is the draft's.
        sentence: the assumption in words, with fields to be filled in: {token} is the token as it is written, {meant}
            the name that is meant by it, {opened} the name of an element that is opened, {closed} the end tags of the
            elements that are closed, and {outermost} that of the outermost of these.
        is_dropped: whether the token is ignored.
        effect: what happens to content by it; None: what is usual for the code.
        is_late: whether it is made even where the draft's reading has no error, as that is out of reach (R-027).
    """

    code: str
    sentence: str
    is_dropped: bool = False
    effect: Effect | None = None
    is_late: bool = False


AS_DRAFT: Final = _Assumption("", "")
AS_EMPTY_TAG: Final = _Assumption("assumed-empty", "{token} was taken for an empty tag")
AS_START_TAG: Final = _Assumption("assumed-start-tag", "{token} was taken for a start tag")
AS_OTHER_NAME: Final = _Assumption("assumed-name", "{token} was taken for <{meant}>")
AS_TWICE: Final = _Assumption(
    "assumed-twice", "{token} was taken for a repetition of the tag before it", is_dropped=True, is_late=True
)
AS_STRAY: Final = _Assumption("assumed-stray-end-tag", "{token} was ignored", is_dropped=True)
AS_STRAY_IN_ROOT: Final = AS_STRAY._replace(sentence="{token} was ignored, since the root element goes on")
#: A slip in the end tag of the current element (R-022), so that all content is where it was meant to be.
AS_NEAR_END_TAG: Final = _Assumption("assumed-end-tag", "{token} was taken for {outermost}", is_dropped=True)
AS_END_TAG: Final = AS_NEAR_END_TAG._replace(effect=MOVED)
END_BEFORE: Final = _Assumption("assumed-end-before", "{closed} was assumed before {token}", is_late=True)
#: A start tag is missing (R-024).
START_BEFORE: Final = _Assumption("assumed-start-tag", "a start tag <{opened}> was assumed before {token}")
START_OF_ROOT: Final = START_BEFORE._replace(sentence="a start tag <{opened}> was assumed as the root element")


class Reading:
    """A hypothesis about a token.

    Attributes:
        assumption: what is assumed.
        assumed: what it costs to assume it.
        begun: what is open after it, and the parents and children that come of it.
        levels: how many elements are closed.
        opened: the name of an element that is opened.
        tag: the start tag or empty tag that the token is taken for; None: as it is written.
        errors: how many errors follow, once it has been compared with others.
        cost: what it costs to assume it, and then what follows, too.
    """

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
        self.assumed = self.cost = assumed
        self.begun = begun
        self.levels = levels
        self.opened = opened
        self.tag = tag
        self.errors = 0

    @property
    def needs_no_error(self) -> bool:
        """Whether it may be chosen though the draft's reading has no error: it has none, either (R-027)."""
        return self.assumption.is_late and not self.errors


_COST: Final = attrgetter("cost")


def choose(readings: list[Reading], kind: TokenKind, name: str, names: Sequence[str]) -> Choice:
    """Choose a reading of which is known what follows (R-006).

    Args:
        readings: the readings; the first one is the draft's.
        kind: what kind of token they are of.
        name: its name.
        names: the names of the open elements before it.
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
    errors = draft.errors + (round(draft.assumed) if kind.is_faulty else 0)
    return Choice(
        assumption.code,
        _sentence(best, kind.written.format(name), names) + _instead_of(errors),
        best.levels,
        best.opened,
        is_doubtful,
        assumption.is_dropped,
        assumption.effect,
        best.tag,
    )


def _sentence(reading: Reading, token: str, names: Sequence[str]) -> str:
    """Return what a reading assumes, in words."""
    closed = [f"</{closed}>" for closed in reversed(names[len(names) - reading.levels :])]
    return reading.assumption.sentence.format(
        token=token,
        meant=reading.tag.name if reading.tag else "",
        opened=reading.opened,
        closed="".join(closed),
        outermost=closed[-1] if closed else "",
    )


def _instead_of(errors: int) -> str:
    """Return what the draft's reading would come to, in words."""
    return f" (one error instead of {errors:,})" if errors > 1 else ""
