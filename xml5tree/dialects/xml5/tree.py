"""Tree construction (§1.4 of the draft; D-100 to D-125).

The tokenizer calls the methods of the current phase: one of phases.py, or the `TreeBuilder`, which is the main phase
and reports the tree to an emitter (`xml5tree.output.markup`). `verbatim` is as in `TokenSink`; each repair of the
token makes it None.
"""

from collections.abc import Callable
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from xml5tree.dialects.xml5.ignored import IgnoredEndTags
from xml5tree.dialects.xml5.phases import WHITE_SPACE, EndPhase, OuterPhase, StartPhase
from xml5tree.dialects.xml5.sink import Doctype, TokenSink
from xml5tree.dtd.attributes import DeclaredAttributes
from xml5tree.dtd.budget import Budget
from xml5tree.dtd.declarations import PUBLIC_ID_CHARACTERS
from xml5tree.errors.codes import KEPT, LOST, Effect, Kind
from xml5tree.errors.reporter import Reporter
from xml5tree.errors.wording import number_of, since_ignored
from xml5tree.options import Settings
from xml5tree.output.markup import Markup, insert_in_tag, written_attributes
from xml5tree.tree.endtags import Swallowed, ended_by, has_swallowed
from xml5tree.tree.infoset import coerce_characters, coerce_comment, coerce_instruction, coerce_target
from xml5tree.tree.namespaces import Element, Namespaces, split_name
from xml5tree.xml.chars import FORBIDDEN, has_forbidden
from xml5tree.xml.limits import COMMENT, PROCESSING_INSTRUCTION, ReaderLimits
from xml5tree.xml.structure import TEXT

if TYPE_CHECKING:
    from xml5tree.accelerator._scan import Scope
    from xml5tree.errors.entry import Found
    from xml5tree.errors.locator import Place
    from xml5tree.intent.contradictions import Contradictions


#: The codes of wrong end tags: see `TreeBuilder.events`.
END_TAGS: Final = frozenset({"mismatched-end-tag", "unmatched-end-tag"})
#: The attribute declarations of a document without a DOCTYPE, for which no budget is charged.
_NOTHING_DECLARED: Final = DeclaredAttributes({}, False, Budget(Settings(), lambda: 0))


