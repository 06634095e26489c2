"""The SAX driver: the standard driver's events for good documents, the repaired document's for broken ones."""

import io
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
import xml.sax
import xml.sax.handler
from xml.sax import expatreader
from xml.sax.xmlreader import InputSource

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support import nearxml
from support.packing import cut_off, each_compression
from support.splits import chunkings
from support.trees import assert_same_tree
from support.wellformed import every_document

import xml5tree
import xml5tree.sax

EVENTS = [
    *["startDocument", "endDocument", "startPrefixMapping", "endPrefixMapping", "startElement", "endElement"],
    *["startElementNS", "endElementNS", "characters", "ignorableWhitespace", "processingInstruction", "skippedEntity"],
    *["comment", "startDTD", "endDTD", "startCDATA", "endCDATA", "notationDecl", "unparsedEntityDecl"],
    *["warning", "error", "fatalError"],
]
LEXICAL_HANDLER = xml.sax.handler.property_lexical_handler
EXTERNAL_ENTITIES = xml.sax.handler.feature_external_ges
NAMESPACES = xml.sax.handler.feature_namespaces


class Recorder(xml.sax.handler.LexicalHandler, xml.sax.handler.DTDHandler, xml.sax.ContentHandler):
    """Keeps all events as tuples, adjacent characters as one, and line and column at which each of them began."""

    def __init__(self):
        super().__init__()
        self.events = []
        self.places = []
        self.locator = None

    def setDocumentLocator(self, locator):
        self.locator = locator

    def record(self, event, *arguments):
        if event == "characters" and self.events and self.events[-1][0] == event:
            self.events[-1] = event, self.events[-1][1] + arguments[0]
        else:
            self.events.append((event, *map(plain, arguments)))
            locator = self.locator
            self.places.append((locator.getLineNumber(), locator.getColumnNumber()) if locator else None)

    def parse(self, document, parser, *, pieces=None, encoding=None):
        parser.setContentHandler(self)
        parser.setDTDHandler(self)
        parser.setErrorHandler(self)
        parser.setProperty(LEXICAL_HANDLER, self)
        if pieces is None:
            parser.parse(source_of(document, encoding))
        else:
            self.locator = parser
            for piece in pieces:
                parser.feed(piece)
            parser.close()
        return self.events


for name in EVENTS:
    setattr(Recorder, name, lambda self, *arguments, name=name: self.record(name, *arguments))


def plain(argument):
    """An event's argument as something that can be compared."""
    if hasattr(argument, "getQNames"):
        return {name: (argument[name], argument.getQNameByName(name)) for name in argument.getNames()}
    return str(argument) if isinstance(argument, Exception) else argument


def source_of(document, encoding=None):
    source = InputSource("document.xml")
    if isinstance(document, str):
        source.setCharacterStream(io.StringIO(document, newline=""))
    else:
        source.setByteStream(io.BytesIO(document))
        source.setEncoding(encoding)
    return source


def events_of(document, *, namespaces=False, encoding=None, **options):
    """The events of a document but for those of its start and end."""
    parser = xml5tree.sax.create_parser(namespaces, **options)
    events = Recorder().parse(document, parser, encoding=encoding)
    assert events[0] == ("startDocument",)
    assert events[-1] == ("endDocument",)
    return events[1:-1]


def lines_of(document, event="startElement"):
    """The names of elements and the lines on which an event was reported of them."""
    recorder = Recorder()
    recorder.parse(document, xml5tree.sax.create_parser())
    places = zip(recorder.events, recorder.places, strict=True)
    return [(entry[1], place[0]) for entry, place in places if entry[0] == event]


# Well-formed documents


@given(nearxml.well_formed_documents(), st.booleans())
def test_well_formed_documents_have_the_events_of_the_standard_driver(document, namespaces):
    ours, theirs = Recorder(), Recorder()
    parser = xml5tree.sax.create_parser(namespaces)
    ours.parse(document.encode(), parser)
    theirs.parse(document.encode(), expatreader.create_parser(namespaces))
    assert comparable(ours, document) == comparable(theirs, document)
    assert parser.error_log == []


