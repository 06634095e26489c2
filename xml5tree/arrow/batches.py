"""Makes record batches of records.

Columns are text first, which is then converted as a whole.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby, repeat
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, cast

import pyarrow as pa
import pyarrow.compute as pc

from xml5tree.arrow.conversion import Problem, Values, check_type, convert, inferred, text_array, text_type, widened
from xml5tree.arrow.flatcolumns import FlatColumns
from xml5tree.arrow.names import ColumnNames
from xml5tree.arrow.schemas import Schema, given_schema
from xml5tree.arrow.shapes import Shape
from xml5tree.errors.entry import as_line
from xml5tree.errors.policy import MARKS, SameName, check_columns
from xml5tree.errors.wording import number_of
from xml5tree.output.flatrecords import RecordRun
from xml5tree.rows import Fields, check_fields, rescue

if TYPE_CHECKING:
    from xml5tree.record import Record
    from xml5tree.records import Records

__all__ = ["ERRORS", "Batches", "NoRoom", "OnProblem", "Texts", "batch_of", "in_batches"]

#: What to do with values that do not fit their column.
OnProblem = Literal["rescue", "null", "raise"]

#: The type of the column ``_errors``.
ERRORS: Final = pa.list_(pa.string())
_RESCUED: Final = "_rescued"


class _Known(NamedTuple):
    """A column about a record itself, with its type and the functions that return its value of a record or run."""

    kind: pa.DataType
    of_record: Callable[["Record"], Any]
    of_run: Callable[[RecordRun], Iterable[Any]]

    def values(self, records: "Sequence[Record | RecordRun]") -> list[Any]:
        return list(
            chain.from_iterable(
                self.of_run(one) if isinstance(one, RecordRun) else (self.of_record(one),) for one in records
            )
        )


_KNOWN: Final[dict[str, _Known]] = {
    "_number": _Known(pa.int64(), lambda one: one.number, lambda run: range(run.number, run.number + len(run))),
    "_line": _Known(pa.int64(), lambda one: one.line, lambda run: run.lines),
    "_byte_offset": _Known(
        pa.int64(), lambda one: one.byte_offset, lambda run: run.byte_offsets or repeat(None, len(run))
    ),
    "_effect": _Known(pa.string(), lambda one: one.effect, lambda run: run.effects()),
    "_errors": _Known(ERRORS, lambda one: one.errors, lambda run: run.all_errors()),
}
#: A value that the type of such a column has to hold.
_EXAMPLES: Final = {"_effect": "moved", "_errors": ["an error"]}
_LARGE: Final = 2**31 - 1
#: Records whose names are noted for remarks.
_LOOKED_AT: Final = 20
#: Most names in a remark.
_MOST_NAMED: Final = 8


def _check_known(field: pa.Field) -> None:
    """Raise `TypeError` if a column about records has a type that its values do not fit."""
    kind = _KNOWN[field.name].kind
    try:
        pa.array([_EXAMPLES.get(field.name, _LARGE)], kind).cast(field.type)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        usual = str(kind).replace("list<item: string>", "array<string>").replace("int64", "long")
        raise TypeError(f"the column {field.name!r} has the type {usual}; {field.type} cannot hold it") from None


class NoRoom(ValueError):
    """Raised with ``errors="raise"`` for a value that does not fit its column; `sentence` says so without advice."""

    def __init__(self, sentence: str) -> None:
        super().__init__(
            f'{sentence}; errors="rescue" keeps such values in a column of their own, errors="null" drops them'
        )
        self.sentence = sentence

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.sentence,)


class Texts(NamedTuple):
    """Records as columns of text, by name, with the numbers of the records, and the name of their file."""

    columns: dict[str, pa.Array]
    numbers: Sequence[int]
    file: str | None = None


class _Unfit:
    """Values that did not fit a column: how many, of how many files, and the first one in words."""

    def __init__(self, first: str) -> None:
        self.count = self.files = 0
        self._first = first
        self._file: str | None = None  # that of the last one

    def add(self, file: str | None) -> None:
        self.count += 1
        if not self.files or file != self._file:
            self.files += 1
            self._file = file

    def remark(self, column: str) -> str:
        where = f" of {self.files:,} files" if self.files > 1 else ""
        return f"{number_of(self.count, 'value')}{where} did not fit into the column {column!r}: {self._first}"


class Batches:
    """Makes record batches of the records of one document or several, of which `count` have been taken.

    `texts` makes columns of text of records; new and wider columns appear until `freeze` is called. `typed` converts
    them to the types of the schema.
    """

    def __init__(
        self,
        fields: Fields | None,
        schema: Schema,
        *,
        marked: bool,
        errors: OnProblem | None = None,
        file_column: str | None = None,
        first_column: int = 0,
    ) -> None:
        """Set the columns.

        Args:
            fields: as for `xml5tree.records`.
            schema: as for `xml5tree.record_batches`.
            marked: whether the columns of the marks are added where there is no schema.
            errors: what to do with values that do not fit; None: ``"null"`` with a schema, else ``"raise"``.
            file_column: the name of a column for the name of the file, or None.
            first_column: the number of a line's first column in ``_errors``.

        Raises:
            TypeError: `fields` is no mapping; `schema` is no schema, or has a type that text cannot be converted to.
            ValueError: the schema cannot be read, `errors` is unknown, or a column has two meanings.
        """
        if errors not in (None, "rescue", "null", "raise"):
            raise ValueError(f'errors must be "rescue", "null" or "raise", not {errors!r}')
        if fields is not None:
            check_fields(fields)
        self._fields = fields
        self._file_column = file_column
        self._first_column = first_column
        self._given = given_schema(schema)
        self._infers = isinstance(schema, str) and self._given is None
        self._errors: OnProblem = errors or ("raise" if self._given is None else "null")
        self._marks = MARKS if marked else ()
        self._about = self._names_about(errors)
        self._check_names()
        self._schema: pa.Schema | None = None
        self._frozen_at = 0  # records before the schema was inferred
        self._shape = Shape() if fields is None and self._given is None else None
        self._names: ColumnNames | None = None
        self._texts: dict[str, pa.DataType] = {}  # types of the columns of values
        if self._given is not None:
            for field in self._given:
                if field.name in _KNOWN:
                    _check_known(field)
                if not self._is_known(field.name):
                    check_type(field.type, field.name)
                    self._texts[field.name] = text_type(field.type)
            if fields is None:
                self._names = ColumnNames(self._texts)
        elif fields is not None:
            text = pa.string()
            self._texts = {name: text if isinstance(path, str) else pa.list_(text) for name, path in fields.items()}
        # says which records are read without elements where there are no fields
        self._flat = FlatColumns(None if self._given is None else self._texts) if fields is None else None
        self.count = 0
        self._filled: set[str] = set()
        self._inside: Counter[str] = Counter()  # names in the first records, if values are found by paths
        self._unfit: dict[str, _Unfit] = {}  # by column

    @property
    def is_open(self) -> bool:
        """Whether columns or their types are inferred from the records."""
        return self._given is None and (self._shape is not None or self._infers)

    def _names_about(self, errors: OnProblem | None) -> frozenset[str]:
        """Return the names of columns, but for that of the file, whose values are not found by paths or names."""
        names = {*self._marks} if self._given is None else {*self._given.names} & {*_KNOWN, _RESCUED}
        return frozenset([*names, _RESCUED] if errors == "rescue" else names)

    def _check_names(self) -> None:
        """Raise `ValueError` if a column would have two meanings."""
        check_columns(self._fields or (), self._about)
        name = self._file_column
        others = self._about.union(self._fields or ())
        if self._fields is None and self._given is not None:
            others = others.union(self._given.names)
        if name in others:
            raise ValueError(f"file_column has the name {name!r}, which another column has, too")

    def _is_known(self, name: str) -> bool:
        return name in self._about or name == self._file_column

    # Text -----------------------------------------------------------------------------------------------------------

    def with_runs(self, found: "Records") -> "Iterator[Record | RecordRun]":
        """Yield the records of a document that has not begun, in runs where these have the columns."""
        has_byte_offsets = self._given is not None and "_byte_offset" in self._given.names
        for record in found._with_runs(self._fields, self._flat, tells_bytes=has_byte_offsets):
            if self._flat is not None and not isinstance(record, RecordRun):
                self._flat.see(record._values())
            yield record

    def texts(
        self,
        records: "Sequence[Record | RecordRun]",
        finders: Mapping[str, Callable[[Any], Any]] | None,
        file: str | None,
    ) -> Texts:
        """Return some records as columns of text.

        `finders` find the values of `fields` in elements; without them, the records themselves are asked. Without
        `fields`, runs are those of `with_runs`. `file` is the name of their file. Raises `ValueError` for
        a value that does not fit an inferred column, and `NoRoom` for others with ``errors="raise"``.
        """
        problems: list[Problem] = []
        columns: list[Values]
        if self._fields is not None:
            self._note_inside(records)
            names = list(self._texts)
            columns = _found(records, finders, names)
        elif self._shape is not None:
            rows = _with_runs(self._look_at(_alone(records), file), records)
            names = list(self._texts)
            columns = [[[row.get(name) for row in rows]] for name in names]
        else:
            assert self._names is not None
            rows = [record._values() for record in _alone(records)]
            for row in rows:
                self._names.see(row)
            rows = _with_runs(rows, records)
            names = list(self._texts)
            others = map(self._names.name_of, names)
            columns = [
                [[row[name] if name in row else row.get(other) for row in rows]]
                for name, other in zip(names, others, strict=True)
            ]
        arrays = {
            name: text_array(parts, self._texts[name], name, problems)
            for name, parts in zip(names, columns, strict=True)
        }
        if self._flat is not None and any(isinstance(one, RecordRun) for one in records):
            sizes = [len(one) if isinstance(one, RecordRun) else 1 for one in records]
            for name, array in arrays.items():
                found = self._flat.array(name, self._texts[name], records, sizes)
                if found is not None:
                    arrays[name] = pc.coalesce(found, array) if rows else found
                elif not rows:
                    arrays[name] = pa.nulls(sum(sizes), self._texts[name])
        for name in (*self._marks, *(self._given.names if self._given is not None else ())):
            if name in _KNOWN:
                values = _KNOWN[name].values(records)
                if name == "_errors":
                    values = [[as_line(entry, self._first_column) for entry in entries] for entries in values]
                arrays[name] = pa.array(values, _KNOWN[name].kind)
        numbers = _KNOWN["_number"].values(records)
        if self._file_column is not None:
            arrays[self._file_column] = pa.array([file] * len(numbers), pa.string())
        self._note_filled(arrays)
        texts = Texts(arrays, numbers, file)
        self.count += len(numbers)
        return self._with_problems(texts, problems) if problems else texts

    def _look_at(self, records: "Sequence[Record]", file: str | None) -> list[dict[str, Any]]:
        """Return the values of records, after adding columns, or raise ValueError if frozen columns do not fit."""
        assert self._shape is not None
        rows = [record._values() for record in records]
        see = self._shape.see
        has_grown = False
        for record, row in zip(records, rows, strict=True):
            change = see(row)
            if change:
                has_grown = True
                place = f"{_before(file)}record {record.number:,} (line {record.line:,})"
                for name in filter(self._is_known, row):
                    raise SameName(place, name)
                if self._schema is not None:
                    raise ValueError(
                        f"{place} has {change}, and the schema, found in the first "
                        f"{number_of(self._frozen_at, 'record')}, has not: give it as schema=, take a larger sample=, "
                        "or use read_table, which looks at all records first"
                    )
        if has_grown:
            self._texts = {name: inner.type() for name, inner in self._shape.fields.items()}
        return rows

    def _note_inside(self, records: "Sequence[Record | RecordRun]") -> None:
        if self.count < _LOOKED_AT:
            for record in records[: _LOOKED_AT - self.count]:
                if not isinstance(record, RecordRun) and record.element is not None:
                    self._inside.update(child.tag for child in record.element if isinstance(child.tag, str))
                    self._inside.update(f"@{name}" for name in record.element.attrib)

    def _note_filled(self, arrays: Mapping[str, pa.Array]) -> None:
        for name, array in arrays.items():
            if name not in self._filled:
                values = array.flatten() if pa.types.is_list(array.type) else array
                if values.null_count < len(values):
                    self._filled.add(name)

    def _with_problems(self, texts: Texts, problems: list[Problem]) -> Texts:
        """Return the columns of records, with values that did not fit in the columns asked for, or raise `NoRoom`."""
        columns, numbers, file = texts
        if self._errors == "raise":
            first = min(problems)
            place = f"{_before(file)}record {numbers[first.row]:,}, column {first.column!r}"
            raise NoRoom(f"{place}: {first.sentence}")
        if self._errors == "rescue":
            columns = columns | {_RESCUED: _rescued(columns.get(_RESCUED), problems, len(numbers))}
        else:
            for problem in problems:
                if problem.column not in self._unfit:
                    place = f"{_before(file)}record {numbers[problem.row]:,}"
                    self._unfit[problem.column] = _Unfit(f"{problem.sentence} ({place})")
                self._unfit[problem.column].add(file)
        if "_errors" in columns:
            lists = columns["_errors"].to_pylist()
            for problem in problems:
                lists[problem.row] = [*(lists[problem.row] or ()), f"column {problem.column!r}: {problem.sentence}"]
            columns = columns | {"_errors": pa.array(lists, ERRORS)}
        return Texts(columns, numbers, file)

    # Types ----------------------------------------------------------------------------------------------------------

    def freeze(self, batches: Sequence[Texts]) -> pa.Schema:
        """Infer the schema from the records so far, and add no columns after that."""
        if self._given is not None:
            fields = list(self._given)
        else:
            kinds = dict(self._texts)
            if self._infers:
                for name, kind in kinds.items():
                    parts = [widened(one.columns[name], kind) for one in batches if name in one.columns]
                    kinds[name] = inferred(parts, kind)
            fields = [pa.field(name, kind) for name, kind in kinds.items()]
            fields += [pa.field(name, _KNOWN[name][0]) for name in self._marks]
            if self._file_column is not None:
                fields.insert(0, pa.field(self._file_column, pa.string()))
        names = {field.name for field in fields}
        if self._file_column is not None and self._file_column not in names:
            fields.append(pa.field(self._file_column, pa.string()))
        if self._errors == "rescue" and _RESCUED not in names:
            fields.append(pa.field(_RESCUED, pa.string()))
        self._frozen_at = self.count
        self._schema = pa.schema(fields, self._given.metadata if self._given is not None else None)
        return self._schema

    def typed(self, texts: Texts) -> pa.RecordBatch:
        """Return columns of text converted to the schema's types; raise `NoRoom` with ``errors="raise"``."""
        assert self._schema is not None
        problems: list[Problem] = []
        found = {}
        columns, numbers, file = texts
        for field in self._schema:
            name, kind = field.name, field.type
            column = columns.get(name)
            if column is None:
                found[name] = pa.nulls(len(numbers), kind)
            elif self._is_known(name):
                found[name] = column if column.type == kind else column.cast(kind)
            else:
                found[name] = convert(widened(column, text_type(kind)), kind, name, problems)
        if problems:
            found = self._with_problems(Texts(found, numbers, file), problems).columns
        return batch_of(found, self._schema, len(numbers))

    # Remarks --------------------------------------------------------------------------------------------------------

    def remarks(self) -> list[str]:
        """Return sentences about columns without a value, and about values that did not fit."""
        if not self.count:
            return []
        remarks = [
            f"{unfit.remark(name)}; errors='rescue' would keep such values" for name, unfit in self._unfit.items()
        ]
        columns = self._texts if self._shape is None else ()
        empty = [name for name in columns if name not in self._filled]
        if empty:
            seen = self._names.unused() if self._names is not None else [name for name, _ in self._inside.most_common()]
            others = [name for name in seen if name not in columns][:_MOST_NAMED]
            words = f"; the records have {', '.join(map(repr, others))}" if others else ""
            what = "column" if len(empty) == 1 else "columns"
            remarks.append(f"no record had a value in the {what} {', '.join(map(repr, empty[:_MOST_NAMED]))}{words}")
        if self._names is not None:
            remarks += self._names.doubts
        return remarks