class TreeBuilder(TokenSink):
    """The state of tree construction, and §1.4 Main phase: its methods take the tokens as in `TokenSink`."""

    _wrapper_depth = 0  # open elements that are none of the document's

    def __init__(self, emitter: Markup, reporter: Reporter, limits: ReaderLimits, settings: Settings) -> None:
        self.emitter = emitter  # takes the tree
        self.has_root = False  # there is a root element
        self.drops_elements = False  # elements came after the root element, and were dropped
        self.cut_depth = 0  # the number of open elements when the document ended in the middle of something
        self.end_offset = 0  # the offset of the end of the document, once that is reached
        self.reporter = reporter
        self._longest_system_id = limits.longest_system_id
        self._longest_public_id = limits.longest_public_id
        # the meaning of the names of elements and attributes
        self.namespaces = Namespaces(limits, settings, self.error)
        defaults = settings.attribute_defaults
        self._all_defaults = limits.attribute_defaults if defaults is None else defaults
        self._settings = settings
        self._control_characters = settings.control_characters
        #: Kinds of nodes whose loss is reported: where the elements are known, all else may have been meant as text.
        self._missed = limits.left_out if settings.elements is not None else ()
        self.max_depth = limits.depth(settings.max_depth)
        self._has_doctype = False
        self.declared = _NOTHING_DECLARED  # the attribute declarations of the DOCTYPE
        self.stack: list[str] = []  # the raw names of the open elements; always the same list
        #: The open elements whose markup differs from the document: by a scope, or by another name. The depth is first.
        self._scoped_or_renamed: list[tuple[int, Element]] = []
        self.open_names: dict[str, int] = {}  # the raw names of the open elements, with the number of elements of each
        self._entities: list[tuple[int, int]] = []  # depth where each entity began, and `_lowest` before it
        self._lowest = 0  # the least depth since the innermost entity began
        self._deepest_is_open = False  # whether the markup has an element open at the greatest depth allowed
        self._is_too_deep = False  # whether an element was attached to the one open at that depth, or its parent
        self._coerced_text = False  # whether that has been reported of the current text
        self._ignored = IgnoredEndTags()
        self.swallowed = Swallowed(reporter.leaves_out)
        #: Whether the last token was an end tag that was ignored, white space aside.
        self.follows_ignored_end_tag = False
        self.contradictions: Contradictions | None = None  # judges children, once something is known of the structure
        self.phase: TokenSink = StartPhase(self)  # takes the tokens

    def release(self) -> None:
        self.namespaces.release()
        self.contradictions = None
        del self.phase, self.namespaces

    def error(
        self, code: str, offset: int, *detail: object, kind: Kind | None = None, effect: Effect | None = None
    ) -> None:
        """Report an error; a `kind` or `effect` overrules that of the code."""
        self.reporter.record(code, offset, detail, kind, effect)

    def _coerce(
        self,
        data: str,
        verbatim: str | None,
        offset: int,
        code: str = "coerced-character",
        coercion: Callable[[str], str] | None = None,
        effect: Effect | None = None,
    ) -> tuple[str, str | None]:
        """Return a part of a token as XML can hold it, and `verbatim`, which is None if the part had to be changed."""
        # A change is reported as the error, with the two forms of the part.
        coerced = coerce_characters(data, self._control_characters) if coercion is None else coercion(data)
        if coerced == data:
            return data, verbatim
        self.error(code, offset, data, coerced, effect=effect)
        return coerced, None

    @property
    def current_name(self) -> str:
        """The raw name of the current element; "" where none of the document's is open."""
        return self.stack[-1] if self.stack else ""

    # Elements -----------------------------------------------------------------------------------------------------

    def start_tag(self, name: str, attributes: dict[str, str], offset: int, verbatim: str | None) -> None:
        """Insert an element for a start tag: it becomes the current element."""
        element = self._append(name, attributes, offset, verbatim, empty=False)
        self.stack.append(name)
        if element is not None:
            self._scoped_or_renamed.append((len(self.stack), element))
        self.open_names[name] = self.open_names.get(name, 0) + 1
        self._deepest_is_open = len(self.stack) >= self.max_depth

    def empty_tag(self, name: str, attributes: dict[str, str], offset: int, verbatim: str | None) -> None:
        """Append an element for an empty tag."""
        element = self._append(name, attributes, offset, verbatim, empty=True)
        if element:
            self.namespaces.pop_written(element)
            self.namespaces.leave(element)
        if not self.stack:
            self.phase = EndPhase(self)

    def _append(
        self, name: str, attributes: dict[str, str], offset: int, verbatim: str | None, empty: bool
    ) -> Element | None:
        """Append an element (D-100) to the current one; return it if it has a scope or is renamed in the markup."""
        self._coerced_text = self.follows_ignored_end_tag = False
        self._judge(name, offset)
        if len(self.stack) >= self.max_depth:
            self._make_room(offset)
        if (
            name not in self.declared.rewritten
            and self.namespaces.is_verbatim(name, attributes)
            and not has_forbidden("".join(attributes.values()) if verbatim is None else verbatim)
        ):
            if name in self.declared.extended:
                missing = self.declared.missing(name, attributes, lambda code: self.error(code, offset))
                attributes = attributes | missing
                if verbatim is not None:
                    verbatim = insert_in_tag(verbatim, written_attributes(missing.items()))
            self.emitter.start_tag(name, attributes.items(), empty, verbatim)
            return None
        attributes, verbatim = self.declared.apply(name, attributes, verbatim, lambda code: self.error(code, offset))
        changed = {}
        for attribute, value in attributes.items():
            coerced, verbatim = self._coerce(value, verbatim, offset)
            if coerced is not value:
                changed[attribute] = coerced
        element = self.namespaces.enter(name, attributes | changed if changed else attributes, verbatim, offset)
        self.emitter.start_tag(element.name, element.attributes, empty, element.verbatim)
        return element if element.bound or element.declared or element.name != name else None

    def _judge(self, name: str, offset: int) -> None:
        """Have a child of the current element judged: an element, or `TEXT`."""
        if self.contradictions is not None and self.stack:
            self.contradictions.take(self.stack, name, offset)

    def _make_room(self, offset: int) -> None:
        """Close an element at the greatest depth, so that the next one is attached to its parent (D-124)."""
        if not self._is_too_deep:
            self._is_too_deep = True
            self.error("max-depth-exceeded", offset, self.max_depth)
        if self._deepest_is_open:
            self._close(self.stack[-1], self._current_scoped_or_renamed(), None, closed_at=offset)
            self._deepest_is_open = False

    def _close(self, name: str, element: Element | None, verbatim: str | None, *, closed_at: int | None) -> None:
        if element is None:
            self.emitter.end_tag(name, verbatim, closed_at=closed_at)
        else:
            self.emitter.end_tag(element.name, verbatim if element.name == name else None, closed_at=closed_at)
            self.namespaces.pop_written(element)

    def _current_scoped_or_renamed(self) -> Element | None:
        """Return the current element if it has a scope, or another name in the markup."""
        elements = self._scoped_or_renamed
        return elements[-1][1] if elements and elements[-1][0] == len(self.stack) else None

    def pop(self, verbatim: str | None = None, *, closed_at: int | None = None) -> None:
        """Pop the current element, given its end tag's source, or the offset of the token that closes it instead."""
        self._coerced_text = self.follows_ignored_end_tag = False
        element = self._current_scoped_or_renamed()
        if element is not None:
            self._scoped_or_renamed.pop()
        if self.reporter.has_judged_end and not self.cut_depth:
            self.cut_depth = len(self.stack)
        name = self.stack.pop()
        self._forget_name(name)
        depth = len(self.stack)
        if self._ignored.runs:
            self._ignored.forget(depth)
        if depth < self._lowest:
            self._lowest = depth
        if depth < self.max_depth:
            self._is_too_deep = False
        if depth + 1 < self.max_depth or self._deepest_is_open:
            self._close(name, element, verbatim, closed_at=closed_at)
            self._deepest_is_open = False
        if element:
            self.namespaces.leave(element)
        if not depth:
            self.phase = EndPhase(self)

    def short_end_tag(self, offset: int) -> None:
        self.pop()

    def _forget_name(self, name: str) -> None:
        count = self.open_names[name] - 1
        if count:
            self.open_names[name] = count
        else:
            del self.open_names[name]

    def end_tag(self, name: str, offset: int, verbatim: str | None) -> None:
        """Handle an end tag in the main phase (D-109, D-110)."""
        ended = ended_by(name, self.stack) if name in self.open_names else 0
        if ended == 1:
            self.pop(verbatim)
        elif ended:
            depth = len(self.stack) - ended + 1
            detail = self._details_of_mismatched(name, self.stack[-1], ended - 1, depth, offset)
            self.error("mismatched-end-tag", offset, *detail)
            for _ in range(ended - 1):
                self.pop(closed_at=offset)
            self.pop()
        else:
            place = offset, self.reporter.locator.line(offset)
            self.report_ignored(name, offset, self._ignore_end_tag(name, place, len(self.stack)))

    def _details_of_mismatched(
        self, name: str, current: str, within: int, depth: int, offset: int
    ) -> tuple[str, str, str, str]:
        """Return the details of an end tag that also ends `within` elements inside its own, which began at `depth`."""
        words = f" and {within - 1:,} more" if within > 1 else ""
        swallowed = self._swallowed(depth, offset) if self._ignored.runs else ""
        self._ignored.cross(current, within)
        return f"</{name}>", current, words, swallowed

    def _ignore_end_tag(self, name: str, place: tuple[int, int], depth: int, *, is_last: bool = True) -> Effect | None:
        """Ignore an end tag that matches nothing; if `is_last`, only white space follows it so far.

        `place` is its offset and line. Return what happened to content; None: the usual effect.
        """
        self.follows_ignored_end_tag = is_last
        # It is remembered, as it may have been meant for the current element.
        if not self._ignored.take_crossed(name):
            self._ignored.add(depth, *place)
        return None

    def report_ignored(self, name: str, offset: int, effect: Effect | None = None) -> None:
        """Report an end tag that matches no open element.

        Content is lost if it is in the name. Otherwise `effect` is what happened to it; None: the code's usual effect.
        """
        self.error("unmatched-end-tag", offset, f"</{name}>", effect=LOST if has_swallowed(name) else effect)

    def report_outer_text(self, offset: int, length: int, visible: int, effect: Effect) -> None:
        """Report a run of text outside the root element, as long as `_DroppedText` says."""
        kind: Kind = "parse-error" if visible else "not-well-formed"
        self.error("text-outside-root", offset, number_of(visible or length, "character"), kind=kind, effect=effect)

    def _swallowed(self, depth: int, offset: int) -> str:
        """Return in words the content of open elements below `depth` since an end tag was ignored in them."""
        first = self._ignored.first(depth)
        return "" if first is None else since_ignored(first.line, offset - first.offset)

    def end_of_file(self, offset: int) -> None:
        """Pop all elements (D-101, D-108)."""
        # The document is cut off, unless it ends in wrong end tags for all that is open.
        depth = len(self.stack) - self._wrapper_depth
        count = f" ({depth:,})" if depth > 1 else ""
        self.error("eof-in-element", offset, self.stack[-1], count, self._swallowed(0, offset))
        has_end_tags = self.follows_ignored_end_tag and self._ignored.may_close(depth)
        self.reporter.judge_end(truncated=not has_end_tags)
        while self.stack:
            self.pop(closed_at=offset)
        self.stop_parsing(offset)

    def stop_parsing(self, offset: int, *, truncated: bool = False) -> None:
        """Stop parsing (D-101): the document ends at `offset`; `truncated`: in an element after the root."""
        self.end_offset = offset
        if truncated:
            self.reporter.judge_end(truncated=True)

    @property
    def cut_levels(self) -> range:
        """The levels of the tree, from 0, at which the last element was closed by the end of the document alone."""
        return range(self._wrapper_depth, self.cut_depth)

    def ends_with_root(self, text: str) -> bool:
        is_open = len(self.stack) > self._wrapper_depth
        return is_open and text.rstrip(WHITE_SPACE).endswith(f"</{self.stack[self._wrapper_depth]}>")

    # Text -----------------------------------------------------------------------------------------------------------

    def characters(self, data: str, offset: int) -> None:
        bad = FORBIDDEN.search(data)
        coerced = self._coerce_text(data, offset + bad.start()) if bad else data
        text = data.lstrip(WHITE_SPACE)
        if text:
            self._judge(TEXT, offset + len(data) - len(text))
        if self.follows_ignored_end_tag and coerced.strip(WHITE_SPACE):
            self.follows_ignored_end_tag = False
        if bad:
            self._append_coerced_text(data, offset, coerced)
        else:
            self.emitter.text(data)

    def reference(self, data: str, offset: int, verbatim: str | None) -> None:
        if FORBIDDEN.search(data):
            data = self._coerce_text(data, offset)
            if not data:
                return
        if data.strip(WHITE_SPACE) or not self._entities:
            self._judge(TEXT, offset)
        self.follows_ignored_end_tag = False
        self.emitter.reference(data, verbatim)

    def cdata_start(self, offset: int) -> None:
        self._judge(TEXT, offset)
        self.follows_ignored_end_tag = False
        self.emitter.cdata_start()

    def cdata_end(self) -> None:
        self.emitter.cdata_end()

    def _coerce_text(self, data: str, offset: int) -> str:
        if not self._coerced_text:
            self._coerced_text = True
            self.error("coerced-character", offset)
        return coerce_characters(data, self._control_characters)

    def _append_coerced_text(self, data: str, offset: int, coerced: str) -> None:
        """Append text that begins at an offset, as it stands in the document, and coerced, as XML can hold it."""
        if len(coerced) == len(data):  # each character is one of the document
            self.emitter.text(coerced)
            return
        place = 0
        for bad in [*FORBIDDEN.finditer(data), None]:
            end = len(data) if bad is None else bad.start()
            if end > place:
                self.emitter.at(offset + place)
                self.emitter.text(data[place:end])
            if bad is not None:
                place = bad.end()
                if substitute := coerce_characters(bad[0], self._control_characters):
                    self.emitter.at(offset + end)
                    self.emitter.substitute(substitute)

    # Comments, processing instructions, DOCTYPE ---------------------------------------------------------------------

    def comment(self, data: str, offset: int, verbatim: str | None) -> None:
        self._coerced_text = self.follows_ignored_end_tag = False
        if COMMENT in self._missed:
            self.error("node-left-out", offset, "a comment")
        # Characters that are dropped may leave "--".
        allowed = coerce_characters(data, self._control_characters)
        coerced, verbatim = self._coerce(allowed, verbatim, offset, "coerced-comment", coerce_comment)
        if allowed != data:
            self.error("coerced-character", offset)
            verbatim = None
        self.emitter.comment(coerced, verbatim)

    def processing_instruction(self, target: str, data: str, offset: int, verbatim: str | None) -> None:
        self._coerced_text = self.follows_ignored_end_tag = False
        if target == "xml":
            self.error("misplaced-xml-declaration", offset, "it was kept as a processing instruction")
        if PROCESSING_INSTRUCTION in self._missed:
            self.error("node-left-out", offset, "a processing instruction")
        # Without a name after its "<?", it was hardly meant as an instruction, so it took text or tags with it. XML 1.0
        # allows colons in the name.
        effect: Effect | None = KEPT if self.namespaces.rules.is_ncname(target.replace(":", "_")) else None
        coerced = partial(coerce_target, rules=self.namespaces.rules)
        target, verbatim = self._coerce(target, verbatim, offset, "coerced-pi-target", coerced, effect)
        coerced = partial(coerce_instruction, control_characters=self._control_characters)
        data, verbatim = self._coerce(data, verbatim, offset, coercion=coerced)
        self.emitter.processing_instruction(target, data, verbatim)

    def append_doctype(self, doctype: Doctype, offset: int, verbatim: str | None) -> None:
        """Take the first DOCTYPE and its declarations (D-092)."""
        if self._settings.forbids_doctypes:
            self._refuse_forbidden(doctype, offset)
        if self._has_doctype:
            self.doctype(doctype, offset, verbatim)
            return
        self._has_doctype = True
        dtd = doctype.dtd
        self.declared = DeclaredAttributes(dtd.attributes, self._all_defaults, dtd.entities.budget)
        name, public_id, system_id = doctype.name, doctype.public_id, doctype.system_id
        kept = dtd.entities.kept
        is_valid = name is not None and all(self.namespaces.rules.is_ncname(part) for part in split_name(name) if part)
        if name is None or not is_valid:
            if name is not None:
                self.error("invalid-doctype-name", offset, name)
            if kept is not None:
                kept.clear()
            return
        if public_id is not None and not PUBLIC_ID_CHARACTERS.fullmatch(public_id):
            self.error("invalid-public-identifier", offset)
            public_id, verbatim = None, None
        if system_id is not None:
            system_id, verbatim = self._coerce(system_id, verbatim, offset)
        if _is_longer(public_id, self._longest_public_id):
            self.error("doctype-identifier-too-long", offset, "public")
            public_id, verbatim = None, None
        if _is_longer(system_id, self._longest_system_id):
            self.error("doctype-identifier-too-long", offset, "system")
            # After a public identifier there must be one.
            system_id, verbatim = None if public_id is None else "", None
        if verbatim is not None and FORBIDDEN.search(verbatim):
            verbatim = None
        self.emitter.doctype(name, public_id, system_id, verbatim, "".join(dtd.written))

    def _refuse_forbidden(self, doctype: Doctype, offset: int) -> None:
        """Refuse a DOCTYPE that the caller forbids."""
        settings, dtd = self._settings, doctype.dtd
        entities = [*dtd.entities.declared.values(), *dtd.parameter_entities.values()]
        external = [f"external entity {entity.name!r}" for entity in entities if entity.text is None]
        if doctype.system_id is not None:
            external.insert(0, f"external DTD {doctype.system_id!r}")
        if settings.forbid_dtd:
            raise self.reporter.refuse("doctype-forbidden", offset)
        if settings.forbid_entities and entities:
            raise self.reporter.refuse("entities-forbidden", offset, entities[0].name)
        if settings.forbid_external and external:
            raise self.reporter.refuse("external-forbidden", offset, external[0])

    def doctype(self, doctype: Doctype, offset: int, verbatim: str | None) -> None:
        """Drop a DOCTYPE that comes too late (D-092)."""
        doctype.dtd.discard()
        self.error("unexpected-doctype", offset)

    # Runs of the compiled core: see core.py -----------------------------------------------------------------------

    def barrier_of_run(self, *, may_flatten: bool) -> int | None:
        """Return how many of the outermost open elements a run may not end that begins now.

        They are those whose end tags may be written otherwise. None: no run can be written here. `may_flatten`: at the
        greatest depth allowed, a run may be written with its elements as siblings.
        """
        # Content can be written as it stands if all of this holds:
        # * No text outside the root element is to be reported, nor is there another element around the roots to begin.
        # * Elements at the greatest depth may be closed for others.
        depth = len(self.stack)
        if not self.emitter.can_append_verbatim():
            return None
        if depth >= self.max_depth and not may_flatten:
            return None
        if not depth:
            phase = self.phase
            return 0 if isinstance(phase, OuterPhase) and not self._wrapper_depth and phase.dropped is None else None
        return self._scoped_or_renamed[-1][0] if self._scoped_or_renamed else 0

    @property
    def events(self) -> dict[str, Callable[..., Any]]:
        """The reporters, by codes, of errors of runs that depend on elements; they take the offset and the details.

        Those of `END_TAGS` take a place instead, and return the error.
        """
        return {
            "mismatched-end-tag": self._mismatched_in_run,
            "unmatched-end-tag": self._unmatched_in_run,
            "unexpected-child": self._unexpected_in_run,
            "outer-text": self._outer_text_in_run,
            "dropped-start-tag": self._dropped_in_run,
            "dropped-empty-tag": partial(self._dropped_in_run, is_empty=True),
            "outer-end-tag": self._outer_end_tag_in_run,
            "outer-comment": lambda offset, data: self.swallowed.note(data, COMMENT),
            "outer-instruction": lambda offset, data: self.swallowed.note(data, PROCESSING_INSTRUCTION),
        }

    def before_run(self) -> tuple[int, int]:
        """Return `missing` and `flags` of `Content.read` for a run that begins now."""
        missing, brackets, is_exact = self.emitter.before_run()
        flags = self._coerced_text | brackets << 1 | is_exact << 3 | (type(self.phase) is StartPhase) << 6
        return missing, flags | self._is_too_deep << 4 | self._deepest_is_open << 5

    def _mismatched_in_run(
        self, place: "Place", name: str, lowest: int, level: int, current: str, within: int
    ) -> "Found":
        offset, line, column = place
        depth = len(self.stack)
        self._ignored.forget(depth + lowest)
        detail = self._details_of_mismatched(name, current, within, depth + level + 1, offset)
        self._ignored.forget(depth + level)
        self.follows_ignored_end_tag = False
        return self.reporter.found("mismatched-end-tag", offset, detail, None, None, line, column)

    def _unmatched_in_run(self, place: "Place", name: str, lowest: int, level: int, is_last: bool) -> "Found":
        offset, line, column = place
        depth = len(self.stack)
        self._ignored.forget(depth + lowest)
        effect = self._ignore_end_tag(name, (offset, line), depth + level, is_last=is_last)
        effect = LOST if has_swallowed(name) else effect
        return self.reporter.found("unmatched-end-tag", offset, (f"</{name}>",), None, effect, line, column)

    def _outer_text_in_run(
        self, offset: int, length: int, visible: int, effect: Effect, is_text: bool, has_reference: bool, is_after: bool
    ) -> None:
        if is_after and is_text:
            self._end_phase().text()
        elif is_after and has_reference:
            self._end_phase().elements.content()
        self.report_outer_text(offset, length, visible, effect)

    def _dropped_in_run(self, offset: int, name: str, is_empty: bool = False) -> None:
        phase = self._end_phase()
        (phase.empty_tag if is_empty else phase.start_tag)(name, {}, offset, None)

    def _outer_end_tag_in_run(self, offset: int, name: str, is_after: bool) -> None:
        phase = self._end_phase() if is_after else self.phase
        if name:
            phase.end_tag(name, offset, None)
        else:
            phase.short_end_tag(offset)

    def _unexpected_in_run(self, offset: int, *judged: str) -> None:
        assert self.contradictions is not None
        self.contradictions.report(offset, *judged)

    def _end_phase(self) -> EndPhase:
        """Begin the end phase, if it has not begun; return it."""
        if not isinstance(self.phase, EndPhase):
            self.phase = EndPhase(self)
        return self.phase

    def append_run(
        self,
        markup: bytes,
        source: bytes,
        newlines: int,
        ended: int,
        opened: list[str],
        lowest: int | None,
        scopes: "tuple[Scope, ...]",
        renamed: tuple[tuple[int, str], ...],
        missing: int,
        flags: int,
        elements: "list[Any] | None",
    ) -> None:
        """Write a run, `source` in UTF-8, whose errors have been reported; see `Content.read` for the rest."""
        self._coerced_text = bool(flags & 1)
        self._is_too_deep, self._deepest_is_open = bool(flags & 16), bool(flags & 32)
        if self._ignored.runs:
            self._ignored.forget(len(self.stack) - ended if lowest is None else len(self.stack) + lowest)
            if lowest is None and not markup.isspace():
                self.follows_ignored_end_tag = False
        if not self.stack:
            self.has_root = True
            if opened:
                self.phase = self
        if ended:
            for name in self.stack[-ended:]:
                self._forget_name(name)
            del self.stack[-ended:]
        depth = len(self.stack) + 1
        self.stack += opened
        for name in opened:
            self.open_names[name] = self.open_names.get(name, 0) + 1
        if not self.stack:
            self._end_phase()
        if scopes or renamed:
            self._enter_scopes(depth, opened, scopes, dict(renamed))
        self.emitter.clean_run(markup, source, newlines - missing, flags >> 1 & 3, elements)

    def _enter_scopes(
        self, depth: int, opened: list[str], scopes: "tuple[Scope, ...]", renamed: dict[int, str]
    ) -> None:
        """Note the elements of a run that have a scope, or another name in the markup; the first is at a depth."""
        bound = {index: [scope[1:] for scope in group] for index, group in groupby(scopes, itemgetter(0))}
        for index in sorted(bound.keys() | renamed.keys()):
            name = renamed.get(index, opened[index])
            element = self.namespaces.enter_in_run(name, bound.get(index, ()))
            self._scoped_or_renamed.append((depth + index, element))

    # Entities -------------------------------------------------------------------------------------------------------

    def enter_entity(self, name: str, offset: int) -> None:
        """Begin an entity: remember the open elements."""
        self._entities.append((len(self.stack), self._lowest))
        self._lowest = len(self.stack)

    def leave_entity(self, name: str, offset: int) -> None:
        """End an entity; it is not balanced where it closed an outer element or left one of its own open (D-042)."""
        depth, lowest = self._entities.pop()
        if len(self.stack) != depth or self._lowest < depth:
            self.error("entity-not-balanced", offset, name)
        self._lowest = min(lowest, self._lowest)


def _is_longer(identifier: str | None, longest: int | None) -> bool:
    """Return whether an identifier has more bytes of UTF-8 than can be read."""
    # A character is at most four bytes, so that hardly any identifier needs to be encoded to know.
    if identifier is None or longest is None or len(identifier) * 4 <= longest:
        return False
    return len(identifier.encode()) > longest
