"""Random documents for hypothesis: well-formed ones, nearly well-formed ones, and heaps of markup.

Broken documents are good for the most part, and wrong in places. So one author writes all the structured documents
here, from parts that are legal, and, when told to make faults, now and then from parts that are not.
"""

import codecs
import re
from collections.abc import Sequence
from random import Random
from typing import NamedTuple, TypeVar

from hypothesis import strategies as st

# Names. Those for well-formed documents are names in every edition of XML 1.0, since expat still follows the fourth.
ELEMENTS = ["a", "b", "item", "x-1", "_y.z", "é", "日本語", "a·b"]
ATTRIBUTES = ["a", "b", "c", "id", "href", "_d", "é", "имя", "x.y-z"]
PREFIXES = ["p", "q", "dc", "é"]
BAD_ELEMENTS = [
    *["1", "a$", "-a", "a:b:c", "a:", "a<b", "a\x0cb", 'a"', "a=b", "dc:title", "z:z", "xmlns:a", "xml:a", "Ĳ", "\0"],
]
BAD_ATTRIBUTES = ["1", "a$", ":a", "a:", "a:b:c", "=b", '"c"', "<d", "zz:z", "xlink:href", "xmlns:", "U00003A", "A"]

NAMESPACES = ["u", "urn:x", "http://example.org/a?b#c"]
BAD_NAMESPACE_DECLARATIONS = [
    'xmlns:p=""',
    "xmlns:p=u",
    "xmlns",
    'xmlns="u v"',
    'xmlns="é{}"',
    'xmlns:1="u"',
    'xmlns:xml="u"',
    'xmlns:xmlns="u"',
    'xmlns="http://www.w3.org/2000/xmlns/"',
    'xmlns="http://www.w3.org/XML/1998/namespace"',
    'xmlns:q="http://www.w3.org/XML/1998/namespace"',
]

SPACES = [" ", " ", " ", "  ", "\n", "\t", "\r\n", " \n\t"]

# Character data. No good part ends in "]", so that no "]]>" arises where two of them meet.
CHARACTERS = [
    *["x", "Text", " ", "\n", "\r\n", "\r", "\t", "--", "/>", "?>", "%p;", ";", "=", "#"],
    *["é", "日本", "😀", "\x7f", "\x85\u2028", "\ufdd0", "\U0010ffff", "\ufffd", "\ufeff"],
    *["&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#65;", "&#x42;", "&#x1F600;", "&#10;", "&#13;", "&#150;"],
    *["&#0000097;", "]]&gt;"],
]
BAD_CHARACTERS = [
    *["&", "& ", "&;", "&1", "&&", "&#", "&#;", "&#x;", "&#xZ", "&#65", "&#x41 ", "&#X41;"],
    *["&#0;", "&#1;", "&#12;", "&#xD800;", "&#xFFFE;", "&#x110000;", "&#99999999999999999999;"],
    *["&nbsp;", "&eacute;", "&AMP;", "&ngE;", "&foo;", "&noti;", "&amp", "&copy=1", "&lang=", "&é;", "&a:b;", "R&D;"],
    *["\0", "\x01", "\x0c", "\x1f", "\ufffe", "\uffff", "\ud800", "\ud83d\ude00"],
]
TEXT_FAULTS = ["<", "< ", "<<", "<>", "</>", "</", "</ ", "<1", "<:a>", "]]>", "<3 ", "</z>", "<!", "<?", "<!>", "<a"]

