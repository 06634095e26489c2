"""The options on which elements a document has: `elements`, `roots`, `root_element`."""

import io
import pickle
import re
import xml.etree.ElementTree as ET
import xml.sax
import xml.sax.handler
from contextlib import suppress
from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree
from support import nearxml
from support.cases import one_in
from support.commands import run_command
from support.outcomes import assert_same_on_all_ways
from support.scaling import assert_scales_linearly
from support.splits import chunkings, chunks
from support.trees import assert_same_content, assert_same_lines, comparable_content, dump

import xml5tree
import xml5tree.ElementTree
import xml5tree.lxml.etree
from xml5tree.dialects import make_settings
from xml5tree.intent.names import Known
from xml5tree.sax import create_parser
from xml5tree.xml.limits import COMMON_LIMITS
from xml5tree.xml.nearness import _are_near, _are_within, is_near
from xml5tree.xml.vocabulary import Vocabulary

pytestmark = pytest.mark.usefixtures("reader")

BACKENDS = ["etree", "lxml"]
ROOTS_START, ROOTS_END = '<xml5tree:roots xmlns:xml5tree="urn:x-xml5tree">', "</xml5tree:roots>"


def repaired(document, **options):
    """The markup and the codes of the errors."""
    repairer = xml5tree.Repairer(**options)
    markup = repairer.feed(document) + repairer.close()
    return markup, [entry.code for entry in repairer.error_log]


def around(content):
    """Put the element that has all roots around them."""
    return ROOTS_START + content + ROOTS_END


# elements ---------------------------------------------------------------------------------------------------------

ELEMENTS = {
    "names that are not known": (
        "<r>x <y>List<String> a</y> <b>bold</b></r>",
        "<r>x <y>List&lt;String> a</y> &lt;b>bold&lt;/b></r>",
        ["assumed-text"] * 3,
    ),
    "a name that begins as a known one": ("<r><re/></r>", "<r>&lt;re/></r>", ["assumed-text"]),
    "a name that goes on after a known one": (
        "<r><yes>a</y></r>",
        "<r>&lt;yes>a</r>",
        ["assumed-text", "unmatched-end-tag"],
    ),
    "another case": ("<r><Y>a</r>", "<r>&lt;Y>a</r>", ["assumed-text"]),
    "a prefix": ("<r><p:y>a</r>", "<r>&lt;p:y>a</r>", ["assumed-text"]),
    "short end tags": ("<r><>a</></r>", "<r>&lt;>a&lt;/></r>", ["invalid-first-character-of-tag-name", "assumed-text"]),
    "digits": ("<r>1<2 3</r>", "<r>1&lt;2 3</r>", ["assumed-text"]),
    "comments and the like": (
        "<r><!--<y>--><![CDATA[<z>]]><?p <z>?></r>",
        "<r><!--<y>--><![CDATA[<z>]]><?p <z>?></r>",
        [],
    ),
    "less-than signs before a tag": (
        "<r><<y/><</r>",
        "<r>&lt;<y/>&lt;</r>",
        ["invalid-first-character-of-tag-name"] * 2,
    ),
    "attributes": ('<r><y k="<z>">a</y></r>', '<r><y k="&lt;z>">a</y></r>', ["less-than-sign-in-attribute-value"]),
    "end tag of a known element": ("<r><y>a</r>", "<r><y>a</y></r>", ["mismatched-end-tag"]),
    "misspelt end tags": (
        "<answer><y>a</Y></anwser>",
        "<answer><y>a</y></answer>",
        ["assumed-end-tag"] * 2,
    ),
    "prefix lost in an end tag": ("<x:z xmlns:x='u'>a</z>", "<x:z xmlns:x='u'>a</x:z>", ["assumed-end-tag"]),
    "end tag of nothing": ("<r>a</ans></r>", "<r>a&lt;/ans></r>", ["assumed-text"]),
    "end tag that is near an outer element": (
        "<answer><y>a</anser></y></answer>",
        "<answer><y>a&lt;/anser></y></answer>",
        ["assumed-text"],
    ),
    "in an entity": (
        "<!DOCTYPE r [<!ENTITY e '<z>b</z><y/>'>]><r>&e;</r>",
        "<!DOCTYPE r><r>&lt;z&gt;b&lt;/z&gt;<y/></r>",
        ["assumed-text"] * 2,
    ),
}
KNOWN = {"r", "y", "answer", "x:z"}


@pytest.mark.parametrize("name", ELEMENTS)
def test_only_these_are_tags(name):
    document, markup, codes = ELEMENTS[name]
    assert repaired(document, elements=KNOWN) == (markup, codes)


NEAR_END_TAGS = {
    "the exact one follows": ("<r><y>a</Y> b</y></r>", "<r><y>a&lt;/Y> b</y></r>", [("assumed-text", "kept")]),
    "a tag between": ("<r><y>a</Y><answer/></y></r>", None, [("assumed-text", "kept")]),
    "the end tag of an inner element between": (
        "<r><y>a</Y><answer></answer></y></r>",
        None,
        [("assumed-text", "kept")],
    ),
    "another element of the name first": (
        "<r><y>a</Y> <y>b</y></r>",
        "<r><y>a</y> <y>b</y></r>",
        [("assumed-end-tag", "kept")],
    ),
    "the parent's end first": ("<r><y>a</Y></r><y>b</y>", None, [("assumed-end-tag", "kept")]),
    "nothing follows": ("<r><y>a</Y> b", None, [("assumed-end-tag", "kept"), ("eof-in-element", "moved")]),
    "nothing follows for long": (f"<r><y>a</Y>{'b' * 5000}</r>", None, [("assumed-end-tag", "moved")]),
    "the exact one is far": (
        f"<r><y>a</Y>{'b' * 5000}</y></r>",
        None,
        [("assumed-end-tag", "moved"), ("unmatched-end-tag", "moved")],
    ),
}


