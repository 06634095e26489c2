"""LangChain (langchain-core 0.3 or later): an output parser for tool calls."""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import invalid_tool_call, tool_call, tool_call_chunk
from langchain_core.output_parsers import BaseTransformOutputParser

from xml5tree.errors.codes import KEPT
from xml5tree.tools import Call, CallReader, Event, read

__all__ = ["ToolCallParser"]


class ToolCallParser(BaseTransformOutputParser[AIMessage]):
    """An output parser that turns text into messages with tool calls: ``model | ToolCallParser(format="qwen3-coder")``.

    The content of the message is the text around the calls. A call without an end, or with errors whose effect is not
    ``"kept"``, is in ``invalid_tool_calls``: ``error`` says why, and ``args`` is the call as written. While a model
    streams, text comes as soon as it cannot be a call, and each call when it ends. If an error of it shows only later,
    the call comes again, with the same ``id``, in ``invalid_tool_calls``.

    Attributes:
        format: the name of a format, or a `xml5tree.tools.Format`.
        tools: the tools, as `xml5tree.tools.CallReader` takes them, or None.
    """

    format: Any
    tools: Any = None

    def parse(self, text: str) -> AIMessage:
        """Return a whole text as a message; raise what `xml5tree.tools.CallReader` raises."""
        output = read(text, self.format, self.tools)
        whole = [call for call in output.calls if not _fault(call)]
        invalid = [_invalid(call, text[call.start : call.end], _new_id()) for call in output.calls if _fault(call)]
        return AIMessage(
            content=output.text,
            tool_calls=[tool_call(name=call.name, args=call.arguments, id=_new_id()) for call in whole],
            invalid_tool_calls=invalid,
        )

    def _transform(self, input: Iterator[str | BaseMessage]) -> Iterator[AIMessage]:
        chunks = _Chunks(CallReader(self.format, self.tools))
        for part in input:
            yield from chunks.feed(_text_of(part))
        yield from chunks.close()

    async def _atransform(self, input: AsyncIterator[str | BaseMessage]) -> AsyncIterator[AIMessage]:
        chunks = _Chunks(CallReader(self.format, self.tools))
        async for part in input:
            for chunk in chunks.feed(_text_of(part)):
                yield chunk
        for chunk in chunks.close():
            yield chunk


class _Chunks:
    """Makes the chunks of a message from text as it comes."""

    def __init__(self, reader: CallReader) -> None:
        self._reader = reader
        self._texts: list[str] = []  # the text that calls may be in that have not ended,
        self._start = 0  # and where it begins
        self._count = 0
        self._last: tuple[Call, str, str] | None = None  # the last call that was valid, with its source and `id`

    def feed(self, text: str) -> Iterator[AIMessageChunk]:
        self._texts.append(text)
        return self._of_events(self._reader.feed(text))

    def close(self) -> Iterator[AIMessageChunk]:
        return self._of_events(self._reader.close())

    def _of_events(self, events: list[Event]) -> Iterator[AIMessageChunk]:
        if self._last is not None and _fault(self._last[0]):
            yield AIMessageChunk(content="", invalid_tool_calls=[_invalid(*self._last)])
            self._last = None
        ended = [event.call for event in events if event.kind == "end" and event.call is not None]
        sources = self._sources(ended)
        for event in events:
            if event.kind == "text":
                yield AIMessageChunk(content=event.text)
            elif event.kind == "end" and event.call is not None:
                yield self._of_call(event.call, next(sources))

    def _of_call(self, call: Call, source: str) -> AIMessageChunk:
        id = _new_id()
        if _fault(call):
            return AIMessageChunk(content="", invalid_tool_calls=[_invalid(call, source, id)])
        self._last = call, source, id
        chunk = tool_call_chunk(name=call.name, args=json.dumps(call.arguments), id=id, index=self._count)
        self._count += 1
        return AIMessageChunk(content="", tool_call_chunks=[chunk])

    def _sources(self, calls: list[Call]) -> Iterator[str]:
        """Yield the sources of calls, and forget the text up to the end of the last one."""
        if not calls:
            return iter(())
        text, start = "".join(self._texts), self._start
        self._start = calls[-1].end
        self._texts = [text[self._start - start :]]
        return iter([text[call.start - start : call.end - start] for call in calls])


def _text_of(part: str | BaseMessage) -> str:
    if isinstance(part, str):
        return part
    content = part.content
    if isinstance(content, str):
        return content
    texts = (block if isinstance(block, str) else block.get("text", "") for block in content)
    return "".join(texts)


def _fault(call: Call) -> str:
    """Return why a call is invalid; "" if it is valid."""
    ends = [error for error in call.errors if error.code.startswith("eof-")]
    faults = [error.message for error in call.errors if error.effect != KEPT and error not in ends]
    if not call.complete:
        faults.insert(0, "the call is cut off" if ends else "the call is not valid JSON")
    return "; ".join(faults)


def _invalid(call: Call, source: str, id: str) -> Any:
    # LangChain reads `args` again when it adds up chunks: with JSON, the call would become valid.
    return invalid_tool_call(name=call.name, args=source, id=id, error=_fault(call))


def _new_id() -> str:
    return f"call_{uuid4().hex}"
