"""The results of compat/recovery.py as tables and pages."""

from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from recovery_documents import FAMILIES, LONG
from recovery_faults import FAULTS, GROUPS
from recovery_kinds import ALL_FAULTS, FREQUENCIES
from recovery_mutations import MUTATION_GROUPS
from recovery_parsers import DRAFT, FEED_PARSERS, INTENT, PARSERS
from recovery_plot import GROUPS_OF_MEASURES, file_name
from recovery_real import REAL_GROUPS
from recovery_shapes import SHAPES

__all__ = ["LISTED", "PAGES", "Reasons", "entry", "fill_pages", "page", "read_reasons", "table"]

Reasons = dict[str, tuple[list[str], str]]
"""By fault: the parsers that are ahead, and why."""

_GENERAL: Final = [parser.name for parser in PARSERS]
_FOR_FEEDS: Final = [parser.name for parser in FEED_PARSERS]
_TITLES: Final = {
    "faults": "named faults",
    "shapes": "named faults, documents of other shapes",
    "unseen": "unseen faults, documents of other shapes",
    "real": "faults of real documents",
    "many": "many faults, long documents",
}
#: By policy: the measures in which the parsers that are ahead are listed.
LISTED: Final = {"draft": ("faults",), "intent": ("faults", "unseen", "real", "many")}
_BEGIN: Final = "<!-- {}: written by compat/recovery.py -->"
_END: Final = "<!-- end of {} -->"
#: In long documents with many faults, kinds of which the default keeps as much are not worth a row.
_NEARLY_ALL: Final = 0.995
_NOT_MEASURED: Final = "Not measured yet."


