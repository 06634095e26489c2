"""Inserts ordinary text and tags of a body directly into the tree.

A shortcut: it takes only what leads to no error, and to one element or text at the end of the current node. Everything
else goes through the states to the phases, which alone define what becomes of it.
"""

import re
from collections.abc import Mapping
from html.entities import html5
from typing import Final, NamedTuple

from html5lib import constants, html5parser
from html5lib.treebuilders import base

from xml5tree.dialects.html.construction import LIKE_BODY, Html5libTree
from xml5tree.dialects.html.machine import CLEAN_TAG, State, Tokenizer, clean_attributes
from xml5tree.dialects.html.nodes import Node
from xml5tree.dialects.html.references import character_of
from xml5tree.dialects.html.tree import TreeSink
from xml5tree.errors.reporter import Reporter
from xml5tree.xml.chars import FORBIDDEN

__all__ = ["BodyTokenizer"]

_HTML: Final = constants.namespaces["html"]
_SPACE: Final = "\t\n\f\r "
_SPACE_TOKEN: Final = "\t\n\f "  # of what html5lib's tokens of white space are

# What becomes of start tags, by what a phase has for their names.
_OTHER: Final = 1
_VOID: Final = 2  # the element has no content
_FORMATTING: Final = 3  # the element is put into the list of active formatting elements
_A: Final = 4  # and must not be in it
_CLOSES_P: Final = 5  # an open p is closed first
_HEADING: Final = 6  # and the element must not be in another heading
_LIST_ITEM: Final = 7  # an open item is closed first, too
_START_TAGS: Final = {
    "startTagOther": _OTHER,
    "startTagVoidFormatting": _VOID,
    "startTagFormatting": _FORMATTING,
    "startTagA": _A,
    "startTagCloseP": _CLOSES_P,
    "startTagHeading": _HEADING,
    "startTagListItem": _LIST_ITEM,
}

# What becomes of end tags of the current node: it is closed, and may be taken out of that list, or end that list.
_CLOSES: Final = 1
_CLOSES_FORMATTING: Final = 2
_CLOSES_CELL: Final = 3
_END_TAGS: Final = {
    "endTagOther": _CLOSES,
    "endTagBlock": _CLOSES,
    "endTagP": _CLOSES,
    "endTagListItem": _CLOSES,
    "endTagHeading": _CLOSES,
    "endTagFormatting": _CLOSES_FORMATTING,
}
#: Block elements after whose start tag a newline is dropped, which their end tag ends.
_PREFORMATTED: Final = frozenset(["pre", "listing"])

_CELLS: Final = frozenset(["td", "th"])
#: The phases after tags that open and close rows, and open cells: by whether the phase is that of a row, whether it is
#: an end tag, its name, and the name of the current node.
_TABLE_TAGS: Final = {
    (True, False, "td", "tr"): "inCell",
    (True, False, "th", "tr"): "inCell",
    (True, True, "tr", "tr"): "inTableBody",
    (False, False, "tr", "tbody"): "inRow",
    (False, False, "tr", "thead"): "inRow",
    (False, False, "tr", "tfoot"): "inRow",
}

#: The names that a list item closes.
_ITEMS: Final = {"li": frozenset(["li"]), "dt": frozenset(["dt", "dd"]), "dd": frozenset(["dt", "dd"])}
_HEADINGS: Final = frozenset(constants.headingElements)

#: Equal formatting elements in the list; with another one, the first would leave it.
_MOST_ALIKE: Final = 3

#: Names that are longer are left to the phases.
_LONGEST_NAME: Final = 100


class _Rule(NamedTuple):
    """The rule for tags of a name: constants from above; 0 leaves the tags to the phases."""

    start: int
    end: int
    name: str
    name_tuple: tuple[str, str]


def _handlers(phase: str, attribute: str) -> Mapping[str, str]:
    """Return the names of a phase's functions for tags, by the names of tags that it names; "" is for all others."""
    handlers = vars(html5parser.getPhases(debug=False)[phase])[attribute]
    return {name: function.__name__ for name, function in handlers.items()} | {"": handlers.default.__name__}


def _functions(attribute: str) -> Mapping[str, str]:
    """Return the functions for tags that are the same in all phases of `LIKE_BODY`; "" for all others."""
    body, *others = LIKE_BODY
    functions = dict(_handlers(body, attribute))
    for phase in others:
        functions.update((name, "") for name in _handlers(phase, attribute) if name)
    return functions


