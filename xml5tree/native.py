"""Which whole documents the native parser may try before the repair does.

What a native parser accepts gives its tree, without errors (D-001). The exceptions are documents that it would accept
with content silently lost or misread, or against the caller's wishes; a document that only might be one of them is
repaired, which gives the same tree if it is none. Nothing here has to be exact, but for that.
"""

import codecs
import re
from typing import Final

from xml5tree.declaration import XMLDeclaration, find_declaration
from xml5tree.decoding import Decoder
from xml5tree.options import Settings
from xml5tree.readable import Readable

__all__ = ["may_have_doctype", "may_try"]

_DOCTYPE: Final = "<!DOCTYPE"
_WIDE_ENCODINGS: Final = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")

#: Encodings in which markup may hide in bytes that show none: those that are refused (D-005), which a native parser
#: may know under other names, and those with shift sequences.
_HIDING: Final = re.compile(r"utf-?7|iso-?2022|^hz|escape|java|c99|ucn|punycode|idna", re.IGNORECASE)
_BYTE_ORDER_MARKS: Final = (codecs.BOM_UTF8, codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE, b"\0\0\xfe\xff")
#: Perhaps an external DTD or parameter entity, in text and in bytes of one byte a character.
_EXTERNAL: Final = re.compile("SYSTEM|PUBLIC|%")
_EXTERNAL_BYTES: Final = re.compile(_EXTERNAL.pattern.encode())
#: A reference to an entity other than the five.
_ENTITY: Final = re.compile(r"&(?!#|(?:amp|lt|gt|apos|quot);)")
_ENTITY_BYTES: Final = re.compile(_ENTITY.pattern.encode())


def may_have_doctype(data: bytes | str) -> bool:
    """Whether there might be a DOCTYPE in a document."""
    if isinstance(data, str):
        return _DOCTYPE in data
    if _is_wide(data):
        return any(_DOCTYPE.encode(encoding) in data for encoding in _WIDE_ENCODINGS)
    return _DOCTYPE.encode() in data


def may_try(data: bytes | str, settings: Settings, readable: Readable) -> bool:
    """Whether the native parser, of which `readable` is known, may try a whole document."""
    if may_have_doctype(data):
        if settings.forbid_dtd or not settings.resolve_entities or (isinstance(data, bytes) and _is_wide(data)):
            return False
        if settings.attribute_defaults not in {None, readable.attribute_defaults}:
            return False
        if _may_lose_references(data):
            return False
    if isinstance(data, str):
        return True
    return _is_trusted(data) if settings.encoding is None else not _HIDING.search(settings.encoding)


def _may_lose_references(data: bytes | str) -> bool:
    """Whether there might be references that a parser drops that does not read the external DTD (E1 of D-001)."""
    if isinstance(data, str):
        return bool(_EXTERNAL.search(data) and _ENTITY.search(data))
    return bool(_EXTERNAL_BYTES.search(data) and _ENTITY_BYTES.search(data))


def _is_wide(data: bytes) -> bool:
    """Whether the document seems to be in an encoding of 16 or 32 bits."""
    return b"\0" in data[:4] or data.startswith((codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE))


def _is_trusted(data: bytes) -> bool:
    """Whether the document's bytes and its declaration agree on an encoding that is not refused (D-003, D-005)."""
    decoder = Decoder()
    head = decoder.decode(data[:1024], final=True).removeprefix("\ufeff")
    declaration = find_declaration(head, final=True)
    if not isinstance(declaration, XMLDeclaration) or declaration.encoding is None:
        return True
    if _HIDING.search(declaration.encoding):
        return False
    return not data.startswith(_BYTE_ORDER_MARKS) or decoder.judge(declaration.encoding) is None
