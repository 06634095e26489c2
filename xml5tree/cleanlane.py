"""The clean lane: stretches of the document that are beyond doubt free of errors are written as they stand.

The states alone define behaviour. Whatever the lane takes, they would write just so, without an error; at the least
doubt it takes nothing. It can be switched off, and tests hold the two ways equal.

Whether a stretch is free of errors is asked of expat, which reads it as the content of an element in which the same
prefixes are declared and the same elements are open, and almost without handlers, so at several times the speed at
which it builds a tree. It stops at the first error and says where that is. The stretch ends there, or earlier where
there is something that is no affair of the lane, such as a namespace declaration.
"""

import re
from functools import lru_cache
from itertools import starmap
from typing import Final
from xml.parsers.expat import ExpatError, ParserCreate

from xml5tree.declared import DeclaredAttributes
from xml5tree.markup import insert_in_tag, written_attribute
from xml5tree.treebuilder import TreeBuilder

__all__ = ["CleanLane"]

#: Characters that are not worth asking expat about, which takes as long as the states do for so many.
_FEW: Final = 128
#: Characters that expat gets first; then it gets more and more, so that little is read in vain before an error.
_FIRST_WINDOW: Final = 4096
_GROWTH: Final = 4
#: Characters at the end of a stretch in which is looked first for what is open there, then in more and more.
_FIRST_TAIL: Final = 256
#: Open elements that a stretch may end.
_MOST_ENDED: Final = 6

#: Makes expat look at namespaces; it refuses those that have the character in their names, which none can have.
_SEPARATOR: Final = "\f"
#: Whether expat may leave something unread that is complete.
_CAN_DEFER: Final = hasattr(ParserCreate(), "SetReparseDeferralEnabled")
#: Elements with attribute declarations that a pattern is made for.
_MOST_DECLARED: Final = 100

#: The element around a stretch.
_WRAPPER: Final = "xml5tree"
_EMPTY_CDATA: Final = "<![CDATA[]]>"  # which is not written (E11 of D-001)
_PLAIN_TARGET: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]*+")

# Of text that is known to be well-formed. No repetition is undone, so that a failure costs no second try.
_NO_TAG: Final = re.compile(
    r"<(?:!--[^-]*+(?:-(?!->)[^-]*+)*+(?:--)?+|!\[CDATA\[[^\]]*+(?:\](?!\]>)[^\]]*+)*+(?:\]\])?+"
    r"|\?[^?]*+(?:\?(?!>)[^?]*+)*+\??)(>|\Z)"
)
_UNFINISHED_TEXT: Final = re.compile(r"(?:&[^;]*+|(?<!\])\]++)\Z")  # what a reference or "]]>" may come of
_TAG_REST: Final = "[^<>\"']*+(?:\"[^<\"]*+\"[^<>\"']*+|'[^<']*+'[^<>\"']*+)*+>"
_TAG: Final = re.compile(f"<{_TAG_REST}")
_VALUE: Final = re.compile("\"[^\"]*+\"|'[^']*+'")
_ATTRIBUTE: Final = re.compile("[ \t\n]([^ \t\n=]++)[ \t\n]*+=[ \t\n]*+(?:\"[^\"]*+\"|'[^']*+')")
# Of text in which each ">" ends a tag.
_LEAF: Final = re.compile("<(?!/)[^>]*+>(?:(?<=/>)|[^<]*+</[^>]*+>)")
_NAME: Final = re.compile("<(/?[^ \t\n/>]++)")
_TAG_NAME: Final = re.compile(r"<([^ \t\n/>]++)")
#: White space in the attributes of a tag that may be in a value, at an end or more than one character.
_MAY_COLLAPSE: Final = re.compile(r"""=[ \t\n]*["'][ \t\n]|[ \t\n]["']|[ \t\n]{2}|&#""")


