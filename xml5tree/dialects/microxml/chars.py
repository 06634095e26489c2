"""Characters and names (M-011, M-012, M-021, M-072)."""

import re
from typing import Final

from xml5tree.xml.chars import NONCHARACTERS, NotAllowed
from xml5tree.xml.names import FIFTH_EDITION
from xml5tree.xml.references import error_of_number

#: White space of the input and of tags; MicroXML itself lacks U+000C.
SPACE: Final = "\t\n\f "
#: White space and the characters of names, as sets for patterns. The draft's names are wider than MicroXML's.
S: Final = r"[\t\n\f ]"
NAME_START: Final = r"A-Za-z_:$\x80-\U0010ffff"
NAME_CHARACTERS: Final = rf"{NAME_START}0-9.\-"
#: The pattern of the longest name.
NAME: Final = f"[{NAME_START}][{NAME_CHARACTERS}]*+"

#: The pattern of a quoted value without line breaks, tabs and references other than the five predefined.
CLEAN_VALUE: Final = (
    r"""(?:"[^<>&"\t\n]*+(?:"|(?>&(?:amp|lt|gt|quot|apos);[^<>&"\t\n]*+)++")"""
    r"""|'[^<>&'\t\n]*+(?:'|(?>&(?:amp|lt|gt|quot|apos);[^<>&'\t\n]*+)++'))"""
)

#: The characters that MicroXML does not allow.
NOT_ALLOWED: Final = NotAllowed(r"\0-\x08\x0b-\x1f\x7f-\x9f")
_NONCHARACTER: Final = re.compile(f"[{NONCHARACTERS}]")


def is_name(name: str) -> bool:
    """Return whether a name is one of MicroXML: an NCName of XML's fifth edition without noncharacters."""
    return FIFTH_EDITION.is_ncname(name) and (name.isascii() or not _NONCHARACTER.search(name))


def reference_problem(number: int) -> str | None:
    """Return the error code for a numeric reference to a forbidden character, else None."""
    code = error_of_number(number)
    if code is not None or not NOT_ALLOWED.pattern.match(chr(number)):
        return code
    return "control-character-reference" if number < 0xA0 else "noncharacter-character-reference"
