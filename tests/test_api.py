"""The functions, the parsers and their options, as a user calls them."""

import copy
import io
import pickle
import re
import xml.etree.ElementTree as ET

import lxml.etree
import lxml.objectify
import pytest
from support.cases import each_case
from support.splits import chunks
from support.trees import dump, dump_document

import xml5tree
from xml5tree import tokens
from xml5tree.options import RECOVERIES

BACKENDS = ["etree", "lxml"]
ELEMENT = {"etree": ET.Element, "lxml": lxml.etree._Element}
TREE = {"etree": ET.ElementTree, "lxml": lxml.etree._ElementTree}

GOOD = "<a><b>x</b></a>"
BROKEN = "<a><b>x</a>"
each_backend = pytest.mark.parametrize("backend", BACKENDS)
good_and_broken = pytest.mark.parametrize("document", [GOOD, BROKEN, GOOD.encode(), BROKEN.encode()])


def markup(element):
    """An element of either library as text, without its DOCTYPE."""
    if isinstance(element, lxml.etree._Element):
        return lxml.etree.tostring(element, encoding="unicode")
    return ET.tostring(element, encoding="unicode").replace(" />", "/>")


def parse_and_log(document, **options):
    """The root element as markup, and the codes in the log."""
    parser = xml5tree.XMLParser(**options)
    root = xml5tree.fromstring(document, parser=parser)
    return markup(root), [entry.code for entry in parser.error_log]


# Functions --------------------------------------------------------------------------------------------------------


@each_backend
@good_and_broken
@pytest.mark.parametrize("function", [xml5tree.fromstring, xml5tree.XML])
def test_fromstring(function, backend, document):
    root = function(document, backend=backend)
    assert type(root) is ELEMENT[backend]
    assert markup(root) == GOOD


@good_and_broken
def test_etree_is_the_default(document):
    assert type(xml5tree.fromstring(document)) is ET.Element


@each_backend
@good_and_broken
def test_fromstringlist(backend, document):
    root = xml5tree.fromstringlist(chunks(document, 2), backend=backend)
    assert type(root) is ELEMENT[backend]
    assert markup(root) == GOOD


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "feed.xml"
    path.write_bytes("<a><b>é</a>".encode())
    return path


SOURCES = {
    "str": str,
    "PathLike": lambda path: path,
    "binary file": lambda path: path.open("rb"),
    "text file": lambda path: path.open(encoding="utf-8"),
    "BytesIO": lambda path: io.BytesIO(path.read_bytes()),
    "StringIO": lambda path: io.StringIO(path.read_text(encoding="utf-8")),
}


@each_backend
@pytest.mark.parametrize("kind", SOURCES)
def test_parse(backend, kind, path):
    source = SOURCES[kind](path)
    tree = xml5tree.parse(source, backend=backend)
    assert type(tree) is TREE[backend]
    assert markup(tree.getroot()) == "<a><b>é</b></a>"
    if hasattr(source, "close"):
        assert not source.closed
        source.close()


def test_url_of_lxml_trees(path, monkeypatch):
    with path.open("rb") as file:
        urls = [xml5tree.parse(source, backend="lxml").docinfo.URL for source in (str(path), path, file)]
    assert urls == [str(path)] * 3
    monkeypatch.chdir(path.parent)
    with open(path.name, "rb") as file:
        urls = [xml5tree.parse(source, backend="lxml").docinfo.URL for source in (path.name, file)]
    assert urls == [path.name, str(path)]
    assert xml5tree.parse(io.BytesIO(b"<a>"), backend="lxml").docinfo.URL is None


@pytest.mark.parametrize(
    ("document", "repaired"),
    [(GOOD, GOOD), (BROKEN, GOOD), ("<a>é&nbsp;", "<a>é\xa0</a>"), ("<a>\r\n</a>", "<a>\r\n</a>")],
)
def test_repair_gives_what_it_got(document, repaired):
    assert xml5tree.repair(document) == repaired
    assert xml5tree.repair(document.encode()) == repaired.encode()
    assert xml5tree.repair(bytearray(document.encode())) == repaired.encode()


def test_repair_writes_utf8_where_it_is_asked_for():
    document = "\ufeff<?xml version='1.0' encoding='utf-16'?>\r\n<a>é".encode("utf-16-le")
    assert xml5tree.repair(document) == document + "</a>".encode("utf-16-le")
    markup = xml5tree.repair(document, output_encoding="utf-8")
    assert markup == '<?xml version="1.0" encoding="utf-8"?>\n<a>é</a>'.encode()


def test_an_output_encoding_that_a_repair_does_not_have():
    with pytest.raises(ValueError, match="latin-1"):
        xml5tree.repair(b"<a/>", output_encoding="latin-1")
    with pytest.raises(ValueError, match="edits keep"):
        xml5tree.repair(b"<a/>", output_encoding="utf-8", edits=[])


def test_tokenize():
    document = "<!DOCTYPE A><a b='c' d>x&lt;y<!--e--><?f g?><h/></></a>"
    assert list(xml5tree.tokenize(document)) == [
        tokens.Doctype("a", None, None),
        tokens.StartTag("a", {"b": "c", "d": ""}),
        tokens.Characters("x<y"),
        tokens.Comment("e"),
        tokens.ProcessingInstruction("f", "g"),
        tokens.EmptyTag("h", {}),
        tokens.ShortEndTag(),
        tokens.EndTag("a"),
    ]