class CleanLane:
    """The lane of one document. It works where an element is open."""

    def __init__(self, builder: TreeBuilder) -> None:
        self._builder = builder
        self._version = -1  # of the namespaces in scope that the wrapper is for
        self._wrapper: str | None = None  # its start tag; None where the lane is closed
        self._tags = _DeclaredTags("", 0, builder.declared)
        self._odd_place = 0  # in its text, before which there is only text and the start of a token

    def take(self, text: str, start: int) -> int:
        """Take what is clean in `text`, which is in the data state at `start`; where that ends."""
        builder = self._builder
        if len(text) - start < _FEW or not builder.may_take_clean_stretch():
            return start
        if builder.namespaces.version != self._version:
            self._version = builder.namespaces.version
            self._wrapper = self._make_wrapper()
        if self._wrapper is None:
            return start
        if text is not self._tags.text:
            self._tags = _DeclaredTags(text, start, builder.declared)
            self._odd_place = 0
        if start < self._odd_place:
            return start
        stop = self._tags.next_to_rewrite(start)
        open_names = builder.clean_elements(_MOST_ENDED)
        context = self._wrapper + "".join([f"<{name}>" for name in open_names])
        while stop - start >= _FEW:
            odd_place = _find_odd(text, start, stop, context.encode())
            span = text[start:odd_place]
            length, tags = _complete_markup(span)
            if not length:
                self._odd_place = odd_place
                break
            starts, ends = _count(tags)
            deeper = starts - ends
            levels = builder.levels_left()
            if deeper + len(open_names) < 0:  # the wrapper has been ended
                stop = text.index(f"</{_WRAPPER}", start)
            elif starts > levels and not _is_shallow(tags, levels):
                stop = start + length // 2
            else:
                self._odd_place = odd_place
                ended, opened = _nesting(tags, deeper, open_names)
                builder.append_clean_stretch(self._tags.with_defaults(span[:length]), length, ended, opened)
                return start + length
        return start

    def _make_wrapper(self) -> str | None:
        """The start tag of the element around a stretch."""
        uris = self._builder.namespaces.clean_prefixes()
        if uris is None:
            return None
        declarations = [written_attribute(f"xmlns:{prefix}", uri) for prefix, uri in uris.items()]
        return f"<{_WRAPPER}{''.join(declarations)}>"


class _DeclaredTags:
    """The tags in a text, which is being read, that their declarations may change."""

    def __init__(self, text: str, start: int, declared: DeclaredAttributes) -> None:
        self.text = text
        self._declared = declared
        self._place = start - 1  # of the next that has to be written anew
        extended, rewritten = declared.extended, declared.rewritten
        if len(extended) + len(rewritten) > _MOST_DECLARED:
            names = _TAG_NAME.findall(text, start)
            extended, rewritten = extended.intersection(names), rewritten.intersection(names)
        self._too_many = len(extended) + len(rewritten) > _MOST_DECLARED
        self._extended = _start_of(extended) if extended and not self._too_many else ""
        self._rewritten = _start_of(rewritten) if rewritten and not self._too_many else ""

    def next_to_rewrite(self, start: int) -> int:
        """Where the next tag from `start` on is that has to be written anew; the end of the text if there is none."""
        if self._too_many:
            return start
        if self._place < start:
            self._place = self._find(start) if self._rewritten else len(self.text)
        return self._place

    def _find(self, start: int) -> int:
        for found in _compile(f"{self._rewritten}(?P<rest>{_TAG_REST})?+").finditer(self.text, start):
            name, rest = found.group("name", "rest")
            if rest is None or name not in self._declared.collapsed or _MAY_COLLAPSE.search(rest):
                return found.start()
        return len(self.text)

    def with_defaults(self, markup: str) -> str:
        """A stretch with the attributes that its elements have by default."""
        if not self._extended:
            return markup
        tag = self._extended + _TAG_REST
        all_are_tags = "<!" not in markup and "<?" not in markup
        return _compile(tag if all_are_tags else f"{tag}|{_NO_TAG.pattern}").sub(self._add_defaults, markup)

    def _add_defaults(self, found: re.Match[str]) -> str:
        markup, name = found.group(0, "name")
        missing = self._declared.missing(name, _ATTRIBUTE.findall(markup)) if name else {}
        return insert_in_tag(markup, "".join(starmap(written_attribute, missing.items()))) if missing else markup


def _start_of(names: frozenset[str]) -> str:
    """The pattern of how the tags of some elements start."""
    return f"<(?P<name>{'|'.join(map(re.escape, sorted(names)))})(?=[ \t\n/>])"


@lru_cache(maxsize=16)
def _compile(pattern: str) -> re.Pattern[str]:
    """As `re.compile`, for patterns that fit many blocks and perhaps many documents."""
    return re.compile(pattern)


