"""The option `recovery` on the command line: how broken markup is read, or that documents with any are refused."""

from collections.abc import Callable
from typing import Any

import click

from xml5tree.cli.rendering import refusal
from xml5tree.cli.sources import InputDocument, complain
from xml5tree.cli.status import SERIOUS
from xml5tree.dialects import make_settings
from xml5tree.errors.log import ErrorLog, ParseError
from xml5tree.options import RECOVERIES, Options
from xml5tree.parser import XMLParser

__all__ = ["check_reading", "is_strict", "recovery_option", "refuse", "strictly"]

recovery_option = click.option(
    "--recovery",
    type=click.Choice(RECOVERIES),
    default="intent",
    show_default=True,
    help="How broken markup is read: as its author seems to have meant it, as the draft of XML5 says, or not at all.",
)


def check_reading(reading: Options) -> None:
    """Refuse options on how documents are read that contradict each other, as usage errors."""
    try:
        make_settings(reading)
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def is_strict(reading: Options) -> bool:
    """Return whether documents are refused that are not well-formed, and that is not left to their dialect."""
    return reading.get("recovery") == "strict" and reading.get("dialect") != "leafxml"


def refuse(source: InputDocument, reading: Options) -> ErrorLog:
    """Read a document strictly, without building its tree; return its log, which is empty.

    Raises `ParseError` for a document that is not well-formed, and `CannotRead` for one that cannot be read.
    """
    options: Options = {**reading, "filename": source.name}
    parser: XMLParser[None] = XMLParser(target=_Nothing(), **options)
    parser.parse_parts(source.blocks())
    return parser.error_log


def strictly(action: Callable[[InputDocument, Options], Any], reading: Options) -> Callable[[InputDocument], Any]:
    """Return a function that calls `action` with a document, unless ``--recovery strict`` refuses it.

    A well-formed document is the same however broken ones are read, so that `action` needs no strict way of its own.
    """
    if not is_strict(reading):
        return lambda source: action(source, reading)

    def act(source: InputDocument) -> Any:
        try:
            refuse(source, reading)
        except ParseError as error:
            complain(source, refusal(error))
            return SERIOUS
        return action(source, {**reading, "recovery": "draft"})

    return act


class _Nothing:
    def close(self) -> None:
        """End the document."""
