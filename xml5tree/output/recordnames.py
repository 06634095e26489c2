"""Names in the markup of records, as the paths to values have them."""

from typing import Protocol

__all__ = ["AsWritten", "Names"]


class Names(Protocol):
    """Says what is in a record by the names in it."""

    def see(self, markup: bytes) -> bool:
        """Take note of declarations in the markup; return whether it is still clear what names mean."""

    def begin(self, name: bytes) -> bool:
        """Return whether an element of a name is a record; the names asked for from now on are in it."""

    def element(self, name: bytes) -> bytes | None:
        """Return the name of an element as paths have it; None if that is not known."""

    def attribute(self, name: bytes) -> bytes | None:
        """Return the name of an attribute as paths have it, "" for a declaration; None if that is not known."""


class AsWritten:
    """Names that are the same in markup and paths."""

    def __init__(self, record: bytes) -> None:
        self._record = record

    def see(self, markup: bytes) -> bool:
        return True

    def begin(self, name: bytes) -> bool:
        return name == self._record

    def element(self, name: bytes) -> bytes | None:
        return name

    attribute = element
