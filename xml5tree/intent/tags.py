"""The readings of tags.

A reading is as the draft's but for its changes. A pattern looks no farther than the next ``<``, but in quotes.
"""

import re
from typing import Final

from xml5tree.intent.attributes import Attributes, read_attributes
from xml5tree.intent.context import (
    EMPTY,
    END,
    ODD_SPACE,
    SPACE,
    START,
    TEXT,
    WHITE,
    Change,
    Context,
    Edge,
    Edges,
    Reader,
    edited,
)
from xml5tree.intent.costs import COSTS

#: What begins no name, though it is no ASCII: signs, spaces and the like.
_NO_LETTER: Final = (
    rb"\xc2|\xc3[\x97\xb7]|\xe2(?:\x80[^\x8c\x8d]|\x81[\x80-\xaf]|\x86[\x90-\xbf]|[\x82\x83\x87-\xaf])|\xef\xbb\xbf"
)
NAME: Final = rb"""(?!%b)[A-Za-z_\x80-\xff][^\t\n\r /<>="']*+""" % _NO_LETTER
ATTRIBUTES: Final = (
    rb"""(?>[\t\n\r ]++[^\t\n\r /<>="'&,;]++[\t\n\r ]*+=[\t\n\r ]*+(?:"[^"<]*+"|'[^'<]*+')(?=[\t\n\r />]))*+"""
)
_S: Final = rb"[\t\n\r ]"
_SPACE: Final = rb"(?:[\t\n\r ]|%b)" % ODD_SPACE
#: Correct tags.
TAG: Final = re.compile(rb"<(?P<name>%b)(?P<attributes>%b)%b*+(?P<solidus>/?)>" % (NAME, ATTRIBUTES, _S))
_END_TAG: Final = re.compile(rb"</(?P<name>%b)?%b*+>" % (NAME, _S))
#: What a name has only where end tags have it, too, such as ``a@example.org``.
STRANGE: Final = re.compile(rb"[^A-Za-z0-9_.:\x80-\xff-]|:\Z")
_ODD_SPACE: Final = re.compile(ODD_SPACE)
_VALUE: Final = re.compile(rb""""[^"]*+"|'[^']*+'""")
#: An end tag with white space before its name, words after that, or without its ``>``.
_LOOSE_END_TAG: Final = re.compile(
    rb"<(?P<before>%b{0,2})(?P<solidus>//|\\/|[/\\])(?P<after>%b{0,2})(?P<name>%b)(?P<rest>[^<>]*+)(?P<close>>?)"
    % (_SPACE, _SPACE, NAME)
)
_NUMBERED_TAG: Final = re.compile(rb"<(?P<end>/?)(?P<name>[0-9][0-9A-Za-z_.-]{0,60}+)%b*+(?P<solidus>/?)>" % _S)
_OPENING: Final = re.compile(rb"<(?P<space>%b{0,2})(?P<name>%b)" % (_SPACE, NAME))
#: A value right after the name of a tag.
_NAMELESS: Final = re.compile(
    rb"""%b*+=%b*+("[^"<>]*+"|'[^'<>]*+'|[^\t\n\r <>"'/](?>[^<>"'/]++|/(?!>))*+)%b*+(/?)>""" % (_S, _S, _S)
)
#: The same, if attributes follow.
_NAMELESS_FIRST: Final = re.compile(
    rb"""%b*+=%b*+("[^"<>]*+"|'[^'<>]*+'|[^\t\n\r <>"'/=]++)(?=%b++[^\t\n\r =<>"'/]++=)""" % (_S, _S, _S)
)
_ATTRIBUTES: Final = re.compile(ATTRIBUTES.replace(rb"(?=[\t\n\r />])", b""))
_REST: Final = re.compile(rb"""[^<>"']*+[<>]""")
_VALUE_FOLLOWS: Final = re.compile(rb"""[^\t\n\r =<>"'/]++=["']""")
#: A ``<`` that the draft reads as text, too.
_NO_TAG: Final = re.compile(rb"<(?:/?[\t\n\r :]|>|/?\Z)")
_KNOWN_TAG: Final = re.compile(rb"</?(%b)(?=[\t\n\r />])" % NAME)
#: A line that has a character before its end which is neither white space nor the end of a tag.
_TEXT_BEFORE: Final = re.compile(rb"[^\t\n\r >][^\n>]*+\Z")
_REST_OF_TAG: Final = re.compile(rb"""(?>[^"'>]++|"[^"]*+"|'[^']*+')*+""")
_AFTER_NAME: Final = {b"\t", b"\n", b"\r", b" ", b"/", b">", b"<", b""}
_PROLOG: Final = re.compile(rb"(?:[^<]++|<[?!/])*+")
_LINE: Final = 80
_MOST_SPLITS: Final = 2
_LONGEST_TWICE: Final = 700
_TAGS_TWICE: Final = re.compile(rb"<(/?)%b(?=[\t\n\r />])" % NAME)
_WORDS_TWICE: Final = re.compile(rb">[^<>]*[^<>\t\n\r ][^<>]*<")


