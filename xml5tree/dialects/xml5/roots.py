"""The option `roots`: any number of root elements."""

# The start tag of that element is written at the first token that cannot be in a prolog, or at the end of the document.
# All that follows is its content, and no end tag of the document ends it. XML declarations between the roots are
# dropped.

import re
from typing import Any, Final

from xml5tree.dialects.xml5.phases import WHITE_SPACE, StartPhase
from xml5tree.dialects.xml5.sink import TokenSink
from xml5tree.dialects.xml5.tree import TreeBuilder
from xml5tree.errors.codes import KEPT, MOVED, Effect

#: The element around the roots, `{urn:x-xml5tree}roots`.
_NAME: Final = "xml5tree:roots"
_DECLARATION: Final = {"xmlns:xml5tree": "urn:x-xml5tree"}
#: Items of an XML declaration; an unclosed one has swallowed content, which is not to be dropped.
_DECLARED: Final = re.compile(
    r"""(?>[\t\n ]*+(?:version|encoding|standalone)[\t\n ]*+=[\t\n ]*+(?:"[^"<]*+"|'[^'<]*+'))++[\t\n ]*+"""
)


class RootsBuilder(TreeBuilder):
    """See `TreeBuilder`. The element around the roots is the root of the tree, and counts as a level."""

    _wrapper_depth = 1

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.phase = _Prolog(self)

    @property
    def is_between_roots(self) -> bool:
        return len(self.stack) == self._wrapper_depth

    def begin_roots(self) -> None:
        """Begin the element around the roots; no tag has its raw name, which is empty."""
        self.has_root = True
        element = self.namespaces.enter(_NAME, _DECLARATION, None, 0)
        # The prefix is bound in the markup only: the document has not declared it.
        self.namespaces.leave(element)
        element = element._replace(bound=())
        self.emitter.around(element.name, element.attributes)
        self.stack.append("")
        self._scoped_or_renamed.append((len(self.stack), element))
        self.open_names[""] = 1
        self.phase = self

    def short_end_tag(self, offset: int) -> None:
        if self.is_between_roots:
            self.error("unmatched-end-tag", offset, "</>", effect=KEPT)
        else:
            super().short_end_tag(offset)

    def processing_instruction(self, target: str, data: str, offset: int, verbatim: str | None) -> None:
        if target == "xml" and self.is_between_roots and _DECLARED.fullmatch(data):
            self.error("misplaced-xml-declaration", offset, "it was dropped")
        else:
            super().processing_instruction(target, data, offset, verbatim)

    def end_of_file(self, offset: int) -> None:
        if self.is_between_roots:
            self.pop()
            self.stop_parsing(offset)
        else:
            super().end_of_file(offset)

    def _ignore_end_tag(self, name: str, place: tuple[int, int], depth: int, *, is_last: bool = True) -> Effect | None:
        """See `TreeBuilder`; between roots, the tag can only have been meant for a raw element that ended too early."""
        if depth == self._wrapper_depth:
            return MOVED if name in (self._settings.raw or ()) else KEPT
        return super()._ignore_end_tag(name, place, depth, is_last=is_last)


class _Prolog(StartPhase):
    """The phase before the first token that cannot be in a prolog."""

    _builder: RootsBuilder

    def _begin_root(self) -> TokenSink:
        self._builder.begin_roots()
        return self._builder

    def characters(self, data: str, offset: int) -> None:
        text = data.lstrip(WHITE_SPACE)
        space = len(data) - len(text)
        if space:
            self._space(data[:space], offset)
        if text:
            self._begin_root().characters(text, offset + space)

    def reference(self, data: str, offset: int, verbatim: str | None) -> None:
        self._begin_root().reference(data, offset, verbatim)

    def cdata_start(self, offset: int) -> None:
        self._begin_root().cdata_start(offset)

    def enter_entity(self, name: str, offset: int) -> None:
        self._begin_root().enter_entity(name, offset)

    def end_of_file(self, offset: int) -> None:
        self._begin_root().end_of_file(offset)
