"""Edits as JSON, with sizes and hashes, and as unified diffs."""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, Final

import xml5tree
from xml5tree.editing import Edit
from xml5tree.options import Options, Settings

_CONTEXT: Final = 3


def read_edits(text: bytes) -> tuple[list[Edit], dict[str, str | int], dict[str, str | int]]:
    """Read a list of edits, and the digests of the document before and after them."""
    try:
        found = json.loads(text)
        edits = [
            Edit(int(it["begin"]), int(it["end"]), _bytes(it, "replacement"), (), it["reason"], _bytes(it, "original"))
            for it in found["edits"]
        ]
        return edits, found["before"], found["after"]
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError("it is no list of edits, as 'xml5tree repair --edits json' writes them") from error


def _bytes(edit: dict[str, Any], name: str) -> bytes:
    return b64decode(edit[f"{name}_base64"]) if f"{name}_base64" in edit else edit[name].encode()


class Digest:
    """The size and the SHA-256 of data that comes in parts."""

    def __init__(self, data: bytes = b"") -> None:
        from hashlib import sha256  # OpenSSL takes milliseconds to load, and few ask for a list

        self._hash = sha256(data)
        self._size = len(data)

    def take(self, data: bytes) -> None:
        self._hash.update(data)
        self._size += len(data)

    def as_dict(self) -> dict[str, str | int]:
        return {"bytes": self._size, "sha256": self._hash.hexdigest()}


class EditWriter:
    """Writes a list of edits, one to a line; `before` and `after` digest the document without and with them."""

    def __init__(self, write: Callable[[str], object], name: str, reading: Options) -> None:
        """Begin the list for the document called `name`, read with `reading`; `write` takes its text."""
        self._write = write
        self._has_edits = False
        self.before, self.after = Digest(), Digest()
        defaults = Settings._field_defaults
        named = ("dialect", "recovery")  # also where they are the defaults
        options = {name: value for name, value in reading.items() if name in named or value != defaults[name]}
        head = {"xml5tree": xml5tree.__version__, "document": name, "options": options}
        write(json.dumps(head, ensure_ascii=False, default=sorted)[:-1] + ', "edits": [')

    def add(self, edit: Edit) -> None:
        self._write(",\n" if self._has_edits else "\n")
        self._has_edits = True
        errors = [entry.as_dict() | {"column": entry.column + 1} for entry in edit.entries]
        for error in errors:
            del error["filename"]  # it is that of the document
        found = {
            "begin": edit.begin,
            "end": edit.end,
            **_as_json("original", edit.original),
            **_as_json("replacement", edit.replacement),
            "reason": edit.reason,
            "errors": errors,
        }
        self._write(json.dumps(found, ensure_ascii=False))

    def close(self, *, effect: str, truncated: bool) -> None:
        tail = {
            "effect": effect,
            "truncated": truncated,
            "before": self.before.as_dict(),
            "after": self.after.as_dict(),
        }
        self._write("\n], " + json.dumps(tail)[1:] + "\n")


def _as_json(name: str, data: bytes | str) -> dict[str, str]:
    assert isinstance(data, bytes)
    try:
        return {name: data.decode()}
    except UnicodeDecodeError:
        return {f"{name}_base64": b64encode(data).decode()}


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
