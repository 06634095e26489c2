"""Text to the tokenizer's input stream (§1.2; D-007 to D-016)."""

import io
import re
from collections import deque
from typing import Final

from xml5tree.accelerator import compiled
from xml5tree.documents import kind_of, text_or_bytes
from xml5tree.errors.codes import KEPT, LOST, Effect, Kind
from xml5tree.errors.reporter import Reporter
from xml5tree.input.declaration import XMLDeclaration, find_declaration
from xml5tree.input.decoder import CUT_CHARACTER, PAIR_OF_HALVES, Decoder, LateFinder, replacement
from xml5tree.input.labels import find_encoding
from xml5tree.input.linebreaks import LineBreaks
from xml5tree.input.lookahead import Lookahead
from xml5tree.input.scripts import StrayBytes
from xml5tree.xml.chars import FORBIDDEN, SURROGATE_PAIR, code_point

#: What is put behind a document to fill a block or to mark its end, and white space among it.
_PADDING: Final = "\0\x1a"
_PADDING_OR_SPACE: Final = _PADDING + "\t\n\r "
_NEAR_END: Final = 256
_NOT_ASCII: Final = re.compile("[^\0-\x7f]")
#: The errors of an XML declaration that is not closed.
_NOT_CLOSED: Final = frozenset({"abrupt-closing-xml-declaration", "eof-in-xml-declaration"})
#: All bytes but those that are control characters in UTF-8.
_NOT_CONTROLS: Final = bytes(code for code in range(0x100) if code >= 0x20 or code in b"\t\n\r")