COMMENTS = ["", "c", " - ", ">", "->", "<!- ", "&foo;", "]]>", "é\r\n", "<b/>", "?>"]
BAD_COMMENTS = ["--", "a--b", "c-", "<!--", "--!", "--!>", "-->", "\0", "\x01", "<!--x", "- -"]
INSTRUCTIONS = ["p", "p d", "p   d ", "p-1 a?b", "p ?", "p\r\n>", "é <!--", "xml-stylesheet href='a'", "p &foo;"]
BAD_INSTRUCTIONS = [
    *["", " p", "?", ">", "p?d", "1 d", "xml", 'xml version="1.0"', "XML x", "p:q d", "p \0", "p \x01", "p>"],
]
SECTIONS = ["", "x", "<", "&", "<b>&foo;</b>", "]", "]]", " ]> ", "é\r\n", "]>", "<!-- "]
BAD_SECTIONS = ["\0", "\x01", "\x0c", "\ufffe", "]]>", "]]>]]", "<![CDATA["]

# Prolog.
XML_DECLARATIONS = [
    *["", "", "", '<?xml version="1.0"?>', '<?xml version="1.0" encoding="utf-8"?>', '<?xml version="1.1" ?>'],
    "<?xml\tversion = '1.0'\r\nencoding='UTF-8' standalone=\"yes\" ?>",
    "<?xml version='1.0' standalone='no'?>",
]
BAD_XML_DECLARATIONS = [
    *["<?xml?>", '<?xml version="1.0">', "<?xml version=1.0?>", '<?xml version="1.0" ', '<?xml version="2.0"?>'],
    *[' <?xml version="1.0"?>', '\n\n<?xml version="1.0"?>', '<?xml version="1.0" standalone="maybe"?>'],
    *['<?xml encoding="utf-8" version="1.0"?>', '<?xml version="1.0" encoding="x-unknown"?>', "<?XML version='1.0'?>"],
    *['<?xml version="1.0" encoding="utf-16"?>', '<?xml version="1.0" encoding=""?>', '<?xml version="1.0"encoding'],
]
DOCTYPE_IDENTIFIERS = [
    *["", "", "", ' SYSTEM "s.dtd"', " SYSTEM 'a\"b>c'", "\nSYSTEM\t''"],
    *[' PUBLIC "-//X//Y" "s"', " PUBLIC '-//X'\r\n's'"],
]
BAD_DOCTYPE_IDENTIFIERS = [
    *[' PUBLIC "p"', ' PUBLIC "p""s"', " PUBLIC p", ' PUBLIC "p>', " PUBLIC", ' PUBLIC "{" "s"', ' public "p" "s"'],
    *[" SYSTEM", " SYSTEM s", ' SYSTEM"s"', ' SYSTEM "s', ' SYSTEM "s>', ' SYSTEM "s" x', " foo", "[", " \x0c", " \0"],
]
OTHER_DECLARATIONS = [
    *["<!ELEMENT a ANY>", "<!ELEMENT b (#PCDATA|c)*>", "<!ELEMENT c ((d,e)+|f?)>", "<!ELEMENT d EMPTY>"],
    *[
        "\n",
        "<!-- ]> -->",
        '<?p "]>?>',
        "<!NOTATION n SYSTEM 'n'>",
        '<!NOTATION m PUBLIC "m">',
        '<!ENTITY % p "<!-- c -->">',
    ],
    *['<!ENTITY % q SYSTEM "q">', '<!ENTITY f SYSTEM "f.ent">', '<!ENTITY g PUBLIC "g" "g.bin" NDATA n>'],
    *['<!ENTITY lt "&#38;#60;">', "<!ENTITY amp '&#38;#38;'>", '<!ENTITY gt ">">', "<!ENTITY nbsp '&#160;'>"],
]
SUBSET_FAULTS = [
    *["<!FOO>", "<!ENTITY>", "<!ENTITY e>", "<!ENTITY e x>", '<!ENTITY e "x', "<!ENTITY e 'a%b'>", '<!ENTITY 1 "x">'],
    *['<!ENTITY r "&r;x">', '<!ENTITY s "<b>">', '<!ENTITY t "</a>">', '<!ENTITY v "<c d=">', '<!ENTITY w "&#60;">'],
    *['<!ENTITY y "&undeclared;&y;&">', '<!ENTITY z "\x01\0">', "<!ENTITY % p \"<!ENTITY o '1'>\">%p;", "%p;", "%q;"],
    *["<!ATTLIST>", "<!ATTLIST a>", '<!ATTLIST a b "x">', "<!ATTLIST a b CDATA '<&lt;&foo;'>", "<!ATTLIST a b CDATA"],
    *["<!ELEMENT", "junk", "<!--", "<!-- -- -->", "<?p", "<a>", "\0", "<![INCLUDE[", "]", ">", "'", '"'],
]
ATTRIBUTE_TYPES = [
    *['CDATA "d"', "CDATA ' 1\n2 '", "CDATA #FIXED 'f'", "CDATA #IMPLIED", "CDATA #REQUIRED", '(x|y) "x"'],
    *["NMTOKENS ' x  y '", "NMTOKEN #IMPLIED", "NOTATION (n) #IMPLIED"],
]
EPILOG_FAULTS = [
    *["text", "&amp;", "&#32;", "<b/>", "<b>t<!--c--></b>", "</a>", "</>", "<!DOCTYPE z [<!ENTITY e 'x'>]>", "<?xml?>"],
    *["<![CDATA[x]]>", "<![CDATA[ ]]>", "\0", "<!doctype html>", "<", "<!x>", "\x0c"],
]
BAD_END_TAGS = ["", "</>", "</z>", "</a", "</a/>", "</a b='c'>", "</A>", "</a b>", "</a></a>", "</ a>", "</a:>"]

