"""The places of elements, in bytes or characters."""

from typing import Any

from xml5tree.input.original import Original
from xml5tree.input.stream import InputStream

__all__ = ["Spans"]


class Spans:
    """Translates ascending offsets of characters into units of the document."""

    def __init__(self, stream: InputStream) -> None:
        """Begin with an input stream of its own."""
        self._stream = stream
        self._original = Original()
        # Parts are decoded when a place in them is asked for: the encoding may show in more of the document only, and
        # as soon as there are places, there is as much of it.
        self._parts: list[Any] = []

    def feed(self, part: bytes | str) -> None:
        """Take the next part of the document, before it is parsed."""
        self._parts.append(part)

    def finish(self) -> None:
        self._decode(final=True)
        self._original.finish()

    def _decode(self, *, final: bool = False) -> None:
        parts = [part for part in self._parts if part]
        self._parts.clear()
        part = parts[0][:0].join(parts) if parts else self._stream.end_of_file()
        if part or final:
            original = self._original
            original.feed(part, self._stream.feed(part, final), self._stream.decoder)
            original.forget_characters(original.end)

    def locate(self, offset: int) -> int:
        if self._parts:
            self._decode()
        return self._original.locate(offset)

    def forget(self, offset: int) -> None:
        if offset:
            unit = self.locate(offset)
            if unit > self._original.unit:
                self._original.take(unit)