def test_tokenize_reports_errors_as_they_are_found():
    found = []
    stream = xml5tree.tokenize("<a>&<!x>" + "y" * 100_000 + "<b c=d>", on_error=found.append)
    next(stream)
    assert [entry.code for entry in found] == ["unescaped-ampersand", "incorrectly-opened-comment"]
    list(stream)
    assert [entry.code for entry in found][2:] == ["unquoted-attribute-value"]


def test_tokenize_knows_nothing_of_the_prolog():
    assert list(xml5tree.tokenize("\ufeff<?xml version='1.0'?>")) == [
        tokens.Characters("\ufeff"),
        tokens.ProcessingInstruction("xml", "version='1.0'"),
    ]


# Parsers ----------------------------------------------------------------------------------------------------------


@each_backend
@good_and_broken
def test_parser(backend, document):
    parser = xml5tree.XMLParser(backend=backend)
    for piece in chunks(document, 1):
        parser.feed(piece)
    root = parser.close()
    assert type(root) is ELEMENT[backend]
    assert markup(root) == GOOD


@each_backend
def test_parser_takes_one_document_after_another(backend):
    parser = xml5tree.XMLParser(backend=backend)
    assert markup(xml5tree.fromstring(BROKEN, parser=parser)) == GOOD
    assert len(parser.error_log) == 1
    with pytest.raises(xml5tree.ParseError):
        xml5tree.fromstring("<!-- nothing -->", parser=parser)
    parser.feed("<c>")
    assert parser.error_log == []
    assert markup(parser.close()) == "<c/>"
    assert len(parser.error_log) == 1
    assert markup(xml5tree.fromstring(GOOD, parser=parser)) == GOOD
    assert parser.error_log == []


@each_backend
@pytest.mark.parametrize("call", ["fromstring", "fromstringlist", "parse"])
def test_parser_argument(backend, call):
    parser = xml5tree.XMLParser(backend=backend)
    document = {"fromstring": BROKEN, "fromstringlist": [BROKEN], "parse": io.StringIO(BROKEN)}[call]
    result = getattr(xml5tree, call)(document, parser=parser)
    assert type(result) is (TREE if call == "parse" else ELEMENT)[backend]
    assert [entry.code for entry in parser.error_log] == ["mismatched-end-tag"]


def test_log_while_parsing():
    parser = xml5tree.XMLParser(recovery="draft")
    parser.feed("<a></b>")
    assert [entry.code for entry in parser.error_log] == ["unmatched-end-tag"]
    parser.feed("&")
    parser.feed(" ")
    assert [entry.code for entry in parser.error_log] == ["unmatched-end-tag", "unescaped-ampersand"]


def test_elementtree_accepts_the_parser(path):
    tree = ET.parse(path, parser=xml5tree.XMLParser())
    assert markup(tree.getroot()) == "<a><b>é</b></a>"
    assert markup(ET.fromstring(BROKEN, parser=xml5tree.XMLParser())) == GOOD
    assert markup(ET.fromstringlist(["<a><b", ">x</a>"], parser=xml5tree.XMLParser())) == GOOD


class Target:
    """A target that writes down what it is told."""

    def __init__(self):
        self.events = []

    def start(self, tag, attributes):
        self.events.append(("start", tag, dict(attributes)))

    def end(self, tag):
        self.events.append(("end", tag))

    def data(self, data):
        self.events.append(("data", data))

    def comment(self, data):
        self.events.append(("comment", data))

    def pi(self, target, data=None):
        self.events.append(("pi", target, data))

    def close(self):
        return self.events


@each_backend
@pytest.mark.parametrize("last", ["</b></a>", "</a>"])
def test_target(backend, last):
    parser = xml5tree.XMLParser(backend=backend, target=Target())
    events = xml5tree.fromstring("<a c='d'><!--e--><?f g?><b>x" + last, parser=parser)
    assert events == [
        *[("start", "a", {"c": "d"}), ("comment", "e"), ("pi", "f", "g"), ("start", "b", {}), ("data", "x")],
        *[("end", "b"), ("end", "a")],
    ]


@each_backend
@pytest.mark.parametrize("document", [GOOD, BROKEN])
def test_a_target_without_a_tree(backend, document):
    class Counter:
        count = 0

        def start(self, tag, attributes):
            self.count += 1

        def close(self):
            return self.count

    parser = xml5tree.XMLParser(backend=backend, target=Counter())
    parser.feed(document)
    assert parser.close() == 2


@pytest.mark.parametrize("document", ["<a><!--c-->x<b/></a>", "<a><!--c-->x<b>"])
def test_elementtree_parser_as_backend(document):
    native = ET.XMLParser(target=ET.TreeBuilder(insert_comments=True))
    root = xml5tree.fromstring(document, backend=native)
    assert type(root) is ET.Element
    assert markup(root) == "<a><!--c-->x<b/></a>"


@pytest.mark.parametrize("document", ["<a>\n <b/>\n</a>", "<a>\n <b/>\n"])
def test_lxml_parser_as_backend(document):
    native = lxml.etree.XMLParser(remove_blank_text=True)
    for _ in range(2):
        tree = xml5tree.parse(io.StringIO(document), backend=native)
        assert type(tree) is lxml.etree._ElementTree
        assert markup(tree.getroot()) == "<a><b/></a>"


def test_objectify_parser_as_backend():
    root = xml5tree.fromstring("<a><b>5</b><c>6</a>", backend=lxml.objectify.makeparser())
    assert root.b + root.c == 11


