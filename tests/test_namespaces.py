"""How names are written: which prefixes take the place of those that cannot be."""

import re

import lxml.etree
import pytest
from support.outcomes import assert_same_on_all_ways
from support.splits import chunks

import xml5tree

pytestmark = pytest.mark.usefixtures("reader")

XML_ID = "{http://www.w3.org/XML/1998/namespace}id"
UNDECLARED = "urn:x-undeclared-prefix:"


@pytest.mark.parametrize(
    ("document", "repaired"),
    [
        # A prefix is free again once the element that declares it has ended,
        ("<r><1:a/><2:b/></r>", "<r><ns0:a{0=1}/><ns0:b{0=2}/></r>"),
        ("<r><1:a></1:a><2:b/></r>", "<r><ns0:a{0=1}></ns0:a><ns0:b{0=2}/></r>"),
        # unless one of an outer element is in use: so the search never looks at the same prefix twice.
        ("<r><1:a><2:b/><3:c/></1:a><4:d/></r>", "<r><ns0:a{0=1}><ns1:b{1=2}/><ns2:c{2=3}/></ns0:a><ns0:d{0=4}/></r>"),
        # What the document declares is left out.
        (
            "<r xmlns:ns0='u' xmlns:ns2='v'><1:a><2:b/></1:a><3:c/></r>",
            "<r xmlns:ns0='u' xmlns:ns2='v'><ns1:a{1=1}><ns3:b{3=2}/></ns1:a><ns1:c{1=3}/></r>",
        ),
    ],
)
def test_prefixes_that_take_the_place_of_others(document, repaired):
    for number in range(4):
        for prefix in range(5):
            repaired = repaired.replace(f"{{{number}={prefix}}}", f' xmlns:ns{number}="{UNDECLARED}{prefix}"')
    assert xml5tree.repair(document, recovery="draft") == repaired


def messages(document):
    """The whole log, as text without places."""
    repairer = xml5tree.Repairer()
    repairer.feed(document)
    repairer.close()
    return [entry.message for entry in repairer.error_log]


RESERVED = "declaration '{}' uses a reserved name; {}"
KEPT, WRITTEN = "it was kept as an ordinary attribute", "it was dropped, and its names get the prefix xml"
XML = "http://www.w3.org/XML/1998/namespace"


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("<a xmlns:xml='u'/>", [RESERVED.format("xmlns:xml", KEPT)]),
        ("<a xmlns:xmlns='u'/>", [RESERVED.format("xmlns:xmlns", KEPT)]),
        ("<a xmlns='http://www.w3.org/2000/xmlns/'/>", [RESERVED.format("xmlns", KEPT)]),
        (f"<a xmlns:p='{XML}'/>", [RESERVED.format("xmlns:p", WRITTEN)]),
        (f"<a xmlns='{XML}'/>", [RESERVED.format("xmlns", WRITTEN)]),
        (f"<a xmlns:xml='{XML}'/>", []),
        ("<a xmlns:p=''/>", ["declaration 'xmlns:p' without a namespace name was dropped"]),
        (
            "<xmlns:a/>",
            [
                "prefix 'xmlns' is not declared; bound to no namespace, but kept in the name",
                "element name 'xmlns:a' is not an XML name; written as 'xmlnsU00003Aa'",
            ],
        ),
        (
            "<1:a/>",
            [
                f"prefix '1' is not declared; bound to {UNDECLARED}1",
                "prefix '1' is not a name; written as 'ns0'",
            ],
        ),
        (
            "<a xmlns:p='u' xmlns:q='u' p:b='1' q:b='2' q:b='3'/>",
            [
                "attribute 'q:b' given twice in one tag, first as 'p:b'; the first was kept",
                "attribute 'q:b' given twice in one tag; the first was kept",
            ],
        ),
        ("<a xmlns:1='u'/>", ["prefix '1' is not a name; written as 'ns0'"]),
        ("<a xmlns='u v'/>", ["namespace name 'u v' is not a URI; written as 'u%20v'"]),
        ("<a b$=''/>", ["attribute name 'b$' is not allowed in XML; written as 'bU000024'"]),
    ],
)
def test_messages_say_what_became_of_names(document, expected):
    assert messages(document) == expected


@pytest.mark.parametrize("backend", ["etree", "lxml"])
@pytest.mark.parametrize("recovery", ["draft", "intent"])
def test_a_reserved_declaration_beside_an_attribute_of_its_new_name(backend, recovery):
    """D-118, D-119: the declaration becomes an ordinary attribute, and the second of that name is dropped."""
    document = "<a xmlns:xml='u' xmlnsU00003Axml='v'/>"
    parser = xml5tree.XMLParser(backend=backend, recovery=recovery)
    root = xml5tree.fromstring(document, parser=parser)
    assert dict(root.attrib) == {"xmlnsU00003Axml": "u"}
    codes = [entry.code for entry in parser.error_log]
    assert codes == ["reserved-namespace-declaration", "duplicate-attribute"]


# Entities in namespace names -----------------------------------------------------------------------------------------

