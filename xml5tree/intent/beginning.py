"""What may stand before the document: messages of servers, a declaration with a fault."""

import re
from itertools import islice
from typing import Final

from xml5tree.intent.context import EMPTY, SPACE, START, Context, Edge, Edges
from xml5tree.intent.costs import COSTS
from xml5tree.intent.names import VOID, is_xmlns
from xml5tree.intent.sections import PART_OF_SUBSET
from xml5tree.intent.tags import NAME, TAG, read_tag

#: Names of elements that servers and scripts write before a document.
_HTML: Final = frozenset(
    b"a b big body br center code div em font form h1 h2 h3 h4 h5 h6 head hr html i iframe img input ins label li link "
    b"meta noscript ol option p pre script select small span strong style sub sup table tbody td th title tr tt u "
    b"ul".split()
)
_SKIPPED: Final = rb"<!--(?s:.*?)-->|<!\[CDATA\[(?s:.*?)\]\]>"
_INSTRUCTION: Final = rb"<\?(?!<)(?s:.*?)\?>"
_TAG: Final = re.compile(rb"%b|%b|<(?P<end>/?)(?P<name>%b)[^<>]*+>?" % (_SKIPPED, _INSTRUCTION, NAME))
_DOCUMENT: Final = re.compile(rb"%b|(?P<begin><\?xml[\t\n\r ]+version|<!DOCTYPE)" % _SKIPPED)
#: Words in the messages of servers and scripts.
_MESSAGE: Final = re.compile(
    rb"(?i)\b(?:(?:error|warning|notice|deprecated|exception|fatal|failure|strict standards|traceback)\b[^:]{0,40}:"
    rb"|on line [0-9]|error [0-9]{3}\b)"
)
#: What is in addresses and code after a `<`, and not in a name with slips.
_NO_NAME: Final = re.compile(rb"[@(){},;*+|]|:\Z")
_MARKUP: Final = re.compile(rb"<[^<>]*+>")
#: An attribute whose value looks like the name of a namespace, or a word and such an attribute.
_NAMESPACE: Final = re.compile(
    rb"""(?<=[\t\n\r "'])(?P<name>(?:[Xx][A-Za-z]*+:?[\t\n\r ]++:?)?[A-Za-z_][^\t\n\r =<>"'/]*+)"""
    rb"""[\t\n\r ]*+=[\t\n\r ]*+(?P<value>(["'])(?:https?://|urn:)[^"'<>]*+\3)"""
)
_PREFIX: Final = re.compile(rb"""[<\t\n\r ]/?([A-Za-z_\x80-\xff][^\t\n\r /<>="':]*+):[A-Za-z_\x80-\xff]""")
_DECLARED: Final = re.compile(rb"""xmlns(?::([^\t\n\r /<>="']++))?[\t\n\r ]*+=""")
_MOST_DECLARATIONS: Final = 32  # that are looked at
_DECLARATION: Final = re.compile(rb"<xml[\t\n\r ]++version[\t\n\r ]*+=[^<>]{0,200}?(\??)>")
#: A DOCTYPE without its ``!``; a tag is not in it, even if its ``>``, or ``]`` and that, are missing.
_DOCTYPE: Final = re.compile(
    rb"<(DOCTYPE[\t\n\r ][^<>\[]*+(?:\[%b*+(\]?+)[\t\n\r ]*+)?)(?:>|(?=<%b))" % (PART_OF_SUBSET, NAME), re.DOTALL
)
#: Tags with markup in them, and what that is: whole tags and instructions, or their beginnings alone.
_TORN: Final = tuple(
    (re.compile(rb"""<(%b)(?>[^<>"']++|"[^"]*+"|'[^']*+'|%b)*+>""" % (NAME, inner)), re.compile(inner))
    for inner in (
        rb"""<(?:!\[CDATA\[|!--|[?/]?+(?>[^<>"']++|"[^"<>]*+"|'[^'<>]*+')*+>)""",
        rb"<(?:!\[CDATA\[|!--|[?/])?+",
    )
)
#: The head of a message in which the document is: lines of fields up to an empty one.
_HEAD: Final = re.compile(
    rb"(?:--[^\n]++\n)?(?:HTTP/[^\n]++\n)?(?:[A-Za-z][A-Za-z-]*+:[^\n]++\n(?:[\t ][^\n]*[^\s][^\n]*\n)*)+\r?\n\s*(?=<)"
)


