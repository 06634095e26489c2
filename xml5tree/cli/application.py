"""The command `xml5tree`: subcommands and how they end."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from typing import Final

import click

import xml5tree
from xml5tree.cli.replacement import CannotWrite
from xml5tree.cli.severity import CLOSED_PIPE, INTERRUPTED, OK, USAGE

#: The names of the commands, in the order of the help, and the modules that have them by these names.
_COMMANDS: Final = {
    "check": "xml5tree.cli.check",
    "repair": "xml5tree.cli.repair",
    "apply": "xml5tree.cli.apply",
    "xpath": "xml5tree.cli.xpath",
    "records": "xml5tree.cli.records",
    "tree": "xml5tree.cli.tree",
    "tokens": "xml5tree.cli.tokens",
    "report": "xml5tree.cli.report",
    "doctor": "xml5tree.cli.doctor",
}


class _Application(click.Group):
    """A group whose commands are imported when they are asked for: importing all takes about twice as long."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        # For a name that does not exist, all are imported: click suggests those of its commands that are similar.
        for name in [cmd_name] if cmd_name in _COMMANDS else _COMMANDS:
            self.commands[name] = getattr(import_module(_COMMANDS[name]), name)
        return self.commands.get(cmd_name)


_SCANNER = "with the compiled scanner" if xml5tree.accelerated else "pure Python"


@click.group(cls=_Application, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(xml5tree.__version__, prog_name="xml5tree", message=f"%(prog)s %(version)s ({_SCANNER})")
@click.pass_context
def application(ctx: click.Context) -> None:
    """Find, explain and repair what is wrong with XML documents.

    A FILE can be a path, a folder, a pattern such as 'feeds/**/*.xml', or - for standard input. Gzip and zstd are
    recognised by their content. 'xml5tree COMMAND --help' says more.
    """
    for variable, color in (("FORCE_COLOR", True), ("NO_COLOR", False)):
        if os.environ.get(variable):
            ctx.color = color


def run(arguments: Sequence[str]) -> int:
    """Run the command line with the arguments after the command's name, and return the exit status."""
    # Streams that were closed by whoever started the process are replaced: otherwise the next file that is opened would
    # get their number. Reading or writing fails as on a closed stream, but what goes to standard error is dropped.
    for name, flags, mode in (("stdin", os.O_WRONLY, "r"), ("stdout", os.O_RDONLY, "w"), ("stderr", os.O_WRONLY, "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, flags), mode))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        status = _run(arguments)
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError as error:
        status = _give_up_printing(error)
    return status


def _run(arguments: Sequence[str]) -> int:
    # Not by `application.main`, which ends the process itself where a pipe is closed.
    try:
        with application.make_context("xml5tree", [*arguments]) as context:
            return application.invoke(context) or OK
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        error.show()
    except CannotWrite as error:  # of a file that is the output of all documents
        click.echo(f"xml5tree: {error.strerror}", err=True)
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    return USAGE


def _give_up_printing(reason: OSError) -> int:
    """Say that output cannot be written, unless its reader has closed it; return the exit status."""
    broken = isinstance(reason, BrokenPipeError)
    if not broken:
        with suppress(OSError):
            click.echo(f"xml5tree: the output cannot be written: {reason.strerror or reason}", err=True)
    for stream in (sys.stdout, sys.stderr):
        # Buffered output must not be written when the interpreter ends.
        with suppress(OSError, ValueError):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, stream.fileno())
            os.close(null)
    return CLOSED_PIPE if broken else USAGE
