"""Collects calls, events and the unchanged text around calls."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from xml5tree.dialects.xml5.tokenizer import Tokenizer
from xml5tree.errors.codes import EFFECTS, KEPT, LOST, MOVED, Effect
from xml5tree.errors.entry import ErrorEntry
from xml5tree.errors.log import ErrorLog
from xml5tree.output.markup import Markup
from xml5tree.tools.argumenttags import ArgumentTags, NamedTags
from xml5tree.tools.calls import Call, Event
from xml5tree.tools.heldtext import HeldText
from xml5tree.tools.roles import NAME, Role, Roles
from xml5tree.tools.schemas import convert, convert_json, load_json

__all__ = ["Collector"]

#: The beginning of a call in JSON, up to the name of the tool, and how long it may be.
_NAME_IN_JSON: Final = re.compile(r'\s*\{\s*"name"\s*:\s*"([^"\\]*)"')
_LONGEST_HEAD: Final = 1000
#: What follows the name of a tool in a tag.
_AFTER_NAME: Final = frozenset("\"' \t\r\n/")
#: What the text in place of a tool's name has if it is prose or JSON, and how much of it a message shows.
_NO_NAME: Final = re.compile(r"""[\s"'`{}]""")
_SHOWN: Final = 24


class Collector(Markup):
    """An emitter (see `Markup`) that makes calls instead of markup.

    The tokenizer gives the spans of tags. The log's `truncated` is set if the text ends inside a construct; `is_cut` is
    set while elements are closed because the text ends.
    """

    tokenizer: Tokenizer
    log: ErrorLog

    def __init__(self, roles: Roles, errors: list[ErrorEntry]) -> None:
        """Begin; `errors` gets the errors of the text as they are found."""
        super().__init__(lambda: 0, keeps_lines=False)
        self.roles = roles
        self.is_cut = False
        self._errors = errors
        self._events: list[Event] = []
        self._source = HeldText()
        self._is_first = False  # whether none of it has been reported since the last tag
        self._earlier_errors = 0  # how many errors came before it
        self._outer_depth = 0  # open elements around calls
        self._call: Call | None = None
        self._last_call: Call | None = None  # the call before the text, until an end tag in the text casts doubt on it
        self._has_name = False  # whether the name of the call has been reported
        has_names = bool(roles.arguments) and not (roles.format.argument or roles.format.key)
        self._tags = NamedTags(roles) if has_names else ArgumentTags(roles.format)
        self._key = ""  # the name of the current or the next argument
        self._has_key = False  # whether the name came as an element, and its argument has not come yet
        self._is_text = False  # whether the current argument says of itself that it is text,
        self._is_json = False  # or that it is JSON
        self._head = ""  # the beginning of a call in JSON
        self._value: list[str] | None = None  # the content of the current argument, key or call in JSON
        self._role: Role = "around"  # what that is
        self._length = 0  # characters that have been added
        #: A possible end of a text: with the next characters it may be dropped, or be the beginning of an end tag.
        #: Formats that keep line breaks at the end of a value drop one if its end tag is missing.
        self._held_back = {"", "<", "\r", "\n"}
        self._is_plain = False  # whether the next characters are certainly content to report
        self._passed = 0  # characters of content that were reported before they are read

    @property
    def is_in_call(self) -> bool:
        return self._call is not None

    # Text as it stands ----------------------------------------------------------------------------------------------

    def add(self, text: str) -> None:
        self._source.add(text)
        self._length += len(text)

    def take_events(self, *, is_last: bool = False) -> list[Event]:
        """Return the events since the last call, once the tokenizer has read."""
        reached = self.tokenizer.reached
        if self._call is not None and not self._has_name:
            self._find_name(reached, is_last=is_last)
        if self._call is None or (self._has_name and self._value is None):
            self._report_text(reached, is_last=is_last)
        elif self._has_name:
            self._source.drop(reached)
        self._is_plain = bool(self._value) and self._has_name and self._role != "key" and reached == self._length
        events, self._events = self._events, []
        return events

    def plain_event(self, text: str) -> Event | None:
        """Return the event of text that is certainly content, or None."""
        if not self._is_plain or "</" in text or text[-1:] in self._held_back:
            return None
        self._passed += len(text)
        assert self._value is not None
        self._value.append(text)
        return Event("argument", self._call, self._key, text)

    def _report_text(self, offset: int, *, is_last: bool = True) -> None:
        """Report the text up to an offset, but no layout. `is_last`: a tag or the end follows."""
        has_layout = self._outer_depth > 0 or self._call is not None
        if has_layout and self._is_first and self._source.first_visible(offset) >= offset:
            if is_last:
                self._source.drop(offset)
            return
        if text := self._source.between(self._source.start, offset):
            if self._is_first and self._call is not None:
                self._expect_no_text(self._source.first_visible(offset))
            self._events.append(Event("text", text=text))
            self._is_first = False
        self._source.drop(offset)

    # The tree -------------------------------------------------------------------------------------------------------

    def start_tag(self, name: str, attributes: Iterable[tuple[str, str]], empty: bool, verbatim: str | None) -> None:
        role = self.roles.role(name)
        # A call whose tag is cut off is an incomplete call; other tags are text, or in a call that is not complete.
        is_cut, is_json = self.log.truncated, self.roles.format.is_json
        if is_cut and (role != "call" or is_json):
            return
        offset, end = self.tokenizer.token_offset, self.tokenizer.place()
        if self._call is not None and not self._has_name:
            self._find_name(offset, is_last=True)
        self._report_text(offset)
        self._is_first = True
        self._earlier_errors = len(self._errors)
        source = self._source.between(self._source.start, end) if is_cut else None
        if role != "call" or not is_json:
            self._source.drop(end)
        if role == "around":
            self._outer_depth += not empty
        elif role == "call":
            self._begin_call(name, dict(attributes), offset, source)
            if not is_cut:  # then the last one may be half a name
                self._report_attributes(name, attributes, role)
        elif self._call is not None:
            self._begin_value(name, dict(attributes), role)
            self._report_attributes(name, attributes, role)
        if empty and role != "around":
            self.end_tag(name, None)

    def end_tag(self, name: str, verbatim: str | None, *, closed_at: int | None = None) -> None:
        role = self.roles.role(name)
        if role == "none":
            return
        is_cut = self.is_cut or self.log.truncated
        end = min(self.tokenizer.place(), self._length)  # the end of the text counts as a character
        start = end if self.is_cut else self.tokenizer.token_offset
        if closed_at is not None:
            end = start
        if self._value is not None and role == self._role:
            self._end_value(is_cut=is_cut)
        if role == "call" and self._call is not None:
            if not self._has_name:
                self._find_name(start, is_last=True, is_cut=is_cut)
            if not is_cut:
                self._end_key()
            self._end_call(start, end, is_cut=is_cut)
        elif role == "call":  # whose tag was cut off, and is text
            self._report_text(end)
        elif role == "around":
            self._report_text(start)
            self._outer_depth = max(self._outer_depth - 1, 0)
        self._source.drop(end)
        self._is_first = True
        self._earlier_errors = len(self._errors)

    def text(self, data: str) -> None:
        if self._passed:
            data, self._passed = data[self._passed :], max(self._passed - len(data), 0)
        if self._value is None or not data:
            return
        self._value.append(data)
        if self._role == "argument":
            self._events.append(Event("argument", self._call, self._key, data))
        elif self._role == "call":
            self._report_json(data)

    def reference(self, data: str, verbatim: str | None) -> None:
        """Do nothing: arguments have no references."""

    def _write(self, markup: str) -> None:
        pass

    # Calls ----------------------------------------------------------------------------------------------------------

    def _begin_call(self, tag: str, attributes: dict[str, str], offset: int, cut_off: str | None) -> None:
        """Begin a call; `cut_off` is the source of its tag if the text ends in that."""
        format = self.roles.format
        name = attributes.get(NAME, "") if format.call else tag
        if cut_off is not None:
            name = _whole_name(name, cut_off)
        self._call = Call(name.strip(), offset)
        self._key = ""
        self._has_key = self._has_name = False
        if format.is_json:
            self._role, self._value, self._head = "call", [], ""
        elif not format.key:
            if cut_off is None:
                self._expect_name(self._call.name, "the call")
            self._report_call()

    def _report_attributes(self, tag: str, attributes: Iterable[tuple[str, str]], role: Role) -> None:
        """Report attributes that the format does not have, which may have been meant for arguments."""
        known = self.roles.attributes(role)
        for name, _ in attributes:
            if name not in known:
                sentence = f"attribute {name!r} of '<{tag}>' was dropped: the format has no such attribute"
                self._report_here("assumed-attribute", sentence, LOST)

    def _expect_name(self, name: str, of: str) -> None:
        """Report a name that is missing; a program that goes by names would take the call or argument for another."""
        if not name:
            self._report_here("assumed-name", f"{of} has no name; the empty name was assumed", MOVED)

    def _expect_no_text(self, offset: int) -> None:
        """Report text in a call, outside its arguments, that begins at an offset."""
        # An end tag of no element has such an entry already, and a tag that is cut off has one of its own.
        errors = self._errors[self._earlier_errors :]
        is_end_tag = any(error.offset == offset and error.code == "unmatched-end-tag" for error in errors)
        if not is_end_tag and not self.log.truncated:
            sentence = "text of the call that is in no argument was moved behind the call"
            self.tokenizer.report("assumed-text", offset, sentence, effect=MOVED)

    def _report_here(self, code: str, sentence: str, effect: Effect) -> None:
        """Report an error of the current tag."""
        self.tokenizer.report(code, self.tokenizer.token_offset, sentence, effect=effect)

    def _report_call(self) -> None:
        self._has_name = True
        self._events.append(Event("call", self._call))

    def _find_name(self, offset: int, *, is_last: bool, is_cut: bool = False) -> None:
        if self._call is None or self.roles.format.is_json:
            return
        end = self._source.end_of_line(offset)
        if end is not None or is_last:
            begin = self._source.first_visible(offset)
            end = offset if end is None else end
            self._call.name = self._source.between(begin, end).strip()
            if not is_cut:
                self._expect_name(self._call.name, "the call")
                self._expect_no_prose(self._call.name, end)
            self._report_call()
            self._source.drop(end)

    def _expect_no_prose(self, name: str, end: int) -> None:
        """Report prose or JSON in place of the name of a tool, which ends at an offset."""
        if _NO_NAME.search(name) and name not in self.roles.tools:
            sentence = f"{name[:_SHOWN]!r} was taken for the name of a tool"
            self.tokenizer.report("assumed-name", end, sentence, effect=MOVED)

    def _end_call(self, start: int, end: int, *, is_cut: bool) -> None:
        """End the call; without a name, it becomes text."""
        call = self._call
        assert call is not None
        if not self._has_name:
            self._call = None
            self._report_text(end)
            return
        if not self.roles.format.is_json:
            self._report_text(start)
        call.end = end
        # Text may be reported later than tags and references in it.
        errors = sorted(self._errors, key=lambda error: (error.offset, EFFECTS.index(error.effect)))
        call.errors = tuple([error for error in errors if error.offset >= call.start and not _is_expected(error)])
        self._errors.clear()
        call.complete = not is_cut and call.complete if self.roles.format.is_json else not is_cut
        self._call, self._last_call = None, call
        self._events.append(Event("end", call))

    def doubt_last_call(self) -> None:
        """Add a call's end tag outside of calls, the last error, to the last call, which can have only one."""
        if self._last_call is not None:
            self._last_call.errors += (self._errors[-1],)
            self._last_call = None

    # Arguments ------------------------------------------------------------------------------------------------------

    def _begin_value(self, tag: str, attributes: dict[str, str], role: Role) -> None:
        format = self.roles.format
        self._role, self._value = role, []
        if role == "key":
            self._end_key()
        elif not format.key:
            self._key = attributes.get(NAME, "").strip() if format.argument else tag
        elif not self._has_key:
            self._key = ""
        if role == "argument":
            self._has_key = False
            self._expect_name(self._key, "an argument")
        self._is_text = bool(format.string_attribute) and attributes.get(format.string_attribute) == "true"
        self._is_json = bool(format.string_attribute) and attributes.get(format.string_attribute) == "false"

    def _end_value(self, *, is_cut: bool) -> None:
        text = "".join(self._value or ())
        self._value = None
        if self._role == "key":
            self._key = text.strip()
            self._has_key = True
            if not is_cut and (tag := self._tags.first(text)):
                self._report_tag(tag, "the name of an argument")
        elif self._role == "call":
            self._read_json(text)
        elif self._call is not None:
            self._end_argument(self._call, text, is_cut=is_cut)

    def _end_argument(self, call: Call, text: str, *, is_cut: bool) -> None:
        key = self._key
        if not is_cut and (tag := self._tags.first_open(text, key)):
            self._report_tag(tag, f"argument {key!r}")
        if key in call.arguments:
            self._report_here("assumed-twice", f"an earlier value of argument {key!r} was replaced", LOST)
            call.unconverted = tuple([name for name in call.unconverted if name != key])
        value: Any = text
        if not is_cut and not self._is_text:
            value, is_right = convert(text, self.roles.schema(call.name, key), is_json=self._is_json)
            if not is_right:
                call.unconverted += (key,)
        call.arguments[key] = value

    def _end_key(self) -> None:
        """Drop the name of an argument that has not come."""
        if self._has_key:
            tag = self.roles.format.argument
            self._report_here("assumed-start-tag", f"'<{tag}>' is missing; argument {self._key!r} was dropped", LOST)
            self._has_key = False

    def _report_tag(self, tag: str, where: str) -> None:
        """Report a tag in an argument or its name, where the end tag of either may be missing before the tag."""
        self._report_here("assumed-text", f"{tag!r} in {where} was taken for text: an end tag may be missing", MOVED)

    # Calls in JSON --------------------------------------------------------------------------------------------------

    def _report_json(self, data: str) -> None:
        """Report a call once its name has come, and then its text."""
        if self._has_name:
            self._events.append(Event("argument", self._call, "", data))
        elif len(self._head) < _LONGEST_HEAD and self._call is not None:
            self._head += data
            if found := _NAME_IN_JSON.match(self._head):
                self._call.name = found[1]
                self._report_call()
                self._events.append(Event("argument", self._call, "", self._head))

    def _read_json(self, text: str) -> None:
        """Read a call in JSON, which is complete only if the JSON is."""
        call = self._call
        assert call is not None
        twice: list[str] = []
        found = _loaded(text, twice)
        if not isinstance(found, dict) or not isinstance(found.get("name"), str):
            return
        arguments = found.get("arguments", found.get("parameters", {}))
        if isinstance(arguments, str):  # JSON in a string
            arguments = _loaded(arguments, twice)
        call.name = found["name"]
        call.complete = isinstance(arguments, dict)
        if isinstance(arguments, dict):
            call.arguments = {}
            for name, value in arguments.items():
                call.arguments[name], is_right = convert_json(value, self.roles.schema(call.name, name))
                if not is_right:
                    call.unconverted += (name,)
        for name in dict.fromkeys(twice):
            self._report_here("assumed-twice", f"an earlier value of {name!r} in the JSON was replaced", LOST)
        self._expect_name(call.name, "the call")
        if not self._has_name:
            self._report_call()
            self._events.append(Event("argument", call, "", text))


def _whole_name(name: str, source: str) -> str:
    """Return a name that stands in the source of a tag which is cut off; "" if the name may be cut off, too."""
    _, found, after = source.rpartition(name or "<")
    return name if found and after[:1] in _AFTER_NAME else ""


def _is_expected(error: ErrorEntry) -> bool:
    """Return whether an error is of markup that a format is made of, as ``<function=name>``."""
    return error.code == "assumed-attribute" and error.effect == KEPT


def _loaded(text: str, twice: list[str]) -> object:
    """Return the value of JSON text, whose strings may have line breaks; None if it is invalid.

    Names that an object has more than once are added to `twice`: the last value of each counts.
    """

    def read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) < len(pairs):
            twice.extend([name for name, count in Counter(name for name, _ in pairs).items() if count > 1])
        return members

    try:
        return load_json(text, strict=False, object_pairs_hook=read_object)
    except (ValueError, RecursionError):
        return None
