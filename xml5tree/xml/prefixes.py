"""Namespace prefixes, and those that are well known (D-116).

Of several meanings, the entry is the one most often found undeclared; the option `namespaces` overrides it. The comment
beside each entry names the source of the URI.
"""

from collections.abc import Mapping
from typing import Final

#: The namespaces of ``xml`` and ``xmlns``, which are bound by definition (Namespaces in XML 1.0 §3).
XML_NAMESPACE: Final = "http://www.w3.org/XML/1998/namespace"
XMLNS_NAMESPACE: Final = "http://www.w3.org/2000/xmlns/"

#: The entities by which Adobe Illustrator names namespaces, with their values.
WELL_KNOWN_ENTITIES: Final[Mapping[str, str]] = {
    "ns_svg": "http://www.w3.org/2000/svg",
    "ns_xlink": "http://www.w3.org/1999/xlink",
    "ns_extend": "http://ns.adobe.com/Extensibility/1.0/",
    "ns_ai": "http://ns.adobe.com/AdobeIllustrator/10.0/",
    "ns_graphs": "http://ns.adobe.com/Graphs/1.0/",
    "ns_vars": "http://ns.adobe.com/Variables/1.0/",
    "ns_imrep": "http://ns.adobe.com/ImageReplacement/1.0/",
    "ns_sfw": "http://ns.adobe.com/SaveForWeb/1.0/",
    "ns_custom": "http://ns.adobe.com/GenericCustomNamespace/1.0/",
    "ns_adobe_xpath": "http://ns.adobe.com/XPath/1.0/",
}

