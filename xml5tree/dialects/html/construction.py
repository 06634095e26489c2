"""Tree construction (§12.2.5) by html5lib, with our tokenizer (H-110 to H-112).

Only this module and `tree` know html5lib: the phases of its parser, which take tokens as dictionaries, and the
interface of its tree builders.
"""

import copy
import re
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, Final, Literal, TypeVar, cast

from html5lib import constants, html5parser
from html5lib.treebuilders import base

from xml5tree.dialects.html.nodes import Node, OtherNode
from xml5tree.dialects.html.tokens import Doctype as DoctypeToken
from xml5tree.errors.codes import KEPT, LOST, MOVED, Effect

#: The phase of a body, and those in which its rules hold for all tags but those that they name themselves.
LIKE_BODY: Final = ("inBody", "inCell", "inCaption")


_DOCTYPE: Final = constants.tokenTypes["Doctype"]
_CHARACTERS: Final = constants.tokenTypes["Characters"]
_SPACE: Final = constants.tokenTypes["SpaceCharacters"]
_START_TAG: Final = constants.tokenTypes["StartTag"]
_END_TAG: Final = constants.tokenTypes["EndTag"]
_COMMENT: Final = constants.tokenTypes["Comment"]

#: The methods of phases that process the tokens.
_METHODS: Final = {
    _CHARACTERS: "processCharacters",
    _SPACE: "processSpaceCharacters",
    _START_TAG: "processStartTag",
    _END_TAG: "processEndTag",
    _COMMENT: "processComment",
    _DOCTYPE: "processDoctype",
}

#: Text as html5lib's tokenizer would split it: leading white space, and U+0000, stand alone.
_TEXT: Final = re.compile("[\t\n\f ]+|\0|[^\0]+")

#: Phases that ignore text but not the white space in it, which html5lib's tokenizer does not separate.
_KEEP_ONLY_SPACE: Final = ("inFrameset", "afterFrameset", "afterAfterFrameset", "inColumnGroup")
_NO_SPACE: Final = re.compile("[^\t\n\f ]+")

HTML: Final = constants.namespaces["html"]

#: Elements that phases count on to stay open. They nest in cells and captions only, at which searches in scopes end.
_STAYING_OPEN: Final = {
    (HTML, name)
    for name in """
        body caption colgroup frameset head html script select style table tbody td textarea tfoot th thead title tr
    """.split()
}

#: html5lib's name of an error that WHATWG names, too (H-047).
_TRAILING_SOLIDUS: Final = "non-void-element-with-trailing-solidus"

#: Exceptions of html5lib in cases that it takes to be impossible.
_FAILURES: Final = (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError)

#: Equal active formatting elements that are kept after a marker.
_MOST_ALIKE: Final = 3

#: Open elements that are always allowed, whatever `max_depth` is.
_LEAST_DEPTH: Final = 256


#: Elements that begin with a marker in the list of active formatting elements.
_MARKED: Final = {(HTML, name) for name in ("applet", "caption", "marquee", "object", "td", "th")}

_Item = TypeVar("_Item")


class _FromEnd(list[_Item]):
    """A list of nodes in which one is looked for from the end, where it mostly is."""

    def index(self, item: Any, *_: Any) -> int:
        for place in range(len(self) - 1, -1, -1):
            if self[place] is item:
                return place
        raise ValueError("not in the list")

    def remove(self, item: Any) -> None:
        del self[self.index(item)]


class _OpenElements(_FromEnd[Node]):
    """The stack of open elements."""

    def __contains__(self, node: object) -> bool:
        """Return whether an active formatting element is open. If there are markers, it is after the last one."""
        for element in reversed(self):
            if element is node:
                return True
            if element.nameTuple in _MARKED:  # which was opened before what is after its marker
                return False
        return False


