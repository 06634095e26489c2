"""Makes rows by the mode for malformed records."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import pyarrow as pa
from pyspark.sql.types import ArrayType, DoubleType, LongType, StringType, StructField, StructType

from xml5tree.arrow.layouts import array_of, replaced
from xml5tree.columns import Found
from xml5tree.errors import ErrorEntry, ParseError
from xml5tree.errors.codes import KEPT, LOST, Effect, worst
from xml5tree.errors.entry import least
from xml5tree.nesting import json_text
from xml5tree.ranges.groups import Batch
from xml5tree.record import RecordRun
from xml5tree.recordreader import RecordReader
from xml5tree.spark.columns import RecordColumns
from xml5tree.spark.names import Names
from xml5tree.spark.options import DROPMALFORMED, FAILFAST, SparkOptions
from xml5tree.spark.rows import Rows
from xml5tree.spark.types import arrow_schema

#: The values of the columns of some rows, perhaps as arrays.
Columns = Mapping[str, Sequence[Any] | pa.Array]
#: What may give an element other names, or its text other parts, each with a part of it that is found fast.
_ODD: Final = ((b"xmlns", b"xmlns"), (b"!", b"<!-"), (b"?", b"<?"))
#: Columns about a record itself.
KNOWN: Final = (
    StructField("_file", StringType()),
    StructField("_byte_offset", LongType()),
    StructField("_effect", StringType()),
    StructField("_confidence", DoubleType()),
    StructField("_errors", ArrayType(StringType())),
)


class RowMaker:
    """Makes rows of records that are inside the same elements."""

    def __init__(self, schema: pa.Schema, options: SparkOptions, namespaces: Mapping[str, str]) -> None:
        """Set the columns, and the prefixes around the records; raise `ValueError` if a type is not supported."""
        self._options = options
        self._names = Names(namespaces, local=options.ignoreNamespace)
        texts = filter(None, (options.columnNameOfCorruptRecord, options.rescuedDataColumn))
        columns = arrow_schema(StructType([*KNOWN, *(StructField(name, StringType()) for name in texts)]))
        types = {field.name: field.type for field in columns}
        values = [field for field in schema if types.get(field.name) != field.type]
        rescued = options.rescuedDataColumn
        if rescued is not None and types[rescued] not in (field.type for field in schema if field.name == rescued):
            raise ValueError(f"rescuedDataColumn is {rescued!r}, and the schema has no column {rescued} of strings")
        self._rows = Rows(pa.schema(values), options, self._names)
        self._columns = RecordColumns(pa.schema(values), options, self._rows)
        self._empty: dict[str, Any] = dict.fromkeys([*schema.names, *types])
        self._good = dict.fromkeys(types) | {"_errors": []}  # the columns about a record without errors

    def prepare(self, reader: RecordReader) -> None:
        """Have a reader make columns, if these have all values."""
        nodes = self._columns.nodes
        if nodes is not None:
            reader.make_columns(None, nodes.get, self._written)

    def _written(self, name: str, _: str, is_attribute: bool) -> str:
        return (self._names.attribute if is_attribute else self._names.element)(name)

    def rows(self, batch: Batch, path: str) -> Iterator[Columns]:
        """Yield the columns of records; raise `ParseError` for a malformed one in mode ``FAILFAST``."""
        run = RecordRun.joined(batch.runs)
        size = len(run)
        offsets = run.byte_offsets or [None] * size
        if run.found is None:
            for place, element in enumerate(run.elements or ()):
                data, errors = batch.datas[place], run.errors_of(place).entries
                yield from of_row(self.row(element, data, errors, path, offsets[place]))
            return
        columns, needy = self._columns.find({name: array_of(layout) for name, _, layout in run.found.values}, size)
        needy |= _odd(run.found, batch.datas)
        known = {name: [value] * size for name, value in self._good.items()}
        known |= {"_file": [path] * size, "_byte_offset": [*offsets]}
        kept = dict.fromkeys(range(size))
        others: dict[int, dict[str, Any]] = {}  # rows by elements
        for row in sorted(needy.union(run.errors)):
            data, errors = batch.datas[row], run.errors_of(row).entries
            if row in needy:
                found = self.row(run.found.element(row), data, errors, path, offsets[row])
            else:
                found = self._judged({"_file": path, "_byte_offset": offsets[row]}, data, errors)
            if found is None:
                del kept[row]
                continue
            for name, values in known.items():
                values[row] = found[name]
            if row in needy:
                others[row] = found
        if others:
            places = {row: place for place, row in enumerate(others)}
            by_element = {name: [row[name] for row in others.values()] for name in columns}
            columns = {
                name: replaced(array, places, pa.array(by_element[name], array.type)) for name, array in columns.items()
            }
        if len(kept) < size:
            rows = pa.array(kept, pa.int64())
            columns = {name: array.take(rows) for name, array in columns.items()}
            known = {name: [values[row] for row in kept] for name, values in known.items()}
        if kept:
            yield {**known, **columns}

    def row(
        self, element: Any, data: bytes, errors: Sequence[ErrorEntry], path: str | None, byte_offset: int | None
    ) -> dict[str, Any] | None:
        """Return the row of a record, whose source is `data`, or None if the mode drops it.

        Raises `ParseError` for a malformed record in mode ``FAILFAST``.
        """
        self._names.begin(data)
        row = self._rows.row(element) | {"_file": path, "_byte_offset": byte_offset}
        if self._options.rescuedDataColumn is not None:
            row[self._options.rescuedDataColumn] = self._rescued(path)
        return self._judged(row, data, errors, self._rows.problems, self._rows.remarks)

    def _rescued(self, path: str | None) -> str | None:
        """Return the last row's values without columns, and the file's path, as JSON; None if there are none."""
        values = self._rows.rescued
        return json_text(values | ({} if path is None else {"_file_path": path})) if values else None

    def empty_row(self, data: bytes, refusal: ParseError, path: str | None = None) -> dict[str, Any] | None:
        """Return the row of a document without a tree; see `row`."""
        row = self._empty | {"_file": path, "_byte_offset": None if path is None else 0}
        return self._said(row, data, LOST, None, [*map(str, refusal.errors), str(refusal)], refusal.code)

    def _judged(
        self,
        row: dict[str, Any],
        data: bytes,
        errors: Sequence[ErrorEntry],
        problems: Sequence[str] = (),
        remarks: Sequence[str] = (),
    ) -> dict[str, Any] | None:
        """Return a row with the columns about its record; see `row`."""
        effect = worst(*[entry.effect for entry in errors]) if errors else None
        bad = self._options.policy.is_bad(effect)
        if problems and self._options.rescuedDataColumn is not None:
            effect = effect or KEPT
        elif problems:
            bad, effect = True, LOST
        code = errors[0].code if errors else "not-well-formed"
        said, confidence = [*map(str, errors), *problems, *remarks], least(entry.confidence for entry in errors)
        return self._said(row, data, effect, confidence, said, code if bad else None)

    def _said(
        self,
        row: dict[str, Any],
        data: bytes,
        effect: Effect | None,
        confidence: float | None,
        said: list[str],
        code: str | None,
    ) -> dict[str, Any] | None:
        """As `_judged`; `code` is None if the record is not malformed."""
        options = self._options
        if code is not None and options.mode == DROPMALFORMED:
            return None
        if code is not None and options.mode == FAILFAST:
            place = f"{row['_file']}: byte {row['_byte_offset']}: " if row.get("_file") else ""
            raise ParseError(f"{place}malformed record: {'; '.join(said)}", code, (1, 0))
        corrupt = None if code is None else data.decode("utf-8", "replace")
        row |= {"_effect": effect, "_confidence": confidence, "_errors": said}
        row[options.columnNameOfCorruptRecord] = corrupt
        return row


def of_row(row: dict[str, Any] | None) -> Iterator[Columns]:
    """Yield the columns of a row, unless the mode has dropped it."""
    if row is not None:
        yield {name: (value,) for name, value in row.items()}


def _odd(found: Found, datas: Sequence[bytes]) -> set[int]:
    """Return the indices of records with other values, or names, than columns have."""
    odd = {*found.odd_rows}
    all_data = b"".join(datas)
    for mark, part in _ODD:
        if mark in all_data:
            odd.update(row for row, data in enumerate(datas) if part in data)
    return odd
