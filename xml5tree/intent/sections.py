"""The readings of comments, CDATA sections, processing instructions and the DOCTYPE."""

import re
from typing import Final, NamedTuple

from xml5tree.intent.context import LOOK, SPACE, TEXT, Context, Edge, Edges, Reader
from xml5tree.intent.costs import COSTS
from xml5tree.intent.tags import NAME, as_text

__all__ = ["read_section"]

_MOST_OPENINGS: Final = 8  # of sections in one another
_MOST_ENDS: Final = 5  # ends that a CDATA section may have
_MOST_TAGS: Final = 256  # tags that tell whether a section without an end in sight is one
_CDATA_REACH: Final = 6_400  # octets in which the ends of a CDATA section are looked for
_NEAR: Final = 1024  # octets before a CDATA section in which the start tag around it is looked for


class _Section(NamedTuple):
    """A kind of section."""

    opening: bytes
    close: bytes
    again: str  # the mark of another opening
    end: str  # the mark of its end
    loose_end: str  # the mark of an end that may be meant; "" for none
    kind: int


_COMMENT: Final = _Section(b"<!--", b"-->", "<!--", "-->", "-- >", SPACE)
_CDATA: Final = _Section(b"<![CDATA[", b"]]>", "<![CDATA[", "]]>", "] >", TEXT)
_INSTRUCTION: Final = _Section(b"<?", b"?>", "<?", "?>", "", SPACE)

_NAME: Final = re.compile(NAME)
_WHITE: Final = b"\t\n\r "
_TAG: Final = re.compile(rb"<(?P<end>/?)(?P<name>%b)[^<>]*+>" % NAME)
_END_TAG: Final = re.compile(rb"</(%b)?[\t\n\r ]*+>" % NAME)
#: What dashes and the like are dropped from, where a section ends at a ``>``.
_TAIL_OF_COMMENT: Final = re.compile(rb"-*+[!\t\n\r ]*+>?\Z")
_TAIL_OF_CDATA: Final = re.compile(rb"\]\]?[\t\n\r ]*+>\Z")
_TAIL_OF_INSTRUCTION: Final = re.compile(rb"[?/]*+>?\Z")
_ABRUPT: Final = re.compile(rb"<!---?>")
_DOCTYPE: Final = re.compile(rb"<!DOCTYPE", re.IGNORECASE)
_DECLARATION: Final = re.compile(rb"""<(?:\?[\t\n\r ]++)?+(?=xml[\t\n\r ]++version[\t\n\r ]*+=[^<>]{0,200}?\?>)""")
_MISSPELT_COMMENT: Final = re.compile(rb"<!(?:-(?![->])|[\t\n\r ]{1,2}--(?!>))")
_MISSPELT_CDATA: Final = re.compile(
    rb"<[\t\n\r ]{0,2}!S(?:\[ScdataS\[|cdataS\[|\[Scdata(?=[\t\n\r <]))".replace(b"S", rb"[\t\n\r ]{0,2}"),
    re.IGNORECASE,
)
_WILDCARD: Final = re.compile(rb"<\?(?:[>,]|[\t\n\r ]+(?:extends|super)[\t\n\r ])")


def read_section(context: Context, at: int) -> Edges:
    """Return the readings of ``<!`` and ``<?``."""
    text, limit = context.source, context.limit
    if text.startswith(b"<!--", at, limit):
        return _Reader(context, at, _COMMENT).read()
    if text.startswith(b"<![CDATA[", at, limit):
        return _Reader(context, at, _CDATA).read()
    if text.startswith(b"<?", at, limit):
        return (
            _Reader(context, at, _INSTRUCTION).read()
            if _NAME.match(text, at + 2, limit)
            else _question_mark(context, at)
        )
    if _DOCTYPE.match(text, at, limit):
        return [_doctype(context, at, at + 9)]
    return _misspelt(context, at)


