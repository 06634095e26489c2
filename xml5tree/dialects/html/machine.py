"""The state machine of both revisions."""

import re
from collections.abc import Callable, Mapping
from html.entities import html5
from typing import ClassVar, Final, Protocol

from xml5tree.dialects.html.tokens import Doctype
from xml5tree.errors.reporter import Reporter
from xml5tree.machine.machine import Machine

#: Only ASCII letters have two cases (H-025).
LETTERS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
SPACE: Final = frozenset("\t\n\f ")
_LOWER: Final = {upper: upper + 0x20 for upper in range(ord("A"), ord("Z") + 1)}

#: A state consumes input and returns the next state; None if it needs more input.
State = Callable[["Tokenizer"], "State | None"]

#: Text and a tag after it that need no state: names of common characters, no reference but ``&amp;`` in quoted values.
_CLEAN_TAG: Final = re.compile(
    "([^<&\0]*+)<(/?)([A-Za-z][A-Za-z0-9]*+)"
    '((?:[\t\n\f ]++[a-z][a-z0-9_:-]*+(?>="[^"&\0]*+(?:&amp;[^"&\0]*+)*+"'
    "|='[^'&\0]*+(?:&amp;[^'&\0]*+)*+'|=[^\t\n\f \"'<=>`&\0]++)?+)*+)"
    "[\t\n\f ]*+(/?)>"
)
#: An attribute of a clean tag: name, and value in double or single quotes, or without.
_CLEAN_ATTRIBUTE: Final = re.compile("([a-z][a-z0-9_:-]*+)(?>=\"([^\"]*+)\"|='([^']*+)'|=([^\t\n\f >]++))?+")

#: Text, and what is after the ampersand of a reference; "" if none begins there.
_CLEAN_TEXT: Final = re.compile("([^<&\0]*+)&([A-Za-z0-9]++;|(?=[^A-Za-z0-9#]))")
_REFERENCES: Final = {**html5, "": "&"}


def ascii_lower(text: str) -> str:
    """Return the text with ASCII letters in lower case."""
    return text.lower() if text.isascii() else text.translate(_LOWER)


def _clean_attributes(source: str) -> dict[str, str] | None:
    """Return the attributes of a clean tag; None if a name comes twice."""
    found = _CLEAN_ATTRIBUTE.findall(source)
    attributes = {name: double or single or unquoted for name, double, single, unquoted in found}
    if len(attributes) < len(found):
        return None
    if "&" in source:
        return {name: value.replace("&amp;", "&") for name, value in attributes.items()}
    return attributes


class TokenSink(Protocol):
    """Takes the tokens: tree construction, or a recorder. `offset` is the start of the token."""

    def start_tag(self, name: str, attributes: dict[str, str], self_closing: bool, offset: int) -> str | None:
        """Take a start tag; return the content model after it, None for markup (see `content_models`)."""

    def end_tag(self, name: str, offset: int) -> None: ...

    def comment(self, data: str, offset: int) -> None: ...

    def doctype(self, doctype: Doctype, offset: int) -> None: ...

    def characters(self, data: str, offset: int) -> None:
        """Take characters; they continue earlier ones if no other token came between."""

    def end_of_file(self, offset: int) -> None: ...

    def current_node_is_foreign(self) -> bool:
        """Return whether the adjusted current node is in another namespace than HTML's (§12.2.4.45)."""


