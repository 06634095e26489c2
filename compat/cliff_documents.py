"""The documents of compat/cliffs.py: shapes, sizes, kinds of fault and depths, the same at every run."""

from base64 import b64encode
from collections.abc import Callable, Iterator
from itertools import count
from random import Random
from typing import Final, NamedTuple

from documents import FEED_FAULTS, Fault, catalog, feed

__all__ = [
    "DEPTHS",
    "FAULTS",
    "FAULT_EVERY",
    "SHAPES",
    "SIZES",
    "Twins",
    "deep",
    "shape",
    "small",
    "with_faults",
]

_SENTENCE: Final = (
    "the council of harbour towns met on a cold morning to hear how bread ferries lanterns and old bridges will be paid"
    " for next spring while gulls over market square wait near empty boats"
)
_WORDS: Final = _SENTENCE.split()


class Twins(NamedTuple):
    """A well-formed document, and the same with one fault, by the name of the fault."""

    well_formed: bytes
    broken: dict[str, bytes]


# Shapes ---------------------------------------------------------------------------------------------------------------


class Shape(NamedTuple):
    """What a document consists of: records between a head and a tail, in an encoding."""

    head: str
    record: Callable[[Random, int], str]
    tail: str
    encoding: str = "utf-8"


def _words(random: Random, number: int) -> str:
    return " ".join(random.choices(_WORDS, k=number))


def _base64(random: Random, size: int) -> str:
    return b64encode(random.randbytes(size)).decode()


def _atom(random: Random, number: int) -> str:
    return (
        f"  <entry>\n    <title>{_words(random, 5)}</title>\n    <id>urn:gazette:{number}</id>\n"
        f"    <updated>2024-05-{number % 28 + 1:02d}T08:00:00Z</updated>\n"
        f'    <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>{_words(random, 20)}'
        f' <a href="/{number}">{_words(random, 2)}</a></p></div></content>\n  </entry>\n'
    )


def _oai(random: Random, number: int) -> str:
    return (
        f"<record><header><identifier>oai:quay:{number}</identifier></header><metadata><oai_dc:dc"
        ' xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"'
        ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://purl.org/dc dc.xsd">'
        f"<dc:title>{_words(random, 6)}</dc:title><dc:creator>{_words(random, 2)}</dc:creator>"
        f"<dc:description>{_words(random, 30)}</dc:description></oai_dc:dc></metadata></record>\n"
    )


def _svg(random: Random, number: int) -> str:
    x, y = random.randrange(400), random.randrange(300)
    return (
        f'<g id="n{number}" transform="translate({x} {y})"><path d="M{x},{y}C{y},{x} 10,20 30,{y}" fill="none"/>'
        f'<text x="{x}" y="{y}"><tspan>{_words(random, 2)}</tspan></text><a xlink:href="#n{number}"/></g>\n'
    )


def _attributes(random: Random, number: int) -> str:
    values = " ".join(f'{name}{place}="{random.randrange(1000)}"' for place, name in enumerate(_WORDS[:20]))
    return f'<row id="{number}" {values}/>\n'


def _indented(random: Random, number: int) -> str:
    lines = (f"{' ' * 24}<field>{_words(random, 1)}</field>\n" for _ in range(6))
    return f"{' ' * 16}<row>\n{''.join(lines)}{' ' * 16}</row>\n"


def _nested(random: Random, number: int) -> str:
    names = [f"level{depth % 3}" for depth in range(30)]
    opening = "".join(f"<{name}>{_words(random, 1)}" for name in names)
    return opening + "".join(f"</{name}>" for name in reversed(names)) + "\n"


def _cjk(random: Random, number: int) -> str:
    text = "".join(chr(0x4E00 + random.randrange(0x2000)) for _ in range(60))
    return f"<記事><題>{text[:12]}</題><文>{text}</文></記事>\n"


def _text(template: str, words: int) -> Callable[[Random, int], str]:
    """Records of one template with a place for text, and one for a number."""
    return lambda random, number: template.format(_words(random, words), number)


_ROOT: Final = ("<records>\n", "</records>\n")
_DEFAULTS: Final = (
    '<!DOCTYPE records [<!ATTLIST row unit CDATA "mm" kind CDATA "bolt">]>\n<records>\n'  # given to each row
)
_ENTITIES: Final = (
    '<!DOCTYPE records [<!ENTITY company "Quay &#38;#38; Sons"><!ENTITY town "Old Harbour">]>\n<records>\n'  # text only
)
_PLAIN: Final = "<row><name>{0}</name><size>{1}</size><note>{0}</note></row>\n"

