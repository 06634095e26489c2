"""The stages of LeafXML, connected."""

from typing import Unpack

from xml5tree.dialects.base import MarkupOptions, Pipeline
from xml5tree.dialects.leafxml.codes import CODES
from xml5tree.dialects.leafxml.lexer import Lexer
from xml5tree.dialects.leafxml.stream import CharacterStream
from xml5tree.dialects.leafxml.tree import TreeBuilder
from xml5tree.options import Settings
from xml5tree.output.markup import Markup
from xml5tree.output.places import PlacedMarkup
from xml5tree.xml.limits import ReaderLimits


class Stages(Pipeline):
    """See `Pipeline`; no XML declaration is written, since the tree has none."""

    recovers = False
    _stream: CharacterStream

    def __init__(self, settings: Settings, limits: ReaderLimits, **wanted: Unpack[MarkupOptions]) -> None:
        """See `Dialect.make_pipeline`."""
        places = wanted.get("places")
        on_found = None if places is None else places.note_error
        reporter = settings.make_reporter(CODES, limits.left_out, on_found=on_found)
        # The markup needs the lexer's line, and tree construction its token.
        markup: Markup
        if places is not None:
            markup = PlacedMarkup(lambda: lexer.line(), places, lambda: lexer, reporter.locator.locate)
        else:
            markup = Markup(lambda: lexer.line(), keeps_lines=limits.tells_lines)
        builder = TreeBuilder(markup, reporter, limits, settings, lambda: lexer)
        lexer = self._lexer = Lexer(builder, reporter, forbid_dtd=settings.forbid_dtd)
        lexer.copy_flat = builder.copy_flat
        self._places = places
        super().__init__(settings, CharacterStream(settings.encoding), markup, reporter)

    def _advance(self, text: str, *, final: bool) -> None:
        self._lexer.feed(text, self._stream.error, final=final)
        if self._places is not None:
            self._places.reached = self._lexer.place()
