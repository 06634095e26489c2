"""Walks through runs without doubted errors, from token to token as long as the effect of each is known.

A walk is at a place in an element, and passes a token if there is a transition for it there. At the first token without
one it stops; the caller finds the token's effect, and adds a transition. There are two kinds of walk with equal
results, in Python and in C (accelerator/walk.h); `xml5tree.dialects.xml5.intent.walking.contract` describes both.
"""
