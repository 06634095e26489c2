"""A record: an element with its place, errors and values."""

from collections.abc import Callable, ItemsView, Iterator, KeysView, Mapping, ValuesView
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from xml5tree.errors.codes import Effect
from xml5tree.errors.entry import ErrorEntry, as_line, judged
from xml5tree.errors.policy import SameName

if TYPE_CHECKING:
    from xml5tree.nesting import Packed


#: Where a record is: its number, offset, line, byte offset and end; see `Record`.
Place = tuple[int, int, int, int | None, int]


class Record(Mapping[str, Any]):
    """A record: an element, its place, its errors, and a mapping of its values.

    Attributes:
        number: its number, from 1, as records end.
        offset: characters before its start tag, as `ErrorEntry.offset`.
        line: the line of its start tag, from 1.
        byte_offset: bytes before its start tag; None in a document of text.
        end: characters before the end of the tag that closed it.
        complete: False if the document ends in the record, perhaps in its end tag.
        span: begin and end of its source, in bytes, or characters of a `str`, up to the end tag or to what closed it
            instead. None unless ``spans=True``.
    """

    __slots__ = (
        "_element",
        "_errors",
        "_make",
        "_row",
        "byte_offset",
        "complete",
        "end",
        "line",
        "number",
        "offset",
        "span",
    )

    #: Attributes that a pickled record keeps.
    _kept: ClassVar[tuple[str, ...]] = ("complete", "span")

    def __init__(
        self,
        element: Any,
        make: Callable[[Any], dict[str, Any]] | None,
        number: int,
        offset: int,
        line: int,
        byte_offset: int | None,
        end: int,
        errors: tuple[ErrorEntry, ...] | Callable[[], tuple[ErrorEntry, ...]] = (),
    ) -> None:
        """Set the facts about a record; `make` makes the values out of the element.

        `element` may return the element, and `errors` the errors.
        """
        # Records of some documents are so small that the time spent here counts.
        self._element = element
        self._make = make
        self.number = number
        self.offset = offset
        self.line = line
        self.byte_offset = byte_offset
        self.end = end
        self._errors = errors
        self._row: dict[str, Any] | None = None
        self.complete = True
        self.span: tuple[int, int] | None = None

    @property
    def element(self) -> Any:
        """The element; None in a record that has been pickled."""
        if callable(self._element):
            self._element = self._element()
        return self._element

    @property
    def errors(self) -> tuple[ErrorEntry, ...]:
        """Its errors, in document order. A tag that closes several records has its errors in each."""
        if callable(self._errors):
            self._errors = self._errors()
        return self._errors

    def take_errors(self, errors: tuple[ErrorEntry, ...] | Callable[[], tuple[ErrorEntry, ...]]) -> None:
        """Set the errors, or what returns them."""
        self._errors = errors

    @property
    def effect(self) -> Effect | None:
        """The worst effect of its errors; None without errors."""
        return judged(self.errors)[0]

    @property
    def confidence(self) -> float | None:
        """The least confidence of its errors; None if none has any."""
        return judged(self.errors)[1]

    def _values(self) -> dict[str, Any]:
        row = self._row
        if row is None:
            row = self._row = {} if self._make is None else self._make(self._element)
        return row

    def mark(self, first_column: int = 0) -> None:
        """Add the columns `MARKS`; columns in the errors' text begin at `first_column`.

        Called once. A value of such a name then raises `SameName` where values are asked for.
        """
        errors = [as_line(entry, first_column) for entry in self.errors]
        marks = {**self._place(), "_effect": self.effect, "_confidence": self.confidence, "_errors": errors}
        self._make = partial(_marked, self._make, marks, self.number)
        self._row = None

    def _place(self) -> dict[str, Any]:
        return {"_line": self.line}

    def __getitem__(self, key: str) -> Any:
        row = self._row
        if row is None:  # as `_values`, without the call
            row = self._row = {} if self._make is None else self._make(self._element)
        return row[key]

    def keys(self) -> KeysView[str]:
        """Return the names of its columns, or of its values."""
        return self._values().keys()

    def items(self) -> ItemsView[str, Any]:
        """Return the names and the values."""
        return self._values().items()

    def values(self) -> ValuesView[Any]:
        """Return the values."""
        return self._values().values()

    def __iter__(self) -> Iterator[str]:
        return iter(self._values())

    def __len__(self) -> int:
        return len(self._values())

    def __repr__(self) -> str:
        found = f", {len(self.errors)} errors: {self.effect}" if self.errors else ""
        return f"<Record {self.number} at line {self.line}{found}>"

    def __reduce__(self) -> tuple[Any, ...]:
        from xml5tree.nesting import packed

        place = self.number, self.offset, self.line, self.byte_offset, self.end
        kept = {name: getattr(self, name) for name in self._kept}
        return _restored, (type(self), packed(dict(self._values())), place, self.errors, kept)


def _marked(
    make: Callable[[Any], dict[str, Any]] | None, marks: dict[str, Any], number: int, element: Any
) -> dict[str, Any]:
    row = {} if make is None else make(element)
    for name in marks:
        if name in row:
            raise SameName(f"record {number:,}", name)
    return row | marks


def _restored(
    kind: type[Record], row: "Packed", at: Place, errors: tuple[ErrorEntry, ...], kept: dict[str, Any]
) -> Record:
    from xml5tree.nesting import unpacked

    record = kind(None, lambda element: unpacked(row), *at, errors)
    for name, value in kept.items():
        setattr(record, name, value)
    return record
