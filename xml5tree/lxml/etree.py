"""The drop-in for `lxml.etree`.

It has every name of `lxml.etree`. Parsers and parsing functions are ours and take every document with a start tag. They
raise `DocumentError`, an `XMLSyntaxError`, for a document. All else, HTML included, is lxml's own: its `XMLSchema` and
`XSLT` parse files as ever.
"""

from typing import TYPE_CHECKING

from lxml import etree as _original

from xml5tree.lxml import functions as _functions
from xml5tree.lxml.functions import *  # noqa: F403
from xml5tree.lxml.log import DocumentError
from xml5tree.lxml.parsers import ETCompatXMLParser, XMLParser, XMLPullParser

# Our own names are before lxml's, as mypy takes the first meaning of a name, and after them, as others take the last.
# Private names, those not in lxml's `__all__`, and those that lxml-stubs leaves to its `__getattr__`, come by name.
# fmt: off
# isort: off
if TYPE_CHECKING:
    from lxml.etree import *  # type: ignore[assignment]  # noqa: F403
    from lxml.etree import (
        AttributeBasedElementClassLookup as AttributeBasedElementClassLookup, C14NError as C14NError,
        C14NWriterTarget as C14NWriterTarget, CDATA as CDATA, CommentBase as CommentBase, DEBUG as DEBUG,
        DTDError as DTDError, DTDParseError as DTDParseError, DTDValidateError as DTDValidateError, DocInfo as DocInfo,
        ElementDefaultClassLookup as ElementDefaultClassLookup,
        ElementNamespaceClassLookup as ElementNamespaceClassLookup, Entity as Entity, EntityBase as EntityBase,
        ErrorDomains as ErrorDomains, ErrorLevels as ErrorLevels, ErrorTypes as ErrorTypes, Extension as Extension,
        FunctionNamespace as FunctionNamespace, HTMLPullParser as HTMLPullParser,
        ICONV_COMPILED_VERSION as ICONV_COMPILED_VERSION, LIBXML_COMPILED_FEATURES as LIBXML_COMPILED_FEATURES,
        LIBXML_COMPILED_VERSION as LIBXML_COMPILED_VERSION, LIBXML_FEATURES as LIBXML_FEATURES,
        LIBXML_VERSION as LIBXML_VERSION, LIBXSLT_COMPILED_VERSION as LIBXSLT_COMPILED_VERSION,
        LIBXSLT_VERSION as LIBXSLT_VERSION, LXML_VERSION as LXML_VERSION, LxmlRegistryError as LxmlRegistryError,
        NamespaceRegistryError as NamespaceRegistryError, PIBase as PIBase,
        ParserBasedElementClassLookup as ParserBasedElementClassLookup, ParserError as ParserError,
        ParserTarget as ParserTarget, PyErrorLog as PyErrorLog, PythonElementClassLookup as PythonElementClassLookup,
        RelaxNG as RelaxNG, RelaxNGError as RelaxNGError, RelaxNGErrorTypes as RelaxNGErrorTypes,
        RelaxNGParseError as RelaxNGParseError, RelaxNGValidateError as RelaxNGValidateError,
        SchematronError as SchematronError, SchematronParseError as SchematronParseError,
        SchematronValidateError as SchematronValidateError, SerialisationError as SerialisationError,
        XInclude as XInclude, XIncludeError as XIncludeError, XMLSchemaError as XMLSchemaError,
        XMLSchemaParseError as XMLSchemaParseError, XMLSchemaValidateError as XMLSchemaValidateError,
        XMLSyntaxAssertionError as XMLSyntaxAssertionError, XPathElementEvaluator as XPathElementEvaluator,
        XPathError as XPathError, XPathEvalError as XPathEvalError, XPathFunctionError as XPathFunctionError,
        XPathResultError as XPathResultError, XPathSyntaxError as XPathSyntaxError, XSLTApplyError as XSLTApplyError,
        XSLTError as XSLTError, XSLTExtension as XSLTExtension, XSLTExtensionError as XSLTExtensionError,
        XSLTParseError as XSLTParseError, XSLTSaveError as XSLTSaveError,
        adopt_external_document as adopt_external_document, canonicalize as canonicalize,
        clear_error_log as clear_error_log, dump as dump, htmlfile as htmlfile, indent as indent, iterwalk as iterwalk,
        register_namespace as register_namespace, set_element_class_lookup as set_element_class_lookup,
        strip_attributes as strip_attributes, strip_elements as strip_elements, strip_tags as strip_tags,
        tostringlist as tostringlist, tounicode as tounicode, use_global_python_log as use_global_python_log,
        xmlfile as xmlfile, _Attrib as _Attrib, _BaseErrorLog as _BaseErrorLog, _Comment as _Comment,
        _Element as _Element, _ElementTree as _ElementTree, _ElementUnicodeResult as _ElementUnicodeResult,
        _Entity as _Entity, _ErrorLog as _ErrorLog, _IDDict as _IDDict, _ListErrorLog as _ListErrorLog,
        _LogEntry as _LogEntry, _ProcessingInstruction as _ProcessingInstruction,
        _RotatingErrorLog as _RotatingErrorLog, _Validator as _Validator, _XPathEvaluatorBase as _XPathEvaluatorBase,
        _XSLTProcessingInstruction as _XSLTProcessingInstruction, _XSLTResultTree as _XSLTResultTree,
        __version__ as __version__,
    )
    from xml5tree.lxml.functions import *  # noqa: F403
    from xml5tree.lxml.parsers import ETCompatXMLParser, XMLParser, XMLPullParser
# isort: on
# fmt: on

__all__ = ["DocumentError", "ETCompatXMLParser", "XMLParser", "XMLPullParser"]
__all__ += _functions.__all__  # type checkers understand this form
__all__ += _original.__all__

XMLTreeBuilder = ETCompatXMLParser

globals().update(vars(_original) | globals())  # private names, too: users of lxml write `etree._Element`
