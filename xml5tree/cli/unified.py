"""Unified diffs of a document and its repair."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

_CONTEXT: Final = 3


def changed_lines(parts: Iterable[tuple[bytes, bytes, bool]]) -> Iterator[tuple[bytes, bytes]]:
    """Yield corresponding lines of two documents in parts that differ or not: equal ones one at a time."""
    before: list[bytes] = []  # of the lines that have begun
    after: list[bytes] = []
    for old, new, differs in parts:
        *lines, rest = [old] if differs else old.split(b"\n")
        for line in lines:
            yield b"".join([*before, line, b"\n"]), b"".join([*after, line, b"\n"])
            before, after = [], []
        before.append(rest)
        after.append(new if differs else rest)
    yield b"".join(before), b"".join(after)


def _marked(pairs: Iterable[tuple[bytes, bytes]]) -> Iterator[tuple[bytes, bytes]]:
    """Yield lines with their marks: " ", or "-" and then "+" for what is changed."""
    changed: dict[bytes, list[bytes]] = {b"-": [], b"+": []}
    for before, after in chain(pairs, [(b"", b"")]):
        if before != after or b"\n" in before[:-1]:
            for mark, text in ((b"-", before), (b"+", after)):
                *lines, last = text.split(b"\n")
                changed[mark] += [line + b"\n" for line in lines] + ([last] if last else [])
            continue
        for mark, lines in changed.items():
            yield from ((mark, line) for line in lines)
            lines.clear()
        if before:
            yield b" ", before


def unified(pairs: Iterable[tuple[bytes, bytes]], name: str, new_name: str) -> Iterator[bytes]:
    """Yield the lines of a unified diff, given those of `changed_lines`; none where there is no difference."""
    head = [f"--- {name}\n".encode(), f"+++ {new_name}\n".encode()]
    hunk: list[tuple[bytes, bytes]] = []
    starts = [0, 0]  # lines before the hunk, in both documents
    equal, is_changed = 0, False
    for mark, line in chain(_marked(pairs), [(b"", b"")]):
        equal = equal + 1 if mark == b" " else 0 if mark else equal
        is_changed |= mark in {b"-", b"+"}
        if mark:
            hunk.append((mark, line))
        if is_changed and (equal > 2 * _CONTEXT or not mark):
            end = len(hunk) - max(equal - _CONTEXT, 0)
            counts = [sum(mark != other for mark, _ in hunk[:end]) for other in (b"+", b"-")]
            spans = [f"{start + 1 if count else start},{count}" for start, count in zip(starts, counts, strict=True)]
            yield from head
            yield "@@ -{} +{} @@\n".format(*spans).encode()
            for mark, line in hunk[:end]:
                yield mark + (line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n")
            starts = [start + count for start, count in zip(starts, counts, strict=True)]
            head, is_changed = [], False
            del hunk[:end]
        if not is_changed and len(hunk) > _CONTEXT:
            starts = [start + len(hunk) - _CONTEXT for start in starts]
            del hunk[:-_CONTEXT]
