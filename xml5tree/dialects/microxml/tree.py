"""Tree construction (M-050 to M-064, M-070 to M-077)."""

from typing import Final

from xml5tree.dialects.flat import LEVELS, copy_flat, flat_elements
from xml5tree.dialects.microxml.chars import CLEAN_VALUE, SPACE
from xml5tree.dialects.microxml.lexer import Sink
from xml5tree.dialects.microxml.markup import DocumentMarkup
from xml5tree.errors.reporter import Reporter
from xml5tree.options import Settings
from xml5tree.tree.infoset import coerce_characters, coerce_comment, coerce_name
from xml5tree.xml.chars import FORBIDDEN
from xml5tree.xml.limits import ReaderLimits

_FLAT: Final = flat_elements("amp|lt|gt|quot|apos", CLEAN_VALUE)


class MicroXMLTree(Sink):
    """Makes start tags and end tags match, and the document a single element."""

    # White space outside the root is held until it is certain whether it is content: it is between two parts of a
    # wrapped document, and not at either end (M-062). Comments are held, too; only markup has them.

    def __init__(self, emitter: DocumentMarkup, reporter: Reporter, limits: ReaderLimits, settings: Settings) -> None:
        self.is_wrapped = False
        self._emitter = emitter
        self._reporter = reporter
        self._error = reporter.report
        self._rules = limits.names
        self._forbid_dtd = settings.forbid_dtd
        # The markup has one element around the root: the wrapper, or the hidden root of trees.
        self._max_depth = min(settings.max_depth, limits.max_depth - 1 if limits.max_depth else settings.max_depth)
        #: Raw names of the open elements, and their written names.
        self._stack: list[tuple[str, str]] = []
        self._open_names: dict[str, int] = {}  # count of each raw name on the stack
        self._deepest_is_open = False  # whether an element is open at the greatest allowed depth
        self._is_too_deep = False  # whether an element was attached to the parent of the one open at that depth
        self.cut_depth = 0  # elements that were open when the document ended
        self._has_root = False
        self._has_content = False
        self._coerced_text = False  # whether coercion of the current text was reported
        self._reported_text = False  # whether the text outside the root was reported
        #: Nodes outside the root that may be content: each "comment", and white space as a "space", or as part of
        #: a "section" or a "reference", which cannot stand around the root. The numbers are offset and line; the last
        #: item is the source of a reference, where that can be written.
        self._pending: list[tuple[str, str, int, int, str | None]] = []

        # The current tag.
        self._name = self._written = ""
        self._changed = False  # whether its source cannot be kept
        self._attributes: dict[str, str] = {}
        self._attribute: str | None = None  # the written name; None for a dropped one
        self._attribute_offset = 0

    # Tags -------------------------------------------------------------------------------------------------------

    def start_tag_open(self, name: str, offset: int) -> None:
        if not self._stack:
            self._begin_root(name, offset)  # which may write white space of the text before
        self._coerced_text = False
        if self._level() >= self._max_depth:
            self._make_room(offset)
        self._name = name
        self._attributes = {}
        self._written = self._coerce(name)
        self._changed = self._written != name
        if self._changed:
            self._error("coerced-element-name", offset, name, self._written)

    def attribute(self, name: str, offset: int) -> None:
        # An attribute named xmlns is not a namespace declaration here.
        written = "U000078mlns" if name == "xmlns" else self._coerce(name)
        if written != name:
            self._changed = True
            self._error("coerced-attribute-name", offset, name, written)
        if written in self._attributes:
            self._changed = True
            self._attribute = None
            self._error("duplicate-attribute", offset, name)
        else:
            self._attribute = written
            self._attribute_offset = self._reporter.marks["attribute"] = offset
            self._attributes[written] = ""

    def _coerce(self, name: str) -> str:
        """Return a name that the markup's reader takes to be in no namespace, or in that of ``xml:`` (M-070)."""
        prefix = "xml:" if name.startswith("xml:") and self._rules.is_ncname(name[4:]) else ""
        return prefix + coerce_name(name.removeprefix(prefix), self._rules)

    def attribute_value(self, value: str) -> None:
        if self._attribute is None:
            return
        if FORBIDDEN.search(value):
            value = coerce_characters(value)
            self._changed = True
            self._error("coerced-character", self._attribute_offset)
        self._attributes[self._attribute] = value
        self._reporter.marks.pop("attribute")

    def start_tag_close(self, verbatim: str | None, empty: bool) -> None:
        self._emitter.start_tag(self._written, self._attributes.items(), empty, None if self._changed else verbatim)
        if empty:
            return
        self._stack.append((self._name, self._written))
        self._open_names[self._name] = self._open_names.get(self._name, 0) + 1
        self._deepest_is_open = self._level() >= self._max_depth

    def end_tag(self, name: str, offset: int, verbatim: str | None) -> None:
        """See `Sink` (M-051, M-052)."""
        if name not in self._open_names:
            self._error("unmatched-end-tag", offset, f"</{name}>")
            return
        current = self._stack[-1][0]
        if name != current:
            self._error("mismatched-end-tag", offset, f"</{name}>", current)
            while self._stack[-1][0] != name:
                self._pop(offset, None, closed_at=offset)
            verbatim = None
        self._pop(offset, verbatim)

    def _pop(self, offset: int, verbatim: str | None, *, closed_at: int | None = None) -> None:
        self._coerced_text = False
        name, written = self._stack.pop()
        count = self._open_names.pop(name)
        if count > 1:
            self._open_names[name] = count - 1
        level = self._level()
        if level < self._max_depth:
            self._is_too_deep = False
        if level + 1 < self._max_depth or self._deepest_is_open:
            self._emitter.at(offset)
            self._emitter.end_tag(written, verbatim if written == name else None, closed_at=closed_at)
            self._deepest_is_open = False

    def _level(self) -> int:
        """Return the depth of the current element, as far as is certain: the wrapper is a level (M-063)."""
        return len(self._stack) + self.is_wrapped

    def _make_room(self, offset: int) -> None:
        """Close the element at the greatest depth, so that the next one is attached to its parent (D-124)."""
        if not self._is_too_deep:
            self._is_too_deep = True
            self._error("max-depth-exceeded", offset, self._max_depth)
        if self._deepest_is_open:
            self._emitter.end_tag(self._stack[-1][1], None, closed_at=offset)
            self._deepest_is_open = False

    def flat_elements(self, text: str, start: int, offset: int) -> int:
        if not self._stack or self._level() + LEVELS >= self._max_depth:
            return start
        end = copy_flat(_FLAT, text, start, offset, self._emitter, self._reporter.locator)
        self._coerced_text = self._coerced_text and end == start
        return end

    # Text -------------------------------------------------------------------------------------------------------

    def characters(self, data: str, offset: int) -> None:
        if self._stack:
            self._text(data, offset)
        else:
            self._outer_text(data, offset, "space")

    def section(self, data: str, offset: int) -> None:
        """See `Sink`; white space of a section outside the root is not allowed (M-042)."""
        if self._stack:
            self._text(data, offset)
        else:
            self._report_outer_text(offset)
            self._outer_text(data, offset, "section")

    def reference(self, data: str, offset: int, verbatim: str | None) -> None:
        if not self._stack:
            self._report_outer_text(offset)
            if not data.strip(SPACE):
                self._hold("reference", data, offset, verbatim)
                return
            self._begin_content(offset)
            self._wrap(offset)
        if FORBIDDEN.search(data):
            data, verbatim = self._coerce_text(data, offset), None
        self._emitter.at(offset)
        self._emitter.reference(data, verbatim)

    def _text(self, data: str, offset: int) -> None:
        bad = FORBIDDEN.search(data)
        if bad:
            data = self._coerce_text(data, offset + bad.start())
        self._emitter.at(offset)
        self._emitter.text(data)

    def _coerce_text(self, data: str, offset: int) -> str:
        if not self._coerced_text:
            self._coerced_text = True
            self._error("coerced-character", offset)
        return coerce_characters(data)

    def comment(self, data: str, offset: int) -> None:
        """See `Sink`: only markup has comments, with the content that XML allows (M-077)."""
        if self._stack:
            self._tell_comment(data, offset)
        else:
            self._keep("comment", data, offset)

    def _tell_comment(self, data: str, offset: int) -> None:
        self._emitter.at(offset)
        length = len("<!--") + len(data)
        self._emitter.comment(coerce_characters(coerce_comment(data)), None, length=length)

    # Outside the root element -----------------------------------------------------------------------------------

    def _outer_text(self, data: str, offset: int, kind: str) -> None:
        """Write text outside the root; hold white space at its edges."""
        start = len(data) - len(data.lstrip(SPACE))
        content = data.strip(SPACE)
        self._hold(kind, data[:start], offset)
        if content:
            offset += start
            self._report_outer_text(offset)
            self._begin_content(offset)
            self._wrap(offset)
            self._text(content, offset)
            self._hold(kind, data[start + len(content) :], offset + len(content))

    def _report_outer_text(self, offset: int) -> None:
        if not self._reported_text:
            self._reported_text = True
            self._error("text-outside-root", offset)

    def _begin_root(self, name: str, offset: int) -> None:
        if self._has_root:
            self._error("element-after-root", offset, name)
        if self._has_content:
            self._wrap(offset)
        self._begin_content(offset)
        self._has_root = True
        self._reported_text = False

    def _wrap(self, offset: int) -> None:
        if not self.is_wrapped:
            self.is_wrapped = True
            self._error("document-wrapped", offset)
            self._emitter.wrap()

    def _hold(self, kind: str, space: str, offset: int, verbatim: str | None = None) -> None:
        """Hold white space outside the root, which may be content; for `kind` and `verbatim` see `_pending`."""
        if space:
            self._keep(kind, space, offset, verbatim)
            if "\f" in space and self._has_content:
                self._reporter.marks.setdefault("form_feed", offset + space.index("\f"))

    def _keep(self, kind: str, data: str, offset: int, verbatim: str | None = None) -> None:
        """Hold a node, with its line, as the locator drops the text."""
        self._pending.append((kind, data, offset, self._reporter.locator.line(offset), verbatim))

    def _begin_content(self, offset: int) -> None:
        if not self._has_content:
            self._write_around_root()
            self._has_content = True
            self._emitter.content(offset)
            return
        pending, self._pending = self._pending, []
        for kind, data, offset, _, verbatim in pending:
            self._emitter.at(offset)
            if kind == "comment":
                self._tell_comment(data, offset)
            elif "\f" in data:
                self._emitter.text(self._coerce_text(data, self._reporter.marks["form_feed"]))
            elif kind == "reference":
                self._emitter.reference(data, verbatim)
            else:
                self._emitter.text(data)
        self._reporter.marks.pop("form_feed", None)

    def _write_around_root(self) -> None:
        """Write the held nodes that are no content."""
        for kind, data, offset, line, _ in self._pending:
            self._emitter.at(offset)
            if kind == "comment":
                self._tell_comment(data, offset)
            elif kind == "space" and not self.is_wrapped:
                self._emitter.space(coerce_characters(data), line)
        self._pending.clear()

    # DOCTYPE and the end ----------------------------------------------------------------------------------------

    def doctype(self, offset: int) -> None:
        if self._forbid_dtd:
            raise self._reporter.refuse("doctype-forbidden", offset)

    def end_of_file(self, offset: int) -> None:
        """See `Sink` (M-053, M-061)."""
        if self._stack:
            self._error("eof-in-element", offset, self._stack[-1][0])
            self._reporter.log.truncated = True
            self.cut_depth = len(self._stack)
        while self._stack:
            self._pop(offset, None, closed_at=offset)
        if not self._has_root:
            self._error("no-root-element", offset)
        if not self._has_content:
            self._begin_content(offset)
            self._wrap(offset)
        self._write_around_root()
        self._emitter.finish()
