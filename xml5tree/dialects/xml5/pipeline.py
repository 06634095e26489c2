"""The stages of XML5, connected: octets or text in, well-formed markup in UTF-8 out."""

from xml5tree.dialects.base import Pipeline
from xml5tree.dialects.xml5.states import data_state
from xml5tree.dialects.xml5.tokenizer import Tokenizer
from xml5tree.dialects.xml5.tree import TreeBuilder
from xml5tree.errors.log import ParseError
from xml5tree.errors.reporter import Reporter
from xml5tree.fastpath import is_enabled, make_fast_path
from xml5tree.input.stream import InputStream
from xml5tree.options import Settings
from xml5tree.output.markup import Markup
from xml5tree.output.places import PlacedMarkup, Places
from xml5tree.xml.limits import Limits

__all__ = ["XML5Pipeline", "tokenize_chunk"]


def tokenize_chunk(
    stream: InputStream, reporter: Reporter, tokenizer: Tokenizer, text: str, *, skip: int = 0, final: bool = False
) -> None:
    """Tokenize the characters that came out of the input stream last.

    The order matters. The tokenizer takes the text first, so that the reporter can find lines in it. Then what is wrong
    with its characters is reported, so that it stands in the log before what the tokenizer finds at the same place.

    Args:
        stream: the input stream.
        reporter: what the errors go to.
        tokenizer: the tokenizer.
        text: the characters.
        skip: how many of them are the XML declaration.
        final: whether the document ends here.
    """
    tokenizer.feed_chunk(text, stream.utf8, skip)
    stream.report(reporter)
    if final:
        tokenizer.close()
    tokenizer.run()


class XML5Pipeline(Pipeline):
    """See `Pipeline`."""

    _stream: InputStream
    _builder: TreeBuilder

    def __init__(
        self, settings: Settings, limits: Limits, output_encoding: str | None, places: Places | None = None
    ) -> None:
        """Connect the stages; see `Dialect.make_pipeline`."""
        on_found = None if places is None else places.found.append
        reporter = settings.make_reporter(left_out=limits.left_out, on_found=on_found)
        stream = InputStream(encoding=settings.encoding)
        # Markup is the only stage that needs a later one: it asks the tokenizer for the line in the document.
        if places is None:
            markup = Markup(lambda: tokenizer.line(), keeps_lines=limits.tells_lines)
        else:
            markup = PlacedMarkup(lambda: tokenizer.line(), places, lambda: tokenizer, reporter.locator.locate)
        super().__init__(stream, markup, reporter)
        self._output_encoding = output_encoding
        tokenizer = self._tokenizer = self._make_tokenizer(stream, markup, limits, settings)
        self._places = places
        self._started = False

    def _make_tokenizer(self, stream: InputStream, markup: Markup, limits: Limits, settings: Settings) -> Tokenizer:
        """Make tree construction and the tokenizer."""

        def is_standalone() -> bool:
            return stream.declaration is not None and stream.declaration.standalone == "yes"

        if settings.recovery == "intent":
            from xml5tree.dialects.xml5.intent.stages import make_stages  # few documents are read so

            self._builder, tokenizer = make_stages(markup, self.reporter, limits, settings, is_standalone)
            return tokenizer
        self._builder = TreeBuilder(markup, self.reporter, limits, settings)
        return Tokenizer(
            self._builder,
            self.reporter,
            settings,
            data_state,
            fast_path=make_fast_path(self._builder, limits.names),
            has_shortcuts=is_enabled(),
            is_standalone=is_standalone,
        )

    def _advance(self, text: str, *, final: bool) -> None:
        """See `Pipeline`."""
        skip = 0
        if not self._started and (text or final):
            self._started = True
            skip = self._write_declaration()
        tokenize_chunk(self._stream, self.reporter, self._tokenizer, text, skip=skip, final=final)
        self.omits_declarations = self._tokenizer.has_internal_subset
        if self._places is not None:
            self._places.reached = self._tokenizer.reached

    def _write_declaration(self) -> int:
        """Write the XML declaration if there is one; the number of characters that it takes up in the document."""
        declaration = self._stream.declaration
        if declaration is None:
            return 0
        self._markup.declaration(declaration.written(self._output_encoding))
        return declaration.end

    def _check_end(self) -> None:
        """See `Pipeline`; there must be a root element (D-107)."""
        if not self._builder.has_root:
            raise ParseError(
                "no root element: the document has no start tag",
                "no-root-element",
                self.reporter.locator.locate(self._builder.end_offset),
                self.reporter.log,
            )
