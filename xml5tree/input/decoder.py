"""Bytes to text: finds the encoding (§1.2; D-002 to D-006)."""

import codecs
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from xml5tree.input.declaration import XMLDeclaration, find_declaration, find_misspelt_label
from xml5tree.input.labels import family, find_encoding, reads_ascii
from xml5tree.input.lookahead import Lookahead

#: Finds an XML declaration that does not begin the document. It is called with the bytes so far, decoded as Latin-1,
#: and whether they are all. It returns the declaration, None if there is none, or how many bytes it needs to tell; the
#: result must not depend on how the bytes come.
LateFinder = Callable[[str, bool], "XMLDeclaration | int | None"]
#: Characters to wait for, and how many there must be in all; see `Lookahead.hold`.
_Wanted = tuple[re.Pattern[str] | None, int | None]
#: The bytes in which it looks for a declaration.
LATEST: Final = 16_384

#: Byte order marks (D-002). UTF-32 comes before UTF-16, because its little-endian mark begins with that of UTF-16.
_BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
)

#: The byte order marks of UTF-8 and UTF-16.
UNICODE_SIGNATURES: Final = _BYTE_ORDER_MARKS[2:]

#: How ``<`` begins a document of 16-bit or 32-bit units without a byte order mark (D-002). One zero byte alone is no
#: pattern: it may be a stray one.
_PATTERNS: Final = (
    (re.compile(rb"\0\0\0<"), "utf-32-be"),
    (re.compile(rb"<\0\0\0"), "utf-32-le"),
    (re.compile(rb"(?s)\0<\0[^\0]"), "utf-16-be"),
    (re.compile(rb"(?s)<\0[^\0]\0"), "utf-16-le"),
)
#: Patterns for a caller who has told the size of the units.
_PATTERNS_OF_UNITS: Final = (*_PATTERNS, (re.compile(rb"\0<"), "utf-16-be"), (re.compile(rb"<\0"), "utf-16-le"))

#: The number of characters after a byte order mark of UTF-16 that tell whether it can be believed, and a pattern for
#: one of them that can be in UTF-16.
_AFTER_MARK: Final = 64
_NOT_ASCII: Final = re.compile("[\0\x80-\xff]")
_GREATER_THAN: Final = re.compile(">")
#: How far into a document a byte beyond ASCII is looked for that must be in the encoding of a misspelt declaration, and
#: how many bytes from there on tell whether they are UTF-8.
_MISSPELT_EFFECT: Final = 16384
_AFTER_ODD: Final = 64
#: A plain declaration, after which the document is certainly in UTF-8.
_DECLARES_UTF8: Final = re.compile(
    rb"""<\?xml[ ]version=(?:"1\.[0-9]"|'1\.[0-9]')(?:[ ]encoding=(?:"(?i:utf-8)"|'(?i:utf-8)'))?"""
    rb"""(?:[ ]standalone=(?:"(?:yes|no)"|'(?:yes|no)'))?[ ]?\?>"""
)

#: A document that has no declaration at its beginning, nor a byte order mark, nor zero bytes that show its encoding.
_BEGINS_WITH_TAG: Final = re.compile(rb"<(?:[A-Za-z_]|!(?=[^-]))[^\0]{2}")

# Marks for undecodable bytes are lone surrogates, which `replacement` reads.
#: Before a character whose bytes are those of two halves of a surrogate pair, as in CESU-8. It is no character.
PAIR_OF_HALVES: Final = "\udbfd"
#: Bytes that become U+FFFD.
UNKNOWN_BYTES: Final = "\udbff"
#: Bytes that become U+FFFD because the document seems to be UTF-8, though windows-1252 has characters for them.
CUT_CHARACTER: Final = "\udbfe"
#: Added to the value of a byte that is not UTF-8: a single one, the first of several, the others.
_SINGLE: Final = 0xDC00
_FIRST: Final = 0xDD00
_OTHER: Final = 0xDE00
#: The marks of bytes that are read as windows-1252 because they are not UTF-8.
STRAY_BYTES: Final = re.compile("[\udc80-\udcff]|[\udd80-\uddff][\ude80-\udeff]+")
#: Added to the first of several bytes that are UTF-8 by chance, in a document that is not.
_CHANCE: Final = 0xDF00