class _Reader:
    """The readings of a section that begins at an index."""

    def __init__(self, context: Context, at: int, section: _Section) -> None:
        self.context = context
        self.at = at
        self.section = section
        self.begin = at + len(section.opening)
        self.edges: Edges = []

    def edge(self, begin: int, inner_end: int, to: int, cost: int, operation: str, instead: bytes | None) -> Edge:
        is_blank = not self.context.source[begin:inner_end].strip(_WHITE)
        kind = SPACE if is_blank else self.section.kind
        return self.context.edge(kind, b"", self.at, to, cost, operation, instead=instead)

    def read(self) -> Edges:
        context, section, begin = self.context, self.section, self.begin
        end = self._end()
        to, last = (context.limit, context.limit) if end is None else end[::-1]
        openings = context.count(section.again, begin, last)
        loose = context.find_end(section.loose_end, begin) if section.loose_end else -1
        is_loose = section is _COMMENT and 0 <= loose < to
        swallowed = context.count("</", begin, last)
        doubt = swallowed * 1000 + 4000 * openings
        if end is None:
            self._unclosed(swallowed, openings)
        else:
            cost = COSTS["nested_open"] + doubt if openings or is_loose else 0
            self.edges.append(self.edge(begin, last, to, min(cost, COSTS["most_swallowed"]), "", None))
            if openings:
                self._nested(to)
            if section is _CDATA:
                self._later_end(to)
        if end is None or openings or is_loose or (swallowed and section is not _CDATA):
            self._earlier_ends(last, loose if 0 <= loose <= last + 3 else -1)
        return self.edges

    def _end(self) -> tuple[int, int] | None:
        """Return where the section ends by the draft: the end of its content, and the index after it."""
        context, section = self.context, self.section
        if section is _COMMENT and (abrupt := _ABRUPT.match(context.source, self.at, context.limit)):
            dashes = context.source.find(b"--", self.begin, context.limit)
            if dashes < 0 or context.peek(dashes + 2) != b">":
                return self.begin, abrupt.end()
        end = context.find(section.end, self.begin)
        return None if end < 0 else (end, context.find_end(section.end, self.begin))

    def _unclosed(self, swallowed: int, openings: int) -> None:
        """Add the reading of a section without an end in sight."""
        context, section, limit = self.context, self.section, self.context.limit
        if context.is_end:
            each = 1000 if section is _CDATA else COSTS["swallow"]
            cost = COSTS["unclosed"] + (0 if section is _CDATA else 2000) + each * (swallowed + 4 * openings)
        elif self._ends_more():
            cost = COSTS["most_swallowed"]
        else:
            cost = COSTS["nested_open"] + 1000 * swallowed if openings and section is _COMMENT else 0
        if not context.is_end:
            limit = context.cut()
            context.inside[context.base + limit] = _going_on(section)
        self.edges.append(self.edge(self.begin, limit, limit, min(cost, COSTS["most_swallowed"]), "", None))

    def _ends_more(self) -> bool:
        """Return whether what follows, up to the limit, ends an element that does not begin in it.

        In a CDATA section, it must be the element around that.
        """
        context, depth, around = self.context, 0, self._element_around()
        tags = _TAG.finditer(context.source, self.begin, context.limit)
        for _, tag in zip(range(_MOST_TAGS), tags, strict=False):
            if self.section is not _CDATA or tag["name"] == around:
                depth += -1 if tag["end"] else 0 if tag[0].endswith(b"/>") else 1
            if depth < 0:
                return True
        return False

    def _element_around(self) -> bytes:
        """Return the name of the element that the section is in, as far as the tags before it show that."""
        names: list[bytes] = []
        for tag in _TAG.finditer(self.context.source, max(self.at - _NEAR, 0), self.at):
            if tag["end"]:
                del names[-1:]
            elif not tag[0].endswith(b"/>"):
                names.append(tag["name"])
        return names[-1] if names else b""

    def _nested(self, to: int) -> None:
        """Add the reading in which sections may be in sections of their kind."""
        context, section = self.context, self.section
        depth, place, last = 1, self.begin, to
        for _ in range(_MOST_OPENINGS):
            close = context.find(section.end, place)
            opening = context.find(section.again, place)
            if close < 0:
                return
            if 0 <= opening < close:
                depth, place = depth + 1, opening + len(section.opening)
                continue
            depth -= 1
            place = context.find_end(section.end, place)
            if not depth:
                last = place
                break
        if depth or last <= to:
            return
        self._whole(last, COSTS["balanced"], "nested_section")

    def _whole(self, to: int, cost: int, operation: str) -> None:
        """Add the reading of a section up to an index, with other ends in it."""
        section = self.section
        content = self.context.source[self.begin : to - len(section.close)]
        if section is _COMMENT:
            while b"--" in content:
                content = content.replace(b"--", b"- -")
        elif section is _CDATA:
            content = content.replace(b"]]>", b"]]]]><![CDATA[>")
        else:
            content = content.replace(b"?>", b"? >")
        instead = section.opening + content + section.close
        self.edges.append(self.edge(self.begin, to, to, cost, operation, instead))

    def _later_end(self, to: int) -> None:
        """Add the reading of a CDATA section that goes on after a ``]]>`` in it."""
        end = self.context.find_end("]]>", to)
        if end >= 0 and not self.context.count("<![CDATA[", to, end):
            brackets = self.context.count("<", to, end)
            cost = COSTS["bad_end"] + 1000 + 300 * brackets
            if cost <= COSTS["most_swallowed"]:
                self._whole(end, cost, "end_in_section")

    def _earlier_ends(self, last: int, loose: int) -> None:
        """Add the readings of a section that lacks its end."""
        context, section, begin = self.context, self.section, self.begin
        stop = context.source.find(b"<", begin, context.limit)
        stop = context.limit if stop < 0 else stop
        if section is _CDATA:
            for end in self._ends_of_cdata(stop, loose):
                self._ended(end, _TAIL_OF_CDATA, self._cost_of_end(end))
            return
        close = context.source.find(b">", begin, stop)
        end = close + 1 if close >= 0 else stop
        if section is _INSTRUCTION:
            self._ended(end, _TAIL_OF_INSTRUCTION, COSTS["unclosed"])
        elif 0 <= loose <= last:
            self._ended(loose, _TAIL_OF_COMMENT, 1000)
        else:
            self._ended(end, _TAIL_OF_COMMENT, COSTS["unclosed"])

    def _ends_of_cdata(self, stop: int, loose: int) -> list[int]:
        context = self.context
        ends = [stop] if loose < 0 or loose == stop else [stop, loose]
        names = set()
        place = self.begin
        while len(ends) < _MOST_ENDS and (place := context.find("</", place)) >= 0:
            found = _END_TAG.match(context.source, place, context.limit)
            if found and found[1] not in names:
                names.add(found[1])
                if len(names) > _MOST_ENDS:
                    break
                if place not in ends:
                    ends.append(place)
            place += 2
            if place > self.begin + _CDATA_REACH:
                break
        return ends

    def _cost_of_end(self, end: int) -> int:
        """Return the cost of the end of a CDATA section: less at a `>`, or before the end tag of the element."""
        context = self.context
        if context.source[end - 1] == 0x3E:
            return COSTS["unclosed"] - 3000
        around = self._element_around()
        if around and context.source.startswith(b"</" + around, end, context.limit):
            return COSTS["unclosed"] - 2000
        return COSTS["unclosed"]

    def _ended(self, end: int, tail: re.Pattern[bytes], cost: int) -> None:
        """Add the reading in which the section ends at an index; what `tail` finds before that is no content."""
        context, begin = self.context, self.begin
        content = context.source[begin:end]
        if content.endswith(b">") or self.section is not _CDATA:
            content = (
                tail.sub(b"", content, 1) if len(content) < 64 else content[:-64] + tail.sub(b"", content[-64:], 1)
            )
        cost += 1000 * context.count("</", begin, end)
        instead = self.section.opening + content + self.section.close
        self.edges.append(self.edge(begin, begin + len(content), end, cost, "section_without_end", instead))


