"""Where an attribute value begins and ends (R-016 to R-019, R-039, R-042, R-044)."""

import re
from typing import Final

from xml5tree.dialects.xml5.intent.constants import SOLIDUS_REACH
from xml5tree.dialects.xml5.intent.policy import Intent
from xml5tree.dialects.xml5.intent.repairs import Assumption, Edit, shown
from xml5tree.dialects.xml5.lexis import NAME, find_tag
from xml5tree.errors.codes import LOST, Effect

__all__ = ["CLOSING_QUOTES", "SEPARATOR", "ValueReader"]

_ATTRIBUTE: Final = r"""[^\t\n =<>"'/]++[\t\n ]*+="""
#: What may follow the closing quote of a value.
_GOES_ON: Final = re.compile(rf"[\t\n ]*+(?:{_ATTRIBUTE}|[/>]|\Z)")
#: White space and a name, if any, that the window ends in: an "=" after the window would make it an attribute.
_CUT_OFF: Final = re.compile(r"""[\t\n ]*+(?:[^\t\n =<>"'/]++[\t\n ]*+)?\Z""")
_NEXT_ATTRIBUTE_AT_END: Final = re.compile(rf"[\t\n ]{_ATTRIBUTE}[\t\n ]*+\Z")
#: Where a value without its closing quote ends.
_END_OF_VALUE: Final = re.compile(
    rf"""(?<![\t\n ])[\t\n ]++{_ATTRIBUTE}[\t\n ]*+(?:["']|\Z)|(?<![\t\n ])[\t\n ]*+/?>|<"""
)
#: What follows the first quote in a comment.
_END_OF_COMMENT: Final = re.compile("[^<>]*+(?<=--)>")
_BRACKET: Final = re.compile("[<>]")
#: A tag up to its name, and the white space and ">" if they are all that it has after its name.
_TAG: Final = re.compile(rf"<(?P<solidus>/?)(?P<name>{NAME})(?=[\t\n />])(?P<close>[\t\n ]*+>)?")
#: A value without its opening quote, and with no other attribute in it.
_QUOTE_AT_END: Final = re.compile(
    r"""(?:[^<>"'\t\n ]++|[\t\n ]++(?![^\t\n =<>"'/]*+[\t\n ]*+=))*+(["'])(?=[\t\n />?]|\Z)"""
)
#: A value that begins with two quotes, up to the one that ends it (R-039).
#: The length of a quote between two others.
_LENGTH_OF_QUOTE: Final = 3
_DOUBLED_QUOTE: Final = re.compile(
    r"""(["'])\1(?=[^\t\n />"'<?][^"'<>]*+\1[\t\n />?](?![^"'<>=]*+\1))(?![^"'<>]*=[\t\n ]*+["'])"""
)
#: What follows a value where the tag surely goes on rightly, and a name that lacks the "=" before its value (R-042).
_RIGHT: Final = rf"[\t\n ]*+(?:{_ATTRIBUTE}|/?>)"
#: A character between attributes that should not be there (R-044).
SEPARATOR: Final = re.compile(rf"[,;](?={_RIGHT})")
_NAME_BEFORE_QUOTE: Final = r"""[\t\n ]++[^\t\n =<>"'/]++[\t\n ]*+"""
#: By quote: a value with such quotes inside, after each of which the tag does not go on rightly (R-042), nor with an
#: attribute that lacks its "=".
_WITH_QUOTES: Final = {
    quote: re.compile(
        rf"""{quote}[^{quote}<>]*+
        (?:
            {quote}(?!{_RIGHT})(?!{_NAME_BEFORE_QUOTE}{quote}[^{quote}<>]*+{quote}(?:{_RIGHT}|{_NAME_BEFORE_QUOTE}{quote}))
            [^{quote}<>=]{{0,200}}+
        ){{1,8}}+
        {quote}(?={_RIGHT})""",
        re.VERBOSE,
    )
    for quote in ('"', "'")
}
_ESCAPES: Final = {'"': "&quot;", "'": "&apos;"}
_UNQUOTED: Final = re.compile(r"[^\t\n ><]*+")
#: Typographic quotes, with the quotes that end them (R-018).
_PARTNERS: Final = {
    "“": "”",
    "„": "“”",
    "‘": "’",
    "‚": "‘’",
    "”": "”",
    "’": "’",
    "«": "»",
    "»": "«",
    "`": "´`'",
    "´": "´",
}
CLOSING_QUOTES: Final = frozenset("\"'").union(*_PARTNERS.values())

