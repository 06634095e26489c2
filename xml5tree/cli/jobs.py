"""Handles several documents, in one or several processes, and writes the result of each."""

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from xml5tree.cli.options import ONE, Jobs
from xml5tree.cli.progress import Progress
from xml5tree.cli.rendering import number_of, printable
from xml5tree.cli.replacement import BinaryFile, CannotWrite, Replacement
from xml5tree.cli.severity import OK, SERIOUS, USAGE, worst_first
from xml5tree.cli.sources import CannotRead, InputDocument, complain, is_strict, reason
from xml5tree.cli.workers import CAN_FORK, Captured, Died, redirected, results
from xml5tree.errors.codes import KEPT, Effect, Verdict
from xml5tree.errors.log import ParseError
from xml5tree.options import Options, assuming_nothing

__all__ = ["for_each", "strictly"]

#: Rows of the table.
_SHOWN: Final = 20


class FileResult(NamedTuple):
    """The result of a document.

    Attributes:
        effect: the worst effect of its errors; None without errors or tree, or where the command does not look.
        truncated: whether it is cut off.
        verdict: as `ErrorLog.verdict`; None if it could not be read.
        counts: the number of errors of each code.
        seconds: the time that it took.
        bytes: the size of the file; None without one.
        problem: why it was not read, or not to its end.
        uri: the path, percent-encoded, where `file` differs from it; else None.
    """

    file: str
    status: int
    effect: Effect | None
    truncated: bool
    errors: int
    counts: dict[str, int]
    verdict: Verdict | None
    seconds: float
    bytes: int | None
    problem: str | None
    uri: str | None

    @classmethod
    def of(cls, document: InputDocument, status: int, seconds: float, problem: str) -> "FileResult":
        counts = dict(document.severity.counts.most_common())
        severity = document.severity
        effect = severity.effect if counts and severity.has_tree else None
        size = document.size if document.path is not None and document.path.is_file() else None
        return cls(
            document.name,
            status,
            effect,
            severity.truncated,
            sum(counts.values()),
            counts,
            None if problem else severity.verdict,
            round(seconds, 6),
            size,
            problem or None,
            document.in_json.get("uri"),
        )


@contextmanager
def _summary(target: str | None) -> Iterator[list[FileResult]]:
    """Write the results that are added to the list to a path, or for ``-`` as a table on standard error."""
    rows: list[FileResult] = []
    with nullcontext() if target in {None, "-"} else Replacement(Path(str(target))) as file:
        yield rows
        if file is None:
            if target == "-":
                _show(rows)
            return
        if str(target).endswith(".parquet"):
            from xml5tree.arrow.parquet import SummaryFile

            writer = SummaryFile(BinaryFile(file.write))
            writer.write([row._asdict() for row in rows])
            writer.close()
        else:
            for row in rows:
                line = json.dumps(row._asdict(), ensure_ascii=False) + "\n"
                file.write(line.encode("utf-8", "backslashreplace"))
        file.commit()


def _rank(row: FileResult) -> tuple[int, ...]:
    """Return the key that puts the worst files first: of those with the same status, the ones without a tree."""
    effect = row.effect if row.errors or row.problem else KEPT
    return -row.status, *worst_first(effect, row.truncated, row.errors)


def _show(rows: list[FileResult]) -> None:
    ranked = sorted(rows, key=_rank)
    lines = [("status", "verdict", "errors", "seconds", "bytes", "file")]
    for row in ranked[:_SHOWN]:
        size = "" if row.bytes is None else f"{row.bytes:,}"
        name = f"{row.file}: {printable(row.problem)}" if row.problem else row.file
        lines.append((str(row.status), row.verdict or "", f"{row.errors:,}", f"{row.seconds:.3f}", size, name))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for status, verdict, *numbers, file in lines:
        cells = [status.rjust(widths[0]), verdict.ljust(widths[1])]
        cells += [number.rjust(width) for number, width in zip(numbers, widths[2:], strict=False)]
        click.echo("  ".join([*cells, file]), err=True)
    if len(rows) > _SHOWN:
        click.echo(f"and {number_of(len(rows) - _SHOWN, 'more file')}", err=True)
    statuses = Counter(row.status for row in rows)
    said = ", ".join(f"{count:,} with status {status}" for status, count in sorted(statuses.items()))
    total = sum(row.bytes or 0 for row in rows)
    click.echo(
        f"{number_of(len(rows), 'file')}: {said}; {number_of(sum(row.errors for row in rows), 'error')}; "
        f"{total / 1e6:,.1f} MB; {sum(row.seconds for row in rows):,.1f} s of work",
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
        for number, (result, value) in enumerate(found):
            status = max(status, result.status)
            if jobs.summary is not None:
                summary.append(result)
            if take is not None:
                take(documents[number], value, result.problem or "")
            sys.stdout.flush()  # a reader of a pipe need not wait for the next document
            progress.done(number, result.errors)
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
) -> Generator[tuple[FileResult, Any]]:
    """Yield the result of each document, and what the action has returned, once its output has been written."""

    def work(number: int) -> tuple[FileResult, Any]:
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
                result = FileResult.of(document, USAGE, 0.0, problem), None
            yield result


def _write(captured: Captured, output: Callable[[bytes], object] | None) -> None:
    for is_error, data in captured.parts():
        sys.stdout.flush()
        if is_error:
            sys.stderr.write(data.decode(sys.stderr.encoding, "replace"))
            sys.stderr.flush()
        else:
            (output or sys.stdout.buffer.write)(bytes(data))


def _do(document: InputDocument, action: Callable[[InputDocument], Any]) -> tuple[FileResult, Any]:
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
    return FileResult.of(document, status, time.perf_counter() - started, problem), value


def strictly(action: Callable[[InputDocument, Options], Any], reading: Options) -> Callable[[InputDocument], Any]:
    """Return a function that calls `action` with a document and the options to read it; it may raise `ParseError`."""
    # A well-formed document is the same however broken ones are read, so that `action` needs no strict way of its own.
    if not is_strict(reading):
        return lambda source: action(source, source.settled(reading))

    def act(source: InputDocument) -> Any:
        source.refuse(reading)
        return action(source, assuming_nothing(reading))

    return act
