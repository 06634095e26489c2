"""Worker processes whose results, and what they write, come in order."""

# They are forked and know what this process knows; only numbers and results are sent.

import gc
import io
import os
import pickle
import signal
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NoReturn

from xml5tree.cli.replacement import BinaryFile

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor


CAN_FORK: Final = hasattr(os, "fork")

#: Pieces, for each process, that may be done before the first one that is not.
_AHEAD: Final = 64
#: Seconds after which the caller has a turn.
_INTERVAL: Final = 0.1
#: Seconds after which a process that has not ended is killed.
_PATIENCE: Final = 2.0
#: Bytes that are kept in memory; more is kept in a temporary file.
_IN_MEMORY: Final = 1 << 24


class Captured:
    """All that was written to both streams, in order; it can be pickled, and is read once."""

    def __init__(self) -> None:
        self._parts: list[tuple[bool, bytearray]] = []  # what consecutively went to one stream
        self._size = 0
        self._path: str | None = None

    def write(self, is_error: bool, data: bytes) -> None:
        if not self._parts or self._parts[-1][0] != is_error:
            self._parts.append((is_error, bytearray()))
        self._parts[-1][1].extend(data)
        self._size += len(data)
        if self._size > _IN_MEMORY:
            if self._path is None:
                descriptor, self._path = tempfile.mkstemp(prefix="xml5tree-")
                os.close(descriptor)
            with open(self._path, "ab") as file:
                pickle.dump(self._parts, file)
            self._parts, self._size = [], 0

    def parts(self) -> Iterator[tuple[bool, bytes | bytearray]]:
        """Yield the parts, each with whether it went to standard error, and remove what is kept in a file."""
        try:
            if self._path is not None:
                with open(self._path, "rb") as file, suppress(EOFError):
                    while True:
                        yield from pickle.load(file)
            yield from self._parts
        finally:
            if self._path is not None:
                with suppress(OSError):
                    os.unlink(self._path)


def redirected(write: Callable[[bool, bytes], object], *, only_terminals: bool = False) -> ExitStack:
    """Have `write` take what is written to standard output and error (True), until the result is closed."""
    stack = ExitStack()
    for is_error, stream in enumerate((sys.stdout, sys.stderr)):
        if stream.isatty() or not only_terminals:
            file = BinaryFile(partial(write, bool(is_error)))
            text: Any = io.TextIOWrapper(file, stream.encoding, "backslashreplace", newline="", write_through=True)
            text.isatty = stream.isatty
            stack.enter_context(redirect_stderr(text) if is_error else redirect_stdout(text))
    return stack


#: What the next processes will work on; in a process, what a piece of work has written.
_work: Callable[[int], Any]
_captured: Captured | None = None


class Died(Exception):
    """A process has ended while it was at a piece of work."""


def is_worker() -> bool:
    return _captured is not None


def _stop(*arguments: object) -> NoReturn:
    """End the process by an exception, so that it removes what it has begun to write."""
    sys.exit()


def _begin() -> None:
    gc.freeze()  # what was there before need not be looked through again and again
    signal.signal(signal.SIGTERM, _stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process is interrupted, and ends the others
    redirected(_keep)


def _keep(is_error: bool, data: bytes) -> None:
    if _captured is not None:  # else the process is being ended
        _captured.write(is_error, data)


def _do(number: int) -> tuple[Any, Captured]:
    global _captured
    _captured = captured = Captured()
    try:
        return _work(number), captured
    except SystemExit:  # all that was begun is removed; the executor would go on with the next piece
        os._exit(1)
    finally:
        _captured = None


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
        children = [child for child in active_children() if child not in others]
        for child in children:
            child.terminate()
        for child in children:
            child.join(_PATIENCE)
            child.kill()


def results(work: Callable[[int], Any], count: int, jobs: int, wait: Callable[[], object]) -> Generator[Any]:
    """Yield the result of each piece of work, in order, with what it has written; `Died` if its process has ended.

    `wait` is called again and again until a result is there. An exception in a piece is raised here.
    """
    global _work
    from concurrent.futures import Future
    from concurrent.futures.process import BrokenProcessPool

    def result(future: "Future[Any]") -> Any:
        while not future.done():
            try:
                return future.result(_INTERVAL)
            except TimeoutError:
                wait()
        return future.result()

    _work = work
    futures: dict[int, Future[Any]] = {}
    number = 0
    while number < count:
        try:
            with _processes(min(jobs, count - number)) as executor:
                while number < count:
                    for following in range(number, min(count, number + _AHEAD * jobs)):
                        if following not in futures:
                            futures[following] = executor.submit(_do, following)
                    yield result(futures[number])
                    del futures[number]
                    number += 1
        except BrokenProcessPool:  # which of the pieces has ended its process is not known, so this one is done alone
            futures = {key: future for key, future in futures.items() if future.done() and not future.exception()}
            if number in futures:
                continue
            try:
                with _processes(1) as executor:
                    yield result(executor.submit(_do, number))
            except BrokenProcessPool:
                yield Died(), Captured()
            number += 1
