"""Streams: events, and repaired markup as a file."""

import io
import os
from abc import abstractmethod
from collections.abc import AsyncIterable, AsyncIterator, Callable, Collection, Iterable, Iterator
from contextlib import closing, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Literal, Self, TypeVar, Unpack, overload

from xml5tree.backends import Backend, Events, find_backend
from xml5tree.backends.tags import names_of, tags_pattern
from xml5tree.dialects import make_settings
from xml5tree.documents import Document, Parts, Source, check_asynchronous, name_of, parts_options, place_of
from xml5tree.drive import AsyncDocumentIterator, DocumentIterator, drive, drive_asynchronously
from xml5tree.editing import Edit
from xml5tree.errors.codes import Effect
from xml5tree.errors.entry import ErrorEntry
from xml5tree.errors.log import ErrorLog, ParseError
from xml5tree.errors.policy import OnBad, Policy
from xml5tree.lifecycle import LifeCycle
from xml5tree.options import (
    EventOptions,
    Options,
    Settings,
    SourceOptions,
    of_data,
    when_pulled,
    when_pushed,
    with_filename,
    without_files,
)
from xml5tree.parser import Repairer, Session
from xml5tree.progress import OnProgress
from xml5tree.sources import one_document
from xml5tree.typing import ElementEvent, Item, Root
from xml5tree.wellformed import options_for, settings_for_parts

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET
    from concurrent.futures import Executor
    from tempfile import SpooledTemporaryFile

    from _typeshed import WriteableBuffer
    from lxml.etree import _Element

    from xml5tree.dialects.base import Dialect, Pipeline
    from xml5tree.input.spans import Spans

    #: The items of events that are not about an element: a prefix and its URI, an element and its new text, an error,
    #: or nothing.
    _E = TypeVar("_E")
    _Other = tuple[_E | str, str] | ErrorEntry | None


_Found = TypeVar("_Found")

#: Bytes that a `RepairedFile` holds ready.
_BUFFER = 1 << 15

#: The number of bytes from which on a `RepairedFile` keeps its markup in a temporary file.
_SPOOLED = 1 << 20


