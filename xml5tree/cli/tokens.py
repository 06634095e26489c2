"""`xml5tree tokens`: the draft's tokens of a document."""

from dataclasses import asdict
from typing import Any, Final

import click

from xml5tree.cli.jobs import for_each
from xml5tree.cli.options import DOCUMENTS, JOBS, TOKENIZING, Jobs, choice, command
from xml5tree.cli.rendering import in_json, printable
from xml5tree.cli.severity import OK
from xml5tree.cli.sources import InputDocument
from xml5tree.dialects import make_settings
from xml5tree.errors.entry import ErrorEntry
from xml5tree.options import Options
from xml5tree.tokens import Token

#: The names of errors in the listing. Only parse errors are errors of the draft.
_LABELS: Final = {"parse-error": "ParseError", "not-well-formed": "NotWellFormed", "coerced": "Coerced"}


@command(
    "Print the token stream, for those who study the draft.",
    DOCUMENTS,
    choice("--format", "form", of=("text", "json"), help="Print each token in words, or as a JSON object."),
    JOBS,
    TOKENIZING,
)
def tokens(sources: list[InputDocument], form: str, jobs: Jobs, reading: Options) -> int:
    """Print the tokens of documents as the draft's tokenizer emits them, one a line; as JSON, one object a line.

    An error comes where it is found, which is before the token that it is in: as ParseError where the draft calls it
    one, as NotWellFormed where only XML does. With --recovery intent, tags that are assumed are tokens, and tags that
    are ignored are none. What tree construction finds is left to 'xml5tree check'. The XML
    declaration is a processing instruction here.
    """

    def show(source: InputDocument) -> int:
        dialect, settings = make_settings({**source.settled(reading), "max_errors": 0})
        for item in dialect.tokenize(source.blocks(advances=True), settings, with_errors=True):
            if isinstance(item, ErrorEntry):
                source.severity.take(item)
            if form == "json":
                click.echo(in_json((source.in_json if len(sources) > 1 else {}) | _as_object(item)))
            else:
                click.echo((f"{source.name}: " if len(sources) > 1 else "") + _as_text(item))
        source.severity.close(truncated=False)
        return OK

    return for_each(sources, show, jobs)


def _as_text(item: Token | ErrorEntry) -> str:
    if isinstance(item, ErrorEntry):
        place = f"{item.line}:{item.column + 1}: {item.code}: {printable(item.message)}"
        return f"{click.style(_LABELS[item.kind], fg='red')} {place}"
    fields = []
    for name, value in asdict(item).items():
        if name == "attributes":
            fields += [f"{printable(key)}={_quoted(content)}" for key, content in value.items()]
        elif isinstance(value, bool):
            fields += [name] if value else []
        else:
            fields.append(printable(value) if name in ("name", "target") and value else _quoted(value))
    return " ".join([click.style(type(item).__name__, fg="cyan"), *fields])


def _quoted(text: str | None) -> str:
    return "None" if text is None else in_json(text, ensure_ascii=False)


def _as_object(item: Token | ErrorEntry) -> dict[str, Any]:
    if isinstance(item, ErrorEntry):
        where = {"line": item.line, "column": item.column + 1, "offset": item.offset}
        return {"token": _LABELS[item.kind], "code": item.code, "message": item.message} | where
    return {"token": type(item).__name__} | asdict(item)
