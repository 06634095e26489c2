"""Errors: codes, explanations, the log, places, the reporter."""

from xml5tree.errors.entry import ErrorEntry
from xml5tree.errors.faults import Tally
from xml5tree.errors.log import ErrorLog, ParseError, RecoveryWarning, RowsWarning

__all__ = ["ErrorEntry", "ErrorLog", "ParseError", "RecoveryWarning", "RowsWarning", "Tally"]
