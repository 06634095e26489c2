"""Redirects standard output and error, and keeps what is written to them in order."""

import os
import pickle
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, redirect_stderr, redirect_stdout, suppress
from functools import partial
from typing import Any, Final

__all__ = ["Captured", "redirected"]

#: Bytes that are kept in memory; more is kept in a temporary file.
_IN_MEMORY: Final = 1 << 24


class Captured:
    """What was written to both streams, in order; can be pickled, and is read once."""

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


class _Bytes:
    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write

    def writable(self) -> bool:
        return True

    def flush(self) -> None:
        pass

    def write(self, data: Any) -> int:
        self._write(bytes(data))
        return len(data)


class _Text:
    """A text stream like another one, whose bytes go elsewhere."""

    # It takes no bytes: click would put a text stream around it, which takes longer than to check most small files.

    errors = "backslashreplace"

    def __init__(self, like: Any, write: Callable[[bytes], object]) -> None:
        self.buffer = _Bytes(write)
        self.encoding, self.isatty = like.encoding, like.isatty
        self.writable, self.flush = self.buffer.writable, self.buffer.flush

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"text expected, not {type(text).__name__}")
        self.buffer.write(text.encode(self.encoding, self.errors))
        return len(text)


def redirected(write: Callable[[bool, bytes], object], *, only_terminals: bool = False) -> ExitStack:
    """Have `write` take what is written to standard output and error (True), until the result is closed."""
    stack = ExitStack()
    for is_error, stream in enumerate((sys.stdout, sys.stderr)):
        if stream.isatty() or not only_terminals:
            text: Any = _Text(stream, partial(write, bool(is_error)))
            stack.enter_context(redirect_stderr(text) if is_error else redirect_stdout(text))
    return stack
