"""The sink of tree construction."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from xml5tree.dialects.html.declarations import declared_name, is_declaration, name_if_other
from xml5tree.dialects.html.nodes import Node
from xml5tree.dtd.declarations import PUBLIC_ID_CHARACTERS
from xml5tree.errors.reporter import Reporter
from xml5tree.tree.infoset import coerce_name
from xml5tree.xml.chars import FORBIDDEN
from xml5tree.xml.names import NameRules

if TYPE_CHECKING:
    from xml5tree.dialects.html.construction import Html5libTree  # it needs html5lib

__all__ = ["TreeSink"]


class TreeSink:
    """Passes tokens to tree construction; reports its errors, and names that XML cannot hold."""

    def __init__(self, tree: "Html5libTree", reporter: Reporter, rules: NameRules, max_depth: int) -> None:
        """Make the sink of one tokenizer, which sets `place`; the reader reads names by `rules`."""
        self._tree = tree
        self._reporter = reporter
        self._rules = rules
        self._max_depth = max_depth
        self._is_too_deep = False
        self._end = 0  # the offset of the end of the document
        self._text: list[str] = []  # characters not processed so far, as more may follow
        #: Returns the offset of the tokenizer's current character.
        self.place: Callable[[], int] = int

    def release(self) -> None:
        """Forget the tokenizer, so that memory is freed at once."""
        self.place = int

    def _report(self, offset: int) -> None:
        for code, detail, effect in self._tree.take_errors():
            self._reporter.report(code, offset, detail, effect=effect)
        if not self._is_too_deep and self._tree.builder.is_too_deep:
            self._is_too_deep = True
            self._reporter.marks["max_depth"] = offset

    @staticmethod
    def _is_odd(data: str) -> bool:
        """Return whether XML cannot hold a text; what becomes of U+0000 is reported elsewhere."""
        return not data.isprintable() and FORBIDDEN.search(data.replace("\0", "")) is not None

    def _check_characters(self, data: str, offset: int) -> None:
        if self._is_odd(data):
            self._reporter.report("coerced-character", offset)

    def _has_odd_names(self, attributes: Iterable[str]) -> bool:
        return any(name == "xmlns" or not self._rules.is_ncname(name) for name in attributes)

    def _end_text(self) -> Node | None:
        """Process the text so far; return the current node if a subclass may insert into it directly, else None."""
        if not self._text:
            return None
        data = "".join(self._text)
        self._text.clear()
        offset = self._reporter.marks.pop("text")
        self._check_characters(data, offset)
        self._tree.characters(data, self.place())
        self._report(offset)
        return None

    def start_tag(self, name: str, attributes: dict[str, str], self_closing: bool, offset: int) -> str | None:
        """See `TokenSink`; report names that XML cannot hold."""
        self._end_text()
        for value in attributes.values():
            self._check_characters(value, offset)
        has_odd = self._has_odd_names(attributes)
        model = self._tree.start_tag(name, attributes, self_closing, self.place())
        if not self._rules.is_ncname(name):
            self._reporter.report("coerced-element-name", offset, name, coerce_name(name, self._rules))
        if has_odd:
            self._report_odd_attributes(offset)
        self._report(offset)
        return model

    def _report_odd_attributes(self, offset: int) -> None:
        """Report the names of the last start tag's attributes that XML cannot hold."""
        code = "coerced-attribute-name"
        for name, value in self._tree.last_attributes.items():
            if is_declaration(name):
                written = name_if_other(name, value, self._tree.last_namespace)
                if written is not None:
                    self._reporter.report(code, offset, declared_name(name), written)
            elif isinstance(name, str) and not self._rules.is_ncname(name):
                self._reporter.report(code, offset, name, coerce_name(name, self._rules))

    def end_tag(self, name: str, offset: int) -> None:
        self._end_text()
        self._tree.end_tag(name, self.place())
        self._report(offset)

    def comment(self, data: str, offset: int) -> None:
        self._end_text()
        self._check_characters(data, offset)
        if "--" in data or data.endswith("-"):
            self._reporter.report("coerced-comment", offset)
        self._tree.comment(data, self.place())
        self._report(offset)

    def doctype(
        self, name: str | None, public_id: str | None, system_id: str | None, force_quirks: bool, offset: int
    ) -> None:
        self._end_text()
        if name is not None and not self._rules.is_ncname(name):
            self._reporter.report("invalid-doctype-name", offset, name)
        if public_id is not None and not PUBLIC_ID_CHARACTERS.fullmatch(public_id):
            self._reporter.report("invalid-public-identifier", offset)
        self._tree.doctype(name, public_id, system_id, force_quirks, self.place())
        self._report(offset)

    def characters(self, data: str, offset: int) -> None:
        if not self._text:
            self._reporter.marks["text"] = offset
        self._text.append(data)

    def end_of_file(self, offset: int) -> None:
        self._end_text()
        self._tree.end_of_file()
        self._report(offset)
        self._end = offset

    def report_depth(self, attached_higher: int) -> None:
        """Report elements that are too deep in the finished tree, so that its writer attached them higher, and others.

        Where elements were closed before what they contain, as forms are, only the finished tree shows how deep it is.
        """
        attached_higher += self._tree.builder.attached_higher
        if attached_higher:
            place = self._reporter.marks.get("max_depth", self._end)
            self._reporter.report("max-depth-exceeded", place, self._max_depth)

    def current_node_is_foreign(self) -> bool:
        self._end_text()
        return self._tree.current_node_is_foreign()