def in_batches(found: "Iterable[Record | RecordRun]", size: int) -> "Iterator[list[Record | RecordRun]]":
    """Yield records and runs of records, up to `size` records at a time."""
    batch: list[Record | RecordRun] = []
    room = size
    for one in found:
        count = len(one) if isinstance(one, RecordRun) else 1
        taken = 0
        while taken < count:
            more = min(room, count - taken)
            batch.append(one.part(taken, taken + more) if isinstance(one, RecordRun) else one)
            taken += more
            room -= more
            if not room:
                yield batch
                batch, room = [], size
    if batch:
        yield batch


def _before(file: str | None) -> str:
    """Return what is before a sentence about a record of a file."""
    return "" if file is None else f"{file}: "


def _alone(records: "Sequence[Record | RecordRun]") -> "list[Record]":
    return [record for record in records if not isinstance(record, RecordRun)]


def _with_runs(rows: list[dict[str, Any]], records: "Sequence[Record | RecordRun]") -> list[dict[str, Any]]:
    """Return the values of records, and between them none for each in a run; nothing if all are in runs."""
    if not rows or len(rows) == len(records):
        return rows
    others = iter(rows)
    return [row for one in records for row in ([{}] * len(one) if isinstance(one, RecordRun) else [next(others)])]


def _found(
    records: "Sequence[Record | RecordRun]", finders: Mapping[str, Callable[[Any], Any]] | None, names: Sequence[str]
) -> list[Values]:
    """Return the values of the columns with these names; for arguments see `Batches.texts`."""
    columns: dict[str, Values] = {name: [] for name in names}
    for is_run, group in groupby(records, key=lambda one: isinstance(one, RecordRun)):
        some = list(group)
        if is_run:
            for run in cast("list[RecordRun]", some):
                for name, parts in columns.items():
                    values = run.columns.get(name)
                    parts.append([None] * len(run) if values is None else values)
        elif finders is None:
            rows = [record._values() for record in _alone(some)]
            for name, parts in columns.items():
                parts.append([row.get(name) for row in rows])
        else:
            elements = [record.element for record in _alone(some)]
            for name, parts in columns.items():
                find = finders.get(name)
                parts.append([None] * len(elements) if find is None else [*map(find, elements)])
    return list(columns.values())


def _rescued(column: pa.Array | None, problems: Sequence[Problem], count: int) -> pa.Array:
    """Return a column of JSON with its own content, and the values that did not fit, by column name."""
    texts: list[str | None] = [None] * count if column is None else column.to_pylist()
    kept: dict[int, dict[str, Any]] = {}
    for problem in problems:
        row = kept.setdefault(problem.row, json.loads(texts[problem.row] or "{}"))
        rescue(row, [problem.column], problem.text)
    for number, values in kept.items():
        texts[number] = json.dumps(values, ensure_ascii=False)
    return pa.array(texts, pa.string())


def batch_of(columns: Mapping[str, pa.Array], schema: pa.Schema, count: int) -> pa.RecordBatch:
    """Return a record batch, which has its number of records even without columns."""
    if not columns:
        return pa.RecordBatch.from_struct_array(pa.array([{}] * count, pa.struct([])))
    return pa.RecordBatch.from_arrays([columns[name] for name in schema.names], schema=schema)
