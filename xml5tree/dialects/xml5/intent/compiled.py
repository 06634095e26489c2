"""Look-ahead in C: the answers of `ahead`, faster.

Windows of doubtful tokens overlap, so the tags ahead are read once and kept. No token depends on the text before it, so
two windows have the same tags from the first place on where both begin a token. If no kept token begins at the first
"<" of a window, all tags are read anew. Tokens near the end of a window might change if more text followed. The pattern
reads these, and they hold only for windows that end there.
"""

import re
import sys
from collections.abc import Callable, Sequence
from os import urandom
from typing import Any, Final, cast

from xml5tree.accelerator import _scan
from xml5tree.dialects.xml5.intent.ahead import Ahead
from xml5tree.dialects.xml5.intent.constants import (
    AROUND,
    DOUBTFUL,
    INSIDE_REACH,
    MOST_AFTER_ROOT,
    MOST_DOUBTS,
    MOST_EVIDENCE,
    MOST_INSIDE,
    MOST_TAGS,
    NEW_PAIR,
)
from xml5tree.dialects.xml5.intent.learned import Learned
from xml5tree.dialects.xml5.intent.simulation import UNIT, Begun, Outcome
from xml5tree.dialects.xml5.intent.window import TEXT_RUN, TOKEN, Tag, Window, read_token
from xml5tree.dialects.xml5.lexis import HTML_VOID, NAME_START

__all__ = ["CompiledAhead", "CompiledWindow"]

#: Stands for a token that is passed over.
_NO_TAG: Final = 4
#: A "<" followed by neither a section nor a name or number.
_NAMELESS: Final = re.compile(rf"<(?:/[\t\n ]*+)?(?!{NAME_START})[^\t\n />!?0-9]")
#: What follows a "<" that begins no tag, and white space.
_NO_TAG_FOLLOWS: Final = frozenset(("!", "?", "\t", "\n", " "))
#: The characters of a window that are read first; for a comparison, the characters beyond those that the last one has
#: looked at. They decide most questions.
_FIRST_PART: Final = 4096
#: The characters that are read if the first ones do not decide.
_ALL: Final = sys.maxsize
#: The tags that are listed at first; then twice as many each time.
_FIRST_BATCH: Final = 4


class CompiledWindow(Window):
    """A window whose tags are shared with others."""

    __slots__ = ("_ahead", "_last", "_part", "begins_with_text", "end", "first", "is_read_since")

    def __init__(
        self, ahead: "CompiledAhead", text: str, start: int, stop: int, at_end: bool, offset: int, most_tags: int
    ) -> None:
        super().__init__(text, start, stop, at_end, offset, most_tags)
        self.begins_with_text = bool(self.tags)  # no others have been read so far
        self.end = offset + stop - start
        self.first = offset + self._first - start  # the offset of its first token, or of its end
        # if the shared tags are all the tags of the window: the number of their last change; else -1
        self.is_read_since = -1
        self._ahead = ahead
        self._part = _FIRST_PART  # how many characters are read next
        self._batch = _FIRST_BATCH  # how many tags are listed next
        self._last = self.first - 1  # where the last token begins whose tags are in the list

    @property
    def base(self) -> int:
        return self.offset - self.start

    def note_place(self, offset: int) -> None:
        self._looked = max(self._looked, offset - self.base)

    def first_of(self, *kinds: int) -> Tag | None:
        mask = sum([1 << kind for kind in kinds])
        kind, name, looked = self._ahead.ask(self, _FIRST_PART, _scan.first_tag, self.most_tags, mask)
        self.note_place(looked)
        return None if kind < 0 else (kind, name)

    def end_of_element(self, name: str, most: int, level: int = 0) -> str:
        found, looked = self._ahead.ask(self, _FIRST_PART, _scan.end_of_element, self.most_tags, name, most, level)
        self.note_place(looked)
        return cast("str", found)

    def last_of_document(self) -> tuple[str, bool]:
        if not self.may_end_document:
            return "", False
        name, is_missing, self.may_end_document, looked = self._ahead.ask(self, _ALL, _scan.last_tag, self.most_tags)
        self.note_place(looked)
        return (name, is_missing) if self.may_end_document else ("", False)

    def _read_some(self) -> None:
        is_complete = self._ahead.read(self, self._part)
        most = self._batch
        tags = self._ahead.tags_after(self._last, most)
        if tags and self._number + len(tags) <= self.most_tags:
            self._take(tags)
        else:
            for tag in tags:
                if tag[2] > self._last and self._number >= self.most_tags:
                    self._is_read = True
                    self.may_end_document = self.may_end_document and self._reached >= self.stop
                    return
                self._take([tag])
        if len(tags) >= most:
            self._batch *= 2
            return
        self._part = _ALL
        if is_complete:
            self._is_read = True
            if self._number < self.most_tags:
                self._reached = self.stop
            self.may_end_document = self.may_end_document and self._reached >= self.stop

    def _take(self, tags: list[tuple[int, str, int, int]]) -> None:
        base = self.base
        _, _, self._last, end = tags[-1]
        self._reached = end - base
        shown = [tag for tag in tags if tag[0] != _NO_TAG]
        self.tags += [(kind, name) for kind, name, _, _ in shown]
        self._ends += [end - base for _, _, _, end in shown]
        self._number += len([tag for tag in shown if tag[0] != TEXT_RUN])

    def all(self) -> list[Tag]:
        self._batch = max(self._batch, self.most_tags)
        return super().all()


