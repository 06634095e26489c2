"""The budget for the content that a document's declarations add to it (D-046, D-125)."""

from collections.abc import Callable
from typing import Final

from xml5tree.options import Settings

__all__ = ["REFERENCE_COST", "Budget"]

#: Cost of a reference in an entity, besides its text: following it takes as long as some 200 characters of text,
#: and there is no end to such references.
REFERENCE_COST: Final = 1024


class Budget:
    """Limits how many characters the declarations of a document add to it.

    The limit is a threshold (the option `amplification_threshold`) or, if that is more, a multiple of the characters
    read so far (`max_amplification`). A document has two budgets:

    * one for entities, charged by `Entities.may_expand` (`xml5tree.dtd.entities`, where markup costs more than text),
      and attribute defaults, charged by `DeclaredAttributes.missing` (`xml5tree.dtd.attributes`) and, in error-free
      runs, by `xml5tree.fastpath`;
    * one for namespace declarations that are repeated (`xml5tree.tree.namespaces`).

    References in entities cost something themselves, for the time they take: otherwise millions of references to an
    empty entity would be free.

    Documents that a native parser reads unrepaired are not charged; `xml5tree.backends.native_first` keeps the limits
    there.
    """

    def __init__(self, settings: Settings, offset: Callable[[], int], code: str = "entity-expansion-limit") -> None:
        """Set up the budget, whose `code` is reported when it is spent; `offset` returns the characters read so far."""
        self._threshold = settings.amplification_threshold
        self._amplification = settings.max_amplification
        self._offset = offset
        self._code = code
        self._spent = 0
        self._exhausted = False

    def charge(self, cost: int, report: Callable[[str], None]) -> bool:
        """Spend characters; if the budget is too small, spend nothing, report the first time, and return False."""
        if not self.holds(cost) and self._spent + cost > self._amplification * self._offset():
            if not self._exhausted:
                self._exhausted = True
                report(self._code)
            return False
        self.spend(cost)
        return True

    def charge_reference(self, cost: int, report: Callable[[str], None], *, is_nested: bool) -> bool:
        """Spend the cost of a reference as `charge` does; a nested one also costs the time to follow it."""
        return self.charge(cost + REFERENCE_COST if is_nested else cost, report)

    def left(self) -> int:
        """Return the rest of the absolute threshold; negative if more was spent."""
        return self._threshold - self._spent

    def holds(self, cost: int) -> bool:
        """Return whether a cost fits below the absolute threshold, so that it is allowed anywhere."""
        return cost <= self.left()

    def spend(self, cost: int) -> None:
        """Spend a cost that is known to be allowed."""
        self._spent += cost
