"""The DOCTYPE states, §1.3.36 to §1.3.51, in order (D-079 to D-091).

``[`` leads to the internal subset, of which the draft knows nothing (D-083); see `xml5tree.dialects.xml5.subset`. The
states about identifiers are rows of a table.
"""

import re
from collections.abc import Mapping
from functools import partial
from typing import Final

from xml5tree.dialects.xml5.subset import emit_doctype_at_eof, internal_subset_state
from xml5tree.dialects.xml5.tokenizer import State, Tokenizer
from xml5tree.machine.input import EOF

_SPACE: Final = frozenset("\t\n\f ")  # U+000C is white space here, and nowhere else (D-079)
_NAME_STOP: Final = re.compile("[\t\n\f >[]")
_PUBLIC_DOUBLE_STOP: Final = re.compile('[">]')
_PUBLIC_SINGLE_STOP: Final = re.compile("['>]")
_BOGUS_STOP: Final = re.compile("[>[]")
_AFTER_QUOTE: Final = re.compile("[^\t\n\f ]")
_QUOTES: Final = {'"': re.compile('"'), "'": re.compile("'")}


def _emit(t: Tokenizer) -> State:
    """Take the ``>`` branch: "Switch to data state. Emit current DOCTYPE token."."""
    t.emit_doctype()
    return t.data_state


def _enter_subset(t: Tokenizer) -> State:
    """Take the ``[`` branch, which the draft lacks (D-083)."""
    t.return_state = after_doctype_internal_subset_state
    t.begin_internal_subset()
    return internal_subset_state


def doctype_state(t: Tokenizer) -> State | None:
    """§1.3.36 DOCTYPE state."""
    c = t.consume()
    if c in _SPACE:
        return before_doctype_name_state
    if c == EOF:
        return emit_doctype_at_eof(t)
    t.error("missing-whitespace-before-doctype-name")
    t.reconsume()
    return before_doctype_name_state


def before_doctype_name_state(t: Tokenizer) -> State | None:
    """§1.3.37 Before DOCTYPE name state; the case of the name is kept for the tree (D-081)."""
    c = t.consume()
    if c in _SPACE:
        return before_doctype_name_state
    if c == ">":
        t.error("missing-doctype-name")
        return _emit(t)
    if c == EOF:
        return emit_doctype_at_eof(t)
    t.collect(c)
    return doctype_name_state


def doctype_name_state(t: Tokenizer) -> State | None:
    """§1.3.38 DOCTYPE name state; ">" emits the current token (D-082)."""
    c = t.collect_until(_NAME_STOP)
    if c is None:
        return None
    t.doctype.name = t.take_collected()
    if c in _SPACE:
        return after_doctype_name_state
    if c == ">":
        return _emit(t)
    if c == "[":
        return _enter_subset(t)
    return emit_doctype_at_eof(t)


def after_doctype_name_state(t: Tokenizer) -> State | None:
    """§1.3.39 After DOCTYPE name state."""
    c = t.consume()
    if c in _SPACE:
        return after_doctype_name_state
    if c == ">":
        return _emit(t)
    if c == EOF:
        return emit_doctype_at_eof(t)
    if c == "[":
        return _enter_subset(t)
    word = c + t.peek(5)
    keyword = word.upper()
    if t.may_grow and len(word) < 6 and any(known.startswith(keyword) for known in ("PUBLIC", "SYSTEM")):
        t.reconsume()
        t.wait()
        return None
    if word.isascii() and keyword in {"PUBLIC", "SYSTEM"}:
        if word != keyword:
            t.error("invalid-doctype-keyword", word)
        t.skip(5)
        return _IDENTIFIER_STATES[f"After DOCTYPE {keyword.lower()} keyword state"]
    t.error("invalid-character-sequence-after-doctype-name")
    t.reconsume()
    return bogus_doctype_state


def _before_identifier(kind: str, state_after_space: str, code: str, t: Tokenizer) -> State:
    """Take the branches of §1.3.40 to .43, .46 and .47; `code` is the error of a quote here, "" for none.

    Either quote is right (D-088), and a system identifier is missed after a public one (D-090).
    """
    c = t.consume()
    if c in _SPACE:
        return _IDENTIFIER_STATES[state_after_space]
    if c in _QUOTES:
        if code:
            t.error(code)
        quoted = "double-quoted" if c == '"' else "single-quoted"
        return _IDENTIFIER_STATES[f"DOCTYPE {kind} identifier ({quoted}) state"]
    if c == EOF:
        return emit_doctype_at_eof(t)
    may_end = state_after_space == _BETWEEN
    if c == ">" or (c == "[" and may_end):
        t.error(f"missing-doctype-{kind}-identifier", kind="not-well-formed" if may_end else None)
        return _emit(t) if c == ">" else _enter_subset(t)
    t.error(f"missing-quote-before-doctype-{kind}-identifier")
    t.reconsume()
    return bogus_doctype_state