#: What intent, which sees farther, finds first.
NEAR_END_TAGS_OF_INTENT = {
    "nothing follows": ("assumed-text", "kept"),
    "nothing follows for long": ("assumed-end-tag", "kept"),
    "the exact one is far": ("assumed-text", "kept"),
}


def test_near_end_tags_of_names_that_are_void_in_html():
    """Where the caller lists the names, they are slips of these or text, not empty tags of HTML."""
    for document, texts in {
        "<parameter>see </param> here</parameter>": ["see </param> here"],
        "<parameter>x</param><parameter>y</parameter>": ["x", "y"],
        "<parameter>x</param>": ["x"],
    }.items():
        assert [root.text for root in xml5tree.fromstrings(document, elements={"parameter"})] == texts


@pytest.mark.parametrize("name", NEAR_END_TAGS)
@pytest.mark.parametrize("recovery", ["draft", "intent"])
def test_near_end_tags(name, recovery):
    """One is text where the element's own end tag follows, and how certain that is is what its effect says."""
    document, markup, expected = NEAR_END_TAGS[name]
    for size in (1, 7, 100_000):
        repairer = xml5tree.Repairer(elements=KNOWN, roots="all", recovery=recovery)
        found = "".join([*map(repairer.feed, chunks(document, size)), repairer.close()])
        errors = [(entry.code, entry.effect) for entry in repairer.error_log]
        if recovery == "draft":
            assert errors == expected
        assert errors[0] == (NEAR_END_TAGS_OF_INTENT if recovery == "intent" else {}).get(name, expected[0])
        assert found == (found if markup is None else around(markup))


WORDS = st.integers(0, 999).map("w{}w".format)
PARTS = st.one_of(
    WORDS,
    st.sampled_from(["<code>", "</code>", "<item>", "</item>", "<code/>", "<r>", "</r>"]),
    st.sampled_from(["</cod>", "</Code>", "</itm>", "</x:item>", "</codes>", "</", "<", "&amp;", "<b>", "</b>"]),
    st.sampled_from(["<!--{}-->", "<!--{}", "<?p {}?>", "<![CDATA[{}]]>", "</code {}>", "<code k='{}'>"]).flatmap(
        lambda form: WORDS.map(form.format)
    ),
)
MODEL_OUTPUTS = st.lists(PARTS, max_size=12).map("".join)


@given(MODEL_OUTPUTS, st.sampled_from(["draft", "intent"]), st.sampled_from(["first", "all"]))
@example("<code>a <!--w1w--> b</code>", "draft", "all")
@example("<code>a <?p w1w?> b</code>", "draft", "first")
@example("<code>a</cod> w1w</code>", "draft", "first")
def test_what_is_not_in_the_tree_is_in_the_log(document, recovery, roots):
    """No text and no comment is missing without an entry that says so."""
    options = {"elements": {"code", "item", "r"}, "recovery": recovery, "roots": roots}
    for backend in BACKENDS:
        root, log = feed([document], backend=backend, **options)
        if root is None:
            continue
        nodes = list(root.iter())
        if backend == "lxml":
            nodes += [*root.itersiblings(), *root.itersiblings(preceding=True)]
        pieces = [piece for node in nodes for piece in (node.text, node.tail, *node.attrib.values())]
        found = re.findall("w[0-9]+w", " ".join(filter(None, pieces)))
        if log.effect == "kept":
            assert sorted(found) == sorted(re.findall("w[0-9]+w", document))


ENDS = {
    "half a name": ("<r>a<ans", "<r>a&lt;ans</r>", "eof-before-tag-name"),
    "another name": ("<r>a<xns", "<r>a&lt;xns</r>", "assumed-text"),
    "a name": ("<r>a<answer", "<r>a<answer></answer></r>", "eof-in-tag"),
    "an attribute": ("<r>a<answer k='v", '<r>a<answer k="v"></answer></r>', "eof-in-tag"),
    "half an end tag": ("<answer>a</ans", "<answer>a</answer>", "eof-in-tag"),
    "two characters": ("<answer>a</", "<answer>a</answer>", "eof-in-tag"),
    "half another end tag": ("<r>a</ans", "<r>a&lt;/ans</r>", "assumed-text"),
    "a less-than sign": ("<r>a<", "<r>a&lt;</r>", "eof-before-tag-name"),
}


@pytest.mark.parametrize("name", ENDS)
def test_the_end_of_the_document_in_a_tag(name):
    document, markup, code = ENDS[name]
    found, (first, *_) = repaired(document, elements=KNOWN)
    assert (found, first) == (markup, code)
    parser = xml5tree.XMLParser(elements=KNOWN)
    parser.parse_whole(document)
    assert parser.error_log.truncated


def test_the_message_does_not_depend_on_what_comes_later():
    document = "<r>a <strong>b</strong></r>"
    logs = []
    for size in (1, 2, 1000):
        parser = xml5tree.XMLParser(elements={"r", "style"})
        for piece in chunks(document, size):
            parser.feed(piece)
        parser.close()
        logs.append([entry.message for entry in parser.error_log])
    assert logs == [logs[0]] * 3
    assert "'<str'" in logs[0][0]
    assert "'</strong'" in logs[0][1]


def test_any_prefix():
    document = "<f:r xmlns:f='u'><b/><f:b/><g:b/><fb/></f:r>"
    markup, codes = repaired(document, elements={"{*}r", "{*}b"})
    assert markup.count("<") == 5
    assert codes == ["undeclared-namespace-prefix", "assumed-text"]


NEAR = ["item Item", "item itm", "item itme", "item iten", "item items", "dc:title title", "dc:title da:title", "b bb"]
NEAR += ["exclude exlcdue", "arg_value argvalu", "folder fol", "td tdxx"]
NEAR += [
    "w:tbl w:tlb",
    "w:b w:bb",
    "w:b W:B",
    "text:p textp",
    "xsl:if xsl:iff",
    "xsl:element xsl:elem",
    "a:exclude a:exlcdue",
]
FAR = [
    "item tem_s",
    "a b",
    "ab ba",
    "td th",
    "a aab",
    "ul li",
    "exclude included",
    "folder fo",
    "t tit",
    "folder der",
    "x" * 65 + " " + "x" * 64,
    "a ",
    *("w:p w:b", "w:tc w:tr", "w:p w:pPr", "x:b x:ab", "a:folder a:fo", "w:pPr w:rPrs", "w: w:p"),
]


