"""The tokenizer's machine: the token under construction, and the verbs that the states are written in."""

import re
from collections.abc import Callable
from typing import Final, Protocol

from xml5tree.dtd.declarations import Dtd
from xml5tree.dtd.entities import Entities, Entity
from xml5tree.errors.codes import Kind
from xml5tree.errors.reporter import Reporter
from xml5tree.machine.input import Input
from xml5tree.options import Settings
from xml5tree.xml.references import NAME_END, PREDEFINED, REFERENCE, Reference, read_reference

__all__ = ["State", "TokenSink", "Tokenizer"]

#: A state consumes input and returns the next state; None where it needs more input than there is.
State = Callable[["Tokenizer"], "State | None"]


_MAY_BE_CLEAN: Final = re.compile("[^<&]*+(?:<|&(?:amp|lt|gt|quot|apos|#x?[0-9A-Fa-f]{2,6});)")
#: An attribute and the space before it, and what must be behind it.
_CLEAN_ATTRIBUTE: Final = re.compile("""[\t\n ]*+([^\t\n =/>:"'<&][^\t\n =/>"'<&]*+)="([^"<&\t\n]*+)"(?=[\t\n />])""")


class TokenSink(Protocol):
    """What takes the tokens: tree construction, or a recorder.

    `offset` is where the token begins. `raw` is its source where a conforming parser, given no DTD, reads it as the
    tokenizer did; None where the token came out of an entity or something about it was repaired.
    """

    def start_tag(self, name: str, attributes: dict[str, str], offset: int, raw: str | None) -> None:
        """Take a start tag: raw names, in document order."""

    def empty_tag(self, name: str, attributes: dict[str, str], offset: int, raw: str | None) -> None:
        """Take an empty tag."""

    def end_tag(self, name: str, offset: int, raw: str | None) -> None:
        """Take an end tag."""

    def short_end_tag(self, offset: int) -> None:
        """Take a short end tag."""

    def characters(self, data: str, offset: int) -> None:
        """Take characters that stand in the document as they are."""

    def reference(self, data: str, offset: int, raw: str | None) -> None:
        """Take characters that a reference stands for; adjacent to those before and after."""

    def cdata_start(self, offset: int) -> None:
        """Begin a CDATA section of the document."""

    def cdata_end(self) -> None:
        """End a CDATA section."""

    def comment(self, data: str, offset: int, raw: str | None) -> None:
        """Take a comment."""

    def processing_instruction(self, target: str, data: str, offset: int, raw: str | None) -> None:
        """Take a processing instruction."""

    def doctype(
        self, name: str | None, public_id: str | None, system_id: str | None, dtd: Dtd, offset: int, raw: str | None
    ) -> bool:
        """Take a DOCTYPE, its name in the case of the document; whether its declarations are to be obeyed."""

    def enter_entity(self, name: str, offset: int) -> None:
        """Begin the replacement text of an entity."""

    def leave_entity(self, name: str, offset: int) -> None:
        """End the replacement text of an entity."""

    def end_of_file(self, offset: int) -> None:
        """Take the end-of-file token."""


