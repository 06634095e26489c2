from collections.abc import Callable, Sequence

from xml5tree.dialects.xml5.intent.learned import Tables
from xml5tree.dialects.xml5.intent.policy import Intent
from xml5tree.dialects.xml5.intent.situation import OpenElement
from xml5tree.fastpath.contract import Cache, Limits, PlainRun, TagRule

def scan(
    data: bytes,
    start: int,
    stop: int,
    open_names: list[str],
    prefixes: dict[str, str],
    declared: dict[bytes, TagRule],
    limits: Limits,
    cache: Cache,
    /,
) -> PlainRun: ...
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

class Learner:
    """A capsule."""

def make_learner(
    numbers: tuple[int, int, int, int, int, int],
    seed: int,
    /,
) -> Learner:
    """Make a learner, for xml5tree/dialects/xml5/intent/runs/compiled.py.

    Args:
        numbers: the bits of the rules that are switched on; and of constants.py: `MOST_LEARNED`, `MANY_RECORDS`,
            `WINDOW`, `MOST_INSIDE`, `INSIDE_REACH`.
        seed: for the hashes of names.
    """

def learn_part(
    learner: Learner,
    policy: Intent,
    tables: tuple[*Tables, dict[str, int], list[OpenElement], frozenset[str]],
    data: bytes,
    start: int,
    stop: int,
    column: int | None,
    is_right: bool,
    /,
) -> tuple[
    int, tuple[str, bool] | None, int, list[str], list[int | None], int, str | None, int | None, int | None, bool
]:
    """Return the effect of a part of a run, see `Learnt`.

    Args:
        learner: the learner, which keeps nothing of `policy` and `tables`.
        policy: it is asked about tags with new places.
        tables: `Learned.tables`, which are read and added to; how many elements of each name are open; these elements;
            the names of void elements.
        data: the run.
        start: where the part begins.
        stop: where the run ends.
        column: the column of the part's beginning.
        is_right: see `RunReader.read`.
    """

def is_flat(data: bytes, start: int, stop: int, /) -> bool:
    """Return whether a part of a run is one element, with no element in another of its name."""

def find_elements(
    source: bytes, local_name: bytes, offset: int, line: int, is_open: bool, /
) -> tuple[list[int], list[int], list[int], list[int]] | None: ...
def list_records(
    source: bytes | bytearray, start: int, stop: int, name: bytes, has_prefixes: bool, base: int, /
) -> tuple[list[int], list[bytes]]:
    """Return the records that begin at `start` and follow one another, with only white space between them.

    The result is the offset of each, which is `base` more than its place in `source`, and its bytes. Each ends with its
    end tag before `stop`, and is as `xml5tree.ranges.extents.Extents` says.
    """

# Flat records, for xml5tree/output/flatrecords.py. Steps and modes are defined there.

def find_rows(
    source: bytes,
    start: int,
    parts: tuple[tuple[tuple[tuple[bytes, int], ...], tuple[tuple[int, int], ...], int, int], ...],
    modes: bytes,
    /,
) -> tuple[int, int, bytes, bytes, bytes]:
    """Find records of known parts that follow one another.

    Args:
        source: a clean stretch in UTF-8.
        start: where the first record begins.
        parts: of each part, the steps; its values, as the number of a column with that of a step, -1 for empty text, or
            -2 for an item of a list that is None; flags for one that starts a record (1) or ends it (2); and the number
            of a group, of whose parts a record has one at most, or -1.
        modes: what is wanted of each column, a byte for each.

    Returns:
        How many records there are; where the last one ends; the text of their values, in UTF-8 and without references;
        and the places of values in that, for `list_values`, of records and of the items in lists.
    """

Piece = tuple[bytes, bytes, bytes, int, int, bool, int, int]
"""Values of a column: text, and the places of values in it, of records and of items, as `find_rows` returns them; the
number of columns, and that of the column; whether the values are lists; the first record, and the one after the
last."""

def list_values(piece: Piece, /) -> list[str | None] | list[list[str | None] | None]: ...
def join_texts(
    parts: list[Piece | list[str | None] | list[list[str] | None]], is_list: bool, /
) -> tuple[int, int, bytes | None, bytes, int, int, bytes | None, bytes, bytes] | None:
    """Return values as Arrow lays out a column of strings, or of lists of strings.

    Returns:
        How many values there are, and how many nulls; the bits of those that are none, unless all are; where each value
        ends, in the text or in the items; the same of the items; the text in UTF-8. None: some value is no such text or
        list, or there is too much for offsets of 32 bits.
    """

# Tags of the text ahead, for xml5tree/dialects/xml5/intent/compiled.py. Places are characters of the document. A tag is
# a kind and a name; kind 4 stands for a token that is passed over.

class Tags:
    """A capsule."""

def open_tags(seed: int, /) -> Tags:
    """Return a place for tags; `seed`, of 64 bits, is for the hashes of names and of pairs of names."""

