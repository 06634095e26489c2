"""Records as typed columns, in Parquet or as rows."""

import io
import pickle
import sys
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, get_args

import click

from xml5tree.cli.options import Group, option
from xml5tree.cli.workers import is_worker
from xml5tree.columns import RecordRun, in_batches
from xml5tree.errors.policy import BadValues, SameName
from xml5tree.record import Record
from xml5tree.rows import Fields

if TYPE_CHECKING:
    from xml5tree.arrow.batches import Batches
    from xml5tree.arrow.parquet import ParquetFile
    from xml5tree.records import Records

__all__ = ["VALUES", "Columns", "DoesNotFit", "TypedRows", "make_batches"]

#: Records that are captured, or converted, at a time.
_CAPTURED: Final = 1000


class DoesNotFit(Exception):
    """A value for which its column has no room, in words."""


def _gather(values: dict[str, Any], others: dict[str, Any]) -> dict[str, Any]:
    given = {name: value for name, value in values.items() if value}
    if given and others["schema"] is None:
        raise click.UsageError(f"--{min(given).replace('_', '-')} is for --schema.")
    return given


#: Options about the values of columns with types, those that are given.
VALUES: Final = Group(
    "values",
    [
        option(
            "--bad-values",
            type=click.Choice(get_args(BadValues)),
            help="What becomes of a value that its column of --schema has no room for: null, unless you say otherwise, "
            "leaves it out; rescue keeps it in the column _rescued; skip leaves its record out; raise ends the "
            "command.",
        ),
        option("--decimal", metavar="MARK", help="The mark before decimals; a point, unless you say otherwise."),
        option("--thousands", metavar="MARK", help="The mark between groups of three digits."),
        option(
            "--dates", metavar="FORMAT", multiple=True, help="A form of dates, as %d.%m.%Y; can be given several times."
        ),
        option("--null-values", metavar="TEXT", multiple=True, help="What means null; can be given several times."),
    ],
    _gather,
)


def make_batches(
    fields: Fields | None, schema: str | None, values: Mapping[str, Any], *, marked: bool, form: str
) -> "Batches":
    """Return a maker of columns; raise `click.UsageError` for a schema that cannot be read, and without pyarrow."""
    try:
        from xml5tree.arrow.batches import Batches
        from xml5tree.arrow.schemas import given_schema
    except ImportError as error:
        what = "Parquet" if form == "parquet" else "--schema"
        raise click.UsageError(f"{what} needs one more package: pip install 'xml5tree[arrow]'") from error
    try:
        if schema is not None and given_schema(schema) is None:
            raise click.UsageError("--schema gives the columns and their types, 'title string, price double'.")
        return Batches(fields, schema, marked=marked, first_column=1, **values)
    except (TypeError, ValueError) as error:
        raise click.UsageError(str(error)) from error


class Columns:
    """Writes records that are made columns here, whichever process has read them."""

    def __init__(self, file: "ParquetFile | TypedRows") -> None:
        self._file = file

    def with_runs(self, found: "Records") -> "Iterable[Record | RecordRun]":
        """Return the records of a document, as runs if these have the columns."""
        return self._file.batches.with_runs(found)

    def write(self, found: Iterator[Any], name: str) -> None:
        if not is_worker():
            self._convert(found, name)
            return
        for batch in in_batches(found, _CAPTURED):
            whole = [RecordRun.joined(batch)] if isinstance(batch[0], RecordRun) else batch
            sys.stdout.buffer.write(pickle.dumps((whole, name)))

    def write_captured(self, data: bytes) -> None:
        batches = io.BytesIO(data)
        while batches.tell() < len(data):
            self._convert(*pickle.load(batches))

    def _convert(self, found: "Iterable[Record | RecordRun]", name: str) -> None:
        from xml5tree.arrow.batches import NoRoom

        try:
            self._file.write(found, name)
        except NoRoom as error:
            advice = "--bad-values rescue keeps such values in a column of their own, --bad-values null drops them"
            raise DoesNotFit(f"{error.sentence}; {advice}") from error
        except SameName as error:
            raise DoesNotFit(str(error)) from error

    def close(self) -> None:
        self._file.close()

    def remarks(self) -> list[str]:
        return [it.replace("bad_values='rescue'", "--bad-values rescue") for it in self._file.batches.remarks()]


class TypedRows:
    """Rows of values with the types of a schema, as far as JSON has them; `batches` has the schema."""

    def __init__(self, write_row: Callable[[dict[str, Any]], None], batches: "Batches") -> None:
        self._write_row = write_row
        self.batches = batches
        batches.freeze([])

    def write(self, records: "Iterable[Record | RecordRun]", name: str | None = None) -> None:
        """Write the records of a document, whose `name` is used in messages."""
        for batch in in_batches(records, _CAPTURED):
            for row in self.batches.typed(self.batches.texts(batch, None, name)).to_pylist():
                self._write_row({name: _plain(value) for name, value in row.items()})

    def close(self) -> None:
        pass  # every row has been written


def _plain(value: Any) -> Any:
    """Return a value for JSON: dates, decimal numbers, infinities and NaN become text."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal) or (isinstance(value, float) and not isfinite(value)):
        return str(value)
    return b64encode(value).decode() if isinstance(value, bytes) else value