class XMLPullParser(Generic[Root, Item]):
    """A parser that is fed and asked for events, as those of `xml.etree.ElementTree` and `lxml.etree`.

    Its `root` is the root element once the document has ended. A ``with`` block ends it, unless an exception leaves it.
    """

    @overload
    def __init__(
        self: "XMLPullParser[ET.Element, ET.Element]",
        events: Iterable[ElementEvent] = ("end",),
        *,
        backend: Literal["etree"] = "etree",
        **options: Unpack[EventOptions],
    ) -> None: ...
    @overload
    def __init__(
        self: "XMLPullParser[ET.Element, ET.Element | _Other[ET.Element]]",
        events: Iterable[str],
        *,
        backend: Literal["etree"] = "etree",
        **options: Unpack[EventOptions],
    ) -> None: ...
    @overload
    def __init__(
        self: "XMLPullParser[_Element, _Element]",
        events: Iterable[ElementEvent] = ("end",),
        *,
        backend: Literal["lxml"],
        **options: Unpack[EventOptions],
    ) -> None: ...
    @overload
    def __init__(
        self: "XMLPullParser[_Element, _Element | _Other[_Element]]",
        events: Iterable[str],
        *,
        backend: Literal["lxml"],
        **options: Unpack[EventOptions],
    ) -> None: ...
    @overload
    def __init__(
        self: "XMLPullParser[Any, Any]",
        events: Iterable[str] = ("end",),
        *,
        backend: str,
        **options: Unpack[EventOptions],
    ) -> None: ...
    def __init__(
        self,
        events: Iterable[str] = ("end",),
        *,
        backend: str = "etree",
        tag: str | Iterable[str] | None = None,
        on_bad: OnBad = "keep",
        bad_from: Effect = "moved",
        spans: bool = False,
        **options: Unpack[Options],
    ) -> None:
        """Set the options.

        Args:
            events: ``"start"``, ``"end"``, ``"start-ns"``, ``"end-ns"``, ``"comment"``, ``"pi"``, ``"text"`` for text
                as it comes, or ``"error"`` for an `ErrorEntry`, between start and end of its element. The last two
                exclude each other.
            backend: ``"etree"`` or ``"lxml"``.
            tag: names of the elements to report, as for `records`. None: all.
            on_bad: as for `records`; ``"mark"`` makes `errors_of` return errors, and ``"skip"`` leaves out ends.
            bad_from: as for `records`.
            spans: whether `span_of` works; needs the event ``"end"``, and excludes ``"text"``.
            **options: see `xml5tree.options.Settings`. `recovery` is ``"draft"`` by default, so that no event waits;
                with ``"strict"``, there are no errors or spans. `dialect` cannot be ``"html"``.

        Raises what `XMLParser` raises, and `ValueError` for an unknown event, an invalid tag, and options that exclude
        each other.
        """
        dialect, settings = make_settings(when_pushed(of_data(options)))
        dialect.require_streaming("reading events")
        chosen = find_backend(backend)
        kinds = frozenset(names_of(events, "events"))
        names = None if tag is None else names_of(tag, "tag")
        if names is not None:
            tags_pattern(names)  # lxml looks at a tag only when it meets an element
        self._spans = _make_spans(dialect, settings, kinds) if spans else None
        policy = Policy(on_bad, bad_from)
        self._events, pipeline = _make_stages(dialect, settings, chosen, kinds, names, policy, self._spans)
        self._session = Session(self._events.native, chosen, pipeline, dialect.writes_markup(settings))
        self._cycle: LifeCycle[Session] = LifeCycle(one_thread=chosen.one_thread)
        self._refusal: ParseError | None = None
        self.root: Root | None = None

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError(f"an {type(self).__name__} cannot be copied or pickled: its document has begun")

    @property
    def error_log(self) -> ErrorLog:
        """The errors of the document so far."""
        return self._session.log

    def feed(self, data: Document) -> None:
        """As `XMLParser.feed`, but `read_events` raises the `ParseError`.

        Also raises `ValueError` if the document has ended.
        """
        if self._refusal is None:
            self._check("feed")
        data = self._cycle.accept(data)
        if self._refusal is None:
            if self._spans is not None and data:
                self._spans.feed(data)
            self._step(lambda session: session.feed(data))

    def read_events(self) -> Iterator[tuple[str, Item]]:
        """Yield the queued events, and those of later chunks. All iterators share the queue.

        An event is its kind with the element, comment or processing instruction; for ``"start-ns"`` with prefix and
        URI, for ``"end-ns"`` None, for ``"text"`` the element and its new text.

        Raises `ParseError`, after the events before the place, if the document is rejected or has no root element, or
        for a bad element with ``on_bad="raise"``.
        """
        try:
            yield from self._events.read_events()
            if self._refusal is not None or self._cycle.state == "closed":
                yield from self._events.read_rest()
        except GeneratorExit:
            raise
        except BaseException:  # of `on_error`, or for a bad element
            self._cycle.fail()
            raise
        if self._refusal is not None:
            raise self._refusal

    def errors_of(self, element: Any) -> tuple[ErrorEntry, ...]:
        """Return the errors in the `element` whose ``"end"`` was reported last.

        Beyond `max_errors`, perhaps only the last. Raises `ValueError` for another element, or without ``"error"``
        events and `on_bad`.
        """
        return self._events.errors_of(element)

    def span_of(self, element: Any) -> tuple[int, int]:
        """Return begin and end of the source of the `element` whose ``"end"`` was reported last.

        Both count bytes of an unpacked document, or characters of a `str`. An element without an end tag ends before
        what closed it. Raises `ValueError` for another element, or without `spans`.
        """
        return self._events.span_of(element)

    def is_complete(self, element: Any) -> bool:
        """Return whether an `element` whose ``"end"`` was reported ended before the document did."""
        return not any(element is cut for cut in self._session.cut)

    def close(self) -> Root | None:
        """End the document, and return the root element. Events of elements that this closes can be read afterwards.

        Raises `ParseError` if the document is rejected or has no root element, and `ValueError` after an exception.
        """
        if self._refusal is None and self._cycle.state != "closed":
            self._check("close")
            if self._spans is not None:
                self._spans.finish()
            self.root = self._step(lambda session: session.close(notes_cut=True), last=True)
            if self._session.shows_root:
                self._events.show_root()
        if self._refusal is not None:
            raise self._refusal
        return self.root

    def _end_early(self, damage: str) -> None:
        if self._refusal is None:
            self._step(lambda session: session.end_early(damage))

    def _check(self, method: str) -> None:
        after = {"closed": "close()", "failed": "an exception, because of which the document was given up"}
        if self._cycle.state in after:
            raise ValueError(f"{method}() called after {after[self._cycle.state]}")

    def _step(self, action: Callable[[Session], Any], *, last: bool = False) -> Any:
        """Run `action` on the document; keep a refusal for `read_events` and `close`."""
        try:
            with self._cycle.step(lambda: self._session, last=last) as session:
                return action(session)
        except ParseError as error:
            self._refusal = error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()


