"""Tokens as objects, for `xml5tree.tokenize`."""

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Self

from xml5tree.dialects.base import recorded
from xml5tree.dialects.xml5.pipeline import make_source, make_stream, tokenize_chunk
from xml5tree.dialects.xml5.sink import Doctype, TokenSink
from xml5tree.dialects.xml5.states import data_state, tag_state
from xml5tree.dialects.xml5.tokenizer import Tokenizer
from xml5tree.errors.entry import ErrorEntry
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
    # Text is the input of the draft's tokenizer as it is. From bytes, a byte order mark is removed first.
    parts = iter(parts)
    first = next(parts, b"")
    stream = InputStream(prolog=False) if isinstance(first, str) else make_stream(settings)
    tokenizer = Tokenizer(recorder, reporter, settings, data_state, tag_state)
    read = partial(tokenize_chunk, source=source)
    return recorded(chain((first,), parts), stream, tokenizer, recorder, reporter, read)
