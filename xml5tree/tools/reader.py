"""Reads tool calls in a format."""

# Text is neither normalised nor are forbidden characters replaced: arguments are exactly as written.

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import attrgetter

from xml5tree.dialects.xml5.states import data_state
from xml5tree.dialects.xml5.tokenizer import Tokenizer
from xml5tree.errors.entry import ErrorEntry
from xml5tree.options import Settings
from xml5tree.tools.calls import Call, Event, Output
from xml5tree.tools.collecting import Collector
from xml5tree.tools.construction import CallBuilder, CallTags
from xml5tree.tools.formats import FORMATS, Format
from xml5tree.tools.roles import Roles
from xml5tree.tools.schemas import Tools, read_tools

__all__ = ["CallReader", "read"]


class CallReader:
    """A reader of tool calls that is fed text as it comes.

    Each method returns the events that have become certain. Text of an argument is held back only if it may be part of
    the end tag; its pieces together are the argument before conversion.
    """

    def __init__(self, format: str | Format, tools: Tools | None = None) -> None:
        """Set the format.

        Args:
            format: the name of a format, or a `Format`.
            tools: names of tools with their argument names or JSON schemas, or a list of definitions; needed for
                formats whose tags are names of tools. None: arguments are not converted.

        Raises what is usual for arguments: `ValueError` for an unknown format, one that needs `tools`, or a name that
        cannot be a tag, and `TypeError` for other `tools`.
        """
        if not isinstance(format, str | Format):
            raise TypeError(f"format must be a name or a Format, not {type(format).__name__}")
        if isinstance(format, str) and format not in FORMATS:
            raise ValueError(f"format must be one of {', '.join(FORMATS)}, or a Format, not {format!r}")
        chosen = FORMATS[format] if isinstance(format, str) else format
        roles = Roles(chosen, read_tools(tools))
        settings = Settings(
            elements=roles.elements, raw=roles.raw, trim_raw=chosen.trims, roots="all", recovery="draft", max_errors=0
        )
        settings.check()
        self._errors: list[ErrorEntry] = []
        self._collector = Collector(roles, self._errors)
        self._reporter = settings.make_reporter(on_error=self._errors.append)
        builder = CallBuilder(self._collector, self._reporter, settings)
        known = CallTags(settings, builder, self._collector)
        self._tokenizer = Tokenizer(builder, self._reporter, settings, data_state, known.tag_state, known=known)
        self._collector.tokenizer = self._tokenizer
        self._collector.log = self._reporter.log
        self._passed: list[str] = []  # text that was reported but not read
        self._is_closed = False

    def feed(self, text: str) -> list[Event]:
        """Read `text`; raise `ValueError` after `close`."""
        if not isinstance(text, str):
            raise TypeError(f"str expected, not {type(text).__name__}")
        if self._is_closed:
            raise ValueError("feed() called after close()")
        # Most chunks are a few characters in the middle of an argument.
        if (event := self._collector.plain_event(text)) is not None:
            self._passed.append(text)
            return [event]
        return self._run(text) if text else []

    def _run(self, text: str) -> list[Event]:
        if self._passed:
            text = "".join((*self._passed, text))
            self._passed.clear()
        self._collector.add(text)
        self._tokenizer.feed_chunk(text, b"")
        self._tokenizer.run()
        return self._collector.take_events()

    def close(self) -> list[Event]:
        """End the text. Calls that have not ended are not complete."""
        if self._is_closed:
            return []
        self._is_closed = True
        events = self._run("") if self._passed else []
        self._tokenizer.feed("", final=True)
        self._tokenizer.run()
        self._reporter.close()
        return events + self._collector.take_events(is_last=True)


def read(source: str | Iterable[str], format: str | Format, tools: Tools | None = None) -> Output:
    """Return the tool calls in the output of a model, and the text around them.

    Args:
        source: the text, or an iterable of its chunks.
        format, tools: as for `CallReader`.

    Raises what `CallReader` raises.
    """
    if isinstance(source, bytes | bytearray | memoryview):  # an iterable of numbers
        raise TypeError(f"str expected, not {type(source).__name__}")
    reader = CallReader(format, tools)
    parts: list[Call | str] = []
    events_of_parts = (
        event
        for event in _events(reader, (source,) if isinstance(source, str) else source)
        if event.kind in ("text", "call")
    )
    for kind, events in groupby(events_of_parts, attrgetter("kind")):
        if kind == "text":
            parts.append("".join([event.text for event in events]))
        else:
            parts += [event.call for event in events if event.call is not None]
    return Output(tuple(parts))


def _events(reader: CallReader, pieces: Iterable[str]) -> Iterator[Event]:
    for piece in pieces:
        yield from reader.feed(piece)
    yield from reader.close()
