"""Where the elements of a name stand in the document, noted while the markup is written.

A reader of records wants to know which errors are in which element, and where in the file that element stands. Native
parsers do not tell: they read the markup. So tree construction is asked, whose calls to the emitter are in document
order; nothing of this costs anything where it is not asked for.
"""

import re
from collections import deque
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple, Protocol

from xml5tree.errors.log import ErrorEntry
from xml5tree.output.markup import Markup

__all__ = ["End", "PlacedMarkup", "Places", "Start"]

#: What can hide the name of an element in a clean stretch.
_NO_TAG: Final = rb"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>"
#: What may stand between "<" and a local name.
_BEFORE_NAME: Final = re.compile(rb"/?(?:[^\s<>/:\"'=&;]+:)?")
#: A start tag from its name on, well-formed; possessive, so it never backtracks.
_REST_OF_TAG: Final = re.compile(b"[^<>\"']*+(?:\"[^<\"]*+\"[^<>\"']*+|'[^<']*+'[^<>\"']*+)*+>")


class Start(NamedTuple):
    """A start tag, or an empty tag.

    Attributes:
        offset: where it begins, as errors count.
        line: its line, from 1.
    """

    offset: int
    line: int


class End(NamedTuple):
    """The end of an element.

    Attributes:
        offset: where its end tag ends, or what closes it instead.
    """

    offset: int


class Places:
    """Notes on one document: where elements of one local name begin and end, and its errors, in order of discovery.

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
        self.found: deque[Start | End | ErrorEntry] = deque()
        self.root = ""
        self.reached = 0
        name = re.escape(local_name.encode()) if local_name else rb"(?<=[</:])[^\s<>/:\"'=&;]+"
        self.in_text = re.compile(name + rb"(?=[\s/>])")
        self.between_others = re.compile(_NO_TAG + b"|" + self.in_text.pattern, re.DOTALL)

    def concerns(self, name: str) -> bool:
        """Whether this is the local name of a qualified name."""
        return not self.local_name or name == self.local_name or name.endswith(f":{self.local_name}")


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
        source_line: Callable[[int], int],
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
        places = self._places
        if not places.root:
            places.root = name
        if places.concerns(name):
            self._note_start(self._tokenizer().token_offset)
            if empty:
                self._note_end()

    def _note_end(self) -> None:
        """Note the end of an element; within an entity, all is where the reference to it begins."""
        tokenizer = self._tokenizer()
        self._places.found.append(End(max(tokenizer.place(), tokenizer.token_offset + 1)))

    def _note_start(self, offset: int) -> None:
        self._places.found.append(Start(offset, self._locate(offset)[0]))

    def end_tag(self, name: str, raw: str | None) -> None:
        """See `Emitter`."""
        super().end_tag(name, raw)
        if self._places.concerns(name):
            self._note_end()

    def clean_stretch(self, markup: bytes, source: bytes, length: int) -> None:
        """See `Emitter`."""
        super().clean_stretch(markup, source, length)
        places = self._places
        has_others = b"<!" in source or b"<?" in source
        pattern = places.between_others if has_others else places.in_text
        offset, before = self._tokenizer().place(), 0  # of what has been looked at
        is_ascii = len(source) == length
        for found in pattern.finditer(source):
            name = found.start()
            if source[name] == b"<"[0]:
                continue  # no tag
            start = source.rfind(b"<", before, name)
            if start < 0 or not _BEFORE_NAME.fullmatch(source, start + 1, name):
                continue
            tag = _REST_OF_TAG.match(source, found.end())
            assert tag is not None  # the stretch is well-formed, and its tags are whole
            end = tag.end()
            offset += start - before if is_ascii else len(source[before:start].decode())
            is_start = source[start + 1] != b"/"[0]
            if is_start:
                self._note_start(offset)
            offset += end - start if is_ascii else len(source[start:end].decode())
            before = end
            if not is_start or source[end - 2] == b"/"[0]:
                places.found.append(End(offset))
