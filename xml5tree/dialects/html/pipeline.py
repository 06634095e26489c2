"""The stages of HTML, connected; markup comes at the end."""

from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final

from xml5tree.dialects.base import Pipeline, read_chunk
from xml5tree.dialects.html.codes import CODES
from xml5tree.dialects.html.machine import Tokenizer
from xml5tree.dialects.html.states import data_state
from xml5tree.dialects.html.stream import HtmlInputStream, passes_unchanged
from xml5tree.dialects.html.text_states import STATES
from xml5tree.dialects.html.writer import ElementBuilder, LineIndex, TreeWriter
from xml5tree.errors.hints import HEAD, Hint, hints_by_beginning
from xml5tree.errors.reporter import Reporter
from xml5tree.options import Settings
from xml5tree.output.markup import Markup
from xml5tree.xml.limits import ReaderLimits

if TYPE_CHECKING:
    from xml5tree.dialects.html.body import BodySink
    from xml5tree.dialects.html.tree import TreeSink


#: Most characters of a document that is read in one piece, and whose phases another document may have.
_SHORT: Final = 1 << 16


def make_tree_tokenizer(sink: "TreeSink", reporter: Reporter) -> Tokenizer:
    """Return a tokenizer whose states tree construction switches."""
    state = STATES[sink.first_model or "data"]
    tokenizer = Tokenizer(sink, reporter, data_state, STATES, initial_state=state)
    sink.place = partial(tokenizer.place, 1)
    return tokenizer


class TreeConstruction:
    """The stages from characters to a tree, of one document."""

    def __init__(self, settings: Settings, limits: ReaderLimits) -> None:
        """Connect the stages; raise `ImportError` if html5lib is not installed."""
        self.reporter = settings.make_reporter(CODES, limits.left_out)
        self.rules = limits.names
        self.max_depth = limits.depth(settings.max_depth)
        self.namespaces = bool(settings.namespaces)
        fragment = settings.fragment
        self.container = fragment.lower() if isinstance(fragment, str) else "div" if fragment else None
        self.sink = _sink_class()(
            self.container, self.reporter, self.rules, scripting=settings.scripting, max_depth=self.max_depth
        )
        self.tokenizer = make_tree_tokenizer(self.sink, self.reporter)

    def build(self, library: Any) -> Any:
        """Return the root of the finished tree as an element of `library`; report how deep the tree is."""
        builder = ElementBuilder(library, self.rules, max_depth=self.max_depth, namespaces=self.namespaces)
        root = builder.build(self.sink.builder.document, self.container)
        self.sink.report_depth(builder.attached_higher)
        return root

    def release(self, length: int) -> None:
        """Break reference cycles, so that memory is freed at once; `length` is that of the document."""
        self.sink.release(reuse=length <= _SHORT)


class HtmlPipeline(Pipeline):
    """The stages of HTML; the tree is only made use of at the end: tree construction moves nodes (H-116)."""

    def __init__(self, settings: Settings, construction: TreeConstruction, library: Any = None) -> None:
        """Connect the stages; `library` is as for `ElementBuilder`, None for markup."""
        self.root: Any = None  # the tree of `library`, once the document has ended
        self._construction = construction
        self._library = library
        self._lines = LineIndex()
        markup = Markup(lambda: self._writer.line)
        self._writer = TreeWriter(
            markup,
            construction.rules,
            self._lines,
            max_depth=construction.max_depth,
            namespaces=construction.namespaces,
        )
        stream = self._characters = HtmlInputStream(encoding=settings.encoding)
        super().__init__(settings, stream, markup, construction.reporter)

    def _advance(self, text: str, *, final: bool) -> None:
        construction = self._construction
        if self._library is None:
            self._lines.add(text)
        read_chunk(self._characters, construction.tokenizer, construction.tokenizer, text, final=final)
        if final and self._library is not None:
            self.root = construction.build(self._library)
        elif final:
            self._writer.write(construction.sink.builder.document, construction.container)
            construction.sink.report_depth(self._writer.attached_higher)

    def release(self) -> None:
        self._construction.release(self._length)

    def _hints(self) -> tuple[Hint, ...]:
        """Return the hints but the one that the document is HTML."""
        return _without_dialect(super()._hints())

    def _check_end(self) -> None:
        """Do nothing: every document has a tree."""


class HtmlBuilder:
    """Builds the tree of one document; see `xml5tree.dialects.base.Builder`."""

    def __init__(self, settings: Settings, limits: ReaderLimits, library: Any) -> None:
        """Connect the stages; `library` is as for `ElementBuilder`."""
        self._settings = settings
        self._library = library
        self._construction = TreeConstruction(settings, limits)
        self.reporter = self._construction.reporter

    def build(self, data: bytes | str) -> Any:
        """Return the root of a whole document; raise `ParseError` if it is refused."""
        construction = self._construction
        if isinstance(data, str) and len(data) <= _SHORT and passes_unchanged(data):
            root = self._read(data)
        else:
            pipeline = HtmlPipeline(self._settings, construction, self._library)
            for _ in pipeline.read_whole(data):
                pass
            root = pipeline.root
        construction.release(len(data))
        return root

    def _read(self, text: str) -> Any:
        """Read a document of text as the pipeline would, without an input stream; return its root."""
        tokenizer, reporter = self._construction.tokenizer, self.reporter
        tokenizer.feed(text, final=True)
        tokenizer.run()
        root = self._construction.build(self._library)
        reporter.close()
        if reporter.log.total:
            reporter.log.hints = _without_dialect(hints_by_beginning(text[:HEAD]))
        reporter.notify_end()
        return root


def _without_dialect(hints: tuple[Hint, ...]) -> tuple[Hint, ...]:
    return tuple(hint for hint in hints if hint.option != "dialect")


@cache
def _sink_class() -> "type[BodySink]":
    try:
        from xml5tree.dialects.html.body import BodySink
    except ModuleNotFoundError as error:
        if error.name != "html5lib":
            raise
        message = "trees of HTML need html5lib: install it, or xml5tree with the extra html, as in xml5tree[html]"
        raise ModuleNotFoundError(message, name="html5lib") from None
    return BodySink
