"""The error log of the drop-ins: xml5tree's, with what lxml's logs have; and their exception."""

import os
from collections.abc import Callable, Container, Iterable
from functools import partial
from typing import Any, Final, SupportsIndex, cast

from lxml import etree

from xml5tree.errors.codes import CODES, Kind
from xml5tree.errors.entry import ErrorEntry, Found
from xml5tree.errors.log import ErrorLog, ParseError

_DOMAINS: Final = etree.ErrorDomains
_LEVELS: Final = etree.ErrorLevels
_TYPES: Final = etree.ErrorTypes

#: The names of lxml's numbers.
_DOMAIN_NAMES: Final[dict[int, str]] = {value: name for name, value in vars(_DOMAINS).items() if isinstance(value, int)}
_LEVEL_NAMES: Final[dict[int, str]] = {value: name for name, value in vars(_LEVELS).items() if isinstance(value, int)}
_TYPE_NAMES: Final[dict[int, str]] = {value: name for name, value in vars(_TYPES).items() if isinstance(value, int)}

#: For each error type of libxml2, xml5tree's codes of the same error, or else of the nearest one. Every other code has
#: the type of an internal error.
_CODES_OF_TYPES: Final = {
    "ERR_INVALID_CHAR": "control-character-in-input-stream noncharacter-in-input-stream surrogate-in-input-stream"
    " unexpected-null-character coerced-character",
    "ERR_INVALID_ENCODING": "invalid-byte-sequence",
    "ERR_UNSUPPORTED_ENCODING": "unsupported-encoding",
    "WAR_ENCODING_MISMATCH": "encoding-declaration-mismatch assumed-encoding",
    "ERR_XMLDECL_NOT_FINISHED": "invalid-xml-declaration abrupt-closing-xml-declaration eof-in-xml-declaration",
    "ERR_RESERVED_XML_NAME": "misplaced-xml-declaration",
    "ERR_NAME_REQUIRED": "invalid-first-character-of-tag-name eof-before-tag-name missing-end-tag-name"
    " unescaped-ampersand missing-doctype-name invalid-doctype-name assumed-text assumed-name"
    " coerced-element-name coerced-attribute-name",
    "ERR_GT_REQUIRED": "eof-in-tag end-tag-with-trailing-solidus end-tag-with-attributes unexpected-solidus-in-tag"
    " assumed-end-of-tag assumed-unfinished-tag",
    "ERR_ATTRIBUTE_WITHOUT_VALUE": "attribute-without-value missing-attribute-value",
    "ERR_ATTRIBUTE_NOT_STARTED": "unquoted-attribute-value assumed-quotes",
    "ERR_ATTRIBUTE_NOT_FINISHED": "assumed-end-of-value",
    "ERR_SPACE_REQUIRED": "missing-whitespace-between-attributes missing-whitespace-after-pi-target"
    " missing-whitespace-before-doctype-name missing-whitespace-after-doctype-public-keyword"
    " missing-whitespace-after-doctype-system-keyword"
    " missing-whitespace-between-doctype-public-and-system-identifiers",
    "ERR_LT_IN_ATTRIBUTE": "less-than-sign-in-attribute-value",
    "ERR_ATTRIBUTE_REDEFINED": "duplicate-attribute",
    "ERR_ENTITYREF_SEMICOL_MISSING": "missing-semicolon-after-character-reference",
    "ERR_INVALID_CHARREF": "absence-of-digits-in-numeric-character-reference uppercase-x-in-character-reference"
    " null-character-reference surrogate-character-reference character-reference-outside-unicode-range"
    " control-character-reference noncharacter-character-reference assumed-reference",
    "ERR_UNDECLARED_ENTITY": "undeclared-entity-reference unknown-named-character-reference"
    " undeclared-namespace-entity assumed-namespace",
    "ERR_ENTITY_LOOP": "recursive-entity-reference",
    "ERR_ENTITY_IS_EXTERNAL": "external-entity-reference external-forbidden",
    "ERR_ENTITY_BOUNDARY": "entity-not-balanced",
    "ERR_RESOURCE_LIMIT": "entity-expansion-limit max-depth-exceeded namespace-declaration-limit",
    "ERR_PI_NOT_STARTED": "unexpected-question-mark-instead-of-tag-name coerced-pi-target",
    "ERR_PI_NOT_FINISHED": "eof-in-processing-instruction",
    "ERR_COMMENT_NOT_FINISHED": "incorrectly-opened-comment eof-in-comment",
    "ERR_COMMENT_ABRUPTLY_ENDED": "incorrectly-closed-comment abrupt-closing-of-empty-comment",
    "ERR_HYPHEN_IN_COMMENT": "nested-comment coerced-comment",
    "ERR_CDATA_NOT_FINISHED": "eof-in-cdata assumed-section assumed-end-of-section",
    "ERR_MISPLACED_CDATA_END": "cdata-end-in-text",
    "ERR_URI_REQUIRED": "missing-doctype-system-identifier missing-quote-before-doctype-system-identifier"
    " abrupt-doctype-system-identifier",
    "ERR_PUBID_REQUIRED": "missing-doctype-public-identifier missing-quote-before-doctype-public-identifier"
    " abrupt-doctype-public-identifier invalid-public-identifier",
    "ERR_NAME_TOO_LONG": "doctype-identifier-too-long",
    "ERR_DOCTYPE_NOT_FINISHED": "invalid-character-sequence-after-doctype-name invalid-doctype-keyword"
    " unexpected-character-after-doctype-system-identifier unexpected-character-after-doctype-internal-subset"
    " eof-in-doctype unclosed-doctype",
    "ERR_INT_SUBSET_NOT_FINISHED": "bogus-declaration-in-doctype unexpected-character-in-doctype",
    "ERR_DOCUMENT_END": "assumed-padding unexpected-doctype text-outside-root element-after-root cdata-outside-root",
    "ERR_DOCUMENT_START": "assumed-junk",
    "ERR_DOCUMENT_EMPTY": "no-root-element not-xml",
    "ERR_TAG_NAME_MISMATCH": "mismatched-end-tag unmatched-end-tag assumed-end-tag assumed-stray-end-tag"
    " assumed-end-before assumed-start-tag assumed-empty assumed-twice",
    "ERR_TAG_NOT_FINISHED": "eof-in-element",
    "NS_ERR_UNDEFINED_NAMESPACE": "undeclared-namespace-prefix",
    "NS_ERR_EMPTY": "namespace-prefix-undeclared",
    "NS_ERR_XML_NAMESPACE": "reserved-namespace-declaration",
    "NS_ERR_QNAME": "invalid-namespace-prefix colon-before-attr",
    "WAR_NS_URI": "coerced-namespace-uri",
    "DTD_CONTENT_MODEL": "contradicts-structure",
}
_TYPE_OF: Final = {
    code: getattr(_TYPES, name, _TYPES.ERR_INTERNAL_ERROR)  # older releases of libxml2 have fewer
    for name, codes in _CODES_OF_TYPES.items()
    for code in codes.split()
}


