"""LangChain (langchain-core 0.3 or later): an output parser for tool calls."""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import invalid_tool_call, tool_call, tool_call_chunk
from langchain_core.output_parsers import BaseTransformOutputParser

from xml5tree.tools import Call, CallReader, Event, read

__all__ = ["ToolCallParser"]


class ToolCallParser(BaseTransformOutputParser[AIMessage]):
    """An output parser that turns text into messages with tool calls: ``model | ToolCallParser(format="qwen3-coder")``.

    The content of the message is the text around the calls. A call without an end or a name is in
    ``invalid_tool_calls``. While a model streams, text comes as soon as it cannot be a call, and each call when it
    ends.

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
        return AIMessage(
            content=output.text,
            tool_calls=[tool_call(name=call.name, args=call.arguments, id=_new_id()) for call in whole],
            invalid_tool_calls=[_invalid(call) for call in output.calls if _fault(call)],
        )

    def _transform(self, input: Iterator[str | BaseMessage]) -> Iterator[AIMessage]:
        reader, chunks = CallReader(self.format, self.tools), _Chunks()
        for part in input:
            yield from chunks.of_events(reader.feed(_text_of(part)))
        yield from chunks.of_events(reader.close())

    async def _atransform(self, input: AsyncIterator[str | BaseMessage]) -> AsyncIterator[AIMessage]:
        reader, chunks = CallReader(self.format, self.tools), _Chunks()
        async for part in input:
            for chunk in chunks.of_events(reader.feed(_text_of(part))):
                yield chunk
        for chunk in chunks.of_events(reader.close()):
            yield chunk


class _Chunks:
    def __init__(self) -> None:
        self._count = 0

    def of_events(self, events: list[Event]) -> Iterator[AIMessageChunk]:
        for event in events:
            if event.kind == "text":
                yield AIMessageChunk(content=event.text)
            elif event.kind == "end" and event.call is not None and _fault(event.call):
                yield AIMessageChunk(content="", invalid_tool_calls=[_invalid(event.call)])
            elif event.kind == "end" and event.call is not None:
                arguments = json.dumps(event.call.arguments)
                chunk = tool_call_chunk(name=event.call.name, args=arguments, id=_new_id(), index=self._count)
                self._count += 1
                yield AIMessageChunk(content="", tool_call_chunks=[chunk])


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
    if not call.complete:
        return "the call is cut off"
    return "" if call.name else "the call has no name"


def _invalid(call: Call) -> Any:
    return invalid_tool_call(name=call.name, args=json.dumps(call.arguments), id=_new_id(), error=_fault(call))


def _new_id() -> str:
    return f"call_{uuid4().hex}"
