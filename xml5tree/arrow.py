"""Records as record batches of Arrow, and as Parquet; it imports pyarrow, as only `spark/` does besides."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from pyarrow.parquet import ParquetWriter

from xml5tree.rows import Fields

if TYPE_CHECKING:
    from xml5tree.records import Record

__all__ = ["ERRORS", "ParquetFile", "SummaryFile", "batches", "conversion"]

#: The type of the column ``_errors``.
ERRORS: Final = pa.list_(pa.string())
_MARKS: Final = (("_line", pa.int64()), ("_effect", pa.string()), ("_errors", ERRORS))

#: Records that are written at a time.
_BATCH_SIZE: Final = 4096

#: What is known of a record besides its values, by the name of the column.
_KNOWN: Final[dict[str, Callable[[Any], Any]]] = {
    "_number": lambda record: record.number,
    "_line": lambda record: record.line,
    "_byte_offset": lambda record: record.byte_offset,
    "_effect": lambda record: record.effect,
    "_errors": lambda record: [str(entry) for entry in record.errors],
}


def batches(
    records: "Iterable[Record]", fields: Fields | None, schema: Any, batch_size: int, *, marked: bool
) -> Iterator[Any]:
    """Record batches of records; see `xml5tree.records.record_batches`."""
    if batch_size < 1:
        raise ValueError(f"batch_size must be at least 1, not {batch_size}")
    return _batches(iter(records), fields, schema, batch_size, marked)


def _batches(
    records: "Iterator[Record]", fields: Fields | None, schema: Any, batch_size: int, marked: bool
) -> Iterator[Any]:
    batch = list(islice(records, batch_size))
    if schema is None:
        if fields is None and not batch:
            return
        schema = _schema_of_fields(fields, marked) if fields is not None else _inferred(batch)
    columns = [
        (name, _KNOWN.get(name), conversion(kind)) for name, kind in zip(schema.names, schema.types, strict=True)
    ]
    while batch:
        arrays = []
        for (name, known, convert), kind in zip(columns, schema.types, strict=True):
            values = [convert(record.get(name) if known is None else known(record)) for record in batch]
            arrays.append(pa.array(values, kind))
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)
        batch = list(islice(records, batch_size))


def _schema_of_fields(fields: Fields, marked: bool) -> Any:
    """The schema of columns by paths, which are strings or lists of them."""
    columns = [(name, pa.string() if isinstance(path, str) else pa.list_(pa.string())) for name, path in fields.items()]
    return pa.schema([*columns, *(_MARKS if marked else ())])


class ParquetFile:
    """A Parquet file of the records of one document or several, in columns that are known when it has the first."""

    def __init__(self, file: Any, fields: Fields | None, marked: bool) -> None:
        """Take the binary file to write to, and what `batches` takes."""
        self._file = file
        self._fields = fields
        self._marked = marked
        self._schema = None if fields is None else _schema_of_fields(fields, marked)
        self._writer: Any = None

    def write(self, records: "Iterable[Record]") -> None:
        """Write the records of a document."""
        for batch in batches(records, self._fields, self._schema, _BATCH_SIZE, marked=self._marked):
            if self._writer is None:
                self._schema = batch.schema
                self._writer = ParquetWriter(self._file, batch.schema)
            self._writer.write_batch(batch)

    def close(self) -> None:
        """Write the end of the file; without a record, it has the columns, if they are known."""
        if self._writer is None:
            self._writer = ParquetWriter(self._file, self._schema or pa.schema([]))
        self._writer.close()


class SummaryFile:
    """A Parquet file of what came of documents, as the command line tells it."""

    _SCHEMA: Final = pa.schema(
        [
            ("file", pa.string()),
            ("status", pa.int32()),
            ("effect", pa.string()),
            ("errors", pa.int64()),
            ("counts", pa.map_(pa.string(), pa.int64())),
            ("seconds", pa.float64()),
            ("bytes", pa.int64()),
            ("problem", pa.string()),
            ("uri", pa.string()),
        ]
    )

    def __init__(self, file: Any) -> None:
        """Take the binary file to write to."""
        self._writer = ParquetWriter(file, self._SCHEMA)

    def write(self, rows: list[dict[str, Any]]) -> None:
        """Write what came of some documents."""
        pairs = [{**row, "counts": list(row["counts"].items())} for row in rows]
        self._writer.write_table(pa.Table.from_pylist(pairs, self._SCHEMA))

    def close(self) -> None:
        """Write the end of the file."""
        self._writer.close()


# Types of nested dictionaries ---------------------------------------------------------------------------------------


def _inferred(batch: "list[Record]") -> Any:
    """The schema of nested dictionaries: a column for each name in any of them."""
    shape = _Shape()
    for record in batch:
        shape.see(dict(record))
    types = dict(_MARKS)
    return pa.schema([(name, types.get(name) or inner.type()) for name, inner in shape.fields.items()])


class _Shape:
    """What values of a column have been seen."""

    def __init__(self) -> None:
        self.fields: dict[str, _Shape] = {}
        self._is_list = False

    def see(self, value: Any) -> None:
        """Take one more value into account."""
        if isinstance(value, list):
            self._is_list = True
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict):
                for name, inner in item.items():
                    self.fields.setdefault(name, _Shape()).see(inner)

    def type(self) -> Any:
        """The type that has room for all of them."""
        kind = pa.string()
        if self.fields:
            names = self.fields if "#text" in self.fields else {**self.fields, "#text": _Shape()}
            kind = pa.struct([(name, inner.type()) for name, inner in names.items()])
        return pa.list_(kind) if self._is_list else kind


# Values to types ----------------------------------------------------------------------------------------------------


def conversion(kind: Any) -> Callable[[Any], Any]:
    """A function that makes a value of a type out of text, or of nested dictionaries and lists of text.

    What cannot be converted is None.
    """
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        item = conversion(kind.value_type)
        return lambda value: (
            None if value is None else [item(one) for one in (value if isinstance(value, list) else [value])]
        )
    convert = _struct(kind) if pa.types.is_struct(kind) else _scalar(kind)
    return lambda value: convert(value[0] if value else None) if isinstance(value, list) else convert(value)


def _struct(kind: Any) -> Callable[[Any], Any]:
    fields = [(field.name, conversion(field.type)) for field in kind]

    def convert(value: Any) -> Any:
        if value is None:
            return None
        row = value if isinstance(value, dict) else {"#text": value}
        return {name: inner(row.get(name)) for name, inner in fields}

    return convert


_TRUTH: Final = {"true": True, "1": True, "false": False, "0": False}


def _scalar(kind: Any) -> Callable[[Any], Any]:
    types = pa.types
    if types.is_string(kind) or types.is_large_string(kind):
        return lambda value: value.get("#text") if isinstance(value, dict) else None if value is None else str(value)
    if types.is_boolean(kind):
        return lambda value: value if isinstance(value, bool) else _TRUTH.get(str(_text(value)).strip().lower())

    def cast(value: Any) -> Any:
        value = _text(value)
        if value is None:
            return None
        try:
            return pa.scalar(value.strip() if isinstance(value, str) else value).cast(kind).as_py()
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
            return None

    if types.is_integer(kind) or types.is_floating(kind):
        number: Any = int if types.is_integer(kind) else float

        def quick(value: Any) -> Any:
            value = _text(value)
            try:
                found = None if value is None else number(value)
            except (ValueError, OverflowError):
                return None
            return found if number is float or found is None or _fits(found, kind) else None

        return quick
    return cast


def _fits(number: int, kind: Any) -> bool:
    """Whether a whole number has room in a type."""
    bits: int = kind.bit_width
    return 0 <= number < 1 << bits if pa.types.is_unsigned_integer(kind) else -(1 << bits - 1) <= number < 1 << bits - 1


def _text(value: Any) -> Any:
    return value.get("#text") if isinstance(value, dict) else value
