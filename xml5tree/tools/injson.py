"""Reads a call in JSON, or arguments in JSON."""

import re
from typing import Final

from xml5tree.errors.codes import KEPT, LOST, MOVED
from xml5tree.tools.calls import Call, Event
from xml5tree.tools.callstate import CallState
from xml5tree.tools.grammar import LONGEST_TAG
from xml5tree.tools.jsoncalls import JSONCall, read_calls, read_object

__all__ = ["BEFORE_NEXT", "IN_NO_ARGUMENT", "InJSON"]

IN_NO_ARGUMENT: Final = "text of the call that is in no argument was moved behind the call"
BEFORE_NEXT: Final = "the call was assumed to end before the next one"

#: In a string of JSON, what may end it.
_IN_STRING: Final = re.compile(r'["\\]')
#: The beginning of a call in JSON, up to the name of the tool, and how long it may be.
_NAME_IN_JSON: Final = re.compile(r'\s*\{\s*"name"\s*:\s*"([^"\\]*)"')
_LONGEST_HEAD: Final = 1000


class InJSON(CallState):
    """The state in JSON."""

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
                found = _IN_STRING.search(text, place)
                if found is None:
                    place = len(text)
                    break
                if found[0] == "\\":
                    place = found.end() + 1
                    if place > len(text):
                        break
                    continue
                self._in_string = False
                place = found.end()
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
        self._take_json(min(place, len(text)))
        if self._final:
            return self._cut_json()
        return False

    def _take_json(self, index: int) -> None:
        if index <= self._at:
            return
        data = self._text[self._at : index]
        self._value.append(data)
        self._at = index
        if self._has_name:
            self._events.append(Event("argument", self._snapshot, "", data))
        elif len(self._head) < _LONGEST_HEAD and self._call is not None:
            self._head += data
            if found := _NAME_IN_JSON.match(self._head):
                self._call.name = found[1]
                self._name_call()
                self._events.append(Event("argument", self._snapshot, "", self._head))

    def _cut_json(self) -> bool:
        if self._has_name:
            return self._cut()
        self._forget_call(len(self._text))
        return False

    def _forget_call(self, index: int) -> None:
        """Take a call without a name for text up to an index, whose tag is not known any more."""
        assert self._call is not None
        self._events.append(Event(self._kind, text=self._source + "".join(self._value) + self._text[self._at : index]))
        self._call = None
        self._at = index
        self._state = self._leave

    _source = ""  # the tag of the call in JSON

    def _end_json(self, start: int, end: int) -> bool:
        text = "".join(self._value)
        call = self._call
        assert call is not None
        if self._is_body:
            return self._end_body(text, start, end)
        calls = read_calls(text, repairs=self._repairs)
        if calls is None or (len(calls) > 1 and any(one.arguments is None for one in calls)):
            if not self._has_name:
                self._forget_call(end)
            else:
                call.end = self._base + end
                self._finish_call(call)
                self._at, self._state = end, self._leave
            return True
        if start == end:
            self._report("assumed-end-before", self._base + start, BEFORE_NEXT, effect=KEPT)
        self._finish_json(calls, start, end)
        self._at, self._state = end, self._leave
        return True

    def _finish_json(self, calls: list[JSONCall], start: int, end: int) -> None:
        """Make calls of JSON; its end tag is between two indices."""
        call = self._call
        assert call is not None
        first = self._content_start
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
            for sentence, effect in found.notes:
                self._report("assumed-twice" if effect == LOST else "assumed-text", offset, sentence, effect=effect)
            self._expect_name(call.name, "the call", offset)
            if not self._has_name:
                self._name_call()
                self._events.append(
                    Event("argument", self._snapshot, "", "".join(self._value)[found.start : found.end])
                )
            call.end = self._base + end if is_last else first + found.end
            self._finish_call(call)

    def _end_body(self, text: str, start: int, end: int) -> bool:
        """End a call whose arguments are an object of JSON."""
        call = self._call
        assert call is not None
        found = read_object(text, repairs=self._repairs)
        offset = self._base + start
        if found is None:
            self._report("assumed-text", offset, IN_NO_ARGUMENT, effect=MOVED)
            self._events.append(Event(self._kind, text=text))
        else:
            sentence = "the JSON was taken for the arguments of the call"
            self._report("assumed-start-tag", self._content_start, sentence, effect=KEPT)
            for sentence, effect in found.notes:
                self._report("assumed-twice" if effect == LOST else "assumed-text", offset, sentence, effect=effect)
            for name, value in found.value.items():
                self._give(name, value)
        if start == end:
            self._doubts.append((offset, BEFORE_NEXT))
        self._end_call(start, end)
        return True
