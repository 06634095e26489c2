"""The emitter, which writes well-formed markup."""

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from xml5tree.output.keeping import Keeping


_IN_TEXT: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"}
_TEXT_SPECIAL: Final = re.compile("[&<\r]|>(?<=]]>)")
_IN_REFERENCE: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;", "\n": "&#10;"})
_VALUE_SPECIAL: Final = re.compile('[&<"\t\n\r]')
_IN_VALUE: Final = str.maketrans({"&": "&amp;", "<": "&lt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"})
#: Markup up to the text after its last tag, comment and the like.
_UP_TO_TEXT: Final = re.compile(
    rb"""(?>[^<]*+(?><!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>|<(?>[^<>"']|"[^"]*"|'[^']*')*+>))*+""", re.DOTALL
)
#: Bytes at the beginning that lxml's parsers do not read before others follow.
_HEAD: Final = 4


class Markup:
    """Takes the tree from tree construction, in document order, and writes well-formed markup in UTF-8.

    What it takes can be represented in XML. `verbatim` is the source of a token where it may stand as it is, else None.
    """

    # For a reader that knows lines, newlines that a repair has removed are inserted into the next tag: `sourceline` of
    # lxml, the line where a start tag ends, is then that of the document. For people, what was removed leaves no empty
    # lines.

    __slots__ = ("_cdata", "_has_begun", "_keeping", "_keeps_lines", "_line", "_pieces", "_source_line", "_tail")

    def __init__(self, source_line: Callable[[], int], *, keeps_lines: bool = True) -> None:
        """Begin; `source_line` returns the current line of the document, on which tags are put if `keeps_lines`."""
        self._source_line = source_line
        self._keeps_lines = keeps_lines
        self._has_begun = False  # whether anything has been taken
        self._pieces: list[bytes] = []
        self._line = 1  # of the next character written
        self._tail = ""  # the last two characters written, where they are text that ends in "]"
        self._cdata: bool | None = None  # in a CDATA section: whether its start has been written
        self._keeping: Keeping | None = None

    def keep(self, keeping: "Keeping") -> None:
        self._keeping = keeping

    def take(self) -> bytes:
        """Return the markup since the last call; it ends between two tokens."""
        markup = b"".join(self._pieces)
        self._pieces.clear()
        if self._keeping is not None:
            markup = self._keeping.with_equal_breaks(markup)
        self._has_begun = self._has_begun or bool(markup)
        return markup

    def end_text(self) -> None:
        """Write the last character of an element's text as a reference, at which libxml2 passes the text on."""
        if self._cdata:
            self._write("]]>")
            self._cdata = False
        elif self._pieces:
            markup = b"".join(self._pieces)
            self._pieces = [_with_last_as_reference(markup)]
            self._tail = ""
            if not self._has_begun and len(markup) <= _HEAD:
                self._pieces.insert(0, b'<?xml version="1.0"?>')

    def _write(self, markup: str) -> None:
        self._line += markup.count("\n")
        self._tail = ""
        if self._keeping is not None:
            markup = self._keeping.with_breaks(markup)
        self._pieces.append(markup.encode())

    def at(self, offset: int) -> None:
        """Set the offset of the next text, white space, reference or comment, if not the tokenizer's."""
        if self._keeping is not None:
            self._keeping.at = offset

    def declaration(self, source: str, end: int) -> None:
        """Write the XML declaration, which comes first; the document's ends at `end`, 0 without one."""
        self.at(end - len(source))
        self._write(source)

    def start_tag(self, name: str, attributes: Iterable[tuple[str, str]], empty: bool, verbatim: str | None) -> None:
        """Open an element, and close it if `empty`; attributes include namespace declarations."""
        if verbatim is None:
            values = written_attributes(attributes)
            verbatim = f"<{name}{values}/>" if empty else f"<{name}{values}>"
        if self._keeping is not None and self._keeping.lacks:
            verbatim = self._keeping.referring(verbatim)
        self._write(self._with_missing_newlines(verbatim))

    def around(self, name: str, attributes: Iterable[tuple[str, str]]) -> None:
        """Open an element around the document, which has no tag there; the first token in it comes next."""
        self._write(f"<{name}{written_attributes(attributes)}>")

    def _with_missing_newlines(self, tag: str) -> str:
        """Return a tag with the newlines that the markup lacks to be on the document's line."""
        if not self._keeps_lines:
            return tag
        missing = self._source_line() - self._line - tag.count("\n")
        return insert_in_tag(tag, "\n" * missing) if missing > 0 else tag

    def end_tag(self, name: str, verbatim: str | None, *, closed_at: int | None = None) -> None:
        """Close the current element; `closed_at` is the offset of what closes it, if not its end tag."""
        if verbatim is None:
            verbatim = f"</{name}>"
        # A token that closes it may have newlines of its own.
        self._write(verbatim if closed_at is not None else self._with_missing_newlines(verbatim))

    def text(self, data: str) -> None:
        """Append text that stands in the document as it is."""
        if self._keeping is not None:
            self._keeping.expect(len(data))
        if self._cdata is not None:
            self._write_in_cdata(data)
            return
        if _TEXT_SPECIAL.search(data):
            data = _TEXT_SPECIAL.sub(lambda special: _IN_TEXT[special[0]], data)
        self._write_text(data)

    def reference(self, data: str, verbatim: str | None) -> None:
        """Append text that a reference stands for."""
        self._write_text(written_reference(data) if verbatim is None else verbatim)

    def substitute(self, data: str) -> None:
        """Append text without special characters, for the character at the offset set by `at`."""
        if self._cdata is None:
            self._write_text(data)
        else:
            self._write_in_cdata(data)

    def _write_text(self, markup: str) -> None:
        if self._keeping is not None and self._keeping.lacks:
            markup = self._keeping.referring(markup)
        # Where something between two texts was dropped, they must not make "]]>" together.
        tail = self._tail
        if tail and "]]>" in tail + markup[:2]:
            markup = markup.replace(">", "&gt;", 1)
        self._write(markup)
        if markup[-1:] == "]":
            self._tail = (tail + markup)[-2:]

    def cdata_start(self) -> None:
        """Begin a CDATA section; the following `text` belongs to it, up to `cdata_end`."""
        self._cdata = False

    def _write_in_cdata(self, data: str) -> None:
        if not self._cdata:
            self._write("<![CDATA[")
            self._cdata = True
        if self._keeping is not None and self._keeping.lacks:
            data = self._keeping.in_section(data)
        # Where a character between two texts was dropped, they must not end the section.
        tail = self._tail
        if tail and (end := (tail + data[:2]).find("]]>")) >= 0:
            place = end + 2 - len(tail)
            data = f"{data[:place]}]]><![CDATA[{data[place:]}"
        self._write(data)
        if data[-1:] == "]":
            self._tail = (tail + data)[-2:]

    def cdata_end(self) -> None:
        # A section without text is written, too: lxml's text of its element is empty (E11 of D-001).
        self._write_in_cdata("]]>")
        self._cdata = None

    def space(self, data: str, line: int) -> None:
        """Append white space outside the root element; it begins on `line` of the document."""
        # For people, white space that was alone on its lines before everything else leaves no lines.
        if self._has_begun or self._pieces or self._keeps_lines or line <= self._line:
            self._write(data)
        elif self._keeping is not None:
            self._keeping.at = None  # nothing is written for that place

    def can_append_verbatim(self) -> bool:
        """Return whether `clean_run` may be called here."""
        # Markup that has not begun must be on the document's line or a later one: white space may be left out, see
        # `space`.
        return self._has_begun or bool(self._pieces) or self._line >= self._source_line()

    def before_run(self) -> tuple[int, int, bool]:
        """Return how many newlines the markup lacks, and in how many brackets its text ends, at most two.

        Also return whether the markup of a run must have all newlines of the document.
        """
        missing = self._source_line() - self._line if self._keeps_lines else 0
        brackets = len(self._tail) - len(self._tail.rstrip("]"))
        return missing, brackets, self._keeping is not None and self._keeping.is_mixed

    def clean_run(
        self, markup: bytes, source: bytes, newlines: int, brackets: int, elements: list[Any] | None = None
    ) -> None:
        """Append clean content: text, tags and other constructs, each of them whole.

        `markup` is `source`, the next characters of the document, in UTF-8, with defaults added and errors repaired. It
        has so many newlines, and its text ends in so many brackets, at most two. `elements` are the notes on elements,
        see `Run`; None: there are none yet.
        """
        if self._keeping is not None:
            markup = self._keeping.run_with_breaks(markup, source)
        self._pieces.append(markup)
        self._tail = "]" * brackets
        self._line += newlines

    def comment(self, data: str, verbatim: str | None, *, length: int | None = None) -> None:
        """Append a comment; `length` is that in the document, where `at` was called."""
        if self._keeping is not None and length is not None:
            self._keeping.expect(length)
        self._write(self._without_lacking(f"<!--{data}-->" if verbatim is None else verbatim))

    def processing_instruction(self, target: str, data: str, verbatim: str | None) -> None:
        if verbatim is None:
            verbatim = f"<?{target} {data}?>" if data else f"<?{target}?>"
        self._write(self._without_lacking(verbatim))

    def doctype(
        self, name: str, public_id: str | None, system_id: str | None, verbatim: str | None, declarations: str = ""
    ) -> None:
        if verbatim is None or declarations:
            if public_id is not None:
                ids = f' PUBLIC "{public_id}" {_quoted(system_id or "")}'
            elif system_id is not None:
                ids = f" SYSTEM {_quoted(system_id)}"
            else:
                ids = ""
            verbatim = f"<!DOCTYPE {name}{ids} [{declarations}]>" if declarations else f"<!DOCTYPE {name}{ids}>"
        self._write(self._without_lacking(verbatim))
        if self._keeps_lines:  # the declarations, which are not written, leave their newlines
            self._write("\n" * (self._source_line() - self._line))

    def _without_lacking(self, markup: str) -> str:
        if self._keeping is None or not self._keeping.lacks:
            return markup
        return self._keeping.without_lacking(markup)


