"""Reads rows of ranges, for both readers."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, groupby
from typing import Any, Final

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from xml5tree.errors import ParseError
from xml5tree.errors.notify import warn_of_rows
from xml5tree.ranges import Range, RangeRecords, split
from xml5tree.ranges.reading import read_written
from xml5tree.recordreader import RecordReader
from xml5tree.remote import is_url
from xml5tree.spark.makers import Columns, RowMaker, of_row
from xml5tree.spark.options import SparkOptions
from xml5tree.spark.paths import facts_of, folder_values
from xml5tree.spark.rows import value_reader
from xml5tree.spark.types import arrow_schema

#: Least number of rows in a batch, but for the last one.
_BATCH: Final = 4096
#: The error of a file that is not XML.
_NOT_XML: Final = "not-xml"
#: Cost of opening a file, as bytes that could be read in the same time; Spark's default.
_OPEN_COST: Final = 4 << 20
#: The fields of Spark's column of metadata.
_FACTS: Final = frozenset(
    {"file_path", "file_name", "file_size", "file_block_start", "file_block_length", "file_modification_time"}
)


class RowReader:
    """Reads rows of a schema; pickled and sent to the tasks."""

    def __init__(self, schema: StructType, options: SparkOptions) -> None:
        """Set the columns; raise `ValueError` for an unsupported type, or a missing column that an option needs."""
        self._options = options
        self._schema = arrow_schema(schema)
        RowMaker(self._schema, options, {})  # raises for a type that is not supported

    def tasks(self, files: Sequence[str]) -> list[InputPartition]:
        """Return the tasks that read some files; the value of each has a part of a large file, or small files."""
        size = self._options.maxPartitionBytes
        found: list[InputPartition] = []
        group: list[Range] = []
        cost = 0
        for part in ranges_of(files, self._options):
            part_cost = _OPEN_COST + (part.size or size)
            if group and cost + part_cost > size:
                found.append(InputPartition(group))
                group, cost = [], 0
            group.append(part)
            cost += part_cost
        return [*found, InputPartition(group)] if group else found

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        columns: dict[str, list[Sequence[Any] | pa.Array]] = {name: [] for name in self._schema.names}
        count = 0
        for part in partition.value:
            given = self._values_of(part)
            for values in self._rows(part, given):
                size = len(next(iter(values.values())))
                for name, found in columns.items():
                    found.append([given[name]] * size if name in given else values[name])
                count += size
                if count >= _BATCH:
                    yield self._batch(columns)
                    columns = {name: [] for name in columns}
                    count = 0
        if count:
            yield self._batch(columns)

    def _batch(self, columns: Mapping[str, list[Sequence[Any] | pa.Array]]) -> pa.RecordBatch:
        arrays = [_joined(columns[field.name], field.type) for field in self._schema]
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)

    def _values_of(self, part: Range) -> dict[str, Any]:
        """Return the values of columns that all rows of a range share: those of folders, and ``_metadata``."""
        options = self._options
        folders = folder_values(part.path, options.basePath)
        found: dict[str, Any] = {}
        for name, kind in zip(self._schema.names, self._schema.types, strict=True):
            if name == "_metadata" and pa.types.is_struct(kind) and _FACTS.issuperset(field.name for field in kind):
                size, time = facts_of(part.path, options.storageOptions if is_url(part.path) else None)
                stop = size if part.end is None else part.end
                found[name] = {
                    "file_path": part.path,
                    "file_name": part.path.rpartition("/")[2],
                    "file_size": size,
                    "file_block_start": part.start,
                    "file_block_length": None if stop is None else stop - part.start,
                    "file_modification_time": time,
                }
            elif name in folders and not pa.types.is_nested(kind):
                text = folders[name]
                found[name] = text if text is None or pa.types.is_string(kind) else value_reader(kind, options)(text)
        return found

    def _rows(self, part: Range, given: Mapping[str, Any]) -> Iterator[Columns]:
        """Yield the rows of a range, without the columns whose values are `given`."""
        options = self._options
        schema = pa.schema([field for field in self._schema if field.name not in given])
        found = records_of(part, options, force=part.start > 0)
        maker = RowMaker(schema, options, {})

        def prepare(reader: RecordReader) -> None:
            nonlocal maker
            maker = RowMaker(schema, options, found.namespaces)
            maker.prepare(reader)

        found.reader.prepare = prepare
        try:
            with missing_files(part.path, options), found:
                for batch in found.batches:
                    yield from maker.rows(batch, part.path)
        except ParseError as refusal:
            if refusal.code != _NOT_XML:
                raise
            if options.ignoreCorruptFiles:
                warn_of_rows(f"{refusal}; the file was skipped")
                return
            yield from of_row(RowMaker(schema, options, {}).empty_row(b"", refusal, part.path))


def _joined(parts: list[Sequence[Any] | pa.Array], kind: pa.DataType) -> pa.Array:
    arrays: list[pa.Array] = []
    for is_array, group in groupby(parts, key=lambda part: isinstance(part, pa.Array)):
        some = list(group)
        arrays += some if is_array else [pa.array([*chain.from_iterable(some)], kind)]
    return arrays[0] if len(arrays) == 1 else pa.concat_arrays(arrays)


class BatchReader(RowReader, DataSourceReader):  # type: ignore[misc]
    """Reads rows of files that are known from the beginning."""

    def __init__(self, files: Sequence[str], schema: StructType, options: SparkOptions) -> None:
        super().__init__(schema, options)
        self._files = files

    def partitions(self) -> list[InputPartition]:
        return self.tasks(self._files)


@contextmanager
def missing_files(path: str, options: SparkOptions) -> Iterator[None]:
    """Turn the error for a path without a file into a warning, if the options say so."""
    try:
        yield
    except FileNotFoundError:
        if not options.ignoreMissingFiles:
            raise
        warn_of_rows(f"there is no file at {path}; it was skipped")


def ranges_of(files: Sequence[str], options: SparkOptions) -> Iterator[Range]:
    for path in files:
        with missing_files(path, options):
            parts = split(
                path,
                size=options.maxPartitionBytes,
                encoding=options.encoding,
                storage_options=options.storageOptions if is_url(path) else None,
            )
            # Tasks of equal size end together.
            size = -(-sum(part.size or 0 for part in parts) // len(parts))
            for number, part in enumerate(parts):
                end = None if part.end is None else (number + 1) * size
                yield replace(part, start=number * size, end=end, size=size)


def records_of(part: Range, options: SparkOptions, *, force: bool = True) -> RangeRecords:
    """Return the records of a range, whose iterator raises `ParseError` for a file that is not XML without `force`."""
    return read_written(
        part,
        options.tag,
        ends_at_damage=options.ignoreCorruptFiles,
        encoding=options.encoding,
        force=force,
        **options.reading,
    )
