"""Patterns that are compiled when they are first needed, because few documents need them."""

import re
from functools import cache

__all__ = ["compiled"]


@cache
def compiled(source: str) -> re.Pattern[str]:
    """As `re.compile`, which forgets patterns when there are many; all that go through here take 13 ms to compile."""
    return re.compile(source)
