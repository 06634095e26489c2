"""The documents that a fuzzer tries: made of documents that it has, or new ones, always of parts that XML knows."""

import re
from collections.abc import Callable, Sequence
from random import Random

from support import nearxml

from compat.documents import catalog, feed, nested
from compat.mutations import DAMAGES

__all__ = ["LONGEST", "SEEDS", "mutated"]

#: No document gets longer, so that each is tried quickly; those that grow may be _GROWN long, unless they declare
#: entities or attributes, which take longer by design.
LONGEST = 4000
_GROWN = 24_000

#: Where the tags, comments, references and so on of a document begin and end.
_BOUNDARY = re.compile(rb"(?=[<&])|(?<=[>;])")
_XML_DECLARATION = re.compile(r"\A\s*<\?xml\s[^<>]*>")
_TAG = re.compile(rb"<[^\s<>/!?]+")

#: Documents to begin with, besides those of a folder: what speeds are quoted on, with and without faults.
SEEDS = [text.encode() for text in (feed(1), feed(2, 1), catalog(4), catalog(8, 1))] + [nested(1).encode()[:LONGEST]]

_NAMESPACE_PARTS = [
    *[' xmlns="u"', ' xmlns=""', ' xmlns:p="u"', " xmlns:p='v' p:a='1'", ' p:a="1" q:a="2"', ' xml:lang="en"'],
    *[" xmlns:q='u' xmlns:p='u' p:a='1' q:a='2'", " xmlns:p=''", " xmlns:xml='u'", " xlink:href='#'", " z:z='1'"],
    *[f" {declaration}" for declaration in nearxml.BAD_NAMESPACE_DECLARATIONS],
]
_PREFIXES = ["p:", "q:", "z:", "dc:", "xml:", "xmlns:", ":", "p:q:"]

_LABELS = [
    *["utf-8", "utf-16", "utf-32", "iso-8859-1", "windows-1252", "us-ascii", "shift_jis", "euc-jp", "iso-2022-jp"],
    *["gb18030", "big5", "euc-kr", "koi8-r", "cp037", "utf-7", "utf-8-sig", "x-unknown", "", "UCS-2", "johab", "hz"],
]
_CODECS = [
    *[
        "utf-8",
        "utf-8-sig",
        "utf-16",
        "utf-16-le",
        "utf-16-be",
        "utf-32",
        "iso-8859-1",
        "shift_jis",
        "gb18030",
        "cp037",
    ],
    *["euc-jp", "big5", "koi8-r", "iso2022_jp"],
]

#: Two quantities that grow: the second and the fourth part are repeated, with # for the number of the copy and @ for
#: that of the one before.
_GROWTHS = [
    ("<p:a xmlns:p='urn:", "u", "'>", "<p:b/>", ""),
    ("<p:a xmlns:p='urn:", "u", "'>", "<p:b>", ""),
    ("<r xmlns:1='", "u", "'><ns0:x xmlns:ns0='v'>", "<1:a/>", ""),
    ("<a ", "xmlns:p#='u#' ", ">", "<p1:b>&</p1:b>", ""),
    ("", "<a xmlns='u#'>", "", "<p:b/>", ""),
    ("", "<p:a>", "", "<p:b p:c='1' q:c='2'/>", ""),
    ("<a ", "p#:b='x' ", ">", "<p1:c>", ""),
    ("<", "n", ">", "<b>&</b>", ""),
    ("<", "é", " ", "é#='1' ", ">&"),
    ("<", "a$", ">", "<b$>", ""),
    ("", "<a b='c'>", "", "&x; ", ""),
    ("", "<a>", "", "</b>", ""),
    ("", "<a#>", "", "</a1>", ""),
    ("<a ", "b#='x' ", ">", "<c d='1' d='2'/>", ""),
    ("<a ", "b='x' ", "c='", "&<", "'>"),
    ("<a>", "&amp;", "<![CDATA[", "]", ""),
    ("<a><!--", "--!", "--><?p ", "?", "?>&"),
    ("<!DOCTYPE a [", "<!ENTITY e# 'x'>", "]><a>", "&e1;", ""),
    ("<!DOCTYPE a [<!ENTITY e0 'x'>", "<!ENTITY e# '&e@;'>", "]><a>", "&e9;", ""),
    ("<!DOCTYPE a [<!ENTITY e '", "x", "'>]><a>", "&e;", ""),
    ("<!DOCTYPE a [<!ENTITY e '", "<b/>", "'>]><a>", "&e;", ""),
    ("<!DOCTYPE a [<!ENTITY e '", "<b>", "'>]><a>", "&e;", ""),
    ("<!DOCTYPE a [<!ENTITY e '", "x", "'>]><a b='", "&e;", "'/>"),
    ("<!DOCTYPE a [<!ENTITY % p '", "<!---->", "'>", "%p;", "]><a/>"),
    ("<!DOCTYPE a [<!ATTLIST b ", "c# CDATA 'x' ", ">]><a>", "<b/>", ""),
    ("<!DOCTYPE a [<!ATTLIST b c CDATA '", "x", "'>]><a>", "<b/>", ""),
    ("<!DOCTYPE a [<!ATTLIST b xmlns:p CDATA 'urn:", "u", "'>]><a>", "<b><p:c/></b>", ""),
    ("<!DOCTYPE a [", "<!ATTLIST b# c CDATA 'x'>", "]><a>", "<b1 c='y'>&</b1>", ""),
    ("<!DOCTYPE a [<!FOO ", "'>' ", "> ", "<!ENTITY e 'x>", "]><a>"),
]

