"""`xml5tree report`: a page with document and repair side by side."""

import base64
import hashlib
import sys
from collections.abc import Iterable, Iterator
from html import escape
from importlib.resources import files
from itertools import chain, islice
from pathlib import Path
from typing import Final

import click

import xml5tree
from xml5tree.cli.examples import carry_out
from xml5tree.cli.findings import Findings, examine
from xml5tree.cli.jobs import Jobs, for_each
from xml5tree.cli.reading import reading_options, strictly
from xml5tree.cli.rendering import number_of, printable, repair_in
from xml5tree.cli.replacement import Replacement
from xml5tree.cli.segments import segments
from xml5tree.cli.sidebyside import Gap, LinePair, Span, aligned, rows_of
from xml5tree.cli.sources import InputDocument, complain, expand, file_argument
from xml5tree.cli.status import OK, SERIOUS
from xml5tree.dialects import find_dialect
from xml5tree.errors.codes import KEPT, LOST
from xml5tree.errors.explanations import explanations, literal_or_text
from xml5tree.errors.faults import Fault
from xml5tree.options import Options

__all__ = ["report"]

#: Errors that are marked, and characters of the page that show the document, unless all are asked for. A browser shows
#: such a page within a second.
_SHOWN: Final = 1000
_ROOM: Final = 3_000_000
#: Documents up to this number of lines are shown whole, if no more parts of lines than that have rows of their own.
_WHOLE: Final = 1500
_WHOLE_PARTS: Final = 100
#: Rows that the browser lays out, or leaves alone while they are out of sight, together.
_CHUNK: Final = 40
#: Characters of a text that are shown where it goes on without a difference, and where it is one.
_EQUAL_SHOWN: Final = 240
_CHANGED_SHOWN: Final = 1000
_PLACES_SHOWN: Final = 12


@click.command(short_help="Make a page that shows a document and its repair.")
@file_argument
@click.option(
    "-o", "--output", metavar="OUT", default="report.html", show_default=True, help="The page; - is standard output."
)
@click.option(
    "--max-errors",
    type=click.IntRange(min=0),
    default=_SHOWN,
    show_default=True,
    metavar="N",
    help="Show the document up to this number of errors, and no more than a browser shows at once; 0 shows all.",
)
@reading_options(html_lacks="cannot be repaired")
def report(file: str, output: str, max_errors: int, reading: Options) -> int:
    """Make an HTML page: the document on the left, the repaired one on the right, every repair marked and explained.

    The page is one file that needs no network. Of a long document it has what is around the errors.
    """
    sources = list(expand([file]))
    if len(sources) > 1:
        raise click.UsageError(f"{file!r} is {len(sources)} files; a report is about one.")

    if sources[0].is_at(Path(output)):
        raise click.UsageError("The output is the file itself.")

    def make(source: InputDocument, reading: Options) -> int:
        # One more, whose place is the end of the part that is shown.
        limit = max_errors + 1 if max_errors else None
        found = examine(source, max_errors=limit, reading=reading)
        page = _page(found, source, reading, max_errors or None)
        if output == "-":
            for part in page:
                sys.stdout.write(part)
            return OK if found.severity.has_tree else SERIOUS
        with Replacement(Path(output)) as replacement:
            for part in page:
                replacement.write(part.encode())
            replacement.commit()
        complain(source, "; ".join([number_of(found.number, "error"), f"see {output}", *replacement.remarks]))
        return OK if found.severity.has_tree else SERIOUS

    return for_each(sources, strictly(make, reading), Jobs())


def _page(found: Findings, source: InputDocument, reading: Options, max_errors: int | None) -> Iterator[str]:
    # The page shows the document up to `max_errors` errors, all of it for None.
    rows = _rows(found, source, reading)
    body = _Body(rows, found.faults[:max_errors], room=None if max_errors is None else _ROOM)
    shown: Iterable[str] = body.parts()
    if max_errors is not None:
        shown = list(shown)  # as what comes before says how much is shown
    style, script = _asset("report.css"), _asset("report.js")
    grade = "bad" if found.problem else ("good", "mended", "bad")[found.status]
    policy = f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:"
    yield f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">
