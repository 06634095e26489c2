"""The search of what the author meant: operations, bounds, growth, and what it must leave alone."""

import contextlib
import re
from collections.abc import Callable
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.operations import EXAMPLES

import xml5tree
from xml5tree.intent.assumption import SourceEdit
from xml5tree.intent.costs import COSTS, OPERATIONS, Operation, ln
from xml5tree.intent.meaning import IntentMeaning
from xml5tree.intent.names import is_near, is_odd_case, stem
from xml5tree.intent.search import Search


def octets(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def edits_of(text: str, *, size: int = 0, **options: object) -> list[SourceEdit]:
    """Return the edits of a text that is fed whole, or in parts of a size."""
    meaning = IntentMeaning(**options)  # type: ignore[arg-type]
    if not size:
        return meaning.feed(text, octets(text), final=True)
    parts = [text[place : place + size] for place in range(0, len(text), size)] or [""]
    edits, settled = [], 0
    for number, part in enumerate(parts, 1):
        further = meaning.feed(part, octets(part), final=number == len(parts))
        assert all(edit.begin >= settled for edit in further)
        assert meaning.settled >= settled
        edits += further
        settled = meaning.settled
    assert settled >= len(text)
    return edits


def edited(text: str, edits: list[SourceEdit]) -> str:
    parts, place = [], 0
    for edit in edits:
        assert place <= edit.begin <= edit.end
        assert edit.assumptions
        parts += [text[place : edit.begin], edit.instead]
        place = edit.end
    return "".join([*parts, text[place:]])


def repaired(text: str, **options: object) -> str:
    """Return what the draft makes of the edited text."""
    return str(xml5tree.repair(edited(text, edits_of(text, **options)), recovery="draft"))


def codes(text: str) -> set[str]:
    return {assumption.code for edit in edits_of(text) for assumption in edit.assumptions}


# Operations


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_of_each_operation_is_read_so(name: str) -> None:
    broken, meant = EXAMPLES[name]
    assert repaired(broken) == str(xml5tree.repair(meant, recovery="draft"))
    assert codes(broken) == {OPERATIONS[name].code}


def test_each_operation_has_an_example_but_that_of_an_option() -> None:
    assert OPERATIONS.keys() - EXAMPLES.keys() == {"unknown_name"}


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_each_operation_has_a_cost_of_the_table_and_a_sentence(operation: Operation) -> None:
    assert operation.cost == "" or operation.cost in COSTS
    assert operation.sentence.format(token="t", meant="m", opened="o", closed="c")


def test_sentences_name_the_tags() -> None:
    (edit,) = edits_of("<r><i><t>a<l>b</l></i><i><t>b</t><l>c</l></i></r>")
    assert edit == SourceEdit(10, 10, "</t>", edit.assumptions)
    assert [assumption.sentence for assumption in edit.assumptions] == ["</t> was assumed before <l>"]


def test_offsets_are_in_characters() -> None:
    text = "<r><a>é😀</a><a>“<a>c</a></r>"
    (edit,) = edits_of(text)
    assert text[edit.begin :].startswith("<a>c")
    assert edits_of(text, size=1) == [edit]


@pytest.mark.parametrize(
    "text",
    [
        "<r><a><b>x</a><a><b>y</b></a><a><b>z</b></a></r>",  # an end tag ends what is inside its element
        "<r><a>1</a></b><a>2</a></r>",  # an end tag matches nothing
        "<r><a>1</a><b><c>2",  # the document is cut off
        "<r><i>1</i></r>em><i>9</i></r>",  # the tail of an older file
        "<r><a k=1>2</a></r>",  # a value without quotes
        "<r><a>1 < 2</a></r>",
    ],
)
def test_there_is_no_edit_where_the_draft_does_the_same(text: str) -> None:
    assert edits_of(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "<r/>",
        "<r><a>1</a><a>2</a><b/></r>",
        '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "<b>">]><!-- <r> --><r>&a;<![CDATA[</r>]]></r><!-- -->\n',
        "<r><a><a><a/></a></a></r>",
        "<a>" * 300 + "</a>" * 300,
        "<r>" + "<i><k>1</k></i>" * 20 + "<i><i><k>1</k></i></i>" + "<i><k>1</k></i>" * 2000 + "</r>",
    ],
    ids=range(6),
)
def test_well_formed_documents_have_no_edits(text: str) -> None:
    assert edits_of(text) == []


# Rows that are equal


