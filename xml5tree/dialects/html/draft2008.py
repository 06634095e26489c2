"""The states of January 2008, in order (H-070 to H-103).

The surviving text has four states and parts of others; H-080 to H-098 define the rest. Instead of a state for each kind
of text, the draft has a content model flag and an escape flag, which its data state checks. The states of comments are
those of `states`: U+0000 does not reach them, and no "!" ends a comment. A DOCTYPE whose correctness flag is incorrect
has the force-quirks flag.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from xml5tree.dialects.html.chars import LETTERS, ascii_lower
from xml5tree.dialects.html.content_models import MODELS, Models
from xml5tree.dialects.html.doctype import emit_doctype, emit_doctype_at_eof, emit_doctype_with_quirks, take_keyword
from xml5tree.dialects.html.machine import State, Tokenizer, TokenSink
from xml5tree.dialects.html.references import WINDOWS_1252, find_name, peek_reference, read_numeric
from xml5tree.dialects.html.states import open_markup_declaration, open_no_end_tag, open_no_tag
from xml5tree.errors.codes import KEPT
from xml5tree.errors.reporter import Reporter
from xml5tree.machine.input import EOF

__all__ = ["CONTENT_MODELS", "DRAFT_MODELS", "DraftTokenizer"]

PCDATA: Final = "pcdata"
RCDATA: Final = "rcdata"
CDATA: Final = "cdata"
PLAINTEXT: Final = "plaintext"

#: The values of the content model flag.
CONTENT_MODELS: Final = (PCDATA, RCDATA, CDATA, PLAINTEXT)

#: The content models of start tags (H-096).
DRAFT_MODELS: Final = Models(
    {name: {"rawtext": CDATA, "script data": CDATA}.get(model, model) for name, model in MODELS.items()}, foreign=False
)

#: Elements whose start tags may end in ``/>``.
_PERMITTED_SLASH: Final = frozenset("base link meta hr br img embed param area col input".split())

_SPACE: Final = frozenset("\t\n\v\f ")
_NOT_SPACE: Final = re.compile("[^\t\n\v\f ]")
_TAG_NAME_STOP: Final = re.compile("[\t\n\v\f />]")
_ATTRIBUTE_NAME_STOP: Final = re.compile("[\t\n\v\f /=>]")
_DOUBLE_QUOTED_STOP: Final = re.compile('["&]')
_SINGLE_QUOTED_STOP: Final = re.compile("['&]")
_UNQUOTED_STOP: Final = re.compile("[\t\n\v\f &>]")
_GREATER_THAN: Final = re.compile("[>]")
_DOCTYPE_NAME_STOP: Final = re.compile("[\t\n\v\f >]")
_DOUBLE_QUOTE: Final = re.compile('["]')
_SINGLE_QUOTE: Final = re.compile("[']")

#: Characters that stop the data state, by the content model flag and the escape flag.
_DATA_STOPS: Final[Mapping[tuple[str, bool], re.Pattern[str]]] = {
    (PCDATA, False): re.compile("[&<]"),
    (RCDATA, False): re.compile("[-&<]"),
    (RCDATA, True): re.compile("[&>]"),
    (CDATA, False): re.compile("[-<]"),
    (CDATA, True): re.compile("[>]"),
    (PLAINTEXT, False): re.compile("(?!)"),
}


@cache
def _entities() -> Mapping[str, str]:
    """Return the entities table, which is lost (H-094)."""
    from html.entities import html5, name2codepoint

    names = {f"{name};" for name in (*name2codepoint, *["AMP", "COPY", "GT", "LT", "QUOT", "REG", "TRADE", "apos"])}
    names.update(name for name in html5 if not name.endswith(";"))
    return {name: html5[name] for name in names} | {"lang;": "\u3008", "rang;": "\u3009"}


class DraftTokenizer(Tokenizer):
    """The machine of the draft, with content model flag and escape flag; tags are emitted at EOF."""

    has_comment_end_bang = False

    __slots__ = ("_history", "content_model", "escaped")

    def __init__(
        self,
        sink: TokenSink,
        reporter: Reporter,
        *,
        content_model: str = PCDATA,
        last_start_tag: str | None = None,
    ) -> None:
        """Connect the tokenizer, as `Tokenizer`, and set the content model to start in."""
        super().__init__(sink, reporter, data_state, {}, last_start_tag=last_start_tag)
        self.content_model = content_model
        self.escaped = False
        self._history = ""  # the last three characters before the text

    def _load(self, skip: int) -> None:
        self._history = self.preceding(3, self._position)  # may still be asked for
        super()._load(skip)

    def preceding(self, count: int, position: int | None = None) -> str:
        """Return up to `count` (at most 3) input characters before the current one, or before an index."""
        end = self._position - 1 if position is None else position
        text = self._text[max(0, end - count) : end]
        return text if len(text) == count else (self._history + text)[-count:]

    def _state_after(self, model: str | None) -> State:
        self.content_model = PCDATA if model is None else model
        return self.data_state


def data_state(t: Tokenizer) -> State | None:
    """Data state."""
    assert isinstance(t, DraftTokenizer)
    c = t.emit_until(_DATA_STOPS[t.content_model, t.escaped])
    if c == "&":
        return entity_data_state
    if c == "<":
        t.begin_token()
        return tag_open_state
    if c == "-":
        t.escaped = t.preceding(3) == "<!-"
        t.emit_characters(c)
        return data_state
    if c == ">":
        t.escaped = t.preceding(2) != "--"
        t.emit_characters(c)
        return data_state
    if c == EOF:
        t.emit_end_of_file()
    return None


def entity_data_state(t: Tokenizer) -> State | None:
    """Entity data state."""
    start = t.place(1)
    entity = consume_entity(t, in_attribute=False)
    if entity is None:
        return None
    t.emit_text(entity, start)
    return data_state


def tag_open_state(t: Tokenizer) -> State | None:
    """Tag open state."""
    assert isinstance(t, DraftTokenizer)
    c = t.consume()
    if c == "/":
        return close_tag_open_state
    if t.content_model != PCDATA:
        t.reconsume()
        t.emit_characters("<")
        return data_state
    if c == "!":
        return markup_declaration_open_state
    if c in LETTERS:
        t.create_start_tag()
        t.collect(c)
        return tag_name_state
    if c == ">":
        t.error("invalid-first-character-of-tag-name", "<", effect=KEPT)
        t.emit_characters("<>")
        return data_state
    return open_no_tag(t, c)


def close_tag_open_state(t: Tokenizer) -> State | None:
    """Close tag open state."""
    assert isinstance(t, DraftTokenizer)
    if t.content_model != PCDATA:
        is_end_tag = _is_end_tag_ahead(t, t.last_start_tag)
        if is_end_tag is None:
            return None
        if not is_end_tag:
            t.emit_characters("</")
            return data_state
    c = t.consume()
    if c in LETTERS:
        t.create_end_tag()
        t.collect(c)
        return tag_name_state
    return open_no_end_tag(t, c)


def _is_end_tag_ahead(t: Tokenizer, name: str | None) -> bool | None:
    """Return whether an end tag of that name is next in the input; None: wait for more (H-098)."""
    if name is None:
        return False
    ahead = t.peek(len(name) + 1)
    if t.may_grow and len(ahead) <= len(name) and name.startswith(ascii_lower(ahead)):
        t.wait()
        return None
    following = ahead[len(name) :]
    return ascii_lower(ahead[: len(name)]) == name and (following in _SPACE or following in {">", "/", EOF})


def tag_name_state(t: Tokenizer) -> State | None:
    """Tag name state."""
    c = t.collect_until(_TAG_NAME_STOP)
    if c is None or _waits_for_slash(t, c):
        return None
    t.end_tag_name()
    if c in _SPACE:
        return before_attribute_name_state
    if c == ">":
        return t.emit_tag()
    if c == EOF:
        return _emit_tag_at_eof(t)
    return _slash(t)


def _waits_for_slash(t: Tokenizer, c: str) -> bool:
    """Return whether to wait for what follows a slash, which tells whether it is permitted."""
    if c == "/" and t.may_grow and not t.peek(1):
        t.reconsume()
        t.wait()
        return True
    return False


def _slash(t: Tokenizer) -> State:
    """Take the branch for "/" in the tag states: "Parse error, unless this is a permitted slash"."""
    if t.peek(1) != ">":
        t.error("unexpected-solidus-in-tag")
    elif t.is_end_tag:
        t.error("end-tag-with-trailing-solidus", f"</{t.tag_name}/>")
    elif t.tag_name not in _PERMITTED_SLASH:
        t.error("non-void-html-element-start-tag-with-trailing-solidus", f"<{t.tag_name}/>")
    return before_attribute_name_state


def _emit_tag_at_eof(t: Tokenizer) -> State:
    """Take the branch for EOF in a tag: "Parse error. Emit the current tag token. Reconsume the EOF character …"."""
    t.error_at_end("eof-in-tag")
    t.emit_tag()
    return t.reconsume_eof()


def before_attribute_name_state(t: Tokenizer) -> State | None:
    """Before attribute name state."""
    return _attribute_name_ahead(t, t.consume(), before_attribute_name_state)


def _attribute_name_ahead(t: Tokenizer, c: str, state: State) -> State | None:
    if c in _SPACE:
        t.run_until(_NOT_SPACE)
        return state
    if _waits_for_slash(t, c):
        return None
    if c == ">":
        return t.emit_tag()
    if c == "/":
        return _slash(t)
    if c == EOF:
        return _emit_tag_at_eof(t)
    t.start_attribute()
    t.collect(c)
    return attribute_name_state


def attribute_name_state(t: Tokenizer) -> State | None:
    """Attribute name state."""
    c = t.collect_until(_ATTRIBUTE_NAME_STOP)
    if c is None or _waits_for_slash(t, c):
        return None
    if c == "/":
        _slash(t)
    elif c == EOF:
        t.error_at_end("eof-in-tag")
    t.end_attribute_name()  # "When the user agent leaves the attribute name state"
    if c in _SPACE:
        return after_attribute_name_state
    if c == "=":
        return before_attribute_value_state
    if c == ">":
        return t.emit_tag()
    if c == "/":
        return before_attribute_name_state
    t.emit_tag()
    return t.reconsume_eof()


def after_attribute_name_state(t: Tokenizer) -> State | None:
    """After attribute name state."""
    c = t.consume()
    return before_attribute_value_state if c == "=" else _attribute_name_ahead(t, c, after_attribute_name_state)


def before_attribute_value_state(t: Tokenizer) -> State | None:
    """Before attribute value state."""
    c = t.consume()
    if c in _SPACE:
        t.run_until(_NOT_SPACE)
        return before_attribute_value_state
    if c == '"':
        return attribute_value_double_quoted_state
    if c == "'":
        return attribute_value_single_quoted_state
    if c == ">":
        return t.emit_tag()
    if c == EOF:
        return _emit_tag_at_eof(t)
    t.reconsume()  # "&" as the draft says; "Anything else" comes to the same
    return attribute_value_unquoted_state


def attribute_value_double_quoted_state(t: Tokenizer) -> State | None:
    """Attribute value (double-quoted) state."""
    return _quoted_value(t, '"', _DOUBLE_QUOTED_STOP, attribute_value_double_quoted_state)


def attribute_value_single_quoted_state(t: Tokenizer) -> State | None:
    """Attribute value (single-quoted) state."""
    return _quoted_value(t, "'", _SINGLE_QUOTED_STOP, attribute_value_single_quoted_state)


def _quoted_value(t: Tokenizer, quote: str, stop: re.Pattern[str], state: State) -> State | None:
    c = t.collect_until(stop)
    if c == quote:
        t.end_attribute_value()
        return before_attribute_name_state
    if c == "&":
        t.return_state = state
        return entity_in_attribute_value_state
    if c == EOF:
        t.end_attribute_value()
        return _emit_tag_at_eof(t)
    return None


def attribute_value_unquoted_state(t: Tokenizer) -> State | None:
    """Attribute value (unquoted) state."""
    c = t.collect_until(_UNQUOTED_STOP)
    if c is None:
        return None
    if c == "&":
        t.return_state = attribute_value_unquoted_state
        return entity_in_attribute_value_state
    t.end_attribute_value()
    if c in _SPACE:
        return before_attribute_name_state
    return t.emit_tag() if c == ">" else _emit_tag_at_eof(t)


def entity_in_attribute_value_state(t: Tokenizer) -> State | None:
    """Entity in attribute value state."""
    entity = consume_entity(t, in_attribute=True)
    if entity is None:
        return None
    t.collect(entity)
    return t.return_state


def markup_declaration_open_state(t: Tokenizer) -> State | None:
    """Markup declaration open state; no node is foreign, so that there is no CDATA section."""
    return open_markup_declaration(t, doctype_state)


def doctype_state(t: Tokenizer) -> State | None:
    """DOCTYPE state; EOF is an error here, and another one in the next state."""
    t.create_doctype()
    c = t.consume()
    if c not in _SPACE:
        t.error("missing-whitespace-before-doctype-name")
        t.reconsume()
    return before_doctype_name_state


def before_doctype_name_state(t: Tokenizer) -> State | None:
    """Before DOCTYPE name state."""
    c = t.consume()
    if c in _SPACE:
        t.run_until(_NOT_SPACE)
        return before_doctype_name_state
    if c == ">":
        return emit_doctype_with_quirks(t, "missing-doctype-name")
    if c == EOF:
        return emit_doctype_at_eof(t)
    t.collect(c)
    return doctype_name_state


def doctype_name_state(t: Tokenizer) -> State | None:
    """DOCTYPE name state; the case is kept (H-090)."""
    c = t.collect_until(_DOCTYPE_NAME_STOP)
    if c is None:
        return None
    t.doctype_name = t.take_collected()
    if c in _SPACE:
        return after_doctype_name_state
    return emit_doctype(t) if c == ">" else emit_doctype_at_eof(t)


def after_doctype_name_state(t: Tokenizer) -> State | None:
    """After DOCTYPE name state; the six characters begin with the current one (H-091)."""
    c = t.consume()
    if c in _SPACE:
        t.run_until(_NOT_SPACE)
        return after_doctype_name_state
    if c == ">":
        return emit_doctype(t)
    if c == EOF:
        return emit_doctype_at_eof(t)
    return take_keyword(
        t, before_doctype_public_identifier_state, before_doctype_system_identifier_state, bogus_doctype_state
    )


def before_doctype_public_identifier_state(t: Tokenizer) -> State | None:
    """Before DOCTYPE public identifier state."""
    c = t.consume()
    if c in _SPACE:
        t.run_until(_NOT_SPACE)
        return before_doctype_public_identifier_state
    if c == '"':
        return doctype_public_identifier_double_quoted_state
    if c == "'":
        return doctype_public_identifier_single_quoted_state
    if c == ">":
        return emit_doctype_with_quirks(t, "missing-doctype-public-identifier")
    if c == EOF:
        return emit_doctype_at_eof(t)
    t.error("missing-quote-before-doctype-public-identifier")
    return bogus_doctype_state


def doctype_public_identifier_double_quoted_state(t: Tokenizer) -> State | None:
    """DOCTYPE public identifier (double-quoted) state; ">" belongs to it (H-092)."""
    return _quoted_identifier(t, _DOUBLE_QUOTE, is_public=True)


def doctype_public_identifier_single_quoted_state(t: Tokenizer) -> State | None:
    """DOCTYPE public identifier (single-quoted) state."""
    return _quoted_identifier(t, _SINGLE_QUOTE, is_public=True)


def _quoted_identifier(t: Tokenizer, stop: re.Pattern[str], *, is_public: bool) -> State | None:
    c = t.collect_until(stop)
    if c is None:
        return None
    if is_public:
        t.public_id = t.take_collected()
    else:
        t.system_id = t.take_collected()
    if c == EOF:
        return emit_doctype_at_eof(t)
    return after_doctype_public_identifier_state if is_public else after_doctype_system_identifier_state


def after_doctype_public_identifier_state(t: Tokenizer) -> State | None:
    """After DOCTYPE public identifier state."""
    c = t.consume()
    if c in _SPACE:
        t.run_until(_NOT_SPACE)
        return after_doctype_public_identifier_state
    return emit_doctype(t) if c == ">" else _system_identifier(t, c)


def before_doctype_system_identifier_state(t: Tokenizer) -> State | None:
    """Before DOCTYPE system identifier state."""
    c = t.consume()
    if c in _SPACE:
        t.run_until(_NOT_SPACE)
        return before_doctype_system_identifier_state
    return emit_doctype_with_quirks(t, "missing-doctype-system-identifier") if c == ">" else _system_identifier(t, c)


def _system_identifier(t: Tokenizer, c: str) -> State | None:
    """Take the branches that the states before a system identifier have in common."""
    if c == '"':
        return doctype_system_identifier_double_quoted_state
    if c == "'":
        return doctype_system_identifier_single_quoted_state
    if c == EOF:
        return emit_doctype_at_eof(t)
    t.error("missing-quote-before-doctype-system-identifier")
    return bogus_doctype_state


def doctype_system_identifier_double_quoted_state(t: Tokenizer) -> State | None:
    """DOCTYPE system identifier (double-quoted) state."""
    return _quoted_identifier(t, _DOUBLE_QUOTE, is_public=False)


def doctype_system_identifier_single_quoted_state(t: Tokenizer) -> State | None:
    """DOCTYPE system identifier (single-quoted) state."""
    return _quoted_identifier(t, _SINGLE_QUOTE, is_public=False)


def after_doctype_system_identifier_state(t: Tokenizer) -> State | None:
    """After DOCTYPE system identifier state."""
    c = t.consume()
    if c in _SPACE:
        t.run_until(_NOT_SPACE)
        return after_doctype_system_identifier_state
    if c == ">":
        return emit_doctype(t)
    if c == EOF:
        return emit_doctype_at_eof(t)
    t.error("unexpected-character-after-doctype-system-identifier")
    return bogus_doctype_state


def bogus_doctype_state(t: Tokenizer) -> State | None:
    """Bogus DOCTYPE state; leaving it makes the DOCTYPE incorrect, not entering it (H-093)."""
    t.run_until(_GREATER_THAN)
    c = t.stopper()
    if c is None:
        return None
    if c == EOF:
        return emit_doctype_at_eof(t)
    t.force_quirks = True
    return emit_doctype(t)


def consume_entity(t: Tokenizer, *, in_attribute: bool) -> str | None:
    """Consuming an entity; arguments and result as for `references.consume_reference`."""
    source = peek_reference(t)
    if source is None:
        return None
    if source.startswith("#"):
        return read_numeric(t, source, _character)
    entities = _entities()
    name = find_name(source, entities)
    if not name:
        _report_no_entity(t, source)
        return "&"
    if name.endswith(";"):
        t.skip(len(name))
        return entities[name]
    following = t.peek(len(name) + 1)[len(name) :]
    is_text = in_attribute and following.isascii() and following.isalnum()
    done = "was kept as text" if is_text else "was resolved all the same"
    t.error_ahead("missing-semicolon-after-character-reference", f"&{name}", done, skip=len(name))
    if is_text:
        return "&"
    t.skip(len(name))
    return entities[name]


def _report_no_entity(t: Tokenizer, source: str) -> None:
    """Report an ampersand that starts no entity, unless the character after it is one that never does (H-102)."""
    if len(source) > 1 and source.endswith(";"):
        t.error_ahead("unknown-named-character-reference", f"&{source}")
        return
    following = t.peek(1)
    if following not in _SPACE and following not in {"<", "&", EOF}:
        t.error_ahead("unescaped-ampersand")


def _character(number: int) -> tuple[str, str | None]:
    if number == 0x0D:
        return "\n", "control-character-reference"
    if 0x80 <= number <= 0x9F:
        return WINDOWS_1252.get(number, "\ufffd"), "control-character-reference"
    if number == 0:
        return "\ufffd", "null-character-reference"
    if number > 0x10FFFF:
        return "\ufffd", "character-reference-outside-unicode-range"
    if 0xD800 <= number <= 0xDFFF:
        return "\ufffd", "surrogate-character-reference"
    return chr(number), None
