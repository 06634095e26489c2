"""Switching the fast path off, to hold it equal to the states or to time the states alone."""

from collections.abc import Iterator
from contextlib import contextmanager

from xml5tree import fastpath

__all__ = ["fast_path"]


@contextmanager
def fast_path(enabled: bool) -> Iterator[None]:
    """Have documents that begin within the block go through the fast path, or not."""
    before, fastpath.enabled = fastpath.enabled, enabled
    try:
        yield
    finally:
        fastpath.enabled = before
