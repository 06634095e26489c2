"""The tags of a format, and what each is for."""

import html
import re
from collections.abc import Mapping
from copy import copy
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple

from xml5tree.tools.formats import Format
from xml5tree.tools.schemas import Tool
from xml5tree.xml.nearness import is_near
from xml5tree.xml.vocabulary import ANY_PREFIX, check_names

Role = Literal["call", "argument", "key", "around", "none"]

#: A tag that is longer than this is text, while it may still become longer.
LONGEST_TAG: Final = 1024
#: Elements that models write in place of those of calls and arguments.
_LIKE_CALL: Final = frozenset({"function", "function_call", "tool", "invoke", "call"})
_LIKE_ARGUMENT: Final = frozenset({"parameter", "param", "argument", "arg", "args"})
#: An attribute: its name, and its value between quotes, also with backslashes, or without.
_ATTRIBUTE: Final = re.compile(
    r"""([^\s=/"'<>:]+)(?:\s*=\s*(?:(\\?)(["'])(.*?)\\?\3|[“‘](.*?)[”’]|([^\s"'<>]+)))?""", re.DOTALL
)
#: The value in ``<name=value>``.
_VALUE: Final = re.compile(r"""\s*=\s*(?:(\\?)(["'])(.*?)\\?\2|[“‘](.*?)[”’]|([^\s"'<>]*))""", re.DOTALL)
_REFERENCE: Final = re.compile(r"&(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});")
_REST: Final = r"""(?>[^<>"']++|"[^"<\n]*+"|'[^'<\n]*+')*+"""
_MAY_HAVE_PREFIX: Final = re.compile(r"[\w.\-]{0,64}(?::[\w.\-]*)?")
_PREFIX: Final = r"(?:[\w.\-]{1,64}:)?"


class Tag(NamedTuple):
    """A tag in the text.

    Attributes:
        role: what its name means in the format.
        is_end: whether it is an end tag.
        element: the name of the element, spelled as in the format.
        source: the name as written.
        rest: what stands after the name.
        start: the index of its first character.
        end: the index after its last character.
    """

    role: Role
    is_end: bool
    element: str
    source: str
    rest: str
    start: int
    end: int

    @property
    def is_empty(self) -> bool:
        return self.rest.endswith("/") and not self.is_end


@lru_cache(256)
def beginnings(texts: frozenset[str]) -> str:
    """Return a regular expression for what texts begin with, but for the texts themselves."""
    found = {text[:length] for text in texts for length in range(1, len(text))}
    return f"(?:{'|'.join(map(re.escape, sorted(found, key=len, reverse=True))) or '(?!)'})"


