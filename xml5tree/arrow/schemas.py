"""Schemas as callers give them: pyarrow's, mappings, or DDL."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import pyarrow as pa

#: A schema as callers give it: one of pyarrow, a mapping, text, or None; see `given_schema`.
Schema: TypeAlias = Any
#: The schema that is inferred, with types.
INFER: Final = "infer"

#: Spark's names of types.
_TYPES: Final[dict[str, pa.DataType]] = {
    **dict.fromkeys(("string", "varchar", "char"), pa.string()),
    **dict.fromkeys(("boolean", "bool"), pa.bool_()),
    **dict.fromkeys(("tinyint", "byte"), pa.int8()),
    **dict.fromkeys(("smallint", "short"), pa.int16()),
    **dict.fromkeys(("int", "integer"), pa.int32()),
    **dict.fromkeys(("bigint", "long"), pa.int64()),
    **dict.fromkeys(("float", "real"), pa.float32()),
    "double": pa.float64(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ltz": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
    "binary": pa.binary(),
}
_TOKEN: Final = re.compile(r"\s*(?:(`(?:[^`]|``)+`)|([^\s`<>(),:']+)|('(?:[^'\\]|\\.)*')|([<>(),:]))")
#: Deepest nesting of types in a text, which is read by recursion.
_DEEPEST: Final = 32


def given_schema(schema: Schema) -> pa.Schema | None:
    """Return the columns and types that a caller has given; None if they are to be inferred.

    A schema is one of pyarrow, a mapping of names to types of pyarrow or their names in Spark, or the text of a schema
    in Spark, ``"title string, n int"``. Raises `TypeError` for others, and `ValueError` for a text that cannot be read,
    or two columns of one name.
    """
    if schema is None or (isinstance(schema, str) and schema.strip().lower() == INFER):
        return None
    if isinstance(schema, str):
        found = pa.schema(_Ddl(schema).columns())
    elif isinstance(schema, pa.Schema):
        found = schema
    elif isinstance(schema, Mapping):
        found = pa.schema([(name, _type_of(kind)) for name, kind in schema.items()])
    else:
        raise TypeError(f"a schema of pyarrow, a mapping, or text such as 'title string' expected, not {schema!r}")
    twice = {name for name in found.names if found.names.count(name) > 1}
    if twice:
        raise ValueError(f"the schema has several columns of the name {min(twice)!r}")
    return found


def _type_of(kind: Any) -> pa.DataType:
    if isinstance(kind, str):
        return _Ddl(kind).only_type()
    if isinstance(kind, pa.DataType):
        return kind
    if isinstance(kind, type) and kind in _PYTHON:
        return _PYTHON[kind]
    raise TypeError(f"a type of pyarrow, or its name in Spark, expected, not {kind!r}")


_PYTHON: Final[dict[type, pa.DataType]] = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}


class _Ddl:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: list[str] = []
        place, end = 0, len(text.rstrip())
        while place < end:
            match = _TOKEN.match(text, place)
            if match is None:
                raise self._error(text[place : place + 20].strip())
            self._tokens.append(match[0].strip())
            place = match.end()
        self._tokens.append("")
        self._next = 0

    def columns(self) -> list[tuple[str, pa.DataType]]:
        found = self._list(lambda: self._field(0))
        self._expect("")
        return found

    def only_type(self) -> pa.DataType:
        kind = self._type(0)
        self._expect("")
        return kind

    def _error(self, found: str) -> ValueError:
        place = repr(found) if found else "its end"
        return ValueError(f"the schema {self._text!r} cannot be read at {place}; see docs/records.md")

    def _take(self) -> str:
        token = self._tokens[self._next]
        if token:
            self._next += 1
        return token

    def _peek(self) -> str:
        return self._tokens[self._next]

    def _expect(self, token: str) -> None:
        found = self._take()
        if found != token:
            raise self._error(found)

    def _list(self, read: Callable[[], Any]) -> list[Any]:
        found = [read()]
        while self._peek() == ",":
            self._take()
            found.append(read())
        return found

    def _field(self, depth: int) -> tuple[str, pa.DataType]:
        name = self._take()
        if not name or name in "<>(),:" or name[0] == "'":
            raise self._error(name)
        if name[0] == "`":
            name = name[1:-1].replace("``", "`")
        if self._peek() == ":":
            self._take()
        kind = self._type(depth)
        if self._peek().lower() == "not":  # NOT NULL cannot hold for what a document may lack
            self._take()
            if self._take().lower() != "null":
                raise self._error(self._peek())
        if self._peek().lower() == "comment":
            self._take()
            self._take()
        return name, kind

    def _type(self, depth: int) -> pa.DataType:
        if depth > _DEEPEST:
            raise ValueError(f"the schema nests deeper than {_DEEPEST} types")
        word = self._take()
        name = word.lower()
        if name == "array":
            self._expect("<")
            inner = self._type(depth + 1)
            self._expect(">")
            return pa.list_(inner)
        if name == "struct":
            self._expect("<")
            fields = self._list(lambda: self._field(depth + 1))
            self._expect(">")
            return pa.struct(fields)
        arguments = self._arguments()
        if name in ("decimal", "dec", "numeric"):
            precision, scale = ([*arguments, 10, 0] if not arguments else [*arguments, 0])[:2]
            try:
                return pa.decimal128(precision, scale)
            except (pa.ArrowInvalid, ValueError) as error:
                raise ValueError(f"the schema {self._text!r}: {error}") from None
        if name not in _TYPES or (arguments and name not in ("varchar", "char")):
            raise self._error(word)
        return _TYPES[name]

    def _arguments(self) -> list[int]:
        if self._peek() != "(":
            return []
        self._take()
        found = self._list(self._number)
        self._expect(")")
        return found

    def _number(self) -> int:
        token = self._take()
        if not token.isdecimal():
            raise self._error(token)
        return int(token)
