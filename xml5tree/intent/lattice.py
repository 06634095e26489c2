"""What may stand at a place of the text, as edges; the first is the usual reading.

A place sees `LOOK` octets ahead, and the names up to there. What the readings of tags are is said in `tags.py`, those
of comments and the like in `sections.py`, those of characters in text in `characters.py`.
"""

from collections.abc import Sequence
from operator import attrgetter

from xml5tree.intent.beginning import before_root, first_tag, misspelt_declarations, read_beginning, read_head
from xml5tree.intent.characters import read_raw, read_text
from xml5tree.intent.context import BACK, EMPTY, END, LOOK, SPACE, START, TEXT, Context, Edge, Edges
from xml5tree.intent.sections import SECTION, read_section
from xml5tree.intent.tags import read_tag

__all__ = ["BACK", "EMPTY", "END", "LOOK", "SPACE", "START", "TEXT", "Edge", "Lattice"]


class Lattice(Context):
    """The edges of one document, which is fed in parts; places are offsets in octets from its beginning.

    In steps: `feed`, then `advance(front)` (names up to `front + LOOK` count from now on), then `edges` of places
    before the front. A step must not depend on how the document was cut: let fronts be multiples of a constant.
    """

    first_tag = -1  # where the first start tag or empty tag is
    _front = 0

    def advance(self, front: int) -> None:
        """Let edges before `front` be asked for."""
        super().advance(front)
        if front and not self._front:
            self.first_tag = first_tag(self.source, min(LOOK, self.fed))
            self.knowledge.read_doctype(self.source[: 2 * LOOK])
        self._front = front

    def edges(self, place: int) -> Sequence[Edge]:
        """Return what may stand at a place; the cheapest first, which is the usual reading."""
        made = self.made.get(place)
        if made is None:
            made = self.made[place] = self._read(place)
        return made

    def read(self, place: int) -> Sequence[Edge]:
        """Return the same, but do not keep it: more may be known when the place is searched."""
        return self.made.get(place) or self._read(place)

    def _read(self, place: int) -> Edges:
        made = self._read_place(place)
        for edge in made:
            if edge.kind == START and edge.name in self.raw:
                self.inside[edge.end] = read_raw(edge.name)
        return made

    def _read_place(self, place: int) -> Edges:
        at = place - self.base
        self.limit = min(at + LOOK, len(self.source))
        while self.limit < len(self.source) and self.source[self.limit] & 0xC0 == 0x80:
            self.limit -= 1  # an edge ends between characters
        self.is_end = self.final and self.limit == len(self.source)
        if place in self.inside:
            return self.inside[place](self, at)
        if not place and self.root_names is not None and (junk := before_root(self, at)):
            return [junk]
        if self.source[at] != 0x3C:
            return (read_head(self) if not place else []) or read_text(self, at)
        is_first = place == self.first_tag
        self.declarations = misspelt_declarations(self.source, at, self.limit) if is_first else {}
        made = read_section(self, at) if SECTION.match(self.source, at) else read_tag(self, at)
        if is_first:
            made += read_beginning(self, at)
        return sorted(made, key=attrgetter("cost")) if len(made) > 1 else made
