"""`xml5tree apply`: applies or undoes edits."""

import sys
from pathlib import Path
from typing import IO

import click

from xml5tree.cli.editlist import Digest, read_edits
from xml5tree.cli.jobs import for_each
from xml5tree.cli.options import command, no_empty_name, option
from xml5tree.cli.replacement import Replacement
from xml5tree.cli.severity import OK, USAGE
from xml5tree.cli.sources import InputDocument, complain, expand
from xml5tree.editing import apply as applied
from xml5tree.editing import invert


@command(
    "Apply a list of edits, or undo it.",
    click.Argument(["file"], metavar="FILE", callback=no_empty_name),
    click.Argument(["edits"], metavar="EDITS", type=click.File("rb")),
    option(*("-o", "--output"), metavar="OUT", help="Write to this file; without, to standard output."),
    option("--undo", is_flag=True, help="FILE is the repaired document: give back what it was."),
)
def apply(file: str, edits: IO[bytes], output: str | None, undo: bool) -> int:
    """Write FILE with the edits applied that 'repair --edits json' or 'repair --manifest' has listed.

    Nothing is written unless FILE is the document that the edits are of: sizes and SHA-256 are compared.
    """
    sources = list(expand([file]))
    if len(sources) > 1:
        raise click.UsageError(f"{file!r} is {len(sources)} files; a list of edits is of one.")
    target = None if output in {None, "-"} else Path(str(output))
    if target is not None and sources[0].is_at(target):
        raise click.UsageError("The output is the file itself.")

    def write(source: InputDocument) -> int:
        try:
            changes, before, after = read_edits(edits.read())
            if undo:
                changes, before, after = invert(changes), after, before
            document = b"".join(source.blocks())
            if Digest(document).as_dict() != before:
                raise ValueError("the edits are of another document, or the file has been changed since")
            result = applied(document, changes)
            if Digest(result).as_dict() != after:
                raise ValueError("the list of edits has been changed")
        except ValueError as error:
            complain(source, f"nothing was written: {error}")
            return USAGE
        if target is None:
            sys.stdout.buffer.write(result)
            sys.stdout.flush()
        else:
            with Replacement(target) as replacement:
                replacement.write(result)
                replacement.commit()
        return OK

    return for_each(sources, write)
