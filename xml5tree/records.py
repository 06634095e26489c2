"""`records`: the elements of a name in a stream of any size."""

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Unpack

from xml5tree.documents import Document, Parts, Source, check_asynchronous, name_of, parts_options, way_back
from xml5tree.drive import AsyncDocumentIterator, DocumentIterator, drive, drive_asynchronously
from xml5tree.errors.codes import Effect
from xml5tree.errors.log import ErrorLog, ParseError
from xml5tree.errors.policy import OnBad
from xml5tree.options import Options, of_data, with_filename
from xml5tree.progress import OnProgress
from xml5tree.record import Record, RecordRun
from xml5tree.recordreader import LARGE_BLOCK, RecordReader
from xml5tree.remote import StorageOptions, is_url, open_url
from xml5tree.sources import one_document
from xml5tree.windows import WINDOW, StartAgain

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from xml5tree.columns import Node
    from xml5tree.rows import Fields

__all__ = ["AsyncRecords", "Record", "RecordReader", "Records", "arecords", "records", "warn_of"]


def warn_of(remarks: Iterable[str]) -> None:
    """Warn of each of the remarks about records."""
    for remark in remarks:
        from xml5tree.errors.notify import warn_of_rows

        warn_of_rows(remark)


class _OfRecords:
    """Adds properties of the reader to iterators over records."""

    _reader: RecordReader

    @property
    def error_log(self) -> ErrorLog:
        """The errors of the document so far, those outside records included."""
        return self._reader.session.log

    @property
    def skipped(self) -> int:
        """How many bad records were skipped."""
        return self._reader.skipped

    @property
    def touched(self) -> int:
        """How many of the records so far have errors, skipped ones included."""
        return self._reader.touched

    @property
    def others(self) -> list[str]:
        """Other names of elements, as far as they are known, if none has that of the records."""
        return self._reader.others()


class _UntilFailure:
    """The parts of a document up to a failure of their source, which the caller raises after the records."""

    def __init__(self, parts: Any, before: "_UntilFailure | None" = None) -> None:
        self.parts = parts  # an iterator, or an asynchronous iterable
        self.count = 0
        self.failure: Exception | None = None
        self._most: int | None = None  # parts, if the source has failed before
        if before is not None and before.failure is not None:
            self.failure, self._most = before.failure, before.count

    def __iter__(self) -> Iterator[Document]:
        try:
            for part in islice(self.parts, self._most):
                self.count += 1
                yield part
        except Exception as error:
            self.failure = error

    def __aiter__(self) -> "_UntilFailure":
        self.parts = aiter(self.parts)
        return self

    async def __anext__(self) -> Document:
        try:
            part: Document = await anext(self.parts)
        except StopAsyncIteration:
            raise
        except Exception as error:
            self.failure = error
            raise StopAsyncIteration from error
        return part

    def whole(self, found: list[RecordRun]) -> list[RecordRun]:
        """Return the records without those that the failure cut off."""
        return found if self.failure is None else [run for run in found if not run.incomplete]


