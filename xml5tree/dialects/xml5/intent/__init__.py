"""``recovery="intent"``: what the author meant, where the draft's reading of a document runs into errors.

At a suspicious token the names of the tags that follow are read several times: once as the draft would read them, and
once under each other hypothesis about the token. The reading with the fewest errors wins, the draft's on a tie. Where
the draft's own reading of what follows has no error, nothing departs from it. R-nnn are the rules of
docs/internals/intent.md.

* `constants` has every number, and why it is what it is;
* `window` reads names of tags ahead, `simulation` counts the errors of a reading, `learned` is what the document has
  shown so far;
* `policy` makes hypotheses about tags and text, and chooses;
* `tags`, `values` and `sections` find out where a broken tag, value, comment or the like was meant to end;
  `junk` finds the beginning of a document;
* `tokenizer` and `tree` are the draft's, with the questions to the policy; `states` are the few states that differ.
"""

from xml5tree.dialects.xml5.intent.constants import RULES

__all__ = ["RULES", "disabled"]

#: The rules that documents are read without; tests and measurements change it.
disabled: frozenset[str] = frozenset()
