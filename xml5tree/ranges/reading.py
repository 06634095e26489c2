"""Reads each record of a range as if it stood alone."""

import sys
from bisect import bisect_left
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Unpack

from xml5tree.dialects import make_settings
from xml5tree.drive import DocumentIterator
from xml5tree.errors.codes import Effect
from xml5tree.errors.entry import Errors
from xml5tree.errors.hints import read_all_the_same
from xml5tree.errors.notify import warn_of_rows
from xml5tree.errors.policy import RANGE_MARKS, OnBad, Policy, check_columns
from xml5tree.errors.reporter import Reporter
from xml5tree.input.content import ContentGate, NotXML
from xml5tree.options import Options, Settings
from xml5tree.ranges.extents import SIZES, Tags, extents
from xml5tree.ranges.files import Range, Utf8, open_file
from xml5tree.ranges.gaps import Gaps
from xml5tree.ranges.groups import Batch, GroupReader
from xml5tree.ranges.heads import begin
from xml5tree.record import Record, RecordRun
from xml5tree.sources import one_document

if TYPE_CHECKING:
    from xml5tree.columns import Node
    from xml5tree.rows import Fields


#: The columns that records get with ``on_bad="mark"``.
_MARKS: Final = ("_file", *RANGE_MARKS)


class RangeRecord(Record):
    """A `Record` of a range; lines and offsets, also of its errors, count from its own start tag.

    Attributes:
        path: the path of the file.
        byte_offset: bytes before it in the unpacked file; None if that is not in UTF-8.
        data: its source in UTF-8; without an end tag, up to the next record.
    """

    __slots__ = ("data", "path")

    _kept = ("complete", "path", "data")

    path: str
    data: bytes

    def _place(self) -> dict[str, Any]:
        return {"_file": self.path, "_byte_offset": self.byte_offset}


