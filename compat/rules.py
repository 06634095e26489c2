"""Switching rules of ``recovery="intent"`` off, to measure what each of them is worth."""

from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

from xml5tree.dialects.xml5.intent import recording, stages
from xml5tree.dialects.xml5.intent.constants import RULES
from xml5tree.dialects.xml5.intent.policy import Intent

__all__ = ["RULES", "policy_without", "without"]


def policy_without(rules: Collection[str]) -> type[Intent]:
    """A policy that lacks some rules."""
    return type("Intent", (Intent,), {"is_on": staticmethod(RULES.difference(rules).__contains__)})


@contextmanager
def without(*rules: str) -> Iterator[None]:
    """Have documents that begin within the block read without some rules.

    Raises:
        ValueError: there is no such rule.
    """
    unknown = set(rules) - RULES
    if unknown:
        raise ValueError(f"no such rules: {', '.join(sorted(unknown))}")
    policy = policy_without(rules)
    with ExitStack() as stack:
        for module in (stages, recording):
            stack.enter_context(patch.object(module, "Intent", policy))
        yield
