"""The tokens of HTML (§12.2.4), for `xml5tree.tokenize`.

They are not frozen, because making a frozen object takes two to four times as long.
"""

from dataclasses import dataclass, field


@dataclass(slots=True)
class StartTag:
    """``<name …>``: name and attribute names in lower case, in document order; whether it ends in ``/>``."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    self_closing: bool = False


@dataclass(slots=True)
class EndTag:
    """``</name>``, the name in lower case."""

    name: str


@dataclass(slots=True)
class Characters:
    """Text; adjacent characters come in one token."""

    data: str


@dataclass(slots=True)
class Comment:
    """``<!--data-->``, or other markup that is read as a comment."""

    data: str


@dataclass(slots=True)
class Doctype:
    """``<!DOCTYPE name …>``; missing parts are None, not the empty string."""

    name: str | None
    public_id: str | None = None
    system_id: str | None = None
    force_quirks: bool = False


Token = StartTag | EndTag | Comment | Doctype | Characters