def _find_odd(text: str, start: int, stop: int, context: bytes) -> int:
    """Where expat finds the first error, or something for the states, in the text from `start` to `stop`.

    It is the start of the token that this is about, or a place within it; `stop` if there is nothing. `context` is
    what expat reads before.
    """
    parser = ParserCreate("utf-8", _SEPARATOR)
    if _CAN_DEFER:
        parser.SetReparseDeferralEnabled(False)
    try:
        parser.Parse(context)
    except ExpatError:  # a name that only later editions of XML allow
        return start
    odd: list[int] = []
    parser.StartNamespaceDeclHandler = lambda prefix, uri: odd.append(parser.CurrentByteIndex)
    parser.ProcessingInstructionHandler = lambda target, data: (
        None if _PLAIN_TARGET.fullmatch(target) else odd.append(parser.CurrentByteIndex)
    )
    before = len(context)  # bytes before the window
    place = start  # of the window
    size = _FIRST_WINDOW
    while place < stop and not odd:
        window = text[place : min(place + size, stop)]
        data = window.encode()
        try:
            parser.Parse(data)
        except ExpatError:
            odd.append(parser.ErrorByteIndex)
        if odd and odd[0] < before:
            earlier = text[start:place]
            stop = start + _characters(earlier, earlier.encode(), odd[0] - len(context))
        elif odd:
            stop = place + _characters(window, data, odd[0] - before)
        before += len(data)
        place += size
        size *= _GROWTH
    # They refer to the parser, which would live until the next garbage collection.
    parser.StartNamespaceDeclHandler = parser.ProcessingInstructionHandler = None
    return stop


def _characters(text: str, data: bytes, size: int) -> int:
    """How many characters of a text take up so many bytes of `data`, which is the text in UTF-8."""
    return size if text.isascii() else len(data[:size].decode("utf-8", "ignore"))


def _complete_markup(span: str) -> tuple[int, str]:
    """How much of a span, well-formed but for its last token, is surely not of that.

    Returns:
        The length, and that part without its comments, CDATA sections and processing instructions.
    """
    finished: list[str] = []
    start = 0
    end = -1  # where a comment or the like begins that is not finished
    if "<!" in span or "<?" in span:
        for found in _NO_TAG.finditer(span):
            if not found[1] or found[0] == _EMPTY_CDATA:
                end = found.start()
                break
            finished.append(span[start : found.start()])
            start = found.end()
        if end < 0:
            end = span.find("<!", start)
    if end < 0:
        end = span.rfind("<", start)
        tag = _TAG.match(span, end) if end >= 0 else None
        if tag or end < 0:  # there is only text behind that
            end = tag.end() if tag else start
            end += len(_UNFINISHED_TEXT.sub("", span[end:]))
    tags = "".join([*finished, span[start:end]])
    if tags.count("<") != tags.count(">"):  # there are some in text or attribute values
        tags = _VALUE.sub("''", "".join(_TAG.findall(tags)))
    return end, tags


def _count(tags: str) -> tuple[int, int]:
    """How many elements are started, apart from empty tags, and how many are ended."""
    ends = tags.count("</")
    return tags.count("<") - ends - tags.count("/>"), ends


def _is_shallow(tags: str, levels: int) -> bool:
    """Whether no more than so many elements are open at a time; when in doubt, not."""
    for inner_levels in range(1, 4):
        tags = _LEAF.sub("", tags)
        if _count(tags)[0] + inner_levels <= levels:
            return True
    return False


def _nesting(tags: str, deeper: int, open_names: list[str]) -> tuple[int, list[str]]:
    """What well-formed tags, which lead so many levels deeper, do to the elements that are open before them.

    An element whose end tag is not there is still open. The levels above those are of elements that the last tags
    opened, and no more of the tags is looked at than shows them.

    Returns:
        How many of the open elements they end, and the names of those that they open and do not end.
    """
    kept = len(open_names)
    while kept and f"</{open_names[kept - 1]}" in tags:
        kept -= 1
    unknown = len(open_names) + deeper - kept
    opened: list[str] = []
    ended = 0
    end = len(tags)
    size = _FIRST_TAIL
    while len(opened) < unknown and end:
        start = max(tags.rfind("<", 0, max(end - size, 1)), 0)
        for name in reversed(_NAME.findall(_LEAF.sub("", tags[start:end]))):
            if name[0] == "/":
                ended += 1
            elif ended:
                ended -= 1
            elif len(opened) < unknown:
                opened.append(name)
        end = start
        size *= _GROWTH
    opened.reverse()
    return len(open_names) - kept - (unknown - len(opened)), opened
