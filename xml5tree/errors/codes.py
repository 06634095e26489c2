"""XML5's error codes: kind, effect on content, message.

Kinds (for the effects see `xml5tree.ErrorEntry`):

* ``P`` ``parse-error``: a parse error of the XML5 draft;
* ``W`` ``not-well-formed``: no error in the draft, but one in XML 1.0 or Namespaces in XML 1.0;
* ``C`` ``coerced``: as ``W``, and no XML tree can hold the content, so the tree has something else in its place.

``docs/errors.md`` shows each code with an example; a test keeps that page, this table and the uses in agreement.
"""

from collections.abc import Mapping
from functools import cache
from typing import Final, Literal, NamedTuple

from xml5tree.xml.limits import COMMENT, PROCESSING_INSTRUCTION

Kind = Literal["parse-error", "not-well-formed", "coerced"]
Effect = Literal["kept", "moved", "lost"]

Verdict = Literal["well-formed", "whole", "moved", "lost", "cut off", "no tree"]

P: Final = "parse-error"
W: Final = "not-well-formed"
C: Final = "coerced"

KEPT: Final = "kept"
MOVED: Final = "moved"
LOST: Final = "lost"

#: The effects, from the mildest to the worst.
EFFECTS: Final[tuple[Effect, ...]] = (KEPT, MOVED, LOST)


class Code(NamedTuple):
    """An error code's properties."""

    kind: Kind  # the usual kind; a few occurrences have another
    message: str  # plain words, with ``{0}`` for the occurrence's detail; they say what was done
    effect: Effect = KEPT  # the usual effect on content; a repair may report another
    #: The kind of node, `COMMENT` or `PROCESSING_INSTRUCTION`, that content becomes. If the tree leaves such nodes out,
    #: the usual effect is ``lost``.
    node: str | None = None


#: Messages that are formatted twice: first with the fate of the character, and for each error with the reference.
_NULL: Final = "reference {{0!r}} to U+0000, which XML does not allow; in the tree it is {0}"
_CONTROL_CHARACTER: Final = "reference {{0!r}} to a control character that XML does not allow; in the tree it is {0}"
_NONCHARACTER: Final = "reference {{0!r}} to a noncharacter that XML does not allow; in the tree it is {0}"


@cache
def codes_with(control_characters: str) -> Mapping[str, Code]:
    """Return the codes of XML5 for a value of the option `control_characters`."""
    if control_characters == "replace":
        return CODES
    words = "dropped" if control_characters == "drop" else "escaped, as in '_x000B_'"
    effect: Effect = LOST if control_characters == "drop" else KEPT
    return {
        **CODES,
        "control-character-reference": Code(P, _CONTROL_CHARACTER.format(words)),
        "noncharacter-character-reference": Code(P, _NONCHARACTER.format(words)),
        "coerced-character": Code(C, f"characters that XML does not allow were {words}", effect),
        "unexpected-null-character": Code(W, "U+0000 is not allowed in XML; the tree does not contain it"),
        "null-character-reference": Code(P, _NULL.format(words)),
    }


def verdict_of(total: int, effect: Effect, *, truncated: bool, has_tree: bool = True) -> Verdict:
    """Return whether a document with these errors can be trusted; see `ErrorLog.verdict`."""
    if not has_tree:
        return "no tree"
    if truncated:
        return "cut off"
    if effect == "kept":
        return "whole" if total else "well-formed"
    return effect


def worst(*effects: Effect) -> Effect:
    """Return the worst of some effects; ``kept`` if there are none."""
    return max(effects, key=EFFECTS.index, default=KEPT)


