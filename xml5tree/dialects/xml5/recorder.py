"""Tokens as objects, for `xml5tree.tokenize`."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Self

from xml5tree.dialects.base import characters_of
from xml5tree.dialects.xml5.pipeline import make_source, make_stream, tokenize_chunk
from xml5tree.dialects.xml5.sink import Doctype, TokenSink, TreeConstruction
from xml5tree.dialects.xml5.states import data_state, tag_state
from xml5tree.dialects.xml5.tokenizer import Tokenizer
from xml5tree.errors.entry import ErrorEntry
from xml5tree.errors.reporter import Reporter
from xml5tree.input.stream import InputStream
from xml5tree.machine.recorder import TokenRecorder
from xml5tree.options import Settings
from xml5tree.tokens import (
    Characters,
    Comment,
    EmptyTag,
    EndTag,
    ProcessingInstruction,
    ShortEndTag,
    StartTag,
    Token,
)
from xml5tree.tokens import Doctype as DoctypeToken

if TYPE_CHECKING:
    from xml5tree.dialects.xml5.editing import EditedSource


_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


class Recorder(TokenRecorder[Token], TokenSink):
    """Collects the tokens; those of an entity are the document's, and CDATA sections leave none of their own."""

    text_token = Characters
    _has_doctype = False

    @property
    def phase(self) -> Self:
        return self

    def ends_with_root(self, text: str) -> bool:
        return False

    def start_tag(self, name: str, attributes: dict[str, str], offset: int, verbatim: str | None) -> None:
        self._add(StartTag(name, attributes))

    def empty_tag(self, name: str, attributes: dict[str, str], offset: int, verbatim: str | None) -> None:
        self._add(EmptyTag(name, attributes))

    def end_tag(self, name: str, offset: int, verbatim: str | None) -> None:
        self._add(EndTag(name))

    def short_end_tag(self, offset: int) -> None:
        self._add(ShortEndTag())

    def reference(self, data: str, offset: int, verbatim: str | None) -> None:
        self._text.append(data)

    def comment(self, data: str, offset: int, verbatim: str | None) -> None:
        self._add(Comment(data))

    def processing_instruction(self, target: str, data: str, offset: int, verbatim: str | None) -> None:
        self._add(ProcessingInstruction(target, data))

    def doctype(self, doctype: Doctype, offset: int, verbatim: str | None) -> None:
        """See `TokenSink`; the first DOCTYPE's declarations are obeyed."""
        name = doctype.name.translate(_ASCII_LOWER) if doctype.name else doctype.name
        self._add(DoctypeToken(name, doctype.public_id, doctype.system_id))
        if self._has_doctype:
            doctype.dtd.discard()
        self._has_doctype = True


def tokenize(parts: Iterable[bytes | str], settings: Settings, *, with_errors: bool) -> Iterator[Token | ErrorEntry]:
    source = make_source(settings)
    recorder = Recorder()
    reporter = settings.make_reporter(
        on_error=recorder.note_error if with_errors else None, make=None if source is None else source.make_reporter
    )
    for _ in tokenize_parts(parts, recorder, reporter, settings, source):
        yield from recorder.take()


def tokenize_parts(
    parts: Iterable[bytes | str],
    construction: TreeConstruction,
    reporter: Reporter,
    settings: Settings,
    source: "EditedSource | None" = None,
) -> Iterator[None]:
    """Tokenize a document that comes in parts; yield after each part, and after the end."""
    # Text is the input of the draft's tokenizer as it is. From bytes, a byte order mark is removed first.
    parts = iter(parts)
    first = next(parts, b"")
    stream = InputStream(prolog=False) if isinstance(first, str) else make_stream(settings)
    tokenizer = Tokenizer(construction, reporter, settings, data_state, tag_state)
    if isinstance(construction, Recorder):
        construction.call_out = lambda: reporter.call_out(tokenizer.place(1))
    for text, is_last in characters_of(stream, chain((first,), parts)):
        tokenize_chunk(stream, reporter, tokenizer, text, final=is_last, source=source)
        if is_last:
            reporter.close()
        yield
