"""How much of broken documents parsers keep.

usage: python compat/recovery.py [--measures A,B] [--seeds N] [--tuning] [--documents A,B] [--faults TEXT] [--jobs N]
                                 [--ours] [--write]
       python compat/recovery.py --page

Into well-formed documents (recovery_documents.py, recovery_shapes.py) faults of one kind at a time are put at random
places (recovery_faults.py, recovery_mutations.py, recovery_real.py). Each parser (recovery_parsers.py) then reads the
broken document, and what it found is compared with what the author meant (recovery_facts.py). For every fault and every
seed there is one document of each family. There are five measures:

faults   the faults that are known by name, in the families of documents that they were collected for
shapes   the same faults, in documents of other shapes
unseen   faults that no cost was set for, in documents of other shapes, and in feeds
real     faults that are frequent in documents that others wrote and are in none of these lists, in small documents of
         all families
many     all named and unseen faults that a document can have more than once, each in twelve places of documents of
         30 000 to 60 000 characters (recovery_long.py), while it is in three places of small ones in the other measures

Seeds for tuning and seeds for reporting are disjoint: whoever changes a cost or a constant of `recovery="intent"` looks
at --tuning only.

Confidence intervals are of 95 %, by bootstrap over the seeds. Another parser is ahead where the whole interval of the
difference is in its favour; expected/recovery.txt lists where one is ahead of `recovery="draft"`, and why, and
expected/recovery_intent.txt the same for `recovery="intent"`, where "(many)" after the name of a fault stands for that
measure. A complete run fails where a list is wrong: another parser is ahead and it is not listed, or it is listed and
not ahead. With --write, such a run also replaces results/recovery.json and what is made of it: pages and plots in docs.
With --page, these are made anew from the first.

Exit status 77: documents or parsers cannot be had.
"""

import argparse
import gc
import json
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from recovery_documents import FAMILIES, FEEDS, LONG, Document, Unavailable, documents, sources
from recovery_faults import FAULTS, USUAL_PLACES, Fault
from recovery_kinds import ALL_FAULTS
from recovery_measuring import Row, measure, read_by_all, summary, totals, without_faults
from recovery_mutations import MUTATIONS
from recovery_parsers import FEED_PARSERS, PARSERS, Parser, installed, missing, versions
from recovery_plot import draw
from recovery_real import REAL
from recovery_report import LISTED, Reasons, entry, fill_pages, read_reasons, table
from recovery_shapes import SHAPES

_HERE: Final = Path(__file__).parent
RESULTS: Final = _HERE / "results" / "recovery.json"
DOCS: Final = _HERE.parent / "docs" / "internals"
#: By policy: the list of what is ahead of it, and by how much it has to be ahead to be listed.
REASONS: Final = {"draft": _HERE / "expected" / "recovery.txt", "intent": _HERE / "expected" / "recovery_intent.txt"}
_MARGIN: Final = {"draft": 0.0, "intent": 0.02}

REPORTING_SEEDS: Final = range(20)
TUNING_SEEDS: Final = range(100, 120)


class Measure(NamedTuple):
    """A set of faults, and the documents that they are put into.

    Attributes:
        families: the names of the families of documents.
        seeds: how many documents of each family there are for a fault.
        places: how many places of a document have the fault.
    """

    faults: tuple[Fault, ...]
    families: tuple[str, ...]
    seeds: int
    places: int = USUAL_PLACES


#: Faults that a document can have more than once.
_REPEATED: Final = tuple(fault for fault in (*FAULTS, *MUTATIONS) if fault.kinds != "document")

MEASURES: Final = {
    "faults": Measure(FAULTS, tuple(FAMILIES), 10),
    "shapes": Measure(FAULTS, tuple(SHAPES), 3),
    "unseen": Measure(MUTATIONS, (*SHAPES, FEEDS), 5),
    "real": Measure(REAL, (*FAMILIES, *SHAPES), 3),
    "many": Measure(_REPEATED, tuple(LONG), 2, places=12),
}

_ALL_PARSERS: Final = (PARSERS, FEED_PARSERS)
_FAULTS_BY_NAME: Final = {fault.name: fault for fault in ALL_FAULTS}


# Measuring ----------------------------------------------------------------------------------------------------------


