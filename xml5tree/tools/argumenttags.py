"""Tags inside an argument, which show a missing end tag."""

import re
from typing import Final

from xml5tree.tools.formats import Format
from xml5tree.tools.roles import Roles
from xml5tree.xml.vocabulary import ANY_PREFIX, Vocabulary

__all__ = ["ArgumentTags", "NamedTags"]

#: Longest parts of a tag: a value, a name, and white space.
_VALUE: Final = r"""(?:\\?"[^"<>\n]{0,128}"|\\?'[^'<>\n]{0,128}'|[^\s"'<>]{1,128})"""
_ATTRIBUTE: Final = rf"\s{{1,16}}[\w.:-]{{1,64}}(?:\s{{0,16}}=\s{{0,16}}{_VALUE})?"


class ArgumentTags:
    """The tags of arguments and of their names, in formats that have one element for all arguments.

    In other formats, an end tag that is missing cannot be taken for that of the next argument.
    """

    def __init__(self, format: Format) -> None:
        self._key = Vocabulary({format.key} - {""})
        self._locals = [name.removeprefix(ANY_PREFIX) for name in (format.argument, format.key) if name]
        self._tag: re.Pattern[str] | None = None
        if format.argument and not format.is_json:
            name = Vocabulary({format.argument, format.key} - {""}).pattern
            end = rf"/(?P<end>{name})(?:=[^<>\n]{{0,128}})?\s{{0,16}}>"
            start = rf"(?P<start>{name})(?:={_VALUE})?(?:{_ATTRIBUTE}){{0,8}}\s{{0,16}}(?<!/)>"
            self._tag = re.compile(f"<(?:{end}|{start})")

    def first(self, text: str) -> str | None:
        """Return the first tag in a text; None without one."""
        found = self._tag.search(text) if self._tag is not None else None
        return found[0] if found else None

    def first_open(self, text: str, argument: str) -> str | None:
        """Return the first start tag that no later end tag of an argument in a text can belong to; None without one."""
        if self._tag is None or not any(name in text for name in self._locals):  # which takes far less time
            return None
        # The end tag of an argument also ends what is left of its name.
        keys: list[str] = []
        arguments: list[str] = []
        for found in self._tag.finditer(text):
            name = found["start"]
            if name is not None:
                (keys if name in self._key else arguments).append(found[0])
            elif found["end"] not in self._key:
                del keys[-1:], arguments[-1:]
        return next(iter(keys or arguments), None)


class NamedTags:
    """The tags of tools and arguments, in formats in which they have the names of these.

    Such names stand in text, too, as in ``usage: <command> <path>``. So one start tag shows nothing.
    """

    def __init__(self, roles: Roles) -> None:
        calls, arguments = Vocabulary(roles.calls).pattern, Vocabulary(roles.arguments).pattern
        end = rf"/(?P<end>{calls}|{arguments})\s{{0,16}}>"
        rest = rf"(?:={_VALUE})?(?:{_ATTRIBUTE}){{0,8}}\s{{0,16}}(?<!/)>"
        call = rf"(?P<call>{calls}){rest}(?=\s{{0,256}}<(?P<first>{arguments})\s{{0,16}}>)"
        self._tag = re.compile(rf"<(?:{end}|{call}|(?P<start>{arguments})\s{{0,16}}>)")
        self._roles = roles

    def first(self, text: str) -> None:
        """Return None: arguments have no elements for their names."""

    def first_open(self, text: str, argument: str) -> str | None:
        """Return the first start tag in the text of an argument that seems to be markup; None without one.

        It has no end tag there. It is a call's, before that of its argument; or the argument's own, after its end tag.
        """
        has_ended = False
        begun: dict[str, list[tuple[re.Match[str], bool]]] = {}  # start tags, and whether each seems to be markup
        for found in self._tag.finditer(text):
            name = found["end"] or found["call"] or found["start"]
            if self._begins_call(found) or found["start"] == argument:
                begun.setdefault(name, []).append((found, has_ended or found["start"] is None))
            elif found["end"] and begun.get(name):
                begun[name].pop()
            elif found["end"] == argument:
                has_ended = True
        tags = [found for places in begun.values() for found, is_markup in places if is_markup]
        return min(tags, key=re.Match.start)[0] if tags else None

    def _begins_call(self, found: re.Match[str]) -> bool:
        arguments = self._roles.tools.get(found["call"] or "", self._roles.arguments)
        return found["call"] is not None and found["first"] in arguments
