"""The functions that parse, and `iterparse`."""

import os
import threading
from abc import ABC
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar, cast, overload

from lxml import etree

from xml5tree.backends.lxml import file_url, prepare_thread
from xml5tree.documents import Document, joined, text_or_bytes
from xml5tree.drive import drive
from xml5tree.errors.log import ErrorLog
from xml5tree.lxml.log import DocumentError, refused
from xml5tree.lxml.parsers import XMLParser, XMLPullParser, parse_with_native, refuse_damage, translated
from xml5tree.lxml.sources import SourceParts, for_lxml
from xml5tree.options import Options, when_pulled
from xml5tree.typing import ElementEvent, Item

if TYPE_CHECKING:
    from lxml.etree import _Element, _ElementTree, _IDDict

    #: The second item of events without an element: a prefix and its URI, or nothing.
    _Declaration = tuple[str, str] | None

__all__ = [
    "XML",
    "XMLDTDID",
    "XMLID",
    "ElementTree",
    "fromstring",
    "fromstringlist",
    "get_default_parser",
    "iterparse",
    "parse",
    "parseid",
    "set_default_parser",
]

_Root = TypeVar("_Root")


class _Default(threading.local):
    """The default parser of each thread; a new thread begins with a copy of the main thread's."""

    of_main_thread: ClassVar[Any] = None

    def __init__(self) -> None:
        self.parser: Any = XMLParser() if self.of_main_thread is None else self.of_main_thread.copy()


_default = _Default()


def get_default_parser() -> etree.XMLParser | etree.HTMLParser:
    """Return the default parser of this thread, which functions use without `parser`."""
    parser: etree.XMLParser | etree.HTMLParser = _default.parser
    return parser


def set_default_parser(parser: Any = None) -> None:
    """Set the default parser of this thread, here and in lxml itself, where `Element` takes its classes from it.

    None sets the initial one. Raises `TypeError` for anything else but a parser of lxml or this package.
    """
    etree.set_default_parser(parser)
    _default.parser = XMLParser() if parser is None else parser
    if threading.current_thread() is threading.main_thread():
        _Default.of_main_thread = parser


def fromstring(text: Document, parser: Any = None, *, base_url: str | bytes | None = None) -> "_Element":
    """Parse a document, well-formed or not; return the root element, or the result of the target's ``close``.

    Args:
        text: the document, as bytes or as text, with or without an encoding declaration.
        parser: the parser; None: the default parser. For one of lxml's own, see `parse_with_native`.
        base_url: the document's URL.

    Raises `DocumentError` if the document is refused, for example without a root element; `TypeError` if `text` is
    neither bytes nor text, or `parser` no parser.
    """
    if parser is None:
        parser = get_default_parser()
    if isinstance(parser, XMLParser):
        return parser.parse_whole(text, base_url)
    if isinstance(parser, etree.XMLParser):
        return parse_with_native(text, parser, base_url)
    prepare_thread()
    root: _Element = etree.fromstring(text, parser, base_url=base_url)
    return root


def XML(text: Document, parser: Any = None, *, base_url: str | bytes | None = None) -> "_Element":
    """Parse a document as `fromstring` does, never as HTML by default."""
    return fromstring(text, _default_xml_parser() if parser is None else parser, base_url=base_url)


def _default_xml_parser() -> Any:
    parser = get_default_parser()
    return parser if isinstance(parser, etree.XMLParser) else XMLParser()


def fromstringlist(strings: Iterable[Document], parser: Any = None) -> "_Element":
    """As `fromstring`, for a document in chunks, all bytes or all text; raise `ValueError` for one string."""
    if isinstance(strings, bytes | str):
        raise ValueError("passing a single string into fromstringlist() is not efficient, use fromstring() instead")
    if parser is None:
        parser = get_default_parser()
    if isinstance(parser, etree.XMLParser) and not isinstance(parser, XMLParser):
        return parse_with_native(joined(strings), parser)
    if not hasattr(parser, "feed"):
        raise TypeError(f"parser must be a parser, not {type(parser).__name__}")
    prepare_thread()
    for data in strings:
        parser.feed(data)
    root: _Element = parser.close()
    return root