FAULTS = [
    *[*BAD_CHARACTERS, *TEXT_FAULTS, *EPILOG_FAULTS],
    *["<!--", "-->", "<![CDATA[", "]]>", "<?p ", "?>", '"', "'", "/", ">"],
]
"""What a mutation throws into a document."""

MARKUP = [
    *["<", "</", "/>", ">", "/", "=", '"', "'", " ", "\n", "\r", "\t", "\x0c", "\0"],
    *["a", "b:c", ":", "x", "-", "!", "?"],
    *["<a>", "</a>", "<a ", "<a/>", "</>", "a='", 'b="', "xmlns:b='u'", "xmlns='"],
    *["<!", "<!-", "<!--", "--", "-->", "--!>", "<!-->", "<!--->", "<!>"],
    *["<![", "<![CDATA[", "]", "]]", "]]>", "<?", "<?p ", "?>", "<?xml ", "version='1.0'"],
    *["&", "&#", "&#x", "&#65", "&amp", "&amp;", "&nbsp;", "&e;", ";", "#", "1", "F"],
    *["<!DOCTYPE", "<!DOCTYPE a", "DOCTYPE", " PUBLIC", " SYSTEM", "[", "<!ENTITY e '", "<!ATTLIST a ", "CDATA", "%p;"],
    *["é", "😀", "\ufeff", "\ufffe", "\ud83d", "\ude00"],
]
"""Scraps that, joined at random, reach the corners of the state machine."""


Choice = TypeVar("Choice")

WORDS = st.binary(min_size=4, max_size=4).map(lambda word: int.from_bytes(word, "little"))
"""Evenly distributed, as hypothesis prefers small ones among large integers."""


class _Chooser:
    """Makes many small choices out of few draws, which are what takes hypothesis its time.

    Each draw is a word, whose digits to varying bases are the choices, so a smaller word means earlier options.
    """

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self._word = 0
        self._room = 1

    def number(self, most: int) -> int:
        """Choose from 0 to ``most``."""
        if self._room <= most:
            self._word = self._draw(WORDS)
            self._room = 2**32
        self._room //= most + 1
        self._word, number = divmod(self._word, most + 1)
        return number

    def choose(self, options: Sequence[Choice]) -> Choice:
        return options[self.number(len(options) - 1)]

    def one_in(self, number: int) -> bool:
        return self.number(number - 1) == number - 1

    def times(self, most: int) -> range:
        return range(self.number(most))

    def fresh(self) -> None:
        """Begin a new word, so that what is chosen next shrinks by itself."""
        self._room = 1


