"""Reads each record of a range as if it stood alone."""

import re
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from functools import partial
from itertools import accumulate, chain
from operator import add
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Unpack, cast

from xml5tree.api import repair
from xml5tree.backends.tags import tags_pattern
from xml5tree.dialects import make_settings
from xml5tree.drive import DocumentIterator
from xml5tree.errors.codes import Effect
from xml5tree.errors.entry import ErrorEntry
from xml5tree.errors.hints import read_all_the_same
from xml5tree.errors.log import ParseError
from xml5tree.errors.notify import warn_of_rows
from xml5tree.errors.policy import OnBad, Policy, check_columns
from xml5tree.errors.reporter import Reporter
from xml5tree.errors.wording import move_lines
from xml5tree.input.content import ContentGate, NotXML
from xml5tree.nesting import Packed, packed, unpacked
from xml5tree.options import Options
from xml5tree.ranges.extents import OPEN_VALUE, SIZES, Extent, Extents, Run, Tags, extents
from xml5tree.ranges.files import Range, Utf8, open_file
from xml5tree.ranges.gaps import Gaps
from xml5tree.ranges.heads import HEAD, Head, head_of
from xml5tree.ranges.influence import (
    ends_in_content,
    find_doubt,
    has_errors_of_tags,
    is_unfinished,
    reaches_limit,
)
from xml5tree.ranges.templates import Model, Repaired, Templates
from xml5tree.record import Place, Record
from xml5tree.recordreader import RecordReader
from xml5tree.sources import one_document

if TYPE_CHECKING:
    from xml5tree.rows import Fields

__all__ = ["FindRunIn", "RangeRecord", "RangeRecords", "read", "read_written"]

#: Finds a run at the beginning of bytes, as `xml5tree.ranges.extents.FindRun`, by the elements around records.
FindRunIn = Callable[[Head, bytes], tuple[int, Any] | None]

#: The columns that records get with ``on_bad="mark"``.
_MARKS: Final = ("_file", "_byte_offset", "_effect", "_confidence", "_errors")
#: Bytes of records to read as one document; each takes 0.4 ms more than its records.
_GROUP: Final = 1 << 21
#: Records to read as one document after one that does not end where it should: a parser for each costs more.
_LEAST_GROUP: Final = 8
#: Records to read again as one document, by intent, if there are more than that.
_MANY_AGAIN: Final = 64
_UNCERTAIN_END: Final = "the end of a record is not certain"
_WRITTEN_NAME: Final = re.compile(rb"<([^\s/>]+)")
_DECLARATION: Final = re.compile(rb"\s(xmlns(?::[^\s=<>/\"']+)?\s*=\s*(?:\"[^\"]*\"|'[^']*'))")


class RangeRecord(Record):
    """A `Record` of a range; lines and offsets, also of its errors, count from its own start tag.

    Attributes:
        path: the path of the file.
        byte_offset: bytes before it in the unpacked file; None if that is not in UTF-8.
        data: its source in UTF-8; without an end tag, up to the next record.
    """

    __slots__ = ("data", "path")

    path: str
    data: bytes

    def note_repair(self, repaired: Repaired) -> None:
        self._offset = 0
        self._line = 1
        self._end = repaired.end
        self.complete = repaired.template.complete
        if repaired.template.errors:
            self._errors = lambda: repaired.errors

    def _place(self) -> dict[str, Any]:
        return {"_file": self.path, "_byte_offset": self.byte_offset}

    def __reduce__(self) -> tuple[Any, ...]:
        place = self.number, self.offset, self.line, self.byte_offset, self.end
        return _restored, (packed(dict(self)), place, self.errors, self.complete, self.path, self.data)


def _restored(
    row: Packed, at: Place, errors: tuple[ErrorEntry, ...], complete: bool, path: str, data: bytes
) -> RangeRecord:
    record = RangeRecord(None, lambda element: unpacked(row), *at, errors)
    record.complete = complete
    record.path = path
    record.data = data
    return record


