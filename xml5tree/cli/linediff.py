"""The difference between two documents that are mostly equal, line by line, in memory that does not grow with them."""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice
from typing import Final

__all__ = ["Change", "changes", "lines_of", "unified"]

#: Lines of each document that are compared at a time where they differ.
_WINDOW: Final = 100
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
    """What stands for what in two sequences of lines; equal lines come one at a time."""
    old, new = _Lines(before), _Lines(after)
    while True:
        heads = old.look(1), new.look(1)
        if heads == ([], []):
            return
        if heads[0] == heads[1]:
            yield Change(old.take(1), new.take(1), True)
            continue
        window = old.look(_WINDOW), new.look(_WINDOW)
        operations = SequenceMatcher(None, *window, autojunk=False).get_opcodes()
        last = max((index for index, operation in enumerate(operations) if operation[0] == "equal"), default=None)
        # What follows the last equal lines may go on beyond the window.
        for kind, start, end, new_start, new_end in operations if last is None else operations[: last + 1]:
            if kind == "equal":
                yield from (Change(old.take(1), new.take(1), True) for _ in range(start, end))
            else:
                yield Change(old.take(end - start), new.take(new_end - new_start), False)


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
