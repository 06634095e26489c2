"""LeafXML, decision by decision: trees, and errors with their places, however the document comes."""

import functools
import io
import itertools
import json
import runpy
import unicodedata
import xml.sax
from pathlib import Path

import pytest
from lxml import etree
from support.cases import each_case, one_in
from support.splits import chunks, splits
from support.suites import cases_of

import xml5tree
import xml5tree.ElementTree as dropin
import xml5tree.sax
from xml5tree.dialects.leafxml.characters import find_forbidden, is_character, may_combine, nfc
from xml5tree.dialects.leafxml.codes import CODES
from xml5tree.dialects.leafxml.native import for_native_parser
from xml5tree.lxml import etree as lxml_dropin
from xml5tree.options import RECOVERIES, Settings
from xml5tree.tokens import Characters, EmptyTag, EndTag, StartTag
from xml5tree.xml.names import EXPAT, NAME
from xml5tree.xml.patterns import compiled
from xml5tree.xml.uris import percent_encode

DOCS = Path(__file__).parent.parent / "docs"
OWN_CASES = json.loads((Path(__file__).parent / "data" / "leafxml.json").read_text(encoding="utf-8"))
BACKENDS = ["etree", "lxml"]


def tree_of(element):
    """An element as the cases have it: name, attributes, texts and elements."""
    content = [element.text] if element.text else []
    for child in element:
        content += [tree_of(child), *([child.tail] if child.tail else [])]
    return [element.tag, dict(element.attrib), content]


def refusal_of(error):
    """The code and place of an exception, which the one entry of its log has too."""
    [entry] = error.errors
    assert (entry.code, entry.kind, entry.lossy) == (error.code, "not-well-formed", False)
    assert (entry.line, entry.column) == error.position
    return f"{error.code} {entry.line}:{entry.column}"


def fed(pieces, backend, options):
    """The tree or refusal of a document that comes in pieces."""
    parser = xml5tree.XMLParser(dialect="leafxml", backend=backend, **options)
    try:
        for piece in pieces:
            parser.feed(piece)
        root = parser.close()
    except xml5tree.ParseError as error:
        assert error.errors is parser.error_log
        return refusal_of(error)
    assert {entry.kind for entry in parser.error_log} <= {"coerced"}
    return tree_of(root)


def whole(document, backend, options, shown=tree_of):
    """The same of one that comes whole, which a native parser may read."""
    try:
        return shown(xml5tree.fromstring(document, dialect="leafxml", backend=backend, **options))
    except xml5tree.ParseError as error:
        return refusal_of(error)


def held_by(backend, tree):
    """A tree as far as the backend's native parser can hold it (L-083)."""
    if isinstance(tree, str):
        return tree
    name, attributes, content = tree
    namespace, brace, local = name.rpartition("}")
    if backend == "lxml" and brace:
        namespace = "{" + percent_encode(namespace[1:])
    if backend == "etree" and not EXPAT.is_ncname(local):
        local = "".join(c if EXPAT.is_ncname("a" + c) else f"U{ord(c):06X}" for c in local)
        local = local if EXPAT.is_ncname(local[0]) else f"U{ord(local[0]):06X}{local[1:]}"
    return [namespace + brace + local, attributes, [held_by(backend, part) for part in content]]


def assert_case(document, expected, options):
    for backend in BACKENDS:
        for pieces in [*one_in(2, splits(document)), [document[i : i + 1] for i in range(len(document))]]:
            assert fed(pieces, backend, options) == held_by(backend, expected)
        assert whole(document, backend, options) == held_by(backend, expected)


@each_case("case", OWN_CASES, ids=[f"{case['rule']}-{n}" for n, case in enumerate(OWN_CASES)])
def test_decisions(case):
    document = bytes.fromhex(case["bytes"]) if "bytes" in case else case["input"]
    assert_case(document, case["tree"] if "tree" in case else case["error"], case.get("options", {}))


def test_each_code_and_decision_has_a_case():
    errors = {case["error"].split()[0] for case in OWN_CASES if "error" in case}
    assert errors == {code for code in CODES if not code.startswith("coerced-")} - {
        "namespace-declaration-limit",
        "damaged-compression",
    }


