"""Reading on an event loop: others have their turn, and executors may do the work."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

import xml5tree

ITEM = "<item><n>1 & 2</n></item>\n"
DOCUMENT = f"<r>{ITEM * 20_000}</r>"


async def in_parts(*parts):
    for part in parts:
        yield part


async def turns_while(read):
    """Return how often another task has its turn while something is read, and what is read."""
    turns = 0

    async def count():
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(count())
    found = await read()
    task.cancel()
    return turns, found


@pytest.mark.parametrize("document", [DOCUMENT, DOCUMENT.encode()], ids=["text", "bytes"])
def test_others_have_their_turn(document):
    """Within one part of half a megabyte, too."""

    async def events():
        return [element.tag async for _, element in xml5tree.aiterparse(in_parts(document), tag="item")]

    async def records():
        return [record["n"] async for record in xml5tree.arecords(in_parts(document))]

    for read, expected in ((events, "item"), (records, "1 & 2")):
        turns, found = asyncio.run(turns_while(read))
        assert turns >= len(document) // (1 << 12)
        assert found == [expected] * 20_000


@pytest.mark.parametrize("backend", ["etree", "lxml"])
def test_in_an_executor(backend):
    async def read():
        with ThreadPoolExecutor(1) as executor:
            events = xml5tree.aiterparse(in_parts(DOCUMENT), tag="item", backend=backend, executor=executor)
            tags = [element.tag async for _, element in events]
            records = xml5tree.arecords(in_parts(DOCUMENT), backend=backend, executor=executor)
            return tags, [record["n"] async for record in records]

    tags, values = asyncio.run(read())
    assert tags == ["item"] * 20_000
    assert values == ["1 & 2"] * 20_000


def test_what_comes_before_an_error_is_given():
    async def read():
        found = []
        try:
            async for record in xml5tree.arecords(in_parts("<r>" + ITEM * 3 + "<item>"), on_bad="raise", bad="moved"):
                found.append(record)
        except xml5tree.ParseError as error:
            return found, error.code
        return found, None

    found, code = asyncio.run(read())
    assert len(found) == 3
    assert code == "eof-in-element"


def test_empty_parts_and_wrong_ones():
    async def read(*parts):
        return [event async for event, _ in xml5tree.aiterparse(in_parts(*parts))]

    assert asyncio.run(read("", "<r/>", "")) == ["end"]
    with pytest.raises(TypeError):
        asyncio.run(read("<r>", 1))
    with pytest.raises(TypeError):
        asyncio.run(read("<r>", b"</r>"))


def test_without_asyncio():
    """Another library's loop is not told anything, and nothing of asyncio is asked."""
    events = xml5tree.aiterparse(in_parts(DOCUMENT), tag="item")

    async def read():
        return [element.tag async for _, element in events]

    with pytest.raises(StopIteration) as stopped:
        read().send(None)
    assert len(stopped.value.value) == 20_000
