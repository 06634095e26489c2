"""What each error code means, with an example: the source of ``--explain``, of the report and of docs/errors.md."""

from dataclasses import dataclass, field
from typing import Any, Final

__all__ = ["EXPLANATIONS", "SECTIONS", "Explanation", "in_section", "literal_or_text"]

#: Titles of the groups of codes, in the order of the documentation.
SECTIONS: Final = (
    "Input stream",
    "Tags",
    "References",
    "Processing instructions",
    "Comments and CDATA",
    "DOCTYPE",
    "Tree construction",
    "Assumptions",
    "Namespaces",
    "What XML cannot hold",
    "The caller's wishes",
    "LeafXML",
)


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """What is to be known of an error code.

    Attributes:
        section: the group it belongs to, one of `SECTIONS`.
        meaning: what is wrong with the document.
        repair: what the parser does about it.
        document: a small document that has the error.
        is_long: whether ``…`` in the document stands for ten million letters.
        options: options that the example needs.
        ours: whether the name of the code is our own; else the draft or the HTML standard has it.
        note: where an occurrence differs from what is usual for the code.
        elsewhere: what is done about it in a dialect other than the first that has the code, where that differs.
        of_tree: whether the tree of ElementTree has the error, and repaired markup has not.
    """

    section: str
    meaning: str
    repair: str
    document: str | bytes
    is_long: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    ours: bool = False
    note: str = ""
    elsewhere: dict[str, str] = field(default_factory=dict)
    of_tree: bool = False


def in_section(section: str) -> list[str]:
    """Return the codes of a section."""
    return [code for code, explanation in EXPLANATIONS.items() if explanation.section == section]


def literal_or_text(document: str | bytes) -> str:
    """Return a document as it can be shown in one line: a Python literal where it could not be seen otherwise."""
    if isinstance(document, bytes):
        return ascii(document)
    return document if document.isprintable() and "\ufffd" not in document else ascii(document)


