"""The original document, and where characters are in it."""

from typing import Any, Final

from xml5tree.input.decoder import PAIR_OF_HALVES, Decoder, MarkingDecoder
from xml5tree.xml.chars import SURROGATE_PAIR

#: Beginnings of Python's names of encodings in which, as in UTF-8, a byte of ASCII always stands for itself.
_OF_SINGLE_BYTES: Final = ("iso8859-", "cp125", "koi8-")
#: Beginnings of the names of encodings with escape sequences.
_STATEFUL: Final = ("iso2022", "hz")


class Characters:
    """The characters of a text that comes in parts, kept from the first place that may be asked for."""

    def __init__(self) -> None:
        self.end = 0  # the offset of the end of the characters so far
        self._texts: list[str] = []  # the characters from the offset `_first` on
        self._first = 0

    def add(self, characters: str) -> None:
        self._texts.append(characters)
        self.end += len(characters)

    def characters(self, begin: int, end: int) -> str:
        """Return the characters between two offsets; `end` may be too large."""
        if len(self._texts) > 1:
            self._texts = ["".join(self._texts)]
        return self._texts[0][begin - self._first : end - self._first] if self._texts else ""

    def forget_characters(self, offset: int) -> None:
        texts = self._texts
        while texts and self._first + len(texts[0]) <= offset:
            self._first += len(texts.pop(0))
        if offset > self._first:
            self._texts = [self.characters(offset, self.end)]
            self._first = offset


class Original(Characters):
    """The document and its characters, each kept from the first place that may be asked for.

    Offsets, asked for in ascending order, count the characters of the input stream: a line break as one, a byte order
    mark not at all. Units are bytes, or the characters of a `str`.
    """

    # The document is decoded once more, so that its units are counted as the decoder counts them, whatever the encoding
    # and the damage.

    def __init__(self) -> None:
        super().__init__()
        self.decoder: Decoder | None = None  # the decoder; None for a `str`
        self.unit = 0  # the unit up to which the document has been taken
        self._parts: list[Any] = []  # the document, from a place before `unit` on
        self._taken = 0  # the place of `unit` in the parts
        self._index = 0  # the place in the parts up to which characters were counted
        self._counted = 0  # how many characters are before `_index`
        self._counter: MarkingDecoder | None = None
        self._return: bytes | str = "\r"
        self._newline: bytes | str = "\n"
        self._is_plain = False  # whether units of ASCII are themselves
        self._is_stateful = False  # whether bytes may make no character
        self._is_counted = False  # whether all units so far were counted
        self._has_begun = self._is_whole = False
        self._after_return = False
        self._after_high = False  # whether a high surrogate is before the index

    def take_part(self, part: bytes | str, characters: str, decoder: Decoder | None) -> None:
        """Take the next part, the characters that it completes, and the decoder."""
        if part or not self._parts:  # the last part may be empty, and of the other kind if all before it were empty
            self._parts.append(part)
        self._is_counted = self._is_counted and self._count_plain(part)
        if characters:
            self.add(characters)
            if not self._has_begun:
                self._begin(decoder)

    def _begin(self, decoder: Decoder | None) -> None:
        self._has_begun = True
        self.decoder = decoder
        data = self._rest()
        if decoder is None:
            self._index = int(data[:1] == "\ufeff")
            self._is_plain = True
            self._is_counted = self._count_plain(data[self._index :])
            return
        encoding = decoder.encoding
        self._counter = MarkingDecoder(encoding)
        self._return, self._newline = "\r".encode(encoding), "\n".encode(encoding)
        self._is_plain = encoding == "utf-8" or encoding.startswith(_OF_SINGLE_BYTES)
        mark = "\ufeff".encode(encoding, "ignore")
        if decoder.false_mark_size:
            self._index = decoder.false_mark_size
        elif mark and data.startswith(mark):
            self._index = len(mark)
            self._counter.decode(mark)  # it shows that the document is UTF-8 (D-006)

        self._is_stateful = encoding.startswith(_STATEFUL)
        self._is_counted = self._count_plain(data[self._index :])

    def finish(self) -> None:
        self._is_whole = True

    # The document

    @property
    def size(self) -> int:
        return self.unit - self._taken + len(self._rest())

    def take(self, unit: int) -> Any:
        """Return the document up to a unit, from where it was taken before."""
        data = self._rest()
        begin, end = self._taken, self._taken + unit - self.unit
        self.unit = unit
        self._taken = end
        if end > len(data) // 2:  # to drop what was taken each time would take quadratic time in a long part
            self._parts = [data[end:]]
            self._index -= end
            self._taken = 0
        return data[begin:end]

    def ahead(self, size: int) -> Any:
        """Return the next units, from where the document was taken before."""
        return self._rest()[self._taken : self._taken + size]

    def locate(self, offset: int) -> int:
        """Return the unit at which the character of an offset begins, or the document ends."""
        self._count_to(offset)
        held = 0 if self._counter is None else self._counter.held
        begin = self.unit - self._taken  # the unit of the beginning of the parts
        if offset < self._counted:  # a few characters behind an invalid one have come with it
            return begin + self._index - held - (self._counted - offset) * len(self._newline)
        if not held and (self._after_return or self._after_high):
            self._pass_second_half()
        return begin + self._index - held

    def _rest(self) -> Any:
        parts = self._parts
        if len(parts) != 1:
            self._parts = parts = ["".join(parts) if parts and isinstance(parts[0], str) else b"".join(parts)]
        return parts[0]

    def _count_to(self, offset: int) -> None:
        if self._counted >= offset or not self._has_begun:
            return
        data = self._rest()
        counter = self._counter
        while self._counted < offset and self._index < len(data):
            # No character is less than a unit, so this is never too much; but a character that has begun may turn out
            # to be invalid, and another one with it.
            size = 1 if counter is not None and counter.held else offset - self._counted
            self._count(data[self._index : self._index + size])
        self._is_counted = self._index == len(data)
        if self._counted < offset and self._is_whole and counter is not None and counter.held:
            self._counted += len(counter.decode(b"", True))

    def _count(self, piece: Any) -> None:
        if self._count_plain(piece):
            return
        self._index += len(piece)
        counter = self._counter
        text = piece if counter is None else counter.decode(piece)
        if not text:
            return
        self._counted -= text.count(PAIR_OF_HALVES)
        self._counted += len(text) - text.count("\r\n") - (self._after_return and text[0] == "\n")
        self._after_return = text[-1] == "\r"
        if counter is None and (self._after_high or not text.isascii()):
            self._counted -= len(SURROGATE_PAIR.findall(text)) + (self._after_high and "\udc00" <= text[0] <= "\udfff")
            self._after_high = "\ud800" <= text[-1] <= "\udbff"

    def _count_plain(self, piece: Any) -> bool:
        """Count the next units if each is a character; return whether that is so."""
        is_between = not (self._after_return or self._after_high or (self._counter is not None and self._counter.held))
        if not (self._is_plain and is_between and piece.isascii()) or self._return in piece:
            return False
        self._index += len(piece)
        self._counted += len(piece)
        return True

    def _pass_second_half(self) -> None:
        """Pass the second half of a line break or surrogate pair, if the index is between the halves."""
        piece = self._rest()[self._index : self._index + len(self._newline)]
        if (self._after_return and piece == self._newline) or (self._after_high and "\udc00" <= piece <= "\udfff"):
            self._count(piece)
