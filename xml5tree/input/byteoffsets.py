"""Translates character offsets into byte offsets."""

from xml5tree.input.decoder import PAIR_OF_HALVES, Decoder, MarkingDecoder
from xml5tree.input.stream import InputStream

__all__ = ["ByteOffsets"]


class ByteOffsets:
    """Translates ascending offsets of characters, counted as in errors, into offsets of bytes."""

    # The bytes between two offsets are decoded once more, so that they are counted as the decoder counts them, whatever
    # the encoding and the damage.

    def __init__(self, stream: InputStream) -> None:
        """Begin with an input stream of its own, which finds the encoding."""
        self._stream: InputStream | None = stream
        self._decoder: MarkingDecoder | None = None
        self._width = 1  # of "<" in the encoding
        self._parts: list[bytes] = []  # not decoded so far, but for `_position` bytes of the first
        self._position = 0
        self._byte = 0  # the byte offset of `_position`
        self._characters = 0  # how many characters are before `_byte`
        self._last_offset = self._last_byte = -1  # the last offset of `locate`, and the answer
        self._after_return = False
        #: Bytes minus characters before the offset, while the text is ASCII without carriage returns; else None.
        self.distance: int | None = None
        self._plain_distance = 0  # the last known `distance`,
        self._plain_end = 0  # and the offset up to which it holds
        self._may_be_plain = False

    def feed(self, data: bytes) -> None:
        if self.distance is not None:
            if data.isascii() and b"\r" not in data:
                self._characters += len(data)
                self._byte += len(data)
                return
            self._plain_end = self._characters
            self._plain_distance = self.distance
            self.distance = None
        self._parts.append(data)
        self._find_encoding(data)

    def finish(self) -> None:
        """Take the end of the document, in which the encoding of a short one shows."""
        self._find_encoding(b"", final=True)

    def _find_encoding(self, data: bytes, *, final: bool = False) -> None:
        stream = self._stream
        if stream is not None and stream.feed(data, final) and stream.decoder is not None:
            self._begin(stream.decoder)
            self._stream = None

    def _begin(self, decoder: Decoder) -> None:
        encoding, false_mark_size = decoder.encoding, decoder.false_mark_size
        self._decoder = MarkingDecoder(encoding)
        self._width = len("<".encode(encoding))
        self._may_be_plain = encoding == "utf-8"
        data = b"".join(self._parts)
        byte_order_mark = "\ufeff".encode(encoding, "ignore")
        if false_mark_size:
            self._byte = false_mark_size
        elif byte_order_mark and data.startswith(byte_order_mark):
            self._byte = len(byte_order_mark)
            self._decoder.decode(byte_order_mark)  # it shows that the document is UTF-8 (D-006)
        self._parts = [data[self._byte :]]

    def skip_to(self, offset: int) -> None:
        """Forget the bytes before an offset."""
        if self.distance is None and offset > self._characters:
            self._advance(offset)
            is_between = self._decoder is not None and not self._decoder.held
            if self._may_be_plain and is_between and not (self._rest() or self._after_return):
                self.distance = self._byte - self._characters

    def locate(self, offset: int) -> int:
        """Return the byte offset of a tag, or of the place where one was assumed."""
        if self.distance is not None:
            return offset + self.distance
        if offset < self._plain_end:
            return offset + self._plain_distance
        if offset != self._last_offset:
            self._last_byte = self._locate_next(offset)
            self._last_offset = -1 if self._decoder is None else offset  # a byte order mark may come
        return self._last_byte

    def _locate_next(self, offset: int) -> int:
        """Return where the character of an offset begins, and go on to its end."""
        self._advance(offset)
        begin = self._byte - self._held()
        if offset < self._characters:  # a tag that has come with an invalid character before it
            return begin - (self._characters - offset) * self._width
        while self._decoder is not None and self._characters == offset and self._has_more():
            if not self._held():  # else this is a byte of the same character
                begin = self._byte
            self._advance_by(1)
        return begin

    def locate_all(self, offsets: list[int], places: list[int], text: bytes) -> list[int]:
        """Return where tags begin in the file, from ascending offsets, and from places in `text`, a part in UTF-8."""
        if (distance := self.distance) is not None:
            return [offset + distance for offset in offsets] if distance else offsets
        first = self.locate(offsets[0])
        # Where the file has the very same bytes, nothing needs to be decoded.
        part = text[places[0] + 1 : places[-1] + 1]
        is_there = self._may_be_plain and offsets[0] >= self._plain_end and self._byte == first + 1
        if not is_there or not self._rest().startswith(part, self._position):
            return [first, *map(self.locate, offsets[1:])]
        if self._decoder is not None and not part.isascii():
            self._decoder.has_characters = True
        self._position += len(part)
        self._byte += len(part)
        self._characters += offsets[-1] - offsets[0]
        return [first + place - places[0] for place in places]

    def _rest(self) -> bytes:
        if len(self._parts) > 1:
            self._parts = [b"".join([self._parts[0][self._position :], *self._parts[1:]])]
            self._position = 0
        elif self._parts and self._position == len(self._parts[0]):
            self._parts.clear()
            self._position = 0
        return self._parts[0] if self._parts else b""

    def _has_more(self) -> bool:
        data = self._rest()  # which sets the position anew
        return self._position < len(data)

    def _held(self) -> int:
        return 0 if self._decoder is None else self._decoder.held

    def _advance(self, target: int) -> None:
        while self._decoder is not None and self._characters < target and self._has_more():
            # No encoding has characters of less than a byte, so this is never too much; but a character that has begun
            # may turn out to be invalid, and another one with it.
            self._advance_by(1 if self._decoder.held else target - self._characters)

    def _advance_by(self, size: int) -> None:
        assert self._decoder is not None
        data = self._rest()
        piece = data[self._position : self._position + size]
        self._position += len(piece)
        self._byte += len(piece)
        self._characters += self._count(self._decoder.decode(piece))

    def _count(self, text: str) -> int:
        if not text:
            return 0
        breaks = text.count("\r\n") + (self._after_return and text[0] == "\n")
        self._after_return = text[-1] == "\r"
        return len(text) - breaks - text.count(PAIR_OF_HALVES)