def _moved(
    errors: tuple[ErrorEntry, ...] | Callable[[], tuple[ErrorEntry, ...]], lines: int, offset: int
) -> tuple[ErrorEntry, ...]:
    """Return the errors of a record that begins a line, moved on by lines and characters."""
    return tuple(
        ErrorEntry(
            entry.code,
            entry.kind,
            move_lines(entry.message, lines),
            entry.line + lines,
            entry.column,
            entry.offset + offset,
            entry.effect,
            entry.filename,
            entry.confidence,
        )
        for entry in (errors() if callable(errors) else errors)
    )


class _Batch(NamedTuple):
    """Records and runs, and their offsets and bytes."""

    records: list[RangeRecord | Run]
    offsets: list[int | None]
    datas: list[bytes]

    def part(self, start: int, stop: int) -> "_Batch":
        return _Batch(self.records[start:stop], self.offsets[start:stop], self.datas[start:stop])

    def add(self, other: "_Batch") -> None:
        self.records.extend(other.records)
        self.offsets.extend(other.offsets)
        self.datas.extend(other.datas)


def _batch_of(record: RangeRecord | Run, extent: Extent | Run) -> _Batch:
    return _Batch([record], [extent.offset], [extent.data])


def _stand_alone(batch: _Batch, path: str, before: int, *, is_utf8: bool) -> int:
    """Turn records of documents into records of a range with some `before` them; return how many it has with them."""
    number = before
    for place, (record, offset, data) in enumerate(zip(*batch, strict=True)):
        if isinstance(record, Run):
            batch.records[place] = record if is_utf8 else record._replace(offset=None)
            continue
        number += 1
        if record._errors:
            record._errors = partial(_moved, record._errors, 1 - record._line, -record._offset)
        record._number = number
        record._end -= record._offset
        record._offset = 0
        record._line = 1
        record._byte_offset = offset if is_utf8 else None
        record.path = path
        record.data = data
    return number


class RangeRecords(DocumentIterator[RangeRecord]):
    """An iterator over the records of a range, which is read as the iteration goes on; `read` makes it.

    A context manager: leaving the block closes the file.

    Attributes:
        skipped: the number of bad records that were skipped.
        doubt: why records may read differently than with `xml5tree.records`; "" if nothing so far says so.
    """

    def __init__(
        self,
        part: Range,
        reader: "_Reader",
        policy: Policy,
        encoding: str | None,
        *,
        ends_at_damage: bool = False,
        find_run: FindRunIn | None = None,
    ) -> None:
        self._reader = reader
        self._policy = policy
        self._path = part.path
        self.skipped = 0
        self.doubt = ""
        batches = self._run(part, encoding, ends_at_damage, find_run)
        super().__init__(chain.from_iterable(batches), batches)

    def _run(
        self, part: Range, encoding: str | None, ends_at_damage: bool, find_run: FindRunIn | None
    ) -> Generator[list[RangeRecord], None, None]:
        tags = self._reader.tags
        self._reader.report_doubt = self._warn
        with closing(open_file(part.path, part.storage_options)) as file:
            document = Utf8(file, encoding, ends_at_damage=ends_at_damage)
            if not self._reader.forces:
                _check_content(document, part.path)
            if part.start and not document.is_plain:
                raise ValueError(f"{part.path} cannot be read from the middle: it is compressed, or not in UTF-8")
            head, blocks = _begin(document, tags, part.start)
            self._reader.head = head
            if head.doubt:
                self._warn(0, head.doubt)
            start = max(part.start, head.size)
            local_name = tags.name.rpartition(":")[2].encode()
            gaps = Gaps(
                local_name, head.around, start, is_first=part.start <= head.size, first=head.first, report=self._warn
            )
            is_utf8 = document.is_utf8
            number = 0
            find = None if find_run is None else partial(find_run, head)
            spans = extents(blocks, tags, start, part.end, sizes=SIZES, gaps=gaps, find_run=find)
            for found in self._reader.read(spans):
                number = _stand_alone(found, part.path, number, is_utf8=is_utf8)
                yield from self._judged(cast("list[RangeRecord]", found.records))
            if document.damage:
                warn_of_rows(f"{part.path}: {document.damage}; the records before the damage were read")

    def _warn(self, offset: int, why: str) -> None:
        """Warn once that records may read differently than with `xml5tree.records`."""
        if not self.doubt:
            self.doubt = f"{why} (byte {offset:,})"
            warn_of_rows(f"{self._path}: records may read otherwise than those of the whole file, as {self.doubt}")

    def _judged(self, records: list[RangeRecord]) -> Iterator[list[RangeRecord]]:
        policy = self._policy
        if policy.on_bad == "keep":
            yield records
            return
        kept = []
        try:
            for record in records:
                if policy.on_bad == "mark":
                    record.mark()
                if not policy.is_bad(record.effect) or policy.keeps(f"record {record.number}", record.errors):
                    kept.append(record)
                else:
                    self.skipped += 1
        except ParseError:
            yield kept
            raise
        yield kept

    @property
    def namespaces(self) -> Mapping[str, str]:
        """The namespaces around the file's first record, by prefix, "" for the default one; known after a record."""
        return self._reader.head.namespaces


