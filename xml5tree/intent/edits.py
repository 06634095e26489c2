"""From the best reading to edits of the source.

The draft reads the edited text. So there is an edit only where the draft would not do the same by itself: it ends all
elements inside the one that an end tag ends, ignores end tags of no open element, and ends everything at the end of the
document. It explains that by its own entries.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from xml5tree.errors.codes import Effect
from xml5tree.intent.costs import OPERATIONS, confidence
from xml5tree.intent.lattice import END, SPACE, START, TEXT, Edge, Lattice
from xml5tree.intent.steps import Step
from xml5tree.xml.limits import COMMENT, PROCESSING_INSTRUCTION

__all__ = ["Edit", "Editor", "Entry"]

_ENDS_IN_VALUE: Final = re.compile(
    rb"""=[\t\n\r ]*+[^\t\n\r "'>]++>\Z"""
)  # one without quotes, which would have the "/"
SHOWN: Final = 60  # octets of a token in a sentence
_WRONG: Final = frozenset({"wrong_end", "wrong_end_near", "start_as_end", "empty_as_end"})
_IGNORED: Final = frozenset({"drop_end", "goes_on", "root_again"})


class Entry(NamedTuple):
    """An operation of the best reading; the offset is in octets."""

    code: str
    offset: int
    sentence: str
    effect: Effect | None
    truncated: bool = False  # whether the document ends here, in a tag
    node: str | None = None  # see `Assumption`
    confidence: float | None = None


class Edit(NamedTuple):
    """Octets of the source that are read as others."""

    begin: int
    end: int
    instead: bytes
    entries: tuple[Entry, ...]


