"""Characters to tokens (L-030 to L-038)."""

# A token is read once it is complete, and processed before the next one (L-002). So the result does not depend on how
# the document is fed.

import re
from collections.abc import Callable
from typing import Final, Protocol
from unicodedata import is_normalized

from xml5tree.dialects.leafxml.characters import PADDING
from xml5tree.dialects.leafxml.content import ContentAssembly
from xml5tree.dialects.leafxml.escapes import find_stray, unescape
from xml5tree.dialects.leafxml.faults import Fault
from xml5tree.dialects.leafxml.places import Places
from xml5tree.dialects.leafxml.tags import read_tag

__all__ = ["Lexer", "TokenSink"]

# A text token, which may be empty, and a tag that is its own value: ASCII names, no escapes, no line breaks that XML
# 1.0 does not know, values without white space to compress. All repetitions are possessive: no backtracking.
_ASCII_NAME: Final = "[A-Za-z_:][A-Za-z0-9_:.\\-]*+"
_VALUE_RUN: Final = "[^{}<&\t\n\r \x85\u2028]++".format
_VALUE: Final = "|".join(f"{quote}(?:{_VALUE_RUN(quote)}(?: {_VALUE_RUN(quote)})*+)?+{quote}" for quote in "\"'")
_PLAIN_TAG: Final = re.compile(
    f"([^<]*+)<(?:({_ASCII_NAME})((?:[ \t\n]++{_ASCII_NAME}=(?:{_VALUE}))*+)[ \t\n]*+(/?+)>|/({_ASCII_NAME})[ \t\n]*+>)"
)
_PLAIN_ATTRIBUTE: Final = re.compile('[ \t\n]++([^=]++)="([^"]*+)"')
_PLAIN_ATTRIBUTE_IN_QUOTES: Final = re.compile("[ \t\n]++([^=]++)=(\"[^\"]*+\"|'[^']*+')")

_CDATA: Final = "<![CDATA["
_COMMENT: Final = "<!--"
_DOCTYPE: Final = "<!DOCTYPE"


class TokenSink(Protocol):
    """Takes the tokens: tree construction, or a recorder. Only padding is allowed while `outside` is True."""

    outside: bool

    def characters(self, data: str) -> None:
        """Take a content assembly, decoded and normalised; never an empty one."""

    def start_tag(self, name: str, attributes: dict[str, str], empty: bool, source: str, plain: bool) -> None:
        """Take a start or empty tag; if `plain`, every XML parser reads its source alike."""

    def end_tag(self, name: str) -> None: ...

    def end_of_file(self) -> None: ...


#: Returns for each chunk after an incomplete token whether to read the token again.
_Waiting = Callable[[str], bool]


class _Spans:
    """Finds the end of a tag or DOCTYPE token, outside of quotes (L-031, L-037)."""

    def __init__(self, stops: str) -> None:
        self._stops = stops
        self._spans = re.compile(f"(?:[^{re.escape(stops)}\"']++|\"[^\"]*+\"|'[^']*+')*+")
        self._stop = re.compile(f"[{re.escape(stops)}\"']")

    def find(self, text: str, index: int) -> int:
        """Return the index of the first stop from `index` on, or -1."""
        found = self._spans.match(text, index)
        assert found is not None  # the pattern matches everywhere
        end = found.end()
        return end if end < len(text) and text[end] in self._stops else -1

    def waiting(self, text: str) -> _Waiting:
        """Return a function that searches for a stop in the chunks after a token's beginning."""
        quote = ""

        def has_stop(piece: str) -> bool:
            nonlocal quote
            index = 0
            while True:
                if quote:
                    index = piece.find(quote, index) + 1
                    if not index:
                        return False
                found = self._stop.search(piece, index)
                quote = found[0] if found else ""
                if found is None or quote in self._stops:
                    return found is not None
                index = found.end()

        has_stop(text)
        return has_stop