def test_shared_cases():
    cases = cases_of("leafxml_cases.json")
    assert len(cases) == 295
    for case in cases:
        document = bytes.fromhex(case["hex"]) if "hex" in case else case["input"]
        expected = case["expect"]
        if isinstance(expected, dict):
            expected = f"{expected['error']} {expected['line']}:{expected['column']}"
        assert_case(document, expected, case.get("options", {}))


def test_surrogates_of_text_are_not_joined():
    assert whole("<a>\ud83d\ude00</a>", "etree", {}) == "forbidden-character 1:3"


@functools.cache
def characters_of_the_text():
    """The characters that the text of L-010 allows."""
    allowed = [(9, 10), (13, 13), (0x20, 0x7E), (0x85, 0x85), (0xA0, 0xD7FF), (0xE000, 0xFDCF), (0xFDF0, 0x10FFFD)]
    return {code for first, last in allowed for code in range(first, last + 1) if code & 0xFFFF not in (0xFFFE, 0xFFFF)}


def test_characters_are_those_of_the_text():
    """Allowed characters are read in one text; those that are not are refused one by one."""
    expected = characters_of_the_text()
    assert find_forbidden("".join(map(chr, sorted(expected)))) == -1
    assert [code for code in range(0x110000) if code not in expected and is_character(code)] == []
    assert {code for code in range(0x1000) if is_character(code)} == expected & {*range(0x1000)}
    assert not is_character(0x110000)


def test_names_are_those_of_the_text():
    """Each allowed character is in a text of its own, or behind a letter, with a space between two."""
    ranges = [(0x2D, 0x2E), (0x30, 0x3A), (0x5F, 0x5F), (0x41, 0x5A), (0x61, 0x7A), (0xB7, 0xB7), (0xC0, 0x1FFF)]
    ranges += [(0x200C, 0x200D), (0x203F, 0x2040), (0x2070, 0x218F), (0x2C00, 0x2FEF), (0x3001, 0xD7FF)]
    ranges += [(0xF900, 0xFDCF), (0xFDF0, 0xEFFFD)]
    not_first = {0x2D, 0x2E, *range(0x30, 0x3A), 0xB7, *range(0x300, 0x370), 0x203F, 0x2040}
    characters = {code for first, last in ranges for code in range(first, last + 1)} - {0xD7, 0xF7, 0x37E}
    name = compiled(NAME)
    allowed = characters_of_the_text()
    each = [chr(code) for code in sorted(allowed)]
    in_names = [chr(code) for code in sorted(characters & allowed)]
    assert [found[1:] for found in name.findall(" a".join(["", *each])) if found != "a"] == in_names
    assert name.findall(" ".join(each)) == [one for one in in_names if ord(one) not in not_first]


MARKS = "\u0301\u0327\u0344\u0f73\u0f71\u0323\u3099"


@each_case("base", ["a", "\u00e9", "", "\u1100\u1161", "\u0f40"])
@each_case("marks", [MARKS, "\u0301\u0327", "\u0f73\u0f74", "\u0344\u0327", "\u0301"])
@each_case("count", [1, 31, 32, 100])
def test_normalization(base, marks, count):
    text = base + marks * count + "b" + marks + "\u0301" * 40 + "c"
    assert nfc(text) == unicodedata.normalize("NFC", text)


def test_every_mark_is_put_in_order_in_linear_time():
    """A run of marks in disorder is only quadratic for `unicodedata` if the remedy does not see one of them."""
    for code in range(0x300, 0x110000):
        decomposed = unicodedata.normalize("NFD", chr(code))
        if all(map(unicodedata.combining, decomposed)):
            text = "a" + (chr(code) + "\u0301\u0327") * 32
            assert nfc(text) == unicodedata.normalize("NFC", text)


def test_what_may_combine_with_what_is_before_it():
    """Whatever is not as it was after another character is known as such (L-095)."""
    last_parts = set()
    for code in range(0x110000):
        decomposition = unicodedata.decomposition(chr(code))
        if decomposition and not decomposition.startswith("<"):
            last_parts.update(chr(int(part, 16)) for part in decomposition.split()[1:])
    combining = {chr(code) for code in range(0x110000) if unicodedata.combining(chr(code))}
    hangul = set(map(chr, [*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)]))
    assert [character for character in last_parts | combining | hangul if not may_combine(character)] == []


