"""How often the assumptions of ``recovery="intent"`` are right, by their confidence.

usage: python compat/confidence.py [--tuning] [--seeds N] [--cases FILE] [--fit | --write]

Faults are put into well-formed documents as by recovery.py, with the seeds for reporting, or with those for tuning.
Each edit of the source is left out once, and the draft reads what is left. An assumption is right if the tree is
farther from what was meant without it, and all that it brings into the tree was meant; or, if it makes no difference,
where the tree is as meant. Documents that are not in UTF-8, or have more than 40 edits, are left out.

--fit prints the odds of `ODDS` in xml5tree/intent/costs.py; --write replaces the table of docs/internals/intent.md.
FILE has further documents, each as a line of JSON with its `input` and what was `wanted`. In --fit, these have five
times the weight of the others.
"""

import argparse
import json
import math
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Final, NamedTuple
from unittest.mock import patch

from pages import write_part
from recovery import MEASURES, REPORTING_SEEDS, TUNING_SEEDS
from recovery_documents import Unavailable, documents
from recovery_facts import FactSets, f1, facts
from recovery_measuring import broken_document
from recovery_parsers import DRAFT, PARSERS

from xml5tree.intent import edits
from xml5tree.intent.assumption import SourceEdit
from xml5tree.intent.meaning import IntentMeaning

PAGE: Final = Path(__file__).parent.parent / "docs" / "internals" / "intent.md"
BEGIN: Final = "<!-- The table is made by compat/confidence.py. -->\n"
END: Final = "<!-- end of the table of confidence -->\n"
_DRAFT: Final = next(parser for parser in PARSERS if parser.name == DRAFT)
_LIMITS: Final = (0.0, 0.35, 0.65, 0.75, 0.85, 0.9, 0.94, 0.96, 1.0)
_LONGEST: Final = 12_000
_MOST: Final = 40  # edits of a document
_WEIGHT: Final = 5.0  # of further documents
_LEAST: Final = 300  # odds of an operation that are worth a line
_RIDGE: Final = 20.0  # how much evidence an operation needs to differ from the others


class Row(NamedTuple):
    """An assumption."""

    operation: str
    margin: int
    confidence: float
    is_right: bool
    weight: float = 1.0


def rows(seeds: Iterable[int]) -> Iterator[Row]:
    """Yield the assumptions in the documents of some seeds."""
    for name in ("faults", "shapes", "unseen", "real"):
        families = [documents(family) for family in MEASURES[name].families]
        for fault in MEASURES[name].faults:
            for seed in seeds:
                for family in families:
                    made = broken_document(fault, seed, family)
                    if made is not None and len(made[1].broken) <= _LONGEST:
                        yield from assumptions(made[1].broken, made[1].meant)


def rows_of_cases(path: Path) -> Iterator[Row]:
    """Yield the assumptions in the documents of a file; those of one document have less weight than one each."""
    for line in path.read_text("utf-8").split("\n")[:-1]:
        case = json.loads(line)
        if isinstance(case["input"], str) and not case.get("options"):
            found = list(assumptions(case["input"].encode("utf-8", "surrogatepass"), case["wanted"].encode()))
            yield from [row._replace(weight=_WEIGHT / len(found) ** 0.7) for row in found]


def assumptions(broken: bytes, wanted: bytes) -> Iterator[Row]:
    """Yield the assumptions in a document that were a choice."""
    try:
        text, meant = broken.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n"), facts(_DRAFT.meant(wanted))
    except (UnicodeDecodeError, SyntaxError):  # of several roots, too
        return
    asked: list[tuple[str, int]] = []

    def confidence(operation: str, margin: int) -> float:
        asked.append((operation, margin))
        return len(asked) - 1

    with patch.object(edits, "confidence", confidence):
        found = IntentMeaning().feed(text, text.encode("utf-8", "surrogatepass"), final=True)
    if not asked or len(found) > _MOST:
        return
    whole = _facts(text, found)
    for number, edit in enumerate(found):
        is_right = _is_right(meant, whole, _facts(text, found[:number] + found[number + 1 :]))
        for assumption in edit.assumptions:
            assert assumption.confidence is not None
            operation, margin = asked[int(assumption.confidence)]
            given = edits.confidence(operation, margin)
            if given is not None:
                yield Row(operation, margin, given, is_right)


