"""The option `raw`: elements that contain only characters.

Content may have that end tag in it, such as a file that a tool is told to write. So an end tag counts only if one of
these follows: the end tag of an element around, the start tag of a known element, or the end of the document. If none
does, the next `_WINDOW` characters decide.
"""

import re
from bisect import bisect_left, bisect_right
from typing import Final

from xml5tree.dialects.xml5.tokenizer import State, Tokenizer
from xml5tree.dialects.xml5.tree import TreeBuilder
from xml5tree.errors.codes import MOVED
from xml5tree.xml.vocabulary import Vocabulary

#: Characters after a doubtful tag in which the end of the element is looked for. There are many, because doubt is rare,
#: and its subject is a file that somebody writes.
_WINDOW: Final = 1 << 16
#: Characters after the name of an end tag: a value, and white space.
_LONGEST_VALUE: Final = 128
_LONGEST_SPACE: Final = 16
#: White space between an end tag and the tag that shows that it is one.
_LONGEST_GAP: Final = 256
_GAP: Final = re.compile(f"[\t\n\r ]{{0,{_LONGEST_GAP}}}")
_LINE_BREAK: Final = re.compile("\r?\n|\r")
#: Line breaks, the longest first; and those that may be dropped if the one after the start tag was a line feed: then
#: a carriage return before another one is content.
_LINE_BREAKS: Final[tuple[str, ...]] = ("\r\n", "\n", "\r")
_AFTER_LINE_FEED: Final[tuple[str, ...]] = ("\n",)
_GREATER_THAN: Final = re.compile(">")
#: A tag that a text ends in, as far as it goes.
_BEGUN_TAG: Final = re.compile("<(/?)([^\t\n />=]*)")
#: No offset.
_NONE: Final = -1
#: Characters of a name that an error message shows.
_SHOWN: Final = 24


