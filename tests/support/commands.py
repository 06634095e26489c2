"""The command line, run within the tests' own process or in one of its own."""

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from xml5tree.cli.application import run

PACKAGE = Path(__file__).parents[2]


class Result(NamedTuple):
    status: int
    out: str
    err: str


class _Stream(io.TextIOWrapper):
    """A standard stream that is no terminal."""

    def __init__(self, data=b""):
        super().__init__(io.BytesIO(data), encoding="utf-8", newline="", write_through=True)

    def text(self):
        return self.buffer.getvalue().decode("utf-8", "backslashreplace")


def run_command(*arguments, stdin=b"", together=False):
    """Run a command; what it wrote and its exit status. ``together``: its messages are among its output, as shown."""
    out = _Stream()
    err = out if together else _Stream()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.object(sys, "stdin", _Stream(stdin)),
    ):
        status = run([str(argument) for argument in arguments])
    return Result(status, out.text(), err.text())


def start_command(*arguments, **options):
    """Start a command as a process."""
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE), **options.pop("env", {})}
    command = [sys.executable, "-m", "xml5tree", *map(str, arguments)]
    return subprocess.Popen(command, env=environment, **options)
