"""Octets to text (§1.2 "Define how to find the encoding"; D-002 to D-006)."""

import codecs
import re
from typing import Final

from xml5tree.input.declaration import XMLDeclaration, find_declaration
from xml5tree.input.lookahead import Lookahead

__all__ = ["UNICODE_SIGNATURES", "Decoder", "check_label", "replacement"]

#: Byte order marks (D-002). UTF-32 comes before UTF-16, because its little-endian mark begins with that of UTF-16.
_BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
)

#: Those of UTF-8 and UTF-16 only.
UNICODE_SIGNATURES: Final = _BYTE_ORDER_MARKS[2:]

#: How ``<`` begins a document of 16-bit or 32-bit units without a byte order mark (D-002).
_PATTERNS: Final = (
    (b"\0\0\0<", "utf-32-be"),
    (b"<\0\0\0", "utf-32-le"),
    (b"\0<", "utf-16-be"),
    (b"<\0", "utf-16-le"),
)

#: Codecs that are no character encodings, or that hide markup in harmless bytes (D-005), by Python's names.
#: Those that Python itself does not call a text encoding (rot13, hex, base64, zip …) are refused as well.
_REFUSED: Final = frozenset(
    ("punycode", "idna", "unicode-escape", "raw-unicode-escape", "undefined", "mbcs", "oem", "utf-7")
)

#: Labels that Python does not know: those of the WHATWG Encoding Standard, of XML 1.0 §4.3.3, and of libiconv, which
#: libxml2 uses.
_LABELS: Final = (
    {
        "chinese": "gbk",
        "cn-big5": "big5",
        "cseuckr": "euc-kr",
        "cseucpkdfmtjapanese": "euc-jp",
        "csgb2312": "gbk",
        "cshproman8": "hp-roman8",
        "csiso88596e": "iso8859-6",
        "csiso88596i": "iso8859-6",
        "csiso88598e": "iso8859-8",
        "csiso88598i": "iso8859-8",
        "csisolatin9": "iso8859-15",
        "csksc56011987": "euc-kr",
        "csmacintosh": "mac-roman",
        "csucs4": "utf-32",
        "csunicode": "utf-16",
        "dos-874": "cp874",
        "gb_2312": "gbk",
        "gb_2312-80": "gbk",
        "iso-10646-ucs-2": "utf-16",
        "iso-10646-ucs-4": "utf-32",
        "iso-8859-6-e": "iso8859-6",
        "iso-8859-6-i": "iso8859-6",
        "iso-8859-8-e": "iso8859-8",
        "iso-8859-8-i": "iso8859-8",
        "iso-ir-149": "euc-kr",
        "koi": "koi8-r",
        "koi8": "koi8-r",
        "koi8-ru": "koi8-u",
        "ks_c_5601-1989": "euc-kr",
        "ksc_5601": "euc-kr",
        "latin-9": "iso8859-15",
        "logical": "iso8859-8",
        "mac": "mac-roman",
        "ms-ansi": "cp1252",
        "ms-arab": "cp1256",
        "ms-cyrl": "cp1251",
        "ms-ee": "cp1250",
        "ms-greek": "cp1253",
        "ms-hebr": "cp1255",
        "ms-turk": "cp1254",
        "ms_kanji": "cp932",
        "sun_eu_greek": "iso8859-7",
        "ucs-2": "utf-16",
        "ucs-4": "utf-32",
        "unicode": "utf-16",
        "unicode-1-1-utf-8": "utf-8",
        "unicode11utf8": "utf-8",
        "unicode20utf8": "utf-8",
        "unicodefeff": "utf-16",
        "unicodefffe": "utf-16-be",
        "visual": "iso8859-8",
        "winbaltrim": "cp1257",
        "windows-31j": "cp932",
        "windows-874": "cp874",
        "windows-936": "gbk",
        "windows-949": "cp949",
        "x-euc-jp": "euc-jp",
        "x-gbk": "gbk",
        "x-mac-cyrillic": "mac-cyrillic",
        "x-mac-roman": "mac-roman",
        "x-mac-ukrainian": "mac-cyrillic",
        "x-sjis": "cp932",
        "x-unicode20utf8": "utf-8",
        "x-x-big5": "big5hkscs",
    }
    | {f"x-cp{number}": f"cp{number}" for number in range(1250, 1259)}
    | {f"iso8859{part}": f"iso8859-{part}" for part in (*range(1, 12), *range(13, 17))}
)

