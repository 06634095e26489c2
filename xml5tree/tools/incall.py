"""Reads a call: its name, its arguments, or its JSON."""

import re
from typing import Final

from xml5tree.errors.codes import KEPT, LOST, MOVED, Effect
from xml5tree.tools.calls import Event
from xml5tree.tools.callstate import BEFORE_NEXT, IN_NO_ARGUMENT, VISIBLE, CallState
from xml5tree.tools.grammar import LONGEST_TAG, Grammar, Tag
from xml5tree.tools.schemas import Converted, convert, convert_nested, read_nested, without_cdata

_GREATER_THAN: Final = re.compile(r"[>|]")
_LINE_BREAK: Final = re.compile("\r\n|\n|\r")
_END_OF_NAME: Final = re.compile(r"[\n<]")
#: What the text in place of a tool's name has if it is prose or JSON, and how much of it a message shows.
_NO_NAME: Final = re.compile(r"""[\s"'`{}]""")
_SHOWN: Final = 24
#: A name of an argument whose start tag is that of a call.
_KEY_IN_CALL: Final = re.compile(r"\s{0,16}[^<>\n]{1,64}</")
_BEGUN_KEY: Final = re.compile(r"\s{0,16}[^<>\n]{0,64}<?\Z")
#: One line with an indentation, before an end tag that is indented.
_INDENTED: Final = re.compile(r"[ \t]+(\S[^\r\n]*?)[ \t]*\r?\n[ \t]+")
#: What an argument says of itself, and whether it is JSON then, not text.
_SAYS: Final = {"true": False, "string": False} | dict.fromkeys(
    ("false", "number", "integer", "boolean", "object", "array", "null"), True
)
#: The beginning of a line, up to a tag.
_LONGEST_INDENT: Final = 64
_INDENT: Final = re.compile(r"[\r\n][ \t]*\Z")
#: The largest part of a value that is held back for a start tag in it.
_WINDOW: Final = 1 << 16