def _encoded(text: str) -> bytes | None:
    """Return a text in UTF-8; None if it has a surrogate."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return None


def _find_forbidden(text: str, encoded: bytes) -> str:
    """Return the forbidden characters of a text; four times as fast as a search for `FORBIDDEN`."""
    found = "".join(map(chr, sorted({*encoded.translate(None, _NOT_CONTROLS)})))
    if b"\xef" in encoded:  # what the noncharacters begin with
        found += "".join(character for character in "\ufffe\uffff" if character in text)
    return found


def is_plain(utf8: bytes, *, allows_controls: bool = False) -> bool:
    """Return whether bytes are certainly UTF-8, without carriage returns and characters that XML does not allow.

    With `allows_controls`, there may be control characters other than U+0000 and U+000C.
    """
    return compiled is not None and compiled.is_plain(utf8, allows_controls)


class InputStream:
    """Turns a document, in chunks of bytes or of text, into the characters that the tokenizer reads.

    Newlines are normalised, U+0000 and undecodable bytes replaced, surrogates joined or replaced. A byte order mark is
    dropped and the XML declaration found.
    """

    def __init__(
        self,
        *,
        encoding: str | None = None,
        prolog: bool = True,
        find_late: LateFinder | None = None,
        keeps_null: bool = False,
        finds_padding: bool = False,
    ) -> None:
        """Set how the encoding is found; `encoding` and `find_late` are for `Decoder`, and ignored for text.

        Without `prolog`, byte order mark and XML declaration stay in the stream; with `keeps_null`, so does U+0000.
        With `finds_padding`, U+0000 and U+001A at the end of the document are no errors, but noted in `padding`.
        """
        self._finds_padding = finds_padding
        self._held: list[str] = []  # what may be padding
        self.padding: int | None = None  # the offset of the padding, once the document has ended
        self._keeps_null = keeps_null
        self._decoder = Decoder(encoding, find_late=find_late)
        self.decoder: Decoder | None = None  # decodes the bytes; None for a document of text
        #: The XML declaration, once text has come out; None: there is none.
        self.declaration: XMLDeclaration | None = None
        self.utf8 = b""  # the last text, in UTF-8
        self.altered: list[int] = []  # the offsets of replacements in the last text
        self.first_replaced: int | None = None  # the offset of the first character replaced by U+FFFD
        #: Whether all bytes that became U+FFFD are characters of windows-1252; None: there are none.
        self.may_be_windows_1252: bool | None = None
        self._kind: type | None = None
        self._newlines = io.IncrementalNewlineDecoder(None, translate=True)
        self._after_return = False  # whether the decoder of newlines may hold back a carriage return
        self._high_surrogate = ""
        self._normalised = 0  # characters so far, with newlines normalised; a byte order mark counts
        self.has_mark = False  # whether a byte order mark was dropped; known once text has come out
        self.breaks: LineBreaks | None = None  # takes the line breaks of the document, if set before it begins
        self._joined: list[int] = []  # offsets of surrogate pairs that have not come out
        self._pairs: deque[tuple[int, str]] = deque()  # likewise offsets and characters of pairs in bytes
        self._stray_bytes = StrayBytes()
        self._in_prolog = prolog
        self._expects_byte_order_mark = prolog
        self._head = Lookahead()
        self._offset = 0  # of the next character to come out
        self._problems: list[tuple[str, int, tuple[object, ...], Kind | None, Effect | None]] = []
        self._declares_ascii = False  # so that other characters are errors, though they are read as UTF-8

    def feed(self, data: bytes | bytearray | memoryview | str, final: bool = False) -> str:
        """Return the characters that `data` completes; raise `TypeError` for no bytes or text, or a mix."""
        self.utf8 = b""
        self.altered = []
        data = text_or_bytes(data)
        self._kind = kind_of(data, self._kind)
        if isinstance(data, str):
            text = data
        else:
            self.decoder = self._decoder
            text = self._decoder.decode(data, final)
        decoded = text
        text = self._normalise(text, final)
        if self.decoder is not None and self.decoder.encoding == "utf-8":
            is_valid = self.decoder.utf8 is not None or text.isascii()
            has_characters = self.decoder.has_characters
            text = self._stray_bytes.judge(text, final=final, is_valid=is_valid, has_characters=has_characters)
        if not self._in_prolog:
            return self._deliver(text, self._decoder.utf8 if text is decoded else None, final=final)
        if not self._head.add(text) and not final:
            return ""
        head = self._head.take()
        if self._expects_byte_order_mark and head:
            head = head.removeprefix("\ufeff")
            self._expects_byte_order_mark = False
        found = find_declaration(head, final)
        if isinstance(found, re.Pattern):
            self._head.hold(head, found)
            return ""
        self._in_prolog = False
        if self.decoder is not None and self.decoder.false_mark:
            self._problem("encoding-declaration-mismatch", 0, self.decoder.false_mark, self.decoder.encoding)
        if found is not None:
            self._accept(found)
        elif self.decoder is not None and self.decoder.late[0]:
            label, offset = self.decoder.late  # of a declaration that does not begin the document
            self._judge_label(self.decoder, label, offset)
            if find_encoding(label) == self.decoder.encoding != "utf-8":
                self._problem("assumed-encoding", offset, label)
        return self._deliver(head, self._decoder.utf8 if head is decoded else None, final=final)

    @property
    def takes_utf8(self) -> bool:
        """Whether UTF-8 that comes next comes out as it is, if it is `is_plain` but for control characters."""
        decoder = self.decoder
        return decoder is not None and decoder.encoding == "utf-8" and not (self._in_prolog or self._declares_ascii)

    def pass_over(self, characters: int) -> None:
        """Count characters that are read elsewhere, for which `takes_utf8` must be true."""
        self._offset += characters
        self._normalised += characters

    def report(self, reporter: Reporter) -> None:
        """Report the problems of the characters that came out last."""
        problems, self._problems = self._problems, []
        for code, offset, detail, kind, effect in sorted(problems, key=lambda problem: problem[1]):
            reporter.report_ahead(code, offset, *detail, kind=kind, effect=effect)

    def end_of_file(self) -> bytes | str:
        return b"" if self._kind is bytes else ""

    def _normalise(self, text: str, final: bool) -> str:
        """Normalise newlines and join surrogate pairs; both may be split between chunks."""
        ends_pair = self._high_surrogate and not self._after_return and "\udc00" <= text[:1] <= "\udfff"
        source = text[1:] if ends_pair else text
        # The search takes a tenth of the time of the decoder, which tells the kinds of line breaks.
        if "\r" in text or self._after_return or self.breaks is not None:
            self._after_return = text.endswith("\r") if text else not final
            text = self._newlines.decode(text, final)
        if self._kind is str and not text.isascii():
            text = self._high_surrogate + text
            self._high_surrogate = ""
            self._see_mark(text)
            if not final and "\ud800" <= text[-1:] <= "\udbff":
                text, self._high_surrogate = text[:-1], text[-1]
            text = self._with_joined_pairs(text)
        elif PAIR_OF_HALVES in text:
            source = source.replace(PAIR_OF_HALVES, "")
            self._see_mark(text)
            text = self._without_marks_of_pairs(text)
        elif self._high_surrogate and (text or final):
            text, self._high_surrogate = self._high_surrogate + text, ""
        self._see_mark(text)
        if self.breaks is not None:
            self._tell_breaks(self.breaks, source, final)
        self._normalised += len(text)
        return text

    def _see_mark(self, text: str) -> None:
        if not self._normalised and self._in_prolog and text:
            self.has_mark = text[0] == "\ufeff"

    def _tell_breaks(self, breaks: LineBreaks, source: str, final: bool) -> None:
        if self._kind is str and not source.isascii():
            source = SURROGATE_PAIR.sub("x", source)  # one character
        if self.has_mark and not self._normalised:
            source = source[1:]
        breaks.take(source, max(self._normalised - self.has_mark, 0), self._newlines.newlines, final=final)

    def _with_joined_pairs(self, text: str) -> str:
        offset = self._normalised - self.has_mark
        joined: list[int] = []

        def join(pair: re.Match[str]) -> str:
            joined.append(offset + pair.start() - len(joined))
            return pair[0].encode("utf-16", "surrogatepass").decode("utf-16")

        text = SURROGATE_PAIR.sub(join, text)
        self._joined += joined
        return text

    def _without_marks_of_pairs(self, text: str) -> str:
        """Note the characters whose bytes are two halves of a surrogate pair; return the text without their marks."""
        first, *parts = text.split(PAIR_OF_HALVES)
        offset = self._normalised - self.has_mark + len(first)
        for part in parts:
            self._pairs.append((offset, part[0]))
            offset += len(part)
        return first + "".join(parts)

    def _report_pairs(self, text: str) -> None:
        while self._pairs and self._pairs[0][0] < self._offset + len(text):
            offset, character = self._pairs.popleft()
            message = f"bytes of a surrogate pair, as in CESU-8, were read as {character!r}"
            self._problem("invalid-byte-sequence", offset, message, effect=KEPT)
            self._joined.append(offset)

    def _accept(self, declaration: XMLDeclaration) -> None:
        self.declaration = declaration
        for code, offset, detail in declaration.problems:
            is_lossy = declaration.has_words and code in _NOT_CLOSED
            self._problem(code, offset, detail, effect=LOST if is_lossy else None)
        self._judge_encoding(declaration)

    def _judge_encoding(self, declaration: XMLDeclaration) -> None:
        if declaration.encoding is not None and self.decoder is not None:
            self._judge_label(self.decoder, declaration.encoding, declaration.start)

    def _judge_label(self, decoder: Decoder, label: str, offset: int) -> None:
        """Note the error if the encoding that a declaration names is wrong."""
        if label.lower() == decoder.encoding == "utf-8":  # as most declarations say
            return
        judgement = decoder.judge(label)
        if judgement is not None:
            code, *details = judgement
            self._problem(code, offset, *details)
        self._declares_ascii = decoder.allows_only_ascii(label)

    def _hold_padding(self, text: str, *, final: bool) -> str:
        """Return a text, and what was held back, without what may be padding now."""
        if self._held and (final or text.strip(_PADDING_OR_SPACE)):
            text = "".join([*self._held, text])
            self._held.clear()
        tail = text[-_NEAR_END:]  # mostly, this has all padding
        if not tail.strip(_PADDING_OR_SPACE):
            tail = text
        kept = tail.rstrip(_PADDING_OR_SPACE)
        rest = tail[len(kept) :]
        begin = len(text) - len(rest.lstrip("\t\n\r ")) if not self._held else 0
        if begin == len(text):
            return text
        if final:
            self.padding = self._offset + begin
            return text
        self._held.append(text[begin:])
        return text[:begin]

    def _deliver(self, text: str, encoded: bytes | None, *, final: bool) -> str:
        """Note and replace characters that XML does not allow; `encoded` is the text in UTF-8, or None."""
        if self._finds_padding and (held := self._hold_padding(text, final=final)) is not text:
            text, encoded = held, None
        self._report_pairs(text)
        if self._declares_ascii and not text.isascii():
            for match in _NOT_ASCII.finditer(text):
                if not "\ud800" <= match[0] <= "\udfff":
                    message = f"{match[0]!r} is not ASCII, which the document declares; read as UTF-8"
                    self._problem("invalid-byte-sequence", self._offset + match.start(), message, effect=KEPT)
        if encoded is None:
            encoded = _encoded(text)
        if self.padding is None:
            noted = self._note_forbidden(text, encoded)
        else:
            noted = self._replace_padding(text, self.padding - self._offset)
        if self._joined:
            self.altered = sorted([*self.altered, *self._joined])
            self._joined = []
        self.utf8 = noted.encode() if encoded is None or noted is not text else encoded
        text = noted
        self._offset += len(text)
        return text

    def _replace_padding(self, text: str, place: int) -> str:
        """Note and replace characters before a place; replace those from there on."""
        content, padding = self._note_forbidden(text[:place], None), text[place:]
        if self._keeps_null:
            return content + padding
        self.altered += [self._offset + place + found.start() for found in re.finditer("\0", padding)]
        return content + padding.replace("\0", "\ufffd")

    def _note_forbidden(self, text: str, encoded: bytes | None) -> str:
        """Note characters that XML does not allow; return the text without those the tokenizer cannot take."""
        if encoded is None:  # there are surrogates
            return FORBIDDEN.sub(self._note_character, text)
        # The UTF-8 tells four times as fast as a search for `FORBIDDEN` which characters occur; to find each of them
        # is ten times as fast.
        found = "" if is_plain(encoded) else _find_forbidden(text, encoded)
        if "\0" in found and not self._keeps_null:
            return FORBIDDEN.sub(self._note_character, text)
        for character in found:
            place = text.find(character)
            while place >= 0:
                self._note(character, self._offset + place)
                place = text.find(character, place + 1)
        return text

    def _note_character(self, match: re.Match[str]) -> str:
        """Note a character that XML does not allow; return its replacement for the tokenizer."""
        # Control characters and noncharacters stay in tokens; tree construction replaces them (`tree.infoset`).
        character, offset = match[0], self._offset + match.start()
        is_null = character == "\0" and not self._keeps_null
        if not (is_null or "\ud800" <= character <= "\udfff"):
            self._note(character, offset)
            return character
        self.altered.append(offset)
        if is_null:
            self._problem("unexpected-null-character", offset)
            replaced = "\ufffd"
        elif self.decoder is None:
            self._problem("surrogate-in-input-stream", offset, code_point(character))
            replaced = "\ufffd"
        else:
            replaced = self._replace_bytes(character, offset)
        if replaced == "\ufffd" and self.first_replaced is None:
            self.first_replaced = offset
        return replaced

    def _note(self, character: str, offset: int) -> None:
        """Note a character that is not allowed, but for a surrogate."""
        if character >= "\ufdd0":
            self._problem("noncharacter-in-input-stream", offset, code_point(character))
        elif character == "\0":
            self._problem("unexpected-null-character", offset)
        else:
            kind: Kind | None = "not-well-formed" if character == "\f" else None
            self._problem("control-character-in-input-stream", offset, code_point(character), kind=kind)

    def _replace_bytes(self, mark: str, offset: int) -> str:
        assert self.decoder is not None
        character, message = replacement(mark, self.decoder.encoding)
        if character == "\ufffd":
            self.may_be_windows_1252 = mark == CUT_CHARACTER and self.may_be_windows_1252 is not False
        if message:
            self._problem("invalid-byte-sequence", offset, message, effect=LOST if character == "\ufffd" else KEPT)
        return character

    def _problem(
        self, code: str, offset: int, *detail: object, kind: Kind | None = None, effect: Effect | None = None
    ) -> None:
        """Queue an error for `report`: it has a place only once the tokenizer has the text."""
        self._problems.append((code, offset, detail, kind, effect))
