"""What was wrong with a document: the exception and the log."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence
from typing import Final, overload

from xml5tree.errors.codes import CODES, LOST, Effect, Kind, worst

__all__ = ["ErrorEntry", "ErrorLog", "ParseError", "refused"]

#: The place at the end of a native parser's message.
_PLACE: Final = re.compile(r"[,:] line \d+, column \d+(?: \(.*\))?\Z", re.DOTALL)


#: What an entry says, in the order of its constructor.
_FIELDS: Final = ("code", "kind", "message", "line", "column", "offset", "effect")


class ErrorEntry:
    """One problem of a document and what was done about it; it cannot be changed."""

    __module__ = "xml5tree.errors"  # the public path, which pickles and tracebacks show
    __slots__ = ("_values",)

    def __init__(
        self, code: str, kind: Kind, message: str, line: int, column: int, offset: int, effect: Effect
    ) -> None:
        self._values = code, kind, message, line, column, offset, effect

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
    def effect(self) -> Effect:
        """What happened to content: ``"kept"``, ``"moved"`` or ``"lost"``.

        ``"kept"``: all content is there, in its place. ``"moved"``: all of it is there, but perhaps not where the
        author meant it. ``"lost"``: some of it was dropped or replaced.
        """
        return self._values[6]

    @property
    def lossy(self) -> bool:
        """Whether content was dropped or replaced: whether `effect` is ``"lost"``."""
        return self.effect == LOST

    def as_dict(self) -> dict[str, str | int]:
        """The entry as a dictionary of strings and numbers."""
        return dict(zip(_FIELDS, self._values, strict=True))

    def __eq__(self, other: object) -> bool:
        return self._values == other._values if isinstance(other, ErrorEntry) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._values)

    def __repr__(self) -> str:
        return f"ErrorEntry({', '.join(f'{name}={value!r}' for name, value in self.as_dict().items())})"

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
        effect: the worst of what happened to content anywhere, whether the log holds the entry or not; ``"kept"`` for
            an empty log, too.
        truncated: whether the document ends before its author's end: in the middle of a tag, a comment or an element.
            One that only has a wrong last end tag, or none for what a quote or a comment has swallowed, does not.
    """

    __module__ = "xml5tree.errors"
    __slots__ = ("_entries", "effect", "total", "truncated")

    def __init__(self, entries: Iterable[ErrorEntry] = ()) -> None:
        self._entries = list(entries)
        self.total = len(self._entries)
        self.effect = worst(*(entry.effect for entry in self._entries))
        self.truncated = False

    @property
    def lossy(self) -> bool:
        """Whether content was dropped or replaced anywhere: whether `effect` is ``"lost"``."""
        return self.effect == LOST

    def as_dicts(self) -> list[dict[str, str | int]]:
        """The entries as dictionaries, for example for `json.dumps` or a data frame; see `ErrorEntry.as_dict`."""
        return [entry.as_dict() for entry in self._entries]

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
        reason: what is wrong, in plain words; the text of the exception has the place as well.
        position: line (from 1) and column (from 0).
        errors: the log of everything found in the document.
    """

    __module__ = "xml5tree.errors"
    code: str  # type: ignore[assignment]
    reason: str
    position: tuple[int, int]
    errors: ErrorLog

    def __init__(self, message: str, code: str, position: tuple[int, int], errors: ErrorLog | None = None) -> None:
        line, column = position
        super().__init__(f"{message}: line {line}, column {column}")
        self.code = code
        self.reason = message
        self.position = position
        self.lineno, self.offset = line, column
        self.errors = ErrorLog() if errors is None else errors

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[type, tuple[object, ...], dict[str, object]]:
        return (
            type(self),
            ("", self.code, self.position, self.errors),
            {"args": self.args, "msg": self.msg, "reason": self.reason},
        )


def refused(message: str, position: tuple[int, int]) -> ParseError:
    """The exception for a document that the native parser refuses, with a log that says the same.

    Args:
        message: what the native parser says; the place at its end is left out.
        position: the place.
    """
    code: Final = "not-well-formed"
    message = _PLACE.sub("", message)
    entry = ErrorEntry(code, CODES[code].kind, message, *position, offset=0, effect=CODES[code].effect)
    return ParseError(message, code, position, ErrorLog([entry]))
