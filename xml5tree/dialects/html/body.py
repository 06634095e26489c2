"""Inserts ordinary text and tags of a body directly into the tree.

A shortcut: it takes only what leads to no error, and to one element or text at the end of the current node. Everything
else goes to the phases, which alone define what becomes of it.
"""

from collections.abc import Mapping
from typing import Final

from html5lib import constants, html5parser

from xml5tree.dialects.html.construction import HTML, LIKE_BODY
from xml5tree.dialects.html.nodes import Node
from xml5tree.dialects.html.tree import TreeSink
from xml5tree.errors.reporter import Reporter
from xml5tree.xml.chars import has_forbidden
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


class BodySink(TreeSink):
    """A sink for tree construction by html5lib."""

    def __init__(
        self, container: str | None, reporter: Reporter, rules: NameRules, *, scripting: bool, max_depth: int
    ) -> None:
        super().__init__(container, reporter, rules, scripting=scripting, max_depth=max_depth)
        phases, builder = self._phases, self.builder
        self._opened: list[Node] = builder.openElements
        self._formatting: list[Node | None] = builder.activeFormattingElements
        self._in_body, self._usual = phases.phases["inBody"], phases.like_body

    def _current(self) -> Node | None:
        """Return the current node if the shortcut may insert into it, else None."""
        body, formatting = self._in_body, self._formatting
        is_pre = body.processSpaceCharacters != body.processSpaceCharactersNonPre
        if is_pre or self._phases.phase not in self._usual:
            return None
        current = self._opened[-1]
        if formatting and (last := formatting[-1]) is not None and last is not current and last not in self._opened:
            return None  # elements have to be opened again
        return current if current.namespace == HTML else None

    def _end_text(self) -> Node | None:
        current = self._current()
        if not self._text:
            return current
        data = "".join(self._text)
        if current is None or has_forbidden(data):
            super()._end_text()
            return self._current()
        self._text.clear()
        del self._reporter.marks["text"]
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
            return super().start_tag(name, attributes, self_closing, offset)
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
        if self.builder.elementInScope("p", variant="button"):
            return False
        if kind == _LIST_ITEM:
            for node in reversed(self._opened):
                if node.name in _ITEMS[name]:
                    return False
                if node.nameTuple in _END_ITEMS:
                    break
        return kind != _HEADING or current.name not in _HEADINGS

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
            super().end_tag(name, offset)
            return
        if is_formatting:
            formatting.pop()
        self._opened.pop()