@every_document
@pytest.mark.parametrize("namespaces", [False, True])
def test_documents(document, namespaces):
    data = document()
    ours, theirs = Recorder(), Recorder()
    parser = xml5tree.sax.create_parser(namespaces)
    ours.parse(data, parser)
    theirs.parse(data, expatreader.create_parser(namespaces))
    if isinstance(data, bytes):
        data = data.decode("utf-16" if data.startswith(b"\xff\xfe") else "utf-8", "replace")
    assert comparable(ours, data) == comparable(theirs, data)
    assert parser.error_log == []


def comparable(recorder, document):
    """The events with their lines and columns, without what differs.

    The internal subset is not reported (entities arrive expanded, without CDATA sections in them, and on one line), nor
    are empty CDATA sections (E11 of D-001). The XML declaration may be shorter, a DOCTYPE is, as are tags whose
    attributes it declares; a byte order mark is no column.
    """
    result = []
    in_doctype = False
    with_places = "<!ENTITY" not in document
    with_columns = "<!DOCTYPE" not in document and "<![CDATA[]]>" not in document
    head = re.match(r"\ufeff?(<\?xml\s[^>]*)?", document)[0]
    shorter_lines = {1, len(head.splitlines())} if head else set()
    for event, place in zip(recorder.events, recorder.places, strict=True):
        name = event[0]
        if name == "endDTD":
            in_doctype = False
        if in_doctype or (name in ("startCDATA", "endCDATA") and "<!ENTITY" in document):
            continue
        if name == "startDTD":
            in_doctype = True
        if name == "endCDATA" and result[-1][0] == ("startCDATA",):
            result.pop()
        elif name == "characters" and result[-1][0][0] == name:
            (_, before), place = result.pop()
            result.append(((name, before + event[1]), place))
        else:
            if not with_places or name.endswith("DTD"):
                place = None
            elif not with_columns or place[0] in shorter_lines:
                place = place[0], None
            result.append((event, place))
    return result


@pytest.mark.parametrize("namespaces", [False, True])
@pytest.mark.parametrize("uri", ["é", "u}v", "{u}", "u#a#b", "1:2", "::", "%", "\x7f", "a b", " ", "a&#9;b", "a\xa0b"])
def test_namespace_names(uri, namespaces):
    """They are as the standard driver has them, except where that one refuses them or takes them apart."""
    document = f"<p:a xmlns:p='{uri}' p:b='c'/>"
    uri = uri.replace("&#9;", "\t")
    if namespaces and uri.split() != [uri]:
        written = {"a b": "a%20b", " ": "%20", "a\tb": "a%09b", "a\xa0b": "a%C2%A0b"}[uri]
        assert events_of(document, namespaces=True)[1] == (
            *("startElementNS", (written, "a"), None),
            {(written, "b"): ("c", "p:b")},
        )
        return
    ours, theirs = Recorder(), Recorder()
    parser = xml5tree.sax.create_parser(namespaces)
    ours.parse(document, parser)
    theirs.parse(document, expatreader.create_parser(namespaces))
    assert [*zip(ours.events, ours.places, strict=True)] == [*zip(theirs.events, theirs.places, strict=True)]
    assert parser.error_log == []


DECLARATIONS = [
    *['<!NOTATION n SYSTEM "n">', '<!NOTATION n PUBLIC "p" "s">', '<!NOTATION n PUBLIC "p">', "<!--c-->", "<?p i?>"],
    *['<!ENTITY u SYSTEM "s" NDATA n>', "<!ENTITY u PUBLIC 'p' 's' NDATA n>", '<!ENTITY e "x">', "<!-- a\nb -->"],
    *['<!ATTLIST a b CDATA "y">', "<!ENTITY % p '<!--in--><!NOTATION m SYSTEM \"m\">'>%p;", "<!ELEMENT a ANY>"],
]


@pytest.mark.parametrize("namespaces", [False, True])
@pytest.mark.parametrize("size", [1, 5, None])
@pytest.mark.parametrize(
    "document", [*[[it] for it in DECLARATIONS], DECLARATIONS], ids=lambda it: it[0] if len(it) < 2 else ""
)
def test_declarations(document, size, namespaces):
    """They are reported as the standard driver reports them, and entities and defaults are expanded."""
    reference = "&e;" if any("ENTITY e" in it for it in document) else ""
    document = f"<!DOCTYPE a SYSTEM 'x' [{chr(10).join(document)}]><a>{reference}</a>"
    pieces = [document] if size is None else [document[at : at + size] for at in range(0, len(document), size)]
    ours, theirs = Recorder(), Recorder()
    parser = xml5tree.sax.create_parser(namespaces)
    standard = expatreader.create_parser(namespaces)
    assert ours.parse(None, parser, pieces=pieces) == theirs.parse(None, standard, pieces=pieces)
    assert parser.error_log == []
    assert Recorder().parse(document, xml5tree.sax.create_parser(namespaces)) == ours.events


