"""How much the declarations of a document may add to it (D-046, D-125)."""

from collections.abc import Callable
from typing import Final

from xml5tree.options import Settings

__all__ = ["REFERENCE_COST", "Budget"]

#: What a reference in an entity costs besides what it adds: to follow it takes as long as some 200 characters of text,
#: and there is no end to such references.
REFERENCE_COST: Final = 1024


class Budget:
    """Limits how many characters the declarations of a document add to it.

    They may add an absolute threshold (the option `amplification_threshold`), or if that is more, a multiple of what
    has been read of the document (`max_amplification`). A document has two budgets:

    * One for entities, charged by `Entities.may_expand` (`xml5tree.dtd.entities`, where markup costs more than text),
      and attribute defaults, charged by `DeclaredAttributes.missing` (`xml5tree.dtd.attributes`) and, in runs of
      clean content, by `xml5tree.fastpath`.
    * One for namespace declarations that are repeated (`xml5tree.tree.namespaces`).

    References in entities cost something themselves, for the time they take: else millions of references to an empty
    entity would cost nothing. There are no more of the others than the document has.

    What a native parser reads without a repair is not charged; see `xml5tree.backends.native_first` for how it keeps
    the limits.
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
        """Spend what a declaration adds, in characters, and return True.

        Where that is too much, spend nothing and return False; the first time, report it.
        """
        if not self.holds(cost) and self._spent + cost > self._amplification * self._offset():
            if not self._exhausted:
                self._exhausted = True
                report(self._code)
            return False
        self.spend(cost)
        return True

    def charge_reference(self, cost: int, report: Callable[[str], None], *, is_nested: bool) -> bool:
        """Spend what a reference to an entity adds, as `charge`; in an entity, also what following it costs."""
        return self.charge(cost + REFERENCE_COST if is_nested else cost, report)

    def left(self) -> int:
        """Return how much is left of the absolute threshold; less than 0 where more has been spent."""
        return self._threshold - self._spent

    def holds(self, cost: int) -> bool:
        """Return whether a cost fits below the absolute threshold, so that it is allowed anywhere in the document."""
        return cost <= self.left()

    def spend(self, cost: int) -> None:
        """Spend a cost that is known to be allowed."""
        self._spent += cost
