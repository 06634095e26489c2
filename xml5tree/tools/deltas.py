"""Calls as servers of models stream them: deltas of chat completions."""

import json
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping
from typing import Any, Final
from uuid import uuid4

from xml5tree.tools.calls import Call, Event
from xml5tree.tools.formats import Format
from xml5tree.tools.reader import CallReader
from xml5tree.tools.schemas import Tools, is_text, read_tools

#: Characters with which a value may begin that is not what it seems: an indentation, a CDATA section, or an element.
_DOUBTFUL: Final = frozenset(" \t\r\n<]")


def new_id() -> str:
    """Return an `id` for a call."""
    return f"call_{uuid4().hex}"


class DeltaReader:
    """Makes deltas of chat completions from text: dictionaries with ``content``, or a part of one of ``tool_calls``.

    The arguments of a call are JSON, which comes in parts where an argument can only be text. Those of a call that is
    not to be executed are no JSON: they end in a bracket that nothing opens.

    Attributes:
        faults: why calls are not to be executed, by their ``id``.
    """

    def __init__(
        self, format: str | Format, tools: Tools | None = None, *, make_id: Callable[[], str] = new_id, **options: Any
    ) -> None:
        """Set the format; `format`, `tools` and `options` are as for `CallReader`, and `make_id` makes each ``id``."""
        self._reader = CallReader(format, tools, **options)
        self._tools = read_tools(tools)
        self._make_id = make_id
        self.faults: dict[str, str] = {}
        self._id = ""
        self._index = -1  # of the current call,
        self._next = 0  # and of the one after it
        self._count = 0  # how many calls there are
        #: The index and `id` of the last call that has ended, and the call itself, if it may be executed.
        self._last: tuple[int, str, Call] | None = None
        self._arguments = 0  # how many arguments of the current call have come
        self._may_stream = self._is_open = False  # whether an argument is certain to be text, and is being written

    def feed(self, text: str) -> list[dict[str, Any]]:
        """Return the deltas of a text."""
        return list(self._deltas(self._reader.feed(text)))

    def close(self) -> list[dict[str, Any]]:
        """Return the last deltas."""
        return list(self._deltas(self._reader.close()))

    def finish_reason(self, given: str | None = "stop") -> str | None:
        """Return why the output ends: ``"tool_calls"`` if there are calls to execute; else the server's reason."""
        return "tool_calls" if self._count > len(self.faults) and given in ("stop", None) else given

    def reserve(self, calls: Iterable[Mapping[str, Any]]) -> None:
        """Number further calls after parts of calls that the stream itself has."""
        self._next = max([self._next, *[(call.get("index") or 0) + 1 for call in calls]])

    def _deltas(self, events: Iterable[Event]) -> Iterator[dict[str, Any]]:
        if self._last is not None and self._last[2].fault:  # which shows only now
            yield self._faulty(*self._last)
            self._last = None
        for event in events:
            call = event.call
            if call is None:
                yield {"reasoning_content" if event.kind == "thinking" else "content": event.text}
            elif event.kind == "call":
                self._index, self._next, self._count = self._next, self._next + 1, self._count + 1
                self._id, self._arguments = self._make_id(), 0
                function = {"name": call.name, "arguments": ""}
                yield {"tool_calls": [{"index": self._index, "id": self._id, "type": "function", "function": function}]}
            elif event.kind == "end" and call.fault:
                self._last = None
                yield self._faulty(self._index, self._id, call)
            elif part := self._json(event, call):
                yield _part(self._index, part)

    def _faulty(self, index: int, id: str, call: Call) -> dict[str, Any]:
        self.faults[id] = call.fault
        return _part(index, "]")

    def _json(self, event: Event, call: Call) -> str:
        """Return the JSON that an event of a call adds to its arguments."""
        if event.kind == "end":
            self._last = self._index, self._id, call
            return "}" if self._arguments else json.dumps(call.arguments)
        if not event.argument:
            return ""
        if event.kind == "argument-start":
            tool = self._tools.get(call.name)
            self._may_stream = tool is not None and is_text(tool.arguments.get(event.argument), tool.root)
            self._is_open = False
            self._arguments += 1
            return f"{'{' if self._arguments == 1 else ', '}{json.dumps(event.argument)}: "
        if event.kind == "argument-end":
            return '"' if self._is_open else json.dumps(call.arguments[event.argument])
        self._may_stream = self._may_stream and (self._is_open or event.text[:1] not in _DOUBTFUL)
        if not self._may_stream:
            return ""
        opening, self._is_open = ("" if self._is_open else '"'), True
        return opening + json.dumps(event.text)[1:-1]


def _part(index: int, arguments: str) -> dict[str, Any]:
    return {"tool_calls": [{"index": index, "function": {"arguments": arguments}}]}


def deltas(
    chunks: Iterable[Any], format: str | Format, tools: Tools | None = None, **options: Any
) -> Iterator[dict[str, Any]]:
    """Yield chunks of a chat completion, as dictionaries, with calls where the given chunks have text.

    Chunks are dictionaries, or objects of a client. The options are those of `CallReader`, and ``make_id``, which makes
    each ``id``.
    """
    completion = _Completion(lambda: DeltaReader(format, tools, **options))
    for chunk in chunks:
        yield from completion.feed(chunk)
    yield from completion.close()


async def adeltas(
    chunks: AsyncIterable[Any], format: str | Format, tools: Tools | None = None, **options: Any
) -> AsyncIterator[dict[str, Any]]:
    """Yield as `deltas` does."""
    completion = _Completion(lambda: DeltaReader(format, tools, **options))
    async for chunk in chunks:
        for made in completion.feed(chunk):
            yield made
    for made in completion.close():
        yield made


class _Completion:
    """A chat completion, with a reader for each of its choices."""

    def __init__(self, make_reader: Callable[[], DeltaReader]) -> None:
        self._make_reader = make_reader
        self._readers: dict[int, DeltaReader] = {}
        self._rest: dict[str, Any] = {}  # what the last chunk had besides choices

    def feed(self, chunk: Any) -> Iterator[dict[str, Any]]:
        found = _as_dict(chunk)
        self._rest = {key: value for key, value in found.items() if key != "choices"}
        if not found.get("choices"):
            yield found
        for choice in map(_as_dict, found.get("choices") or ()):
            index = choice.get("index", 0)
            reader = self._readers.get(index) or self._readers.setdefault(index, self._make_reader())
            delta, reason = _as_dict(choice.get("delta") or {}), choice.get("finish_reason")
            text = delta.pop("content", None)
            reader.reserve(delta.get("tool_calls") or ())
            if any(value is not None for value in delta.values()):
                yield {**self._rest, "choices": [{**choice, "delta": delta, "finish_reason": None}]}
            for made in reader.feed(text or ""):
                yield self._chunk(index, made)
            if reason is not None:
                yield from self._end(index, reason)

    def close(self) -> Iterator[dict[str, Any]]:
        """Yield the ends of choices that are cut off."""
        for index in [*self._readers]:
            yield from self._end(index, None)

    def _end(self, index: int, reason: str | None) -> Iterator[dict[str, Any]]:
        reader = self._readers.pop(index)
        for made in reader.close():
            yield self._chunk(index, made)
        yield self._chunk(index, {}, reader.finish_reason(reason))

    def _chunk(self, index: int, delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        return {**self._rest, "choices": [{"index": index, "delta": delta, "finish_reason": reason}]}


def _as_dict(value: Any) -> dict[str, Any]:
    return dict(
        value if isinstance(value, Mapping) else value.model_dump() if hasattr(value, "model_dump") else vars(value)
    )
