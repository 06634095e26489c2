"""`xml5tree records`: records as lines, tables or columns."""

import csv
import io
import os
import pickle
import re
import sys
import warnings
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from datetime import date
from decimal import Decimal
from functools import partial
from math import isfinite
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, TypeAlias, get_args

import click

from xml5tree.cli.jobs import for_each, strictly
from xml5tree.cli.options import DOCUMENTS, JOBS, Group, Jobs, check_text, choice, command, option, reading
from xml5tree.cli.rendering import Terminal, in_json, json_lines
from xml5tree.cli.replacement import BinaryFile, Replacement
from xml5tree.cli.severity import ERRORS, OK, SERIOUS
from xml5tree.cli.sources import InputDocument, complain, hint_in_words
from xml5tree.cli.workers import is_worker
from xml5tree.documents import Parts
from xml5tree.errors.codes import Effect
from xml5tree.errors.log import ParseError, RowsWarning
from xml5tree.errors.policy import MARKS, BadValues, OnBad, SameName
from xml5tree.errors.wording import number_of
from xml5tree.options import Options, assuming_nothing
from xml5tree.record import RecordRun, in_batches
from xml5tree.recordreader import CUT_OFF
from xml5tree.records import Records
from xml5tree.records import records as read_records

if TYPE_CHECKING:
    from xml5tree.arrow.batches import Batches


#: Records that are written at a time.
_BATCH: Final = 1000
#: Values that spreadsheets take for formulas, or that may hide one; numbers are none.
_FORMULA: Final = re.compile(r"(?![+-]?[0-9]+(?:[.,][0-9]+)*(?:[eE][+-]?[0-9]+)?\Z)[=+\-@\t\r\n＝＋－＠]")
_Writer: TypeAlias = "_Lines | _Columns"


def _fields(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str] | None:
    found = {}
    for value in values:
        name, equals, path = value.partition("=")
        if not name or not equals or not path:
            raise click.BadParameter(f"{value!r} is not of the form NAME=PATH")
        if name in found:
            raise click.BadParameter(f"there are several columns of the name {name!r}")
        found[name] = path
        check_text(value)
    return found or None