EXPLANATIONS: Final[dict[str, Explanation]] = {
    "control-character-in-input-stream": Explanation(
        section="Input stream",
        meaning="A control character that XML does not allow, such as U+000B, stands in the document.",
        repair="The tree has U+FFFD in its place.",
        document="<a>\x0b</a>",
        note="`not-well-formed` where the character is U+000C; the tree has a space for it.",
        elsewhere={
            "microxml": "It stays where XML allows it, as U+007F to U+009F, which MicroXML does not.",
            "html": (
                "It is an error too if it is U+007F to U+009F, but not if it is U+000C. Tokens have it; "
                "the tree has U+FFFD in its place where XML does not allow it."
            ),
        },
    ),
    "noncharacter-in-input-stream": Explanation(
        section="Input stream",
        meaning="U+FFFE or U+FFFF, which are no characters, stand in the document.",
        repair="The tree has U+FFFD in their place.",
        document="<a>\ufffe</a>",
        elsewhere={
            "microxml": "It stays where XML allows it, as U+FDD0 and U+1FFFE, which MicroXML does not.",
            "html": "All noncharacters are errors, as U+FDD0 and U+1FFFE. They stay where XML allows them.",
        },
    ),
    "surrogate-in-input-stream": Explanation(
        section="Input stream",
        meaning="The text has one half of a surrogate pair without the other; no character can be made of it.",
        repair="It is replaced by U+FFFD. The two halves of a pair are joined, and are no error.",
        document="<a>\ud800</a>",
        elsewhere={"html": "Tokens have it; the tree has U+FFFD in its place."},
    ),
    "unexpected-null-character": Explanation(
        section="Input stream",
        meaning="The document has U+0000, a zero byte, which XML never allows.",
        repair="It is replaced by U+FFFD.",
        document="<a>\0</a>",
        elsewhere={
            "microxml": "It is U+FFFD in the tree only: it is no character of names, as U+FFFD is.",
            "html": "In text it stays, and the tree drops it; elsewhere it is U+FFFD.",
        },
    ),
    "invalid-byte-sequence": Explanation(
        section="Input stream",
        meaning="Some bytes are not valid in the document's encoding: often it was put together from parts in "
        "different encodings, or cut in the middle of a character.",
        repair="In a document of UTF-8, a single wrong byte is read as windows-1252, which it most likely is; so are "
        "several that begin like a character of UTF-8, if the document has had no such character yet. "
        "What cannot be read so is replaced by U+FFFD.",
        document=b"<a>caf\xe3\x81</a>",
        ours=True,
        note="Content is kept where bytes could be read as windows-1252, as in `b'<a>caf\\xe9</a>'`; the message says "
        "so.",
    ),
    "not-xml": Explanation(
        section="Input stream",
        meaning="The document, which consists of bytes, begins as an image, an archive, an executable or another kind "
        "of file does that is no text, or has many control characters where text should be.",
        repair="There is no tree: `ParseError` is raised, unless `force=True` asks for one. Text is never refused.",
        document=b"\x89PNG\r\n\x1a\n<a/>",
        ours=True,
    ),
    "damaged-compression": Explanation(
        section="Input stream",
        meaning="A file that is compressed by gzip or zstd is damaged, or cut off.",
        repair="What comes before that is read.",
        document=b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xb3I\xb4K\xb2\xd1O\xb4\x03\x00s\x9dhs",
        ours=True,
        note="This is about files, as `parse`, `iterparse`, `open`, `records`, the drop-ins and the commands read "
        "them; `fromstring` and `feed` do not unpack, so that compressed data is `not-xml` there.",
    ),
    "unsupported-encoding": Explanation(
        section="Input stream",
        meaning="The XML declaration names an encoding that is unknown, or that is refused because markup can hide "
        "in it.",
        repair="The document is read as its bytes suggest, which mostly means UTF-8.",
        document=b'<?xml version="1.0" encoding="x-none"?><a/>',
        ours=True,
    ),
    "encoding-declaration-mismatch": Explanation(
        section="Input stream",
        meaning="The XML declaration, or a byte order mark, says an encoding that the bytes are plainly not in.",
        repair="The bytes are believed, not the declaration; such a mark is dropped.",
        document=b'<?xml version="1.0" encoding="utf-16"?><a/>',
        ours=True,
    ),
    "encoding-not-utf-8": Explanation(
        section="Input stream",
        meaning="The bytes, or the XML declaration in them, say that the document is not in UTF-8, as MicroXML is.",
        repair="It is read in its encoding.",
        document=b"\xff\xfe<\x00a\x00/\x00>\x00",
        options={"dialect": "microxml"},
        ours=True,
    ),
    "invalid-xml-declaration": Explanation(
        section="Input stream",
        meaning="The XML declaration is not as it should be: no version, no quotes, wrong order, something unknown.",
        repair="What can be recognised in it is used; it is written anew.",
        document="<?xml version=1.0?><a/>",
    ),
    "abrupt-closing-xml-declaration": Explanation(
        section="Input stream",
        meaning="The XML declaration ends with `>` or before `<` instead of with `?>`.",
        repair="It is ended there.",
        document='<?xml version="1.0"><a/>',
        note="Content is lost where words are in it that are none of a declaration.",
    ),
    "eof-in-xml-declaration": Explanation(
        section="Input stream",
        meaning="The document ends inside the XML declaration.",
        repair="The declaration is closed. There is no start tag, so there is no tree.",
        document='<?xml version="1.0"',
        note="Content is lost where words are in it that are none of a declaration.",
    ),
    "misplaced-xml-declaration": Explanation(
        section="Input stream",
        meaning="There is something before the XML declaration, which must be the very first thing in a document.",
        repair="Behind white space it is obeyed all the same; elsewhere it is dropped or becomes a processing "
        "instruction, as the message says.",
        document='\n<?xml version="1.0"?><a/>',
        ours=True,
    ),
    "invalid-first-character-of-tag-name": Explanation(
        section="Tags",
        meaning="What follows `<` or `</` cannot begin a name. Usually the `<` was meant as text.",
        repair="It is kept as text.",
        document="<a>1 < 2</a>",
        elsewhere={"html": "After `</` all up to `>` is a comment."},
    ),
    "eof-before-tag-name": Explanation(
        section="Tags",
        meaning="The document ends after `<` or `</`.",
        repair="It is kept as text.",
        document="<a>x<",
    ),
    "eof-in-tag": Explanation(
        section="Tags",
        meaning="The document ends inside a tag.",
        repair="The tag is closed, with the attributes that are there.",
        document='<a b="c"',
        options={"recovery": "draft"},
        elsewhere={"html": "The tag is dropped; in the draft of 2008 it is closed."},
    ),
    "unclosed-tag": Explanation(
        section="Tags",
        meaning="A tag goes on with something that is no attribute, or ends before `<`.",
        repair="It is closed there, and what follows is read as content.",
        document="<a b='1'<c/></a>",
        options={"dialect": "microxml"},
        ours=True,
    ),
    "invalid-name": Explanation(
        section="Tags",
        meaning="The name of an element or attribute is not one of MicroXML, which has no colons in names.",
        repair="It is kept; where the tree cannot hold it, it is coerced, which is another entry.",
        document="<p:a/>",
        options={"dialect": "microxml"},
        ours=True,
    ),
    "xmlns-attribute": Explanation(
        section="Tags",
        meaning="There is an attribute `xmlns`. MicroXML has no namespaces, and does not allow it.",
        repair="It is an attribute like any other; the tree has its name coerced.",
        document="<a xmlns='u'/>",
        options={"dialect": "microxml"},
        ours=True,
    ),
    "missing-end-tag-name": Explanation(
        section="Tags",
        meaning="The end tag `</>` has no name. The draft allows it and calls it a short end tag; XML does not.",
        repair="It closes the current element.",
        document="<a>x</>",
        elsewhere={"html": "It is dropped."},
    ),
    "end-tag-with-trailing-solidus": Explanation(
        section="Tags",
        meaning="An end tag has a `/` at its end.",
        repair="The `/` is dropped.",
        document="<a>x</a/>",
    ),
    "end-tag-with-attributes": Explanation(
        section="Tags",
        meaning="An end tag has something after its name.",
        repair="It is dropped.",
        document="<a>x</a b>",
        elsewhere={"html": "They are read as attributes before they are dropped."},
    ),
    "unexpected-solidus-in-tag": Explanation(
        section="Tags",
        meaning="A tag has a `/` that is not at its end.",
        repair="The `/` is dropped; the tag goes on.",
        document='<a/ b="c"></a>',
    ),
    "attribute-without-value": Explanation(
        section="Tags",
        meaning="An attribute has no `=` and no value, as HTML allows it.",
        repair="Its value is empty.",
        document="<a b></a>",
        ours=True,
    ),
    "missing-attribute-value": Explanation(
        section="Tags",
        meaning="There is no value after an attribute's `=`.",
        repair="The value is empty.",
        document="<a b=></a>",
        elsewhere={"html": "It is an error only where `=` has no value after it."},
    ),
    "unquoted-attribute-value": Explanation(
        section="Tags",
        meaning="An attribute's value has no quotes.",
        repair="The value is what comes up to white space or `>`.",
        document="<a b=c></a>",
        ours=True,
    ),
    "missing-whitespace-between-attributes": Explanation(
        section="Tags",
        meaning="An attribute begins directly after the value of the one before.",
        repair="White space is put between them.",
        document='<a b="1"c="2"/>',
    ),
    "less-than-sign-in-attribute-value": Explanation(
        section="Tags",
        meaning="There is a `<` in an attribute's value. Where many follow, a closing quote may be missing before.",
        repair="It is kept, and written as `&lt;`.",
        document='<a b="1<2"/>',
        ours=True,
    ),
    "greater-than-sign-in-attribute-value": Explanation(
        section="Tags",
        meaning="`>` stands in an attribute value; MicroXML has `&gt;` for it.",
        repair="It is kept as text, where the next quote is followed by white space, `>` or `/>`.",
        document="<a b='1>2'/>",
        options={"dialect": "microxml"},
        ours=True,
    ),
    "missing-quote-after-attribute-value": Explanation(
        section="Tags",
        meaning="The quote at the end of an attribute value is missing: what follows the next one follows no value.",
        repair="The value is ended before its first `<` or `>`.",
        document="<a b='c>text</a>",
        options={"dialect": "microxml"},
        ours=True,
    ),
    "colon-before-attr": Explanation(
        section="Tags",
        meaning="There is a `:` before an attribute's name.",
        repair="The `:` is dropped.",
        document='<a :b="c"/>',
    ),
    "duplicate-attribute": Explanation(
        section="Tags",
        meaning="A tag has the same attribute twice, perhaps under two prefixes that mean one namespace.",
        repair="The first one is kept, the others are dropped.",
        document='<a b="1" b="2"/>',
        elsewhere={"html": "Names are compared in lower case."},
    ),
    "non-void-html-element-start-tag-with-trailing-solidus": Explanation(
        section="Tags",
        meaning="A start tag of HTML ends in `/>`, but the element is not one that never has content, such as `br`.",
        repair="The `/` is dropped, and what follows is content of the element.",
        document="<!DOCTYPE html><title>t</title><div/>text</div>",
        options={"dialect": "html"},
    ),
    "unexpected-equals-sign-before-attribute-name": Explanation(
        section="Tags",
        meaning="There is `=` where the name of an attribute should begin.",
        repair="It is the first character of the name.",
        document="<!DOCTYPE html><title>t</title><p =a>text",
        options={"dialect": "html"},
    ),
    "unexpected-character-in-attribute-name": Explanation(
        section="Tags",
        meaning="`\"`, `'` or `<` stands in the name of an attribute; a quote or `>` may be missing before it.",
        repair="It is part of the name.",
        document='<!DOCTYPE html><title>t</title><p a">text',
        options={"dialect": "html"},
    ),
    "unexpected-character-in-unquoted-attribute-value": Explanation(
        section="Tags",
        meaning="`\"`, `'`, `<`, `=` or a grave accent stands in an attribute value without quotes.",
        repair="It is part of the value.",
        document="<!DOCTYPE html><title>t</title><p a=b=c>text",
        options={"dialect": "html"},
    ),
    "unescaped-ampersand": Explanation(
        section="References",
        meaning="There is an `&` that starts no reference, as in an address with parameters.",
        repair="It is kept as text, and written as `&amp;`.",
        document="<a>x & y</a>",
        ours=True,
        elsewhere={"html": "It is an error in the draft of 2008 only."},
    ),
    "unescaped-less-than-sign": Explanation(
        section="References",
        meaning="`<` starts nothing that MicroXML, or its error recovery, knows.",
        repair="It is kept as text.",
        document="<a>1 < 2</a>",
        options={"dialect": "microxml"},
        ours=True,
    ),
    "greater-than-sign-in-text": Explanation(
        section="References",
        meaning="`>` stands in text; MicroXML has `&gt;` for it.",
        repair="It is kept as text.",
        document="<a>2 > 1</a>",
        options={"dialect": "microxml"},
        ours=True,
    ),
    "missing-semicolon-after-character-reference": Explanation(
        section="References",
        meaning="A reference has no `;` at its end.",
        repair=(
            "A numeric one is obeyed; a named one is kept as text, since it may well be no reference. If no entity has "
            "the name, as in `?a=1&b=2`, it is an `unescaped-ampersand`."
        ),
        document="<a>&lt</a>",
        options={"recovery": "draft"},
        elsewhere={
            "html": (
                "Those that were ever written so are resolved; in an attribute value not before `=`, a "
                "letter or a digit."
            )
        },
    ),
    "absence-of-digits-in-numeric-character-reference": Explanation(
        section="References",
        meaning="There are no digits after `&#` or `&#x`.",
        repair="It is kept as text.",
        document="<a>&#;</a>",
    ),
    "uppercase-x-in-character-reference": Explanation(
        section="References",
        meaning="A hexadecimal reference has `X` where XML only allows `x`.",
        repair="It is read as hexadecimal.",
        document="<a>&#X41;</a>",
        ours=True,
    ),
    "decimal-character-reference": Explanation(
        section="References",
        meaning="A numeric reference is decimal; MicroXML has hexadecimal ones only.",
        repair="It is read as decimal.",
        document="<a>&#65;</a>",
        options={"dialect": "microxml"},
        ours=True,
    ),
    "null-character-reference": Explanation(
        section="References",
        meaning="A reference stands for U+0000, which XML never allows.",
        repair="It gives U+FFFD.",
        document="<a>&#0;</a>",
    ),
    "surrogate-character-reference": Explanation(
        section="References",
        meaning="A reference stands for one half of a surrogate pair, which is no character.",
        repair="It gives U+FFFD, and so does each of two such references that would make a pair.",
        document="<a>&#xD800;</a>",
    ),
    "character-reference-outside-unicode-range": Explanation(
        section="References",
        meaning="A reference has a number beyond U+10FFFF, the last character there can be.",
        repair="It gives U+FFFD.",
        document="<a>&#x110000;</a>",
        elsewhere={"microxml": "The reference is kept as text."},
    ),
    "control-character-reference": Explanation(
        section="References",
        meaning="A reference stands for a control character that XML does not allow.",
        repair="The tree has U+FFFD or a space in its place.",
        document="<a>&#1;</a>",
        elsewhere={
            "microxml": "The character is taken where XML allows it, as U+000D.",
            "html": (
                "U+0080 to U+009F stand for the characters of windows-1252; others stay, and the tree has "
                "U+FFFD or a space for those that XML does not allow."
            ),
        },
    ),
    "noncharacter-character-reference": Explanation(
        section="References",
        meaning="A reference stands for U+FFFE or U+FFFF, which are no characters.",
        repair="The tree has U+FFFD in its place.",
        document="<a>&#xFFFE;</a>",
        elsewhere={
            "microxml": "The character is taken where XML allows it.",
            "html": "All noncharacters are errors; the tree has U+FFFD for those that XML does not allow.",
        },
    ),
    "undeclared-entity-reference": Explanation(
        section="References",
        meaning="The document uses an entity of HTML, such as `&eacute;` or `&nbsp;`, without declaring it.",
        repair="It is taken for what it means in HTML.",
        document="<a>&eacute;</a>",
        ours=True,
        elsewhere={"microxml": "The names that `entities` gives are not of MicroXML; their meaning is taken."},
    ),
    "unknown-named-character-reference": Explanation(
        section="References",
        meaning="The document uses an entity that it does not declare, and that has no usual meaning.",
        repair="The reference is kept as text.",
        document="<a>&foo;</a>",
        elsewhere={
            "microxml": "There are five names, unless `entities` gives more.",
            "html": "The names are those of HTML.",
        },
    ),
    "recursive-entity-reference": Explanation(
        section="References",
        meaning="An entity's text refers to the entity itself, perhaps by way of others.",
        repair="The inner reference is kept as text.",
        document='<!DOCTYPE a [<!ENTITY e "x&e;">]><a>&e;</a>',
        ours=True,
    ),
    "external-entity-reference": Explanation(
        section="References",
        meaning="A reference stands for the content of another file or address.",
        repair="Nothing is ever fetched: the reference is kept as text.",
        document='<!DOCTYPE a [<!ENTITY e SYSTEM "f">]><a>&e;</a>',
        ours=True,
    ),
    "entity-not-balanced": Explanation(
        section="References",
        meaning="An entity's text opens an element that it does not close, or closes one that it did not open.",
        repair="The text is taken as if it stood there.",
        document='<!DOCTYPE a [<!ENTITY e "<b>">]><a>&e;x</b></a>',
        ours=True,
    ),
    "entity-expansion-limit": Explanation(
        section="References",
        meaning="The entities and attribute defaults of the document would make it far longer than it is; this is "
        "what attacks do.",
        repair="References that go past the limit are kept as text, defaults are not added.",
        document='<!DOCTYPE a [<!ENTITY e "12345678">]><a>&e;</a>',
        options={"max_amplification": 0, "amplification_threshold": 7},
        ours=True,
    ),
    "unresolved-entity-reference": Explanation(
        section="References",
        meaning="There is a reference to an entity that the document declares, and the caller does not want "
        "entities expanded.",
        repair="It is kept as text.",
        document='<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>',
        options={"resolve_entities": False},
        ours=True,
    ),
    "unexpected-question-mark-instead-of-tag-name": Explanation(
        section="Processing instructions",
        meaning="No target follows `<?`.",
        repair="Everything up to `>` is read as a comment.",
        document="<a><? x?></a>",
        elsewhere={"html": "HTML has no processing instructions; all of them are comments."},
    ),
    "missing-whitespace-after-pi-target": Explanation(
        section="Processing instructions",
        meaning="A processing instruction's target is not followed by white space or by `?>`.",
        repair="White space is put there.",
        document="<a><?b?c?></a>",
        ours=True,
    ),
    "eof-in-processing-instruction": Explanation(
        section="Processing instructions",
        meaning="The document ends inside a processing instruction.",
        repair="It is closed.",
        document="<a><?b c",
        ours=True,
    ),
    "processing-instruction-not-allowed": Explanation(
        section="Processing instructions",
        meaning="There is a processing instruction, which MicroXML does not have.",
        repair="It is dropped.",
        document="<a><?b c?></a>",
        options={"dialect": "microxml"},
        ours=True,
    ),
    "xml-declaration-not-allowed": Explanation(
        section="Processing instructions",
        meaning="There is an XML declaration, which MicroXML does not have.",
        repair="It is dropped; the encoding that it names is taken.",
        document="<?xml version='1.0'?><a/>",
        options={"dialect": "microxml"},
        ours=True,
    ),
    "incorrectly-opened-comment": Explanation(
        section="Comments and CDATA",
        meaning="There is a `<!` that begins nothing that XML knows. `<!doctype` has to be in capital letters.",
        repair="Everything up to `>` is read as a comment.",
        document="<a><!b></a>",
    ),
    "incorrectly-closed-comment": Explanation(
        section="Comments and CDATA",
        meaning="A comment ends with `--!>` instead of `-->`.",
        repair="It is ended there.",
        document="<a><!--b--!></a>",
        options={"recovery": "draft"},
        elsewhere={"html": "`--!` is an error whatever follows; only `--!>` closes the comment."},
    ),
    "abrupt-closing-of-empty-comment": Explanation(
        section="Comments and CDATA",
        meaning="A comment is closed as soon as it is opened, by `<!-->` or `<!--->`.",
        repair="It is an empty comment.",
        document="<a><!-->b</a>",
        options={"recovery": "draft"},
    ),
    "nested-comment": Explanation(
        section="Comments and CDATA",
        meaning="There is a `<!--` inside a comment. Perhaps the comment before was never closed.",
        repair="It is kept as text of the comment.",
        document="<a><!--<!--b--></a>",
    ),
    "double-hyphen-in-comment": Explanation(
        section="Comments and CDATA",
        meaning="`--` stands in a comment of HTML, and no `>` after it.",
        repair="It is kept as text of the comment. The tree has it taken apart, which is another entry.",
        document="<!DOCTYPE html><title>t</title><!--a--b-->",
        options={"dialect": "html"},
        ours=True,
    ),
    "eof-in-comment": Explanation(
        section="Comments and CDATA",
        meaning="The document ends inside a comment.",
        repair="Everything after the `<!--` is that comment.",
        document="<a><!--b</a>",
        options={"recovery": "draft"},
    ),
    "malformed-comment": Explanation(
        section="Comments and CDATA",
        meaning="A comment has `--` in it or `-` at its end.",
        repair="It ends at the first `-->`, and is no part of the tree.",
        document="<a><!-- b -- c --></a>",
        options={"dialect": "microxml"},
        ours=True,
    ),
    "eof-in-cdata": Explanation(
        section="Comments and CDATA",
        meaning="The document ends inside a CDATA section.",
        repair="The section is closed; its text is kept.",
        document="<a><![CDATA[b",
        elsewhere={"microxml": "All that follows is text."},
    ),
    "cdata-in-html-content": Explanation(
        section="Comments and CDATA",
        meaning="There is a CDATA section in HTML, which has them in SVG and MathML only.",
        repair="It is read as a comment up to the next `>`.",
        document="<!DOCTYPE html><title>t</title><![CDATA[text]]>",
        options={"dialect": "html"},
    ),
    "eof-in-script-html-comment-like-text": Explanation(
        section="Comments and CDATA",
        meaning="A document of HTML ends in a script, after `<!--`.",
        repair="All the rest is text of the script.",
        document="<!DOCTYPE html><script><!--",
        options={"dialect": "html"},
    ),
    "cdata-end-in-text": Explanation(
        section="Comments and CDATA",
        meaning="There is a `]]>` in text where no CDATA section is open.",
        repair="It is kept as text.",
        document="<a>]]></a>",
        ours=True,
    ),
    "cdata-outside-root": Explanation(
        section="Comments and CDATA",
        meaning="There is a CDATA section before or after the root element.",
        repair="It is dropped. If there is text in it, `text-outside-root` says so.",
        document="<![CDATA[]]><a/>",
        ours=True,
    ),
    "cdata-not-allowed": Explanation(
        section="Comments and CDATA",
        meaning="There is a CDATA section, which MicroXML does not have.",
        repair="Its content is text.",
        document="<a><![CDATA[b]]></a>",
        options={"dialect": "microxml"},
        ours=True,
    ),
    "missing-whitespace-before-doctype-name": Explanation(
        section="DOCTYPE",
        meaning="The name of the DOCTYPE begins directly after `<!DOCTYPE`.",
        repair="White space is put there.",
        document="<!DOCTYPEa><a/>",
    ),
    "missing-doctype-name": Explanation(
        section="DOCTYPE",
        meaning="The DOCTYPE has no name.",
        repair="It is dropped.",
        document="<!DOCTYPE ><a/>",
        elsewhere={"html": "It has no name, and the page is in quirks mode."},
    ),
    "invalid-doctype-name": Explanation(
        section="DOCTYPE",
        meaning="The name of the DOCTYPE cannot be the name of an element.",
        repair="The DOCTYPE is dropped.",
        document="<!DOCTYPE 1><a/>",
        ours=True,
    ),
    "invalid-character-sequence-after-doctype-name": Explanation(
        section="DOCTYPE",
        meaning="Neither `PUBLIC` nor `SYSTEM` follows the name of the DOCTYPE, but something else.",
        repair="The rest of the DOCTYPE is dropped.",
        document='<!DOCTYPE a "b"><a/>',
    ),
    "invalid-doctype-keyword": Explanation(
        section="DOCTYPE",
        meaning="`PUBLIC` or `SYSTEM` is not in capital letters.",
        repair="It is read as if it were.",
        document='<!DOCTYPE a system "b"><a/>',
        ours=True,
    ),
    "missing-whitespace-after-doctype-public-keyword": Explanation(
        section="DOCTYPE",
        meaning="There is no white space after `PUBLIC`.",
        repair="It is put there.",
        document='<!DOCTYPE a PUBLIC"b" "c"><a/>',
    ),
    "missing-whitespace-after-doctype-system-keyword": Explanation(
        section="DOCTYPE",
        meaning="There is no white space after `SYSTEM`.",
        repair="It is put there.",
        document='<!DOCTYPE a SYSTEM"b"><a/>',
    ),
    "missing-whitespace-between-doctype-public-and-system-identifiers": Explanation(
        section="DOCTYPE",
        meaning="There is no white space between the two identifiers of the DOCTYPE.",
        repair="It is put there.",
        document='<!DOCTYPE a PUBLIC "b""c"><a/>',
    ),
    "missing-doctype-public-identifier": Explanation(
        section="DOCTYPE",
        meaning="No identifier follows `PUBLIC`.",
        repair="The DOCTYPE has none.",
        document="<!DOCTYPE a PUBLIC><a/>",
    ),
    "missing-doctype-system-identifier": Explanation(
        section="DOCTYPE",
        meaning="No identifier follows `SYSTEM`, or none follows the public identifier.",
        repair="The DOCTYPE has none, or an empty one.",
        document="<!DOCTYPE a SYSTEM><a/>",
        note="`not-well-formed` where there is a public identifier, which the draft allows to stand alone; an empty "
        "system identifier is written then.",
    ),
    "missing-quote-before-doctype-public-identifier": Explanation(
        section="DOCTYPE",
        meaning="The public identifier has no quotes.",
        repair="The rest of the DOCTYPE is dropped.",
        document="<!DOCTYPE a PUBLIC b><a/>",
    ),
    "missing-quote-before-doctype-system-identifier": Explanation(
        section="DOCTYPE",
        meaning="The system identifier has no quotes.",
        repair="The rest of the DOCTYPE is dropped.",
        document="<!DOCTYPE a SYSTEM b><a/>",
    ),
    "abrupt-doctype-public-identifier": Explanation(
        section="DOCTYPE",
        meaning="The public identifier has no closing quote before `>`.",
        repair="The DOCTYPE is ended at the `>`.",
        document='<!DOCTYPE a PUBLIC "b><a/>',
    ),
    "abrupt-doctype-system-identifier": Explanation(
        section="DOCTYPE",
        meaning="The system identifier has no closing quote before `>`.",
        repair="The DOCTYPE is ended at the `>`.",
        document='<!DOCTYPE a SYSTEM "b><a/>',
    ),
    "invalid-public-identifier": Explanation(
        section="DOCTYPE",
        meaning="The public identifier has characters that are not allowed in one.",
        repair="It is dropped.",
        document='<!DOCTYPE a PUBLIC "{b}" "c"><a/>',
        ours=True,
    ),
    "doctype-identifier-too-long": Explanation(
        section="DOCTYPE",
        meaning="An identifier of the DOCTYPE has more bytes than libxml2 reads, about 10,000,000.",
        repair="It is dropped. The ElementTree backend has no such limit, nor does its tree have a DOCTYPE.",
        document="<!DOCTYPE a SYSTEM 'b…'><a/>",
        is_long=True,
        ours=True,
    ),
    "unexpected-character-after-doctype-system-identifier": Explanation(
        section="DOCTYPE",
        meaning="There is text after the system identifier.",
        repair="It is dropped.",
        document='<!DOCTYPE a SYSTEM "b" c><a/>',
    ),
    "unexpected-character-after-doctype-internal-subset": Explanation(
        section="DOCTYPE",
        meaning="There is text after the declarations of the DOCTYPE.",
        repair="It is dropped.",
        document="<!DOCTYPE a [] b><a/>",
        ours=True,
    ),
    "eof-in-doctype": Explanation(
        section="DOCTYPE",
        meaning="The document ends inside the DOCTYPE.",
        repair="It is closed. There is no start tag, so there is no tree.",
        document="<!DOCTYPE a",
    ),
    "unexpected-doctype": Explanation(
        section="DOCTYPE",
        meaning="There is a second DOCTYPE, or one after the first tag.",
        repair="It is dropped with its declarations.",
        document="<a><!DOCTYPE b></a>",
        ours=True,
    ),
    "bogus-declaration-in-doctype": Explanation(
        section="DOCTYPE",
        meaning="One of the declarations of the DOCTYPE cannot be understood.",
        repair="It is dropped.",
        document="<!DOCTYPE a [<!FOO>]><a/>",
        ours=True,
    ),
    "unexpected-character-in-doctype": Explanation(
        section="DOCTYPE",
        meaning="There is something among the declarations of the DOCTYPE that does not belong there.",
        repair="It is passed over.",
        document="<!DOCTYPE a [b]><a/>",
        ours=True,
    ),
    "unclosed-doctype": Explanation(
        section="DOCTYPE",
        meaning="A tag begins where the DOCTYPE should have ended.",
        repair="The DOCTYPE is ended before the tag.",
        document="<!DOCTYPE a [<a/>",
        ours=True,
        elsewhere={"microxml": "It is ended before whatever cannot be part of it."},
    ),
    "doctype-not-allowed": Explanation(
        section="DOCTYPE",
        meaning="There is a DOCTYPE, which MicroXML does not have.",
        repair="It is dropped, and declares nothing.",
        document="<!DOCTYPE a><a/>",
        options={"dialect": "microxml"},
        ours=True,
    ),
    "text-outside-root": Explanation(
        section="Tree construction",
        meaning="There is text before or after the root element: the output of another program, or the rest of a "
        "document that ended too early.",
        repair="It is dropped.",
        document="x<a/>",
        ours=True,
        note="`not-well-formed` where the text consists of nothing but references that stand for white space.",
        elsewhere={"microxml": "It is kept, in the element `#doc` around the document, unless it is white space."},
    ),
    "element-after-root": Explanation(
        section="Tree construction",
        meaning="There is another element after the root element, as where documents were joined.",
        repair="It is dropped with all that is in it.",
        document="<a/><b>x</b>",
        ours=True,
        elsewhere={"microxml": "It is kept, in the element `#doc` around the document."},
    ),
    "mismatched-end-tag": Explanation(
        section="Tree construction",
        meaning="An end tag closes an element while others inside it are still open: their end tags are missing.",
        repair="The open elements inside it are closed as well.",
        document="<a><b>x</a>",
        ours=True,
    ),
    "unmatched-end-tag": Explanation(
        section="Tree construction",
        meaning="No element of an end tag's name is open.",
        repair="The end tag is ignored.",
        document="<a>x</b></a>",
        ours=True,
    ),
    "eof-in-element": Explanation(
        section="Tree construction",
        meaning="The document ends before all elements are closed. It may have been cut off.",
        repair="All open elements are closed.",
        document="<a>x",
        ours=True,
    ),
    "no-root-element": Explanation(
        section="Tree construction",
        meaning="The document has no start tag, so it may be no XML at all.",
        repair="There is no tree: `ParseError` is raised.",
        document="<!-- a -->",
        ours=True,
        elsewhere={"microxml": "The text becomes that of the element `#doc`."},
    ),
    "html-tree-construction": Explanation(
        section="Tree construction",
        meaning=(
            "HTML does not allow a token where it stands: an end tag without an element, a block in a "
            "table, text after the end, a missing DOCTYPE. The message says which."
        ),
        repair="What HTML says: elements are closed, implied or moved so that every document has a tree.",
        document="<!DOCTYPE html><title>t</title><p>text</b>",
        options={"dialect": "html"},
        ours=True,
    ),
    "document-wrapped": Explanation(
        section="Tree construction",
        meaning="The document is not a single element: it has more of them, or none, or text around them.",
        repair="An element `#doc` is put around it, written with its name coerced.",
        document="<a/><b/>",
        options={"dialect": "microxml"},
        ours=True,
    ),
    "max-depth-exceeded": Explanation(
        section="Tree construction",
        meaning="Elements are nested more deeply than `max_depth` allows.",
        repair="Deeper ones are attached to the deepest parent that is allowed.",
        document="<a><b><c/></b></a>",
        options={"max_depth": 2},
        ours=True,
        elsewhere={"html": "Elements of tables and some others nest deeper while the tree is constructed."},
    ),
    "assumed-text": Explanation(
        section="Assumptions",
        meaning="A `<` begins no tag that makes sense here: a digit follows it, or with it as text there are fewer "
        "errors in what follows. Or white space stands between it and the name of a tag that there should be.",
        repair="It is text; or, of `< name>`, the white space is dropped and the tag is one.",
        document="<r>2<3</r>",
        ours=True,
        note="With the option `elements`, any tag is text whose name is none of these. The message shows as much of "
        "the name as says that it is not known.",
    ),
    "assumed-end-of-tag": Explanation(
        section="Assumptions",
        meaning="A tag has no `>` before the next `<`.",
        repair="It ends after its last attribute with a value; without one, after its name, or after the beginning "
        "of it that is the name of another tag or that the next end tag has.",
        document='<r><a x="1"text</a></r>',
        ours=True,
    ),
    "assumed-end-of-value": Explanation(
        section="Assumptions",
        meaning="An attribute value seems to lack its closing quote: the next quote begins another value, or there is "
        "none.",
        repair="The value ends before the next attribute, the end of the tag, or the next tag, whichever is first.",
        document='<r><a x="1 y="2"/></r>',
        ours=True,
    ),
    "assumed-quotes": Explanation(
        section="Assumptions",
        meaning="An attribute value lacks its opening quote, or stands in typographic quotes.",
        repair="It is read as if it stood in straight quotes.",
        document='<r><a x=1" y="2"/></r>',
        ours=True,
    ),
    "assumed-attribute": Explanation(
        section="Assumptions",
        meaning="With the option `elements`, a known name in a tag is followed by `=` and a value, as some language "
        "models write it. With `recovery='intent'`, the same of any name; or an attribute follows the name of its tag "
        "without white space, or has white space or `:` for its `=`.",
        repair="The value is that of the attribute that the option `value_attribute` names. In an end tag it is "
        "dropped. Other attributes are what they seem to be.",
        document="<function=search>x</function>",
        options={"elements": ["function"]},
        ours=True,
    ),
    "assumed-declaration": Explanation(
        section="Assumptions",
        meaning="The XML declaration lacks its first `?`.",
        repair="It is no element. In bytes, the encoding that it names is obeyed.",
        document='<xml version="1.0"?><r/>',
        options={"recovery": "intent"},
        ours=True,
    ),
    "assumed-empty": Explanation(
        section="Assumptions",
        meaning="A start tag seems to be one of an empty element: elements of that name never had content, or the "
        "name is that of an element of HTML without an end tag, and with content there would be more errors "
        "in what follows. Or a value without quotes ends in `/` before the `>` of its tag.",
        repair="It is read as an empty tag.",
        document="<r>a<br>b</r>",
        ours=True,
    ),
    "assumed-end-of-section": Explanation(
        section="Assumptions",
        meaning="A comment, CDATA section or processing instruction does not end before another one begins, or at "
        "all, and elements that are open end in it.",
        repair="It ends at the first `>` or before the first `<`; a CDATA section at the first `]>` or `]]`, or else "
        "before the end tag of the element that it is in.",
        document="<r><a>b<!-- c</a></r>",
        ours=True,
    ),
    "assumed-end-tag": Explanation(
        section="Assumptions",
        meaning="An end tag has the wrong name, or a start tag stands where an end tag should.",
        repair="It ends the element that it seems to be meant for. White space between `</` and the name is dropped.",
        document="<r><item>a</itm><item>b</item></r>",
        ours=True,
        note="With the option `elements`, an end tag whose name is none of these is taken for that of the current "
        "element if it differs from it in case, in the prefix, or by a slip (two in long names), unless the element's "
        "own end tag follows within 4096 characters, before another start tag of its name and before the end tag of an "
        "element around it. Content is kept if that is certain, else perhaps moved.",
    ),
    "assumed-stray-end-tag": Explanation(
        section="Assumptions",
        meaning="An end tag of an element that is open comes too early: as the draft reads it there would be more "
        "errors in what follows.",
        repair="It is ignored.",
        document="<r><a>b</a></r><a>c</a></r>",
        ours=True,
    ),
    "assumed-end-before": Explanation(
        section="Assumptions",
        meaning="An element seems to lack its end tag: with what follows in it there would be more errors.",
        repair="It ends before the tag, or the text, that cannot be in it.",
        document="<r><i><t>a<l>b</l></i><i><t>c</t><l>d</l></i></r>",
        ours=True,
    ),
    "assumed-start-tag": Explanation(
        section="Assumptions",
        meaning="An element seems to lack its start tag: its end tag is there, and the document has shown that what "
        "comes now is in such elements. Or what is written as an empty tag has an end tag.",
        repair="It begins before the tag, or the text, that belongs in it; or with the empty tag.",
        document="<r><i><t>a</t><u/></i><t>b</t><u/></i></r>",
        ours=True,
    ),
    "assumed-name": Explanation(
        section="Assumptions",
        meaning="A start tag has a name that the document has not shown before, and the end tag of the element has "
        "nearly the same one, which it has.",
        repair="The element gets the name of its end tag.",
        document="<r><item>a</item><itm>b</item></r>",
        ours=True,
    ),
    "assumed-twice": Explanation(
        section="Assumptions",
        meaning="A start tag comes twice, with the same attributes, and only one end tag follows.",
        repair="One of them is dropped.",
        document="<r><i/><s><s><i/></s></r>",
        ours=True,
    ),
    "assumed-junk": Explanation(
        section="Assumptions",
        meaning="Messages of a server or a script, in HTML, stand before the document.",
        repair="The document begins after them: at the XML declaration, at the DOCTYPE, or at the first tag that is "
        "none of HTML's.",
        document="<b>Warning</b>: no such file<br>\n<r/>",
        ours=True,
        note="With the option `root`, all that stands before the first start tag of that name and cannot be in a "
        "prolog is dropped, whatever it is. A DOCTYPE that follows it counts.",
    ),
    "assumed-encoding": Explanation(
        section="Assumptions",
        meaning="What precedes the document was dropped, and the XML declaration after it names an encoding.",
        repair="All bytes of the document are read in that encoding. Of the declaration, nothing else counts.",
        document=b"<b>Warning</b>: no such file<br>\n<?xml version='1.0' encoding='iso-8859-1'?><r>\xe9</r>",
        ours=True,
        note="The option `root` leads to it, too. The declaration has to be in the first 16 KiB.",
    ),
    "assumed-unfinished-tag": Explanation(
        section="Assumptions",
        meaning="The document ends in a start tag, within an attribute or the name of the tag.",
        repair="The attribute is dropped, and the tag keeps those before it. A tag that ends in a name that is not "
        "known is dropped, unless it is the first one.",
        document='<r><a x="1" y="2',
        ours=True,
    ),
    "assumed-reference": Explanation(
        section="Assumptions",
        meaning="A name of HTML that needs no semicolon, such as `&amp` or `&copy`, stands in the text without one.",
        repair="It is read as the reference, unless `=` follows it or more letters do.",
        document="<r>a &amp b</r>",
        ours=True,
    ),
    "undeclared-namespace-prefix": Explanation(
        section="Namespaces",
        meaning="A name has a prefix that no `xmlns:` attribute around it declares.",
        repair="The prefix is bound to the namespace that the option `namespaces` or else a table of well-known ones "
        "has for it, such as `dc` to `http://purl.org/dc/elements/1.1/`. Others get a namespace made of the prefix.",
        document="<a><p:b/></a>",
        ours=True,
        note="`namespaces={}` switches the table off.",
    ),
    "namespace-prefix-undeclared": Explanation(
        section="Namespaces",
        meaning='A declaration `xmlns:…=""` takes a prefix\'s meaning away, which XML 1.0 does not allow.',
        repair="The declaration is dropped, and inside the element the prefix counts as undeclared.",
        document='<a xmlns:p=""/>',
        ours=True,
    ),
    "reserved-namespace-declaration": Explanation(
        section="Namespaces",
        meaning="A declaration gives another meaning to `xml` or `xmlns`, or another prefix to their namespaces.",
        repair="It declares nothing. It is dropped or kept as an ordinary attribute, as the message says.",
        document='<a xmlns:xml="b"/>',
        ours=True,
    ),
    "namespace-declaration-limit": Explanation(
        section="Namespaces",
        meaning="A long namespace name would have to be declared again on so many elements that the document would "
        "become far longer than it is. That happens where the element that declares it is closed early, because of "
        "`max_depth`, or where its prefix is not a name and the document declares the one that took its place.",
        repair="Where it would have to be declared again, a namespace name with its SHA-256 digest is.",
        document=f'<a xmlns:1="{"u" * 150}"><b xmlns:ns0="v"><1:c/></b></a>',
        options={"recovery": "draft", "max_amplification": 0, "amplification_threshold": 0},
        ours=True,
        note="names of up to 128 characters are always declared as they are.",
    ),
    "invalid-namespace-prefix": Explanation(
        section="Namespaces",
        meaning="A prefix is declared that is not a name.",
        repair="The namespace gets another prefix.",
        document='<a xmlns:1="u" 1:b="c"/>',
        ours=True,
    ),
    "coerced-element-name": Explanation(
        section="What XML cannot hold",
        meaning="An element's name has characters that XML does not allow there, or is too long for libxml2.",
        repair="Each of them is written as `U` and six hexadecimal digits. Too long a name for libxml2 is cut.",
        document="<1/>",
        options={"recovery": "draft"},
        ours=True,
        elsewhere={"microxml": "A colon is such a character, unless the prefix is `xml`."},
    ),
    "coerced-attribute-name": Explanation(
        section="What XML cannot hold",
        meaning="An attribute's name has characters that XML does not allow there, or is too long for libxml2.",
        repair="Each of them is written as `U` and six hexadecimal digits. Too long a name for libxml2 is cut.",
        document='<a b$="c"/>',
        ours=True,
        elsewhere={"microxml": "A colon is such a character, but for the prefix `xml`; so is the `x` of `xmlns`."},
    ),
    "coerced-pi-target": Explanation(
        section="What XML cannot hold",
        meaning="A processing instruction's target has characters that XML does not allow, or is `xml`, or too long.",
        repair="Each such character is written as `U` and six hexadecimal digits. Too long a name for libxml2 is cut.",
        document="<a><?1?></a>",
        ours=True,
    ),
    "coerced-character": Explanation(
        section="What XML cannot hold",
        meaning="The text would have characters that no XML document can have.",
        repair="They are replaced by U+FFFD, or by a space. The option `control_characters` has them dropped, or "
        "escaped, which keeps content.",
        document="<a>&#1;</a>",
        ours=True,
    ),
    "coerced-comment": Explanation(
        section="What XML cannot hold",
        meaning="A comment has `--` in it or `-` at its end.",
        repair="A space is put after the `-`.",
        document="<a><!--b--c--></a>",
        ours=True,
    ),
    "node-left-out": Explanation(
        section="What XML cannot hold",
        meaning="With the option `elements`, the document has a comment or a processing instruction, and the tree is "
        "one of ElementTree without such nodes.",
        repair="It is left out. Trees of lxml, repaired markup and events of the kind have it, and there is no error.",
        document="<a>b<!--c--></a>",
        options={"elements": ["a"]},
        ours=True,
        of_tree=True,
    ),
    "coerced-namespace-uri": Explanation(
        section="What XML cannot hold",
        meaning="A namespace name is not a URI, and some parsers do not read it.",
        repair="What cannot be in a URI is percent-encoded.",
        document='<a xmlns="u v"/>',
        ours=True,
    ),
    "doctype-forbidden": Explanation(
        section="The caller's wishes",
        meaning="The document has a DOCTYPE, which `forbid_dtd=True` forbids.",
        repair="There is no tree: `ParseError` is raised.",
        document="<!DOCTYPE a><a/>",
        options={"forbid_dtd": True},
        ours=True,
    ),
    "entities-forbidden": Explanation(
        section="The caller's wishes",
        meaning="The DOCTYPE declares an entity, which `forbid_entities=True` forbids.",
        repair="There is no tree: `ParseError` is raised.",
        document='<!DOCTYPE a [<!ENTITY e "x">]><a/>',
        options={"forbid_entities": True},
        ours=True,
    ),
    "external-forbidden": Explanation(
        section="The caller's wishes",
        meaning="The DOCTYPE names an external DTD or declares an external entity: `forbid_external=True`.",
        repair="There is no tree: `ParseError` is raised.",
        document='<!DOCTYPE a SYSTEM "a.dtd"><a/>',
        options={"forbid_external": True},
        ours=True,
    ),
    "not-well-formed": Explanation(
        section="The caller's wishes",
        meaning='The native parser refuses the document, and `recovery="strict"` leaves it to that parser.',
        repair="There is no tree: `ParseError` is raised.",
        document="<a>",
        options={"recovery": "strict"},
        ours=True,
    ),
    "unsafe-declarations": Explanation(
        section="The caller's wishes",
        meaning="The document declares entities or attribute defaults by which expat might crash or exceed the limits, "
        'and `recovery="strict"` leaves it to expat.',
        repair="There is no tree: `ParseError` is raised. The document may be well-formed.",
        document="<!DOCTYPE a [<!ATTLIST a b CDATA 'c'>]><a/>",
        options={"recovery": "strict", "max_amplification": 0, "amplification_threshold": 0},
        ours=True,
    ),
    "forbidden-character": Explanation(
        section="LeafXML",
        meaning="A character is not one of LeafXML: a control character, also U+007F to U+009F other than "
        "U+0085, a surrogate, or a noncharacter such as U+FFFE or U+FDD0.",
        repair="The document is refused.",
        document="<a>\x7f</a>",
        options={"dialect": "leafxml"},
        ours=True,
    ),
    "invalid-numeric-character-reference": Explanation(
        section="LeafXML",
        meaning="What begins with `&#` is not a decimal number and `;`, or `x`, a hexadecimal number and `;`.",
        repair="The document is refused.",
        document="<a>&#X41;</a>",
        options={"dialect": "leafxml"},
        ours=True,
    ),
    "forbidden-character-reference": Explanation(
        section="LeafXML",
        meaning="A numeric escape stands for a character that is not one of LeafXML.",
        repair="The document is refused.",
        document="<a>&#127;</a>",
        options={"dialect": "leafxml"},
        ours=True,
    ),
    "missing-tag-name": Explanation(
        section="LeafXML",
        meaning="There is nothing between `<` and `>`.",
        repair="The document is refused.",
        document="<a><></a>",
        options={"dialect": "leafxml"},
        ours=True,
    ),
    "invalid-markup-declaration": Explanation(
        section="LeafXML",
        meaning="`<!` begins neither a comment nor a CDATA section nor a DOCTYPE, whose keywords are in upper case.",
        repair="The document is refused.",
        document="<!doctype a><a/>",
        options={"dialect": "leafxml"},
        ours=True,
    ),
    "doctype-internal-subset": Explanation(
        section="LeafXML",
        meaning="A DOCTYPE has declarations of its own, or a `]`. LeafXML has none, so that no entity can expand.",
        repair="The document is refused.",
        document="<!DOCTYPE a [<!ENTITY b 'c'>]><a/>",
        options={"dialect": "leafxml"},
        ours=True,
    ),
    "duplicate-doctype": Explanation(
        section="LeafXML",
        meaning="There is a second DOCTYPE.",
        repair="The document is refused.",
        document="<!DOCTYPE a><!DOCTYPE a><a/>",
        options={"dialect": "leafxml"},
        ours=True,
    ),
    "misplaced-doctype": Explanation(
        section="LeafXML",
        meaning="A DOCTYPE comes after the first tag.",
        repair="The document is refused.",
        document="<a><!DOCTYPE a></a>",
        options={"dialect": "leafxml"},
        ours=True,
    ),
    "stray-content": Explanation(
        section="LeafXML",
        meaning="There is text outside the root element that is not white space.",
        repair="The document is refused.",
        document="<a/>b",
        options={"dialect": "leafxml"},
        ours=True,
    ),
    "invalid-tag-name": Explanation(
        section="LeafXML",
        meaning="What comes after `<` or `</` is not the start of a name.",
        repair="The document is refused.",
        document="<1/>",
        options={"dialect": "leafxml"},
        ours=True,
    ),
    "invalid-attribute-name": Explanation(
        section="LeafXML",
        meaning="What comes after white space in a tag is neither the start of a name nor the end of the tag.",
        repair="The document is refused.",
        document="<a 1='b'/>",
        options={"dialect": "leafxml"},
        ours=True,
    ),
    "invalid-name-after-normalization": Explanation(
        section="LeafXML",
        meaning="A name is none any more when it is brought into Unicode normal form NFC: U+1FEF becomes a "
        "grave accent, for example.",
        repair="The document is refused.",
        document="<a`/>",
        options={"dialect": "leafxml"},
        ours=True,
    ),
    "unexpected-character-in-tag": Explanation(
        section="LeafXML",
        meaning="A character that cannot be in a name comes right after one.",
        repair="The document is refused.",
        document="<a$/>",
        options={"dialect": "leafxml"},
        ours=True,
    ),
    "xmlns-prefix-declared": Explanation(
        section="LeafXML",
        meaning="The prefix `xmlns` is declared.",
        repair="The document is refused.",
        document="<a xmlns:xmlns='b'/>",
        options={"dialect": "leafxml"},
        ours=True,
    ),
    "empty-namespace-name": Explanation(
        section="LeafXML",
        meaning="A namespace declaration has no value but white space. LeafXML cannot take a default "
        "namespace away either.",
        repair="The document is refused.",
        document="<a xmlns=''/>",
        options={"dialect": "leafxml"},
        ours=True,
    ),
    "xml-prefix-rebound": Explanation(
        section="LeafXML",
        meaning="The prefix `xml` is bound to another namespace than its own.",
        repair="The document is refused.",
        document="<a xmlns:xml='b'/>",
        options={"dialect": "leafxml"},
        ours=True,
    ),
    "xml-namespace-rebound": Explanation(
        section="LeafXML",
        meaning="The namespace of `xml` is bound to another prefix, or made the default.",
        repair="The document is refused.",
        document="<a xmlns:b='http://www.w3.org/XML/1998/namespace'/>",
        options={"dialect": "leafxml"},
        ours=True,
    ),
    "xmlns-namespace-declared": Explanation(
        section="LeafXML",
        meaning="The namespace of `xmlns` is bound to a prefix, or made the default.",
        repair="The document is refused.",
        document="<a xmlns='http://www.w3.org/2000/xmlns/'/>",
        options={"dialect": "leafxml"},
        ours=True,
    ),
    "multiple-colons-in-name": Explanation(
        section="LeafXML",
        meaning="There is more than one colon in the name of an element or attribute.",
        repair="The document is refused.",
        document="<a:b:c/>",
        options={"dialect": "leafxml"},
        ours=True,
    ),
    "invalid-qualified-name": Explanation(
        section="LeafXML",
        meaning="A name has a colon, but no name before or after it.",
        repair="The document is refused.",
        document="<a:/>",
        options={"dialect": "leafxml"},
        ours=True,
    ),
    "xmlns-prefix-on-element": Explanation(
        section="LeafXML",
        meaning="An element or attribute has the prefix `xmlns` without being a declaration.",
        repair="The document is refused.",
        document="<xmlns:a/>",
        options={"dialect": "leafxml"},
        ours=True,
    ),
    "duplicate-expanded-attribute": Explanation(
        section="LeafXML",
        meaning="Two attributes of a tag have different prefixes, but one namespace and one local name.",
        repair="The document is refused.",
        document="<a xmlns:p='u' xmlns:q='u' p:b='1' q:b='2'/>",
        options={"dialect": "leafxml"},
        ours=True,
    ),
}
