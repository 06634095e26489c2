"""A record: an element with its place, errors and values; many of them as a run."""

from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence, ValuesView
from functools import partial
from itertools import accumulate, chain, repeat
from typing import TYPE_CHECKING, Any, ClassVar, Final

from xml5tree.errors.codes import Effect
from xml5tree.errors.entry import NO_ERRORS, ErrorEntry, Errors
from xml5tree.errors.log import ParseError
from xml5tree.errors.policy import MARKS, SameName

if TYPE_CHECKING:
    from xml5tree.columns import ColumnsParser, Found
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
        errors: Errors = NO_ERRORS,
        row: dict[str, Any] | None = None,
        span: tuple[int, int] | None = None,
        complete: bool = True,
    ) -> None:
        """Set the facts about a record; `make` makes the values out of the element, unless they are in `row`.

        `element` may return the element.
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
        self._row = row
        self.complete = complete
        self.span = span

    @property
    def element(self) -> Any:
        """The element; None in a record that has been pickled."""
        if callable(self._element):
            self._element = self._element()
        return self._element

    @property
    def errors(self) -> tuple[ErrorEntry, ...]:
        """Its errors, in document order. A tag that closes several records has its errors in each."""
        return self._errors.entries

    @property
    def effect(self) -> Effect | None:
        """The worst effect of its errors; None without errors."""
        return self._errors.effect

    @property
    def confidence(self) -> float | None:
        """The least confidence of its errors; None if none has any."""
        return self._errors.confidence

    def _values(self) -> dict[str, Any]:
        row = self._row
        if row is None:
            row = self._row = {} if self._make is None else self._make(self._element)
        return row

    def mark(self, first_column: int = 0) -> None:
        """Add the columns `MARKS`; columns in the errors' text begin at `first_column`.

        Called once. A value of such a name then raises `SameName` where values are asked for.
        """
        errors = self._errors
        facts = {"_effect": errors.effect, "_confidence": errors.confidence, "_errors": errors.lines(first_column)}
        marks = {**self._place(), **facts}
        row = self._row
        make = self._make if row is None else lambda _: row
        self._make = partial(_marked, make, marks, self.number)
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
        found = f", {len(self._errors.found)} errors: {self.effect}" if self._errors.found else ""
        return f"<Record {self.number} at line {self.line}{found}>"

    def __reduce__(self) -> tuple[Any, ...]:
        from xml5tree.nesting import packed

        place = self.number, self.offset, self.line, self.byte_offset, self.end
        kept = {name: getattr(self, name) for name in self._kept}
        return _restored, (type(self), packed(dict(self._values())), place, self._errors, kept)


def _marked(
    make: Callable[[Any], dict[str, Any]] | None, marks: dict[str, Any], number: int, element: Any
) -> dict[str, Any]:
    row = {} if make is None else make(element)
    for name in marks:
        if name in row:
            raise SameName(f"record {number:,}", name)
    return row | marks


def _restored(kind: type[Record], row: "Packed", at: Place, errors: Errors, kept: dict[str, Any]) -> Record:
    from xml5tree.nesting import unpacked

    record = kind(None, lambda element: unpacked(row), *at, errors)
    for name, value in kept.items():
        setattr(record, name, value)
    return record


# Runs -----------------------------------------------------------------------------------------------------------------


#: What runs have of each record.
_PLACES: Final = ("numbers", "lines", "byte_offsets", "starts", "ends", "spans")
_EACH: Final = (*_PLACES, "elements", "makes", "dictionaries")


class _Joined(Sequence[Any]):
    """Sequences as one, which is made when it is asked for: most tables want no places."""

    def __init__(self, parts: Sequence[Sequence[Any]]) -> None:
        self._parts = parts

    def _one(self) -> Sequence[Any]:
        if len(self._parts) > 1:
            self._parts = [[*chain.from_iterable(self._parts)]]
        return self._parts[0]

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    def __getitem__(self, place: Any) -> Any:
        return self._one()[place]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._one())


class RecordRun:
    """Consecutive records; facts about them are sequences with an item for each, or None.

    The records have elements; or values, which the parser finds when runs are joined. `errors` are the errors of some
    records, by their indices; the others have none.
    """

    __slots__ = (*_EACH, "errors", "found", "incomplete", "parser", "rows")

    def __init__(
        self,
        rows: range,
        parser: "ColumnsParser | None",
        numbers: Sequence[int],
        lines: Sequence[int],
        byte_offsets: Sequence[int | None] | None = None,
        starts: Sequence[int] | None = None,
        ends: Sequence[int] | None = None,
        spans: Sequence[tuple[int, int]] | None = None,
        elements: Sequence[Any] | None = None,
        makes: Sequence[Callable[[Any], dict[str, Any]]] | None = None,
        dictionaries: Sequence[dict[str, Any]] | None = None,
    ) -> None:
        self.rows = rows  # their numbers in the parser
        self.parser = parser
        self.numbers = numbers  # as in `Record`, as are the next ones
        self.lines = lines
        self.byte_offsets = byte_offsets
        self.starts = starts
        self.ends = ends
        self.spans = spans
        self.elements = elements
        self.makes = makes  # they make the values out of the elements
        self.dictionaries = dictionaries  # these values, once they have been asked for
        self.errors: dict[int, Errors] = {}
        self.incomplete: frozenset[int] = frozenset()  # the indices of those in which the document ends
        self.found: Found | None = None  # the values, once they have been taken

    def __len__(self) -> int:
        return len(self.rows)

    def __reduce__(self) -> tuple[Any, ...]:
        from xml5tree.nesting import packed

        rows = None if self.found is not None else [*map(packed, self.nested())]
        state = {name: getattr(self, name) for name in ("errors", "found", "incomplete")}
        places = [known if known is None else [*known] for known in self._each()[: len(_PLACES)]]
        return _restored_run, (self.rows, places, rows, state)

    def _each(self) -> list[Any]:
        return [getattr(self, name) for name in _EACH]

    @property
    def number(self) -> int:
        """The number of the first record."""
        return self.numbers[0]

    @property
    def is_last(self) -> bool:
        """Whether the parser has read no record that has ended after it."""
        return self.parser is None or self.rows.stop == self.parser.count

    def errors_of(self, place: int) -> Errors:
        """Return the errors of the record of an index."""
        return self.errors.get(place, NO_ERRORS)

    def facts(self, name: str, first_column: int = 0) -> Sequence[Any]:
        """Return a fact about each record, by its name in `Record`; errors as text, see `Errors.lines`."""
        if name == "complete":
            return [at not in self.incomplete for at in range(len(self))]
        if name not in {"errors", "effect", "confidence"}:
            known: Sequence[Any] | None = getattr(self, f"{name}s")
            return [None] * len(self) if known is None else [*known]
        found: list[Any] = [[] if name == "errors" else None] * len(self)
        for place, errors in self.errors.items():
            found[place] = errors.lines(first_column) if name == "errors" else getattr(errors, name)
        return found

    def nested(self) -> Sequence[dict[str, Any]]:
        """Return the values of records that have elements."""
        if self.dictionaries is None:
            assert self.makes is not None
            assert self.elements is not None
            self.dictionaries = [make(element) for make, element in zip(self.makes, self.elements, strict=True)]
        return self.dictionaries

    def columns(self, names: Iterable[str], *, marked: bool, first_column: int = 0) -> dict[str, Sequence[Any]]:
        """Return the values of `fields` by their names, and if `marked`, the columns that `Record.mark` adds."""
        if self.found is None:
            values: dict[str, Sequence[Any]] = {name: [row[name] for row in self.nested()] for name in names}
        else:
            values = dict(zip(names, self.found.lists(), strict=True))
        if marked:
            values |= {name: self.facts(name[1:], first_column) for name in MARKS}
        return values

    def records(self, kind: type[Record], names: Iterable[str], *, marked: bool = False) -> Iterator[Any]:
        """Return the records, of a class of them; `names` are those of the columns that have been found.

        The elements of records with such columns are made when they are asked for, and if `marked`, `Record.mark` need
        not be called.
        """
        places: Any = self.numbers, self.starts, self.lines, self.byte_offsets or repeat(None), self.ends
        elements: Iterable[Any] = self.elements or ()
        rows: Iterable[Any] = repeat(None)
        if self.found is not None:
            self.found.detach()
            elements = map(partial(partial, self.found.element), range(len(self)))
            columns = self.columns(names, marked=marked)
            values = zip(*columns.values(), strict=True) if columns else repeat(())
            rows = map(dict, map(partial(zip, columns), values))
        errors = map(self.errors_of, range(len(self)))
        complete = self.facts("complete") if self.incomplete else repeat(True)
        return map(
            kind, elements, self.makes or repeat(None), *places, errors, rows, self.spans or repeat(None), complete
        )

    def part(self, start: int, stop: int) -> "RecordRun":
        if (start, stop) == (0, len(self)):
            return self
        part = slice(start, stop)
        each: list[Any] = [known if known is None else known[part] for known in self._each()]
        found = RecordRun(self.rows[part], self.parser, *each)
        if self.errors:
            found.errors = {at - start: self.errors[at] for at in range(start, stop) if at in self.errors}
        found.incomplete = frozenset(at - start for at in self.incomplete if start <= at < stop)
        return found

    def kept(self, keeps: Callable[[int], bool]) -> "Iterator[RecordRun]":
        """Yield the run without the records of which `keeps` returns False; it gets the indices of those with errors.

        Those before the record of which it raises an exception come first.
        """
        done = 0
        try:
            for place in sorted(self.errors):
                if not keeps(place):
                    if done < place:
                        yield self.part(done, place)
                    done = place + 1
        except ParseError:
            if done < place:
                yield self.part(done, place)
            raise
        if done < len(self):
            yield self.part(done, len(self))

    @staticmethod
    def joined(runs: "Sequence[RecordRun]") -> "RecordRun":
        """Return runs of one parser as one, whose values are taken."""
        parser = runs[0].parser
        if len(runs) == 1 and parser is None:
            return runs[0]
        parts = zip(*(run._each() for run in runs), strict=True)
        each: list[Any] = [None if None in part else _Joined(part) for part in parts]
        found = RecordRun(range(len(each[0])), None, *each)
        for start, run in zip(accumulate(map(len, runs), initial=0), runs, strict=False):
            if run.errors:
                found.errors.update((start + place, errors) for place, errors in run.errors.items())
                found.incomplete |= {start + place for place in run.incomplete}
        if parser is not None:
            found.found = parser.take([run.rows for run in runs])
        return found


def _restored_run(rows: range, places: list[Any], packed: "list[Packed] | None", state: dict[str, Any]) -> RecordRun:
    from xml5tree.nesting import unpacked

    run = RecordRun(rows, None, *places)
    for name, value in state.items():
        setattr(run, name, value)
    run.dictionaries = None if packed is None else [*map(unpacked, packed)]
    return run


def in_batches(found: Iterable[RecordRun], size: int, *, at_once: bool = False) -> Iterator[list[RecordRun]]:
    """Yield runs of records, up to `size` records at a time, and those before an exception.

    With `at_once`, no record waits for those that have not ended.
    """
    batch: list[RecordRun] = []
    room = size
    try:
        for one in found:
            parser = one.parser
            if batch and (one.found is not None or batch[0].parser is not parser):
                yield batch
                batch, room = [], size
            if one.found is not None:
                yield [one]
                continue
            start, stop = 0, len(one)
            while stop - start >= room:
                batch.append(one.part(start, start + room))
                yield batch
                start += room
                batch, room = [], size
            if start < stop:
                batch.append(one.part(start, stop))
                room -= stop - start
            if batch and ((parser is not None and parser.is_large) or (at_once and one.is_last)):
                yield batch
                batch, room = [], size
    except Exception:
        if batch:
            yield batch
        raise
    if batch:
        yield batch
