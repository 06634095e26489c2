"""Results: calls, text around them, events."""

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from xml5tree.errors.codes import KEPT
from xml5tree.errors.entry import ErrorEntry


class Call:
    """A tool call.

    Attributes:
        name: the name of the tool; "" if missing or cut off.
        arguments: the arguments by name: text, or values as the format or schema says.
        complete: whether the call ended before the end of the text.
        start: the index of its first character in the text.
        end: the index after its last character.
        errors: the errors in its markup, such as text outside its arguments, or a further end tag.
        unconverted: arguments that stay text, since they do not fit their type.
    """

    __slots__ = ("arguments", "complete", "end", "errors", "name", "start", "unconverted")

    def __init__(self, name: str, start: int) -> None:
        self.name = name
        self.arguments: dict[str, Any] = {}
        self.complete = False
        self.start = start
        self.end = start
        self.errors: tuple[ErrorEntry, ...] = ()
        self.unconverted: tuple[str, ...] = ()

    @property
    def fault(self) -> str:
        """Why the call is not to be executed; "" if it may be."""
        ends = [error for error in self.errors if error.code.startswith("eof-")]
        faults = [error.message for error in self.errors if error.effect != KEPT and error not in ends]
        if not self.complete:
            faults.insert(0, "the call is cut off" if ends else "the call is not valid JSON")
        faults += [f"argument {name!r} does not fit its type" for name in self.unconverted]
        return "; ".join(faults)

    def copy(self) -> "Call":
        """Return an independent copy."""
        call = Call(self.name, self.start)
        call.arguments = dict(self.arguments)
        call.complete, call.end = self.complete, self.end
        call.errors, call.unconverted = self.errors, self.unconverted
        return call

    def __repr__(self) -> str:
        cut = "" if self.complete else ", not complete"
        return f"<Call {self.name!r} {self.arguments!r}{cut}>"


class Event(NamedTuple):
    """An event while text is read.

    Attributes:
        kind: ``"text"`` outside of calls; ``"thinking"``; ``"call"``, whose name is certain; ``"argument-start"``;
            ``"argument"``, new text; ``"argument-end"``; ``"end"`` of a call.
        call: a copy of the call so far; at ``"end"``, the call itself, which may still get errors. None outside.
        argument: the name of the argument; "" for a call in JSON.
        text: the new text.
    """

    kind: Literal["text", "thinking", "call", "argument-start", "argument", "argument-end", "end"]
    call: Call | None = None
    argument: str = ""
    text: str = ""


class Output:
    """The output of a model. Its length is the number of its calls, and it iterates over them.

    Attributes:
        parts: the calls and the text around them; `calls` and `text` have one kind only.
        thinking: the reasoning, if the option of that name was given.
    """

    __slots__ = ("parts", "thinking")

    def __init__(self, parts: tuple[Call | str, ...], thinking: str = "") -> None:
        self.parts = parts
        self.thinking = thinking

    @property
    def calls(self) -> list[Call]:
        """The calls."""
        return [part for part in self.parts if isinstance(part, Call)]

    @property
    def text(self) -> str:
        """The text around the calls."""
        return "".join([part for part in self.parts if isinstance(part, str)])

    def __iter__(self) -> Iterator[Call]:
        return iter(self.calls)

    def __len__(self) -> int:
        return len(self.calls)

    def __repr__(self) -> str:
        return f"Output(parts={self.parts!r})"
