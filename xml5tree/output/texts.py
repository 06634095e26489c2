"""The pieces of text, for text events."""

# Native parsers report text only when it ends. So pieces are noted as they are written, with the number of starts and
# ends of elements, comments and instructions before them. Counting the native parser's events tells which element a
# piece is in.

from collections import deque
from collections.abc import Callable, Container, Iterable

from xml5tree.output.markup import Markup


class Texts:
    """Pieces of text of one document, each with the number of events before it."""

    def __init__(self, events: Container[str]) -> None:
        """Set the events that the native parser is asked for besides starts and ends of elements."""
        self._events = events
        self._count = 0
        self._found: deque[tuple[int, str]] = deque()

    def counts(self, event: str) -> bool:
        return event in ("start", "end") or (event in ("comment", "pi") and event in self._events)

    def note_event(self, event: str) -> None:
        self._count += self.counts(event)

    def note_text(self, text: str) -> None:
        self._found.append((self._count, text))

    def take(self, count: int) -> str:
        pieces = []
        while self._found and self._found[0][0] <= count:
            pieces.append(self._found.popleft()[1])
        return "".join(pieces)


class TextMarkup(Markup):
    """Markup that notes text. It gets no clean runs, which have tags and text in them."""

    __slots__ = ("_texts",)

    def __init__(self, source_line: Callable[[], int], texts: Texts) -> None:
        super().__init__(source_line)
        self._texts = texts

    def start_tag(self, name: str, attributes: Iterable[tuple[str, str]], empty: bool, verbatim: str | None) -> None:
        super().start_tag(name, attributes, empty, verbatim)
        self._texts.note_event("start")
        if empty:
            self._texts.note_event("end")

    def around(self, name: str, attributes: Iterable[tuple[str, str]]) -> None:
        super().around(name, attributes)
        self._texts.note_event("start")

    def end_tag(self, name: str, verbatim: str | None, *, closed_at: int | None = None) -> None:
        super().end_tag(name, verbatim, closed_at=closed_at)
        self._texts.note_event("end")

    def comment(self, data: str, verbatim: str | None, *, length: int | None = None) -> None:
        super().comment(data, verbatim, length=length)
        self._texts.note_event("comment")

    def processing_instruction(self, target: str, data: str, verbatim: str | None) -> None:
        super().processing_instruction(target, data, verbatim)
        self._texts.note_event("pi")

    def text(self, data: str) -> None:
        super().text(data)
        self._texts.note_text(data)

    def substitute(self, data: str) -> None:
        super().substitute(data)
        self._texts.note_text(data)

    def reference(self, data: str, verbatim: str | None) -> None:
        super().reference(data, verbatim)
        self._texts.note_text(data)
