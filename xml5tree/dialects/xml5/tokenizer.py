"""The tokenizer: the current token, and the states' verbs (§1.3)."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from xml5tree.dialects.xml5.core import Core
from xml5tree.dialects.xml5.sink import Doctype, TreeConstruction
from xml5tree.dtd.declarations import Dtd
from xml5tree.dtd.entities import Entities, Entity
from xml5tree.dtd.kept import KeptEntities
from xml5tree.errors.codes import KEPT, LOST, MOVED, Effect, Kind
from xml5tree.errors.reporter import Reporter
from xml5tree.errors.wording import number_of
from xml5tree.machine.machine import Machine
from xml5tree.options import Settings
from xml5tree.xml.limits import ReaderLimits
from xml5tree.xml.names import NAME
from xml5tree.xml.references import (
    CUT_PAIR,
    NAME_END,
    NOT_IN_PAIR,
    PREDEFINED,
    REFERENCE,
    Reference,
    read_reference,
)

if TYPE_CHECKING:
    from xml5tree.dialects.xml5.elements import KnownElements


#: A state consumes input and returns the next state; None where it needs more input than there is.
State = Callable[["Tokenizer"], "State | None"]
#: An error: its code, offset, details, kind and effect.
_Report = tuple[str, int, tuple[object, ...], Kind | None, Effect | None]

#: The end of a value, by its first character.
_VALUE_ENDS: Final = {'"': re.compile('"'), "'": re.compile("'")}
_UNQUOTED_VALUE_END: Final = re.compile("[\t\n >]")
#: The end of a tag after an attribute without a value, and the beginning of a value after the tag. C has the rule in
#: `precedes_value` of broken.h.
_END_AND_VALUE: Final = re.compile("/?>[=\"']")
#: Most characters after "<" or "</" by which text is taken for a tag.
_MOST_OF_TAG: Final = 64
#: White space or colons, and what comes after these in a tag: a name and the end of the tag, or a name, perhaps another
#: one, an equals sign and a quote. Less of it matches, too, but without a group. C has the rule in `resembles_tag` of
#: scanner.h.
_TAG_IN_TEXT: Final = re.compile(
    rf"[\t\n :]*+(?:{NAME}[\t\n ]*+(?:/(>)?|(>)|(?:{NAME}[\t\n ]*+)?(?:=[\t\n ]*+([\"'])?)?))?"
)


class _Frame(NamedTuple):
    """The input that waits at an index while the replacement text of an entity is tokenized."""

    text: str
    position: int
    entity: str
    is_parameter: bool  # it is a parameter entity


class Tokenizer(Machine):
    """The state machine of §1.3, with the verbs that the states are written in.

    `feed` and `run` take the document, whose input goes on in replacement texts of entities (D-041, D-042): in these,
    all has the place of the reference in the document. Tokens go to the current phase of tree construction.
    """

    __slots__ = (
        *("_after_value", "_attribute_name", "_chunk", "_construction", "_core", "_duplicate_offset", "_entities"),
        *("_first_bracket", "_first_replaced", "_frames", "_held", "_is_glued", "_is_standalone", "_is_verbatim"),
        *("_locator", "_reference_offset", "_reports_declarations", "_spaced", "_token_start", "_utf8"),
        *("_verbatim_pieces", "attributes", "data_state", "doctype", "duplicate", "empty", "has_internal_subset"),
        *("known", "on_replaced", "tag_name", "tag_state", "target"),
    )

    def __init__(
        self,
        construction: TreeConstruction,
        reporter: Reporter,
        settings: Settings,
        data_state: State,
        tag_state: State,
        *,
        core: Core | None = None,
        is_standalone: Callable[[], bool] = lambda: False,
        known: "KnownElements | None" = None,
    ) -> None:
        """Start in the data state (§1.3: "The state machine must start in the data state").

        Args:
            construction: takes the tokens.
            reporter: takes the errors.
            settings: the options.
            data_state: the data state, to which the states of the DOCTYPE return.
            tag_state: the tag state, or its replacement where only some names are tags.
            core: reads content instead of the states, or None.
            is_standalone: whether the XML declaration says so. Then declarations count even after a reference to a
                parameter entity that was not read (D-096).
            known: the replaced states where element names are known, or None.
        """
        super().__init__(reporter, data_state)
        self._frames: list[_Frame] = []
        self._reference_offset = 0  # of the reference in the document that began the first frame
        self.data_state = data_state
        self.tag_state = tag_state
        self.known = known  # the replaced states where element names are known, or None
        self._construction = construction
        self._locator = reporter.locator
        self._core = core
        self._is_standalone = is_standalone
        self._chunk = ""  # the last part of the input,
        self._utf8 = b""  # and the same in UTF-8

        # The token that is being read.
        self.tag_name = ""
        self.attributes: dict[str, str] = {}
        self.empty = False  # "Set current tag to empty tag"
        self.target = ""
        self._spaced = True  # whether white space follows the target
        self._after_value = -1  # where the last quoted attribute value ends
        self._attribute_name: str | None = None  # None where the attribute is dropped
        self.duplicate: str | None = None  # the current attribute's name, if it is to be reported as a duplicate,
        self._duplicate_offset = 0  # and its place
        self._held: list[_Report] | None = None  # the errors in its value, which are reported after it
        self._is_glued = False  # whether the current attribute follows a quoted value at once
        self._first_bracket = ""  # the first "<" or ">" in the attribute value, so far
        self._token_start = -1  # index of the token's first character in the text; -1 outside tokens
        self._verbatim_pieces: list[str] = []  # source of the token in earlier texts
        self._is_verbatim = True  # whether the token may stand as it is

        #: Called at the end of the first token with a character that was replaced by U+FFFD; None: nobody asks.
        self.on_replaced: Callable[[], None] | None = None
        self._first_replaced: int | None = None  # the offset of that character

        self._entities = Entities(settings, error=self.error_in_item, offset=self.place)
        self.doctype: Doctype  # while it is being read
        self._reports_declarations = False
        self.has_internal_subset = False  # whether a DOCTYPE has had one, so far

    def keep_declarations(self, limits: ReaderLimits) -> None:
        """Write the declarations that the reader needs."""
        if limits.entity_nodes:
            self._entities.kept = KeptEntities()
        self._reports_declarations = limits.declarations

    # For the pipeline -------------------------------------------------------------------------------------------

    def feed_chunk(self, chunk: str, utf8: bytes, skip: int = 0, *, final: bool = False) -> None:
        """Add text to the input as `feed` does, with its UTF-8."""
        self._chunk, self._utf8 = chunk, utf8
        self.feed(chunk, skip, final=final)

    def release(self) -> None:
        if self._core is not None:
            self._core.release()
        del self._construction, self._entities, self._core
        self.on_replaced = None

    @property
    def may_pass_over(self) -> bool:
        """Whether nothing is left to the states so far but what the core leaves to them."""
        return self._core is not None and not self._core.fences

    def add_fence(self, fence: Callable[[bytes, int], int]) -> None:
        if self._core is not None:
            self._core.fences.append(fence)

    def note_replaced(self, offset: int) -> None:
        """Note the first character that was replaced by U+FFFD, before its text is fed."""
        if self.on_replaced is not None:
            self._first_replaced = offset
            if self._core is not None:
                self._core.expect_replaced()

    def place(self, back: int = 0) -> int:
        return self._reference_offset if self._frames else self._base + self._position - back

    @property
    def in_entity(self) -> bool:
        return bool(self._frames)

    @property
    def in_parameter_entity(self) -> bool:
        return bool(self._frames) and self._frames[-1].is_parameter

    def line(self) -> int:
        return self._locator.line(self._reference_offset if self._frames else self._base + self._position)

    @property
    def reached(self) -> int:
        """An offset before which no later token begins."""
        return self.place() if self._token_start < 0 else self.token_offset

    def _load(self, skip: int) -> None:
        if self._token_start >= 0:
            self._verbatim_pieces.append(self._text[self._token_start : self._position])
            self._token_start = 0
        super()._load(skip)
        if self._core is not None:
            self._core.load(self._text, self._chunk, self._utf8)
        self._chunk, self._utf8 = "", b""

    def report(
        self, code: str, offset: int, *detail: object, kind: Kind | None = None, effect: Effect | None = None
    ) -> None:
        """See `Machine`; a token with an error cannot stand as it is."""
        self._is_verbatim = False
        if self._held is None:
            self._reporter.record(code, offset, detail, kind, effect)
        else:
            self._held.append((code, offset, detail, kind, effect))

    def error_at_end(self, code: str, *detail: object, effect: Effect | None = None, truncated: bool = True) -> None:
        """See `Machine`; the end of an entity is not the end of the document."""
        if self._frames:
            self.report(code, self.place(1), *detail, effect=effect)
        else:
            super().error_at_end(code, *detail, effect=effect, truncated=truncated)

    def begin_unquoted_value(self) -> None:
        self.error("unquoted-attribute-value")
        self.reconsume()  # as the draft does for "&"; for "Anything else" the result is the same (D-053)

    # The compiled core: an optimisation only -----------------------------------------------------------------------

    def pass_clean_content(self) -> None:
        """Consume the content that the core reads."""
        start = self._position
        if self._core is not None and not self._frames and self._core.may_take(start):
            offset = self._base + start
            position = self._locator.locate(offset)
            taken = self._core.take(start, offset, position, self._entities)
            if taken is not None:
                characters, newlines = taken
                self._locator.pass_over(offset, position, characters, newlines)
                self._position = start + characters

    def pass_over(self, data: bytes, place: int, stop: int, *, has_controls: bool) -> tuple[int, int] | None:
        """Have the core read UTF-8 that follows the input; see `Core.read`.

        Returns:
            Where it ends in `data`, before `stop`, and its characters; None: the states must go on.
        """
        core = self._core
        is_between = self._position == self._end and self._token_start < 0 and self._state is self.data_state
        if core is None or not is_between or self._frames or self._lookahead.is_holding:
            return None
        if self._text:
            self._load(0)  # of the input before, only lines and columns are kept
        offset, locator = self._base, self._locator
        position = locator.locate(offset)
        run = core.read(data, place, stop, offset, position, self._entities, has_controls=has_controls)
        if run is None or run[0] == place:
            return None
        end, _, found = run
        self._base = found[0]
        locator.pass_utf8(data, place, end, found)
        return end, found[0] - offset

    # Tokens -----------------------------------------------------------------------------------------------------

    def begin_token(self) -> None:
        self._token_start = self._position - 1
        self.token_offset = self._reference_offset if self._frames else self._base + self._position - 1
        self._verbatim_pieces.clear()
        self._is_verbatim = True

    def _end_token(self) -> str | None:
        """End the token; return its source if that may stand as it is, else None."""
        start, self._token_start = self._token_start, -1
        if self._first_replaced is not None and self._first_replaced < self._base + self._position:
            self._first_replaced = None
            if self.on_replaced is not None:
                self.on_replaced()
        if self._frames or not self._is_verbatim:
            return None
        source = self._text[start : self._position]
        return "".join((*self._verbatim_pieces, source)) if self._verbatim_pieces else source

    def emit_characters(self, data: str) -> None:
        """Emit character tokens: characters that stand in the input right before the next one."""
        self._token_start = -1
        if self._frames:
            self._construction.phase.reference(data, self._reference_offset, None)
        else:
            self._construction.phase.characters(data, self._base + self._position - len(data))

    # Tags

    def create_tag(self, name: str) -> None:
        self.collected = [name]
        self.attributes = {}
        self.empty = False
        self._after_value = -1

    def create_end_tag(self, name: str) -> None:
        self.collected = [name]

    def finish_tag_name(self) -> None:
        self.tag_name = self.take_collected()

    def start_attribute(self, name: str) -> None:
        """Start a new attribute in the current tag token, which by that is no empty tag any more (D-047)."""
        self.begin_item()
        self._is_glued = self.is_right_after_value()
        self.empty = False
        self.collected = [name]
        self._first_bracket = ""

    def finish_attribute_name(self) -> None:
        """Set the attribute's name; a second attribute of that name is dropped with its value (§1.3.27)."""
        name = self.take_collected()
        if name in self.attributes:
            self.duplicate = name
            self._duplicate_offset = self._item_offset
            self._attribute_name = None
        else:
            self.attributes[name] = ""
            self._attribute_name = name

    def hold_duplicate(self) -> bool:
        """Hold the errors in the value that begins at the next character, if it is a duplicate's.

        Return False if more input is needed, as the value must be there as a whole.
        """
        if self.duplicate is None:
            return True
        end = _VALUE_ENDS.get(self.peek(1), _UNQUOTED_VALUE_END)
        if self.may_grow and not end.search(self._text, self._position + 1):
            self.wait(end)
            return False
        self._held = []
        return True

    def report_duplicate(self, value: str = "") -> None:
        """Report the current attribute if it is a duplicate, and then the errors in its value.

        Nothing is lost if that is the value of the first attribute.
        """
        name = self.duplicate
        if name is not None:
            # C has the rule in `read_attribute` of broken.h.
            effect: Effect = KEPT if value == self.attributes[name] else LOST
            held, self._held, self.duplicate = self._held or (), None, None
            self.report("duplicate-attribute", self._duplicate_offset, name, "", effect=effect)
            for report in held:
                self._reporter.record(*report)

    def sees_after_tag(self) -> bool:
        """Return whether there is enough input for `error_without_value` if the current character ends the tag.

        If not, that character is the next one again.
        """
        if self.may_grow and self._text[self._position - 1 : self._position + 2] in {">", "/", "/>"}:
            self.reconsume()
            self.wait()
            return False
        return True

    def error_without_value(self, code: str) -> None:
        """Report the current attribute, which has no value and ends at the current character.

        Content is moved if the attribute may be part of the value before it, or the text after the tag is its value.
        """
        self.report_duplicate()
        is_moved = self._is_glued or _END_AND_VALUE.match(self._text, self._position - 1)
        self.error_in_item(code, effect=MOVED if is_moved else None)

    def error_in_text(self, opening: str) -> bool:
        """Report that the `opening` of a tag before the current character is text; the text of a whole tag is moved.

        Return False if more input is needed.
        """
        self.reconsume()
        ahead = self.peek(_MOST_OF_TAG)
        found = _TAG_IN_TEXT.match(ahead)
        assert found is not None  # it matches the empty string
        is_tag = found.lastindex is not None
        if not is_tag and found.end() == len(ahead) < _MOST_OF_TAG and self.may_grow:
            self.wait()
            return False
        self.error_in_token("invalid-first-character-of-tag-name", opening, effect=MOVED if is_tag else None)
        return True

    def collect_value_until(self, stop: re.Pattern[str], *, is_quoted: bool = True) -> str | None:
        """Collect a value as `collect_until`, but normalise white space (D-058) and report each ``<`` (D-056)."""
        # Errors are `moved` where there are no quotes, or ">" comes before the first "<", as markup may have been read
        # as the value; they are `lost` in the name of a namespace, which no tree has as text.
        characters = self.run_until(stop)
        if not self._first_bracket and (">" in characters or "<" in characters):
            less_than, greater_than = characters.find("<"), characters.find(">")
            self._first_bracket = ">" if less_than < 0 or 0 <= greater_than < less_than else "<"
        if "<" in characters:
            effect: Effect = KEPT if is_quoted and self._first_bracket == "<" else MOVED
            if self._is_declaration():
                effect = LOST
            for sign in re.finditer("<", characters):
                back = len(characters) - sign.start()
                self.report("less-than-sign-in-attribute-value", self.place(back), effect=effect)
        if "\n" in characters or "\t" in characters:
            characters = characters.replace("\n", " ").replace("\t", " ")
        self.collected.append(characters)
        return self.stopper()

    def finish_attribute_value(self, quoted: bool = False) -> None:
        """Set the attribute's value to the collected text; `quoted`: its closing quote was just consumed."""
        if quoted:
            self._after_value = self._base + self._position
        value = self.take_collected()
        self.report_duplicate(value)
        if self._attribute_name is not None:
            self.attributes[self._attribute_name] = value

    def error_in_unclosed_value(self) -> None:
        value = "".join(self.collected)
        self.error_at_end(
            "eof-in-tag",
            f", in an attribute value of {number_of(len(value), 'character')}",
            effect=(LOST if self._is_declaration() else MOVED) if self._first_bracket else KEPT,
            truncated=not self._construction.ends_with_root(value),
        )

    def _is_declaration(self) -> bool:
        """Return whether the current attribute declares a namespace."""
        name = self._attribute_name
        return name is not None and (name == "xmlns" or name.startswith("xmlns:"))

    def is_right_after_value(self) -> bool:
        """Return whether the current input character stands directly after a quoted attribute value."""
        return self._after_value == self._base + self._position - 1

    def emit_tag(self) -> State:
        """Emit the current start or empty tag token; return the state in which what follows it is read."""
        verbatim = self._end_token()
        phase = self._construction.phase
        emit = phase.empty_tag if self.empty else phase.start_tag
        emit(self.tag_name, self.attributes, self.token_offset, verbatim)
        raw = None if self.known is None or self.empty or self._frames else self.known.raw
        return self.data_state if raw is None or self.tag_name not in raw else raw.begin(self, self.tag_name)

    def emit_end_tag(self) -> None:
        verbatim = self._end_token()
        self._construction.phase.end_tag(self.tag_name, self.token_offset, verbatim)

    def emit_short_end_tag(self) -> None:
        self._end_token()
        self.report("missing-end-tag-name", self.token_offset)
        self._construction.phase.short_end_tag(self.token_offset)

    # Comments and processing instructions

    def error_in_unclosed(self, code: str, *, is_target: bool = False) -> None:
        """Report that the input ends in a comment or processing instruction, which has taken the rest of it."""
        # If an instruction ends in its target, that is content only if it has tags in it.
        data = "".join(self.collected)
        if is_target and "<" not in data:
            data = ""
        self.error_at_end(
            code,
            number_of(len(data), "character"),
            effect=None if data else KEPT,
            truncated=not self._construction.ends_with_root(data),
        )

    def create_comment(self) -> None:
        self.collected = []

    def emit_comment(self) -> None:
        verbatim = self._end_token()
        self._construction.phase.comment(self.take_collected(), self.token_offset, verbatim)

    def create_processing_instruction(self, target: str) -> None:
        self.collected = [target]

    def finish_target(self, spaced: bool) -> None:
        """Set the processing instruction's target; `spaced`: white space or EOF follows it."""
        self.target = self.take_collected()
        self._spaced = spaced

    def need_space_after_target(self) -> None:
        """Report that data begins without white space after the target, if so (D-064)."""
        if not self._spaced:
            self._spaced = True
            self.error_at_previous("missing-whitespace-after-pi-target")

    def emit_processing_instruction(self) -> None:
        verbatim = self._end_token()
        self._construction.phase.processing_instruction(self.target, self.take_collected(), self.token_offset, verbatim)

    # CDATA sections; in an entity they are text like any other.

    def start_cdata(self) -> None:
        if not self._frames:
            self._construction.phase.cdata_start(self.token_offset)

    def error_in_unclosed_cdata(self) -> None:
        length = self.place(1) - self.token_offset - len("<![CDATA[")
        self.error_at_end("eof-in-cdata", "" if self._frames else f", which has {number_of(length, 'character')}")

    def end_cdata(self) -> None:
        self._token_start = -1
        if not self._frames:
            self._construction.phase.cdata_end()

    # DOCTYPE

    collect_text = Machine.collect_until

    def create_doctype(self) -> None:
        self.collected = []
        self.doctype = Doctype(Dtd(self._entities, self.error_in_item, self._reports_declarations))

    @property
    def is_standalone(self) -> bool:
        return self._is_standalone()

    def begin_internal_subset(self) -> None:
        """Begin the declarations of the DOCTYPE, which are obeyed but not written out (D-092)."""
        self.has_internal_subset = True
        self._is_verbatim = False

    def emit_doctype(self) -> None:
        verbatim = self._end_token()
        doctype = self.doctype
        del self.doctype  # it refers to the tokenizer
        self._construction.phase.doctype(doctype, self.token_offset, verbatim)

    def emit_doctype_at_eof(self) -> State:
        """End a DOCTYPE with the input: "Emit DOCTYPE token. Reconsume the EOF character."."""
        self.reconsume()
        self.emit_doctype()
        return self.data_state

    # References and entities

    def consume_reference(self) -> Reference | None:
        """Consume a reference after the ampersand that is the current input character; None: wait for more."""
        self.begin_item()
        pattern = self._entities.reference
        match = pattern.match(self._text, self._position)
        assert match is not None  # it matches the empty string
        source = match[0]
        if not self._final:
            if match.end() == len(self._text) and source[-1:] != ";":
                self.wait(NAME_END)
                return None
            if pattern is not REFERENCE and CUT_PAIR.match(self._text, self._position):
                self.wait(NOT_IN_PAIR)
                return None
        self._position = match.end()
        return read_reference("&" + source, self.error_in_item, self._entities.has, self._entities.null)

    def emit_reference(self, reference: Reference) -> None:
        """Emit the characters that a reference in content stands for, or enter the entity that it names."""
        self._token_start = -1
        source, _, name, is_correct = reference
        is_verbatim = is_correct if name is None else name in PREDEFINED
        if name is not None and (node := self._entities.node(name)):
            self._construction.phase.reference(f"&{name};", self._item_offset, node)
            return
        found = reference.text if name is None else self._entities.find(name)
        if isinstance(found, Entity):
            self.enter_entity(found)
        elif self._frames:
            self._construction.phase.reference(found, self._reference_offset, None)
        elif found == source:
            self._construction.phase.characters(source, self._item_offset)
        else:
            self._construction.phase.reference(found, self._item_offset, source if is_verbatim else None)

    def collect_reference(self, reference: Reference) -> None:
        """Append what a reference stands for to the attribute's value."""
        name, found = reference.name, None
        if name is not None:
            found = self._entities.find_in_value(name, is_namespace=self._is_declaration())
        if name is not None and name not in PREDEFINED:
            self._is_verbatim = False  # the markup has no declarations of entities
        if isinstance(found, Entity):
            found = self._entities.attribute_value(found)
        self.collected.append(reference.text if found is None else found)

    def enter_entity(self, entity: Entity, parameter: bool = False) -> None:
        """Continue in the replacement text of an entity; its EOF leads to `leave_entity`.

        `begin_item` was last called for the reference, whose place is that of all content of the entity.
        """
        if not self._frames:
            self._reference_offset = self._item_offset
        self._frames.append(_Frame(self._text, self._position, entity.name, parameter))
        self._go_on_in(entity.text or "", 0, self._base, final=True)
        if parameter:
            self.doctype.dtd.active.add(entity.name)
        else:
            self._entities.active.add(entity.name)
            self._construction.phase.enter_entity(entity.name, self._reference_offset)

    def leave_entity(self) -> None:
        frame = self._frames.pop()
        self._go_on_in(frame.text, frame.position, self._base, final=self._closed or bool(self._frames))
        if frame.is_parameter:
            self.doctype.dtd.active.remove(frame.entity)
        else:
            self._entities.active.remove(frame.entity)
            self._construction.phase.leave_entity(frame.entity, self._reference_offset)

    def end_of_input(self) -> bool:
        """Leave the entity that ends here and return True; or end the document, in no entity, and return False."""
        if self._frames:
            self.leave_entity()
            return True
        self._construction.phase.end_of_file(self._base + self._position - 1)
        return False
