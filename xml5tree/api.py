"""Functions for whole documents: to trees, markup or tokens."""

import os
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import partial
from typing import IO, TYPE_CHECKING, Any, Literal, Unpack, cast, overload

from xml5tree.dialects import make_settings
from xml5tree.documents import Document, Parts, joined
from xml5tree.editing import Edit
from xml5tree.options import HTMLTokenizerOptions, Options, TokenizerOptions, TreeOptions, of_data, when_pulled
from xml5tree.parser import Repairer, XMLParser, parse_whole
from xml5tree.sources import one_document
from xml5tree.typing import Result
from xml5tree.wellformed import settings_for_parts
from xml5tree.xml.limits import COMMON_LIMITS
from xml5tree.xml.structure import ElementNames

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET

    from lxml.etree import _Element, _ElementTree

    from xml5tree.backends import FeedParser
    from xml5tree.dialects.html import tokens as html_tokens
    from xml5tree.tokens import Token

    #: A path, or a file object open for reading bytes or text.
    _File = str | os.PathLike[str] | IO[bytes] | IO[str]


#: Characters that `tokenize` looks at before it yields the tokens in them.
_TOKENIZE_BLOCK = 1 << 14


@overload
def fromstring(
    data: Document, *, backend: Literal["etree"] = "etree", parser: None = None, **options: Unpack[TreeOptions]
) -> "ET.Element": ...
@overload
def fromstring(
    data: Document, *, backend: Literal["lxml"], parser: None = None, **options: Unpack[TreeOptions]
) -> "_Element": ...
@overload
def fromstring(data: Document, *, backend: Literal["etree"] = "etree", parser: XMLParser[Result]) -> Result: ...
@overload
def fromstring(
    data: Document, *, backend: "str | FeedParser", parser: None = None, **options: Unpack[TreeOptions]
) -> Any: ...
def fromstring(
    data: Document,
    *,
    backend: "str | FeedParser" = "etree",
    parser: XMLParser | None = None,
    **options: Unpack[TreeOptions],
) -> Any:
    """Return the root element of a document, well-formed or not.

    Args:
        data: the document, as text or as bytes in any encoding.
        backend: ``"etree"`` for a tree of `xml.etree.ElementTree`, ``"lxml"`` for one of `lxml.etree`, or a parser
            object with ``feed`` and ``close``.
        parser: an `XMLParser` to use instead of other arguments. Its `error_log` has the errors. Threads may share it.
        **options: see `xml5tree.options.Settings`.

    Raises:
        ParseError: the document has no root element, is not XML (such as an image), or is rejected by an option.
        TypeError: `data` is neither bytes nor text; an unknown option.
        ValueError: an unknown backend or value of an option.
        LookupError: `encoding` is unknown or not allowed.
        ImportError: the backend's library is not installed.
    """
    if parser is None and isinstance(backend, str):
        return parse_whole(data, backend, of_data(options))
    return _parser(parser, backend, of_data(options)).parse_whole(data)


XML = fromstring


@overload
def fromstrings(
    data: Document, *, backend: Literal["etree"] = "etree", parser: None = None, **options: Unpack[Options]
) -> "list[ET.Element]": ...
@overload
def fromstrings(
    data: Document, *, backend: Literal["lxml"], parser: None = None, **options: Unpack[Options]
) -> "list[_Element]": ...
@overload
def fromstrings(data: Document, *, backend: str = "etree", parser: XMLParser[Result]) -> list[Result]: ...
def fromstrings(
    data: Document, *, backend: str = "etree", parser: XMLParser | None = None, **options: Unpack[Options]
) -> list[Any]:
    """As `fromstring`, but return any number of root elements, with ``roots="all"``.

    Text outside them is left out. `backend` is ``"etree"`` or ``"lxml"``. A `parser` needs ``roots="all"``.

    Raises what `fromstring` raises, and `ValueError` for ``roots="first"``.
    """
    if parser is None:
        options.setdefault("roots", "all")
    return _parser(parser, backend, of_data(options)).parse_roots(data)