class CompiledAhead(Ahead):
    """See `Ahead`.

    The kept tags begin at `_first`. Those before `_reached` are sure: no following text can change them. There are two
    states:

    * `_end` is -1: all kept tags are sure, and reading goes on at `_reached`.
    * `_end` is a place: windows that end there have been read to their end. The tags from `_reached` on hold only for
      these windows; `read` drops them for another one.

    A window has all its tags if its `is_read_since` is `_changes`, the number of changes of the kept tags so far.
    """

    def __init__(self, learned: Learned) -> None:
        self._tags = _scan.open_tags(int.from_bytes(urandom(8), sys.byteorder))
        self._reached = 0
        self._end = -1
        self._changes = 0
        self._first = 0
        self._size = _FIRST_PART  # how many characters are read first for the next comparison
        self._facts = (learned.pairs, learned.filled, learned.completed, HTML_VOID, learned.names, learned.is_slip)
        super().__init__(learned)

    def window(self, text: str, start: int, stop: int, at_end: bool, offset: int, most_tags: int = MOST_TAGS) -> Window:
        window = CompiledWindow(self, text, start, stop, at_end, offset, most_tags)
        self._changes += 1
        self._first = window.first
        if not _scan.drop_tags(self._tags, window.first):
            self._begin(window.first)
        return window

    def _begin(self, place: int) -> None:
        _scan.drop_tags(self._tags, sys.maxsize)
        self._reached, self._end = place, -1

    def compare(self, readings: Sequence[Begun], window: Window) -> list[Outcome]:
        assert isinstance(window, CompiledWindow)
        first = window.first
        looked, outcomes = self.ask(
            window, self._size, _scan.compare_readings, tuple(readings), self._facts, (window.most_tags, *_NUMBERS)
        )
        window.note_place(looked)
        self._size = max(looked - first, 0) + _FIRST_PART
        return cast("list[Outcome]", outcomes)

    def has_fault(self, window: Window, stack: Sequence[str], forced: Sequence[str]) -> bool:
        assert isinstance(window, CompiledWindow)
        return cast("bool", self.ask(window, _FIRST_PART, _scan.find_fault, stack, forced))

    def ends_rightly(self, window: Window, outer: str, inner: Sequence[str]) -> bool:
        assert isinstance(window, CompiledWindow)
        stop = window.offset + INSIDE_REACH
        return cast("bool", self.ask(window, _FIRST_PART, _scan.ends_rightly, MOST_INSIDE, stop, outer, inner))

    def ask(self, window: CompiledWindow, size: int, question: Callable[..., Any], *arguments: Any) -> Any:
        """Return the answer to a question about a window's tags, reading first its first `size` characters."""
        answer = None
        while answer is None:
            is_complete = self.read(window, size)
            view = (window.first, window.end, window.begins_with_text, is_complete, window.may_end_document)
            answer = question(self._tags, view, *arguments)
            size = _ALL
        return answer

    def read(self, window: CompiledWindow, size: int) -> bool:
        """Read the tags of a window's first `size` characters; return whether none can follow."""
        if window.is_read_since == self._changes:
            return True
        end = window.end
        self._changes += 1
        first = window.first
        has_first = first == self._first
        if self._end not in {-1, end}:
            _scan.cut_tags(self._tags)
            self._end = -1
            has_first = False
        has_first = has_first or first == self._reached or self._has_token(first)
        if not (has_first and first <= self._reached <= end):
            self._first = first
            self._begin(first)
        if self._end == end:
            window.is_read_since = self._changes
            return True
        stop = min(end, first + size)
        if self._reached < stop or stop == end:
            data = window.text[self._reached - window.base : stop - window.base].encode()
            place, self._reached = _scan.read_tags(self._tags, data, 0, self._reached, True)
            if stop == end:
                self._read_end(window, data, place)
                self._end = end
                window.is_read_since = self._changes
        return stop == end

    def _read_end(self, window: CompiledWindow, data: bytes, place: int) -> None:
        """Read the tokens that might be others if the text went on, and those whose names only Python can judge.

        `place` is the index in `data` of the character at `_reached`, which advances with each token that is sure.
        """
        base, offset = window.base, self._reached
        is_exact = True
        while place < len(data):
            match = TOKEN.match(window.text, offset - base, _stop_of_token(window.text, offset - base, window.stop))
            assert match is not None  # a "<" is here
            end = base + match.end()
            for kind, name in read_token(match) or ((_NO_TAG, ""),):
                _scan.add_tag(self._tags, offset, end, kind, name)
            place += len(match[0].encode())
            is_exact = is_exact and _is_nameless(match, window.stop)
            place, offset = _scan.read_tags(self._tags, data, place, end, is_exact)
            if is_exact:
                self._reached = offset

    def _has_token(self, place: int) -> bool:
        """Return whether one of the kept tokens begins at a place."""
        tags = _scan.list_tags(self._tags, place, 1)
        return len(tags) > 0 and tags[0][2] == place

    def tags_after(self, place: int, most: int) -> list[tuple[int, str, int, int]]:
        """Return up to `most` tags after a place, and where their tokens begin and end."""
        return _scan.list_tags(self._tags, place + 1, most)


def _stop_of_token(text: str, start: int, stop: int) -> int:
    """Return how far a token has to be read: a long value in the last tag of a window says nothing."""
    follows = text[start + 1 : start + 2]
    if follows in _NO_TAG_FOLLOWS or any(text.find(sign, start + 1, stop) >= 0 for sign in "<>"):
        return stop
    return min(start + 2, stop)


def _is_nameless(match: re.Match[str], stop: int) -> bool:
    """Return whether a token has no name and ends before the window, so that following text cannot change it."""
    is_ended = match.end() < stop and (match["other"] is None or not match[0].startswith("</"))
    return is_ended and _NAMELESS.match(match.string, match.start()) is not None


#: The numbers of the policy that the comparison needs after the number of tags, costs in units of `UNIT`.
_NUMBERS: Final = (
    MOST_EVIDENCE,
    MOST_DOUBTS,
    MOST_INSIDE,
    MOST_AFTER_ROOT,
    UNIT,
    round(UNIT * NEW_PAIR),
    round(UNIT * DOUBTFUL),
    AROUND,
)
