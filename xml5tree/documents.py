"""Documents as callers give them: bytes, text, parts, files."""

import io
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import IO, Any, Final

from xml5tree.errors.log import refused
from xml5tree.progress import Meter, OnProgress, size_of
from xml5tree.unpacking import UNPACKING_RATIO, UNPACKING_THRESHOLD, UnpackedTooLarge, Unpacking

#: A document or a part of it.
Document = bytes | bytearray | memoryview | str

#: Where documents come from: a path, a file object open for reading, or the parts themselves.
Source = str | os.PathLike[str] | IO[bytes] | IO[str] | Iterable[Document]

#: Bytes or characters that are read from a file at a time.
_BLOCK: Final = 1 << 15


def text_or_bytes(data: Any) -> str | bytes:
    """Return a document, or a part of one, as text or bytes; raise `TypeError` for an object without bytes in it."""
    if isinstance(data, bytes | str):
        return data
    try:
        return bytes(memoryview(data))
    except TypeError:
        raise TypeError(f"bytes or str expected, not {type(data).__name__}") from None


def kind_of(data: bytes | bytearray | memoryview | str, kind: type | None) -> type | None:
    """Return the kind of a document after another part; raise `TypeError` if the part is not of `kind`."""
    if not data:
        return kind
    found = str if isinstance(data, str) else bytes
    if kind not in (None, found):
        raise TypeError("a document must be fed as bytes or as str, not both")
    return found


def of_one_kind(parts: Iterable[Document]) -> Iterator[str | bytes]:
    """Yield the parts of a document as text or bytes; raise `TypeError` if they are not all text, or all bytes."""
    kind = None
    for part in map(text_or_bytes, parts):
        kind = kind_of(part, kind)
        yield part


def joined(parts: Iterable[Document]) -> str | bytes:
    whole: list[Any] = [part for part in of_one_kind(parts) if part]
    return (whole[0][:0] if whole else b"").join(whole)


def blocks(file: Any, size: int = _BLOCK) -> Iterator[str | bytes]:
    """Yield the content of a file up to its end, in blocks; as soon as there is something, where it has `read1`.

    `file` has ``read``, which gives bytes or text, and need not take a size; `size` is what is asked for at a time.
    Raises `BlockingIOError` if the file does not block and has nothing at the moment, and `TypeError` if it gives
    neither bytes nor text, or both.
    """
    read = _method(file)
    kind = None
    while True:
        try:
            data = read(size)
        except TypeError as error:
            if kind is not None or error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise  # from within `read`
            read, data = (lambda _: file.read()), file.read()
        if data is None:
            raise _nothing_yet()
        block = text_or_bytes(data)
        kind = kind_of(block, kind)
        if not block:  # only this is the end: a file may give less than it is asked for
            _check_end(file)
            return
        yield block


#: What is wrong with markup for a path.
NO_PATH: Final = "text is taken for a path; markup goes in io.StringIO(text), or to fromstring() or repair()"


def is_markup(path: str) -> bool:
    """Return whether what was given for a path looks like a document, or like text with tags."""
    return "<" in path


class OwnFile(io.FileIO):
    """A file that was opened here to read one document. The caller, who did not open it, gets no ResourceWarning."""

    def __init__(self, path: str | bytes | os.PathLike[Any]) -> None:
        """Open the file at a path; exceptions help whoever gave a URL or the document itself."""
        try:
            super().__init__(os.fspath(path))
        except (OSError, ValueError) as error:
            name = os.fsdecode(path)
            if is_markup(name):
                if isinstance(error, OSError):
                    error.strerror = f"{error.strerror}; {NO_PATH}"
                else:
                    error.add_note(NO_PATH)
            raise

    def __del__(self) -> None:
        # Before the file is finalized, which would warn; even where the garbage collector finds it in a cycle.
        self.close()


def _method(file: Any) -> Any:
    """Return the method to read with: `read1`, unless a subclass overrides only `read`."""
    # A `read1` that `__getattr__` finds does not count: that of `codecs.open` reads the bytes beneath.
    for cls in type(file).__mro__:
        if "read1" in vars(cls):
            return file.read1
        if "read" in vars(cls):
            break
    return file.read


def _check_end(file: Any) -> None:
    """Raise `BlockingIOError` if a non-blocking file gave nothing but has not ended."""
    raw: Any = getattr(getattr(file, "buffer", file), "raw", None)
    try:
        is_blocking = os.get_blocking(raw.fileno())
    except (AttributeError, OSError, ValueError):  # there are no buffers, or no descriptor
        return
    if not is_blocking and raw.read(1) != b"":
        raise _nothing_yet()


def _nothing_yet() -> BlockingIOError:
    return BlockingIOError("the file does not block, and has nothing to read yet; feed a parser what comes instead")


