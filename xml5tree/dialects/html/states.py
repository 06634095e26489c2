"""The states for markup: §12.2.4.1, .2, .8 to .10, .34 to .51, .68, in order.

A state is a function that consumes input and returns the next state; its branches follow the text's order. Where
"Anything else" appends the character and stays, it first takes the whole run of such characters. A state that needs
more input returns None and is called again. H-nnn are the project's decisions.

The states for text, §12.2.4.3 to .7 and .11 to .33, are in `text_states`, those of the DOCTYPE, §12.2.4.52 to .67, in
`xml5tree.dialects.doctype`, and character references, §12.2.4.69, in `references`.
"""

import re
from typing import Final

from xml5tree.dialects.doctype import DoctypeStates
from xml5tree.dialects.html.machine import LETTERS, State, Tokenizer
from xml5tree.dialects.html.references import consume_reference, emit_reference
from xml5tree.errors.codes import KEPT
from xml5tree.machine.input import EOF

_DATA_STOP: Final = re.compile("[&<\0]")
#: By the revision; that of 2008 is the second.
_TAG_NAME_STOPS: Final = re.compile("[\t\n\f />\0]"), re.compile("[\t\n\v\f />]")
_ATTRIBUTE_NAME_STOPS: Final = re.compile("[\t\n\f /=>\0\"'<]"), re.compile("[\t\n\v\f /=>]")
_DOUBLE_QUOTED_STOP: Final = re.compile('["&\0]')
_SINGLE_QUOTED_STOP: Final = re.compile("['&\0]")
_UNQUOTED_STOPS: Final = re.compile("[\t\n\f &>\0\"'<=`]"), re.compile("[\t\n\v\f &>]")
_BOGUS_COMMENT_STOP: Final = re.compile("[>\0]")
_COMMENT_STOP: Final = re.compile("[-\0]")
_CDATA_STOP: Final = re.compile(r"]]>|]]?\Z")  # "]" where "]]>" is or may be coming
_ODD_IN_NAME: Final = frozenset("\"'<")
_ODD_BEFORE_VALUE: Final = frozenset("<=`")
_ODD_IN_UNQUOTED: Final = frozenset("\"'<=`")
#: By the revision.
_DOCTYPE_STATES: Final = (
    DoctypeStates("[\t\n\f >\0]", "[{}>\0]".format),
    DoctypeStates("[\t\n\v\f >]", str, "\t\n\v\f ", is_draft=True),
)
#: Elements whose start tags may end in ``/>`` in the revision of 2008.
_PERMITTED_SLASH: Final = frozenset("base link meta hr br img embed param area col input".split())


def data_state(t: Tokenizer) -> State | None:
    """§12.2.4.1 Data state."""
    following = t.pass_clean_tags()
    if following is not None:
        return following
    c = t.emit_until(_DATA_STOP)
    if c == "&":
        return character_reference_in_data_state
    if c == "<":
        t.begin_token()
        return tag_open_state
    if c == "\0":
        t.error("unexpected-null-character")
        t.emit_characters(c)  # as it is (H-022)
        return data_state
    if c == EOF:
        t.emit_end_of_file()
    return None


def character_reference_in_data_state(t: Tokenizer) -> State | None:
    """§12.2.4.2 Character reference in data state."""
    return emit_reference(t, t.data_state)


def tag_open_state(t: Tokenizer) -> State | None:
    """§12.2.4.8 Tag open state."""
    c = t.consume()
    if c == "!":
        return markup_declaration_open_state
    if c == "/":
        return end_tag_open_state
    if c in LETTERS:
        t.create_tag(c, is_end=False)
        return tag_name_state
    return open_no_tag(t, c)


def open_no_tag(t: Tokenizer, c: str) -> State:
    """Take the last branches of §12.2.4.8, for a character that begins no tag."""
    if c == "?":
        t.error("unexpected-question-mark-instead-of-tag-name")
        t.create_comment()
        t.reconsume()
        return bogus_comment_state
    if c == EOF:
        t.error_at_end("eof-before-tag-name", "<")
    else:
        t.error("invalid-first-character-of-tag-name", "<", effect=KEPT)
    t.reconsume()
    t.emit_characters("<")
    return t.data_state