@pytest.mark.parametrize(
    "document",
    [
        "<a>&#65;</a>", "<a>&b;</a>", "<a>\x85</a>", "<a>\u2028</a>", "<a>\r</a>", "<a>\x7f</a>", "<!DOCTYPE a><a/>",
        "<a b=' c'/>", "<a b='c '/>", "<a b='c  d'/>", "<a b='c\td'/>", "<a b = \"c\n\"/>", "<a b=' '/>",
        "<a xmlns=''/>", "<a xmlns = \"\"/>", "<a xmlns:b='}'/>", "<a>e\u0301</a>", "<a>e<!--c-->\u0301</a>",
        "<a>e<![CDATA[\u0301]]></a>", "<a>&lt;\u0338</a>", "<a>\u1100<?b?>\u1161</a>", b"<a>\xff</a>",
        b"\xff\xfe<\0a\0/\0>\0",
    ],
)  # fmt: skip
def test_what_the_native_parser_must_not_read(document):
    assert for_native_parser(document, Settings()) is None


@pytest.mark.parametrize("backend", BACKENDS)
def test_native_reading(backend, monkeypatch):
    def refuse(*arguments, **options):
        raise AssertionError("the document was not read natively")

    monkeypatch.setattr("xml5tree.dialects.leafxml.LeafXML.make_pipeline", refuse)
    document = '<?xml version="1.1"\nencoding="latin1"?>\r\n<!--c-->'
    document += '<a b="é d" e=\'\'>f<!--g-->&lt;<?h?>\u4e2d<i xmlns="u"/></a>'
    expected = ["a", {"b": "é d", "e": ""}, ["f<\u4e2d", ["{u}i", {}, []]]]
    for data in document, document.encode(), "\ufeff" + document, ("\ufeff" + document).encode():
        root = xml5tree.fromstring(data, dialect="leafxml", backend=backend)
        assert tree_of(root) == expected
        if backend == "lxml":
            assert root.sourceline == 3
            assert len(list(root.itersiblings(preceding=True))) == 0


@pytest.mark.parametrize("backend", BACKENDS)
def test_depth_is_limited_natively_too(backend):
    for depth, limit in (3, 2), (40, 39), (300, 299), (2001, 2000):
        document = "<a>" * depth + "</a>" * depth
        place = f"max-depth-exceeded 1:{3 * limit}"
        assert whole(document, backend, {"max_depth": limit}) == place
        assert fed([document], backend, {"max_depth": limit}) == place
        depths = whole(document, backend, {"max_depth": depth}, lambda root: sum(1 for _ in root.iter()))
        assert depths == depth


def test_namespace_errors_before_a_warning_of_libxml2():
    """lxml accepts these, because it looks at the last entry of its log only."""
    for document in "<a><p:b/><c xmlns='u'/></a>", "<a><p:b/><c xml:space='d'/></a>":
        assert etree.fromstring(document)[0].tag == "p:b"
        assert whole(document, "lxml", {}) == "undeclared-namespace-prefix 1:3"


def test_what_a_backend_cannot_hold():
    parser = xml5tree.XMLParser(dialect="leafxml")
    root = parser.parse_whole("<a\u0220 b\u0220='c'/>")
    assert tree_of(root) == ["aU000220", {"bU000220": "c"}, []]
    assert [entry.code for entry in parser.error_log] == ["coerced-element-name", "coerced-attribute-name"]
    parser = xml5tree.XMLParser(dialect="leafxml", backend="lxml")
    assert parser.parse_whole("<a xmlns='u v'/>").tag == "{u%20v}a"
    assert [entry.code for entry in parser.error_log] == ["coerced-namespace-uri"]
    parser = xml5tree.XMLParser(dialect="leafxml")
    assert parser.parse_whole("<\u0220:a xmlns:\u0220='u'/>").tag == "{u}a"
    assert parser.error_log == []
    with pytest.raises(xml5tree.ParseError) as caught:  # the two would have one name
        parser.parse_whole("<a b\u0220='1' bU000220='2'/>")
    assert refusal_of(caught.value).startswith("duplicate-attribute")


def test_the_error_is_the_only_entry():
    parser = xml5tree.XMLParser(dialect="leafxml")
    with pytest.raises(xml5tree.ParseError) as caught:
        parser.parse_whole("<a\u0220>")
    assert refusal_of(caught.value) == "eof-in-element 1:4"
    assert parser.error_log.total == 1