#: Prefix → namespace name.
WELL_KNOWN_PREFIXES: Final[Mapping[str, str]] = {
    # Feeds
    "rss": "http://purl.org/rss/1.0/",  # RSS 1.0
    "content": "http://purl.org/rss/1.0/modules/content/",  # RSS 1.0 module Content
    "slash": "http://purl.org/rss/1.0/modules/slash/",  # RSS 1.0 module Slash
    "sy": "http://purl.org/rss/1.0/modules/syndication/",  # RSS 1.0 module Syndication
    "taxo": "http://purl.org/rss/1.0/modules/taxonomy/",  # RSS 1.0 module Taxonomy
    "admin": "http://webns.net/mvcb/",  # RSS 1.0 module Administration (mvcb)
    "atom": "http://www.w3.org/2005/Atom",  # RFC 4287, Atom Syndication Format
    "atom10": "http://www.w3.org/2005/Atom",  # the same, as FeedBurner calls it
    "app": "http://www.w3.org/2007/app",  # RFC 5023, Atom Publishing Protocol
    "thr": "http://purl.org/syndication/thread/1.0",  # RFC 4685, Atom Threading Extensions
    "fh": "http://purl.org/syndication/history/1.0",  # RFC 5005, Feed Paging and Archiving
    "at": "http://purl.org/atompub/tombstones/1.0",  # RFC 6721, Atom deleted-entry element
    "wfw": "http://wellformedweb.org/CommentAPI/",  # Comment API
    "trackback": "http://madskills.com/public/xml/rss/module/trackback/",  # TrackBack module for RSS
    "creativeCommons": "http://backend.userland.com/creativeCommonsRssModule",  # Creative Commons module for RSS 2.0
    "feedburner": "http://rssnamespace.org/feedburner/ext/1.0",  # FeedBurner extensions
    "opensearch": "http://a9.com/-/spec/opensearch/1.1/",  # OpenSearch 1.1
    "activity": "http://activitystrea.ms/spec/1.0/",  # Atom Activity Streams 1.0
    "poco": "http://portablecontacts.net/spec/1.0",  # Portable Contacts 1.0
    # Media and podcasts
    "media": "http://search.yahoo.com/mrss/",  # Media RSS
    "itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd",  # Apple podcasts
    "googleplay": "http://www.google.com/schemas/play-podcasts/1.0",  # Google Play podcasts
    "podcast": "https://podcastindex.org/namespace/1.0",  # Podcasting 2.0 (Podcast Index)
    "psc": "http://podlove.org/simple-chapters",  # Podlove Simple Chapters
    "yt": "http://www.youtube.com/xml/schemas/2015",  # YouTube feeds
    # Shops, sitemaps and data feeds of Google
    "g": "http://base.google.com/ns/1.0",  # Google Base, Merchant Center
    "gd": "http://schemas.google.com/g/2005",  # Google Data
    "sitemap": "http://www.sitemaps.org/schemas/sitemap/0.9",  # Sitemaps 0.9
    "image": "http://www.google.com/schemas/sitemap-image/1.1",  # image sitemaps
    "video": "http://www.google.com/schemas/sitemap-video/1.1",  # video sitemaps
    "news": "http://www.google.com/schemas/sitemap-news/0.9",  # news sitemaps
    # Metadata and libraries
    "dc": "http://purl.org/dc/elements/1.1/",  # Dublin Core Metadata Element Set 1.1
    "dcterms": "http://purl.org/dc/terms/",  # DCMI Metadata Terms
    "dcmitype": "http://purl.org/dc/dcmitype/",  # DCMI Type Vocabulary
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",  # RDF
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",  # RDF Schema
    "owl": "http://www.w3.org/2002/07/owl#",  # OWL Web Ontology Language
    "skos": "http://www.w3.org/2004/02/skos/core#",  # SKOS
    "foaf": "http://xmlns.com/foaf/0.1/",  # FOAF Vocabulary
    "cc": "http://creativecommons.org/ns#",  # Creative Commons Rights Expression Language
    "oai": "http://www.openarchives.org/OAI/2.0/",  # OAI-PMH 2.0
    "oai_dc": "http://www.openarchives.org/OAI/2.0/oai_dc/",  # OAI-PMH 2.0, Dublin Core
    "marc": "http://www.loc.gov/MARC21/slim",  # MARCXML
    "mods": "http://www.loc.gov/mods/v3",  # MODS 3
    "mets": "http://www.loc.gov/METS/",  # METS 1
    "tei": "http://www.tei-c.org/ns/1.0",  # Text Encoding Initiative P5
    # W3C
    "xhtml": "http://www.w3.org/1999/xhtml",  # XHTML
    "svg": "http://www.w3.org/2000/svg",  # SVG
    "mathml": "http://www.w3.org/1998/Math/MathML",  # MathML
    "mml": "http://www.w3.org/1998/Math/MathML",  # the same, as JATS calls it
    "xlink": "http://www.w3.org/1999/xlink",  # XLink
    "xi": "http://www.w3.org/2001/XInclude",  # XInclude
    "xforms": "http://www.w3.org/2002/xforms",  # XForms 1
    "xs": "http://www.w3.org/2001/XMLSchema",  # XML Schema
    "xsd": "http://www.w3.org/2001/XMLSchema",  # XML Schema
    "xsi": "http://www.w3.org/2001/XMLSchema-instance",  # XML Schema, in instances
    "xsl": "http://www.w3.org/1999/XSL/Transform",  # XSLT
    "fo": "http://www.w3.org/1999/XSL/Format",  # XSL Formatting Objects
    "ds": "http://www.w3.org/2000/09/xmldsig#",  # XML Signature
    # Web services
    "soap": "http://schemas.xmlsoap.org/soap/envelope/",  # SOAP 1.1
    "soapenv": "http://schemas.xmlsoap.org/soap/envelope/",  # SOAP 1.1
    "SOAP-ENV": "http://schemas.xmlsoap.org/soap/envelope/",  # SOAP 1.1
    "wsdl": "http://schemas.xmlsoap.org/wsdl/",  # WSDL 1.1
    # Books
    "epub": "http://www.idpf.org/2007/ops",  # EPUB 3, structural semantics
    "opf": "http://www.idpf.org/2007/opf",  # EPUB, Open Packaging Format
    "ncx": "http://www.daisy.org/z3986/2005/ncx/",  # DAISY navigation control, ANSI/NISO Z39.86-2005
    # Places
    "geo": "http://www.w3.org/2003/01/geo/wgs84_pos#",  # W3C Basic Geo (WGS84 lat/long) Vocabulary
    "georss": "http://www.georss.org/georss",  # GeoRSS
    "gml": "http://www.opengis.net/gml",  # OGC GML 2 and 3.1, as used in GeoRSS
    "ogc": "http://www.opengis.net/ogc",  # OGC Filter Encoding 1
    "kml": "http://www.opengis.net/kml/2.2",  # OGC KML 2.2
    "gx": "http://www.google.com/kml/ext/2.2",  # Google's extensions of KML
    "gpx": "http://www.topografix.com/GPX/1/1",  # GPX 1.1
    "gpxx": "http://www.garmin.com/xmlschemas/GpxExtensions/v3",  # Garmin GPX Extensions 3
    "gpxtpx": "http://www.garmin.com/xmlschemas/TrackPointExtension/v1",  # Garmin Track Point Extension 1
    "cap": "urn:oasis:names:tc:emergency:cap:1.2",  # OASIS Common Alerting Protocol 1.2
    # Drawings
    "inkscape": "http://www.inkscape.org/namespaces/inkscape",  # Inkscape
    "sodipodi": "http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd",  # Sodipodi, Inkscape
    "kvg": "http://kanjivg.tagaini.net",  # KanjiVG
    # Office documents
    "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",  # ECMA-376, WordprocessingML
    "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",  # ECMA-376, relationships
    "a": "http://schemas.openxmlformats.org/drawingml/2006/main",  # ECMA-376, DrawingML
    "pic": "http://schemas.openxmlformats.org/drawingml/2006/picture",  # ECMA-376, DrawingML pictures
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",  # ECMA-376, Markup Compatibility
    "o": "urn:schemas-microsoft-com:office:office",  # Microsoft Office HTML
    "v": "urn:schemas-microsoft-com:vml",  # Vector Markup Language
    "st1": "urn:schemas-microsoft-com:office:smarttags",  # Microsoft Office HTML, smart tags
    "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",  # OASIS OpenDocument 1
    "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",  # OASIS OpenDocument 1, text
    "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",  # OASIS OpenDocument 1, tables
    "draw": "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0",  # OASIS OpenDocument 1, drawings
    "style": "urn:oasis:names:tc:opendocument:xmlns:style:1.0",  # OASIS OpenDocument 1, styles
}

