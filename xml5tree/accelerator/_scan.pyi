from collections.abc import Callable
from typing import Any, Protocol

from xml5tree.errors.codes import Code, Effect
from xml5tree.errors.entry import Found as FoundError

# The core, which reads content: for xml5tree/dialects/xml5/core.py.

#: What errors of a kind have: the code, its `Code`, and the usual effect on content.
RunCode = tuple[str, Code, Effect]
#: An error in a run; or what the library decides: offset, line and column, code in `TreeBuilder.events`, and details.
RunError = FoundError | tuple[int, int, int, str, tuple[Any, ...]]
#: A prefix that is bound at an element of a run: the index of the element among those that the run opens, the prefix
#: ("" for names without one), the namespace name, and whether the markup has the declaration. If not, the name is None,
#: or that of `xml`, whose prefix is written.
Scope = tuple[int, str, str | None, bool]
#: What a name means: its entity ("&" and the name), prefix (":") or namespace ("="), in UTF-8. The markup for an
#: undeclared entity, without white space and "]", or the form of the namespace that native parsers read. For a declared
#: entity: the markup in text, that in a value in double quotes, and what it costs of the budget, nested references
#: included; its last line is not blank. For a prefix: the namespace that it gets, its declaration, after a space, and
#: whether that holds only if no element of the run binds another prefix.
Found = bytes | tuple[bytes, bytes, int]
#: How attribute declarations change start and empty tags of an element: whether these may be written anew, whether
#: white space is collapsed in their values, and defaults, in the order in which they are added. A default is a raw
#: name, the markup, after a space, and what it costs. The states read tags that may be written anew, in which white
#: space has to be collapsed, or that have defaults and a name that has to be coerced.
TagRule = tuple[bool, bool, tuple[tuple[bytes, bytes, int], ...]]
#: Judges a child, given the names of the innermost open elements, up to the current one, and its own, which is "#" for
#: text. True: nothing is said against others of its name there; False: against this one. Else the details of an event.
Judge = Callable[[list[str], str], bool | tuple[Any, ...]]
#: A run, see `Content.read`.
Run = tuple[Any, ...]

