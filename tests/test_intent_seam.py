"""The seam: edits of the source, which the draft then reads, and places in the source for all that leaves it."""

import json
import re
import tracemalloc
from contextlib import suppress
from itertools import pairwise
from unittest import mock

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support import nearxml
from support.commands import run_command
from support.meanings import assumption, characters, edited, edits_of, meaning
from support.scaling import assert_scales_linearly
from support.splits import chunkings, chunks
from support.trees import dump, dump_content, dump_document

import xml5tree
from compat.lanes import LANES, lane
from xml5tree.dialects.xml5 import DIALECT
from xml5tree.dialects.xml5.editing import EditedSource
from xml5tree.intent.assumption import SourceEdit
from xml5tree.intent.edits import Editor
from xml5tree.intent.lattice import START, Edge, Lattice
from xml5tree.intent.steps import Step
from xml5tree.options import Settings
from xml5tree.output.composing import Change, Composer, First, groups, merge
from xml5tree.tokens import Characters, EndTag, StartTag
from xml5tree.xml.references import REFERENCE_OR_PAIR

DOCUMENTS = nearxml.documents() | nearxml.near_markup() | nearxml.byte_documents()
OPTIONS = st.sampled_from(
    [
        *[{}, {}, {}, {"max_depth": 3}, {"roots": "all"}, {"root_element": "b"}, {"elements": ["a", "b", "item"]}],
        *[{"elements": ["a", "b"], "raw": ["b"]}, {"control_characters": "drop"}, {"forbid_dtd": True}],
    ]
)
SETTINGS = Settings(recovery="intent")
OF_CHARACTERS = {
    "control-character-in-input-stream",
    "noncharacter-in-input-stream",
    "surrogate-in-input-stream",
    "unexpected-null-character",
    "invalid-byte-sequence",
}


@pytest.mark.parametrize("character", ["é", "日", "\U0001f600"])
@pytest.mark.parametrize("before", ["", "x", "xx", "xxx"])
def test_comments_without_an_end_are_cut_between_characters(character, before):
    document = f"<r><!--{before}{character * 20_000}</r>"
    expected = xml5tree.repair(document)
    with mock.patch("xml5tree.intent.meaning.compiled", None):
        assert xml5tree.repair(document) == expected


def test_an_assumption_is_reported_before_errors_in_its_tag():
    """Nothing is read from there on before the edit at the end of the tag is known."""
    lattice = Lattice()
    lattice.feed(b"<r><i v=<><b>", final=True)
    lattice.advance(lattice.fed)
    editor = Editor(lattice)
    assert editor.held is None
    step = Step(Edge(START, b"b", 10, 13), "", (b"i",), b"", b"", b"b", False, False, (3, 10), 0)
    assert editor.take([step], final=False) == []
    assert editor.held == 3


def test_parts_are_read_up_to_the_end_of_a_tag():
    """A tag that is cut takes longer."""
    read, edit = [], EditedSource._edited

    def note(self, stop, *, final):
        read.append(edit(self, stop, final=final))
        return read[-1]

    document = "<r>" + "".join(f"<a k='{number}{'v' * 3000}'>x</a>" for number in range(50)) + "text " * 9000 + "</r>"
    repairer = xml5tree.Repairer(recovery="intent")
    with mock.patch.object(EditedSource, "_edited", note):
        markup = [repairer.feed(part) for part in chunks(document, 5000)] + [repairer.close()]
    assert "".join(read) == "".join(markup) == document
    ends = "".join(">" if part.endswith(">") else "t" for part in read)
    assert re.fullmatch(">{20,}t+>", ends), ends  # long text is cut


def outcome(parse):
    try:
        return parse()
    except xml5tree.ParseError as error:
        return error.code


def read(pieces, backend="etree", **options):
    """A document's tree, and its log; the code of the refusal instead of the tree."""
    parser = xml5tree.XMLParser(backend=backend, recovery="intent", **options)

    def parse():
        for piece in pieces:
            parser.feed(piece)
        root = parser.close()
        return dump_document(root, lines=True) if backend == "lxml" else dump(root)

    return outcome(parse), [*parser.error_log], parser.error_log.truncated


def tree(document, backend="etree", **options):
    """A document's tree, without the native parser's first try; the code of the refusal instead."""
    parser = xml5tree.XMLParser(backend=backend, **options)
    return outcome(lambda: (parser.feed(document), dump_content(parser.close()))[1])


