"""The tokens of the XML5 draft (§1.3), for `xml5tree.tokenize`."""

from dataclasses import dataclass, field

__all__ = [
    "Characters",
    "Comment",
    "Doctype",
    "EmptyTag",
    "EndTag",
    "ProcessingInstruction",
    "ShortEndTag",
    "StartTag",
    "Token",
]


@dataclass(frozen=True, slots=True)
class StartTag:
    """``<name …>``: raw qualified name, and raw attribute names to values in document order."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EmptyTag:
    """``<name …/>``: as a start tag, but the element has no content."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EndTag:
    """``</name>``."""

    name: str


@dataclass(frozen=True, slots=True)
class ShortEndTag:
    """``</>``, which closes the current element whatever its name."""


@dataclass(frozen=True, slots=True)
class Characters:
    """Text; adjacent characters of one document come in one token."""

    data: str


@dataclass(frozen=True, slots=True)
class Comment:
    """``<!--data-->``."""

    data: str


@dataclass(frozen=True, slots=True)
class ProcessingInstruction:
    """``<?target data?>``."""

    target: str
    data: str


@dataclass(frozen=True, slots=True)
class Doctype:
    """``<!DOCTYPE name …>``: the name in lower case as the draft has it; missing parts are None."""

    name: str | None
    public_id: str | None
    system_id: str | None


Token = StartTag | EmptyTag | EndTag | ShortEndTag | Characters | Comment | ProcessingInstruction | Doctype
