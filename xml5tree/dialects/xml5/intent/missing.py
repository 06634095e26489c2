"""Names of elements without a right start tag (R-024, R-036, R-037)."""

import re
from typing import Final

from xml5tree.dialects.xml5.intent.columns import column_number
from xml5tree.dialects.xml5.intent.situation import OpenElement, PlacedTag
from xml5tree.dialects.xml5.intent.window import EMPTY_TAG, END_TAG, START_TAG, Window
from xml5tree.dialects.xml5.lexis import NAME, WHITE_SPACE, find_tag
from xml5tree.xml.nearness import is_in_other_case

__all__ = ["is_whole_document", "last_in_parent", "last_of_document"]

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


def last_in_parent(window: Window, element: OpenElement, child: PlacedTag) -> str:
    """Return the name of the end tag that comes last in an element if its start tag may be missing before `child`.

    Else return "". `element` is around the tag `child`, which is before the window. The start tag may be missing if
    no other tag of the name precedes the end tag, and the end tag stands directly in `element`, in which no element of
    its own name begins. Besides, one of these must hold:

    * The end tag and `child` are first on their lines; `child` stands farther in than the end tag, and that farther in
      than `element`.
    * `child` is not first on its line, and is the first content of `element`.
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
        return name
    line = text.rfind("\n", start, end_tag) + 1
    is_first_on_line = line > start and not text[line:end_tag].strip(WHITE_SPACE)
    return name if is_first_on_line and column_number(element.indent) < end_tag - line < column else ""


def _has_broken_tag(name: str, text: str, start: int, stop: int) -> bool:
    """Return whether a text has a start tag of a name with white space before it (R-012) or no end (R-013)."""
    tag = re.compile(rf"<(?:[\t\n ]++{re.escape(name)}|{re.escape(name)}[^<>]*+<)")
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