@st.composite
def cases(draw, documents=DOCUMENTS, options=OPTIONS):
    """A document, edits, the edited text, and options."""
    document, options = draw(documents), draw(options)
    text, start = characters(document, **options)
    edits = draw(edits_of(text, start))
    return document, edits, edited(text, edits), options


def is_text_of_its_own(text, start=0):
    """Whether a text read again is the same: it has no mark, no declaration that was none, no replaced character.

    Nor has it references to the halves of a surrogate pair, which are one by intent only.
    """
    has_pair = any("&" in found for found in REFERENCE_OR_PAIR.findall(text))
    is_replaced = "\ufffd" in text or text[:1] == "\ufeff"
    return not (is_replaced or has_pair or (text.startswith("<?") and not start))


@pytest.mark.parametrize("backend", ["etree", "lxml"])
@given(case=cases(), way=st.sampled_from(sorted(LANES)))
def test_the_tree_is_that_of_the_edited_text(backend, case, way):
    document, edits, (text, _), options = case
    assume(is_text_of_its_own(text, characters(document, **options)[1]))
    with lane(way):
        with meaning(edits):
            found = tree(document, backend, recovery="intent", **options)
        assume(found not in ("not-xml", "doctype-forbidden"))  # no text is the first; the source is refused for both
        assert found == tree(text, backend, recovery="draft", **options)


@given(case=cases(), way=st.sampled_from(sorted(LANES)))
def test_errors_are_at_their_places_in_the_source(case, way):
    document, edits, (text, places), options = case
    source, start = characters(document, **options)
    assume(is_text_of_its_own(text, start))
    with lane(way):
        with meaning(edits):
            _, found, _ = read([document], **options)
        parser = xml5tree.XMLParser(recovery="draft", **options)
        outcome(lambda: (parser.feed(text), parser.close()))
    refused = {"doctype-forbidden", "not-xml"}
    assumed = [entry for entry in found if entry.message.startswith("assumed at ")]
    expected = [one for edit in edits for one in edit.assumptions]
    if not refused & {entry.code for entry in found}:
        assert sorted((e.code, e.offset) for e in assumed) == sorted((e.code, e.offset) for e in expected)
    others = [entry for entry in found if entry not in assumed and entry.code not in OF_CHARACTERS]
    of_text = [entry for entry in parser.error_log if entry.code not in OF_CHARACTERS]
    if start or isinstance(document, bytes):  # errors of the declaration and the encoding are the stream's
        return
    assert sorted((e.code, e.effect, e.offset) for e in others) == sorted(
        (e.code, e.effect, places[e.offset]) for e in of_text
    )
    for entry in found:
        before = source[: entry.offset]
        assert (entry.line, entry.column) == (before.count("\n") + 1, len(before) - before.rfind("\n") - 1)


@pytest.mark.parametrize("backend", ["etree", "lxml"])
@given(case=cases(), data=st.data())
def test_cuts_do_not_matter(backend, case, data):
    document, edits, _, options = case
    with lane(data.draw(st.sampled_from(sorted(LANES)))):
        with meaning(edits):
            expected = read([document], backend, **options)
        lag, step = data.draw(st.sampled_from([(0, 1), (3, 1), (10, 7), (100, 1)]))
        with meaning(edits, lag, step):
            assert read(data.draw(chunkings(document)), backend, **options) == expected


# Edits


@st.composite
def texts_with_edits(draw, most=8):
    """A text, edits of it, and edits of what becomes of it; none of one kind touch each other."""
    text = draw(st.text("abcd", max_size=30))
    firsts = [edit[:3] for edit in draw(edits_of(text, insteads=["", "x", "xy", "xyz"]))]
    result = applied(text, firsts)
    seconds = [edit[:3] for edit in draw(edits_of(result, insteads=["", "1", "12"]))]
    return text, firsts, result, seconds


def applied(text, edits):
    pieces, done = [], 0
    for begin, end, instead in edits:
        pieces += [text[done:begin], instead]
        done = end
    return "".join([*pieces, text[done:]])


def compose(firsts, seconds):
    """The edits of a source that do what first some edits of it do, and then edits of the result."""
    changes, shift = [], 0
    for group in groups(firsts, seconds):
        changes.append(merge(group, shift))
        shift = changes[-1].end - group.end
    return changes


