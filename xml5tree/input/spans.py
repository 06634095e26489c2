"""Where elements stand in a document, in the units that it consists of: bytes, or the characters of a `str`."""

from xml5tree.input.original import Original
from xml5tree.input.stream import InputStream

__all__ = ["Spans"]


class Spans:
    """Translates offsets of characters into units of the document, which is decoded once more for that."""

    def __init__(self, stream: InputStream) -> None:
        """Begin with an input stream that nobody else reads, for the characters that offsets count."""
        self._stream = stream
        self._original = Original()

    def feed(self, part: bytes | str, *, final: bool = False) -> None:
        """Take the next part of the document, before it is parsed; `final` with the last, or none."""
        characters = self._stream.feed(part, final)
        original = self._original
        original.feed(part, characters, self._stream.decoder)
        original.forget_characters(original.end)
        if final:
            original.finish()

    def finish(self) -> None:
        """Say that the document has ended."""
        self.feed(self._stream.end_of_file(), final=True)

    def locate(self, offset: int) -> int:
        """Return the unit at which the character of an offset begins, or the document ends; offsets do not decrease."""
        return self._original.locate(offset)

    def forget(self, offset: int) -> None:
        """Forget the document before an offset: no earlier one is asked for."""
        unit = self._original.locate(offset)
        if unit > self._original.unit:
            self._original.take(unit)
