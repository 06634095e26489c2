"""Captures standard output and error, in order."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any, Final

__all__ = ["Captured", "capture", "is_capturing"]

#: Bytes that are kept in memory; more is kept in a temporary file.
_IN_MEMORY: Final = 1 << 24
_STDOUT: Final = b"o"
_STDERR: Final = b"e"
_SIZE: Final = 8

_depth = 0
#: The streams last captured, and their recorders.
_last: "tuple[Any, Any, tuple[_Recorder, _Recorder]] | None" = None


class Captured:
    """Captured output of both streams, in order; can be pickled, and is read once."""

    def __init__(self) -> None:
        self._parts: list[tuple[bytes, bytes]] = []
        self._last: list[bytes] = []  # what the last part consists of, which goes to this stream:
        self._stream = _STDOUT
        self._size = 0
        self._path: str | None = None

    @property
    def is_any(self) -> bool:
        return bool(self._parts or self._last) or self._path is not None

    def add(self, stream: bytes, data: bytes) -> None:
        if stream != self._stream:
            self.close()
            self._stream = stream
        self._last.append(data)
        self._size += len(data)
        if self._size > _IN_MEMORY:
            self.flush()

    def close(self) -> None:
        if self._last:
            self._parts.append((self._stream, b"".join(self._last)))
            self._last.clear()

    def flush(self) -> None:
        self.close()
        if self._path is None:
            descriptor, self._path = tempfile.mkstemp(prefix="xml5tree-")
            os.close(descriptor)
        with open(self._path, "ab") as file:
            for stream, data in self._parts:
                file.write(stream + len(data).to_bytes(_SIZE, "big") + data)
        self._parts.clear()
        self._size = 0

    def parts(self) -> Iterator[tuple[bool, bytes]]:
        """Yield the parts, each with whether it went to standard error."""
        self.close()
        if self._path is not None:
            self.flush()
            try:
                with open(self._path, "rb") as file:
                    yield from _read(file)
            finally:
                self.discard()
        for stream, data in self._parts:
            yield stream == _STDERR, data

    def __reduce__(self) -> tuple[Any, ...]:
        self.close()
        return _restored, (self._parts, self._path)

    def discard(self) -> None:
        if self._path is not None:
            with suppress(OSError):
                os.unlink(self._path)


def _restored(parts: list[tuple[bytes, bytes]], path: str | None) -> Captured:
    captured = Captured()
    captured._parts = parts
    captured._path = path
    return captured


def _read(file: IO[bytes]) -> Iterator[tuple[bool, bytes]]:
    while stream := file.read(1):
        size = int.from_bytes(file.read(_SIZE), "big")
        yield stream == _STDERR, file.read(size)


class _Bytes:
    def __init__(self, captured: Captured, stream: bytes) -> None:
        self.captured = captured
        self._stream = stream

    def writable(self) -> bool:
        return True

    def flush(self) -> None:
        pass

    def write(self, data: Any) -> int:
        self.captured.add(self._stream, bytes(data))
        return len(data)


class _Recorder:
    """A text stream like another one that keeps what is written to it."""

    # It takes no bytes: click would put a text stream around it, which takes longer than to check most small files.

    errors = "backslashreplace"

    def __init__(self, captured: Captured, stream: bytes, like: Any) -> None:
        self.buffer = _Bytes(captured, stream)
        self._like = like
        self.encoding = like.encoding

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return bool(self._like.isatty())

    def flush(self) -> None:
        pass

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"text expected, not {type(text).__name__}")
        self.buffer.write(text.encode(self.encoding, self.errors))
        return len(text)


@contextmanager
def capture() -> Iterator[Captured]:
    """Capture what is written to the standard streams."""
    global _depth
    captured = Captured()
    streams: tuple[Any, Any] = sys.stdout, sys.stderr
    recorders: tuple[Any, Any] = _recorders(streams, captured)
    sys.stdout, sys.stderr = recorders
    _depth += 1
    try:
        yield captured
    finally:
        _depth -= 1
        sys.stdout, sys.stderr = streams
        captured.close()


def _recorders(streams: tuple[Any, Any], captured: Captured) -> tuple[_Recorder, _Recorder]:
    """Return recorders for the streams; the same ones for the same streams, as click examines new ones."""
    global _last
    if _last is None or _last[0] is not streams[0] or _last[1] is not streams[1]:
        _last = (*streams, (_Recorder(captured, _STDOUT, streams[0]), _Recorder(captured, _STDERR, streams[1])))
    recorders = _last[2]
    for recorder in recorders:
        recorder.buffer.captured = captured
    return recorders


def is_capturing() -> bool:
    """Return whether standard output and standard error are captured."""
    return _depth > 0
