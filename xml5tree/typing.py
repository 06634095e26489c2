"""Types of parsers' results, for type checkers."""

from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

__all__ = ["ElementEvent", "Item", "Result", "Result_co", "Root", "Target"]

#: Kinds of events that come with an element, a comment or a processing instruction.
ElementEvent = Literal["start", "end", "comment", "pi"]

if TYPE_CHECKING:
    from typing_extensions import TypeVar as DefaultTypeVar

    #: The result of a parser's ``close``: the root element, or that of a target. By default, anything.
    Result = DefaultTypeVar("Result", default=Any)
    #: The elements of a backend.
    Root = DefaultTypeVar("Root", default=Any)
    #: The items of events.
    Item = DefaultTypeVar("Item", default=Any)
else:
    Result = TypeVar("Result")
    Root = TypeVar("Root")
    Item = TypeVar("Item")
Result_co = TypeVar("Result_co", covariant=True)


class Target(Protocol[Result_co]):
    """An object that a parser calls for elements and text; both libraries describe its other methods."""

    def close(self) -> Result_co:
        """End the document; return its result."""
