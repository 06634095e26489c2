"""The policy: doubts tokens, chooses readings (R-006)."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import xml5tree.dialects.xml5.intent.costs as costs
from xml5tree.cached import cached_property
from xml5tree.dialects.xml5.intent.ahead import Ahead
from xml5tree.dialects.xml5.intent.alike import count_flat, goes_on_to_next, has_many_children, is_like, is_repeated
from xml5tree.dialects.xml5.intent.choices import (
    AS_DRAFT,
    AS_EMPTY_TAG,
    AS_END_BETWEEN,
    AS_END_TAG,
    AS_NEAR_END_TAG,
    AS_OTHER_NAME,
    AS_START_TAG,
    AS_STRAY,
    AS_STRAY_IN_ROOT,
    AS_STRAY_INSIDE,
    AS_TWICE,
    DRAFT,
    END_BEFORE,
    OF_EMPTY_TAG,
    OF_END_TAG,
    OF_OWN_END_TAG,
    OF_START_TAG,
    OF_TEXT,
    START_BEFORE,
    START_OF_ROOT,
    Choice,
    Habits,
    Reading,
    TokenKind,
    choose,
)
from xml5tree.dialects.xml5.intent.columns import NO_SIBLING, column_number, contradict
from xml5tree.dialects.xml5.intent.constants import (
    AROUND,
    BUDGET,
    BUDGET_WINDOWS,
    LEAST_MARGIN,
    MANY_RECORDS,
    MOST_BEFORE_END,
    MOST_FAR_TAGS,
    MOST_FORCED,
    MOST_LEARNED,
    MOST_LEVELS,
    MOST_LEVELS_TO_NAMESAKE,
    MOST_OPEN,
    MOST_RECORDS,
    NEW_PAIR,
    RULES,
    SOME_RECORDS,
    WINDOW,
)
from xml5tree.dialects.xml5.intent.endplaces import EndTags
from xml5tree.dialects.xml5.intent.learned import TEXT_CHILD, Learned
from xml5tree.dialects.xml5.intent.missing import begun_by, is_whole_document, last_in_parent, last_of_document
from xml5tree.dialects.xml5.intent.simulation import Begun, Outcome, inside
from xml5tree.dialects.xml5.intent.situation import OpenElement, PlacedTag, Situation
from xml5tree.dialects.xml5.intent.window import EMPTY_TAG, END_TAG, KINDS, START_TAG, TEXT_RUN, Tag, Window
from xml5tree.dialects.xml5.lexis import HTML_VOID, find_tag
from xml5tree.tree.endtags import ended_by, has_swallowed
from xml5tree.xml.nearness import is_in_other_case, is_near, of_parents_case
from xml5tree.xml.vocabulary import Vocabulary

__all__ = ["Choice", "FarLook", "Intent"]


class FarLook(NamedTuple):
    """A far window (R-041), and the look-ahead that answers questions about it."""

    ahead: Ahead
    window: Window


class Intent(Situation):
    """The policy: what the author of one document seems to mean.

    The tokenizer asks it about tags and text and reports text to it; tree construction reports opened and closed
    elements.

    Attributes:
        is_right: whether the draft's reading is known to have no error between the start tag or empty tag of the last
            choice and the end of the root element.
        end_tags: the end tags that follow.
    """

    #: Returns whether a rule of `RULES` is switched on. Measurements switch rules off, one by one.
    is_on: Final = staticmethod(RULES.__contains__)

    def __init__(
        self,
        make_ahead: Callable[[Learned], Ahead] = Ahead,
        *,
        has_many_roots: bool = False,
        elements: Vocabulary | None = None,
        roots: Vocabulary | None = None,
    ) -> None:
        """Begin a document.

        Args:
            make_ahead: makes `ahead` from what the document has shown, when the first window is opened.
            has_many_roots: whether the document goes on after a root element.
            elements: the names of the option `elements`; None: any element may lack its start tag.
            roots: as `elements`, of the root element.
        """
        super().__init__()
        self._make_ahead = make_ahead
        self.learned.takes_slips = self.is_on("endtag")
        self.end_tags = EndTags()
        self.is_right = False
        self._habits = Habits()
        self._scanned = 0
        self._wrapper_names = [AROUND] if has_many_roots else []
        self._elements = elements
        self._roots = roots
        self._assumed_ends: dict[str, int] = {}  # by name: how many ends were assumed before start tags of the name

    @cached_property
    def ahead(self) -> Ahead:
        return self._make_ahead(self.learned)

    @property
    def has_many_roots(self) -> bool:
        return bool(self._wrapper_names)

    # Reading ahead ------------------------------------------------------------------------------------------------

    def has_budget(self, offset: int) -> bool:
        """Return whether look-ahead budget is left at an offset (R-008)."""
        return self._scanned <= BUDGET * (offset + BUDGET_WINDOWS * WINDOW)

    def may_choose(self, offset: int) -> bool:
        """Return whether a token at an offset may be read otherwise than by the draft (R-008)."""
        return self.has_budget(offset) or self._habits.is_left(offset)

    def spend(self, characters: int) -> None:
        """Note that characters were read ahead."""
        self._scanned += characters

    def knows(self, name: str) -> bool:
        """Return whether the document has shown a name, or the option `elements` has it."""
        return name in self.learned.names or (self._elements is not None and name in self._elements)

    def has_end_tag(self, name: str, window: Window) -> bool:
        """Return whether an end tag of a name is in a window, or no look-ahead budget is left to find out."""
        if not self.has_budget(window.offset):
            return True
        before = self.end_tags.searched
        found = self.end_tags.has(name, window)
        self.spend(self.end_tags.searched - before)
        return found

    def _has_start_tag(self, name: str, window: Window) -> bool:
        """Return whether the text of a window has a start tag of a name, one in a comment or CDATA section included."""
        found = find_tag(window.text, f"<{name}", window.start, window.stop)
        self.spend((window.stop if found < 0 else found + len(name) + 2) - window.start)
        return found >= 0

    # Events (R-010) -------------------------------------------------------------------------------------------------

    def doubts_start_tag(self, tag: PlacedTag) -> bool:
        """Return whether look-ahead is needed before a start tag or empty tag is placed."""
        if not self._open:
            return not self.has_root and self.is_on("root")
        top = self._open[-1]
        if self.doubts_child(top.name, top.last, tag.name, tag.empty):
            return True
        return self._is_misplaced(tag)

    def doubts_child(self, parent: str, before: str | None, name: str, is_empty: bool) -> bool:
        """Return whether look-ahead is needed before a child is placed after `before`, or as the first (None)."""
        # The tables are read here before the methods read them again: a known tag then takes 0.27 µs instead of 0.45.
        learned = self.learned
        if (parent, name) not in learned.pairs and learned.is_new(parent, name):
            return True
        if is_empty:
            return name != parent and learned.may_be_filled(name) and self.is_on("filled")
        if name not in learned.filled and learned.may_be_void(name) and self.is_on("void"):
            return True
        return learned.is_new_triple(parent, before, name) and self.is_on("implied")

    def watches(self, name: str) -> bool:
        """Return whether tags in elements of their own name are doubted for their columns (R-035)."""
        return name in self.learned.indented and self.is_on("recursion")

    def _is_misplaced(self, tag: PlacedTag) -> bool:
        """Return whether columns contradict that a tag is in the current element, which has its name."""
        current = self._open[-1]
        return (
            tag.name == current.name
            and self.watches(tag.name)
            and contradict(
                column_number(tag.indent),
                column_number(current.indent),
                column_number(current.last_indent) if current.has_children else NO_SIBLING,
            )
        )

    def doubts_end_tag(self, name: str) -> bool:
        """Return whether look-ahead is needed before an end tag is obeyed; `name`: "" for a short end tag.

        An end tag whose element another end tag has closed needs none (R-021).
        """
        if not self._open:
            return False
        if name in {"", self._open[-1].name}:
            if len(self._open) == 1:
                return not self.has_many_roots and self.is_on("rootend")
            return self._open[-1].has_children and self.may_end_early(self._open[-1].name, self._open[-2].name)
        return name not in self._forced or name in self._open_names

    def may_end_early(self, name: str, parent: str) -> bool:
        """Return whether look-ahead is needed before the end tag of an element with children is obeyed (R-033).

        It is the first end tag of its `name`; the element is in one named `parent`.
        """
        return self.learned.is_new_end(name) and parent != AROUND and self.is_on("rootend")

    def is_root(self, name: str) -> bool:
        """Return whether an open element of a name may be the root: it has the root's name."""
        return name == self.root

    def goes_on(self, name: str, last: str | None, parent: str, following: str) -> bool:
        """Return whether an element seems to go on after its end tag: the tag `following` fits it (R-033).

        That tag is new in the `parent`. It follows the `last` child, and does not begin another element of the `name`.
        """
        learned = self.learned
        return (
            following != name
            and (name, following) in learned.pairs
            and learned.is_new(parent, following)
            and (
                following == last
                or (name, last, following) in learned.follows
                or (name, None, following) not in learned.follows
            )
        )

    def ends_early(self, name: str, window: Window) -> bool:
        """Return whether the far window tells what an end tag ends, as its element may go on (R-033)."""
        if len(self._open) == 1 or name not in {"", self._open[-1].name}:
            return False
        parent, top = self._open[-2:]
        following = _element_after_ends(window, most_ends=1 if self._ends_with_root(window) else 0)
        return following != "" and self.goes_on(top.name, top.last, parent.name, following)

    def _ends_with_root(self, window: Window) -> bool:
        """Return whether the next tag ends the root element if the current element, which is in it, ends before."""
        kind, name = window.first_of(START_TAG, EMPTY_TAG, END_TAG) or (START_TAG, "")
        return kind == END_TAG and name in {"", self.root} and self._open[-2] is self._open[0]

    def ends_root(self, name: str) -> bool:
        """Return whether an end tag, by its own name, ends the root element; `name`: "" for a short end tag."""
        return len(self._open) == 1 and name in {"", self._open[0].name}

    def doubts_text(self) -> bool:
        """Return whether look-ahead is needed before the current element gets its first text."""
        if not self._open:
            return False
        top = self._open[-1]
        return not (top.has_text or top.is_text_decided) and self.doubts_text_in(top.name, top.has_children)

    def doubts_text_in(self, name: str, has_children: bool) -> bool:
        return (
            self.learned.is_new(name, TEXT_CHILD)
            and (has_children or name in self.learned.completed)
            and self.is_on("text")
        )

    # Choices -------------------------------------------------------------------------------------------------------

    def choose_for_start_tag(self, tag: PlacedTag, window: Window, far: FarLook | None = None) -> Choice:
        """Place a start tag or empty tag (R-023, R-024, R-025, R-026, R-027, R-041).

        `far` is given if `looks_far` is true of the tag.
        """
        self.is_right = False
        if not self._open:
            return self._choose_root(tag, window)
        top = self._open[-1]
        if self._is_known_leaf(top, tag, window):
            return DRAFT
        choice = self._choose_in_window(top, tag, window)
        if far is not None and not choice.code and self.has_budget(window.offset):
            choice = self._choose_far(top, tag, far) or choice
        return self._noted(choice, top, tag)

    def _is_known_leaf(self, top: OpenElement, tag: PlacedTag, window: Window) -> bool:
        """Return whether a start tag is doubted only as an empty tag, but its end tag follows at once (R-026).

        The readers of runs pass such tags without a question.
        """
        learned, name = self.learned, tag.name
        if tag.empty or learned.is_new(top.name, name) or (top.name, top.last, name) not in learned.follows:
            return False
        return not self.is_open(name) and _following(window) == (END_TAG, name)

    def _choose_in_window(self, top: OpenElement, tag: PlacedTag, window: Window) -> Choice:
        """Place a start tag or empty tag in an element by what is in the window."""
        stack = self._stack()
        begun = inside(stack, tag.name, is_closed=tag.empty)
        # Without an error in the window, the draft's reading may have one beyond it.
        is_late = self._begins_in_record(top, tag) and not window.at_end
        has_fault = self.ahead.has_fault(window, begun.stack, ()) or self._is_shown_at_end(top, tag, window)
        # The window reaches the end of the document, and `stack` has all open elements.
        self.is_right = window.may_end_document and len(stack) < MOST_OPEN and not has_fault
        # If the window may end the document, go on even without a fault: for an element of HTML's that has no end tag
        # (`is_html` below), elements that are open at the end of the document are fault enough.
        if not (has_fault or is_late or window.may_end_document):
            return DRAFT
        nested = self._indent_cost(top, tag) + self._unlike_cost(top, tag) + self._cost_in_its_like(top, tag, window)
        if not (is_late or nested) and self._ends_rightly(top.name, window, () if tag.empty else (tag.name,)):
            return DRAFT
        # A tag that no error follows spends no budget, except two kinds. The fast path asks about few other such tags,
        # the states about all, and both must use up the same budget. So the fast path asks about both kinds: a tag in
        # an element of its own name (`_cost_in_its_like`), and one for which `_cost_of_void` looks ahead
        # (`PureReader._is_in_order` is False for it).
        void = self._cost_of_void(tag, window)
        is_html = void == costs.EMPTY_OF_HTML and tag.name in HTML_VOID  # the name, since `EMPTY_THRICE` costs as much
        has_fault = has_fault or (is_html and window.may_end_document)
        if not (has_fault or is_late):
            return DRAFT
        kind = OF_EMPTY_TAG if tag.empty else OF_START_TAG
        if not self.has_budget(window.offset):
            return self._repeated_choice(kind, top, tag)
        levels_out = self._levels_out_of_namesake(tag, window)
        nested += costs.IN_NAMESAKE if levels_out else 0.0
        nested += costs.IN_TEXT_ONLY if self._seems_text_only(top, tag, window) else 0.0
        draft = Reading(AS_DRAFT, nested, begun)
        readings = self._readings_of_start_tag(top, tag, stack, draft, levels_out, window)
        unlike = self._unlike_cost(top, tag)
        if unlike and tag.name != top.name and self._seems_inside(top, tag, window):
            draft.cost -= unlike
        if void is not None:
            readings.insert(1, _as_empty_tag(tag, void, stack))  # before the others, so that it wins a tie
        readings += self._readings_as_other_tag(top, tag, stack, window)
        if self.is_on("implied"):
            readings += self._reading_in_missing(top, tag, stack, window)
        if len(readings) == 1:
            return DRAFT
        self._compare(readings, kind, window)
        # Without `has_fault`, errors of the comparison are no evidence: it also counts one for each start tag ahead
        # that may be empty and has no end tag.
        has_evidence = has_fault and readings[0].errors > 0
        if not (has_evidence or is_late):
            return DRAFT
        if not has_evidence:
            readings[1:] = [one for one in readings[1:] if one.assumption.is_late and not one.errors]
        choice = choose(readings, kind, tag.name, self._names)
        self._habits.note(kind, tag.name, self._names, choice)
        if choice.code == END_BEFORE.code and self._shows_missing_solidus(tag):
            self.learned.learn_end(top.name)  # as of an empty tag
        return choice

    def _repeated_choice(self, kind: TokenKind, top: OpenElement, tag: PlacedTag) -> Choice:
        """Return the last choice for a tag like this one (R-008); the draft's if that would drop what must stay."""
        choice = self._habits.choose(kind, tag.name, self._names, tag)
        if not choice.is_dropped:
            return choice
        may_drop = self._is_twice if choice.code == AS_TWICE.code else self._may_lack_solidus
        return choice if may_drop(top, tag) else DRAFT

    def _ends_rightly(self, name: str, window: Window, inner: tuple[str, ...] = ()) -> bool:
        """Return whether an open element ends, as the draft reads it, before there is an error (R-006).

        Then the draft rightly keeps the element `name` open: in any other reading, its end tag would be an error.
        Return False if another open element has the name, as that end tag might be the other's. `inner` names the
        elements that the token before the window has opened in it.
        """
        return self._open_names[name] == 1 and self.ahead.ends_rightly(window, name, inner)

    def _readings_of_start_tag(
        self, top: OpenElement, tag: PlacedTag, stack: list[str], draft: Reading, levels_out: int, window: Window
    ) -> list[Reading]:
        """Return the readings of a start tag or empty tag, the draft's first (R-023, R-024, R-025)."""
        name = tag.name
        readings = [draft]
        if (top.name, name) not in self.learned.pairs or self._is_misplaced(tag):
            if self.is_on("close"):
                readings += self._readings_that_close(top, tag, stack, levels_out, window)
            readings += self._reading_without_solidus(top, tag, stack, window)
        if tag.empty:
            return readings
        for between in self._implied(top.name, top.last, name):
            missing = costs.MISSING + (costs.INDENT if self._is_sibling(top, tag) else 0.0)
            readings.append(Reading(START_BEFORE, missing, inside(stack, between, name), opened=between))
        readings = self._without_worse_places(readings)
        if self._is_twice(top, tag) and not is_repeated(tag, window):
            readings.append(Reading(AS_TWICE, costs.TWICE, Begun(stack)))
        return readings

    def _without_worse_places(self, readings: list[Reading]) -> list[Reading]:
        """Drop readings that have new pairs, if a cheaper one has known pairs only; keep the first one, the draft's.

        They would hardly be chosen, but would keep the comparison from ending where the others have become equal.
        """
        known = self.learned.pairs
        draft, *others = readings
        costs_of_known = [one.cost for one in others if one.begun.pairs and known.issuperset(one.begun.pairs)]
        least = min(costs_of_known, default=float("inf"))
        return [draft, *(one for one in others if one.cost <= least or known.issuperset(one.begun.pairs))]

    def _cost_of_void(self, tag: PlacedTag, window: Window) -> float | None:
        """Return the cost of taking a start tag for an empty tag (R-025, R-026); None: it cannot be one."""
        name = tag.name
        if tag.empty or not self.is_on("void"):
            return None
        if self.learned.may_be_void(name):
            return costs.EMPTY_OF_HTML if name in HTML_VOID and not self.has_end_tag(name, window) else costs.EMPTY
        is_thrice = name not in self.learned.filled and self.is_on("twice") and is_repeated(tag, window, 2)
        return costs.EMPTY_THRICE if is_thrice and not self.has_end_tag(name, window) else None

    def _readings_as_other_tag(
        self, top: OpenElement, tag: PlacedTag, stack: list[str], window: Window
    ) -> list[Reading]:
        """Return the readings in which a tag is miswritten, as the end tag of the element tells (R-036, R-037)."""
        name, learned = tag.name, self.learned
        may_have_other_name = name not in learned.names and self.is_on("startname")
        if tag.empty:
            if name == top.name or not learned.is_new_empty(name) or not self.is_on("filled"):
                return []
        elif not may_have_other_name:
            return []
        meant = window.end_of_element(name, MOST_BEFORE_END)  # the name of the element's end tag; "" if none is found
        if meant == name and not tag.empty:
            return []
        assumption, cost = AS_START_TAG, costs.FILLED
        if meant != name:
            if not (may_have_other_name and is_near(meant, name)) or self.has_end_tag(name, window):
                return []
            if not self._is_meant(meant, name, top.name, window):
                return []
            assumption, cost = AS_OTHER_NAME, costs.OTHER_NAME  # of an empty tag, the "/" is a slip, too
        return [Reading(assumption, cost, inside(stack, meant), tag=tag._replace(name=meant, empty=False))]

    def _is_meant(self, meant: str, name: str, parent: str, window: Window) -> bool:
        """Return whether an element's end tag has the right name, `meant`, rather than its start tag (R-037).

        No earlier tag has the `name` of the start tag, which is before the `window`.
        """
        if meant == parent and meant.startswith(name) and self.learned.is_new(meant, meant):
            return False  # the end tag is rather one of the parent, as in <items><item>…</items></items>
        if meant in self.learned.names:
            return True
        if meant.lower() == name.lower() and (fitting := of_parents_case(name, meant, parent)):
            return fitting == meant
        if meant.rpartition(":")[2] == name.rpartition(":")[2]:
            return False  # they differ in the prefix, which is rather forgotten than put in
        return self._has_start_tag(meant, window) and not self._has_start_tag(name, window)

    def _readings_that_close(
        self, top: OpenElement, tag: PlacedTag, stack: list[str], levels_out: int, window: Window
    ) -> list[Reading]:
        """Return the readings in which elements end before a start tag or empty tag (R-023).

        For `levels_out` see `_levels_out_of_namesake`.
        """
        is_begun = not top.has_content and not self.learned.is_known_empty(top.name) and self.is_on("begun")
        cost_of_begun = costs.BEGUN if is_begun and not self._shows_missing_solidus(tag) else 0.0
        readings = []
        for levels in range(1, min(MOST_LEVELS, len(stack) - 1) + 1):
            parent = self._open[-levels - 1]
            if parent.name == AROUND and not top.has_content:
                break  # a root whose current element is empty goes on
            cost = levels + cost_of_begun + self._indent_cost(parent, tag) + self._unlike_cost(parent, tag)
            if levels < levels_out:  # the element of the tag's name stays open
                cost += costs.IN_NAMESAKE
            if levels == 1 and self._may_end_later(parent.name, top, tag, window):
                cost += NEW_PAIR
            after = inside(stack[:-levels], tag.name, is_closed=tag.empty)
            readings.append(Reading(END_BEFORE, cost, after, levels))
        return readings

    def _may_end_later(self, parent: str, top: OpenElement, tag: PlacedTag, window: Window) -> bool:
        """Return whether the current element may end before the next one of its name, not before `tag` (R-023).

        No reading ends it there. The draft's comes nearest, but puts the next element of the name into the current one,
        which is a new pair. So the reading that ends the current element before `tag` pays for a pair, too.
        """
        learned, own = self.learned, top.name
        is_new = tag.name != own and learned.is_new(own, own) and learned.is_new(parent, tag.name)
        if not (is_new and self.is_on("omitted")):
            return False
        if self._may_have_text(top):
            return not self.has_end_tag(own, window) and goes_on_to_next(own, tag, window)
        return top.has_children and self._has_start_tag(own, window)

    def _shows_missing_solidus(self, tag: PlacedTag) -> bool:
        """Return whether a tag's column shows that the current element, still empty, lacks its "/" (R-023).

        The tag stands in the column of the current element, and farther in than the element around that.
        """
        if len(self._open) == 1 or tag.indent is None or not self.is_on("indent"):
            return False
        parent, current = self._open[-2:]
        return (
            not current.has_content and current.indent == tag.indent and tag.indent > column_number(parent.indent) >= 0
        )

    def _goes_on_in_namesake(self, window: Window) -> bool:
        """Return whether the next tag or text fits an element of the current name better than the parent (R-023)."""
        parent, current = self._open[-2:]
        kind, name = _following(window)
        if kind == TEXT_RUN:
            return not self._may_have_text(parent) and self.is_on("omitted")
        learned = self.learned
        return (
            kind != END_TAG
            and learned.was_child(current.name, name)
            and (parent.name, current.name, name) not in learned.follows
            and self.is_on("omitted")
        )

    def _seems_inside(self, top: OpenElement, tag: PlacedTag, window: Window) -> bool:
        """Return whether a tag of another name is in the current element though it is unlike others there (R-027)."""
        if not top.has_content and goes_on_to_next(top.name, tag, window):
            return True  # the end tag is missing before the next element of this name
        ends_as_current = not tag.empty and window.end_of_element(tag.name, MOST_BEFORE_END) == top.name
        return ends_as_current and not self.has_end_tag(tag.name, window)  # the tag's own end tag is missing

    def _seems_text_only(self, top: OpenElement, tag: PlacedTag, window: Window) -> bool:
        """Return whether the current element probably has text only, so that its end tag is missing (R-023)."""
        has_text_so_far = top.has_text and not top.has_children and top.name not in self.learned.completed
        return has_text_so_far and self.is_on("omitted") and has_many_children(top.name, tag, window)

    def _may_have_text(self, element: OpenElement) -> bool:
        """Return whether an element, or another of its name, has text.

        The name counts because runs do not report the text of each element.
        """
        return element.has_text or not self.learned.is_new(element.name, TEXT_CHILD)

    def _cost_in_its_like(self, top: OpenElement, tag: PlacedTag, window: Window) -> float:
        """Return the cost of a start tag in an element of its own name, if what follows fits the name (R-023)."""
        if tag.empty or tag.name != top.name or not self.is_on("omitted"):
            return 0.0
        kind, name = _following(window)
        if kind == TEXT_RUN:
            fits = self._may_have_text(top)
        else:
            fits = kind != END_TAG and (top.name, name) in self.learned.pairs
        return costs.IN_ITS_LIKE if fits and not self.has_end_tag(tag.name, window) else 0.0

    def _levels_out_of_namesake(self, tag: PlacedTag, window: Window) -> int:
        """Return how many elements have to end before a start tag, so that the open one of its name ends (R-023).

        Return 0 if that element probably goes on. It probably ends if it is one of the `MOST_LEVELS_TO_NAMESAKE`
        elements around the current one, which has another name, and its end tag seems to be missing: no element of
        the name was completed, and the window has no end tag of the name.
        """
        if tag.empty or tag.name == self._open[-1].name or tag.name in self.learned.completed:
            return 0
        outer = self._names[-2 : -2 - MOST_LEVELS_TO_NAMESAKE : -1]  # from the current element's parent outwards
        if tag.name not in outer or not self.is_on("omitted") or self.has_end_tag(tag.name, window):
            return 0
        return outer.index(tag.name) + 2  # with the current element and the one found

    def _reading_without_solidus(
        self, top: OpenElement, tag: PlacedTag, stack: list[str], window: Window
    ) -> list[Reading]:
        """Return the reading in which a start tag is the end tag of the current element, if it may be (R-023)."""
        if not self._may_lack_solidus(top, tag):
            return []
        if _following(window) == (START_TAG, tag.name):
            return [Reading(AS_END_BETWEEN, costs.NO_SOLIDUS_BETWEEN, Begun(stack[:-1]), levels=1)]
        cost = costs.NO_SOLIDUS + (costs.UNLIKE_PARENT if self._goes_on_in_namesake(window) else 0.0)
        return [Reading(AS_END_TAG, cost, Begun(stack[:-1]), levels=1)]

    def _may_lack_solidus(self, top: OpenElement, tag: PlacedTag) -> bool:
        is_bare = not tag.empty and tag.name == top.name and not tag.attributes
        return is_bare and top.has_content and len(self._open) > 1 and self.is_on("noslash")

    def _reading_in_missing(self, top: OpenElement, tag: PlacedTag, stack: list[str], window: Window) -> list[Reading]:
        """Return the reading in which a start tag is missing and only its end tag is present, if any (R-024)."""
        learned = self.learned
        name = ""
        if learned.is_new_triple(top.name, top.last, tag.name):
            name = begun_by(top, tag, window, learned)
        if not name and learned.is_new(top.name, tag.name):
            name = last_in_parent(top, tag, window, learned)
            # An element of a known name is not in such a parent. HTML's names show a habit, not an element.
            if learned.is_new(top.name, name) if name in learned.names else name in HTML_VOID:
                return []
        if not self._may_be_element(name) or self.is_open(name):
            return []
        begun = inside(stack, name, tag.name, is_closed=tag.empty)
        return [Reading(START_BEFORE, costs.MISSING_AROUND, begun, opened=name)]

    # Records in records, before many were shown (R-041) --------------------------------------------------------------

    def _may_be_next(self, tag: PlacedTag) -> bool:
        """Return whether a start tag may begin the next element: it has the current one's name and is no farther in."""
        if tag.empty or len(self._open) < 2 or tag.name != self._open[-1].name:
            return False
        indent = self._open[-1].indent
        return tag.indent is None or indent is None or tag.indent <= indent

    def looks_far(self, tag: PlacedTag) -> bool:
        """Return whether a start tag is placed by the far window, too (R-041).

        No element of the tag's name was read directly in another. Few were completed, or the current one has only text.
        """
        if not (self._may_be_next(tag) and self.is_on("far") and self.is_on("close")):
            return False
        top, name = self._open[-1], tag.name
        # After many, `_begins_in_record` doubts the tag if the current element has children.
        were_few = self.learned.completed.get(name, 0) < MANY_RECORDS
        return (
            (top.has_content or self._is_twice(top, tag))
            and (were_few or (top.has_text and not top.has_children))
            and self._may_be_unlike(name, name)
            and self.learned.is_new_triple(name, top.last, name)
        )

    def look_far(self, text: str, start: int, stop: int, at_end: bool, offset: int) -> FarLook:
        """Return the window for a tag of which `looks_far` is true; for the arguments see `Window`."""
        ahead = self._make_ahead(self.learned)
        return FarLook(ahead, ahead.window(text, start, stop, at_end, offset, MOST_FAR_TAGS))

    def choose_at_once(self, tag: PlacedTag) -> Choice | None:
        """Return the choice to end the current element if that needs no look-ahead (R-041), else None."""
        name = tag.name
        if self._assumed_ends.get(name, 0) < SOME_RECORDS or not self._may_be_next(tag):
            return None
        if not self._open[-1].has_content or (name, name) in self.learned.pairs:
            return None
        return Choice(END_BEFORE.code, f"</{name}> was assumed before <{name}>", levels=1)

    def _noted(self, choice: Choice, top: OpenElement, tag: PlacedTag) -> Choice:
        """Note what a choice for a start tag means for later tags; return the choice.

        R-025: only one repetition is dropped. R-041: after some assumed ends, no more is read ahead.
        """
        if choice.code == AS_TWICE.code:
            top.set_attributes(None)  # so that no other one is taken for a repetition
        name, ends = tag.name, self._assumed_ends
        is_of_record = choice.code == END_BEFORE.code and choice.levels == 1 and name == self._names[-1]
        if is_of_record and self.is_on("far") and (name in ends or len(ends) < MOST_LEARNED):
            ends[name] = ends.get(name, 0) + 1
        return choice

    def _choose_far(self, top: OpenElement, tag: PlacedTag, far: FarLook) -> Choice | None:
        """Choose whether a start tag is in the current element or after it, or is dropped (R-025, R-041).

        Return None if the choice of the nearer window stands. Without an error in the far window, the place is doubted
        only if many such elements follow.
        """
        stack = self._stack()
        nested, unlike = self._indent_cost(top, tag), self._unlike_cost(top, tag)
        is_twice = self._is_twice(top, tag) and not is_repeated(tag, far.window)
        is_first_of_many = False
        is_record = is_like(top.name, far.window, self.learned)
        if is_twice or is_record:
            # zeros if such elements contain others, so that these are no records one after another
            starts, ends = count_flat(tag.name, far.window)
            unlike = (unlike or costs.IN_ITS_LIKE) if starts else 0.0
            # If the window has the end of the document and end tags of the name, an error would show in it.
            may_hide_error = not (far.window.at_end and ends)
            is_first_of_many = is_record and starts >= MOST_RECORDS and may_hide_error
        nested += unlike + (costs.UNLIKE if is_first_of_many else 0.0)
        draft = Reading(AS_DRAFT, nested, inside(stack, tag.name))
        readings = [draft, *self._readings_that_close(top, tag, stack, 0, far.window)[:1]]  # one element ends
        readings += self._reading_without_solidus(top, tag, stack, far.window)
        if is_twice:
            readings.append(Reading(AS_TWICE, costs.TWICE, Begun(stack)))
        self._compare(readings, OF_START_TAG, far.window, far.ahead)
        if not is_first_of_many:
            if draft.errors == min(reading.errors for reading in readings):
                return None
            self.spend(far.window.stop - far.window.start)
            # As in `_choose_in_window`, an error that only the comparison counts is no evidence.
            if not far.ahead.has_fault(far.window, draft.begun.stack, ()):
                return None
        choice = choose(readings, OF_START_TAG, tag.name, self._names)
        return choice if choice.code else None

    def _is_shown_at_end(self, top: OpenElement, tag: PlacedTag, window: Window) -> bool:
        """Return whether a start tag is doubted because elements are open at the document's end (R-025, R-027).

        The tag seems to repeat another, or begins a record within a record. The look-ahead has found no error, so
        counting the tags of the window tells whether elements are open at its end.
        """
        is_doubted = self._is_twice(top, tag) or self._begins_in_record(top, tag) or self._may_begin_record(tag, window)
        if not (is_doubted and window.at_end):
            return False
        kinds = [kind for kind, _ in window.all()]
        return len(self._open) + 1 + kinds.count(START_TAG) > kinds.count(END_TAG)

    def _may_begin_record(self, tag: PlacedTag, window: Window) -> bool:
        """Return whether a start tag seems to begin a record within one, though few or none came before (R-027)."""
        is_beside = self._stands_beside(self._open[-1], tag)
        is_doubted = is_beside or self.learned.completed.get(tag.name, 0) >= SOME_RECORDS
        if not (is_doubted and self.looks_far(tag) and is_like(tag.name, window, self.learned)):
            return False
        return is_beside or count_flat(tag.name, window)[0] > 0

    def _stands_beside(self, element: OpenElement, tag: PlacedTag) -> bool:
        """Return whether a tag is in the column of an element of its name, and that element's children farther in."""
        return (
            tag.name == element.name
            and tag.indent is not None
            and tag.indent == element.indent
            and element.has_children
            and column_number(element.last_indent) > tag.indent
        )

    def _begins_in_record(self, top: OpenElement, tag: PlacedTag) -> bool:
        """Return whether a start tag begins a record within one that has begun, or repeats its start tag (R-027)."""
        may_begin = not tag.empty and (top.has_children or self._is_twice(top, tag))
        return may_begin and self.is_record_in_record(top.name, tag.name)

    def _is_twice(self, top: OpenElement, tag: PlacedTag) -> bool:
        """Return whether a start tag seems to repeat that of the current element (R-025)."""
        is_same = not tag.empty and tag.name == top.name and top.attributes == tag.attributes
        return is_same and self.is_on("twice")

    def is_record_in_record(self, parent: str, name: str) -> bool:
        """Return whether a start tag begins a record in a record of its name, after many that did not (R-027)."""
        return (
            name == parent
            and self.learned.completed.get(name, 0) >= MANY_RECORDS
            and (name, name) not in self.learned.pairs
            and (name, name) not in self.learned.doubted
            and self.is_on("soft")
        )

    def _unlike_cost(self, parent: OpenElement, tag: PlacedTag) -> float:
        """Return the cost of a child unlike all that elements of the parent's name had (R-027)."""
        learned, name = self.learned, tag.name
        if name != parent.name:
            return self.unlike_cost(parent.name, name)
        is_twice = len(tag.attributes) > 0 and self._is_twice(parent, tag)
        is_unlike = name in learned.completed or is_twice or self._stands_beside(parent, tag)
        return costs.UNLIKE if is_unlike and self._may_be_unlike(name, name) else 0.0

    def unlike_cost(self, parent: str, name: str) -> float:
        """Return the cost of a child unlike all that elements of the parent's name had; the two names differ."""
        learned = self.learned
        is_unlike = parent in learned.completed and not learned.has_children(parent)
        return costs.UNLIKE if is_unlike and self._may_be_unlike(parent, name) else 0.0

    def _may_be_unlike(self, parent: str, name: str) -> bool:
        learned = self.learned
        return learned.is_new(parent, name) and (parent, name) not in learned.doubted and self.is_on("soft")

    def _implied(self, parent: str, before: str | None, name: str) -> list[str]:
        """Return names of elements whose start tag may be missing before a start tag (R-024)."""
        if not self.is_on("implied") or (parent, before, name) in self.learned.follows:
            return []
        return self.learned.between(parent, name)

    def _indent_cost(self, parent: OpenElement, tag: PlacedTag) -> float:
        """Return the cost of a tag's column that contradicts the parent which a reading gives it (R-023)."""
        if tag.indent is None:
            return 0.0
        if parent.has_children:
            contradicts = parent.last_indent is not None and parent.last_indent != tag.indent
        else:  # it is the current element: the others around the tag have a child
            contradicts = parent.indent is not None and tag.indent <= parent.indent and self._is_indented
        if not contradicts or not self.is_on("indent"):
            return 0.0
        return costs.INDENT_IN_OWN if self.watches(tag.name) else costs.INDENT

    @property
    def _is_indented(self) -> bool:
        """Whether columns tell what is in the current element (R-023).

        They do not if it has no text and stands in its parent's column.
        """
        current = self._open[-1]
        return current.has_text or len(self._open) == 1 or self._open[-2].indent != current.indent

    def _is_sibling(self, parent: OpenElement, tag: PlacedTag) -> bool:
        """Return whether a tag is in the column of the parent's last child, as if no start tag were missing (R-024)."""
        is_same = tag.indent is not None and parent.has_children and parent.last_indent == tag.indent
        return is_same and tag.indent != parent.indent and self.is_on("indent")

    def _may_be_element(self, name: str) -> bool:
        """Return whether a start tag of a name may be missing (R-024)."""
        return bool(name) and (self._elements is None or name in self._elements)

    def _may_lack_start_tag(self, name: str) -> bool:
        """Return whether an end tag alone shows that the start tag of a name is missing (R-022, R-024).

        Around known elements is prose, which may be about such tags.
        """
        is_in_prose = self._elements is not None and self._open[-1].name == AROUND
        return not is_in_prose and self._may_be_element(name)

    def _choose_root(self, tag: PlacedTag, window: Window) -> Choice:
        """Place the first tag: a start tag may be missing before it, or it may have a "/" too few or too many.

        R-024, R-026, R-036.
        """
        name = last_of_document(window, tag)
        if self._roots is not None and name not in self._roots:
            name = ""
        around = self._wrapper_names
        void = self._cost_of_void(tag, window) if around else None
        if not name and void is None:
            return DRAFT
        readings = [Reading(AS_DRAFT, 0, inside(around, tag.name, is_closed=tag.empty))]
        if void is not None:
            readings.append(_as_empty_tag(tag, void, around))
        if name and name != tag.name and not (tag.empty and is_in_other_case(name, tag.name)):
            begun = inside(around, name, tag.name, is_closed=tag.empty)
            readings.append(Reading(START_OF_ROOT, costs.MISSING_ROOT, begun, opened=name))
        elif name and self.is_on("filled"):
            readings.append(Reading(AS_START_TAG, costs.FILLED, inside(around, name), tag=tag._replace(empty=False)))
        kind = OF_EMPTY_TAG if tag.empty else OF_START_TAG
        if not around:
            kind = kind._replace(pair=0.0)  # all pairs are new, in either reading
        self._compare(readings, kind, window)
        # The first element is rather the root if it is a whole document, unless the assumption leaves no error.
        if readings[-1].assumption is START_OF_ROOT and readings[-1].errors and is_whole_document(window, tag):
            del readings[-1]
        return choose(readings, kind, tag.name, self._names) if readings[0].errors else DRAFT

    def choose_for_end_tag(self, name: str, window: Window, far: FarLook | None = None) -> Choice:
        """Decide what an end tag ends (R-021, R-022, R-033, R-041); `far` is given if `ends_early` is true of it."""
        if name in {"", self._open[-1].name}:
            if len(self._open) == 1:
                return self._choose_for_end_of_root(name, window)
            return DRAFT if far is None else self._choose_for_early_end(name, far)
        stack = self._stack()
        ended = ended_by(name, stack)
        if ended:
            is_last = name == self._open[0].name and stack.count(name) == 1 and _is_last_end_of(name, window)
            # The draft's reading is also right if the element that it leaves open ends rightly.
            if is_last or (ended < len(stack) and self._ends_rightly(stack[-ended - 1], window)):
                choice = DRAFT
            else:
                choice = self._choose(self._readings_of_open_end_tag(stack, ended), OF_END_TAG, name, window)
        elif name in self._open_names:
            return DRAFT  # farther out than the simulation knows
        else:
            self._assumed_ends.pop(name, None)  # this may be an end tag that was assumed to be missing
            if self._ends_rightly(stack[-1], window):
                return DRAFT
            # The end tag does not end the root element while elements follow, as they would be lost; nor does it ever
            # end the element around the roots, which has no tags in the document.
            may_end_root = self._open[0].name != AROUND and not _following_element(window)
            most_levels = len(stack) if may_end_root else len(stack) - 1
            readings = self._readings_of_unmatched_end_tag(name, stack, most_levels, window)
            choice = self._choose(readings, OF_END_TAG, name, window)
        closed = choice.levels if choice.code else ended
        if closed > 1 and self.is_on("crossed"):  # the own end tags of the inner ones may come yet
            self._forced = self._forced_with(stack, closed)
        return choice

    def _forced_with(self, stack: list[str], closed: int) -> list[str]:
        """Return the names whose end tags are forgiven once an end tag has closed elements of a stack (R-021).

        The outermost of them is not among them, since the end tag was its own.
        """
        inner = stack[len(stack) - closed + 1 :]
        return [*self._forced, *inner][-MOST_FORCED:]

    def _readings_of_open_end_tag(self, stack: list[str], ended: int) -> list[Reading]:
        """Return the readings of the end tag of an outer element, which ends several elements (R-021)."""
        others = ended - 1
        readings = [Reading(AS_DRAFT, others, Begun(stack[:-ended], self._forced_with(stack, ended)))]
        if self.is_on("ignore"):
            readings.append(Reading(AS_STRAY, others, Begun(stack, self._forced)))
        if self.is_on("wrongname") and len(stack) > 1:
            cost = max(costs.WRONG_NAME, others)
            readings.append(Reading(AS_END_TAG, cost, Begun(stack[:-1], self._forced), levels=1))
        return readings

    def _readings_of_unmatched_end_tag(
        self, name: str, stack: list[str], most_levels: int, window: Window
    ) -> list[Reading]:
        """Return the readings of an end tag of no open element, by which at most `most_levels` end (R-022)."""
        readings = [Reading(AS_DRAFT, costs.STRAY, Begun(stack, self._forced))]
        if self._may_start_be_misspelt(name, window):
            readings[0].cost += costs.NO_OTHER_END  # not to `assumed`, which the message counts
        if not self.is_on("endtag"):
            return readings
        is_known = name in self.learned.names
        for levels in range(1, min(MOST_LEVELS, most_levels) + 1):
            is_slip = self.learned.is_slip(name, stack[-levels])
            if is_slip:
                cost = costs.NEAR_NAME + levels - 1
            elif levels == 1:
                cost = costs.KNOWN_NAME if is_known else costs.UNKNOWN_NAME
            else:
                continue
            begun = Begun(stack[:-levels], self._forced_with(stack, levels))
            readings.append(Reading(AS_NEAR_END_TAG if is_slip and levels == 1 else AS_END_TAG, cost, begun, levels))
        return readings + self._reading_as_start_tag(name, stack, window)

    def _reading_as_start_tag(self, name: str, stack: list[str], window: Window) -> list[Reading]:
        """Return the reading of an unmatched end tag as the start tag of an element that ends in the window (R-022)."""
        if not (self._may_lack_start_tag(name) and self.has_budget(window.offset) and self.is_on("filled")):
            return []
        if has_swallowed(name):
            return []
        following = _following(window)
        # After an element of the name, or before another end tag, the end tag is rather written twice.
        is_twice = self._open[-1].last == name or following[0] == END_TAG
        has_record = following == (START_TAG, name) and self.learned.is_new(name, name)  # records in a record
        if is_twice or has_record:
            return []
        if window.end_of_element(name, MOST_BEFORE_END) != name:
            return []
        tag = PlacedTag(name, {}, empty=False, indent=self.column)
        return [Reading(AS_START_TAG, costs.SOLIDUS, inside(stack, name), tag=tag)]

    def _may_start_be_misspelt(self, name: str, window: Window) -> bool:
        """Return whether the fault may be in the current element's start tag, and not in an unmatched end tag (R-022).

        That is so if all of this holds: The end tag's `name` has been a child in elements of the parent's name, not of
        the current element's. No element of the current name has been completed. The text of the window has no end tag
        of the current name, and the document goes on beyond the window.
        """
        current = self._names[-1]
        pairs = self.learned.pairs
        return (
            len(self._names) > 1
            and (self._names[-2], name) in pairs
            and (current, name) not in pairs
            and current not in self.learned.completed
            and not window.at_end
            and not self.has_end_tag(current, window)
        )

    def _choose_for_end_of_root(self, name: str, window: Window) -> Choice:
        """Decide whether the root element ends here, or its end tag came too early (R-033).

        `name` is that of the end tag: the root element's, or "".
        """
        root = self.root
        following = _following_element(window)
        if following in {"", root}:
            return DRAFT
        is_known_inside = (root, following) in self.learned.pairs or self.learned.between(root, following)
        has_budget = self.has_budget(window.offset)
        if not is_known_inside and not (has_budget and window.last_of_document() == (root, True)):
            return DRAFT
        # If this end tag is stray, so are further ones before the next child of the root. The comparison would take
        # the first of these for the end of the root, so the root's name is on the stack once more for each of them.
        more = _count_ends_of(root, window) if has_budget else 0
        readings = [
            Reading(AS_DRAFT, 0, Begun([], self._forced)),
            Reading(AS_STRAY_IN_ROOT, costs.STRAY * (1 + more), Begun([root] * (1 + more), self._forced)),
        ]
        return self._choose(readings, OF_END_TAG, name, window)

    def _choose_for_early_end(self, name: str, far: FarLook) -> Choice:
        """Decide whether the current element ends at its own end tag though its children go on (R-033)."""
        stack, window = self._stack(), far.window
        if not self.has_budget(window.offset):
            return DRAFT
        self.spend(window.stop - window.start)
        # If the end tag is stray, so is the root's that follows it: see `_choose_for_end_of_root`.
        stray = [self.root] if self._ends_with_root(window) else []
        # The elements that follow the root's end tag are errors, which `has_fault` does not count.
        has_fault = stray or far.ahead.has_fault(window, stack[:-1], self._forced)
        if not has_fault or self._has_start_tag(stack[-1], window):
            return DRAFT
        readings = [
            Reading(AS_DRAFT, 0, Begun(stack[:-1], self._forced)),
            Reading(AS_STRAY_INSIDE, costs.STRAY * (1 + len(stray)), Begun([*stack, *stray], self._forced)),
        ]
        self._compare(readings, OF_OWN_END_TAG, window, far.ahead)
        return choose(readings, OF_OWN_END_TAG, name, self._names)

    def choose_for_text(self, window: Window) -> Choice:
        """Decide which element the first text of the current one belongs to (R-023, R-024)."""
        top = self._open[-1]
        top.is_text_decided = True
        stack = self._stack()
        readings = [Reading(AS_DRAFT, 0, self._text_in(stack))]
        kind, name = window.first_of(START_TAG, EMPTY_TAG, END_TAG) or (END_TAG, "")
        end_name = name if kind == END_TAG else ""
        if end_name not in self._open_names and self._may_lack_start_tag(end_name):
            readings.append(Reading(START_BEFORE, costs.MISSING, self._text_in(stack, end_name), opened=end_name))
        if not top.has_content and len(stack) > 1:
            readings.append(Reading(END_BEFORE, costs.END_BEFORE_TEXT, self._text_in(stack[:-1]), levels=1))
        if len(readings) == 1 or not self.ahead.has_fault(window, stack, self._forced):
            return DRAFT
        if self._ends_rightly(top.name, window):
            return DRAFT
        return self._choose(readings, OF_TEXT, end_name, window)

    def _text_in(self, stack: list[str], *names: str) -> Begun:
        """Return the beginning of a reading that opens elements of some `names`, and then has text."""
        return inside(stack, *names, TEXT_CHILD, is_closed=True, forced=self._forced)

    def name_or_text(self, names: dict[str, bool], window: Window) -> str:
        """Return the likeliest of some names for the tag at a "<"; "" if the "<" is text (R-012 to R-014).

        The likeliest of the `names` come first; with each, whether text follows a tag of the name. `window` begins at
        the next "<".
        """
        stack = self._stack()
        readings = [self._text_in(stack)]
        for name, has_text in names.items():
            readings.append(inside(stack, name, TEXT_CHILD, is_closed=True) if has_text else inside(stack, name))
        as_text, *as_tags = [errors + NEW_PAIR * pairs for errors, pairs in self._outcomes(readings, window)]
        best, least = "", costs.TEXT + as_text
        for name, as_tag in zip(names, as_tags, strict=True):
            assumed = costs.KNOWN_TAG if name in self.learned.names else costs.UNKNOWN_TAG
            if assumed + as_tag < least - LEAST_MARGIN:
                best, least = name, assumed + as_tag
        return best

    def broken_tag_is_empty_by_column(self, next_column: int, end_name: str | None) -> bool | None:
        """Return whether a tag that lacks its end is empty by its indentation (R-013); None if that tells nothing.

        `next_column` is the column of the following tag, the first on its line. `end_name` is the name of the broken
        tag if the following one is an end tag of that name, else None.
        """
        parent_column = self._open[-1].indent if self._open else None
        if self.column is None or parent_column is None or self.column <= parent_column or not self.is_on("indent"):
            return None
        # An end tag of the name is the tag's own, unless another column shows that it is that of an element around it.
        if end_name is not None and (next_column == self.column or end_name not in self._open_names):
            return False
        return next_column <= self.column

    @property
    def has_elements_only(self) -> bool:
        """Whether the current element has children and no text, so that a broken tag is more likely a child (R-013)."""
        top = self._open[-1]
        return top.has_children and not self._may_have_text(top) and self.is_on("gt")

    def seems_empty(self, name: str, window: Window) -> bool:
        """Return whether a tag that lacks its end leads to fewer errors as an empty tag than as a start tag (R-013)."""
        if name in self.learned.filled or not self._open:
            return False
        stack = self._stack()
        readings = [inside(stack, name), inside(stack, name, is_closed=True)]
        (errors_of_start, _), (errors_of_empty, _) = self._outcomes(readings, window)
        return errors_of_empty < errors_of_start

    def _outcomes(self, begun: Sequence[Begun], window: Window, ahead: Ahead | None = None) -> list[Outcome]:
        """Count the errors and new pairs of readings in a window, and charge the budget."""
        outcomes = (ahead or self.ahead).compare(begun, window)
        self.spend(window.cost)
        return outcomes

    def _compare(self, readings: list[Reading], kind: TokenKind, window: Window, ahead: Ahead | None = None) -> None:
        """Find the errors that follow in the readings of a token; `ahead`: the far window's look-ahead, if any."""
        outcomes = self._outcomes([reading.begun for reading in readings], window, ahead)
        # After the root element no pairs are counted. To make up for that, a reading that ends the root gets the
        # smallest number of the others.
        counted = [pairs for reading, (_, pairs) in zip(readings, outcomes, strict=True) if reading.begun.stack]
        least = min(counted, default=0)
        for reading, (errors, pairs) in zip(readings, outcomes, strict=True):
            reading.errors = errors
            reading.cost += errors + kind.pair * (pairs if reading.begun.stack else least)

    def _choose(self, readings: list[Reading], kind: TokenKind, name: str, window: Window) -> Choice:
        """Compare the readings of a token and choose one; the draft's if it has no error (R-006).

        Without budget, repeat the choice for the last token like this one (R-008).
        """
        if not self.has_budget(window.offset):
            return self._habits.choose(kind, name, self._names)
        self._compare(readings, kind, window)
        has_errors = kind.is_faulty or readings[0].errors > 0
        choice = choose(readings, kind, name, self._names) if has_errors else DRAFT
        self._habits.note(kind, name, self._names, choice)
        return choice


