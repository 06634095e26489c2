"""The text that is read, and what is known of the call in it."""

import re
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, TypedDict

from xml5tree.errors.codes import CODES, EFFECTS, KEPT, LOST, MOVED, Effect
from xml5tree.errors.entry import ErrorEntry, entry_of
from xml5tree.errors.locator import Locator
from xml5tree.errors.reporter import shortened
from xml5tree.tools.calls import Call, Event
from xml5tree.tools.grammar import LONGEST_TAG, Grammar, Role, Tag
from xml5tree.tools.jsoncalls import JSONCall, read_calls, read_object
from xml5tree.tools.schemas import Tool, convert_json
from xml5tree.tools.values import NamedTags, ValueEnd

VISIBLE: Final = re.compile(r"\S")
_NEVER: Final = 1 << 62
IN_NO_ARGUMENT: Final = "text of the call that is in no argument was moved behind the call"
BEFORE_NEXT: Final = "the call was assumed to end before the next one"

#: A string of JSON up to its end, or to a backslash that the text ends in.
_REST_OF_STRING: Final = re.compile(r'(?:[^"\\]++|\\.)*+', re.DOTALL)
#: The beginning of a call in JSON, up to the name of the tool, and how long it may be.
_NAME_IN_JSON: Final = re.compile(r'\s*\{\s*"name"\s*:\s*"([^"\\]*)"')
_LONGEST_HEAD: Final = 1000

#: Attributes that have no content.
_FREE: Final = frozenset({"index"})


class Options(TypedDict, total=False):
    """The options of `CallReader`, which says what they mean."""

    fenced: bool
    thinking: str | None
    thinking_calls: bool
    repair_json: bool


