"""HTML's error codes (H-062, H-102, H-103), by WHATWG's names."""

from collections.abc import Mapping
from typing import Final

from xml5tree.errors.codes import CODES as XML5_CODES
from xml5tree.errors.codes import LOST, MOVED, Code, P
from xml5tree.xml.limits import COMMENT

#: Codes that XML5 has too, with the same messages.
_SHARED: Final = """
    invalid-byte-sequence not-xml damaged-compression eof-before-tag-name unexpected-solidus-in-tag
    missing-semicolon-after-character-reference absence-of-digits-in-numeric-character-reference
    null-character-reference surrogate-character-reference character-reference-outside-unicode-range
    incorrectly-opened-comment abrupt-closing-of-empty-comment missing-whitespace-before-doctype-name
    invalid-doctype-name invalid-character-sequence-after-doctype-name missing-whitespace-after-doctype-public-keyword
    missing-whitespace-after-doctype-system-keyword missing-whitespace-between-doctype-public-and-system-identifiers
    missing-doctype-public-identifier missing-doctype-system-identifier missing-quote-before-doctype-public-identifier
    missing-quote-before-doctype-system-identifier abrupt-doctype-public-identifier abrupt-doctype-system-identifier
    invalid-public-identifier unexpected-character-after-doctype-system-identifier eof-in-doctype max-depth-exceeded
    coerced-element-name coerced-attribute-name coerced-character coerced-comment
""".split()

CODES: Final[Mapping[str, Code]] = {code: XML5_CODES[code] for code in _SHARED} | {
    # Input stream
    "control-character-in-input-stream": Code(P, "control character {0} is not allowed in HTML; it was kept"),
    "noncharacter-in-input-stream": Code(P, "noncharacter {0} is not allowed in HTML; it was kept"),
    "surrogate-in-input-stream": Code(P, "lone surrogate {0} is not allowed in HTML; it was kept"),
    "unexpected-null-character": Code(P, "U+0000 was replaced by U+FFFD, or kept in text", LOST),
    # Tags
    "invalid-first-character-of-tag-name": Code(
        P, "no tag name after {0!r}: kept as text, or read as a comment", MOVED, COMMENT
    ),
    "eof-in-tag": Code(P, "the document ends inside a tag, which was dropped, or closed in the draft of 2008", LOST),
    "missing-end-tag-name": Code(P, "end tag '</>' without a name was dropped", MOVED),
    "end-tag-with-trailing-solidus": Code(P, "'/' at the end of end tag {0!r} was dropped"),
    "end-tag-with-attributes": Code(P, "the attributes of end tag {0!r} were dropped", LOST),
    "non-void-html-element-start-tag-with-trailing-solidus": Code(
        P, "'/' at the end of {0!r} was dropped; what follows is its content", MOVED
    ),
    "missing-attribute-value": Code(P, "no value after '='; the value is empty"),
    "missing-whitespace-between-attributes": Code(P, "no white space between attributes; a space was assumed"),
    "unexpected-equals-sign-before-attribute-name": Code(P, "'=' where an attribute name begins was kept in the name"),
    "unexpected-character-in-attribute-name": Code(P, "{0!r} in an attribute name was kept", MOVED),
    "unexpected-character-in-unquoted-attribute-value": Code(P, "{0!r} in a value without quotes was kept"),
    "duplicate-attribute": Code(P, "attribute {0!r} given twice in one tag; the first was kept", LOST),
    # References
    "unescaped-ampersand": Code(P, "'&' that starts no reference was kept as text"),
    "control-character-reference": Code(
        P, "reference {0!r} to a control character was resolved, from U+0080 to U+009F by windows-1252"
    ),
    "noncharacter-character-reference": Code(P, "reference {0!r} to a noncharacter was resolved"),
    "unknown-named-character-reference": Code(P, "there is no reference {0!r}; it was kept as text"),
    # Processing instructions
    "unexpected-question-mark-instead-of-tag-name": Code(P, "'<?' was read as a comment up to '>'", MOVED, COMMENT),
    # Comments and CDATA
    "eof-in-comment": Code(
        P, "the document ends inside a comment; everything after '<!--' became the comment", MOVED, COMMENT
    ),
    "incorrectly-closed-comment": Code(P, "'--!' in a comment was kept as its text, or closed it if '>' follows"),
    "double-hyphen-in-comment": Code(P, "'--' in a comment was kept as its text"),
    "cdata-in-html-content": Code(
        P, "'<![CDATA[' outside SVG and MathML was read as a comment up to '>'", MOVED, COMMENT
    ),
    "eof-in-script-html-comment-like-text": Code(
        P, "the document ends after '<!--' in a script; the rest is text of the script", MOVED
    ),
    # DOCTYPE
    "missing-doctype-name": Code(P, "DOCTYPE without a name; it was read without one"),
    # Tree construction
    "html-tree-construction": Code(P, "{0}", MOVED),
}
