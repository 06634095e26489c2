"""The states for text: §12.2.4.3 to .7, .11 to .33, in order.

The families RCDATA, RAWTEXT, script data and escaped script data differ in the state they return to. So their states
share the branches of `_less_than_sign`, `_end_tag_open` and `_end_tag_name`.
"""

import re
from typing import Final

from xml5tree.dialects.html.chars import LETTERS, SPACE, ascii_lower
from xml5tree.dialects.html.machine import State, Tokenizer
from xml5tree.dialects.html.references import consume_reference
from xml5tree.dialects.html.states import before_attribute_name_state, self_closing_start_tag_state
from xml5tree.machine.input import EOF

__all__ = ["plaintext_state", "rawtext_state", "rcdata_state", "script_data_state"]

_RCDATA_STOP: Final = re.compile("[&<\0]")
_RAWTEXT_STOP: Final = re.compile("[<\0]")
_PLAINTEXT_STOP: Final = re.compile("[\0]")
_ESCAPED_STOP: Final = re.compile("[-<\0]")
_NOT_LETTER: Final = re.compile("[^A-Za-z]")
_NAME_END: Final = SPACE | frozenset("/>")


def rcdata_state(t: Tokenizer) -> State | None:
    """§12.2.4.3 RCDATA state."""
    c = t.emit_until(_RCDATA_STOP)
    if c == "&":
        return character_reference_in_rcdata_state
    return _text(t, c, rcdata_state, rcdata_less_than_sign_state)


def _text(t: Tokenizer, c: str | None, state: State, less_than_sign_state: State) -> State | None:
    """Take the branches that §12.2.4.3, .5 and .6 have in common."""
    if c == "<":
        t.begin_token()
        return less_than_sign_state
    if c == "\0":
        t.emit_replacement()
        return state
    if c == EOF:
        t.emit_end_of_file()
    return None


def character_reference_in_rcdata_state(t: Tokenizer) -> State | None:
    """§12.2.4.4 Character reference in RCDATA state."""
    start = t.place(1)
    reference = consume_reference(t, in_attribute=False)
    if reference is None:
        return None
    t.emit_text(reference, start)
    return rcdata_state


def rawtext_state(t: Tokenizer) -> State | None:
    """§12.2.4.5 RAWTEXT state."""
    return _text(t, t.emit_until(_RAWTEXT_STOP), rawtext_state, rawtext_less_than_sign_state)


def script_data_state(t: Tokenizer) -> State | None:
    """§12.2.4.6 Script data state."""
    return _text(t, t.emit_until(_RAWTEXT_STOP), script_data_state, script_data_less_than_sign_state)


def plaintext_state(t: Tokenizer) -> State | None:
    """§12.2.4.7 PLAINTEXT state."""
    c = t.emit_until(_PLAINTEXT_STOP)
    if c == "\0":
        t.emit_replacement()
        return plaintext_state
    if c == EOF:
        t.emit_end_of_file()
    return None


def rcdata_less_than_sign_state(t: Tokenizer) -> State | None:
    """§12.2.4.11 RCDATA less-than sign state."""
    return _less_than_sign(t, t.consume(), rcdata_end_tag_open_state, rcdata_state)


def _less_than_sign(t: Tokenizer, c: str, end_tag_open_state: State, text_state: State) -> State | None:
    """Take the branches of §12.2.4.11 and .14, and the last ones of .17 and .25."""
    if c == "/":
        return end_tag_open_state
    t.reconsume()
    t.emit_characters("<")
    return text_state


def rcdata_end_tag_open_state(t: Tokenizer) -> State | None:
    """§12.2.4.12 RCDATA end tag open state."""
    return _end_tag_open(t, rcdata_end_tag_name_state, rcdata_state)


