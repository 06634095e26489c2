"""Records: the elements of a name in a stream of any size, one by one, each with its place and its errors."""

from bisect import bisect_left, insort
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from operator import attrgetter
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, Unpack

from xml5tree.backends import find_backend
from xml5tree.dialects import make_settings
from xml5tree.documents import Document, Parts, Source, name_of, parts_options, text_or_bytes
from xml5tree.errors.codes import Effect, worst
from xml5tree.errors.entry import ErrorEntry
from xml5tree.errors.log import ErrorLog, ParseError
from xml5tree.errors.policy import OnBad, Policy
from xml5tree.lifecycle import LifeCycle
from xml5tree.options import Options, with_filename
from xml5tree.parser import Reading
from xml5tree.streaming import XMLPullParser

if TYPE_CHECKING:
    import pyarrow

    from xml5tree.input.byteoffsets import ByteOffsets
    from xml5tree.rows import Fields

__all__ = ["AsyncRecords", "Record", "RecordReader", "Records", "aiterparse", "arecords", "record_batches", "records"]

#: Bytes or characters that are parsed before records are read: a part may be the whole document.
_BLOCK: Final = 1 << 16

_by_offset = attrgetter("offset")


def _worst(errors: Sequence[ErrorEntry]) -> Effect | None:
    """The worst effect of errors; None where there are none."""
    return worst(*(entry.effect for entry in errors)) if errors else None


class Record(Mapping[str, Any]):
    """A record: an element, where it stands, what was wrong with it, and a mapping of its values.

    The mapping has the columns of `fields`; without `fields`, it is a nested dictionary in the convention of
    xmltodict. It is made when it is first looked at.

    Attributes:
        element: the element; None in a record that has been pickled.
        number: how many records ended up to this one, from 1.
        line: the line of its start tag, from 1.
        offset: characters before its start tag, as `ErrorEntry.offset` counts.
        end: characters before the end of its end tag, or of what closed it instead.
        byte_offset: bytes before its start tag; None in a document of text.
        errors: the errors that lie in it, in document order.
        effect: their worst effect, ``"kept"``, ``"moved"`` or ``"lost"``; None where there are none.
    """

    __slots__ = ("_make", "_row", "byte_offset", "effect", "element", "end", "errors", "line", "number", "offset")

    def __init__(
        self,
        element: Any,
        make: Callable[[Any], dict[str, Any]] | None,
        number: int,
        offset: int,
        line: int,
        byte_offset: int | None,
        end: int,
        errors: tuple[ErrorEntry, ...],
    ) -> None:
        """Take what is known; `make` makes the values out of the element."""
        self.element = element
        self.number = number
        self.line = line
        self.offset = offset
        self.byte_offset = byte_offset
        self.end = end
        self.errors = errors
        self.effect = _worst(errors) if errors else None
        self._make = make
        self._row: dict[str, Any] | None = None

    def _values(self) -> dict[str, Any]:
        if self._row is None:
            self._row = {} if self._make is None else self._make(self.element)
        return self._row

    def mark(self, first_column: int = 0) -> None:
        """Add the columns ``_line``, ``_effect`` and ``_errors``, which has the errors as text.

        Args:
            first_column: what the first column of a line is called in them.
        """
        make = self._make
        errors = [f"{entry.line}:{entry.column + first_column}: {entry.code}: {entry.message}" for entry in self.errors]
        marks = {**self._place(), "_effect": self.effect, "_errors": errors}
        self._make = lambda element: ({} if make is None else make(element)) | marks
        self._row = None

    def _place(self) -> dict[str, Any]:
        """The columns that say where the record is."""
        return {"_line": self.line}

    def __getitem__(self, key: str) -> Any:
        return self._values()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values())

    def __len__(self) -> int:
        return len(self._values())

    def __repr__(self) -> str:
        found = f", {len(self.errors)} errors: {self.effect}" if self.errors else ""
        return f"<Record {self.number} at line {self.line}{found}>"

    def __reduce__(self) -> tuple[Any, ...]:
        places = (self.number, self.offset, self.line, self.byte_offset, self.end)
        return _restored, (dict(self._values()), *places, self.errors)


