"""Choosing what reads content, to hold both readers equal or to time the states alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from xml5tree.backends import native_first
from xml5tree.dialects.xml5 import core

__all__ = ["LANES", "lane"]

#: The readers: the compiled core, where there is one, and None where the states read everything.
LANES: Final[dict[str, Any]] = {"states": None}
if core.compiled is not None:
    LANES["compiled"] = core.compiled


@contextmanager
def lane(name: str) -> Iterator[None]:
    """Have documents that begin within the block be read by one of the readers."""
    before = core.compiled, native_first.has_error
    core.compiled = LANES[name]
    if name != "compiled":
        native_first.has_error = None
    try:
        yield
    finally:
        core.compiled, native_first.has_error = before