def name_of(source: Any) -> str | None:
    """Return the path, URL or file name of a document's source; None for others."""
    if isinstance(source, bytes | bytearray | memoryview):
        return None
    if isinstance(source, str | os.PathLike):
        return os.fsdecode(source)
    url = getattr(source, "url", None)
    if url and not callable(url):
        return str(url)
    name = getattr(source, "name", None)
    return os.fsdecode(name) if name and isinstance(name, str | bytes | os.PathLike) else None


def place_of(file: object) -> int | None:
    """Return the place in a file to which it can be brought back; None if it cannot."""
    try:
        place: int | None = file.tell() if file.seekable() else None  # type: ignore[attr-defined]
    except (AttributeError, OSError, TypeError, ValueError):
        return None
    # What the codecs module opens tells the place of the bytes that it has read ahead.
    return place if place == 0 or isinstance(getattr(file, "file", file), io.IOBase) else None


def way_back(source: Any) -> Callable[[], object] | None:
    """Return what to call once a source has been read, so that it can be read again; None if it cannot."""
    if isinstance(source, str | bytes | os.PathLike):
        try:
            return bool if stat.S_ISREG(os.stat(source).st_mode) else None  # there is nothing to do
        except (OSError, ValueError):
            return None
    if isinstance(source, list | tuple):
        return bool
    place = place_of(source)
    return None if place is None else partial(source.seek, place)


def check_asynchronous(source: object, executor: object) -> None:
    """Raise `TypeError` if `source` is no asynchronous iterable, or `executor` is neither an executor nor None."""
    if not hasattr(source, "__aiter__"):
        raise TypeError(f"an asynchronous iterable of parts expected, not {type(source).__name__}")
    if executor is not None and not hasattr(executor, "submit"):
        raise TypeError(f"executor must be an executor or None, not {type(executor).__name__}")


def parts_options(options: Mapping[str, Any]) -> dict[str, Any]:
    names = ("filename", "max_unpacking_ratio", "unpacking_threshold")
    return {name: options[name] for name in names if name in options}


class Parts(Iterator[Document]):
    """The parts of a document from any source, unpacked; `close` closes a file that was opened here."""

    def __init__(
        self,
        source: Source,
        *,
        filename: str | None = None,
        open_url: Callable[[str], IO[bytes]] | None = None,
        size: int = _BLOCK,
        max_unpacking_ratio: int = UNPACKING_RATIO,
        unpacking_threshold: int = UNPACKING_THRESHOLD,
        on_progress: OnProgress = None,
        unpacks: bool = True,
    ) -> None:
        """Open the source.

        Args:
            source: where the document comes from.
            filename, max_unpacking_ratio, unpacking_threshold: see `xml5tree.options.Settings`.
            on_progress: called as the document is read; see `xml5tree.progress.Meter`.
            open_url: opens a source that is text (`xml5tree.remote.open_url`); None: text is a path.
            size: bytes or characters to read from a file at a time.
            unpacks: whether compressed data is unpacked.

        Raises `OSError` if the file cannot be opened, and `TypeError` for another source or `on_progress`.
        """
        self._file: IO[bytes] | None = None
        self.name = name_of(source)
        self._filename = filename or self.name
        self._meter = None if on_progress is None else Meter(on_progress, self._filename)
        if isinstance(source, str | os.PathLike):
            self._file = OwnFile(source) if open_url is None else open_url(str(source))
            parts: Iterator[Document] = blocks(self._file, size)
        elif hasattr(source, "read"):
            parts = blocks(source, size)
        elif isinstance(source, bytes | bytearray | memoryview):
            raise TypeError(f"a path, a file object or an iterable of parts expected, not {type(source).__name__}")
        else:
            parts = iter(source)
        if self._meter is not None:
            parts = self._meter.over(parts, size_of(source if self._file is None else self._file))
        self._parts = parts
        if unpacks:
            self._parts = Unpacking(parts, ratio=max_unpacking_ratio, threshold=unpacking_threshold)

    def __next__(self) -> Document:
        """Return the next part; raise `ParseError` if compressed data unpacks to more than the options allow."""
        try:
            return next(self._parts)
        except UnpackedTooLarge as error:
            raise refused(str(error), (1, 0), self._filename, code="unpacked-too-large") from error

    @property
    def damage(self) -> str:
        """Damage of the compressed data, known after the last part; "" for none."""
        return self._parts.damage if isinstance(self._parts, Unpacking) else ""

    def count(self, found: Callable[[], tuple[int, int]]) -> None:
        """Set what returns the numbers of errors and records so far, for `on_progress`."""
        if self._meter is not None:
            self._meter.found = found

    def abandon(self) -> None:
        """Close the file, as the document is read again; `on_progress` is not told of an end."""
        self._meter = None
        self.close()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        if self._meter is not None:
            self._meter.finish()
