"""`xml5tree check`: lists errors of documents."""

from collections.abc import Callable
from functools import partial
from typing import Final

import click

from xml5tree.cli.findings import Findings, examine
from xml5tree.cli.jobs import for_each
from xml5tree.cli.listing import JSON, SARIF, Concise, GitHub, Listing, Statistics, Text
from xml5tree.cli.options import DOCUMENTS, FAIL_ON, JOBS, Jobs, choice, codes, command, option, reading
from xml5tree.cli.rendering import explain
from xml5tree.cli.sources import InputDocument
from xml5tree.dialects import dialects_with
from xml5tree.errors.explanations import explanations
from xml5tree.options import Options

_SHOWN_AS_TEXT: Final = 100
_SHOWN_OTHERWISE: Final = 10_000


def _explain(ctx: click.Context, parameter: click.Parameter, code: str | None) -> None:
    """Explain a code or list all of them, and exit."""
    if code is None:
        return
    if code == "list":
        for known in explanations():
            dialects = dialects_with(known)
            facts = dialects[0].codes[known]
            names = ", ".join(dialect.name for dialect in dialects)
            click.echo(f"{known}: {facts.kind}, content is {facts.effect} ({names})")
    elif code in explanations():
        click.echo(explain(code))
    else:
        similar = [known for known in explanations() if code.lower() in known]
        hint = f"; perhaps {', '.join(similar[:5])}" if similar else ""
        raise click.BadParameter(f"there is no code {code!r}{hint}. '--explain list' lists all codes.")
    ctx.exit()


@command(
    "List what is wrong with documents.",
    DOCUMENTS,
    choice(
        *("--format", "form"),
        of=("text", "concise", "json", "sarif", "github"),
        help="text shows each error with its line, concise one line a file; the others are for programs.",
    ),
    option("--statistics", is_flag=True, help="Show only how often each code occurs in all files."),
    option(
        "--max-errors",
        type=click.IntRange(min=0),
        metavar="N",
        help=f"Show no more errors of a file than these, the worst; 0 shows all. [default: {_SHOWN_AS_TEXT} as text, "
        f"{_SHOWN_OTHERWISE:,} otherwise]",
    ),
    JOBS,
    option(*("-q", "--quiet"), is_flag=True, help="Print nothing; the exit status tells."),
    codes("--select", "Look for these errors only: codes, separated by commas, or patterns such as 'eof-*'."),
    codes("--ignore", "Do not look for these errors."),
    FAIL_ON,
    reading(has_revision=True),
    option(
        "--explain",
        metavar="CODE",
        is_eager=True,
        expose_value=False,
        callback=_explain,
        help="Say what an error code means; 'list' lists the codes. No FILE is needed.",
    ),
)
def check(
    sources: list[InputDocument],
    form: str,
    statistics: bool,
    max_errors: int | None,
    jobs: Jobs,
    quiet: bool,
    select: frozenset[str],
    ignore: frozenset[str],
    fail_on: frozenset[str],
    reading: Options,
) -> int:
    """List every error of documents as file:line:column: code: message.

    Lines and columns are counted from 1. What only follows from an error is on its line; the formats
    JSON and SARIF list it as an error of its own.

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
    if statistics and form not in {"text", "json"}:
        raise click.UsageError("--statistics is for --format text and json.")
    listings: dict[str, Callable[[], Listing]] = {"concise": Concise, "json": JSON, "sarif": SARIF, "github": GitHub}
    make = partial(Statistics, as_json=form == "json") if statistics else listings.get(form, partial(Text, reading))
    listing = None if quiet else make()

    def examine_one(source: InputDocument) -> tuple[int, Findings]:
        found = examine(
            source,
            max_errors=max_errors or None,
            reading=reading,
            select=select,
            ignore=ignore,
            fail_on=fail_on,
        )
        return found.status, show(found, source)

    def show(found: Findings, source: InputDocument) -> Findings:
        if listing is not None:
            listing.show(found, source)
        if listing is None or not listing.needs_entries:
            found.entries, found.faults = [], []  # which need not go to another process
        return found

    def take(source: InputDocument, found: Findings | None, problem: str) -> None:
        if listing is not None:
            listing.take(found or show(Findings.unread(source, reading["dialect"], problem), source))

    status = for_each(sources, examine_one, jobs, take=take)
    if listing is not None:
        listing.close()
    return status
