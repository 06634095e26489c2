"""The invariants of docs/internals/architecture.md for `recovery="intent"`, over generated documents."""

import re
from collections import Counter
from itertools import product
from random import Random
from string import ascii_lowercase
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from support import nearxml
from support.brokenrecords import broken_records, records
from support.cases import each_case, one_in
from support.outcomes import assert_same_on_all_ways
from support.splits import chunkings, chunks
from support.trees import assert_same_content, assert_same_lines, comparable_content
from support.windows import SHORT, lengths, window_of

import xml5tree
from compat.lanes import LANES, lane
from compat.rules import without
from xml5tree.dialects.xml5.intent import learned, policy
from xml5tree.dialects.xml5.intent.ahead import Ahead
from xml5tree.dialects.xml5.intent.constants import WINDOW
from xml5tree.dialects.xml5.intent.runs import pure as pure_reader
from xml5tree.dialects.xml5.intent.tokenizer import IntentTokenizer

pytestmark = pytest.mark.usefixtures("eager_fast_path")

#: Declarations that change tags of the records: they add attributes, and have the states read the values of others.
DOCTYPE = """<!DOCTYPE feed [
<!ATTLIST item kind CDATA "x" lang CDATA 'en'> <!ATTLIST deeper k CDATA "&lt;]"> <!ATTLIST br k CDATA "">
<!ATTLIST row a NMTOKEN #IMPLIED> <!ATTLIST été k CDATA "é">
]>"""
ANY_TEXT = broken_records(8) | nearxml.near_markup()
#: Some of the names in these.
NAMES = {"feed", "item", "title", "b", "i", "deep", "été", "a", "e"}
ANY_DOCUMENT = broken_records() | nearxml.documents() | nearxml.near_markup() | nearxml.byte_documents()


#: A CDATA section or instruction in which another one seems to begin.
SECTION_IN_SECTION = re.compile(rb"<!\[CDATA\[(?:(?!\]\]>).)*<!\[CDATA\[|<\?(?:(?!\?>).)*<\?", re.DOTALL)


class Slip(NamedTuple):
    """A slip of the pen: so many characters are lost, and others put in."""

    removed: int
    inserted: str


_INSERTED = ("", "<", ">", "</item>", "<b>", '"', "<!--", "&")
SLIP = st.builds(Slip, st.sampled_from((0, 1, 8, 40)), st.sampled_from(_INSERTED))


#: For tests with the window of the policy, and with one that is shorter than most documents here.
each_window = pytest.mark.parametrize("window", [WINDOW, SHORT])


@pytest.fixture(autouse=True)
def own_window():
    """Make sure that no test has left a short window to the next one."""
    assert lengths() == {WINDOW}
    yield
    assert lengths() == {WINDOW}


@pytest.fixture
def placed_tags(monkeypatch):
    """The start tags and empty tags that go through the states."""
    placed = []

    def place(tokenizer, tag, *arguments, **options):
        placed.append(tag)
        return original(tokenizer, tag, *arguments, **options)

    original = IntentTokenizer._place
    monkeypatch.setattr(IntentTokenizer, "_place", place)
    return placed


def repaired(pieces, recovery="intent", **options):
    """Markup, None where there is no root element, and log of a document that is fed in pieces."""
    repairer = xml5tree.Repairer(recovery=recovery, **options)
    try:
        markup = [*map(repairer.feed, pieces), repairer.close()]
    except xml5tree.ParseError as error:
        assert error.code in {"no-root-element", "not-xml"}
        return None, list(repairer.error_log)
    return markup[-1][:0].join(markup), list(repairer.error_log)


def parsed(document, backend):
    """The tree of a document, or None where it has no root element, and the log."""
    parser = xml5tree.XMLParser(recovery="intent", backend=backend, attribute_defaults=True)
    try:
        parser.feed(document)
        return parser.close(), parser.error_log
    except xml5tree.ParseError as error:
        assert error.code in {"no-root-element", "not-xml"}
        return None, parser.error_log


@given(ANY_DOCUMENT)
def test_i1_total_and_i3_backends_agree(document):
    on_etree, log = parsed(document, "etree")
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
    """What the draft's tree has is in the tree of the policy, too, unless an entry says that content is lost."""
    draft, meant = (xml5tree.XMLParser(recovery=recovery) for recovery in ("draft", "intent"))
    try:
        of_draft = xml5tree.fromstring(document, parser=draft)
    except xml5tree.ParseError:
        return
    of_intent = xml5tree.fromstring(document, parser=meant)
    codes = {entry.code for log in (draft.error_log, meant.error_log) for entry in log}
    is_told = meant.error_log.effect == "lost" or any(code.startswith(MARKUP_IN_THE_DRAFT) for code in codes)
    if not is_told and "xmlns" not in document:
        assert letters(of_draft) <= letters(of_intent)


