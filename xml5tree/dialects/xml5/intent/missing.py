"""Names of elements without a right start tag (R-024, R-036, R-037)."""

import re
from collections.abc import Iterable
from itertools import islice
from typing import Final

from xml5tree.dialects.xml5.intent.columns import column_number
from xml5tree.dialects.xml5.intent.constants import MOST_BEFORE_END, MOST_TAGS
from xml5tree.dialects.xml5.intent.learned import Learned
from xml5tree.dialects.xml5.intent.situation import OpenElement, PlacedTag
from xml5tree.dialects.xml5.intent.window import EMPTY_TAG, END_TAG, START_TAG, TEXT_RUN, Tag, Window
from xml5tree.dialects.xml5.lexis import NAME, WHITE_SPACE, find_tag
from xml5tree.xml.nearness import is_in_other_case

__all__ = ["begun_by", "is_whole_document", "last_in_parent", "last_of_document"]

_NAME: Final = re.compile(NAME)


def last_of_document(window: Window, first: PlacedTag) -> str:
    """Return the name of the document's last tag if it is an end tag that lacks a start tag; else "".

    The window follows `first`, the first tag of the document. The last tag may be the end tag of `first`, even in
    another case, if no end tag in the right case is in the window.
    """
    name, is_missing = window.last_of_document()
    if not is_missing:
        return ""
    is_its_own = not first.empty and (
        name == first.name or (is_in_other_case(name, first.name) and (END_TAG, first.name) not in window.all())
    )
    return "" if is_its_own else name


def is_whole_document(window: Window, first: PlacedTag) -> bool:
    """Return whether `first` ends rightly in the window, and no more elements follow it than are in it (R-024).

    End tags in another case end an element rightly, too.
    """
    if first.empty:
        return False
    stack = [first.name]
    inside = after = 0
    for kind, name in window.all():
        if kind in {START_TAG, EMPTY_TAG}:
            inside += len(stack) > 0
            after += not stack
        if stack and kind == START_TAG:
            stack.append(name)
        elif stack and kind == END_TAG:
            ended = stack.pop()
            if ended != name and not is_in_other_case(ended, name):
                return False
    return not stack and after <= inside


def begun_by(element: OpenElement, child: PlacedTag, window: Window, learned: Learned) -> str:
    """Return the name of an element whose start tag seems to be missing before its first child; "" if none is.

    `child` is before the window, in `element`. The name is that of the end tag that ends `element` as its tags are
    nested; the next one that does is the end tag of `element`, or comes late if that has children. No element of the
    name begins before its end tag, but one right after it, with a child like this one; both have as many children of
    that name. Or the document has shown such a first child, and no further child of its name comes before the end tag.
    """
    level = 0 if child.empty else 1
    name = window.end_of_element("", MOST_BEFORE_END, level)
    if name in {"", child.name, element.name}:
        return ""
    outer = window.end_of_element("", MOST_TAGS, level + 1)
    if outer != element.name and (outer or not element.has_children):
        return ""  # the end tag is rather a slip in that of an open element
    tags = islice(window, 2 * MOST_BEFORE_END)
    count = _count_children(tags, name, child.name, level)
    if next(tags, None) == (START_TAG, name):
        kind, first = next(tags, (END_TAG, ""))
        if kind in {START_TAG, EMPTY_TAG} and first == child.name:
            return name if count == _count_children(tags, name, first, 1 if kind == START_TAG else 0) else ""
    return name if count == 0 and (name, None, child.name) in learned.follows else ""


def _count_children(tags: Iterable[Tag], parent: str, child: str, level: int) -> int:
    """Return how many elements `child` are in an element, in which `level` elements are open, up to its end tag.

    Return -1 if an element `parent` begins in it.
    """
    count = 0
    for kind, name in tags:
        if kind == END_TAG:
            if not level:
                break
            level -= 1
        elif name == parent:
            return -1
        else:
            count += level == 0 and name == child
            level += kind == START_TAG
    return count


def last_in_parent(element: OpenElement, child: PlacedTag, window: Window, learned: Learned) -> str:
    """Return the name of the end tag that comes last in an element if its start tag may be missing before `child`.

    Else return "". `element` is around the tag `child`, which is before the window. The start tag may be missing if
    no other tag of the name precedes the end tag, and the end tag stands directly in `element`, in which no element of
    its own name begins. Besides, one of these must hold:

    * The end tag and `child` are first on their lines; `child` stands farther in than the end tag, and that farther in
      than `element`.
    * `child` is not first on its line, and is the first content of `element`. The end tag's name is known, or the
      children before it are no record: several leaves of different names.
    """
    column, parent = child.indent, element.name
    if column is None and element.has_content:
        return ""
    text, start = window.text, window.start
    end_of_parent = text.find(f"</{parent}>", start, window.stop)
    if end_of_parent < 0:
        return ""
    end_tag = text.rfind("</", start, end_of_parent)
    source = text[end_tag:end_of_parent].rstrip(WHITE_SPACE)
    name = source[2:-1].rstrip(WHITE_SPACE)
    if end_tag < 0 or not source.endswith(">") or not _NAME.fullmatch(name) or name == child.name:
        return ""
    if find_tag(text, f"<{name}", start, end_tag) >= 0 or text.find(f"</{name}>", start, end_tag) >= 0:
        return ""
    if _has_broken_tag(name, text, start, end_tag + 1):
        return ""
    if find_tag(text, f"<{parent}", start, end_of_parent) >= 0:
        return ""
    if not _is_balanced_before(name, window, is_empty=child.empty):
        return ""
    if column is None:
        return "" if name not in learned.names and _is_record(child, window) else name
    line = text.rfind("\n", start, end_tag) + 1
    is_first_on_line = line > start and not text[line:end_tag].strip(WHITE_SPACE)
    return name if is_first_on_line and column_number(element.indent) < end_tag - line < column else ""


def _is_record(first: PlacedTag, window: Window) -> bool:
    """Return whether an element seems to be a record: its children are several leaves of different names (R-024).

    The first of them is before the window.
    """
    names = {first.name}
    level = 0 if first.empty else 1
    for kind, name in window:
        if kind == END_TAG:
            if not level:
                break
            level -= 1
        elif kind != TEXT_RUN:
            if level or name in names:
                return False
            names.add(name)
            level += kind == START_TAG
    return len(names) > 1


def _has_broken_tag(name: str, text: str, start: int, stop: int) -> bool:
    """Return whether a text has a broken start tag of a name.

    White space precedes the name (R-012), no ">" follows (R-013), or an attribute follows without white space (R-038).
    """
    name = re.escape(name)
    tag = re.compile(rf"<(?:[\t\n ]++{name}|{name}(?:[^<>]*+<|[^\t\n />=<]*+=))")
    return tag.search(text, start, stop) is not None


def _is_balanced_before(name: str, window: Window, *, is_empty: bool) -> bool:
    """Return whether the first end tag of a name stands directly in the parent of the tag before the window (R-024).

    Otherwise it is rather a slip in the end tag of an open element. `is_empty`: the tag before the window is empty.
    """
    level = 0 if is_empty else 1
    for kind, other in window:
        if kind == START_TAG:
            level += 1
        elif kind == END_TAG:
            if other == name:
                break
            level -= 1
    return level == 0
