"""The DOCTYPE states, §12.2.4.52 to .67, in order, for both revisions (H-090 to H-093).

A state about an identifier is a row of a table, as those for text are. In the revision of 2008, no state gets U+0000,
U+000B is white space, and errors of white space are not known.
"""

import re
from collections.abc import Mapping
from functools import partial
from typing import Final

from xml5tree.dialects.html.machine import State, Tokenizer, ascii_lower
from xml5tree.machine.input import EOF

_NAME_STOPS: Final = re.compile("[\t\n\f >\0]"), re.compile("[\t\n\v\f >]")  # that of 2008 is the second
_QUOTED_STOPS: Final = {
    ('"', False): re.compile('[">\0]'),
    ("'", False): re.compile("['>\0]"),
    ('"', True): re.compile('"'),
    ("'", True): re.compile("'"),
}
_GREATER_THAN: Final = re.compile("[>]")
#: By the kind of an identifier: the codes for one that is missing, that has no quotes, and that ends early.
_CODES: Final = {
    "public": (
        "missing-doctype-public-identifier",
        "missing-quote-before-doctype-public-identifier",
        "abrupt-doctype-public-identifier",
    ),
    "system": (
        "missing-doctype-system-identifier",
        "missing-quote-before-doctype-system-identifier",
        "abrupt-doctype-system-identifier",
    ),
}


def _emit_doctype(t: Tokenizer) -> State:
    """Take the branch for ">": "Switch to the data state. Emit the current DOCTYPE token."."""
    t.emit_doctype()
    return t.data_state


def _emit_doctype_with_quirks(t: Tokenizer, code: str) -> State:
    """Take the branch for an early ">": "Parse error. Set … force-quirks flag to on. … Emit that DOCTYPE token."."""
    t.error(code)
    t.force_quirks = True
    return _emit_doctype(t)


def _emit_doctype_at_eof(t: Tokenizer) -> State:
    """Take the branch for EOF: "Parse error. … force-quirks flag to on. Emit that DOCTYPE token. Reconsume …"."""
    t.error_at_end("eof-in-doctype")
    t.force_quirks = True
    t.emit_doctype()
    return t.reconsume_eof()


def doctype_state(t: Tokenizer) -> State | None:
    """§12.2.4.52 DOCTYPE state; the token is created here, with nothing in it."""
    t.create_doctype()
    c = t.consume()
    if c in t.space:
        return before_doctype_name_state
    if c == EOF and not t.is_draft:  # 2008, it is an error here, and another one in the next state
        return _emit_doctype_at_eof(t)
    t.error("missing-whitespace-before-doctype-name")
    t.reconsume()
    return before_doctype_name_state


def before_doctype_name_state(t: Tokenizer) -> State | None:
    """§12.2.4.53 Before DOCTYPE name state."""
    c = t.consume()
    if c in t.space:
        return before_doctype_name_state
    if c == ">":
        return _emit_doctype_with_quirks(t, "missing-doctype-name")
    if c == EOF:
        return _emit_doctype_at_eof(t)
    t.reconsume()  # U+0000 and letters are the same in the next state
    return doctype_name_state


def doctype_name_state(t: Tokenizer) -> State | None:
    """§12.2.4.54 DOCTYPE name state; 2008, the case is kept (H-090)."""
    c = t.collect_text(_NAME_STOPS[t.is_draft])
    if c is None:
        return None
    name = t.take_collected()
    t.doctype_name = name if t.is_draft else ascii_lower(name)
    if c in t.space:
        return after_doctype_name_state
    return _emit_doctype(t) if c == ">" else _emit_doctype_at_eof(t)


def after_doctype_name_state(t: Tokenizer) -> State | None:
    """§12.2.4.55 After DOCTYPE name state."""
    c = t.consume()
    if c in t.space:
        return after_doctype_name_state
    if c == ">":
        return _emit_doctype(t)
    if c == EOF:
        return _emit_doctype_at_eof(t)
    t.reconsume()  # "PUBLIC" and "SYSTEM" begin with the current character (H-091)
    word = t.peek(6)
    keyword = word.upper() if word.isascii() else ""
    if keyword in {"PUBLIC", "SYSTEM"}:
        t.skip(6)
        kind = keyword.lower()
        title = f"Before DOCTYPE {kind} identifier" if t.is_draft else f"After DOCTYPE {kind} keyword"
        return _IDENTIFIER_STATES[title]
    if t.may_grow and keyword and any(known.startswith(keyword) for known in ("PUBLIC", "SYSTEM")):
        t.wait()
        return None
    t.skip(1)
    t.error("invalid-character-sequence-after-doctype-name")
    t.force_quirks = True
    return bogus_doctype_state