@given(texts_with_edits())
def test_composed_edits_do_what_both_do(case):
    text, edits, result, others = case
    firsts, shift = [], 0
    for begin, end, instead in edits:
        firsts.append(First(begin + shift, instead, begin, end, []))
        shift += len(instead) - (end - begin)
    seconds = [Change(*edit, (), "error") for edit in others]
    composed = compose(firsts, seconds)
    assert applied(text, [change[:3] for change in composed]) == applied(result, others)
    assert all(one.end < other.begin for one, other in pairwise(composed))
    # A composer that gets them as they become certain yields the same.
    composer, found = Composer(lambda begin, end, markup: text[begin:end] == markup, None), []
    for certain in range(len(result) + 1):
        for first in firsts:
            if first.offset == certain:
                composer.add(*first)
        now = [second for second in seconds if second.end == certain - 1]
        begun = [second.begin for second in seconds if second.end >= certain]
        done = [*composer.take(now, min([certain, *begun]), final=False)]
        assert all(change.end <= composer.certain for change in done)
        found += done
    found += composer.take([second for second in seconds if second.end == len(result)], len(result), final=True)
    assert found == [change for change in composed if change.markup != text[change.begin : change.end]]
    assert composer.certain == len(text)


def rewritten(pieces, **options):
    """The document with its edits applied, the edits and the log; None where it has no tree."""
    found = []
    repairer = xml5tree.Repairer(edits=found, recovery="intent", **options)
    try:
        parts = [repairer.feed(piece) for piece in pieces]
        parts.append(repairer.close())
    except xml5tree.ParseError:
        return None
    return parts[0][:0].join(parts), found, [*repairer.error_log]


@st.composite
def in_any_encoding(draw):
    """Documents of bytes with line breaks of several kinds, in several encodings."""
    text = draw(nearxml.documents()).replace("\n", draw(st.sampled_from(["\n", "\r\n", "\r"])))
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "iso-8859-1", "utf-16", "shift_jis"]))
    if text.startswith("<?xml"):
        text = text.partition("?>")[2]
    text = f"<?xml version='1.0' encoding='{encoding.removesuffix('-sig')}'?>{text}"
    return text.encode(encoding, "xmlcharrefreplace")


REWRITTEN = st.sampled_from([{}, {}, {}, {"max_depth": 3}, {"roots": "all"}, {"root_element": "b"}])


@given(case=cases(DOCUMENTS | in_any_encoding(), REWRITTEN), data=st.data())
def test_edits_of_the_source(case, data):
    document, edits, (text, _), options = case
    source = characters(document, **options)[0]
    # Only the document says which line breaks are written.
    assume(all(source.count("\n", *edit[:2]) == edit.instead.count("\n") for edit in edits))
    with lane(data.draw(st.sampled_from(sorted(LANES)))):
        with meaning(edits):
            result = rewritten([document], **options)
        if result is None:
            return
        lag, step = data.draw(st.sampled_from([(0, 1), (3, 1), (10, 7)]))
        with meaning(edits, lag, step):
            assert rewritten(data.draw(chunkings(document)), **options) == result
        with meaning(edits):
            repairer = xml5tree.Repairer(recovery="intent", **options)
            assert repairer.feed(document) + repairer.close() == result[0]
    markup, found, log = result
    assert xml5tree.apply(document, found) == markup
    assert xml5tree.apply(markup, xml5tree.invert(found)) == document
    assert all(first.end < second.begin for first, second in pairwise(found))
    assert all(edit.replacement != edit.original == document[edit.begin : edit.end] for edit in found)
    assert all(entry in log for edit in found for entry in edit.entries)
    assert all((edit.reason == "error") == bool(edit.entries) for edit in found if edit.reason != "encoding")
    # Each assumption is in an edit, unless the draft undoes it.
    is_plain = isinstance(document, str) and "\r" not in document and document[:1] != "\ufeff"
    if is_plain and not options and is_text_of_its_own(text):
        assert markup == repaired(text)


def repaired(text):
    repairer = xml5tree.Repairer(recovery="draft")
    return repairer.feed(text) + repairer.close()


# Records, events, tokens


def records_of(pieces, **options):
    found = []
    reader = xml5tree.records(pieces, "*", spans=True, on_bad="mark", **options)
    try:
        for record in reader:
            errors = [(entry.code, entry.offset) for entry in record.errors]
            found.append((record.element.tag, record.offset, record.line, record.byte_offset, record.span, errors))
    except xml5tree.ParseError as error:
        found.append(error.code)
    return found, [*reader.error_log]


