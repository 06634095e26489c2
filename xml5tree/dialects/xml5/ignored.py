"""What is dropped after the root element, and end tags that were ignored, but may have been meant for others."""

from typing import NamedTuple

from xml5tree.tree.endtags import ended_by


class _Run(NamedTuple):
    """Consecutive end tags that were ignored in one current element."""

    depth: int  # the number of open elements
    offset: int  # the offset of the first end tag
    line: int  # the line of the first end tag
    number: int  # the number of end tags


class IgnoredEndTags:
    """The end tags that were ignored in elements that are open."""

    def __init__(self) -> None:
        self.runs: list[_Run] = []  # those in outer elements first
        #: The innermost element that the last mismatched end tag has closed; None once its own end tag has come.
        #: And how many elements it has closed besides its own, except those whose end tags seem to have come.
        self._crossed: tuple[str | None, int] = ("", 0)

    def cross(self, current: str, within: int) -> None:
        """Note an end tag that also ends `within` elements inside its own, the innermost of which is `current`."""
        self._crossed = current, within

    def take_crossed(self, name: str) -> bool:
        """Take an end tag for that of an element which a mismatched end tag has closed; return False if it is not.

        Only the name of the innermost such element is known. If its end tag has come, those that follow are taken for
        the end tags of the others.
        """
        innermost, left = self._crossed
        if not left or innermost not in {None, name}:
            return False
        self._crossed = None, left - 1
        return True

    def add(self, depth: int, offset: int, line: int) -> None:
        if self.runs and self.runs[-1].depth == depth:
            last = self.runs[-1]
            self.runs[-1] = last._replace(number=last.number + 1)
        else:
            self.runs.append(_Run(depth, offset, line, 1))

    def forget(self, depth: int) -> None:
        """Forget the end tags in elements deeper than `depth`."""
        while self.runs and self.runs[-1].depth > depth:
            self.runs.pop()

    def first(self, depth: int) -> _Run | None:
        """Return the first end tags that were ignored in elements deeper than `depth`."""
        first = None
        for run in reversed(self.runs):  # those in outer elements may be many
            if run.depth <= depth:
                break
            first = run
        return first

    def may_close(self, depth: int) -> bool:
        """Return whether there are as many end tags as open elements, so that they may only be wrong."""
        return sum(run.number for run in self.runs) >= depth


class DroppedElements:
    """The open elements among those after the root, which are dropped."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._numbers: dict[str, int] = {}  # of open elements of each name
        self._ignored = IgnoredEndTags()
        self._follows_ignored = False  # whether the last content was an end tag that was ignored

    @property
    def are_cut_off(self) -> bool:
        """Whether the document is cut off if it ends here."""
        depth = len(self._names)
        return depth > 0 and not (self._follows_ignored and self._ignored.may_close(depth))

    def start(self, name: str) -> None:
        self._follows_ignored = False
        self._names.append(name)
        self._numbers[name] = self._numbers.get(name, 0) + 1

    def content(self) -> None:
        """Note content other than tags."""
        self._follows_ignored = False

    def end(self, name: str, offset: int) -> None:
        """Handle an end tag (D-109, D-110); an empty `name` is that of the current element."""
        names = self._names
        if not names:
            return
        ended = ended_by(name, names) if not name or name in self._numbers else 0
        self._follows_ignored = not ended
        if not ended:
            if not self._ignored.take_crossed(name):
                self._ignored.add(len(names), offset, 0)
            return
        if ended > 1:
            self._ignored.cross(names[-1], ended - 1)
        for closed in names[-ended:]:
            self._numbers[closed] -= 1
            if not self._numbers[closed]:
                del self._numbers[closed]
        del names[-ended:]
        self._ignored.forget(len(names))
