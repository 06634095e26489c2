"""Infers column types, as Spark's XML source does."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, TypeAlias
from zoneinfo import ZoneInfo

from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    DateType,
    DoubleType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from xml5tree.spark.names import Names
from xml5tree.spark.options import SparkOptions
from xml5tree.spark.patterns import Pattern
from xml5tree.spark.rows import parse_date, parse_time, texts_of

#: A class of types, which type checkers do not know.
_Kind: TypeAlias = Any

_UTC: Final = ZoneInfo("UTC")
_INTEGER: Final = re.compile(r"[+-]?\d{1,18}")
_NUMBER: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?Infinity|NaN")
#: The wider type for two types; strings for all other pairs.
_COMMON: Final = {
    frozenset((LongType, DoubleType)): DoubleType,
    frozenset((DateType, TimestampType)): TimestampType,
}


def _kind(text: str, options: SparkOptions) -> _Kind:
    """Return the type of a text."""
    if _INTEGER.fullmatch(text):
        return LongType
    if _NUMBER.fullmatch(text):
        return DoubleType
    if text.lower() in {"true", "false"}:
        return BooleanType
    readers: tuple[tuple[_Kind, Callable[..., object], Pattern | None], ...] = (
        (DateType, parse_date, options.dateFormat),
        (TimestampType, partial(parse_time, zone=_UTC), options.timestampFormat),
    )
    for kind, read, pattern in readers:
        try:
            read(text, pattern=pattern)
        except (ValueError, OverflowError):
            continue
        return kind if pattern or len(text) >= 10 else StringType  # excludes a week or a time alone of ISO 8601
    return StringType


class Shape:
    """The shape of the values of a column seen so far."""

    def __init__(self) -> None:
        self._fields: dict[str, Shape] = {}
        self._kind: _Kind | None = None  # type of the text; None without text
        self._is_array = False
        self._texts_are_array = False

    def see(self, element: Any, options: SparkOptions, names: Names) -> None:
        """Widen the shape for an element and its descendants, without recursion."""
        todo = [(self, element)]
        while todo:
            shape, element = todo.pop()
            if not options.excludeAttribute:
                for key, value in element.attrib.items():
                    name = options.attributePrefix + names.attribute(key)
                    shape._field(name)._see_text(value.strip(), options)
            counts: dict[str, int] = {}
            for child in element:
                if isinstance(child.tag, str):
                    name = names.element(child.tag)
                    counts[name] = counts.get(name, 0) + 1
                    todo.append((shape._field(name), child))
            for name, count in counts.items():
                shape._fields[name]._is_array |= count > 1
            texts = texts_of(element)
            shape._texts_are_array |= len(texts) > 1
            for text in texts:
                shape._see_text(text, options)

    def see_folders(self, values: Mapping[str, str | None], options: SparkOptions) -> None:
        for name, value in values.items():
            self._field(name)._see_text(value or "", options)

    def _field(self, name: str) -> "Shape":
        return self._fields.setdefault(name, Shape())

    def _see_text(self, text: str, options: SparkOptions) -> None:
        if not text or text == options.nullValue:
            return
        kind = _kind(text, options) if options.inferSchema and self._kind is not StringType else StringType
        if self._kind in (None, kind):
            self._kind = kind
        else:
            self._kind = _COMMON.get(frozenset((self._kind, kind)), StringType)

    def schema(self, options: SparkOptions) -> StructType:
        """Return the columns of rows of this shape, sorted by name."""
        fields = [(name, shape._type(options)) for name, shape in self._fields.items()]
        if self._kind is not None:
            text = self._kind()
            fields.append((options.valueTag, ArrayType(text) if self._texts_are_array else text))
        return StructType([StructField(name, kind) for name, kind in sorted(fields, key=lambda field: field[0])])

    def _type(self, options: SparkOptions) -> DataType:
        kind = self.schema(options) if self._fields else (self._kind or StringType)()
        return ArrayType(kind) if self._is_array else kind
