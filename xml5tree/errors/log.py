"""The error log, and the exception."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, Final, overload

from xml5tree.errors.codes import CODES, EFFECTS, KEPT, LOST, Effect, Verdict, verdict_of, worst
from xml5tree.errors.entry import ErrorEntry, Found, entry_of, least
from xml5tree.errors.faults import JOINING, Fault, Tally, faults_of, tallies
from xml5tree.errors.wording import number_of

if TYPE_CHECKING:
    from xml5tree.errors.hints import Hint


#: The place at the end of a native parser's message.
_PLACE: Final = re.compile(r"[,:] line \d+, column \d+(?: \(.*\))?\Z", re.DOTALL)
#: Entries that notebooks show of a log.
_IN_NOTEBOOKS: Final = 20
#: How many errors of each code are kept before more of others with the same effect.
_FEW: Final = 10
#: An error's code and effect.
Kind = tuple[str, Effect]


class Room:
    """Places for errors: the worst get one first, then some of each code, then those that come first.

    Those without a place are counted in `left_out`.
    """

    def __init__(self, kept: Iterable[Kind], left_out: dict[Kind, int]) -> None:
        """Begin with errors that have a place, and no place for more."""
        self._counts: dict[Kind, int] = {}
        self._places: dict[Kind, list[int]] = {}  # in the order of their errors
        self._left_out = left_out
        self._closed: set[Kind] = set()  # those that get no more places
        for place, kind in enumerate(kept):
            self._counts[kind] = self._counts.get(kind, 0) + 1
            self._places.setdefault(kind, []).append(place)

    def take(self, kind: Kind) -> int | None:
        """Count one more error; return the place it takes from another one, None if it gets none."""
        place = None if kind in self._closed else self._take(kind)
        if place is None:
            self._left_out[kind] = self._left_out.get(kind, 0) + 1
        return place

    def _take(self, kind: Kind) -> int | None:
        if not self._places:
            self._closed.add(kind)
            return None
        count = self._counts[kind] = self._counts.get(kind, 0) + 1
        rank, least = EFFECTS.index(kind[1]), min(EFFECTS.index(effect) for _, effect in self._places)
        if rank < least or (rank == least and count > _FEW):
            self._closed.add(kind)
            return None
        mildest = {other: places for other, places in self._places.items() if other[1] == EFFECTS[least]}
        largest = max(mildest, key=lambda other: len(mildest[other]))
        if rank == least and len(mildest[largest]) <= max(_FEW, len(mildest.get(kind, ()))):
            return None
        place = mildest[largest].pop()
        self._left_out[largest] = self._left_out.get(largest, 0) + 1
        if not mildest[largest]:
            del self._places[largest]
        self._places.setdefault(kind, []).append(place)
        return place


class Kept(list[Any]):
    """A list of errors or faults that keeps as many as `most`, or all if that is None."""

    def __init__(self, most: int | None) -> None:
        super().__init__()
        self._most = most
        self._room: Room | None = None

    def take(self, item: Any) -> None:
        if self._most is None or len(self) < self._most:
            self.append(item)
        elif self._most:
            if self._room is None:
                self._room = Room(((other.code, other.effect) for other in self), {})
            if (place := self._room.take((item.code, item.effect))) is not None:
                self[place] = item


class ErrorLog(Sequence[ErrorEntry]):
    """The errors of one document, a read-only sequence.

    Entries are in document order once the document has ended; before, in the order in which they are found. An empty
    log equals ``[]``, and means that the document is well-formed and namespace-well-formed; with ``roots="all"``,
    inside a root element; with ``dialect="html"``, that there are no HTML errors.

    Attributes:
        total: number of errors found; the log holds `max_errors`: the worst, then some of each code, then the first.
        effect: the worst effect of all errors found; ``"kept"`` without errors.
        confidence: the least confidence of all errors found; None if none has any.
        truncated: whether the document was cut off, in a tag, a comment or an element. False if the last end tag is
            only wrong, or swallowed by a quote or comment.
        has_tree: False for the log of a `ParseError`.
        filename: path, name or URL of the document, or None.
        hints: likely problems of the whole document, with options that help; available once it has ended.
    """

    __module__ = "xml5tree.errors"

    def __init__(self, entries: Iterable[ErrorEntry] = ()) -> None:
        self._made = list(entries)
        self._found: list[Found] = []  # those after the entries that have been made
        self._room: Room | None = None  # where there are more than the log holds
        self._left_out: dict[Kind, int] = {}
        self.total = 0
        self.effect: Effect = KEPT
        self.confidence: float | None = None
        self.truncated = False
        self.has_tree = True
        self.filename: str | None = None
        self.hints: tuple[Hint, ...] = ()
        if made := self._made:
            self.total = len(made)
            self.effect = worst(*[entry.effect for entry in made])
            self.confidence = least([entry.confidence for entry in made])
            self.filename = made[0].filename

    @property
    def _entries(self) -> list[ErrorEntry]:
        if self._found:
            self._made += map(self._make, self._found)
            self._found.clear()
        return self._made

    def _make(self, found: Found) -> ErrorEntry:
        return entry_of(found, self.filename)

    def _kinds(self) -> Iterator[Kind]:
        """Yield the kinds of the errors that are kept, without making entries."""
        return chain(((entry.code, entry.effect) for entry in self._made), (found[:4:3] for found in self._found))

    def _take_place(self, kind: Kind) -> int | None:
        """Return the index of the entry that an error replaces, as the log is full; None if it is left out."""
        if self._room is None:
            self._room = Room(self._kinds(), self._left_out)
        return self._room.take(kind)

    def _replace(self, index: int, found: Found) -> None:
        made = len(self._made)
        if index < made:
            self._made[index] = self._make(found)
        else:
            self._found[index - made] = found

    def _clear(self) -> None:
        self._made.clear()
        self._found.clear()
        self._left_out.clear()
        self._room = None

    def _sort(self) -> None:
        if self._made:
            self._entries.sort(key=attrgetter("offset"))
        else:
            self._found.sort(key=itemgetter(-1))

    @property
    def verdict(self) -> Verdict:
        """Whether the document can be trusted, in a word.

        ``"well-formed"``; ``"whole"``, if all content is kept; ``"moved"`` or ``"lost"``, the worst effect;
        ``"cut off"``, whatever the effect; or ``"no tree"``.
        """
        return verdict_of(self.total, self.effect, truncated=self.truncated, has_tree=self.has_tree)

    @property
    def lossy(self) -> bool:
        """Whether `effect` is ``"lost"``."""
        return self.effect == LOST

    def as_dicts(self) -> list[dict[str, str | int | float | None]]:
        """Return the entries as dictionaries; see `ErrorEntry.as_dict`."""
        return [entry.as_dict() for entry in self._entries]

    def faults(self) -> list[Fault]:
        """Return the entries grouped as faults: each error with the errors that only follow from it."""
        return faults_of(self._entries)

    def summary(self) -> dict[str, Tally]:
        """Return the codes of the faults with their number and worst effect, the most frequent first.

        Beyond `max_errors`, errors count instead of faults.
        """
        found = (((fault.code, fault.effect), 1) for fault in self.faults())
        return tallies(chain((item for item in self._left_out.items() if item[0][0] not in JOINING), found))

    @property
    def omitted(self) -> int:
        """The number of errors that were found but not kept."""
        return self.total - len(self)

    @property
    def last_error(self) -> ErrorEntry | None:
        """The last entry, or None, as in lxml's logs."""
        return self._entries[-1] if self._entries else None

    def __len__(self) -> int:
        return len(self._made) + len(self._found)

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

    def _repr_html_(self) -> str:
        """Return a table of the first entries, which notebooks show."""
        from html import escape

        rows = [
            [f"{entry.line}:{entry.column}", entry.code, entry.effect, entry.message] for entry in self[:_IN_NOTEBOOKS]
        ]
        named = "" if self.filename is None else f"{self.filename}: "
        rest = f"; the first {len(rows)}:" if len(rows) < self.total else ""
        caption = escape(f"{named}{number_of(self.total, 'error')}, {self.verdict}{rest}")
        heads = "".join(f"<th>{head}</th>" for head in ("place", "code", "effect", "message"))
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
        return f"<table><caption>{caption}</caption><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.total} errors{', truncated document' if self.truncated else ''}>"


