"""Edits of a repair, which can be applied and undone."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, overload

from xml5tree.documents import text_or_bytes
from xml5tree.errors.entry import ErrorEntry

#: Why a document is changed.
Reason = Literal["error", "declaration", "doctype", "encoding", "roots", "depth", "value"]


class Edit(NamedTuple):
    """A change of a document, which replaces a part of it.

    Attributes:
        begin: where the part begins, in bytes, or characters of a `str`.
        end: where it ends.
        replacement: the new text, of the type of the document.
        entries: the errors that it repairs.
        reason: ``"error"``; ``"declaration"``: an XML declaration is added; ``"encoding"``: the declared encoding
            changes; ``"doctype"``: declarations are expanded; ``"roots"``: an element is put around the document;
            ``"depth"``: elements are nested too deep (an edit before it has the entry); ``"value"``: XML
            would read white space in an attribute value of MicroXML as spaces.
        original: the old text.
    """

    begin: int
    end: int
    replacement: bytes | str
    entries: tuple[ErrorEntry, ...]
    reason: Reason
    original: bytes | str


@overload
def apply(document: str, edits: Iterable[Edit]) -> str: ...
@overload
def apply(document: bytes | bytearray | memoryview, edits: Iterable[Edit]) -> bytes: ...
def apply(document: bytes | bytearray | memoryview | str, edits: Iterable[Edit]) -> bytes | str:
    """Return the document with `edits` applied, all or some of its edits, in document order.

    Raises `ValueError` if the edits are those of another document, are not in order, or overlap.
    """
    data: Any = text_or_bytes(document)
    pieces: list[Any] = []
    place = 0
    for edit in map(_checked, edits):
        if not place <= edit.begin <= edit.end <= len(data):
            raise ValueError(f"the edit at {edit.begin} is not behind the one before it, or not in the document")
        if data[edit.begin : edit.end] != edit.original:
            raise ValueError(
                f"these are edits of another document: what stands at {edit.begin} is not what one replaces"
            )
        pieces += (data[place : edit.begin], edit.replacement)
        place = edit.end
    result: bytes | str = data[:0].join([*pieces, data[place:]])
    return result


def invert(edits: Sequence[Edit]) -> list[Edit]:
    """Return the edits that undo `edits`, which are in document order."""
    found = []
    shift = 0
    for edit in map(_checked, edits):
        begin = edit.begin + shift
        end = begin + len(edit.replacement)
        found.append(Edit(begin, end, edit.original, edit.entries, edit.reason, edit.replacement))
        shift += len(edit.replacement) - len(edit.original)
    return found


def _checked(edit: object) -> Edit:
    if not isinstance(edit, Edit):
        raise TypeError(f"an Edit expected, not {type(edit).__name__}")
    return edit
