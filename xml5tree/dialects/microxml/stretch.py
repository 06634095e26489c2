"""The fast path: writes certainly error-free content without the modes."""

# The modes alone define behaviour: they would write the same for every stretch taken here. In doubt nothing is taken.

import re
from collections.abc import Callable
from typing import Final

from xml5tree.dialects.microxml.chars import CLEAN_VALUE
from xml5tree.dialects.microxml.tree import MicroXMLTree

__all__ = ["Stretches"]

# Names are of ASCII and short, so that every parser reads them. All patterns are possessive: they never backtrack.
_NAME: Final = r"[A-Za-z_][A-Za-z0-9_.\-]{0,255}+"
_S: Final = r"[\t\n ]"
_DATA: Final = r"[^<>&]*+(?:&(?:amp|lt|gt|quot|apos);[^<>&]*+)*+"


def _attributes(element: str) -> str:
    """Return the pattern of up to two attributes of an element, which has the pattern's groups to itself."""

    def attribute(group: str) -> str:
        return f"{_S}++(?!xmlns[\t\n =])(?P<{group}>{_NAME}){_S}*+={_S}*+{CLEAN_VALUE}"

    first, other = f"{element}_first", f"{element}_other"
    return f"(?:{attribute(first)}(?:(?={_S}++(?!(?P={first})[\t\n =])){attribute(other)})?+)?+"


def _element(name: str, content: str) -> str:
    """Return the pattern of text and an element, whose name is a group, with up to two attributes."""
    start = f"{_DATA}<(?P<{name}>{_NAME}){_attributes(name)}{_S}*+"
    return f"{start}(?:/>|>{content}{_DATA}</(?P={name})>)"


#: Elements with few attributes that contain at most such elements without child elements. Most records are so, and one
#: match takes several. Where another element comes, the beginning of its parent is read once more.
_FLAT: Final = re.compile("(?:{})*+".format(_element("outer", f"(?:{_element('inner', '')})*+")))
#: Text and a tag: an end tag (group 1), or a start tag (2), with attributes (3), perhaps an empty tag (4).
_TAG: Final = re.compile(
    f"{_DATA}<(?:/({_NAME}){_S}*+>|({_NAME})((?:{_S}++{_NAME}{_S}*+={_S}*+{CLEAN_VALUE})*+){_S}*+(/?)>)"
)
_ATTRIBUTE: Final = re.compile(f"({_NAME}){_S}*+={_S}*+{CLEAN_VALUE}")


class Stretches:
    """Writes error-free stretches of an open element's content, for one document."""

    def __init__(self, construction: MicroXMLTree, next_not_allowed: Callable[[int], int | None]) -> None:
        self._construction = construction
        self._next_not_allowed = next_not_allowed

    def take(self, text: str, start: int, offset: int) -> int:
        """Write the stretch at an index, `offset` in the document, and return its end, which is after a tag."""
        limit = self._next_not_allowed(offset)
        stop = len(text) if limit is None else start + limit - offset
        names = self._construction.begin_stretch()
        # This is asked first, as content that is read here and not taken is read again after the next token.
        if names is None or self._construction.levels_left() <= 0:
            return start
        flat, tag = _skip_flat_elements(text, start, stop)
        before = outer = len(names)  # number of earlier elements that are still open
        most = outer + self._construction.levels_left()
        end = start
        while len(names) < most:
            end = flat
            if tag is None:
                break
            closed, opened, attributes, empty = tag.groups()
            if closed is not None:
                if not names or names[-1] != closed:
                    break
                names.pop()
                outer = min(outer, len(names))
            elif attributes and not _are_different(attributes):
                break
            elif not empty:
                names.append(opened)
            end = tag.end()
            flat, tag = _skip_flat_elements(text, end, stop)
        if end > start:
            self._construction.append_stretch(text[start:end], offset, before - outer, names[outer:])
        return end


def _skip_flat_elements(text: str, start: int, stop: int) -> tuple[int, re.Match[str] | None]:
    """Return the end of the flat elements at `start`, and the tag after them, both before `stop`."""
    end = _FLAT.match(text, start, stop).end()  # type: ignore[union-attr]  # it matches the empty string
    return end, _TAG.match(text, end, stop)


def _are_different(attributes: str) -> bool:
    """Return whether attributes have different names, none of them `xmlns`."""
    names = _ATTRIBUTE.findall(attributes)
    return "xmlns" not in names and len(set(names)) == len(names)
