"""The three phases of tree construction: classes with the same methods, one for each token (§1.4)."""

from typing import TYPE_CHECKING, Final

from xml5tree.dialects.xml5.ignored import DroppedElements
from xml5tree.dialects.xml5.sink import Doctype
from xml5tree.errors.codes import KEPT
from xml5tree.xml.chars import FORBIDDEN
from xml5tree.xml.limits import COMMENT, PROCESSING_INSTRUCTION

if TYPE_CHECKING:
    from xml5tree.dialects.xml5.tree import TreeBuilder


#: That of content, to which references can bring carriage returns.
WHITE_SPACE: Final = " \t\n\r"


class MainPhase:
    """§1.4 Main phase."""

    def __init__(self, builder: "TreeBuilder") -> None:
        self._builder = builder
        # What the builder does alone. These are attributes, so that a subclass of this phase must not define them.
        self.start_tag = builder.insert
        self.empty_tag = builder.append_element
        self.end_tag = builder.end_tag
        self.comment = builder.append_comment
        self.leave_entity = builder.leave_entity

    def short_end_tag(self, offset: int) -> None:
        self._builder.pop()

    def characters(self, data: str, offset: int) -> None:
        bad = FORBIDDEN.search(data)
        coerced = self._builder.coerce_text(data, offset + bad.start()) if bad else data
        if self._builder.follows_ignored_end_tag and coerced.strip(WHITE_SPACE):
            self._builder.follows_ignored_end_tag = False
        if bad:
            self._builder.append_coerced_text(data, offset, coerced)
        else:
            self._builder.emitter.text(data)

    def reference(self, data: str, offset: int, verbatim: str | None) -> None:
        if FORBIDDEN.search(data):
            data = self._builder.coerce_text(data, offset)
            if not data:
                return
        self._builder.follows_ignored_end_tag = False
        self._builder.emitter.reference(data, verbatim)

    def cdata_start(self, offset: int) -> None:
        self._builder.follows_ignored_end_tag = False
        self._builder.emitter.cdata_start()

    def cdata_end(self) -> None:
        self._builder.emitter.cdata_end()

    def processing_instruction(self, target: str, data: str, offset: int, verbatim: str | None) -> None:
        self._builder.append_processing_instruction(target, data, offset, verbatim)

    def doctype(self, doctype: Doctype, offset: int, verbatim: str | None) -> None:
        self._builder.discard_doctype(doctype, offset)

    def enter_entity(self, name: str, offset: int) -> None:
        self._builder.enter_entity()

    def end_of_file(self, offset: int) -> None:
        self._builder.end_of_file_in_element(offset)
        self._builder.stop_parsing(offset)


class OuterPhase:
    """The base of the start phase and the end phase."""

    def __init__(self, builder: "TreeBuilder") -> None:
        self._builder = builder

    def end_tag(self, name: str, offset: int, verbatim: str | None) -> None:
        self._builder.end_outer_text()
        self._builder.report_ignored(name, offset, self._builder.swallowed.effect(name))

    def short_end_tag(self, offset: int) -> None:
        self._builder.end_outer_text()
        self._builder.error("unmatched-end-tag", offset, "</>", effect=KEPT)

    def characters(self, data: str, offset: int) -> None:
        self._builder.outer_characters(data, offset)

    def reference(self, data: str, offset: int, verbatim: str | None) -> None:
        self._builder.drop_text(data, offset)

    def cdata_start(self, offset: int) -> None:
        self._builder.error("cdata-outside-root", offset)

    def cdata_end(self) -> None:
        pass

    def comment(self, data: str, offset: int, verbatim: str | None) -> None:
        self._builder.end_outer_text()
        self._builder.append_comment(data, offset, verbatim)

    def processing_instruction(self, target: str, data: str, offset: int, verbatim: str | None) -> None:
        self._builder.end_outer_text()
        self._builder.append_processing_instruction(target, data, offset, verbatim)

    def enter_entity(self, name: str, offset: int) -> None:
        self._builder.drop_text("", offset)
        self._builder.enter_entity()

    def leave_entity(self, name: str, offset: int) -> None:
        self._builder.leave_entity(name, offset)

    def end_of_file(self, offset: int) -> None:
        self._builder.end_outer_text()
        self._builder.stop_parsing(offset)


class StartPhase(OuterPhase):
    """§1.4 Start phase. EOF leaves the document without a root element, which the owner raises (D-107)."""

    def start_tag(self, name: str, attributes: dict[str, str], offset: int, verbatim: str | None) -> None:
        self._begin_root()
        self._builder.insert(name, attributes, offset, verbatim)
        self._builder.phase = MainPhase(self._builder)

    def empty_tag(self, name: str, attributes: dict[str, str], offset: int, verbatim: str | None) -> None:
        self._begin_root()
        self._builder.append_element(name, attributes, offset, verbatim)
        self._builder.phase = EndPhase(self._builder)

    def comment(self, data: str, offset: int, verbatim: str | None) -> None:
        super().comment(data, offset, verbatim)
        self._builder.swallowed.note(data, COMMENT)

    def _begin_root(self) -> None:
        self._builder.end_outer_text()
        self._builder.has_root = True

    def processing_instruction(self, target: str, data: str, offset: int, verbatim: str | None) -> None:
        if target == "xml":  # it cannot be written here, and says nothing any more (D-015)
            self._builder.end_outer_text(before_document=True)
            self._builder.error("misplaced-xml-declaration", offset, "it was dropped")
        else:
            super().processing_instruction(target, data, offset, verbatim)
            self._builder.swallowed.note(data, PROCESSING_INSTRUCTION)

    def doctype(self, doctype: Doctype, offset: int, verbatim: str | None) -> None:
        self._builder.end_outer_text(before_document=True)
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
        self._builder.end_outer_text()
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
            self._builder.end_document()
        self.elements.content()

    def reference(self, data: str, offset: int, verbatim: str | None) -> None:
        super().reference(data, offset, verbatim)
        self.elements.content()

    def cdata_start(self, offset: int) -> None:
        super().cdata_start(offset)
        self.elements.content()

    def end_of_file(self, offset: int) -> None:
        self._builder.end_outer_text()
        self._builder.stop_parsing(offset, truncated=self.elements.are_cut_off)

    def doctype(self, doctype: Doctype, offset: int, verbatim: str | None) -> None:
        self._builder.end_outer_text()
        self._builder.discard_doctype(doctype, offset)
