"""Documents in files, patterns or standard input, perhaps compressed."""

import errno
import glob
import io
import os
import re
import stat
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from functools import lru_cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any, Final
from urllib.parse import quote
from zipfile import ZipInfo

import click

from xml5tree.cli.folders import ALL, Choice, files_below
from xml5tree.cli.rendering import printable
from xml5tree.cli.severity import Severity
from xml5tree.containers import Container, Content, is_container
from xml5tree.dialects import make_settings
from xml5tree.dialects.base import characters_of
from xml5tree.documents import OwnFile, blocks
from xml5tree.errors.codes import KEPT
from xml5tree.errors.hints import Hint
from xml5tree.errors.log import ErrorLog, ParseError
from xml5tree.errors.wording import number_of
from xml5tree.options import Options
from xml5tree.parser import XMLParser
from xml5tree.remote import is_url, open_url, urls_at
from xml5tree.unpacking import Unpacking
from xml5tree.wellformed import WHOLE, options_for, settings_for

_BLOCK: Final = 1 << 16
_SPOOL_IN_MEMORY: Final = 1 << 24
#: Any number of folders, in a pattern.
_ANY_FOLDERS: Final = re.compile(r"(?<![^/\\])\*\*(?:[/\\]+|\Z)" if os.name == "nt" else r"(?<![^/])\*\*(?:/+|\Z)")


class CannotRead(OSError):
    """A document cannot be read; unlike other `OSError`s, which are about output."""