def _is_right(meant: FactSets, whole: FactSets, without: FactSets) -> bool:
    for kind in (0, 1):
        if whole[kind] != without[kind]:
            is_nearer = f1(meant[kind], whole[kind]) > f1(meant[kind], without[kind])
            return is_nearer and not whole[kind] - without[kind] - meant[kind]
    return whole.plain == meant.plain


def _facts(text: str, found: Iterable[SourceEdit]) -> FactSets:
    pieces, place = [], 0
    for edit in found:
        pieces += [text[place : edit.begin], edit.instead]
        place = edit.end
    return facts(_DRAFT.parse("".join([*pieces, text[place:]]).encode("utf-8", "surrogatepass")))


# What follows from them ---------------------------------------------------------------------------------------------


def table(found: list[Row]) -> Iterator[str]:
    """Yield the lines of a table: how many assumptions of each confidence are right."""
    yield "| confidence | assumptions | mean | right |"
    yield "|---|---:|---:|---:|"
    for low, high in pairwise(_LIMITS):
        rows_ = [row for row in found if low <= row.confidence < high]
        if rows_:
            mean, right = (fmean(getattr(row, name) for row in rows_) for name in ("confidence", "is_right"))
            yield f"| {low:.2f} to {high - 0.01:.2f} | {len(rows_):,} | {mean:.2f} | {right:.2f} |"


def calibration_error(found: list[Row]) -> float:
    """The mean distance of confidence and share of right ones, in ten bins of equal width."""
    bins: defaultdict[int, list[Row]] = defaultdict(list)
    for row in found:
        bins[min(int(10 * row.confidence), 9)].append(row)
    return sum(abs(sum(row.confidence - row.is_right for row in rows_)) for rows_ in bins.values()) / len(found)


def fit(found: list[Row]) -> dict[str, int]:
    """Return the odds under which the assumptions are likeliest, those of single operations rather small."""
    odds: defaultdict[str, float] = defaultdict(float)
    of: dict[str, list[Row]] = {"": found, "margin": found}
    for row in found:
        of.setdefault(row.operation, []).append(row)
    for _ in range(60):  # Newton's method for one of them after the other
        for name, rows_ in of.items():
            slope, curve = 0.0, 1e-6
            for row in rows_:
                thousands = row.margin / 1000
                likely = 1 / (1 + math.exp(-odds[""] - odds["margin"] * thousands - odds[row.operation]))
                factor = thousands if name == "margin" else 1.0
                slope += row.weight * factor * (row.is_right - likely)
                curve += row.weight * factor * factor * likely * (1 - likely)
            if rows_ is not found:
                slope, curve = slope - _RIDGE * odds[name], curve + _RIDGE
            odds[name] += slope / curve
    return {name: 10 * round(100 * value) for name, value in odds.items()}


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tuning", action="store_true", help="the seeds for tuning")
    parser.add_argument("--seeds", type=int, default=3, help="how many (default: 3)")
    parser.add_argument("--cases", type=Path, help="a file of further documents")
    parser.add_argument("--fit", action="store_true", help="print the odds")
    parser.add_argument("--write", action="store_true", help="replace the table of the page")
    arguments = parser.parse_args()
    try:
        found = list(rows((TUNING_SEEDS if arguments.tuning else REPORTING_SEEDS)[: arguments.seeds]))
    except Unavailable as error:
        print(f"skipped: {error}")
        return 77
    if arguments.cases:
        found += rows_of_cases(arguments.cases)
    error = f"Of {len(found):,} assumptions, the expected calibration error is {calibration_error(found):.3f}."
    lines = "\n".join([*table(found), "", error])
    print(lines)
    if arguments.fit:
        odds = sorted(fit(found).items(), key=lambda item: (item[0] not in ("", "margin"), item[1]))
        print(json.dumps({name: value for name, value in odds if abs(value) >= _LEAST or name in ("", "margin")}))
    if arguments.write:
        write_part(PAGE, BEGIN, END, f"\n{lines}\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
