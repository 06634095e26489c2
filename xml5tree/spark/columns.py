"""Arrow columns of records, which the compiled reader of markup finds without elements."""

from bisect import bisect_right
from collections.abc import Mapping
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from xml5tree.arrow.conversion import DATE, TIME, read_whole
from xml5tree.arrow.notation import Notation
from xml5tree.columns import EXACT, LEAF, LIST, SINGLE, STRUCTURE, TEXT, Node
from xml5tree.recordreader import RecordReader
from xml5tree.spark.names import Names
from xml5tree.spark.options import SparkOptions
from xml5tree.spark.rows import Rows

#: Forms of text, by type, that Arrow reads as Spark does, and the options that give another; 18 digits surely fit.
_FORMS: Final = (
    (pa.types.is_signed_integer, "^-?[0-9]{1,18}$", ""),
    (pa.types.is_floating, r"^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$", ""),
    (pa.types.is_date, DATE, "dateFormat"),
    (lambda kind: pa.types.is_timestamp(kind) and kind.tz is not None, TIME, "timestampFormat"),
)


class _NeedsElements(Exception):
    """Raised for a type whose values are only found in elements."""


class RecordColumns:
    """Makes columns of a schema of the records of a file."""

    def __init__(self, schema: pa.Schema, options: SparkOptions, rows: Rows, names: Names) -> None:
        """Set the columns; `rows` converts text, `names` names elements. Raise `_NeedsElements` if that cannot be."""
        self._options = options
        self._rows = rows
        self._fields = list(schema)
        self._names = names
        self._notation = Notation(nulls=() if options.nullValue is None else (options.nullValue,))
        self._forms = [(is_of, form) for is_of, form, option in _FORMS if getattr(options, option, None) is None]
        if any(field.name == options.valueTag for field in self._fields):  # the text directly in the record
            raise _NeedsElements
        self._nodes = self._members(self._fields)

    @classmethod
    def make(cls, schema: pa.Schema, options: SparkOptions, rows: Rows, names: Names) -> "RecordColumns | None":
        """Return a maker of columns; None where columns or options need elements."""
        needs_elements = options.ignoreNamespace or options.excludeAttribute or options.rescuedDataColumn
        if needs_elements or not options.attributePrefix or not schema.names:
            return None
        try:
            return cls(schema, options, rows, names)
        except _NeedsElements:
            return None

    def prepare(self, reader: RecordReader) -> None:
        """Have a reader find the values."""
        reader.make_columns(None, self._nodes.get, self._written)

    def _written(self, name: str, _: str, is_attribute: bool) -> str:
        return (self._names.attribute if is_attribute else self._names.element)(name)

    def find(self, values: Mapping[str, pa.Array], size: int) -> tuple[dict[str, pa.Array], set[int]]:
        """Return the columns of records by the columns of their text, and the indices of records that need elements."""
        return self._columns(self._fields, values, size)

    # Nodes ------------------------------------------------------------------------------------------------------------

    def _name(self, field: pa.Field) -> str:
        """Return the name of the member that a field has the values of."""
        prefix = self._options.attributePrefix
        if field.name == self._options.valueTag:
            return TEXT
        is_attribute = field.name.startswith(prefix) and not pa.types.is_nested(field.type)
        return f"@{field.name.removeprefix(prefix)}" if is_attribute else str(field.name)

    def _members(self, fields: list[pa.Field]) -> dict[str, Node]:
        """Return what is wanted of members; an element with the name of an attribute's column needs elements."""
        found = {self._name(field): self._node(field.type) for field in fields}
        others = (field.name for field in fields if self._name(field)[:1] == "@")
        return found | {name: Node(EXACT | LEAF | STRUCTURE, {}) for name in others}

    def _node(self, kind: pa.DataType) -> Node:
        is_list = pa.types.is_list(kind)
        inner = kind.value_type if is_list else kind
        flags = EXACT | (LIST if is_list else SINGLE)
        if pa.types.is_struct(inner) and inner.num_fields:
            texts = [field.type for field in inner if field.name == self._options.valueTag]
            if any(map(pa.types.is_nested, texts)):
                raise _NeedsElements
            return Node(flags | STRUCTURE | (LEAF if texts else 0), self._members(list(inner)))
        if pa.types.is_nested(inner):
            raise _NeedsElements
        return Node(flags | LEAF, {})

    # Columns ----------------------------------------------------------------------------------------------------------

    def _columns(
        self, fields: list[pa.Field], values: Mapping[str, pa.Array], size: int
    ) -> tuple[dict[str, pa.Array], set[int]]:
        columns: dict[str, pa.Array] = {}
        bad: set[int] = set()
        for field in fields:
            name = self._name(field)
            if name[:1] == "@" and field.name in values:  # an element
                bad.update(_indices(values[field.name].is_valid()))
            columns[field.name], others = self._column(field.type, values.get(name), size, lacks_empty=name == TEXT)
            bad |= others
        return columns, bad

    def _column(
        self, kind: pa.DataType, array: pa.Array | None, size: int, *, lacks_empty: bool = False
    ) -> tuple[pa.Array, set[int]]:
        """Return text, or lists or structures of text, as a type, and the indices of values that do not fit.

        With `lacks_empty`, blank text is null.
        """
        if array is None:
            return pa.nulls(size, kind), set()
        if pa.types.is_list(kind):
            items, bad = self._column(kind.value_type, array.values, len(array.values))
            ends = array.offsets.to_pylist() if bad else []
            lists = pa.ListArray.from_arrays(array.offsets, items, type=kind, mask=array.is_null())
            return lists, {bisect_right(ends, item) - 1 for item in bad}
        if pa.types.is_struct(kind):
            values = {field.name: array.field(number) for number, field in enumerate(array.type)}
            columns, bad = self._columns(list(kind), values, size)
            return pa.StructArray.from_arrays(list(columns.values()), fields=list(kind), mask=array.is_null()), bad
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            return self._strings(array, lacks_empty=lacks_empty).cast(kind), set()
        texts = self._notation.values(array)
        form = next((form for is_of, form in self._forms if is_of(kind)), None)
        if form is not None and pc.all(pc.match_substring_regex(texts, form), min_count=0).as_py():
            found = read_whole(texts, kind)
            if found is not None:
                return found, set()
        convert = self._rows.of_text(kind)
        found = pa.array([None if text is None else convert(text, "") for text in texts.to_pylist()], kind)
        return found, {*_indices(pc.and_(found.is_null(), texts.is_valid()))}

    def _strings(self, array: pa.Array, *, lacks_empty: bool) -> pa.Array:
        if lacks_empty:
            return self._notation.values(array)
        if self._options.ignoreSurroundingSpaces:
            array = pc.utf8_trim_whitespace(array)
        null = self._options.nullValue
        return array if null is None else pc.if_else(pc.equal(array, null), pa.scalar(None, pa.string()), array)


def _indices(mask: pa.Array) -> list[int]:
    found: list[int] = pc.indices_nonzero(mask).to_pylist()
    return found