class RawContent:
    """The state in which the content of raw elements is read, one after the other."""

    def __init__(
        self, names: Vocabulary, known: Vocabulary, elements: TreeBuilder, *, trims: bool, has_values: bool
    ) -> None:
        """Begin; with `trims`, drop one line break after the start tag and one before the end tag.

        With `has_values`, an end tag may have a value, as in ``</name=value>``.
        """
        self._names = names
        self._known = known
        self._elements = elements
        self._trims = trims
        value = f"(?:=[^<>\n]{{0,{_LONGEST_VALUE}}})?" if has_values else ""
        self._end_tag = re.compile(f"</(?P<name>{known.pattern}){value}[\t\n ]{{0,{_LONGEST_SPACE}}}>")
        self._tag = re.compile(f"<(/?)({known.pattern})[\t\n />=]")
        self._longest = known.longest + _LONGEST_VALUE + _LONGEST_SPACE + len("</=>")
        self._begun_end_tag = re.compile(f"<(?:/[^<>]{{0,{self._longest}}})?\\Z")
        # Of the current raw element; offsets are those of the document.
        self._name = ""
        self._outer_names: frozenset[str] = frozenset()  # names of the elements around it
        self._is_at_start = False  # whether a line break may be dropped
        self._line_breaks = _LINE_BREAKS  # those of which one before the end tag may be dropped
        self._scanned = 0  # where the next end tag is looked for
        self._settled = 0  # where its own end tags begin to be in doubt
        self._doubt = _NONE  # where the first tag stands that may end it, or show that its end tag is missing
        self.is_own = False  # whether that is its own end tag
        self._is_evident = False  # whether an element around it ends after that
        # Where end tags are before `_scanned`: those in doubt, and which of them are of elements around. They are those
        # of the next element, too, if it has the same name, and the same elements are around it.
        self._ends: list[int] = []
        self._outer_ends: list[int] = []

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def begin(self, t: Tokenizer, name: str) -> State:
        """Return the state that reads the content of an element of a name, whose start tag was emitted just now."""
        place = t.place()
        outer_names = frozenset(self._elements.open_names) - {"", name}
        is_like_last = name == self._name and outer_names == self._outer_names
        self._name = name
        self._outer_names = outer_names
        self._is_at_start = self._trims
        self._line_breaks = _LINE_BREAKS
        self._restart(place, is_known=is_like_last and place < self._scanned)
        return self._state

    def _restart(self, place: int, *, is_known: bool) -> None:
        """Begin to look for an end at a place; `is_known` says that the end tags after it are known, up to some."""
        self._settled = place
        self._doubt = _NONE
        if is_known:
            self._doubt_known(place)
        else:
            self._scanned = place
            self._ends.clear()
            self._outer_ends.clear()

    def _doubt_known(self, place: int) -> None:
        """Forget the end tags before a place, and note the first known one from there on; see `_doubt_end`."""
        for offsets in (self._ends, self._outer_ends):
            del offsets[: bisect_left(offsets, place)]
        if self._ends:
            self._doubt = self._ends[0]
            after = bisect_right(self._outer_ends, self._doubt)
            self.is_own = not after
            self._is_evident = after < len(self._outer_ends) and self._outer_ends[after] < self._doubt + _WINDOW

    def _state(self, t: Tokenizer) -> State | None:
        text, position = t.text_and_position
        if self._is_at_start:
            if t.may_grow and text.endswith("\r") and position == len(text) - 1:
                t.wait()
                return None
            self._is_at_start = False
            if found := _LINE_BREAK.match(text, position):
                self._line_breaks = _AFTER_LINE_FEED if found[0] == "\n" else _LINE_BREAKS
                t.skip(found.end() - position)
                return self._state
        base = t.place() - position
        is_final = not t.may_grow
        end = self._find_end(text, base, is_final=is_final)
        if end is not None:
            if not self.is_own:
                end -= self._line_break_outside(text, position, end)
            self._emit(t, text, position, end, drops=self._break_before(text, position, end))
            return t.data_state if self.is_own else self._assume_end(t)
        if is_final:
            self._emit(t, text, position, self._start_of_half_end_tag(text, position))
            return t.data_state
        safe = (self._scanned if self._doubt == _NONE else self._doubt) - base
        if self._doubt == _NONE or not self.is_own:
            safe -= self._line_break_outside(text, position, safe)
        self._emit(t, text, position, safe - self._break_before(text, position, safe))
        if self._doubt != _NONE:
            t.wait(_GREATER_THAN, enough=self._doubt + self._reach - t.place())
        elif t.peek(1):
            t.wait()
        return None

    @property
    def _reach(self) -> int:
        """The number of characters after a doubtful tag that make the tags of the window certain."""
        return _WINDOW + 2 * self._longest + _LONGEST_GAP

    def _break_before(self, text: str, start: int, end: int) -> int:
        """Return the length of the line break before an index that is to be dropped, 0 for none."""
        found = next((one for one in self._line_breaks if text.endswith(one, start, end)), "")
        return len(found) if self._trims else 0

    def _line_break_outside(self, text: str, start: int, end: int) -> int:
        """Return the length of the line break before the end tag of an element around, if it has a line of its own."""
        if self._trims:
            return 0
        return 2 if text.endswith("\r\n", start, end) else int(text.endswith(("\n", "\r"), start, end))

    def _emit(self, t: Tokenizer, text: str, start: int, end: int, drops: int = 0) -> None:
        """Emit the content between two indices, without its last `drops` characters."""
        if end - drops > start:
            t.skip(end - drops - start)
            t.emit_characters(text[start : end - drops])
        t.skip(drops)

    def _find_end(self, text: str, base: int, *, is_final: bool) -> int | None:
        """Return the index at which the element ends in the text, which begins at the offset `base`.

        None: the end of the element is not there yet, or is that of the document.
        """
        end_of_text = base + len(text)
        while True:
            found = None
            is_over = self._doubt != _NONE and self._scanned >= self._doubt + _WINDOW
            if not is_over:
                found = self._end_tag.search(text, self._scanned - base)
                looked = end_of_text if found is None else base + found.start()  # no end tag stands before it
                window = _WINDOW if is_final or found is not None else self._reach
                is_over = self._doubt != _NONE and looked >= self._doubt + window
            if is_over:
                if self._is_evident or not self.is_own:
                    return self._doubt - base
                self._settled = self._doubt + _WINDOW
                self._doubt = _NONE
                self._doubt_known(self._settled)
                continue
            if found is None:
                begun = self._begun_end_tag.search(text, max(self._scanned - base, len(text) - self._longest - 2))
                self._scanned = base + begun.start() if begun and not is_final else end_of_text
                return self._doubt - base if is_final and self._doubt != _NONE else None
            is_own, is_outer, is_loose = self._roles_of(found)
            if is_own or is_loose:
                ends = self._may_end(text, found, base, is_final=is_final)
                if ends is None:
                    self._scanned = base + found.start()
                    return None
                if ends:
                    self.is_own = True
                    return found.start()
            self._scanned = base + found.end()
            if is_own or is_outer:
                offset = base + found.start()
                self._ends.append(offset)
                if not is_own:
                    self._outer_ends.append(offset)
                self._doubt_end(offset, is_own=is_own)

    def _roles_of(self, found: re.Match[str]) -> tuple[bool, bool, bool]:
        """Return whether an end tag is the element's own, that of an element around, or its own if that is evident."""
        is_own = found["name"] == self._name
        return is_own, not is_own and found["name"] in self._outer_names, False

    def _doubt_end(self, offset: int, *, is_own: bool) -> None:
        """Note an end tag by which the element may have ended: its own, or that of an element around."""
        if self._doubt != _NONE:
            self._is_evident |= not is_own
        elif offset >= self._settled or not is_own:
            self._doubt, self.is_own, self._is_evident = offset, is_own, False

    def _may_end(self, text: str, found: re.Match[str], base: int, *, is_final: bool) -> bool | None:
        """Return whether the element's own end tag, `found`, ends it, by what follows; None to wait for more input."""
        if not self._outer_names:
            return True
        gap = _GAP.match(text, found.end())
        assert gap is not None  # it matches the empty string
        if gap.end() == len(text):
            return True if is_final else None
        if tag := self._tag.match(text, gap.end()):
            return tag[2] in self._outer_names if tag[1] else True
        begun = _BEGUN_TAG.match(text, gap.end())
        if begun is None or begun.end() < len(text) or not self._known.may_begin(begun[2]):
            return False
        return True if is_final else None

    def _start_of_half_end_tag(self, text: str, position: int) -> int:
        """Return where the document ends in half the element's end tag; the end of the text if it does not."""
        begun = self._begun_end_tag.search(text, max(position, len(text) - self._longest - 2))
        is_half = begun is not None and len(begun[0]) > 1 and self._name.startswith(begun[0][2:])
        return begun.start() if begun is not None and is_half else len(text)

    def _assume_end(self, t: Tokenizer) -> State:
        t.consume()
        t.begin_token()
        t.reconsume()
        name = self._name[:_SHOWN]
        t.error_in_token("assumed-end-before", f"'<{name}>' was assumed to end before this end tag", effect=MOVED)
        t.create_end_tag(self._name)
        t.finish_tag_name()
        t.emit_end_tag()
        return t.data_state