def parse(source: Any, parser: Any = None, *, base_url: str | bytes | None = None) -> "_ElementTree":
    """Return the element tree of a file, well-formed or not, or the result of the target's ``close``.

    Args:
        source: a path, a ``file:`` URL, or a file object of bytes or text, which is read to its end and not closed.
            Files compressed by gzip or zstd are unpacked, unless the parser was made with ``decompress=False``.
        parser: as for `fromstring`.
        base_url: the document's URL; None: that of the file.

    Raises `OSError` if the file cannot be read, or is a URL, as nothing is fetched; and what `fromstring` raises.
    """
    if parser is None:
        parser = get_default_parser()
    if isinstance(parser, XMLParser):
        return parser.parse_source(source, base_url)
    if not isinstance(parser, etree.XMLParser):
        prepare_thread()
        return etree.parse(source, parser, base_url=base_url)
    parts = SourceParts(source)
    result = parse_with_native(parts.read(), parser, parts.url if base_url is None else base_url, damage=parts.damage)
    return result.getroottree() if parser.target is None else result


def XMLID(
    text: Document, parser: Any = None, *, base_url: str | bytes | None = None
) -> "tuple[_Element, dict[str, _Element]]":
    """Parse a document as `XML` does; return the root element, and the elements by their ``id``."""
    root: Any = XML(text, parser, base_url=base_url)
    elements = [] if root is None else root.xpath("//*[string(@id)]")  # None: by recover=True
    return root, {element.get("id"): element for element in elements}


def XMLDTDID(
    text: Document, parser: Any = None, *, base_url: str | bytes | None = None
) -> "tuple[_Element, _IDDict | dict[str, _Element]]":
    """Parse a document as `XML` does; return the root element, and the elements by their IDs.

    IDs are ``xml:id`` attributes and those that the internal subset declares. Raises `DocumentError` also if a document
    that declares attributes had to be repaired: a repair keeps no declarations.
    """
    if parser is None:
        parser = _default_xml_parser()
    is_ours = isinstance(parser, XMLParser)
    declares = "<!ATTLIST" in text if isinstance(text, str) else b"<!ATTLIST" in bytes(text).replace(b"\0", b"")
    declares_ids = declares and (not is_ours or parser.collects_ids)
    if declares_ids and not is_ours:
        prepare_thread()
        try:
            return etree.XMLDTDID(for_lxml(text_or_bytes(text)), parser, base_url=base_url)
        except etree.XMLSyntaxError as error:
            raise refused(error, [], ErrorLog()) from None
    if is_ours:
        root, is_repaired = parser.read_whole(text, base_url)
    else:
        root, is_repaired = XML(text, parser, base_url=base_url), False
    if declares_ids and is_repaired:
        message = "the document had to be repaired, by which the IDs that it declares are lost"
        raise DocumentError(f"{message}, line 1, column 1", "option-not-honoured", (1, 1), parser.error_log)
    if root is None or (is_ours and not parser.collects_ids):
        return root, {}
    dictionary: Any = etree._IDDict
    try:
        return root, dictionary(root)
    except ValueError:  # there are no IDs
        return root, {}


def parseid(
    source: Any, parser: Any = None, *, base_url: str | bytes | None = None
) -> "tuple[_ElementTree, _IDDict | dict[str, _Element]]":
    """Parse a file as `parse` does; return the element tree, and the elements by their IDs, as `XMLDTDID` does.

    Raises `OSError` also if compressed data is damaged or cut off.
    """
    if parser is None:
        parser = _default_xml_parser()
    parts = parser.open_source(source) if isinstance(parser, XMLParser) else SourceParts(source)
    data = parts.read()
    refuse_damage(parts.damage)
    root, ids = XMLDTDID(data, parser, base_url=parts.url if base_url is None else base_url)
    return etree.ElementTree(root) if root is None else root.getroottree(), ids