@pytest.mark.parametrize(
    "document",
    ["<&a:b;?XML version='1.0'?>", "2<3", "<b x='1'/><!DOCTYPE z>", "<?xml version='1.0'?><b/> <!DOCTYPE z> <!-- -->"],
)
def test_i9_a_tree_wherever_the_draft_has_one(document):
    """R-012, R-028: no tag is text or junk before the root element if no other one follows that may be the root."""
    trees = [xml5tree.fromstring(document, recovery=recovery) for recovery in ("draft", "intent")]
    assert trees[0].tag == trees[1].tag


@given(records(most=60), SLIP, st.floats(0, 1), st.sampled_from((None, 7, 40)))
def test_i2_up_to_a_window_before_the_first_fault(document, slip, where, size):
    """What is before the fault, and farther from it than the window, is read as in the draft, log included."""
    place = int(where * len(document))
    broken = document[:place] + slip.inserted + document[place + slip.removed :]
    # A decision is made about a tag, so the window begins at the end of one that begins before it.
    clean = place - SHORT - max(map(len, document.split("<"))) - 1
    pieces = [broken] if size is None else list(chunks(broken, size))
    for name in LANES:
        with window_of(SHORT), lane(name), without("soft", "far"):  # are exceptions
            markup, log = repaired(pieces)
            begun = xml5tree.Repairer(recovery="draft").feed(document[: max(clean, 0)])
        assert not begun or markup.startswith(begun)
        assert [entry for entry in log if entry.offset < clean] == []


@each_window
@given(data=st.data())
def test_i4_chunks_and_i6_lanes(window, data):
    document = data.draw(ANY_DOCUMENT)
    pieces = data.draw(chunkings(document))
    results = []
    for name in LANES:
        with window_of(window), lane(name):
            results += [repaired(parts) for parts in ([document], pieces)]
    assert results[1:] == results[:-1]


@given(ANY_DOCUMENT)
def test_i5_markup_is_well_formed_and_stays_as_it_is(document):
    markup, _ = repaired([document])
    if markup is None:
        return
    data = markup if isinstance(markup, bytes) else markup.encode()
    assert_same_content(
        etree.fromstring(data, etree.XMLParser(recover=False, collect_ids=False)), xml5tree.fromstring(data)
    )
    if not SECTION_IN_SECTION.search(data):  # which may be read otherwise, also where it is well-formed
        assert repaired([markup]) == (markup, [])


@given(ANY_DOCUMENT)
def test_i8_nothing_silent(document):
    """Where something departs from the draft, the log says so."""
    markup, log = repaired([document])
    if not any(entry.code.startswith("assumed-") for entry in log):
        assert (markup, log) == repaired([document], "draft")


@each_window
@given(records=broken_records())
def test_i6_lanes_with_attribute_defaults(window, records):
    document = DOCTYPE + records
    results = []
    for name in LANES:
        with window_of(window), lane(name):
            results.append(repaired([document], attribute_defaults=True))
    assert results[1:] == results[:-1]


@each_window
@given(
    data=st.data(),
    options=st.sampled_from([{"roots": "all"}, {"elements": NAMES}, {"elements": NAMES, "roots": "all"}]),
)
def test_i4_and_i6_with_known_elements_and_many_roots(window, data, options):
    documents = data.draw(st.lists(ANY_TEXT, min_size=1, max_size=2))
    document = "prose < &amp; prose ".join(["", *documents])
    pieces = data.draw(chunkings(document))
    results = []
    for name in LANES:
        with window_of(window), lane(name):
            results += [repaired(parts, **options) for parts in ([document], pieces)]
    assert results[1:] == results[:-1]


@pytest.mark.parametrize("name", [name for name in LANES if LANES[name] is not None])
@pytest.mark.parametrize("options", [{"roots": "all"}, {"elements": {"a", "b", "c"}, "roots": "all"}])
def test_runs_with_known_elements_and_many_roots_are_taken(name, options, placed_tags):
    document = "<a><b>x</b><c>i < 7</c></b></a> prose " * 200
    with lane(name):
        markup, log = repaired([document], **options)
    assert markup.count("<c>") == 200
    assert len(log) >= 200
    assert 0 < len(placed_tags) < 300


