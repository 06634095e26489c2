"""The emitters, which write MicroXML (M-075 to M-077, M-091)."""

import re
from collections.abc import Callable, Iterable
from typing import Final

from xml5tree.output.markup import Markup
from xml5tree.output.places import PlacedMarkup, Places, Tokenizer
from xml5tree.tree.infoset import coerce_name
from xml5tree.xml.names import FIFTH_EDITION

#: The written name of `#doc`, the element around a document without a single root (M-061).
WRAPPER: Final = coerce_name("#doc", FIFTH_EDITION)

_SPECIAL: Final = re.compile("[&<>\r]")
_SPECIAL_IN_VALUE: Final = re.compile('[&<>"\t\n\r]')


def _in_text(data: str) -> str:
    """Return text as markup; replacing one character after the other is faster than `str.translate`."""
    if not _SPECIAL.search(data):
        return data
    return data.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#xD;")


def _in_value(value: str) -> str:
    if not _SPECIAL_IN_VALUE.search(value):
        return value
    return _in_text(value).replace('"', "&quot;").replace("\t", "&#x9;").replace("\n", "&#xA;")


class DocumentMarkup(Markup):
    """Markup that can wrap the content written so far in an element."""

    def content(self, offset: int) -> None:
        """Note that the first element or text of the document comes next, at an offset."""

    def wrap(self) -> None:
        """Wrap the document in an element, from its first content on."""

    def finish(self) -> None: ...

    def start_tag(self, name: str, attributes: Iterable[tuple[str, str]], empty: bool, verbatim: str | None) -> None:
        if verbatim is None:
            values = "".join([f' {name}="{_in_value(value)}"' for name, value in attributes])
            verbatim = f"<{name}{values}/>" if empty else f"<{name}{values}>"
        super().start_tag(name, attributes, empty, verbatim)

    def text(self, data: str) -> None:
        if self._keeping is not None:
            self._keeping.expect(len(data))
        self._write(_in_text(data))

    def reference(self, data: str, verbatim: str | None) -> None:
        self._write(_in_text(data).replace("\n", "&#xA;") if verbatim is None else verbatim)


class RepairedMarkup(DocumentMarkup):
    """The repaired document, with its comments; held back until it is certain whether it is wrapped."""

    def __init__(self, source_line: Callable[[], int], *, keeps_lines: bool) -> None:
        super().__init__(source_line, keeps_lines=keeps_lines)
        self._passed = b""  # what comes before that which is held back, or is held back no more
        self._held: list[bytes] | None = None  # what is held back, by steps
        self._is_wrapped = False

    def take(self) -> bytes:
        markup = super().take()
        if self._held is not None:
            self._held.append(markup)
            markup = b""
        passed, self._passed = self._passed, b""
        return passed + markup

    def content(self, offset: int) -> None:
        self._passed += super().take()
        self._held = []

    def wrap(self) -> None:
        self._passed += f"<{WRAPPER}>".encode()
        self._release()
        self._is_wrapped = True

    def finish(self) -> None:
        self._release()
        if self._is_wrapped:
            self.end_tag(WRAPPER, None)

    def _release(self) -> None:
        """Pass on what is held back, before what has been written in this step."""
        self._passed += b"".join(self._held or ())
        self._held = None


class TreeMarkup(DocumentMarkup):
    """The content of the document inside an element for a backend, which is the wrapper if there is one."""

    def __init__(self, source_line: Callable[[], int], *, keeps_lines: bool = True) -> None:
        super().__init__(source_line, keeps_lines=keeps_lines)
        self._write(f"<{WRAPPER}>")

    def space(self, data: str, line: int) -> None:
        """See `Markup`; trees leave it out."""

    def comment(self, data: str, verbatim: str | None, *, length: int | None = None) -> None:
        """See `Markup`; trees leave it out."""

    def finish(self) -> None:
        self.end_tag(WRAPPER, None)


class PlacedTreeMarkup(PlacedMarkup, TreeMarkup):
    """`TreeMarkup` that notes the places of elements; the wrapper begins where the document does."""

    def __init__(
        self,
        source_line: Callable[[], int],
        places: Places,
        tokenizer: Callable[[], Tokenizer],
        locate: Callable[[int], tuple[int, int]],
    ) -> None:
        super().__init__(source_line, places, tokenizer, locate)
        places.root = WRAPPER
        if places.concerns(WRAPPER):
            places.note_start(0, 1)
