"""Decides which documents the native parser may read (L-095)."""

# It may reject too many: the lexer reads those.

import codecs
import re
from itertools import chain
from typing import Any, Final

from xml5tree.backends import Backend
from xml5tree.dialects.leafxml.characters import find_forbidden, has_safe_characters
from xml5tree.options import Settings

_UTF16_SIGNATURES: Final = (codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE)
#: A DOCTYPE is an error; for an empty CDATA section, lxml has an empty text where there is none (E11 of D-001).
_ODD_MARKUP: Final = re.compile(rb"<!(?:DOCTYPE|\[CDATA\[\]\]>)")
_OTHER_ESCAPE: Final = re.compile(b"&(?!(?:amp|lt|gt|apos|quot);)")
_DECLARATION: Final = re.compile(rb"<\?xml[\t\n\r ].*?\?>", re.DOTALL)

_SPACE: Final = rb"[\t\n\r ]*+"
_COMPRESSED: Final = "{0}(?:[^{0} \t\n\r]++(?> [^{0} \t\n\r]++)*+)?+{0}".format
#: A possible attribute value with white space to compress. Matches in text and comments do no harm.
_UNCOMPRESSED: Final = re.compile(
    rb"=%b(?:(?=\")(?!%b)|(?=')(?!%b))" % (_SPACE, _COMPRESSED('"').encode(), _COMPRESSED("'").encode())
)
#: A possible declaration of an empty namespace name, or of one that a backend changes.
_ODD_DECLARATION: Final = re.compile(
    rb"""xmlns[^="'<>]*+=%b(?:"[^"}]*+(?!["])|'[^'}]*+(?![']))|xmlns[^="'<>]*+=%b(?:""|'')""" % (_SPACE, _SPACE)
)

#: libxml2's default limit of nesting; expat has none.
_DEPTH_OF_LIBXML2: Final = 256


def parse_natively(data: bytes | str, settings: Settings, backend: Backend) -> Any:
    """Return the root that the native parser builds; None if the lexer must read the document."""
    markup = for_native_parser(data, settings)
    if markup is None:
        return None
    is_shallow = settings.max_depth >= _DEPTH_OF_LIBXML2 if backend.limits.max_depth else False
    may_be_deep = not is_shallow and markup.count(b"<") > settings.max_depth
    if may_be_deep and backend.limits.max_depth:
        return None
    try:
        root = backend.parse_markup(markup)
    except backend.refusals:
        return None
    return None if may_be_deep and _is_deeper(root, settings.max_depth) else root


def _is_deeper(root: Any, depth: int) -> bool:
    parents = [root] if len(root) else []
    while parents and depth > 1:
        parents = [child for child in chain.from_iterable(parents) if len(child)]
        depth -= 1
    return bool(parents)


def for_native_parser(data: bytes | str, settings: Settings) -> bytes | None:
    """Return a document in UTF-8 for a native parser that ignores encoding declarations; None if it must not be used.

    Comments and instructions are kept, and must be left out of the tree. The XML declaration is dropped.
    """
    text = _text(data, settings)
    if text is None:
        return None
    if find_forbidden(text) >= 0 or not has_safe_characters(text):
        return None
    utf8 = text.encode()
    if any(odd.search(utf8) for odd in (_ODD_MARKUP, _OTHER_ESCAPE, _UNCOMPRESSED, _ODD_DECLARATION)):
        return None
    declaration = _DECLARATION.match(utf8)
    if declaration is not None:
        utf8 = b"\n" * declaration[0].count(b"\n") + utf8[declaration.end() :]
    return None if utf8.startswith(codecs.BOM_UTF8) else utf8  # a native parser would drop that character


def _text(data: bytes | str, settings: Settings) -> str | None:
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    if data.startswith(_UTF16_SIGNATURES):
        return None
    if settings.encoding is not None and not data.startswith(codecs.BOM_UTF8):
        return None
    try:
        return data.removeprefix(codecs.BOM_UTF8).decode()
    except UnicodeDecodeError:
        return None
