"""The states for text: §12.2.4.3 to .7, .11 to .33.

The families RCDATA, RAWTEXT, script data and escaped script data differ in the states they lead to. So a state is a row
of a table: its section, and the function that takes its branches, with the titles of states that they lead to.
"""

import re
from collections.abc import Mapping
from functools import partial
from typing import Final

from xml5tree.dialects.html.machine import LETTERS, SPACE, State, Tokenizer, ascii_lower
from xml5tree.dialects.html.references import emit_reference
from xml5tree.dialects.html.states import (
    before_attribute_name_state,
    cdata_section_state,
    data_state,
    self_closing_start_tag_state,
)
from xml5tree.machine.input import EOF

_RCDATA_STOP: Final = re.compile("[&<\0]")
_RAWTEXT_STOP: Final = re.compile("[<\0]")
_PLAINTEXT_STOP: Final = re.compile("[\0]")
_ESCAPED_STOP: Final = re.compile("[-<\0]")
_NOT_LETTER: Final = re.compile("[^A-Za-z]")
_NAME_END: Final = SPACE | frozenset("/>")


def _text(stops: re.Pattern[str], less_than_sign: str, reference: str, t: Tokenizer) -> State | None:
    """Take the branches of §12.2.4.3 and .5 to .7."""
    while (c := t.emit_until(stops)) == "\0":
        t.emit_replacement()
    if c == "&":
        return _TEXT_STATES[reference]
    if c == "<":
        t.begin_token()
        return _TEXT_STATES[less_than_sign]
    if c == EOF:
        t.emit_end_of_file()
    return None


def _reference(text: str, t: Tokenizer) -> State | None:
    return emit_reference(t, _TEXT_STATES[text])


def _less_than_sign(text: str, t: Tokenizer) -> State | None:
    """Take the branches of §12.2.4.11, .14, .17 and .25; "!" and letters begin escapes in scripts only."""
    c = t.consume()
    if c == "/":
        return _TEXT_STATES[f"{text} end tag open"]
    if c == "!" and text == "Script data":
        t.emit_characters("<!")
        return _TEXT_STATES["Script data escape start"]
    if c in LETTERS and text == "Script data escaped":
        t.clear_collected()
        t.collect(c)
        t.emit_characters("<" + c)
        return _TEXT_STATES["Script data double escape start"]
    t.reconsume()
    t.emit_characters("<")
    return _TEXT_STATES[text]


def _end_tag_open(text: str, t: Tokenizer) -> State | None:
    """Take the branches of §12.2.4.12, .15, .18 and .26."""
    c = t.consume()
    if c in LETTERS:
        t.create_tag(c, is_end=True)
        return _TEXT_STATES[f"{text} end tag name"]
    t.reconsume()
    t.emit_characters("</")
    return _TEXT_STATES[text]


def _end_tag_name(text: str, t: Tokenizer) -> State | None:
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
    return _TEXT_STATES[text]


def _escape_start(dash: str, t: Tokenizer) -> State | None:
    """Take the branches of §12.2.4.20 and .21."""
    c = t.consume()
    if c == "-":
        t.emit_characters(c)
        return _TEXT_STATES[dash]
    t.reconsume()
    return _TEXT_STATES["Script data"]


def _escaped(text: str, dash: str, t: Tokenizer, *, closing: bool = False) -> State | None:
    """Take the branches of §12.2.4.22 to .24 and .29 to .31; `text` is escaped or double escaped.

    "-" leads to the state `dash` of the text, and ">" ends the escaped text if `closing`.
    """
    c = t.consume()
    if c == "-":
        t.emit_characters(c)
        return _TEXT_STATES[f"{text} {dash}"]
    if c == "<":
        if text == "Script data escaped":
            t.begin_token()
        else:
            t.emit_characters(c)
        return _TEXT_STATES[f"{text} less-than sign"]
    if c == ">" and closing:
        t.emit_characters(c)
        return _TEXT_STATES["Script data"]
    if c == "\0":
        t.emit_replacement()
    elif c == EOF:
        t.error_at_end("eof-in-script-html-comment-like-text")
        return t.reconsume_eof()
    else:
        t.emit_characters(c + t.run_until(_ESCAPED_STOP))
    return _TEXT_STATES[text]


