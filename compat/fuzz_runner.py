"""Try documents in a process of their own, so that what kills or stalls the process is a finding and not the end."""

import multiprocessing
import resource
import signal
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

__all__ = ["Result", "Runner", "minimised"]

#: Takes a document and the number of a variant; gives the invariants that fail, with details.
Check = Callable[[bytes, int], dict[str, str]]

#: Bytes of address space, of which the interpreter and the libraries have some 300 MB.
MEMORY = 2 << 30
#: Seconds until a document counts as one that never ends.
PATIENCE = 120.0
#: Documents up to this length are traced: that takes a hundred times as long as to read them.
_MOST_TRACED = 2000


class Result(NamedTuple):
    """What became of a document.

    Attributes:
        failures: the invariants that fail, with details; a crash is one, too.
        is_new: whether it went a way through the code that no document went before.
    """

    failures: dict[str, str]
    is_new: bool


class Runner:
    """A process that tries documents, and another one when it is gone."""

    def __init__(self, check: Check, patience: float = PATIENCE) -> None:
        """Set what is asked of a document: a function that can be imported; and for how many seconds."""
        self._check = check
        self._patience = patience
        self._process: Any = None
        self._pipe: Any = None

    def run(self, data: bytes, variant: int, *, traced: bool = False) -> Result:
        """Try a document; `traced`: find out whether its way through the code is new."""
        if self._process is None:
            self._start()
        self._pipe.send((data, variant, traced))
        try:
            if self._pipe.poll(self._patience):
                return Result(*self._pipe.recv())
            failure = {"hang": f"no answer after {self._patience:.0f} s"}
        except (EOFError, ConnectionError):
            self._process.join()
            failure = {_reason(self._process.exitcode): "the process that read the document is gone"}
        self.stop()
        return Result(failure, False)

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, self._check), daemon=True)
        self._process.start()
        other.close()
        self._pipe.recv()  # until it has imported what it needs: that is not the time of a document

    def stop(self) -> None:
        """End the process, if there is one."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
            self._process = None


def _reason(status: int) -> str:
    return f"crash-{signal.Signals(-status).name}" if status < 0 else f"exit-{status}"


def _serve(pipe: Connection, check: Check) -> None:
    """Try the documents that come, until no more do."""
    from compat.fuzz_coverage import Coverage
    from compat.fuzz_oracles import repair

    pipe.send(None)

    limit_memory()
    coverage = Coverage()
    while True:
        try:
            data, variant, traced = pipe.recv()
        except EOFError:
            return
        is_new = traced and len(data) <= _MOST_TRACED and coverage.is_new(lambda data=data: repair(data))
        pipe.send((check(data, variant), is_new))


def limit_memory() -> None:
    """Have this process run out of memory before the machine does."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, hard))
    # A crash is a finding, and needs no dump of memory.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def minimised(runner: Runner, data: bytes, variant: int, failure: str, seconds: float = 20.0) -> bytes:
    """The shortest document of the same failure that is found in some time, by leaving out pieces."""
    end = time.monotonic() + seconds
    size = len(data) // 2
    while size and time.monotonic() < end:
        place = 0
        while place < len(data) and time.monotonic() < end:
            shorter = data[:place] + data[place + size :]
            if failure in runner.run(shorter, variant).failures:
                data = shorter
            else:
                place += size
        size //= 2
    return data
