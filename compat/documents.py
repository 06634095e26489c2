"""The documents that speeds are quoted on: the same bytes at every run.

usage: python compat/documents.py FOLDER

rss.xml             5 MB news feed: namespaces, escaped HTML, CDATA
rss-broken.xml      the same, one of nine faults in every tenth item
rss-dense.xml       the same, a fault in every item
catalog.xml         5 MB list of parts: shallow, many attributes, short text
catalog-broken.xml  the same, one of five faults in every tenth part
nested.xml          2 MB of mixed content, 150 elements deep
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

__all__ = ["CATALOG_FAULTS", "DOCUMENTS", "FEED_FAULTS", "Fault", "catalog", "feed", "nested", "write_documents"]

_SENTENCE: Final = (
    "the council of harbour towns met on a cold morning to hear how bread ferries lanterns and old bridges will be paid"
    " for next spring while gulls over market square wait near empty boats"
)
_WORDS: Final = _SENTENCE.split()
_FORMATS: Final = ("image/jpeg", "image/png", "image/webp")
_MATERIALS: Final = ("steel", "brass", "beech", "nylon", "glass")


class Fault(NamedTuple):
    """A fault that is common in the wild: the first `good` markup of an item is replaced by `bad`."""

    name: str
    good: str
    bad: str

    def put_into(self, item: str) -> str:
        """The item with the fault."""
        if self.good not in item:
            raise ValueError(f"no place for the fault {self.name!r}")
        return item.replace(self.good, self.bad, 1)


FEED_FAULTS: Final = (
    Fault("ampersand in a URL", "&amp;from=", "&from="),
    Fault("entity of HTML", "<dc:creator>", "<dc:creator>&eacute;&nbsp;"),
    Fault("missing end tag", "</title>", ""),
    Fault("misspelt end tag", "</category>", "</Category>"),
    Fault("attribute value without quotes", 'width="800"', "width=800"),
    Fault("no space between attributes", '" width=', '"width='),
    Fault("HTML that is not escaped", "&lt;p&gt;", "<p>"),
    Fault("attribute twice, control character", ' isPermaLink="true">', ' isPermaLink="true" isPermaLink="">\x0b'),
    Fault("undeclared prefix, bare <", "<media:content", "<itunes:summary>2 < 3</itunes:summary><media:content"),
)

CATALOG_FAULTS: Final = (
    Fault("attribute value without quotes", 'lang="en"', "lang=en"),
    Fault("missing end tag", "</part>", ""),
    Fault("ampersand in text", "<label>", "<label>nuts & bolts "),
    Fault("empty tag of HTML", "<use ", "<br><use "),
    Fault("missing quote", 'currency="EUR"', 'currency="EUR'),
)


def feed(items: int, fault_every: int = 0) -> str:
    """A feed of some 1.2 kB an item.

    Args:
        items: how many items it has.
        fault_every: in which of them there is a fault; 0: in none.
    """
    head = (
        '<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"'
        ' xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:media="http://search.yahoo.com/mrss/">\n'
        "<channel>\n  <title>Harbour Gazette</title>\n  <link>https://gazette.example/</link>\n"
    )
    return _assemble(head, _feed_items(items), "</channel>\n</rss>\n", FEED_FAULTS, fault_every)


def _feed_items(count: int) -> Iterator[str]:
    random = Random(1)
    for number in range(count):
        yield (
            f"  <item>\n    <title>{_words(random, 5)} &amp; {_words(random, 3)}</title>\n"
            f"    <link>https://gazette.example/story?id={number}&amp;from=feed</link>\n"
            f'    <guid isPermaLink="true">https://gazette.example/{number:07d}</guid>\n'
            f"    <pubDate>{number % 28 + 1:02d} May 2024 {number % 24:02d}:30:00 +0000</pubDate>\n"
            f"    <dc:creator>{_words(random, 2)}</dc:creator>\n"
            f"    <category>{_words(random, 1)}</category>\n    <category>{_words(random, 1)}</category>\n"
            f'    <media:content type="{random.choice(_FORMATS)}" width="800" height="600"'
            f' url="https://img.example/{number}.jpg"/>\n'
            f"    <description>&lt;p&gt;{_words(random, 34)}&lt;/p&gt;"
            f" &lt;a href=&quot;#more&quot;&gt;{_words(random, 2)}&lt;/a&gt;</description>\n"
            f"    <content:encoded><![CDATA[<p>{_words(random, 50)}</p><p>{_words(random, 12)}<br></p>]]>"
            "</content:encoded>\n  </item>\n"
        )


def catalog(parts: int, fault_every: int = 0) -> str:
    """A list of parts of some 230 bytes each; the arguments are as for `feed`."""
    head = '<?xml version="1.0"?>\n<catalog xmlns="http://example.com/parts" edition="12">\n'
    return _assemble(head, _catalog_items(parts), "</catalog>\n", CATALOG_FAULTS, fault_every)


def _catalog_items(count: int) -> Iterator[str]:
    random = Random(2)
    for number in range(count):
        yield (
            f'<part lang="en" id="n{number}" code="{number * 6151 % 1_000_003:07d}" stock="{number % 250}"'
            f' material="{random.choice(_MATERIALS)}"><label>{_words(random, 2)}</label>'
            f'<size unit="mm" w="{number % 90}" h="{number % 70}.5"/>'
            f'<cost currency="EUR" rate="21">{number % 800}.45</cost>'
            f'<use for="{_words(random, 1)}"/><use for="{_words(random, 1)}"/>'
            f"<remark>{_words(random, 5)}</remark></part>\n"
        )


def nested(paragraphs: int) -> str:
    """Mixed content below 150 nested elements."""
    random = Random(3)
    depths = range(150)
    opening = (f"<s{depth % 7}>{_words(random, 3)} <em>{_words(random, 1)}</em> " for depth in depths)
    content = (
        f"<para>{_words(random, 7)} <em>{_words(random, 1)}</em> {_words(random, 6)} <q>{_words(random, 2)}</q>.</para>"
        for _ in range(paragraphs)
    )
    closing = (f"</s{depth % 7}>" for depth in reversed(depths))
    return "".join(("<doc>", *opening, *content, *closing, "</doc>"))


def _words(random: Random, count: int) -> str:
    return " ".join(random.choices(_WORDS, k=count))


def _assemble(head: str, items: Iterator[str], tail: str, faults: tuple[Fault, ...], fault_every: int) -> str:
    """The document of these items, with the faults in turn in every `fault_every`-th."""
    pieces = [head]
    for number, item in enumerate(items):
        if fault_every and number % fault_every == 0:
            item = faults[number // fault_every % len(faults)].put_into(item)
        pieces.append(item)
    return "".join((*pieces, tail))


DOCUMENTS: Final[dict[str, Callable[[], str]]] = {
    "rss": lambda: feed(4000),
    "rss-broken": lambda: feed(4000, 10),
    "rss-dense": lambda: feed(4000, 1),
    "catalog": lambda: catalog(19_000),
    "catalog-broken": lambda: catalog(19_000, 10),
    "nested": lambda: nested(15_000),
}


def write_documents(folder: Path) -> None:
    """Write all documents into a folder, which is made if it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in DOCUMENTS.items():
        (folder / f"{name}.xml").write_bytes(make().encode())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write_documents(Path(sys.argv[1]))