class Editor:
    """Makes edits of the steps of the best reading, which it is given in their order."""

    def __init__(self, lattice: Lattice) -> None:
        self._lattice = lattice
        self._last: Edit | None = None  # the next one may begin at the same place
        self._margin = 0  # of the step

    @property
    def held(self) -> int | None:
        """Return the place where an edit begins that is not given yet, or None."""
        return self._last.begin if self._last is not None else None

    def take(self, steps: Iterable[Step]) -> Iterator[Edit]:
        """Yield the further edits of the next steps."""
        for step in steps:
            self._margin = step.margin
            for edit in self._edits(step):
                last = self._last
                if last is not None and edit.begin == last.begin:
                    self._last = Edit(last.begin, edit.end, last.instead + edit.instead, last.entries + edit.entries)
                else:
                    if last is not None:
                        yield last
                    self._last = edit

    def end(self) -> Iterator[Edit]:
        """Yield the last edit."""
        if self._last is not None:
            yield self._last
            self._last = None

    def _edits(self, step: Step) -> Iterator[Edit]:
        edge = step.edge
        if edge.kind == SPACE:
            if edge.instead is not None:
                yield self._edit(edge, edge.instead, "")
        elif edge.kind == END:
            yield from self._end_tag(step, edge)
        else:
            yield from self._before(step, edge)
            yield from self._opening(step, edge)

    def _before(self, step: Step, edge: Edge) -> Iterator[Edit]:
        """Yield the edits for the tags that are assumed before a token."""
        closed = step.closed
        is_void = bool(closed) and self._lattice.knowledge.is_void(closed[0])
        if closed and step.start is not None and (edge.kind != TEXT or is_void):
            # An element that ends at once is an empty tag.
            yield self._empty_tag(step.start, closed[0])
            closed = closed[1:]
        if closed:
            instead = b"".join(b"</%b>" % name for name in closed)
            yield Edit(edge.begin, edge.begin, instead, (self._entry("missing_end", edge, meant=instead),))
        if step.opened:
            opened, place = b"<%b>" % step.opened, edge.begin
            if edge.kind == TEXT and edge.instead is None:  # white space before the text is not the element's
                source = self._source(edge)
                place += len(source) - len(source.lstrip(b"\t\n\r "))
            entry = self._entry("missing_start", edge, meant=opened)._replace(offset=place)
            yield Edit(place, place, opened, (entry,))

    def _empty_tag(self, start: tuple[int, int], name: bytes) -> Edit:
        begin, end = start
        space = b" " if _ENDS_IN_VALUE.search(self._lattice.text(begin, end)) else b""
        return Edit(end - 1, end, space + b"/>", (self._entry("empty_tag", Edge(START, name, begin, end)),))

    def _opening(self, step: Step, edge: Edge) -> Iterator[Edit]:
        operation = step.operation
        source = self._source(edge) if edge.instead is None else edge.instead
        if operation in _WRONG:
            meant = b"</%b>" % step.own
            yield self._edit(edge, meant, operation, meant=meant)
        elif operation in _IGNORED:
            yield self._edit(edge, b"", operation)
        elif operation == "start_as_text":
            yield self._edit(edge, b"&lt;" + source[1:], operation)
        elif operation == "rename_start":
            instead = b"<" + step.name + source[1 + len(edge.name) :]
            yield self._edit(edge, instead, operation, meant=b"<%b>" % step.name)
        elif operation == "empty_as_start":
            yield self._edit(edge, source[: source.rindex(b"/")] + b">", operation)
        elif edge.instead is not None:
            yield self._edit(edge, edge.instead, "")

    def _end_tag(self, step: Step, edge: Edge) -> Iterator[Edit]:
        operation, name = step.operation, edge.name
        if operation in _IGNORED:
            if step.is_open:
                is_root = operation == "goes_on" and step.is_last
                yield self._edit(edge, b"", "root_goes_on" if is_root else operation)
                return
        elif operation == "end_as_start":
            yield self._edit(edge, b"<%b>" % name, operation)
            return
        elif operation == "void_end":
            yield self._edit(edge, b"<%b/>" % name, operation)
            return
        elif operation in _WRONG or operation == "end":
            meant, closed = b"</%b>" % step.own, step.closed
            if step.start is not None and closed and self._lattice.knowledge.is_void(closed[0]):
                yield self._empty_tag(step.start, closed[0])
                closed = closed[1:]
            before = b"".join(b"</%b>" % other for other in closed) if step.own in closed else b""
            if operation in _WRONG or before or edge.instead is not None:
                entries = [self._entry("missing_end", edge, meant=before)] if before else []
                entries += self._entries(edge, operation if operation in _WRONG else "", meant)
                yield Edit(edge.begin, edge.end, before + meant, tuple(entries))
            return
        if edge.instead is not None:
            yield self._edit(edge, edge.instead, "")

    def _source(self, edge: Edge) -> bytes:
        return self._lattice.text(edge.begin, edge.end)

    def _edit(self, edge: Edge, instead: bytes, operation: str, *, meant: bytes = b"") -> Edit:
        return Edit(edge.begin, edge.end, instead, tuple(self._entries(edge, operation, meant)))

    def _entries(self, edge: Edge, operation: str, meant: bytes) -> list[Entry]:
        """Return the entries of the reading of a token, and of an operation on it."""
        reading = edge.operation
        is_cut = not reading and edge.instead is not None  # the document ends in the tag
        if is_cut:
            reading = "end_tag_without_end" if edge.kind == END else "unfinished"
        entries = [self._entry(reading, edge, meant=edge.instead or b"")] if reading else []
        if is_cut or reading == "unfinished":
            entries[0] = entries[0]._replace(truncated=True)
        return [*entries, self._entry(operation, edge, meant=meant)] if operation else entries

    def _entry(self, operation: str, edge: Edge, *, meant: bytes = b"") -> Entry:
        row = OPERATIONS[operation]
        token = "the text" if edge.kind == TEXT and edge.instead is None else _shown(self._source(edge))
        sentence = row.sentence.format(token=token, meant=_shown(meant))
        opening = (edge.instead or b"")[:2]
        node = COMMENT if opening == b"<!" else PROCESSING_INSTRUCTION if opening == b"<?" else None
        node = node if edge.kind == SPACE else None
        return Entry(row.code, edge.begin, sentence, row.effect, False, node, confidence(operation, self._margin))


def _shown(octets: bytes) -> str:
    if len(octets) <= SHOWN:
        return octets.decode("utf-8", "replace")
    return f"{octets[: SHOWN + 1].decode('utf-8', 'replace')[: SHOWN - 1]}…"
