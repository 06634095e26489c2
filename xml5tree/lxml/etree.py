"""The drop-in for `lxml.etree`.

It has every name of `lxml.etree`. Parsers and parsing functions are ours and take every document with a start tag. They
raise `DocumentError`, an `XMLSyntaxError`, for a document. All else, HTML included, is lxml's own: its `XMLSchema` and
`XSLT` parse files as ever.
"""

from typing import TYPE_CHECKING

from lxml import etree as _original

# First, so that our own names replace lxml's. Each by its name, as neither private names nor those that older stubs
# leave to `__getattr__` come with an asterisk.
# fmt: off
if TYPE_CHECKING:
    from lxml.etree import (  # noqa: I001
        AttributeBasedElementClassLookup as AttributeBasedElementClassLookup, C14NError as C14NError,
        C14NWriterTarget as C14NWriterTarget, CDATA as CDATA, Comment as Comment, CommentBase as CommentBase,
        CustomElementClassLookup as CustomElementClassLookup, DEBUG as DEBUG, DTD as DTD, DTDError as DTDError,
        DTDParseError as DTDParseError, DTDValidateError as DTDValidateError, DocInfo as DocInfo,
        DocumentInvalid as DocumentInvalid, ETXPath as ETXPath, Element as Element, ElementBase as ElementBase,
        ElementClassLookup as ElementClassLookup, ElementDefaultClassLookup as ElementDefaultClassLookup,
        ElementNamespaceClassLookup as ElementNamespaceClassLookup, Entity as Entity, EntityBase as EntityBase,
        Error as Error, ErrorDomains as ErrorDomains, ErrorLevels as ErrorLevels, ErrorTypes as ErrorTypes,
        Extension as Extension, FallbackElementClassLookup as FallbackElementClassLookup,
        FunctionNamespace as FunctionNamespace, HTML as HTML, HTMLParser as HTMLParser,
        HTMLPullParser as HTMLPullParser, ICONV_COMPILED_VERSION as ICONV_COMPILED_VERSION,
        LIBXML_COMPILED_FEATURES as LIBXML_COMPILED_FEATURES, LIBXML_COMPILED_VERSION as LIBXML_COMPILED_VERSION,
        LIBXML_FEATURES as LIBXML_FEATURES, LIBXML_VERSION as LIBXML_VERSION,
        LIBXSLT_COMPILED_VERSION as LIBXSLT_COMPILED_VERSION, LIBXSLT_VERSION as LIBXSLT_VERSION,
        LXML_VERSION as LXML_VERSION, LxmlError as LxmlError, LxmlRegistryError as LxmlRegistryError,
        LxmlSyntaxError as LxmlSyntaxError, NamespaceRegistryError as NamespaceRegistryError, PI as PI,
        PIBase as PIBase, ParseError as ParseError, ParserBasedElementClassLookup as ParserBasedElementClassLookup,
        ParserError as ParserError, ParserTarget as ParserTarget, ProcessingInstruction as ProcessingInstruction,
        PyErrorLog as PyErrorLog, PythonElementClassLookup as PythonElementClassLookup, QName as QName,
        RelaxNG as RelaxNG, RelaxNGError as RelaxNGError, RelaxNGErrorTypes as RelaxNGErrorTypes,
        RelaxNGParseError as RelaxNGParseError, RelaxNGValidateError as RelaxNGValidateError, Resolver as Resolver,
        SchematronError as SchematronError, SchematronParseError as SchematronParseError,
        SchematronValidateError as SchematronValidateError, SerialisationError as SerialisationError,
        SubElement as SubElement, TreeBuilder as TreeBuilder, XInclude as XInclude, XIncludeError as XIncludeError,
        XMLSchema as XMLSchema, XMLSchemaError as XMLSchemaError, XMLSchemaParseError as XMLSchemaParseError,
        XMLSchemaValidateError as XMLSchemaValidateError, XMLSyntaxAssertionError as XMLSyntaxAssertionError,
        XMLSyntaxError as XMLSyntaxError, XPath as XPath, XPathDocumentEvaluator as XPathDocumentEvaluator,
        XPathElementEvaluator as XPathElementEvaluator, XPathError as XPathError, XPathEvalError as XPathEvalError,
        XPathEvaluator as XPathEvaluator, XPathFunctionError as XPathFunctionError,
        XPathResultError as XPathResultError, XPathSyntaxError as XPathSyntaxError, XSLT as XSLT,
        XSLTAccessControl as XSLTAccessControl, XSLTApplyError as XSLTApplyError, XSLTError as XSLTError,
        XSLTExtension as XSLTExtension, XSLTExtensionError as XSLTExtensionError, XSLTParseError as XSLTParseError,
        XSLTSaveError as XSLTSaveError, _Attrib as _Attrib, _BaseErrorLog as _BaseErrorLog, _Comment as _Comment,
        _Element as _Element, _ElementTree as _ElementTree, _ElementUnicodeResult as _ElementUnicodeResult,
        _Entity as _Entity, _ErrorLog as _ErrorLog, _IDDict as _IDDict, _ListErrorLog as _ListErrorLog,
        _LogEntry as _LogEntry, _ProcessingInstruction as _ProcessingInstruction,
        _RotatingErrorLog as _RotatingErrorLog, _Validator as _Validator, _XPathEvaluatorBase as _XPathEvaluatorBase,
        _XSLTProcessingInstruction as _XSLTProcessingInstruction, _XSLTResultTree as _XSLTResultTree,
        __all__ as __all__, __version__ as __version__, adopt_external_document as adopt_external_document,
        canonicalize as canonicalize, cleanup_namespaces as cleanup_namespaces, clear_error_log as clear_error_log,
        dump as dump, htmlfile as htmlfile, indent as indent, iselement as iselement, iterwalk as iterwalk,
        register_namespace as register_namespace, set_element_class_lookup as set_element_class_lookup,
        strip_attributes as strip_attributes, strip_elements as strip_elements, strip_tags as strip_tags,
        tostring as tostring, tostringlist as tostringlist, tounicode as tounicode,
        use_global_python_log as use_global_python_log, xmlfile as xmlfile,
    )
# fmt: on

from xml5tree.lxml import functions as _functions
from xml5tree.lxml.errors import DocumentError
from xml5tree.lxml.functions import *  # noqa: F403
from xml5tree.lxml.parsers import ETCompatXMLParser, XMLParser, XMLPullParser

__all__ = ["DocumentError", "ETCompatXMLParser", "XMLParser", "XMLPullParser"]
__all__ += _functions.__all__  # type checkers understand this form
__all__ += _original.__all__

XMLTreeBuilder = ETCompatXMLParser

globals().update(vars(_original) | globals())  # private names, too: users of lxml write `etree._Element`
