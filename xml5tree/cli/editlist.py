"""Edits as JSON, with sizes and hashes."""

import json
from base64 import b64encode
from collections.abc import Callable

import xml5tree
from xml5tree.editing import Edit
from xml5tree.options import Options, Settings


class Digest:
    """The size and the SHA-256 of data that comes in parts."""

    def __init__(self) -> None:
        from hashlib import sha256  # OpenSSL takes milliseconds to load, and few ask for a list

        self._hash = sha256()
        self._size = 0

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
