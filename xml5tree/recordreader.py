"""Makes records of a document that is fed."""

import re
from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, Final, cast

from xml5tree.accelerator import compiled
from xml5tree.backends import find_backend
from xml5tree.dialects import make_settings
from xml5tree.documents import Document, text_or_bytes
from xml5tree.errors.codes import CODES, KEPT, LOST, MOVED, Effect
from xml5tree.errors.entry import Errors, Found
from xml5tree.errors.log import ParseError
from xml5tree.errors.policy import MARKS, OnBad, Policy, check_columns
from xml5tree.lifecycle import LifeCycle
from xml5tree.options import Options, Settings, assuming_nothing
from xml5tree.parser import Session
from xml5tree.record import Record, RecordRun, in_batches
from xml5tree.wellformed import WHOLE, settings_for
from xml5tree.windows import StartAgain, Windows

if TYPE_CHECKING:
    from xml5tree.backends.base import RecordParser
    from xml5tree.columns import ColumnsParser, Naming, Node
    from xml5tree.dialects.base import Dialect, Pipeline
    from xml5tree.input.spans import Spans
    from xml5tree.output.places import ImpliedEnd, Row
    from xml5tree.rows import Fields
    from xml5tree.surroundings import Surroundings


#: Bytes or characters that are parsed before records are read: a part may be the whole document.
_BLOCK: Final = 1 << 16
#: The same, where no tree is pruned after each; what is read of a file at a time.
LARGE_BLOCK: Final = 1 << 18
#: Records in a run of which records are made.
_RUN: Final = 1 << 12

#: The most names to list where no element has that of the records.
_MOST_OTHERS: Final = 8
#: A record with such an error was closed by the end of the document, or its end tag is cut off there.
_AT_END: Final = frozenset({"eof-in-element", "eof-in-tag"})
#: Characters in which the first start tag is looked for.
_HEAD: Final = 4096
#: A start tag, and what may hold one before it, perhaps unfinished.
_START: Final = re.compile(r"<([^\s<>/!?&'\"=]+)[\s/>]")
_NO_START: Final = re.compile(
    r"<!--.*?(?:-->|\Z)|<\?.*?(?:\?>|\Z)|<!DOCTYPE[^<>\[]*(?:\[.*?(?:\]\s*|\Z))?(?:>|\Z)", re.DOTALL
)
#: Said of a document that is cut off.
CUT_OFF: Final = "the document is cut off; its last records may be incomplete or missing"

#: The lines, byte offsets, offsets, ends and spans of records.
_Places = tuple[Sequence[int], Sequence[int] | None, Sequence[int], Sequence[int], Sequence[tuple[int, int]] | None]

#: The code of an end tag that is assumed before a tag or text.
_END_BEFORE: Final = "assumed-end-before"
#: The offset of an error that was found.
_offset_of: Final[Callable[[Found], int]] = itemgetter(-1)

_effect_of: Final[Callable[[Found], Effect]] = itemgetter(3)

_tag_of: Final[Callable[[Any], str]] = attrgetter("tag")


def _by_element(errors: list[Found], row: "Row") -> tuple[dict[int, list[Found]], list[Found]]:
    """Return the errors before the end of a row, by the number of the element that each is in, and those in none."""
    found: dict[int, list[Found]] = {}
    others: list[Found] = []
    start = end = -1
    inside: list[Found] = []
    for error in errors:
        offset = error[-1]
        if offset >= end:
            place = bisect_right(row.ends, offset)
            start, end = row.starts[place], row.ends[place]
            inside = []
        if offset > start or (offset == start and error[0] != _END_BEFORE):  # that is of what is before the element
            if not inside:
                found[place] = inside
            inside.append(error)
        else:
            others.append(error)
    return found, others


