"""The search, fed with characters: what the seam to the reader calls."""

from collections.abc import Iterable, Mapping
from math import inf
from typing import Final

from xml5tree.accelerator import compiled
from xml5tree.intent.assumption import SourceEdit
from xml5tree.intent.edits import Editor
from xml5tree.intent.lattice import Lattice
from xml5tree.intent.search import Search
from xml5tree.xml.structure import Content

if compiled is not None:
    from xml5tree.intent.compiled import CompiledSearch, search_whole, step_of


_IN_CHARACTERS: Final = frozenset(bytes([octet]) for octet in range(0x80, 0xC0))


class IntentMeaning:
    """What the author of one document meant (`assumption.Meaning`)."""

    def __init__(
        self,
        *,
        elements: Iterable[str] | None = None,
        raw: Iterable[str] = (),
        roots: bool = False,
        root_names: Iterable[str] = (),
        has_values: bool = True,
        references: frozenset[bytes] | None = None,
        content: Mapping[str, Content] | None = None,
    ) -> None:
        known = None if elements is None else _octets(elements)
        make: type[Search | CompiledSearch] = Search if compiled is None else CompiledSearch
        self._search = make(
            elements=known,
            raw=_octets(raw),
            roots=roots,
            root_names=_octets(root_names),
            has_values=has_values,
            references=references,
            content=content or {},
        )
        self._lattice = self._search.lattice
        self.knowledge = self._lattice.knowledge
        self._editor = Editor(self._lattice)
        self._places = _Places(self._lattice)
        self.settled = 0
        self.doubt = inf

    def feed(self, text: str, utf8: bytes, *, final: bool) -> list[SourceEdit]:
        """Take the next characters and their UTF-8; return the further edits that are certain now."""
        to = self._places
        to.is_ascii = to.is_ascii and utf8.isascii()
        self._lattice.feed(utf8, final=final)
        edits = to.in_characters(self._editor.take(self._search.advance(), final=final))
        if self.doubt == inf and self._search.doubt >= 0:
            self.doubt = to.offset(to.boundary(self._search.doubt))
        if final:
            self.settled = self._lattice.fed
            return edits
        places = (self._search.place, self._editor.held, self._search.start)
        certain = min(place for place in places if place is not None)
        self.settled = to.offset(to.boundary(certain))
        self._lattice.forget(min(to.last, self._search.kept))
        return edits


class _Places:
    """Turns places in octets into offsets in characters."""

    def __init__(self, lattice: Lattice) -> None:
        self.is_ascii = True  # all that has been fed
        self.last = self._offset = 0  # a place in octets, and in characters
        self._text = lattice.text

    def boundary(self, place: int) -> int:
        """Return the place of the character in which a place is, as the search may pause within one."""
        while not self.is_ascii and self._text(place, place + 1)[:1] in _IN_CHARACTERS:
            place -= 1
        return place

    def offset(self, place: int) -> int:
        """Return the offset in characters of a place that is not before the last one."""
        if self.is_ascii:
            self.last = self._offset = max(place, self.last)
            return place
        if place < self.last:
            octets = self._text(place, self.last)
            return self._offset - len(octets.decode("utf-8", "surrogatepass"))
        octets = self._text(self.last, place)
        self._offset += len(octets.decode("utf-8", "surrogatepass"))
        self.last = place
        return self._offset

    def in_characters(self, edits: list[SourceEdit]) -> list[SourceEdit]:
        """Return edits whose places are in octets, with offsets in characters."""
        return edits if self.is_ascii else [self._in_characters(edit) for edit in edits]

    def _in_characters(self, edit: SourceEdit) -> SourceEdit:
        begin, end, instead, assumptions = edit
        offsets = {place: self.offset(place) for place in sorted({begin, end, *(one.offset for one in assumptions)})}
        moved = tuple([one._replace(offset=offsets[one.offset]) for one in assumptions])
        return SourceEdit(offsets[begin], offsets[end], instead, moved)


def edits_of_whole(text: str, utf8: bytes) -> list[SourceEdit] | None:
    """Return the edits of a whole document without a DOCTYPE, of which nothing else is known.

    None: `IntentMeaning` has to find them.
    """
    steps = None if compiled is None else search_whole(utf8)
    if not steps:
        return None if steps is None else []
    lattice = Lattice()
    lattice.source, lattice.fed, lattice.final = utf8, len(utf8), True
    places = _Places(lattice)
    places.is_ascii = len(utf8) == len(text)
    return places.in_characters(Editor(lattice).take([step_of(lattice, step) for step in steps], final=True))


def _octets(names: Iterable[str]) -> frozenset[bytes]:
    return frozenset(name.encode("utf-8", "surrogatepass") for name in names)
