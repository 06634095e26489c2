"""Composes edits of a source with edits of the edited source."""

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from heapq import merge as merge_sorted
from operator import attrgetter, itemgetter
from typing import NamedTuple

from xml5tree.editing import Reason
from xml5tree.errors.entry import ErrorEntry, Found, entry_of


class Change(NamedTuple):
    """An edit of what was read; see `xml5tree.Edit`."""

    begin: int
    end: int
    markup: str
    entries: tuple[ErrorEntry, ...]
    reason: Reason


class First(NamedTuple):
    """An edit of the source: `begin` and `end` are offsets in the source, `offset` is that of `markup` behind it."""

    offset: int
    markup: str
    begin: int
    end: int
    found: list[Found]  # the errors behind it

    @property
    def stop(self) -> int:
        return self.offset + len(self.markup)


class Group(NamedTuple):
    """Edits of both kinds that touch each other, and so are one."""

    firsts: list[First]
    seconds: list[Change]

    @property
    def begin(self) -> int:
        """Where the group begins in the edited source."""
        return min([first.offset for first in self.firsts[:1]] + [second.begin for second in self.seconds[:1]])

    @property
    def end(self) -> int:
        return max([first.stop for first in self.firsts[-1:]] + [second.end for second in self.seconds[-1:]])


def groups(firsts: Iterable[First], seconds: Iterable[Change]) -> Iterator[Group]:
    """Yield edits of a source, and edits of the edited source, in groups that do not touch; both in order."""
    group = Group([], [])
    # At one offset, the first of the two kinds comes first.
    of_both: Iterator[First | Change] = merge_sorted(firsts, seconds, key=itemgetter(0))
    for edit in of_both:
        if (group.firsts or group.seconds) and edit[0] > group.end:
            yield group
            group = Group([], [])
        if isinstance(edit, First):
            group.firsts.append(edit)
        else:
            group.seconds.append(edit)
    if group.firsts or group.seconds:
        yield group


def merge(group: Group, shift: int, filename: str | None = None) -> Change:
    """Return one edit of the source for a group; `shift` is by how much the source is ahead before the group."""
    begin, end = group.begin, group.end
    # What is read instead of the source, and not replaced again, stays.
    pieces: list[str] = []
    place = begin  # in the edited source, up to which the markup is there
    seconds = deque(group.seconds)
    for first in [*group.firsts, None]:
        stop = end if first is None else first.stop
        while seconds and (first is None or seconds[0].begin <= stop):
            second = seconds.popleft()
            if first is not None:
                pieces.append(first.markup[max(place - first.offset, 0) : max(second.begin - first.offset, 0)])
            pieces.append(second.markup)
            place = second.end
        if first is not None and place < stop:
            pieces.append(first.markup[max(place - first.offset, 0) :])
            place = stop
    start, after = begin + shift, shift
    if group.firsts:
        if group.firsts[0].offset == begin:
            start = group.firsts[0].begin
        after = group.firsts[-1].end - group.firsts[-1].stop
    entries: dict[ErrorEntry, None] = {}
    for first in group.firsts:
        entries.update(dict.fromkeys(entry_of(found, filename) for found in first.found))
    for second in group.seconds:
        entries.update(dict.fromkeys(second.entries))
    reason = "error" if group.firsts else group.seconds[0].reason
    return Change(start, end + after, "".join(pieces), tuple(sorted(entries, key=attrgetter("offset"))), reason)


class Composer:
    """Composes the edits of one document while it is read."""

    def __init__(self, is_source: Callable[[int, int, str], bool], filename: str | None) -> None:
        """Begin; `is_source` returns whether a text is the source between two offsets."""
        self.certain = 0  # the offset in the source up to which all edits have been taken
        self._is_source = is_source
        self._filename = filename
        self._firsts: list[First] = []
        self._seconds: list[Change] = []
        self._shift = 0  # by how much the source is ahead before these

    def add(self, offset: int, markup: str, begin: int, end: int, found: list[Found]) -> None:
        """Take the next edit of the source; see `First`."""
        self._firsts.append(First(offset, markup, begin, end, found))

    def takes(self, found: Found) -> bool:
        """Have an error of the source as one of the edit that replaces its place; return False if none does."""
        index = bisect_right(self._firsts, found[-1], key=attrgetter("begin")) - 1
        is_replaced = index >= 0 and found[-1] < self._firsts[index].end
        if is_replaced:
            self._firsts[index].found.append(found)
        return is_replaced

    def take(self, changes: Iterable[Change], certain: int, *, final: bool) -> Iterator[Change]:
        """Take the next edits of the edited source, which are certain up to an offset; yield those of the source."""
        self._seconds += changes
        firsts = seconds = 0
        waiting = None
        for group in groups(self._firsts, self._seconds):
            if group.end >= certain and not final:
                waiting = group
                break
            change = merge(group, self._shift, self._filename)
            self._shift = change.end - group.end
            firsts += len(group.firsts)
            seconds += len(group.seconds)
            # Both kinds may leave the source as it is, as the second undo the first.
            is_of_bytes = any(second.reason == "encoding" for second in group.seconds)
            if is_of_bytes or not (group.firsts and self._is_source(change.begin, change.end, change.markup)):
                yield change
        del self._firsts[:firsts], self._seconds[:seconds]
        self.certain = certain + self._shift
        if waiting is not None and waiting.begin <= certain:
            self.certain = merge(waiting, self._shift).begin
