"""The command `xml5tree`: subcommands and how they end."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from io import TextIOWrapper
from typing import Any, Final

import click

import xml5tree
from xml5tree.cli.replacement import CannotWrite
from xml5tree.cli.severity import CLOSED_PIPE, INTERRUPTED, OK, USAGE

__all__ = ["application", "run"]

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


class _CannotPrint(Exception):
    """Standard output or error cannot be written to; no `OSError`, which click handles in its own way."""


@contextmanager
def _printing() -> Iterator[None]:
    """Turn an `OSError` of a standard stream into `_CannotPrint`."""
    try:
        yield
    except OSError as error:
        raise _CannotPrint from error


class _Application(click.Group):
    """A group that ends quietly when it is interrupted, and raises an exception when it cannot print."""

    # A command is imported when it is asked for: importing all of them takes about twice as long.

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        # For a name that does not exist, all are imported: click suggests those of its commands that are similar.
        for name in [cmd_name] if cmd_name in _COMMANDS else _COMMANDS:
            self.commands[name] = getattr(import_module(_COMMANDS[name]), name)
        return self.commands.get(cmd_name)

    @_printing()
    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        return super().make_context(*args, **kwargs)

    @_printing()
    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except CannotWrite as error:  # of a file that is the output of all documents
            click.echo(f"xml5tree: {error.strerror}", err=True)
            return USAGE
        except KeyboardInterrupt:
            return INTERRUPTED


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
    _open_standard_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        status = _run(arguments)
        with _printing():
            sys.stdout.flush()
            sys.stderr.flush()
    except _CannotPrint as error:
        status = _give_up_printing(error.__cause__)
    return status


def _run(arguments: Sequence[str]) -> int:
    try:
        status: int | None = application.main(list(arguments), prog_name="xml5tree", standalone_mode=False)
    except click.ClickException as error:
        with _printing():
            error.show()
        return USAGE
    except click.Abort:
        return INTERRUPTED
    return status or OK


def _open_standard_streams() -> None:
    """Replace standard streams that were closed by whoever started the process."""
    # Otherwise the next file that is opened would get their number. Reading or writing fails as on a closed stream, but
    # what goes to standard error is dropped.
    for name, flags, mode in (("stdin", os.O_WRONLY, "r"), ("stdout", os.O_RDONLY, "w"), ("stderr", os.O_WRONLY, "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, flags), mode))


def _give_up_printing(reason: BaseException | None) -> int:
    """Say that output cannot be written, unless its reader has closed it; return the exit status."""
    broken = isinstance(reason, BrokenPipeError)
    if not broken:
        with suppress(OSError):
            problem = reason.strerror if isinstance(reason, OSError) else None
            click.echo(f"xml5tree: the output cannot be written: {problem or reason}", err=True)
    for stream in (sys.stdout, sys.stderr):
        # Buffered output must not be written when the interpreter ends.
        with suppress(OSError, ValueError):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, stream.fileno())
            os.close(null)
    return CLOSED_PIPE if broken else USAGE
