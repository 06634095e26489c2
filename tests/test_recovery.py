"""The measurement of recovery quality: its faults, its facts, its arithmetic, and the page made of its results."""

import json
import xml.etree.ElementTree as ET
from collections import Counter
from random import Random

import pytest
import recovery
from lxml import etree
from recovery_documents import FEEDS, Document, atom_feed, documents
from recovery_facts import Node, f1, facts, show
from recovery_faults import FAULTS, GROUPS, inject, pieces
from recovery_parsers import FEED_PARSERS, OURS, PARSERS, installed, tree
from recovery_report import page, read_reasons

MADE_HERE = [document for family in ("feeds", "catalogs") for document in documents(family)]
WITH_DOCTYPE = """<?xml version="1.0"?><!DOCTYPE r [<!-- it's > ]> --><!ENTITY e "a>b]"><?p ']>' ?>] ><r b='>' c="'">x
<!-- <y> --><![CDATA[<z>]]><e/></r>"""


# Faults -------------------------------------------------------------------------------------------------------------


def test_faults_are_told_apart():
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 25
    assert {fault.group for fault in FAULTS} == set(GROUPS)


@pytest.mark.parametrize("text", [WITH_DOCTYPE, *(document.text for document in MADE_HERE)])
def test_pieces_are_the_whole_document(text):
    assert "".join(source for _, source in pieces(text)) == text


def test_kinds_of_pieces():
    kinds = ["pi", "doctype", "start", "text", "comment", "cdata", "start", "end"]
    assert [kind for kind, _ in pieces(WITH_DOCTYPE)] == kinds


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_breaks_a_document(fault):
    done = 0
    for document in MADE_HERE:
        for seed in range(4):
            made = inject(fault, Random(seed), document.text)
            if made is None:
                continue
            done += 1
            tree(made.meant)
            assert made.broken != made.meant
            assert inject(fault, Random(seed), document.text) == made
            if fault.well_formed:
                continue
            with pytest.raises(etree.XMLSyntaxError):
                etree.fromstring(made.broken)
            with pytest.raises((ET.ParseError, LookupError)):
                ET.fromstring(made.broken)
    assert done >= 4


def test_as_many_places_as_asked_for():
    fault = next(fault for fault in FAULTS if fault.name == "end tag missing")
    for places in (1, 2, 5):
        made = inject(fault, Random(1), atom_feed(4), places)
        assert made.meant.count(b"</") - made.broken.count(b"</") == places
    made = inject(fault, Random(1), "<a><b/></a>", 3)
    assert made == (b"<a><b/></a>", b"<a><b/>")


def test_no_place():
    in_text = next(fault for fault in FAULTS if fault.name == "`&` between words")
    assert inject(in_text, Random(1), "<a> <b/> </a>") is None
    assert recovery.broken_document(in_text, 1, [Document("x", "x", "<a/>")]) is None


# Facts --------------------------------------------------------------------------------------------------------------


def test_facts():
    found = facts(tree(b'<r xmlns:p="u"><i p:k=" 1 "> a <b/>c\n<!-- x --> <![CDATA[d]]></i><i/><i/></r>'))
    i = ("r", "i")
    assert found == Counter(
        {
            ("element", ("r",), frozenset()): 1,
            ("element", i, frozenset({("p:k", "1")})): 1,
            ("element", i, frozenset()): 2,
            ("text", i, "a c d"): 1,
            ("element", (*i, "b"), frozenset()): 1,
        }
    )


def test_numbered_facts():
    found = facts(tree(b"<r><a/>x<b/><a>y</a></r>"), numbered=True)
    a, b = ((("r", 1), ("a", number)) for number in (1, 2))
    assert {("element", a, frozenset()), ("element", b, frozenset()), ("text", b, "y")} < found.keys()


def test_what_xml_cannot_hold_is_not_seen():
    assert facts([Node("a", {"b": "\ufffd1"}, ["x\x0by"])]) == facts([Node("a", {"b": "1"}, ["xy"])])


@pytest.mark.parametrize(
    ("meant", "found", "expected"),
    [
        ("aabc", "aabc", 1),
        ("aabc", "", 0),
        ("", "a", 0),
        ("", "", 1),
        ("aabc", "abxy", 2 * 0.5 * 0.5 / (0.5 + 0.5)),  # two of four found, two of four meant
        ("abcd", "ab", 2 * 1 * 0.5 / (1 + 0.5)),
        ("ab", "abcd", 2 * 0.5 * 1 / (0.5 + 1)),
    ],
)
def test_f1(meant, found, expected):
    assert f1(Counter(meant), Counter(found)) == pytest.approx(expected)


