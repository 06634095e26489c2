"""The dialect MicroXML: its decisions by example, its invariants over generated documents, and its doors."""

import json
import re
import xml.etree.ElementTree as ET
import xml.sax
from collections import Counter
from pathlib import Path
from unittest import mock

import lxml.etree
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each_case, one_in
from support.nearmicroxml import is_microxml, microxml_documents, near_microxml
from support.splits import chunkings, chunks
from support.suites import cases_of
from support.trees import assert_same_content, assert_same_lines, comparable_content, dump, dump_content

import xml5tree
import xml5tree.ElementTree
import xml5tree.lxml.etree
import xml5tree.sax
from xml5tree.dialects.microxml import stream as microxml_stream
from xml5tree.dialects.microxml.codes import CODES
from xml5tree.dialects.microxml.lexer import Sink
from xml5tree.dialects.microxml.tree import MicroXMLTree
from xml5tree.input import stream as input_stream
from xml5tree.tokens import Characters, EmptyTag, EndTag, StartTag

CASES = json.loads((Path(__file__).parent / "data" / "microxml.json").read_text("utf-8"))
BACKENDS = ["etree", "lxml"]
#: What markup may say that is not MicroXML, because trees can hold it (M-076).
IN_REPAIRED = {
    "invalid-name",
    "control-character-in-input-stream",
    "noncharacter-in-input-stream",
    "control-character-reference",
}


def feed(pieces, backend="lxml", **options):
    """The tree and the log of a document that is fed in pieces."""
    parser = xml5tree.XMLParser(backend=backend, dialect="microxml", **options)
    for piece in pieces:
        parser.feed(piece)
    return parser.close(), parser.error_log


def repaired(pieces, **options):
    """The markup and the log of a document that is fed in pieces."""
    repairer = xml5tree.Repairer(dialect="microxml", **options)
    return "".join([*map(repairer.feed, pieces), str(repairer.close())]), repairer.error_log


def without_coerced(log):
    return [entry for entry in log if entry.kind != "coerced"]


# Decisions


@each_case("backend", BACKENDS)
@each_case("case", CASES, ids=[case["id"] for case in CASES])
def test_decision(case, backend):
    """Every example of the decisions; where libxml2 reads a name that expat does not, `tree` is that of lxml."""
    document = bytes.fromhex(case["bytes"]) if "bytes" in case else case["input"]
    options = case.get("options", {})
    expected = lxml.etree.fromstring(case["tree"].encode())
    root, log = feed([document], backend, **options)
    errors = Counter(entry.code for entry in log)
    if backend == "etree" and "expat" in case:
        expected = lxml.etree.fromstring(case["expat"].encode())
        errors -= Counter(["coerced-element-name"])
    assert dump_content(root) == dump_content(expected)
    assert errors == case["errors"]
    if len(document) < 80:
        for point in one_in(2, range(1, len(document))):
            again, entries = feed([document[:point], document[point:]], backend, **options)
            assert dump(again) == dump(root)
            assert [*entries] == [*log]


def test_every_decision_with_an_example_has_a_case():
    numbers = {case["id"].split(".")[0] for case in CASES}
    without = {"M-020", "M-023", "M-050", "M-060", "M-078", "M-090", "M-091", "M-092"}
    settled = {*range(1, 9), *range(10, 14), *range(20, 27), *range(30, 39), *range(40, 44), *range(50, 54)}
    settled |= {*range(60, 65), *range(70, 79), *range(90, 93)}
    assert numbers | without == {f"M-{number:03}" for number in settled}


def test_suite():
    """The suite's cases: whole, at every split into two, a character at a time; both backends."""
    cases = cases_of("microxml_cases.json")
    assert len(cases) == 119
    for case in cases:
        assert_case(case)


