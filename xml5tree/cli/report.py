"""`xml5tree report`: a page with document and repair side by side."""

import base64
import hashlib
import sys
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from importlib.resources import files
from itertools import chain, islice
from pathlib import Path
from string import Template
from typing import Any, Final

import click

import xml5tree
from xml5tree.cli.findings import Findings, examine
from xml5tree.cli.jobs import for_each, strictly
from xml5tree.cli.options import DOCUMENTS, codes, command, option, reading
from xml5tree.cli.rendering import printable, repair_in
from xml5tree.cli.replacement import Replacement
from xml5tree.cli.severity import OK, SERIOUS, Severity, worst_first
from xml5tree.cli.sidebyside import Gap, LinePair, Span, aligned, mark_differences, outline, rows_of, segments
from xml5tree.cli.sources import InputDocument, complain
from xml5tree.dialects import find_dialect
from xml5tree.errors.codes import EFFECTS, KEPT, LOST
from xml5tree.errors.explanations import explanations, literal_or_text
from xml5tree.errors.faults import Fault, Tally
from xml5tree.errors.wording import number_of
from xml5tree.options import Options, assuming_nothing

#: Errors that are marked, and characters of the page that show the document, unless all are asked for. A browser shows
#: such a page within a second.
_SHOWN: Final = 1000
_ROOM: Final = 3_000_000
#: Documents up to this number of lines are shown whole, if no more parts of lines than that have rows of their own.
_WHOLE: Final = 1500
_WHOLE_PARTS: Final = 100
#: Rows that the browser lays out, or leaves alone while they are out of sight, together.
_CHUNK: Final = 40
#: Blocks of a document of which trees are shown.
_BLOCKS_OF_TREES: Final = 8
#: Characters of a text that are shown where it goes on without a difference, and where it is one.
_EQUAL_SHOWN: Final = 240
_CHANGED_SHOWN: Final = 1000
_PLACES_SHOWN: Final = 12
#: Of each of several documents: errors that are marked, and characters of the page. And codes that have a column.
_SHOWN_OF_EACH: Final = 20
_ROOM_OF_EACH: Final = 100_000
_COLUMNS: Final = 12
_GAP: Final = '<p class="gap">{} left out</p>\n'


@command(
    "Make a page that shows documents and their repair.",
    DOCUMENTS,
    option(
        *("-o", "--output"),
        metavar="OUT",
        default="report.html",
        show_default=True,
        help="The page; - is standard output.",
    ),
    option(
        "--max-errors",
        type=click.IntRange(min=0),
        metavar="N",
        help="Show each document up to this number of errors, and no more than a browser shows at once; 0 shows all. "
        f"[default: {_SHOWN}; {_SHOWN_OF_EACH} of each of several documents]",
    ),
    codes("--ignore", "Do not show these errors: codes, separated by commas, or patterns such as 'eof-*'."),
    reading(html_lacks="cannot be repaired"),
)
def report(
    sources: list[InputDocument],
    output: str,
    max_errors: int | None,
    ignore: frozenset[str],
    reading: Options,
) -> int:
    """Make an HTML page: the document on the left, the repaired one on the right, every repair marked and explained.

    The page is one file that needs no network. Of a long document it has what is around the errors. Several
    documents have a table of files and errors before them, the worst first.
    """
    if any(source.is_at(Path(output)) for source in sources):
        raise click.UsageError("The output is the file itself.")
    is_one = len(sources) == 1
    most = (_SHOWN if is_one else _SHOWN_OF_EACH) if max_errors is None else max_errors or None
    room = None if max_errors == 0 else _ROOM if is_one else _ROOM_OF_EACH
    parts: list[_Part] = []

    def take(source: InputDocument, reading: Options) -> int:
        found = examine(source, max_errors=most, reading=reading, ignore=ignore)
        part = _Part(found, _rows(found, source, reading), sum(len(part.marked) for part in parts), room)
        if room:  # what comes before says how much is shown
            part.chunks = iter(list(part.chunks))
        parts.append(part)
        if is_one:
            _write(_page(parts, _trees(source, reading)), output, source)
        return OK if found.has_tree else SERIOUS

    status = for_each(sources, strictly(take, reading))
    if not is_one and parts:
        parts.sort(key=lambda part: worst_first(part.found.effect_on_tree, part.found.truncated, part.found.number))
        _write(_page(parts), output, None)
    return status


