"""The lane itself: what it asks, and what it hands on."""

import re
from itertools import count
from typing import Final, Protocol

from xml5tree.dtd.attributes import DeclaredAttributes
from xml5tree.fastpath.defaults import DeclaredTags
from xml5tree.fastpath.scan import find_stretch
from xml5tree.fastpath.tags import LEAF, measure, nesting, surely_open
from xml5tree.tree.namespaces import Namespaces

__all__ = ["CleanLane"]

#: Characters, or bytes, that are not worth asking expat about, which takes as long as the states do for so many.
_FEW: Final = 128
#: Short stretches, one after the other, show that faults are dense here. The states alone are up to twice as fast then,
#: so the lane rests for some characters.
_SHORT: Final = 128
_SHORT_IN_A_ROW: Final = 4
_REST: Final = 1024
#: Open elements that a stretch may end, and characters of their names. Expat reads these names before each stretch, as
#: it does the prefixes in scope; if they could be of any length, time would grow with their length times the stretches.
_MOST_ENDED: Final = 6
_MOST_NAMES: Final = 1024
#: Characters of the prefixes in scope.
_MOST_PREFIXES: Final = 2048
#: Names for the element around a stretch, which no end tag in the document may have, and those that one has.
_WRAPPER: Final = "xml5tree%08d"
_WRAPPER_ENDS: Final = re.compile(rb"</xml5tree([0-9]{8})")


class TreeConstruction(Protocol):
    """What the lane asks of tree construction, and tells it.

    Attributes:
        namespaces: the scopes of the open elements.
        declared: what the attribute declarations of the DOCTYPE do to elements.
    """

    namespaces: Namespaces
    declared: DeclaredAttributes

    def may_take_clean_stretch(self) -> bool:
        """Whether content can be written as it stands here."""

    def clean_elements(self, most: int, characters: int) -> list[str]:
        """Different names of the innermost open elements whose end tags can be written as they stand; not the root.

        Args:
            most: how many there may be.
            characters: how many characters they may have together.
        """

    def levels_left(self) -> int:
        """How many more elements can be open at a time before the depth matters."""

    def append_clean_stretch(self, markup: bytes, length: int, ended: int, opened: list[str]) -> None:
        """Write a stretch of content that ends before or after a tag, a comment or the like."""


class CleanLane:
    """The lane of one document. It works where an element is open."""

    def __init__(self, builder: TreeConstruction) -> None:
        self._builder = builder
        self._version = -1  # of the namespaces in scope that the wrapper is for
        self._wrapper: bytes | None = None  # its start tag; None where the lane is closed
        self._wrapper_name = _WRAPPER % 0
        self._loaded = ("", "", b"")  # see `load`
        self._source: _Source | None = None  # made of that when it is first asked about
        self._tags = DeclaredTags(b"", 0, builder.declared)
        self._odd_place = 0  # in the source, before which there is only text and the start of a token
        self._short = 0  # short stretches since a longer one
        self._rest_end = 0  # in the text, up to which the lane rests
        self._reach = 0  # bytes of the source in which elements do not nest too deep

    def load(self, text: str, chunk: str, utf8: bytes) -> None:
        """Go on to another text, which ends in a chunk that is also there in UTF-8, so that it is not encoded twice."""
        self._loaded = (text, chunk, utf8)
        self._source = None

    def take(self, start: int) -> int:
        """Take what is clean in the text, which is in the data state at `start`; where that ends."""
        text = self._loaded[0]
        builder = self._builder
        if len(text) - start < _FEW or not builder.may_take_clean_stretch():
            return start
        if builder.namespaces.version != self._version:
            self._version = builder.namespaces.version
            self._wrapper = self._make_wrapper()
        if self._wrapper is None:
            return start
        source = self._source
        if source is None:
            source = self._source = _Source(*self._loaded)
            self._tags = DeclaredTags(source.data, source.go_to(start), builder.declared)
            self._odd_place = self._rest_end = 0
            self._reach = len(source.data)
        place = source.go_to(start)
        if place < self._odd_place or start < self._rest_end:
            return start
        data = source.data
        stop = min(self._tags.next_to_rewrite(place), place + self._reach)
        open_names = builder.clean_elements(_MOST_ENDED, _MOST_NAMES)
        open_tags = f"<{'><'.join(open_names)}>".encode() if open_names else b""
        levels_left = builder.levels_left()
        while stop - place >= _FEW:
            end, odd_place, tags, has_tags_only = find_stretch(data, place, stop, self._wrapper + open_tags)
            if end == place:
                self._odd_place = odd_place
                self._rest_after(start, 0)
                break
            deeper, levels, tags = measure(tags)
            if levels > levels_left:
                levels = 1 + measure(LEAF.sub(b"", tags))[1]
            still_open = surely_open(tags, [self._wrapper_name, *open_names])
            if not still_open:  # nor perhaps the wrapper, behind which the rest was read as something else
                self._wrapper_name = _unused_name(data)
                self._wrapper = self._make_wrapper()
                assert self._wrapper is not None  # nothing else has changed
            elif levels > levels_left:
                self._reach = (end - place) // 2
                stop = place + self._reach
            else:
                self._odd_place = odd_place
                markup = self._tags.with_defaults(data[place:end], has_tags_only)
                if markup is None:
                    break
                ended, opened = nesting(tags, deeper, 1 + len(open_names) - still_open)
                length = source.characters(end)
                builder.append_clean_stretch(markup, length, ended, opened)
                self._rest_after(start + length, length)
                self._reach = min(2 * self._reach, len(data))
                return start + length
        return start

    def _rest_after(self, end: int, length: int) -> None:
        """Rest behind a stretch of some length if it and those before it are too short."""
        self._short = self._short + 1 if length < _SHORT else 0
        if self._short >= _SHORT_IN_A_ROW:
            self._rest_end = end + _REST

    def _make_wrapper(self) -> bytes | None:
        """The start tag of the element around a stretch."""
        uris = self._builder.namespaces.clean_prefixes()
        if uris is None or sum(map(len, uris)) > _MOST_PREFIXES:
            return None
        numbers = {uri: number for number, uri in enumerate(uris.values())}  # which expat reads faster
        declarations = [f" xmlns:{prefix}='{numbers[uri]}'" for prefix, uri in uris.items() if prefix != "xml"]
        return f"<{self._wrapper_name}{''.join(declarations)}>".encode()


def _unused_name(data: bytes) -> str:
    """A name for the wrapper that no end tag has."""
    used = set(_WRAPPER_ENDS.findall(data))
    return next(_WRAPPER % number for number in count() if b"%08d" % number not in used)


class _Source:
    """A text that is being read, and the same in UTF-8."""

    def __init__(self, text: str, chunk: str, utf8: bytes) -> None:
        self.text = text
        self.data = text[: len(text) - len(chunk)].encode() + utf8
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
