"""Arrow columns of records of known shapes, without elements."""

# A column is found by its leaves, which are texts and attributes: those of all records of a run at once. Lists and
# structures are put together of their columns.

from collections.abc import Callable, Mapping
from itertools import accumulate, chain
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from xml5tree.output.flatrecords import Buffers, ColumnValues, Path, Shape, joined
from xml5tree.spark.options import SparkOptions
from xml5tree.spark.rows import Rows

__all__ = ["NeedsElements", "ShapedColumns"]

#: Text that is the same number for Arrow as for Python; 18 digits surely fit.
_INTEGER: Final = "^-?[0-9]{1,18}$"

_Values = Mapping[str, ColumnValues]
#: Makes an array of the values of all leaves.
_Make = Callable[[_Values], pa.Array]


class NeedsElements(Exception):
    """Raised for a type whose values are only found in elements."""


class ShapedColumns:
    """Makes columns of a schema of the values at paths in records."""

    def __init__(self, schema: pa.Schema, options: SparkOptions, rows: Rows) -> None:
        """Set the columns; `rows` converts text. Raise `NeedsElements` where elements are needed."""
        self._options = options
        self._rows = rows
        self.paths: dict[str, Path] = {}  # the paths of the values that are needed, by names for them
        self._texts: list[tuple[bytes, ...]] = []  # the paths of elements that have text only
        self._single: list[tuple[tuple[bytes, ...], bool]] = []  # those that come once in their parent; whether always
        self._columns = dict(self._fields(list(schema), (), is_in_list=False))

    def arrays(self, values: _Values) -> dict[str, pa.Array]:
        """Return the columns; values that do not have their type are noted by the `Rows`."""
        return {name: make(values) for name, make in self._columns.items()}

    def accepts(self, shape: Shape) -> bool:
        """Return whether records of a shape have their values in these columns."""
        numbers: dict[tuple[bytes, ...], list[int]] = {}
        for number, element in enumerate(shape.elements):
            numbers.setdefault(element.path, []).append(number)
        for path in self._texts:
            if any(shape.elements[number].text is None for number in numbers.get(path, ())):
                return False
        for path, is_always in self._single:
            parents = [shape.elements[number].parent for number in numbers.get(path, ())]
            if parents != numbers.get(path[:-1], []) if is_always else len({*parents}) < len(parents):
                return False
        return all(
            [number for number, name in shape.attributes.values() if name == path.attribute and number in found]
            == found
            if path.attribute
            else all(shape.elements[number].text is not None for number in found)
            for path in self.paths.values()
            if path.is_all and not path.is_presence
            for found in (numbers.get(path.elements, []),)
        )

    # Columns ----------------------------------------------------------------------------------------------------------

    def _fields(self, fields: list[pa.Field], path: tuple[bytes, ...], *, is_in_list: bool) -> list[tuple[str, _Make]]:
        """Return functions that make the columns of the structure at a path."""
        prefix = self._options.attributePrefix
        found = []
        for field in fields:
            name, kind = field.name, field.type
            inner = (*path, name.encode())
            if name == self._options.valueTag:
                if not path:  # the text directly in the record
                    raise NeedsElements
                found.append((name, self._leaf(kind, Path(path, is_all=is_in_list), lacks_empty=True)))
            elif pa.types.is_list(kind):
                if is_in_list:
                    raise NeedsElements
                found.append((name, self._list(kind, inner)))
            elif name.startswith(prefix) and not pa.types.is_nested(kind):
                leaf = Path(path, name.removeprefix(prefix).encode(), is_all=is_in_list)
                found.append((name, self._leaf(kind, leaf)))
            else:
                self._single.append((inner, is_in_list))
                found.append((name, self._element(kind, inner, is_in_list=is_in_list)))
        return found

    def _element(self, kind: pa.DataType, path: tuple[bytes, ...], *, is_in_list: bool) -> _Make:
        if pa.types.is_struct(kind):
            return self._structure(kind, path, is_in_list=is_in_list)
        self._texts.append(path)
        return self._leaf(kind, Path(path, is_all=is_in_list))

    def _structure(self, kind: pa.DataType, path: tuple[bytes, ...], *, is_in_list: bool) -> _Make:
        columns = self._fields(list(kind), path, is_in_list=is_in_list)
        if not columns:
            raise NeedsElements
        presence = self._name(Path(path, is_all=is_in_list, is_presence=True))

        def make(values: _Values) -> pa.Array:
            arrays = [column(values) for _, column in columns]
            mask = None if is_in_list else pa.array([value is None for value in values[presence]], pa.bool_())
            return pa.StructArray.from_arrays(arrays, fields=list(kind), mask=mask)

        return make

    def _list(self, kind: pa.DataType, path: tuple[bytes, ...]) -> _Make:
        if pa.types.is_list(kind.value_type):
            raise NeedsElements
        items = self._element(kind.value_type, path, is_in_list=True)
        presence = self._name(Path(path, is_all=True, is_presence=True))

        def make(values: _Values) -> pa.Array:
            sizes = [len(one) for one in values[presence]]
            offsets = pa.array(list(accumulate(sizes, initial=0)), pa.int32())
            mask = pa.array([not size for size in sizes], pa.bool_())
            return pa.ListArray.from_arrays(offsets, items(values), type=kind, mask=mask)

        return make

    def _leaf(self, kind: pa.DataType, path: Path, *, lacks_empty: bool = False) -> _Make:
        """Return a function that makes a column of text at a path; with `lacks_empty`, blank text is null."""
        if pa.types.is_nested(kind):
            raise NeedsElements
        convert = self._rows.texts_of(kind)
        name = self._name(path)
        options = self._options
        is_plain = options.nullValue is None and options.ignoreSurroundingSpaces and not path.is_all and not lacks_empty

        def make(values: _Values) -> pa.Array:
            texts: Any = values[name]
            if is_plain and (found := _whole(texts, kind)) is not None:
                return found
            if path.is_all:
                texts = list(chain.from_iterable(texts))
            if lacks_empty:
                texts = [(text.strip() or None) if text else None for text in texts]
            return pa.array(convert(texts), kind)

        return make

    def _name(self, path: Path) -> str:
        name = repr(path)
        self.paths[name] = path
        return name


def _whole(texts: ColumnValues, kind: pa.DataType) -> pa.Array | None:
    """Return a column of trimmed text, or of integers, made without objects for its values; None if that is hard."""
    buffers = joined([texts], is_list=False) if kind == pa.string() or pa.types.is_signed_integer(kind) else None
    if buffers is None:
        return None
    found = pc.utf8_trim_whitespace(from_buffers(buffers, pa.string()))
    if kind == pa.string():
        return found
    if not pc.all(pc.match_substring_regex(found, _INTEGER)).as_py():
        return None
    try:
        return found.cast(pa.int64()).cast(kind)
    except pa.ArrowInvalid:
        return None


def from_buffers(buffers: Buffers, kind: pa.DataType) -> pa.Array:
    """Return a column of text from the buffers that `joined` has returned."""
    count, nulls, validity, ends, *_, text = buffers
    valid = None if validity is None else pa.py_buffer(validity)
    return pa.Array.from_buffers(kind, count, [valid, pa.py_buffer(ends), pa.py_buffer(text)], nulls)
