"""The test support itself: what the others rely on when they pass."""

import inspect
import json
import random
from xml.etree import ElementTree
from xml.parsers import expat

import lxml.etree
import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from support import nearxml, scaling, splits, trees, xml5lib
from support.cases import each_case

# Random documents


def sample(strategy, count):
    """Examples, the same at every run of the same code; hypothesis draws constants of loaded modules, too."""
    examples = []

    @settings(max_examples=count, derandomize=True, database=None, deadline=None, phases=[Phase.generate])
    @given(strategy)
    def collect(example):
        examples.append(example)

    collect()
    return examples


def is_well_formed(data):
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    try:
        expat.ParserCreate(namespace_separator=" ").Parse(data, True)
    except (expat.ExpatError, LookupError, ValueError):
        return False
    return True


def share(condition, examples):
    return sum(map(bool, map(condition, examples))) / len(examples)


@settings(max_examples=250, deadline=None)
@given(nearxml.well_formed_documents())
def test_well_formed_documents_are_accepted_by_both_parsers_and_mean_the_same(text):
    data = text.encode()
    assert is_well_formed(data)
    by_lxml = lxml.etree.fromstring(data, lxml.etree.XMLParser(attribute_defaults=True))
    trees.assert_same_content(ElementTree.fromstring(data), by_lxml)


def test_well_formed_documents_have_everything():
    examples = sample(nearxml.well_formed_documents(), 2000)
    parts = ["<?xml ", "\ufeff", "<!DOCTYPE", " PUBLIC", " SYSTEM", "<!ENTITY", "<!ATTLIST"]
    parts += ["<![CDATA[", "<!-->", "?>", "&t0;", "&m0;", "&amp;", "&#", "]]&gt;", "='", '="', "\r\n", "\t", "/>", "😀"]
    parts += ["xmlns=''", "xmlns='u'", "xmlns:", "xml:lang", "日本語", "<d><d><d><d><d><d><d>"]
    assert [part for part in parts if not any(part in text for text in examples)] == []


def test_documents_are_nearly_well_formed():
    examples = sample(nearxml.documents(), 1000)
    assert 0.08 < share(is_well_formed, examples) < 0.35
    assert share(lambda text: len(text) < 300, examples) > 0.8
    assert len(set(examples)) > 0.75 * len(examples)
    parts = ["<!DOCTYPE", "<!ENTITY", "<!ATTLIST", "<![CDATA[", "<!--", "<?", "</", "xmlns", "&", "]]>", "\0", "\x0c"]
    parts += ["</>", "\r", "😀", "%p;", "&nbsp;"]
    assert [part for part in parts if not any(part in text for text in examples)] == []


def test_documents_shrink():
    quiet = settings(database=None, deadline=None)
    found = find(nearxml.documents(), lambda text: "<!DOCTYPE" in text, settings=quiet, random=random.Random(0))
    assert len(found) < 40


