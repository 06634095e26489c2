"""Text events as text comes, among a native parser's events."""

from collections.abc import Collection, Iterator
from typing import Any

from xml5tree.backends.base import Events, PullParser
from xml5tree.output.texts import Texts


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
