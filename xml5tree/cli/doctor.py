"""`xml5tree doctor`: reports on the installation, and on a document in few words."""

from contextlib import closing
from typing import IO

import click

from xml5tree.cli.options import command, option
from xml5tree.cli.severity import OK, SERIOUS
from xml5tree.doctor import report
from xml5tree.documents import Parts, joined


@command(
    "Print versions and what is installed, for a report of a fault.",
    option(
        "--shrink",
        metavar="FILE",
        type=click.File("rb"),
        help="Print before it the smallest document that is repaired in the same ways as a file, with other words.",
    ),
)
def doctor(shrink: IO[bytes] | None) -> int:
    """Print the versions of xml5tree and of what it uses, whether the compiled scanner runs, and if not, why.

    'python -m xml5tree doctor' prints the same where click is not installed.
    """
    if shrink is not None:
        from xml5tree.shrinking import example

        with closing(Parts(shrink)) as parts:
            data = joined(parts)
        found = example(data if isinstance(data, bytes) else data.encode())
        if found is None:
            click.echo(f"xml5tree: {shrink.name}: no errors", err=True)
            return SERIOUS
        click.echo(found)
    click.echo(report())
    return OK