@pytest.mark.parametrize(
    "bad",
    ["<!NOTATION n>", "<!-- a -- b -->", "<?xml version='1.0'?>", "<!NOTATION \U00010000 SYSTEM 'x'>", "<!--\1-->"],
)
def test_declarations_that_are_not_well_formed(bad):
    """They are left out, and those around them are not."""
    good = "<!NOTATION n SYSTEM 'n'>"
    events = events_of(f"<!DOCTYPE a [{good}{bad}{good.replace('n S', 'm S')}]><a/>")
    assert [event[:2] for event in events if event[0] not in {"startElement", "endElement"}] == [
        *[("startDTD", "a"), ("notationDecl", "n"), ("notationDecl", "m"), ("endDTD",)]
    ]


# Broken documents


def test_broken_document():
    parser = xml5tree.sax.create_parser()
    events = Recorder().parse("<a b=1>Tom & Jerry&nbsp;<i>x</a><!-- -- -->", parser)
    assert events == [
        *[("startDocument",), ("startElement", "a", {"b": ("1", "b")}), ("characters", "Tom & Jerry\xa0")],
        *[("startElement", "i", {}), ("characters", "x"), ("endElement", "i"), ("endElement", "a")],
        *[("comment", " - - "), ("endDocument",)],
    ]
    assert [error.code for error in parser.error_log] == [
        *["unquoted-attribute-value", "unescaped-ampersand", "undeclared-entity-reference", "mismatched-end-tag"],
        "coerced-comment",
    ]


def test_undeclared_prefix():
    dc = "http://purl.org/dc/elements/1.1/"
    assert events_of("<dc:a dc:b='c'/>", namespaces=True) == [
        ("startPrefixMapping", "dc", dc),
        ("startElementNS", (dc, "a"), None, {(dc, "b"): ("c", "dc:b")}),
        ("endElementNS", (dc, "a"), None),
        ("endPrefixMapping", "dc"),
    ]
    assert events_of("<dc:a/>") == [("startElement", "dc:a", {}), ("endElement", "dc:a")]


@pytest.mark.parametrize("pieces", [False, True])
@pytest.mark.parametrize("recovery", ["draft", "intent"])
def test_nothing_is_declared_without_namespaces(recovery, pieces):
    """Tags have the attributes that the document has, the declarations among them."""
    document = (
        "<r xmlns:q='u' xmlns:e='v'><q:a p:b='1' q:c='2'>"
        + "<itunes:i/><x:y x:z='&'/>" * 9
        + "<w xmlns:p='t' p:v='1'/><p:a></r>"
    )
    recorder = Recorder()
    parser = xml5tree.sax.create_parser(recovery=recovery)
    recorder.parse(document, parser, pieces=document if pieces else None)
    found = [
        (name, {key: value for key, (value, _) in attributes.items()})
        for event, name, attributes in [event for event in recorder.events if event[0] == "startElement"]
    ]
    assert found == [
        ("r", {"xmlns:q": "u", "xmlns:e": "v"}),
        ("q:a", {"p:b": "1", "q:c": "2"}),
        *[("itunes:i", {}), ("x:y", {"x:z": "&"})] * 9,
        ("w", {"xmlns:p": "t", "p:v": "1"}),
        ("p:a", {}),
    ]
    assert "undeclared-namespace-prefix" in {entry.code for entry in parser.error_log}
    recorder = Recorder()
    recorder.parse("<p:a/>", xml5tree.sax.create_parser(namespaces={"p": "u"}))  # which is a wish
    assert recorder.events[1] == ("startElement", "p:a", {"xmlns:p": ("u", "xmlns:p")})


