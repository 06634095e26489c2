"""Reading on an event loop, which has its turn while a document is parsed."""

import sys
from collections.abc import AsyncIterable, AsyncIterator, Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

from xml5tree.documents import Document, text_or_bytes

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from concurrent.futures import Executor

__all__ = ["run_in", "steps"]

_Result = TypeVar("_Result")

#: Bytes or characters that are parsed before the loop has its turn: some milliseconds, if many of them are faulty.
_SLICE: Final = 1 << 12


async def steps(
    parts: AsyncIterable[Document], step: Callable[[Any], _Result], executor: "Executor | None"
) -> AsyncIterator[_Result]:
    """Yield what comes of each slice of a document.

    Args:
        parts: the parts of the document.
        step: takes a slice.
        executor: what the step is carried out in; None: the loop's own thread, where others have their turn after each.
    """
    async for part in parts:
        data = text_or_bytes(part)
        for start in range(0, max(len(data), 1), _SLICE):
            if start:
                await _pause()
            yield await run_in(executor, lambda piece=data[start : start + _SLICE]: step(piece))  # type: ignore[misc]


async def run_in(executor: "Executor | None", action: Callable[[], _Result]) -> _Result:
    """Carry something out in an executor, or here if that is None."""
    if executor is None:
        return action()
    import asyncio

    return await asyncio.get_running_loop().run_in_executor(executor, action)


async def _pause() -> None:
    """Let the other tasks of an asyncio loop have their turn; other loops are told nothing."""
    if _running_loop() is not None:
        import asyncio

        await asyncio.sleep(0)


def _running_loop() -> "AbstractEventLoop | None":
    """Return the asyncio loop that runs; None where another library's loop does."""
    if "asyncio" not in sys.modules:
        return None
    import asyncio

    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
