"""Tokens to the tree (L-060 to L-079)."""

from collections.abc import Callable, Iterable
from typing import Final

from xml5tree.dialects.flat import LEVELS, copy_flat, flat_elements
from xml5tree.dialects.leafxml.faults import Fault
from xml5tree.dialects.leafxml.lexer import VALUE, Lexer
from xml5tree.dialects.leafxml.namespaces import check_names
from xml5tree.dialects.leafxml.tags import read_tag
from xml5tree.errors.codes import Effect
from xml5tree.errors.reporter import Reporter
from xml5tree.options import Settings
from xml5tree.output.markup import Markup, written_attributes
from xml5tree.tree.namespaces import Element, Namespaces
from xml5tree.xml.limits import ReaderLimits

#: References whose text is written as they are; others are resolved.
_FLAT: Final = flat_elements("amp|lt", VALUE)


class TreeBuilder:
    """Calls an emitter for the tree of tokens; a `Fault` that a method raises has an index within the token."""

    def __init__(
        self,
        emitter: Markup,
        reporter: Reporter,
        limits: ReaderLimits,
        settings: Settings,
        lexer: Callable[[], Lexer],
    ) -> None:
        """Connect the emitter, whose markup a reader of `limits` reads, the reporter of coercions, and the lexer."""
        self.outside = True
        self._emitter = emitter
        self._reporter = reporter
        self._namespaces = Namespaces(limits, settings, self._report)
        self._max_depth = limits.depth(settings.max_depth)
        self._lexer = lexer
        #: Names of the open elements, and their written form if it differs.
        self._stack: list[tuple[str, Element | None]] = []
        self._has_root = False

    def copy_flat(self, text: str, start: int, offset: int) -> int:
        """Write the flat elements at an index, `offset` in the document; return their end."""
        if self.outside or len(self._stack) + LEVELS >= self._max_depth or not self._namespaces.is_verbatim("a", {}):
            return start
        return copy_flat(_FLAT, text, start, offset, self._emitter, self._reporter.locator)

    def content(self, data: str) -> None:
        """Append a content assembly; outside the root element it is padding."""
        if self.outside:
            self._emitter.space(data, self._lexer().padding_line)
        else:
            self._emitter.text(data)

    def start_tag(self, name: str, attributes: dict[str, str], empty: bool, source: str, verbatim: str | None) -> None:
        """Append an element (L-060, L-064, L-071)."""
        stack = self._stack
        if not stack and self._has_root:
            raise Fault("element-after-root", 0, name)
        if len(stack) >= self._max_depth:
            raise Fault("max-depth-exceeded", 0, self._max_depth)
        self._has_root = True
        if self._namespaces.is_verbatim(name, attributes):
            element = None
            verbatim = verbatim or _tag(name, attributes.items(), empty)
        else:
            element = self._enter(name, attributes, source, verbatim)
            verbatim = element.verbatim or _tag(element.name, element.attributes, empty)
        self._emitter.start_tag(name, (), empty, verbatim)
        if not empty:
            stack.append((name, element))
            self.outside = False
        elif element is not None:
            self._leave(element)

    def end_tag(self, name: str) -> None:
        """Close the current element (L-061, L-062)."""
        if not self._stack:
            raise Fault("unmatched-end-tag", 0, f"</{name}>")
        expected, element = self._stack[-1]
        if name != expected:
            raise Fault("mismatched-end-tag", 0, f"</{name}>", expected)
        self._stack.pop()
        self.outside = not self._stack
        if element is None:
            self._emitter.end_tag(name, None)
        else:
            self._emitter.end_tag(element.name, None)
            self._leave(element)

    def end_of_file(self, offset: int) -> None:
        """End the document (L-063, L-066)."""
        if self._stack:
            raise Fault("eof-in-element", 0, self._stack[-1][0])
        if not self._has_root:
            raise Fault("no-root-element", 0)

    def _enter(self, name: str, attributes: dict[str, str], source: str, verbatim: str | None) -> Element:
        try:
            check_names(name, attributes, self._namespaces.namespace)
        except Fault as fault:
            place = 0 if fault.attribute is None else read_tag(source).places[fault.attribute]
            raise fault.moved(place) from None
        return self._namespaces.enter(name, attributes, verbatim, self._lexer().token_offset)

    def _leave(self, element: Element) -> None:
        self._namespaces.pop_written(element)
        self._namespaces.leave(element)

    def _report(self, code: str, offset: int, *detail: object, effect: Effect | None = None) -> None:
        """Take the report of `Namespaces` on a name that the markup's reader cannot read (L-083)."""
        if code in ("duplicate-attribute", "namespace-declaration-limit"):
            # Two attributes would get the same name, or too many prefixes would be declared again.
            raise Fault(code, 0, *detail)
        if code != "invalid-namespace-prefix":  # another prefix does not change the tree
            self._reporter.report(code, offset, *detail, effect=effect)


def _tag(name: str, attributes: Iterable[tuple[str, str]], empty: bool) -> str:
    """Return a tag as markup; line breaks of XML 1.1 become references, and so stay (L-082)."""
    values = written_attributes(attributes)
    if not values.isascii():
        values = values.replace("\x85", "&#133;").replace("\u2028", "&#8232;")
    return f"<{name}{values}/>" if empty else f"<{name}{values}>"