def _restored(
    row: dict[str, Any],
    number: int,
    offset: int,
    line: int,
    byte_offset: int | None,
    end: int,
    errors: tuple[ErrorEntry, ...],
) -> Record:
    """A record that has been pickled."""
    return Record(None, lambda element: row, number, offset, line, byte_offset, end, errors)


class RecordReader:
    """Makes records of a document that is fed."""

    def __init__(
        self, tag: str, fields: "Fields | None", backend: str, on_bad: OnBad, bad: Effect, options: Options
    ) -> None:
        # What only records need is imported here: most who import xml5tree read none.
        from xml5tree.backends.tags import tags_pattern
        from xml5tree.output.places import Places
        from xml5tree.rows import make_rows

        self._policy = Policy(on_bad, bad)
        if not isinstance(tag, str):
            raise TypeError(f"tag must be a string, not {tag!r}")
        dialect, settings = make_settings(options)
        if not settings.recover:
            raise ValueError('recover=False reads no records; on_bad="raise" refuses the broken ones')
        chosen = find_backend(backend)
        local_name = tag.rpartition("}")[2]
        self._places = Places("" if local_name == "*" else local_name)
        self._pattern = tags_pattern(tag)
        self._known: dict[str, bool] = {}  # whether elements of a name are records
        native = chosen.make_record_parser(self._places.local_name, self._is_record, lambda: self._places.root)
        pipeline = dialect.make_placed_pipeline(settings, chosen.limits, self._places)
        self.reading = Reading(native, chosen, pipeline, True)
        self._cycle: LifeCycle[Reading] = LifeCycle(one_thread=chosen.one_thread)
        self._native = native
        self._encoding = settings.encoding
        self._bytes: ByteOffsets | None = None
        self._make = make_rows(fields, chosen, settings.known_prefixes)
        self._marks = on_bad == "mark"
        #: Elements of the local name that have not ended: offset, line and byte offset.
        self._open: list[tuple[int, int, int | None]] = []
        self._has_inner = False  # whether a record may have ended in one that is open
        self._inner_depth = 0  # how many are open around the record that has ended last
        self._errors: list[ErrorEntry] = []  # not yet assigned to a record; by offset
        self._count = 0
        self.skipped = 0

    def feed(self, data: Document) -> Iterator[Record]:
        """Take the next part of the document; the records that it completes."""
        part = text_or_bytes(data)
        for start in range(0, len(part), _BLOCK):
            block = part[start : start + _BLOCK]
            if isinstance(block, bytes):
                if self._bytes is None:
                    from xml5tree.input.byteoffsets import ByteOffsets

                    self._bytes = ByteOffsets(self._encoding)
                self._bytes.feed(block)
            yield from self._after(lambda reading, block=block: reading.feed(block))  # type: ignore[misc]

    def close(self) -> Iterator[Record]:
        """End the document; its last records."""
        yield from self._after(Reading.close, last=True)

    def _after(self, step: Callable[[Reading], object], *, last: bool = False) -> Iterator[Record]:
        """The records that end by a step; a refusal of the document comes after them."""
        refusal = None
        try:
            with self._cycle.step(lambda: self.reading, last=last) as reading:
                step(reading)
        except ParseError as error:
            refusal = error
        yield from self._ended()
        self._take_notes()
        self._native.forget(self._has_inner)
        if not self._open:
            self._has_inner = False
        if self._bytes is not None and not self._places.found:
            self._bytes.skip_to(self._places.reached)
        if self._errors and not self._open:
            self._drop_errors(self._places.reached)
        if refusal is not None:
            raise refusal

    def _ended(self) -> Iterator[Record]:
        """The records of the elements that have ended."""
        found, known = self._places.found, self._known
        distance = None if self._bytes is None else self._bytes.distance
        is_quick = distance is not None and not self._marks
        for element in self._native.read_ends():
            note = found[0]
            if (
                is_quick
                and isinstance(note, tuple)
                and isinstance(found[1], int)
                and not self._open
                and not self._errors
                and known.get(element.tag)
            ):  # as for most: no other record around it or in it, and no error
                end = found[1]
                found.popleft()
                found.popleft()
                self._count += 1
                self._inner_depth = 0
                place = (*note, note[0] + distance)  # type: ignore[operator]
                yield Record(element, self._make, self._count, *place, end, ())
                continue
            record = self._end(element)
            if self._open:
                self._has_inner = True
            if record is not None:
                yield record

    def _take_notes(self) -> int:
        """Take the notes up to the end of an element, or all; the offset of the end, or -1."""
        found = self._places.found
        while found:
            note = found[0]
            if isinstance(note, int):
                return note
            if isinstance(note, tuple):
                offset, line = note
                self._open.append((offset, line, None if self._bytes is None else self._bytes.locate(offset)))
            else:
                insort(self._errors, note, key=_by_offset)
            found.popleft()
        return -1

    def _end(self, element: Any) -> Record | None:
        """The record of an element that has ended, unless it is none or to be skipped."""
        end = self._take_notes()
        self._places.found.popleft()
        place = self._open.pop()
        depth = len(self._open)
        has_inner = self._inner_depth > depth
        record = None
        if self._is_record(element):
            if has_inner:
                self._native.purge(element)
            self._count += 1
            errors = self._errors_in(place[0], end) if self._errors else ()
            record = self._judge(Record(element, self._make, self._count, *place, end, errors))
            self._inner_depth = depth
        elif has_inner:
            self._inner_depth = depth
        if self._errors and not depth:
            self._drop_errors(end)
        return record

    def _judge(self, record: Record) -> Record | None:
        """A record, unless it is bad and to be skipped."""
        if self._marks:
            record.mark()
        if not self._policy.is_bad(record.effect) or self._policy.keeps(f"record {record.number}", record.errors):
            return record
        self.skipped += 1
        return None

    def _is_record(self, element: Any) -> bool:
        tag = element.tag
        known = self._known.get(tag)
        if known is None:
            known = isinstance(tag, str) and self._pattern.fullmatch(tag) is not None
            if len(self._known) < 1000:  # names can be without end
                self._known[tag] = known
        return known

    @property
    def others(self) -> list[str]:
        """Names of elements that are no records but have the same local name."""
        name = self._places.local_name
        return [tag for tag, known in self._known.items() if not known and tag.rpartition("}")[2] == name]

    def _errors_in(self, start: int, end: int) -> tuple[ErrorEntry, ...]:
        """Take the errors between two offsets."""
        errors = self._errors
        first = bisect_left(errors, start, key=_by_offset)
        next_one = bisect_left(errors, end, lo=first, key=_by_offset)
        taken = tuple(errors[first:next_one])
        del errors[first:next_one]
        return taken

    def _drop_errors(self, end: int) -> None:
        """Drop the errors before an offset, which are in no record."""
        del self._errors[: bisect_left(self._errors, end, key=_by_offset)]


