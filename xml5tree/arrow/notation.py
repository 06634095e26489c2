"""How numbers, dates and missing values are written in text."""

from collections.abc import Collection
from datetime import UTC, date, datetime
from typing import Any, Final, NamedTuple, Self

import pyarrow as pa
import pyarrow.compute as pc

#: Parts of formats that are of a time, and of its zone.
_OF_TIMES: Final = frozenset(f"%{letter}" for letter in "HIMSpfXcTR")
_OF_ZONES: Final = ("%z", "%:z", "%Z")
#: Stands for what is no part of a number in a notation.
_FOREIGN: Final = "?"


class Notation(NamedTuple):
    """The notation of values, as callers say; by default, that of XML Schema.

    Attributes:
        decimal: the mark before decimals.
        thousands: the mark between groups of three digits; "" for none.
        dates: formats of `datetime.datetime.strptime`, which are tried before ISO 8601.
        nulls: texts that mean null.
    """

    decimal: str = "."
    thousands: str = ""
    dates: tuple[str, ...] = ()
    nulls: tuple[str, ...] = ()

    @classmethod
    def make(
        cls, decimal: str = ".", thousands: str = "", dates: Collection[str] = (), null_values: Collection[str] = ()
    ) -> Self:
        """Return a checked notation; raise `TypeError` or `ValueError` for a value that makes no sense."""
        for name, mark in (("decimal", decimal), ("thousands", thousands)):
            if not isinstance(mark, str):
                raise TypeError(f"{name} must be a string, not {type(mark).__name__}")
            if len(mark) > 1 or mark.isalnum() or mark in {"+", "-", _FOREIGN}:
                raise ValueError(f"{name} must be a mark, such as a comma, not {mark!r}")
        if decimal in {"", thousands}:
            raise ValueError(f"decimal must be another mark than that of thousands, not {decimal!r}")
        made = cls(decimal, thousands, _texts("dates", dates), _texts("null_values", null_values))
        for form in made.dates:
            try:
                datetime.strptime(datetime(2000, 2, 3, tzinfo=UTC).strftime(form), form)
            except ValueError as error:
                raise ValueError(f"dates has the format {form!r}, which cannot be read: {error}") from None
        return made

    def values(self, array: pa.Array) -> pa.Array:
        """Return text without white space around it; null where nothing is left, or what means null."""
        texts = pc.utf8_trim_whitespace(array)
        return pc.if_else(pc.is_in(texts, pa.array(["", *self.nulls])), pa.scalar(None, pa.string()), texts)

    def numbers(self, texts: pa.Array) -> pa.Array:
        """Return text with numbers as in XML Schema; numbers in that notation, where it is another, are none."""
        if self.thousands:
            mark = rf"\x{{{ord(self.thousands):x}}}"
            grouped = rf"^[+-]?[0-9]{{1,3}}({mark}[0-9]{{3}})+([^0-9{mark}][^{mark}]*)?$"
            joined = pc.replace_substring(texts, self.thousands, "")
            texts = pc.if_else(pc.match_substring_regex(texts, grouped), joined, texts)
        if self.decimal != ".":
            texts = pc.replace_substring(pc.replace_substring(texts, ".", _FOREIGN), self.decimal, ".")
        return texts

    def formats(self, kind: pa.DataType) -> tuple[str, ...]:
        """Return the formats of dates, of times or of times with a zone, as the type has them."""
        return tuple(form for form in self.dates if _kind_of(form) == kind)

    def dated(self, texts: pa.Array, kind: pa.DataType, formats: tuple[str, ...] | None = None) -> list[date | None]:
        """Return the date of each text that has one of the formats, by default of all, and None for others."""
        # A column mostly repeats its values; `strptime` takes some microseconds.
        coded = texts.dictionary_encode()
        known = [text and _read(text, kind, formats or self.dates) for text in coded.dictionary.to_pylist()]
        return [None if index is None else known[index] for index in coded.indices.to_pylist()]


def _texts(name: str, given: Any) -> tuple[str, ...]:
    texts = (given,) if isinstance(given, str) or not isinstance(given, Collection) else tuple(given)
    if not all(isinstance(text, str) for text in texts):
        raise TypeError(f"{name} must be a string, or a list of strings, not {given!r}")
    return texts


def _kind_of(form: str) -> pa.DataType:
    if any(part in form for part in _OF_ZONES):
        return pa.timestamp("us", "UTC")
    return pa.timestamp("us") if any(part in form for part in _OF_TIMES) else pa.date32()


def _read(text: str, kind: pa.DataType, formats: tuple[str, ...]) -> date | None:
    for form in formats:
        try:
            found = as_moment(datetime.strptime(text, form), kind)
            if pa.scalar(found, kind).is_valid:
                return found
        except (ValueError, OverflowError):
            pass
    return None


def as_moment(found: datetime, kind: pa.DataType) -> date | None:
    """Return a time as the type of its column has it; None if only one of them has a zone."""
    if pa.types.is_date(kind):
        return found.date()
    if kind.tz is not None:
        return found if found.tzinfo else found.replace(tzinfo=UTC)
    return None if found.tzinfo else found