class InputDocument:
    """A document that can be read several times, in blocks, decompressed.

    Attributes:
        name: its name for people.
        path: the path; None for standard input and URLs.
        below: its path below the given folder, or below the fixed part of a pattern; else its name.
        compression: ``"gzip"`` or ``"zstd"``, known once it is read; "" for none.
        newline: the end of its first line, LF or CR LF; known once it is read.
        damage: damage of the compressed data; "" for none.
        in_folder: whether it was found in a folder that was named.
        leaves_line_open: whether its output on standard output does not end in a line feed.
        severity: its errors, as far as the command looks for them.
        problem: why it cannot be read, if that is known before.
        is_settled: whether it is known to be well-formed.
        advance: called with the position in the file, where a progress bar is shown.
    """

    def __init__(self, argument: str, folder: str | None = None) -> None:
        """Take a path, or ``-`` for standard input, and the folder that it was found in."""
        self._argument = argument
        self.name = "<stdin>" if argument == "-" else printable(argument)
        self.path = None if argument == "-" or is_url(argument) else Path(argument)
        self._members: list[Member] | None = None
        self.below = os.path.basename(argument) if folder is None else os.path.relpath(argument, folder or os.curdir)
        self.compression = ""
        self.newline = "\n"
        self.damage = ""
        self.leaves_line_open = self.in_folder = False
        self.severity = Severity()
        self.problem = ""
        self.is_settled = False
        self.advance: Callable[[int], None] | None = None
        self._spool: IO[bytes] | None = None
        self._start: int | None = None  # where standard input begins, if it is a file

    def refusal(self, error: ParseError) -> str:
        """Note that there is no tree; return why, and where; columns count from 1."""
        self.severity.has_tree = False
        line, column = error.position
        return f"{error.reason}: line {line}, column {column + 1}"

    def report(self, log: ErrorLog, where: str = "", cut_off: str = "the document is cut off") -> None:
        """Report how many errors were repaired, if any, and what became of content, once the document has ended.

        `log` is its log, whose entries are not needed. `where` and `cut_off` are in the words of the command.
        """
        self.severity.close(truncated=log.truncated)
        if number := self.severity.number:
            effect = self.severity.effect
            words = [f"{number_of(number, 'error')} repaired{where}"]
            words += [] if effect == KEPT else [f"content is {effect}"]
            words += [cut_off] if log.truncated else []
            complain(self, "; ".join([*words, "'xml5tree check' lists them"]))

    def blocks(self, *, advances: bool = False) -> Generator[bytes]:
        """Yield the document from its start, in parts; raise `CannotRead` if it cannot be read.

        If `advances` is True, so does the progress bar. The first time, a document that cannot be read twice must be
        read to its end.
        """
        try:
            if self.problem:
                raise OSError(self.problem)
            # Exceptions of the code that uses a block do not come through here.
            yield from self._blocks(advances=advances)
        except OSError as error:
            raise CannotRead(error.errno, error.strerror or str(error)) from error

    def _blocks(self, *, advances: bool) -> Iterator[bytes]:
        if self._spool is not None:
            self._spool.seek(0)
            yield from iter(lambda: self._spool.read(_BLOCK), b"")  # type: ignore[union-attr]
            return
        with self._open() as raw:
            is_regular = _regular(raw) is not None
            advance = self.advance if is_regular and advances else None
            spool = None if is_regular else tempfile.SpooledTemporaryFile(_SPOOL_IN_MEMORY)  # noqa: SIM115
            try:
                unpacked = Unpacking(blocks(raw, _BLOCK))
                for number, block in enumerate(unpacked):
                    if not number:
                        self.compression = unpacked.compression
                        self.newline = _newline(block)
                    if spool is not None:
                        _keep(spool, block)
                    yield block
                    if advance is not None:
                        advance(raw.tell())
                self.damage = unpacked.damage
                self._spool, spool = spool, None
            finally:
                if spool is not None:  # it has not all of the document
                    spool.close()

    @property
    def members(self) -> "list[Member]":
        """The members of a ZIP container that are XML; none if it is no container, or cannot be read."""
        if self._members is None:
            found: list[ZipInfo] = []
            try:
                if self.path is not None and is_container(self.path):
                    found = _container_at(self._argument).members
            except OSError as error:
                self.problem = error.strerror or str(error)
            self._members = [Member(self._argument, number, info) for number, info in enumerate(found)]
        return self._members

    def rewritten(self, contents: Mapping[int, Content]) -> Iterator[bytes]:
        """Yield a ZIP container with new contents of members, by their numbers; raise `CannotRead` where it cannot."""
        try:
            yield from _container_at(self._argument).rewritten(contents)
        except OSError as error:
            raise CannotRead(error.errno, error.strerror or str(error)) from error

    @property
    def uri(self) -> str:
        """The URI: absolute for an absolute path, else relative to the current folder."""
        if is_url(self._argument):
            return self._argument
        if self.path is None:
            return "stdin"
        return self.path.as_uri() if self.path.is_absolute() else quote(os.fsencode(self.path.as_posix()))

    @property
    def in_json(self) -> dict[str, str]:
        """Its `name` for programs, and ``uri`` where that differs from the path."""
        return {"file": self.name} | ({} if self.name in {self._argument, "<stdin>"} else {"uri": self.uri})

    def settled(self, reading: Options) -> Options:
        """Return options that assume nothing, if the document is well-formed; see `xml5tree.wellformed`.

        Whether it is remains open for a pipe or a URL that has not been read yet.
        """
        if self._spool is None and not self._is_file:
            return reading
        settle = partial(settings_for, open_parts=self._undamaged, whole=WHOLE)
        options = options_for((), reading, settle=settle)
        self.is_settled = options is not reading
        return options

    def refuse(self, reading: Options) -> ErrorLog:
        """Read it strictly, without a tree; return its empty log. Raise `ParseError` or `CannotRead`."""
        options: Options = {**reading, "filename": self.name}
        parser: XMLParser[None] = XMLParser(target=SimpleNamespace(close=lambda: None), **options)
        parser.parse_parts(self.blocks())
        return parser.error_log

    def _undamaged(self) -> Iterator[bytes]:
        yield from self.blocks()
        if self.damage:
            raise CannotRead(None, self.damage)

    @property
    def _status(self) -> os.stat_result | None:
        """The status of a regular file, which can be read several times."""
        return _regular(sys.stdin if self._argument == "-" else self._argument)

    @property
    def _is_file(self) -> bool:
        return self._status is not None

    @property
    def size(self) -> int:
        """The bytes of the file; 0 where it is none."""
        status = self._status
        return 0 if status is None else status.st_size

    def look(self) -> None:
        """Read the beginning of a file for the attributes known from it."""
        with closing(self.blocks()) as blocks:
            next(blocks, None)

    def is_at(self, path: Path) -> bool:
        return self.path is not None and self.path.is_file() and path.exists() and self.path.samefile(path)

    def close(self) -> None:
        if self._spool is not None:
            self._spool.close()

    def _open(self) -> Any:
        if is_url(self._argument):
            try:
                return closing(open_url(self._argument))
            except (ImportError, ValueError) as error:  # such as a package that is not installed
                raise OSError(str(error)) from error
        if self.path is None:
            stdin: Any = sys.stdin.buffer
            try:
                # A duplicate, so that closing it leaves standard input alone.
                file = os.fdopen(os.dup(stdin.fileno()), "rb")
            except (io.UnsupportedOperation, AttributeError):  # it has no descriptor
                return io.BufferedReader(io.BytesIO(b"".join(blocks(stdin))))  # type: ignore[arg-type]
            if self._is_file:
                self._start = file.tell() if self._start is None else file.seek(self._start)
            return file
        return self.path.open("rb")


