"""Unclosed or misspelt comments, CDATA sections and processing instructions (R-020, R-043); "<?" as text (R-012)."""

import re
from typing import Final, NamedTuple

from xml5tree.dialects.xml5.intent.constants import CDATA_REACH, WINDOW
from xml5tree.dialects.xml5.intent.policy import Intent
from xml5tree.dialects.xml5.intent.repairs import Assumption, Rewrite, as_declaration, shown
from xml5tree.dialects.xml5.lexis import AFTER_NAME, NAME_START, find_tag
from xml5tree.errors.codes import MOVED
from xml5tree.xml.limits import COMMENT, PROCESSING_INSTRUCTION
from xml5tree.xml.names import NMTOKEN

__all__ = [
    "LONGEST_MISSPELT",
    "MAY_BE_MISSPELT",
    "SECTIONS",
    "Section",
    "Sought",
    "read_misspelt_section",
    "read_section",
]


class Section(NamedTuple):
    """A kind of section."""

    rule: str  # its switch in `constants.RULES`
    opening: str  # its opening, after the "<"
    terminator: str
    stop: re.Pattern[str]  # finds the terminator, or the opening of another one
    reach: int | None  # how far its end is looked for; None: to the end of the document
    title: str  # its name in messages
    node: str | None  # what it is in the tree; None: text


SECTIONS: Final = (
    # "<!-->" within a comment and "<?>" within an instruction open no other one, but end it.
    Section("comment", "!--", "-->", re.compile("-->|<!--[^>]"), None, "comment", COMMENT),
    Section("cdata", "![CDATA[", "]]>", re.compile(r"\]\]>|<!\[CDATA\["), CDATA_REACH, "CDATA section", None),
    Section("pi", "?", "?>", re.compile(r"\?>|<\?[^>]"), None, "processing instruction", PROCESSING_INSTRUCTION),
)
#: The openings of comments that lack a "-" or have white space after the "!", and those of CDATA sections in another
#: case, with white space, or without one of the brackets, after the "<" (R-043).
_MISSPELT_COMMENT: Final = r"!(?:-|[\t\n ]{1,2}--)"
_MISSPELT_CDATA: Final = r"!S(?:\[ScdataS\[|cdataS\[|\[Scdata(?=[\t\n <]))".replace("S", r"[\t\n ]{0,2}")
_MISSPELT: Final = re.compile(f"(?P<comment>{_MISSPELT_COMMENT}(?![->]))|(?P<cdata>(?i:{_MISSPELT_CDATA}))")
#: The beginning of markup that may have a misspelt opening; no DOCTYPE has.
MAY_BE_MISSPELT: Final = re.compile(r"![\t\n \[]*+(?:[Cc-]|\Z)")
#: The characters that decide whether an opening is misspelt.
LONGEST_MISSPELT: Final = len("!  [  CDATA  [")
#: As `Section.stop`, for sections with a misspelt opening.
_STOPS_OF_MISSPELT: Final = {
    "comment": re.compile(f"-->|<{_MISSPELT_COMMENT}"),
    "cdata": re.compile(rf"\]\]>|<(?i:{_MISSPELT_CDATA})"),
}
_TAG: Final = re.compile(f"</?{NAME_START}")
#: What ends the search for the terminator of an instruction without a name.
_TAG_OR_TERMINATOR: Final = re.compile(rf"\?>|<[/!?]|<{NAME_START}")
_NAME_START: Final = re.compile(NAME_START)
#: After "<?": a wildcard of generic types, as in "Map<?, ?>" and "List<? extends T>".
_WILDCARD: Final = re.compile(r"[>,]|[\t\n ]+(?:extends|super)[\t\n ]")
_TARGET: Final = re.compile(NMTOKEN)
_BRACKET: Final = re.compile("[<>]")
_CDATA_END: Final = re.compile(r"\]>|\]\]|<")
#: The number of last characters of a text in which a match of a pattern that is sought may begin and end in the next
#: text: the length of the longest match, less the "<" that it adds and one.
_LONGEST_BEGINNING: Final = LONGEST_MISSPELT


