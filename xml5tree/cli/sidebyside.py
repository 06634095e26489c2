"""Document and repaired markup in parts, equal and changed, and in rows with errors; outlines of trees."""

import json
import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import pairwise, zip_longest
from typing import Any, Final, NamedTuple

from xml5tree.dialects import make_settings
from xml5tree.dialects.base import characters_of
from xml5tree.drive import drive
from xml5tree.errors.entry import ErrorEntry
from xml5tree.errors.faults import Fault
from xml5tree.errors.log import ParseError
from xml5tree.options import Options
from xml5tree.output.edits import Edits
from xml5tree.xml.limits import MARKUP_LIMITS

#: A line from this length on is taken apart after a tag.
_LONG: Final = 200
_WORD: Final = re.compile(r"&#?\w+;|\w+|\s+|.", re.DOTALL)
_LINE: Final = re.compile("[^\n]*\n|[^\n]+")
_CONTEXT: Final = 2
#: Lines of an outline that are shown; texts in an outline are shortened.
SHOWN_LINES: Final = 1500
_SHOWN_TEXT: Final = 120
#: Lines of outlines that are compared in their order.
_COMPARED: Final = 400


class Segment(NamedTuple):
    """A part of a document, with line breaks normalised, its markup, and whether the two differ."""

    before: str
    after: str
    is_changed: bool


def segments(blocks: Callable[[], Iterable[bytes | str]], reading: Options) -> Iterator[Segment]:
    """Yield the parts of a document, which `blocks` reads from its start; without a tree, they are changed."""
    dialect, settings = make_settings({**reading, "max_errors": 0})
    edits = Edits() if dialect.tells_edits else None
    pipeline = dialect.make_pipeline(settings, MARKUP_LIMITS, output_encoding="utf-8", for_tree=False, edits=edits)
    has_tree = True
    try:
        for markup in drive(pipeline, blocks()):
            for _ in markup:
                pass
            if edits is not None:
                yield from _next(edits)
    except ParseError:
        has_tree = False
    if edits is None or (not has_tree and not edits.original.end):
        for text, _ in characters_of(dialect.make_stream(settings), blocks()):
            yield Segment(text, text if has_tree else "", not has_tree)
    elif has_tree:
        yield from _next(edits, final=True)
    else:
        yield Segment(edits.original.characters(edits.certain, edits.original.end), "", True)