def end_tag_open_state(t: Tokenizer) -> State | None:
    """§12.2.4.9 End tag open state."""
    c = t.consume()
    if c in LETTERS:
        t.create_tag(c, is_end=True)
        return tag_name_state
    return open_no_end_tag(t, c)


def open_no_end_tag(t: Tokenizer, c: str) -> State:
    """Take the last branches of §12.2.4.9, for a character that begins no end tag."""
    if c == ">":
        t.error("missing-end-tag-name")
        return t.data_state
    if c == EOF:
        t.error_at_end("eof-before-tag-name", "</")
        t.reconsume()
        t.emit_characters("</")
        return t.data_state
    t.error("invalid-first-character-of-tag-name", "</")
    t.create_comment()
    t.reconsume()
    return bogus_comment_state


def tag_name_state(t: Tokenizer) -> State | None:
    """§12.2.4.10 Tag name state."""
    c = t.collect_text(_TAG_NAME_STOPS[t.is_draft])
    if c is None:
        return None
    t.end_tag_name()
    return _in_tag(t, c, before_attribute_name_state)


def _in_tag(t: Tokenizer, c: str, state_after_space: State) -> State | None:
    """Take the branches of most states in tags for white space, "/", ">" and EOF; return None for others."""
    if c in t.space:
        return state_after_space
    if c == "/":
        return _take_slash if t.is_draft else self_closing_start_tag_state
    if c == ">":
        return t.emit_tag()
    return _drop_tag(t) if c == EOF else None


def _drop_tag(t: Tokenizer) -> State:
    """Take the branch for EOF in a tag: "Parse error. Switch to the data state. Reconsume the EOF …" (H-034).

    In the revision of 2008, the tag is emitted.
    """
    t.error_at_end("eof-in-tag")
    if t.is_draft:
        t.emit_tag()
    return t.reconsume_eof()


def _take_slash(t: Tokenizer) -> State | None:
    """Take the branch of 2008 for "/" in the tag states: "Parse error, unless this is a permitted slash"."""
    ahead = t.peek(1)  # what follows tells whether it is permitted
    if t.may_grow and not ahead:
        t.wait()
        return None
    if ahead != ">":
        t.error("unexpected-solidus-in-tag")
    elif t.is_end_tag:
        t.error("end-tag-with-trailing-solidus", f"</{t.tag_name}/>")
    elif t.tag_name not in _PERMITTED_SLASH:
        t.error("non-void-html-element-start-tag-with-trailing-solidus", f"<{t.tag_name}/>")
    return before_attribute_name_state


def before_attribute_name_state(t: Tokenizer) -> State | None:
    """§12.2.4.34 Before attribute name state."""
    c = t.consume()
    if following := _in_tag(t, c, before_attribute_name_state):
        return following
    t.start_attribute()
    if c == "=":
        if not t.is_draft:
            t.error("unexpected-equals-sign-before-attribute-name")
        t.collect(c)
    else:
        t.reconsume()  # U+0000, the quotes and "<" have the same error in the next state (H-037)
    return attribute_name_state


def attribute_name_state(t: Tokenizer) -> State | None:
    """§12.2.4.35 Attribute name state."""
    c = t.collect_text(_ATTRIBUTE_NAME_STOPS[t.is_draft])
    if c is None:
        return None
    if c in _ODD_IN_NAME:
        t.error("unexpected-character-in-attribute-name", c)
        t.collect(c)
        return attribute_name_state
    if c == EOF:
        t.error_at_end("eof-in-tag")
    t.end_attribute_name()  # "When the user agent leaves the attribute name state" (H-035)
    if c == "=":
        return before_attribute_value_state
    if c != EOF:
        return _in_tag(t, c, after_attribute_name_state)
    if t.is_draft:
        t.emit_tag()
    return t.reconsume_eof()


def after_attribute_name_state(t: Tokenizer) -> State | None:
    """§12.2.4.36 After attribute name state."""
    c = t.consume()
    if c == "=":
        return before_attribute_value_state
    if following := _in_tag(t, c, after_attribute_name_state):
        return following
    t.start_attribute()
    t.reconsume()  # as in the before attribute name state
    return attribute_name_state


