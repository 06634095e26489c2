"""Infoset coercion (D-073, D-120, D-121).

The escapes are those of the HTML standard, "Coercing an HTML DOM into an infoset". Tree construction reports changes:
of a text once (``coerced-character``), of other tokens once for each part.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final

from xml5tree.options import ControlCharacters
from xml5tree.xml.chars import FORBIDDEN, has_forbidden
from xml5tree.xml.names import NameRules

_DASHES: Final = re.compile(r"-(?=-|\Z)")
_INSTEAD: Final[Mapping[ControlCharacters, Callable[[re.Match[str]], str]]] = {
    "replace": lambda bad: " " if bad[0] == "\f" else "\ufffd",
    "drop": lambda bad: "",
    "escape": lambda bad: f"_x{ord(bad[0]):04X}_",
}


def _escape(character: str) -> str:
    return f"U{ord(character):06X}"


def coerce_name(name: str, rules: NameRules) -> str:
    """Return a name as an NCName, cut to the longest; other characters become U and six digits (D-120)."""
    if rules.is_ncname(name):
        return name
    first = _escape(name[0]) if rules.bad_start.match(name) else name[0]
    return rules.shortened(first + rules.bad_char.sub(lambda bad: _escape(bad[0]), name[1:]))


def coerce_target(target: str, rules: NameRules) -> str:
    """Return the target of an instruction: an NCName other than ``xml`` in any case (D-120)."""
    if target.lower() == "xml":
        return _escape(target[0]) + target[1:]
    return coerce_name(target, rules)


def coerce_characters(data: str, control_characters: ControlCharacters = "replace") -> str:
    """Return text without characters that XML forbids, replaced as the option says (D-121)."""
    if not has_forbidden(data):
        return data
    return FORBIDDEN.sub(_INSTEAD[control_characters], data)


def coerce_comment(data: str) -> str:
    """Return the data of a comment, with a space after "-" in ``--`` and at the end (D-073)."""
    return _DASHES.sub("- ", data) if "-" in data else data


def coerce_instruction(data: str, control_characters: ControlCharacters) -> str:
    """Return the data of an instruction, coerced; dropped characters leave no ``?>``."""
    coerced = coerce_characters(data, control_characters)
    return data if coerced == data else coerced.replace("?>", "? >")
