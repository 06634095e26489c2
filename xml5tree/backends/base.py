"""The interfaces of native parsers and backends."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Protocol

from xml5tree.backends.pruning import Pruner
from xml5tree.backends.tags import LocalNames, tags_pattern
from xml5tree.errors.entry import ErrorEntry
from xml5tree.errors.log import ParseError, refused
from xml5tree.options import Settings
from xml5tree.xml.limits import ReaderLimits


class FeedParser(Protocol):
    """A native parser that is fed."""

    def feed(self, data: Any, /) -> object:
        """Take the next part of a document."""

    def close(self) -> Any:
        """End the document and return the parser's result, such as the root element."""


class PullParser(FeedParser, Protocol):
    """A native parser that is fed, and that collects events."""

    def read_events(self) -> Iterator[tuple[str, Any]]:
        """Return the events since they were last read."""


class Observer(Protocol):
    """Sees all elements among which records are."""

    @property
    def wanted(self) -> set[int]:
        """The open elements that are not to be pruned, by `id`."""

    def read(self, events: Iterable[tuple[str, Any]], is_named: Mapping[str, bool], /) -> list[Any]:
        """Take the starts and ends of elements; return the elements of a name that have ended."""


class RecordParser(ABC):
    """A native parser that is fed, collects the elements of one name, and drops the rest of the tree."""

    def __init__(
        self,
        local_name: str,
        is_record: Callable[[Any], bool],
        root: Callable[[], str],
        observer: Observer | None = None,
    ) -> None:
        """Begin to collect records from repaired markup in UTF-8.

        Elements of the local name may be records, all for ""; `is_record` decides about a node. `root` returns the name
        of the markup's root element, "" while it is unknown. An `observer` is told of all elements.
        """
        self._name = local_name
        self._has_name = LocalNames(local_name)
        self._root_name = root
        self._root: Any = None
        self._observer = observer
        self._pruner = Pruner(is_record, None if observer is None else observer.wanted)
        #: Removes the records inside a record that has ended.
        self.purge = self._pruner.purge

    @abstractmethod
    def feed(self, data: Any, /) -> None:
        """Take the next part of a document."""

    @abstractmethod
    def close(self) -> Any:
        """End the document."""

    @abstractmethod
    def read_ends(self) -> list[Any]:
        """Return the elements of the name that have ended since they were last read."""

    def prune(self, has_inner: bool) -> None:
        """Drop the part of the tree that has been read; see `Pruner.prune`."""
        if self._root is not None:
            self._pruner.prune(self._root, has_inner)


class Events:
    """The events of one document, which is fed to `native`. Subclasses add events or leave some out.

    They show events of the kinds in `events`, and starts and ends of elements of the names `tag` only; None: of all.
    """

    def __init__(
        self,
        native: PullParser,
        events: Iterable[str] = (),
        tag: str | Iterable[str] | None = None,
        *,
        hides_root: bool = False,
    ) -> None:
        """Set what is shown; with `hides_root`, not the markup's root element, which is not in the document."""
        self.native = native
        self._wanted = frozenset(events)
        self._tags = None if tag is None else tags_pattern(tag)
        self._hides_root = hides_root
        self._hidden: Any = None  # that element, once it has begun
        self._shows_root = False  # whether its end is shown after all

    def read_events(self) -> Iterator[tuple[str, Any]]:
        """Return the events since they were last read."""
        events = self.native.read_events()
        return (event for event in events if self._is_wanted(*event)) if self._hides_root else events

    def read_rest(self) -> Iterator[tuple[str, Any]]:
        """Return the events after the last element, once the document has ended or is refused."""
        return iter(())

    def show_root(self) -> None:
        """Show the end of a hidden root element, if one is hidden."""
        self._shows_root = True

    def _is_wanted(self, event: str, item: Any) -> bool:
        if (self._hides_root and self._is_of_root(event, item)) or event not in self._wanted:
            return False
        return self._tags is None or event not in ("start", "end", "text") or bool(self._tags.fullmatch(item.tag))

    def _is_of_root(self, event: str, item: Any) -> bool:
        """Return whether an event is of the hidden root element."""
        if self._hidden is None:
            self._hidden = item if event == "start" else None
            return True
        return item is self._hidden and not self._shows_root

    def errors_of(self, element: Any) -> tuple[ErrorEntry, ...]:
        """See `xml5tree.XMLPullParser.errors_of`; raises `ValueError` where errors are unknown, as here."""
        raise ValueError('the errors of elements are not known: ask for them by on_bad="mark" or events of "error"')

    def span_of(self, element: Any) -> tuple[int, int]:
        """See `xml5tree.XMLPullParser.span_of`; raises `ValueError` where spans are unknown, as here."""
        raise ValueError("the spans of elements are not known: ask for them by spans=True")