ADOBE = {
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


@pytest.mark.parametrize("backend", ["etree", "lxml"])
@pytest.mark.parametrize("name", ADOBE)
def test_entities_of_adobe_illustrator(name, backend):
    document = f'<a xmlns="&{name};" xmlns:p="&{name};" b="&{name};"><p:c/>&{name};</a>'
    for size in (1, 7, len(document)):
        parser = xml5tree.XMLParser(backend=backend, recovery="intent")
        for start in range(0, len(document), size):
            parser.feed(document[start : start + size])
        root = parser.close()
        assert [element.tag for element in root.iter()] == [f"{{{ADOBE[name]}}}{tag}" for tag in "ac"]
        assert (root.get("b"), root[0].tail) == (ADOBE[name], f"&{name};")
        codes = [(entry.code, entry.effect) for entry in parser.error_log]
        assert codes == [("assumed-namespace", "kept")] * 3 + [("unknown-named-character-reference", "kept")]
    options = {"recovery": "intent"}
    for size in (1, 7):
        assert_same_on_all_ways(document, list(chunks(document, size)), options)
    assert f'xmlns="{ADOBE[name]}"' in xml5tree.repair(document, **options)


@pytest.mark.parametrize(("recovery", "name"), [("intent", "foo"), ("draft", "foo"), ("draft", "ns_svg")])
def test_undeclared_entities_in_namespace_names(recovery, name):
    for document in (f'<a xmlns="&{name};"/>', f'<r><p:a xmlns:p="x&{name};"/></r>'):
        assert_same_on_all_ways(document, list(chunks(document, 3)), {"recovery": recovery})
        parser = xml5tree.XMLParser(recovery=recovery, backend="etree")
        root = xml5tree.fromstring(document, parser=parser)
        assert f"&{name};}}a" in [*root.iter()][-1].tag
        (entry,) = parser.error_log
        assert (entry.code, entry.effect, entry.offset) == ("undeclared-namespace-entity", "moved", document.index("&"))
        xml5tree.fromstring(f'<a b="&{name};"/>', parser=parser)
        assert [entry.code for entry in parser.error_log] == ["unknown-named-character-reference"]


@pytest.mark.parametrize(
    ("document", "options", "uri"),
    [
        ('<!DOCTYPE a [<!ENTITY ns_svg "urn:x">]><a xmlns="&ns_svg;"><b></a>', {}, "urn:x"),
        ('<a xmlns="&ns_svg;"/>', {"entities": {"ns_svg": "urn:y"}}, "urn:y"),
        ('<a xmlns="&amp;ns_svg;"/>', {}, "&ns_svg;"),
    ],
)
def test_declared_entities_in_namespace_names(document, options, uri):
    assert xml5tree.fromstring(document, backend="etree", recovery="intent", **options).tag == f"{{{uri}}}a"


# xml:id --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("recovery", ["intent", "draft"])
@pytest.mark.parametrize(
    ("content", "written"),
    [
        ("<b xml:id='1 2'/>", ["xmlU00003Aid"]),
        ("<b xml:id=''/>", ["xmlU00003Aid"]),
        ("<b xml:id='p:q'/>", ["xmlU00003Aid"]),
        ("<b xml:id='&#x132;'/>", ["xmlU00003Aid"]),
        ("<b xml:id='x'/><b xml:id='x'/><b xml:id='x'/>", ["xml:id", "xmlU00003Aid", "xmlU00003Aid"]),
        ("<b xml:id='x'/><b xml:id='&#x78;'/>", ["xml:id", "xmlU00003Aid"]),
        ("<b xml:id='x' xmlU00003Aid='y'/><b xml:id='x'/>", ["xml:id", "xmlU00003Aid"]),
        ("<b xml:id=' x '/><b xml:id='é'/><!-- xml:id='é' -->", ["xml:id", "xml:id"]),
        ("<b xml:ID='1'/><b id='1'/><b id='1'/>", []),
    ],
)
def test_repaired_markup_has_no_id_that_libxml2_refuses(content, written, recovery):
    for end in ("</a>", "&</a>", ""):
        document = f"<a>{'<i/>' * 40}{content}{end}"
        markup = xml5tree.repair(document, recovery=recovery)
        root = lxml.etree.fromstring(markup)
        names = re.findall("(?:xml:id|xmlU00003Aid)(?==[\"'](?!y))", re.sub("<!--.*-->", "", markup))
        assert names == written
        assert [element.tag for element in root.iter("b")] == ["b"] * content.count("<b")
        assert xml5tree.repair(markup, recovery=recovery) == markup
        for size in (1, 7):
            repairer = xml5tree.Repairer(recovery=recovery)
            assert "".join([*map(repairer.feed, chunks(document, size)), repairer.close()]) == markup
            entries = [entry for entry in repairer.error_log if entry.code == "coerced-id"]
            assert [entry.effect for entry in entries] == ["kept"] * written.count("xmlU00003Aid")
        edits = xml5tree.edits(document, recovery=recovery)
        assert xml5tree.apply(document, edits) == markup
        assert_same_on_all_ways(document, list(chunks(document, 5)), {"recovery": recovery})


@pytest.mark.parametrize("backend", ["etree", "lxml"])
def test_trees_have_every_id(backend):
    for end in ("</a>", ""):
        parser = xml5tree.XMLParser(backend=backend)
        parser.feed(f"<a><b xml:id='1'/><b xml:id='1'/>{end}")
        assert [element.get(XML_ID) for element in parser.close().iter("b")] == ["1", "1"]
        assert "coerced-id" not in {entry.code for entry in parser.error_log}
