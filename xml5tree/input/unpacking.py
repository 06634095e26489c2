"""Compressed documents, unpacked under a limit.

One byte can unpack to a thousand (RFC 1951), so that 300 KB become 300 MB. The limits are those for declared entities,
by which little input can become much as well. Ordinary documents hardly reach a tenth of the ratio.
"""

import gzip
from collections.abc import Callable, Iterator
from typing import Any, Final

__all__ = ["UNPACKING_RATIO", "UNPACKING_THRESHOLD", "UnpackedTooLarge", "unpacked"]

#: How many times as many bytes may come out as have gone in, beyond the threshold.
UNPACKING_RATIO: Final = 100
#: Bytes that may come out in any case.
UNPACKING_THRESHOLD: Final = 8 << 20
_BLOCK: Final = 1 << 16


class UnpackedTooLarge(OSError):
    """Compressed data is so much larger unpacked that it is taken for an attack."""


def unpacked(file: Any, opener: Callable[[Any], Any] | None = None) -> Iterator[bytes]:
    """Unpack gzip, or what else can be opened.

    Args:
        file: an object with ``read(size)``, at the beginning of the compressed data.
        opener: opens another compression than gzip, as `bz2.BZ2File` does.

    Yields:
        What comes out, in parts of at most 64 KiB.

    Raises:
        UnpackedTooLarge: it is more than `UNPACKING_RATIO` times what was read, and more than `UNPACKING_THRESHOLD`.
        EOFError, gzip.BadGzipFile, zlib.error: the data is damaged or cut off; and what `opener` raises then.
    """
    counted = _Counted(file)
    total = 0
    with gzip.GzipFile(mode="rb", fileobj=counted) if opener is None else opener(counted) as inner:  # type: ignore[call-overload]
        while block := inner.read1(_BLOCK):
            total += len(block)
            if total > max(UNPACKING_THRESHOLD, UNPACKING_RATIO * counted.size):
                raise UnpackedTooLarge(
                    f"the compressed data unpacks to more than {UNPACKING_RATIO} times its size and more than "
                    f"{UNPACKING_THRESHOLD >> 20} MiB; unpack it with another program if it can be trusted"
                )
            yield block


class _Counted:
    """A file that counts what is read from it.

    Attributes:
        size: the number of bytes.
    """

    def __init__(self, file: Any) -> None:
        self._file = file
        self.size = 0

    def read(self, size: int) -> bytes:
        data: bytes = self._file.read(size)
        self.size += len(data)
        return data
