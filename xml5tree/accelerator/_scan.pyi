from collections.abc import Callable
from typing import Any, Protocol

from xml5tree.fastpath.contract import Scan

scan: Scan

def run_codes() -> list[str | None]: ...
def sources() -> int: ...
def has_error(data: bytes, start: int, stop: int, levels: int, has_fifth_edition_names: bool, /) -> bool | None:
    """Return whether a document without a DOCTYPE has an error.

    Args:
        data: the document in UTF-8.
        start: a place in its prolog, after the XML declaration.
        stop: where it ends, or what is looked through of it.
        levels: how deep elements are looked at.
        has_fifth_edition_names: see `Limits`.

    Returns:
        False: there is none, and the root element has ended. None: it is not known, as something is for the states.
    """

def seems_broken(data: bytes, /) -> bool:
    """Return whether a document in UTF-8 without a DOCTYPE is likely to have an error, which `has_error` finds."""

def forbidden_characters(utf8: bytes, /) -> str: ...
def find_elements(
    source: bytes, local_name: bytes, offset: int, line: int, is_open: bool, /
) -> tuple[list[int], list[int], list[int], list[int]] | None:
    """Return the offsets and lines of start tags, where end tags end, and the places of the start tags in `source`.

    The first element may have begun before, and the last may end after it. None: one is in another, or may be.
    """

def list_records(
    source: bytes | bytearray, start: int, stop: int, name: bytes, has_prefixes: bool, base: int, /
) -> tuple[list[int], list[bytes]]:
    """Return the records that begin at `start` and follow one another, with only white space between them.

    The result is the offset of each, which is `base` more than its place in `source`, and its bytes. Each ends with its
    end tag before `stop`, and is as `xml5tree.ranges.extents.Extents` says.
    """

# Columns of records, for xml5tree/columns.py. Kinds, states, roles and flags are defined there.

Columns = object

class Names(Protocol):
    """Answers questions about expanded names."""

    def child(self, state: int, namespace: int, name: str, /) -> tuple[int, int, int, int, tuple[int, ...]]:
        """Return what an element is whose parent has a state, in a record whose namespace has a number.

        Returns:
            Its state, which may be the next one, its role, and the number of its namespace if it is a record; flags,
            and columns for its text, if the state is new.
        """

    def attribute(self, state: int, namespace: int, name: str, /) -> tuple[int, ...]:
        """Return the columns for an attribute of elements with a state; one may be the next column."""

def open_columns(
    seed: int, columns: tuple[tuple[int, bool], ...], texts: tuple[int, ...], is_table: bool, /
) -> Columns:
    """Begin to read repaired markup.

    Args:
        seed: a random number of 32 bits.
        columns: kinds of columns, and whether all their values are wanted, as lists, or the first of each record.
        texts: the columns for the text of records.
        is_table: whether there are tables of elements instead of such columns, and the markup of each record is kept,
            in an element that declares its namespaces.
    """

def feed_columns(columns: Columns, names: Names, markup: bytes, is_source: bool, /) -> tuple[bytes, bool, int, bytes]:
    """Read markup in whole tokens; only CDATA sections may be cut. What is asked about names is always the same.

    With `is_source`, markup is a well-formed document in UTF-8, and tokens may be cut.

    Returns:
        For each element of the local name of records that has ended, 1 if it is a record, else 0; whether the records
        that have ended had better be taken; how many bytes have been read, to be followed by the others; and with
        `is_source`, for each record that has ended, its line and the bytes before it, in 64 bits each.
    """

def take_columns(
    columns: Columns, ranges: tuple[tuple[int, int], ...], stop: int, /
) -> tuple[int, list[Any], tuple[Any, ...] | None, bytes, bool]:
    """Take records that have ended, by their order since the last call; drop others before `stop`.

    Returns:
        How many they are, their values, their markup, for each 1 if tables do not have all its values, and whether any
        record so far has begun in another one. Values are columns, or members of tables: kind ("attribute", "child",
        "text"), the number of the column or state, the instance that has it first, and the values. These are laid out
        as in Arrow: "text", "list" or "structure", size, nulls, validity, and offsets with text or items, or members.
    """

class Search:
    """A capsule."""

Asked = list[tuple[int, bytes, int, int, int, int, int]]
SearchStep = tuple[
    int,
    int,
    bytes,
    int,
    int,
    int,
    int,
    list[tuple[int, int, int]],
    tuple[bytes, ...],
    bytes,
    bytes,
    bytes,
    bool,
    bool,
    tuple[int, int] | None,
    int,
]

def list_costs() -> list[str]:
    """Return the names of the costs that a search needs."""

def open_search(costs: tuple[int, ...], roots: bool, root_names: tuple[bytes, ...], seed: int, /) -> Search:
    """Return a search, for xml5tree/intent/compiled.py; costs as in `list_costs`; the seed is that of its hashes."""

def step_search(
    search: Search,
    ask: Callable[[int], Asked],
    source: bytes,
    base: int,
    fed: int,
    is_final: bool,
    doubtful: int,
    /,
) -> tuple[int, int, int, int, int, list[SearchStep]]:
    """Make the next steps of a search, for which enough text is there.

    Args:
        search: it must not be at work.
        ask: returns the edges of a doubtful place, each as kind, name, begin, end, column, facts and cost.
        source: the text, from `base` to `fed`.
        is_final: whether the document ends there.
        doubtful: all places before this one are doubtful.

    Returns:
        The end of the steps; what is decided; where a start tag begins that may be changed yet, or -1; the cost, once
        the document has been read; where the beam began, or -1; and steps, each as in `Step`, with kind, name, begin,
        end, facts, index and changes of the edge. The index is negative if it is not one of those that were asked for;
        it may have changes then, the first of which has the operation.
    """

def tell_search(
    search: Search, rows: tuple[tuple[bytes, bool, tuple[bytes, ...] | None, tuple[bytes, ...]], ...], /
) -> None:
    """Take the rows of `Knowledge`, before the first step."""

def count_search(search: Search, kind: int, name: bytes, /) -> int:
    """Return how many start and empty tags (0), start tags (1) or end tags (2) have a name, as far as is known."""
