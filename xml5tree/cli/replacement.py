"""Replaces files whole or not at all; keeps originals."""

# New content is written beside the file, to ".NAME.xml5tree", which is locked while its process lives. So the next run
# can recognise and remove what a killed one has left behind.

import io
import os
import re
import shutil
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import IO, Any, Final, Self

from xml5tree.cli.rendering import printable
from xml5tree.unpacking import packing

if sys.platform != "win32":
    import fcntl


#: The names of new content, made by `_create_beside`.
_TEMPORARY: Final = re.compile(r"\..*\.xml5tree(?:\.\d+)?", re.DOTALL)
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_LOOK: Final = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
#: Extended attributes that are about the file and not about its content.
_KEPT_ATTRIBUTES: Final = ("user.", "system.posix_acl_access", "security.selinux")


class CannotWrite(OSError):
    """A file cannot be written; unlike other `OSError`s, which are about standard output."""


class Replacement:
    """A file that replaces the one at a path when it is committed, and else leaves nothing behind.

    It gets owner, group and permissions of the replaced file before anything is written to it. `remarks` lists in words
    what could not be kept. A device or a pipe is written to instead.
    """

    path: Path  #: where the file is, once it is committed

    def __init__(self, path: Path, *, compression: str = "", beside: Path | None = None) -> None:
        """Begin to write; a symbolic link stays, and its target is replaced.

        `compression` is ``"gzip"``, ``"zstd"``, or "" for none. A file that comes `beside` another one has owner, group
        and permissions of that; then what is at `path` stays, and the file's name ends in ``.2`` and so on. Raises
        `CannotWrite` where nothing can be written.
        """
        self.path = Path(os.path.realpath(path)) if beside is None else path
        self._replaces = beside is None
        self._shown = printable(str(path))
        self._temporary: Path | None = None
        self.remarks: list[str] = []
        with self._problems():
            if self._replaces and path.exists() and not path.is_file():
                self._raw: IO[bytes] = path.open("wb")
            else:
                self._raw = self._begin(beside or self.path)
        self._file: IO[bytes] = packing(self._raw, compression) if compression else self._raw

    def _begin(self, model: Path) -> IO[bytes]:
        status = model.stat() if model.exists() else None
        descriptor, self._temporary = _create_beside(self.path, 0o666 if status is None else 0o600)
        file = os.fdopen(descriptor, "wb")
        try:
            if status is not None:
                self.remarks += _make_alike(descriptor, model, status)
                if status.st_nlink > 1 and model == self.path:
                    self.remarks.append(f"hard links that keep what was there: {status.st_nlink - 1:,}")
        except BaseException:
            self._discard(file)
            raise
        return file

    def write(self, data: bytes) -> None:
        """Write a part of the content; raise `CannotWrite`, or `BrokenPipeError` for a pipe without a reader."""
        with self._problems():
            self._file.write(data)

    def commit(self) -> None:
        """Put the file in its place; if that fails, raise as `write` does, and leave the file that was there."""
        with self._problems():
            if self._file is not self._raw:
                self._file.close()
            self._raw.flush()
            if self._temporary is None:
                return
            os.fsync(self._raw.fileno())
            if sys.platform == "win32":  # open files cannot be renamed; elsewhere, the lock holds until it is done
                self._raw.close()
            if self._replaces:
                os.replace(self._temporary, self.path)
            else:
                self.path = next(name for name in _numbered(self.path) if _move(self._temporary, name))
            self._temporary = None

    @contextmanager
    def _problems(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            raise
        except OSError as error:
            problem = f"cannot write {self._shown}: {error.strerror or error}"
            raise CannotWrite(error.errno, problem) from error

    def _discard(self, file: IO[bytes]) -> None:
        try:
            # Flush now; a failure does not matter, as a committed file has been written whole.
            with suppress(OSError):
                file.close()
        finally:
            if self._temporary is not None:
                with suppress(FileNotFoundError):
                    os.unlink(self._temporary)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # what comes at the end of compressed data goes with the file
            self._file.close()
        self._discard(self._raw)


def is_temporary(name: str) -> bool:
    """Return whether a file of a name, without folders, is new content that is being written."""
    return _TEMPORARY.fullmatch(name) is not None


def _create_beside(path: Path, mode: int) -> tuple[int, Path]:
    """Create a locked file beside another one; return its descriptor and path."""
    for name in _numbered(path.with_name(f".{path.name}.xml5tree")):
        _remove_stale(name)
        with suppress(FileExistsError):
            descriptor = os.open(name, _CREATE, mode)
            # Another process may have taken it for a stale one before it was locked.
            if _is_held(descriptor, name):
                break
            os.close(descriptor)
    return descriptor, name


def _is_held(descriptor: int, name: Path, *, without_locks: bool = True) -> bool:
    """Lock the file that was opened by a name until it is closed; return False if another process has taken it.

    `without_locks` is returned where there are no locks.
    """
    if sys.platform != "win32":
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            if not without_locks:
                return False
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(descriptor), os.lstat(name))
    return False


