"""What all parser objects have in common: documents that begin, are fed, end or fail, one after the other."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, Literal, TypeVar

from xml5tree.documents import kind_of, text_or_bytes

__all__ = ["LifeCycle"]

#: The object that works on one document, such as a pipeline.
_Work = TypeVar("_Work")


class LifeCycle(Generic[_Work]):
    """Where a parser object is with the document that it is given.

    It is fresh at first, feeding from the first part of a document on, and closed or failed when that has ended. Any
    exception out of a step makes the document fail: those that refuse it, and those of the caller's callbacks, targets
    and signal handlers. What worked on it is dropped then, and the next step begins another document.

    Data of a wrong type makes no step: it is refused, and the document can go on.

    Attributes:
        state: ``"fresh"``, ``"feeding"``, ``"closed"`` or ``"failed"``.
    """

    __slots__ = ("_drop", "_is_busy", "_kind", "_work", "state")

    def __init__(self, drop: Callable[[_Work], None] | None = None) -> None:
        """Set what to call with the object that works on a document, if that fails or is given up."""
        self.state: Literal["fresh", "feeding", "closed", "failed"] = "fresh"
        self._work: _Work | None = None
        self._kind: type | None = None  # of the parts so far
        self._is_busy = False
        self._drop = drop

    @property
    def is_feeding(self) -> bool:
        """Whether a document has been begun and has not ended."""
        return self.state == "feeding"

    def accept(self, data: Any) -> str | bytes:
        """A part of a document as text or bytes.

        Raises:
            TypeError: it is neither, or not what the parts before it were.
        """
        part = text_or_bytes(data)
        self._kind = kind_of(part, self._kind if self.is_feeding else None)
        return part

    def prepare(self, begin: Callable[[], _Work]) -> _Work:
        """What works on the document. For a new one `begin` makes it; the document begins only with its first step."""
        if self._work is None:
            self._work = begin()
        return self._work

    @contextmanager
    def step(self, begin: Callable[[], _Work], *, last: bool = False) -> Iterator[_Work]:
        """Do something with the document; a new one begins if there is none.

        Args:
            begin: makes what works on a new document.
            last: whether the document ends by this.

        Yields:
            What works on the document.

        Raises:
            RuntimeError: as `require_idle`.
        """
        self.require_idle()
        self._is_busy = True
        try:
            work = self.prepare(begin)
            self.state = "feeding"
            yield work
        except BaseException:
            self._end("failed")
            raise
        finally:
            self._is_busy = False
        if last:
            self._end("closed")

    def require_idle(self) -> None:
        """Make sure that no step is being taken.

        Raises:
            RuntimeError: a step is being taken, and something that it has called is calling the parser.
        """
        if self._is_busy:
            raise RuntimeError("a parser cannot be called by what it calls, before it has returned")

    def fail(self) -> None:
        """Give up a document that has not ended because of an exception outside of a step."""
        if self.state != "closed":
            self._end("failed")

    def give_up(self) -> None:
        """Drop a document that has not ended; the next one begins afresh.

        Raises:
            RuntimeError: as `require_idle`.
        """
        self.require_idle()
        self._end("fresh")

    def _end(self, state: Literal["fresh", "closed", "failed"]) -> None:
        self.state = state
        work, self._work, self._kind = self._work, None, None
        if work is not None and state != "closed" and self._drop is not None:
            self._drop(work)
