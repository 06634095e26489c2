"""How much of broken documents parsers keep.

usage: python compat/recovery.py [--seeds N] [--documents A,B] [--faults TEXT] [--numbered] [--plot FILE] [--write]
       python compat/recovery.py --page

Into well-formed documents (recovery_documents.py) faults of one kind at a time are put at three random places
(recovery_faults.py). Each parser (recovery_parsers.py) then reads the broken document, and what it found is compared
with what the author meant (recovery_facts.py). For every fault and every seed there is one document of each family.

Confidence intervals are of 95 %, by bootstrap over the seeds. Another parser is ahead where the whole interval of the
difference is in its favour; expected/recovery.txt lists where that is so and why. A run with the usual seeds and
documents fails where the list is wrong: another parser is ahead and it is not listed, or it is listed and not ahead.
With --write, such a run also replaces results/recovery.json, docs/recovery.md and docs/recovery.svg. With --page, the
last two are made anew from the first.

Exit status 77: documents or parsers cannot be had.
"""

import argparse
import json
import sys
import warnings
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any, Final

from recovery_documents import FAMILIES, FEEDS, Document, Unavailable, documents, sources
from recovery_facts import Facts, Node, f1, facts, show
from recovery_faults import FAULTS, Broken, Fault, inject
from recovery_parsers import FEED_PARSERS, OURS, OURS_FOR_FEEDS, PARSERS, Parser, installed, versions
from recovery_report import page, plot, read_reasons, table

SEEDS: Final = 20
_RESAMPLES: Final = 1000
_HERE: Final = Path(__file__).parent
RESULTS: Final = _HERE / "results" / "recovery.json"
REASONS: Final = _HERE / "expected" / "recovery.txt"
PAGE: Final = _HERE.parent / "docs" / "recovery.md"
PLOT: Final = _HERE.parent / "docs" / "recovery.svg"

#: What examples are made of.
_EXAMPLE: Final = (
    '<?xml version="1.0"?><rss version="2.0"><channel><item><guid isPermaLink="false">1</guid><title>Tea für two'
    '</title></item><item><enclosure type="a/b" length="9"/><title>More tea</title></item></channel></rss>'
)

Scores = list[list[float]]
"""For each seed, one score for each document."""


# Measuring ----------------------------------------------------------------------------------------------------------


def score(parser: Parser, pair: Broken, numbered: bool = False) -> float:
    """How much of what was meant the parser finds in the broken document; nothing where it refuses."""
    meant = _meant_facts(parser.meant, pair.meant, numbered)
    try:
        with warnings.catch_warnings(action="ignore"):
            found = parser.parse(pair.broken)
    except Exception:
        if parser.name == OURS:  # what it may raise is dealt with; anything else is a defect of ours
            raise
        return 0.0
    return f1(meant, facts(found, numbered))


@lru_cache(32)  # parsers take turns on the documents of one seed
def _meant_facts(parse: Callable[[bytes], list[Node]], data: bytes, numbered: bool) -> Facts:
    return facts(parse(data), numbered)


def broken_document(fault: Fault, seed: int, family: list[Document]) -> tuple[Document, Broken] | None:
    """The document of a family that the seed chooses, with the fault; None where none has a place for it."""
    random = Random(f"{fault.name} {seed} {family[0].family}")
    for document in random.sample(family, len(family)):
        made = inject(fault, random, document.text)
        if made is not None:
            return document, made
    return None


def measure(
    fault: Fault,
    seeds: Iterable[int],
    families: list[list[Document]],
    parsers: list[Parser],
    feeds: list[Parser],
    numbered: bool = False,
) -> dict[str, Scores]:
    """The scores of all parsers for one fault; those of feed parsers are of feeds only."""
    scores: dict[str, Scores] = {parser.name: [] for parser in (*parsers, *feeds)}
    for seed in seeds:
        made = [pair for family in families if (pair := broken_document(fault, seed, family))]
        for parser in parsers:
            scores[parser.name].append([score(parser, pair, numbered) for _, pair in made])
        for parser in feeds:
            chosen = [pair for document, pair in made if document.family == FEEDS]
            scores[parser.name].append([score(parser, pair, numbered) for pair in chosen])
    return {name: rows for name, rows in scores.items() if rows and rows[0]}