def written_attributes(attributes: Iterable[tuple[str, str]]) -> str:
    """Return attributes as written, each with a space before it."""
    return "".join([f' {name}="{written_value(value)}"' for name, value in attributes])


def written_value(value: str) -> str:
    """Return an attribute value as written between double quotes."""
    return value.translate(_IN_VALUE) if _VALUE_SPECIAL.search(value) else value


def written_reference(text: str) -> str:
    """Return the text of a reference as written in content."""
    return text.translate(_IN_REFERENCE)


def insert_in_tag(tag: str, markup: str) -> str:
    end = -2 if tag[-2] == "/" else -1
    return tag[:end] + markup + tag[end:]


def _with_last_as_reference(markup: bytes) -> bytes:
    """Return the markup with the last character of its text as a reference; unchanged if it ends otherwise."""
    if markup.endswith(b";") and markup.rfind(b"&") > markup.rfind(b";", 0, -1):
        return markup
    last_tag = markup.rfind(b"<")
    if markup.endswith(b">") and last_tag >= 0:
        text = 0 if markup.find(b">", last_tag, -1) < 0 else _UP_TO_TEXT.match(markup).end()  # type: ignore[union-attr]
        if not text or text == len(markup) or last_tag > text:
            return markup
    last = markup[-4:].decode("utf-8", "ignore")[-1]
    return b"%b&#%d;" % (markup[: -len(last.encode())], ord(last))


def _quoted(literal: str) -> str:
    return f"'{literal}'" if '"' in literal else f'"{literal}"'
