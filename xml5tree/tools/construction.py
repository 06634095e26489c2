"""The XML5 stages for tool calls."""

import re
from typing import Final

from xml5tree.dialects.xml5.elements import KnownElements, take_for_text
from xml5tree.dialects.xml5.raw import RawContent
from xml5tree.dialects.xml5.roots import RootsBuilder
from xml5tree.dialects.xml5.tokenizer import State, Tokenizer
from xml5tree.dialects.xml5.tree import TreeBuilder
from xml5tree.errors.codes import MOVED
from xml5tree.errors.reporter import Reporter
from xml5tree.options import Settings
from xml5tree.tools.collecting import Collector
from xml5tree.tools.roles import Roles
from xml5tree.tree.namespaces import Element
from xml5tree.xml.limits import COMMON_LIMITS
from xml5tree.xml.vocabulary import Vocabulary

__all__ = ["CallBuilder", "CallTags"]

#: Quotes, which begin and end strings in JSON, and backslashes, which escape quotes.
_QUOTE_OR_BACKSLASH: Final = re.compile(r'["\\]')


class CallBuilder(RootsBuilder):
    """See `RootsBuilder`. Names have no namespaces, no character is replaced, and calls do not nest."""

    emitter: Collector

    def __init__(self, collector: Collector, reporter: Reporter, settings: Settings) -> None:
        super().__init__(collector, reporter, COMMON_LIMITS, settings)

    def insert(self, name: str, attributes: dict[str, str], offset: int, verbatim: str | None) -> None:
        self._end_call_before(name, offset)
        super().insert(name, attributes, offset, verbatim)

    def append_element(self, name: str, attributes: dict[str, str], offset: int, verbatim: str | None) -> None:
        self._end_call_before(name, offset)
        super().append_element(name, attributes, offset, verbatim)

    def _end_call_before(self, name: str, offset: int) -> None:
        if not self.emitter.is_in_call or self.emitter.roles.role(name) != "call":
            return
        self.error("assumed-end-before", offset, "the call was assumed to end before the next one", effect=MOVED)
        while self.emitter.is_in_call:
            self.pop(closed_at=offset)

    def _append(
        self, name: str, attributes: dict[str, str], offset: int, verbatim: str | None, empty: bool
    ) -> Element | None:
        self.emitter.start_tag(name, attributes.items(), empty, verbatim)
        return None

    def _ignore_end_tag(self, name: str, offset: int, depth: int, *, is_last: bool = True) -> None:
        # Outside of calls, a call's end tag may be the one that was meant for the last call.
        if self.emitter.is_in_call or self.emitter.roles.role(name) != "call":
            super()._ignore_end_tag(name, offset, depth, is_last=is_last)
        else:
            self.report_ignored(name, offset, MOVED)
            self.emitter.doubt_last_call()

    def coerce_text(self, data: str, offset: int) -> str:
        return data

    def end_of_file_in_element(self, offset: int) -> None:
        self.emitter.is_cut = True
        super().end_of_file_in_element(offset)


class CallTags(KnownElements):
    """See `KnownElements`. Only tags are markup, and arguments exist only in calls."""

    def __init__(self, settings: Settings, elements: TreeBuilder, collector: Collector) -> None:
        super().__init__(settings, elements)
        self._collector = collector
        self._inside = self._vocabulary
        self._outside = Vocabulary(collector.roles.outside)
        roles = collector.roles
        if roles.format.is_json:
            self.raw = _JSONContent(roles.raw, self._inside, elements, trims=False, has_values=True)
        elif roles.format.key:
            self.raw = _KeyContent(roles, self._inside, elements)

    def tag_state(self, t: Tokenizer) -> State | None:
        if t.peek(1) in {"!", "?"}:
            return take_for_text(t, t.peek(1), "it begins no tag")
        self._vocabulary = self._inside if self._collector.is_in_call else self._outside
        return super().tag_state(t)


class _KeyContent(RawContent):
    """See `RawContent`. The first end tag of an argument's name ends it, whatever follows: names have no tags."""

    def __init__(self, roles: Roles, known: Vocabulary, elements: TreeBuilder) -> None:
        super().__init__(roles.raw, known, elements, trims=roles.format.trims, has_values=True)
        self._roles = roles

    def _may_end(self, text: str, found: re.Match[str], base: int, *, is_final: bool) -> bool | None:
        return self._roles.role(self._name) == "key" or super()._may_end(text, found, base, is_final=is_final)


class _JSONContent(RawContent):
    """See `RawContent`. An end tag inside a string is content."""

    def begin(self, t: Tokenizer, name: str) -> State:
        self._is_in_string = False
        self._escaped = -1  # offset of an escaped character in a string
        self._read = t.place()
        return super().begin(t, name)

    def _may_end(self, text: str, found: re.Match[str], base: int, *, is_final: bool) -> bool | None:
        self._read_to(text, base, base + found.start())
        return False if self._is_in_string else super()._may_end(text, found, base, is_final=is_final)

    def _emit(self, t: Tokenizer, text: str, start: int, end: int, drops: int = 0) -> None:
        base = t.place() - start
        self._read_to(text, base, base + end)
        super()._emit(t, text, start, end, drops)

    def _read_to(self, text: str, base: int, offset: int) -> None:
        """Track strings up to an offset; offsets do not decrease."""
        for found in _QUOTE_OR_BACKSLASH.finditer(text, self._read - base, max(offset, self._read) - base):
            place = base + found.start()
            if place == self._escaped:
                continue
            if found[0] == '"':
                self._is_in_string = not self._is_in_string
            elif self._is_in_string:
                self._escaped = place + 1
        self._read = max(self._read, offset)
