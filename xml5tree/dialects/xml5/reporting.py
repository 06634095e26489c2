"""Errors of edited text, at their places in its source."""

from bisect import insort
from collections import deque
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any, Final

from xml5tree.errors.codes import KEPT, LOST, Effect, Kind
from xml5tree.errors.entry import Found, least
from xml5tree.errors.locator import Locator, Place
from xml5tree.errors.log import ParseError
from xml5tree.errors.reporter import Report, Reporter
from xml5tree.input.sourcemap import SourceMap
from xml5tree.intent.assumption import Assumption

#: How many assumptions wait for an error behind them; more of them are called out at once.
_MOST_WAITING: Final = 10_000


class _SourceLocator(Locator):
    """Translates offsets of edited text into lines and columns of its source."""

    __slots__ = ("_coming", "_end", "_map", "known", "source")

    def __init__(self, source_map: SourceMap) -> None:
        super().__init__()
        self.known = 0  # the offset in the source up to which it is known what is read
        self._map = source_map
        self.source = Locator()  # of offsets in the source, as far as it is read
        self._coming: list[str] = []  # the next parts of the source
        self._end = 0  # the offset of their end

    @property
    def end(self) -> int:
        """Where the source ends of which places are known in the edited text, too."""
        return min(self.source.end, self.known)

    def take(self, source: str) -> None:
        """Take the next part of the source, which is read next."""
        self._coming.append(source)
        self._end += len(source)

    def extend_source(self) -> None:
        """Have places known up to the end of the source that has come."""
        if self._coming:
            self.source.text = "".join([self.source.text, *self._coming])
            self._coming.clear()

    def advance(self, base: int, text: str, keep: Iterable[int] = ()) -> None:
        earlier = [offset for offset in {*keep, base - 1, base - 2} if offset >= 0]
        begin = self._map.source(base)
        if begin + len(text) != self._end or not self._map.is_plain(base, base + len(text)):
            source = self.source
            text = "".join([source.text[begin - source.base :], *self._coming])
        self._coming.clear()
        self.source.advance(begin, text, map(self._map.source, earlier))
        self._map.forget(base, earlier)

    def line(self, offset: int) -> int:
        return self.source.line(self._map.source(offset))

    def locate(self, offset: int) -> tuple[int, int]:
        return self.source.locate(self._map.source(offset))

    @property
    def is_behind(self) -> bool:
        """Whether a part of the source has come of which nothing is read."""
        return bool(self._coming)

    def go_to(self, offset: int, line: int, column: int) -> None:
        place = self._map.source(offset)
        if place > self.source.end:
            self.source.go_to(place, line, column)
        else:
            self.source.column(place, line)

    def column_in_run(self, offset: int, line: int, column: int) -> int:
        """Return the column of an offset in the source, which is in a run; `column` has not been edited."""
        return column if offset > self.source.end else self.source.column(offset, line)

    def pass_over(self, offset: int, position: tuple[int, int], characters: int, newlines: int) -> None:
        begin = self._map.source(offset)
        self.source.pass_over(begin, position, self._map.source_end(offset + characters) - begin, newlines)

    def pass_utf8(self, data: bytes, start: int, end: int, place: Place) -> None:
        offset, line, column = place
        offset = self._map.source(offset)
        self.known += offset - self._end
        self._end = offset
        self.source.pass_utf8(data, start, end, (offset, line, column))