def _next(edits: Edits, *, final: bool = False) -> Iterator[Segment]:
    original, place = edits.original, edits.certain
    for change in edits.take(final=final):
        if place < change.begin:
            text = original.characters(place, change.begin)
            yield Segment(text, text, False)
        yield Segment(original.characters(change.begin, change.end), change.markup, True)
        place = change.end
    end = original.end if final else edits.certain
    if place < end:
        text = original.characters(place, end)
        yield Segment(text, text, False)
    edits.forget()


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a line: whether the other document differs there, and the numbers of the errors there."""

    text: str
    changed: bool = False
    errors: tuple[int, ...] = ()


@dataclass(slots=True)
class LinePair:
    """A line of the document beside its markup, or a part of a long line.

    Numbers of lines count from 1, and are None where a line is missing or goes on; `before` and `after` are None where
    there is nothing. `errors` has the numbers of the line's errors; `changed` says whether the two differ,
    or belong to a change of several lines, of which they may be one that is the same.
    """

    line: int | None
    new_line: int | None
    before: list[Span] | None
    after: list[Span] | None
    errors: list[int] = field(default_factory=list)
    changed: bool = False


@dataclass(frozen=True, slots=True)
class Gap:
    """Lines without an error, which are not shown: equal ones, or with errors that are left out."""

    lines: int


def _pieces(parts: Iterable[Segment]) -> Iterator[list[Segment]]:
    """Yield the lines of a document, long ones in parts that end after a tag."""
    piece: list[Segment] = []
    size = 0
    for before, after, is_changed in parts:
        if is_changed:
            for line, new_line in zip_longest(_LINE.findall(before), _LINE.findall(after), fillvalue=""):
                piece.append(Segment(line, new_line, True))
                size += len(line)
                if line.endswith("\n") or new_line.endswith("\n"):
                    yield piece
                    piece, size = [], 0
            continue
        start = 0
        while start < len(before):
            line_end = before.find("\n", start) + 1
            tag_end = before.find(">", start + max(_LONG - size, 0), line_end or len(before)) + 1
            end = tag_end or line_end or len(before)
            piece.append(Segment(before[start:end], before[start:end], False))
            size += end - start
            start = end
            if tag_end or line_end:
                yield piece
                piece, size = [], 0
    if piece:
        yield piece


class _Side:
    def __init__(self) -> None:
        self._line = 1
        self._goes_on = False
        self.offset = 0

    def number(self, piece: str) -> int | None:
        """Return the number of the line that a piece begins; None where it continues one."""
        number = None if self._goes_on else self._line
        self._goes_on = not piece.endswith("\n")
        self._line += not self._goes_on
        self.offset += len(piece)
        return number


def aligned(rows: Iterable[LinePair], *, is_all: bool = True) -> Iterator[LinePair | Gap]:
    """Yield the rows around errors and, if `is_all`, other changes, and gaps where others are left out."""
    held: deque[LinePair] = deque()  # equal lines that may be context of what follows
    left_out, after_change = 0, 0
    for row in rows:
        if (row.changed and is_all) or row.errors:
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


def rows_of(
    parts: Iterable[Segment], entries: Sequence[ErrorEntry | Fault], *, is_all: bool = True
) -> Iterator[LinePair]:
    """Yield rows; errors are numbered by their index in `entries`, which is in document order.

    If these are not all errors, a change need not belong to the one before it.
    """
    old, new = _Side(), _Side()
    next_entry, last_error = 0, None
    final: LinePair | None = None
    for piece in _pieces(parts):
        if final is not None:
            yield final
        start = old.offset
        before, after = ("".join(side) for side in zip(*(part[:2] for part in piece), strict=True))
        line = old.number(before) if before else None
        new_line = new.number(after) if after else None
        numbers = []
        while next_entry < len(entries) and entries[next_entry].offset < old.offset:
            numbers.append(next_entry)
            next_entry += 1
        places = [(entries[number].offset - start, number) for number in numbers]
        final = _row(line, new_line, piece, places, last_error)
        last_error = numbers[-1] if numbers and is_all else last_error
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
        yield LinePair(1, None, [Span("", True, tuple(rest))], None, rest, True)


def _row(
    line: int | None, new_line: int | None, piece: list[Segment], places: list[tuple[int, int]], last_error: int | None
) -> LinePair:
    """Return a row; `places` has column and number of each error, `last_error` the number of the error before."""
    columns, errors = [column for column, _ in places], [number for _, number in places]
    old: list[Span] = []
    new: list[Span] = []
    end = stop = 0  # of what has been read, and of the line but for its break
    for before, after, is_changed in piece:
        start, end = end, end + len(before)
        stop = start + len(before.rstrip("\n")) if before else stop
        inside = places[bisect_left(columns, start) : bisect_left(columns, stop)] if before else []
        old += _marked(before.rstrip("\n"), [(column - start, number) for column, number in inside], is_changed)
        of: tuple[int, ...] = ()
        if is_changed:
            # The last error that is not after the change, or else the first one of the line.
            near = max(bisect_right(columns, max(end, start + 1)) - 1, 0)
            error = errors[near] if errors else last_error
            of = () if error is None else (error,)
        new += [Span(after.rstrip("\n"), is_changed, of)] if after else []
    if at_end := errors[bisect_left(columns, stop) :]:
        old.append(Span("", True, tuple(at_end)))
    is_changed = any(part.is_changed for part in piece)
    return LinePair(line, new_line, old if end else None, new or None, errors, is_changed)


def _marked(text: str, places: list[tuple[int, int]], is_changed: bool) -> Iterator[Span]:
    """Yield a part of a line in parts: each error covers what follows it if that is changed, else a word."""
    errors: dict[int, list[int]] = {}
    edges = {0, len(text)}
    for column, number in places:
        errors.setdefault(column, []).append(number)
        word = None if is_changed else _WORD.match(text, column)
        edges |= {column, word.end() if word else column}
    for start, end in pairwise(sorted(edges)):
        yield Span(text[start:end], is_changed, tuple(errors.get(start, ())))


def outline(root: Any) -> Iterator[list[Any]]:
    """Yield the lines of a tree: depth, kind, text, and False, which `mark_differences` changes where trees differ.

    Comments and instructions are not in trees of ElementTree.
    """
    count = 0
    waiting: list[tuple[int, str, Any]] = [(0, "element", root)]
    while waiting:
        depth, kind, item = waiting.pop()
        count += 1
        if count > SHOWN_LINES:
            yield [0, "cut", "the rest of the tree is not shown", False]
            return
        if kind == "text":
            yield [depth, kind, shortened(item), False]
            continue
        attributes = (f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in item.items())
        yield [depth, kind, f"{item.tag} {shortened(' '.join(attributes))}".rstrip(), False]
        inside: list[tuple[int, str, Any]] = []
        if item.text and item.text.strip():
            inside.append((depth + 1, "text", item.text))
        for child in item:
            inside.append((depth + 1, "element", child))
            if child.tail and child.tail.strip():
                inside.append((depth + 1, "text", child.tail))
        waiting += reversed(inside)


def shortened(text: str) -> str:
    """Return a text in one line, its begin if it is long."""
    text = " ".join(text.split()) if text.strip() else text
    return text if len(text) <= _SHOWN_TEXT else f"{text[:_SHOWN_TEXT]}…"


def mark_differences(first: list[list[Any]], second: list[list[Any]]) -> None:
    """Mark the lines of two outlines that the other one does not have at this place and depth."""
    one, other = ([tuple(line[:3]) for line in lines] for lines in (first, second))
    if max(len(one), len(other)) > _COMPARED:
        for lines, others in ((first, {*other}), (second, {*one})):
            for line in lines:
                line[3] = tuple(line[:3]) not in others
        return
    for kind, start, end, other_start, other_end in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        for line in [*first[start:end], *second[other_start:other_end]]:
            line[3] = kind != "equal"
