"""The invariants of docs/internals/architecture.md for `recovery="intent"`, over generated documents."""

from collections import Counter
from contextlib import contextmanager
from unittest import mock

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from lxml import etree
from support import nearxml
from support.brokenrecords import broken_records, records
from support.splits import chunkings, chunks
from support.trees import assert_same_content, assert_same_lines, comparable_content

import xml5tree
from compat.lanes import LANES, lane
from xml5tree.intent import meaning
from xml5tree.intent.search import Search

#: Declarations that change tags of the records: they add attributes, and have the states read the values of others.
DOCTYPE = """<!DOCTYPE feed [
<!ATTLIST item kind CDATA "x" lang CDATA 'en'> <!ATTLIST deeper k CDATA "&lt;]"> <!ATTLIST br k CDATA "">
<!ATTLIST row a NMTOKEN #IMPLIED> <!ATTLIST été k CDATA "é">
]>"""
#: Some of the names in these.
NAMES = {"feed", "item", "title", "b", "i", "deep", "été", "a", "e"}
ANY_TEXT = broken_records(8) | nearxml.near_markup()
ANY_DOCUMENT = broken_records() | nearxml.documents() | nearxml.near_markup() | nearxml.byte_documents()
KNOWN = {"never_nest": {"item", "{*}a", "deep"}, "empty": {"b", "i"}}
OPTIONS = st.sampled_from(
    [
        *[{}, {"roots": "all"}, {"elements": NAMES}, {"elements": NAMES, "roots": "all"}, {"attribute_defaults": True}],
        *[KNOWN, {**KNOWN, "roots": "all"}],
    ]
)


@contextmanager
def python_search():
    """Have the search run in Python."""
    with mock.patch.object(meaning, "compiled", None):
        yield


def repaired(pieces, recovery="intent", **options):
    """Markup, None where there is no root element, and log of a document that is fed in pieces."""
    repairer = xml5tree.Repairer(recovery=recovery, **options)
    try:
        markup = [*map(repairer.feed, pieces), repairer.close()]
    except xml5tree.ParseError as error:
        assert error.code in {"no-root-element", "not-xml"}
        return None, list(repairer.error_log)
    return markup[-1][:0].join(markup), list(repairer.error_log)


def parsed(document, backend="etree", recovery="intent"):
    """The tree of a document, or None where it has no root element, and the log."""
    parser = xml5tree.XMLParser(recovery=recovery, backend=backend, attribute_defaults=True)
    try:
        parser.feed(document)
        return parser.close(), parser.error_log
    except xml5tree.ParseError as error:
        assert error.code in {"no-root-element", "not-xml"}
        return None, parser.error_log


@given(ANY_DOCUMENT)
def test_i1_total_and_i3_backends_agree(document):
    on_etree, log = parsed(document)
    on_lxml, log_of_lxml = parsed(document, "lxml")
    assert (on_etree is None) == (on_lxml is None)
    if on_etree is not None:
        assert_same_lines(comparable_content(on_lxml), comparable_content(on_etree))
    codes = [[entry.code for entry in entries if entry.code.startswith("assumed-")] for entries in (log, log_of_lxml)]
    assert codes[0] == codes[1]


@given(records() | nearxml.well_formed_documents())
def test_i2_well_formed_documents_are_read_as_in_the_draft(document):
    for name in LANES:
        with lane(name):
            assert repaired([document]) == repaired([document], "draft")


@given(records(most=60), st.sampled_from(["</item>", "<b>", "<", '"', "&"]), st.data())
def test_i2_what_is_far_before_the_first_fault(document, slip, data):
    """What is farther before the fault than can be seen is read as in the draft, log included."""
    document = document.replace("<channel>", "<channel>" + "<item><title>x</title></item>" * 4000)
    place = data.draw(st.integers(110_000, len(document)))
    markup, log = repaired(chunks(document[:place] + slip + document[place:], 10_000))
    begun = xml5tree.Repairer(recovery="draft").feed(document[:60_000])
    assert markup.startswith(begun)
    assert [entry for entry in log if entry.offset < 60_000] == []


@given(data=st.data(), options=OPTIONS)
def test_i4_chunks_and_i6_ways_agree(data, options):
    """Neither pieces nor what reads and searches, compiled or not, make a difference."""
    texts = [DOCTYPE] if "attribute_defaults" in options else ["prose < &amp; prose "] if "roots" in options else []
    document = "".join([*texts, data.draw(ANY_TEXT)]) if options else data.draw(ANY_DOCUMENT)
    pieces = data.draw(chunkings(document))
    results = []
    for name in LANES:
        with lane(name):
            results += [repaired(parts, **options) for parts in ([document], pieces)]
    with python_search():
        results.append(repaired(pieces, **options))
    assert results[1:] == results[:-1]


@given(data=st.data(), options=OPTIONS)
def test_i4_whole_documents_are_read_as_in_parts(data, options):
    """Where no edit is found in a whole document, it has no stage for edits, which makes no difference."""
    document = data.draw(ANY_TEXT if options else ANY_DOCUMENT)
    log = []
    try:
        markup = xml5tree.repair(document, on_error=log.append, **options)
    except xml5tree.ParseError:
        markup = None
    if log:  # else it is well-formed, and its repair may be itself
        fed, entries = repaired([document], **options)
        assert (markup, sorted(log, key=str)) == (fed, sorted(entries, key=str))
        fed, entries = parsed(document, "lxml")
        root_log = []
        try:
            root = xml5tree.fromstring(document, backend="lxml", attribute_defaults=True, on_error=root_log.append)
        except xml5tree.ParseError:
            assert fed is None
        else:
            assert etree.tostring(root) == etree.tostring(fed)
            assert sorted(root_log, key=str) == sorted(entries, key=str)


