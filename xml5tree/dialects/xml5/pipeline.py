"""The repair: octets or text in, well-formed markup in UTF-8 out."""

from collections.abc import Iterator
from typing import Final

from xml5tree.dialects.xml5 import make_tokenizer
from xml5tree.dialects.xml5.tree import TreeBuilder
from xml5tree.errors.log import ParseError
from xml5tree.errors.reporter import Reporter
from xml5tree.fastpath import CleanLane
from xml5tree.input.stream import InputStream
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
            output_encoding: the encoding that the XML declaration names; None: it names none, as text has none.
        """
        self.reporter = Reporter(settings.max_errors, settings.on_error)
        self._output_encoding = output_encoding
        self._stream = InputStream(encoding=settings.encoding)
        self._markup = Markup()
        self._builder = TreeBuilder(self._markup, self.reporter, limits, settings)
        self._tokenizer = make_tokenizer(self._builder.phase, self.reporter, settings)
        self._markup.input_line = self._tokenizer.line
        self._builder.on_phase = self._tokenizer.set_sink
        self._clean_lane = CleanLane(self._builder)
        if settings.clean_lane:
            self._tokenizer.clean_lane = self._clean_lane.take
        self._started = False

    def feed(self, data: bytes | bytearray | memoryview | str) -> Iterator[bytes]:
        """Take the next part of the document; its markup comes in pieces that end between tokens.

        Raises:
            TypeError: `data` is neither bytes nor text, or not of the kind that was fed before.
            ParseError: the document has a DOCTYPE, which the settings forbid.
        """
        if not isinstance(data, bytes | bytearray | memoryview | str):
            raise TypeError(f"bytes or str expected, not {type(data).__name__}")
        for start in range(0, len(data), _BLOCK):
            self._advance(data[start : start + _BLOCK], final=False)
            yield self._markup.take()

    def close(self) -> Iterator[bytes]:
        """End the document; the last of the markup.

        Raises:
            ParseError: the document has no root element; behind the markup of what it has.
        """
        self._advance(self._stream.end_of_file(), final=True)
        self.reporter.close()
        yield self._markup.take()
        if not self._builder.has_root:
            raise ParseError(
                "no root element: the document has no start tag",
                "no-root-element",
                self.reporter.locator.locate(self._builder.end),
                self.reporter.log,
            )

    def _advance(self, data: bytes | bytearray | memoryview | str, final: bool) -> None:
        text = self._stream.feed(data, final)
        skip = 0
        if not self._started and (text or final):
            self._started = True
            skip = self._write_declaration()
        self._clean_lane.announce(text, self._stream.encoded)
        self._tokenizer.feed(text, skip)
        self._stream.report(self.reporter)
        if final:
            self._tokenizer.close()
        self._tokenizer.run()

    def _write_declaration(self) -> int:
        """Write the XML declaration if there is one; the number of characters that it takes up in the document."""
        declaration = self._stream.declaration
        if declaration is None:
            return 0
        self._tokenizer.standalone = declaration.standalone == "yes"
        self._markup.declaration(declaration.written(self._output_encoding))
        return declaration.end