def before_attribute_value_state(t: Tokenizer) -> State | None:
    """§12.2.4.37 Before attribute value state."""
    c = t.consume()
    if c in t.space:
        return before_attribute_value_state
    if c == '"':
        return attribute_value_double_quoted_state
    if c == "'":
        return attribute_value_single_quoted_state
    if c == ">":
        if not t.is_draft:
            t.error("missing-attribute-value")
        return t.emit_tag()
    if c in _ODD_BEFORE_VALUE and not t.is_draft:
        t.error("unexpected-character-in-unquoted-attribute-value", c)
        t.collect(c)
        return attribute_value_unquoted_state
    if c == EOF:
        return _drop_tag(t)
    t.reconsume()  # "&" as the text says; U+0000 and "Anything else" come to the same
    return attribute_value_unquoted_state


def attribute_value_double_quoted_state(t: Tokenizer) -> State | None:
    """§12.2.4.38 Attribute value (double-quoted) state."""
    return _quoted_value(t, '"', _DOUBLE_QUOTED_STOP, attribute_value_double_quoted_state)


def attribute_value_single_quoted_state(t: Tokenizer) -> State | None:
    """§12.2.4.39 Attribute value (single-quoted) state."""
    return _quoted_value(t, "'", _SINGLE_QUOTED_STOP, attribute_value_single_quoted_state)


def _quoted_value(t: Tokenizer, quote: str, stop: re.Pattern[str], state: State) -> State | None:
    """Take the branches of §12.2.4.38 and §12.2.4.39."""
    c = t.collect_text(stop)
    if c == quote:
        t.end_attribute_value()
        return before_attribute_name_state if t.is_draft else after_attribute_value_quoted_state
    if c == "&":
        t.return_state = state
        return character_reference_in_attribute_value_state
    if c == EOF:
        t.end_attribute_value()
        return _drop_tag(t)
    return None


def attribute_value_unquoted_state(t: Tokenizer) -> State | None:
    """§12.2.4.40 Attribute value (unquoted) state."""
    c = t.collect_text(_UNQUOTED_STOPS[t.is_draft])
    if c is None:
        return None
    if c == "&":
        t.return_state = attribute_value_unquoted_state
        return character_reference_in_attribute_value_state
    if c in _ODD_IN_UNQUOTED:
        t.error("unexpected-character-in-unquoted-attribute-value", c)
        t.collect(c)
        return attribute_value_unquoted_state
    t.end_attribute_value()
    return _in_tag(t, c, before_attribute_name_state)


def character_reference_in_attribute_value_state(t: Tokenizer) -> State | None:
    """§12.2.4.41 Character reference in attribute value state."""
    reference = consume_reference(t, in_attribute=True)
    if reference is None:
        return None
    t.collect(reference)
    return t.return_state


def after_attribute_value_quoted_state(t: Tokenizer) -> State | None:
    """§12.2.4.42 After attribute value (quoted) state."""
    if following := _in_tag(t, t.consume(), before_attribute_name_state):
        return following
    t.error("missing-whitespace-between-attributes")
    t.reconsume()
    return before_attribute_name_state


def self_closing_start_tag_state(t: Tokenizer) -> State | None:
    """§12.2.4.43 Self-closing start tag state."""
    c = t.consume()
    if c == ">":
        t.self_closing = True
        return t.emit_tag()
    if c == EOF:
        return _drop_tag(t)
    t.error("unexpected-solidus-in-tag")
    t.reconsume()
    return before_attribute_name_state


def bogus_comment_state(t: Tokenizer) -> State | None:
    """§12.2.4.44 Bogus comment state; the character that led here is consumed again where it belongs to the data."""
    c = t.collect_until(_BOGUS_COMMENT_STOP)
    if c == "\0":
        t.collect("\ufffd")  # in silence (H-012)
        return bogus_comment_state
    if c is None:
        return None
    t.emit_comment()
    return t.data_state if c == ">" else t.reconsume_eof()