@pytest.mark.parametrize("names", NEAR)
def test_near_names(names):
    one, other = names.split(" ")
    assert is_near(one, other)
    assert is_near(other, one)


@pytest.mark.parametrize("names", FAR)
def test_other_names(names):
    one, other = names.split(" ")
    assert not is_near(one, other)
    assert not is_near(other, one)


def slips_between(one, other):
    """The Damerau-Levenshtein distance, from its definition: letters left out, inserted, replaced and exchanged."""
    if not one or not other:
        return len(one) + len(other)
    ways = [slips_between(one[1:], other[1:]) + (one[0] != other[0])]
    ways += [slips_between(one[1:], other) + 1, slips_between(one, other[1:]) + 1]
    if one[:2] == other[1::-1] and len(one) > 1:
        ways.append(slips_between(one[2:], other[2:]) + 1)
    return min(ways)


def test_slips_are_counted():
    names = ["".join(letters) for length in range(5) for letters in product("abc", repeat=length)]
    for one, other in product(names[::2], names):
        for most in (1, 2):
            assert _are_within(one, other, most) is (slips_between(one, other) <= most), (one, other)


@given(st.text("ab", max_size=7), st.text("ab", max_size=7), st.text("ab", max_size=40), st.text("ab", max_size=20))
def test_slips_are_counted_in_long_names(one, other, before, after):
    for most in (1, 2):
        assert _are_within(before + one + after, before + other + after, most) is (slips_between(one, other) <= most)


def test_long_names_are_not_kept():
    """Names that are compared are remembered, for good: none may be as long as the document."""
    size = _are_near.cache_info().currsize
    assert not is_near("x" * 1000, "y" * 64)
    assert not is_near("x" * 64, "y" * 1000)
    assert _are_near.cache_info().currsize == size


@given(
    st.permutations("abcdefgh"),
    st.sampled_from(["x{1}y{3}{4}{5}{6}", "{0}{1}{2}{3}", "pqrst:{0}{1}{2}{3}{4}{5}{6}", "X{0}{1}"]),
)
def test_names_are_near_listed_ones(letters, pattern):
    """Most pairs are told apart by their letters, without being compared."""
    listed, name = "".join(letters[:7]), pattern.format(*letters)
    for one, other in ((name, listed), (listed, name), (listed, name.upper()), (listed, "x" + listed)):
        near = is_near(one.lower(), other.lower())
        assert Known([b"other", one.encode()]).has_near(other.encode()) == near


NAMES = st.text("ab:é.", min_size=1, max_size=4).filter(lambda name: name[0] != ":")


@given(st.sets(NAMES | NAMES.filter(lambda name: ":" not in name).map("{{*}}{}".format), max_size=4), NAMES)
@example({"{*}a"}, "b:a")
def test_a_vocabulary_and_its_pattern_agree(names, name):
    vocabulary = Vocabulary(names)
    pattern = re.compile(vocabulary.pattern + r"\Z")
    assert bool(pattern.match(name)) == (name in vocabulary)
    encoded = re.compile(pattern.pattern.encode())
    if name in vocabulary:
        assert vocabulary.may_begin(name[:-1])
        assert len(name) <= vocabulary.longest
    assert name in vocabulary or not encoded.match(name.encode())


# roots ------------------------------------------------------------------------------------------------------------

ROOTS = {
    "one": ("<a>x</a>", "<a>x</a>", []),
    "two, and text around them": ("x <a>1</a> y &amp; <b/>z", "x <a>1</a> y &amp; <b/>z", []),
    "none": ("x", "x", []),
    "a section and a reference": ("<![CDATA[<]]>&eacute;<a/>", "<![CDATA[<]]>é<a/>", ["undeclared-entity-reference"]),
    "end tags of nothing": (
        "</a><a/></a></>",
        "<a/>",
        ["unmatched-end-tag"] * 2 + ["missing-end-tag-name", "unmatched-end-tag"],
    ),
    "declarations between them": (
        "<a/><?xml version='1.0'?><!DOCTYPE a><b/>",
        "<a/><b/>",
        ["misplaced-xml-declaration", "unexpected-doctype"],
    ),
    "an element that is not closed": ("<a><b>x", "<a><b>x</b></a>", ["eof-in-element"]),
    "white space": ("x\n <a/> \n", "x\n <a/> \n", []),
}


@pytest.mark.parametrize("name", ROOTS)
def test_all_roots(name):
    document, markup, codes = ROOTS[name]
    assert repaired(document, roots="all") == (around(markup), codes)


def test_the_prolog_stays_before_all_roots():
    prolog = "<?xml version='1.0'?>\n<?p x?><!--c--><!DOCTYPE a [<!ENTITY e 'v'>]> "
    markup, codes = repaired(f"{prolog}<a>&e;</a>&e;<b/>", roots="all")
    assert markup == "<?xml version='1.0'?>\n<?p x?><!--c--><!DOCTYPE a> " + around("<a>v</a>v<b/>")
    assert codes == []
    assert xml5tree.repair("</a><?xml version='1.0'?><a/>", roots="all") == around("<a/>")


def test_no_document_is_without_a_tree():
    for document in ("", "\n", "<!---->", "</a>", b""):
        for backend in BACKENDS:
            root = xml5tree.fromstring(document, roots="all", backend=backend)
            assert root.tag == "{urn:x-xml5tree}roots"
            assert len(root) == 0
            assert xml5tree.fromstrings(document, backend=backend) == []