def test_recovery_has_no_effect():
    for recovery in RECOVERIES:
        assert whole("<a b='c' />", "etree", {"recovery": recovery}) == ["a", {"b": "c"}, []]
        assert whole("<a><!-- -- --></a>", "etree", {"recovery": recovery}) == ["a", {}, []]
        assert whole("<a b=c/>", "lxml", {"recovery": recovery}) == "unquoted-attribute-value 1:5"


@pytest.mark.parametrize(
    ("document", "repaired"),
    [
        ("<a  b='c' />", "<a  b='c' />"),
        ("<a b = 'c&amp;'/>", "<a b = 'c&amp;'/>"),
        ("<a b = 'c  d'/>", '<a b="c d"/>'),
        ("<?xml version='1.0'?>\n<a>x<!--c-->&#8211;</a >\n", "\n<a>x\u2013</a>\n"),
        ("<a b='&#x85;&#x2028;\n&lt;'/>", '<a b="&#133;&#8232; &lt;"/>'),
        ("<a><![CDATA[<]]>]]>\r</a>", "<a>&lt;]]&gt;\n</a>"),
        ("<\u0220:a xmlns:\u0220='u v'/>", '<ns0:a xmlns:ns0="u%20v"/>'),
    ],
)
def test_repair(document, repaired):
    assert xml5tree.repair(document, dialect="leafxml") == repaired
    assert xml5tree.repair(document.encode(), dialect="leafxml") == repaired.encode()
    assert xml5tree.repair(repaired, dialect="leafxml") == repaired


def test_repairer_takes_another_document_after_a_refusal():
    repairer = xml5tree.Repairer(dialect="leafxml")
    with pytest.raises(xml5tree.ParseError) as caught:
        repairer.feed("<a><>")
    assert refusal_of(caught.value) == "missing-tag-name 1:3"
    assert repairer.feed("<a/>") + repairer.close() == "<a/>"
    assert repairer.error_log == []


@pytest.mark.parametrize("backend", BACKENDS)
def test_events_before_the_error(backend):
    events = xml5tree.iterparse(["<a><b/>", "x<c", ">t<!--"], ("start", "end"), dialect="leafxml", backend=backend)
    seen = [(event, element.tag) for event, element in itertools.islice(events, 4)]
    with pytest.raises(xml5tree.ParseError) as caught:
        next(events)
    assert seen == [("start", "a"), ("start", "b"), ("end", "b"), ("start", "c")]
    assert refusal_of(caught.value) == "eof-in-comment 1:12"


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("size", [1, 2, 100])
def test_events_of_the_shortest_markup_before_the_error(backend, size):
    """lxml begins with more than four bytes, or with what is fed later."""
    events = xml5tree.iterparse(chunks("<r>x<</r>", size), ("start",), dialect="leafxml", backend=backend)
    assert next(events)[1].tag == "r"
    with pytest.raises(xml5tree.ParseError):
        next(events)


def test_open_gives_the_markup_before_the_error():
    with xml5tree.open(["<a>x<b/>y<!--", " --></c>"], dialect="leafxml") as file:
        assert file.read1(100) == b"<a>x<b/>"
        with pytest.raises(xml5tree.ParseError, match="where element 'a' is open"):
            file.read()


def test_tokens():
    document = "\n<a b=' &#65;  B'>x<!--c--><![CDATA[<]]>e\u0301</a ><p:d/></e>"
    expected = [Characters("\n"), StartTag("a", {"b": "A B"}), Characters("x<\u00e9"), EndTag("a")]
    assert list(xml5tree.tokenize(document, dialect="leafxml")) == [*expected, EmptyTag("p:d"), EndTag("e")]


def test_tokens_before_an_error():
    errors = []
    tokens = xml5tree.tokenize("<a>x<b b/>", dialect="leafxml", on_error=errors.append)
    assert next(tokens) == StartTag("a")
    assert next(tokens) == Characters("x")
    with pytest.raises(xml5tree.ParseError) as caught:
        next(tokens)
    assert refusal_of(caught.value) == "attribute-without-value 1:7"
    assert [entry.code for entry in errors] == ["attribute-without-value"]


def test_source_lines():
    document = "<?xml\nversion='1.0'?><a><!--\n\n--><b\nc='\n'>\r\n<d/>\r<e/></b></a>"
    for pieces in [document], list(document):
        parser = xml5tree.XMLParser(dialect="leafxml", backend="lxml")
        for piece in pieces:
            parser.feed(piece)
        assert [(element.tag, element.sourceline) for element in parser.close().iter()] == [
            ("a", 2), ("b", 6), ("d", 7), ("e", 8),
        ]  # fmt: skip


