"""The reader in C: `accelerator/learning.h`."""

from os import urandom
from typing import TYPE_CHECKING, Final

from xml5tree.accelerator import _scan
from xml5tree.dialects.xml5.intent.constants import INSIDE_REACH, MANY_RECORDS, MOST_INSIDE, MOST_LEARNED, WINDOW
from xml5tree.dialects.xml5.intent.runs.contract import Learnt
from xml5tree.dialects.xml5.lexis import HTML_VOID

if TYPE_CHECKING:
    from xml5tree.dialects.xml5.intent.policy import Intent

__all__ = ["CompiledReader"]

#: The rules of which the policy is not asked, and their bits in accelerator/learning.h.
_RULES: Final = {"text": 1, "recursion": 2}


class CompiledReader:
    """See `RunReader`."""

    def __init__(self, policy: "Intent") -> None:
        self._policy = policy
        self._learner: _scan.Learner | None = None  # made for the first run, which flat documents do not have
        self._tables = *policy.learned.tables, *policy.open_tables, HTML_VOID

    def read(self, data: bytes, start: int, end: int, *, is_right: bool) -> Learnt:
        policy = self._policy
        if self._learner is None:
            rules = sum([bit for rule, bit in _RULES.items() if policy.is_on(rule)])
            numbers = rules, MOST_LEARNED, MANY_RECORDS, WINDOW, MOST_INSIDE, INSIDE_REACH
            seed = int.from_bytes(urandom(4))
            self._learner = _scan.make_learner(numbers, seed)
        return Learnt(*_scan.learn_part(self._learner, policy, self._tables, data, start, end, policy.column, is_right))