def test_custom_element_classes():
    class Special(lxml.etree.ElementBase):
        pass

    native = lxml.etree.XMLParser()
    native.set_element_class_lookup(lxml.etree.ElementDefaultClassLookup(element=Special))
    assert {type(element) for element in xml5tree.fromstring(BROKEN, backend=native).iter()} == {Special}


def test_any_object_with_feed_and_close_as_backend():
    class Joined:
        def __init__(self):
            self.fed = []

        def feed(self, data):
            self.fed.append(data)

        def close(self):
            return "".join(self.fed)

    assert xml5tree.fromstring(BROKEN.encode(), backend=Joined()) == GOOD
    parser = xml5tree.XMLParser(backend=Joined())
    for piece in BROKEN:
        parser.feed(piece)
    assert parser.close() == GOOD


@pytest.mark.parametrize("data", [BROKEN, BROKEN.encode()])
def test_repairer(data):
    repairer = xml5tree.Repairer()
    assert repairer.error_log == []
    parts = [repairer.feed(piece) for piece in chunks(data, 1)]
    parts.append(repairer.close())
    assert {type(part) for part in parts} == {type(data)}
    assert type(data)().join(parts) == xml5tree.repair(data)
    assert [entry.code for entry in repairer.error_log] == ["mismatched-end-tag"]


def test_repairer_does_not_wait_for_the_end():
    repairer = xml5tree.Repairer()
    assert repairer.feed("<a>x<b>y") == "<a>x<b>y"
    assert repairer.feed("</a>") == "</b></a>"


# Options ----------------------------------------------------------------------------------------------------------


@each_backend
@pytest.mark.parametrize("end", ["</a>", ""])
def test_encoding(backend, end):
    def text(document, encoding):
        return xml5tree.fromstring(document, backend=backend, encoding=encoding).text

    assert text(b"<a>\xe9" + end.encode(), "iso-8859-1") == "é"
    assert text(b"<?xml version='1.0' encoding='iso-8859-5'?><a>\xe9" + end.encode(), "iso-8859-1") == "é"
    assert text(b"\xef\xbb\xbf<a>\xc3\xa9" + end.encode(), "iso-8859-1") == "é"
    assert text("\ufeff<a>é".encode("utf-16-le") + end.encode("utf-16-le"), "iso-8859-1") == "é"
    assert text("<a>é" + end, "iso-8859-5") == "é"


@each_backend
@pytest.mark.parametrize(
    ("label", "encoding"),
    [
        ("ISO88595", "iso-8859-5"),
        ("iso885915", "iso-8859-15"),
        ("mac", "mac-roman"),
        ("csEUCKR", "euc-kr"),
        ("ms-cyrl", "cp1251"),
        ("ks_c_5601-1989", "euc-kr"),
        ("csISO88598E", "iso-8859-8"),
    ],
)
def test_declared_labels_that_python_does_not_know(backend, label, encoding):
    text = bytes([0xB5, 0xE0]).decode(encoding)
    parser = xml5tree.XMLParser(backend=backend)
    parser.feed(f"<?xml version='1.0' encoding='{label}'?><a>".encode() + b"\xb5\xe0</a>")
    assert parser.close().text == text
    assert parser.error_log == []


@each_backend
def test_declared_labels_of_wide_encodings(backend):
    for label, encoding in (("UCS-2", "utf-16-be"), ("csUCS4", "utf-32-be"), ("unicode", "utf-16-le")):
        parser = xml5tree.XMLParser(backend=backend)
        parser.feed(f"<?xml version='1.0' encoding='{label}'?><a>é</a>".encode(encoding))
        assert parser.close().text == "é"
        assert parser.error_log == []


@each_backend
def test_recover_false(backend):
    assert markup(xml5tree.fromstring(GOOD, backend=backend, recovery="strict")) == GOOD
    for document in (BROKEN, "<a>&nbsp;</a>", "<a><b>\n<p:c/></b></a>", b"<a>\xff</a>", "<a>\ud800</a>", ""):
        with pytest.raises(xml5tree.ParseError) as raised:
            xml5tree.fromstring(document, backend=backend, recovery="strict")
        assert raised.value.code == "not-well-formed"
        assert [entry.code for entry in raised.value.errors] == ["not-well-formed"]


@each_backend
def test_recover_false_in_parts(backend):
    parser = xml5tree.XMLParser(backend=backend, recovery="strict")
    parser.feed("<a>\n<b>x</b>")
    with pytest.raises(xml5tree.ParseError) as raised:  # noqa: PT012 - lxml raises when it is closed
        parser.feed("\n</c>")
        parser.close()
    assert raised.value.position[0] == 3
    assert parser.error_log == raised.value.errors
    parser.feed(GOOD)
    assert markup(parser.close()) == GOOD
    assert parser.error_log == []


@each_backend
@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
@pytest.mark.parametrize("end", ["</a>", ""])
def test_wide_encodings_without_byte_order_mark(backend, encoding, end):
    for document, orders in ("<a>é", ["", "-le", "-be"]), ("\n<a>é", ["", "-le"]):
        for order in orders:
            data = (document + end).encode(encoding + order)
            assert xml5tree.fromstring(data, backend=backend, encoding=encoding).text == "é"
            parser = xml5tree.XMLParser(backend=backend, encoding=encoding)
            for byte in data:
                parser.feed(bytes([byte]))
            assert parser.close().text == "é"


