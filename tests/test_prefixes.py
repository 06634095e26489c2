"""The table of well-known prefixes."""

import re

import lxml.etree
import pytest
from support.cases import each_case
from support.commands import run_command

import xml5tree
from xml5tree.xml.names import EXPAT
from xml5tree.xml.prefixes import FAMILIES, WELL_KNOWN_PREFIXES, well_known
from xml5tree.xml.uris import is_readable

pytestmark = pytest.mark.usefixtures("reader")

# fmt: off
REQUIRED = [
    "rss", "atom", "rdf", "dc", "dcterms", "content", "slash", "sy", "wfw", "thr", "media", "itunes",
    "googleplay", "podcast", "georss", "geo", "gml", "g", "cc", "creativeCommons", "feedburner", "admin",
    "opensearch", "activity", "xhtml", "svg", "xlink", "xsi", "xsd", "xs", "xsl", "soap", "soapenv", "wsdl",
    "mathml", "epub", "opf", "ncx", "kml", "gpx", "ogc", "oai_dc", "mods", "marc", "xi", "xforms", "fo", "w", "r",
    "a", "office", "draw", "text",
]
# fmt: on


@each_case("prefix", REQUIRED)
def test_prefix_is_known(prefix):
    assert prefix in WELL_KNOWN_PREFIXES


@pytest.mark.parametrize(
    ("prefix", "uri"),
    [
        ("rss", "http://purl.org/rss/1.0/"),
        ("dc", "http://purl.org/dc/elements/1.1/"),
        ("geo", "http://www.w3.org/2003/01/geo/wgs84_pos#"),
        ("atom", "http://www.w3.org/2005/Atom"),
        ("xlink", "http://www.w3.org/1999/xlink"),
    ],
)
def test_meaning(prefix, uri):
    assert WELL_KNOWN_PREFIXES[prefix] == uri


@each_case("prefix", WELL_KNOWN_PREFIXES)
def test_entry_can_be_declared(prefix):
    uri = WELL_KNOWN_PREFIXES[prefix]
    assert EXPAT.is_ncname(prefix)
    assert is_readable(uri)
    assert lxml.etree.fromstring(f'<{prefix}:e xmlns:{prefix}="{uri}"/>').nsmap == {prefix: uri}


WORD = WELL_KNOWN_PREFIXES["w"]
VML = WELL_KNOWN_PREFIXES["v"]


@pytest.mark.parametrize(
    ("document", "options", "uri"),
    [
        ("<r><a:x/></r>", {}, None),
        ("<r xmlns:p='urn:p'><a:x/></r>", {}, None),
        (f"<r xmlns:w='{WORD}'><a:x/></r>", {}, WELL_KNOWN_PREFIXES["a"]),
        (f"<r xmlns:w='{WORD}'><v:x/></r>", {}, VML),
        (f"<r><w:b xmlns:w='{WORD}'/><a:x/></r>", {}, None),
        (f"<r xmlns:v='{VML}'><o:x/></r>", {}, WELL_KNOWN_PREFIXES["o"]),
        (f"<r xmlns:v='{VML}'><w:x/></r>", {}, None),
        ("<r><pic:p><a:x/></pic:p></r>", {}, WELL_KNOWN_PREFIXES["a"]),
        ("<r><g:x/></r>", {}, WELL_KNOWN_PREFIXES["g"]),
        ("<r><a:x/></r>", {"namespaces": {"a": WELL_KNOWN_PREFIXES["a"]}}, WELL_KNOWN_PREFIXES["a"]),
        (f"<r xmlns:w='{WORD}'><a:x/></r>", {"namespaces": {}}, None),
    ],
)
def test_prefixes_of_one_letter_are_known_beside_their_family(document, options, uri):
    """D-116: alone, such a prefix is too likely to be something else."""
    (found,) = (element for element in xml5tree.fromstring(document, **options).iter() if element.tag.endswith("}x"))
    prefix = re.search(r"(\w):x", document)[1]
    assert found.tag == f"{{{uri or 'urn:x-undeclared-prefix:' + prefix}}}x"


