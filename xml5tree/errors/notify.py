"""Reports errors by `logging` and `warnings`."""

import logging
import sys
import warnings
from collections.abc import Callable
from typing import Any, Final

from xml5tree.errors.codes import KEPT, LOST, MOVED, Effect
from xml5tree.errors.entry import ErrorEntry
from xml5tree.errors.log import ErrorLog, RecoveryWarning, RowsWarning
from xml5tree.errors.wording import number_of

_LEVELS: Final[dict[Effect, int]] = {KEPT: logging.INFO, MOVED: logging.WARNING, LOST: logging.ERROR}


def logging_to(
    logger: "str | logging.Logger | logging.LoggerAdapter[logging.Logger]",
    on_error: Callable[[ErrorEntry], object] | None = None,
) -> Callable[[ErrorEntry], None]:
    """Return a function that logs an error, and then calls `on_error` with it."""
    target = logging.getLogger(logger) if isinstance(logger, str) else logger

    def log(entry: ErrorEntry) -> None:
        target.log(_LEVELS[entry.effect], "%s", entry, extra={"error_entry": entry})
        if on_error is not None:
            on_error(entry)

    return log


def warning_by(category: bool | type[Warning]) -> Callable[[ErrorLog], None]:
    """Return a function that warns about an ended document; True means `RecoveryWarning`."""
    chosen: type[Warning] = RecoveryWarning if isinstance(category, bool) else category

    def warn(log: ErrorLog) -> None:
        name = "" if log.filename is None else f"{log.filename}: "
        tallies = log.summary()
        codes = ", ".join(f"{code} ({tally.number:,})" for code, tally in tallies.items())
        count = number_of(sum(tally.number for tally in tallies.values()), "error")
        end = "; the document is cut off" if log.truncated else ""
        sentence = f"{name}{count} repaired; content is {log.effect}{end}: {codes or 'none is kept'}"
        warnings.warn(sentence, chosen, stacklevel=_level_of_caller())

    return warn


def warn_of_rows(sentence: str) -> None:
    """Warn by `RowsWarning`, at the line of this library's caller."""
    warnings.warn(sentence, RowsWarning, stacklevel=_level_of_caller())


def _level_of_caller() -> int:
    """Return the stack level of this library's caller, for `warnings.warn`."""
    frame: Any = sys._getframe(1)
    level = 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "xml5tree":
        frame = frame.f_back
        level += 1
    return level
