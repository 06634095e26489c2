"""What the readers of markup see of the document, and the edges that they make."""

import re
from collections.abc import Callable, Iterator, Mapping
from html.entities import html5
from typing import Final, NamedTuple, Protocol, TypedDict, Unpack

from xml5tree.intent.knowledge import Knowledge
from xml5tree.intent.names import Known
from xml5tree.xml.structure import Content

LOOK: Final = 16_384  # octets that a place may see ahead; no edge is longer
FAR: Final = 262_144  # octets in which a comment may have its end
BACK: Final = 4_096  # octets that a place may see behind it
TEXT, SPACE, START, EMPTY, END = range(5)  # SPACE: without meaning for the structure
WHITE: Final = b"\t\n\r "
_MOST_NAMES: Final = 4_096
_LONGEST_LEAD: Final = 256  # octets of white space before a tag that may be first on its line

#: White space that no tag has: no-break and zero-width spaces.
ODD_SPACE: Final = rb"(?:\xc2\xa0|\xe2\x80[\x8b\x8e\x8f]|\xe2\x81\xa0|\xef\xbb\xbf)"
_ESCAPES: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
#: References that need no semicolon, and what is read instead: their names may be unknown to the document.
_UNENDED: Final = {
    name.encode(): _ESCAPES.get(text, text).encode()
    for name, text in (
        *((name, text) for name, text in html5.items() if not name.endswith(";")),
        *((name, html5[f"{name};"]) for name in "ldquo rdquo bdquo lsquo rsquo sbquo lsaquo rsaquo".split()),
        *((name, html5[f"{name};"]) for name in "ndash mdash hellip larr rarr".split()),
    )
}
_REFERENCE: Final = re.compile(rb"&([A-Za-z]{2,8}[0-9]{0,2})(?![;=A-Za-z0-9_.:\x80-\xff-])")

_WITHIN_WORD: Final = re.compile(rb"(?s:.*)[0-9A-Za-z](?=[0-9A-Za-z])")
_COUNTED: Final = re.compile(
    rb"""</(?P<end>[A-Za-z_\x80-\xff][^\t\n\r /<>="']*+)(?=[\t\n\r /<>])"""
    rb"""|<(?P<start>[A-Za-z_\x80-\xff][^\t\n\r /<>="']*+)"""
    rb"""(?>[\t\n\r ]++[^\t\n\r /<>="']++[\t\n\r ]*+=[\t\n\r ]*+(?:"[^"<]*+"|'[^'<]*+'))*+[\t\n\r ]*+(?P<empty>/?)>"""
)


class Change(NamedTuple):
    """A replacement of the octets between two indices."""

    at: int
    to: int
    instead: bytes


def edited(text: bytes, at: int, to: int, changes: list[Change]) -> bytes:
    """Return a part of a text after changes, which are in order."""
    parts: list[bytes] = []
    for change in changes:
        parts += (text[at : change.at], change.instead)
        at = change.to
    return b"".join([*parts, text[at:to]])


class Edge:
    """One reading of the octets from `begin` to `end`.

    Text may be cut into several edges (text after text is no further child). A tag longer than LOOK begins with edges
    of SPACE; its last edge has the kind, and ends where the tag does.
    """

    __slots__ = "begin", "column", "cost", "end", "has_attributes", "instead", "kind", "mate", "name", "operation"

    def __init__(self, kind: int, name: bytes, begin: int, end: int, *, has_attributes: bool = False) -> None:
        self.kind = kind
        self.name = name  # of a tag, or of one that is dropped as it follows again; b"" for all else
        self.begin = begin
        self.end = end
        self.has_attributes = has_attributes
        self.column = -1  # -1: not first on its line
        self.instead: bytes | None = None  # what is read instead; None: as it stands, as the draft reads it
        self.cost = 0
        self.operation = ""  # row of the table of operations; "" if nothing is read instead
        self.mate: Edge | None = None  # end tag of a clean element, set by the model


class Counts(Protocol):
    """The numbers of tags by their names."""

    def get(self, name: bytes, default: int, /) -> int: ...
    def __contains__(self, name: object, /) -> bool: ...


Edges = list[Edge]
Reader = Callable[["Context", int], Edges]


