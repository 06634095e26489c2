"""What compat/speed.py has measured, and how results compare."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from speed_peers import EXPAT, Peer

__all__ = ["WHOLE", "Result", "Results", "document_names", "share_kept", "times_native", "twin"]

#: The share of the elements that is as good as all.
WHOLE: Final = 0.99


@dataclass
class Result:
    """What was measured of one peer and one document.

    Attributes:
        problem: why there is no result; "" where there is one.
    """

    size: int
    times: list[float] = field(default_factory=list)
    memory: int = 0
    elements: Counter[str] = field(default_factory=Counter)
    problem: str = ""

    @property
    def seconds(self) -> float:
        """The least time: what the machine was busy with can only have added to it."""
        return min(self.times)

    @property
    def speed(self) -> float:
        """Megabytes a second."""
        return self.size / 1e6 / self.seconds


Results = dict[tuple[str, str], Result]
"""By name of peer and of document."""


def document_names(results: Results) -> list[str]:
    """The documents that were measured."""
    return list(dict.fromkeys(document for _, document in results))


def twin(document: str) -> str:
    """The well-formed form of a document."""
    return document.partition("-")[0]


def times_native(results: Results, peer: Peer, document: str) -> float:
    """Time as a multiple of the native parser's for the well-formed document."""
    return results[peer.name, document].seconds / results[peer.native, twin(document)].seconds


def share_kept(results: Results, peer: Peer, document: str) -> float:
    """The share of the well-formed document's elements that are there."""
    wanted = results[EXPAT, twin(document)].elements
    if peer.feeds_only:
        wanted = Counter(item=wanted["item"])
    return (results[peer.name, document].elements & wanted).total() / wanted.total()
