"""Bounds the effect of declarations on expat, before expat reads them."""

# Expat limits what entities expand to. It limits neither their nesting, which overflows the stack of versions before
# 2.7 (CVE-2024-8176), nor what defaults of attributes add.

import re
from typing import Final
from xml.parsers import expat

from xml5tree.input.decoder import Decoder
from xml5tree.input.lookahead import Lookahead

#: How many entities may refer to other entities; None: no limit. libxml2 lets 20 nest. Each level takes some 500 bytes
#: of expat's stack, and threads can have as little as 32 KB.
MAX_REFERRING: int | None = 16 if expat.version_info < (2, 7, 0) else None

#: Characters or bytes of the prolog that are read at a time, so that little is decoded beyond it.
_PIECE: Final = 1 << 13

#: Upper bound of sizes, so that exponential expansion does not make numbers of any length.
_IMMENSE: Final = 1 << 60

#: A token of the prolog of a well-formed document. Where none matches, it is incomplete, or expat refuses it and
#: reads no further.
_TOKEN: Final = re.compile(
    r"(?s)(?P<passed>[ \t\r\n]++|<!--.*?-->|<\?.*?\?>)"
    r"|(?P<keyword><![A-Z]++(?=[^A-Z]))"
    r"|(?P<literal>\"[^\"]*+\"|'[^']*+')"
    r"|(?P<word>[^ \t\r\n<>\[\]\"'%]++(?=[ \t\r\n<>\[\]\"'%]))"
    r"|(?P<mark>[>\[\]%])"
    r"|(?P<tag><[^!?])"
)
#: The beginning of an incomplete token, and what has to come before it can be complete; None: anything.
_ENDS: Final = (
    ("<!--", re.compile("-->")),
    ("<?", re.compile(r"\?>")),
    ('"', re.compile('"')),
    ("'", re.compile("'")),
    ("<", None),
    ("", re.compile(r"[ \t\r\n<>\[\]\"'%]")),
)
#: Text that cannot become a token, whatever follows; no keyword is longer.
_NO_TOKEN: Final = re.compile(r"<(?!\?|!--|(?:!(?:-|[A-Z]{0,9}))?\Z)")
#: In the value of an entity: references to other entities, also where their ampersand is a character reference.
_REFERENCE: Final = re.compile(r"(?:&|&#0*38;|&#[xX]0*26;)(?!#|(?:amp|lt|gt|apos|quot);)([^&;]*+);?")
#: In the value of an entity: the beginning of a start tag.
_START_TAG: Final = re.compile(r"<(?!/)|&#0*60;|&#[xX]0*3[cC];")


