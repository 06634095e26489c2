"""How much the declarations of a document may add to it (D-046)."""

from collections.abc import Callable

from xml5tree.options import Settings

__all__ = ["Budget"]


class Budget:
    """The characters that entities and attribute defaults may add, which depends on how far the document has come."""

    def __init__(self, settings: Settings, *, error: Callable[..., None], offset: Callable[[], int]) -> None:
        """Set the limits.

        Args:
            settings: have the limits.
            error: reports an error code and its details.
            offset: how many characters of the document have been read.
        """
        self._threshold = settings.amplification_threshold
        self._amplification = settings.max_amplification
        self._error = error
        self._offset = offset
        self._spent = 0
        self._exhausted = False

    def charge(self, cost: int) -> bool:
        """Charge what a declaration adds, in characters; False, which is reported once, where that is too much."""
        if not self.holds(cost) and self._spent + cost > self._amplification * self._offset():
            if not self._exhausted:
                self._exhausted = True
                self._error("entity-expansion-limit")
            return False
        self._spent += cost
        return True

    def holds(self, cost: int) -> bool:
        """Whether so much more can be charged at any place in the document."""
        return self._spent + cost <= self._threshold