def test_the_end_of_the_document_in_a_root():
    parser = xml5tree.XMLParser(roots="all")
    parser.parse_whole("x <a><b>y")
    (entry,) = parser.error_log
    assert "all open elements were closed (2)" in entry.message
    assert parser.error_log.truncated
    parser.parse_whole("x <a><b k='>y</a>")
    assert not parser.error_log.truncated


@pytest.mark.parametrize("backend", BACKENDS)
def test_lines_are_kept_where_text_comes_first(backend):
    document = "one\ntwo\n<a\n/>x\n<b/>"
    root = xml5tree.fromstring(document, roots="all", backend="lxml")
    assert [child.sourceline for child in root] == [4, 5]
    assert [record.line for record in xml5tree.records([document], "a", roots="all", backend=backend)] == [3]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_roots_one_by_one(backend, size):
    document = "t <a xmlns:p='u'>1<p:b/></a> t <!--c--><?p?><b>2</b>\n<c/> t <d>3<e>"
    api = ET if backend == "etree" else etree
    expected = [b"2", b"", b"3"]
    with xml5tree.iterroots(chunks(document, size), backend=backend) as found:
        roots = list(found)
        assert [entry.code for entry in found.error_log] == ["eof-in-element"]
    whole = xml5tree.fromstrings(document, backend=backend)
    assert [api.tostring(root) for root in roots] == [api.tostring(root) for root in whole]
    assert [root.tag for root in roots] == ["a", "b", "c", "d"]
    assert [(root.text or "").encode() for root in roots[1:]] == expected
    assert [root.tail for root in roots] == [None] * 4
    if backend == "lxml":
        assert [root.getroottree().getroot() is root for root in roots] == [True] * 4


@pytest.mark.parametrize("backend", BACKENDS)
def test_roots_that_are_done_with_are_not_kept(backend):
    stream = xml5tree.iterroots(("<a>x</a> text " for _ in range(5000)), backend=backend)
    assert sum(1 for _ in stream) == 5000
    assert len(stream._wrapper) == 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_prefix_of_the_element_around_is_not_the_documents(backend):
    """It is bound in the markup alone: who uses it is told that nobody has declared it."""
    document = "<a>x</a><xml5tree:b/><c xmlns:xml5tree='urn:own'><xml5tree:d/></c>"
    for pieces in ([document], list(chunks(document, 1))):
        parser = xml5tree.XMLParser(roots="all", backend=backend)
        around = parser.parse_parts(pieces)
        tags = [element.tag for element in around.iter()]
        assert tags[2:] == ["{urn:x-undeclared-prefix:xml5tree}b", "c", "{urn:own}d"]
        assert [entry.code for entry in parser.error_log] == ["undeclared-namespace-prefix"]
    roots = xml5tree.fromstrings(document, backend=backend)
    streamed = list(xml5tree.iterroots(io.StringIO(document), backend=backend))
    library = etree if backend == "lxml" else ET
    for first, *_ in (roots, streamed):
        assert library.tostring(first) == b"<a>x</a>"
        assert getattr(first, "nsmap", {}) == {}


def test_a_parser_of_several_roots():
    parser = xml5tree.XMLParser(roots="all")
    assert [root.tag for root in xml5tree.fromstrings("<a>&<b/></a><c/>", parser=parser)] == ["a", "c"]
    assert [entry.code for entry in parser.error_log] == ["unescaped-ampersand"]
    with pytest.raises(ValueError, match='roots="all"'):
        xml5tree.fromstrings("<a/>", parser=xml5tree.XMLParser())
    with pytest.raises(ValueError, match='roots="all"'):
        xml5tree.fromstrings("<a/>", roots="first")
    with pytest.raises(ValueError, match='roots="all"'):
        xml5tree.iterroots(["<a/>"], roots="first")
    with pytest.raises(TypeError, match="target"):
        xml5tree.fromstrings("<a/>", parser=xml5tree.XMLParser(roots="all", target=ET.TreeBuilder()))


# root -------------------------------------------------------------------------------------------------------------

WARNING = "<br />\n<b>Warning</b>:  x() expects a<b in <b>/srv/x.php</b> on line <b>7</b><br />\n"
ROOT = {
    "a warning": (WARNING + "<rss>x</rss>", "<rss>x</rss>", ["assumed-junk"]),
    "a warning before the declaration": (
        WARNING + "<?xml version='1.0'?>\n<!DOCTYPE rss [<!ENTITY e 'v'>]><!--c--><rss>&e;</rss>",
        "<!DOCTYPE rss><!--c--><rss>v</rss>",
        ["assumed-junk"],
    ),
    "what would swallow the root": ("if a<b then <rss k='v'/>", "<rss k='v'/>", ["assumed-junk"]),
    "an unclosed comment": ("x <!-- <rss>y</rss>", "<rss>y</rss>", ["assumed-junk"]),
    "comments in junk": ("x<!--c--><rss/>", "<rss/>", ["assumed-junk"]),
    "a prolog": ("<?xml version='1.0'?><!--<rss>--><?p?><rss/>", "<?xml version='1.0'?><!--<rss>--><?p?><rss/>", []),
    "another name": ("<rssx><rss-x><rss/>", "<rss/>", ["assumed-junk"]),
    "the first of several": ("<a><feed/><rss/>", "<feed/>", ["assumed-junk", "element-after-root"]),
    "half a root": ("x<rss", "<rss></rss>", ["assumed-junk", "eof-in-tag", "eof-in-element"]),
    "no junk": ("\n<rss/>", "\n<rss/>", []),
}


@pytest.mark.parametrize("name", ROOT)
def test_the_document_begins_at_its_root(name):
    document, markup, codes = ROOT[name]
    for size in (1, 3, 10_000):
        repairer = xml5tree.Repairer(root_element={"rss", "feed"})
        found = "".join([*map(repairer.feed, chunks(document, size)), repairer.close()])
        assert (found, [entry.code for entry in repairer.error_log]) == (markup, codes)


