"""Choosing what finds clean runs, to hold all ways equal or to time the states alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from xml5tree import fastpath
from xml5tree.backends import native_first
from xml5tree.fastpath import COMPILED
from xml5tree.fastpath.contract import Scanner
from xml5tree.fastpath.scan import PURE

__all__ = ["LANES", "lane"]

#: The ways through the library: the scan that finds clean runs, or None where the states read everything. The
#: compiled one is among them where it has been compiled.
LANES: Final[dict[str, Scanner | None]] = {"pure": PURE, "states": None}
if COMPILED is not None:
    LANES["compiled"] = COMPILED


@contextmanager
def lane(name: str) -> Iterator[None]:
    """Have documents that begin within the block go one of the ways."""
    before = fastpath.scanner, native_first.has_error
    fastpath.scanner = LANES[name]
    if name != "compiled":
        native_first.has_error = None
    try:
        yield
    finally:
        fastpath.scanner, native_first.has_error = before
