"""Files by URL, opened by fsspec or pyarrow.

Both are imported only where a URL is given.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any, Final, TypeGuard, cast

from xml5tree.documents import OwnFile

#: Options of the file system of a URL, such as credentials, by fsspec's names.
StorageOptions = Mapping[str, Any] | None

#: How a URL begins; fsspec has schemes of several parts, such as ``simplecache::https://``.
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+(?:::[A-Za-z][A-Za-z0-9+.-]+)*)://")
#: Schemes whose URLs have queries, in which ``*`` may be.
_WITHOUT_PATTERNS: Final = frozenset({"http", "https", "file", "data"})
_HTTP: Final = re.compile("(?:^|::)https?://", re.IGNORECASE)


def is_url(source: object) -> TypeGuard[str]:
    """Return whether a document is named by a URL: text that begins with a scheme and ``://``."""
    return isinstance(source, str) and _SCHEME.match(source) is not None


def open_url(url: str, options: StorageOptions = None) -> IO[bytes]:
    """Open what is at a URL: a file, or else by fsspec.

    Where fsspec, or its package for the scheme, is not installed, pyarrow opens the schemes that it knows, unless there
    are `options`, which have fsspec's names.

    Raises:
        OSError: it cannot be opened, whatever exception said so.
        ImportError: a package is needed.
        ValueError: there is no such scheme.
    """
    if url[:7].lower() == "file://":
        from urllib.parse import urlsplit
        from urllib.request import url2pathname

        return OwnFile(url2pathname(urlsplit(url).path))
    try:
        system, path = system_of(url, options)
    except (ImportError, ValueError) as error:
        file = None if options else _opened_by_pyarrow(url)
        if file is None:
            raise error from None
        return file
    with _readable(url):
        return cast("IO[bytes]", _File(url, system.open(path, "rb")))


def system_of(url: str, options: StorageOptions = None) -> tuple[Any, Any]:
    """Return fsspec's file system of a URL, and the path in it; arguments and exceptions as for `open_url`."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise ImportError(f"{url} needs one more package: pip install 'xml5tree[fsspec]'") from None
    try:
        return cast("tuple[Any, Any]", url_to_fs(url, **(options or {})))
    except ImportError as error:
        raise ImportError(f"{url} needs one more package: {error}") from error
    except ValueError as error:
        raise ValueError(f"{url} cannot be opened: {error}") from error
    except Exception as error:
        raise _unreadable(url, error) from error


def _opened_by_pyarrow(url: str) -> IO[bytes] | None:
    """Open a URL with pyarrow; return None where it is not installed, or does not know the scheme."""
    try:
        from pyarrow import fs

        system, path = fs.FileSystem.from_uri(url)
    except (ImportError, ValueError):
        return None
    file: IO[bytes] = system.open_input_file(path)
    return file


def _unreadable(url: str, error: Exception) -> OSError:
    """Return the exception for a URL that cannot be opened or read."""
    kind = OSError
    if isinstance(error, FileNotFoundError):
        cause = error.__cause__
        status = getattr(cause, "status", None)
        # Of HTTP, fsspec calls every failure a missing file; only the cause tells a response from a lost connection.
        if not isinstance(cause, Exception) or status == 404 or not _HTTP.search(url):
            return FileNotFoundError(f"there is nothing at {url}")
        error, kind = cause, ConnectionError if status is None else OSError
    words = str(error).strip() or type(error).__name__
    return kind(words if url in words else f"{url} cannot be read: {words}")


@contextmanager
def _readable(url: str) -> Iterator[None]:
    """Raise `OSError` in place of any exception."""
    try:
        yield
    except Exception as error:
        raise _unreadable(url, error) from error


class _File:
    """A file of fsspec, whose exceptions are those of files."""

    def __init__(self, url: str, file: Any) -> None:
        self._url = url
        self._file = file
        self.size = getattr(file, "size", None)

    def read(self, size: int = -1) -> bytes:
        """Read at most `size` bytes; raise `OSError` if the server or the connection fails."""
        with _readable(self._url):
            data: bytes = self._file.read(size)
        return data

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to another place; raise `OSError` if the server sends whole files only."""
        with _readable(self._url):
            place: int = self._file.seek(offset, whence)
        return place

    def close(self) -> None:
        self._file.close()


def urls_at(url: str, options: StorageOptions = None) -> list[str]:
    """Return the URLs that a URL stands for: itself, or the matches of ``*`` and ``[…]`` in it, sorted.

    For arguments see `open_url`. Raises what that raises, and `FileNotFoundError` where none matches.
    """
    match = _SCHEME.match(url)
    scheme = match[1].lower() if match is not None else ""
    if not {"*", "["} & set(url) or "::" in scheme or scheme in _WITHOUT_PATTERNS:
        return [url]
    system, path = system_of(url, options)
    with _readable(url):
        found = sorted(system.unstrip_protocol(one) for one in system.glob(path))
    if not found:
        raise FileNotFoundError(f"nothing matches {url!r}")
    return found
