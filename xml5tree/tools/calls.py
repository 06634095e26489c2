"""Results: calls, text around them, events."""

from typing import Any, Literal, NamedTuple

from xml5tree.errors.entry import ErrorEntry

__all__ = ["Call", "Event", "Output"]


class Call:
    """A tool call.

    Attributes:
        name: the name of the tool; "" if missing or, except in ``"glm"``, cut off.
        arguments: the arguments by name, in their order: text, or values as the format or the tool's schema says.
        complete: whether the call ended before the end of the text.
        start: the index of its first character in the text.
        end: the index after its last character.
        errors: the errors in its markup, such as text outside its arguments, or an end tag of a call after it: the call
            may have ended too early.
        unconverted: the names of arguments that stay text, since they do not fit their type.
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

    def __repr__(self) -> str:
        cut = "" if self.complete else ", not complete"
        return f"<Call {self.name!r} {self.arguments!r}{cut}>"


class Event(NamedTuple):
    """An event while text is read.

    Attributes:
        kind: ``"text"``, text outside of calls; ``"call"``, a call whose name is certain; ``"argument"``, new text of
            an argument; ``"end"``, the end of a call.
        call: the call, with the arguments that have ended; None for text outside.
        argument: the name of the argument; "" for a call in JSON.
        text: the new text.
    """

    kind: Literal["text", "call", "argument", "end"]
    call: Call | None = None
    argument: str = ""
    text: str = ""


class Output(NamedTuple):
    """The output of a model.

    `parts` are the calls and the text around them, in order; `calls` and `text` have one kind only.
    """

    parts: tuple[Call | str, ...]

    @property
    def calls(self) -> list[Call]:
        """The calls."""
        return [part for part in self.parts if isinstance(part, Call)]

    @property
    def text(self) -> str:
        """The text around the calls."""
        return "".join([part for part in self.parts if isinstance(part, str)])