def _as_empty_tag(tag: PlacedTag, cost: float, stack: list[str]) -> Reading:
    """Return the reading of a start tag that is meant as an empty tag (R-026)."""
    return Reading(AS_EMPTY_TAG, cost, inside(stack, tag.name, is_closed=True), tag=tag._replace(empty=True))


def _following(window: Window) -> Tag:
    """Return the first tag or text of a window; an end tag without a name if there is none."""
    return window.first_of(*KINDS) or (END_TAG, "")


def _count_ends_of(name: str, window: Window) -> int:
    """Count the end tags of a name, and the short ones, before the first start tag or empty tag of a window."""
    count = 0
    for kind, other in window:
        if kind in {START_TAG, EMPTY_TAG}:
            break
        count += kind == END_TAG and other in {"", name}
    return count


def _element_after_ends(window: Window, most_ends: int) -> str:
    """Return the name of a window's first start tag or empty tag; "" if over `most_ends` end tags come before it."""
    ends = 0
    for kind, name in window:
        if kind in {START_TAG, EMPTY_TAG}:
            return name
        ends += kind == END_TAG
        if ends > most_ends:
            break
    return ""


def _is_last_end_of(root: str, window: Window) -> bool:
    """Return whether a window has no start tags, no empty tags, and no end tags of the root element."""
    return all(kind == TEXT_RUN or (kind == END_TAG and name != root) for kind, name in window)


def _following_element(window: Window) -> str:
    """Return the name of the first start tag or empty tag in a window; "" if there is none."""
    found = window.first_of(START_TAG, EMPTY_TAG)
    return "" if found is None else found[1]