def read_tag(context: Context, at: int) -> Edges:
    """Return the readings of a ``<`` that begins no section."""
    text, limit, elements = context.source, context.limit, context.elements
    tag = _END_TAG.match(text, at, limit)
    if tag and not _has_odd_space(tag[0]):
        name = tag["name"] or b""
        if elements is not None and name and name not in elements:
            if not elements.has_near(name):
                return [as_unknown(context, at)]
            text_edge = as_text(context, at, COSTS["unknown_end_text"], "unknown_name")
            return [context.edge(END, name, at, tag.end(), COSTS["unknown_end"]), text_edge]
        return [context.edge(END, name, at, tag.end()), *_repeated(context, at, tag.end(), name)]
    tag = TAG.match(text, at, limit)
    if tag and not (context.declarations or _has_odd_space(tag["name"]) or _has_odd_space(tag["attributes"])):
        return _correct_tag(context, at, tag)
    found = _LOOSE_END_TAG.match(text, at, limit)
    if found and (elements is None or found["name"] in elements):
        return _loose_end_tag(context, at, found)
    opening = _OPENING.match(text, at, limit)
    if elements is not None and not (opening and _is_known_tag(context, opening)):
        return [as_unknown(context, at)]
    if opening is None:
        return _no_name(context, at)
    return _Opening(context, at, opening).read()


def _has_odd_space(source: bytes) -> bool:
    return not source.isascii() and _ODD_SPACE.search(_VALUE.sub(b"", source)) is not None


def as_text(context: Context, at: int, cost: int, operation: str = "text") -> Edge:
    """Return the edge of a ``<`` that is text."""
    is_text = _NO_TAG.match(context.source, at, context.limit)
    return context.edge(TEXT, b"", at, at + 1, cost, operation, None if is_text else b"&lt;")


def is_first_tag(context: Context, at: int) -> bool:
    """Return whether a tag is the first one of the document, which may have no other root."""
    if context.base or context.roots:
        return False
    if context.prolog < at and (prolog := _PROLOG.match(context.source, context.prolog, at)):
        context.prolog = prolog.end()
    return context.prolog >= at


def as_unknown(context: Context, at: int) -> Edge:
    """Return the edge of a ``<`` that begins no name the caller lists: the draft reads it as text, and says so."""
    return context.edge(TEXT, b"", at, at + 1)


def _correct_tag(context: Context, at: int, tag: re.Match[bytes]) -> Edges:
    name, end = tag["name"], tag.end()
    if context.elements is not None and name not in context.elements:
        return [as_unknown(context, at)]
    edge = context.edge(EMPTY if tag["solidus"] else START, name, at, end, has_attributes=bool(tag["attributes"]))
    if STRANGE.search(name) and name not in context.ends:
        meant = name.removesuffix(b"\\")
        if meant != name and meant in context.starts:
            edge = context.edge(END, meant, at, end, 0, "end_tag_spaced", b"</%b>" % meant)
            return [edge, as_text(context, at, COSTS["lt_text"])]
        edge.cost = COSTS["strange"]
        return [as_text(context, at, 0), edge]
    references = [*context.unended(*tag.span("attributes"))]
    if references:
        edge.instead, edge.operation = edited(context.source, at, end, references), "reference"
    return [edge, *_repeated(context, at, end, name)]


