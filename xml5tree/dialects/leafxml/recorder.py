"""Tokens as objects, for `xml5tree.tokenize` (L-084)."""

from collections.abc import Iterable, Iterator

from xml5tree.dialects.base import characters_of
from xml5tree.dialects.leafxml.codes import CODES
from xml5tree.dialects.leafxml.lexer import Lexer
from xml5tree.dialects.leafxml.stream import CharacterStream
from xml5tree.errors.entry import ErrorEntry
from xml5tree.errors.log import ParseError
from xml5tree.machine.recorder import TokenRecorder
from xml5tree.options import Settings
from xml5tree.tokens import Characters, EmptyTag, EndTag, StartTag

Token = Characters | StartTag | EmptyTag | EndTag


class _Recorder(TokenRecorder[Token]):
    """Collects the tokens; tag stack, namespaces and stray content are not checked."""

    outside = False

    def content(self, data: str) -> None:
        self._add(Characters(data))

    def start_tag(self, name: str, attributes: dict[str, str], empty: bool, source: str, verbatim: str | None) -> None:
        self._add((EmptyTag if empty else StartTag)(name, attributes))

    def end_tag(self, name: str) -> None:
        self._add(EndTag(name))


def tokenize(parts: Iterable[bytes | str], settings: Settings, *, with_errors: bool) -> Iterator[Token | ErrorEntry]:
    """Yield the tokens, and last the error, or raise it as `ParseError` without `with_errors`."""
    recorder = _Recorder()
    reporter = settings._replace(max_errors=None).make_reporter(
        CODES, on_error=recorder.note_error if with_errors else None
    )
    lexer = Lexer(recorder, reporter, forbid_dtd=settings.forbid_dtd)
    recorder.watch(reporter, lexer.offset)
    stream = CharacterStream(settings.encoding)
    try:
        for text, is_last in characters_of(stream, parts):
            lexer.feed(text, stream.error, final=is_last)
            yield from recorder.take()
    except ParseError:
        yield from recorder.take()
        if not with_errors:
            raise
