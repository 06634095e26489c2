"""``xml5tree check``: what is wrong with documents."""

import shutil
import sys
from collections import Counter
from typing import Final, Literal

import click

from xml5tree.cli import formats
from xml5tree.cli.findings import Findings, examine, looks_like_html
from xml5tree.cli.rendering import excerpts, explain, number_of, printable, show_excerpt
from xml5tree.cli.severity import codes_option, fail_on_option
from xml5tree.cli.sources import (
    Source,
    check_recovery,
    dialect_option,
    expand,
    files_argument,
    for_each,
    input_encoding_option,
    recovery_option,
    revision_option,
    text_blocks,
)
from xml5tree.dialects import dialects_with
from xml5tree.errors.codes import EFFECTS, KEPT, LOST, MOVED
from xml5tree.errors.explanations import EXPLANATIONS
from xml5tree.options import Options

__all__ = ["check"]

_SHOWN_AS_TEXT: Final = 100
_SHOWN_OTHERWISE: Final = 10_000
_PLAIN_WIDTH: Final = 120
_WELL_FORMED: Final = "well-formed"
_PASSED_OVER: Final = "none of the errors that are looked for"
_NO_TREE: Final = "without a tree"
_COLOURS: Final = {KEPT: "yellow", MOVED: "magenta", LOST: "red"}


def _explain(ctx: click.Context, parameter: click.Parameter, code: str | None) -> None:
    """Explain a code or list all of them, and do nothing else."""
    if code is None:
        return
    if code == "list":
        for known in EXPLANATIONS:
            dialects = dialects_with(known)
            facts = dialects[0].codes[known]
            names = ", ".join(dialect.name for dialect in dialects)
            click.echo(f"{known}: {facts.kind}, content is {facts.effect} ({names})")
    elif code in EXPLANATIONS:
        click.echo(explain(code))
    else:
        similar = [known for known in EXPLANATIONS if code.lower() in known]
        hint = f"; perhaps {', '.join(similar[:5])}" if similar else ""
        raise click.BadParameter(f"there is no code {code!r}{hint}. '--explain list' lists all codes.")
    ctx.exit()


@click.command(short_help="List what is wrong with documents.")
@files_argument
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "sarif", "github"]), default="text", show_default=True
)
@click.option(
    "--max-errors",
    type=click.IntRange(min=0),
    metavar="N",
    help=f"Show no more errors of a file than these; 0 shows all. [default: {_SHOWN_AS_TEXT} as text, "
    f"{_SHOWN_OTHERWISE:,} otherwise]",
)
@click.option("-q", "--quiet", is_flag=True, help="Print nothing; the exit status tells.")
@codes_option("--select", "Look for these errors only: codes, separated by commas, or patterns such as 'eof-*'.")
@codes_option("--ignore", "Do not look for these errors.")
@fail_on_option
@input_encoding_option
@dialect_option
@recovery_option
@revision_option
@click.option(
    "--explain",
    metavar="CODE",
    is_eager=True,
    expose_value=False,
    callback=_explain,
    help="Say what an error code means; 'list' lists the codes. No FILE is needed.",
)
def check(
    files: tuple[str, ...],
    form: str,
    max_errors: int | None,
    quiet: bool,
    select: frozenset[str],
    ignore: frozenset[str],
    fail_on: frozenset[str],
    input_encoding: str | None,
    dialect: str,
    recovery: Literal["draft", "intent"],
    revision: str,
) -> int:
    """List every error of documents as file:line:column: code: message.

    Lines and columns are counted from 1.

    \b
    The exit status is that of the worst file:
      0  well-formed
      1  errors, but all content is kept in its place
      2  content is moved or lost, the document is cut off, or there is no tree
      3  wrong usage, or a file cannot be read
    With --fail-on, it is 0 unless there is what that names, or no tree.
    """  # noqa: D301 (click reads the backspace: what follows is not wrapped)
    if max_errors is None:
        max_errors = _SHOWN_AS_TEXT if form == "text" else _SHOWN_OTHERWISE
    findings: list[Findings] = []
    verdicts: Counter[str] = Counter()
    cut_off: Counter[bool] = Counter()
    counts: Counter[str] = Counter()
    if revision != "12.2.4" and dialect != "html":
        raise click.UsageError("--revision is for --dialect html.")
    check_recovery(recovery, dialect)
    reading: Options = {"encoding": input_encoding, "dialect": dialect, "recovery": recovery, "revision": revision}
    sources = list(expand(files))

    def examine_one(source: Source) -> int:
        found = examine(
            source,
            max_errors=max_errors or None,
            reading=reading,
            is_selected=lambda code: code not in ignore and (not select or code in select),
            fail_on=fail_on,
        )
        verdicts[_verdict_in_total(found)] += 1
        cut_off[found.severity.truncated] += 1
        counts.update(found.counts)
        if quiet:
            pass
        elif form == "text":
            _print_text(found, source, input_encoding)
        elif form == "github":
            formats.print_github(found)
        else:
            findings.append(found)
        return found.status

    status = for_each(sources, examine_one)
    if quiet:
        pass
    elif form == "json":
        formats.print_json(findings)
    elif form == "sarif":
        formats.print_sarif(findings)
    elif form == "text":
        if len(sources) > 1:
            _print_total(verdicts, len(sources), cut_off[True])
        if counts:
            code, _ = counts.most_common(1)[0]
            click.secho(f"What a code means: xml5tree check --explain {code}", dim=True)
    return status


