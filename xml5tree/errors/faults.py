"""Faults: errors with the errors that only follow from them.

The log has two entries for a control character, which are one fault: one for itself, and one for its replacement in
the tree.
"""

import re
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Final, NamedTuple

from xml5tree.errors.codes import CODES, KEPT, Effect, worst
from xml5tree.errors.entry import ErrorEntry
from xml5tree.errors.wording import number_of
from xml5tree.xml.limits import COMMENT

_CHARACTERS: Final = frozenset(
    {
        "control-character-in-input-stream",
        "control-character-reference",
        "noncharacter-character-reference",
        "noncharacter-in-input-stream",
        "null-character-reference",
        "surrogate-character-reference",
        "surrogate-in-input-stream",
        "unexpected-null-character",
    }
)
_OUTSIDE_ROOT: Final = frozenset({"element-after-root", "text-outside-root"})
#: Codes about more content of the same kind, once there was an element after the root element.
_AFTER_ROOT: Final = _OUTSIDE_ROOT | {"unmatched-end-tag"}
#: The code of each character after the name in an end tag.
_IN_END_TAG: Final = "end-tag-with-attributes"
#: How the message of an error of an end tag begins, and the most white space after its name.
_END_TAG: Final = re.compile("end tag (?P<quote>['\"])(?P<tag></.*?>)(?P=quote)")
_SPACES: Final = 3
#: The code of each use of a prefix; those with equal messages are one fault.
_PREFIX: Final = "undeclared-namespace-prefix"
#: The most prefixes that are remembered.
_MANY: Final = 10_000
_EOF: Final = frozenset(
    {"eof-before-tag-name", "eof-in-cdata", "eof-in-comment", "eof-in-processing-instruction", "eof-in-tag"}
)
#: Codes that follow from other codes at the same place, each with the codes that are its causes, of any dialect.
_CAUSES: Final[dict[str, frozenset[str]]] = {
    "coerced-attribute-name": frozenset({"invalid-name", "xmlns-attribute"}),
    "coerced-character": _CHARACTERS,
    "coerced-comment": frozenset(code for code, known in CODES.items() if known.node == COMMENT),
    "coerced-element-name": frozenset({"invalid-name"}),
    "coerced-pi-target": frozenset({"misplaced-xml-declaration"}),
    "document-wrapped": frozenset({"no-root-element", *_OUTSIDE_ROOT}),
    "eof-in-element": _EOF,
}
#: The error of characters that the tree cannot hold. In a tag, comment or processing instruction, it is reported where
#: that begins, so its entry may come before those of the single characters.
_MAY_COME_FIRST: Final = "coerced-character"
#: Codes of errors that join others, mostly.
JOINING: Final = {*_CAUSES, _IN_END_TAG, _PREFIX}
#: Entries that are sorted together: within a token, they are not reported in document order.
_WINDOW: Final = 256

_by_offset = attrgetter("offset")


class Tally(NamedTuple):
    """The count of an error code in `ErrorLog.summary`.

    Attributes:
        number: how many faults have the code.
        effect: their worst effect.
    """

    number: int
    effect: Effect


class Fault:
    """An error, and the errors that follow from it.

    Attributes:
        entry: the error itself.
        code, line, column, offset: those of the error itself.
        others: the errors that only follow from it.
        more: number of further errors of the same kind.
        last: the last of them, or the error itself.
        effect: the worst effect.
    """

    __slots__ = ("code", "column", "effect", "entry", "last", "line", "more", "offset", "others")

    def __init__(self, entry: ErrorEntry) -> None:
        self.entry = entry
        self.code, self.line, self.column, self.offset = entry.code, entry.line, entry.column, entry.offset
        self.others: list[ErrorEntry] = []
        self.more = 0
        self.last = entry
        self.effect = entry.effect

    def add(self, entry: ErrorEntry) -> None:
        self.others.append(entry)
        self.effect = worst(self.effect, entry.effect)

    def add_more(self, entry: ErrorEntry) -> None:
        """Add one of any number of errors that are about more of the same."""
        self.more += 1
        self.last = entry
        self.effect = worst(self.effect, entry.effect)

    @property
    def message(self) -> str:
        """The messages of all its errors, as one."""
        parts = [self.entry.message, *dict.fromkeys(entry.message for entry in self.others)]
        if self.more:
            to = f"up to line {self.last.line}"
            if self.code == _PREFIX:
                parts.append(f"{number_of(self.more, 'more use')}, {to}")
            else:
                where = "there" if self.last.code == _IN_END_TAG else f"outside the root element, {to}"
                parts.append(f"{number_of(self.more, 'more error')} {where}")
        return "; ".join(parts)

    def __repr__(self) -> str:
        codes = ", ".join(entry.code for entry in (self.entry, *self.others))
        return f"<Fault at line {self.entry.line}: {codes}{f' and {self.more} more' if self.more else ''}>"