def read(
    part: Range,
    tag: str = "item",
    *,
    fields: "Fields | None" = None,
    backend: str = "etree",
    on_bad: OnBad = "keep",
    bad_from: Effect = "moved",
    **options: Unpack[Options],
) -> RangeRecords:
    """Read the records whose start tags begin in a range, `part`. They are the same wherever it is cut.

    Args:
        tag: one name as for `xml5tree.records`, except ``*``.
        fields, backend, bad_from: as for `xml5tree.records`.
        on_bad: as for `xml5tree.records`; the columns of ``"mark"`` are ``_file``, ``_byte_offset``, ``_effect``,
            ``_confidence`` and ``_errors``.
        **options: see `xml5tree.options.Settings`. `recovery` cannot be ``"strict"``, `dialect` is always XML5, and
            `on_error` is not called.

    Returns:
        An iterator over `RangeRecord` objects. It warns once (`xml5tree.RowsWarning`) if records may read differently
        than with `xml5tree.records`.

    Raises what `xml5tree.records` and its iterator raise, but no `ParseError` for a document without a root.
    """
    return _read(part, Tags(tag), fields, backend, Policy(on_bad, bad_from), options)


def read_written(
    part: Range,
    tag: str,
    *,
    ends_at_damage: bool = False,
    find_run: FindRunIn | None = None,
    **options: Unpack[Options],
) -> RangeRecords:
    """Read the records of a range by their written name: ``item``, ``media:item``, or with any prefix, ``{*}item``.

    Args:
        part, **options: as for `read`, which raises as this does.
        tag: the written name.
        ends_at_damage: whether a file whose compressed data is damaged ends there, with a `RowsWarning`; otherwise that
            is an `OSError`.
        find_run: finds runs of records, which come as `xml5tree.ranges.extents.Run` among the records, whose numbers do
            not count them; None: there are only records.
    """
    policy = Policy("keep", "moved")
    tags = Tags(tag, as_written=True)
    return _read(part, tags, None, "etree", policy, options, ends_at_damage=ends_at_damage, find_run=find_run)


def _read(
    part: Range,
    tags: Tags,
    fields: "Fields | None",
    backend: str,
    policy: Policy,
    options: Options,
    *,
    ends_at_damage: bool = False,
    find_run: FindRunIn | None = None,
) -> RangeRecords:
    if options.get("dialect", "xml5") != "xml5" or options.get("on_error") is not None:
        raise ValueError("ranges are read in XML5, and without on_error: the records have their errors")
    part = one_document(part, "ranges.read")
    if not 0 <= part.start <= sys.maxsize:
        raise ValueError(f"a range cannot begin at byte {part.start}")
    _, settings = make_settings(options)
    given: Options = {**options, "encoding": "utf-8", "max_errors": 0}
    reader = _Reader(tags, fields, backend, given)
    if policy.on_bad == "mark" and fields is not None:
        check_columns(fields, _MARKS)
    return RangeRecords(part, reader, policy, settings.encoding, ends_at_damage=ends_at_damage, find_run=find_run)


def _check_content(document: Utf8, path: str) -> None:
    try:
        ContentGate(document.encoding).admit(document.head, final=True)
    except NotXML as error:
        reporter = Reporter(None, None, filename=path)
        reporter.log.hints = (read_all_the_same(error.description),)
        raise reporter.refuse("not-xml", 0, error.description) from None