def _repeated(context: Context, at: int, end: int, name: bytes) -> Edges:
    """Return the edge of a stretch that stands there twice, with tags that are not balanced in it."""
    text, ends = context.source, context.ends.get(name, 0)
    if not name or not ends or context.opened.get(name, 0) == ends:
        return []
    to = text.find(text[at:end], end, min(end + _LONGEST_TWICE, context.limit))
    if to < 0 or at + 2 * (to - at) > context.limit:
        return []
    tags = _TAGS_TWICE.findall(text, at, to)
    depth = sum(-1 if solidus else 1 for solidus in tags) - text.count(b"/>", at, to)
    if all(tags) or not depth:
        return []
    length, after, before = to - at, 0, 0
    while after < length and text[at + after] == text[to + after]:
        after += 1
    while after + before < length and before < at and text[at - before - 1] == text[to - before - 1]:
        before += 1
    if after + before < length:
        return []
    cost = COSTS["twice"]
    if _WORDS_TWICE.search(text, at, to + 1):  # a text is not dropped lightly: rows may be equal
        if before or text.count(text[at:to], max(at - 2048, 0), min(at + 4096, context.limit)) > 2:
            return []
        cost += COSTS["twice_text"]
    return [context.edge(SPACE, name, at, to, cost, "twice", b"")]


def _loose_end_tag(context: Context, at: int, found: re.Match[bytes]) -> Edges:
    """Return the readings of an end tag with white space, words, or without its ``>``."""
    name, rest, begin, end, to = found["name"], found["rest"], *found.span("name"), found.end()
    has_words = bool(rest.strip(b"\t\n\r /"))
    spaces = found["before"] + found["after"]
    is_plain = not spaces and found["solidus"] == b"/"
    is_odd = bool(_ODD_SPACE.search(spaces) or _ODD_SPACE.search(rest))
    spaced = 0 if is_plain or (spaces and is_odd) else COSTS["space"]
    as_draft = is_plain and (not rest or rest[0] in b"\t\n\r /")
    edges: Edges = []

    def add(name: bytes, to: int, cost: int, operation: str = "end_tag_without_end", *, as_draft: bool = False) -> None:
        instead = None if as_draft else b"</%b>" % name
        edges.append(context.edge(END, name, at, to, spaced + cost, operation, instead))

    if found["close"]:
        operation = "end_tag_with_words" if is_plain else "end_tag_spaced"
        add(name, to, COSTS["word"] if has_words and not is_odd else 0, operation, as_draft=as_draft)
    elif to == context.limit and context.is_end:
        strange = 0 if name in context.starts else COSTS["strange"]  # the name is cut off, too
        add(name, to, COSTS["cut_tag"] + strange, "", as_draft=as_draft)
        edges.append(context.edge(SPACE, b"", at, to, spaced + 2000, "unfinished", b""))
    elif not has_words:
        add(name, to, COSTS["no_gt"] - 1000)
    if has_words:
        add(name, end, COSTS["no_gt"])
    length = context.known_beginning(name)
    if length:
        add(name[:length], begin + length, COSTS["no_gt"] + COSTS["split"])
    is_seen = is_plain and (name in context.starts or (length and not has_words))
    cost = COSTS["lt_text"] + (2000 if is_seen else 0)
    is_cut = not found["close"] and to == context.limit and context.is_end
    if is_cut and (has_words or spaces) and not is_seen:
        cost = COSTS["cut_tag"]
    return [*edges, as_text(context, at, cost)]