def test_byte_documents_come_in_many_encodings():
    examples = sample(nearxml.byte_documents(), 1600)
    assert 0.02 < share(is_well_formed, examples) < 0.35
    for start in (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<", b"\0\0", b"\xff\xfe\0\0", b"<"):
        assert share(lambda data, start=start: data.startswith(start), examples) >= 0.005, start
    for label in (b"UTF-16", b"windows-1252", b"ISO-8859-1", b"x-unknown"):
        assert share(lambda data, label=label: label in data.replace(b"\0", b""), examples) >= 0.0025, label

    def is_utf8(data):
        return data == data.decode("utf-8", "ignore").encode()

    assert 0.3 < share(is_utf8, examples) < 0.9


def test_near_markup_is_short_and_hardly_ever_a_document():
    examples = sample(nearxml.near_markup(), 400)
    assert share(is_well_formed, examples) < 0.05
    assert max(map(len, examples)) < 200
    assert {"<!", "--", "]]", "&", "DOCTYPE"} <= {part for part in nearxml.MARKUP if any(part in e for e in examples)}


# Splits


def test_splits_are_all_there_are():
    assert list(splits.splits("abc")) == [["abc"], ["a", "bc"], ["ab", "c"]]
    assert list(splits.splits(b"abc", pieces=3)) == [[b"abc"], [b"a", b"bc"], [b"ab", b"c"], [b"a", b"b", b"c"]]
    assert list(splits.splits("")) == [[""]]


def test_chunks_are_of_one_size():
    assert list(splits.chunks("abcde", 2)) == ["ab", "cd", "e"]
    assert list(splits.chunks(b"abcd", 4)) == [b"abcd"]
    assert list(splits.chunks("", 1)) == []


@settings(max_examples=50, deadline=None)
@given(st.data(), st.text("ab😀", max_size=12) | st.binary(max_size=12))
def test_every_way_of_cutting_keeps_the_whole(data, whole):
    empty = whole[:0]
    for pieces in (*splits.splits(whole), list(splits.chunks(whole, 3)), data.draw(splits.chunkings(whole))):
        assert empty.join(pieces) == whole


# Trees

SAMPLE = "<!--p--><a b='1' c='2'>x<b/>y<!--c-->z<?p q?></a><?e f?>"

PARSERS = [ElementTree.fromstring, lxml.etree.fromstring]


def test_dump_has_everything():
    expected = ["start 'a' {'b': '1', 'c': '2'}", "text 'x'", "start 'b' {}", "end", "tail 'y'"]
    expected += ["comment 'c'", "tail 'z'", "pi 'p q'", "end"]
    root = lxml.etree.fromstring(SAMPLE)
    builder = ElementTree.TreeBuilder(insert_comments=True, insert_pis=True)
    assert trees.dump(root) == expected
    assert trees.dump(root.getroottree()) == expected
    assert trees.dump(ElementTree.XML(SAMPLE, ElementTree.XMLParser(target=builder))) == expected
    assert trees.dump(root[0]) == ["start 'b' {}", "end", "tail 'y'"]


def test_dump_shows_namespaces_and_lines_of_lxml():
    root = lxml.etree.fromstring("<p:a xmlns:p='u'>\n<b xmlns='v'/></p:a>")
    expected = ["start '{u}a' {}", "prefix 'p' {'p': 'u'}", "line 1", "text '\\n'"]
    expected += ["start '{v}b' {}", "prefix None {None: 'v'}", "line 2", "end", "end"]
    assert trees.dump(root, prefixes=True, lines=True) == expected


def test_dump_shows_unresolved_entities():
    parser = lxml.etree.XMLParser(resolve_entities=False)
    root = lxml.etree.fromstring("<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;y</a>", parser)
    assert trees.dump(root) == ["start 'a' {}", "entity '&e;'", "tail 'y'", "end"]


def test_dump_document_shows_what_stands_around_the_root():
    root = lxml.etree.fromstring(f"<!DOCTYPE a SYSTEM 's' [<!ENTITY e 'x'>]>{SAMPLE}")
    lines = trees.dump_document(root)
    assert lines == trees.dump_document(root.getroottree())
    assert lines == ["doctype '<!DOCTYPE a SYSTEM \"s\">'", "comment 'p'", *trees.dump(root), "pi 'e f'"]


@pytest.mark.parametrize("parse", PARSERS)
@pytest.mark.parametrize(
    "other",
    [
        "<a b='1' c='2'>x<b/>y</a>",
        "<a c='2' b='1'>x<b/>yz</a>",
        "<a b='1' c='2'>x<b/><b/>yz</a>",
        "<a b='1' c='2'>x<b>yz</b></a>",
        "<a b='1' c='2'>x<c/>yz</a>",
        "<a b='1' c='2' xmlns='u'>x<b/>yz</a>",
        "<a b='1' c='3'>x<b/>yz</a>",
        "<a b='1' c='2'><b/>xyz</a>",
    ],
)
def test_different_trees_differ(parse, other):
    with pytest.raises(AssertionError, match=r"trees differ at line \d"):
        trees.assert_same_tree(parse(other), parse(SAMPLE))
    with pytest.raises(AssertionError, match=r"trees differ at line \d"):
        trees.assert_same_content(parse(other), parse(SAMPLE))
    trees.assert_same_tree(parse(other), parse(other))


def test_no_text_and_empty_text_differ_but_for_the_content():
    one, other = ElementTree.Element("a"), ElementTree.Element("a")
    other.text = ""
    assert trees.dump(one) != trees.dump(other)
    trees.assert_same_content(one, other)


def test_content_is_what_both_libraries_hold():
    one, other = ElementTree.fromstring(SAMPLE), lxml.etree.fromstring(SAMPLE)
    assert trees.dump(one) != trees.dump(other)
    trees.assert_same_content(one, other)
    assert trees.dump_content(other)[1:4] == ["text 'x'", "start 'b' {}", "end"]
    assert trees.dump_content(other)[4:] == ["text 'yz'", "end"]


def test_documents_differ_outside_the_root():
    one, other = lxml.etree.fromstring(SAMPLE), lxml.etree.fromstring(SAMPLE.replace("p--", "q--"))
    trees.assert_same_tree(one, other)
    trees.assert_same_document(one, lxml.etree.fromstring(SAMPLE))
    with pytest.raises(AssertionError, match="trees differ at line 1"):
        trees.assert_same_document(one, other)


def test_difference_is_shown_with_its_neighbours():
    with pytest.raises(AssertionError) as caught:
        trees.assert_same_tree(ElementTree.XML("<a>1<b/>2<c/>4</a>"), ElementTree.XML("<a>1<b/>2<c/>3</a>"))
    assert "-tail '3'" in str(caught.value)
    assert "+tail '4'" in str(caught.value)
    assert " start 'c' {}" in str(caught.value)
    assert "start 'b'" not in str(caught.value)
    with pytest.raises(AssertionError, match="line 3"):
        trees.assert_same_lines(["a", "b"], ["a", "b", "c"])


def test_depth_does_not_matter():
    depth = 50_000
    root = ElementTree.fromstring("<a>" * depth + "</a>" * depth)
    assert len(trees.dump(root)) == len(trees.dump_content(root)) == 2 * depth


# The suite's formats


def test_tokenizer_cases_are_read_and_unescaped(tmp_path):
    first = {"description": "d", "input": "\\u0041", "output": [["Character", "\\u0041"]]}
    second = {
        "description": "e",
        "doubleEscaped": True,
        "ignoreErrorOrder": True,
        "input": "<a\\u0000\\uD83D\\uDE00\\uD800",
        "output": ["ParseError", ["StartTag", "\\u0041", {"\\u0042": "\\uD83D\\uDE00"}], ["DOCTYPE", None, True]],
    }
    path = tmp_path / "x.test"
    path.write_text(json.dumps({"tests": [first, second]}), encoding="utf-8")
    one, two = xml5lib.read_tokenizer_cases(path)
    assert (one.name, one.description, one.ignore_error_order) == ("x.test#0", "d", False)
    assert (one.input, one.expected) == ("\\u0041", [["Character", "\\u0041"]])
    assert (two.name, two.input, two.ignore_error_order) == ("x.test#1", "<a\0😀\ud800", True)
    assert two.expected == ["ParseError", ["StartTag", "A", {"B": "😀"}], ["DOCTYPE", None, True]]


def test_adjacent_characters_are_merged():
    a, b, both = ["Character", "a"], ["Character", "b"], ["Character", "ab"]
    tokens = [["Character", ""], a, b, "ParseError", a, ["EndTag", "x"], ["Character", ""]]
    assert xml5lib.normalise(tokens) == [both, "ParseError", a, ["EndTag", "x"]]
    assert xml5lib.split_errors([a, "ParseError", b, ["EndTag", "x"], "ParseError"]) == ([both, ["EndTag", "x"]], 2)
    assert a == ["Character", "a"]


def test_tree_cases_are_read(tmp_path):
    path = tmp_path / "x.dat"
    path.write_bytes(b'#data\n<a>\r\n\n#errors\none\n#document\n| <a>\n|   "\n\n"\n\n#data\n<b/>\n#document\n| <b>\n')
    one, two = xml5lib.read_tree_cases(path)
    assert (one.name, one.data, one.errors) == ("x.dat#0", "<a>\r\n", ["one"])
    assert one.document == '| <a>\n|   "\n\n"'
    assert (two.name, two.data, two.errors, two.document) == ("x.dat#1", "<b/>", [], "| <b>")


def test_suite_is_found_where_the_environment_says(tmp_path, monkeypatch):
    monkeypatch.setenv("XML5LIB_TESTS", str(tmp_path))
    assert xml5lib.find_suite() == tmp_path
    monkeypatch.setenv("XML5LIB_TESTS", str(tmp_path / "absent"))
    assert xml5lib.find_suite() is None


@pytest.mark.skipif(xml5lib.find_suite() is None, reason=xml5lib.NO_SUITE)
def test_suite_is_read():
    cases = [case for path in xml5lib.find_suite().glob("*.test") for case in xml5lib.read_tokenizer_cases(path)]
    assert len({case.name for case in cases}) == len(cases)
    for case in cases:
        tokens, errors = xml5lib.split_errors(case.expected)
        assert xml5lib.normalise(tokens) == tokens
        assert len(tokens) + errors <= len(case.expected)


# Scaling


class Clock:
    """A clock of CPU time that only work moves on; ``slower`` has the factors by which other processes slow that work.

    It has one factor for each reading, and a measurement reads the clock twice.
    """

    def __init__(self, slower=()):
        self.now = 0.0
        self.slower = iter(slower)
        self.cost = 1e-6

    def read(self):
        self.cost = 1e-6 * next(self.slower, 1)
        return self.now

    def work(self, steps):
        self.now += self.cost * steps


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(scaling.time, "process_time", clock.read)
    return clock


def test_linear_work_passes(clock):
    scaling.assert_scales_linearly(clock.work, int, 20_000, attempts=1)
    scaling.assert_grows_at_most(clock.work, 20_000, 80_000, 4.1, attempts=1)


def test_linear_work_passes_where_the_machine_slows_down(clock):
    clock.slower = iter([1] * 4 + [3] * 1000)
    scaling.assert_scales_linearly(clock.work, int, 20_000, attempts=2)
    clock.slower = iter([1, 1, 3, 3] + [3] * 1000)
    scaling.assert_grows_at_most(clock.work, 20_000, 80_000, 8.8, attempts=2)


@pytest.mark.parametrize("slower", [[], [1, 1, 3, 3], [3, 3], [3] * 1000])
def test_quadratic_work_fails(clock, slower):
    clock.slower = iter(slower)
    with pytest.raises(AssertionError, match=r"the larger input took 16\.0 times as long as the smaller one, at most"):
        scaling.assert_scales_linearly(lambda size: clock.work(size**2), int, 200)
    with pytest.raises(AssertionError, match=r"took 16\.0 times as long"):
        scaling.assert_grows_at_most(lambda size: clock.work(size**2), 200, 800, 8.8)


def test_short_work_is_repeated(clock):
    sizes = []
    scaling.assert_scales_linearly(
        lambda size: (sizes.append(size), clock.work(size)), int, 1000, attempts=1, floor=0.03
    )
    assert [sizes.count(size) for size in (1000, 4000)] == [1 + 2 + 4 + 8 + 16 + 32, 8]


def test_the_clock_is_one_of_cpu_time():
    with pytest.raises(AssertionError, match="times as long"):
        scaling.assert_grows_at_most(lambda size: sum(range(size)), 10, 1_000_000, 2, attempts=2)


# Many cases in one test


def test_every_case_is_run():
    found = []

    @each_case("first, second", [(1, 2), pytest.param(3, 4, id="last")])
    @each_case("third", {"a": 5, "b": 6}.values(), ids=["a", "b"])
    def test(first, second, third, fixture):
        found.append((first, second, third, fixture))

    assert [*inspect.signature(test).parameters] == ["fixture"]
    test(fixture="x")
    assert found == [(1, 2, 5, "x"), (1, 2, 6, "x"), (3, 4, 5, "x"), (3, 4, 6, "x")]


def test_cases_that_fail():
    @each_case("number", range(20), ids=lambda number: f"number {number}")
    def test(number, failing):
        if number in failing:
            pytest.fail("this is one")

    test(failing=[])
    with pytest.raises(pytest.fail.Exception) as one:
        test(failing=[3])
    assert one.value.__notes__ == ["The case is number 3"]
    with pytest.raises(BaseExceptionGroup) as several:
        test(failing=range(4, 20))
    assert [error.__notes__[0][-1] for error in several.value.exceptions] == ["4", "5", "6", "7", "8"]


def test_what_is_no_case():
    """No test can pass for want of cases, or be skipped for one of them."""

    def test(number):
        pytest.skip("never")

    with pytest.raises(AssertionError, match="no cases"):
        each_case("number", [])(test)()
    with pytest.raises(TypeError, match="skipped"):
        each_case("number", [1])(test)()
    with pytest.raises(TypeError, match="does not take"):
        each_case("nothing", [1])(test)
    with pytest.raises(TypeError, match="marked"):
        each_case("number", [pytest.param(1, marks=pytest.mark.skip)])
    with pytest.raises(ValueError, match="shorter"):
        each_case("number", [1, 2], ids=["one"])