class Records(Iterator[Record]):
    """An iterator over the records of a document, which is read as the iteration goes on; `records` makes it.

    A context manager: leaving the block closes the file that was opened here.
    """

    def __init__(self, reader: RecordReader, parts: Parts) -> None:
        self._reader = reader
        self._parts = parts
        self._records = self._run(reader, parts)

    @staticmethod
    def _run(reader: RecordReader, parts: Parts) -> Iterator[Record]:
        try:
            for data in parts:
                yield from reader.feed(data)
            if parts.damage:
                reader.reading.end_early(parts.damage)
        finally:
            parts.close()
        yield from reader.close()

    def __next__(self) -> Record:
        return next(self._records)

    @property
    def error_log(self) -> ErrorLog:
        """The errors of the document so far, those outside records included."""
        return self._reader.reading.log

    @property
    def skipped(self) -> int:
        """How many records were skipped because they are bad."""
        return self._reader.skipped

    @property
    def others(self) -> list[str]:
        """Names of elements that are no records but have the same local name, which may have been meant."""
        return self._reader.others

    def close(self) -> None:
        """Stop reading; close the file if it was opened here."""
        self._records = iter(())
        self._parts.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def records(
    source: Source,
    tag: str = "item",
    *,
    fields: "Fields | None" = None,
    backend: str = "etree",
    on_bad: OnBad = "keep",
    bad: Effect = "moved",
    **options: Unpack[Options],
) -> Records:
    """Read the records of a document of any size, in constant memory.

    A record within a record is a record of its own, given first, and not part of the other.

    Args:
        source: a path, a file object open for reading bytes or text, which is not closed, or an iterable of parts of
            the document.
        tag: the name of the elements that are records; ``*``, ``{uri}*`` and ``{*}name`` are understood.
        fields: names of columns and the paths to their values from the record's element: paths of ElementTree,
            perhaps with ``/text()`` or ``/@attribute`` at their end; with lxml any XPath expressions. A value is the
            first that is found, as text, or None; a path in a list gives all values. None: a record is a nested
            dictionary.
        backend: ``"etree"`` or ``"lxml"``.
        on_bad: what becomes of bad records: ``"keep"``; ``"mark"``, which gives *all* records the columns ``_line``,
            ``_effect`` and ``_errors``; ``"skip"``; ``"raise"``.
        bad: the effect of its errors from which on a record is bad: ``"kept"``, ``"moved"`` or ``"lost"``.
        **options: see `xml5tree.options.Settings`; `recover` can only be True.

    Returns:
        An iterator over `Record` objects. It raises `ParseError` for a document without a root element, for a DOCTYPE
        where its DOCTYPE is one that is forbidden, and for a bad record with ``on_bad="raise"``.

    Raises:
        OSError: the file cannot be opened.
        TypeError: `source` is none; an unknown option; a path that is none.
        ValueError: a value that does not exist, of an option, a path or a tag; a dialect that does not tell places.
        LookupError: the encoding is unknown or refused.
        ImportError: the backend's library is not installed.
    """
    options = with_filename(options, name_of(source))
    reader = RecordReader(tag, fields, backend, on_bad, bad, options)
    return Records(reader, Parts(source, **parts_options(options)))


