"""What was wrong with a document: codes, what they mean, the log, places, and the reporter that fills the log."""

from xml5tree.errors.log import ErrorEntry, ErrorLog, ParseError

__all__ = ["ErrorEntry", "ErrorLog", "ParseError"]