def assert_case(case):
    document, options = case["input"], {"entities": case["entities"]} if "entities" in case else {}
    for backend in [case["backend"]] if "backend" in case else ["lxml"] if "\u0132" in document else BACKENDS:
        expected = lxml.etree.fromstring(case["xml"].encode()) if "xml" in case else None
        coerces_more = backend == "etree" and any(character > "\uffff" for character in document)
        splits = [[document], list(document), *([document[:i], document[i:]] for i in range(1, len(document)))]
        whole = None
        for pieces in splits:
            root, log = feed(pieces, backend, **options)
            if not coerces_more:
                assert sorted([entry.code, entry.line, entry.column] for entry in log) == sorted(case["errors"])
                assert expected is None or dump_content(root) == dump_content(expected)
            whole = whole or dump(root)
            assert dump(root) == whole


# Invariants


@given(near_microxml())
def test_i8_log_is_empty_if_and_only_if_the_document_is_microxml(text):
    _, log = feed([text])
    assert (without_coerced(log) == []) == is_microxml(text)
    try:
        xml5tree.fromstring(text, dialect="microxml", recovery="strict")
    except xml5tree.ParseError as error:
        first = without_coerced(log)[0]
        assert (error.code, error.position) == (first.code, (first.line, first.column))
    else:
        assert is_microxml(text)


@given(microxml_documents())
def test_i8_well_formed_documents_have_no_errors(text):
    assert is_microxml(text)
    assert without_coerced(feed([text])[1]) == []


@given(near_microxml())
def test_i3_backends_agree(text):
    one, _ = feed([text], "etree")
    other, _ = feed([text], "lxml")
    assert_same_lines(comparable_content(one), comparable_content(other))


@given(near_microxml().flatmap(lambda text: st.tuples(st.just(text), chunkings(text))))
def test_i4_chunks_do_not_matter(document_and_pieces):
    text, pieces = document_and_pieces
    markup, log = repaired([text])
    assert repaired(pieces) == (markup, log)
    for backend in BACKENDS:
        whole, whole_log = feed([text], backend)
        root, log = feed(pieces, backend)
        assert_same_lines(dump(root), dump(whole))
        assert log == whole_log


@given(near_microxml())
def test_i1_i5_markup_is_accepted_and_stays(text):
    markup, _ = repaired([text])
    ET.fromstring(markup)
    lxml.etree.fromstring(markup.encode())
    again, log = repaired([markup])
    assert again == markup
    assert {entry.code for entry in log} <= IN_REPAIRED
    assert_same_content(feed([markup], "etree")[0], feed([text], "etree")[0])
    if is_microxml(text) and not set(text) & set("\t\n\r\ufeff\u0132"):
        assert markup == text


@given(near_microxml())
def test_i6_fast_path_and_modes_agree(text):
    fast = repaired([text]), dump(feed([text])[0])
    with mock.patch.object(MicroXMLTree, "flat_elements", Sink.flat_elements):
        assert (repaired([text]), dump(feed([text])[0])) == fast


@given(near_microxml() | microxml_documents())
def test_native_parser_gives_the_same(text):
    for backend in BACKENDS:
        for document in (text, text.encode("utf-8", "replace")):
            parser = xml5tree.XMLParser(backend=backend, dialect="microxml")
            root = xml5tree.fromstring(document, parser=parser)
            expected, log = feed([document], backend)
            assert dump_content(root) == dump_content(expected)
            assert parser.error_log == log


@given(near_microxml())
def test_tokens_do_not_depend_on_chunks(text):
    assert list(xml5tree.tokenize(text, dialect="microxml")) == list(tokens_in(chunks(text, 3)))


def tokens_in(parts):
    from xml5tree.dialects import make_settings

    dialect, settings = make_settings({"dialect": "microxml"})
    return dialect.tokenize(parts, settings)


# Doors

#: A document without a root of its own.
WRAPPED = "<a>x</a> y <b c='1'/>"
UNWRAPPED = "<!--n--> <a b=1>x<c/>&y</a> "
WRAPPER = "U000023doc"


