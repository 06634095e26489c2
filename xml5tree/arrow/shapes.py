"""Shapes of the nested dictionaries seen so far."""

from typing import Any

import pyarrow as pa

from xml5tree.columns import DEEPEST, TEXT


class Shape:
    """The shape of a column's values so far: its members' shapes by name, `fields`; text if there are none."""

    def __init__(self, depth: int = 0) -> None:
        self.fields: dict[str, Shape] = {}
        self.is_list = False
        self._depth = depth

    def see(self, value: Any, name: str = "") -> str:
        """Widen the shape for one more value: text, a dictionary, a list of both, or None.

        Return how the value changes the type, in words, with its name; "" if it does not.
        """
        change = ""
        if isinstance(value, list):
            if not self.is_list:
                self.is_list = True
                change = f"several values in the column {name!r}"
        else:
            value = (value,)
        for item in value:
            if isinstance(item, dict) and self._depth < DEEPEST:
                for key, inner in item.items():
                    shape = self.fields.get(key)
                    path = f"{name}.{key}" if name else key
                    if shape is None:
                        shape = self.fields[key] = Shape(self._depth + 1)
                        change = change or f"the column {path!r}"
                    if inner is not None and type(inner) is not str:
                        change = shape.see(inner, path) or change
        return change

    def holds(self, other: "Shape") -> bool:
        """Return whether values of another shape have this one."""
        return (self.is_list or not other.is_list) and all(
            name in self.fields and self.fields[name].holds(inner) for name, inner in other.fields.items()
        )

    def widen(self, other: "Shape") -> None:
        """Widen the shape for values of another one."""
        self.is_list = self.is_list or other.is_list
        for name, inner in other.fields.items():
            self.fields.setdefault(name, Shape(self._depth + 1)).widen(inner)

    def type(self) -> pa.DataType:
        """Return the type that all values fit, with strings as the only scalars."""
        kind = pa.string()
        if self.fields:
            names = self.fields if TEXT in self.fields else {**self.fields, TEXT: Shape()}
            kind = pa.struct([(name, inner.type()) for name, inner in names.items()])
        return pa.list_(kind) if self.is_list else kind