def test_all_prefixes_of_one_letter_have_a_family():
    assert {prefix for prefix in WELL_KNOWN_PREFIXES if len(prefix) == 1} == {"g", *FAMILIES}


def test_reserved_prefixes_are_left_out():
    assert {"xml", "xmlns"}.isdisjoint(WELL_KNOWN_PREFIXES)


G = f'xmlns:g="{WELL_KNOWN_PREFIXES["g"]}"'
XLINK = f'xmlns:xlink="{WELL_KNOWN_PREFIXES["xlink"]}"'
ON_ROOT = {
    "elements": ("<r><g:a/><g:b>1</g:b></r>", f"<r {G}><g:a/><g:b>1</g:b></r>", 1),
    "attributes": ('<r><a xlink:href="1"/></r>', f'<r {XLINK}><a xlink:href="1"/></r>', 1),
    "the root itself": ('<g:r g:b="1">x</g:r>', f'<g:r {G} g:b="1">x</g:r>', 1),
    "two": ("<r><xlink:a/><g:b/></r>", f"<r {XLINK} {G}><xlink:a/><g:b/></r>", 2),
    "unknown": ("<r><p:a/></r>", '<r xmlns:p="urn:x-undeclared-prefix:p"><p:a/></r>', 1),
    "prolog": ("<!-- <g:x> --><!DOCTYPE r [<!ENTITY e '<g:q/>'>]><r><g:a/></r>", f"<r {G}><g:a/></r>", 1),
    "beside other errors": ("<r><g:a k=1/>&</r>", f'<r {G}><g:a k="1"/>&amp;</r>', 4),
    "root with an error": ("<r k=1><g:a/></r>", f'<r {G} k="1"><g:a/></r>', 2),
    "root that is edited": ('<r k "1"><g:a/></r>', f'<r {G} k="1"><g:a/></r>', 2),
    # Declared somewhere, or no markup: as the draft has it.
    "declared elsewhere": ('<r><g:a xmlns:g="u"/><g:b/></r>', f'<r><g:a xmlns:g="u"/><g:b {G}/></r>', 1),
    "declared in an entity": (
        "<!DOCTYPE r [<!ENTITY e '<g:a xmlns:g=\"u\"/>'>]><r>&e;</r>",
        '<r><g:a xmlns:g="u"/></r>',
        0,
    ),
    "of a family": ("<r><w:a/></r>", '<r><w:a xmlns:w="urn:x-undeclared-prefix:w"/></r>', 1),
    "in text": ("<r>&<![CDATA[<g:a/>]]></r>", "<r>&amp;<![CDATA[<g:a/>]]></r>", 1),
    "in a comment": ("<r>&<!-- <g:a/> --></r>", "<r>&amp;<!-- <g:a/> --></r>", 1),
    "in a value": ("<r>&<a b='<g:a/>'/></r>", None, 2),
}


@pytest.mark.parametrize(("document", "repaired", "count"), ON_ROOT.values(), ids=list(ON_ROOT))
def test_a_prefix_is_declared_once_on_the_root(document, repaired, count):
    """It is an edit of the source, with one entry; the names are the draft's."""
    edits = []
    markup = xml5tree.repair(document, edits=edits)
    assert markup.endswith(repaired or "")
    assert "xmlns:g" in document or markup.count("xmlns:g") <= 1
    repairer = xml5tree.Repairer(recovery="intent")
    assert "".join([*map(repairer.feed, document), repairer.close()]) == markup
    assert len(repairer.error_log) == count
    draft = xml5tree.fromstring(document, recovery="draft")
    assert [element.tag for element in xml5tree.fromstring(document).iter()] == [
        element.tag for element in draft.iter()
    ]
    for edit in edits:
        assert edit.entries or edit.reason == "doctype"