@pytest.mark.parametrize("backend", BACKENDS)
def test_functions(backend, tmp_path):
    path = tmp_path / "document.xml"
    path.write_text(UNWRAPPED)
    options = {"backend": backend, "dialect": "microxml"}
    expected = dump_content(ET.fromstring("<a b='1'>x<c/>&amp;y</a>"))
    assert dump_content(xml5tree.fromstring(UNWRAPPED, **options)) == expected
    assert dump_content(xml5tree.fromstringlist(list(UNWRAPPED), **options)) == expected
    assert dump_content(xml5tree.parse(path, **options)) == expected
    assert dump_content(xml5tree.fromstring(WRAPPED, **options)) == dump_content(
        ET.fromstring(f"<{WRAPPER}>{WRAPPED}</{WRAPPER}>")
    )
    root = xml5tree.fromstring(UNWRAPPED, **options)
    assert root.tail is None
    if backend == "lxml":
        assert root.getparent() is None
        assert root.getroottree().getroot() is root


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("document", "starts", "ends"),
    [(UNWRAPPED, ["a", "c"], ["c", "a"]), (WRAPPED, ["a", "b"], ["a", "b", WRAPPER])],
)
def test_events(backend, document, starts, ends):
    """M-091: the wrapper has no start, and an end only where it is one."""
    found = {"start": [], "end": []}
    events = xml5tree.iterparse(list(document), ("start", "end"), backend=backend, dialect="microxml")
    for event, element in events:
        found[event].append(element.tag)
    assert found == {"start": starts, "end": ends}
    assert events.root.tag == ends[-1]
    with xml5tree.XMLPullParser(("end",), backend=backend, tag="a", dialect="microxml") as parser:
        parser.feed(document)
    assert [element.tag for _, element in parser.read_events()] == ["a"]


@pytest.mark.parametrize("backend", BACKENDS)
def test_events_of_a_document_that_is_refused(backend):
    """M-060: the wrapper is not shown, though there is markup of its end."""
    parser = xml5tree.XMLPullParser(("start", "end"), backend=backend, dialect="microxml", recovery="strict")
    parser.feed("<a/><b/>")
    with pytest.raises(xml5tree.ParseError):
        parser.close()
    found = []
    with pytest.raises(xml5tree.ParseError):
        found.extend((event, element.tag) for event, element in parser.read_events())
    assert found == [("start", "a"), ("end", "a"), ("start", "b"), ("end", "b")]


def test_markup(tmp_path):
    assert xml5tree.repair(UNWRAPPED, dialect="microxml") == '<!--n--> <a b="1">x<c/>&amp;y</a> '
    assert xml5tree.repair(b"", dialect="microxml") == f"<{WRAPPER}></{WRAPPER}>".encode()
    assert xml5tree.repair("", dialect="microxml") == f"<{WRAPPER}></{WRAPPER}>"
    wrapped = f'<{WRAPPER}><a>x</a> y <b c="1"/></{WRAPPER}>'
    assert "".join(xml5tree.repair_iter(list(WRAPPED), dialect="microxml")).replace("'", '"') == wrapped
    path = tmp_path / "document.xml"
    path.write_text(UNWRAPPED)
    with xml5tree.open(path, dialect="microxml") as file:
        assert file.read() == b'<!--n--> <a b="1">x<c/>&amp;y</a> '
    commented = "<!--1--><a/><!--2--><b/><!--3--> "
    markup = f"<!--1--><{WRAPPER}><a/><!--2--><b/><!--3--></{WRAPPER}>"
    assert xml5tree.repair(commented, dialect="microxml") == markup


def test_markup_is_held_back_only_until_it_is_certain():
    repairer = xml5tree.Repairer(dialect="microxml")
    assert repairer.feed("<a>x</a>\n") == ""
    assert repairer.feed("<b/>").startswith(f"<{WRAPPER}><a>")
    repairer = xml5tree.Repairer(dialect="microxml")
    assert repairer.feed(" x<a>") == f" <{WRAPPER}>x<a>"


def test_markup_has_hexadecimal_references():
    """M-076."""
    assert xml5tree.repair("<r a='1\t2>'>></r>", dialect="microxml") == '<r a="1&#x9;2&gt;">&gt;</r>'
    assert xml5tree.repair("<r a='&#x9;&gt;'>&#x41;</r>", dialect="microxml") == "<r a='&#x9;&gt;'>&#x41;</r>"


