"""Tables, data frames and Arrow batches of records."""

import os
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final, TypeAlias, Unpack, cast

from xml5tree.backends.tags import names_of
from xml5tree.documents import Source, name_of
from xml5tree.drive import DocumentIterator
from xml5tree.errors.codes import Effect
from xml5tree.errors.log import ErrorLog, ParseError
from xml5tree.errors.policy import BadValues, OnBad
from xml5tree.options import Options
from xml5tree.progress import OnProgress
from xml5tree.record import in_batches
from xml5tree.recordreader import CUT_OFF
from xml5tree.records import Records, records, warn_of
from xml5tree.remote import StorageOptions
from xml5tree.sources import are_ranges, is_range, sources_in

if TYPE_CHECKING:
    import pandas
    import pyarrow

    from xml5tree.arrow.batches import Batches, Texts
    from xml5tree.ranges import Range, RangeRecords
    from xml5tree.rows import Fields


#: Where records come from: a document, or paths of several.
Sources: TypeAlias = "Source | Range | Iterable[os.PathLike[str]] | Iterable[Range]"
_Schema: TypeAlias = "pyarrow.Schema | Mapping[str, Any] | str | None"

#: Records that are in a batch.
_BATCH_SIZE: Final = 4096
#: Records that a schema is found out from.
_SAMPLE: Final = 10_000
#: Options of tables that those of records do not have.
_OF_VALUES: Final = ("bad_values", "file_column", "decimal", "thousands", "dates", "null_values")
#: Options of documents that ranges do not take.
_OF_FILES: Final = ("storage_options", "on_progress")
#: The error of an empty document, and its place.
_NO_ROOT: Final = "no-root-element"
_BEGINNING: Final = (1, 0)


