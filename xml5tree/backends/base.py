"""What a backend is."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Protocol

from xml5tree.errors.entry import ErrorEntry
from xml5tree.errors.log import ParseError, refused
from xml5tree.options import Settings
from xml5tree.xml.limits import Limits

__all__ = ["Backend", "Events", "FeedParser", "PullParser", "RecordParser"]


class FeedParser(Protocol):
    """A native parser that is fed."""

    def feed(self, data: Any, /) -> object:
        """Take the next part of a document."""

    def close(self) -> Any:
        """End the document; return what was made of it, such as the root element."""


class PullParser(FeedParser, Protocol):
    """A native parser that is fed and asked for events."""

    def read_events(self) -> Iterator[tuple[str, Any]]:
        """Return the events since they were last read."""


class RecordParser(FeedParser, Protocol):
    """A native parser that is fed and asked for the elements of a name, and does not keep the rest of the tree."""

    def read_ends(self) -> list[Any]:
        """Return the elements of the name that have ended since they were last read."""

    def prune(self, has_inner: bool) -> None:
        """Take out of the tree what has been read; see `Pruner.prune`."""

    def purge(self, record: Any) -> None:
        """Take the records out of a record that has ended."""


class Events:
    """The events of one document, as its native parser reports them; subclasses report others too, or leave some out.

    Attributes:
        native: the native parser, which the document is fed to.
    """

    def __init__(self, native: PullParser) -> None:
        """Take the native parser."""
        self.native = native

    def read_events(self) -> Iterator[tuple[str, Any]]:
        """Return the events since they were last read."""
        return self.native.read_events()

    def read_rest(self) -> Iterator[tuple[str, Any]]:
        """Return the events after all those of elements, once the document has ended or is refused.

        Here there are none.
        """
        return iter(())

    def show_root(self) -> None:
        """Show the end of a root element that is not part of the document: where none is hidden, it is shown anyway."""

    def errors_of(self, element: Any) -> tuple[ErrorEntry, ...]:
        """Return the errors that lie in an element; see `xml5tree.XMLPullParser.errors_of`.

        Raises:
            ValueError: they are not known, as always here, or no longer.
        """
        raise ValueError('the errors of elements are not known: ask for them by on_bad="mark" or events of "error"')


class Backend(ABC):
    """One library's native parser.

    Attributes:
        limits: what it can read.
        refusals: the exceptions by which it refuses a document.
        one_thread: whether a document that is fed must stay in the thread in which it has begun.
    """

    limits: ClassVar[Limits]
    refusals: ClassVar[tuple[type[Exception], ...]]
    one_thread: ClassVar[bool] = False

    @abstractmethod
    def make_parser(self, target: object | None) -> FeedParser:
        """Return a parser for repaired markup, which is fed as UTF-8; `target` as the native parser takes it."""

    @abstractmethod
    def make_strict_parser(self, target: object | None, settings: Settings) -> FeedParser:
        """Return a parser for a document as it is, bytes or text, which refuses one that is not well-formed."""

    @abstractmethod
    def make_pull_parser(self, events: Iterable[str], tag: str | Iterable[str] | None) -> PullParser:
        """Return a parser for repaired markup, which is fed as UTF-8, that reports events.

        Args:
            events: which kinds of events are reported.
            tag: name or names of the elements whose start and end are reported, with the wildcards of lxml (``*``,
                ``{uri}*``, ``{*}name``); None: all.

        Raises:
            ValueError: there is no such event, or a name is none.
        """

    @abstractmethod
    def make_strict_pull_parser(
        self, events: Iterable[str], tag: str | Iterable[str] | None, settings: Settings
    ) -> PullParser:
        """Return a parser for a document as it is, bytes or text, that reports events; see `make_pull_parser`."""

    @abstractmethod
    def make_record_parser(
        self, local_name: str, is_record: Callable[[Any], bool], root: Callable[[], str]
    ) -> RecordParser:
        """Return a parser for repaired markup, which is fed as UTF-8, for records.

        Args:
            local_name: the local name of elements that may be records; "" for all elements.
            is_record: tells whether an element, comment or the like is a record.
            root: tells the name of the root element in the markup; called when the parser is fed, it may be "" before
                that is there.
        """

    @abstractmethod
    def compile_path(self, path: str, prefixes: Mapping[str, str]) -> Callable[[Any], Any]:
        """Return a function that follows a path from an element on: to a list of elements or strings, or one value.

        Args:
            path: the path, as the library has it; for both, that is at least a path of ElementTree's, perhaps with
                ``/text()`` or ``/@attribute`` at its end.
            prefixes: URIs of the prefixes in it.

        Raises:
            ValueError: it is none.
        """

    def compile_value(self, path: str, prefixes: Mapping[str, str]) -> Callable[[Any], Any]:
        """Return a function that gives the first of what a path finds from an element on, as text, or the one value.

        See `compile_path`; where nothing is found, it gives None.
        """
        from xml5tree.backends.elementpath import first_value  # only records have values

        return first_value(self.compile_path(path, prefixes))

    def flush(self, parser: FeedParser) -> None:  # noqa: B027  # most parsers hold nothing back
        """Have a parser of this backend read what it holds back, if it does so; may raise one of `refusals`."""

    def close(self, parser: FeedParser) -> Any:
        """Close a parser of this backend and return what it made; raises one of `refusals` if it lost any of that."""
        return parser.close()

    @abstractmethod
    def only_child(self, root: Any) -> Any:
        """Return the only child of a root element, as the root of a tree of its own.

        The root element around it is not part of the document.
        """

    @abstractmethod
    def as_root(self, element: Any) -> Any:
        """Return a copy of an element as the root of a tree of its own, which may share the elements in it."""

    @abstractmethod
    def parse_whole(self, data: bytes | str, settings: Settings) -> Any:
        """Return the root element of a document that is well-formed; raises one of `refusals` for another."""

    @abstractmethod
    def parse_markup(self, markup: bytes) -> Any:
        """Return the root element of a whole document in UTF-8 without a DOCTYPE.

        What it declares as its encoding does not count; comments and processing instructions are not in the tree.
        Raises one of `refusals` for a document that is not well-formed or namespace-well-formed.
        """

    @abstractmethod
    def make_tree(self, root: Any, source: Any) -> Any:
        """Return the element tree around a root element; `source`: the path or file object that was read, or None."""

    def exception(self, refusal: Exception, filename: str | None = None) -> ParseError:
        """Return the exception for a document that the native parser has refused; `filename`: see `ErrorEntry`."""
        return refused(str(refusal), self.position(refusal), filename)

    @abstractmethod
    def position(self, refusal: Exception) -> tuple[int, int]:
        """Line (from 1) and column (from 0) of a refusal, as far as it says."""