class Faults:
    """Makes faults of entries that come one by one, about in document order."""

    def __init__(self, found: Callable[[Fault], object]) -> None:
        """Set the function to call with each fault, once it is complete."""
        self._found = found
        self._entries: list[ErrorEntry] = []
        self._last: Fault | None = None
        self._after_root: Fault | None = None  # about all content dropped after the root element
        self._prefixes: dict[str, Fault] = {}  # about prefixes, by their messages
        self._waiting: ErrorEntry | None = None  # for the entries of its characters

    def take(self, entry: ErrorEntry) -> None:
        self._entries.append(entry)
        if len(self._entries) >= 2 * _WINDOW:
            self._entries.sort(key=_by_offset)
            self._pass_on(_WINDOW)

    def close(self) -> None:
        self._entries.sort(key=_by_offset)
        self._pass_on(len(self._entries))
        self._give_up_waiting()
        self._finish()
        for fault in [*self._prefixes.values(), *([self._after_root] if self._after_root else [])]:
            self._found(fault)

    def _pass_on(self, count: int) -> None:
        entries = self._entries
        while 0 < count < len(entries) and entries[count].offset == entries[count - 1].offset:
            count += 1
        start = 0
        while start < count:
            end = start + 1
            while end < count and entries[end].offset == entries[start].offset:
                end += 1
            self._take_place(entries[start:end])
            start = end
        del entries[:count]

    def _take_place(self, entries: list[ErrorEntry]) -> None:
        codes = {entry.code for entry in entries}
        follows = [bool(codes & _CAUSES.get(entry.code, frozenset())) for entry in entries]
        consequences = [entry for entry, does in zip(entries, follows, strict=True) if does]
        for entry, does in zip(entries, follows, strict=True):
            if does:
                continue
            if entry.code == _MAY_COME_FIRST:
                self._give_up_waiting()
                self._waiting = entry
                continue
            fault = self._take_cause(entry)
            for other in consequences:
                if entry.code in _CAUSES[other.code]:
                    fault.add(other)
            consequences = [other for other in consequences if entry.code not in _CAUSES[other.code]]

    def _take_cause(self, entry: ErrorEntry) -> Fault:
        """Return the fault of an entry that follows from no other at its place."""
        if entry.code == _PREFIX and (entry.message in self._prefixes or len(self._prefixes) < _MANY):
            of_prefix = self._prefixes.setdefault(entry.message, Fault(entry))
            if of_prefix.entry is not entry:
                of_prefix.add_more(entry)
            return of_prefix
        fault = self._after_root
        if fault is not None and entry.code in _AFTER_ROOT:
            fault.add_more(entry)
            return fault
        fault = self._last
        if fault is not None and _is_more_of(fault, entry):
            fault.add_more(entry)
        else:
            self._finish()
            fault = self._last = Fault(entry)
        if entry.code == "element-after-root":
            self._after_root = fault
        if self._waiting is not None and entry.code in _CHARACTERS:
            fault.add(self._waiting)
            self._waiting = None
        return fault

    def _give_up_waiting(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self._found(Fault(waiting))

    def _finish(self) -> None:
        """Pass on the last fault, unless more errors may join it."""
        last, self._last = self._last, None
        if last is not None and last is not self._after_root:
            self._found(last)


def _is_more_of(fault: Fault, entry: ErrorEntry) -> bool:
    """Return whether a fault and an entry are about text outside the root element, or about one end tag."""
    # A server's messages before a document are on lines that follow one another. Text farther away may be on the other
    # side of the root. In an end tag, each character is an error.
    if entry.code == _IN_END_TAG:
        if fault.last.code == _IN_END_TAG:
            return entry.offset - fault.last.offset <= 2
        tag = _END_TAG.match(fault.entry.message)
        return tag is not None and entry.offset - fault.offset <= len(tag["tag"]) + _SPACES
    return {fault.code, entry.code} <= _OUTSIDE_ROOT and entry.line - fault.last.line <= 1


def faults_of(entries: Iterable[ErrorEntry]) -> list[Fault]:
    found: list[Fault] = []
    faults = Faults(found.append)
    for entry in sorted(entries, key=_by_offset):
        faults.take(entry)
    faults.close()
    return sorted(found, key=_by_offset)


def tallies(counts: Iterable[tuple[tuple[str, Effect], int]]) -> dict[str, Tally]:
    """Return the tally of each code, the most frequent first, given numbers of faults by code and effect."""
    found: dict[str, Tally] = {}
    for (code, effect), number in counts:
        before = found.get(code, Tally(0, KEPT))
        found[code] = Tally(before.number + number, worst(before.effect, effect))
    return dict(sorted(found.items(), key=lambda item: -item[1].number))
