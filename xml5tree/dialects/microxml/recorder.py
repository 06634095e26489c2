"""Abstract tokens as objects, for `xml5tree.tokenize` (M-078)."""

from collections.abc import Iterable, Iterator

from xml5tree.dialects.base import recorded
from xml5tree.dialects.microxml.codes import CODES
from xml5tree.dialects.microxml.lexer import Lexer, Sink
from xml5tree.dialects.microxml.stream import MicroXMLStream
from xml5tree.errors.entry import ErrorEntry
from xml5tree.machine.recorder import TokenRecorder
from xml5tree.options import Settings
from xml5tree.tokens import Characters, EmptyTag, EndTag, StartTag, Token


class _Recorder(TokenRecorder[Token], Sink):
    text_token = Characters

    def __init__(self) -> None:
        super().__init__()
        self._name = self._attribute = ""
        self._attributes: dict[str, str] = {}

    def start_tag_open(self, name: str, offset: int) -> None:
        self._name = name
        self._attributes = {}

    def attribute(self, name: str, offset: int) -> None:
        self._attribute = name

    def attribute_value(self, value: str) -> None:
        self._attributes[self._attribute] = value

    def start_tag_close(self, verbatim: str | None, empty: bool) -> None:
        self._add((EmptyTag if empty else StartTag)(self._name, self._attributes))

    def end_tag(self, name: str, offset: int, verbatim: str | None) -> None:
        self._add(EndTag(name))

    section = TokenRecorder.characters

    def reference(self, data: str, offset: int, verbatim: str | None) -> None:
        self._text.append(data)


def tokenize(parts: Iterable[bytes | str], settings: Settings, *, with_errors: bool) -> Iterator[Token | ErrorEntry]:
    recorder = _Recorder()
    reporter = settings.make_reporter(CODES, on_error=recorder.note_error if with_errors else None)
    stream = MicroXMLStream(encoding=settings.encoding)
    lexer = Lexer(recorder, reporter, settings.named_entities)
    return recorded(parts, stream, lexer, recorder, reporter)
