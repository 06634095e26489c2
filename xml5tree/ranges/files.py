"""Files of any system, compression and encoding, and their cuts."""

import os
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import IO, Final, cast

from xml5tree.documents import OwnFile, blocks
from xml5tree.input.decoder import Decoder
from xml5tree.remote import StorageOptions, is_url, open_url
from xml5tree.sources import one_document, sources_in
from xml5tree.unpacking import DamagedData, compression_of, unpacked

#: Default size of a range, in bytes: some seconds of work.
_SIZE: Final = 32 << 20
_BLOCK: Final = 1 << 20

#: First bytes of compressed files of kinds that are not unpacked for single documents.
_COMPRESSIONS: Final = {b"BZh": "bzip2", b"\xfd7zXZ\0": "xz"}
#: Stands for undecodable bytes of other encodings: invalid UTF-8, which is reported alike.
_UNDECODABLE: Final = b"\xe2\x82"


@dataclass(frozen=True, slots=True)
class Range:
    """A range of a file, which can be pickled.

    Attributes:
        path: the path of the file, or a URL.
        start: bytes before the range.
        end: bytes before its end; None: the end of the file.
        size: its bytes, if known.
        storage_options: options with which fsspec opens a URL.
    """

    path: str
    start: int = 0
    end: int | None = None
    size: int | None = field(default=None, compare=False, repr=False)
    storage_options: StorageOptions = field(default=None, compare=False, repr=False)


def split(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    size: int = _SIZE,
    encoding: str | None = None,
    storage_options: StorageOptions = None,
) -> list[Range]:
    """Cut files into ranges. A file that is compressed or not in UTF-8 is one range.

    Args:
        paths: one or several paths, patterns, or URLs as for `xml5tree.records`.
        size: bytes of a range; a file's last one has up to half as many again.
        encoding: the encoding of the files, whatever they declare.
        storage_options: as for `xml5tree.records`; the ranges keep them.

    Raises what `xml5tree.records` raises for files and URLs: `OSError` and `ValueError`, also if `size` is not
    positive.
    """
    if size < 1:
        raise ValueError(f"the size of a range must be positive, not {size}")
    found = []
    for path in sources_in(paths, "ranges.split", storage_options):
        name = os.fspath(one_document(path, "ranges.split"))
        with closing(open_file(name, storage_options)) as file:
            length = file.seek(0, os.SEEK_END)
            file.seek(0)
            # Damaged data is compressed, and so not cut; the damage is reported when it is read.
            is_cut = length > size + size // 2 and Utf8(file, encoding, ends_at_damage=True).is_plain
        cuts = [*range(0, length - size // 2, size)] if is_cut else [0]
        for start, end in zip(cuts, [*cuts[1:], None], strict=True):
            found.append(Range(name, start, end, (length if end is None else end) - start, storage_options))
    return found


def open_file(path: str, storage_options: StorageOptions = None) -> IO[bytes]:
    """Open a file for random access; raise `OSError`, or `ValueError` for `storage_options` of what is no URL."""
    if is_url(path):
        return open_url(path, storage_options)
    if storage_options:
        raise ValueError("storage_options are for URLs")
    return OwnFile(path)


class Utf8:
    """A document as UTF-8, whatever the encoding of its file."""

    def __init__(self, file: IO[bytes], encoding: str | None, *, ends_at_damage: bool = False) -> None:
        """Read the beginning of a file in a given encoding, or in the one that it declares.

        If `ends_at_damage`, the document ends where compressed data is damaged; else `DamagedData` is raised there.
        """
        self._file = file
        self._ends_at_damage = ends_at_damage
        self.damage = ""  # describes damage of compressed data that has been read; "" for none
        head = file.read(_BLOCK) or b""
        others = (name for mark, name in _COMPRESSIONS.items() if head.startswith(mark))
        self._compression = compression_of(head) or next(others, "")
        self.encoding = encoding  # the given one
        if self._compression:
            head = next(self._unpacked(), b"")
        self.head = head
        self._decoder = Decoder(encoding)
        self._decoder.decode(head, final=True)
        # it is the file byte for byte, so that reading can begin anywhere
        self.is_plain = not self._compression and self._decoder.encoding == "utf-8"

    @property
    def is_utf8(self) -> bool:
        return self._decoder.encoding == "utf-8"

    def blocks(self, start: int = 0) -> Iterator[bytes]:
        """Yield the document from byte `start` on, or from the first byte if it is not plain."""
        parts = self._unpacked() if self._compression else self._content(start if self.is_plain else 0)
        if self.is_utf8:
            yield from parts
            return
        decoder = Decoder(self.encoding)
        for part in parts:
            yield from _encoded(decoder.decode(part))
        yield from _encoded(decoder.decode(b"", final=True))

    def _content(self, start: int) -> Iterator[bytes]:
        self._file.seek(start)
        return cast("Iterator[bytes]", blocks(self._file, _BLOCK))

    def _unpacked(self) -> Iterator[bytes]:
        try:
            yield from unpacked(self._content(0), self._compression)
        except DamagedData as error:
            if not self._ends_at_damage:
                raise
            self.damage = str(error)


def _encoded(text: str) -> Iterator[bytes]:
    """Yield decoded text in UTF-8; undecodable bytes become invalid UTF-8."""
    data = _UNDECODABLE.join(part.encode("utf-8", "replace") for part in text.split("\udbff"))
    if data:
        yield data
