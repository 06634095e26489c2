"""The DOCTYPE states with an internal subset, of which the draft knows nothing (D-083)."""

import re
import sys
from typing import Any, Final

from xml5tree.dialects.doctype import DoctypeStates
from xml5tree.dialects.xml5.subset import QUOTES, internal_subset_state
from xml5tree.dialects.xml5.tokenizer import State, Tokenizer
from xml5tree.machine.input import EOF

_AFTER_QUOTE: Final = re.compile("[^\t\n\f ]")


class _DoctypeStates(DoctypeStates):
    def _quoted_identifier(self, kind: str, quote: str, t: Tokenizer) -> Any:
        """See `DoctypeStates`; take the branches of §1.3.48 and §1.3.49.

        A ``>`` before the closing quote belongs to the identifier only where ``>`` or ``[`` follows that quote, white
        space aside. Otherwise it ends the DOCTYPE, whose quote was never closed (D-089).
        """
        if kind == "public":
            return super()._quoted_identifier(kind, quote, t)
        close = t.find(quote)
        if close < 0 and t.may_grow:
            t.wait(QUOTES[quote])
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
            return self.after_doctype_system_identifiers_state
        if greater_than >= 0:
            t.doctype.system_id = t.peek(greater_than)
            t.skip(greater_than + 1)
            t.error("abrupt-doctype-system-identifier")
            return self._end(t, ">")
        t.doctype.system_id = t.peek(sys.maxsize)
        t.skip(len(t.doctype.system_id) + 1)
        return self._end(t, EOF)

    def after_doctype_internal_subset_state(self, t: Tokenizer) -> Any:
        """After the "]" of the internal subset, which the draft lacks (D-091)."""
        c = t.consume()
        if c in self._space:
            return self.after_doctype_internal_subset_state
        if c in {">", EOF}:
            return self._end(t, c)
        t.error("unexpected-character-after-doctype-internal-subset")
        t.reconsume()
        return self.bogus_doctype_state


def _enter_subset(t: Tokenizer) -> State:
    """Take the ``[`` branch, which the draft lacks (D-083)."""
    t.return_state = _STATES.after_doctype_internal_subset_state
    t.begin_internal_subset()
    return internal_subset_state


_STATES: Final = _DoctypeStates("[\t\n\f >[]", "[{}>]".format, enter_subset=_enter_subset)
doctype_state: Final = _STATES.doctype_state
