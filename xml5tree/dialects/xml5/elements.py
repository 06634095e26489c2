"""The option `elements`: other tags are text."""

# A state before the draft's tag state decides whether a "<" begins a tag of a known name. So the other states are
# unchanged, and documents without such names pay nothing.

import re
from collections.abc import Callable, Container
from functools import partial
from typing import Final

from xml5tree.dialects.xml5.core import find_or_end
from xml5tree.dialects.xml5.raw import RawContent
from xml5tree.dialects.xml5.states import (
    character_reference_in_attribute_value_state,
    end_tag_name_after_state,
    end_tag_name_state,
    tag_attribute_name_before_state,
    tag_attribute_value_before_state,
    tag_attribute_value_unquoted_state,
    tag_state,
)
from xml5tree.dialects.xml5.tokenizer import State, Tokenizer
from xml5tree.dialects.xml5.tree import TreeBuilder
from xml5tree.errors.codes import KEPT, LOST, MOVED, Effect
from xml5tree.options import Settings
from xml5tree.tree.endtags import has_swallowed
from xml5tree.xml.chars import SPACE
from xml5tree.xml.limits import COMMENT, PROCESSING_INSTRUCTION
from xml5tree.xml.nearness import is_near
from xml5tree.xml.vocabulary import Vocabulary

_NAME_END: Final = re.compile("[\t\n />]")
#: First characters after a "<" that begins no tag in the draft's tag state.
_NO_TAG: Final = frozenset("?!:<>") | SPACE
#: Markup that begins with "<!".
_DOCTYPE: Final = "!DOCTYPE"
_MARKUP: Final = ("!--", "![CDATA[", _DOCTYPE)
_LONGEST_OPENING: Final = max(map(len, _MARKUP))
#: An end tag is compared with the current element's if its name is no longer than this.
_LONGEST_END_TAG: Final = 64
#: Characters after the name of an end tag that is nearly the current one in which the exact end tag is looked for.
_WINDOW: Final = 4096
_GREATER_THAN: Final = re.compile(">")
#: After a backslash: a value between quotes with backslashes, and the beginning of one.
_BACKSLASHED_VALUE: Final = re.compile(r"""(["'])(?:[^<>\\\n]|\\(?!\1)){0,1000}\\\1(?=[\t\n />])""")
_BEGUN_VALUE: Final = re.compile(r"""(?:["'][^<>\n]{0,1000})?\Z""")
_END_OF_VALUE: Final = re.compile(r"[<>\n]")
_BACKSLASH_OR_AMPERSAND: Final = re.compile(r"[\\&]")
#: Where the value of an attribute begins otherwise than with its first character.
_BEFORE_VALUE: Final = frozenset("\"'\\>") | SPACE
#: Characters of a name that an error message shows.
_SHOWN: Final = 24


