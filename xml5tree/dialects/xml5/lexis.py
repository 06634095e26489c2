"""Patterns for names, tags and junk in broken markup."""

import re
from typing import Final

from xml5tree.xml.names import NCNAME_START, NOT_IN_NAME

__all__ = [
    "AFTER_NAME",
    "HTML_BOOLEAN",
    "HTML_JUNK",
    "HTML_VOID",
    "JUNK_REACH",
    "NAME",
    "NAME_START",
    "NOT_A_NAME",
    "NUMBER",
    "SPACES",
    "WHITE_SPACE",
    "XML_DECLARATION",
    "find_tag",
]

#: White space in markup and text, as newlines are normalised.
WHITE_SPACE: Final = "\t\n "
SPACES: Final = re.compile(rf"[{WHITE_SPACE}]*+")
#: Characters that may follow the name in a tag.
AFTER_NAME: Final = frozenset("\t\n />")
#: The first characters of names for the policy: other names of the draft are text more often than not.
NAME_START: Final = rf"(?:[^\W\d]|{NCNAME_START})"
NAME: Final = rf"""{NAME_START}[^\t\n />"'<=]*+"""
#: Names of elements that arrays become, which begin with a digit.
NUMBER: Final = r"[0-9][0-9A-Za-z_.\-]*+"
#: Characters that no name has, but an address in brackets has, such as `<a@example.org>` or `<http://…>`.
NOT_A_NAME: Final = re.compile(rf"{NOT_IN_NAME}|:\Z")
#: An XML declaration without its first "?", or with white space after it, after its "<" (R-040).
XML_DECLARATION: Final = re.compile(
    r"(?:\?[\t\n\r ]++)?+(?P<declaration>xml[\t\n\r ]++version[\t\n\r ]*+=[^<>]{0,200}?\?>)"
)

#: Where junk before a document is looked for (R-028).
JUNK_REACH: Final = 16384
#: Elements of HTML that have no end tag.
HTML_VOID: Final = frozenset(
    {
        *("area", "base", "br", "col", "embed", "hr", "img"),
        *("input", "link", "meta", "param", "source", "track", "wbr"),
    }
)
#: Attributes that HTML has without a value, in elements that have no end tag.
HTML_BOOLEAN: Final = frozenset(
    {
        *("autofocus", "checked", "default", "disabled", "formnovalidate", "hidden", "ismap"),
        *("itemscope", "multiple", "nohref", "noshade", "readonly", "required"),
    }
)
#: Elements that servers and scripts write before a document: messages of errors, and the elements of pages (R-028).
HTML_JUNK: Final = frozenset(
    {
        *("b", "big", "br", "center", "code", "em", "font", "hr", "i", "link", "meta", "noscript"),
        *("p", "pre", "script", "small", "span", "strong", "style", "tt", "u"),
    }
)


def find_tag(text: str, beginning: str, start: int, stop: int) -> int:
    """Return the index of the first tag in a part of a text; -1 if there is none.

    `beginning` is ``<`` or ``</`` and the name. What follows the name must be in the part, too.
    """
    found = text.find(beginning, start, max(stop - 1, 0))
    while found >= 0 and text[found + len(beginning)] not in AFTER_NAME:
        found = text.find(beginning, found + 1, stop - 1)
    return found
