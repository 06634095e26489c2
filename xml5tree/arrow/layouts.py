"""Arrays of the values that the compiled reader of markup has found."""

from collections.abc import Mapping, Sequence

import pyarrow as pa

from xml5tree.arrow.shapes import Shape
from xml5tree.columns import LEAF, LIST, NEVER, SINGLE, TEXT, Layout, Node

_STRING = pa.string()


def array_of(layout: Layout, shape: Shape | None = None) -> pa.Array:
    """Return a column of text, lists or structures, and note its shape."""
    kind, size, nulls, validity, *inner = layout
    valid = pa.py_buffer(validity) if nulls else None
    if kind == "text":
        return pa.Array.from_buffers(_STRING, size, [valid, *map(pa.py_buffer, inner)], nulls)
    shape = shape or Shape()
    if kind == "list":
        shape.is_list = True
        items = array_of(inner[1], shape)
        buffers = [valid, pa.py_buffer(inner[0])]
        return pa.Array.from_buffers(pa.list_(items.type), size, buffers, nulls, children=[items])
    arrays = members_of(inner[0], shape)
    fields = pa.struct([(name, array.type) for name, array in arrays.items()])
    return pa.Array.from_buffers(fields, size, [valid], nulls, children=list(arrays.values()))


def members_of(members: Sequence[tuple[str, int, Layout]], shape: Shape) -> dict[str, pa.Array]:
    """Return the members of records or structures by name, and note their shapes."""
    arrays = {}
    for name, first, layout in members:
        inner = Shape()
        arrays[name] = array_of(layout, inner)
        if first != NEVER:
            shape.fields[name] = inner
    return arrays


def node_of(kind: pa.DataType) -> Node | None:
    """Return what the reader is to look for to make a column of text of a type; None if that needs elements."""
    is_list = pa.types.is_list(kind)
    inner = kind.value_type if is_list else kind
    flags = LIST if is_list else SINGLE
    if inner == _STRING:
        return Node(flags | LEAF, {})
    if not pa.types.is_struct(inner):
        return None
    members: dict[str, Node] = {}
    for field in inner:
        node = node_of(field.type)
        if node is None or (field.type != _STRING and (field.name == TEXT or field.name[:1] == "@")):
            return None
        members[field.name] = node
    return Node(flags, members)


def replaced(array: pa.Array, rows: Mapping[int, int], others: pa.Array) -> pa.Array:
    """Return an array with other values in some rows, by their places in `others`."""
    places = list(range(len(array)))
    for row, place in rows.items():
        places[row] = len(array) + place
    return pa.concat_arrays([array, others]).take(pa.array(places, pa.int64()))
