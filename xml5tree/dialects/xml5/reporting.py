"""Errors of edited text, at their places in its source."""

from bisect import insort
from collections import deque
from collections.abc import Callable, Iterable
from operator import itemgetter
from typing import Any, Final, NamedTuple

from xml5tree.errors.codes import LOST, Effect, Kind
from xml5tree.errors.entry import Found, least
from xml5tree.errors.locator import Locator
from xml5tree.errors.log import ParseError
from xml5tree.errors.reporter import Reporter
from xml5tree.input.sourcemap import SourceMap
from xml5tree.intent.assumption import Assumption

__all__ = ["SourceReporter"]

#: How many assumptions wait for an error behind them; more of them are called out at once.
_MOST_WAITING: Final = 10_000


class _SourceLocator(Locator):
    """Translates offsets of edited text into lines and columns of its source."""

    # Other locators have the text of the source, as far as it is read. What is ahead of the reader has one of its own:
    # between its places and the reader's no lines are counted again and again.

    __slots__ = ("_ahead", "_coming", "_end", "_map", "_source", "known")

    def __init__(self, source_map: SourceMap) -> None:
        super().__init__()
        self.known = 0  # the offset in the source up to which it is known what is read
        self._map = source_map
        self._source = Locator()
        self._ahead = Locator()
        self._coming: list[str] = []  # the next parts of the source
        self._end = 0  # the offset of their end

    @property
    def end(self) -> int:
        """Where the source ends of which places are known in the edited text, too."""
        return min(self._source.end, self.known)

    @property
    def source_end(self) -> int:
        """Where the source ends that can be located."""
        return self._source.end

    def take(self, source: str) -> None:
        """Take the next part of the source, which is read next."""
        self._coming.append(source)
        self._end += len(source)

    def extend_source(self) -> None:
        """Have places known up to the end of the source that has come."""
        if self._coming:
            self._source.text = "".join([self._source.text, *self._coming])
            self._ahead.follow(self._source)
            self._coming.clear()

    def advance(self, base: int, text: str, keep: Iterable[int] = ()) -> None:
        earlier = [offset for offset in {*keep, base - 1, base - 2} if offset >= 0]
        begin = self._map.source(base)
        if begin + len(text) != self._end or not self._map.is_plain(base, base + len(text)):
            source = self._source
            text = "".join([source.text[begin - source.base :], *self._coming])
        self._coming.clear()
        self._source.advance(begin, text, map(self._map.source, earlier))
        self._ahead.follow(self._source)
        self._map.forget(base, earlier)

    def line(self, offset: int) -> int:
        return self._source.line(self._map.source(offset))

    def locate(self, offset: int) -> tuple[int, int]:
        return self._source.locate(self._map.source(offset))

    def locate_in_source(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset in the source."""
        return self._source.locate(offset)

    def column(self, offset: int, line: int) -> int:
        return self._source.column(self._map.source(offset), line)

    def locate_ahead(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset in the source that the reader may come to much later."""
        return self._ahead.locate(offset)

    @property
    def first_in_source(self) -> int:
        """The first offset in the source that can be located."""
        return self._source.base

    def pass_over(self, offset: int, position: tuple[int, int], characters: int, newlines: int) -> None:
        begin = self._map.source(offset)
        self._source.pass_over(begin, position, self._map.source_end(offset + characters) - begin, newlines)


class _Waiting(NamedTuple):
    """An assumption whose place is not there."""

    assumption: Assumption
    effect: Effect
    on_found: Callable[[Found], object]


class SourceReporter(Reporter):
    """Collects the errors of edited text, the errors of its source's characters, and the assumptions behind the edits.

    `record`, `report` and `record_found` take offsets of the edited text. Assumptions come before other errors at the
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
        self._waiting: deque[_Waiting] = deque()
        self._assumed: list[Found] = []

    def source_of(self, offset: int) -> int:
        return self._map.source(offset)

    def record(
        self, code: str, offset: int, detail: tuple[object, ...], kind: Kind | None, effect: Effect | None
    ) -> None:
        self.place = offset
        super().record(code, self._map.source(offset), detail, kind, effect)
        self.place = None

    def record_found(self, found: Found) -> None:
        code, usual, kind, effect, detail, line, _, offset = found
        source = self._map.source(offset)
        self.place = offset
        column = self.locator.column(offset, line)  # no run has edits with line breaks
        super().record_found((code, usual, kind, effect, detail, line, column, source))
        self.place = None

    def assume(self, assumption: Assumption, on_found: Callable[[Found], object]) -> None:
        """Report an assumption; call `on_found` once its line and column are known."""
        self._is_truncated |= assumption.truncated
        self.log.confidence = least([self.log.confidence, assumption.confidence])
        effect = self._count(assumption.code, LOST if self.leaves_out(assumption.node) else assumption.effect)
        self._waiting.append(_Waiting(assumption, effect, on_found))

    def call_out(self, offset: int) -> None:
        """Merge queued errors up to an offset of the edited text."""
        self._merge_ahead(self._map.source(offset))

    def _locate_waiting(self) -> None:
        waiting, assumed, locator = self._waiting, self._assumed, self.locator
        while waiting and waiting[0].assumption.offset <= locator.end:
            assumption, effect, on_found = waiting.popleft()
            offset = max(assumption.offset, locator.first_in_source)
            detail = (assumption.sentence, *assumption.more, assumption.confidence)
            found = self._found(assumption.code, offset, detail, None, effect, *locator.locate_ahead(offset))
            on_found(found)
            if self._on_found:
                self.is_assuming = True
                self._on_found(found)
                self.is_assuming = False
            if not self._may_be_kept(assumption.code, effect):
                continue
            if assumed and found[-1] < assumed[-1][-1]:
                insort(assumed, found, key=itemgetter(-1))
            else:
                assumed.append(found)
        if len(assumed) > _MOST_WAITING:
            self._merge_ahead(assumed[-_MOST_WAITING // 2][-1])
        elif assumed and assumed[0][-1] < self._next_ahead:
            self._next_ahead = assumed[0][-1]

    def advance(self, base: int, text: str, *keep: int) -> None:
        begin = self._map.source(base)
        if self._waiting or self._unlocated or begin > self.locator.source_end:  # an edit may be before it
            self.locator.extend_source()
            self._flush_located()
            self._locate_waiting()
        while self._ahead and self._ahead[0].offset < begin:
            self._ahead_located.append(self._locate(*self._ahead.popleft()))
        self.locator.advance(base, text, (*keep, *self.marks.values()))

    def _merge_ahead(self, offset: int | float) -> None:
        """See `Reporter`; assumptions are merged with the other queued errors."""
        assumed = self._assumed
        count = 0
        while count < len(assumed) and assumed[count][-1] <= offset:
            super()._merge_ahead(assumed[count][-1])
            self._keep_queued(assumed[count])
            count += 1
        del assumed[:count]
        super()._merge_ahead(offset)
        if assumed:
            self._next_ahead = min(self._next_ahead, assumed[0][-1])

    def close(self) -> None:
        super().close()
        self.log.truncated |= self._is_truncated and not self._is_over

    def refuse(self, code: str, offset: int, *detail: object) -> ParseError:
        refusal = super().refuse(code, offset, *detail)
        self._waiting.clear()
        self._assumed.clear()
        return refusal

    def _locate(self, code: str, offset: int, detail: tuple[object, ...], kind: Kind | None, effect: Effect) -> Found:
        line, column = self.locator.locate_in_source(offset)
        return self._found(code, offset, detail, kind, effect, line, column)
