"""Binary files over objects with a `write` method."""

import io
from typing import Any

__all__ = ["BinaryFile"]


class BinaryFile(io.RawIOBase):
    """Adapts a `write()` method to a write-only file with `tell()`."""

    def __init__(self, output: Any) -> None:
        self._output = output
        self._size = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._output.write(bytes(data))
        self._size += len(data)
        return len(data)

    def tell(self) -> int:
        return self._size
