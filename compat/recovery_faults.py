"""Faults, each put into well-formed documents at random places.

A fault is a pair of ways to write the same thing: the right one and the broken one. Both are put in at the same places,
so that what the author meant is known even where the fault needs something that the document did not have.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Final, NamedTuple

from lxml import etree

__all__ = [
    "FAULTS",
    "GROUPS",
    "USUAL_PLACES",
    "Broken",
    "Fault",
    "Pair",
    "around",
    "attribute",
    "encode",
    "inject",
    "instead",
    "is_broken",
    "pieces",
    "rename",
    "within",
]

Pair = tuple[str, str]
"""The right way to write something, and the broken one. Bytes that are not UTF-8 are lone surrogates in it."""

#: How many places of a small document have the fault.
USUAL_PLACES: Final = 3
_PIECE: Final = re.compile(
    r"""(?P<comment><!--.*?-->)
    |(?P<cdata><!\[CDATA\[.*?\]\]>)
    |(?P<pi><\?.*?\?>)
    |(?P<doctype><!DOCTYPE(?:"[^"]*"|'[^']*'|\[(?:<!--.*?-->|<\?.*?\?>|"[^"]*"|'[^']*'|[^]"'])*\]|[^>"'[])*>)
    |(?P<end></[^>]*>)
    |(?P<start><(?:"[^"]*"|'[^']*'|[^>"'])*>)
    |(?P<text>[^<]+)""",
    re.DOTALL | re.VERBOSE,
)
_ATTRIBUTE: Final = re.compile(r"""\s(?P<name>[^\s=<>"'/]+)\s*=\s*(?P<quote>["'])(?P<value>.*?)(?P=quote)""", re.DOTALL)
_NAME: Final = re.compile(r"</?([^\s/>]+)")


class Broken(NamedTuple):
    """A document as it was meant, and as it is."""

    meant: bytes
    broken: bytes


@dataclass(frozen=True)
class Fault:
    """A kind of mistake.

    Attributes:
        name: what it is called in tables.
        group: the heading that it is under.
        kinds: the pieces of a document that it may be in: "text", "start" (start tags and those of empty elements),
            "end"; or "document".
        edit: makes the pair of one piece, or None where that has no place for the fault.
        well_formed: whether what comes out can be well-formed, so that nobody can know better.
    """

    name: str
    group: str
    kinds: str
    edit: Callable[[Random, str], Pair | None]
    well_formed: bool = False


def inject(fault: Fault, random: Random, text: str, places: int = USUAL_PLACES) -> Broken | None:
    """Put a fault into a well-formed document.

    Args:
        fault: the kind.
        random: decides about the places.
        text: the document.
        places: how many there are, where the document has so many; always 1 for a fault of the whole document.

    Returns:
        None where the document has no place for it, or is well-formed with it though the fault should not leave it so.
    """
    made = _inject(fault, random, text, places)
    return None if made is None or not (fault.well_formed or is_broken(made.broken)) else made


def is_broken(data: bytes) -> bool:
    """Whether a document is not well-formed, so that a native parser refuses it.

    Each of the two goes its own way somewhere: libxml2 wants URIs of namespaces to be right, and to expat, entities may
    be declared in a DTD that it does not read.
    """
    return _is_refused(etree.fromstring, data) and (b"<!DOCTYPE" in data or _is_refused(ET.fromstring, data))


def _is_refused(parse: Callable[[bytes], object], data: bytes) -> bool:
    try:
        parse(data)
    except (SyntaxError, LookupError, ValueError):
        return True
    return False


def _inject(fault: Fault, random: Random, text: str, places: int) -> Broken | None:
    if fault.kinds == "document":
        pair = fault.edit(random, text)
        return pair and Broken(encode(pair[0]), encode(pair[1]))
    kinds_and_sources = pieces(text)
    meant = [source for _, source in kinds_and_sources]
    broken = list(meant)
    candidates = [
        place for place, (kind, source) in enumerate(kinds_and_sources) if kind == fault.kinds and source.strip()
    ]
    random.shuffle(candidates)
    done = 0
    for place in candidates:
        pair = fault.edit(random, meant[place])
        if pair is not None:
            meant[place], broken[place] = pair
            done += 1
            if done == places:
                break
    return Broken(encode("".join(meant)), encode("".join(broken))) if done else None


def pieces(text: str) -> list[tuple[str | None, str]]:
    """A well-formed document cut between tags, text and all else: the kind of each piece, and its source."""
    return [(match.lastgroup, match[0]) for match in _PIECE.finditer(text)]


def encode(text: str) -> bytes:
    """Text as octets, lone surrogates as the bytes that they stand for."""
    return text.encode("utf-8", "surrogateescape")


# Ways to edit -------------------------------------------------------------------------------------------------------


def within(*pairs: Pair) -> Callable[[Random, str], Pair]:
    """One of these pairs put into a text, at its beginning, its end or at a space: never in a reference."""

    def edit(random: Random, source: str) -> Pair:
        meant, broken = random.choice(pairs)
        first = len(source) - len(source.lstrip())
        places = [0, len(source), *(first + match.start() for match in re.finditer(r"\s", source.strip()))]
        place = random.choice(places)
        return source[:place] + meant + source[place:], source[:place] + broken + source[place:]

    return edit


def instead(change: Callable[[Random, str], str | None]) -> Callable[[Random, str], Pair | None]:
    """The source as it is meant; what `change` makes of it is broken."""

    def edit(random: Random, source: str) -> Pair | None:
        broken = change(random, source)
        return None if broken is None or broken == source else (source, broken)

    return edit


def rename(change: Callable[[Random, str], str]) -> Callable[[Random, str], Pair | None]:
    """The name of a tag changed."""

    def edit(random: Random, source: str) -> str:
        match = _NAME.match(source)
        assert match is not None
        return source[: match.start(1)] + change(random, match[1]) + source[match.end(1) :]

    return instead(edit)


def attribute(
    change: Callable[[str, str, str], str | None], tags: str = "", values: str = r".+"
) -> Callable[[Random, str], Pair | None]:
    """An attribute written otherwise: `change` gets what is before it, its name, and its value with the quotes.

    Args:
        change: gives the attribute with what is before it, or None.
        tags: what the tag must match to its end.
        values: what the value must match.
    """

    def edit(random: Random, source: str) -> str | None:
        if not re.search(f"{tags}$", source):
            return None
        found = [
            match
            for match in _ATTRIBUTE.finditer(source)
            if re.fullmatch(values, match["value"], re.DOTALL) and not match["name"].startswith("xmlns")
        ]
        if not found:
            return None
        match = random.choice(found)
        quoted = f"{match['quote']}{match['value']}{match['quote']}"
        changed = change(source[match.start()], match["name"], quoted)
        return None if changed is None else source[: match.start()] + changed + source[match.end() :]

    return instead(edit)


def _added(meant: str, broken: str) -> Callable[[Random, str], Pair | None]:
    """An attribute put after the name of a tag that has none of this name."""
    names = {match["name"] for match in _ATTRIBUTE.finditer(meant)}

    def edit(random: Random, source: str) -> Pair | None:
        match = _NAME.match(source)
        assert match is not None
        if names & {other["name"] for other in _ATTRIBUTE.finditer(source)}:
            return None
        before, after = source[: match.end()], source[match.end() :]
        return before + meant + after, before + broken + after

    return edit


def around(before: str, after: str) -> Callable[[Random, str], Pair]:
    """Something before or after the whole document."""
    return lambda random, source: (source, before + source + after)


def _declaration(new: str) -> Callable[[Random, str], Pair]:
    """Another XML declaration."""
    return lambda random, source: (source, new + re.sub(r"\A<\?xml .*?\?>", "", source))


def _misspelt(random: Random, name: str) -> str:
    place = random.randrange(len(name))
    if len(name) == 1 or random.random() < 0.3:
        return name + name[-1]
    return name[:place] + name[place + 1 :] if place else name[1:]


def _truncated(random: Random, source: str) -> str:
    root = re.search(r"<[^!?/]", source)
    assert root is not None
    return source[: random.randrange(root.end(), source.rindex("</"))]


def _not_utf8(random: Random, source: str) -> str | None:
    changed = source.encode("cp1252", "xmlcharrefreplace").decode("utf-8", "surrogateescape")
    return changed if any("\udc80" <= character <= "\udcff" for character in changed) else None


def _latin1_declared(random: Random, source: str) -> str | None:
    return None if source.isascii() else _declaration('<?xml version="1.0" encoding="iso-8859-1"?>')(random, source)[1]


def _unquoted(before: str, name: str, quoted: str) -> str:
    return f"{before}{name}={quoted[1:-1]}"


_SIMPLE_VALUE: Final = r"[\w.:#%+-]+"
_TEXT, _START, _END, _DOCUMENT = "text", "start", "end", "document"

_REFERENCES: Final = "`&`, `<` and characters"
_TAGS: Final = "Tags"
_ATTRIBUTES: Final = "Attributes and prefixes"
_MARKUP: Final = "Comments, CDATA, declarations"
_WHOLE: Final = "The document as a whole"
GROUPS: Final = (_REFERENCES, _TAGS, _ATTRIBUTES, _MARKUP, _WHOLE)

FAULTS: Final = (
    Fault("`&` between words", _REFERENCES, _TEXT, within((" &amp; ", " & "))),
    Fault("`&` within a word", _REFERENCES, _TEXT, within((" AT&amp;T", " AT&T"), (" R&amp;D", " R&D"))),
    Fault("`&` in a URL", _REFERENCES, _TEXT, within((" /?a=1&amp;copy=2&amp;lt=3", " /?a=1&copy=2&lt=3"))),
    Fault("entity of HTML", _REFERENCES, _TEXT, within(("é", "&eacute;"), (" – ", " &ndash; "), ("\xa0", "&nbsp;"))),
    Fault("entity that nobody knows", _REFERENCES, _TEXT, within((" &amp;company;", " &company;"))),
    Fault("entity without `;`", _REFERENCES, _TEXT, within((" &amp; ", " &amp "), (" © ", " &copy "))),
    Fault("character reference without `;`", _REFERENCES, _TEXT, within(("é ", "&#233 "), ("é ", "&#xe9 "))),
    Fault("reference to a control character", _REFERENCES, _TEXT, within((" a", " a&#11;"), (" b", " &#x1;b"))),
    Fault("`<` before a space", _REFERENCES, _TEXT, within((" 2 &lt; 3", " 2 < 3"))),
    Fault("`<` before a digit", _REFERENCES, _TEXT, within((" 2&lt;3", " 2<3"), (" I &lt;3 it", " I <3 it"))),
    Fault("`<` before a letter", _REFERENCES, _TEXT, within((" a&lt;b", " a<b"))),
    Fault("`]]>` in text", _REFERENCES, _TEXT, within((" a[b[0]]&gt;1 ", " a[b[0]]>1 "))),
    Fault("control character", _REFERENCES, _TEXT, within(("ab", "a\x0bb"), ("ab", "a\x08b"))),
    Fault("U+0000", _REFERENCES, _TEXT, within(("ab", "a\x00b"))),
    Fault("bytes of windows-1252", _REFERENCES, _TEXT, within(("é", "\udce9"), ("’s", "\udc92s"))),
    Fault("end tag missing", _TAGS, _END, lambda random, source: (source, "")),
    Fault("end tag misspelt", _TAGS, _END, rename(_misspelt)),
    Fault("end tag in the wrong case", _TAGS, _END, rename(lambda random, name: name.swapcase())),
    Fault("end tag twice", _TAGS, _END, lambda random, source: (source, source * 2)),
    Fault("stray end tag", _TAGS, _TEXT, within(("", "</b>"), ("", "</p>"))),
    Fault("end tags crossed", _TAGS, _TEXT, within(("<b><i>ab</i></b>", "<b><i>ab</b></i>"))),
    Fault("end tag without its name", _TAGS, _END, lambda random, source: (source, "</>")),
    Fault("end tag without `>`", _TAGS, _END, lambda random, source: (source, source[:-1])),
    Fault("end tag without `/`", _TAGS, _END, lambda random, source: (source, source.replace("/", "", 1))),
    Fault("space in an end tag", _TAGS, _END, lambda random, source: (source, source.replace("</", "</ ", 1))),
    Fault("start tag missing", _TAGS, _START, instead(lambda random, tag: None if tag[-2] == "/" else "")),
    Fault("start tag without `>`", _TAGS, _START, lambda random, source: (source, source[:-1].rstrip("/"))),
    Fault("empty tag without `/`", _TAGS, _START, instead(lambda random, tag: re.sub("/>$", ">", tag))),
    Fault("void element of HTML", _TAGS, _TEXT, within(("<br/>", "<br>"), ("<hr/>", "<hr>"))),
    Fault("paragraphs of HTML", _TAGS, _TEXT, within(("<p>ab</p><p>cd</p>", "<p>ab<p>cd"))),
    Fault("value without quotes", _ATTRIBUTES, _START, attribute(_unquoted, "[^/]>", _SIMPLE_VALUE)),
    Fault("value without quotes before `/>`", _ATTRIBUTES, _START, attribute(_unquoted, "[\"']/>", _SIMPLE_VALUE)),
    Fault("attribute without value", _ATTRIBUTES, _START, _added(' checked=""', " checked")),
    Fault("attribute twice", _ATTRIBUTES, _START, _added(' kind="1"', ' kind="1" kind="2"')),
    Fault("no space between attributes", _ATTRIBUTES, _START, _added(' n="1" m="2"', ' n="1"m="2"')),
    Fault("closing quote missing", _ATTRIBUTES, _START, attribute(lambda s, name, quoted: f"{s}{name}={quoted[:-1]}")),
    Fault("opening quote missing", _ATTRIBUTES, _START, attribute(lambda s, name, quoted: f"{s}{name}={quoted[1:]}")),
    Fault("typographic quotes", _ATTRIBUTES, _START, attribute(lambda s, name, quoted: f"{s}{name}=“{quoted[1:-1]}”")),
    Fault("`<` in a value", _ATTRIBUTES, _START, _added(' when="2 &lt; 3"', ' when="2 < 3"')),
    Fault("tag in a value", _ATTRIBUTES, _START, _added(' note="a &lt;b&gt;c&lt;/b&gt;"', ' note="a <b>c</b>"')),
    Fault("`&` in a value", _ATTRIBUTES, _START, _added(' to="?a=1&amp;copy=2&amp;b"', ' to="?a=1&copy=2&b"')),
    Fault("entity of HTML in a value", _ATTRIBUTES, _START, _added(' note="caf\xe9"', ' note="caf&eacute;"')),
    Fault(
        "element with undeclared prefix",
        _ATTRIBUTES,
        _TEXT,
        within(('<gpx:ele xmlns:gpx="http://www.topografix.com/GPX/1/1">1</gpx:ele>', "<gpx:ele>1</gpx:ele>")),
    ),
    Fault(
        "attribute with undeclared prefix",
        _ATTRIBUTES,
        _START,
        _added(' xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="/"', ' xlink:href="/"'),
    ),
    Fault("`--` in a comment", _MARKUP, _TEXT, within(("<!-- a - b -->", "<!-- a -- b -->"))),
    Fault("comment not closed", _MARKUP, _TEXT, within(("<!-- a -->", "<!-- a "), ("<!-- a -->", "<!-- a ->"))),
    Fault(
        "CDATA not closed", _MARKUP, _TEXT, within(("<![CDATA[a]]>", "<![CDATA[a"), ("<![CDATA[a]]>", "<![CDATA[a]>"))
    ),
    Fault("instruction not closed", _MARKUP, _TEXT, within(("<?php echo ?>", "<?php echo >"))),
    Fault("stray declaration", _MARKUP, _TEXT, within(("", "<!ELEMENT br EMPTY>"), ("", '<!ENTITY e "x">'))),
    Fault("DOCTYPE in the content", _MARKUP, _TEXT, within(("", "<!DOCTYPE html>"), ("", '<!DOCTYPE x SYSTEM "x">'))),
    Fault("XML declaration in the content", _MARKUP, _TEXT, within(("", '<?xml version="1.0" encoding="utf-8"?>'))),
    Fault("line before the XML declaration", _WHOLE, _DOCUMENT, around("\n", "")),
    Fault("XML declaration without `?`", _WHOLE, _DOCUMENT, _declaration('<?xml version="1.0" encoding="utf-8">')),
    Fault("text before the root", _WHOLE, _DOCUMENT, around("Warning: no such file on line 3\n", "")),
    Fault("markup before the root", _WHOLE, _DOCUMENT, around("<b>Warning</b>: no such file<br>\n", "")),
    Fault("text after the root", _WHOLE, _DOCUMENT, around("", "Done in 3 ms & 4 queries\n")),
    Fault("markup after the root", _WHOLE, _DOCUMENT, around("", "<script>track(1 < 2)</script>\n")),
    Fault("document twice", _WHOLE, _DOCUMENT, lambda random, source: (source, source * 2)),
    Fault("document cut off", _WHOLE, _DOCUMENT, instead(_truncated)),
    Fault("windows-1252 instead of UTF-8", _WHOLE, _DOCUMENT, instead(_not_utf8)),
    Fault("declared to be UTF-16", _WHOLE, _DOCUMENT, _declaration('<?xml version="1.0" encoding="utf-16"?>')),
    Fault("unknown encoding declared", _WHOLE, _DOCUMENT, _declaration('<?xml version="1.0" encoding="utf-8mb4"?>')),
    Fault("declared to be Latin-1", _WHOLE, _DOCUMENT, instead(_latin1_declared), well_formed=True),
)