@pytest.mark.parametrize(
    "tail", ["<", "</", "<b", "</b", "<b x='", "<!", "<!-- x", "<?x", "<![CDATA[", "&", "&am", "\n<b"]
)
@pytest.mark.parametrize("text", ["text", "te xt\n", "a & b", "x >", "1 < 2", "x ]"])
def test_characters_before_an_unfinished_token(text, tail):
    """They are reported with the feed that has them."""
    for before in ("<a>", "<a><b>", "<a x=1>", "<a><b></c>"):
        parsers = [xml5tree.sax.create_parser() for _ in range(2)]
        recorders = [Recorder(), Recorder()]
        for parser, recorder, document in zip(parsers, recorders, (before + text, before + text + tail), strict=True):
            parser.setContentHandler(recorder)
            parser.feed(document)
        shorter, longer = recorders
        assert longer.events[: len(shorter.events) - 1] == shorter.events[:-1]
        assert longer.events[-1][1].startswith(shorter.events[-1][1])


class TreeBuilder(xml.sax.ContentHandler):
    """Makes a tree of the events with namespaces."""

    def __init__(self):
        super().__init__()
        self.builder = ET.TreeBuilder()

    def startElementNS(self, name, qname, attributes):
        self.builder.start(expanded(name), {expanded(name): value for name, value in attributes.items()})

    def endElementNS(self, name, qname):
        self.builder.end(expanded(name))

    def characters(self, content):
        self.builder.data(content)


def expanded(name):
    uri, local = name
    return f"{{{uri}}}{local}" if uri else local


@given(nearxml.documents() | nearxml.byte_documents())
def test_events_are_those_of_the_tree(document):
    tree = xml5tree.XMLParser()
    handler = TreeBuilder()
    parser = xml5tree.sax.create_parser(namespaceHandling=True)
    parser.setContentHandler(handler)
    try:
        tree.feed(document)
        root = tree.close()
    except xml5tree.ParseError:
        with pytest.raises(xml.sax.SAXParseException, match=r"no root element|is no XML"):
            parser.parse(source_of(document))
    else:
        parser.parse(source_of(document))
        # What cannot stand in a namespace name is "}" in a tree, and white space here.
        assume("coerced-namespace-uri" not in {entry.code for entry in [*tree.error_log, *parser.error_log]})
        assert_same_tree(handler.builder.close(), root)
    # What becomes an instruction is lost to a tree without instructions, but not to a handler.
    found, expected = (
        [(entry.code, entry.offset, entry.message) for entry in log] for log in (parser.error_log, tree.error_log)
    )
    assert found == expected


@given(st.data(), nearxml.documents() | nearxml.near_markup() | nearxml.byte_documents(), st.booleans())
def test_chunks(data, document, namespaces):
    pieces = data.draw(chunkings(document))
    results = []
    for parts in ([document], [document[:0], *pieces]):
        recorder = Recorder()
        parser = xml5tree.sax.create_parser(namespaces, warnings=True)
        recorder.parse(None, parser, pieces=parts)
        # Warnings come before the events of their chunk, so only their own order is the same.
        events = [*zip(recorder.events, recorder.places, strict=True)]
        warnings = [event for event, place in events if event[0] == "warning"]
        others = [(event, place) for event, place in events if event[0] not in ("warning", "characters")]
        text = "".join(event[1] for event, place in events if event[0] == "characters")
        results.append((warnings, others, text, list(parser.error_log)))
    assert results[0] == results[1]


def test_events_come_as_soon_as_they_are_certain():
    recorder = Recorder()
    parser = xml5tree.sax.create_parser()
    parser.setContentHandler(recorder)
    parser.feed("<a><b c=1></b")
    assert [event[:2] for event in recorder.events] == [
        ("startDocument",),
        ("startElement", "a"),
        ("startElement", "b"),
    ]
    parser.feed(">")
    assert recorder.events[-1] == ("endElement", "b")


def test_unfinished_document():
    parser = xml5tree.sax.create_parser()
    events = Recorder().parse(b"<a><b>text", parser)
    assert events[-4:] == [("characters", "text"), ("endElement", "b"), ("endElement", "a"), ("endDocument",)]
    assert parser.error_log.truncated


# Encodings


