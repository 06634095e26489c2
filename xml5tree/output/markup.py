"""The production emitter: the tree as well-formed markup, for a native parser to read."""

import re
from collections.abc import Callable, Iterable
from typing import Final, Protocol

__all__ = ["Emitter", "Markup", "insert_in_tag", "written_attributes"]

_IN_TEXT: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"}
_TEXT_SPECIAL: Final = re.compile("[&<\r]|>(?<=]]>)")
_IN_REFERENCE: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;", "\n": "&#10;"})
_VALUE_SPECIAL: Final = re.compile('[&<"\t\n\r]')
_IN_VALUE: Final = str.maketrans({"&": "&amp;", "<": "&lt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"})


class Emitter(Protocol):
    """What tree construction tells about the tree, in document order.

    Everything is representable in XML when it arrives here. `raw` is the source of the thing where it can stand as it
    is, else None.
    """

    def start_tag(self, name: str, attributes: Iterable[tuple[str, str]], empty: bool, raw: str | None) -> None:
        """Open an element (qualified name, attributes with the namespace declarations); `empty`: and close it."""

    def end_tag(self, name: str, raw: str | None) -> None:
        """Close the current element."""

    def text(self, data: str) -> None:
        """Append text that stands in the document as it is."""

    def reference(self, data: str, raw: str | None) -> None:
        """Append text that a reference stands for."""

    def cdata_start(self) -> None:
        """Begin a CDATA section; the text up to its end is its."""

    def cdata_end(self) -> None:
        """End the CDATA section."""

    def space(self, data: str) -> None:
        """White space outside the root element."""

    def is_in_step(self) -> bool:
        """Whether what is written next stands on the line that it has in the document, if it is as in the document.

        It is asked right before a clean stretch is appended.
        """

    def clean_stretch(self, markup: bytes, length: int) -> None:
        """Append content that is free of errors: text, whole constructs, tags; what comes next is one of these.

        In UTF-8, it is what the next `length` characters of the document are, but for attribute defaults.
        """

    def comment(self, data: str, raw: str | None) -> None:
        """Append a comment, inside or outside the root element."""

    def processing_instruction(self, target: str, data: str, raw: str | None) -> None:
        """Append a processing instruction, inside or outside the root element."""

    def doctype(self, name: str, public_id: str | None, system_id: str | None, raw: str | None) -> None:
        """Append the DOCTYPE."""


