"""A bar on the terminal for documents that take a while."""

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Final, Self

import click

from xml5tree.errors.entry import ErrorEntry

__all__ = ["Progress"]

#: Size in bytes from which a bar is worth its line.
_WORTH_A_BAR: Final = 20_000_000
_INTERVAL: Final = 0.1
#: Characters of a name, so that all fits into 80 columns.
_LABEL: Final = 20


class Progress:
    """Shows rate, position and errors so far on standard error, where that is a terminal."""

    def __init__(self, *, quiet: bool = False) -> None:
        """Get ready; `quiet` where the terminal is needed for something else."""
        self._quiet = quiet or not sys.stderr.isatty()
        self._bar: Any = None
        self._position: Callable[[], int] = int
        self._started = self._shown = 0.0
        self.errors = 0

    def begin(self, name: str, size: int, position: Callable[[], int]) -> None:
        """Begin with a file; `position` tells how far it has been read."""
        if self._quiet or size < _WORTH_A_BAR:
            return
        self._position = position
        self._started = self._shown = time.monotonic()
        label = name if len(name) <= _LABEL else "…" + name[1 - _LABEL :]
        self._bar = click.progressbar(
            length=size,
            label=label,
            file=sys.stderr,
            width=10,
            show_eta=False,
            item_show_func=lambda _: self._text(),
        )
        self._bar.__enter__()

    def advance(self) -> None:
        """Show how far the file has been read."""
        now = time.monotonic()
        if self._bar is not None and now - self._shown >= _INTERVAL:
            self._shown = now
            self._move(self._position())

    def _move(self, position: int) -> None:
        self._bar.update(position - self._bar.pos)

    def count(self, entry: ErrorEntry) -> None:
        """Count an error."""
        self.errors += 1

    def _text(self) -> str:
        position = self._bar.pos if self._bar is not None else 0
        rate = position / max(time.monotonic() - self._started, 0.001)
        return f"{position / 1e6:,.0f} MB, {rate / 1e6:.1f} MB/s, {self.errors:,} errors"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._bar is not None:
            if kind is None:
                self._move(self._bar.length)
            self._bar.__exit__(kind, error, traceback)
            self._bar = None