class _Part:
    """The part of the page that is about one document.

    `chunks` are its rows as HTML, and `marked` the errors that have marks in the rows taken so far.
    """

    def __init__(self, found: Findings, rows: Iterator[LinePair | Gap], first: int, room: int | None) -> None:
        """Show rows of up to `room` characters; `first` is the number that the first error has on the page."""
        self.found = found
        self.first = first
        self.marked: list[Fault] = []
        self.chunks = self._chunks(rows)
        self._room = float("inf") if room is None else room
        self._is_cut = False

    def _chunks(self, rows: Iterator[LinePair | Gap]) -> Iterator[str]:
        shown = self._shown(rows)
        while chunk := list(islice(shown, _CHUNK)):
            yield "".join(['<div class="chunk">\n', *chunk, "</div>\n"])
        if self._is_cut:
            yield '<p class="gap">The rest is not shown; <code>--max-errors 0</code> shows all of it.</p>\n'

    def _shown(self, rows: Iterator[LinePair | Gap]) -> Iterator[str]:
        for row in rows:
            shown = self._row(row) if isinstance(row, LinePair) else _GAP.format(number_of(row.lines, "line"))
            self._room -= len(shown)
            if self._room < 0 and self.marked:
                self._is_cut = True
                return
            if isinstance(row, LinePair) and row.errors:
                self.marked += self.found.faults[row.errors[0] : row.errors[-1] + 1]
            yield shown

    def _row(self, row: LinePair) -> str:
        """Return a row as HTML; errors that are not kept have neither marks nor notes."""
        changed = " changed" if row.changed else ""
        sides = self._side("old", row.line, row.before) + self._side("new", row.new_line, row.after)
        notes = "".join(map(self._note, self._kept(row.errors)))
        listed = f'<ul class="notes">{notes}</ul>' if notes else ""
        return f'<div class="row{changed}">{sides}{listed}</div>\n'

    def _kept(self, numbers: Iterable[int]) -> list[int]:
        return [number for number in numbers if number < len(self.found.faults)]

    def _note(self, number: int) -> str:
        fault = self.found.faults[number]
        message = _text(_shortened(fault.message, _CHANGED_SHOWN))
        sureness = "" if fault.entry.confidence is None else f" (confidence {fault.entry.confidence:.2f})"
        shade = " lost" if fault.effect == LOST else " assumed" if fault.code.startswith("assumed-") else ""
        return f'<li><a class="code{shade}" href="#why-{fault.code}">{fault.code}</a>: {message}{sureness}</li>'

    def _side(self, kind: str, line: int | None, spans: list[Span] | None) -> str:
        if spans is None:
            return f'<div class="{kind} none"></div>'
        label = "" if line is None else f"{line}"
        content = "".join(self._span(span, mark=kind == "old") for span in spans)
        return f'<div class="{kind}"><span class="line">{label}</span><code>{content}</code></div>'

    def _span(self, span: Span, *, mark: bool) -> str:
        """Return a part of a line as HTML; `mark` where errors are, else where they are repaired."""
        text = _text(_shortened(span.text, _CHANGED_SHOWN if span.changed else _EQUAL_SHOWN))
        errors = self._kept(span.errors)
        if mark and errors:
            # Each error can be gone to; the last one's mark has the text.
            marks = [f'<a class="mark" id="e{self.first + number}" {self._link(number)}>' for number in errors]
            return "</a>".join(marks) + f"{text}</a>"
        if not span.changed:
            return text
        tag = "del" if mark else "ins"
        content = f"<a {self._link(errors[0])}>{text}</a>" if errors else text
        return f"<{tag}>{content}</{tag}>"

    def _link(self, number: int) -> str:
        return f'href="#why-{self.found.faults[number].code}"'


def _write(page: Iterator[str], output: str, source: InputDocument | None) -> None:
    if output == "-":
        for part in page:
            sys.stdout.write(part)
        return
    with Replacement(Path(output)) as replacement:
        for part in page:
            replacement.write(part.encode())
        replacement.commit()
    if source is None:
        click.echo("; ".join([f"xml5tree: see {output}", *replacement.remarks]), err=True)
    else:
        number = number_of(source.severity.number, "error")
        complain(source, "; ".join([number, f"see {output}", *replacement.remarks]))


