"""The walk in Python, which finds tokens by a pattern; its transitions are in the places."""

import re
from collections.abc import Iterator, Set
from itertools import islice
from operator import length_hint
from typing import Final, cast

from xml5tree.dialects.xml5.intent.columns import NO_COLUMN, NO_SIBLING, column_at, column_number, contradict
from xml5tree.dialects.xml5.intent.constants import MOST_INDENT
from xml5tree.dialects.xml5.intent.walking.contract import MOST_AROUND, NOWHERE, Around, Outcome, Part, Stop
from xml5tree.dialects.xml5.intent.walking.places import Level, Place
from xml5tree.dialects.xml5.intent.walking.tokens import TOKEN, Token, end_of_plain_sections, kind_of

__all__ = ["PureWalk"]

_SPACES: Final = b"\t\n "


class _Trail:
    """The tokens that a walk has passed, reduced to their effect.

    `opened` has the indices of the elements that it has opened and not ended; `ended` counts the elements ended that
    were open before; `child` is the index of the current element's last child, -1 if it is not in the run.
    """

    def __init__(self, part: Part, around: Around) -> None:
        self._part = part
        self._around = around
        self.opened: list[int] = []
        self.ended = 0
        self.child = -1
        self.has_start_tag = False

    def pass_token(self, index: int, token: Token) -> None:
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
        return contradict(self._column(index), self._column_of_parent(), self._column_of_child())

    def _column_of_parent(self) -> int:
        if self.opened:
            return self._column(self.opened[-1])
        return self._around.open_elements[self.ended] if self.ended < MOST_AROUND else NO_COLUMN

    def _column_of_child(self) -> int:
        if self.child >= 0:
            return self._column(self.child)
        if self.opened:
            return NO_SIBLING
        if self.ended:
            return self._around.open_elements[self.ended - 1] if self.ended <= MOST_AROUND else NO_COLUMN
        return self._around.child

    def _column(self, index: int) -> int:
        data, start, column, *_ = self._part
        if index - start > MOST_INDENT:
            start, column = index - MOST_INDENT - 1, None
        return column_number(column_at(data, start, index, column))