@given(ANY_DOCUMENT)
def test_i5_markup_is_well_formed_and_stays_as_it_is(document):
    markup, _ = repaired([document])
    assume(markup is not None)
    data = markup if isinstance(markup, bytes) else markup.encode()
    assert_same_content(
        etree.fromstring(data, etree.XMLParser(recover=False, collect_ids=False)), xml5tree.fromstring(data)
    )
    assert repaired([markup]) == (markup, [])


@given(ANY_DOCUMENT)
def test_i8_nothing_silent(document):
    """Where something departs from the draft, the log says so."""
    markup, log = repaired([document])
    if not any(entry.code.startswith("assumed-") for entry in log):
        in_draft, draft_log = repaired([document], "draft")
        # Prefixes are declared on the root, so that errors at one place may come in another order.
        assert (markup, sorted(log, key=str)) == (in_draft, sorted(draft_log, key=str))


#: Where these are assumed, the draft has markup in names, texts and values, or a start tag where an end tag was meant.
MARKUP_IN_THE_DRAFT = ("assumed-end-of-", "assumed-end-tag", "assumed-name", "assumed-reference", "coerced-")
#: Letters of references and declarations, which the draft may have as text.
OF_MARKUP = set("ampltgquosnbxACDTXMLEIYF")


def letters(root):
    """How often the tree has each letter in names, values and texts."""
    found = Counter()
    for element in root.iter():
        parts = [element.text, element.tail]
        if isinstance(element.tag, str):
            parts += [element.tag.rpartition("}")[2], *element.attrib, *element.attrib.values()]
        found.update(letter for part in parts for letter in part or "" if letter.isalpha() and letter not in OF_MARKUP)
    return found


@given(broken_records() | nearxml.documents() | nearxml.near_markup())
def test_i9_no_harm(document):
    """What the draft's tree has is there, too, unless an entry says that content is lost."""
    (of_draft, draft_log), (of_intent, log) = (parsed(document, recovery=recovery) for recovery in ("draft", "intent"))
    assume(of_draft is not None)
    assume(of_intent is not None)
    codes = {entry.code for entries in (draft_log, log) for entry in entries}
    if log.effect != "lost" and not any(code.startswith(MARKUP_IN_THE_DRAFT) for code in codes):
        assume("xmlns" not in document)
        assert letters(of_draft) <= letters(of_intent)


@pytest.mark.parametrize(
    "document",
    [
        "<&a:b;?XML version='1.0'?>",
        "2<3",
        "<b x='1'/><!DOCTYPE z>",
        "<?xml version='1.0'?><b/> <!DOCTYPE z> <!-- -->",
        "</><=",
        "<<>x<b",
        "<?> <![CDATA[<!--<?xml version='1.0'?>><i>k",
    ],
)
def test_i9_a_tree_wherever_the_draft_has_one(document):
    """No tag is text or junk before the root element if no other one follows that may be the root."""
    trees = [parsed(document, recovery=recovery)[0] for recovery in ("draft", "intent")]
    assert trees[0].tag == trees[1].tag


@pytest.mark.parametrize("opening", ["<!--", "<![CDATA[", "<?x"])
@pytest.mark.parametrize("torn", ["<r version='1.0' {}x='http://a.example/'>", "<r ve{}rsion='1.0'>", "<r{}>"])
def test_i9_no_section_in_the_roots_tag_has_the_document(torn, opening):
    text = torn.format(opening) + "".join(f"<i><t>t{number}</t></i>\n" for number in range(3)) + "</r>"
    root, log = parsed(text, recovery="intent")
    assert [element.text for element in root.iter("t")] == ["t0", "t1", "t2"]
    assert log


@pytest.mark.parametrize("root", ["ur&ls", "xsl]]>:sheet", "urls?"])
def test_i9_no_root_is_junk_for_odd_characters_in_its_name(root):
    text = f"<{root} a='b'><u><l>1</l></u><u><l>2</l></u></urls>"
    assert [element.text for element in parsed(text, recovery="intent")[0].iter("l")] == ["1", "2"]


@pytest.mark.parametrize(
    "document",
    [
        "<urlset>{0}{0}<loc>one</loc><mod></url>{0}{0}</urlset>".format("<loc>one</loc><mod>two</mod></url>"),
        '<call name="a">' * 2 + '<p name="q">w</p></call>\n<call name="b"><p name="f">x</p></call>',
    ],
)
def test_i9_what_is_assumed_of_the_root_does_not_cost_most_of_the_document(document):
    """A start tag is assumed before the root's, or that is dropped, as it stands there twice."""
    trees = [parsed(document, recovery=recovery)[0] for recovery in ("draft", "intent")]
    of_draft, of_intent = (sum(letters(tree).values()) + len(list(tree.iter())) for tree in trees)
    assert of_intent > of_draft * 2 / 3


def test_python_search_is_used():
    with python_search():
        assert isinstance(meaning.IntentMeaning()._search, Search)
