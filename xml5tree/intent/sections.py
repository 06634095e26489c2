"""The readings of comments, CDATA sections, processing instructions and the DOCTYPE."""

import re
from itertools import islice
from typing import Final, NamedTuple

from xml5tree.intent.context import FAR, SPACE, TEXT, WHITE, Context, Edges, going_on
from xml5tree.intent.costs import COSTS
from xml5tree.intent.tags import NAME, as_text, as_unknown, is_first_tag, read_tag

#: What may begin a section, if its opening is misspelt, too.
SECTION: Final = re.compile(rb"<(?:[?\[]|[\t\n\r ]{0,2}!)")
_MOST_OPENINGS: Final = 8  # of sections in one another
_MOST_COUNTED: Final = 64  # openings and ends that are counted; no reading with so many has a chance
_MOST_ENDS: Final = 5  # ends that a CDATA section may have
_MOST_TAGS: Final = 256  # tags that tell whether a section without an end in sight is one
_MOST_SWALLOWED: Final = 32  # end tags that may be in it then
_NEAR: Final = 1024  # octets before a CDATA section in which the start tag around it is looked for


class _Section(NamedTuple):
    """A kind of section."""

    kind: int
    opening: bytes
    close: bytes
    end: re.Pattern[bytes]
    marks: re.Pattern[bytes]  # its end, or another opening
    loose_end: re.Pattern[bytes] | None  # an end that may be meant
    tail: re.Pattern[bytes]  # what is no content where it ends early
    inner: re.Pattern[bytes]  # what makes an end in it
    instead: bytes  # what that is read as


_COMMENT: Final = _Section(
    *(SPACE, b"<!--", b"-->", re.compile(rb"--!?>"), re.compile(rb"<!--|--!?>")),
    *(re.compile(rb"--[\t\n\r ]{0,4}!?[\t\n\r ]{0,4}>"), re.compile(rb"-*+[!\t\n\r ]*+>?\Z")),
    *(re.compile(rb"-(?=-)"), b"- "),
)
_CDATA: Final = _Section(
    *(TEXT, b"<![CDATA[", b"]]>", re.compile(rb"\]\]>"), re.compile(rb"<!\[CDATA\[|\]\]>")),
    *(re.compile(rb"\]\]?[\t\n\r ]{0,4}>|\]\](?=</)"), re.compile(rb"\]\](?:[\t\n\r ]*+>)?\Z|\][\t\n\r ]*+>\Z")),
    *(re.compile(rb"\]\](?=>)"), b"]]]]><![CDATA["),
)
_INSTRUCTION: Final = _Section(
    *(SPACE, b"<?", b"?>", re.compile(rb"\?>"), re.compile(rb"<\?[A-Za-z_]|\?>")),
    *(None, re.compile(rb"[?/]*+>?\Z")),
    *(re.compile(rb"\?(?=>)"), b"? "),
)

_NAME: Final = re.compile(NAME)
_TAG: Final = re.compile(rb"<(?P<end>/?)(?P<name>%b)[^<>]*+>" % NAME)
_OPENED: Final = re.compile(rb"</?(?:%b|(?=<))" % NAME)
_END_TAG: Final = re.compile(rb"</(%b)?[\t\n\r ]*+>" % NAME)
_CLOSE: Final = re.compile(rb">")
_ABRUPT: Final = re.compile(rb"<!---?>")
_LITERAL: Final = rb"""%b(?:[^%b>]*+%b|[^%b]*+%b(?=[\t\n\r ]*+[>\[]))"""
PART_OF_SUBSET: Final = (
    rb"""(?><!--.*?-->|<\?.*?\?>|<!ELEMENT[^>"']*+>"""
    rb"""|<![A-Z][^<>"']*+(?>"[^"]*+"[^<>"']*+|'[^']*+'[^<>"']*+)*+>|[^\]<]++|<(?=[!?]))"""
)
#: A DOCTYPE, up to a tag in its subset, or the limit, if it is not closed.
_DOCTYPE: Final = re.compile(
    rb"""<!DOCTYPE(?>[^>"'\[]++|%b|%b|\[%b*+\]|["'])*+(?:>|(?P<subset>\[%b*+)?+)"""
    % (_LITERAL.replace(b"%b", b'"'), _LITERAL.replace(b"%b", b"'"), PART_OF_SUBSET, PART_OF_SUBSET),
    re.IGNORECASE | re.DOTALL,
)
#: One that lacks its ``>``.
_OPEN_DOCTYPE: Final = re.compile(
    rb"""<!DOCTYPE(?>[^<>"'\[]++|"[^"<>]*+"|'[^'<>]*+'|\[%b*+\])*+(?=<%b)""" % (PART_OF_SUBSET, NAME),
    re.IGNORECASE | re.DOTALL,
)
_END_OF_SUBSET: Final = re.compile(rb"\][\t\n\r ]*+>")
_DECLARATION: Final = re.compile(rb"""<(?>\?[\t\n\r ]++)?+(?=xml[\t\n\r ]++version[\t\n\r ]*+=[^<>]{0,200}?\?>)""")
_MISSPELT: Final = (
    (_COMMENT, 500, 1000, re.compile(rb"<!(?:-(?![->])|[\t\n\r ]{1,2}--(?!>))")),
    (
        _CDATA,
        *(0, 0),
        re.compile(
            rb"<S(?:!S(?:\[ScdataS\[|cdataS\[|\[Scdata(?=[\t\n\r <]))|\[cdata\[)".replace(b"S", rb"[\t\n\r ]{0,2}"),
            re.IGNORECASE,
        ),
    ),
)
_WILDCARD: Final = re.compile(rb"<\?(?:[>,]|[\t\n\r ]+(?:extends|super)[\t\n\r ])")


