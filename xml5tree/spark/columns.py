"""Arrow columns of records, which the compiled reader of markup finds without elements."""

from collections.abc import Mapping, Sequence
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from xml5tree.arrow.conversion import DATE, TIME, read_whole, rows_of, with_items
from xml5tree.arrow.notation import Notation
from xml5tree.columns import EXACT, LEAF, LIST, SINGLE, STRUCTURE, TEXT, Node
from xml5tree.spark.options import SparkOptions
from xml5tree.spark.rows import Rows

#: Forms of text, by type, that Arrow reads as Spark does, and the options that give another; 18 digits surely fit.
_FORMS: Final = (
    (pa.types.is_signed_integer, "^-?[0-9]{1,18}$", ""),
    (pa.types.is_floating, r"^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$", ""),
    (pa.types.is_date, DATE, "dateFormat"),
    (lambda kind: pa.types.is_timestamp(kind) and kind.tz is not None, TIME, "timestampFormat"),
)


class RecordColumns:
    """Makes columns of a schema of the records of a file.

    Attributes:
        nodes: what the reader is to look for, by name; None where columns or options need elements.
    """

    def __init__(self, schema: pa.Schema, options: SparkOptions, rows: Rows) -> None:
        """Set the columns; `rows` converts text."""
        self._options = options
        self._rows = rows
        self._fields = list(schema)
        self._notation = Notation(nulls=() if options.nullValue is None else (options.nullValue,))
        self._forms = [(is_of, form) for is_of, form, option in _FORMS if getattr(options, option, None) is None]
        needs_elements = options.ignoreNamespace or options.excludeAttribute or options.rescuedDataColumn
        # as does the text directly in a record
        is_plain = not needs_elements and options.attributePrefix and options.valueTag not in schema.names
        self.nodes = self._members(self._fields) if is_plain and schema.names else None

    # Nodes ------------------------------------------------------------------------------------------------------------

    def _name(self, field: pa.Field) -> str:
        """Return the name of the member that a field has the values of."""
        prefix = self._options.attributePrefix
        if field.name == self._options.valueTag:
            return TEXT
        is_attribute = field.name.startswith(prefix) and not pa.types.is_nested(field.type)
        return f"@{field.name.removeprefix(prefix)}" if is_attribute else str(field.name)

    def _members(self, fields: list[pa.Field]) -> dict[str, Node] | None:
        """Return what is wanted of members; an element with the name of an attribute's column needs elements."""
        found: dict[str, Node] = {}
        for field in fields:
            name, node = self._name(field), self._node(field.type)
            if node is None or (name == TEXT and pa.types.is_nested(field.type)):
                return None
            found[name] = node
            if name[:1] == "@":
                found[field.name] = Node(EXACT | LEAF | STRUCTURE, {})
        return found

    def _node(self, kind: pa.DataType) -> Node | None:
        is_list = pa.types.is_list(kind)
        inner = kind.value_type if is_list else kind
        flags = EXACT | (LIST if is_list else SINGLE)
        if not pa.types.is_nested(inner):
            return Node(flags | LEAF, {})
        members = self._members(list(inner)) if pa.types.is_struct(inner) and inner.num_fields else None
        if members is None:
            return None
        return Node(flags | STRUCTURE | (LEAF if TEXT in members else 0), members)

    # Columns ----------------------------------------------------------------------------------------------------------

    def find(
        self, values: Mapping[str, pa.Array], size: int, fields: Sequence[pa.Field] | None = None
    ) -> tuple[dict[str, pa.Array], set[int]]:
        """Return columns, by those of their text, and the indices of values that need elements.

        `fields` are those of structures; None: those of records.
        """
        columns: dict[str, pa.Array] = {}
        bad: set[int] = set()
        for field in self._fields if fields is None else fields:
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
            return with_items(array, items, kind), {*rows_of(bad, array)}
        if pa.types.is_struct(kind):
            values = {field.name: array.field(number) for number, field in enumerate(array.type)}
            columns, bad = self.find(values, size, list(kind))
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