@pytest.mark.parametrize("content", [" xml:lang='en'>x", ">x\x85", ">\x7f", ">\ufdd0", ">\U0001ffff"])
def test_markup_has_what_trees_hold_though_microxml_does_not(content):
    """M-011, M-072, M-076."""
    document = f"<a{content}</a>"
    assert xml5tree.repair(document, dialect="microxml").replace('"', "'") == document
    with pytest.raises(xml5tree.ParseError):
        xml5tree.fromstring(document, dialect="microxml", recovery="strict")


def test_encoding_of_a_late_declaration():
    document = "<?xmlversion='1.0' encoding='Shift_JIS'?>\n<a>店</a>".encode("shift-jis")
    parser = xml5tree.XMLParser(dialect="microxml")
    assert xml5tree.fromstring(document, parser=parser).text == "店"
    assert {"encoding-not-utf-8", "assumed-encoding"} <= {entry.code for entry in parser.error_log}


def test_all_errors_of_the_input_stream_have_a_code():
    sources = [Path(input_stream.__file__), Path(microxml_stream.__file__)]
    named = {code for path in sources for code in re.findall(r'_problem\(\s*"([a-z-]+)"', path.read_text("utf-8"))}
    assert "assumed-encoding" in named
    assert named <= CODES.keys()


def test_tokens():
    """M-078."""
    text = " <a b=1 b=2 c>x<!--n-->&amp;<?p?><d/></e></a>"
    assert list(xml5tree.tokenize(text, dialect="microxml")) == [
        Characters(" "),
        StartTag("a", {"b": "1", "c": ""}),
        Characters("x&"),
        EmptyTag("d"),
        EndTag("e"),
        EndTag("a"),
    ]


def test_targets_and_parsers_of_the_caller_get_no_hidden_root():
    class Target:
        def __init__(self):
            self.starts = []

        def start(self, tag, attributes):
            self.starts.append(tag)

        def close(self):
            return self.starts

    for backend in BACKENDS:
        for document, starts in ((UNWRAPPED, ["a", "c"]), (WRAPPED, [WRAPPER, "a", "b"])):
            parser = xml5tree.XMLParser(backend=backend, target=Target(), dialect="microxml")
            parser.feed(document)
            assert parser.close() == starts
    for own in (ET.XMLParser(), lxml.etree.XMLParser()):
        assert xml5tree.fromstring(UNWRAPPED, backend=own, dialect="microxml").tag == "a"


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("document", ["<a>1 > 2</a>", "<a/>x", "<?xml version='1.0'?><a/>", "<!DOCTYPE a><a/>", ""])
def test_recover_false_is_a_validator(backend, document):
    """M-060."""
    options = {"backend": backend, "dialect": "microxml", "recovery": "strict"}
    with pytest.raises(xml5tree.ParseError) as whole:
        xml5tree.fromstring(document, **options)
    with pytest.raises(xml5tree.ParseError) as in_parts:
        xml5tree.fromstringlist(list(document), **options)
    assert (whole.value.code, whole.value.position) == (in_parts.value.code, in_parts.value.position)
    assert [entry.code for entry in whole.value.errors] == [whole.value.code]
    with pytest.raises(xml5tree.ParseError):
        list(xml5tree.iterparse([document], **options))
    assert xml5tree.fromstring("<a b='1'>x</a>", **options).tag == "a"


def test_first_error_of_elements_that_are_too_deep():
    with pytest.raises(xml5tree.ParseError) as raised:
        xml5tree.fromstring("<a><b><c/></b>></a>", dialect="microxml", recovery="strict", max_depth=2)
    assert (raised.value.code, raised.value.position) == ("max-depth-exceeded", (1, 6))


def test_forbidden_doctype():
    with pytest.raises(xml5tree.ParseError) as raised:
        xml5tree.fromstring("<a/><!doctype a>", dialect="microxml", forbid_dtd=True)
    assert (raised.value.code, raised.value.position) == ("doctype-forbidden", (1, 4))


