"""Documents, and paths and file objects that they come from, as lxml takes them."""

import io
import os
import re
import zlib
from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

from lxml import etree

from xml5tree.backends.lxml import file_url
from xml5tree.backends.newlines import with_line_feeds
from xml5tree.documents import OwnFile, blocks, joined
from xml5tree.unpacking import unpacked

__all__ = ["for_lxml", "open_path", "read_source"]

#: A scheme has two letters at least here, since one letter is a drive of Windows.
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/")
_ENCODING_DECLARATION: Final = re.compile(
    r"""(\ufeff?<\?xml\s[^>]*?\s)(encoding\s*=\s*(["'])[A-Za-z][A-Za-z0-9._-]*\3)(?=\s|\?>)"""
)
_GZIP: Final = b"\x1f\x8b"


def read_source(source: Any, *, decompress: bool = False) -> tuple[bytes | str, str | None]:
    """Read a file to its end.

    Args:
        source: a path, a ``file:`` URL, or a file object of bytes or text.
        decompress: whether a path can be that of a file compressed by gzip; always so before libxml2 2.15, which does
            it unasked.

    Returns:
        The content and the URL, as lxml would give it to the document.

    Raises:
        OSError: the file cannot be read, or is a URL: nothing is fetched; it is no gzip to its end, or larger unpacked
            than `xml5tree.unpacking` allows.
        TypeError: neither a path nor a file object, or one that reads neither bytes nor text.
    """
    if isinstance(source, str | bytes | os.PathLike):
        with open_path(source) as file:
            data = file.read()
        if data.startswith(_GZIP) and (decompress or etree.LIBXML_VERSION < (2, 15)):
            data = _decompressed(data)
        return data, os.fsdecode(source)
    url = file_url(source)
    if hasattr(source, "getvalue") and hasattr(source, "tell") and source.tell() == 0:
        return source.getvalue(), url
    if not hasattr(source, "read"):
        raise TypeError(f"cannot parse from {type(source).__name__!r}")
    return joined(blocks(source)), url


def open_path(path: str | bytes | os.PathLike[Any]) -> OwnFile:
    """Open a file by its path or ``file:`` URL.

    Raises:
        OSError: it cannot be opened; it is another URL.
    """
    name = os.fsdecode(path)
    scheme = _SCHEME.match(name)
    if scheme:
        if scheme[1].lower() != "file":
            raise OSError(f"{name!r} is a URL, and nothing is fetched: open it, and pass the file object")
        name = url2pathname(urlsplit(name).path)
    return OwnFile(name)


def _decompressed(data: bytes) -> bytes:
    try:
        return b"".join(unpacked(io.BytesIO(data)))
    except (EOFError, zlib.error) as error:
        raise OSError(f"not a gzip file to its end: {error}") from error


def for_lxml(document: str | bytes) -> str | bytes:
    """A document as lxml takes it: text without an encoding declaration, and line breaks that libxml2 counts."""
    document = with_line_feeds(document)
    declaration = _ENCODING_DECLARATION.match(document) if isinstance(document, str) else None
    if declaration is None:
        return document
    blank = re.sub(r"\S", " ", declaration[2])
    return f"{declaration[1]}{blank}{declaration.string[declaration.end() :]}"
