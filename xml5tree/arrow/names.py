"""Which of the names that records have are the columns of a schema: the rule for prefixes."""

from collections.abc import Iterable
from typing import Final

__all__ = ["ColumnNames"]

#: Names of records that are remembered; further ones are no columns, unless these are named so.
_REMEMBERED: Final = 1000


class ColumnNames:
    """Finds the names of records for the columns of a schema.

    A column has the value of its own name. Where the first records do not have that name, a name with a prefix is taken
    that is the column's with ``_`` for the colon (``g:id`` for ``g_id``), or else the only one with the column's name
    behind its prefix (``g:id`` for ``id``). What is taken once stays.

    Attributes:
        seen: the names that records had, as far as they are remembered.
        doubts: columns for which there are several names, in words.
    """

    def __init__(self, columns: Iterable[str]) -> None:
        self._columns = list(columns)
        self.seen: dict[str, None] = {}
        self.doubts: list[str] = []
        self._names: dict[str, str] = {}  # of records, by column, where they are not the same
        self._doubted: set[str] = set()

    def see(self, names: Iterable[str]) -> None:
        """Take the names of some more records into account."""
        new = [name for name in names if name not in self.seen]
        if not new or len(self.seen) >= _REMEMBERED:
            return
        self.seen.update(dict.fromkeys(new))
        for column in self._columns:
            if column in self.seen:
                taken = self._names.get(column)
                if column in new and taken is not None and column not in self._doubted:
                    self._doubt(column, f"{taken!r}, and {column!r} where a record has it")
                continue
            exact = [name for name in self.seen if _local(name) is not None and name.replace(":", "_") == column]
            local = [name for name in self.seen if _local(name) == column]
            taken = self._names.get(column)
            found = exact or local
            if taken is None and len(found) == 1:
                self._names[column] = found[0]
            elif len(found) > 1 and column not in self._doubted:
                others = " or ".join(map(repr, found))
                self._doubt(column, f"{taken!r} only" if taken else f"neither {others}, as there are several")

    def _doubt(self, column: str, taken: str) -> None:
        self._doubted.add(column)
        self.doubts.append(f"the column {column!r} has the values of {taken}")

    def name_of(self, column: str) -> str:
        """Return the name that the values of a column have in records without the column's own name."""
        return self._names.get(column, column)


def _local(name: str) -> str | None:
    """Return the part of a name after its prefix, with the ``@`` of an attribute; None where it has no prefix."""
    mark = "@" if name[:1] == "@" else ""
    if name[len(mark) :][:1] == "{":
        return mark + name.rpartition("}")[2]
    prefix, colon, local = name.removeprefix(mark).partition(":")
    return mark + local if colon and prefix else None
