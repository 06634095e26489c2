"""Finds the errors of a document without keeping it."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from operator import attrgetter
from typing import Any, Final

from xml5tree.cli.rendering import number_of
from xml5tree.cli.severity import OK, USAGE, Severity, status_of, worsen
from xml5tree.cli.sources import InputDocument, complain, is_strict, text_blocks
from xml5tree.dialects import make_settings
from xml5tree.drive import drive
from xml5tree.errors.codes import KEPT, Effect
from xml5tree.errors.entry import ErrorEntry
from xml5tree.errors.faults import Fault, Faults
from xml5tree.errors.hints import Hint
from xml5tree.errors.log import ErrorLog, ParseError
from xml5tree.errors.room import Kept
from xml5tree.errors.suspicions import Suspicions
from xml5tree.options import Options
from xml5tree.parser import Repairer, XMLParser

__all__ = ["FaultCount", "Findings", "examine"]

_by_offset = attrgetter("offset")
#: How the codes begin of errors at which a document may be cut off.
_OF_ENDS: Final = (
    *("eof-", "damaged-", "assumed-unfinished-tag", "element-after-root"),
    "unexpected-question-mark-instead-of-tag-name",
)


@dataclass(frozen=True, slots=True)
class Findings:
    """The errors of a document; its faults are errors joined with those that follow from them, in document order.

    Attributes:
        passed_over: the number of errors of codes that are not selected.
        hints: likely problems of the document as a whole.
        problem: why it was not read, or not to its end; "" if it was.
    """

    name: str
    uri: str
    dialect: str
    status: int = OK
    severity: Severity = field(default_factory=Severity)
    entries: list[ErrorEntry] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)
    fault_counts: Counter[str] = field(default_factory=Counter)
    fault_effects: dict[str, Effect] = field(default_factory=dict)
    passed_over: int = 0
    hints: tuple[Hint, ...] = ()
    problem: str = ""
    is_read: bool = True

    def __reduce__(self) -> tuple[type["Findings"], tuple[Any, ...]]:
        """Pickle the values, several times as fast as `dataclass` does."""
        return Findings, _values(self)

    @classmethod
    def unread(cls, source: InputDocument, dialect: str, problem: str) -> "Findings":
        severity = Severity(has_tree=False)
        return cls(source.name, source.uri, dialect, USAGE, severity, problem=problem, is_read=False)

    @property
    def in_short(self) -> "Findings":
        """The findings without the single errors; a shared object for most documents without errors."""
        if self.is_read and not (self.total or self.problem or self.severity.truncated):
            return _clean(self.dialect, self.passed_over > 0)
        return replace(self, uri="", entries=[], faults=[])

    @property
    def effect(self) -> Effect | None:
        """The worst effect on content; None without a tree."""
        return self.severity.effect if self.severity.has_tree else None

    @property
    def total(self) -> int:
        """The number of errors in the log."""
        return self.counts.total()

    @property
    def number(self) -> int:
        """The number of errors as people count them: of faults."""
        return self.fault_counts.total()


_values: Final = attrgetter(*Findings.__slots__)


@cache
def _clean(dialect: str, passed_over: bool) -> Findings:
    return Findings("", "", dialect, passed_over=int(passed_over))


def examine(
    source: InputDocument,
    *,
    max_errors: int | None,
    reading: Options,
    is_selected: Callable[[str], bool] = lambda code: True,
    fail_on: Collection[str] = (),
) -> Findings:
    """Find the errors of a document, of which `max_errors` are kept, or all if it is None; `source` counts them.

    Only codes that `is_selected` accepts count. `fail_on` is that of `xml5tree.cli.severity.status_of`. In HTML's draft
    of 2008, only the tokenizer's errors are found. Raises `CannotRead` for a document that cannot be read.
    """
    dialect = reading.get("dialect", "xml5")
    taken = _Taken(Findings(source.name, source.uri, dialect), max_errors, is_selected)
    take = _take_tokens if reading.get("revision") == "2008" else _take_document
    found = taken.found
    source.counts, source.severity = found.fault_counts, found.severity
    log = take(source, source.settled(reading), taken)
    taken.close()
    # A document that is cut off is as good as a whole one for a caller who does not look for such errors.
    found.severity.truncated = log.truncated and (not taken.passed_over or _has_end(found.counts))
    status = USAGE if source.damage else status_of(found.severity, fail_on)
    return replace(found, status=status, passed_over=taken.passed_over, hints=log.hints, problem=source.damage)


def _has_end(codes: Iterable[str]) -> bool:
    return any(code.startswith(_OF_ENDS) for code in codes)


class _Taken:
    """The errors of a document so far, in `found`; `last` is the last error, selected or not."""

    def __init__(self, found: Findings, max_errors: int | None, is_selected: Callable[[str], bool]) -> None:
        self.found = found
        self.passed_over = 0
        self.last: ErrorEntry | None = None
        self._entries = Kept[ErrorEntry](max_errors)
        self._faults = Kept[Fault](max_errors)
        self._is_selected = is_selected
        self._joined = Faults(self._take_fault)
        self._refusal: ErrorEntry | None = None

    def take(self, entry: ErrorEntry) -> None:
        self.last = entry
        if not self._is_selected(entry.code):
            self.passed_over += 1
        else:
            self._count(entry)
            self._joined.take(entry)
            self._entries.take(entry)

    def _take_fault(self, fault: Fault) -> None:
        self._count_fault(fault)
        self._faults.take(fault)

    def _count_fault(self, fault: Fault) -> None:
        self.found.fault_counts[fault.code] += 1
        worsen(self.found.fault_effects, fault.code, fault.effect)

    def close(self) -> None:
        """End the document; sort the errors that are kept."""
        self._joined.close()
        found = self.found
        found.entries.extend(sorted(self._entries, key=_by_offset))
        found.faults.extend(sorted(self._faults, key=_by_offset))
        if self._refusal is not None:
            refusal = Fault(self._refusal)
            self._count_fault(refusal)
            found.entries.append(self._refusal)
            found.faults.append(refusal)

    def take_refusal(self, entry: ErrorEntry) -> None:
        """Take the error that refuses the document, which counts also if its code is not selected."""
        self.found.severity.has_tree = False
        self._count(entry)
        self._refusal = entry

    def forget(self) -> None:
        """Forget all errors, as the document is refused for a single one."""
        found = self.found
        self._joined = Faults(self._take_fault)
        self.passed_over = 0
        for errors in (self._entries, self._faults, found.counts, found.fault_counts, found.fault_effects):
            errors.clear()
        found.severity.effects.clear()

    def _count(self, entry: ErrorEntry) -> None:
        self.found.counts[entry.code] += 1
        self.found.severity.take(entry)


def _take_document(source: InputDocument, reading: Options, taken: _Taken) -> ErrorLog:
    """Take the errors of a document one by one; return the log, which keeps no entries."""
    options: Options = {**reading, "max_errors": 0, "on_error": taken.take, "filename": source.name}
    if is_strict(reading):
        return _take_strictly(source, reading, options, taken)
    dialect, settings = make_settings(reading)
    stream = dialect.make_stream(settings)
    suspicions = Suspicions()
    repairer = Repairer(output_encoding="utf-8", **options) if dialect.is_streamed else XMLParser(**options)
    log: ErrorLog

    def blocks() -> Iterator[bytes]:
        for block in source.blocks(advances=True):
            yield block
            suspicions.take(stream.feed(block), block)

    try:
        for _ in drive(repairer, blocks(), lambda: source.damage):
            pass
        log = repairer.error_log
        suspicions.take(stream.feed(b"", final=True), b"", final=True)
        log.hints = suspicions.hints(log.hints, stream.decoder.encoding if stream.decoder is not None else "")
    except ParseError as error:
        log = error.errors
        refusal = taken.last
        if refusal is not None and refusal.code == error.code:  # it is the only error of the document then
            taken.forget()
        else:
            # It is not in the log. Its place is the end of the document.
            end = sum(map(len, text_blocks(source, reading)))
            known = dialect.codes[error.code]
            refusal = ErrorEntry(error.code, known.kind, error.reason, *error.position, end, known.effect, source.name)
        taken.take_refusal(refusal)
    return log


def _take_strictly(source: InputDocument, reading: Options, options: Options, taken: _Taken) -> ErrorLog:
    """Take the error for which a document is refused, if it is; return the log."""
    try:
        return source.refuse(options)
    except ParseError as error:
        taken.forget()
        for entry in error.errors:
            # The native parser tells only line and column.
            offset = _offset(text_blocks(source, reading), entry.line, entry.column)
            taken.take_refusal(replace(entry, offset=offset))
        return error.errors


def _offset(blocks: Iterable[str], line: int, column: int) -> int:
    """Return the offset of a line (from 1) and column (from 0), or of the line's end if that is nearer."""
    offset = 0
    for text in blocks:
        place = 0
        while line > 1 and (newline := text.find("\n", place)) >= 0:
            place = newline + 1
            line -= 1
        if line > 1:
            offset += len(text)
            continue
        end = text.find("\n", place)
        rest = (end if end >= 0 else len(text)) - place
        if end >= 0 or column <= rest:
            return offset + place + min(column, rest)
        offset += len(text)
        column -= rest
    return offset


