"""Counts the effect of tags on the open elements."""

import re
from itertools import accumulate
from typing import Final

__all__ = ["TAG", "TAG_REST", "deepest", "measure", "nesting", "surely_open"]

#: Bytes at the end of the tags in which open elements are looked for first; then in ever more.
_FIRST_TAIL: Final = 256
_GROWTH: Final = 4

# All repetitions are possessive: they never backtrack.
#: A tag without the start of its name, and a whole tag.
TAG_REST: Final = b"[^<>\"']*+(?:\"[^<\"]*+\"[^<>\"']*+|'[^<']*+'[^<>\"']*+)*+>"
TAG: Final = re.compile(b"<" + TAG_REST)
#: An element without others in it, in tags in which each ">" ends one.
LEAF: Final = re.compile(b"<(?!/)[^>]*+>(?:(?<=/>)|[^<]*+</[^>]*+>)")
_VALUE: Final = re.compile(b"\"[^\"]*+\"|'[^']*+'")
_NAME: Final = re.compile(b"[^ \t\n/>]++")
_NOT_MARKS: Final = bytes(code for code in range(0x100) if code not in b"<>/\"'")
_SLASH: Final = ord("/")
#: The replacements of "/>" and "</" when levels are counted, and of all other characters, which do not count.
_EMPTY: Final = b"\x01"
_END: Final = b"\x02"
_NO_LEVELS: Final = bytes(code for code in range(0x100) if code not in b"<>" + _EMPTY + _END)
#: The levels that a tag leads deeper, by its replacement.
_LEVELS: Final = {ord("("): 1, ord(")"): -1}


def measure(tags: bytes) -> tuple[int, int, bytes]:
    """Return how many levels deeper well-formed tags lead, an upper bound for the depth on the way, and the tags.

    In the returned tags, each ">" ends a tag: there is none in a value or in text.
    """
    marks = tags.translate(None, _NOT_MARKS)
    if marks.count(b"<") != marks.count(b">"):
        tags = _VALUE.sub(b"''", b"".join(TAG.findall(tags)))
        marks = tags.translate(None, _NOT_MARKS)
    ends = tags.count(b"</")
    marks = marks.replace(b"</>", b")")  # end tags, and empty ones without attributes
    empty = marks.count(b")") - ends
    starts = marks.count(b"<") - marks.count(b"/>")
    leaves = marks.count(b">)") - marks.count(b"/>)") - empty  # surely, of elements that have a start tag
    return starts - ends, starts - leaves + 1, tags


def deepest(tags: bytes) -> int:
    """Return how many levels deeper well-formed tags, as `measure` gives them, lead at most."""
    marks = tags.replace(b"</", _END).replace(b"/>", _EMPTY).translate(None, _NO_LEVELS)
    steps = marks.replace(b"<>", b"(").replace(_END + b">", b")").replace(b"<" + _EMPTY, b"()")
    return max(accumulate(map(_LEVELS.__getitem__, steps), initial=0))


def surely_open(tags: bytes, names: list[str]) -> int:
    """Return how many elements with these names, open before well-formed tags, surely are open after them."""
    # An element is still open if its end tag is not there, and then so are those around it.
    still_open = len(names)
    while still_open and f"</{names[still_open - 1]}".encode() in tags:
        still_open -= 1
    return still_open


def nesting(tags: bytes, deeper: int, unsure: int) -> tuple[int, list[str]]:
    """Return how many open elements well-formed tags end, and the names of those that they open and do not end.

    The tags lead `deeper` levels deeper, and may end `unsure` of the open elements; all others surely stay open.
    """
    # So `unsure + deeper` elements inside those are open after the tags. The last tags tell which ones they are, so the
    # tags are read from their end, and no more than needed.
    unknown = unsure + deeper
    opened: list[str] = []
    ended = 0
    end = len(tags)
    size = _FIRST_TAIL
    while len(opened) < unknown and end:
        start = max(tags.rfind(b"<", 0, max(end - size, 1)), 0)
        tail = tags[start:end]
        if size > _FIRST_TAIL:  # it costs less to take elements out so
            tail = LEAF.sub(b"", LEAF.sub(b"", tail))
        for piece in reversed(tail.split(b"<")[1:]):  # a tag without "<", and text
            if piece[0] == _SLASH:
                ended += 1
            elif b"/>" in piece:
                continue
            elif ended:
                ended -= 1
            else:
                opened.append(_name_of(piece))
                if len(opened) == unknown:
                    break
        end = start
        size *= _GROWTH
    opened.reverse()
    return unsure - (unknown - len(opened)), opened


def _name_of(tag: bytes) -> str:
    found = _NAME.match(tag)
    assert found is not None  # it is a tag
    return found[0].decode()
