"""The backend for `xml.etree.ElementTree` (expat)."""

import xml.etree.ElementTree as ET
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from xml5tree.backends.base import Backend, FeedParser, PullParser
from xml5tree.backends.tags import tags_pattern
from xml5tree.options import Settings
from xml5tree.xml.limits import EXPAT_LIMITS

__all__ = ["ElementTreeBackend"]


class ElementTreeBackend(Backend):
    """Trees of `xml.etree.ElementTree`."""

    limits = EXPAT_LIMITS
    # ValueError and LookupError: an encoding that expat does not read.
    refusals = (ET.ParseError, ValueError, LookupError)

    def make_parser(self, target: object | None) -> FeedParser:
        """See `Backend`."""
        return ET.XMLParser(target=target)

    def make_strict_parser(self, target: object | None, settings: Settings) -> FeedParser:
        """See `Backend`."""
        return _GuardedParser(target, settings)

    def make_pull_parser(self, events: Iterable[str], tag: str | Iterable[str] | None) -> PullParser:
        """See `Backend`."""
        return _PullParser(ET.XMLParser(target=ET.TreeBuilder()), events, tag)

    def only_child(self, root: Any) -> Any:
        """See `Backend`."""
        (child,) = root
        child.tail = None
        return child

    def make_strict_pull_parser(
        self, events: Iterable[str], tag: str | Iterable[str] | None, settings: Settings
    ) -> PullParser:
        """See `Backend`."""
        return _PullParser(_GuardedParser(ET.TreeBuilder(), settings), events, tag)

    def parse_whole(self, data: bytes | str, settings: Settings) -> Any:
        """See `Backend`."""
        parser = ET.XMLParser(encoding=settings.encoding)
        parser.feed(data)
        return parser.close()

    def make_tree(self, root: Any, source: Any) -> Any:
        """See `Backend`."""
        return ET.ElementTree(root)

    def position(self, refusal: Exception) -> tuple[int, int]:
        """See `Backend`."""
        return refusal.position if isinstance(refusal, ET.ParseError) else (1, 0)


class _GuardedParser(ET.XMLParser):
    """A parser for a document as it is, which refuses declarations that expat itself does not see through."""

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
            error = ET.ParseError(complaint)
            error.code, error.position = 0, (1, 0)
            raise error
        super().feed(data)


class _PullParser:
    """What `ET.XMLPullParser` is, with a filter by tag, and with a `close` that returns the root element."""

    def __init__(self, parser: Any, events: Iterable[str], tag: str | Iterable[str] | None) -> None:
        self._parser = parser
        self._tags = None if tag is None else tags_pattern(tag)
        self._events: deque[tuple[str, Any]] = deque()
        parser._setevents(self._events, events)
        # Expat 2.6 and later would rather wait for the rest of a token until there is much of it.
        self._flush = getattr(parser, "flush", None)

    def feed(self, data: Any, /) -> None:
        self._parser.feed(data)
        if self._flush is not None:
            self._flush()

    def close(self) -> Any:
        return self._parser.close()

    def read_events(self) -> Iterator[tuple[str, Any]]:
        events, tags = self._events, self._tags
        while events:
            event = events.popleft()
            if tags is None or event[0] not in ("start", "end") or tags.fullmatch(event[1].tag):
                yield event