def _make_spans(dialect: "Dialect", settings: Settings, events: Collection[str]) -> "Spans":
    """Return a recorder of element spans; raise `ValueError` if the dialect or the events exclude spans."""
    if not dialect.writes_markup(settings):
        raise ValueError('recovery="strict" leaves documents to the native parser, so there are no spans')
    if "text" in events or "end" not in events:
        raise ValueError('spans are those of elements whose "end" is reported, and not for events of the kind "text"')
    from xml5tree.input.spans import Spans

    return Spans(dialect.make_stream(settings))


def _make_stages(
    dialect: "Dialect",
    settings: Settings,
    backend: Backend,
    events: frozenset[str],
    names: Collection[str] | None,
    policy: Policy,
    spans: "Spans | None" = None,
) -> tuple[Events, "Pipeline | None"]:
    """Return the source of a document's events, and its pipeline."""
    reads_markup = dialect.writes_markup(settings)
    limits = backend.limits.with_events(events)
    listener = settings.listener if reads_markup and dialect.tells_places else None
    make_native = partial(backend.make_pull_parser, {*events, "start", "end"} - {"error", "text"}, None)
    if "text" in events:
        if not reads_markup or _wants_errors(settings, events, policy):
            raise ValueError(
                'events of the kind "text" are not for recovery="strict", nor together with events of errors'
            )
        from xml5tree.backends.noted_events import TextEvents
        from xml5tree.output.texts import Texts

        if not dialect.tells_texts:
            raise ValueError(f'there are no events of the kind "text" in the dialect {dialect.name!r}')
        texts = Texts(events)
        pipeline = dialect.make_pipeline(settings, limits, texts=texts)
        return TextEvents(make_native(), events, names, texts), pipeline
    if listener is not None or _wants_errors(settings, events, policy) or spans is not None:
        from xml5tree.backends.noted_events import ErrorEvents
        from xml5tree.output.places import Places

        dialect.require_places()
        places = Places("")
        pipeline = dialect.make_pipeline(settings._replace(on_error=None, logger=None), limits, places=places)
        native, make_entry = make_native(), pipeline.reporter.entry
        errors = ErrorEvents(
            native, events, names, places, make_entry, policy, listener, settings.max_errors, pipeline.hides_root, spans
        )
        return errors, pipeline
    if not reads_markup:
        scan = dialect.make_pipeline(settings, limits) if settings.forbids_doctypes else None
        return Events(backend.make_strict_pull_parser(events, names, settings)), scan
    pipeline = dialect.make_pipeline(settings, limits)
    if pipeline.hides_root:
        return Events(make_native(), events, names, hides_root=True), pipeline
    return Events(backend.make_pull_parser(events, names)), pipeline


def _wants_errors(settings: Settings, events: Collection[str], policy: Policy) -> bool:
    """Return whether errors are among the events; raise `ValueError` if there are none to report."""
    if "error" not in events and policy.on_bad == "keep":
        return False
    if not settings.recovers:
        raise ValueError('recovery="strict" refuses documents with errors, so there are no events of errors')
    if policy.on_bad in {"skip", "raise"} and "end" not in events:
        raise ValueError(f"on_bad={policy.on_bad!r} is about ends of elements, which are not among the events")
    return True


