"""Which errors of a record affect other records, or depend on them."""

from collections.abc import Collection
from typing import Final

from xml5tree.errors.codes import CODES
from xml5tree.record import Record

__all__ = ["ends_in_content", "find_doubt", "has_errors_of_tags", "is_unfinished", "reaches_limit"]

#: Errors of characters and references, in text or in values, and of `]]>` in text. Their context does not matter.
_OF_TEXT: Final = frozenset(
    {
        "control-character-in-input-stream",
        "noncharacter-in-input-stream",
        "surrogate-in-input-stream",
        "unexpected-null-character",
        "invalid-byte-sequence",
        "unescaped-ampersand",
        "missing-semicolon-after-character-reference",
        "absence-of-digits-in-numeric-character-reference",
        "uppercase-x-in-character-reference",
        "null-character-reference",
        "surrogate-character-reference",
        "character-reference-outside-unicode-range",
        "control-character-reference",
        "noncharacter-character-reference",
        "undeclared-entity-reference",
        "unknown-named-character-reference",
        "assumed-reference",
        "cdata-end-in-text",
        "coerced-character",
    }
)
#: Errors whose effect on a record is independent of its place, and that do not affect later records.
_LOCAL: Final = _OF_TEXT | frozenset(
    {
        "end-tag-with-trailing-solidus",
        "unexpected-solidus-in-tag",
        "attribute-without-value",
        "missing-attribute-value",
        "unquoted-attribute-value",
        "missing-whitespace-between-attributes",
        "less-than-sign-in-attribute-value",
        "duplicate-attribute",
        "nested-comment",
        "coerced-comment",
        "missing-end-tag-name",
    }
)
#: Errors that may mean an unclosed construct: those by which content becomes a comment or an instruction, and an
#: assumed unfinished tag. `is_unfinished` adds those of the document's end.
_UNFINISHED: Final = {code for code, known in CODES.items() if known.node} - _LOCAL | {"assumed-unfinished-tag"}
#: A record that has only these errors never ends inside a tag, value or comment; elements may be open at its end.
_ENDS_IN_CONTENT: Final = _OF_TEXT | {"mismatched-end-tag", "unmatched-end-tag", "assumed-end-before"}
#: Errors that are reported once for all records that a limit of their document affects.
_ONCE: Final = frozenset({"max-depth-exceeded", "entity-expansion-limit", "namespace-declaration-limit"})


def is_unfinished(code: str) -> bool:
    return code in _UNFINISHED or (code.startswith("eof-") and code != "eof-in-element")


def ends_in_content(codes: Collection[str]) -> bool:
    """Return whether a record with errors of these codes cannot end inside a tag, value or comment."""
    return _ENDS_IN_CONTENT.issuperset(codes)


def has_errors_of_tags(record: Record) -> bool:
    """Return whether a record has errors that are not those of its characters alone."""
    return bool(record._errors) and not _OF_TEXT.issuperset(entry.code for entry in record.errors)


def find_doubt(record: Record) -> str:
    """Return why the errors of a record may read differently among others; "" if no reason is known."""
    if not record._errors or _LOCAL.issuperset(entry.code for entry in record.errors):
        return ""
    code = next(entry.code for entry in record.errors if entry.code not in _LOCAL)
    return f"what {code} does to a record may depend on others"


def reaches_limit(record: Record) -> bool:
    """Return whether a record reaches a limit of its document, so that later ones may lack the error."""
    return bool(record._errors) and not _ONCE.isdisjoint(entry.code for entry in record.errors)
