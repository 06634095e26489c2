"""Errors among events: each where it is in the document, the errors of elements, and what becomes of bad ones."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import nearxml
from support.nearleafxml import near_leafxml
from support.nearmicroxml import near_microxml
from support.splits import chunkings, splits

import xml5tree
import xml5tree.ElementTree

BACKENDS = ["etree", "lxml"]
both_backends = pytest.mark.parametrize("backend", BACKENDS)

#: Records of which the second, third and fifth are bad, each by another effect.
RECORDS = (
    "<recs>\n<rec>1</rec>\n<rec>2 & 3</rec>\n<rec><b>x</rec>\n<rec>4</rec>\n<rec a='1' a='2'>5</rec>\n"
    "&<rec>6</rec></recs>"
)


def shown(event, item):
    if event == "error":
        return f"!{item.code}"
    return f"{event} {item.tag} {item.text}" if event == "end" else event


def events_of(document, events=("end", "error"), tag="rec", **options):
    pieces = [document] if isinstance(document, str) else document
    return [shown(*event) for event in xml5tree.iterparse(pieces, events, tag=tag, **options)]


@both_backends
@pytest.mark.parametrize("pieces", [[RECORDS], list(RECORDS)], ids=["whole", "characters"])
def test_errors_come_where_they_are(backend, pieces):
    assert events_of(pieces, backend=backend) == [
        "end rec 1",
        "!unescaped-ampersand",
        "end rec 2 & 3",
        "!mismatched-end-tag",
        "end rec None",
        "end rec 4",
        "!duplicate-attribute",
        "end rec 5",
        "!unescaped-ampersand",
        "end rec 6",
    ]


@both_backends
def test_errors_come_after_the_start_of_their_element(backend):
    document = "<a>&<b c=d>\1<!--x-->&<e/></b>& </a> &"
    events = ("start", "end", "comment", "error")
    found = [
        item.code if event == "error" else (event, None if event == "comment" else item.tag)
        for event, item in xml5tree.iterparse([document], events, backend=backend)
    ]
    expected = [
        ("start", "a"),
        "unescaped-ampersand",
        ("start", "b"),
        "unquoted-attribute-value",
        "control-character-in-input-stream",
        "coerced-character",
        ("comment", None),
        "unescaped-ampersand",
        ("start", "e"),
        ("end", "e"),
        ("end", "b"),
        "unescaped-ampersand",
        ("end", "a"),
        "text-outside-root",
    ]
    # Comments are where the native parser reports them, which is before the errors of the text around them.
    without = [item for item in expected if item != ("comment", None)]
    assert [item for item in found if item != ("comment", None)] == [*without[:-1], *found[len(expected) - 1 :]]
    assert found[-1] in {"text-outside-root", "unescaped-ampersand"}


@both_backends
@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({"on_bad": "skip"}, ["1", "2 & 3", "4", "6"]),
        ({"on_bad": "skip", "bad_from": "kept"}, ["1", "4", "6"]),
        ({"on_bad": "skip", "bad_from": "lost"}, ["1", "2 & 3", None, "4", "6"]),
        ({"on_bad": "mark"}, ["1", "2 & 3", None, "4", "5", "6"]),
        ({}, ["1", "2 & 3", None, "4", "5", "6"]),
    ],
)
def test_policy(backend, options, kept):
    for pieces in ([RECORDS], list(RECORDS)):
        found = [element.text for _, element in xml5tree.iterparse(pieces, tag="rec", backend=backend, **options)]
        assert found == kept


@both_backends
def test_policy_that_raises(backend):
    events = xml5tree.iterparse([RECORDS], tag="rec", backend=backend, on_bad="raise", filename="recs.xml")
    assert [next(events)[1].text for _ in range(2)] == ["1", "2 & 3"]
    with pytest.raises(xml5tree.ParseError, match=r"^recs\.xml: element 'rec': end tag '</rec>' ") as caught:
        next(events)
    assert (caught.value.code, caught.value.position[0]) == ("mismatched-end-tag", 4)
    assert [entry.code for entry in caught.value.errors] == ["mismatched-end-tag"]
    assert list(events) == []


def test_parser_gives_the_document_up():
    parser = xml5tree.XMLPullParser(tag="rec", on_bad="raise")
    parser.feed(RECORDS)
    with pytest.raises(xml5tree.ParseError, match="element 'rec'"):
        list(parser.read_events())
    with pytest.raises(ValueError, match="after an exception"):
        parser.feed(" ")


@both_backends
@pytest.mark.parametrize("pieces", [[RECORDS], list(RECORDS)], ids=["whole", "characters"])
def test_errors_of_elements(backend, pieces):
    events = xml5tree.iterparse(pieces, tag=("rec", "recs"), backend=backend, on_bad="mark")
    found = []
    before = None
    for _, element in events:
        found.append([entry.code for entry in events.errors_of(element)])
        if before is not None:
            with pytest.raises(ValueError, match="read last"):
                events.errors_of(before)
        before = element
    assert found[:-1] == [[], ["unescaped-ampersand"], ["mismatched-end-tag"], [], ["duplicate-attribute"], []]
    assert found[-1] == [entry.code for entry in events.error_log]


def test_errors_of_elements_are_bounded():
    events = xml5tree.iterparse(["<r>", *["<a>&</a>"] * 1000, "</r>"], on_bad="mark", max_errors=100)
    counts = [len(events.errors_of(element)) for _, element in events]
    assert counts[:-1] == [1] * 1000
    assert 100 <= counts[-1] < 200
    assert events.error_log.total == 1000


@both_backends
def test_end_of_the_document(backend):
    events = xml5tree.iterparse(["<recs><rec>1</rec><rec>&2"], tag="rec", backend=backend, on_bad="mark")
    found = [[entry.code for entry in events.errors_of(element)] for _, element in events]
    assert found == [[], ["unescaped-ampersand", "eof-in-element"]]


@both_backends
@pytest.mark.parametrize("make", [list, lambda document: [document]], ids=["characters", "whole"])
def test_callback_and_logger_do_not_run_ahead(backend, make, caplog):
    """`on_error` is called where the event of the error would be, neither a chunk before nor at the next error."""
    document = "<recs><rec>\1</rec><rec>&</rec><rec>2</rec></recs>"
    told = []
    with caplog.at_level("INFO"):
        for event, element in xml5tree.iterparse(make(document), backend=backend, on_error=told.append, logger="xml"):
            assert len(told) == len(caplog.records)
            told.append(f"{event} {element.tag}")
            caplog.records.append(None)
    assert [entry if isinstance(entry, str) else entry.code for entry in told] == [
        "control-character-in-input-stream",
        "coerced-character",
        "end rec",
        "unescaped-ampersand",
        "end rec",
        "end rec",
        "end recs",
    ]


def known_of(pieces, **options):
    """The events, in a form that can be compared."""
    events = xml5tree.iterparse(pieces, **options)
    found = []
    try:
        for event, item in events:
            name = item if event == "error" else getattr(item, "tag", item)
            found.append((event, name if isinstance(name, (str, xml5tree.ErrorEntry)) else str(event)))
    except xml5tree.ParseError as error:
        found.append(("refused", error.code))
    return found, events


@pytest.mark.parametrize("document", ["<?xml version='1.0' standalone=\"ye", "<a>\n\1", "<a b='&#1;\n\1"])
@pytest.mark.parametrize("recovery", ["draft", "intent"])
def test_errors_at_the_end_of_what_is_there(document, recovery):
    for pieces in ([document], list(document)):
        found, events = known_of(pieces, events=("error",), recovery=recovery)
        entries = [entry for kind, entry in found if kind == "error"]
        assert sorted(entries, key=hash) == sorted(
            (entry for entry in events.error_log if entry.code != "no-root-element"), key=hash
        )


@given(nearxml.documents(), st.data())
def test_events_with_errors(document, data):
    """All errors come among the same events, in the order of their places, however the document is fed."""
    backend = data.draw(st.sampled_from(BACKENDS))
    kinds = ("start", "end", "error")
    found, events = known_of([document], events=kinds, backend=backend)
    entries = [item for event, item in found if event == "error"]
    log = events.error_log
    assert sorted(entries, key=hash) == sorted((entry for entry in log if entry.code != "no-root-element"), key=hash)
    without = [item for item in found if item[0] != "error"]
    assert without == known_of([document], events=("start", "end"), backend=backend)[0]
    assert known_of(data.draw(chunkings(document)), events=kinds, backend=backend)[0] == found


@pytest.mark.parametrize("document", [RECORDS, "<a>&<b>\1</b><b c=1 d='\2'>&x;</a></c>&", "<!--x--><p:a/>y<b/>"])
def test_every_split(document):
    expected = known_of([document], events=("start", "end", "error"))[0]
    for pieces in splits(document):
        assert known_of(pieces, events=("start", "end", "error"))[0] == expected


def test_other_ways():
    expected = ["1", "2 & 3", "4", "6"]
    events = xml5tree.ElementTree.iterparse([RECORDS], tag="rec", on_bad="skip")
    assert [element.text for _, element in events] == expected
    parser = xml5tree.ElementTree.XMLPullParser(tag="rec", on_bad="skip")
    parser.feed(RECORDS)
    assert [element.text for _, element in parser.read_events()] == expected

    async def parts():
        yield RECORDS

    async def read():
        events = xml5tree.aiterparse(parts(), tag="rec", on_bad="skip", bad_from="kept")
        return [(element.text, events.errors_of(element)) async for _, element in events]

    assert asyncio.run(read()) == [("1", ()), ("4", ()), ("6", ())]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"on_bad": "drop"}, "on_bad must be"),
        ({"bad_from": "worse"}, "bad_from must be"),
        ({"on_bad": "skip", "recovery": "strict"}, 'recovery="strict"'),
        ({"events": ("error",), "recovery": "strict"}, 'recovery="strict"'),
        ({"on_bad": "skip", "events": ("start",)}, "ends of elements"),
        ({"events": ("error",), "dialect": "html"}, "no part of the tree is certain"),
        ({"events": ("error",), "dialect": "microxml", "recovery": "strict"}, 'recovery="strict"'),
        ({"events": ("error", "mistake")}, "mistake"),
    ],
)
@both_backends
def test_wrong_values(options, message, backend):
    with pytest.raises(ValueError, match=message):
        xml5tree.XMLPullParser(**options, backend=backend)


def test_errors_of_elements_have_to_be_asked_for():
    events = xml5tree.iterparse([RECORDS])
    with pytest.raises(ValueError, match="on_bad"):
        events.errors_of(next(events)[1])


@both_backends
@pytest.mark.parametrize("pieces", [[RECORDS], list(RECORDS)], ids=["whole", "characters"])
def test_microxml(backend, pieces):
    """The element that hides the root has no events unless it is the root after all."""
    options = {"backend": backend, "dialect": "microxml"}
    assert events_of(pieces, **options) == events_of(pieces, backend=backend)
    kept = ["end rec 1", "end rec 2 & 3", "end rec 4", "end rec 6"]
    assert events_of(pieces, ("end",), on_bad="skip", **options) == kept
    told = []
    for event in xml5tree.iterparse(pieces, tag="rec", on_error=told.append, **options):
        told.append(shown(*event))
    assert [item if isinstance(item, str) else shown("error", item) for item in told] == events_of(pieces, **options)
    parts = list("".join(pieces) + "<b>x")
    events = xml5tree.iterparse(parts, ("start", "end", "error"), **options)
    assert [shown(*event) for event in events][-7:] == [
        "end recs \n",
        *["start", "!element-after-root", "!document-wrapped", "!eof-in-element", "end b x", "end U000023doc None"],
    ]
    assert events.root.tag == "U000023doc"


@pytest.mark.parametrize("recovery", ["draft", "intent"])
def test_places_do_not_depend_on_what_is_held_back(recovery):
    """A policy that looks ahead holds back text of which the characters have been reported."""
    document = "<r>\n<b x='1' y=\n\1 2>\n\2 & \n</b></r>"
    places = [
        [
            (entry.code, entry.line, entry.column)
            for _, entry in xml5tree.iterparse(parts, ("error",), recovery=recovery)
        ]
        for parts in ([document], list(document))
    ]
    assert places[0] == places[1]
    assert ("control-character-in-input-stream", 4, 0) in places[0]


@both_backends
def test_leafxml(backend):
    """There is one error at most, and then no more of the tree."""
    document = "<recs><rec>1</rec><rec b='&amp;'>2</rec><rec>3 & 4</rec></recs>"
    options = {"dialect": "leafxml", "backend": backend}
    with pytest.raises(xml5tree.ParseError) as refusal:
        list(xml5tree.iterparse([document], ("start", "end", "error"), **options))
    assert refusal.value.position == (1, 47)
    events = xml5tree.iterparse([document], tag="rec", on_bad="mark", **options)
    for _ in range(2):
        assert events.errors_of(next(events)[1]) == ()
    with pytest.raises(xml5tree.ParseError):
        next(events)


@given(st.data())
def test_events_with_errors_of_other_dialects(data):
    """All errors come among the same events, however the document is fed."""
    dialect = data.draw(st.sampled_from(["microxml", "leafxml"]))
    document = data.draw(near_microxml() if dialect == "microxml" else near_leafxml())
    options = {"backend": data.draw(st.sampled_from(BACKENDS)), "dialect": dialect}
    kinds = ("start", "end", "error")
    found, events = known_of([document], events=kinds, **options)
    entries = [item for event, item in found if event == "error"]
    if dialect == "microxml":
        assert sorted(entries, key=hash) == sorted(events.error_log, key=hash)
    without = [item for item in found if item[0] != "error"]
    assert without == known_of([document], events=("start", "end"), **options)[0]
    assert known_of(data.draw(chunkings(document)), events=kinds, **options)[0] == found


def test_memory_is_that_of_open_elements():
    parser = xml5tree.XMLPullParser(("end", "error"), tag="rec", max_errors=10)
    notes = parser._events._notes
    parser.feed("<recs>")
    for _ in range(100):
        parser.feed("<rec>&</rec>" * 10)
        assert len(list(parser.read_events())) in (19, 20)
        assert len(notes) <= 2
    assert len(parser._events._history) <= 200
