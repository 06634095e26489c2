"""From the best reading to edits of the source.

The draft reads the edited text. So there is an edit only where the draft would not do the same by itself: it ends all
elements inside the one that an end tag ends, ignores end tags of no open element, and ends everything at the end of the
document. It explains that by its own entries.
"""

import re
from collections.abc import Iterable
from typing import Final

from xml5tree.intent.assumption import Assumption, SourceEdit
from xml5tree.intent.costs import OPERATIONS, confidence
from xml5tree.intent.lattice import END, SPACE, START, TEXT, Edge, Lattice
from xml5tree.intent.steps import Step
from xml5tree.xml.limits import COMMENT, PROCESSING_INSTRUCTION

_ENDS_IN_VALUE: Final = re.compile(
    rb"""=[\t\n\r ]*+[^\t\n\r "'>]++>\Z"""
)  # one without quotes, which would have the "/"
SHOWN: Final = 60  # octets of a token in a sentence
_WRONG: Final = frozenset({"wrong_end", "wrong_end_near", "start_as_end", "empty_as_end"})
_IGNORED: Final = frozenset({"drop_end", "goes_on", "root_again"})


class Editor:
    """Makes edits of the steps of the best reading, which it is given in their order; their places are in octets."""

    def __init__(self, lattice: Lattice) -> None:
        self._lattice = lattice
        self._edits: list[SourceEdit] = []  # those that are not given yet
        self._margin = 0  # of the step

    @property
    def held(self) -> int | None:
        """Return the first place that an edit needs that is not given yet, or None."""
        places = [(edit.begin, *[one.offset for one in edit.assumptions]) for edit in self._edits]
        return min(map(min, places), default=None)

    def take(self, steps: Iterable[Step], *, final: bool) -> list[SourceEdit]:
        """Return the further edits of the next steps; the last is held, as the next may begin where it does."""
        for step in steps:
            self._margin = step.margin
            edge = step.edge
            if edge.kind == END:
                self._end_tag(step, edge)
            elif edge.kind != SPACE:
                self._before(step, edge)
                self._opening(step, edge)
            elif edge.instead is not None:
                self._read(edge, edge.instead)
        edits = self._edits
        self._edits = [] if final else edits[-1:]
        return edits if final else edits[:-1]

    def _put(self, begin: int, end: int, octets: bytes, assumptions: tuple[Assumption, ...]) -> None:
        instead = octets.decode("utf-8", "surrogatepass")
        edits = self._edits
        if edits and edits[-1].begin == begin:
            last = edits.pop()
            instead, assumptions = last.instead + instead, last.assumptions + assumptions
        edits.append(SourceEdit(begin, end, instead, assumptions))

    def _before(self, step: Step, edge: Edge) -> None:
        """Put the edits for the tags that are assumed before a token."""
        closed = step.closed
        is_void = bool(closed) and self._lattice.knowledge.is_void(closed[0])
        if closed and step.start is not None and (edge.kind != TEXT or is_void):
            # An element that ends at once is an empty tag.
            self._empty_tag(step.start, closed[0])
            closed = closed[1:]
        if closed:
            instead = b"".join([b"</%b>" % name for name in closed])
            self._put(edge.begin, edge.begin, instead, (self._assume("missing_end", edge, instead),))
        if step.opened:
            opened, place = b"<%b>" % step.opened, edge.begin
            if edge.kind == TEXT and edge.instead is None:  # white space before the text is not the element's
                source = self._source(edge)
                place += len(source) - len(source.lstrip(b"\t\n\r "))
            self._put(place, place, opened, (self._assume("missing_start", edge, opened)._replace(offset=place),))

    def _empty_tag(self, start: tuple[int, int], name: bytes) -> None:
        begin, end = start
        space = b" " if _ENDS_IN_VALUE.search(self._lattice.text(begin, end)) else b""
        self._put(end - 1, end, space + b"/>", (self._assume("empty_tag", Edge(START, name, begin, end)),))

    def _opening(self, step: Step, edge: Edge) -> None:
        operation = step.operation
        source = self._source(edge) if edge.instead is None else edge.instead
        if operation in _WRONG:
            meant = b"</%b>" % step.own
            self._read(edge, meant, operation, meant)
        elif operation in _IGNORED:
            self._read(edge, b"", operation)
        elif operation == "start_as_text":
            self._read(edge, b"&lt;" + source[1:], operation)
        elif operation == "rename_start":
            self._read(edge, b"<" + step.name + source[1 + len(edge.name) :], operation, b"<%b>" % step.name)
        elif operation == "empty_as_start":
            self._read(edge, source[: source.rindex(b"/")] + b">", operation)
        elif edge.instead is not None:
            self._read(edge, edge.instead)

    def _end_tag(self, step: Step, edge: Edge) -> None:
        operation, name = step.operation, edge.name
        if operation in _WRONG or operation == "end":
            meant, closed = b"</%b>" % step.own, step.closed
            if step.start is not None and closed and self._lattice.knowledge.is_void(closed[0]):
                self._empty_tag(step.start, closed[0])
                closed = closed[1:]
            before = b"".join([b"</%b>" % other for other in closed]) if step.own in closed else b""
            if operation in _WRONG or before or edge.instead is not None:
                assumptions = self._assumptions(edge, operation if operation in _WRONG else "", meant)
                if before:
                    assumptions = (self._assume("missing_end", edge, before), *assumptions)
                self._put(edge.begin, edge.end, before + meant, assumptions)
        elif operation in _IGNORED and step.is_open:
            is_root = operation == "goes_on" and step.is_last
            self._read(edge, b"", "root_goes_on" if is_root else operation)
        elif operation == "end_as_start":
            self._read(edge, b"<%b>" % name, operation)
        elif operation == "void_end":
            self._read(edge, b"<%b/>" % name, operation)
        elif edge.instead is not None:
            self._read(edge, edge.instead)

    def _source(self, edge: Edge) -> bytes:
        return self._lattice.text(edge.begin, edge.end)

    def _read(self, edge: Edge, instead: bytes, operation: str = "", meant: bytes = b"") -> None:
        """Put the edit that has a token read as something else."""
        self._put(edge.begin, edge.end, instead, self._assumptions(edge, operation, meant))

    def _assumptions(self, edge: Edge, operation: str, meant: bytes) -> tuple[Assumption, ...]:
        """Return the assumptions of the reading of a token, and of an operation on it."""
        reading = edge.operation
        is_cut = not reading and edge.instead is not None  # the document ends in the tag
        if is_cut:
            reading = "end_tag_without_end" if edge.kind == END else "unfinished"
        last = (self._assume(operation, edge, meant),) if operation else ()
        if not reading:
            return last
        first = self._assume(reading, edge, edge.instead or b"")
        return (first._replace(truncated=True) if is_cut or reading == "unfinished" else first, *last)

    def _assume(self, operation: str, edge: Edge, meant: bytes = b"") -> Assumption:
        row = OPERATIONS[operation]
        token = "the text" if edge.kind == TEXT and edge.instead is None else _shown(self._source(edge))
        sentence = row.sentence.format(token=token, meant=_shown(meant))
        node = None
        if edge.kind == SPACE:
            opening = (edge.instead or b"")[:2]
            node = COMMENT if opening == b"<!" else PROCESSING_INSTRUCTION if opening == b"<?" else None
        return Assumption(row.code, edge.begin, sentence, row.effect, False, node, confidence(operation, self._margin))


def _shown(octets: bytes) -> str:
    if len(octets) <= SHOWN:
        return octets.decode("utf-8", "replace")
    return f"{octets[: SHOWN + 1].decode('utf-8', 'replace')[: SHOWN - 1]}…"
