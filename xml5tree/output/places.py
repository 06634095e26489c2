"""Where the elements of a name stand in the document, noted while the markup is written.

A reader of records wants to know which errors are in which element, and where in the file that element stands. Native
parsers do not tell: they read the markup. So tree construction is asked, whose calls to the emitter are in document
order; nothing of this costs anything where it is not asked for.
"""

import re
from collections import deque
from collections.abc import Callable, Iterable
from typing import Final, Protocol

from xml5tree.errors.entry import ErrorEntry
from xml5tree.output.markup import Markup

__all__ = ["REST_OF_TAG", "PlacedMarkup", "Places"]

#: What can hide a tag in a clean stretch.
_NO_TAG: Final = rb"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>"
#: What may stand between "<" or "</" and a local name.
_PREFIX: Final = rb"(?:[^\s<>/:\"'=&;]+:)?"
_ANY_NAME: Final = rb"[^\s<>/:\"'=&;!?]+"
#: A well-formed tag from the end of its name on; possessive, so it never backtracks.
REST_OF_TAG: Final = b"(?=[\\s/>])[^<>\"']*+(?:\"[^<\"]*+\"[^<>\"']*+|'[^<']*+'[^<>\"']*+)*+>"
_SLASH: Final = ord("/")


class Places:
    """Notes on one document: where elements of one local name begin and end, and its errors, in order of discovery.

    A start is noted as the offset of the tag and its line, an end as the offset at which the end tag ends, or what
    closes the element instead. Offsets and lines are those of errors.

    The order, and which errors come before the end of an element, do not depend on how the document is fed. But errors
    of characters may come earlier than the elements that they are in.

    Attributes:
        found: the notes that nobody has taken yet.
        root: the name of the root element in the markup; "" before it is there.
        reached: no element that is noted later begins before this offset.
    """

    def __init__(self, local_name: str) -> None:
        """Set the local name; "" for the elements of all names."""
        self.local_name = local_name
        self.found: deque[tuple[int, int] | int | ErrorEntry] = deque()
        self.root = ""
        self.reached = 0
        name = re.escape(local_name.encode()) if local_name else _ANY_NAME
        self._colon_name = b":" + local_name.encode()
        self._plain = re.compile(b"<(/?)" + name + REST_OF_TAG)
        prefixed = b"<(/?)" + _PREFIX + name + REST_OF_TAG
        self._prefixed = re.compile(prefixed)
        self._among_others = re.compile(prefixed + b"|" + _NO_TAG, re.DOTALL)

    def concerns(self, name: str) -> bool:
        """Whether this is the local name of a qualified name."""
        return not self.local_name or name == self.local_name or name.endswith(f":{self.local_name}")

    def note_stretch(self, source: bytes, offset: int, line: int, is_ascii: bool) -> None:
        """Note the elements of a well-formed stretch, whose tags are whole.

        Args:
            source: the stretch.
            offset: where it begins.
            line: its line.
            is_ascii: whether it has as many characters as bytes.
        """
        if b"<!" in source or b"<?" in source:
            pattern = self._among_others
        else:
            pattern = self._prefixed if self._colon_name in source else self._plain
        note = self.found.append
        place = 0  # in the source, where `offset` and `line` are
        for tag in pattern.finditer(source):
            slash = tag[1]
            if slash is None:
                continue  # no tag
            start, end = tag.span()
            if slash:
                offset += end - place if is_ascii else len(source[place:end].decode())
                line += source.count(b"\n", place, end)
                note(offset)
            else:
                offset += start - place if is_ascii else len(source[place:start].decode())
                line += source.count(b"\n", place, start)
                note((offset, line))
                offset += end - start if is_ascii else len(source[start:end].decode())
                line += source.count(b"\n", start, end)
                if source[end - 2] == _SLASH:
                    note(offset)
            place = end


class _Tokenizer(Protocol):
    """What is asked of the tokenizer."""

    @property
    def token_offset(self) -> int:
        """Where the token begins that has been emitted last."""

    def place(self) -> int:
        """Where the next input character stands."""


class PlacedMarkup(Markup):
    """Markup that takes notes of where elements stand."""

    __slots__ = ("_locate", "_places", "_tokenizer")

    def __init__(
        self,
        source_line: Callable[[], int],
        places: Places,
        tokenizer: Callable[[], _Tokenizer],
        locate: Callable[[int], tuple[int, int]],
    ) -> None:
        """Begin with nothing.

        Args:
            source_line: see `Markup`.
            places: takes the notes.
            tokenizer: gives the tokenizer.
            locate: tells line and column of an offset.
        """
        super().__init__(source_line)
        self._places = places
        self._tokenizer = tokenizer
        self._locate = locate

    def start_tag(self, name: str, attributes: Iterable[tuple[str, str]], empty: bool, raw: str | None) -> None:
        """See `Emitter`."""
        super().start_tag(name, attributes, empty, raw)
        self._note_tag(name)
        if empty and self._places.concerns(name):
            self._note_end()

    def around(self, name: str, attributes: Iterable[tuple[str, str]]) -> None:
        """See `Emitter`; the element is noted where the tag before it begins, or the document."""
        super().around(name, attributes)
        self._note_tag(name)

    def _note_tag(self, name: str) -> None:
        """Note a start tag."""
        places = self._places
        if not places.root:
            places.root = name
        if places.concerns(name):
            self._note_start(self._tokenizer().token_offset)

    def _note_end(self) -> None:
        """Note the end of an element; within an entity, all is where the reference to it begins."""
        tokenizer = self._tokenizer()
        self._places.found.append(max(tokenizer.place(), tokenizer.token_offset + 1))

    def _note_start(self, offset: int) -> None:
        self._places.found.append((offset, self._locate(offset)[0]))

    def end_tag(self, name: str, raw: str | None) -> None:
        """See `Emitter`."""
        super().end_tag(name, raw)
        if self._places.concerns(name):
            self._note_end()

    def clean_run(self, markup: bytes, source: bytes, newlines: int) -> None:
        """See `Emitter`."""
        super().clean_run(markup, source, newlines)
        self._places.note_stretch(source, self._tokenizer().place(), self._source_line(), source.isascii())
