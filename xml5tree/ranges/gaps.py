"""Checks that content between records changes no record.

A range is read without the bytes before it. Its records are those of `xml5tree.records` if there are only text and
whole tags, comments, CDATA sections and processing instructions between records, if no record affects its successors,
and if no earlier declaration is needed. Each range checks its own bytes, and reports doubts.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final

from xml5tree.ranges.extents import HIDING_ENDS

_NAME: Final = rb"[A-Za-z_\x80-\xff][^\s<>/:\"'=&;!?]*+(?::[A-Za-z_\x80-\xff][^\s<>/:\"'=&;!?]*+)?"
_ATTRIBUTES: Final = rb"((?>\s+[^\s<>/\"'=&;]+\s*=\s*(?:\"[^<\"]*\"|'[^<']*'))*+)"
_UNSEEN: Final = rb"<!--(?>[^-]++|-(?!-))*+-->|<\?(?![xX][mM][lL][\s?])(?>[^?]++|\?(?!>))*+\?>"
#: Text with predefined entities and references to characters, and without what may end a comment, a CDATA section or
#: an instruction that began before the range.
_TEXT: Final = re.compile(
    rb"(?>[^<>&]++|(?<!--)(?<!\]\])(?<!\?)>|&(?:amp|lt|gt|quot|apos|#[0-9]{1,16}+|#x[0-9A-Fa-f]{1,16}+);)*+"
)
#: Bytes that no such reference has.
_NO_REFERENCE: Final = 20
_HIDING: Final = re.compile(_UNSEEN + rb"|<!\[CDATA\[(?>[^\]]++|\](?!\]>))*+\]\]>")
#: White space, comments and instructions.
MISC: Final = rb"(?>\s++|" + _UNSEEN + rb")*+"
_AFTER_ROOT: Final = re.compile(MISC)
_ONLY_ENDS: Final = re.compile(rb"(?>\s++|" + _UNSEEN + rb"|</" + _NAME + rb"\s*+>)*+")
_DECLARATION: Final = re.compile(rb"\sxmlns[\s=:]")
_LESS: Final = ord("<")
_AMPERSAND: Final = ord("&")
_MALFORMED: Final = "what is between records is not well-formed"
#: Doubts by the bytes where they arise.
_DOUBTS: Final = {
    _LESS: _MALFORMED,
    _AMPERSAND: _MALFORMED,
    ord(">"): "a comment or the like seems to end between records that began long before",
}
#: Longest end tag, in bytes.
_LONGEST_END: Final = 2048
#: Longest construct that hides tags, in bytes; a range may begin in the middle of it.
_LONGEST_HIDING: Final = 1 << 16
_TAG: Final = re.compile(rb"<(/?)(" + _NAME + rb")" + _ATTRIBUTES + rb"\s*+(/?)>")


class Gaps:
    """Checks the content between the records of a range; all before the offset `place` is checked."""

    def __init__(
        self,
        name: bytes,
        around: Mapping[bytes, bool],
        start: int,
        *,
        is_first: bool,
        first: int,
        report: Callable[[int, str], None],
    ) -> None:
        """Begin at the offset `start` of a document.

        Args:
            name: the local name of records.
            around: see `xml5tree.ranges.heads.Head`.
            start: the offset, which may be inside a record.
            is_first: whether the content of the document begins there.
            first: the offset of the first record; all ranges know the declarations before it.
            report: called with an offset and a doubt in words.
        """
        self.place = start
        self._name = name
        self._outer_names = around
        self._root = next(iter(around), b"")
        self._has_all = is_first  # whether all open elements began between records checked here
        self._first = first
        self._may_be_inside = False  # whether the content may be inside a record that began earlier
        record_name = rb"(?:[^\s<>/:]{1,1024}:)?" + re.escape(name)
        record_end = b"</" + record_name + rb"\s*>"
        self._record_end = re.compile(record_end)
        self._end_or_hiding = re.compile(_HIDING.pattern + b"|(" + record_end + b")")
        self._tag_or_hiding = re.compile(_HIDING.pattern + b"|<(/?)" + record_name + rb"(?=[\s/>])([^<>]*+(?<=/)>)?")
        self._open: list[bytes] = []  # elements that began between the records
        self._is_synchronized = is_first
        self._knows_open = True  # whether each open element began between records, or is likely one around the first
        self._outer = (start, b"")  # the last record checked, with its offset
        self._report = report

    def check(self, data: bytearray, base: int, end: int, *, is_record: bool, is_end: bool, more: int) -> None:
        """Check the content between `place` and the offset `end`, in `data`, which begins at the offset `base`.

        `is_record`: a record begins at `end`. `is_end`: the document ends with the data. `more`: bytes to wait for if a
        construct is incomplete.
        """
        position, stop = self.place - base, end - base
        limit = stop if is_record else len(data)
        if position < stop and not self._is_synchronized:
            position = self._synchronize(data, position, stop)
        while position < stop:
            position = _TEXT.match(data, position, limit).end()  # type: ignore[union-attr]
            if position >= stop:
                break
            if hiding := _HIDING.match(data, position, limit):
                position = hiding.end()
            elif tag := _TAG.match(data, position, limit):
                self._see(tag, base, data, is_end)
                position = tag.end()
            else:
                first = data[position]
                longest = more if first == _LESS else _NO_REFERENCE if first == _AMPERSAND else 0
                if not (is_record or is_end) and len(data) - position < longest:
                    break  # more of the construct will come
                self._report(base + position, _DOUBTS[first])
                found = data.find(b"<", position + 1, stop)
                position = found if found >= 0 else stop
        self.place = max(self.place, base + position)

    def _synchronize(self, data: bytearray, position: int, stop: int) -> int:
        """Return the index of the end of a record that began earlier, or of the next tag; `stop` if there is none."""
        self._is_synchronized = True
        before = max(position - _LONGEST_HIDING, 0)
        for begin, end in HIDING_ENDS.items():
            opened = data.rfind(begin, before, position)
            if opened >= 0 and (closed := data.find(end, opened)) >= position:
                position = min(closed + len(end), stop)
        for straddling in self._record_end.finditer(data, max(position - _LONGEST_END, 0), position + _LONGEST_END):
            if straddling.start() < position <= straddling.end():
                return straddling.end()
        if not self._is_between(data, before, position):
            for found in self._end_or_hiding.finditer(data, position, stop):
                if found[1]:
                    return found.end()
            self._may_be_inside = True
        self._knows_open = False
        first = data.find(b"<", position, stop)
        self._is_synchronized = first >= 0
        return first if first >= 0 else stop

    def _is_between(self, data: bytearray, start: int, end: int) -> bool:
        """Return whether the tags of records that begin between two indices show that `end` is in no record."""
        depth = 0 if self.place <= self._first else None
        for tag in self._tag_or_hiding.finditer(data, start, end + _LONGEST_END):
            if tag.start() >= end:
                break
            if tag[1] is not None and not tag[2]:
                depth = max((depth or 0) + (-1 if tag[1] else 1), 0)
        return depth == 0

    def _see(self, tag: re.Match[bytes], base: int, data: bytearray, is_end: bool) -> None:
        slash, name, attributes, empty = tag.groups()
        place = base + tag.start()
        if place >= self._first and _DECLARATION.search(attributes):
            self._report(place, "namespaces are declared between records")
        if name.rpartition(b":")[2] == self._name:
            if slash and self._may_be_inside:  # the end of a record that began before the range
                self._may_be_inside = False
                self._open.clear()
                return
            self._report(place, "a tag with the name of records is none of a record")
        elif not slash:
            if not empty:
                self._open.append(name)
            if place >= self._first and self._outer_names.get(name):
                self._report(place, "an element of the name of one that declares namespaces for records begins")
        else:
            self._see_end(name, place, is_end, data, tag.end())

    def _see_end(self, name: bytes, place: int, is_end: bool, data: bytearray, after: int) -> None:
        begins_here = bool(self._open)
        if begins_here and self._open.pop() != name:
            self._report(place, "end tags between records do not match")
        if begins_here and not self._has_all:
            return
        if name == self._root and not self._open:
            if not (is_end and _AFTER_ROOT.fullmatch(data, after)):
                self._report(place, "the root element seems to end before the document does")
        elif self._outer_names.get(name):
            if not (is_end and _ONLY_ENDS.fullmatch(data, after)):
                self._report(place, "an element ends that declares namespaces for records")
        elif not begins_here and self._knows_open and name not in self._outer_names:
            self._report(place, "an end tag between records is of no element that is known to be open")

    def skip(self, start: int, data: bytes) -> None:
        self._is_synchronized = True
        if start + len(data) > self.place:
            self.place = start + len(data)
            self._outer = start, data
        elif self._outer[1].find(b"xmlns", 0, start - self._outer[0]) >= 0:
            self._report(start, "a record is in another one, which declares namespaces")
