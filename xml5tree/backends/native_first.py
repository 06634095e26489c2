"""Decides whether the native parser may try a document first.

A document that the native parser accepts gives its tree, without errors (D-001). The exceptions are documents that it
would accept with content silently lost or misread, or against the caller's options. False is always safe: the repair
gives the same tree.
"""

import codecs
import re
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

import xml5tree.accelerator as accelerator
from xml5tree.input.declaration import XMLDeclaration, find_declaration
from xml5tree.input.decoder import Decoder
from xml5tree.options import Settings
from xml5tree.xml.limits import ReaderLimits
from xml5tree.xml.names import FIFTH_EDITION, LONGEST_NAME
from xml5tree.xml.patterns import compiled
from xml5tree.xml.vocabulary import Vocabulary

_DEFAULT: Final = Settings()
_DOCTYPE: Final = "<!DOCTYPE"
_WIDE_ENCODINGS: Final = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")

#: Encodings, by Python's names, proven to hide nothing: a byte below 0x80 is that ASCII character everywhere, and no
#: other bytes make a character of markup. So markup that is not in the bytes is not in the document. This excludes
#: shift sequences, EBCDIC, second codes for ASCII, refused encodings (D-005), and East Asian ones whose characters may
#: end in a byte below 0x80: in Johab even "?" and ">", elsewhere "[", "]" or letters.
_PLAIN: Final = re.compile(
    r"ascii|utf-8|iso8859-\d+|cp125\d|koi8-[rtu]|tis-620|kz1048|ptcp154|hp-roman8"
    r"|cp(?:437|720|737|775|85[025678]|86[0-35-69]|874|1006|1125)"
    r"|mac-(?:croatian|cyrillic|greek|iceland|latin2|roman|romanian|turkish)"
    r"|gb2312|euc_(?:jp|jis_2004|jisx0213|kr)"
)
#: Labels of plain encodings that libxml2 knows by libiconv, and Python does not.
_PLAIN_FOR_LIBXML2: Final = (
    r"(?i)(?:cs)?viscii|viscii1\.1-1|tcvn|tcvn-5712|tcvn5712-1(?::1993)?|nextstep|georgian-(?:academy|ps)|mulelao-1"
    r"|mac(?:ukraine|thai|hebrew)|cp113[13]"
)
#: A document up to its first tag, if nothing but a prolog without a DOCTYPE is before that.
_PROLOG: Final = r"(?s)(?>[\t\n\r ]++|<\?.*?\?>|<!--.*?-->)*+<"
_WIDE: Final = re.compile("utf-(?:16|32)(?:-[bl]e)?")
#: A document up to the start of its first tag, if there is certainly no DOCTYPE before it.
_BEFORE_TAG: Final = re.compile(r"(?s)(?>[^<]++|<\?.*?\?>|<!--.*?-->)*+<[^!?]")
_BEFORE_TAG_BYTES: Final = re.compile(_BEFORE_TAG.pattern.encode())
#: Signs of an external DTD or parameter entity. A pattern takes ten times as long as three searches.
_EXTERNAL: Final = ("SYSTEM", "PUBLIC", "%")
#: A reference to an entity other than the five.
_ENTITY: Final = re.compile(r"&(?!#|(?:amp|lt|gt|apos|quot);)")
#: Bytes or characters at the beginning of a document in which its XML declaration is looked for.
_HEAD: Final = 1024
#: The beginning of a document that is certainly in UTF-8 and has no DOCTYPE, up to the name of its first tag. Zero
#: bytes may mean another encoding (see `is_wide`). An empty group is where the XML declaration ends.
_IS_UTF8: Final = re.compile(
    rb"""(?s)(?!.{0,3}\0)(?:\xef\xbb\xbf)?"""
    rb"""(?:<\?xml[ ]version=(?:"1\.[0-9]+"|'1\.[0-9]+')(?:[ ]encoding=(?:"(?i:utf-8)"|'(?i:utf-8)'))?"""
    rb"""(?:[ ]standalone=(?:"(?:yes|no)"|'(?:yes|no)'))?[ ]?\?>)?"""
    rb"""(?P<prolog>)(?>[\t\n\r ]++|<!--.*?-->|<\?xml-.*?\?>)*+<[A-Za-z_:\x80-\xff]"""
)
#: Bytes that are looked through for an error: a scan takes an eighth of the time of a native parser.
_LOOKED_THROUGH: Final = 1 << 15
#: An entity that may bring elements: libxml2 counts their lines from the entity's beginning.
_MARKUP_IN_ENTITY: Final = re.compile(rb"<!ENTITY[^>]*?(?:<|&#0*60;|&#x0*3[Cc];)")
#: Bytes of a document from which on a repair is read in place at once, as this takes no longer than judging it.
_SMALL: Final = 1 << 16
#: Elements within each other that are looked through.
_LEVELS_LOOKED_THROUGH: Final = 1_000_000

