"""Characters to tokens (L-030 to L-038)."""

# A token is read once it is complete, and processed before the next one (L-002). So the result does not depend on how
# the document is fed.

import re
from bisect import bisect_left
from collections.abc import Callable
from typing import Final, Protocol
from unicodedata import is_normalized

from xml5tree.dialects.leafxml.characters import PADDING, has_safe_characters, nfc, normalize_line_breaks
from xml5tree.dialects.leafxml.escapes import find_stray, unescape
from xml5tree.dialects.leafxml.faults import Fault
from xml5tree.dialects.leafxml.tags import read_tag
from xml5tree.errors.log import ParseError
from xml5tree.errors.reporter import Reporter
from xml5tree.input.lookahead import Lookahead
from xml5tree.machine.quotes import OutsideQuotes

#: The pattern of a quoted value that stands for itself but for its references: no line breaks that XML 1.0 does not
#: know, no white space to compress. No pattern backtracks.
_WORDS: Final = "(?: ?+[^{0}<&\t\n\r \x85\u2028][^{0}<&\t\n\r \x85\u2028]*+)*+".format
_QUOTED: Final = "{0}(?! ){1}(?> ?+&(?:amp|lt|gt|apos|quot);{1})*+{0}".format
VALUE: Final = "(?:{})".format("|".join(_QUOTED(mark, _WORDS(mark)) for mark in "\"'"))
_ASCII_NAME: Final = "[A-Za-z_:][A-Za-z0-9_:.\\-]*+"
_S: Final = r"[\t\n ]"
_PLAIN_TAG: Final = re.compile(f"<{_ASCII_NAME}(?>{_S}++{_ASCII_NAME}{_S}*+={_S}*+{VALUE})*+{_S}*+/?+>")

_TAG_START: Final = re.compile("<")
_CDATA: Final = "<![CDATA["
_COMMENT: Final = "<!--"
_DOCTYPE: Final = "<!DOCTYPE"


class TokenSink(Protocol):
    """Takes the tokens: tree construction, or a recorder. Only padding is allowed while `outside` is True."""

    outside: bool

    def content(self, data: str) -> None:
        """Take a content assembly, decoded and normalised; never an empty one."""

    def start_tag(self, name: str, attributes: dict[str, str], empty: bool, source: str, verbatim: str | None) -> None:
        """Take a start or empty tag; `verbatim` is its source if every XML parser reads that alike, else None."""

    def end_tag(self, name: str) -> None: ...

    def end_of_file(self, offset: int) -> None: ...


