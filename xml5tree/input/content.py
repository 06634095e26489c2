"""Refuses bytes that cannot be XML."""

import re
from typing import Final

from xml5tree.input.decoder import Decoder
from xml5tree.unpacking import compression_of, has_zstd

#: The most bytes that are looked at.
_HEAD: Final = 1024

#: Signatures of other kinds of files, with their names. XML in any encoding begins otherwise.
_SIGNATURES: Final = tuple(
    (re.compile(pattern, re.DOTALL), name)
    for pattern, name in (
        (rb"PK(?:\x03\x04|\x05\x06|\x07\x08)", "a ZIP archive, as .docx, .xlsx, .epub and .jar are"),
        (rb"%PDF-[0-9]", "a PDF document"),
        (rb"\x89PNG\r\n\x1a\n", "a PNG image"),
        (rb"\xff\xd8\xff", "a JPEG image"),
        (rb"GIF8[79]a", "a GIF image"),
        (rb"BM....\0\0\0\0", "a BMP image"),
        (rb"II\*\0|MM\0\*", "a TIFF image"),
        (rb"\0\0\x01\0.\0", "an icon"),
        (rb"8BPS\0", "a Photoshop image"),
        (rb"RIFF....(?:WEBP|WAVE|AVI )", "an image, sound or video in RIFF"),
        (rb"\0\0\0.ftyp", "a video or image in ISO base media format"),
        (rb"\x1a\x45\xdf\xa3", "a Matroska or WebM video"),
        (rb"OggS\0|fLaC\0|ID3[\x02-\x04]", "sound"),
        (rb"\x7fELF[\x01\x02]", "an executable (ELF)"),
        (rb"MZ.{56,62}\0\0", "an executable of Windows or DOS"),
        (rb"\xfe\xed\xfa[\xce\xcf]|[\xce\xcf]\xfa\xed\xfe", "an executable (Mach-O)"),
        (rb"\xca\xfe\xba\xbe", "a class file of Java, or an executable (Mach-O)"),
        (rb"\0asm\x01\0\0\0", "WebAssembly"),
        (rb"BZh[1-9](?:1AY&SY|\x17\x72\x45\x38\x50\x90)", "bzip2 data"),
        (rb"\xfd7zXZ\0", "xz data"),
        (rb"\x04\x22\x4d\x18", "LZ4 data"),
        (rb"7z\xbc\xaf\x27\x1c", "a 7z archive"),
        (rb"Rar!\x1a\x07", "a RAR archive"),
        (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a document of Microsoft Office before 2007, as .doc and .xls are"),
        (rb"SQLite format 3\0", "an SQLite database"),
        (rb"bplist0", "a binary property list; 'plutil -convert xml1' makes XML of it"),
        (rb"\x03\0\x08\0.{4}\x01\0", "binary XML of Android"),
        (rb"\$EXI[\x80-\xbf]", "XML in the binary format EXI"),
        (rb"wOF[F2]|OTTO\0|\0\x01\0\0\0", "a font"),
        (rb"PAR1\x15|ARROW1\0\0", "a table in Parquet or Arrow"),
    )
)

#: How markup begins: with a tag, up to the end of its name, or with another construct; and how JSON does, which may
#: have markup in it. Such a document is read at once.
_MARKUP: Final = re.compile(
    r"(?i)[\0\ufeff \t\r\n]*+(?:<"
    r"(?:[^\W\d][\w.:-]*+[\s/>]|/[^\W\d]|\?[^\W\d][\w.:-]*+[\s?>]|!--|!DOCTYPE\s|!\[CDATA\[)"
    r"|[{\[][ \t\r\n]*+[\"{\[])"
)
#: Markup in bytes, as far as it is alike in every encoding that such bytes may be in.
_MARKUP_IN_ASCII: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?[ \t\r\n]*+<(?:[A-Za-z_][A-Za-z0-9_.:-]*+[\s/>]|\?xml[ \t\r\n?>]|!--|!DOCTYPE\s)"
)

#: Control characters that text does not have, not even that of terminals, which has ESC and BEL.
_CONTROLS: Final = re.compile("[\0-\x06\x0e-\x1a\x1c-\x1f]")
#: How many there must be, and one in how many characters. Of random bytes it is one in ten.
_LEAST_CONTROLS: Final = 6
_CHARACTERS_PER_CONTROL: Final = 20


class NotXML(Exception):
    """A document is not XML, but looks like `description`."""

    def __init__(self, description: str) -> None:
        super().__init__(description)
        self.description = description


class ContentGate:
    """Holds back the beginning of a document until that shows whether it can be XML, however it is fed."""

    def __init__(self, encoding: str | None) -> None:
        self._encoding = encoding
        self._held: list[bytes] = []
        self._head = b""
        self._is_open = False

    def admit(self, data: bytes, *, final: bool = False) -> bytes:
        """Return what can be read now; raise `NotXML` if it is not XML."""
        if self._is_open:
            return data
        self._held.append(data)
        self._head += data[: _HEAD - len(self._head)]
        if not self._is_decided(final or len(self._head) == _HEAD):
            return b""
        self._is_open = True
        held, self._held, self._head = self._held, [], b""
        return b"".join(held)

    def _is_decided(self, is_all: bool) -> bool:
        """Return whether the document can be read now; `is_all`: no more bytes are looked at."""
        head = self._head
        if self._encoding is None and begins_as_markup(head):
            return True
        _refuse_signature(head)
        text = Decoder(self._encoding).decode(head, final=is_all)
        if _MARKUP.match(text):
            return True
        if is_all:
            _refuse_controls(text, head)
        return is_all


def begins_as_markup(data: bytes) -> bool:
    """Return whether a document certainly can be XML; False is always safe."""
    return _MARKUP_IN_ASCII.match(data) is not None


def _refuse_signature(head: bytes) -> None:
    if compression := compression_of(head):
        how = "unpack it first, as parse, iterparse and open do"
        if compression == "zstd" and not has_zstd():
            how = "to unpack it, Python 3.14 or backports.zstd is needed"
        raise NotXML(f"{compression} data; {how}")
    for signature, name in _SIGNATURES:
        if signature.match(head):
            raise NotXML(name)


def _refuse_controls(text: str, head: bytes) -> None:
    controls = len(_CONTROLS.findall(text))
    if controls >= _LEAST_CONTROLS and controls * _CHARACTERS_PER_CONTROL >= len(text):
        for encoding, places in (("utf-16-be", slice(0, None, 2)), ("utf-16-le", slice(1, None, 2))):
            if head[places].count(0) * 2 > len(head[places]) and head.count(0) == head[places].count(0):
                raise NotXML(f"UTF-16 without a byte order mark, which encoding={encoding!r} reads")
        raise NotXML(f"binary data: {controls} of the first {len(text):,} characters are control characters")