@each_backend
@pytest.mark.parametrize("encoding", ["iso-8859-1", "latin-1"])
def test_recover_false_with_encoding(backend, encoding):
    options = {"backend": backend, "recovery": "strict", "encoding": encoding}
    assert xml5tree.fromstring(b"<a>\xe9</a>", **options).text == "é"
    assert xml5tree.fromstring("<a>é</a>", **options).text == "é"
    with pytest.raises(xml5tree.ParseError, match="line 1"):
        xml5tree.fromstring(b"<a>\xe9", **options)


@each_backend
def test_recover_false_ignores_the_declared_encoding_of_text(backend):
    document = "<?xml version='1.0' encoding='iso-8859-5'?><a>é</a>"
    assert xml5tree.fromstring(document, backend=backend, recovery="strict").text == "é"


@each_backend
def test_entities(backend):
    document = "<a b='&eacute;&me;'>&eacute;&lt;&me;</a>"
    text = {"html": "é<&me;", "xml": "&eacute;<&me;"}
    for entities, expected in [*text.items(), ({"me": "<I>", "lt": "no"}, "&eacute;<<I>")]:
        root = xml5tree.fromstring(document, backend=backend, entities=entities)
        assert root.text == expected
        assert root.get("b") == expected.replace("<", "", 1)


@each_backend
@pytest.mark.parametrize(
    ("namespaces", "tags"),
    [
        (None, ["{http://purl.org/dc/elements/1.1/}b", "{urn:x-undeclared-prefix:me}c"]),
        ({}, ["{urn:x-undeclared-prefix:dc}b", "{urn:x-undeclared-prefix:me}c"]),
        ({"me": "urn:me"}, ["{http://purl.org/dc/elements/1.1/}b", "{urn:me}c"]),
        ({"me": "urn:me", "dc": "urn:dc"}, ["{urn:dc}b", "{urn:me}c"]),
    ],
)
def test_namespaces(backend, namespaces, tags):
    root = xml5tree.fromstring("<a><dc:b/><me:c/><dc:d xmlns:dc='u'/></a>", backend=backend, namespaces=namespaces)
    assert [child.tag for child in root] == [*tags, "{u}d"]


@each_backend
@pytest.mark.parametrize("end", ["</a>", ""])
def test_resolve_entities(backend, end):
    document = "<!DOCTYPE a [<!ENTITY e 'x'>]><a b='&e;'>&e;&amp;&#65;" + end
    assert markup(xml5tree.fromstring(document, backend=backend)) == '<a b="x">x&amp;A</a>'
    root, codes = parse_and_log(document, backend=backend, resolve_entities=False)
    assert root == '<a b="&amp;e;">&amp;e;&amp;A</a>'
    assert codes[:2] == ["unresolved-entity-reference"] * 2


@pytest.mark.parametrize("end", ["/>", ">"])
@pytest.mark.parametrize(
    ("backend", "attribute_defaults", "added"),
    [
        *[("etree", None, True), ("etree", True, True), ("etree", False, False)],
        *[("lxml", None, False), ("lxml", True, True), ("lxml", False, False)],
    ],
)
def test_attribute_defaults(backend, attribute_defaults, added, end):
    document = "<!DOCTYPE a [<!ATTLIST a b CDATA 'c' xmlns CDATA 'u'>]><a" + end
    root = xml5tree.fromstring(document, backend=backend, attribute_defaults=attribute_defaults)
    assert dict(root.attrib) == ({"b": "c"} if added else {})
    assert root.tag == "{u}a"


@each_backend
@pytest.mark.parametrize("recovery", RECOVERIES)
@pytest.mark.parametrize("data", ["\n<!DOCTYPE a><a/>", "\n<!DOCTYPE a><a/>".encode("utf-16"), b"\n<!DOCTYPE a><a/>"])
def test_forbid_dtd(backend, recovery, data):
    options = {"backend": backend, "recovery": recovery, "forbid_dtd": True}
    with pytest.raises(xml5tree.ParseError) as raised:
        xml5tree.fromstring(data, **options)
    assert raised.value.code == "doctype-forbidden"
    assert raised.value.position == (2, 0)
    assert xml5tree.fromstring("<a/>", **options).tag == "a"


def feed_parts(parser, document, size):
    for start in range(0, len(document), size):
        parser.feed(document[start : start + size])


@each_backend
@pytest.mark.parametrize("dialect", ["xml5", "microxml"])
@pytest.mark.parametrize("max_errors", [None, 0])
def test_forbid_dtd_has_the_same_log_however_the_document_is_fed(backend, dialect, max_errors):
    """The input stream has seen more of a document that comes whole; what it has found there is not in the log."""
    document = "\x01<!-- -- \x02 --><!DOCTYPE a [\x03 junk \x04]>\x05<a>\x06\ud800</a>"
    seen = []
    for size in (1, 2, 7, len(document)):
        entries = []
        options = {"backend": backend, "dialect": dialect, "forbid_dtd": True, "max_errors": max_errors}
        parser = xml5tree.XMLParser(on_error=entries.append, **options)
        with pytest.raises(xml5tree.ParseError) as raised:
            feed_parts(parser, document, size)
        log = raised.value.errors
        assert log is parser.error_log
        seen.append((list(log), log.total, log.effect, log.truncated, entries))
    assert all(other == seen[0] for other in seen)
    assert [entry.code for entry in seen[0][0]] == ([] if max_errors == 0 else ["doctype-forbidden"])
    assert seen[0][1:3] == (1, "kept")
    assert seen[0][-1][-1].code == "doctype-forbidden"


