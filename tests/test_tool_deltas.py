"""Calls as deltas of chat completions, and tools as their servers describe them."""

import json
from itertools import count
from types import SimpleNamespace

import pytest
from support.splits import chunks

from compat.tool_calls import TOOLS, write_calls
from xml5tree.tools import deltas, read
from xml5tree.tools.deltas import DeltaReader

CALLS = [
    ("write_file", {"path": "a", "content": 'if a < b:\n    print("é")\n'}),
    ("search", {"query": "x", "limit": 3}),
]


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
    yield {"id": "c1", "choices": [], "usage": {"total_tokens": 3}}


@pytest.mark.parametrize("preset", ["qwen3-coder", "claude", "minimax-m2", "glm", "hermes", "cline"])
@pytest.mark.parametrize(("size", "as_objects"), [(1, False), (3, True), (10_000, True)])
def test_a_client_of_deltas(preset, size, as_objects):
    text = f"So:\n{write_calls(preset, CALLS)}"
    numbers = count(1)
    stream = of_server(text, size, as_objects=as_objects)
    found = list(deltas(stream, preset, TOOLS, make_id=lambda: f"call_{next(numbers)}"))
    assert {"id": "c1", "choices": [], "usage": {"total_tokens": 3}} in found
    assert {chunk["id"] for chunk in found} == {"c1"}
    content, calls, reason = added_up([chunk for chunk in found if chunk["choices"]])
    assert content.strip() == "So:"
    assert reason == "tool_calls"
    assert [(call["id"], call["name"]) for call in calls] == [("call_1", "write_file"), ("call_2", "search")]
    assert [json.loads(call["arguments"]) for call in calls] == [arguments for _, arguments in CALLS]


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
