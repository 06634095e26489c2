"""Converts whole columns of text to structures and types."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from datetime import date, datetime
from email.utils import parsedate_to_datetime
from itertools import accumulate
from typing import Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from xml5tree.arrow.notation import Notation, as_moment
from xml5tree.columns import TEXT
from xml5tree.nesting import json_text

#: Values of a column: text, dictionaries, lists, numbers of XPath, or None.
Values = list[Any]

_TEXT: Final = pa.string()
_USUAL: Final = Notation()
#: Largest segment, in values, that is converted value by value once it fails as a whole.
_SINGLE: Final = 8
_ATTRIBUTE: Final = "@"
_INTEGER: Final = r"[+-]?[0-9]+"
#: A time as in e-mail and RSS (RFC 5322).
_OF_EMAIL: Final = re.compile(
    r"(?:[A-Z][a-z]{2}, )?[0-9]{1,2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}(?::[0-9]{2})? (?:[+-][0-9]{4}|[A-Z]{1,3})"
)

#: Types of text, as regular expressions of RE2. A number with leading zeros, or too long for its type, is a name.
_WHOLE: Final = r"^[+-]?(0|[1-9][0-9]{0,17})$"
_NUMBER: Final = r"^[+-]?((0|[1-9][0-9]{0,14})(\.[0-9]+)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$"
_TRUTH: Final = r"^(true|false)$"
DATE: Final = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_LOCAL_TIME: Final = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?$"
TIME: Final = _LOCAL_TIME[:-1] + r"(Z|[+-][0-9]{2}:?[0-9]{2})$"
_KINDS: Final = (
    (_WHOLE, pa.int64()),
    (_NUMBER, pa.float64()),
    (_TRUTH, pa.bool_()),
    (DATE, pa.date32()),
    (_LOCAL_TIME, pa.timestamp("us")),
    (TIME, pa.timestamp("us", "UTC")),
)


class Problem(NamedTuple):
    """A value that does not fit its column."""

    row: int  # the index of its record
    column: str  # the name of the column, with the names within it
    text: str  # the value
    sentence: str  # the problem in words


# Values to text -----------------------------------------------------------------------------------------------------


def text_type(kind: pa.DataType) -> pa.DataType:
    """Return a type of the same structure whose values are all strings."""
    if _is_list(kind):
        return pa.list_(text_type(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([(field.name, text_type(field.type)) for field in kind])
    return pa.string()


def text_array(values: Values, kind: pa.DataType, name: str, problems: list[Problem]) -> pa.Array:
    """Return a column of text, or of structures of text, whose type `text_type` has returned.

    `problems` takes values that do not fit.
    """
    if kind == _TEXT:
        try:
            return pa.array(values, kind)
        except (pa.ArrowInvalid, pa.ArrowTypeError):  # some value is not text
            pass
    fit = _Fit(name, problems)
    return pa.array([fit.value(value, kind, row) for row, value in enumerate(values)], kind)


class _Fit:
    def __init__(self, name: str, problems: list[Problem]) -> None:
        self._name = name
        self._problems = problems

    def value(self, value: Any, kind: pa.DataType, row: int) -> Any:
        """Return a value as pyarrow takes it for a type."""
        if value is None:
            return None
        if pa.types.is_list(kind):
            inner = kind.value_type
            return [self.value(item, inner, row) for item in (value if isinstance(value, list) else [value])]
        if isinstance(value, list):
            if len(value) > 1:
                words = f"{len(value)} values, of which the first was taken"
                self._problems.append(Problem(row, self._name, json_text(value), words))
            return self.value(value[0], kind, row) if value else None
        if pa.types.is_struct(kind):
            values = value if isinstance(value, dict) else {TEXT: value}
            return {field.name: self.value(values.get(field.name), field.type, row) for field in kind}
        return _as_text(value)


def _as_text(value: Any) -> str | None:
    """Return a value as text: an element's text, or JSON where there are elements in it."""
    if isinstance(value, dict):
        if all(name == TEXT or name.startswith(_ATTRIBUTE) for name in value):
            text: str | None = value.get(TEXT)
            return text
        return json_text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def widened(array: pa.Array, kind: pa.DataType) -> pa.Array:
    if array.type == kind:
        return array
    if pa.types.is_list(kind):
        if pa.types.is_list(array.type):
            return with_items(array, widened(array.values, kind.value_type), kind)
        items = widened(array.drop_null(), kind.value_type)
        offsets = [0, *accumulate(int(there) for there in array.is_valid().to_pylist())]
        return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), items, type=kind, mask=array.is_null())
    assert pa.types.is_struct(kind)
    if pa.types.is_struct(array.type):
        known = {field.name: array.field(number) for number, field in enumerate(array.type)}
    else:
        known = {TEXT: array}
    inner = [
        widened(known[field.name], field.type) if field.name in known else pa.nulls(len(array), field.type)
        for field in kind
    ]
    return pa.StructArray.from_arrays(inner, fields=list(kind), mask=array.is_null())