class Markup:
    """Writes well-formed, namespace-well-formed markup, in UTF-8.

    What needs no repair is written as it stands in the document. Lines are kept: newlines that a repair swallows are
    paid back inside the next tag, so that `sourceline` of lxml, the line on which a start tag ends, is that of the
    document.
    """

    __slots__ = ("_cdata", "_line", "_pieces", "_source_line", "_surplus", "_tail")

    def __init__(self, source_line: Callable[[int], int]) -> None:
        """Begin with nothing.

        Args:
            source_line: tells the line of the document (from 1) so many characters after what has been read.
        """
        self._source_line = source_line
        self._pieces: list[bytes] = []
        self._line = 1  # of the next character written
        self._surplus = 0  # lines that it was ahead of the document when that was last looked at
        self._tail = ""  # the last two characters written, where they are text that ends in "]"
        self._cdata: bool | None = None  # in a CDATA section: whether its start has been written

    def take(self) -> bytes:
        """What has been written since the last call; it ends between two tokens."""
        markup = b"".join(self._pieces)
        self._pieces.clear()
        return markup

    def _write(self, markup: str) -> None:
        self._pieces.append(markup.encode())
        self._line += markup.count("\n")
        self._tail = ""

    def declaration(self, source: str) -> None:
        """Write the XML declaration, which must come first."""
        self._write(source)

    def start_tag(self, name: str, attributes: Iterable[tuple[str, str]], empty: bool, raw: str | None) -> None:
        """See `Emitter`."""
        if raw is None:
            values = written_attributes(attributes)
            raw = f"<{name}{values}/>" if empty else f"<{name}{values}>"
        self._write(self._with_debt(raw))

    def _with_debt(self, tag: str) -> str:
        """A tag with the newlines that have been swallowed before its end."""
        debt = self._source_line(0) - self._line - tag.count("\n")
        return insert_in_tag(tag, "\n" * debt) if debt > 0 else tag

    def end_tag(self, name: str, raw: str | None) -> None:
        """See `Emitter`."""
        if raw is None:
            raw = f"</{name}>"
        self._write(self._with_debt(raw))

    def text(self, data: str) -> None:
        """See `Emitter`."""
        if self._cdata is not None:
            self._write_in_cdata(data)
            return
        if _TEXT_SPECIAL.search(data):
            data = _TEXT_SPECIAL.sub(lambda special: _IN_TEXT[special[0]], data)
        self._write_text(data)

    def reference(self, data: str, raw: str | None) -> None:
        """See `Emitter`."""
        self._write_text(data.translate(_IN_REFERENCE) if raw is None else raw)

    def _write_text(self, markup: str) -> None:
        # What was dropped between two texts must not leave "]]>" behind.
        tail = self._tail
        if tail and "]]>" in tail + markup[:2]:
            markup = markup.replace(">", "&gt;", 1)
        self._write(markup)
        if markup[-1:] == "]":
            self._tail = (tail + markup)[-2:]

    def cdata_start(self) -> None:
        """See `Emitter`."""
        self._cdata = False

    def _write_in_cdata(self, data: str) -> None:
        if not self._cdata:
            self._write("<![CDATA[")
            self._cdata = True
        self._write(data)

    def cdata_end(self) -> None:
        """See `Emitter`; a section without text is not written (E11 of D-001)."""
        if self._cdata:
            self._write("]]>")
        self._cdata = None

    def space(self, data: str) -> None:
        """See `Emitter`."""
        self._write(data)

    def is_in_step(self) -> bool:
        """See `Emitter`; nor must text have been written that "]]>" could come of."""
        self._surplus = self._line - self._source_line(0)
        return self._surplus >= 0 and not self._tail

    def clean_stretch(self, markup: bytes, length: int) -> None:
        """See `Emitter`."""
        self._pieces.append(markup)
        self._tail = markup[-2:].decode("ascii", "replace") if markup.endswith(b"]") else ""
        self._line = self._source_line(length) + self._surplus

    def comment(self, data: str, raw: str | None) -> None:
        """See `Emitter`."""
        self._write(f"<!--{data}-->" if raw is None else raw)

    def processing_instruction(self, target: str, data: str, raw: str | None) -> None:
        """See `Emitter`."""
        if raw is None:
            raw = f"<?{target} {data}?>" if data else f"<?{target}?>"
        self._write(raw)

    def doctype(self, name: str, public_id: str | None, system_id: str | None, raw: str | None) -> None:
        """See `Emitter`; the newlines of the declarations are paid back behind it."""
        if raw is None:
            if public_id is not None:
                ids = f' PUBLIC "{public_id}" {_quoted(system_id or "")}'
            elif system_id is not None:
                ids = f" SYSTEM {_quoted(system_id)}"
            else:
                ids = ""
            raw = f"<!DOCTYPE {name}{ids}>"
        self._write(raw)
        self._write("\n" * (self._source_line(0) - self._line))


def written_attributes(attributes: Iterable[tuple[str, str]]) -> str:
    """Attributes, each with the space before it."""
    return "".join(
        [
            f' {name}="{value.translate(_IN_VALUE) if _VALUE_SPECIAL.search(value) else value}"'
            for name, value in attributes
        ]
    )


def insert_in_tag(tag: str, markup: str) -> str:
    """A tag with something more before its end."""
    end = -2 if tag[-2] == "/" else -1
    return tag[:end] + markup + tag[end:]


def _quoted(literal: str) -> str:
    return f"'{literal}'" if '"' in literal else f'"{literal}"'
