"""The options of the commands that only XML5 has: which elements documents have, and which characters."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from xml5tree.api import known_elements
from xml5tree.cli.sources import check_text
from xml5tree.dialects import make_settings
from xml5tree.errors.log import ParseError
from xml5tree.options import CONTROL_CHARACTERS, ControlCharacters, Options

__all__ = ["element_options"]


def _names(ctx: click.Context, parameter: click.Parameter, value: str | None) -> frozenset[str] | None:
    """Return names separated by commas; after an at sign, the names that a file has or declares."""
    if value is None:
        return None
    found: set[str] = set()
    for part in value.split(","):
        if part.startswith("@"):
            try:
                found |= known_elements(part[1:])
            except (OSError, ParseError) as error:
                raise click.BadParameter(f"{part[1:]}: {error}") from error
        elif part:
            found.add(check_text(part))
    if not found:
        raise click.BadParameter("there is no name")
    return frozenset(found)


def element_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options, whose values the command gets as `chosen`."""

    @click.option(
        "--elements",
        metavar="NAMES",
        callback=_names,
        help="Take only tags of these names for tags, and all else for text: names, separated by commas, or @FILE for "
        "those of a sample document, a DTD or an XML Schema.",
    )
    @click.option(
        "--roots",
        type=click.Choice(["first", "all"]),
        default="first",
        show_default=True,
        help="all: keep what comes after the first root element and around it, in an element around it all.",
    )
    @click.option(
        "--root",
        metavar="NAMES",
        callback=_names,
        help="Begin at the first start tag of these names, separated by commas, and drop what is before.",
    )
    @click.option(
        "--control-characters",
        type=click.Choice(CONTROL_CHARACTERS),
        default="replace",
        show_default=True,
        help="What becomes of characters that XML does not allow: U+FFFD, nothing, or an escape such as _x000B_.",
    )
    @wraps(command)
    def with_elements(
        *arguments: Any,
        elements: frozenset[str] | None,
        roots: Any,
        root: frozenset[str] | None,
        control_characters: ControlCharacters,
        **others: Any,
    ) -> int:
        chosen: Options = {}
        if elements is not None:
            chosen["elements"] = elements
        if roots != "first":
            chosen["roots"] = roots
        if root is not None:
            chosen["root"] = root
        if control_characters != "replace":
            chosen["control_characters"] = control_characters
        try:
            make_settings({**chosen, "dialect": others.get("dialect", "xml5")})
        except ValueError as error:
            raise click.UsageError(str(error)) from error
        return command(*arguments, chosen=chosen, **others)

    return with_elements
