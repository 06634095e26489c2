"""Document and repaired markup in equal and changed parts."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from xml5tree.dialects import make_settings
from xml5tree.dialects.base import characters_of
from xml5tree.drive import drive
from xml5tree.errors.log import ParseError
from xml5tree.options import Options
from xml5tree.output.edits import Edits
from xml5tree.xml.limits import MARKUP_LIMITS

__all__ = ["Segment", "segments"]


class Segment(NamedTuple):
    """A part of a document, with line breaks normalised, its markup, and whether the two differ."""

    before: str
    after: str
    is_changed: bool


def segments(blocks: Callable[[], Iterable[bytes | str]], reading: Options) -> Iterator[Segment]:
    """Yield the parts of a document, which `blocks` reads from its start; without a tree, they are changed."""
    dialect, settings = make_settings({**reading, "max_errors": 0})
    edits = Edits() if dialect.tells_edits else None
    pipeline = dialect.make_pipeline(settings, MARKUP_LIMITS, output_encoding="utf-8", for_tree=False, edits=edits)
    has_tree = True
    try:
        for markup in drive(pipeline, blocks()):
            for _ in markup:
                pass
            if edits is not None:
                yield from _next(edits)
    except ParseError:
        has_tree = False
    if edits is None or (not has_tree and not edits.original.end):
        for text, _ in characters_of(dialect.make_stream(settings), blocks()):
            yield Segment(text, text if has_tree else "", not has_tree)
    elif has_tree:
        yield from _next(edits, final=True)
    else:
        yield Segment(edits.original.characters(edits.certain, edits.original.end), "", True)


def _next(edits: Edits, *, final: bool = False) -> Iterator[Segment]:
    original, place = edits.original, edits.certain
    for change in edits.take(final=final):
        if place < change.begin:
            text = original.characters(place, change.begin)
            yield Segment(text, text, False)
        yield Segment(original.characters(change.begin, change.end), change.markup, True)
        place = change.end
    end = original.end if final else edits.certain
    if place < end:
        text = original.characters(place, end)
        yield Segment(text, text, False)
    edits.forget(keeps_characters=True)