class LogEntry(ErrorEntry):
    """An entry of xml5tree's log, with lxml's attributes.

    Attributes:
        type, domain, level: numbers of `lxml.etree.ErrorTypes`, `ErrorDomains` and `ErrorLevels`. `type` is that of
            libxml2's nearest error.
        type_name, domain_name, level_name: their names.
        path: the path of the node that lxml names, or None.
    """

    __slots__ = ("domain", "level", "path", "type")
    type: int
    domain: int
    level: int
    path: str | None

    def __init__(
        self, *values: Any, numbers: tuple[int, int, int] | None = None, path: str | None = None, **named: Any
    ) -> None:
        super().__init__(*values, **named)
        numbers = numbers or _numbers(self.code, self.kind)
        for name, value in zip(("type", "domain", "level", "path"), (*numbers, path), strict=True):
            object.__setattr__(self, name, value)

    @property
    def type_name(self) -> str:
        """The name of `type`."""
        return _TYPE_NAMES.get(self.type, "unknown")

    @property
    def domain_name(self) -> str:
        """The name of `domain`."""
        return _DOMAIN_NAMES.get(self.domain, "unknown")

    @property
    def level_name(self) -> str:
        """The name of `level`."""
        return _LEVEL_NAMES.get(self.level, "unknown")

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return partial(LogEntry, numbers=(self.type, self.domain, self.level), path=self.path), self._values()

    def __str__(self) -> str:
        place = f"{self.filename or '<string>'}:{self.line}:{self.column + 1}"
        return f"{place}:{self.level_name}:{self.domain_name}:{self.type_name}: {self.message}"


