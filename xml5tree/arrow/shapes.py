"""Shapes of the nested dictionaries seen so far."""

from typing import Any, Final

import pyarrow as pa

__all__ = ["DEEPEST", "TEXT", "Shape"]

#: Name of an element's text beside its attributes and child elements.
TEXT: Final = "#text"
#: Levels of structures; deeper values are text. Each may be in a list, and streams of Arrow have 64 levels at most.
DEEPEST: Final = 30


class Shape:
    """The shape of a column's values so far: its members' shapes by name, `fields`; text if there are none."""

    def __init__(self, depth: int = 0) -> None:
        self.fields: dict[str, Shape] = {}
        self._is_list = False
        self._depth = depth

    def see(self, value: Any, name: str = "") -> str:
        """Widen the shape for one more value: text, a dictionary, a list of both, or None.

        Return how the value changes the type, in words, with its name; "" if it does not.
        """
        change = ""
        if isinstance(value, list):
            if not self._is_list:
                self._is_list = True
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

    def type(self) -> pa.DataType:
        """Return the type that all values fit, with strings as the only scalars."""
        kind = pa.string()
        if self.fields:
            names = self.fields if TEXT in self.fields else {**self.fields, TEXT: Shape()}
            kind = pa.struct([(name, inner.type()) for name, inner in names.items()])
        return pa.list_(kind) if self._is_list else kind