class Grammar:
    """The tags of a format: see `Format`."""

    tools: Mapping[str, Tool]

    def __init__(self, format: Format, tools: frozenset[str], arguments: frozenset[str]) -> None:
        """Compile the patterns, given the names of all tools and their arguments; see `grammar_of`."""
        self.format = format
        self.is_named = not format.call  # whether tags have the names of tools,
        self.has_named_arguments = not (format.argument or format.key or format.is_json)  # or of arguments
        calls = {format.call} if format.call else tools
        if not calls:
            raise ValueError("in this format the names of tools and of their arguments are tags: give them as tools=")
        if not self.has_named_arguments:
            arguments = frozenset({format.argument} - {""})
        keys = {format.key} - {""}
        for option, names in (("call", calls), ("argument", arguments | keys), ("around", format.around)):
            check_names(option, sorted(names))
        self.opens, self.closes, self.ends = format.delimiters
        self._roles: dict[str, Role] = {}
        self._local_roles: dict[str, Role] = {}  # of names with any prefix
        for role, names in (("around", format.around), ("key", keys), ("argument", arguments), ("call", calls)):
            for name in names:
                local = name.removeprefix(ANY_PREFIX)
                (self._roles if local == name else self._local_roles)[local] = role  # type: ignore[assignment]
        written = {*self._roles, *self._local_roles}
        for one, other in format.spellings:
            written |= {name.replace(other, one) for name in written}
        self.names = frozenset(written)
        self.has_prefixes = bool(self._local_roles)
        self._beginnings = frozenset(name[:length] for name in written for length in range(len(name) + 1))
        self._inner = arguments if self.is_named else frozenset()
        opens, closes, ends = map(re.escape, format.delimiters)
        spaced = "[ \t]?" if self.opens == "<" else ""
        name = r"(?:[｜|][ ]?\w+[ ]?[｜|][ ]?)?[^\s<>/='\"“‘`{}(),;]+?" if self.opens == "<" else r"[^\s<>/=|]+"
        self._tag = re.compile(
            f"(?:(?P<is_end>{closes}{spaced})|{opens}{spaced})(?P<name>{name})(?P<rest>(?=[\\s=/]|{ends}){_REST}){ends}"
        )
        parts = "|".join(re.escape(self.ends[:length]) for length in range(len(self.ends) - 1, 0, -1)) or "(?!)"
        self.begun = re.compile(
            f"(?:{closes}|{opens}){spaced}(?P<name>{name}|)(?P<rest>(?:[\\s=/]"
            r"""(?>[^<>"']++|"[^"\n]*+"|'[^'\n]*+')*+(?P<open>"[^"\n]*+|'[^'\n]*+)?)?)"""
            f"(?:{parts})?\\Z"
        )
        begun = beginnings(frozenset({self.opens, self.closes}))
        #: What a text ends in that may become an end tag, or a start tag without quotes.
        self.tail = re.compile(f'(?:{begun})\\Z|(?:{closes}|{opens})[^<>\n"]{{0,{LONGEST_TAG >> 2}}}(?:{parts})?\\Z')
        self.around = self._pattern(format.around)
        self.call = self._pattern(calls)
        self.argument = self._pattern(arguments)
        self.known = self._pattern([*calls, *arguments, *keys, *format.around])
        self.key = self._pattern(keys)
        self.of_values: dict[object, Any] = {}  # what `ValueEnd` compiles

    def _pattern(self, names: object) -> str:
        """Return a regular expression for names, however they are spelled."""
        patterns = []
        for name in sorted(names, reverse=True):  # type: ignore[call-overload]
            local = name.removeprefix(ANY_PREFIX)
            pattern = re.escape(local)
            for written, meant in self.format.spellings:
                pattern = pattern.replace(re.escape(meant), f"(?:{re.escape(meant)}|{re.escape(written)})")
            if self.format.spellings:
                pattern = pattern.replace("(?:｜|\\|)", "(?:｜|\\|)[ ]?")
            if self.format.has_suffix:
                pattern += r"(?::[\w.\-]{1,64})?"
            patterns.append(pattern if local == name else _PREFIX + pattern)
        return f"(?:{'|'.join(patterns)})" if patterns else "(?!)"

    def may_begin(self, name: str) -> bool:
        """Return whether the name of a known element begins with `name`."""
        known = (name.partition(":")[0] if self.format.has_suffix else name).replace(" ", "")
        return known in self._beginnings or (self.has_prefixes and _MAY_HAVE_PREFIX.fullmatch(name) is not None)

    def spelled(self, name: str) -> str:
        """Return a name as the format spells it."""
        if self.format.has_suffix:
            name = name.partition(":")[0]
        for written, meant in self.format.spellings:
            name = name.replace(written, meant)
        return name.replace(" ", "") if self.format.spellings else name

    def role(self, element: str, *, is_in_call: bool = False) -> Role:
        """Return what an element is for; a name may be that of a tool and of an argument."""
        if is_in_call and element in self._inner:
            return "argument"
        role = self._roles.get(element)
        if role is None and self._local_roles:
            role = self._local_roles.get(element.rpartition(":")[2])
        return role or "none"

    def tag(self, text: str, index: int, *, is_in_call: bool = False) -> Tag | None:
        """Return the tag that begins at an index; None if there is no whole one."""
        found = self._tag.match(text, index)
        if found is None:
            return None
        source = found["name"]
        element = self.spelled(source)
        role = self.role(element, is_in_call=is_in_call)
        return Tag(role, found["is_end"] is not None, element, source, found["rest"], index, found.end())

    def like(self, tag: Tag, tool: str | None, given: Mapping[str, object]) -> tuple[Role, str] | None:
        """Return what a tag of no known element may be meant for in a call, and the name in it; None: nothing.

        Arguments count only if `tool` has them, and they are not in `given`. Without a tool, only calls are looked for.
        """
        if self.format.is_json or self.is_named or self.opens != "<":
            return None
        local = tag.element.lower()
        if tool is None:
            head, colon, name = tag.element.partition(":")
            if colon and head.lower() in _LIKE_CALL:
                return "call", name
            if local in _LIKE_CALL and not self.format.key and (name := self.name_of(tag, "call")[0]):
                return "call", name
            return None
        if tag.is_end or not self.format.argument or self.format.key:
            return None
        if local == self.format.argument.removeprefix(ANY_PREFIX).lower():
            return "argument", self.name_of(tag, "argument")[0]
        known = self.tools[tool].arguments.keys() - given.keys() if tool in self.tools else frozenset()
        if local in _LIKE_ARGUMENT and (name := self.name_of(tag, "argument")[0]) in known:
            return "argument", name
        if tag.element in known and not tag.rest.strip("/ \t\n"):
            return "argument", tag.element
        return None

    def name_of(self, tag: Tag, role: Role) -> tuple[str, dict[str, str | None], int]:
        """Return the name that a tag gives, its other attributes, and the number of values with backslashes."""
        rest = tag.rest.removesuffix("/") if tag.is_empty else tag.rest
        attributes: dict[str, str | None] = {}
        name: str | None = None
        backslashes = 0
        if found := _VALUE.match(rest):
            name = found[3] or found[4] or found[5] or ""
            backslashes = int(bool(found[1]))
            rest = rest[found.end() :]
        for found in _ATTRIBUTE.finditer(rest):
            value = found[4] if found[3] else found[5] or found[6]
            backslashes += bool(found[2])
            attributes.setdefault(found[1], value)
        if name is None:
            names = dict.fromkeys((self.format.name_attribute[role == "argument"], "name"))
            key = next((key for key in names if attributes.get(key) is not None), None)
            if key is None and len(attributes) == 1 and [*attributes.values()] == [None] and role == "argument":
                (name,) = attributes  # <parameter path>
                attributes = {}
            else:
                name = (attributes.pop(key) if key else None) or ""
                attributes.pop("name", None)
        return (
            _REFERENCE.sub(lambda found: html.unescape(found[0]), name).strip(" \t\r\n“”‘’\"'"),
            attributes,
            backslashes,
        )

    def is_near_call(self, tag: Tag, opened: str) -> bool:
        """Return whether an end tag seems to be that of a call that began with an element."""
        return tag.is_end and (tag.element == opened or is_near(tag.element, opened))


@lru_cache(64)
def _compiled(format: Format, tools: frozenset[str], arguments: frozenset[str]) -> Grammar:
    return Grammar(format, tools, arguments)


def grammar_of(format: Format, tools: Mapping[str, Tool]) -> Grammar:
    """Return a format's grammar; raise `ValueError` for names that cannot be tags, or if tags are names of tools."""
    # To compile the patterns takes longer than to read a call.
    named = frozenset[str]() if format.call else frozenset(tools)
    arguments = frozenset(name for tool in tools.values() for name in tool.arguments if not format.argument)
    grammar = copy(_compiled(format, named, arguments))
    grammar.tools = tools
    return grammar
