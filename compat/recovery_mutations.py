"""Faults that no rule of `recovery="intent"` was made for, most of them drawn by mutation.

Those of recovery_faults.py were in view while the rules were written. These were not, except that a first look at
"space before a name", "start tag twice" and "PHP error before the document" led to a rule each. What they have in
common is that nobody asks what the mistake is called: characters of a class are lost or put in anywhere, lines and
blocks are lost, doubled or moved.

A mutation that leaves a document well-formed is drawn again, since nobody could know what was meant.
"""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from random import Random
from typing import Final

from recovery_faults import Fault, Pair, around, attribute, encode, instead, is_broken, pieces, rename, within

__all__ = ["MUTATIONS", "MUTATION_GROUPS"]

Change = Callable[[Random, str], str | None]

_DRAWS: Final = 30
_PHP: Final = "<br />\n<b>Warning</b>:  Undefined variable $feed in <b>/srv/www/feed.php</b> on line <b>12</b><br />\n"
_HEADERS: Final = "HTTP/1.1 200 OK\nContent-Type: text/xml; charset=utf-8\nFrom: Quay <ops@quay.example>\n\n"


def _anywhere(change: Change) -> Callable[[Random, str], Pair | None]:
    """What is between the tags of the root changed, so that the document is not well-formed any more."""

    def edit(random: Random, source: str) -> Pair | None:
        begin, end = _content(source)
        for _ in range(_DRAWS):
            content = change(random, source[begin:end])
            if content is not None and is_broken(encode(broken := source[:begin] + content + source[end:])):
                return source, broken
        return None

    return edit


def _content(source: str) -> tuple[int, int]:
    """From where to where the content of the root is."""
    place = 0
    for kind, piece in pieces(source):
        place += len(piece)
        if kind == "start":
            return place, source.rindex("</")
    raise ValueError("a document without a root")


# Changes of the content -----------------------------------------------------------------------------------------------


def _lost(pattern: str) -> Change:
    """One match of a pattern taken out."""

    def change(random: Random, text: str) -> str | None:
        found = list(re.finditer(pattern, text))
        if not found:
            return None
        match = random.choice(found)
        return text[: match.start()] + text[match.end() :]

    return change


def _put_in(characters: str) -> Change:
    """One of these characters put in anywhere."""

    def change(random: Random, text: str) -> str:
        place = random.randrange(len(text) + 1)
        return text[:place] + random.choice(characters) + text[place:]

    return change


def _block(characters: int, times: int, elsewhere: bool = False) -> Change:
    """So many characters so many times instead of once: there, or anywhere else."""

    def change(random: Random, text: str) -> str | None:
        if len(text) < 2 * characters:
            return None
        place = random.randrange(len(text) - characters)
        block, rest = text[place : place + characters], text[:place] + text[place + characters :]
        target = random.randrange(len(rest) + 1) if elsewhere else place
        return rest[:target] + block * times + rest[target:]

    return change


def _lines(edit: Callable[[list[str], int], list[str]]) -> Change:
    """Two lines changed: `edit` gets all lines and the number of the first of the two."""

    def change(random: Random, text: str) -> str | None:
        lines = text.splitlines(keepends=True)
        return "".join(edit(lines, random.randrange(len(lines) - 2))) if len(lines) > 3 else None

    return change


def _pieces(edit: Callable[[Random, list[tuple[str | None, str]]], list[str] | None]) -> Change:
    """Tags and text changed: `edit` gets the kinds and sources of all pieces."""

    def change(random: Random, text: str) -> str | None:
        changed = edit(random, pieces(text))
        return None if changed is None else "".join(changed)

    return change


def _tag_moved(random: Random, found: list[tuple[str | None, str]]) -> list[str] | None:
    """An end tag after the two pieces that follow it."""
    places = [place for place, (kind, _) in enumerate(found[:-2]) if kind == "end"]
    if not places:
        return None
    place = random.choice(places)
    sources = [source for _, source in found]
    return [*sources[:place], *sources[place + 1 : place + 3], sources[place], *sources[place + 3 :]]


def _ends_in_a_row(change: Callable[[str, str], str]) -> Change:
    """Two end tags with nothing but white space between them changed: `change` gets both."""

    def edit(random: Random, found: list[tuple[str | None, str]]) -> list[str] | None:
        marks = [(place, kind) for place, (kind, source) in enumerate(found) if source.strip()]
        rows = [(one[0], other[0]) for one, other in pairwise(marks) if one[1] == other[1] == "end"]
        if not rows:
            return None
        first, last = random.choice(rows)
        sources = [source for _, source in found]
        return [*sources[:first], change(sources[first], sources[last]), *sources[last + 1 :]]

    return _pieces(edit)