class KnownElements:
    """Replaces states where names of elements are known: the tag state, and that of a value after a backslash."""

    def __init__(self, settings: Settings, elements: TreeBuilder) -> None:
        self._vocabulary = Vocabulary(settings.elements or ())
        self._value_attribute = settings.value_attribute
        self._elements = elements
        self._end_tag_ahead = re.compile(f"</(?P<end>{self._vocabulary.pattern})[\t\n />=]")
        # A solidus, the longest name that counts, and the character after it.
        self._reach = 2 + max(self._vocabulary.longest, _LONGEST_END_TAG)
        self.raw: RawContent | None = None  # reads the elements that have nothing but characters in them
        if settings.raw:
            has_values = self._value_attribute is not None
            names = Vocabulary(settings.raw)
            self.raw = RawContent(names, self._vocabulary, elements, trims=settings.trim_raw, has_values=has_values)

    def tag_state(self, t: Tokenizer) -> State | None:
        """§1.3.3 Tag state, for documents of which the names are known."""
        ahead = t.peek(self._reach)
        first = ahead[:1]
        if first == "!":
            longest = t.peek(_LONGEST_OPENING)
            if not longest.startswith(_MARKUP):
                if t.may_grow and any(opening.startswith(longest) for opening in _MARKUP):
                    t.wait()
                    return None
                return take_for_text(t, "!")
            if longest.startswith(_DOCTYPE) and self._elements.has_root:
                return take_for_text(t, _DOCTYPE, "it does not begin the document")
        if not first or first in _NO_TAG:
            return tag_state
        slash = "/" if first == "/" else ""
        end = _NAME_END.search(ahead, len(slash))
        name = ahead[len(slash) : end.start() if end else None]
        if self._has_value(name):
            return self._end_tag_with_value(t, name, end is not None) if slash else self._tag_with_value(t, name)
        if slash:
            return self._end_tag(t, name, is_whole=end is not None)
        if end is None and len(ahead) < self._reach:
            if t.may_grow and self._vocabulary.may_begin(name):
                t.wait()
                return None
            if name not in self._vocabulary and self._vocabulary.may_begin(name):
                t.error_at_end("eof-before-tag-name", "<" + name)  # half a known name
                return _to_text(t)
        if name in self._vocabulary:
            return tag_state
        return take_for_text(t, self._vocabulary.wrong_beginning(name))

    def _has_value(self, name: str) -> bool:
        """Return whether a tag's name is a known name, "=" and perhaps a value."""
        return (
            "=" in name
            and self._value_attribute is not None
            and _before_value(name) in self._vocabulary
            and (name not in self._vocabulary)
        )

    def _tag_with_value(self, t: Tokenizer, source: str) -> State:
        name = _before_value(source)
        assert self._value_attribute is not None
        sentence = f"'<{name[:_SHOWN]}=' was read as '<{name[:_SHOWN]} {self._value_attribute[:_SHOWN]}='"
        t.error_in_token("assumed-attribute", sentence)
        t.create_tag(name)
        t.finish_tag_name()
        t.skip(len(name) + 1)
        t.start_attribute(self._value_attribute)
        t.finish_attribute_name()
        return _value_state

    def _end_tag_with_value(self, t: Tokenizer, source: str, is_whole: bool) -> State | None:
        if not is_whole and len(source) < self._reach - 1 and t.may_grow:
            t.wait()
            return None
        name = _before_value(source)
        t.error_in_token("assumed-attribute", f"'</{name[:_SHOWN]}=' was read as '</{name[:_SHOWN]}'")
        t.skip(1 + len(source))
        t.create_end_tag(name)
        t.finish_tag_name()
        return end_tag_name_after_state

    def backslash_state(self, t: Tokenizer) -> State | None:
        """Read a value whose first character, consumed just now, is a backslash: one before each quote, as in JSON."""
        found = t.match(_BACKSLASHED_VALUE)
        if found is None:
            if t.may_grow and t.match(_BEGUN_VALUE):
                t.reconsume()
                t.wait(_END_OF_VALUE)
                return None
            t.begin_unquoted_value()
            return tag_attribute_value_unquoted_state
        t.error("assumed-quotes", f"'\\{found[1]}' was taken for a quote")
        t.skip(1)
        return partial(_backslashed_value, found[1])

    def _end_tag(self, t: Tokenizer, name: str, *, is_whole: bool) -> State | None:
        current = self._elements.current_name
        is_cut_off = not is_whole and len(name) < self._reach - 1
        if is_cut_off and t.may_grow:
            t.wait()
            return None
        # Half an end tag at the end of the document is the current element's; the states report that it is not whole.
        if not (is_cut_off and current and current.startswith(name)):
            if name in self._vocabulary:
                return tag_state
            if not name or not current or not is_near(name, current):
                return take_for_text(t, "/" + name)
            reach = 1 + len(name) + _WINDOW
            ahead = t.peek(reach)
            follows = self._exact_end_follows(ahead, current)
            if follows is None and t.may_grow and len(ahead) < reach:
                t.wait(_GREATER_THAN, enough=reach)
                return None
            if follows:
                return take_for_text(t, "/" + name, f"'</{current[:_SHOWN]}>' follows")
            assumption = f"'</{name[:_SHOWN]}>' was taken for '</{current[:_SHOWN]}>'"
            is_certain = follows is not None or len(ahead) < reach
            usual: Effect = KEPT if is_certain else MOVED
            t.error_in_token("assumed-end-tag", assumption, effect=LOST if has_swallowed(name) else usual)
        t.skip(1 + len(name))
        t.create_end_tag(current)
        return end_tag_name_state

    def _exact_end_follows(self, ahead: str, current: str) -> bool | None:
        """Return whether the current element's own end tag comes before a tag which shows that the element has ended.

        Such a tag is another start tag of its name, or the end tag of an element around it. None if neither is in
        `ahead`, the characters that follow.
        """
        again = re.search(f"<{re.escape(current)}[\t\n />]", ahead)
        until = again.start() if again else len(ahead)
        for found in self._end_tag_ahead.finditer(ahead):
            if found.start() > until:
                break
            if found["end"] == current:
                return True
            if found["end"] in self._elements.open_names:
                return False
        return False if again else None


def take_for_text(t: Tokenizer, name: str, reason: str = "it begins no known name") -> State:
    """Take a "<", after which comes no tag, for text."""
    t.error_in_token("assumed-text", f"'<{name[:_SHOWN]}' was taken for text: {reason}")
    return _to_text(t)


def _before_value(name: str) -> str:
    return name.partition("=")[0]


def _value_state(t: Tokenizer) -> State:
    """Begin the value in ``<name=value>``; if it follows at once, its lack of quotes is no error of its own."""
    if t.peek(1) in _BEFORE_VALUE or not t.peek(1):
        return tag_attribute_value_before_state
    return tag_attribute_value_unquoted_state


def _backslashed_value(quote: str, t: Tokenizer) -> State | None:
    """Read a value between quotes with backslashes before them, which are known to be there."""
    state = partial(_backslashed_value, quote)
    c = t.collect_value_until(_BACKSLASH_OR_AMPERSAND)
    if c == "&":
        t.return_state = state
        return character_reference_in_attribute_value_state
    if t.peek(1) != quote:
        t.collect("\\")
        return state
    t.skip(1)
    t.finish_attribute_value(quoted=True)
    return tag_attribute_name_before_state


def _to_text(t: Tokenizer) -> State:
    t.emit_characters("<")
    return t.data_state


def make_fence(settings: Settings, left_out: Container[str | None]) -> Callable[[bytes, int], int]:
    """Return a function that finds in UTF-8 what the states must read: text, raw elements, values after backslashes."""
    # A match in a comment or a CDATA section is none of it, but may be left to the states, too.
    names, raw = Vocabulary(settings.elements or ()), Vocabulary(settings.raw or ())
    kept = ["!\\[CDATA\\[", "!DOCTYPE"]
    if COMMENT not in left_out:
        kept.append("!--")
    if PROCESSING_INSTRUCTION not in left_out:
        kept.append("[?]")
    known = f"/?{names.pattern}[\t\n />]|{'|'.join(kept)}"
    unknown = re.compile(f"<(?:(?!{known})|(?={raw.pattern}[\t\n />]))|=[\t\n ]*+\\\\".encode())
    return partial(find_or_end, unknown)
