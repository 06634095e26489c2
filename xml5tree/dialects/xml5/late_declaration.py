"""Finds the encoding in an XML declaration after junk.

Junk is what the tokenizer takes for it: with the option `root_element`, all before the root element; with
``recovery="intent"``, text and messages in HTML.
"""

import re
from collections.abc import Iterable
from typing import Final

from xml5tree.input.declaration import XMLDeclaration, find_declaration
from xml5tree.input.decoder import LATEST, LateFinder
from xml5tree.options import Settings
from xml5tree.xml.names import NCNAME_START, NOT_IN_NAME
from xml5tree.xml.vocabulary import Vocabulary

#: The first characters of names: other names of the draft are text more often than not.
_NAME_START: Final = rf"(?:[^\W\d]|{NCNAME_START})"
_NAME: Final = rf"""{_NAME_START}[^\t\n />"'<=]*+"""
#: Characters that no name has, but an address in brackets has, such as `<a@example.org>` or `<http://…>`.
_NOT_A_NAME: Final = re.compile(rf"{NOT_IN_NAME}|:\Z")
#: An XML declaration without its first "?", or with white space after it, after its "<".
_XML_DECLARATION: Final = re.compile(
    r"(?>\?[\t\n\r ]++)?+(?P<declaration>xml[\t\n\r ]++version[\t\n\r ]*+=[^<>]{0,200}?\?>)"
)

#: Elements that servers and scripts write before a document: messages of errors, and the elements of pages.
_HTML_JUNK: Final = frozenset(
    {
        *("b", "big", "br", "center", "code", "em", "font", "hr", "i", "link", "meta", "noscript"),
        *("p", "pre", "script", "small", "span", "strong", "style", "tt", "u"),
    }
)

#: Bytes that are there before it is looked for, and by how much more of them it is worth looking again: doubling them
#: keeps the time linear at every chunk size.
_FIRST_BYTES: Final = 64
_GROWTH: Final = 2

_DECLARATION: Final = r"<\?xml(?=[\t\n\r ]+version)"
#: Sections that are no markup; one that is not closed has the rest of the text.
_NO_MARKUP: Final = r"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<\?.*?(?:\?>|\Z)"
_MARKUP: Final = re.compile(rf"(?s)(?P<found>{_DECLARATION})|{_NO_MARKUP}|<(?P<end>/?)(?P<name>{_NAME})[^<>]*+>?")


def make_finder(settings: Settings) -> LateFinder | None:
    """Return a function that finds the late declaration of a document; None: these options look for none."""
    if settings.root_element is not None:
        return _make_finder_before_root(settings.root_names)
    return find_late_declaration if settings.recovery == "intent" else None


def find_late_declaration(head: str, final: bool) -> XMLDeclaration | int | None:
    """Find the declaration after text and messages in HTML; see `LateFinder`."""
    head, final = head[:LATEST], final or len(head) >= LATEST
    tags: list[re.Match[str]] = []
    for match in _MARKUP.finditer(head):
        if match["found"]:
            are_junk = all(map(_is_of_html, tags)) or not any(tag["end"] for tag in tags if not _is_of_html(tag))
            return _declaration_at(head, match.start(), final) if are_junk else None  # addresses have no end tags
        broken = None if tags else _XML_DECLARATION.match(head, match.start() + 1)
        if broken:
            found = _declaration_at(f"<?{broken['declaration']}", 0, final)
            return found if found is None or isinstance(found, int) else found._replace(start=match.start())
        if match["name"] and (final or match.end() < len(head)):
            tags.append(match)
            if not (_is_of_html(match) or _is_address(match)):
                return None
    return None if final else _bytes_wanted(head)


def _is_of_html(tag: re.Match[str]) -> bool:
    return tag["name"].lower() in _HTML_JUNK


def _is_address(tag: re.Match[str]) -> bool:
    # Bytes that are not ASCII are not the characters that they stand for.
    return tag["name"].isascii() and _NOT_A_NAME.search(tag["name"]) is not None


def _make_finder_before_root(names: Iterable[str]) -> LateFinder:
    """Return a finder for documents whose root element has one of the names."""
    root = f"<{Vocabulary(names).pattern}(?=[\t\n\r />]|\\Z)".encode().decode("latin-1")
    prolog = re.compile(rf"(?s)(?>[\t\n\r ]++|(?!{_DECLARATION})<\?.*?(?:\?>|\Z)|<!--.*?(?:-->|\Z))*+")
    junk_end = re.compile(rf"{root}|(?P<found>{_DECLARATION})|<!DOCTYPE(?=[\t\n\r ])")

    def find(head: str, final: bool) -> XMLDeclaration | int | None:
        head, final = head[:LATEST], final or len(head) >= LATEST
        before = prolog.match(head)
        assert before is not None  # it matches the empty string
        found = junk_end.search(head, before.end())
        if found is None or (not final and found.end() == len(head)):
            return None if final else _bytes_wanted(head)
        return _declaration_at(head, found.start(), final) if found["found"] else None

    return find


def _declaration_at(head: str, start: int, final: bool) -> XMLDeclaration | int | None:
    found = find_declaration(head[start:], final)
    if isinstance(found, re.Pattern):
        return _bytes_wanted(head)
    return found and found._replace(start=start)


def _bytes_wanted(head: str) -> int:
    return min(max(_FIRST_BYTES, _GROWTH * len(head)), LATEST)
