"""Converts line breaks for libxml2, which does not count a lone CR."""

import codecs
import re
from typing import Final

_LONE_RETURN: Final = re.compile("\r(?!\n)")
_LONE_RETURN_BYTES: Final = re.compile(rb"\r(?!\n)")
_WIDE: Final = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # which begins with that of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (b"<\0\0\0", "utf-32-le"),
    (b"\0\0\0<", "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (b"<\0", "utf-16-le"),
    (b"\0<", "utf-16-be"),
)


def with_line_feeds(document: str | bytes) -> str | bytes:
    """Return a document with U+000A for each U+000D that is a line break by itself (XML 1.0 §2.11)."""
    # The tree is the same. But libxml2 does not count such lines, and `sourceline` would depend on the chunks.
    # Most documents have no U+000D; searching for one takes a hundredth of the time of counting.
    if isinstance(document, str):
        has_lone_return = "\r" in document and document.count("\r") != document.count("\r\n")
        return _LONE_RETURN.sub("\n", document) if has_lone_return else document
    if b"\r" not in document:
        return document
    encoding = next((encoding for start, encoding in _WIDE if document.startswith(start)), None)
    if encoding is None:
        has_lone_return = document.count(b"\r") != document.count(b"\r\n")
        return _LONE_RETURN_BYTES.sub(b"\n", document) if has_lone_return else document
    try:
        return _LONE_RETURN.sub("\n", document.decode(encoding)).encode(encoding)
    except UnicodeDecodeError:  # libxml2 refuses it
        return document
