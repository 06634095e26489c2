"""What a repaired document has against what is known of its structure (`knowledge.py`): it is kept, and reported."""

from collections.abc import Callable, Sequence
from typing import Final

from xml5tree.intent.knowledge import Knowledge
from xml5tree.xml.structure import TEXT

_AROUND: Final = 64  # elements around one that are looked at
_MOST: Final = 1000  # pairs of names that are remembered
_SHOWN: Final = 24  # characters of a name


class Contradictions:
    """Judges the children of the elements of one document, as they are read."""

    def __init__(self, knowledge: Knowledge, report: Callable[[int, str], None]) -> None:
        """Begin; `report` is called with the offset of a child and a sentence."""
        self._knowledge = knowledge
        self._report = report
        self._fine: set[tuple[str, str]] = set()  # children that nothing is said against, or that have been reported

    def take(self, names: Sequence[str], name: str, offset: int) -> None:
        """Judge a child, which is at an offset; for the other arguments see `judge`."""
        judged = self.judge(names, name)
        if not isinstance(judged, bool):
            self.report(offset, *judged)

    def judge(self, names: Sequence[str], name: str) -> bool | tuple[str, str, str]:
        """Judge a child, given the names of the open elements, up to the current one: see `Judge` in _scan.pyi."""
        fine, parent = self._fine, names[-1]
        if (parent, name) in fine or len(fine) >= _MOST:
            return True
        known = self._known(name)
        children, never = self._knowledge.children(self._known(parent)), self._knowledge.around(known)
        around = parent
        if children is None or known in children:
            inside = (other for other in reversed(names[-_AROUND:]) if never)
            around = next((other for other in inside if self._known(other) in never), "")
        if around:
            return parent, name, around
        if not never:
            fine.add((parent, name))
        return not never

    def report(self, offset: int, parent: str, name: str, around: str) -> None:
        """Report that a child is in an element where it is not expected, if that is new."""
        if (parent, name) not in self._fine:
            self._fine.add((parent, name))
            what = "text" if name == TEXT else f"<{name[:_SHOWN]}>"
            self._report(offset, f"{what} is in <{around[:_SHOWN]}>, where none is expected")

    def _known(self, name: str) -> bytes:
        return self._knowledge.known(name.encode("utf-8", "surrogatepass"))
