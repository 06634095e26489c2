"""LangChain (langchain-core 0.3 or later): an output parser for tool calls."""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import invalid_tool_call, tool_call, tool_call_chunk
from langchain_core.output_parsers import BaseTransformOutputParser
from langchain_core.outputs import ChatGeneration, Generation

from xml5tree.tools import Call, CallReader, Event, read
from xml5tree.tools.deltas import PartialArguments, new_id

__all__ = ["ToolCallParser"]


class ToolCallParser(BaseTransformOutputParser[AIMessage]):
    """An output parser that turns text into messages with tool calls: ``model | ToolCallParser(format="qwen3-coder")``.

    The content of the message is the text around the calls. A call without an end, or with errors whose effect is not
    ``"kept"``, is in ``invalid_tool_calls``: ``error`` says why, and ``args`` is the call as written. While a model
    streams, text comes as soon as it cannot be a call, and each call when it ends. If an error of it shows only later,
    the call comes again, with the same ``id``, in ``invalid_tool_calls``.

    What a model's message has besides its content is kept: its ``id``, metadata, and calls of its own.

    Attributes:
        format: the name of a format, or a `xml5tree.tools.Format`.
        tools: the tools, as `xml5tree.tools.CallReader` takes them, or None.
        partial: whether the arguments of a call stream in parts. If it is not to be executed then, its arguments are no
            JSON, and it is among the ``invalid_tool_calls`` of the sum.
    """

    format: Any
    tools: Any = None
    partial: bool = False

    def parse(self, text: str) -> AIMessage:
        """Return a whole text as a message; raise what `xml5tree.tools.CallReader` raises."""
        output = read(text, self.format, self.tools)
        whole = [call for call in output.calls if not call.fault]
        invalid = [_invalid(call, text[call.start : call.end], new_id()) for call in output.calls if call.fault]
        return AIMessage(
            content=output.text,
            tool_calls=[tool_call(name=call.name, args=call.arguments, id=new_id()) for call in whole],
            invalid_tool_calls=invalid,
        )

    def parse_result(self, result: list[Generation], *, partial: bool = False) -> AIMessage:
        """Return the first of a model's answers as a message, with what it has besides its content."""
        found = result[0].message if isinstance(result[0], ChatGeneration) else None
        if not isinstance(found, AIMessage):
            return self.parse(result[0].text)
        message = self.parse(_text_of(found))
        message.tool_calls = [*found.tool_calls, *message.tool_calls]
        message.invalid_tool_calls = [*found.invalid_tool_calls, *message.invalid_tool_calls]
        message.id, message.name, message.usage_metadata = found.id, found.name, found.usage_metadata
        message.response_metadata = dict(found.response_metadata)
        message.additional_kwargs = dict(found.additional_kwargs)
        return message

    def _transform(self, input: Iterator[str | BaseMessage]) -> Iterator[AIMessage]:
        chunks = self._chunks()
        for part in input:
            yield from chunks.keep(part)
            yield from chunks.feed(_text_of(part))
        yield from chunks.close()

    def _chunks(self) -> "_Chunks":
        arguments = PartialArguments(self.tools) if self.partial else None
        return _Chunks(CallReader(self.format, self.tools), arguments)

    async def _atransform(self, input: AsyncIterator[str | BaseMessage]) -> AsyncIterator[AIMessage]:
        chunks = self._chunks()
        async for part in input:
            for chunk in (*chunks.keep(part), *chunks.feed(_text_of(part))):
                yield chunk
        for chunk in chunks.close():
            yield chunk


class _Chunks:
    """Makes the chunks of a message from text as it comes."""

    def __init__(self, reader: CallReader, arguments: PartialArguments | None) -> None:
        self._reader = reader
        self._arguments = arguments  # writes them in parts, or None
        self._texts: list[str] = []  # the text that calls may be in that have not ended,
        self._start = 0  # and where it begins
        self._count = 0
        self._last: tuple[Call, str, str] | None = None  # the last call that was valid, with its source and `id`

    def keep(self, part: str | BaseMessage) -> Iterator[AIMessageChunk]:
        """Yield what a part of a model's message has besides its content."""
        if not isinstance(part, AIMessage):
            return
        native = part.tool_call_chunks if isinstance(part, AIMessageChunk) else []
        self._count = max([self._count, *[chunk["index"] + 1 for chunk in native if isinstance(chunk["index"], int)]])
        if part.id or native or part.response_metadata or part.additional_kwargs or part.usage_metadata:
            yield AIMessageChunk(
                content="",
                id=part.id,
                tool_call_chunks=native,
                response_metadata=part.response_metadata,
                additional_kwargs=part.additional_kwargs,
                usage_metadata=part.usage_metadata,
            )

    def feed(self, text: str) -> Iterator[AIMessageChunk]:
        self._texts.append(text)
        return self._of_events(self._reader.feed(text))

    def close(self) -> Iterator[AIMessageChunk]:
        return self._of_events(self._reader.close())

    def _of_events(self, events: list[Event]) -> Iterator[AIMessageChunk]:
        if self._last is not None and self._last[0].fault:
            yield AIMessageChunk(content="", invalid_tool_calls=[_invalid(*self._last)])
            self._last = None
        ended = [event.call for event in events if event.kind == "end" and event.call is not None]
        sources = self._sources(ended)
        for event in events:
            if event.kind == "text":
                yield AIMessageChunk(content=event.text)
            elif event.call is not None and self._arguments is not None:
                yield from self._parts(event, event.call, self._arguments)
            elif event.kind == "end" and event.call is not None:
                yield self._of_call(event.call, next(sources))

    def _parts(self, event: Event, call: Call, arguments: PartialArguments) -> Iterator[AIMessageChunk]:
        """Yield the part of a call that an event has."""
        part = arguments.add(event)
        if event.kind == "call":
            chunk = tool_call_chunk(name=call.name, args="", id=new_id(), index=self._count)
            yield AIMessageChunk(content="", tool_call_chunks=[chunk])
        if event.kind == "end" and call.fault:
            part += "]"  # LangChain closes what is open in arguments, but not this
        if part:
            chunk = tool_call_chunk(name=None, args=part, id=None, index=self._count)
            yield AIMessageChunk(content="", tool_call_chunks=[chunk])
        self._count += event.kind == "end"

    def _of_call(self, call: Call, source: str) -> AIMessageChunk:
        id = new_id()
        if call.fault:
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


def _invalid(call: Call, source: str, id: str) -> Any:
    # LangChain reads `args` again when it adds up chunks: with JSON, the call would become valid.
    return invalid_tool_call(name=call.name, args=source, id=id, error=call.fault)
