"""The life cycle of parser objects, also of those that a fork of the process finds in use."""

import os
import sys
from _thread import allocate_lock, get_ident
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib import _bootstrap, import_module
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypeVar

from xml5tree.documents import kind_of, text_or_bytes
from xml5tree.errors.log import ErrorLog

if TYPE_CHECKING:
    from threading import Thread


#: The object that works on one document, such as a pipeline.
_Work = TypeVar("_Work")

#: Packages whose modules functions of xml5tree import, and which do nothing for long when they are imported.
_PACKAGES: Final = {"xml5tree", "lxml", "html5lib", *sys.stdlib_module_names}

#: How many forks there were since this package was imported, up to that which has made this process.
_forks = 0


def _current_thread() -> "Thread":
    """Return the calling thread itself: another thread may get its number once it has ended."""
    from threading import current_thread  # for lxml only

    return current_thread()


class LifeCycle(Generic[_Work]):
    """The state of a parser object between and within documents.

    It is fresh at first, feeding from the first part of a document on, and closed or failed when the document has
    ended. Any exception out of a step makes the document fail, also one of callbacks, targets and signal handlers; the
    next step begins another document. Data of a wrong type makes no step. One thread at a time can take a step; another
    one that tries is refused. With `one_thread`, all steps of a document belong to one thread. A copy is fresh.
    """

    __slots__ = ("_drop", "_forks", "_home", "_kind", "_lock", "_one_thread", "_owner", "_work", "state")

    def __init__(self, drop: Callable[[_Work], None] | None = None, *, one_thread: bool = False) -> None:
        """Set what does not change; `drop` gets the object that works on a document which fails or is given up."""
        self.state: Literal["fresh", "feeding", "closed", "failed"] = "fresh"
        self._work: _Work | None = None
        self._kind: type | None = None  # of the parts so far
        self._lock = allocate_lock()
        self._forks = _forks
        self._owner: int | None = None  # the thread that takes a step
        self._drop = drop
        self._one_thread = one_thread
        self._home: Thread | None = None  # where the document has begun, if it must stay there

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        if self.is_feeding:
            raise TypeError("a parser cannot be copied or pickled while it is fed a document")
        return partial(type(self), one_thread=self._one_thread), (self._drop,)

    @property
    def is_feeding(self) -> bool:
        return self.state == "feeding"

    def accept(self, data: Any) -> str | bytes:
        """Return a part as text or bytes; raise `TypeError` for another type, and what `require_idle` raises."""
        part = text_or_bytes(data)
        self.require_idle()
        self._kind = kind_of(part, self._kind if self.is_feeding else None)
        return part

    def prepare(self, begin: Callable[[], _Work]) -> _Work:
        if self._work is None:
            self._work = begin()
        return self._work

    @contextmanager
    def step(self, begin: Callable[[], _Work], *, last: bool = False, whole: bool = False) -> Iterator[_Work]:
        """Take a step with the object yielded, which `begin` makes for a new document; `last` ends the document.

        A `whole` document is read in one step, for which other threads are waited for.
        """
        with self.exclusive(wait=whole):
            if whole:
                self._end("fresh")
            try:
                work = self.prepare(begin)
                self.state = "feeding"
                if self._one_thread:
                    self._home = _current_thread()
                yield work
            except BaseException:
                self._end("failed")
                raise
            if last or whole:
                self._end("closed")

    @contextmanager
    def exclusive(self, *, wait: bool = False) -> Iterator[None]:
        """Exclude other steps meanwhile; with `wait`, wait for those of other threads."""
        if self._forks != _forks:
            self._forget_threads()
        is_called = self._owner == get_ident()
        if is_called or not self._lock.acquire(blocking=wait):
            raise self._busy()
        self._owner = get_ident()
        try:
            if self._home is not None and self._home is not _current_thread():
                raise RuntimeError("lxml reads a document in one thread only: go on with it in the one where it began")
            yield
        finally:
            self._owner = None
            self._lock.release()

    def _forget_threads(self) -> None:
        """Give up the step of a thread that is not in this child of a fork, and its document."""
        self._forks = _forks
        if self._lock.locked() and self._owner != get_ident():
            self._lock = allocate_lock()
            self._owner = None
            self._end("failed")

    def require_idle(self) -> None:
        """Raise `RuntimeError` while a step is being taken, or outside the thread that the document must stay in."""
        if self._forks != _forks:
            self._forget_threads()
        if self._lock.locked():
            raise self._busy()

    def _busy(self) -> RuntimeError:
        if self._owner == get_ident():
            return RuntimeError("a parser cannot be called by what it calls, before it has returned")
        return RuntimeError("a parser cannot be fed by two threads at once; give each thread a parser of its own")

    def fail(self) -> None:
        """Give up a document that has not ended because of an exception outside of a step."""
        if self.state != "closed":
            self._end("failed")

    def give_up(self) -> None:
        with self.exclusive():
            self._end("fresh")

    def _end(self, state: Literal["fresh", "closed", "failed"]) -> None:
        self.state = state
        self._home = None
        work, self._work, self._kind = self._work, None, None
        if work is not None and state != "closed" and self._drop is not None:
            self._drop(work)


class LastLog:
    """The log of the last document of this thread; of any thread, if this one has parsed none."""

    __slots__ = ("_of_any", "_of_thread")

    def __init__(self, log: ErrorLog | None = None) -> None:
        from threading import local  # with the first parser: not every program that imports xml5tree makes one

        self._of_thread = local()
        self._of_any = ErrorLog() if log is None else log

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.get(),)

    def get(self) -> ErrorLog:
        log: ErrorLog = getattr(self._of_thread, "log", self._of_any)
        return log

    def set(self, log: ErrorLog) -> None:
        self._of_thread.log = self._of_any = log


class BeginsAfresh:
    """A mixin: copies and pickles of parser objects begin afresh, with the options and the last log."""

    def __getstate__(self) -> dict[str, Any]:
        from copy import copy  # not for every program that imports xml5tree

        own = (LifeCycle, LastLog)
        return {name: copy(value) if isinstance(value, own) else value for name, value in vars(self).items()}


def _finish_imports() -> None:
    """Wait for imports by other threads, such as those for the first document.

    The child would have the locks of these imports, but not the threads, so that it could never import the modules.
    """
    locks: dict[str, object] = getattr(_bootstrap, "_module_locks", {})
    seen: set[str] = set()  # this thread may itself be importing some
    while names := [name for name in [*locks] if name not in seen and name.partition(".")[0] in _PACKAGES]:
        for name in names:
            seen.add(name)
            with suppress(Exception):  # it is raised in the thread that wants the module
                import_module(name)


def _after_in_child() -> None:
    """Count the fork, and forget imports that other threads have begun since `_finish_imports`: they never end here."""
    global _forks
    _forks += 1
    locks = getattr(_bootstrap, "_module_locks", {})
    for name, reference in [*locks.items()]:
        lock = reference()
        if name.partition(".")[0] in _PACKAGES and getattr(lock, "owner", None) not in {None, get_ident()}:
            del locks[name]
            if getattr(getattr(sys.modules.get(name), "__spec__", None), "_initializing", False):
                del sys.modules[name]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_finish_imports, after_in_child=_after_in_child)