class InCall(CallState):
    """The states in a call: its name, between arguments, and in them."""

    # Names that are the text before the first argument --------------------------------------------------------------

    def _in_name(self) -> bool:
        text, grammar = self._text, self._grammar
        visible = VISIBLE.search(text, self._at)
        if visible is None and not self._final:
            return self._wait()
        begin = visible.start() if visible else len(text)
        found = _END_OF_NAME.search(text, begin)
        if found is None and not self._final:
            return self._wait(_END_OF_NAME)
        end = found.start() if found else len(text)
        after = end
        while text[after : after + 1] == "<":  # another tag, or markup in the name
            tag = grammar.tag(text, after)
            if tag is None and not self._final and self._may_become(grammar, after):
                return self._wait(VISIBLE)
            if tag is None or tag.role != "none":
                break
            after = tag.end
            if after == len(text) and not self._final:
                return self._wait(VISIBLE)
        name = text[begin:end].strip()
        if text[end : end + 1] == "<" and after == end and (tag := grammar.tag(text, end)) is None:
            line = text.find("\n", end)
            after = line if line >= 0 else after
            if line < 0 and not self._final:
                return self._wait(_END_OF_NAME)
        self._call.name = name
        if not (self._final and after == len(text)):
            self._expect_name(name, "the call", self._base + after)
            if after > end:
                sentence = f"{text[end:after][:_SHOWN]!r} after the name of the tool was dropped"
                self._report("assumed-name", self._base + end, sentence, effect=KEPT)
            if _NO_NAME.search(name) and name not in grammar.tools:
                sentence = f"{name[:_SHOWN]!r} was taken for the name of a tool"
                self._report("assumed-name", self._base + end, sentence, effect=MOVED)
        self._name_call()
        self._at = after
        self._state = self._in_body
        return True

    def _may_become(self, grammar: Grammar, index: int, *, is_in_call: bool = True) -> bool:
        """Return whether the text ends in a tag that may become one that counts."""
        text = self._text
        if len(text) - index > LONGEST_TAG:
            return False
        if any(head != "<" and head.startswith(text[index:]) for head in (grammar.opens, grammar.closes)):
            return True
        begun = grammar.begun.match(text, index)
        if begun is None:
            return False
        name, rest = begun["name"], begun["rest"]
        if is_in_call and grammar.opens == "<":
            return not begun["open"] or bool(rest)
        if rest and not (grammar.format.spellings and rest.isspace()):
            return grammar.role(grammar.spelled(name)) != "none"
        return grammar.may_begin(name)

    # Between arguments ----------------------------------------------------------------------------------------------

    def _in_body(self) -> bool:
        text, at, grammar = self._text, self._at, self._grammar
        start = at
        if not self._has_text:
            visible = VISIBLE.search(text, at)
            if visible is None:
                return self._cut() if self._final else self._wait()
            start = visible.start()
            if self._is_open and text[start] == "{" and not grammar.is_named:
                self._begin_json(start, is_body=True)
                return True
        index = text.find(grammar.opens[0], start)
        if index < 0:
            index = len(text)
        if index > start:
            self._say_in_call(at, start, index)
            return True
        if index == len(text):
            return self._cut() if self._final else False
        tag = grammar.tag(text, index, is_in_call=True)
        if tag is None:
            if not self._final and self._may_become(grammar, index):
                return False
            if self._final and self._may_become(grammar, index, is_in_call=False):
                begun = grammar.begun.match(text, index)
                is_call = begun is not None and grammar.role(grammar.spelled(begun["name"])) == "call"
                if is_call and not text.startswith(grammar.closes, index) and not grammar.format.key:
                    self._end_call(index, index, is_cut=True)
                    return True
                return self._cut()
            for mark in grammar.format.marks:
                if text.startswith(mark, index):
                    self._at = index + len(mark)
                    return True
                if not self._final and mark.startswith(text[index:]):
                    return False
            self._say_in_call(at, start, index + 1)
            return True
        return self._on_tag(tag, start)

    def _say_in_call(self, at: int, start: int, index: int) -> None:
        """Report text of the call in no argument, which begins at an index after white space."""
        if not self._has_text:
            self._report("assumed-text", self._base + start, IN_NO_ARGUMENT, effect=MOVED)
        self._say_text(at, index)

    def _say_text(self, at: int, index: int) -> None:
        self._has_text = True
        self._after_value = False
        self._events.append(Event(self._kind, text=self._text[at:index]))
        self._at = index

    def _on_tag(self, tag: Tag, start: int) -> bool:
        """Read a tag in the call, or text before which white space begins."""
        grammar, text = self._grammar, self._text
        if tag.role == "call" and not tag.is_end and grammar.format.key:
            if _KEY_IN_CALL.match(text, tag.end) and text.startswith(
                f"</{grammar.format.key}", text.find("</", tag.end)
            ):
                sentence = f"'<{tag.source}>' was taken for '<{grammar.format.key}>'"
                self._report("assumed-start-tag", self._base + tag.start, sentence, effect=KEPT)
                tag = tag._replace(role="key", element=grammar.format.key)
            elif not self._final and (_BEGUN_KEY.match(text, tag.end) or len(text) - tag.end < LONGEST_TAG >> 3):
                return False
        role, name = tag.role, None
        if role in ("none", "argument") and (like := grammar.like(tag, self._call.name, self._call.arguments)):
            role, name = like
            if tag.role == "none":
                sentence = f"'<{tag.source}>' was taken for '<{grammar.format.argument}>'"
                self._report("assumed-start-tag", self._base + tag.start, sentence, effect=KEPT)
        if tag.is_end:
            return self._on_end_tag(tag, start)
        if role in ("call", "around"):
            self._doubts.append((self._base + tag.start, BEFORE_NEXT))
            self._end_call(tag.start, tag.start)
            return True
        if role == "none":
            self._say_in_call(self._at, start, tag.start + 1)
            return True
        self._has_text = self._after_value = self._is_open = False
        if role == "key":
            if self._next_key is not None:
                self._drop_key(self._base + tag.start)
            self._report_attributes(tag, grammar.name_of(tag, "key")[1], "key")
            self._begin_value(tag, "", is_key=True)
            return True
        self._begin_argument(tag, name)
        return True

    def _on_end_tag(self, tag: Tag, start: int) -> bool:
        grammar = self._grammar
        if tag.role == "call" or tag.element == self._opened:
            self._end_call(tag.start, tag.end)
        elif tag.role == "around":
            self._doubts.append((self._base + tag.start, "the call was assumed to end before this end tag"))
            self._end_call(tag.start, tag.start)
        elif tag.role != "none":
            offset = self._base + tag.start
            is_extra = self._after_value and not self._has_text
            self._report("unmatched-end-tag", offset, tag.source, effect=KEPT if is_extra else MOVED)
            if is_extra:
                self._at = tag.end
            else:
                self._say_text(self._at, tag.end)
        elif grammar.is_near_call(tag, self._opened):
            sentence = f"'</{tag.source}>' was taken for '</{self._opened}>'"
            self._report("assumed-end-tag", self._base + tag.start, sentence)
            self._end_call(tag.start, tag.end)
        else:
            self._say_in_call(self._at, start, tag.end)
        return True

    # Arguments ------------------------------------------------------------------------------------------------------

    def _begin_argument(self, tag: Tag, name: str | None) -> None:
        grammar, format = self._grammar, self._grammar.format
        found, attributes, backslashes = grammar.name_of(tag, "argument")
        if grammar.has_named_arguments or (format.key and not name):
            found = name = (self._next_key or "") if format.key else tag.element
            if tag.rest.lstrip()[:1] not in {"", "/"} and not attributes:
                attributes = {"name": ""}
        name = name or found
        self._next_key = None
        self._report_quotes(tag, backslashes)
        self._expect_name(name, "an argument", self._base + tag.start)
        self._report_attributes(tag, attributes, "argument")
        self._says = _SAYS.get(attributes.get(format.string_attribute) or "") if format.string_attribute else None
        self._begin_value(tag, name, is_key=False)
        if tag.is_empty:
            self._end_value()
            self._at = tag.end
            self._state = self._in_body

    def _begin_value(self, tag: Tag, key: str, *, is_key: bool) -> None:
        self._key, self._is_key = key, is_key
        self._value = []
        self._at = tag.end
        self._is_at_start = self._grammar.format.trims
        self._breaks = ("\r\n", "\n", "\r")
        end = self._value_end
        end.tool = self._call.name
        end.begin_value(self._base + tag.end, tag.element, key, opened=self._opened, depth=self._depth, is_key=is_key)
        if not is_key:
            self._emit("argument-start", key)
        self._state = self._in_value

    def _in_value(self) -> bool:
        text, base = self._text, self._base
        if self._is_at_start:
            if not self._final and self._at >= len(text) - (text[self._at :] == "\r"):
                return False
            self._is_at_start = False
            if found := _LINE_BREAK.match(text, self._at):
                self._breaks = ("\n",) if found[0] == "\n" else self._breaks
                self._at = found.end()
        ends = self._value_end
        end = ends.find(text, base, is_final=self._final)
        if end is not None:
            end = max(end, self._at)
            if ends.is_own is False or not self._is_key:
                ends.read_tags(text, base, end)
            return self._at_end_of_value(end)
        if self._final:
            self._take(ends.half_end_tag(text, self._at))
            self._end_value(is_cut=True)
            return self._cut()
        limit = ends.safe - base
        ends.read_tags(text, base, max(limit, 0))
        if (held := self._first_candidate(base + max(limit, 0))) is not None:
            limit = min(limit, held - base)
        if ends.pending >= 0:
            limit = min(limit, ends.pending - base)
        if limit > self._at and text[limit - 1] in "\r\n" and text[limit - 1 : limit + 1] != "\n\n":
            limit -= 1  # the last line break may belong to the end tag
            limit -= limit > self._at and text[limit - 1 : limit + 1] == "\r\n"
        self._take(limit)
        if limit < len(text) and (ends.is_in_doubt or held is not None):
            return self._wait(_GREATER_THAN, ends.enough if ends.is_in_doubt else base + len(text) + (_WINDOW >> 3))
        return False

    def _take(self, index: int) -> None:
        """Report the content up to an index."""
        if index > self._at:
            piece = self._text[self._at : index]
            self._value.append(piece)
            self._at = index
            if not self._is_key:
                self._events.append(Event("argument", self._snapshot, self._key, piece))

    def _at_end_of_value(self, end: int) -> bool:
        text, ends = self._text, self._value_end
        split = None if self._is_key else self._split(end)
        if split is not None:
            index, is_call = split
            self._take(self._before_break(index))
            offset = self._base + index
            sentence = f"argument {self._key!r} was assumed to end before this start tag"
            self._report("assumed-end-before", offset, sentence, effect=MOVED)
            self._end_value()
            self._at = index
            if is_call:
                self._end_call(index, index)
            else:
                self._state = self._in_body
            return True
        after, is_exact = ends.end_tag(text, end)
        is_own = ends.is_own and after > end
        self._take(self._before_break(end) if self._grammar.format.trims or not is_own else end)
        if not is_own:
            what = "the name of an argument" if self._is_key else f"'<{self._grammar.format.argument or self._key}>'"
            sentence = f"{what} was assumed to end before this {'tag' if self._is_key else 'end tag'}"
            self._doubts.append((self._base + end, sentence))
        elif not (self._is_key or is_exact):
            sentence = f"{text[end:after]!r} was taken for the end tag of the argument"
            self._report("assumed-end-tag", self._base + end, sentence)
        self._end_value(at=end)
        self._at = after
        self._after_value = not self._is_key
        self._state = self._in_body
        return True

    def _before_break(self, index: int) -> int:
        """Return where a line break before an index begins, if it may be dropped."""
        found = next((one for one in self._breaks if self._text.endswith(one, self._at, index)), "")
        return index - len(found)

    # Start tags in a value ------------------------------------------------------------------------------------------

    def _first_candidate(self, reached: int) -> int | None:
        """Return the offset of the first start tag in the value before which it may have ended."""
        ends = self._value_end
        if self._is_key:
            return None
        places = ends.starts_of(self._base + self._at, reached, _WINDOW)
        found = next((place for place in places if self._is_candidate(place - self._base)), None)
        call = ends.call_start
        if (
            call >= 0
            and reached - call <= _WINDOW
            and (found is None or call < found)
            and self._begins_line(call - self._base)
        ):
            return call
        return None if 0 <= call < (found or 0) else found

    def _is_candidate(self, index: int) -> bool:
        """Return whether a start tag in the value may be that of the next argument."""
        call, grammar, tool = self._call, self._grammar, self._tool
        if index < self._at:
            return False
        if grammar.format.key:
            return self._text.startswith(f"<{grammar.format.key}", index)
        tag = grammar.tag(self._text, index, is_in_call=True)
        if tag is None:
            return False
        name = tag.element if grammar.has_named_arguments else grammar.name_of(tag, "argument")[0]
        if not name or name in call.arguments or name == self._key:
            return False
        if grammar.has_named_arguments:
            return tool is not None and name in tool.arguments and self._begins_line(index)
        return name in tool.arguments if tool is not None else self._begins_line(index)

    def _begins_line(self, index: int) -> bool:
        before = "".join(self._value[-_LONGEST_INDENT:]) + self._text[max(index - _LONGEST_INDENT, self._at) : index]
        return _INDENT.search(before, max(len(before) - _LONGEST_INDENT, 0)) is not None

    def _split(self, end: int) -> tuple[int, bool] | None:
        """Return the index of a tag in the value before which it ends, and whether a call begins there."""
        ends, grammar, call = self._value_end, self._grammar, self._call
        held = self._first_candidate(self._base + end)
        if held is None:
            return None
        index = held - self._base
        if held == ends.call_start:
            return index, True
        if grammar.has_named_arguments and ends.is_own:
            return None
        if grammar.format.key:
            key, value = grammar.key, grammar.argument
            found = re.compile(rf"<{key}>\s*([^<>]{{1,128}}?)\s*</{key}>\s*<{value}>").match(self._text, index)
            name = found[1] if found else self._key
            is_known = self._tool is None or name in self._tool.arguments
            if found is None or not is_known or name in call.arguments or name == self._key:
                return None
        return index, False

    # The value ------------------------------------------------------------------------------------------------------

    def _end_value(self, *, is_cut: bool = False, at: int | None = None) -> None:
        text = "".join(self._value)
        self._value = []
        call = self._call
        if self._is_key:
            self._next_key = text.strip()
            return
        key = self._key
        offset = self._base + (self._at if at is None else at)
        if not is_cut and at is not None:
            tag = self._named_tags.first_open(text, key) if self._named_tags else self._value_end.first_open
            if tag:
                sentence = f"{tag!r} in argument {key!r} was taken for text: an end tag may be missing"
                self._report("assumed-text", offset, sentence, effect=MOVED)
        if key in call.arguments:
            sentence = f"an earlier value of argument {key!r} was replaced"
            self._report("assumed-twice", offset, sentence, effect=LOST)
            call.unconverted = tuple([name for name in call.unconverted if name != key])
        found = Converted(text) if is_cut else self._converted(text)
        if found.read_as:
            sentence = f"the value of argument {key!r} was read as {found.read_as}"
            effect: Effect = KEPT if found.read_as == "Python" else MOVED
            self._report("assumed-text", offset, sentence, effect=effect)
        if not found.is_right:
            call.unconverted += (key,)
        call.arguments[key] = found.value
        self._emit("argument-end", key)

    def _converted(self, text: str) -> Converted:
        format, tool = self._grammar.format, self._tool
        schema, root = (tool.arguments.get(self._key), tool.root) if tool else (None, None)
        if format.nests and not isinstance(value := read_nested(text, format.delimiters), str):
            return Converted(convert_nested(value, schema, root))
        text = without_cdata(text)
        if format.trims and (indented := _INDENTED.fullmatch(text)):
            text = indented[1]
        if self._says is False:
            return Converted(text)
        return convert(text, schema, root, is_json=bool(self._says), repairs=self._repairs)
