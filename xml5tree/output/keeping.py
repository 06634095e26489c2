"""Keeps encoding, byte order mark and line breaks."""

import re
from collections.abc import Callable
from typing import Final

from xml5tree.input.declaration import XMLDeclaration
from xml5tree.input.labels import family, find_encoding
from xml5tree.input.linebreaks import LineBreaks
from xml5tree.input.stream import InputStream, is_plain

#: Characters that may be written as U+FFFD, which encodings may lack: U+FFFD, and those that XML does not allow.
_SUBSTITUTED: Final = re.compile(b"[\0-\x08\x0b\x0c\x0e-\x1f]|\xef\xbf[\xbd-\xbf]")
#: The opening of a CDATA section.
_START_OF_SECTION: Final = "<![CDATA["
#: Beginnings of Python's names of the encodings that documents keep: expat and libxml2 both read them.
_KEPT: Final = ("utf-8", "utf-16", "iso8859-", "cp125", "koi8-")
#: The labels of these encodings that both parsers read; not both know others, such as ``latin-1`` and ``x-cp1252``.
_LABELS: Final = re.compile(
    "utf-16(?:le|be)?|iso[-_]?8859-[0-9]{1,2}|latin1|(?:cp|windows-)125[0-9]|koi8-[ru]", re.IGNORECASE
)


def may_keep(encoding: str) -> bool:
    """Return whether a repaired document keeps this encoding, by Python's name."""
    return encoding.startswith(_KEPT)


def label_of(encoding: str) -> str:
    """Return the registered name, which both parsers read, of an encoding that documents keep."""
    if encoding.startswith("utf-16"):
        return "utf-16"
    return encoding.replace("iso8859-", "iso-8859-").replace("cp125", "windows-125")


def next_substituted(utf8: bytes, place: int) -> int:
    """Return the first place in UTF-8, from `place` on, that may be written as U+FFFD; or the end."""
    if is_plain(utf8) and b"\xef\xbf\xbd" not in utf8:  # which takes a hundredth of the time
        return len(utf8)
    found = _SUBSTITUTED.search(utf8, place)
    return len(utf8) if found is None else found.start()


