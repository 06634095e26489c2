"""The DOCTYPE states, §12.2.4.52 to .67, in order."""

import re
from typing import Final

from xml5tree.dialects.html.chars import NOT_SPACE, SPACE, ascii_lower
from xml5tree.dialects.html.machine import State, Tokenizer
from xml5tree.machine.input import EOF

__all__ = ["doctype_state", "emit_doctype", "emit_doctype_at_eof", "emit_doctype_with_quirks", "take_keyword"]

_NAME_STOP: Final = re.compile("[\t\n\f >\0]")
_QUOTED_STOPS: Final = {'"': re.compile('[">\0]'), "'": re.compile("['>\0]")}
_GREATER_THAN: Final = re.compile("[>]")


def emit_doctype(t: Tokenizer) -> State:
    """Take the branch for ">": "Switch to the data state. Emit the current DOCTYPE token."."""
    t.emit_doctype()
    return t.data_state


def emit_doctype_with_quirks(t: Tokenizer, code: str) -> State:
    """Take the branch for an early ">": "Parse error. Set … force-quirks flag to on. … Emit that DOCTYPE token."."""
    t.error(code)
    t.force_quirks = True
    return emit_doctype(t)


def emit_doctype_at_eof(t: Tokenizer) -> State:
    """Take the branch for EOF: "Parse error. … force-quirks flag to on. Emit that DOCTYPE token. Reconsume …"."""
    t.error_at_end("eof-in-doctype")
    t.force_quirks = True
    t.emit_doctype()
    return t.reconsume_eof()


def doctype_state(t: Tokenizer) -> State | None:
    """§12.2.4.52 DOCTYPE state; the token is created here, with nothing in it."""
    t.create_doctype()
    c = t.consume()
    if c in SPACE:
        return before_doctype_name_state
    if c == EOF:
        return emit_doctype_at_eof(t)
    t.error("missing-whitespace-before-doctype-name")
    t.reconsume()
    return before_doctype_name_state


def before_doctype_name_state(t: Tokenizer) -> State | None:
    """§12.2.4.53 Before DOCTYPE name state."""
    c = t.consume()
    if c in SPACE:
        t.run_until(NOT_SPACE)
        return before_doctype_name_state
    if c == ">":
        return emit_doctype_with_quirks(t, "missing-doctype-name")
    if c == EOF:
        return emit_doctype_at_eof(t)
    t.reconsume()  # U+0000 and letters are the same in the next state
    return doctype_name_state


def doctype_name_state(t: Tokenizer) -> State | None:
    """§12.2.4.54 DOCTYPE name state."""
    c = t.collect_until(_NAME_STOP)
    if c is None:
        return None
    if c == "\0":
        t.collect_replacement()
        return doctype_name_state
    t.doctype_name = ascii_lower(t.take_collected())
    if c in SPACE:
        return after_doctype_name_state
    return emit_doctype(t) if c == ">" else emit_doctype_at_eof(t)


def after_doctype_name_state(t: Tokenizer) -> State | None:
    """§12.2.4.55 After DOCTYPE name state."""
    c = t.consume()
    if c in SPACE:
        t.run_until(NOT_SPACE)
        return after_doctype_name_state
    if c == ">":
        return emit_doctype(t)
    if c == EOF:
        return emit_doctype_at_eof(t)
    return take_keyword(t, after_doctype_public_keyword_state, after_doctype_system_keyword_state, bogus_doctype_state)


def take_keyword(t: Tokenizer, public_state: State, system_state: State, bogus_state: State) -> State | None:
    """Take the last branches of §12.2.4.55; "PUBLIC" and "SYSTEM" begin with the current character."""
    t.reconsume()
    word = t.peek(6)
    keyword = word.upper() if word.isascii() else ""
    if keyword in {"PUBLIC", "SYSTEM"}:
        t.skip(6)
        return public_state if keyword == "PUBLIC" else system_state
    if t.may_grow and keyword and any(known.startswith(keyword) for known in ("PUBLIC", "SYSTEM")):
        t.wait()
        return None
    t.skip(1)
    t.error("invalid-character-sequence-after-doctype-name")
    t.force_quirks = True
    return bogus_state


def after_doctype_public_keyword_state(t: Tokenizer) -> State | None:
    """§12.2.4.56 After DOCTYPE public keyword state."""
    c = t.consume()
    if c in SPACE:
        return before_doctype_public_identifier_state
    if c in {'"', "'"}:
        t.error("missing-whitespace-after-doctype-public-keyword")
    return _begin_identifier(t, c, "public")


def before_doctype_public_identifier_state(t: Tokenizer) -> State | None:
    """§12.2.4.57 Before DOCTYPE public identifier state."""
    c = t.consume()
    if c in SPACE:
        t.run_until(NOT_SPACE)
        return before_doctype_public_identifier_state
    return _begin_identifier(t, c, "public")


