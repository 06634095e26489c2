"""Collects errors of all stages in document order."""

from collections import deque
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from xml5tree.errors.codes import CODES, KEPT, LOST, Code, Effect, Kind
from xml5tree.errors.entry import ErrorEntry, Found, entry_of
from xml5tree.errors.locator import Locator
from xml5tree.errors.log import ErrorLog, ParseError
from xml5tree.xml.limits import COMMENT, PROCESSING_INSTRUCTION

#: Most characters of a detail in a message, and how many are left of a longer one.
_LONG: Final = 80
_SHORTENED: Final = 60
#: Both limits for details that are sentences about assumptions, which have several names.
_LONG_SENTENCE: Final = 400
_SHORTENED_SENTENCE: Final = 300
#: The beginning of the codes of assumptions.
_ASSUMED: Final = "assumed-"
#: An offset, or a number of errors, beyond any document's.
NEVER: Final = float("inf")


#: What `Reporter.codes_of` returns for the codes of a dialect, which are kept, and for nodes that are left out.
_KEPT: Final[dict[tuple[object, ...], tuple[Mapping[str, Code], tuple[tuple[str, Code, Effect] | None, ...]]]] = {}


class Report(NamedTuple):
    """An error of text that the tokenizer has not reached."""

    code: str
    offset: int
    detail: tuple[object, ...]
    kind: Kind | None
    effect: Effect