def is_strict(reading: Options) -> bool:
    """Return whether ``--recovery strict`` refuses documents that are not well-formed; LeafXML does so by itself."""
    return reading.get("recovery") == "strict" and reading.get("dialect") != "leafxml"


class Member(InputDocument):
    """A member of a ZIP container, which is named by the path of the container, a slash and its own name."""

    _is_file = True

    def __init__(self, container: str, number: int, info: ZipInfo) -> None:
        """Take the path of the container, and the number and facts of the member in `Container.members`."""
        super().__init__(f"{container}/{info.filename}")
        self.path = Path(container)
        self._members = []
        self._container = container
        self.number = number
        self.info = info

    @property
    def uri(self) -> str:
        """The URI of the container, with the name of the member."""
        return f"{super().uri}/{quote(self._argument.removeprefix(self._container + '/'))}"

    @property
    def size(self) -> int:
        return self.info.file_size

    def _blocks(self, *, advances: bool) -> Iterator[bytes]:
        container = _container_at(self._container)
        for number, block in enumerate(container.blocks(container.members[self.number])):
            if not number:
                self.newline = _newline(block)
            yield block


def _container_at(path: str) -> Container:
    """Return the ZIP container at a path; raise `OSError` if it cannot be read."""
    status = os.stat(path)
    return _container(path, os.getpid(), status.st_ino, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=1)
def _container(path: str, process: int, *facts: int) -> Container:
    # Processes must not share a file. The members of a container are mostly read one after the other.
    return Container(OwnFile(path))


def _member_named(name: str) -> list[Member]:
    """Return the member whose name this is, with the path of its container before it."""
    if name == "-" or os.path.lexists(name):
        return []
    containers = [InputDocument(str(path)) for path in Path(name).parents if is_container(path)]
    return [member for source in containers for member in source.members if member.name == printable(name)]


def _keep(spool: IO[bytes], block: bytes) -> None:
    try:
        spool.write(block)
    except OSError as error:
        raise OSError(error.errno, f"cannot be kept in a temporary file: {error.strerror}") from error


def _newline(block: bytes) -> str:
    before, newline, _ = block.replace(b"\0", b"").partition(b"\n")
    return "\r\n" if newline and before.endswith(b"\r") else "\n"


def _regular(file: Any) -> os.stat_result | None:
    """Return the status of a regular file, given its path or a stream."""
    try:
        status = os.stat(file if isinstance(file, str) else file.fileno())
    except (OSError, ValueError, AttributeError):
        return None
    return status if stat.S_ISREG(status.st_mode) else None


def text_blocks(source: InputDocument, reading: Options) -> Iterator[str]:
    """Yield the characters that offsets, lines and columns count; raise `CannotRead`."""
    dialect, settings = make_settings(reading)
    return (text for text, _ in characters_of(dialect.make_stream(settings), source.blocks()))