class _FormattingElements(_FromEnd[Node | None]):
    """The list of active formatting elements, with None as a marker; html5lib asks for what is after the last one."""

    most = _LEAST_DEPTH  # elements after a marker: as many as can be open

    def __contains__(self, node: object) -> bool:
        for other in reversed(self):
            if other is node or other is None:
                return other is node
        return False

    def append(self, node: Node | None) -> None:
        """Add an element; remove the earliest of three equal ones, or of too many (H-119)."""
        alike = 0
        start = place = len(self)
        while node is not None and place and (other := self[place - 1]) is not None:
            place -= 1
            alike += other.nameTuple == node.nameTuple and other.attributes == node.attributes
            if alike == _MOST_ALIKE:
                break
        if alike == _MOST_ALIKE or start - place >= self.most:
            del self[place]
        super().append(node)


class Builder(base.TreeBuilder):
    """html5lib's tree builder, with our nodes."""

    documentClass = OtherNode
    fragmentClass = OtherNode

    def __init__(self, namespaceHTMLElements: bool) -> None:
        self.max_depth = self.most_open = _LEAST_DEPTH
        self.is_too_deep = False  # whether an element was to be inserted deeper than `max_depth`
        self.place = 0  # the offset of the end of the token
        self.attached_higher = 0  # elements attached to a higher parent, because of the depth limit
        super().__init__(namespaceHTMLElements)

    def reset(self) -> None:
        super().reset()
        self.openElements = _OpenElements()
        self.activeFormattingElements = _FormattingElements()
        self.activeFormattingElements.most = self.most_open

    def elementClass(self, name: str, namespace: str | None = None) -> Node:
        return Node((namespace or HTML, name), {}, self.place, None)

    def commentClass(self, data: str) -> Node:
        return OtherNode("comment", self.place, data)

    def doctypeClass(self, name: str, public_id: str | None, system_id: str | None) -> Node:
        return OtherNode("doctype", self.place, (public_id, system_id), name)

    def insertElementNormal(self, token: dict[str, Any]) -> Any:
        """Insert an element; at the depth limit, in the parent of the current node (D-124)."""
        if len(self.openElements) >= self.max_depth:
            self.is_too_deep = True
            if len(self.openElements) >= self.most_open and self.openElements[-1].nameTuple not in _STAYING_OPEN:
                self.openElements.pop()
                self.attached_higher += 1
        return super().insertElementNormal(token)  # type: ignore[no-untyped-call]

    def elementInActiveFormattingElements(self, name: str) -> Node | Literal[False]:
        """Return the last active formatting element of a name after the last marker, or False."""
        for node in reversed(self.activeFormattingElements):
            if node is None:
                break
            if node.name == name:
                return cast(Node, node)
        return False

    def getTableMisnestedNodePosition(self) -> tuple[Node, Node | None]:
        """Return the foster parent and the child before which it gets a node, or None."""
        opened = self.openElements
        for place in range(len(opened) - 1, 0, -1):
            table = opened[place]
            if table.name == "table":
                return (opened[place - 1], None) if table.parent is None else (table.parent, table)
        return opened[0], None

    def generateImpliedEndTags(self, exclude: str | None = None) -> None:
        """Close elements as html5lib does, without a call for each."""
        implied = {"dd", "dt", "li", "option", "optgroup", "p", "rp", "rt"} - {exclude}
        while self.openElements[-1].name in implied:
            self.openElements.pop()


class _States:
    """The part of a tokenizer that the phases use: its state, here the name of a content model."""

    dataState: Final = None
    rcdataState: Final = "rcdata"
    rawtextState: Final = "rawtext"
    scriptDataState: Final = "script data"
    plaintextState: Final = "plaintext"

    def __init__(self) -> None:
        self.state: str | None = None
        # Errors are located elsewhere.
        self.stream = SimpleNamespace(errors=(), charEncoding=(None, "certain"), position=lambda: (0, 0))


_UNEXPECTED: Final = "unexpected-end-tag"  # what html5lib calls this error
_InBody: Final[Any] = html5parser.getPhases(False)["inBody"]


