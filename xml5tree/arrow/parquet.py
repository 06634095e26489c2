"""Parquet files of records and of results."""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import IO, Any, Final

import pyarrow as pa
from pyarrow.parquet import ParquetWriter, write_table

from xml5tree.arrow.batches import Batches, Texts, batch_of
from xml5tree.record import RecordRun, in_batches

#: Records written at a time.
_BATCH_SIZE: Final = 4096


class ParquetFile:
    """A Parquet file of the records of one document or several."""

    # The columns of `fields` or a schema are known at once. Otherwise all records are first written to a temporary
    # file, and to the Parquet file once all columns are known.

    def __init__(self, file: Any, batches: Batches) -> None:
        """Take the binary file to write to, and the `Batches` of its records, whose types are not inferred."""
        self._file = file
        self.batches = batches
        self._first_pass = _FirstPass() if self.batches.is_open else None
        self._made: ParquetWriter | None = None  # once all columns are known

    @property
    def _writer(self) -> ParquetWriter:
        self._made = self._made or ParquetWriter(self._file, self.batches.freeze([]))
        return self._made

    def write(self, records: Iterable[RecordRun], name: str | None = None) -> None:
        """Write the records of a document, whose `name` is used in messages."""
        for batch in in_batches(records, _BATCH_SIZE):
            texts = self.batches.texts(batch, name)
            if self._first_pass is not None:
                self._first_pass.write(texts)
            else:
                self._writer.write_batch(self.batches.typed(texts))

    def close(self) -> None:
        if self._first_pass is not None:
            with closing(self._first_pass) as first_pass:
                for texts in first_pass.read():
                    self._writer.write_batch(self.batches.typed(texts))
        self._writer.close()

    def discard(self) -> None:
        """Close the temporary file, if `close` was not called."""
        if self._first_pass is not None:
            self._first_pass.close()


class _FirstPass:
    """Columns of text in a temporary file: one stream of Arrow for each run of batches with equal columns."""

    def __init__(self) -> None:
        self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `close`)
        self._writer: pa.RecordBatchStreamWriter | None = None
        self._schema: pa.Schema | None = None

    def write(self, texts: Texts) -> None:
        schema = pa.schema([(name, column.type) for name, column in texts.columns.items()])
        if self._writer is None or schema != self._schema:
            if self._writer is not None:
                self._writer.close()
            self._schema = schema
            self._writer = pa.ipc.new_stream(self._file, schema)
        self._writer.write_batch(batch_of(texts.columns, schema, len(texts.numbers)))

    def read(self) -> Iterator[Texts]:
        if self._writer is not None:
            self._writer.close()
        size = self._file.seek(0, 2)
        self._file.seek(0)
        first = 1
        while self._file.tell() < size:
            with pa.ipc.open_stream(self._file) as stream:
                for batch in stream:
                    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
                    yield Texts(columns, range(first, first + batch.num_rows))
                    first += batch.num_rows

    def close(self) -> None:
        self._file.close()


_SUMMARY: Final = pa.schema(
    [
        ("file", pa.string()),
        ("status", pa.int32()),
        ("effect", pa.string()),
        ("truncated", pa.bool_()),
        ("errors", pa.int64()),
        ("counts", pa.map_(pa.string(), pa.int64())),
        ("verdict", pa.string()),
        ("seconds", pa.float64()),
        ("bytes", pa.int64()),
        ("problem", pa.string()),
        ("uri", pa.string()),
    ]
)


def write_summary(file: Any, rows: Iterable[dict[str, Any]]) -> None:
    """Write results of documents, one row each, for the command line."""
    pairs = [{**row, "counts": list(row["counts"].items())} for row in rows]
    write_table(pa.Table.from_pylist(pairs, _SUMMARY), file)