Mutation = Callable[[bytes, Sequence[bytes], Random], bytes]


def mutated(documents: Sequence[bytes], random: Random) -> bytes:
    """A document to try, made of those that are there."""
    if random.random() < 0.02:
        return _grown(random)
    data = (
        random.choice(documents)
        if random.random() < 0.7
        else nearxml.random_document(random).encode("utf-8", "replace")
    )
    for _ in range(random.choice((1, 1, 2, 2, 3, 5))):
        data = random.choice(_MUTATIONS)(data, documents, random)[:LONGEST]
    return data


def _damage(data: bytes, documents: Sequence[bytes], random: Random) -> bytes:
    return random.choice(DAMAGES)(data, random.randrange(len(data) + 1), random)


def _boundary(data: bytes, random: Random) -> int:
    return random.choice([match.start() for match in _BOUNDARY.finditer(data)] or [len(data)])


def _splice(data: bytes, documents: Sequence[bytes], random: Random) -> bytes:
    """Put a piece of another document, from one boundary to another, in the place of a piece of this one."""
    other = random.choice(documents)
    start, end = sorted((_boundary(other, random), _boundary(other, random)))
    place = _boundary(data, random)
    after = place if random.random() < 0.5 else max(place, _boundary(data, random))
    return data[:place] + other[start:end][:1000] + data[after:]


def _cross(data: bytes, documents: Sequence[bytes], random: Random) -> bytes:
    """The beginning of this document and the end of another one."""
    other = random.choice(documents)
    return data[: _boundary(data, random)] + other[_boundary(other, random) :]


def _declare(data: bytes, documents: Sequence[bytes], random: Random) -> bytes:
    """Give the document a DOCTYPE of another author, who names its entities t0, t1 and m0, and refer to one of them."""
    doctype = re.search(r"(?s)<!DOCTYPE.*?\]\s*>", nearxml.random_document(random, random.random() < 0.5))
    if doctype is None:
        return data
    place = _boundary(data, random)
    data = data[:place] + random.choice([b"&t0;", b"&t1;", b"&m0;", b"&m1;", b""]) + data[place:]
    end = data.find(b"?>") + 2 if data.startswith(b"<?xml") else 0
    return data[:end] + doctype[0].encode("utf-8", "replace") + data[end:]


def _name_spaces(data: bytes, documents: Sequence[bytes], random: Random) -> bytes:
    """Give a tag a prefix, declarations, or attributes with prefixes."""
    tags = list(_TAG.finditer(data))
    if not tags:
        return data
    tag = random.choice(tags)
    if random.random() < 0.4:
        return data[: tag.start() + 1] + random.choice(_PREFIXES).encode() + data[tag.start() + 1 :]
    return data[: tag.end()] + random.choice(_NAMESPACE_PARTS).encode() + data[tag.end() :]


def _encode(data: bytes, documents: Sequence[bytes], random: Random) -> bytes:
    """Declare an encoding, and be in it or in another."""
    label = random.choice(_LABELS)
    text = f'<?xml version="1.0" encoding="{label}"?>' + _XML_DECLARATION.sub("", data.decode("utf-8", "replace"))
    try:
        return text.encode(label if random.random() < 0.5 else random.choice(_CODECS), "xmlcharrefreplace")
    except (LookupError, UnicodeError):
        return text.encode()


def _multiply(data: bytes, documents: Sequence[bytes], random: Random) -> bytes:
    """Repeat two tokens of the document."""
    for _ in range(2):
        start, end = sorted((_boundary(data, random), _boundary(data, random)))
        end = min(end, start + 100)
        data = data[:end] + data[start:end] * random.choice((1, 2, 10, 30)) + data[end:]
    return data


_MUTATIONS: tuple[Mutation, ...] = (
    *[_damage] * 6,
    *[_splice] * 3,
    *[_cross, _declare, _name_spaces, _name_spaces, _encode, _multiply],
)


def _grown(random: Random) -> bytes:
    """A document in which two quantities are large at once: of known pairs, or of any two pieces of markup."""
    before, first, between, second, after = random.choice(_GROWTHS)
    if random.random() < 0.3:
        before, between, after = random.choice(("", "<a>", "<a ", "<!DOCTYPE a [")), random.choice(("", "<b>", "'")), ""
        first, second = (random.choice([*nearxml.MARKUP, *nearxml.FAULTS]) for _ in range(2))
    share = random.choice((0.1, 0.5, 0.9))
    length = LONGEST if "<!" in before + first + second else _GROWN
    copies = (_copies(first, int(length * share)), _copies(second, int(length * (1 - share))))
    return f"{before}{copies[0]}{between}{copies[1]}{after}".encode("utf-8", "replace")


def _copies(part: str, length: int) -> str:
    """Numbered copies of a part, of some length in all."""
    count = max(1, length // (len(part) + 4))
    return "".join(part.replace("#", str(number)).replace("@", str(number - 1)) for number in range(1, count + 1))
