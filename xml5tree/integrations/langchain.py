"""LangChain (langchain-core 0.3 or later): an output parser for tool calls."""

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import invalid_tool_call, tool_call, tool_call_chunk
from langchain_core.output_parsers import BaseTransformOutputParser
from langchain_core.outputs import ChatGeneration, Generation
from langchain_core.utils.function_calling import convert_to_openai_tool

from xml5tree.tools import read
from xml5tree.tools.deltas import DeltaReader, new_id

__all__ = ["ToolCallParser"]


class ToolCallParser(BaseTransformOutputParser[AIMessage]):
    """An output parser that turns text into messages with tool calls: ``model | ToolCallParser(format="qwen3-coder")``.

    The content is the text around the calls; ``additional_kwargs`` has reasoning as ``reasoning_content``. A call with
    a `fault` is in ``invalid_tool_calls``; ``response_metadata["faults"]`` has reasons by ``id``. What else a model's
    message has is kept, such as calls of its own.

    While a model streams, calls come as ``tool_call_chunks`` with parts of arguments. The sum of the chunks has the
    calls of the whole message, also if a fault shows late.

    Attributes:
        format: the name of a format, or a `xml5tree.tools.Format`.
        tools: the tools, as `xml5tree.tools.CallReader` takes them, or as models of LangChain do; or None.
        options: further options of `xml5tree.tools.CallReader`, such as ``{"thinking": "think"}``.
    """

    format: Any
    tools: Any = None
    options: dict[str, Any] = {}  # noqa: RUF012  pydantic copies it

    @property
    def _tools(self) -> Any:
        if not isinstance(self.tools, list | tuple):
            return self.tools
        return [tool if isinstance(tool, Mapping) else convert_to_openai_tool(tool) for tool in self.tools]

    def parse(self, text: str) -> AIMessage:
        """Return a whole text as a message; raise what `xml5tree.tools.CallReader` raises."""
        output = read(text, self.format, self._tools, **self.options)
        calls = [(call, new_id()) for call in output.calls]
        faults = {id: call.fault for call, id in calls if call.fault}
        return AIMessage(
            content=output.text,
            additional_kwargs={"reasoning_content": output.thinking} if output.thinking else {},
            response_metadata={"faults": faults} if faults else {},
            tool_calls=[tool_call(name=call.name, args=call.arguments, id=id) for call, id in calls if not call.fault],
            invalid_tool_calls=[
                invalid_tool_call(name=call.name, args=text[call.start : call.end], id=id, error=call.fault)
                for call, id in calls
                if call.fault
            ],
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
        message.response_metadata = {**found.response_metadata, **message.response_metadata}
        message.additional_kwargs = {**found.additional_kwargs, **message.additional_kwargs}
        return message

    def _transform(self, input: Iterator[str | BaseMessage]) -> Iterator[AIMessage]:
        chunks = _Chunks(DeltaReader(self.format, self._tools, **self.options))
        for part in input:
            yield from chunks.feed(part)
        yield from chunks.close()

    async def _atransform(self, input: AsyncIterator[str | BaseMessage]) -> AsyncIterator[AIMessage]:
        chunks = _Chunks(DeltaReader(self.format, self._tools, **self.options))
        async for part in input:
            for chunk in chunks.feed(part):
                yield chunk
        for chunk in chunks.close():
            yield chunk


class _Chunks:
    """Makes the chunks of a message from text as it comes."""

    def __init__(self, reader: DeltaReader) -> None:
        self._reader = reader
        self._told = 0  # how many faults were reported

    def feed(self, part: str | BaseMessage) -> Iterator[AIMessageChunk]:
        if isinstance(part, AIMessage):
            native = part.tool_call_chunks if isinstance(part, AIMessageChunk) else []
            self._reader.reserve(native)
            if part.id or native or part.response_metadata or part.additional_kwargs or part.usage_metadata:
                yield AIMessageChunk(
                    content="",
                    id=part.id,
                    tool_call_chunks=native,
                    response_metadata=part.response_metadata,
                    additional_kwargs=part.additional_kwargs,
                    usage_metadata=part.usage_metadata,
                )
        yield from self._of_deltas(self._reader.feed(_text_of(part)))

    def close(self) -> Iterator[AIMessageChunk]:
        return self._of_deltas(self._reader.close())

    def _of_deltas(self, deltas: list[dict[str, Any]]) -> Iterator[AIMessageChunk]:
        for delta in deltas:
            if "content" in delta:
                yield AIMessageChunk(content=delta["content"])
            elif "tool_calls" not in delta:
                yield AIMessageChunk(content="", additional_kwargs=delta)
            else:
                [part] = delta["tool_calls"]
                name, args = part["function"].get("name"), part["function"]["arguments"]
                chunk = tool_call_chunk(name=name, args=args, id=part.get("id"), index=part["index"])
                yield AIMessageChunk(content="", tool_call_chunks=[chunk])
        faults = self._reader.faults
        if len(faults) > self._told:
            yield AIMessageChunk(content="", response_metadata={"faults": dict([*faults.items()][self._told :])})
            self._told = len(faults)


def _text_of(part: str | BaseMessage) -> str:
    if isinstance(part, str):
        return part
    content = part.content
    if isinstance(content, str):
        return content
    texts = (block if isinstance(block, str) else block.get("text", "") for block in content)
    return "".join(texts)
