"""Notes the places of elements of a name."""

import re
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Protocol, Self, cast

from xml5tree.errors.entry import Found
from xml5tree.input.sourcemap import SourceMap
from xml5tree.output.markup import Markup

#: Markup that can hide a tag in a clean stretch.
_NO_TAG: Final = rb"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>"
#: A prefix, between "<" or "</" and a local name.
_PREFIX: Final = rb"(?:[^\s<>/:\"'=&;]+:)?"
_ANY_NAME: Final = rb"[^\s<>/:\"'=&;!?]+"
#: A well-formed tag from the end of its name on; possessive, so it never backtracks.
REST_OF_TAG: Final = b"(?=[\\s/>])[^<>\"']*+(?>\"[^<\"]*+\"[^<>\"']*+|'[^<']*+'[^<>\"']*+)*+>"
_SLASH: Final = ord("/")


class Row:
    """A note on consecutive elements of one stretch, none of them in another, as most records are."""

    __slots__ = ("ends", "lines", "places", "source", "starts")

    def __init__(
        self, starts: Sequence[int], lines: Sequence[int], ends: Sequence[int], places: Sequence[int], source: bytes
    ) -> None:
        self.starts = starts  # the offsets of their start tags
        self.lines = lines  # the lines of their start tags
        self.ends = ends  # the offsets at which their end tags end
        self.places = places  # where their start tags are in `source`
        self.source = source  # the stretch, in UTF-8

    def __len__(self) -> int:
        return len(self.starts)

    def take(self, count: int) -> "Row":
        first = Row(self.starts[:count], self.lines[:count], self.ends[:count], self.places[:count], self.source)
        self.starts, self.lines = self.starts[count:], self.lines[count:]
        self.ends, self.places = self.ends[count:], self.places[count:]
        return first


class ImpliedEnd(int):
    """The offset of the end of an element that another token than its end tag closed."""

    token: int  # the offset of that token
    place: tuple[int, int]  # the line and column of that token
    is_assumed: bool  # whether that token is not in the document

    def __new__(cls, offset: int, token: int, place: tuple[int, int], *, is_assumed: bool) -> Self:
        end = super().__new__(cls, offset)
        end.token = token
        end.place = place
        end.is_assumed = is_assumed
        return end


class Places:
    """Notes on one document: where elements of one local name begin and end, and its errors, in order of discovery.

    A start is the offset and line of its tag, an end the offset after the end tag, or an `ImpliedEnd`. Starts and ends
    of several elements may be a `Row`, unless all names are asked for. Consecutive errors are a list. The order does
    not depend on how the document is fed, but errors may come before their elements, as those of a run do.
    """

    def __init__(self, local_name: str) -> None:
        """Set the local name; "" for the elements of all names."""
        self.local_name = local_name
        self.found: deque[tuple[int, int] | int | Row | list[Found]] = deque()  # the notes that have not been taken yet
        self.root = ""  # the name of the root element in the markup; "" before it is there
        self.reached = 0  # no element that is noted later begins before this offset
        name = re.escape(local_name.encode()) if local_name else _ANY_NAME
        self._tag = re.compile(b"<(/?)" + _PREFIX + name + REST_OF_TAG + b"|" + _NO_TAG, re.DOTALL)

    def concerns(self, name: str) -> bool:
        """Return whether this is the local name of a qualified name."""
        return not self.local_name or name == self.local_name or name.endswith(f":{self.local_name}")

    def note_error(self, found: Found) -> None:
        notes = self.found
        if notes and isinstance(notes[-1], list):
            notes[-1].append(found)
        else:
            notes.append([found])

    def note_start(self, offset: int, line: int) -> None:
        self.found.append((offset, line))

    def note_end(self, offset: int) -> None:
        self.found.append(offset)

    def note_stretch(self, source: bytes, offset: int, line: int) -> None:
        """Note the elements of a stretch without errors, whose tags are whole; `line` is that of the offset."""
        is_ascii = source.isascii()
        place = counted = 0  # in the source, where `offset` and `line` are
        for tag in self._tag.finditer(source):
            slash = tag[1]
            if slash is None:
                continue  # no tag
            start, end = tag.span()
            if slash:
                offset += end - place if is_ascii else len(source[place:end].decode())
                self.note_end(offset)
            else:
                offset += start - place if is_ascii else len(source[place:start].decode())
                line += source.count(b"\n", counted, start)
                counted = start
                self.note_start(offset, line)
                offset += end - start if is_ascii else len(source[start:end].decode())
                if source[end - 2] == _SLASH:
                    self.note_end(offset)
            place = end


