"""The fast path as the tokenizer and tree construction know it: it asks a scan, and tells what that has found."""

from typing import Final, Protocol

from xml5tree.dtd.attributes import DeclaredAttributes
from xml5tree.fastpath.contract import Cache, Limits, Scanner, TagRule
from xml5tree.fastpath.defaults import tag_rules
from xml5tree.tree.namespaces import Namespaces
from xml5tree.xml.names import FIFTH_EDITION, NameRules

__all__ = ["FastPath", "TreeConstruction"]

#: Runs of fewer characters, so many one after the other, show that errors are dense.
_SHORT: Final = 128
_SHORT_IN_A_ROW: Final = 4
#: Open elements that a run may end, and characters of their names. Each scan reads these names, as it does the prefixes
#: in scope; if they could be of any length, time would grow with their length times the runs.
_MOST_ENDED: Final = 6
_MOST_NAMES: Final = 1024
#: Characters of the prefixes in scope.
_MOST_PREFIXES: Final = 2048


class TreeConstruction(Protocol):
    """What the fast path asks of tree construction, and tells it.

    Attributes:
        namespaces: the scopes of the open elements.
        declared: what the attribute declarations of the DOCTYPE do to elements; it does not change once an element is
            open.
    """

    namespaces: Namespaces
    declared: DeclaredAttributes

    def may_append_run(self) -> bool:
        """Whether content can be written verbatim here; then `append_run` may follow, and nothing else."""

    def clean_elements(self, most: int, characters: int) -> list[str]:
        """Different names of the innermost open elements whose end tags can be written verbatim; not the root.

        Args:
            most: how many there may be.
            characters: how many characters they may have together.
        """

    def levels_left(self) -> int:
        """How many more elements can be open at a time before the depth matters."""

    def append_run(self, markup: bytes, source: bytes, newlines: int, ended: int, opened: list[str]) -> None:
        """Write an error-free run.

        Args:
            markup: the run in UTF-8, with attribute defaults.
            source: the run in UTF-8.
            newlines: how many there are in it.
            ended: how many of the open elements it ends.
            opened: the names of the elements that it opens and does not end.
        """


class FastPath:
    """The fast path of one document. It works where an element is open."""

    def __init__(self, construction: TreeConstruction, scanner: Scanner, names: NameRules) -> None:
        """Set what it connects.

        Args:
            construction: tree construction.
            scanner: what finds error-free runs.
            names: the names that the reader of the markup can read.
        """
        self._construction = construction
        self._scanner = scanner
        self._has_fifth_edition_names = names is FIFTH_EDITION
        self._rules: dict[bytes, TagRule] | None = None  # made when the DOCTYPE has been read
        self._version = -1  # of the namespaces in scope that these are the prefixes of:
        self._prefixes: dict[str, str] | None = None  # None: not all names can be written verbatim
        self._text = _Text("", "", b"")
        self._resume = 0  # place in the text's data before which asking is pointless
        self._short = 0  # short runs since a longer one
        self._rest_end = 0  # index in the text up to which everything is left to the states

    def load(self, text: str, chunk: str, utf8: bytes) -> None:
        """Go on to another text, which ends in a chunk that is also there in UTF-8, so that it is not encoded twice."""
        self._text = _Text(text, chunk, utf8)
        self._resume = self._rest_end = 0

    def take(self, start: int) -> int:
        """Append the error-free run at an index of the text, which is in the data state there; the index of its end."""
        text, construction = self._text, self._construction
        if (
            len(text.characters) - start < self._scanner.least
            or start < self._rest_end
            or not construction.may_append_run()
        ):
            return start
        prefixes = self._prefixes_in_scope()
        if prefixes is None:
            return start
        place = text.go_to(start)
        if place < self._resume:
            return start
        data = text.data
        if self._rules is None:
            self._rules = tag_rules(construction.declared)
        budget = construction.declared.budget
        end, self._resume, markup, ended, opened, characters, newlines, cost = self._scanner.scan(
            data,
            place,
            len(data),
            construction.clean_elements(_MOST_ENDED, _MOST_NAMES),
            prefixes,
            self._rules,
            Limits(construction.levels_left(), budget.left(), self._scanner.least, self._has_fifth_edition_names),
            text.cache,
        )
        if end > place:
            budget.spend(cost)
            source = data[place:end]
            construction.append_run(source if markup is None else markup, source, newlines, ended, opened)
            start += characters
            text.note(start, end)
        if self._resume > place:
            self._rest_after(start, characters)
        return start

    def _prefixes_in_scope(self) -> dict[str, str] | None:
        """The prefixes with which names can be written verbatim; None where not all others can be, or for too many."""
        namespaces = self._construction.namespaces
        if namespaces.version != self._version:
            self._version = namespaces.version
            prefixes = namespaces.clean_prefixes()
            if prefixes is not None and sum(map(len, prefixes)) > _MOST_PREFIXES:
                prefixes = None
            self._prefixes = prefixes
        return self._prefixes

    def _rest_after(self, end: int, length: int) -> None:
        """Leave what follows to the states if the run that ends here and those before it are too short."""
        self._short = self._short + 1 if length < _SHORT else 0
        if self._short >= _SHORT_IN_A_ROW:
            self._rest_end = end + self._scanner.rest


class _Text:
    """A text that is being read, and the same in UTF-8."""

    __slots__ = ("_chunk", "_data", "_index", "_place", "_utf8", "cache", "characters")

    def __init__(self, text: str, chunk: str, utf8: bytes) -> None:
        self.characters = text
        self.cache = Cache()
        self._chunk = chunk
        self._utf8 = utf8
        self._data: bytes | None = None
        self._index = 0  # in the text, of the place that was gone to last,
        self._place = 0  # and in the data

    @property
    def data(self) -> bytes:
        """The text in UTF-8, which is made when it is first asked for."""
        if self._data is None:
            self._data = self.characters[: len(self.characters) - len(self._chunk)].encode() + self._utf8
        return self._data

    def go_to(self, index: int) -> int:
        """The place in the data of an index of the text; none before it is asked for again."""
        if len(self.data) == len(self.characters):
            return index
        self._place += len(self.characters[self._index : index].encode())
        self._index = index
        return self._place

    def note(self, index: int, place: int) -> None:
        """Note which place belongs to an index."""
        self._index, self._place = index, place