def _going_on(section: _Section) -> Reader:
    """Return the reader of a place in a section that is longer than can be seen."""

    def read(context: Context, at: int) -> Edges:
        to = context.find_end(section.end, at)
        if to < 0:
            to = context.limit if context.is_end else context.cut()
            if not context.is_end:
                context.inside[context.base + to] = _going_on(section)
        return [context.edge(section.kind, b"", at, to)]

    return read


def _question_mark(context: Context, at: int) -> Edges:
    """Return the readings of ``<?`` without a name: a declaration with white space, a comment by the draft, or text."""
    text, limit = context.source, context.limit
    declaration = _DECLARATION.match(text, at, min(at + 256, limit))
    if declaration:
        end = context.find_end("?>", at + 2)
        instead = b"<?" + text[declaration.end() : end]
        return [context.edge(SPACE, b"", at, end, 0, "declaration", instead=instead)]
    edges = [as_text(context, at, 0)]
    close = context.source.find(b">", at, limit)
    bracket = context.source.find(b"<", at + 1, limit)
    is_closed = close >= 0 and (bracket < 0 or close < bracket)
    if is_closed and text[close - 1] == 0x3F and close > at + 3 and not _WILDCARD.match(text, at, limit):
        edges[0].cost = COSTS["lt_text"]
        edges.insert(0, context.edge(SPACE, b"", at, close + 1))
    return edges