Repaired = tuple[int, list[Edit], Assumption | None]
"""The index after a value, 0 if that is beyond the window, or -1 if the document ends in the value; the edits of the
value, and their assumption."""


class ValueReader:
    """Reads the attribute values of a tag, in their order.

    However many values a tag has, it is searched once for each kind of typographic quotes.
    """

    def __init__(self, text: str, stop: int, at_end: bool, policy: Intent) -> None:
        """Begin; the window ends at the index `stop` of the text. `at_end`: so does the document."""
        self._text = text
        self._stop = stop
        self._at_end = at_end
        self._policy = policy
        #: By closing quotes: the index of the quote or bracket that the last search has found.
        self._found: dict[str, int] = {}

    def read(self, start: int, name: str) -> Repaired:
        """Read the value at an index after the "=" and white space; `name` is that of the tag."""
        text, stop, at_end, policy = self._text, self._stop, self._at_end, self._policy
        if start >= stop:
            return (-1 if at_end else 0), [], None
        first = text[start]
        doubled = _DOUBLED_QUOTE.match(text, start, stop)
        if doubled and policy.is_on("equals"):
            end = text.index(first, doubled.end()) + 1
            assumption = Assumption(
                "assumed-quotes", f"{shown(text[start:end])} has a quote too many, which was dropped"
            )
            return end, [Edit(start, 1, "")], assumption
        if first in "\"'":
            return _read_quoted(text, start, stop, at_end, policy, name)
        if first in _PARTNERS and policy.is_on("typographic"):
            end = self._typographic_end(start)
            if end:
                quotes = f"{first}…{text[end]}"
                edits = [Edit(start, 1, '"'), *_escaped(text, start + 1, end, '"'), Edit(end, 1, '"')]
                return end + 1, edits, Assumption("assumed-quotes", f"{quotes} were taken for the quotes of a value")
        found = _QUOTE_AT_END.match(text, start, stop)
        if found and policy.is_on("openquote"):
            assumption = Assumption("assumed-quotes", f"an opening quote was assumed before {found[0]!r}")
            return found.end(), [Edit(start, 0, found[1])], assumption
        return _read_unquoted(text, start, stop, at_end, policy, name)

    def _typographic_end(self, start: int) -> int:
        """Return the index of the quote that ends the value whose quote is at an index; 0 if there is none (R-018)."""
        partners = _PARTNERS[self._text[start]]
        # The search for an earlier value began before `start`, so that nothing is between `start` and what it found.
        end = self._found.get(partners, 0)
        if end <= start:
            found = re.compile(f"[<>{partners}]").search(self._text, start + 1, self._stop)
            end = self._found[partners] = self._stop if found is None else found.start()
        return end if end < self._stop and self._text[end] in partners else 0


def _read_quoted(text: str, start: int, stop: int, at_end: bool, policy: Intent, name: str) -> Repaired:
    """Read a value that begins with a quote; its closing quote may be missing (R-016), or others inside it (R-042)."""
    quote = text[start]
    close = text.find(quote, start + 1, stop)
    if close < 0:
        end = 0
        if policy.is_on("closequote") and (at_end or _holds_markup(text, start + 1, stop, policy, name)):
            end = _earlier_end(text, start, stop)
        if not end:
            return (-1 if at_end else 0), [], None
        return _ended(text, start, end)
    if policy.is_on("closequote") and _is_doubted(text, start, close, stop, at_end):
        end = _earlier_end(text, start, close + 1)
        if end:
            return _ended(text, start, end)
    found = _WITH_QUOTES[quote].match(text, start, stop) if policy.is_on("innerquote") else None
    return _with_quotes(text, start, found.end()) if found else (close + 1, [], None)


def _with_quotes(text: str, start: int, end: int) -> Repaired:
    """Read a value with quotes in it, unless those are its own quotes, written twice (R-042)."""
    source, quote = text[start:end], text[start]
    value = source.strip(quote)
    # Doubled quotes only at the beginning do not count as the value's own.
    if quote not in value and (source[1] != quote or source.endswith(quote * 2)):
        sentence = f"{shown(source)} has a quote too many, which was dropped"
        effect: Effect | None = LOST if len(source) == _LENGTH_OF_QUOTE else None  # it may be the value
        first = text.index(value, start + 1)
        last = first + len(value)
        around = [(start + 1, first - start - 1), (last, end - last - 1)]
        edits = [Edit(place, size, "") for place, size in around if size]
    else:
        effect = None
        sentence = f"the quotes in {shown(source)} were taken for characters of the value"
        edits = _escaped(text, start + 1, end - 1, quote)
    return end, edits, Assumption("assumed-quotes", sentence, effect=effect)