def _no_name(context: Context, at: int) -> Edges:
    """Return the readings of a ``<`` that no name follows."""
    text, limit = context.source, context.limit
    number = _NUMBERED_TAG.match(text, at, min(at + _LINE, limit))
    if number:
        name, to = number["name"], number.end()
        if number["end"] or number["solidus"] or text.find(b"</%b>" % name, to, limit) >= 0:
            kind = END if number["end"] else EMPTY if number["solidus"] else START
            return [context.edge(kind, name, at, to), as_text(context, at, COSTS["lt_text"])]
    if context.is_end and text[at:limit] in {b"<", b"</"}:
        return [context.edge(SPACE, b"", at, limit, 0, "unfinished", b"")]
    edges, is_twice = [as_text(context, at, 0)], context.peek(at, 2) == b"<<"
    if edges[0].instead is not None and not is_twice and is_first_tag(context, at):
        to = text.find(b">", at, limit) + 1
        if to or context.is_end:
            edges.append(context.edge(START, text[at + 1 : at + 2], at, to or limit, 2 * COSTS["strange"]))
    if is_twice:
        cost = COSTS["drop_lt"]
        found = _KNOWN_TAG.match(text, at + 1, limit)
        is_tag = found and (context.is_known(found[1]) or TAG.match(text, at + 1, limit))
        is_content = context.peek(at + 2) == b"/" and text[at - 1 : at] == b">"  # all that is in an element
        if is_tag and not is_content and not _TEXT_BEFORE.search(text, max(at - _LINE, 0), at):
            cost, edges[0].cost = 500, COSTS["lt_text"]
        edges.append(context.edge(SPACE, b"", at, at + 1, cost, "bracket_twice", b""))
    return edges


def _is_known_tag(context: Context, opening: re.Match[bytes]) -> bool:
    """Return whether the draft, to which the caller's names are known, reads a tag."""
    is_value = context.peek(opening.end()) == b"="
    return opening["name"] in (context.elements or ()) and (context.has_values or not is_value)


