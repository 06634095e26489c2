"""Reading on an event loop: others have their turn, and executors may do the work."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

import xml5tree
from xml5tree.records import AsyncRecords, Records

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
            async for record in xml5tree.arecords(
                in_parts("<r>" + ITEM * 3 + "<item>"), on_bad="raise", bad_from="moved"
            ):
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


def public_names(cls):
    return {name for name in dir(cls) if not name.startswith("_")}


def test_what_the_synchronous_ones_have():
    assert public_names(xml5tree.iterparse) <= public_names(xml5tree.aiterparse)
    assert public_names(Records) <= public_names(AsyncRecords)


@pytest.mark.parametrize("function", [xml5tree.aiterparse, xml5tree.arecords])
def test_closing_ends_the_iteration_and_leaves_the_source_open(function):
    given = []

    async def parts():
        for part in ("<r>" + ITEM * 2, ITEM, ITEM + "</r>"):
            given.append(part)
            yield part

    async def read():
        source = parts()
        async with function(source, recovery="draft") as found:
            await anext(found)
        rest = [one async for one in found]
        found.close()
        return rest, len(given), [part async for part in source]

    assert asyncio.run(read()) == ([], 1, [ITEM, ITEM + "</r>"])


def test_names_that_may_have_been_meant():
    async def read():
        found = xml5tree.arecords(in_parts(f"<r>{ITEM}</r>"), "Item")
        with pytest.warns(xml5tree.RowsWarning, match="no element 'Item' was found"):
            assert [record async for record in found] == []
        return found.others

    assert asyncio.run(read())[0] == "item"


@pytest.mark.parametrize("executor", [False, True], ids=["loop", "executor"])
def test_what_raises_at_the_end_comes_after_the_last_events(executor):
    async def read():
        with ThreadPoolExecutor(1) as pool:
            found = xml5tree.aiterparse(in_parts("text, and", " no tag"), executor=pool if executor else None)
            with pytest.raises(xml5tree.ParseError) as caught:
                await anext(found)
        return caught.value.code

    assert asyncio.run(read()) == "no-root-element"


@pytest.mark.parametrize("recovery", ["draft", "intent"])
@pytest.mark.parametrize("count", [0, 2, 50, 1000])
def test_records_before_a_failure_of_the_source(count, recovery):
    """All whole ones come first, but not the one that the failure cuts off."""
    parts = ["<r>", *(f"<item><a>{number}</a></item>" for number in range(count)), "<item><a>cut"]

    def failing():
        yield from parts
        raise ConnectionError("reset")

    async def failing_later():
        for part in failing():
            yield part

    async def read():
        found = []
        try:
            async for record in xml5tree.arecords(failing_later(), recovery=recovery):
                found.append(record["a"])
        except ConnectionError:
            found.append("reset")
        return found

    found = []
    try:
        for record in xml5tree.records(failing(), recovery=recovery):
            found.append(record["a"])
    except ConnectionError:
        found.append("reset")
    assert found == asyncio.run(read()) == [*map(str, range(count)), "reset"]


def test_failure_of_the_source_before_the_root():
    def failing():
        yield "no tag yet"
        raise ConnectionError("reset")

    async def failing_later():
        for part in failing():
            yield part

    async def read():
        return [record async for record in xml5tree.arecords(failing_later())]

    with pytest.raises(ConnectionError, match="reset"):
        list(xml5tree.records(failing()))
    with pytest.raises(ConnectionError, match="reset"):
        asyncio.run(read())
