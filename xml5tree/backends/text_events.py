"""Text events as text comes, among a native parser's events."""

from collections.abc import Callable, Collection, Iterator
from typing import Any

from xml5tree.backends.base import Events, PullParser
from xml5tree.backends.tags import tags_pattern
from xml5tree.output.texts import Texts

__all__ = ["TextEvents"]


class TextEvents(Events):
    """Adds events of text: ``"text"`` with the element around it and the new chunk.

    `make` makes a native parser for kinds of events, which reports every element, to find the open one. `texts` are
    those in its markup.
    """

    def __init__(
        self,
        make: Callable[[Collection[str]], PullParser],
        events: Collection[str],
        tag: str | Collection[str] | None,
        texts: Texts,
    ) -> None:
        super().__init__(make({"start", "end", *events} - {"text"}))
        self._wanted = frozenset(events)
        self._tags = None if tag is None else tags_pattern(tag)
        self._texts = texts
        self._open: list[Any] = []
        self._seen = 0  # events that count

    def read_events(self) -> Iterator[tuple[str, Any]]:
        for event, item in self.native.read_events():
            if event != "end-ns":  # which belongs to the end before it
                yield from self._texts_here()
            if event == "start":
                self._open.append(item)
            elif event == "end":
                self._open.pop()
            if self._texts.counts(event):
                self._seen += 1
            if event in self._wanted and (event not in ("start", "end") or self._shows(item)):
                yield event, item
        yield from self._texts_here()

    def _texts_here(self) -> Iterator[tuple[str, Any]]:
        text = self._texts.take(self._seen)
        if text and self._shows(self._open[-1]):
            yield "text", (self._open[-1], text)

    def _shows(self, element: Any) -> bool:
        return self._tags is None or self._tags.fullmatch(element.tag) is not None