def _misspelt(context: Context, at: int) -> Edges:
    """Return the readings of ``<!`` that begins no section as it stands."""
    text, limit = context.source, context.limit
    close = context.find(">", at)
    to = close + 1 if close >= 0 else limit if context.is_end else context.cut()
    edges = [context.edge(SPACE, b"", at, to, COSTS["not_a_section"])]
    if close < 0 and not context.is_end:
        context.inside[context.base + to] = _going_on(_Section(b"<!", b">", "<!--", ">", "", SPACE))
    if context.count("</", at, to):
        edges[0].cost += COSTS["swallow"] * context.count("</", at, to)
    for pattern, section in ((_MISSPELT_COMMENT, _COMMENT), (_MISSPELT_CDATA, _CDATA)):
        found = pattern.match(text, at, limit)
        end = context.find_end(section.end, found.end()) if found else -1
        if found and end >= 0:
            instead = section.opening + text[found.end() : end]
            cost = 0 if section is _CDATA else 500
            cost += 1000 * context.count("</", at, end) if section is _COMMENT else 0
            edges[0].cost += COSTS["bad_end"]
            edges.append(context.edge(section.kind, b"", at, end, cost, "misspelt_section", instead=instead))
    if _NAME.match(text, at + 2, limit) is None:
        edges.append(as_text(context, at, COSTS["lt_text"]))
    return edges


# The DOCTYPE ----------------------------------------------------------------------------------------------------------

_PART_OF_DOCTYPE: Final = re.compile(
    rb"""[^>"'\[]++|"(?:[^">]*+"|[^"]*+"(?=[\t\n\r ]*+[>\[]))|'(?:[^'>]*+'|[^']*+'(?=[\t\n\r ]*+[>\[]))"""
)
_PART_OF_SUBSET: Final = re.compile(
    rb"""<!--.*?-->|<\?.*?\?>|<![A-Z][^<>"']*+(?:"[^"]*+"[^<>"']*+|'[^']*+'[^<>"']*+)*+>|[^\]<]++""",
    re.DOTALL,
)


def _doctype(context: Context, at: int, place: int, *, in_subset: bool = False) -> Edge:
    """Return the edge of a DOCTYPE, or of what can be seen of it, from a place in it on."""
    text, limit = context.source, context.limit
    while place < limit:
        part = (_PART_OF_SUBSET if in_subset else _PART_OF_DOCTYPE).match(text, place, limit)
        if part:
            place = part.end()
            continue
        c = text[place]
        if c == 0x3E and not in_subset:
            return context.edge(SPACE, b"", at, place + 1)
        if c in b"\"'<" and place > at + LOOK // 2 and not context.is_end:
            break  # the part may be longer than can be seen
        if in_subset and c == 0x3C and context.peek(place + 1) not in {b"!", b"?"}:
            return context.edge(SPACE, b"", at, place)  # a tag: the DOCTYPE was never closed
        in_subset = c == 0x5B if not in_subset else c != 0x5D
        place += 1
    to = place if place > at + 9 else limit
    if not (context.is_end and place >= limit):
        context.inside[context.base + to] = _in_doctype(in_subset)
    return context.edge(SPACE, b"", at, to)


def _in_doctype(in_subset: bool) -> Reader:
    def read(context: Context, at: int) -> Edges:
        return [_doctype(context, at, at, in_subset=in_subset)]

    return read
