"""The stages of MicroXML, connected."""

from typing import Final, Unpack

from xml5tree.dialects.base import MarkupOptions, Pipeline, read_chunk
from xml5tree.dialects.microxml.codes import CODES
from xml5tree.dialects.microxml.lexer import Lexer
from xml5tree.dialects.microxml.markup import PlacedTreeMarkup, RepairedMarkup, TreeMarkup
from xml5tree.dialects.microxml.stream import MicroXMLStream
from xml5tree.dialects.microxml.tree import MicroXMLTree
from xml5tree.errors.entry import ErrorEntry
from xml5tree.errors.log import ErrorLog, ParseError
from xml5tree.options import Settings
from xml5tree.xml.limits import ReaderLimits


class Stages(Pipeline):
    """See `Pipeline`; no XML declaration is written. If `recovery` is strict, the first error raises `ParseError`."""

    _stream: MicroXMLStream

    def __init__(self, settings: Settings, limits: ReaderLimits, **wanted: Unpack[MarkupOptions]) -> None:
        """See `Dialect.make_pipeline`."""
        self._first: ErrorEntry | None = None
        self._listener: Final = settings.listener
        on_error = self._listener if settings.recovers else self._note
        for_tree, places, edits = wanted.get("for_tree", True), wanted.get("places"), wanted.get("edits")
        notes = places or edits
        on_found = None if notes is None else notes.note_error
        reporter = settings.make_reporter(CODES, limits.left_out, on_error=on_error, on_found=on_found)
        stream = MicroXMLStream(encoding=settings.encoding)
        # The markup needs the lexer's line, and so is the only stage that needs a later one.
        markup: PlacedTreeMarkup | TreeMarkup | RepairedMarkup
        if places is not None:
            markup = PlacedTreeMarkup(lambda: lexer.line(), places, lambda: lexer, reporter.locator.locate)
        elif edits is not None:
            from xml5tree.dialects.microxml.edited import EditedRepairedMarkup

            markup = EditedRepairedMarkup(lambda: lexer.line(), edits, lambda: lexer, keeps_lines=limits.tells_lines)
        else:
            make_markup = TreeMarkup if for_tree else RepairedMarkup
            markup = make_markup(lambda: lexer.line(), keeps_lines=limits.tells_lines)
        keeping = None
        if wanted.get("keeps") or edits is not None:
            from xml5tree.output.keeping import Keeping

            keeping = Keeping(lambda: lexer.place(), as_text=wanted.get("output_encoding") is None)
        super().__init__(settings, stream, markup, reporter, edits, keeping)
        self._tree = MicroXMLTree(markup, reporter, limits, settings)
        lexer = self._lexer = Lexer(self._tree, reporter, settings.named_entities)
        self._places = places
        self.hides_root = for_tree

    @property
    def cut_levels(self) -> range:
        around = int(self._tree.is_wrapped)
        return range(around, around + self._tree.cut_depth)

    def _advance(self, text: str, *, final: bool) -> None:
        read_chunk(self._stream, self.reporter, self._lexer, text, final=final)
        self.shows_root = self._tree.is_wrapped
        if self._places is not None:
            self._places.reached = self._lexer.reached
        self._check_end()

    def _check_end(self) -> None:
        """See `Pipeline`; there is always a tree, unless the document is refused."""
        if (first := self._first) is not None:
            raise ParseError(first.message, first.code, (first.line, first.column), ErrorLog([first]))

    def _note(self, entry: ErrorEntry) -> None:
        """Note the first error in document order, for which a strict pipeline refuses (M-060)."""
        if entry.kind != "coerced" and (self._first is None or entry.offset < self._first.offset):
            self._first = entry
        if self._listener is not None:
            self._listener(entry)
