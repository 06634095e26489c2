"""Learning from error-free runs, which the fast path takes past the states (R-009).

A tag's consequences depend on the names of the open elements and on the child before it. Most tags come where an equal
one came before: nothing is new, nothing is doubted. So there is an automaton of such places, whose transitions are the
tokens after which there is nothing to learn. To read a run is then little more than to find its tags.

The policy is asked about tags that are doubted. If it chooses the draft's reading, the run goes on past the tag; else
the run ends before it. It also ends before text that the policy has to be asked about. The policy need not be asked
where a whole window of the run follows, as the draft's reading has no error in it; nor, for most tags and the text of
leaves, where the element around them ends in the run (R-006).
"""

import re
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Final, Protocol

from xml5tree.accelerator import compiled
from xml5tree.dialects.xml5.intent.columns import NO_COLUMN, NO_SIBLING, column_at, column_number
from xml5tree.dialects.xml5.intent.constants import (
    INSIDE_REACH,
    LEAST_REACH,
    MANY_RECORDS,
    MOST_INSIDE,
    MOST_LEARNED,
    WINDOW,
)
from xml5tree.dialects.xml5.intent.learned import STRANGE_CHILD, TEXT_CHILD
from xml5tree.dialects.xml5.intent.situation import PlacedTag
from xml5tree.dialects.xml5.intent.walking.compiled import RULES, CompiledWalk
from xml5tree.dialects.xml5.intent.walking.contract import MOST_AROUND, Around, Part, Walk
from xml5tree.dialects.xml5.intent.walking.places import Level, Place
from xml5tree.dialects.xml5.intent.walking.pure import PureWalk
from xml5tree.dialects.xml5.intent.walking.tokens import (
    ASKED,
    BLANK,
    CDATA,
    EMPTY_TAG,
    END_TAG,
    LEAF,
    TAIL,
    TEXT,
    end_of_plain_sections,
    find_markup,
)
from xml5tree.dialects.xml5.lexis import HTML_JUNK, HTML_VOID
from xml5tree.fastpath.contract import Cache, Limits, PlainRun, Run, Scanner, TagRule
from xml5tree.xml.references import PREDEFINED, REFERENCE, read_reference

if TYPE_CHECKING:
    from xml5tree.dialects.xml5.intent.policy import Choice, Intent
    from xml5tree.dialects.xml5.intent.window import Window

__all__ = ["Learner", "Surroundings", "learning"]

#: How many of the innermost open elements are known: one more than a run may end (`_MOST_ENDED` in fastpath/apply.py).
#: After a doubted tag within a run, the known elements include those that the run has opened, so the rest of the run
#: may end all that are known. Then the run is cut before the end tag of the outermost known element.
_MOST_KNOWN: Final = 7
#: How many levels are looked through for elements of one name, so that time is linear however deep a document is.
_MOST_OUTER: Final = 64

#: By how much farther a scan looks than the last one, from `LEAST_REACH` on.
_GROWTH: Final = 8
_LONGEST_REACH: Final = 1 << 18

#: Bytes of a character at most.
_LONGEST_CHARACTER: Final = 4
_START_TAG: Final = re.compile(rb"""<[^>"']*+(?:"[^"]*+"[^>"']*+|'[^']*+'[^>"']*+)*+>""")
_NAME_OF_LEAF: Final = re.compile(rb"<([^\t\n />!?]++)")
_NAME_OF_TAG: Final = re.compile(r"<[^\t\n />]++")
#: An attribute of a run; its value may have no quotes or be absent.
_ATTRIBUTE: Final = re.compile(
    r"""([^\t\n =/><"'&]++)(?:[\t\n ]*+=(?:[\t\n ]*+(?:"([^"]*+)"|'([^']*+)')|([^\t\n "'>]*+)))?"""
)
_AMPERSAND: Final = re.compile(f"&{REFERENCE.pattern}")
_SPACES: Final = b"\t\n "
_DECLARATION: Final = b"xmlns"
#: The start tag of a root element that no rule doubts, but for faults that a scan would leave to the states.
_ROOT: Final = re.compile(
    rb"""[\t\n ]*+<([^\t\n />"'<=@;:!?&]++)"""
    rb"""(?:[\t\n ]++[^\t\n =/><"'&]++=(?:"[^"<&]*+"|'[^'<&]*+'|[^\t\n "'<>=&/]++))*+[\t\n ]*+>"""
)