class AsyncRecords(AsyncIterator[Record]):
    """As `Records`, of a document whose parts come asynchronously; `arecords` makes it."""

    def __init__(self, reader: RecordReader, parts: AsyncIterable[Document]) -> None:
        self._reader = reader
        self._records = self._run(reader, parts)

    @staticmethod
    async def _run(reader: RecordReader, parts: AsyncIterable[Document]) -> AsyncIterator[Record]:
        async for data in parts:
            for record in reader.feed(data):
                yield record
        for record in reader.close():
            yield record

    async def __anext__(self) -> Record:
        return await anext(self._records)

    @property
    def error_log(self) -> ErrorLog:
        """The errors of the document so far, those outside records included."""
        return self._reader.reading.log

    @property
    def skipped(self) -> int:
        """How many records were skipped because they are bad."""
        return self._reader.skipped


def arecords(
    source: AsyncIterable[Document],
    tag: str = "item",
    *,
    fields: "Fields | None" = None,
    backend: str = "etree",
    on_bad: OnBad = "keep",
    bad: Effect = "moved",
    **options: Unpack[Options],
) -> AsyncRecords:
    """Read the records of a document whose parts come asynchronously, such as the body of an HTTP response.

    Each record is there as soon as the part has come in which it ends. What `source` raises comes through, after the
    records before it.

    Args:
        source: the parts, all bytes or all text.
        tag: as for `records`.
        fields: as for `records`.
        backend: as for `records`.
        on_bad: as for `records`.
        bad: as for `records`.
        **options: see `xml5tree.options.Settings`; `recover` can only be True.

    Returns:
        An asynchronous iterator over `Record` objects, which raises as that of `records`.

    Raises:
        TypeError, ValueError, LookupError, ImportError: as `records`.
    """
    if not hasattr(source, "__aiter__"):
        raise TypeError(f"an asynchronous iterable of parts expected, not {type(source).__name__}")
    options = with_filename(options, name_of(source))
    return AsyncRecords(RecordReader(tag, fields, backend, on_bad, bad, options), source)