class _Author(_Chooser):
    """Writes one document; only with ``faults`` may it be wrong."""

    def __init__(self, draw: st.DrawFn, faults: bool) -> None:
        super().__init__(draw)
        self.faults = faults
        self.elements_left = 1 + self.number(7)
        # Names of declared entities: of text, which attribute values may use too, and of markup.
        self.text_entities: list[str] = []
        self.markup_entities: list[str] = []
        self.other_declarations = OTHER_DECLARATIONS.copy()

    def pick(self, good: list[str], bad: list[str], rate: int = 10) -> str:
        """Choose one of ``good``, or, if faults are asked for, one in ``rate`` times one of ``bad``."""
        return self.choose(bad if self.fault(rate) else good)

    def fault(self, rate: int = 10) -> bool:
        """Whether to make a mistake here."""
        return self.faults and self.one_in(rate)

    def space(self) -> str:
        return self.choose(SPACES)

    def optional_space(self) -> str:
        return self.space() if self.one_in(6) else ""

    # Prolog and epilog

    def document(self) -> str:
        parts = ["\ufeff" if self.one_in(16) else "", self.pick(XML_DECLARATIONS, BAD_XML_DECLARATIONS, 5), self.misc()]
        if self.one_in(3):
            parts += [self.doctype(), self.misc()]
        parts += [self.element({"xml": "http://www.w3.org/XML/1998/namespace"}), self.misc()]
        return "".join(parts)

    def misc(self) -> str:
        self.fresh()
        parts = []
        for _ in self.times(1):
            parts.append(self.choose([self.comment, self.instruction, self.space])())
        if self.fault():
            parts.append(self.choose(EPILOG_FAULTS))
        return "".join(parts)

    def doctype(self) -> str:
        self.fresh()
        keyword = self.pick(["<!DOCTYPE "], ["<!doctype ", "<!DOCTYPE", "<!DOCTYPE\n\n", "<!DOCTYPE\x0c", "<!DOC "])
        parts = [
            keyword,
            self.pick(ELEMENTS, ["", "A", "1", "a<", ":", "\0"]),
            self.pick(DOCTYPE_IDENTIFIERS, BAD_DOCTYPE_IDENTIFIERS, 4),
        ]
        if not self.one_in(3):
            declared = [self.declaration() for _ in self.times(4)]
            parts += [self.optional_space(), "[", *declared, self.pick(["]"], ["", "] x", "]]"]), self.optional_space()]
        return "".join([*parts, self.pick([">"], ["", " ", "]>"])])

    def declaration(self) -> str:
        self.fresh()
        if self.fault(4):
            return self.choose(SUBSET_FAULTS)
        write = [self.attribute_list, self.text_entity, self.text_entity, self.markup_entity, self.other_declaration]
        return self.choose(write)()

    def other_declaration(self) -> str:
        # Each at most once: libxml2 refuses a second declaration of an element or a notation.
        chosen = self.choose(self.other_declarations)
        self.other_declarations.remove(chosen)
        return chosen

    def text_entity(self) -> str:
        # No carriage returns: the two native parsers differ about those in entities.
        good = ["x", "é😀", " ", "\n", "\t", ">", "&lt;", "&#38;lt;", "&#38;#60;", "&amp;", "&#34;", "&#37;", "&#65;"]
        parts = [self.pick(good, ["&", "%", "<", "\r\n", "&#13;", "&#60;", "&foo;", "&eacute;"]) for _ in self.times(3)]
        parts += self.reference(self.text_entities)
        return self.entity_declaration("t", parts, self.text_entities)

    def markup_entity(self) -> str:
        # libxml2 does not apply the namespaces of the place of use to elements in an entity, expat does; so each of
        # these elements says itself what its namespace is.
        good = ["x", "<b xmlns=''>y</b>", "<b xmlns='u'/>", "<!--c-->", "&#60;!--d-->", "<?p d?>", "<![CDATA[<&#38;]]>"]
        bad = ["<b>", "</a>", "<b/>", "<p:b/>", "<c", "<!--", "]]>", "&", "<b a='&r;'/>"]
        parts = [self.pick(good, bad) for _ in self.times(3)]
        parts += self.reference(self.text_entities + self.markup_entities)
        return self.entity_declaration("m", parts, self.markup_entities)

    def entity_declaration(self, letter: str, value: list[str], declared: list[str]) -> str:
        name = f"{letter}{len(declared)}"
        declared.append(name)
        return f'<!ENTITY{self.space()}{name}{self.space()}"{"".join(value)}"{self.optional_space()}>'

    def reference(self, entities: list[str]) -> list[str]:
        return [f"&{self.choose(entities)};"] if entities and self.one_in(2) else []

    def attribute_list(self) -> str:
        parts = [f"<!ATTLIST{self.space()}{self.choose(ELEMENTS)}"]
        if self.one_in(4):
            parts.append(" xmlns:default CDATA 'urn:default' default:x CDATA 'y'")
        if self.one_in(6):
            parts.append(" xmlns CDATA 'urn:default'")
        if self.one_in(6):
            # Not one of ATTRIBUTES, as libxml2 refuses a document in which an identifier occurs twice.
            parts.append(" key ID #IMPLIED")
        for _ in self.times(2):
            name = self.choose([*ATTRIBUTES, "xml:lang"])
            default = self.pick(ATTRIBUTE_TYPES, ["CDATA", "FOO 'x'", "(x", "CDATA '", "CDATA '&foo;'", "CDATA d"])
            parts.append(f"{self.space()}{name} {default}")
        if self.text_entities and self.one_in(3):
            parts.append(f" e CDATA '&{self.choose(self.text_entities)};'")
        return "".join([*parts, self.optional_space(), ">"])

    # Elements

    def element(self, scope: dict[str, str]) -> str:
        """One element; ``scope`` has the namespaces of the prefixes declared around it."""
        self.fresh()
        self.elements_left -= 1
        declarations, scope = self.namespaces(scope)
        prefix = self.choose(["", "", "", *sorted(scope.keys() - {"xml"})])
        name = (f"{prefix}:" if prefix else "") + self.choose(ELEMENTS)
        if self.fault():
            name = self.choose(BAD_ELEMENTS)
        attributes = self.attributes(scope)
        attributes = attributes + declarations if self.one_in(3) else declarations + attributes
        tag = "".join([name, *attributes, self.optional_space()])
        if self.one_in(5):
            return f"<{tag}{self.pick(['/>'], ['/ >', '//>', '/', '/ a>', ''])}"
        end = f"</{name}{self.optional_space()}>"
        return "".join([f"<{tag}>", self.content(scope), self.pick([end], BAD_END_TAGS)])

    def namespaces(self, scope: dict[str, str]) -> tuple[list[str], dict[str, str]]:
        """Namespace declarations for one tag, and the scope with them."""
        declarations = []
        if self.one_in(4):
            uri = self.choose(["", *NAMESPACES])
            declarations.append(f"{self.space()}xmlns='{uri}'")
        if self.one_in(3):
            prefix, uri = self.choose(PREFIXES), self.choose(NAMESPACES)
            declarations.append(f'{self.space()}xmlns:{prefix}="{uri}"')
            scope = {**scope, prefix: uri}
        if self.one_in(16):
            declarations.append(f" xmlns:xml='{scope['xml']}'")
        if self.fault():
            declarations.append(f" {self.choose(BAD_NAMESPACE_DECLARATIONS)}")
        return declarations, scope

    def attributes(self, scope: dict[str, str]) -> list[str]:
        attributes = []
        seen = set()
        for _ in self.times(3):
            prefix = self.choose(["", "", *sorted(scope)])
            local = self.choose(["lang", "base", "space"] if prefix == "xml" else ATTRIBUTES)
            name = f"{prefix}:{local}" if prefix else local
            expanded = scope.get(prefix), local
            if expanded in seen and not self.faults:
                continue
            seen.add(expanded)
            attributes.append(self.attribute(name))
        return attributes

    def attribute(self, name: str) -> str:
        self.fresh()
        if self.fault():
            name = self.choose(BAD_ATTRIBUTES)
        quote = self.choose("\"'")
        good = [*CHARACTERS, "]]>", ">", "\"'".replace(quote, "")]
        value = "".join(self.character(good, ["<", "<b>"]) for _ in self.times(3))
        if self.fault():
            whole = f"{name}={quote}{value}{quote}"
            bad = [name, f"{name}=", f"{name}={value}", f"{name}={value}/", f"{name}={quote}{value}", f"{name} {value}"]
            return " " + self.choose([*bad, f"{whole} {whole}", f"{whole}{whole}", "/", quote])
        before = self.space() if not self.fault() else ""
        return f"{before}{name}{self.optional_space()}={self.optional_space()}{quote}{value}{quote}"

    # Content

    def content(self, scope: dict[str, str]) -> str:
        parts = []
        for _ in self.times(5):
            self.fresh()
            kind = self.number(11)
            if kind < 5:
                parts.append(self.text())
            elif kind < 8:
                parts.append(self.element(scope) if self.elements_left > 0 else self.text())
            elif kind == 8:
                parts.append(self.comment())
            elif kind == 9:
                parts.append(self.instruction())
            elif kind == 10:
                parts.append(f"<![CDATA[{self.pick(SECTIONS, BAD_SECTIONS, 5)}{self.pick([']]>'], [']]', ']>', ''])}")
            elif self.markup_entities:
                parts.append(f"&{self.choose(self.markup_entities)};")
            elif self.one_in(4):
                depth = 2 + self.number(28)
                parts.append(f"{'<d>' * depth}{'</d>' * (depth - (1 if self.fault() else 0))}")
        return "".join(parts)

    def text(self) -> str:
        return "".join(self.character(CHARACTERS, TEXT_FAULTS) for _ in range(1 + self.number(3)))

    def character(self, good: list[str], bad: list[str]) -> str:
        """Write a character or a few, perhaps as a reference."""
        if self.text_entities and self.one_in(3):
            return f"&{self.choose(self.text_entities)};"
        return self.pick(good, [*BAD_CHARACTERS, *bad])

    def comment(self) -> str:
        return f"<!--{self.pick(COMMENTS, BAD_COMMENTS, 5)}{self.pick(['-->'], ['--!>', '->', '--', ''])}"

    def instruction(self) -> str:
        return f"<?{self.pick(INSTRUCTIONS, BAD_INSTRUCTIONS, 5)}{self.pick(['?>'], ['>', '?', ''])}"


