"""The stages of HTML, connected; markup comes at the end."""

from functools import partial
from typing import Any, Final, Unpack

from xml5tree.dialects.base import MarkupOptions, Pipeline, read_chunk
from xml5tree.dialects.html.codes import CODES
from xml5tree.dialects.html.machine import Tokenizer
from xml5tree.dialects.html.states import data_state
from xml5tree.dialects.html.stream import HtmlInputStream, passes_unchanged
from xml5tree.dialects.html.text_states import STATES
from xml5tree.dialects.html.writer import ElementBuilder, TreeWriter
from xml5tree.errors.hints import HEAD, Hint, hints_by_beginning
from xml5tree.errors.reporter import Reporter
from xml5tree.options import Settings
from xml5tree.output.markup import Markup
from xml5tree.xml.limits import ReaderLimits

try:  # only trees need this module, and html5lib
    from xml5tree.dialects.html.tree import TreeSink
except ModuleNotFoundError as error:
    if error.name != "html5lib":
        raise
    message = "trees of HTML need html5lib: install it, or xml5tree with the extra html, as in xml5tree[html]"
    raise ModuleNotFoundError(message, name="html5lib") from None

#: Most characters of a document that is read in one piece, and whose phases another document may have.
_SHORT: Final = 1 << 16


def make_tree_tokenizer(sink: TreeSink, reporter: Reporter) -> Tokenizer:
    """Return a tokenizer whose states tree construction switches."""
    state = STATES[sink.first_model or "data"]
    tokenizer = Tokenizer(sink, reporter, data_state, STATES, initial_state=state)
    sink.place = partial(tokenizer.place, 1)
    return tokenizer


class Stages(Pipeline):
    """See `Pipeline` and `Builder`; the tree is only made use of at the end: tree construction moves nodes (H-116)."""

    _stream: HtmlInputStream

    def __init__(
        self, settings: Settings, limits: ReaderLimits, library: Any = None, **wanted: Unpack[MarkupOptions]
    ) -> None:
        """Connect the stages; raise `ValueError` for options of `tokenize`.

        `library` is as for `ElementBuilder`, which makes the tree; None: a `TreeWriter` writes markup.
        """
        _check(settings)
        self.root: Any = None  # the tree of `library`, once the document has ended
        self.reporter = reporter = settings.make_reporter(CODES, limits.left_out)
        self._settings = settings
        self._library = library
        self._rules = limits.names
        self._max_depth = limits.depth(settings.max_depth)
        fragment = settings.fragment
        self._container = fragment.lower() if isinstance(fragment, str) else "div" if fragment else None
        self._sink = TreeSink(
            self._container, reporter, self._rules, scripting=settings.scripting, max_depth=self._max_depth
        )
        self._tokenizer = make_tree_tokenizer(self._sink, reporter)
        if library is None:
            self._begin()

    def _begin(self) -> None:
        """Connect the stages that a document needs that comes in parts, or not as plain text."""
        settings = self._settings
        markup = Markup(lambda: self._writer.line)
        namespaces = bool(settings.namespaces)
        self._writer = TreeWriter(markup, self._rules, max_depth=self._max_depth, namespaces=namespaces)
        super().__init__(settings, HtmlInputStream(encoding=settings.encoding), markup, self.reporter)

    def build(self, data: bytes | str) -> Any:
        """See `Builder`."""
        if isinstance(data, str) and len(data) <= _SHORT and passes_unchanged(data):
            self._read_short(data)
        else:
            self._begin()
            for _ in self.read_whole(data):
                pass
        self.release()
        return self.root

    def _read_short(self, text: str) -> None:
        """Read a document of text as `read_whole` would, without an input stream."""
        reporter = self.reporter
        self._length = len(text)
        self._tokenizer.feed(text, final=True)
        self._tokenizer.run()
        self._end_tree()
        reporter.close()
        if reporter.log.total:
            reporter.log.hints = _without_dialect(hints_by_beginning(text[:HEAD]))
        reporter.notify_end()

    def _advance(self, text: str, *, final: bool) -> None:
        if self._library is None:
            self._writer.take_lines(text)
        read_chunk(self._stream, self.reporter, self._tokenizer, text, final=final)
        if final:
            self._end_tree()

    def _end_tree(self) -> None:
        """Make use of the finished tree, and report how deep it is."""
        document, library = self._sink.builder.document, self._library
        if library is None:
            self._writer.write(document, self._container)
            attached_higher = self._writer.attached_higher
        else:
            namespaces = bool(self._settings.namespaces)
            builder = ElementBuilder(library, self._rules, max_depth=self._max_depth, namespaces=namespaces)
            self.root = builder.build(document, self._container)
            attached_higher = builder.attached_higher
        self._sink.report_depth(attached_higher)

    def release(self) -> None:
        self._sink.release(reuse=self._length <= _SHORT)

    def _hints(self) -> tuple[Hint, ...]:
        """Return the hints but the one that the document is HTML."""
        return _without_dialect(super()._hints())


def _check(settings: Settings) -> None:
    """Raise `ValueError` for options of `tokenize`."""
    if settings.revision == "2008":
        raise ValueError('revision="2008" is for tokenize; there is no tree construction of that draft')
    if settings.initial_state is not None or settings.last_start_tag is not None:
        option = "last_start_tag" if settings.initial_state is None else "initial_state"
        raise ValueError(f"{option} is for tokenize; for the content of an element there is fragment")
    if not settings.content_models:
        raise ValueError("content_models is for tokenize; tree construction has its own")


def _without_dialect(hints: tuple[Hint, ...]) -> tuple[Hint, ...]:
    return tuple(hint for hint in hints if hint.option != "dialect")
