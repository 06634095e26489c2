"""Calls that are whole and without faults: an optimisation only."""

import re
from typing import Final, NamedTuple

from xml5tree.tools.grammar import Grammar

__all__ = ["WholeCall", "WholeCalls"]

_NAME: Final = r"[\w.\-]+"


class WholeCall(NamedTuple):
    """A call: its arguments with what each says of itself; where it begins, and ends, and what is around it ends."""

    name: str
    arguments: list[tuple[str, str, str]]
    start: int
    end: int
    end_around: int


class WholeCalls:
    """Finds whole calls, also in an element around each, whose values have nothing that may be a tag."""

    def __init__(self, grammar: Grammar) -> None:
        format = grammar.format
        self._call: re.Pattern[str] | None = None
        if not format.argument or not format.call or format.marks or grammar.opens != "<":
            return
        letters = re.escape("".join(sorted({name[0] for name in grammar.names} | set("pa"))))
        no_tag = f"[/{letters}]" + (r"|[\w.\-]++:" if grammar.has_prefixes else "")
        value = f"([^<]*+(?:<(?!{no_tag})[^<]*+)*+)</{grammar.argument}>"
        name = f'(?:=({_NAME})|(?:=|\\s+name=)"({_NAME})")'
        says = f'(?:\\s+{format.string_attribute}="(true|false)")?' if format.string_attribute else "()"
        argument, head = f"<{grammar.argument}{name}{says}>{value}", f"(?P<name>{name})>"
        if format.key:
            argument = f"<{grammar.key}>\\s*+({_NAME})()()\\s*+</{grammar.key}>\\s*+<{grammar.argument}>{value}"
            head = f">\\s*+(?P<name>{_NAME})"
        call = f"<{grammar.call}{head}(?P<arguments>(?:\\s*+{argument})*+)\\s*+</{grammar.call}>"
        around = f"(?:<{grammar.around}>\\s*+)" if format.around else "(?!)"
        self._call = re.compile(f"(?P<around>{around})?(?P<call>{call})(?(around)\\s*+</{grammar.around}>)")
        self._argument = re.compile(argument)

    def find(self, text: str, index: int) -> WholeCall | None:
        """Return the call that begins at an index, or the one in an element around calls."""
        found = self._call.match(text, index) if self._call is not None else None
        if found is None:
            return None
        source = self._argument.findall(text, found.start("arguments"), found.end("arguments"))
        arguments = [(one or other, says, value) for one, other, says, value in source]
        if len({key for key, _, _ in arguments}) < len(arguments):
            return None
        name = found["name"].strip("= \t\r\n")
        name = name[name.index('"') + 1 : -1] if name.endswith('"') else name
        return WholeCall(name, arguments, found.start("call"), found.end("call"), found.end())
