"""Invariant I7 at every entry point: what is kept from piece to piece, and in tables of names, costs linear time.

A document is fed by the character, or in small pieces, while one quantity in it grows: how many elements are open, or
how many different names of a kind there are. What looks through all that is open at each piece, or copies a table at
each name, takes time that grows with the square.
"""

import asyncio
import xml.sax.handler

import pytest
from support.cases import one_in
from support.scaling import assert_grows_at_most, assert_scales_linearly
from support.splits import chunks

import xml5tree
import xml5tree.sax
from compat.lanes import LANES, lane
from xml5tree.accelerator import compiled

#: Most of these documents have no element of the name of records.
pytestmark = pytest.mark.filterwarnings("ignore::xml5tree.RowsWarning")


def numbered(part):
    """Make n copies of ``part``, each with another number in the place of ``#``."""
    return lambda n: "".join([part.replace("#", str(i)) for i in range(n)])


def fed(make):
    """Feed a parser that ``make`` makes, and take its events if it has any."""

    def read(pieces):
        parser = make()
        for piece in pieces:
            parser.feed(piece)
            if hasattr(parser, "read_events"):
                for _ in parser.read_events():
                    pass
        parser.close()

    return read


def sax(pieces):
    parser = xml5tree.sax.create_parser()
    parser.setContentHandler(xml.sax.handler.ContentHandler())
    for piece in pieces:
        parser.feed(piece)
    parser.close()


def batches(pieces):
    pytest.importorskip("pyarrow")
    return list(xml5tree.record_batches(iter(pieces), "item", fields={"text": "."}))


async def every(iterator):
    return [item async for item in iterator]


async def each(pieces):
    for piece in pieces:
        yield piece


#: What reads a document that comes in pieces.
DOORS = {
    "parser": fed(xml5tree.XMLParser),
    "parser of lxml": fed(lambda: xml5tree.XMLParser(backend="lxml")),
    "pull parser": fed(lambda: xml5tree.XMLPullParser(("start", "end", "start-ns", "end-ns"))),
    "pull parser of lxml": fed(lambda: xml5tree.XMLPullParser(("start", "end", "start-ns"), backend="lxml")),
    "error events": fed(lambda: xml5tree.XMLPullParser(("start", "end", "error"))),
    "text events": fed(lambda: xml5tree.XMLPullParser(("end", "text"))),
    "marks": fed(lambda: xml5tree.XMLPullParser(("end",), on_bad="mark")),
    "iterparse": lambda pieces: list(xml5tree.iterparse(iter(pieces))),
    "iterroots": lambda pieces: list(xml5tree.iterroots(iter(pieces))),
    "iterroots of lxml": lambda pieces: list(xml5tree.iterroots(iter(pieces), backend="lxml")),
    "aiterparse": lambda pieces: asyncio.run(every(xml5tree.aiterparse(each(pieces)))),
    "open": lambda pieces: xml5tree.open(iter(pieces)).read(),
    "sax": sax,
    "records": lambda pieces: list(xml5tree.records(iter(pieces))),
    "records of lxml": lambda pieces: list(xml5tree.records(iter(pieces), backend="lxml")),
    "arecords": lambda pieces: asyncio.run(every(xml5tree.arecords(each(pieces)))),
    "record batches": batches,
    "draft": fed(lambda: xml5tree.Repairer(recovery="draft")),
    "intent": fed(lambda: xml5tree.Repairer(recovery="intent")),
    "known elements": fed(lambda: xml5tree.Repairer(elements={"r", "f", "item", "e"})),
    "microxml": fed(lambda: xml5tree.Repairer(dialect="microxml")),
}

#: Elements that stay open while pieces come.
OPEN = {
    "elements": lambda n: "<r>" + "<f>" * n + "<x/>" * n,
    "elements around records": lambda n: "<r>" + "<f>" * n + "<item>x</item>" * n,
    "records": lambda n: "<r>" + "<item>" * n + "<x/>" * n,
    "elements in a record": lambda n: "<r><item>" + "<f>" * n + "<x/>" * n,
    "scopes": lambda n: "<r>" + "<p:f xmlns:p='u'>" * n + "<x/>" * n,
}
#: What is tried at every entry point, at those that give records, and where the tree is made smaller meanwhile.
AT_EVERY_DOOR = ["elements"]
OF_RECORDS = ["elements in a record"]
OF_TREES = ["records", "records of lxml", "iterroots", "intent"]


@pytest.mark.parametrize(
    ("door", "family"),
    one_in(
        7,
        [
            (door, family)
            for door in DOORS
            for family in OPEN
            if family in AT_EVERY_DOOR or (family in OF_RECORDS and "record" in door) or door in OF_TREES
        ],
    ),
)
def test_depth_times_pieces(door, family):
    read = DOORS[door]
    assert_scales_linearly(lambda text: read(list(chunks(text, 1))), OPEN[family], 40, factor=8, slack=2.2, floor=0.001)