_IN_TAG: Final = _Spans(">")
_IN_DOCTYPE: Final = _Spans(">[]")


def _waiting_for(sequence: str, text: str) -> _Waiting:
    """Return a function that searches for a sequence in the chunks after `text`, also across edges."""
    overlap = 1 - len(sequence)
    tail = text[overlap:] if overlap else ""

    def has_sequence(piece: str) -> bool:
        nonlocal tail
        seam = tail + piece
        tail = seam[overlap:] if overlap else ""
        return sequence in seam

    return has_sequence


def _waiting_for_anything(piece: str) -> bool:
    return True


def _plain_attributes(source: str) -> dict[str, str] | None:
    """Return the attributes of a plain tag; None if one is given twice."""
    if "'" in source:
        found = [(name, value[1:-1]) for name, value in _PLAIN_ATTRIBUTE_IN_QUOTES.findall(source)]
    else:
        found = _PLAIN_ATTRIBUTE.findall(source)
    attributes = dict(found)
    return attributes if len(attributes) == len(found) else None


class Lexer:
    """Splits a document into tokens.

    `start` and `end` are the indices of the current token in the text that `Places` has; they are equal while it is
    incomplete. A `Fault` that a method raises has an index within the token. `padding_line` is the line where the last
    padding outside the root element begins.
    """

    def __init__(self, sink: TokenSink, places: Places, *, forbid_dtd: bool = False) -> None:
        self.start = 0
        self.end = 0
        self.padding_line = 1
        self._sink = sink
        self._places = places
        self._forbid_dtd = forbid_dtd
        self._content = ContentAssembly(sink.characters)
        self._text = ""
        self._pieces: list[str] = []  # chunks after the text
        self._is_worth_it: _Waiting = _waiting_for_anything
        self._has_tag = False
        self._has_doctype = False

    @property
    def token_offset(self) -> int:
        return self._places.offset(self.start)

    def place(self) -> int:
        """Return the offset of the current token's end, or of the next token."""
        return self._places.offset(self.end)

    def feed(self, text: str, error: tuple[str, str] | None, *, final: bool) -> None:
        """Take the next characters, `final` with the last ones; an invalid sequence after them is given as `error`."""
        # `error` has its code and detail; it is the fault then, whatever the incomplete token has.
        if text:
            self._pieces.append(text)
        if final or error or (text and self._is_worth_it(text)):
            self._load()
            self._run(final and not error)
        if error:
            self.start = len(self._text)
            raise Fault(error[0], 0, error[1])
        if final:
            self.end_content()
            self.start = self.end
            self._sink.end_of_file()

    def end_content(self) -> None:
        self._content.end()

    def _load(self) -> None:
        self._text = "".join([self._text[self.end :], *self._pieces])
        self._places.load(self._text, self.end)
        self._pieces.clear()
        self.end = 0

    def _run(self, final: bool) -> None:
        text, size = self._text, len(self._text)
        while (start := self.end) < size:
            plain = _PLAIN_TAG.match(text, start)
            if plain is not None:
                self._plain_tag(plain)
            elif text[start] != "<":
                end = text.find("<", start)
                if end < 0 and not final:
                    self._is_worth_it = _waiting_for("<", "")
                    return
                self._take(end if end >= 0 else size)
                self._begin_content()
                self._content.add(self._decode_text(text[start : self.end]))
            else:
                waiting = self._markup(final)
                if waiting is not None:
                    self._is_worth_it = waiting
                    return
        self._is_worth_it = _waiting_for_anything

    def _take(self, end: int) -> None:
        """Make the text from the current token to `end` the current token."""
        self.start, self.end = self.end, end

    def _begin_content(self) -> None:
        if self._sink.outside and self._content.is_empty:
            self.padding_line = self._places.line(self.start)

    def _decode_text(self, source: str) -> str:
        """Return the characters of a text token (L-022, L-041)."""
        data = unescape(source) if "&" in source else source
        if self._sink.outside and data.strip(PADDING):
            raise Fault("stray-content", find_stray(source))
        return data

    def _plain_tag(self, match: re.Match[str]) -> None:
        """Process a match of `_PLAIN_TAG`, and the text token before it."""
        text, name, attributes_source, solidus, end_name = match.groups()
        sink = self._sink
        if text:
            self._take(match.end(1))
            self._begin_content()
            text = self._decode_text(text)
        self._take(match.end())
        self._content.end(text)
        self._has_tag = True
        if name is None:
            sink.end_tag(end_name)
            return
        source = self._text[self.start : self.end]
        attributes = _plain_attributes(attributes_source) if attributes_source else {}
        if attributes is not None and (source.isascii() or is_normalized("NFC", source)):
            sink.start_tag(name, attributes, bool(solidus), source, True)
        else:
            self._tag(source)

    def _markup(self, final: bool) -> _Waiting | None:
        """Process a token that begins with ``<``; return what to wait for if it is incomplete (L-030, L-036)."""
        text, start = self._text, self.end
        self.start = start
        second = text[start + 1 : start + 2]
        if second == ">":
            raise Fault("missing-tag-name", 0)
        if second == "?":
            return self._sequence("<?", "?>", final, "eof-in-processing-instruction")
        if second == "!":
            if text.startswith(_COMMENT, start):
                return self._sequence(_COMMENT, "-->", final, "eof-in-comment")
            if text.startswith(_CDATA, start):
                return self._sequence(_CDATA, "]]>", final, "eof-in-cdata")
            if text.startswith(_DOCTYPE, start):
                return self._doctype(final)
            beginning = text[start : start + len(_DOCTYPE)]
            if final or not any(opening.startswith(beginning) for opening in (_COMMENT, _CDATA, _DOCTYPE)):
                raise Fault("invalid-markup-declaration", 0)
            return _waiting_for_anything
        if not second and not final:
            return _waiting_for_anything
        end = _IN_TAG.find(text, start + 1)
        if end < 0:
            if final:
                raise Fault("eof-in-tag", 0)
            return _IN_TAG.waiting(text[start:])
        self._take(end + 1)
        self._content.end()
        self._has_tag = True
        self._tag(text[start : end + 1])
        return None

    def _tag(self, source: str) -> None:
        tag = read_tag(source)
        if tag.is_end:
            self._sink.end_tag(tag.name)
        else:
            self._sink.start_tag(tag.name, tag.attributes, tag.is_empty, source, False)

    def _sequence(self, opening: str, closing: str, final: bool, eof_code: str) -> _Waiting | None:
        """Process a token that ends with the first closing sequence (L-032, L-034, L-035)."""
        content = self.start + len(opening)
        end = self._text.find(closing, content)
        if end < 0:
            if final:
                raise Fault(eof_code, 0)
            return _waiting_for(closing, self._text[content:])
        self._take(end + len(closing))
        if opening == _CDATA:
            data = self._text[content:end]
            padding = data.lstrip(PADDING) if self._sink.outside else ""
            if padding:
                raise Fault("stray-content", len(opening) + len(data) - len(padding))
            self._begin_content()
            self._content.add(data)
        return None

    def _doctype(self, final: bool) -> _Waiting | None:
        """Process a DOCTYPE token (L-037, L-038)."""
        end = _IN_DOCTYPE.find(self._text, self.start + len(_DOCTYPE))
        if end < 0:
            if final:
                raise Fault("eof-in-doctype", 0)
            return _IN_DOCTYPE.waiting(self._text[self.start :])
        if self._text[end] != ">":
            raise Fault("doctype-internal-subset", end - self.start)
        self._take(end + 1)
        if self._forbid_dtd:
            raise Fault("doctype-forbidden", 0)
        if self._has_doctype:
            raise Fault("duplicate-doctype", 0)
        if self._has_tag:
            raise Fault("misplaced-doctype", 0)
        self._has_doctype = True
        return None
