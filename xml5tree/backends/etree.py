"""The backend for `xml.etree.ElementTree` (expat)."""

import copy
import xml.etree.ElementTree as ET
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Final
from xml.parsers import expat

from xml5tree.backends.base import Backend, FeedParser, PullParser, RecordParser
from xml5tree.backends.elementpath import compile_element_path, compile_element_value
from xml5tree.backends.tags import tags_pattern
from xml5tree.errors.log import ParseError, refused
from xml5tree.options import Settings
from xml5tree.xml.limits import EXPAT_LIMITS

#: Whether expat itself waits for the rest of a long token.
_EXPAT_DEFERS: Final = expat.version_info >= (2, 6)
#: Whether this release of Python can flush the input that expat holds back.
_HAS_FLUSH: Final = hasattr(ET.XMLParser, "flush")

#: Largest incomplete token, in bytes, that may be read again with each chunk: no slower than the call itself.
_SHORT: Final = 1024
#: Bytes or characters of a whole document that expat gets first.
_FIRST_PART: Final = 1 << 16


class _RecordParser(RecordParser):
    """See `RecordParser`. The first start event gives the root element; an observer alone needs later ones."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        parser: Any = ET.XMLParser(target=ET.TreeBuilder())
        self._parser = parser
        self._events: list[tuple[str, Any]] = []
        parser._setevents(self._events, ("start", "end"))

    def feed(self, data: Any, /) -> None:
        self._pruner.note_fed(len(data))
        self._parser.feed(data)
        if _HAS_FLUSH:  # see `ElementTreeBackend.make_pull_parser`
            self._parser.flush()
        if self._root is None and self._events:
            self._root = self._events[0][1]
            if self._observer is not None:
                return
            self._events = [event for event in self._events if event[0] == "end"]
            self._parser._setevents(self._events, ("end",))

    def close(self) -> Any:
        return self._parser.close()

    def read_ends(self) -> list[Any]:
        has_name = self._has_name
        if self._observer is not None:
            ends = self._observer.read(self._events, has_name)
        else:
            ends = [element for _, element in self._events if has_name[element.tag]]
        self._events.clear()
        return ends


class ElementTreeBackend(Backend):
    """The backend for trees of `xml.etree.ElementTree`."""

    limits = EXPAT_LIMITS
    # ValueError and LookupError: an encoding that expat does not read.
    refusals = (ET.ParseError, ValueError, LookupError)
    record_parser = _RecordParser
    library: ClassVar[Any] = ET

    def make_parser(self, target: object | None) -> FeedParser:
        return ET.XMLParser(target=target)

    def make_strict_parser(self, target: object | None, settings: Settings) -> FeedParser:
        make = _GuardedParser if _EXPAT_DEFERS else _GuardedDeferringParser
        return make(target, settings)

    def make_pull_parser(self, events: Iterable[str], tag: str | Iterable[str] | None) -> PullParser:
        parser = ET.XMLParser(target=ET.TreeBuilder())
        # Expat 2.6 and later would wait for the rest of a token until there is much of it. Repaired markup comes
        # in whole tokens.
        return _PullParser(parser, events, tag, flushes_each=_HAS_FLUSH)

    def compile_path(self, path: str, prefixes: Mapping[str, str]) -> Callable[[Any], Any]:
        return compile_element_path(path, prefixes)

    def compile_value(self, path: str, prefixes: Mapping[str, str]) -> Callable[[Any], Any]:
        return compile_element_value(path, prefixes)

    def only_child(self, root: Any) -> Any:
        (child,) = root
        child.tail = None
        return child

    def as_root(self, element: Any) -> Any:
        root = copy.copy(element)
        root.tail = None
        return root

    def make_strict_pull_parser(
        self, events: Iterable[str], tag: str | Iterable[str] | None, settings: Settings
    ) -> PullParser:
        return _PullParser(_GuardedDeferringParser(ET.TreeBuilder(), settings), events, tag)

    def parse_whole(self, data: bytes | str, settings: Settings) -> Any:
        # Expat copies a chunk before it reads it, so with small first ones an error near the start costs 0.1 ms a
        # megabyte instead of 0.6. As chunks grow, reading incomplete tokens again takes linear time.
        parser = ET.XMLParser(encoding=settings.encoding)
        parts = data if isinstance(data, str) else memoryview(data)
        start, end = 0, _FIRST_PART
        while start < len(data):
            parser.feed(parts[start:end])
            start, end = end, 2 * end
        return parser.close()

    def parse_markup(self, markup: bytes) -> Any:
        parser = ET.XMLParser(encoding="utf-8")
        parser.feed(markup)
        return parser.close()

    def flush(self, parser: Any) -> None:
        native = parser.native if isinstance(parser, _PullParser) else parser
        if _HAS_FLUSH or isinstance(native, _DeferringParser):
            native.flush()

    def make_tree(self, root: Any, source: Any) -> Any:
        tree: Any = ET.ElementTree()
        tree._root = root  # a target may have made anything, which newer versions do not take as an argument
        return tree

    def exception(self, refusal: Exception, filename: str | None = None) -> ParseError:
        if isinstance(refusal, _UnsafeDeclarations):
            return refused(str(refusal), self.position(refusal), filename, code="unsafe-declarations")
        return super().exception(refusal, filename)

    def position(self, refusal: Exception) -> tuple[int, int]:
        return refusal.position if isinstance(refusal, ET.ParseError) else (1, 0)


class _DeferringParser(ET.XMLParser):
    """A parser that takes linear time for a long token in small chunks."""

    # Expat reads an incomplete token again from its start with each chunk (CVE-2023-52425). From version 2.6 on, it
    # waits until twice as much of the token has come. So does this parser, but for short tokens, whose events come at
    # once.

    def __init__(self, *, target: Any, encoding: str | None) -> None:
        super().__init__(target=target, encoding=encoding)
        self._parts: list[bytes | str] = []  # held back
        self._size = 0  # of them, in bytes
        # `ET.XMLParser` does not tell how far it has read. This second parser, which builds nothing, does.
        self._scout = expat.ParserCreate(encoding)
        if hasattr(self._scout, "SetReparseDeferralEnabled"):
            self._scout.SetReparseDeferralEnabled(False)
        self._ahead: bytes | str = b""  # passed on; the scout gets it only if more input follows
        self._passed_on = 0

    def feed(self, data: Any, /) -> None:
        self._parts.append(data)
        self._size += len(data) if isinstance(data, bytes) else len(data.encode("utf-8", "surrogatepass"))
        unfinished = self._measure_unfinished()
        if unfinished < _SHORT or self._size >= unfinished:
            self.flush()

    def flush(self) -> None:
        if self._parts:
            self._measure_unfinished()
            data = self._parts[0][:0].join(self._parts)  # type: ignore[arg-type]
            self._passed_on += self._size
            self._parts, self._size, self._ahead = [], 0, data
            super().feed(data)
        if _HAS_FLUSH:
            super().flush()

    def close(self) -> Any:
        self.flush()
        return super().close()

    def _measure_unfinished(self) -> int:
        """Return the number of bytes passed on that belong to an incomplete token."""
        if self._ahead:
            ahead, self._ahead = self._ahead, b""
            try:
                self._scout.Parse(ahead, False)
            except expat.ExpatError:  # the parser itself has raised it
                return 0
        return max(self._passed_on - self._scout.CurrentByteIndex, 0)


class _UnsafeDeclarations(ET.ParseError):
    """Raised where the guard refuses the document, which may be well-formed."""

    def __init__(self, complaint: str) -> None:
        super().__init__(complaint)
        self.code, self.position = 0, (1, 0)


class _GuardedParser(ET.XMLParser):
    """A parser for an unrepaired document that refuses declarations whose effect expat does not limit itself."""

    def __init__(self, target: Any, settings: Settings) -> None:
        from xml5tree.backends.guard import Guard  # few need it

        super().__init__(target=target, encoding=settings.encoding)
        self._settings = settings
        self._guard = Guard(settings.encoding)

    def feed(self, data: Any, /) -> None:
        guard, settings = self._guard, self._settings
        guard.look(data)
        limit = max(settings.amplification_threshold, settings.max_amplification * guard.size)
        if complaint := guard.complaint(limit):
            raise _UnsafeDeclarations(complaint)
        super().feed(data)


class _GuardedDeferringParser(_GuardedParser, _DeferringParser):
    """Guards and defers: the guard sees each chunk before it is held back."""


class _PullParser:
    """Like `ET.XMLPullParser`, but filters by tag, and `close` returns the root; `native` is fed."""

    def __init__(
        self, parser: Any, events: Iterable[str], tag: str | Iterable[str] | None, *, flushes_each: bool = False
    ) -> None:
        self.native = parser
        self._tags = None if tag is None else tags_pattern(tag)
        self._events: deque[tuple[str, Any]] = deque()
        parser._setevents(self._events, events)
        self._flushes_each = flushes_each

    def feed(self, data: Any, /) -> None:
        self.native.feed(data)
        if self._flushes_each:
            self.native.flush()

    def close(self) -> Any:
        return self.native.close()

    def read_events(self) -> Iterator[tuple[str, Any]]:
        events, tags = self._events, self._tags
        while events:
            event = events.popleft()
            if tags is None or event[0] not in ("start", "end") or tags.fullmatch(event[1].tag):
                yield event
