"""Worker processes whose results come in order."""

# They are forked and know what this process knows; only numbers and results are sent.

import gc
import os
import signal
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from xml5tree.cli.status import INTERRUPTED

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

__all__ = ["CAN_FORK", "Died", "results"]

CAN_FORK: Final = hasattr(os, "fork")

#: Pieces of work that a process is given at a time: small ones cost less than a message.
_AT_A_TIME: Final = 64
#: Seconds after which a process sends the results that it has, and those of one piece that are worth a message.
_INTERVAL: Final = 0.1
_WORTH_SENDING: Final = 0.005
#: The signal that ends a process; SIGINT is ignored where a command is run in the background.
_STOP: Final = getattr(signal, "SIGUSR1", signal.SIGINT)
#: Seconds after which a process that has not ended gets the signal again.
_PATIENCE: Final = 2.0
#: Pieces, for each process, that may be done before the first one that is not.
_AHEAD: Final = 256


class Died(Exception):
    """A process has ended while it was at a piece of work."""


class _Worker:
    def __init__(self, work: Callable[[int, Callable[[int], None]], Any], others: "list[_Worker]") -> None:
        from multiprocessing import get_context  # takes long to import, and one process does without it

        context = get_context("fork")
        self.connection, theirs = context.Pipe()
        inherited = [self.connection, *(other.connection for other in others)]
        self.process = context.Process(target=_run, args=(work, theirs, inherited), daemon=True)
        self.process.start()
        theirs.close()
        self.given: deque[int] = deque()

    def give(self, numbers: list[int]) -> None:
        with suppress(BrokenPipeError, ConnectionResetError):  # its end is noticed where results are read
            self.connection.send(numbers)
        self.given.extend(numbers)

    def stop(self) -> None:
        """End the process by an exception in it, so that it removes what it has begun to write."""
        # The exception may be lost, as Python ignores those in finalizers and callbacks, so it is repeated.
        self.connection.close()
        while self.process.is_alive():
            if self.process.pid is not None and self.given:
                with suppress(ProcessLookupError):
                    os.kill(self.process.pid, _STOP)
            self.process.join(_PATIENCE)


def _run(
    work: Callable[[int, Callable[[int], None]], Any], connection: "Connection", inherited: "list[Connection]"
) -> None:
    for other in inherited:
        other.close()  # the end of the process that holds them must be noticed
    done: list[Any] = []
    status = 0
    gc.freeze()  # what was there before need not be looked through again and again

    def send(kind: str, answer: Any = None) -> None:
        connection.send((done[:], kind, answer))
        done.clear()

    try:
        signal.signal(_STOP, signal.default_int_handler)
        while True:
            numbers = connection.recv()
            sent = time.monotonic()
            for number in numbers:
                began = time.monotonic()
                try:
                    done.append(work(number, lambda position: send("at", position)))
                except Exception as error:
                    send("failed", f"{type(error).__name__}: {error}\n{traceback.format_exc()}")
                ended = time.monotonic()
                if ended - began > _WORTH_SENDING or ended - sent > _INTERVAL:
                    send("done")
                    sent = ended
            send("done")
    except (EOFError, OSError):
        pass
    except KeyboardInterrupt:
        status = INTERRUPTED
    finally:
        # Buffers inherited by the forked process are not written by it.
        os._exit(status)


def results(
    work: Callable[[int, Callable[[int], None]], Any], count: int, jobs: int, on_position: Callable[[int, int], None]
) -> Iterator[Any]:
    """Yield the results of pieces of work in order; `Died` for one whose process has ended.

    `work` does one of `count` pieces, given its number and a function that takes its position; `on_position` is called
    with the number and the position. An exception in a piece is raised as `RuntimeError` with its message.
    """
    from multiprocessing.connection import wait

    workers: list[_Worker] = []
    todo = deque(range(count))
    done: dict[int, Any] = {}
    suspects: set[int] = set()  # pieces that may have ended a process
    next_one = 0
    try:
        while next_one < count:
            while len(workers) < min(jobs, count - next_one):
                workers.append(_Worker(work, workers))
            # Towards the end, few at a time: the last process to end should not be far behind the others.
            limit = min(_AT_A_TIME, 1 + len(todo) // (4 * jobs))
            # Else a process has the next ones before it asks for them: it need not wait for this one.
            spare = limit if limit == _AT_A_TIME else limit // 2
            for worker in (*workers, *workers):
                if worker.given and (len(worker.given) > spare or suspects):
                    continue
                numbers: list[int] = []
                while todo and len(numbers) < limit and todo[0] < next_one + _AHEAD * jobs:
                    numbers.append(todo.popleft())
                    if numbers[-1] in suspects:
                        break
                if numbers:
                    worker.give(numbers)
            by_connection = {worker.connection: worker for worker in workers}
            for connection in wait(list(by_connection)):
                worker = by_connection[connection]  # type: ignore[index]
                try:
                    finished, kind, answer = worker.connection.recv()
                except (EOFError, OSError):
                    worker.process.join()
                    if worker.process.exitcode == INTERRUPTED:  # and so was this one, or it may have been lost here
                        raise KeyboardInterrupt from None
                    workers.remove(worker)
                    if len(worker.given) == 1:
                        suspects.discard(worker.given[0])
                        done[worker.given.pop()] = Died()
                    else:  # which of them it was at is not known, so each is done again, alone
                        suspects.update(worker.given)
                        todo.extendleft(reversed(worker.given))
                        worker.given.clear()
                    worker.stop()
                    continue
                for result in finished:
                    suspects.discard(worker.given[0])
                    done[worker.given.popleft()] = result
                if kind == "at":
                    on_position(worker.given[0], answer)
                elif kind == "failed":
                    raise RuntimeError(answer)
            while next_one in done:
                yield done.pop(next_one)
                next_one += 1
    finally:
        for worker in workers:
            worker.stop()