def test_offsets_count_line_breaks_as_one():
    with pytest.raises(xml5tree.ParseError) as caught:
        xml5tree.fromstring("\r\n\r<a>\r\n</b>", dialect="leafxml")
    assert caught.value.errors[0].offset == 6


GOOD = "<a xmlns:p='u'>x<!--c--><p:b c=' 1 '/>&#8211;</a>"
GOOD_TREE = ["a", {}, ["x", ["{u}b", {"c": "1"}, []], "\u2013"]]
BAD = "<a>x<b c=1/></a>"
BAD_PLACE = (1, 9)


@pytest.mark.parametrize("recovery", RECOVERIES)
def test_elementtree_dropin(recovery):
    parser = dropin.XMLParser(dialect="leafxml", recovery=recovery)
    assert tree_of(dropin.fromstring(GOOD, parser)) == GOOD_TREE
    assert tree_of(dropin.parse(io.StringIO(GOOD), parser).getroot()) == GOOD_TREE
    with pytest.raises(dropin.ParseError) as caught:
        dropin.fromstring(BAD, parser)
    assert caught.value.position == BAD_PLACE
    pull_parser = dropin.XMLPullParser(dialect="leafxml", recovery=recovery)
    pull_parser.feed(BAD[:5])
    pull_parser.feed("<c/><>")
    with pytest.raises(dropin.ParseError):
        list(pull_parser.read_events())


@pytest.mark.parametrize("recover", [None, True, False])
def test_lxml_dropin(recover):
    parser = lxml_dropin.XMLParser(dialect="leafxml", recover=recover)
    assert tree_of(lxml_dropin.fromstring(GOOD, parser)) == GOOD_TREE
    assert tree_of(lxml_dropin.parse(io.BytesIO(GOOD.encode()), parser).getroot()) == GOOD_TREE
    for give in (lambda: lxml_dropin.fromstring(BAD, parser), lambda: parser.feed(BAD)):
        with pytest.raises(lxml_dropin.XMLSyntaxError, match="value of attribute 'c' without quotes") as caught:
            give()
        assert caught.value.position == (1, 10)
    assert [entry.code for entry in parser.error_log] == ["unquoted-attribute-value"]
    events = lxml_dropin.iterparse(io.BytesIO(GOOD.encode()), dialect="leafxml", recover=recover)
    assert [element.tag for _, element in events] == ["{u}b", "a"]


@pytest.mark.parametrize("option", ["load_dtd", "dtd_validation"])
def test_lxml_dropin_leaves_nothing_to_lxml(option):
    with pytest.raises(ValueError, match=f"{option}=True leaves the document to lxml"):
        lxml_dropin.XMLParser(dialect="leafxml", **{option: True})


def test_sax():
    events = []
    handler = xml.sax.ContentHandler()
    handler.startElement = lambda name, attributes: events.append((name, dict(attributes)))
    handler.characters = events.append
    reader = xml5tree.sax.SAXParser(dialect="leafxml", recovery="strict")
    reader.setContentHandler(handler)
    reader.parse(io.StringIO(GOOD))
    assert events == [("a", {"xmlns:p": "u"}), "x", ("p:b", {"c": "1"}), "\u2013"]
    with pytest.raises(xml.sax.SAXParseException, match="value of attribute 'c' without quotes") as caught:
        reader.parse(io.StringIO(BAD))
    assert (caught.value.getLineNumber(), caught.value.getColumnNumber()) == BAD_PLACE


def test_target():
    events = []

    class Target:
        def start(self, name, attributes):
            events.append((name, attributes))

        def data(self, text):
            events.append(text)

        def close(self):
            return "closed"

    assert xml5tree.fromstring(GOOD, parser=xml5tree.XMLParser(target=Target(), dialect="leafxml")) == "closed"
    assert events == [("a", {}), "x", ("{u}b", {"c": "1"}), "\u2013"]


def test_page_has_the_table():
    list_leafxml = runpy.run_path(str(DOCS / "list_leafxml.py"))
    _, on_page, _ = list_leafxml["parts"]((DOCS / "internals" / "leafxml.md").read_text("utf-8"))
    assert on_page == list_leafxml["table"](), "run python docs/list_leafxml.py"
