"""Tells callers how far a document has been read."""

import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

#: Seconds between two calls.
_INTERVAL: Final = 0.1
#: Bytes or characters of a part that are read before the caller may be called again.
_BLOCK: Final = 1 << 18


class Progress(NamedTuple):
    """The progress through a document.

    Attributes:
        name: path, name or URL of the document, or None.
        read: bytes read so far, before they are unpacked; of text, characters.
        size: its bytes; None if that is unknown.
        errors: errors found so far.
        records: records found so far, with skipped ones.
    """

    name: str | None
    read: int
    size: int | None
    errors: int = 0
    records: int = 0


#: What a caller gives to be told.
OnProgress = Callable[[Progress], object] | None


class Meter:
    """Calls `on_progress` at most ten times a second while a document is read, and once at its end.

    Whoever has blocks of a document yields them through `over`, and sets `found`, which returns the numbers of errors
    and records so far::

        meter = Meter(draw_bar, name)
        meter.found = lambda: (log.total, 0)
        for block in Unpacking(meter.over(blocks(file), size_of(file))):
            ...
        meter.finish()
    """

    def __init__(self, on_progress: Callable[[Progress], object], name: str | None) -> None:
        if not callable(on_progress):
            raise TypeError(f"on_progress must be callable, not {type(on_progress).__name__}")
        self.found: Callable[[], tuple[int, int]] = lambda: (0, 0)
        self._on_progress = on_progress
        self._name = name
        self._size: int | None = None
        self._read = 0
        self._called = time.monotonic()
        self._is_at_end = False

    def over(self, parts: Iterable[Any], size: int | None) -> Iterator[Any]:
        """Yield the parts of a document of a size, cut to blocks, and count each once the next one is asked for."""
        self._size = size
        for part in parts:
            for start in range(0, len(part) or 1, _BLOCK):
                block = part if len(part) <= _BLOCK else part[start : start + _BLOCK]
                yield block
                self._read += len(block)
                if time.monotonic() - self._called >= _INTERVAL:
                    self._call()
                    self._called = time.monotonic()
        self._is_at_end = True

    def finish(self) -> None:
        """Make the last call, if the document has been read to its end."""
        if self._is_at_end:
            self._is_at_end = False
            self._call()

    def _call(self) -> None:
        self._on_progress(Progress(self._name, self._read, self._size, *self.found()))


def size_of(source: Any) -> int | None:
    """Return the bytes that are left of a document's source: a file, or chunks in a list; None if that is unknown."""
    if isinstance(source, list | tuple):
        return sum(map(len, source))
    size = getattr(source, "size", None)
    if size is None:
        try:
            status = os.fstat(source.fileno())
            size = status.st_size - source.tell() if stat.S_ISREG(status.st_mode) else None
        except (AttributeError, OSError, ValueError):  # there is no descriptor, or no place
            return None
    return size if isinstance(size, int) else None
