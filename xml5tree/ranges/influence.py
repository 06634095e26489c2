"""Which errors of a record affect other records, or depend on them."""

from collections.abc import Sequence
from typing import Final

from xml5tree.errors.entry import Found

#: Errors whose effect on a record is independent of its place, and that do not affect later records.
_LOCAL: Final = frozenset(
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
#: Errors that are reported once for all records that a limit of their document affects.
ONCE: Final = frozenset({"max-depth-exceeded", "entity-expansion-limit", "namespace-declaration-limit"})


def find_doubt(errors: Sequence[Found]) -> str:
    """Return why the errors of a record may read differently among others; "" if no reason is known."""
    code = next((error[0] for error in errors if error[0] not in _LOCAL), None)
    return f"what {code} does to a record may depend on others" if code else ""


def reaches_limit(errors: Sequence[Found]) -> bool:
    """Return whether a record reaches a limit of its document, so that later ones may lack the error."""
    return not ONCE.isdisjoint(error[0] for error in errors)
