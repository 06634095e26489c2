"""The error codes of MicroXML (M-060).

All errors of MicroXML are ``not-well-formed``, and changes of the tree alone are ``coerced``. Codes shared with XML5
have messages of their own here.
"""

from typing import Final

from xml5tree.errors.codes import LOST, MOVED, C, Code, W

__all__ = ["CODES"]

CODES: Final[dict[str, Code]] = {
    # Input stream
    "control-character-in-input-stream": Code(
        W, "control character {0} is not allowed in MicroXML; it was kept if XML allows it"
    ),
    "noncharacter-in-input-stream": Code(
        W, "noncharacter {0} is not allowed in MicroXML; it was kept if XML allows it"
    ),
    "surrogate-in-input-stream": Code(W, "lone surrogate {0} is not a character; it was replaced by U+FFFD", LOST),
    "unexpected-null-character": Code(W, "U+0000 is not allowed; in the tree it is U+FFFD", LOST),
    "invalid-byte-sequence": Code(W, "{0}", LOST),
    "not-xml": Code(W, "this is not XML: it looks like {0}"),
    "damaged-compression": Code(W, "{0}", LOST),
    "encoding-not-utf-8": Code(W, "the document is in {0}, and was read so; MicroXML is UTF-8"),
    "unsupported-encoding": Code(W, "encoding {0!r} is unknown or refused; the document is read as {1}"),
    "encoding-declaration-mismatch": Code(W, "declared encoding {0!r} contradicts the bytes, which are read as {1}"),
    "assumed-encoding": Code(W, "the encoding {0!r} was taken from a declaration that does not begin the document"),
    # Tags
    "eof-in-tag": Code(W, "the document ends inside a tag; the tag was closed"),
    "unclosed-tag": Code(W, "tag without '>'; it was closed before this character", MOVED),
    "invalid-name": Code(W, "{0!r} is not a name of MicroXML; it was kept"),
    "xmlns-attribute": Code(W, "MicroXML has no namespaces, and no attribute 'xmlns'; this one was kept"),
    "attribute-without-value": Code(W, "attribute without a value; the value is empty"),
    "missing-attribute-value": Code(W, "no value after '='; the value is empty"),
    "missing-whitespace-between-attributes": Code(W, "no white space between attributes; a space was assumed"),
    "duplicate-attribute": Code(W, "attribute {0!r} given twice in one tag; the first was kept", LOST),
    "unquoted-attribute-value": Code(W, "attribute value without quotes; read up to white space, '>' or '/>'"),
    "missing-quote-after-attribute-value": Code(
        W, "no quote at the end of an attribute value; the value was ended here", MOVED
    ),
    "less-than-sign-in-attribute-value": Code(W, "'<' is not allowed in an attribute value; it was kept"),
    "greater-than-sign-in-attribute-value": Code(W, "'>' is not allowed in an attribute value; it was kept"),
    # Text and references
    "unescaped-less-than-sign": Code(W, "'<' that starts nothing was kept as text"),
    "greater-than-sign-in-text": Code(W, "'>' is not allowed in text; it was kept"),
    "unescaped-ampersand": Code(W, "'&' that starts no reference was kept as text"),
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
    "eof-in-doctype": Code(W, "the document ends inside the DOCTYPE; it was closed", LOST),
    # Tree construction
    "mismatched-end-tag": Code(W, "end tag {0!r} also closed what was still open inside it: {1!r}", MOVED),
    "unmatched-end-tag": Code(W, "end tag {0!r} matches no open element; it was ignored", MOVED),
    "eof-in-element": Code(W, "the document ends before element {0!r} is closed; all open elements were closed", MOVED),
    "text-outside-root": Code(W, "text outside the root element; it was kept, unless it is white space", MOVED),
    "element-after-root": Code(W, "element {0!r} after the end of the root element was kept", MOVED),
    "no-root-element": Code(W, "no root element (no element found): the document has no start tag"),
    "document-wrapped": Code(C, "the document is not a single element; '#doc' was put around it", MOVED),
    "max-depth-exceeded": Code(W, "elements nested deeper than {0} were attached to the deepest allowed parent", MOVED),
    # Infoset coercion
    "coerced-element-name": Code(C, "element name {0!r} is not an XML name; written as {1!r}"),
    "coerced-attribute-name": Code(C, "attribute name {0!r} is not one that a tree can hold; written as {1!r}"),
    "coerced-character": Code(C, "characters that XML does not allow were replaced by U+FFFD or a space", LOST),
    # The caller's wishes
    "doctype-forbidden": Code(W, "the document has a DOCTYPE, which forbid_dtd=True forbids"),
}