SHAPES: Final[dict[str, Shape]] = {
    "feed": Shape(feed(0).removesuffix("</channel>\n</rss>\n"), lambda r, n: _item(n), "</channel>\n</rss>\n"),
    "list of parts": Shape(catalog(0).removesuffix("</catalog>\n"), lambda r, n: _part(n), "</catalog>\n"),
    "Atom, XHTML in each entry": Shape('<feed xmlns="http://www.w3.org/2005/Atom">\n', _atom, "</feed>\n"),
    "OAI-PMH, three declarations in each record": Shape(
        '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords>\n', _oai, "</ListRecords></OAI-PMH>\n"
    ),
    "a prefix declared on each element": Shape(
        _ROOT[0], _text('<p:row xmlns:p="urn:quay"><q:name xmlns:q="urn:town">{0}</q:name></p:row>\n', 5), _ROOT[1]
    ),
    "the default namespace declared on each element": Shape(
        _ROOT[0], _text('<row xmlns="urn:quay"><name xmlns="urn:town">{0}</name></row>\n', 5), _ROOT[1]
    ),
    "eighty prefixes declared on the root": Shape(
        "<records" + "".join(f' xmlns:p{number}="urn:{number}"' for number in range(80)) + ">\n",
        _text("<p7:row><p70:name>{0}</p70:name></p7:row>\n", 5),
        _ROOT[1],
    ),
    "a prefix on each element": Shape(
        '<p:records xmlns:p="urn:quay">\n', _text('<p:row p:id="{1}"><p:name>{0}</p:name></p:row>\n', 5), "</p:records>"
    ),
    "declared entities": Shape(_ENTITIES, _text("<row>{0} &company; in &town; {1}</row>\n", 5), _ROOT[1]),
    "predefined entities": Shape(_ROOT[0], _text("<row>{0} &lt;b&gt; &amp; &quot;{1}&quot;</row>\n", 5), _ROOT[1]),
    "character references": Shape(_ROOT[0], _text("<row>{0} caf&#233; &#x2014; {1}&#8217;s</row>\n", 5), _ROOT[1]),
    "attribute defaults": Shape(_DEFAULTS, _text('<row id="{1}"><name>{0}</name></row>\n', 5), _ROOT[1]),
    "UTF-16": Shape(_ROOT[0], _text(_PLAIN, 5), _ROOT[1], "utf-16"),
    "Latin-1": Shape(
        f'<?xml version="1.0" encoding="iso-8859-1"?>\n{_ROOT[0]}',
        _text("<row><name>été {0}</name></row>\n", 5),
        _ROOT[1],
        "iso-8859-1",
    ),
    "byte order mark": Shape(_ROOT[0], _text(_PLAIN, 5), _ROOT[1], "utf-8-sig"),
    "CRLF": Shape(_ROOT[0], _text(_PLAIN.replace("><", ">\r\n<"), 5), _ROOT[1]),
    "CJK": Shape("<新聞>\n", _cjk, "</新聞>\n"),
    "base64 in attributes (100 KB each)": Shape(
        _ROOT[0], lambda random, number: f'<image data="{_base64(random, 75_000)}"/>\n', _ROOT[1]
    ),
    "base64 text": Shape(_ROOT[0], lambda random, number: f"<blob>{_base64(random, 30_000)}</blob>\n", _ROOT[1]),
    "long text": Shape(_ROOT[0], _text("{0}\n", 100), _ROOT[1]),
    "comments": Shape(_ROOT[0], _text("<!-- {0} -->\n<row/>\n", 20), _ROOT[1]),
    "processing instructions": Shape(_ROOT[0], _text("<?page {0}?><row/>\n", 5), _ROOT[1]),
    "CDATA": Shape(_ROOT[0], _text("<row><![CDATA[{0} <b>{1}</b>]]></row>\n", 12), _ROOT[1]),
    "empty CDATA": Shape(_ROOT[0], _text("<row><name>{0}</name><note><![CDATA[]]></note></row>\n", 5), _ROOT[1]),
    "tiny elements": Shape(_ROOT[0], lambda random, number: "<a/><b>1</b>", _ROOT[1]),
    "a new name for each element": Shape(_ROOT[0], _text("<row{1}>{0}</row{1}>\n", 4), _ROOT[1]),
    "many attributes": Shape(_ROOT[0], _attributes, _ROOT[1]),
    "thirty deep": Shape(_ROOT[0], _nested, _ROOT[1]),
    "indented": Shape(_ROOT[0], _indented, _ROOT[1]),
    "text with elements": Shape(_ROOT[0], _text("<p>{0} <b>{0}</b>, <i>{1}</i>.</p>\n", 4), _ROOT[1]),
    "SVG": Shape(
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">\n', _svg, "</svg>\n"
    ),
}


