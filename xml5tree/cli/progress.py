"""A progress bar on the terminal."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, Self

import click

from xml5tree.errors.wording import number_of

__all__ = ["Progress", "TotalProgress", "forwarding", "hide_bar"]

#: Size in bytes from which a bar is worth its line, and a number of files.
_WORTH_A_BAR: Final = 20_000_000
_MANY_FILES: Final = 1000
_INTERVAL: Final = 0.1
#: Clears the line of a terminal.
_CLEAR: Final = "\r\x1b[K"
#: Characters of a name, so that all fits into 80 columns.
_LABEL: Final = 20


#: Shared-bar callback, called with the position in a file; it suppresses the bars of single files.
_forward: Callable[[int], None] | None = None


@contextmanager
def forwarding(to: Callable[[int], None]) -> Iterator[None]:
    """Call `to` with the positions of all `Progress` objects, which then show nothing."""
    global _forward
    before, _forward = _forward, to
    try:
        yield
    finally:
        _forward = before


#: The progress whose bar is on the terminal.
_shown: "Progress | None" = None


def hide_bar() -> None:
    """Clear the line of a bar for a message; the bar comes again below it."""
    if _shown is not None:
        sys.stderr.write(_CLEAR)
        sys.stderr.flush()


class TotalProgress:
    """One bar for all files, on standard error; `is_shown` says whether it is worth its line on a terminal."""

    def __init__(self, count: int, sizes: Callable[[], Sequence[int]]) -> None:
        """Set the number of files; `sizes` returns their bytes, and is called only for a terminal."""
        self._stream = sys.stderr
        self._sizes = sizes() if self._stream.isatty() else ()
        self._total = sum(self._sizes)
        self._count = count
        self.is_shown = bool(self._sizes) and (self._total >= _WORTH_A_BAR or count >= _MANY_FILES)
        self._bytes = 0  # of files that are done
        self._files = 0
        self._parts: dict[int, int] = {}  # of files that are being read
        self._started = self._drawn = time.monotonic()
        self._is_drawn = False

    def at(self, number: int, position: int) -> None:
        if self.is_shown:
            self._parts[number] = position
            self._draw()

    def done(self, number: int) -> None:
        if self.is_shown:
            self._parts.pop(number, None)
            self._bytes += self._sizes[number]
            self._files += 1
            self._draw()

    def hide(self) -> None:
        if self._is_drawn:
            self._stream.write(_CLEAR)
            self._stream.flush()
            self._is_drawn = False

    def _draw(self) -> None:
        now = time.monotonic()
        if now - self._drawn < _INTERVAL:
            return
        self._drawn = now
        position = self._bytes + sum(self._parts.values())
        rate = position / max(now - self._started, 0.001)
        share = min(position / self._total if self._total else self._files / self._count, 1.0)
        bar = ("#" * int(10 * share)).ljust(10, "-")
        text = f"{self._files:,} of {self._count:,} files  [{bar}]  {position / 1e6:,.0f} MB, {rate / 1e6:.1f} MB/s"
        self._stream.write(f"\r{text}\x1b[K")
        self._stream.flush()
        self._is_drawn = True


class Progress:
    """Shows rate, position and errors so far on standard error, if that is a terminal, unless `quiet`."""

    def __init__(self, errors: Callable[[], int], *, quiet: bool = False) -> None:
        """Begin; `errors` returns how many errors there are so far, as they are counted at the end."""
        self._errors = errors
        self._quiet = quiet or not sys.stderr.isatty()
        self._bar: Any = None
        self._position: Callable[[], int] = int
        self._started = self._moved = 0.0

    def begin(self, name: str, size: int, position: Callable[[], int]) -> None:
        """Begin with a file; `position` returns how far it has been read."""
        if _forward is None and (self._quiet or size < _WORTH_A_BAR):
            return
        global _shown
        self._position = position
        self._started = self._moved = time.monotonic()
        if _forward is not None:
            return
        label = name if len(name) <= _LABEL else "…" + name[1 - _LABEL :]
        self._bar = click.progressbar(
            length=size, label=label, file=sys.stderr, width=10, show_eta=False, item_show_func=lambda _: self._text()
        )
        self._bar.__enter__()
        _shown = self

    def advance(self) -> None:
        now = time.monotonic()
        if now - self._moved < _INTERVAL:
            return
        self._moved = now
        if _forward is not None:
            _forward(self._position())
        elif self._bar is not None:
            self._move(self._position())

    def _move(self, position: int) -> None:
        self._bar.update(position - self._bar.pos)

    def _text(self) -> str:
        position = self._bar.pos if self._bar is not None else 0
        rate = position / max(time.monotonic() - self._started, 0.001)
        return f"{position / 1e6:,.0f} MB, {rate / 1e6:.1f} MB/s, {number_of(self._errors(), 'error')}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *details: Any) -> None:
        global _shown
        if self._bar is not None:
            _shown = None
            if kind is None:
                self._move(self._bar.length)
                self._bar.render_progress()  # it may have been at its end before the last errors
            self._bar.__exit__(kind, *details)
            self._bar = None
