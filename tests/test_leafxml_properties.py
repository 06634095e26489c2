"""LeafXML over generated documents: total, alike however fed and on both backends, in linear time (I1, I3, I4, I7)."""

import unicodedata
import xml.etree.ElementTree as ET
from unittest import mock

import pytest
from hypothesis import example, given, reject
from hypothesis import strategies as st
from lxml import etree
from support import nearxml
from support.cases import each_case, one_in
from support.nearleafxml import near_leafxml
from support.scaling import assert_scales_linearly, parts_in
from support.splits import chunkings, chunks
from support.trees import assert_same_content, assert_same_lines, comparable_content, dump, dump_document

import xml5tree
from xml5tree.dialects import make_settings
from xml5tree.dialects.leafxml import native
from xml5tree.dialects.leafxml.codes import CODES
from xml5tree.dialects.leafxml.lexer import Lexer
from xml5tree.dialects.leafxml.tree import TreeBuilder
from xml5tree.options import Settings
from xml5tree.xml.limits import COMMON_LIMITS

BACKENDS = ["etree", "lxml"]

DOCUMENTS = near_leafxml() | nearxml.documents() | nearxml.near_markup()


def outcome(pieces, backend):
    """Everything about a tree, or the refusal, of a document that is fed in pieces; and the log."""
    parser = xml5tree.XMLParser(dialect="leafxml", backend=backend)
    try:
        for piece in pieces:
            parser.feed(piece)
        root = parser.close()
    except xml5tree.ParseError as error:
        [entry] = error.errors
        assert error.code == entry.code
        assert error.code in CODES
        return entry, None
    assert {entry.kind for entry in parser.error_log} <= {"coerced"}
    return list(parser.error_log), root


def seen(result, backend):
    log, root = result
    if root is None:
        return log
    return log, dump_document(root, prefixes=True, lines=True) if backend == "lxml" else dump(root)


@given(DOCUMENTS | nearxml.byte_documents())
def test_total(document):
    for backend in BACKENDS:
        outcome([document], backend)


def outcome_and_repair(document):
    try:
        repaired = xml5tree.repair(document, dialect="leafxml")
    except xml5tree.ParseError as error:
        repaired = error.errors
    return repaired, *(seen(outcome([document], backend), backend) for backend in BACKENDS)


@given(near_leafxml() | near_leafxml().map(lambda document: f"<r>\r\n{document * 3}\r\n<a b='1' c='&lt;'>x</a></r>"))
@example("<r><a>b</a>\r<![CDATA[\r\n]]></r>")
@example("<r><a>&#13;</a>\r\n<a>e</a>\u0301<b>\u0338</b></r>")
def test_fast_path_and_tokens_agree(document):
    fast = outcome_and_repair(document)
    with mock.patch.object(TreeBuilder, "copy_flat", lambda self, text, start, offset: start):
        assert outcome_and_repair(document) == fast


def test_the_fast_path_takes_records():
    """Flat elements are copied at all, with line breaks of either kind."""
    records = "<r>" + "<item a='1'>\n<b>x &amp; y</b>\n</item>" * 20 + "</r>"
    for document in (records, records.replace("\n", "\r\n")):
        with mock.patch.object(Lexer, "_tag", autospec=True, side_effect=Lexer._tag) as tag:
            assert xml5tree.repair(document, dialect="leafxml") == records
        assert tag.call_count == 2


@given(st.data())
def test_chunks(data):
    document = data.draw(DOCUMENTS | nearxml.byte_documents())
    pieces = data.draw(chunkings(document))
    for backend in BACKENDS:
        assert seen(outcome(pieces, backend), backend) == seen(outcome([document], backend), backend)
    assert markup_of(pieces) == markup_of([document])


def markup_of(pieces):
    """The markup that comes before the end or the error of a document."""
    dialect, settings = make_settings({"dialect": "leafxml"})
    pipeline = dialect.make_pipeline(settings, COMMON_LIMITS)
    markup = []
    try:
        for piece in pieces:
            for part in pipeline.feed(piece):
                markup.append(part)
        for part in pipeline.close():
            markup.append(part)
    except xml5tree.ParseError as error:
        markup.append(str(error).encode())
    return b"".join(markup)


@given(DOCUMENTS)
def test_backends_agree(document):
    (log, on_etree), (other_log, on_lxml) = outcome([document], "etree"), outcome([document], "lxml")
    assert (on_etree is None) == (on_lxml is None)
    if on_etree is None:
        assert log == other_log
    else:
        assert_same_lines(comparable_content(on_lxml), comparable_content(on_etree))


@example("<a><![CDATA[]]></a>")  # to lxml, an empty text
@given(DOCUMENTS | nearxml.well_formed_documents())
def test_native_reading_gives_the_same(document):
    for backend in BACKENDS:
        parser = xml5tree.XMLParser(dialect="leafxml", backend=backend)
        root = native.parse_natively(document, parser._settings, parser._backend)
        if root is not None:
            log, expected = outcome([document], backend)
            assert log == []
            assert seen((log, root), backend) == seen((log, expected), backend)


@example("<a k='e\u0301'>e\u0301<b/>e\u0301</a>")
@given(near_leafxml() | nearxml.well_formed_documents())
def test_repair_is_xml_and_leafxml_again(document):
    repairer = xml5tree.Repairer(dialect="leafxml")
    try:
        repaired = repairer.feed(document) + repairer.close()
    except xml5tree.ParseError:
        reject()  # most are refused, which shows nothing
    tree = ET.fromstring(repaired)
    assert_same_content(tree, etree.fromstring(repaired.encode(), etree.XMLParser(collect_ids=False)))
    assert xml5tree.repair(repaired, dialect="leafxml") == repaired
    assert xml5tree.repair(repaired) == repaired
    if not repairer.error_log:
        assert_same_content(xml5tree.fromstring(document, dialect="leafxml"), tree)
    assert all(unicodedata.is_normalized("NFC", text) for text in tree.itertext())