def read_reasons(path: Path) -> Reasons:
    """The list of faults where another parser is ahead: lines of `fault | parsers | reason`."""
    lines = [line for line in path.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    rows = [[cell.strip() for cell in line.split("|")] for line in lines]
    return {fault: (parsers.split(", "), reason) for fault, parsers, reason in rows}


def entry(measure_name: str, fault: str) -> str:
    """What a fault is called in the lists: most are in one of the measures, and in that of many faults once more."""
    return f"{fault} (many)" if measure_name == "many" else fault


def table(fault: str, summary: dict[str, Any]) -> str:
    """One fault in one line, for the terminal."""
    cells = [f"{name} {_cell(values)}" for name, values in summary["f1"].items()]
    return f"{fault}: {', '.join(cells)}"


# Pages --------------------------------------------------------------------------------------------------------------


def fill_pages(folder: Path, results: dict[str, Any], reasons: dict[str, Reasons]) -> None:
    """Write the results into the pages."""
    for name in PAGES:
        path = folder / name
        path.write_text(page(name, path.read_text("utf-8"), results, reasons), "utf-8")


def page(name: str, old: str, results: dict[str, Any], reasons: dict[str, Reasons]) -> str:
    """A page with its generated parts replaced."""
    for part, make in PAGES[name].items():
        begin, end = _BEGIN.format(part), _END.format(part)
        before, found, rest = old.partition(begin)
        _, found_end, after = rest.partition(end)
        if not found or not found_end:
            raise ValueError(f"{name} has no place for its {part}")
        lines = "\n".join(make(results, reasons)).strip("\n")
        old = f"{before}{begin}\n\n{lines}\n\n{end}{after}"
    return old


def _cell(values: list[float]) -> str:
    value, low, high = values
    return f"{value:.3f} ± {(high - low) / 2:.3f}" if low < high else f"{value:.3g}"


def _table(heads: list[str], rows: Iterator[list[str]]) -> Iterator[str]:
    """A table: the first column is text, all others are numbers."""
    yield f"| {' | '.join(heads)} |"
    yield "|---|" + "---:|" * (len(heads) - 1)
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _run(results: dict[str, Any], reasons: dict[str, Reasons]) -> Iterator[str]:
    for name, measure in results["measures"].items():
        count = sum(result["documents"] for result in measure["faults"].values())
        yield f"* {_TITLES[name]}: {len(measure['faults'])} kinds, {measure['seeds']} seeds, {count} broken documents"
    yield ""
    yield "Versions: " + ", ".join(f"{name} {version}" for name, version in results["versions"].items()) + "."
    yield ""
    yield "The documents that are not made by the program are cut out of " + ", ".join(results["sources"]) + "."
    yield ""
    yield "| family | documents |\n|---|---|"
    for family, names in results["families"].items():
        yield f"| {family} | {', '.join(names)} |"
    yield ""
    yield "Left out, with the parsers that lose something of them as they are: " + ", ".join(results["left out"]) + "."


def _summary(results: dict[str, Any], reasons: dict[str, Reasons]) -> Iterator[str]:
    measure = results["measures"]["faults"]
    heads = [
        "parser",
        "no fault",
        "F1, mean of the named faults",
        "kinds where no other is better",
        "found nothing in",
    ]
    yield from _table(heads, _summary_rows(measure, [name for name in _GENERAL if name in measure["overall"]]))


def _summary_rows(measure: dict[str, Any], names: list[str]) -> Iterator[list[str]]:
    for name in names:
        rows = [result for result in measure["faults"].values() if name in result["f1"]]
        nothing = sum(row["nothing"][name] for row in rows)
        documents = sum(row["documents"] for row in rows)
        best = sum(name in row["behind none"] for row in rows)
        unbroken = f"{measure['without faults'][name]:.3g}"
        yield [name, unbroken, _cell(measure["overall"][name]), str(best), f"{nothing} of {documents}"]


def _measures(results: dict[str, Any], reasons: dict[str, Reasons]) -> Iterator[str]:
    measures = results["measures"]
    heads = ["parser"]
    for name in measures:
        heads += [_TITLES[name], "numbered"]
    names = [name for name in _GENERAL if name in measures["faults"]["overall"]]
    cells = (
        [parser, *(f"{measures[name][kind][parser][0]:.3f}" for name in measures for kind in ("overall", "numbered"))]
        for parser in names
    )
    yield from _table(heads, cells)


def _shapes(results: dict[str, Any], reasons: dict[str, Reasons]) -> Iterator[str]:
    for measure_name in ("shapes", "unseen", "real", "many"):
        if measure_name not in results["measures"]:
            continue
        by_family = results["measures"][measure_name]["by family"]
        names = [name for name in _GENERAL if any(name in means for means in by_family.values())]
        yield f"{_TITLES[measure_name].capitalize()}:\n"
        rows = (
            [family, *_best_bold([by_family[family][name] for name in names])]
            for family in (*FAMILIES, *SHAPES, *LONG)
            if family in by_family
        )
        yield from _table(["shape", *names], rows)
        yield ""


def _best_bold(values: list[float]) -> Iterator[str]:
    best = max(values)
    for value in values:
        yield f"**{value:.3f}**" if value == best else f"{value:.3f}"


def _tables(measure_name: str, groups: tuple[str, ...]) -> Callable[..., Iterator[str]]:
    def make(results: dict[str, Any], reasons: dict[str, Reasons]) -> Iterator[str]:
        measure = results["measures"][measure_name]
        names = [name for name in _GENERAL if name in measure["overall"]]
        both = DRAFT in names and INTENT in names
        for group in groups:
            yield f"### {group}\n\n![F1 by fault and parser: {group}]({file_name(group)})\n"
            found = [fault.name for fault in ALL_FAULTS if fault.group == group and fault.name in measure["faults"]]
            yield from _fault_table({fault: measure["faults"][fault] for fault in found}, names, both)
            yield ""

    return make


def _many(results: dict[str, Any], reasons: dict[str, Reasons]) -> Iterator[str]:
    measure = results["measures"].get("many")
    if measure is None:
        yield _NOT_MEASURED
        return
    names = [name for name in _GENERAL if name in measure["overall"]]
    both = DRAFT in names and INTENT in names
    faults = measure["faults"]
    shown = {fault: found for fault, found in faults.items() if found["f1"].get(INTENT, [0.0])[0] < _NEARLY_ALL}
    yield from _fault_table(shown, names, both)
    yield f"\nIn the other {len(faults) - len(shown)} kinds, {INTENT} keeps at least {_NEARLY_ALL}."


def _fault_table(faults: dict[str, Any], names: list[str], both: bool) -> Iterator[str]:
    heads = ["fault", *names, *(["better", "worse"] if both else [])]
    yield from _table(heads, (_row(fault, result, names, both) for fault, result in faults.items()))


def _row(fault: str, result: dict[str, Any], names: list[str], both: bool) -> list[str]:
    cells = _best_bold([result["f1"][name][0] for name in names if name in result["f1"]])
    return [fault, *cells, *([str(result["better"]), str(result["worse"])] if both else [])]


def _feeds(results: dict[str, Any], reasons: dict[str, Reasons]) -> Iterator[str]:
    for measure_name in ("faults", "unseen"):
        measure = results["measures"][measure_name]
        names = [name for name in _FOR_FEEDS if name in measure["overall"]]
        if not names:
            continue
        yield f"{_TITLES[measure_name].partition(',')[0].capitalize()}:\n"
        whole = [fault for fault, result in measure["faults"].items() if _is_whole(result, names)]
        mean = ["**mean of all faults**", *(_cell(measure["overall"][name]) for name in names)]
        rows = [
            [fault, *_best_bold([result["f1"][name][0] for name in names])]
            for fault, result in measure["faults"].items()
            if fault not in whole
        ]
        yield from _table(["fault", *names], iter([mean, *rows]))
        yield f"\nNothing is lost by any of them to {len(whole)} kinds: {', '.join(whole)}.\n"


def _is_whole(result: dict[str, Any], names: list[str]) -> bool:
    return all(result["f1"][name][0] == 1 for name in names if name in result["f1"])


def _reasons(policy: str) -> Callable[..., Iterator[str]]:
    def make(results: dict[str, Any], reasons: dict[str, Reasons]) -> Iterator[str]:
        ours = {parser.name for parser in (*PARSERS, *FEED_PARSERS) if parser.policy == policy}
        faults = {
            entry(name, fault): found
            for name in LISTED[policy]
            for fault, found in results["measures"].get(name, {"faults": {}})["faults"].items()
        }
        if not ours & faults[FAULTS[0].name]["f1"].keys():
            yield _NOT_MEASURED
            return
        yield "| fault | ahead, and by how much | why, and what would be needed |\n|---|---|---|"
        for fault, (names, reason) in reasons[policy].items():
            leads = faults[fault]["ahead"]
            cells = [
                f"{peer} {-min(leads[name][peer][0] for name in leads if name in ours and peer in leads[name]):.3f}"
                for peer in names
            ]
            yield f"| {fault} | {', '.join(cells)} | {reason} |"

    return make


def _worst(results: dict[str, Any], reasons: dict[str, Reasons]) -> Iterator[str]:
    rows = [
        [_TITLES[name], row["fault"], row["family"], row["document"], *(str(row[key]) for key in _WORST_NUMBERS)]
        for name, measure in results["measures"].items()
        for row in measure["worst"]
    ]
    if rows:
        yield "| measure | fault | family | document | seed | draft | intent |\n|---|---|---|---|---:|---:|---:|"
        yield from (f"| {' | '.join(row)} |" for row in rows)
    else:
        yield _NOT_MEASURED


def _groups(results: dict[str, Any], reasons: dict[str, Reasons]) -> Iterator[str]:
    measures = results["measures"]
    names = [name for name in _GENERAL if name in measures["faults"]["overall"]]
    rows = (
        [group, *_best_bold([_group_mean(measures[measure_name], group, name) for name in names])]
        for measure_name, groups in GROUPS_OF_MEASURES.items()
        for group in groups
    )
    yield from _table(["group of faults", *names], rows)


def _weighted(results: dict[str, Any], reasons: dict[str, Reasons]) -> Iterator[str]:
    """Write the mean of each kind of fault, and the mean of all kinds weighted by how often they are met."""
    measures = [results["measures"][name] for name in GROUPS_OF_MEASURES]
    names = [name for name in _GENERAL if name in measures[0]["overall"]]
    found = {fault: result["f1"] for measure in measures for fault, result in measure["faults"].items()}
    means = {
        kind: [fmean(found[fault][name][0] for fault in faults) for name in names]
        for kind, (_, faults) in FREQUENCIES.items()
    }
    files = sum(count for count, _ in FREQUENCIES.values())
    weighted = [
        sum(count * means[kind][column] for kind, (count, _) in FREQUENCIES.items()) / files
        for column in range(len(names))
    ]
    unweighted = [fmean(found[fault][name][0] for fault in found) for name in names]
    rows = [[kind, str(count), *_best_bold(means[kind])] for kind, (count, _) in FREQUENCIES.items()]
    rows.append(["mean, weighted by files", "", *_best_bold(weighted)])
    rows.append([f"mean of all {len(found)} faults alike", "", *_best_bold(unweighted)])
    yield from _table(["kind", "files", *names], iter(rows))


def _group_mean(measure: dict[str, Any], group: str, name: str) -> float:
    faults = [fault.name for fault in ALL_FAULTS if fault.group == group and fault.name in measure["faults"]]
    return fmean(measure["faults"][fault]["f1"][name][0] for fault in faults)


_WORST_NUMBERS: Final = ("seed", "draft", "intent")

#: By page: its generated parts.
PAGES: Final[dict[str, dict[str, Callable[..., Iterator[str]]]]] = {
    "recovery.md": {
        "summary": _summary,
        "measures": _measures,
        "groups": _groups,
        "weighted": _weighted,
        "shapes": _shapes,
        "run": _run,
    },
    "recovery-details.md": {
        "tables": _tables("faults", GROUPS),
        "unseen tables": _tables("unseen", MUTATION_GROUPS),
        "real tables": _tables("real", REAL_GROUPS),
        "many table": _many,
        "reasons": _reasons("draft"),
        "reasons of intent": _reasons("intent"),
        "feeds": _feeds,
        "worst": _worst,
    },
}
