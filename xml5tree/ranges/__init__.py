"""Ranges: independent tasks read a large file's records.

A range is a span of bytes of a file. It has the records whose start tags begin in it, the last one to its end even
beyond the range. Every record is in exactly one range, however the file is cut, and reads the same in each: it depends
on the file and on the place of its start tag alone (see `xml5tree.ranges.extents`).
"""

from xml5tree.ranges.files import Range, split
from xml5tree.ranges.reading import RangeRecord, RangeRecords, read

__all__ = ["Range", "RangeRecord", "RangeRecords", "read", "split"]