class _Body(_InBody):  # type: ignore[misc]
    """The phase of a body, without copies of all open elements or all active formatting elements."""

    __slots__ = ()

    def addFormattingElement(self, token: dict[str, Any]) -> None:
        self.tree.activeFormattingElements.append(self.tree.insertElement(token))

    def endTagOther(self, token: dict[str, Any]) -> None:
        """Process an end tag that no rule names (§12.2.5)."""
        opened, name = self.tree.openElements, token["name"]
        for index in range(len(opened) - 1, -1, -1):
            node = opened[index]
            if node.name == name:
                self.tree.generateImpliedEndTags(exclude=name)
                if opened[-1].name != name:
                    self.parser.parseError(_UNEXPECTED, {"name": name})
                del opened[index:]
                break
            if node.nameTuple in constants.specialElements:
                self.parser.parseError(_UNEXPECTED, {"name": name})
                break

    endTagHandler = copy.copy(vars(_InBody)["endTagHandler"])
    endTagHandler.default = endTagOther


class Phases(html5parser.HTMLParser):
    """html5lib's phases, which process the tokens of one document after another."""

    def __init__(self) -> None:
        super().__init__(tree=Builder)
        self.phases["inBody"] = _Body(self, self.tree)
        self.states = _States()
        self.failures = 0  # tokens that html5lib failed to process since the last report
        cast(Any, self).tokenizer = self.states
        self.builder = cast(Builder, self.tree)
        self.like_body = tuple(self.phases[name] for name in LIKE_BODY)
        self._keep_only_space = tuple(self.phases[name] for name in _KEEP_ONLY_SPACE)

    def begin(self, container: str | None, *, scripting: bool, max_depth: int) -> None:
        """Forget the document before; begin one, or the content of an element of the name `container`."""
        builder = self.builder
        builder.max_depth = max_depth
        builder.most_open = max(max_depth, _LEAST_DEPTH)
        builder.is_too_deep = False
        builder.place = builder.attached_higher = 0
        self.failures = 0
        body, table_text = self.phases["inBody"], self.phases["inTableText"]
        body.processSpaceCharacters = body.processSpaceCharactersNonPre
        table_text.originalPhase = None
        table_text.characterTokens = []
        self.innerHTMLMode = container is not None
        self.container = container or ""
        self.scripting = scripting
        self.states.state = None
        vars(self).pop("originalPhase", None)
        self.reset()

    def resetInsertionMode(self) -> None:
        """Do what html5lib does, without a copy of all open elements: one of the innermost decides."""
        opened = self.tree.openElements
        most = self.tree.most_open
        if len(opened) > 2 * most:  # there are not as many in a row that need not stay open
            self.tree.openElements = [opened[0], *opened[-most - 1 :]]
        try:
            super().resetInsertionMode()
        finally:
            self.tree.openElements = opened

    def take_model(self) -> str | None:
        """Return the content model that the last token has set, None for markup."""
        model, self.states.state = self.states.state, None
        return model

    def process_start_tag(self, name: str, attributes: dict[str, str], *, self_closing: bool) -> dict[str, Any]:
        """Process a start tag; return its token, with its attributes and namespace as the tree has them."""
        token: dict[str, Any] = {
            "type": _START_TAG,
            "name": name,
            "data": attributes,
            "selfClosing": self_closing,
            "selfClosingAcknowledged": False,
        }
        self.process(token)
        return token

    def process_end_tag(self, name: str) -> None:
        self.process({"type": _END_TAG, "name": name, "data": {}, "selfClosing": False})

    def process_comment(self, data: str) -> None:
        self.process({"type": _COMMENT, "data": data})

    def process_doctype(self, token: DoctypeToken) -> None:
        ids = {"publicId": token.public_id, "systemId": token.system_id}
        self.process({"type": _DOCTYPE, "name": token.name or "", **ids, "correct": not token.force_quirks})

    def process_text(self, data: str) -> None:
        for text in _TEXT.findall(data):
            if text[0] in "\t\n\f ":
                self.process({"type": _SPACE, "data": text})
                continue
            phase = self.phase
            self.process({"type": _CHARACTERS, "data": text})
            if phase in self._keep_only_space and self.phase is phase:  # the text was ignored
                space = _NO_SPACE.sub("", text)
                if space:
                    self.process({"type": _SPACE, "data": space})

    def process(self, token: dict[str, Any]) -> None:
        """Process a token; skip it if html5lib fails, which no document should cause."""
        try:
            self._dispatch(token)
        except _FAILURES:
            self.failures += 1

    def _dispatch(self, token: dict[str, Any]) -> None:
        """Process a token by the rules for the current node ("tree construction dispatcher", §12.2.5)."""
        rest: dict[str, Any] | None = token
        while rest is not None:
            token = rest
            phase = self.phase if self._follows_html(token) else self.phases["inForeignContent"]
            rest = getattr(phase, _METHODS[token["type"]])(token)
        if token["type"] == _START_TAG and token["selfClosing"] and not token["selfClosingAcknowledged"]:
            self.parseError(_TRAILING_SOLIDUS, {"name": token["name"]})

    def _follows_html(self, token: dict[str, Any]) -> bool:
        """Return whether the rules of the insertion mode process a token, not those of foreign content."""
        if not self.tree.openElements:
            return True
        current = self.tree.openElements[-1]
        if current.namespace == HTML:
            return True
        kind, name = token["type"], token.get("name")
        is_text = kind in {_CHARACTERS, _SPACE}
        if self.isMathMLTextIntegrationPoint(current):
            return is_text or (kind == _START_TAG and name not in {"mglyph", "malignmark"})
        if (
            kind == _START_TAG
            and name == "svg"
            and current.nameTuple == (constants.namespaces["mathml"], "annotation-xml")
        ):
            return True
        return self.isHTMLIntegrationPoint(current) and (is_text or kind == _START_TAG)

    def finish(self) -> None:
        seen = []
        try:
            while self.phase not in seen:
                seen.append(self.phase)
                if not self.phase.processEOF():
                    break
        except _FAILURES:  # as in `process`
            pass

    def take_errors(self) -> Iterator[tuple[str, str, Effect]]:
        """Yield codes, details and effects of the errors since the last call."""
        errors, self.errors = self.errors, []
        failures, self.failures = self.failures, 0
        for _ in range(failures):
            yield "html-tree-construction", "html5lib could not process this token, which was dropped", LOST
        for _, code, details in errors:
            if code == _TRAILING_SOLIDUS:
                yield "non-void-html-element-start-tag-with-trailing-solidus", f"<{details['name']}/>", MOVED
            else:
                yield "html-tree-construction", constants.E[code] % details, _effect(code)


#: Phases without a document: to make them takes longer than a short document.
_idle: Final[list[Phases]] = []
_MOST_IDLE: Final = 4


def take_phases() -> Phases:
    """Return phases for a document, which `give_back` returns."""
    try:
        return _idle.pop()
    except IndexError:  # another thread may have taken the last
        return Phases()


def give_back(phases: Phases) -> None:
    """Let another document have phases, which keep nothing of this one but some names of its tags."""
    if len(_idle) < _MOST_IDLE:
        builder = phases.builder
        builder.openElements.clear()
        builder.activeFormattingElements.clear()
        builder.document = builder.headPointer = builder.formPointer = None
        phases.errors = []
        _idle.append(phases)


def _effect(code: str) -> Effect:
    """Return the effect of an html5lib error: ignored start tags, text and DOCTYPEs are lost."""
    if code.startswith("expected-doctype-") or code == "unknown-doctype":
        return KEPT
    is_ignored = code == "invalid-codepoint" or "gnored" in constants.E[code]
    return LOST if is_ignored and "end-tag" not in code else MOVED
