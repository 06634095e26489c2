"""`recovery="intent"`: what the author meant, where the draft's reading has errors.

At a suspicious token, the names of the following tags are read several times: as the draft reads them, and under each
other hypothesis about the token. The reading with the fewest errors wins; its assumption counts as about one error.
The draft's reading stands if the token and what follows have no error in it, except by R-020, R-025 to
R-027, R-033 and R-041. R-nnn are the rules of docs/internals/intent.md.

* `constants` and `costs` have the tuned numbers;
* `window` reads names of tags ahead, `simulation` counts the errors of a reading, `outlook` finds out whether the
  draft's has any, and `ahead` is their interface for the policy; `compiled` does the same in C;
* `learned` is what the document has shown so far, and `learning` learns it from runs, by the readers of `runs`;
  `columns` compares the columns of tags, `alike` compares elements, and `endplaces` finds end tags;
* `policy` makes hypotheses about tags and text, and chooses, with `situation`, `missing` and `choices`;
* `tags`, `values` and `sections` find the intended end of a broken tag, value or section, and return the change as one
  of `repairs`; `junk` finds the beginning of a document;
* `tokenizer`, `tree` and `states` are the draft's, with questions to the policy; `recording` is the tokenizer of
  `tokenize`, and `stages` connects them.
"""