class Tokenizer(Protocol):
    """The facts about the tokenizer that places need."""

    @property
    def token_offset(self) -> int:
        """Where the token begins that has been emitted last."""

    def place(self) -> int:
        """Return where the next input character stands."""


class PlacedMarkup(Markup):
    """Markup that takes notes of where elements stand in the source of the text that is read.

    No run goes past an edit of the source, so that places in a run are as far apart as in the source.
    """

    __slots__ = ("_locate", "_map", "_places", "_tokenizer")

    def __init__(
        self,
        source_line: Callable[[], int],
        places: Places,
        tokenizer: Callable[[], Tokenizer],
        locate: Callable[[int], tuple[int, int]],
        source_map: SourceMap | None = None,
        *,
        keeps_lines: bool = True,
    ) -> None:
        """Begin with nothing; `places` takes the notes, `locate` returns line and column of an offset.

        `source_map` has the edits of the source; None: there are none.
        """
        super().__init__(source_line, keeps_lines=keeps_lines)
        self._places = places
        self._tokenizer = tokenizer
        self._locate = locate
        self._map = source_map or SourceMap(puts_walls=False)

    def start_tag(self, name: str, attributes: Iterable[tuple[str, str]], empty: bool, raw: str | None) -> None:
        super().start_tag(name, attributes, empty, raw)
        self._note_tag(name)
        if empty and self._places.concerns(name):
            self._note_end()

    def around(self, name: str, attributes: Iterable[tuple[str, str]]) -> None:
        """See `Markup`; the element begins where the tag before it begins, or the document."""
        super().around(name, attributes)
        self._note_tag(name)

    def _note_tag(self, name: str) -> None:
        places = self._places
        if not places.root:
            places.root = name
        if places.concerns(name):
            offset = self._tokenizer().token_offset
            places.note_start(self._map.source(offset), self._locate(offset)[0])

    def _note_end(self, closed_at: int | None = None) -> None:
        """Note the end of an element; an end tag that is only in an edit is where the edit begins.

        All that is in an entity is at the place of its reference.
        """
        tokenizer = self._tokenizer()
        begin, stop = tokenizer.token_offset, tokenizer.place()
        is_assumed = closed_at is None and self._map.is_assumed(begin, max(begin + 1, stop))
        if is_assumed:
            closed_at = begin
        end = self._map.source(begin) + 1
        if not is_assumed:
            end = max(end, self._map.source_end(stop))
        if closed_at is not None:
            end = ImpliedEnd(end, self._map.source(closed_at), self._locate(closed_at), is_assumed=is_assumed)
        self._places.note_end(end)

    def end_tag(self, name: str, verbatim: str | None, *, closed_at: int | None = None) -> None:
        super().end_tag(name, verbatim, closed_at=closed_at)
        if self._places.concerns(name):
            self._note_end(closed_at)

    def clean_run(
        self, markup: bytes, source: bytes, newlines: int, brackets: int, elements: list[Any] | None = None
    ) -> None:
        begin = self._tokenizer().place()
        if elements is None:
            self._places.note_stretch(source, begin, self._source_line())
        else:
            self._note_run(elements, self._map.source(begin) - begin, source)
        super().clean_run(markup, source, newlines, brackets, elements)

    def _note_run(self, notes: Iterable[Any], shift: int, source: bytes) -> None:
        """Note the elements of a run, see `Run`, whose offsets are by `shift` greater in the source."""
        found = self._places.found
        for note in notes:
            if isinstance(note, list):
                starts, lines, ends, places = (cast(Sequence[int], memoryview(part).cast("q")) for part in note)
                if shift:
                    starts, ends = [start + shift for start in starts], [end + shift for end in ends]
                found.append(Row(starts, lines, ends, places, source))
            elif isinstance(note, int):
                found.append(note + shift)
            elif len(note) == 2:
                found.append((note[0] + shift, note[1]))
            else:
                end, token, *place = note
                found.append(ImpliedEnd(end + shift, token + shift, (place[0], place[1]), is_assumed=False))
