"""Rare patterns, compiled on demand."""

import re
from functools import cache


@cache
def compiled(source: str) -> re.Pattern[str]:
    """Compile a pattern once; unlike the cache of `re.compile`, this one drops none."""
    return re.compile(source)