def with_items(array: pa.Array, items: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return lists with other items in the place of their `values`; `kind` is their type then."""
    if pa.types.is_large_list(kind):
        return pa.LargeListArray.from_arrays(array.offsets.cast(pa.int64()), items, type=kind, mask=array.is_null())
    return pa.ListArray.from_arrays(array.offsets, items, type=kind, mask=array.is_null())


def rows_of(items: Iterable[int], array: pa.Array) -> list[int]:
    """Return which lists have items, by the indices of these among their `values`."""
    items = [*items]
    ends = array.offsets.to_pylist() if items else []
    return [bisect_right(ends, item) - 1 for item in items]


# Text to types ------------------------------------------------------------------------------------------------------


def check_type(kind: pa.DataType, name: str) -> None:
    """Raise `TypeError` if text cannot be converted to a type."""
    if _is_list(kind):
        check_type(kind.value_type, name)
    elif pa.types.is_struct(kind):
        for field in kind:
            check_type(field.type, f"{name}.{field.name}")
    else:
        try:
            pa.array([], pa.string()).cast(kind)
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
            raise TypeError(f"text cannot be converted to {kind}, which is the type of the column {name!r}") from None


def convert(
    array: pa.Array, kind: pa.DataType, name: str, problems: list[Problem], notation: Notation = _USUAL
) -> pa.Array:
    """Return a column of text converted as a whole; values that cannot be converted are null, and go to `problems`."""
    if array.type == kind and not notation.nulls:
        return array
    if _is_list(kind):
        inner: list[Problem] = []
        items = convert(array.values, kind.value_type, name, inner, notation)
        rows = rows_of([problem.row for problem in inner], array)
        problems += [problem._replace(row=row) for problem, row in zip(inner, rows, strict=True)]
        return with_items(array, items, kind)
    if pa.types.is_struct(kind):
        members = [
            convert(array.field(number), field.type, f"{name}.{field.name}", problems, notation)
            for number, field in enumerate(kind)
        ]
        return pa.StructArray.from_arrays(members, fields=list(kind), mask=array.is_null())
    texts = notation.values(array)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return (pc.if_else(texts.is_null(), texts, array) if notation.nulls else array).cast(kind)
    found, bad = _read_all(texts, kind, notation)
    for index in bad:
        text = array[index].as_py()
        shown = repr(text if len(text) <= 60 else f"{text[:59]}…")
        problems.append(Problem(index, name, text, f"{shown} is no {kind}"))
    return found


def _read_all(texts: pa.Array, kind: pa.DataType, notation: Notation) -> tuple[pa.Array, list[int]]:
    """Return as `_cast`, for text in a notation."""
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        texts = notation.numbers(texts)
    elif notation.dates and (pa.types.is_date(kind) or pa.types.is_timestamp(kind)):
        dates = pa.array(notation.dated(texts, kind), kind)
        found, bad = _cast(pc.if_else(dates.is_valid(), pa.scalar(None, _TEXT), texts), kind)
        return pc.coalesce(dates, found), bad
    return _cast(texts, kind)


def _cast(texts: pa.Array, kind: pa.DataType, *, stops: bool = False) -> tuple[pa.Array, list[int]]:
    """Return text as another type, null where that fails, and the indices of the failures.

    With `stops`, only the values up to the first failures are converted.
    """
    # Arrow casts all or nothing. So failing segments are halved: each failure costs a logarithmic number of casts.
    done: list[pa.Array] = []
    bad: list[int] = []
    todo = [(0, len(texts))]
    while todo and not (stops and bad):
        start, length = todo.pop()
        part = texts.slice(start, length)
        found = read_whole(part, kind)
        if found is not None:
            done.append(found)
        elif length > _SINGLE:
            half = length // 2
            todo += ((start + half, length - half), (start, half))
        else:
            values = [_single(text, kind) for text in part]
            bad += [start + index for index, value in enumerate(values) if not value.is_valid and part[index].is_valid]
            done.append(pa.array([value.as_py() for value in values], kind))
    return pa.concat_arrays(done) if done else pa.array([], kind), bad


def read_whole(texts: Any, kind: pa.DataType) -> Any:
    """Return texts, or one, as another type; None if Arrow cannot read one of them, or the type does not hold it."""
    try:
        found = texts.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
        return None
    return found if _holds(texts, found) else None


def _single(text: pa.Scalar, kind: pa.DataType) -> pa.Scalar:
    """Return one text as another type, also in forms that Arrow does not read; null if it cannot be read."""
    nothing = pa.scalar(None, kind)
    if not text.is_valid:
        return nothing
    found = read_whole(text, kind)
    if found is not None:
        return found
    try:
        found = pa.scalar(_read(text.as_py(), kind), kind)
    except (ValueError, OverflowError, pa.ArrowInvalid, pa.ArrowTypeError):
        return nothing
    return found if found.is_valid and _holds(text, found) else nothing


def _holds(texts: Any, found: Any) -> bool:
    """Return whether values of Arrow, or one, are those of their texts, and also values of Python."""
    kind = found.type
    if pa.types.is_floating(kind):
        infinite = pc.is_inf(found)
        if not pc.any(infinite).as_py():
            return True
        named = pc.match_substring(texts, "inf", ignore_case=True)  # others are numbers that are too large
        return not pc.any(pc.and_not(infinite, named)).as_py()
    if not pa.types.is_date(kind) and not (pa.types.is_timestamp(kind) and kind.unit != "ns"):
        return True  # nanoseconds only reach from 1677 to 2262
    try:
        pc.min_max(found).as_py()
    except OverflowError:  # a year before 1 or after 9999, perhaps only in the time zone
        return False
    except (LookupError, ValueError):  # a time zone that Python does not know
        return True
    return True


def _read(text: str, kind: pa.DataType) -> int | float | date | None:
    """Return text as a value of a type, in forms of XML Schema, ISO 8601, or e-mail, or raise ValueError."""
    if pa.types.is_integer(kind):
        return int(text) if re.fullmatch(_INTEGER, text) else None
    if pa.types.is_floating(kind):
        return None if "_" in text else float(text)
    if pa.types.is_date(kind) and _OF_EMAIL.fullmatch(text):
        return parsedate_to_datetime(text).date()
    if pa.types.is_timestamp(kind):
        return as_moment(
            parsedate_to_datetime(text) if _OF_EMAIL.fullmatch(text) else datetime.fromisoformat(text), kind
        )
    return None


# Types of text ------------------------------------------------------------------------------------------------------


def inferred(parts: Iterable[pa.Array], kind: pa.DataType, notation: Notation = _USUAL) -> pa.DataType:
    """Return the type that all texts of a column have, which comes in parts; `kind` is its type of text.

    It has the structure of `kind`, with ``int64``, ``double``, ``bool``, ``date32`` or ``timestamp[us]`` where all
    texts are such. Numbers with leading zeros are names, as are numbers that are too long.
    """
    parts = list(parts)
    if pa.types.is_list(kind):
        return pa.list_(inferred([part.flatten() for part in parts], kind.value_type, notation))
    if pa.types.is_struct(kind):
        fields = [
            (field.name, inferred([part.field(number) for part in parts], field.type, notation))
            for number, field in enumerate(kind)
        ]
        return pa.struct(fields)
    candidates = sorted(_KINDS, key=lambda candidate: not notation.formats(candidate[1]))
    is_empty = True
    for part in parts:
        texts = notation.values(part).drop_null()
        if not len(texts):
            continue
        is_empty = False
        candidates = [(form, type_) for form, type_ in candidates if _all_match(texts, form, type_, notation)]
        if not candidates:
            break
    return pa.string() if is_empty or not candidates else candidates[0][1]


def _all_match(texts: pa.Array, form: str, kind: pa.DataType, notation: Notation) -> bool:
    first = texts.slice(0, 1)  # which mostly shows it
    return _match(first, form, kind, notation) and _match(texts, form, kind, notation)


def _match(texts: pa.Array, form: str, kind: pa.DataType, notation: Notation) -> bool:
    if formats := notation.formats(kind):
        dated = pa.array(notation.dated(texts, kind, formats), kind)
        texts = texts.filter(dated.is_null())
    elif form in {_WHOLE, _NUMBER}:
        texts = notation.numbers(texts)
    fits = pc.all(pc.match_substring_regex(texts, form), min_count=0)
    return bool(fits.as_py()) and not _cast(texts, kind, stops=True)[1]


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))