def test_encodings():
    assert ("characters", "é") in events_of("<a>é</a>".encode("latin-1"))
    assert ("characters", "é") in events_of("<?xml version='1.0' encoding='utf-16'?><a>é</a>".encode("utf-16"))
    assert ("characters", "й") in events_of("<a>й</a>".encode("cp1251"), encoding="windows-1251")
    assert ("characters", "й") in events_of(
        "<?xml version='1.0' encoding='utf-8'?><a>й</a>".encode("cp1251"), encoding="windows-1251"
    )
    assert ("characters", "é") in events_of("<?xml version='1.0' encoding='utf-16'?><a>é</a>")


def test_unknown_encoding_is_a_fatal_error():
    parser = xml5tree.sax.create_parser()
    with pytest.raises(xml.sax.SAXParseException, match="'x-unknown'"):
        parser.parse(source_of(b"<a/>", "x-unknown"))


# Errors


@pytest.mark.parametrize("document", ["<!--a-->", "<!--a--><!--b", "<!--a--><?b"])
def test_document_without_root_has_events_until_its_end(document):
    events = [
        [
            event
            for event in Recorder().parse(None, xml5tree.sax.create_parser(), pieces=pieces)
            if event[0] != "fatalError"
        ]
        for pieces in ([document], [document[:1], *document[1:]])
    ]
    assert events[0] == events[1]
    assert len(events[0]) == 2 + document.count("<")


def test_document_without_root_is_a_fatal_error():
    parser = xml5tree.sax.create_parser()
    with pytest.raises(xml.sax.SAXParseException, match="no root element") as caught:
        parser.parse(source_of("\nnothing"))
    error = caught.value
    assert (error.getSystemId(), error.getLineNumber(), error.getPublicId()) == ("document.xml", 2, None)
    assert error.getException().code == "no-root-element"
    assert [entry.code for entry in parser.error_log] == ["text-outside-root"]


def test_fatal_error_that_the_handler_takes():
    recorder = Recorder()
    parser = xml5tree.sax.create_parser(forbid_dtd=True)
    recorder.parse(None, parser, pieces=["<!DOCTYPE a><a>", "</a>"])
    assert [event[0] for event in recorder.events] == ["startDocument", "fatalError", "endDocument"]
    assert "DOCTYPE" in recorder.events[1][1]
    parser.reset()
    assert recorder.parse(None, parser, pieces=["<a/>"])[-2:] == [("endElement", "a"), ("endDocument",)]


def test_warnings_are_opt_in():
    document = "<a>\n <b c=1></b>\n&</a>"
    assert not [event for event in events_of(document) if event[0] == "warning"]
    found = []
    events = events_of(document, warnings=True, on_error=found.append)
    assert [event[1] for event in events if event[0] == "warning"] == [
        "document.xml:2:6: unquoted-attribute-value: attribute value without quotes; read up to white space or '>'",
        "document.xml:3:0: unescaped-ampersand: '&' that starts no reference was kept as text",
    ]
    assert [entry.code for entry in found] == ["unquoted-attribute-value", "unescaped-ampersand"]


def test_warning_may_raise():
    class Strict(xml.sax.ErrorHandler):
        def warning(self, exception):
            raise exception

    parser = xml5tree.sax.create_parser(warnings=True)
    parser.setErrorHandler(Strict())
    with pytest.raises(xml.sax.SAXParseException, match="unescaped-ampersand"):
        parser.parse(source_of("<a>&</a>"))


@pytest.mark.parametrize("error", [KeyError("stop"), xml5tree.ParseError("stop", "no-root-element", (1, 0))])
def test_exceptions_of_handlers_are_theirs(error):
    class Stop(xml.sax.ContentHandler):
        def startElement(self, name, attributes):
            raise error

    parser = xml5tree.sax.create_parser()
    parser.setContentHandler(Stop())
    with pytest.raises(type(error)) as caught:
        parser.parse(source_of("<a/>"))
    assert caught.value is error
    assert Recorder().parse("<a/>", parser)[-2:] == [("endElement", "a"), ("endDocument",)]


def test_error_log_is_of_the_last_document():
    parser = xml5tree.sax.create_parser()
    assert parser.error_log == []
    parser.parse(source_of("<a>&</a>"))
    assert len(parser.error_log) == 1
    parser.parse(source_of("<a/>"))
    assert parser.error_log == []
    parser.feed("<a>&")
    assert len(parser.error_log) == 0
    parser.feed(" ")
    assert len(parser.error_log) == 1


