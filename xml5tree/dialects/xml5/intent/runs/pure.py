"""The reader in Python."""

from typing import TYPE_CHECKING, Final

from xml5tree.dialects.xml5.intent.columns import NO_COLUMN, NO_SIBLING, column_at, column_number, contradict
from xml5tree.dialects.xml5.intent.constants import (
    INSIDE_REACH,
    MANY_RECORDS,
    MOST_INDENT,
    MOST_INSIDE,
    MOST_LEARNED,
    WINDOW,
)
from xml5tree.dialects.xml5.intent.learned import TEXT_CHILD
from xml5tree.dialects.xml5.intent.runs.contract import MOST_KNOWN, MOST_OUTER, AskedTag, Learnt
from xml5tree.dialects.xml5.intent.runs.tokens import TOKEN, Token, end_of_plain_sections, find_markup
from xml5tree.dialects.xml5.lexis import HTML_VOID

if TYPE_CHECKING:
    from xml5tree.dialects.xml5.intent.policy import Intent

__all__ = ["PureReader"]

_SPACES: Final = b"\t\n "
#: The most bytes of a character.
_LONGEST_CHARACTER: Final = 4


class _Open:
    """An open element."""

    __slots__ = ("column", "had_text", "last", "name", "start")

    def __init__(
        self, name: str, last: str | None, start: int, column: int = NO_COLUMN, *, had_text: bool = False
    ) -> None:
        self.name = name
        self.last = last  # the name of its last child, `TEXT_CHILD` if it has only text, None if nothing
        self.start = start  # the index of its start tag; -1: that is before the part
        self.column = column  # the column of a start tag before the part
        # it had unlearned text before the part; then its text is not doubted
        self.had_text = had_text


