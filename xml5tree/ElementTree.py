"""A drop-in for `xml.etree.ElementTree` that reads broken documents.

Functions and classes that read documents are this module's own, and also take the options of
`xml5tree.options.Settings`. All else is the same object as in the standard module, `ParseError` included, of which
`DocumentError` is a subclass. A parser passed to them is used unchanged: one of the standard module is still strict.
"""

import io
import xml.etree.ElementTree as _standard
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar, Unpack, overload
from xml.parsers.expat import errors as _expat

from xml5tree import parser as _parser
from xml5tree import streaming as _streaming
from xml5tree.dialects import make_settings
from xml5tree.documents import Document, Parts, blocks
from xml5tree.errors import log as _log
from xml5tree.options import EventOptions, Settings, TreeOptions
from xml5tree.typing import ElementEvent, Item, Result, Target

# As their own names, so that type checkers take them for names of this module.
# isort: off
from xml.etree.ElementTree import (
    PI as PI,
    C14NWriterTarget as C14NWriterTarget,
    Comment as Comment,
    Element as Element,
    ParseError as ParseError,
    ProcessingInstruction as ProcessingInstruction,
    QName as QName,
    SubElement as SubElement,
    TreeBuilder as TreeBuilder,
    dump as dump,
    indent as indent,
    iselement as iselement,
    register_namespace as register_namespace,
    tostring as tostring,
    tostringlist as tostringlist,
)
# isort: on

__all__: list[str] = []
__all__ += _standard.__all__  # with "VERSION", which `__getattr__` gives: newer versions warn of it

if TYPE_CHECKING:
    from xml5tree.errors.entry import ErrorEntry

    _ElementTree = _standard.ElementTree[Element]
    _Events = _streaming.iterparse[Element, Element]
    _OtherEvents = _streaming.iterparse[Element, Element | tuple[Element | str, str] | ErrorEntry | None]
else:
    _ElementTree = _standard.ElementTree


_Arguments = ParamSpec("_Arguments")
_Returned = TypeVar("_Returned")

#: The codes of exceptions for which expat has a number of its own; others are "parsing aborted".
_NUMBERS: Final = {
    "no-root-element": _expat.codes[_expat.XML_ERROR_NO_ELEMENTS],
    "not-well-formed": _expat.codes[_expat.XML_ERROR_INVALID_TOKEN],
    "parsing-finished": _expat.codes[_expat.XML_ERROR_FINISHED],
}
_ABORTED: Final[int] = _expat.codes[_expat.XML_ERROR_ABORTED]


class DocumentError(_log.ParseError):
    """A document is refused: an `xml5tree.ParseError` whose `code` is a number, as in the standard module.

    Attributes:
        code: expat's number for the error, one of `xml.parsers.expat.errors.codes`.
        reason: xml5tree's code, such as ``"no-root-element"``.
        position: line (from 1) and column (from 0).
        filename: path, name or URL of the document, or None.
        errors: the log of all errors found in the document.
    """

    code: int  # type: ignore[assignment]

    def __init__(
        self, message: str, reason: str, position: tuple[int, int], errors: _log.ErrorLog, code: int | None = None
    ) -> None:
        super().__init__(message, reason, position, errors)
        if code is None and reason == "no-root-element" and any(entry.code != reason for entry in errors):
            code = _expat.codes[_expat.XML_ERROR_SYNTAX]
        self.code = _NUMBERS.get(reason, _ABORTED) if code is None else code
        self.reason = reason

    def __reduce__(self) -> tuple[type, tuple[object, ...], dict[str, object]]:
        state: dict[str, object] = {"args": self.args, "msg": self.msg, "filename": self.filename}
        return type(self), ("", self.reason, self.position, self.errors, self.code), state


