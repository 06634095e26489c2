"""The sink of tree construction."""

from collections.abc import Callable, Iterable
from typing import Any

from xml5tree.dialects.html.construction import HTML, give_back, take_phases
from xml5tree.dialects.html.nodes import Node, declared_name, is_declaration, name_if_other
from xml5tree.dialects.html.tokens import Doctype
from xml5tree.dtd.declarations import PUBLIC_ID_CHARACTERS
from xml5tree.errors.reporter import Reporter
from xml5tree.tree.infoset import coerce_name
from xml5tree.xml.chars import FORBIDDEN
from xml5tree.xml.names import NameRules


class TreeSink:
    """Has html5lib process tokens; reports its errors, and names that XML cannot hold (H-112)."""

    def __init__(
        self, container: str | None, reporter: Reporter, rules: NameRules, *, scripting: bool, max_depth: int
    ) -> None:
        """Begin a document, or the content of an element of the name `container`; the reader reads names by `rules`."""
        self._phases = phases = take_phases()
        self.builder = phases.builder
        phases.begin(container, scripting=scripting, max_depth=max_depth)
        self.first_model = phases.take_model()  # the initial content model
        self._reporter = reporter
        self._rules = rules
        self._max_depth = max_depth
        self._is_too_deep = False
        self._end = 0  # the offset of the end of the document
        self._text: list[str] = []  # characters not processed so far, as more may follow
        #: Returns the offset of the tokenizer's current character; set by the tokenizer's maker.
        self.place: Callable[[], int] = int

    def release(self, *, reuse: bool) -> None:
        """Forget the tokenizer, so that memory is freed at once; `reuse`: another document may have the phases."""
        self.place = int
        if reuse:
            give_back(self._phases)

    def _report(self, offset: int) -> None:
        """Report the errors of the token at an offset."""
        phases = self._phases
        if phases.errors or phases.failures:
            for code, detail, effect in phases.take_errors():
                self._reporter.report(code, offset, detail, effect=effect)
        if not self._is_too_deep and self.builder.is_too_deep:
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
        self.builder.place = self.place()
        self._phases.process_text(data)
        self._report(offset)
        return None

    def start_tag(self, name: str, attributes: dict[str, str], self_closing: bool, offset: int) -> str | None:
        """See `TokenSink`; report names that XML cannot hold."""
        self._end_text()
        for value in attributes.values():
            self._check_characters(value, offset)
        has_odd = self._has_odd_names(attributes)
        self.builder.place = self.place()
        token = self._phases.process_start_tag(name, attributes, self_closing=self_closing)
        if not self._rules.is_ncname(name):
            self._reporter.report("coerced-element-name", offset, name, coerce_name(name, self._rules))
        if has_odd:
            self._report_odd_attributes(token, offset)
        self._report(offset)
        return self._phases.take_model()

    def _report_odd_attributes(self, token: dict[str, Any], offset: int) -> None:
        """Report the names of a start tag's attributes that XML cannot hold."""
        code = "coerced-attribute-name"
        for name, value in token["data"].items():
            if is_declaration(name):
                written = name_if_other(name, value, token.get("namespace", HTML))
                if written is not None:
                    self._reporter.report(code, offset, declared_name(name), written)
            elif isinstance(name, str) and not self._rules.is_ncname(name):
                self._reporter.report(code, offset, name, coerce_name(name, self._rules))

    def end_tag(self, name: str, offset: int) -> None:
        self._end_text()
        self.builder.place = self.place()
        self._phases.process_end_tag(name)
        self._report(offset)

    def comment(self, data: str, offset: int) -> None:
        self._end_text()
        self._check_characters(data, offset)
        if "--" in data or data.endswith("-"):
            self._reporter.report("coerced-comment", offset)
        self.builder.place = self.place()
        self._phases.process_comment(data)
        self._report(offset)

    def doctype(self, doctype: Doctype, offset: int) -> None:
        self._end_text()
        name, public_id = doctype.name, doctype.public_id
        if name is not None and not self._rules.is_ncname(name):
            self._reporter.report("invalid-doctype-name", offset, name)
        if public_id is not None and not PUBLIC_ID_CHARACTERS.fullmatch(public_id):
            self._reporter.report("invalid-public-identifier", offset)
        self.builder.place = self.place()
        self._phases.process_doctype(doctype)
        self._report(offset)

    def characters(self, data: str, offset: int) -> None:
        if not self._text:
            self._reporter.marks["text"] = offset
        self._text.append(data)

    def end_of_file(self, offset: int) -> None:
        self._end_text()
        self._phases.finish()
        self._report(offset)
        self._end = offset

    def report_depth(self, attached_higher: int) -> None:
        """Report elements that are too deep in the finished tree, so that its writer attached them higher, and others.

        Where elements were closed before what they contain, as forms are, only the finished tree shows how deep it is.
        """
        attached_higher += self.builder.attached_higher
        if attached_higher:
            place = self._reporter.marks.get("max_depth", self._end)
            self._reporter.report("max-depth-exceeded", place, self._max_depth)

    def current_node_is_foreign(self) -> bool:
        self._end_text()
        opened = self.builder.openElements
        return bool(opened) and opened[-1].namespace != HTML