class _Pulled:
    """A pull parser for a document that is fed to its end; reading its events raises the document's refusal."""

    def __init__(self, parser: XMLPullParser[Any, Any]) -> None:
        self._parser = parser
        self.feed = parser.feed
        self.end_early = parser._end_early

    def close(self) -> None:
        with suppress(ParseError):
            self._parser.close()


class _Reader(DocumentIterator[_Found]):
    def __init__(
        self, source: Source, events: Iterable[str], backend: str, options: Options, on_progress: OnProgress
    ) -> None:
        pulled = options_for(source, when_pulled(with_filename(options, name_of(source))), backend)
        self._parser: XMLPullParser[Any, Any] = XMLPullParser(events, backend=backend, **without_files(pulled))
        parts = Parts(source, on_progress=on_progress, **parts_options(pulled))
        parts.count(lambda: (self.error_log.total, 0))
        super().__init__(self._run(parts), parts)

    def _run(self, parts: Parts) -> Iterator[_Found]:
        with closing(parts):
            for _ in drive(_Pulled(self._parser), parts, lambda: parts.damage):
                yield from self._read()

    @abstractmethod
    def _read(self) -> Iterator[_Found]:
        """Return what the parser has found since the last call."""

    @property
    def error_log(self) -> ErrorLog:
        """The errors of the document so far."""
        return self._parser.error_log


class _OfEvents(Generic[Root]):
    """Adds properties of the parser to `iterparse` and `aiterparse`."""

    _parser: XMLPullParser[Root, Any]

    @property
    def root(self) -> Root | None:
        """The root element, once the document has ended; None before."""
        return self._parser.root

    @property
    def error_log(self) -> ErrorLog:
        """The errors of the document so far."""
        return self._parser.error_log

    def errors_of(self, element: Any) -> tuple[ErrorEntry, ...]:
        """See `XMLPullParser.errors_of`."""
        return self._parser.errors_of(element)

    def span_of(self, element: Any) -> tuple[int, int]:
        """See `XMLPullParser.span_of`."""
        return self._parser.span_of(element)

    def is_complete(self, element: Any) -> bool:
        """See `XMLPullParser.is_complete`."""
        return self._parser.is_complete(element)


class iterparse(_OfEvents[Root], _Reader[tuple[str, Item]], Generic[Root, Item]):
    """An iterator over the events of a document, which is read step by step.

    Memory stays constant if you clear elements. `close`, or a ``with`` block, closes a file that was opened here.
    `root` is as in `XMLPullParser`.
    """

    @overload
    def __init__(
        self: "iterparse[ET.Element, ET.Element]",
        source: Source,
        events: Iterable[ElementEvent] = ("end",),
        *,
        backend: Literal["etree"] = "etree",
        **options: Unpack[SourceOptions],
    ) -> None: ...
    @overload
    def __init__(
        self: "iterparse[ET.Element, ET.Element | _Other[ET.Element]]",
        source: Source,
        events: Iterable[str],
        *,
        backend: Literal["etree"] = "etree",
        **options: Unpack[SourceOptions],
    ) -> None: ...
    @overload
    def __init__(
        self: "iterparse[_Element, _Element]",
        source: Source,
        events: Iterable[ElementEvent] = ("end",),
        *,
        backend: Literal["lxml"],
        **options: Unpack[SourceOptions],
    ) -> None: ...
    @overload
    def __init__(
        self: "iterparse[_Element, _Element | _Other[_Element]]",
        source: Source,
        events: Iterable[str],
        *,
        backend: Literal["lxml"],
        **options: Unpack[SourceOptions],
    ) -> None: ...
    @overload
    def __init__(
        self: "iterparse[Any, Any]",
        source: Source,
        events: Iterable[str] = ("end",),
        *,
        backend: str,
        **options: Unpack[SourceOptions],
    ) -> None: ...
    def __init__(
        self,
        source: Source,
        events: Iterable[str] = ("end",),
        *,
        backend: str = "etree",
        **options: Unpack[SourceOptions],
    ) -> None:
        """Set the options.

        Args:
            source: a path, a file object, which is not closed, bytes, or an iterable of chunks. Gzip and zstd are
                unpacked. ``recovery="intent"`` first reads all but iterators to the first error.
            events, backend: as for `XMLPullParser`.
            **options: see `xml5tree.options.Settings`; also `tag`, `on_bad`, `bad_from` and `spans` of `XMLPullParser`,
                and `on_progress`, as for `records`.

        Raises what `XMLPullParser` raises, `OSError` if the file cannot be opened, and `TypeError` for another
        `source`.
        """
        on_progress = options.pop("on_progress", None)
        super().__init__(one_document(source, "iterparse"), events, backend, options, on_progress)

    def _read(self) -> Iterator[tuple[str, Item]]:
        return self._parser.read_events()


