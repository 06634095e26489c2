"""Character classes of several stages."""

import re
from typing import Final

__all__ = ["FORBIDDEN", "SPACE", "SURROGATE_PAIR", "code_point", "has_forbidden"]

#: White space of the draft's tag, comment and processing instruction states, and of XML (newlines are normalised).
SPACE: Final = frozenset("\t\n ")

#: A character that XML 1.0 does not allow: it is not in production 2, Char. Lone surrogates and U+0000 never get past
#: the input stream; they are in the class for character references.
FORBIDDEN: Final = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


SURROGATE_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def has_forbidden(text: str) -> bool:
    """Return whether a text has a character that XML does not allow; faster if all are printable."""
    return not text.isprintable() and FORBIDDEN.search(text) is not None


def code_point(character: str) -> str:
    """Return the name of a character's code point, such as ``U+000B``."""
    return f"U+{ord(character):04X}"