class RangeRecords(DocumentIterator[RangeRecord]):
    """An iterator over the records of a range, which is read as the iteration goes on; `read` makes it.

    A context manager: leaving the block closes the file.

    Attributes:
        skipped: the number of bad records that were skipped.
        truncated: whether the document has been seen to end in a record of the range.
        batches: runs of the records with their bytes, to be iterated over instead of the records.
        reader: reads the records; before the first one, its `prepare` may be set.
    """

    _gives_runs = False  # instead of records

    #: Files of which the caller knows that ranges may read otherwise; one set for all ranges of a call.
    warned: set[str]

    def __init__(
        self,
        part: Range,
        reader: GroupReader,
        policy: Policy,
        settings: Settings,
        *,
        ends_at_damage: bool = False,
    ) -> None:
        self.reader = reader
        self._path = part.path
        self._policy = policy
        self._settings = settings
        self._ends_at_damage = ends_at_damage
        self.warned = set()
        self.skipped = 0
        self.truncated = False
        self.batches = self._run(part)
        super().__init__(chain.from_iterable(map(self._kept, self.batches)), self.batches)

    @property
    def doubt(self) -> str:
        """Why records may read differently than with `xml5tree.records`; "" if nothing so far says so."""
        return self.reader.doubt

    @property
    def namespaces(self) -> Mapping[str, str]:
        """The namespaces around the file's first record, by prefix, "" for the default one; known after a record."""
        return self.reader.head.namespaces

    def _run(self, part: Range) -> Generator[Batch, None, None]:
        reader, tags, window = self.reader, self.reader.tags, SIZES.window
        with closing(open_file(part.path, part.storage_options)) as file:
            document = Utf8(file, self._settings.encoding, ends_at_damage=self._ends_at_damage)
            if not self._settings.force:
                _check_content(document, part.path)
            if part.start and not document.is_plain:
                raise ValueError(f"{part.path} cannot be read from the middle: it is compressed, or not in UTF-8")
            first = part.start // window * window
            last = None if part.end is None else -(-part.end // window) * window
            reader.start, reader.end = part.start, part.end
            reader.head, blocks = begin(document, tags, first, SIZES)
            head = reader.head
            if head.doubt:
                reader.note_doubt(0, head.doubt)
            gaps = Gaps(
                tags.name.rpartition(":")[2].encode(),
                head.around,
                max(first, head.size),
                is_first=first <= head.size,
                first=head.first,
                report=reader.note_doubt,
            )
            number = 0
            spans = extents(blocks, tags, max(first, head.size), last, sizes=SIZES, gaps=gaps)
            for found in reader.read(spans, window):
                self._warn(part.path)
                start = bisect_left(found.offsets, part.start)
                stop = len(found.offsets) if part.end is None else bisect_left(found.offsets, part.end)
                if start < stop:
                    batch = found.part(start, stop)
                    _number(batch, number, is_utf8=document.is_utf8)
                    number += stop - start
                    self.truncated = bool(batch.runs[-1].incomplete)
                    yield batch
            self._warn(part.path)
            if document.damage:
                warn_of_rows(f"{part.path}: {document.damage}; the records before the damage were read")

    def _warn(self, path: str) -> None:
        """Warn once of a file that records may read differently than with `xml5tree.records`."""
        if self.doubt and path not in self.warned:
            self.warned.add(path)
            warn_of_rows(f"{path}: records may read otherwise than those of the whole file, as {self.doubt}")

    def _kept(self, batch: Batch) -> Iterator[Any]:
        """Yield the records of a batch that the policy keeps, or runs of them."""
        keeps_all = self._policy.on_bad == "keep"
        if self._gives_runs and keeps_all:
            yield from batch.runs
        elif self._gives_runs:
            for run in batch.runs:
                yield from run.kept(lambda at, run=run: self._keeps(run.numbers[at], run.errors_of(at)))  # type: ignore[misc]
        else:
            yield from self._records(batch, keeps_all=keeps_all)

    def _records(self, batch: Batch, *, keeps_all: bool) -> Iterator[RangeRecord]:
        records = RecordRun.joined(batch.runs).records(RangeRecord, self.reader.fields or ())
        for record, data in zip(records, batch.datas, strict=True):
            record.path, record.data = self._path, data
            if self._policy.on_bad == "mark":
                record.mark()
            if keeps_all or self._keeps(record.number, record._errors):
                yield record

    def _keeps(self, number: int, errors: Errors) -> bool:
        if not self._policy.is_bad(errors.effect) or self._policy.keeps(f"record {number}", errors.entries):
            return True
        self.skipped += 1
        return False

    def _give_runs(self, *, size: int, **_: Any) -> None:
        """Yield runs of up to `size` records instead of records."""
        self._gives_runs = True
        self.reader.run_size = size

    def _make_columns(self, fields: "Fields | None", wanted: "Callable[[str], Node | None] | None" = None) -> None:
        """Have runs with values without elements, if that can be. For the arguments see `RecordReader`."""
        self.reader.prepare = lambda reader: reader.make_columns(fields, wanted)


def _number(batch: Batch, before: int, *, is_utf8: bool) -> None:
    """Number records of a range with some `before` them, and give them their place in the file."""
    place = 0
    for run in batch.runs:
        stop = place + len(run)
        run.numbers = range(before + place + 1, before + stop + 1)
        run.byte_offsets = batch.offsets[place:stop] if is_utf8 else None
        place = stop


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
    **options: Unpack[Options],
) -> RangeRecords:
    """Read the records of a range by their written name: ``item``, ``media:item``, or with any prefix, ``{*}item``.

    Args:
        part, **options: as for `read`, which raises as this does.
        tag: the written name.
        ends_at_damage: whether a file whose compressed data is damaged ends there, with a `RowsWarning`; otherwise that
            is an `OSError`.
    """
    policy = Policy("keep", "moved")
    return _read(part, Tags(tag, as_written=True), None, "etree", policy, options, ends_at_damage=ends_at_damage)


def _read(
    part: Range,
    tags: Tags,
    fields: "Fields | None",
    backend: str,
    policy: Policy,
    options: Options,
    *,
    ends_at_damage: bool = False,
) -> RangeRecords:
    if options.get("dialect", "xml5") != "xml5" or options.get("on_error") is not None:
        raise ValueError("ranges are read in XML5, and without on_error: the records have their errors")
    part = one_document(part, "ranges.read")
    if not 0 <= part.start <= sys.maxsize:
        raise ValueError(f"a range cannot begin at byte {part.start}")
    _, settings = make_settings(options)
    given: Options = {**options, "encoding": "utf-8", "max_errors": 0, "roots": settings.roots}
    reader = GroupReader(tags, fields, backend, given)
    if policy.on_bad == "mark" and fields is not None:
        check_columns(fields, _MARKS)
    return RangeRecords(part, reader, policy, settings, ends_at_damage=ends_at_damage)


def _check_content(document: Utf8, path: str) -> None:
    try:
        ContentGate(document.encoding).admit(document.head, final=True)
    except NotXML as error:
        reporter = Reporter(None, None, filename=path)
        reporter.log.hints = (read_all_the_same(error.description),)
        raise reporter.refuse("not-xml", 0, error.description) from None
