"""Runs at the greatest depth allowed (D-124).

Elements within others become siblings there.
"""

import re
from typing import Final

__all__ = ["find_unflattened", "flattened"]

#: What the states have to read there: declarations, which would end before their element's content; end tags with
#: newlines, as a dropped one takes its newlines along; and end tags after "]", as dropping one could make "]]>".
_UNFLATTENED: Final = re.compile(rb"xmlns|\]</|</[^<>\n]*\n")
_TOKEN: Final = re.compile(
    rb"""(<(?:!--.*?-->|!\[CDATA\[.*?\]\]>|\?.*?\?>|(/?)([^\t\n />!?]++)(?:[^"'>]++|"[^"]*+"|'[^']*+')*+>))""",
    re.DOTALL,
)


def find_unflattened(data: bytes, place: int) -> int:
    """Return the first place from `place` on that is for the states, or the end of the data."""
    found = _UNFLATTENED.search(data, place)
    return found.start() if found else len(data)


def flattened(markup: bytes, current: bytes) -> tuple[bytes, bytes]:
    """Return the markup of a run at the greatest depth, with each element ended before the next one begins.

    `current` is the name of the element of that depth that is open before the run, b"" for none. Also return `current`
    after it.
    """
    parts = _TOKEN.split(markup)
    pieces = parts[:1]
    for token, solidus, name, text in zip(parts[1::4], parts[2::4], parts[3::4], parts[4::4], strict=True):
        if solidus:
            if current:
                pieces.append(token)
            current = b""
        else:
            if name is not None:
                if current:
                    pieces += (b"</", current, b">")
                current = b"" if token.endswith(b"/>") else name
            pieces.append(token)
        pieces.append(text)
    return b"".join(pieces), current
