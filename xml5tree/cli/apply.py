"""`xml5tree apply`: applies or undoes edits."""

import sys
from pathlib import Path
from typing import IO

import click

from xml5tree.cli.editlist import BadList, Digest, applied_to, read_list
from xml5tree.cli.jobs import for_each
from xml5tree.cli.options import Jobs, command, no_empty_name, option
from xml5tree.cli.replacement import Replacement
from xml5tree.cli.severity import OK, USAGE
from xml5tree.cli.sources import InputDocument, complain, expand
from xml5tree.editing import invert

__all__ = ["apply"]


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
            found = read_list(edits.read())
            changes, before = (invert(found.edits), found.after) if undo else (found.edits, found.before)
            digest = Digest()
            for block in source.blocks():
                digest.take(block)
            if digest.as_dict() != before:
                raise BadList("the edits are of another document, or the file has been changed since")
            parts = applied_to(source.blocks(), changes)
            if target is None:
                for part in parts:
                    sys.stdout.buffer.write(part)
                sys.stdout.flush()
            else:
                with Replacement(target) as replacement:
                    for part in parts:
                        replacement.write(part)
                    replacement.commit()
        except BadList as error:
            complain(source, f"nothing was written: {error}")
            return USAGE
        return OK

    return for_each(sources, write, Jobs())