class ElementTree(ABC, Generic[_Root]):
    """`lxml.etree.ElementTree`, whose `file` may be broken."""

    def __new__(cls, element: Any = None, *, file: Any = None, parser: Any = None) -> "_ElementTree":  # type: ignore[misc]
        if element is None and file is not None:
            return parse(file, parser)
        original: Any = etree.ElementTree
        tree: _ElementTree = original(element, parser=parser)
        return tree


ElementTree.register(etree._ElementTree)


if TYPE_CHECKING:

    class _LxmlIterparse: ...

else:
    _LxmlIterparse = etree.iterparse  # for `isinstance`; all that it has is replaced


class iterparse(_LxmlIterparse, Generic[Item]):
    """`lxml.etree.iterparse` that continues after a fault."""

    def __new__(cls, source: Any, events: Any = ("end",), *, html: bool = False, **options: Any) -> Self:
        """Return lxml's own object if ``html=True``."""
        if html:
            of_lxml: Any = etree.iterparse(source, events, html=True, **options)
            return of_lxml  # type: ignore[no-any-return]
        return super().__new__(cls)

    @overload
    def __init__(
        self: "iterparse[_Element]", source: Any, events: Iterable[ElementEvent] = ("end",), **options: Any
    ) -> None: ...
    @overload
    def __init__(
        self: "iterparse[_Element | _Declaration]", source: Any, events: Iterable[str], **options: Any
    ) -> None: ...
    def __init__(
        self,
        source: Any,
        events: Iterable[str] = ("end",),
        *,
        tag: Any = None,
        html: bool = False,
        recover: bool | None = None,
        chunk_size: int = 32768,
        **options: Any,
    ) -> None:
        """Open the file.

        Args:
            source: as for `parse`.
            events, tag: as for `XMLPullParser`.
            html: whether it is HTML, which is left to lxml.
            recover: as for `XMLParser`.
            chunk_size: bytes or characters to read at a time.
            **options: see `XMLParser`. `parse` and `XMLPullParser` say what is raised.
        """
        url = file_url(source) if hasattr(source, "read") else os.fsdecode(source)
        pulled = when_pulled(cast(Options, translated({**options, "recover": recover})))
        self._parser = XMLPullParser(events, tag=tag, base_url=url, **pulled)
        self._parser.settle(source)
        self._parser.read_nothing_else()
        self._events = self._run(self._parser.open_source(source, chunk_size))
        self._root: _Element | None = None

    @property
    def root(self) -> "_Element | None":
        """The root element, once the document has ended."""
        return self._root

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> tuple[str, Item]:
        """Return the next event; raise `DocumentError` or `OSError` after the events before it."""
        return next(self._events)

    def _run(self, parts: SourceParts) -> Iterator[tuple[str, Any]]:
        parser = self._parser
        with closing(parts):
            try:
                for root in drive(parser, parts, lambda: parts.damage):
                    self._root = root  # None before the end
                    yield from parser.read_events()
            except Exception:
                yield from parser.read_events()
                raise

    @property
    def error_log(self) -> Any:
        """The errors of the document so far; see `XMLParser.error_log`."""
        return self._parser.feed_error_log

    @property
    def resolvers(self) -> Any:
        """The registry of resolvers, as lxml's parsers have it."""
        return self._parser.resolvers

    @property
    def version(self) -> str:
        """The version of libxml2."""
        return self._parser.version

    def set_element_class_lookup(self, lookup: etree.ElementClassLookup | None = None) -> None:
        """Set the lookup for the classes of elements; None: lxml's default."""
        self._parser.set_element_class_lookup(lookup)

    def makeelement(self, _tag: str, attrib: Any = None, nsmap: Any = None, **_extra: str) -> Any:
        """Return a new element of the parser's class for it."""
        return self._parser.makeelement(_tag, attrib, nsmap, **_extra)
