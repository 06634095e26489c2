"""Makes rows by the mode for malformed records."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pyarrow as pa
from pyspark.sql.types import ArrayType, LongType, StringType, StructField, StructType

from xml5tree.errors import ErrorEntry, ParseError
from xml5tree.errors.codes import EFFECTS, KEPT, LOST, Effect, worst
from xml5tree.nesting import json_text
from xml5tree.ranges.extents import Run
from xml5tree.spark.names import Names
from xml5tree.spark.options import DROPMALFORMED, FAILFAST, SparkOptions
from xml5tree.spark.rows import Rows
from xml5tree.spark.runs import Columns, RunFinder
from xml5tree.spark.types import arrow_schema

__all__ = ["KNOWN", "RowMaker", "is_bad"]

#: Columns about a record itself.
KNOWN: Final = (
    StructField("_file", StringType()),
    StructField("_byte_offset", LongType()),
    StructField("_effect", StringType()),
    StructField("_errors", ArrayType(StringType())),
)


def is_bad(effect: Effect | None, options: SparkOptions) -> bool:
    """Return whether a record whose errors have this effect is malformed."""
    return effect is not None and EFFECTS.index(effect) >= EFFECTS.index(options.badFrom)


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
        self._values = pa.schema(values)
        self._tells_offsets = "_byte_offset" in schema.names
        self._start = re.compile(rb"<" + re.escape(options.rowTag.encode()) + rb"(?=[\s/>])")
        self._rows = Rows(self._values, options, self._names)
        self._empty: dict[str, Any] = dict.fromkeys([*schema.names, *types])

    def run_finder(self) -> RunFinder:
        return RunFinder(self._values, self._options)

    def columns(self, run: Run, path: str) -> Columns:
        """Return the columns of a run of records; raise `ParseError` for a malformed one in mode ``FAILFAST``."""
        values = run.value
        if isinstance(values, list):
            first = run.offset
            rows = [
                self.row(element, data, (), path, None if first is None else first + start)
                for element, start, data in values
            ]
            kept = [row for row in rows if row is not None]
            return {name: [row[name] for row in kept] for name in self._empty}
        size = len(next(iter(values.values())))
        offsets: list[int | None] = [None] * size
        if self._tells_offsets and run.offset is not None:
            offsets = [run.offset + found.start() for found in self._start.finditer(run.data)]
        known = {"_file": [path] * size, "_byte_offset": offsets, "_effect": [None] * size, "_errors": [[]] * size}
        return {**known, self._options.columnNameOfCorruptRecord: [None] * size, **values}

    def row(
        self, element: Any, data: bytes, errors: Sequence[ErrorEntry], path: str | None, byte_offset: int | None
    ) -> dict[str, Any] | None:
        """Return the row of a record, whose source is `data`, or None if the mode drops it.

        Raises `ParseError` for a malformed record in mode ``FAILFAST``.
        """
        self._names.begin(data)
        row = self._rows.row(element)
        problems = self._rows.problems
        effect = worst(*(entry.effect for entry in errors)) if errors else None
        said = [*map(str, errors), *problems, *self._rows.remarks]
        row["_file"] = path
        row["_byte_offset"] = byte_offset
        code = errors[0].code if errors else "not-well-formed"
        bad = is_bad(effect, self._options)
        rescued = self._options.rescuedDataColumn
        if rescued is not None:
            row[rescued] = self._rescued(path)
        if problems and rescued is not None:
            effect = effect or KEPT
        elif problems:
            bad, effect = True, LOST
        return self._judged(row, data, effect, said, code if bad else None)

    def _rescued(self, path: str | None) -> str | None:
        """Return the last row's values without columns, and the file's path, as JSON; None if there are none."""
        values = self._rows.rescued
        return json_text(values | ({} if path is None else {"_file_path": path})) if values else None

    def empty_row(self, data: bytes, refusal: ParseError, path: str | None = None) -> dict[str, Any] | None:
        """Return the row of a document without a tree; see `row`."""
        row = self._empty | {"_file": path, "_byte_offset": None if path is None else 0}
        return self._judged(row, data, LOST, [*map(str, refusal.errors), str(refusal)], refusal.code)

    def _judged(
        self, row: dict[str, Any], data: bytes, effect: Effect | None, said: list[str], code: str | None
    ) -> dict[str, Any] | None:
        """Return a row with the columns about the record; `code` is None if it is not malformed."""
        options = self._options
        if code is not None and options.mode == DROPMALFORMED:
            return None
        if code is not None and options.mode == FAILFAST:
            place = f"{row['_file']}: byte {row['_byte_offset']}: " if row.get("_file") else ""
            raise ParseError(f"{place}malformed record: {'; '.join(said)}", code, (1, 0))
        row["_effect"] = effect
        row["_errors"] = said
        row[options.columnNameOfCorruptRecord] = None if code is None else data.decode("utf-8", "replace")
        return row