@overload
def fromstringlist(
    sequence: Iterable[Document],
    *,
    backend: Literal["etree"] = "etree",
    parser: None = None,
    **options: Unpack[TreeOptions],
) -> "ET.Element": ...
@overload
def fromstringlist(
    sequence: Iterable[Document], *, backend: Literal["lxml"], parser: None = None, **options: Unpack[TreeOptions]
) -> "_Element": ...
@overload
def fromstringlist(
    sequence: Iterable[Document], *, backend: Literal["etree"] = "etree", parser: XMLParser[Result]
) -> Result: ...
@overload
def fromstringlist(
    sequence: Iterable[Document], *, backend: "str | FeedParser", parser: None = None, **options: Unpack[TreeOptions]
) -> Any: ...
def fromstringlist(
    sequence: Iterable[Document],
    *,
    backend: "str | FeedParser" = "etree",
    parser: XMLParser | None = None,
    **options: Unpack[TreeOptions],
) -> Any:
    """As `fromstring`, for a `sequence` of chunks, all bytes or all text."""
    sequence = one_document(sequence, "fromstringlist")
    return _parser(parser, backend, of_data(options)).parse_parts(sequence)


@overload
def parse(
    source: "_File", *, backend: Literal["etree"] = "etree", parser: None = None, **options: Unpack[TreeOptions]
) -> "ET.ElementTree[ET.Element]": ...
@overload
def parse(
    source: "_File", *, backend: Literal["lxml"], parser: None = None, **options: Unpack[TreeOptions]
) -> "_ElementTree": ...
@overload
def parse(
    source: "_File", *, backend: Literal["etree"] = "etree", parser: "XMLParser[ET.Element]"
) -> "ET.ElementTree[ET.Element]": ...
@overload
def parse(source: "_File", *, backend: Literal["etree"] = "etree", parser: "XMLParser[_Element]") -> "_ElementTree": ...
@overload
def parse(
    source: "_File",
    *,
    backend: "str | FeedParser" = "etree",
    parser: XMLParser[Any] | None = None,
    **options: Unpack[TreeOptions],
) -> Any: ...
def parse(
    source: "_File",
    *,
    backend: "str | FeedParser" = "etree",
    parser: XMLParser | None = None,
    **options: Unpack[TreeOptions],
) -> Any:
    """As `fromstring`, but return the element tree of a file.

    Args:
        source: as for `iterparse`.

    Raises what `fromstring` raises, and `OSError` if the file cannot be read.
    """
    parser = _parser(parser, backend, options)
    source = one_document(os.fspath(source) if isinstance(source, os.PathLike) else source, "parse")
    return parser.make_tree(parser.parse_file(source), source)


@overload
def repair(
    data: str,
    *,
    edits: list[Edit] | None = None,
    output_encoding: Literal["utf-8"] | None = None,
    **options: Unpack[Options],
) -> str: ...
@overload
def repair(
    data: bytes | bytearray | memoryview,
    *,
    edits: list[Edit] | None = None,
    output_encoding: Literal["utf-8"] | None = None,
    **options: Unpack[Options],
) -> bytes: ...
def repair(
    data: Document,
    *,
    edits: list[Edit] | None = None,
    output_encoding: Literal["utf-8"] | None = None,
    **options: Unpack[Options],
) -> bytes | str:
    """Return a document as well-formed markup of the same type, which every conforming parser accepts.

    Well-formed parts stay, but declared entities and attribute defaults are expanded, and their declarations dropped.

    Args:
        data: as for `fromstring`.
        edits: a list to which the edits are appended.
        output_encoding: ``"utf-8"``: UTF-8 without a byte order mark, and LF; not with `edits`. None: as in the
            document, but UTF-8 for an encoding that not every parser reads, such as Shift JIS.
        **options: see `xml5tree.options.Settings`.

    Raises what `fromstring` raises, and `ValueError` for another `output_encoding`, or one with `edits`.
    """
    return Repairer(edits=edits, output_encoding=output_encoding, **when_pulled(options)).repair_whole(data)