@each_backend
def test_max_depth(backend):
    document = "<a><b><c><d>x</d><e/></c>y</b>"
    assert parse_and_log(document, backend=backend, max_depth=4) == (
        "<a><b><c><d>x</d><e/></c>y</b></a>",
        ["eof-in-element"],
    )
    assert parse_and_log(document, backend=backend, max_depth=3) == (
        "<a><b><c/><d>x</d><e/>y</b></a>",
        ["max-depth-exceeded", "eof-in-element"],
    )


@each_backend
def test_entity_limits(backend):
    document = "<!DOCTYPE a [<!ENTITY e '" + "x" * 100 + "'>]><a>" + "&e;" * 100

    def expanded(**limits):
        parser = xml5tree.XMLParser(backend=backend, **limits)
        text = xml5tree.fromstring(document, parser=parser).text
        limited = "entity-expansion-limit" in [entry.code for entry in parser.error_log]
        assert limited == ("&e;" in text)
        return text.count("x")

    assert expanded() == 10_000
    assert expanded(amplification_threshold=1000) == 10_000
    assert expanded(amplification_threshold=1000, max_amplification=1) == 1000
    assert expanded(amplification_threshold=0, max_amplification=1) < len(document)
    assert expanded(amplification_threshold=0, max_amplification=0) == 0


@each_backend
def test_max_errors(backend):
    def log(max_errors):
        parser = xml5tree.XMLParser(backend=backend, max_errors=max_errors)
        xml5tree.fromstring("<a>" + "&" * 11_000 + "</a>", parser=parser)
        return parser.error_log

    for max_errors, kept in [(10_000, 10_000), (3, 3), (0, 0), (None, 11_000)]:
        found = log(max_errors)
        assert (len(found), found.omitted, found.total) == (kept, 11_000 - kept, 11_000)
        assert [entry.column for entry in found] == list(range(3, 3 + kept))


@each_backend
def test_on_error(backend):
    found = []
    parser = xml5tree.XMLParser(backend=backend, on_error=found.append, max_errors=1, recovery="draft")
    parser.feed("<a></b>")
    assert [entry.code for entry in found] == ["unmatched-end-tag"]
    parser.feed("\x01</a>x")
    parser.close()
    assert sorted(entry.code for entry in found) == [
        *["coerced-character", "control-character-in-input-stream", "text-outside-root", "unmatched-end-tag"],
    ]
    assert len(parser.error_log) == 1
    xml5tree.fromstring(GOOD, backend=backend, on_error=pytest.fail)


def test_what_on_error_raises_comes_through():
    class Stop(Exception):
        pass

    def stop(entry):
        raise Stop(entry.code)

    with pytest.raises(Stop, match="mismatched-end-tag"):
        xml5tree.fromstring(BROKEN, on_error=stop)


# The log ----------------------------------------------------------------------------------------------------------


def log_of(document, **options):
    parser = xml5tree.XMLParser(**options)
    xml5tree.fromstring(document, parser=parser)
    return parser.error_log


def test_log_is_a_sequence():
    log = log_of("<a>x</b></c></d>y</a>")
    assert len(log) == 3
    assert log[0].code == "unmatched-end-tag"
    assert "'</b>'" in log[0].message
    assert log[-1] is log.last_error is list(log)[2]
    assert log[1:] == list(log)[1:]
    assert list(reversed(log)) == log[::-1]
    assert log[1] in log
    assert log.index(log[1]) == 1
    assert log == list(log) == log_of("<a>x</b></c></d>y</a>") != log[1:]
    with pytest.raises(IndexError):
        log[3]
    with pytest.raises(TypeError):
        log[0] = log[1]


def test_empty_log():
    log = log_of(GOOD)
    assert log == []
    assert not log
    assert (log.last_error, log.total, log.omitted, log.lossy, log.truncated) == (None, 0, 0, False, False)
    assert str(log) == ""


def test_log_as_text():
    log = log_of("<a>\n</b></c></a>", max_errors=1)
    assert str(log) == f"2:0: unmatched-end-tag: {log[0].message}\nand 1 more"


@pytest.mark.parametrize(
    ("document", "lossy"),
    [
        *[("<a></b></a>", False), ("<a/>x", True), ("<a>\x01</a>", True), (b"<a>\xe9</a>", False)],
        # A DOCTYPE: what is odd about a comment, an instruction or a name is kept; other characters are dropped.
        *[("<!DOCTYPE a [<!-- -- -->]><a/>", False), ("<!DOCTYPE a [<? b?>]><a/>", False)],
        *[("<!DOCTYPE a [<!ENTITY b:c ''>]><a/>", False), ("<!DOCTYPE a [b]><a/>", True)],
    ],
)
def test_lossy(document, lossy):
    assert log_of(document).lossy == lossy


@pytest.mark.parametrize(
    ("document", "truncated"),
    [
        *[("<a></b></a>", False), ("<a/>x", False), ("<a><b></a>", False)],
        *[("<a>", True), ("<a/><!--", True), ("<a><![CDATA[x", True), ("<a/><?x", True), ("<a><b", True)],
    ],
)
def test_truncated(document, truncated):
    assert log_of(document, recovery="draft").truncated == truncated


def test_a_log_without_room_is_not_that_of_a_good_document():
    assert log_of(BROKEN, max_errors=0) != []


