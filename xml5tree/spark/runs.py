"""Finds runs of error-free records, which are read faster."""

import re
from collections.abc import Mapping, Sequence
from itertools import islice, takewhile
from typing import Any, Final
from xml.etree import ElementTree
from xml.parsers import expat

import pyarrow as pa

from xml5tree.output.flatrecords import FlatRecords, FlatRun, Shape
from xml5tree.output.recordnames import AsWritten
from xml5tree.ranges.heads import Head
from xml5tree.spark.columns import NeedsElements, ShapedColumns
from xml5tree.spark.options import SparkOptions
from xml5tree.spark.rows import Rows

__all__ = ["Columns", "Found", "RunFinder"]

#: The values of the columns of some rows, perhaps as arrays.
Columns = Mapping[str, Sequence[Any] | pa.Array]
#: The element of a record, where it begins in its run, and its bytes.
Found = tuple[ElementTree.Element, int, bytes]

_PLAIN_NAME: Final = re.compile("[A-Za-z_][A-Za-z0-9_.-]*")
#: Least number of records in a run. Where runs are shorter, it takes less time to read all records together.
_LEAST: Final = 16
#: Characters of ASCII that XML allows, and parsers do not change.
_ASCII: Final = bytes({9, 10, *range(32, 128)})


class _RunsOfShapes:
    """Finds columns of records of a few shapes."""

    def __init__(self, options: SparkOptions, columns: ShapedColumns, rows: Rows) -> None:
        self._names_of_tags = options.rowTag.encode(), options.attributePrefix.encode()
        self._columns = columns
        self._records = FlatRecords(AsWritten(options.rowTag.encode()), columns.paths, self._accepts, takes_nested=True)
        self._records.start()
        self._rows = rows

    @classmethod
    def make(cls, schema: pa.Schema, options: SparkOptions, rows: Rows) -> "_RunsOfShapes | None":
        """Return a finder of runs for the columns of `rows`; None where columns or options need elements."""
        if options.ignoreNamespace or options.excludeAttribute or options.rescuedDataColumn:
            return None
        if not options.attributePrefix or not _PLAIN_NAME.fullmatch(options.rowTag):
            return None
        try:
            columns = ShapedColumns(schema, options, rows)
        except NeedsElements:
            return None
        return cls(options, columns, rows) if columns.paths else None

    def _accepts(self, shape: Shape) -> bool:
        """Return whether the names of a shape are plain and distinct, and its values have their columns."""
        tag, prefix = self._names_of_tags
        inner = {element.path[-1] for element in shape.elements[1:]}
        attributes = [*shape.attributes.values()]
        return (
            all(_PLAIN_NAME.fullmatch(name.decode("latin-1")) for name in {*inner, *(name for _, name in attributes)})
            and len({*attributes}) == len(attributes)
            and not any(name[:5] == b"xmlns" for _, name in attributes)
            and tag not in inner
            and not any(name.startswith(prefix) for name in inner)
            and self._columns.accepts(shape)
        )

    def find(self, data: bytes) -> tuple[int, Columns] | None:
        """Return the size of the run that `data` begins with, and its columns; None if it is too short."""
        run = self._run(data)
        if run is None:
            return None
        text = data[: run.end]
        # Such text is surely correct, as far as can be seen without a parser.
        is_plain = text.isascii() and b"&" not in text and b"]]>" not in text and not text.translate(None, _ASCII)
        if not is_plain:
            # Parsers change carriage returns.
            good = _well_formed_size(text.partition(b"\r")[0], b"<r>", b"</r>")
            if good < run.end and (run := self._run(data[:good])) is None:  # its text ends before the fault
                return None
        self._rows.begin()
        columns = self._columns.arrays(run.columns)
        return None if self._rows.problems else (run.end, columns)

    def _run(self, data: bytes) -> FlatRun | None:
        try:
            run = self._records.run(data, 0) if self._records.is_on else None
        except (ValueError, OverflowError):  # bytes that are no UTF-8, or a reference to no character
            return None
        return run if run is not None and run.size >= _LEAST else None


class RunFinder:
    """Finds runs of records without errors, for which the native parser alone is enough."""

    # Well-formed records have the native parser's tree, and no errors. So columns are found without elements for
    # records of a few shapes, and otherwise in elements of the native parser.

    def __init__(self, schema: pa.Schema, options: SparkOptions, rows: Rows) -> None:
        self._shaped = _RunsOfShapes.make(schema, options, rows)
        name = re.escape(options.tag.removeprefix("{*}").encode())
        self._is_known = not options.ignoreNamespace
        self._start = re.compile(rb"<" + name + rb"(?=[\s/>])")
        self._end = re.compile(rb"</" + name + rb"[ \t\r\n]*>[ \t\r\n]*")

    def find(self, head: Head, data: bytes) -> tuple[int, Columns | list[Found]] | None:
        """Return the size of a run at the start of `data`, and its columns or elements; None if there is none."""
        if not self._is_known or head.has_doctype:  # which may have values of attributes that are not written
            return None
        return (self._shaped and self._shaped.find(data)) or self._elements(head, data)

    def _elements(self, head: Head, data: bytes) -> tuple[int, list[Found]] | None:
        """Return the size of a run, and its elements, each with the bytes of its record."""
        least = [found.end() for found in islice(self._end.finditer(data), _LEAST)]
        if len(least) < _LEAST or _well_formed_size(data[: least[-1]], head.before, head.after) < least[-1]:
            return None
        starts = [found.start() for found in self._start.finditer(data)]
        ends = [found.end() for found in self._end.finditer(data)]
        others = (data.find(mark) for mark in (b"<!", b"<?", b"xmlns"))
        limit = min([len(data), *(place for place in others if place >= 0)])
        # Up to a record that lacks its end tag, or has another in it.
        marks = zip(starts, ends, [*starts[1:], limit], strict=False)
        ends = [end for _, end, _ in takewhile(lambda mark: mark[0] < mark[1] <= min(mark[2], limit), marks)]
        good = _well_formed_size(data[: ends[-1]], head.before, head.after) if ends else 0
        size = max((end for end in ends if end <= good), default=0)
        starts = [start for start in starts if start < size]
        if len(starts) < _LEAST:
            return None
        try:
            parent = ElementTree.fromstring(b"%b%b%b" % (head.before, data[:size], head.after))
        except ElementTree.ParseError:
            return None
        for _ in head.after.split(b">")[2:]:
            parent = parent[0]
        texts = [parent.text, *(element.tail for element in parent)]
        if len(parent) != len(starts) or any(text and not text.isspace() for text in texts):
            return None  # there are other elements between them, or in them others of their name
        parts = [data[start:end].rstrip() for start, end in zip(starts, [*starts[1:], size], strict=True)]
        return size, list(zip(parent, starts, parts, strict=True))


def _well_formed_size(records: bytes, before: bytes, after: bytes) -> int:
    """Return how many bytes of records are well-formed among the tags around them."""
    parser = expat.ParserCreate("utf-8", " ")
    try:
        parser.Parse(b"%b%b%b" % (before, records, after), True)
    except expat.ExpatError:
        return min(max(parser.ErrorByteIndex - len(before), 0), len(records))
    return len(records)
