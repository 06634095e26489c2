"""Repaired markup in other encodings and line ends."""

import codecs
import re
from typing import Final

from xml5tree.input.declaration import XMLDeclaration, find_declaration
from xml5tree.input.labels import find_encoding
from xml5tree.output.keeping import Keeping, label_of, may_keep

#: The pieces of markup in which a character reference does not mean what it means in text.
_PIECE: Final = re.compile(
    r"(?P<cdata><!\[CDATA\[(?s:.*?)(?:\]\]>|\Z))"
    r"|(?P<comment><!--(?s:.*?)-->)"
    r"|(?P<instruction><\?(?P<target>[^\s?]+)(?s:.*?)\?>)"
    r"""|(?P<doctype><!DOCTYPE(?:[^>"']|"[^"]*"|'[^']*')*>)"""
    r"""|(?P<tag></?[^\s/>]+(?:[^>"']|"[^"]*"|'[^']*')*>)"""
)
_VALUE: Final = re.compile(r"""("[^"]*"|'[^']*')""")


def find_output_encoding(label: str) -> str | None:
    """Return Python's name of an encoding that `Encoder` takes; None if not every XML parser reads it."""
    encoding = find_encoding(label)
    return encoding if encoding is not None and (encoding == "ascii" or may_keep(encoding)) else None


class NotEncodable(Exception):
    """A name or identifier has characters that the encoding of the output does not have."""


class Encoder:
    """Encodes well-formed markup, which comes in parts that end between tokens, and declares the encoding.

    Characters that the encoding lacks become references. `altered` counts the comments and processing instructions with
    such characters, where a reference means nothing. UTF-16 gets a byte order mark. ASCII is declared as the UTF-8 that
    it is, which needs no declaration.
    """

    def __init__(self, encoding: str, newline: str = "\n") -> None:
        """Get ready; `encoding` is a name that `find_output_encoding` returns."""
        self._encoding = encoding
        self._is_utf8 = encoding in {"utf-8", "ascii"}
        self._label = "utf-8" if self._is_utf8 else label_of(encoding)
        self._keeping = Keeping(lambda: None, as_text=False)
        self._keeping.encoding = encoding
        self._has = self._keeping.has
        self._referring = self._keeping.referring
        self._codec = codecs.getincrementalencoder(encoding)("strict")
        self._has_all = encoding.startswith("utf-")
        self._mark = "\ufeff" if encoding.startswith("utf-16-") else ""  # Python's "utf-16" writes it itself
        self._newline = newline
        self._started = False
        self._in_cdata = False
        self.altered = 0

    @property
    def name(self) -> str:
        """The name of the encoding in messages."""
        return "ASCII" if self._encoding == "ascii" else self._label

    def encode(self, markup: str) -> bytes:
        """Encode the next part; raise `NotEncodable` for a name or identifier with a character that is lacking."""
        if markup and not self._started:
            self._started = True
            markup = self._mark + self._declared(markup)
        # Reading piece by piece takes ten times as long as the repair.
        may_end_in_cdata = self._in_cdata or markup.rfind("<![CDATA[") > markup.rfind("]]>")
        if not self._has_all and (may_end_in_cdata or not self._has(markup)):
            markup = self._with_references(markup)
        if self._newline != "\n":
            markup = markup.replace("\n", self._newline)
        return self._codec.encode(markup)

    def _declared(self, markup: str) -> str:
        """Return the beginning of the document with its encoding declared, where that is needed."""
        declaration = find_declaration(markup, final=True)
        if not isinstance(declaration, XMLDeclaration):
            return markup if self._is_utf8 else f'<?xml version="1.0" encoding="{self._label}"?>\n{markup}'
        return declaration.written(self._label, needs_encoding=not self._is_utf8) + markup[declaration.end :]

    def _with_references(self, markup: str) -> str:
        written, place = [], 0
        if self._in_cdata:
            end = markup.find("]]>")
            self._in_cdata = end < 0
            place = len(markup) if end < 0 else end + 3
            written.append(self._keeping.in_section(markup[:place]))
        for piece in _PIECE.finditer(markup, place):
            written.append(self._referring(markup[place : piece.start()]))
            place = piece.end()
            source = piece[0]
            if piece["cdata"]:
                self._in_cdata = not source.endswith("]]>")
                written.append(self._keeping.in_section(source))
            elif piece["comment"] or piece["instruction"]:
                self._checked(piece["target"] or "")
                self.altered += not self._has(source)
                written.append(self._referring(source))
            elif piece["doctype"]:
                written.append(self._checked(source))
            else:  # a tag: names, and between them values with their quotes
                parts = _VALUE.split(source)
                written += [
                    self._referring(part) if index % 2 else self._checked(part) for index, part in enumerate(parts)
                ]
        written.append(self._referring(markup[place:]))
        return "".join(written)

    def _checked(self, text: str) -> str:
        try:
            text.encode(self._encoding)
        except UnicodeEncodeError as error:
            raise NotEncodable(f"{self.name} does not have {text[error.start]!r}, which is in {text[:60]!r}") from None
        return text