def learning(scanner: Scanner, learner: "Learner", *, may_take_root: bool = True) -> Scanner:
    """Return a scan whose runs are learned from, and end where another reading than the draft's may be chosen.

    `may_take_root`: whether a run may begin with the root element's start tag.
    """
    reach = _LONGEST_REACH
    takes_root = may_take_root = scanner.takes_root and may_take_root

    def scan(
        data: bytes,
        start: int,
        stop: int,
        open_names: list[str],
        prefixes: dict[str, str],
        declared: dict[bytes, TagRule],
        limits: Limits,
        cache: Cache,
        /,
    ) -> Run | PlainRun:
        """See `xml5tree.fastpath.contract.Scan`."""
        nonlocal reach, takes_root  # the reach is short after a run that was cut; the root's start tag is taken once
        if limits.is_outside:
            if not (takes_root and learner.may_take_root(data, start)):  # then the policy is told of it by the states
                return Run(start, start, None, 0, [], 0, 0, 0)
            takes_root = False
        if start + reach < stop:
            stop = start + reach
            while data[stop] & 0xC0 == 0x80:  # within a character
                stop -= 1
        run = scanner.scan(data, start, stop, open_names, prefixes, declared, limits, cache)
        if reach < _LONGEST_REACH:
            reach = min(_GROWTH * reach, _LONGEST_REACH)
        run_end, _, markup, _, still_open, *_ = run
        if run_end == start:
            return run
        if limits.is_outside and run_end == len(data) and not still_open and learner.is_flat_document(data, start):
            return run
        end, ended, opened = learner.learn(data, start, run_end, limits)
        if end == run_end:
            return run
        reach = LEAST_REACH
        may_bind = scanner.takes_errors and data.find(_DECLARATION, start, end) >= 0
        if markup is None and not may_bind:
            source = data[start:end]
            return Run(end, max(end, start + 1), None, ended, opened, _length_of(source), source.count(b"\n"), 0)
        # A second scan gives the markup with defaults and errors, and the bindings, of the part before `end`:
        # * The part has kept within the limits, so these are lifted. The pure scan, which only estimates levels, might
        #   end it too soon otherwise.
        # * Nothing in the part is doubted, whatever follows, so `unended` is None.
        # * The second scan may leave the end of a text to the states, but no ampersand: up to `seen`, it sees the "<"
        #   of the tag that follows.
        known = limits._replace(levels=len(data), least=0, unended=None)
        seen = end + data.startswith(b"<", end)
        part = Run(*scanner.scan(data, start, seen, open_names, prefixes, declared, known, cache))
        return part._replace(resume=max(part.end, start + 1), ended=ended, opened=opened)

    return scanner._replace(scan=scan, takes_root=may_take_root)


def _length_of(source: bytes) -> int:
    """Return the length of UTF-8 in characters."""
    return len(source) if source.isascii() else len(source.decode())


def _start_of_last(count: int, data: bytes, start: int, end: int) -> int:
    """Return where the last `count` characters of a part of UTF-8 begin, or its start if it is shorter."""
    # Where the characters are cut that come first, part of one is left out.
    text = data[max(start, end - _LONGEST_CHARACTER * (count + 1)) : end].decode(errors="ignore")
    return start if len(text) <= count else end - len(text[-count:].encode())


class Surroundings(Protocol):
    """The surroundings of a run."""

    @property
    def is_final(self) -> bool:
        """Whether the document ends where the text does."""

    def has_budget_after(self, characters: int) -> bool:
        """Return whether any look-ahead is left `characters` after the beginning of the run."""

    def window_after(self, characters: int) -> "Window | None":
        """Return the window `characters` after the beginning of the run; None: more input is needed."""

    def note_choice(self, choice: "Choice") -> None:
        """Note that another reading than the draft's was chosen for the tag before which the run ends."""


