"""Calls as servers of models stream them: deltas of chat completions."""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final
from uuid import uuid4

from xml5tree.tools.calls import Call, Event
from xml5tree.tools.formats import Format
from xml5tree.tools.reader import CallReader
from xml5tree.tools.schemas import Tools, is_text, read_tools

__all__ = ["DeltaReader", "PartialArguments", "deltas", "new_id"]

#: Characters with which a value may begin that is not what it seems: an indentation, or a CDATA section.
_DOUBTFUL: Final = frozenset(" \t\r\n<")


def new_id() -> str:
    """Return an `id` for a call."""
    return f"call_{uuid4().hex}"


class PartialArguments:
    """Writes the arguments of a call as JSON while they come."""

    def __init__(self, tools: Tools | None) -> None:
        self._tools = read_tools(tools)
        self._has_begun = False
        self._is_open = False  # whether a string is written piece by piece
        self._first = ""  # the beginning of the current value, while it is not certain to be text
        self._may_stream = False

    def add(self, event: Event) -> str:
        """Return the JSON that an event of a call adds."""
        call = event.call
        if call is None or not event.argument:
            return self._end(call) if event.kind == "end" and call is not None else ""
        if event.kind == "argument-start":
            tool = self._tools.get(call.name)
            self._may_stream = tool is not None and is_text(tool.arguments.get(event.argument), tool.root)
            self._is_open = False
            separator, self._has_begun = (", " if self._has_begun else "{"), True
            return f"{separator}{json.dumps(event.argument)}: "
        if event.kind == "argument" and self._may_stream:
            if not self._is_open and event.text[:1] in _DOUBTFUL:
                self._may_stream = False
                return ""
            opening, self._is_open = ("" if self._is_open else '"'), True
            return opening + json.dumps(event.text)[1:-1]
        if event.kind == "argument-end":
            return '"' if self._is_open else json.dumps(call.arguments[event.argument])
        return ""

    def _end(self, call: Call) -> str:
        """Return the end of the arguments; nothing for a call that is not to be executed: they are no JSON then."""
        has_begun, self._has_begun = self._has_begun, False
        if call.fault:
            return "" if has_begun else "{"
        return "}" if has_begun else json.dumps(call.arguments)


class DeltaReader:
    """Makes deltas of chat completions from text: dictionaries with ``content``, or a part of one of ``tool_calls``.

    The arguments of a call that is not to be executed are no JSON: they are not closed.

    Attributes:
        faults: why calls are not to be executed, by their ``id``.
    """

    def __init__(
        self,
        format: str | Format,
        tools: Tools | None = None,
        *,
        make_id: Callable[[], str] = new_id,
        **options: Any,
    ) -> None:
        """Set the format; `format`, `tools` and `options` are as for `CallReader`, and `make_id` makes each ``id``."""
        self._reader = CallReader(format, tools, **options)
        self._arguments = PartialArguments(tools)
        self._make_id = make_id
        self._calls: list[tuple[str, Call]] = []  # those that have ended
        self._id = ""
        self._index = -1

    @property
    def faults(self) -> dict[str, str]:
        return {id: call.fault for id, call in self._calls if call.fault}

    def feed(self, text: str) -> list[dict[str, Any]]:
        """Return the deltas of a text."""
        return list(self._deltas(self._reader.feed(text)))

    def close(self) -> list[dict[str, Any]]:
        """Return the last deltas."""
        return list(self._deltas(self._reader.close()))

    def finish_reason(self, given: str | None = "stop") -> str | None:
        """Return why the output ends: ``"tool_calls"`` if there are calls to execute; else the server's reason."""
        is_any = any(not call.fault for _, call in self._calls)
        return "tool_calls" if is_any and given in ("stop", None) else given

    def _deltas(self, events: Iterable[Event]) -> Iterator[dict[str, Any]]:
        for event in events:
            if event.kind == "text":
                yield {"content": event.text}
            elif event.kind == "thinking":
                yield {"reasoning_content": event.text}
            elif event.kind == "call" and event.call is not None:
                self._index += 1
                self._id = self._make_id()
                function = {"name": event.call.name, "arguments": ""}
                call = {"index": self._index, "id": self._id, "type": "function", "function": function}
                yield {"tool_calls": [call]}
            elif part := self._arguments.add(event):
                yield {"tool_calls": [{"index": self._index, "function": {"arguments": part}}]}
            if event.kind == "end" and event.call is not None:
                self._calls.append((self._id, event.call))


def deltas(
    chunks: Iterable[Any], format: str | Format, tools: Tools | None = None, **options: Any
) -> Iterator[dict[str, Any]]:
    """Yield chunks of a chat completion, as dictionaries, with calls where the given chunks have text.

    Chunks are dictionaries, or objects of a client; the options are those of `CallReader`, and
    ``make_id``, a function that makes each ``id``. All else in chunks is kept.
    """
    reader = DeltaReader(format, tools, **options)
    finish_reason: str | None = None
    last: dict[str, Any] = {}
    for chunk in chunks:
        found = (
            chunk if isinstance(chunk, dict) else chunk.model_dump() if hasattr(chunk, "model_dump") else vars(chunk)
        )
        choices = [_as_dict(choice) for choice in found.get("choices") or ()]
        last = {key: value for key, value in found.items() if key != "choices"}
        if not choices:
            yield found
            continue
        delta = _as_dict(choices[0].get("delta") or {})
        finish_reason = choices[0].get("finish_reason") or finish_reason
        text = delta.pop("content", None)
        if any(value is not None for value in delta.values()):
            yield _chunk(last, delta)
        for made in reader.feed(text or ""):
            yield _chunk(last, made)
    for made in reader.close():
        yield _chunk(last, made)
    yield _chunk(last, {}, reader.finish_reason(finish_reason))


def _as_dict(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, dict) else dict(vars(value))


def _chunk(rest: dict[str, Any], delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
    return {**rest, "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}]}
