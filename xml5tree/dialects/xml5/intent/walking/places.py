"""The places in elements that walks go through, and the transitions between them that the walk in Python knows."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from xml5tree.dialects.xml5.intent.learned import TEXT_CHILD
from xml5tree.dialects.xml5.intent.walking.tokens import Token

__all__ = ["Level", "Place"]

_NO_PLACES: "Final[Mapping[Token, Place]]" = MappingProxyType({})


class Level:
    """An open element, by its name and the elements around it.

    Attributes:
        above: the element around it; None where that is not known.
        name: its name.
        is_text_known: whether its text has nothing to learn from, and the policy is not asked about it.
        is_outermost: whether the elements around it are unknown.
        has_text: whether it had text before it was known.
        inner: the levels of elements in it that had no text, by name, made on demand.
        number: its number in the compiled walk; -1: none yet.
    """

    __slots__ = (
        "_places",
        "_with_text",
        "above",
        "has_text",
        "inner",
        "is_outermost",
        "is_text_known",
        "name",
        "number",
    )

    def __init__(self, above: "Level | None", name: str, has_text: bool) -> None:
        """Set the known facts; `has_text`: whether it had text before."""
        self.above = above
        self.name = name
        self.is_text_known = self.has_text = has_text
        self.number = -1
        self.is_outermost = above is None or above.above is None
        self.inner: dict[str, Level] = {}
        self._with_text: dict[str, Level] = {}
        self._places: dict[str | None, Place] = {}

    def path(self) -> list[str]:
        """Return the names of the elements that are known to be open, the outermost first."""
        names = []
        level = self
        while level.above is not None:
            names.append(level.name)
            level = level.above
        return names[::-1]

    def innermost(self, count: int) -> list[str]:
        """Return the names of the `count` innermost open elements, the innermost last."""
        names: list[str] = []
        level: Level | None = self
        while level is not None and len(names) < count:
            names.append(level.name)
            level = level.above
        return names[::-1]

    def inside(self, name: str, has_text: bool = False) -> "Level":
        """Return the level of an element in this one."""
        levels = self._with_text if has_text else self.inner
        if name not in levels:
            levels[name] = Level(self, name, has_text)
        return levels[name]

    def after(self, last: str | None) -> "Place":
        """Return the place after a child, after text and no child (`TEXT_CHILD`), or at the beginning (None)."""
        places = self._places
        if last not in places:
            places[last] = Place(self, last)
        return places[last]


class Place(dict[Token, "Place"]):
    """A place in an element, and the places after tokens with nothing to learn from.

    Attributes:
        level: the element.
        last: the name of the last child, `TEXT_CHILD` if there is text and no child, None if there is no content.
        number: its number in the compiled walk; -1: none yet.
        watched: the places after tags that are watched, having the name of the element (R-035).
    """

    __slots__ = ("last", "level", "number", "watched")

    def __init__(self, level: Level, last: str | None) -> None:
        super().__init__()
        self.level = level
        self.last = last
        self.number = -1
        self.watched: Mapping[Token, Place] = _NO_PLACES

    def outside(self) -> "Place":
        """Return the place after the element."""
        above = self.level.above
        assert above is not None  # a run ends only elements that are known
        return above.after(self.level.name)

    def after_text(self) -> "Place":
        """Return the place after text that is not white space."""
        return self if self.last is not None else self.level.after(TEXT_CHILD)
