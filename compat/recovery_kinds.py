"""All kinds of fault, and how often each is met in documents that others wrote.

The frequencies were counted in 379 broken files of public repositories, of which some have several kinds of fault.
"""

from typing import Final

from recovery_faults import FAULTS, GROUPS
from recovery_mutations import MUTATION_GROUPS, MUTATIONS
from recovery_real import REAL, REAL_GROUPS

__all__ = ["ALL_FAULTS", "ALL_GROUPS", "FREQUENCIES"]

ALL_FAULTS: Final = (*FAULTS, *MUTATIONS, *REAL)
ALL_GROUPS: Final = (*GROUPS, *MUTATION_GROUPS, *REAL_GROUPS)

#: By kind of fault as it was counted: the number of files, and the faults here that are of the kind.
FREQUENCIES: Final[dict[str, tuple[int, tuple[str, ...]]]] = {
    "undeclared prefix": (81, ("element with undeclared prefix", "attribute with undeclared prefix")),
    "XML declaration not at the start": (67, ("line before the XML declaration", "PHP error before the document")),
    "end tag missing or of another name": (
        61,
        (
            "end tag missing",
            "end tag misspelt",
            "end tag in the wrong case",
            "end tag of another name",
            "end tags missing in a row",
            "start tag misspelt",
            "start tag in the wrong case",
            "void elements among siblings",
            "page written as HTML",
        ),
    ),
    "several roots": (33, ("document twice", "markup after the root")),
    "cut off": (28, ("document cut off", "cut off in the last tags")),
    "stray end tag": (27, ("stray end tag", "end tag twice")),
    "wrong declaration of a namespace": (23, ("wrong declaration of a namespace",)),
    "raw `&`": (19, ("`&` between words", "`&` within a word", "`&` in a URL", "`&` in a value")),
    "`<` or code in text": (
        17,
        ("`<` before a space", "`<` before a digit", "`<` before a letter", "code in text", "generics in text"),
    ),
    "encoding": (16, ("windows-1252 instead of UTF-8", "declared to be UTF-16", "unknown encoding declared")),
    "attribute without value": (16, ("attribute without value", "attributes without values")),
    "attribute twice": (15, ("attribute twice",)),
    "other faults of attributes": (
        14,
        ("no space between attributes", "closing quote missing", "opening quote missing", "mismatched quotes"),
    ),
    "DTD": (13, ("stray declaration", "DOCTYPE in the content")),
    "undeclared entity": (13, ("entity of HTML", "entity that nobody knows", "entity of HTML in a value")),
    "odd end tag": (
        13,
        (
            "end tag without its name",
            "end tag without `>`",
            "end tag without `/`",
            "space in an end tag",
            "end tag with two `/`",
            "start tag with `/`",
        ),
    ),
    "control character": (10, ("control character", "U+0000", "reference to a control character")),
    "value without quotes": (8, ("value without quotes", "value without quotes before `/>`")),
    "text around the root": (8, ("text before the root", "text after the root")),
    "comment": (7, ("`--` in a comment", "comment not closed")),
}