@st.composite
def well_formed_documents(draw: st.DrawFn) -> str:
    """Documents that expat (with namespaces) and libxml2 both accept, and make the same tree of.

    What they are known to disagree about does not occur: carriage returns in entities, prefixed names in entities,
    references to parameter entities, namespace names that are not URIs, names of the fifth edition. There may be
    attribute defaults, which lxml applies only with ``attribute_defaults``. A declared encoding is UTF-8.
    """
    return _Author(draw, faults=False).document()


def random_document(random: Random, faults: bool = True) -> str:
    """A document of the same author, without hypothesis: what it is depends on ``random`` alone."""
    return _Author(lambda _: random.getrandbits(32), faults).document()


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Documents as one meets them: mostly good, with faults; about one in six is well-formed.

    A third is written without faults; then each suffers up to four random mutations. Lone and paired surrogates occur.
    """
    author = _Author(draw, faults=draw(st.integers(0, 2)) > 0)
    text = author.document()
    for _ in range(author.choose([0, 0, 1, 1, 2, 3, 4])):
        text = _mutate(author, text)
    return text


def _mutate(chooser: _Chooser, text: str) -> str:
    """Delete, double or swap short slices of ``text``, throw a fault into it, or cut off some of its second half."""
    chooser.fresh()
    kind = chooser.choose(["insert"] * 3 + ["delete"] * 3 + ["double", "swap", "truncate"])
    start = chooser.number(len(text))
    end = min(len(text), start + 1 + chooser.number(11))
    before, slice_, after = text[:start], text[start:end], text[end:]
    if kind == "insert":
        return before + chooser.choose(FAULTS) + slice_ + after
    if kind == "delete":
        return before + after
    if kind == "double":
        return before + slice_ * 2 + after
    if kind == "swap":
        size = 1 + chooser.number(11)
        return before + after[:size] + slice_ + after[size:]
    return text[: max(start, len(text) // 2)]


class _Encoding(NamedTuple):
    codec: str
    bom: bytes
    label: str


ENCODINGS = [
    _Encoding("utf-8", codecs.BOM_UTF8, "utf-8"),
    _Encoding("utf-16-le", codecs.BOM_UTF16_LE, "UTF-16"),
    _Encoding("utf-16-be", codecs.BOM_UTF16_BE, "UTF-16"),
    _Encoding("utf-32-le", codecs.BOM_UTF32_LE, "UTF-32"),
    _Encoding("utf-32-be", codecs.BOM_UTF32_BE, "UTF-32"),
    _Encoding("latin-1", b"", "ISO-8859-1"),
    _Encoding("windows-1252", b"", "windows-1252"),
]
LABELS = [encoding.label for encoding in ENCODINGS] + ["us-ascii", "shift_jis", "utf-7", "x-unknown", ""]
BYTES = [0x00, 0x0A, 0x1B, 0x22, 0x26, 0x3C, 0x3E, 0x80, 0x81, 0x93, 0xA0, 0xC0, 0xC3, 0xE2, 0xED, 0xF0, 0xF8, 0xFF]


@st.composite
def byte_documents(draw: st.DrawFn) -> bytes:
    """``documents()`` as bytes: UTF-8 for a half of them, with or without a BOM, a true or false label, and damage."""
    text = draw(documents()).removeprefix("\ufeff")
    chooser = _Chooser(draw)
    codec, bom, label = chooser.choose(ENCODINGS[:1] * 6 + ENCODINGS[1:])
    labelled = chooser.choose(["right", "right", "wrong", "missing", "as it is"])
    if labelled != "as it is":
        text = re.sub(r"\A\s*<\?xml\s[^<>]*>", "", text)
    if labelled in ("right", "wrong"):
        declared = label if labelled == "right" else chooser.choose(LABELS)
        text = f'<?xml version="1.0" encoding="{declared}"?>{text}'
    data = text.encode(codec, "surrogatepass" if codec.startswith("utf") else "xmlcharrefreplace")
    if chooser.one_in(2):
        data = bom + data
    for _ in range(chooser.choose([0, 0, 0, 1, 2])):
        data = _damage(chooser, data)
    return data


def _damage(chooser: _Chooser, data: bytes) -> bytes:
    """Overwrite or insert a byte, lose a few, or cut off some of the second half."""
    chooser.fresh()
    start = chooser.number(len(data))
    byte = bytes([chooser.choose(BYTES)])
    kind = chooser.choose(["overwrite", "overwrite", "insert", "delete", "truncate"])
    if kind == "overwrite":
        return data[:start] + byte + data[start + 1 :]
    if kind == "insert":
        return data[:start] + byte + data[start:]
    if kind == "delete":
        return data[:start] + data[start + 1 + chooser.number(3) :]
    return data[: max(start, len(data) // 2)]


def near_markup() -> st.SearchStrategy[str]:
    """Short heaps of markup, hardly ever documents."""
    return st.lists(st.sampled_from(MARKUP), max_size=12).map("".join)
