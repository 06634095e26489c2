"""Finds the errors of a document without keeping it."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Final

from xml5tree.cli.severity import USAGE, Severity, status_of, worsen
from xml5tree.cli.sources import InputDocument, is_strict, text_blocks
from xml5tree.dialects import make_settings
from xml5tree.drive import drive
from xml5tree.errors.entry import ErrorEntry
from xml5tree.errors.faults import Fault
from xml5tree.errors.hints import Hint
from xml5tree.errors.log import ErrorLog, Kept, ParseError
from xml5tree.errors.suspicions import Suspicions
from xml5tree.options import Options
from xml5tree.parser import Repairer, XMLParser

_by_offset = attrgetter("offset")
#: How the codes begin of errors at which a document may be cut off.
_OF_ENDS: Final = (
    *("eof-", "damaged-", "assumed-unfinished-tag", "element-after-root"),
    "unexpected-question-mark-instead-of-tag-name",
)


class Findings(Severity):
    """The errors of a document; its faults are errors joined with those that follow from them.

    Attributes:
        entries: the errors that are kept, in document order once the document has ended.
        faults: the faults that are kept, in this order, too.
        entry_counts: the number of errors of each code.
        passed_over: the number of errors of codes that are not selected.
        last: the last error, selected or not.
        hints: likely problems of the document as a whole.
        problem: why it was not read, or not to its end; "" if it was.
        is_read: whether it was read at all.
        status: the exit status.
    """

    def __init__(
        self,
        source: InputDocument,
        dialect: str,
        most: int | None = 0,
        select: Collection[str] = (),
        ignore: Collection[str] = (),
    ) -> None:
        """Begin; up to `most` errors are kept, None for all. Only those in `select` count, all if it is empty.

        Those in `ignore` do not.
        """
        super().__init__()
        source.severity = self
        self.name, self.uri, self.dialect = source.name, source.uri, dialect
        self.entries: list[ErrorEntry] = Kept(most)
        self.faults: list[Fault] = Kept(most)
        self.entry_counts: Counter[str] = Counter()
        self.passed_over = 0
        self.last: ErrorEntry | None = None
        self.hints: tuple[Hint, ...] = ()
        self.problem = ""
        self.is_read = True
        self.status = USAGE
        self._select, self._ignore = select, ignore

    @classmethod
    def unread(cls, source: InputDocument, dialect: str, problem: str) -> "Findings":
        found = cls(source, dialect)
        found.problem, found.is_read, found.has_tree = problem, False, False
        return found

    def take(self, entry: ErrorEntry) -> None:
        self.last = entry
        if entry.code not in self._ignore and (not self._select or entry.code in self._select):
            super().take(entry)
            self.entry_counts[entry.code] += 1
            self.entries.take(entry)  # type: ignore[attr-defined]
        else:
            self.passed_over += 1

    def _take_fault(self, fault: Fault) -> None:
        super()._take_fault(fault)
        self.faults.take(fault)  # type: ignore[attr-defined]

    def end(self, log: ErrorLog, refusal: ErrorEntry | None) -> None:
        """End the document; sort the errors that are kept. An error that refuses it counts if not selected, too."""
        self.close(truncated=log.truncated)
        self.entries, self.faults = sorted(self.entries, key=_by_offset), sorted(self.faults, key=_by_offset)
        self.hints = log.hints
        if refusal is not None:
            self.has_tree = False
            worsen(self.effects, refusal.code, refusal.effect)
            self.entry_counts[refusal.code] += 1
            self.fault_counts[refusal.code, refusal.effect] += 1
            self.entries.append(refusal)
            self.faults.append(Fault(refusal))
        # A document that is cut off is as good as a whole one for a caller who does not look for such errors.
        self.truncated = log.truncated and (not self.passed_over or _has_end(self.entry_counts))


def examine(
    source: InputDocument,
    *,
    max_errors: int | None,
    reading: Options,
    select: Collection[str] = (),
    ignore: Collection[str] = (),
    fail_on: Collection[str] = (),
) -> Findings:
    """Find the errors of a document, of which `max_errors` are kept, or all if it is None.

    `select` and `ignore` are those of `Findings`, `fail_on` that of `xml5tree.cli.severity.status_of`. In HTML's draft
    of 2008, only the tokenizer's errors are found. Raises `CannotRead` for a document that cannot be read.
    """
    begin = partial(Findings, source, reading.get("dialect", "xml5"), max_errors, select, ignore)
    take = _take_tokens if reading.get("revision") == "2008" else _take_document
    found = begin()
    log, refusal = take(source, source.settled(reading), found)
    if refusal is not None and refusal is found.last:  # then the document has no other error
        found = begin()
    found.end(log, refusal)
    found.problem = source.damage
    found.status = USAGE if source.damage else status_of(found, fail_on)
    return found


def _has_end(codes: Iterable[str]) -> bool:
    return any(code.startswith(_OF_ENDS) for code in codes)


#: The log of a document, which keeps no entries, and the error that refuses it.
_Outcome = tuple[ErrorLog, ErrorEntry | None]


def _take_document(source: InputDocument, reading: Options, found: Findings) -> _Outcome:
    """Take the errors of a document one by one."""
    options: Options = {**reading, "max_errors": 0, "on_error": found.take, "filename": source.name}
    if is_strict(reading):
        return _take_strictly(source, options, found)
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
        if found.last is not None and found.last.code == error.code:
            return error.errors, found.last
        # It is not in the log. Its place is the end of the document.
        end = sum(map(len, text_blocks(source, reading)))
        known = dialect.codes[error.code]
        refusal = ErrorEntry(error.code, known.kind, error.reason, *error.position, end, known.effect, source.name)
        return error.errors, refusal
    log: ErrorLog = repairer.error_log
    suspicions.take(stream.feed(b"", final=True), b"", final=True)
    log.hints = suspicions.hints(log.hints, stream.decoder.encoding if stream.decoder is not None else "")
    return log, None


def _take_strictly(source: InputDocument, options: Options, found: Findings) -> _Outcome:
    """Take the error for which a document is refused, if it is."""
    try:
        return source.refuse(options), None
    except ParseError as error:
        (entry,) = error.errors
        # The native parser tells only line and column.
        offset = _offset(text_blocks(source, options), entry.line, entry.column)
        found.last = replace(entry, offset=offset)
        return error.errors, found.last


def _offset(blocks: Iterable[str], line: int, column: int) -> int:
    """Return the offset of a line (from 1) and column (from 0), or of the line's end if that is nearer."""
    offset = 0
    for text in blocks:
        place = 0
        while line > 1 and (newline := text.find("\n", place) + 1):
            line, place = line - 1, newline
        if line == 1:
            end = text.find("\n", place)
            size = (len(text) if end < 0 else end) - place
            if end >= 0 or column <= size:
                return offset + place + min(column, size)
            column -= size
        offset += len(text)
    return offset


def _take_tokens(source: InputDocument, reading: Options, found: Findings) -> _Outcome:
    """Take the errors that the tokenizer finds."""
    dialect, settings = make_settings({**reading, "max_errors": 0, "filename": source.name})
    items = dialect.tokenize(source.blocks(advances=True), settings, with_errors=True)
    for entry in sorted((item for item in items if isinstance(item, ErrorEntry)), key=_by_offset):
        found.take(entry)
    log = ErrorLog()
    log.truncated = _has_end(found.entry_counts)
    return log, None
