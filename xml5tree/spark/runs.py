"""Finds runs of error-free records, which are read faster."""

import re
from collections.abc import Mapping, Sequence
from itertools import islice, takewhile
from typing import Any, Final
from xml.etree import ElementTree
from xml.parsers import expat

import pyarrow as pa

from xml5tree.accelerator import compiled
from xml5tree.ranges.heads import Head
from xml5tree.spark.columns import RecordColumns
from xml5tree.spark.names import Names
from xml5tree.spark.options import SparkOptions
from xml5tree.spark.rows import Rows

__all__ = ["Columns", "Found", "RunFinder"]

#: The values of the columns of some rows, perhaps as arrays.
Columns = Mapping[str, Sequence[Any] | pa.Array]
#: The element of a record, where it begins in its run, and its bytes.
Found = tuple[ElementTree.Element, int, bytes]

#: Least number of records in a run. Where runs are shorter, it takes less time to read all records together.
_LEAST: Final = 16
#: Elements in each other, in a document in which no errors are looked for by the compiled scan.
_LEVELS: Final = 1000


class RunFinder:
    """Finds runs of records without errors, for which the native parser alone is enough."""

    # Well-formed records have the native parser's tree, and no errors. So columns are found without elements, or in
    # elements of the native parser.

    def __init__(self, schema: pa.Schema, options: SparkOptions) -> None:
        self._schema = schema
        self._options = options
        self._columns: RecordColumns | None = None
        self._head: Head | None = None  # that of the columns
        name = re.escape(options.tag.removeprefix("{*}").encode())
        self._is_known = not options.ignoreNamespace
        self._start = re.compile(rb"<" + name + rb"(?=[\s/>])")
        self._end = re.compile(rb"</" + name + rb"[ \t\r\n]*>[ \t\r\n]*")

    def find(self, head: Head, data: bytes) -> tuple[int, Columns | list[Found]] | None:
        """Return the size of a run at the start of `data`, and its columns or elements; None if there is none."""
        if not self._is_known or head.has_doctype:  # which may have values of attributes that are not written
            return None
        if head is not self._head:
            self._head = head
            names = Names(head.namespaces, local=False)
            rows = Rows(self._schema, self._options, names)
            self._columns = RecordColumns.make(self._schema, self._options, rows, names)
        starts, size = self._extent(head, data)
        if len(starts) < _LEAST:
            return None
        document = b"%b%b%b" % (head.before, data[:size], head.after)
        columns = None if self._columns is None else self._columns.find(document, len(starts))
        if columns is not None:
            return size, columns
        found = self._elements(head, data, document, starts, size)
        return None if found is None else (size, found)

    def _extent(self, head: Head, data: bytes) -> tuple[list[int], int]:
        """Return where the records of a run begin, and its size."""
        least = [found.end() for found in islice(self._end.finditer(data), _LEAST)]
        if len(least) < _LEAST or _well_formed_size(data[: least[-1]], head.before, head.after) < least[-1]:
            return [], 0
        starts = [found.start() for found in self._start.finditer(data)]
        ends = [found.end() for found in self._end.finditer(data)]
        # Parsers change carriage returns; declarations, comments and instructions may hide tags, or have other names.
        others = (data.find(mark) for mark in (b"<!-", b"<!D", b"<?", b"xmlns", b"\r"))
        limit = min([len(data), *(place for place in others if place >= 0)])
        # Up to a record that lacks its end tag, or has another in it.
        marks = zip(starts, ends, [*starts[1:], limit], strict=False)
        ends = [end for _, end, _ in takewhile(lambda mark: mark[0] < mark[1] <= min(mark[2], limit), marks)]
        good = _well_formed_size(data[: ends[-1]], head.before, head.after) if ends else 0
        size = max((end for end in ends if end <= good), default=0)
        return [start for start in starts if start < size], size

    def _elements(self, head: Head, data: bytes, document: bytes, starts: list[int], size: int) -> list[Found] | None:
        """Return the elements of a run, each with the bytes of its record."""
        try:
            parent = ElementTree.fromstring(document)
        except ElementTree.ParseError:
            return None
        for _ in head.after.split(b">")[2:]:
            parent = parent[0]
        texts = [parent.text, *(element.tail for element in parent)]
        if len(parent) != len(starts) or any(text and not text.isspace() for text in texts):
            return None  # there are other elements between them, or in them others of their name
        parts = [data[start:end].rstrip() for start, end in zip(starts, [*starts[1:], size], strict=True)]
        return list(zip(parent, starts, parts, strict=True))


def _is_clean(document: bytes) -> bool:
    """Return whether a document is known to be well-formed."""
    try:
        document.decode()
    except UnicodeDecodeError:
        return False
    return compiled is not None and compiled.has_error(document, 0, len(document), _LEVELS, False) is False


def _well_formed_size(records: bytes, before: bytes, after: bytes) -> int:
    """Return how many bytes of records are well-formed among the tags around them."""
    document = b"%b%b%b" % (before, records, after)
    if _is_clean(document):
        return len(records)
    parser = expat.ParserCreate("utf-8", " ")
    try:
        parser.Parse(document, True)
    except expat.ExpatError:
        return min(max(parser.ErrorByteIndex - len(before), 0), len(records))
    return len(records)
