"""Reading ahead by the compiled part of the library: what `ahead` says, faster.

The windows of doubtful tokens that come soon one after the other overlap, so the tags of the text ahead are read once
and kept. What a token is depends on where it begins, and on nothing before that. So a window has tags in common with
earlier ones as soon as a token begins at the same place in both. Tokens near the end of a window might be others if
more followed; these are read by the pattern, and only hold for windows that end there.
"""

import re
import sys
from collections.abc import Sequence
from os import urandom
from typing import Final

from xml5tree.accelerator import _scan
from xml5tree.dialects.xml5.intent.ahead import Ahead
from xml5tree.dialects.xml5.intent.constants import (
    AROUND,
    DOUBTFUL,
    INSIDE_REACH,
    MOST_AFTER_ROOT,
    MOST_EVIDENCE,
    MOST_INSIDE,
    MOST_OPEN,
    MOST_TAGS,
    NEW_PAIR,
    WINDOW,
)
from xml5tree.dialects.xml5.intent.learned import Learned
from xml5tree.dialects.xml5.intent.simulation import UNIT, Begun, Outcome
from xml5tree.dialects.xml5.intent.window import TEXT_RUN, TOKEN, Tag, Window, read_token
from xml5tree.dialects.xml5.lexis import HTML_VOID, NAME_START
from xml5tree.xml.nearness import is_near

__all__ = ["CompiledAhead", "CompiledWindow"]

#: Stands for a token that is passed over.
_NO_TAG: Final = 4
#: What begins with "<", and neither a section nor a name follows.
_NAMELESS: Final = re.compile(rf"<(?:/[\t\n ]*+)?(?!{NAME_START})[^\t\n />!?]")
#: How many characters of a window are read at first, or more than were looked at last: most readings are settled there.
_FIRST_PART: Final = 4096
#: How many tags are listed at first; then ever more.
_FIRST_BATCH: Final = 4


class CompiledWindow(Window):
    """A window whose tags are shared with others.

    Attributes:
        begins_with_text: whether text is before its first token.
        first: where its first token begins in the document, or the window ends if there is none.
        end: where it ends.
    """

    __slots__ = ("_ahead", "_last", "_part", "begins_with_text", "end", "first")

    def __init__(self, ahead: "CompiledAhead", text: str, start: int, stop: int, at_end: bool, offset: int) -> None:
        """See `Window`."""
        super().__init__(text, start, stop, at_end, offset)
        first = text.find("<", start, stop)
        self.begins_with_text = bool(self.tags)  # no others have been read so far
        self.end = offset + stop - start
        self.first = offset + first - start if first >= 0 else self.end
        self._ahead = ahead
        self._part = _FIRST_PART  # how many characters are read next
        self._batch = _FIRST_BATCH  # how many tags are listed next
        self._last = self.first - 1  # where the last token begins whose tags are in the list

    @property
    def base(self) -> int:
        """Where the text begins in the document."""
        return self.offset - self.start

    def note_place(self, offset: int) -> None:
        """Note that the tags up to a place in the document have been looked at."""
        self._looked = max(self._looked, offset - self.base)

    def _read_some(self) -> None:
        """See `Window`."""
        is_complete = self._ahead.read(self, self._part)
        most = self._batch
        tags = self._ahead.tags_after(self._last, most)
        if tags and self._number + len(tags) <= MOST_TAGS:
            self._take(tags)
        else:
            for tag in tags:
                if tag[2] > self._last and self._number >= MOST_TAGS:
                    self._is_read = True
                    self._at_end = self._at_end and self._reached >= self.stop
                    return
                self._take([tag])
        if len(tags) >= most:
            self._batch *= 2
            return
        self._part = WINDOW
        if is_complete:
            self._is_read = True
            if self._number < MOST_TAGS:
                self._reached = self.stop
            self._at_end = self._at_end and self._reached >= self.stop

    def _take(self, tags: list[tuple[int, str, int, int]]) -> None:
        """Take some tags, at least one."""
        base = self.base
        _, _, self._last, end = tags[-1]
        self._reached = end - base
        shown = [tag for tag in tags if tag[0] != _NO_TAG]
        self.tags += [(kind, name) for kind, name, _, _ in shown]
        self._ends += [end - base for _, _, _, end in shown]
        self._number += len([tag for tag in shown if tag[0] != TEXT_RUN])

    def all(self) -> list[Tag]:
        """See `Window`."""
        self._batch = max(self._batch, MOST_TAGS)
        return super().all()


