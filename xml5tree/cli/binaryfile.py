"""An object with a method to write bytes, as a file for libraries that want one."""

import io
from typing import Any

__all__ = ["BinaryFile"]


class BinaryFile(io.RawIOBase):
    """An object with a method to write, as a file that can only be written, and tells how much has been."""

    def __init__(self, output: Any) -> None:
        self._output = output
        self._size = 0

    def writable(self) -> bool:
        """Return whether it can be written to."""
        return True

    def write(self, data: Any) -> int:
        """Write all of the data."""
        self._output.write(bytes(data))
        self._size += len(data)
        return len(data)

    def tell(self) -> int:
        """Return how many bytes have been written."""
        return self._size