def _page(parts: list[_Part], trees: str = "") -> Iterator[str]:
    style, script = _asset("report.css"), _asset("report.js")
    policy = f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:"
    whole = Severity()
    for part in parts:
        whole.add(part.found)
    tallies = whole.tallies
    title = parts[0].found.name if len(parts) == 1 else number_of(len(parts), "file")
    errors = number_of(whole.number, "error")
    head = Template(_asset("report.html"))
    yield head.substitute(policy=escape(policy), title=escape(title), errors=errors, style=style)
    if len(parts) == 1:
        yield _verdict(parts[0])
    yield "</header>\n"
    if len(parts) > 1:
        yield from _table(parts, [*tallies][:_COLUMNS])
    # The worst first, and of these the most frequent.
    tallies = dict(sorted(tallies.items(), key=lambda item: -EFFECTS.index(item[1].effect)))
    if tallies:
        yield from _summary(tallies)
        yield from _toolbar(tallies)
    yield '<main id="document" tabindex="-1">\n<div class="titles" aria-hidden="true">'
    yield "<span>Document</span><span>Repaired</span></div>\n"
    for number, part in enumerate(parts):
        if len(parts) > 1:
            if not part.found.number and not part.found.problem:
                continue
            yield f'<section id="file-{number}" tabindex="-1">\n<h2 class="file">{escape(part.found.name)}</h2>\n'
            yield _verdict(part)
        yield from part.chunks
        yield "</section>\n" if len(parts) > 1 else ""
    yield f"</main>\n{trees}"
    if tallies:
        yield from _explanations(tallies, parts)
    yield f"<footer>Made by xml5tree {xml5tree.__version__}.</footer>\n<script>{script}</script>\n</body>\n</html>\n"


def _trees(source: InputDocument, reading: Options) -> str:
    """Return the trees by the draft's rules and by intent, as HTML; "" if they are equal, and for long documents."""
    if (
        reading.get("dialect", "xml5") != "xml5"
        or reading.get("recovery", "intent") != "intent"
        or not source.severity.number
    ):
        return ""
    blocks = list(islice(source.blocks(), _BLOCKS_OF_TREES + 1))
    if len(blocks) > _BLOCKS_OF_TREES or not source.severity.has_tree:
        return ""
    both = [_outline(blocks, options) for options in (assuming_nothing(reading), reading)]
    mark_differences(*both)
    if not any(differs for lines in both for *_, differs in lines):
        return ""
    shown = '<section class="trees" aria-labelledby="trees">\n<h2 id="trees">Trees</h2>\n<div class="row">\n'
    for lines, head, tag in zip(both, ("By the draft’s rules alone", "As it is repaired"), ("del", "ins"), strict=True):
        shown += f"<div><h3>{head}</h3><code>"
        for depth, kind, words, differs in lines:
            line = "  " * min(depth, 20) + (f"“{_text(words)}”" if kind == "text" else _text(words))
            shown += f"<{tag}>{line}</{tag}>\n" if differs else f"{line}\n"
        shown += "</code></div>\n"
    return f"{shown}</div>\n</section>\n"


def _outline(blocks: list[bytes], options: Options) -> list[list[Any]]:
    """Return the outline of a tree; it is empty where all is lost, as by the draft only, without a root element."""
    try:
        return list(outline(xml5tree.fromstringlist(blocks, **options)))
    except xml5tree.ParseError:
        return []


def _table(parts: list[_Part], codes: list[str]) -> Iterator[str]:
    """Yield the table of files and codes, which links to both."""
    heads = "".join(f'<th scope="col"><a href="#why-{code}">{code}</a></th>' for code in codes)
    yield '<section class="files" aria-label="Files">\n<table>\n<thead><tr><th scope="col">file</th>'
    yield f'<th scope="col">content</th><th scope="col">errors</th>{heads}</tr></thead>\n<tbody>\n'
    for number, part in enumerate(parts):
        found = part.found
        name = escape(found.name)
        if found.number or found.problem:
            name = f'<a href="#file-{number}">{name}</a>'
        content = f'<em class="{found.effect}">{_content(found)}</em>'
        tallies = found.tallies
        cells = "".join(f"<td>{tallies[code].number if code in tallies else ''}</td>" for code in codes)
        yield f'<tr><th scope="row">{name}</th><td>{content}</td><td>{found.number:,}</td>{cells}</tr>\n'
    yield "</tbody>\n</table>\n</section>\n"