def _escaped(text: str, start: int, end: int, quote: str) -> list[Edit]:
    """Return the edits that escape the quotes in a value. All else stays where it is, and so do its errors."""
    return [Edit(found.start(), 1, _ESCAPES[quote]) for found in re.compile(quote).finditer(text, start, end)]


def _is_doubted(text: str, start: int, close: int, stop: int, at_end: bool) -> bool:
    """Return whether the next quote, at `close`, may begin another value and not end this one (R-016)."""
    value = text[start + 1 : close]
    after = text[close + 1 : min(close + 3, stop)]
    if after[:1] in {"\t", "\n", " "}:
        if "<!--" in value and "-->" not in value and _END_OF_COMMENT.match(text, close + 1, stop):
            return True  # the quote is in a comment
        # A "<" alone is no sign here: in h="a < b" checked, the value is right, and the attribute after it is not.
        if ">" not in value or _GOES_ON.match(text, close + 1, stop):
            return False
        return at_end or not _CUT_OFF.match(text, close + 1, stop)
    if after[:1] in {"", ">"} or after in {"/", "/>", "?", "?>"}:  # the tag ends; "" and "/" are the window's end
        return False
    if SEPARATOR.match(text, close + 1, stop):  # the tag goes on, whatever brackets are in the value
        return _NEXT_ATTRIBUTE_AT_END.search(value) is not None
    return "<" in value or ">" in value or _NEXT_ATTRIBUTE_AT_END.search(value) is not None


def _holds_markup(text: str, start: int, stop: int, policy: Intent, name: str) -> bool:
    """Return whether the text after the opening quote of a value in the tag `name` is markup that follows the tag.

    A value without "<" is not doubted, however long, as it may be well-formed. If a ">" comes first, which may end the
    tag, any end tag shows it, or a start tag of a known name or this one. Otherwise the value may itself be a document,
    so that only an end tag of this element or an open one shows it.
    """
    bracket = _BRACKET.search(text, start, stop)
    has_end = bracket is not None and bracket[0] == ">"
    known = policy.learned.names
    depths: dict[str, int] = {}  # for the tag's name and those of open elements: start tags so far, less end tags
    for found in _TAG.finditer(text, start, stop):
        solidus, other, close = found.groups()
        if has_end and ((solidus and close) or (not solidus and (other in known or other == name))):
            return True
        if other == name or policy.is_open(other):
            depth = depths[other] = depths.get(other, 0) + (-1 if solidus else 1)
            if depth < 0:
                return True
    return False


def _earlier_end(text: str, start: int, stop: int) -> int:
    """Return the end before `stop` of a value that lacks its closing quote; 0 if nothing shows it."""
    found = _END_OF_VALUE.search(text, start + 1, stop)
    return found.start() if found else 0


def _ended(text: str, start: int, end: int) -> Repaired:
    sentence = f"the value {shown(text[start:end])} was ended"
    return end, [Edit(end, 0, text[start])], Assumption("assumed-end-of-value", sentence)


def _read_unquoted(text: str, start: int, stop: int, at_end: bool, policy: Intent, name: str) -> Repaired:
    """Read a value without quotes; a "/" at its end may rather be that of an empty tag (R-019)."""
    found = _UNQUOTED.match(text, start, stop)
    assert found is not None  # it matches the empty string
    end = found.end()
    if end >= stop:
        return (-1 if at_end else 0), [], None
    value = found[0]
    if text[end] != ">" or not value.endswith("/") or not policy.is_on("unquotedslash"):
        return end, [], None
    learned = policy.learned
    is_path = "/" in value[:-1] and not learned.is_known_empty(name)
    solidus_may_belong = value == "/" or is_path or name in learned.filled
    if solidus_may_belong and find_tag(text, f"</{name}", end, min(end + SOLIDUS_REACH, stop)) >= 0:
        return end, [], None
    sentence = f"'/>' was taken for the end of <{name}/>, not for a part of the value"
    if value != "/":
        return end - 1, [Edit(end - 1, 0, " ")], Assumption("assumed-empty", sentence)
    # Without a value, the "/" would be read as the value even after white space, so quotes are put in.
    return end - 1, [Edit(end - 1, 0, '"" ')], Assumption("assumed-empty", f"{sentence}, which is empty")