def first_tag(source: bytes, limit: int, at: int = 0) -> int:
    """Return where the first start tag or empty tag is, from an index on; -1 if it is not seen."""
    for tag in _TAG.finditer(source, at, limit):
        if tag["name"] and not tag["end"]:
            return tag.start()
    return -1


def misspelt_declarations(source: bytes, at: int, limit: int) -> dict[int, tuple[int, int, bytes]]:
    """Return the attributes of the first tag that declare a namespace but for a slip in `xmlns`.

    By the indices where they begin: those where their names end and their values begin, and the name that is meant. A
    prefix is one that the document has and does not declare.
    """
    first = _TAG.match(source, at, limit)
    end = first.end() if first else at
    found: dict[int, tuple[int, int, bytes]] = {}
    used: set[bytes] | None = None
    for attribute in islice(_NAMESPACE.finditer(source, at, end), _MOST_DECLARATIONS):
        name = attribute["name"]
        if _DECLARED.fullmatch(name + b"=") or name[:2].lower() not in (b"xm", b"xl", b"ml", b"xn"):
            continue
        if used is None:
            declared = {declaration[1] or b"" for declaration in _DECLARED.finditer(source, at, end)}
            used = {b"", *_PREFIX.findall(source, at, limit)} - declared - {b"xml"}
        for prefix in sorted(used, key=len):  # the longest that fits is meant
            written = name.removesuffix(prefix)
            word = written.rstrip(b":;.- \t\n\r") if prefix else written
            if (written != name or not prefix) and is_xmlns(word.replace(b":", b"").decode(errors="replace")):
                meant = b"xmlns:" + prefix if prefix else b"xmlns"
                found[attribute.start("name")] = attribute.end("name"), attribute.start("value"), meant
    return found


def read_beginning(context: Context, at: int) -> Edges:
    """Return further readings of the first tag."""
    if context.root_names is not None:
        return []
    declaration = _DECLARATION.match(context.source, at, context.limit)
    if declaration and (declaration[1] or b"xml" not in context.ends):
        return [context.edge(SPACE, b"", *declaration.span(), 0, "declaration", b"")]  # it has been obeyed
    if doctype := _DOCTYPE.match(context.source, at, context.limit):
        instead = b"<!%b%b>" % (doctype[1], b"]" if doctype[2] == b"" else b"")
        return [context.edge(SPACE, b"", *doctype.span(), 0, "misspelt_section", instead)]
    return [] if context.roots else [*_torn(context, at), *_junk(context, at)]


def read_head(context: Context) -> Edges:
    """Return the edge of the head of a message before the document, if something in it looks like a tag."""
    head = _HEAD.match(context.source, 0, context.limit)
    return [context.edge(SPACE, b"", 0, head.end(), 0, "junk", b"")] if head and b"<" in head[0] else []


def before_root(context: Context, at: int) -> Edge | None:
    """Return the edge of what precedes the root's start tag, if the caller has named it: the draft drops junk there."""
    names = context.root_names
    assert names is not None
    tags = (tag for tag in _TAG.finditer(context.source, at, context.limit) if tag["name"] and not tag["end"])
    root = next((tag for tag in tags if tag["name"] in names), None)
    if root is not None:
        to = root.start()
    elif context.is_end:
        to = context.limit
    else:
        to = context.cut(_going_on)
    return context.edge(SPACE, b"", at, to) if to > at else None


def _going_on(context: Context, at: int) -> Edges:
    edge = before_root(context, at)
    return [edge] if edge is not None else read_tag(context, at)