def _double_escape_boundary(script: str, other: str, t: Tokenizer) -> State | None:
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
        return _TEXT_STATES[script if ascii_lower(t.take_collected()) == "script" else other]
    t.reconsume()
    return _TEXT_STATES[other]


def _double_escaped_less_than_sign(t: Tokenizer) -> State | None:
    c = t.consume()
    if c == "/":
        t.clear_collected()
        t.emit_characters(c)
        return _TEXT_STATES["Script data double escape end"]
    t.reconsume()
    return _TEXT_STATES["Script data double escaped"]


#: By section number and title, in which "state" is left out.
_ROWS: Final[Mapping[str, State]] = {
    "12.2.4.3 RCDATA": partial(_text, _RCDATA_STOP, "RCDATA less-than sign", "Character reference in RCDATA"),
    "12.2.4.4 Character reference in RCDATA": partial(_reference, "RCDATA"),
    "12.2.4.5 RAWTEXT": partial(_text, _RAWTEXT_STOP, "RAWTEXT less-than sign", ""),
    "12.2.4.6 Script data": partial(_text, _RAWTEXT_STOP, "Script data less-than sign", ""),
    "12.2.4.7 PLAINTEXT": partial(_text, _PLAINTEXT_STOP, "", ""),
    "12.2.4.11 RCDATA less-than sign": partial(_less_than_sign, "RCDATA"),
    "12.2.4.12 RCDATA end tag open": partial(_end_tag_open, "RCDATA"),
    "12.2.4.13 RCDATA end tag name": partial(_end_tag_name, "RCDATA"),
    "12.2.4.14 RAWTEXT less-than sign": partial(_less_than_sign, "RAWTEXT"),
    "12.2.4.15 RAWTEXT end tag open": partial(_end_tag_open, "RAWTEXT"),
    "12.2.4.16 RAWTEXT end tag name": partial(_end_tag_name, "RAWTEXT"),
    "12.2.4.17 Script data less-than sign": partial(_less_than_sign, "Script data"),
    "12.2.4.18 Script data end tag open": partial(_end_tag_open, "Script data"),
    "12.2.4.19 Script data end tag name": partial(_end_tag_name, "Script data"),
    "12.2.4.20 Script data escape start": partial(_escape_start, "Script data escape start dash"),
    "12.2.4.21 Script data escape start dash": partial(_escape_start, "Script data escaped dash dash"),
    "12.2.4.22 Script data escaped": partial(_escaped, "Script data escaped", "dash"),
    "12.2.4.23 Script data escaped dash": partial(_escaped, "Script data escaped", "dash dash"),
    "12.2.4.24 Script data escaped dash dash": partial(_escaped, "Script data escaped", "dash dash", closing=True),
    "12.2.4.25 Script data escaped less-than sign": partial(_less_than_sign, "Script data escaped"),
    "12.2.4.26 Script data escaped end tag open": partial(_end_tag_open, "Script data escaped"),
    "12.2.4.27 Script data escaped end tag name": partial(_end_tag_name, "Script data escaped"),
    "12.2.4.28 Script data double escape start": partial(
        _double_escape_boundary, "Script data double escaped", "Script data escaped"
    ),
    "12.2.4.29 Script data double escaped": partial(_escaped, "Script data double escaped", "dash"),
    "12.2.4.30 Script data double escaped dash": partial(_escaped, "Script data double escaped", "dash dash"),
    "12.2.4.31 Script data double escaped dash dash": partial(
        _escaped, "Script data double escaped", "dash dash", closing=True
    ),
    "12.2.4.32 Script data double escaped less-than sign": _double_escaped_less_than_sign,
    "12.2.4.33 Script data double escape end": partial(
        _double_escape_boundary, "Script data escaped", "Script data double escaped"
    ),
}
#: The states by title.
_TEXT_STATES: Final = {section.partition(" ")[2]: state for section, state in _ROWS.items()}

#: The initial states, by the names of their sections; states for text by their content models.
STATES: Final[Mapping[str, State]] = {
    "data": data_state,
    **{title.lower(): _TEXT_STATES[title] for title in ("RCDATA", "RAWTEXT", "Script data", "PLAINTEXT")},
    "cdata section": cdata_section_state,
}
