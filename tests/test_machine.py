"""The machine knows nothing of XML: a toy grammar on it has lists of words, quoted strings and comments.

A word ends at white space or at ``(``, ``)`` or ``"``; ``##`` begins a comment up to the end of the line, and a single
``#`` belongs to a word. The toy gets from the machine what every dialect needs: it may be fed in any pieces.
"""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.splits import splits

from xml5tree.errors.codes import Code
from xml5tree.errors.reporter import Reporter
from xml5tree.machine.input import EOF
from xml5tree.machine.machine import Machine

CODES = {
    "unmatched-parenthesis": Code("parse-error", "{0!r} closes nothing; it was dropped"),
    "eof-in-string": Code("parse-error", "the text ends inside a string"),
}
WORD_END = re.compile(r'[\s()"]')
STRING_END = re.compile('"')
LINE_END = re.compile("\n")


class Toy(Machine):
    """The verbs of the toy's states."""

    def __init__(self, reporter):
        super().__init__(reporter, between)
        self.tokens = []
        self.depth = 0

    def emit(self, kind):
        self.tokens.append((kind, self.take_collected(), self.token_offset))

    def emit_characters(self, data):
        raise AssertionError("the toy has no text")


def between(t):
    c = t.consume()
    t.begin_token()
    if c == "#":
        following = t.peek(1)
        if not following and t.may_grow:
            t.reconsume()
            t.wait()
            return None
        if following == "#":
            t.skip(1)
            return comment
    if c == EOF:
        return None
    if c == "(":
        t.depth += 1
    elif c == ")":
        if not t.depth:
            t.error("unmatched-parenthesis", c)
        t.depth -= bool(t.depth)
    elif c == '"':
        return string
    elif not c.isspace():
        t.collect(c)
        return word
    return between


def word(t):
    c = t.collect_until(WORD_END)
    if c is None:
        return None
    t.emit("word")
    t.reconsume()
    return between


def string(t):
    c = t.collect_until(STRING_END)
    if c is None:
        return None
    if c == EOF:
        t.error_at_end("eof-in-string")
        t.reconsume()
    t.emit("string")
    return between


def comment(t):
    c = t.collect_until(LINE_END)
    if c is None:
        return None
    t.reconsume()
    t.emit("comment")
    return between


def read(pieces):
    reporter = Reporter(None, None, CODES)
    toy = Toy(reporter)
    for piece in pieces:
        toy.feed(piece)
        toy.run()
    toy.feed("", final=True)
    toy.run()
    reporter.close()
    return toy.tokens, [(entry.code, entry.line, entry.column) for entry in reporter.log], reporter.log.truncated


def test_tokens_and_errors():
    tokens, errors, truncated = read(['(add one)) #2\n## a note\n"two words" x"open'])
    assert tokens == [
        ("word", "add", 1),
        ("word", "one", 5),
        ("word", "#2", 11),
        ("comment", " a note", 14),
        ("string", "two words", 24),
        ("word", "x", 36),
        ("string", "open", 37),
    ]
    assert errors == [("unmatched-parenthesis", 1, 9), ("eof-in-string", 3, 18)]
    assert truncated


@pytest.mark.parametrize("text", ['(a "b c" #d ##e\n f)', '##\n"', "#", "##", 'a"b"##c'])
def test_every_split(text):
    whole = read([text])
    for pieces in splits(text):
        assert read(pieces) == whole


@given(st.lists(st.text('ab#()"\n ', max_size=6), max_size=8))
def test_chunks(pieces):
    assert read(pieces) == read(["".join(pieces)])