def events_of(pieces, **options):
    found = []
    try:
        parser = xml5tree.iterparse(pieces, ("start", "end", "error"), spans=True, **options)
        for event, item in parser:
            if event == "error":
                found.append(item)
            else:
                found.append((event, item.tag, parser.span_of(item) if event == "end" else None))
    except xml5tree.ParseError as error:
        found.append(error.code)
    return found


def has_errors(document, **options):
    """Whether a document is not well-formed, by the draft."""
    log = []
    with suppress(xml5tree.ParseError):
        xml5tree.repair(document, recovery="draft", on_error=log.append, **options)
    return bool(log)


NOTED = st.sampled_from([{}, {}, {"max_depth": 3}, {"roots": "all"}, {"elements": ["a", "b", "item"]}])


@pytest.mark.filterwarnings("ignore::xml5tree.RowsWarning")
@pytest.mark.parametrize("of", [records_of, events_of])
@given(case=cases(DOCUMENTS | in_any_encoding(), NOTED), data=st.data())
def test_cuts_do_not_matter_to_records_and_events(of, case, data):
    document, edits, _, options = case
    assume(of is events_of or "roots" not in options)  # the element around the roots may begin before what was read
    with lane(data.draw(st.sampled_from(sorted(LANES)))):
        with meaning(edits):
            expected = of([document], **options)
        lag, step = data.draw(st.sampled_from([(0, 1), (3, 1), (10, 7)]))
        with meaning(edits, lag, step):
            assert of(data.draw(chunkings(document)), **options) == expected


@pytest.mark.filterwarnings("ignore::xml5tree.RowsWarning")
@given(case=cases(nearxml.documents() | nearxml.near_markup(), NOTED), way=st.sampled_from(sorted(LANES)))
def test_records_stand_in_the_source(case, way):
    document, edits, (text, places), options = case
    source, start = characters(document, **options)
    assume(source == document and is_text_of_its_own(text, start))
    assume(has_errors(document, **options))  # else nothing is assumed
    assume("<" in document and "<" in text)  # else it may be a path
    with lane(way):
        with meaning(edits):
            found, _ = records_of([document], **options)
        expected, _ = records_of([text], recovery="draft", **options)
    assert [one if isinstance(one, str) else one[:2] for one in found] == [
        one if isinstance(one, str) else (one[0], places[one[1]]) for one in expected
    ]
    for one in found:
        if not isinstance(one, str):
            _, offset, line, _, (begin, end), _ = one
            assert begin == offset
            assert begin <= end <= len(source)
            assert source.count("\n", 0, begin) == line - 1


def test_a_record_whose_end_tag_is_assumed_has_that_error():
    document = "<r><i>1<i>2</i><i>3</i></r>"
    edits = [SourceEdit(7, 7, "</i>", (assumption(7, "assumed-end-before"),))]
    with meaning(edits):
        found = list(xml5tree.records([document], "i", spans=True))
        assert [document[slice(*record.span)] for record in found] == ["<i>1", "<i>2</i>", "<i>3</i>"]
        assert [[entry.code for entry in record.errors] for record in found] == [["assumed-end-before"], [], []]
        kept = [SourceEdit(7, 7, "</i>", (assumption(7, effect="kept"),))]
    with meaning(kept):
        found = list(xml5tree.records([document], "i"))
        assert [[entry.code for entry in record.errors] for record in found] == [["assumed-end-tag"], [], []]
        assert [record.effect for record in found] == ["kept", None, None]


@given(case=cases(nearxml.documents() | nearxml.near_markup(), st.just({})), data=st.data())
def test_tokens_are_those_of_the_edited_text(case, data):
    document, edits, (text, _), _ = case
    assume(characters(document)[0] == document and "\r" not in text)
    assume(has_errors(document))  # else nothing is assumed
    found, options = [], {"recovery": "intent", "on_error": lambda entry: found.append(entry.code)}
    with lane(data.draw(st.sampled_from(sorted(LANES)))):
        expected = [*xml5tree.tokenize(text, recovery="draft")]
        with meaning(edits, *data.draw(st.sampled_from([(0, 1), (3, 1), (10, 7)]))):
            assert [*xml5tree.tokenize(document, **options)] == expected
    assert all(found.count(one.code) >= 1 for edit in edits for one in edit.assumptions)