_START_FUNCTIONS: Final = _functions("startTagHandler")
_END_FUNCTIONS: Final = _functions("endTagHandler")

#: Open elements that end the search for a p, or for a list item, to close; and their names, for a first look.
_P: Final = (_HTML, "p")
_END_P: Final = base.listElementsMap["button"][0] | {_P}
_END_ITEMS: Final = constants.specialElements - {(_HTML, name) for name in ("address", "div", "p")}
_NAMES_END_P: Final = frozenset(name for _, name in _END_P)
_NAMES_END_ITEMS: Final = frozenset(name for _, name in _END_ITEMS)


def _rule(name: str) -> _Rule:
    """Return the rule of a name, whose letters are of any case."""
    name = name.lower()
    start = _START_TAGS.get(_START_FUNCTIONS.get(name, _START_FUNCTIONS[""]), 0)
    end = _END_TAGS.get(_END_FUNCTIONS.get(name, _END_FUNCTIONS[""]), 0)
    if len(name) > _LONGEST_NAME:
        start = 0
    if name in _PREFORMATTED:
        end = 0
    elif name in _CELLS:
        end = _CLOSES_CELL
    return _Rule(start, end, name, (_HTML, name))


#: Names of HTML that no phase has a rule of its own for.
_OTHERS: Final = """
    abbr bdi bdo cite data del dfn ins kbd label mark picture q ruby samp small span sub sup time var video
    """
_NAMES: Final = [name for name in [*_START_FUNCTIONS, *_OTHERS.split()] if name]
#: The rules of usual names, as they are usually written.
_RULES: Final = {written: _rule(written) for name in _NAMES for written in (name, name.upper())}


_match_tag: Final = CLEAN_TAG.match
#: Text up to a reference and what is after its ampersand, "" if none begins there; or up to the end.
_match_text: Final = re.compile(
    "([^<&\0]*+)(?:&([A-Za-z0-9]++;|#(?:[0-9]{1,6}|[xX][0-9A-Fa-f]{1,5});|(?=[^A-Za-z0-9#]))|\\Z)"
).match
#: What is after the ampersands of references, and the text that they stand for.
_REFERENCES: Final = {**html5, "": "&"}


def _text_of(reference: str) -> str | None:
    """Return the text of a reference without its ampersand; None if it has an error, or text that XML forbids."""
    if reference in _REFERENCES:
        return _REFERENCES[reference]
    if not reference.startswith("#"):
        return None
    digits = reference[1:-1]
    text, code = character_of(int(digits[1:], 16) if digits[0] in "xX" else int(digits))
    return None if code is not None or FORBIDDEN.match(text) else text


def _has_plain_names(attributes: dict[str, str]) -> bool:
    """Return whether XML can surely hold the names of a clean tag's attributes."""
    names = "".join(attributes)
    return ":" not in names and "xmlns" not in attributes and len(names) <= _LONGEST_NAME


