"""Handles several documents, in one or several processes, and writes the result of each."""

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Final

import click

from xml5tree.cli.options import ONE, Jobs
from xml5tree.cli.progress import Progress
from xml5tree.cli.rendering import printable
from xml5tree.cli.replacement import BinaryFile, CannotWrite, Replacement
from xml5tree.cli.severity import OK, SERIOUS, USAGE, worst_first
from xml5tree.cli.sources import CannotRead, InputDocument, complain, is_strict, reason
from xml5tree.cli.workers import CAN_FORK, Captured, Died, redirected, results
from xml5tree.errors.codes import KEPT, Effect
from xml5tree.errors.log import ParseError
from xml5tree.errors.wording import number_of
from xml5tree.options import Options, assuming_nothing

#: Rows of the table.
_SHOWN: Final = 20


#: The result of a document, by the names of `docs/json.md`.
_Row = dict[str, Any]


def _row(document: InputDocument, status: int, seconds: float, problem: str) -> _Row:
    severity = document.severity
    return {
        "file": document.name,
        "status": status,
        "effect": severity.effect_on_tree if severity.number else None,
        "truncated": severity.truncated,
        "errors": severity.number,
        "counts": {code: tally.number for code, tally in severity.tallies.items()},
        "verdict": None if problem else severity.verdict,
        "seconds": round(seconds, 6),
        "bytes": document.size if document.path is not None and document.path.is_file() else None,
        "problem": problem or None,
        "uri": document.in_json.get("uri"),
    }


@contextmanager
def _summary(target: str | None) -> Iterator[list[_Row]]:
    """Write the results that are added to the list to a path, or for ``-`` as a table on standard error."""
    rows: list[_Row] = []
    with nullcontext() if target in {None, "-"} else Replacement(Path(str(target))) as file:
        yield rows
        if file is None:
            if target == "-":
                _show(rows)
            return
        if str(target).endswith(".parquet"):
            from xml5tree.arrow.parquet import write_summary

            write_summary(BinaryFile(file.write), rows)
        else:
            for row in rows:
                file.write(f"{json.dumps(row, ensure_ascii=False)}\n".encode("utf-8", "backslashreplace"))
        file.commit()


def _rank(row: _Row) -> tuple[int, ...]:
    """Return the key that puts the worst files first: of those with the same status, the ones without a tree."""
    effect: Effect | None = row["effect"] if row["errors"] or row["problem"] else KEPT
    return -row["status"], *worst_first(effect, row["truncated"], row["errors"])


def _show(rows: list[_Row]) -> None:
    lines = [("status", "verdict", "errors", "seconds", "bytes", "file")]
    for row in sorted(rows, key=_rank)[:_SHOWN]:
        size = "" if row["bytes"] is None else f"{row['bytes']:,}"
        name = f"{row['file']}: {printable(row['problem'])}" if row["problem"] else row["file"]
        seconds = f"{row['seconds']:.3f}"
        lines.append((str(row["status"]), row["verdict"] or "", f"{row['errors']:,}", seconds, size, name))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for *cells, file in lines:
        shown = [cell.rjust(width) for cell, width in zip(cells, widths, strict=False)]
        shown[1] = cells[1].ljust(widths[1])
        click.echo("  ".join([*shown, file]), err=True)
    if len(rows) > _SHOWN:
        click.echo(f"and {number_of(len(rows) - _SHOWN, 'more file')}", err=True)
    statuses = Counter(row["status"] for row in rows)
    said = ", ".join(f"{count:,} with status {status}" for status, count in sorted(statuses.items()))
    errors, total, time_spent = (sum(row[name] or 0 for row in rows) for name in ("errors", "bytes", "seconds"))
    click.echo(
        f"{number_of(len(rows), 'file')}: {said}; {number_of(errors, 'error')}; "
        f"{total / 1e6:,.1f} MB; {time_spent:,.1f} s of work",
        err=True,
    )


