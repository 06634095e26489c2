"""Comments, CDATA sections and processing instructions that were not closed (R-020)."""

import re
from typing import Final, NamedTuple

from xml5tree.dialects.xml5.intent.constants import CDATA_REACH, WINDOW
from xml5tree.dialects.xml5.intent.policy import Intent
from xml5tree.dialects.xml5.intent.repairs import Assumption, Rewrite
from xml5tree.dialects.xml5.lexis import NAME_START

__all__ = ["SECTIONS", "Section", "Sought", "read_section"]


class Section(NamedTuple):
    """A kind of section.

    Attributes:
        rule: the name of its rule.
        opening: what it begins with, after the "<".
        terminator: what it ends with.
        stop: finds the terminator, or the opening of another one.
        reach: how far its end is looked for; None: to the end of the document.
        title: what it is called.
    """

    rule: str
    opening: str
    terminator: str
    stop: re.Pattern[str]
    reach: int | None
    title: str


SECTIONS: Final = (
    # A comment may end with "<!-->", and an instruction with "<?>", where no other one begins.
    Section("comment", "!--", "-->", re.compile("-->|<!--[^>]"), None, "comment"),
    Section("cdata", "![CDATA[", "]]>", re.compile(r"\]\]>|<!\[CDATA\["), CDATA_REACH, "CDATA section"),
    Section("pi", "?", "?>", re.compile(r"\?>|<\?[^>]"), None, "processing instruction"),
)
_TAG: Final = re.compile(f"</?{NAME_START}")
_BRACKET: Final = re.compile("[<>]")
_TRAILING: Final = {"comment": "-", "pi": "?"}
_CDATA_END: Final = re.compile(r"\]>|\]\]|<")
_AFTER_NAME: Final = frozenset("\t\n />")


class Sought:
    """Looks for a pattern in pieces of input that come one after the other.

    Attributes:
        reach: how many characters after the opening are enough in any case; None: it is looked for to the end.
    """

    def __init__(self, pattern: re.Pattern[str], text: str, reach: int | None) -> None:
        """Begin after a text in which the pattern is not."""
        self._pattern = pattern
        self._tail = text[-8:]
        self.reach = reach

    def __call__(self, piece: str) -> bool:
        """Whether the pattern ends in this piece."""
        text = self._tail + piece
        self._tail = text[-8:]
        return self._pattern.search(text) is not None


def read_section(
    section: Section, text: str, start: int, policy: Intent, *, final: bool, may_scan: bool
) -> Rewrite | Sought | None:
    """Read a section that may not be closed.

    Args:
        section: its kind.
        text: what it is in.
        start: the index after its "<".
        policy: the policy.
        final: whether the document ends where the text does.
        may_scan: whether something is left of what may be read ahead (R-008).

    Returns:
        What to read instead; None: what is there; or what to look for in the input to come, and then ask again.
    """
    begin = start + len(section.opening)
    reach = len(text) if section.reach is None else min(len(text), begin + section.reach)
    found = section.stop.search(text, begin, reach)
    if found is None:
        if section.reach is not None and len(text) >= begin + section.reach:
            return None
        if not final:
            return Sought(section.stop, text[begin:], section.reach)
        end = len(text)
    elif found[0] == section.terminator:
        return None
    else:
        end = found.start()
    if policy.has_open:
        if not _is_left(text, begin, end, policy):
            if found is None or not may_scan:
                return None
            is_left = _is_left_later(section, text, begin, end, policy, final=final)
            if is_left is None:
                return Sought(re.compile(re.escape(section.terminator)), text[begin:], WINDOW)
            if not is_left:
                return None
    elif found is not None or section.rule == "cdata":
        return None  # outside the root element, the end of the document alone is evidence
    return _ended(section, text, start, end, policy)


def _is_left(text: str, start: int, end: int, policy: Intent) -> bool:
    """Return whether the current element or the root is closed in a text that does not open it."""
    return any(_closes(text, start, end, name) for name in {policy.current, policy.root})


def _closes(text: str, start: int, end: int, name: str) -> bool:
    """Return whether at some place of a text more end tags of a name precede than start tags."""
    depth = 0
    end -= 1  # what follows a name has to be in the text, too, as there may be no more input yet
    found = text.find(name, start, end)
    while found >= 0:
        after = found + len(name)
        if text[after : after + 1] in _AFTER_NAME:
            if text.startswith("</", found - 2):
                depth -= 1
            elif text.startswith("<", found - 1):
                depth += 1
            if depth < 0:
                return True
        found = text.find(name, after, end)
    return False


def _is_left_later(section: Section, text: str, start: int, end: int, policy: Intent, *, final: bool) -> bool | None:
    """Return whether a section in which another one begins was not closed, as the text up to where it would end shows.

    Either an element is closed in that text that it does not open; or a third comment begins in it, so that two of them
    were not closed, and markup is before the second one.

    Args:
        section: its kind.
        text: what it is in.
        start: where its content begins.
        end: where the other one begins.
        policy: the policy.
        final: whether the document ends where the text does.

    Returns:
        None: more input is needed.
    """
    stop = text.find(section.terminator, start, start + WINDOW)
    if stop < 0:
        if len(text) < start + WINDOW and not final:
            return None
        stop = start + WINDOW
    policy.spend(min(stop, len(text)) - start)
    if _is_left(text, start, stop, policy):
        return True
    if section.rule != "comment":  # in the others, such text is no error
        return False
    return text.find("<!--", end + 1, stop) >= 0 and _TAG.search(text, start, end) is not None


def _ended(section: Section, text: str, start: int, end: int, policy: Intent) -> Rewrite | None:
    """Return the section ended where its author seems to have meant it."""
    begin = start + len(section.opening)
    if section.rule == "cdata":
        stop, resume = _end_of_cdata(text, begin, end, policy)
    else:
        bracket = _BRACKET.search(text, begin, end)
        stop = end if bracket is None else bracket.start()
        resume = stop + 1 if bracket is not None and bracket[0] == ">" else stop
    inside = text[begin:stop].rstrip(_TRAILING.get(section.rule, ""))
    if resume == stop:
        inside = text[begin:stop]
    if section.rule == "comment":
        inside = inside.rstrip("-")
    pieces = [(section.opening, start)]
    if inside:
        pieces.append((inside, begin))
    pieces.append((section.terminator, resume - len(section.terminator)))
    assumption = Assumption("assumed-end-of-section", f"the {section.title} was taken to end after {inside[-40:]!r}")
    return Rewrite([assumption], pieces, resume)


def _end_of_cdata(text: str, start: int, end: int, policy: Intent) -> tuple[int, int]:
    """Return where a CDATA section ends, and where the text goes on."""
    found = _CDATA_END.search(text, start, end)
    if found is not None and found[0] != "<":
        return found.start(), found.end()
    for name in (policy.current, policy.root):
        close = text.find(f"</{name}", start, end)
        if close >= 0:
            return close, close
    return end, end
