"""What is read: calls, the text around them, and events while they come in."""

from typing import Any, Literal, NamedTuple

from xml5tree.errors.entry import ErrorEntry

__all__ = ["Call", "Event", "Output"]


class Call:
    """A call of a tool.

    Attributes:
        name: the name of the tool; "" where it has none.
        arguments: the arguments by name, in their order: text, or what the format or the schema of the tool says.
        complete: whether the call has ended before the end of the text, which may have been cut off.
        start: the index in the text of the call's first character,
        end: and of the one after its last.
        errors: what is wrong with it: markup of the call that had to be repaired.
        unconverted: the names of arguments that are text because they are not what the schema says.
    """

    __slots__ = ("arguments", "complete", "end", "errors", "name", "start", "unconverted")

    def __init__(self, name: str, start: int) -> None:
        """Begin a call."""
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
    """Something that has come.

    Attributes:
        kind: ``"text"``, text outside of calls; ``"call"``, a call whose name is certain; ``"argument"``, new text of
            an argument; ``"end"``, the end of a call.
        call: the call; None for text outside. Its arguments are there once they have ended.
        argument: the name of the argument; "" for a call in JSON, whose text comes as it is written.
        text: the new text.
    """

    kind: Literal["text", "call", "argument", "end"]
    call: Call | None = None
    argument: str = ""
    text: str = ""


class Output(NamedTuple):
    """What a model has written.

    Attributes:
        parts: the calls, and the text around them, in their order.
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
