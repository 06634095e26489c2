"""The exception of the drop-ins."""

import os
from collections.abc import Iterable
from typing import Any

from lxml import etree

from xml5tree.errors.codes import CODES
from xml5tree.errors.log import ErrorLog, ParseError
from xml5tree.lxml.log import Log, LogEntry, as_log


class DocumentError(ParseError, etree.XMLSyntaxError):
    """A document is refused. ``except`` clauses for lxml's exception and for xml5tree's both catch it.

    Where both libraries have an attribute of the same name, it has lxml's meaning.

    Attributes:
        code: lxml's number for the error, one of `lxml.etree.ErrorTypes`.
        position: line and column, both from 1.
        lineno, offset, filename, msg: as for every SyntaxError; `offset` is the column from 0.
        error_log: a log with lxml's attributes, of lxml's errors if lxml refused the document, else of `errors`.
        reason: xml5tree's code: ``"not-well-formed"`` if lxml refused the document, ``"option-not-honoured"`` if an
            option cannot be fulfilled for it, or another, such as ``"no-root-element"``.
        errors: the log of all errors found in the document.
    """

    code: int  # type: ignore[assignment]
    reason: str
    error_log: Log  # type: ignore[assignment]

    __str__ = etree.XMLSyntaxError.__str__

    def __init__(
        self,
        message: str,
        reason: str,
        position: tuple[int, int],
        errors: ErrorLog | None = None,
        code: int | None = None,
        filename: str | None = None,
    ) -> None:
        if code is None:
            is_empty = reason == "no-root-element"
            code = etree.ErrorTypes.ERR_DOCUMENT_EMPTY if is_empty else etree.ErrorTypes.ERR_INTERNAL_ERROR
        etree.XMLSyntaxError.__init__(self, message, code, *position, filename or "<string>")
        self.reason = reason
        self.errors = self.error_log = Log() if errors is None else as_log(errors)

    def __reduce__(self) -> tuple[type, tuple[object, ...], dict[str, object]]:
        return type(self), (self.msg, self.reason, self.position, self.errors, self.code, self.filename), {}


def of_parse_error(error: ParseError, url: str | bytes | None = None) -> DocumentError:
    """Return the exception for a document that xml5tree refuses; `url` replaces the filename of its log."""
    line, column = error.position[0], error.position[1] + 1
    words = error.reason if line > 1 or column > 1 else error.reason.replace("no el", "Document is empty; no el")
    message = f"{words}, line {line}, column {column}"
    filename = error.filename if url is None else os.fsdecode(url)
    errors = as_log(error.errors)
    if not any(entry.code == error.code for entry in errors):
        known = CODES.get(error.code, CODES["not-well-formed"])  # a few codes are of exceptions only
        entry = LogEntry(error.code, known.kind, error.reason, *error.position, 0, known.effect, errors.filename)
        errors = errors.followed_by(entry)
    return DocumentError(message, error.code, (line, column), errors, filename=filename)


def refused(
    error: etree.XMLSyntaxError, lxml_errors: Iterable[Any], found: ErrorLog, explanation: str = ""
) -> DocumentError:
    """Return the exception for a document that lxml refuses; `explanation` goes at the end of its message."""
    entries = Log.of_lxml(lxml_errors, error.filename)
    errors = as_log(found).followed_by(*entries)
    errors.filename = found.filename or error.filename
    explained = f"{error.msg}{explanation}"
    exception = DocumentError(explained, "not-well-formed", error.position, errors, error.code, error.filename)
    exception.error_log = entries
    return exception