class Options(TypedDict, total=False):
    """The facts that the caller knows of a document."""

    elements: frozenset[bytes] | None  # the names that are known, None for any
    raw: frozenset[bytes]  # names of elements without markup in them
    roots: bool  # whether it may have any number of roots
    root_names: frozenset[bytes]
    has_values: bool  # whether tags of known elements may be as ``<name=value>``
    references: frozenset[bytes] | None  # those of HTML that need no semicolon, None for all
    content: Mapping[str, Content]  # what elements have in them, by their names


class Context:
    """The part of a document that is kept, where marks are in it, and the names up to there.

    Places are offsets in octets from the beginning of the document. The readers work on `source`, the part that is
    kept, with indices in it. They see it up to the index `limit`, which is the document's end if `is_end`.
    """

    def __init__(self, **options: Unpack[Options]) -> None:
        elements, raw, root_names = options.get("elements"), options.get("raw"), options.get("root_names")
        self.elements = None if elements is None else Known(elements)
        self.raw: Known | tuple[()] = Known(raw) if raw else ()
        self.root_names = Known(root_names) if root_names else None
        self.roots = options.get("roots", False)
        self.has_values = options.get("has_values", True)
        self.references = options.get("references")
        self.knowledge = Knowledge(options.get("content", {}))
        self.final = False  # whether all is fed
        self.fed = 0  # octets up to here are known
        self._tables: tuple[dict[bytes, int], ...] = ({}, {}, {})
        self.starts: Counts = self._tables[0]  # correct start and empty tags, up to front + LOOK
        self.opened: Counts = self._tables[1]  # of them, the start tags
        self.ends: Counts = self._tables[2]
        self.source = b""
        self.base = 0  # where the text begins
        self.limit = 0
        self.is_end = False
        self.prolog = 0  # no tag begins before this index, as far as was asked: see `is_first_tag`
        self.declarations: dict[int, tuple[int, int, bytes]] = {}  # misspelt ones: see `misspelt_declarations`
        self.inside: dict[int, Reader] = {}  # readers of places in what is longer than LOOK, or raw
        self._parts: list[bytes] = []
        self._last = b""  # octets in which the opening or the end of a comment may begin
        self._comment = -1  # where a comment begins that has had no end so far, and no other comment in it
        self._found: dict[re.Pattern[bytes], tuple[int, int, int, int]] = {}  # see `find`
        self.made: dict[int, Edges] = {}
        self._counted = 0

    # The document ---------------------------------------------------------------------------------------------------

    def feed(self, octets: bytes, *, final: bool) -> None:
        """Take the next octets."""
        self._parts.append(octets)
        if not final:
            text = self._last + octets
            opening = text.rfind(b"<!--")
            if opening >= 0:
                self._comment = self.fed - len(self._last) + opening
            if self._comment >= 0 and text.find(b"-->", max(opening, 0)) >= 0:
                self._comment = -1
            self._last = text[-3:]
        self.fed += len(octets)
        self.final = final

    def reach(self) -> int:
        """Return the largest front that `advance` may be given: no comment before it waits for its end."""
        if self.final:
            return self.fed
        return min(self.fed - LOOK - 1, self._comment if self.fed - FAR < self._comment >= 0 else self.fed)

    def advance(self, front: int) -> None:
        """Let edges before `front` be asked for."""
        if self._parts:
            self.source += b"".join(self._parts)
            self._parts.clear()
        self._count_names(min(front + LOOK, self.fed))

    def _count_names(self, to: int) -> None:
        """Count the names in what has its ">" before a place."""
        end = self.source.rfind(b">", 0, max(to - self.base, 0)) + 1
        for found in _COUNTED.finditer(self.source, max(self._counted - self.base, 0), end):
            name = found["end"]
            tables = self._tables[2:] if name else self._tables[: 1 if found["empty"] else 2]
            name = name or found["start"]
            for table in tables:
                if name in table or len(table) < _MOST_NAMES:
                    table[name] = table.get(name, 0) + 1
        self._counted = max(self._counted, self.base + end)

    def forget(self, place: int) -> None:
        """Drop what is before a place, but for what places after it may see."""
        drop = place - BACK - self.base
        if drop < len(self.source) // 2:
            return
        self.source = self.source[drop:]
        self.base += drop
        for table in (self.made, self.inside):
            for key in [key for key in table if key < self.base]:
                del table[key]

    def text(self, begin: int, end: int) -> bytes:
        """Return octets that are not yet forgotten."""
        return self.source[begin - self.base : end - self.base]

    def edge(
        self,
        kind: int,
        name: bytes,
        at: int,
        to: int,
        cost: int = 0,
        operation: str = "",
        instead: bytes | None = None,
        *,
        has_attributes: bool = False,
    ) -> Edge:
        """Return an edge between two indices."""
        edge = Edge(kind, name, self.base + at, self.base + to, has_attributes=has_attributes)
        if kind >= START:
            edge.column = self._column(at)
        if instead is not None:
            edge.instead, edge.operation = instead, operation
        edge.cost = cost
        return edge

    def _column(self, at: int) -> int:
        """Return the column of what is first on its line, else -1."""
        text, begin = self.source, at
        while begin and at - begin < _LONGEST_LEAD and text[begin - 1] in b"\t ":
            begin -= 1
        if not begin or text[begin - 1] != 0x0A:
            return -1
        return at - begin if b"\t" not in text[begin:at] else len(text[begin:at].expandtabs(8))

    def peek(self, at: int, count: int = 1) -> bytes:
        """Return octets from an index on, those before the limit."""
        return self.source[at : min(at + count, self.limit)]

    def unended(self, at: int, to: int) -> Iterator[Change]:
        """Yield what is read instead of the references between two indices that lack the semicolon."""
        if self.source.find(b"&", at, to) >= 0:
            names = _UNENDED if self.references is None else self.references
            for found in _REFERENCE.finditer(self.source, at, min(to + 1, self.limit)):
                if found[1] in names and found.end() <= to:
                    yield Change(*found.span(), _UNENDED[found[1]])

    def cut(self, reader: "Reader") -> int:
        """Return where what is longer than can be seen is cut, within a word, where no other reading has a place.

        The reader goes on there.
        """
        lowest = max(self.limit - _LONGEST_LEAD, 0)
        found = _WITHIN_WORD.match(self.source, lowest, self.limit)
        to = found.end() if found else self.limit
        self.inside[self.base + to] = reader
        return to

    def count(self, octets: bytes, at: int, to: int) -> int:
        """Return how often octets begin between two indices."""
        return self.source.count(octets, at, to + len(octets) - 1)

    def find(self, pattern: re.Pattern[bytes], at: int) -> tuple[int, int] | None:
        """Return where the first match from an index on begins, and ends before the limit; the last answer is kept."""
        place = self.base + at
        first, begin, end, seen = self._found.get(pattern, (0, -1, -1, 0))
        if not first <= place <= begin or begin > seen < self.base + self.limit:
            stop = min(self.limit + LOOK, len(self.source))
            found = pattern.search(self.source, at, stop)
            begin, end = (self.base + found.start(), self.base + found.end()) if found else (1 << 60, 1 << 60)
            self._found[pattern] = place, begin, end, self.base + stop
        return (begin - self.base, end - self.base) if end - self.base <= self.limit else None

    def has_known_tag(self, at: int, to: int) -> bool:
        """Return whether there is a tag of a name that the caller lists between two indices."""
        return self.elements is not None and self.elements.tag.search(self.source, at, to) is not None

    # Names ----------------------------------------------------------------------------------------------------------

    def is_known(self, name: bytes) -> bool:
        """Return whether tags show that there are elements of a name."""
        return (
            name in self.ends or self.starts.get(name, 0) > 1 or (self.elements is not None and name in self.elements)
        )

    def known_beginning(self, name: bytes) -> int:
        """Return the length of the longest shorter beginning of a name that is known, else 0."""
        return next((length for length in range(min(len(name), 64) - 1, 0, -1) if self.is_known(name[:length])), 0)


def going_on(kind: int, end: re.Pattern[bytes]) -> Reader:
    """Return the reader of a place in what is longer than can be seen, up to where a pattern is found."""

    def read(context: Context, at: int) -> Edges:
        found = context.find(end, at)
        to = found[1] if found else context.limit if context.is_end else context.cut(read)
        return [context.edge(kind, b"", at, to)]

    return read
