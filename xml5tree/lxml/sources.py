"""Documents, paths and files, as lxml takes them."""

import os
import re
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

from xml5tree.backends.lxml import file_url, with_line_feeds
from xml5tree.documents import OwnFile, blocks, joined
from xml5tree.options import Settings
from xml5tree.unpacking import Unpacking

#: A scheme has two letters at least here, since one letter is a drive of Windows.
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/")
_ENCODING_DECLARATION: Final = re.compile(
    r"""(\ufeff?<\?xml\s[^>]*?\s)(encoding\s*=\s*(["'])[A-Za-z][A-Za-z0-9._-]*\3)(?=\s|\?>)"""
)
#: Bytes or characters read at a time.
_BLOCK: Final = 1 << 15


class SourceParts(Iterator[str | bytes]):
    """The chunks of a file, unpacked if it is compressed; `url` is its URL, as lxml would give it to the document."""

    def __init__(
        self, source: Any, settings: Settings | None = None, *, decompress: bool = True, size: int | None = None
    ) -> None:
        """Open the file; raise `OSError` for URLs, as nothing is fetched, and `TypeError` for no path and no file.

        Args:
            source: a path, a ``file:`` URL, or a file object of bytes or text, which is not closed here.
            settings: the options with the limits of unpacking; None: the defaults.
            decompress: whether files compressed by gzip or zstd are unpacked.
            size: how much to read at a time; None: the content of a `BytesIO` or `StringIO` is taken whole and left in
                place, as in lxml.
        """
        self._opened: OwnFile | None = None
        if isinstance(source, str | bytes | os.PathLike):
            self._opened = open_path(source)
            self.url: str | None = os.fsdecode(source)
            parts = blocks(self._opened, size or _BLOCK)
        elif size is None and hasattr(source, "getvalue") and hasattr(source, "tell") and source.tell() == 0:
            self.url = file_url(source)
            parts = iter([source.getvalue()])
        elif hasattr(source, "read"):
            self.url = file_url(source)
            parts = blocks(source, size or _BLOCK)
        else:
            raise TypeError(f"cannot parse from {type(source).__name__!r}")
        self._parts: Iterator[str | bytes] = parts
        if decompress:
            limits = settings or Settings()
            self._parts = Unpacking(parts, ratio=limits.max_unpacking_ratio, threshold=limits.unpacking_threshold)

    def __next__(self) -> str | bytes:
        """Return the next chunk; raise `OSError` if it cannot be read or unpacked, `TypeError` if it is no data."""
        return next(self._parts)

    @property
    def damage(self) -> str:
        """The damage of compressed data, known after the last chunk; "" for none."""
        return self._parts.damage if isinstance(self._parts, Unpacking) else ""

    def read(self) -> str | bytes:
        """Return the whole document, and close the file if it was opened here."""
        try:
            return joined(self)
        finally:
            self.close()

    def close(self) -> None:
        """Close the file, if it was opened here."""
        if self._opened is not None:
            self._opened.close()


def path_of(path: str | bytes | os.PathLike[Any]) -> str:
    """Return the path that is given as such or as a ``file:`` URL; raise `OSError` for other URLs."""
    name = os.fsdecode(path)
    scheme = _SCHEME.match(name)
    if scheme:
        if scheme[1].lower() != "file":
            raise OSError(f"{name!r} is a URL, and nothing is fetched: open it, and pass the file object")
        name = url2pathname(urlsplit(name).path)
    return name


def open_path(path: str | bytes | os.PathLike[Any]) -> OwnFile:
    """Open a file by its path or ``file:`` URL; raise `OSError` for other URLs."""
    return OwnFile(path_of(path))


def for_lxml(document: str | bytes) -> str | bytes:
    """Return text without an encoding declaration, and documents with line breaks that libxml2 counts."""
    document = with_line_feeds(document)
    declaration = _ENCODING_DECLARATION.match(document) if isinstance(document, str) else None
    if declaration is None:
        return document
    blank = re.sub(r"\S", " ", declaration[2])
    return f"{declaration[1]}{blank}{declaration.string[declaration.end() :]}"