def test_an_assumption_comes_before_its_token():
    document = "<a><b>1<c>2</c></a> and more"
    edits = [SourceEdit(7, 7, "</b>", (assumption(7),)), SourceEdit(10, 11, "3", (assumption(10, "assumed-text"),))]
    with meaning(edits):
        found = [getattr(it, "code", it) for it in DIALECT.tokenize([document], SETTINGS, with_errors=True)]
    assert found[2:6] == ["assumed-end-tag", Characters("1"), EndTag("b"), StartTag("c", {})]
    assert found[6:9] == ["assumed-text", Characters("3"), EndTag("c")]


# Lines, the command line, time and memory


@pytest.mark.parametrize("way", sorted(LANES))
def test_lines_of_a_tree_are_those_of_the_source(way):
    document = "".join(f"<i>{number}\n\n</x>\n<j/></i>\n" for number in range(50))
    document = f"<r>\n{document}</r>"
    edits, place = [], 0
    while (place := document.find("\n\n</x>", place + 1)) >= 0:
        edits.append(SourceEdit(place, place + 6, "", (assumption(place, "assumed-twice"),)))
    with lane(way), meaning(edits):
        root = xml5tree.fromstring(document, backend="lxml", recovery="intent")
    lines = [element.sourceline for element in root.iter()]
    assert lines == [1, *[line for start in range(2, 202, 4) for line in (start, start + 3)]]


def test_the_document_is_truncated_if_an_edit_says_so():
    for document, truncated in (("<a><b>1</a>", True), ("<a><b>1</b></a>", False)):
        edits = [SourceEdit(7, 7, "</b>", (assumption(7, truncated=truncated),))] if truncated else []
        with meaning(edits):
            assert read([document])[2] == truncated


def test_commands(tmp_path):
    path = tmp_path / "broken.xml"
    path.write_text("<r><i>1<i>2</i>\n<i>&3</i></r>")
    edits = [SourceEdit(7, 7, "</i>", (assumption(7, "assumed-end-before"),))]
    with meaning(edits):
        repaired = run_command("repair", path)
        assert repaired.out == "<r><i>1</i><i>2</i>\n<i>&amp;3</i></r>"
        found = json.loads(run_command("repair", "--edits", "json", path).out)["edits"]
        assert [(edit["begin"], edit["replacement"], edit["errors"][0]["code"]) for edit in found] == [
            (7, "</i>", "assumed-end-before"),
            (19, "&amp;", "unescaped-ampersand"),
        ]
        checked = run_command("check", path)
        assert "1:8: assumed-end-before" in checked.out
        assert "2:4: unescaped-ampersand" in checked.out
        assert run_command("records", "--tag", "i", path).out.count("\n") == 3


def broken(count):
    document = "<r>" + "<i a='1'>text<j>more text</i>\n" * count + "</r>"
    places, place = [], 0
    while (place := document.find("more text", place + 1)) >= 0:
        places.append(place + 9)
    return document, [SourceEdit(place, place, "</j>", (assumption(place),)) for place in places]


@pytest.mark.parametrize("size", [7, 1 << 16])
@pytest.mark.parametrize("edits", [None, []], ids=["repair", "edits"])
def test_time_grows_with_the_document(size, edits):
    def repair(case):
        document, changes = case
        noted = None if edits is None else []
        with meaning(changes, 4096):
            repairer = xml5tree.Repairer(recovery="intent", edits=noted, max_errors=100)
            for piece in chunks(document, size):
                repairer.feed(piece)
            repairer.close()

    assert_scales_linearly(repair, broken, 300, slack=2.5)


def test_memory_is_constant():
    def peak(count):
        document, edits = broken(count)
        with meaning(edits, 4096):
            pieces = list(chunks(document, 1000))
            tracemalloc.start()
            for _ in xml5tree.repair_iter(pieces, recovery="intent", max_errors=10):
                pass
            taken = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        return taken

    peak(100)
    assert peak(8000) < 2 * peak(2000)


@pytest.mark.parametrize("chosen", LANES)
@pytest.mark.parametrize("size", [10**9, 5000, 4999])
@pytest.mark.parametrize("character", ["a", "é", "€", "\ud800", "😀"], ids=ascii)
def test_search_pauses_within_characters(character, size, chosen):
    """Texts that are longer than what is seen, so that it pauses at octets that begin no character."""
    with lane(chosen):
        for start in ("<a>", "<a>&<b>", "<r><a>1</b></r><a>"):
            for count in (20_000, 50_001):
                document = start + character * count
                repairer = xml5tree.Repairer(recovery="intent")
                out = "".join([*map(repairer.feed, chunks(document, size)), repairer.close()])
                assert out.count("\ufffd" if character == "\ud800" else character) >= count