class PureWalk:
    """See `Walk`; the transitions are in the places."""

    def __init__(self) -> None:
        self._part = Part(b"", 0, None, 0, 0)
        self._limit = 0  # the walk ends here
        self._text = b""  # what the tokens are found in, with a "<" at its end
        self._text_start = 0  # where that begins
        self._watched = 0
        self._level = Level(None, "", False)
        self._tokens: list[Token] = []
        self._coming: Iterator[Token] = iter(())
        self._matches: Iterator[tuple[int, re.Match[bytes]]] = iter(())
        self._stop: tuple[int, int, Place, Token | None] = (0, 0, Place(self._level, None), None)
        self._around = NOWHERE
        self._is_watching = False  # whether there are transitions of watched tags
        self._trail: _Trail | None = None  # only if so: the tokens up to the last one without an ordinary transition
        self.missed = 0

    def tell(self, names: Set[str]) -> None:
        """See `Walk`; this one stops at each strange leaf."""

    def begin(self, part: Part, place: Place, watched: int, around: Around | None) -> Stop:
        """See `Walk`."""
        before, first = self._part, part.first
        if part.data is before.data and part.end == before.end and self._stop[0] < first <= self._stop[1]:
            self._tokenize_again(first)
        else:
            self._tokenize(part)
        self._part, self._level, self._watched, self._around = part, place.level, watched, around or NOWHERE
        self._coming = iter(self._tokens)
        self._matches = enumerate(TOKEN.finditer(self._text, first - self._text_start))
        self._trail = _Trail(part, self._around) if self._is_watching else None
        self._walk(place)
        return self._told()

    def _tokenize(self, part: Part) -> None:
        text = part.data[part.first : part.end]
        limit = end_of_plain_sections(text)
        self._text_start, self._limit = part.first, part.first + limit
        self._text = text[:limit] + b"<"
        self._tokens = TOKEN.findall(self._text)

    def _tokenize_again(self, start: int) -> None:
        """Find the tokens again from a place in the token at which the walk has stopped, or after it.

        Finding all tokens of the run again would take quadratic time where many of its tags are doubted. So tokens are
        found only up to a place where an earlier one ends; from there on, the earlier ones are kept. Mostly that is the
        next token. An exception: the tokens of `<a>x</a></a>` are `<a>x</a>` and `</a>`, but after `<a>`, both end tags
        are one token.
        """
        place, ends, found = start, self._stop[1], []
        count = self._passed_count() + 1
        matches = TOKEN.finditer(self._text, start - self._text_start)
        while place != ends:
            if place < ends:
                match = next(matches)
                place = self._text_start + match.end()
                found.append(cast("Token", match.groups(b"")))
            else:
                ends = self._text_start + next(self._matches)[1].end()
                count += 1
        self._tokens[:count] = found

    def _passed_count(self) -> int:
        return len(self._tokens) - length_hint(self._coming) - 1

    def go_on(self, following: Place, *, is_known: bool, is_watched: bool, is_strange: bool = False) -> Stop:
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
        start, end, place, token = self._stop
        if token is None:
            return start, end, place, None, 0
        self.missed += 1
        return start, end, place, token[1].decode(), kind_of(token)

    def is_misplaced(self) -> bool:
        """See `Walk`."""
        return (self._trail or self._trail_so_far()).is_misplaced(self._stop[0])

    def is_surely_inside(self, most: int, reach: int, around: Around) -> bool:
        """See `Walk`; known only of a tag right after something else than white space.

        Columns of other tags are not looked at, as the run would have to be read again for them.
        """
        start = self._stop[0]
        part = self._part
        is_after_something = part.data[start - 1] not in _SPACES if start > part.start else part.column is None
        if not is_after_something:
            return False
        place = start - self._text_start
        last = place + reach
        depth = number = 0
        for match in islice(TOKEN.finditer(self._text, place, last + 1), most + 1):
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
        trail = _Trail(self._part, self._around)
        for match in TOKEN.finditer(self._part.data, self._part.first, self._stop[0]):
            trail.pass_token(match.start(), cast("Token", match.groups(b"")))
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
        """Pass the tokens up to the current one; return its span."""
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
            child,
        )

    def _passed(self) -> tuple[int, list[int], int, bool]:
        """Return how many elements have ended, the indices of those opened, and the last child; see `Outcome`."""
        stopped, end, place, _ = self._stop
        trail = self._trail
        if trail is not None and stopped < end:
            return trail.ended, trail.opened, trail.child, trail.has_start_tag
        first = self._part.first
        text = self._part.data[first:stopped]
        has_come_to_its_end = stopped == end
        tokens = self._tokens if has_come_to_its_end else self._tokens[: self._passed_count()]
        open_names = self._level.path()
        kept = _surely_open(text, open_names)
        depth = len(place.level.path())
        child, starts = _last_starts(text, tokens, depth - kept)
        return (
            len(open_names) - (depth - len(starts)),
            [first + index for index in starts],
            first + child if child >= 0 else -1,
            any(name and not solidus for solidus, name, *_ in tokens),
        )

    def _column_at(self, index: int) -> int | None:
        return column_at(self._part.data, self._part.start, index, self._part.column)


def _surely_open(text: bytes, names: list[str]) -> int:
    """Return how many elements, open before a run and with these names, surely are open after it."""
    kept = len(names)
    while kept and f"</{names[kept - 1]}".encode() in text:
        kept -= 1
    return kept


def _last_starts(text: bytes, tokens: list[Token], most: int) -> tuple[int, list[int]]:
    """Return the indices of the last tags that show the open elements after the tokens.

    Return that of the last child of the current element, -1 if it does not begin here, and those of the opened
    elements, of which there are `most` at most. `text` is the source of the tokens.
    """
    child = -1
    starts: list[int] = []
    ended = 0
    index = len(text)
    for solidus, name, empty, comment, cdata, _, _, end, _ in reversed(tokens):
        if end:  # of a leaf
            ended += 1
            index = text.rfind(b"</", 0, index)
        opening = b"<" + solidus + name if name else b"<!--" if comment else b"<![CDATA[" if cdata else b"<?"
        index = text.rfind(opening, 0, index)
        if text.startswith(b"<?>", index):  # it is how an instruction ends
            index = text.rfind(opening, 0, index)
        if solidus:
            ended += 1
        elif name:
            if not empty and not ended:  # nothing that comes later ends the element
                starts.append(index)
            elif child < 0 and not starts and ended == (0 if empty else 1):  # the last child of the current element
                child = index
            if not empty and ended:  # the start tag for an end tag that comes later
                ended -= 1
        if len(starts) == most and (child >= 0 or starts):
            break
    starts.reverse()
    return child, starts
