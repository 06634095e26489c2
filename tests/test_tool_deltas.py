"""Calls as deltas of chat completions, and tools as their servers describe them."""

import asyncio
import json
from itertools import count
from types import SimpleNamespace
from typing import Literal

import pytest
from support.splits import chunks
from test_consumers import compat

from compat.tool_calls import TOOLS, write_calls
from xml5tree.tools import adeltas, deltas, read
from xml5tree.tools.deltas import DeltaReader

CALLS = [
    ("write_file", {"path": "a", "content": 'if a < b:\n    print("é")\n'}),
    ("search", {"query": "x", "limit": 3}),
]
USAGE = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}


def added_up(found):
    """Return text, calls and the last reason, as clients add them up."""
    text, calls, reason = "", {}, None
    for chunk in found:
        [choice] = chunk["choices"]
        delta, reason = choice["delta"], choice["finish_reason"] or reason
        text += delta.get("content") or ""
        for part in delta.get("tool_calls", ()):
            call = calls.setdefault(part["index"], {"id": part.get("id"), "name": "", "arguments": ""})
            call["name"] += part["function"].get("name", "")
            call["arguments"] += part["function"]["arguments"]
    return text, list(calls.values()), reason


def of_server(text, size, *, as_objects):
    """Yield chunks of a completion, as dictionaries or objects, as a client of a server has them."""
    for number, piece in enumerate([*chunks(text, size), None]):
        delta = {"role": "assistant"} if not number else {}
        delta["content"] = piece
        reason = "stop" if piece is None else None
        if as_objects:
            choice = SimpleNamespace(index=0, delta=SimpleNamespace(**delta), finish_reason=reason)
            yield SimpleNamespace(id="c1", object="chat.completion.chunk", choices=[choice])
        else:
            choice = {"index": 0, "delta": delta, "finish_reason": reason}
            yield {"id": "c1", "object": "chat.completion.chunk", "choices": [choice]}
    yield {"id": "c1", "choices": [], "usage": USAGE}


@pytest.mark.parametrize("preset", ["qwen3-coder", "claude", "minimax-m2", "glm", "hermes", "cline"])
@pytest.mark.parametrize(("size", "as_objects"), [(1, False), (3, True), (10_000, True)])
def test_a_client_of_deltas(preset, size, as_objects):
    text = f"So:\n{write_calls(preset, CALLS)}"
    numbers = count(1)
    stream = of_server(text, size, as_objects=as_objects)
    found = list(deltas(stream, preset, TOOLS, make_id=lambda: f"call_{next(numbers)}"))
    assert found[-1] == {"id": "c1", "choices": [], "usage": USAGE}
    assert not any("usage" in chunk for chunk in found[:-1])
    assert {chunk["id"] for chunk in found} == {"c1"}
    content, calls, reason = added_up([chunk for chunk in found if chunk["choices"]])
    assert content.strip() == "So:"
    assert reason == "tool_calls"
    assert [(call["id"], call["name"]) for call in calls] == [("call_1", "write_file"), ("call_2", "search")]
    assert [json.loads(call["arguments"]) for call in calls] == [arguments for _, arguments in CALLS]

    async def asynchronous():
        numbers = count(1)
        chunks = source(of_server(text, size, as_objects=as_objects))
        return [chunk async for chunk in adeltas(chunks, preset, TOOLS, make_id=lambda: f"call_{next(numbers)}")]

    assert asyncio.run(asynchronous()) == found


async def source(chunks):
    for chunk in chunks:
        yield chunk


def test_text_arguments_come_in_parts():
    tools = {"f": {"properties": {"a": {"type": "string"}, "n": {"type": "integer"}}}}
    reader = DeltaReader("claude", tools)
    found = []
    for piece in ('<invoke name="f"><parameter name="a">one ', "two", '</parameter><parameter name="n">', "5</par"):
        made = [delta["tool_calls"][0]["function"]["arguments"] for delta in reader.feed(piece)]
        found.append("".join(made))
    assert found == ['{"a": "one ', "two", '", "n": ', ""]


@pytest.mark.parametrize("end", ["", "</parameter>", "</parameter> and </invoke>"])
def test_arguments_of_a_call_that_is_not_to_be_executed_are_no_json(end):
    reader = DeltaReader("claude")
    made = reader.feed(f'<invoke name="f"><parameter name="a">x{end}') + reader.close()
    parts = [delta["tool_calls"][0] for delta in made if "tool_calls" in delta]
    with pytest.raises(json.JSONDecodeError):
        json.loads("".join(part["function"]["arguments"] for part in parts))
    assert list(reader.faults) == [parts[0]["id"]]
    assert reader.finish_reason("length") == "length"
    assert reader.finish_reason() == "stop"


@pytest.mark.parametrize("size", [1, 9, 10_000])
def test_the_client_of_openai(size):
    """The client reads a stream of a server, and adds up what `deltas` makes of it."""
    openai = compat("openai")
    httpx = compat("httpx")
    from openai.lib.streaming.chat import ChatCompletionStreamState
    from openai.types.chat import ChatCompletionChunk

    text = f"<think>Hm</think>So:\n{write_calls('qwen3-coder', CALLS)}"
    given = [{"model": "m", "created": 1, **chunk} for chunk in of_server(text, size, as_objects=False)]
    lines = [f"data: {json.dumps({'object': 'chat.completion.chunk', **chunk})}\n\n" for chunk in given]

    def answer(request):
        content = "".join([*lines, "data: [DONE]\n\n"]).encode()
        return httpx.Response(200, headers={"content-type": "text/event-stream"}, content=content)

    with openai.OpenAI(
        api_key="x", base_url="http://x", http_client=httpx.Client(transport=httpx.MockTransport(answer))
    ) as client:
        stream = client.chat.completions.create(model="m", messages=[], stream=True)
        state = ChatCompletionStreamState()
        for chunk in deltas(stream, "qwen3-coder", TOOLS, thinking="think"):
            state.handle_chunk(ChatCompletionChunk.model_validate(chunk))
    completion = state.get_final_completion()
    [choice] = completion.choices
    assert (choice.finish_reason, choice.message.content.strip(), choice.message.reasoning_content) == (
        "tool_calls",
        "So:",
        "Hm",
    )
    found = [(call.function.name, json.loads(call.function.arguments)) for call in choice.message.tool_calls]
    assert found == CALLS
    assert completion.usage.total_tokens == 3


