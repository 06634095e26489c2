"""The clean lane: stretches of the document that are beyond doubt free of errors are written as they stand.

The states alone define behaviour. Whatever the lane takes, they would write just so, without an error; at the least
doubt it takes nothing. It can be switched off, and tests hold the two ways equal.

Whether a stretch is free of errors is asked of expat, which reads it as the content of an element in which the same
prefixes are declared and the same elements are open, and almost without handlers, so at several times the speed at
which it builds a tree. It stops at the first error and says where that is. The stretch ends there, or earlier where
there is something that is no affair of the lane, such as a namespace declaration.

The lane works on UTF-8, as expat does and as markup is written.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import starmap
from typing import Final
from xml.parsers.expat import ExpatError, ParserCreate

from xml5tree.declared import DeclaredAttributes, cost_of
from xml5tree.markup import written_attribute
from xml5tree.treebuilder import TreeBuilder

__all__ = ["CleanLane"]

#: Characters that are not worth asking expat about, which takes as long as the states do for so many.
_FEW: Final = 128
#: Stretches of fewer characters than that, one after the other, which show that faults are dense here. The states alone
#: are up to twice as fast then, so the lane rests for some characters.
_SHORT_IN_A_ROW: Final = 4
_REST: Final = 1024
#: Bytes that expat gets at a time. The token with an error is looked for in the last of them.
_WINDOW: Final = 4096
#: Bytes at the end of a stretch in which is looked first for what is open there, then in more and more.
_FIRST_TAIL: Final = 256
_GROWTH: Final = 4
#: Open elements that a stretch may end.
_MOST_ENDED: Final = 6

#: Makes expat look at namespaces; it refuses those that have the character in their names, which none can have.
_SEPARATOR: Final = "\f"
#: Whether expat may leave something unread that is complete.
_CAN_DEFER: Final = hasattr(ParserCreate(), "SetReparseDeferralEnabled")
#: Elements with attribute declarations that a pattern is made for.
_MOST_DECLARED: Final = 100

#: The element around a stretch.
_WRAPPER: Final = "xml5tree"
_WRAPPER_END: Final = f"</{_WRAPPER}".encode()
#: Comments and the like that are the states' affair: empty CDATA sections, which are not written (E11 of D-001), and
#: processing instructions that may have to be written otherwise.
_FOR_STATES: Final = re.compile(rb"<!\[CDATA\[\]\]>|<\?(?![A-Za-z_][A-Za-z0-9_.\-]*+(?:[ \t\n?]|\Z))")
#: What comments and CDATA sections begin with, the length of that, and what they end with.
_NO_TAGS: Final = {b"<!-": (4, b"-->"), b"<![": (9, b"]]>")}
_PROCESSING_INSTRUCTION: Final = (2, b"?>")

# Of text that is known to be well-formed. No repetition is undone, so that a failure costs no second try.
_NO_TAG: Final = re.compile(
    rb"<(?:!--[^-]*+(?:-(?!->)[^-]*+)*+-->|!\[CDATA\[[^\]]*+(?:\](?!\]>)[^\]]*+)*+\]\]>|\?[^?]*+(?:\?(?!>)[^?]*+)*+\?>)"
)
_NO_TAG_START: Final = re.compile(rb"<[!?]")
_TAG_REST: Final = b"[^<>\"']*+(?:\"[^<\"]*+\"[^<>\"']*+|'[^<']*+'[^<>\"']*+)*+>"
_TAG: Final = re.compile(b"<" + _TAG_REST)
_VALUE: Final = re.compile(b"\"[^\"]*+\"|'[^']*+'")
_ATTRIBUTE: Final = re.compile(b"[ \t\n]([^ \t\n=]++)[ \t\n]*+=[ \t\n]*+(?:\"[^\"]*+\"|'[^']*+')")
_NOT_MARKS: Final = bytes(code for code in range(0x100) if code not in b"<>/\"'")
# Of text in which each ">" ends a tag.
_LEAF: Final = re.compile(b"<(?!/)[^>]*+>(?:(?<=/>)|[^<]*+</[^>]*+>)")
_TAG_NAME: Final = re.compile(b"[^ \t\n/>]++")
_SLASH: Final = ord("/")
_STARTED: Final = re.compile(b"<([^ \t\n/>]++)")
#: The rest of a tag in whose attribute values no white space is to collapse; when in doubt, not.
_COLLAPSED_REST: Final = (
    b'(?:[ \t\n][^ \t\n=<>"\'/]++=(?:"(?![ \t\n])(?:[^"<&\t\n ]++|[ \t\n](?![" \t\n])|&(?!#))*+"'
    b"|'(?![ \t\n])(?:[^'<&\t\n ]++|[ \t\n](?![' \t\n])|&(?!#))*+'))*+[ \t\n]?/?>"
)


class CleanLane:
    """The lane of one document. It works where an element is open."""

    def __init__(self, builder: TreeBuilder) -> None:
        self._builder = builder
        self._version = -1  # of the namespaces in scope that the wrapper is for
        self._wrapper: bytes | None = None  # its start tag; None where the lane is closed
        self._source = _Source("", b"")
        self._announced = ("", b"")
        self._tags = _DeclaredTags(b"", 0, builder.declared)
        self._odd_place = 0  # in the source, before which there is only text and the start of a token
        self._short = 0  # short stretches since a longer one
        self._rest_end = 0  # in the text, up to which the lane rests
        self._reach = 0  # bytes of the source in which elements do not nest too deep

    def announce(self, text: str, data: bytes) -> None:
        """Tell what texts to come will end in, and the same in UTF-8, so that it is not encoded again."""
        self._announced = (text, data)

    def take(self, text: str, start: int) -> int:
        """Take what is clean in `text`, which is in the data state at `start`; where that ends."""
        builder = self._builder
        if len(text) - start < _FEW or not builder.may_take_clean_stretch():
            return start
        if builder.namespaces.version != self._version:
            self._version = builder.namespaces.version
            self._wrapper = self._make_wrapper()
        if self._wrapper is None:
            return start
        source = self._source
        if text is not source.text:
            source = self._source = self._make_source(text)
            self._tags = _DeclaredTags(source.data, source.go_to(start), builder.declared)
            self._odd_place = self._rest_end = 0
            self._reach = len(source.data)
        place = source.go_to(start)
        if place < self._odd_place or start < self._rest_end:
            return start
        data = source.data
        stop = min(self._tags.next_to_rewrite(place), place + self._reach)
        open_names = builder.clean_elements(_MOST_ENDED)
        context = self._wrapper + f"<{'><'.join(open_names)}>".encode() if open_names else self._wrapper
        levels_left = builder.levels_left()
        while stop - place >= _FEW:
            odd_place, tokens, no_tags = _find_odd(data, place, stop, context)
            end, tags = _complete_markup(data, place, odd_place, tokens, no_tags)
            if end == place:
                self._odd_place = odd_place
                break
            deeper, levels, tags = _measure(tags)
            if levels > levels_left:
                levels = 1 + _measure(_LEAF.sub(b"", tags))[1]
            if deeper + len(open_names) < 0:  # the wrapper has been ended
                stop = data.index(_WRAPPER_END, place)
            elif levels > levels_left:
                self._reach = (end - place) // 2
                stop = place + self._reach
            else:
                self._odd_place = odd_place
                markup = self._tags.with_defaults(data[place:end], all_are_tags=not no_tags)
                if markup is None:
                    break
                ended, opened = _nesting(tags, deeper, open_names)
                length = source.characters(end)
                builder.append_clean_stretch(markup, length, ended, opened)
                self._short = self._short + 1 if length < _FEW else 0
                if self._short >= _SHORT_IN_A_ROW:
                    self._rest_end = start + length + _REST
                return start + length
        return start

    def _make_source(self, text: str) -> "_Source":
        end, encoded_end = self._announced
        if not text.endswith(end):
            return _Source(text, text.encode())
        return _Source(text, text[: len(text) - len(end)].encode() + encoded_end)

    def _make_wrapper(self) -> bytes | None:
        """The start tag of the element around a stretch."""
        uris = self._builder.namespaces.clean_prefixes()
        if uris is None:
            return None
        numbers = {uri: number for number, uri in enumerate(uris.values())}  # which expat reads faster
        declarations = [f" xmlns:{prefix}='{numbers[uri]}'" for prefix, uri in uris.items() if prefix != "xml"]
        return f"<{_WRAPPER}{''.join(declarations)}>".encode()


class _Source:
    """A text that is being read, and the same in UTF-8."""

    def __init__(self, text: str, data: bytes) -> None:
        self.text = text
        self.data = data
        self._is_ascii = len(text) == len(self.data)
        self._start = 0  # the place in the text that was gone to last,
        self._place = 0  # and in the data

    def go_to(self, start: int) -> int:
        """The place in the data of one in the text; none before it is asked for again."""
        if self._is_ascii:
            self._place = start
        elif start != self._start:
            self._place += len(self.text[self._start : start].encode())
            self._start = start
        return self._place

    def characters(self, end: int) -> int:
        """How many characters there are from the last place to one in the data."""
        return end - self._place if self._is_ascii else len(self.data[self._place : end].decode())


class _DeclaredTags:
    """The tags in a text, which is being read, that their declarations may change."""

    def __init__(self, data: bytes, start: int, declared: DeclaredAttributes) -> None:
        self._data = data
        self._declared = declared
        self._place = start - 1  # of the next that has to be written anew
        extended, rewritten = declared.extended, declared.rewritten
        if len(extended) + len(rewritten) > _MOST_DECLARED:
            names = {name.decode() for name in _STARTED.findall(data, start)}
            extended, rewritten = extended & names, rewritten & names
        self._is_closed = len(extended) + len(rewritten) > _MOST_DECLARED
        #: What is added to a tag whose name and attributes have these names, and what that costs.
        self._defaults: dict[tuple[bytes, ...], tuple[bytes, int]] = {}
        self._cost = 0  # of what is added to a stretch
        self._extended = b""  # patterns; empty where nothing is to be looked for
        self._rewritten = b""
        if extended and not self._is_closed:
            self._extended = b"<(?P<name>%b)%b" % (_any_of(extended), _TAG_REST)
        if rewritten and not self._is_closed:
            always, perhaps = rewritten - declared.collapsed, rewritten & declared.collapsed
            self._rewritten = b"<(?:%b|%b(?!%b))" % (_any_of(always), _any_of(perhaps), _COLLAPSED_REST)

    def next_to_rewrite(self, start: int) -> int:
        """Where the next tag from `start` on is that has to be written anew; the end of the text if there is none."""
        if self._is_closed:
            return start
        if self._place < start:
            found = _compile(self._rewritten).search(self._data, start) if self._rewritten else None
            self._place = found.start() if found else len(self._data)
        return self._place

    def with_defaults(self, markup: bytes, all_are_tags: bool) -> bytes | None:
        """A stretch with the attributes that its elements have by default; None where the budget may not hold them.

        Args:
            markup: the stretch.
            all_are_tags: whether there are neither comments, CDATA sections nor processing instructions in it.
        """
        if not self._extended:
            return markup
        pattern = _compile(self._extended if all_are_tags else b"%b|%b" % (self._extended, _NO_TAG.pattern))
        self._cost = 0
        markup = pattern.sub(self._add_defaults, markup)
        budget = self._declared.budget
        self._is_closed = not budget.holds(self._cost)  # what else it may hold depends on the place of each tag
        return markup if not self._is_closed and budget.charge(self._cost) else None

    def _add_defaults(self, found: re.Match[bytes]) -> bytes:
        tag, name = found.group(0, "name")
        if not name or not self._declared.budget.holds(self._cost):
            return tag
        names = (name, *_ATTRIBUTE.findall(tag))
        if names not in self._defaults:
            element, *present = [name.decode() for name in names]
            lacking = self._declared.lacking(element, present)
            self._defaults[names] = _written(lacking), sum(starmap(cost_of, lacking.items()))
        defaults, cost = self._defaults[names]
        self._cost += cost
        end = -2 if tag[-2] == _SLASH else -1
        return tag[:end] + defaults + tag[end:]


def _written(attributes: Mapping[str, str]) -> bytes:
    """Attributes as they are written in a tag."""
    return "".join(starmap(written_attribute, attributes.items())).encode()


def _any_of(names: frozenset[str]) -> bytes:
    """The pattern of a whole name that is one of these."""
    return f"(?:{'|'.join(map(re.escape, sorted(names))) or '(?!)'})(?=[ \t\n/>])".encode()


@lru_cache(maxsize=16)
def _compile(pattern: bytes) -> re.Pattern[bytes]:
    """As `re.compile`, for patterns that fit many blocks and perhaps many documents."""
    return re.compile(pattern)


def _find_odd(data: bytes, start: int, stop: int, context: bytes) -> tuple[int, int, list[int]]:
    """Where expat finds the first error, or something for the states, in a part of the data.

    Args:
        data: the data.
        start: where the part begins.
        stop: where it ends.
        context: what expat reads before it.

    Returns:
        The start of the token that this is about, or a place within it; where there is nothing, the start of the last
        token, if that is not complete, or the end. Then, where a token before that begins, a window at most away. Then
        where comments, CDATA sections and processing instructions begin that are complete, and perhaps the last one.
    """
    parser = ParserCreate("utf-8", _SEPARATOR)
    if _CAN_DEFER:
        parser.SetReparseDeferralEnabled(False)
    try:
        parser.Parse(context)
    except ExpatError:  # a name that only later editions of XML allow
        return start, start, []
    odd: list[int] = []
    no_tags: list[int] = []
    parser.StartNamespaceDeclHandler = lambda prefix, uri: odd.append(parser.CurrentByteIndex)
    parser.CommentHandler = parser.ProcessingInstructionHandler = parser.StartCdataSectionHandler = lambda *data: (
        no_tags.append(parser.CurrentByteIndex)
    )
    before = start - len(context)  # what indices count from
    token = place = start
    size = _WINDOW
    while place < stop and not odd:
        end = min(place + size, stop)
        try:
            parser.Parse(data[place:end])
        except ExpatError:
            odd.append(parser.ErrorByteIndex)
        if not odd:
            if token == before + parser.CurrentByteIndex:  # a long token, which is read anew each time
                size *= _GROWTH
            token = before + parser.CurrentByteIndex
        place = end
    # They refer to the parser, which would live until the next garbage collection.
    parser.StartNamespaceDeclHandler = parser.CommentHandler = None
    parser.ProcessingInstructionHandler = parser.StartCdataSectionHandler = None
    odd_place = before + odd[0] if odd else token
    places: list[int] = []
    for index in no_tags:
        place = before + index
        if place >= odd_place:
            break
        places.append(place)
        if _FOR_STATES.match(data, place):
            odd_place = place
            break
    return odd_place, token, places


def _complete_markup(data: bytes, start: int, odd_place: int, token: int, no_tags: list[int]) -> tuple[int, bytes]:
    """How much of a span, well-formed but for its last token, is surely not of that; see `_find_odd`.

    Returns:
        Where that ends, and it without its comments, CDATA sections and processing instructions.
    """
    finished: list[bytes] = []
    place = start
    for no_tag in no_tags:
        length, terminator = _NO_TAGS.get(data[no_tag : no_tag + 3], _PROCESSING_INSTRUCTION)
        end = data.find(terminator, no_tag + length, odd_place)
        if end < 0:
            end = no_tag
            break
        finished.append(data[place:no_tag])
        place = end + len(terminator)
    else:
        token = max(token, place)
        no_tag_start = _NO_TAG_START.search(data, token, odd_place)
        end = no_tag_start.start() if no_tag_start else data.rfind(b"<", token, odd_place)
        if not no_tag_start:
            tag = _TAG.match(data, end, odd_place) if end >= 0 else None
            if tag or end < 0:
                end = _complete_text(data, tag.end() if tag else token, odd_place)
    return end, b"".join([*finished, data[place:end]])


def _complete_text(data: bytes, start: int, end: int) -> int:
    """Where text ends without what a reference or "]]>" may come of."""
    ampersand = data.rfind(b"&", start, end)
    if ampersand >= 0 and data.find(b";", ampersand, end) < 0:
        return ampersand
    return start + len(data[start:end].rstrip(b"]"))


def _measure(tags: bytes) -> tuple[int, int, bytes]:
    """What well-formed tags come to.

    Returns:
        How many levels deeper they lead, how many at most in between, and the tags with no ">" left within them.
    """
    marks = tags.translate(None, _NOT_MARKS)
    if marks.count(b"<") != marks.count(b">"):
        tags = _VALUE.sub(b"''", b"".join(_TAG.findall(tags)))
        marks = tags.translate(None, _NOT_MARKS)
    ends = tags.count(b"</")
    marks = marks.replace(b"</>", b")")  # end tags, and empty ones without attributes
    empty = marks.count(b")") - ends
    starts = marks.count(b"<") - marks.count(b"/>")
    leaves = marks.count(b">)") - marks.count(b"/>)") - empty  # surely, of elements that have a start tag
    return starts - ends, starts - leaves + 1, tags


def _nesting(tags: bytes, deeper: int, open_names: list[str]) -> tuple[int, list[str]]:
    """What well-formed tags, which lead so many levels deeper, do to the elements that are open before them.

    An element whose end tag is not there is still open. The levels above those are of elements that the last tags
    opened, and no more of the tags is looked at than shows them.

    Returns:
        How many of the open elements they end, and the names of those that they open and do not end.
    """
    kept = len(open_names)
    while kept and f"</{open_names[kept - 1]}".encode() in tags:
        kept -= 1
    unknown = len(open_names) + deeper - kept
    opened: list[str] = []
    ended = 0
    end = len(tags)
    size = _FIRST_TAIL
    while len(opened) < unknown and end:
        start = max(tags.rfind(b"<", 0, max(end - size, 1)), 0)
        tail = tags[start:end]
        if size > _FIRST_TAIL:  # it costs less to take elements out so
            tail = _LEAF.sub(b"", _LEAF.sub(b"", tail))
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
    return len(open_names) - kept - (unknown - len(opened)), opened


def _name_of(tag: bytes) -> str:
    """The name in a start tag without its first character."""
    found = _TAG_NAME.match(tag)
    assert found is not None  # it is a tag
    return found[0].decode()
