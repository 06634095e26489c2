"""The tokens of runs, and their pattern.

A token is a tag, comment, CDATA section or instruction with the text after it; a leaf's end tag and the text after that
are of the same token.
"""

import re
from typing import Final

__all__ = ["TOKEN", "Token", "end_of_plain_sections", "find_markup"]

#: A token as the pattern finds it: the solidus and name of a tag; signs of an empty tag, a comment, a CDATA section,
#: one that has only white space, no text after it, the end tag of a leaf, and no text after that. Missing ones are
#: empty.
Token = tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes]

_INSIDE: Final = rb"""[^<>"']*+(?:"[^"]*+"[^<>"']*+|'[^']*+'[^<>"']*+)*+"""
#: The characters after a "<" in a run that is text.
_AFTER_TEXT: Final = b"\t\n :<>"
_TEXT: Final = rb"[^<]*+(?:<(?=[%b])[^<]*+)*+" % _AFTER_TEXT
_NO_TEXT: Final = rb"[\t\n ]*+(?=((?:<(?![%b]))?))" % _AFTER_TEXT
#: A tag, comment, CDATA section or instruction of a run; "<" if no text follows that is not white space; and an end tag
#: of the same name right after the text, as leaves have, with "<" if no text follows that.
TOKEN: Final = re.compile(
    rb"""<(?:
        (/?)([^\t\n />!?]++)%b(?:((?<=/)>)|>)
        |!(--)(?s:.*?)-->
        |!(\[CDATA\[)[\t\n ]*+((?:\]\]>)?)(?s:.*?)(?:(?<=\]\]>)|\]\]>)
        |\?(?s:.*?)\?>
    )%b%b(?:(<)/\2[\t\n ]*+>%b%b)?"""
    % (_INSIDE, _NO_TEXT, _TEXT, _NO_TEXT, _TEXT),
    re.VERBOSE,
)
#: A section in which another one seems to begin, so that R-020 may doubt where it ends.
_NESTED: Final = re.compile(
    rb"""<!\[CDATA\[ [^]<]*+ (?:(?:\](?!\]>) | <(?!!\[CDATA\[)) [^]<]*+)*+ <!\[CDATA\[
    | <\? [^?<]*+ (?:(?:\?(?!>) | <(?!\?(?!>))) [^?<]*+)*+ <\?""",
    re.VERBOSE,
)


def find_markup(data: bytes, start: int, end: int) -> int:
    """Return where the first markup of a part of a run begins; its end if there is none. Other "<" are text."""
    index = data.find(b"<", start, end)
    while index >= 0 and (index + 1 == end or data[index + 1] in _AFTER_TEXT):
        index = data.find(b"<", index + 1, end)
    return index if index >= 0 else end


def end_of_plain_sections(text: bytes) -> int:
    """Return the index of the first CDATA section or instruction that has a second opening inside; else the length."""
    if (b"<?" in text or b"<![CDATA[" in text) and _NESTED.search(text):  # the match may be in a comment
        for match in TOKEN.finditer(text + b"<"):
            if _NESTED.match(text, match.start()):
                return match.start()
    return len(text)
