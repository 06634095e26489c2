"""Makes the smallest document that is repaired in the same ways, without its words and values, for a report."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from xml5tree.api import repair
from xml5tree.errors.log import ParseError
from xml5tree.input.stream import InputStream
from xml5tree.parser import XMLParser

#: Most documents that are tried, and characters in them.
_MOST_TRIES: Final = 20_000
_MOST_CHARACTERS: Final = 200_000_000
#: Parts of a document: markup without tags, tags, and text.
_TOKEN: Final = re.compile(r"(?s)<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<[^<>]*>?|[^<]+")
#: Parts of those: attributes, lines, words.
_PIECE: Final = re.compile(r"""\s+[^\s=<>"'/]+\s*=\s*(?:"[^"<]*"|'[^'<]*')|\s+[^\s<>/]*|[^\s]+""")
#: Beginnings of markup, names in tags and of attributes, and references; or words.
_WORDS: Final = re.compile(
    r"""<!--|<!\[CDATA\[|<\?xml[^>]*>|<!DOCTYPE[^>]*>|</?[^\s<>"'=]+|[^\s=<>"']+(?=\s*=\s*["'])|&#?\w+;"""
    r"""|(?P<word>[^\W_]+(?:[^\S\n]+[^\W_]+)*)"""
)
_TAG: Final = re.compile(r"<(?P<end>/?)(?P<name>[^\s<>/!?]+)")

_Document = bytes | str
_Kinds = frozenset[tuple[str, str | None]]


def kinds_of_errors(document: _Document) -> _Kinds:
    """Return the codes of the errors of a document, with their effects; for a refusal, its code alone."""
    parser: XMLParser[Any] = XMLParser(max_errors=None)
    try:
        parser.parse_whole(document)
    except ParseError as error:
        return frozenset({(error.code, None)})
    return frozenset((entry.code, entry.effect) for entry in parser.error_log)


def shrunk(document: bytes) -> _Document:
    """Return a small document with errors of the same kinds; it is text if its encoding does not matter."""
    kinds = kinds_of_errors(document)
    text = InputStream(prolog=False).feed(document, final=True)
    if kinds_of_errors(text) == kinds:
        return _Shrinking(kinds, kinds_of_errors).shrink(text)
    # A character for each byte: what is no text stays as it is.
    encoded = _Shrinking(kinds, lambda text: kinds_of_errors(text.encode("latin-1"))).shrink(document.decode("latin-1"))
    return encoded.encode("latin-1")


def example(document: bytes) -> str | None:
    """Return a small document, what becomes of it and its errors, as lines; None if the document has no errors."""
    if not kinds_of_errors(document):
        return None
    small = shrunk(document)
    shown = small if isinstance(small, str) else repr(small)
    entries: list[str] = []
    try:
        became = repair(small, on_error=lambda entry: entries.append(str(entry)))
        repaired = became if isinstance(became, str) else repr(became)
    except ParseError as error:
        repaired = f"refused: {error}"
    return "\n".join(["document:", shown, "repaired:", repaired, *entries, ""])


class _Shrinking:
    """The attempts to make a document smaller."""

    def __init__(self, kinds: _Kinds, kinds_of: Callable[[str], _Kinds]) -> None:
        self._kinds = kinds
        self._kinds_of = lru_cache(1 << 12)(kinds_of)
        self._tries, self._characters = _MOST_TRIES, _MOST_CHARACTERS

    def shrink(self, text: str) -> str:
        before = ""
        while before != text and self._goes_on:
            before = text
            text = self._without_pairs(self._without_parts(_TOKEN.findall(text)))
            text = self._without_parts([piece for token in _TOKEN.findall(text) for piece in _PIECE.findall(token)])
            text = self._without_words(text)
        return text

    def _is_same(self, text: str) -> bool:
        self._tries -= 1
        self._characters -= len(text)
        return self._goes_on and self._kinds_of(text) == self._kinds

    @property
    def _goes_on(self) -> bool:
        return self._tries > 0 < self._characters

    def _without_pairs(self, text: str) -> str:
        """Drop start tags with their end tags, but not what is between them."""
        tokens = _TOKEN.findall(text)
        open_tags: list[tuple[str, int]] = []
        for at, token in enumerate(tokens):
            tag = _TAG.match(token)
            if tag and not tag["end"]:
                open_tags.append((tag["name"], at))
            elif tag and open_tags and open_tags[-1][0] == tag["name"] and self._goes_on:
                _, start = open_tags.pop()
                rest = [*tokens]
                rest[start] = rest[at] = ""
                if self._is_same("".join(rest)):
                    tokens = rest
        return "".join(tokens)

    def _without_parts(self, parts: list[str]) -> str:
        """Drop what can be dropped, first in large parts."""
        size = len(parts) // 2
        while size:
            at = 0
            while at < len(parts):
                rest = parts[:at] + parts[at + size :]
                if self._is_same("".join(rest)):
                    parts = rest
                else:
                    at += size
            size //= 2
        return "".join(parts)

    def _without_words(self, text: str) -> str:
        """Replace words by one letter or digit, or letters and digits by others, where nothing depends on them."""
        parts: list[str] = []
        place = 0
        for found in _WORDS.finditer(text):
            if found["word"]:
                parts += (text[place : found.start()], found["word"])
                place = found.end()
        parts.append(text[place:])
        for at in range(1, len(parts), 2):
            word = parts[at]
            shape = re.sub(r"[^\W\d_]", "x", re.sub(r"\d", "1", word))
            for instead in dict.fromkeys(("1" if word.isdigit() else "x", shape, word)):
                parts[at] = instead
                if instead == word or self._is_same("".join(parts)):
                    break
        return "".join(parts)