class BodyTokenizer(Tokenizer):
    """A tokenizer for tree construction by html5lib."""

    __slots__ = (
        "_builder",
        "_forbidden",
        "_formatting",
        "_in_body",
        "_in_cell",
        "_in_row",
        "_in_table_body",
        "_opened",
        "_phases",
        "_tree_sink",
        "_usual",
    )

    def __init__(
        self,
        sink: TreeSink,
        reporter: Reporter,
        data_state: State,
        text_states: Mapping[str, State],
        tree: Html5libTree,
        *,
        initial_state: State | None = None,
    ) -> None:
        """Connect the tokenizer, as `Tokenizer`, and the tree to which the sink passes the tokens."""
        super().__init__(sink, reporter, data_state, text_states, initial_state=initial_state)
        self._tree_sink = sink
        sink.place = lambda: self._base + self._position - 1
        self._phases = phases = tree.phases
        self._builder = builder = tree.builder
        self._opened: list[Node] = builder.openElements
        self._formatting: list[Node | None] = builder.activeFormattingElements
        self._in_body, self._in_cell = phases.phases["inBody"], phases.phases["inCell"]
        self._in_row, self._in_table_body = phases.phases["inRow"], phases.phases["inTableBody"]
        self._usual = phases.like_body
        self._forbidden = -1  # the offset of the next character that XML forbids; before the text if it is unknown

    def _load(self, skip: int) -> None:
        super()._load(skip)
        self._forbidden = -1

    def _find_forbidden(self, position: int) -> int:
        """Return the index of the next character that XML forbids, or the end of the text."""
        place = self._forbidden - self._base
        if place < position:
            found = FORBIDDEN.search(self._text, position)
            place = found.start() if found else self._end
            self._forbidden = self._base + place
        return place

    def _current(self) -> Node | None:
        """Return the current node if the shortcut may insert into it, else None."""
        body = self._in_body
        if (
            self._phases.phase not in self._usual
            or self._builder.insertFromTable
            or self._tree_sink.has_text
            or body.processSpaceCharacters != body.processSpaceCharactersNonPre
        ):
            return None
        node = self._opened[-1]
        return node if node.namespace == _HTML else None

    def pass_clean_tags(self) -> State | None:
        """Emit texts and tags that need no state, or insert them; return the state that was chosen, or None."""
        text, position, base, sink = self._text, self._position, self._base, self.sink
        clean_end, plain_end = self._next_ahead - base, self._find_forbidden(position)
        current, formatting = self._current(), self._formatting
        waiting, waiting_at = "", 0  # text before the position that has gone nowhere so far, and its offset
        while True:
            found = _match_tag(text, position)
            if found is None:
                found = _match_text(text, position)
                if found is None or found.end() > clean_end:
                    break
                data, reference = found.groups()
                if reference is None:
                    if current is not None and self._is_last(found.end(), plain_end, current):
                        self._insert_text(waiting + data, current)
                        waiting, position = "", found.end()
                    break
                character = _text_of(reference)
                if character is None:
                    break
                waiting_at = waiting_at if waiting else base + position
                waiting += data + character
                position = found.end()
                continue
            data, slash, name, source, solidus = found.groups()
            end = found.end()
            attributes = clean_attributes(source) if source else {}
            if end > clean_end or attributes is None or (slash and (source or solidus)):
                break
            rule = _RULES.get(name) or _rule(name)
            if current is not None and end <= plain_end and (not formatting or self._has_all_formatting(current)):
                if waiting:
                    data, waiting = waiting + data, ""
                if data:
                    self._insert_text(data, current)
                    data = ""
                if slash:
                    following = self._close(rule, current)
                else:
                    following = self._open(rule, attributes, solidus, base + end - 1, current)
                if following is not None:
                    current = following if rule.end != _CLOSES_CELL or not slash else None
                    position = end
                    continue
            if current is None and end <= plain_end and not solidus:
                place = base + end - 1
                if self._insert_in_table(rule, None if slash else attributes, waiting + data, place):
                    waiting, position, current = "", end, self._current()
                    continue
            self._position = end
            if waiting:
                sink.characters(waiting, waiting_at)
                waiting = ""
            if data:
                sink.characters(data, base + position)
            position = end
            model = self._emit_clean(rule.name, None if slash else attributes, solidus, base + found.end(1))
            if model is not None:
                return self._state_after(model)
            plain_end = self._find_forbidden(position)
            current = self._current()
        self._position = position
        if waiting:
            sink.characters(waiting, waiting_at)
        return None

    def _emit_clean(self, name: str, attributes: dict[str, str] | None, solidus: str, offset: int) -> str | None:
        """Emit a start tag, or an end tag without attributes; return the content model after it."""
        self.token_offset = offset
        if attributes is None:
            self.sink.end_tag(name, offset)
            return None
        self.last_start_tag = name
        return self.sink.start_tag(name, attributes, solidus == "/", offset)

    def _is_last(self, end: int, plain_end: int, current: Node) -> bool:
        """Return whether text that ends with the input can be inserted."""
        return self._final and end <= plain_end and self._has_all_formatting(current)

    def _has_all_formatting(self, current: Node) -> bool:
        """Return whether no active formatting element has to be opened again."""
        formatting = self._formatting
        if not formatting:
            return True
        last = formatting[-1]
        return last is None or last is current or last in self._opened

    def _insert_text(self, data: str, current: Node) -> None:
        if not data:
            return
        current.children.append(data)
        phases = self._phases
        if phases.framesetOK and data.strip(_SPACE):
            phases.framesetOK = False

    def _close(self, rule: _Rule, current: Node) -> Node | None:
        """Close the current node if an end tag is its own; return the new one, None to leave the tag to the phases."""
        _, end, name, _ = rule
        if not end or current.name != name:
            return None
        opened, formatting = self._opened, self._formatting
        following: Node = opened[-2]
        if following.namespace != _HTML:
            return None
        if end == _CLOSES_FORMATTING:
            if not formatting or formatting[-1] is not current:
                return None
            formatting.pop()
        elif end == _CLOSES_CELL:
            phases = self._phases
            if phases.phase is not self._in_cell or None not in formatting:
                return None
            while formatting.pop() is not None:  # up to the marker
                pass
            phases.phase = self._in_row
        opened.pop()
        return following

    def _open(self, rule: _Rule, attributes: dict[str, str], solidus: str, place: int, current: Node) -> Node | None:
        """Insert an element; return the new current node, None to leave the start tag to the phases."""
        start, _, name, name_tuple = rule
        opened = self._opened
        if not start or (solidus and start != _VOID) or len(opened) >= self._builder.max_depth:
            return None
        if attributes and not _has_plain_names(attributes):
            return None
        if start >= _CLOSES_P:
            kept = self._kept(start, name, current)
            if not kept:
                return None
            if kept < len(opened):
                del opened[kept:]
                current = opened[-1]
        elif start >= _FORMATTING and not self._is_new(start, name_tuple, attributes):
            return None
        self.last_start_tag = name
        node = Node(name_tuple, attributes, place, current)
        current.children.append(node)
        if start == _VOID:
            self._phases.framesetOK = False
            return current
        opened.append(node)
        if start == _LIST_ITEM:
            self._phases.framesetOK = False
        elif _FORMATTING <= start <= _A:
            list.append(self._formatting, node)
        return node

    def _insert_in_table(self, rule: _Rule, attributes: dict[str, str] | None, data: str, place: int) -> bool:
        """Open or close a row, or open a cell, after white space; return False to leave that to the phases."""
        phases, opened = self._phases, self._opened
        phase = phases.phase
        if phase is not self._in_row and phase is not self._in_table_body:
            return False
        _, _, name, name_tuple = rule
        current = opened[-1]
        following = _TABLE_TAGS.get((phase is self._in_row, attributes is None, name, current.name))
        if (
            following is None
            or current.namespace != _HTML
            or data.strip(_SPACE_TOKEN)
            or self._builder.insertFromTable
            or self._tree_sink.has_text
            or (attributes and not _has_plain_names(attributes))
            or len(opened) >= self._builder.max_depth
        ):
            return False
        if data:
            current.children.append(data)
        if attributes is None:
            opened.pop()
        else:
            self.last_start_tag = name
            node = Node(name_tuple, attributes, place, current)
            current.children.append(node)
            opened.append(node)
        if following == "inCell":
            self._formatting.append(None)  # a marker
        phases.phase = phases.phases[following]
        return True

    def _kept(self, start: int, name: str, current: Node) -> int:
        """Return how many elements stay open where a block begins; 0 if it closes more than the innermost ones."""
        opened = self._opened
        kept = len(opened)
        if start == _LIST_ITEM:
            items = _ITEMS[name]
            if current.name in items:
                kept -= 1
            else:
                for node in reversed(opened):
                    if node.name in items:
                        return 0
                    if node.name in _NAMES_END_ITEMS and node.nameTuple in _END_ITEMS:
                        break
        for index in range(kept - 1, -1, -1):
            node = opened[index]
            if node.name in _NAMES_END_P and node.nameTuple in _END_P:
                if node.nameTuple == _P:
                    if index < kept - 1:
                        return 0
                    kept = index
                break
        return 0 if start == _HEADING and opened[kept - 1].name in _HEADINGS else kept

    def _is_new(self, start: int, name_tuple: tuple[str, str], attributes: dict[str, str]) -> bool:
        """Return whether a formatting element can be added to the list as it is."""
        count = 0
        if len(self._formatting) >= self._builder.most_open:
            return False
        for node in reversed(self._formatting):
            if node is None:  # a marker
                break
            if node.nameTuple == name_tuple:
                if start == _A:
                    return False
                count += node.attributes == attributes
        return count < _MOST_ALIKE