def _with_numbers(function: Callable[_Arguments, _Returned]) -> Callable[_Arguments, _Returned]:
    """Return a function that raises a `DocumentError` where `function` raises another `ParseError`."""

    @wraps(function)
    def call(*arguments: _Arguments.args, **named: _Arguments.kwargs) -> _Returned:
        try:
            return function(*arguments, **named)
        except _log.ParseError as error:
            raise _numbered(error) from error.__cause__

    return call


def _numbered(error: _log.ParseError) -> DocumentError:
    if isinstance(error, DocumentError):
        return error
    numbered = DocumentError(
        error.reason, error.code, error.position, error.errors, getattr(error.__cause__, "code", None)
    )
    numbered.filename = error.filename
    return numbered


def __getattr__(name: str) -> Any:
    """Return a name of the standard module that this module lacks."""
    return getattr(_standard, name)


class XMLParser(_parser.XMLParser[Result]):
    """See `xml.etree.ElementTree.XMLParser` and `xml5tree.XMLParser`.

    Attributes:
        entity: text by name for entities that the document does not declare, besides those of the option `entities`.
        target: the target that is called for elements and text.
        version: the version of expat.
    """

    version: str = _standard.XMLParser().version

    @overload
    def __init__(self: "XMLParser[Element]", *, target: None = None, **options: Unpack[TreeOptions]) -> None: ...
    @overload
    def __init__(self, *, target: Target[Result], **options: Unpack[TreeOptions]) -> None: ...
    @overload
    def __init__(self: "XMLParser[Any]", *, target: object, **options: Unpack[TreeOptions]) -> None: ...
    def __init__(self, *, target: Any = None, **options: Unpack[TreeOptions]) -> None:
        """Set the options.

        Args:
            target: an object that is called for elements and text. None: a `TreeBuilder`.
            **options: see `xml5tree.options.Settings`. `xml5tree.XMLParser` says what is raised.
        """
        self.entity: dict[str, str] = {}
        settings = make_settings(options)[1]
        if settings.takes("entities"):
            options["entities"] = ChainMap(self.entity, settings.named_entities)  # type: ignore[arg-type]  # only read
        super().__init__(backend="etree", target=target, **options)
        self.target: Any = None
        self._has_ended = False
        self._cycle.prepare(self._begin)

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError(
            f"a {type(self).__name__} cannot be copied or pickled, as those of xml.etree.ElementTree cannot"
        )

    def _begin(self) -> _parser.Session:
        session = super()._begin()
        self.target = session.native.target
        return session

    @_with_numbers
    def _step(self, action: Callable[[_parser.Session], Any], *, last: bool = False) -> Any:
        if self._has_ended:
            raise DocumentError("parsing finished", "parsing-finished", (1, 0), self.error_log)
        result = super()._step(action, last=last)
        self._has_ended = last
        return result

    def _setevents(self, queue: Any, events: Any) -> None:
        self._cycle.give_up()
        self._step(lambda session: session.native._setevents(queue, events))

    def flush(self) -> None:
        """Pass on input that an incomplete token holds back; raise `ParseError` if the document is refused."""
        if self.is_feeding:
            self._step(_parser.Session.flush)


class XMLPullParser(_streaming.XMLPullParser[Element, Item]):
    """See `xml.etree.ElementTree.XMLPullParser` and `xml5tree.XMLPullParser`."""

    @overload
    def __init__(
        self: "XMLPullParser[Element]", events: Iterable[ElementEvent] | None = None, **options: Unpack[EventOptions]
    ) -> None: ...
    @overload
    def __init__(
        self: "XMLPullParser[Element | tuple[str, str] | ErrorEntry | None]",
        events: Iterable[str],
        **options: Unpack[EventOptions],
    ) -> None: ...
    def __init__(self, events: Iterable[str] | None = None, **options: Unpack[EventOptions]) -> None:
        """Set the options.

        Args:
            events: the kinds of events to report. None: ``("end",)``.
            **options: see `xml5tree.XMLPullParser`, which also says what is raised.
        """
        super().__init__(_kinds(events), backend="etree", **options)

    def read_events(self) -> Iterator[tuple[str, Item]]:
        """Yield the events so far, as `xml5tree.XMLPullParser.read_events`; raise `DocumentError` if it is refused."""
        try:
            yield from super().read_events()
        except _log.ParseError as error:
            raise _numbered(error) from error.__cause__

    @_with_numbers
    def close(self) -> None:
        """End the document, and return nothing; raise `ParseError` if it has no root element, or is refused."""
        super().close()

    def flush(self) -> None:
        """Pass on input that an incomplete token holds back, as only with ``recovery="strict"``."""
        if self._cycle.is_feeding:
            self._step(_parser.Session.flush)


