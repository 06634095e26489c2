"""Handles several documents, in one or several processes."""

import os
import sys
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import wraps
from typing import Any, NamedTuple

import click

from xml5tree.cli.capture import Captured, redirected
from xml5tree.cli.progress import Progress
from xml5tree.cli.replacement import CannotWrite
from xml5tree.cli.severity import OK, USAGE
from xml5tree.cli.sources import CannotRead, InputDocument, complain, reason
from xml5tree.cli.summary import FileResult, Summary, summary_target
from xml5tree.cli.workers import CAN_FORK, Died, results

__all__ = ["Jobs", "for_each", "jobs_options"]


@dataclass(frozen=True, slots=True)
class Jobs:
    """How to work through documents: the number of processes, and the target of the summary: a path, ``-``, or None."""

    number: int = 1
    summary: str | None = None


def jobs_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add ``--jobs`` and ``--summary``, which the command gets as `jobs`."""

    @click.option(
        "-j",
        "--jobs",
        type=click.IntRange(min=0),
        default=1,
        show_default=True,
        metavar="N",
        help="Read so many files at a time; 0: one for each processor.",
    )
    @click.option(
        "--summary",
        metavar="OUT",
        callback=summary_target,
        help="Write what came of each file to this file, .jsonl or .parquet; - shows a table on standard error.",
    )
    @wraps(command)
    def with_jobs(*, jobs: int, summary: str | None, **others: Any) -> int:
        return command(jobs=Jobs(jobs or os.cpu_count() or 1, summary), **others)

    return with_jobs


class _Result(NamedTuple):
    """The status and the value that the action has returned, the number of errors, and a row of the summary."""

    status: int
    value: Any
    errors: int
    row: FileResult | None


def for_each(
    sources: Iterable[InputDocument],
    action: Callable[[InputDocument], Any],
    jobs: Jobs,
    *,
    take: Callable[[Any], object] | None = None,
    unread: Callable[[InputDocument, str], Any] | None = None,
    output: Callable[[bytes], object] | None = None,
) -> int:
    """Carry out an action for each document; name one that cannot be read, and go on. Return the highest status.

    Output comes in the order of the documents. Raises `OSError` if a standard stream cannot be written to.

    Args:
        sources: the documents.
        action: returns the exit status, or it and a value; may run in another process, where changes to objects are
            lost.
        jobs: how to work through the documents.
        take: called here with the values, in order.
        unread: returns the value of a document that cannot be read, given the reason.
        output: takes what another process writes to standard output; None: it goes to standard output.
    """
    documents = list(sources)
    is_many = jobs.number > 1 and len(documents) > 1 and CAN_FORK
    status = OK
    with (
        Progress([document.size for document in documents], is_shared=is_many) as progress,
        _behind(progress),
        Summary(jobs.summary) as summary,
        closing(_results(documents, action, unread, jobs, output, progress, is_many=is_many)) as found,
    ):
        for number, result in enumerate(found):
            status = max(status, result.status)
            if result.row is not None:
                summary.take(result.row)
            if take is not None and result.value is not None:
                take(result.value)
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
    unread: Callable[[InputDocument, str], Any] | None,
    jobs: Jobs,
    output: Callable[[bytes], object] | None,
    progress: Progress,
    *,
    is_many: bool,
) -> Generator[_Result]:
    """Yield the result of each document, once its output has been written."""

    def work(number: int) -> _Result:
        document = documents[number]

        def advance(position: int) -> None:
            progress.at(number, position, document.counts.total())
            if not is_many:
                progress.draw()

        document.advance = advance if progress.is_shown else None
        return _do(document, action, unread, jobs)

    if not is_many:
        yield from map(work, range(len(documents)))
        return
    with closing(results(work, len(documents), jobs.number, progress.draw)) as found:
        for document, (result, captured) in zip(documents, found, strict=True):
            _write(captured, output)
            if isinstance(result, Died):
                problem = "the process that read it has ended; is there enough memory?"
                complain(document, problem)
                value = None if unread is None else unread(document, problem)
                result = _Result(USAGE, value, 0, FileResult.of(document, USAGE, 0.0, problem))
            yield result


def _write(captured: Captured, output: Callable[[bytes], object] | None) -> None:
    for is_error, data in captured.parts():
        sys.stdout.flush()
        if is_error:
            sys.stderr.write(data.decode(sys.stderr.encoding, "replace"))
            sys.stderr.flush()
        else:
            (output or sys.stdout.buffer.write)(bytes(data))


def _do(
    document: InputDocument,
    action: Callable[[InputDocument], Any],
    unread: Callable[[InputDocument, str], Any] | None,
    jobs: Jobs,
) -> _Result:
    started = time.perf_counter()
    value = None
    problem = ""
    try:
        done = action(document)
        status, value = done if isinstance(done, tuple) else (done, None)
    except (CannotRead, CannotWrite) as error:
        problem = reason(document, error)
        complain(document, problem)
        status = USAGE
        if unread is not None and isinstance(error, CannotRead):
            value = unread(document, problem)
    finally:
        document.close()
    if document.damage:
        complain(document, document.damage)
        status, problem = USAGE, document.damage
    row = None if jobs.summary is None else FileResult.of(document, status, time.perf_counter() - started, problem)
    return _Result(status, value, document.counts.total(), row)
