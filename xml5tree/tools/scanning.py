"""Reads the text around calls, and finds their start tags."""

import re
from collections.abc import Sequence
from typing import Final

from xml5tree.errors.codes import KEPT, MOVED, Effect
from xml5tree.errors.locator import Locator
from xml5tree.tools.calls import Call, Event
from xml5tree.tools.callstate import VISIBLE, Options
from xml5tree.tools.grammar import Grammar, Tag, beginnings
from xml5tree.tools.incall import InCall
from xml5tree.tools.jsoncalls import read_calls

_NOTHING: Final = re.compile("(?!)")
_BACKTICK: Final = re.compile("[`\n]")
_ANY_END_TAG: Final = re.compile(r"</[^<>\s]{1,64}\s{0,16}>")
_BEGUN_END_TAG: Final = re.compile(r"<(?:/(?:[^<>\s]{1,64}\s{0,16})?)?\Z")
#: What a call in JSON, or one of Python, begins with after its tag; and the beginning of that.
_ANY_JSON: Final = re.compile(r"\s{0,256}(?:[\[{]|```)")
_JSON: Final = re.compile(r"\s{0,256}(?:[\[{]|```|[A-Za-z_][\w.]{0,63}\((?:\)|\s{0,16}\w{1,64}\s{0,16}=))")
_BEGUN_JSON: Final = re.compile(r"\s{0,256}(?:`{0,2}|[A-Za-z_][\w.]{0,63}(?:\(\s{0,16}\w{0,64}\s{0,16})?)\Z")
#: The name of a tool as text, and the beginning of one, or of a tag in its place.
_CALLED: Final = re.compile(r"\s{0,256}[^\s<>{}`]{1,128}[ \t]{0,16}[\r\n<]")
_BEGUN_CALLED: Final = re.compile(r"\s{0,256}(?:[^\s<>{}`]{0,128}[ \t]{0,16}|<\w{0,64})\Z")
_GAP: Final = re.compile(r"\s{0,256}")
#: A text that is a call in JSON, and the beginning of one.
_BARE_JSON: Final = re.compile(r'\s{0,256}\{\s{0,256}"name"\s{0,256}:')
_BEGUN_BARE_JSON: Final = re.compile(r'\s{0,256}(?:\{\s{0,256}(?:"(?:n(?:a(?:m(?:e(?:"\s{0,256})?)?)?)?)?)?)?\Z')
_LONGEST_BARE: Final = 1 << 16
#: The start tag of a call without its end, before the next line; and one with its name as content.
_UNENDED: Final = re.compile(r"<(\w+)=([\w.:-]{1,128})[ \t]{0,16}\r?\n(?=\s{0,64}<)")
_AS_CONTENT: Final = re.compile(r"<(\w+)>\s{0,16}([\w.:-]{1,128})\s{0,16}</\1>")
_BEGUN_CONTENT: Final = re.compile(r"<(\w+)>\s{0,16}[\w.:-]{0,128}\s{0,16}(?:<(?:/\w*)?)?\Z")
#: Characters in which the end of fenced code, or of a code span, is looked for.
_FENCED: Final = 1 << 16
_SPAN: Final = 512
_END_OF_FENCE: Final = re.compile(r"\n[ ]{0,3}```")


