"""How much the declarations of a document may add to it (D-046, D-125)."""

from collections.abc import Callable

from xml5tree.options import Settings

__all__ = ["Budget"]


class Budget:
    """The characters that declarations may add to a document, which depends on how much of it has been read.

    There are two of them: one for entities and attribute defaults, and one for namespace declarations.
    """

    def __init__(self, settings: Settings, offset: Callable[[], int], code: str = "entity-expansion-limit") -> None:
        """Set up the budget.

        Args:
            settings: the limits.
            offset: how many characters of the document have been read.
            code: what is reported when the budget is spent.
        """
        self._threshold = settings.amplification_threshold
        self._amplification = settings.max_amplification
        self._offset = offset
        self._code = code
        self._spent = 0
        self._exhausted = False

    def charge(self, cost: int, report: Callable[[str], None]) -> bool:
        """Spend what a declaration adds, in characters; False where that is too much, the first time with a report."""
        if not self.holds(cost) and self._spent + cost > self._amplification * self._offset():
            if not self._exhausted:
                self._exhausted = True
                report(self._code)
            return False
        self.spend(cost)
        return True

    def left(self) -> int:
        """How much more can be spent at any place in the document; it may be less than nothing."""
        return self._threshold - self._spent

    def holds(self, cost: int) -> bool:
        """Whether so much more can be spent at any place in the document."""
        return cost <= self.left()

    def spend(self, cost: int) -> None:
        """Spend what the budget is known to hold."""
        self._spent += cost
