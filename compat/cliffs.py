"""Measure where speed falls away: by the shape of a document, its size, the kind of its faults, and its depth.

usage: python compat/cliffs.py [--only TABLE] [--rows TEXT] [--rounds N] [--kilobytes N] [--write]

Four tables: documents of many shapes with one fault, small documents with one fault, what a fault costs by its kind,
and the same faults within more and more open elements. Read is by `xml5tree.fromstring`, by the draft and by intent,
with the compiled scanner. A multiple is one of what lxml takes in the same process for the document without the fault.
Times are processor time, the least of all rounds, which go round all ways and documents; what takes more than a second
is read once.

markupever is there where it is installed, and its cell is empty where it refuses a document or loses elements of it.
Floors are what the project holds itself to; what is above its floor is in bold.

--only has one table, --rows only rows whose name has the text in it. --write puts the tables into
docs/internals/performance.md.
"""

import argparse
import math
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from statistics import geometric_mean, median
from typing import Final, NamedTuple

from cliff_documents import (
    DEPTHS,
    FAULT_EVERY,
    FAULTS,
    SHAPES,
    SIZES,
    Twins,
    deep,
    shape,
    small,
    with_faults,
)
from pages import write_part
from speed_measuring import Worker, try_once
from speed_peers import LIBXML2, PEERS, versions
from speed_results import WHOLE
from versions import version_of

__all__ = ["TABLES", "Measuring", "Turn"]

_PAGE: Final = Path(__file__).parent.parent / "docs/internals/performance.md"
_END: Final = "<!-- end -->\n"
_MARKUPEVER: Final = "markupever"
_LXML: Final = {"draft": "xml5tree-lxml", "intent": "xml5tree-lxml-intent"}
_ETREE: Final = {"draft": "xml5tree-etree", "intent": "xml5tree-etree-intent"}
#: How many bytes are read in one measurement, so that it takes longer than the clock's steps.
_AT_ONCE: Final = 250_000
#: Seconds of one measurement that are enough, and of a document that is read once only.
_LONG_ENOUGH: Final = 0.05
_ONCE_IS_ENOUGH: Final = 1.0
#: Seconds that a parse may take whose elements are counted.
_LIMIT: Final = 60


class Turn(NamedTuple):
    """One thing to measure: a peer of compat/speed.py, and a document."""

    peer: str
    document: str


