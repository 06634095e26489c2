"""The attributes of a tag, as its author may have meant them: what the draft reads, after some changes."""

import re
from typing import Final

from xml5tree.intent.context import ODD_SPACE, Change, Context
from xml5tree.intent.costs import COSTS

_BETWEEN: Final = re.compile(rb"(?>[\t\n\r ,;]++|%b)*+" % ODD_SPACE)
_NAME: Final = re.compile(rb"[^\t\n\r /<>=]++")
_PROPER: Final = re.compile(rb"""[A-Za-z_\x80-\xff][^\t\n\r /<>=&,;(){}|+*!?#$%@\[\]\\^~"']*+""")
#: An ``=``, with what goes: more of them, or the rest of one that mail has encoded.
_EQUALS: Final = re.compile(rb"""[\t\n\r ]*+=(3D(?=["'])|(?:[\t\n\r ]*+=){0,8})[\t\n\r ]*+""")
#: What stands between a name and its value in place of an ``=``.
_NO_EQUALS: Final = re.compile(rb"""[\t\n\r ]*+:?[\t\n\r ]*+(?=("[^"<>]*+"|'[^'<>]*+')[\t\n\r />])""")
_QUOTE: Final = re.compile(rb"""["']|\xe2\x80[\x98-\x9f]""")
_BOOLEAN: Final = frozenset(
    b"async autofocus checked controls default defer disabled hidden loop multiple muted nohref noshade novalidate "
    b"nowrap readonly required reversed selected".split()
)
#: A value of three quotes: it is a quote.
_THREE_QUOTES: Final = re.compile(rb"""(["'])\1\1(?=[\t\n\r />])""")
#: Quotes that are escaped as in programs or in text, and typographic ones with a partner, or a plain one as that.
_ODD_QUOTES: Final = re.compile(
    rb"""\\"([^\\<>]{0,500})\\"|\\'([^\\<>]{0,500})\\'|&quot;([^&<>]{0,500})&quot;|"""
    + b"|".join(
        rb"""%b(?:((?>(?!%b)[^<>"])*+)"(?=[\t\n\r ]*+(?:/?>|[^\t\n\r "'<>=/]++=))|([^<>]*?)(?:%b))"""
        % (pair[0].encode(), *2 * ("|".join(pair[1:]).encode(),))
        for pair in ("“”", "„“”", "‘’", "‚‘’", "””", "’’", "«»", "»«", "`´`'", "´´")
    )
)
_AFTER_VALUE: Final = {b"\t", b"\n", b"\r", b" ", b"/", b">", b""}
#: What may follow the quote that ends a value.
_GOES_ON: Final = re.compile(rb"""[\t\n\r />?,;]|[^\t\n\r "'<>=/]++=["']|\Z""")
#: What shows that the quote before it is inside a value: text and the quote that ends it.
_QUOTE_FOLLOWS: Final = {
    quote: re.compile(
        rb"[\t\n\r ][^=<>%b]{1,200}+%b(?=[\t\n\r ]*+(?:/?>|[^\t\n\r =<>\"'/]++[\t\n\r ]*+=))" % (quote, quote)
    )
    for quote in (b'"', b"'")
}
_ATTRIBUTE: Final = re.compile(rb"""[^\t\n\r "'<>=/]++=(?:"[^"<>]*+"|'[^'<>]*+')[\t\n\r />]""")
_NAME_AT_END: Final = re.compile(rb"""[\t\n\r "'][^\t\n\r "'<>=]++[\t\n\r ]*+=[\t\n\r ]*+\Z""")
#: Where a value without its closing quote ends.
_END_OF_VALUE: Final = re.compile(
    rb"""(?<![\t\n\r ])[\t\n\r ]++[^\t\n\r "'<>=/]++[\t\n\r ]*+=[\t\n\r ]*+["']|(?<![\t\n\r ])[\t\n\r ]*+/?>|<"""
)
#: Where it may begin to end; to look for this first is many times as fast in a long value. It begins with a set.
_MARK: Final = re.compile(rb"[\t\n\r </>](?<!/(?!>))")
#: A value with a quote at its end only.
_NO_OPENING: Final = re.compile(
    b"|".join(
        rb"(?>[^<>%b\t\n\r ]++|[\t\n\r ]++(?![A-Za-z_][^\t\n\r =<>\"'/]*+[\t\n\r ]*+=))++%b(?=[\t\n\r />?]|\Z)"
        % (excluded, quote)
        for excluded, quote in ((b"'\"", b'"'), (b"'\"", b"'"), (b'"', b'"'))
    )
)
_UNQUOTED: Final = re.compile(rb"(?>[^\t\n\r <>/]++|/(?!>))*+")
_ESCAPES: Final = {b'"': b"&quot;", b"'": b"&apos;"}
_MOST: Final = 25_000  # no reading is dearer


