"""The table of well-known prefixes."""

import re

import lxml.etree
import pytest
from support.cases import each_case

import xml5tree
from xml5tree.xml.names import EXPAT
from xml5tree.xml.prefixes import FAMILIES, WELL_KNOWN_PREFIXES
from xml5tree.xml.uris import is_readable

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