def test_show():
    assert show([Node("a", {"b": "1"}, ["x", Node("c"), "y"])]) == '<a b="1">x<c/>y</a>'


# Parsers ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parser", installed(PARSERS), ids=lambda parser: parser.name)
def test_a_parser_finds_everything_where_nothing_is_wrong(parser):
    data = (
        b'<?xml version="1.0"?><r xmlns:p="http://e.org/"><p:i p:k="1" xml:lang="de">a &amp; \xc3\xa9<Bb>c</Bb>d'
        b"<!-- e -->f</p:i></r>"
    )
    pair = recovery.Broken(data, data)
    assert recovery.score(parser, pair) == 1
    assert recovery.score(parser, pair._replace(broken=data.replace(b"<Bb>c</Bb>", b""))) < 1


@pytest.mark.parametrize("parser", installed(FEED_PARSERS), ids=lambda parser: parser.name)
def test_a_feed_parser_finds_entries(parser):
    data = atom_feed(2).encode()
    pair = recovery.Broken(data, data)
    assert recovery.score(parser, pair) == 1
    assert 0 < recovery.score(parser, pair._replace(broken=data.replace(b"(1)", b"(one)"))) < 1


# The run ------------------------------------------------------------------------------------------------------------


def test_interval():
    assert recovery.interval([0.5] * 20) == [0.5, 0.5, 0.5]
    rows = [number / 19 for number in range(20)]
    value, low, high = recovery.interval(rows)
    assert value == 0.5
    # 1.96 standard errors of the mean of twenty rows
    assert low == pytest.approx(0.5 - 0.132, abs=0.02)
    assert high == pytest.approx(0.5 + 0.132, abs=0.02)
    assert recovery.interval(rows) == [value, low, high]


def test_summary():
    """A lead is one in all seeds: 0.1 in the mean, yet ahead only where that is not by chance."""
    scores = {OURS: [[0.5, 0.7]] * 10, "lxml": [[0.6, 0.8]] * 10, "markupever": [[0.2, 0.0], [1.0, 1.0]] * 5}
    result = recovery.summary(scores)
    assert result["documents"] == 20
    assert result["f1"]["lxml"] == pytest.approx([0.7, 0.7, 0.7])
    assert result["ahead"]["lxml"] == pytest.approx([-0.1, -0.1, -0.1])
    assert result["behind none"] == ["lxml", "markupever"]
    assert result["nothing"] == {OURS: 0, "lxml": 0, "markupever": 5}
    assert recovery.ahead_of_us({"faults": {"x": result}}) == {"x": ["lxml"]}


def test_sample():
    faults = FAULTS[::5]
    results = recovery.run(1, ["feeds", "catalogs"], faults, progress=False)
    assert results == recovery.run(1, ["feeds", "catalogs"], faults, progress=False)
    assert list(results["faults"]) == [fault.name for fault in faults]
    assert all(result["documents"] >= 1 for result in results["faults"].values())
    ours, native = results["overall"][OURS], results["overall"]["lxml"]
    assert ours[0] > native[0] + 0.1
    assert FEEDS in results["families"]


# What is committed --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def committed():
    return json.loads(recovery.RESULTS.read_text("utf-8"))


def test_results_are_of_all_faults(committed):
    assert list(committed["faults"]) == [fault.name for fault in FAULTS] == list(committed["examples"])
    assert committed["seeds"] == recovery.SEEDS
    for result in committed["faults"].values():
        assert list(result["f1"]) == [parser.name for parser in (*PARSERS, *FEED_PARSERS)]


def test_where_others_are_ahead_is_listed(committed):
    assert recovery.differences(committed) == []


def test_a_wrong_list_is_noticed(committed, tmp_path, monkeypatch):
    lines = recovery.REASONS.read_text("utf-8").splitlines()
    monkeypatch.setattr(recovery, "REASONS", tmp_path / "list.txt")
    recovery.REASONS.write_text("\n".join(lines[:-1]))
    assert len(recovery.differences(committed)) == 1
    recovery.REASONS.write_text("\n".join([*lines, "`&` between words | lxml | it is not"]))
    assert len(recovery.differences(committed)) == 1


def test_page_is_in_step(committed):
    text = recovery.PAGE.read_text("utf-8")
    assert page(text, committed, read_reasons(recovery.REASONS)) == text


def test_plot_is_in_step(committed):
    drawing = recovery.PLOT.read_text("utf-8")
    labels = [fault.replace("`", "").replace("&", "&amp;").replace("<", "&lt;") for fault in committed["faults"]]
    assert [label for label in labels if f">{label.replace('>', '&gt;')}<" not in drawing] == []