def read_section(context: Context, at: int) -> Edges:
    """Return the readings of ``<!`` and ``<?``."""
    text, limit = context.source, context.limit
    for section in (_COMMENT, _CDATA, _INSTRUCTION):
        if text.startswith(section.opening, at, limit):
            is_one = section is not _INSTRUCTION or _NAME.match(text, at + 2, limit)
            return _Reader(context, at, section).read() if is_one else _question_mark(context, at)
    if text[at : at + 9].upper() == b"<!DOCTYPE":
        if context.elements is not None and (context.roots or context.has_known_tag(0, at) or context.base):
            return [as_unknown(context, at)]
        return _doctype(context, at)
    return _misspelt(context, at)


class _Reader:
    """The readings of a section that begins at an index."""

    def __init__(self, context: Context, at: int, section: _Section) -> None:
        self.context = context
        self.at = at
        self.section = section
        self.begin = at + len(section.opening)
        self.edges: Edges = []
        self._around: bytes | None = None  # the name of the element around, once it is known
        self._each = 1000 if section is _CDATA else COSTS["swallow"]  # for an end tag in it

    def add(self, content: bytes, to: int, cost: int, operation: str = "", *, is_changed: bool = True) -> None:
        section = self.section
        kind = section.kind if content.strip(WHITE) else SPACE
        instead = section.opening + content + section.close if is_changed else None
        cost = min(cost, COSTS["most_swallowed"])
        self.edges.append(self.context.edge(kind, b"", self.at, to, cost, operation, instead))

    def read(self) -> Edges:
        context, section, begin = self.context, self.section, self.begin
        end = self._end()
        last, to = end or (context.limit, context.limit)
        openings = context.count(section.opening, begin, last)
        if openings and section is _INSTRUCTION:  # `<? ` begins none
            openings = self._count_openings(last + 2)
        _, loose = (section.loose_end and context.find(section.loose_end, begin)) or (0, -1)
        is_loose = section is _COMMENT and 0 <= loose < to
        swallowed = context.count(b"</", begin, last)
        if end is None:
            self._unclosed(swallowed, openings)
        else:
            doubt = COSTS["nested_open"] + swallowed * 1000 + 4000 * openings
            self.add(context.source[begin:last], to, doubt if openings or is_loose else 0, is_changed=False)
            if openings:
                self._nested(to)
            if section is _CDATA:
                self._later_end(to)
        if end is None or openings or is_loose or (swallowed and section is not _CDATA):
            self._earlier_ends(last, loose if 0 <= loose <= last + 3 else -1)
        if (end is None or openings) and context.has_known_tag(begin, last):
            cost = COSTS["known_inside_cdata" if section is _CDATA else "known_inside"]
            self.edges.append(as_text(context, self.at, cost))
        return self.edges

    def _count_openings(self, to: int) -> int:
        """Return how many openings are in the section up to an index, or a number that leaves it no chance."""
        marks = islice(self.section.marks.finditer(self.context.source, self.begin, to), _MOST_COUNTED)
        return sum(mark[0].startswith(b"<") for mark in marks)

    def _end(self) -> tuple[int, int] | None:
        """Return where the section ends by the draft: the end of its content, and the index after it."""
        context, section = self.context, self.section
        if section is _COMMENT and (abrupt := _ABRUPT.match(context.source, self.at, context.limit)):
            dashes = context.source.find(b"--", self.begin, context.limit)
            if dashes < 0 or context.peek(dashes + 2) != b">":
                return self.begin, abrupt.end()
        return context.find(section.end, self.begin)

    def _unclosed(self, swallowed: int, openings: int) -> None:
        """Add the reading of a section without an end in sight."""
        context, section, limit = self.context, self.section, self.context.limit
        if context.is_end:
            cost = COSTS["unclosed"] + self._swallowed(limit) + 4 * self._each * openings
            cost += 0 if section is _CDATA else 2000
        else:
            is_wrong = self._is_in_tag() or context.has_known_tag(self.begin, limit)
            is_wrong = is_wrong or (swallowed > 0 and self._ends_more()) or (section is _COMMENT and self._goes_on())
            cost = COSTS["most_swallowed"] if is_wrong else 0
        if not context.is_end:
            limit = context.cut(going_on(section.kind, section.end))
        self.add(context.source[self.begin : limit], limit, cost, is_changed=False)

    def _goes_on(self) -> bool:
        """Return whether a comment has end tags in it, but within `FAR` octets no end before another comment begins."""
        source, stop = self.context.source, self.at + FAR
        mark = _COMMENT.marks.search(source, self.begin, stop)
        if mark and not mark[0].startswith(b"<"):
            return False
        return source.find(b"</", self.begin, mark.start() if mark else stop) >= 0

    def _swallowed(self, to: int) -> int:
        """Return the cost of the tags in a section without its end, up to an index.

        A CDATA section may have start tags, but for one that goes on to the end of the document, past the end of the
        element around it.
        """
        ends = self.context.count(b"</", self.begin, to)
        is_whole = to == self.context.limit and ends > 0
        may_be_markup = self.section is _CDATA and not (self._is_in_tag() or (is_whole and self._ends_more()))
        starts = 0 if may_be_markup else self.context.count(b"<", self.begin, to) - ends
        return self._each * ends + COSTS["swallow_start"] * starts

    def _is_in_tag(self) -> bool:
        """Return whether a tag before the section lacks its end."""
        source, near = self.context.source, max(self.at - _NEAR, 0)
        begin = source.rfind(b"<", near, self.at)
        return begin > source.rfind(b">", near, self.at) and _OPENED.match(source, begin) is not None

    def _ends_more(self) -> bool:
        """Return whether what follows, up to the limit, ends an element that does not begin in it.

        In a CDATA section, it must be the element around that.
        """
        context, depth, around = self.context, 0, self._element_around()
        for tag in islice(_TAG.finditer(context.source, self.begin, context.limit), _MOST_TAGS):
            if self.section is not _CDATA or tag["name"] == around:
                depth += -1 if tag["end"] else 0 if tag[0].endswith(b"/>") else 1
            if depth < 0:
                return True
        return False

    def _find_around(self) -> bytes:
        """Return the name of the element that the section is in, as far as the tags before it show that."""
        source, near, depth, at = self.context.source, max(self.at - _NEAR, 0), 0, self.at
        while (at := source.rfind(b"<", near, at)) >= 0:
            tag = _TAG.match(source, at, self.at)
            if tag and tag["end"]:
                depth += 1
            elif tag and not tag[0].endswith(b"/>"):
                if not depth:
                    return tag["name"]
                depth -= 1
        return b""

    def _element_around(self) -> bytes:
        if self._around is None:
            self._around = self._find_around()
        return self._around

    def _nested(self, to: int) -> None:
        """Add the reading in which sections may be in sections of their kind."""
        context, depth = self.context, 1
        for mark in islice(self.section.marks.finditer(context.source, self.begin, context.limit), _MOST_OPENINGS):
            depth += 1 if mark[0].startswith(b"<") else -1
            if not depth:
                if mark.end() > to:
                    self._whole(mark.end(), COSTS["balanced"], "nested_section")
                return

    def _whole(self, to: int, cost: int, operation: str) -> None:
        """Add the reading of a section up to an index, with other ends in it."""
        section = self.section
        content = self.context.source[self.begin : to - len(section.close)]
        self.add(section.inner.sub(section.instead, content), to, cost, operation)

    def _later_end(self, to: int) -> None:
        """Add the reading of a CDATA section that goes on after a ``]]>`` in it."""
        _, end = self.context.find(_CDATA.end, to) or (0, -1)
        if end >= 0 and not self.context.count(_CDATA.opening, to, end):
            cost = COSTS["bad_end"] + 1000 + 300 * self.context.count(b"<", to, end)
            self._whole(end, cost, "end_in_section")

    def _earlier_ends(self, last: int, loose: int) -> None:
        """Add the readings of a section that lacks its end."""
        context, section, begin = self.context, self.section, self.begin
        if context.elements is None:
            stop = context.source.find(b"<", begin, context.limit)
        else:
            known = context.elements.tag.search(context.source, begin, context.limit)
            stop = known.start() if known else -1
        has_end = context.elements is None and context.source.find(b">", begin, context.limit) >= 0
        if stop < 0 and context.is_end and not has_end and section is not _CDATA:
            return  # the draft ends it there, too
        stop = context.limit if stop < 0 else stop
        if section is _CDATA:
            for end in self._ends_of_cdata(stop, loose):
                self._ended(end, self._cost_of_end(end))
        elif section is _COMMENT and 0 <= loose <= last:
            self._ended(loose, 1000)
        else:
            close = context.source.find(b">", begin, stop)
            self._ended(close + 1 if close >= 0 else stop, COSTS["unclosed"])

    def _ends_of_cdata(self, stop: int, loose: int) -> list[int]:
        ends, names = [stop] if loose in {-1, stop} else [stop, loose], set()
        for found in islice(_END_TAG.finditer(self.context.source, self.begin, self.context.limit), _MOST_SWALLOWED):
            place = found.start()
            if found[1] not in names and place not in ends:
                ends.append(place)
            names.add(found[1])
            if len(ends) == _MOST_ENDS:
                break
        return ends

    def _cost_of_end(self, end: int) -> int:
        """Return the cost of the end of a CDATA section: less at a `>`, or before the end tag of the element."""
        source, around = self.context.source, self._element_around()
        if source[end - 1] == 0x3E:
            return COSTS["unclosed"] - 3000
        is_before_end = around and source.startswith(b"</" + around, end, self.context.limit)
        return COSTS["unclosed"] - (2000 if is_before_end else 0)

    def _ended(self, end: int, cost: int) -> None:
        """Add the reading in which the section ends at an index."""
        content = self.context.source[self.begin : end]
        content = content[:-64] + self.section.tail.sub(b"", content[-64:], 1)
        cost += self._swallowed(end)
        cost += COSTS["nested_open"] * self._count_openings(end)
        self.add(content, end, cost, "section_without_end")


