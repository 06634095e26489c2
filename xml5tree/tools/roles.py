"""Roles of elements in a format."""

from collections.abc import Mapping
from typing import Any, Final, Literal

from xml5tree.tools.formats import Format
from xml5tree.xml.vocabulary import Vocabulary

__all__ = ["NAME", "Role", "Roles"]

#: The attribute with the name of a tool or an argument.
NAME: Final = "name"

Role = Literal["call", "argument", "key", "around", "none"]


class Roles:
    """The elements of a format, given the schemas of the tools' arguments.

    `elements` has all names, `raw` those of elements with only characters, `outside` those of elements outside of
    calls, `calls` and `arguments` those of calls and arguments.
    """

    def __init__(self, format: Format, tools: Mapping[str, Mapping[str, Any]]) -> None:
        """Find the names; raise `ValueError` if those of tools and arguments are tags, but unknown or ambiguous."""
        self.format = format
        self.tools = tools
        calls = {format.call} if format.call else set(tools)
        arguments = {format.argument} if format.argument else set().union(*tools.values())
        if format.is_json:
            arguments = set()
        keys = {format.key} - {""}
        if not calls:
            raise ValueError("in this format the names of tools and of their arguments are tags: give them as tools=")
        if same := calls & arguments:
            raise ValueError(f"{min(same)!r} is the name of a tool and of an argument, which are tags in this format")
        self.calls, self.arguments = frozenset(calls), frozenset(arguments)
        self.outside = calls | set(format.around)
        self.elements = frozenset(self.outside | arguments | keys)
        self.raw = frozenset(calls if format.is_json else arguments | keys)
        self._names: tuple[tuple[Role, Vocabulary], ...] = (
            ("call", Vocabulary(calls)),
            ("argument", Vocabulary(arguments)),
            ("key", Vocabulary(keys)),
            ("around", Vocabulary(format.around)),
        )

    def role(self, name: str) -> Role:
        """Return the role of an element name; "none" for the root element of the text."""
        return next((role for role, names in self._names if name in names), "none")

    def attributes(self, role: Role) -> frozenset[str]:
        """Return the attributes that the elements of a role have in the format."""
        format = self.format
        elements = {"call": format.call, "argument": format.argument}
        named = NAME if elements.get(role) and not (format.key or format.is_json) else ""
        of_value = format.string_attribute if role == "argument" else ""
        return frozenset({named, of_value} - {""})

    def schema(self, tool: str, argument: str) -> object:
        return self.tools.get(tool, {}).get(argument)