def _kinds(events: Iterable[str] | None) -> tuple[str, ...]:
    """Return the kinds of events; of a string, as in the standard module, each letter is one, and unknown."""
    return ("end",) if events is None else tuple(events)


class _Iterparse(_streaming.iterparse[Element, Any]):
    @_with_numbers
    def __next__(self) -> tuple[str, Any]:
        return super().__next__()


class _TreeType(type):
    """The type of `ElementTree`, of which those of the standard module are instances, too."""

    def __instancecheck__(cls, instance: object) -> bool:
        of_both = cls is ElementTree and isinstance(instance, _standard.ElementTree)
        return of_both or super().__instancecheck__(instance)


class ElementTree(_ElementTree, metaclass=_TreeType):
    """See `xml.etree.ElementTree.ElementTree`."""

    _root: Any

    @_with_numbers
    def parse(self, source: Any, parser: Any = None, **options: Unpack[TreeOptions]) -> Element:
        """Read a file, well-formed or not; return the root element, or the result of the parser's target.

        Args:
            source: a path, or a file object open for reading bytes or text, which is not closed. Files compressed by
                gzip or zstd are unpacked, except for a parser that is not of this package or has its own ``feed``.
            parser: a parser of this module or any other, used unchanged; it excludes options.
            **options: see `xml5tree.options.Settings`.

        Raises `OSError` if the file cannot be read, and what `fromstring` raises.
        """
        with nullcontext(source) if hasattr(source, "read") else open(source, "rb") as file:
            if parser is None:
                self._root = _parser.XMLParser(backend="etree", **options).parse_file(file)
            elif _parses_whole(parser) and not options:
                self._root = parser.parse_file(file)
            else:
                self._root = fromstringlist(blocks(file), parser, **options)
        root: Element = self._root
        return root


def _parses_whole(parser: Any) -> bool:
    """Return whether the next chunk is a whole document for a parser, and our `feed` takes it."""
    own = _parser.XMLParser
    is_ours = isinstance(parser, own) and type(parser).feed is own.feed and type(parser).close is own.close
    return is_ours and not parser.is_feeding


def parse(source: Any, parser: Any = None, **options: Unpack[TreeOptions]) -> ElementTree:
    """Read a file, well-formed or not, into an `ElementTree`; see `ElementTree.parse`."""
    tree = ElementTree()
    tree.parse(source, parser, **options)
    return tree


@overload
def iterparse(
    source: Any, events: Iterable[ElementEvent] | None = None, parser: None = None, **options: Unpack[EventOptions]
) -> "_Events": ...
@overload
def iterparse(
    source: Any, events: Iterable[str], parser: None = None, **options: Unpack[EventOptions]
) -> "_OtherEvents": ...
@overload
def iterparse(source: Any, events: Iterable[str] | None = None, parser: object = ...) -> "_Events": ...
def iterparse(
    source: Any, events: Iterable[str] | None = None, parser: Any = None, **options: Unpack[EventOptions]
) -> Any:
    """Return an `xml5tree.iterparse` over the events of a document, or with `parser` that of the standard module.

    Args:
        source: as for `xml5tree.iterparse`.
        events: the kinds of events to report. None: ``("end",)``.
        parser: an `XMLParser` of this module or the standard one, used unchanged; it excludes options.
        **options: see `xml5tree.iterparse`, which also says what is raised.
    """
    if parser is None:
        return _Iterparse(source, _kinds(events), backend="etree", **options)
    if options:
        raise TypeError("options belong to the parser that is given")
    iterate: Any = _standard.iterparse
    return iterate(_File(source), events, parser)