def test_several_choices_and_calls_of_the_stream_itself():
    text = write_calls("claude", CALLS[:1])
    native = {"index": 0, "id": "n", "type": "function", "function": {"name": "now", "arguments": "{}"}}

    def chunk(index, delta, reason=None):
        return {"id": "c", "choices": [{"index": index, "delta": delta, "finish_reason": reason, "logprobs": None}]}

    stream = [chunk(1, {"tool_calls": [native]}), chunk(0, {"content": text}), chunk(1, {"content": text})]
    stream += [chunk(0, {}, "stop"), chunk(1, {"content": "!"}, "length")]
    found = list(deltas(stream, "claude"))
    for index, names, reason in ((0, ["write_file"], "tool_calls"), (1, ["now", "write_file"], "length")):
        _, calls, given = added_up([chunk for chunk in found if chunk["choices"][0]["index"] == index])
        assert ([call["name"] for call in calls], given) == (names, reason)
        assert [json.loads(call["arguments"]) for call in calls][-1] == CALLS[0][1]


def test_a_stream_that_is_cut_off():
    stream = list(of_server(write_calls("claude", CALLS), 9, as_objects=False))
    _, calls, reason = added_up(deltas(stream[:-3], "claude", TOOLS))
    assert (len(calls), reason) == (2, "tool_calls")


def test_a_fault_that_shows_after_the_call():
    call = '<invoke name="f"><parameter name="x">see </parameter></invoke>'
    reader = DeltaReader("claude")
    made = reader.feed(call)
    assert reader.finish_reason() == "tool_calls"
    made += reader.feed(f" in docs</parameter></invoke> {call}")
    parts = [delta["tool_calls"][0] for delta in made if "tool_calls" in delta]
    arguments = ["".join(part["function"]["arguments"] for part in parts if part["index"] == index) for index in (0, 1)]
    assert arguments == ['{"x": "see "}]', '{"x": "see "}']
    assert list(reader.faults) == [parts[0]["id"]]


def test_an_argument_that_is_an_element_is_not_written_as_text():
    tools = {"f": {"properties": {"a": {"type": "string"}}}}
    mark = "]<]minimax[>["
    text = '<invoke name="f"><a><b>1</b></a></invoke>'.replace("<", f"{mark}<")
    reader = DeltaReader("minimax-m3", tools)
    made = [delta for character in text for delta in reader.feed(character)] + reader.close()
    parts = [delta["tool_calls"][0]["function"]["arguments"] for delta in made]
    assert json.loads("".join(parts)) == read(text, "minimax-m3", tools).calls[0].arguments


#: What a server of tools answers to ``tools/list``, as its protocol describes it.
MCP = {
    "tools": [
        {
            "name": "forecast",
            "title": "Weather",
            "description": "The weather of the next days",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "place": {"$ref": "#/$defs/Place"},
                    "days": {"type": "integer"},
                    "unit": {"enum": ["C", "F"]},
                    "hours": {"allOf": [{"$ref": "#/$defs/Hours"}, {"maxItems": 24}]},
                },
                "required": ["place"],
                "$defs": {
                    "Place": {"type": "object", "properties": {"city": {"type": "string"}}},
                    "Hours": {"type": "array", "items": {"type": "integer"}},
                },
            },
            "annotations": {"readOnlyHint": True},
        }
    ]
}


def test_a_list_of_tools():
    written = {"place": '{"city": "Oslo"}', "days": "3", "unit": "C", "hours": "[6, 12]"}
    for tools in (MCP["tools"], tuple(MCP["tools"])):
        (call,) = read(write_calls("claude", [("forecast", written)]), "claude", tools)
        assert call.arguments == {"place": {"city": "Oslo"}, "days": 3, "unit": "C", "hours": [6, 12]}
        assert call.fault == ""


def test_the_tools_of_a_real_server():
    mcp = compat("mcp")
    if not hasattr(mcp, "Client"):
        pytest.skip("NOT TESTED with a server of tools: mcp is older than 2")
    from mcp.server import MCPServer
    from pydantic import BaseModel

    class Place(BaseModel):
        city: str

    server = MCPServer("weather")

    @server.tool()
    def forecast(place: Place, days: int = 3, unit: Literal["C", "F"] = "C", hours: list[int] | None = None) -> str:
        return f"{place.city} {days} {unit} {hours}"

    written = {"place": '{"city": "Oslo"}', "days": "2", "unit": "C", "hours": "[6, 12]"}

    async def run():
        async with mcp.Client(server) as client:
            listed = (await client.list_tools()).tools
            for tools in (listed, [tool.model_dump(by_alias=True) for tool in listed]):
                (call,) = read(write_calls("claude", [("forecast", written)]), "claude", tools)
                assert call.fault == ""
                result = await client.call_tool(call.name, call.arguments)
                assert result.content[0].text == "Oslo 2 C [6, 12]"

    asyncio.run(run())
