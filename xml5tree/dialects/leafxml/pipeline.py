"""Octets or text of a LeafXML document in, well-formed markup in UTF-8 out."""

from collections.abc import Iterator
from typing import Final

from xml5tree.dialects.leafxml.codes import LEAFXML_CODES
from xml5tree.dialects.leafxml.faults import Fault
from xml5tree.dialects.leafxml.lexer import Lexer
from xml5tree.dialects.leafxml.places import Places
from xml5tree.dialects.leafxml.stream import CharacterStream
from xml5tree.dialects.leafxml.tree import TreeBuilder
from xml5tree.errors.log import ParseError
from xml5tree.errors.reporter import Reporter
from xml5tree.options import Settings
from xml5tree.output.markup import Markup
from xml5tree.xml.limits import Limits

__all__ = ["Pipeline"]

#: Bytes or characters that go through the stages at a time.
_BLOCK: Final = 1 << 18


class Pipeline:
    """The stages from the document to the markup, connected.

    Attributes:
        reporter: has the error log.
    """

    def __init__(self, settings: Settings, limits: Limits, *, output_encoding: str | None = None) -> None:
        """Connect the stages.

        Args:
            settings: the options.
            limits: what the reader of the markup can read.
            output_encoding: of no effect: no XML declaration is written, as there is none in the tree.
        """
        self.reporter = Reporter(settings.max_errors, settings.on_error, LEAFXML_CODES)
        self._stream = CharacterStream(settings.encoding)
        self._markup = Markup()
        places = Places(self.reporter)
        builder = TreeBuilder(self._markup, self.reporter, limits, settings)
        self._lexer = lexer = Lexer(builder, places, forbid_dtd=settings.forbid_dtd)
        self._markup.input_line = lambda ahead: places.line(lexer.end + ahead)
        builder.token_offset = lambda: places.offset(lexer.start)
        self._places = places
        self._refusal: ParseError | None = None

    def feed(self, data: bytes | bytearray | memoryview | str) -> Iterator[bytes]:
        """Take the next part of the document; its markup comes in pieces that end between tokens.

        Raises:
            TypeError: `data` is neither bytes nor text, or not of the kind that was fed before.
            ParseError: the document has been refused; after the markup of the tokens before the fault.
        """
        if not isinstance(data, bytes | bytearray | memoryview | str):
            raise TypeError(f"bytes or str expected, not {type(data).__name__}")
        for start in range(0, len(data), _BLOCK):
            yield self._advance(data[start : start + _BLOCK], final=False)
            self._raise_refusal()

    def close(self) -> Iterator[bytes]:
        """End the document; the last of the markup.

        Raises:
            ParseError: as `feed`.
        """
        yield self._advance(self._stream.end_of_file(), final=True)
        self._raise_refusal()

    def _advance(self, data: bytes | bytearray | memoryview | str, final: bool) -> bytes:
        """Take the next part of the document; its markup."""
        self._raise_refusal()
        lexer = self._lexer
        try:
            text, error = self._stream.feed(data, final)
            lexer.feed(text)
            if error is not None:
                lexer.stop(*error)
            if final:
                lexer.close()
        except Fault as fault:
            lexer.end_content()
            offset = self._places.offset(lexer.start + fault.index)
            self._refusal = self.reporter.refuse(fault.code, offset, *fault.detail)
        return self._markup.take()

    def _raise_refusal(self) -> None:
        if self._refusal is not None:
            raise self._refusal
