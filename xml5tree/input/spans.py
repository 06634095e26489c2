"""The places of elements, in bytes or characters."""

from collections.abc import Sequence
from typing import Any, Final

from xml5tree.input.original import Original
from xml5tree.input.stream import InputStream

#: How many bytes are looked through for escape sequences.
_SILENT: Final = 64


class Spans(Original):
    """Translates ascending offsets of characters into units of the document, of which it keeps what is needed."""

    def __init__(self, stream: InputStream) -> None:
        """Begin with an input stream of its own, which finds the encoding."""
        super().__init__()
        self._stream: InputStream | None = stream
        # Parts are looked at when a place in them is asked for: the encoding may show in more of the document only, and
        # as soon as there are places, there is as much of it.
        self._fed: list[Any] = []

    def feed(self, part: bytes | str) -> None:
        """Take the next part of the document, before it is parsed."""
        self._fed.append(part)

    def finish(self) -> None:
        self._take_fed(final=True)
        super().finish()

    def _take_fed(self, *, final: bool = False) -> None:
        parts = [part for part in self._fed if part]
        self._fed.clear()
        part = parts[0][:0].join(parts) if parts else b""
        stream = self._stream
        if stream is None:
            if part:
                self.take_part(part, "", None)
        elif part or final:
            part = part or stream.end_of_file()
            self.take_part(part, stream.feed(part, final), stream.decoder)
            if self.end:
                self.forget_characters(self.end)
                self._stream = None

    def locate(self, offset: int) -> int:
        """Return the unit at which the character of an offset begins, after escape sequences."""
        if self._fed:
            self._take_fed()
        self._count_to(offset)
        if self._is_stateful and self._counted == offset and self._counter is not None:
            self._index += self._counter.pass_silent(self._rest()[self._index : self._index + _SILENT])
        return super().locate(offset)

    def locate_all(self, offsets: Sequence[int], places: Sequence[int], text: bytes) -> Sequence[int]:
        """Return the units of ascending offsets, which are those of `places` in `text`, a part in UTF-8."""
        first = self.locate(offsets[0])
        if offsets[-1] <= self._counted:
            distance = first - offsets[0]
            return [offset + distance for offset in offsets] if distance else offsets
        # Where the document has the very same bytes, nothing needs to be decoded.
        part = text[places[0] : places[-1]]
        counter = self._counter
        is_there = self._counted == offsets[0] and counter is not None and counter.is_utf8 and not counter.held
        if counter is None or not is_there or not self._rest().startswith(part, self._index):
            return [first, *map(self.locate, offsets[1:])]
        counter.has_characters = counter.has_characters or not part.isascii()
        self._index += len(part)
        self._counted = offsets[-1]
        self._after_return = False
        return [first + place - places[0] for place in places]

    def forget(self, offset: int) -> None:
        if offset:
            unit = self.locate(offset)
            if unit > self.unit:
                self.take(unit)