class Scanner(InCall):
    """Reads calls in one or several formats: the first is the one that was asked for, others may stand in it."""

    def __init__(self, grammars: Sequence[Grammar], options: Options, *, is_any: bool) -> None:
        """Begin; with `is_any`, all formats count alike."""
        super().__init__(grammars, options)
        self._before = "\n"  # the last character
        self._line_head = ""  # the beginning of the current line
        self._in_fence = False
        self._is_first = False  # whether no text has been reported since the last tag
        self._after_around = False  # whether that tag was one around calls
        self._has_calls = options.get("thinking_calls", False)  # whether calls in reasoning count
        self._withheld: list[str] = []  # the text that is held back
        element, grammar = options.get("thinking"), self._grammars[0]
        # Its tags, as the format spells tags, and as XML does
        self._starts, self._ends = (
            {} if element is None else dict.fromkeys([f"{head}{element}{grammar.ends}", f"{plain}{element}>"])
            for head, plain in ((grammar.opens, "<"), (grammar.closes, "</"))
        )
        tags = [*self._starts, *self._ends]
        self._end_of_thinking = re.compile("|".join(map(re.escape, self._ends)))
        self._any_tag = re.compile("|".join(map(re.escape, tags)))
        self._begun_tag = re.compile(rf"{beginnings(frozenset(tags))}?\Z")
        self._is_any, self._fenced = is_any, options.get("fenced", False)
        texts = {text for grammar in grammars for text in (grammar.opens, grammar.closes, *grammar.format.marks)}
        texts |= {*self._starts, *self._ends}
        whole = "|".join(map(re.escape, sorted(texts, key=len, reverse=True)))
        self._interesting = re.compile(rf"{whole}|`|{beginnings(frozenset(texts))}\Z")
        self._marks = tuple(mark for grammar in grammars for mark in grammar.format.marks)
        self._is_clean = False  # whether only white space and end tags have come after the last call
        self._state = self._before_thinking if self._starts else self._at_begin

    def _leave(self) -> bool:
        """Begin to read after a call."""
        self._after_tag(self._at)
        self._is_clean = True
        self._state = self._outside
        return True

    # Text outside of calls --------------------------------------------------------------------------------------------

    def _after_tag(self, index: int) -> None:
        self._at = index
        self._before = ">"
        self._line_head = "-" * 8
        self._is_first = True
        self._after_around = False

    def _say(self, index: int) -> None:
        """Report the text up to an index."""
        text = self._text[self._at : index]
        if not text:
            return
        self._at = index
        self._before = text[-1]
        self._is_first = self._after_around = False
        self._track_fence(text)
        self._events.append(Event(self._kind, text=text))

    def _track_fence(self, text: str) -> None:
        head = self._line_head
        if "`" not in text and "`" not in head:
            line = text.rfind("\n")
            self._line_head = (text[line + 1 : line + 9] if line >= 0 else head + text[: 8 - len(head)])[:8]
            return
        for number, part in enumerate(text.split("\n")):
            before = "" if number else head
            head = (before + part)[:8]
            if head.lstrip(" ").startswith("```") and not before.lstrip(" ").startswith("```"):
                self._in_fence = not self._in_fence
        self._line_head = head

    # Reasoning, of which the prompt may have had the start tag: then text is held back up to a tag of it, or the end --

    def _before_thinking(self) -> bool:
        """Look for the first tag of reasoning."""
        text, at = self._text, self._at
        found = self._any_tag.search(text, at)
        if found is None and not self._final:
            self._at = self._begun_tag.search(text, at).start()  # type: ignore[union-attr]
            self._withheld.append(text[at : self._at])
            return False
        self._text = "".join((*self._withheld, text[at:]))  # read again from the beginning
        self._withheld.clear()
        self._base = self._at = 0
        self._locator = Locator()
        self._locator.advance(0, self._text)
        if found is not None and found[0] in self._ends:
            self._begin_thinking(0)
        else:
            self._state = self._at_begin
        return True

    def _begin_thinking(self, index: int) -> None:
        self._after_tag(index)
        self._kind = "thinking"
        self._state = self._outside if self._has_calls else self._in_thinking

    def _in_thinking(self) -> bool:
        found = self._end_of_thinking.search(self._text, self._at)
        if found is None:
            begun = None if self._final else self._begun_tag.search(self._text, self._at)
            self._say(begun.start() if begun else len(self._text))
            return False
        self._say(found.start())
        return bool(self._at_thinking(found.start()))

    def _at_thinking(self, index: int) -> bool | None:
        """Read a tag of reasoning at an index; None if there is none, False if there may be one."""
        text, is_end = self._text, self._kind == "thinking"
        for tag in self._ends if is_end else self._starts:
            if text.startswith(tag, index):
                if is_end:
                    self._after_tag(index + len(tag))
                    self._kind, self._state = "text", self._outside
                else:
                    self._begin_thinking(index + len(tag))
                return True
            if not self._final and tag.startswith(text[index:]):
                return False
        return None

    # States ---------------------------------------------------------------------------------------------------------

    def _at_begin(self) -> bool:
        """Look for a call in JSON that is the whole text."""
        text, grammar = self._text, self._grammars[0]
        if grammar.format.is_json and len(text) < _LONGEST_BARE:
            if _BARE_JSON.match(text):
                if not self._final:
                    return self._wait(_NOTHING, _LONGEST_BARE)
                calls = read_calls(text)
                if calls and len(calls) == 1 and calls[0].arguments:
                    self._grammar, self._opened = grammar, grammar.format.call
                    self._call = Call("", calls[0].start)
                    self._has_name = False
                    self._value, self._content_start = [text], 0
                    sentence = f"'<{grammar.format.call}>' is missing; the JSON was taken for a call"
                    self._report("assumed-start-tag", calls[0].start, sentence, effect=MOVED)
                    self._finish_json(calls, len(text), len(text))
                    self._at, self._state = len(text), self._leave
                    return True
            elif not self._final and _BEGUN_BARE_JSON.match(text):
                return False
        self._state = self._outside
        return True

    def _outside(self) -> bool:
        text, at = self._text, self._at
        start = at
        if self._depth and self._is_first:
            visible = VISIBLE.search(text, at)
            if visible is None:
                if self._final:
                    self._at = len(text)
                return self._wait()
            start = visible.start()
        found = self._interesting.search(text, start)
        index = found.start() if found else len(text)
        if found is None or index > start:
            if text[start:index].strip():
                self._is_clean = False
            self._say(index)
            return found is not None
        if text[index] == "`":
            self._is_clean = False
            self._say(index + 1)
            return True
        return self._at_mark(index)

    def _at_mark(self, index: int) -> bool:
        """Read what may be a tag, or another mark of the format."""
        text = self._text
        before = text[index - 1] if index > self._at else self._before
        if self._kind == "thinking" or not (self._in_fence or before == "`"):
            done = self._at_thinking(index)
            if done:
                self._in_fence = self._is_clean = False
            if done is not None:
                return done
        for mark in self._marks:
            if text.startswith(mark, index):
                self._after_tag(index + len(mark))
                return True
            if not self._final and mark.startswith(text[index:]):
                return False
        tags: list[tuple[Grammar, Tag]] = []
        for grammar in self._grammars:
            tag = grammar.tag(text, index)
            if tag is not None:
                tags.append((grammar, tag))
            elif self._may_become(grammar, index, is_in_call=self._after_around and self._depth > 0):
                if not self._final:
                    return False
                if self._begin_cut_call(grammar, index):
                    return True
        if not self._final and self._is_clean and _BEGUN_END_TAG.match(text, index):
            return False
        known = [(grammar, tag) for grammar, tag in tags if tag.role in ("call", "around")]
        loose = self._loose_call(index, has_known=bool(known))
        if loose is None and not self._final and self._after_around and _BEGUN_CONTENT.match(text, index):
            return False
        if known or loose:
            is_mention = self._is_mention(index, (known or tags)[0][1].end if known or tags else index)
            if is_mention is None:
                return False
            if is_mention:
                self._is_clean = False
                self._say(is_mention)
                return True
        if loose is not None:
            grammar, tag, name, end = loose
            sentence = f"{text[index:end].strip()[:80]!r} was taken for '<{grammar.format.call}={name}>'"
            self._begin(grammar, tag, name, end)
            self._report("assumed-start-tag", self._base + index, sentence, effect=KEPT)
            self._name_call()
            return True
        if known:
            done = self._on_end(known, index) if known[0][1].is_end else self._on_start(known)
            if done is not None:
                return done
        elif self._is_clean and (found := _ANY_END_TAG.match(text, index)):
            if any(tag.role != "none" for _, tag in tags):
                self._after_tag(found.end())
            else:
                is_first = self._is_first
                self._say(found.end())
                self._is_first = is_first
            return True
        self._is_clean = False
        self._say(index + 1)
        return True

    def _is_mention(self, index: int, end: int) -> int | None:
        """Return where the code ends that a tag is in; 0 if it is in none, None if its end may follow."""
        text = self._text
        before = text[index - 1] if index > self._at else self._before
        if before == "`":
            found = _BACKTICK.search(text, end, end + _SPAN)
            if found is None and len(text) < end + _SPAN and not self._final:
                return None
            if found is not None and found[0] == "`":
                return found.start()
        if self._in_fence and not self._fenced:
            fence = _END_OF_FENCE.search(text, end, end + _FENCED)
            if fence is None and len(text) < end + _FENCED and not self._final:
                self._wait(_BACKTICK, self._base + end + _FENCED)
                return None
            if fence is not None:
                return fence.start()
        return 0

    # End tags -------------------------------------------------------------------------------------------------------

    def _on_end(self, tags: list[tuple[Grammar, Tag]], index: int) -> bool | None:
        """Read an end tag outside of calls; None if it is text."""
        role, tag = next(((tag.role, tag) for _, tag in tags if tag.role == "around"), (tags[0][1].role, tags[0][1]))
        is_orphan = self._last_call is None and not self._line_head.strip()
        if role == "around" and (self._depth or self._is_first or self._is_clean or is_orphan):
            self._depth = max(self._depth - 1, 0)
            if not self._is_first and index > self._at:
                self._say(index)
            self._after_tag(tag.end)
            if tags[0][1].role != "call":
                return True
        if any(tag.role == "call" and not (role == "around" and grammar.format.is_json) for grammar, tag in tags):
            is_clean, last = self._is_clean, self._last_call
            if last is not None and not (role == "around" and self._at == tag.end):
                self._errors.clear()
                effect: Effect = KEPT if is_clean else MOVED
                self._report("unmatched-end-tag", self._base + index, tag.source, effect=effect)
                last.errors += tuple(self._errors)
                self._errors.clear()
                if not is_clean:
                    self._last_call = None
            if self._at == tag.end:
                return True
            if is_clean:
                self._after_tag(tag.end)
                return True
        return None

    # Start tags -----------------------------------------------------------------------------------------------------

    def _on_start(self, tags: list[tuple[Grammar, Tag]]) -> bool | None:
        """Read a start tag outside of calls; None if it is text, False to wait."""
        text = self._text
        end = tags[0][1].end
        gap = _GAP.match(text, end)
        next_place = gap.end() if gap else end
        is_open = next_place == len(text) and not self._final
        jsons = [(grammar, tag) for grammar, tag in tags if grammar.format.is_json and tag.role == "call"]
        if jsons:
            is_main = self._grammars[0].format.is_json or self._is_any
            if (_JSON if is_main else _ANY_JSON).match(text, end):
                grammar, tag = jsons[0]
                self._begin(grammar, tag, "", tag.end)
                return True
            if not self._final and _BEGUN_JSON.match(text, end):
                return False
        for grammar, tag in tags:
            if tag.role == "around":
                may_be_name = any(other.format.key and one.role == "call" for other, one in tags)
                if may_be_name or (self._grammars[0].format.is_json and not self._is_any):
                    if is_open:
                        return False
                    if text[next_place : next_place + 1] != "<":
                        continue
                self._begin_around(tag)
                return True
            if grammar.format.is_json:
                continue
            if grammar is not self._grammars[0] and not self._is_any and not self._depth:
                continue
            if grammar.format.key and any(other.format.call != grammar.format.call for other, _ in tags):
                called = _CALLED.match(text, end)
                if called is None and not self._final and _BEGUN_CALLED.match(text, end):
                    return False
                if called is None and not text.startswith(f"<{grammar.format.key}", next_place):
                    continue
            name, attributes, backslashes = grammar.name_of(tag, "call")
            if grammar.is_named:
                name = tag.element
                attributes = {**attributes, **({"name": ""} if tag.rest.lstrip()[:4] == "name" else {})}
            if grammar.format.key and tag.rest.strip():
                attributes = {"name": "", **attributes} if name else attributes
                name = ""
            self._begin(grammar, tag, name, tag.end)
            self._report_quotes(tag, backslashes)
            if not grammar.format.key:
                self._expect_name(name, "the call", self._base + tag.start)
                self._name_call()
            self._report_attributes(tag, attributes, "call")
            if tag.is_empty:
                self._end_call(tag.start, tag.end)
            return True
        return None

    def _begin_around(self, tag: Tag) -> None:
        if not self._is_first and tag.start > self._at:
            self._say(tag.start)
        self._after_tag(tag.end)
        if not tag.is_empty:
            self._depth += 1
            self._after_around = True
        self._is_clean = False

    def _begin(self, grammar: Grammar, tag: Tag, name: str, end: int) -> None:
        """Begin a call, before which only layout is not reported."""
        if not (self._is_first and self._depth) and tag.start > self._at:
            self._say(tag.start)
        self._source = self._text[tag.start : end]
        self._is_clean = False
        self._begin_call(grammar, tag, name, end)
        if grammar.format.is_json and tag.rest.strip():
            _, attributes, _ = grammar.name_of(tag, "call")
            self._report_attributes(tag, attributes, "call")

    def _begin_cut_call(self, grammar: Grammar, index: int) -> bool:
        """Begin and end a call whose tag is cut off; return whether it is one."""
        begun = grammar.begun.match(self._text, index)
        if begun is None or self._text.startswith(grammar.closes, index):
            return False
        element = grammar.spelled(begun["name"])
        if grammar.role(element) != "call" or grammar.format.is_json:
            return False
        tag = Tag("call", False, element, begun["name"], begun["rest"], index, len(self._text))
        name = element if grammar.is_named else grammar.name_of(tag, "call")[0]
        is_cut = begun["open"] or not begun["rest"] or (not grammar.is_named and begun["rest"].endswith(name))
        if is_cut or grammar.format.key:
            name = ""
        self._begin(grammar, tag, name, len(self._text))
        self._name_call()
        self._end_call(len(self._text), len(self._text), is_cut=True)
        return True

    def _loose_call(self, index: int, *, has_known: bool) -> tuple[Grammar, Tag, str, int] | None:
        """Return the call that something directly in an element around calls means, its name, and where that ends."""
        if not (self._after_around and self._depth):
            return None
        text = self._text
        for grammar in self._grammars:
            if grammar.format.is_json or grammar.is_named or grammar.format.key or grammar.opens != "<":
                continue
            tag = grammar.tag(text, index)
            for pattern in (_UNENDED, _AS_CONTENT):
                found = pattern.match(text, index)
                if found and (grammar.role(found[1]) == "call" or found[1] in ("function", "tool", "function_call")):
                    end = found.end()
                    return grammar, Tag("call", False, found[1], found[1], "", index, end), found[2], end
            if has_known and (tag is None or tag.role == "none"):
                continue
            if tag is not None and tag.role == "none" and not tag.is_end and (like := grammar.like(tag, None, {})):
                return grammar, tag, like[1], tag.end
            if tag is not None and tag.role == "call" and not tag.is_end and tag.rest[:1].isspace() and "=" in tag.rest:
                name, attributes, _ = grammar.name_of(tag, "call")
                if name and not attributes and tag.rest.lstrip().startswith("="):
                    return grammar, tag, name, tag.end
        return None