class Guard:
    """Reads a document, whole or in chunks, before expat does.

    `referring` counts the entities that refer to others, and so may nest. `largest` is the largest entity in
    characters, with references expanded as far as is known. `size` is that of the document so far.
    """

    def __init__(self, encoding: str | None) -> None:
        self.referring = 0
        self.largest = 0
        self.size = 0
        self._encoding = encoding
        self._decoder: Decoder | None = None
        self._head = b""
        self._held = Lookahead()
        self._in_prolog = True
        self._keyword = ""  # of the declaration that is being read
        self._words: list[str] = []  # of that declaration, since the last attribute
        self._element = ""  # the one whose attributes it declares
        self._entities: dict[str, tuple[int, int] | None] = {}  # by name, what `_measure` says of their values
        self._defaults: dict[str, int] = {}  # by element, how many characters all its defaults add to it
        self._is_unbounded = False  # whether it is not known what a default or an entity stands for
        self._elements = 0  # how many there may be at most

    @property
    def added(self) -> int | None:
        """The most characters that defaults of attributes may have added so far; None: no bound is known."""
        per_element = max(self._defaults.values(), default=0)
        if not per_element:
            return 0
        return None if self._is_unbounded else per_element * self._elements

    def complaint(self, limit: int) -> str:
        """Return why expat must not go on, or ""; attribute defaults may add `limit` characters."""
        if MAX_REFERRING is not None and self.referring > MAX_REFERRING:
            return "more entities refer to entities than are safe in this version of expat"
        added = self.added
        if added is None or added > limit:
            return "attribute defaults exceed the limit of what declarations may add"
        return ""

    def look(self, data: bytes | str) -> None:
        self.size += len(data)
        place = 0
        while self._in_prolog and place < len(data):
            piece = data[place : place + _PIECE]
            place += len(piece)
            text = piece if isinstance(piece, str) else self._decode(piece)
            if text and self._held.add(text):
                self._read(self._held.take())
        self._count(data, place)

    def _decode(self, data: bytes) -> str:
        if self._decoder is None:
            self._head += data
            if len(self._head) < 4:
                return ""
            # expat reads UTF-16 that the first bytes show, whatever the caller says.
            wide = {0: "utf-16-be", 1: "utf-16-le"}.get(self._head.find(b"\0", 0, 2))
            self._decoder = Decoder(wide or self._encoding)
            data, self._head = self._head, b""
        return self._decoder.decode(data)

    def _count(self, data: bytes | str, start: int) -> None:
        """Count what may become an element, from `start` on: tags, and tags in the entities of references."""
        if not self._defaults:
            return
        self._elements += data.count("<", start) if isinstance(data, str) else data.count(b"<", start)
        per_reference = max((entity[1] for entity in self._entities.values() if entity), default=0)
        has_unknown = None in self._entities.values()
        if per_reference or has_unknown:
            references = data.count("&", start) if isinstance(data, str) else data.count(b"&", start)
            self._elements += references * per_reference
            if references and has_unknown:
                self._is_unbounded = True

    def _read(self, text: str) -> None:
        place = 0
        while token := _TOKEN.match(text, place):
            kind = token.lastgroup
            if kind == "tag":
                self._in_prolog = False
                self._count(text, place)
                return
            place = token.end()
            if kind == "keyword":
                self._keyword = token[0]
                self._words = []
                self._element = ""
            elif kind == "word" and self._keyword == "<!ATTLIST" and not self._element:
                self._element = token[0]
            elif token[0] in {"#IMPLIED", "#REQUIRED"}:
                self._words = []
            elif kind == "word" or token[0] == "%":
                self._words.append(token[0])
            elif kind == "literal":
                self._take_literal(token[0][1:-1])
            elif token[0] in {">", "["}:
                self._keyword = ""
        rest = text[place:]
        if not rest:
            return
        if _NO_TOKEN.match(rest):  # expat refuses the document here
            self._in_prolog = False
        else:
            self._held.hold(rest, next(end for beginning, end in _ENDS if rest.startswith(beginning)))

    def _take_literal(self, value: str) -> None:
        words, self._words = self._words, []
        if self._keyword == "<!ATTLIST" and words:
            of_value = self._measure(value)
            if of_value is None:
                self._is_unbounded = True
            else:
                added = len(words[0]) + len(' =""') + of_value[0]
                self._defaults[self._element] = self._defaults.get(self._element, 0) + added
        elif self._keyword == "<!ENTITY" and len(words) == 1:
            # Not for a parameter entity, which expat does not read here, nor for an external one.
            references = _REFERENCE.search(value)
            self.referring += references is not None
            measure = self._entities.setdefault(words[0], self._measure(value))
            if measure is not None:
                self.largest = max(self.largest, measure[0])

    def _measure(self, value: str) -> tuple[int, int] | None:
        """Return the expanded size of a value and the most start tags in it, or None if they are unknown."""
        size, tags = len(value), len(_START_TAG.findall(value))
        for name in _REFERENCE.findall(value):
            entity = self._entities.get(name)
            if entity is None:  # it may be declared later
                return None
            size = min(size + entity[0], _IMMENSE)
            tags = min(tags + entity[1], _IMMENSE)
        return size, tags
