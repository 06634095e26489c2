"""The results of compat/recovery.py as tables, a page and a plot."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from recovery_faults import FAULTS, GROUPS
from recovery_parsers import FEED_PARSERS, OURS, PARSERS

__all__ = ["page", "plot", "read_reasons", "table"]

Reasons = dict[str, tuple[list[str], str]]
"""By fault: the parsers that are ahead, and why."""

_GENERAL: Final = [parser.name for parser in PARSERS]
_ALL: Final = _GENERAL + [parser.name for parser in FEED_PARSERS]
_BEGIN: Final = "<!-- {}: written by compat/recovery.py -->"
_END: Final = "<!-- end of {} -->"
_LONGEST_OUTPUT: Final = 420


def read_reasons(path: Path) -> Reasons:
    """The list of faults where another parser is ahead: lines of `fault | parsers | reason`."""
    lines = [line for line in path.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    rows = [[cell.strip() for cell in line.split("|")] for line in lines]
    return {fault: (parsers.split(", "), reason) for fault, parsers, reason in rows}


def table(fault: str, summary: dict[str, Any]) -> str:
    """One fault in one line, for the terminal."""
    cells = [f"{name} {_cell(values)}" for name, values in summary["f1"].items()]
    return f"{fault}: {', '.join(cells)}"


def page(old: str, results: dict[str, Any], reasons: Reasons) -> str:
    """The page with its generated parts replaced."""
    parts = {
        "run": _run(results),
        "summary": _summary(results),
        "tables": _tables(results),
        "reasons": _reasons(results, reasons),
        "examples": _examples(results),
    }
    for name, lines in parts.items():
        begin, end = _BEGIN.format(name), _END.format(name)
        before, found, rest = old.partition(begin)
        _, found_end, after = rest.partition(end)
        if not found or not found_end:
            raise ValueError(f"the page has no place for its {name}")
        old = before + begin + "\n\n" + "\n".join(lines) + "\n\n" + end + after
    return old


def _cell(values: list[float]) -> str:
    value, low, high = values
    return f"{value:.3f} ± {(high - low) / 2:.3f}" if low < high else f"{value:.3g}"


def _run(results: dict[str, Any]) -> Iterator[str]:
    count = sum(result["documents"] for result in results["faults"].values())
    yield f"{len(results['faults'])} kinds of fault, {results['seeds']} seeds, {count} broken documents."
    yield "Versions: " + ", ".join(f"{name} {version}" for name, version in results["versions"].items()) + "."
    yield ""
    yield "The documents are cut out of " + ", ".join(results["sources"]) + "."
    yield ""
    yield "| family | documents |\n|---|---|"
    for family, names in results["families"].items():
        yield f"| {family} | {', '.join(names)} |"
    yield ""
    yield "Left out, with the parsers that lose something of them as they are: " + ", ".join(results["left out"]) + "."


def _summary(results: dict[str, Any]) -> Iterator[str]:
    yield "| parser | no fault | F1, mean of all faults | faults where it is behind none | found nothing in |"
    yield "|---|---:|---:|---:|---:|"
    for name in _ALL:
        rows = [result for result in results["faults"].values() if name in result["f1"]]
        nothing = sum(row["nothing"][name] for row in rows)
        documents = sum(row["documents"] if name in _GENERAL else results["seeds"] for row in rows)
        best = sum(name in row["behind none"] for row in rows) if name in _GENERAL else ""
        label = f"{name} (feeds only)" if name not in _GENERAL else name
        unbroken = f"{results['without faults'][name]:.3g}"
        yield f"| {label} | {unbroken} | {_cell(results['overall'][name])} | {best} | {nothing} of {documents} |"


def _tables(results: dict[str, Any]) -> Iterator[str]:
    for group in GROUPS:
        yield f"### {group}\n"
        yield "| fault | " + " | ".join(_ALL) + " |"
        yield "|---|" + "---:|" * len(_ALL)
        for fault in FAULTS:
            if fault.group == group and fault.name in results["faults"]:
                yield _row(fault.name, results["faults"][fault.name])
        yield ""


def _row(fault: str, result: dict[str, Any]) -> str:
    best = max(result["f1"][name][0] for name in _GENERAL)
    cells = []
    for name in _ALL:
        values = result["f1"].get(name)
        cell = _cell(values) if values else ""
        cells.append(f"**{cell}**" if values and name in _GENERAL and values[0] == best else cell)
    return f"| {fault} | " + " | ".join(cells) + " |"


def _reasons(results: dict[str, Any], reasons: Reasons) -> Iterator[str]:
    yield "| fault | ahead, and by how much | why, and what would be needed |\n|---|---|---|"
    for fault, (names, reason) in reasons.items():
        values = (results["faults"][fault]["ahead"].get(name) for name in names)
        cells = [f"{name} {-value[0]:.3f}" for name, value in zip(names, values, strict=True) if value]
        yield f"| {fault} | {', '.join(cells)} | {reason} |"


def _examples(results: dict[str, Any]) -> Iterator[str]:
    for group in GROUPS:
        yield f"### Examples: {group}\n"
        for fault in FAULTS:
            found = results["examples"].get(fault.name)
            if fault.group != group or not found:
                continue
            yield f"{fault.name}:\n\n```text\n{_visible(found['broken'])}\n"
            by_output: dict[str, list[str]] = {}
            for name, output in found["outputs"].items():
                by_output.setdefault(output, []).append(name)
            for output, names in by_output.items():
                yield f"{', '.join(names)}:\n  {_visible(output)}"
            yield "```\n"


def _visible(text: str) -> str:
    """Text for one line, with characters that cannot be seen escaped, and cut if it is long."""
    shown = "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in text
    )
    return shown if len(shown) <= _LONGEST_OUTPUT else f"{shown[:_LONGEST_OUTPUT]} …"


def plot(results: dict[str, Any], path: Path) -> None:
    """Draw a row for each fault with a mark for each parser."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams |= {"svg.hashsalt": "xml5tree", "svg.fonttype": "none", "font.size": 8}
    from matplotlib import pyplot

    faults = [fault.name for fault in reversed(FAULTS) if fault.name in results["faults"]]
    figure, axis = pyplot.subplots(figsize=(9, 0.25 * len(faults) + 1.2))
    for number, (name, mark) in enumerate(zip(_GENERAL, "osD^x", strict=True)):
        values = [results["faults"][fault]["f1"][name] for fault in faults]
        errors = [[mean - low for mean, low, _ in values], [high - mean for mean, _, high in values]]
        style = {"color": "tab:blue", "zorder": 3} if name == OURS else {"alpha": 0.6}
        rows = [row + 0.3 - 0.15 * number for row in range(len(faults))]
        axis.errorbar([v[0] for v in values], rows, xerr=errors, fmt=mark, markersize=4, label=name, lw=0.8, **style)
    axis.set_yticks(range(len(faults)), [fault.replace("`", "") for fault in faults])
    axis.set_xlabel("F1, with 95 % confidence intervals")
    axis.set_xlim(-0.02, 1.02)
    axis.margins(y=0.01)
    axis.grid(axis="x", alpha=0.3)
    axis.grid(axis="y", alpha=0.15)
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(loc="upper center", bbox_to_anchor=(0.35, 1.03), ncols=5, frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    pyplot.close(figure)