class CallState:
    """The text as it comes, and the current call; `_leave` is the state after it.

    A state reads what is certain, and returns whether it went on; if not, it needs more text. What text helps it may
    be said with `_wait`, so that what comes in small pieces is not put together for each.
    """

    def __init__(self, grammars: Sequence[Grammar], options: Options) -> None:
        self._errors: list[ErrorEntry] = []
        self._locator = Locator()
        self._events: list[Event] = []
        self._kind: Literal["text", "thinking"] = "text"  # of text outside of calls
        self._text = ""  # the text that is not read yet, and some before it
        self._base = 0  # the offset at which it begins
        self._at = 0  # the index of its next character
        self._pieces: list[str] = []  # the text after it
        self._held = 0  # its length
        self._passed = 0  # the length of what is certainly in the current argument of the text that is not read yet
        self._final = False
        self._wake: tuple[re.Pattern[str], int] | None = None
        self._grammars = tuple(grammars)
        self._repairs = options.get("repair_json", False)
        self._value_ends: dict[Grammar, ValueEnd] = {}  # those of formats that have occurred
        self._named_tags: NamedTags | None = None  # of the current format, if it has any
        self._state: Callable[[], bool] = self._leave
        self._depth = 0  # elements around the call
        self._call = Call("", 0)  # the current or the last one
        self._snapshot: Call | None = None
        self._last_call: Call | None = None
        self._has_name = False  # whether the name of the call has been reported
        self._grammar = self._grammars[0]
        self._opened = ""  # the element of the call
        self._doubts: list[tuple[int, str]] = []  # ends that were assumed, right if the tool has what it requires
        self._has_text = False  # whether text in no argument has come since the last tag
        self._after_value = False  # whether only white space and end tags have come since a value
        self._is_open = False  # whether nothing has come in the call
        self._next_key: str | None = None  # the name of an argument that has not come yet
        # The current value
        self._key = ""
        self._is_key = False
        self._says: bool | None = None  # whether the argument says of itself that it is JSON, or text
        self._value: list[str] = []
        self._is_at_start = False
        self._breaks: tuple[str, ...] = ()
        # The current call in JSON
        self._head = ""
        self._in_string = False
        self._scanned = 0
        self._content_start = 0
        self._is_body = False

    # States of the classes below
    _leave: Callable[[], bool]
    _in_name: Callable[[], bool]
    _in_body: Callable[[], bool]

    @property
    def _tool(self) -> Tool | None:
        return self._grammar.tools.get(self._call.name)

    # Text -----------------------------------------------------------------------------------------------------------

    def feed(self, text: str) -> list[Event]:
        self._pieces.append(text)
        self._held += len(text)
        if self._wake is not None:
            pattern, enough = self._wake
            if self._base + len(self._text) + self._held < enough and not pattern.search(text):
                return []
        return self._run()

    def close(self) -> list[Event]:
        self._final = True
        return self._run()

    def _run(self) -> list[Event]:
        self._load()
        while self._state():
            pass
        events, self._events = self._events, []
        return events

    def _load(self) -> None:
        """Put the text together that has come, without what was read."""
        self._text = "".join((self._text[self._at :], *self._pieces))
        self._base += self._at
        self._locator.advance(self._base, self._text)
        self._at, self._held, self._passed = self._passed, 0, 0
        if self._at:
            self._value_end.pass_over(self._base + self._at)
        self._pieces.clear()
        self._wake = None

    def _wait(self, pattern: re.Pattern[str] = VISIBLE, enough: int = _NEVER) -> bool:
        """Return False; if more text can come, what helps is a match of a pattern, or text up to an offset."""
        if not self._final:
            self._wake = pattern, enough
        return False

    def _report(self, code: str, offset: int, *detail: object, effect: Effect | None = None) -> None:
        """Report an error of the current call, perhaps late: then its line is that where the current text begins."""
        line, column = self._locator.locate(max(offset, self._base))
        column = max(column - max(self._base - offset, 0), 0)
        usual = CODES[code]
        found = code, usual, None, effect or usual.effect, shortened(code, detail), line, column, offset
        self._errors.append(entry_of(found, None))

    # Calls ----------------------------------------------------------------------------------------------------------

    def _begin_call(self, grammar: Grammar, tag: Tag, name: str, end: int) -> None:
        """Begin a call with a name, after the index `end`."""
        self._grammar, self._opened = grammar, tag.element
        self._value_end = self._value_ends.get(grammar) or self._value_ends.setdefault(grammar, ValueEnd(grammar))
        self._named_tags = NamedTags(grammar) if grammar.has_named_arguments else None
        self._call = Call(name, self._base + tag.start)
        self._has_name = False
        self._doubts = []
        self._has_text = self._after_value = False
        self._is_open = True
        self._next_key = None
        self._errors.clear()
        self._at = end
        if grammar.format.is_json:
            self._begin_json(end, is_body=False)
        elif grammar.format.key:
            self._state = self._in_name
        else:
            self._state = self._in_body

    def _name_call(self) -> None:
        self._has_name = True
        self._emit("call")

    def _emit(self, kind: Any, argument: str = "", text: str = "") -> None:
        if kind in ("call", "argument-end") or self._snapshot is None:
            self._snapshot = self._call.copy()
        self._events.append(Event(kind, self._snapshot, argument, text))

    def _report_attributes(self, tag: Tag, attributes: dict[str, str | None], role: Role) -> None:
        """Report attributes that the format does not have, which may have been meant for arguments."""
        format = self._grammar.format
        known = {format.string_attribute} if role == "argument" else set()
        for name in attributes:
            if name not in known and not (name in _FREE and format.delimiters[0] != "<"):
                sentence = f"attribute {name!r} of '<{tag.source}>' was dropped: the format has no such attribute"
                self._report("assumed-attribute", self._base + tag.start, sentence, effect=LOST)

    def _report_quotes(self, tag: Tag, count: int) -> None:
        for _ in range(count):
            self._report("assumed-quotes", self._base + tag.start, "a quote with a backslash was taken for a quote")

    def _expect_name(self, name: str, of: str, offset: int) -> None:
        """Report a name that is missing; a program that goes by names would take the call or argument for another."""
        if not name:
            self._report("assumed-name", offset, f"{of} has no name; the empty name was assumed", effect=MOVED)

    def _end_call(self, start: int, end: int, *, is_cut: bool = False) -> None:
        """End the call at an index; its end tag begins at the index `start`."""
        call, offset = self._call, self._base + start
        if not is_cut and self._next_key is not None:
            self._drop_key(offset)
        if is_cut:
            self._report("eof-in-element", offset, self._opened, "", "")
        if not self._has_name:
            self._expect_name(call.name, "the call", offset)
            self._name_call()
        tool = self._tool
        is_right = tool is not None and tool.has_all(call.arguments) and not call.unconverted
        for place, sentence in self._doubts:
            self._report("assumed-end-before", place, sentence, effect=KEPT if is_right and not is_cut else MOVED)
        call.end = self._base + end
        call.complete = not is_cut
        self._finish_call(call)
        self._at = end
        self._state = self._leave

    def _finish_call(self, call: Call) -> None:
        call.errors = tuple(sorted(self._errors, key=lambda error: (error.offset, EFFECTS.index(error.effect))))
        self._errors.clear()
        self._last_call, self._snapshot = call, None
        self._events.append(Event("end", call))

    def _drop_key(self, offset: int) -> None:
        """Drop the name of an argument that has not come."""
        tag = self._grammar.format.argument
        sentence = f"'<{tag}>' is missing; argument {self._next_key!r} was dropped"
        self._report("assumed-start-tag", offset, sentence, effect=LOST)
        self._next_key = None

    def _cut(self) -> bool:
        """End the call with the text."""
        self._end_call(len(self._text), len(self._text), is_cut=True)
        return False

    def _give(self, name: str, value: Any) -> None:
        """Give the call an argument that is a value of JSON."""
        tool, call = self._tool, self._call
        schema, root = (tool.arguments.get(name), tool.root) if tool else (None, None)
        call.arguments[name], is_right, _ = convert_json(value, schema, root)
        if not is_right:
            call.unconverted += (name,)

    # Calls in JSON --------------------------------------------------------------------------------------------------

    def _begin_json(self, index: int, *, is_body: bool) -> None:
        """Read JSON from an index on: the arguments of the call, or the whole call."""
        self._is_body = is_body
        self._in_string = False
        self._value, self._head = [], ""
        self._at = index
        self._scanned = self._content_start = self._base + index
        self._state = self._in_json
        grammar = self._grammar
        ends, opens, closes = map(re.escape, (grammar.ends, grammar.opens, grammar.closes))
        names = f"{grammar.call}|{re.escape(self._opened)}"
        self._json_tag = re.compile(
            f'"|{closes}(?P<end>{names})(?:=[^<>\n]{{0,128}})?\\s{{0,16}}{ends}|{opens}(?P<start>{names})(?=[\\s=]|{ends})'
        )

    def _in_json(self) -> bool:
        text, base = self._text, self._base
        place = self._scanned - base
        while True:
            if self._in_string:
                place = _REST_OF_STRING.match(text, place).end()  # type: ignore[union-attr]
                if text[place : place + 1] != '"':
                    break
                self._in_string = False
                place += 1
                continue
            found = self._json_tag.search(text, place)
            if found is None:
                begun = self._grammar.tail.search(text, max(place, len(text) - (LONGEST_TAG >> 2) - 1))
                place = begun.start() if begun and not self._final else len(text)
                break
            if found[0] == '"':
                self._in_string = True
                place = found.end()
                continue
            self._take_json(found.start())
            return self._end_json(found.start(), found.end() if found["end"] else found.start())
        self._scanned = base + place
        self._take_json(len(text) if self._final else place)
        if self._final and self._has_name:
            return self._cut()
        if self._final:
            self._forget_call(len(text))
        return False

    def _take_json(self, index: int) -> None:
        if index <= self._at:
            return
        data = self._text[self._at : index]
        self._value.append(data)
        self._at = index
        if self._has_name:
            self._events.append(Event("argument", self._snapshot, "", data))
        elif len(self._head) < _LONGEST_HEAD:
            self._head += data
            if found := _NAME_IN_JSON.match(self._head):
                self._call.name = found[1]
                self._name_call()
                self._events.append(Event("argument", self._snapshot, "", self._head))

    def _forget_call(self, index: int) -> None:
        """Take a call without a name for text up to an index, whose tag is not known any more."""
        self._events.append(Event(self._kind, text=self._source + "".join(self._value) + self._text[self._at : index]))
        self._at = index
        self._state = self._leave

    _source = ""  # the tag of the call in JSON

    def _end_json(self, start: int, end: int) -> bool:
        text = "".join(self._value)
        if self._is_body:
            return self._end_body(text, start, end)
        calls = read_calls(text, repairs=self._repairs)
        if calls is None or (len(calls) > 1 and any(one.arguments is None for one in calls)):
            if not self._has_name:
                self._forget_call(end)
            else:
                self._call.end = self._base + end
                self._finish_call(self._call)
                self._at, self._state = end, self._leave
            return True
        if start == end:
            self._report("assumed-end-before", self._base + start, BEFORE_NEXT, effect=KEPT)
        self._finish_json(calls, start, end)
        self._at, self._state = end, self._leave
        return True

    def _finish_json(self, calls: list[JSONCall], start: int, end: int) -> None:
        """Make calls of JSON; its end tag is between two indices."""
        call, first = self._call, self._content_start
        for number, found in enumerate(calls):
            if number:
                call = self._call = Call(found.name, first + calls[number - 1].end)
                self._has_name = False
            is_last = number == len(calls) - 1
            call.name = found.name
            call.complete = found.arguments is not None
            for name, value in (found.arguments or {}).items():
                self._give(name, value)
            offset = self._base + start
            self._report_notes(found.notes, offset)
            self._expect_name(call.name, "the call", offset)
            if not self._has_name:
                self._name_call()
                self._events.append(
                    Event("argument", self._snapshot, "", "".join(self._value)[found.start : found.end])
                )
            call.end = self._base + end if is_last else first + found.end
            self._finish_call(call)

    def _report_notes(self, notes: Sequence[tuple[str, Effect]], offset: int) -> None:
        for sentence, effect in notes:
            self._report("assumed-twice" if effect == LOST else "assumed-text", offset, sentence, effect=effect)

    def _end_body(self, text: str, start: int, end: int) -> bool:
        """End a call whose arguments are an object of JSON."""
        found = read_object(text, repairs=self._repairs)
        offset = self._base + start
        if found is None:
            self._report("assumed-text", offset, IN_NO_ARGUMENT, effect=MOVED)
            self._events.append(Event(self._kind, text=text))
        else:
            sentence = "the JSON was taken for the arguments of the call"
            self._report("assumed-start-tag", self._content_start, sentence, effect=KEPT)
            self._report_notes(found.notes, offset)
            for name, value in found.value.items():
                self._give(name, value)
        if start == end:
            self._doubts.append((offset, BEFORE_NEXT))
        self._end_call(start, end)
        return True
