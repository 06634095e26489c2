"""Columns of flat records that are made without their elements, where no `fields` say which values they have."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import chain, groupby, pairwise
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from xml5tree.arrow.conversion import text_array, widened, without_space
from xml5tree.arrow.shapes import TEXT, Shape
from xml5tree.output.flatrecords import ANY_ATTRIBUTE, ColumnValues, Path, RecordRun
from xml5tree.output.flatrecords import Shape as RecordShape

if TYPE_CHECKING:
    from xml5tree.record import Record

__all__ = ["FlatColumns"]

#: A name whose column, if the schema is given, is no other's.
_NAME: Final = re.compile(rb"[^:{]+")
_STRING: Final = pa.string()
#: Records with other names than the first ones are read as elements: finding values takes time for each name that is
#: known, in each run.
_MOST_NAMES: Final = 300
#: Stands for the attributes of an element among the names in its structure.
_ANY: Final = ""


class FlatColumns:
    """Says which records are read without elements, and makes columns of their values.

    These are flat records whose columns, lists and structures have been in records that were read as elements, which
    `see` is told of. So nothing about the columns is to be found out from them.
    """

    def __init__(self, kinds: Mapping[str, pa.DataType] | None) -> None:
        """Set the types of text of the columns of a schema; None: they are those of the records."""
        self.paths: dict[str, Path] = {}  # the paths of what is in the columns
        self._is_given = kinds is not None
        self._shape = Shape()  # that of the records, if there is no schema
        self._names: set[str] = set()  # the names in records
        self._has_seen = False
        self._kinds: dict[str, pa.DataType] = {}
        # by column, its types that could be asked for, the last one last, each with the paths of what is in it
        self._asked: dict[str, list[tuple[pa.DataType, dict[str, Path]]]] = {}
        self._add(kinds or {})

    def _add(self, kinds: Mapping[str, pa.DataType]) -> None:
        self._kinds.update(kinds)
        for name, kind in kinds.items():
            asked = self._asked.setdefault(name, [])
            paths = _paths(name, kind)
            if paths and not (asked and asked[-1][0] == kind):
                asked.append((kind, paths))
                self.paths |= {repr(path): path for path in paths.values()}

    def see(self, row: Mapping[str, Any]) -> None:
        """Take note of the values of a record that was read as an element."""
        self._has_seen = True
        if len(self._names) < _MOST_NAMES:
            self._names.update(row)
        if not self._is_given and self._shape.see(row):
            self._add({name: self._shape.fields[name].type() for name in row if name in self._names})

    def accepts(self, shape: RecordShape) -> bool:
        """Return whether records of a shape are as those before them."""
        if not self._has_seen:
            return False
        attributes: list[list[bytes]] = [[] for _ in shape.elements]
        for number, name in shape.attributes.values():
            attributes[number].append(name)
        children = shape.elements[1:]
        counts = Counter(child.path for child in children)
        return all(map(self._is_plain, {*chain(*attributes), *(child.path[-1] for child in children)})) and (
            all(self._has("@" + name.decode(), (), is_list=False) for name in attributes[0])
            and all(
                len(child.path) == 1 and self._has(child.path[0].decode(), inside, is_list=counts[child.path] > 1)
                for child, inside in zip(children, attributes[1:], strict=True)
            )
        )

    def _is_plain(self, name: bytes) -> bool:
        return not self._is_given or _NAME.fullmatch(name) is not None

    def _has(self, name: str, attributes: Sequence[bytes], *, is_list: bool) -> bool:
        """Return whether a column has room for a value, given the attributes of an element."""
        kind = self._kinds.get(name)
        if kind is None or name not in self._names:
            return name in self._names
        paths = _paths(name, kind)
        if not paths or (is_list and not pa.types.is_list(kind)):
            return False
        return self._is_given or all("@" + one.decode() in paths for one in attributes)

    # Arrays -----------------------------------------------------------------------------------------------------------

    def array(
        self, name: str, kind: pa.DataType, records: "Sequence[Record | RecordRun]", sizes: Sequence[int]
    ) -> pa.Array | None:
        """Return a column of text, whose type is `kind`, of the records in runs; it is null for others.

        `sizes` has the numbers of records. Return None if no run was searched for the column.
        """
        if name not in self._asked:
            return None
        left = [one if isinstance(one, RecordRun) else None for one in records]
        found = []
        for own_kind, paths in reversed(self._asked[name]):  # runs may be older than the column's last type
            keys = {repr(path) for path in paths.values()}
            runs = [run if run is not None and keys <= run.columns.keys() else None for run in left]
            if any(runs):
                found.append(widened(_array(own_kind, paths, runs, sizes), kind))
                left = [run if taken is None else None for run, taken in zip(left, runs, strict=True)]
        return reduce(pc.coalesce, found) if found else None


_Runs = Sequence[RecordRun | None]


def _array(kind: pa.DataType, paths: Mapping[str, Path], runs: _Runs, sizes: Sequence[int]) -> pa.Array:
    """Return a column of some runs, which is null for as many records as there are without."""
    leaves = {inner: _leaf(path, runs, sizes) for inner, path in paths.items()}
    if not pa.types.is_list(kind):
        return _united(kind, leaves)
    items = _united(kind.value_type, {inner: leaf.flatten() for inner, leaf in leaves.items()})
    offsets = leaves[TEXT].offsets
    mask = pc.equal(pc.fill_null(pc.list_value_length(leaves[TEXT]), 0), 0)
    if items.null_count:  # an empty element alone is no value
        lacks = items.is_null().to_pylist()
        pairs = pairwise(offsets.to_pylist())
        mask = pa.array([start == end or (start + 1 == end and lacks[start]) for start, end in pairs], pa.bool_())
    return pa.ListArray.from_arrays(offsets, items, type=kind, mask=mask)


def _paths(name: str, kind: pa.DataType) -> dict[str, Path]:
    """Return the paths of a column by the names in its structure, the text among them; none if it needs elements."""
    if name[:1] == "@":
        return {TEXT: Path((), _encoded(name[1:]))} if kind == _STRING else {}
    is_list = pa.types.is_list(kind)
    inner = kind.value_type if is_list else kind
    elements = (_encoded(name),)
    paths = {TEXT: Path(elements, is_all=is_list)}
    if pa.types.is_struct(inner):
        paths[_ANY] = Path(elements, ANY_ATTRIBUTE, is_all=is_list, is_aligned=is_list)
        for field in inner:
            if field.type != _STRING or (field.name != TEXT and field.name[:1] != "@"):
                return {}
            if field.name != TEXT:
                attribute = _encoded(field.name[1:])
                paths[field.name] = Path(elements, attribute, is_all=is_list, is_aligned=is_list)
    elif inner != _STRING:
        return {}
    return paths


def _encoded(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")


def _leaf(path: Path, runs: _Runs, sizes: Sequence[int]) -> pa.Array:
    """Return the texts at a path, blank ones of elements as null."""
    name = repr(path)
    parts: list[ColumnValues] = []
    for is_run, group in groupby(zip(runs, sizes, strict=True), key=lambda one: one[0] is not None):
        if is_run:
            parts += [run.columns[name] for run, _ in group if run is not None]
        else:
            parts.append([None] * sum(size for _, size in group))
    array = text_array(parts, pa.list_(_STRING) if path.is_all else _STRING, "", [])
    if path.attribute:
        return array
    if not path.is_all:
        return without_space(array)
    return pa.ListArray.from_arrays(array.offsets, without_space(array.flatten()))


def _united(kind: pa.DataType, leaves: Mapping[str, pa.Array]) -> pa.Array:
    """Return text, or structures of it; what has neither attributes nor text is null."""
    if kind == _STRING:
        return leaves[TEXT]
    arrays = [leaves[field.name] for field in kind]
    mask = pc.and_(leaves[TEXT].is_null(), leaves[_ANY].is_null())
    return pa.StructArray.from_arrays(arrays, fields=list(kind), mask=mask)
