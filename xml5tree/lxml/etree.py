"""A drop-in for `lxml.etree`: ``from xml5tree.lxml import etree``.

It has every name of `lxml.etree`. What parses XML is ours and takes every document with a start tag; all else,
HTML included, is the same object as in lxml. `DocumentError` is what our functions raise for a document; it is an
`XMLSyntaxError`. What lxml's own objects parse, such as `XMLSchema` and `XSLT` from files, they parse as ever.
"""

from typing import TYPE_CHECKING

from lxml import etree as _original

from xml5tree.lxml.errors import DocumentError
from xml5tree.lxml.functions import (
    XML,
    XMLDTDID,
    XMLID,
    ElementTree,
    fromstring,
    fromstringlist,
    get_default_parser,
    iterparse,
    parse,
    parseid,
    set_default_parser,
)
from xml5tree.lxml.parsers import ETCompatXMLParser, XMLParser, XMLPullParser
from xml5tree.lxml.standin import complete

if TYPE_CHECKING:
    from lxml.etree import *  # type: ignore[assignment]  # noqa: F403
    from lxml.etree import _Comment as _Comment
    from lxml.etree import _Element as _Element
    from lxml.etree import _ElementTree as _ElementTree
    from lxml.etree import _Entity as _Entity
    from lxml.etree import _ProcessingInstruction as _ProcessingInstruction

__all__ = [
    "XML",
    "XMLDTDID",
    "XMLID",
    "DocumentError",
    "ETCompatXMLParser",
    "ElementTree",
    "XMLParser",
    "XMLPullParser",
    "XMLTreeBuilder",
    "fromstring",
    "fromstringlist",
    "get_default_parser",
    "iterparse",
    "parse",
    "parseid",
    "set_default_parser",
]
__all__ += [name for name in _original.__all__ if name not in __all__]

XMLTreeBuilder = ETCompatXMLParser

complete(globals(), _original)