class Sought:
    """Looks for a pattern in chunks of input, `reach` characters after the "<" at most; None: to the end."""

    def __init__(self, pattern: re.Pattern[str], text: str, reach: int | None) -> None:
        """Begin after a text that lacks the pattern."""
        self._pattern = pattern
        self._tail = text[-_LONGEST_BEGINNING:]
        self.reach = reach

    def __call__(self, piece: str) -> bool:
        """Return whether the pattern ends in this piece."""
        text = self._tail + piece
        self._tail = text[-_LONGEST_BEGINNING:]
        return self._pattern.search(text) is not None


def read_section(
    section: Section,
    text: str,
    start: int,
    policy: Intent,
    *,
    final: bool,
    has_budget: bool,
    known_tag: re.Pattern[str] | None = None,
) -> Rewrite | Sought | None:
    """Read a section that may not be closed, from the index after its "<".

    `final`: the document ends with the text. `has_budget`: budget is left for look-ahead beyond the next opening
    (R-008). `known_tag` finds tags, where others are text: in a document with such names, sections are rarer than text
    about them.

    Returns:
        A rewrite; None if the section is read as it stands; or a search: ask again once it has found its pattern.
    """
    begin = start + len(section.opening)
    if section.rule == "pi" and not _NAME_START.match(text, begin):
        return _read_question_mark(text, start, begin, policy, final=final)
    reach = len(text) if section.reach is None else min(len(text), begin + section.reach)
    found = section.stop.search(text, begin, reach)
    if found is None:
        if section.reach is not None and len(text) >= begin + section.reach:
            # Code in a CDATA section may well have an end tag of the current element or of its parent, but not both.
            is_unended = policy.has_open and all(
                _closes(text, begin, reach, name) for name in (policy.current, policy.parent)
            )
            return _ended(section, text, start, reach, policy) if is_unended else None
        if not final:
            return Sought(section.stop, text[begin:], section.reach and begin - start + section.reach)
        # A CDATA section that an open element ends keeps its content in either reading.
        is_ended = section.rule == "cdata" and policy.has_open and _shows_missing_end(text, begin, len(text), policy)
        if known_tag is not None and not is_ended and known_tag.search(text, begin):
            sentence = f"'<' was taken for text: the {section.title} has no end"
            return Rewrite([Assumption("assumed-text", sentence)], [], start, is_text=True)
        end = len(text)
    elif found[0] == section.terminator:
        return None
    else:
        end = found.start()
    if policy.has_open:
        if not _shows_missing_end(text, begin, end, policy):
            if found is None or not has_budget:
                return None
            shows = _shows_missing_end_later(section, text, begin, end, policy, final=final)
            if shows is None:
                return Sought(re.compile(re.escape(section.terminator)), text[begin:], begin - start + WINDOW)
            if not shows:
                return None
    elif found is not None or section.rule == "cdata":
        return None  # outside the root element, only the end of the document shows it, and for CDATA not even that
    elif _BRACKET.search(text, begin, end) is None:
        return None  # the document is cut off in it
    return _ended(section, text, start, end, policy)


def read_misspelt_section(text: str, start: int, policy: Intent, *, final: bool) -> Rewrite | Sought | None:
    """Read a section whose opening is misspelt, from the index after its "<" (R-043).

    No two searches for sections of a kind read the same text, as each ends at the next opening of the kind. For
    `final` and the result see `read_section`.
    """
    opening = _MISSPELT.match(text, start)
    if opening is None or opening.lastgroup is None or not policy.is_on("misspelt"):
        return None
    section = next(section for section in SECTIONS if section.rule == opening.lastgroup)
    is_comment = section.node is not None
    if not (is_comment or policy.has_open or policy.has_many_roots):
        return None
    begin, stop = opening.end(), _STOPS_OF_MISSPELT[section.rule]
    reach = section.reach or WINDOW
    found = stop.search(text, begin, begin + reach)
    if found is None and len(text) < begin + reach and not final:
        return Sought(stop, text[begin:], begin - start + reach)
    if found is None or found[0] != section.terminator:
        return None
    if is_comment and policy.has_open and _shows_missing_end(text, begin, found.start(), policy):
        return None
    sentence = f"'<{shown(opening[0])}' was taken for '<{section.opening}'"
    assumption = Assumption("assumed-section", sentence, section.node, MOVED if is_comment else None)
    return Rewrite([assumption], [(section.opening, begin - len(section.opening))], begin)


