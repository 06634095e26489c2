"""One progress bar for all documents, on the terminal."""

import sys
import time
from collections.abc import Sequence
from typing import Any, Final, Self

import click

from xml5tree.errors.wording import number_of

#: Bytes from which a bar is worth its line, and those that opening a file is worth.
_WORTH_A_BAR: Final = 20_000_000
_OF_OPENING: Final = 4096
_INTERVAL: Final = 0.1
#: Clears the line of a terminal.
_CLEAR: Final = "\r\x1b[K"


class Progress:
    """Shows bytes, rate and errors of all documents on standard error; a context manager.

    `is_shown` says whether there is a bar: on a terminal, for large documents.
    """

    def __init__(self, sizes: Sequence[int], *, is_shared: bool = False) -> None:
        """Set the sizes of the documents; `is_shared` lets forked processes call `at`."""
        self._stream = sys.stderr
        self._total = sum(sizes) + _OF_OPENING * len(sizes)
        self._sizes = sizes
        self.is_shown = self._total >= _WORTH_A_BAR and self._stream.isatty()
        self._started = self._moved = time.monotonic()
        self._is_begun = self._is_drawn = False
        self._done = 0
        self._bar: Any = None
        #: How far each document has been read, and how many errors it has so far.
        self._positions: Any = [0] * len(sizes)
        self._errors: Any = [0] * len(sizes)
        if self.is_shown:
            self._bar = click.progressbar(
                length=self._total,
                file=self._stream,
                width=10,
                show_eta=False,
                bar_template="[%(bar)s]  %(info)s",
                item_show_func=lambda _: self._text(),
            )
            if is_shared:
                from multiprocessing.sharedctypes import RawArray

                self._positions, self._errors = RawArray("q", len(sizes)), RawArray("q", len(sizes))

    def at(self, number: int, position: int, errors: int) -> None:
        """Note how far a document has been read, and how many errors it has."""
        self._positions[number] = max(position, self._positions[number])
        self._errors[number] = errors

    def done(self, number: int, errors: int) -> None:
        self.at(number, self._sizes[number], errors)
        self._done += 1

    def draw(self, *, at_once: bool = False) -> None:
        now = time.monotonic()
        if self._bar is None or (now - self._moved < _INTERVAL and not at_once):
            return
        self._moved = now
        self._is_begun = self._is_drawn = True
        self._bar.pos = sum(self._positions) + _OF_OPENING * self._done
        self._bar.make_step(0)
        self._bar.render_progress()

    def hide(self) -> None:
        """Clear the line for a message; the bar comes again below it."""
        if self._is_drawn:
            self._stream.write(_CLEAR)
            self._stream.flush()
            self._is_drawn = False

    def _text(self) -> str:
        size = sum(self._positions)
        files = f"{self._done:,} of {len(self._sizes):,} files, " if len(self._sizes) > 1 else ""
        rate = size / max(time.monotonic() - self._started, 0.001)
        return f"{files}{size / 1e6:,.0f} MB, {rate / 1e6:.1f} MB/s, {number_of(sum(self._errors), 'error')}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.draw(at_once=True)
        if self._is_begun:
            self._bar.render_finish()
