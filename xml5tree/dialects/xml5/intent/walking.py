"""Walks through error-free runs: places in elements, tokens, and the transitions that are known.

A token is a tag, comment, CDATA section or instruction with the text after it; a leaf's end tag and the text after that
are of the same token. A walk goes from token to token as long as there is a transition for the token at its place. Then
somebody else has to find out what the token leads to, and tell. There are two kinds of walk, in Python and in C
(accelerator/walk.h), which come to the same.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from operator import length_hint
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Protocol, cast

from xml5tree.accelerator import compiled
from xml5tree.dialects.xml5.intent.columns import NO_COLUMN, NO_SIBLING, column_at, contradict, number_of
from xml5tree.dialects.xml5.intent.constants import MOST_INDENT
from xml5tree.dialects.xml5.intent.learned import TEXT_CHILD

__all__ = [
    "MOST_AROUND",
    "NOWHERE",
    "Around",
    "CompiledWalk",
    "Level",
    "Outcome",
    "Place",
    "PureWalk",
    "Stop",
    "Walk",
    "end_of_plain_sections",
    "find_markup",
]

_INSIDE: Final = rb"""[^<>"']*+(?:"[^"]*+"[^<>"']*+|'[^']*+'[^<>"']*+)*+"""
#: What follows a "<" in a run that is text.
_AFTER_TEXT: Final = b"\t\n :<>"
_SPACES: Final = b"\t\n "
_TEXT: Final = rb"[^<]*+(?:<(?=[%b])[^<]*+)*+" % _AFTER_TEXT
_NO_TEXT: Final = rb"[\t\n ]*+(?=((?:<(?![%b]))?))" % _AFTER_TEXT
#: A tag, comment, CDATA section or instruction of a run; "<" if no text follows that is not white space; and an end tag
#: of the same name right after the text, as leaves have, with "<" if no text follows that.
_TOKEN: Final = re.compile(
    rb"""<(?:
        (/?)([^\t\n />!?]++)%b(?:((?<=/)>)|>)
        |!(--)(?s:.*?)-->
        |!(\[CDATA\[)[\t\n ]*+((?:\]\]>)?)(?s:.*?)(?:(?<=\]\]>)|\]\]>)
        |\?(?s:.*?)\?>
    )%b%b(?:(<)/\2[\t\n ]*+>%b%b)?"""
    % (_INSIDE, _NO_TEXT, _TEXT, _NO_TEXT, _TEXT),
    re.VERBOSE,
)
#: A section in which another one seems to begin, so that R-020 may doubt where it ends.
_NESTED: Final = re.compile(
    rb"""<!\[CDATA\[ [^]<]*+ (?:(?:\](?!\]>) | <(?!!\[CDATA\[)) [^]<]*+)*+ <!\[CDATA\[
    | <\? [^?<]*+ (?:(?:\?(?!>) | <(?!\?(?!>))) [^?<]*+)*+ <\?""",
    re.VERBOSE,
)

#: How many of the open elements are known around a walk: one more than a run may end. There is the same number in
#: accelerator/walk.h.
MOST_AROUND: Final = 7

#: What is in a token, as the pattern finds it: the solidus and name of a tag; what shows an empty tag, a comment, a
#: CDATA section, one that has only white space, no text after it, the end tag of a leaf, and no text after that. What
#: is not there is empty.
Found = tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes]
#: What is told of a token, besides its name: the same numbers are in accelerator/walk.h.
END_TAG: Final = 1
EMPTY_TAG: Final = 2
COMMENT: Final = 4
CDATA: Final = 8
BLANK: Final = 16  # a CDATA section of white space
INSTRUCTION: Final = 32
TEXT: Final = 64  # text that is not white space comes after it
LEAF: Final = 128  # then the end tag of the same name does
TAIL: Final = 256  # and then such text
#: Where a walk stops: where the token begins for which there is no transition, or which is watched and misplaced, and
#: where it ends, which is the same if the walk has come to its end; the place before it; the name of its tag, "" if it
#: is none, None at the end; and what else is told of it.
Stop = tuple[int, int, "Place", str | None, int]
#: What a walk comes to: how many of the elements that were open before it have ended; the columns of the elements that
#: it has opened and not ended; where the last of them begins, -1 if there is none; the column of the last child of the
#: current element, `NO_SIBLING` if that does not begin in the run; the column of the place where the walk stopped; and
#: whether there were start tags or empty tags. Columns are None where something else is before on the line.
Outcome = tuple[int, list[int | None], int, int | None, int | None, bool]


_NO_PLACES: "Final[Mapping[Found, Place]]" = MappingProxyType({})


class Level:
    """An open element, by its name and the elements around it.

    Attributes:
        above: the element around it; None where that is not known.
        name: its name.
        is_text_known: whether there is nothing to learn from its text, and the policy is not asked about it.
        is_outermost: whether nothing is known of what is around it.
        inner: the levels of elements in it that had no text, by their names, as far as they have been asked for.
    """

    __slots__ = ("_places", "_with_text", "above", "inner", "is_outermost", "is_text_known", "name")

    def __init__(self, above: "Level | None", name: str, has_text: bool) -> None:
        """Set what is known; `has_text`: whether it had text before."""
        self.above = above
        self.name = name
        self.is_text_known = has_text
        self.is_outermost = above is None or above.above is None
        self.inner: dict[str, Level] = {}
        self._with_text: dict[str, Level] = {}
        self._places: dict[str | None, Place] = {}

    def path(self) -> list[str]:
        """The names of the elements that are known to be open, the outermost first."""
        names = []
        level = self
        while level.above is not None:
            names.append(level.name)
            level = level.above
        return names[::-1]

    def innermost(self, count: int) -> list[str]:
        """The names of so many of them."""
        names: list[str] = []
        level: Level | None = self
        while level is not None and len(names) < count:
            names.append(level.name)
            level = level.above
        return names[::-1]

    def inside(self, name: str, has_text: bool = False) -> "Level":
        """The level of an element in this one."""
        levels = self._with_text if has_text else self.inner
        level = levels.get(name)
        if level is None:
            level = levels[name] = Level(self, name, has_text)
        return level

    def after(self, last: str | None) -> "Place":
        """The place after a child, after text and no child (`TEXT_CHILD`), or at the beginning (None)."""
        place = self._places.get(last)
        if place is None:
            place = self._places[last] = Place(self, last)
        return place


class Place(dict[Found, "Place"]):
    """A place in an element, and the places after what may come there with nothing to learn from it.

    Attributes:
        level: the element.
        last: the name of the last child, `TEXT_CHILD` if there is text and no child, None if there is no content.
        number: what the compiled walk calls it; -1: nothing yet.
        watched: where tags lead to that are watched, being of the name of the element (R-035).
    """

    __slots__ = ("last", "level", "number", "watched")

    def __init__(self, level: Level, last: str | None) -> None:
        super().__init__()
        self.level = level
        self.last = last
        self.number = -1
        self.watched: Mapping[Found, Place] = _NO_PLACES

    def outside(self) -> "Place":
        """The place after the element."""
        above = self.level.above
        assert above is not None  # a run ends only elements that are known
        return above.after(self.level.name)

    def after_text(self) -> "Place":
        """The place after text that is not white space."""
        return self if self.last is not None else self.level.after(TEXT_CHILD)


class Around(NamedTuple):
    """The columns of what is around a walk, up to `MOST_INDENT`.

    Attributes:
        child: that of the last child of the current element.
        open_elements: those of the `MOST_AROUND` innermost open elements, the innermost first; `NO_COLUMN` where there
            are fewer.
    """

    child: int
    open_elements: tuple[int, ...]


#: Where nothing is known of columns.
NOWHERE: Final = Around(NO_COLUMN, (NO_COLUMN,) * MOST_AROUND)


class Walk(Protocol):
    """Walks through runs of one document, one after the other."""

    def begin(
        self,
        data: bytes,
        begun: int,
        column: int | None,
        start: int,
        end: int,
        place: Place,
        watched: int,
        around: Around | None,
    ) -> Stop:
        """Walk through a run.

        It ends before a section that the policy has to be asked about.

        Args:
            data: what the run is in.
            begun: where it begins.
            column: the column of that; None where something else is before on its line.
            start: where its first tag or the like begins.
            end: where it ends.
            place: the place before the first tag or the like.
            watched: the walk also stops at a tag that is watched, if the token ends after this place, and columns say
                that the tag is not in this element (R-035).
            around: the columns of what is around it; None: nothing is known of them.
        """

    def go_on(self, following: Place, *, is_known: bool, is_watched: bool) -> Stop:
        """Walk on after the token that it stopped at.

        Args:
            following: the place after that.
            is_known: whether this is to be a transition.
            is_watched: whether the token is a tag that is to be watched.
        """

    def is_misplaced(self) -> bool:
        """Whether columns say that the tag at which it stopped is not in the current element."""

    def is_surely_inside(self, most: int, reach: int, around: Around) -> bool:
        """Whether the tag at which it stopped surely is in the current element, as the draft reads it.

        That is so if the element ends in the run, and the columns of tags do not say otherwise. False: it is not known.

        Args:
            most: how many tags later it ends at most.
            reach: in how many bytes at most.
            around: the columns of what is around the run.
        """

    def outcome(self) -> Outcome:
        """What has come of it, up to where it stopped."""


class _Trail:
    """What a walk has passed, token by token.

    Attributes:
        opened: where the elements begin that it has opened and not ended.
        ended: how many of the elements that were open before it are ended.
        child: where the last child of the current element begins; -1: not in the run.
        has_start_tag: whether there were start tags or empty tags.
    """

    def __init__(self, data: bytes, begun: int, column: int | None, around: Around) -> None:
        self._data = data
        self._begun = begun
        self._start_column = column
        self._around = around
        self.opened: list[int] = []
        self.ended = 0
        self.child = -1
        self.has_start_tag = False

    def pass_token(self, index: int, token: Found) -> None:
        """Pass the token that begins at an index."""
        solidus, name, empty, _, _, _, _, end, _ = token
        if solidus:
            self._end_element()
        elif name:
            self.has_start_tag = True
            if empty:
                self.child = index
            else:
                self.child = -1
                self.opened.append(index)
        if end:
            self._end_element()

    def _end_element(self) -> None:
        if self.opened:
            self.child = self.opened.pop()
        else:
            self.child = -1
            self.ended += 1

    def is_misplaced(self, index: int) -> bool:
        """Whether columns say that a tag is not in the current element."""
        return contradict(self._column(index), self._column_of_parent(), self._column_of_child())

    def _column_of_parent(self) -> int:
        """The column of the current element."""
        if self.opened:
            return self._column(self.opened[-1])
        return self._around.open_elements[self.ended] if self.ended < MOST_AROUND else NO_COLUMN

    def _column_of_child(self) -> int:
        """The column of the last child of the current element."""
        if self.child >= 0:
            return self._column(self.child)
        if self.opened:
            return NO_SIBLING
        if self.ended:
            return self._around.open_elements[self.ended - 1] if self.ended <= MOST_AROUND else NO_COLUMN
        return self._around.child

    def _column(self, index: int) -> int:
        begun, column = self._begun, self._start_column
        if index - begun > MOST_INDENT:
            begun, column = index - MOST_INDENT - 1, None
        return number_of(column_at(self._data, begun, index, column))


class PureWalk:
    """See `Walk`; the transitions are in the places."""

    def __init__(self) -> None:
        self._data = b""
        self._begun = 0
        self._column: int | None = None  # of that place
        self._start = 0  # where the first token begins
        self._end = 0  # of the run
        self._limit = 0  # the walk ends here
        self._text = b""  # what the tokens are found in, with a "<" at its end
        self._text_start = 0  # where that begins
        self._watched = 0
        self._level = Level(None, "", False)
        self._tokens: list[Found] = []
        self._coming: Iterator[Found] = iter(())
        self._matches: Iterator[tuple[int, re.Match[bytes]]] = iter(())
        self._stop: tuple[int, int, Place, Found | None] = (0, 0, Place(self._level, None), None)
        self._around = NOWHERE
        self._is_watching = False  # whether there are transitions of tags that are watched
        self._trail: _Trail | None = None  # then; it ends at the last token for which there is no other transition

    def begin(
        self,
        data: bytes,
        begun: int,
        column: int | None,
        start: int,
        end: int,
        place: Place,
        watched: int,
        around: Around | None,
    ) -> Stop:
        """See `Walk`."""
        if data is self._data and end == self._end and self._stop[0] < start <= self._stop[1]:
            self._tokenize_again(start)
        else:
            self._tokenize(data, start, end)
        self._data, self._begun, self._column, self._start, self._end = data, begun, column, start, end
        self._level, self._watched, self._around = place.level, watched, around or NOWHERE
        self._coming = iter(self._tokens)
        self._matches = enumerate(_TOKEN.finditer(self._text, start - self._text_start))
        self._trail = _Trail(data, begun, column, self._around) if self._is_watching else None
        self._walk(place)
        return self._told()

    def _tokenize(self, data: bytes, start: int, end: int) -> None:
        """Find the tokens of a run."""
        text = data[start:end]
        limit = end_of_plain_sections(text)
        self._text_start, self._limit = start, start + limit
        self._text = text[:limit] + b"<"
        self._tokens = _TOKEN.findall(self._text)

    def _tokenize_again(self, start: int) -> None:
        """Find the tokens from a place on that is in the token at which the walk stopped, or after it.

        Those that it has found are kept, from the first on that begins where another one ends. That is the next, unless
        an end tag of the same name comes after that of a leaf: then both are of one token if the leaf's start tag is
        not. To find all tokens again each time would take quadratic time where many tags of a run are doubted.
        """
        place, ends, found = start, self._stop[1], []
        count = self._passed_count() + 1
        matches = _TOKEN.finditer(self._text, start - self._text_start)
        while place != ends:
            if place < ends:
                match = next(matches)
                place = self._text_start + match.end()
                found.append(cast("Found", match.groups(b"")))
            else:
                ends = self._text_start + next(self._matches)[1].end()
                count += 1
        self._tokens[:count] = found

    def _passed_count(self) -> int:
        """How many tokens are before the one at which the walk has stopped."""
        return len(self._tokens) - length_hint(self._coming) - 1

    def go_on(self, following: Place, *, is_known: bool, is_watched: bool) -> Stop:
        """See `Walk`."""
        start, _, place, token = self._stop
        assert token is not None  # else there is nothing to go on after
        if is_known and is_watched:
            place.watched = {**place.watched, token: following}
            if self._trail is None:
                self._is_watching = True
                self._trail = self._trail_so_far()
        elif is_known:
            place[token] = following
        if self._trail is not None:
            self._trail.pass_token(start, token)
        self._walk(following)
        return self._told()

    def _told(self) -> Stop:
        """Where it has stopped, as it is told."""
        start, end, place, token = self._stop
        if token is None:
            return start, end, place, None, 0
        solidus, name, empty, comment, cdata, blank, no_text, end_tag, no_tail = token
        kind = 0 if name else COMMENT if comment else CDATA if cdata else INSTRUCTION
        shown = ((solidus, END_TAG), (empty, EMPTY_TAG), (blank, BLANK), (not no_text, TEXT), (end_tag, LEAF))
        kind += sum(number for is_there, number in shown if is_there)
        if end_tag and not no_tail:
            kind += TAIL
        return start, end, place, name.decode(), kind

    def is_misplaced(self) -> bool:
        """See `Walk`."""
        return (self._trail or self._trail_so_far()).is_misplaced(self._stop[0])

    def is_surely_inside(self, most: int, reach: int, around: Around) -> bool:
        """See `Walk`; it is known only of a tag right after something else than white space.

        Columns of other tags are not looked at, as the run would have to be read again for them.
        """
        start = self._stop[0]
        is_after_something = self._data[start - 1] not in _SPACES if start > self._begun else self._column is None
        if not is_after_something:
            return False
        place = start - self._text_start
        last = place + reach
        depth = number = 0
        for match in islice(_TOKEN.finditer(self._text, place, last + 1), most + 1):
            if match.start() != place or match.end() > last:  # a token that ends later is cut off, or none
                return False
            place = match.end()
            solidus, name, empty, *_, end_tag, _ = match.groups()
            if name:
                depth += -1 if solidus else not empty
                number += 1
            if end_tag and depth >= 0:
                depth -= 1
                number += 1
            if depth < 0:
                return number <= most + 1
        return False

    def _trail_so_far(self) -> _Trail:
        """What has been passed of this run."""
        trail = _Trail(self._data, self._begun, self._column, self._around)
        for match in _TOKEN.finditer(self._data, self._start, self._stop[0]):
            trail.pass_token(match.start(), cast("Found", match.groups(b"")))
        return trail

    def _walk(self, place: Place) -> None:
        while True:
            try:
                for token in self._coming:
                    place = place[token]
            except KeyError:
                index = self._passed_count()
                token = self._tokens[index]
                start, end = self._pass_up_to(index)
                self._stop = start, end, place, token
                trail, following = self._trail, place.watched.get(token)
                if trail is None or following is None or (end > self._watched and trail.is_misplaced(start)):
                    return
                trail.pass_token(start, token)
                place = following
            else:
                self._stop = self._limit, self._limit, place, None
                return

    def _pass_up_to(self, index: int) -> tuple[int, int]:
        """Pass the tokens up to one that is looked at: where that begins and ends."""
        for number, match in self._matches:
            start = self._text_start + match.start()
            if number == index:
                break
            if self._trail is not None:
                self._trail.pass_token(start, self._tokens[number])
        return start, self._text_start + match.end()

    def outcome(self) -> Outcome:
        """See `Walk`."""
        stopped = self._stop[0]
        ended, starts, child, has_start_tag = self._passed()
        return (
            ended,
            [self._column_at(start) for start in starts],
            starts[-1] if starts else -1,
            self._column_at(child) if child >= 0 else NO_SIBLING,
            self._column_at(stopped),
            has_start_tag,
        )

    def _passed(self) -> tuple[int, list[int], int, bool]:
        """How many elements have ended, and where those begin that it has opened, and the last child; see `Outcome`."""
        stopped, end, place, _ = self._stop
        trail = self._trail
        if trail is not None and stopped < end:
            return trail.ended, trail.opened, trail.child, trail.has_start_tag
        text = self._data[self._start : stopped]
        has_come_to_its_end = stopped == end
        tokens = self._tokens if has_come_to_its_end else self._tokens[: self._passed_count()]
        open_names = self._level.path()
        kept = _surely_open(text, open_names)
        depth = len(place.level.path())
        child, starts = _last_starts(text, tokens, depth - kept)
        return (
            len(open_names) - (depth - len(starts)),
            [self._start + index for index in starts],
            self._start + child if child >= 0 else -1,
            any(name and not solidus for solidus, name, *_ in tokens),
        )

    def _column_at(self, index: int) -> int | None:
        return column_at(self._data, self._begun, index, self._column)


class CompiledWalk:
    """See `Walk`; the transitions are in C, where places are numbers."""

    def __init__(self) -> None:
        assert compiled is not None  # else there is no such walk
        self._compiled: Any = compiled
        self._automaton = compiled.make_automaton()
        self._places: list[Place] = []
        self._data = b""
        self._limit = 0
        self._start = 0
        self._watched = 0
        self._place = 0

    def begin(
        self,
        data: bytes,
        begun: int,
        column: int | None,
        start: int,
        end: int,
        place: Place,
        watched: int,
        around: Around | None,
    ) -> Stop:
        """See `Walk`."""
        self._data, self._limit, self._watched = data, end, watched
        number = self._number_of(place)
        return self._stop_at(
            self._compiled.begin_walk(self._automaton, data, start, end, watched, number, begun, column, around)
        )

    def go_on(self, following: Place, *, is_known: bool, is_watched: bool) -> Stop:
        """See `Walk`."""
        kind = is_known + (is_known and is_watched)
        into = self._number_of(following)
        return self._stop_at(
            self._compiled.walk_on(
                self._automaton, self._data, self._start, self._limit, self._watched, self._place, into, kind
            )
        )

    def _stop_at(self, stop: tuple[int, int, int, str | None, int]) -> Stop:
        self._start, end, self._place, name, kind = stop
        return self._start, end, self._places[self._place], name, kind

    def is_misplaced(self) -> bool:
        """See `Walk`."""
        found: bool = self._compiled.is_misplaced(self._automaton, self._data, self._start)
        return found

    def is_surely_inside(self, most: int, reach: int, around: Around) -> bool:
        """See `Walk`."""
        found: bool = self._compiled.is_surely_inside(
            self._automaton, self._data, self._start, self._limit, most, reach, around
        )
        return found

    def outcome(self) -> Outcome:
        """See `Walk`."""
        outcome: Outcome = self._compiled.walked(self._automaton, self._data, self._start)
        return outcome

    def _number_of(self, place: Place) -> int:
        if place.number < 0:
            place.number = len(self._places)
            self._places.append(place)
        return place.number


def find_markup(data: bytes, start: int, end: int) -> int:
    """Where the first markup of a part of a run begins; its end if there is none. Other "<" are text."""
    index = data.find(b"<", start, end)
    while index >= 0 and (index + 1 == end or data[index + 1] in _AFTER_TEXT):
        index = data.find(b"<", index + 1, end)
    return index if index >= 0 else end


def end_of_plain_sections(text: bytes) -> int:
    """Where the first CDATA section or instruction of a run begins in which another one seems to; else its end."""
    if (b"<?" in text or b"<![CDATA[" in text) and _NESTED.search(text):  # but perhaps in a comment
        for match in _TOKEN.finditer(text + b"<"):
            if _NESTED.match(text, match.start()):
                return match.start()
    return len(text)


def _surely_open(text: bytes, names: list[str]) -> int:
    """How many of the elements of these names, which were open before a run, surely are open after it."""
    kept = len(names)
    while kept and f"</{names[kept - 1]}".encode() in text:
        kept -= 1
    return kept


def _last_starts(text: bytes, tokens: list[Found], most: int) -> tuple[int, list[int]]:
    """Where the last tags begin that show what is open after the tokens.

    Args:
        text: the tokens' source.
        tokens: the tokens.
        most: how many elements they may have opened that they do not end.

    Returns:
        Where the last child of the current element begins, -1 if it does not begin here, and where the elements begin
        that are opened.
    """
    child = -1
    starts: list[int] = []
    ended = 0
    index = len(text)
    for solidus, name, empty, comment, cdata, _, _, end, _ in reversed(tokens):
        if end:
            ended += 1
            index = text.rfind(b"</", 0, index)
        opening = b"<" + solidus + name if name else b"<!--" if comment else b"<![CDATA[" if cdata else b"<?"
        index = text.rfind(opening, 0, index)
        if text.startswith(b"<?>", index):  # it is how an instruction ends
            index = text.rfind(opening, 0, index)
        if solidus:
            ended += 1
        elif name:
            if not empty and not ended:
                starts.append(index)
            elif child < 0 and not starts and ended == (0 if empty else 1):
                child = index
            if not empty and ended:
                ended -= 1
        if len(starts) == most and (child >= 0 or starts):
            break
    starts.reverse()
    return child, starts