#: Looks for an error, see `has_error` in `_scan.pyi`.
Look: TypeAlias = Callable[[bytes, int, int, int, bool], bool | None]
#: The compiled search for errors; None: there is none. Tests change it.
has_error: Look | None = getattr(accelerator.compiled, "has_error", None)


def may_have_doctype(data: bytes | str) -> bool:
    """Return whether a well-formed document may have a DOCTYPE, which comes before the first tag."""
    if isinstance(data, str):
        return _BEFORE_TAG.match(data) is None
    if is_wide(data):
        # To search for an exclamation mark takes a hundredth of the time.
        return b"!" in data and any(_DOCTYPE.encode(encoding) in data for encoding in _WIDE_ENCODINGS)
    return _BEFORE_TAG_BYTES.match(data) is None


def begins_with(data: bytes | str, names: Iterable[str]) -> bool:
    """Return whether a well-formed document certainly begins with an element of one of the `names`."""
    pattern = f"{_PROLOG}{Vocabulary(names).pattern}[\t\n\r />]"
    if isinstance(data, str):
        return re.match(pattern, data.removeprefix("\ufeff")) is not None
    # Names with other characters depend on the encoding.
    return pattern.isascii() and re.match(pattern.encode(), data.removeprefix(codecs.BOM_UTF8)) is not None


def may_try(data: bytes | str, settings: Settings, limits: ReaderLimits) -> bool:
    """Return whether the native parser that has these `limits` may try a whole document."""
    if settings.encoding is None and isinstance(data, bytes) and _IS_UTF8.match(data):  # as most documents are
        return _keeps_depth(data, settings)
    if may_have_doctype(data):
        if settings.forbids_doctypes or not settings.resolve_entities:
            return False
        if settings.attribute_defaults not in {None, limits.attribute_defaults}:
            return False
        # A parser that does not read the external DTD might drop references (E1 of D-001).
        text = _searchable(data, settings.encoding)
        if _names_external(text) and _ENTITY.search(text):
            return False
        if limits.attribute_defaults:
            from xml5tree.backends.guard import Guard  # few documents have a DOCTYPE

            guard = Guard(settings.encoding)
            guard.look(data)
            # An entity above the limit would be expanded up to it before expat refuses. libxml2 needs no check.
            if guard.largest > (limit := settings.amplification_threshold) or guard.complaint(limit):
                return False
    if not keeps_limits(data, settings):
        return False
    if isinstance(data, str):
        if "\0" in data[:2]:  # for expat that is UTF-16, though it is told that it gets UTF-8
            return False
        declaration = find_declaration(data[:_HEAD].removeprefix("\ufeff"), final=True)
        return not isinstance(declaration, XMLDeclaration) or not declaration.problems  # expat takes any version
    return _is_trusted(data, settings.encoding)


def is_certainly_refused(data: bytes | str, settings: Settings, limits: ReaderLimits) -> bool | None:
    """Return whether a native parser certainly refuses a document, for an error that the compiled scan finds.

    None: it probably does. That is not made certain where it takes as long as to read the document by the draft.
    """
    # The scan takes an eighth of the time of a native parser. So it looks at the beginning only, or at all of a
    # document that is likely to have an error: to find out whether it is takes a hundredth.
    scanner = accelerator.compiled
    if scanner is None or has_error is None or settings.encoding is not None:
        return False
    try:
        utf8 = data.encode() if isinstance(data, str) else data
        found = _IS_UTF8.match(utf8)
        if found is None and isinstance(data, bytes) and is_wide(data):
            utf8 = _searchable(data, None).encode()
            found = _IS_UTF8.match(utf8)
    except UnicodeEncodeError:
        return False
    if found and _is_broken(utf8[:_LOOKED_THROUGH], found.end("prolog"), limits):
        return True
    if (found and len(utf8) <= _LOOKED_THROUGH) or not scanner.seems_broken(utf8):
        return False
    if found and settings.recovery != "draft":
        return _is_broken(utf8, found.end("prolog"), limits)
    if found is None and (utf8.find(b"<?", len(codecs.BOM_UTF8) + 1) >= 0 or _MARKUP_IN_ENTITY.search(utf8)):
        return False  # what is counted for tags may be none, or elements of an entity
    return None


def _is_broken(utf8: bytes, start: int, limits: ReaderLimits) -> bool:
    """Return whether there is certainly an error from `start` on, which is in the prolog."""
    assert has_error is not None
    utf8 = utf8.replace(b"\r", b"\n")  # the scan knows no carriage returns
    return has_error(utf8, start, len(utf8), _LEVELS_LOOKED_THROUGH, limits.names is FIFTH_EDITION) is True