@pytest.mark.parametrize("name", [name for name in LANES if LANES[name] is not None])
def test_runs_with_attribute_defaults_are_shortened(name, placed_tags):
    """Where the policy has to be asked, such a run ends before that, as any other: few tags go through the states."""
    record = "<item><title>T</title><été>x]]</été></item>"
    document = f"{DOCTYPE}<feed>{record * 300}</item>{record * 300}<item><new>x</item>{record * 300}</feed>"
    with lane(name):
        markup, log = repaired([document], attribute_defaults=True)
    assert {entry.code for entry in log} == {"unmatched-end-tag", "mismatched-end-tag"}
    assert markup.count('kind="x" lang="en"') == 901
    least = 0 if LANES[name].takes_root else 1  # else the root goes through the states
    assert least <= len(placed_tags) < 100


def test_i4_and_i6_where_the_policy_is_asked_in_the_middle_of_runs():
    """A scan that is cut short ends between characters, not within one."""
    document = "<r>" + "<é></é>" * 200 + "</x>" + "<é>é</é>" * 200 + "</r>"
    results = []
    for name in LANES:
        with lane(name):
            results += [repaired([document]), repaired([document[:500], document[500:]])]
    assert results[1:] == results[:-1]


def test_i6_where_a_run_ends_before_a_doubted_text():
    """The text that a run ends before is thought about as any other, even if it begins with a faulty reference."""
    broken = "<deep><deeper><deeepest>&#65;</deepest></deeper>&#65eepest></deeper>&#65;</deep>"
    follows = "<deep><deeper><de<epest>b c</deepest></deeper>é</deep><<item>/channel></feed>"
    document = f"<feed><channel>{broken}{follows}"
    results = []
    for name in LANES:
        with lane(name):
            results.append(repaired([document]))
    assert results[1:] == results[:-1]
    assert "assumed-start-tag" in [entry.code for entry in results[0][1]]


@pytest.mark.parametrize(
    "filler", ["\n  <n>\n   <n/>\n  </n>", "\n  <n>\n   <n/>\n </n>\n <n/>"], ids=["fits", "doubted"]
)
@pytest.mark.parametrize(("before", "after"), [(2, 2), (2, 50), (50, 2)])
def test_i4_and_i6_where_columns_are_doubted_in_long_runs(before, after, filler):
    """R-035, within a window of the end of a run, and farther from it."""
    document = f"<r>\n <n>{filler * before}\n  <n>\n  <n/>{filler * after}\n </n>\n</r>"
    results = []
    for name in LANES:
        with window_of(SHORT), lane(name):
            results += [repaired([document]), repaired(chunks(document, 40))]
    assert results[1:] == results[:-1]
    if "\n  </n>" in filler:
        assert ("assumed-end-before" in {entry.code for entry in results[0][1]}) == (after == 2)


def test_i6_with_a_comment_that_looks_like_attributes():
    """What an element is compared with where its start tag comes twice (R-025) are the attributes of that tag alone."""
    document = f"<feed>{'<a>x</a>' * 9}<a><!-- x='1' --><a>y</a>{'<a>x</a>' * 9}</feed>"
    results = []
    for name in LANES:
        with lane(name):
            results.append(repaired([document]))
    assert results[1:] == results[:-1]
    assert "assumed-twice" in [entry.code for entry in results[0][1]]


@each_case("size", range(1, 60))
def test_well_formed_tag_that_the_window_ends_in(size):
    document = '<b a="p:>&lt;a c=" long-name = "" other-name="x> y=" last="/>"><c/></b>'
    with window_of(size):
        assert repaired([document]) == (document, [])
        assert repaired(list(document)) == (document, [])


def test_no_more_than_the_window_is_waited_for():
    """The shorter window of this module is that of all rules, or decisions would come with the end of the document."""
    document = f"<r>{'<new/>' * 40}"
    with window_of(SHORT):
        assert xml5tree.Repairer(recovery="intent").feed(document).startswith("<r><new/>")
    assert not xml5tree.Repairer(recovery="intent").feed(document).startswith("<r><new/>")


@pytest.mark.parametrize(("window", "name"), one_in(2, product([7, SHORT, WINDOW], LANES)))
def test_what_is_looked_at_is_the_window(window, name, monkeypatch):
    """All of it is used, and nothing beyond it, so that a short one is what the properties say it is."""
    sizes = set()
    for kind in {Ahead, *Ahead.__subclasses__()}:

        def note(self, text, start, stop, *arguments, original=kind.window):
            sizes.add(stop - start)
            return original(self, text, start, stop, *arguments)

        monkeypatch.setattr(kind, "window", note)
    record = "<item><title>T</title><new/>1 < 2</titel></item>"
    with window_of(window), lane(name):
        repaired([f"<r>{record * (window * 5 // 4 // len(record) + 9)}</r>"])
    assert max(sizes) == window