def _other_name(kind: str) -> Change:
    """The name of one tag of a kind replaced by that of another element of the document."""

    def edit(random: Random, found: list[tuple[str | None, str]]) -> list[str] | None:
        names = sorted({match[1] for _, source in found for match in _START.finditer(source)})
        places = [place for place, (piece, _) in enumerate(found) if piece == kind]
        if not places or len(names) < 2:
            return None
        sources = [source for _, source in found]
        place = random.choice(places)
        sources[place] = re.sub(r"(?<=<)(/?)[^\s/>]+", rf"\1{random.choice(names)}", sources[place], count=1)
        return sources

    return _pieces(edit)


def _swapped(random: Random, text: str) -> str | None:
    """Two characters of a tag in the wrong order."""
    found = list(re.finditer(r"<[^<>]{2,}>", text))
    if not found:
        return None
    tag = random.choice(found)
    place = random.randrange(tag.start(), tag.end() - 1)
    return text[:place] + text[place + 1] + text[place] + text[place + 2 :]


def _begun_again(random: Random, source: str) -> str:
    """Half of the document, and all of it after that, as where a transfer was tried again."""
    begin, end = _content(source)
    return source[: random.randrange(begin, end)] + source


# Changes of a piece ---------------------------------------------------------------------------------------------------


def _cut_short(random: Random, tag: str) -> str | None:
    """An end tag without its `>` and without the end of its name."""
    return tag[: random.randrange(3, len(tag) - 1)] if len(tag) > 5 else None


def _without_prefix(random: Random, name: str) -> str:
    return name.rpartition(":")[2]


def _backslashes(before: str, name: str, quoted: str) -> str:
    return f'{before}{name}=\\"{quoted[1:-1]}\\"'


def _other_quote(before: str, name: str, quoted: str) -> str:
    return f"{before}{name}={quoted[:-1]}" + ("'" if quoted[0] == '"' else '"')


def _without_declaration(source: str) -> str:
    return re.sub(r"\A<\?xml .*?\?>\s*", "", source)


_START: Final = re.compile(r"<([^\s/>!?]+)")
_TEXT, _TAG, _END, _DOCUMENT = "text", "start", "end", "document"
_CHARACTERS: Final = "Characters lost or put in"
_BLOCKS: Final = "Pieces lost, doubled or moved"
_TAGS: Final = "Tags of other names and forms"
_CONTENT: Final = "Text and comments"
_AROUND: Final = "Around the document"
MUTATION_GROUPS: Final = (_CHARACTERS, _BLOCKS, _TAGS, _CONTENT, _AROUND)


