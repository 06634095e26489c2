"""Rewrites: text that replaces broken markup before the states read it."""

from typing import Final, NamedTuple

from xml5tree.dialects.xml5.lexis import XML_DECLARATION
from xml5tree.errors.codes import Effect

__all__ = ["UNFINISHED_TAG", "Assumption", "Edit", "Rewrite", "as_declaration", "edited", "shown"]

#: The code of an assumption that tells that the document is cut off (R-030).
UNFINISHED_TAG: Final = "assumed-unfinished-tag"

#: Characters of the document that a message shows.
_LONGEST_SHOWN: Final = 40


class Assumption(NamedTuple):
    """An error code, and the assumption in words."""

    code: str
    sentence: str
    node: str | None = None  # the kind of node that content becomes by it; see `Code.node`
    effect: Effect | None = None  # None: that of the code


class Edit(NamedTuple):
    """A change of the text: `removed` characters at an index are replaced."""

    place: int
    removed: int
    inserted: str


class Rewrite(NamedTuple):
    """The text that the draft's states read instead of the text after a "<"."""

    assumptions: list[Assumption]
    # Texts, each with the index of its first character. Without pieces, the markup is dropped, unless its "<" is text.
    pieces: list[tuple[str, int]]
    resume: int  # the index at which the text goes on
    is_text: bool = False  # the "<" is text; then there are no pieces


def as_declaration(text: str, start: int, stop: int) -> Rewrite | None:
    """Return the rewrite of an XML declaration with a broken opening, from the index after its "<" (R-040)."""
    found = XML_DECLARATION.match(text, start, stop)
    if found is None:
        return None
    opening = "<? xml …?>" if text[start] == "?" else "<xml …?>"
    assumption = Assumption("assumed-declaration", f"{opening} was taken for the XML declaration")
    return Rewrite([assumption], [], found.end())


def edited(text: str, start: int, end: int, edits: list[Edit]) -> list[tuple[str, int]]:
    """Return the pieces of a text from one index to another with changes, which are in their order."""
    pieces = []
    first = start - 1  # the index of the tag's "<"
    for index, removed, inserted in edits:
        if index > start:
            pieces.append((text[start:index], start))
        start = index + removed
        # Inserted text ends at the index where the source goes on, so that no white space seems to be missing there.
        excess = max(len(inserted) - (start - first), 0)
        if excess:
            pieces.append((inserted[:excess], first))
        if inserted:
            pieces.append((inserted[excess:], start - len(inserted) + excess))
    if end > start:
        pieces.append((text[start:end], start))
    return pieces


def shown(text: str) -> str:
    """Return as much of a text of the document as messages show."""
    return text[:_LONGEST_SHOWN]