def _begin_identifier(t: Tokenizer, c: str, kind: str) -> State | None:
    """Take the branches that §12.2.4.56 and .57 have in common, and §12.2.4.60 to .63."""
    if c in {'"', "'"}:
        return _QUOTED_STATES[kind, c]
    if c == ">":
        return emit_doctype_with_quirks(t, f"missing-doctype-{kind}-identifier")
    if c == EOF:
        return emit_doctype_at_eof(t)
    t.error(f"missing-quote-before-doctype-{kind}-identifier")
    t.force_quirks = True
    return bogus_doctype_state


def doctype_public_identifier_double_quoted_state(t: Tokenizer) -> State | None:
    """§12.2.4.58 DOCTYPE public identifier (double-quoted) state."""
    return _quoted_identifier(t, '"', "public", doctype_public_identifier_double_quoted_state)


def doctype_public_identifier_single_quoted_state(t: Tokenizer) -> State | None:
    """§12.2.4.59 DOCTYPE public identifier (single-quoted) state."""
    return _quoted_identifier(t, "'", "public", doctype_public_identifier_single_quoted_state)


def _quoted_identifier(t: Tokenizer, quote: str, kind: str, state: State) -> State | None:
    """Take the branches of §12.2.4.58, .59, .64 and .65."""
    c = t.collect_until(_QUOTED_STOPS[quote])
    if c is None:
        return None
    if c == "\0":
        t.collect_replacement()
        return state
    if kind == "public":
        t.public_id, state_after = t.take_collected(), after_doctype_public_identifier_state
    else:
        t.system_id, state_after = t.take_collected(), after_doctype_system_identifier_state
    if c == quote:
        return state_after
    if c == EOF:
        return emit_doctype_at_eof(t)
    return emit_doctype_with_quirks(t, f"abrupt-doctype-{kind}-identifier")


def after_doctype_public_identifier_state(t: Tokenizer) -> State | None:
    """§12.2.4.60 After DOCTYPE public identifier state."""
    c = t.consume()
    if c in SPACE:
        return between_doctype_public_and_system_identifiers_state
    if c in {'"', "'"}:
        t.error("missing-whitespace-between-doctype-public-and-system-identifiers")
    return emit_doctype(t) if c == ">" else _begin_identifier(t, c, "system")


def between_doctype_public_and_system_identifiers_state(t: Tokenizer) -> State | None:
    """§12.2.4.61 Between DOCTYPE public and system identifiers state."""
    c = t.consume()
    if c in SPACE:
        t.run_until(NOT_SPACE)
        return between_doctype_public_and_system_identifiers_state
    return emit_doctype(t) if c == ">" else _begin_identifier(t, c, "system")


def after_doctype_system_keyword_state(t: Tokenizer) -> State | None:
    """§12.2.4.62 After DOCTYPE system keyword state."""
    c = t.consume()
    if c in SPACE:
        return before_doctype_system_identifier_state
    if c in {'"', "'"}:
        t.error("missing-whitespace-after-doctype-system-keyword")
    return _begin_identifier(t, c, "system")


def before_doctype_system_identifier_state(t: Tokenizer) -> State | None:
    """§12.2.4.63 Before DOCTYPE system identifier state."""
    c = t.consume()
    if c in SPACE:
        t.run_until(NOT_SPACE)
        return before_doctype_system_identifier_state
    return _begin_identifier(t, c, "system")


def doctype_system_identifier_double_quoted_state(t: Tokenizer) -> State | None:
    """§12.2.4.64 DOCTYPE system identifier (double-quoted) state."""
    return _quoted_identifier(t, '"', "system", doctype_system_identifier_double_quoted_state)


def doctype_system_identifier_single_quoted_state(t: Tokenizer) -> State | None:
    """§12.2.4.65 DOCTYPE system identifier (single-quoted) state."""
    return _quoted_identifier(t, "'", "system", doctype_system_identifier_single_quoted_state)


_QUOTED_STATES: Final = {
    ("public", '"'): doctype_public_identifier_double_quoted_state,
    ("public", "'"): doctype_public_identifier_single_quoted_state,
    ("system", '"'): doctype_system_identifier_double_quoted_state,
    ("system", "'"): doctype_system_identifier_single_quoted_state,
}


def after_doctype_system_identifier_state(t: Tokenizer) -> State | None:
    """§12.2.4.66 After DOCTYPE system identifier state."""
    c = t.consume()
    if c in SPACE:
        t.run_until(NOT_SPACE)
        return after_doctype_system_identifier_state
    if c == ">":
        return emit_doctype(t)
    if c == EOF:
        return emit_doctype_at_eof(t)
    t.error("unexpected-character-after-doctype-system-identifier")
    return bogus_doctype_state


def bogus_doctype_state(t: Tokenizer) -> State | None:
    """§12.2.4.67 Bogus DOCTYPE state; U+0000 is no error (H-012)."""
    t.run_until(_GREATER_THAN)
    c = t.stopper()
    if c is None:
        return None
    t.emit_doctype()
    return t.data_state if c == ">" else t.reconsume_eof()