class Plan(NamedTuple):
    """What of the measures is to be run.

    Attributes:
        measures: their names.
        families: only these families of documents, if there are any.
        faults: only faults with this in their names.
        seeds: how many, if not the usual number.
        tuning: whether the seeds are those for tuning.
        jobs: the number of processes.
        ours: whether parsers of others are left out.
    """

    measures: tuple[str, ...] = tuple(MEASURES)
    families: tuple[str, ...] = ()
    faults: str = ""
    seeds: int = 0
    tuning: bool = False
    jobs: int = 1
    ours: bool = False

    @property
    def is_complete(self) -> bool:
        """Whether it is the run whose results are committed."""
        return self._replace(jobs=1) == Plan()

    def parsers(self) -> tuple[list[Parser], list[Parser]]:
        """The parsers, and those that are for feeds only."""
        general, feeds = (
            [parser for parser in installed(all_) if parser.policy or not self.ours] for all_ in _ALL_PARSERS
        )
        return general, feeds

    def faults_of(self, measure_name: str) -> list[Fault]:
        """The faults of a measure."""
        return [fault for fault in MEASURES[measure_name].faults if self.faults in fault.name]

    def families_of(self, measure_name: str) -> list[str]:
        """The families of documents of a measure."""
        return [name for name in MEASURES[measure_name].families if not self.families or name in self.families]

    def seeds_of(self, measure_name: str) -> range:
        """The seeds of a measure."""
        return (TUNING_SEEDS if self.tuning else REPORTING_SEEDS)[: self.seeds or MEASURES[measure_name].seeds]


def run(plan: Plan, *, progress: bool = True) -> dict[str, Any]:
    """Measure everything that is planned.

    Raises:
        Unavailable: if documents cannot be had.
    """
    parsers, feeds = plan.parsers()
    names = dict.fromkeys(family for measure_name in plan.measures for family in plan.families_of(measure_name))
    families, left_out = {}, []
    for name in names:
        families[name], others = read_by_all(documents(name), parsers)
        left_out += others
    results: dict[str, Any] = {
        "versions": versions([*parsers, *feeds]),
        "families": {name: [document.name for document in family] for name, family in families.items()},
        "left out": left_out,
        "sources": sources(names),
        "measures": {},
    }
    for name in plan.measures:
        chosen = [families[family] for family in plan.families_of(name)]
        faults = plan.faults_of(name)
        rows: dict[str, list[Row]] = {}
        for fault, found in zip(faults, rows_of_faults(plan, name, chosen), strict=True):
            rows[fault.name] = found
            if progress and found:
                print(f"{name}: {table(fault.name, summary(found))}", flush=True)
        results["measures"][name] = {
            "seeds": len(plan.seeds_of(name)),
            "without faults": without_faults(chosen, parsers, feeds),
            **totals([row for found in rows.values() for row in found]),
            "faults": {fault: summary(found) for fault, found in rows.items() if found},
        }
    return results


def rows_of_faults(plan: Plan, measure_name: str, families: list[list[Document]]) -> Iterable[list[Row]]:
    """What all parsers made of the documents of each fault, in the order of the faults."""
    task = partial(_rows_of_fault, plan=plan, measure_name=measure_name, families=families)
    names = [fault.name for fault in plan.faults_of(measure_name)]
    if plan.jobs == 1:
        yield from map(task, names)
    else:
        with ProcessPoolExecutor(plan.jobs) as executor:
            yield from executor.map(task, names)


def _rows_of_fault(name: str, plan: Plan, measure_name: str, families: list[list[Document]]) -> list[Row]:
    """As `measure`; faults and parsers are found by their names, as functions do not go from process to process."""
    seeds, places = plan.seeds_of(measure_name), MEASURES[measure_name].places
    return measure(_FAULTS_BY_NAME[name], seeds, families, *plan.parsers(), places)


# Lists of what is ahead ---------------------------------------------------------------------------------------------


def ahead_of_us(results: dict[str, Any], policy: str) -> dict[str, list[str]]:
    """The parsers that are ahead of one of our policies, by fault as the lists name it.

    Of `draft`, in the first measure only: what it does to other faults and documents is no reason to change it. For
    feeds, `intent` is to be at least as good as feedparser alone, so there no margin is left.
    """
    ours = {parser.name for parser in (*PARSERS, *FEED_PARSERS) if parser.policy == policy}
    of_feeds = {parser.name for parser in FEED_PARSERS}
    found = {}
    for measure_name in LISTED[policy]:
        for fault, result in results["measures"].get(measure_name, {"faults": {}})["faults"].items():
            names = {
                peer: None
                for name, leads in result["ahead"].items()
                if name in ours
                for peer, (mean, _, high) in leads.items()
                if high < 0 and (peer in of_feeds or mean < -_MARGIN[policy])
            }
            if names:
                found[entry(measure_name, fault)] = list(names)
    return found


