"""Documents of which it is known which elements they may have: all else that looks like a tag is text.

What the states do is decided before the first of them: a "<" that begins a tag of a known name goes to the draft's tag
state, any other is text. So the states know nothing of it, and a document read without such names pays nothing.
"""

import re
from collections.abc import Callable, Iterable
from typing import Final

from xml5tree.dialects.xml5.intent.names import is_near
from xml5tree.dialects.xml5.states import end_tag_name_state, tag_state
from xml5tree.dialects.xml5.tokenizer import State, Tokenizer
from xml5tree.errors.codes import KEPT
from xml5tree.xml.chars import SPACE
from xml5tree.xml.vocabulary import Vocabulary

__all__ = ["KnownElements", "make_fence"]

_NAME_END: Final = re.compile("[\t\n />]")
#: What the draft's tag state makes something else of than a tag, or text by itself.
_NO_TAG: Final = frozenset("?!:<>") | SPACE
#: What begins with "<!" and is no text.
_MARKUP: Final = ("!--", "![CDATA[", "!DOCTYPE")
_LONGEST_OPENING: Final = max(map(len, _MARKUP))
#: An end tag is compared with the current element's if its name is no longer than this.
_LONGEST_END_TAG: Final = 64
#: Characters of a name that an error message shows.
_SHOWN: Final = 24


class KnownElements:
    """The state that takes the place of the tag state where the names of elements are known."""

    def __init__(self, names: Iterable[str], current: Callable[[], str]) -> None:
        """Set what is known.

        Args:
            names: the names that are tags.
            current: gives the raw name of the current element; "" where none is open.
        """
        self._vocabulary = Vocabulary(names)
        self._current = current
        # A solidus, the longest name that counts, and what ends it.
        self._reach = 2 + max(self._vocabulary.longest, _LONGEST_END_TAG)

    def tag_state(self, t: Tokenizer) -> State | None:
        """§1.3.3 Tag state, for documents of which the names are known."""
        ahead = t.peek(self._reach)
        first = ahead[:1]
        if first == "!" and not ahead.startswith(_MARKUP):
            longest = t.peek(_LONGEST_OPENING)
            if t.may_grow and any(opening.startswith(longest) for opening in _MARKUP):
                t.wait()
                return None
            if not longest.startswith(_MARKUP):
                return _text(t, "!")
        if not first or first in _NO_TAG:
            return tag_state
        slash = "/" if first == "/" else ""
        end = _NAME_END.search(ahead, len(slash))
        name = ahead[len(slash) : end.start() if end else None]
        if slash:
            return self._end_tag(t, name, is_whole=end is not None)
        if end is None and len(ahead) < self._reach:
            if t.may_grow and self._vocabulary.may_begin(name):
                t.wait()
                return None
            if name not in self._vocabulary and self._vocabulary.may_begin(name):
                return self._cut_off(t, name)
        if name in self._vocabulary:
            return tag_state
        return _text(t, self._vocabulary.wrong_beginning(name))

    def _end_tag(self, t: Tokenizer, name: str, *, is_whole: bool) -> State | None:
        """What follows ``</``, and then a name."""
        current = self._current()
        is_cut_off = not is_whole and len(name) < self._reach - 1
        if is_cut_off and t.may_grow:
            t.wait()
            return None
        # Half an end tag at the end of the document is the current element's; the states report that it is not whole.
        if not (is_cut_off and current and current.startswith(name)):
            if name in self._vocabulary:
                return tag_state
            if not name or not current or not is_near(name, current):
                return _text(t, "/" + name)
            assumption = f"'</{name[:_SHOWN]}>' was taken for '</{current[:_SHOWN]}>'"
            t.error_in_token("assumed-end-tag", assumption, effect=KEPT)
        t.skip(1 + len(name))
        t.create_end_tag(current)
        return end_tag_name_state

    def _cut_off(self, t: Tokenizer, name: str) -> State:
        """What the document ends in: the beginning of a known name, which is no tag yet."""
        t.error_at_end("eof-before-tag-name", "<" + name)
        return _to_text(t)


def _text(t: Tokenizer, name: str) -> State:
    """Take a "<", after which comes no known name, for text."""
    t.error_in_token("assumed-text", f"'<{name[:_SHOWN]}' was taken for text: it begins no known name")
    return _to_text(t)


def _to_text(t: Tokenizer) -> State:
    t.emit_characters("<")
    t.expect_clean_content()
    return t.data_state


def make_fence(names: Iterable[str]) -> Callable[[bytes, int], int]:
    """What keeps the fast path from tags that are text: it finds the first of them in UTF-8, from a place on.

    What it finds in a comment or a CDATA section is none, but may as well be left to the states.
    """
    unknown = re.compile(f"<(?!/?{Vocabulary(names).pattern}[\t\n />]|!(?:--|\\[CDATA\\[|DOCTYPE)|[?])".encode())

    def fence(data: bytes, place: int) -> int:
        found = unknown.search(data, place)
        return found.start() if found else len(data)

    return fence