#: Bytes that are read as windows-1252 unless there has been a character of several bytes before (D-006).
_SEVERAL: Final = re.compile("[\udd80-\uddff][\ude80-\udeff]+")
_NOT_WINDOWS_1252: Final = frozenset(b"\x81\x8d\x8f\x90\x9d")

#: Bytes that are not UTF-8 for each sequence that is UTF-8 by chance: nearly all bytes must say windows-1252.
_STRAY_FOR_CHANCE: Final = 8
#: A mark, the marks of one sequence, or a character of several bytes. It begins with one set, for which searches are
#: ten times as fast as for alternatives.
_NOT_PLAIN: Final = re.compile(
    "[^\0-\x7f\ud800-\udc7f\udd00-\udd7f\ude00-\udfff](?:(?<=[\udd80-\uddff])[\ude80-\udeff]+)?"
)
#: A sequence in windows-1252: a letter and typographic signs. In UTF-8, these bytes are characters that Western text
#: hardly has: "Â", "Ã" and "Å" are left out, with which its letters begin.
_BY_CHANCE: Final = re.compile(
    rb"[\xc4\xc6-\xf4][\x82\x84\x85\x8b\x91-\x97\x99\x9b\xa0\xa7\xa9\xab\xad\xae\xb0\xb2\xb3\xb7\xb9-\xbb]+"
)


#: Halves of surrogate pairs in bytes, and what may be a part of two of them where the input pauses.
_PAIR: Final = re.compile(rb"\xed[\xa0-\xaf][\x80-\xbf]\xed[\xb0-\xbf][\x80-\xbf]")
_HALF: Final = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")
_CUT_PAIR: Final = re.compile(rb"\xed(?:[\xa0-\xbf]|[\xa0-\xaf][\x80-\xbf](?:\xed[\xb0-\xbf]?)?)?\Z")
_LONGEST_CUT: Final = 5
#: The marks of such a half.
_MARKED_HALF: Final = re.compile("\udded[\udea0-\udebf][\ude80-\udebf]")


def _mark_utf8(error: UnicodeError) -> tuple[str, int]:
    """Mark invalid bytes by lone surrogates, which `replacement` reads; an error handler of UTF-8."""
    assert isinstance(error, UnicodeDecodeError)
    if pair := _PAIR.match(error.object, error.start):
        character = pair[0].decode("utf-8", "surrogatepass").encode("utf-16-le", "surrogatepass").decode("utf-16-le")
        return PAIR_OF_HALVES + character, pair.end()
    if half := _HALF.match(error.object, error.start):
        return _marked(half[0]), half.end()
    return _marked(error.object[error.start : error.end]), error.end


def _marked(data: bytes) -> str:
    first, *others = data
    if not others:
        return chr(_SINGLE + first)
    if _NOT_WINDOWS_1252.isdisjoint(data):
        return chr(_FIRST + first) + "".join(chr(_OTHER + byte) for byte in others)
    return UNKNOWN_BYTES


