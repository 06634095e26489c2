"""Character classes of several stages."""

import re
from typing import Final

#: White space of the draft's tag, comment and processing instruction states, and of XML (newlines are normalised).
SPACE: Final = frozenset("\t\n ")

#: A character that XML 1.0 does not allow: it is not in production 2, Char. Lone surrogates and U+0000 never get past
#: the input stream; they are in the class for character references.
FORBIDDEN: Final = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

SURROGATE_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")

#: All noncharacters, as a set for patterns.
NONCHARACTERS: Final = r"\ufdd0-\ufdef" + "".join(rf"\U{plane:04x}fffe\U{plane:04x}ffff" for plane in range(0x11))
#: A control character in UTF-8 beyond ASCII, and what all noncharacters have there.
_C1_CONTROL: Final = re.compile(rb"\xc2[\x80-\x9f]")
_IN_NONCHARACTERS: Final = (b"\xbf\xbe", b"\xbf\xbf", b"\xef\xb7")


class NotAllowed:
    """The characters that a dialect does not allow: some control characters, all surrogates and noncharacters."""

    def __init__(self, controls: str) -> None:
        """Set the control characters, as a set for patterns."""
        self.pattern = re.compile(f"[{controls}\ud800-\udfff{NONCHARACTERS}]")
        harmless = bytes(code for code in range(0x80) if not self.pattern.match(chr(code)))
        self._harmless = harmless + b"\r" + bytes(range(0x80, 0x100))

    def may_be_in(self, text: str | bytes) -> bool:
        """Return whether a text, perhaps in UTF-8, may have one but for carriage returns; faster than a search."""
        try:
            utf8 = text if isinstance(text, bytes) else text.encode()
        except UnicodeEncodeError:
            return True
        if utf8.translate(None, self._harmless):
            return True
        is_beyond = not utf8.isascii()
        return is_beyond and (any(part in utf8 for part in _IN_NONCHARACTERS) or _C1_CONTROL.search(utf8) is not None)


def has_forbidden(text: str) -> bool:
    """Return whether a text has a character that XML does not allow; faster if all are printable."""
    return not text.isprintable() and FORBIDDEN.search(text) is not None


def code_point(character: str) -> str:
    """Return the name of a character's code point, such as ``U+000B``."""
    return f"U+{ord(character):04X}"
