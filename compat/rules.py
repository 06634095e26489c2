"""Switching rules of ``recovery="intent"`` off, to measure what each of them is worth."""

from collections.abc import Iterator
from contextlib import contextmanager

from xml5tree.dialects.xml5 import intent
from xml5tree.dialects.xml5.intent import RULES

__all__ = ["RULES", "without"]


@contextmanager
def without(*rules: str) -> Iterator[None]:
    """Have documents that begin within the block read without some rules.

    Raises:
        ValueError: there is no such rule.
    """
    unknown = set(rules) - RULES
    if unknown:
        raise ValueError(f"no such rules: {', '.join(sorted(unknown))}")
    before, intent.disabled = intent.disabled, frozenset(rules)
    try:
        yield
    finally:
        intent.disabled = before