class Learner:
    """Learns from the error-free runs of one document.

    Words for tokens and what is known of them:

    * new: what the token shows was not learned before, so that the token does not become a transition yet;
    * asked: the policy has to be asked about the tag, so that a part of the run ends before it;
    * strange: the token is a leaf, and its name is not learned any more, as the document has too many names;
    * watched: the tag is in an element of its own name, and may be doubted for its column (R-035);
    * right: the draft's reading is known to have no error from the token to the end of the document.
    """

    def __init__(self, policy: "Intent", *, is_compiled: bool) -> None:
        self._is_compiled = is_compiled
        self._surroundings: Surroundings | None = None
        self._policy = policy
        self._learned = policy.learned
        self._walk: Walk  # these two are made for the first part of a run:
        self._outermost: Level
        self._places: dict[tuple[tuple[str, ...], str | None, tuple[bool, ...]], Place] = {}  # see `Intent.position`
        self._watched_names = -1  # how many; -1: there is no walk yet
        self._names: set[str] = set()  # the learned names, once no more are learned; leaves with others are strange
        self._is_new = False  # whether the token that is being read may show something new
        self._data = b""
        self._start = 0  # where the current part of the run begins
        self._read = 0  # where the current token ends
        self._end = 0  # where the run ends
        self._plain_end = -1  # where the first section with another opening in it begins, else `_end`; -1: not known
        self._near_start = -1  # where the last window before `_plain_end` begins; -1: not known
        self._limits: Limits | None = None
        self._around: Around | None = None  # the columns around the part, once they have been asked for
        self._is_right = False  # whether the draft's reading is right from the current part on
        self._asked: tuple[str, bool] | None = None  # the name of the asked tag, and whether that is an empty tag
        self._characters = 0  # the length of the run in characters, up to `_counted`
        self._counted = 0

    def look_around(self, surroundings: Surroundings) -> None:
        """Set the source of facts about the text around runs; without it, runs end before the first doubted tag."""
        self._surroundings = surroundings

    def may_take_root(self, data: bytes, start: int) -> bool:
        """Return whether a run may begin at a place with the start tag of the root element."""
        found = _ROOT.match(data, start)
        return (
            found is not None
            and self._surroundings is not None
            and self._policy.is_on("root")
            and found[1].decode().lower() not in HTML_JUNK
        )

    def is_flat_document(self, data: bytes, start: int) -> bool:
        """Return whether a run is the rest of the document, from its root on, and no tag in it is doubted.

        No element is in another of its name, and no record in a record. So nothing speaks against any tag, and no
        window has an error.
        """
        return (
            self._surroundings is not None
            and self._surroundings.is_final
            and compiled is not None
            and bool(compiled.is_flat(data, start, len(data)))
        )

    def learn(
        self,
        data: bytes,
        start: int,
        end: int,
        limits: Limits,
    ) -> tuple[int, int, list[str]]:
        """Learn from a run between `start` and `end` of `data`, found within the limits of a scan.

        Return the end of the part that can be taken, the number of open elements that end in it, and the names of the
        elements that it opens and does not end.
        """
        self._limits = limits
        self._characters, self._counted = 0, start
        self._plain_end = -1
        self._is_right = False
        column = self._policy.column
        ended = 0
        opened: list[str] = []
        if limits.is_outside:
            place = self._ask_about_root(data, start)
        else:
            place, ended, opened = self._learn_part(data, start, end)
        while place < end and self._asked is not None and (after := self._pass_tag(data, place, *self._asked)):
            _, is_empty = self._asked
            if not is_empty:
                opened.append(self._policy.current)
            place, closed, begun = self._learn_part(data, after, end)
            left = max(len(opened) - closed, 0)
            ended += closed - (len(opened) - left)
            opened[left:] = begun
        if limits.is_outside and not opened:  # without the root element, there is no run
            self._policy.column = column
            return start, 0, []
        return place, ended, opened

    def _ask_about_root(self, data: bytes, start: int) -> int:
        """Have the policy asked about the root's start tag, see `may_take_root`; return the place of the tag."""
        found = _ROOT.match(data, start)
        assert found is not None  # it has been found before
        place = found.start(1) - 1
        self._asked = found[1].decode(), False
        self._policy.column = column_at(data, start, place, self._policy.column)
        return place

    def _pass_tag(self, data: bytes, start: int, name: str, is_empty: bool) -> int:
        """Pass the start or empty tag at a place if the draft's reading of it is chosen; return its end, else 0."""
        policy, surroundings = self._policy, self._surroundings
        if surroundings is None:
            return 0
        found = _START_TAG.match(data, start)
        assert found is not None  # it begins there
        end = found.end()
        before = self._characters + _length_of(data[self._counted : start])
        self._characters, self._counted = before + _length_of(found[0]), end
        attributes = _attributes(found[0], self._limits)
        tag = PlacedTag(name, attributes, is_empty, policy.column)
        is_doubtful = False
        if surroundings.has_budget_after(before):
            window = surroundings.window_after(self._characters)
            if window is None:
                return 0
            choice = policy.choose_for_start_tag(tag, window)
            if choice.code:
                surroundings.note_choice(choice)
                return 0
            is_doubtful = choice.is_doubtful
            self._is_right = policy.is_right
        policy.pass_tag(tag, is_doubtful=is_doubtful)
        return end

    def _learn_part(self, data: bytes, start: int, end: int) -> tuple[int, int, list[str]]:
        """Learn from a part of a run, up to a token about which the policy has to be asked; see `learn`."""
        self._asked = None
        place = self._current_place()
        first = find_markup(data, start, end)
        self._data, self._start, self._read, self._end = data, start, first, end
        if first > start and (text := data[start:first].lstrip(_SPACES)):
            following = self._after_text(place)
            if following is None:
                end = first - len(text)
                self._policy.column = column_at(data, start, end, self._policy.column)
                return end, 0, []
            place = following
        end, place = self._read_tokens(first, place)
        return end, *self._note(place)

    def _make_walk(self) -> Walk:
        if not self._is_compiled:
            return PureWalk()
        policy = self._policy
        rules = sum(RULES.values()) - sum([RULES.get(rule, 0) for rule in policy.disabled])
        return CompiledWalk((*policy.tables, HTML_VOID, TEXT_CHILD), rules)

    def _current_place(self) -> Place:
        watched_names = len(self._learned.indented)
        has_new = watched_names != self._watched_names  # transitions know what is watched
        if has_new or self._walk.missed > MOST_LEARNED or len(self._places) > MOST_LEARNED:
            self._watched_names = watched_names
            self._outermost = Level(None, "", False)
            self._places.clear()
            self._walk = self._make_walk()
            if self._names:
                self._walk.tell(self._names)
        position = self._policy.position(_MOST_KNOWN)
        place = self._places.get(position)
        if place is None:
            names, last, have_text = position
            level = self._outermost
            for name, has_text in zip_longest(names, have_text, fillvalue=False):
                level = level.inside(str(name), bool(has_text))
            place = self._places[position] = level.after(last)
        return place

    def _read_tokens(self, first: int, place: Place) -> tuple[int, Place]:
        """Read tokens to the end of the run, or as far as they can be taken; return the end, and the place there."""
        walk, end = self._walk, self._end
        watched = max(first, end - _LONGEST_CHARACTER * WINDOW)
        around = self._columns_around() if self._watched_names and self._has_watched_around() else None
        self._around = around
        part = Part(self._data, self._start, self._policy.column, first, end, self._is_right)
        start, self._read, place, name, kind = walk.begin(part, place, watched, around)
        while name is not None:
            if kind & ASKED:
                self._asked = name, kind & EMPTY_TAG > 0
                break
            self._is_new = False
            is_strange = self._is_strange(place, name, kind)
            following = self._after_strange(place, kind) if is_strange else self._after(place, name, kind)
            if following is None:
                break
            is_watched = not is_strange and self._watched_names > 0 and self._is_watched(place, name, kind)
            start, self._read, place, name, kind = walk.go_on(
                following, is_known=not self._is_new, is_watched=is_watched, is_strange=is_strange
            )
        return start, place

    def _is_strange(self, place: Place, name: str, kind: int) -> bool:
        """Return whether a token is a leaf with a name that is not learned any more, in an element with a learned name.

        The policy is not asked about such leaves, and what follows does not depend on their names.
        """
        if kind & (LEAF | END_TAG) != LEAF:
            return False
        if not self._names:
            if len(self._learned.completed) < MOST_LEARNED or not self._learned.is_full:
                return False
            self._names = self._learned.all_names() | HTML_VOID
            self._walk.tell(self._names)
        return name not in self._names and place.level.name in self._names

    def _after_strange(self, place: Place, kind: int) -> Place | None:
        following = place.level.after(STRANGE_CHILD)
        return self._after_text(following) if kind & TAIL else following

    def _is_watched(self, place: Place, name: str, kind: int) -> bool:
        """Return whether a token is a tag in an element of its own name that may be doubted for its column (R-035)."""
        return name == place.level.name and not kind & END_TAG and self._policy.watches(name)

    def _is_near(self) -> bool:
        """Return whether the current token is so near the end of the run that the policy would look beyond it.

        Then the run may also end at a section in which another one seems to begin, as the policy looks into it.
        """
        if self._plain_end < 0:
            self._plain_end = self._read + end_of_plain_sections(self._data[self._read : self._end])
            self._near_start = -1
        left = self._plain_end - self._read
        if not WINDOW < left <= _LONGEST_CHARACTER * WINDOW:
            return left <= WINDOW
        if self._near_start < 0:
            self._near_start = _start_of_last(WINDOW, self._data, self._start, self._plain_end)
        return self._read >= self._near_start

    def _after(self, place: Place, name: str, kind: int) -> Place | None:
        """Learn from a token; return the place after it, None if the policy has to be asked."""
        following: Place | None
        if kind & END_TAG:
            following = None if place.level.is_outermost else place.outside()
        elif name:
            following = self._after_start_tag(place, name, kind)
            if following is not None and kind & (LEAF | EMPTY_TAG) == LEAF:
                self._learn_end(name)
                return following
        elif kind & CDATA and not kind & BLANK:
            self._learn_text(place.level)
            following = place.after_text()
        else:
            following = place
        if kind & TEXT and following is not None:
            following = self._after_text(following, ends_next=kind & LEAF > 0)
        if kind & LEAF and following is not None:
            following = following.outside()
            if kind & TAIL:
                following = self._after_text(following)
        if kind & (END_TAG | EMPTY_TAG | LEAF) and following is not None:  # now that the policy need not be asked
            if kind & EMPTY_TAG and self._learned.is_new_empty(name):
                self._is_new = True
                self._learned.learn_empty(name)
            self._learn_end(name)
            if kind & LEAF and kind & END_TAG:
                self._learn_end(name)
        return following

    def _after_text(self, place: Place, *, ends_next: bool = False) -> Place | None:
        """Return the place after text that is not white space, None if the policy has to be asked.

        `ends_next`: whether the end tag of the element comes next.
        """
        return place.after_text() if self._takes_text(place.level, place.last, ends_next=ends_next) else None

    def _takes_text(self, level: Level, last: str | None, *, ends_next: bool) -> bool:
        """Return whether the policy need not be asked about text after a child of an element; see `_after_text`."""
        if not level.is_text_known:
            has_children = last is not None and last != TEXT_CHILD
            is_doubted = self._policy.doubts_text_in(level.name, has_children)
            # The questions about the text of an element that ends right after it: see `Intent.choose_for_text`.
            is_taken = self._is_right or (ends_next and self._is_only_one(level))
            if is_doubted and not is_taken and self._is_near():
                return False
            self._learn_text(level)
        return True

    def _after_start_tag(self, place: Place, name: str, kind: int) -> Place | None:
        """Return the place after a start tag, a leaf, or an empty tag; None if the policy has to be asked."""
        level, learned, policy = place.level, self._learned, self._policy
        parent, last = level.name, place.last
        before = last if last != TEXT_CHILD else None
        is_empty = bool(kind & EMPTY_TAG)
        if parent == name and self._is_for_states(place, before):
            return None
        if policy.doubts_child(parent, before, name, is_empty=is_empty):
            is_near = self._is_near() and not (self._is_in_order(name, kind) or self._is_surely_inside(level, name))
            if is_near or (not is_empty and last != TEXT_CHILD and policy.is_record_in_record(parent, name)):
                self._asked = name, is_empty
                return None
            self._is_new = True
        if (parent, before, name) not in learned.follows:
            self._is_new = True
            learned.learn_name(name)
            learned.learn_content(parent)
            learned.learn_child(parent, before, name)
        if not is_empty and name not in learned.filled and name not in learned.completed:
            self._is_new = True  # no transition yet: the tag is doubted once such an element has ended empty
        if is_empty:
            return level.after(name)
        inner = level.inside(name)
        if not kind & LEAF:
            return inner.after(None)
        if kind & TEXT and not self._takes_text(inner, None, ends_next=True):
            return None
        following = level.after(name)
        return self._after_text(following) if kind & TAIL else following

    def _is_in_order(self, name: str, kind: int) -> bool:
        """Return whether the policy would surely take the draft's reading of a tag, as no error follows.

        False for a tag that may be an empty tag of HTML, or come again at once.
        """
        return self._is_right and (kind & EMPTY_TAG > 0 or (kind & (LEAF | TEXT) > 0 and name not in HTML_VOID))

    def _is_surely_inside(self, level: Level, name: str) -> bool:
        """Return whether the policy would surely take the draft's reading of a tag, as its parent ends (R-006)."""
        parent = level.name
        if parent == name or self._policy.unlike_cost(parent, name):
            return False
        if not self._is_only_one(level):
            return False
        if self._around is None:
            self._around = self._columns_around()
        return self._walk.is_surely_inside(MOST_INSIDE, INSIDE_REACH, self._around)

    def _is_only_one(self, level: Level) -> bool:
        """Return whether surely no outer element has the element's name."""
        name, outer = level.name, level.above
        for _ in range(_MOST_OUTER):
            if outer is None:
                return self._policy.is_innermost_of_its_name(name, _MOST_KNOWN)
            if outer.name == name:
                return False
            outer = outer.above
        return False

    def _learn_text(self, level: Level) -> None:
        name, learned = level.name, self._learned
        if level.is_text_known:
            return
        if learned.is_new(name, TEXT_CHILD) or name not in learned.filled:
            self._is_new = True
            learned.learn_content(name)
            learned.learn_pair(name, TEXT_CHILD)
        else:
            level.is_text_known = True

    def _learn_end(self, name: str) -> None:
        """Learn that an element was closed by its own end tag, or is an empty tag; the count is bounded."""
        if self._learned.completed.get(name, 0) < MANY_RECORDS:
            self._is_new = True
            self._learned.learn_end(name)

    def _is_for_states(self, place: Place, before: str | None) -> bool:
        """Return whether the states have to read a tag in an element of its own name, for its column (R-035)."""
        name = place.level.name
        if self._learned.is_new_triple(name, before, name):
            return True
        return self._policy.watches(name) and self._is_near() and self._walk.is_misplaced()

    def _has_watched_around(self) -> bool:
        """Return whether tags in one of the elements around a run may be watched."""
        indented = self._learned.indented
        return any(element.name in indented for element in self._policy.innermost_elements(MOST_AROUND))

    def _columns_around(self) -> Around:
        elements = self._policy.innermost_elements(MOST_AROUND)
        columns = [column_number(element.indent) for element in reversed(elements)]
        columns += [NO_COLUMN] * (MOST_AROUND - len(columns))
        current = elements[-1]
        return Around(column_number(current.last_indent) if current.children else NO_SIBLING, tuple(columns))

    def _note(self, place: Place) -> tuple[int, list[str]]:
        """Tell the policy the open elements after a part of a run, which are those at `place`.

        Return the number of open elements that end in the part, and the names of those that it opens and does not end.
        """
        outcome = self._walk.outcome()
        ended, columns, innermost, *_, child = outcome
        opened = place.level.innermost(len(columns)) if columns else []
        last = place.last
        if last == STRANGE_CHILD:
            name = _NAME_OF_LEAF.match(self._data, child)
            assert name is not None  # it begins there
            last = name[1].decode()
        self._policy.note_run(outcome, opened, last)
        if opened and place.last is None:
            self._policy.note_attributes(partial(_attributes_at, self._data, innermost, self._limits))
        return ended, opened