def edits(data: Document, **options: Unpack[Options]) -> list[Edit]:
    """Return the changes that make a document well-formed, in document order.

    They do not touch each other, and keep encoding and line breaks. A document in an encoding that not every parser
    reads has one edit for all of it. HTML and LeafXML have no edits.

    Args:
        data: as for `fromstring`.
        **options: see `xml5tree.options.Settings`.

    Raises what `repair` raises, and `ValueError` for HTML and LeafXML.
    """
    found: list[Edit] = []
    repair(data, edits=found, **options)
    return found


@overload
def tokenize(
    text: str, *, dialect: Literal["html"], **options: Unpack[HTMLTokenizerOptions]
) -> "Iterator[html_tokens.Token]": ...
@overload
def tokenize(
    text: str, *, dialect: Literal["xml5"] = "xml5", **options: Unpack[TokenizerOptions]
) -> "Iterator[Token]": ...
@overload
def tokenize(text: str, *, dialect: str, **options: Unpack[HTMLTokenizerOptions]) -> "Iterator[Any]": ...
def tokenize(text: str, *, dialect: str = "xml5", **options: Unpack[HTMLTokenizerOptions]) -> "Iterator[Any]":
    """Return an iterator over the tokens of a dialect, by default of the XML5 draft (§1.3).

    They are objects of `xml5tree.tokens`, or for HTML of `xml5tree.dialects.html.tokens`.

    Args:
        text: the text. An XML declaration is a processing instruction.
        dialect: as for `xml5tree.options.Settings`.
        **options: `on_error`, also for the input stream (§1.2). For XML5, `recovery`; with ``"intent"``, an assumed tag
            is a token, and an ignored one is not. For HTML, `revision`, `scripting`, `initial_state`, `last_start_tag`
            and `content_models`.

    Raises what `fromstring` raises for arguments and options.
    """
    if not isinstance(text, str):
        raise TypeError(f"str expected, not {type(text).__name__}")
    unknown = options.keys() - HTMLTokenizerOptions.__annotations__.keys()
    if unknown:
        raise TypeError(f"tokenize has no option {sorted(unknown)[0]!r}")
    if options.setdefault("recovery", "draft") == "strict":
        raise ValueError('recovery must be "draft" or "intent" for tokenize, which refuses nothing')
    found, settings = make_settings(cast(Options, {"dialect": dialect, "max_errors": 0, **options}))
    settings = settings_for_parts((text,), found, settings, COMMON_LIMITS)
    parts = (text[start : start + _TOKENIZE_BLOCK] for start in range(0, len(text), _TOKENIZE_BLOCK))
    return found.tokenize(parts, settings)


def known_elements(source: "_File | ET.Element | _Element | Any") -> ElementNames:
    """Return the names of the elements in a vocabulary, as written in tags, for the option `elements`.

    Those of a schema are also for the option `structure`: `children` maps names to those of children, ``#`` for text.

    If only the namespace is known, and for a schema with a target namespace, a name is ``{*}name``, for any prefix.

    Args:
        source: a sample document, as a tree, an element, a path or a file object; or a path or file object of a DTD, an
            XML Schema or a RELAX NG grammar, without what it includes.

    Raises what `parse` raises.
    """
    from xml5tree.vocabularies import names_in, names_in_tree  # few programs ask for names

    root: Any = source
    if callable(getattr(root, "getroot", None)):
        root = root.getroot()
    if hasattr(root, "tag"):
        return names_in_tree(root)
    root = one_document(root, "known_elements")
    with closing(Parts(root)) as parts:
        data = joined(parts)
    return names_in(data, partial(fromstring, backend="lxml"))


def _parser(parser: XMLParser | None, backend: "str | FeedParser", options: Options) -> XMLParser:
    if parser is None:
        return XMLParser(backend=backend, **options)
    if not isinstance(parser, XMLParser):
        raise TypeError(
            f"parser must be an xml5tree.XMLParser, not a {type(parser).__module__}.{type(parser).__name__}"
        )
    if options or backend != "etree":
        raise TypeError("options and a backend belong to the parser that is given")
    return parser