class Attributes:
    """A reading of the rest of a tag, from an index on; `trusts`: a value ends at the next quote."""

    def __init__(self, context: Context, at: int, *, trusts: bool) -> None:
        self._context = context
        self._text = context.source
        self._limit = context.limit
        self._at = at
        self._trusts = trusts
        self._is_whole = False  # whether a quote ends the attribute that was read last
        self._dearest = 0
        self.to = at  # the index after the tag
        self.close = b""  # b">", or b"/" for an empty tag; b"" if a `<`, or the end of the document, comes first
        self.cost = 0
        self.operation = ""  # that of the dearest change, or of one that drops something
        self.changes: list[Change] = []
        self.words = self.values = 0  # attributes without a value, and with one
        self.is_cut = False  # whether the document ends in an attribute; `to` is then the end of the last whole one
        self.is_empty = False  # whether a "/" comes last
        self.has_doubt = False  # whether another reading is possible
        self.quote = b""  # that of the value in which what can be seen ends

    @property
    def has_solidus_in_value(self) -> bool:
        """Return whether the "/" of the end may belong to a value without quotes."""
        solidus = Change(self.to - 2, self.to - 2, b" ")
        return self.close == b"/" and self.changes[-1:] == [solidus]

    @property
    def is_long(self) -> bool:
        """Return whether the tag is longer than can be seen."""
        is_open = self.quote != b"" or (not self.close and self._at >= self._limit)
        return is_open and not self._context.is_end

    def _pay(self, cost: int, operation: str, *changes: Change) -> None:
        self.cost += cost
        if cost >= self._dearest and changes:
            self._dearest, self.operation = _MOST if operation == "torn" else cost, operation
        self.changes += changes

    def _escape(self, begin: int, end: int, quote: bytes = b'"') -> list[Change]:
        """Return what escapes the quotes between two indices."""
        return [Change(at, at + 1, _ESCAPES[quote]) for at in range(begin, end) if self._text[at] == quote[0]]

    def read(self) -> bool:
        """Read; return whether it is not too dear."""
        context, limit = self._context, self._limit
        while self.cost <= _MOST:
            self._pass_space()
            self.to = whole = self._at
            c = context.peek(whole)
            if c == b">" or (c == b"/" and context.peek(whole + 1) == b">"):
                self.to += 1 if c == b">" else 2
                self.close = b"/" if self.is_empty else c
                return True
            if c in {b"", b"<"}:
                return True
            if c in {b"=", b"/", b":"}:  # the draft ignores the others by itself
                self._pay(1000, "solidus", *([Change(whole, whole + 1, b"")] if c == b"=" else []))
                self.is_empty = self.is_empty or c == b"/"
                self._at += 1
                continue
            before = self.words, self.values, self.is_empty
            self._attribute(whole)
            if self.quote:
                self.to = limit
                return True
            if self._at >= limit and not self._is_whole:
                self.words, self.values, self.is_empty = before
                self.is_cut = True
                return True
        return False

    def _pass_space(self) -> None:
        found = _BETWEEN.match(self._text, self._at, self._limit)
        assert found is not None  # it matches the empty string
        if found[0].strip(b"\t\n\r "):
            self._pay(0, "separator" if found[0].isascii() else "odd_space", Change(*found.span(), b" "))
        self._at = found.end()

    def _attribute(self, at: int) -> None:
        self._is_whole = False
        if at in self._context.declarations:
            end, value, meant = self._context.declarations[at]
            self._pay(500, "misspelt_xmlns", Change(at, end, meant))
            self._value(value)
            return
        text, limit = self._text, self._limit
        found = _NAME.match(text, at, limit)
        assert found is not None  # the callers know that it begins no space, "/", "<", ">" or "="
        name, end = found[0], found.end()
        quote = _QUOTE.search(name)
        if equals := _EQUALS.match(text, end, limit):
            if quote and _PROPER.fullmatch(bare := name.strip(b"\"'")):
                self._pay(1000, "quotes", Change(at, end, bare))
            if equals[1]:
                self._pay(500, "equals", Change(*equals.span(1), b""))
            self._value(equals.end())
        elif quote and quote.start():  # name"value"
            begin = at + quote.start()
            colon = begin - 1 if text[begin - 1] == 0x3A and begin - 1 > at else begin
            self._pay(1000, "equals", Change(colon, begin, b"="))
            self._value(begin)
        elif quote:
            self._at = end
            self._pay(COSTS["no_quote"], "quotes" if end - at == 1 else "torn", Change(at, end, b""))
        elif gap := _NO_EQUALS.match(text, end, limit):
            colon = end - 1 if name.endswith(b":") and len(name) > 1 else end
            self._pay(1000, "equals", Change(colon, gap.end(), b"="))
            self._value(gap.end())
        else:
            self._at = end
            self.is_empty = False
            self.words += 1
            if name.lower() not in _BOOLEAN:
                self.cost += COSTS["word"] if _PROPER.fullmatch(name) else 2 * COSTS["word"]

    def _value(self, at: int) -> None:
        text, limit = self._text, self._limit
        self.values += 1
        self.is_empty = False
        if at >= limit:
            self._at = at
        elif three := _THREE_QUOTES.match(text, at, limit):
            self._pay(1000, "quotes", Change(at + 1, at + 2, _ESCAPES[three[1]]))
            self._at, self._is_whole = at + 3, True
        elif text[at] in b"\"'":
            self._quoted(at, text[at : at + 1])
        elif found := _ODD_QUOTES.match(text, at, limit):
            assert found.lastindex is not None  # one of the groups has matched
            begin, end = found.span(found.lastindex)
            quotes = Change(at, begin, b'"'), *self._escape(begin, end), Change(end, found.end(), b'"')
            self._pay(1000 if text[at] in b"\\&" else 500, "quotes", *quotes)
            self._at, self._is_whole = found.end(), True
        else:
            self._unquoted(at)

    def _quoted(self, at: int, quote: bytes) -> None:
        context = self._context
        is_twice = context.peek(at + 1) == quote and context.peek(at + 2) not in _AFTER_VALUE
        is_twice = is_twice and not _ATTRIBUTE.match(self._text, at + 2, self._limit)
        begin = at + 1 + is_twice
        close = self._text.find(quote, begin, self._limit)
        if close < 0:
            self.has_doubt = not context.is_end
            if self.has_doubt and self._trusts:
                self.quote = quote
            else:
                self._ended_early(begin, quote, is_twice=is_twice, has_close=False)
            return
        is_twice_after = context.peek(close + 1) == quote
        doubt = 0 if is_twice and is_twice_after else self._doubt(begin, close)
        has_more = is_twice_after and not is_twice and context.peek(close + 2) in _AFTER_VALUE - {b""}
        if has_more:
            doubt += 1000 - COSTS["odd_value"]
        self.has_doubt = self.has_doubt or doubt > 0
        if doubt > 0 and not self._trusts:
            self._ended_early(begin, quote, is_twice=is_twice, has_close=True)
            return
        changes = []
        if is_twice:
            doubt += 1000
            changes.append(Change(at, at + 1, b""))
        self._at, self._is_whole = close + 1, True
        if has_more or (is_twice and is_twice_after):
            changes.append(Change(close, close + 1, b""))
            self._at += 1
        self._pay(0, "reference", *context.unended(begin, close))
        self._pay(doubt, "quotes", *changes)
        self.changes.sort()

    def _doubt(self, begin: int, close: int) -> int:
        """Return what it costs that a value ends at a quote."""
        text, limit, odd, doubt = self._text, self._limit, COSTS["odd_value"], 0
        if text.find(b"<", begin, close) >= 0:
            doubt += odd
        if text.find(b">", begin, close) >= 0:
            doubt += odd // 2
        follows = _QUOTE_FOLLOWS[text[close : close + 1]]
        if not _GOES_ON.match(text, close + 1, limit) or follows.match(text, close + 1, limit):
            doubt += odd
        if _NAME_AT_END.search(text, max(begin - 1, close - 200), close):
            doubt += 2 * odd
        return doubt

    def _ended_early(self, begin: int, quote: bytes, *, is_twice: bool, has_close: bool) -> None:
        """Read a value that ends before the next attribute, the end of the tag, or a ``<``."""
        text = self._text
        marks = _MARK.finditer(text, begin, self._limit)
        ends = (_END_OF_VALUE.match(text, mark.start(), self._limit) for mark in marks)
        found = next(filter(None, ends), None)
        if found is None:
            self._at = self._limit
            if not self._context.is_end:
                self.cost = _MOST + 1
            return
        self._at = found.start()
        end = begin + len(text[begin : self._at].rstrip(b"\t\n\r "))
        has_quote = text[end - 1] in b"\"'" and end > begin
        end -= has_quote
        changes = self._escape(begin, end, quote)
        if is_twice:  # it may be inside, too
            self._pay(1000, "quotes", Change(begin - 1, begin, _ESCAPES[quote] if len(changes) % 2 else b""))
        if has_quote and text[end : end + 1] == quote:
            is_inner = has_close
        else:
            is_inner = False
            changes.append(Change(end, end + has_quote, quote))
        self._pay(
            COSTS["inner_quote" if is_inner else "no_quote"], "quotes" if is_inner else "value_without_end", *changes
        )

    def _unquoted(self, at: int) -> None:
        text, limit = self._text, self._limit
        if found := _NO_OPENING.match(text, at, limit):
            cost = COSTS["odd_value"] if re.search(rb"[\t\n\r ]", found[0]) else 700
            self._pay(cost, "quotes", Change(at, at, found[0][-1:]))
            self._at, self._is_whole = found.end(), True
            return
        found = _UNQUOTED.match(text, at, limit)
        assert found is not None  # it matches the empty string
        self._at = end = found.end()
        self.cost += 200
        self._pay(0, "reference", *self._context.unended(at, end))
        if end == at and self._context.peek(end) != b">":
            self._pay(0, "empty_after_value", Change(at, at, b'""'))
        if self._context.peek(end, 2) == b"/>":
            # Without white space, the draft reads the "/" as a part of the value.
            self._pay(0, "empty_after_value", Change(end, end, b" "))


def read_attributes(context: Context, at: int, *, trusts: bool = True) -> Attributes | None:
    """Read the rest of a tag, from an index after its name on; None: it would be too dear."""
    reading = Attributes(context, at, trusts=trusts)
    return reading if reading.read() else None
