"""What a server or a script has written before the document (R-028)."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from xml5tree.dialects.xml5.intent.constants import HTML_JUNK, HTML_VOID, JUNK_REACH
from xml5tree.dialects.xml5.intent.names import NOT_A_NAME
from xml5tree.dialects.xml5.intent.window import NAME
from xml5tree.errors.wording import number_of

if TYPE_CHECKING:
    from xml5tree.dialects.xml5.intent.tokenizer import IntentTokenizer

__all__ = ["junk_length", "pass_junk"]

_FIRST_NAME: Final = re.compile(NAME)
#: What is passed over, if it ends: what it begins with, and what it ends with.
_TERMINATORS: Final = {"<!--": "-->", "<![CDATA[": "]]>", "<?": "?>"}
_OPENING: Final = f"(?P<opening>{'|'.join(map(re.escape, _TERMINATORS))})"
#: A declaration that the document begins with, and tags.
_DECLARATION: Final = re.compile(rf"<\?xml[\t\n ]+version|{_OPENING}")
_DOCTYPE: Final = re.compile(rf"<!DOCTYPE|{_OPENING}")
_TAG: Final = re.compile(rf"<(?P<end>/?)(?P<name>{NAME})[^<>]*+>?|{_OPENING}")
#: Elements without an end tag that begin no document.
_NEVER_ROOT: Final = frozenset({"br", "hr"})
#: Characters of a name that tell what it is.
_LOOKED_AT: Final = 64


def pass_junk(t: "IntentTokenizer") -> bool | None:
    """Drop junk whose first tag begins here; whether there is some, None where more input is needed to tell."""
    if t.policy.has_root or not t.policy.is_on("junk"):
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
    t.drop("assumed-junk", number_of(length, "character"), position - 1 + length)
    return True


def junk_length(text: str, *, at_end: bool) -> int:
    """How many characters stand before the document; 0 if there is no junk, or no document after it.

    Args:
        text: what begins with the first tag.
        at_end: whether the document ends where the text does.
    """
    for pattern in (_DECLARATION, _DOCTYPE):
        found = next(_found(pattern, text), None)
        if found:
            names = [tag["name"] for tag in _tags(text[: found.start()])]
            return found.start() if all(name.lower() in HTML_JUNK for name in names) else 0
    tags = _tags(text)
    open_names: list[str] = []
    ended = {tag["name"].lower() for tag in tags if tag["end"]}
    void = (HTML_VOID if at_end else _NEVER_ROOT) - ended
    for tag in tags:
        name = tag["name"].lower()
        if name not in HTML_JUNK:
            return 0 if open_names or tag["end"] else tag.start()
        if tag["end"]:
            if name in open_names:
                del open_names[len(open_names) - 1 - open_names[::-1].index(name) :]
        elif name not in void and not tag[0].endswith("/>"):
            open_names.append(name)
    return 0


def _found(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """What a pattern finds outside comments, CDATA sections and processing instructions that end.

    The end of each kind is looked for until it is not found, so that a text of nothing else is not read to its end from
    each of them.
    """
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
    """The tags in a text, without addresses: what looks like a tag with a name that none has, and has no end tag."""
    tags = list(_found(_TAG, text))
    ended = {tag["name"] for tag in tags if tag["end"]}
    return [tag for tag in tags if tag["name"] in ended or not NOT_A_NAME.search(tag["name"])]