@pytest.mark.parametrize(
    "fault",
    [
        ("<a>1</a>", "<a>1"),
        ("<a>1</a>", "<a>1<a>"),
        ("<a>1</a>", "<a>1</b>"),
        ("<a>1</a>", "<a>1</a></a>"),
        ("<a>1</a>", "<a>1</a></x>"),
        ("</i>", ""),
        ("</i>", "</i></i>"),
        ("<i>", ""),
        ("<a>1</a>", "<a>1</aa>"),
    ],
)
@pytest.mark.parametrize("row", ["<i><a>1</a><b k='v'>x</b></i>", "\n <i>\n  <a>1</a>\n  <b k='v'>x</b>\n </i>"])
def test_equal_rows_survive_what_is_dropped(fault: tuple[str, str], row: str) -> None:
    for number in (0, 5, 9):
        rows = [row] * 10
        rows[number] = row.replace(*fault, 1)
        markup = repaired(f"<r>{''.join(rows)}</r>")
        assert markup.count("<b k=") == 10
        assert markup.count(">x</b>") == 10
        assert len(re.findall(r"<a>\s*1", markup)) == 10


def test_the_root_goes_on_after_its_end_tag() -> None:
    assert repaired("<r><i>1</i></r><i>2</i><i>3</i></r>") == "<r><i>1</i><i>2</i><i>3</i></r>"


@pytest.mark.parametrize(
    "document",
    [
        "<Root<a><e><a>1</a></e><e><a>2</a></e></Root>",
        "<Root</e>><e><a>1</a></e><e><a>2</a></e></Root>",
        "<Root></><e><a>1</a></e><e><a>2</a></e></Root>",
        '<Root k="1<Root k="1"><e><a>1</a></e><e><a>2</a></e></Root>',
        "<Root><e><a>1</a></e><?xml version='1.0'?><e><a>2</a></e></Root>",
        "<Root><Root><e><a>1</a></e></Root><e><a>2</a></e></Root>",
        "<Root>x<Root><e><a>1</a></e><y><e><a>2</a></e></y></Root>",
    ],
    ids=range(7),
)
def test_nothing_is_lost_after_what_is_not_the_end_of_the_root(document: str) -> None:
    for more in (0, 50):
        before, tag, after = document.rpartition("</Root>")
        markup = repaired(before + more * "<e><a>3</a></e>" + tag + after)
        assert markup.count("<e") == markup.count("</a></e>") == 2 + more


def test_an_element_in_the_wrong_place_does_not_stop_the_search() -> None:
    fault = "<item><t>1</t><d>x<g>2</g></item>"
    record = "<item><t>1</t><d>x</d><g>2</g></item>"
    for every in (10, 20):
        text = "<c>" + "".join(fault if n % every == 0 else record for n in range(400)) + "</c>"
        assert repaired(text) == f"<c>{record * 400}</c>"


@pytest.mark.parametrize("records", [40, 600])
def test_faults_that_repeat_are_repaired_each_time(records: int) -> None:
    """Two end tags are missing in each twentieth record: nesting them deeper and deeper must not be cheaper."""
    record = "<item>\n<title>t</title>\n<d>x</d>\n<guid>1</guid>\n</item>\n"
    fault = "<item>\n<title>t</title>\n<d>x\n<guid>1</guid>\n"
    text = "<c>\n" + "".join(fault if n % 20 == 10 else record for n in range(records)) + "</c>"
    assert sum(len(edit.assumptions) for edit in edits_of(text)) == 2 * records // 20
    assert repaired(text).count("<item>") == records
    assert "<d>x\n<guid>" not in repaired(text)


def test_a_record_without_an_end_tag_shows_in_a_long_document() -> None:
    record = "<i><k>1</k><v>some text</v></i>\n"
    rows = [record] * 3000
    rows[1500] = record.replace("</i>", "")
    (edit,) = edits_of(f"<r>{''.join(rows)}</r>")
    assert edit.instead == "</i>"
    assert [assumption.code for assumption in edit.assumptions] == ["assumed-end-before"]


@pytest.mark.parametrize("size", [0, 4096, 100_000])
def test_a_comment_takes_no_long_document(size: int) -> None:
    """Its end is looked for farther off than the search sees: what a comment hides on purpose stays hidden."""
    row = "<i><k>1</k><v>some text</v></i>\n"
    rows = row * 1500
    (edit,) = edits_of(text := f"<r>{row}<!-- note\n{rows}</r>", size=size)
    assert edited(text, [edit]) == f"<r>{row}<!-- note-->{rows}</r>"
    assert [assumption.code for assumption in edit.assumptions] == ["assumed-end-of-section"]
    (edit,) = edits_of(text := f"<r><!-- note\n{rows}<!-- other -->{row}</r>", size=size)
    assert edited(text, [edit]) == f"<r><!-- note-->{rows}<!-- other -->{row}</r>"
    assert not edits_of(f"<r>{row}<!--{rows}-->{rows}</r>", size=size)


