"""What was wrong with a document: the exception, the log, and the reporter that fills the log."""

import re
import xml.etree.ElementTree as ET
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Final, NamedTuple, overload

from xml5tree.errorcodes import CODES, Kind
from xml5tree.positions import Locator

__all__ = ["ErrorEntry", "ErrorLog", "ParseError", "Reporter", "refused"]

#: The place at the end of a native parser's message.
_PLACE: Final = re.compile(r"[,:] line \d+, column \d+(?: \(.*\))?\Z", re.DOTALL)


class ErrorEntry:
    """One problem of a document and what was done about it; it cannot be changed."""

    __slots__ = ("_values",)

    def __init__(self, code: str, kind: Kind, message: str, line: int, column: int, offset: int, lossy: bool) -> None:
        self._values = code, kind, message, line, column, offset, lossy

    @property
    def code(self) -> str:
        """The error code in kebab-case (``docs/errors.md`` lists all), such as ``"unmatched-end-tag"``."""
        return self._values[0]

    @property
    def kind(self) -> Kind:
        """``"parse-error"``, ``"not-well-formed"`` or ``"coerced"``."""
        return self._values[1]

    @property
    def message(self) -> str:
        """The problem and what was done about it, in plain words."""
        return self._values[2]

    @property
    def line(self) -> int:
        """The line in the document, from 1."""
        return self._values[3]

    @property
    def column(self) -> int:
        """Characters before the place in its line, from 0 as in ElementTree."""
        return self._values[4]

    @property
    def offset(self) -> int:
        """Characters before the place in the decoded document.

        A line break is counted as one character, and a leading byte order mark not at all.
        """
        return self._values[5]

    @property
    def lossy(self) -> bool:
        """Whether content was dropped or replaced."""
        return self._values[6]

    def __eq__(self, other: object) -> bool:
        return self._values == other._values if isinstance(other, ErrorEntry) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._values)

    def __repr__(self) -> str:
        code, kind, message, line, column, offset, lossy = map(repr, self._values)
        place = f"line={line}, column={column}, offset={offset}"
        return f"ErrorEntry(code={code}, kind={kind}, message={message}, {place}, lossy={lossy})"

    @property
    def type_name(self) -> str:
        """The code, under the name that lxml's log entries have for it."""
        return self.code

    def __str__(self) -> str:
        return f"{self.line}:{self.column}: {self.code}: {self.message}"


class ErrorLog(Sequence[ErrorEntry]):
    """The errors of one document, a read-only sequence.

    It is in document order once the document has ended, and in the order of discovery before. An empty log, which
    equals ``[]``, means that the document is well-formed and namespace-well-formed.

    Attributes:
        total: how many errors were found; the log holds the first `max_errors` of them.
        lossy: whether content was dropped or replaced anywhere.
        truncated: whether the document ends in the middle of something.
    """

    __slots__ = ("_entries", "lossy", "total", "truncated")

    def __init__(self, entries: Iterable[ErrorEntry] = ()) -> None:
        self._entries = list(entries)
        self.total = len(self._entries)
        self.lossy = any(entry.lossy for entry in self._entries)
        self.truncated = False

    @property
    def omitted(self) -> int:
        """How many errors were found but not kept."""
        return self.total - len(self._entries)

    @property
    def last_error(self) -> ErrorEntry | None:
        """The last entry, or None, as in lxml's logs."""
        return self._entries[-1] if self._entries else None

    def __len__(self) -> int:
        return len(self._entries)

    @overload
    def __getitem__(self, index: int) -> ErrorEntry: ...
    @overload
    def __getitem__(self, index: slice) -> list[ErrorEntry]: ...
    def __getitem__(self, index: int | slice) -> ErrorEntry | list[ErrorEntry]:
        return self._entries[index]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ErrorLog):
            return self._entries == other._entries and self.total == other.total
        return (self._entries == other and not self.omitted) if isinstance(other, list) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        lines = [str(entry) for entry in self._entries]
        if self.omitted:
            lines.append(f"and {self.omitted} more")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.total} errors{', truncated document' if self.truncated else ''}>"


class ParseError(ET.ParseError):
    """The one exception that a document can cause; a subclass of `xml.etree.ElementTree.ParseError`.

    Raised for a document without a root element, for a DOCTYPE where `forbid_dtd` is set, and with
    ``recover=False`` for any document that is not well-formed.

    Attributes:
        code: the error code in kebab-case, such as ``"no-root-element"``.
        position: line (from 1) and column (from 0).
        errors: the log of everything found in the document.
    """

    code: str  # type: ignore[assignment]
    position: tuple[int, int]
    errors: ErrorLog

    def __init__(self, message: str, code: str, position: tuple[int, int], errors: ErrorLog | None = None) -> None:
        line, column = position
        super().__init__(f"{message}: line {line}, column {column}")
        self.code = code
        self.position = position
        self.lineno, self.offset = line, column
        self.errors = ErrorLog() if errors is None else errors

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[type, tuple[object, ...], dict[str, object]]:
        return (type(self), ("", self.code, self.position, self.errors), {"args": self.args, "msg": self.msg})


