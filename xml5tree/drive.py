"""Feeds a document to a consumer, sync or async; makes iterators of it."""

import sys
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol, Self, TypeVar

from xml5tree.documents import Document, text_or_bytes

if TYPE_CHECKING:
    from concurrent.futures import Executor


_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
_Result_co = TypeVar("_Result_co", covariant=True)

#: Bytes or characters that are parsed before the loop has its turn: some milliseconds, if many of them are faulty.
_SLICE: Final = 1 << 12


class Fed(Protocol[_Result_co]):
    """A consumer of a document. Each method returns the result of its step."""

    def feed(self, data: Any, /) -> _Result_co:
        """Take the next part of the document."""

    def end_early(self, damage: str, /) -> object:
        """Note that compressed data was damaged or cut off."""

    def close(self) -> _Result_co: ...


def drive(fed: Fed[_Result], parts: Iterable[Document], damage: Callable[[], str] = lambda: "") -> Iterator[_Result]:
    """Feed a document to its end; yield the result of each step. `damage` returns that of compressed data, or ""."""
    for part in parts:
        yield fed.feed(part)
    if damaged := damage():
        fed.end_early(damaged)
    yield fed.close()


async def drive_asynchronously(
    fed: Fed[_Result], parts: AsyncIterable[Document], executor: "Executor | None"
) -> AsyncIterator[_Result]:
    """Feed parts that come asynchronously, in an executor or the loop's thread; yield the result of each slice."""
    async for part in parts:
        data = text_or_bytes(part)
        for start in range(0, max(len(data), 1), _SLICE):
            if start:
                await _pause()
            yield await _run_in(executor, partial(fed.feed, data[start : start + _SLICE]))
    yield await _run_in(executor, fed.close)


class DocumentIterator(Iterator[_Item]):
    """An iterator over something in a document; a context manager, which closes the file that was opened here."""

    def __init__(self, items: Iterator[_Item], source: Any) -> None:
        self._items = items
        self._source = source

    def __next__(self) -> _Item:
        return next(self._items)

    def close(self) -> None:
        """Stop reading; close the file if it was opened here."""
        self._items = iter(())
        self._source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncDocumentIterator(AsyncIterator[_Item]):
    """As `DocumentIterator`, of a document whose parts come asynchronously."""

    def __init__(self, items: AsyncIterator[_Item]) -> None:
        self._items: AsyncIterator[_Item] | None = items

    async def __anext__(self) -> _Item:
        if self._items is None:
            raise StopAsyncIteration
        return await anext(self._items)

    def close(self) -> None:
        """Stop reading. The source is the caller's, and stays open."""
        self._items = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()


async def _run_in(executor: "Executor | None", action: Callable[[], _Result]) -> _Result:
    if executor is None:
        return action()
    import asyncio

    return await asyncio.get_running_loop().run_in_executor(executor, action)


async def _pause() -> None:
    """Let the other tasks of an asyncio loop run; do nothing in other loops."""
    asyncio: Any = sys.modules.get("asyncio")
    if asyncio is None:
        return
    try:
        asyncio.get_running_loop()
    except RuntimeError:  # another library's loop runs
        return
    await asyncio.sleep(0)
