"""What the parser that reads the repaired markup can read, and does by itself."""

from dataclasses import dataclass
from typing import Final

from xml5tree.names import EXPAT, FIFTH_EDITION, NameRules

__all__ = ["BY_ALL", "BY_EXPAT", "BY_LIBXML2", "Readable"]


@dataclass(frozen=True, slots=True)
class Readable:
    """The limits of a parser (D-122, E2, E6 and E7 of D-001).

    Attributes:
        names: the names that it reads.
        any_namespace_name: whether a namespace name need not be a URI.
        attribute_defaults: whether it adds the defaults that the DOCTYPE declares; otherwise only namespace
            declarations among them are.
        max_depth: how deep it lets elements nest; None: as deep as they do.
    """

    names: NameRules
    any_namespace_name: bool
    attribute_defaults: bool
    max_depth: int | None


BY_EXPAT: Final = Readable(EXPAT, any_namespace_name=True, attribute_defaults=True, max_depth=None)
BY_LIBXML2: Final = Readable(FIFTH_EDITION, any_namespace_name=False, attribute_defaults=False, max_depth=2048)
BY_ALL: Final = Readable(EXPAT, any_namespace_name=False, attribute_defaults=True, max_depth=2048)