class Tokenizer(Machine):
    """The state machine of §12.2.4: `feed` and `run` take the document, `sink` the tokens.

    Where the input pauses, the state and the current token are kept; no token is read again from its start.
    """

    is_draft: ClassVar[bool] = False  # whether it is the revision of 2008
    space: ClassVar[frozenset[str]] = SPACE

    def __init__(
        self,
        sink: TokenSink,
        reporter: Reporter,
        data_state: State,
        text_states: Mapping[str, State],
        *,
        initial_state: State | None = None,
        last_start_tag: str | None = None,
    ) -> None:
        """Connect the tokenizer to the sink of tokens and the reporter of errors.

        `data_state` is the state for markup, `text_states` has one for each content model. The tokenizer starts in
        `initial_state`, or in the data state. `last_start_tag` names "the last start tag to have been emitted".
        """
        super().__init__(reporter, initial_state or data_state)
        self.sink = sink
        self.data_state = data_state
        self.last_start_tag = last_start_tag
        self._text_states = text_states
        self.references: Mapping[str, str] = html5  # what names stand for

        # The current token.
        self.tag_name = ""
        self.is_end_tag = False
        self.attributes: dict[str, str] = {}
        self.self_closing = False
        self.doctype: Doctype  # while it is being read
        self._attribute_name: str | None = None  # None if the attribute is dropped

    # Errors -----------------------------------------------------------------------------------------------------

    def error_ahead(self, code: str, *detail: object, skip: int = 0) -> None:
        """Report an error at a character ahead, `skip` characters after the next one."""
        self.report(code, self.place(-skip), *detail)

    # Collecting -------------------------------------------------------------------------------------------------

    def collect_text(self, stop: re.Pattern[str]) -> str | None:
        """Collect as `collect_until`, with U+FFFD for each U+0000."""
        while (c := self.collect_until(stop)) == "\0":
            self.collect_replacement()
        return c

    def collect_replacement(self) -> None:
        """Take the branch for U+0000: "Parse error. Append a U+FFFD REPLACEMENT CHARACTER character"."""
        self.error("unexpected-null-character")
        self.collected.append("\ufffd")

    def clear_collected(self) -> None:
        self.collected.clear()

    start_attribute = create_comment = clear_collected  # a name, or the data of a comment, is collected next

    # Characters -------------------------------------------------------------------------------------------------

    def emit_characters(self, data: str) -> None:
        """Emit character tokens for the input characters right before the next one."""
        self.sink.characters(data, self.place(len(data)))

    def emit_text(self, data: str, offset: int) -> None:
        """Emit character tokens for the input from an offset on, such as the text of a reference."""
        self.sink.characters(data, offset)

    def emit_replacement(self) -> None:
        """Take the branch for U+0000 in text: "Parse error. Emit a U+FFFD REPLACEMENT CHARACTER character token."."""
        self.error("unexpected-null-character")
        self.emit_text("\ufffd", self.place(1))

    def emit_end_of_file(self) -> None:
        self.sink.end_of_file(self.place(1))

    # Tags -------------------------------------------------------------------------------------------------------

    def create_tag(self, first: str, *, is_end: bool) -> None:
        """Create a start or end tag token, whose name begins with a letter."""
        self.is_end_tag = is_end
        self.collected[:] = [first]
        self.attributes = {}
        self.self_closing = False

    def end_tag_name(self) -> None:
        self.tag_name = ascii_lower(self.take_collected())

    def end_attribute_name(self) -> None:
        """End an attribute's name; of attributes with one name, the first stays (§12.2.4.35)."""
        name = ascii_lower(self.take_collected())
        if name in self.attributes:
            self.error("duplicate-attribute", name)
            self._attribute_name = None
        else:
            self.attributes[name] = ""
            self._attribute_name = name

    def end_attribute_value(self) -> None:
        value = self.take_collected()
        if self._attribute_name is not None:
            self.attributes[self._attribute_name] = value

    def pass_clean_tags(self) -> State | None:
        """Emit texts and tags that need no state; return the state chosen by tree construction, or None."""
        text, position, base, sink, match = self._text, self._position, self._base, self.sink, _CLEAN_TAG.match
        while True:
            found = match(text, position)
            if found is None:
                found = _CLEAN_TEXT.match(text, position)
                if found is None or found[2] not in _REFERENCES:
                    break
                sink.characters(found[1] + _REFERENCES[found[2]], base + position)
                self._position = position = found.end()
                continue
            data, slash, name, source, solidus = found.groups()
            end = found.end()
            if slash and (source or solidus):
                break
            attributes = _clean_attributes(source) if source else {}
            if attributes is None:
                break
            if data:
                sink.characters(data, base + position)
            self.token_offset = offset = base + position + len(data)
            self._position = position = end
            name = name.lower()
            if slash:
                sink.end_tag(name, offset)
                continue
            self.last_start_tag = name
            model = sink.start_tag(name, attributes, solidus == "/", offset)
            if model is not None:
                return self._state_after(model)
        return None

    def emit_tag(self) -> State:
        """Emit the tag token; return the next state, which tree construction may choose."""
        if not self.is_end_tag:
            self.last_start_tag = self.tag_name
            model = self.sink.start_tag(self.tag_name, self.attributes, self.self_closing, self.token_offset)
            return self._state_after(model)
        if self.attributes:
            self.error("end-tag-with-attributes", f"</{self.tag_name}>")
        if self.self_closing:
            self.error("end-tag-with-trailing-solidus", f"</{self.tag_name}/>")
        self.sink.end_tag(self.tag_name, self.token_offset)
        return self._state_after(None)

    def _state_after(self, model: str | None) -> State:
        return self.data_state if model is None else self._text_states[model]

    # Comments and DOCTYPEs --------------------------------------------------------------------------------------

    def emit_comment(self) -> None:
        self.sink.comment(self.take_collected(), self.token_offset)

    def create_doctype(self) -> None:
        self.collected.clear()
        self.doctype = Doctype(None)

    def emit_doctype(self) -> None:
        if self.doctype.name is not None and not self.is_draft:  # 2008, the case is kept (H-090)
            self.doctype.name = ascii_lower(self.doctype.name)
        self.sink.doctype(self.doctype, self.token_offset)

    def emit_doctype_at_eof(self) -> State:
        self.emit_doctype()
        return self.reconsume_eof()

    def reconsume_eof(self) -> State:
        """End a branch for EOF: "Switch to the data state. Reconsume the EOF character."."""
        self.reconsume()
        return self.data_state