def _end_tag_open(t: Tokenizer, end_tag_name_state: State, text_state: State) -> State | None:
    """Take the branches of §12.2.4.12, .15, .18 and .26."""
    c = t.consume()
    if c in LETTERS:
        t.create_end_tag()
        t.collect(c)
        return end_tag_name_state
    t.reconsume()
    t.emit_characters("</")
    return text_state


def rcdata_end_tag_name_state(t: Tokenizer) -> State | None:
    """§12.2.4.13 RCDATA end tag name state."""
    return _end_tag_name(t, rcdata_state)


def _end_tag_name(t: Tokenizer, text_state: State) -> State | None:
    """Take the branches of §12.2.4.13, .16, .19 and .27; the name keeps its case until it is one (H-032)."""
    c = t.collect_until(_NOT_LETTER)
    if c is None:
        return None
    name = t.take_collected()
    if c in _NAME_END and ascii_lower(name) == t.last_start_tag:  # "an appropriate end tag token"
        t.collect(name)
        t.end_tag_name()
        if c == "/":
            return self_closing_start_tag_state
        return t.emit_tag() if c == ">" else before_attribute_name_state
    t.reconsume()
    t.emit_characters("</" + name)
    return text_state


def rawtext_less_than_sign_state(t: Tokenizer) -> State | None:
    """§12.2.4.14 RAWTEXT less-than sign state."""
    return _less_than_sign(t, t.consume(), rawtext_end_tag_open_state, rawtext_state)


def rawtext_end_tag_open_state(t: Tokenizer) -> State | None:
    """§12.2.4.15 RAWTEXT end tag open state."""
    return _end_tag_open(t, rawtext_end_tag_name_state, rawtext_state)


def rawtext_end_tag_name_state(t: Tokenizer) -> State | None:
    """§12.2.4.16 RAWTEXT end tag name state."""
    return _end_tag_name(t, rawtext_state)


def script_data_less_than_sign_state(t: Tokenizer) -> State | None:
    """§12.2.4.17 Script data less-than sign state."""
    c = t.consume()
    if c == "!":
        t.emit_characters("<!")
        return script_data_escape_start_state
    return _less_than_sign(t, c, script_data_end_tag_open_state, script_data_state)


def script_data_end_tag_open_state(t: Tokenizer) -> State | None:
    """§12.2.4.18 Script data end tag open state."""
    return _end_tag_open(t, script_data_end_tag_name_state, script_data_state)


def script_data_end_tag_name_state(t: Tokenizer) -> State | None:
    """§12.2.4.19 Script data end tag name state."""
    return _end_tag_name(t, script_data_state)


def script_data_escape_start_state(t: Tokenizer) -> State | None:
    """§12.2.4.20 Script data escape start state."""
    return _escape_start(t, script_data_escape_start_dash_state)


def script_data_escape_start_dash_state(t: Tokenizer) -> State | None:
    """§12.2.4.21 Script data escape start dash state."""
    return _escape_start(t, script_data_escaped_dash_dash_state)


def _escape_start(t: Tokenizer, dash_state: State) -> State | None:
    """Take the branches of §12.2.4.20 and .21."""
    c = t.consume()
    if c == "-":
        t.emit_characters(c)
        return dash_state
    t.reconsume()
    return script_data_state


def script_data_escaped_state(t: Tokenizer) -> State | None:
    """§12.2.4.22 Script data escaped state."""
    return _escaped(t, script_data_escaped_state, script_data_escaped_dash_state)


def script_data_escaped_dash_state(t: Tokenizer) -> State | None:
    """§12.2.4.23 Script data escaped dash state."""
    return _escaped(t, script_data_escaped_state, script_data_escaped_dash_dash_state)


def script_data_escaped_dash_dash_state(t: Tokenizer) -> State | None:
    """§12.2.4.24 Script data escaped dash dash state."""
    return _escaped(t, script_data_escaped_state, script_data_escaped_dash_dash_state, closing=True)


