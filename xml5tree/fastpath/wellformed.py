"""Finds by expat how far a document has no errors."""

# Expat reads the document as the content of an element in which the same prefixes are declared and the same elements
# are open. There are almost no handlers, so it is several times as fast as where it builds a tree. It stops at the
# first error and reports its place. The run ends there, or earlier where there is something that the fast path does not
# handle, such as a namespace declaration.

import re
from typing import Final, NamedTuple
from xml.parsers.expat import ExpatError, ParserCreate

from xml5tree.fastpath.tags import TAG

__all__ = ["WellFormed", "find_well_formed"]

#: Bytes that expat gets first, and then at a time. They are small, because expat reads on where something is for the
#: states, and because the token with an error is looked for in the last of them. It gets more only where a token is
#: longer.
_FIRST_WINDOW: Final = 1024
_WINDOW: Final = 4096
_GROWTH: Final = 4
#: Makes expat look at namespaces; it refuses those that have the character in their names, which none can have.
_SEPARATOR: Final = "\f"
#: Whether expat may leave something unread that is complete.
_CAN_DEFER: Final = hasattr(ParserCreate(), "SetReparseDeferralEnabled")

#: Processing instructions that the states read, as they may have to be written differently.
_FOR_STATES: Final = re.compile(rb"<\?(?![A-Za-z_][A-Za-z0-9_.\-]*+(?:[ \t\n?]|\Z))")
#: The openings of comments and CDATA sections, their lengths, and the terminators.
_NO_TAGS: Final = {b"<!-": (4, b"-->"), b"<![": (9, b"]]>")}
_PROCESSING_INSTRUCTION: Final = (2, b"?>")
_LONG_TOKEN: Final = re.compile(rb"(?s:<!--.*?-->|<\?.*?\?>)|" + TAG.pattern)
_NO_TAG_START: Final = re.compile(rb"<[!?]")


class WellFormed(NamedTuple):
    """A part of the document that expat found well-formed."""

    end: int
    resume: int  # text, and the start of the token that the states must read, come up to here
    tags: bytes  # the part without its comments, CDATA sections and processing instructions
    has_tags_only: bool  # the part has no comments, CDATA sections and processing instructions


class _Fault(NamedTuple):
    """Where expat found the first error of a part, or something that the states must read."""

    # The start of the faulty token, or a place within it. Without a fault, the start of the last token if that is not
    # complete, else the end of the part.
    place: int
    token: int  # the start of an earlier token, a window at most before
    # The starts of the comments, CDATA sections and processing instructions before `place`. The last one may be
    # incomplete.
    no_tags: list[int]


def find_well_formed(data: bytes, start: int, stop: int, context: bytes) -> WellFormed:
    """Return the longest well-formed part from `start` on, up to `stop`; expat reads `context` before it."""
    fault = _find_fault(data, start, stop, context)
    end, tags = _complete_markup(data, start, fault)
    return WellFormed(end, fault.place, tags, not fault.no_tags)


def _find_fault(data: bytes, start: int, stop: int, context: bytes) -> _Fault:
    parser = ParserCreate("utf-8", _SEPARATOR)
    if _CAN_DEFER:
        parser.SetReparseDeferralEnabled(False)
    try:
        parser.Parse(context)
    except ExpatError:  # a name that only later editions of XML allow
        return _Fault(start, start, [])
    faults: list[int] = []
    no_tags: list[int] = []
    parser.StartNamespaceDeclHandler = lambda prefix, uri: faults.append(parser.CurrentByteIndex)
    parser.CommentHandler = parser.ProcessingInstructionHandler = parser.StartCdataSectionHandler = lambda *data: (
        no_tags.append(parser.CurrentByteIndex)
    )
    before = start - len(context)  # what indices count from
    token = place = start
    size = _FIRST_WINDOW
    seen = 0  # of `no_tags`
    while place < stop and not faults:
        end = min(place + size, stop)
        if size > _WINDOW:
            end = _end_of_token(data, token, place, end)
        try:
            parser.Parse(data[place:end])
        except ExpatError:
            faults.append(parser.ErrorByteIndex)
        for index in no_tags[seen:]:
            if _FOR_STATES.match(data, before + index):
                faults.append(index)
                break
        if not faults:
            if size < _WINDOW or token == before + parser.CurrentByteIndex:  # or a long token, which is read anew
                size *= _GROWTH
            else:
                size = _WINDOW  # after a long token
            token = before + parser.CurrentByteIndex
        seen = len(no_tags)
        place = end
    # They refer to the parser, which would live until the next garbage collection.
    parser.StartNamespaceDeclHandler = parser.CommentHandler = None
    parser.ProcessingInstructionHandler = parser.StartCdataSectionHandler = None
    fault = before + min(faults) if faults else token
    return _Fault(fault, token, [before + index for index in no_tags if before + index < fault])


def _end_of_token(data: bytes, token: int, place: int, end: int) -> int:
    """Return the end of a long token that expat has read up to `place`; `end` if that is not in sight."""
    # Expat gets no more than the token. For each attribute with a prefix declared there, expat copies the namespace
    # name, so the time for what follows would grow with the length of the name.
    whole = _LONG_TOKEN.match(data, token, end)
    return whole.end() if whole and whole.end() > place else end


def _complete_markup(data: bytes, start: int, found: _Fault) -> tuple[int, bytes]:
    """Return the end of complete tokens before a fault, and them without comments, CDATA sections and instructions."""
    fault, token, no_tags = found
    finished: list[bytes] = []
    place = start
    for no_tag in no_tags:
        length, terminator = _NO_TAGS.get(data[no_tag : no_tag + 3], _PROCESSING_INSTRUCTION)
        end = data.find(terminator, no_tag + length, fault)
        if end < 0:
            end = no_tag
            break
        finished.append(data[place:no_tag])
        place = end + len(terminator)
    else:
        token = max(token, place)
        no_tag_start = _NO_TAG_START.search(data, token, fault)
        end = no_tag_start.start() if no_tag_start else data.rfind(b"<", token, fault)
        if not no_tag_start:
            tag = TAG.match(data, end, fault) if end >= 0 else None
            if tag or end < 0:
                end = _complete_text(data, tag.end() if tag else token, fault)
    return end, b"".join([*finished, data[place:end]])


def _complete_text(data: bytes, start: int, end: int) -> int:
    """Return the end of text before what may become a reference or "]]>"."""
    ampersand = data.rfind(b"&", start, end)
    if ampersand >= 0 and data.find(b";", ampersand, end) < 0:
        return ampersand
    return start + len(data[start:end].rstrip(b"]"))
