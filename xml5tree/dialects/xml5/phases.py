"""The start phase and the end phase of tree construction (§1.4), with the methods of `TokenSink`.

`TreeBuilder` itself is the main phase.
"""

from typing import TYPE_CHECKING, Final, NamedTuple

from xml5tree.dialects.xml5.ignored import DroppedElements
from xml5tree.dialects.xml5.sink import Doctype, TokenSink
from xml5tree.errors.codes import KEPT, LOST, Effect, worst
from xml5tree.xml.limits import COMMENT, PROCESSING_INSTRUCTION

if TYPE_CHECKING:
    from xml5tree.dialects.xml5.tree import TreeBuilder

#: That of content, to which references can bring carriage returns.
WHITE_SPACE: Final = " \t\n\r"
_NO_CONTENT: Final = WHITE_SPACE + "\ufeff"


class _DroppedText(NamedTuple):
    """A run of text outside the root element, as far as it has been dropped."""

    effect: Effect = KEPT  # the effect on content
    length: int = 0  # the number of characters
    visible: int = 0  # the number of characters up to the last one that is not white space


class OuterPhase(TokenSink):
    """The base of the start phase and the end phase."""

    def __init__(self, builder: "TreeBuilder") -> None:
        self._builder = builder
        self.dropped: _DroppedText | None = None  # the text that has been dropped since the last token of another kind

    def end_tag(self, name: str, offset: int, verbatim: str | None) -> None:
        self._end_text()
        self._builder.report_ignored(name, offset, self._builder.swallowed.effect(name))

    def short_end_tag(self, offset: int) -> None:
        self._end_text()
        self._builder.error("unmatched-end-tag", offset, "</>", effect=KEPT)

    def characters(self, data: str, offset: int) -> None:
        """Keep white space up to the first character that is dropped; drop the rest of the run (D-102, D-104)."""
        text = data
        if not self.dropped:
            text = data.lstrip(WHITE_SPACE)
            if space := data[: len(data) - len(text)]:
                self._space(space, offset)
        if text:
            self._drop_text(text, offset + len(data) - len(text))

    def reference(self, data: str, offset: int, verbatim: str | None) -> None:
        self._drop_text(data, offset)

    def cdata_start(self, offset: int) -> None:
        self._builder.error("cdata-outside-root", offset)

    def comment(self, data: str, offset: int, verbatim: str | None) -> None:
        self._end_text()
        self._builder.comment(data, offset, verbatim)

    def processing_instruction(self, target: str, data: str, offset: int, verbatim: str | None) -> None:
        self._end_text()
        self._builder.processing_instruction(target, data, offset, verbatim)

    def enter_entity(self, name: str, offset: int) -> None:
        self._drop_text("", offset)
        self._builder.enter_entity(name, offset)

    def leave_entity(self, name: str, offset: int) -> None:
        self._builder.leave_entity(name, offset)

    def end_of_file(self, offset: int) -> None:
        self._end_text()
        self._builder.stop_parsing(offset)

    def _space(self, data: str, offset: int) -> None:
        self._builder.emitter.at(offset)
        self._builder.emitter.space(data, self._builder.reporter.locator.line(offset))

    def _drop_text(self, data: str, offset: int) -> None:
        """Drop text outside the root element; each run of text is reported once, when it ends (D-104)."""
        # White space, which only a reference can bring here, and a byte order mark are no content.
        visible = data.rstrip(WHITE_SPACE)
        effect: Effect = LOST if visible.strip(_NO_CONTENT) else KEPT
        before = self.dropped
        if before is None:
            self._builder.reporter.marks["text"] = offset
            before = _DroppedText()
        self.dropped = _DroppedText(
            worst(before.effect, effect),
            before.length + len(data),
            before.length + len(visible) if visible else before.visible,
        )

    def _end_text(self, *, before_document: bool = False) -> None:
        """Report the text that was dropped since the last token of another kind."""
        # Text before the XML declaration or the DOCTYPE (`before_document`) is not the author's, but for example a
        # server's warning.
        if dropped := self.dropped:
            self.dropped = None
            effect = KEPT if before_document else dropped.effect
            place = self._builder.reporter.marks.pop("text")
            self._builder.report_outer_text(place, dropped.length, dropped.visible, effect)


class StartPhase(OuterPhase):
    """§1.4 Start phase. EOF leaves the document without a root element, which the owner raises (D-107)."""

    def start_tag(self, name: str, attributes: dict[str, str], offset: int, verbatim: str | None) -> None:
        self._begin_root().start_tag(name, attributes, offset, verbatim)

    def empty_tag(self, name: str, attributes: dict[str, str], offset: int, verbatim: str | None) -> None:
        self._begin_root().empty_tag(name, attributes, offset, verbatim)

    def comment(self, data: str, offset: int, verbatim: str | None) -> None:
        super().comment(data, offset, verbatim)
        self._builder.swallowed.note(data, COMMENT)

    def _begin_root(self) -> TokenSink:
        """Begin the main phase, which takes the token."""
        self._end_text()
        self._builder.has_root = True
        self._builder.phase = self._builder
        return self._builder

    def processing_instruction(self, target: str, data: str, offset: int, verbatim: str | None) -> None:
        if target == "xml":  # it cannot be written here, and says nothing any more (D-015)
            self._end_text(before_document=True)
            self._builder.error("misplaced-xml-declaration", offset, "it was dropped")
        else:
            super().processing_instruction(target, data, offset, verbatim)
            self._builder.swallowed.note(data, PROCESSING_INSTRUCTION)

    def doctype(self, doctype: Doctype, offset: int, verbatim: str | None) -> None:
        self._end_text(before_document=True)
        self._builder.append_doctype(doctype, offset, verbatim)


class EndPhase(OuterPhase):
    """§1.4 End phase: a second root is dropped with its text, but not its comments (D-106)."""

    def __init__(self, builder: "TreeBuilder") -> None:
        super().__init__(builder)
        self.elements = DroppedElements()

    def start_tag(self, name: str, attributes: dict[str, str], offset: int, verbatim: str | None) -> None:
        self.empty_tag(name, attributes, offset, verbatim)
        self.elements.start(name)

    def empty_tag(self, name: str, attributes: dict[str, str], offset: int, verbatim: str | None) -> None:
        self.elements.content()
        self._end_text()
        self._builder.drops_elements = True
        self._builder.error("element-after-root", offset, name)

    def end_tag(self, name: str, offset: int, verbatim: str | None) -> None:
        super().end_tag(name, offset, verbatim)
        self.elements.end(name, offset)

    def short_end_tag(self, offset: int) -> None:
        super().short_end_tag(offset)
        self.elements.end("", offset)

    def characters(self, data: str, offset: int) -> None:
        super().characters(data, offset)
        if data.strip(WHITE_SPACE):
            self.text()

    def text(self) -> None:
        """Note text. Directly behind the root, it is a script's message, or another part of the file begins."""
        if not self._builder.drops_elements:
            self._builder.reporter.end_document()
        self.elements.content()

    def reference(self, data: str, offset: int, verbatim: str | None) -> None:
        super().reference(data, offset, verbatim)
        self.elements.content()

    def cdata_start(self, offset: int) -> None:
        super().cdata_start(offset)
        self.elements.content()

    def end_of_file(self, offset: int) -> None:
        self._end_text()
        self._builder.stop_parsing(offset, truncated=self.elements.are_cut_off)

    def doctype(self, doctype: Doctype, offset: int, verbatim: str | None) -> None:
        self._end_text()
        self._builder.doctype(doctype, offset, verbatim)
