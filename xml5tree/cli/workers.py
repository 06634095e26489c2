"""Worker processes whose results come in order."""

# They are forked and know what this process knows; only numbers and results are sent.

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NoReturn

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

__all__ = ["CAN_FORK", "Died", "Work", "results"]

CAN_FORK: Final = hasattr(os, "fork")

#: A piece of work, given its number and a function that takes its position.
Work = Callable[[int, Callable[[int], None]], Any]

#: Pieces, for each process, that may be done before the first one that is not.
_AHEAD: Final = 64
#: Seconds after which positions are told.
_INTERVAL: Final = 0.1
#: Seconds after which a process that has not ended is asked again.
_PATIENCE: Final = 2.0

#: What the next processes will work on, and the positions of the pieces, which all processes share.
_work: Work
_positions: Any


class Died(Exception):
    """A process has ended while it was at a piece of work."""


def _stop(*arguments: object) -> NoReturn:
    """End the process by an exception, so that it removes what it has begun to write."""
    sys.exit()


def _begin() -> None:
    gc.freeze()  # what was there before need not be looked through again and again
    signal.signal(signal.SIGTERM, _stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process is interrupted, and ends the others


def _do(number: int) -> Any:
    return _work(number, lambda position: _positions.__setitem__(number, position))


@contextmanager
def _processes(jobs: int) -> "Iterator[ProcessPoolExecutor]":
    """Make processes, and end them whatever they are at."""
    # These take long to import, and one process does without them.
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import active_children, get_context

    sys.stdout.flush()  # what has not been written yet, a forked process would write, too
    sys.stderr.flush()
    others = active_children()
    executor = ProcessPoolExecutor(jobs, get_context("fork"), _begin)
    try:
        yield executor
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        # The exception may be lost, as Python ignores those in finalizers and callbacks, so it is repeated.
        while children := [child for child in active_children() if child not in others]:
            for child in children:
                child.terminate()
            for child in children:
                child.join(_PATIENCE)


def _wait(future: "Future[Any]", numbers: Iterator[int], on_position: Callable[[int, int], None]) -> Any:
    """Return the result of a piece; until it is there, tell the positions of those that are under way."""
    under_way = [*numbers]
    while True:
        try:
            return future.result(_INTERVAL)
        except TimeoutError:
            if future.done():  # the piece has raised it
                raise
            for number in under_way:
                if _positions[number]:
                    on_position(number, _positions[number])


def results(work: Work, count: int, jobs: int, on_position: Callable[[int, int], None]) -> Iterator[Any]:
    """Yield the results of pieces of work in order; `Died` for one whose process has ended.

    `on_position` is called with the number and the position of a piece. An exception in a piece is raised here.
    """
    global _work, _positions
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing.sharedctypes import RawArray

    _work, _positions = work, RawArray("q", count)
    futures: dict[int, Future[Any]] = {}
    number = 0
    while number < count:
        try:
            with _processes(min(jobs, count - number)) as executor:
                while number < count:
                    for following in range(number, min(count, number + _AHEAD * jobs)):
                        if following not in futures:
                            futures[following] = executor.submit(_do, following)
                    yield _wait(futures[number], iter(futures), on_position)
                    del futures[number]
                    number += 1
        except BrokenProcessPool:  # which of the pieces has ended its process is not known, so this one is done alone
            futures = {key: future for key, future in futures.items() if future.done() and not future.exception()}
            if number not in futures:
                yield _alone(number)
                number += 1


def _alone(number: int) -> Any:
    from concurrent.futures.process import BrokenProcessPool

    try:
        with _processes(1) as executor:
            return executor.submit(_do, number).result()
    except BrokenProcessPool:
        return Died()