def _item(number: int) -> str:
    """An item of the feed that other speeds are quoted on; there are fifty of them, in turn."""
    return _ITEMS[number % len(_ITEMS)]


def _part(number: int) -> str:
    return _PARTS[number % len(_PARTS)]


_ITEMS: Final = [f"{item}</item>\n" for item in feed(50).partition("  <item>")[2].split("</item>\n")[:-1]]
_ITEMS[0] = "  <item>" + _ITEMS[0]
_PARTS: Final = catalog(200).splitlines(keepends=True)[2:-1]

#: What is put between two records in the middle of a shape: as it should be, and with a fault.
_NOTE: Final = "<note><b>salt</b> &amp; pepper</note>"
_ONE_FAULT: Final = {"bare ampersand": ("&amp;", "&"), "missing end tag": ("</b>", "")}


def shape(name: str, size: int) -> Twins:
    """The documents of a shape.

    Args:
        size: about how many bytes they have.
    """
    made = SHAPES[name]
    random = Random(name)
    parts: list[str] = []
    length = 0
    for number in count():
        if length >= size:
            break
        parts.append(made.record(random, number))
        length += len(parts[-1].encode(made.encoding, "xmlcharrefreplace"))
    middle = len(parts) // 2
    before, after = made.head + "".join(parts[:middle]), "".join(parts[middle:]) + made.tail

    def document(note: str) -> bytes:
        return f"{before}{note}{after}".encode(made.encoding)

    broken = {fault: document(_NOTE.replace(*change)) for fault, change in _ONE_FAULT.items()}
    return Twins(document(_NOTE), broken)


# Sizes ----------------------------------------------------------------------------------------------------------------

#: Feeds of these sizes in KB, and how many items they have.
SIZES: Final = {"2.6 KB": 2, "11 KB": 9, "50 KB": 42}


def small(name: str) -> Twins:
    """A feed, and the same with one of nine faults in its middle item."""
    whole = feed(SIZES[name])
    head, *items = whole.split("  <item>\n")
    middle = len(items) // 2
    broken = {}
    for fault in FEED_FAULTS:
        changed = [*items[:middle], fault.put_into(items[middle]), *items[middle + 1 :]]
        broken[fault.name] = "  <item>\n".join([head, *changed]).encode()
    return Twins(whole.encode(), broken)


# Kinds of fault -------------------------------------------------------------------------------------------------------

_RECORD: Final = (
    '<record id="17" lang="en"><title>An old bridge</title><link>https://gazette.example/story?id=1&amp;from=feed</link>'
    '<size w="800" h="600"/><text>The council of harbour towns met on a cold morning to hear how bread, ferries, '
    "lanterns and old bridges will be paid for next spring, while gulls over market square wait near empty boats. "
    "The old bridge, they said, was to be mended before winter; the new one, nobody knows when."
    '</text><a href="/more" title="more of this">More</a><!-- seen by the editor --><note>The ferries are late, and '
    "so is the bread; the lanterns are lit.</note><text>Nobody on the quay had seen the boats come in; the harbour "
    "master wrote down three names, and went home. It rained until the evening, when the market closed early and the "
    "gulls had the square for themselves. What was left of the bread went to the ferries, and what was left of the "
    'day went to the lanterns.</text><place lat="53.1" lon="8.6">Old Harbour</place><n>600</n></record>\n'
)

#: How many bytes there are from one fault to the next.
FAULT_EVERY: Final = len(_RECORD)