def _numbers(code: str, kind: Kind) -> tuple[int, int, int]:
    """Return type, domain and level of an error of ours, as libxml2 has them for its own errors."""
    number = _TYPE_OF.get(code, _TYPES.ERR_INTERNAL_ERROR)
    name = _TYPE_NAMES[number]
    if name.startswith("NS_"):
        return number, _DOMAINS.NAMESPACE, _LEVELS.ERROR
    is_fatal = kind != "coerced" and not name.startswith("WAR_")
    return number, _DOMAINS.PARSER, _LEVELS.FATAL if is_fatal else _LEVELS.ERROR


def _of_xml5tree(entry: ErrorEntry) -> LogEntry:
    return entry if isinstance(entry, LogEntry) else LogEntry(*entry._values())


class Log(ErrorLog):
    """xml5tree's log, with lxml's attributes for each entry and lxml's filters, which return such logs."""

    __module__ = "xml5tree.lxml.log"

    def __init__(self, entries: Iterable[ErrorEntry] = ()) -> None:
        super().__init__(map(_of_xml5tree, entries))

    @classmethod
    def of_lxml(cls, entries: Iterable[Any], filename: str | None = None) -> "Log":
        """Return the log of a document that lxml has read itself; `filename` is that of its entries."""
        code = CODES["not-well-formed"]
        return cls(
            LogEntry(
                *("not-well-formed", code.kind, entry.message),
                *(max(entry.line, 1), max(entry.column - 1, 0), 0),
                *(code.effect, filename, None),
                numbers=(entry.type, entry.domain, entry.level),
                path=entry.path,
            )
            for entry in entries
        )

    def _make(self, found: Found) -> ErrorEntry:
        return _of_xml5tree(super()._make(found))

    def __contains__(self, item: object) -> bool:
        """Return whether there is such an entry, or one of such a type."""
        if isinstance(item, int):
            return any(entry.type == item for entry in cast("list[LogEntry]", self._entries))
        return super().__contains__(item)

    def copy(self) -> "Log":
        """Return a log that does not change."""
        return self._only(lambda entry: True)

    def filter_types(self, types: int | Container[int]) -> "Log":
        """Return the entries of these types."""
        return self._of("type", types)

    def filter_domains(self, domains: int | Container[int]) -> "Log":
        """Return the entries of these domains."""
        return self._of("domain", domains)

    def filter_levels(self, levels: int | Container[int]) -> "Log":
        """Return the entries of these levels."""
        return self._of("level", levels)

    def filter_from_level(self, level: int) -> "Log":
        """Return the entries of at least this level."""
        return self._only(lambda entry: entry.level >= level)

    def filter_from_warnings(self) -> "Log":
        """Return the entries from warnings on, which are all."""
        return self.filter_from_level(_LEVELS.WARNING)

    def filter_from_errors(self) -> "Log":
        """Return the entries that are no warnings."""
        return self.filter_from_level(_LEVELS.ERROR)

    def filter_from_fatals(self) -> "Log":
        """Return the entries that libxml2 calls fatal errors."""
        return self.filter_from_level(_LEVELS.FATAL)

    def followed_by(self, *entries: ErrorEntry) -> "Log":
        """Return this log with more entries at its end."""
        log = _like(self, [*self._entries, *entries])
        log.total = self.total + len(entries)
        return log

    def _of(self, attribute: str, numbers: int | Container[int]) -> "Log":
        wanted = (numbers,) if isinstance(numbers, SupportsIndex) else numbers
        return self._only(lambda entry: getattr(entry, attribute) in wanted)

    def _only(self, is_wanted: Callable[[Any], bool]) -> "Log":
        return _like(self, filter(is_wanted, self._entries))

    def __str__(self) -> str:
        return "\n".join(map(str, self._entries))


def _like(errors: ErrorLog, entries: Iterable[ErrorEntry]) -> Log:
    """Return a log of some entries that says of the document what `errors` says."""
    log = Log(entries)
    log.truncated, log.has_tree = errors.truncated, errors.has_tree
    log.filename, log.hints = errors.filename, errors.hints
    return log


def as_log(errors: ErrorLog) -> Log:
    """Return a log of xml5tree's as one of this module."""
    if isinstance(errors, Log):
        return errors
    log = _like(errors, errors)
    log.total, log.effect, log.confidence = errors.total, errors.effect, errors.confidence
    return log


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