def _begin(document: Utf8, tags: Tags, start: int) -> tuple[Head, Iterator[bytes]]:
    """Return the head of a document, and the bytes needed for a range that begins at `start`."""
    blocks = document.blocks()
    parts = []
    size = 0
    while size < HEAD and (part := next(blocks, b"")):
        parts.append(part)
        size += len(part)
    head = head_of(b"".join(parts)[:HEAD], tags)
    base = SIZES.first_window(max(start, head.size))
    return head, _without(head.size - base, document.blocks(base) if base else chain(parts, blocks))


def _without(size: int, blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield blocks with the first `size` bytes replaced by spaces, so that no tag is found there."""
    for block in blocks:
        if size <= 0:
            yield block
            continue
        yield b" " * min(size, len(block)) + block[size:]
        size -= len(block)


def _length(data: bytes) -> int:
    text_length = len(data) if data.isascii() else len(data.decode("utf-8", "replace"))
    return text_length - data.count(b"\r\n")


class _Part(NamedTuple):
    """A record that is repaired as others with the same tags, to be read among others."""

    extent: Extent
    data: bytes
    repaired: Repaired


class _Group:
    """Records to be read as one document, with their offsets and bytes, and some that are not."""

    def __init__(self) -> None:
        self.offsets: list[int] = []
        self.datas: list[bytes] = []
        self.repaired: dict[int, _Part] = {}  # the records that are repaired, by their index
        # the records to be read alone, and the runs, before the record of an index
        self.alone: dict[int, list[Extent | Run]] = {}
        self.size = 0  # the bytes of all of them

    def __len__(self) -> int:
        return len(self.datas)

    def add(self, offset: int, data: bytes, repaired: _Part | None = None) -> None:
        if repaired is not None:
            self.repaired[len(self)] = repaired
        self.offsets.append(offset)
        self.datas.append(data)
        self.size += len(data)

    def add_all(self, extents: Extents) -> None:
        self.offsets += extents.offsets
        self.datas += extents.datas
        self.size += extents.offsets[-1] + len(extents.datas[-1]) - extents.offsets[0]

    def add_alone(self, extent: Extent | Run) -> None:
        self.alone.setdefault(len(self), []).append(extent)
        self.size += len(extent.data)

    def extent(self, index: int) -> Extent:
        part = self.repaired.get(index)
        return Extent(self.offsets[index], self.datas[index], 0, True, False) if part is None else part.extent

    def part(self, start: int, stop: int) -> "_Group":
        """Return some of the records, with those to be read alone before each."""
        if start == 0 and stop >= len(self):
            return self
        found = _Group()
        found.offsets, found.datas = self.offsets[start:stop], self.datas[start:stop]
        found.repaired = {index - start: part for index, part in self.repaired.items() if start <= index < stop}
        found.alone = {index - start: some for index, some in self.alone.items() if start <= index < stop}
        return found


class _Alone(NamedTuple):
    """A record that was read alone."""

    record: RangeRecord | None  # None if its tag is taken for text
    is_last: bool  # it was read as if the document ended with it
    doubt: str  # see `RangeRecords`


_START_OF_RECORD: Final = re.compile(rb"<([^\s/>]+)")

#: The index in a group of a record with errors, or a repaired one, and a doubt; None: earlier records may influence it.
_Note = tuple[int, str | None]


class _Reader:
    def __init__(self, tags: Tags, fields: "Fields | None", backend: str, options: Options) -> None:
        self.tags = tags
        self.forces = bool(options.get("force"))  # whether files that are not XML are read
        self._learns = make_settings(options)[1].recovery == "intent"  # earlier records may influence later ones
        self._written_name = tags.name.encode()
        self._any = f"{{*}}{tags.name.rpartition(':')[2]}"
        self._backend = backend
        self._options = options
        reader = RecordReader(self._any, fields, backend, "keep", "moved", options)
        if reader.surroundings is not None:
            raise ValueError("a range has not all that is around its records, so no path of `fields` can lead there")
        self._rows = reader.rows
        self._templates = Templates(self._model)
        self._has_templates = not options.get("logger") and not options.get("warnings")  # they get each error
        self._names: dict[bytes, str | None] = {}  # by written name and namespace declarations
        self._pattern = tags_pattern(self._any if tags.tag is None else tags.tag)
        self.report_doubt: Callable[[int, str], None] = lambda offset, why: None
        self.head = Head(b"<records>", b"</records>", {})

    def read(self, found: Iterable[Extent | Extents | Run]) -> Iterator[_Batch]:
        """Yield the records of extents, in batches of extents that cannot influence each other, and runs."""
        group = _Group()
        group_tag = ""
        for extent in found:
            tag = group_tag if isinstance(extent, Run) else self._tag(extent)
            if tag is None:
                for one in extent.single() if isinstance(extent, Extents) else (extent,):
                    self._read_alone(cast("Extent", one), self._any)  # reports a doubt if it may affect later records
                continue
            if tag != group_tag or group.size > _GROUP:
                yield from self._read_group(group, group_tag)
                group = _Group()
                group_tag = tag
            if isinstance(extent, Extents):
                group.add_all(extent)
            elif isinstance(extent, Run) and not group.size:
                yield _batch_of(extent, extent)
            elif isinstance(extent, Run):
                group.add_alone(extent)
            elif extent.is_whole and not OPEN_VALUE.search(extent.data):
                group.add(extent.offset, extent.data)
            elif (part := self._repaired(extent, tag)) is None:
                group.add_alone(extent)
            else:
                group.add(extent.offset, part.data, part)
        yield from self._read_group(group, group_tag)

    def _repaired(self, extent: Extent, tag: str) -> _Part | None:
        """Return a record that is repaired as others with the same tags; None if there were none."""
        if not self._has_templates or self.head.has_doctype or (extent.reaches_end and not extent.is_whole):
            return None
        repaired = self._templates.repair(extent.data, tag, is_whole=extent.is_whole)
        return None if repaired is None else _Part(extent, repaired.markup, repaired)

    def _tag(self, extent: Extent | Extents) -> str | None:
        """Return the expanded name of the elements of records, or None if records have another name."""
        tags = self.tags
        if tags.tag == self._any or (tags.tag is None and tags.any_prefix):
            return self._any
        if isinstance(extent, Extents):
            data, size = extent.datas[0], 0
        else:
            data, size = extent.data, extent.start_tag_size
        if tags.any_prefix or data.find(b"xmlns", 0, size) >= 0:
            name = _WRITTEN_NAME.match(data)
            key = b" ".join([b"" if name is None else name[1], *_DECLARATION.findall(data[:size])])
        else:
            key = self._written_name
        if key not in self._names:
            if len(self._names) > 1000:  # bounds the memory
                self._names.clear()
            record = next(chain.from_iterable(self._parse(self._document(b"<%b/>" % key), self._any)), None)
            found = self._any if record is None else record.element.tag
            self._names[key] = found if tags.tag is None or self._pattern.fullmatch(found) else None
        return self._names[key]

    def _read_group(self, group: _Group, tag: str) -> Iterator[_Batch]:
        """Yield the records of a group."""
        # They are read as one document as long as each ends where its extent does: then the next one reads as it would
        # alone. By intent, a record with errors is read again alone, as earlier records may have influenced it. After a
        # record that ends elsewhere, groups are small, and grow again, so that the rest is not read again each time.
        place, most = 0, len(group)
        since = 0  # the records read since the last one that ends elsewhere
        while place < len(group):
            part = group.part(place, place + most)
            read = 0
            held: list[RangeRecord] = []  # records that wait for others to be read again with them
            held_notes: list[_Note] = []
            for records, notes in self._parse_group(part, tag):
                held += records
                held_notes += notes
                if not any(doubt is None for _, doubt in held_notes) or len(held_notes) > _MANY_AGAIN:
                    yield self._completed(part, read, held, held_notes, tag)
                    read += len(held)
                    held, held_notes = [], []
            yield self._completed(part, read, held, held_notes, tag)
            read += len(held)
            if read < len(part):
                found = self._read_before(part, read, tag)
                found.add(self._read_alone(part.extent(read), tag))
                yield found
                most = max(_LEAST_GROUP, 2 * (since + read))
                read += 1
                since = 0
            else:
                since += read
                most *= 4
            place += read
        if place in group.alone:
            yield self._read_before(group, place, tag)

    def _read_before(self, group: _Group, index: int, tag: str) -> _Batch:
        """Return the records of a group that are read alone before that of an index."""
        found = _Batch([], [], [])
        for extent in group.alone.get(index, ()):
            found.add(self._read_alone(extent, tag))
        return found

    def _completed(self, group: _Group, first: int, records: list[RangeRecord], notes: list[_Note], tag: str) -> _Batch:
        """Return records of a group from the index `first` on, with those to be read alone before each."""
        # Records that earlier ones may have influenced are read again.
        stop = first + len(records)
        batch = _Batch([*records], [*group.offsets[first:stop]], group.datas[first:stop])
        lone = [index for index in group.alone if first <= index < stop]
        if not lone and not notes:
            return batch
        doubts = dict(notes)
        again = _Group()
        repaired: dict[int | None, RangeRecord | Run] = {}
        for index, doubt in notes:
            if doubt is None and (part := self._repaired(group.extent(index), tag)) is not None:
                again.add(part.extent.offset, part.data, part)
        for some in self._read_group(again, tag):
            repaired.update(zip(some.offsets, some.records, strict=True))
        found = _Batch([], [], [])
        place = first
        for index in sorted({*lone, *doubts}):
            found.add(batch.part(place - first, index - first))
            place = index
            if index in group.alone:
                found.add(self._read_before(group, index, tag))
            if index not in doubts:
                continue
            place += 1
            doubt = doubts[index]
            extent = group.extent(index)
            record = records[index - first] if doubt is not None else repaired.get(extent.offset)
            found.add(self._read_alone(extent, tag) if record is None else _batch_of(record, extent))
            if doubt:
                self.report_doubt(extent.offset, doubt)
        found.add(batch.part(place - first, stop - first))
        return found

    def _parse_group(self, group: _Group, tag: str) -> Iterator[tuple[list[RangeRecord], list[_Note]]]:
        """Yield the records of a group's document in batches, up to the first that does not end with its extent."""
        data = b"\n".join(group.datas)
        lengths = list(map(len if data.isascii() and b"\r" not in data else _length, group.datas))
        starts = list(accumulate((length + 1 for length in lengths[:-1]), initial=self._start))
        ends = list(map(add, starts, lengths))
        starts.append(-1)
        place = 0
        has_errors = is_at_limit = False  # in a record inside
        for records in self._parse(self._document(data), tag):
            stop = place + len(records)
            if (
                not has_errors
                and not group.repaired
                and not any(map(reaches_limit, records))
                and [record._offset for record in records] == starts[place:stop]
                and [record._end for record in records] == ends[place:stop]
            ):  # as below, in a fifth of the time
                notes: list[_Note] = []
                for index, record in enumerate(records, place):
                    record.element.tail = None  # the line break between records is not the file's
                    if record._errors:
                        notes.append(self._note(index, record))
                yield records, notes
                place = stop
                continue
            read: list[RangeRecord] = []
            notes = []
            for record in records:
                start = starts[place]
                if start >= 0 and start < record._offset < ends[place]:
                    has_errors = has_errors or has_errors_of_tags(record)
                    is_at_limit = is_at_limit or reaches_limit(record)
                    continue
                part = group.repaired.get(place)
                if record._offset != start or record._end != ends[place] or (part and record._errors):
                    yield read, notes
                    return
                record.element.tail = None
                if is_at_limit or reaches_limit(record):
                    yield [*read, record], [*notes, (place, None)]
                    return
                if part is not None:
                    record.note_repair(part.repaired)
                    notes.append((place, part.repaired.template.doubt))
                elif record._errors or has_errors:
                    notes.append(self._note(place, record, has_errors=has_errors))
                read.append(record)
                has_errors = False
                place += 1
            yield read, notes

    def _note(self, index: int, record: RangeRecord, *, has_errors: bool = False) -> _Note:
        may_be_influenced = self._learns and (has_errors or has_errors_of_tags(record))
        return (index, None if may_be_influenced else find_doubt(record))

    def _read_alone(self, extent: Extent | Run, tag: str) -> _Batch:
        """Return the record of an extent, or the run; nothing if the record's tag is taken for text (by intent)."""
        if isinstance(extent, Run):
            return _batch_of(extent, extent)
        record, _, doubt = self._parse_alone(extent, tag)
        if doubt:
            self.report_doubt(extent.offset, doubt)
        return _Batch([], [], []) if record is None else _batch_of(record, extent)

    def _parse_alone(self, extent: Extent, tag: str) -> _Alone:
        """Read the record of an extent alone, followed by the end tags of the elements around it."""
        # If the extent ends inside a construct, or with the document, end tags would become a part of it: the extent is
        # read as if the document ended there.
        start = self._start
        end = start + _length(extent.data)
        codes: set[str] = set()
        if not self._learns and OPEN_VALUE.search(extent.data):
            # Mostly, it ends in a value. By the draft, nothing after the record could then end it where it ends.
            record = self._record_at(start, self._document(extent.data, is_last=True), tag, codes)
            if any(code.startswith("eof-") and code != "eof-in-element" for code in codes):
                return _Alone(record, True, _UNCERTAIN_END)
            codes.clear()
        record = self._record_at(start, self._document(extent.data, is_whole=extent.is_whole), tag, codes)
        if record is not None and record._end == end and extent.is_whole:
            return _Alone(record, False, find_doubt(record))
        is_last = False
        if (extent.reaches_end and not extent.is_whole) or not ends_in_content(codes):
            codes.clear()
            last = self._record_at(start, self._document(extent.data, is_last=True), tag, codes)
            is_last = (extent.reaches_end and not extent.is_whole) or any(map(is_unfinished, codes))
            if is_last:
                record = last
        return _Alone(record, is_last, _UNCERTAIN_END)

    def _model(self, data: bytes, tag: str, is_whole: bool) -> Model | None:
        """Return how a record reads alone; None where its repaired markup does not read in the same way."""
        record, is_last, doubt = self._parse_alone(Extent(0, data, 0, is_whole, False), tag)
        if record is None:
            return None
        markup = repair(self._document(data, is_last=is_last, is_whole=is_whole), **self._options)
        codes: set[str] = set()
        again = self._record_at(self._start, markup, tag, codes)
        if again is None or codes or not markup.startswith(b"%b\n" % self.head.before):
            return None
        text = markup.decode()[again._offset : again._end]
        errors = _moved(record.errors, 1 - record._line, -record._offset)
        return Model(text, errors, record._end - record._offset, record.complete, doubt)

    def _record_at(self, start: int, document: bytes, tag: str, codes: set[str]) -> RangeRecord | None:
        """Return the record that begins at an offset of a document; the codes of errors are added to `codes`."""
        for name in dict.fromkeys((tag, self._any)):
            for record in chain.from_iterable(self._parse(document, name, codes)):
                if record.offset == start:
                    return record
        return None

    @property
    def _start(self) -> int:
        """The characters before the first record of a document."""
        return _length(self.head.before) + 1

    def _document(self, data: bytes, *, is_last: bool = False, is_whole: bool = True) -> bytes:
        """Return a document that has `data` on lines of its own, and ends with it if `is_last` is True.

        If that lacks the record's end tag, so not `is_whole`, but has children, intent has the same with an end tag to
        learn from.
        """
        after = b"" if is_last else self.head.after
        tag = None if is_last or is_whole or not self._learns else _START_OF_RECORD.match(data)
        if tag and data.find(tag[0], 1) < 0 < data.find(b"</"):
            after = b"%b</%b>%b" % (data, tag[1], after)
        return b"%b\n%b%b" % (self.head.before, data, after)

    def _parse(self, document: bytes, tag: str, codes: set[str] | None = None) -> Iterator[list[RangeRecord]]:
        """Yield the records of a document in batches; the codes of the errors are added to `codes`, if given."""
        options = self._options
        if codes is not None:
            options = {**options, "on_error": lambda entry: codes.add(entry.code)}
        reader = RecordReader(tag, None, self._backend, "keep", "moved", options)
        reader.rows = self._rows
        reader.record_type = RangeRecord
        reader.tells_bytes = False  # extents have their offsets
        for records in chain(reader.feed(document), reader.close()):
            yield cast("list[RangeRecord]", records)
