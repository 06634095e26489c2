"""Documents, paths and files, as lxml takes them."""

import os
import re
from contextlib import closing
from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

from xml5tree.backends.lxml import file_url, with_line_feeds
from xml5tree.documents import Document, OwnFile, Parts, joined, parts_options
from xml5tree.options import Settings

#: A scheme has two letters at least here, since one letter is a drive of Windows.
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/")
_ENCODING_DECLARATION: Final = re.compile(
    r"""(\ufeff?<\?xml\s[^>]*?\s)(encoding\s*=\s*(["'])[A-Za-z][A-Za-z0-9._-]*\3)(?=\s|\?>)"""
)
#: Bytes or characters read at a time.
_BLOCK: Final = 1 << 15


class SourceParts(Parts):
    """The chunks of a file; `url` is its URL, as lxml would give it to the document."""

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
        self.url: str | None
        if isinstance(source, str | bytes | os.PathLike):
            self.url = source = os.fsdecode(source)
        elif hasattr(source, "read"):
            self.url = file_url(source)
            if size is None and hasattr(source, "getvalue") and hasattr(source, "tell") and source.tell() == 0:
                source = [source.getvalue()]
        else:
            raise TypeError(f"cannot parse from {type(source).__name__!r}")
        limits = parts_options((settings or Settings())._asdict())
        super().__init__(source, open_url=open_path, size=size or _BLOCK, unpacks=decompress, **limits)

    def __next__(self) -> Document:
        """Return the next chunk; raise `OSError` if it cannot be read or unpacked, `TypeError` if it is no data."""
        return next(self._parts)

    def read(self) -> str | bytes:
        """Return the whole document, and close the file if it was opened here."""
        with closing(self):
            return joined(self)


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
