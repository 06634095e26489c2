"""What the native parsers that read the repaired markup can read, and what they do by themselves."""

import re
from typing import Final, NamedTuple

from xml5tree.xml.names import COMMON, EXPAT, FIFTH_EDITION, NameRules

__all__ = ["COMMON_LIMITS", "EXPAT_LIMITS", "LIBXML2_LIMITS", "Limits"]


class Limits(NamedTuple):
    """The limits of a parser (D-122, E2, E6 and E7 of D-001).

    Attributes:
        names: the names that it reads.
        not_in_namespace_names: what it misreads in a namespace name; None: it refuses every name that is not a URI
            reference (see `xml5tree.xml.uris`).
        attribute_defaults: whether it adds the defaults that the DOCTYPE declares; otherwise only namespace
            declarations among them are.
        max_depth: how deep it lets elements nest; None: without a limit.
    """

    names: NameRules
    not_in_namespace_names: re.Pattern[str] | None
    attribute_defaults: bool
    max_depth: int | None


_BRACE: Final = re.compile("}")

EXPAT_LIMITS: Final = Limits(EXPAT, not_in_namespace_names=_BRACE, attribute_defaults=True, max_depth=None)
LIBXML2_LIMITS: Final = Limits(FIFTH_EDITION, not_in_namespace_names=None, attribute_defaults=False, max_depth=2048)
COMMON_LIMITS: Final = Limits(COMMON, not_in_namespace_names=None, attribute_defaults=True, max_depth=2048)