class ParseError(ET.ParseError):
    """The one exception that a document can cause; a subclass of `xml.etree.ElementTree.ParseError`.

    The document has no root element, is not XML, or is rejected by an option.

    Attributes:
        code: the error code, such as ``"no-root-element"``.
        reason: the problem in words, without name and place.
        position: line (from 1) and column (from 0).
        filename: path, name or URL of the document, or None.
        errors: the log of all errors found in the document.
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
        self.errors.has_tree = False
        self.filename = self.errors.filename

    def __str__(self) -> str:
        return str(self.args[0]) if self.filename is None else f"{self.filename}: {self.args[0]}"

    def __reduce__(self) -> tuple[type, tuple[object, ...], dict[str, object]]:
        return (
            type(self),
            ("", self.code, self.position, self.errors),
            {"args": self.args, "msg": self.msg, "reason": self.reason, "filename": self.filename},
        )


class RecoveryWarning(UserWarning):
    """A document had to be repaired; see the option `warnings`."""

    __module__ = "xml5tree.errors"


class RowsWarning(UserWarning):
    """Rows may not be as expected, for example as a name matched nothing."""

    __module__ = "xml5tree.errors"


def refused(
    message: str, position: tuple[int, int], filename: str | None = None, *, code: str = "not-well-formed"
) -> ParseError:
    """Return the exception for a document that the native parser refuses, with a log of that error alone."""
    message = _PLACE.sub("", message)
    known = CODES.get(code, CODES["not-well-formed"])  # a few codes are of exceptions only
    entry = ErrorEntry(code, known.kind, message, *position, 0, known.effect, filename)
    return ParseError(message, code, position, ErrorLog([entry]))