def differences(results: dict[str, Any], policy: str) -> list[str]:
    """Where the list of a policy is wrong."""
    if not any(parser.policy == policy for parser in installed(PARSERS)):
        return []
    listed = {fault: parsers for fault, (parsers, _) in read_reasons(REASONS[policy]).items()}
    found = ahead_of_us(results, policy)
    return [
        f"{policy}, {fault}: ahead are {found.get(fault, [])}, listed are {listed.get(fault, [])}"
        for fault in sorted(found.keys() | listed.keys())
        if found.get(fault) != listed.get(fault)
    ]


# Commands -----------------------------------------------------------------------------------------------------------


def all_reasons() -> dict[str, Reasons]:
    """The lists, by policy."""
    return {policy: read_reasons(path) for policy, path in REASONS.items()}


def write_pages(results: dict[str, Any]) -> None:
    """Write the results into the pages, and draw the plots."""
    fill_pages(DOCS, results, all_reasons())
    draw(results, DOCS)


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measures", default="", help=f"of {', '.join(MEASURES)} (default: all)")
    parser.add_argument("--seeds", type=int, default=0, help="documents of each family for a fault (default: as usual)")
    parser.add_argument("--tuning", action="store_true", help="the seeds for tuning, not those for reporting")
    parser.add_argument("--documents", default="", help="only these families of documents")
    parser.add_argument("--faults", default="", help="only faults whose name has this in it")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default 1)")
    parser.add_argument("--ours", action="store_true", help="without the parsers of others, to try a change")
    parser.add_argument("--write", action="store_true", help="replace the committed results and what is made of them")
    parser.add_argument("--page", action="store_true", help="make pages and plots of the committed results, only")
    arguments = parser.parse_args()
    if arguments.page:
        write_pages(json.loads(RESULTS.read_text("utf-8")))
        return 0
    plan = Plan(
        tuple(arguments.measures.split(",")) if arguments.measures else tuple(MEASURES),
        tuple(filter(None, arguments.documents.split(","))),
        arguments.faults,
        arguments.seeds,
        arguments.tuning,
        arguments.jobs,
        arguments.ours,
    )
    skipped = {each.name: reason for each in (*PARSERS, *FEED_PARSERS) if (reason := missing(each))}
    for name, reason in skipped.items():
        print(f"{name} is skipped: {reason}")
    absent = [each.name for each in (*PARSERS, *FEED_PARSERS) if each.name in skipped and each.policy != "intent"]
    if arguments.write and (absent or not plan.is_complete):
        parser.error(f"--write is for a complete run; missing: {', '.join(absent) or 'seeds, documents or faults'}")
    gc.freeze()  # the collector need not look at all that is loaded again and again
    try:
        return _run(plan, arguments.write, absent)
    except Unavailable as error:
        print(f"skipped: {error}")
        return 77


def _run(plan: Plan, write: bool, absent: list[str]) -> int:
    results = run(plan)
    for name, result in results["measures"].items():
        _print_totals(name, result)
    if write:
        RESULTS.parent.mkdir(exist_ok=True)
        _store(results)
    if absent or not plan.is_complete:
        print(f"not compared with the lists in expected: a sample, or without {', '.join(absent) or 'something'}")
        return 0
    wrong = [line for policy in REASONS for line in differences(results, policy)]
    print("\n".join(wrong))
    return 1 if wrong else 0


def _print_totals(name: str, result: dict[str, Any]) -> None:
    for parser, values in result["overall"].items():
        numbered = result["numbered"][parser][0]
        mean, low, high = values
        print(f"{name}, {parser}: {mean:.4f} ({low:.4f} to {high:.4f}), numbered {numbered:.4f}")
    for family, means in result["by family"].items():
        print(f"{name}, {family}: " + ", ".join(f"{parser} {mean:.3f}" for parser, mean in means.items()))
    for row in result["worst"]:
        print(f"{name}, worse than the draft: {row}")


def _store(results: dict[str, Any]) -> None:
    RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", "utf-8")
    write_pages(results)


if __name__ == "__main__":
    sys.exit(main())
