"""Reads many records of a file as one document."""

# A record must read the same in every range. So those whose start tags begin in the same window of the file are read as
# one document, whatever part of the window is in the range, as long as each ends where its extent does.

import re
import sys
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate, chain
from operator import add
from typing import TYPE_CHECKING, Final, NamedTuple

from xml5tree.backends import find_backend
from xml5tree.backends.tags import tags_pattern
from xml5tree.dialects import make_settings
from xml5tree.errors.codes import CODES, MOVED
from xml5tree.errors.entry import Errors, Found
from xml5tree.errors.wording import move_lines
from xml5tree.options import Options, assuming_nothing
from xml5tree.ranges.extents import OPEN_VALUE, Extent, Extents, Tags
from xml5tree.ranges.heads import Head
from xml5tree.ranges.influence import ONCE, find_doubt, reaches_limit
from xml5tree.record import RecordRun
from xml5tree.recordreader import RecordReader

if TYPE_CHECKING:
    from xml5tree.columns import ColumnsParser
    from xml5tree.rows import Fields


#: Records to read as one document after one that does not end where it should: a parser for each costs more.
_LEAST_GROUP: Final = 8
_UNCERTAIN_END: Final = "the end of a record is not certain"
_NAME: Final = re.compile(rb"<([^\s/>]+)")
_DECLARATION: Final = re.compile(rb"\s(xmlns(?::[^\s=<>/\"']+)?\s*=\s*(?:\"[^\"]*\"|'[^']*'))")
#: What may hide tags, with a byte of it that is rare, and is searched for much faster.
_HIDING: Final = ((b"!", b"<!"), (b"?", b"<?"), (b"\r", b"\r"))
_ASSUMED: Final = "assumed-end-before"


class Batch(NamedTuple):
    """Runs of consecutive records, and the offset and bytes of each record."""

    runs: list[RecordRun]
    offsets: list[int]
    datas: list[bytes]

    def part(self, start: int, stop: int) -> "Batch":
        if (start, stop) == (0, len(self.datas)):
            return self
        return Batch(_singles(self.runs)[start:stop], self.offsets[start:stop], self.datas[start:stop])


def _singles(runs: list[RecordRun]) -> list[RecordRun]:
    """Return runs of one record each."""
    return [run.part(place, place + 1) for run in runs for place in range(len(run))]


def _places_of(runs: list[RecordRun]) -> tuple[list[int], list[int]]:
    """Return where records begin and end in their document."""
    starts = chain.from_iterable(run.starts or () for run in runs)
    return [*starts], [*chain.from_iterable(run.ends or () for run in runs)]


def _length(data: bytes) -> int:
    text_length = len(data) if data.isascii() else len(data.decode("utf-8", "replace"))
    return text_length - data.count(b"\r\n")


def _end_tag(data: bytes) -> bytes:
    """Return the end tag that a record lacks."""
    name = _NAME.match(data)
    return b"" if name is None else b"</%b>" % name[1]


def _own_error(found: Found, by: int, offset: int) -> Found:
    """Return an error of a record at an offset of its document as one of a document that begins with the record.

    `by` is added to the numbers of lines.
    """
    code, usual, kind, effect, detail, line, column, place = found
    message = usual.message.format(*detail)
    moved = move_lines(message, by)
    if moved != message:
        usual, detail = usual._replace(message="{0}"), (moved, *detail[-1:])  # the last one may be the confidence
    return code, usual, kind, effect, detail, line + by, column, place - offset


def _own_errors(errors: Sequence[Found], line: int, offset: int, data: bytes | None) -> list[Found]:
    """Return the errors of a record, at a place of its document, so that their places count from its start tag.

    `data` are its bytes if its end tag was assumed, which is one more error.
    """
    found = [_own_error(one, 1 - line, offset) for one in errors]
    if data is not None:
        text = data.decode("utf-8", "replace").replace("\r\n", "\n")
        place = 1 + text.count("\n"), len(text) - text.rfind("\n") - 1, len(text)
        words = f"{_end_tag(data).decode('utf-8', 'replace')} was assumed at the end of the record, which lacks it"
        found.append((_ASSUMED, CODES[_ASSUMED], None, MOVED, (words,), *place))
    return found


def _stand_at_start(run: RecordRun) -> None:
    """Have each record of a run begin at the offset 0."""
    run.lines = [1] * len(run)
    if run.starts is not None and run.ends is not None:
        run.ends = [end - start for start, end in zip(run.starts, run.ends, strict=True)]
        run.starts = [0] * len(run)