def _remove_stale(name: Path) -> None:
    """Remove the file of a killed process, unless it is in use, or not ours."""
    with suppress(OSError):
        if sys.platform == "win32":
            os.unlink(name)  # which is refused as long as the file is open
            return
        with open(os.open(name, _LOOK), "rb") as file:
            status = os.fstat(file.fileno())
            ours = stat.S_ISREG(status.st_mode) and os.geteuid() in {0, status.st_uid}
            if ours and _is_held(file.fileno(), name, without_locks=False):
                os.unlink(name)


def _make_alike(descriptor: int, model: Path, status: os.stat_result) -> list[str]:
    """Give a file owner, group, attributes and permissions of another one; return what failed, in words."""
    if sys.platform == "win32":
        return []
    mode = stat.S_IMODE(status.st_mode)
    remarks = []
    try:
        os.fchown(descriptor, -1, status.st_gid)
    except OSError:
        remarks.append("its group is not the same")
        # Another group gets the permissions of everybody, and no more.
        mode = mode & 0o707 | (mode & (mode << 3) & 0o070)
    try:
        os.fchown(descriptor, status.st_uid, -1)
    except OSError:
        remarks.append("its owner is not the same")
        mode &= 0o777  # the set-ID bits were for that owner
    if not remarks and sys.platform == "linux":
        with suppress(OSError):  # the access control list and other extended attributes, where the system lets us
            for name in os.listxattr(model):
                if name.startswith(_KEPT_ATTRIBUTES):
                    with suppress(OSError):
                        os.setxattr(descriptor, name, os.getxattr(model, name))
    os.fchmod(descriptor, mode)
    return remarks


def _numbered(path: Path) -> Iterator[Path]:
    """Yield a path, and then the path with ``.2``, ``.3`` and so on at its end."""
    yield path
    for number in count(2):
        yield path.with_name(f"{path.name}.{number}")


def _move(temporary: Path, path: Path) -> bool:
    """Move a file that has been written whole to a path; return False if that is taken."""
    try:
        os.close(os.open(path, _CREATE, 0o600))  # nobody else takes the name
    except FileExistsError:
        return False
    try:
        os.replace(temporary, path)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return True


def keep_original(path: Path) -> Path:
    """Copy the file at a path to one with ``.orig`` at the end of its name, or ``.orig.2`` and so on; return its path.

    Raises `CannotWrite` if it cannot be kept.
    """
    path = Path(os.path.realpath(path))
    status = path.stat()
    kept = Replacement(path.with_name(f"{path.name}.orig"), beside=path)
    with path.open("rb") as original, kept:
        shutil.copyfileobj(original, kept)
        kept.commit()
    with suppress(OSError):
        os.utime(kept.path, ns=(status.st_atime_ns, status.st_mtime_ns))
    return kept.path


def write_beside(path: Path, suffix: str, lines: Iterable[str]) -> Path:
    """Write a text file beside another one, with its owner, group and permissions, and return its path.

    Its name ends in `suffix`, followed by ``.2`` and so on if that exists. Raises `CannotWrite`.
    """
    path = Path(os.path.realpath(path))
    with Replacement(path.with_name(path.name + suffix), beside=path) as file:
        for line in lines:
            file.write(line.encode("utf-8", "backslashreplace"))
        file.commit()
    return file.path


class BinaryFile(io.RawIOBase):
    """Adapts a function that writes bytes to a write-only file with `tell()`."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write
        self._size = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._write(bytes(data))
        self._size += len(data)
        return len(data)

    def tell(self) -> int:
        return self._size
