"""Handles several documents, in one or several processes, and writes the result of each."""

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Final, Self

import click

from xml5tree.cli.options import ONE, Jobs
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
#: Bytes from which a bar is worth its line, and those that opening a file is worth.
_WORTH_A_BAR: Final = 20_000_000
_OF_OPENING: Final = 4096
_INTERVAL: Final = 0.1
#: Clears the line of a terminal.
_CLEAR: Final = "\r\x1b[K"

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


class Progress:
    """Shows bytes, rate and errors of all documents on standard error; a context manager.

    `is_shown` says whether there is a bar: on a terminal, for large documents.
    """

    def __init__(self, sizes: Sequence[int], *, is_shared: bool = False) -> None:
        """Set the sizes of the documents; `is_shared` lets forked processes call `at`."""
        self._stream = sys.stderr
        self._total = sum(sizes) + _OF_OPENING * len(sizes)
        self._sizes = sizes
        self.is_shown = self._total >= _WORTH_A_BAR and self._stream.isatty()
        self._started = self._moved = time.monotonic()
        self._is_begun = self._is_drawn = False
        self._done = 0
        self._bar: Any = None
        #: How far each document has been read, and how many errors it has so far.
        self._positions: Any = [0] * len(sizes)
        self._errors: Any = [0] * len(sizes)
        if self.is_shown:
            self._bar = click.progressbar(
                length=self._total,
                file=self._stream,
                width=10,
                show_eta=False,
                bar_template="[%(bar)s]  %(info)s",
                item_show_func=lambda _: self._text(),
            )
            if is_shared:
                from multiprocessing.sharedctypes import RawArray

                self._positions, self._errors = RawArray("q", len(sizes)), RawArray("q", len(sizes))

    def at(self, number: int, position: int, errors: int) -> None:
        """Note how far a document has been read, and how many errors it has."""
        self._positions[number] = max(position, self._positions[number])
        self._errors[number] = errors

    def done(self, number: int, errors: int) -> None:
        self.at(number, self._sizes[number], errors)
        self._done += 1

    def draw(self, *, at_once: bool = False) -> None:
        now = time.monotonic()
        if self._bar is None or (now - self._moved < _INTERVAL and not at_once):
            return
        self._moved = now
        self._is_begun = self._is_drawn = True
        self._bar.pos = sum(self._positions) + _OF_OPENING * self._done
        self._bar.make_step(0)
        self._bar.render_progress()

    def hide(self) -> None:
        """Clear the line for a message; the bar comes again below it."""
        if self._is_drawn:
            self._stream.write(_CLEAR)
            self._stream.flush()
            self._is_drawn = False

    def _text(self) -> str:
        size = sum(self._positions)
        files = f"{self._done:,} of {len(self._sizes):,} files, " if len(self._sizes) > 1 else ""
        rate = size / max(time.monotonic() - self._started, 0.001)
        return f"{files}{size / 1e6:,.0f} MB, {rate / 1e6:.1f} MB/s, {number_of(sum(self._errors), 'error')}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.draw(at_once=True)
        if self._is_begun:
            self._bar.render_finish()


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