class _File(Parts):
    """A file object over the chunks of any source, for the standard module's `iterparse`."""

    def read(self, _size: int) -> Document:
        data = next(self, b"")
        if not data:
            self.close()
            if self.damage:
                raise OSError(self.damage)
        return data


@overload
def XML(text: Document, parser: None = None, **options: Unpack[TreeOptions]) -> Element: ...
@overload
def XML(text: Document, parser: Target[Result]) -> Result: ...
@overload
def XML(text: Document, parser: Any, **options: Unpack[TreeOptions]) -> Any: ...
@_with_numbers
def XML(text: Document, parser: Any = None, **options: Unpack[TreeOptions]) -> Any:
    """Parse a document, well-formed or not; return the root element.

    Args:
        text: the document, as bytes in any encoding or as text.
        parser: a parser of this module or any other, used unchanged; it excludes options.
        **options: see `xml5tree.options.Settings`. `xml5tree.fromstring` says what is raised.
    """
    if parser is None:
        return _parser.XMLParser(backend="etree", **options).parse_whole(text)
    if _parses_whole(parser) and not options:
        return parser.parse_whole(text)
    return fromstringlist([text], parser, **options)


fromstring = XML


@overload
def fromstringlist(sequence: Iterable[Document], parser: None = None, **options: Unpack[TreeOptions]) -> Element: ...
@overload
def fromstringlist(sequence: Iterable[Document], parser: Target[Result]) -> Result: ...
@overload
def fromstringlist(sequence: Iterable[Document], parser: Any, **options: Unpack[TreeOptions]) -> Any: ...
@_with_numbers
def fromstringlist(sequence: Iterable[Document], parser: Any = None, **options: Unpack[TreeOptions]) -> Any:
    """Parse a document that comes as a sequence of chunks, all bytes or all text; see `fromstring`."""
    if parser is None:
        parser = _parser.XMLParser(backend="etree", **options)
    elif options:
        raise TypeError("options belong to the parser that is given")
    if _parses_whole(parser):
        return parser.parse_parts(sequence)
    for text in sequence:
        parser.feed(text)
    return parser.close()


def XMLID(text: Document, parser: Any = None, **options: Unpack[TreeOptions]) -> tuple[Element, dict[str, Element]]:
    """Parse a document; return the root element, and the elements by their ``id``; see `fromstring`."""
    root = XML(text, parser, **options)
    return root, {element.get("id"): element for element in root.iter() if element.get("id")}


def canonicalize(xml_data: Any = None, *, out: Any = None, from_file: Any = None, **options: Any) -> str | None:
    """Convert a document, well-formed or not, to C14N 2.0; return the canonical form, or None if it goes to `out`.

    Args:
        xml_data: the document. None: read `from_file`.
        out: a file object open for writing text. None: the result is returned.
        from_file: the path or file object of the document, if `xml_data` is None.
        **options: as for `C14NWriterTarget` and for `XMLParser`.

    Raises `ParseError` without a root element, and `ValueError` without a document.
    """
    if xml_data is None and from_file is None:
        raise ValueError("Either 'xml_data' or 'from_file' must be provided as input")
    file = io.StringIO() if out is None else out
    own: Any = {name: options.pop(name) for name in {*Settings._fields} & options.keys()}
    parser = XMLParser(target=C14NWriterTarget(file.write, **options), **own)
    if xml_data is not None:
        XML(xml_data, parser)
    else:
        parse(from_file, parser)
    return file.getvalue() if out is None else None
