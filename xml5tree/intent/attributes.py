"""The attributes of a tag, as its author may have meant them: what the draft reads, after some changes."""

import re
from typing import Final, NamedTuple

from xml5tree.intent.context import ODD_SPACE, Change, Context
from xml5tree.intent.costs import COSTS

__all__ = ["Attributes", "read_attributes"]

_BETWEEN: Final = re.compile(rb"(?:[\t\n\r ,;]|%b)*+" % ODD_SPACE)
_NAME: Final = re.compile(rb"[^\t\n\r /<>=]++")
_PROPER: Final = re.compile(rb"""[A-Za-z_\x80-\xff][^\t\n\r /<>=&,;(){}|+*!?#$%@\[\]\\^~"']*+""")
_EQUALS: Final = re.compile(rb"[\t\n\r ]*+=((?:[\t\n\r ]*+=){0,8})[\t\n\r ]*+")
#: What stands between a name and its value in place of an ``=``.
_NO_EQUALS: Final = re.compile(rb"""[\t\n\r ]*+:?[\t\n\r ]*+(?=("[^"<>]*+"|'[^'<>]*+')[\t\n\r />])""")
_QUOTE: Final = re.compile(rb"""["']|\xe2\x80[\x98-\x9f]""")
_BOOLEAN: Final = frozenset(
    b"async autofocus checked controls default defer disabled hidden loop multiple muted nohref noshade novalidate "
    b"nowrap readonly required reversed selected".split()
)
#: A value of three quotes: it is a quote.
_THREE_QUOTES: Final = re.compile(rb"""(["'])\1\1(?=[\t\n\r />])""")
#: Quotes that are escaped as in programs or in text.
_ESCAPED: Final = re.compile(
    rb"""\\(?P<quote>["'])(?P<value>[^\\<>]{0,500})\\(?P=quote)|&quot;(?P<inner>[^&<>]{0,500})&quot;"""
)
_PARTNERS: Final = {
    "“": "”",
    "„": "“”",
    "‘": "’",
    "‚": "‘’",
    "”": "”",
    "’": "’",
    "«": "»",
    "»": "«",
    "`": "´`'",
    "´": "´",
}
_WIDE: Final = {
    opening.encode(): re.compile("|".join(partners).encode() + b"|[<>]") for opening, partners in _PARTNERS.items()
}
_WIDE_OPENING: Final = re.compile(b"|".join(_WIDE))
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
_NAME_AT_END: Final = re.compile(rb"""[\t\n\r "'][^\t\n\r "'<>=]++[\t\n\r ]*+=[\t\n\r ]*+\Z""")
#: Where a value without its closing quote ends.
_END_OF_VALUE: Final = re.compile(
    rb"""(?<![\t\n\r ])[\t\n\r ]++[^\t\n\r "'<>=/]++[\t\n\r ]*+=[\t\n\r ]*+["']|(?<![\t\n\r ])[\t\n\r ]*+/?>|<"""
)
#: A value with a quote at its end only.
_NO_OPENING: Final = re.compile(
    b"|".join(
        rb"(?:[^<>%b\t\n\r ]++|[\t\n\r ]++(?![A-Za-z_][^\t\n\r =<>\"'/]*+[\t\n\r ]*+=))++%b(?=[\t\n\r />?]|\Z)"
        % (excluded, quote)
        for excluded, quote in ((b"'\"", b'"'), (b"'\"", b"'"), (b'"', b'"'))
    )
)
_UNQUOTED: Final = re.compile(rb"(?:[^\t\n\r <>/]|/(?!>))*+")
_ESCAPES: Final = {b'"': b"&quot;", b"'": b"&apos;"}
_MOST: Final = 25_000  # no reading is dearer


class Attributes(NamedTuple):
    """A reading of the rest of a tag."""

    to: int  # the index after the tag
    close: bytes  # b">" or b"/" for `/>`; b"" if a `<`, or the end of the document, comes first
    cost: int
    operation: str  # that of the dearest change
    changes: list[Change]
    words: int  # attributes without a value
    values: int  # attributes with one
    has_solidus_in_value: bool = False  # whether the "/" of the end may belong to a value without quotes
    is_cut: bool = False  # whether the document ends in an attribute; `to` is then the end of the last whole one
    is_empty: bool = False  # whether a "/" comes last
    is_long: bool = False  # whether the tag is longer than can be seen
    quote: bytes = b""  # that of the value in which what can be seen ends