class iterroots(_Reader[Any]):
    """An iterator over the root elements of a document, any number, with ``roots="all"``.

    Each comes when it has ended, as the root of its own tree. Only `iterparse` reports text outside.
    """

    def __init__(
        self, source: Source, *, backend: str = "etree", on_progress: OnProgress = None, **options: Unpack[Options]
    ) -> None:
        """Set the options.

        Args:
            source: as for `iterparse`.
            backend: ``"etree"`` or ``"lxml"``.
            on_progress: as for `records`.
            **options: see `xml5tree.options.Settings`.

        Raises what `iterparse` raises, and `ValueError` for ``roots="first"``.
        """
        if options.setdefault("roots", "all") != "all":
            raise ValueError('iterroots is for roots="all"')
        super().__init__(one_document(source, "iterroots"), ("start", "end"), backend, options, on_progress)
        self._backend = find_backend(backend)
        self._wrapper: Any = None  # the element around the roots
        self._depth = 0

    def _read(self) -> Iterator[Any]:
        for event, element in self._parser.read_events():
            if event == "start":
                if self._wrapper is None:
                    self._wrapper = element
                self._depth += 1
            else:
                self._depth -= 1
                if self._depth == 1:
                    yield self._backend.as_root(element)
        if self._wrapper is not None:
            # The native parser may be about to add to the last child, or after it.
            del self._wrapper[:-1]


class aiterparse(_OfEvents[Any], AsyncDocumentIterator[tuple[str, Any]]):
    """As `iterparse`, for chunks that come asynchronously.

    They are not unpacked, and the source stays open. `root` is as in `XMLPullParser`.
    """

    def __init__(
        self,
        source: AsyncIterable[Document],
        events: Iterable[str] = ("end",),
        *,
        backend: str = "etree",
        executor: "Executor | None" = None,
        **options: Unpack[EventOptions],
    ) -> None:
        """Set the options.

        Args:
            source: an asynchronous iterable of chunks, all bytes or all text.
            executor: where to parse, with lxml in a single thread. None: in the loop's thread, 4 KiB at a time.
            events, backend: as for `XMLPullParser`.
            **options: as for `iterparse`.

        Raises what `XMLPullParser` raises, and `TypeError` for another `source` or `executor`.
        """
        check_asynchronous(source, executor)
        pulled = when_pulled(with_filename(options, name_of(source)))
        self._parser: XMLPullParser[Any, Any] = XMLPullParser(events, backend=backend, **pulled)
        super().__init__(self._run(self._parser, source, executor))

    @staticmethod
    async def _run(
        parser: XMLPullParser[Any, Any], parts: AsyncIterable[Document], executor: "Executor | None"
    ) -> AsyncIterator[tuple[str, Any]]:
        async for _ in drive_asynchronously(_Pulled(parser), parts, executor):
            for event in parser.read_events():
                yield event


class RepairedFile(io.BufferedReader):
    """Well-formed UTF-8, made of a broken document while it is read; `open` makes it."""

    def __init__(self, raw: "_RepairedStream") -> None:
        super().__init__(raw, _BUFFER)
        self._stream = raw

    @property
    def error_log(self) -> ErrorLog:
        """The errors of the document as far as it has been read."""
        return self._stream.repairer.error_log


def open(
    source: Source, *, spool: bool = False, on_progress: OnProgress = None, **options: Unpack[Options]
) -> RepairedFile:
    """Open a document as a binary file of well-formed UTF-8, and repair it while it is read.

    The file is seekable if its source is a path or a seekable file: to go back, it repairs the document again.

    Args:
        source: as for `iterparse`.
        spool: whether to keep what was read, so that any source is seekable, and repaired once.
        on_progress: as for `records`.
        **options: see `xml5tree.options.Settings`.

    Raises what `iterparse` raises. Reading raises `ParseError` as `fromstring`.
    """
    source = one_document(source, "open")
    options = options_for(source, when_pulled(with_filename(options, name_of(source))))
    return RepairedFile(_RepairedStream(source, options, spool, on_progress))


