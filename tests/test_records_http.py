"""Records of responses, by httpx, from a server on the loopback that drips, stalls and drops."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from xml5tree import arecords

httpx = pytest.importorskip("httpx", reason="httpx is not installed (extra 'compat'): NOT RUN")

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\nTransfer-Encoding: chunked\r\n\r\n"
FEED = b"<r>" + b"".join(b"<item>%d & more</item>\n" % number for number in range(5)) + b"</r>"


@asynccontextmanager
async def serving(body):
    """The URL of a server that answers as `body` does, which gets a function to send a part."""

    async def answer(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD)

        async def send(part):
            writer.write(b"%x\r\n%s\r\n" % (len(part), part))
            await writer.drain()

        try:
            await body(send)
            writer.write(b"0\r\n\r\n")
        except (asyncio.CancelledError, ConnectionAbortedError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"


def read(body, **options):
    """The texts of the records that come, and the exception that ends them, or None.

    They are read by the draft, which gives a record as soon as its end tag has come.
    """

    async def run():
        found = []
        async with (
            serving(body) as url,
            httpx.AsyncClient(trust_env=False, **options) as client,
            client.stream("GET", url) as response,
        ):
            try:
                async for record in arecords(response.aiter_bytes(), "item", recovery="draft"):
                    found.append(record["#text"])
            except httpx.HTTPError as error:
                return found, type(error)
        return found, None

    return asyncio.run(run())


def test_drips():
    async def body(send):
        for place in range(len(FEED)):
            await send(FEED[place : place + 1])

    assert read(body) == ([f"{number} & more" for number in range(5)], None)


def test_stalls():
    """What was complete before comes; then the client's own timeout."""

    async def body(send):
        await send(b"<r><item>1</item><item>2")
        await asyncio.sleep(5)

    assert read(body, timeout=0.5) == (["1"], httpx.ReadTimeout)


def test_drops():
    async def body(send):
        await send(b"<r><item>1</item><item>2</item><item>3")
        raise ConnectionAbortedError

    assert read(body) == (["1", "2"], httpx.RemoteProtocolError)