@pytest.mark.parametrize(
    "before", ["", ' t="a>b"', " t='a>b'", f' t="{">" * 300}"', " " * 300, " t=a", " t='<'", ' t=">"\n u="\n"\n']
)
def test_a_prefix_is_declared_whatever_is_before_it_in_its_tag(before):
    """Prefixes are looked for in text only where they may be in a tag."""
    words = "Note: it is 12 o'clock, says http://example.org/ and so: " * 9
    markup = xml5tree.repair(f'<r>{words}<a{before} p:b="1"/>{words}</r>')
    assert markup.startswith('<r xmlns:p="urn:x-undeclared-prefix:p">Note: ')


def test_no_prefix_is_declared_on_the_root_by_the_draft_or_without_one_root():
    for options in ({"recovery": "draft"}, {"roots": "all"}, {"elements": {"r", "g:a"}}):
        assert f"<g:a {G}/>" in xml5tree.repair("<r><g:a/></r>", **options)


@pytest.mark.parametrize("name", ["r", "{*}r"])
def test_a_prefix_is_declared_on_the_root_that_the_caller_names(name):
    document = "Warning: <b>3</b> <g:x\n<r><g:a/></r>"
    assert xml5tree.repair(document, root_element=name) == f"<r {G}><g:a/></r>"


@pytest.mark.parametrize("recovery", ["intent", "draft"])
def test_a_prefix_that_is_not_declared_is_one_fault(recovery):
    """It has one entry if it is declared on the root."""
    document = "<r>" + "<i><g:id>1</g:id></i>\n" * 5000 + "</r>"
    parser = xml5tree.XMLParser(recovery=recovery)
    parser.parse_whole(document)
    assert parser.error_log.total == (1 if recovery == "intent" else 5000)
    (fault,) = parser.error_log.faults()
    assert fault.more == parser.error_log.total - 1
    assert ("4,999 more uses, up to line 5000" in fault.message) == (recovery == "draft")
    assert parser.error_log.summary() == {"undeclared-namespace-prefix": (1, "kept")}


@pytest.mark.parametrize("first", [32_700, 32_767, 32_790, 40_000])
def test_prefixes_far_from_the_root_are_bound_where_they_are_used(first):
    """What counts as far does not depend on the parts in which a document comes."""
    document = f"<r>{'x' * (first - 3)}<g:a/><b><g:c/></b></r>"
    repaired = xml5tree.repair(document)
    assert (f"<r {G}>" in repaired) == (first < 32_763)
    for size in (1000, 32_768, 33_000):
        repairer = xml5tree.Repairer(recovery="intent")
        pieces = [repairer.feed(document[place : place + size]) for place in range(0, len(document), size)]
        assert "".join([*pieces, repairer.close()]) == repaired


# Variants of namespace names ------------------------------------------------------------------------------------------

VARIANTS = [
    ("http://www.itunes.com/dtds/podcast-1.0.dtd", "http://search.yahoo.com/mrss/"),
    ("http://www.itunes.com/DTDs/Podcast-1.0.dtd", "http://search.yahoo.com/mrss"),
    ("https://www.itunes.com/dtds/podcast-1.0.dtd/", "http://video.search.yahoo.com/mrss"),
]
RICH = '<{0}:duration>{2}</{0}:duration><{1}:content url="u{2}" {0}:type="t"/>'
FIELDS = {
    "d": "itunes:duration",
    "u": "media:content/@url",
    "t": "media:content/@itunes:type",
    "all": ["itunes:duration"],
}


def feed(itunes, media, *uris):
    records = "".join(f"<item>{RICH.format(itunes, media, n) if n % 2 else '<a/>'}</item>" for n in range(6))
    return f'<rss xmlns:{itunes}="{uris[0]}" xmlns:{media}="{uris[1]}">{records}</rss>'


