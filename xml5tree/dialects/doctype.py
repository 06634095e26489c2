"""The DOCTYPE states of XML5, §1.3.36 to .51, and HTML, §12.2.4.52 to .67 (D-079 to D-091, H-090 to H-093).

HTML has a force-quirks flag instead of an internal subset. In its revision of 2008, no state gets U+0000, U+000B is
white space, and errors of white space are not known.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from xml5tree.errors.codes import Kind
from xml5tree.machine.input import EOF

_KEYWORDS: Final = ("PUBLIC", "SYSTEM")
_BOGUS_STOP: Final = re.compile("[>[]")
_PUBLIC: Final = "Before DOCTYPE public identifier state"
_SYSTEM: Final = "Before DOCTYPE system identifier state"
_BETWEEN: Final = "Between DOCTYPE public and system identifiers state"
#: States about identifiers, by sections and title: the method that takes their branches, and its arguments. After the
#: system keyword, they are about the system identifier (D-085 to D-087).
ROWS: Final[Mapping[str, tuple[str, ...]]] = {
    "§1.3.40, §12.2.4.56 After DOCTYPE public keyword state": (
        *("_before_identifier", "public", _PUBLIC, "missing-whitespace-after-doctype-public-keyword"),
    ),
    "§1.3.41, §12.2.4.62 After DOCTYPE system keyword state": (
        *("_before_identifier", "system", _SYSTEM, "missing-whitespace-after-doctype-system-keyword"),
    ),
    f"§1.3.42, §12.2.4.63 {_SYSTEM}": ("_before_identifier", "system", _SYSTEM, ""),
    f"§1.3.43, §12.2.4.57 {_PUBLIC}": ("_before_identifier", "public", _PUBLIC, ""),
    "§1.3.44, §12.2.4.59 DOCTYPE public identifier (single-quoted) state": ("_quoted_identifier", "public", "'"),
    "§1.3.45, §12.2.4.58 DOCTYPE public identifier (double-quoted) state": ("_quoted_identifier", "public", '"'),
    "§1.3.46, §12.2.4.60 After DOCTYPE public identifier state": (
        *("_before_identifier", "system", _BETWEEN),
        "missing-whitespace-between-doctype-public-and-system-identifiers",
    ),
    f"§1.3.47, §12.2.4.61 {_BETWEEN}": ("_before_identifier", "system", _BETWEEN, ""),
    "§1.3.48, §12.2.4.65 DOCTYPE system identifier (single-quoted) state": ("_quoted_identifier", "system", "'"),
    "§1.3.49, §12.2.4.64 DOCTYPE system identifier (double-quoted) state": ("_quoted_identifier", "system", '"'),
}


class DoctypeStates:
    """The states of one grammar: each takes the tokenizer, consumes input, and returns the next state or None."""

    def __init__(
        self,
        name_stop: str,
        quoted_stops: Callable[[str], str],
        space: str = "\t\n\f ",
        *,
        is_draft: bool = False,
        enter_subset: Callable[[Any], Any] | None = None,
    ) -> None:
        """Set what stops the name, a quoted identifier, given its quote, and white space (D-079).

        `is_draft`: it is HTML's revision of 2008. `enter_subset` takes the "[" branch, which only XML5 has.
        """
        self._name_stop = re.compile(name_stop)
        self._quoted_stops = {quote: re.compile(quoted_stops(quote)) for quote in "\"'"}
        self._space = frozenset(space)
        self._is_draft = is_draft
        self._is_xml = enter_subset is not None
        self._enter_subset = enter_subset
        #: States about identifiers, by title.
        self._states: Mapping[str, Callable[[Any], Any]] = {
            section[section.index(" ", len("§1.3.40, ")) + 1 :]: partial(getattr(self, method), *arguments)
            for section, (method, *arguments) in ROWS.items()
        }

    def _error(self, t: Any, code: str, kind: Kind | None = None) -> None:
        """Report an error for which HTML sets the "force-quirks flag to on"."""
        t.error(code, kind=kind)
        if not self._is_xml:
            t.doctype.force_quirks = True

    def _end(self, t: Any, c: str) -> Any:
        """Take the branches for ">", "[" and EOF; return None for others."""
        if c == ">":
            t.emit_doctype()
            return t.data_state
        if c == "[" and self._enter_subset is not None:
            return self._enter_subset(t)
        if c == EOF:
            t.error_at_end("eof-in-doctype")
            if not self._is_xml:
                t.doctype.force_quirks = True
            return t.emit_doctype_at_eof()
        return None

    def doctype_state(self, t: Any) -> Any:
        """§1.3.36, §12.2.4.52 DOCTYPE state."""
        c = t.consume()
        if c in self._space:
            return self.before_doctype_name_state
        if c == EOF and not self._is_draft:  # 2008, it is an error here, and another one in the next state
            return self._end(t, c)
        t.error("missing-whitespace-before-doctype-name")
        t.reconsume()
        return self.before_doctype_name_state

    def before_doctype_name_state(self, t: Any) -> Any:
        """§1.3.37, §12.2.4.53 Before DOCTYPE name state; the case of the name is kept for the tree (D-081)."""
        c = t.consume()
        if c in self._space:
            return self.before_doctype_name_state
        if c == ">":
            self._error(t, "missing-doctype-name")
        if c in {">", EOF}:
            return self._end(t, c)
        if c == "[":
            t.collect(c)
        else:
            t.reconsume()  # it is the same in the next state
        return self.doctype_name_state

    def doctype_name_state(self, t: Any) -> Any:
        """§1.3.38, §12.2.4.54 DOCTYPE name state; ">" emits the current token (D-082)."""
        c = t.collect_text(self._name_stop)
        if c is None:
            return None
        t.doctype.name = t.take_collected()
        return self.after_doctype_name_state if c in self._space else self._end(t, c)

    def after_doctype_name_state(self, t: Any) -> Any:
        """§1.3.39, §12.2.4.55 After DOCTYPE name state."""
        c = t.consume()
        if c in self._space:
            return self.after_doctype_name_state
        if following := self._end(t, c):
            return following
        word = c + t.peek(5)  # (H-091)
        keyword = word.upper() if word.isascii() else ""
        if keyword in _KEYWORDS:
            if word != keyword and self._is_xml:
                t.error("invalid-doctype-keyword", word)
            t.skip(5)
            kind = keyword.lower()
            title = f"Before DOCTYPE {kind} identifier" if self._is_draft else f"After DOCTYPE {kind} keyword"
            return self._states[f"{title} state"]
        if t.may_grow and keyword and any(known.startswith(keyword) for known in _KEYWORDS):
            t.reconsume()
            t.wait()
            return None
        self._error(t, "invalid-character-sequence-after-doctype-name")
        return self.bogus_doctype_state

    def _before_identifier(self, kind: str, state_after_space: str, code: str, t: Any) -> Any:
        """Take the branches of §1.3.40 to .43, .46 and .47; `code` is the error of a quote here, "" for none.

        Either quote is right (D-088), and a system identifier is missed after a public one (D-090).
        """
        c = t.consume()
        if c in self._space:
            return self._states[state_after_space]
        if c in self._quoted_stops:
            if code and not self._is_draft:
                t.error(code)
            quoted = "double-quoted" if c == '"' else "single-quoted"
            return self._states[f"DOCTYPE {kind} identifier ({quoted}) state"]
        may_end = state_after_space == _BETWEEN
        if c == ">" or (c == "[" and may_end and self._is_xml):
            if self._is_xml or not may_end:
                self._error(t, f"missing-doctype-{kind}-identifier", "not-well-formed" if may_end else None)
            return self._end(t, c)
        if c == EOF:
            return self._end(t, c)
        self._error(t, f"missing-quote-before-doctype-{kind}-identifier")
        t.reconsume()
        return self.bogus_doctype_state

    def _quoted_identifier(self, kind: str, quote: str, t: Any) -> Any:
        """Take the branches of §1.3.44 and .45, §12.2.4.58, .59, .64 and .65; 2008, it has no ">" branch (H-092)."""
        c = t.collect_text(self._quoted_stops[quote])
        if c is None:
            return None
        setattr(t.doctype, f"{kind}_id", t.take_collected())
        if c == quote and kind == "public":
            return self._states["After DOCTYPE public identifier state"]
        if c == quote:
            return self.after_doctype_system_identifiers_state
        if c == ">":
            self._error(t, f"abrupt-doctype-{kind}-identifier")
        return self._end(t, c)

    def after_doctype_system_identifiers_state(self, t: Any) -> Any:
        """§1.3.50, §12.2.4.66 After DOCTYPE system identifiers state."""
        c = t.consume()
        if c in self._space:
            return self.after_doctype_system_identifiers_state
        if following := self._end(t, c):
            return following
        t.error("unexpected-character-after-doctype-system-identifier")
        return self.bogus_doctype_state

    def bogus_doctype_state(self, t: Any) -> Any:
        """§1.3.51, §12.2.4.67 Bogus DOCTYPE state; U+0000 is no error (H-012), but leaving it in 2008 (H-093)."""
        c = t.consume()
        if self._is_draft:
            t.doctype.force_quirks = True
        elif c == EOF:
            return t.emit_doctype_at_eof()
        if following := self._end(t, c):
            return following
        t.run_until(_BOGUS_STOP)
        return self.bogus_doctype_state
