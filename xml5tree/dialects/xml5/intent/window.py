"""What follows a token, reduced to the names of its tags (R-004)."""

import re
from typing import Final

from xml5tree.dialects.xml5.intent.constants import MOST_TAGS

__all__ = ["EMPTY_TAG", "END_TAG", "NAME", "START_TAG", "TEXT_RUN", "Tag", "Window", "read_window"]

START_TAG: Final = 0
EMPTY_TAG: Final = 1
END_TAG: Final = 2  # of a short end tag, the name is ""
TEXT_RUN: Final = 3  # text that is not white space, after the tag before

Tag = tuple[int, str]
"""What it is, and its name."""

#: A name as the policy takes it; what else the draft takes for a tag is text more often than not.
NAME: Final = r"""[^\W\d][^\t\n />"'<=]*+"""

#: The inside of a start tag after its name. A quote that cannot be one of a pair counts as any other character.
_INSIDE: Final = r"""(?:
    [^<>"'/]++
    |"[^"<]*+"(?=[\t\n />?]) |'[^'<]*+'(?=[\t\n />?])
    |"[^"]{0,200}+"(?=[\t\n ]+[^\t\n =<>"'/]+[\t\n ]*=|[\t\n ]*/?>)
    |'[^']{0,200}+'(?=[\t\n ]+[^\t\n =<>"'/]+[\t\n ]*=|[\t\n ]*/?>)
    |/(?!>)
    |["']
)*+"""
#: A tag, or what else begins with "<" and is passed over, and whether text follows it.
_TOKEN: Final = re.compile(
    rf"""<(?:
        (?P<start>{NAME})(?=[\t\n />]){_INSIDE}(?P<solidus>/?)>
        |/[\t\n ]*+(?P<end>{NAME})?+[^<>]*+(?:>|(?=<))
        |!--(?>[^-<]+|-(?!->)|<(?!!--))*+(?:-->|\Z)
        |!\[CDATA\[(?>[^]<]+|\](?!\]>)|<(?!!\[CDATA\[))*+(?:(?P<cdata>\]\]>)|\Z)
        |\?(?>[^?<]+|\?(?!>)|<(?!\?))*+(?:\?>|\Z)
        |(?P<other>)
    )[\t\n ]*+(?P<text>[^<\t\n ]?)""",
    re.VERBOSE,
)


class Window:
    """What follows a token.

    Attributes:
        tags: the tags, and where text is between them.
        at_end: whether they are all that follow in the document.
        cost: how many characters have been read.
    """

    __slots__ = ("_unclosed", "at_end", "cost", "tags")

    def __init__(self, tags: list[Tag], at_end: bool, cost: int) -> None:
        self.tags = tags
        self.at_end = at_end
        self.cost = cost
        self._unclosed: set[int] | None = None

    @property
    def unclosed(self) -> set[int]:
        """The indices of the start tags after which the next tag of the same name is no end tag."""
        if self._unclosed is None:
            self._unclosed = set()
            following: dict[str, int] = {}
            for index in range(len(self.tags) - 1, -1, -1):
                kind, name = self.tags[index]
                if kind == START_TAG and following.get(name) != END_TAG:
                    self._unclosed.add(index)
                following[name] = kind
        return self._unclosed


def read_window(text: str, start: int, stop: int, at_end: bool) -> Window:
    """Reduce a text from one index to another to the names of its tags; `at_end`: whether the document ends there.

    A tag that is cut off at the end of the window is not in it. Comments, CDATA sections and processing instructions
    are passed over, unless another one of the kind begins inside.
    """
    tags: list[Tag] = []
    text_end = text.find("<", start, stop)
    if text[start : text_end if text_end >= 0 else stop].strip("\t\n "):
        tags.append((TEXT_RUN, ""))
    number = 0
    for match in _TOKEN.finditer(text, start, stop):
        name = match["start"]
        after = text[match.start() + 1 : match.start() + 2]
        if name is not None:
            tags.append((EMPTY_TAG if match["solidus"] else START_TAG, name))
            number += 1
        elif match["other"] is not None:
            if after in {"!", "?"}:
                continue
        elif after == "/":
            tags.append((END_TAG, match["end"] or ""))
            number += 1
        elif match["cdata"]:
            tags.append((TEXT_RUN, ""))
        if match["text"]:
            tags.append((TEXT_RUN, ""))
        if number >= MOST_TAGS:
            return Window(tags, at_end and match.end() >= stop, match.end() - start)
    return Window(tags, at_end, stop - start)
