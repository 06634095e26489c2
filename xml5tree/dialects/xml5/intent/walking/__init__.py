"""Walks through runs without doubted errors, from token to token as long as it is known what each of them leads to.

A walk is at a place in an element, and passes a token if there is a transition for it there. At the first token that
has none it stops, and somebody else has to find out what the token leads to, and tell. There are two kinds of walk, in
Python and in C (accelerator/walk.h), which come to the same; `xml5tree.dialects.xml5.intent.walking.contract` says what
both do.
"""