def _by_window(extents: Extents, window: int) -> Iterator[Extents]:
    """Yield extents of records that begin in the same window of the file."""
    offsets, datas = extents
    start = 0
    while start < len(offsets):
        stop = bisect_left(offsets, (offsets[start] // window + 1) * window, start)
        yield extents if (start, stop) == (0, len(offsets)) else Extents(offsets[start:stop], datas[start:stop])
        start = stop


class _Places:
    """Where the records of a document should begin and end."""

    def __init__(self, starts: list[int], stops: list[int]) -> None:
        self._starts = starts
        self._stops = stops
        self.place = 0  # the index of the next record
        self._is_at_limit = False

    def fitting(self, runs: list[RecordRun], *, is_at_limit: bool) -> tuple[list[RecordRun], bool]:
        """Return records up to the first one that is not where it should be, and whether there is one.

        Records in these are left out. `is_at_limit`: some record reaches a limit of its document, so that later ones
        may lack the error.
        """
        firsts, lasts = _places_of(runs)
        place, stop = self.place, self.place + len(firsts)
        if not is_at_limit and firsts == self._starts[place:stop] and lasts == self._stops[place:stop]:
            self.place = stop
            return runs, False
        fitting: list[RecordRun] = []
        for record, first, last in zip(_singles(runs), firsts, lasts, strict=True):
            if self.place == len(self._starts):
                return fitting, False
            self._is_at_limit = self._is_at_limit or (is_at_limit and reaches_limit(record.errors_of(0).found))
            start, stop = self._starts[self.place], self._stops[self.place]
            if not start < first < stop:
                if self._is_at_limit or (first, last) != (start, stop):
                    return fitting, True
                fitting.append(record)
                self.place += 1
        return fitting, False


class _Group:
    """Records to be read as one document."""

    def __init__(self) -> None:
        self.offsets: list[int] = []
        self.datas: list[bytes] = []
        self.open: list[int] = []  # the indices of those without end tags
        self.alone: list[int] = []  # the indices of those that are not read with others
        self.is_last = False  # the document ends with the last one

    def __len__(self) -> int:
        return len(self.datas)

    def add(self, extent: Extent | Extents, *, is_alone: bool) -> None:
        if isinstance(extent, Extents):
            self.offsets += extent.offsets
            self.datas += extent.datas
            return
        if not extent.is_whole:
            self.open.append(len(self))
        if is_alone:
            self.alone.append(len(self))
        self.offsets.append(extent.offset)
        self.datas.append(extent.data)
        self.is_last = extent.reaches_end

    def next_alone(self, index: int) -> int:
        """Return the index of the next record that is read alone; that after the last one, if there is none."""
        found = bisect_left(self.alone, index)
        return self.alone[found] if found < len(self.alone) else len(self)

    def open_in(self, start: int, stop: int) -> list[int]:
        """Return the indices, from `start` on, of the records between two indices that lack their end tags."""
        return [index - start for index in self.open[bisect_left(self.open, start) : bisect_left(self.open, stop)]]


class GroupReader:
    """Reads the records of a range.

    Attributes:
        head: the markup around records that are read apart from others.
        doubt: see `xml5tree.ranges.reading.RangeRecords`.
        fields: as for `xml5tree.records`.
        prepare: called with a reader that may be told to make columns, as soon as the namespaces are known.
        run_size: the most records in a run of a document without errors.
        start, end: the first byte of the range, and that after its last one, or None: it ends with the file.
    """

    def __init__(self, tags: Tags, fields: "Fields | None", backend: str, options: Options) -> None:
        self.tags = tags
        self.head = Head(b"<records>", b"</records>", {})
        self.doubt = ""
        self.start = 0
        self.end: int | None = None
        self.run_size = sys.maxsize
        self.fields = fields
        self.prepare: Callable[[RecordReader], None] = RecordReader.find_values
        dialect, settings = make_settings(options)
        self._learns = settings.recovery == "intent"
        self._dialect, self._settings = dialect, settings._replace(encoding=None)  # documents are in UTF-8
        self._limits = find_backend(backend).limits
        self._written_name = tags.name.encode()
        self._any = f"{{*}}{tags.name.rpartition(':')[2]}"
        self._backend = backend
        self._options = options
        first = RecordReader(self._any, fields, backend, "keep", "moved", options)
        if first.surroundings is not None:
            raise ValueError("a range has not all that is around its records, so no path of `fields` can lead there")
        self._rows = first.rows
        self._names: dict[bytes, str | None] = {}  # by written name and namespace declarations
        self._parsers: dict[str, ColumnsParser | None] = {}  # those of columns, by name; None where these cannot be
        self._clean: dict[str, ColumnsParser] = {}  # others, of documents without errors
        self._pattern = tags_pattern(self._any if tags.tag is None else tags.tag)

    def note_doubt(self, offset: int, why: str) -> None:
        """Note why records may read differently than with `xml5tree.records`, if nothing has been noted."""
        self.doubt = self.doubt or f"{why} (byte {offset:,})"

    def read(self, found: Iterable[Extent | Extents], window: int) -> Iterator[Batch]:
        """Yield the records of extents, which are all that begin in some windows, of a size in bytes."""
        for group, tag in self._groups(found, window):
            batches = self._read_group(group, tag or self._any)
            if tag is not None:
                yield from batches
            else:
                deque(batches, 0)  # elements of another name, which may have doubts

    def _groups(self, found: Iterable[Extent | Extents], window: int) -> Iterator[tuple[_Group, str | None]]:
        """Yield groups of the records that begin in the same window, and have the same tag."""
        group = _Group()
        key: tuple[str | None, int] = "", 0
        for extent in found:
            for one in _by_window(extent, window) if isinstance(extent, Extents) else (extent,):
                offset = one.offsets[0] if isinstance(one, Extents) else one.offset
                next_key = self._tag(one), offset // window
                if next_key != key:
                    yield group, key[0]
                    group, key = _Group(), next_key
                group.add(one, is_alone=isinstance(one, Extent) and self._is_alone(one))
        yield group, key[0]

    def _is_alone(self, extent: Extent) -> bool:
        """Return whether a record is likely to take what comes after it for its own content."""
        if not self._learns and OPEN_VALUE.search(extent.data):
            return True
        return extent.reaches_end and not extent.is_whole

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
            name = _NAME.match(data)
            key = b" ".join([b"" if name is None else name[1], *_DECLARATION.findall(data[:size])])
        else:
            key = self._written_name
        if key not in self._names:
            if len(self._names) > 1000:  # bounds the memory
                self._names.clear()
            reader = RecordReader(self._any, None, self._backend, "keep", "moved", self._options)
            found = [*chain(reader.feed(self._document(b"<%b/>" % key)), reader.close())]
            record = next((run.elements[0] for run in chain.from_iterable(found) if run.elements), None)
            name_found = self._any if record is None else record.tag
            self._names[key] = name_found if tags.tag is None or self._pattern.fullmatch(name_found) else None
        return self._names[key]

    def _read_group(self, group: _Group, tag: str) -> Iterator[Batch]:
        """Yield the records of a group."""
        # They are read as one document as long as each ends where its extent does. After a record that ends elsewhere,
        # documents are small, and grow again, so that the rest is not read again each time.
        place, most = 0, len(group)
        since = 0  # the records read since the last one that ends elsewhere
        while place < len(group):
            alone = group.next_alone(place)
            stop = min(place + most, alone)
            if place < stop:
                read = 0
                for batch in self._read_document(group, place, stop, tag):
                    yield batch
                    read += len(batch.datas)
                place += read
                since += read
                if place < stop:
                    most, since = max(_LEAST_GROUP, 2 * since), 0
                else:
                    most *= 4
                    if stop < alone:
                        continue
            if place < len(group):
                yield from self._read_alone(group, place, tag)
                place += 1

    def _read_document(self, group: _Group, start: int, stop: int, tag: str) -> Iterator[Batch]:
        """Yield records of a group that are read as one document, up to the first that does not end as it should."""
        offsets, datas = group.offsets[start:stop], group.datas[start:stop]
        open_ones = group.open_in(start, stop)
        parts = datas[:]
        for index in open_ones:
            parts[index] += _end_tag(datas[index])
        data = b"\n".join(parts)
        document = self._document(data)
        is_within = self.start <= offsets[0] and (self.end is None or offsets[-1] < self.end)
        clean, is_clean = self._read_clean(document, tag, has_columns=is_within and not open_ones)
        if sum(map(len, clean)) == len(datas):
            yield Batch(clean, offsets, datas)
            return
        lengths = list(map(len if data.isascii() and b"\r" not in data else _length, parts))
        starts = list(accumulate((length + 1 for length in lengths[:-1]), initial=self._start))
        places = _Places(starts, list(map(add, starts, lengths)))
        done, is_wrong = 0, False
        for runs, is_at_limit in self._parse(document, tag, is_clean=is_clean):
            if is_wrong:
                continue  # a parser of columns needs the end of the document
            fitting, is_wrong = places.fitting(runs, is_at_limit=is_at_limit)
            found = Batch(fitting, offsets[done : places.place], datas[done : places.place])
            self._stand_alone(found, {index - done for index in open_ones})
            done = places.place
            if fitting:
                yield found
            if is_wrong and self._parser(tag) is None:
                return

    def _read_clean(self, document: bytes, tag: str, *, has_columns: bool) -> tuple[list[RecordRun], bool]:
        """Return whether a document is well-formed, and its records as columns, if it is its own markup."""
        parser = self._parser(tag)
        # Comments and others may hide tags.
        if parser is None or not has_columns or any(byte in document and mark in document for byte, mark in _HIDING):
            return [], self._dialect.judge(document, self._settings, self._limits) is True
        runs: list[RecordRun] = []
        clean = self._clean.pop(tag, None) or parser.renewed()
        look = partial(clean.read_window, runs, self.run_size, False, True, True)
        is_clean = self._dialect.judge(document, self._settings, self._limits, look) is True
        if is_clean:
            self._clean[tag] = clean
        if not is_clean or clean.has_others:
            return [], is_clean
        for run in runs:
            _stand_at_start(run)
        return runs, True

    def _parser(self, tag: str) -> "ColumnsParser | None":
        """Return what makes columns of records of a name, if that can be."""
        if tag not in self._parsers:
            if len(self._parsers) > 1000:  # bounds the memory, as above
                self._parsers.clear()
                self._clean.clear()
            reader = RecordReader(tag, self.fields, self._backend, "keep", "moved", self._options)
            self.prepare(reader)
            self._parsers[tag] = reader._columns
        return self._parsers[tag]

    def _read_alone(self, group: _Group, index: int, tag: str) -> Iterator[Batch]:
        """Yield a record that is read alone, unless its tag is taken for text (by intent)."""
        offset, data = group.offsets[index], group.datas[index]
        # If it ends inside a construct, end tags would become a part of it: it is read as if the document ended.
        record = self._first(self._document(data, is_last=True), tag)
        if (
            record is None
            or group.open_in(index, index + 1)
            or _places_of([record])[1] != [self._start + _length(data)]
        ):
            self.note_doubt(offset, _UNCERTAIN_END)
        if record is not None:
            if not (group.is_last and index == len(group) - 1):
                record.incomplete = frozenset()
            found = Batch([record], [offset], [data])
            self._stand_alone(found, set())
            yield found

    def _first(self, document: bytes, tag: str) -> RecordRun | None:
        """Return the record at the beginning of a document; None if there is none."""
        for name in dict.fromkeys((tag, self._any)):
            found = [*chain.from_iterable(runs for runs, _ in self._parse(document, name))]
            for record in _singles(found):
                if _places_of([record])[0] == [self._start]:
                    return record
        return None

    def _stand_alone(self, batch: Batch, open_ones: set[int]) -> None:
        """Have the places of records, and of their errors, count from their start tags; look for doubts.

        `open_ones` are the indices of those whose end tags were assumed.
        """
        place = 0
        for run in batch.runs:
            assert run.starts is not None
            assert run.ends is not None
            of_run = {at for at in range(len(run)) if place + at in open_ones}
            for at in sorted({*run.errors, *of_run}):
                data = batch.datas[place + at] if at in of_run else None
                errors = _own_errors(run.errors_of(at).found, run.lines[at], run.starts[at], data)
                doubt = _UNCERTAIN_END if data is not None else find_doubt(errors)
                if doubt:
                    self.note_doubt(batch.offsets[place + at], doubt)
                run.errors[at] = Errors(errors, self._settings.filename)
            if of_run:
                run.ends = [*run.ends]
                for at in of_run:
                    run.ends[at] -= len(_end_tag(batch.datas[place + at]).decode("utf-8", "replace"))
            _stand_at_start(run)
            for element in run.elements or ():
                element.tail = None  # the line break between records is not the file's
            place += len(run)

    @property
    def _start(self) -> int:
        """The characters before the first record of a document."""
        return _length(self.head.before) + 1

    def _document(self, data: bytes, *, is_last: bool = False) -> bytes:
        """Return a document that has `data` on lines of its own, and ends with it if `is_last` is True."""
        return b"%b\n%b%b" % (self.head.before, data, b"" if is_last else self.head.after)

    def _parse(self, document: bytes, tag: str, *, is_clean: bool = False) -> Iterator[tuple[list[RecordRun], bool]]:
        """Yield the records of a document in lists of runs, and whether it has reached a limit so far.

        `is_clean`: the document is well-formed, so that nothing is assumed.
        """
        options = assuming_nothing(self._options) if is_clean else self._options
        reader = RecordReader(tag, None, self._backend, "keep", "moved", options)
        reader.tells_bytes = False  # extents have their offsets
        parser = self._parser(tag)
        if parser is not None:
            reader.use_columns(parser)
        else:
            reader.rows = self._rows
        log = reader.session.log
        for runs in chain(reader.feed(document), reader.close()):
            yield runs, log.total > 0 and not ONCE.isdisjoint(log.summary())