class Keeping:
    """The form that the markup of one document keeps. An encoding that not every parser reads becomes UTF-8."""

    def __init__(
        self, place: Callable[[], int | None], on_lost: Callable[[str], None] | None = None, *, as_text: bool
    ) -> None:
        """Begin; `place` returns the tokenizer's offset in the document, None in an entity.

        With `as_text`, the markup is text. `on_lost` is called with the encoding's name if it lacks a character;
        without `on_lost`, the markup is in UTF-8.
        """
        self._place = place
        self._on_lost = on_lost
        self._as_text = as_text
        self._breaks = self._read = LineBreaks()  # of the document, and of what is read of it: they differ by edits
        self._mark = ""
        self._has_returned = False  # whether what was written last ends in a carriage return
        self.stream: InputStream | None = None
        self.encoding: str | None = None  # Python's name of the markup's encoding, None for text
        self.lacks = False  # the encoding lacks characters
        self.at: int | None = None  # the offset of what is written next, None if it ends at the place of the tokenizer
        self._end: int | None = None  # the offset at which what is written next ends

    def begin(self, stream: InputStream) -> None:
        """Take the encoding that the stream has found, before its first characters are written."""
        self.stream = stream
        decoder = stream.decoder
        self._mark = "\ufeff" if stream.has_mark else ""
        if decoder is not None:
            keeps = self._on_lost is not None and may_keep(decoder.encoding)
            self.encoding = decoder.encoding if keeps else "utf-8"
            self.lacks = not self.encoding.startswith("utf-")
            if self.encoding.startswith("utf-16"):
                self._mark = "\ufeff"
            elif decoder.encoding != self.encoding:
                self._mark = ""

    def watch(self, stream: InputStream) -> None:
        stream.breaks = self._breaks

    def follow(self) -> tuple[LineBreaks, LineBreaks]:
        """Return the line breaks of the document, and those that what edits it has to take of what is read."""
        self._read = LineBreaks()
        return self._breaks, self._read

    @property
    def is_needed(self) -> bool:
        """Whether markup in UTF-8 with newlines has to be changed at all."""
        return self.lacks or self._breaks.kind not in {"", "\n"} or self._breaks.is_mixed

    @property
    def is_mixed(self) -> bool:
        """Whether line breaks of several kinds have been read, so that the markup needs each in its place."""
        return self._breaks.is_mixed

    def declaration(self, declared: XMLDeclaration | None) -> str | None:
        """Return the XML declaration that the markup needs, from that of the document; None for none."""
        encoding = self.encoding
        if encoding is None:
            return None if declared is None else declared.written(None)
        is_found = encoding.startswith(("utf-8", "utf-16"))  # without being declared
        label = label_of(encoding)
        if declared is None:
            return None if is_found else f'<?xml version="1.0" encoding="{label}"?>\n'
        if declared.encoding and encoding != "utf-8" and _LABELS.fullmatch(declared.encoding):
            named = find_encoding(declared.encoding)
            if named is not None and family(named) == family(encoding):
                label = declared.encoding
        return declared.written(label, needs_encoding=not is_found)

    # Input -----------------------------------------------------------------------------------------------------------

    def expect(self, length: int) -> None:
        """Note how many characters of the document are written next."""
        self._end = None if self.at is None else self.at + length

    def with_breaks(self, markup: str) -> str:
        """Return markup with the document's line breaks if they are mixed."""
        at, end = self.at, self._end
        if markup != _START_OF_SECTION:
            self.at = self._end = None
        if not self.is_mixed:
            return markup
        if "\n" in markup:
            if end is None:
                end = self._place() if at is None else at + len(markup)
            if end:
                breaks = self._read if self._read.is_mixed else self._breaks  # the XML declaration comes before edits
                markup = breaks.written(markup, end - len(markup), end)
        return self._joined(markup)

    def run_with_breaks(self, markup: bytes, source: bytes) -> bytes:
        """Return a clean run as `with_breaks` does; arguments as for `Markup.clean_run`."""
        if self.lacks and markup != source:  # values of attribute defaults
            markup = self.referring(markup.decode()).encode()
        if not self.is_mixed:
            return markup
        text, begin = markup.decode(), self._place()
        if "\n" in text and begin is not None:
            end = begin + (len(source) if source.isascii() else len(source.decode()))
            text = self._read.written(text, begin, end)
        return self._joined(text).encode()

    def with_equal_breaks(self, markup: bytes) -> bytes:
        """Return the markup of a step with the document's line breaks if they are equal so far."""
        kind = self._breaks.kind
        if markup and not self.is_mixed:
            if kind not in {"", "\n"}:
                markup = markup.replace(b"\n", kind.encode())
            self._has_returned = markup[-1:] == b"\r"
        return markup

    def _joined(self, markup: str) -> str:
        """Return markup that makes no line break with a carriage return before it."""
        if markup:
            if self._has_returned and markup[0] == "\n":
                markup = "\n" + markup
            self._has_returned = markup[-1] == "\r"
        return markup

    def has(self, text: str) -> bool:
        try:
            text.encode(self.encoding or "utf-8")
        except UnicodeEncodeError:
            return False
        return True

    def referring(self, markup: str) -> str:
        """Return text or a tag with references for characters that the encoding lacks."""
        encoding = self.encoding or "utf-8"
        return markup.encode(encoding, "xmlcharrefreplace").decode(encoding)

    def in_section(self, data: str) -> str:
        """Return the content of a CDATA section, interrupted for characters that the encoding lacks."""
        if self.has(data):
            return data
        return "".join([c if self.has(c) else f"]]>&#{ord(c)};{_START_OF_SECTION}" for c in data])

    def without_lacking(self, markup: str) -> str:
        """Return markup without references, such as a comment, with "?" for lacking characters."""
        if self.has(markup):
            return markup
        encoding = self.encoding or "utf-8"
        assert self._on_lost is not None
        self._on_lost(label_of(encoding))
        return markup.encode(encoding, "replace").decode(encoding)

    # Output ----------------------------------------------------------------------------------------------------------

    def encoded(self, markup: bytes) -> bytes | str:
        """Return the next markup, which is in UTF-8, in the encoding; the first with its byte order mark."""
        if markup and self._mark:
            markup = self._mark.encode() + markup
            self._mark = ""
        if self._as_text:
            return markup.decode()
        return markup if self.encoding in {None, "utf-8"} else markup.decode().encode(self.encoding or "utf-8")
