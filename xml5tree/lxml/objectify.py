"""The drop-in for `lxml.objectify`.

Its parsers and parsing functions take every document with a start tag; all else is the same object as in lxml.
"""

from typing import TYPE_CHECKING, Any, cast

from lxml import objectify as _original

if TYPE_CHECKING:  # first, so that our own names replace lxml's
    from lxml.objectify import *  # noqa: F403
    from lxml.objectify import __version__ as __version__

from xml5tree.documents import Document
from xml5tree.lxml import etree

__all__ = ["XML", "fromstring", "makeparser", "parse", "set_default_parser"]
__all__ += _original.__all__  # type checkers understand this form


def makeparser(**options: Any) -> etree.XMLParser:  # type: ignore[no-redef]
    """Return a parser for objectify trees, with options as `etree.XMLParser`; blank text is removed by default."""
    parser = etree.XMLParser(**{"remove_blank_text": True} | options)
    parser.set_element_class_lookup(_original.ObjectifyElementClassLookup())
    return parser


_first_parser = _parser = makeparser()


def set_default_parser(new_parser: Any = None) -> None:  # type: ignore[no-redef]
    """Set the default parser of objectify, here and in lxml; None: the initial one. May raise `TypeError`."""
    global _parser
    _original.set_default_parser(new_parser)
    _parser = _first_parser if new_parser is None else new_parser


def fromstring(  # type: ignore[no-redef]
    xml: Document, parser: Any = None, *, base_url: str | bytes | None = None
) -> "_original.ObjectifiedElement":
    """Parse a document, as `xml5tree.lxml.etree.fromstring` does, to an objectify tree."""
    root = etree.fromstring(xml, _parser if parser is None else parser, base_url=base_url)
    return cast("_original.ObjectifiedElement", root)


XML = fromstring


def parse(  # type: ignore[no-redef]
    f: Any, parser: Any = None, *, base_url: str | bytes | None = None
) -> "etree._ElementTree[_original.ObjectifiedElement]":
    """Parse a file, as `xml5tree.lxml.etree.parse` does, to an objectify tree."""
    tree = etree.parse(f, _parser if parser is None else parser, base_url=base_url)
    return cast("etree._ElementTree[_original.ObjectifiedElement]", tree)


globals().update(vars(_original) | globals())
