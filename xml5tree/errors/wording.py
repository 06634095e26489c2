"""Words shared by messages."""

import re
from typing import Final

_SINCE_IGNORED: Final = "; everything since the end tag ignored in line "
_LINE: Final = re.compile(f"(?<={_SINCE_IGNORED})[0-9]+")


def number_of(count: int, noun: str) -> str:
    """Return a count with its noun: ``1 error``, ``12,000 errors``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def since_ignored(line: int, length: int) -> str:
    """Say that `length` characters came into an element since an end tag was ignored in it."""
    return f"{_SINCE_IGNORED}{line} is inside: {number_of(length, 'character')}"


def move_lines(message: str, by: int) -> str:
    """Return a message with `by` added to the line number that it may have."""
    return _LINE.sub(lambda found: str(int(found[0]) + by), message)
