"""Junk before the document (R-028)."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from xml5tree.dialects.xml5.intent.sections import SECTIONS
from xml5tree.dialects.xml5.lexis import HTML_JUNK, HTML_VOID, JUNK_REACH, NAME, NOT_A_NAME, WHITE_SPACE
from xml5tree.errors.codes import KEPT, Effect
from xml5tree.errors.wording import number_of
from xml5tree.tree.endtags import ended_by

if TYPE_CHECKING:
    from xml5tree.dialects.xml5.intent.tokenizer import IntentTokenizer

__all__ = ["junk_length", "pass_junk"]

_FIRST_NAME: Final = re.compile(NAME)
#: Markup that is passed over if it ends: its beginnings, and their ends.
_TERMINATORS: Final = {f"<{section.opening}": section.terminator for section in SECTIONS}
_OPENING: Final = f"(?P<opening>{'|'.join(map(re.escape, _TERMINATORS))})"
#: A declaration that the document begins with, and tags.
_DECLARATION: Final = re.compile(rf"<\?xml[\t\n ]+version|{_OPENING}")
_DOCTYPE: Final = re.compile(rf"<!DOCTYPE|{_OPENING}")
_TAG: Final = re.compile(rf"<(?P<end>/?)(?P<name>{NAME})[^<>]*+>?|{_OPENING}")
#: Words in the messages of servers and scripts.
_MESSAGE: Final = re.compile(
    r"""(?ix)\b(?:
        (?:error|warning|notice|deprecated|exception|fatal|failure|strict\ standards|traceback)\b[^:]{0,40}:
        |on\ line\s+\d
        |error\s+\d{3}\b
    )"""
)
#: Elements without an end tag that begin no document.
_NEVER_ROOT: Final = frozenset({"br", "hr"})
_MARKUP: Final = re.compile("<[^<>]*+>")
#: The characters of a name that tell whether it may be junk.
_LOOKED_AT: Final = 64


def pass_junk(t: "IntentTokenizer") -> bool | None:
    """Drop junk whose first tag begins here; return whether there is some, None to wait for more input."""
    policy = t.policy
    if policy.has_root or policy.has_many_roots or not policy.is_on("junk"):
        t.is_past_junk = True
        return False
    if not t.has_ahead(_LOOKED_AT):
        t.wait(enough=_LOOKED_AT)
        return None
    text, position = t.text_and_position
    first = _FIRST_NAME.match(text, position, position + _LOOKED_AT)
    if first is None or not (first[0].lower() in HTML_JUNK or NOT_A_NAME.search(first[0])):
        t.is_past_junk = True
        return False
    if not t.has_ahead(JUNK_REACH):
        t.wait(enough=JUNK_REACH)
        return None
    t.is_past_junk = True
    stop = min(position + JUNK_REACH, len(text))
    length = junk_length("<" + text[position:stop], at_end=t.is_final and stop == len(text))
    if not length:
        return False
    end = position - 1 + length
    # What precedes the XML declaration or the DOCTYPE is no content, whether text (`end_outer_text`) or elements.
    effect: Effect | None = KEPT if text.startswith(("<?", "<!"), end) else None
    t.drop("assumed-junk", number_of(length, "character"), end, effect)
    return True


def junk_length(text: str, *, at_end: bool) -> int:
    """Return the number of characters before the document; 0 if there is no junk, or no document after it.

    The text begins with the first tag.
    """
    for pattern in (_DECLARATION, _DOCTYPE):
        found = next(_found(pattern, text), None)
        if found:
            names = [tag["name"] for tag in _tags(text[: found.start()])]
            is_junk = all(name.lower() in HTML_JUNK for name in names)
            is_before = not at_end or any(not tag["end"] for tag in _tags(text[found.start() :]))
            return found.start() if is_junk and is_before else 0
    tags = _tags(text)
    open_names: list[str] = []
    ended = {tag["name"].lower() for tag in tags if tag["end"]}
    void = (HTML_VOID if at_end else _NEVER_ROOT) - ended
    for index, tag in enumerate(tags):
        name = tag["name"].lower()
        if name not in HTML_JUNK:
            is_before = not (open_names or tag["end"]) and _is_before(text, tags, index, at_end=at_end)
            return tag.start() if is_before else 0
        if tag["end"]:
            if open_names:
                del open_names[len(open_names) - ended_by(name, open_names) :]
        elif name not in void and not tag[0].endswith("/>"):
            open_names.append(name)
    return 0


def _is_before(text: str, tags: list[re.Match[str]], index: int, *, at_end: bool) -> bool:
    """Return whether no part of the document precedes the start tag at an index of `tags`.

    The text before it reads as a message, or has only addresses; or one longer element follows, up to the end of the
    document.
    """
    tag = tags[index]
    before = text[: tag.start()]
    if not index or _MESSAGE.search(_MARKUP.sub(" ", before)):
        return True
    if len(text) - tag.start() <= len(before):
        return False
    name, end = tag["name"], tags[-1]
    level = 0
    for other in tags[index:]:
        if other["name"] == name and not other[0].endswith("/>"):
            level += -1 if other["end"] else 1
            if level <= 0 and other is not end:
                return False
    if not at_end:
        return level > 0
    return end["name"] == name and bool(end["end"]) and not text[end.end() :].strip(WHITE_SPACE)


def _found(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of a pattern outside of closed comments, CDATA sections and processing instructions."""
    unended = set()
    place = 0
    while match := pattern.search(text, place):
        place = match.end()
        opening = match["opening"]
        if opening is None:
            yield match
        elif opening not in unended:
            terminator = _TERMINATORS[opening]
            end = text.find(terminator, place)
            if end < 0:
                unended.add(opening)
            else:
                place = end + len(terminator)


def _tags(text: str) -> list[re.Match[str]]:
    """Return the tags in a text, without addresses, which look like tags with wrong names and have no end tags."""
    tags = list(_found(_TAG, text))
    ended = {tag["name"] for tag in tags if tag["end"]}
    return [tag for tag in tags if tag["name"] in ended or not NOT_A_NAME.search(tag["name"])]