def _marked(record: Record) -> Record:
    record.mark()
    return record


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def _surroundings(fields: "Fields | None", prefixes: Mapping[str, str]) -> "Surroundings | None":
    """Return what finds the values of `fields` outside records, if a path leads there."""
    from xml5tree.rows import check_fields, is_outside

    if fields is None:
        return None
    check_fields(fields)
    if not any(map(is_outside, fields.values())):
        return None
    from xml5tree.surroundings import Surroundings

    return Surroundings(fields, prefixes)


class RecordReader:
    """Makes records of a document that is fed."""

    def __init__(
        self,
        tag: str | Iterable[str],
        fields: "Fields | None",
        backend: str,
        on_bad: OnBad,
        bad_from: Effect,
        options: Options,
    ) -> None:
        # Modules for records alone are imported here: most who import xml5tree read none.
        from xml5tree.backends.tags import names_of, tags_pattern
        from xml5tree.output.places import Places
        from xml5tree.rows import is_outside, make_finders, make_rows

        self._policy = Policy(on_bad, bad_from)
        self._tags = names_of(tag, "tag")
        if not self._tags:
            raise ValueError("tag names no elements")
        self._pattern = tags_pattern(self._tags)
        dialect, settings = make_settings(options)
        if not settings.recovers:
            raise ValueError('recovery="strict" reads no records; on_bad="raise" refuses the broken ones')
        chosen = find_backend(backend)
        local_names = {*map(_local, self._tags)}
        # Without a name that all records have, all elements are noted, and most are found to be no records.
        self._places = Places("" if len(local_names) > 1 or "*" in local_names else "".join(local_names))
        self._known: dict[str, bool] = {}  # whether elements of a name are records
        self._prefixes = settings.known_prefixes
        self.surroundings = _surroundings(fields, self._prefixes)  # finds values of `fields` outside records
        if fields is not None and self.surroundings is not None:
            fields = {name: path for name, path in fields.items() if not is_outside(path)}
        where = self._places.local_name, self._is_record, lambda: self._places.root
        self._native: RecordParser | ColumnsParser = chosen.record_parser(*where, self.surroundings)
        dialect.require_places()
        self._limits = chosen.limits
        self._backend = chosen
        self._read_by(dialect, settings)
        self._options = options
        #: The beginning of the document until it is known whether its root is a record; then None.
        is_open = dialect.name == "xml5" and "roots" not in options
        self._undecided: list[bytes | str] | None = [] if is_open else None
        self._beginning = ""  # characters of that
        self.block = chosen.block  # bytes of the document that are best read at a time
        self._cycle: LifeCycle[Session] = LifeCycle(one_thread=chosen.one_thread)
        self.tells_bytes = True  # records of bytes know their byte offsets; set it before the document begins
        self._has_bytes = False  # whether the document is of bytes, and they are told
        self._has_empty_texts = chosen.has_empty_texts
        finders = None if fields is None else make_finders(fields, chosen, self._prefixes)
        # makes the values of a record; may be replaced by that of another reader
        self.rows = make_rows(finders, self._prefixes)
        self._marks = on_bad == "mark"
        if self._marks and fields is not None:
            check_columns(fields, MARKS)
        self._drops_bad = on_bad in ("skip", "raise")
        #: Elements of the local name that have not ended: offset, line and unit of the document.
        self._open: list[tuple[int, int, int | None]] = []
        self._spans: Spans | None = None  # tells where records are in the document, if that is asked for
        self.tells_spans = False  # whether records know where they end in it, too; set it before the document begins
        self._has_inner = False  # whether a record may have ended in one that is open
        self._inner_depth = 0  # how many are open around the record that has ended last
        self._errors: list[Found] = []  # not yet assigned to a record; by offset
        #: The token that closed the last of the records that lack their end tags, and the errors at it.
        self._closing: tuple[int, list[Found]] = (-1, [])
        self.count = 0  # of records, skipped ones included
        self.skipped = 0  # how many bad records were skipped
        self._size = max(_BLOCK, self.block)  # of what is parsed before records are read
        self.touched = 0  # how many records have errors
        self._head: list[bytes | str] = []  # the beginning of the document, as long as there is no record
        self._head_size = 0  # of all that; to sum it up at each part would take quadratic time
        self._columns: ColumnsParser | None = None  # makes columns instead of elements
        self._windows: Windows | None = None  # reads the document, as long as it has no error
        self.run_size = _RUN  # records in a run of such a document
        self._fields = fields
        self._dialect, self._settings = dialect, settings
        self.assumes = dialect.assumes(settings)  # whether a broken document is read otherwise than by the draft
        quiet = {name: value for name, value in options.items() if name not in {"logger", "on_error", "warnings"}}
        self._make_again = partial(RecordReader, "*", {}, backend, "keep", "moved", cast("Options", quiet))

    def _read_by(self, dialect: "Dialect", settings: Settings) -> None:
        """Set how the document is read."""
        self._make_stream = partial(dialect.make_stream, settings)
        self._head_stream = self._make_stream()
        self._make_pipeline = partial(dialect.make_pipeline, settings, self._limits, places=self._places)
        self._pipeline: Pipeline | None = None  # it has the error log, of which there is one
        self._session: Session | None = None

    @property
    def session(self) -> Session:
        """What reads the document, unless it is clean."""
        if self._pipeline is None:
            self._pipeline = self._make_pipeline()
            if self._pipeline.hides_root:  # the tree is not asked for, and the element around the document is no record
                self._pipeline.hides_root = False
                self._known[self._places.root] = False
        if self._session is None:
            self._session = Session(self._native, self._backend, self._pipeline, True)
        return self._session

    def make_columns(
        self,
        fields: "Fields | None",
        wanted: "Callable[[str], Node | None] | None" = None,
        written: "Naming | None" = None,
        *,
        keeps_markup: bool = False,
    ) -> None:
        """Find values without elements from now on, if that is possible; the document has not begun.

        Runs have values of `fields`, with `keeps_markup` also markup and places; or without fields, all values that
        there are, or what is `wanted`, with names by `written`, which are those of nested dictionaries by default.
        """
        if compiled is None or self.surroundings is not None:
            return
        from xml5tree.columns import ColumnsParser, FieldNames, TableNames
        from xml5tree.fieldpaths import compiled_paths
        from xml5tree.rows import written_names

        where = self._places.local_name, self._is_record_tag
        make_names: Callable[[], FieldNames | TableNames]
        if fields is None:
            make_names = partial(TableNames, written or written_names(self._prefixes), *where, wanted)
        else:
            paths = compiled_paths(fields, self._prefixes, has_nodes=self._has_empty_texts)
            if paths is None:
                return
            make_names = partial(FieldNames, paths, *where)
        facts = {"keeps_markup": keeps_markup or fields is None, "tells_spans": self.tells_spans}
        self.use_columns(ColumnsParser(make_names, self._prefixes, **facts))

    def find_values(self) -> None:
        """Find the values of `fields` without elements, if that is possible, unless runs are asked for."""
        if self._columns is None and self._fields is not None and self._backend is find_backend("etree"):
            self.make_columns(self._fields, keeps_markup=True)

    def as_records(self, found: Iterator[list[RecordRun]]) -> Iterator[Iterator[Record]]:
        """Yield the records of runs."""
        for batch in chain.from_iterable(in_batches(runs, _RUN) for runs in found):
            run = RecordRun.joined(batch)
            records = run.records(Record, self._fields or (), marked=self._marks)
            yield map(_marked, records) if self._marks and run.found is None else records

    def use_columns(self, parser: "ColumnsParser") -> None:
        """As `make_columns`, with a parser, perhaps that of another reader whose document has ended."""
        self._columns = self._native = parser
        self._backend = find_backend("etree")
        self._session = None
        self._size = LARGE_BLOCK

    def begin_windows(self) -> bool:
        """Read the document as one that is clean, if that is possible; a step may raise `StartAgain`."""
        if self._columns is not None:
            settings = self._settings._replace(recovery="intent")  # no matter what a window seems to have
            judge = partial(self._dialect.judge, settings=settings, limits=self._limits)
            size, tells_bytes = self.run_size, self.tells_bytes
            self._windows = Windows(self._columns, judge, self._limits, size, tells_bytes=tells_bytes)
        return self._columns is not None

    def start_again(self) -> int:
        """Prepare to read the document again, with repairs; return the number of records that there were."""
        assert self._columns is not None
        count, self.count = self.count, 0
        self._windows = None
        self._head, self._head_size = [], 0
        self.use_columns(self._columns.renewed())
        return count

    def settle(self, source: Any) -> None:
        """Assume nothing if a document, which has not begun, is well-formed; see `xml5tree.wellformed`."""
        settled = settings_for(source, self._dialect, self._settings, self._limits, whole=WHOLE)
        if settled is not self._settings:
            self._options = assuming_nothing(self._options)
            self._read_by(*make_settings(self._options))

    def feed(self, data: Document) -> Iterator[list[RecordRun]]:
        """Take the next part of the document; yield runs of the records that it completes, in lists."""
        parts: list[bytes | str] = [text_or_bytes(data)]
        if self._windows is not None:
            self._note_head(parts[0])
            yield self._clean(self._windows.feed(parts[0]))
            return
        if self._undecided is not None:
            self._undecided += parts
            parts = self._decide_roots(parts[0])
        for part in parts:
            yield from self._feed(part)

    def _clean(self, runs: list[RecordRun]) -> list[RecordRun]:
        """Return runs of a clean document, after they are counted."""
        self.count += sum(map(len, runs))
        return runs

    def _note_head(self, part: bytes | str) -> None:
        """Keep the beginning of the document until there is a record."""
        if not self.count and self._head_size < _BLOCK:
            self._head.append(part[:_BLOCK])
            self._head_size += len(part)

    def _decide_roots(self, part: bytes | str, *, is_last: bool = False) -> list[bytes | str]:
        """Have all roots be read if the first is a record; return the document so far once that is known."""
        self._beginning += self._head_stream.feed(part[: 5 * _HEAD], is_last)
        start = _START.search(_NO_START.sub("", self._beginning[:_HEAD]))
        if start is None and len(self._beginning) < _HEAD and not is_last:
            return []
        if start is not None and start[1].rpartition(":")[2] in map(_local, self._tags):
            self._read_by(*make_settings({**self._options, "roots": "all"}))
        parts, self._undecided = self._undecided or [], None
        return parts

    def _feed(self, part: bytes | str) -> Iterator[list[RecordRun]]:
        for start in range(0, len(part), self._size):
            block = part[start : start + self._size]
            self._note_head(block)
            self._has_bytes = self.tells_bytes and isinstance(block, bytes)
            if self._has_bytes or self.tells_spans:
                if self._spans is None:
                    from xml5tree.input.spans import Spans

                    self._spans = Spans(self._make_stream())
                self._spans.feed(block)
            yield from self._after(lambda session, block=block: session.feed(block))  # type: ignore[misc]

    def close(self) -> Iterator[list[RecordRun]]:
        if self._windows is not None:
            yield self._clean(self._windows.close())
            return
        if self._undecided:
            for part in self._decide_roots(self._head_stream.end_of_file(), is_last=True):
                yield from self._feed(part)
        if self._spans is not None:
            self._spans.finish()
        yield from self._after(Session.close, last=True)

    def end_early(self, damage: str) -> None:
        """Note that compressed data was damaged or cut off, so that there is no more of the document."""
        if self._windows is not None:
            raise StartAgain(is_broken=True)
        self.session.end_early(damage)

    def _after(self, step: Callable[[Session], object], *, last: bool = False) -> Iterator[list[RecordRun]]:
        """Yield the records that end during a step; then raise the document's refusal, if there is one."""
        refusal = None
        try:
            with self._cycle.step(lambda: self.session, last=last) as session:
                step(session)
        except ParseError as error:
            refusal = error
        yield from self._ended(self._native.read_ends())
        if self._places.found and not self._open:  # a row, of which no element has ended
            self._break_up(cast("Row", self._places.found[0]), 1)
            self._take_notes()
        self._native.prune(self._has_inner)
        if not self._open:
            self._has_inner = False
        if self._spans is not None and not self._places.found:
            self._spans.forget(self._places.reached)
        if self._errors and not self._open:
            self._drop_errors(self._places.reached)
        if refusal is not None:
            raise refusal

    def _ended(self, elements: Sequence[Any]) -> Iterator[list[RecordRun]]:
        """Yield the records of elements that have ended; raise the exception for a bad one after those before it."""
        runs: list[RecordRun] = []
        try:
            self._collect(elements, runs)
        except ParseError:
            yield runs
            raise
        yield runs

    def _collect(self, elements: Sequence[Any], runs: list[RecordRun]) -> None:
        """Append the records of elements that have ended; raise `ParseError` for a bad one with ``on_bad="raise"``."""
        found = self._places.found
        done = 0
        self._take_notes()
        while done < len(elements):
            note = found[0]
            if isinstance(note, int):
                self._end(elements[done], runs)
                done += 1
            else:
                done += self._collect_row(cast("Row", note), elements, done, runs)
            self._has_inner |= bool(self._open)
            self._take_notes()

    def _collect_row(self, row: "Row", elements: Sequence[Any], done: int, runs: list[RecordRun]) -> int:
        """Append the records of a row, the next note; return how many elements they are, 0 if one may be no record.

        The first `done` of the `elements` have been taken. Raises as `_collect`.
        """
        ended = elements[done : done + len(row)]
        is_right = -1 not in ended if self._columns else all(map(self._is_record_tag, set(map(_tag_of, ended))))
        if not is_right:
            self._break_up(row, len(ended))  # all at once, so that nobody looks at the tags of the others again
            return 0
        if self._open and self._open[-1][0] == row.starts[0]:  # errors at that place are of the record around it
            self._break_up(row, 1)
            return 0
        taken = row
        if len(ended) == len(row):
            self._places.found.popleft()
        else:
            taken = row.take(len(ended))
        byte_offsets: Sequence[int] | None = None
        spans: list[tuple[int, int]] = []
        if self.tells_spans and self._spans is not None:
            locate = self._spans.locate
            spans = [(locate(start), locate(end)) for start, end in zip(taken.starts, taken.ends, strict=True)]
            byte_offsets = [begin for begin, _ in spans] if self._has_bytes else None
        elif self._spans is not None:
            byte_offsets = self._spans.locate_all(taken.starts, taken.places, taken.source)
        found: dict[int, list[Found]] = {}
        if self._errors:
            begin = taken.starts[0] if self._open else 0
            found, others = _by_element(self._errors_in(begin, taken.ends[-1]), taken)
            if self._open:
                self._add_errors(others)
        self._inner_depth = len(self._open)
        self._add(ended, (taken.lines, byte_offsets, taken.starts, taken.ends, spans or None), found, runs)
        return len(ended)

    def _add(self, ended: Sequence[Any], places: _Places, found: dict[int, list[Found]], runs: list[RecordRun]) -> None:
        """Append the next records, which are elements or their numbers in the parser of columns, if they are kept.

        `found` are their errors, by their indices. Raises as `_collect`.
        """
        size, first, parser = len(ended), self.count + 1, self._columns
        self.count += size
        rows = range(size) if parser is None else range(ended[0], ended[-1] + 1)
        run = RecordRun(rows, parser, range(first, first + size), *places)
        if parser is None:
            run.elements, run.makes = ended, [self.rows] * size
            if self.surroundings is not None:
                run.makes = [self.surroundings.add_to(self.rows, element) for element in ended]
        if found:
            at_end = (place for place, inside in found.items() if any(error[0] in _AT_END for error in inside))
            run.incomplete = frozenset(at_end)
        run.errors = {place: Errors(inside, self.session.log.filename) for place, inside in found.items()}
        if not self._drops_bad:
            self.touched += len(found)
            runs.append(run)
            return
        for part in run.kept(lambda place: self._keeps(run.numbers[place], run.errors[place])):
            runs.append(part)

    def _take_notes(self) -> None:
        """Take the notes before the end of an element, or before a row."""
        found = self._places.found
        while found and isinstance(found[0], tuple | list):
            note = found.popleft()
            if isinstance(note, tuple):
                offset, line = note
                self._open.append((offset, line, None if self._spans is None else self._spans.locate(offset)))
            else:
                self._add_errors(cast("list[Found]", note))

    def _add_errors(self, found: list[Found]) -> None:
        errors = self._errors
        for error in found:
            if errors and error[-1] < errors[-1][-1]:
                insort(errors, error, key=_offset_of)
            else:
                errors.append(error)

    def _break_up(self, row: "Row", count: int) -> None:
        """Replace the first `count` elements of the row that is the next note by single notes."""
        found = self._places.found
        first = row.take(count)
        if not row:
            found.popleft()
        for start, line, end in zip(reversed(first.starts), reversed(first.lines), reversed(first.ends), strict=True):
            found.appendleft(end)
            found.appendleft((start, line))

    def _end(self, element: Any, runs: list[RecordRun]) -> None:
        """Append the record of an element that has ended, unless it is none or to be skipped; raise as `_collect`."""
        end = cast("int | ImpliedEnd", self._places.found.popleft())
        offset, line, unit = self._open.pop()
        span = None
        if self.tells_spans and self._spans is not None and unit is not None:
            span = unit, self._spans.locate(getattr(end, "token", end))
        depth = len(self._open)
        has_inner = self._inner_depth > depth
        if self._is_record(element):
            if has_inner:
                self._native.purge(element)
            found = self._without_outer(self._errors_in(offset, end), offset) if self._errors else []
            if type(end) is not int:
                found = self._with_closing(found, cast("ImpliedEnd", end))
            elif self._errors and self._errors[-1][0] == "eof-in-tag":  # its end tag is cut off
                found.append(self._errors.pop())
            byte_offsets = [unit] if self._has_bytes and unit is not None else None
            self._inner_depth = depth
            places = [line], byte_offsets, [offset], [int(end)], None if span is None else [span]
            self._add([element], places, {0: found} if found else {}, runs)
        elif has_inner:
            self._inner_depth = depth
        if self._errors and not depth:
            self._drop_errors(getattr(end, "token", end))

    def _without_outer(self, found: list[Found], start: int) -> list[Found]:
        """Return errors of the record that begins at an offset, without those of what is before or around it.

        An end tag may be assumed before the record's start tag, and so may the start tag of another record.
        """
        outer = {_END_BEFORE}
        if self._open and self._open[-1][0] == start:
            outer.add("assumed-start-tag")
        others = [error for error in found if error[-1] == start and error[0] in outer]
        self._add_errors(others)
        return [error for error in found if error not in others] if others else found

    def _with_closing(self, found: list[Found], end: "ImpliedEnd") -> list[Found]:
        """Return the errors of a record that lacks its end tag: `found`, and those of the token that closed it.

        Errors at that token belong to all records that it closes, but for those of a start tag, which is in none of
        them. At least one of the errors has moved content.
        """
        token = end.token
        is_same = self._closing[0] == token
        if is_same:
            found = sorted([*found, *self._closing[1]], key=_offset_of)
        at = found[bisect_left(found, token, key=_offset_of) :]
        if any(error[0] == _END_BEFORE for error in at):
            found = found[: len(found) - len(at)] + [error for error in at if error[0] == _END_BEFORE]
            self._add_errors([error for error in at if error[0] != _END_BEFORE])
        if not (is_same or end.is_assumed) and all(_effect_of(error) == KEPT for error in found):
            # The log has one entry for all that is too deep in an element, at the place of the first (D-124).
            code = "max-depth-exceeded"
            found.append((code, CODES[code], None, MOVED, ("allowed",), *end.place, token))
        self._closing = token, found[bisect_left(found, token, key=_offset_of) :]
        return found

    def _keeps(self, number: int, errors: Errors) -> bool:
        """Return whether a record with these errors is kept; count it if not, or raise `ParseError` if asked to."""
        self.touched += 1
        if not self._policy.is_bad(errors.effect):
            return True
        if self._policy.keeps(f"record {number}", errors.entries):
            return True
        self.skipped += 1
        return False

    def _is_record(self, element: Any) -> bool:
        return self._is_record_tag(element.tag) if self._columns is None else element >= 0

    def _is_record_tag(self, tag: Any) -> bool:
        """Return whether elements of a tag are records; comments have a function for a tag."""
        known = self._known.get(tag)
        if known is None:
            known = isinstance(tag, str) and self._pattern.fullmatch(tag) is not None
            if len(self._known) < 1000:  # names can be without end
                self._known[tag] = known
        return known

    def others(self) -> list[str]:
        """Return names that elements have where none has that of records: those that may have been meant first."""
        if self.count:
            return []
        names = {*map(_local, self._tags)}
        alike = {name.casefold() for name in names}
        seen = [tag for tag, known in self._known.items() if not known and isinstance(tag, str)]  # comments have none
        found = sorted(tag for tag in seen if _local(tag) in names)
        reader = self._make_again()
        reader.tells_bytes = False
        tags: list[str] = []
        with suppress(ParseError):
            for run in chain.from_iterable(chain(*map(reader.feed, self._head), reader.close())):
                tags += map(_tag_of, run.elements or ())
        root = tags.pop() if tags else ""
        counts = Counter([*tags, *([root] if _local(root).casefold() in alike else ())])
        found += sorted(
            counts.keys() - {*found}, key=lambda tag: (_local(tag).casefold() not in alike, -counts[tag], tag)
        )
        return found[:_MOST_OTHERS]

    def remarks(self) -> Iterator[str]:
        """Yield remarks at the end of the document: that no record was found, or that some may be missing."""
        if self._windows is not None and self.count:
            return
        log = self.session.log
        name = "" if log.filename is None else f"{log.filename}: "
        others = self.others()
        if others:
            verb = "is" if len(others) == 1 else "are"
            tags = " or ".join(map(repr, self._tags))
            alike = [tag for tag in self._tags if any(other.endswith(f"}}{tag}") for other in others)]
            finds = "".join(f"; '{{*}}{tag}' finds those of any namespace" for tag in alike[:1])
            yield f"{name}no element {tags} was found; there {verb} {', '.join(map(repr, others))}{finds}"
        if ("element-after-root", LOST) in log._kinds():
            yield f"{name}elements after the end of the root element were dropped; roots='all' keeps them"
        if log.truncated:
            yield f"{name}{CUT_OFF}"

    def _errors_in(self, start: int, end: int) -> list[Found]:
        """Take the errors between two offsets."""
        errors = self._errors
        first = bisect_left(errors, start, key=_offset_of)
        next_one = bisect_left(errors, end, lo=first, key=_offset_of)
        taken = errors[first:next_one]
        del errors[first:next_one]
        return taken

    def _drop_errors(self, end: int) -> None:
        del self._errors[: bisect_left(self._errors, end, key=_offset_of)]
