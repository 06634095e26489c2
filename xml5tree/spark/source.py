"""The data source: ``spark.read.format("xml5")``."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import Any, Final
from zlib import crc32

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StringType, StructField, StructType

from xml5tree.errors.notify import warn_of_rows
from xml5tree.ranges import Range, RangeRecord, split
from xml5tree.ranges.reading import read_written
from xml5tree.spark.inference import Shape
from xml5tree.spark.makers import KNOWN, RowMaker, is_bad
from xml5tree.spark.names import Names
from xml5tree.spark.options import SparkOptions
from xml5tree.spark.paths import files_at
from xml5tree.spark.types import arrow_schema

__all__ = ["XML5DataSource"]

_BATCH: Final = 1024
#: Default number of records that a schema is inferred from.
_SAMPLE: Final = 1000
#: Cost of opening a file, as bytes that could be read in the same time; Spark's default.
_OPEN_COST: Final = 4 << 20


class XML5DataSource(DataSource):  # type: ignore[misc]
    """Reads XML files, well-formed or not, as ``spark.read.format("xml5")``, once it is registered.

    The options are those of `xml5tree.spark.options.SparkOptions`. A malformed record gives its row *and* its errors:
    the columns ``_errors``, ``_effect``, ``_byte_offset`` and ``_file`` of a schema are about the record itself.
    """

    def __init__(self, options: Mapping[str, str]) -> None:
        """Take the options.

        Raises:
            ValueError: an option is unknown, or has an invalid value.
        """
        super().__init__(options)
        given = dict(options)
        paths = [text for key in list(given) if key.lower() == "path" for text in [given.pop(key)]]
        for key in list(given):
            if key.lower() == "paths":
                paths += json.loads(given.pop(key))
        self._options = SparkOptions.make(given)
        if not self._options.rowTag:
            raise ValueError("the option rowTag is needed: the name of the elements that are rows")
        self._paths = paths

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return "xml5"

    def schema(self) -> StructType:
        """Return the schema of the records, inferred from some of them.

        Raises:
            FileNotFoundError: there is no file.
            ValueError: there is no record.
        """
        options = self._options
        shape = Shape()
        count = 0
        is_any_bad = False
        for record, namespaces in self._sample():
            names = Names(namespaces, local=options.ignoreNamespace)
            names.begin(record.data)
            shape.see(record.element, options, names)
            is_any_bad = is_any_bad or is_bad(record.effect, options)
            count += 1
        if not count:
            raise ValueError(f"no element {options.rowTag!r} to infer a schema from in {', '.join(self._paths)}")
        found = shape.schema(options)
        fields = list(found)
        if is_any_bad and options.columnNameOfCorruptRecord not in found.names:
            fields.insert(0, StructField(options.columnNameOfCorruptRecord, StringType()))
        if options.errorColumns:
            fields = [field for field in fields if field.name not in {known.name for known in KNOWN}]
            fields += KNOWN
        return StructType(fields)

    def _sample(self) -> Iterator[tuple[RangeRecord, Mapping[str, str]]]:
        """Yield the records to infer the schema from, each with the namespaces around it."""
        options = self._options
        found = chain.from_iterable(_records(part, options) for part in _ranges(self._files(), options))
        ratio = options.samplingRatio
        if ratio is None:
            return islice(found, _SAMPLE)
        limit = ratio * (1 << 32)
        return (one for one in found if crc32(f"{one[0].path} {one[0].number} {one[0].byte_offset}".encode()) < limit)

    def _files(self) -> list[str]:
        options = self._options
        if not self._paths:
            raise ValueError("no path: load() needs that of a file or folder, or a pattern")
        found: list[str] = []
        for path in self._paths:
            with _missing_files(path, options):
                found += files_at(
                    path,
                    recursive=options.recursiveFileLookup,
                    name_filter=options.pathGlobFilter,
                    before=options.modifiedBefore,
                    after=options.modifiedAfter,
                )
        return found

    def reader(self, schema: StructType) -> DataSourceReader:
        """Return a reader of rows of a schema."""
        return _Reader(self._files(), schema, self._options)


class _Ranges(InputPartition):  # type: ignore[misc]
    """The ranges of one task."""

    def __init__(self, parts: Sequence[Range]) -> None:
        super().__init__(None)
        self.parts = parts


class _Reader(DataSourceReader):  # type: ignore[misc]
    """Reads rows of a schema; pickled and sent to the tasks."""

    def __init__(self, files: list[str], schema: StructType, options: SparkOptions) -> None:
        self._files = files
        self._options = options
        self._schema = arrow_schema(schema)
        RowMaker(self._schema, options, {})  # raises for a type that is not supported

    def partitions(self) -> list[InputPartition]:
        """Return the tasks: each reads a part of a large file, or several small files."""
        size = self._options.maxPartitionBytes
        found: list[InputPartition] = []
        group: list[Range] = []
        cost = 0
        for part in _ranges(self._files, self._options):
            part_cost = _OPEN_COST + (part.size or size)
            if group and cost + part_cost > size:
                found.append(_Ranges(group))
                group, cost = [], 0
            group.append(part)
            cost += part_cost
        return [*found, _Ranges(group)] if group else found

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        rows: list[dict[str, Any]] = []
        for part in partition.parts:
            for row in self._rows(part):
                rows.append(row)
                if len(rows) == _BATCH:
                    yield self._batch(rows)
                    rows.clear()
        if rows:
            yield self._batch(rows)

    def _batch(self, rows: list[dict[str, Any]]) -> pa.RecordBatch:
        arrays = [pa.array([row[field.name] for row in rows], field.type) for field in self._schema]
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)

    def _rows(self, part: Range) -> Iterator[dict[str, Any]]:
        options = self._options
        maker: RowMaker | None = None
        for record, namespaces in _records(part, options):
            if maker is None:
                maker = RowMaker(self._schema, options, namespaces)
            row = maker.row(record.element, record.data, record.errors, record.path, record.byte_offset)
            if row is not None:
                yield row


@contextmanager
def _missing_files(path: str, options: SparkOptions) -> Iterator[None]:
    """Turn the error for a path without a file into a warning, if the options say so."""
    try:
        yield
    except FileNotFoundError:
        if not options.ignoreMissingFiles:
            raise
        warn_of_rows(f"there is no file at {path}; it was skipped")


def _ranges(files: Sequence[str], options: SparkOptions) -> Iterator[Range]:
    """Yield the ranges of files."""
    for path in files:
        with _missing_files(path, options):
            yield from split(path, size=options.maxPartitionBytes, encoding=options.encoding)


def _records(part: Range, options: SparkOptions) -> Iterator[tuple[RangeRecord, Mapping[str, str]]]:
    """Yield the records of a range, each with the namespaces around it."""
    found = read_written(
        part,
        options.tag,
        ends_at_damage=options.ignoreCorruptFiles,
        encoding=options.encoding,
        recovery=options.recovery,
        force=True,  # a file that is no XML has no rows, as for Spark's own source
    )
    with _missing_files(part.path, options), found:
        for record in found:
            yield record, found.namespaces