class Backend(ABC):
    """One library's native parser.

    Attributes:
        limits: the most that the parser reads.
        refusals: the exceptions by which the parser refuses a document.
        record_parser: the class of parsers that collect records.
        one_thread: whether a document that is fed must stay in the thread in which it began.
        has_empty_texts: whether a path to text, but for one with braces, leads to that of an empty CDATA section.
        calls_close: whether a target must have a method ``close``.
        block: bytes of a document that are best read at a time, if its tree is pruned after each block.
        library: the module whose ``Element`` and ``SubElement`` build the parser's tree in less time than the parser;
            None if the parser is as fast.
    """

    limits: ClassVar[ReaderLimits]
    refusals: ClassVar[tuple[type[Exception], ...]]
    record_parser: ClassVar[type[RecordParser]]
    one_thread: ClassVar[bool] = False
    has_empty_texts: ClassVar[bool] = False
    calls_close: ClassVar[bool] = False
    block: ClassVar[int] = 1 << 15
    library: ClassVar[Any] = None

    @abstractmethod
    def make_parser(self, target: object | None) -> FeedParser:
        """Return a parser for repaired markup in UTF-8; `target` is as the native parser takes it."""

    @abstractmethod
    def make_strict_parser(self, target: object | None, settings: Settings) -> FeedParser:
        """Return a parser for an unrepaired document, bytes or text, which raises for malformed ones."""

    @abstractmethod
    def make_pull_parser(self, events: Iterable[str], tag: str | Iterable[str] | None) -> PullParser:
        """Return a parser for repaired markup in UTF-8 that reports events of these kinds.

        `tag` is the name or names of the elements whose start and end are reported, with lxml's wildcards; None: all.
        Raises `ValueError` for an unknown event or an invalid name.
        """

    @abstractmethod
    def make_strict_pull_parser(
        self, events: Iterable[str], tag: str | Iterable[str] | None, settings: Settings
    ) -> PullParser:
        """Return such a parser for an unrepaired document, bytes or text."""

    @abstractmethod
    def compile_path(self, path: str, prefixes: Mapping[str, str]) -> Callable[[Any], Any]:
        """Return a function that follows a path from an element to a list of elements or strings, or to one value.

        The path is one of the library, or of ElementTree, perhaps with ``/text()`` or ``/@attribute`` at its end.
        `prefixes` has the URIs of its prefixes. Raises `ValueError` for an invalid path.
        """

    def compile_value(self, path: str, prefixes: Mapping[str, str]) -> Callable[[Any], Any]:
        """Return a function that returns the first result of a path as text, or None."""
        from xml5tree.backends.elementpath import first_value  # only records have values

        return first_value(self.compile_path(path, prefixes))

    def flush(self, parser: FeedParser) -> None:  # noqa: B027  # most parsers hold nothing back
        """Have a parser of this backend read the input that it holds back; may raise one of `refusals`."""

    def close(self, parser: FeedParser) -> Any:
        """Close a parser of this backend and return its result; raises one of `refusals` if anything was lost."""
        return parser.close()

    @abstractmethod
    def only_child(self, root: Any) -> Any:
        """Return the only child of a hidden root element, as the root of a tree of its own."""

    @abstractmethod
    def as_root(self, element: Any) -> Any:
        """Return a copy of an element as a root; the copy may share its descendants."""

    @abstractmethod
    def parse_whole(self, data: bytes | str, settings: Settings) -> Any:
        """Return the root element of a well-formed document; raises one of `refusals` for any other."""

    @abstractmethod
    def parse_markup(self, markup: bytes) -> Any:
        """Return the root element of a document in UTF-8 without a DOCTYPE; leave out comments and instructions.

        An encoding declaration is ignored. Raises one of `refusals` for a document that is not namespace-well-formed.
        """

    @abstractmethod
    def make_tree(self, root: Any, source: Any) -> Any:
        """Return the element tree around a root; `source` is the path or file object that was read, or None."""

    def exception(self, refusal: Exception, filename: str | None = None) -> ParseError:
        """Return the `ParseError` for a document that the native parser has refused."""
        return refused(str(refusal), self.position(refusal), filename)

    @abstractmethod
    def position(self, refusal: Exception) -> tuple[int, int]:
        """Return line (from 1) and column (from 0) of a refusal, as far as it has them."""