def judge(data: bytes | str, settings: Settings, limits: ReaderLimits, look: Look | None = None) -> bool | None:
    """Return whether a whole document is well-formed; None if that is not known.

    It never is with a DOCTYPE, or where nothing is compiled. False is also right for the beginning of a document.
    `look` is called in the place of `has_error`, even if there are carriage returns.
    """
    if settings.encoding is not None or has_error is None:
        return None
    try:
        utf8 = data.encode() if isinstance(data, str) else data
    except UnicodeEncodeError:
        return None
    found = _IS_UTF8.match(utf8)
    if found is None:
        return None
    levels = limits.depth(settings.max_depth) - 1
    if settings.recovery == "draft" and accelerator.compiled is not None and accelerator.compiled.seems_broken(utf8):
        return None  # its repair takes little more than to make that certain
    if look is None:
        look, utf8 = has_error, utf8.replace(b"\r", b"\n")
    is_broken = look(utf8, found.end("prolog"), len(utf8), levels, limits.names is FIFTH_EDITION)
    if is_broken is False:
        return is_certain(utf8, limits) or None
    return None if is_broken is None else False


def is_read_in_place(data: bytes | str, settings: Settings) -> bool:
    """Return whether the core probably reads a whole document in place by the draft, which takes as long as `judge`."""
    if isinstance(data, str) or len(data) <= _SMALL or settings.recovery != "draft" or settings.encoding is not None:
        return False
    return accelerator.compiled is not None and b"\r" not in data[:_LOOKED_THROUGH] and _IS_UTF8.match(data) is not None


def is_certain(utf8: bytes, limits: ReaderLimits) -> bool:
    """Return whether what a scan finds in a document, or a part of it, certainly holds for its reader.

    A name may be longer than libxml2 reads where some stretch of that length has no end of a tag.
    """
    half = LONGEST_NAME // 2
    may_be_long = any(utf8.find(b">", start, start + half) < 0 for start in range(0, len(utf8) - half + 1, half))
    return not (may_be_long or (limits.checks_ids and b"xml:id" in utf8))


def is_own_repair(data: bytes | str) -> bool:
    """Return whether a repair leaves a document that `judge` finds well-formed as it is: text names no encoding."""
    if isinstance(data, bytes):
        return True
    declaration = find_declaration(data[:_HEAD].removeprefix("\ufeff"), final=True)
    return not isinstance(declaration, XMLDeclaration) or declaration.encoding is None


def keeps_limits(data: bytes | str, settings: Settings) -> bool:
    """Return whether the native parser, which does not know the caller's limits, is sure to keep them."""
    # The default limits of expansion are expat's own, and libxml2's are stricter. The default depth does not limit
    # documents that the native parser accepts (D-124).
    if may_have_doctype(data):
        return (
            settings.max_amplification >= _DEFAULT.max_amplification
            and settings.amplification_threshold >= _DEFAULT.amplification_threshold
            and settings.max_depth == _DEFAULT.max_depth
        )
    return _keeps_depth(data, settings)


def _keeps_depth(data: bytes | str, settings: Settings) -> bool:
    """Return whether a document without a DOCTYPE certainly is no deeper than the caller allows."""
    if settings.max_depth == _DEFAULT.max_depth:
        return True
    tags = data.count("<") if isinstance(data, str) else data.count(b"<")
    return tags <= settings.max_depth


def _searchable(data: bytes | str, encoding: str | None) -> str:
    """Return a document as text in which ASCII characters can be searched for."""
    if isinstance(data, str):
        return data
    return Decoder(encoding).decode(data, final=True) if is_wide(data) else data.decode("latin-1")


def may_name_external(data: bytes | str, encoding: str | None) -> bool:
    """Return whether a document with a DOCTYPE may name an external DTD or parameter entity."""
    return _names_external(_searchable(data, encoding))


def _names_external(text: str) -> bool:
    return any(sign in text for sign in _EXTERNAL)


def is_wide(data: bytes) -> bool:
    """Return whether a document seems to be in an encoding of 16 or 32 bits."""
    return b"\0" in data[:4] or data.startswith((codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE))


def _is_trusted(data: bytes, encoding: str | None) -> bool:
    """Return whether an encoding hides nothing, and bytes, declaration and caller agree on it (D-003 to D-005)."""
    decoder = Decoder(encoding)
    head = decoder.decode(data[:_HEAD], final=True).removeprefix("\ufeff")
    if not (_WIDE if is_wide(data) else _PLAIN).fullmatch(decoder.encoding):
        return False
    if not head.lstrip().startswith("<"):  # not well-formed, or in an encoding that a native parser guesses
        return False
    declaration = find_declaration(head, final=True)
    if not isinstance(declaration, XMLDeclaration):
        return True
    if declaration.problems:  # one may be that it goes on after the head
        return False
    label = declaration.encoding
    if label is None or decoder.judge(label) is None:
        return True
    return compiled(_PLAIN_FOR_LIBXML2).fullmatch(label) is not None and not data.startswith(codecs.BOM_UTF8)