class _Opening:
    """The readings of a start tag or empty tag with something wrong."""

    def __init__(self, context: Context, at: int, found: re.Match[bytes]) -> None:
        self.context = context
        self.at = at
        self.begin = found.start("name")
        self.name = _ODD_SPACE.split(found["name"], maxsplit=1)[0]
        self.end = self.begin + len(self.name)
        self.is_spaced = self.begin > at + 1 and found["space"].isascii()
        self.is_unknown = not context.is_known(self.name)
        self.words = self.values = 0
        self.edges: Edges = []

    def add(
        self,
        kind: int,
        name: bytes,
        to: int,
        cost: int,
        operation: str,
        changes: list[Change],
        *,
        has_attributes: bool = False,
    ) -> None:
        """Add a reading, with those changes that end by `to`."""
        changes = [change for change in changes if change.to <= to]
        operation = operation or ("spaced_tag" if self.begin > self.at + 1 else "solidus")
        if self.begin > self.at + 1:
            changes.insert(0, Change(self.at + 1, self.begin, b""))
        cost += COSTS["space"] if self.is_spaced else 0
        instead = edited(self.context.source, self.at, to, changes) if changes else None
        edge = self.context.edge(kind, name, self.at, to, cost, operation, instead, has_attributes=has_attributes)
        if not any((e.kind, e.name, e.end, e.instead) == (kind, name, edge.end, instead) for e in self.edges):
            self.edges.append(edge)

    def add_closed(self, name: bytes, end: int, cost: int, operation: str, *before: Change) -> None:
        """Add the reading of the tag with another name, which ends at an index, if its attributes are then good."""
        found = read_attributes(self.context, end)
        if found and found.close:
            kind = EMPTY if found.close == b"/" else START
            has_attributes = found.words + found.values > 0
            changes = [*before, *found.changes]
            self.add(kind, name, found.to, cost + found.cost, operation, changes, has_attributes=has_attributes)

    def add_end(self, name: bytes, to: int, cost: int, *, has_attributes: bool = False) -> None:
        """Add the start tag that ends at an index."""
        changes = [Change(to, to, b">")]
        self.add(START, name, to, COSTS["no_gt"] + cost, "tag_without_end", changes, has_attributes=has_attributes)

    def read(self) -> Edges:
        context, name, end = self.context, self.name, self.end
        limit = context.limit
        doubt = 0 if self.is_unknown else 3000
        self._whole()
        self._nameless_value()
        if end >= limit and context.is_end:
            if not (is_first_tag(context, self.at) or name in context.starts or context.is_known(name)):
                self.edges.append(context.edge(SPACE, b"", self.at, end, 0, "unfinished", b""))
        elif context.peek(end) != b">":  # the tag may end after its name
            self.add_end(name, end, (2000 if self.is_unknown else 0) + (3000 if self.values else 0))
        self._glued()
        # The root's name is not split: an end tag of its beginning within its tag would show that.
        is_split = self.is_unknown and not is_first_tag(context, self.at)
        length = context.known_beginning(name) if is_split else 0
        if self.is_unknown and context.peek(end) == b"=":
            self._split()
        if length:  # the tag may have a known beginning of what is written as its name
            self.add_end(name[:length], self.begin + length, COSTS["split"])
        cost = doubt + (0 if self.is_spaced else COSTS["lt_text"]) + (COSTS["has_values"] if self.values else 0)
        self.edges.append(as_text(context, self.at, cost))
        return self.edges

    def _whole(self) -> None:
        """Add the readings with all attributes: quotes end values, or do not where that is doubtful."""
        context, to, least = self.context, -1, 0
        for trusts in (True, False):
            found = read_attributes(context, self.end, trusts=trusts)
            if found is None or (found.is_long and not trusts):
                continue
            self.words, self.values = found.words, found.values
            if found.to == to:
                if found.cost >= least:
                    continue
                self.edges = [edge for edge in self.edges if edge.end != context.base + to]
            to, least = found.to, found.cost
            if context.peek(self.end) not in _AFTER_NAME:
                found.changes.insert(0, Change(self.end, self.end, b" "))
            cost = found.cost
            if self.is_unknown and found.words and not found.values:
                cost += COSTS["word"]
            if STRANGE.search(self.name) and self.name not in context.ends:
                cost += COSTS["strange"]
            self._with(found, cost)

    def _with(self, found: Attributes, cost: int) -> None:
        """Add the readings with these attributes."""
        context, name, source, to, changes = self.context, self.name, self.context.source, found.to, found.changes
        has_attributes = found.words + found.values > 0

        def add(kind: int, to: int, cost: int, operation: str, changes: list[Change]) -> None:
            self.add(kind, name, to, cost, operation, changes, has_attributes=has_attributes)

        if found.has_solidus_in_value:
            # The draft's reading, in which the "/" belongs to the value, is the dearer one but for a path.
            is_path = name in context.ends and source.rfind(b"/", max(to - 200, 0), to - 2) > 0
            add(EMPTY, to, cost + (1000 if is_path else 0), found.operation, changes)
            changes = [change for change in changes if change.at < to - 2]
            add(START, to, cost + (0 if is_path else 1000), "", changes)
        elif found.close:
            add(EMPTY if found.close == b"/" else START, to, cost, found.operation, changes)
        elif found.is_long:
            self._long()
        elif context.is_end and (found.is_cut or to >= context.limit):
            operation, kind = found.operation, EMPTY if found.is_empty else START
            if found.is_cut:
                whole = len(source[:to].rstrip(WHITE))
                changes = [*(change for change in changes if change.to <= whole), Change(whole, context.limit, b">")]
                operation = "unfinished"
            add(kind, context.limit, COSTS["cut_tag"], operation, changes)
        else:
            least = max((change.to for change in changes), default=0)
            to = least + len(source[least:to].rstrip(WHITE))
            space = b"" if source[to - 1] in b"\"' \n\t\r" or not has_attributes else b" "
            cost += COSTS["no_gt"]
            if not found.is_empty:
                add(START, to, cost, "tag_without_end", [*changes, Change(to, to, space + b">")])
            cost += 500 if name in context.ends else 0
            close = space + (b">" if found.is_empty else b"/>")
            add(EMPTY, to, cost, "tag_without_end", [*changes, Change(to, to, close)])

    def _long(self) -> None:
        """Add the edge of a tag that is longer than can be seen."""
        context, limit = self.context, self.context.limit
        context.limit = to = context.cut(_in_tag(b"", self.name))
        found = read_attributes(context, self.end)
        context.limit = limit
        context.inside[context.base + to] = _in_tag(found.quote if found else b"", self.name)
        swallowed = context.source.count(b"</", self.at, to)
        cost = COSTS["unclosed"] + swallowed * COSTS["swallow"] if swallowed else 0
        self.edges.append(context.edge(SPACE, b"", self.at, to, cost))

    def _nameless_value(self) -> None:
        """Add ``<name=value>``, the value of an attribute that has no name."""
        context, source = self.context, self.context.source
        found = _NAMELESS.match(source, self.end, context.limit)
        if found and context.elements is not None and context.peek(self.end) == b"=":
            kind = EMPTY if found[2] else START  # the draft reads it so where elements are known
            self.add(kind, self.name, found.end(), 0, "", [], has_attributes=True)
            return
        is_known = not self.is_unknown or context.elements is not None or self.name in context.starts
        if not is_known and not is_first_tag(context, self.at):
            return
        value = found or _NAMELESS_FIRST.match(source, self.end, context.limit)
        if value is None:
            return
        begin, end = value.span(1)
        changes = [Change(self.end, begin, b" name=")]
        if source[begin] not in b"\"'":
            inside = [Change(at, at + 1, b"&quot;") for at in range(begin, end) if source[at] == 0x22]
            changes = [Change(self.end, begin, b' name="'), *inside, Change(end, end, b'"')]
        if found:
            kind = EMPTY if found[2] else START
            self.add(kind, self.name, found.end(), COSTS["equals"], "equals", changes, has_attributes=True)
        else:
            self.add_closed(self.name, value.end(), COSTS["equals"], "equals", *changes)

    def _split(self) -> None:
        """Add the tags that have a beginning of what is written as the name, and an attribute of the rest of it."""
        context, count = self.context, len(self.edges) + _MOST_SPLITS
        for length in range(min(len(self.name), 64) - 1, 0, -1):
            name, to = self.name[:length], self.begin + length
            if (name in context.starts or context.is_known(name)) and _VALUE_FOLLOWS.match(
                context.source, to, context.limit
            ):
                self.add_closed(name, to, COSTS["split"], "split", Change(to, to, b" "))
            if len(self.edges) == count:
                return

    def _glued(self) -> None:
        """Add the tag that ends after its correct attributes, which text follows."""
        context = self.context
        found = _ATTRIBUTES.match(context.source, self.end, context.limit)
        assert found is not None  # it matches the empty string
        to, following = found.end(), context.peek(found.end())
        is_glued = following not in {b"\t", b"\n", b"\r", b" ", b"<"}
        if to == self.end or following in {b"/", b">", b""} or not (is_glued or self.words):
            return
        if _REST.match(context.source, to, context.limit):
            self.add_end(self.name, to, -1000 if is_glued else 1000, has_attributes=True)