@pytest.mark.parametrize("prefixes", [("itunes", "media"), ("i", "m")])
@pytest.mark.parametrize("uris", VARIANTS)
def test_well_known_prefixes_match_variants_of_their_namespaces(uris, prefixes, tmp_path):
    document = feed(*prefixes, *uris)
    nothing = {"d": None, "u": None, "t": None, "all": []}
    found = [{"d": f"{n}", "u": f"u{n}", "t": "t", "all": [f"{n}"]} if n % 2 else nothing for n in range(6)]
    for text in (document, document.replace("<a/>", "<a>", 1)):
        for backend in ("etree", "lxml"):
            assert [*xml5tree.records([text], "item", fields=FIELDS, backend=backend)] == found
        nested = [*xml5tree.records([text], "item")][1]
        assert nested == {"itunes:duration": "1", "media:content": {"@url": "u1", "@itunes:type": "t"}}
    assert xml5tree.fromstring(document)[1][0].tag == f"{{{uris[0]}}}duration"  # trees stay as written
    path = tmp_path / "feed.xml"
    path.write_text(document)
    assert run_command("xpath", "//itunes:duration/text()", path).out == "1\n3\n5\n"


def test_own_namespaces_have_no_variants():
    """A prefix that the caller binds to a variant, or to anything else, means just that."""
    document = feed("itunes", "media", *VARIANTS[1])
    for uri, values in ((VARIANTS[1][0], ["1", "3", "5"]), (VARIANTS[0][0], ["1", "3", "5"]), (VARIANTS[2][0], [])):
        rows = xml5tree.records([document], "item", fields={"d": "p:duration"}, namespaces={"p": uri})
        assert [row["d"] for row in rows if row["d"]] == values
    rows = xml5tree.records([document], "item", fields={"d": f"{{{VARIANTS[0][0]}}}duration"})
    assert [row["d"] for row in rows if row["d"]] == []


def test_no_two_well_known_namespaces_are_variants_of_each_other():
    uris = {*WELL_KNOWN_PREFIXES.values()}
    assert {well_known(uri) for uri in uris} == uris
    assert all(well_known(uri) == uri for uri in uris)
    assert well_known("urn:x") == "urn:x"


MISSPELT = [
    *(
        "xlmns:foo",
        "xmnls:foo",
        "xmls:foo",
        "Xmlns:foo",
        "XMLNS:foo",
        "xmlns;foo",
        "xmlns.foo",
        "xmlns-foo",
        "xmlnsfoo",
    ),
    *("xml:ns:foo", "xmlns foo", "xmlns: foo", "xmlns :foo", "mlns:foo"),
]


@each_case("written", MISSPELT)
def test_a_misspelt_declaration_declares_the_prefix_that_the_document_has(written):
    document = f"<r a='1' {written}='http://a.example/'><foo:i>1</foo:i><i>2</r>"
    parser = xml5tree.XMLParser()
    assert xml5tree.fromstring(document, parser=parser).findtext("{http://a.example/}i") == "1"
    assert "assumed-attribute" in {entry.code for entry in parser.error_log}
    assert xml5tree.repair(document) == "<r a='1' xmlns:foo='http://a.example/'><foo:i>1</foo:i><i>2</i></r>"


def test_the_longest_prefix_that_fits_is_meant():
    document = "<r xmlnsfoo='urn:a'><oo:i/><o:i/><foo:i>1</foo:i><i>2</r>"
    assert xml5tree.fromstring(document).findtext("{urn:a}i") == "1"


@each_case("written", ["xlmns", "xmnls", "xmls", "XMLNS", "xml:ns"])
def test_a_misspelt_declaration_without_a_prefix(written):
    document = f'<r {written}="urn:a"><i>1</i><i>2</r>'
    assert xml5tree.fromstring(document).findtext("{urn:a}i") == "1"


@each_case(
    "tag",
    [
        "<r xml:base='http://a.example/'>",
        "<r xlmns='not a name'>",
        "<r xlmns='urn:a' xmlns='urn:b'>",
        "<r xlmns:q='urn:a'>",  # nothing has that prefix
        "<r xlmns:p='urn:a' xmlns:p='urn:b'>",
        "<r href='http://a.example/'>",
        "<r xmlns:é='http://a.example/'>",
    ],
)
def test_other_attributes_declare_nothing(tag):
    document = f"{tag}<p:i/><i>2</r>"
    parser = xml5tree.XMLParser()
    xml5tree.fromstring(document, parser=parser)
    assert "assumed-attribute" not in {entry.code for entry in parser.error_log}
