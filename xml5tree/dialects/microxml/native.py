"""Decides which documents the native parser may build (M-092)."""

# The native parser itself checks that elements are closed, names valid, attributes different, and the root single. What
# remains is to exclude constructs that MicroXML lacks, and white space in values, which XML normalises.

import codecs
import re
from typing import Any, Final

from xml5tree.backends import Backend
from xml5tree.backends.native_first import is_certainly_refused, keeps_limits
from xml5tree.dialects.microxml.chars import NOT_ALLOWED, reference_problem
from xml5tree.options import Settings

#: A "<" that begins no tag of MicroXML, or a tag with white space in a value. Most tags pass at the first look: it
#: finds all faults that native parsers do not, if there is no attribute xmlns. The second reads a tag once,
#: possessively.
_BAD_TAG: Final = re.compile(
    rb"""<(?![^<>\t\r\n:!?]*+>)(?!/?+[^\s<>:"'=/&!?]++"""
    rb"""(?>[ \t\r\n]++(?!xmlns[ \t\r\n=])[^\s<>:"'=/&]++[ \t\r\n]*+=[ \t\r\n]*+"""
    rb"""(?:"[^"\t\r\n<>]*+"|'[^'\t\r\n<>]*+'))*+[ \t\r\n]*+/?+>)"""
)
_XMLNS: Final = re.compile(rb"xmlns[ \t\r\n]*+=")
_COMMENT: Final = re.compile(rb"(?s:<!--.*?(?:-->|\Z))")  # one that is not closed, too, so as to be linear
_BAD_REFERENCE: Final = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#x[0-9A-Fa-f]++);)")
_NUMERIC: Final = re.compile(rb"&#x([0-9A-Fa-f]++);")


def parse_natively(data: bytes | str, settings: Settings, backend: Backend) -> Any:
    """Return the root element that the backend's native parser builds of a MicroXML document; None for others."""
    if is_certainly_refused(data, settings, backend.limits) is not False:
        return None
    markup = _in_utf8(data, settings)
    # A document with another first byte may be in another encoding that native parsers detect.
    if markup is None or b"\0" in markup or not markup.lstrip(b"\t\n\r ").startswith(b"<"):
        return None
    if NOT_ALLOWED.may_be_in(markup) or not _has_allowed_markup(markup) or not keeps_limits(markup, settings):
        return None
    try:
        return backend.parse_markup(markup)
    except backend.refusals:
        return None


def _in_utf8(data: bytes | str, settings: Settings) -> bytes | None:
    """Return a document as bytes without its byte order mark; None if it surely is not in UTF-8."""
    if isinstance(data, str):
        try:
            data = data.encode()
        except UnicodeEncodeError:  # surrogates
            return None
    elif settings.encoding is not None and settings.encoding.lower() not in {"utf-8", "utf8"}:
        return None
    return data.removeprefix(codecs.BOM_UTF8)


def _has_allowed_markup(markup: bytes) -> bool:
    bad = _BAD_TAG.search(markup)
    if bad is not None and markup.startswith(b"<!--", bad.start()):
        markup = _COMMENT.sub(b"", markup)
        bad = _BAD_TAG.search(markup)
    if bad is not None or _XMLNS.search(markup) or _BAD_REFERENCE.search(markup):
        return False
    numbers = set(_NUMERIC.findall(markup))
    if any(len(digits) > 8 or reference_problem(int(digits, 16)) is not None for digits in numbers):
        return False
    # Now each "<" begins a tag, which has one ">": further ones are in text.
    return markup.count(b"<") == markup.count(b">")
