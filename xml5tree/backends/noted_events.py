"""Events of errors and of text, which are noted, at their places among a native parser's events."""

from collections.abc import Callable, Collection, Iterator
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from xml5tree.backends.base import Events, PullParser
from xml5tree.errors.codes import Effect, worst
from xml5tree.errors.entry import ErrorEntry, Found
from xml5tree.errors.policy import Policy
from xml5tree.output.places import Places
from xml5tree.output.texts import Texts

if TYPE_CHECKING:
    from xml5tree.input.spans import Spans


#: The least number of entries kept for `ErrorEvents.errors_of`.
_LEAST_KEPT: Final = 100


class ErrorEvents(Events):
    """Adds events of errors, each after the start of the element around it, and before that element's end."""

    # Native parsers report no offsets. So tree construction notes the place of each start and end, and the notes are
    # matched with the native events, in order. For that, the native parser reports every element.

    def __init__(
        self,
        native: PullParser,
        events: Collection[str],
        tag: str | Collection[str] | None,
        places: Places,
        make_entry: Callable[[Found], ErrorEntry],
        policy: Policy,
        on_error: Callable[[ErrorEntry], object] | None,
        max_errors: int | None,
        hides_root: bool = False,
        spans: "Spans | None" = None,
    ) -> None:
        """Begin a document.

        Args:
            native: the parser, which reports all starts and ends.
            events, tag, hides_root: see `Events`.
            places: the notes of tree construction about all elements.
            make_entry: makes the entry of an error from its note.
            policy: decides about elements with errors when they end.
            on_error: called with each error, in the order of the events.
            max_errors: how many errors are kept for `errors_of`; None: all.
            spans: finds the spans of elements in the document; None: spans are unknown.
        """
        super().__init__(native, events, tag, hides_root=hides_root)
        self._places = places
        self._notes = places.found
        self._spans = spans
        self._begins: list[int] = []  # of each open element, in the document,
        self._span = (0, 0)  # and of the element whose end was reported last
        self._make_entry = make_entry
        self._policy = policy
        self._on_error = on_error
        self._kept = None if max_errors is None else max(max_errors, _LEAST_KEPT)
        #: The native event that errors come before, with the place of its tag: shared by all iterators over the events.
        self._held: tuple[str, Any, int | None] | None = None
        #: A heap of errors that were taken from the notes and not yet reported, by offset, and in order at one place.
        self._errors: list[tuple[int, int, ErrorEntry]] = []
        self._numbers = count()
        #: The last errors that were reported; and the number of earlier errors, which are dropped.
        self._history: list[ErrorEntry] = []
        self._forgotten = 0
        #: For each open element: the number of errors reported before it began, and the worst effect of those in it.
        self._open: list[tuple[int, Effect | None]] = []
        #: The element whose end was reported last, and the slice of its errors.
        self._ended: tuple[Any, int, int] = (None, 0, 0)

    def read_events(self) -> Iterator[tuple[str, Any]]:
        """Yield the events; raise `ParseError` if an element is bad and the policy raises."""
        native = self.native.read_events()
        while (held := self._hold(native)) is not None:
            event, item, place = held
            if place is not None and (entry := self._next_error(place)) is not None:
                if "error" in self._wanted:
                    yield "error", entry
                continue
            self._held = None
            if place is not None and not self._pass_tag(event, item, place):
                continue
            if self._is_wanted(event, item):
                yield event, item
        if self._spans is not None and not self._notes:
            self._spans.forget(self._places.reached)

    def read_rest(self) -> Iterator[tuple[str, ErrorEntry]]:
        """Yield the remaining errors of a document that has ended or is refused."""
        while self._notes:
            self._take_errors()
            if self._notes:  # an element that the native parser was not given
                self._notes.popleft()
        while (entry := self._next_error(None)) is not None:
            if "error" in self._wanted:
                yield "error", entry

    def errors_of(self, element: Any) -> tuple[ErrorEntry, ...]:
        ended, start, end = self._ended
        if ended is None or element is not ended:
            raise ValueError("errors are known of the element whose end event was read last")
        return self._errors_between(start, end)

    def span_of(self, element: Any) -> tuple[int, int]:
        if self._spans is None:
            raise ValueError("spans are known with spans=True")
        ended = self._ended[0]
        if ended is None or element is not ended:
            raise ValueError("the span is known of the element whose end event was read last")
        return self._span

    @property
    def _count(self) -> int:
        return self._forgotten + len(self._history)

    def _errors_between(self, start: int, end: int) -> tuple[ErrorEntry, ...]:
        return tuple(self._history[max(start - self._forgotten, 0) : max(end - self._forgotten, 0)])

    def _hold(self, native: Iterator[tuple[str, Any]]) -> tuple[str, Any, int | None] | None:
        """Return the native event that is next, with the place of its tag; None if there is no event."""
        if self._held is None and (found := next(native, None)) is not None:
            place = None
            if found[0] in ("start", "end"):
                self._take_errors()
                note = self._notes.popleft()
                assert isinstance(note, int | tuple)  # there are no rows of elements of all names
                place = note[0] if isinstance(note, tuple) else note
            self._held = *found, place
        return self._held

    def _take_errors(self) -> None:
        notes = self._notes
        while notes and isinstance(note := notes[0], list):
            for found in note:
                entry = self._make_entry(found)
                heappush(self._errors, (entry.offset, next(self._numbers), entry))
            notes.popleft()

    def _next_error(self, place: int | None) -> ErrorEntry | None:
        """Take the next error before a place, or of all; report it to the callback, and return it."""
        if not self._errors or (place is not None and self._errors[0][0] >= place):
            return None
        entry = heappop(self._errors)[2]
        self._remember(entry)
        if self._on_error is not None:
            self._on_error(entry)
        return entry

    def _pass_tag(self, event: str, element: Any, place: int) -> bool:
        """Begin or end an element; return whether its event may be reported."""
        if event == "start":
            if self._spans is not None:
                self._begins.append(self._spans.locate(place))
            self._open.append((self._count, None))
            return True
        if self._spans is not None:
            self._span = self._begins.pop(), self._spans.locate(getattr(place, "token", place))
        return self._end(element)

    def _remember(self, entry: ErrorEntry) -> None:
        self._history.append(entry)
        if self._kept is not None and len(self._history) >= 2 * self._kept:
            del self._history[: self._kept]
            self._forgotten += self._kept
        if self._open:
            start, effect = self._open[-1]
            self._open[-1] = start, entry.effect if effect is None else worst(effect, entry.effect)

    def _end(self, element: Any) -> bool:
        """End an element; return whether its event is reported."""
        start, effect = self._open.pop()
        if effect is not None and self._open:
            outer, outer_effect = self._open[-1]
            self._open[-1] = outer, effect if outer_effect is None else worst(outer_effect, effect)
        self._ended = element, start, self._count
        if not self._policy.is_bad(effect) or not self._is_wanted("end", element):
            return True
        return self._policy.keeps(f"element {element.tag!r}", self._errors_between(start, self._count))


class TextEvents(Events):
    """Adds events of text: ``"text"`` with the element around it and the new chunk.

    `native` reports every element, to find the open one. `texts` are those in its markup.
    """

    def __init__(
        self, native: PullParser, events: Collection[str], tag: str | Collection[str] | None, texts: Texts
    ) -> None:
        super().__init__(native, events, tag)
        self._texts = texts
        self._open: list[Any] = []
        self._seen = 0  # events that count
        #: The native event that text comes before: shared by all iterators over the events.
        self._held: tuple[str, Any] | None = None

    def read_events(self) -> Iterator[tuple[str, Any]]:
        native = self.native.read_events()
        while True:
            if self._held is None:
                self._held = next(native, None)
            # "end-ns" belongs to the end before it
            if self._held is None or self._held[0] != "end-ns":
                text = self._texts.take(self._seen)
                if text and self._is_wanted("text", self._open[-1]):
                    yield "text", (self._open[-1], text)
                    continue
            if self._held is None:
                return
            (event, item), self._held = self._held, None
            if event == "start":
                self._open.append(item)
            elif event == "end":
                self._open.pop()
            if self._texts.counts(event):
                self._seen += 1
            if self._is_wanted(event, item):
                yield event, item
