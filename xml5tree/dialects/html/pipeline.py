"""The stages of HTML, connected: octets or text in, the tree as markup out, once the document has ended."""

from typing import TYPE_CHECKING, Any

from xml5tree.dialects.base import Pipeline
from xml5tree.dialects.html.codes import HTML_CODES
from xml5tree.dialects.html.elements import ElementBuilder
from xml5tree.dialects.html.lines import LineIndex
from xml5tree.dialects.html.stream import HtmlInputStream
from xml5tree.dialects.html.tokenizing import make_tree_tokenizer
from xml5tree.dialects.html.tree import TreeSink
from xml5tree.dialects.html.writer import TreeWriter
from xml5tree.errors.hints import Hint
from xml5tree.options import Settings
from xml5tree.output.markup import Markup
from xml5tree.xml.limits import ReaderLimits

if TYPE_CHECKING:
    from xml5tree.dialects.html.construction import Html5libTree

__all__ = ["HtmlPipeline"]


class HtmlPipeline(Pipeline):
    """The stages of HTML; tree construction moves nodes, so the markup comes at the end (H-116)."""

    def __init__(self, settings: Settings, limits: ReaderLimits, library: Any = None) -> None:
        """Connect the stages; raise `ImportError` if html5lib is not installed.

        With a `library`, which is ElementTree's module, `build` makes its elements; else the tree becomes markup.
        """
        reporter = settings.make_reporter(HTML_CODES, limits.left_out)
        stream = self._characters = HtmlInputStream(encoding=settings.encoding)
        max_depth = min(settings.max_depth, limits.max_depth or settings.max_depth)
        self._container = _container(settings.fragment)
        self._tree = _make_tree(self._container, scripting=settings.scripting, max_depth=max_depth)
        sink = TreeSink(self._tree, reporter, limits.names, max_depth, lambda: tokenizer.place(1))
        tokenizer = self._tokenizer = make_tree_tokenizer(sink, reporter, self._tree)
        markup = Markup(lambda: writer.line)
        namespaces = bool(settings.namespaces)
        self._lines = LineIndex()
        writer = TreeWriter(markup, limits.names, self._lines, max_depth=max_depth, namespaces=namespaces)
        self._writer = writer if library is None else None
        self._builder = ElementBuilder(library, limits.names, max_depth=max_depth, namespaces=namespaces)
        super().__init__(settings, stream, markup, reporter)

    def build(self, data: bytes | str) -> Any:
        """Return the root of a whole document, of elements of the library; raise `ParseError` if it is refused."""
        for _ in self.read_whole(data):
            pass
        return self._builder.build(self._tree.finished(), self._container)

    def _advance(self, text: str, *, final: bool) -> None:
        if self._writer is not None:
            self._lines.add(text)
        self._tokenizer.feed(text, final=final)
        self._characters.report(self._tokenizer)
        self._tokenizer.run()
        if final and self._writer is not None:
            self._writer.write(self._tree.finished(), self._container)

    def _hints(self) -> tuple[Hint, ...]:
        """Return the hints but the one that the document is HTML."""
        return tuple(hint for hint in super()._hints() if hint.option != "dialect")

    def _check_end(self) -> None:
        """Do nothing: every document has a tree."""


def _container(fragment: bool | str) -> str | None:
    if isinstance(fragment, bool):
        return "div" if fragment else None
    return fragment.lower()


def _make_tree(container: str | None, *, scripting: bool, max_depth: int) -> "Html5libTree":
    try:
        from xml5tree.dialects.html.construction import Html5libTree
    except ModuleNotFoundError as error:
        if error.name != "html5lib":
            raise
        message = "trees of HTML need html5lib: install it, or xml5tree with the extra html, as in xml5tree[html]"
        raise ModuleNotFoundError(message, name="html5lib") from None
    return Html5libTree(container, scripting=scripting, max_depth=max_depth)