class _Reader:
    """Reads attributes from an index on; `trusts`: a value ends at the next quote."""

    def __init__(self, context: Context, at: int, trusts: bool) -> None:
        self.context = context
        self.text = context.source
        self.limit = context.limit
        self.at = at
        self.trusts = trusts
        self.cost = self.dearest = self.words = self.values = 0
        self.operation = ""
        self.changes: list[Change] = []
        self.is_whole = False  # whether a quote ends the attribute that was read last
        self.quote = b""
        self.is_empty = False

    def pay(self, cost: int, operation: str, *changes: Change) -> None:
        self.cost += cost
        if cost >= self.dearest and changes:
            self.dearest, self.operation = cost, operation
        self.changes += changes

    def read(self) -> Attributes | None:
        limit = self.limit
        while self.cost <= _MOST:
            self._pass_space()
            whole = self.at
            c = self.context.peek(whole)
            if c == b">":
                return self._end(whole + 1, b"/" if self.is_empty else c)
            if c == b"/":
                if self.context.peek(whole + 1) == b">":
                    return self._end(whole + 2, c)
                self.pay(1000, "solidus")
                self.is_empty = True
                self.at += 1
                continue
            if c in {b"", b"<"}:
                return self._end(whole, b"")
            if c in {b"=", b":"}:  # the draft ignores ":" by itself
                self.pay(1000, "solidus", *([Change(whole, whole + 1, b"")] if c == b"=" else []))
                self.at += 1
                continue
            before = self.words, self.values, self.is_empty
            self._attribute(whole)
            if self.quote:
                return self._end(limit, b"")
            if self.at >= limit and not self.is_whole:
                self.words, self.values, self.is_empty = before
                return self._end(whole, b"", is_cut=True)
        return None

    def _end(self, to: int, close: bytes, *, is_cut: bool = False) -> Attributes:
        is_long = not self.context.is_end and (self.quote != b"" or (not close and self.at >= self.limit))
        has_solidus = close == b"/" and bool(self.changes) and self.changes[-1] == Change(to - 2, to - 2, b" ")
        return Attributes(
            to,
            close,
            self.cost,
            self.operation,
            self.changes,
            self.words,
            self.values,
            has_solidus,
            is_cut,
            self.is_empty,
            is_long,
            self.quote,
        )

    def _pass_space(self) -> None:
        found = _BETWEEN.match(self.text, self.at, self.limit)
        assert found is not None  # it matches the empty string
        space = found[0]
        if space.strip(b"\t\n\r "):
            is_odd = not space.isascii()
            self.pay(0, "odd_space" if is_odd else "separator", Change(found.start(), found.end(), b" "))
        self.at = found.end()

    def _attribute(self, at: int) -> None:
        self.is_whole = False
        text, limit = self.text, self.limit
        found = _NAME.match(text, at, limit)
        assert found is not None  # the callers know that it begins no space, "/", "<", ">" or "="
        name, end = found[0], found.end()
        quote = _QUOTE.search(name)
        equals = _EQUALS.match(text, end, limit)
        if equals:
            if equals[1]:
                self.pay(500, "equals", Change(*equals.span(1), b""))
            self._value(equals.end())
            return
        if quote and quote.start():  # name"value"
            begin = at + quote.start()
            colon = begin - 1 if text[begin - 1] == 0x3A and begin - 1 > at else begin
            self.pay(1000, "equals", Change(colon, begin, b"="))
            self._value(begin)
            return
        gap = None if quote else _NO_EQUALS.match(text, end, limit)
        if gap:
            colon = end - 1 if name.endswith(b":") and len(name) > 1 else end
            self.pay(1000, "equals", Change(colon, gap.end(), b"="))
            self._value(gap.end())
            return
        self.at = end
        if quote:
            self.pay(COSTS["no_quote"], "quotes", Change(at, end, b""))
            return
        self.is_empty = False
        self.words += 1
        if name.lower() not in _BOOLEAN:
            proper = _PROPER.fullmatch(name) is not None
            self.pay(COSTS["word"] if proper else 2 * COSTS["word"], "word")

    def _value(self, at: int) -> None:
        text, limit = self.text, self.limit
        self.values += 1
        self.is_empty = False
        if at >= limit:
            self.at = at
            return
        three = _THREE_QUOTES.match(text, at, limit)
        if three:
            self.pay(1000, "quotes", Change(at + 1, at + 2, _ESCAPES[three[1]]))
            self.at, self.is_whole = at + 3, True
            return
        escaped = _ESCAPED.match(text, at, limit)
        if escaped:
            self._escaped(escaped)
            return
        if text[at] in b"\"'":
            self._quoted(at, text[at : at + 1])
            return
        wide = _WIDE_OPENING.match(text, at, limit)
        if not (wide and self._wide(at, wide)):
            self._unquoted(at)

    def _escaped(self, found: re.Match[bytes]) -> None:
        group = "value" if found["quote"] else "inner"
        begin, end = found.span(group)
        inner = [Change(at, at + 1, b"&quot;") for at in range(begin, end) if self.text[at] == 0x22]
        self.pay(1000, "quotes", Change(found.start(), begin, b'"'), *inner, Change(end, found.end(), b'"'))
        self.at, self.is_whole = found.end(), True

    def _quoted(self, at: int, quote: bytes) -> None:
        context = self.context
        is_twice = context.peek(at + 1) == quote and context.peek(at + 2) not in _AFTER_VALUE
        begin = at + 1 + is_twice
        close = self.context.find(quote.decode(), begin)
        if close < 0:
            if not self.context.is_end and self.trusts:
                self.quote = quote
                return
            self._ended_early(begin, quote, -1, is_twice=is_twice)
            return
        is_twice_after = context.peek(close + 1) == quote
        doubt = 0 if is_twice and is_twice_after else self._doubt(begin, close)
        has_more = is_twice_after and not is_twice and context.peek(close + 2) in _AFTER_VALUE - {b""}
        if has_more:
            doubt += 1000 - COSTS["odd_value"]
        if doubt > 0 and not self.trusts:
            self._ended_early(begin, quote, close, is_twice=is_twice)
            return
        changes = []
        if is_twice:
            doubt += 1000
            changes.append(Change(at, at + 1, b""))
        self.at, self.is_whole = close + 1, True
        if has_more or (is_twice and is_twice_after):
            changes.append(Change(close, close + 1, b""))
            self.at += 1
        self.pay(0, "reference", *self.context.unended(begin, close))
        self.pay(doubt, "quotes", *changes)
        self.changes.sort()

    def _doubt(self, begin: int, close: int) -> int:
        """Return what it costs that a value ends at a quote."""
        text = self.text
        value = text[begin:close]
        doubt = 0
        if b"<" in value:
            doubt += COSTS["odd_value"]
        if b">" in value:
            doubt += COSTS["odd_value"] // 2
        follows = _QUOTE_FOLLOWS[text[close : close + 1]]
        if not _GOES_ON.match(text, close + 1, self.limit) or follows.match(text, close + 1, self.limit):
            doubt += COSTS["odd_value"]
        if _NAME_AT_END.search(text, max(begin - 1, close - 200), close):
            doubt += 2 * COSTS["odd_value"]
        return doubt

    def _ended_early(self, begin: int, quote: bytes, close: int, *, is_twice: bool) -> None:
        """Read a value that ends before the next attribute, the end of the tag, or a ``<``."""
        text, limit = self.text, self.limit
        found = _END_OF_VALUE.search(text, begin, limit)
        if found is None:
            self.at = limit
            if not self.context.is_end:
                self.cost = _MOST + 1
            return
        end = stop = found.start()
        while end > begin and text[end - 1] in b"\t\n\r ":
            end -= 1
        if is_twice:
            self.pay(1000, "quotes", Change(begin - 1, begin, b""))
        changes = []
        has_quote = end > begin and text[end - 1] in b"\"'"
        if has_quote:
            end -= 1
            if text[end : end + 1] != quote:
                changes.append(Change(end, end + 1, quote))
        else:
            changes.append(Change(end, end, quote))
        inside = [Change(at, at + 1, _ESCAPES[quote]) for at in range(begin, end) if text[at] == quote[0]]
        is_inner = close >= 0 and has_quote and text[end : end + 1] == quote
        if is_inner:
            self.pay(COSTS["inner_quote"], "quotes", *inside, *changes)
        else:
            self.pay(COSTS["no_quote"], "value_without_end", *inside, *changes)
        self.at = stop

    def _wide(self, at: int, wide: re.Match[bytes]) -> bool:
        """Read a value in typographic quotes; return whether it is one."""
        text = self.text
        found = _WIDE[wide[0]].search(text, wide.end(), self.limit)
        if found is None or found[0] in b"<>":
            return False
        inside = [Change(i, i + 1, b"&quot;") for i in range(wide.end(), found.start()) if text[i] == 0x22]
        self.pay(500, "quotes", Change(*wide.span(), b'"'), *inside, Change(*found.span(), b'"'))
        self.at, self.is_whole = found.end(), True
        return True

    def _unquoted(self, at: int) -> None:
        text, limit = self.text, self.limit
        found = _NO_OPENING.match(text, at, limit)
        if found:
            cost = COSTS["odd_value"] if re.search(rb"[\t\n\r ]", found[0]) else 700
            self.pay(cost, "quotes", Change(at, at, found[0][-1:]))
            self.at, self.is_whole = found.end(), True
            return
        found = _UNQUOTED.match(text, at, limit)
        assert found is not None  # it matches the empty string
        self.at = end = found.end()
        self.cost += 200
        self.pay(0, "reference", *self.context.unended(at, end))
        if end == at and self.context.peek(end) != b">":
            self.pay(0, "empty_after_value", Change(at, at, b'""'))
        if self.context.peek(end, 2) == b"/>":
            # Without white space, the draft reads the "/" as a part of the value.
            self.pay(0, "empty_after_value", Change(end, end, b" "))


def read_attributes(context: Context, at: int, *, trusts: bool) -> Attributes | None:
    """Read the rest of a tag, from an index after its name on; None: it would be too dear."""
    return _Reader(context, at, trusts).read()
