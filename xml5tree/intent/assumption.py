"""What the search hands to the reader: edits of the source, each with the assumptions behind it."""

from typing import NamedTuple, Protocol

from xml5tree.errors.codes import Effect
from xml5tree.intent.knowledge import Knowledge


class Assumption(NamedTuple):
    """One entry of the log: an operation of the search that the best reading has."""

    code: str
    offset: int  # where in the source the error is, in characters
    sentence: str
    effect: Effect | None = None  # the effect on content; None: the usual one of the code
    truncated: bool = False  # whether the document was cut off here
    node: str | None = None  # what content becomes, if it is no text; see `Code.node`
    confidence: float | None = None  # how likely the assumption is right; None: there was no choice
    more: tuple[str, ...] = ()  # what the message of the code has besides the sentence


class SourceEdit(NamedTuple):
    """A replacement in the source; edits come in document order, and neither overlap nor touch a place twice."""

    begin: int  # in characters of the input stream, from the beginning of the document
    end: int
    instead: str  # the characters that are read instead
    assumptions: tuple[Assumption, ...]


class Meaning(Protocol):
    """What the author of one document meant."""

    @property
    def knowledge(self) -> Knowledge:
        """What is known of the structure of the document."""

    @property
    def doubt(self) -> float:
        """The offset from which on the draft's reading is in doubt."""

    @property
    def settled(self) -> int:
        """The offset up to which all edits are known, so that the text before it can be read; more at the end."""

    def feed(self, text: str, utf8: bytes, *, final: bool) -> list[SourceEdit]:
        """Take the next characters and their UTF-8, the last with `final`; return the edits that are certain now.

        They do not depend on how the document is cut into parts.
        """
