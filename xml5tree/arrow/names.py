"""Matches record names to schema columns: the prefix rule."""

from collections.abc import Iterable, Mapping
from typing import Final

from xml5tree.columns import Node

#: Most names that are remembered; further names match only columns of exactly that name.
_REMEMBERED: Final = 1000


class ColumnNames:
    """Finds the names in records for the columns of a schema.

    A column has the value of its own name. Where the first records lack that name, the column takes the prefixed name
    that is its own with ``:`` for ``_`` (``g:id`` for ``g_id``), or else the only name with the column's name after a
    prefix (``g:id`` for ``id``). A name once taken stays.
    """

    def __init__(self, columns: Iterable[str]) -> None:
        self._columns = list(columns)
        self.seen: dict[str, None] = {}  # the names in records, as far as they are remembered
        self.doubts: list[str] = []  # describes columns with several candidates
        self._names: dict[str, str] = {}  # by column, the name in records where it differs
        self._doubted: set[str] = set()

    def see(self, record: Mapping[str, object]) -> None:
        """Take note of the names in a record; records come one by one, as each may take names for columns."""
        if record.keys() <= self.seen.keys() or len(self.seen) >= _REMEMBERED:
            return
        new = [name for name in record if name not in self.seen]
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

    def wanted(self, nodes: Mapping[str, Node], name: str) -> Node | None:
        """Return a column's node for a name in records that may be its values; None if there is none."""
        if name in nodes:
            return nodes[name]
        local = _local(name)
        if local is None or len(self.seen) >= _REMEMBERED:
            return None
        return nodes.get(name.replace(":", "_"), nodes.get(local))

    @staticmethod
    def is_clear(nodes: Mapping[str, Node]) -> bool:
        """Return whether all columns that one name may fill have equal nodes."""
        parts = ((node, "@" * (name[:1] == "@"), name.removeprefix("@").split("_")) for name, node in nodes.items())
        return all(
            nodes.get(mark + "_".join(words[at:]), node) == node
            for node, mark, words in parts
            for at in range(1, len(words))
        )

    def unused(self) -> list[str]:
        """Return the names in records that no column of another name takes."""
        return [name for name in self.seen if name not in self._names.values()]

    def name_of(self, column: str) -> str:
        """Return the name to read in records that lack the column's own name."""
        return self._names.get(column, column)


def _local(name: str) -> str | None:
    """Return the part of a name after its prefix, with the ``@`` of an attribute; None without a prefix."""
    mark = "@" if name[:1] == "@" else ""
    if name[len(mark) :][:1] == "{":
        return mark + name.rpartition("}")[2]
    prefix, colon, local = name.removeprefix(mark).partition(":")
    return mark + local if colon and prefix else None
