"""The records of a range, each read as if it stood alone below the elements that are around the first record."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from functools import partial
from itertools import chain
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, Unpack, cast

from xml5tree.dialects import make_settings
from xml5tree.errors.codes import Effect
from xml5tree.errors.entry import ErrorEntry
from xml5tree.errors.hints import read_all_the_same
from xml5tree.errors.log import ParseError
from xml5tree.errors.policy import OnBad, Policy
from xml5tree.errors.reporter import Reporter
from xml5tree.errors.wording import move_lines
from xml5tree.input.content import NotXML
from xml5tree.options import Options
from xml5tree.ranges.extents import SIZES, Extent, Tags, extents
from xml5tree.ranges.files import Range, Utf8, open_file
from xml5tree.ranges.heads import HEAD, Head, head_of
from xml5tree.records import Record, RecordReader

if TYPE_CHECKING:
    from xml5tree.rows import Fields

__all__ = ["RangeRecord", "RangeRecords", "read"]

#: Bytes of records that are read as one document.
_GROUP: Final = 1 << 19
_DECLARATION: Final = re.compile(rb"\s(xmlns(?::[^\s=<>/\"']+)?\s*=\s*(?:\"[^\"]*\"|'[^']*'))")


class RangeRecord(Record):
    """A record of a range: a `Record` for which lines and offsets count from its own start tag, as do its errors.

    Attributes:
        path: the path of the file.
        byte_offset: bytes of the file before it, unpacked; None where the file is in another encoding than UTF-8.
        data: the record as the file has it, in UTF-8; up to the next one where its end tag is missing.
    """

    __slots__ = ("data", "path")

    path: str
    data: bytes

    def stand_alone(self, path: str, number: int, extent: Extent, byte_offset: int | None) -> None:
        """Become the record of a range; before, it is one of the document that it was read in."""
        if self._errors:
            self._errors = partial(_moved, self._errors, 1 - self._line, -self._offset)
        self._number = number
        self._end -= self._offset
        self._offset = 0
        self._line = 1
        self._byte_offset = byte_offset
        self.path = path
        self.data = extent.data

    def _place(self) -> dict[str, Any]:
        return {"_file": self.path, "_byte_offset": self.byte_offset}

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (dict(self), self.path, self.number, self.byte_offset, self.end, self.data, self.errors)


def _restored(
    row: dict[str, Any],
    path: str,
    number: int,
    byte_offset: int | None,
    end: int,
    data: bytes,
    errors: tuple[ErrorEntry, ...],
) -> RangeRecord:
    """A record that has been pickled."""
    record = RangeRecord(None, lambda element: row, number, 0, 1, byte_offset, end, errors)
    record.path = path
    record.data = data
    return record


def _moved(
    errors: tuple[ErrorEntry, ...] | Callable[[], tuple[ErrorEntry, ...]], lines: int, offset: int
) -> tuple[ErrorEntry, ...]:
    """Errors of a record, which begins a line, as they are so many lines and characters further on."""
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
        )
        for entry in (errors() if callable(errors) else errors)
    )


class RangeRecords(Iterator[RangeRecord]):
    """An iterator over the records of a range, which is read as the iteration goes on; `read` makes it.

    A context manager: leaving the block closes the file.

    Attributes:
        skipped: how many records were skipped because they are bad.
    """

    def __init__(self, part: Range, reader: "_Reader", policy: Policy, encoding: str | None) -> None:
        self._reader = reader
        self._policy = policy
        self.skipped = 0
        self._batches = self._run(part, encoding)
        self._records: Iterator[RangeRecord] = chain.from_iterable(self._batches)

    def _run(self, part: Range, encoding: str | None) -> Iterator[list[RangeRecord]]:
        tags = self._reader.tags
        with closing(open_file(part.path)) as file:
            document = Utf8(file, encoding)
            if not self._reader.forces:
                _check_content(document, part.path)
            if part.start and not document.is_plain:
                raise ValueError(f"{part.path} cannot be read from the middle: it is compressed, or not in UTF-8")
            self._reader.head, blocks = _begin(document, tags, part.start)
            is_utf8 = document.is_utf8
            number = 0
            for found in self._reader.read(extents(blocks, tags, part.start, part.end, sizes=SIZES)):
                for record, extent in found:
                    number += 1
                    record.stand_alone(part.path, number, extent, extent.offset if is_utf8 else None)
                yield from self._judged([record for record, _ in found])

    def _judged(self, records: list[RangeRecord]) -> Iterator[list[RangeRecord]]:
        """Those of some records that are given to the caller; all are marked where that is wanted."""
        on_bad = self._policy.on_bad
        if on_bad == "keep":
            yield records
            return
        kept = []
        try:
            for record in records:
                if on_bad == "mark":
                    record.mark()
                if self._keeps(record):
                    kept.append(record)
        except ParseError:
            yield kept
            raise
        yield kept

    def _keeps(self, record: RangeRecord) -> bool:
        """Whether a record is given to the caller."""
        policy = self._policy
        if not policy.is_bad(record.effect) or policy.keeps(f"record {record.number}", record.errors):
            return True
        self.skipped += 1
        return False

    def __next__(self) -> RangeRecord:
        return next(self._records)

    @property
    def namespaces(self) -> Mapping[str, str]:
        """The namespaces of the elements around the first record of the file, by their prefixes; the default one by "".

        They are known once there is a record.
        """
        return self._reader.head.namespaces

    def close(self) -> None:
        """Stop reading, and close the file."""
        self._batches.close()  # type: ignore[attr-defined]
        self._records = iter(())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def read(
    part: Range,
    tag: str = "item",
    *,
    fields: "Fields | None" = None,
    backend: str = "etree",
    on_bad: OnBad = "keep",
    bad: Effect = "moved",
    **options: Unpack[Options],
) -> RangeRecords:
    """Read the records whose start tags begin in a range.

    All records of all ranges of a file are those of the file, whatever the ranges. A record within a record is a record
    of its own, and not part of the other.

    Args:
        part: the range.
        tag: the name of the elements that are records, as it is written, such as ``item`` or ``media:item``; with any
            prefix or none, ``{*}item``.
        fields: as for `xml5tree.records`.
        backend: as for `xml5tree.records`.
        on_bad: as for `xml5tree.records`; the columns of ``"mark"`` are ``_file``, ``_byte_offset``, ``_effect`` and
            ``_errors``.
        bad: as for `xml5tree.records`.
        **options: see `xml5tree.options.Settings`; `recover` can only be True, there is only XML5, and `on_error` is
            not called.

    Returns:
        An iterator over `RangeRecord` objects. It raises `OSError` where the file cannot be read, and `ParseError` for
        a bad record with ``on_bad="raise"``, and for a file that is no XML at all, unless there is ``force=True``.

    Raises:
        TypeError, ValueError, LookupError, ImportError: as `xml5tree.records`.
    """
    tags = Tags(tag)
    policy = Policy(on_bad, bad)
    if options.get("dialect", "xml5") != "xml5" or options.get("on_error") is not None:
        raise ValueError("ranges are read in XML5, and without on_error: the records have their errors")
    _, settings = make_settings(options)
    given: Options = {**options, "encoding": "utf-8", "max_errors": 0}
    reader = _Reader(tags, fields, backend, given)
    return RangeRecords(part, reader, policy, settings.encoding)


def _check_content(document: Utf8, path: str) -> None:
    """Refuse a file that cannot be XML at all.

    Raises:
        ParseError: it cannot.
    """
    try:
        document.check_content()
    except NotXML as error:
        reporter = Reporter(None, None, filename=path)
        reporter.log.hints = (read_all_the_same(error.description),)
        raise reporter.refuse("not-xml", 0, error.description) from None


def _begin(document: Utf8, tags: Tags, start: int) -> tuple[Head, Iterator[bytes]]:
    """The head of a document, and the bytes that are needed for a range that begins at an offset."""
    blocks = document.blocks()
    parts = []
    size = 0
    while size < HEAD and (part := next(blocks, b"")):
        parts.append(part)
        size += len(part)
    head = head_of(b"".join(parts)[:HEAD], tags)
    base = SIZES.first_window(start)
    return head, document.blocks(base) if base else chain(parts, blocks)


def _length(data: bytes) -> int:
    """How many characters bytes have as offsets count them."""
    text_length = len(data) if data.isascii() else len(data.decode("utf-8", "replace"))
    return text_length - data.count(b"\r\n")


class _Reader:
    """Reads the records of extents."""

    def __init__(self, tags: Tags, fields: "Fields | None", backend: str, options: Options) -> None:
        """Take the arguments of `read`.

        Raises:
            TypeError, ValueError, LookupError, ImportError: as `read`.
        """
        self.tags = tags
        self.forces = bool(options.get("force"))  # whether a file is read that is no XML
        self._learns = options.get("recovery") == "intent"  # so that a record would read as those before it suggest
        self._any = f"{{*}}{tags.name.rpartition(':')[2]}"
        self._backend = backend
        self._options = options
        self._rows = RecordReader(self._any, fields, backend, "keep", "moved", options).rows
        self._names: dict[bytes, str] = {}  # of records with the same namespace declarations
        self.head = Head(b"<records>", b"</records>", {})

    def read(self, found: Iterable[Extent]) -> Iterator[list[tuple[RangeRecord, Extent]]]:
        """The record of each extent, some at a time; only those that have no influence on others are read together."""
        group: list[Extent] = []
        group_tag = ""
        size = 0
        for extent in found:
            tag = self._tag(extent)
            if group and (tag != group_tag or size + len(extent.data) > _GROUP or not extent.is_whole):
                yield from self._read_group(group, group_tag)
                group.clear()
                size = 0
            if extent.is_whole and not self._learns:
                group.append(extent)
                group_tag = tag
                size += len(extent.data)
            else:
                yield self._read_alone(extent, tag)
        yield from self._read_group(group, group_tag)

    def _tag(self, extent: Extent) -> str:
        """The name of a record's element with its namespace."""
        if self.tags.any_prefix:
            return self._any
        data, size = extent.data, extent.start_tag_size
        has_declarations = data.find(b"xmlns", 0, size) >= 0
        declarations = b" ".join(_DECLARATION.findall(data[:size])) if has_declarations else b""
        if declarations not in self._names:
            if len(self._names) > 1000:  # there can be very many
                self._names.clear()
            probe = b"<%b %b/>" % (self.tags.name.encode(), declarations)
            record = next(chain.from_iterable(self._parse(probe, self._any)), None)
            self._names[declarations] = self._any if record is None else record.element.tag
        return self._names[declarations]

    def _read_group(self, group: list[Extent], tag: str) -> Iterator[list[tuple[RangeRecord, Extent]]]:
        """The records of extents that end with their end tags.

        They are read as one document as long as each record ends where its extent does. Then nothing but the elements
        around the first record is open, and the next is read as it would be alone.

        After one that does not, fewer are read as one document, then ever more: else all that are left might be read
        again for each of them.
        """
        place, most = 0, len(group)
        while place < len(group):
            part = group[place : place + most]
            read = 0
            for records in self._parse_group(part, tag):
                yield list(zip(records, part[read : read + len(records)], strict=True))
                read += len(records)
            if read < len(part):
                yield self._read_alone(part[read], tag)
                read += 1
                most = 1
            else:
                most *= 2
            place += read

    def _parse_group(self, group: list[Extent], tag: str) -> Iterator[list[RangeRecord]]:
        """The records of extents, some at a time, up to the first that does not end with its extent."""
        parts = [extent.data for extent in group]
        data = b"\n".join(parts)
        lengths = map(len if data.isascii() and b"\r" not in data else _length, parts)
        start = _length(self.head.before) + 1
        end = start + next(lengths)
        for records in self._parse(data, tag):
            read: list[RangeRecord] = []
            for record in records:
                if start < record._offset < end:
                    continue  # within a record
                if record._offset != start or record._end != end:
                    yield read
                    return
                record.element.tail = None  # the line break between records is not the file's
                read.append(record)
                start = end + 1
                end = start + next(lengths, -start)
            yield read

    def _read_alone(self, extent: Extent, tag: str) -> list[tuple[RangeRecord, Extent]]:
        """The record of an extent; none where its tag is taken for text, as with recovery by intent it may be."""
        start = _length(self.head.before) + 1
        for name in (tag, self._any):
            found = self._parse(extent.data, name, is_cut=extent.reaches_end and not extent.is_whole)
            for record in chain.from_iterable(found):
                if record.offset == start:
                    return [(record, extent)]
        return []

    def _parse(self, data: bytes, tag: str, *, is_cut: bool = False) -> Iterator[list[RangeRecord]]:
        """The records of a document that has these bytes, from a line of their own on, some at a time.

        Args:
            data: the bytes.
            tag: the name of records.
            is_cut: whether nothing comes after them, because the file ends.
        """
        reader = self._make_reader(tag)
        whole = b"%b\n%b%b" % (self.head.before, data, b"" if is_cut else self.head.after)
        for records in chain(reader.feed(whole), reader.close()):
            yield cast("list[RangeRecord]", records)

    def _make_reader(self, tag: str) -> RecordReader:
        reader = RecordReader(tag, None, self._backend, "keep", "moved", self._options)
        reader.rows = self._rows
        reader.record_type = RangeRecord
        reader.tells_bytes = False  # extents have their offsets
        return reader