def read_by_all(family: list[Document], parsers: list[Parser]) -> tuple[list[Document], list[str]]:
    """The documents that every parser of XML reads without loss, and for the others which of them do not.

    What a parser makes of a DTD is another question than what it makes of a fault.
    """
    good, left_out = [], []
    for document in family:
        losing = [parser.name for parser in parsers if not parser.folds_case and score(parser, _unbroken(document)) < 1]
        if losing:
            left_out.append(f"{document.name} ({', '.join(losing)})")
        else:
            good.append(document)
    return good, left_out


def _unbroken(document: Document) -> Broken:
    return Broken(document.text.encode(), document.text.encode())


def without_faults(families: list[list[Document]], parsers: list[Parser], feeds: list[Parser]) -> dict[str, float]:
    """The scores of all parsers where nothing is wrong."""
    found = {}
    for parser in (*parsers, *feeds):
        rows = [
            fmean(score(parser, _unbroken(document)) for document in family)
            for family in families
            if parser in parsers or family[0].family == FEEDS
        ]
        if rows:
            found[parser.name] = round(fmean(rows), 5)
    return found


def interval(rows: list[float]) -> list[float]:
    """The mean, and the limits of its confidence interval."""
    random = Random(0)
    means = sorted(fmean(random.choices(rows, k=len(rows))) for _ in range(_RESAMPLES))
    limits = means[round(0.025 * _RESAMPLES)], means[round(0.975 * _RESAMPLES) - 1]
    return [round(value, 5) for value in (fmean(rows), *limits)]


def lead(mine: list[float], other: list[float]) -> list[float]:
    """How far one parser is ahead of another on the same documents, and the limits of that."""
    return interval([ahead - behind for ahead, behind in zip(mine, other, strict=True)])


def summary(scores: dict[str, Scores]) -> dict[str, Any]:
    """Means, how far ours is ahead of each of the others, who is behind none, and how often nothing was found."""
    rows = {name: [fmean(row) for row in found] for name, found in scores.items()}
    ours = dict.fromkeys((parser.name for parser in PARSERS), OURS)
    ours |= dict.fromkeys((parser.name for parser in FEED_PARSERS), OURS_FOR_FEEDS)
    return {
        "documents": sum(map(len, scores[OURS])),
        "f1": {name: interval(found) for name, found in rows.items()},
        "ahead": {name: lead(rows[ours[name]], found) for name, found in rows.items() if name != ours[name]},
        "behind none": [
            name
            for name in rows
            if ours[name] == OURS
            and all(lead(rows[name], rows[other])[2] >= 0 for other in rows if ours[other] == OURS and other != name)
        ],
        "nothing": {name: sum(value == 0 for row in found for value in row) for name, found in scores.items()},
    }


def overall(all_scores: dict[str, dict[str, Scores]]) -> dict[str, list[float]]:
    """The mean over all faults, for each parser."""
    found: dict[str, list[float]] = {}
    for name in next(iter(all_scores.values())):
        columns = [[fmean(row) for row in scores[name]] for scores in all_scores.values() if name in scores]
        found[name] = interval([fmean(column) for column in zip(*columns, strict=True)])
    return found


# Examples -----------------------------------------------------------------------------------------------------------


def example(fault: Fault, parsers: list[Parser], feeds: list[Parser]) -> dict[str, Any]:
    """One small document with the fault, and what each parser makes of it."""
    made = next(pair for seed in range(100) if (pair := inject(fault, Random(seed), _EXAMPLE, 1)))
    outputs = {}
    for parser in (*parsers, *feeds[:1]):
        outputs[parser.name] = _output(parser, made.broken) + (" ✓" if score(parser, made) == 1 else "")
    return {"broken": made.broken.decode("utf-8", "backslashreplace"), "outputs": outputs}


def _output(parser: Parser, data: bytes) -> str:
    try:
        return show(parser.parse(data)) or "nothing"
    except Exception as error:
        return f"raises {type(error).__name__}"


# Commands -----------------------------------------------------------------------------------------------------------


