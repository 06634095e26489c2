"""Finds the spans of records by their tags.

The result must not depend on where the part begins, so only nearby bytes count:

* A start tag counts unless a comment, a CDATA section, a processing instruction or a value of another tag hides it.
  These are searched in the window of the document where the tag is, and in those before and after it, as if nothing
  were open at the beginning. One that is larger than a window, or unclosed, hides nothing.
* A record ends with the first end tag that does not end a record within it. With records within it, the search has a
  limit, as has their nesting, since each of them is read once more.
* A record whose end tag is not found ends where the next one begins.

`Sizes` has the limits.
"""

import re
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from xml5tree.accelerator import compiled
from xml5tree.output.places import REST_OF_TAG

if TYPE_CHECKING:
    from xml5tree.ranges.gaps import Gaps


class Sizes(NamedTuple):
    """Limits of the search, in bytes: of a window, of a record with records in it (`reach`), and of any record.

    Records nest at most `deepest` deep in a record.
    """

    window: int = 1 << 20
    reach: int = 1 << 20
    longest: int = 64 << 20
    deepest: int = 16

    def first_window(self, start: int) -> int:
        """Return the offset of the first byte needed for the records from `start` on."""
        return max(0, (start // self.window - 1) * self.window)


SIZES: Final = Sizes()

#: Longest prefix of a tag's name, in bytes.
_LONGEST_PREFIX: Final = 1024
#: Attributes whose values may have "<", and the end of the tag.
_REST_WITH_VALUES: Final = rb"(?>\s+[^\s<>/\"'=&;]+\s*=\s*(?:\"[^\"]*+\"|'[^']*+'))++\s*+/?>"
#: The beginning of a value with "<", up to the "<".
_VALUE: Final = rb"=\s*(?:\"[^\"<]*<|'[^'<]*<)"
OPEN_VALUE: Final = re.compile(_VALUE)
_TAG_WITH_VALUES: Final = re.compile(rb"<[^\s<>/\"'=&;!?]+" + _REST_WITH_VALUES)
#: How constructs that hide tags begin and end.
HIDING_ENDS: Final = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>"}
_SLASH: Final = ord("/")


class Extent(NamedTuple):
    """The bytes of a record."""

    offset: int  # bytes before its start tag
    data: bytes
    start_tag_size: int
    is_whole: bool  # the bytes end with its end tag
    reaches_end: bool  # the document ends with the bytes


class Extents(NamedTuple):
    """Records that end with their end tags, have no records in them, and declare no namespaces in their start tags."""

    # The compiled part of the library finds them, in a fifth of the time that a search for their tags takes.

    offsets: list[int]
    datas: list[bytes]


class Tags:
    """The tags of records."""

    def __init__(self, tag: str, *, as_written: bool = False) -> None:
        """Set the name: ``item``, which is in no namespace, ``{uri}item``, or ``{*}item``, in any.

        With `as_written`, it is ``item`` or ``media:item``, whatever its namespace, or ``{*}item``. Raises `ValueError`
        for an invalid name, and `TypeError` for several.
        """
        if not isinstance(tag, str):
            raise TypeError(f"the records of a range have one name, a str, not {tag!r}")
        # the name as written, with its prefix; the local name if any prefix will do
        namespace, _, self.name = tag.rpartition("}")
        is_written = as_written and not namespace
        self.tag = None if is_written else tag  # the name with its namespace; None: the written name alone decides
        self.any_prefix = bool(namespace)  # any prefix will do
        part = r"[^\s<>/:\"'=&;{}*!?]+"
        if not re.fullmatch(f"{part}(?::{part})?" if is_written else part, self.name) or (
            namespace and (namespace[0] != "{" or (as_written and namespace != "{*"))
        ):
            forms = "'item', 'media:item' or '{*}item'" if as_written else "'item', '{uri}item' or '{*}item'"
            raise ValueError(f"the tag of records is a name such as {forms}, not {tag!r}")
        prefix = rb"(?:[^\s<>/:\"'=&;!?]{1,%d}:)?" % _LONGEST_PREFIX if self.any_prefix else b""
        # matches a tag up to its name; the first group is the slash of an end tag
        self.pattern = re.compile(rb"<(/?)" + prefix + re.escape(self.name.encode()) + rb"(?=[\s/>])")
        self.rest_of_tag = re.compile(REST_OF_TAG + b"|" + _REST_WITH_VALUES)  # matches the tag after its name


#: Most bytes of `Extents`.
_MOST: Final = 1 << 19
#: Longest tag with "<" in its values, in bytes.
_LONGEST_TAG: Final = 1 << 16

#: A tag of a record: the offset of its first byte, that after its last, whether it is an end tag, and an empty tag.
_Tag = tuple[int, int, bool, bool]


class _Open:
    """A record whose end is being searched."""

    __slots__ = ("end", "height", "is_done", "next", "start", "tag_end")

    def __init__(self, start: int, tag_end: int, end: int) -> None:
        self.start = start
        self.tag_end = tag_end
        self.next = -1  # the offset of the next record; -1: unknown
        self.end = end  # the offset of its own end; -1: unknown
        self.height = 0  # how deep records nest in it, so far
        self.is_done = False


class _View:
    """A span of a document's bytes, from the offset `base` on, around the point that the search has reached."""

    def __init__(self, blocks: Iterator[bytes], base: int) -> None:
        self._blocks = blocks
        self.base = base
        self.data = bytearray()
        self.is_all = False  # the document ends with it
        self.known = 0  # no more tags are wanted before this offset
        self.clear = 0  # no tag is hidden between the one that was found last and this offset
        self._values_end = base  # before this offset, no value with "<" begins and gets to its "<"

    @property
    def end(self) -> int:
        return self.base + len(self.data)

    def fill(self, end: int) -> None:
        while not self.is_all and self.end < end:
            block = next(self._blocks, b"")
            self.data += block
            self.is_all = not block

    def drop(self, start: int) -> None:
        if start > self.base:
            del self.data[: start - self.base]
            self.base = start

    def may_hide(self, start: int, end: int) -> bool:
        """Return whether a hiding construct begins between two indices of the data, which never decrease."""
        # A value with "<" that begins before an index, and not before it ends, has the last "<" before it.
        seen = max(self._values_end - self.base, start)
        if OPEN_VALUE.search(self.data, max(self.data.rfind(b"<", start, seen), start), end):
            return True
        self._values_end = self.base + end
        return _contains(self.data, b"!", start, end) or _contains(self.data, b"?", start, end)


def _contains(data: bytearray, mark: bytes, start: int, end: int) -> bool:
    """Return whether a span of the data has ``<`` before a mark; searching a single byte is much faster."""
    found = data.find(mark, start, end)
    return found >= 0 and data.find(b"<" + mark, max(start, found - 1), end) >= 0


def extents(
    blocks: Iterator[bytes],
    tags: Tags,
    start: int = 0,
    end: int | None = None,
    *,
    sizes: Sizes = SIZES,
    gaps: "Gaps | None" = None,
) -> Iterator[Extent | Extents]:
    """Yield the records whose start tags begin between two byte offsets, in the order of their start tags.

    Args:
        blocks: the document in UTF-8, from `Sizes.first_window` of `start` on; no empty blocks.
        tags: the tags of the records.
        start, end: the offsets; None: the end of the document.
        sizes: the limits of the search.
        gaps: checks the bytes between the records.
    """
    view = _View(blocks, sizes.first_window(start))
    waiting: deque[_Open] = deque()  # records whose extents are unknown so far
    stack: deque[_Open] = deque()  # open records
    place = start // sizes.window * sizes.window
    while True:
        view.fill(place + 2 * sizes.window)
        is_beyond = end is not None and place >= end  # then only ends of waiting records matter
        for tag_start, tag_end, is_end_tag, is_empty in _visible_tags(view, tags, place, sizes.window):
            if tag_start < start:
                continue
            if is_end_tag:
                if stack:
                    _close(stack, tag_end)
                continue
            if waiting and waiting[-1].next < 0:
                waiting[-1].next = tag_start
            if is_beyond and not stack:
                break
            if not stack and not is_beyond:
                if waiting:
                    yield from _known_extents(waiting, view, tag_start, sizes, gaps)
                several = _several(view, tags, tag_start, end, sizes)
                if several is not None:
                    _check_gap(gaps, view, tag_start)
                    if gaps is not None:
                        gaps.skip(several.offsets[-1], several.datas[-1])
                    yield several
                    continue
            record = _Open(tag_start, tag_end, tag_end if is_empty else -1)
            if end is None or tag_start < end:
                waiting.append(record)
            if not is_empty:
                stack.append(record)
            elif stack:
                stack[-1].height = max(stack[-1].height, 1)
        place += sizes.window
        is_last = view.is_all and place >= view.end
        seen = view.end if is_last else place
        yield from _known_extents(waiting, view, seen, sizes, gaps, is_last=is_last)
        known = waiting[0].start if waiting else seen if end is None else min(seen, end)
        _check_gap(gaps, view, known, is_record=bool(waiting), more=sizes.window)
        if is_last or (end is not None and place >= end and not waiting):
            return
        while stack and stack[0].is_done:
            stack.popleft()
        view.drop(min(place - sizes.window, waiting[0].start) if waiting else place - sizes.window)


def _known_extents(
    waiting: deque[_Open], view: _View, seen: int, sizes: Sizes, gaps: "Gaps | None", *, is_last: bool = False
) -> Iterator[Extent]:
    """Yield the extents of waiting records, up to the first that is unknown; for arguments see `_extent`."""
    with memoryview(view.data) as data:
        while waiting and (extent := _extent(waiting[0], view, data, seen, is_last, sizes)):
            waiting.popleft().is_done = True
            _check_gap(gaps, view, extent.offset)
            if gaps is not None:
                gaps.skip(extent.offset, extent.data)
            yield extent


def _several(view: _View, tags: Tags, start: int, end: int | None, sizes: Sizes) -> Extents | None:
    """Return records from an offset on, with only white space between them, that begin and end before `end`."""
    if compiled is None or sizes.longest < sizes.window or (end is not None and start >= end):
        return None
    stop = min(view.clear if end is None else min(view.clear, end), start + _MOST)
    base = view.base
    found = compiled.list_records(view.data, start - base, stop - base, tags.name.encode(), tags.any_prefix, base)
    if not found[0]:
        return None
    several = Extents(*found)
    view.known = several.offsets[-1] + len(several.datas[-1])
    return several


def _check_gap(gaps: "Gaps | None", view: _View, end: int, *, is_record: bool = True, more: int = 0) -> None:
    if gaps is not None and gaps.place < end:
        gaps.check(view.data, view.base, end, is_record=is_record, is_end=view.is_all, more=more)


def _close(stack: deque[_Open], end: int) -> None:
    record = stack.pop()
    record.end = end
    if stack:
        stack[-1].height = max(stack[-1].height, record.height + 1)


def _extent(record: _Open, view: _View, data: memoryview, seen: int, is_last: bool, sizes: Sizes) -> Extent | None:
    """Return the extent of a record whose tags were searched up to offset `seen`; None while it is unknown."""
    start = record.start
    has_inner = record.next >= 0 and (record.end < 0 or record.next < record.end)
    limit = start + (sizes.reach if has_inner else sizes.longest)
    is_whole = 0 <= record.end <= limit and record.height <= sizes.deepest
    if is_whole:
        stop = record.end
    elif record.end >= 0 or is_last or seen > limit:
        stop = min(record.next if has_inner else view.end, start + sizes.longest)
    else:
        return None
    part = bytes(data[start - view.base : stop - view.base])
    return Extent(start, part, record.tag_end - start, is_whole, view.is_all and stop == view.end)


def _visible_tags(view: _View, tags: Tags, place: int, window: int) -> Iterator[_Tag]:
    """Yield the tags of records that begin in the window at an offset, without hidden ones."""
    data, base = view.data, view.base
    first, behind = place - base, place + window - base
    name = tags.name.encode()
    hidden = (span for span in _hiding_spans(view, place, window) if data.find(name, *span) >= 0)
    hiding = next(hidden, None)
    limit = behind + _LONGEST_PREFIX + len(name) + 4
    position = first
    while match := tags.pattern.search(data, max(position, view.known - base), limit):
        start, position = match.span()
        name_end = position
        if start >= behind:
            break
        while hiding is not None and hiding[1] <= start:
            hiding = next(hidden, None)
        if hiding is not None and hiding[0] <= start:
            continue
        view.clear = base + min(behind if hiding is None else hiding[0], len(data))
        if match[1]:
            close = data.find(b">", name_end, start + window)
            yield base + start, base + (close + 1 if close >= 0 else name_end), True, False
        else:
            rest = tags.rest_of_tag.match(data, name_end, start + window)
            end = name_end if rest is None else rest.end()
            yield base + start, base + end, False, rest is not None and data[end - 2] == _SLASH


def _hiding_spans(view: _View, place: int, window: int) -> Iterator[tuple[int, int]]:
    """Yield the spans, in the view's data, of constructs that may hide tags of the window at an offset."""
    data = view.data
    position = max(0, place - window - view.base)
    behind = min(place + window - view.base, len(data))
    search_end = place + 2 * window - view.base
    if not view.may_hide(position, behind):
        return
    # Where the next construct of each kind begins that may be there. One pattern for all takes four times as long.
    places = {kind: -1 for kind in HIDING_ENDS if _contains(data, kind[1:2], position, behind)}
    value = OPEN_VALUE.search(data, position, behind)
    while True:
        for kind, place_of_kind in [*places.items()]:
            if place_of_kind < position:
                places[kind] = data.find(kind, position, behind)
                if places[kind] < 0:
                    del places[kind]
        if value is not None and value.start() < position:
            value = OPEN_VALUE.search(data, position, behind)
        kind = min(places, key=places.__getitem__, default=b"")
        if value is not None and (not kind or value.start() < places[kind]):
            position = value.end() - 1  # of the "<" in the value
            tag_start = data.rfind(b"<", max(value.start() - _LONGEST_TAG, 0), value.start())
            tag = _TAG_WITH_VALUES.match(data, tag_start, tag_start + _LONGEST_TAG) if tag_start >= 0 else None
            if tag is not None and tag.end() > position:
                position = tag.end()
                yield tag_start + 1, position
            continue
        if not kind:
            return
        start = places[kind]
        end = data.find(HIDING_ENDS[kind], start + len(kind), search_end)
        if end < 0:
            del places[kind]  # there are no more ends
            position = start + len(kind)
        else:
            position = end + len(HIDING_ENDS[kind])
            yield start, position
