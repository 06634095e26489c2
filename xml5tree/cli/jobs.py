"""Handles several documents, in one or several processes."""

import os
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import wraps
from typing import Any, NamedTuple

import click

from xml5tree.cli.capture import Captured, capture
from xml5tree.cli.progress import TotalProgress, forwarding
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
    """The status and the value that the action has returned, a row of the summary, and output not yet written."""

    status: int
    value: Any
    row: FileResult | None
    output: Captured | None


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
        output: takes captured standard output (`xml5tree.cli.capture`); None: it goes to standard output.
    """
    documents = list(sources)
    status = OK
    with ExitStack() as stack:
        summary = stack.enter_context(Summary(jobs.summary))
        for result in stack.enter_context(closing(_results(documents, action, unread, jobs, output))):
            status = max(status, result.status)
            if result.row is not None:
                summary.take(result.row)
            if take is not None and result.value is not None:
                take(result.value)
            sys.stdout.flush()  # a reader of a pipe need not wait for the next document
    return status


def _results(
    documents: list[InputDocument],
    action: Callable[[InputDocument], Any],
    unread: Callable[[InputDocument, str], Any] | None,
    jobs: Jobs,
    output: Callable[[bytes], object] | None,
) -> Generator[_Result]:
    """Yield the result of each document, once its output has been written."""
    count = len(documents)
    progress = TotalProgress(count, lambda: [document.size for document in documents]) if count > 1 else None
    is_many = jobs.number > 1 and CAN_FORK
    if progress is None or not (is_many or progress.is_shown):
        for document in documents:
            yield _do(document, action, unread, jobs)
        return

    def work(number: int, report: Callable[[int], None]) -> _Result:
        with capture() as captured, forwarding(report):
            result = _do(documents[number], action, unread, jobs)
        return result._replace(output=captured) if captured.is_any else result

    found: Iterator[Any]
    if is_many:
        found = results(work, count, jobs.number, progress.at)
    else:
        found = (work(number, lambda at, number=number: progress.at(number, at)) for number in range(count))  # type: ignore[misc]
    try:
        for number, (document, result) in enumerate(zip(documents, found, strict=True)):
            progress.hide()
            if isinstance(result, Died):
                problem = "the process that read it has ended; is there enough memory?"
                complain(document, problem)
                value = None if unread is None else unread(document, problem)
                result = _Result(USAGE, value, FileResult.of(document, USAGE, 0.0, problem), None)
            if result.output is not None:
                _write(result.output, output)
            progress.done(number)
            yield result
    finally:
        progress.hide()
        found.close()  # type: ignore[attr-defined]


def _write(captured: Captured, output: Callable[[bytes], object] | None) -> None:
    try:
        for is_error, data in captured.parts():
            if is_error:
                sys.stdout.flush()
                sys.stderr.write(data.decode(sys.stderr.encoding, "replace"))
                sys.stderr.flush()
            elif output is not None:
                output(data)
            else:
                sys.stdout.flush()
                sys.stdout.buffer.write(data)
    finally:
        captured.discard()


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
    return _Result(status, value, row, None)
