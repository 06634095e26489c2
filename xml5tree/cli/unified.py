"""Unified diffs of a document and its repair."""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

__all__ = ["Change", "changed_lines", "unified"]

_CONTEXT: Final = 3


class Change(NamedTuple):
    """Corresponding lines of two documents; `equal` if they do not differ."""

    before: list[bytes]
    after: list[bytes]
    equal: bool


def changed_lines(parts: Iterable[tuple[bytes, bytes, bool]]) -> Iterator[Change]:
    """Yield pairs of corresponding lines, equal ones one at a time, of parts of documents that differ or not."""
    before: list[bytes] = []  # of the lines that have begun
    after: list[bytes] = []
    is_changed = False
    for old, new, differs in parts:
        if differs:
            before.append(old)
            after.append(new)
            is_changed = True
            continue
        lines = _lines(old)
        for line in lines:
            before.append(line)
            after.append(line)
            if not line.endswith(b"\n"):
                continue
            if is_changed:
                yield Change(_lines(b"".join(before)), _lines(b"".join(after)), False)
            else:
                whole = b"".join(before)
                yield Change([whole], [whole], True)
            before, after, is_changed = [], [], False
    rest, new_rest = _lines(b"".join(before)), _lines(b"".join(after))
    if rest or new_rest:
        yield Change(rest, new_rest, not is_changed)


def _lines(text: bytes) -> list[bytes]:
    *lines, last = text.split(b"\n")
    return [*(line + b"\n" for line in lines), *([last] if last else [])]


def _joined(changes: Iterable[Change]) -> Iterator[Change]:
    open_change: Change | None = None
    for change in changes:
        if change.equal:
            if open_change is not None:
                yield open_change
                open_change = None
            yield change
        elif open_change is None:
            open_change = Change([*change.before], [*change.after], False)
        else:
            open_change.before.extend(change.before)
            open_change.after.extend(change.after)
    if open_change is not None:
        yield open_change


def unified(changes: Iterable[Change], name: str, new_name: str) -> Iterator[bytes]:
    """Yield the lines of a unified diff; none where there is no difference."""
    hunk: list[bytes] = []
    context: deque[bytes] = deque(maxlen=_CONTEXT)
    old_line = new_line = old_start = new_start = old_count = new_count = quiet = 0
    titled = False

    def finished() -> Iterator[bytes]:
        nonlocal titled
        if not titled:
            titled = True
            yield f"--- {name}\n".encode()
            yield f"+++ {new_name}\n".encode()
        surplus = max(quiet - _CONTEXT, 0)
        kept = hunk[: len(hunk) - surplus]
        yield f"@@ -{_span(old_start, old_count - surplus)} +{_span(new_start, new_count - surplus)} @@\n".encode()
        for line in kept:
            yield line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"

    for change in _joined(changes):
        if change.equal and not hunk:
            context.append(change.before[0])
        elif change.equal:
            hunk.append(b" " + change.before[0])
            old_count, new_count, quiet = old_count + 1, new_count + 1, quiet + 1
            if quiet > 2 * _CONTEXT:
                yield from finished()
                context.extend(line[1:] for line in hunk[-_CONTEXT:])
                hunk.clear()
        else:
            if not hunk:
                hunk.extend(b" " + line for line in context)
                old_start, new_start = old_line - len(context), new_line - len(context)
                old_count = new_count = len(context)
                context.clear()
            hunk += [b"-" + line for line in change.before] + [b"+" + line for line in change.after]
            old_count, new_count, quiet = old_count + len(change.before), new_count + len(change.after), 0
        old_line, new_line = old_line + len(change.before), new_line + len(change.after)
    if hunk:
        yield from finished()


def _span(start: int, count: int) -> str:
    """Return a range of lines as a unified diff has it; `start` counts from 0."""
    return f"{start + 1 if count else start},{count}"
