"""The sink of tree construction.

It inserts ordinary text and tags of a body directly into the tree: what leads to no error, and to one element or text
at the end of the current node. Everything else goes to the phases, which alone define what becomes of it.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from html5lib import constants, html5parser

from xml5tree.dialects.html.construction import HTML, LIKE_BODY, give_back, take_phases
from xml5tree.dialects.html.nodes import Node, declared_name, is_declaration, name_if_other
from xml5tree.dialects.html.tokens import Doctype
from xml5tree.dtd.declarations import PUBLIC_ID_CHARACTERS
from xml5tree.errors.reporter import Reporter
from xml5tree.tree.infoset import coerce_name
from xml5tree.xml.chars import FORBIDDEN, has_forbidden
from xml5tree.xml.names import NameRules

_SPACE: Final = "\t\n\f\r "

# What becomes of start tags, by the function of a phase for their names.
_OTHER: Final = 1
_VOID: Final = 2  # the element has no content
_FORMATTING: Final = 3  # the element is put into the list of active formatting elements
_A: Final = 4  # and must not be in it
_CLOSES_P: Final = 5  # an open p would be closed first
_HEADING: Final = 6  # and a heading
_LIST_ITEM: Final = 7  # and an open item
_START_TAGS: Final = {
    "startTagOther": _OTHER,
    "startTagVoidFormatting": _VOID,
    "startTagFormatting": _FORMATTING,
    "startTagA": _A,
    "startTagCloseP": _CLOSES_P,
    "startTagHeading": _HEADING,
    "startTagListItem": _LIST_ITEM,
}
#: Functions for end tags that do nothing but close the current node if it has that name.
_END_TAGS: Final = ("endTagOther", "endTagBlock", "endTagP", "endTagListItem", "endTagHeading", "endTagFormatting")
#: Block elements whose end tag ends the dropping of a newline after their start tag.
_PREFORMATTED: Final = frozenset(["pre", "listing"])
#: The names that a list item closes.
_ITEMS: Final = {"li": frozenset(["li"]), "dt": frozenset(["dt", "dd"]), "dd": frozenset(["dt", "dd"])}
_HEADINGS: Final = frozenset(constants.headingElements)
#: Open elements that end the search for a list item to close.
_END_ITEMS: Final = constants.specialElements - {(HTML, name) for name in ("address", "div", "p")}
#: Names of HTML that no phase has a rule of its own for.
_OTHERS: Final = """
    abbr bdi bdo cite data del dfn ins kbd label mark picture q ruby samp small span sub sup time var video
    """


def _functions(attribute: str) -> Mapping[str, str]:
    """Return the names of the functions for tags, by the names that all phases of `LIKE_BODY` treat alike."""
    body, *others = (vars(html5parser.getPhases(debug=False)[phase])[attribute] for phase in LIKE_BODY)
    functions = dict.fromkeys(_OTHERS.split(), body.default) | dict(body)
    return {name: function.__name__ for name, function in functions.items() if not any(name in one for one in others)}


_STARTS: Final = {name: _START_TAGS.get(rule, 0) for name, rule in _functions("startTagHandler").items()}
_ENDS: Final = {name for name, rule in _functions("endTagHandler").items() if rule in _END_TAGS} - _PREFORMATTED


class TreeSink:
    """Has html5lib process tokens; reports its errors, and names that XML cannot hold (H-112)."""

    def __init__(
        self, container: str | None, reporter: Reporter, rules: NameRules, *, scripting: bool, max_depth: int
    ) -> None:
        """Begin a document, or the content of an element of the name `container`; the reader reads names by `rules`."""
        self._phases = phases = take_phases()
        self.builder = phases.builder
        phases.begin(container, scripting=scripting, max_depth=max_depth)
        self._opened: list[Node] = self.builder.openElements
        self._formatting: list[Node | None] = self.builder.activeFormattingElements
        self._in_body, self._usual = phases.phases["inBody"], phases.like_body
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

    def _current(self) -> Node | None:
        """Return the current node if it may be inserted into directly, else None."""
        body, formatting = self._in_body, self._formatting
        is_pre = body.processSpaceCharacters != body.processSpaceCharactersNonPre
        if is_pre or self._phases.phase not in self._usual:
            return None
        current = self._opened[-1]
        if formatting and (last := formatting[-1]) is not None and last is not current and last not in self._opened:
            return None  # elements have to be opened again
        return current if current.namespace == HTML else None

    def _end_text(self) -> Node | None:
        """Insert or process the text so far; return as `_current`."""
        current = self._current()
        if not self._text:
            return current
        data = "".join(self._text)
        self._text.clear()
        offset = self._reporter.marks.pop("text")
        if current is None or has_forbidden(data):
            self._check_characters(data, offset)
            self.builder.place = self.place()
            self._phases.process_text(data)
            self._report(offset)
            return self._current()
        current.children.append(data)
        if self._phases.framesetOK and data.strip(_SPACE):
            self._phases.framesetOK = False
        return current

    def start_tag(self, name: str, attributes: dict[str, str], self_closing: bool, offset: int) -> str | None:
        current = self._end_text()
        kind = _STARTS.get(name, 0)
        opened = self._opened
        if (
            current is None
            or not kind
            or (self_closing and kind != _VOID)
            or len(opened) >= self.builder.max_depth
            or (kind > _FORMATTING and not self._opens_alone(kind, name, current))
            or (attributes and (self._has_odd_names(attributes) or any(map(self._is_odd, attributes.values()))))
        ):
            return self._process_start_tag(name, attributes, self_closing, offset)
        node = Node((HTML, name), attributes, self.place(), current)
        current.children.append(node)
        if kind in (_VOID, _LIST_ITEM):
            self._phases.framesetOK = False
        if kind != _VOID:
            opened.append(node)
        if kind in (_FORMATTING, _A):
            self._formatting.append(node)
        return None

    def _opens_alone(self, kind: int, name: str, current: Node) -> bool:
        """Return whether an element can be inserted without closing another one."""
        if kind == _A:
            return not self.builder.elementInActiveFormattingElements("a")
        if self.builder.elementInScope("p", variant="button"):  # type: ignore[no-untyped-call]
            return False
        if kind == _LIST_ITEM:
            for node in reversed(self._opened):
                if node.name in _ITEMS[name]:
                    return False
                if node.nameTuple in _END_ITEMS:
                    break
        return kind != _HEADING or current.name not in _HEADINGS

    def _process_start_tag(self, name: str, attributes: dict[str, str], self_closing: bool, offset: int) -> str | None:
        """Have the phases process a start tag; report names that XML cannot hold."""
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
        current = self._end_text()
        formatting = self._formatting
        is_formatting = _STARTS.get(name) in {_FORMATTING, _A}
        if (
            current is None
            or current.name != name
            or name not in _ENDS
            or (is_formatting and (not formatting or formatting[-1] is not current))
        ):
            self.builder.place = self.place()
            self._phases.process_end_tag(name)
            self._report(offset)
            return
        if is_formatting:
            formatting.pop()
        self._opened.pop()

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
