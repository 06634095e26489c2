"""Unpacks gzip and zstd, under a limit."""

# One byte can unpack to a thousand (RFC 1951) and more. The limits are those for declared entities; ordinary documents
# hardly reach a tenth of the ratio. Data that unpacks to nothing is bounded, too: to begin a member of a file takes
# time.

import contextlib
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from typing import Any, Final

#: How many times as many bytes may come out as have gone in, beyond the threshold.
UNPACKING_RATIO: Final = 100
#: Bytes that may come out in any case.
UNPACKING_THRESHOLD: Final = 8 << 20
_BLOCK: Final = 1 << 16
#: Bytes that are unpacked at once; those after a member of a file are copied.
_READ: Final = 1 << 13
#: Members that a file may have in any case, and bytes that it has to have for each of any more. To make a decompressor
#: takes as long as to read some hundred bytes. A member of gzip has 18 bytes besides its content, one of zstd 9.
_MEMBERS: Final = 10_000
_MEMBER_SIZE: Final = 32
#: How compressed data begins.
_BEGINNINGS: Final = {b"\x1f\x8b\x08": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}


class UnpackedTooLarge(OSError):
    """Compressed data unpacks to so much that it is taken for an attack."""


class DamagedData(OSError):
    """Compressed data is damaged or cut off."""


def compression_of(head: bytes) -> str | None:
    """Return the compression of a document: ``"gzip"``, ``"zstd"``, "" for none, None if not yet known."""
    for beginning, name in _BEGINNINGS.items():
        if head.startswith(beginning):
            return name
        if beginning.startswith(head):
            return None
    return ""


@cache
def _zstd() -> Any:
    """Return the module for zstd of Python 3.14 and later, or its backport; None for neither."""
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]
    except ModuleNotFoundError:
        try:
            from backports import zstd  # type: ignore[import-not-found, unused-ignore, no-redef]
        except ModuleNotFoundError:
            return None
    return zstd


def has_zstd() -> bool:
    return _zstd() is not None


def unpacked(
    parts: Iterable[Any], compression: str, *, ratio: int = UNPACKING_RATIO, threshold: int = UNPACKING_THRESHOLD
) -> Iterator[bytes]:
    """Yield the content of compressed data, which comes in `parts`, in parts of at most 64 KiB.

    `compression` is ``"gzip"``, ``"zstd"``, ``"bzip2"`` or ``"xz"``. `ratio` bytes may come
    out for each one that has gone in, and `threshold` bytes in any case. Raises `UnpackedTooLarge` for more, or for
    more members than any use has, and `DamagedData` if the data is damaged or cut off, or something else follows it.
    """
    member: Any = None
    damages: tuple[type[Exception], ...] = ()
    size = members = total = 0
    for data in _pieces(parts):
        size += len(data)
        while data:
            if member is None:
                data = data.lstrip(b"\0")  # gzip and xz may be padded
                if not data:
                    break
                members += 1
                if members > max(_MEMBERS, size // _MEMBER_SIZE):
                    raise UnpackedTooLarge(
                        f"the {compression} data consists of more than {_MEMBERS:,} parts, most of them smaller than "
                        f"{_MEMBER_SIZE} bytes; unpack it with another program if it can be trusted"
                    )
                member, damages = _decompressor(compression)
            for block in _blocks(member, data, damages):
                total += len(block)
                if total > max(threshold, ratio * size):
                    most = f"{threshold >> 20} MiB" if threshold % (1 << 20) == 0 else f"{threshold:,} bytes"
                    raise UnpackedTooLarge(
                        f"the {compression} data unpacks to more than {ratio} times its size and more than "
                        f"{most}; unpack it with another program if it can be trusted"
                    )
                yield block
            if not member.eof:
                break
            data, member = member.unused_data, None
    if member is not None:
        raise DamagedData("the compressed data is damaged or cut off (it ends before its end-of-stream marker)")


def _pieces(parts: Iterable[Any]) -> Iterator[bytes]:
    for part in parts:
        whole = memoryview(bytes(part))  # not copied, as a part may be large
        for start in range(0, len(whole), _READ):
            yield bytes(whole[start : start + _READ])


def _blocks(member: Any, data: bytes, damages: tuple[type[Exception], ...]) -> Iterator[bytes]:
    """Yield the content of compressed data, in parts of at most 64 KiB; raise `DamagedData` where it is damaged."""
    while True:
        before = member.copy() if len(data) > 1 and hasattr(member, "copy") else None
        try:
            block = member.decompress(data, _BLOCK)
        except damages as error:
            if before is not None:
                yield from _blocks_before_damage(before, data, damages)
            raise DamagedData(f"the compressed data is damaged or cut off ({error})") from error
        if block:
            yield block
        if member.eof or not block:
            return
        data = getattr(member, "unconsumed_tail", b"")  # the others keep it themselves


def _blocks_before_damage(member: Any, data: bytes, damages: tuple[type[Exception], ...]) -> Iterator[bytes]:
    """Yield the content before the byte at which zlib finds the damage."""
    with contextlib.suppress(*damages):
        for place in range(len(data)):
            yield member.decompress(data[place : place + 1])


def _decompressor(compression: str) -> tuple[Any, tuple[type[Exception], ...]]:
    """Return a decompressor of one member (RFC 1952), frame or stream, and what it raises for damaged data."""
    if compression == "zstd":
        return _zstd().ZstdDecompressor(), (_zstd().ZstdError,)
    if compression == "bzip2":
        import bz2

        return bz2.BZ2Decompressor(), (OSError,)
    if compression == "xz":
        import lzma

        return lzma.LZMADecompressor(), (lzma.LZMAError,)
    import zlib

    # Headers are read by zlib. In Python's gzip module, a file name of 20 MB takes 16 s.
    return zlib.decompressobj(zlib.MAX_WBITS | 16), (zlib.error,)


def packing(file: Any, compression: str) -> Any:
    """Return a file that compresses its data by ``"gzip"`` or ``"zstd"`` into another file."""
    if compression == "zstd":
        return _zstd().ZstdFile(file, mode="wb")
    import gzip

    return gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0)


class Unpacking(Iterator[Any]):
    """The parts of a document, unpacked if it is compressed. Damaged data raises nothing: the document ends there."""

    def __init__(
        self, parts: Iterable[Any], *, ratio: int = UNPACKING_RATIO, threshold: int = UNPACKING_THRESHOLD
    ) -> None:
        self.compression = ""  # "gzip", "zstd" or "", known with the first part
        self.damage = ""  # what is wrong with the data, or "", known after the last part
        self._unpacked = self._run(iter(parts), ratio, threshold)

    def __next__(self) -> Any:
        """Return the next part; raise `UnpackedTooLarge` if the data unpacks to more than the limits allow."""
        return next(self._unpacked)

    def close(self) -> None:
        """Read no more; the source stays open."""
        self._unpacked = iter(())

    def _run(self, parts: Iterator[Any], ratio: int, threshold: int) -> Iterator[Any]:
        head = b""
        compression: str | None = None
        for part in parts:
            if not isinstance(part, bytes | bytearray | memoryview):
                yield from [head] if head else []
                yield part
                yield from parts
                return
            head += part
            compression = compression_of(head)
            if compression is not None:
                break
        if not compression or (compression == "zstd" and not has_zstd()):
            yield from [head] if head else []
            yield from parts
            return
        self.compression = compression
        try:
            yield from unpacked(chain([head], parts), compression, ratio=ratio, threshold=threshold)
        except DamagedData as error:
            self.damage = f"{error}; what comes before it was read"