class Records(_OfRecords, DocumentIterator[Record]):
    """An iterator over the records of a document, which is read as the iteration goes on; `records` makes it.

    A context manager: leaving the block closes the file that was opened here.
    """

    #: Opens the document again, so that it can be read as a clean one first; the arguments are the bytes to read at a
    #: time, and whether progress is told.
    _open_again: "Callable[[int, bool], Parts] | None" = None
    _gives_runs = False  # instead of records

    def __init__(self, reader: RecordReader, parts: Parts, settle: "Callable[[], object]" = lambda: None) -> None:
        """Take what reads the document; `settle` may settle how it is read, and is called before that."""
        self._reader = reader
        self._settle = settle
        super().__init__(chain.from_iterable(self._run(parts)), parts)

    def _run(self, parts: Parts) -> Iterator[Iterable[Any]]:
        """Yield records or runs: those of a clean document, or up to its first error, and then with repairs."""
        reader, source = self._reader, _UntilFailure(parts)
        reader.find_values()
        again = None
        if self._open_again is not None and reader.begin_windows():
            try:
                again = self._open_again(WINDOW, True)
            except OSError:  # the file has been moved since it was opened
                reader.start_again()
        if self._open_again is None or again is None:
            self._settle()
            yield from self._read(source)
            return
        parts.abandon()
        try:
            source = _UntilFailure(again)
            yield from self._read(source)
        except StartAgain as reason:
            done = reader.start_again()
            parts = self._open_again(WINDOW if source.failure else LARGE_BLOCK, source.failure is None)
            if not reason.is_broken:
                self._settle()
            yield from self._read(_UntilFailure(parts, source), done)

    def _read(self, source: _UntilFailure, done: int = 0) -> Iterator[Iterable[Any]]:
        """Yield records, without the first ones, of which there are `done`."""
        reader, parts = self._reader, source.parts
        parts.count(lambda: (reader.session.log.total, reader.count))
        try:
            for found in drive(reader, source, lambda: parts.damage):
                runs = ([*_after(done, source.whole(some))] for some in found)
                yield from runs if self._gives_runs else reader.as_records(runs)
        except ParseError:  # a document that ends too early is refused
            if source.failure is None:
                raise
        except StartAgain:
            parts.abandon()
            raise
        finally:
            parts.close()
        if source.failure is not None:
            raise source.failure
        warn_of(reader.remarks())

    def _give_runs(self, *, tells_bytes: bool, size: int) -> None:
        """Yield runs of up to `size` records instead of records; `tells_bytes` is that of `RecordReader`."""
        self._gives_runs = True
        self._reader.tells_bytes = tells_bytes
        self._reader.run_size = size

    def _make_columns(self, fields: "Fields | None", wanted: "Callable[[str], Node | None] | None" = None) -> None:
        """Have runs with values without elements, if that can be. For the arguments see `RecordReader`."""
        self._reader.make_columns(fields, wanted)


def _after(number: int, runs: Iterable[RecordRun]) -> Iterator[RecordRun]:
    """Yield runs of the records after that of a number."""
    for run in runs:
        if run.number > number:
            yield run
        elif run.numbers[-1] > number:
            yield run.part(number + 1 - run.number, len(run))


def records(
    source: Source,
    tag: str | Iterable[str] = "item",
    *,
    fields: "Fields | None" = None,
    backend: str = "etree",
    on_bad: OnBad = "keep",
    bad_from: Effect = "moved",
    spans: bool = False,
    on_progress: OnProgress = None,
    storage_options: StorageOptions = None,
    **options: Unpack[Options],
) -> Records:
    """Read the records of a document of any size, in constant memory.

    A record within a record comes first, and is not part of the outer one.

    Args:
        source: a path, a URL that fsspec opens, such as ``"s3://…"``, or another source of `iterparse`. Its exceptions
            are raised after the records before them.
        tag: the name or names of the elements that are records; also ``*``, ``{uri}*`` or ``{*}name``.
        fields: names of columns with the paths to their values: paths of ElementTree, optionally ending in ``/text()``
            or ``/@attribute``; with lxml any XPath expressions. ``ancestor::name/…`` and ``../…`` lead to elements
            around the record. A value is the text of the first match, or None; a path in a list gives all. None: a
            record is a nested dictionary as in xmltodict.
        backend: ``"etree"`` or ``"lxml"``.
        on_bad: what to do with bad records: ``"keep"``, ``"mark"`` (*all* records get the columns ``_line``,
            ``_effect``, ``_confidence`` and ``_errors``), ``"skip"`` or ``"raise"`` (`ParseError`).
        bad_from: the least effect that makes a record bad: ``"kept"``, ``"moved"`` or ``"lost"``.
        spans: whether records have a `span`.
        on_progress: called with a `Progress` at most ten times a second, and at the end. What it raises ends the
            reading.
        storage_options: options with which fsspec opens a URL, such as credentials.
        **options: see `xml5tree.options.Settings`; `recovery` cannot be ``"strict"``, nor `dialect` ``"html"``.

    Returns:
        An iterator over `Record` objects, with `error_log`, and the numbers `skipped` and `touched`. At the end, it
        warns (`RowsWarning`) if no element has the name `tag`, elements after the root were dropped, or the document is
        cut off.

    Raises:
        OSError: the file or URL cannot be opened.
        TypeError: another `source` or `fields`; an unknown option.
        ValueError: an unknown value of an option, path or tag; ``recovery="strict"``; ``dialect="html"``;
            `storage_options` without a URL.
        LookupError: the encoding is unknown or not allowed.
        ImportError: the library of the backend, or for the URL, is not installed.
        ParseError: while iterating, as `fromstring`, and for a bad record with ``on_bad="raise"``.
    """
    source = one_document(source, "records")
    options = with_filename(options, name_of(source))
    reader = RecordReader(tag, fields, backend, on_bad, bad_from, options)
    reader.tells_spans = spans
    if storage_options and not is_url(source):
        raise ValueError("storage_options are for URLs")
    opener = partial(open_url, options=storage_options) if is_url(source) else None
    go_back = None if is_url(source) else way_back(source)
    # A pipe gives nothing until there is a whole block.
    usual = reader.block if go_back is None else LARGE_BLOCK

    def open_parts(size: int = usual, tells: bool = True) -> Parts:
        if go_back is not None:
            go_back()
        progress = on_progress if tells else None
        return Parts(source, open_url=opener, size=size, on_progress=progress, **parts_options(options))

    found = Records(reader, open_parts(), partial(reader.settle, source))
    if go_back is not None and reader.assumes:
        found._open_again = open_parts
    return found