def _take_tokens(source: InputDocument, reading: Options, taken: _Taken) -> ErrorLog:
    """Take the errors that the tokenizer finds; return a log without entries."""
    dialect, settings = make_settings({**reading, "max_errors": 0, "filename": source.name})
    found = dialect.tokenize(source.blocks(advances=True), settings, with_errors=True)
    for entry in sorted((item for item in found if isinstance(item, ErrorEntry)), key=_by_offset):
        taken.take(entry)
    log = ErrorLog()
    log.truncated = _has_end(taken.found.counts)
    return log


class FaultCount:
    """Counts the faults of a document; its method `take` is for the option `on_error`."""

    def __init__(self, source: InputDocument) -> None:
        self._source = source
        self._faults = Faults(source.count)
        self.take = self._faults.take

    def report(self, log: ErrorLog, where: str = "", cut_off: str = "the document is cut off") -> None:
        """Report how many errors were repaired, if any, and what became of content, once the document has ended.

        `log` is the document's; its entries are not needed. `where` and `cut_off` are in the words of the command.
        """
        self._faults.close()
        self._source.severity.truncated = log.truncated
        number = self._source.counts.total()
        if number:
            effect = self._source.severity.effect
            words = [f"{number_of(number, 'error')} repaired{where}"]
            words += [] if effect == KEPT else [f"content is {effect}"]
            words += [cut_off] if log.truncated else []
            complain(self._source, "; ".join([*words, "'xml5tree check' lists them"]))