def _in_tag(quote: bytes, name: bytes) -> Reader:
    """Return the reader of a place in a tag that is longer than can be seen, in a value with this quote, if any."""

    def read(context: Context, at: int) -> Edges:
        to, _ = _rest_of_tag(context, at, quote, context.limit)
        following = context.peek(to)
        if following != b">" and not context.is_end:
            to = context.cut(read)
            _, open_quote = _rest_of_tag(context, at, quote, to)
            context.inside[context.base + to] = _in_tag(open_quote, name)
            return [context.edge(SPACE, b"", at, to)]
        to = to + 1 if following == b">" else context.limit
        kind = EMPTY if following and context.source[to - 2] == 0x2F else START
        return [context.edge(kind, name, at, to, has_attributes=True)]

    return read


def _rest_of_tag(context: Context, at: int, quote: bytes, limit: int) -> tuple[int, bytes]:
    """Return where a tag ends, from a place in it on, and the quote of the value that the limit is in, if any."""
    if quote:
        close = context.source.find(quote, at, limit)
        if close < 0:
            return limit, quote
        at = close + 1
    rest = _REST_OF_TAG.match(context.source, at, limit)
    assert rest is not None  # it matches the empty string
    return rest.end(), context.source[rest.end() : min(rest.end() + 1, limit)].strip(b">")
