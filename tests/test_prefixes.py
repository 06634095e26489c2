"""The table of well-known prefixes."""

import lxml.etree
import pytest

from xml5tree.xml.names import EXPAT
from xml5tree.xml.prefixes import WELL_KNOWN_PREFIXES
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


@pytest.mark.parametrize("prefix", REQUIRED)
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


@pytest.mark.parametrize("prefix", WELL_KNOWN_PREFIXES)
def test_entry_can_be_declared(prefix):
    uri = WELL_KNOWN_PREFIXES[prefix]
    assert EXPAT.is_ncname(prefix)
    assert is_readable(uri)
    assert lxml.etree.fromstring(f'<{prefix}:e xmlns:{prefix}="{uri}"/>').nsmap == {prefix: uri}


def test_reserved_prefixes_are_left_out():
    assert {"xml", "xmlns"}.isdisjoint(WELL_KNOWN_PREFIXES)