def repair_iter(
    parts: Iterable[Document],
    *,
    edits: list[Edit] | None = None,
    output_encoding: Literal["utf-8"] | None = None,
    **options: Unpack[Options],
) -> Iterator[bytes | str]:
    """Return an iterator over the repaired markup of a document that comes in chunks.

    Args:
        parts: the chunks, all bytes or all text, such as a file.
        edits: as for `Repairer`.
        output_encoding: as for `xml5tree.repair`.
        **options: see `xml5tree.options.Settings`.

    Raises what `Repairer` raises; for the document while iterating.
    """
    parts = one_document(parts, "repair_iter")
    options = options_for(parts, when_pulled(options), settle=settings_for_parts)
    return filter(None, drive(Repairer(edits=edits, output_encoding=output_encoding, **options), parts))


class _RepairedStream(io.RawIOBase):
    _parts: Parts | None = None  # the document could not be opened

    def __init__(self, source: Source, options: Options, spool: bool, on_progress: OnProgress) -> None:
        self._source = source
        self._on_progress = on_progress
        self._options = options
        self._spool: SpooledTemporaryFile[bytes] | None = None
        self._start = 0 if isinstance(source, str | os.PathLike) else place_of(source)
        self._piece: io.BytesIO | SpooledTemporaryFile[bytes]
        self._begin()
        if spool:
            import tempfile  # imported late: saves import time

            self._piece = self._spool = tempfile.SpooledTemporaryFile(_SPOOLED)  # noqa: SIM115 (closed with the stream)

    def _begin(self) -> None:
        self.repairer = Repairer(output_encoding="utf-8", **without_files(self._options))
        self._parts = parts = Parts(self._source, on_progress=self._on_progress, **parts_options(self._options))
        parts.count(lambda: (self.repairer.error_log.total, 0))
        self._markup: Iterator[bytes | str] = filter(None, drive(self.repairer, parts, lambda: parts.damage))
        self._failure: Exception | None = None
        self._piece, self._position = io.BytesIO(), 0
        if parts.name is not None:
            self.name = parts.name

    def _close_parts(self) -> None:
        if self._parts is not None:
            self._parts.close()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._spool is not None or self._start is not None

    def readinto(self, buffer: "WriteableBuffer") -> int:
        count = self._piece.readinto(buffer)
        while not count and (markup := self._next_markup()) is not None:
            data = markup if isinstance(markup, bytes) else markup.encode()
            if self._spool is None:
                self._piece = io.BytesIO(data)
            else:  # whose end has been reached
                self._spool.write(data)
                self._spool.seek(self._position)
            count = self._piece.readinto(buffer)
        self._position += count
        return count

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if not self.seekable():
            raise io.UnsupportedOperation("the source is not seekable; spool=True makes the repaired file seekable")
        if whence == io.SEEK_END:
            while self.read(_BUFFER):
                pass
        if whence != io.SEEK_SET:
            offset += self._position
        if offset < 0:
            raise ValueError(f"negative seek position {offset}")
        if offset < self._position and self._spool is not None:
            self._position = self._spool.seek(offset)
        elif offset < self._position:
            self._close_parts()
            if not isinstance(self._source, str | os.PathLike):
                self._source.seek(self._start)  # type: ignore[attr-defined]  # it has a place to begin at
            self._begin()
        while self._position < offset and self.read(min(offset - self._position, _BUFFER)):
            pass
        return self._position

    def _next_markup(self) -> bytes | str | None:
        if self._failure is not None:  # raised again: None would look like the end
            raise self._failure
        try:
            return next(self._markup, None)
        except BaseException as error:
            self._failure = error if isinstance(error, Exception) else ValueError("reading was broken off")
            raise

    def close(self) -> None:
        self._close_parts()
        if self._spool is not None:
            self._spool.close()
        super().close()
