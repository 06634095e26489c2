"""Ranges: the records of a large file, read by several tasks that do not know of each other.

A range is a number of bytes of a file. It has the records whose start tags begin in it, the last of them with what is
after the end of the range. Every record is in exactly one range, however the file is cut, and reads the same in each:
what it is depends on the file and on the place of its start tag alone (see `xml5tree.ranges.extents`).
"""

from xml5tree.ranges.files import Range, split
from xml5tree.ranges.reading import RangeRecord, RangeRecords, read

__all__ = ["Range", "RangeRecord", "RangeRecords", "read", "split"]