def _all() -> Iterator[Fault]:
    def mutation(name: str, group: str, change: Change) -> Fault:
        return Fault(name, group, _DOCUMENT, _anywhere(change))

    yield mutation("one `<` lost", _CHARACTERS, _lost("<"))
    yield mutation("one `>` lost", _CHARACTERS, _lost(">"))
    yield mutation("one `/` lost", _CHARACTERS, _lost(r"(?<=<)/|/(?=>)"))
    yield mutation("one quote lost", _CHARACTERS, _lost(r"(?<==)[\"']|[\"'](?=[\s/>])"))
    yield mutation("one `=` lost", _CHARACTERS, _lost(r"=(?=[\"'])"))
    yield mutation("one letter of a tag lost", _CHARACTERS, _lost(r"(?<=<)\w|(?<=</)\w|\w(?=>)"))
    yield mutation("`<` put in anywhere", _CHARACTERS, _put_in("<"))
    yield mutation("`>` or `/` put in anywhere", _CHARACTERS, _put_in(">/"))
    yield mutation("quote put in anywhere", _CHARACTERS, _put_in("\"'"))
    yield mutation("space put in anywhere", _CHARACTERS, _put_in(" \n"))
    yield mutation("other sign put in anywhere", _CHARACTERS, _put_in("&=!?;-]"))
    yield mutation("two characters of a tag swapped", _CHARACTERS, _swapped)
    yield mutation("20 characters lost", _BLOCKS, _block(20, 0))
    yield mutation("100 characters lost", _BLOCKS, _block(100, 0))
    yield mutation("600 characters lost", _BLOCKS, _block(600, 0))
    yield mutation("200 characters twice", _BLOCKS, _block(200, 2))
    yield mutation("200 characters moved", _BLOCKS, _block(200, 1, elsewhere=True))
    yield mutation("two lines lost", _BLOCKS, _lines(lambda lines, at: lines[:at] + lines[at + 2 :]))
    yield mutation("two lines twice", _BLOCKS, _lines(lambda lines, at: lines[: at + 2] + lines[at:]))
    yield mutation("two lines swapped", _BLOCKS, _lines(_lines_swapped))
    yield mutation("two end tags in a row lost", _TAGS, _ends_in_a_row(lambda one, other: ""))
    yield mutation("end tags in the wrong order", _TAGS, _ends_in_a_row(lambda one, other: other + one))
    yield mutation("end tag too late", _TAGS, _pieces(_tag_moved))
    yield mutation("end tag of another name", _TAGS, _other_name("end"))
    yield mutation("start tag of another name", _TAGS, _other_name("start"))
    yield Fault("end tag cut short", _TAGS, _END, instead(_cut_short))
    yield Fault("prefix lost in an end tag", _TAGS, _END, rename(_without_prefix))
    yield Fault("start tag twice", _TAGS, _TAG, instead(lambda random, tag: None if tag[-2] == "/" else tag * 2))
    yield Fault("space before a name", _TAGS, _TAG, lambda random, tag: (tag, f"< {tag[1:]}"))
    yield Fault("mismatched quotes", _TAGS, _TAG, attribute(_other_quote))
    yield Fault("quotes of values twice", _TAGS, _TAG, attribute(lambda s, name, quoted: f'{s}{name}="{quoted}"'))
    yield Fault("quotes with backslashes", _TAGS, _TAG, attribute(_backslashes))
    generics = (" List&lt;String&gt; x", " List<String> x"), (" Map&lt;K, V&gt;", " Map<K, V>")
    yield Fault("generics in text", _CONTENT, _TEXT, within(*generics))
    addresses = (" Ann &lt;ann@example.org&gt;", " Ann <ann@example.org>"), (" &lt;http://a.de/&gt;", " <http://a.de/>")
    yield Fault("address in text", _CONTENT, _TEXT, within(*addresses))
    code = (
        (" if (a&lt;b &amp;&amp; c&gt;d)", " if (a<b && c>d)"),
        (" i&lt;n; i++", " i<n; i++"),
        (" x&lt;&lt;2", " x<<2"),
    )
    yield Fault("code in text", _CONTENT, _TEXT, within(*code))
    names = ("&lt;stdio.h&gt;", "<stdio.h>"), (" &lt;unknown&gt; ", " <unknown> "), (" &lt;3&lt;3 ", " <3<3 ")
    yield Fault("word in angle brackets", _CONTENT, _TEXT, within(*names))
    lists = ("<ul><li>ab</li><li>cd</li></ul>", "<ul><li>ab<li>cd</ul>")
    yield Fault("list of HTML", _CONTENT, _TEXT, within(lists))
    yield Fault("image of HTML", _CONTENT, _TEXT, within(('<img src="a.png" alt=""/>', '<img src="a.png" alt="">')))
    closed = ("<!-- ab -->", "<!-- ab -- >"), ("<!-- ab -->", "<!-- ab --!>")
    yield Fault("comment closed by `-- >`", _CONTENT, _TEXT, within(*closed))
    yield Fault("comment not closed between elements", _CONTENT, _END, lambda _, tag: (tag, f"{tag}<!-- old "))
    error = _PHP + '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield Fault("PHP error before the document", _AROUND, _DOCUMENT, _declared(error))
    yield Fault("PHP error before, no declaration", _AROUND, _DOCUMENT, _declared(_PHP))
    yield Fault(
        "fence of Markdown around", _AROUND, _DOCUMENT, around("Here it is:\n\n```xml\n", "```\n\nGood luck!\n")
    )
    yield Fault("headers of a message before", _AROUND, _DOCUMENT, around(_HEADERS, ""))
    yield Fault("cut off, then whole again", _AROUND, _DOCUMENT, instead(_begun_again))


def _lines_swapped(lines: list[str], at: int) -> list[str]:
    return [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]]


def _declared(before: str) -> Callable[[Random, str], Pair]:
    """Something instead of the XML declaration."""
    return lambda random, source: (source, before + _without_declaration(source))


MUTATIONS: Final = tuple(_all())
