"""Hints at problems of a whole document, and helpful options."""

import re
from typing import Final, NamedTuple

#: Characters at the beginning of a document that are examined.
HEAD: Final = 4096

#: The beginning of HTML that does not claim to be XML, after comments.
_HTML: Final = re.compile(
    r"\s*+(?><!--.*?-->\s*+)*+(?:<!DOCTYPE\s++html\s*+(?:>|PUBLIC\s*+.-//(?:W3C|IETF)//DTD HTML)"
    r"|<html(?![^>]*?xmlns)[\s>])",
    re.IGNORECASE | re.DOTALL,
)
#: The beginning of an object or array in JSON.
_JSON: Final = re.compile(
    r'\s*+(?:\{\s*+(?:"[^"\\]*+"\s*+:|\})|\[\s*+(?:\{\s*+["}]|"|\]|-?[0-9]++(?>[.][0-9]++)?+\s*+[,\]]))'
)

#: Text that is no document but names one: a path with a known suffix, or a URL.
_PATH: Final = re.compile(
    r"\s*+[^<>\n]{1,300}\.(?:xml|rss|atom|rdf|svg|xhtml|html?|xsd|xsl|kml|gpx|opml|plist)(?:\.(?:gz|zst))?\s*+\Z",
    re.IGNORECASE,
)
_URL: Final = re.compile(r"\s*+(?:https?|ftp)://[^\s<>]++\s*+\Z", re.IGNORECASE)


class Hint(NamedTuple):
    """A likely problem of a whole document, and the option that helps; `str` gives both.

    Attributes:
        finding: the problem, as the rest of a sentence about the document.
        option: the name of the option, or "".
        value: the option's value.
        effect: what the option does.
    """

    finding: str
    option: str = ""
    value: str | bool = ""
    effect: str = ""

    def about(self, subject: str, how: str = "") -> str:
        """Return the hint as a sentence about `subject`; the option is written as `how`, or as an argument."""
        how = how or f"{self.option}={self.value!r}"
        return f"{subject} {self.finding}" + (f"; {how} {self.effect}" if self.option else "")

    def __str__(self) -> str:
        return self.about("the document")


def hints_by_beginning(head: str) -> tuple[Hint, ...]:
    """Return the hints that the first `HEAD` characters of a document give."""
    if head.startswith("<?xml"):  # as most documents do
        return ()
    if _HTML.match(head) and "<?xml" not in head[:100]:
        return (Hint("looks like HTML, which is not XML", "dialect", "html", "reads it as HTML"),)
    if _JSON.match(head):
        return (Hint("looks like JSON, which is not XML"),)
    if _URL.match(head):
        return (Hint("looks like a URL, which is not fetched: open it, and pass the file object to parse"),)
    if _PATH.match(head):
        return (Hint("looks like the path of a file, which parse, iterparse and open take"),)
    return ()


def looks_like_file(text: str) -> bool:
    """Return whether text is no document but names one."""
    return bool(_URL.match(text) or _PATH.match(text))


WINDOWS_1252: Final = Hint(
    "has bytes that are not UTF-8 but characters of windows-1252", "encoding", "windows-1252", "reads them so"
)
SEVERAL_ROOTS: Final = Hint(
    "has elements after its root element, which were dropped", "roots", "all", "keeps them in a new root"
)


def read_all_the_same(description: str) -> Hint:
    return Hint(f"looks like {description}", "force", True, "reads it all the same")