def test_wrong_options():
    with pytest.raises(TypeError, match="unknown option 'foo'"):
        xml5tree.sax.create_parser(foo=1)
    with pytest.raises(ValueError, match='recovery="strict"'):
        xml5tree.sax.create_parser(recovery="strict")
    with pytest.raises(TypeError):
        xml5tree.sax.create_parser().feed(None)


# The locator


def test_lines():
    document = "<a>\n<b x=1>&\n<c y='\n'/>\n\n&nbsp;\n<d\n e=1/></b>\r\n<f>"
    assert lines_of(document) == [("a", 1), ("b", 2), ("c", 3), ("d", 7), ("f", 9)]
    assert lines_of(document, "endElement") == [("c", 4), ("d", 8), ("b", 8), ("f", 9), ("a", 9)]


def test_lines_after_dropped_line_breaks():
    document = "<a>\n</x\n\n>\n<b>\n<c/></b></a>"
    assert lines_of(document) == [("a", 1), ("b", 3), ("c", 6)]  # b is really on line 5


def test_lines_after_a_declaration_that_is_out_of_place():
    document = "\n\n<?xml version='1.0'\n encoding='utf-8'?>\n<!--c-->\n<?p?><a/>"
    for data in (document, document.encode()):
        assert lines_of(data, "comment") == [("c", 5)]
        assert lines_of(data, "processingInstruction") == [("p", 6)]
        assert lines_of(data) == [("a", 6)]


def test_locator_of_the_standard_driver():
    recorder = Recorder()
    parser = xml5tree.sax.create_parser()
    recorder.parse("<a/>", parser)
    assert recorder.locator.getSystemId() == parser.getSystemId() == "document.xml"
    assert recorder.locator.getPublicId() is parser.getPublicId() is None
    assert (parser.getLineNumber(), parser.getColumnNumber()) == (1, None)  # of no document


# Features and properties


def outcome(function, *arguments):
    try:
        return function(*arguments)
    except xml.sax.SAXException as error:
        return type(error), str(error)


@pytest.mark.parametrize("feature", [*xml.sax.handler.all_features, "http://example.org/unknown"])
def test_features(feature):
    ours, theirs = xml5tree.sax.create_parser(), expatreader.create_parser()
    for parsing in (False, True):
        for state in (None, True, False):
            if state is not None:
                assert outcome(ours.setFeature, feature, state) == outcome(theirs.setFeature, feature, state)
            assert outcome(ours.getFeature, feature) == outcome(theirs.getFeature, feature)
        if not parsing:
            ours.feed("<a>")
            theirs.feed("<a>")


@pytest.mark.parametrize("name", [*xml.sax.handler.all_properties, "http://example.org/unknown"])
def test_properties(name):
    ours, theirs = xml5tree.sax.create_parser(), expatreader.create_parser()
    for parsing in (False, True):
        assert outcome(ours.getProperty, name) == outcome(theirs.getProperty, name)
        for value in (xml.sax.handler.LexicalHandler(), None):
            if name != xml.sax.handler.property_interning_dict:
                assert outcome(ours.setProperty, name, value) == outcome(theirs.setProperty, name, value)
            assert outcome(ours.getProperty, name) == outcome(theirs.getProperty, name)
        if not parsing:
            ours.feed("<a>")
            theirs.feed("<a>")


def test_interning_dictionary():
    names = {}
    parser = xml5tree.sax.create_parser()
    parser.setProperty(xml.sax.handler.property_interning_dict, names)
    parser.parse(source_of("<a b=1/>"))
    assert {"a", "b"} <= names.keys()


@pytest.mark.parametrize("external", [False, True])
def test_nothing_is_fetched(external, tmp_path):
    (tmp_path / "a.dtd").write_text('<!ENTITY e "secret"><!ATTLIST a b CDATA "secret">')
    document = f'<!DOCTYPE a SYSTEM "{tmp_path}/a.dtd" [<!ENTITY f SYSTEM "{tmp_path}/a.dtd">]><a>&e;&f;</a>'
    asked = []

    class Resolver(xml.sax.handler.EntityResolver):
        def resolveEntity(self, public_id, system_id):
            asked.append(system_id)
            return system_id

    parser = xml5tree.sax.create_parser()
    parser.setFeature(EXTERNAL_ENTITIES, external)
    assert parser.getFeature(EXTERNAL_ENTITIES) == external
    parser.setEntityResolver(Resolver())
    events = Recorder().parse(document, parser)
    assert asked == []
    assert events[-4:-1] == [("startElement", "a", {}), ("characters", "&e;&f;"), ("endElement", "a")]