CODES: Final[dict[str, Code]] = {
    # Input stream
    "control-character-in-input-stream": Code(
        P, "control character {0} is not allowed in XML; the tree does not contain it"
    ),
    "noncharacter-in-input-stream": Code(P, "noncharacter {0} is not allowed in XML; the tree does not contain it"),
    "surrogate-in-input-stream": Code(P, "lone surrogate {0} is not a character; it was replaced by U+FFFD", LOST),
    "unexpected-null-character": Code(W, "U+0000 was replaced by U+FFFD", LOST),
    "invalid-byte-sequence": Code(W, "{0}", LOST),
    "not-xml": Code(W, "this is not XML: it looks like {0}"),
    "damaged-compression": Code(W, "{0}", LOST),
    "unsupported-encoding": Code(W, "encoding {0!r} is unknown or refused; the document is read as {1}"),
    "encoding-declaration-mismatch": Code(W, "declared encoding {0!r} contradicts the bytes, which are read as {1}"),
    "invalid-xml-declaration": Code(W, "XML declaration: {0}"),
    "abrupt-closing-xml-declaration": Code(W, "XML declaration does not end with '?>'; it was closed here"),
    "eof-in-xml-declaration": Code(W, "the document ends inside the XML declaration; it was closed"),
    "misplaced-xml-declaration": Code(W, "XML declaration is not at the very start of the document; {0}"),
    # Tags
    "invalid-first-character-of-tag-name": Code(P, "{0!r} does not start a tag here; kept as text"),
    "eof-before-tag-name": Code(P, "the document ends after {0!r}, which was kept as text"),
    "eof-in-tag": Code(P, "the document ends inside a tag{0}; the tag was closed"),
    "missing-end-tag-name": Code(W, "end tag '</>' without a name; it closes the current element"),
    "end-tag-with-trailing-solidus": Code(P, "'/' at the end of an end tag was dropped"),
    "end-tag-with-attributes": Code(P, "{0!r} in an end tag was dropped", LOST),
    "unexpected-solidus-in-tag": Code(P, "'/' inside a tag was dropped"),
    "attribute-without-value": Code(W, "attribute without a value; the value is empty"),
    "missing-attribute-value": Code(W, "no value after '='; the value is empty"),
    "unquoted-attribute-value": Code(W, "attribute value without quotes; read up to white space or '>'"),
    "missing-whitespace-between-attributes": Code(W, "no white space between attributes; a space was assumed"),
    "less-than-sign-in-attribute-value": Code(W, "'<' is not allowed in an attribute value; it was kept"),
    "colon-before-attr": Code(P, "':' before an attribute name was dropped", LOST),
    "duplicate-attribute": Code(P, "attribute {0!r} given twice in one tag{1}; the first was kept", LOST),
    # References
    "unescaped-ampersand": Code(W, "'&' that starts no reference was kept as text"),
    "missing-semicolon-after-character-reference": Code(P, "reference {0!r} without ';' {1}"),
    "absence-of-digits-in-numeric-character-reference": Code(P, "{0!r} without digits was kept as text"),
    "uppercase-x-in-character-reference": Code(W, "reference {0!r} with an upper-case X was read as hexadecimal"),
    "null-character-reference": Code(P, "reference {0!r} to U+0000 was replaced by U+FFFD", LOST),
    "surrogate-character-reference": Code(P, "reference {0!r} to a surrogate was replaced by U+FFFD", LOST),
    "character-reference-outside-unicode-range": Code(
        P, "reference {0!r} is beyond U+10FFFF, the last character; it was replaced by U+FFFD", LOST
    ),
    "control-character-reference": Code(P, _CONTROL_CHARACTER.format("U+FFFD or a space")),
    "noncharacter-character-reference": Code(P, _NONCHARACTER.format("U+FFFD")),
    "undeclared-entity-reference": Code(W, "entity {0!r} is not declared; its usual meaning was taken"),
    "unknown-named-character-reference": Code(W, "entity {0!r} is not declared; the reference was kept as text"),
    "undeclared-namespace-entity": Code(
        W, "namespace name refers to entity {0!r}, which is not declared; the reference was kept as text", MOVED
    ),
    "recursive-entity-reference": Code(W, "entity {0!r} refers to itself; the inner reference was kept as text"),
    "external-entity-reference": Code(W, "entity {0!r} is external and never read; the reference was kept as text"),
    "entity-not-balanced": Code(
        W,
        "entity {0!r} leaves an element open, or closes one that it did not open; its text was read as it stands",
        MOVED,
    ),
    "entity-expansion-limit": Code(
        W,
        "entities or attribute defaults exceed the limit; references beyond it are kept as text, defaults not added",
        LOST,
    ),
    "unresolved-entity-reference": Code(
        W, "reference to entity {0!r} was kept as text, because of resolve_entities=False"
    ),
    # Processing instructions
    "unexpected-question-mark-instead-of-tag-name": Code(
        P, "'<?' without a target was read as a comment up to '>'", MOVED, COMMENT
    ),
    "missing-whitespace-after-pi-target": Code(
        W, "no white space after the processing instruction's target; a space was assumed"
    ),
    "eof-in-processing-instruction": Code(
        P,
        "the document ends inside a processing instruction of {0}, which was closed",
        MOVED,
        PROCESSING_INSTRUCTION,
    ),
    # Comments and CDATA
    "incorrectly-opened-comment": Code(P, "'<!' without '--' was read as a comment up to '>'", MOVED, COMMENT),
    "incorrectly-closed-comment": Code(P, "comment ends with '--!>' instead of '-->'; it was closed there"),
    "abrupt-closing-of-empty-comment": Code(P, "'<!-->' or '<!--->' was read as an empty comment"),
    "nested-comment": Code(P, "'<!--' inside a comment was kept as its text", MOVED, COMMENT),
    "eof-in-comment": Code(
        P, "the document ends inside a comment; everything after '<!--', {0}, became the comment", MOVED, COMMENT
    ),
    "eof-in-cdata": Code(P, "the document ends inside a CDATA section{0}; it was closed", MOVED),
    "cdata-end-in-text": Code(W, "']]>' is not allowed in text; it was kept"),
    "cdata-outside-root": Code(W, "CDATA section outside the root element was dropped"),
    # DOCTYPE
    "missing-whitespace-before-doctype-name": Code(P, "no white space after '<!DOCTYPE'; a space was assumed"),
    "missing-doctype-name": Code(P, "DOCTYPE without a name was dropped"),
    "invalid-doctype-name": Code(W, "DOCTYPE name {0!r} is not a qualified name; the DOCTYPE was dropped", LOST),
    "invalid-character-sequence-after-doctype-name": Code(
        P, "neither PUBLIC nor SYSTEM after the DOCTYPE name; the rest of the DOCTYPE was dropped", LOST
    ),
    "invalid-doctype-keyword": Code(W, "DOCTYPE keyword {0!r} is not in upper case; it was read as if it were"),
    "missing-whitespace-after-doctype-public-keyword": Code(P, "no white space after PUBLIC; a space was assumed"),
    "missing-whitespace-after-doctype-system-keyword": Code(P, "no white space after SYSTEM; a space was assumed"),
    "missing-whitespace-between-doctype-public-and-system-identifiers": Code(
        P, "no white space between the identifiers of the DOCTYPE; a space was assumed"
    ),
    "missing-doctype-public-identifier": Code(P, "no public identifier after PUBLIC; the DOCTYPE was read without one"),
    "missing-doctype-system-identifier": Code(
        P,
        "no system identifier in the DOCTYPE; it was read without one, or with an empty one after a public identifier",
    ),
    "missing-quote-before-doctype-public-identifier": Code(
        P, "public identifier without quotes; the rest of the DOCTYPE was dropped", LOST
    ),
    "missing-quote-before-doctype-system-identifier": Code(
        P, "system identifier without quotes; the rest of the DOCTYPE was dropped", LOST
    ),
    "abrupt-doctype-public-identifier": Code(
        P, "'>' inside the public identifier was taken for the end of the DOCTYPE", MOVED
    ),
    "abrupt-doctype-system-identifier": Code(
        P, "'>' inside the system identifier was taken for the end of the DOCTYPE", MOVED
    ),
    "invalid-public-identifier": Code(
        W, "public identifier with characters that are not allowed; it was dropped", LOST
    ),
    "doctype-identifier-too-long": Code(
        W, "the {0} identifier of the DOCTYPE is longer than libxml2 reads; it was dropped", LOST
    ),
    "unexpected-character-after-doctype-system-identifier": Code(
        P, "text after the DOCTYPE's system identifier was dropped", LOST
    ),
    "unexpected-character-after-doctype-internal-subset": Code(
        P, "text after the DOCTYPE's internal subset was dropped", LOST
    ),
    "eof-in-doctype": Code(P, "the document ends inside the DOCTYPE; it was closed", LOST),
    "unexpected-doctype": Code(
        P, "a DOCTYPE after another one, or after the first tag, was dropped with its declarations", LOST
    ),
    "bogus-declaration-in-doctype": Code(
        W, "declaration {0!r} in the DOCTYPE was not understood; it was dropped", LOST
    ),
    "unexpected-character-in-doctype": Code(
        W, "unexpected {0!r} among the declarations of the DOCTYPE was skipped", LOST
    ),
    "unclosed-doctype": Code(W, "DOCTYPE is not closed; it was closed before this tag"),
    # Tree construction
    "text-outside-root": Code(P, "text outside the root element was dropped: {0}", LOST),
    "element-after-root": Code(P, "element {0!r} after the end of the root element was dropped with its text", LOST),
    "mismatched-end-tag": Code(P, "end tag {0!r} also closed what was still open inside it: {1!r}{2}{3}", MOVED),
    "unmatched-end-tag": Code(P, "end tag {0!r} matches no open element; it was ignored", MOVED),
    "eof-in-element": Code(
        P, "the document ends before element {0!r} is closed; all open elements were closed{1}{2}", MOVED
    ),
    "no-root-element": Code(P, "no root element (no element found): the document has no start tag"),
    "max-depth-exceeded": Code(W, "elements nested deeper than {0} were attached to the deepest allowed parent", MOVED),
    # Assumptions of recovery="intent", and of the options elements and root
    "assumed-text": Code(P, "{0}"),
    "assumed-end-of-tag": Code(P, "{0}", MOVED),
    "assumed-end-of-value": Code(P, "{0}, since its closing quote seems to be missing", MOVED),
    "assumed-quotes": Code(P, "{0}"),
    "assumed-attribute": Code(P, "{0}"),
    "assumed-declaration": Code(P, "{0}"),
    "assumed-namespace": Code(P, "entity {0!r} is not declared; it was taken for the namespace name {1!r}"),
    "assumed-empty": Code(P, "{0}", MOVED),
    "assumed-section": Code(P, "{0}"),
    "assumed-end-of-section": Code(P, "{0}, since nothing else closes it", MOVED),
    "assumed-end-tag": Code(P, "{0}"),
    "assumed-stray-end-tag": Code(P, "{0}", MOVED),
    "assumed-end-before": Code(P, "{0}", MOVED),
    "assumed-start-tag": Code(P, "{0}", MOVED),
    "assumed-name": Code(P, "{0}"),
    "assumed-twice": Code(P, "{0}, and dropped", LOST),
    "assumed-junk": Code(P, "everything before the document was dropped: {0}", LOST),
    "assumed-padding": Code(P, "padding after the document was dropped: {0}"),
    "assumed-encoding": Code(P, "the encoding {0!r} was taken from a declaration that does not begin the document"),
    "assumed-unfinished-tag": Code(P, "{0}", LOST),
    "assumed-reference": Code(P, "{0}"),
    "contradicts-structure": Code(P, "{0}"),
    # Namespaces
    "undeclared-namespace-prefix": Code(W, "prefix {0!r} is not declared; bound to {1}"),
    # A declaration xmlns:p="", not a prefix without a declaration.
    "namespace-prefix-undeclared": Code(W, "declaration {0!r} without a namespace name was dropped"),
    "reserved-namespace-declaration": Code(W, "declaration {0!r} uses a reserved name; {1}"),
    "namespace-declaration-limit": Code(
        W, "repeated namespace declarations exceed the limit; from here on, digests replace long namespace names", LOST
    ),
    "invalid-namespace-prefix": Code(W, "prefix {0!r} is not a name; written as {1!r}"),
    # Infoset coercion
    "coerced-element-name": Code(C, "element name {0!r} is not an XML name; written as {1!r}"),
    "coerced-attribute-name": Code(C, "attribute name {0!r} is not allowed in XML; written as {1!r}"),
    "coerced-id": Code(C, "the value {0!r} of xml:id {1}, which libxml2 refuses; the attribute was written as {2!r}"),
    "coerced-pi-target": Code(
        C, "processing instruction target {0!r} is not allowed; written as {1!r}", MOVED, PROCESSING_INSTRUCTION
    ),
    "coerced-character": Code(C, "characters that XML does not allow were replaced by U+FFFD or a space", LOST),
    "coerced-comment": Code(C, "'--' in a comment, or '-' at its end; a space was put after the '-'"),
    "unencodable-character": Code(C, "characters that {0} does not have were replaced by '?'", LOST),
    "node-left-out": Code(C, "{0} was left out: this tree has no such nodes", LOST),
    "coerced-namespace-uri": Code(C, "namespace name {0!r} is not a URI; written as {1!r}"),
    # The caller's wishes
    "doctype-forbidden": Code(W, "the document has a DOCTYPE, which forbid_dtd=True forbids"),
    "entities-forbidden": Code(W, "the DOCTYPE declares entity {0!r}, which forbid_entities=True forbids"),
    "external-forbidden": Code(W, "the DOCTYPE refers to {0}, which forbid_external=True forbids"),
    "not-well-formed": Code(W, "{0}"),
    "unsafe-declarations": Code(W, "{0}"),
}
