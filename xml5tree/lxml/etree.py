"""The drop-in for `lxml.etree`.

It has every name of `lxml.etree`. Parsers and parsing functions are ours and take every document with a start tag. They
raise `DocumentError`, an `XMLSyntaxError`, for a document. All else, HTML included, is lxml's own: its `XMLSchema` and
`XSLT` parse files as ever.
"""

from typing import TYPE_CHECKING

from lxml import etree as _original

if TYPE_CHECKING:  # first, so that our own names replace lxml's
    from lxml.etree import *  # noqa: F403
    from lxml.etree import _Comment as _Comment
    from lxml.etree import _Element as _Element
    from lxml.etree import _ElementTree as _ElementTree
    from lxml.etree import _Entity as _Entity
    from lxml.etree import _ProcessingInstruction as _ProcessingInstruction

from xml5tree.lxml.errors import DocumentError
from xml5tree.lxml.functions import (  # type: ignore[assignment,no-redef]
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
from xml5tree.lxml.parsers import ETCompatXMLParser, XMLParser, XMLPullParser  # type: ignore[assignment]
from xml5tree.lxml.standin import complete

__all__ = [
    "XML",
    "XMLDTDID",
    "XMLID",
    "DocumentError",
    "ETCompatXMLParser",
    "ElementTree",
    "XMLParser",
    "XMLPullParser",
    "fromstring",
    "fromstringlist",
    "get_default_parser",
    "iterparse",
    "parse",
    "parseid",
    "set_default_parser",
]
__all__ += _original.__all__  # type checkers understand this form

XMLTreeBuilder = ETCompatXMLParser

complete(globals(), _original)
