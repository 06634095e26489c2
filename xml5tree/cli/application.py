"""The command ``xml5tree``: its subcommands, and how every one of them ends."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper
from typing import Any, Final

import click

import xml5tree
from xml5tree.cli.check import check
from xml5tree.cli.repair import repair
from xml5tree.cli.report import report
from xml5tree.cli.status import CLOSED_PIPE, INTERRUPTED, USAGE
from xml5tree.cli.tokens import tokens
from xml5tree.cli.tree import tree
from xml5tree.cli.xpath import xpath

__all__ = ["application", "run"]

_COMMANDS: Final = (check, repair, xpath, tree, tokens, report)


class _Application(click.Group):
    """A group that ends quietly when it is interrupted or when nobody reads what it writes."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            status = super().invoke(ctx)
            sys.stdout.flush()
        except KeyboardInterrupt:
            return INTERRUPTED
        except BrokenPipeError:
            # What is still buffered must not be written when the interpreter ends.
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return CLOSED_PIPE
        return status


@click.group(cls=_Application, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(xml5tree.__version__, prog_name="xml5tree", message="%(prog)s %(version)s")
@click.pass_context
def application(ctx: click.Context) -> None:
    """Find, explain and repair what is wrong with XML documents.

    A FILE can be a path, a pattern such as 'feeds/**/*.xml', or - for standard input. Gzip is recognised by its
    content. 'xml5tree COMMAND --help' says more.
    """
    if os.environ.get("NO_COLOR"):
        ctx.color = False


for _command in _COMMANDS:
    application.add_command(_command)


def run(arguments: Sequence[str]) -> int:
    """Run the command line.

    Args:
        arguments: what follows the name of the command.

    Returns:
        The exit status.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        status = application.main(list(arguments), prog_name="xml5tree", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return USAGE
    except click.Abort:
        return INTERRUPTED
    return status or 0