def test_junk_is_one_entry_for_each_part():
    parser = xml5tree.XMLParser(root_element="rss")
    parser.parse_whole("\n junk & <b> <?xml version='1.0'?>\nmore<rss/>")
    first, second = parser.error_log
    assert (first.code, first.line, first.column, first.effect) == ("assumed-junk", 2, 1, "kept")
    assert first.message.endswith(": 32 characters")
    assert (second.code, second.line, second.column, second.effect) == ("assumed-junk", 3, 0, "lost")
    assert second.message.endswith(": 4 characters")


@pytest.mark.parametrize("after", ["<?xml version='1.0'?><rss/>", "<!DOCTYPE rss><rss/>", "<rss/>"])
def test_what_precedes_a_declaration_is_no_content(after):
    for size in (1, 5, 1000):
        repairer = xml5tree.Repairer(root_element="rss")
        for piece in [*chunks(f"Warning: x\n{after}", size)]:
            repairer.feed(piece)
        repairer.close()
        assert repairer.error_log[0].effect == ("lost" if after == "<rss/>" else "kept")


def test_a_document_without_that_root():
    for document in ("<a/>", "x", "", "<rs", "<!---->"):
        with pytest.raises(xml5tree.ParseError, match="no start tag <feed> or <rss>") as caught:
            xml5tree.fromstring(document, root_element=["rss", "feed"])
        assert caught.value.code == "no-root-element"


def test_a_name_alone_or_several():
    assert xml5tree.repair("x<p:rss/>", root_element="{*}rss").startswith("<p:rss ")
    assert xml5tree.repair("x<rss/>y", root_element="rss", roots="all", elements=["rss"]) == around("<rss/>y")


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_native_parser_is_tried_where_the_root_is_the_right_one(backend, monkeypatch):
    def make_pipeline(*arguments, **options):
        raise LookupError("a pipeline is asked for")

    dialect, _ = make_settings({})
    monkeypatch.setattr(type(dialect), "make_pipeline", make_pipeline)
    for document in ("<rss/>", b"\xef\xbb\xbf<?xml version='1.0'?><!--<a>--><rss k='v'/>"):
        assert xml5tree.fromstring(document, root_element="rss", backend=backend).tag == "rss"
    for document, options in {
        "<a><rss/></a>": {"root_element": "rss"},
        "<rssx/>": {"root_element": "rss"},
        "<a/>": {"elements": {"a"}},
        "<b/>": {"roots": "all"},
    }.items():
        with pytest.raises(LookupError, match="a pipeline"):
            xml5tree.fromstring(document, backend=backend, **options)


# The options as such ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "options"),
    [
        (TypeError, {"elements": "a"}),
        (TypeError, {"elements": 1}),
        (TypeError, {"elements": [b"a"]}),
        (ValueError, {"elements": ["a b"]}),
        (ValueError, {"elements": [""]}),
        (ValueError, {"elements": ["<a"]}),
        (ValueError, {"elements": ["{u}a"]}),
        (ValueError, {"elements": ["{*}p:a"]}),
        (ValueError, {"roots": "last"}),
        (TypeError, {"root_element": 1}),
        (ValueError, {"root_element": []}),
        (ValueError, {"root_element": "a/"}),
        (ValueError, {"root_element": "a", "elements": ["b"]}),
        (ValueError, {"root_element": "a", "dialect": "html"}),
        (ValueError, {"elements": ["a"], "dialect": "microxml"}),
        (ValueError, {"roots": "all", "dialect": "leafxml"}),
        (ValueError, {"roots": "all", "recovery": "strict"}),
    ],
)
def test_bad_values(error, options):
    with pytest.raises(error):
        xml5tree.fromstring("<a/>", **options)


def test_lxml_cannot_be_left_such_documents():
    with pytest.raises(ValueError, match="load_dtd"):
        xml5tree.lxml.etree.XMLParser(load_dtd=True, elements={"a"})


def test_settings_can_be_pickled():
    _, settings = make_settings({"elements": frozenset({"a"}), "roots": "all", "root_element": "a"})
    assert pickle.loads(pickle.dumps(settings)) == settings


def test_the_element_around_the_roots_counts_as_a_level():
    root = xml5tree.fromstring("<a><b><c/></b></a>", roots="all", max_depth=3)
    assert [[element.tag for element in child.iter()] for child in root] == [["a", "b", "c"]]
    assert [child.tag for child in root[0]] == ["b", "c"]


OPTIONS = {"elements": {"a", "b"}, "roots": "all", "root_element": "a"}
DOCUMENT = "junk <b/> <a>List<int></A> and <b>x</b>"
CONTENT = ["List<int>", " and ", "x"]


class Handler(xml.sax.handler.ContentHandler):
    """Collects text."""

    def __init__(self):
        super().__init__()
        self.text = ""

    def characters(self, content):
        self.text += content


def by_sax():
    parser = create_parser(**OPTIONS)
    handler = Handler()
    parser.setContentHandler(handler)
    parser.feed(DOCUMENT)
    parser.close()
    return handler.text


def by_parser(parser):
    parser.feed(DOCUMENT)
    return parser.close()


def by_file():
    with xml5tree.open([DOCUMENT.encode()], **OPTIONS) as file:
        return ET.parse(file).getroot()


