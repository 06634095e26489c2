"""Places in edited text, and where they are in its source."""

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable


class SourceMap:
    """Translates offsets of edited text into offsets of the source while both are read.

    Without an edit in what is read, both differ by a constant, and nothing is looked up.
    """

    # Only the edits of the text that the tokenizer holds are kept: `forget` first translates the offsets that are
    # needed later.

    __slots__ = ("_begins", "_ends", "_kept", "_shift", "_source_begins", "_source_ends", "_walls", "puts_walls")

    def __init__(self, *, puts_walls: bool) -> None:
        """Begin; with `puts_walls`, all edits are walls."""
        self.puts_walls = puts_walls
        # The edits, in order: what is read instead, and what it replaces in the source.
        self._begins: list[int] = []
        self._ends: list[int] = []
        self._source_begins: list[int] = []
        self._source_ends: list[int] = []
        self._walls: deque[tuple[int, int]] = deque()  # offsets of the walls among them
        self._shift = 0  # the offset in the source, less that in the edited text, before the first of the edits
        self._kept: dict[int, int] = {}  # translations of earlier offsets

    def add(self, begin: int, end: int, source_begin: int, source_end: int, *, is_wall: bool) -> None:
        """Note the next edit: the text between two offsets is read instead of the source between two others.

        If it is a wall, no run goes past it.
        """
        self._begins.append(begin)
        self._ends.append(end)
        self._source_begins.append(source_begin)
        self._source_ends.append(source_end)
        if is_wall or self.puts_walls:
            self._walls.append((begin, end))

    def source(self, offset: int) -> int:
        """Return where a character stands in the source; what is in an edit stands at its beginning."""
        begins = self._begins
        if not begins or offset < begins[0]:
            return self._kept.get(offset, offset + self._shift) if self._kept else offset + self._shift
        edit = bisect_right(begins, offset) - 1
        after = offset - self._ends[edit]
        return self._source_begins[edit] if after < 0 else self._source_ends[edit] + after

    def source_end(self, offset: int) -> int:
        """Return where something that ends at an offset ends in the source."""
        edit = bisect_left(self._begins, offset) - 1
        if edit < 0:
            return self._kept.get(offset, offset + self._shift)
        after = offset - self._ends[edit]
        return self._source_begins[edit] if after < 0 else self._source_ends[edit] + after

    def edited(self, offset: int) -> int:
        """Return where a character of the source stands in the edited text, or what is read instead of it begins."""
        edit = bisect_right(self._source_begins, offset) - 1
        if edit < 0:
            return offset - self._shift
        after = offset - self._source_ends[edit]
        return self._begins[edit] if after < 0 else self._ends[edit] + after

    def replaces(self, offset: int) -> bool:
        """Return whether another text is read instead of a character of the source."""
        edit = bisect_right(self._source_begins, offset) - 1
        return edit >= 0 and offset < self._source_ends[edit]

    def is_plain(self, begin: int, end: int) -> bool:
        """Return whether there is no edit between two offsets, nor at one of them."""
        first = bisect_left(self._ends, begin)
        return first == len(self._begins) or self._begins[first] > end

    def is_assumed(self, begin: int, end: int) -> bool:
        """Return whether the text between two offsets is no text of the source."""
        edit = bisect_right(self._begins, begin) - 1
        return edit >= 0 and end <= self._ends[edit]

    def next_wall(self, offset: int) -> int | None:
        """Return the first offset from `offset` on that is in a wall; None: there is none. `offset` never goes back."""
        walls = self._walls
        while walls and walls[0][1] <= offset:
            walls.popleft()
        return max(walls[0][0], offset) if walls else None

    def forget(self, offset: int, keep: Iterable[int] = ()) -> None:
        """Forget the edits before an offset; the earlier ones in `keep` can still be translated."""
        kept = {earlier: self.source(earlier) for earlier in keep if earlier < offset}
        count = bisect_left(self._ends, offset)
        if count:
            self._shift = self._source_ends[count - 1] - self._ends[count - 1]
            for edits in (self._begins, self._ends, self._source_begins, self._source_ends):
                del edits[:count]
        self._kept = {earlier: place for earlier, place in kept.items() if place != earlier + self._shift}