def refused(message: str, position: tuple[int, int]) -> ParseError:
    """The exception for a document that the native parser refuses, with a log that says the same.

    Args:
        message: what the native parser says; the place at its end is left out.
        position: the place.
    """
    code: Final = "not-well-formed"
    message = _PLACE.sub("", message)
    entry = ErrorEntry(code, CODES[code].kind, message, *position, offset=0, lossy=False)
    return ParseError(message, code, position, ErrorLog([entry]))


class _Report(NamedTuple):
    """An error of text that the tokenizer has not reached."""

    code: str
    offset: int
    detail: tuple[object, ...]
    kind: Kind | None
    lossy: bool | None


class Reporter:
    """Collects the errors of one document, in an order and number that do not depend on how it is fed.

    The input stream sees a chunk whole before the tokenizer sees its first character; what it finds is put in by
    `report_ahead` and takes its place before the first error that the later stages report at or behind it.
    """

    def __init__(self, max_errors: int | None, on_error: Callable[[ErrorEntry], object] | None) -> None:
        self.log = ErrorLog()
        self.locator = Locator()
        #: Offsets of earlier text at which an error may yet be reported, by the name of what begins there.
        self.marks: dict[str, int] = {}
        self._max_errors = float("inf") if max_errors is None else max_errors
        self._on_error = on_error
        self._ahead: deque[_Report] = deque()
        self._ahead_located: deque[ErrorEntry] = deque()  # those before them, whose text has gone

    def report(
        self, code: str, offset: int, *detail: object, kind: Kind | None = None, lossy: bool | None = None
    ) -> None:
        """Report an error at an offset; `kind` and `lossy` where they differ from what is usual for the code."""
        if self._ahead or self._ahead_located:
            self._merge_ahead(offset)
        self._count(code, lossy)
        if len(self.log._entries) < self._max_errors or self._on_error:
            self._keep(self._entry(code, offset, detail, kind, lossy))

    def report_ahead(
        self, code: str, offset: int, *detail: object, kind: Kind | None = None, lossy: bool | None = None
    ) -> None:
        """Report an error of text that the tokenizer has not reached; offsets must not decrease."""
        self._count(code, lossy)
        if len(self._ahead) < self._max_errors or self._on_error:
            self._ahead.append(_Report(code, offset, detail, kind, lossy))

    def _count(self, code: str, lossy: bool | None) -> None:
        self.log.total += 1
        if CODES[code].lossy if lossy is None else lossy:
            self.log.lossy = True

    def _merge_ahead(self, offset: int | float) -> None:
        """Put in what was reported ahead, up to an offset."""
        while self._ahead_located and self._ahead_located[0].offset <= offset:
            self._keep(self._ahead_located.popleft())
        while self._ahead and self._ahead[0].offset <= offset:
            self._keep(self._entry(*self._ahead.popleft()))

    def advance(self, base: int, text: str, *keep: int) -> None:
        """Go on to the text that begins at offset `base`; see `Locator.advance`."""
        while self._ahead and self._ahead[0].offset < base:
            self._ahead_located.append(self._entry(*self._ahead.popleft()))
        self.locator.advance(base, text, (*keep, *self.marks.values()))

    def close(self) -> None:
        """Complete the log: the document has ended."""
        self._merge_ahead(float("inf"))
        self.log._entries.sort(key=attrgetter("offset"))

    def _entry(
        self, code: str, offset: int, detail: tuple[object, ...], kind: Kind | None, lossy: bool | None
    ) -> ErrorEntry:
        usual = CODES[code]
        line, column = self.locator.locate(offset)
        message = usual.message.format(*map(_shortened, detail))
        lossy = usual.lossy if lossy is None else lossy
        return ErrorEntry(code, kind or usual.kind, message, line, column, offset, lossy)

    def _keep(self, entry: ErrorEntry) -> None:
        entries = self.log._entries
        if len(entries) < self._max_errors:
            entries.append(entry)
        if self._on_error:
            self._on_error(entry)


def _shortened(detail: object) -> object:
    """A detail that fits into a message: names and tags can be of any length."""
    return f"{detail[:60]}…" if isinstance(detail, str) and len(detail) > 80 else detail
