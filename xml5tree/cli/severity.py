"""Exit statuses, and how bad errors are."""

from collections import Counter
from collections.abc import Collection
from typing import Final

from xml5tree.errors.codes import EFFECTS, KEPT, Effect, Verdict, verdict_of, worst
from xml5tree.errors.entry import ErrorEntry
from xml5tree.errors.faults import Fault, Faults, Tally, tallies

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


class Severity:
    """Tells how bad the errors of a document are so far; `take` is for the option `on_error`.

    Attributes:
        effects: the worst effect of the errors of each code.
        fault_counts: the number of faults of each code and effect.
        truncated: whether the document is cut off.
        has_tree: whether it has a tree.
    """

    def __init__(self) -> None:
        self.effects: dict[str, Effect] = {}
        self.fault_counts: Counter[tuple[str, Effect]] = Counter()
        self.truncated = False
        self.has_tree = True
        self._faults = Faults(self._take_fault)

    def take(self, error: ErrorEntry) -> None:
        worsen(self.effects, error.code, error.effect)
        self._faults.take(error)

    def _take_fault(self, fault: Fault) -> None:
        self.fault_counts[fault.code, fault.effect] += 1

    def close(self, *, truncated: bool) -> None:
        """Note that the document has ended, and whether it is cut off."""
        self._faults.close()
        self.truncated = truncated

    def add(self, other: "Severity") -> None:
        """Add the errors of a part of the document."""
        self.fault_counts += other.fault_counts
        for code, effect in other.effects.items():
            worsen(self.effects, code, effect)
        self.truncated |= other.truncated

    @property
    def number(self) -> int:
        """The number of errors as people count them: of faults."""
        return self.fault_counts.total()

    @property
    def tallies(self) -> dict[str, Tally]:
        """The number and the worst effect of the faults of each code, the most frequent first."""
        return tallies(self.fault_counts.items())

    @property
    def effect(self) -> Effect:
        return worst(*self.effects.values())

    @property
    def effect_on_tree(self) -> Effect | None:
        """The worst effect; None without a tree."""
        return self.effect if self.has_tree else None

    @property
    def verdict(self) -> Verdict:
        """As `ErrorLog.verdict`."""
        return verdict_of(len(self.effects), self.effect, truncated=self.truncated, has_tree=self.has_tree)


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
    found = {*severity.effects, *(EFFECTS[: EFFECTS.index(severity.effect) + 1] if severity.effects else ())}
    found |= {"truncated"} if severity.truncated else set()
    if severity.has_tree and fail_on and found.isdisjoint(fail_on):
        return OK
    if not severity.has_tree or severity.truncated or severity.effect != KEPT:
        return SERIOUS
    return ERRORS if severity.effects else OK