DOORS = {
    "fromstring": lambda: xml5tree.fromstring(DOCUMENT, **OPTIONS),
    "fromstring, lxml": lambda: xml5tree.fromstring(DOCUMENT.encode(), backend="lxml", **OPTIONS),
    "fromstringlist": lambda: xml5tree.fromstringlist(DOCUMENT, **OPTIONS),
    "parse": lambda: xml5tree.parse(io.StringIO(DOCUMENT), **OPTIONS).getroot(),
    "XMLParser": lambda: by_parser(xml5tree.XMLParser(**OPTIONS)),
    "XMLParser, target": lambda: by_parser(xml5tree.XMLParser(target=ET.TreeBuilder(), **OPTIONS)),
    "XMLParser, parser object": lambda: by_parser(xml5tree.XMLParser(backend=ET.XMLParser(), **OPTIONS)),
    "XMLPullParser": lambda: by_parser(xml5tree.XMLPullParser(**OPTIONS)),
    "iterparse": lambda: list(xml5tree.iterparse([DOCUMENT], **OPTIONS))[-1][1],
    "repair": lambda: ET.fromstring(xml5tree.repair(DOCUMENT, **OPTIONS)),
    "open": by_file,
    "sax": by_sax,
    "ElementTree": lambda: xml5tree.ElementTree.fromstring(DOCUMENT, **OPTIONS),
    "ElementTree, parser": lambda: by_parser(xml5tree.ElementTree.XMLParser(**OPTIONS)),
    "lxml": lambda: xml5tree.lxml.etree.fromstring(DOCUMENT, xml5tree.lxml.etree.XMLParser(**OPTIONS)),
    "lxml, fed": lambda: by_parser(xml5tree.lxml.etree.XMLParser(**OPTIONS)),
    "lxml, iterparse": lambda: list(xml5tree.lxml.etree.iterparse(io.BytesIO(DOCUMENT.encode()), **OPTIONS))[-1][1],
}


@pytest.mark.parametrize("name", DOORS)
def test_every_door_takes_them(name):
    found = DOORS[name]()
    assert (found if isinstance(found, str) else "".join(found.itertext())) == "".join(CONTENT)


def test_records_take_them():
    records = xml5tree.records([DOCUMENT], "b", **OPTIONS)
    assert [dict(record) for record in records] == [{"#text": "x"}]


# Commands -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "answer.txt"
    path.write_text(DOCUMENT)
    return path


FLAGS = ("--elements", "a,b", "--roots", "all", "--root-element", "a")


def test_commands_take_them(path):
    assert run_command("repair", *FLAGS, path).out == around("<a>List&lt;int></a> and <b>x</b>")
    assert "assumed-junk" in run_command("check", *FLAGS, path).out
    assert run_command("xpath", "//b", *FLAGS, path).out == "x\n"
    assert 'a "List<int>"' in run_command("tree", *FLAGS, path).out
    assert run_command("records", "--tag", "b", *FLAGS, path).out == '{"#text": "x"}\n'
    assert run_command("repair", "--diff", *FLAGS, path).out.count("\n+") == 2
    page = path.with_name("page.html")
    assert run_command("report", "-o", page, *FLAGS, path).status in {0, 2}
    assert "why-assumed-text" in page.read_text()


def test_names_from_a_file(path):
    sample = path.with_name("sample.xml")
    sample.write_text("<a><b/></a>")
    assert run_command("repair", "--elements", f"@{sample}", "--roots", "all", path).out == around(
        "junk <b/> <a>List&lt;int></a> and <b>x</b>"
    )


def test_commands_refuse_what_does_not_go_together(path):
    for flags in (
        ("--root-element", "c", "--elements", "a"),
        ("--dialect", "microxml", "--root-element", "a"),
        ("--elements", ","),
    ):
        assert run_command("repair", *flags, path).status == 3
    assert run_command("repair", "--elements", f"@{path}.not", path).status == 3


# Names from samples and schemas ---------------------------------------------------------------------------------------

SAMPLE = "<a xmlns='u' xmlns:p='v'><p:b/><c><!--n--><?p?><c/></c></a>"
DTD = """<?xml version="1.0" encoding="utf-8"?><!-- <!ELEMENT no ANY> -->
<!ENTITY % prefix "p:"><!ENTITY % name '%prefix;b'><!ENTITY text "<no/>">
<!ELEMENT a (%name;, c?)><!ELEMENT %name; EMPTY>
<!ELEMENT   c
 (#PCDATA)><!ATTLIST a k CDATA #IMPLIED><!ELEMENT %unknown; ANY>"""
