"""Reads the tokens of runs, to learn from them (R-009).

A reader passes a token that has nothing new, or learns from it; it stops before one about which the policy has to be
asked. The readers in Python and in C (accelerator/learning.h) have equal results, described in `contract`.
"""
