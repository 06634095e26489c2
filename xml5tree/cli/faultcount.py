"""Counts the errors of a document without a list."""

from xml5tree.cli.rendering import number_of
from xml5tree.cli.sources import InputDocument, complain
from xml5tree.errors.codes import KEPT
from xml5tree.errors.faults import Faults
from xml5tree.errors.log import ErrorLog

__all__ = ["FaultCount"]


class FaultCount:
    """Counts the faults of a document; its method `take` is for the option `on_error`."""

    def __init__(self, source: InputDocument) -> None:
        self._source = source
        self._faults = Faults(source.count)
        self.take = self._faults.take

    def report(self, log: ErrorLog) -> None:
        """Report how many errors were repaired, if any, and what became of content, once the document has ended.

        `log` is the document's; its entries are not needed.
        """
        self._faults.close()
        self._source.is_truncated = log.truncated
        number = self._source.counts.total()
        if number:
            effect = self._source.effect
            moved = "" if effect in {KEPT, None} else f"; content is {effect}"
            complain(self._source, f"{number_of(number, 'error')} repaired{moved}; 'xml5tree check' lists them")