@pytest.mark.parametrize("row", ["<Call><id>1</id><port>x</port></Call>", "\n <Call k='1'>\n  <id>1</id>\n </Call>"])
@pytest.mark.parametrize("fault", [("<Call", "<Cal"), ("<Call", "<Caall"), ("</Call>", "</Calll>")])
@pytest.mark.parametrize("number", [0, 3, 7])
@pytest.mark.parametrize("root", ["Calls", "Call"])
def test_names_are_misspelt(row: str, fault: tuple[str, str], number: int, root: str) -> None:
    rows = [row] * 8
    rows[number] = row.replace(*fault)
    assert repaired(f"<{root}>{''.join(rows)}</{root}>") == f"<{root}>{row * 8}</{root}>"


# Options


def test_with_several_roots_a_document_may_begin_in_another() -> None:
    text = '<?xml version="1.0"?><e><i>1</i><i>2<?xml version="1.0"?><e><i>3</i></e>'
    (edit,) = edits_of(text, roots=True)
    assert edit.instead == "</i></e>"


def test_names_that_are_no_elements_are_text() -> None:
    """The reader takes them for text by itself, but for end tags that are near to one."""
    assert not edits_of("<r>x <y>List<String> a</y> <b>bold</b></r>", elements=("r", "y"))
    assert edited("<r><y>a</Y> b</y></r>", edits_of("<r><y>a</Y> b</y></r>", elements=("r", "y"))) == (
        "<r><y>a&lt;/Y> b</y></r>"
    )


# Cuts, growth, bounds

DOCUMENTS = [
    "<r>" + "<i><a>1</a><b>2</b></i>\n" * 40 + "<i><a>1<b>2</b></i>\n" + "<i><a>1</a><b>2</b></i>\n" * 1600 + "</r>",
    "<r>" + "<p>a<br>b <i>c</b> é</p>\n" * 1200 + "</r>",
    "<r>" + "<!-- <a>1</a>\n" * 30 + "<a k='1>2</a><a>&amp</a>" * 900,
    "<r><![CDATA[" + "x<y>" * 9000 + "</r>",
]


@pytest.mark.parametrize("number", range(len(DOCUMENTS)))
def test_cuts_do_not_matter(number: int) -> None:
    text = DOCUMENTS[number]
    edits = edits_of(text)
    for size in (777, 4096, 20_000):
        assert edits_of(text, size=size) == edits