def _mark(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return UNKNOWN_BYTES, error.end


codecs.register_error("xml5tree.mark-utf8", _mark_utf8)
codecs.register_error("xml5tree.mark", _mark)


def replacement(mark: str, encoding: str) -> tuple[str, str]:
    """Return the character for bytes that the decoder marked, and the message for the log, or "" (D-006)."""
    if mark in {UNKNOWN_BYTES, CUT_CHARACTER}:
        return "\ufffd", f"bytes that are not {encoding} were replaced by U+FFFD"
    kind, byte = divmod(ord(mark) - _SINGLE, 0x100)
    character = bytes([byte]).decode("windows-1252", "replace")
    if kind == 2:  # the message of the first of these bytes is for all
        return character, ""
    if character == "\ufffd":
        return character, f"byte 0x{byte:02X} is not UTF-8; replaced by U+FFFD"
    if kind == 3:
        return character, f"bytes from 0x{byte:02X} on are UTF-8 by chance; read as windows-1252, as those before"
    if kind == 1:
        return character, f"bytes from 0x{byte:02X} on are not UTF-8; read as windows-1252, the first as {character!r}"
    return character, f"byte 0x{byte:02X} is not UTF-8; read as windows-1252 {character!r}"


def valid_utf8(data: bytes) -> str | None:
    """Return the text of bytes in UTF-8; None if one is invalid."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def certain_text(whole: bytes | str) -> tuple[str, bytes] | None:
    """Return the text of a whole document and its UTF-8, if no stage before the tokenizer certainly alters it."""
    try:
        if isinstance(whole, str):
            text, utf8 = whole, whole.encode()
        elif _DECLARES_UTF8.match(whole) or (
            _BEGINS_WITH_TAG.match(whole) and (b"?" not in whole or b"?>" not in whole)
        ):
            text, utf8 = whole.decode(), whole
        else:
            return None
    except UnicodeError:
        return None
    return None if text[:1] == "\ufeff" or "\r" in text or "\0" in text or "\x1a" in text else (text, utf8)


class MarkingDecoder:
    """Decodes chunks of bytes; marks invalid ones by lone surrogates. For `utf8` see `Decoder`."""

    def __init__(self, encoding: str) -> None:
        self._decoder = codecs.getincrementaldecoder(encoding)("strict")
        self.utf8: bytes | None = None
        self.is_utf8 = encoding == "utf-8"
        self._cut = b""  # the last bytes, which may become two halves of a surrogate pair
        self.has_characters = False  # whether there has been a valid one of several bytes in UTF-8
        self._strays = 0  # before that: bytes that are not UTF-8, less those that stand for what is UTF-8 by chance

    @property
    def held(self) -> int:
        """How many of the last bytes may begin a character."""
        return len(self._decoder.getstate()[0]) + len(self._cut)

    def pass_silent(self, data: bytes) -> int:
        """Decode the first bytes that make no character, such as escape sequences; return how many they are."""
        decoder = self._decoder
        passed, state = 0, decoder.getstate()
        with suppress(UnicodeDecodeError):
            for place in range(len(data)):
                if decoder.decode(data[place : place + 1]):
                    break
                if not decoder.getstate()[0]:
                    passed, state = place + 1, decoder.getstate()
        decoder.setstate(state)
        return passed

    def decode(self, data: bytes, final: bool = False) -> str:
        if self.is_utf8 and (self._cut or b"\xed" in data[-_LONGEST_CUT:]):
            data = self._cut + data
            cut = None if final else _CUT_PAIR.search(data, max(len(data) - _LONGEST_CUT, 0))
            self._cut = cut[0] if cut else b""
            data = data[: len(data) - len(self._cut)]
        return self._decode(data, final)

    def _decode(self, data: bytes, final: bool) -> str:
        self.utf8 = None
        state = self._decoder.getstate()
        try:
            text = self._decoder.decode(data, final)
        except UnicodeDecodeError:
            self._decoder.setstate(state)
            self._decoder.errors = "xml5tree.mark-utf8" if self.is_utf8 else "xml5tree.mark"
            try:
                text = self._decoder.decode(data, final)
            finally:
                self._decoder.errors = "strict"
            return self._settled(text) if self.is_utf8 else text
        if self.is_utf8:
            held = len(self._decoder.getstate()[0])
            whole = state[0] + data if state[0] else data
            self.utf8 = whole[: len(whole) - held]
            if not (self.has_characters or text.isascii()):
                if self._strays < _STRAY_FOR_CHANCE:
                    self.has_characters = True
                elif (settled := self._settled(text)) != text:
                    self.utf8 = None
                    return settled
        return text

    def _settled(self, text: str) -> str:
        """Decide whether bytes that begin like UTF-8 are a cut character, or windows-1252."""
        # Where nearly all bytes before are windows-1252, so are a few that are UTF-8 by chance.
        pieces: list[str] = []
        place = 0
        while not self.has_characters and (found := _NOT_PLAIN.search(text, place)) is not None:
            part = found[0]
            if not self._strays and _MARKED_HALF.fullmatch(part):
                part = UNKNOWN_BYTES
            elif "\ud800" <= part[0] <= "\udfff":
                self._strays += len(part)
            elif self._strays >= _STRAY_FOR_CHANCE and _BY_CHANCE.fullmatch(part.encode()):
                self._strays -= _STRAY_FOR_CHANCE
                first, *others = part.encode()
                part = chr(_CHANCE + first) + "".join(chr(_OTHER + byte) for byte in others)
            else:
                self.has_characters = True
                break
            pieces += (text[place : found.start()], part)
            place = found.end()
        rest = text[place:]
        return "".join(pieces) + (_SEVERAL.sub(CUT_CHARACTER, rest) if self.has_characters else rest)


def _obeyed(label: str) -> str | None:
    """Return the encoding with a label, if a declaration in ASCII can name it."""
    encoding = find_encoding(label)
    return encoding if encoding is not None and encoding != "ascii" and reads_ascii(encoding) else None


def _seems_utf8(data: bytes) -> bool:
    """Return whether at least half of the characters beyond ASCII are valid in UTF-8."""
    text = MarkingDecoder("utf-8").decode(data)
    wrong = sum("\ud800" <= character <= "\udfff" for character in text)
    return 2 * wrong <= sum(character > "\x7f" for character in text)


class Decoder:
    """Decodes a document in chunks; invalid bytes become lone surrogates, for `replacement`."""

    def __init__(
        self,
        encoding: str | None = None,
        *,
        marks: tuple[tuple[bytes, str], ...] = _BYTE_ORDER_MARKS,
        guess: bool = True,
        declared: tuple[int, Callable[[str], str | None]] | None = None,
        find_late: LateFinder | None = None,
    ) -> None:
        """Set how the encoding is found.

        Args:
            encoding: the caller's encoding, which passes `check_label`; only a byte order mark overrules it.
            marks: the byte order marks, with their encodings.
            guess: whether the bytes of ``<`` and the XML declaration tell the encoding; otherwise it is UTF-8.
            declared: how many bytes may have another kind of declaration, and a function that finds its encoding in
                them, decoded as Latin-1; None: there is no other kind.
            find_late: finds a declaration that does not begin the document.
        """
        self._override = None if encoding is None else find_encoding(encoding)
        self._marks = marks
        self._guess = guess
        self._declared = declared
        self._find_late = find_late
        self.encoding = "utf-8"  # Python's name of the encoding, known once text has come out
        self.has_mark = False  # whether the document begins with a byte order mark; known then, too
        self.utf8: bytes | None = None  # the bytes of the last text, if they are valid UTF-8, else None
        #: The encoding of a byte order mark that was dropped, because what follows contradicts it; or "".
        self.false_mark = ""
        #: The encoding in a declaration that does not begin the document, or "", and the characters before it.
        self.late = ("", 0)
        self._by_bytes = False  # whether the bytes alone show the encoding
        self._decoder: MarkingDecoder | None = None
        self._head = Lookahead()
        # Whether the next bytes are the first ones, in which a plain declaration may show the encoding.
        self._may_be_plain = encoding is None and guess and declared is None

    @property
    def has_characters(self) -> bool:
        """Whether there has been a valid character of several bytes in UTF-8."""
        return self._decoder is not None and self._decoder.has_characters

    def decode(self, data: bytes, final: bool = False) -> str:
        self.utf8 = None
        if self._may_be_plain:
            self._may_be_plain = False
            if _DECLARES_UTF8.match(data) or (_BEGINS_WITH_TAG.match(data) and not self._may_be_late(data, final)):
                if final and (text := valid_utf8(data)) is not None:
                    self.utf8 = data
                    return text
                self._decoder = MarkingDecoder(self.encoding)
        if self._decoder is None:
            # Latin-1 makes a character of every byte, so that a declaration in ASCII can be looked for.
            if not self._head.add(data.decode("latin-1")) and not final:
                return ""
            head = self._head.take()
            wanted = self._sniff(head, final)
            if wanted is not None:
                self._head.hold(head, *wanted)
                return ""
            data = head.encode("latin-1")[self.false_mark_size :]
            self._decoder = MarkingDecoder(self.encoding)
        text = self._decoder.decode(data, final)
        self.utf8 = self._decoder.utf8
        return text

    def _may_be_late(self, data: bytes, final: bool) -> bool:
        """Return whether there may be a declaration that does not begin the document."""
        if self._find_late is None:
            return False
        head = data[:LATEST]
        return b"?>" in head or b"<?x" in head or not (final or len(head) == LATEST)

    @property
    def false_mark_size(self) -> int:
        """How many bytes the dropped byte order mark has."""
        return len(codecs.BOM_UTF16) if self.false_mark else 0

    def _sniff(self, head: str, final: bool) -> _Wanted | None:
        """Find the encoding (D-002); return what to wait for if the head does not show it."""
        if len(head) < 4 and not final:
            return None, 4
        first = head[:4].encode("latin-1")
        for mark, encoding in self._marks:
            if first.startswith(mark):
                after = head[len(mark) : len(mark) + _AFTER_MARK]
                if self._guess and family(encoding) == "utf-16" and not _NOT_ASCII.search(after):
                    if len(after) < _AFTER_MARK and not final:
                        return _NOT_ASCII, len(mark) + _AFTER_MARK
                    if "<" in after:
                        self.false_mark = encoding
                        return self._sniff_unmarked(head[len(mark) :], final)
                self.encoding, self._by_bytes, self.has_mark = encoding, True, True
                return None
        return self._sniff_unmarked(head, final)

    def _sniff_unmarked(self, head: str, final: bool) -> _Wanted | None:
        first = head[:4].encode("latin-1")
        if self._override is not None:
            self.encoding = self._override
            if self._override in {"utf-16", "utf-32"}:  # Python reads them only with a byte order mark
                shown = (encoding for pattern, encoding in _PATTERNS_OF_UNITS if pattern.match(first))
                encoding = next(shown, "")
                self.encoding = encoding if family(encoding) == self._override else f"{self._override}-le"
            return None
        if not self._guess:
            return None
        for pattern, encoding in _PATTERNS:
            if pattern.match(first):
                self.encoding, self._by_bytes = encoding, True
                return None
        if self._declared is not None:
            size, find = self._declared
            if len(head) < size and not final:
                return None, size
            named = find(head[:size])
            if named is not None:
                self.encoding = named
                return None
        declaration = find_declaration(head, final)
        if isinstance(declaration, re.Pattern):
            return declaration, None
        if declaration is not None:
            self._obey(declaration)
            return None
        late = self._find_late(head, final) if self._find_late is not None else None
        if isinstance(late, int):
            return None, late
        if late is not None:
            self._obey(late)
            if late.encoding is not None:
                self._obey_late(late.encoding, head[: late.start])
            return None
        return self._look_for_misspelt(head, final) if self._declared is None else None

    def _look_for_misspelt(self, head: str, final: bool) -> _Wanted | None:
        """Obey what was meant as a declaration, unless the bytes are UTF-8; return what to wait for."""
        found = find_misspelt_label(head, final)
        if found is None:
            return None
        if isinstance(found, int):
            return _GREATER_THAN, found
        label, start = found
        encoding = _obeyed(label)
        if encoding is None or encoding == "utf-8":
            return None
        odd = _NOT_ASCII.search(head, 0, _MISSPELT_EFFECT)
        wanted = odd.start() + _AFTER_ODD if odd else _MISSPELT_EFFECT
        if len(head) < wanted and not final:
            return None, wanted if odd else min(max(_AFTER_ODD, 2 * len(head)), wanted)
        if odd and not _seems_utf8(head[odd.start() : wanted].encode("latin-1")):
            self.encoding = encoding
            self._obey_late(label, head[:start])
        return None

    def _obey_late(self, label: str, before: str) -> None:
        characters = MarkingDecoder(self.encoding).decode(before.encode("latin-1"))
        self.late = label, len(characters.replace("\r\n", "\n").replace(PAIR_OF_HALVES, ""))

    def _obey(self, declaration: XMLDeclaration) -> None:
        """Take the encoding that a declaration names, if ASCII text can be in it."""
        if declaration.encoding is not None:
            self.encoding = _obeyed(declaration.encoding) or self.encoding

    def judge(self, label: str) -> tuple[str, str, str] | None:
        """Return error code and details for a wrong declared encoding (D-003 to D-005), or None."""
        if self._override is not None and not self._by_bytes:
            return None
        declared = find_encoding(label, strictly=True)  # native parsers know none that is written otherwise
        if declared is None:
            return "unsupported-encoding", label, self.encoding
        agrees = family(declared) == family(self.encoding) if self._by_bytes else reads_ascii(declared)
        return None if agrees else ("encoding-declaration-mismatch", label, self.encoding)

    def finds_other_than(self, encoding: str) -> bool:
        """Return whether the bytes show another encoding, whatever the caller says."""
        if self.encoding == encoding:
            return False
        return self._override is None or (self._by_bytes and family(self._override) != family(self.encoding))

    def allows_only_ascii(self, label: str) -> bool:
        """Return whether a label makes bytes above 0x7F invalid; they are read as UTF-8 (D-006)."""
        is_free = self.encoding == "utf-8" and not self._by_bytes and self._override is None
        return is_free and find_encoding(label) == "ascii"