class PureReader:
    """See `RunReader`.

    Words for tokens:

    * new: an equal token may yet teach something, or be doubted. A start tag that is not new is `known` from then on,
      by its parent and the child before it, and is passed without questions.
    * strange: a leaf whose name is not learned any more, since the document has too many names.
    * near: so near the end of the run that the policy would look beyond it.
    """

    def __init__(self, policy: "Intent") -> None:
        self._policy = policy
        self._learned = policy.learned
        self._known: set[tuple[str, str | None, Token]] = set()
        self._watched_names = 0  # the size of `learned.indented` when the known tokens were noted
        self._names: set[str] = set()  # the learned names, once no more are learned; leaves with others are strange
        self._is_new = False  # whether the token that is being read may show something new
        self._data = b""
        self._start = 0  # where the part begins
        self._column: int | None = None  # the column there
        self._read = 0  # where the current token ends
        self._end = 0  # where the run ends
        self._text = b""  # the part of the data that is searched for tokens, and a "<"
        self._text_start = 0  # where that part begins in the data
        self._near_start = -1  # where the last window of the text begins; -1: not known
        self._is_right = False
        self._asked: AskedTag | None = None
        self._stack: list[_Open] = []
        self._ended = 0
        self._child = -1  # where the last child of the current element begins; -1: before the part, or there is none
        self._child_before = NO_SIBLING  # the column of the last child of the current element if it is before the part
        self._has_start_tag = False
        self._sure_parent: _Open | None = None  # an open element that is known to end soon
        self._sure_end = 0  # where the token begins that ends `_sure_parent`

    def read(self, data: bytes, start: int, end: int, *, is_right: bool) -> Learnt:
        first = find_markup(data, start, end)
        is_same = data is self._data and end == self._end
        if not (is_same and self._text_start <= first < self._text_start + len(self._text)):
            self._begin_text(data, first, end)
        self._begin_part(start, is_right=is_right)
        self._read = first
        text = data[start:first].lstrip(_SPACES)
        if text and not self._takes_text(self._stack[-1], has_children=self._has_children()):
            return self._learnt(first - len(text))
        if text:
            self._pass_text()
        return self._learnt(self._read_tokens(first))

    def _begin_text(self, data: bytes, first: int, end: int) -> None:
        self._data, self._end, self._text_start = data, end, first
        text = data[first:end]
        self._text = text[: end_of_plain_sections(text)] + b"<"
        self._near_start = -1

    def _begin_part(self, start: int, *, is_right: bool) -> None:
        policy, learned = self._policy, self._learned
        if len(learned.indented) != self._watched_names or len(self._known) > MOST_LEARNED:
            self._watched_names = len(learned.indented)
            self._known.clear()
        elements = policy.innermost_elements(MOST_KNOWN)
        self._stack = [
            _Open(
                element.name,
                None,
                -1,
                column_number(element.indent),
                had_text=element.has_text and learned.is_new(element.name, TEXT_CHILD),
            )
            for element in elements
        ]
        current = elements[-1]
        self._stack[-1].last = current.last or (TEXT_CHILD if current.has_text else None)
        self._child_before = column_number(current.last_indent) if current.has_children else NO_SIBLING
        self._start, self._column, self._is_right = start, policy.column, is_right
        self._asked = None
        self._ended = 0
        self._child = -1
        self._has_start_tag = False
        self._sure_parent = None

    # Tokens -------------------------------------------------------------------------------------------------------

    def _read_tokens(self, first: int) -> int:
        """Read tokens as far as they can be passed; return the end of the last one."""
        base, known, stack = self._text_start, self._known, self._stack
        for match in TOKEN.finditer(self._text, first - base):
            token: Token = match.groups(b"")  # type: ignore[assignment]  # so many groups has the pattern
            solidus, name, _, _, cdata, blank, no_text, end_tag, no_tail = token
            start, self._read = base + match.start(), base + match.end()
            self._is_new = False
            if solidus:
                has_tail = bool(end_tag) and not no_tail
                is_passed = self._pass_end_tag(ends_twice=bool(end_tag), has_text=not no_text, has_tail=has_tail)
            elif name:
                top, text_of_name = stack[-1], name.decode()
                key = top.name, top.last, token
                is_passed = key in known
                if not is_passed:
                    is_passed = self._pass_start_tag(start, text_of_name, token)
                    if is_passed and not self._is_new:
                        known.add(key)
                if is_passed:
                    self._note_start_tag(start, text_of_name, token)
            else:
                is_passed = self._pass_section(has_content=cdata and not blank, has_text=not no_text)
            if not is_passed:
                return start
        return base + len(self._text) - 1

    def _pass_end_tag(self, *, ends_twice: bool, has_text: bool, has_tail: bool) -> bool:
        """Learn from an end tag, and pass it; return False if the part ends before it.

        `ends_twice`: the token has another end tag of the name, which ends the element around.
        """
        # The end tag is the current element's: the policy is asked about every other, so no run has one.
        stack = self._stack
        if len(stack) <= 1 + ends_twice or (not ends_twice and self._may_end_early(stack[-1], stack[-2].name)):
            return False
        if has_text and not self._takes_text(stack[-2], has_children=True, around=len(stack) - 2 if ends_twice else -1):
            return False
        if has_tail and not self._takes_text(stack[-3], has_children=True):
            return False
        for _ in range(1 + ends_twice):
            self._learn_end(stack[-1].name)
            self._pop()
        return True

    def _may_end_early(self, element: _Open, parent: str) -> bool:
        """Return whether the policy has to be asked about the end tag of an element (R-033)."""
        if element.last in {None, TEXT_CHILD} or not self._policy.may_end_early(element.name, parent):
            return False
        following = TOKEN.match(self._text, self._read - self._text_start)
        if following is None or not following[2]:
            return True
        if following[1]:
            return self._policy.is_root(parent)
        return self._policy.goes_on(element.name, element.last, parent, following[2].decode())

    def _pop(self) -> None:
        ended = self._stack.pop()
        self._stack[-1].last = ended.name
        self._child = ended.start
        if ended.start < 0:
            self._ended += 1
            self._child_before = ended.column

    def _pass_section(self, *, has_content: object, has_text: bool) -> bool:
        """Learn from a comment, CDATA section or instruction, and pass it; return False if the part ends before it."""
        top = self._stack[-1]
        if has_content:
            self._learn_text(top)
            self._pass_text()
        if has_text:
            if not self._takes_text(top, has_children=self._has_children()):
                return False
            self._pass_text()
        return True

    def _pass_text(self) -> None:
        top = self._stack[-1]
        if top.last is None:
            top.last = TEXT_CHILD

    def _note_start_tag(self, start: int, name: str, token: Token) -> None:
        _, _, empty, _, _, _, no_text, end_tag, _ = token
        self._has_start_tag = True
        if empty or end_tag:
            self._stack[-1].last = name
            self._child = start
            if empty and end_tag:
                self._pop()
        else:
            self._stack.append(_Open(name, None if no_text else TEXT_CHILD, start))
            self._child, self._child_before = -1, NO_SIBLING

    def _pass_start_tag(self, start: int, name: str, token: Token) -> bool:
        """Learn from a start tag, a leaf, or an empty tag; return False if the part ends before it."""
        _, _, empty, _, _, _, no_text, end_tag, no_tail = token
        is_leaf = bool(end_tag) and not empty
        top = self._stack[-1]
        if not (is_leaf and self._is_strange(top, name)) and not self._is_child(top, start, name, token):
            return False
        depth = len(self._stack)
        has_text, has_tail = not no_text, bool(end_tag) and not no_tail
        if empty:
            if end_tag:  # it ends the current element, which must not be the outermost known one
                self._is_new = True
                if depth == 1:
                    return False
            if has_text and not self._takes_text(top, has_children=True, around=depth - 1 if end_tag else -1):
                return False
            if has_tail and not self._takes_text(self._stack[-2], has_children=True):
                return False
            if self._learned.is_new_empty(name):
                self._is_new = True
                self._learned.learn_empty(name)
            if end_tag:
                self._learn_end(top.name)
        else:
            inner = _Open(name, None, start)
            if has_text and not self._takes_text(inner, has_children=False, around=depth if is_leaf else -1):
                return False
            if has_tail and not self._takes_text(top, has_children=True):
                return False
        if empty or is_leaf:
            self._learn_end(name)
        return True

    def _is_strange(self, parent: _Open, name: str) -> bool:
        """Return whether a leaf has a name that is not learned any more, in an element with a learned name.

        The policy is not asked about such leaves.
        """
        if not self._names:
            if len(self._learned.completed) < MOST_LEARNED or not self._learned.is_full:
                return False
            self._names = self._learned.all_names() | HTML_VOID
        return name not in self._names and parent.name in self._names

    def _is_child(self, top: _Open, start: int, name: str, token: Token) -> bool:
        """Return whether a start tag, leaf or empty tag surely is in the current element, and learn that."""
        learned, policy = self._learned, self._policy
        parent, last = top.name, top.last
        before = last if last != TEXT_CHILD else None
        is_empty = bool(token[2])
        if parent == name:
            # The states look far at a tag that is new in an element of its own name, and note columns.
            if learned.is_new_triple(name, before, name):
                return False
            if policy.watches(name):
                self._is_new = True
                if self._is_near() and self._is_misplaced(start):
                    return False
        if policy.doubts_child(parent, before, name, is_empty):
            is_near = self._is_near() and not (
                self._is_in_order(name, token)
                or self._is_known_leaf(parent, before, name, token)
                or self._is_surely_inside(start, name)
            )
            if is_near or (not is_empty and last != TEXT_CHILD and policy.is_record_in_record(parent, name)):
                self._asked = name, is_empty
                return False
            self._is_new = True
        if (parent, before, name) not in learned.follows:
            self._is_new = True
            learned.learn_name(name)
            learned.learn_content(parent)
            learned.learn_child(parent, before, name)
        if not is_empty and name not in learned.filled and name not in learned.completed:
            self._is_new = True  # not remembered: such tags are doubted as soon as one of the elements ends empty
        return True

    # Text -----------------------------------------------------------------------------------------------------------

    def _has_children(self) -> bool:
        return self._stack[-1].last not in {None, TEXT_CHILD}

    def _takes_text(self, element: _Open, *, has_children: bool, around: int = -1) -> bool:
        """Learn from text in an element; return False if the policy has to be asked about it.

        `around` is the number of known elements around an element that ends right after the text, else -1.
        """
        if element.had_text:
            self._is_new = True
            return True
        if self._policy.doubts_text_in(element.name, has_children) and self._is_near():
            # If the element ends right after the text, `Intent.choose_for_text` takes the draft's reading.
            is_taken = self._is_right or (around >= 0 and self._is_only_one(element.name, around))
            if not is_taken:
                return False
        self._learn_text(element)
        return True

    def _learn_text(self, element: _Open) -> None:
        name, learned = element.name, self._learned
        if not element.had_text and (learned.is_new(name, TEXT_CHILD) or name not in learned.filled):
            self._is_new = True
            learned.learn_content(name)
            learned.learn_pair(name, TEXT_CHILD)

    def _learn_end(self, name: str) -> None:
        if self._learned.completed.get(name, 0) < MANY_RECORDS:
            self._is_new = True
            self._learned.learn_end(name)

    # What the policy would say ------------------------------------------------------------------------------------

    def _is_near(self) -> bool:
        """Return whether the current token is so near the end of the run that the policy would look beyond it.

        The run may also end at a section in which another one seems to begin, as the policy looks into it.
        """
        end = self._text_start + len(self._text) - 1
        left = end - self._read
        if not WINDOW < left <= _LONGEST_CHARACTER * WINDOW:
            return left <= WINDOW
        if self._near_start < 0:
            self._near_start = _start_of_last(WINDOW, self._data, self._text_start, end)
        return self._read >= self._near_start

    def _is_in_order(self, name: str, token: Token) -> bool:
        """Return whether the policy would surely take the draft's reading of a tag, as no error follows.

        False for a tag that may be an empty tag of HTML. False also for one that the next tag may repeat (R-025): the
        next tag follows directly, and its name begins like this one's, or the run ends too soon to tell.
        """
        _, _, empty, _, _, _, no_text, end_tag, _ = token
        if not self._is_right or empty:
            return self._is_right
        if no_text and not end_tag:
            source = name.encode()
            if self._end - self._read <= len(source) or self._data.startswith(source, self._read + 1):
                return False
        return name not in HTML_VOID

    def _is_known_leaf(self, parent: str, before: str | None, name: str, token: Token) -> bool:
        """Return whether a leaf without text is known at its place: see `Intent._is_known_leaf`."""
        _, _, empty, _, _, _, no_text, end_tag, _ = token
        if empty or not (no_text and end_tag) or (parent, before, name) not in self._learned.follows:
            return False
        return not self._learned.is_new(parent, name) and self._is_only_one(name, len(self._stack))

    def _is_surely_inside(self, start: int, name: str) -> bool:
        """Return whether the policy would surely take the draft's reading of a tag, as its parent ends (R-006)."""
        parent = self._stack[-1].name
        return (
            parent != name
            and not self._policy.unlike_cost(parent, name)
            and self._is_only_one(parent, len(self._stack) - 1)
            and self._fits_surely(start)
            and self._ends_soon(start)
        )

    def _is_only_one(self, name: str, around: int) -> bool:
        """Return whether surely no element around one has its `name`; `around` of them are known."""
        if around > MOST_OUTER or any(element.name == name for element in self._stack[:around]):
            return False
        return self._policy.has_none_beyond(name, MOST_KNOWN)

    def _ends_soon(self, start: int) -> bool:
        # One answer holds for all later children: each has fewer tags and bytes up to the end of the parent.
        parent = self._stack[-1]
        if parent is self._sure_parent and start < self._sure_end:
            return True
        end = self._find_end(start)
        if end >= 0:
            self._sure_parent, self._sure_end = parent, end
        return end >= 0

    def _find_end(self, start: int) -> int:
        """Return where the token begins that ends the current element soon after `start`; -1: it does not end soon."""
        place = start - self._text_start
        last = place + INSIDE_REACH
        depth = number = 0
        # Two bytes more: a "<" at `last`, and the byte that tells whether it is text.
        for match in TOKEN.finditer(self._text, place, last + 2):
            if match.start() != place or match.end() > last:  # a token that ends later is cut off, or none
                return -1
            place = match.end()
            solidus, name, empty, *_, end_tag, _ = match.groups()
            if name:
                depth += -1 if solidus else not empty
                number += 1
            if end_tag and depth >= 0:
                depth -= 1
                number += 1
            if depth < 0 and number <= MOST_INSIDE + 1:
                return self._text_start + match.start()
            if number > MOST_INSIDE:
                return -1
        return -1

    # Columns --------------------------------------------------------------------------------------------------------

    def _column_of(self, index: int) -> int:
        start, column = self._start, self._column
        if index - start > MOST_INDENT:
            start, column = index - MOST_INDENT - 1, None
        return column_number(column_at(self._data, start, index, column))

    def _column_of_parent(self) -> int:
        top = self._stack[-1]
        return self._column_of(top.start) if top.start >= 0 else top.column

    def _column_of_child(self) -> int:
        return self._column_of(self._child) if self._child >= 0 else self._child_before

    def _is_misplaced(self, index: int) -> bool:
        return contradict(self._column_of(index), self._column_of_parent(), self._column_of_child())

    def _fits_surely(self, index: int) -> bool:
        """Return whether columns surely do not contradict that the tag at an index is in the current element."""
        column = self._column_of(index)
        if column < 0:
            return self._column is None if index == self._start else self._data[index - 1] not in _SPACES
        child = self._column_of_child()
        if child != NO_SIBLING:
            return child == column
        return 0 <= self._column_of_parent() < column

    # The outcome ------------------------------------------------------------------------------------------------------

    def _learnt(self, end: int) -> Learnt:
        opened = [element for element in self._stack if element.start >= 0]
        return Learnt(
            end,
            self._asked,
            self._ended,
            [element.name for element in opened],
            [self._column_at(element.start) for element in opened],
            opened[-1].start if opened else -1,
            self._stack[-1].last,
            self._column_at(self._child) if self._child >= 0 else NO_SIBLING,
            self._column_at(end),
            self._has_start_tag,
        )

    def _column_at(self, index: int) -> int | None:
        return column_at(self._data, self._start, index, self._column)


def _start_of_last(count: int, data: bytes, start: int, end: int) -> int:
    """Return where the last `count` characters of a part of UTF-8 begin, or its start if it is shorter."""
    # The slice may begin within a character, of which the rest is ignored.
    text = data[max(start, end - _LONGEST_CHARACTER * (count + 1)) : end].decode(errors="ignore")
    return start if len(text) <= count else end - len(text[-count:].encode())