# Ways to get at it


def test_make_parser():
    parser = xml.sax.make_parser(["xml5tree.sax"])
    assert isinstance(parser, xml5tree.sax.SAXParser)
    parser.setFeature(NAMESPACES, True)
    assert Recorder().parse("<a>&", parser)[1] == ("startElementNS", (None, "a"), None, {})


def test_environment_variable():
    script = (
        "import xml.sax, xml.sax.saxutils\n"
        "xml.sax.parseString('<a>&<b c=d></a>', xml.sax.saxutils.XMLGenerator(short_empty_elements=True))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PY_SAX_PARSER": "xml5tree.sax"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.endswith('<a>&amp;<b c="d"/></a>')


def test_parse_and_parse_string(monkeypatch, tmp_path):
    monkeypatch.setattr(xml.sax, "default_parser_list", ["xml5tree.sax"])
    path = tmp_path / "a.xml"
    path.write_bytes(b"<a>&nbsp;<b>")
    expected = [
        *[("startDocument",), ("startElement", "a", {}), ("characters", "\xa0"), ("startElement", "b", {})],
        *[("endElement", "b"), ("endElement", "a"), ("endDocument",)],
    ]
    for source in (str(path), path, path.open("rb"), path.open(), io.BytesIO(path.read_bytes())):
        recorder = Recorder()
        xml.sax.parse(source, recorder, recorder)
        assert recorder.events == expected
    for document in (path.read_text(), path.read_bytes()):
        recorder = Recorder()
        xml.sax.parseString(document, recorder)
        assert recorder.events == expected
    with pytest.raises(xml.sax.SAXParseException):
        xml.sax.parseString("", Recorder())


@pytest.mark.parametrize("document", ["<a>", "no root"])
def test_sources_are_closed(document, tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(document)
    parser = xml5tree.sax.create_parser()
    with path.open("rb") as file:
        outcome(parser.parse, file)
        assert file.closed


class OwnSource(InputSource):
    """A source that has its stream itself, and cannot be copied."""

    def __init__(self, stream):
        super().__init__("document.xml")
        self._stream = stream

    def __reduce_ex__(self, protocol):
        raise TypeError("cannot be copied")


class OfBytes(OwnSource):
    def getByteStream(self):
        return self._stream


class OfCharacters(OwnSource):
    def getCharacterStream(self):
        return self._stream


@pytest.mark.parametrize(
    ("kind", "stream"), [(OfBytes, io.BytesIO(b"<a>\xc3\xa4<b></a>")), (OfCharacters, io.StringIO("<a>\xe4<b></a>"))]
)
def test_sources_may_have_streams_of_their_own(kind, stream):
    parser, recorder = xml5tree.sax.create_parser(), Recorder()
    parser.setContentHandler(recorder)
    parser.parse(kind(stream))
    assert [event for event in recorder.events if event[0] in ("startElement", "characters")] == [
        *[("startElement", "a", {}), ("characters", "\xe4"), ("startElement", "b", {})]
    ]


# Compressed files


@each_compression
def test_compressed_files_are_unpacked(compress):
    document = b"<r>" + b"<b>1 & 2</b>" * 9 + b"</r>"
    parser = xml5tree.sax.create_parser()
    assert Recorder().parse(compress(document), parser) == Recorder().parse(document, xml5tree.sax.create_parser())
    assert parser.error_log.summary()["unescaped-ampersand"].number == 9
    recorder = Recorder()
    recorder.parse(cut_off(compress), parser)
    assert ("endElement", "r") in recorder.events
    assert parser.error_log.truncated
    assert "damaged-compression" in parser.error_log.summary()
    limited = xml5tree.sax.create_parser(unpacking_threshold=10, max_unpacking_ratio=2)
    limited.setContentHandler(Recorder())
    with pytest.raises(xml.sax.SAXParseException, match="unpacks to more than 2 times its size"):
        limited.parse(io.BytesIO(compress(b"<a>" + b"b" * 9999)))
    assert Recorder().parse(document, limited) == Recorder().parse(document, xml5tree.sax.create_parser())