# Time (I7) ------------------------------------------------------------------------------------------------------------


def within(before, part, after=""):
    return lambda n: before + part * n + after


def numbered(before, part, after=""):
    return lambda n: before + "".join([part.replace("#", str(i)) for i in range(n)]) + after


FAMILIES = {
    # Terminators that do not come
    "comment": within("<a><!--", "--  "),
    "empty comments": within("", "<!-->"),
    "instruction": within("<a><?", "? >"),
    "CDATA section": within("<a><![CDATA[", "]] >"),
    "tag": within("<a><b ", "c "),
    "quotes in a tag": within("<a ", "b='>'"),
    "an open quote": within("<a b='", '>"'),
    "end tag": within("<a></a", "/"),
    "DOCTYPE": within("<!DOCTYPE", " '[>'"),
    "an open quote in a DOCTYPE": within("<!DOCTYPE '", ']>"'),
    "text": within("<a>", "b"),
    "ampersands": within("<a>", "&"),
    "ampersands in a value": within("<a b='", "&", "'/>"),
    "digits": within("<a>&#", "1", ";</a>"),
    "zeros": within("<a>&#", "0", "60;</a>"),
    # Much of one thing
    "escapes": within("<a>", "&#65;&lt;&amp;", "</a>"),
    "attributes": numbered("<a", " b#='c'", "/>"),
    "odd attributes": numbered("<a", " b# = 'c\n'", "/>"),
    "attributes with prefixes": numbered("<a xmlns:p='u'", " p:b#='c'", "/>"),
    "declarations": numbered("<a", " xmlns:p#='u'", "/>"),
    "elements with declarations": numbered("<a>", "<b xmlns:p#='u'/>", "</a>"),
    "odd prefixes": numbered("<a>", "<\u0220#:b xmlns:\u0220#='u#'/>", "</a>"),
    "nested declarations": lambda n: "".join(f"<a xmlns:p{i}='u'>" for i in range(n)) + "</a>" * n,
    "nested": lambda n: "<a>" * n + "</a>" * n,
    "nested and not closed": within("", "<a b='c'>"),
    "elements": within("<a>", "<b c='d'>e</b>", "</a>"),
    "names": numbered("<a>", "<b# c#='d'/>", "</a>"),
    "a long name": lambda n: f"<{'a' * n}></{'a' * n}>",
    "a long prefix": lambda n: f"<{'p' * n}:a xmlns:{'p' * n}='u'/>",
    "text tokens": within("<a>", "x<!---->&lt;<![CDATA[]]>", "</a>"),
    "white space": within("<a>", " \r\n", "</a>"),
    "white space in a tag": within("<a", " \r\n\x85", "/>"),
    "white space in a value": within("<a b='", " \t\x85", "c'/>"),
    "line breaks": within("<a>", "\r\x85\u2028\r\r\n&#13;", "</a>"),
    "lines": within("<a>", "\r\n<b/>\r", "</a>"),
    "padding": within("", "&#32;<![CDATA[ ]]><!--c-->", "<a/>"),
    "marks": within("<a>a", "\u0301\u0327", "</a>"),
    "marks that are composites": within("<a>a", "\u0344\u0f73\u0327", "</a>"),
    "marks in a value": within("<a b='c", "\u0301\u0327", "'/>"),
    "marks in a name": within("<a", "\u0301\u0327", "/>"),
    "marks from escapes": within("<a>a", "&#x301;&#x327;", "</a>"),
    "marks in tokens": within("<a>a", "\u0301<!---->\u0327", "</a>"),
    "Hangul": within("<a>", "\u1100\u1161\u11a8", "</a>"),
    "what the native parser is not asked for": within("<a>", "=\" ' ", "</a>"),
}


def read(document, chunk):
    repairer = xml5tree.Repairer(dialect="leafxml", max_depth=10**6)
    try:
        for piece in chunks(document, chunk):
            repairer.feed(piece)
        repairer.close()
    except xml5tree.ParseError:
        pass


@pytest.mark.parametrize("chunk", [1, 10**9], ids=["1", "whole"])
@each_case("family", FAMILIES)
def test_linear_time(family, chunk):
    make_input = FAMILIES[family]
    small = min(60, parts_in(make_input, 125)) if chunk == 1 else 125
    assert_scales_linearly(lambda document: read(document, chunk), make_input, small, factor=8, slack=2.2, floor=0.002)


@each_case("family", FAMILIES)
def test_linear_time_of_the_question_whether_to_read_natively(family):
    assert_scales_linearly(
        lambda document: native.for_native_parser(document, Settings()),
        FAMILIES[family], 500, factor=16, slack=4, floor=0.003,
    )  # fmt: skip


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("family", "tree"),
    one_in(3, [
        ("nested", True), ("attributes", True), ("odd attributes", True), ("marks", True), ("names", True),
        ("a long name", True), ("marks in a name", True), ("comment", False), ("CDATA section", False),
        ("nested declarations", True), ("tag", False),
    ]),
)  # fmt: skip
def test_a_hundred_thousand(family, tree):
    document = FAMILIES[family](100_000)
    try:
        root = xml5tree.fromstring(document, dialect="leafxml", max_depth=10**6)
    except xml5tree.ParseError as error:
        assert not tree
        assert error.code.startswith("eof-in-")
    else:
        assert tree
        while len(root):  # Python would free a tree so deep by recursion
            child = root[0]
            del root[0]
            root = child