def _schema(ctx: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    if value is None or value[:1] != "@" or (any(map(str.isspace, value)) and not os.path.exists(value[1:])):
        return None if value is None else check_text(value)  # also of columns such as "@id long"
    try:
        return Path(value[1:]).read_text("utf-8-sig")
    except (OSError, ValueError) as error:
        raise click.BadParameter(f"{value[1:]!r} cannot be read: {error}") from error


class _DoesNotFit(Exception):
    """A value for which its column has no room, in words."""


def _given(values: dict[str, Any], others: dict[str, Any]) -> dict[str, Any]:
    given = {name: value for name, value in values.items() if value not in {None, ()}}
    if given and others["schema"] is None:
        raise click.UsageError(f"--{min(given).replace('_', '-')} is for --schema.")
    return given


#: Options about the values of columns with types, those that are given.
_VALUES: Final = Group(
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
    _given,
)


@command(
    "Write the records of documents as JSON lines, CSV or Parquet.",
    DOCUMENTS,
    option(
        *("--tag", "tags"),
        multiple=True,
        default=["item"],
        show_default=True,
        callback=lambda ctx, parameter, value: [check_text(tag) for tag in value],
        help="The name of the elements that are records; can be given several times.",
    ),
    option(
        *("--field", "fields"),
        metavar="NAME=PATH",
        multiple=True,
        callback=_fields,
        help="A column and the path to its value, as link=link/@href. Without, JSON and Parquet have all there is.",
    ),
    option(
        "--schema",
        metavar="COLUMNS",
        callback=_schema,
        help="The columns and their types, as Spark has them: 'title string, price double'; @FILE reads them from a "
        "file.",
    ),
    _VALUES,
    choice("--to", "form", of=("jsonl", "csv", "parquet"), help="What to write: a JSON object a line, CSV or Parquet."),
    option(
        "--escape-formulas",
        is_flag=True,
        help="In CSV, put an apostrophe before values that a spreadsheet would take for formulas.",
    ),
    option(*("-o", "--output"), metavar="OUT", help="Write to this file; without, to standard output."),
    choice(
        "--on-bad",
        of=get_args(OnBad),
        help="What becomes of bad records: mark gives all records the columns _line, _effect, _confidence and _errors; "
        "skip leaves bad ones out; raise ends the file with the first.",
    ),
    choice(
        "--bad-from",
        of=get_args(Effect),
        default="moved",
        help="A record is bad if its errors have this effect on its content, or a worse one.",
    ),
    JOBS,
    reading(html_lacks="has no records that come one by one"),
)
def records(
    sources: list[InputDocument],
    tags: list[str],
    fields: dict[str, str] | None,
    schema: str | None,
    values: dict[str, Any],
    form: str,
    escape_formulas: bool,
    output: str | None,
    on_bad: OnBad,
    bad_from: Effect,
    jobs: Jobs,
    reading: Options,
) -> int:
    """Write the elements of a name as rows, from documents of any size, well-formed or not.

    A PATH is one of ElementTree's, perhaps with /text() or /@attribute at its end. --tag understands {URI}name and
    {*}name, but no prefixes.

    \b
    The exit status is that of the worst file:
      0  records were found
      1  there are none
      2  there is no tree; a bad record where these raise, or a value
         without room in its column
      3  wrong usage, or a file cannot be read or written
    """  # noqa: D301 (click reads the backspace: what follows is not wrapped)
    if form == "csv" and fields is None and schema is None:
        raise click.UsageError("--to csv needs --schema, or at least one --field.")
    if escape_formulas and form != "csv":
        raise click.UsageError("--escape-formulas is for --to csv.")
    target = None if output in {None, "-"} else Path(str(output))
    if form == "parquet" and target is None:
        raise click.UsageError("--to parquet needs --output.")

    def read(parts: Iterator[bytes], reading: Options, on_bad: OnBad) -> Records:
        return read_records(parts, tags, fields=fields, on_bad=on_bad, bad_from=bad_from, **reading)

    try:
        read(iter(()), assuming_nothing(reading), on_bad)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore", RowsWarning)  # the command says so itself
        replacement = None if target is None else stack.enter_context(Replacement(target))
        to: Any = replacement or (Terminal("utf-8") if sys.stdout.isatty() else sys.stdout.buffer)
        marked = on_bad == "mark"
        writer = _make_writer(stack, form, to, fields, schema, values, marked=marked, escape_formulas=escape_formulas)

        def write(source: InputDocument, reading: Options) -> int:
            reading = {**reading, "on_error": source.severity.take}
            if reading.get("roots") == "first":  # the default, with which several roots can be records
                del reading["roots"]
            found = read(source.blocks(advances=True), reading, "keep" if marked else on_bad)  # the writer marks
            if source.is_settled:
                found._open_again = lambda *_: Parts(source.blocks(advances=True))
            return _write(source, found, tags, writer)

        action = strictly(write, reading)
        try:
            status = for_each(sources, action, jobs, output=writer.write_captured)
        except _DoesNotFit as error:
            click.echo(f"xml5tree: {error}", err=True)
            return SERIOUS
        writer.close()
        for remark in writer.remarks():
            click.echo(f"xml5tree: {remark}", err=True)
        if replacement is not None:
            replacement.commit()
            for remark in replacement.remarks:
                click.echo(f"xml5tree: {output}: {remark}", err=True)
    return status


def _write(source: InputDocument, found: Records, tags: list[str], writer: _Writer) -> int:
    """Write the records of a document, and remarks on it; return the exit status."""
    status = OK
    try:
        writer.write(writer.taken(found), source.name)
    except (ParseError, SameName) as error:
        complain(source, source.refusal(error) if isinstance(error, ParseError) else str(error))
        status = SERIOUS
    if found.skipped:
        complain(source, f"{number_of(found.skipped, 'bad record')} skipped")
    elif not found._reader.count and status == OK:
        complain(source, f"no records found{_others(found.others, tags)}")
    for hint in found.error_log.hints:
        if hint.option == "roots":  # else records are missing without a word about them
            complain(source, hint_in_words(hint, "the document"))
    if status == OK:
        source.report(found.error_log, f" in {number_of(found.touched, 'record')}", CUT_OFF)
    return status if found._reader.count or status else ERRORS


def _others(others: list[str], tags: list[str]) -> str:
    """Return in words which elements there are, and how to ask for those with the name of records and a namespace."""
    if not others:
        return ""
    alike = [tag for tag in tags if any(other.endswith(f"}}{tag}") for other in others)]
    finds = "".join(f"; --tag '{{*}}{tag}' finds elements of this name in any namespace" for tag in alike[:1])
    return f"; there {'is' if len(others) == 1 else 'are'} {', '.join(map(repr, others))}{finds}"


#: Returns rows as text, given their columns.
_Text: TypeAlias = Callable[[Mapping[str, Iterable[Any]]], str]


class _Lines:
    """Writes records as text, also those of other processes; `_Columns` has the same methods."""

    def __init__(self, output: Any, text: _Text, fields: dict[str, str] | None, *, marked: bool) -> None:
        self._output = output
        self._text = text
        self._fields = fields
        self._marked = marked

    def write_captured(self, data: bytes) -> None:
        self._output.write(data)

    def taken(self, found: Records) -> Iterator[Any]:
        """Return the records of a document, as runs if columns are written."""
        if self._fields is not None:
            found._give_runs(tells_bytes=False, size=_BATCH)
            found._make_columns(self._fields)
        return iter(found)

    def write(self, found: Iterator[Any], name: str) -> None:
        output = sys.stdout.buffer if is_worker() else self._output
        if self._fields is not None:
            for batch in in_batches(found, _BATCH, at_once=True):
                columns = RecordRun.joined(batch).columns(self._fields, marked=self._marked, first_column=1)
                output.write(_encoded(self._text(columns)))
            return
        for record in found:  # each has other values
            if self._marked:
                record.mark(first_column=1)
            output.write(_encoded(in_json(dict(record.items()), ensure_ascii=False) + "\n"))

    def close(self) -> None:
        pass

    def remarks(self) -> list[str]:
        return []


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")


def _make_writer(
    stack: ExitStack,
    form: str,
    output: Any,
    fields: dict[str, str] | None,
    schema: str | None,
    values: Mapping[str, Any],
    *,
    marked: bool,
    escape_formulas: bool,
) -> _Writer:
    text: _Text = json_lines if form == "jsonl" else partial(_csv_lines, escape_formulas=escape_formulas)

    def write_head(names: Iterable[str]) -> None:
        if form == "csv":
            output.write(_encoded(text({name: [name] for name in names})))

    if form != "parquet" and schema is None:
        write_head([*(fields or ()), *(MARKS if marked else ())])
        return _Lines(output, text, fields, marked=marked)
    batches = _make_batches(fields, schema, values, marked=marked, form=form)
    if form == "parquet":
        from xml5tree.arrow.parquet import ParquetFile

        file = ParquetFile(BinaryFile(output.write), batches)
        stack.callback(file.discard)
        return _Columns(batches, file.write, file.close)
    names = batches.freeze([]).names
    write_head(names)

    def write(runs: Iterable[RecordRun], name: str) -> None:
        for batch in in_batches(runs, _BATCH):
            typed = batches.typed(batches.texts(batch, name))
            output.write(_encoded(text({name: map(_plain, typed.column(name).to_pylist()) for name in names})))

    return _Columns(batches, write, lambda: None)


def _make_batches(
    fields: dict[str, str] | None, schema: str | None, values: Mapping[str, Any], *, marked: bool, form: str
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


def _csv_lines(columns: Mapping[str, Iterable[Any]], *, escape_formulas: bool) -> str:
    """Return rows as lines of CSV; errors are on lines of their cell, and structures are JSON."""

    def cell(value: Any) -> Any:
        if isinstance(value, list):
            value = "\n".join(map(str, map(_cell, value)))
        elif not isinstance(value, str):
            value = _cell(value)
        return f"'{value}" if escape_formulas and isinstance(value, str) and _FORMULA.match(value) else value

    lines: list[str] = []
    to: Any = SimpleNamespace(write=lines.append)
    writer = csv.writer(to, lineterminator="\r\n")  # else a CR in a value would have no quotes
    writer.writerows(map(cell, row) for row in zip(*columns.values(), strict=True))
    return "".join(line.removesuffix("\r\n") + "\n" for line in lines)


def _cell(value: Any) -> Any:
    if isinstance(value, bool | dict | list):
        return in_json(value, ensure_ascii=False)
    return "" if value is None else value


class _Columns:
    """Writes records that are made columns here, whichever process has read them."""

    def __init__(
        self, batches: "Batches", write: Callable[[Iterable[RecordRun], str], None], end: Callable[[], None]
    ) -> None:
        """Take the maker of columns, what writes records of a document of a name, and what ends the output."""
        self._batches = batches
        self._write = write
        self.close = end

    def taken(self, found: Records) -> Iterator[Any]:
        """Return the records of a document as runs."""
        return self._batches.runs_of(found, _BATCH)

    def write(self, found: Iterator[Any], name: str) -> None:
        if not is_worker():
            self._convert(found, name)
            return
        for batch in in_batches(found, _BATCH):
            sys.stdout.buffer.write(pickle.dumps(([RecordRun.joined(batch)], name)))

    def write_captured(self, data: bytes) -> None:
        batches = io.BytesIO(data)
        while batches.tell() < len(data):
            self._convert(*pickle.load(batches))

    def _convert(self, found: Iterable[RecordRun], name: str) -> None:
        from xml5tree.arrow.batches import NoRoom

        try:
            self._write(found, name)
        except NoRoom as error:
            advice = "--bad-values rescue keeps such values in a column of their own, --bad-values null drops them"
            raise _DoesNotFit(f"{error.sentence}; {advice}") from error
        except SameName as error:
            raise _DoesNotFit(str(error)) from error

    def remarks(self) -> list[str]:
        return [it.replace("bad_values='rescue'", "--bad-values rescue") for it in self._batches.remarks()]


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