@pytest.mark.parametrize("most", one_in(2, [3, 6, 12]))
def test_i6_where_no_more_is_learned(most, monkeypatch):
    """Leaves of other names than have been learned are passed alike, and what comes after them is not changed."""
    for module in (learned, policy, pure_reader):
        monkeypatch.setattr(module, "MOST_LEARNED", most)
    if "compiled" in LANES:
        monkeypatch.setattr("xml5tree.dialects.xml5.intent.runs.compiled.MOST_LEARNED", most)
    passed = []
    is_strange = pure_reader.PureReader._is_strange

    def is_passed(*given):
        passed.append(is_strange(*given))
        return passed[-1]

    monkeypatch.setattr(pure_reader.PureReader, "_is_strange", is_passed)
    for seed in range(25):
        document = many_names(Random(seed))
        found = []
        for name in LANES:
            with lane(name):
                found.append(repaired([document]))
        assert found[1:] == found[:-1]
    assert sum(passed) > 100


def many_names(random):
    """A document of many names, some elements of which have no end tag or start tag."""

    def content(depth, most):
        return "".join(element(depth, random.choice(ascii_lowercase)) for _ in range(random.randrange(most)))

    def element(depth, name):
        if depth < 5 and random.random() < 0.3:
            return f"<{name}>{content(depth + 1, 5)}</{name}>"
        leaf = f"<{name}>{random.choice(('', 'x', ' '))}</{name}>{random.choice(('', '', ' ', 't'))}"
        return random.choices((leaf, f"<{name}/>", f"<{name}>", f"</{name}>", "<!--c-->"), (50, 10, 5, 4, 2))[0]

    return f"<r>{content(0, 80)}</r>"


@pytest.mark.parametrize("section", ["<![CDATA[ x </d></r> <![CDATA[ y ]]>", "<?x </d></r> <?y?>"])
def test_i4_and_i6_where_a_section_seems_to_begin_in_another_one(section):
    """R-020: the policy looks into such a section, though it is part of a run without errors to the fast path."""
    record = "<b>q</b><c>k</c><a>x</a>"
    document = f"<r>{record * 9}<a>y<b>z</b><c>{'k' * 50}</c><d>{section}</d></a>{record * 30}</r>"
    results = []
    for name in LANES:
        with window_of(SHORT), lane(name):
            results += [repaired([document]), repaired(chunks(document, 40))]
    assert results[1:] == results[:-1]
    # The end tags in the section count as errors of the draft's reading, so that another reading is chosen before it.
    assert "assumed-end-before" in [entry.code for entry in results[0][1]]


@each_case("size", range(1, 40))
def test_comment_that_the_window_ends_in(size):
    """R-020: what shows that it was not closed is in the window, or is not, whatever has come of the input."""
    document = f"<r>{'<i>d</i>' * 9}<i>a<!-- b <!-- c <e/></i></r>"
    with window_of(size):
        assert repaired(list(document)) == repaired([document])


@pytest.mark.parametrize("depth", [6, 7, 8, 20])
@pytest.mark.parametrize(
    ("before", "opening", "doubted", "closing"),
    [
        ("<r>", "<a>x", "<new>y</new><k>z</k>", "</a>"),
        ("<r><c/><a><a>x</a><c>y</c></a>", "<a><c>", "<new><a>x</a><k>y</k></new>", "</c></a>"),
    ],
)
def test_i6_where_a_run_ends_what_it_has_opened_before_a_doubted_tag(depth, before, opening, doubted, closing):
    """More elements than are known around a run, as it goes on after the tag."""
    document = before + opening * depth + doubted + closing * depth + "<a/>" * 9 + "</r>"
    found = []
    for name in LANES:
        with lane(name):
            found += [xml5tree.repair(part, recovery="intent") for part in (document, document.replace("</r>", "</q>"))]
    assert found[0] == document
    assert found == found[:2] * len(LANES)


@pytest.mark.parametrize(
    "document",
    [
        "<r><b></><b></><b></><b></b><b></x><b></>",
        "<r><b></><b></><b></><b></b><b></><c></b x>",
        "<r><b></><b></><b></><c/></r><b></><b></b><b></></b x>x",
    ],
)
def test_tags_that_the_states_make_doubtful(document):
    """R-026: a tag was not doubted in a run if one like it had come before the first end tag of its name."""
    assert_same_on_all_ways(document, list(document), {"recovery": "intent"})
