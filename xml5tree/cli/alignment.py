"""A document beside its repaired markup: what stands where in both, and which error each difference belongs to."""

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from typing import Final

from xml5tree.cli.linediff import Change, changes, differences, lines_of
from xml5tree.errors.entry import ErrorEntry
from xml5tree.errors.faults import Fault

__all__ = ["Gap", "Row", "Span", "aligned", "pieces_of"]

#: Lines from this length on are taken apart after each tag.
_LONG: Final = 400
#: Lengths up to which two lines are compared word by word.
_COMPARED: Final = 4000
_WORD: Final = re.compile(r"&#?\w+;|\w+|\s+|.", re.DOTALL)
_CONTEXT: Final = 2


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a line.

    Attributes:
        text: the characters.
        changed: whether the other document has something else there.
        errors: numbers of the errors that are there.
    """

    text: str
    changed: bool = False
    errors: tuple[int, ...] = ()


@dataclass(slots=True)
class Row:
    """A line of the document and what stands for it in the markup, or a part of a long line.

    Attributes:
        line, new_line: their numbers, from 1; None where there is none, or where a line goes on.
        before, after: their parts; None where there is none.
        errors: numbers of the errors in the line.
        changed: whether the two differ.
    """

    line: int | None
    new_line: int | None
    before: list[Span] | None
    after: list[Span] | None
    errors: list[int] = field(default_factory=list)
    changed: bool = False


@dataclass(frozen=True, slots=True)
class Gap:
    """Lines that are not shown: equal, and without an error."""

    lines: int


def pieces_of(blocks: Iterable[str]) -> Iterator[str]:
    """The lines of a text, long ones in parts that end after a tag."""
    for line in lines_of(blocks):
        if len(line) < _LONG:
            yield line
        else:
            yield from (piece + ">" for piece in line.split(">")[:-1])
            if last := line.rpartition(">")[2]:
                yield last


class _Side:
    """How far one of the documents has been read."""

    def __init__(self) -> None:
        self._line = 1
        self._goes_on = False
        self.offset = 0

    def number(self, piece: str) -> int | None:
        """The number of the line that a piece begins; None where it goes on with one."""
        number = None if self._goes_on else self._line
        self._goes_on = not piece.endswith("\n")
        self._line += not self._goes_on
        self.offset += len(piece)
        return number


def aligned(
    before: Iterable[str], after: Iterable[str], entries: Sequence[ErrorEntry | Fault], *, whole: bool
) -> Iterator[Row | Gap]:
    """What stands beside what.

    Args:
        before: the pieces of the document.
        after: the pieces of the markup.
        entries: the errors in document order; their numbers in this sequence are those of the rows.
        whole: whether all lines are wanted, or only those around errors and differences.

    Yields:
        Rows, and gaps where lines are left out.
    """
    rows = _rows(changes(before, after), entries)
    if whole:
        yield from rows
        return
    held: deque[Row] = deque()  # equal lines that may be context of what follows
    left_out, after_change = 0, 0
    for row in rows:
        if row.changed or row.errors:
            if left_out:
                yield Gap(left_out)
            yield from held
            held.clear()
            left_out, after_change = 0, _CONTEXT
            yield row
        elif after_change:
            after_change -= 1
            yield row
        else:
            held.append(row)
            if len(held) > _CONTEXT:
                held.popleft()
                left_out += 1
    if left_out or held:
        yield Gap(left_out + len(held))


def _rows(pairs: Iterable[Change], entries: Sequence[ErrorEntry | Fault]) -> Iterator[Row]:
    old, new = _Side(), _Side()
    next_entry, last_error = 0, None
    final: Row | None = None
    for change in pairs:
        for before, after in zip_longest(change.before, change.after):
            if final is not None:
                yield final
            start = old.offset
            line = None if before is None else old.number(before)
            new_line = None if after is None else new.number(after)
            numbers = []
            while next_entry < len(entries) and entries[next_entry].offset < old.offset:
                numbers.append(next_entry)
                next_entry += 1
            places = [(entries[number].offset - start, number) for number in numbers]
            final = _row(line, new_line, before, after, places, last_error)
            last_error = numbers[-1] if numbers else last_error
    rest = list(range(next_entry, len(entries)))
    if final is not None:
        if rest:  # errors at the end of the document
            final.errors += rest
            final.before = [*(final.before or []), Span("", True, tuple(rest))]
            if final.after is not None:
                final.after = [
                    Span(span.text, True, (rest[0],)) if span.changed and not span.errors else span
                    for span in final.after
                ]
        yield final
    elif rest:
        yield Row(1, None, [Span("", True, tuple(rest))], None, rest, True)


def _row(
    line: int | None,
    new_line: int | None,
    before: str | None,
    after: str | None,
    places: list[tuple[int, int]],
    last_error: int | None,
) -> Row:
    """A row; `places` has column and number of each error, `last_error` is the number of the one before."""
    errors = [number for _, number in places]
    if before is not None and before == after:
        return Row(line, new_line, _marked(before, [], places), [Span(before.rstrip("\n"))], errors)
    changed = _changed(before or "", after or "")
    row = Row(line, new_line, None, None, errors, True)
    if before is not None:
        row.before = _marked(before, [(start, end) for start, end, _, _ in changed if start < end], places)
    if after is not None:
        columns = [column for column, _ in places]
        row.after, done = [], 0
        for start, end, new_start, new_end in changed:
            # The last error that is not after the change, or else the first one of the line.
            near = max(bisect_right(columns, max(end, start + 1)) - 1, 0)
            error = errors[near] if errors else last_error
            row.after.append(Span(after[done:new_start]))
            row.after.append(Span(after[new_start:new_end], True, () if error is None else (error,)))
            done = new_end
        row.after.append(Span(after[done:]))
        row.after = [Span(s.text.rstrip("\n"), s.changed, s.errors) for s in row.after if s.text]
    return row


def _changed(before: str, after: str) -> list[tuple[int, int, int, int]]:
    """Where two lines differ: start and end in one, start and end in the other."""
    if max(len(before), len(after)) > _COMPARED:
        return _difference_in_the_middle(before, after)
    words, new_words = _WORD.findall(before), _WORD.findall(after)
    starts, new_starts = _starts(words), _starts(new_words)
    return [
        (starts[start], starts[end], new_starts[new_start], new_starts[new_end])
        for start, end, new_start, new_end in differences(words, new_words)
    ]


def _starts(words: list[str]) -> list[int]:
    """Where each word begins, and where the last one ends."""
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word))
    return starts


def _difference_in_the_middle(before: str, after: str) -> list[tuple[int, int, int, int]]:
    """The stretch between what two lines have in common at their ends."""
    shorter = min(len(before), len(after))
    head = next((index for index in range(shorter) if before[index] != after[index]), shorter)
    room = shorter - head
    tail = next((index for index in range(room) if before[-1 - index] != after[-1 - index]), room)
    return [(head, len(before) - tail, head, len(after) - tail)]


def _marked(text: str, changed: list[tuple[int, int]], places: list[tuple[int, int]]) -> list[Span]:
    """A line of the document in parts: a mark for each error, reaching over what is changed at its place.

    Args:
        text: the line.
        changed: start and end of what the markup has otherwise, in ascending order; none is empty.
        places: column and number of each error.
    """
    text = text.rstrip("\n")
    starts = [start for start, _ in changed]

    def is_changed(column: int) -> bool:
        index = bisect_right(starts, column) - 1
        return index >= 0 and column < changed[index][1]

    errors: dict[int, list[int]] = {}
    for column, number in places:
        errors.setdefault(min(column, len(text)), []).append(number)
    edges = {0, len(text), *errors}
    for start, end in changed:
        edges |= {min(start, len(text)), min(end, len(text))}
    for column in errors:
        if not is_changed(column):
            word = _WORD.match(text, column)
            edges.add(word.end() if word else column)
    spans = [
        Span(text[start:end], is_changed(start), tuple(errors.get(start, ()))) for start, end in pairwise(sorted(edges))
    ]
    if len(text) in errors:  # at the end of the line
        spans.append(Span("", True, tuple(errors[len(text)])))
    return spans