def _print_text(found: Findings, source: Source, encoding: str | None) -> None:
    """Each error with its line, and a summary."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else _PLAIN_WIDTH
    lines = excerpts(text_blocks(source, encoding), [entry.offset for entry in found.entries])
    for entry, line in zip(found.entries, lines, strict=True):
        place = click.style(f"{found.name}:{entry.line}:{entry.column + 1}:", bold=True)
        code = click.style(entry.code, fg=_COLOURS[entry.effect], bold=True)
        click.echo(f"{place} {code}: {printable(entry.message)}")
        click.echo(show_excerpt(entry, line, width))
    click.echo(f"{click.style(found.name + ':', bold=True)} {_dialect(found)}{_verdict(found)}")
    if found.total > 1:
        for code, count in found.counts.most_common():
            effect = found.severity.effects[code]
            click.echo(f"{count:>8,}  {code}" + (f" (content is {effect})" if effect != KEPT else ""))
    if found.total > len(found.entries):
        click.echo(f"{len(found.entries):,} of {found.total:,} errors are shown; --max-errors 0 shows all.")
    if found.total and found.dialect == "xml5" and looks_like_html(source):
        click.echo(f"{found.name} begins as HTML does, which is no XML; --dialect html reads it as HTML.")


def _dialect(found: Findings) -> str:
    """The dialect, where it is not the usual one."""
    return "" if found.dialect == "xml5" else f"as {found.dialect}: "


def _verdict(found: Findings) -> str:
    """What there is to say about a document in one line."""
    if not found.total:
        return click.style(_verdict_in_total(found), fg="green")
    words = f"{number_of(found.total, 'error')}; {found.severity.in_words}"
    return click.style(words, fg=_COLOURS[found.severity.effect] if found.severity.has_tree else "red")


def _verdict_in_total(found: Findings) -> str:
    """What files are counted as."""
    if not found.total:
        return _PASSED_OVER if found.passed_over else _WELL_FORMED
    return f"with content {found.severity.effect}" if found.severity.has_tree else _NO_TREE


def _print_total(verdicts: Counter[str], total: int, cut_off: int) -> None:
    """What was found in all files."""
    order = [_WELL_FORMED, _PASSED_OVER, *(f"with content {effect}" for effect in EFFECTS), _NO_TREE]
    parts = [f"{verdicts[verdict]:,} {verdict}" for verdict in order if verdicts[verdict]]
    if total > verdicts.total():
        parts.append(f"{total - verdicts.total():,} not read")
    of_them = f"; {cut_off:,} cut off" if cut_off else ""
    click.echo(f"\n{number_of(total, 'file')}: {', '.join(parts)}{of_them}")
