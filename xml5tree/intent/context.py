"""What the readers of markup see of the document, and the edges that they make."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from html.entities import html5
from typing import Final, NamedTuple, Protocol

__all__ = [
    "BACK",
    "EMPTY",
    "END",
    "LOOK",
    "ODD_SPACE",
    "SPACE",
    "START",
    "TEXT",
    "Change",
    "Context",
    "Counts",
    "Edge",
    "Edges",
    "Reader",
    "edited",
]

LOOK: Final = 16_384  # octets that a place may see ahead; no edge is longer
BACK: Final = 4_096  # octets that a place may see behind it
TEXT, SPACE, START, EMPTY, END = range(5)  # SPACE: without meaning for the structure
_MOST_NAMES: Final = 4_096
_LONGEST_LEAD: Final = 256  # octets of white space before a tag that may be first on its line
_LONGEST_MARK: Final = 16

#: White space that no tag has: no-break and zero-width spaces.
ODD_SPACE: Final = rb"(?:\xc2\xa0|\xe2\x80[\x8b-\x8f]|\xe2\x81\xa0|\xef\xbb\xbf)"
#: Names of references that need no semicolon.
UNENDED: Final = frozenset(
    {name.encode() for name in html5 if not name.endswith(";")}
    | set(b"ldquo rdquo bdquo lsquo rsquo sbquo lsaquo rsaquo ndash mdash hellip larr rarr".split())
)
_UNENDED: Final = re.compile(rb"&([A-Za-z]{2,8}[0-9]{0,2})(?![;=A-Za-z0-9_.:\x80-\xff-])")

#: What is searched for far ahead: by its key, what finds it.
_MARKS: Final = {
    key: re.compile(pattern)
    for key, pattern in {
        "<": rb"<",
        ">": rb">",
        '"': rb'"',
        "'": rb"'",
        "</": rb"</",
        "-->": rb"--!?>",
        "-- >": rb"--[\t\n\r ]{0,4}!?[\t\n\r ]{0,4}>",
        "]]>": rb"\]\]>",
        "] >": rb"\]\]?[\t\n\r ]{0,4}>",
        "?>": rb"\?>",
        "<!--": rb"<!--",
        "<![CDATA[": rb"<!\[CDATA\[",
        "<?": rb"<\?[A-Za-z_]",
    }.items()
}
_COUNTED: Final = re.compile(
    rb"""</(?P<end>[A-Za-z_\x80-\xff][^\t\n\r /<>="']*+)(?=[\t\n\r /<>])"""
    rb"""|<(?P<start>[A-Za-z_\x80-\xff][^\t\n\r /<>="']*+)"""
    rb"""(?:[\t\n\r ]++[^\t\n\r /<>="']++[\t\n\r ]*+=[\t\n\r ]*+(?:"[^"<]*+"|'[^'<]*+'))*+[\t\n\r ]*+(?P<empty>/?)>"""
)


class Change(NamedTuple):
    """What is read instead of the octets between two indices."""

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

    def __init__(
        self,
        kind: int,
        name: bytes,
        begin: int,
        end: int,
        *,
        column: int = -1,
        has_attributes: bool = False,
        instead: bytes | None = None,
        cost: int = 0,
        operation: str = "",
    ) -> None:
        self.kind = kind
        self.name = name  # of a tag; b"" for `</>`, text and what has no meaning
        self.begin = begin
        self.end = end
        self.column = column  # -1: not first on its line
        self.has_attributes = has_attributes
        self.instead = instead  # what is read instead; None: as it stands, as the draft reads it
        self.cost = cost
        self.operation = operation  # row of the table of operations; "" if nothing is read instead
        self.mate: Edge | None = None  # end tag of a clean element, set by the model

    def __repr__(self) -> str:
        name = ("TEXT", "SPACE", "START", "EMPTY", "END")[self.kind]
        return f"<{name} {self.name!r} {self.begin}-{self.end} {self.instead!r} {self.cost} {self.operation}>"


class Counts(Protocol):
    """How many tags have a name."""

    def get(self, name: bytes, default: int, /) -> int: ...
    def __contains__(self, name: object, /) -> bool: ...


Edges = list[Edge]
Reader = Callable[["Context", int], Edges]


class _Marks:
    """Where one of `_MARKS` stands in the text: each part of it is searched once."""

    def __init__(self, pattern: re.Pattern[bytes]) -> None:
        self._pattern = pattern
        self.begins: list[int] = []
        self.ends: list[int] = []
        self._read = 0

    def extend(self, text: bytes, base: int, limit: int) -> None:
        """Find what ends up to a limit; some more is read, so that a part is rarely asked for."""
        if self._read >= limit:
            return
        end = min(base + len(text), limit + LOOK)
        if self._read + _LONGEST_MARK > end and self._read:
            return
        for found in self._pattern.finditer(text, max(self._read - base, 0), end - base):
            self.begins.append(base + found.start())
            self.ends.append(base + found.end())
        self._read = max(self.ends[-1] if self.ends else 0, end - _LONGEST_MARK + 1, self._read)

    def forget(self, place: int) -> None:
        count = bisect_left(self.begins, place)
        del self.begins[:count], self.ends[:count]


class Context:
    """The part of a document that is kept, where marks are in it, and the names up to there.

    Places are offsets in octets from the beginning of the document. The readers work on `source`, the part that is
    kept, with indices in it. They see it up to the index `limit`, which is the document's end if `is_end`.
    """

    def __init__(
        self,
        *,
        elements: frozenset[bytes] | None = None,
        raw: frozenset[bytes] = frozenset(),
        roots: bool = False,
        references: frozenset[bytes] | None = None,
    ) -> None:
        """Begin; `references` are the names that need no semicolon, None for those of HTML."""
        self.elements = elements
        self.raw = raw
        self.roots = roots
        self.references = references
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
        self.inside: dict[int, Reader] = {}  # readers of places in what is longer than LOOK, or raw
        self._parts: list[bytes] = []
        self._marks: dict[str, _Marks] = {}
        self.made: dict[int, Edges] = {}
        self._counted = 0

    # The document ---------------------------------------------------------------------------------------------------

    def feed(self, octets: bytes, *, final: bool) -> None:
        """Take the next octets."""
        self._parts.append(octets)
        self.fed += len(octets)
        self.final = final

    def reach(self) -> int:
        """Return the largest front that `advance` may be given."""
        return self.fed if self.final else self.fed - LOOK - 1

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
        for marks in self._marks.values():
            marks.forget(self.base)
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
        *,
        instead: bytes | None = None,
        has_attributes: bool = False,
    ) -> Edge:
        """Return an edge between two indices."""
        column = self._column(at) if kind >= START else -1
        begin, end = self.base + at, self.base + to
        return Edge(
            kind,
            name,
            begin,
            end,
            column=column,
            has_attributes=has_attributes,
            instead=instead,
            cost=cost,
            operation="" if instead is None else operation,
        )

    def _column(self, at: int) -> int:
        """Return the column of what is first on its line, else -1."""
        text, begin = self.source, at
        while begin and at - begin < _LONGEST_LEAD and text[begin - 1] in b"\t\r ":
            begin -= 1
        if not begin or text[begin - 1] != 0x0A:
            return -1
        return at - begin if b"\t" not in text[begin:at] else len(text[begin:at].expandtabs(8))

    def peek(self, at: int, count: int = 1) -> bytes:
        """Return octets from an index on, those before the limit."""
        return self.source[at : min(at + count, self.limit)]

    def unended(self, at: int, to: int) -> Iterator[Change]:
        """Yield what adds a semicolon to the references between two indices that lack it."""
        if self.source.find(b"&", at, to) >= 0:
            names = UNENDED if self.references is None else self.references
            for found in _UNENDED.finditer(self.source, at, min(to + 1, self.limit)):
                if found[1] in names and found.end() <= to:
                    yield Change(found.end(), found.end(), b";")

    def cut(self) -> int:
        """Return where what is longer than can be seen is cut: within a word, where no other reading has a place."""
        for at in range(self.limit - 1, max(self.limit - _LONGEST_LEAD, 0), -1):
            if self.source[at - 1 : at + 1].isalnum():
                return at
        return self.limit

    def find(self, mark: str, at: int) -> int:
        """Return the index of the first mark from an index on that ends before the limit, or -1."""
        found = self._find(mark, at)
        return -1 if found is None else found[0]

    def find_end(self, mark: str, at: int) -> int:
        """Return the index after the mark that `find` finds, or -1."""
        found = self._find(mark, at)
        return -1 if found is None else found[1]

    def _find(self, mark: str, at: int) -> tuple[int, int] | None:
        marks = self._marked(mark)
        index = bisect_left(marks.begins, self.base + at)
        if index == len(marks.begins) or marks.ends[index] - self.base > self.limit:
            return None
        return marks.begins[index] - self.base, marks.ends[index] - self.base

    def count(self, mark: str, at: int, to: int) -> int:
        """Return how often a mark begins between two indices."""
        begins = self._marked(mark).begins
        return bisect_left(begins, self.base + to) - bisect_left(begins, self.base + at)

    def _marked(self, mark: str) -> _Marks:
        marks = self._marks.get(mark)
        if marks is None:
            marks = self._marks[mark] = _Marks(_MARKS[mark])
        marks.extend(self.source, self.base, self.base + self.limit)
        return marks

    # Names ----------------------------------------------------------------------------------------------------------

    def is_known(self, name: bytes) -> bool:
        """Return whether tags show that there are elements of a name."""
        return name in self.ends or self.starts.get(name, 0) > 1 or bool(self.elements and name in self.elements)

    def known_beginning(self, name: bytes) -> int:
        """Return the length of the longest shorter beginning of a name that is known, else 0."""
        return next((length for length in range(min(len(name), 64) - 1, 0, -1) if self.is_known(name[:length])), 0)
