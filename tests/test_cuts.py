"""Elements that the end of the document has closed: `is_complete` of events, `complete` of records."""

import asyncio
import pickle
import re

import pytest
from support.splits import chunks

import xml5tree

BACKENDS = ["etree", "lxml"]
CUTS = {
    "<r><i>x</i></r>": [("i", True), ("r", True)],
    "<r><i>x</i><i>y": [("i", True), ("i", False), ("r", False)],
    "<r><i>x</i": [("i", False), ("r", False)],
    "<r><i>x</i>": [("i", True), ("r", False)],
    "<r><i>x</i><!-- y": [("i", True), ("r", False)],
    "<r><i k='": [("i", False), ("r", False)],
    "<r><i>x</r>": [("i", True), ("r", True)],
    "<r><i/><i": [("i", True), ("i", False), ("r", False)],
}


@pytest.mark.filterwarnings("ignore:the document is cut off:xml5tree.RowsWarning")
@pytest.mark.parametrize("document", CUTS)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("size", [1, 100])
def test_events_and_records(document, backend, size):
    parts = list(chunks(document, size))
    events = xml5tree.iterparse(parts, backend=backend, recovery="draft")
    assert [(element.tag, events.is_complete(element)) for _, element in events] == CUTS[document]
    records = list(xml5tree.records(parts, "i", backend=backend, recovery="draft"))
    expected = [complete for tag, complete in CUTS[document] if tag == "i"]
    assert [record.complete for record in records] == expected
    assert [pickle.loads(pickle.dumps(record)).complete for record in records] == expected


@pytest.mark.parametrize("backend", BACKENDS)
def test_other_dialects_and_options(backend):
    for options in ({"dialect": "microxml"}, {"roots": "all"}, {"recovery": "intent"}):
        events = xml5tree.iterparse(
            ["x<r>" if options.get("roots") else "<r>", "<i>x</i><i>y"], backend=backend, **options
        )
        found = [(element.tag, events.is_complete(element)) for _, element in events]
        assert found[:3] == [("i", True), ("i", False), ("r", False)]
    events = xml5tree.iterparse(["<r/>"], backend=backend, recovery="strict")
    assert [events.is_complete(element) for _, element in events] == [True]


def test_asynchronously():
    async def parts():
        yield "<r><i>x"

    async def read():
        events = xml5tree.aiterparse(parts())
        return [events.is_complete(element) async for _, element in events]

    assert asyncio.run(read()) == [False, False]


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_document_that_is_cut_anywhere(backend):
    """An element is complete exactly if its end tag is there, or what makes its tag an empty one."""
    document = "<r><i a='1'>x<b>y</b></i><i><b>z</b>&amp;<c/></i></r>  "
    ends = [found.end() for found in re.finditer(r"</\w+>|<c/", document)]
    for end in range(2, len(document) + 1):
        events = xml5tree.iterparse([document[:end]], backend=backend, recovery="draft")
        assert sum(events.is_complete(element) for _, element in events) == sum(place <= end for place in ends)