FAULTS: Final = (
    Fault("bare `&` in text", "bread,", "bread &"),
    Fault("`&` in a URL", "&amp;from", "&from"),
    Fault("`&` in an attribute", "/more", "/more?a=1&b=2"),
    Fault("unknown entity", "bread,", "&nbsp;"),
    Fault("unknown entity in an attribute", "/more", "/m&ouml;re"),
    Fault("entity without `;`", "&amp;from", "&amp from"),
    Fault("character reference without `;`", "bread,", "bread&#233 "),
    Fault("empty reference", "bread,", "bread &; "),
    Fault("reference without digits", "bread,", "bread &#; "),
    Fault("reference to a control character", "bread,", "bread&#11;"),
    Fault("`<` before a space", "bread,", "bread < "),
    Fault("`<` before a digit", "are lit.", "<3 it."),
    Fault("`<1a>`", "bread,", "bread <1a> "),
    Fault("`<` before a letter", "are lit.", "a<b."),
    Fault("`<>`", "bread,", "bread <> "),
    Fault("`</>`", "</title>", "</>"),
    Fault("`</ name>`", "</title>", "</ title>"),
    Fault("`]]>` in text", "bread,", "bread ]]>"),
    Fault("control character", "bread,", "bread\x0b"),
    Fault("control character in an attribute", "/more", "/mo\x0bre"),
    Fault("U+0000", "bread,", "bread\x00"),
    Fault("unquoted attribute", 'w="800"', "w=800"),
    Fault("unquoted URL", '"/more"', "/more"),
    Fault("no space between attributes", '" h', '"h'),
    Fault("duplicate attribute", 'h="600"', 'h="600" w="7"'),
    Fault("attribute without value", 'h="600"', "h"),
    Fault("attribute without value, with `=`", 'h="600"', "h="),
    Fault("missing closing quote", '"more of this"', '"more of this'),
    Fault("missing opening quote", '"/more"', '/more"'),
    Fault("quotes within a value", "more of this", 'more "of" this'),
    Fault("typographic quotes", '"/more"', "“/more”"),
    Fault("`<` in a value", "more of this", "more < this"),
    Fault("tag in a value", "more of this", "more <b>of</b> this"),
    Fault("`@click`", 'href="/more"', '@click="/more"'),
    Fault("`:bound`", 'href="/more"', ':href="/more"'),
    Fault("`a:b:c`", 'href="/more"', 'a:b:c="/more"'),
    Fault("attribute in an end tag", "</title>", '</title x="1">'),
    Fault("`/` within a tag", 'w="800" h', 'w="800" / h'),
    Fault("undeclared prefix", "<size", "<x:size"),
    Fault("undeclared prefix of an attribute", 'href="/more"', 'x:href="/more"'),
    Fault("undeclared prefix in a long element", "<record ", "<x:record "),
    Fault("element that is not closed", "</title>", ""),
    Fault("end tag of no element", "bread,", "bread</b>"),
    Fault("wrong end tag", "</title>", "</tilte>"),
    Fault("end tag in the wrong case", "</title>", "</Title>"),
    Fault("end tags crossed", "bread,", "<b><i>bread</b></i>"),
    Fault("end tag without `>`", "</title>", "</title"),
    Fault("end tag without `/`", "</title>", "<title>"),
    Fault("empty tag of HTML", "bread,", "bread<br>"),
    Fault("start tag without `>`", "<title>An", "<title An"),
    Fault("`--` in a comment", "by the", "by -- the"),
    Fault("comment that ends in `->`", "editor --><note>", "editor -><note> -->"),
    Fault("`<!` before text", "bread,", "bread <!important>"),
    Fault("DOCTYPE in the content", "bread,", "bread<!DOCTYPE html>"),
    Fault("declaration in the content", "bread,", "bread<!ELEMENT b ANY>"),
    Fault("XML declaration in the content", "<note>", "<?xml version='1.0'?><note>"),
    Fault("`<?` before a space", "bread,", "bread <? php ?>"),
    Fault("CDATA in lower case", "bread,", "<![cdata[bread]]>"),
    Fault("bytes of windows-1252", "bread,", "bread\udc92s"),
)


def with_faults(fault: Fault, number: int, records: int) -> bytes:
    """Records of which so many, from the middle on and around, have a fault."""
    first = (records - number) // 2
    bad = fault.put_into(_RECORD)
    parts = [_RECORD] * first + [bad] * number + [_RECORD] * (records - number - first)
    return f"<records>\n{''.join(parts)}</records>\n".encode("utf-8", "surrogateescape")


# Depth ----------------------------------------------------------------------------------------------------------------

#: How many elements are open around the records.
DEPTHS: Final = (1, 10, 100, 1_000, 10_000)
_DEEP_FAULTS: Final = (
    "bare `&` in text",
    "`<` before a digit",
    "undeclared prefix",
    "element that is not closed",
    "wrong end tag",
)


def deep(depth: int, records: int) -> bytes:
    """Records with faults of several kinds in turn, within so many open elements."""
    faults = [fault for fault in FAULTS if fault.name in _DEEP_FAULTS]
    content = "".join(faults[number % len(faults)].put_into(_RECORD) for number in range(records))
    return f"{''.join(_tags('<', depth))}\n{content}{''.join(_tags('</', depth))}\n".encode()


def _tags(begin: str, depth: int) -> Iterator[str]:
    return (f"{begin}level>" for _ in range(depth))