class Content:
    """Reads the content of one document, in runs.

    A run is text, whole tags, comments, CDATA sections and instructions, with all errors of the draft but those below.
    It is written as it stands, but for defaults, entities that are text, and repaired errors. The states define what a
    document means: a run is what they would write, and a shorter one is never wrong. It does not depend on what
    follows, so text at its end ends neither in a "]" that may begin "]]>" nor in an unfinished reference.

    The states read DOCTYPEs, entities with markup, tags that the DOCTYPE has written anew, prefixes that are no names
    or that the markup binds otherwise, entities in namespace names, some end tags within many elements, CDATA sections
    outside the root, and what the end of the text cuts off.
    """

    def __new__(
        cls,
        codes: tuple[RunCode | None, ...],
        stack: list[str],
        open_names: dict[str, int],
        found: dict[bytes, Found],
        max_depth: int,
        has_fifth_edition_names: bool,
        wanted: bytes | None,
        takes_errors: bool,
        keeps_lines: bool,
        takes_pairs: bool,
        checks_ids: bool,
        /,
    ) -> Content:
        """Begin a document.

        Args:
            codes: what errors have of each kind, in the order of `run_codes`.
            stack: the names of the open elements, from the outermost, and
            open_names: the same names. Both change as elements are opened and ended.
            found: what names mean; it may find by ``__missing__`` what it lacks. Else the states know.
            max_depth: how deep elements may nest in the markup; deeper ones are attached to an outer one.
            has_fifth_edition_names: names of the fifth edition of XML 1.0 can be written, not only those of the fourth.
            wanted: the local name of the elements to be noted, empty for those of all names; None: none.
            takes_errors: a run may have errors, and elements that are too deep.
            keeps_lines: newlines that are left out of the markup are before the end of the next tag.
            checks_ids: the states read tags with `xml:id`.
            takes_pairs: two references to the halves of a surrogate pair are one to its character.
        """

    def read(
        self,
        data: bytes,
        prefixes: dict[str, str | None],
        declared: dict[bytes, TagRule],
        judge: Judge | None,
        start: int,
        stop: int,
        added: int,
        missing: int,
        flags: int,
        barrier: int,
        offset: int,
        line: int,
        column: int,
        /,
    ) -> Run:
        """Read a run.

        Args:
            data: a text of the document in UTF-8, without carriage returns.
            prefixes: the prefixes in scope without `xml`, and their namespaces; None if names have others in the
                markup.
            declared: the effect of attribute declarations, by the name of the element.
            judge: judges children of elements, or None.
            start: where the run begins: in content, between two tokens or within text.
            stop: nothing from this place on is read.
            added: the characters that defaults and entities may still add, as the budget counts them.
            missing: how many newlines the markup lacks before `start`; less than 0: it has too many.
            flags: 1 if a forbidden character of the current text has been reported; twice the number of brackets, at
                most two, in which the text in the markup ends; 8 if the markup of the run must have all newlines of the
                document; 16 if an element has been reported that is too deep, and all since have been, too; 32 if the
                markup has an element open at the greatest depth; 64 if there has been no element yet; 128 if U+FFFD
                is in no name, as it stands for characters that were replaced; 256 if control characters have not been
                reported; 512 if `is_plain` is true of the data.
            barrier: the number of the outermost open elements that the run may not end.
            offset, line, column: the place of `start` in the document.

        Returns:
            * where the run ends;
            * the first place worth another try: before it there is only text and what the states must read;
            * the markup; None: as it stands;
            * the number of open elements that it ends, and a list of the names that it opens and does not end;
            * the offset, line and column of its end in the document;
            * what defaults and entities take from the budget;
            * its errors, in the order of their reports, by the rules of `note_error` in run.h. Details of a wrong end
              tag begin with its name, the least depth since the one before, and the depth after it, relative to the
              start. Then ``mismatched-end-tag`` has the current element's name, and how many elements it ended besides
              its own; ``unmatched-end-tag``, whether only white space follows in the run;
            * the least depth after the last wrong end tag; None if there is none;
            * the scopes of the opened elements, from the outermost, and pairs of the index and the name in the markup
              of those with another name there;
            * `missing` and `flags` after the run;
            * notes on elements, in the order of the tree; None if none are wanted. That an element begins: the offset
              and line of its start tag. That it ends: the offset after its end tag; or after the token that ends it
              instead, with offset, line and column of that. Two or more elements that follow one another, none of them
              in another, are a list, unless all elements are noted: offsets and lines of start tags, the offsets
              after end tags, and the places of start tags in the run, each as numbers of 8 bytes.
        """

def run_codes() -> list[str | None]:
    """Return the codes of kinds of errors; None for what the library decides."""

def sources() -> int: ...
def has_error(data: bytes, start: int, stop: int, levels: int, has_fifth_edition_names: bool, /) -> bool | None:
    """Return whether a document without a DOCTYPE has an error.

    Args:
        data: the document in UTF-8.
        start: a place in its prolog, after the XML declaration.
        stop: where it ends, or what is looked through of it.
        levels: how deep elements are looked at.
        has_fifth_edition_names: see `Content`.

    Returns:
        False: there is none, and the root element has ended. None: it is not known, as something is for the states.
    """

def seems_broken(data: bytes, /) -> bool:
    """Return whether a document in UTF-8 without a DOCTYPE is likely to have an error, which `has_error` finds."""