SCHEMA = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:o="v"{}>
<xs:element name="a"><xs:complexType><xs:sequence><xs:element name="c" type="xs:string"/><xs:element ref="o:b"/>
</xs:sequence></xs:complexType></xs:element></xs:schema>"""


def test_known_elements(tmp_path):
    raw = {"a", "p:b", "c"}
    assert xml5tree.known_elements(etree.fromstring(SAMPLE)) == raw
    assert xml5tree.known_elements(etree.ElementTree(etree.fromstring(SAMPLE))) == raw
    assert xml5tree.known_elements(ET.fromstring(SAMPLE)) == {"{*}a", "{*}b", "{*}c"}
    assert xml5tree.known_elements(ET.ElementTree(ET.fromstring("<a><b/></a>"))) == {"a", "b"}
    for text in (SAMPLE, SAMPLE.replace("</c>", ""), DTD):
        assert xml5tree.known_elements(io.StringIO(text)) == raw
        path = tmp_path / "file"
        path.write_text(text)
        assert xml5tree.known_elements(path) == xml5tree.known_elements(str(path)) == raw
    assert xml5tree.known_elements(io.BytesIO(DTD.encode("utf-16"))) == raw


def test_known_elements_of_a_schema():
    assert xml5tree.known_elements(io.StringIO(SCHEMA.format(""))) == {"a", "c", "{*}b"}
    assert xml5tree.known_elements(ET.fromstring(SCHEMA.format(' targetNamespace="u"'))) == {"{*}a", "{*}c", "{*}b"}


def test_known_elements_of_something_else():
    with pytest.raises(TypeError):
        xml5tree.known_elements(7)
    with pytest.raises(xml5tree.ParseError):
        xml5tree.known_elements(io.StringIO("nothing"))
    with pytest.raises(OSError, match="No such"):
        xml5tree.known_elements("no/such/file")


def test_entities_in_names_are_bounded():
    dtd = '<!ENTITY % e0 "xx">' + "".join(f'<!ENTITY % e{n} "%e{n - 1};%e{n - 1};">' for n in range(1, 60))
    assert xml5tree.known_elements(io.StringIO(dtd + "<!ELEMENT %e59; ANY><!ELEMENT a ANY>")) == {"a"}


# Properties ---------------------------------------------------------------------------------------------------------

ANY_DOCUMENT = nearxml.documents() | nearxml.near_markup()
SOME_NAMES = st.sets(
    st.sampled_from(["a", "b", "item", "x-1", "é", "日本語", "p:a", "{*}b", "dc:title", "a$"]), min_size=1
)
SOME_OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "recovery": st.just("intent"),
        "elements": SOME_NAMES,
        "roots": st.just("all"),
        "root_element": st.sampled_from(["a", "b", "{*}item"]),
    },
).map(lambda options: consistent(**options))


def consistent(**options):
    """Have the root among the elements."""
    if "root_element" in options and "elements" in options:
        options["elements"] = options["elements"] | {options["root_element"]}
    return options


def feed(pieces, **options):
    parser = xml5tree.XMLParser(**options)
    try:
        for piece in pieces:
            parser.feed(piece)
        root = parser.close()
    except xml5tree.ParseError as error:
        assert error.code == "no-root-element"
        assert options.get("roots") != "all" or "root_element" in options
        return None, parser.error_log
    return root, parser.error_log


def text_of(markup):
    """The end of the markup, which is bytes if nothing was fed."""
    return markup if isinstance(markup, str) else markup.decode()


@given(st.data())
def test_i4_chunks_and_i6_lanes(data):
    document, options = data.draw(ANY_DOCUMENT), data.draw(SOME_OPTIONS)
    pieces = data.draw(chunkings(document))
    assert_same_on_all_ways(document, pieces, options)


@given(ANY_DOCUMENT, SOME_OPTIONS)
def test_i1_total_and_i3_backends_agree(document, options):
    on_etree, log = feed([document], backend="etree", attribute_defaults=True, **options)
    on_lxml, _ = feed([document], backend="lxml", attribute_defaults=True, **options)
    assert (on_etree is None) == (on_lxml is None)
    if on_etree is not None:
        assert_same_lines(comparable_content(on_lxml), comparable_content(on_etree))
    assert log.total == len(log)


@given(ANY_DOCUMENT, SOME_OPTIONS)
def test_i5_round_trip(document, options):
    try:
        markup = xml5tree.repair(document, **options)
    except xml5tree.ParseError:
        return
    assert_same_content(etree.fromstring(markup.encode(), etree.XMLParser(collect_ids=False)), ET.fromstring(markup))
    repairer = xml5tree.Repairer()
    assert repairer.feed(markup) + repairer.close() == markup
    assert repairer.error_log == []


@given(ANY_DOCUMENT)
def test_all_names_and_the_right_root_change_nothing(document):
    """A document whose names are all known, and whose root is, is read as without the options."""
    expected, log = feed([document], backend="lxml")
    if expected is None or log:
        return
    known = xml5tree.known_elements(expected)
    (root,) = xml5tree.known_elements(etree.Element(expected.tag, nsmap=expected.nsmap))
    found, errors = feed([document], backend="lxml", elements=known, root_element=root)
    assert errors == []
    assert dump(found) == dump(expected)


@given(ANY_DOCUMENT)
def test_only_known_names_are_in_the_tree(document):
    root = xml5tree.fromstring(document, backend="lxml", elements={"a", "item"}, roots="all")
    tags = {element.tag.rpartition("}")[2] for element in root.iter() if isinstance(element.tag, str)}
    assert tags <= {"a", "item", "roots"}


@given(st.data())
def test_roots_are_those_of_the_whole_document(data):
    document = data.draw(ANY_DOCUMENT)
    pieces = data.draw(chunkings(document))
    for backend in BACKENDS:
        root = xml5tree.fromstring(document, backend=backend, roots="all")
        expected = [without_tail(child) for child in root if isinstance(child.tag, str)]
        assert [dump(child) for child in xml5tree.fromstrings(document, backend=backend)] == expected
        assert [dump(child) for child in xml5tree.iterroots(pieces, backend=backend)] == expected


def without_tail(element):
    lines = dump(element)
    return lines[:-1] if element.tail is not None else lines


def test_limits_are_those_of_the_reader():
    dialect, settings = make_settings({"roots": "all", "elements": {"a"}, "max_depth": 10_000})
    pipeline = dialect.make_pipeline(settings, COMMON_LIMITS, for_tree=False)
    markup = b"".join([*pipeline.feed("<a>" * 5000), *pipeline.close()])
    assert etree.fromstring(markup, etree.XMLParser(huge_tree=True)) is not None


FAMILIES = [
    "<",
    "<a",
    "</a",
    "<a ",
    "</aaaaaaaaaaaab",
    "<aé",
    "<rss",
    "<?xml <",
    "<?",
    "<!-- ",
    "<!DOCTYPE",
    "x<y ",
    "<b>",
    "&",
]


@pytest.mark.parametrize(("part", "size"), one_in(3, product(FAMILIES, [1, 1000])))
def test_linear_time(part, size):
    """Time grows with the document, for what may become a tag or the root and does not."""

    def repair(document, **options):
        repairer = xml5tree.Repairer(**options)
        for piece in chunks(document, size):
            repairer.feed(piece)
        with suppress(xml5tree.ParseError):
            repairer.close()

    def repair_in_both_ways(document):
        repair(document, elements={"aaaaaaaaaaaaa", "b"}, roots="all", max_depth=20)
        repair(document, root_element={"rss", "{*}feed"})

    few = 100 if size > 1 else max(20, 100 // len(part))
    slack = 3 if size > 1 else 2.2
    assert_scales_linearly(repair_in_both_ways, lambda count: part * count, few, factor=8, slack=slack, floor=0.002)


def test_with_recovery_by_intent():
    document = "Sure: <r><item>List<int></itm><item>b<item>c</item></r> <r x=1/>"
    for size in (1, 1000):
        repairer = xml5tree.Repairer(recovery="intent", elements={"r", "item"}, roots="all")
        markup = "".join([*map(repairer.feed, chunks(document, size)), repairer.close()])
        assert markup == around('Sure: <r><item>List&lt;int></item><item>b</item><item>c</item></r> <r x="1"/>')


def test_what_only_begins_like_markup_is_text():
    """`<!` that begins no comment, section or DOCTYPE swallowed what followed."""
    document = "<answer>a<!done && b</answer> and <answer>2</answer>"
    for size in (1, 3, 1000):
        repairer = xml5tree.Repairer(elements={"answer"}, roots="all")
        found = "".join([*map(repairer.feed, chunks(document, size)), repairer.close()])
        assert "a&lt;!done &amp;&amp; b</answer> and <answer>2</answer>" in found


@pytest.mark.parametrize("recovery", ["draft", "intent"])
def test_doctype_in_content_is_text(recovery):
    """Pages about HTML lost it, and unfinished ones what followed."""
    document = "Use <!DOCTYPE html> or <!DOCTYPE to begin.\n<answer>a <!DOCTYPE b</answer>"
    for size in (1, 3, 1000):
        repairer = xml5tree.Repairer(recovery=recovery, elements={"answer"}, roots="all")
        found = "".join([*map(repairer.feed, chunks(document, size)), repairer.close()])
        assert found == around(document.replace("<!", "&lt;!"))
        assert [(entry.code, entry.effect) for entry in repairer.error_log] == [("assumed-text", "kept")] * 3
    markup, codes = repaired("<!DOCTYPE a><a>b<!DOCTYPE c></a>", recovery=recovery, elements={"a"})
    assert (markup, codes) == ("<!DOCTYPE a><a>b&lt;!DOCTYPE c></a>", ["assumed-text"])


@pytest.mark.parametrize("opening", ["<!--", "<![CDATA[", "<?php", "<?", "<?xml"])
def test_sections_without_an_end_are_text(opening):
    """They swallowed the known elements that followed."""
    templates = ["Use {} to begin.\n<answer>42</answer>", "<answer>a {} b</answer><answer/>c"]
    for template in templates[: 1 if opening == "<![CDATA[" else 2]:
        document = template.format(opening)
        for size in (1, 3, 1000):
            repairer = xml5tree.Repairer(recovery="intent", elements={"answer"}, roots="all")
            found = "".join([*map(repairer.feed, chunks(document, size)), repairer.close()])
            assert found == around(document.replace(opening, opening.replace("<", "&lt;")))
            assert [(entry.code, entry.effect) for entry in repairer.error_log] == [("assumed-text", "kept")]
    root = xml5tree.fromstring(f"Use {opening} to begin.\n<answer>42</answer>", recovery="intent", elements={"answer"})
    assert root.text == "42"


def test_cdata_section_that_its_element_ends():
    """Its content is kept without the opening."""
    markup, codes = repaired(
        "<answer><![CDATA[a<b</answer><answer/>", recovery="intent", elements={"answer"}, roots="all"
    )
    assert (markup, codes) == (around("<answer><![CDATA[a<b]]></answer><answer/>"), ["assumed-end-of-section"])


@pytest.mark.parametrize("section", ["<!-- <answer> -->", "<![CDATA[ <answer> ]]>", "<?p <answer> ?>", "<!-- <b>x"])
def test_sections_that_hide_no_known_tag(section):
    """They have an end, or no tag that they could have swallowed."""
    options = {"elements": {"answer"}, "roots": "all"}
    for document in (f"a {section}", f"<answer>b</answer>{section}"):
        assert repaired(document, recovery="intent", **options) == repaired(document, recovery="draft", **options)


def test_a_declaration_that_is_not_closed_costs_no_document():
    parser = xml5tree.XMLParser(roots="all")
    around = parser.parse_whole('<a/><?xml version="1.0"?><b/><?xml version="1.0"><c>d</c><?xml version="1.0"?><e/>')
    assert [child.tag for child in around if isinstance(child.tag, str)] == ["a", "b", "e"]
    repaired = xml5tree.repair('<a/><?xml version="1.0"><c>d</c><?xml version="1.0"?><e/>', roots="all")
    assert "<c>d</c>" in repaired


@pytest.mark.parametrize(
    "declared",
    ["<!ELEMENT {x} ANY><!ELEMENT b ANY>", "<!ELEMENT :a ANY><!ELEMENT b ANY>", "<!ELEMENT b ANY>" + "<!--" * 9],
)
def test_known_elements_can_be_given_to_elements(declared):
    names = xml5tree.known_elements(io.StringIO(declared))
    assert names == {"b"}
    xml5tree.XMLParser(elements=names)


def test_comments_of_a_dtd_that_are_not_closed_take_linear_time():
    assert_scales_linearly(
        lambda text: xml5tree.known_elements(io.StringIO(text)),
        lambda n: "<!ELEMENT a ANY>" + "<!--" * n,
        1000,
        factor=8,
        slack=3,
    )


@pytest.mark.parametrize(
    "options",
    [{"root_element": "answer"}, {"elements": {"answer"}}, {"elements": {"answer", "x"}, "root_element": "answer"}],
)
def test_no_element_of_another_name_is_assumed(options):
    """The name of the last end tag is no root element's, as the caller says."""
    document = "<results n='5'><answer>a</answer><answer>b</answer></results>"
    markup = xml5tree.repair(document, recovery="intent", **options)
    assert markup == "<answer>a</answer>" == xml5tree.repair(markup, recovery="intent", **options)
    assert "<x>" not in xml5tree.repair("<r><a/>1</x></r>", recovery="intent", elements={"r", "a"})


@pytest.mark.parametrize(
    "prose", ["\nI closed it with </answer>.", " I wrote </answer> and then </answer>.", " </answer> x </answer> y"]
)
def test_an_end_tag_in_prose_begins_no_element(prose):
    """Only markup shows that a start tag is missing around known elements."""
    document = f"<answer>42</answer>{prose}"
    assert [root.text for root in xml5tree.fromstrings(document, elements={"answer"})] == ["42"]