class CompiledAhead(Ahead):
    """See `Ahead`."""

    def __init__(self, learned: Learned) -> None:
        """See `Ahead`."""
        self._tags = _scan.open_tags(int.from_bytes(urandom(8), sys.byteorder))
        self._reached = 0  # the place in the document where reading goes on
        self._end = -1  # where the windows end for which the tags beyond that place were read; -1: there are none
        self._size = _FIRST_PART  # how many characters are read first where the next readings are compared
        self._facts = (learned.pairs, learned.filled, learned.completed, HTML_VOID, learned.names, is_near)
        super().__init__(learned)

    def window(self, text: str, start: int, stop: int, at_end: bool, offset: int) -> Window:
        """See `Ahead`."""
        window = CompiledWindow(self, text, start, stop, at_end, offset)
        if not _scan.drop_tags(self._tags, window.first):
            self._begin(window.first)
        return window

    def _begin(self, place: int) -> None:
        """Read from a place on, with no tags kept."""
        _scan.drop_tags(self._tags, sys.maxsize)
        self._reached, self._end = place, -1

    def compare(self, readings: Sequence[Begun], window: Window) -> list[Outcome]:
        """See `Ahead`."""
        assert isinstance(window, CompiledWindow)
        begun = tuple(readings)
        first = window.first
        result = None
        size = self._size
        while result is None:
            is_complete = self.read(window, size)
            view = (first, window.end, window.begins_with_text, is_complete, window.may_end_document)
            result = _scan.compare_readings(self._tags, view, begun, self._facts, _NUMBERS)
            size = WINDOW
        looked, outcomes = result
        window.note_place(looked)
        self._size = max(looked - first, 0) + _FIRST_PART
        return outcomes

    def ended_names(self, window: Window) -> set[str]:
        """See `Ahead`."""
        assert isinstance(window, CompiledWindow)
        self.read(window, WINDOW)
        names, reached, are_all = _scan.list_end_names(self._tags, window.first, MOST_TAGS)
        window.note_place(window.end if are_all else reached)
        return names

    def has_fault(self, window: Window, stack: Sequence[str], forced: Sequence[str]) -> bool:
        """See `Ahead`."""
        assert isinstance(window, CompiledWindow)
        found = None
        size = _FIRST_PART
        while found is None:
            is_complete = self.read(window, size)
            found = _scan.find_fault(self._tags, window.first, is_complete, stack, forced, MOST_OPEN)
            size = WINDOW
        return found

    def ends_rightly(self, window: Window, outer: str, inner: Sequence[str]) -> bool:
        """See `Ahead`."""
        assert isinstance(window, CompiledWindow)
        found = None
        size = _FIRST_PART
        while found is None:
            view = (window.first, window.offset + INSIDE_REACH, self.read(window, size))
            found = _scan.ends_rightly(self._tags, view, MOST_INSIDE, outer, inner)
            size = WINDOW
        return found

    def read(self, window: CompiledWindow, size: int) -> bool:
        """Read the tags of a window's first `size` characters; return whether none can follow."""
        end = window.end
        if self._end not in {-1, end}:
            _scan.cut_tags(self._tags)
            self._end = -1
        if window.first > self._reached or self._reached > end or not self._has_read(window.first):
            self._begin(window.first)
        if self._end == end:
            return True
        stop = min(end, window.first + size)
        if self._reached < stop or stop == end:
            data = window.text[self._reached - window.base : stop - window.base].encode()
            place, self._reached = _scan.read_tags(self._tags, data, 0, self._reached, True)
            if stop == end:
                self._read_end(window, data, place)
                self._end = end
        return stop == end

    def _has_read(self, first: int) -> bool:
        """Return whether the tags from a place on are there, or come next."""
        return first == self._reached or _scan.has_tag(self._tags, first)

    def _read_end(self, window: CompiledWindow, data: bytes, place: int) -> None:
        """Read the tokens that might be others if the text went on, or begin as only Python knows that names do not."""
        base, offset = window.base, self._reached
        is_exact = True
        while place < len(data):
            match = TOKEN.match(window.text, offset - base, window.stop)
            assert match is not None  # a "<" is here
            end = base + match.end()
            for kind, name in read_token(match) or ((_NO_TAG, ""),):
                _scan.add_tag(self._tags, offset, end, kind, name)
            place += len(match[0].encode())
            is_exact = is_exact and _is_nameless(match, window.stop)
            place, offset = _scan.read_tags(self._tags, data, place, end, is_exact)
            if is_exact:
                self._reached = offset

    def tags_after(self, place: int, most: int) -> list[tuple[int, str, int, int]]:
        """Return up to `most` tags whose tokens begin after a place, and where these tokens begin and end."""
        return _scan.list_tags(self._tags, place + 1, most)


def _is_nameless(match: re.Match[str], stop: int) -> bool:
    """Return whether a token has no name, and its end before the window's, so that it is the same whatever follows."""
    is_ended = match.end() < stop and (match["other"] is None or not match[0].startswith("</"))
    return is_ended and _NAMELESS.match(match.string, match.start()) is not None


#: What the comparison has to know of the numbers of the policy, costs in units of `UNIT`.
_NUMBERS: Final = (
    MOST_TAGS,
    MOST_EVIDENCE,
    MOST_AFTER_ROOT,
    UNIT,
    round(UNIT * NEW_PAIR),
    round(UNIT * DOUBTFUL),
    AROUND,
)