def for_each(
    sources: Iterable[InputDocument],
    action: Callable[[InputDocument], Any],
    jobs: Jobs = ONE,
    *,
    take: Callable[[InputDocument, Any, str], object] | None = None,
    output: Callable[[bytes], object] | None = None,
) -> int:
    """Carry out an action for each document; name one that cannot be read, and go on. Return the highest status.

    Output comes in the order of the documents. Raises `OSError` if a standard stream cannot be written to.

    Args:
        sources: the documents.
        action: returns the exit status, or it and a value; or raises `ParseError`, `CannotRead` or `CannotWrite`. May
            run in another process, where changes to objects are lost.
        jobs: how to work through the documents.
        take: called here, in order, with each document, the value, None without one, and why it cannot be read, or "".
        output: takes what another process writes to standard output; None: it goes to standard output.
    """
    documents = list(sources)
    is_many = jobs.number > 1 and len(documents) > 1 and CAN_FORK
    status = OK
    with (
        Progress([document.size for document in documents], is_shared=is_many) as progress,
        _behind(progress),
        _summary(jobs.summary) as summary,
        closing(_results(documents, action, jobs, output, progress, is_many=is_many)) as found,
    ):
        for number, (row, value) in enumerate(found):
            status = max(status, row["status"])
            if jobs.summary is not None:
                summary.append(row)
            if take is not None:
                take(documents[number], value, row["problem"] or "")
            sys.stdout.flush()  # a reader of a pipe need not wait for the next document
            progress.done(number, row["errors"])
    return status


def _behind(progress: Progress) -> ExitStack:
    """Have the bar leave the terminal to what is written there."""
    streams = sys.stdout, sys.stderr

    def write(is_error: bool, data: bytes) -> None:
        progress.hide()
        streams[is_error].buffer.write(data)
        streams[is_error].flush()

    return redirected(write, only_terminals=True) if progress.is_shown else ExitStack()


def _results(
    documents: list[InputDocument],
    action: Callable[[InputDocument], Any],
    jobs: Jobs,
    output: Callable[[bytes], object] | None,
    progress: Progress,
    *,
    is_many: bool,
) -> Generator[tuple[_Row, Any]]:
    """Yield the result of each document, and what the action has returned, once its output has been written."""

    def work(number: int) -> tuple[_Row, Any]:
        document = documents[number]

        def advance(position: int) -> None:
            progress.at(number, position, document.severity.number)
            if not is_many:
                progress.draw()

        document.advance = advance if progress.is_shown else None
        return _do(document, action)

    if not is_many:
        yield from map(work, range(len(documents)))
        return
    with closing(results(work, len(documents), jobs.number, progress.draw)) as found:
        for document, (result, captured) in zip(documents, found, strict=True):
            _write(captured, output)
            if isinstance(result, Died):
                problem = "the process that read it has ended; is there enough memory?"
                complain(document, problem)
                result = _row(document, USAGE, 0.0, problem), None
            yield result


def _write(captured: Captured, output: Callable[[bytes], object] | None) -> None:
    for is_error, data in captured.parts():
        sys.stdout.flush()
        if is_error:
            sys.stderr.write(data.decode(sys.stderr.encoding, "replace"))
            sys.stderr.flush()
        else:
            (output or sys.stdout.buffer.write)(bytes(data))


def _do(document: InputDocument, action: Callable[[InputDocument], Any]) -> tuple[_Row, Any]:
    started = time.perf_counter()
    value = None
    problem = ""
    try:
        done = action(document)
        status, value = done if isinstance(done, tuple) else (done, None)
    except ParseError as error:
        complain(document, document.refusal(error))
        status = SERIOUS
    except (CannotRead, CannotWrite) as error:
        problem = reason(document, error)
        complain(document, problem)
        status = USAGE
    finally:
        document.close()
    if document.damage:
        complain(document, document.damage)
        status, problem = USAGE, document.damage
    return _row(document, status, time.perf_counter() - started, problem), value


def strictly(action: Callable[[InputDocument, Options], Any], reading: Options) -> Callable[[InputDocument], Any]:
    """Return a function that calls `action` with a document and the options to read it; it may raise `ParseError`."""
    # A well-formed document is the same however broken ones are read, so that `action` needs no strict way of its own.
    if not is_strict(reading):
        return lambda source: action(source, source.settled(reading))

    def act(source: InputDocument) -> Any:
        source.refuse(reading)
        return action(source, assuming_nothing(reading))

    return act