class RecordBatches(DocumentIterator["pyarrow.RecordBatch"]):
    """An iterator over record batches, which is read as the iteration goes on; `record_batches` makes it.

    What reads streams of Arrow takes it as it is. A context manager: leaving the block closes the file opened here.
    """

    def __init__(self, found: "_Found", batches: "Batches", batch_size: int, sample: int) -> None:
        self._found = found
        self._batches = batches
        self._texts = found.texts(batches, batch_size)
        self._sample = sample
        self._first: list[Texts] = []
        self._schema: pyarrow.Schema | None = None
        super().__init__(self._run(), found)

    @property
    def schema(self) -> "pyarrow.Schema":
        """The columns and their types; where they are found out, the first records are read for that.

        Raises:
            OSError, ParseError, ValueError: as the iteration.
        """
        if self._schema is None:
            if self._batches.is_open:
                while self._batches.count < self._sample and (texts := next(self._texts, None)) is not None:
                    self._first.append(texts)
            self._schema = self._batches.freeze(self._first)
        return self._schema

    def _run(self) -> "Iterator[pyarrow.RecordBatch]":
        with closing(self._found):
            _ = self.schema
            while self._first:
                yield self._batches.typed(self._first.pop(0))
            for texts in self._texts:
                yield self._batches.typed(texts)
        warn_of(self._batches.remarks())

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The rest of the batches by the PyCapsule interface of Arrow; types are cast to those that are requested."""
        import pyarrow

        reader = pyarrow.RecordBatchReader.from_batches(self.schema, self)
        capsule: object = reader.__arrow_c_stream__(requested_schema)
        return capsule

    @property
    def skipped(self) -> int:
        """How many records were skipped because they are bad, in all documents so far."""
        return self._found.skipped

    @property
    def error_log(self) -> ErrorLog:
        """The errors of the document that is being read, or was the last; `AttributeError` for ranges."""
        log: ErrorLog = self._found.current.error_log  # type: ignore[union-attr]
        return log


class _Found:
    """The records of one document or several, one after the other."""

    def __init__(self, sources: "Iterator[Source | Range]", tag: list[str], arguments: Mapping[str, Any]) -> None:
        """Open the first document or range; raise what `record_batches` raises."""
        self._sources = sources
        self._tag = tag
        self._arguments = arguments
        self._skipped = 0
        self._warned: set[str] = set()  # see `RangeRecords`
        self.current: Records | RangeRecords = self._open(next(sources))

    def _open(self, source: "Source | Range") -> "Records | RangeRecords":
        if not is_range(source):
            self._name = name_of(source)
            return records(cast("Source", source), self._tag, **self._arguments)
        from xml5tree.ranges import read

        part = cast("Range", source)
        self._name = part.path
        others = {name: value for name, value in self._arguments.items() if name not in _OF_FILES}
        if any(self._arguments.get(name) for name in _OF_FILES):
            raise ValueError(
                f"{' and '.join(_OF_FILES)} are not for ranges; give storage_options to split, which passes them on"
            )
        found = read(part, self._tag[0] if len(self._tag) == 1 else self._tag, **others)  # type: ignore[arg-type]
        found.warned = self._warned
        return found

    def close(self) -> None:
        self.current.close()

    @property
    def skipped(self) -> int:
        return self._skipped + self.current.skipped

    def texts(self, batches: "Batches", size: int) -> "Iterator[Texts]":
        """Yield the records as columns of text, up to `size` at a time, and never of two documents at once."""
        from xml5tree.errors.notify import warn_of_rows

        is_first = True
        while True:
            refusal, is_empty = None, False
            try:
                with self.current as found:
                    for batch in in_batches(batches.runs_of(found, size), size):
                        yield batches.texts(batch, self._name)
                    if getattr(found, "truncated", False):
                        warn_of_rows(f"{self._name}: {CUT_OFF}")
            except ParseError as error:
                is_empty = error.code == _NO_ROOT and error.position == _BEGINNING
                if not is_empty and self._arguments.get("on_bad") != "skip":
                    raise
                refusal = error
            source = next(self._sources, None)
            if refusal is not None:
                if is_first and source is None:  # there is only this document
                    raise refusal
                warn_of_rows(f"{refusal}; {'it has no records' if is_empty else 'the rest of the file was skipped'}")
            if source is None:
                return
            is_first = False
            self._skipped += self.current.skipped
            self.current = self._open(source)


class TableOptions(Options, total=False):
    """The options of `read_table` and `read_frame`, which are those of `record_batches`, but for sizes and `schema`."""

    bad_values: BadValues | None
    file_column: str | None
    decimal: str
    thousands: str
    dates: str | Collection[str]
    null_values: str | Collection[str]
    fields: "Fields | None"
    backend: str
    on_bad: OnBad
    bad_from: Effect
    on_progress: OnProgress
    storage_options: StorageOptions


def _reader(
    source: Sources, tag: str | Iterable[str], schema: _Schema, options: TableOptions, call: str
) -> "tuple[_Found, Batches]":
    try:
        from xml5tree.arrow.batches import Batches
    except ImportError as error:
        raise ImportError("tables need one more package: pip install 'xml5tree[arrow]'") from error
    arguments: dict[str, Any] = {**options}
    of_values = {name: arguments.pop(name) for name in _OF_VALUES if name in arguments}
    fields, marked = arguments.get("fields"), arguments.get("on_bad") == "mark"
    if marked:
        arguments["on_bad"] = "keep"  # the columns are made of the records, not of their marks
    batches = Batches(fields, schema, marked=marked, in_ranges=are_ranges(source), **of_values)
    sources = sources_in(source, call, arguments.get("storage_options"))
    return _Found(sources, names_of(tag, "tag"), arguments), batches


def record_batches(
    source: Sources,
    tag: str | Iterable[str] = "item",
    *,
    schema: _Schema = None,
    batch_size: int = _BATCH_SIZE,
    sample: int = _SAMPLE,
    **options: Unpack[TableOptions],
) -> RecordBatches:
    """Read the records of documents of any size as Arrow record batches; needs the extra ``arrow``.

    Args:
        source: as for `records`; also a pattern such as ``"feeds/*.xml"`` (`FileNotFoundError` if no file matches), or
            a list of paths, URLs, patterns, file objects and ranges.
        tag: as for `records`.
        schema: a schema of pyarrow, a mapping of names to types, or text as in Spark, ``"title string, price double"``.
            If `fields` is also given, other columns are null, except ``_number``, ``_line``, ``_byte_offset``,
            ``_complete``, ``_effect``, ``_confidence`` and ``_errors``, which describe the record. None: the columns of
            `fields` or of the sample, as strings, lists and structures, and the marks of ``on_bad="mark"``.
            ``"infer"``: as None, with types that fit all values of the sample.
        batch_size: the most records in a batch.
        sample: records from which columns and types are inferred.
        **options: options of `records`, except `spans`. `decimal` and `thousands` are the marks in numbers, by default
            ``"."`` and none; `dates` is a format of `datetime.datetime.strptime`, or several, which are tried before
            ISO 8601; `null_values` are texts that mean null. `file_column` names a column for the path of the file.
            `bad_values` says what to do with a value that does not fit its column: ``"null"``, the default with a
            schema: null, with a warning at the end; ``"rescue"``: null, and JSON in the column ``_rescued``;
            ``"skip"``: leave the record out; ``"raise"``, the default without a schema: `ValueError`. The first two add
            an entry to ``_errors``.

    Returns:
        An iterator over batches with one schema. A column that comes after the sample raises `ValueError`. It warns
        (`RowsWarning`) of columns without any value, and of documents that are cut off, empty, or go on after the root.

    Raises:
        ImportError: pyarrow is not installed.
        FileNotFoundError: no file matches the pattern.
        OSError, TypeError, ValueError, LookupError: as `records`; ValueError also for an empty list, and columns of
            the same name.
    """
    if batch_size < 1 or sample < 1:
        name, value = ("batch_size", batch_size) if batch_size < 1 else ("sample", sample)
        raise ValueError(f"{name} must be at least 1, not {value}")
    found, batches = _reader(source, tag, schema, options, "record_batches")
    return RecordBatches(found, batches, batch_size, sample)


def read_table(
    source: Sources, tag: str | Iterable[str] = "item", *, schema: _Schema = "infer", **options: Unpack[TableOptions]
) -> "pyarrow.Table":
    """As `record_batches`, but return an Arrow table.

    Without a record, it has the known columns.

    Args:
        schema: as for `record_batches`, but inferred from all records. A column in which a record has several values
            holds lists.

    Raises what `record_batches` and its iterator raise.
    """
    return _table(source, tag, schema, options, "read_table")


def _table(
    source: Sources, tag: str | Iterable[str], schema: _Schema, options: TableOptions, call: str
) -> "pyarrow.Table":
    found, batches = _reader(source, tag, schema, options, call)
    import pyarrow

    with RecordBatches(found, batches, _BATCH_SIZE, sys.maxsize) as read:
        return pyarrow.Table.from_batches(read, read.schema)


def read_frame(
    source: Sources, tag: str | Iterable[str] = "item", *, schema: _Schema = "infer", **options: Unpack[TableOptions]
) -> "pandas.DataFrame":
    """As `read_table`, but return a pandas data frame.

    Integers and booleans have the types ``Int64`` and ``boolean``.

    Raises what `read_table` raises.
    """
    try:
        import pandas
    except ImportError as error:
        raise ImportError("data frames need one more package: pip install pandas") from error
    table = _table(source, tag, schema, options, "read_frame")
    import pyarrow

    types = {pyarrow.int8(): pandas.Int8Dtype(), pyarrow.int16(): pandas.Int16Dtype()}
    types |= {pyarrow.int32(): pandas.Int32Dtype(), pyarrow.int64(): pandas.Int64Dtype()}
    types |= {pyarrow.uint8(): pandas.UInt8Dtype(), pyarrow.uint16(): pandas.UInt16Dtype()}
    types |= {pyarrow.uint32(): pandas.UInt32Dtype(), pyarrow.uint64(): pandas.UInt64Dtype()}
    types |= {pyarrow.bool_(): pandas.BooleanDtype()}
    return table.to_pandas(types_mapper=types.get, integer_object_nulls=True)
