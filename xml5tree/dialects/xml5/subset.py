"""The states of the internal subset (D-093 to D-099).

They only find where each declaration ends; `xml5tree.dtd.declarations` reads its content.
"""

import re
from functools import partial
from typing import Final

from xml5tree.dialects.xml5.tokenizer import State, Tokenizer
from xml5tree.errors.codes import KEPT
from xml5tree.machine.input import EOF
from xml5tree.xml.chars import SPACE
from xml5tree.xml.names import NAME
from xml5tree.xml.patterns import compiled
from xml5tree.xml.references import NAME_END

_PE_REFERENCE: Final = f"({NAME});?"
_DECLARATION_STOP: Final = re.compile("[>\"']")
QUOTES: Final = {'"': re.compile('"'), "'": re.compile("'")}
_ANY: Final = re.compile("(?s:.)")
#: Characters that decide after a quote whether it has closed a literal.
_MARK: Final = re.compile("[<>\"']")
#: Signs that a literal goes past its declaration: the end of the subset, or another declaration.
_BEYOND: Final = re.compile(r"\][\t\n ]*>|<!")
_PI: Final = rf"(?!(?i:xml)(?:[\t\n ]|\Z))(?![^\t\n ]*:){NAME}(?:[\t\n ]|\Z)"


def internal_subset_state(t: Tokenizer) -> State | None:
    """Between declarations."""
    c = t.consume()
    if c in SPACE:
        return internal_subset_state
    if c == "%":
        return parameter_entity_reference_state
    if c == EOF:
        if t.in_parameter_entity:
            t.leave_entity()
            return internal_subset_state
        t.error_at_end("eof-in-doctype")
        return t.emit_doctype_at_eof()
    if c == "]" and not t.in_parameter_entity:
        return t.return_state
    if c == "<":
        opening = t.peek(3)
        if t.may_grow and opening in {"", "!", "!-"}:
            t.reconsume()
            t.wait()
            return None
        t.begin_item()
        if opening == "!--":
            t.skip(3)
            return partial(_section, "<!--", "-->")
        if opening.startswith("!"):
            t.collect("<")
            return declaration_state
        if opening.startswith("?"):
            t.skip(1)
            return partial(_section, "<?", "?>")
        if not t.in_parameter_entity:
            # A tag: the DOCTYPE was never closed, and the document goes on here (D-094).
            t.error("unclosed-doctype")
            t.reconsume()
            t.emit_doctype()
            return t.data_state
    t.error("unexpected-character-in-doctype", c)
    return internal_subset_state


def parameter_entity_reference_state(t: Tokenizer) -> State | None:
    """After ``%`` between declarations (D-096)."""
    match = t.match(compiled(_PE_REFERENCE))
    if match and t.reaches_end(match) and match[0][-1] != ";":
        t.wait(NAME_END)
        return None
    if match is None or match[0][-1] != ";":
        t.error("unexpected-character-in-doctype", "%")
        return internal_subset_state
    t.begin_item()
    t.skip(match.end() - match.start())
    entity = t.doctype.dtd.parameter_entities.get(match[1])
    if entity is None or entity.text is None:
        t.doctype.dtd.reading = t.doctype.dtd.reading and t.is_standalone
    elif t.doctype.dtd.entities.may_expand(entity, t.doctype.dtd.active):
        t.enter_entity(entity, parameter=True)
    return internal_subset_state


def declaration_state(t: Tokenizer) -> State | None:
    """In a declaration, outside quotes; it ends at the first ``>`` (D-093)."""
    c = t.collect_until(_DECLARATION_STOP)
    if c is None:
        return None
    if c == ">":
        t.collect(c)
        t.doctype.dtd.declare(t.take_collected())
        return internal_subset_state
    if c in QUOTES:
        t.collect(c)
        return partial(_literal, c)
    t.doctype.dtd.reject(t.take_collected())
    t.reconsume()
    return internal_subset_state


def _literal(quote: str, t: Tokenizer) -> State | None:
    """After a quote in a declaration: a literal up to the next quote, unless that belongs to something else."""
    # A quote that was never closed must not hide the end of the declaration. So ">" belongs to a literal only if the
    # text after the next quote shows that this closes it, as in a system identifier (D-089): a ">" before any "<" or
    # quote; or white space, if nothing in the literal looks as if that went past its declaration. Every well-formed
    # literal is read correctly.
    close = t.find(quote)
    if close < 0:
        if t.may_grow:
            t.wait(QUOTES[quote])
            return None
        return declaration_state
    literal = t.peek(close)
    if ">" in literal:
        mark = t.search(_MARK, close + 1)
        if mark == "" and t.may_grow:
            t.wait(_MARK)
            return None
        goes_beyond = "<" in literal and _BEYOND.search(literal)
        if mark != ">" and (goes_beyond or t.search(_ANY, close + 1) not in SPACE):
            return declaration_state
    t.collect(literal + quote)
    t.skip(close + 1)
    return declaration_state


def _section(opening: str, terminator: str, t: Tokenizer) -> State | None:
    """In a comment or a processing instruction."""
    if t.take_until(terminator):
        data = t.take_collected()
        if opening == "<?":
            is_right = compiled(_PI).match(data) is not None
        else:
            is_right = "--" not in data and not data.endswith("-")
        if not is_right:
            t.error_in_item("unexpected-character-in-doctype", opening[-2:], effect=KEPT)
        t.doctype.dtd.note(opening + data + terminator)
    elif t.may_grow:
        t.wait()
        return None
    else:
        t.take_collected()
        t.error_in_item("unexpected-character-in-doctype", opening)
    return internal_subset_state