class aiterparse(AsyncIterator[tuple[str, Any]]):
    """As `xml5tree.iterparse`, of a document whose parts come asynchronously."""

    def __init__(
        self,
        source: AsyncIterable[Document],
        events: Sequence[str] = ("end",),
        *,
        backend: str = "etree",
        tag: str | Sequence[str] | None = None,
        on_bad: OnBad = "keep",
        bad: Effect = "moved",
        **options: Unpack[Options],
    ) -> None:
        """Set the options.

        Args:
            source: the parts, all bytes or all text.
            events: as for `XMLPullParser`.
            backend: as for `XMLPullParser`.
            tag: as for `XMLPullParser`.
            on_bad: as for `XMLPullParser`.
            bad: as for `XMLPullParser`.
            **options: see `xml5tree.options.Settings`.

        Raises:
            TypeError: `source` is none; an unknown option.
            ValueError, LookupError, ImportError: as `XMLPullParser`.
        """
        if not hasattr(source, "__aiter__"):
            raise TypeError(f"an asynchronous iterable of parts expected, not {type(source).__name__}")
        options = with_filename(options, name_of(source))
        self._parser = XMLPullParser(events, backend=backend, tag=tag, on_bad=on_bad, bad=bad, **options)
        self._events = self._run(self._parser, source)

    @staticmethod
    async def _run(parser: XMLPullParser, parts: AsyncIterable[Document]) -> AsyncIterator[tuple[str, Any]]:
        async for data in parts:
            parser.feed(data)
            for event in parser.read_events():
                yield event
        with suppress(ParseError):  # read_events raises it, after the last events
            parser.close()
        for event in parser.read_events():
            yield event

    async def __anext__(self) -> tuple[str, Any]:
        return await anext(self._events)

    @property
    def root(self) -> Any:
        """The root element, once the document has ended; None before."""
        return self._parser.root

    @property
    def error_log(self) -> ErrorLog:
        """The errors of the document so far."""
        return self._parser.error_log

    def errors_of(self, element: Any) -> tuple[ErrorEntry, ...]:
        """The errors that lie in an element, see `XMLPullParser.errors_of`."""
        return self._parser.errors_of(element)


def record_batches(
    source: Source,
    tag: str = "item",
    *,
    schema: "pyarrow.Schema | None" = None,
    batch_size: int = 4096,
    fields: "Fields | None" = None,
    backend: str = "etree",
    on_bad: OnBad = "keep",
    bad: Effect = "moved",
    **options: Unpack[Options],
) -> "Iterator[pyarrow.RecordBatch]":
    """Read the records of a document of any size as record batches of Arrow; it needs the extra ``arrow``.

    Args:
        source: as for `records`.
        tag: as for `records`.
        schema: the columns and their types. Values are converted to them; what cannot be is null. Columns that are not
            in `fields` are null, but for ``_number``, ``_line``, ``_byte_offset``, ``_effect`` and ``_errors``, which
            say what is known of the record. None: the columns of `fields`, or of the first batch, as strings, lists
            and structures, and with ``on_bad="mark"`` those of the marks.
        batch_size: how many records are in a batch; the last has fewer.
        fields: as for `records`.
        backend: as for `records`.
        on_bad: as for `records`.
        bad: as for `records`.
        **options: see `xml5tree.options.Settings`; `recover` can only be True.

    Returns:
        An iterator over the batches, which all have the same schema. It raises as that of `records`.

    Raises:
        ImportError: pyarrow is not installed.
        OSError, TypeError, ValueError, LookupError: as `records`.
    """
    from xml5tree.arrow import batches

    found = records(source, tag, fields=fields, backend=backend, on_bad=on_bad, bad=bad, **options)
    return batches(found, fields, schema, batch_size, marked=on_bad == "mark")