FAMILIES: dict[str, Callable[[int], str]] = {
    "records without an end tag": lambda n: "<r>" + "<i><a>1<b>2</b></i>" * n + "</r>",
    "start tags": lambda n: "<r>" + "<a>" * n,
    "end tags": lambda n: "<r>" + "</a>" * n,
    "names": lambda n: "<r>" + "".join(f"<a{number}>x</b{number}>" for number in range(n)),
    "end tags after nested elements": lambda n: "<r>" + "<a><b>" * n + "</a>" * n,
    "crossed": lambda n: "<r>" + "<b><i>x</b></i>" * n + "</r>",
    "brackets": lambda n: "<r>" + "<" * n,
    "quotes": lambda n: "<r>" + '<a b="' * (n // 2),
    "comments": lambda n: "<r>" + "<!--" * (2 * n),  # more than is read ahead
    "references": lambda n: "<r>" + "&amp" * n + "</a>",
    "roots": lambda n: '<?xml version="1.0"?><a>x' * n,
}


@pytest.mark.parametrize("family", FAMILIES)
def test_time_grows_with_the_document(family: str) -> None:
    made = FAMILIES[family]
    base = 1500 if family in {"names", "quotes"} else 3000

    def seconds(n: int) -> float:
        text, least = made(n), float("inf")
        for _ in range(2):
            begin = process_time()
            edits_of(text, size=10_000)
            least = min(least, process_time() - begin)
        return least

    assert seconds(2 * base) < 3.2 * seconds(base) + 0.05


def test_tables_are_bounded() -> None:
    search = Search()
    for number in range(12):
        names = "".join(f"<a{number}x{n} b='{n}'><c{n}/></a{number}x{n}></d{number}x{n}>" for n in range(900))
        search.lattice.feed(("<r>" * (not number) + names).encode(), final=False)
        list(search.advance())
        search.lattice.forget(search.kept)
    model = search.model
    for table in vars(model).values():
        if isinstance(table, dict | set):
            assert len(table) <= 3 * 4096
    assert len(model.surplus) <= 8
    assert len(search._frames._frames) < 1 << 18
    assert len(search.lattice.source) < 300_000


# Numbers and names


def test_logarithms_are_whole_and_near() -> None:
    from math import log

    for number in (1, 2, 3, 10, 4095, 4096, 4097, 123_456, 1 << 32, (1 << 40) + 1):
        assert abs(ln(number) - 1000 * log(number)) <= 1.5
    numbers = [ln(number) for number in range(1, 20_000)]
    assert numbers == sorted(numbers)


@pytest.mark.parametrize(
    ("name", "other", "near"),
    [
        ("title", "titel", True),
        ("list", "li", True),
        ("w:b", "w:p", False),
        ("a:b", "b", True),
        ("A", "a", True),
        ("a", "b", False),
        ("ab", "abb", True),
        ("section", "ection", True),
        ("x" * 65, "x" * 65 + "y", False),
    ],
)
def test_near_names(name: str, other: str, near: bool) -> None:
    assert is_near(name.encode(), other.encode()) is near
    assert is_near(other.encode(), name.encode()) is near


def test_names_with_numbers_and_cases() -> None:
    assert stem(b"row12") == b"row"
    assert is_odd_case(b"Item", b"item", b"list")
    assert not is_odd_case(b"item", b"Item", b"list")
    assert not is_odd_case(b"Item", b"item", b"List")


def test_a_model_knows_the_usual_child() -> None:
    search = Search()
    search.lattice.feed(b"<r>" + b"<i><a>1</a><b>2</b></i>" * 9 + b"<i><a>1<b>2</b></i></r>", final=True)
    assert list(search.advance())
    model = search.model
    assert model.event(b"i", b"a", b"b") < 100
    assert model.event(b"i", b"b", b"a") > 2000


@pytest.mark.parametrize("head", ['<r v</r>n="2" a="b">', '<r v</r>n="2">', '<r a="1" v</r>n="2">'])
@pytest.mark.parametrize("count", [9, 100])
def test_a_root_does_not_end_before_most_of_the_document(head: str, count: int) -> None:
    body = "<c><item><title>a long title</title><link>/a</link></item></c>" * count
    for end in ("</r>", ""):
        assert repaired(head + body + end).count("<item>") == count


# Confidence


def confidences(text: str) -> list[float | None]:
    return [assumption.confidence for edit in edits_of(text) for assumption in edit.assumptions]


@pytest.mark.parametrize("document", [document for document, _ in EXAMPLES.values()])
def test_confidence_is_a_share_that_does_not_depend_on_the_pieces(document: str) -> None:
    assert all(confidence is None or 0 < confidence < 1 for confidence in confidences(document))
    assert edits_of(document, size=3) == edits_of(document)


def test_confidence_is_none_where_there_was_no_choice() -> None:
    assert confidences("<r>A &amp B</r>") == confidences('<? xml version="1.0"?><r/>') == [None]


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("<a>1</a>", "<a>1"),
        ("<a>1</a><b>2</b>", "<a>1<b>2</b>"),
        ("<title>1</title>", "<titel>1</title>"),
        ("<a>1</a><b>2</b>", "<a>1</a><b>2</c>"),
    ],
)
def test_confidence_grows_with_what_the_document_shows(row: str, fault: str) -> None:
    few, many = (confidences(f"<r>{row * count}{fault}{row * count}</r>") for count in (1, 20))
    assert len(many) == 1
    assert many[0] is not None
    assert [one for one in few if one is not None] == few
    assert not few or many[0] >= few[0]  # type: ignore[operator]
    assert many[0] > 0.7


# Anything

MARKUP = st.lists(
    st.sampled_from(
        [
            *("<a>", "</a>", "<b>", "</b>", '<c x="1">', "</c>", "<d/>", "text", " ", "\n", "<!--", "-->", "<![CDATA["),
            *("]]>", "<?p", "?>", "<", ">", "/", '"', "=", "é", "“", "<br>", "</br>", "<a", "</a", "<r>", "</r>", "&"),
            *("&amp", '<?xml version="1.0"?>', "</>", "<!DOCTYPE r [", "\0", "😀", "\ud800", "\u200b", "\t"),
        ]
    ),
    max_size=40,
).map("".join)


@settings(max_examples=150, deadline=None)
@given(MARKUP | st.text(max_size=60), st.booleans())
def test_any_text_has_edits_in_order_that_the_draft_reads(text: str, roots: bool) -> None:
    edits = edits_of(text, roots=roots)
    changed = edited(text, edits)
    assert edits_of(text, roots=roots, size=3) == edits
    with contextlib.suppress(xml5tree.ParseError):
        xml5tree.repair(
            changed.encode("utf-8", "replace").decode(), recovery="draft", roots="all" if roots else "first"
        )