class Lexer:
    """Splits a document into tokens.

    `start` and `end` are the indices of the current token in the text; they are equal while it is incomplete. A `Fault`
    that the sink raises has an index within the token. `padding_line` is the line where the last padding outside the
    root element begins. `copy_flat`, given a text, an index and its offset, writes the flat elements there, and returns
    their end.
    """

    copy_flat: Callable[[str, int, int], int] | None = None

    def __init__(self, sink: TokenSink, reporter: Reporter, *, forbid_dtd: bool = False) -> None:
        self.start = 0
        self.end = 0
        self.padding_line = 1
        self._sink = sink
        self._reporter = reporter
        self._forbid_dtd = forbid_dtd
        # Text and CDATA since the last tag; line breaks and normal form cross their edges.
        self._content: list[str] = []
        # The text keeps the document's line breaks, as some cross the edges of tokens. Offsets count CR LF as one.
        self._text = ""
        self._base = 0  # the offset of the text's first character
        self._pairs: list[int] = []  # the indices of CR LF in the text
        self._may_be_flat = False  # whether the text may have flat elements that can be copied
        self._lookahead = Lookahead()
        self._has_tag = False
        self._has_doctype = False
        self._refusal: ParseError | None = None

    def offset(self, index: int) -> int:
        """Return the offset of an index in the text, never within CR LF."""
        return self._base + index - (bisect_left(self._pairs, index) if self._pairs else 0)

    @property
    def token_offset(self) -> int:
        return self.offset(self.start)

    def place(self) -> int:
        """Return the offset of the current token's end, or of the next token."""
        return self.offset(self.end)

    def line(self) -> int:
        """Return the line of that offset."""
        return self._reporter.locator.line(self.offset(self.end))

    def feed(self, text: str, error: tuple[str, str] | None, *, final: bool) -> None:
        """Take the next characters, `final` with the last ones; an invalid sequence after them is given as `error`.

        Raise `ParseError` for the one error of a document (L-001), again for each later chunk.
        """
        if self._refusal is not None:
            raise self._refusal
        try:
            if self._lookahead.add(text) or final or error:
                self._load()
                self._run(final and not error)
            if error:  # whatever the incomplete token has
                self.start = len(self._text)
                raise Fault(error[0], 0, error[1])
            if final:
                self._end_content()
                self.start = self.end
                self._sink.end_of_file(self.token_offset)
        except Fault as fault:
            self._end_content()
            self._refusal = self._reporter.refuse(fault.code, self.offset(self.start + fault.index), *fault.detail)
            raise self._refusal from None

    def _end_content(self) -> None:
        """Pass on the text between two tags (L-020, L-021, L-042)."""
        data = "".join(self._content)
        self._content.clear()
        if data:
            self._sink.content(nfc(normalize_line_breaks(data)))

    def _load(self) -> None:
        self._base = self.offset(self.end)
        self._text = lines = self._lookahead.take()
        self._pairs.clear()
        self.end = 0
        if "\r" in lines:
            self._pairs = [found.start() for found in re.finditer("\r\n", lines)]
            lines = lines.replace("\r\n", "\n").replace("\r", "\n")
        self._reporter.advance(self._base, lines)
        self._may_be_flat = self.copy_flat is not None and lines is self._text and has_safe_characters(lines)

    def _run(self, final: bool) -> None:
        text, size = self._text, len(self._text)
        copy_flat = self.copy_flat if self._may_be_flat else None
        while (start := self.end) < size:
            if copy_flat is not None and not self._content:
                self.end = start = copy_flat(text, start, self._base + start)
                if start == size:
                    break
            if text[start] != "<":
                end = text.find("<", start)
                if end < 0 and not final:
                    self.start = start
                    self._wait(_TAG_START)
                    return
                self._take(end if end >= 0 else size)
                self._begin_content()
                self._content.append(self._decode_text(text[start : self.end]))
            elif not self._markup(final):
                return

    def _take(self, end: int) -> None:
        """Make the text from the current token to `end` the current token."""
        self.start, self.end = self.end, end

    def _begin_content(self) -> None:
        if self._sink.outside and not self._content:
            self.padding_line = self._reporter.locator.line(self.token_offset)

    def _decode_text(self, source: str) -> str:
        """Return the characters of a text token (L-022, L-041)."""
        data = unescape(source) if "&" in source else source
        if self._sink.outside and data.strip(PADDING):
            raise Fault("stray-content", find_stray(source))
        return data

    def _wait(self, until: re.Pattern[str] | Callable[[str], bool] | None = None) -> bool:
        """Hold the incomplete token back as `Lookahead.hold` does; return False."""
        self._lookahead.hold(self._text[self.start :], until)
        return False

    def _markup(self, final: bool) -> bool:
        """Process a token that begins with ``<``; return False if it is incomplete (L-030, L-036)."""
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
            return self._wait()
        if not second and not final:
            return self._wait()
        search = OutsideQuotes(">")  # L-031
        end = search.find(text, start + 1, len(text))
        if end < 0:
            if final:
                raise Fault("eof-in-tag", 0)
            return self._wait(search.see)
        self._take(end + 1)
        self._end_content()
        self._has_tag = True
        self._tag(text[start : end + 1])
        return True

    def _tag(self, source: str) -> None:
        tag = read_tag(source)
        if tag.is_end:
            self._sink.end_tag(tag.name)
        else:
            verbatim = source.replace("\r\n", "\n")
            is_plain = _PLAIN_TAG.fullmatch(verbatim) is not None and is_normalized("NFC", verbatim)
            self._sink.start_tag(tag.name, tag.attributes, tag.is_empty, source, verbatim if is_plain else None)

    def _sequence(self, opening: str, closing: str, final: bool, eof_code: str) -> bool:
        """Process a token that ends with the first closing sequence (L-032, L-034, L-035)."""
        content = self.start + len(opening)
        end = self._text.find(closing, content)
        if end < 0:
            if final:
                raise Fault(eof_code, 0)
            return self._wait(re.compile(re.escape(closing)))
        self._take(end + len(closing))
        if opening == _CDATA:
            data = self._text[content:end]
            padding = data.lstrip(PADDING) if self._sink.outside else ""
            if padding:
                raise Fault("stray-content", len(opening) + len(data) - len(padding))
            self._begin_content()
            self._content.append(data)
        return True

    def _doctype(self, final: bool) -> bool:
        """Process a DOCTYPE token (L-037, L-038)."""
        search = OutsideQuotes(">[]")
        end = search.find(self._text, self.start + len(_DOCTYPE), len(self._text))
        if end < 0:
            if final:
                raise Fault("eof-in-doctype", 0)
            return self._wait(search.see)
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
        return True
