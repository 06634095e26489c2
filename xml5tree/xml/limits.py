"""Limits and habits of native parsers."""

import re
from collections.abc import Container
from typing import Final, NamedTuple

from xml5tree.xml.names import COMMON, EXPAT, FIFTH_EDITION, NameRules

#: Kinds of nodes that some trees leave out.
COMMENT: Final = "comment"
PROCESSING_INSTRUCTION: Final = "processing-instruction"

#: The name of the target's method, and of the event, for such a node.
_REPORTED_BY: Final = {COMMENT: "comment", PROCESSING_INSTRUCTION: "pi"}


class ReaderLimits(NamedTuple):
    """The limits of a native parser (D-122, E2, E6 and E7 of D-001)."""

    names: NameRules  # the names that it reads
    #: Characters that it misreads in a namespace name; None: it refuses names that are no URI references (see
    #: `xml5tree.xml.uris`).
    not_in_namespace_names: re.Pattern[str] | None
    attribute_defaults: bool  # whether it adds all defaults of the DOCTYPE, or only namespace declarations
    max_depth: int | None  # how deep elements may nest; None: no limit
    longest_system_id: int | None = None  # most bytes of the DOCTYPE's system identifier in UTF-8; None: no limit
    longest_public_id: int | None = None  # most bytes of the public identifier
    left_out: Container[str | None] = ()  # kinds of nodes that its result leaves out
    tells_lines: bool = True  # whether its elements have line numbers, so that the markup keeps the document's lines

    entity_nodes: bool = False  # whether it makes nodes of references to declared entities in content
    #: Whether it reports notations, unparsed entities, comments and instructions of the DOCTYPE.
    declarations: bool = False
    #: Whether it holds text back that is fed, until a reference or a tag follows, and whether that matters.
    holds_text: bool = False
    is_awaited: bool = False
    checks_ids: bool = False  # whether it refuses an `xml:id` that is no NCName or occurs twice

    def depth(self, wanted: int) -> int:
        """Return how deep elements may nest if the caller allows a depth."""
        return min(wanted, self.max_depth or wanted)

    def with_target(self, target: object) -> "ReaderLimits":
        """Return the limits for a target, which gets the nodes that it has a method for."""
        left_out = {node for node, method in _REPORTED_BY.items() if not hasattr(target, method)}
        return self._replace(left_out=left_out, is_awaited=self.holds_text)

    def with_events(self, events: Container[str]) -> "ReaderLimits":
        """Return the limits for events, which have nodes that the tree may lack."""
        reported = {node for node, event in _REPORTED_BY.items() if event in events}
        return self._replace(left_out={node for node in _REPORTED_BY if node in self.left_out} - reported)


_BRACE: Final = re.compile("}")
#: libxml2's limits of identifiers, whatever its options: a little below 10,000,000 bytes.
_LONGEST_SYSTEM_ID: Final = 9_999_995
_LONGEST_PUBLIC_ID: Final = 9_999_999

EXPAT_LIMITS: Final = ReaderLimits(
    EXPAT, not_in_namespace_names=_BRACE, attribute_defaults=True, max_depth=None, left_out=_REPORTED_BY
)
LIBXML2_LIMITS: Final = ReaderLimits(
    FIFTH_EDITION,
    not_in_namespace_names=None,
    attribute_defaults=False,
    max_depth=2048,
    longest_system_id=_LONGEST_SYSTEM_ID,
    longest_public_id=_LONGEST_PUBLIC_ID,
    holds_text=True,
)
#: What both parsers read.
COMMON_LIMITS: Final = LIBXML2_LIMITS._replace(
    names=COMMON, attribute_defaults=True, tells_lines=False, holds_text=False
)
#: The same for markup that any of their users may read, without options: libxml2's own trees here take every `xml:id`.
MARKUP_LIMITS: Final = COMMON_LIMITS._replace(checks_ids=True)