class AsyncRecords(_OfRecords, AsyncDocumentIterator[Record]):
    """As `Records`, of a document whose parts come asynchronously, and are not unpacked; `arecords` makes it.

    An asynchronous context manager: leaving the block ends the reading, and leaves the source open.
    """

    def __init__(self, reader: RecordReader, parts: AsyncIterable[Document], executor: "Executor | None") -> None:
        self._reader = reader
        super().__init__(self._run(reader, parts, executor))

    @staticmethod
    async def _run(
        reader: RecordReader, parts: AsyncIterable[Document], executor: "Executor | None"
    ) -> AsyncIterator[Record]:
        source = _UntilFailure(parts)
        reader.find_values()
        async for found, error in drive_asynchronously(_Collected(reader, source), source, executor):
            for record in found:
                yield record
            if error is not None and source.failure is None:
                raise error
        if source.failure is not None:
            raise source.failure
        warn_of(reader.remarks())


class _Collected:
    """A reader whose steps return lists: all records of the step, and the exception raised after them."""

    def __init__(self, reader: RecordReader, source: _UntilFailure) -> None:
        self._reader = reader
        self._source = source
        self.end_early = reader.end_early

    def feed(self, data: Document) -> tuple[list[Record], Exception | None]:
        return self._collect(self._reader.feed(data))

    def close(self) -> tuple[list[Record], Exception | None]:
        return self._collect(self._reader.close())

    def _collect(self, found: Iterator[list[RecordRun]]) -> tuple[list[Record], Exception | None]:
        records: list[Record] = []
        try:
            for some in self._reader.as_records(map(self._source.whole, found)):
                records += some
        except Exception as error:  # what the caller is given after them
            return records, error
        return records, None


def arecords(
    source: AsyncIterable[Document],
    tag: str | Iterable[str] = "item",
    *,
    fields: "Fields | None" = None,
    backend: str = "etree",
    on_bad: OnBad = "keep",
    bad_from: Effect = "moved",
    spans: bool = False,
    executor: "Executor | None" = None,
    **options: Unpack[Options],
) -> AsyncRecords:
    """As `records`, for chunks that come asynchronously, such as an HTTP response.

    Args:
        source: an asynchronous iterable of chunks.
        executor: as for `aiterparse`.

    Returns:
        An asynchronous iterator over `Record` objects.

    Raises what `records` raises, but no `OSError`.
    """
    check_asynchronous(source, executor)
    options = with_filename(of_data(options), name_of(source))
    reader = RecordReader(tag, fields, backend, on_bad, bad_from, options)
    reader.tells_spans = spans
    return AsyncRecords(reader, source, executor)
