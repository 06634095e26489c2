"""Infoset coercion: what no XML tree can hold is changed so that one can (D-073, D-120, D-121).

The escapes are those of the HTML standard, "Coercing an HTML DOM into an infoset".

A control character of the document was reported when it was read (`xml5tree.input.stream`), and is still in the token;
only U+0000 is U+FFFD from there on, as a reference to it is (`xml5tree.xml.references`), unless the option
`control_characters` drops or escapes it. Everything that goes into the tree passes the functions here. Tree
construction reports what they change: of a text once (``coerced-character``), of other tokens once for each changed
part.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final

from xml5tree.options import ControlCharacters
from xml5tree.xml.chars import FORBIDDEN, has_forbidden
from xml5tree.xml.names import NameRules

__all__ = ["coerce_characters", "coerce_comment", "coerce_instruction", "coerce_name", "coerce_target"]

_DASHES: Final = re.compile(r"-(?=-|\Z)")
_INSTEAD: Final[Mapping[ControlCharacters, Callable[[re.Match[str]], str]]] = {
    "replace": lambda bad: " " if bad[0] == "\f" else "\ufffd",
    "drop": lambda bad: "",
    "escape": lambda bad: f"_x{ord(bad[0]):04X}_",
}


def _escape(character: str) -> str:
    return f"U{ord(character):06X}"


def coerce_name(name: str, rules: NameRules) -> str:
    """Return a name as an NCName: each character that cannot stand where it is becomes U and six digits (D-120).

    A name longer than the reader of the markup reads is cut.
    """
    if rules.is_ncname(name):
        return name
    first = _escape(name[0]) if rules.bad_start.match(name) else name[0]
    return rules.shortened(first + rules.bad_char.sub(lambda bad: _escape(bad[0]), name[1:]))


def coerce_target(target: str, rules: NameRules) -> str:
    """Return the target of a processing instruction: an NCName other than ``xml`` in any case (D-120)."""
    if target.lower() == "xml":
        return _escape(target[0]) + target[1:]
    return coerce_name(target, rules)


def coerce_characters(data: str, control_characters: ControlCharacters = "replace") -> str:
    """Return text with a space for U+000C and U+FFFD for others that XML forbids, or as the option says (D-121)."""
    if not has_forbidden(data):
        return data
    return FORBIDDEN.sub(_INSTEAD[control_characters], data)


def coerce_comment(data: str) -> str:
    """Return the data of a comment, in which ``--`` and a final ``-`` are taken apart by a space (D-073)."""
    return _DASHES.sub("- ", data) if "-" in data else data


def coerce_instruction(data: str, control_characters: ControlCharacters) -> str:
    """Return an instruction's coerced data (see `coerce_characters`); dropped characters leave no ``?>``."""
    coerced = coerce_characters(data, control_characters)
    return data if coerced == data else coerced.replace("?>", "? >")