def markup_declaration_open_state(t: Tokenizer) -> State | None:
    """§12.2.4.45 Markup declaration open state; 2008, no node is foreign, so that there is no CDATA section."""
    ahead = t.peek(7)
    if ahead.startswith("--"):
        t.skip(2)
        t.create_comment()
        return comment_start_state
    if ahead.isascii() and ahead.upper() == "DOCTYPE":
        t.skip(7)
        t.create_doctype()
        return _DOCTYPE_STATES[t.is_draft].doctype_state
    if ahead == "[CDATA[":
        if t.sink.current_node_is_foreign():
            t.skip(7)
            return cdata_section_state
        t.error_ahead("cdata-in-html-content")
    elif t.may_grow and _begins_declaration(ahead):
        t.wait()
        return None
    else:
        t.error_ahead("incorrectly-opened-comment")
    t.create_comment()
    return bogus_comment_state


def _begins_declaration(ahead: str) -> bool:
    """Return whether more input may show one of the openings that the markup declaration open state looks for."""
    if ahead.isascii() and "DOCTYPE".startswith(ahead.upper()):
        return True
    return "--".startswith(ahead) or "[CDATA[".startswith(ahead)


def comment_start_state(t: Tokenizer) -> State | None:
    """§12.2.4.46 Comment start state."""
    return _comment_start(t, "", comment_start_dash_state)


def comment_start_dash_state(t: Tokenizer) -> State | None:
    """§12.2.4.47 Comment start dash state."""
    return _comment_start(t, "-", comment_end_state)


def _comment_start(t: Tokenizer, dashes: str, dash_state: State) -> State | None:
    """Take the branches of §12.2.4.46 and .47."""
    c = t.consume()
    if c == "-":
        return dash_state
    if c == ">":
        t.error("abrupt-closing-of-empty-comment")
        t.emit_comment()
        return t.data_state
    if c == EOF:
        return _end_comment_at_eof(t)
    t.collect(dashes)
    t.reconsume()  # U+0000 has the same error in the next state
    return comment_state


def comment_state(t: Tokenizer) -> State | None:
    """§12.2.4.48 Comment state."""
    c = t.collect_text(_COMMENT_STOP)
    if c == "-":
        return comment_end_dash_state
    return _end_comment_at_eof(t) if c == EOF else None


def comment_end_dash_state(t: Tokenizer) -> State | None:
    """§12.2.4.49 Comment end dash state."""
    c = t.consume()
    if c == "-":
        return comment_end_state
    if c == EOF:
        return _end_comment_at_eof(t)
    t.collect("-")
    t.reconsume()  # U+0000 has the same error in the next state
    return comment_state


def comment_end_state(t: Tokenizer) -> State | None:
    """§12.2.4.50 Comment end state."""
    c = t.consume()
    if c == ">":
        t.emit_comment()
        return t.data_state
    if c == "\0":
        t.collect("--")
        t.collect_replacement()
        return comment_state
    if c == "!" and not t.is_draft:
        t.error("incorrectly-closed-comment")  # whatever follows (H-013)
        return comment_end_bang_state
    if c == EOF:
        return _end_comment_at_eof(t)
    t.error("double-hyphen-in-comment")
    if c == "-":
        t.collect(c)
        return comment_end_state
    t.collect("--")
    t.reconsume()
    return comment_state


def comment_end_bang_state(t: Tokenizer) -> State | None:
    """§12.2.4.51 Comment end bang state."""
    c = t.consume()
    if c == "-":
        t.collect("--!")
        return comment_end_dash_state
    if c == ">":
        t.emit_comment()
        return t.data_state
    if c == EOF:
        return _end_comment_at_eof(t)
    t.collect("--!")
    t.reconsume()  # U+0000 has the same error in the next state
    return comment_state


def _end_comment_at_eof(t: Tokenizer) -> State:
    """Take the branch for EOF in a comment: "Parse error. Switch to the data state. Emit the comment token. …"."""
    t.error_at_end("eof-in-comment")
    t.emit_comment()
    return t.reconsume_eof()


def cdata_section_state(t: Tokenizer) -> State | None:
    """§12.2.4.68 CDATA section state; U+0000 stays as it is (H-022), and EOF is no error (H-010)."""
    c = t.emit_until(_CDATA_STOP)
    if c == "]":
        ahead = t.peek(2)
        if ahead == "]>":
            t.skip(2)
            return data_state
        if t.may_grow:
            t.reconsume()
            t.wait()
            return None
        t.emit_characters(c)
        return cdata_section_state
    return t.reconsume_eof() if c == EOF else None
