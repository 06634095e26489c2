"""The error codes of LeafXML; each refuses the document."""

from typing import Final

from xml5tree.errors.codes import CODES as XML5_CODES
from xml5tree.errors.codes import Code, W

#: Messages of codes that other dialects share, and recover from.
_MESSAGES: Final = {
    # Characters and encoding
    "invalid-byte-sequence": "bytes that are not {0}",
    "damaged-compression": "{0}",
    # Escapes
    "missing-semicolon-after-character-reference": "'&' without a ';' after it; a plain ampersand is '&amp;'",
    "unknown-named-character-reference": "'&{0};' is none of the five escapes amp, lt, gt, apos and quot",
    # Tokens
    "eof-in-tag": "the document ends inside a tag; perhaps a quote is not closed",
    "eof-in-cdata": "the document ends inside a CDATA section",
    "eof-in-processing-instruction": "the document ends inside an instruction; '?>' is missing",
    "eof-in-comment": "the document ends inside a comment; '-->' is missing",
    "eof-in-doctype": "the document ends inside a DOCTYPE",
    "doctype-forbidden": "the document has a DOCTYPE, which forbid_dtd=True forbids",
    # Tags
    "end-tag-with-trailing-solidus": "end tag of {0!r} with '/' before '>'",
    "unexpected-solidus-in-tag": "'/' in a tag must be right before '>'",
    "end-tag-with-attributes": "end tag of {0!r} with more in it than the name",
    "missing-whitespace-between-attributes": "no white space after an attribute value",
    "attribute-without-value": "attribute {0!r} without '=' and a value",
    "missing-attribute-value": "attribute {0!r} without a value after '='",
    "unquoted-attribute-value": "value of attribute {0!r} without quotes",
    "less-than-sign-in-attribute-value": "'<' in the value of attribute {0!r}; perhaps a quote is missing",
    "duplicate-attribute": "attribute {0!r} given twice in one tag",
    # Tag stack
    "element-after-root": "a second root element, {0!r}",
    "unmatched-end-tag": "end tag {0!r} matches no open element",
    "mismatched-end-tag": "end tag {0!r} where element {1!r} is open",
    "eof-in-element": "the document ends before element {0!r} is closed",
    "no-root-element": "no root element: the document has no tag",
    "max-depth-exceeded": "elements nested deeper than {0}",
    # Namespaces
    "invalid-namespace-prefix": "declared prefix {0!r} is not a name without a colon",
    "undeclared-namespace-prefix": "prefix {0!r} is not declared",
    "namespace-declaration-limit": "repeated namespace declarations exceed the limit",
}

#: Codes that no other dialect has.
_OWN: Final = {
    "forbidden-character": Code(W, "character {0} is not allowed in LeafXML"),
    "invalid-numeric-character-reference": Code(
        W, "{0!r} is not '&#', digits and ';', or '&#x', hexadecimal digits and ';'"
    ),
    "forbidden-character-reference": Code(W, "{0!r} stands for a character that is not allowed in LeafXML"),
    "missing-tag-name": Code(W, "'<>' is not a tag"),
    "invalid-markup-declaration": Code(W, "'<!' that begins neither a comment nor '<![CDATA[' nor '<!DOCTYPE'"),
    "doctype-internal-subset": Code(W, "DOCTYPE with declarations in '[' and ']', which LeafXML does not allow"),
    "duplicate-doctype": Code(W, "a second DOCTYPE"),
    "misplaced-doctype": Code(W, "DOCTYPE after the first tag"),
    "stray-content": Code(W, "text outside the root element"),
    "invalid-tag-name": Code(W, "the tag does not begin with a name"),
    "invalid-attribute-name": Code(W, "neither an attribute name nor the end of the tag comes here"),
    "invalid-name-after-normalization": Code(W, "name {0!r} is {1!r} in Unicode normal form NFC, which is not a name"),
    "unexpected-character-in-tag": Code(W, "{0!r} right after a name in a tag"),
    "xmlns-prefix-declared": Code(W, "prefix 'xmlns' cannot be declared"),
    "empty-namespace-name": Code(W, "declaration {0!r} without a namespace name"),
    "xml-prefix-rebound": Code(W, "prefix 'xml' cannot be bound to {0!r}"),
    "xml-namespace-rebound": Code(W, "declaration {0!r} binds the namespace of 'xml', which no other prefix can have"),
    "xmlns-namespace-declared": Code(W, "declaration {0!r} binds the namespace of 'xmlns', which cannot be declared"),
    "multiple-colons-in-name": Code(W, "name {0!r} with more than one colon"),
    "invalid-qualified-name": Code(W, "{0!r} is not a prefix, a colon and a local name"),
    "xmlns-prefix-on-element": Code(W, "{0!r}: elements cannot have the prefix 'xmlns'"),
    "duplicate-expanded-attribute": Code(W, "attribute {0!r} has the namespace and local name of another attribute"),
}

#: Names that a native parser cannot read are coerced, as in every dialect (L-083).
_COERCIONS: Final = ("coerced-element-name", "coerced-attribute-name", "coerced-id", "coerced-namespace-uri")

#: Every code that LeafXML has.
CODES: Final[dict[str, Code]] = {
    **{code: Code(W, message) for code, message in _MESSAGES.items()},
    **_OWN,
    **{code: XML5_CODES[code] for code in _COERCIONS},
}