<title>{escape(found.name)}: {number_of(found.number, "error")}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<a class="skip" href="#document">Skip to the document</a>
<header>
<h1>{escape(found.name)}</h1>
<p class="verdict {grade}">{_verdict(found, body)}</p>
</header>
"""
    if found.number:
        yield from _summary(found)
        yield from _toolbar(found)
    yield '<main id="document" tabindex="-1">\n<div class="titles" aria-hidden="true">'
    yield "<span>Document</span><span>Repaired</span></div>\n"
    yield from shown
    yield "</main>\n"
    if found.number:
        yield from _explanations(found, body.marked)
    yield f"<footer>Made by xml5tree {xml5tree.__version__}.</footer>\n<script>{script}</script>\n</body>\n</html>\n"


class _Body:
    """The rows of the page; `marked` are the errors with a mark so far, `is_cut` says whether there are others."""

    def __init__(self, rows: Iterable[LinePair | Gap], entries: list[Fault], *, room: int | None) -> None:
        """Show rows until an error comes that is not in `entries`, or they have more than `room` characters."""
        self.marked: list[Fault] = []
        self.is_cut = False
        self._rows = iter(rows)
        self._entries = entries
        self._room = float("inf") if room is None else room

    def parts(self) -> Iterator[str]:
        rows = self._shown_rows()
        while chunk := list(islice(rows, _CHUNK)):
            yield "".join(['<div class="chunk">\n', *chunk, "</div>\n"])
        if self.is_cut:
            yield '<p class="gap">The rest is not shown; <code>--max-errors 0</code> shows all of it.</p>\n'

    def _shown_rows(self) -> Iterator[str]:
        entries = self._entries
        for row in self._rows:
            numbers = row.errors if isinstance(row, LinePair) else []
            shown = _shown(row, entries)
            self._room -= len(shown)
            if (numbers and numbers[0] >= len(entries)) or (self._room < 0 and self.marked):
                self.is_cut = True
                return
            self.marked += entries[numbers[0] : numbers[-1] + 1] if numbers else []
            yield shown
            if numbers and numbers[-1] >= len(entries):
                self.is_cut = True
                return


def _asset(name: str) -> str:
    return (files("xml5tree.cli") / name).read_text("utf-8")


def _hash(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


def _rows(found: Findings, source: InputDocument, reading: Options) -> Iterator[LinePair | Gap]:
    """Return the rows of a document: all, or those around changes if there are many."""
    rows = rows_of(segments(source.blocks, reading), found.faults)
    first = list(islice(rows, _WHOLE + 1))
    parts_of_lines = sum(row.line is None and row.new_line is None for row in first)
    is_short = len(first) <= _WHOLE and parts_of_lines <= _WHOLE_PARTS
    return iter(first) if is_short else aligned(chain(first, rows))


def _verdict(found: Findings, body: _Body) -> str:
    damage = f" {_text(found.problem.capitalize())}." if found.problem else ""
    if not found.number:
        return f"Well-formed: there is nothing to repair.{damage}"
    parts = [f"<strong>{number_of(found.number, 'error')}.</strong>"]
    if not found.severity.has_tree:
        reason = "This is no XML" if "not-xml" in found.counts else "There is no start tag"
        parts.append(f"{reason}, so there is no tree.")
    else:
        parts.append(f"Repaired; content is {found.severity.effect}.")
    if found.severity.truncated:
        parts.append("The document is cut off.")
    if body.is_cut:
        parts.append(f"The first {len(body.marked):,} are marked.")
    return " ".join(parts) + damage


def _summary(found: Findings) -> Iterator[str]:
    yield '<section class="summary" aria-labelledby="codes">\n<h2 id="codes">What is wrong</h2>\n<ul class="codes">\n'
    for code, count in found.fault_counts.most_common():
        effect = found.fault_effects[code]
        shown = f' <em class="{effect}">content is {effect}</em>' if effect != KEPT else ""
        yield f'<li><span class="count">{count:,}</span> <a href="#why-{code}">{code}</a>{shown}</li>\n'
    yield "</ul>\n</section>\n"


def _toolbar(found: Findings) -> Iterator[str]:
    # The script makes the buttons work, and shows them.
    yield '<nav class="toolbar" aria-label="Errors" hidden>\n'
    yield '<label>Errors <select id="code"><option value="">of all codes</option>'
    for code, count in found.fault_counts.most_common():
        yield f'<option value="{code}">{code} ({count:,})</option>'
    yield '</select></label>\n<button type="button" id="previous" title="Key: p">Previous</button>\n'
    yield '<button type="button" id="next" title="Key: n">Next</button>\n<output id="position"></output>\n</nav>\n'


def _explanations(found: Findings, marked: list[Fault]) -> Iterator[str]:
    links: dict[str, list[str]] = {code: [] for code, _ in found.fault_counts.most_common()}
    for number, fault in enumerate(marked):
        links[fault.code].append(f'<a href="#e{number}">{fault.line}:{fault.column + 1}</a>')
    yield '<section class="explanations" aria-labelledby="why">\n<h2 id="why">What the codes mean</h2>\n'
    dialect = find_dialect(found.dialect)
    for code, places in links.items():
        explanation = explanations()[code]
        markup = None if dialect.refuses(code) else carry_out(explanation)[0]
        becomes = "no tree" if markup is None else f"<code>{_text(literal_or_text(markup))}</code>"
        shown = places[:_PLACES_SHOWN]
        more = found.fault_counts[code] - len(shown)
        where = ", ".join(shown) or "only in what is not shown"
        yield (
            f'<article id="why-{code}" tabindex="-1">\n<h3>{code}</h3>\n'
            f"<p>{_prose(f'{explanation.meaning} {repair_in(dialect, code)}'.rstrip())}</p>\n"
            f'<p class="example"><code>{_text(literal_or_text(explanation.document))}</code> becomes {becomes}</p>\n'
            f'<p class="places">Line and column: {where}{f" and {more:,} more" if more and shown else ""}</p>\n'
            "</article>\n"
        )
    yield "</section>\n"


def _text(text: str) -> str:
    return escape(printable(text))


def _prose(text: str) -> str:
    """Return a sentence with code in backquotes as HTML."""
    return "".join(
        f"<code>{_text(part)}</code>" if index % 2 else _text(part) for index, part in enumerate(text.split("`"))
    )


def _shade(fault: Fault) -> str:
    """Return the class that colours an error by which content is lost, or something is assumed."""
    if fault.effect == LOST:
        return " lost"
    return " assumed" if fault.code.startswith("assumed-") else ""


def _shown(row: LinePair | Gap, entries: list[Fault]) -> str:
    """Return a row as HTML; errors that are not in `entries` have neither marks nor notes."""
    if isinstance(row, Gap):
        return f'<p class="gap">{number_of(row.lines, "line")} without errors</p>\n'
    notes = "".join(
        f'<li><a class="code{_shade(entries[number])}" href="#why-{entries[number].code}">'
        f"{entries[number].code}</a>: {_text(_shortened(entries[number].message, _CHANGED_SHOWN))}</li>"
        for number in row.errors
        if number < len(entries)
    )
    changed = " changed" if row.changed else ""
    return (
        f'<div class="row{changed}">{_side("old", row.line, row.before, entries)}'
        f"{_side('new', row.new_line, row.after, entries)}"
        + (f'<ul class="notes">{notes}</ul>' if notes else "")
        + "</div>\n"
    )


def _side(kind: str, line: int | None, spans: list[Span] | None, entries: list[Fault]) -> str:
    if spans is None:
        return f'<div class="{kind} none"></div>'
    label = "" if line is None else f"{line}"
    content = "".join(_span(span, entries, mark=kind == "old") for span in spans)
    return f'<div class="{kind}"><span class="line">{label}</span><code>{content}</code></div>'


def _span(span: Span, entries: list[Fault], *, mark: bool) -> str:
    """Return a part of a line as HTML; `mark` where errors are, else where they are repaired."""
    text = _text(_shortened(span.text, _CHANGED_SHOWN if span.changed else _EQUAL_SHOWN))
    errors = [number for number in span.errors if number < len(entries)]
    if mark and errors:
        # Each error can be gone to; the last one's mark has the text.
        *others, last = errors
        targets = "".join(
            f'<a class="mark" id="e{number}" href="#why-{entries[number].code}"></a>' for number in others
        )
        return f'{targets}<a class="mark" id="e{last}" href="#why-{entries[last].code}">{text}</a>'
    if not span.changed:
        return text
    tag = "del" if mark else "ins"
    if not errors:
        return f"<{tag}>{text}</{tag}>"
    return f'<{tag}><a href="#why-{entries[errors[0]].code}">{text}</a></{tag}>'


def _shortened(text: str, room: int) -> str:
    if len(text) <= room:
        return text
    return f"{text[: room // 2]} … {len(text) - room // 2 * 2:,} characters … {text[-(room // 2) :]}"