#: The mark for undecodable bytes that `replacement` need not know. A single byte that is not UTF-8 is marked by U+DC00
#: plus its value.
_UNKNOWN_BYTES: Final = "\udbff"


def _mark_utf8(error: UnicodeError) -> tuple[str, int]:
    """Error handler of the UTF-8 codec: marks invalid bytes by a lone surrogate, which `replacement` reads."""
    assert isinstance(error, UnicodeDecodeError)
    if error.end - error.start == 1:
        return chr(0xDC00 + error.object[error.start]), error.end
    return _UNKNOWN_BYTES, error.end


def _mark(error: UnicodeError) -> tuple[str, int]:
    """Error handler of all other codecs."""
    assert isinstance(error, UnicodeDecodeError)
    return _UNKNOWN_BYTES, error.end


codecs.register_error("xml5tree.mark-utf8", _mark_utf8)
codecs.register_error("xml5tree.mark", _mark)


def replacement(mark: str, encoding: str) -> tuple[str, str]:
    """The character that replaces undecodable bytes, and the message for the error log (D-006).

    Args:
        mark: the lone surrogate that the decoder put in their place.
        encoding: the encoding that they were not valid in.
    """
    if mark == _UNKNOWN_BYTES:
        return "\ufffd", f"bytes that are not {encoding} were replaced by U+FFFD"
    byte = ord(mark) - 0xDC00
    character = bytes([byte]).decode("windows-1252", "replace")
    if character == "\ufffd":
        return character, f"byte 0x{byte:02X} is not UTF-8; replaced by U+FFFD"
    return character, f"byte 0x{byte:02X} is not UTF-8; read as windows-1252 {character!r}"


def _lookup(label: str) -> str | None:
    """Python's name of the encoding with this label; None where it is unknown or refused."""
    try:
        info = codecs.lookup(_LABELS.get(label.lower(), label))
    except (LookupError, ValueError):
        return None
    if not info._is_text_encoding or info.name in _REFUSED:
        return None
    return "utf-8" if info.name == "utf-8-sig" else info.name


def check_label(label: str) -> None:
    """Check the encoding that a caller asks for.

    Raises:
        TypeError: it is not text.
        LookupError: it is unknown or refused.
    """
    if not isinstance(label, str):
        raise TypeError(f"encoding must be a name or None, not {type(label).__name__}")
    if _lookup(label) is None:
        raise LookupError(f"unknown or refused encoding: {label!r}")


def _family(encoding: str) -> str:
    """The encoding without its byte order."""
    return encoding[:6] if encoding.startswith(("utf-16", "utf-32")) else encoding


def _reads_ascii(encoding: str) -> bool:
    """Whether the encoding reads an XML declaration in ASCII as what it is."""
    return b"<?xml".decode(encoding, "replace") == "<?xml"