def _question_mark(context: Context, at: int) -> Edges:
    """Return the readings of ``<?`` without a name: a declaration with white space, a comment by the draft, or text."""
    text, limit = context.source, context.limit
    declaration = _DECLARATION.match(text, at, min(at + 256, limit))
    if declaration and (context.roots or is_first_tag(context, at)):
        end = text.index(b"?>", at + 2) + 2
        instead = b"" if is_first_tag(context, at) else b"<?" + text[declaration.end() : end]  # it has been obeyed
        return [context.edge(SPACE, b"", at, end, 0, "declaration", instead)]
    edges = [as_text(context, at, 0)]
    close, bracket = text.find(b">", at, limit), text.find(b"<", at + 1, limit)
    is_closed = close > at + 3 and text[close - 1] == 0x3F and (bracket < 0 or close < bracket)
    if is_closed and not _WILDCARD.match(text, at, limit):
        edges[0].cost = COSTS["lt_text"]
        edges.insert(0, context.edge(SPACE, b"", at, close + 1))
    return edges


def _misspelt(context: Context, at: int) -> Edges:
    """Return the readings of what begins no section as it stands."""
    text, limit = context.source, context.limit
    if text[at + 1] != 0x21:
        edges = read_tag(context, at)
    else:
        close = text.find(b">", at, limit)
        to = close + 1 if close >= 0 else limit if context.is_end else context.cut(going_on(SPACE, _CLOSE))
        cost = COSTS["not_a_section"] + COSTS["swallow"] * context.count(b"</", at, to)
        edges = [context.edge(SPACE, b"", at, to, cost)]
    for section, cost, each, pattern in _MISSPELT:
        found = pattern.match(text, at, limit)
        if found and (end := context.find(section.end, found.end())):
            cost += each * context.count(b"</", at, end[1])
            edges[0].cost += COSTS["unclosed" if section is _CDATA else "bad_end"]
            instead = section.opening + text[found.end() : end[1]]
            edges.append(context.edge(section.kind, b"", at, end[1], cost, "misspelt_section", instead))
    if context.elements is not None:
        edges[0] = as_unknown(context, at)
    elif text[at + 1] == 0x21 and _NAME.match(text, at + 2, limit) is None:
        edges.append(as_text(context, at, COSTS["lt_text"]))
    return edges


def _doctype(context: Context, at: int) -> Edges:
    """Return the edge of a DOCTYPE, or of what can be seen of it; it may end before a tag."""
    if opened := _OPEN_DOCTYPE.match(context.source, at, context.limit):
        instead = opened[0].rstrip(WHITE) + b">"
        return [context.edge(SPACE, b"", at, opened.end(), COSTS["no_gt"], "section_without_end", instead)]
    found = _DOCTYPE.match(context.source, at, context.limit)
    assert found is not None  # the caller knows that it begins
    to = found.end()
    if to == context.limit and not context.is_end and context.source[to - 1] != 0x3E:
        context.inside[context.base + to] = going_on(SPACE, _END_OF_SUBSET if found["subset"] else _CLOSE)
    return [context.edge(SPACE, b"", at, to)]
