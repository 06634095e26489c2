"""Finds the errors of a document without keeping it."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from operator import attrgetter
from typing import Final, NamedTuple

from xml5tree.cli.rendering import number_of
from xml5tree.cli.severity import USAGE, Severity, status_of, worsen
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
_LINE: Final = re.compile("[^\n]*\n|[^\n]+")


class Findings(NamedTuple):
    """The errors of a document; its faults are errors joined with those that follow from them, in document order.

    Attributes:
        passed_over: the number of errors of codes that are not selected.
        hints: likely problems of the document as a whole.
        problem: why it was not read, or not to its end; "" if it was.
    """

    name: str
    uri: str
    dialect: str
    status: int
    severity: Severity
    entries: list[ErrorEntry]
    counts: Counter[str]
    faults: list[Fault]
    fault_counts: Counter[str]
    fault_effects: dict[str, Effect]
    passed_over: int = 0
    hints: tuple[Hint, ...] = ()
    problem: str = ""
    is_read: bool = True

    @classmethod
    def unread(cls, source: InputDocument, dialect: str, problem: str) -> "Findings":
        severity, none = Severity(has_tree=False), Counter[str]()
        found = cls(source.name, source.uri, dialect, USAGE, severity, [], none, [], none, {}, problem=problem)
        return found._replace(is_read=False)

    @property
    def in_short(self) -> "Findings":
        """The findings without the single errors."""
        return self._replace(uri="", entries=[], faults=[])

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
    taken = _Taken(source, max_errors, is_selected)
    take = _take_tokens if reading.get("revision") == "2008" else _take_document
    log, refusal, is_alone = take(source, source.settled(reading), taken)
    if is_alone:
        taken = _Taken(source, max_errors, is_selected)
    taken.end(log, refusal)
    return Findings(
        source.name,
        source.uri,
        reading.get("dialect", "xml5"),
        USAGE if source.damage else status_of(source.severity, fail_on),
        source.severity,
        taken.entries,
        taken.counts,
        taken.faults,
        source.counts,
        taken.fault_effects,
        taken.passed_over,
        log.hints,
        source.damage,
    )


def _has_end(codes: Iterable[str]) -> bool:
    return any(code.startswith(_OF_ENDS) for code in codes)


class FaultCount:
    """Counts the faults of a document, and how bad its errors are; its method `take` is for the option `on_error`."""

    def __init__(self, source: InputDocument, on_fault: Callable[[Fault], object] = lambda fault: None) -> None:
        source.counts.clear()
        source.severity = Severity()
        self._source = source
        self._on_fault = on_fault
        self._faults = Faults(self._count)

    def take(self, entry: ErrorEntry) -> None:
        self._source.severity.take(entry)
        self._faults.take(entry)

    def _count(self, fault: Fault) -> None:
        self._source.counts[fault.code] += 1
        self._on_fault(fault)

    def close(self, log: ErrorLog) -> None:
        """Note that the document has ended; `log` is its log, whose entries are not needed."""
        self._faults.close()
        self._source.severity.truncated = log.truncated

    def report(self, log: ErrorLog, where: str = "", cut_off: str = "the document is cut off") -> None:
        """Report how many errors were repaired, if any, and what became of content, once the document has ended.

        `log` is as for `close`. `where` and `cut_off` are in the words of the command.
        """
        self.close(log)
        number = self._source.counts.total()
        if number:
            effect = self._source.severity.effect
            words = [f"{number_of(number, 'error')} repaired{where}"]
            words += [] if effect == KEPT else [f"content is {effect}"]
            words += [cut_off] if log.truncated else []
            complain(self._source, "; ".join([*words, "'xml5tree check' lists them"]))


class _Taken(FaultCount):
    """The selected errors of a document so far, of which some are kept; `last` is the last error, selected or not."""

    def __init__(self, source: InputDocument, max_errors: int | None, is_selected: Callable[[str], bool]) -> None:
        super().__init__(source, self._take_fault)
        self.passed_over = 0
        self.last: ErrorEntry | None = None
        self.counts: Counter[str] = Counter()
        self.fault_effects: dict[str, Effect] = {}
        self.entries: list[ErrorEntry] = Kept(max_errors)
        self.faults: list[Fault] = Kept(max_errors)
        self._is_selected = is_selected

    def take(self, entry: ErrorEntry) -> None:
        self.last = entry
        if self._is_selected(entry.code):
            super().take(entry)
            self.counts[entry.code] += 1
            self.entries.take(entry)  # type: ignore[attr-defined]
        else:
            self.passed_over += 1

    def _take_fault(self, fault: Fault) -> None:
        worsen(self.fault_effects, fault.code, fault.effect)
        self.faults.take(fault)  # type: ignore[attr-defined]

    def end(self, log: ErrorLog, refusal: ErrorEntry | None) -> None:
        """End the document; sort the errors that are kept. An error that refuses it counts if not selected, too."""
        self.close(log)
        self.entries, self.faults = sorted(self.entries, key=_by_offset), sorted(self.faults, key=_by_offset)
        severity = self._source.severity
        if refusal is not None:
            severity.has_tree = False
            severity.take(refusal)
            self.counts[refusal.code] += 1
            self._source.counts[refusal.code] += 1
            worsen(self.fault_effects, refusal.code, refusal.effect)
            self.entries.append(refusal)
            self.faults.append(Fault(refusal))
        # A document that is cut off is as good as a whole one for a caller who does not look for such errors.
        severity.truncated = log.truncated and (not self.passed_over or _has_end(self.counts))


#: The log of a document, which keeps no entries; the error that refuses it; and whether it has no other error then.
_Outcome = tuple[ErrorLog, ErrorEntry | None, bool]


def _take_document(source: InputDocument, reading: Options, taken: _Taken) -> _Outcome:
    """Take the errors of a document one by one."""
    options: Options = {**reading, "max_errors": 0, "on_error": taken.take, "filename": source.name}
    if is_strict(reading):
        return _take_strictly(source, reading, options)
    dialect, settings = make_settings(reading)
    stream = dialect.make_stream(settings)
    suspicions = Suspicions()
    repairer = Repairer(output_encoding="utf-8", **options) if dialect.is_streamed else XMLParser(**options)

    def blocks() -> Iterator[bytes]:
        for block in source.blocks(advances=True):
            yield block
            suspicions.take(stream.feed(block), block)

    try:
        for _ in drive(repairer, blocks(), lambda: source.damage):
            pass
    except ParseError as error:
        refusal = taken.last
        if refusal is not None and refusal.code == error.code:
            return error.errors, refusal, True
        # It is not in the log. Its place is the end of the document.
        end = sum(map(len, text_blocks(source, reading)))
        known = dialect.codes[error.code]
        refusal = ErrorEntry(error.code, known.kind, error.reason, *error.position, end, known.effect, source.name)
        return error.errors, refusal, False
    log: ErrorLog = repairer.error_log
    suspicions.take(stream.feed(b"", final=True), b"", final=True)
    log.hints = suspicions.hints(log.hints, stream.decoder.encoding if stream.decoder is not None else "")
    return log, None, False


def _take_strictly(source: InputDocument, reading: Options, options: Options) -> _Outcome:
    """Take the error for which a document is refused, if it is."""
    try:
        return source.refuse(options), None, False
    except ParseError as error:
        (entry,) = error.errors
        # The native parser tells only line and column.
        offset = _offset(text_blocks(source, reading), entry.line, entry.column)
        return error.errors, replace(entry, offset=offset), True


def _offset(blocks: Iterable[str], line: int, column: int) -> int:
    """Return the offset of a line (from 1) and column (from 0), or of the line's end if that is nearer."""
    offset = 0
    for text in blocks:
        for piece in _LINE.findall(text):
            size: int = len(piece) - piece.endswith("\n")
            if line == 1 and (size < len(piece) or column <= size):
                return offset + min(column, size)
            offset += len(piece)
            if line > 1:
                line -= size < len(piece)
            else:
                column -= size
    return offset


def _take_tokens(source: InputDocument, reading: Options, taken: _Taken) -> _Outcome:
    """Take the errors that the tokenizer finds."""
    dialect, settings = make_settings({**reading, "max_errors": 0, "filename": source.name})
    found = dialect.tokenize(source.blocks(advances=True), settings, with_errors=True)
    for entry in sorted((item for item in found if isinstance(item, ErrorEntry)), key=_by_offset):
        taken.take(entry)
    log = ErrorLog()
    log.truncated = _has_end(taken.counts)
    return log, None, False