class Tokenizer(Input):
    """The state machine of §1.3.

    The document comes in by `feed` and `run`, tokens go out to `sink`. Wherever the input ends, the state and the
    token under construction are kept, and no token is read again from its start.

    The states use the attributes and methods below; nothing else does, except where it says so.
    """

    __slots__ = (
        "_after_value",
        "_attribute_name",
        "_declared_before",
        "_entities",
        "_faulty",
        "_item_offset",
        "_lane_is_open",
        "_raw_pieces",
        "_reporter",
        "_spaced",
        "_state",
        "_token_offset",
        "_token_start",
        "attributes",
        "clean_lane",
        "collected",
        "data_state",
        "doctype_name",
        "dtd",
        "empty",
        "public_id",
        "return_state",
        "sink",
        "standalone",
        "system_id",
        "tag_name",
        "target",
    )

    def __init__(self, sink: TokenSink, reporter: Reporter, settings: Settings, data_state: State) -> None:
        super().__init__()
        self.sink = sink
        self.data_state = data_state
        self.return_state: State = data_state  # the state that a state used by several switches back to
        self._reporter = reporter
        #: Takes what is clean in a text from an index on, and tells where that ends (see `xml5tree.fastpath`).
        self.clean_lane: Callable[[str, int], int] | None = None
        self._lane_is_open = True
        self._state = data_state

        # The token under construction.
        self.collected: list[str] = []  # the part of it that is being read
        self.tag_name = ""
        self.attributes: dict[str, str] = {}
        self.empty = False  # "Set current tag to empty tag"
        self.target = ""
        self._spaced = True  # whether white space follows the target
        self.doctype_name: str | None = None
        self.public_id: str | None = None
        self.system_id: str | None = None
        self._after_value = -1  # where the last quoted attribute value ends
        self._attribute_name: str | None = None  # None where the attribute is dropped
        self._token_offset = 0
        self._item_offset = 0  # of the attribute or the declaration in the DOCTYPE that is being read
        self._token_start = -1  # index of the token's first character in the text; -1 outside tokens
        self._raw_pieces: list[str] = []  # source of the token in earlier texts
        self._faulty = False  # whether the token's source cannot stand as it is

        # Declarations.
        self.standalone = False  # set by the owner: the XML declaration says standalone="yes"
        self._entities = Entities(settings, error=self.error_in_item, offset=lambda: self.offset)
        self.dtd = Dtd(self._entities, self.error_in_item)  # of the DOCTYPE that is being read
        self._declared_before: dict[str, Entity] = {}  # what was declared before it

    # For the owner ----------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Tokenize what can be tokenized."""
        state = self._state
        while self._position < self._end or self._final:
            following = state(self)
            if following is None:
                break
            state = following
        self._state = state

    def set_sink(self, sink: TokenSink) -> None:
        """Send the tokens from now on to another sink."""
        self.sink = sink

    def line(self, ahead: int) -> int:
        """The line of the document so many characters ahead of where the tokenizer has come to."""
        offset = self._reference_offset if self._frames else self._base + self._position
        return self._reporter.locator.locate(offset + ahead)[0]

    def _load(self, skip: int) -> None:
        """Go on to the text that has been held back; the source of an unfinished token is kept."""
        if self._token_start >= 0:
            self._raw_pieces.append(self._text[self._token_start : self._position])
            self._token_start = 0
        super()._load(skip)
        self._lane_is_open = True
        self._reporter.advance(self._base, self._text, self._token_offset, self._item_offset)

    # Input ------------------------------------------------------------------------------------------------------

    def pass_clean_stretch(self) -> None:
        """Consume what the clean lane takes: it would come to the same without.

        It is asked at the start of a text, and again only after a token or where `reopen_clean_lane` says so.
        """
        if self._lane_is_open and self.clean_lane is not None and not self._frames:
            self._lane_is_open = False
            self._position = self.clean_lane(self._text, self._position)

    def reopen_clean_lane(self) -> None:
        """Let the clean lane go on in the middle of text, unless the next thing is likely to be for the states."""
        if self.clean_lane is not None and not self._frames:
            self._lane_is_open = _MAY_BE_CLEAN.match(self._text, self._position) is not None

    def collect_until(self, stop: re.Pattern[str]) -> str | None:
        """Collect all input characters up to one that `stop` matches; that one, consumed (see `stopper`)."""
        start = self._position
        found = stop.search(self._text, start)
        if found:
            end = found.start()
            self.collected.append(self._text[start:end])
            self._position = end + 1
            return self._text[end]
        self.collected.append(self._text[start:])
        self._position = self._end
        return self.stopper()

    def take_until(self, terminator: str) -> bool:
        """Collect up to a terminator, which is consumed too; False where it is not there yet.

        Then all that cannot be part of it has been collected.
        """
        found = self._text.find(terminator, self._position)
        if found >= 0:
            self.collected.append(self._text[self._position : found])
            self._position = found + len(terminator)
            return True
        safe = len(self._text) if self._final else max(len(self._text) - len(terminator) + 1, self._position)
        self.collected.append(self._text[self._position : safe])
        self._position = safe
        return False

    # Errors -----------------------------------------------------------------------------------------------------

    def error(self, code: str, *detail: object, kind: Kind | None = None) -> None:
        """Report an error at the current input character."""
        self._faulty = True
        offset = self._reference_offset if self._frames else self._base + self._position - 1
        self._reporter.report(code, offset, *detail, kind=kind)

    def error_at_previous(self, code: str) -> None:
        """Report an error at the input character before the current one."""
        self._faulty = True
        offset = self._reference_offset if self._frames else self._base + self._position - 2
        self._reporter.report(code, offset)

    def error_in_token(self, code: str, *detail: object) -> None:
        """Report an error at the start of the token."""
        self._faulty = True
        self._reporter.report(code, self._token_offset, *detail)

    def error_per_character(self, code: str, characters: str) -> None:
        """Report an error for each of the characters before the next input character."""
        self._faulty = True
        start = self._base + self._position - len(characters)
        for place, character in enumerate(characters):
            self._reporter.report(code, self._reference_offset if self._frames else start + place, character)

    def _report_each(self, needle: str, code: str, characters: str) -> None:
        """Report each occurrence of a string in the characters before the next input character."""
        place = characters.find(needle)
        start = self._base + self._position - len(characters)
        while place >= 0:
            self._faulty = True
            self._reporter.report(code, self._reference_offset if self._frames else start + place)
            place = characters.find(needle, place + len(needle))

    def error_in_item(self, code: str, *detail: object, lossy: bool | None = None) -> None:
        """Report an error at the start of the attribute, reference or declaration that is being read."""
        self._faulty = True
        self._reporter.report(code, self._item_offset, *detail, lossy=lossy)

    def error_at_end(self, code: str, *detail: object) -> None:
        """Report that the input ends in the middle of something."""
        self.error(code, *detail)
        if not self._frames:
            self._reporter.log.truncated = True

    def begin_item(self) -> None:
        """Remember the current input character as the start of an attribute, a reference or a declaration."""
        self._item_offset = self._reference_offset if self._frames else self._base + self._position - 1

    # Tokens -----------------------------------------------------------------------------------------------------

    def begin_token(self) -> None:
        """Remember the current input character as the start of a token."""
        self._token_start = self._position - 1
        self._token_offset = self._reference_offset if self._frames else self._base + self._position - 1
        self._raw_pieces.clear()
        self._faulty = False

    def _end_token(self) -> str | None:
        """The source of the token, which ends here, where it can stand as it is."""
        start, self._token_start = self._token_start, -1
        self._lane_is_open = True
        if self._faulty or self._frames:
            return None
        source = self._text[start : self._position]
        return "".join((*self._raw_pieces, source)) if self._raw_pieces else source

    def collect(self, characters: str) -> None:
        """Append to the part of the token that is being read."""
        self.collected.append(characters)

    def take_collected(self) -> str:
        """What has been collected, which then starts anew."""
        taken = "".join(self.collected)
        self.collected.clear()
        return taken

    def emit_until(self, stop: re.Pattern[str]) -> str | None:
        """Emit all input characters up to one that `stop` matches; that one, consumed (see `stopper`)."""
        text, start = self._text, self._position
        found = stop.search(text, start)
        end = found.start() if found else self._end
        self._position = end
        if end > start:
            self.emit_characters(text[start:end])
        if found:
            self._position = end + 1
            return text[end]
        return self.stopper()

    def emit_characters(self, data: str) -> None:
        """Emit character tokens: characters that stand in the input right before the next one."""
        self._token_start = -1
        if self._frames:
            self.sink.reference(data, self._reference_offset, None)
        else:
            self.sink.characters(data, self._base + self._position - len(data))

    # Tags

    def create_tag(self, name: str) -> None:
        """Create a new tag token."""
        self.collected = [name]
        self.attributes = {}
        self.empty = False
        self._after_value = -1

    def create_end_tag(self, name: str) -> None:
        """Create an end tag token."""
        self.collected = [name]

    def end_tag_name(self) -> None:
        """The tag's name is complete."""
        self.tag_name = self.take_collected()

    def start_attribute(self, name: str) -> None:
        """Start a new attribute in the current tag token, which then is no empty tag (D-047)."""
        self.begin_item()
        self.empty = False
        self.collected = [name]

    def end_attribute_name(self) -> None:
        """The attribute's name is complete: a second attribute of that name is dropped with its value (§1.3.27)."""
        name = self.take_collected()
        if name in self.attributes:
            self.error_in_item("duplicate-attribute", name)
            self._attribute_name = None
        else:
            self.attributes[name] = ""
            self._attribute_name = name

    def collect_value_until(self, stop: re.Pattern[str]) -> str | None:
        """As `collect_until`, but white space is normalised (D-058), and each ``<`` reported (D-056)."""
        text, start = self._text, self._position
        found = stop.search(text, start)
        end = found.start() if found else self._end
        characters = text[start:end]
        self._position = end
        if "<" in characters:
            self._report_each("<", "less-than-sign-in-attribute-value", characters)
        if "\n" in characters or "\t" in characters:
            characters = characters.replace("\n", " ").replace("\t", " ")
        self.collected.append(characters)
        if found:
            self._position = end + 1
            return text[end]
        return self.stopper()

    def take_clean_attributes(self) -> None:
        """Consume the next attributes that are beyond doubt free of errors: it would come to the same without."""
        if self.clean_lane is None or self._after_value == self._base + self._position:
            return
        while found := _CLEAN_ATTRIBUTE.match(self._text, self._position):
            name, value = found.groups()
            if name in self.attributes:
                return
            self.attributes[name] = value
            self.empty = False
            self._position = found.end()
            self._after_value = self._base + self._position

    def end_attribute_value(self, quoted: bool = False) -> None:
        """The attribute's value is complete."""
        if quoted:
            self._after_value = self._base + self._position
        value = self.take_collected()
        if self._attribute_name is not None:
            self.attributes[self._attribute_name] = value

    def is_right_after_value(self) -> bool:
        """Whether the current input character stands directly behind a quoted attribute value."""
        return self._after_value == self._base + self._position - 1

    def emit_tag(self) -> None:
        """Emit the current start or empty tag token."""
        raw = self._end_token()
        emit = self.sink.empty_tag if self.empty else self.sink.start_tag
        emit(self.tag_name, self.attributes, self._token_offset, raw)

    def emit_end_tag(self) -> None:
        """Emit the current end tag token."""
        raw = self._end_token()
        self.sink.end_tag(self.tag_name, self._token_offset, raw)

    def emit_short_end_tag(self) -> None:
        """Emit a short end tag token."""
        self.error_in_token("missing-end-tag-name")
        self._end_token()
        self.sink.short_end_tag(self._token_offset)

    # Comments and processing instructions

    def create_comment(self) -> None:
        """Create a comment token whose data is the empty string."""
        self.collected = []

    def emit_comment(self) -> None:
        """Emit the comment token."""
        raw = self._end_token()
        self.sink.comment(self.take_collected(), self._token_offset, raw)

    def create_processing_instruction(self, target: str) -> None:
        """Create a new processing instruction token."""
        self.collected = [target]

    def end_target(self, spaced: bool) -> None:
        """The processing instruction's target is complete; `spaced`: white space or EOF follows it."""
        self.target = self.take_collected()
        self._spaced = spaced

    def need_space_after_target(self) -> None:
        """Data begins: report it where no white space was before it (D-064)."""
        if not self._spaced:
            self._spaced = True
            self.error_at_previous("missing-whitespace-after-pi-target")

    def emit_processing_instruction(self) -> None:
        """Emit the current processing instruction token."""
        raw = self._end_token()
        self.sink.processing_instruction(self.target, self.take_collected(), self._token_offset, raw)

    # CDATA sections; in an entity they are text like any other.

    def start_cdata(self) -> None:
        """Begin a CDATA section."""
        if not self._frames:
            self.sink.cdata_start(self._token_offset)

    def end_cdata(self) -> None:
        """End a CDATA section."""
        self._token_start = -1
        self._lane_is_open = True
        if not self._frames:
            self.sink.cdata_end()

    # DOCTYPE

    def create_doctype(self) -> None:
        """Create a new DOCTYPE token."""
        self.collected = []
        self.doctype_name = self.public_id = self.system_id = None
        self._declared_before = self._entities.declared
        self._entities.declared = {}
        self.dtd = Dtd(self._entities, self.error_in_item)

    def begin_internal_subset(self) -> None:
        """Begin the declarations of the DOCTYPE, which are obeyed but not written out (D-092)."""
        self._faulty = True

    def emit_doctype(self) -> None:
        """Emit the DOCTYPE token."""
        raw = self._end_token()
        if not self.sink.doctype(self.doctype_name, self.public_id, self.system_id, self.dtd, self._token_offset, raw):
            self._entities.declared = self._declared_before

    # References and entities

    def consume_reference(self) -> Reference | None:
        """Consume a reference behind the ampersand that is the current input character; None: wait for more."""
        self.begin_item()
        match = REFERENCE.match(self._text, self._position)
        assert match is not None  # it matches the empty string
        source = match[0]
        if not self._final and match.end() == len(self._text) and source[-1:] != ";":
            self.wait(NAME_END)
            return None
        self._position = match.end()
        reference = read_reference("&" + source)
        for code, *details in reference.errors:
            self.error_in_item(code, *details)
        return reference

    def emit_reference(self, reference: Reference) -> None:
        """Emit the characters that a reference in content stands for, or go on in the entity that it names."""
        self._token_start = -1
        source, text, name, errors = reference
        if name is None:
            found: str | Entity = text
            known = not errors
        else:
            found = self._entities.find(name)
            known = name in PREDEFINED
        if isinstance(found, Entity):
            self.enter_entity(found)
        elif self._frames:
            self.sink.reference(found, self._reference_offset, None)
        elif found == source:
            self.sink.characters(source, self._item_offset)
        else:
            self.sink.reference(found, self._item_offset, source if known else None)

    def collect_reference(self, reference: Reference) -> None:
        """Append the characters that a reference stands for to the attribute's value."""
        found: str | Entity = reference.text
        if reference.name is not None:
            found = self._entities.find(reference.name)
            if reference.name not in PREDEFINED:
                self._faulty = True  # the tag cannot stand as it is where the declaration does not
        if isinstance(found, Entity):
            found = self._entities.attribute_value(found)
        self.collected.append(found)

    def enter_entity(self, entity: Entity, parameter: bool = False) -> None:
        """Go on in the replacement text of an entity, and come back at its end."""
        self._enter_frame(entity.text or "", entity.name, parameter, self._item_offset)
        if parameter:
            self.dtd.active.add(entity.name)
        else:
            self._entities.active.add(entity.name)
            self.sink.enter_entity(entity.name, self._reference_offset)

    @property
    def in_parameter_entity(self) -> bool:
        """Whether the input is the replacement text of a parameter entity."""
        return bool(self._frames) and self._frames[-1].parameter

    def leave_entity(self) -> None:
        """Go back to where the reference to the entity stands."""
        frame = self._leave_frame()
        if frame.parameter:
            self.dtd.active.remove(frame.entity)
        else:
            self._entities.active.remove(frame.entity)
            self.sink.leave_entity(frame.entity, self._reference_offset)

    def end_of_input(self) -> bool:
        """Handle EOF in the data state; whether there is more input, behind the reference to an entity."""
        if self._frames:
            self.leave_entity()
            return True
        self.sink.end_of_file(self._base + self._position - 1)
        return False