def _escaped(t: Tokenizer, state: State, dash_state: State, *, closing: bool = False) -> State | None:
    """Take the branches of §12.2.4.22 to .24 and .29 to .31; `state` is that of text, escaped or double escaped.

    "-" leads to `dash_state`, and ">" ends the escaped text if `closing`.
    """
    c = t.consume()
    if c == "-":
        t.emit_characters(c)
        return dash_state
    if c == "<":
        if state is script_data_escaped_state:
            t.begin_token()
            return script_data_escaped_less_than_sign_state
        t.emit_characters(c)
        return script_data_double_escaped_less_than_sign_state
    if c == ">" and closing:
        t.emit_characters(c)
        return script_data_state
    if c == "\0":
        t.emit_replacement()
        return state
    if c == EOF:
        t.error_at_end("eof-in-script-html-comment-like-text")
        return t.reconsume_eof()
    t.emit_characters(c + t.run_until(_ESCAPED_STOP))
    return state


def script_data_escaped_less_than_sign_state(t: Tokenizer) -> State | None:
    """§12.2.4.25 Script data escaped less-than sign state."""
    c = t.consume()
    if c in LETTERS:
        t.clear_collected()
        t.collect(c)
        t.emit_characters("<" + c)
        return script_data_double_escape_start_state
    return _less_than_sign(t, c, script_data_escaped_end_tag_open_state, script_data_escaped_state)


def script_data_escaped_end_tag_open_state(t: Tokenizer) -> State | None:
    """§12.2.4.26 Script data escaped end tag open state."""
    return _end_tag_open(t, script_data_escaped_end_tag_name_state, script_data_escaped_state)


def script_data_escaped_end_tag_name_state(t: Tokenizer) -> State | None:
    """§12.2.4.27 Script data escaped end tag name state."""
    return _end_tag_name(t, script_data_escaped_state)


def script_data_double_escape_start_state(t: Tokenizer) -> State | None:
    """§12.2.4.28 Script data double escape start state."""
    return _double_escape_boundary(t, script_data_double_escaped_state, script_data_escaped_state)


def _double_escape_boundary(t: Tokenizer, script_state: State, other_state: State) -> State | None:
    """Take the branches of §12.2.4.28 and .33: "script" in the temporary buffer leads to the first state."""
    letters = t.run_until(_NOT_LETTER)
    if letters:
        t.collect(letters)
        t.emit_characters(letters)
    c = t.stopper()
    if c is None:
        return None
    if c in _NAME_END:
        t.emit_characters(c)
        return script_state if ascii_lower(t.take_collected()) == "script" else other_state
    t.reconsume()
    return other_state


def script_data_double_escaped_state(t: Tokenizer) -> State | None:
    """§12.2.4.29 Script data double escaped state."""
    return _escaped(t, script_data_double_escaped_state, script_data_double_escaped_dash_state)


def script_data_double_escaped_dash_state(t: Tokenizer) -> State | None:
    """§12.2.4.30 Script data double escaped dash state."""
    return _escaped(t, script_data_double_escaped_state, script_data_double_escaped_dash_dash_state)


def script_data_double_escaped_dash_dash_state(t: Tokenizer) -> State | None:
    """§12.2.4.31 Script data double escaped dash dash state."""
    return _escaped(t, script_data_double_escaped_state, script_data_double_escaped_dash_dash_state, closing=True)


def script_data_double_escaped_less_than_sign_state(t: Tokenizer) -> State | None:
    """§12.2.4.32 Script data double escaped less-than sign state."""
    c = t.consume()
    if c == "/":
        t.clear_collected()
        t.emit_characters(c)
        return script_data_double_escape_end_state
    t.reconsume()
    return script_data_double_escaped_state


def script_data_double_escape_end_state(t: Tokenizer) -> State | None:
    """§12.2.4.33 Script data double escape end state."""
    return _double_escape_boundary(t, script_data_escaped_state, script_data_double_escaped_state)
