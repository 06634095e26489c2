"""The results of compat/recovery.py as plots that can be read on a telephone: SVG, 360 pixels wide."""

from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any, Final
from xml.sax.saxutils import escape

from recovery_faults import GROUPS
from recovery_kinds import ALL_FAULTS
from recovery_mutations import MUTATION_GROUPS
from recovery_parsers import DRAFT, INTENT, PARSERS
from recovery_real import REAL_GROUPS

__all__ = ["GROUPS_OF_MEASURES", "draw", "draw_plot", "file_name", "group_means"]

Values = dict[str, list[float]]
"""By parser: its F1, and where there are any, the limits of the confidence interval."""

#: By measure: the groups that its faults are in. Each fault is in one of these measures.
GROUPS_OF_MEASURES: Final = {"faults": GROUPS, "unseen": MUTATION_GROUPS, "real": REAL_GROUPS}
_WIDTH: Final = 360
_LEFT: Final = 14
_RIGHT: Final = 346
_ROW: Final = 34
_LEGEND_ROW: Final = 18
_LEGEND_COLUMNS: Final = 2
_TICKS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
_COLOURS: Final = {
    DRAFT: "#6aa5e8",
    INTENT: "#0b4fb3",
    "lxml": "#d97706",
    "BeautifulSoup": "#b45309",
    "markupever": "#15803d",
    "html5lib": "#6b7280",
}
#: Marks around 0,0. That of markupever is larger than ours, beneath which it is wherever both follow the draft.
_MARKS: Final = {
    DRAFT: "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
    INTENT: "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z",
    "lxml": "M-3.5 -3.5h7v7h-7z",
    "BeautifulSoup": "M0 -4L4 3.5H-4z",
    "markupever": "M0 -6L6 0L0 6L-6 0z",
    "html5lib": "M-4 -3L-3 -4L0 -1L3 -4L4 -3L1 0L4 3L3 4L0 1L-3 4L-4 3L-1 0z",
}


def draw(results: dict[str, Any], folder: Path) -> None:
    """Write a plot of all groups of faults, and one for each group."""
    measures = results["measures"]
    means = {
        group: group_means(measures[name], group) for name, groups in GROUPS_OF_MEASURES.items() for group in groups
    }
    (folder / "recovery.svg").write_text(draw_plot(means), "utf-8")
    for name, groups in GROUPS_OF_MEASURES.items():
        for group in groups:
            rows = {fault: result["f1"] for fault, result in _faults_of(measures[name], group)}
            (folder / file_name(group)).write_text(draw_plot(rows), "utf-8")


def file_name(group: str) -> str:
    """The name of the file with the plot of a group."""
    words = "".join(letter if letter.isalpha() else " " for letter in group).lower().split()
    return f"recovery-{'-'.join(words)}.svg"


def group_means(measure: dict[str, Any], group: str) -> Values:
    """The mean of the faults of a group, for each parser."""
    found = [result["f1"] for _, result in _faults_of(measure, group)]
    return {name: [fmean(f1[name][0] for f1 in found)] for name in (found[0] if found else ()) if name in _MARKS}


def _faults_of(measure: dict[str, Any], group: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for fault in ALL_FAULTS:
        if fault.group == group and fault.name in measure["faults"]:
            yield fault.name, measure["faults"][fault.name]


def draw_plot(rows: dict[str, Values]) -> str:
    """A plot with a row for each name and a mark for each parser."""
    shown = [parser.name for parser in PARSERS if any(parser.name in values for values in rows.values())]
    legend = -(-len(shown) // _LEGEND_COLUMNS) * _LEGEND_ROW
    top = legend + 44
    bottom = top + _ROW * len(rows)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {bottom + 40}" width="{_WIDTH}"'
        f' height="{bottom + 40}" font-family="sans-serif" font-size="12" role="img">',
        "<title>F1 by fault and parser</title>",
        f'<rect width="{_WIDTH}" height="{bottom + 40}" fill="#fff"/>',
        *_legend(shown),
        *_axis(legend + 18, top, bottom),
    ]
    for number, (label, values) in enumerate(rows.items()):
        lines += _row(label, values, shown, top + _ROW * number)
    return "\n".join((*lines, "</svg>", ""))


def _legend(shown: list[str]) -> Iterator[str]:
    for number, name in enumerate(shown):
        x = _LEFT + 6 + number % _LEGEND_COLUMNS * (_WIDTH // _LEGEND_COLUMNS)
        y = 14 + number // _LEGEND_COLUMNS * _LEGEND_ROW
        yield _mark(name, x, y)
        yield f'<text x="{x + 10}" y="{y + 4}" fill="#111">{escape(name)}</text>'


def _axis(label: int, top: int, bottom: int) -> Iterator[str]:
    """The axis above and below the rows, with its label, and lines through all of them."""
    for y in (label, bottom + 34):
        yield f'<text x="{_WIDTH // 2}" y="{y}" text-anchor="middle" fill="#111">F1: 1 = all kept, 0 = nothing</text>'
    for tick in _TICKS:
        x = _x(tick)
        yield f'<path d="M{x} {top - 6}V{bottom}" stroke="#e2e2e2"/>'
        anchor = "start" if tick == 0 else "end" if tick == 1 else "middle"
        for y in (top - 10, bottom + 16):
            yield f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-size="11" fill="#555">{tick:g}</text>'


def _row(label: str, values: Values, shown: list[str], y: int) -> Iterator[str]:
    """The name of the row, and under it a line with the marks; ours come last, so that nothing hides them."""
    strip = y + 23
    # A white edge around the letters keeps them readable where the lines of the ticks cross them.
    edge = 'stroke="#fff" stroke-width="3" paint-order="stroke"'
    yield f'<text x="{_LEFT}" y="{y + 12}" fill="#111" {edge}>{escape(label.replace("`", ""))}</text>'
    yield f'<path d="M{_LEFT} {strip}H{_RIGHT}" stroke="#bbb"/>'
    for name in sorted((name for name in shown if name in values), key=(DRAFT, INTENT).__contains__):
        mean, *limits = values[name]
        if limits and limits[0] < limits[1]:
            line = f"M{_x(limits[0])} {strip}H{_x(limits[1])}"
            yield f'<path d="{line}" stroke="{_COLOURS[name]}" stroke-width="2" opacity="0.5"/>'
        yield _mark(name, _x(mean), strip)


def _mark(name: str, x: float, y: float) -> str:
    return (
        f'<path transform="translate({x} {y})" d="{_MARKS[name]}" fill="{_COLOURS[name]}" stroke="#fff"'
        ' stroke-width="0.7"/>'
    )


def _x(value: float) -> float:
    return round(_LEFT + value * (_RIGHT - _LEFT), 1)