def _torn(context: Context, at: int) -> Edges:
    """Return the edge of the first tag without the markup that tears it."""
    for pattern, inner in _TORN:
        torn = pattern.match(context.source, at, context.limit)
        whole, count = inner.subn(b"", torn[0][1:]) if torn else (b"", 0)
        tag = TAG.fullmatch(b"<" + whole) if count else None
        if torn and tag and (torn[1] == tag["name"] or tag["name"] in context.ends):
            kind, has_attributes = EMPTY if tag["solidus"] else START, bool(tag["attributes"])
            to, cost = torn.end(), COSTS["no_gt"]
            return [context.edge(kind, tag["name"], at, to, cost, "torn", tag[0], has_attributes=has_attributes)]
    return []


def _junk(context: Context, at: int) -> Edges:
    """Return the edge of what precedes the document, from the first tag on."""
    source, limit = context.source, context.limit
    matches = _TAG.finditer(source, at, limit)
    first = next(tag for tag in matches if tag["name"])
    may_be_root = _is_foreign(context, first["name"])
    begin = None
    may_begin = source.find(b"<?xml", at + 1, limit) >= 0 or source.find(b"<!DOCTYPE", at + 1, limit) >= 0
    if may_begin and (not may_be_root or context.is_end):
        begin = next((found for found in _DOCUMENT.finditer(source, at + 1, limit) if found["begin"]), None)
    if may_be_root and begin is None:  # as nearly always
        return []
    tags = [first, *(tag for tag in matches if tag["name"])]
    named = [tag for tag in tags if _is_foreign(context, tag["name"])]
    if begin is not None:
        place = begin.start()
        foreign = sum(tag.start() < place for tag in named)
        has_ended = not foreign and _has_ended(place, tags) and _goes_on(place, tags) is not None
        if has_ended or (begin["begin"].startswith(b"<?") and _is_document(context, place, tags)):
            return [context.edge(SPACE, b"", at, place, 500 + 1500 * foreign, "junk", b"")]
    if not named or may_be_root or named[0]["end"]:
        return []
    place = named[0].start()
    before = source[:place]
    if _MESSAGE.search(_MARKUP.sub(b" ", before)) or not any(
        tag["name"].lower() in _HTML for tag in tags if tag.start() < place
    ):
        cost = 500
    elif len(named) > 1 and _is_document(context, place, tags, may_be_cut=True):
        cost = 2000
    else:
        return []
    return [context.edge(SPACE, b"", at, place, cost, "junk", b"")]


def _is_foreign(context: Context, name: bytes) -> bool:
    """Return whether a name is neither one of HTML nor an address."""
    return name.lower() not in _HTML and (_NO_NAME.search(name) is None or name in context.ends)


def _has_ended(place: int, tags: list[re.Match[bytes]]) -> bool:
    """Return whether the element of the first tag ends before a place."""
    own = [tag for tag in tags if tag.start() < place and tag["name"] == tags[0]["name"]]
    if own[0]["name"].lower() in VOID:
        return own[-1][0].endswith(b">")
    return sum(1 if tag["end"] else -1 for tag in own if not tag[0].endswith(b"/>")) >= 0


def _goes_on(place: int, tags: list[re.Match[bytes]]) -> bool | None:
    """Return whether an element that begins at a place is open after the last tag, None if it ends before that."""
    rest = [tag for tag in tags if tag.start() >= place]
    level = 0
    for tag in rest:
        if tag["name"] == rest[0]["name"] and not tag[0].endswith(b"/>"):
            level += -1 if tag["end"] else 1
        if level <= 0 and tag is not rest[-1]:
            return None
    return level > 0 if rest and not rest[0]["end"] else None


def _is_document(context: Context, place: int, tags: list[re.Match[bytes]], *, may_be_cut: bool = False) -> bool:
    """Return whether an element begins at a place that goes on to the end of what is seen, and is longer."""
    if context.limit - place <= place:
        return False
    is_open = _goes_on(place, tags)
    if is_open or not context.is_end:
        return bool(is_open) and (may_be_cut or not context.is_end)
    return is_open is False and not context.source[tags[-1].end() : context.limit].strip()