class SourceReporter(Reporter):
    """Collects the errors of edited text, the errors of its source's characters, and the assumptions behind the edits.

    `record`, `report` and `record_run` take offsets of the edited text. Assumptions come before other errors at the
    same place, but after those of characters.
    """

    # Like errors of characters, assumptions are queued, and merged before the first error at or after them.

    def __init__(self, source_map: SourceMap, *arguments: Any) -> None:
        """Begin an empty log; for the other arguments see `Reporter`."""
        super().__init__(*arguments)
        self._map = source_map
        self.locator: _SourceLocator = _SourceLocator(source_map)
        self.place: int | None = None  # the offset of the error, in the edited text, that is reported just now
        self.is_assuming = False  # whether an assumption is
        self._is_truncated = False  # whether an edit says so
        #: Assumptions whose places may not be there, with their effects and who takes them.
        self._waiting: deque[tuple[Assumption, Effect, list[Found]]] = deque()
        self._places: dict[int, tuple[int, int]] = {}  # of queued assumptions, as far as they have been located

    def source_of(self, offset: int) -> int:
        return self._map.source(offset)

    def record(
        self, code: str, offset: int, detail: tuple[object, ...], kind: Kind | None, effect: Effect | None
    ) -> None:
        self.place = offset
        super().record(code, self._map.source(offset), detail, kind, effect)
        self.place = None

    def record_run(self, errors: Sequence[Found]) -> None:
        found = []
        for code, usual, kind, effect, detail, line, column, offset in errors:
            source = self._map.source(offset)
            column = self.locator.column_in_run(source, line, column)  # no run has edits with line breaks
            found.append((code, usual, kind, effect, detail, line, column, source))
        super().record_run(found)

    def assume(self, assumption: Assumption, found: list[Found]) -> None:
        """Report an assumption; if errors are wanted at once, `found` gets it when its line and column are known."""
        self._is_truncated |= assumption.truncated
        if assumption.confidence is not None:
            self.log.confidence = least([self.log.confidence, assumption.confidence])
        effect = self._count(assumption.code, LOST if self.leaves_out(assumption.node) else assumption.effect)
        self._waiting.append((assumption, effect, found))

    def contradict(self, offset: int, sentence: str) -> None:
        """Report that a child at an offset of the edited text is not expected there."""
        self.is_assuming = True
        self.record_in_source("contradicts-structure", self._map.source(offset), (sentence, None), None, KEPT)
        self.is_assuming = False

    def _queue_waiting(self) -> None:
        """Queue the assumptions whose places are there."""
        waiting, queued = self._waiting, self._ahead
        first, end = self.locator.source.base, self.locator.end
        while waiting and waiting[0][0].offset <= end:
            assumption, effect, taken = waiting.popleft()
            code, offset = assumption.code, max(assumption.offset, first)
            report = Report(code, offset, (assumption.sentence, *assumption.more, assumption.confidence), None, effect)
            if self._on_found:
                found = self._locate(*report)
                taken.append(found)
                self.is_assuming = True
                self._on_found(found)
                self.is_assuming = False
                self._places[offset] = found[5], found[6]
            if self._may_be_kept(code, effect):
                insort(queued, report, key=itemgetter(1))
            else:
                self._places.pop(offset, None)
        if queued:
            self.next_queued = min(self.next_queued, queued[0].offset)

    def advance(self, base: int, text: str, *keep: int) -> None:
        begin = self._map.source(base)
        if self._waiting or self._unlocated or begin > self.locator.source.end:  # an edit may be before it
            self.locator.extend_source()
            here = self.locator.source.locate(begin)
            self._flush_located()
            self._queue_waiting()
            self.locator.source.go_to(begin, *here)  # so that no line is counted twice
        while self._ahead and self._ahead[0].offset < begin:
            self._ahead_located.append(self._locate(*self._ahead.popleft()))
        if len(self._ahead_located) > _MOST_WAITING:
            self._merge_ahead(self._ahead_located[-_MOST_WAITING // 2][-1])
        self.locator.advance(base, text, (*keep, *self.marks.values()))

    def close(self) -> None:
        super().close()
        self.log.truncated |= self._is_truncated and not self._is_over

    def refuse(self, code: str, offset: int, *detail: object) -> ParseError:
        refusal = super().refuse(code, offset, *detail)
        self._waiting.clear()
        return refusal

    def _locate(self, code: str, offset: int, detail: tuple[object, ...], kind: Kind | None, effect: Effect) -> Found:
        known = self._places.pop(offset, None)
        line, column = known or self.locator.source.locate(offset)
        return self.found(code, offset, detail, kind, effect, line, column)
