"""Captures standard output and error, in order."""

import os
import pickle
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any, Final

__all__ = ["Captured", "capture", "is_capturing"]

#: Bytes that are kept in memory; more is kept in a temporary file.
_IN_MEMORY: Final = 1 << 24


class Captured:
    """Captured output of both streams, in order; can be pickled, and is read once."""

    def __init__(self) -> None:
        self._parts: list[tuple[bool, list[bytes]]] = []  # what consecutively went to one stream
        self._size = 0
        self._path: str | None = None

    @property
    def is_any(self) -> bool:
        return bool(self._parts) or self._path is not None

    def add(self, is_error: bool, data: bytes) -> None:
        if not self._parts or self._parts[-1][0] != is_error:
            self._parts.append((is_error, []))
        self._parts[-1][1].append(data)
        self._size += len(data)
        if self._size > _IN_MEMORY:
            if self._path is None:
                descriptor, self._path = tempfile.mkstemp(prefix="xml5tree-")
                os.close(descriptor)
            with open(self._path, "ab") as file:
                pickle.dump(self._parts, file)
            self._parts = []
            self._size = 0

    def parts(self) -> Iterator[tuple[bool, bytes]]:
        """Yield the parts, each with whether it went to standard error."""
        if self._path is not None:
            with open(self._path, "rb") as file, suppress(EOFError):
                while True:
                    yield from _joined(pickle.load(file))
        yield from _joined(self._parts)

    def discard(self) -> None:
        if self._path is not None:
            with suppress(OSError):
                os.unlink(self._path)


def _joined(parts: list[tuple[bool, list[bytes]]]) -> Iterator[tuple[bool, bytes]]:
    return ((is_error, b"".join(data)) for is_error, data in parts)


class _Bytes:
    captured: Captured

    def __init__(self, is_error: bool) -> None:
        self._is_error = is_error

    def writable(self) -> bool:
        return True

    def flush(self) -> None:
        pass

    def write(self, data: Any) -> int:
        self.captured.add(self._is_error, bytes(data))
        return len(data)


class _Recorder:
    """A text stream like another one that keeps what is written to it."""

    # It takes no bytes: click would put a text stream around it, which takes longer than to check most small files.

    errors = "backslashreplace"

    def __init__(self, is_error: bool, like: Any) -> None:
        self.buffer = _Bytes(is_error)
        self.encoding = like.encoding
        self.isatty = like.isatty
        self.writable = self.buffer.writable
        self.flush = self.buffer.flush

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"text expected, not {type(text).__name__}")
        self.buffer.write(text.encode(self.encoding, self.errors))
        return len(text)


@contextmanager
def capture() -> Iterator[Captured]:
    """Capture what is written to the standard streams."""
    captured = Captured()
    streams: tuple[Any, Any] = sys.stdout, sys.stderr
    recorders: tuple[Any, Any] = _recorders(*streams)
    for recorder in recorders:
        recorder.buffer.captured = captured
    sys.stdout, sys.stderr = recorders
    try:
        yield captured
    finally:
        sys.stdout, sys.stderr = streams


@lru_cache(maxsize=1)
def _recorders(out: Any, err: Any) -> tuple[_Recorder, _Recorder]:
    """Return recorders for the streams; the same ones for the same streams, as click examines new ones."""
    return _Recorder(False, out), _Recorder(True, err)


def is_capturing() -> bool:
    """Return whether standard output and standard error are captured."""
    return isinstance(sys.stdout, _Recorder)