def test_order_of_the_log_is_that_of_the_document():
    log = log_of("<a><$ b=c>\x01\n</a\x02>&\n", max_errors=None)
    assert [entry.offset for entry in log] == sorted(entry.offset for entry in log)
    assert len(log) > 4


def test_entry():
    entry = log_of("<a>\n</b></a>")[0]
    assert entry == xml5tree.ErrorEntry("unmatched-end-tag", "parse-error", entry.message, 2, 0, 4, "moved")
    assert hash(entry) == hash(copy.copy(entry))
    assert entry.type_name == entry.code
    assert pickle.loads(pickle.dumps(entry)) == entry
    assert eval(repr(entry), {"ErrorEntry": xml5tree.ErrorEntry}) == entry
    assert str.__mod__("%s", entry) == f"2:0: unmatched-end-tag: {entry.message}"
    with pytest.raises(AttributeError):
        entry.line = 5


def raised_by(document, **options):
    with pytest.raises(xml5tree.ParseError) as raised:
        xml5tree.fromstring(document, **options)
    return raised.value


@each_backend
@pytest.mark.parametrize("options", [{}, {"recovery": "strict"}, {"forbid_dtd": True}])
def test_parse_error(backend, options):
    error = raised_by("\n</b><!DOCTYPE a>", backend=backend, **options)
    assert isinstance(error, ET.ParseError)
    assert error.position == (error.lineno, error.offset)
    assert error.lineno == 2
    assert len(error.errors) > 0
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(twin) is xml5tree.ParseError
        assert str(twin) == str(error)
        assert (twin.code, twin.position, twin.lineno, twin.offset) == (error.code, error.position, 2, error.offset)
        assert twin.errors == error.errors
        assert twin.errors.truncated == error.errors.truncated


def test_parse_error_as_text():
    assert (
        str(raised_by("</a>")) == "no root element (no element found): the document has no start tag: line 1, column 4"
    )
    for backend, document, message in [
        ("etree", "<a>\n", "no element found: line 2, column 0"),
        ("etree", "<a:b>&", "unbound prefix: line 1, column 0"),
        ("lxml", "<a x=1/>", "AttValue: \" or ' expected: line 1, column 5"),
        ("lxml", "", "Document is empty: line 1, column 0"),
    ]:
        error = raised_by(document, backend=backend, recovery="strict")
        assert str(error) == message
        entry = error.errors[0]
        assert f"{entry.message}: line {entry.line}, column {entry.column}" == message


@pytest.mark.parametrize(
    ("document", "position"), [("", (1, 0)), ("x", (1, 1)), ("\n\n", (3, 0)), ("<!--\n-->", (2, 3))]
)
def test_no_root_is_found_out_at_the_end(document, position):
    assert raised_by(document).position == position


# Positions --------------------------------------------------------------------------------------------------------

FAULT = "unknown-named-character-reference"
POSITIONS = [
    ("<a>&x;</a>", [(1, 3, 3, FAULT)]),
    ("<a>\n  <b/>\n &x;\n&y;</a>", [(3, 1, 12, FAULT), (4, 0, 16, FAULT)]),
    ("<a>\r\n  <b/>\r &x;\r\n&y;</a>", [(3, 1, 12, FAULT), (4, 0, 16, FAULT)]),
    ("\ufeff<a>&x;</a>", [(1, 3, 3, FAULT)]),
    ("<a>é😀&x;\n😀&y;</a>", [(1, 5, 5, FAULT), (2, 1, 10, FAULT)]),
    ("<?xml version='1.0'?><a>&x;</a>", [(1, 24, 24, FAULT)]),
    ("<?xml version='1.0'\n?>\n<a>&x;</a>", [(3, 3, 26, FAULT)]),
    (" \n<?xml version='1.0'?>\n<a/>", [(2, 0, 2, "misplaced-xml-declaration")]),
    ("<a\n b=c\n\n d='e' d=''/>", [(2, 3, 6, "unquoted-attribute-value"), (4, 7, 16, "duplicate-attribute")]),
    ("<a b='\n<\n&'/>", [(2, 0, 7, "less-than-sign-in-attribute-value"), (3, 0, 9, "unescaped-ampersand")]),
    ("<a><!--\n\n--\n--></a>", [(1, 3, 3, "coerced-comment")]),
    ("<a>\n<b\n></a>", [(3, 1, 8, "mismatched-end-tag")]),
    ("<a><?b?c?d?></a>", [(1, 6, 6, "missing-whitespace-after-pi-target")]),
    ("<a/>\nx\ny\n<b/>", [(2, 0, 5, "text-outside-root"), (4, 0, 9, "element-after-root")]),
    ("<a>\x01\n\0</a>", [(1, 3, 3, "control-character-in-input-stream"), (1, 3, 3, "coerced-character"),
                          (2, 0, 5, "unexpected-null-character")]),
    ("<!DOCTYPE a [\n<!FOO>\n x]>\n<a/>", [(2, 0, 14, "bogus-declaration-in-doctype"),
                                          (3, 1, 22, "unexpected-character-in-doctype")]),
    ("<!DOCTYPE a [<!ENTITY e '\n\n&x;'>]>\n<a>\n&e;</a>", [(5, 0, 39, FAULT)]),
    ("<a>\n<b>", [(2, 3, 7, "eof-in-element")]),
]  # fmt: skip


