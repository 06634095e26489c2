"""Content models and foreign content, without a tree (H-040 to H-044).

Some start tags switch the tokenizer to another state, except in foreign content (SVG or MathML). The tags alone decide,
but for a ``<plaintext>`` that a tree would ignore (H-042).
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from xml5tree.dialects.html.machine import TokenSink

#: Content models by the name of the start tag.
MODELS: Final[Mapping[str, str]] = {
    "title": "rcdata",
    "textarea": "rcdata",
    "style": "rawtext",
    "xmp": "rawtext",
    "iframe": "rawtext",
    "noembed": "rawtext",
    "noframes": "rawtext",
    "script": "script data",
    "plaintext": "plaintext",
}

_HTML: Final = "html"
_SVG: Final = "svg"
_MATHML: Final = "math"
_FOREIGN: Final = frozenset([_SVG, _MATHML])

_VOID: Final = frozenset(
    """
    area base basefont bgsound br col command embed frame hr image img input keygen link meta param source track
    wbr
    """.split()
)

#: Start tags that end foreign content ("in foreign content", §12.2.5.5).
_BREAKING_OUT: Final = frozenset(
    """
    b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu
    meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var
    """.split()
)
_BREAKING_OUT_FONT: Final = frozenset(["color", "face", "size"])

_SVG_INTEGRATION_POINTS: Final = frozenset(["foreignobject", "desc", "title"])
_MATHML_TEXT_INTEGRATION_POINTS: Final = frozenset(["mi", "mo", "mn", "ms", "mtext"])
_HTML_ENCODINGS: Final = frozenset(["text/html", "application/xhtml+xml"])


class Models(NamedTuple):
    """Content models by the name of the start tag; with `foreign`, foreign content has none."""

    by_name: Mapping[str, str]
    foreign: bool


class _Open(NamedTuple):
    """An open element in foreign content, by its name in lower case; HTML's rules hold in integration points."""

    name: str
    namespace: str
    is_integration_point: bool


class ContentModels:
    """A sink that passes tokens on, and tells content models and namespaces as a tree would."""

    def __init__(self, sink: TokenSink, models: Models, *, scripting: bool) -> None:
        """Connect the sink; with `scripting`, the content of ``noscript`` is text."""
        self._sink = sink
        self.comment = sink.comment
        self.doctype = sink.doctype
        self.characters = sink.characters
        self.end_of_file = sink.end_of_file
        self._models = dict(models.by_name)
        if scripting:
            self._models["noscript"] = self._models["style"]
        self._has_foreign_content = models.foreign
        self._open: list[_Open] = []  # the outermost svg or math, and the open elements in it

    def start_tag(self, name: str, attributes: dict[str, str], self_closing: bool, offset: int) -> str | None:
        self._sink.start_tag(name, attributes, self_closing, offset)
        if not self._open and (name not in _FOREIGN or not self._has_foreign_content):
            return self._models.get(name)
        if not self._follows_html(name):
            if name not in _BREAKING_OUT and (name != "font" or _BREAKING_OUT_FONT.isdisjoint(attributes)):
                if not self_closing:
                    self._push_foreign(name, self._open[-1].namespace, attributes)
                return None
            self._break_out()
        return self._start_in_html(name, attributes, self_closing)

    def _follows_html(self, name: str) -> bool:
        """Return whether the rules for HTML content process a start tag (§12.2.5)."""
        if not self._open:
            return True
        current = self._open[-1]
        if current.namespace == _HTML:
            return True
        if current.name == "annotation-xml" and current.namespace == _MATHML and name == _SVG:
            return True
        if current.is_integration_point:
            return current.name not in _MATHML_TEXT_INTEGRATION_POINTS or name not in {"mglyph", "malignmark"}
        return False

    def _break_out(self) -> None:
        """Leave foreign content, up to an element where HTML's rules hold."""
        while self._open and self._open[-1].namespace != _HTML and not self._open[-1].is_integration_point:
            self._open.pop()

    def _start_in_html(self, name: str, attributes: dict[str, str], self_closing: bool) -> str | None:
        if name in _FOREIGN:
            if not self_closing:
                self._push_foreign(name, name, attributes)
            return None
        if self._open and name not in _VOID:
            self._open.append(_Open(name, _HTML, False))
        return self._models.get(name)

    def _push_foreign(self, name: str, namespace: str, attributes: dict[str, str]) -> None:
        if namespace == _SVG:
            is_point = name in _SVG_INTEGRATION_POINTS
        elif name == "annotation-xml":
            is_point = attributes.get("encoding", "").lower() in _HTML_ENCODINGS
        else:
            is_point = name in _MATHML_TEXT_INTEGRATION_POINTS
        self._open.append(_Open(name, namespace, is_point))

    def end_tag(self, name: str, offset: int) -> None:
        self._sink.end_tag(name, offset)
        if not self._open:
            return
        if self.current_node_is_foreign() and name in {"p", "br"}:
            self._break_out()
            return
        in_html = not self.current_node_is_foreign()
        for place in range(len(self._open) - 1, -1, -1):
            element = self._open[place]
            if element.name == name:
                del self._open[place:]
                return
            if in_html and element.namespace != _HTML:
                return  # an end tag in HTML content closes nothing around it
            in_html = element.namespace == _HTML

    def current_node_is_foreign(self) -> bool:
        return bool(self._open) and self._open[-1].namespace != _HTML