def expand(
    arguments: Iterable[str], choice: Choice = ALL, *, quiet: bool = False, opens: bool = True
) -> Iterator[InputDocument]:
    """Yield the documents that arguments name: paths, patterns, URLs, and ``-`` for standard input.

    A folder stands for the files in it, and in its folders, that are chosen. Links to folders are not followed. An
    argument is a pattern only where there is no file of that name. If `opens` is True, a ZIP container stands for the
    XML in it. Unless `quiet` is True, standard error says how many files of a folder are skipped.
    """
    for argument in arguments:
        if is_url(argument):
            urls = [argument]
            with suppress(OSError, ImportError, ValueError):  # opening it says why
                urls = urls_at(argument)
            yield from map(InputDocument, urls)
            continue
        found: list[str] = []
        folder, skipped = argument, Counter[str]()
        if argument != "-" and os.path.isdir(argument):
            found, skipped = files_below(argument, choice)
        elif argument != "-" and not os.path.lexists(argument) and glob.has_magic(argument):
            found = sorted(name for name in _matches(argument) if not os.path.isdir(name))
            while glob.has_magic(folder):
                folder = os.path.dirname(folder)
        documents: list[InputDocument] = [InputDocument(name, folder) for name in found]
        if not found:
            documents.extend(_member_named(argument) or [InputDocument(argument)])
        for document in documents:
            document.in_folder = os.path.isdir(argument)
            members: Sequence[InputDocument] = document.members if opens else ()
            yield from members or [document]
        if found and skipped and not quiet:
            _tell_skipped(argument, skipped)


def _matches(pattern: str) -> set[str]:
    """Return the paths that `glob.glob` finds, but without following links to folders for ``**``."""
    # With two links to a folder above them, `glob.glob` does not end.
    recursive = _ANY_FOLDERS.search(pattern)
    if recursive is None:
        return set(glob.iglob(pattern))
    head, tail = pattern[: recursive.start()], pattern[recursive.end() :]
    if not tail and not pattern.endswith("**"):
        return set()  # folders only
    found: set[str] = set()
    for base in glob.iglob(head) if glob.has_magic(head) else [head]:
        for place, folders, _ in os.walk(base or os.curdir):
            folders[:] = [folder for folder in folders if not folder.startswith(".")]
            below = os.path.relpath(place) if not base else place
            found |= _matches(tail or "*" if below == os.curdir else os.path.join(glob.escape(below), tail or "*"))
    return found


def _tell_skipped(folder: str, skipped: Counter[str]) -> None:
    total = skipped.total()
    most = sorted(skipped.items(), key=lambda item: (-item[1], item[0]))[:3]
    kinds = [f"{'*' + suffix if suffix else 'no suffix'} ({count:,})" for suffix, count in most]
    if len(skipped) > len(most):
        kinds.append(f"others ({total - sum(count for _, count in most):,})")
    number = number_of(total, "file")
    message = f"{folder}: skipped {number} by name: {', '.join(kinds)}; --include takes patterns for more"
    click.echo(f"xml5tree: {printable(message)}", err=True)


def hint_in_words(hint: Hint, subject: str) -> str:
    """Return a hint, with the option as it is on the command line."""
    option = {"encoding": "--input-encoding"}.get(hint.option, f"--{hint.option}")
    return hint.about(subject, option if isinstance(hint.value, bool) else f"{option} {hint.value}")


def complain(source: InputDocument, problem: str) -> None:
    """Complain about a file on standard error, on a line of its own."""
    with suppress(OSError, AttributeError):  # streams without a descriptor
        if source.leaves_line_open and os.path.sameopenfile(sys.stdout.fileno(), sys.stderr.fileno()):
            click.echo(err=True)
            source.leaves_line_open = False
    click.echo(f"xml5tree: {source.name}: {printable(problem)}", err=True)


def reason(source: InputDocument, error: OSError) -> str:
    """Return why a file cannot be read or written."""
    if isinstance(error, CannotRead) and error.errno == errno.EISDIR:
        return "is a folder without files such as *.xml; --include '*.epub' reads such files, too"
    if isinstance(error, CannotRead) and error.errno == errno.ENOENT and glob.has_magic(source.name):
        return "no file matches this pattern"
    return error.strerror or str(error)