def _before_identifier(kind: str, state_after_space: str, code: str, t: Tokenizer) -> State:
    """Take the branches of §12.2.4.56, .57 and .60 to .63; `code` is the error of a quote here, "" for none."""
    missing, without_quotes, _ = _CODES[kind]
    c = t.consume()
    if c in t.space:
        return _IDENTIFIER_STATES[state_after_space]
    if c in {'"', "'"}:
        if code and not t.is_draft:
            t.error(code)
        quoted = "double-quoted" if c == '"' else "single-quoted"
        return _IDENTIFIER_STATES[f"DOCTYPE {kind} identifier ({quoted})"]
    if c == ">":
        may_end = state_after_space == _BETWEEN
        return _emit_doctype(t) if may_end else _emit_doctype_with_quirks(t, missing)
    if c == EOF:
        return _emit_doctype_at_eof(t)
    t.error(without_quotes)
    t.force_quirks = True
    return bogus_doctype_state


def _quoted_identifier(quote: str, kind: str, t: Tokenizer) -> State | None:
    """Take the branches of §12.2.4.58, .59, .64 and .65; 2008, ">" belongs to the identifier (H-092)."""
    c = t.collect_text(_QUOTED_STOPS[quote, t.is_draft])
    if c is None:
        return None
    if kind == "public":
        t.public_id = t.take_collected()
    else:
        t.system_id = t.take_collected()
    if c == quote:
        return _IDENTIFIER_STATES[f"After DOCTYPE {kind} identifier"]
    return _emit_doctype_at_eof(t) if c == EOF else _emit_doctype_with_quirks(t, _CODES[kind][2])


def after_doctype_system_identifier_state(t: Tokenizer) -> State | None:
    """§12.2.4.66 After DOCTYPE system identifier state."""
    c = t.consume()
    if c in t.space:
        return after_doctype_system_identifier_state
    if c == ">":
        return _emit_doctype(t)
    if c == EOF:
        return _emit_doctype_at_eof(t)
    t.error("unexpected-character-after-doctype-system-identifier")
    return bogus_doctype_state


def bogus_doctype_state(t: Tokenizer) -> State | None:
    """§12.2.4.67 Bogus DOCTYPE state; U+0000 is no error (H-012), and leaving it is one of 2008 (H-093)."""
    t.run_until(_GREATER_THAN)
    c = t.stopper()
    if c is None:
        return None
    if t.is_draft and c == EOF:
        return _emit_doctype_at_eof(t)
    t.force_quirks = t.force_quirks or t.is_draft
    t.emit_doctype()
    return t.data_state if c == ">" else t.reconsume_eof()


_PUBLIC: Final = "Before DOCTYPE public identifier"
_BETWEEN: Final = "Between DOCTYPE public and system identifiers"
_SYSTEM: Final = "Before DOCTYPE system identifier"
#: By section number and title, in which "state" is left out.
_ROWS: Final[Mapping[str, State]] = {
    "12.2.4.56 After DOCTYPE public keyword": partial(
        _before_identifier, "public", _PUBLIC, "missing-whitespace-after-doctype-public-keyword"
    ),
    f"12.2.4.57 {_PUBLIC}": partial(_before_identifier, "public", _PUBLIC, ""),
    "12.2.4.58 DOCTYPE public identifier (double-quoted)": partial(_quoted_identifier, '"', "public"),
    "12.2.4.59 DOCTYPE public identifier (single-quoted)": partial(_quoted_identifier, "'", "public"),
    "12.2.4.60 After DOCTYPE public identifier": partial(
        _before_identifier, "system", _BETWEEN, "missing-whitespace-between-doctype-public-and-system-identifiers"
    ),
    f"12.2.4.61 {_BETWEEN}": partial(_before_identifier, "system", _BETWEEN, ""),
    "12.2.4.62 After DOCTYPE system keyword": partial(
        _before_identifier, "system", _SYSTEM, "missing-whitespace-after-doctype-system-keyword"
    ),
    f"12.2.4.63 {_SYSTEM}": partial(_before_identifier, "system", _SYSTEM, ""),
    "12.2.4.64 DOCTYPE system identifier (double-quoted)": partial(_quoted_identifier, '"', "system"),
    "12.2.4.65 DOCTYPE system identifier (single-quoted)": partial(_quoted_identifier, "'", "system"),
    "12.2.4.66 After DOCTYPE system identifier": after_doctype_system_identifier_state,
}
_IDENTIFIER_STATES: Final = {section.partition(" ")[2]: state for section, state in _ROWS.items()}
