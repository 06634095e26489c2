"""`xml5tree doctor`: reports on the installation."""

import click

from xml5tree.cli.status import OK
from xml5tree.doctor import report

__all__ = ["doctor"]


@click.command(short_help="Print versions and what is installed, for a report of a fault.")
def doctor() -> int:
    """Print the versions of xml5tree and of what it uses, whether the compiled scanner runs, and if not, why.

    'python -m xml5tree doctor' prints the same where click is not installed.
    """
    click.echo(report())
    return OK