def is_plain(data: bytes, allows_controls: bool, /) -> bool:
    """Return whether bytes are UTF-8, without carriage returns and characters that XML does not allow.

    With `allows_controls`, there may be control characters other than U+0000 and U+000C.
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
    seed: int, columns: tuple[tuple[int, bool], ...], texts: tuple[int, ...], is_table: bool, keeps_markup: bool, /
) -> Columns:
    """Begin to read repaired markup.

    Args:
        seed: a random number of 32 bits.
        columns: kinds of columns, and whether all their values are wanted, as lists, or the first of each record.
        texts: the columns for the text of records.
        is_table: whether there are tables of elements instead of such columns.
        keeps_markup: whether the markup of each record is kept, in an element that declares its namespaces.
    """

def feed_columns(columns: Columns, names: Names, markup: bytes, /) -> tuple[bytes, bool, int]:
    """Read a part of markup, whole tokens; only CDATA sections may be cut. What is asked of names is always the same.

    Returns:
        For each element of the local name of records that has ended, 1 if it is a record, else 0; whether the records
        that have ended had better be taken; and how many bytes are as they should be.
    """

def read_columns(
    columns: Columns,
    names: Names,
    window: bytes,
    start: int,
    levels: int,
    has_fifth_edition_names: bool,
    most: int,
    is_first: bool,
    is_last: bool,
    /,
) -> tuple[list[tuple[tuple[int, list[Any], tuple[Any, ...] | None, bytes, bool], bytes, int]], int] | bool | None:
    """Read a window of a document that is its own markup, and see whether it has an error.

    Args:
        start, levels, has_fifth_edition_names: see `has_error`; only the first window has them.
        most: the most records to take at a time.
        is_first: the document begins with the window, else where the last window has been read to.
        is_last: the document ends with the window.

    Returns:
        Its records, and how far it has been read, as tokens may be cut by its end. Records are up to `most` at a time,
        as of `take_columns`, with their places, and how many other elements of their local name have ended. A place has
        line, bytes and characters before the start tag, and those of the end, in 64 bits each; characters are counted
        if there is markup of records, but no table. If there is an error, or that is not known, what `has_error`
        returns; then nothing else can be done with the columns.
    """

def take_columns(
    columns: Columns, ranges: tuple[tuple[int, int], ...], stop: int, /
) -> tuple[int, list[Any], tuple[Any, ...] | None, bytes, bool]:
    """Take records that have ended, by their order since the last call; drop others before `stop`.

    Returns:
        How many they are, their values, their markup, for each 1 if tables do not have all its values, and whether any
        record so far has begun in another one. Markup is what earlier parts had of it, in a start tag that declares
        its namespaces, and three numbers of 8 bytes: the last part, from 1, and where that goes on with it and ends it.
        Values are columns, or members of tables: kind ("attribute", "child",
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

def open_search(
    costs: tuple[int, ...], lists_names: bool, roots: bool, root_names: tuple[bytes, ...], seed: int, /
) -> Search:
    """Return a search, for xml5tree/intent/compiled.py; costs as in `list_costs`; the seed is that of its hashes.

    With `lists_names`, only Python knows how tags of a name are read, until one of them has been read.
    """

def step_search(
    search: Search,
    ask: Callable[[int, bool], Asked],
    source: bytes,
    base: int,
    fed: int,
    is_final: bool,
    /,
) -> tuple[int, int, int, int, int, int, list[SearchStep]]:
    """Make the next steps of a search, for which enough text is there.

    Args:
        search: it must not be at work.
        ask: returns the edges of a doubtful place, each as kind, name, begin, end, column, facts and cost.
        source: the text, from `base` to `fed`.
        is_final: whether the document ends there.

    Returns:
        The end of the steps; what is decided; where the text begins that is read again if an error follows; where a
        start tag begins that may be changed yet, or -1; the cost of what is decided; where the beam first began, or -1;
        and steps, each as in `Step`, with kind, name, begin, end, facts, index and changes of the edge. The index is
        negative if it is not one of those that were asked for; it may have changes then, the first of which has the
        operation.
    """

def tell_search(
    search: Search, rows: tuple[tuple[bytes, bool, tuple[bytes, ...] | None, tuple[bytes, ...]], ...], /
) -> None:
    """Take the rows of `Knowledge`, before the first step."""

def count_search(search: Search, kind: int, name: bytes, /) -> int:
    """Return how many start and empty tags (0), start tags (1) or end tags (2) have a name, as far as is known."""
