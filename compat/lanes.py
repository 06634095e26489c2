"""Choosing what reads content, to hold both readers equal or to time the states alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from xml5tree import fastpath
from xml5tree.backends import native_first
from xml5tree.fastpath.contract import Scan

__all__ = ["LANES", "lane"]

#: The readers: the compiled scan, where there is one, and None where the states read everything.
LANES: Final[dict[str, Scan | None]] = {"states": None}
if fastpath.scan is not None:
    LANES["compiled"] = fastpath.scan


@contextmanager
def lane(name: str) -> Iterator[None]:
    """Have documents that begin within the block be read by one of the readers."""
    before = fastpath.scan, native_first.has_error
    fastpath.scan = LANES[name]
    if name != "compiled":
        native_first.has_error = None
    try:
        yield
    finally:
        fastpath.scan, native_first.has_error = before