class Decoder:
    """Decodes a document that comes in chunks.

    Bytes that are not valid come out as lone surrogates, which nothing else decodes to; see `replacement`.

    Attributes:
        encoding: Python's name of the encoding, known once the first text is out.
        has_mark: whether the document begins with a byte order mark, known as well then.
        utf8: the bytes of the text that came out last, where that is their encoding and all of them are valid; else
            None.
    """

    def __init__(
        self,
        encoding: str | None = None,
        *,
        marks: tuple[tuple[bytes, str], ...] = _BYTE_ORDER_MARKS,
        guess: bool = True,
    ) -> None:
        """Set how the encoding is found.

        Args:
            encoding: the caller's encoding, which passes `check_label`; only a byte order mark overrules it.
            marks: the byte order marks that are known, and their encodings.
            guess: whether the bytes of ``<`` and the XML declaration are looked at; otherwise it is UTF-8.
        """
        self._override = None if encoding is None else _lookup(encoding)
        self._marks = marks
        self._guess = guess
        self.encoding = "utf-8"
        self.has_mark = False
        self.utf8: bytes | None = None
        self._by_bytes = False  # whether the bytes alone show the encoding
        self._decoder: codecs.IncrementalDecoder | None = None
        self._head = Lookahead()

    def decode(self, data: bytes, final: bool = False) -> str:
        """Decode the next bytes; `final` with the last ones."""
        self.utf8 = None
        if self._decoder is None:
            # Latin-1 makes a character of every byte, so that a declaration in ASCII can be looked for.
            if not self._head.add(data.decode("latin-1")) and not final:
                return ""
            head = self._head.take()
            until = self._sniff(head, final)
            if until is not None:
                self._head.hold(head, until)
                return ""
            data = head.encode("latin-1")
            self._decoder = codecs.getincrementaldecoder(self.encoding)("strict")
        state = self._decoder.getstate()
        try:
            text = self._decoder.decode(data, final)
        except UnicodeDecodeError:
            self._decoder.setstate(state)
            self._decoder.errors = "xml5tree.mark-utf8" if self.encoding == "utf-8" else "xml5tree.mark"
            try:
                return self._decoder.decode(data, final)
            finally:
                self._decoder.errors = "strict"
        if self.encoding == "utf-8":
            held = len(self._decoder.getstate()[0])  # of a character that is not complete
            self.utf8 = state[0] + (data[:-held] if held else data)
        return text

    def _sniff(self, head: str, final: bool) -> re.Pattern[str] | None:
        """Find the encoding (D-002); return the pattern to wait for where the head does not show it yet."""
        if len(head) < 4 and not final:
            return re.compile(r"(?s:.)")
        first = head[:4].encode("latin-1")
        for mark, encoding in self._marks:
            if first.startswith(mark):
                self.encoding, self._by_bytes, self.has_mark = encoding, True, True
                return None
        if self._override is not None:
            self.encoding = self._override
            if self._override in {"utf-16", "utf-32"}:  # Python reads them only with a byte order mark
                shown = (encoding for pattern, encoding in _PATTERNS if first.startswith(pattern))
                encoding = next(shown, "")
                self.encoding = encoding if _family(encoding) == self._override else f"{self._override}-le"
            return None
        if not self._guess:
            return None
        for pattern, encoding in _PATTERNS:
            if first.startswith(pattern):
                self.encoding, self._by_bytes = encoding, True
                return None
        declaration = find_declaration(head, final)
        if isinstance(declaration, re.Pattern):
            return declaration
        if isinstance(declaration, XMLDeclaration) and declaration.encoding is not None:
            declared = _lookup(declaration.encoding)
            if declared is not None and _reads_ascii(declared) and declared != "ascii":
                self.encoding = declared
        return None

    def judge(self, label: str) -> tuple[str, str, str] | None:
        """What is wrong with a declared encoding (D-003 to D-005): an error code and two details; None: nothing."""
        if self._override is not None and not self._by_bytes:
            return None
        declared = _lookup(label)
        if declared is None:
            return "unsupported-encoding", label, self.encoding
        agrees = _family(declared) == _family(self.encoding) if self._by_bytes else _reads_ascii(declared)
        return None if agrees else ("encoding-declaration-mismatch", label, self.encoding)

    def finds_other_than(self, encoding: str) -> bool:
        """Whether the bytes themselves say that they are in another encoding; what the caller says does not count."""
        if self.encoding == encoding:
            return False
        return self._override is None or (self._by_bytes and _family(self._override) != _family(self.encoding))

    def allows_only_ascii(self, label: str) -> bool:
        """Whether a declared label makes every byte above 0x7F invalid; such bytes are read as UTF-8 (D-006)."""
        return self.encoding == "utf-8" and not self._by_bytes and self._override is None and _lookup(label) == "ascii"
