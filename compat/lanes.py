"""Choosing what finds error-free runs, to hold all ways equal or to time the states alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from xml5tree import fastpath
from xml5tree.fastpath.contract import Scanner
from xml5tree.fastpath.scan import PURE

__all__ = ["LANES", "lane"]

#: The ways through the library: the scan that finds error-free runs, or None where the states read everything.
LANES: Final[dict[str, Scanner | None]] = {"pure": PURE, "states": None}


@contextmanager
def lane(name: str) -> Iterator[None]:
    """Have documents that begin within the block go one of the ways."""
    before, fastpath.scanner = fastpath.scanner, LANES[name]
    try:
        yield
    finally:
        fastpath.scanner = before
