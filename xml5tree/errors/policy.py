"""The policy for records and events with errors."""

from collections.abc import Collection, Sequence
from typing import Final, Literal

from xml5tree.errors.codes import EFFECTS, Effect
from xml5tree.errors.entry import ErrorEntry
from xml5tree.errors.log import ErrorLog, ParseError

#: The treatment of bad elements.
OnBad = Literal["keep", "mark", "skip", "raise"]

#: The treatment of values that do not fit their column.
BadValues = Literal["rescue", "null", "skip", "raise"]

#: The columns that records get with ``on_bad="mark"``.
MARKS: Final = ("_line", "_effect", "_confidence", "_errors")
#: The same for records of ranges, but for the file.
RANGE_MARKS: Final = ("_byte_offset", *MARKS[1:])


class SameName(ValueError):
    """Raised for a record with a value for a column that is added to all records."""

    def __init__(self, place: str, name: str) -> None:
        super().__init__(
            f"{place} has a value for the column {name!r}, which is added to all records; fields can name it otherwise"
        )
        self._given = place, name

    def __reduce__(self) -> tuple[object, ...]:
        """Have pickles, which bring exceptions from other processes, make it of what it was made of."""
        return type(self), self._given


def check_columns(columns: Collection[str], added: Collection[str]) -> None:
    """Raise `ValueError` if one of the `columns` that have paths is also added to all records."""
    both = sorted({*columns} & {*added})
    if both:
        raise ValueError(f"the column {both[0]!r} is added to all records, and has a path, too")


class Policy:
    """Decides which elements are bad, and whether the caller gets them."""

    def __init__(self, on_bad: OnBad, bad_from: Effect) -> None:
        """Set what to do with bad elements, and their mildest effect; raise `ValueError` if unknown."""
        if on_bad not in ("keep", "mark", "skip", "raise"):
            raise ValueError(f'on_bad must be "keep", "mark", "skip" or "raise", not {on_bad!r}')
        if bad_from not in EFFECTS:
            raise ValueError(f'bad_from must be "kept", "moved" or "lost", not {bad_from!r}')
        self.on_bad = on_bad
        self._bad = EFFECTS.index(bad_from)

    def is_bad(self, effect: Effect | None) -> bool:
        """Return whether an element with this worst effect is bad; None: it has no errors."""
        return effect is not None and EFFECTS.index(effect) >= self._bad

    def keeps(self, what: str, errors: Sequence[ErrorEntry]) -> bool:
        """Return whether the caller gets a bad element; raise `ParseError` with ``on_bad="raise"``.

        The exception begins with `what`, and has code and place of the first of the worst errors.
        """
        if self.on_bad == "raise":
            gravest = max(errors, key=lambda entry: EFFECTS.index(entry.effect))
            message = f"{what}: {gravest.message}"
            raise ParseError(message, gravest.code, (gravest.line, gravest.column), ErrorLog(errors))
        return self.on_bad != "skip"
