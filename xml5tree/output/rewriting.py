"""Applies edits to the document's own bytes or characters."""

from collections.abc import Callable
from typing import Any

from xml5tree.editing import Edit
from xml5tree.errors.entry import ErrorEntry
from xml5tree.input.linebreaks import line_breaks, with_breaks
from xml5tree.output.composing import Change
from xml5tree.output.edits import Edits


class Rewriting:
    """Makes the edits of a document, and the document with them applied, in its encoding and with its line breaks.

    A document in an encoding that not every parser reads becomes UTF-8 as a whole.
    """

    def __init__(self, edits: Edits, take: Callable[[Edit], object]) -> None:
        """Take the edits as they are noted; `take` is called with each, in order."""
        self._edits = edits
        self._take = take
        self._converted: list[bytes] = []
        self._entries: list[ErrorEntry] = []
        self._before: Any = ""  # the last part of the document that is in the result as it was
        #: What was rewritten last: parts of the document, their replacements, and whether each is an edit.
        self.parts: list[tuple[Any, Any, bool]] = []

    def rewritten(self, markup: bytes, *, final: bool = False) -> Any:
        """Return the next part of the document, edited; `final` with the last of the markup.

        A document that becomes UTF-8 is one edit, so all of it comes last.
        """
        edits, original = self._edits, self._edits.original
        self.parts = []
        if edits.converts:
            return self._convert(markup, final=final)
        for change in edits.take(final=final):
            self._apply(change)
        rest = original.take(original.size if final else self._locate(edits.certain))
        self.parts.append((rest, rest, False))
        self._before = rest or self._before
        edits.forget()
        return rest[:0].join([new for _, new, _ in self.parts])

    def _apply(self, change: Change) -> None:
        original = self._edits.original
        begin = self._locate(change.begin)
        before = original.take(begin)
        end = original.locate(change.end)
        removed = original.take(end)
        replacement = change.markup
        if "\n" in replacement:
            encoding = self._edits.encoding
            text = removed if encoding is None else removed.decode(encoding, "replace")
            replacement = with_breaks(replacement, line_breaks(text))
        follows = self._encoded(replacement[:1]) or original.ahead(len(self._encoded("\n")))
        return_sign = self._encoded("\r")
        if follows == self._encoded("\n") and (before or self._before)[-len(return_sign) :] == return_sign:
            # The two would be one line break.
            replacement = "\n" + replacement
        replacement = self._encoded(replacement)
        self._before = before
        self.parts += (before, before, False), (removed, replacement, True)
        self._take(Edit(begin, end, replacement, change.entries, change.reason, removed))

    def _locate(self, offset: int) -> int:
        """Return the unit at which a change can begin; a change at the beginning may drop a byte order mark."""
        edits = self._edits
        return 0 if offset == 0 and edits.replaces_mark else edits.original.locate(offset)

    def _encoded(self, text: str) -> Any:
        encoding = self._edits.encoding
        return text if encoding is None else text.encode(encoding)

    def _convert(self, markup: bytes, *, final: bool) -> bytes:
        self._converted.append(markup)
        for change in self._edits.take(final=final):
            self._entries += change.entries
        self._edits.forget()
        if not final:
            return b""
        original = self._edits.original
        removed = original.take(original.size)
        replacement = b"".join(self._converted)
        self.parts.append((removed, replacement, True))
        self._take(Edit(0, original.size, replacement, tuple(self._entries), "encoding", removed))
        return replacement