def run(
    seeds: int,
    family_names: Iterable[str],
    faults: Iterable[Fault],
    numbered: bool = False,
    progress: bool = True,
) -> dict[str, Any]:
    """Measure everything.

    Raises:
        Unavailable: if documents cannot be had.
    """
    parsers, feeds = installed(PARSERS), installed(FEED_PARSERS)
    families, left_out = [], []
    for name in family_names:
        good, others = read_by_all(documents(name), parsers)
        families.append(good)
        left_out += others
    all_scores = {}
    for fault in faults:
        all_scores[fault.name] = measure(fault, range(seeds), families, parsers, feeds, numbered)
        if progress:
            print(table(fault.name, summary(all_scores[fault.name])), flush=True)
    return {
        "versions": versions([*parsers, *feeds]),
        "seeds": seeds,
        "families": {family[0].family: [document.name for document in family] for family in families},
        "left out": left_out,
        "sources": sources(family_names),
        "without faults": without_faults(families, parsers, feeds),
        "overall": overall(all_scores),
        "faults": {name: summary(scores) for name, scores in all_scores.items()},
        "examples": {fault.name: example(fault, parsers, feeds) for fault in faults},
    }


def ahead_of_us(results: dict[str, Any]) -> dict[str, list[str]]:
    """The parsers that are ahead, by fault."""
    found = {
        fault: [name for name, (_, _, high) in result["ahead"].items() if high < 0]
        for fault, result in results["faults"].items()
    }
    return {fault: names for fault, names in found.items() if names}


def differences(results: dict[str, Any]) -> list[str]:
    """Where the list of expected/recovery.txt is wrong."""
    listed = {fault: parsers for fault, (parsers, _) in read_reasons(REASONS).items()}
    found = ahead_of_us(results)
    return [
        f"{fault}: ahead are {found.get(fault, [])}, listed are {listed.get(fault, [])}"
        for fault in sorted(found.keys() | listed.keys())
        if found.get(fault) != listed.get(fault)
    ]


def write_page(results: dict[str, Any]) -> None:
    """Write the results into the page, and draw its plot."""
    PAGE.write_text(page(PAGE.read_text("utf-8"), results, read_reasons(REASONS)), "utf-8")
    plot(results, PLOT)


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--seeds", type=int, default=SEEDS, help=f"documents of each family for a fault (default {SEEDS})"
    )
    parser.add_argument("--documents", default=",".join(FAMILIES), help="families (default: %(default)s)")
    parser.add_argument("--faults", default="", help="only faults whose name has this in it")
    parser.add_argument("--numbered", action="store_true", help="paths say which of its siblings an element is")
    parser.add_argument("--plot", metavar="FILE", type=Path, help="draw the results (matplotlib)")
    parser.add_argument("--write", action="store_true", help="replace the committed results and the page")
    parser.add_argument(
        "--page", action="store_true", help="write the page from the committed results, and nothing else"
    )
    arguments = parser.parse_args()
    if arguments.page:
        write_page(json.loads(RESULTS.read_text("utf-8")))
        return 0
    faults = [fault for fault in FAULTS if arguments.faults in fault.name]
    names = arguments.documents.split(",")
    complete = (
        arguments.seeds == SEEDS and names == list(FAMILIES) and faults == list(FAULTS) and not arguments.numbered
    )
    missing = [peer.name for peer in PARSERS + FEED_PARSERS if peer not in installed(PARSERS + FEED_PARSERS)]
    if arguments.write and (missing or not complete):
        parser.error(
            f"--write is for a run with everything; missing: {', '.join(missing) or 'seeds, documents or faults'}"
        )
    try:
        results = run(arguments.seeds, names, faults, arguments.numbered)
    except Unavailable as error:
        print(f"skipped: {error}")
        return 77
    print(
        "\n".join(
            f"{name}: {value:.4f} ({low:.4f} to {high:.4f})" for name, (value, low, high) in results["overall"].items()
        )
    )
    if arguments.plot:
        plot(results, arguments.plot)
    if arguments.write:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", "utf-8")
        write_page(results)
    if missing or not complete:
        print(f"not compared with {REASONS.name}: a sample, or without {', '.join(missing) or 'something'}")
        return 0
    wrong = differences(results)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