def _public_identifier(quote: str, stop: re.Pattern[str], t: Tokenizer) -> State | None:
    """Take the branches of §1.3.44 and §1.3.45."""
    c = t.collect_until(stop)
    if c is None:
        return None
    t.doctype.public_id = t.take_collected()
    if c == quote:
        return _IDENTIFIER_STATES["After DOCTYPE public identifier state"]
    if c == ">":
        t.error("abrupt-doctype-public-identifier")
        return _emit(t)
    return emit_doctype_at_eof(t)


def _system_identifier(quote: str, t: Tokenizer) -> State | None:
    """Take the branches of §1.3.48 and §1.3.49.

    A ``>`` before the closing quote belongs to the identifier only where ``>`` or ``[`` follows that quote, white space
    aside. Otherwise it ends the DOCTYPE, whose quote was never closed (D-089).
    """
    close = t.find(quote)
    if close < 0 and t.may_grow:
        t.wait(_QUOTES[quote])
        return None
    greater_than = t.find(">")
    if close >= 0 and 0 <= greater_than < close:
        after_quote = t.search(_AFTER_QUOTE, close + 1)
        if after_quote == "" and t.may_grow:
            t.wait(_AFTER_QUOTE)
            return None
        if after_quote not in {">", "["}:
            close = -1
    if close >= 0:
        t.doctype.system_id = t.peek(close)
        t.skip(close + 1)
        return after_doctype_system_identifiers_state
    if greater_than >= 0:
        t.doctype.system_id = t.peek(greater_than)
        t.skip(greater_than + 1)
        t.error("abrupt-doctype-system-identifier")
        return _emit(t)
    t.doctype.system_id = t.peek_all()
    t.skip(len(t.doctype.system_id) + 1)
    return emit_doctype_at_eof(t)


def after_doctype_system_identifiers_state(t: Tokenizer) -> State | None:
    """§1.3.50 After DOCTYPE system identifiers state."""
    c = t.consume()
    if c in _SPACE:
        return after_doctype_system_identifiers_state
    if c == ">":
        return _emit(t)
    if c == EOF:
        return emit_doctype_at_eof(t)
    if c == "[":
        return _enter_subset(t)
    t.error("unexpected-character-after-doctype-system-identifier")
    return bogus_doctype_state


def bogus_doctype_state(t: Tokenizer) -> State | None:
    """§1.3.51 Bogus DOCTYPE state."""
    c = t.consume()
    if c == ">":
        return _emit(t)
    if c == EOF:
        t.reconsume()
        t.emit_doctype()
        return t.data_state
    if c == "[":
        return _enter_subset(t)
    t.run_until(_BOGUS_STOP)
    return bogus_doctype_state


def after_doctype_internal_subset_state(t: Tokenizer) -> State | None:
    """After the "]" of the internal subset, which the draft lacks (D-091)."""
    c = t.consume()
    if c in _SPACE:
        return after_doctype_internal_subset_state
    if c == ">":
        return _emit(t)
    if c == EOF:
        return emit_doctype_at_eof(t)
    t.error("unexpected-character-after-doctype-internal-subset")
    t.reconsume()
    return bogus_doctype_state


_PUBLIC: Final = "Before DOCTYPE public identifier state"
_SYSTEM: Final = "Before DOCTYPE system identifier state"
_BETWEEN: Final = "Between DOCTYPE public and system identifiers state"
#: By section number and title. After the system keyword, the states are about the system identifier (D-085 to D-087).
_ROWS: Final[Mapping[str, State]] = {
    "1.3.40 After DOCTYPE public keyword state": partial(
        _before_identifier, "public", _PUBLIC, "missing-whitespace-after-doctype-public-keyword"
    ),
    "1.3.41 After DOCTYPE system keyword state": partial(
        _before_identifier, "system", _SYSTEM, "missing-whitespace-after-doctype-system-keyword"
    ),
    f"1.3.42 {_SYSTEM}": partial(_before_identifier, "system", _SYSTEM, ""),
    f"1.3.43 {_PUBLIC}": partial(_before_identifier, "public", _PUBLIC, ""),
    "1.3.44 DOCTYPE public identifier (single-quoted) state": partial(_public_identifier, "'", _PUBLIC_SINGLE_STOP),
    "1.3.45 DOCTYPE public identifier (double-quoted) state": partial(_public_identifier, '"', _PUBLIC_DOUBLE_STOP),
    "1.3.46 After DOCTYPE public identifier state": partial(
        _before_identifier, "system", _BETWEEN, "missing-whitespace-between-doctype-public-and-system-identifiers"
    ),
    f"1.3.47 {_BETWEEN}": partial(_before_identifier, "system", _BETWEEN, ""),
    "1.3.48 DOCTYPE system identifier (single-quoted) state": partial(_system_identifier, "'"),
    "1.3.49 DOCTYPE system identifier (double-quoted) state": partial(_system_identifier, '"'),
}
_IDENTIFIER_STATES: Final = {section.partition(" ")[2]: state for section, state in _ROWS.items()}