@each_backend
@each_case(("document", "positions"), POSITIONS)
def test_positions(backend, document, positions):
    for data in (document, document.encode()):
        for size in (1, 2, len(data)):
            parser = xml5tree.XMLParser(backend=backend)
            for piece in chunks(data, size):
                parser.feed(piece)
            parser.close()
            found = [(entry.line, entry.column, entry.offset, entry.code) for entry in parser.error_log]
            assert found == positions


LONG = "wx\n" * 50_000
LONG_AGO = [
    (f"<a>\n <b b$='{LONG}'/></a>", 2, 1, "coerced-attribute-name"),
    (f"<a>\n <b c='{LONG}'\n d= e/></a>", 50_003, 4, "unquoted-attribute-value"),
    (f"<a>\n <!--{LONG}-- --></a>", 2, 1, "coerced-comment"),
    (f"<a/>\n x{LONG}", 2, 1, "text-outside-root"),
    (f"<a>\n <a>\n <a>{LONG}</a></a>{LONG}", 3, 1, "max-depth-exceeded"),
    (f"<!DOCTYPE a [\n <!FOO '{LONG}'>]>\n<a/>", 2, 1, "bogus-declaration-in-doctype"),
    (f"\n <!DOCTYPE $ [<!-- {LONG} -->]>\n<a/>", 2, 1, "invalid-doctype-name"),
]


@pytest.mark.parametrize(("document", "line", "column", "code"), LONG_AGO, ids=[case[3] for case in LONG_AGO])
def test_positions_of_what_began_many_feeds_ago(document, line, column, code):
    parser = xml5tree.XMLParser(max_depth=2)
    for piece in chunks(document, 1000):
        parser.feed(piece)
    parser.close()
    assert [(entry.line, entry.column) for entry in parser.error_log if entry.code == code] == [(line, column)]


LINES = {
    "text": "<a>\n<b>\n\nx</b>\n<c/></x>\n<d/>",
    "end tags": "<a><b></\nb\n><c></x\n></c><d>\n</a\n>",
    "CDATA": "<a>\n<![CDATA[\n<\n]]>\n<b/>&<![CDATA[]]>\n<![CDATA[\n]]><c/>",
    "comments": "<a>&<!--\n\n--><b/><!-- -- \n\n -- --><c/><!x\n\n><d/>",
    "instructions": "<a>&<?p\n\n?><b/><?\n\n?><c/><?xml\n?><d/>",
    "tags of several lines": "<a\n\nb=c\n\n><d\n\n/><e f='\n\n' g=&\n/></a>",
    "references": "<a>&#10;&#xA;&foo;&#10\n<b/></a>",
    "dropped text": "x\n\ny<a>\n<b/></a>",
    "declaration": "<?xml\n\nversion=1.0\n\n?><a>\n<b/>",
    "misplaced declaration": "\n\n<?xml version='1.0'?>\n\n<a>\n<b/>",
    "second declaration": "<?xml version='1.0'?>\n<?xml\n\n?><a>\n<b/>",
    "CRLF": "<a>\r\n\r<b/>&\r\n\r\n<c\r\n/></a>",
    "DOCTYPE": "<!DOCTYPE\n a\nSYSTEM\n\n><a>\n<b/>",
    "second DOCTYPE": "<!DOCTYPE a>\n<!DOCTYPE a [\n\n]\n><a>\n<!DOCTYPE\n b><b/>",
    "internal subset": "<!DOCTYPE a [\n\n<!ENTITY e\n '\n\ny\n'>\n<!--\n-->%\n]\n>\n<a>\n&e;<b/>&e;\n<c/></a>\n",
    "entity in an attribute": "<!DOCTYPE a [<!ENTITY e '\n\n'>]>\n<a b='&e;'>\n<c d=&e;/>",
    "entity of elements": "<!DOCTYPE a [<!ENTITY e '\n<x\n>\n\n</x>\n'>]>\n<a>&e;<b/>\n&e;<c/>&</a>",
}


@pytest.mark.parametrize("document", LINES.values(), ids=LINES)
def test_sourceline(document):
    """The line of an lxml element is that on which its start tag ends; elements of an entity have their reference's."""
    normalised = document.replace("\r\n", "\n").replace("\r", "\n")
    for size in (1, len(document)):
        parser = xml5tree.XMLParser(backend="lxml")
        for piece in chunks(document, size):
            parser.feed(piece)
        for element in parser.close().iter("a", "b", "c", "d", "e"):
            start = normalised.rindex(f"<{element.tag}")
            end = normalised.index(">", start)
            assert (element.tag, element.sourceline) == (element.tag, normalised.count("\n", 0, end) + 1)
        assert parser.error_log != []


# Both ways in give the same ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "document", [GOOD, BROKEN, "<!--x--><!DOCTYPE a PUBLIC 'p' 's.dtd'><a>é<![CDATA[&]]></a><?y?>"]
)
def test_whole_and_in_parts(document):
    whole = xml5tree.fromstring(document, backend="lxml")
    assert dump_document(xml5tree.fromstringlist(document, backend="lxml"), lines=True) == (
        dump_document(whole, lines=True)
    )
    assert dump(xml5tree.fromstringlist(document)) == dump(xml5tree.fromstring(document))


