"""The readings of text: references without a semicolon, and tags that may have lost their ``<``."""

import re
from itertools import islice
from typing import Final

from xml5tree.intent.context import EMPTY, END, SPACE, START, TEXT, WHITE, Context, Edge, Edges, Reader
from xml5tree.intent.costs import COSTS
from xml5tree.intent.tags import ATTRIBUTES, NAME

_REST: Final = rb"(?P<end>/?)(?P<name>%b)(?P<attributes>%b)[\t\n\r ]*+(?P<empty>/?)>" % (NAME, ATTRIBUTES)
#: What may be a tag without its ``<``: after white space or a ``>``, or with a solidus before the name.
_LOST: Final = re.compile(rb"(?:(?<=[\t\n\r >])|(?=/))" + _REST)
_LOST_FIRST: Final = re.compile(_REST)  # the same where the document begins
_MOST_LOST: Final = 3  # in one text, at once
_GAP: Final = re.compile(rb"[\t\n\r ]{0,256}+")
_TAG: Final = re.compile(rb"</?%b" % NAME)


def read_text(context: Context, at: int) -> Edges:
    """Return the readings of text up to the next ``<``."""
    text = context.source
    to = text.find(b"<", at + 1, context.limit)
    to = context.limit if to < 0 else to
    reference = next(context.unended(at, to), None)
    if reference is not None:
        if reference.at == at:
            return [context.edge(TEXT, b"", at, reference.to, 0, "reference", reference.instead)]
        to = reference.at
    edges = [_text(context, at, to)]
    is_after_bracket = at > 0 and text[at - 1] == 0x3C  # that is text
    if is_after_bracket or text.find(b">", at, to) < 0:
        return edges
    found_all = _LOST.finditer(text, at, to) if at else filter(None, [_LOST_FIRST.match(text, at, to)])
    tags = (found for found in found_all if _may_be_tag(context, found))
    for found in islice(tags, _MOST_LOST):
        edges.append(_text(context, at, found.start()) if found.start() > at else _without_bracket(context, found))
    return edges


def _text(context: Context, at: int, to: int) -> Edge:
    cost = COSTS["end_in_text"] if context.source.find(b"]]>", at, to) >= 0 else 0
    return context.edge(TEXT if context.source[at:to].strip(WHITE) else SPACE, b"", at, to, cost)


def _may_be_tag(context: Context, found: re.Match[bytes]) -> bool:
    is_known = found["name"] in context.starts or found["name"] in context.ends
    return is_known and not (found["end"] and found["attributes"])


def _without_bracket(context: Context, found: re.Match[bytes]) -> Edge:
    kind = END if found["end"] else EMPTY if found["empty"] else START
    has_attributes = bool(found["attributes"])
    cost = COSTS["no_lt"] - (4000 if has_attributes else 5000 if found["end"] else 3000)
    if found["name"] not in (context.ends if found["end"] else context.starts):
        cost = cost - COSTS["no_lt_all"] if found.start() else COSTS["no_lt_first"]
    edge = context.edge(kind, found["name"], *found.span(), cost, "bracket_lost", b"<" + found[0])
    edge.has_attributes = has_attributes
    edge.column = -1
    return edge


def read_raw(name: bytes) -> Reader:
    """Return the reader of the content of a raw element."""
    end_tag = re.compile(rb"</%b[\t\n\r ]*+>" % re.escape(name))

    def read(context: Context, at: int) -> Edges:
        text, limit = context.source, context.limit
        tag = _TAG if context.elements is None else context.elements.tag

        def is_followed(found: re.Match[bytes]) -> bool:
            gap = _GAP.match(text, found.end(), limit)
            assert gap is not None  # it matches the empty string
            after = gap.end()
            return after == limit or bool(tag.match(text, after, limit) and not end_tag.match(text, after, limit))

        to = next((found.start() for found in end_tag.finditer(text, at, limit) if is_followed(found)), limit)
        if to == limit and not context.is_end:
            context.inside[context.base + to] = read
        if to == at:
            return [context.edge(END, name, at, text.index(b">", at) + 1)]
        return [context.edge(TEXT, b"", at, to)]

    return read
