"""The error codes of MicroXML (M-060).

All errors of MicroXML are ``not-well-formed``, and changes of the tree alone are ``coerced``. Some codes of XML5 have
other messages here.
"""

from typing import Final

from xml5tree.errors.codes import CODES as XML5_CODES
from xml5tree.errors.codes import LOST, MOVED, C, Code, W

#: Codes with XML5's messages.
_SHARED: Final = """
    surrogate-in-input-stream invalid-byte-sequence not-xml damaged-compression unsupported-encoding
    assumed-encoding encoding-declaration-mismatch attribute-without-value missing-attribute-value
    missing-whitespace-between-attributes less-than-sign-in-attribute-value unescaped-ampersand eof-in-doctype
    unmatched-end-tag no-root-element max-depth-exceeded coerced-element-name coerced-character doctype-forbidden
""".split()

CODES: Final[dict[str, Code]] = {
    code: XML5_CODES[code]._replace(kind=C if code.startswith("coerced-") else W) for code in _SHARED
} | {
    # Input stream
    "control-character-in-input-stream": Code(
        W, "control character {0} is not allowed in MicroXML; it was kept if XML allows it"
    ),
    "noncharacter-in-input-stream": Code(
        W, "noncharacter {0} is not allowed in MicroXML; it was kept if XML allows it"
    ),
    "unexpected-null-character": Code(W, "U+0000 is not allowed; in the tree it is U+FFFD", LOST),
    "encoding-not-utf-8": Code(W, "the document is in {0}, and was read so; MicroXML is UTF-8"),
    # Tags
    "eof-in-tag": Code(W, "the document ends inside a tag; the tag was closed"),
    "unclosed-tag": Code(W, "tag without '>'; it was closed before this character", MOVED),
    "invalid-name": Code(W, "{0!r} is not a name of MicroXML; it was kept"),
    "xmlns-attribute": Code(W, "MicroXML has no namespaces, and no attribute 'xmlns'; this one was kept"),
    "duplicate-attribute": Code(W, "attribute {0!r} given twice in one tag; the first was kept", LOST),
    "unquoted-attribute-value": Code(W, "attribute value without quotes; read up to white space, '>' or '/>'"),
    "missing-quote-after-attribute-value": Code(
        W, "no quote at the end of an attribute value; the value was ended here", MOVED
    ),
    "greater-than-sign-in-attribute-value": Code(W, "'>' is not allowed in an attribute value; it was kept"),
    # Text and references
    "unescaped-less-than-sign": Code(W, "'<' that starts nothing was kept as text"),
    "greater-than-sign-in-text": Code(W, "'>' is not allowed in text; it was kept"),
    "unknown-named-character-reference": Code(W, "reference {0!r} is none of MicroXML's five; it was kept as text"),
    "undeclared-entity-reference": Code(
        W, "reference {0!r} is none of MicroXML's five; the option entities gave its meaning"
    ),
    "decimal-character-reference": Code(W, "reference {0!r} is not hexadecimal; it was read as decimal"),
    "character-reference-outside-unicode-range": Code(W, "reference {0!r} beyond U+10FFFF was kept as text"),
    "control-character-reference": Code(
        W, "reference {0!r} to a control character, which is not allowed; it was resolved"
    ),
    "noncharacter-character-reference": Code(
        W, "reference {0!r} to a noncharacter, which is not allowed; it was resolved"
    ),
    "null-character-reference": Code(
        W, "reference {0!r} to U+0000, which is not allowed; in the tree it is U+FFFD", LOST
    ),
    "surrogate-character-reference": Code(W, "reference {0!r} to a surrogate; in the tree it is U+FFFD", LOST),
    # Constructs that MicroXML lacks
    "malformed-comment": Code(W, "'--' in a comment, or '-' at its end; it was read up to the first '-->'"),
    "cdata-not-allowed": Code(W, "MicroXML has no CDATA sections; this one was read as text"),
    "eof-in-cdata": Code(W, "the document ends inside a CDATA section; the rest was read as text", MOVED),
    "processing-instruction-not-allowed": Code(
        W, "MicroXML has no processing instructions; this one was dropped", LOST
    ),
    "xml-declaration-not-allowed": Code(W, "MicroXML has no XML declaration; this one was dropped"),
    "doctype-not-allowed": Code(W, "MicroXML has no DOCTYPE; it was dropped with its declarations", LOST),
    "unclosed-doctype": Code(W, "the DOCTYPE is not closed; it was closed before this character"),
    # Tree construction
    "mismatched-end-tag": Code(W, "end tag {0!r} also closed what was still open inside it: {1!r}", MOVED),
    "eof-in-element": Code(W, "the document ends before element {0!r} is closed; all open elements were closed", MOVED),
    "text-outside-root": Code(W, "text outside the root element; it was kept, unless it is white space", MOVED),
    "element-after-root": Code(W, "element {0!r} after the end of the root element was kept", MOVED),
    "document-wrapped": Code(C, "the document is not a single element; '#doc' was put around it", MOVED),
    # Infoset coercion
    "coerced-attribute-name": Code(C, "attribute name {0!r} is not one that a tree can hold; written as {1!r}"),
}
