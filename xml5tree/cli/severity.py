"""Exit statuses, and how bad errors are."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

from xml5tree.errors.codes import EFFECTS, KEPT, Effect, Verdict, verdict_of, worst
from xml5tree.errors.entry import ErrorEntry

__all__ = [
    "CLOSED_PIPE",
    "ERRORS",
    "INTERRUPTED",
    "OK",
    "SERIOUS",
    "USAGE",
    "Severity",
    "status_of",
    "worsen",
    "worst_first",
]

# Exit statuses; the highest of all files wins.
OK: Final = 0
#: The document has errors, and all content is kept (``check``); nothing was found (``xpath``).
ERRORS: Final = 1
#: Content is moved or lost, the document is cut off, or there is no tree.
SERIOUS: Final = 2
#: Wrong usage, or a file that cannot be read or written.
USAGE: Final = 3
#: As a shell reports processes ended by SIGINT and SIGPIPE.
INTERRUPTED: Final = 130
CLOSED_PIPE: Final = 141


@dataclass(slots=True)
class Severity:
    """How bad the errors of a document are so far; `effects` has the worst effect of each code."""

    effects: dict[str, Effect] = field(default_factory=dict)
    truncated: bool = False
    has_tree: bool = True

    def take(self, error: ErrorEntry) -> None:
        worsen(self.effects, error.code, error.effect)

    def add(self, other: "Severity") -> None:
        """Add the errors of a part of the document."""
        for code, effect in other.effects.items():
            worsen(self.effects, code, effect)
        self.truncated |= other.truncated

    @property
    def effect(self) -> Effect:
        return worst(*self.effects.values())

    @property
    def verdict(self) -> Verdict:
        """As `ErrorLog.verdict`."""
        return verdict_of(len(self.effects), self.effect, truncated=self.truncated, has_tree=self.has_tree)

    @property
    def in_words(self) -> str:
        words = f"content is {self.effect}" if self.has_tree else "there is no tree"
        return f"{words}; the document is cut off" if self.truncated else words


def worsen(effects: dict[str, Effect], code: str, effect: Effect) -> None:
    """Note an effect among `effects`, which has the worst of each code."""
    effects[code] = worst(effects.get(code, KEPT), effect)


def worst_first(effect: Effect | None, truncated: bool, errors: int) -> tuple[int, int, int]:
    """Return the key that puts the worst documents first, by their worst effect (None without a tree) and so on."""
    return -(len(EFFECTS) if effect is None else EFFECTS.index(effect)), -truncated, -errors


def status_of(severity: Severity, fail_on: Collection[str] = ()) -> int:
    """Return the exit status for a document.

    It is 0 without any of the effects, codes and ``truncated`` in `fail_on`; if `fail_on` is empty, any error fails.
    """
    if severity.has_tree and fail_on and not _fails(severity, fail_on):
        return OK
    if not severity.has_tree or severity.truncated or severity.effect != KEPT:
        return SERIOUS
    return ERRORS if severity.effects else OK


def _fails(severity: Severity, fail_on: Collection[str]) -> bool:
    if severity.truncated and "truncated" in fail_on:
        return True
    found = [*severity.effects]
    if found:
        found += EFFECTS[: EFFECTS.index(severity.effect) + 1]
    return any(word in fail_on for word in found)