#: Other names that documents have for well-known namespaces.
_ALIASES: Final[Mapping[str, str]] = {
    "http://video.search.yahoo.com/mrss": WELL_KNOWN_PREFIXES["media"],
    "http://www.google.com/schemas/play-podcasts/1.0/play-podcasts.xsd": WELL_KNOWN_PREFIXES["googleplay"],
    "https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/1.0.md": WELL_KNOWN_PREFIXES["podcast"],
}


def _key(uri: str) -> str:
    """Return what variants of a namespace name have in common."""
    return uri.removeprefix("https://").removeprefix("http://").rstrip("/").lower()


_BY_KEY: Final = {
    _key(uri): known for uri, known in [*_ALIASES.items(), *((u, u) for u in WELL_KNOWN_PREFIXES.values())]
}


def well_known(uri: str) -> str:
    """Return the well-known namespace name of which a name is a variant, or the name itself.

    Variants differ in ``http`` or ``https``, in case, or by a slash at the end, or are known aliases.
    """
    return _BY_KEY.get(_key(uri), uri)


_OOXML: Final = "http://schemas.openxmlformats.org/"  # ECMA-376
_MICROSOFT: Final = "urn:schemas-microsoft-com:"  # Microsoft Office HTML, VML

#: Prefixes of one letter that are too likely to be something else, unless another namespace of their family is in
#: scope: prefix → how the namespace names of the family begin.
FAMILIES: Final[Mapping[str, tuple[str, ...]]] = {
    "w": (_OOXML,),
    "r": (_OOXML,),
    "a": (_OOXML,),
    "o": (_MICROSOFT, _OOXML),
    "v": (_MICROSOFT, _OOXML),
}


def expanded_name(name: str, prefixes: Mapping[str, str]) -> str:
    """Return the expanded name of an element or attribute; raise `ValueError` if the prefix is unknown."""
    prefix, colon, local = name.partition(":")
    if name.startswith("{") or not colon:
        return name
    if prefix not in prefixes:
        raise ValueError(f"the prefix {prefix!r} is not known; the option `namespaces` can have it")
    return f"{{{prefixes[prefix]}}}{local}"
