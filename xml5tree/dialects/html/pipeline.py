"""The stages of HTML, connected: octets or text in, the tree as markup out, once the document has ended."""

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from xml5tree.dialects.base import Pipeline
from xml5tree.dialects.html.codes import HTML_CODES
from xml5tree.dialects.html.elements import ElementBuilder
from xml5tree.dialects.html.lines import LineIndex
from xml5tree.dialects.html.stream import HtmlInputStream, passes_unchanged
from xml5tree.dialects.html.tokenizing import make_tree_tokenizer
from xml5tree.dialects.html.tree import TreeSink
from xml5tree.dialects.html.writer import TreeWriter
from xml5tree.errors.hints import HEAD, Hint, hints_by_beginning
from xml5tree.options import Settings
from xml5tree.output.markup import Markup
from xml5tree.xml.limits import ReaderLimits

if TYPE_CHECKING:
    from xml5tree.dialects.html.construction import Html5libTree

__all__ = ["HtmlBuilder", "HtmlPipeline", "TreeConstruction"]

#: Most characters of a document that is read in one piece, and whose phases another document may have.
_SHORT: Final = 1 << 16


class TreeConstruction:
    """The stages from characters to a tree, of one document."""

    def __init__(self, settings: Settings, limits: ReaderLimits) -> None:
        """Connect the stages; raise `ImportError` if html5lib is not installed."""
        self.reporter = settings.make_reporter(HTML_CODES, limits.left_out)
        self.rules = limits.names
        self.max_depth = min(settings.max_depth, limits.max_depth or settings.max_depth)
        self.namespaces = bool(settings.namespaces)
        self.container = _container(settings.fragment)
        self.tree = _tree_class()(self.container, scripting=settings.scripting, max_depth=self.max_depth)
        self._sink = TreeSink(self.tree, self.reporter, self.rules, self.max_depth)
        self.tokenizer = make_tree_tokenizer(self._sink, self.reporter, self.tree)

    def release(self, length: int) -> None:
        """Break reference cycles, so that memory is freed at once; `length` is that of the document."""
        self._sink.release()
        if length <= _SHORT:
            self.tree.release()


class HtmlPipeline(Pipeline):
    """The stages of HTML; tree construction moves nodes, so the markup comes at the end (H-116)."""

    def __init__(self, settings: Settings, construction: TreeConstruction, *, writes: bool = True) -> None:
        """Connect the stages; without `writes`, there is no markup, only the tree of `construction`."""
        self._construction = construction
        self._writes = writes
        stream = self._characters = HtmlInputStream(encoding=settings.encoding)
        markup = Markup(lambda: writer.line)
        self._lines = LineIndex()
        writer = self._writer = TreeWriter(
            markup,
            construction.rules,
            self._lines,
            max_depth=construction.max_depth,
            namespaces=construction.namespaces,
        )
        super().__init__(settings, stream, markup, construction.reporter)

    def _advance(self, text: str, *, final: bool) -> None:
        construction = self._construction
        if self._writes:
            self._lines.add(text)
        construction.tokenizer.feed(text, final=final)
        self._characters.report(construction.tokenizer)
        construction.tokenizer.run()
        if final and self._writes:
            self._writer.write(construction.tree.finished(), construction.container)

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
            self._read(data)
        else:
            for _ in HtmlPipeline(self._settings, construction, writes=False).read_whole(data):
                pass
        builder = ElementBuilder(
            self._library, construction.rules, max_depth=construction.max_depth, namespaces=construction.namespaces
        )
        root = builder.build(construction.tree.finished(), construction.container)
        construction.release(len(data))
        return root

    def _read(self, text: str) -> None:
        """Read a document of text as an `HtmlPipeline` would, without an input stream."""
        tokenizer, reporter = self._construction.tokenizer, self.reporter
        tokenizer.feed(text, final=True)
        tokenizer.run()
        reporter.close()
        if reporter.log.total:
            reporter.log.hints = _without_dialect(hints_by_beginning(text[:HEAD]))
        reporter.notify_end()


def _without_dialect(hints: tuple[Hint, ...]) -> tuple[Hint, ...]:
    return tuple(hint for hint in hints if hint.option != "dialect")


def _container(fragment: bool | str) -> str | None:
    if isinstance(fragment, bool):
        return "div" if fragment else None
    return fragment.lower()


@cache
def _tree_class() -> "type[Html5libTree]":
    try:
        from xml5tree.dialects.html.construction import Html5libTree
    except ModuleNotFoundError as error:
        if error.name != "html5lib":
            raise
        message = "trees of HTML need html5lib: install it, or xml5tree with the extra html, as in xml5tree[html]"
        raise ModuleNotFoundError(message, name="html5lib") from None
    return Html5libTree