def test_sax():
    class Handler(xml.sax.ContentHandler):
        def __init__(self):
            super().__init__()
            self.names = []

        def startElement(self, name, attrs):
            self.names.append(name)

    for document, names in ((UNWRAPPED, ["a", "c"]), (WRAPPED, [WRAPPER, "a", "b"])):
        parser = xml5tree.sax.SAXParser(dialect="microxml")
        handler = Handler()
        parser.setContentHandler(handler)
        parser.feed(document)
        parser.close()
        assert handler.names == names


def test_stand_ins():
    one = xml5tree.ElementTree.fromstring(UNWRAPPED, xml5tree.ElementTree.XMLParser(dialect="microxml"))
    other = xml5tree.lxml.etree.fromstring(UNWRAPPED, xml5tree.lxml.etree.XMLParser(dialect="microxml"))
    assert dump_content(one) == dump_content(other) == dump_content(xml5tree.fromstring(UNWRAPPED, dialect="microxml"))
    wrapped = xml5tree.lxml.etree.fromstring(WRAPPED, xml5tree.lxml.etree.XMLParser(dialect="microxml"))
    assert wrapped.tag == WRAPPER


def test_source_lines():
    text = "\n<?p\n?><a>\n<!--\n\n--><b\n/><c\n  d='1\n2'/></a>"
    root = xml5tree.fromstring(text, backend="lxml", dialect="microxml")
    assert [(element.tag, element.sourceline) for element in root.iter()] == [("a", 3), ("b", 7), ("c", 9)]


def test_stand_in_of_lxml():
    etree = xml5tree.lxml.etree
    parser = etree.XMLParser(dialect="microxml")
    for own in (parser, parser.copy()):
        root = etree.fromstring("<a><!--n-->x&nbsp;</a>", own)
        assert etree.tostring(root) == b"<a>x&amp;nbsp;</a>"
    with pytest.raises(etree.XMLSyntaxError, match="MicroXML has no processing instructions") as raised:
        etree.fromstring("<a>\n<?p?></a>", etree.XMLParser(dialect="microxml", recover=False))
    assert raised.value.position == (2, 1)
    assert etree.fromstring("<a/>", etree.XMLParser(dialect="microxml", recover=False)).tag == "a"
    with pytest.raises(ValueError, match="load_dtd"):
        etree.XMLParser(dialect="microxml", load_dtd=True)


@pytest.mark.parametrize("document", ["<a>" * 3000, "x" + "<a>" * 3000, "<a>" * 3000 + "</a>" * 3000 + "<b/>"])
def test_depth_that_libxml2_reads(document):
    """M-063: the hidden root, or the wrapper, is a level for libxml2."""
    root, log = feed([document], max_depth=5000)
    assert "max-depth-exceeded" in {entry.code for entry in log}
    depth = deepest = 0
    for event, _ in lxml.etree.iterwalk(root, ("start", "end")):
        depth += 1 if event == "start" else -1
        deepest = max(deepest, depth)
    assert deepest in {2047, 2048}


@pytest.mark.parametrize("backend", ["etree", "lxml"])
@pytest.mark.parametrize(
    ("document", "offsets"),
    [
        ("<a>\f</a>", [3]),
        ("x\f<a>\f\f<b>\f</b>\f</a>", [1, 5, 10, 15]),  # white space before an element belongs to the text before it
        ("x\f\n<a>\x01</a>\f<b/>", [1, 6, 11]),
        ("x\x01 \f<a>&#1;</a>", [1, 7]),
        ("<r/>\f<a>\f</a>", [4, 8]),
        ("<r>\f</x>\f<b/>\f</r>", [3, 13]),  # an end tag that is removed divides no text
    ],
)
def test_coerced_characters_are_one_entry_for_each_text(document, offsets, backend):
    """M-064."""
    for size in (1, 3, len(document)):
        parser = xml5tree.XMLParser(dialect="microxml", backend=backend)
        for start in range(0, len(document), size):
            parser.feed(document[start : start + size])
        parser.close()
        assert [entry.offset for entry in parser.error_log if entry.code == "coerced-character"] == offsets
