"""The budget for content that declarations add (D-046, D-125)."""

from collections.abc import Callable
from typing import Final

from xml5tree.options import Settings

#: Cost of a reference in an entity, besides its text: following it takes as long as some 200 characters of text,
#: and there is no end to such references.
REFERENCE_COST: Final = 1024


class Budget:
    """Limits how many characters the declarations of a document add to it.

    The limit is the option `amplification_threshold` or, if that is more, `max_amplification` times the characters read
    so far. One budget is for entities and attribute defaults, another for repeated namespace declarations. Documents
    that a native parser reads unrepaired are not charged; `xml5tree.backends.native_first` limits those.
    """

    def __init__(self, settings: Settings, offset: Callable[[], int], code: str = "entity-expansion-limit") -> None:
        """Set the `code` to report when the budget is spent; `offset` returns the characters read so far."""
        self._threshold = settings.amplification_threshold
        self._amplification = settings.max_amplification
        self._offset = offset
        self._code = code
        self._spent = 0
        self._exhausted = False

    def charge(self, cost: int, report: Callable[[str], None]) -> bool:
        """Spend characters, or report the first time that they do not fit; return whether they did."""
        if not self.holds(cost) and self._spent + cost > self._amplification * self._offset():
            if not self._exhausted:
                self._exhausted = True
                report(self._code)
            return False
        self.spend(cost)
        return True

    def left(self) -> int:
        """Return the rest of the threshold; negative if more was spent."""
        return self._threshold - self._spent

    def holds(self, cost: int) -> bool:
        """Return whether a cost fits below the threshold, and so is allowed anywhere."""
        return cost <= self.left()

    def spend(self, cost: int) -> None:
        self._spent += cost
