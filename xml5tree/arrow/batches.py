"""Makes record batches of records.

Columns are text first, which is then converted as a whole.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast, get_args

import pyarrow as pa

from xml5tree.arrow.conversion import Problem, Values, check_type, convert, inferred, text_array, text_type, widened
from xml5tree.arrow.layouts import array_of, members_of, node_of, replaced
from xml5tree.arrow.names import ColumnNames
from xml5tree.arrow.notation import Notation
from xml5tree.arrow.schemas import Schema, given_schema
from xml5tree.arrow.shapes import Shape
from xml5tree.columns import MOST_SEEN, Found, Node
from xml5tree.errors.policy import MARKS, RANGE_MARKS, BadValues, SameName, check_columns
from xml5tree.errors.wording import number_of
from xml5tree.record import RecordRun
from xml5tree.rows import Fields, check_fields, make_rows, rescue

if TYPE_CHECKING:
    from xml5tree.ranges import RangeRecords
    from xml5tree.records import Records


#: The type of the column ``_errors``.
ERRORS: Final = pa.list_(pa.string())
_RESCUED: Final = "_rescued"


#: Columns about a record itself: names of facts in `Record`, with a low line before, and types.
_KNOWN: Final = {
    **dict.fromkeys(("_number", "_line", "_byte_offset"), pa.int64()),
    "_complete": pa.bool_(),
    "_effect": pa.string(),
    "_confidence": pa.float64(),
    "_errors": ERRORS,
}
#: A value that the type of such a column has to hold.
_EXAMPLES: Final = {"_complete": True, "_effect": "moved", "_confidence": 0.5, "_errors": ["an error"]}
_LARGE: Final = 2**31 - 1
#: Most names in a remark.
_MOST_NAMED: Final = 8


def _check_known(field: pa.Field) -> None:
    """Raise `TypeError` if a column about records has a type that its values do not fit."""
    kind = _KNOWN[field.name]
    try:
        pa.array([_EXAMPLES.get(field.name, _LARGE)], kind).cast(field.type)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        usual = str(kind).replace("list<item: string>", "array<string>").replace("int64", "long")
        raise TypeError(f"the column {field.name!r} has the type {usual}; {field.type} cannot hold it") from None


class NoRoom(ValueError):
    """Raised with ``bad_values="raise"`` for a value that does not fit its column; `sentence` is without advice."""

    def __init__(self, sentence: str) -> None:
        super().__init__(
            f'{sentence}; bad_values="rescue" keeps such values in a column of their own, bad_values="null" drops them'
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
        bad_values: BadValues | None = None,
        file_column: str | None = None,
        first_column: int = 0,
        in_ranges: bool = False,
        **notation: Any,
    ) -> None:
        """Set the columns.

        Args:
            fields: as for `xml5tree.records`.
            schema: as for `xml5tree.record_batches`.
            marked: whether the columns of the marks are added where there is no schema.
            bad_values: what to do with values that do not fit; None: ``"null"`` with a schema, else ``"raise"``.
            file_column: the name of a column for the name of the file, or None.
            first_column: the number of a line's first column in ``_errors``.
            in_ranges: whether the records are those of ranges, whose marks are others.
            **notation: the arguments of `Notation.make`.

        Raises:
            TypeError: `fields` is no mapping; `schema` is no schema, or has a type that text cannot be converted to.
            ValueError: the schema cannot be read, an option's value is unknown, or a column has two meanings.
        """
        if bad_values not in (None, *get_args(BadValues)):
            raise ValueError(f'bad_values must be "rescue", "null", "skip" or "raise", not {bad_values!r}')
        if fields is not None:
            check_fields(fields)
        self._fields = fields
        self._file_column = file_column or ("_file" if marked and in_ranges else None)
        self._first_column = first_column
        self._given = given_schema(schema)
        self._infers = isinstance(schema, str) and self._given is None
        self._notation = Notation.make(**notation)
        if schema is None and self._notation != Notation(nulls=self._notation.nulls):
            raise ValueError('decimal, thousands and dates are for types: give a schema, or schema="infer"')
        self._bad_values: BadValues = bad_values or ("raise" if self._given is None else "null")
        self._marks = () if not marked else RANGE_MARKS if in_ranges else MARKS
        self._about = self._names_about(bad_values)
        self._check_names()
        facts = {*self._marks, *(self._given.names if self._given is not None else ())}
        self._facts = [name for name in _KNOWN if name in facts]
        self._schema: pa.Schema | None = None
        self._frozen_at = 0  # records before the schema was inferred
        self._shape = Shape() if fields is None and self._given is None else None
        self._names: ColumnNames | None = None
        self._nodes: dict[str, Node] = {}  # what is wanted of the columns that are found by names
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
        self.count = 0
        self._filled: set[str] = set()
        self._inside: dict[str, None] = {}  # names in the records, if values are found by paths
        self._unfit: dict[str, _Unfit] = {}  # by column

    @property
    def is_open(self) -> bool:
        """Whether columns or their types are inferred from the records."""
        return self._given is None and (self._shape is not None or self._infers)

    def _names_about(self, bad_values: BadValues | None) -> frozenset[str]:
        """Return the names of columns, but for that of the file, whose values are not found by paths or names."""
        names = {*self._marks} if self._given is None else {*self._given.names} & {*_KNOWN, _RESCUED}
        return frozenset([*names, _RESCUED] if bad_values == "rescue" else names)

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

    def runs_of(self, found: "Records | RangeRecords", size: int) -> Iterator[RecordRun]:
        """Yield the records of a document that has not begun as runs of up to `size`."""
        has_byte_offsets = self._given is not None and "_byte_offset" in self._given.names
        found._give_runs(tells_bytes=has_byte_offsets, size=size)
        if self._names is None:
            found._make_columns(self._fields)
        else:
            nodes = {name: node_of(kind) for name, kind in self._texts.items()}
            self._nodes = {name: node for name, node in nodes.items() if node is not None}
            if len(self._nodes) == len(nodes) and self._names.is_clear(self._nodes):
                found._make_columns(None, partial(self._names.wanted, self._nodes))
        return cast("Iterator[RecordRun]", iter(found))

    def texts(self, runs: Sequence[RecordRun], file: str | None) -> Texts:
        """Return runs of records as columns of text; `file` is the name of their file.

        Raises `ValueError` for a value that does not fit an inferred column, and `NoRoom` for
        others with ``bad_values="raise"``.
        """
        problems: list[Problem] = []
        run = RecordRun.joined(runs)
        arrays = self._of_elements(run, file, problems) if run.found is None else self._of_run(run, file, problems)
        numbers = run.numbers
        for name in self._facts:
            arrays[name] = pa.array(run.facts(name[1:], self._first_column), _KNOWN[name])
        if self._file_column is not None:
            arrays[self._file_column] = pa.array([file] * len(numbers), pa.string())
        self._note_filled(arrays)
        texts = Texts(arrays, numbers, file)
        self.count += len(numbers)
        return self._with_problems(texts, problems) if problems else texts

    def _of_elements(self, run: RecordRun, file: str | None, problems: list[Problem]) -> dict[str, pa.Array]:
        if self._fields is not None:
            is_asked = len(self._inside) < MOST_SEEN and not self._filled.issuperset(self._fields)
            for element in run.elements or () if is_asked else ():
                self._inside.update(dict.fromkeys(child.tag for child in element if isinstance(child.tag, str)))
                self._inside.update(dict.fromkeys(f"@{name}" for name in element.attrib))
        rows = run.nested()
        if self._shape is not None:
            self._look_at(rows, run, file)
        return self._arrays(self._in_rows(rows), problems)

    def _arrays(self, columns: "list[Values]", problems: list[Problem]) -> dict[str, pa.Array]:
        return {
            name: text_array(values, kind, name, problems)
            for (name, kind), values in zip(self._texts.items(), columns, strict=True)
        }

    def _in_rows(self, rows: Sequence[dict[str, Any]]) -> "list[Values]":
        """Return the values of columns in nested dictionaries."""
        if self._names is None:
            return [[row.get(name) for row in rows] for name in self._texts]
        for row in rows:
            self._names.see(row)
        others = map(self._names.name_of, self._texts)
        return [
            [row[name] if name in row else row.get(other) for row in rows]
            for name, other in zip(self._texts, others, strict=True)
        ]

    # Values without elements ----------------------------------------------------------------------------------------

    def _of_run(self, run: RecordRun, file: str | None, problems: list[Problem]) -> dict[str, pa.Array]:
        found = run.found
        assert found is not None
        if self._fields is not None:
            self._inside.update(dict.fromkeys(found.seen))
            values = dict(zip(self._fields, map(array_of, found.values), strict=True))
            return {name: self._fitting(values.get(name), name, found.size, problems) for name in self._texts}
        shape = Shape()
        arrays = members_of(found.values, shape)
        if self._shape is not None and not self._shape.holds(shape):
            if found.is_disordered or self._schema is not None or any(map(self._is_known, shape.fields)):
                self._look_at(self._rows(found, range(found.size)), run, file)
            self._shape.widen(shape)
            self._texts = {name: inner.type() for name, inner in self._shape.fields.items()}
        is_known = self._shape is not None or self._choose(found, arrays)
        irregular = found.odd_rows if is_known else range(found.size)
        columns = {name: self._fitting(arrays.get(name), name, found.size, problems) for name in self._texts}
        if irregular:
            others: list[Problem] = []
            by_element = self._arrays(self._in_rows(self._rows(found, irregular)), others)
            problems += [problem._replace(row=irregular[problem.row]) for problem in others]
            places = {row: place for place, row in enumerate(irregular)}
            columns = {name: replaced(array, places, by_element[name]) for name, array in columns.items()}
        return columns

    def _fitting(self, array: pa.Array | None, name: str, size: int, problems: list[Problem]) -> pa.Array:
        """Return a column of text as its type is; if that is of `fields`, values may not fit."""
        kind = self._texts[name]
        if array is None:
            return pa.nulls(size, kind)
        if self._fields is not None and array.type != kind:
            return text_array(array.to_pylist(), kind, name, problems)
        return widened(array, kind)

    def _choose(self, found: Found, arrays: dict[str, pa.Array]) -> bool:
        """Put the values of members of other names into columns; return whether that can be, as a column has one."""
        assert self._names is not None
        firsts = {name: first for name, first, _ in found.values}
        together: dict[int, dict[str, None]] = {}  # names that come first in the same record
        for name, first in firsts.items():
            together.setdefault(first, {})[name] = None
        for name in sorted(firsts, key=firsts.__getitem__):  # an inner record comes before the one around it
            self._names.see(together[firsts[name]])
        for name in found.seen:
            # those that are wanted, and not there, come in a record that has not been taken
            if name not in firsts and self._names.wanted(self._nodes, name) is None:
                self._names.see({name: None})
        for name in self._texts:
            other = self._names.name_of(name)
            if other != name and other in arrays:
                if name in arrays:
                    return False
                arrays[name] = arrays[other]
        return True

    def _rows(self, found: Found, rows: Iterable[int]) -> list[dict[str, Any]]:
        """Return some records as nested dictionaries."""
        values = make_rows(None, found.prefixes)
        return [values(found.element(row)) for row in rows]

    # Columns that are found out -------------------------------------------------------------------------------------

    def _look_at(self, rows: Sequence[dict[str, Any]], run: RecordRun, file: str | None) -> None:
        """Add columns for the values of the records of a run; raise ValueError if frozen ones do not fit."""
        assert self._shape is not None
        see = self._shape.see
        has_grown = False
        for row, number, line in zip(rows, run.numbers, run.lines, strict=True):
            change = see(row)
            if change:
                has_grown = True
                place = f"{_before(file)}record {number:,} (line {line:,})"
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

    def _note_filled(self, arrays: Mapping[str, pa.Array]) -> None:
        for name, array in arrays.items():
            if name not in self._filled:
                values = array.flatten() if pa.types.is_list(array.type) else array
                if values.null_count < len(values):
                    self._filled.add(name)

    def _with_problems(self, texts: Texts, problems: list[Problem]) -> Texts:
        """Return the columns of records, with values that did not fit in the columns asked for, or raise `NoRoom`.

        With ``bad_values="skip"``, records with such values are left out.
        """
        columns, numbers, file = texts
        if self._bad_values == "raise":
            first = min(problems)
            place = f"{_before(file)}record {numbers[first.row]:,}, column {first.column!r}"
            raise NoRoom(f"{place}: {first.sentence}")
        if self._bad_values == "rescue":
            columns = columns | {_RESCUED: _rescued(columns.get(_RESCUED), problems, len(numbers))}
        else:
            for problem in problems:
                if problem.column not in self._unfit:
                    place = f"{_before(file)}record {numbers[problem.row]:,}"
                    self._unfit[problem.column] = _Unfit(f"{problem.sentence} ({place})")
                self._unfit[problem.column].add(file)
        if self._bad_values == "skip":
            bad = {problem.row for problem in problems}
            kept = pa.array([row for row in range(len(numbers)) if row not in bad], pa.int64())
            taken = {name: column.take(kept) for name, column in columns.items()}
            return Texts(taken, [numbers[row] for row in kept.to_pylist()], file)
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
                    kinds[name] = inferred(parts, kind, self._notation)
            fields = [pa.field(name, kind) for name, kind in kinds.items()]
            fields += [pa.field(name, _KNOWN[name]) for name in self._marks]
            if self._file_column is not None:
                fields.insert(0, pa.field(self._file_column, pa.string()))
        names = {field.name for field in fields}
        if self._file_column is not None and self._file_column not in names:
            fields.append(pa.field(self._file_column, pa.string()))
        if self._bad_values == "rescue" and _RESCUED not in names:
            fields.append(pa.field(_RESCUED, pa.string()))
        self._frozen_at = self.count
        self._schema = pa.schema(fields, self._given.metadata if self._given is not None else None)
        return self._schema

    def typed(self, texts: Texts) -> pa.RecordBatch:
        """Return columns of text converted to the schema's types; raise `NoRoom` with ``bad_values="raise"``."""
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
                found[name] = convert(widened(column, text_type(kind)), kind, name, problems, self._notation)
        if problems:
            found, numbers, _ = self._with_problems(Texts(found, numbers, file), problems)
        return batch_of(found, self._schema, len(numbers))

    # Remarks --------------------------------------------------------------------------------------------------------

    def remarks(self) -> list[str]:
        """Return sentences about columns without a value, and about values that did not fit."""
        if not self.count:
            return []
        advice = "bad_values='rescue' would keep such values"
        if self._bad_values == "skip":
            advice = "their records were left out"
        remarks = [f"{unfit.remark(name)}; {advice}" for name, unfit in self._unfit.items()]
        columns = self._texts if self._shape is None else ()
        empty = [name for name in columns if name not in self._filled]
        if empty:
            seen = self._names.unused() if self._names is not None else self._inside
            others = sorted(name for name in seen if name not in columns)[:_MOST_NAMED]
            words = f"; the records have {', '.join(map(repr, others))}" if others else ""
            what = "column" if len(empty) == 1 else "columns"
            remarks.append(f"no record had a value in the {what} {', '.join(map(repr, empty[:_MOST_NAMED]))}{words}")
        if self._names is not None:
            remarks += self._names.doubts
        return remarks


def _before(file: str | None) -> str:
    """Return what is before a sentence about a record of a file."""
    return "" if file is None else f"{file}: "


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