def _attributes_at(data: bytes, start: int, limits: Limits | None) -> dict[str, str]:
    tag = _START_TAG.match(data, start)
    assert tag is not None  # it begins there
    return _attributes(tag[0], limits)


def _attributes(tag: bytes, limits: Limits | None) -> dict[str, str]:
    def stands_for(match: re.Match[str]) -> str:
        reference = read_reference(match[0], lambda *_: None, lambda _: False)
        name = reference.name
        if name is None:
            return reference.text
        if name in PREDEFINED:
            return PREDEFINED[name]
        assert limits is not None  # a run has been found
        if expansion := (limits.entities or {}).get(name.encode()):
            return _AMPERSAND.sub(stands_for, expansion.value.decode())
        assert limits.references is not None  # a run may have them
        return limits.references[name.encode()].decode().replace("&amp;", "&")

    text = tag.decode()
    name_of_tag = _NAME_OF_TAG.match(text)
    assert name_of_tag is not None  # it begins so
    attributes: dict[str, str] = {}
    for name, double, single, unquoted in _ATTRIBUTE.findall(text, name_of_tag.end()):
        value = (double or single or unquoted).replace("\n", " ").replace("\t", " ")
        attributes.setdefault(name, _AMPERSAND.sub(stands_for, value))  # of duplicates, the first is kept
    return attributes
