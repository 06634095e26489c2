"""The difference between two documents that are mostly equal, in memory that does not grow with them.

Where they differ, only a window of bounded size is searched for what they have in common again. `difflib` finds smaller
differences, but its time grows with the square of the number of lines, or with its cube where lines repeat.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

__all__ = ["Change", "changes", "differences", "lines_of", "unified"]

#: Lines or words of each document that are searched for equal ones where they differ.
_WINDOW: Final = 100
#: Equal lines or words in a row from which on it is taken that the two documents go on together.
_SURE: Final = 3
_CONTEXT: Final = 3


@dataclass(frozen=True, slots=True)
class Change:
    """Lines of two documents that stand for each other; `equal` where they are the same."""

    before: list[str]
    after: list[str]
    equal: bool


def lines_of(blocks: Iterable[str]) -> Iterator[str]:
    r"""The lines of a text that comes in parts; all but perhaps the last end in ``\n``."""
    rest: list[str] = []
    for block in blocks:
        *lines, last = block.split("\n")
        for line in lines:
            yield "".join([*rest, line, "\n"])
            rest = []
        if last:
            rest.append(last)
    if rest:
        yield "".join(rest)


class _Lines:
    """Lines that can be looked at before they are taken."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self._ahead: list[str] = []

    def look(self, count: int) -> list[str]:
        self._ahead += islice(self._lines, max(count - len(self._ahead), 0))
        return self._ahead[:count]

    def take(self, count: int) -> list[str]:
        taken, self._ahead = self._ahead[:count], self._ahead[count:]
        return taken


def changes(before: Iterable[str], after: Iterable[str]) -> Iterator[Change]:
    """What stands for what in two sequences of lines, in linear time; equal lines come one at a time."""
    old, new = _Lines(before), _Lines(after)
    while True:
        heads = old.look(1), new.look(1)
        if heads == ([], []):
            return
        if heads[0] == heads[1]:
            yield Change(old.take(1), new.take(1), True)
            continue
        skipped, new_skipped = _distance(old.look(_WINDOW), new.look(_WINDOW))
        yield Change(old.take(skipped), new.take(new_skipped), False)


def differences(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Where two sequences of words differ: start and end in one, start and end in the other; in ascending order."""
    start = new_start = done = 0
    while start < len(before) or new_start < len(after):
        if start < len(before) and new_start < len(after) and before[start] == after[new_start]:
            start, new_start = start + 1, new_start + 1
            continue
        skipped, new_skipped = _distance(before[start : start + _WINDOW], after[new_start : new_start + _WINDOW])
        back = 0
        if not skipped:
            back = _to_tag(after, new_start, new_skipped, start - done)
        elif not new_skipped:
            back = _to_tag(before, start, skipped, start - done)
        start, new_start = start + skipped, new_start + new_skipped
        done = start
        yield start - skipped - back, start - back, new_start - new_skipped - back, new_start - back


def _to_tag(words: Sequence[str], start: int, count: int, room: int) -> int:
    """How far back some words can be taken to begin with a tag where it is open which of equal words are the new ones.

    Of ``</b></a>``, where ``</a>`` was before, ``</b>`` is new, which reads better than ``b></``.
    """
    for first in range(start, start - min(count, room) - 1, -1):
        if words[first] == "<":
            return start - first
        if words[first - 1] != words[first - 1 + count]:
            break
    return 0


def _distance(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """How much of two windows that begin differently is to be passed over until they are equal.

    That is where most lines or words in a row are equal, or the nearest of several such places; the end of both where
    they have nothing in common.
    """
    places: dict[str, int] = {}
    for place, item in enumerate(after):
        places.setdefault(item, place)
    best = (0, -len(before) - len(after), len(before), len(after))
    for index, item in enumerate(before):
        if (new_index := places.get(item)) is not None:
            equal = _common(before[index : index + _SURE], after[new_index : new_index + _SURE])
            best = max(best, (equal, -index - new_index, index, new_index))
    return best[2:]


def _common(before: Iterable[str], after: Iterable[str]) -> int:
    """How many items at the beginning are equal."""
    count = 0
    for item, other in zip(before, after, strict=False):
        if item != other:
            break
        count += 1
    return count


def unified(pairs: Iterable[Change], name: str, new_name: str) -> Iterator[str]:
    """The lines of a unified diff; nothing where there is no difference."""
    hunk: list[str] = []
    context: deque[str] = deque(maxlen=_CONTEXT)
    old_line = new_line = old_start = new_start = old_count = new_count = quiet = 0
    titled = False

    def finished() -> Iterator[str]:
        nonlocal titled
        if not titled:
            titled = True
            yield f"--- {name}\n"
            yield f"+++ {new_name}\n"
        surplus = max(quiet - _CONTEXT, 0)
        kept = hunk[: len(hunk) - surplus]
        yield f"@@ -{_span(old_start, old_count - surplus)} +{_span(new_start, new_count - surplus)} @@\n"
        for line in kept:
            yield line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"

    for change in pairs:
        if change.equal and not hunk:
            context.append(change.before[0])
        elif change.equal:
            hunk.append(" " + change.before[0])
            old_count, new_count, quiet = old_count + 1, new_count + 1, quiet + 1
            if quiet > 2 * _CONTEXT:
                yield from finished()
                context.extend(line[1:] for line in hunk[-_CONTEXT:])
                hunk.clear()
        else:
            if not hunk:
                hunk.extend(" " + line for line in context)
                old_start, new_start = old_line - len(context), new_line - len(context)
                old_count = new_count = len(context)
                context.clear()
            hunk += ["-" + line for line in change.before] + ["+" + line for line in change.after]
            old_count, new_count, quiet = old_count + len(change.before), new_count + len(change.after), 0
        old_line, new_line = old_line + len(change.before), new_line + len(change.after)
    if hunk:
        yield from finished()


def _span(start: int, count: int) -> str:
    """A range of lines as a unified diff has it; `start` counts from 0."""
    return f"{start + 1 if count else start},{count}"
