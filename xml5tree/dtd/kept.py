"""Declarations of entities that stand in the markup, for readers that make nodes of references."""

import re
from typing import Final

from xml5tree.xml.chars import FORBIDDEN
from xml5tree.xml.names import NAME
from xml5tree.xml.patterns import compiled
from xml5tree.xml.references import PREDEFINED

_REFERENCE: Final = f"&({NAME});"
#: System identifiers that every reader takes.
_PLAIN_LITERAL: Final = re.compile(r"""["'][A-Za-z0-9._~:/?=&+,;@!$()*-]*["']""")
_LITERALS: Final = re.compile("\"[^\"]*\"|'[^']*'")
#: Names whose meaning depends on where the reference is, and which readers check.
_DEPENDENT: Final = re.compile(r"xmlns|xml:|[\w.-]:[\w.-]+\s*=|</?[\w.-]+:")
#: libxml2's cost of a reference, and half of what it allows: characters, and characters for each of the document.
_REFERENCE_COST: Final = 20
_MOST_REFERRED: Final = 500_000
_MOST_AMPLIFIED: Final = 2
#: Tags that an entity has at most, as they may be nested.
_MOST_TAGS: Final = 100


class KeptEntities:
    """The declared entities of a document that any reader accepts; references to others are text.

    An entity may refer to those before it only, so that there are no loops. Markup in it has no references, as readers
    expand those in attribute values.
    """

    def __init__(self) -> None:
        self._sizes: dict[str, int] = {}  # what libxml2 charges for a reference to each
        self._referred = 0  # what it has charged so far

    def __contains__(self, name: object) -> bool:
        return name in self._sizes

    def refer(self, name: str, offset: int) -> bool:
        """Return whether `name` is kept and libxml2 takes another reference to it, at this offset."""
        # libxml2 counts what references would expand to, and refuses more than 1,000,000 characters if that is five
        # times the document.
        if name not in self._sizes:
            return False
        referred = self._referred + self._sizes[name]
        if referred > max(_MOST_REFERRED, offset * _MOST_AMPLIFIED):
            return False
        self._referred = referred
        return True

    def clear(self) -> None:
        """Forget all entities, because the DOCTYPE is dropped."""
        self._sizes.clear()

    def declare(self, name: str, source: str, text: str | None) -> bool:
        """Take the first declaration of an entity, with its replacement text; return False if that cannot be kept."""
        if name in PREDEFINED or ":" in name:
            return False
        if text is None:
            if all(_PLAIN_LITERAL.fullmatch(literal) for literal in _LITERALS.findall(source)) and is_accepted(source):
                self._sizes[name] = _REFERENCE_COST
            return name in self
        names = {found for found in compiled(_REFERENCE).findall(source + text) if found not in PREDEFINED}
        if "<" in text and (names or _DEPENDENT.search(text) or text.count("<") > _MOST_TAGS):
            return False
        others = "".join(f"<!ENTITY {other} ''>" for other in names)
        if all(found in self for found in names) and is_accepted(others + source, f"&{name};"):
            references = compiled(_REFERENCE).findall(text)
            size = len(text.encode()) + sum(self._sizes.get(found, 0) for found in references) + _REFERENCE_COST
            if size <= _MOST_REFERRED:
                self._sizes[name] = size
        return name in self


def is_accepted(subset: str, content: str = "") -> bool:
    """Return whether expat accepts an internal subset, and an element with `content`."""
    from xml.parsers import expat  # few documents have declarations

    parser = expat.ParserCreate("utf-8")
    try:
        parser.Parse(f"<!DOCTYPE a [{subset}]><a>{content}</a>".encode(), True)
    except (expat.ExpatError, UnicodeEncodeError):
        return False
    return FORBIDDEN.search(subset) is None
