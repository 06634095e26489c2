"""The policy of one document: what is doubted, hypotheses about a token, and the choice (R-006)."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from xml5tree.dialects.xml5.intent.ahead import Ahead
from xml5tree.dialects.xml5.intent.columns import NO_SIBLING, contradict, number_of
from xml5tree.dialects.xml5.intent.constants import (
    AROUND,
    BEGUN,
    BUDGET,
    BUDGET_WINDOWS,
    DOUBTFUL,
    EMPTY,
    INDENT,
    INDENT_IN_OWN,
    KNOWN_NAME,
    KNOWN_TAG,
    MANY_RECORDS,
    MARGIN,
    MISSING,
    MISSING_AROUND,
    MISSING_ROOT,
    MOST_FORCED,
    MOST_LEVELS,
    NEAR_NAME,
    NO_SOLIDUS,
    STRAY,
    TEXT,
    TWICE,
    UNKNOWN_NAME,
    UNKNOWN_TAG,
    UNLIKE,
    WINDOW,
    WRONG_NAME,
)
from xml5tree.dialects.xml5.intent.learned import TEXT_CHILD, Learned
from xml5tree.dialects.xml5.intent.missing import last_in_parent, last_of_document
from xml5tree.dialects.xml5.intent.names import is_near
from xml5tree.dialects.xml5.intent.simulation import Begun
from xml5tree.dialects.xml5.intent.situation import OpenElement, Situation, StartTag
from xml5tree.dialects.xml5.intent.window import EMPTY_TAG, END_TAG, START_TAG, TEXT_RUN, Window
from xml5tree.errors.codes import MOVED, Effect

__all__ = ["Choice", "Intent"]

Pairs = tuple[tuple[str, str], ...]


class Choice(NamedTuple):
    """A reading of a token.

    Attributes:
        code: the error code of the assumption; "" where the reading is the draft's.
        sentence: what is assumed.
        levels: how many elements are closed.
        opened: the name of an element that is opened.
        is_doubtful: whether another reading is nearly as good, so that nothing is to be learned.
        is_dropped: whether the token is ignored.
        effect: what happens to content by it; None: what is usual for the code.
    """

    code: str = ""
    sentence: str = ""
    levels: int = 0
    opened: str = ""
    is_doubtful: bool = False
    is_dropped: bool = False
    effect: Effect | None = None


_DRAFT = Choice()
#: The codes of what may be chosen where no error follows, as the evidence is out of reach (R-027).
_WITHOUT_FAULT = frozenset({"assumed-end-before", "assumed-twice"})


class _Reading(NamedTuple):
    """A hypothesis about a token.

    Attributes:
        choice: what is done if it is the best one.
        assumed: what it costs to assume it.
        stack: the names of the elements that are open after it.
        pairs: the parents and children that come of it.
        forced: the names of elements that it closes without their end tags.
    """

    choice: Choice
    assumed: float
    stack: list[str]
    pairs: Pairs = ()
    forced: tuple[str, ...] = ()


class Intent(Situation):
    """What the author of one document seems to mean.

    The tokenizer asks it about tags and text and tells it of text; tree construction tells it what is opened and
    closed.

    Attributes:
        ahead: what reads ahead.
    """

    def __init__(self, disabled: frozenset[str] = frozenset(), make_ahead: Callable[[Learned], Ahead] = Ahead) -> None:
        """Begin a document.

        Args:
            disabled: the rules of `constants.RULES` that are switched off.
            make_ahead: makes what reads ahead, from what the document has shown.
        """
        super().__init__()
        self.ahead = make_ahead(self.learned)
        self._disabled = disabled
        self._scanned = 0

    def is_on(self, rule: str) -> bool:
        """Whether a rule is switched on."""
        return rule not in self._disabled

    # Reading ahead ------------------------------------------------------------------------------------------------

    def may_scan(self, offset: int) -> bool:
        """Whether there is something left at an offset of what may be read ahead (R-008)."""
        return self._scanned <= BUDGET * (offset + BUDGET_WINDOWS * WINDOW)

    def spend(self, characters: int) -> None:
        """Note that characters were read ahead."""
        self._scanned += characters

    # Events (R-010) -------------------------------------------------------------------------------------------------

    def doubts_start_tag(self, tag: StartTag) -> bool:
        """Whether what follows has to be read before a start tag or empty tag is placed."""
        if not self._open:
            return not self._has_root and self.is_on("root")
        top = self._open[-1]
        if self.doubts_child(top.name, top.last, tag.name, is_empty=tag.empty):
            return True
        return self._is_misplaced(tag)

    def doubts_child(self, parent: str, before: str | None, name: str, *, is_empty: bool) -> bool:
        """The same of a start tag or empty tag of a name in an element, after a child or as its first (None)."""
        learned = self.learned
        if learned.is_new(parent, name):
            return True
        if is_empty:
            return False
        return (self.is_on("void") and learned.may_be_void(name)) or bool(self._implied(parent, before, name))

    def watches(self, name: str) -> bool:
        """Whether tags in elements of their own name are doubted for their columns (R-035)."""
        return name in self.learned.indented and self.is_on("recursion")

    def _is_misplaced(self, tag: StartTag) -> bool:
        """Whether columns say that a tag is not in the current element, which has its name."""
        current = self._open[-1]
        return (
            tag.name == current.name
            and self.watches(tag.name)
            and contradict(
                number_of(tag.indent),
                number_of(current.indent),
                number_of(current.last_indent) if current.children else NO_SIBLING,
            )
        )

    def doubts_end_tag(self, name: str) -> bool:
        """Whether what follows has to be read before an end tag is obeyed."""
        if not self._open:
            return False
        if name == self._open[-1].name:
            return len(self._open) == 1 and self.is_on("rootend")
        return not (name in self._forced and name not in self._open_names)

    def doubts_text(self) -> bool:
        """Whether what follows has to be read before the current element gets its first text."""
        if not self._open:
            return False
        top = self._open[-1]
        return (
            not top.has_text
            and not top.is_text_decided
            and self.doubts_text_in(top.name, has_children=top.children > 0)
        )

    def doubts_text_in(self, name: str, has_children: bool) -> bool:
        """The same of the first text in an element of a name."""
        return (
            self.learned.is_new(name, TEXT_CHILD)
            and (has_children or name in self.learned.completed)
            and self.is_on("text")
        )

    # Choices -------------------------------------------------------------------------------------------------------

    def choose_for_start_tag(self, tag: StartTag, window: Window) -> Choice:
        """Place a start tag or empty tag (R-023 to R-027)."""
        if not self._open:
            return self._choose_root(tag, window)
        stack = self._stack()
        top = self._open[-1]
        opened = stack if tag.empty else [*stack, tag.name]
        is_late = self._is_shown_late(top, tag, window)
        has_fault = self.ahead.has_fault(window, opened, ()) or self._is_shown_at_end(top, tag, window)
        if not (has_fault or is_late):
            return _DRAFT
        readings = list(self._readings_of_start_tag(top, tag, stack))
        if self.is_on("implied") and self.learned.is_new(top.name, tag.name):
            readings += self._reading_in_missing(top, tag, stack, window)
        return self._choose(readings, window, forced=(), has_fault=has_fault, must_compare=is_late)

    def _readings_of_start_tag(self, top: OpenElement, tag: StartTag, stack: list[str]) -> "Iterator[_Reading]":
        name, is_empty = tag.name, tag.empty
        known_void = self.learned.is_known_empty(top.name)
        opened = [] if is_empty else [name]
        written = f"<{name}/>" if is_empty else f"<{name}>"
        nested = self._indent_cost(top, tag) + self._unlike_cost(top, tag)
        yield _Reading(_DRAFT, nested, stack + opened, ((top.name, name),))
        if not is_empty and self.is_on("void") and self.learned.may_be_void(name):
            yield _Reading(
                Choice("assumed-empty", f"{written} was taken for an empty tag"), EMPTY, stack, ((top.name, name),)
            )
        if (top.name, name) not in self.learned.pairs or self._is_misplaced(tag):
            if self.is_on("close"):
                yield from self._readings_that_close(top, tag, stack, opened, written, known_void)
            if (
                not is_empty
                and name == top.name
                and not tag.attributes
                and top.has_content
                and len(stack) > 1
                and self.is_on("noslash")
            ):
                yield _Reading(
                    Choice(
                        "assumed-end-tag", f"{written} was taken for </{name}>", levels=1, is_dropped=True, effect=MOVED
                    ),
                    NO_SOLIDUS,
                    stack[:-1],
                )
        if is_empty:
            return
        missing = MISSING + (INDENT if self._is_sibling(top, tag) else 0.0)
        for between in self._implied(top.name, top.last, name):
            yield _Reading(
                Choice("assumed-start-tag", f"a start tag <{between}> was assumed before {written}", opened=between),
                missing,
                [*stack, between, name],
                ((top.name, between), (between, name)),
            )
        if self._is_twice(top, tag):
            yield _Reading(
                Choice("assumed-twice", f"{written} was taken for a repetition of the tag before it", is_dropped=True),
                TWICE,
                stack,
            )

    def _reading_in_missing(
        self, top: OpenElement, tag: StartTag, stack: list[str], window: Window
    ) -> "list[_Reading]":
        """The reading that an element lacks its start tag of which only the end tag comes, if there is one (R-024)."""
        name = last_in_parent(window, top.name, tag.name, tag.indent, is_first=not top.has_content)
        if not name or self.is_open(name) or (name in self.learned.names and self.learned.is_new(top.name, name)):
            return []
        return [
            _Reading(
                Choice("assumed-start-tag", f"a start tag <{name}> was assumed before <{tag.name}>", opened=name),
                MISSING_AROUND,
                [*stack, name] if tag.empty else [*stack, name, tag.name],
                ((top.name, name), (name, tag.name)),
            )
        ]

    def _readings_that_close(
        self, top: OpenElement, tag: StartTag, stack: list[str], opened: list[str], written: str, known_void: bool
    ) -> "Iterator[_Reading]":
        begun = BEGUN if not top.has_content and not known_void and self.is_on("begun") else 0.0
        for levels in range(1, min(MOST_LEVELS, len(stack) - 1) + 1):
            parent = self._open[-levels - 1]
            ends = "".join(f"</{closed}>" for closed in reversed(stack[-levels:]))
            yield _Reading(
                Choice("assumed-end-before", f"{ends} was assumed before {written}", levels=levels),
                levels + begun + self._indent_cost(parent, tag) + self._unlike_cost(parent, tag),
                stack[:-levels] + opened,
                ((parent.name, tag.name),),
            )

    def _is_shown_late(self, top: OpenElement, tag: StartTag, window: Window) -> bool:
        """Whether a start tag is doubted though the draft's reading of what follows has no error (R-027).

        That is where it begins a record within a record, or repeats its start tag, and what shows so is out of reach.
        """
        if tag.empty or not (top.children or self._is_twice(top, tag)):
            return False
        return self.is_record_in_record(top.name, tag.name) and not window.at_end

    def _is_shown_at_end(self, top: OpenElement, tag: StartTag, window: Window) -> bool:
        """Whether a start tag seems to repeat another one, and elements are open at the end of the document (R-025).

        It is asked where no error precedes that, so the tags of the window tell how many are.
        """
        if not (self._is_twice(top, tag) and window.at_end):
            return False
        kinds = [kind for kind, _ in window.all()]
        return len(self._open) + 1 + kinds.count(START_TAG) > kinds.count(END_TAG)

    def _is_twice(self, top: OpenElement, tag: StartTag) -> bool:
        """Whether a start tag seems to repeat that of the current element (R-025)."""
        is_same = not tag.empty and tag.name == top.name and top.attributes == tag.attributes
        return is_same and not top.has_content and self.is_on("twice")

    def is_record_in_record(self, parent: str, name: str) -> bool:
        """Whether a start tag begins a record within a record of the same name, after many that were not (R-027)."""
        return (
            name == parent
            and self.learned.completed.get(name, 0) >= MANY_RECORDS
            and (name, name) not in self.learned.pairs
            and (name, name) not in self.learned.doubted
            and self.is_on("soft")
        )

    def _unlike_cost(self, parent: OpenElement, tag: StartTag) -> float:
        """What it costs that a child is unlike all that elements of the parent's name had (R-027)."""
        learned, name = self.learned, tag.name
        if not self.is_on("soft") or not learned.is_new(parent.name, name) or (parent.name, name) in learned.doubted:
            return 0.0
        if self._is_twice(parent, tag) and tag.attributes:
            return UNLIKE
        is_unlike = name == parent.name or not learned.has_children(parent.name)
        return UNLIKE if is_unlike and parent.name in learned.completed else 0.0

    def _implied(self, parent: str, before: str | None, name: str) -> list[str]:
        """Names of elements whose start tag may be missing before a start tag (R-024)."""
        if not self.is_on("implied") or (parent, before, name) in self.learned.follows:
            return []
        return self.learned.between(parent, name)

    def _indent_cost(self, parent: OpenElement, tag: StartTag) -> float:
        """What it costs that the column of a tag contradicts the parent that a reading gives it (R-023)."""
        if tag.indent is None or not self.is_on("indent"):
            return 0.0
        if parent.children:
            contradicts = parent.last_indent is not None and parent.last_indent != tag.indent
        else:
            contradicts = parent.indent is not None and tag.indent <= parent.indent
        if not contradicts:
            return 0.0
        return INDENT_IN_OWN if self.watches(tag.name) else INDENT

    def _is_sibling(self, parent: OpenElement, tag: StartTag) -> bool:
        """Whether the column of a tag is that of the parent's last child, so that no element is missing around it."""
        is_same = tag.indent is not None and parent.children > 0 and parent.last_indent == tag.indent
        return is_same and self.is_on("indent")

    def _choose_root(self, tag: StartTag, window: Window) -> Choice:
        """Decide whether the start tag of the root element is missing before the first tag (R-024)."""
        missing = last_of_document(window, tag.name)
        if not missing:
            return _DRAFT
        assumed = Choice(
            "assumed-start-tag", f"a start tag <{missing}> was assumed as the root element", opened=missing
        )
        opened = [] if tag.empty else [tag.name]
        readings = [_Reading(_DRAFT, 0, opened), _Reading(assumed, MISSING_ROOT, [missing, *opened])]
        return self._choose(readings, window, counts_pairs=False)

    def choose_for_end_tag(self, name: str, window: Window) -> Choice:
        """Decide what an end tag ends (R-021, R-022, R-033)."""
        if name == self._open[-1].name:
            return self._choose_for_end_of_root(name, window)
        stack = self._stack()
        if name in stack:
            if name == self._open[0].name and stack.count(name) == 1 and not _has_start_tag(window):
                return self._forcing(_DRAFT, stack, name)
            readings = list(self._readings_of_open_end_tag(name, stack))
        elif name in self._open_names:
            return _DRAFT  # farther out than the simulation knows
        else:
            # What follows the root element would be lost, and around all roots none of its tags is in the document.
            may_end_root = self._open[0].name != AROUND and not _has_start_tag(window)
            deepest = len(stack) if may_end_root else len(stack) - 1
            readings = list(self._readings_of_unknown_end_tag(name, stack, deepest))
        choice = self._choose(readings, window, is_faulty=True)
        return self._forcing(choice, stack, name)

    def _forcing(self, choice: Choice, stack: list[str], name: str) -> Choice:
        """Remember what a choice closes without its end tag (R-021)."""
        if not choice.code and name in stack and self.is_on("crossed"):
            index = len(stack) - 1 - stack[::-1].index(name)
            self._forced = stack[index + 1 :][-MOST_FORCED:]
        return choice

    def _readings_of_open_end_tag(self, name: str, stack: list[str]) -> "Iterator[_Reading]":
        index = len(stack) - 1 - stack[::-1].index(name)
        closed = stack[index + 1 :]
        yield _Reading(_DRAFT, len(closed), stack[:index], forced=tuple(closed))
        if self.is_on("ignore"):
            yield _Reading(
                Choice("assumed-stray-end-tag", f"</{name}> was ignored", is_dropped=True),
                max(STRAY, len(closed)),
                stack,
            )
        if self.is_on("wrongname") and len(stack) > 1:
            yield _Reading(
                Choice(
                    "assumed-end-tag",
                    f"</{name}> was taken for </{stack[-1]}>",
                    levels=1,
                    is_dropped=True,
                    effect=MOVED,
                ),
                max(WRONG_NAME, len(closed)),
                stack[:-1],
            )

    def _readings_of_unknown_end_tag(self, name: str, stack: list[str], deepest: int) -> "Iterator[_Reading]":
        yield _Reading(_DRAFT, STRAY, stack)
        if not self.is_on("endtag"):
            return
        is_known = name in self.learned.names
        for levels in range(1, min(MOST_LEVELS, deepest) + 1):
            target = stack[-levels]
            is_slip = not is_known and is_near(name, target)
            if is_slip:
                cost = NEAR_NAME + levels - 1
            elif levels == 1:
                cost = KNOWN_NAME if is_known else UNKNOWN_NAME
            else:
                continue
            yield _Reading(
                Choice(
                    "assumed-end-tag",
                    f"</{name}> was taken for </{target}>",
                    levels=levels,
                    is_dropped=True,
                    effect=None if is_slip and levels == 1 else MOVED,  # a slip in the end tag of the current element
                ),
                cost,
                stack[:-levels],
                forced=tuple(stack[len(stack) - levels + 1 :]),
            )

    def _choose_for_end_of_root(self, name: str, window: Window) -> Choice:
        """Decide whether the root element ends here, or its end tag came too early (R-033)."""
        following = next((tag for kind, tag in window if kind in {START_TAG, EMPTY_TAG}), None)
        if following is None or following == name or (name, following) not in self.learned.pairs:
            return _DRAFT
        stray = Choice("assumed-stray-end-tag", f"</{name}> was ignored: the root element goes on", is_dropped=True)
        return self._choose([_Reading(_DRAFT, 0, []), _Reading(stray, STRAY, [name])], window, is_faulty=True)

    def choose_for_text(self, window: Window) -> Choice:
        """Decide which element the first text of the current one belongs to (R-024)."""
        top = self._open[-1]
        top.is_text_decided = True
        stack = self._stack()
        readings = [_Reading(_DRAFT, 0, stack, ((top.name, TEXT_CHILD),))]
        following = next((tag for tag in window if tag[0] != TEXT_RUN), None)
        if following is not None and following[0] == END_TAG:
            name = following[1]
            if name and name not in self._open_names:
                readings.append(
                    _Reading(
                        Choice("assumed-start-tag", f"a start tag <{name}> was assumed before the text", opened=name),
                        MISSING,
                        [*stack, name],
                        ((top.name, name), (name, TEXT_CHILD)),
                    )
                )
        if not top.has_content and len(stack) > 1:
            readings.append(
                _Reading(
                    Choice("assumed-end-before", f"</{top.name}> was assumed before the text", levels=1),
                    1,
                    stack[:-1],
                    ((stack[-2], TEXT_CHILD),),
                )
            )
        if len(readings) == 1 or not self.ahead.has_fault(window, stack, self._forced):
            return _DRAFT
        return self._choose(readings, window)

    def is_text(self, names: list[str], window_after: Callable[[str], Window], text_window: Window) -> str:
        """Decide whether a "<" is text, "" then, or begins a tag with one of some names (R-012 to R-014).

        Args:
            names: the names, the likeliest first.
            window_after: what follows a tag of a name.
            text_window: what follows the "<".
        """
        stack = self._stack()
        best, least = "", TEXT + self._cost(stack, self._forced, text_window, (stack[-1], TEXT_CHILD))
        for name in names:
            assumed = KNOWN_TAG if name in self.learned.names else UNKNOWN_TAG
            cost = assumed + self._cost([*stack, name], (), window_after(name), (stack[-1], name))
            if cost < least - 1e-9:
                best, least = name, cost
        return best

    def seems_empty(self, name: str, window: Window) -> bool:
        """Whether a tag that lacks its end leads to fewer errors as an empty tag than as a start tag (R-013)."""
        if name in self.learned.filled or not self._open:
            return False
        stack = self._stack()
        pair = (stack[-1], name)
        opened, empty = self.ahead.compare([Begun([*stack, name], (), (pair,)), Begun(stack, (), (pair,))], window)
        self.spend(window.cost)
        return empty.errors < opened.errors

    def _cost(self, stack: list[str], forced: Sequence[str], window: Window, pair: tuple[str, str]) -> float:
        [outcome] = self.ahead.compare([Begun(stack, forced, (pair,))], window)
        self.spend(window.cost)
        return outcome.cost

    def _choose(
        self,
        readings: list[_Reading],
        window: Window,
        *,
        forced: Sequence[str] | None = None,
        is_faulty: bool = False,
        has_fault: bool = True,
        must_compare: bool = False,
        counts_pairs: bool = True,
    ) -> Choice:
        """Choose a reading; the first one is the draft's (R-006).

        Args:
            readings: the readings.
            window: what follows.
            forced: names of elements that were closed without their end tags before; None: those that are known, which
                a start tag clears.
            is_faulty: whether the token is an error whatever follows; what the draft's reading assumes are errors then.
            has_fault: whether what follows may have an error in the draft's reading. Else what the comparison takes for
                one is none: a start tag that seems to be an empty tag.
            must_compare: whether another reading may be chosen even where the draft's has no error: one of
                `_WITHOUT_FAULT` that has none.
            counts_pairs: whether new parents and children cost anything.
        """
        before = self._forced if forced is None else forced
        outcomes = self.ahead.compare(
            [Begun(reading.stack, (*before, *reading.forced), reading.pairs) for reading in readings], window
        )
        self.spend(window.cost)
        has_errors = is_faulty or (has_fault and outcomes[0].errors > 0)
        if not (has_errors or must_compare):
            return _DRAFT
        costs = [
            reading.assumed + (outcome.cost if counts_pairs else outcome.errors)
            if has_errors or not reading.choice.code or (reading.choice.code in _WITHOUT_FAULT and not outcome.errors)
            else float("inf")
            for reading, outcome in zip(readings, outcomes, strict=True)
        ]
        best = min(range(len(readings)), key=costs.__getitem__)
        if best and not costs[best] < costs[0] - (1e-9 if is_faulty else MARGIN):
            best = 0
        runner_up = min((cost for index, cost in enumerate(costs) if index != best), default=float("inf"))
        is_doubtful = runner_up - costs[best] < DOUBTFUL
        choice = readings[best].choice._replace(is_doubtful=is_doubtful)
        if best:
            errors = outcomes[0].errors + (round(readings[0].assumed) if is_faulty else 0)
            choice = choice._replace(sentence=f"{choice.sentence}{_instead_of(errors)}")
        return choice


def _instead_of(errors: int) -> str:
    """What the draft's reading would come to, in words."""
    return f": one error, instead of {errors:,}" if errors > 1 else ""


def _has_start_tag(window: Window) -> bool:
    return any(kind in {START_TAG, EMPTY_TAG} for kind, _ in window)