@pytest.mark.parametrize(
    ("document", "repaired"),
    [
        ("Warning: x\n\n<?xml version='1.0'?>\n<a b='c'>\n<b/>\n</a>\n", "<a b='c'>\n<b/>\n</a>\n"),
        ("<a>\n</b\n\n><c\n d=1 />\n</a>", '<a>\n<c d="1"/>\n</a>'),
        ("<!DOCTYPE a [\n<!ENTITY e 'x'>\n]>\n<a>&e;</a>", "<!DOCTYPE a>\n<a>x</a>"),
        ("\n\n<a>&</a>", "\n\n<a>&amp;</a>"),
        ("\n<a\n\n b='c'\n/>", "\n<a\n\n b='c'\n/>"),
    ],
)
def test_repaired_markup_has_no_empty_lines_for_what_was_removed(document, repaired):
    """For what tells lines to its users it has them, in tags."""
    assert xml5tree.repair(document) == repaired
    assert "".join(map(str, xml5tree.repair_iter(document))) == repaired
    assert xml5tree.open([document]).read().decode() == repaired
    tree = xml5tree.fromstring(document, backend="lxml")
    ends = [document[: match.end()].count("\n") + 1 for match in re.finditer(r"<[a-c](?:[^>]*)>", document)]
    assert [element.sourceline for element in tree.iter()] == ends


@pytest.mark.parametrize(
    ("document", "options", "repaired"),
    [
        (" a\n<b/>", {}, " <b/>"),
        ("\nWarning: x\n\n<b/>", {}, "\n<b/>"),
        ("<?x\n?>\n<a/>", {"dialect": "microxml"}, "<a/>"),
        ("Warning: x\n\n<?pi?> <b/>", {}, "<?pi?> <b/>"),
        (" a\n", {"roots": "all"}, ' <xml5tree:roots xmlns:xml5tree="urn:x-xml5tree">a\n</xml5tree:roots>'),
        (" a\n", {"dialect": "microxml"}, " <U000023doc>a</U000023doc>"),
        ("\f\n <?x\n?>\n<a/>", {"dialect": "microxml"}, " \n \n<a/>"),
        ("\n<a\n/>", {"dialect": "leafxml"}, "\n<a\n/>"),
        ("\n<a\n b='\xa0'/>", {"dialect": "leafxml"}, "\n<a\n b='\xa0'/>"),
        ("\n<!--\n--> \n<a/>", {"dialect": "leafxml"}, "\n \n<a/>"),
        ("<!--\n--> \n<a/>", {"dialect": "leafxml"}, "<a/>"),
        ("<!-- --><![CDATA[ ]]>\n<a/>", {"dialect": "leafxml"}, " \n<a/>"),
    ],
)
def test_white_space_before_the_root_is_left_out_by_the_line_that_it_begins_on(document, options, repaired):
    """It stays where nothing before it has been left out with a newline, no matter what comes after it."""
    assert xml5tree.repair(document, **options) == repaired
    for size in (1, 2):
        pieces = xml5tree.repair_iter((document[at : at + size] for at in range(0, len(document), size)), **options)
        assert "".join(map(str, pieces)) == repaired


def test_equal_options_of_different_types_are_told_apart():
    """Settings are kept for options that are equal, and 1 is equal to True."""
    assert xml5tree.fromstring("<a/>", forbid_dtd=True).tag == "a"
    with pytest.raises(TypeError, match="forbid_dtd must be"):
        xml5tree.fromstring("<a/>", forbid_dtd=1)
    with pytest.raises(TypeError, match="max_depth must be"):
        xml5tree.fromstring("<a/>", max_depth=2000.0)
    assert xml5tree.fromstring("<a/>", max_depth=2000).tag == "a"


def test_each_listener_is_told_of_its_own_document():
    """Settings are kept for options that are equal but for what is called with the errors."""
    first, second = [], []
    for errors in (first, second, first):
        xml5tree.fromstring("<a>&</a>", on_error=errors.append)
    assert [len(errors) for errors in (first, second)] == [2, 1]
    xml5tree.fromstring("<a>&</a>", on_error=None)
    with pytest.raises(TypeError, match="on_error must be callable, not int"):
        xml5tree.fromstring("<a>&</a>", on_error=1)
    assert len(first) == 2


def test_options_that_may_change_are_looked_at_each_time():
    names = {"b": "c"}
    assert xml5tree.fromstring("<a>&b;</a>", entities=names).text == "c"
    names["b"] = "d"
    assert xml5tree.fromstring("<a>&b;</a>", entities=names).text == "d"


@pytest.mark.parametrize("recovery", ["draft", "intent"])
@pytest.mark.parametrize("block", [1, 7, 16, 1000])
@pytest.mark.parametrize(
    "document",
    [
        "",
        "a",
        "<a>" + "x" * 29,
        "<a>\r\n<b c=1>&nbsp;é</a>\r",
        "<?xml version='1.0'?><a><b>1<b>2</a>",
        "\ud83d<a>\ude00",
    ],
)
def test_whole_documents_in_blocks(monkeypatch, document, block, recovery):
    """The end of a document that is read whole comes with its last block, and not after it."""

    def outcome(read):
        log = []
        try:
            return ET.tostring(read(log.append)), log
        except xml5tree.ParseError as error:
            return error.code, error.position, log

    for data in (document, document.encode("utf-8", "surrogatepass")):
        in_pieces = outcome(
            lambda on_error, data=data: xml5tree.fromstringlist([data], recovery=recovery, on_error=on_error)
        )
        monkeypatch.setattr("xml5tree.dialects.base.BLOCK", block)
        whole = outcome(lambda on_error, data=data: xml5tree.fromstring(data, recovery=recovery, on_error=on_error))
        monkeypatch.undo()
        assert whole == in_pieces
