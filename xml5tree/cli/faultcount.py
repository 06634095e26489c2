"""How many errors a document has, as people count them, for commands that do not list them."""

from xml5tree.cli.rendering import number_of
from xml5tree.cli.sources import Source, complain
from xml5tree.errors.entry import ErrorEntry
from xml5tree.errors.faults import Fault, Faults

__all__ = ["FaultCount"]


class FaultCount:
    """Counts the faults of a document; its method `take` is the option `on_error` of what reads the document."""

    def __init__(self) -> None:
        self._number = 0
        self._faults = Faults(self._count)

    def take(self, entry: ErrorEntry) -> None:
        """Take the next error."""
        self._faults.take(entry)

    def _count(self, fault: Fault) -> None:
        self._number += 1

    def tell(self, source: Source) -> None:
        """Say how many there were, if any, now that the document has ended."""
        self._faults.close()
        if self._number:
            complain(source, f"{number_of(self._number, 'error')} repaired; 'xml5tree check' lists them")