#: Names of every kind, each another one: (what is before them, one, what is after all).
NAMES = {
    "elements": ("<r>", "<e#/>", ""),
    "elements with an end tag": ("<r>", "<e#>x</e#>", ""),
    "pairs of elements": ("<r>", "<e#><f#/></e#>", ""),
    "attributes": ("<r>", "<e a#='1'/>", ""),
    "attributes without quotes": ("<r>", "<e a#=1/>", ""),
    "end tags": ("<r>", "</e#>", ""),
    "targets": ("<r>", "<?p# x?>&", ""),
    "undeclared prefixes": ("<r>", "<p#:e/>", ""),
    "undeclared prefixes of attributes": ("<r>", "<e p#:a='1'/>", ""),
    "declared prefixes": ("<r>", "<e xmlns:p#='u'>&amp</e>", ""),
    "declared prefixes that are used": ("<r>", "<p#:e xmlns:p#='u'><p#:f/></p#:e>&", ""),
    "prefixes declared together": ("<r", " xmlns:p#='u'", ">" + "<p1:e/>&" * 50),
    "namespaces": ("<r>", "<e xmlns='u#'/>&", ""),
    "namespaces of a prefix": ("<r>", "<p:e xmlns:p='u#'>&</p:e>", ""),
    "references": ("<r>", "&n#;", ""),
    "references without a semicolon": ("<r>", "&n# ", ""),
    "references in values": ("<r>", "<e a='&n#;'/>", ""),
    "declared entities": ("<!DOCTYPE r [", "<!ENTITY n# 'x'>", "]><r>" + "&n1;" * 50),
    "declared attributes": ("<!DOCTYPE r [", "<!ATTLIST e# a CDATA 'x'>", "]><r>" + "<e1/>&" * 50),
    "names that are no names": ("<r>", "<e$#/>", ""),
}
#: Those that keep tables of names, and not only a tree. The last two take turns with the families.
WITH_TABLES = ["draft", "intent", "error events", "records of lxml"]
#: What takes longer with a policy until the document is longer than what is read ahead: see test_intent_scaling.py.
READ_AHEAD = ["end tags"]

#: How many of a name the shorter document has, where fewer fit into one window, so that the policy is not asked, or are
#: all kept, so that runs go on past them.
FIRST = {"declared prefixes that are used": 1600, "references in values": 1600}


@pytest.mark.parametrize(
    ("door", "family"),
    one_in(
        7,
        [
            (door, family)
            for place, family in enumerate(NAMES)
            for number, door in enumerate(WITH_TABLES)
            if number < 2 or number % 2 == place % 2
        ],
    ),
)
def test_different_names(door, family):
    before, one, after = NAMES[family]
    read = DOORS["draft" if family in READ_AHEAD else door]

    def make(n):
        return before + numbered(one)(n) + after

    for name in [
        *LANES.keys() & {"compiled"},
        *(["states"] if door == "draft" or (door == "intent" and family not in FIRST) else []),
    ]:
        with lane(name):
            assert_scales_linearly(
                lambda text: read(list(chunks(text, 500))),
                make,
                FIRST.get(family, 120),
                factor=4 if family in FIRST else 8,
                slack=2.2 if family in FIRST else 2,
                floor=0.001,
            )


@pytest.mark.skipif(compiled is None, reason="without the compiled reader, each field looks through its record")
@pytest.mark.parametrize("path", ["{}", "{}/text()", "@{}"])
def test_many_fields(path):
    def read(fields):
        attributes = " ".join(f"{name}=''" for name in fields if path == "@{}")
        record = f"<item {attributes}>{''.join(f'<{name}/>' for name in fields)}</item>"
        return list(xml5tree.records([f"<r>{record}</r>"], fields=fields))

    assert_scales_linearly(read, lambda n: {f"f{i}": path.format(f"f{i}") for i in range(n)}, 800, attempts=3)


#: How much longer a document may take that has 1900 elements open. It took at least 60 times as long. The open elements
#: themselves take time, too.
MOST_BY_DEPTH = 15


@pytest.mark.parametrize("recovery", ["draft", "intent"])
def test_depth_does_not_choose_the_reader(recovery):
    """The compiled scan reads at every depth, not only up to a quarter of `max_depth`."""

    def make(depth):
        return "<r>" + "<item><id>1</id>\n" * depth + ("<item><id>1</id></item>\n" * 20 + "&") * 150

    assert_grows_at_most(
        lambda text: xml5tree.repair(text, recovery=recovery, max_errors=10), make(100), make(1900), MOST_BY_DEPTH
    )