def _read_question_mark(text: str, start: int, begin: int, policy: Intent, *, final: bool) -> Rewrite | Sought | None:
    """Read "<?" without a name after it, from the index after its "<" (R-012); `begin` is the index after its "?".

    Before the root, it may begin the XML declaration (R-040). No two searches read the same text, as each ends at the
    next "<?".
    """
    found = _TAG_OR_TERMINATOR.search(text, begin, begin + WINDOW)
    if found is None and len(text) < begin + WINDOW and not final:
        return Sought(_TAG_OR_TERMINATOR, text[begin:], begin - start + WINDOW)
    if found is not None and found[0] == "?>" and found.start() > begin and not _WILDCARD.match(text, begin):
        if policy.has_root or not policy.is_on("declaration"):
            return None
        return as_declaration(text, start, found.end())
    return Rewrite(
        [Assumption("assumed-text", "'<' was taken for text: no name follows its '?'")], [], start, is_text=True
    )


def _shows_missing_end(text: str, start: int, end: int, policy: Intent) -> bool:
    """Return whether a text ends the current element or the root; see `_closes`."""
    return any(_closes(text, start, end, name) for name in {policy.current, policy.root})


def _closes(text: str, start: int, end: int, name: str) -> bool:
    """Return whether, somewhere in a text, end tags of a name outnumber its start tags and empty tags so far.

    The text is searched for the name: what is in a section that may not be closed is no token of a window.
    """
    depth = 0
    end -= 1  # what follows a name has to be in the text, too, as there may be no more input yet
    found = text.find(name, start, end)
    while found >= 0:
        after = found + len(name)
        if text[after : after + 1] in AFTER_NAME:
            if text.startswith("</", found - 2):
                depth -= 1
            elif text.startswith("<", found - 1):
                depth += 1
            if depth < 0:
                return True
        found = text.find(name, after, end)
    return False


def _shows_missing_end_later(
    section: Section, text: str, start: int, end: int, policy: Intent, *, final: bool
) -> bool | None:
    """Return whether the text up to the draft's terminator, or a window of it, shows that a section was not closed.

    The section's content begins at `start`, a second opening at `end`. The text shows it if it ends the current element
    or the root (see `_closes`). A comment shows it, too, if a third comment begins in the text, so that two were not
    closed, and a tag is before the second. None: more input is needed.
    """
    stop = text.find(section.terminator, start, start + WINDOW)
    if stop < 0:
        if len(text) < start + WINDOW and not final:
            return None
        stop = start + WINDOW
    policy.spend(min(stop, len(text)) - start)
    if _shows_missing_end(text, start, stop, policy):
        return True
    if section.rule != "comment":  # the others may have any number of openings and be well-formed
        return False
    return text.find("<!--", end + 1, stop) >= 0 and _TAG.search(text, start, end) is not None


def _ended(section: Section, text: str, start: int, end: int, policy: Intent) -> Rewrite | None:
    """Return a rewrite with the section ended where its author seems to have meant it; None: it would be no section."""
    begin = start + len(section.opening)
    if section.rule == "cdata":
        stop, resume = _end_of_cdata(text, begin, end, policy)
    else:
        bracket = _BRACKET.search(text, begin, end)
        stop = end if bracket is None else bracket.start()
        resume = stop + 1 if bracket is not None and bracket[0] == ">" else stop
    inside = text[begin:stop]
    # Up to a ">", it is what its author wrote in it, unless it is a tag with "?"; up to a "<", it may be more.
    target = _TARGET.match(inside) if section.rule == "pi" else None
    node = None if resume > stop and not (target and policy.knows(target[0])) else section.node
    if section.rule == "comment":
        inside = inside.rstrip("-")  # no comment ends in "-"
    pieces = [(section.opening, start)]
    if inside:
        pieces.append((inside, begin))
    pieces.append((section.terminator, resume - len(section.terminator)))
    sentence = f"the {section.title} was taken to end after {inside[-40:]!r}"
    return Rewrite([Assumption("assumed-end-of-section", sentence, node if inside else None)], pieces, resume)


def _end_of_cdata(text: str, start: int, end: int, policy: Intent) -> tuple[int, int]:
    """Return the end of a CDATA section, and the index where the text goes on."""
    found = _CDATA_END.search(text, start, end)
    if found is not None and found[0] != "<":
        return found.start(), found.end()
    for name in (policy.current, policy.root):
        close = find_tag(text, f"</{name}", start, end)
        if close >= 0:
            return close, close
    return end, end
