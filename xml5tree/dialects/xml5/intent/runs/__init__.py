"""Reading the tokens of runs that the fast path takes, to learn from them (R-009).

A reader passes a token that has nothing new, or learns from it; it stops before one about which the policy has to be
asked. There are two readers with equal results, in Python and in C (accelerator/learning.h);
`xml5tree.dialects.xml5.intent.runs.contract` describes both.
"""
