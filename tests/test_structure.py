"""What callers and DTDs say of the structure of documents: it steers repairs, and rejects nothing."""

import io
import pickle
import re

import pytest
from support.commands import run_command

import xml5tree
from xml5tree import ranges
from xml5tree.intent.costs import COSTS
from xml5tree.intent.search import Search
from xml5tree.xml.structure import KINDS, Content

DTD = """<?xml version="1.0"?><!-- <!ELEMENT item EMPTY> -->
<!ENTITY % text "(#PCDATA)"><!ENTITY % parts "title|p:enclosure">
<!ELEMENT rss (channel)><!ELEMENT channel (title?, item*)><!ELEMENT item (%parts;)*>
<!ELEMENT title %text;><!ELEMENT p:enclosure EMPTY><!ELEMENT any ANY>"""
XSD = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="u" targetNamespace="u">
<xs:element name="rss"><xs:complexType><xs:sequence><xs:element name="channel" type="Channel"/></xs:sequence>
</xs:complexType></xs:element>
<xs:complexType name="Channel"><xs:complexContent><xs:extension base="Base"><xs:choice>
<xs:element ref="item"/></xs:choice></xs:extension></xs:complexContent></xs:complexType>
<xs:complexType name="Base"><xs:group ref="titles"/></xs:complexType>
<xs:group name="titles"><xs:sequence><xs:element name="title" type="xs:string"/></xs:sequence></xs:group>
<xs:element name="item" type="Item"/><xs:element name="other" substitutionGroup="item" type="Own"/>
<xs:complexType name="Item" mixed="true"><xs:sequence><xs:element name="enclosure"><xs:complexType>
<xs:attribute name="url"><xs:simpleType><xs:restriction base="xs:string"/></xs:simpleType></xs:attribute>
</xs:complexType></xs:element></xs:sequence></xs:complexType>
<xs:simpleType name="Own"><xs:restriction base="xs:string"/></xs:simpleType>
<xs:element name="free"/><xs:element name="open"><xs:complexType><xs:sequence><xs:any/></xs:sequence></xs:complexType>
</xs:element><xs:element name="foreign" type="unknown"/>
<xs:element name="price"><xs:complexType><xs:simpleContent><xs:extension base="xs:decimal"/></xs:simpleContent>
</xs:complexType></xs:element></xs:schema>"""
RELAX_NG = """<grammar xmlns="http://relaxng.org/ns/structure/1.0"><start><ref name="rss"/></start>
<define name="rss"><element name="rss"><attribute name="version"><text/></attribute><oneOrMore><ref name="part"/>
</oneOrMore></element></define>
<define name="part"><choice><element><choice><name>a</name><name>p:b</name></choice><data type="int"/></element>
<element name="c"><empty/></element><element name="d"><mixed><ref name="part"/></mixed></element>
<element name="e"><externalRef href="x"/></element></choice></define></grammar>"""


def test_what_dtds_declare():
    names = xml5tree.known_elements(io.StringIO(DTD))
    assert names == {"rss", "channel", "item", "title", "p:enclosure", "any"}
    assert names.children == {
        "rss": {"channel"},
        "channel": {"title", "item"},
        "item": {"title", "p:enclosure"},
        "title": {"#"},
        "p:enclosure": set(),
    }
    again = pickle.loads(pickle.dumps(names))
    assert (again, again.children) == (names, names.children)


def test_what_xml_schemas_declare():
    children = xml5tree.known_elements(io.StringIO(XSD)).children
    assert {
        name.removeprefix("{*}"): {child.removeprefix("{*}") for child in found} for name, found in children.items()
    } == {
        "rss": {"channel"},
        "channel": {"title", "item", "other"},
        "title": {"#"},
        "item": {"#", "enclosure"},
        "other": {"#"},
        "enclosure": set(),
        "price": {"#"},
    }
    assert all(name.startswith("{*}") for name in children)


def test_what_relax_ng_declares():
    children = xml5tree.known_elements(io.StringIO(RELAX_NG)).children
    part = {"a", "{*}b", "c", "d", "e"}
    assert children == {"rss": part, "a": {"#"}, "{*}b": {"#"}, "c": set(), "d": {"#", *part}}


NESTED, DEEP = "<item><t/><item>2</item></item>", "<p:item><t/><x><p:item>2</p:item></x></p:item>"
LIST = "<!ELEMENT list (entry)*><!ELEMENT entry (name)><!ELEMENT name (#PCDATA)>"
#: What is known; a document whose evidence says something else; what that is, and what it means by what is known.
KNOWN = {
    "never nesting": (
        {"never_nest": {"item"}},
        f"<r>{NESTED * 4}<item><t/><item>4</item></r>",
        f"<r>{NESTED * 4}<item><t/><item>4</item></item></r>",
        f"<r>{NESTED * 4}<item><t/></item><item>4</item></r>",
    ),
    "never nesting, with a prefix and at any depth": (
        {"never_nest": {"{*}item"}},
        f"<r>{DEEP * 4}<x/><x/><p:item><t/><x><p:item>4</p:item></x></r>",
        f"<r>{DEEP * 4}<x/><x/><p:item><t/><x><p:item>4</p:item></x></p:item></r>",
        f"<r>{DEEP * 4}<x/><x/><p:item><t/></p:item><x><p:item>4</p:item></x></r>",
    ),
    "empty": (
        {"empty": {"{*}g"}},
        "<r><x><a>1</a><g><a>2</a><g><a>3</a></x></r>",
        "<r><x><a>1</a><g><a>2</a></g><g><a>3</a></g></x></r>",
        "<r><x><a>1</a><g/><a>2</a><g/><a>3</a></x></r>",
    ),
    "a DTD": (
        {"structure": xml5tree.known_elements(io.StringIO(LIST))},
        "<list><entry><name>Tea</name></entry><name>Cake</entry></list>",
        "<list><entry><name>Tea</name></entry><name>Cake</name></list>",
        "<list><entry><name>Tea</name></entry><entry><name>Cake</name></entry></list>",
    ),
}


def without_namespaces(markup):
    return re.sub(' xmlns:p="[^"]*"', "", markup)


@pytest.mark.parametrize("case", KNOWN)
def test_what_is_known_decides(case):
    options, document, evident, meant = KNOWN[case]
    assert without_namespaces(xml5tree.repair(document)) == evident
    assert without_namespaces(xml5tree.repair(document, **options)) == meant
    # All that reads documents takes the options.
    for chunks in ([document], list(document)):
        repairer = xml5tree.Repairer(recovery="intent", **options)
        assert without_namespaces("".join([*map(repairer.feed, chunks), repairer.close()])) == meant
    for read in (xml5tree.fromstring, lambda text, **given: xml5tree.parse(io.StringIO(text), **given).getroot()):
        read_back = xml5tree.fromstring(xml5tree.repair(document, **options))
        assert xml5tree.ElementTree.tostring(read(document, **options)) == xml5tree.ElementTree.tostring(read_back)


@pytest.mark.parametrize("case", KNOWN)
def test_what_is_well_formed_stays(case):
    options, _, *documents = KNOWN[case]
    for document in documents:
        document = document.replace("<r>", "<r xmlns:p='u'>")
        edits = []
        assert xml5tree.repair(document, edits=edits, **options) == document
        assert edits == []


#: Ways to read a file, as records or as a whole.
READINGS = {
    "parse": lambda path, known: xml5tree.parse(path, **known).getroot(),
    "lxml": lambda path, known: xml5tree.parse(path, backend="lxml", **known).getroot(),
    "open": lambda path, known: xml5tree.open(path, **known).read(),
    "iterparse": lambda path, known: [*xml5tree.iterparse(path, **known)],
    "records": lambda path, known: [*xml5tree.records(path, "item", **known)],
    "a pipe": lambda path, known: [*xml5tree.records(iter([path.read_bytes()]), "item", **known)],
    "columns": lambda path, known: xml5tree.read_table(path, "item", **known),
    "ranges": lambda path, known: [*ranges.read(ranges.Range(str(path)), "item", **known)],
    "ElementTree": lambda path, known: xml5tree.ElementTree.parse(path, xml5tree.ElementTree.XMLParser(**known)),
    "check": lambda path, known: run_command("check", "--never-nest", "item", "--empty", "g", path),
    "repair": lambda path, known: run_command("repair", "--never-nest", "item", "--empty", "g", path),
    "records command": lambda path, known: run_command("records", "--never-nest", "item", "--empty", "g", path),
    "report": lambda path, known: run_command(
        "report", "--never-nest", "item", "-o", path.parent / "report.html", path
    ),
    "xpath": lambda path, known: run_command("xpath", "--never-nest", "item", "//item", path),
    "tree": lambda path, known: run_command("tree", "--never-nest", "item", path),
}


@pytest.mark.filterwarnings("ignore:.*records may read otherwise:xml5tree.RowsWarning")
@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("document", ["<r><item><a/></item></r>", "<r><item><a/><item><a/></r>"])
def test_all_that_reads_takes_the_options(reading, document, tmp_path):
    if reading == "columns":
        pytest.importorskip("pyarrow")
    path = tmp_path / "r.xml"
    path.write_text(document)
    found = READINGS[reading](path, {"never_nest": {"item"}, "empty": {"g"}})
    assert found is not None
    if hasattr(found, "status"):
        assert found.status < 3, found.err


def test_an_internal_subset():
    _, document, evident, meant = KNOWN["a DTD"]
    subset = f"<!DOCTYPE list [<!-- ]> ' -->{LIST}<!ENTITY e '<entry>]>'>]>"
    assert xml5tree.repair(subset + document) == "<!DOCTYPE list>" + meant
    assert (
        xml5tree.repair(subset.replace("(name)", "ANY").replace("(entry)*", "ANY") + document)
        == "<!DOCTYPE list>" + evident
    )
    empty = "<r><x><a>1</a><g><a>2</a><g><a>3</a></x></r>"
    assert "<g/><a>2</a><g/>" in xml5tree.repair("<!DOCTYPE r [<!ELEMENT g EMPTY>]>" + empty)
    # What the caller says counts more.
    known = xml5tree.known_elements(io.StringIO("<!ELEMENT g (a)>"))
    assert "<g><a>2</a></g>" in xml5tree.repair("<!DOCTYPE r [<!ELEMENT g EMPTY>]>" + empty, structure=known)


@pytest.mark.filterwarnings("ignore:.*records may read otherwise:xml5tree.RowsWarning")
def test_records_and_ranges(tmp_path):
    feed = "<r>" + "<x><a>1</a><g><a>2</a><g><a>3</a></x>" * 3 + "</r>"
    path = tmp_path / "feed.xml"
    path.write_text(feed)
    expected = [{"a": ["1", "2", "3"], "g": [None, None]}] * 3
    assert [*xml5tree.records(path, "x", empty={"g"})] == expected
    part = ranges.Range(str(path))
    found = [xml5tree.ElementTree.tostring(one.element) for one in ranges.read(part, "x", empty={"g"})]
    assert found == [b"<x><a>1</a><g /><a>2</a><g /><a>3</a></x>"] * 3


def test_a_record_in_a_record_in_a_stream():
    """What never nests is doubted at once, though the end of the document may be far."""
    filling = "<p>" + "x" * 17_000 + "</p>"
    feed = f"<r><item>1{filling}<item>2{filling}</item><item>3{filling}</item></r>"
    parts = [feed[at : at + 1000] for at in range(0, len(feed), 1000)]
    assert len([*xml5tree.records(iter(parts), "item", never_nest={"item"})]) == 3


def test_a_document_that_contradicts_is_kept_and_an_entry_says_so():
    options = {"never_nest": {"item"}, "empty": {"enclosure"}}
    kept = "<item>1<b><item>2</item></b></item><enclosure>3</enclosure><enclosure><!-- --> </enclosure>"
    document = f"<r><enclosure>0</enclosure><!-- <enclosure>0 --></x>{kept}{kept}</r>"
    for chunks in ([document], list(document)):
        repairer = xml5tree.Repairer(recovery="intent", **options)
        assert "".join([*map(repairer.feed, chunks), repairer.close()]) == document.replace("</x>", "")
        entries = [entry for entry in repairer.error_log if entry.code == "contradicts-structure"]
        assert [(entry.column, entry.effect) for entry in entries] == [(14, "kept"), (62, "kept")]
        assert "text is in <enclosure>, where none is expected" in str(entries[0])
        assert "<item> is in <item>, where none is expected" in str(entries[1])
    parser = xml5tree.XMLParser(**options)
    parser.parse_whole(f"<r>{kept}</r>")
    assert parser.error_log == []


@pytest.mark.parametrize("size", [1, 2, 7])
def test_what_has_no_tags_hides_them_however_it_is_cut(size):
    hidden = "<enclosure>0</enclosure>"
    for opening, closing in (("<!--", "-->"), ("<?x ", "?>"), ("<![CDATA[", "]]>")):
        document = f'<!DOCTYPE r SYSTEM "x]>" [<!ENTITY e "{hidden}">]>\n<r></x>{opening}{hidden}{closing}'
        document += f"<i a='{closing}' b='/'>{hidden.replace('0', '')}</i><enclosure>\n<i/></enclosure></r>"
        repairer = xml5tree.Repairer(recovery="intent", empty={"enclosure"})
        for at in range(0, len(document), size):
            repairer.feed(document[at : at + size])
        repairer.close()
        places = [entry.column for entry in repairer.error_log if entry.code == "contradicts-structure"]
        assert places == [0]


#: What follows a fault in a list, and the places in it of what contradicts.
JUDGED = {
    "a comment in what is empty": ("<g><!-- x --><?x?> </g>", []),
    "what is read as a comment": ("<g><!x></g>", []),
    "an entity with markup": ("<name>&m;</name>", []),
    "text of an entity": ("<g>&e;</g>", [3]),
    "a reference to white space": ("<g>&#32;</g>", [3]),
    "references with errors": ("<g>&amp &nope;</g>", [3]),
    "text after references": ("<g>\n x&amp;</g><g>y</g>", [5]),
    "a section": ("<g><![CDATA[ ]]></g>", [3]),
    "text, once, and an element": ("<g>1</g><g>2</g><g><x/></g>", [3, 19]),
    "a tag with errors": ("<x:x a=1 a=1/>", [0]),
    "a bracket": ("<g>< </g>", [3]),
}


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("case", JUDGED)
@pytest.mark.parametrize("ending", ["", "<g/>" * 200])
def test_what_is_read_is_judged_however_it_is_cut(case, ending):
    judged, expected = JUDGED[case]
    entities = "<!ELEMENT name (b)><!ELEMENT b (#PCDATA)><!ENTITY m '<b>x</b>'><!ENTITY e 'y'>"
    begin = f"<!DOCTYPE list [<!ELEMENT list (g|name)*><!ELEMENT g EMPTY>{entities}]><list></y>"
    document = f"{begin}{judged}{ending}</list>"
    for size in (len(document), 1, 7):
        reported = []
        repairer = xml5tree.Repairer(recovery="intent", on_error=reported.append)
        for at in range(0, len(document), size):
            repairer.feed(document[at : at + size])
        repairer.close()
        for entries in (repairer.error_log, reported):
            places = [entry.offset - len(begin) for entry in entries if entry.code == "contradicts-structure"]
            assert places == expected


def test_command_line(tmp_path):
    _, document, evident, meant = KNOWN["a DTD"]
    path, dtd = tmp_path / "list.xml", tmp_path / "list.dtd"
    path.write_text(document)
    dtd.write_text(LIST)
    assert run_command("repair", path).out == evident
    assert run_command("repair", "--structure", dtd, path).out == meant
    assert xml5tree.repair(document, structure=str(dtd)) == xml5tree.repair(document, structure=dtd) == meant
    for case, flag, names in (("never nesting", "--never-nest", "b,item"), ("empty", "--empty", "{*}g")):
        path.write_text(KNOWN[case][1])
        assert run_command("repair", flag, names, path).out == KNOWN[case][3]
    for flags in (["--structure", path], ["--structure", tmp_path / "none"], ["--empty", "a", "--recovery", "draft"]):
        assert run_command("repair", *flags, path).status == 3


@pytest.mark.parametrize(
    "options",
    [
        {"recovery": "draft", "never_nest": {"a"}},
        {"recovery": "strict", "empty": {"a"}},
        {"dialect": "html", "empty": {"a"}},
        {"never_nest": {"a b"}},
        {"structure": "no/such/file"},
        {"structure": {"a": {"b"}}},
        {"structure": xml5tree.known_elements(xml5tree.fromstring("<a/>"))},
    ],
)
def test_options_that_cannot_be(options):
    with pytest.raises((TypeError, ValueError, OSError)):
        xml5tree.fromstring("<a>", **options)


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_knowledge_is_a_row_that_steers(kind):
    """Each has an option of its name, and what contradicts it costs more."""

    def cost(content):
        search = Search(content=content)
        search.lattice.feed(b"<r><a>1<a>2</a></r>", final=True)
        [*search.advance()]
        model = search.model
        frames = search._frames
        frame = frames.push(frames.push(frames.of(b"", None, b"^", -1, -1), b"r", -1, b"^"), b"a", -1, b"^")
        assert model is search.model
        return search._open_cost(frame, b"a", -1)

    assert kind in xml5tree.options.Settings._fields
    assert cost({"a": KINDS[kind]("a")}) - cost({}) >= COSTS["undeclared"] - COSTS["most"]
    assert cost({"b": KINDS[kind]("b")}) == cost({})
    assert Content().also(KINDS[kind]("a")) == KINDS[kind]("a")