class Reporter:
    """Collects the errors of one document; their order and number do not depend on how it is fed."""

    # The input stream reads a chunk before the tokenizer does. So its errors are queued, and merged before the first
    # error that a later stage reports at or after them.

    def __init__(
        self,
        max_errors: int | None,
        on_error: Callable[[ErrorEntry], object] | None,
        codes: Mapping[str, Code] = CODES,
        left_out: Container[str | None] = (),
        on_found: Callable[[Found], object] | None = None,
        on_end: Callable[[ErrorLog], object] | None = None,
        filename: str | None = None,
    ) -> None:
        """Begin an empty log.

        Args:
            max_errors: how many entries are kept; None: all.
            on_error: called with each entry.
            codes: the error codes of the dialect.
            on_found: called with each error at once, so that queued ones come out of order; `entry` makes entries of
                them.
            on_end: called at the end with the log of a repaired document, unless it is empty.
            filename: path, name or URL of the document.
            left_out: kinds of nodes that the tree leaves out: content that becomes one is lost.
        """
        self._codes = codes
        self._left_out = left_out
        self.has_judged_end = False  # whether `judge_end` was called
        self._is_over = False  # whether `end_document` was
        self.log = ErrorLog()
        self.locator = Locator()
        #: Offsets of open constructs, by name, for errors reported after their text is gone.
        self.marks: dict[str, int] = {}
        self._max_errors = NEVER if max_errors is None else max_errors
        self._room = self._max_errors  # how many more the log keeps
        self._on_error = on_error
        self._on_found = on_found
        self._on_end = on_end
        self.log.filename = filename
        self._ahead: deque[Report] = deque()
        self._ahead_counts: dict[tuple[str, Effect], int] = {}
        self._ahead_located: deque[Found] = deque()  # queued errors that were located before their text went
        self.next_queued: float = NEVER  # the offset of the first queued error
        #: Errors to call `on_found` with once their text has arrived: the tokenizer may hold it back.
        self._unlocated: deque[Report] = deque()

    def report(
        self, code: str, offset: int, *detail: object, kind: Kind | None = None, effect: Effect | None = None
    ) -> None:
        """Report an error at an offset; `kind` and `effect` where they are not the code's own."""
        self.record(code, offset, detail, kind, effect)

    def record(
        self, code: str, offset: int, detail: tuple[object, ...], kind: Kind | None, effect: Effect | None
    ) -> None:
        if offset >= self.next_queued:
            self._merge_ahead(offset)
        effect = self._count(code, effect)
        index = self._place_of(code, effect)
        if index is not None or self._on_error or self._on_found:
            self._keep(self._locate(code, offset, detail, kind, effect), index, is_new=True)

    #: As `record`, but always for an offset in the source, as the input stream and the pipeline have them.
    record_in_source = record

    def codes_of(self, codes: Callable[[], Iterable[str | None]]) -> tuple[tuple[str, Code, Effect] | None, ...]:
        """Return each of the `codes`, always the same ones, with its `Code` and its effect on content."""
        key = id(self._codes), COMMENT in self._left_out, PROCESSING_INSTRUCTION in self._left_out
        kept = _KEPT.get(key)
        if kept is None:
            found = tuple(
                [None if code is None else (code, self._codes[code], self._usual_effect(code)) for code in codes()]
            )
            kept = _KEPT[key] = self._codes, found
        return kept[1]

    def record_run(self, errors: Sequence[Found]) -> None:
        """Record errors that were found elsewhere, with their places, in their order."""
        # They have no kinds of their own; see `note_error` in accelerator/run.h.
        log = self.log
        if self._on_found:
            for found in errors:
                self._on_found(found)
        if self.next_queued < NEVER or self._room < len(errors) or self._on_error:
            for found in errors:
                code, effect, offset = found[0], found[3], found[-1]
                if offset >= self.next_queued:
                    self._merge_ahead(offset)
                self._count(code, effect)
                index = self._place_of(code, effect)
                if index is not None or self._on_error:
                    self._keep(found, index)
            return
        log.total += len(errors)
        self._room -= len(errors)
        log._found += errors
        for found in errors:
            if log.effect == LOST:
                break
            if found[3] != KEPT:
                log.effect = found[3]

    def report_ahead(
        self, code: str, offset: int, *detail: object, kind: Kind | None = None, effect: Effect | None = None
    ) -> None:
        """Report an error of text that the tokenizer has not reached; offsets must not decrease."""
        effect = self._count(code, effect)
        if self._on_found:
            self._unlocated.append(Report(code, offset, detail, kind, effect))
            self._flush_located()
        if self._may_be_kept(code, effect):
            self._ahead.append(Report(code, offset, detail, kind, effect))
            self.next_queued = min(self.next_queued, offset)

    def _may_be_kept(self, code: str, effect: Effect) -> bool:
        """Count an error that is to be queued; return whether the log may have a place for it."""
        count = self._ahead_counts[code, effect] = self._ahead_counts.get((code, effect), 0) + 1
        if count <= self._max_errors or self._on_error is not None:
            return True
        left_out = self.log._left_out
        left_out[code, effect] = left_out.get((code, effect), 0) + 1
        return False

    def _flush_located(self) -> None:
        """Flush queued errors whose text has arrived to `on_found`."""
        unlocated = self._unlocated
        while unlocated and unlocated[0].offset <= self.locator.end:
            assert self._on_found is not None
            self._on_found(self._locate(*unlocated.popleft()))

    def source_of(self, offset: int) -> int:
        """Return where a place of the text that is read is in the source."""
        return offset

    def _count(self, code: str, effect: Effect | None) -> Effect:
        log = self.log
        log.total += 1
        if effect is None:
            effect = self._usual_effect(code)
        if effect != KEPT and log.effect != LOST:
            log.effect = effect  # it is at least as bad as the log's, which is not `lost`
        return effect

    def _usual_effect(self, code: str) -> Effect:
        usual = self._codes[code]
        return LOST if self.leaves_out(usual.node) else usual.effect

    def leaves_out(self, node: str | None) -> bool:
        """Return whether the tree leaves out a kind of node, so that content that becomes one is lost."""
        return node in self._left_out

    def judge_end(self, *, truncated: bool) -> None:
        """Set whether the document is cut off; only the first call counts, for the innermost construct."""
        if not (self.has_judged_end or self._is_over):
            self.has_judged_end = True
            self.log.truncated = truncated

    def end_document(self) -> None:
        """Take what follows for none of the document's: it is not cut off there."""
        self._is_over = True

    def call_out(self, offset: int) -> None:
        """Merge queued errors up to an offset of the text that is read."""
        self._merge_ahead(self.source_of(offset))

    def _merge_ahead(self, offset: int | float) -> None:
        """Move queued errors up to an offset into the log."""
        located, ahead = self._ahead_located, self._ahead
        while located and located[0][-1] <= offset:
            self._keep_queued(located.popleft())
        while ahead and ahead[0].offset <= offset:
            self._keep_queued(self._locate(*ahead.popleft()))
        self.next_queued = located[0][-1] if located else ahead[0].offset if ahead else NEVER

    def advance(self, base: int, text: str, *keep: int) -> None:
        while self._ahead and self._ahead[0].offset < base:
            self._ahead_located.append(self._locate(*self._ahead.popleft()))
        self.locator.advance(base, text, (*keep, *self.marks.values()))
        if self._unlocated:
            self._flush_located()

    def refuse(self, code: str, offset: int, *detail: object) -> ParseError:
        """Make an error the only one of a document that is refused for it; return the exception to raise."""
        offset = self.source_of(offset)
        # How many other errors were found depends on how the document was fed, as the input stream reads ahead.
        self._merge_ahead(offset)
        self._ahead.clear()
        self._ahead_located.clear()
        self.next_queued = NEVER
        self.log._clear()
        self._room = self._max_errors
        self.log.total = 0
        self.log.effect, self.log.confidence = KEPT, None
        self.record_in_source(code, offset, detail, None, None)
        entry = self.entry(self._locate(code, offset, detail, None, self.log.effect))
        return ParseError(entry.message, code, (entry.line, entry.column), self.log)

    def close(self) -> None:
        if self._unlocated:
            self._flush_located()
        self._merge_ahead(NEVER)
        self.log._sort()

    def notify_end(self) -> None:
        """Call `on_end` for a document that was repaired to its end."""
        if self._on_end is not None and self.log.total:
            self._on_end(self.log)

    def _locate(self, code: str, offset: int, detail: tuple[object, ...], kind: Kind | None, effect: Effect) -> Found:
        """Return an error with its place, which must be in the current text, or kept."""
        return self.found(code, offset, detail, kind, effect, *self.locator.locate(offset))

    def found(
        self,
        code: str,
        offset: int,
        detail: tuple[object, ...],
        kind: Kind | None,
        effect: Effect | None,
        line: int,
        column: int,
    ) -> Found:
        """Return an error whose line and column the caller knows, for `record_run`."""
        if effect is None:
            effect = self._usual_effect(code)
        return code, self._codes[code], kind, effect, shortened(code, detail), line, column, offset

    def entry(self, found: Found) -> ErrorEntry:
        return entry_of(found, self.log.filename)

    def _place_of(self, code: str, effect: Effect) -> int | None:
        """Return where in the log an error is to stand: at its end, as -1, or at the index of another one."""
        return -1 if self._room > 0 else self.log._take_place((code, effect))

    def _keep_queued(self, found: Found) -> None:
        self._keep(found, self._place_of(found[0], found[3]))

    def _keep(self, found: Found, index: int | None, *, is_new: bool = False) -> None:
        """Put an error into the log at an index; `is_new`: `on_found` has not been called with it."""
        if is_new and self._on_found:
            self._on_found(found)
        if index == -1:
            self._room -= 1
            self.log._found.append(found)
        elif index is not None:
            self.log._replace(index, found)
        if self._on_error:
            self._on_error(self.entry(found))


def shortened(code: str, detail: tuple[object, ...]) -> tuple[object, ...]:
    """Return details short enough for a message: names and tags can be of any length."""
    for part in detail:
        if isinstance(part, str) and len(part) > _LONG:
            most, left = (_LONG_SENTENCE, _SHORTENED_SENTENCE) if code.startswith(_ASSUMED) else (_LONG, _SHORTENED)
            return tuple([f"{it[:left]}…" if isinstance(it, str) and len(it) > most else it for it in detail])
    return detail