class Measuring:
    """The process that parses, and the documents in a folder.

    Args:
        folder: where documents are written.
        rounds: how often each is measured.
        kilobytes: about how large documents are, but for small ones.
        rows: a text that the names of rows have in them.
    """

    def __init__(self, folder: Path, rounds: int, kilobytes: int, rows: str) -> None:
        self.kilobytes = kilobytes
        self._folder = folder
        self._rounds = rounds
        self._rows = rows
        self._peers = [PEERS[name] for name in (LIBXML2, *_LXML.values(), *_ETREE.values())]
        self.markupever = version_of(_MARKUPEVER) is not None
        if self.markupever:
            self._peers.append(PEERS[_MARKUPEVER])
        self._worker = Worker(self._peers)

    def __enter__(self) -> "Measuring":
        return self

    def __exit__(self, *exception: object) -> None:
        self._worker.__exit__(*exception)

    def has_row(self, name: str) -> bool:
        """Whether a row is wanted."""
        return self._rows in name

    def put(self, name: str, data: bytes) -> str:
        """Write a document, and give its name back."""
        self._path(name).write_bytes(data)
        return name

    def can_read(self, document: str, twin: str) -> bool:
        """Whether markupever finds nearly all elements that lxml finds in the document without the fault."""
        wanted = try_once(PEERS[LIBXML2], self._path(twin), _LIMIT).elements
        found = try_once(PEERS[_MARKUPEVER], self._path(document), _LIMIT)
        return not found.problem and (found.elements & wanted).total() >= WHOLE * wanted.total()

    def seconds(self, turns: Iterable[Turn]) -> dict[Turn, float]:
        """The least time of each."""
        order = list(dict.fromkeys(turns))
        least: dict[Turn, float] = {}
        for number in range(self._rounds):
            for place in range(len(order)):
                turn = order[(place + number) % len(order)]
                before = least.get(turn, math.inf)
                if number and before > _ONCE_IS_ENOUGH:
                    continue
                path = self._path(turn.document)
                most = _AT_ONCE // path.stat().st_size
                times = max(1, most // 10 if math.isinf(before) else min(most, int(_LONG_ENOUGH / before)))
                least[turn] = min(before, self._worker.seconds(PEERS[turn.peer], path, times))
        return least

    def _path(self, name: str) -> Path:
        return self._folder / (name.replace("/", "_") + ".xml")


# Shapes and sizes -----------------------------------------------------------------------------------------------------


def _cell(value: float, floor: float | None = None, digits: int = 1) -> str:
    text = f"{value:.{digits}f}"
    return f"**{text}**" if floor is not None and value > floor else text


def _head(columns: Iterable[str], first: str) -> str:
    columns = list(columns)
    return f"| {first} | {' | '.join(columns)} |\n|---{'|--:' * len(columns)}|\n"


def _row(name: str, cells: Iterable[str]) -> str:
    return f"| {name} | {' | '.join(cells)} |\n"


class _Times(NamedTuple):
    """What was measured of the twins of a row, as multiples of lxml's time."""

    well_formed: float
    broken: dict[str, list[float]]  # by policy, of each broken document
    markupever: list[float] | None


def _times_lxml(measuring: Measuring, name: str, twins: Twins) -> _Times:
    whole = measuring.put(name, twins.well_formed)
    broken = [measuring.put(f"{name}, {fault}", data) for fault, data in twins.broken.items()]
    turns = [Turn(peer, whole) for peer in (_LXML["draft"], LIBXML2)]
    turns += [Turn(peer, each) for peer in _LXML.values() for each in broken]
    has_peer = measuring.markupever and all(measuring.can_read(each, whole) for each in broken)
    if has_peer:
        turns += [Turn(_MARKUPEVER, each) for each in broken]
    seconds = measuring.seconds(turns)

    def times(peer: str, document: str) -> float:
        return seconds[Turn(peer, document)] / seconds[Turn(LIBXML2, whole)]

    return _Times(
        times(_LXML["draft"], whole),
        {policy: [times(peer, each) for each in broken] for policy, peer in _LXML.items()},
        [times(_MARKUPEVER, each) for each in broken] if has_peer else None,
    )


_SHAPE_FLOORS: Final = {"draft": 2.2, "intent": 2.6}
_SHAPE_MEAN_FLOORS: Final = {"draft": 1.35, "intent": 1.5}


def _shapes(measuring: Measuring) -> str:
    """Documents of all shapes, as multiples of lxml: the worse of two faults."""
    rows = {
        name: _times_lxml(measuring, name, shape(name, measuring.kilobytes * 1000))
        for name in filter(measuring.has_row, SHAPES)
    }
    lines = [_head(["well-formed", *_LXML, "markupever"], "shape, × lxml")]
    for name, row in rows.items():
        cells = [_cell(max(row.broken[policy]), _SHAPE_FLOORS[policy]) for policy in _LXML]
        lines.append(_row(name, [_cell(row.well_formed), *cells, _of_markupever(row)]))
    means = {policy: geometric_mean(max(row.broken[policy]) for row in rows.values()) for policy in _LXML}
    worst = {policy: max(max(row.broken[policy]) for row in rows.values()) for policy in _LXML}
    well_formed = [row.well_formed for row in rows.values()]
    cells = [_cell(means[policy], _SHAPE_MEAN_FLOORS[policy], 2) for policy in _LXML]
    lines.append(_row("geometric mean", [_cell(geometric_mean(well_formed), digits=2), *cells, ""]))
    lines.append(_row("worst", [_cell(max(well_formed)), *(_cell(worst[policy]) for policy in _LXML), ""]))
    floors = [f"{_SHAPE_FLOORS[policy]:g}, {_SHAPE_MEAN_FLOORS[policy]:g}" for policy in _LXML]
    lines.append(_row("floor of each, of the mean", ["", *floors, ""]))
    return "".join(lines)


def _of_markupever(row: _Times) -> str:
    return "" if row.markupever is None else _cell(max(row.markupever))


#: For a well-formed document, one with a fault by the draft, and one by intent.
_SIZE_FLOORS: Final = {"2.6 KB": (2.2, 3.5, 6.0), "11 KB": (1.8, 2.2, 3.5), "50 KB": (1.2, 2.0, 3.0)}


def _sizes(measuring: Measuring) -> str:
    """Small feeds, as multiples of lxml: the geometric mean of nine faults."""
    lines = [_head(["well-formed", *_LXML, "markupever"], "feed, × lxml")]
    for name in filter(measuring.has_row, SIZES):
        row = _times_lxml(measuring, name, small(name))
        floors = dict(zip(("well-formed", "draft", "intent"), _SIZE_FLOORS[name], strict=True))
        whole = _cell(row.well_formed, floors["well-formed"])
        cells = [_cell(geometric_mean(row.broken[policy]), floors[policy]) for policy in _LXML]
        peer = "" if row.markupever is None else _cell(geometric_mean(row.markupever))
        lines.append(_row(name, [whole, *cells, peer]))
        lines.append(_row("floor", [*(f"{floor:g}" for floor in floors.values()), ""]))
    return "".join(lines)


# Kinds of fault -------------------------------------------------------------------------------------------------------

#: Microseconds of a fault: at most in the median, and at most.
_FAULT_FLOORS: Final = {"draft": (12.0, 40.0), "intent": (40.0, 120.0)}


def _faults(measuring: Measuring) -> str:
    """Microseconds that a fault costs: a document with many of them less the same with one, divided."""
    records = max(2, measuring.kilobytes * 500 // FAULT_EVERY)
    lines = [_head([*_LXML, "draft ÷ markupever"], "fault, µs")]
    costs: dict[str, list[float]] = {policy: [] for policy in _LXML}
    plain = measuring.put("no fault", with_faults(FAULTS[0], 0, records))
    for number, fault in enumerate(FAULTS):
        if not measuring.has_row(fault.name):
            continue
        one = measuring.put(f"{number} once", with_faults(fault, 1, records))
        many = measuring.put(f"{number}", with_faults(fault, records, records))
        turns = [Turn(peer, document) for peer in _LXML.values() for document in (one, many)]
        has_peer = measuring.markupever and measuring.can_read(many, plain)
        if has_peer:
            turns.append(Turn(_MARKUPEVER, many))
        seconds = measuring.seconds(turns)
        cells = []
        for policy, peer in _LXML.items():
            more = seconds[Turn(peer, many)] - seconds[Turn(peer, one)]
            cost = max(0.0, more / (records - 1) * 1e6)  # less than none is noise
            costs[policy].append(cost)
            cells.append(_cell(cost, _FAULT_FLOORS[policy][1], 0))
        if has_peer:
            cells.append(_cell(seconds[Turn(_LXML["draft"], many)] / seconds[Turn(_MARKUPEVER, many)], 1.0, 2))
        else:
            cells.append("")
        lines.append(_row(fault.name, cells))
    for name, place, least in (("median", 0, median), ("worst", 1, max)):
        floors = {policy: _FAULT_FLOORS[policy][place] for policy in _LXML}
        lines.append(_row(name, [*(_cell(least(costs[policy]), floors[policy], 0) for policy in _LXML), ""]))
        lines.append(_row(f"floor of the {name}", [*(f"{floor:g}" for floor in floors.values()), ""]))
    return "".join(lines)


# Depth ----------------------------------------------------------------------------------------------------------------

_DEPTH_FLOOR: Final = 2.0


def _depth(measuring: Measuring) -> str:
    """Faults within open elements with ElementTree: the time of a byte, as a multiple of that within one element."""
    records = max(2, measuring.kilobytes * 300 // FAULT_EVERY)
    names = {depth: measuring.put(f"depth {depth}", deep(depth, records)) for depth in DEPTHS}
    sizes = {depth: len(deep(depth, records)) for depth in DEPTHS}
    seconds = measuring.seconds(Turn(peer, name) for peer in _ETREE.values() for name in names.values())
    lines = [_head(_ETREE, "open elements, × one")]
    for depth, name in names.items():
        cells = []
        for peer in _ETREE.values():
            whole, first = (seconds[Turn(peer, document)] for document in (name, names[DEPTHS[0]]))
            ratio = whole / sizes[depth] / (first / sizes[DEPTHS[0]])
            cells.append(_cell(ratio, _DEPTH_FLOOR, 2))
        lines.append(_row(f"{depth:,}", cells))
    lines.append(_row("floor", [f"{_DEPTH_FLOOR:g}" for _ in _ETREE]))
    return "".join(lines)


TABLES: Final[dict[str, Callable[[Measuring], str]]] = {
    "shapes": _shapes,
    "sizes": _sizes,
    "faults": _faults,
    "depth": _depth,
}


def _begin(table: str) -> str:
    return f"<!-- {table}: made by compat/cliffs.py --write -->\n"


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=TABLES, metavar="TABLE", help=f"one of {', '.join(TABLES)}")
    parser.add_argument("--rows", default="", metavar="TEXT", help="only rows with this in their names")
    parser.add_argument("--rounds", type=int, default=5, help="how often each is measured (default: 5)")
    parser.add_argument("--kilobytes", type=int, default=1000, help="size of documents that are not small")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/internals/performance.md")
    given = parser.parse_args()
    if given.write and given.rows:
        parser.error("--write wants all rows")
    import xml5tree

    if not xml5tree.accelerated:
        print("the compiled scanner is not there, or XML5TREE_PURE is set", file=sys.stderr)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        measuring = stack.enter_context(Measuring(folder, given.rounds, given.kilobytes, given.rows))
        peers = [PEERS[name] for name in (LIBXML2, *([_MARKUPEVER] if measuring.markupever else []))]
        made = f"`{shlex.join(['python', 'compat/cliffs.py', *sys.argv[1:]])}`: {versions(peers)}."
        print(made)
        for name in [given.only] if given.only else TABLES:
            table = TABLES[name](measuring)
            print(f"\n{TABLES[name].__doc__}\n\n{table}", end="", flush=True)
            if given.write:
                write_part(_PAGE, _begin(name), _END, f"\n{table}\n{made}\n\n")


if __name__ == "__main__":
    main()
