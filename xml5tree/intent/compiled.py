"""The search of `search.py` in C, which makes the same steps. It asks the lattice about doubtful places only."""

import sys
from collections.abc import Iterator
from os import urandom
from typing import Final, NoReturn, Unpack

from xml5tree.accelerator import _scan
from xml5tree.intent.context import Change, Options, edited
from xml5tree.intent.costs import COSTS
from xml5tree.intent.lattice import LOOK, Edge, Lattice
from xml5tree.intent.soundness import is_sound
from xml5tree.intent.steps import Step

#: In the order in which the search has them.
COSTS_OF_SEARCH: Final = tuple(COSTS[name] for name in _scan.list_costs())
#: In the order of the operations in hypotheses.h.
OPERATIONS_OF_STEPS: Final = (
    *("", "drop_end", "goes_on", "void_end", "end", "wrong_end_near", "wrong_end", "end_as_start", "empty_as_start"),
    *("empty_as_end", "start_as_end", "root_again", "rename_start", "start_as_text", "after_root"),
)
#: Facts about an edge, as in lattice.h.
HAS_ATTRIBUTES, HAS_INSTEAD, HAS_OPERATION, ENDS_INSIDE, IS_SOUND = 1, 2, 4, 8, 16
STARTS, OPENED, ENDS = range(3)
_SEED: Final = int.from_bytes(urandom(8), sys.byteorder)
#: What is read instead, and operations, in the order of those in loose.h; the first with a space before it, too.
INSTEAD: Final = (b"", b"=", b'"', b"'", b"&quot;", b"&apos;", b'""', b">", b"/>", b"&lt;")
WITH_SPACE: Final = 16
OPERATIONS_OF_TAGS: Final = (
    *("", "solidus", "quotes", "value_without_end", "equals", "empty_after_value", "tag_without_end", "text"),
    *("spaced_tag", "torn", "twice"),
)


def _change(base: int, begin: int, end: int, instead: int) -> Change:
    return Change(begin - base, end - base, b" " * (instead >= WITH_SPACE) + INSTEAD[instead % WITH_SPACE])


class _IsDoubtful(Exception):
    """The search has asked about a place that only Python knows."""


def _refuse(place: int, is_kept: bool) -> NoReturn:
    raise _IsDoubtful


def search_whole(document: bytes) -> "list[_scan.SearchStep] | None":
    """Return the steps of the search in a whole document without a DOCTYPE, of which nothing else is known.

    None: a place is doubtful, so that a `CompiledSearch` is needed.
    """
    search = _scan.open_search(COSTS_OF_SEARCH, False, False, (), _SEED)
    try:
        return _scan.step_search(search, _refuse, document, 0, len(document), True)[-1]
    except _IsDoubtful:
        return None


class _Counts:
    """The numbers of tags by their names, as the search has counted them."""

    def __init__(self, search: "_scan.Search", kind: int) -> None:
        self._search = search
        self._kind = kind

    def get(self, name: bytes, default: int, /) -> int:
        return _scan.count_search(self._search, self._kind, name) or default

    def __contains__(self, name: object, /) -> bool:
        return isinstance(name, bytes) and _scan.count_search(self._search, self._kind, name) > 0


class _Lattice(Lattice):
    """A lattice whose names the search counts."""

    def _count_names(self, to: int) -> None:
        pass


class CompiledSearch:
    """See `search.Search`."""

    def __init__(self, **options: Unpack[Options]) -> None:
        self.lattice = lattice = _Lattice(**options)
        root_names = tuple(sorted(options.get("root_names", ())))
        lists_names = lattice.elements is not None
        self._search = search = _scan.open_search(COSTS_OF_SEARCH, lists_names, lattice.roots, root_names, _SEED)
        lattice.starts, lattice.opened, lattice.ends = (_Counts(search, kind) for kind in (STARTS, OPENED, ENDS))
        self._is_told = False
        self._step = 0
        self.place = self.kept = 0
        self.start: int | None = None
        self.cost = 0
        self.doubt = -1

    def advance(self) -> Iterator[Step]:
        """See `search.Search.advance`."""
        lattice, reach = self.lattice, self.lattice.reach()
        if not lattice.final and reach < self._step + LOOK:
            return
        lattice.advance(reach)
        if not self._is_told:
            self._is_told = True
            _scan.tell_search(self._search, (*lattice.knowledge.rows(),))
        to = reach if lattice.final else reach + LOOK + 1
        self._step, self.place, self.kept, start, self.cost, self.doubt, steps = _scan.step_search(
            self._search, self._edges, lattice.source, lattice.base, to, lattice.final
        )
        self.start = None if start < 0 else start
        for step in steps:
            yield step_of(lattice, step)

    def _edges(self, place: int, is_kept: bool) -> list[tuple[int, bytes, int, int, int, int, int]]:
        """Return the edges of a doubtful place; keep them, or not: see `Lattice.read`."""
        lattice = self.lattice
        return [
            (
                *(edge.kind, edge.name, edge.begin, edge.end, edge.column),
                HAS_ATTRIBUTES * edge.has_attributes
                | HAS_INSTEAD * (edge.instead is not None)
                | HAS_OPERATION * bool(edge.operation)
                | ENDS_INSIDE * (edge.end in lattice.inside)
                | IS_SOUND * (edge.instead is None and not edge.operation and is_sound(lattice, edge)),  # by the draft
                edge.cost,
            )
            for edge in (lattice.edges(place) if is_kept else lattice.read(place))
        ]


def step_of(lattice: Lattice, step: "_scan.SearchStep") -> Step:
    """Return a step of the search in a lattice."""
    (operation, kind, name, begin, end, facts, index, changes) = step[:8]
    if index >= 0:
        edge = lattice.edges(begin)[index]
    else:
        edge = Edge(kind, name, begin, end, has_attributes=bool(facts & HAS_ATTRIBUTES))
    if changes:
        edge.operation = OPERATIONS_OF_TAGS[changes.pop(0)[2]]
        edge.instead = edited(lattice.text(begin, end), 0, end - begin, [_change(begin, *it) for it in changes])
    return Step(edge, OPERATIONS_OF_STEPS[operation], *step[8:])