def _content(found: Findings) -> str:
    effect = found.effect if found.has_tree else "no tree"
    return f"{effect}, cut off" if found.truncated else effect


def _asset(name: str) -> str:
    return (files("xml5tree.cli") / name).read_text("utf-8")


def _hash(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


def _rows(found: Findings, source: InputDocument, reading: Options) -> Iterator[LinePair | Gap]:
    """Return the rows of a document: all, or those around changes if there are many."""
    is_all = found.number == len(found.faults)
    rows = rows_of(segments(source.blocks, reading), found.faults, is_all=is_all)
    first = list(islice(rows, _WHOLE + 1))
    parts_of_lines = sum(row.line is None and row.new_line is None for row in first)
    is_short = len(first) <= _WHOLE and parts_of_lines <= _WHOLE_PARTS
    return iter(first) if is_short else aligned(chain(first, rows), is_all=is_all)


def _verdict(part: _Part) -> str:
    found = part.found
    damage = f" {_text(found.problem.capitalize())}." if found.problem else ""
    if not found.number:
        words = ["Well-formed: there is nothing to repair."]
    else:
        words = [f"<strong>{number_of(found.number, 'error')}.</strong>"]
        if not found.has_tree:
            reason = "This is no XML" if "not-xml" in found.entry_counts else "There is no start tag"
            words.append(f"{reason}, so there is no tree.")
        else:
            words.append(f"Repaired; content is {found.effect}.")
        if found.truncated:
            words.append("The document is cut off.")
        if len(part.marked) < found.number:
            words.append(f"The worst {len(part.marked):,} are marked.")
    grade = "bad" if found.problem else ("good", "mended", "bad")[found.status]
    return f'<p class="verdict {grade}">{" ".join(words)}{damage}</p>\n'


def _summary(tallies: Mapping[str, Tally]) -> Iterator[str]:
    yield '<section class="summary" aria-labelledby="codes">\n<h2 id="codes">What is wrong</h2>\n<ul class="codes">\n'
    for code, (number, effect) in tallies.items():
        shown = f' <em class="{effect}">content is {effect}</em>' if effect != KEPT else ""
        yield f'<li><span class="count">{number:,}</span> <a href="#why-{code}">{code}</a>{shown}</li>\n'
    yield "</ul>\n</section>\n"


def _toolbar(tallies: Mapping[str, Tally]) -> Iterator[str]:
    # The script makes the buttons work, and shows them.
    yield '<nav class="toolbar" aria-label="Errors" hidden>\n'
    yield '<label>Errors <select id="code"><option value="">of all codes</option>'
    for code, tally in tallies.items():
        yield f'<option value="{code}">{code} ({tally.number:,})</option>'
    yield '</select></label>\n<button type="button" id="previous" title="Key: p">Previous</button>\n'
    yield '<button type="button" id="next" title="Key: n">Next</button>\n<output id="position"></output>\n</nav>\n'


def _explanations(tallies: Mapping[str, Tally], parts: list[_Part]) -> Iterator[str]:
    links: dict[str, list[str]] = {code: [] for code in tallies}
    for part in parts:
        file = f"{escape(part.found.name)}:" if len(parts) > 1 else ""
        for number, fault in enumerate(part.marked, part.first):
            links[fault.code].append(f'<a href="#e{number}">{file}{fault.line}:{fault.column + 1}</a>')
    yield '<section class="explanations" aria-labelledby="why">\n<h2 id="why">What the codes mean</h2>\n'
    dialect = find_dialect(parts[0].found.dialect)
    for code, places in links.items():
        explanation = explanations()[code]
        markup = "" if dialect.refuses(code) else explanation.becomes
        becomes = f"<code>{_text(markup)}</code>" if markup else "no tree"
        shown = places[:_PLACES_SHOWN]
        more = tallies[code].number - len(shown)
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


def _shortened(text: str, room: int) -> str:
    if len(text) <= room:
        return text
    return f"{text[: room // 2]} … {len(text) - room // 2 * 2:,} characters … {text[-(room // 2) :]}"
