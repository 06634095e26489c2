"""The drop-in for `lxml.etree`.

It has every name of `lxml.etree`. Parsers and parsing functions are ours and take every document with a start tag. They
raise `DocumentError`, an `XMLSyntaxError`, for a document. All else, HTML included, is lxml's own: its `XMLSchema` and
`XSLT` parse files as ever.
"""

from typing import TYPE_CHECKING

from lxml import etree as _original

from xml5tree.lxml import functions as _functions
from xml5tree.lxml.errors import DocumentError
from xml5tree.lxml.functions import *  # noqa: F403
from xml5tree.lxml.parsers import ETCompatXMLParser, XMLParser, XMLPullParser

# Our own names are before lxml's, as mypy takes the first meaning of a name, and after them, as others take the last.
# Private names, and those that older stubs leave to `__getattr__`, do not come with an asterisk.
# fmt: off
# isort: off
if TYPE_CHECKING:
    from typing import Any

    from lxml.etree import *  # type: ignore[assignment]  # noqa: F403
    from lxml.etree import (
        __version__ as __version__, _Attrib as _Attrib, _BaseErrorLog as _BaseErrorLog, _Comment as _Comment,
        _Element as _Element, _ElementTree as _ElementTree, _ElementUnicodeResult as _ElementUnicodeResult,
        _Entity as _Entity, _ErrorLog as _ErrorLog, _IDDict as _IDDict, _ListErrorLog as _ListErrorLog,
        _LogEntry as _LogEntry, _ProcessingInstruction as _ProcessingInstruction,
        _RotatingErrorLog as _RotatingErrorLog, _Validator as _Validator, _XPathEvaluatorBase as _XPathEvaluatorBase,
        _XSLTProcessingInstruction as _XSLTProcessingInstruction, _XSLTResultTree as _XSLTResultTree,
    )
    from xml5tree.lxml.functions import *  # noqa: F403
    from xml5tree.lxml.parsers import ETCompatXMLParser, XMLParser, XMLPullParser

    def __getattr__(name: str) -> Any: ...
# isort: on
# fmt: on

__all__ = ["DocumentError", "ETCompatXMLParser", "XMLParser", "XMLPullParser"]
__all__ += _functions.__all__  # type checkers understand this form
__all__ += _original.__all__

XMLTreeBuilder = ETCompatXMLParser

globals().update(vars(_original) | globals())  # private names, too: users of lxml write `etree._Element`