def drop_tags(tags: Tags, place: int, /) -> bool:
    """Drop the tags before a place, or all if no token begins there; return whether one does."""

def cut_tags(tags: Tags, /) -> None:
    """Drop the tags that are not sure, and those after them."""

def read_tags(tags: Tags, utf8: bytes, index: int, place: int, is_sure: bool, /) -> tuple[int, int]:
    """Read tokens from an index of the UTF-8 on, which is at a place in the document.

    Only those are taken that are the same whatever follows the UTF-8.

    Returns:
        The index and the place of the first token that was not taken, or the end.
    """

def add_tag(tags: Tags, start: int, end: int, kind: int, name: str, /) -> None:
    """Add a tag that has been read otherwise; it is not sure."""

def list_tags(tags: Tags, place: int, most: int, /) -> list[tuple[int, str, int, int]]:
    """Return the tags whose tokens begin at a place or later, with the spans of the tokens.

    Fewer than `most` are all that follow; there are more if the last token has several tags.
    """

# Questions about the tags of a window, of which not all may have been read. The answer is None where more have to be.

View = tuple[int, int, bool, bool, bool]
"""Where the first token begins, where the window ends, whether text is before the first token, whether all tags of the
window have been read, and whether the document ends with it."""

def first_tag(tags: Tags, view: View, most: int, kinds: int, /) -> tuple[int, str, int] | None:
    """Return the first tag of some kinds, whose bits are in `kinds`, among the first `most` tags.

    Returns:
        Its kind, -1 if there is none; its name; and the place up to which tags have been looked at, or -1.
    """

def end_of_element(
    tags: Tags, view: View, most_tags: int, name: str, most: int, level: int, /
) -> tuple[str, int] | None:
    """Return the name of the end tag that ends an element (`Window.end_of_element`), and how far was looked, or -1."""

def last_tag(tags: Tags, view: View, most: int, /) -> tuple[str, bool, bool, int]:
    """Return the last of up to `most` tags, all of which have been read.

    Returns:
        Its name if it is an end tag, else ""; whether more end tags have the name than start tags; whether these are
        all tags of the document; and how far has been looked.
    """

def compare_readings(
    tags: Tags,
    view: View,
    readings: tuple[tuple[Sequence[str], Sequence[str], tuple[tuple[str, str], ...]], ...],
    facts: tuple[set[tuple[str, str]], set[str], dict[str, int], frozenset[str], set[str], Callable[[str, str], bool]],
    numbers: tuple[int, int, int, int, int, int, int, int, str],
    /,
) -> tuple[int, list[tuple[int, int]]] | None:
    """Compare readings as `simulation` does.

    Args:
        tags: the tags.
        view: the view.
        readings: what `Begun` has.
        facts: what `Learned` has: pairs, names that had content, those that were completed; names of void elements;
            names of start tags and empty tags; and `Learned.is_slip`, which is asked about others.
        numbers: the most tags, the most evidence, the most end tags whose following ones are looked at, how many tags
            are looked at for each, the most errors after the root; the costs of an error and of a new pair; up to which
            difference a choice is doubtful; the name of the element around the roots.

    Returns:
        The place up to which tags have been looked at, or -1; and for each reading, how many errors and how many new
        pairs it has. None: more tags have to be read.
    """

def find_fault(tags: Tags, view: View, stack: Sequence[str], forced: Sequence[str], /) -> bool | None:
    """Return whether the draft's reading of all tags of a window runs into an error.

    Args:
        tags: the tags.
        view: the view, the beginning of which is not before a place that tags were dropped before.
        stack: the names of the innermost open elements.
        forced: as in `Begun`.
    """

def ends_rightly(tags: Tags, view: View, most: int, stop: int, outer: str, inner: Sequence[str], /) -> bool | None:
    """Return whether an element ends soon, and before an error, in the draft's reading of a window.

    Args:
        tags: the tags.
        view: the view.
        most: how many tags are looked at.
        stop: where the last of them ends at last.
        outer: the name of the element.
        inner: those of the elements that are open in it.
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
) -> tuple[int, int, int, int, list[SearchStep]]:
    """Make the next steps of a search, for which enough text is there.

    Args:
        search: it must not be at work.
        ask: returns the edges of a doubtful place, each as kind, name, begin, end, column, facts and cost.
        source: the text, from `base` to `fed`.
        is_final: whether the document ends there.
        doubtful: all places before this one are doubtful.

    Returns:
        The end of the steps; what is decided; where a start tag begins that may be changed yet, or -1; the cost, once
        the document has been read; and steps, each as in `Step`, with kind, name, begin, end, facts, index and changes
        of the edge. The index is negative if it is not one of those that were asked for; it may have changes then, the
        first of which has the operation.
    """

def count_search(search: Search, kind: int, name: bytes, /) -> int:
    """Return how many start and empty tags (0), start tags (1) or end tags (2) have a name, as far as is known."""
