"""The text after a token, reduced to tag names (R-004)."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from xml5tree.dialects.xml5.intent.constants import MOST_INSIDE, MOST_TAGS
from xml5tree.dialects.xml5.lexis import NAME, NAME_START, NUMBER, WHITE_SPACE

__all__ = [
    "EMPTY_TAG",
    "END_TAG",
    "KINDS",
    "START_TAG",
    "TEXT_RUN",
    "TOKEN",
    "Tag",
    "Window",
    "is_sure",
    "read_token",
]

START_TAG: Final = 0
EMPTY_TAG: Final = 1
END_TAG: Final = 2  # the name is "" for "</>"
TEXT_RUN: Final = 3  # text that is not white space, after the tag before

#: All kinds.
KINDS: Final = (START_TAG, EMPTY_TAG, END_TAG, TEXT_RUN)

Tag = tuple[int, str]
"""The kind of a tag, and its name."""

#: A value with "<" in it.
_CROSSING: Final = r"""(?:
    "[^"]{0,200}+"(?=[\t\n ]+[^\t\n =<>"'/]+[\t\n ]*=|[\t\n ]*/?>)
    |'[^']{0,200}+'(?=[\t\n ]+[^\t\n =<>"'/]+[\t\n ]*=|[\t\n ]*/?>)
)"""
_FREE: Final = rf"""(?:
    [^<>"'/]++
    |"[^"<]*+"(?=[\t\n />?]) |'[^'<]*+'(?=[\t\n />?])
    |/(?![<>])
    |(?!{_CROSSING})["']
)*+"""
#: The inside of a start tag after its name. A quote that cannot be one of a pair counts as any other character. At most
#: eight values may have "<": otherwise, a text with many "<" would be read to its end from each.
_INSIDE: Final = rf"{_FREE}(?:{_CROSSING}{_FREE}){{0,8}}+"
#: A tag, or other markup that is passed over, and whether text follows it.
TOKEN: Final = re.compile(
    rf"""<(?:
        (?P<start>{NAME}|{NUMBER}(?=[\t\n ]*+/?>))(?=[\t\n />]){_INSIDE}(?P<solidus>/?)(?:>|(?=<))
        |/[\t\n ]*+(?P<end>{NAME}|{NUMBER}(?=[\t\n ]*+>))?+[^<>]*+(?:>|(?=<))
        |!--(?>[^-<]+|-(?!->)|<(?!!--(?!>)))*+(?:-->|\Z)
        |!\[CDATA\[(?>[^]<]+|\](?!\]>)|<(?!!\[CDATA\[))*+(?:(?P<cdata>\]\]>)|\Z)
        |\?(?={NAME_START})(?>[^?<]+|\?(?!>)|<(?!\?(?!>)))*+(?:\?>|\Z)
        |(?P<other>)
    )[\t\n ]*+(?P<text>[^<\t\n ]?)""",
    re.VERBOSE,
)

#: A start tag or empty tag that the window ends in.
_CUT_OFF: Final = re.compile(rf"<{NAME}(?=[\t\n />]){_INSIDE}/?\Z")
#: Last characters of a window in a comment or instruction. If ">" follows, as in "<!-->", they end it. Otherwise they
#: open another one, and what they are in counts as not closed (R-020).
_OPENINGS_OR_TERMINATORS: Final = frozenset({"<!--", "<?"})
#: A token that ends nearer than this to the last "<" of a window may read otherwise in a window that ends later: a
#: value with "<" in it may have 200 characters.
_UNSURE: Final = 256

#: The tokens that are read at first; then twice as many each time.
_FIRST_BATCH: Final = 16


class Window:
    """The text that follows a token; its tags are read on demand.

    Comments, CDATA sections and processing instructions are passed over, unless another one of the kind begins inside
    (R-020). So is an end tag that has no name, as in "</ >" or "</:>", but for "</>". A start tag or empty tag that
    lacks its ">" ends before the next "<". One that is cut off at the end of the window is not in it.
    """

    __slots__ = (
        "_batch",
        "_before_batch",
        "_ends",
        "_first",
        "_is_exhausted",
        "_is_read",
        "_looked",
        "_matches",
        "_number",
        "_reached",
        "may_end_document",
        "most_tags",
        "offset",
        "start",
        "stop",
        "tags",
        "text",
    )

    def __init__(
        self, text: str, start: int, stop: int, at_end: bool, offset: int = 0, most_tags: int = MOST_TAGS
    ) -> None:
        self.most_tags = most_tags
        self.text = text  # the text around it
        self.start = start  # its beginning in the text
        self._reached = start  # the end of the last token that has been read
        self._looked = start  # the end of the last token that counts as looked at, see `cost`
        self.stop = stop  # its end
        self.offset = offset  # the offset of its beginning in the document
        # The document ends where the window does, as far as is known. Once the window turns out to have more tags than
        # `most_tags`, so that the tags kept are not all tags, this is False. Only `at_end` is exact.
        self.may_end_document = at_end
        self._matches: Iterator[re.Match[str]] | None = None
        self._is_read = False
        self._is_exhausted = False  # whether more tags were asked for than there are
        self._number = 0  # how many tags have been read, texts not counted
        self._batch = _FIRST_BATCH  # how many tokens are read next
        self._before_batch = -1  # where the last batch ended
        self.tags: list[Tag] = []  # the tags that have been read so far, and the texts between them
        self._ends: list[int] = []  # for each of these, where its token ends
        first = text.find("<", start, stop)
        self._first = first if first >= 0 else stop  # the index of the first token
        if first != start and text[start : self._first].strip(WHITE_SPACE):
            self.tags.append((TEXT_RUN, ""))
            self._ends.append(start)

    def __iter__(self) -> Iterator[Tag]:
        tags = self.tags
        index = 0
        while index < len(tags) or self.read():
            self.note(index)
            yield tags[index]
            index += 1

    def peek(self, characters: int) -> Iterator[Tag]:
        """Yield the tags of tokens that end within `characters`, without charging the budget."""
        tags, stop = self.tags, self.start + characters
        index = 0
        while True:
            while index == len(tags) and not self._is_read and self._reached <= stop:
                self._read_some()
            if index == len(tags) or self._ends[index] > stop:
                return
            yield tags[index]
            index += 1

    def read(self) -> bool:
        """Read more tags; return whether there are more."""
        before = len(self.tags)
        while not self._is_read and len(self.tags) == before:
            self._read_some()
        self._is_exhausted = len(self.tags) == before
        return not self._is_exhausted

    def _read_some(self) -> None:
        if self._matches is None:
            self._matches = TOKEN.finditer(self.text, self.start, self.stop)
        for match in islice(self._matches, self._batch):
            self._reached = match.end()
            added = read_token(match)
            if added:
                self.tags += added
                self._ends += [self._reached] * len(added)
                self._number += added[0][0] != TEXT_RUN
            if self._number >= self.most_tags:
                self._is_read = True
                self.may_end_document = self.may_end_document and self._reached >= self.stop
                return
        if self._before_batch == self._reached:
            self._is_read = True
            self._reached = self.stop
        self._before_batch = self._reached
        self._batch *= 2

    def all(self) -> list[Tag]:
        while self.read():
            pass
        return self.tags

    def first_of(self, *kinds: int) -> Tag | None:
        """Return the first tag or text that is of one of the `kinds`, or None."""
        return next((tag for tag in self if tag[0] in kinds), None)

    def end_of_element(self, name: str, most: int, level: int = 0) -> str:
        """Return the name of the end tag that ends an element as its tags are nested, whatever its own name.

        The start tag of the element, `name`, is before the window, and so are those of `level` elements in it that are
        open. Return "" if it does not end within `most` tags and texts, or if an empty tag of this name comes between,
        whose end tag it may as well be.
        """
        for kind, other in islice(self, most):
            if kind == START_TAG:
                level += 1
            elif kind == EMPTY_TAG and other == name:
                return ""
            elif kind == END_TAG:
                if not level:
                    return other
                level -= 1
        return ""

    def ends_after(self, index: int) -> list[str]:
        """Return the names of the end tags that end elements around the tag at an index, as the tags are nested.

        `MOST_INSIDE` tags and texts after the tag are looked at.
        """
        names: list[str] = []
        level = 0
        last = index + MOST_INSIDE
        while index != last and (index + 1 < len(self.tags) or self.read()):
            index += 1
            kind, name = self.tags[index]
            if kind == START_TAG:
                level += 1
            elif kind == END_TAG and level:
                level -= 1
            elif kind == END_TAG:
                names.append(name)
        self.note(index)
        return names

    def last_of_document(self) -> tuple[str, bool]:
        """Return the name of the last tag of the document, and whether more end tags have the name than start tags.

        The name is "" if the last tag is no end tag, or not in the window.
        """
        if not self.at_end:
            return "", False
        tags = [tag for tag in self.all() if tag[0] != TEXT_RUN]
        if not tags or tags[-1][0] != END_TAG:
            return "", False
        name = tags[-1][1]
        return name, tags.count((END_TAG, name)) > tags.count((START_TAG, name))

    @property
    def at_end(self) -> bool:
        """Whether the tags are all that follow in the document."""
        if self.may_end_document:
            self.all()
        return self.may_end_document

    @property
    def cost(self) -> int:
        """How many characters have been looked at."""
        return (self._reached if self._is_exhausted else self._looked) - self.start

    def note(self, index: int) -> None:
        """Note that the tags up to an index have been looked at."""
        self._looked = max(self._looked, self._ends[index])

    def is_unclosed(self, index: int) -> bool:
        """Return whether the next tag with the name of the start tag at `index` is no end tag, or there is none."""
        name = self.tags[index][1]
        index += 1
        while index < len(self.tags) or self.read():
            while index < len(self.tags):
                kind, other = self.tags[index]
                if other == name:
                    self.note(index)
                    return kind != END_TAG
                index += 1
        return True


def is_sure(match: re.Match[str], stop: int, last: int) -> bool:
    """Return whether a token is the same in a window that ends later; the window's last "<" is at `last`."""
    if match.end() > last - _UNSURE:
        return False
    if match["other"] is None:
        return True
    text, start = match.string, match.start()
    if text[last:stop] in _OPENINGS_OR_TERMINATORS and text.startswith(text[last:stop], start):
        return False
    return not _CUT_OFF.match(text, start, stop)


def read_token(match: re.Match[str]) -> tuple[Tag, ...]:
    """Return the tag of a token, and whether text is in it or after it; nothing for a token that is passed over."""
    start, solidus, end, cdata, other, text = match.groups()
    if start is not None:
        tags: tuple[Tag, ...] = ((EMPTY_TAG if solidus else START_TAG, start),)
    elif end is not None:
        tags = ((END_TAG, end),)
    else:
        index = match.start() + 1
        after = match.string[index : index + 1]
        if other is not None and after in {"!", "?"}:
            return ()
        if other is None and match.string.startswith("/>", index):
            tags = ((END_TAG, ""),)
        elif cdata:
            return _TEXT_ONLY
        else:
            tags = ()
    return tags + _TEXT_ONLY if text else tags


_TEXT_ONLY: Final[tuple[Tag, ...]] = ((TEXT_RUN, ""),)
